// Plain sessions, the choice of the chief, sessions on another process's server, and clusters of any job names.
#include <signal.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/sluice.h"
#include "tests/train/peers.h"

// --- In this process ---

SLI_TEST(test_a_plain_session_runs_and_its_graph_may_grow) {
  sl_scope_t *g = sl_graph_scope();
  TF_Output x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1), .name = "x");
  TF_Output w = sl_variable(g, sl_scalar(g, TF_FLOAT, 3), .name = "w");
  TF_Output sum = sl_sum(g, sl_multiply(g, x, w));
  sl_session_t *session = sl_session(g);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT(sl_run(session, SL_TARGET(sl_global_variables_initializer(g))));
  float values[2] = {1, 2}, found = 0;
  SLI_EXPECT(sl_run(session, SL_FEED(x, values, 2), SL_FETCH(sum, &found)));
  SLI_EXPECT_NEAR(found, 9, 0);
  TF_Output twice = sl_add(g, sum, sum);  // a node that comes after the first run
  SLI_EXPECT(sl_run(session, SL_FEED(x, values, 2), SL_FETCH(twice, &found)));
  SLI_EXPECT_NEAR(found, 18, 0);
  SLI_EXPECT(sl_run(session, SL_FEED(x, values, 0), SL_FETCH(sum, &found)));
  SLI_EXPECT_NEAR(found, 0, 0);
  SLI_EXPECT(!sl_should_stop(session));
  SLI_EXPECT_INT(sl_collection_count(g, SL_GLOBAL_VARIABLES), 1);  // no global step was added
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(g);
}

SLI_TEST(test_an_error_of_a_run_stays_until_it_is_cleared) {
  sl_scope_t *g = sl_graph_scope();
  TF_Output w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE()), one = sl_scalar(g, TF_FLOAT, 1);
  sl_session_t *session = sl_session(g, .target = "");
  float value = 7;
  SLI_EXPECT(!sl_run(session, SL_FETCH(w, &value)));
  char *place = sli_format("plain_test.c:%d: Attempting to use uninitialized value w", __LINE__ - 1);
  SLI_EXPECT_CONTAINS(sl_session_error(session), place);
  free(place);
  SLI_EXPECT(!sl_run(session, SL_FETCH(one, &value)));
  SLI_EXPECT_NEAR(value, 7, 0);
  sl_session_clear_error(session);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT(sl_run(session, SL_FETCH(one, &value)));
  SLI_EXPECT_NEAR(value, 1, 0);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  SLI_EXPECT(!sl_run(session, SL_FETCH(one, &value)));  // it is closed
  session = sl_session(g);
  SLI_EXPECT(!sl_run(session, SL_FETCH(w, &value)));
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(g);
}

SLI_TEST(test_errors_of_the_graph_and_of_the_target_are_the_sessions) {
  float value;
  sl_scope_t *g = sl_graph_scope();
  TF_Output one = sl_scalar(g, TF_FLOAT, 1);
  sl_session_t *session = sl_session(g, .target = "http://localhost:1");
  int line = __LINE__ - 1;
  char *place = sli_format("plain_test.c:%d: No session factory registered for the given session options", line);
  SLI_EXPECT_CONTAINS(sl_session_error(session), place);
  free(place);
  SLI_EXPECT(!sl_run(session, SL_FETCH(one, &value)));
  sl_session_clear_error(session);
  SLI_EXPECT(!sl_run(session, SL_FETCH(one, &value)));
  SLI_EXPECT_INT(sl_session_close(session), 1);
  session = sl_session(g);
  sl_dense(g, sl_placeholder(g, TF_FLOAT, SL_UNKNOWN_SHAPE), 10);  // after the session was opened
  SLI_EXPECT(!sl_run(session, SL_FETCH(one, &value)));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "The last dimension of the inputs to a Dense layer should be defined");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(g);
}

// Without this rule the program would go on in this process, on variables of its own.
SLI_TEST(test_the_target_of_a_server_that_did_not_start_is_an_error) {
  sl_server_t *first = sl_create_local_server();
  const char *address = sl_server_address(first, "local", 0);
  sl_task_address_t task = {"local", 0, address};
  sl_server_t *second = sl_server_start(sl_cluster_from_tasks(&task, 1, "local", 0));
  SLI_EXPECT_CONTAINS(sl_server_error(second), "address already in use");
  sl_scope_t *g = sl_graph_scope();
  sl_session_t *session = sl_session(g, .target = sl_server_target(second));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "address already in use");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  float value = 0;
  session = sl_session(g, .target = sl_server_target(first));
  SLI_EXPECT(sl_run(session, SL_FETCH(sl_scalar(g, TF_FLOAT, 5), &value)));
  SLI_EXPECT_NEAR(value, 5, 0);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_server_release(second);
  session = sl_session(g, .target = "");
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_server_release(first);
  sl_scope_release(g);
}

