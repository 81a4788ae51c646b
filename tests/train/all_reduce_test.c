// Training by all-reduce in separate processes: the workers start from the chief's variables, take each step with the
// mean of their gradients, and stay equal, also after one of them was killed.
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/sluice.h"
#include "tests/train/peers.h"

enum { WORKERS = 3 };

static struct {
  int index, pause_millis, compression;
  int64_t steps, bucket_bytes, wide;
  double rate;
  const char *log_dir;
  sl_text_list_t at;
} flags = {.steps = 10, .rate = 0.5, .wide = 1000};

static const sl_flag_t options[] = {
    SL_FLAG(flags, index, "of this worker"),
    SL_FLAG(flags, at, "the workers, host:port"),
    SL_FLAG(flags, steps, "steps"),
    SL_FLAG(flags, wide, "elements of the largest variable"),
    SL_FLAG(flags, rate, "of learning"),
    SL_FLAG(flags, bucket_bytes, "of gradients that are reduced together"),
    SL_FLAG(flags, pause_millis, "after each step"),
    SL_FLAG(flags, compression, "of gradients"),
    SL_FLAG(flags, log_dir, "for checkpoints"),
    SL_FLAGS_END,
};

// Half the squared distance of |name| from this worker's target. The mean target of all workers is 3.
static TF_Output distance(sl_scope_t *g, const char *name, sl_shape_t shape) {
  static const double targets[WORKERS] = {1, 2, 6};
  TF_Output w = sl_get_variable(g, name, TF_FLOAT, shape, .initializer = SL_CONSTANT(flags.index));
  TF_Output away = sl_subtract(g, w, sl_scalar(g, TF_FLOAT, targets[flags.index]));
  return sl_multiply(g, sl_scalar(g, TF_FLOAT, 0.5), sl_sum(g, sl_multiply(g, away, away)));
}

// The sum of rows 0 to |index| of a table: the workers have different numbers of rows. Its gradient is 1 in each.
static TF_Output sum_of_rows(sl_scope_t *g) {
  TF_Output table = sl_get_variable(g, "table", TF_FLOAT, SL_SHAPE(5, 2), .initializer = SL_CONSTANT(flags.index + 1));
  int64_t count = flags.index + 1;
  static const int64_t ids[WORKERS] = {0, 1, 2};
  return sl_sum(g, sl_embedding_lookup(g, table, sl_constant(g, TF_INT64, SL_SHAPE(count), ids)));
}

static void train(sl_session_t *session, TF_Operation *target, TF_Output step) {
  while (!sl_should_stop(session)) {
    int64_t at = 0;
    if (sl_run(session, SL_TARGET(target), SL_FETCH(step, &at)) && at % 10 == 0) fprintf(stderr, "at %d\n", (int)at);
    if (flags.pause_millis) usleep((useconds_t)flags.pause_millis * 1000);
  }
}

static int worker_main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options);
  sl_task_address_t tasks[WORKERS];
  for (int i = 0; i < WORKERS; i++) tasks[i] = (sl_task_address_t){"worker", i, flags.at.items[i]};
  sl_server_t *server = sl_server_start(sl_cluster_from_tasks(tasks, WORKERS, "worker", flags.index));
  sl_scope_t *g = sl_graph_scope();
  TF_Output step, sum, rows, loss;
  TF_Operation *target;
  SL_DEVICE (g, sl_server_device(server)) {
    step = sl_global_step(g);
    TF_Output parts[] = {distance(g, "a", SL_SHAPE(3)), distance(g, "b", SL_SHAPE(2, 2)), distance(g, "c", SL_SHAPE()),
                         distance(g, "d", SL_SHAPE(flags.wide)), sum_of_rows(g)};
    loss = sl_add_n(g, ((sl_outputs_t){5, parts}));
    sl_optimizer_t *optimizer =
        sl_all_reduce_optimizer(g, sl_gradient_descent(g, flags.rate), server, .bucket_bytes = flags.bucket_bytes,
                                .compression = (sl_compression_t)flags.compression);
    target = sl_minimize(g, optimizer, loss, .global_step = step);
    SL_VARIABLE_SCOPE (g, "", .reuse = SL_REUSE) {
      sum = sl_sum(g, sl_get_variable(g, "b", TF_FLOAT, SL_SHAPE(2, 2)));
      rows = sl_sum(g, sl_get_variable(g, "table", TF_FLOAT, SL_SHAPE(5, 2)));
    }
  }
  sl_session_t *session = sl_all_reduce_session(g, server, .stop_at_step = flags.steps, .max_wait_secs = 100,
                                                .checkpoint_dir = flags.log_dir, .log_steps = -1);
  train(session, target, step);
  float last = 0, table = 0;
  if (sl_run(session, SL_FETCH(sum, &last), SL_FETCH(rows, &table)))
    fprintf(stderr, "sum=%a\nrows=%.3f\n", (double)last, (double)table);
  int code = sl_session_close(session);
  sl_scope_release(g);
  sl_server_release(server);
  return code;
}

