#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/test.h"
#include "train/cluster/cluster_spec.h"
#include "train/cluster/train_server.h"

enum { MAX_WORDS = 8 };

// The cluster from a command line without TF_CONFIG.
static sl_cluster_t *from_words(const char *const *words, int *out_left) {
  unsetenv("TF_CONFIG");
  char *argv[MAX_WORDS + 1] = {"prog"};
  int argc = 1;
  for (; words[argc - 1]; argc++) argv[argc] = (char *)words[argc - 1];
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  if (out_left) *out_left = argc - 1;
  return cluster;
}

static sl_cluster_t *from_config(const char *json) {
  setenv("TF_CONFIG", json, 1);
  int argc = 1;
  char *argv[] = {"prog", NULL};
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  unsetenv("TF_CONFIG");
  return cluster;
}

SLI_TEST(test_flags_make_a_cluster_and_leave_other_words) {
  int left;
  sl_cluster_t *cluster = from_words((const char *[]){"--ps_hosts=a:1,b:2", "--steps", "5", "--worker_hosts", "c:3",
                                                      "--job_name=ps", "--task_id=1", NULL},
                                     &left);
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  SLI_EXPECT_INT(left, 2);
  SLI_EXPECT_TEXT(cluster->job, "ps");
  SLI_EXPECT_INT(cluster->index, 1);
  SLI_EXPECT_INT(cluster->jobs.count, 2);
  SLI_EXPECT_TEXT(sli_cluster_spec_find_job(cluster, "ps")->tasks.items[1].address, "b:2");
  sli_cluster_spec_release(cluster);
}

SLI_TEST(test_no_flags_and_no_config_run_alone) {
  sl_server_t *server = sl_server_start(from_words((const char *[]){"--steps=5", NULL}, NULL));
  SLI_EXPECT_TEXT(sl_server_error(server), "");
  SLI_EXPECT(sl_server_is(server, "worker"));
  SLI_EXPECT(sl_server_is_chief(server));
  SLI_EXPECT(!sl_server_handle(server));
  SLI_EXPECT_INT(sl_server_count(server, "worker"), 1);
  SLI_EXPECT_INT(sl_server_count(server, "ps"), 0);
  SLI_EXPECT_TEXT(sl_server_target(server), "");
  sl_server_release(server);
}

SLI_TEST(test_a_local_server_is_a_cluster_and_chief) {
  sl_server_t *server = sl_create_local_server();
  SLI_EXPECT_TEXT(sl_server_error(server), "");
  SLI_EXPECT(sl_server_handle(server));
  SLI_EXPECT_TEXT(sl_server_job(server), "local");
  SLI_EXPECT(sl_server_is_chief(server));
  SLI_EXPECT_INT(sl_server_replica_index(server), 0);
  SLI_EXPECT_INT(sl_server_replica_count(server), 1);
  SLI_EXPECT_CONTAINS(sl_server_target(server), "grpc://localhost:");
  SLI_EXPECT_TEXT(sl_server_address(server, "local", 0), sl_server_target(server) + strlen("grpc://"));
  SLI_EXPECT(strcmp(sl_server_address(server, "local", 0), "localhost:0") != 0);
  sl_server_release(server);
}

// Classic programs have their hosts as defaults.
static sl_cluster_t *from_words_and_hosts(const char *const *words, const char *job) {
  char *argv[MAX_WORDS + 1] = {"prog"};
  int argc = 1;
  for (; words[argc - 1]; argc++) argv[argc] = (char *)words[argc - 1];
  return sl_cluster_from_args(&argc, argv, .ps_hosts = "a:1", .worker_hosts = "b:1, b:2", .job_name = job,
                              .task_index = job ? 1 : 0);
}

// "ps 0 of 1 and 2" from a cluster, which is released; the error if there is one; "alone".
static const char *describe(sl_cluster_t *cluster) {
  static char text[200];
  const sli_cluster_spec_job_t *ps = sli_cluster_spec_find_job(cluster, "ps");
  const sli_cluster_spec_job_t *workers = sli_cluster_spec_find_job(cluster, "worker");
  if (cluster->status)
    snprintf(text, sizeof(text), "%s", sli_status_message(cluster->status));
  else if (!cluster->job)
    snprintf(text, sizeof(text), "alone");
  else
    snprintf(text, sizeof(text), "%s %d of %zu and %zu, %s", cluster->job, cluster->index, ps ? ps->tasks.count : 0,
             workers ? workers->tasks.count : 0, workers ? workers->tasks.items[workers->tasks.count - 1].address : "");
  sli_cluster_spec_release(cluster);
  return text;
}
#define WORDS(...) ((const char *[]){__VA_ARGS__, NULL})