// --- Tasks ---

enum { MAX_TASKS = 4 };

static struct {
  const char *job, *jobs, *mode, *target, *log_dir;
  int index, chief, ports[MAX_TASKS];
  int64_t steps;
  sl_text_list_t at;
} flags = {.chief = -1, .steps = 20};

static const sl_flag_t options[] = {
    SL_FLAG(flags, job, "of this task"),
    SL_FLAG(flags, index, "of this task"),
    SL_FLAG(flags, at, "the tasks, job=host:port"),
    SL_FLAG(flags, mode, "what a trainer does"),
    SL_FLAG(flags, target, "of the client"),
    SL_FLAG(flags, chief, "the trainer that is the chief; -1: as the cluster says"),
    SL_FLAG(flags, steps, "global steps"),
    SL_FLAG(flags, log_dir, "for checkpoints"),
    SL_FLAGS_END,
};

static sl_server_t *start_task(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options);
  sl_task_address_t tasks[MAX_TASKS];
  size_t count = 0;
  for (; count < flags.at.count && count < MAX_TASKS; count++) {
    char *equals = strchr(flags.at.items[count], '=');
    *equals = '\0';
    int index = 0;
    for (size_t i = 0; i < count; i++) index += strcmp(tasks[i].job, flags.at.items[count]) == 0;
    tasks[count] = (sl_task_address_t){flags.at.items[count], index, equals + 1};
  }
  return sl_server_start(sl_cluster_from_tasks(tasks, count, flags.job, flags.index));
}

static int serve_main(int argc, char **argv) { return sl_server_join(start_task(argc, argv)); }

// As a classic program: a server, a session on it, and join().
static int hello_main(int argc, char **argv) {
  sl_server_t *server = start_task(argc, argv);
  sl_scope_t *g = sl_graph_scope();
  TF_Output hello = sl_text(g, flags.index ? "Hello from server2!" : "Hello from server1!");
  sl_session_t *session = sl_session(g, .target = sl_server_target(server));
  TF_Tensor *value = NULL;
  if (!sl_run(session, SL_FETCH_TENSOR(hello, &value))) return sl_session_close(session);
  const TF_TString *text = TF_TensorData(value);
  fprintf(stderr, "%.*s\n", (int)TF_StringGetSize(text), TF_StringGetDataPointer(text));
  TF_DeleteTensor(value);
  return sl_server_join(server);
}

// w falls by 1 in each step.
static TF_Operation *build_descent(sl_scope_t *g, sl_server_t *server, sl_chief_t chief, TF_Output *out_w) {
  TF_Output step = sl_global_step(g);
  *out_w = sl_get_variable(g, "w", TF_DOUBLE, SL_SHAPE(), .initializer = SL_ZEROS);
  sl_optimizer_t *optimizer = sl_gradient_descent(g, 1);
  if (flags.mode && strcmp(flags.mode, "sync") == 0)
    optimizer = sl_sync_replicas(g, optimizer, server, .chief = chief, .strict = true);
  return sl_minimize(g, optimizer, *out_w, .global_step = step);
}

static void run_supervised(sl_scope_t *g, sl_server_t *server, sl_chief_t chief, TF_Operation *train, int *out_code) {
  TF_Status *status = TF_NewStatus();
  sl_supervisor_t *supervisor = sl_supervisor(g, .server = server, .chief = chief, .master = flags.target,
                                              .logdir = flags.log_dir, .max_wait_secs = 50);
  fprintf(stderr, "is_chief=%d\n", sl_supervisor_is_chief(supervisor));
  TF_Session *session = sl_supervisor_prepare_or_wait_for_session(supervisor, status);
  const TF_Operation *target = train;
  for (int64_t i = 0; i < flags.steps && session && !sl_supervisor_should_stop(supervisor); i++)
    TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  *out_code = sl_supervisor_stop(supervisor, status);
  fprintf(stderr, "stopped: %s\n", TF_Message(status));
  TF_DeleteStatus(status);
  sl_supervisor_release(supervisor);
}