// Becomes mpirun, which starts the workers. Its argument is their list.
static int mpi_main(int argc, char **argv) {
  char program[4096], count[8];
  ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (size < 0) return 1;
  program[size] = 0;
  snprintf(count, sizeof(count), "%d", WORKERS);
  char *command = sli_format("exec %s %s --index=$OMPI_COMM_WORLD_RANK --wide=100000", program, argv[1]);
  setenv("SLI_PEERS_ROLE", "worker", 1);
  setenv("SLUICE_COLLECTIVE", "mpi", 1);
  setenv("LD_LIBRARY_PATH", SLI_BUILD_DIR, 1);
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // MPI's own
  execlp("mpirun", "mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "btl", "vader,tcp,self", "--mca",
         "btl_tcp_if_include", "lo", "--mca", "oob_tcp_if_include", "lo", "--mca", "pml", "ob1", "--mca",
         "mpi_yield_when_idle", "1", "-np", count, "sh", "-c", command, NULL);
  return 1;
}

static const peers_role_t roles[] = {{"worker", worker_main}, {"mpi", mpi_main}, {NULL, NULL}};

// "--at=localhost:1,localhost:2". New.
static char *tasks_flag(void) {
  sli_string_t text = {0};
  for (int i = 0; i < WORKERS; i++)
    sli_string_append_format(&text, "%slocalhost:%d", i ? "," : "--at=", sli_test_free_port());
  return sli_string_take(&text);
}

static const char *const indices[WORKERS] = {"--index=0", "--index=1", "--index=2"};

// w is 0 at the chief, and each step halves its distance from 3, exactly.
// Of the table, each worker has subtracted 10 times rate / WORKERS from each of its rows, which begin with 1.
static void train_exactly(const char *bucket, const char *compression, const char *directory) {
  char *at = tasks_flag(), *log_dir = sli_format("--log_dir=%s/%s", sli_test_temporary_dir(), directory);
  char *expected = sli_format("sum=%a", 4 * 3 * (1 - 1.0 / 1024));
  peer_t workers[WORKERS];
  for (int i = 0; i < WORKERS; i++) PEERS_START(&workers[i], "worker", at, indices[i], bucket, compression, log_dir);
  for (int i = 0; i < WORKERS; i++) {
    peers_expect(&workers[i], expected);
    peers_expect(&workers[i], "rows=-10.000");
    peers_expect_code(&workers[i], 0);
    peers_stop(&workers[i]);
  }
  char *latest = sl_latest_checkpoint(log_dir + strlen("--log_dir="));
  SLI_EXPECT_CONTAINS(latest ? latest : "", "model.ckpt-10");
  free(latest);
  free(expected);
  free(log_dir);
  free(at);
}

SLI_TEST(test_workers_take_the_mean_gradient_in_one_bucket) {
  train_exactly("--bucket_bytes=0", "--compression=0", "one");
}
SLI_TEST(test_workers_take_the_mean_gradient_in_several_buckets) {
  train_exactly("--bucket_bytes=20", "--compression=0", "several");
}

