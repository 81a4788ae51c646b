// Training by all-reduce whose workers join and leave (--min_workers), in separate processes: the group is formed anew
// without a restart of the others, nobody loses a step, and all end with the same variables.
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/sluice.h"
#include "tests/train/peers.h"

enum { WORKERS = 4, PATIENCE_MILLIS = 100000 };

static struct {
  const char *log_dir;
  int compression;
} flags;

static const sl_flag_t options[] = {
    SL_FLAG(flags, log_dir, "for checkpoints"),
    SL_FLAG(flags, compression, "of gradients"),
    SL_FLAGS_END,
};

// ---- A worker --------------------------------------------------------------------

// Half the squared distance from this worker's target, and some rows, of which each worker has another number.
static TF_Output build_loss(sl_scope_t *g, int index) {
  TF_Output w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(2, 2), .initializer = SL_CONSTANT(index));
  TF_Output table = sl_get_variable(g, "table", TF_FLOAT, SL_SHAPE(5, 2), .initializer = SL_CONSTANT(index + 1));
  static const int64_t ids[WORKERS] = {0, 1, 2, 3};
  TF_Output away = sl_subtract(g, w, sl_scalar(g, TF_FLOAT, index));
  TF_Output rows = sl_embedding_lookup(g, table, sl_constant(g, TF_INT64, SL_SHAPE(index + 1), ids));
  TF_Output parts[] = {sl_sum(g, sl_multiply(g, away, away)), sl_sum(g, sl_multiply(g, rows, rows))};
  return sl_add_n(g, ((sl_outputs_t){2, parts}));
}

static bool is_told(void) {
  char *path = sli_format("%s.end", flags.log_dir);
  bool told = sli_file_exists(path);
  free(path);
  return told;
}

static int worker_main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options);
  sl_server_t *server = sl_server_start(cluster);
  sl_scope_t *g = sl_graph_scope();
  TF_Output step, sum, ends, told;
  TF_Operation *train;
  SL_DEVICE (g, sl_server_device(server)) {
    step = sl_global_step(g);
    told = sl_placeholder(g, TF_INT32, SL_SHAPE());
    sl_optimizer_t *optimizer = sl_all_reduce_optimizer(g, sl_momentum(g, 0.01, 0.5), server,
                                                        .compression = (sl_compression_t)flags.compression);
    train = sl_minimize(g, optimizer, build_loss(g, sl_server_task_index(server)), .global_step = step);
    // They end at the same step.
    ends = sl_all_reduce(g, told, server, .kind = SL_ALL_REDUCE_MAX);
    SL_VARIABLE_SCOPE (g, "", .reuse = SL_REUSE)
      sum = sl_add(g, sl_sum(g, sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(2, 2))),
                   sl_sum(g, sl_get_variable(g, "table", TF_FLOAT, SL_SHAPE(5, 2))));
  }
  sl_session_t *session =
      sl_all_reduce_session(g, server, .max_wait_secs = 100, .checkpoint_dir = flags.log_dir,
                            .save_checkpoint_steps = 20, .save_checkpoint_secs = 0, .log_steps = -1);
  int64_t before = 0;
  while (!sl_should_stop(session)) {
    int64_t at = 0;
    int32_t is_end = 0, own = is_told();
    if (!sl_run(session, SL_TARGET(train), SL_FEED(told, &own), SL_FETCH(step, &at), SL_FETCH(ends, &is_end))) continue;
    if (at < before) fprintf(stderr, "fell from step %lld to %lld\n", (long long)before, (long long)at);
    before = at;
    if (is_end) break;
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  float last = 0;
  int64_t at = 0;
  if (sl_run(session, SL_FETCH(sum, &last), SL_FETCH(step, &at)))
    fprintf(stderr, "end step=%lld sum=%a\n", (long long)at, (double)last);
  int code = sl_session_close(session);
  sl_scope_release(g);
  sl_server_release(server);
  return code;
}

static const peers_role_t roles[] = {{"worker", worker_main}, {NULL, NULL}};

// ---- The test --------------------------------------------------------------------

typedef struct {
  char *hosts, *log_dir, *extra;
  peer_t workers[WORKERS];
} job_t;

static job_t job_create(const char *name, const char *extra) {
  sli_string_t hosts = {0};
  for (int i = 0; i < WORKERS; i++)
    sli_string_append_format(&hosts, "%slocalhost:%d", i ? "," : "--worker_hosts=", sli_test_free_port());
  return (job_t){.hosts = sli_string_take(&hosts),
                 .log_dir = sli_format("--log_dir=%s/%s", sli_test_temporary_dir(), name),
                 .extra = sli_strdup(extra)};
}

