// The supervisor: one thread, one poll() loop, no signal handlers.
//
//   running ──all but ps ended──▶ lingering ──all ended or ps grace over──▶ stopping ──▶ swept
//      └──── a task failed that is needed, a signal, the timeout, the launcher has ended ────▶ stopping
//
// A stop has stages, so that no work is lost: the workers save and end while the chief and the ps tasks still run, then
// the chief saves, which needs the ps tasks, and these end last. Each stage has the stop grace. A trainer in stock
// TensorFlow does not save after a signal; but it does at the end of its input, so a ps is asked to end that first.
//
// The processes of tasks on this machine are our children (launch_process.h), those on another host are children of its
// agent, which does there what we do here when we say so (launch_link.h). The job runs until all have ended.
#include "cli/launch/launch_job.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "cli/common/cli.h"
#include "cli/launch/launch_discovery.h"
#include "cli/launch/launch_output.h"
#include "cli/launch/launch_process.h"
#include "sluice/cluster.h"

enum { EXIT_TIMEOUT = 124, EXIT_SIGNAL = 128 };
enum { READ_LIMIT = 1 << 18 };

static const double FIRST_BACKOFF = 0.5, LONGEST_BACKOFF = 30;
// Wrappers such as timeout(1) send a signal to us and to our group: these count as one signal.
static const double REPEATED_SIGNAL = 0.3;
static const double SWEEP_LIMIT = 5;
// How often it looks whether there are more or fewer places for workers.
static const double LOOK_EVERY = 0.5;
// How long a step may still run after the input of its trainer has ended.
static const double INTERRUPT_AFTER = 2;

typedef enum { TASK_WAITING, TASK_RUNNING, TASK_ENDED } task_state_t;

typedef struct {
  sli_launch_task_t *plan;
  task_state_t state;
  pid_t pid;         // also the number of its process group; 0: not running, or on another host
  bool far_ended;    // on another host: its first process has ended
  bool far_left;     // on another host: processes of its group are left
  int code, signal;  // of the process that ended last
  bool begun;        // was started at least once
  bool asked;        // we have asked it to end
  bool given_up;     // it failed, and the job goes on without it
  bool input_ended;  // we have asked a ps to end its input, and sent no signal yet
  int restarts;
  int64_t start_at;  // if WAITING: time of the next start
  int64_t began, ended;
  sli_launch_log_t log;
  sli_launch_stream_t output, error;
} task_t;

typedef enum { PHASE_RUNNING, PHASE_LINGERING, PHASE_STOPPING } phase_t;

// The stages of a stop, in their order.
typedef enum { STAGE_WORKERS, STAGE_CHIEF, STAGE_PS, STAGE_COUNT } stage_t;

typedef struct {
  const sli_launch_job_options_t *options;
  const sli_launch_guard_t *guard;
  task_t *tasks;
  size_t count;
  sli_launch_remotes_t *remotes;
  bool asked_remotes;  // to end when nothing is left
  phase_t phase;
  stage_t stage;    // if STOPPING: these tasks and those of earlier stages were asked to end
  int stop_signal;  // if STOPPING: what they are sent
  int exit_code;
  task_t *culprit;  // the first task that failed
  int64_t timeout_at, linger_until, kill_at, give_up_at, signalled_at;
  int64_t interrupt_at, hurry_at;     // if STOPPING: when steps of trainers whose input has ended are ended, and when
                                      // these are sent the signal
  bool killed;                        // SIGKILL was sent to all
  bool abandoned;                     // the launcher has ended: nobody reads our output
  sli_launch_discovery_t *discovery;  // NULL: the number of workers does not change
  int places;                         // for workers
  size_t orphans;                     // children that are not the first process of a task, as counted last
  sli_launch_sink_t out, err;
} job_t;

// --- Helpers ---

static int64_t after(double seconds) {
  if (!(seconds < 1e9)) return SLI_CLOCK_NO_DEADLINE;
  return sli_clock_now_nanos() + (int64_t)(seconds * 1e9);
}

static bool is_ps(const task_t *task) { return !strcmp(task->plan->job, "ps"); }
static bool failed(const task_t *task) { return task->code != 0 || task->signal != 0; }
static int exit_code_of(const task_t *task) { return task->signal ? EXIT_SIGNAL + task->signal : task->code; }

// The host of a task that is not on this machine; NULL for the others.
static sli_launch_remote_t *remote_of(const job_t *job, const task_t *task) {
  return task->plan->host < 0 ? NULL : &job->remotes->items[task->plan->host];
}

// "exit code 3" or "SIGSEGV (Segmentation fault)".
static char *describe_end(const task_t *task) {
  if (!task->signal) return sli_format("exit code %d", task->code);
  const char *name = sigabbrev_np(task->signal), *text = sigdescr_np(task->signal);
  if (!name) return sli_format("signal %d", task->signal);
  return sli_format("SIG%s (%s)", name, text ? text : "?");
}