// Numbers with few bits stay exact in half for some steps; in the end the workers must be equal and near.
static void train_compressed(const char *compression) {
  char *at = tasks_flag();
  peer_t workers[WORKERS];
  char *sums[WORKERS];
  for (int i = 0; i < WORKERS; i++) PEERS_START(&workers[i], "worker", at, indices[i], compression);
  for (int i = 0; i < WORKERS; i++) {
    peers_expect_code(&workers[i], 0);
    char *output = peers_output(&workers[i]), *sum = strstr(output, "sum=");
    sums[i] = sum ? sli_strndup(sum, strcspn(sum, "\n")) : sli_strdup("none");
    SLI_EXPECT_NEAR(sum ? strtod(sum + strlen("sum="), NULL) : 0, 12, 0.2);
    free(output);
    peers_stop(&workers[i]);
  }
  for (int i = 1; i < WORKERS; i++) SLI_EXPECT_TEXT(sums[i], sums[0]);
  for (int i = 0; i < WORKERS; i++) free(sums[i]);
  free(at);
}

SLI_TEST(test_workers_of_mpirun_reduce_by_mpi) {
  if (system("command -v mpirun > /dev/null") != 0 || access(SLI_BUILD_DIR "/libsluice_mpi.so", R_OK) != 0) {
    printf("skipped: reductions by MPI; libopenmpi-dev and openmpi-bin are not installed\n");
    return;
  }
  char *at = tasks_flag(), *expected = sli_format("sum=%a", 4 * 3 * (1 - 1.0 / 1024));
  peer_t job;
  PEERS_START(&job, "mpi", at);
  peers_expect_code(&job, 0);
  char *output = peers_output(&job);
  int workers = 0, mpi = 0;
  for (const char *place = output; (place = strstr(place, expected)); place++) workers++;
  for (const char *place = output; (place = strstr(place, "Collective group 1 uses MPI")); place++) mpi++;
  SLI_EXPECT_INT(workers, WORKERS);
  SLI_EXPECT_INT(mpi, WORKERS);
  free(output);
  free(expected);
  free(at);
  peers_stop(&job);
}

SLI_TEST(test_gradients_travel_as_half) { train_compressed("--compression=1"); }
SLI_TEST(test_gradients_travel_as_bfloat16) { train_compressed("--compression=2"); }

// Kills a worker and starts it again.
static void check_restart(int killed, const char *directory) {
  char *at = tasks_flag(), *log_dir = sli_format("--log_dir=%s/%s", sli_test_temporary_dir(), directory);
  peer_t workers[WORKERS];
  for (int i = 0; i < WORKERS; i++)
    PEERS_START(&workers[i], "worker", at, indices[i], log_dir, "--steps=60", "--rate=0.01", "--pause_millis=20");
  peers_expect(&workers[killed], "at 20");
  kill(workers[killed].pid, SIGKILL);
  peers_wait(&workers[killed]);
  peers_stop(&workers[killed]);
  PEERS_START(&workers[killed], "worker", at, indices[killed], log_dir, "--steps=60", "--rate=0.01",
              "--pause_millis=20");
  char *sums[WORKERS];
  for (int i = 0; i < WORKERS; i++) {
    peers_expect_code(&workers[i], 0);
    char *output = peers_output(&workers[i]), *sum = strstr(output, "sum=");
    sums[i] = sum ? sli_strndup(sum, strcspn(sum, "\n")) : sli_strdup("none");
    free(output);
    peers_stop(&workers[i]);
  }
  SLI_EXPECT_CONTAINS(sums[0], "sum=");
  for (int i = 1; i < WORKERS; i++) SLI_EXPECT_TEXT(sums[i], sums[0]);
  for (int i = 0; i < WORKERS; i++) free(sums[i]);
  free(log_dir);
  free(at);
}

SLI_TEST(test_a_killed_worker_comes_back_and_all_end_equal) { check_restart(2, "killed"); }
// The chief restores its checkpoint, or begins anew if there was none yet, and the others follow.
SLI_TEST(test_a_killed_chief_comes_back_and_all_end_equal) { check_restart(0, "killed-chief"); }

PEERS_TEST_MAIN(roles, test_workers_take_the_mean_gradient_in_one_bucket,
                test_workers_take_the_mean_gradient_in_several_buckets, test_gradients_travel_as_half,
                test_workers_of_mpirun_reduce_by_mpi, test_gradients_travel_as_bfloat16,
                test_a_killed_worker_comes_back_and_all_end_equal, test_a_killed_chief_comes_back_and_all_end_equal)
