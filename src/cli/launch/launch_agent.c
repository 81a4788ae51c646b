// One thread, one poll() loop. Two processes, as for the launcher (launch_guard.h), so that killing one of them leaves
// no task behind.
#include "cli/launch/launch_agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/port.h"
#include "base/process.h"
#include "base/string.h"
#include "cli/common/cli.h"
#include "cli/launch/launch_guard.h"
#include "cli/launch/launch_link.h"
#include "cli/launch/launch_process.h"

enum { MAX_TASKS = 4096, MAX_PORTS = 4096, READ_SIZE = 1 << 16, LAST_READ = 1 << 18 };

typedef struct {
  uint32_t number;  // as the launcher numbers it
  pid_t pid;        // 0: not running
  bool ended;       // the launcher knows that the first process has ended
  bool alone;       // it also knows that no process of its group is left
  int pipes[2];     // output and error; -1 when closed
} far_task_t;

typedef struct {
  sli_launch_guard_t guard;
  sli_launch_link_t link;
  SLI_ARRAY(far_task_t) tasks;
  SLI_ARRAY(int) reservations;
  bool quitting, killing;
  int signals;  // how many we received
} agent_t;

typedef SLI_ARRAY(struct pollfd) poll_set_t;
typedef SLI_ARRAY(char *) text_array_t;

static const sli_launch_frame_type_t stream_frames[] = {SLI_LAUNCH_FRAME_OUTPUT, SLI_LAUNCH_FRAME_ERROR};

// --- Tasks ---

static far_task_t *find_task(agent_t *agent, uint32_t number) {
  for (size_t i = 0; i < agent->tasks.count; i++)
    if (agent->tasks.items[i].number == number) return &agent->tasks.items[i];
  return NULL;
}

// Sends what a pipe of the task holds, up to |limit| bytes.
static void forward(agent_t *agent, far_task_t *task, int which, size_t limit) {
  char buffer[READ_SIZE];
  for (size_t taken = 0; task->pipes[which] >= 0 && taken < limit;) {
    ssize_t count = read(task->pipes[which], buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      close(task->pipes[which]);
      task->pipes[which] = -1;
      return;
    }
    sli_launch_link_send(&agent->link, stream_frames[which], task->number, buffer, (size_t)count);
    taken += (size_t)count;
  }
}

static void release_task(agent_t *agent, far_task_t *task) {
  for (int i = 0; i < 2; i++) {
    forward(agent, task, i, LAST_READ);
    if (task->pipes[i] >= 0) close(task->pipes[i]);
    task->pipes[i] = -1;
  }
  if (task->pid) sli_launch_process_release(task->pid);
  task->pid = 0;
}

static void send_failure(agent_t *agent, uint32_t number, int code, const char *message) {
  char text[16];
  snprintf(text, sizeof(text), "%d", code);
  const char *texts[] = {text, message};
  sli_launch_link_send_texts(&agent->link, SLI_LAUNCH_FRAME_FAILED, number, texts, 2);
}

static bool same_name(const char *a, const char *b) {
  size_t length = strcspn(a, "=") + 1;
  return strncmp(a, b, length) == 0;
}

// Our own environment with the variables of the launcher.
static void merge_environment(text_array_t *environment, const sli_launch_frame_t *frame, const char *text) {
  for (char **variable = environ; *variable; variable++) sli_array_push(environment, *variable);
  size_t own = environment->count;
  while ((text = sli_launch_frame_next_text(frame, text))) {
    size_t i = 0;
    while (i < own && !same_name(text, environment->items[i])) i++;
    if (i < own)
      environment->items[i] = (char *)text;
    else
      sli_array_push(environment, (char *)text);
  }
  sli_array_push(environment, NULL);
}

