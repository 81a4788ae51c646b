#include "tests/simulate/scenario.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "io/checkpoint/bundle.h"
#include "io/checkpoint/checkpoint_state.h"
#include "tests/simulate/world.h"

enum { MAX_TASKS = 256, MAX_FAULTS = 4, PATIENCE_SECONDS = 300, MAX_WAIT_SECONDS = 90, MAX_STARTS = 25 };

typedef struct {
  bool is_ps;
  int index, host;
  world_process_t *process;  // the last one
  int starts;
  bool is_awaited;  // a launcher will start it again
  bool has_trained, was_frozen;
  int64_t acked_before;  // updates that all workers knew of when its present step began
} task_t;

typedef enum { ASYNC, SYNC, STRICT, BACKUP, MODES } kind_t;
static const char *const mode_names[] = {"asynchronous", "synchronous", "strict", "with a backup worker"};

static struct {
  task_t tasks[MAX_TASKS];
  int ps, workers;
  kind_t mode;
  int64_t steps, save_steps, step_millis, last_fault;
  char *directory, *failure;
  // What is known of the updates.
  int64_t tried, acked, recoveries;
  bool ps_was_lost, disk_was_full;
  bool is_done;  // a launcher starts no task any more
  int fault_count;
  // Who saved last, and who before.
  const world_process_t *saver, *former_saver;
} job;

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  if (vasprintf(&text, format, arguments) < 0) abort();
  va_end(arguments);
  world_note(NULL, "FAILED: %s", text);
  if (job.failure)
    free(text);
  else
    job.failure = text;
}

static int64_t draw(int64_t from, int64_t to) { return from + (int64_t)world_random((uint64_t)(to - from + 1)); }
static int task_count(void) { return job.ps + job.workers; }
static bool lives(const task_t *task) { return !world_has_ended(task->process); }

static task_t *task_of(const world_process_t *process) {
  for (int i = 0; i < task_count(); i++)
    if (job.tasks[i].process == process) return &job.tasks[i];
  return NULL;
}

// --- What the tasks report ---

// A worker's fetched value is that of the number of updates, taken during its step.
static void check_updates(const task_t *task, double value) {
  int64_t applied = (int64_t)-value;
  int64_t most = job.tried + job.recoveries;
  if (job.mode != ASYNC) {
    // A step takes so many gradients, unless workers have left.
    int64_t quorum = job.fault_count ? 1 : job.mode == BACKUP ? job.workers - 1 : job.workers;
    if (applied * quorum > most)
      fail("worker %d saw %lld updates of %lld gradients each, but only %lld were tried", task->index,
           (long long)applied, (long long)quorum, (long long)most);
    return;
  }
  if (applied > most)
    fail("worker %d saw %lld updates, but only %lld were tried: some were applied twice", task->index,
         (long long)applied, (long long)most);
  if (!job.ps_was_lost && applied < task->acked_before)
    fail("worker %d saw %lld updates, but %lld were acknowledged before its step: some are lost", task->index,
         (long long)applied, (long long)task->acked_before);
}

static void on_report(void *context, world_process_t *process, const char *what, int64_t number, double value) {
  task_t *task = task_of(process);
  if (!task) return;
  if (!strcmp(what, "try")) {
    job.tried++;
    task->acked_before = job.acked;
    task->has_trained = true;
  } else if (!strcmp(what, "done")) {
    check_updates(task, value);
    job.acked++;
  }
}

static void on_said(void *context, world_process_t *process, const char *line) {
  if (strstr(line, "starting a new session")) job.recoveries++;
  if (strstr(line, "The job is done (reported by")) job.is_done = true;
  // Of a chief that died before its first checkpoint: it cannot know that the model is its own.
  if (strstr(line, "starting anew")) job.ps_was_lost = true;
}

// The chief alone publishes checkpoints. One that was replaced must not do it again while its successor lives.
static void on_renamed(void *context, world_process_t *process, const char *path) {
  if (strcmp(path, "logs/checkpoint") != 0) return;
  if (process != job.saver) {
    if (process == job.former_saver && !world_has_ended(job.saver))
      fail("%s publishes a checkpoint, although %s has taken its place", world_name(process), world_name(job.saver));
    job.former_saver = job.saver;
    job.saver = process;
  }
}

