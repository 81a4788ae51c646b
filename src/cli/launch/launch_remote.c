#include "cli/launch/launch_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "io/file/file.h"

enum { MAX_WORDS = 4096, END_MILLIS = 2000 };

typedef SLI_ARRAY(char *) text_array_t;
typedef SLI_ARRAY(struct pollfd) poll_set_t;

// --- Command lines ---

static void push_words(text_array_t *argv, const char *text) {
  sli_view_t rest = sli_view(text), word;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ' ', &word, &rest);
    if (word.size) sli_array_push(argv, sli_format("%.*s", SLI_VIEW_ARG(word)));
  }
}

static void push_ssh(text_array_t *argv, const sli_launch_remote_options_t *options, const sli_launch_host_t *host) {
  push_words(argv, options->ssh);
  // Nobody is there to type a password. A dead host is noticed by ssh too.
  push_words(argv, "-T -o BatchMode=yes -o ServerAliveCountMax=3");
  sli_array_push(argv, sli_strdup("-o"));
  sli_array_push(argv, sli_format("ServerAliveInterval=%d", (int)(options->silence / 4) + 1));
  sli_array_push(argv, sli_strdup("-o"));
  sli_array_push(argv, sli_format("ConnectTimeout=%d", (int)options->connect_timeout + 1));
  sli_array_push(argv, sli_strdup(host->name));
}

// One step of one process on the node, with all its CPUs, beside other steps.
static void push_srun(text_array_t *argv, const sli_launch_host_t *host) {
  push_words(argv,
             "srun --nodes=1 --ntasks=1 --overlap --unbuffered --cpu-bind=none --mem=0 --kill-on-bad-exit=0 "
             "--export=ALL --input=all");
  if (host->cpus) sli_array_push(argv, sli_format("--cpus-per-task=%d", host->cpus));
  sli_array_push(argv, sli_format("--nodelist=%s", host->name));
}

// Appends |text| as one word of a POSIX shell.
static void append_quoted(sli_string_t *out, const char *text) {
  sli_string_append_char(out, '\'');
  for (; *text; text++)
    if (*text == '\'')
      sli_string_append_text(out, "'\\''");
    else
      sli_string_append_char(out, *text);
  sli_string_append_char(out, '\'');
}

// The command line that runs the shell command |command| on |host|.
static text_array_t make_command(const sli_launch_remote_options_t *options, const sli_launch_host_t *host,
                                 const char *command) {
  text_array_t argv = {0};
  if (options->slurm) {
    push_srun(&argv, host);
    push_words(&argv, "sh -c");
    sli_array_push(&argv, sli_strdup(command));
  } else {
    push_ssh(&argv, options, host);
    // The user's shell there may be another one.
    sli_string_t word = {0};
    sli_string_append_text(&word, "exec sh -c ");
    append_quoted(&word, command);
    sli_array_push(&argv, sli_string_take(&word));
  }
  sli_array_push(&argv, NULL);
  return argv;
}

static void release_words(text_array_t *argv) {
  for (size_t i = 0; i < argv->count; i++) free(argv->items[i]);
  sli_array_deinitialize(argv);
}

static char *agent_command(const sli_launch_remote_options_t *options) {
  sli_string_t text = {0};
  sli_string_append_text(&text, "s=");
  append_quoted(&text, options->sluice);
  sli_string_append_format(&text, "; [ -x \"$s\" ] || s=sluice; exec \"$s\" agent --silence %g", options->silence);
  return sli_string_take(&text);
}

// --- Processes ---

