#include "tests/train/cluster.h"

#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/process.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/sluice.h"

enum { PATIENCE_MILLIS = 100000, MAX_ARGUMENTS = 32 };

// --- Clusters ---

void train_cluster_initialize(train_cluster_t *cluster, const char *name, int ps, int workers,
                              const char *const *flags) {
  *cluster = (train_cluster_t){.name = sli_strdup(name), .ps_count = ps, .worker_count = workers, .flags = flags};
  cluster->directory = sli_format("%s/%s", sli_test_temporary_dir(), name);
  SLI_EXPECT_OK(sli_file_make_directories(cluster->directory));
  for (int i = 0; i < ps + workers; i++) {
    cluster->ports[i] = sli_test_free_port();
    cluster->tasks[i] = (train_task_t){.is_ps = i < ps, .index = i < ps ? i : i - ps};
  }
}

void train_cluster_deinitialize(train_cluster_t *cluster) {
  for (int i = 0; i < cluster->ps_count + cluster->worker_count; i++)
    if (cluster->tasks[i].pid) train_task_signal(&cluster->tasks[i], SIGKILL);
  free(cluster->directory);
  free(cluster->name);
}

train_task_t *train_ps(train_cluster_t *cluster, int index) { return &cluster->tasks[index]; }
train_task_t *train_worker(train_cluster_t *cluster, int index) { return &cluster->tasks[cluster->ps_count + index]; }

static char *hosts(const train_cluster_t *cluster, const char *flag, int first, int count) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "--%s=", flag);
  for (int i = first; i < first + count; i++)
    sli_string_append_format(&text, "%s%s:%d", i > first ? "," : "",
                             cluster->hosts[i] ? cluster->hosts[i] : "127.0.0.1", cluster->ports[i]);
  return sli_string_take(&text);
}

static char *output_path(const train_cluster_t *cluster, const train_task_t *task) {
  return sli_format("%s/%s-%d.txt", cluster->directory, task->is_ps ? "ps" : "worker", task->index);
}

void train_task_start(train_cluster_t *cluster, train_task_t *task) {
  char *arguments[] = {hosts(cluster, "ps_hosts", 0, cluster->ps_count),
                       hosts(cluster, "worker_hosts", cluster->ps_count, cluster->worker_count),
                       sli_format("--job_name=%s", task->is_ps ? "ps" : "worker"),
                       sli_format("--task_index=%d", task->index), sli_format("--log_dir=%s/logs", cluster->directory)};
  char *argv[MAX_ARGUMENTS] = {"/proc/self/exe"};
  size_t count = 1;
  char *join = sli_format("--join=127.0.0.1:%d", cluster->ports[0]);
  if (cluster->joins) argv[count++] = join;
  size_t first = cluster->joins ? 4 : cluster->ps_count ? 0 : 1;
  for (size_t i = first; i < SLI_ARRAY_COUNT_OF(arguments); i++) argv[count++] = arguments[i];
  for (size_t i = 0; cluster->flags && cluster->flags[i] && count + 1 < MAX_ARGUMENTS; i++)
    argv[count++] = (char *)cluster->flags[i];
  char *path = output_path(cluster, task);
  int output = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  setenv(TRAIN_TASK_MARK, "1", 1);
  signal(SIGINT, SIG_DFL);
  SLI_EXPECT_OK(sli_process_start(
      &(sli_process_options_t){.argv = argv, .output = output, .error = output, .parent_death_signal = SIGKILL},
      &task->pid));
  unsetenv(TRAIN_TASK_MARK);
  close(output);
  task->starts++;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(arguments); i++) free(arguments[i]);
  free(join);
  free(path);
}

void train_cluster_start(train_cluster_t *cluster) {
  for (int i = 0; i < cluster->ps_count + cluster->worker_count; i++) train_task_start(cluster, &cluster->tasks[i]);
}

// True if it has ended.
static bool reap(train_task_t *task, int flags) {
  int status = 0;
  if (waitpid(task->pid, &status, flags) == 0) return false;
  task->code = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  task->pid = 0;
  return true;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL); }

void train_task_wait(train_cluster_t *cluster, train_task_t *task) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  while (task->pid && !reap(task, WNOHANG)) {
    nap();
    if (sli_clock_now_nanos() < deadline) continue;
    char *said = train_task_output(cluster, task);
    sli_test_fail(__FILE__, __LINE__, "%s: %s %d does not end; it said:\n%s", cluster->name,
                  task->is_ps ? "ps" : "worker", task->index, said);
    free(said);
    train_task_signal(task, SIGKILL);
  }
}