// True if all tasks, or all but the ps, have ended.
static bool all_ended(const job_t *job, bool but_ps) {
  for (size_t i = 0; i < job->count; i++)
    if (job->tasks[i].state != TASK_ENDED && !(but_ps && is_ps(&job->tasks[i]))) return false;
  return true;
}

static bool has_only_ps(const job_t *job) {
  for (size_t i = 0; i < job->count; i++)
    if (!is_ps(&job->tasks[i])) return false;
  return true;
}

static stage_t stage_of(const job_t *job, const task_t *task) {
  if (is_ps(task)) return STAGE_PS;
  if (!strcmp(task->plan->job, "chief")) return STAGE_CHIEF;
  if (strcmp(task->plan->job, "worker") != 0 || task->plan->index != 0) return STAGE_WORKERS;
  for (size_t i = 0; i < job->count; i++)
    if (!strcmp(job->tasks[i].plan->job, "chief")) return STAGE_WORKERS;
  return STAGE_CHIEF;
}

static void append_running_names(const job_t *job, stage_t stage, sli_string_t *out) {
  size_t before = out->size;
  for (size_t i = 0; i < job->count; i++)
    if (job->tasks[i].state != TASK_ENDED && (stage == STAGE_COUNT || stage_of(job, &job->tasks[i]) == stage))
      sli_string_append_format(out, "%s%s", out->size > before ? ", " : "", job->tasks[i].plan->name);
}

static char *running_names(const job_t *job) {
  sli_string_t names = {0};
  append_running_names(job, STAGE_COUNT, &names);
  return sli_string_take(&names);
}

// --- Stopping ---

// Sends a signal to the process group of the task, if it has one.
static void signal_group(job_t *job, task_t *task, int number) {
  sli_launch_remote_t *remote = remote_of(job, task);
  if (remote && (task->state == TASK_RUNNING || task->far_left))
    sli_launch_remote_signal(remote, (size_t)(task - job->tasks), number);
  if (task->pid) kill(-task->pid, number);
}

static void signal_groups(job_t *job, int number) {
  for (size_t i = 0; i < job->count; i++) signal_group(job, &job->tasks[i], number);
}

// Visits orphans of the tasks of this machine.
static void visit_orphans(job_t *job, int number) {
  SLI_ARRAY(pid_t) known = {0};
  for (size_t i = 0; i < job->count; i++)
    if (job->tasks[i].pid) sli_array_push(&known, job->tasks[i].pid);
  for (size_t i = 0; i < job->remotes->count; i++)
    if (job->remotes->items[i].pid) sli_array_push(&known, job->remotes->items[i].pid);
  job->orphans = sli_launch_process_visit_orphans(known.items, known.count, number);
  sli_array_deinitialize(&known);
}

static void end_task(task_t *task) {
  task->state = TASK_ENDED;
  task->ended = sli_clock_now_nanos();
}

// Marks the running tasks as stopped by us.
static void mark_stopped(job_t *job) {
  for (size_t i = 0; i < job->count; i++)
    if (job->tasks[i].state == TASK_RUNNING) job->tasks[i].asked = true;
}

// Ends those that wait for a restart.
static void forget_restarts(job_t *job) {
  for (size_t i = 0; i < job->count; i++)
    if (job->tasks[i].state == TASK_WAITING) end_task(&job->tasks[i]);
}

// Asks the first ps to end the input of |task|. Returns whether it is a trainer in stock TensorFlow that has a session
// there. A training step uses every ps.
static bool end_input(const job_t *job, const task_t *task, bool interrupt) {
  enum { REPLY_MILLIS = 500 };
  const char *ps = NULL;
  for (size_t i = 0; i < job->count && !ps; i++)
    if (is_ps(&job->tasks[i]) && job->tasks[i].state == TASK_RUNNING) ps = job->tasks[i].plan->address;
  if (!ps || is_ps(task) || !task->plan->address || task->state != TASK_RUNNING) return false;
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *found = sl_cluster_status(task->plan->address, REPLY_MILLIS, 0, status);
  bool is_stock = found && !found->is_sluice;
  sl_task_status_free(found);
  char *name = sli_format("/job:%s/replica:0/task:%d", task->plan->job, task->plan->index);
  bool ended = is_stock && sl_cluster_end_input(ps, name, interrupt, REPLY_MILLIS, status) > 0;
  free(name);
  TF_DeleteStatus(status);
  return ended;
}

static void signal_task(job_t *job, task_t *task, int number) {
  if (task->state == TASK_RUNNING) task->asked = true;
  task->input_ended = false;
  signal_group(job, task, number);
}

static void signal_stage(job_t *job, int number) {
  for (size_t i = 0; i < job->count; i++)
    if (stage_of(job, &job->tasks[i]) == job->stage) signal_task(job, &job->tasks[i], number);
}

// Asks the tasks of the stage to end. Many that do not reply must not keep the others.
static void ask_stage(job_t *job) {
  int64_t patient_until = after(INTERRUPT_AFTER);
  for (size_t i = 0; i < job->count; i++) {
    task_t *task = &job->tasks[i];
    if (stage_of(job, task) != job->stage) continue;
    task->input_ended = sli_clock_now_nanos() < patient_until && end_input(job, task, false);
    if (task->input_ended)
      task->asked = true;
    else
      signal_task(job, task, job->stop_signal);
  }
}