// Starts a process with pipes to its input (unless |input| is given), its output and its errors.
static sli_status_t *start(const sli_launch_remote_options_t *options, const sli_launch_guard_t *guard,
                           const char *command, int input, sli_launch_remote_t *remote) {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, error[2] = {-1, -1};
  text_array_t argv = make_command(options, remote->host, command);
  sli_status_t *status = NULL;
  if ((input < 0 && pipe2(in, O_CLOEXEC) != 0) || pipe2(out, O_CLOEXEC) != 0 || pipe2(error, O_CLOEXEC) != 0)
    status = sli_status_from_errno(errno, "cannot make a pipe");
  sli_process_options_t process = {.argv = argv.items,
                                   .input = input < 0 ? in[0] : input,
                                   .output = out[1],
                                   .error = error[1],
                                   .own_group = true,
                                   .parent_death_signal = SIGKILL,
                                   .mask = &guard->inherited_mask};
  if (!status) status = sli_process_start(&process, &remote->pid);
  if (status) remote->pid = 0;
  int used[] = {in[0], out[1], error[1]}, kept[] = {in[1], out[0], error[0]};
  for (size_t i = 0; i < 3; i++) {
    if (used[i] >= 0) close(used[i]);
    if (status && kept[i] >= 0) close(kept[i]);
  }
  release_words(&argv);
  if (status) return status;
  sli_launch_link_open(&remote->link, out[0], in[1], options->silence, false);
  remote->error = error[0];
  fcntl(remote->error, F_SETFL, O_NONBLOCK);
  return NULL;
}

void sli_launch_remote_read_error(sli_launch_remote_t *remote, sli_string_t *show) {
  char buffer[4096];
  ssize_t count = read(remote->error, buffer, sizeof(buffer));
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) {
    close(remote->error);
    remote->error = -1;
    return;
  }
  if (remote->words.size > MAX_WORDS) sli_string_clear(&remote->words);
  sli_string_append(&remote->words, buffer, (size_t)count);
  sli_view_t rest = sli_view_of(buffer, (size_t)count), line;
  for (bool more = show != NULL; more;) {
    more = sli_view_split(rest, '\n', &line, &rest);
    line = sli_view_trim(line);
    if (line.size) sli_string_append_format(show, "[%s] %.*s\n", remote->host->address, SLI_VIEW_ARG(line));
  }
}

void sli_launch_remote_close(sli_launch_remote_t *remote) {
  sli_launch_link_close(&remote->link);
  int64_t deadline = sli_clock_deadline_after_millis(END_MILLIS);
  while (remote->pid && waitpid(remote->pid, NULL, WNOHANG) == 0) {
    if (sli_clock_now_nanos() >= deadline) kill(-remote->pid, SIGKILL);
    usleep(2000);
  }
  remote->pid = 0;
  while (remote->error >= 0) {
    struct pollfd set = {.fd = remote->error, .events = POLLIN};
    if (poll(&set, 1, 100) <= 0) break;
    sli_launch_remote_read_error(remote, NULL);
  }
  if (remote->error >= 0) close(remote->error);
  remote->error = -1;
}

// --- Errors ---

// The last line of what ssh or srun printed.
static sli_view_t last_words(const sli_launch_remote_t *remote) {
  sli_view_t text = sli_view_trim(sli_view_of(sli_string_text(&remote->words), remote->words.size));
  const char *line = text.size ? memrchr(text.data, '\n', text.size) : NULL;
  return line ? sli_view_of(line + 1, text.size - (size_t)(line + 1 - text.data)) : text;
}

static sli_status_t *refused(const sli_launch_remote_options_t *options, sli_launch_remote_t *remote,
                             const char *what) {
  sli_launch_remote_close(remote);
  sli_view_t words = last_words(remote);
  const char *cure = "";
  if (memmem(words.data, words.size, "agent", 5) || memmem(words.data, words.size, "not found", 9))
    cure = "; install sluice there, or name its path with --remote-sluice";
  if (memmem(words.data, words.size, "Permission denied", 17)) cure = "; ssh must reach it without a password";
  if (words.size == 0) words = sli_view("it ended without a word");
  return sli_status_make(SLI_UNAVAILABLE, "cannot %s %s by %s: %.*s%s", what, remote->host->name,
                         options->slurm ? "srun" : "ssh", SLI_VIEW_ARG(words), cure);
}

// --- Waiting ---

