#include "cli/sweep/sweep_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "cli/common/cli.h"
#include "cli/common/report.h"
#include "cli/sweep/sweep_command.h"
#include "cli/sweep/sweep_hparams.h"
#include "cli/sweep/sweep_metric.h"
#include "cli/sweep/sweep_show.h"
#include "io/event/event_proto.h"
#include "io/file/file.h"

enum {
  POLL_MILLIS = 200,
  KILL_SECONDS = 5,
  EXIT_NOT_RUNNABLE = 126,
  EXIT_NOT_FOUND = 127,
  MAX_LOST = 2,  // trials in a row that do not get to their hosts, until these are set aside
  TAIL_BYTES = 4096,
  MAX_LAST_LINE = 200
};
static const int64_t SECOND = 1000000000;

// A place for one running trial.
typedef struct {
  sli_sweep_trial_t *trial;  // NULL: free
  pid_t pid;
  const sli_sweep_place_t *place;
  int lost;                  // trials in a row that did not get to the hosts of |place|
  bool is_aside;             // these are not used any more
  int64_t started, kill_at;  // kill_at: SLI_CLOCK_NO_DEADLINE until it is asked to stop
  double started_wall;
  bool timed_out;
  sli_sweep_metric_t *metric;
  char *output;
} slot_t;

typedef struct {
  sli_sweep_t *sweep;
  const sli_sweep_run_options_t *options;
  const sli_launch_guard_t *guard;
  slot_t *slots;
  size_t count;
  bool live;         // stdout is a terminal
  int64_t drawn_at;  // when the live table was drawn
  bool stopping;
  int exit_code;
  int signal;  // the first one
} run_t;

static int64_t after(double seconds) { return sli_clock_now_nanos() + (int64_t)(seconds * 1e9); }

// Signals the process group of a trial. The kernel takes -1 and 0 for all processes and for our own group.
static void signal_group(const slot_t *slot, int number) {
  SLI_CHECK(slot->trial && slot->pid > 1);
  kill(-slot->pid, number);
}

// Stops all: no trial is started any more, and those that run are asked to end.
static void stop(run_t *run, int exit_code) {
  if (run->stopping) return;
  run->stopping = true;
  run->exit_code = exit_code;
  for (size_t i = 0; i < run->count; i++) {
    slot_t *slot = &run->slots[i];
    if (!slot->trial || slot->kill_at != SLI_CLOCK_NO_DEADLINE) continue;
    signal_group(slot, SIGTERM);
    slot->kill_at = after(run->options->stop_grace);
  }
}

static void stop_for_error(run_t *run, int exit_code, sli_status_t *status, const char *what) {
  sli_sweep_show_clear();
  if (!run->stopping) sli_cli_fail(exit_code, "%s%s", what, sli_status_message(status));
  sli_status_release(status);
  stop(run, exit_code);
}

static void save(run_t *run) {
  sli_status_t *status = sli_sweep_save(run->sweep);
  if (status) stop_for_error(run, SLI_CLI_FAILED, status, "the sweep cannot be saved, so it stops: ");
}

// --- Starting ---