// --- Starting ---

static char *addresses(const char *flag, int first, int count) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "--%s=", flag);
  for (int i = first; i < first + count; i++)
    sli_string_append_format(&text, "%s%s:2222", i > first ? "," : "", world_address(job.tasks[i].host));
  return sli_string_take(&text);
}

static void start(task_t *task) {
  char *argv[] = {"task",
                  addresses("ps_hosts", 0, job.ps),
                  addresses("worker_hosts", job.ps, job.workers),
                  sli_format("--job_name=%s", task->is_ps ? "ps" : "worker"),
                  sli_format("--task_index=%d", task->index),
                  sli_format("--log_dir=%s/logs", job.directory),
                  sli_format("--steps=%lld", (long long)job.steps),
                  sli_format("--save_steps=%lld", (long long)job.save_steps),
                  sli_format("--step_millis=%lld", (long long)job.step_millis),
                  sli_format("--max_wait=%d", MAX_WAIT_SECONDS),
                  sli_format("--aggregate=%d", job.mode == BACKUP ? job.workers - 1 : 0),
                  job.mode == ASYNC ? "--nosync" : "--sync",
                  job.mode == STRICT ? "--strict" : "--nostrict"};
  char name[32];
  snprintf(name, sizeof(name), "%s%d", task->is_ps ? "ps" : "worker", task->index);
  task->process = world_start(task->host, name, "simulated_trainer", SLI_ARRAY_COUNT_OF(argv), argv);
  task->starts++;
  for (size_t i = 1; i < SLI_ARRAY_COUNT_OF(argv) - 2; i++) free(argv[i]);
}

// --- Checkpoints ---

// Reads the newest checkpoint. NOT_FOUND if none was published.
static sli_status_t *read_checkpoint(int64_t *out_step, float *out_updates) {
  char *directory = sli_format("%s/logs", job.directory);
  sli_checkpoint_state_t state = {0};
  sli_bundle_reader_t *reader = NULL;
  sli_status_t *status = sli_checkpoint_state_read(directory, NULL, &state);
  if (!status && !state.model_checkpoint_path) status = sli_status_make(SLI_NOT_FOUND, "there is no checkpoint");
  if (!status) status = sli_bundle_reader_open(state.model_checkpoint_path, &reader);
  if (!status) {
    const sli_bundle_entry_t *step_entry = sli_bundle_reader_find(reader, sli_view("global_step"));
    const sli_bundle_entry_t *w_entry = sli_bundle_reader_find(reader, sli_view("w"));
    if (!step_entry || !w_entry) status = sli_status_make(SLI_NOT_FOUND, "a tensor is missing");
    if (!status) status = sli_bundle_reader_read(reader, step_entry, NULL, out_step, sizeof(*out_step));
    if (!status) status = sli_bundle_reader_read(reader, w_entry, NULL, out_updates, sizeof(*out_updates));
  }
  sli_bundle_reader_release(reader);
  sli_checkpoint_state_deinitialize(&state);
  free(directory);
  return status;
}

// What was published is whole, whatever happened to the host.
static void check_published(void) {
  int64_t step;
  float updates;
  sli_status_t *status = read_checkpoint(&step, &updates);
  if (status && sli_status_code(status) != SLI_NOT_FOUND)
    fail("a published checkpoint is damaged: %s", sli_status_message(status));
  sli_status_release(status);
}

// --- Faults ---

typedef enum { KILL, POWER, FREEZE, SLOW, CUT, DISK, CLOCK, FAULTS } fault_kind_t;

typedef struct {
  fault_kind_t kind;
  task_t *task;
  int other;  // a host
  bool one_way, returns;
  double factor;
  int64_t jump;
} fault_t;

static fault_t faults[MAX_FAULTS];

static void start_again(void *context) {
  task_t *task = context;
  if (task->is_awaited && !lives(task) && !job.is_done) start(task);
  task->is_awaited = false;
}