static int trainer_main(int argc, char **argv) {
  sl_server_t *server = NULL;
  if (strstr(argv[argc - 1], "--target=") == argv[argc - 1])
    sl_flags_parse(&argc, argv, options);
  else
    server = start_task(argc, argv);
  sl_chief_t chief = flags.chief < 0 ? SL_CHIEF_OF_CLUSTER : SL_CHIEF_IF(flags.index == flags.chief);
  sl_scope_t *g = sl_graph_scope();
  TF_Output w;
  TF_Operation *train;
  SL_DEVICE (g, sl_replica_device_setter(server, .ps_device = "/job:params", .ps_tasks = 1,
                                         .worker_device = server ? NULL : "/job:trainer/task:0"))
    train = build_descent(g, server, chief, &w);
  int code = 0;
  if (flags.mode && strcmp(flags.mode, "supervisor") == 0) {
    run_supervised(g, server, chief, train, &code);
  } else {
    sl_session_t *session =
        sl_monitored_training_session(g, server, .chief = chief, .master = flags.target, .stop_at_step = flags.steps,
                                      .checkpoint_dir = flags.log_dir, .max_wait_secs = 50, .log_steps = -1);
    fprintf(stderr, "is_chief=%d\n", sl_session_is_chief(session));
    while (!sl_should_stop(session)) sl_run(session, SL_TARGET(train));
    double last = 0;
    if (sl_run(session, SL_FETCH(w, &last))) fprintf(stderr, "w=%g\n", last);
    code = sl_session_close(session);
  }
  sl_scope_release(g);
  sl_server_release(server);
  return code;
}

static const peers_role_t roles[] = {
    {"serve", serve_main}, {"hello", hello_main}, {"trainer", trainer_main}, {NULL, NULL}};

// "--at=params=localhost:1,trainer=localhost:2". New.
static char *tasks_flag(const char *const *jobs, const int *ports, size_t count) {
  sli_string_t text = {0};
  for (size_t i = 0; i < count; i++)
    sli_string_append_format(&text, "%s%s=localhost:%d", i ? "," : "--at=", jobs[i], ports[i]);
  return sli_string_take(&text);
}

// --- Several processes ---

// Each has a session of its own on its own server; both wait only for the other's server.
SLI_TEST(test_two_tasks_of_a_cluster_without_workers_each_have_a_session) {
  int ports[2] = {sli_test_free_port(), sli_test_free_port()};
  char *at = tasks_flag((const char *const[]){"local", "local"}, ports, 2);
  peer_t tasks[2];
  PEERS_START(&tasks[0], "hello", at, "--job=local", "--index=0");
  PEERS_START(&tasks[1], "hello", at, "--job=local", "--index=1");
  peers_expect(&tasks[0], "Hello from server1!");
  peers_expect(&tasks[1], "Hello from server2!");
  for (int i = 0; i < 2; i++) {
    if (tasks[i].pid) kill(tasks[i].pid, SIGTERM);
    peers_expect_code(&tasks[i], 128 + SIGTERM);
    peers_stop(&tasks[i]);
  }
  free(at);
}

// The client has no server and no cluster, only the address of one task.
SLI_TEST(test_a_client_without_a_server_uses_a_whole_cluster) {
  static const char *const jobs[] = {"params", "trainer", "trainer"};
  static const char *const names[] = {"--job=params", "--job=trainer", "--job=trainer"};
  int ports[3];
  for (int i = 0; i < 3; i++) ports[i] = sli_test_free_port();
  char *at = tasks_flag(jobs, ports, 3), *target = sli_format("grpc://localhost:%d", ports[1]);
  peer_t tasks[3];
  for (int i = 0; i < 3; i++) PEERS_START(&tasks[i], "serve", at, names[i], i == 2 ? "--index=1" : "--index=0");
  static const float ones[4] = {1, 1, 1, 1};
  for (int round = 0; round < 2; round++) {
    sl_scope_t *g = sl_graph_scope();
    TF_Output x, z;
    SL_DEVICE (g, "/job:params/task:0") x = sl_variable(g, sl_constant(g, TF_FLOAT, SL_SHAPE(2, 2), ones), .name = "x");
    SL_DEVICE (g, "/job:trainer/task:0") z = sl_add(g, sl_matmul(g, x, x), x);
    SL_DEVICE (g, "/job:trainer/task:1") z = sl_add(g, sl_matmul(g, z, x), x);
    sl_session_t *session = sl_session(g, .target = target);
    // The second client finds the variable that the first one has initialised.
    if (round == 0) SLI_EXPECT(sl_run(session, SL_TARGET(sl_global_variables_initializer(g))));
    float found[4] = {0};
    SLI_EXPECT(sl_run(session, SL_FETCH(z, found, 4)));
    for (int i = 0; i < 4; i++) SLI_EXPECT_NEAR(found[i], 7, 0);
    SLI_EXPECT_TEXT(sl_session_error(session), "");
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(g);
  }
  for (int i = 0; i < 3; i++) {
    kill(tasks[i].pid, SIGTERM);
    peers_expect_code(&tasks[i], 128 + SIGTERM);
    peers_stop(&tasks[i]);
  }
  free(target);
  free(at);
}