// Trainers whose input has ended and that do not end: at first their steps are ended, later they get the signal.
static void hurry_stage(job_t *job) {
  int64_t now = sli_clock_now_nanos();
  bool interrupt = now >= job->interrupt_at, hurry = now >= job->hurry_at;
  if (interrupt) job->interrupt_at = SLI_CLOCK_NO_DEADLINE;
  if (hurry) job->hurry_at = SLI_CLOCK_NO_DEADLINE;
  for (size_t i = 0; i < job->count && (interrupt || hurry); i++) {
    task_t *task = &job->tasks[i];
    if (!task->input_ended || task->state != TASK_RUNNING) continue;
    if (interrupt && sli_clock_now_nanos() - now < (int64_t)(INTERRUPT_AFTER * 1e9)) end_input(job, task, true);
    if (hurry) signal_task(job, task, job->stop_signal);
  }
}

// Whether a process of a task of this stage is left, though its first process may have ended: the trainer that a shell
// script runs outlives the script and saves.
static bool is_stage_over(const job_t *job) {
  for (size_t i = 0; i < job->count; i++) {
    const task_t *task = &job->tasks[i];
    if (stage_of(job, task) != job->stage) continue;
    if (task->state != TASK_ENDED || task->far_left) return false;
    if (task->pid && sli_launch_process_is_group_left(task->pid)) return false;
  }
  return true;
}

static void begin_stage(job_t *job, stage_t stage) {
  job->stage = stage;
  ask_stage(job);
  job->kill_at = after(job->options->stop_grace);
  job->hurry_at = after(job->options->stop_grace / 2);
  job->interrupt_at = after(fmin(INTERRUPT_AFTER, job->options->stop_grace / 4));
  if (stage == STAGE_PS) visit_orphans(job, job->stop_signal);
}

// Goes on to the stages that are due. Tasks that did not end in their time are killed, so that the next can still save.
static void advance_stop(job_t *job) {
  while (job->stage < STAGE_PS && !job->killed) {
    bool over = is_stage_over(job);
    if (!over && sli_clock_now_nanos() < job->kill_at) return;
    if (!over) signal_stage(job, SIGKILL);
    begin_stage(job, job->stage + 1);
  }
}

// Begins to stop all tasks with the signal |number|. Does nothing if that has begun.
static void stop(job_t *job, int number) {
  if (job->phase == PHASE_STOPPING) return;
  job->phase = PHASE_STOPPING;
  job->stop_signal = number;
  forget_restarts(job);
  begin_stage(job, STAGE_WORKERS);
  advance_stop(job);
}

static void kill_all(job_t *job) {
  job->phase = PHASE_STOPPING;
  job->kill_at = SLI_CLOCK_NO_DEADLINE;
  job->give_up_at = after(SWEEP_LIMIT);
  job->killed = true;
  forget_restarts(job);
  mark_stopped(job);
  signal_groups(job, SIGKILL);
  visit_orphans(job, SIGKILL);
  for (size_t i = 0; i < job->remotes->count; i++)
    sli_launch_link_send(&job->remotes->items[i].link, SLI_LAUNCH_FRAME_KILL, 0, NULL, 0);
}

// --- Starting ---

static sli_status_t *start_process(job_t *job, task_t *task) {
  sli_launch_remote_t *remote = remote_of(job, task);
  int output = -1, error = -1;
  if (remote) {
    sli_launch_remote_start(remote, task->plan, (size_t)(task - job->tasks), job->options->directory);
    task->far_ended = false;
    task->far_left = true;
  } else {
    sli_launch_process_options_t options = {.name = task->plan->name,
                                            .argv = task->plan->argv,
                                            .environment = task->plan->environment,
                                            .mask = &job->guard->inherited_mask};
    SLI_RETURN_IF_ERROR(sli_launch_process_start(&options, &task->pid, &output, &error));
  }
  sli_launch_stream_open(&task->output, output, &job->out, &task->log);
  sli_launch_stream_open(&task->error, error, &job->err, &task->log);
  return NULL;
}

static void on_start_failed(job_t *job, task_t *task, int code, const char *message) {
  end_task(task);
  task->code = code;
  sli_launch_sink_notice(&job->err, "%s: %s", task->plan->label, message);
  if (job->phase != PHASE_STOPPING) job->exit_code = code;
  stop(job, SIGTERM);
}

static void start_task(job_t *job, task_t *task) {
  sli_launch_task_set_restarts(task->plan, task->restarts);
  sli_status_t *status = start_process(job, task);
  if (!task->begun) task->began = sli_clock_now_nanos();
  task->begun = true;
  if (!status) {
    task->state = TASK_RUNNING;
    task->code = task->signal = 0;
    return;
  }
  on_start_failed(job, task, sli_launch_process_start_code(status), sli_status_message(status));
  sli_status_release(status);
}