static bool take_frames(sli_launch_remote_t *remote) {
  sli_launch_frame_t frame;
  while (!remote->ready && sli_launch_link_next(&remote->link, &frame)) {
    if (frame.type != SLI_LAUNCH_FRAME_PORTS) continue;
    const char *text = NULL;
    size_t count = 0;
    for (; count < remote->port_count; count++) {
      remote->ports[count] = sli_launch_frame_next_number(&frame, &text);
      if (!text) break;
    }
    remote->ready = count == remote->port_count;
    if (!remote->ready) return false;
  }
  return true;
}

// Handles what was polled of one host, whose three descriptors are |polled|. |copies|: the process needs no agent, but
// must end with exit code 0.
static sli_status_t *advance(sli_launch_remote_t *remote, const sli_launch_remote_options_t *options,
                             const struct pollfd *polled, bool copies) {
  if (polled[0].revents) sli_launch_link_read(&remote->link);
  if (polled[1].revents) sli_launch_remote_read_error(remote, NULL);
  if (polled[2].revents) sli_launch_link_write(&remote->link);
  int result = 0;
  bool good = copies || take_frames(remote);
  if (!copies && !remote->ready && remote->link.ended) good = false;
  if (copies && remote->link.ended && waitpid(remote->pid, &result, WNOHANG) == remote->pid) {
    remote->pid = 0;
    good = remote->ready = result == 0;
  }
  return good ? NULL : refused(options, remote, copies ? "copy to" : "reach");
}

static void collect(const sli_launch_remotes_t *remotes, const sli_launch_guard_t *guard, poll_set_t *set) {
  set->count = 0;
  sli_array_push(set, (struct pollfd){.fd = guard->signals, .events = POLLIN});
  sli_array_push(set, (struct pollfd){.fd = guard->lifeline, .events = POLLIN});
  for (size_t i = 0; i < remotes->count; i++) {
    const sli_launch_remote_t *remote = &remotes->items[i];
    bool writes = sli_launch_link_has_output(&remote->link);
    bool waits = !remote->ready;
    sli_array_push(set, (struct pollfd){.fd = waits && !remote->link.ended ? remote->link.in : -1, .events = POLLIN});
    sli_array_push(set, (struct pollfd){.fd = waits ? remote->error : -1, .events = POLLIN});
    sli_array_push(set, (struct pollfd){.fd = waits && writes ? remote->link.out : -1, .events = POLLOUT});
  }
}

// Returns a signal that stops the job, or 0.
static int read_signal(const sli_launch_guard_t *guard, const struct pollfd *polled) {
  struct signalfd_siginfo info;
  int number = polled[1].revents ? SIGKILL : 0;  // the launcher has ended
  while (polled[0].revents && read(guard->signals, &info, sizeof(info)) == sizeof(info))
    if (info.ssi_signo != SIGCHLD && info.ssi_signo != SIGCONT && info.ssi_signo != SIGTSTP)
      number = (int)info.ssi_signo;
  return number;
}

// Waits until all are ready.
static sli_status_t *wait_for_all(sli_launch_remotes_t *remotes, const sli_launch_remote_options_t *options,
                                  const sli_launch_guard_t *guard, int64_t deadline, bool copies, int *out_signal) {
  enum { TICK_MILLIS = 200 };
  poll_set_t set = {0};
  sli_status_t *status = NULL;
  for (size_t left = remotes->count; left && !status;) {
    collect(remotes, guard, &set);
    poll(set.items, set.count, TICK_MILLIS);
    *out_signal = read_signal(guard, set.items);
    if (*out_signal) status = sli_status_make(SLI_CANCELLED, "stopped by SIG%s", sigabbrev_np(*out_signal));
    left = 0;
    for (size_t i = 0; i < remotes->count && !status; i++) {
      sli_launch_remote_t *remote = &remotes->items[i];
      if (!remote->ready) status = advance(remote, options, &set.items[2 + 3 * i], copies);
      if (!status && !remote->ready && sli_clock_now_nanos() >= deadline) {
        kill(-remote->pid, SIGKILL);
        status = sli_status_append(refused(options, remote, "reach"), " (after %g s)", options->connect_timeout);
      }
      left += !remote->ready;
    }
  }
  sli_array_deinitialize(&set);
  return status;
}