bool train_task_has_ended(train_task_t *task) {
  nap();
  return !task->pid || reap(task, WNOHANG);
}

void train_task_signal(train_task_t *task, int number) {
  if (!task->pid) return;
  kill(task->pid, number);
  if (number == SIGKILL) reap(task, 0);
}

bool train_task_catches(const train_task_t *task, int number) {
  char *path = sli_format("/proc/%d/status", (int)task->pid);
  sli_string_t text = {0};
  sli_status_release(sli_file_read_whole(path, 1 << 16, &text));
  const char *caught = strstr(sli_string_text(&text), "SigCgt:");
  bool catches = caught && (strtoull(caught + strlen("SigCgt:"), NULL, 16) >> (number - 1) & 1);
  sli_string_deinitialize(&text);
  free(path);
  return catches;
}

void train_cluster_expect_success(train_cluster_t *cluster) { train_cluster_expect_success_without(cluster, NULL); }

void train_cluster_expect_success_without(train_cluster_t *cluster, const train_task_t *gone) {
  int count = cluster->ps_count + cluster->worker_count;
  for (int i = count; i-- > 0;)
    if (&cluster->tasks[i] != gone) train_task_wait(cluster, &cluster->tasks[i]);
  for (int i = 0; i < count; i++) {
    const train_task_t *task = &cluster->tasks[i];
    if (task == gone || task->code == 0) continue;
    char *said = train_task_output(cluster, task);
    sli_test_fail(__FILE__, __LINE__, "%s: %s %d ended with %d; it said:\n%s", cluster->name,
                  task->is_ps ? "ps" : "worker", task->index, task->code, said);
    free(said);
  }
}

char *train_task_output(const train_cluster_t *cluster, const train_task_t *task) {
  char *path = output_path(cluster, task);
  sli_string_t text = {0};
  sli_status_release(sli_file_read_whole(path, 1 << 24, &text));
  free(path);
  return sli_string_take(&text);
}

bool train_task_expect(train_cluster_t *cluster, train_task_t *task, const char *text) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (;;) {
    char *said = train_task_output(cluster, task);
    bool found = strstr(said, text);
    bool late = !found && sli_clock_now_nanos() >= deadline;
    if (late)
      sli_test_fail(__FILE__, __LINE__, "%s: %s %d did not say \"%s\" but:\n%s", cluster->name,
                    task->is_ps ? "ps" : "worker", task->index, text, said);
    free(said);
    if (found || late) return found;
    nap();
  }
}

double train_task_number(const train_cluster_t *cluster, const train_task_t *task, const char *key) {
  char *said = train_task_output(cluster, task), *found = NULL;
  for (char *at = strstr(said, key); at; at = strstr(at + 1, key)) found = at;
  double number = found ? strtod(found + strlen(key), NULL) : NAN;
  if (!found) sli_test_fail(__FILE__, __LINE__, "%s: there is no \"%s\" in:\n%s", cluster->name, key, said);
  free(said);
  return number;
}

void train_cluster_end(const train_cluster_t *cluster) {
  char *path = sli_format("%s/logs.end", cluster->directory);
  FILE *file = fopen(path, "w");
  SLI_EXPECT(file != NULL);
  if (file) fclose(file);
  free(path);
}

static int count_reports(const train_cluster_t *cluster, const train_task_t *task) {
  char *said = train_task_output(cluster, task);
  int count = 0;
  for (const char *at = said; (at = strstr(at, "local step ")); at++) count++;
  free(said);
  return count;
}

void train_task_expect_progress(train_cluster_t *cluster, train_task_t *task) {
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  int before = count_reports(cluster, task);
  while (count_reports(cluster, task) < before + 2 && sli_clock_now_nanos() < deadline) nap();
  if (count_reports(cluster, task) < before + 2) sli_test_fail(__FILE__, __LINE__, "%s: no progress", cluster->name);
}

long train_cluster_checkpoint(const train_cluster_t *cluster) {
  char *directory = sli_format("%s/logs", cluster->directory), *path = sl_latest_checkpoint(directory);
  char *dash = path ? strrchr(path, '-') : NULL;
  long step = dash ? strtol(dash + 1, NULL, 10) : -1;
  free(path);
  free(directory);
  return step;
}

// --- A task: fits y = 2 x0 - x1 + 0.5, with noise, by gradient descent ---

bool train_is_task(void) { return getenv(TRAIN_TASK_MARK) != NULL; }