static void start_due_tasks(job_t *job) {
  for (size_t i = 0; i < job->count; i++) {
    task_t *task = &job->tasks[i];
    if (task->state == TASK_WAITING && task->start_at <= sli_clock_now_nanos()) start_task(job, task);
  }
}

// --- Tasks that end ---

// Kills what is left of the task's process group.
static void release_group(job_t *job, task_t *task) {
  sli_launch_remote_t *remote = remote_of(job, task);
  sli_launch_stream_close(&task->output);
  sli_launch_stream_close(&task->error);
  if (remote) sli_launch_link_send(&remote->link, SLI_LAUNCH_FRAME_RELEASE, (size_t)(task - job->tasks), NULL, 0);
  if (task->pid) sli_launch_process_release(task->pid);
  task->pid = 0;
}

// Restarts a task that was killed by a signal or that ended with 128 or above, unless it has no restarts left.
static bool try_restart(job_t *job, task_t *task) {
  bool retryable = task->signal || task->code >= EXIT_SIGNAL;
  const sli_launch_remote_t *remote = remote_of(job, task);
  if (job->phase == PHASE_STOPPING || !retryable || task->restarts >= job->options->max_restarts) return false;
  if (remote && remote->lost) return false;
  double delay = fmin(FIRST_BACKOFF * exp2(task->restarts), LONGEST_BACKOFF);
  task->restarts++;
  task->state = TASK_WAITING;
  task->start_at = after(delay);
  release_group(job, task);
  if (!job->options->quiet) {
    char *end = describe_end(task);
    sli_launch_sink_notice(&job->err, "%s ended with %s; restart %d of %lld in %g s", task->plan->name, end,
                           task->restarts, (long long)job->options->max_restarts, delay);
    free(end);
  }
  return true;
}

// Whether the job can do without the task, and shall.
static bool is_spared(const job_t *job, const task_t *task) {
  return job->options->keep_going && stage_of(job, task) == STAGE_WORKERS;
}

static void go_on_without(job_t *job, task_t *task) {
  bool first = true;
  for (size_t i = 0; i < job->count; i++) first = first && !job->tasks[i].given_up;
  task->given_up = true;
  if (job->options->dead_fail && first) job->exit_code = exit_code_of(task);
  char *end = describe_end(task);
  sli_launch_sink_notice(&job->err, "%s ended with %s; the job goes on without it", task->plan->name, end);
  free(end);
}

static void on_failure(job_t *job, task_t *task) {
  job->culprit = task;
  job->exit_code = exit_code_of(task);
  stop(job, SIGTERM);
}

// Of tasks that ended at the same time, a crash is a likelier cause than an exit code, and a ps than a worker.
static bool likelier_cause(const task_t *task, const task_t *than) {
  if (!than) return true;
  if ((task->signal != 0) != (than->signal != 0)) return task->signal != 0;
  return is_ps(task) && !is_ps(than);
}

static bool has_ended(task_t *task) {
  if (task->plan->host >= 0) return task->far_ended;
  return sli_launch_process_has_ended(task->pid, &task->code, &task->signal);
}

static void look_for_ends(job_t *job) {
  task_t *cause = NULL;
  for (size_t i = 0; i < job->count; i++) {
    task_t *task = &job->tasks[i];
    if (task->state != TASK_RUNNING || !has_ended(task)) continue;
    end_task(task);
    sli_launch_stream_read(&task->output, READ_LIMIT);
    sli_launch_stream_read(&task->error, READ_LIMIT);
    // Also stop the processes of its group that it left behind.
    if (job->phase != PHASE_STOPPING) signal_group(job, task, SIGTERM);
    if (!failed(task) || task->asked || try_restart(job, task) || job->phase == PHASE_STOPPING) continue;
    if (is_spared(job, task)) {
      go_on_without(job, task);
      continue;
    }
    if (likelier_cause(task, cause)) cause = task;
  }
  if (cause) on_failure(job, cause);
  visit_orphans(job, 0);
}

// --- Workers that join and leave ---

static bool is_extra(const job_t *job, const task_t *task) {
  return job->discovery && !strcmp(task->plan->job, "worker") && task->plan->index >= job->places;
}

// Asks workers for which there is no place any more to leave, and starts others.
static void follow_places(job_t *job) {
  int places = job->discovery && job->phase == PHASE_RUNNING ? sli_launch_discovery_places(job->discovery) : -1;
  if (places < 0) return;
  int most = 0;
  for (size_t i = 0; i < job->count; i++) most += !strcmp(job->tasks[i].plan->job, "worker");
  if (places < job->options->min_workers) places = (int)job->options->min_workers;
  if (places > most) places = most;
  if (places == job->places) return;
  sli_launch_sink_notice(&job->err, "there are places for %d workers now, before there were %d", places, job->places);
  job->places = places;
  for (size_t i = 0; i < job->count; i++) {
    task_t *task = &job->tasks[i];
    if (strcmp(task->plan->job, "worker") != 0) continue;
    bool is_away = task->state == TASK_ENDED && (!task->begun || task->asked);
    if (is_extra(job, task) && task->state == TASK_RUNNING && !task->asked) signal_task(job, task, SIGTERM);
    if (is_extra(job, task) || !is_away) continue;
    release_group(job, task);
    task->asked = false;
    task->state = TASK_WAITING;
    task->start_at = sli_clock_now_nanos();
  }
}