static sli_status_t *start_process(agent_t *agent, far_task_t *task, const sli_launch_frame_t *frame) {
  const char *directory = sli_launch_frame_next_text(frame, NULL), *text = directory;
  int count = directory ? sli_launch_frame_next_number(frame, &text) : 0;
  if (count < 1 || (size_t)count > frame->size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the launcher sent a task without a program");
  if (*directory && chdir(directory) != 0)
    return sli_status_from_errno(errno,
                                 "cannot enter the directory '%s' on this host (give --directory, or --copy what is "
                                 "needed of it)",
                                 directory);
  text_array_t argv = {0}, environment = {0};
  for (int i = 0; i < count && text; i++) {
    text = sli_launch_frame_next_text(frame, text);
    if (text) sli_array_push(&argv, (char *)text);
  }
  sli_array_push(&argv, NULL);
  if (text) merge_environment(&environment, frame, text);
  sli_launch_process_options_t options = {
      .name = "a task", .argv = argv.items, .environment = environment.items, .mask = &agent->guard.inherited_mask};
  sli_status_t *status = argv.items[0] && text
                             ? sli_launch_process_start(&options, &task->pid, &task->pipes[0], &task->pipes[1])
                             : sli_status_make(SLI_INVALID_ARGUMENT, "the launcher sent a task without a program");
  sli_array_deinitialize(&argv);
  sli_array_deinitialize(&environment);
  return status;
}

static void start_task(agent_t *agent, const sli_launch_frame_t *frame) {
  far_task_t *task = find_task(agent, frame->number);
  if (!task && agent->tasks.count == MAX_TASKS)
    return send_failure(agent, frame->number, 1, "too many tasks on one host");
  if (!task) {
    sli_array_push(&agent->tasks, (far_task_t){.number = frame->number});
    task = &agent->tasks.items[agent->tasks.count - 1];
  }
  if (task->pid) release_task(agent, task);
  *task = (far_task_t){.number = frame->number, .pipes = {-1, -1}};
  sli_status_t *status = start_process(agent, task, frame);
  if (!status) return;
  task->ended = task->alone = true;
  send_failure(agent, frame->number, sli_launch_process_start_code(status), sli_status_message(status));
  sli_status_release(status);
}

static void report_end(agent_t *agent, far_task_t *task, int code, int number) {
  char code_text[16], signal_text[16];
  snprintf(code_text, sizeof(code_text), "%d", code);
  snprintf(signal_text, sizeof(signal_text), "%d", number);
  const char *texts[] = {code_text, signal_text};
  for (int i = 0; i < 2; i++) forward(agent, task, i, LAST_READ);
  sli_launch_link_send_texts(&agent->link, SLI_LAUNCH_FRAME_ENDED, task->number, texts, 2);
  task->ended = true;
}

// Returns whether anything of the tasks is left.
static bool look_for_ends(agent_t *agent) {
  SLI_ARRAY(pid_t) known = {0};
  bool left = false;
  for (size_t i = 0; i < agent->tasks.count; i++) {
    far_task_t *task = &agent->tasks.items[i];
    int code, number;
    if (task->pid && !task->ended && sli_launch_process_has_ended(task->pid, &code, &number))
      report_end(agent, task, code, number);
    if (task->pid && task->ended && !task->alone && !sli_launch_process_is_group_left(task->pid)) {
      task->alone = true;
      sli_launch_link_send(&agent->link, SLI_LAUNCH_FRAME_ALONE, task->number, NULL, 0);
    }
    left = left || (task->pid && !task->ended);
    if (task->pid) sli_array_push(&known, task->pid);
  }
  size_t orphans = sli_launch_process_visit_orphans(known.items, known.count, 0);
  sli_array_deinitialize(&known);
  return left || orphans > 0;
}

// --- Frames ---

static void reserve_ports(agent_t *agent, uint32_t count) {
  sli_string_t ports = {0};
  for (uint32_t i = 0; i < count && i < MAX_PORTS; i++) {
    int port, reservation;
    sli_status_t *status = sli_port_reserve(&port, &reservation);
    if (status) {
      sli_status_release(status);
      break;
    }
    if (reservation >= 0) sli_array_push(&agent->reservations, reservation);
    sli_string_append_format(&ports, "%d", port);
    sli_string_append_char(&ports, '\0');
  }
  sli_launch_link_send(&agent->link, SLI_LAUNCH_FRAME_PORTS, 0, ports.data, ports.size);
  sli_string_deinitialize(&ports);
}

static void quit(agent_t *agent, int number) {
  agent->quitting = true;
  SLI_ARRAY(pid_t) known = {0};
  for (size_t i = 0; i < agent->tasks.count; i++) {
    far_task_t *task = &agent->tasks.items[i];
    if (!task->pid) continue;
    kill(-task->pid, number);
    sli_array_push(&known, task->pid);
  }
  sli_launch_process_visit_orphans(known.items, known.count, number);
  sli_array_deinitialize(&known);
}

static void handle(agent_t *agent, const sli_launch_frame_t *frame) {
  far_task_t *task = find_task(agent, frame->number);
  const char *text = NULL;
  switch (frame->type) {
    case SLI_LAUNCH_FRAME_RESERVE: reserve_ports(agent, frame->number); return;
    case SLI_LAUNCH_FRAME_START: start_task(agent, frame); return;
    case SLI_LAUNCH_FRAME_SIGNAL:
      if (task && task->pid) kill(-task->pid, sli_launch_frame_next_number(frame, &text));
      return;
    case SLI_LAUNCH_FRAME_RELEASE:
      if (task) release_task(agent, task);
      return;
    case SLI_LAUNCH_FRAME_QUIT: quit(agent, (int)frame->number); return;
    case SLI_LAUNCH_FRAME_KILL: agent->killing = true; return;
    default: return;  // ALIVE, and what a later launcher may know
  }
}

// --- The loop ---

// What somebody else sends us, such as Slurm at the end of its time, is the launcher's business. A second one is not.
static void read_signals(agent_t *agent) {
  struct signalfd_siginfo info;
  while (read(agent->guard.signals, &info, sizeof(info)) == sizeof(info)) {
    int number = (int)info.ssi_signo;
    if (number == SIGCHLD || number == SIGTSTP || number == SIGCONT) continue;
    sli_launch_link_send(&agent->link, SLI_LAUNCH_FRAME_SIGNALLED, (size_t)number, NULL, 0);
    agent->signals++;
  }
}

static int poll_timeout(int64_t next) {
  int64_t left = (next - sli_clock_now_nanos()) / 1000000 + 1;
  return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

// Waits for one round of events and handles them. Returns false if the launcher has ended or said so.
static bool poll_once(agent_t *agent, poll_set_t *set) {
  sli_launch_link_t *link = &agent->link;
  int64_t next = sli_launch_link_keep_alive(link);
  set->count = 0;
  sli_array_push(set, (struct pollfd){.fd = agent->guard.signals, .events = POLLIN});
  sli_array_push(set, (struct pollfd){.fd = agent->guard.lifeline, .events = POLLIN});
  sli_array_push(set, (struct pollfd){.fd = link->in, .events = POLLIN});
  sli_array_push(set, (struct pollfd){.fd = sli_launch_link_has_output(link) ? link->out : -1, .events = POLLOUT});
  bool full = sli_launch_link_is_full(link);
  for (size_t i = 0; i < agent->tasks.count; i++)
    for (int k = 0; k < 2; k++)
      sli_array_push(set, (struct pollfd){.fd = full ? -1 : agent->tasks.items[i].pipes[k], .events = POLLIN});
  size_t polled = agent->tasks.count;
  if (poll(set->items, set->count, poll_timeout(next)) < 0 && errno != EINTR) return false;
  for (size_t i = 0; i < polled; i++)
    for (int k = 0; k < 2; k++)
      if (set->items[4 + 2 * i + (size_t)k].revents) forward(agent, &agent->tasks.items[i], k, 1);
  if (set->items[3].revents) sli_launch_link_write(link);
  if (set->items[2].revents) sli_launch_link_read(link);
  if (set->items[0].revents) read_signals(agent);
  sli_launch_frame_t frame;
  while (sli_launch_link_next(link, &frame)) handle(agent, &frame);
  bool lost = link->ended || sli_launch_link_is_silent(link) || set->items[1].revents;
  return !lost && !agent->killing && agent->signals < 2;
}

// Writes what is queued, for at most a second.
static void flush(agent_t *agent) {
  int64_t deadline = sli_clock_deadline_after_millis(1000);
  while (sli_launch_link_has_output(&agent->link) && sli_clock_now_nanos() < deadline) {
    struct pollfd set = {.fd = agent->link.out, .events = POLLOUT};
    if (poll(&set, 1, poll_timeout(deadline)) > 0) sli_launch_link_write(&agent->link);
  }
}

int sli_launch_agent_run(double silence) {
  enum { SWEEP_MILLIS = 5000 };
  agent_t agent = {0};
  sli_status_t *status = sli_launch_guard_enter(&agent.guard);
  if (status) {
    int code = sli_cli_fail(SLI_CLI_FAILED, "%s", sli_status_message(status));
    sli_status_release(status);
    return code;
  }
  sli_launch_link_open(&agent.link, STDIN_FILENO, STDOUT_FILENO, silence, true);
  poll_set_t set = {0};
  for (bool goes_on = true; goes_on;) {
    bool left = look_for_ends(&agent);
    goes_on = !(agent.quitting && !left) && poll_once(&agent, &set);
  }
  bool clean = sli_process_kill_descendants(sli_clock_deadline_after_millis(SWEEP_MILLIS));
  for (size_t i = 0; i < agent.tasks.count; i++)
    for (int k = 0; k < 2; k++) forward(&agent, &agent.tasks.items[i], k, LAST_READ);
  flush(&agent);
  sli_launch_link_close(&agent.link);
  for (size_t i = 0; i < agent.reservations.count; i++) close(agent.reservations.items[i]);
  sli_array_deinitialize(&agent.reservations);
  sli_array_deinitialize(&agent.tasks);
  sli_array_deinitialize(&set);
  return clean ? SLI_CLI_OK : SLI_CLI_FAILED;
}