static void end_fault(void *context) {
  fault_t *fault = context;
  task_t *task = fault->task;
  switch (fault->kind) {
    case KILL:
    case POWER:
      if (fault->kind == POWER) world_restore_host(task->host);
      start_again(task);
      break;
    case FREEZE: world_freeze(task->process, false); break;
    case SLOW: world_slow(task->process, 1); break;
    case CUT:
      world_cut(task->host, fault->other, false);
      world_cut(fault->other, task->host, false);
      break;
    case DISK: world_fill_disk(false); break;
    default: break;
  }
}

// Whether no other worker could take its place.
static bool is_last_worker(const task_t *task) {
  for (int i = job.ps; i < task_count(); i++)
    if (&job.tasks[i] != task && lives(&job.tasks[i])) return false;
  return true;
}

static void begin_fault(void *context) {
  fault_t *fault = context;
  task_t *task = fault->task;
  if (!lives(task) && fault->kind != CUT && fault->kind != DISK) return;
  switch (fault->kind) {
    case KILL:
    case POWER:
      job.ps_was_lost |= task->is_ps;
      // One that has never trained comes back: nobody may know that it was there.
      task->is_awaited = fault->returns || is_last_worker(task) || !task->has_trained;
      if (fault->kind == KILL)
        world_kill(task->process);
      else
        world_fail_host(task->host);
      check_published();
      break;
    case FREEZE:
      task->was_frozen = true;
      world_freeze(task->process, true);
      break;
    case SLOW: world_slow(task->process, fault->factor); break;
    case CUT:
      world_cut(task->host, fault->other, true);
      if (!fault->one_way) world_cut(fault->other, task->host, true);
      break;
    case DISK:
      job.disk_was_full = true;
      world_fill_disk(true);
      break;
    default: world_jump_clock(task->host, fault->jump); break;
  }
}

static void plan_fault(fault_t *fault, bool *someone_leaves) {
  *fault = (fault_t){.kind = (fault_kind_t)world_random(FAULTS),
                     .task = &job.tasks[world_random((uint64_t)task_count())],
                     .other = job.tasks[world_random((uint64_t)task_count())].host,
                     .one_way = world_one_in(3),
                     .returns = true,
                     .factor = (double)draw(5, 300),
                     .jump = draw(-100000, 100000) * WORLD_SECOND};
  // A worker may stay away, if others remain.
  if (fault->kind <= POWER && !fault->task->is_ps && !*someone_leaves && job.workers > 2 && world_one_in(3)) {
    fault->returns = false;
    *someone_leaves = true;
  }
  static const int longest_millis[FAULTS] = {5000, 8000, 45000, 20000, 45000, 15000, 1};
  int64_t begin = world_now() + draw(20, world_one_in(3) ? 500 : 8000) * WORLD_MILLI;
  int64_t end = begin + draw(1, longest_millis[fault->kind]) * WORLD_MILLI;
  world_at(begin, begin_fault, fault);
  world_at(end, end_fault, fault);
  if (end > job.last_fault) job.last_fault = end;
}

// --- The end ---

// A launcher starts a task again that has failed, some times.
static void watch_failures(void) {
  for (int i = 0; i < task_count(); i++) {
    task_t *task = &job.tasks[i];
    if (task->is_awaited || world_exit_code(task->process) <= 0 || task->starts > MAX_STARTS || job.is_done) continue;
    task->is_awaited = true;
    world_at(world_now() + draw(1000, 3000) * WORLD_MILLI, start_again, task);
  }
}

static bool is_over(void *context) {
  watch_failures();
  for (int i = 0; i < task_count(); i++)
    if (lives(&job.tasks[i]) || job.tasks[i].is_awaited) return false;
  return true;
}