// --- Phases and timers ---

static void linger(job_t *job) {
  job->phase = PHASE_LINGERING;
  job->linger_until = after(job->options->ps_grace);
  if (job->options->quiet || !isatty(job->err.fd)) return;
  char *names = running_names(job);
  sli_launch_sink_notice(&job->err, "all workers are done; waiting up to %g s for %s", job->options->ps_grace, names);
  free(names);
}

static void on_timeout(job_t *job) {
  char *names = running_names(job);
  sli_launch_sink_notice(&job->err, "timed out after %g s; still running: %s", job->options->timeout, names);
  free(names);
  job->timeout_at = SLI_CLOCK_NO_DEADLINE;
  job->exit_code = EXIT_TIMEOUT;
  stop(job, SIGTERM);
}

static void update_phase(job_t *job) {
  int64_t now = sli_clock_now_nanos();
  if (job->phase == PHASE_RUNNING && all_ended(job, true) && !all_ended(job, false) && !has_only_ps(job)) linger(job);
  if (job->phase != PHASE_STOPPING &&
      (all_ended(job, false) || (job->phase == PHASE_LINGERING && now >= job->linger_until)))
    stop(job, SIGTERM);
  if (job->phase != PHASE_STOPPING && now >= job->timeout_at) on_timeout(job);
  if (job->phase == PHASE_STOPPING) hurry_stage(job);
  if (job->phase == PHASE_STOPPING) advance_stop(job);
  if (job->phase == PHASE_STOPPING && sli_clock_now_nanos() >= job->kill_at) kill_all(job);
}

static bool is_any_remote_left(const job_t *job) {
  for (size_t i = 0; i < job->remotes->count; i++)
    if (!job->remotes->items[i].link.ended) return true;
  return false;
}

// When all tasks have ended, the agents wait for the processes that these left behind, and end.
static void ask_remotes_to_end(job_t *job) {
  if (job->asked_remotes || job->phase != PHASE_STOPPING || !all_ended(job, false)) return;
  job->asked_remotes = true;
  for (size_t i = 0; i < job->remotes->count; i++)
    sli_launch_link_send(&job->remotes->items[i].link, SLI_LAUNCH_FRAME_QUIT, (size_t)job->stop_signal, NULL, 0);
}

// Whether all have ended, or hang in the kernel where SIGKILL has no effect.
static bool is_over(const job_t *job) {
  if (job->killed && sli_clock_now_nanos() >= job->give_up_at) return true;
  return job->phase == PHASE_STOPPING && all_ended(job, false) && !is_any_remote_left(job) &&
         (job->orphans == 0 || job->killed);
}

static int milliseconds_to_next(job_t *job) {
  int64_t next = job->phase == PHASE_STOPPING ? job->kill_at : job->timeout_at;
  if (job->phase == PHASE_STOPPING && job->interrupt_at < next) next = job->interrupt_at;
  if (job->phase == PHASE_STOPPING && job->hurry_at < next) next = job->hurry_at;
  if (job->killed) next = job->give_up_at;
  if (job->phase == PHASE_LINGERING && job->linger_until < next) next = job->linger_until;
  for (size_t i = 0; i < job->count; i++)
    if (job->tasks[i].state == TASK_WAITING && job->tasks[i].start_at < next) next = job->tasks[i].start_at;
  for (size_t i = 0; i < job->remotes->count; i++) {
    if (job->remotes->items[i].link.ended) continue;
    int64_t due = sli_launch_link_keep_alive(&job->remotes->items[i].link);
    if (due < next) next = due;
  }
  if (job->discovery && job->phase == PHASE_RUNNING && after(LOOK_EVERY) < next) next = after(LOOK_EVERY);
  if (next == SLI_CLOCK_NO_DEADLINE) return -1;
  int64_t left = (next - sli_clock_now_nanos()) / 1000000 + 1;
  return left < 0 ? 0 : left > 60000 ? 60000 : (int)left;
}

// --- Events ---

// Tells who ends when, and how to hurry.
static void announce_stop(job_t *job, int number) {
  sli_string_t names = {0};
  for (stage_t stage = STAGE_WORKERS; stage < STAGE_COUNT; stage++) {
    sli_string_t group = {0};
    append_running_names(job, stage, &group);
    if (group.size) sli_string_append_format(&names, "%s%s", names.size ? ", then " : "", sli_string_text(&group));
    sli_string_deinitialize(&group);
  }
  if (names.size)
    sli_launch_sink_notice(&job->err, "SIG%s: stopping %s; each may take %g s to save and end (repeat to kill them)",
                           sigabbrev_np(number), sli_string_text(&names), job->options->stop_grace);
  sli_string_deinitialize(&names);
}