static struct {
  const char *log_dir;
  bool until_told;
  int64_t steps, save_steps, step_millis, slow_worker, slow_millis, leaver, mute;
  int aggregate, total;
  bool sync, strict, all_reduce, blind_ps, sharded, supervisor, standing, background;
  double stall_secs, leave_secs, wait_secs;
} flags = {.steps = 100, .slow_worker = -1, .leaver = -1, .mute = -1, .wait_secs = 50};

static const sl_flag_t options[] = {
    SL_FLAG(flags, log_dir, "where checkpoints go"),
    SL_FLAG(flags, steps, "global steps"),
    SL_FLAG(flags, save_steps, "steps between checkpoints"),
    SL_FLAG(flags, step_millis, "how long a step takes at least"),
    SL_FLAG(flags, slow_worker, "the worker that takes slow_millis instead"),
    SL_FLAG(flags, slow_millis, "how long it takes"),
    SL_FLAG(flags, leaver, "the worker that leaves after its first step"),
    SL_FLAG(flags, mute, "the worker that gives one gradient as Python's do, and then nothing"),
    SL_FLAG(flags, aggregate, "gradients per step"),
    SL_FLAG(flags, total, "replicas"),
    SL_FLAG(flags, sync, "synchronous"),
    SL_FLAG(flags, strict, "one gradient from each worker"),
    SL_FLAG(flags, all_reduce, "without ps tasks"),
    SL_FLAG(flags, stall_secs, "seconds until a stall is reported"),
    SL_FLAG(flags, leave_secs, "seconds until a missing worker is not waited for"),
    SL_FLAG(flags, wait_secs, "the longest wait for other tasks"),
    SL_FLAG(flags, blind_ps, "a ps does not see the directory of checkpoints"),
    SL_FLAG(flags, sharded, "a saver of the program's own, sharded"),
    SL_FLAG(flags, supervisor, "with a Supervisor"),
    SL_FLAG(flags, background, "checkpoints in the background"),
    SL_FLAG(flags, until_told, "the chief ends the job when the test has called train_cluster_end"),
    SL_FLAG(flags, standing, "a ps that does not end with the job"),
    SL_FLAGS_END,
};

enum { BATCH = 32 };

static float noise(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (float)(*state >> 40) / (float)(1 << 24) * 2 - 1;
}

static void make_batch(uint64_t *state, float *x, float *y) {
  for (int i = 0; i < BATCH; i++) {
    x[2 * i] = noise(state);
    x[2 * i + 1] = noise(state);
    y[i] = 2 * x[2 * i] - x[2 * i + 1] + 0.5f + 0.1f * noise(state);
  }
}

typedef struct {
  TF_Output x, y, loss, step;
  TF_Operation *train;
} model_t;

static model_t build_placed(sl_scope_t *g, sl_server_t *server, sl_optimizer_t **out_sync) {
  model_t model = {0};
  TF_Output step = model.step = sl_global_step(g);
  model.x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 2), .name = "x");
  model.y = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 1), .name = "y");
  TF_Output w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(2, 1), .initializer = SL_ZEROS);
  TF_Output b = sl_get_variable(g, "b", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ZEROS);
  TF_Output error = sl_subtract(g, sl_add(g, sl_matmul(g, model.x, w), b), model.y);
  model.loss = sl_mean(g, sl_square(g, error), .name = "loss");
  sl_optimizer_t *optimizer = sl_momentum(g, 0.05, 0.5);
  if (flags.sync)
    *out_sync = optimizer = sl_sync_replicas(g, optimizer, server, .replicas_to_aggregate = flags.aggregate,
                                             .total_num_replicas = flags.total, .strict = flags.strict,
                                             .stall_secs = flags.stall_secs, .leave_secs = flags.leave_secs);
  if (flags.all_reduce) optimizer = sl_all_reduce_optimizer(g, optimizer, server);
  model.train = sl_minimize(g, optimizer, model.loss, .global_step = step);
  return model;
}

static model_t build(sl_scope_t *g, sl_server_t *server, sl_optimizer_t **out_sync) {
  model_t model = {0};
  if (flags.all_reduce)
    SL_DEVICE (g, sl_server_device(server)) model = build_placed(g, server, out_sync);
  else
    SL_DEVICE (g, sl_replica_device_setter(server)) model = build_placed(g, server, out_sync);
  return model;
}

// Mounts an empty directory over |directory|, for this process only.
static bool hide(const char *directory) {
  sli_status_release(sli_file_make_directories(directory));
  return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
         mount("none", directory, "tmpfs", 0, NULL) == 0;
}