SLI_TEST(test_a_program_gives_hosts_as_defaults) {
  unsetenv("TF_CONFIG");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=ps", "--task_index=0"), NULL)),
                  "ps 0 of 1 and 2, b:2");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=worker", "--task_id=1"), NULL)),
                  "worker 1 of 1 and 2, b:2");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=ps", "--worker_hosts=c:7"), NULL)),
                  "ps 0 of 1 and 1, c:7");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--task_index=0"), NULL)),
                  "--job_name is missing: it must be ps, worker or chief");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS(NULL), NULL)), "alone");
  // With a default job it is a task without any flag.
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS(NULL), "worker")), "worker 1 of 1 and 2, b:2");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=ps", "--task_index=0"), "worker")),
                  "ps 0 of 1 and 2, b:2");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--task_index=0"), "worker")), "worker 0 of 1 and 2, b:2");
  setenv("TF_CONFIG",
         "{\"cluster\": {\"ps\": [\"x:1\"], \"worker\": [\"y:1\"]}, \"task\": {\"type\": \"ps\", \"index\": 0}}", 1);
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS(NULL), "worker")), "ps 0 of 1 and 1, y:1");
  unsetenv("TF_CONFIG");
}

SLI_TEST(test_the_number_of_workers_can_be_given) {
  unsetenv("TF_CONFIG");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=ps", "--num_workers=2"), NULL)),
                  "ps 0 of 1 and 2, b:2");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=ps", "--num_workers=1"), NULL)),
                  "ps 0 of 1 and 1, b:1");
  SLI_EXPECT_TEXT(
      describe(from_words_and_hosts(WORDS("--job_name=worker", "--task_index=1", "--num_workers", "1"), NULL)),
      "--num_workers: job 'worker' has no task 1, it has 1 task");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--job_name=ps", "--num_workers=3"), NULL)),
                  "--num_workers must be at most 2, the number of workers, got 3");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--num_workers=1"), NULL)), "alone");
  SLI_EXPECT_TEXT(describe(from_words_and_hosts(WORDS("--num_workers=2"), NULL)),
                  "--num_workers must be at most 1, the number of workers of a program without --worker_hosts, got 2");
}

static void expect_bad_words(const char *const *words, const char *part) {
  sl_cluster_t *cluster = from_words(words, NULL);
  SLI_EXPECT_CONTAINS(sli_status_message(cluster->status), part);
  sli_cluster_spec_release(cluster);
}

SLI_TEST(test_bad_flags_name_the_flag) {
  expect_bad_words((const char *[]){"--job_name=worker", NULL}, "--job_name needs --ps_hosts and --worker_hosts");
  expect_bad_words((const char *[]){"--ps_hosts=a:1", "--worker_hosts=b:1", NULL}, "--job_name is missing");
  expect_bad_words((const char *[]){"--ps_hosts=a", "--worker_hosts=b:1", "--job_name=ps", NULL},
                   "--ps_hosts: 'a' is not host:port");
  expect_bad_words((const char *[]){"--ps_hosts=a:1", "--worker_hosts=b:1", "--job_name=chef", NULL},
                   "no job 'chef', only ps, worker");
  expect_bad_words((const char *[]){"--ps_hosts=a:1", "--worker_hosts=b:1", "--job_name=ps", "--task_index=1", NULL},
                   "job 'ps' has no task 1, it has 1 task");
  expect_bad_words((const char *[]){"--ps_hosts=a:1", "--task_index=x", NULL}, "--task_index");
}

SLI_TEST(test_tf_config_with_chief_and_sparse_tasks) {
  sl_cluster_t *cluster = from_config(
      "{\"cluster\": {\"chief\": [\"a:1\"], \"ps\": {\"0\": \"b:1\", \"3\": \"b:3\"}, \"worker\": [\"c:1\", \"c:2\"]},"
      " \"task\": {\"type\": \"worker\", \"index\": 0}, \"environment\": \"cloud\"}");
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  cluster->status = sli_status_make(SLI_UNAVAILABLE, "not to be started");
  sl_server_t *server = sl_server_start(cluster);
  SLI_EXPECT(!sl_server_is_chief(server));
  SLI_EXPECT_INT(sl_server_count(server, "ps"), 2);
  SLI_EXPECT_INT(sl_server_replica_index(server), 1);  // after the chief
  SLI_EXPECT_INT(sl_server_replica_count(server), 3);
  SLI_EXPECT_TEXT(sl_server_address(server, "ps", 3), "b:3");
  SLI_EXPECT(!sl_server_address(server, "ps", 1));
  SLI_EXPECT_TEXT(sl_server_error(server), "not to be started");
  sl_server_release(server);
}