static void on_signal(job_t *job, int number) {
  switch (number) {
    case SIGCHLD: return;  // look_for_ends() follows
    case SIGTSTP: signal_groups(job, SIGSTOP); return;
    case SIGCONT: signal_groups(job, SIGCONT); return;
    default: break;
  }
  int64_t now = sli_clock_now_nanos();
  if (!job->signalled_at) {
    job->signalled_at = now;
    if (!job->options->quiet) announce_stop(job, number);
    if (job->phase != PHASE_STOPPING) job->exit_code = EXIT_SIGNAL + number;
    // A trainer saves after SIGINT and SIGTERM. When a terminal is closed it should, too.
    stop(job, number == SIGHUP ? SIGTERM : number);
  } else if (now - job->signalled_at > (int64_t)(REPEATED_SIGNAL * 1e9)) {
    kill_all(job);
  }
}

static void read_signals(job_t *job) {
  struct signalfd_siginfo info;
  while (read(job->guard->signals, &info, sizeof(info)) == sizeof(info)) on_signal(job, (int)info.ssi_signo);
}

static void on_launcher_gone(job_t *job) {
  job->abandoned = job->out.gone = job->err.gone = true;
  job->exit_code = EXIT_SIGNAL + SIGKILL;
  kill_all(job);
}

// --- Other hosts ---

static void on_frame(job_t *job, sli_launch_remote_t *remote, const sli_launch_frame_t *frame) {
  const char *text = NULL;
  if (frame->type == SLI_LAUNCH_FRAME_SIGNALLED) {
    int number = (int)frame->number;
    if (number <= 0 || !sigabbrev_np(number)) return;
    sli_launch_sink_notice(&job->err, "the agent on %s received SIG%s", remote->host->name, sigabbrev_np(number));
    if (job->phase != PHASE_STOPPING) on_signal(job, number);
    return;
  }
  task_t *task = frame->number < job->count ? &job->tasks[frame->number] : NULL;
  if (!task || remote_of(job, task) != remote) return;
  switch (frame->type) {
    case SLI_LAUNCH_FRAME_OUTPUT: sli_launch_stream_take(&task->output, frame->data, frame->size); return;
    case SLI_LAUNCH_FRAME_ERROR: sli_launch_stream_take(&task->error, frame->data, frame->size); return;
    case SLI_LAUNCH_FRAME_ALONE: task->far_left = false; return;
    case SLI_LAUNCH_FRAME_ENDED:
      if (task->state != TASK_RUNNING) return;
      task->far_ended = true;
      task->code = sli_launch_frame_next_number(frame, &text);
      task->signal = text ? sli_launch_frame_next_number(frame, &text) : 0;
      return;
    case SLI_LAUNCH_FRAME_FAILED: {
      if (task->state != TASK_RUNNING) return;
      int code = sli_launch_frame_next_number(frame, &text);
      const char *message = text ? sli_launch_frame_next_text(frame, text) : NULL;
      task->far_left = false;
      on_start_failed(job, task, code, message ? message : "could not be started");
      return;
    }
    default: return;
  }
}

// The host's tasks are gone, or will be when its agent notices.
static void on_remote_ended(job_t *job, sli_launch_remote_t *remote, const char *why) {
  bool expected = job->asked_remotes || job->killed;
  sli_launch_remote_close(remote);
  remote->lost = !expected;
  if (!expected)
    sli_launch_sink_notice(&job->err, "lost the host %s: %s; its tasks count as failed", remote->host->name, why);
  for (size_t i = 0; i < job->count; i++) {
    task_t *task = &job->tasks[i];
    if (remote_of(job, task) != remote) continue;
    task->far_left = false;
    if (task->state != TASK_RUNNING || task->far_ended) continue;
    task->far_ended = true;
    task->code = job->killed ? 0 : SLI_LAUNCH_EXIT_HOST_LOST;
    task->signal = job->killed ? SIGKILL : 0;
  }
}

static void poll_remotes(job_t *job, const struct pollfd *polled, bool reads) {
  for (size_t i = 0; i < job->remotes->count; i++, polled += 3) {
    sli_launch_remote_t *remote = &job->remotes->items[i];
    if (remote->link.ended) continue;
    if (polled[0].revents) sli_launch_link_read(&remote->link);
    if (polled[1].revents) sli_launch_remote_read_error(remote, &job->err.queue);
    if (polled[2].revents) sli_launch_link_write(&remote->link);
    // While nobody reads what we show, we do not listen.
    if (!reads) remote->link.heard_at = sli_clock_now_nanos();
    sli_launch_frame_t frame;
    bool ended = remote->link.ended;
    remote->link.ended = false;
    while (sli_launch_link_next(&remote->link, &frame)) on_frame(job, remote, &frame);
    if (ended || remote->link.ended)
      on_remote_ended(job, remote, "the connection ended");
    else if (sli_launch_link_is_silent(&remote->link))
      on_remote_ended(job, remote, "it does not reply");
  }
}

// --- One round ---

typedef SLI_ARRAY(struct pollfd) poll_set_t;