// The newest checkpoint can be read, and has as many updates as steps.
static void check_checkpoint(void) {
  int64_t step = -1;
  float updates = 0;
  sli_status_t *status = read_checkpoint(&step, &updates);
  if (status) fail("the last checkpoint cannot be restored: %s", sli_status_message(status));
  int64_t applied = (int64_t)-updates, slack = job.mode == ASYNC ? job.workers + job.recoveries : job.recoveries;
  if (!status && step < job.steps && !job.disk_was_full)
    fail("the last checkpoint is of step %lld, not %lld", (long long)step, (long long)job.steps);
  // A ps that was lost comes back with an older state than the others.
  bool is_mixed = job.ps_was_lost && job.mode == ASYNC && job.ps > 1;
  if (!status && !is_mixed && (applied > step + slack || applied < step - slack))
    fail("the checkpoint of step %lld has %lld updates", (long long)step, (long long)applied);
  sli_status_release(status);
}

static void check_end(bool is_over) {
  if (!is_over) {
    sli_string_t names = {0};
    for (int i = 0; i < task_count(); i++)
      if (lives(&job.tasks[i])) sli_string_append_format(&names, " %s", world_name(job.tasks[i].process));
    fail("%d s after the last fault these tasks still wait:%s", PATIENCE_SECONDS, sli_string_text(&names));
    sli_string_deinitialize(&names);
    return;
  }
  for (int i = 0; i < task_count(); i++) {
    const task_t *task = &job.tasks[i];
    int code = world_exit_code(task->process);
    // A task that was stopped before it met the others cannot know whether the job has ended or not begun.
    bool is_lost = task->was_frozen && !task->has_trained;
    if (code > 0 && !job.disk_was_full && task->starts == 1 && !is_lost)
      fail("%s ended with %d", world_name(task->process), code);
  }
  if (!job.failure) check_checkpoint();
}

// --- The whole ---

static void choose(const scenario_options_t *options) {
  job.ps = world_one_in(3) ? 2 : 1;
  job.workers = options->workers ? options->workers : (int)draw(2, 5);
  job.mode = (kind_t)world_random(MODES);
  if (job.mode == BACKUP && job.workers < 3) job.workers = 3;
  job.steps = draw(30, 120);
  job.save_steps = draw(5, 30);
  job.step_millis = world_one_in(4) ? 0 : draw(1, 150);
  job.directory = sli_strdup(options->directory);
  for (int i = 0; i < task_count(); i++) {
    bool is_ps = i < job.ps;
    job.tasks[i] = (task_t){.is_ps = is_ps, .index = is_ps ? i : i - job.ps, .host = world_add_host()};
  }
}

char *scenario_run(const scenario_options_t *options) {
  uint64_t chance = options->seed;
  world_options_t world = {.seed = options->seed,
                           .library = options->library,
                           .directory = options->directory,
                           .is_verbose = options->is_verbose,
                           .history = options->history,
                           .latency = 20000 + (int64_t)(chance * 7919 % 500) * 1000,
                           .jitter = (int64_t)(chance * 104729 % 3000) * 1000,
                           .late = 300 * WORLD_MILLI,
                           .late_one_in = chance % 2 ? 100 : 0,
                           .byte_weight = 1,
                           .preempt_one_in = 20 + (int)(chance % 5) * 40,
                           .socket_buffer = 64 << 10};
  world_create(&world);
  world_on_report(on_report, on_said, on_renamed, NULL);
  choose(options);
  world_note(NULL, "seed %llu: %d ps, %d workers, %s, %lld steps of %lld ms, saved every %lld",
             (unsigned long long)options->seed, job.ps, job.workers, mode_names[job.mode], (long long)job.steps,
             (long long)job.step_millis, (long long)job.save_steps);
  for (int i = 0; i < task_count(); i++) start(&job.tasks[i]);
  bool someone_leaves = false;
  job.fault_count = (int)world_random(MAX_FAULTS + 1);
  for (int i = 0; i < job.fault_count; i++) plan_fault(&faults[i], &someone_leaves);
  int64_t longest = job.steps * job.step_millis * WORLD_MILLI;
  check_end(world_run(
      is_over, NULL,
      (job.last_fault > world_now() ? job.last_fault : world_now()) + longest + PATIENCE_SECONDS * WORLD_SECOND));
  return job.failure;
}