static void expect_bad_config(const char *json, const char *part) {
  sl_cluster_t *cluster = from_config(json);
  SLI_EXPECT_CONTAINS(sli_status_message(cluster->status), part);
  sli_cluster_spec_release(cluster);
}

SLI_TEST(test_bad_tf_config_says_where) {
  expect_bad_config("{\"cluster\": ", "TF_CONFIG is not JSON");
  expect_bad_config("[1]", "it must be an object");
  expect_bad_config("{\"cluster\": {\"ps\": [1]}}", "addresses must be strings");
  expect_bad_config("{\"cluster\": {\"ps\": [\"a:1\"]}}", "task.type is missing");
  expect_bad_config("{\"cluster\": {\"ps\": [\"a:1\"]}, \"task\": {\"type\": \"ps\", \"index\": \"x\"}}",
                    "task.index is not a number");
  expect_bad_config("{\"cluster\": {\"ps\": [\"a:1\"]}, \"task\": {\"type\": \"ps\", \"index\": 4}}",
                    "job 'ps' has no task 4");
  expect_bad_config("{\"cluster\": {\"ps\": []}, \"task\": {\"type\": \"ps\", \"index\": 0}}",
                    "job 'ps' has no task 0");
}

SLI_TEST(test_tf_config_without_a_cluster_runs_alone) {
  sl_cluster_t *cluster = from_config("{\"task\": {\"type\": \"worker\", \"index\": 0}}");
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  SLI_EXPECT(!cluster->job);
  sli_cluster_spec_release(cluster);
}

SLI_TEST(test_server_def_has_tensorflows_bytes) {
  sl_cluster_t *cluster =
      from_words((const char *[]){"--ps_hosts=a:1", "--worker_hosts=b:2", "--job_name=worker", NULL}, NULL);
  sli_string_t bytes = {0};
  sli_cluster_spec_append_server_def(cluster, &bytes);
  static const char wanted[] =
      "\x0a\x22"
      "\x0a\x0d\x0a\x02ps\x12\x07\x08\x00\x12\x03"
      "a:1"
      "\x0a\x11\x0a\x06worker\x12\x07\x08\x00\x12\x03"
      "b:2"
      "\x12\x06worker\x18\x00\x2a\x04grpc";
  SLI_EXPECT_INT(bytes.size, sizeof(wanted) - 1);
  SLI_EXPECT(bytes.size == sizeof(wanted) - 1 && memcmp(bytes.data, wanted, bytes.size) == 0);
  sli_string_deinitialize(&bytes);
  sli_cluster_spec_release(cluster);
}

SLI_TEST(test_unreachable_tasks_are_named) {
  sl_cluster_t *cluster = from_words(
      (const char *[]){"--ps_hosts=127.0.0.1:1", "--worker_hosts=127.0.0.1:1,127.0.0.1:1", "--job_name=worker", NULL},
      NULL);
  cluster->status = sli_status_make(SLI_UNAVAILABLE, "not to be started");
  sl_server_t *server = sl_server_start(cluster);
  char *text = sli_train_server_list_unreachable(server, false, 1000);
  SLI_EXPECT_TEXT(text,
                  "/job:ps/task:0 at 127.0.0.1:1 (Connection refused), "
                  "/job:worker/task:0 at 127.0.0.1:1 (Connection refused)");
  free(text);
  text = sli_train_server_list_unreachable(server, true, 1000);
  SLI_EXPECT_CONTAINS(text, ", /job:worker/task:1 at 127.0.0.1:1 (Connection refused)");
  free(text);
  sl_server_release(server);
}

static void ignore(int number) {}

// A socket that listens but does not accept: with a full backlog, a connection is neither established nor refused.
SLI_TEST(test_a_connection_that_is_not_made_is_no_task_even_if_a_signal_comes) {
  enum { WAITING = 2 };
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof(address);
  int listener = socket(AF_INET, SOCK_STREAM, 0), waiting[WAITING];
  SLI_REQUIRE(bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
  SLI_REQUIRE(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
  for (int i = 0; i < WAITING; i++) {
    waiting[i] = socket(AF_INET, SOCK_STREAM, 0);
    SLI_REQUIRE(connect(waiting[i], (struct sockaddr *)&address, size) == 0);
  }
  char *target = sli_format("127.0.0.1:%d", ntohs(address.sin_port));
  SLI_EXPECT(!sli_train_server_is_listening(target, 10));
  struct sigaction action = {.sa_handler = ignore}, former;
  sigaction(SIGALRM, &action, &former);
  // Repeatedly, so that one signal arrives during the wait.
  const struct itimerval soon = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000}, never = {0};
  setitimer(ITIMER_REAL, &soon, NULL);
  SLI_EXPECT(!sli_train_server_is_listening(target, 60000));
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &former, NULL);
  for (int i = 0; i < WAITING; i++) close(waiting[i]);
  close(listener);
  free(target);
}