static bool pushes_remotes(job_t *job, poll_set_t *set) {
  bool reads = !sli_launch_sink_is_full(&job->out) && !sli_launch_sink_is_full(&job->err);
  for (size_t i = 0; i < job->remotes->count; i++) {
    sli_launch_remote_t *remote = &job->remotes->items[i];
    bool writes = sli_launch_link_has_output(&remote->link);
    sli_array_push(set, (struct pollfd){.fd = reads ? remote->link.in : -1, .events = POLLIN});
    sli_array_push(set, (struct pollfd){.fd = reads ? remote->error : -1, .events = POLLIN});
    sli_array_push(set, (struct pollfd){.fd = writes ? remote->link.out : -1, .events = POLLOUT});
  }
  return reads;
}

// The streams to poll, in the order of the tasks, without those whose sink is full.
static size_t collect_streams(job_t *job, sli_launch_stream_t **out_streams) {
  size_t count = 0;
  for (size_t i = 0; i < job->count; i++) {
    sli_launch_stream_t *pair[] = {&job->tasks[i].output, &job->tasks[i].error};
    for (size_t j = 0; j < 2; j++)
      if (pair[j]->fd >= 0 && !sli_launch_sink_is_full(pair[j]->sink)) out_streams[count++] = pair[j];
  }
  return count;
}

// Waits for one round of events and handles them.
static void poll_once(job_t *job, poll_set_t *set, sli_launch_stream_t **streams) {
  sli_launch_sink_t *sinks[] = {&job->out, &job->err};
  size_t stream_count = collect_streams(job, streams);
  set->count = 0;
  sli_array_push(set, (struct pollfd){.fd = job->guard->signals, .events = POLLIN});
  sli_array_push(set, (struct pollfd){.fd = job->abandoned ? -1 : job->guard->lifeline, .events = POLLIN});
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(sinks); i++)
    sli_array_push(set,
                   (struct pollfd){.fd = sli_launch_sink_is_empty(sinks[i]) ? -1 : sinks[i]->fd, .events = POLLOUT});
  for (size_t i = 0; i < stream_count; i++)
    sli_array_push(set, (struct pollfd){.fd = streams[i]->fd, .events = POLLIN});
  int patience = milliseconds_to_next(job);
  size_t before = set->count;
  bool reads = pushes_remotes(job, set);
  if (poll(set->items, set->count, patience) < 0) return;
  for (size_t i = 0; i < stream_count; i++)
    if (set->items[4 + i].revents) sli_launch_stream_read(streams[i], 1);
  poll_remotes(job, set->items + before, reads);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(sinks); i++)
    if (set->items[2 + i].revents) sli_launch_sink_write(sinks[i]);
  if (set->items[0].revents) read_signals(job);
  if (set->items[1].revents) on_launcher_gone(job);
}

// --- The end ---

static void sweep(job_t *job) {
  for (size_t i = 0; i < job->count; i++) release_group(job, &job->tasks[i]);
  sli_process_kill_descendants(after(SWEEP_LIMIT));
}

// Writes what is queued, however slow the reader is. After a signal or the timeout it waits at most 1 s for the reader,
// and a further signal ends it at once.
static void flush(job_t *job) {
  int patience = job->signalled_at || job->exit_code == EXIT_TIMEOUT ? 1000 : -1;
  sli_launch_sink_t *sinks[] = {&job->out, &job->err};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(sinks);) {
    if (sli_launch_sink_is_empty(sinks[i])) {
      i++;
      continue;
    }
    struct pollfd set[] = {{.fd = sinks[i]->fd, .events = POLLOUT},
                           {.fd = job->guard->signals, .events = POLLIN},
                           {.fd = job->guard->lifeline, .events = POLLIN}};
    int ready = poll(set, SLI_ARRAY_COUNT_OF(set), patience);
    if (ready == 0 || (ready < 0 && errno != EINTR)) return;
    if (set[0].revents) sli_launch_sink_write(sinks[i]);
    struct signalfd_siginfo info;
    bool got = set[1].revents && read(job->guard->signals, &info, sizeof(info)) == sizeof(info);
    if (set[2].revents || (got && info.ssi_signo != SIGCHLD && info.ssi_signo != SIGCONT)) return;
  }
}

static void report_failed(job_t *job, const task_t *task, const char *how) {
  char *end = describe_end(task);
  sli_launch_sink_notice(&job->err, "%s %s %s%s", task->plan->label, how, end,
                         task->log.line_count ? "; its last lines:" : "; it printed nothing");
  sli_launch_log_append_tail(&task->log, &job->err.queue);
  if (task->log.file_path) sli_launch_sink_notice(&job->err, "the whole log is %s", task->log.file_path);
  free(end);
}