// --- Copies ---

// A file beside |path| whose name nobody else uses: a host that sees it shares our disk.
static char *make_marker(const char *path) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof(random), 0) != sizeof(random)) random = (uint64_t)sli_clock_wall_nanos();
  const char *slash = strrchr(path, '/');
  char *marker =
      sli_format("%.*s/.sluice-copy-%016llx", slash ? (int)(slash - path) : 0, path, (unsigned long long)random);
  int file = open(marker, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return marker;
}

static sli_status_t *start_tar(const char *path, const sli_launch_guard_t *guard, pid_t *out_pid, int *out_output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return sli_status_from_errno(errno, "cannot make a pipe");
  char *argv[] = {"tar", "-chf", "-", "-C", "/", "--", (char *)path + strspn(path, "/"), NULL};
  sli_process_options_t process = {.argv = argv,
                                   .output = ends[1],
                                   .error = -1,
                                   .own_group = true,
                                   .parent_death_signal = SIGKILL,
                                   .mask = &guard->inherited_mask};
  sli_status_t *status = sli_process_start(&process, out_pid);
  close(ends[1]);
  if (status) close(ends[0]);
  *out_output = status ? -1 : ends[0];
  return status;
}

// Copies |path| to the same path of every host that does not share it.
static sli_status_t *copy_path(sli_launch_remotes_t *remotes, const sli_launch_remote_options_t *options,
                               const sli_launch_guard_t *guard, const char *path, int *out_signal) {
  char *marker = make_marker(path);
  sli_string_t command = {0};
  sli_string_append_text(&command, "if [ -e ");
  append_quoted(&command, marker);
  sli_string_append_text(&command, " ]; then exec cat > /dev/null; else exec tar -xpf - -C /; fi");
  pid_t *tars = sli_calloc(remotes->count, sizeof(*tars));
  sli_status_t *status = NULL;
  for (size_t i = 0; i < remotes->count && !status; i++) {
    int output = -1;
    status = start_tar(path, guard, &tars[i], &output);
    remotes->items[i].ready = false;
    if (!status) status = start(options, guard, sli_string_text(&command), output, &remotes->items[i]);
    if (output >= 0) close(output);
  }
  if (!status) status = wait_for_all(remotes, options, guard, SLI_CLOCK_NO_DEADLINE, true, out_signal);
  for (size_t i = 0; i < remotes->count; i++) {
    int result = 0;
    sli_launch_remote_close(&remotes->items[i]);
    if (tars[i] > 0 && waitpid(tars[i], &result, 0) == tars[i] && result != 0 && !status)
      status = sli_status_make(SLI_UNKNOWN, "tar could not read '%s'", path);
    remotes->items[i].ready = false;
    sli_string_clear(&remotes->items[i].words);
  }
  unlink(marker);
  free(marker);
  free(tars);
  sli_string_deinitialize(&command);
  return status;
}

static sli_status_t *copy_all(sli_launch_remotes_t *remotes, const sli_launch_remote_options_t *options,
                              const sli_launch_guard_t *guard, int *out_signal) {
  for (size_t i = 0; i < options->copies->count; i++) {
    char *path = sli_file_absolute_path(options->copies->items[i]);
    sli_status_t *status = copy_path(remotes, options, guard, path, out_signal);
    free(path);
    if (status) return status;
  }
  return NULL;
}

// --- All hosts ---