// Runs one step, or without a target only fetches the global step and the loss of a batch.
static void run_batch(TF_Session *session, const model_t *model, uint64_t *random, const TF_Operation *target,
                      int64_t *out_step, float *out_loss, TF_Status *status) {
  float batch[3 * BATCH];
  make_batch(random, batch, batch + 2 * BATCH);
  TF_Output inputs[] = {model->x, model->y}, outputs[] = {model->step, model->loss};
  const int64_t shapes[2][2] = {{BATCH, 2}, {BATCH, 1}};
  TF_Tensor *fed[2], *results[2] = {0};
  for (int i = 0; i < 2; i++) {
    size_t size = (size_t)(shapes[i][0] * shapes[i][1]) * sizeof(float);
    fed[i] = TF_AllocateTensor(TF_FLOAT, shapes[i], 2, size);
    memcpy(TF_TensorData(fed[i]), i ? batch + 2 * BATCH : batch, size);
  }
  TF_SessionRun(session, NULL, inputs, fed, 2, outputs, results, 2, &target, target != NULL, NULL, status);
  if (TF_GetCode(status) == TF_OK) {
    *out_step = *(int64_t *)TF_TensorData(results[0]);
    *out_loss = *(float *)TF_TensorData(results[1]);
  }
  for (int i = 0; i < 2; i++) {
    TF_DeleteTensor(fed[i]);
    if (results[i]) TF_DeleteTensor(results[i]);
  }
}

// The same training with a Supervisor.
static int supervise(sl_scope_t *g, sl_server_t *server, const model_t *model, const sl_optimizer_t *optimizer) {
  const sl_sync_replicas_info_t *sync = optimizer ? sl_sync_replicas_info(optimizer) : NULL;
  bool is_chief = sl_server_is_chief(server);
  sl_scaffold_t scaffold = SL_SCAFFOLD();
  if (sync) {
    scaffold.local_init_op = is_chief ? sync->chief_init_op : sync->local_step_init_op;
    scaffold.ready_for_local_init_op = sync->ready_for_local_init_op;
  }
  sl_supervisor_t *supervisor = sl_supervisor(g, .server = server, .logdir = flags.log_dir, .save_model_secs = 0.05,
                                              .max_wait_secs = flags.wait_secs, .scaffold = &scaffold);
  TF_Status *status = TF_NewStatus();
  uint64_t random = 77 + (uint64_t)sl_server_task_index(server), fixed = 1;
  int64_t step = 0;
  float loss = NAN;
  TF_Session *session = sl_supervisor_prepare_or_wait_for_session(supervisor, status);
  if (session && sync && is_chief) {
    const TF_Operation *tokens = sync->init_tokens_op;
    sl_supervisor_start_queue_runner(supervisor, sync->chief_queue_runner);
    TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &tokens, 1, NULL, status);
  }
  if (session && TF_GetCode(status) == TF_OK) run_batch(session, model, &random, NULL, &step, &loss, status);
  fprintf(stderr, "%s, first step %lld\n", sl_supervisor_is_chief(supervisor) ? "chief" : "not the chief",
          (long long)step);
  while (session && TF_GetCode(status) == TF_OK && !sl_supervisor_should_stop(supervisor) && step < flags.steps) {
    run_batch(session, model, &random, model->train, &step, &loss, status);
    nanosleep(&(struct timespec){.tv_nsec = flags.step_millis * 1000000}, NULL);
  }
  // The chief may have ended the job in the meantime, or closed the queue of tokens.
  bool over =
      (sl_supervisor_should_stop(supervisor) && TF_GetCode(status) != TF_OK) || TF_GetCode(status) == TF_OUT_OF_RANGE;
  if (session && TF_GetCode(status) == TF_OK) run_batch(session, model, &fixed, NULL, &step, &loss, status);
  if (TF_GetCode(status) == TF_OK) fprintf(stderr, "final step=%lld loss=%.6f\n", (long long)step, loss);
  if (over) TF_SetStatus(status, TF_OK, "");
  bool failed = TF_GetCode(status) != TF_OK;
  if (failed) fprintf(stderr, "%s\n", TF_Message(status));
  int code = sl_supervisor_stop(supervisor, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  if (failed) code = 1;
  TF_DeleteStatus(status);
  sl_supervisor_release(supervisor);
  sl_scope_release(g);
  sl_server_release(server);
  return code;
}

static bool is_told_to_end(void) {
  char *path = sli_format("%s.end", flags.log_dir);
  bool is_told = sli_file_exists(path);
  free(path);
  return is_told;
}