static sli_status_t *start_process(run_t *run, slot_t *slot, const char *directory) {
  SLI_RETURN_IF_ERROR(sli_file_make_directories(directory));
  char *script = sli_format("%s/command", directory);
  sli_status_t *status =
      sli_sweep_command_write_script(script, run->sweep, slot->trial, slot->place, run->options->self);
  free(script);
  if (status) return status;
  int output = open(slot->output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (output < 0) return sli_status_from_errno(errno, "%s", slot->output);
  sli_sweep_command_t command = sli_sweep_command_make(run->sweep, slot->trial, slot->place, run->options->self);
  status = sli_process_start(&(sli_process_options_t){.argv = command.argv,
                                                      .environment = command.environment,
                                                      .output = output,
                                                      .error = output,
                                                      .own_group = true,
                                                      .parent_death_signal = SIGKILL,
                                                      .mask = &run->guard->inherited_mask},
                             &slot->pid);
  sli_sweep_command_deinitialize(&command);
  close(output);
  return status;
}

static void free_slot(slot_t *slot) {
  sli_sweep_metric_release(slot->metric);
  free(slot->output);
  *slot = (slot_t){.place = slot->place, .lost = slot->lost, .is_aside = slot->is_aside};
}

static void start_trial(run_t *run, slot_t *slot, sli_sweep_trial_t *trial) {
  char *directory = sli_sweep_trial_directory(run->sweep, trial);
  *slot = (slot_t){.trial = trial,
                   .place = slot->place,
                   .lost = slot->lost,
                   .started = sli_clock_now_nanos(),
                   .started_wall = sli_event_proto_now(),
                   .kill_at = SLI_CLOCK_NO_DEADLINE,
                   .output = sli_format("%s/output.log", directory)};
  slot->metric = sli_sweep_metric_create(directory, slot->output, run->sweep->metric, run->sweep->minimize);
  sli_status_t *status = start_process(run, slot, directory);
  free(directory);
  if (!status) {
    trial->status = SLI_SWEEP_RUNNING;
    return;
  }
  // What keeps one trial from starting keeps all: the program, the disk, the number of processes.
  int code = sli_status_code(status) == SLI_NOT_FOUND           ? EXIT_NOT_FOUND
             : sli_status_code(status) == SLI_PERMISSION_DENIED ? EXIT_NOT_RUNNABLE
                                                                : SLI_CLI_FAILED;
  free_slot(slot);
  stop_for_error(run, code, status, "the sweep stops: ");
}

static void start_trials(run_t *run) {
  for (size_t i = 0; i < run->count && !run->stopping; i++) {
    if (run->slots[i].trial || run->slots[i].is_aside) continue;
    sli_sweep_judge(run->sweep);
    sli_sweep_trial_t *trial = sli_sweep_next(run->sweep);
    if (!trial) return;
    start_trial(run, &run->slots[i], trial);
  }
}

// --- Ending ---

// The last line of a file that is not empty; "" if there is none. The caller frees it.
static char *last_line(const char *path) {
  sli_file_reader_t *reader = NULL;
  uint64_t size = 0;
  size_t got = 0;
  char buffer[TAIL_BYTES];
  sli_status_release(sli_file_reader_open(path, &reader));
  if (reader) sli_status_release(sli_file_reader_size(reader, &size));
  uint64_t start = size > sizeof(buffer) ? size - sizeof(buffer) : 0;
  if (reader) sli_status_release(sli_file_reader_read(reader, start, buffer, sizeof(buffer), &got));
  sli_file_reader_release(reader);
  while (got && strchr("\n\r ", buffer[got - 1])) got--;
  size_t begin = got;
  while (begin && buffer[begin - 1] != '\n' && got - begin < MAX_LAST_LINE) begin--;
  return sli_strndup(buffer + begin, got - begin);
}

static void fail_trial(slot_t *slot, int wait_status, const sli_sweep_run_options_t *options) {
  sli_sweep_trial_t *trial = slot->trial;
  char *line = last_line(slot->output), *how;
  if (slot->timed_out)
    how = sli_format("it ran longer than --timeout %g s", options->timeout);
  else if (WIFSIGNALED(wait_status))
    how = sli_format("it was killed by SIG%s", sigabbrev_np(WTERMSIG(wait_status)));
  else
    how = sli_format("it ended with exit code %d", WEXITSTATUS(wait_status));
  free(trial->problem);
  trial->problem = *line ? sli_format("%s; its last line: %s", how, line) : sli_format("%s; it printed nothing", how);
  trial->status = SLI_SWEEP_FAILED;
  free(how);
  free(line);
}

static void take_metric(run_t *run, slot_t *slot) {
  sli_sweep_trial_t *trial = slot->trial;
  sli_sweep_metric_update(slot->metric, true);
  sli_sweep_value_t value = sli_sweep_metric_value(slot->metric);
  trial->has_metric = value.found;
  if (value.found) {
    trial->metric = run->sweep->take_best ? value.best : value.last;
    trial->step = run->sweep->take_best ? value.best_step : value.last_step;
    trial->status = SLI_SWEEP_DONE;
    return;
  }
  sli_string_t tags = {0};
  sli_sweep_metric_append_tags(slot->metric, &tags);
  free(trial->problem);
  trial->problem =
      sli_format("it has no value of '%s', neither in its output nor as a scalar of an event file in {dir}%s%s",
                 run->sweep->metric, tags.size ? "; the scalars there are " : "", sli_string_text(&tags));
  trial->status = SLI_SWEEP_FAILED;
  sli_string_deinitialize(&tags);
}

// Writes what TensorBoard shows. A failure is reported, but loses nothing.
static void write_events(run_t *run, slot_t *slot) {
  sli_status_t *status = sli_sweep_hparams_write_trial(run->sweep, slot->trial, slot->started_wall);
  if (status)
    sli_cli_fail(0, "trial %zu: its events for TensorBoard cannot be written: %s", slot->trial->number,
                 sli_status_message(status));
  sli_status_release(status);
}

// After a run on other hosts: whether these could not be reached, and there are others for the trial. Sets them aside
// if that happened several times in a row. ssh, and 'launch' for it, end with a code of their own then.
static bool is_lost(run_t *run, slot_t *slot) {
  size_t others = 0;
  for (size_t i = 0; i < run->count; i++) others += &run->slots[i] != slot && !run->slots[i].is_aside;
  if (!slot->place || slot->trial->exit_code != SLI_LAUNCH_EXIT_HOST_LOST) {
    slot->lost = 0;
    return false;
  }
  if (!others) return false;
  slot->is_aside = ++slot->lost >= MAX_LOST;
  char *line = last_line(slot->output);
  sli_sweep_show_clear();
  if (slot->is_aside)
    sli_cli_fail(0, "%s: set aside, as %d trials in a row ended with exit code %d there; the last line: %s",
                 slot->place->hosts, MAX_LOST, SLI_LAUNCH_EXIT_HOST_LOST, line);
  free(line);
  return true;
}

static void end_trial(run_t *run, slot_t *slot, int wait_status) {
  sli_sweep_trial_t *trial = slot->trial;
  bool asked = slot->kill_at != SLI_CLOCK_NO_DEADLINE && !slot->timed_out;
  bool good = WIFEXITED(wait_status) && WEXITSTATUS(wait_status) == 0 && !slot->timed_out;
  trial->exit_code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
  trial->seconds += (double)(sli_clock_now_nanos() - slot->started) / 1e9;
  trial->status = SLI_SWEEP_WAITING;
  if (asked) {  // it is run again when the sweep continues, also if it ended with 0, perhaps too early
  } else if (!slot->timed_out && is_lost(run, slot)) {  // it waits for the next place
  } else if (good) {
    take_metric(run, slot);
  } else if (!slot->timed_out && trial->exit_code >= SLI_CLI_RETRY && trial->restarts < run->options->max_restarts) {
    trial->restarts++;
  } else {
    fail_trial(slot, wait_status, run->options);
  }
  if (trial->status != SLI_SWEEP_WAITING) {
    write_events(run, slot);
    if (run->live) sli_sweep_show_clear();
    if (!run->options->quiet && (!run->live || trial->status == SLI_SWEEP_FAILED))
      sli_sweep_show_end(run->sweep, trial);
    sli_sweep_judge(run->sweep);  // may give it the next budget
    save(run);
  }
  free_slot(slot);
}

// Reaps children: trials, and orphans that they left.
static void reap(run_t *run) {
  for (;;) {
    siginfo_t info = {0};
    if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return;
    slot_t *slot = NULL;
    for (size_t i = 0; i < run->count; i++)
      if (run->slots[i].trial && run->slots[i].pid == info.si_pid) slot = &run->slots[i];
    // While it is a zombie its group cannot be another's.
    if (slot) signal_group(slot, SIGKILL);
    int wait_status;
    if (waitpid(info.si_pid, &wait_status, 0) == info.si_pid && slot) end_trial(run, slot, wait_status);
  }
}

static void check_deadlines(run_t *run) {
  int64_t now = sli_clock_now_nanos();
  for (size_t i = 0; i < run->count; i++) {
    slot_t *slot = &run->slots[i];
    if (!slot->trial) continue;
    if (now >= slot->kill_at) {
      signal_group(slot, SIGKILL);
      slot->kill_at = after(KILL_SECONDS);
    } else if (slot->kill_at == SLI_CLOCK_NO_DEADLINE && run->options->timeout > 0 &&
               (double)(now - slot->started) / 1e9 >= run->options->timeout) {
      slot->timed_out = true;
      signal_group(slot, SIGTERM);
      slot->kill_at = after(run->options->stop_grace);
    }
  }
}

// --- The loop ---

static void send_all(run_t *run, int number) {
  for (size_t i = 0; i < run->count; i++)
    if (run->slots[i].trial) signal_group(&run->slots[i], number);
}

static void on_signal(run_t *run, int number) {
  if (number == SIGCHLD) return;
  if (number == SIGTSTP || number == SIGCONT) {
    send_all(run, number);
  } else if (run->signal) {
    send_all(run, SIGKILL);
  } else {
    run->signal = number;
    stop(run, 128 + number);
  }
}

static void poll_once(run_t *run) {
  struct pollfd set[] = {{.fd = run->guard->signals, .events = POLLIN}, {.fd = run->guard->lifeline, .events = POLLIN}};
  if (poll(set, SLI_ARRAY_COUNT_OF(set), POLL_MILLIS) <= 0) return;
  struct signalfd_siginfo info;
  while (set[0].revents && read(run->guard->signals, &info, sizeof(info)) == sizeof(info))
    on_signal(run, (int)info.ssi_signo);
  if (!set[1].revents) return;
  // The command that the user started was killed.
  sli_process_kill_descendants(after(KILL_SECONDS));
  _exit(128 + SIGKILL);
}

static void draw(run_t *run) {
  int64_t now = sli_clock_now_nanos();
  if (!run->live || run->options->quiet || now - run->drawn_at < SECOND / 2) return;
  run->drawn_at = now;
  sli_sweep_running_t *running = sli_calloc(run->count, sizeof(*running));
  size_t count = 0;
  for (size_t i = 0; i < run->count; i++) {
    slot_t *slot = &run->slots[i];
    if (!slot->trial) continue;
    sli_sweep_metric_update(slot->metric, false);
    running[count++] = (sli_sweep_running_t){.trial = slot->trial,
                                             .seconds = (double)(now - slot->started) / 1e9,
                                             .value = sli_sweep_metric_value(slot->metric)};
  }
  sli_sweep_show_live(run->sweep, running, count);
  free(running);
}

static bool is_running(const run_t *run) {
  for (size_t i = 0; i < run->count; i++)
    if (run->slots[i].trial) return true;
  return false;
}

// The hosts of slot |index| of |count|: every |count|-th, or one, if there are fewer hosts than slots.
static sli_sweep_place_t make_place(const sli_sweep_run_options_t *options, size_t index, size_t count) {
  sli_string_t hosts = {0}, cpus = {0};
  const sli_launch_host_list_t *list = &options->hosts;
  size_t first = index % list->count;
  for (size_t i = first; i < list->count; i += count) {
    const sli_launch_host_t *host = &list->items[i];
    sli_string_append_format(&hosts, "%s%s", i == first ? "" : ",", host->name);
    if (host->slots && !options->slurm) sli_string_append_format(&hosts, ":%d", host->slots);
    sli_string_append_format(&cpus, "%s%d", i == first ? "" : ",", host->cpus ? host->cpus : 1);
  }
  sli_sweep_place_t place = {.hosts = sli_string_take(&hosts), .first = sli_strdup(list->items[first].name)};
  if (options->slurm) place.cpus = sli_strdup(cpus.data);
  sli_string_deinitialize(&cpus);
  return place;
}

int sli_sweep_run(sli_sweep_t *sweep, const sli_sweep_run_options_t *options, const sli_launch_guard_t *guard) {
  run_t run = {.sweep = sweep,
               .options = options,
               .guard = guard,
               .count = (size_t)options->parallel,
               .live = isatty(STDOUT_FILENO) && sli_cli_colours(STDOUT_FILENO)};
  run.slots = sli_calloc(run.count, sizeof(*run.slots));
  sli_sweep_place_t *places = sli_calloc(run.count, sizeof(*places));
  for (size_t i = 0; i < run.count && options->hosts.count; i++) {
    places[i] = make_place(options, i, run.count);
    run.slots[i].place = &places[i];
  }
  sli_sweep_judge(sweep);
  save(&run);
  for (;;) {
    start_trials(&run);
    if (!is_running(&run)) break;
    draw(&run);
    poll_once(&run);
    reap(&run);
    check_deadlines(&run);
  }
  sli_sweep_show_clear();
  if (run.stopping) save(&run);
  sli_process_kill_descendants(after(KILL_SECONDS));
  for (size_t i = 0; i < run.count; i++) sli_sweep_place_deinitialize(&places[i]);
  free(places);
  free(run.slots);
  return run.exit_code;
}