sli_status_t *sli_launch_remotes_connect(sli_launch_remotes_t *out_remotes, const sli_launch_remote_options_t *options,
                                         const sli_launch_request_t *request, sli_launch_plan_t *plan,
                                         const sli_launch_guard_t *guard, int *out_signal) {
  *out_remotes = (sli_launch_remotes_t){0};
  *out_signal = 0;
  out_remotes->items = sli_calloc(request->hosts->count, sizeof(*out_remotes->items));
  for (size_t i = 0; i < request->hosts->count; i++)
    out_remotes->items[out_remotes->count++] = (sli_launch_remote_t){
        .host = &request->hosts->items[i], .error = -1, .link = {.in = -1, .out = -1, .ended = true}};
  SLI_RETURN_IF_ERROR(copy_all(out_remotes, options, guard, out_signal));
  char *command = agent_command(options);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < out_remotes->count && !status; i++) {
    sli_launch_remote_t *remote = &out_remotes->items[i];
    remote->port_count = sli_launch_plan_port_count(plan, (int)i);
    remote->ports = sli_calloc(remote->port_count + 1, sizeof(*remote->ports));
    status = start(options, guard, command, -1, remote);
    sli_launch_link_send(&remote->link, SLI_LAUNCH_FRAME_RESERVE, request->first_port ? 0 : remote->port_count, NULL,
                         0);
    for (size_t k = 0; k < remote->port_count && request->first_port; k++)
      remote->ports[k] = (int)request->first_port + (int)k;
    if (request->first_port) remote->port_count = 0;
  }
  free(command);
  int64_t deadline = sli_clock_deadline_after_millis((int64_t)(options->connect_timeout * 1000));
  if (!status) status = wait_for_all(out_remotes, options, guard, deadline, false, out_signal);
  for (size_t i = 0; i < out_remotes->count && !status; i++)
    sli_launch_plan_set_ports(plan, request, (int)i, out_remotes->items[i].ports);
  return status;
}

void sli_launch_remotes_deinitialize(sli_launch_remotes_t *remotes) {
  // Closing all before waiting for any.
  for (size_t i = 0; i < remotes->count; i++) sli_launch_link_close(&remotes->items[i].link);
  for (size_t i = 0; i < remotes->count; i++) {
    sli_launch_remote_close(&remotes->items[i]);
    sli_string_deinitialize(&remotes->items[i].words);
    free(remotes->items[i].ports);
  }
  free(remotes->items);
  *remotes = (sli_launch_remotes_t){0};
}

// --- Tasks ---

// Variables that belong to the host or to the session there, not to the job.
static bool stays_here(const char *variable) {
  static const char *const names[] = {"HOME=",       "USER=",   "LOGNAME=",   "SHELL=", "HOSTNAME=", "PWD=",
                                      "OLDPWD=",     "SHLVL=",  "TERM=",      "MAIL=",  "DISPLAY=",  "WAYLAND_DISPLAY=",
                                      "XAUTHORITY=", "TMPDIR=", "LS_COLORS=", "_=",     "XDG_",      "SSH_",
                                      "DBUS_",       "SLURM",   "SUDO_"};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++)
    if (sli_string_starts_with(variable, names[i])) return true;
  return false;
}

void sli_launch_remote_start(sli_launch_remote_t *remote, const sli_launch_task_t *task, size_t number,
                             const char *directory) {
  SLI_ARRAY(const char *) texts = {0};
  char count[24];
  size_t words = 0;
  while (task->argv[words]) words++;
  snprintf(count, sizeof(count), "%zu", words);
  sli_array_push(&texts, directory);
  sli_array_push(&texts, count);
  for (size_t i = 0; i < words; i++) sli_array_push(&texts, task->argv[i]);
  for (char **variable = task->environment; *variable; variable++)
    if (!stays_here(*variable)) sli_array_push(&texts, *variable);
  sli_launch_link_send_texts(&remote->link, SLI_LAUNCH_FRAME_START, number, texts.items, texts.count);
  sli_array_deinitialize(&texts);
}

void sli_launch_remote_signal(sli_launch_remote_t *remote, size_t number, int signal) {
  char text[16];
  snprintf(text, sizeof(text), "%d", signal);
  sli_launch_link_send_texts(&remote->link, SLI_LAUNCH_FRAME_SIGNAL, number, (const char *const[]){text}, 1);
}