// Runs the nodes that a TensorFlow worker has, without those that record the gradient.
static int give_one_silently(sl_scope_t *g, sl_server_t *server, const model_t *model) {
  TF_Graph *graph = sl_scope_graph(g);
  TF_Operation *both[] = {TF_GraphOperationByName(graph, "sync_replicas/ResourceAccumulatorApplyGradient"),
                          TF_GraphOperationByName(graph, "sync_replicas/ResourceAccumulatorApplyGradient_1")};
  TF_Operation *give = sl_group(g, both, 2);
  sl_session_manager_t *manager = sl_session_manager(g, NULL, .server = server, .max_wait_secs = 50);
  TF_Status *status = TF_NewStatus();
  TF_Session *session = sl_session_manager_wait_for_session(manager, status);
  uint64_t random = 78;
  int64_t step = 0;
  float loss = NAN;
  if (session) run_batch(session, model, &random, give, &step, &loss, status);
  fprintf(stderr, "gave a gradient: %s\n", TF_GetCode(status) == TF_OK ? "yes" : TF_Message(status));
  pause();  // until the test ends it
  return 1;
}

int train_task_main(int argc, char **argv) {
  bool is_ps = false;
  for (int i = 1; i < argc; i++) is_ps = is_ps || strcmp(argv[i], "--job_name=ps") == 0;
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "A task of a test");
  if (is_ps && flags.blind_ps && !hide(flags.log_dir)) return TRAIN_NOT_PERMITTED;
  sl_server_t *server = sl_server_start(cluster);             // after the mount, so that its threads see it, too
  if (sl_server_is(server, "ps") && flags.standing) pause();  // until the test ends it
  if (sl_server_is(server, "ps")) return sl_server_join(server);
  sl_scope_t *g = sl_graph_scope();
  sl_optimizer_t *sync = NULL;
  model_t model = build(g, server, &sync);
  if (flags.supervisor) return supervise(g, server, &model, sync);
  if (sl_server_task_index(server) == flags.mute) return give_one_silently(g, server, &model);
  sl_scaffold_t scaffold = SL_SCAFFOLD(.saver = flags.sharded ? sl_saver(g, .sharded = true) : NULL);
  const sl_session_options_t *wanted =
      SL_OPTIONS(sl_session_options_t, .checkpoint_dir = flags.log_dir, .stop_at_step = flags.steps,
                 .progress = model.loss, .log_steps = 20, .save_checkpoint_steps = flags.save_steps,
                 .max_wait_secs = flags.wait_secs, .scaffold = &scaffold, .save_in_background = flags.background);
  sl_session_t *session = flags.all_reduce ? sl_all_reduce_session_with(g, server, wanted)
                                           : sl_monitored_training_session_with(g, server, wanted);
  int own = sl_server_task_index(server);
  uint64_t random = 77 + (uint64_t)own;
  float x[2 * BATCH], y[BATCH];
  bool first = true;
  while (!sl_should_stop(session)) {
    make_batch(&random, x, y);
    int64_t step = sl_session_step(session);
    if (!sl_run(session, SL_FEED(model.x, x, BATCH, 2), SL_FEED(model.y, y, BATCH, 1), SL_TARGET(model.train))) break;
    if (first) fprintf(stderr, "first step %lld\n", (long long)step);
    first = false;
    if (own == flags.leaver || (flags.until_told && own == 0 && is_told_to_end())) sl_request_stop(session);
    if (sl_session_step(session) < step) fprintf(stderr, "fell to step %lld\n", (long long)sl_session_step(session));
    int64_t millis = own == flags.slow_worker ? flags.slow_millis : flags.step_millis;
    nanosleep(&(struct timespec){.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000}, NULL);
  }
  uint64_t fixed = 1;
  float loss = NAN;
  make_batch(&fixed, x, y);
  if (sl_run(session, SL_FEED(model.x, x, BATCH, 2), SL_FEED(model.y, y, BATCH, 1), SL_FETCH(model.loss, &loss)))
    fprintf(stderr, "final step=%lld loss=%.6f\n", (long long)sl_session_step(session), loss);
  TF_Status *status = TF_NewStatus();
  if (sync && sl_session_handle(session)) {
    sl_replica_counts_t counts = sl_sync_replicas_counts(sync, sl_session_handle(session), own, status);
    fprintf(stderr, "own accepted=%lld stale=%lld\n", (long long)counts.accepted, (long long)counts.stale);
  }
  TF_DeleteStatus(status);
  return sl_session_close(session);
}