// A ps and two trainers; |chief| is a flag. Checks that trainer |expected| is the chief, and that all end in order.
static void train_with_chief(const char *chief, int expected, const char *mode) {
  static const char *const jobs[] = {"params", "trainer", "trainer"};
  int ports[3];
  for (int i = 0; i < 3; i++) ports[i] = sli_test_free_port();
  char *at = tasks_flag(jobs, ports, 3);
  peer_t ps, trainers[2];
  PEERS_START(&ps, "serve", at, "--job=params");
  PEERS_START(&trainers[0], "trainer", at, "--job=trainer", "--index=0", chief, mode);
  PEERS_START(&trainers[1], "trainer", at, "--job=trainer", "--index=1", chief, mode);
  for (int i = 0; i < 2; i++) {
    peers_expect(&trainers[i], i == expected ? "is_chief=1" : "is_chief=0");
    peers_expect_code(&trainers[i], 0);
  }
  peers_expect_code(&ps, 0);  // the chief has announced the end
  for (int i = 0; i < 2; i++) peers_stop(&trainers[i]);
  peers_stop(&ps);
  free(at);
}

SLI_TEST(test_the_first_task_of_a_job_of_any_name_is_the_chief) {
  train_with_chief("--chief=-1", 0, "--mode=monitored");
}
SLI_TEST(test_the_program_chooses_the_chief) { train_with_chief("--chief=1", 1, "--mode=monitored"); }
SLI_TEST(test_the_chosen_chief_of_a_synchronous_job_leads_it) { train_with_chief("--chief=1", 1, "--mode=sync"); }
SLI_TEST(test_the_program_chooses_the_chief_of_a_supervisor) { train_with_chief("--chief=1", 1, "--mode=supervisor"); }

// Training sessions and Supervisors on the address of a task of a cluster to which the program does not belong.
SLI_TEST(test_a_training_session_opens_on_the_address_of_a_master) {
  static const char *const jobs[] = {"params", "trainer"};
  int ports[2] = {sli_test_free_port(), sli_test_free_port()};
  char *at = tasks_flag(jobs, ports, 2), *target = sli_format("--target=grpc://localhost:%d", ports[1]);
  char *directory = sli_format("%s/master", sli_test_temporary_dir()), *log_dir = sli_format("--log_dir=%s", directory);
  peer_t tasks[2], client;
  // The client comes first and waits for its master.
  PEERS_START(&client, "trainer", "--steps=20", log_dir, target);
  PEERS_START(&tasks[0], "serve", at, "--job=params");
  PEERS_START(&tasks[1], "serve", at, "--job=trainer");
  peers_expect(&client, "w=-20");
  peers_expect_code(&client, 0);
  peers_stop(&client);
  char *latest = sl_latest_checkpoint(directory);
  SLI_EXPECT_CONTAINS(latest ? latest : "", "model.ckpt-20");
  free(latest);
  // It continues from the checkpoint, with a Supervisor.
  PEERS_START(&client, "trainer", "--steps=5", "--mode=supervisor", log_dir, target);
  peers_expect(&client, "is_chief=1");
  peers_expect_code(&client, 0);
  peers_stop(&client);
  latest = sl_latest_checkpoint(directory);
  SLI_EXPECT_CONTAINS(latest ? latest : "", "model.ckpt-25");
  free(latest);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT(tasks[i].pid);  // a client without a server does not end the cluster
    kill(tasks[i].pid, SIGTERM);
    peers_expect_code(&tasks[i], 128 + SIGTERM);
    peers_stop(&tasks[i]);
  }
  free(log_dir);
  free(directory);
  free(target);
  free(at);
}

PEERS_TEST_MAIN(roles, test_a_plain_session_runs_and_its_graph_may_grow,
                test_an_error_of_a_run_stays_until_it_is_cleared,
                test_errors_of_the_graph_and_of_the_target_are_the_sessions,
                test_the_target_of_a_server_that_did_not_start_is_an_error,
                test_two_tasks_of_a_cluster_without_workers_each_have_a_session,
                test_a_client_without_a_server_uses_a_whole_cluster,
                test_the_first_task_of_a_job_of_any_name_is_the_chief, test_the_program_chooses_the_chief,
                test_the_program_chooses_the_chief_of_a_supervisor, test_the_chosen_chief_of_a_synchronous_job_leads_it,
                test_a_training_session_opens_on_the_address_of_a_master)