static void report_table(job_t *job) {
  sli_string_t *text = &job->err.queue;
  bool bold = job->err.colours;
  int width = 14;
  for (size_t i = 0; i < job->count; i++)
    if ((int)strlen(job->tasks[i].plan->label) > width) width = (int)strlen(job->tasks[i].plan->label);
  sli_string_append_format(text, "%s%-*s %-8s %8s %10s%s\n", bold ? "\033[1m" : "", width, "task", "exit", "restarts",
                           "time", bold ? "\033[0m" : "");
  for (size_t i = 0; i < job->count; i++) {
    task_t *task = &job->tasks[i];
    char end[32] = "-";
    const char *name = task->signal ? sigabbrev_np(task->signal) : NULL;
    if (name) snprintf(end, sizeof(end), "SIG%s", name);
    if (!name && task->begun) snprintf(end, sizeof(end), "%d", exit_code_of(task));
    double seconds = task->begun ? (double)(task->ended - task->began) / 1e9 : 0;
    sli_string_append_format(text, "%-*s %-8s %8d %8.1f s%s\n", width, task->plan->label, end, task->restarts, seconds,
                             task == job->culprit ? "  failed first"
                             : task->given_up     ? "  died"
                             : task->asked        ? "  stopped"
                                                  : "");
  }
}

// --- The whole job ---

static sli_status_t *open_logs(job_t *job) {
  char *directory = NULL;
  sli_status_t *status = NULL;
  if (job->options->log_dir) status = sli_launch_log_make_directory(job->options->log_dir, &directory);
  for (size_t i = 0; i < job->count && !status; i++)
    status = sli_launch_log_initialize(&job->tasks[i].log, job->tasks[i].plan->label, i, directory);
  if (directory && !status && !job->options->quiet)
    sli_launch_sink_notice(&job->err, "the logs of this run are in %s", directory);
  free(directory);
  return status;
}

// On a terminal, prints the addresses of the tasks, and how to watch them.
static void announce(job_t *job) {
  if (job->options->quiet || !isatty(job->err.fd)) return;
  sli_string_t text = {0};
  for (size_t i = 0; i < job->count; i++)
    sli_string_append_format(&text, "%s%s%s%s", i ? ", " : "", job->tasks[i].plan->name,
                             job->tasks[i].plan->address ? " at " : "",
                             job->tasks[i].plan->address ? job->tasks[i].plan->address : "");
  sli_launch_sink_notice(&job->err, "%s", sli_string_text(&text));
  sli_string_deinitialize(&text);
  if (job->tasks[0].plan->address)
    sli_launch_sink_notice(&job->err, "to watch them: sluice status %s --watch", job->tasks[0].plan->address);
}

static void run_tasks(job_t *job) {
  poll_set_t set = {0};
  sli_launch_stream_t **streams = sli_calloc(2 * job->count, sizeof(*streams));
  job->timeout_at = job->options->timeout > 0 ? after(job->options->timeout) : SLI_CLOCK_NO_DEADLINE;
  for (;;) {
    follow_places(job);
    start_due_tasks(job);
    look_for_ends(job);
    update_phase(job);
    ask_remotes_to_end(job);
    if (is_over(job)) break;
    poll_once(job, &set, streams);
  }
  sweep(job);
  free(streams);
  sli_array_deinitialize(&set);
}

// Begins with the least number of workers.
static void begin_discovery(job_t *job) {
  job->places = (int)job->options->min_workers;
  job->discovery = sli_launch_discovery_start(job->options->discovery);
  for (size_t i = 0; i < job->count; i++)
    if (is_extra(job, &job->tasks[i])) job->tasks[i].state = TASK_ENDED;
}

int sli_launch_job_run(sli_launch_plan_t *plan, sli_launch_remotes_t *remotes, const sli_launch_job_options_t *options,
                       const sli_launch_guard_t *guard) {
  job_t job = {.options = options, .guard = guard, .count = plan->count, .remotes = remotes};
  job.tasks = sli_calloc(plan->count, sizeof(*job.tasks));
  for (size_t i = 0; i < plan->count; i++)
    job.tasks[i] = (task_t){.plan = &plan->tasks[i], .log.file = -1, .output.fd = -1, .error.fd = -1};
  sli_launch_sink_initialize(&job.out, STDOUT_FILENO);
  sli_launch_sink_initialize(&job.err, STDERR_FILENO);
  sli_status_t *status = open_logs(&job);
  if (status) {
    job.exit_code = sli_cli_fail(SLI_CLI_FAILED, "cannot write logs to '%s': %s; choose another --log-dir",
                                 options->log_dir, sli_status_message(status));
    sli_status_release(status);
  } else {
    announce(&job);
    if (options->discovery) begin_discovery(&job);
    run_tasks(&job);
    sli_launch_discovery_stop(job.discovery);
    for (size_t i = 0; i < job.count; i++)
      if (job.tasks[i].given_up) report_failed(&job, &job.tasks[i], "died, with");
    if (job.culprit) report_failed(&job, job.culprit, "failed first, with");
    if (!options->quiet) report_table(&job);
    if (!job.abandoned) flush(&job);
  }
  for (size_t i = 0; i < job.count; i++) sli_launch_log_deinitialize(&job.tasks[i].log);
  sli_launch_sink_deinitialize(&job.out);
  sli_launch_sink_deinitialize(&job.err);
  free(job.tasks);
  return job.exit_code;
}