// The cluster of a Slurm step with these variables.
static sl_cluster_t *from_slurm(const char *rank, const char *nodes, const char *per_node, const sl_slurm_job_t *jobs,
                                size_t job_count) {
  setenv("SLURM_PROCID", rank, 1);
  setenv("SLURM_STEP_NODELIST", nodes, 1);
  setenv("SLURM_STEP_TASKS_PER_NODE", per_node, 1);
  sl_cluster_t *cluster = sl_cluster_from_slurm(.jobs = jobs, .job_count = job_count);
  unsetenv("SLURM_PROCID");
  unsetenv("SLURM_STEP_NODELIST");
  unsetenv("SLURM_STEP_TASKS_PER_NODE");
  return cluster;
}

SLI_TEST(test_slurm_assigns_ranks_to_hosts_and_jobs) {
  static const sl_slurm_job_t jobs[] = {{"worker", 4}, {"ps", 2}};
  sl_cluster_t *cluster = from_slurm("3", "n[09-10],m5", "2(x3)", jobs, 2);
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  const sli_cluster_spec_job_t *ps = sli_cluster_spec_find_job(cluster, "ps"),
                               *worker = sli_cluster_spec_find_job(cluster, "worker");
  SLI_REQUIRE(ps && worker && ps->tasks.count == 2 && worker->tasks.count == 4);
  SLI_EXPECT_TEXT(ps->tasks.items[0].address, "m5:8888");
  SLI_EXPECT_TEXT(ps->tasks.items[1].address, "m5:8889");
  SLI_EXPECT_TEXT(worker->tasks.items[1].address, "n09:8889");
  SLI_EXPECT_TEXT(worker->tasks.items[2].address, "n10:8888");
  SLI_EXPECT_TEXT(cluster->job, "worker");
  SLI_EXPECT_INT(cluster->index, 1);
  sli_cluster_spec_release(cluster);
  cluster = from_slurm("2", "b,a[1,3]", "1,2,1", NULL, 0);
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  SLI_EXPECT_TEXT(sli_cluster_spec_find_job(cluster, "worker")->tasks.items[1].address, "a1:8889");
  SLI_EXPECT_INT(cluster->index, 2);
  sli_cluster_spec_release(cluster);
}

static void expect_bad_slurm(const char *rank, const char *nodes, const char *per_node, const char *part) {
  static const sl_slurm_job_t jobs[] = {{"worker", 2}};
  sl_cluster_t *cluster = from_slurm(rank, nodes, per_node, jobs, 1);
  SLI_EXPECT_CONTAINS(sli_status_message(cluster->status), part);
  sli_cluster_spec_release(cluster);
}

SLI_TEST(test_bad_slurm_variables_are_named) {
  expect_bad_slurm("", "a", "2", "SLURM_PROCID not found in environment");
  expect_bad_slurm("x", "a", "2", "SLURM_PROCID: 'x' cannot be parsed");
  expect_bad_slurm("0", "a[1-", "2", "SLURM_STEP_NODELIST: 'a[1-' cannot be parsed");
  expect_bad_slurm("0", "a[5-2]", "2", "SLURM_STEP_NODELIST");
  expect_bad_slurm("0", "a,,b", "2", "SLURM_STEP_NODELIST");
  expect_bad_slurm("0", "a", "2(y3)", "SLURM_STEP_TASKS_PER_NODE: '2(y3)' cannot be parsed");
  expect_bad_slurm("0", "a", "3", "Requested 2 tasks but only 3 were assigned.");
  expect_bad_slurm("7", "a", "2", "the step has no task 7");
}

SLI_TEST_MAIN(test_a_program_gives_hosts_as_defaults, test_the_number_of_workers_can_be_given,
              test_a_local_server_is_a_cluster_and_chief, test_slurm_assigns_ranks_to_hosts_and_jobs,
              test_bad_slurm_variables_are_named, test_flags_make_a_cluster_and_leave_other_words,
              test_no_flags_and_no_config_run_alone, test_bad_flags_name_the_flag,
              test_tf_config_with_chief_and_sparse_tasks, test_bad_tf_config_says_where,
              test_tf_config_without_a_cluster_runs_alone, test_server_def_has_tensorflows_bytes,
              test_unreachable_tasks_are_named, test_a_connection_that_is_not_made_is_no_task_even_if_a_signal_comes)