static void job_destroy(job_t *job) {
  for (int i = 0; i < WORKERS; i++) peers_stop(&job->workers[i]);
  free(job->hosts);
  free(job->log_dir);
  free(job->extra);
}

static void start(job_t *job, int index) {
  char *number = sli_format("--task_index=%d", index);
  peers_stop(&job->workers[index]);
  PEERS_START(&job->workers[index], "worker", job->hosts, "--job_name=worker", number, "--min_workers=2", job->log_dir,
              job->extra);
  free(number);
}

// Waits until the worker's last message about the group says that it has |size| members.
static void expect_size(job_t *job, int index, int size) {
  char *wanted = sli_format("the gradients of %d worker", size);
  int64_t deadline = sli_clock_deadline_after_millis(PATIENCE_MILLIS);
  for (bool found = false; !found;) {
    char *said = peers_output(&job->workers[index]), *last = NULL;
    for (char *at = said; (at = strstr(at, "the gradients of ")); at++) last = at;
    found = last && strncmp(last, wanted, strlen(wanted)) == 0;
    if (!found && sli_clock_now_nanos() >= deadline) {
      sli_test_fail(__FILE__, __LINE__, "worker %d did not say \"%s\" at last but:\n%s", index, wanted, said);
      found = true;
    }
    free(said);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  free(wanted);
}

static void lose(job_t *job, int index, int signal) {
  kill(job->workers[index].pid, signal);
  if (signal == SIGTERM) peers_expect_code(&job->workers[index], 0);
  if (signal == SIGTERM) peers_expect(&job->workers[index], "leaves the job at global step ");
  peers_wait(&job->workers[index]);
}

// The workers in |ends|, up to -1, end together.
static void end(job_t *job, const int *ends) {
  char *path = sli_format("%s.end", job->log_dir + strlen("--log_dir="));
  FILE *file = fopen(path, "w");
  SLI_EXPECT(file != NULL);
  if (file) fclose(file);
  char *first = NULL;
  for (; *ends >= 0; ends++) {
    peer_t *worker = &job->workers[*ends];
    peers_expect_code(worker, 0);
    char *said = peers_output(worker), *result = strstr(said, "end step=");
    if (!result) sli_test_fail(__FILE__, __LINE__, "worker %d did not say its result but:\n%s", *ends, said);
    if (strstr(said, "fell from")) sli_test_fail(__FILE__, __LINE__, "worker %d lost steps:\n%s", *ends, said);
    if (result && !first) first = sli_strdup(result);
    if (result) SLI_EXPECT_TEXT(result, first);
    free(said);
  }
  char *latest = sl_latest_checkpoint(job->log_dir + strlen("--log_dir="));
  char *dash = latest ? strrchr(latest, '-') : NULL;
  // The last step is saved, by the first member.
  SLI_EXPECT_INT(dash ? strtol(dash + 1, NULL, 10) : -1, first ? strtol(first + strlen("end step="), NULL, 10) : 0);
  free(latest);
  free(first);
  free(path);
}

SLI_TEST(test_workers_are_lost_leave_and_join) {
  job_t job = job_create("changes", "--compression=0");
  for (int i = 0; i < 3; i++) start(&job, i);
  for (int i = 0; i < 3; i++) expect_size(&job, i, 3);
  lose(&job, 2, SIGKILL);
  for (int i = 0; i < 2; i++) expect_size(&job, i, 2);
  start(&job, 3);
  for (int i = 0; i < 2; i++) expect_size(&job, i, 3);
  expect_size(&job, 3, 3);
  lose(&job, 1, SIGTERM);
  expect_size(&job, 0, 2);
  expect_size(&job, 3, 2);
  end(&job, (int[]){0, 3, -1});
  job_destroy(&job);
}

// The first worker forms the group and saves: others take over both.
SLI_TEST(test_the_first_worker_is_lost_and_comes_back) {
  job_t job = job_create("first", "--compression=2");
  for (int i = 0; i < 3; i++) start(&job, i);
  for (int i = 0; i < 3; i++) expect_size(&job, i, 3);
  lose(&job, 0, SIGKILL);
  for (int i = 1; i < 3; i++) expect_size(&job, i, 2);
  peers_expect(&job.workers[1], "this one saves");
  start(&job, 0);
  for (int i = 0; i < 3; i++) expect_size(&job, i, 3);
  end(&job, (int[]){0, 1, 2, -1});
  job_destroy(&job);
}

PEERS_TEST_MAIN(roles, test_workers_are_lost_leave_and_join, test_the_first_worker_is_lost_and_comes_back)
