#include <stdlib.h>

#include "base/test.h"
#include "sluice/sluice.h"
#include "train/cluster/train_server.h"

// A worker of a cluster with ps tasks |first| and |second|. Its port is chosen by the system; no other task is called.
static sl_server_t *start(int first, int second) {
  const sl_task_address_t tasks[] = {
      {"ps", second, "localhost:1"}, {"worker", 3, "localhost:0"}, {"ps", first, "localhost:2"}};
  return sl_server_start(sl_cluster_from_tasks(tasks, 3, "worker", 3));
}

static TF_Output variable(sl_scope_t *scope, const char *name, int64_t elements) {
  return sl_get_variable(scope, name, TF_FLOAT, SL_SHAPE(elements), .initializer = SL_ZEROS);
}

static const char *device_of(const sl_scope_t *scope, TF_Output value) {
  const sl_variable_info_t *info = sl_variable_info(scope, value);
  return info ? TF_OperationDevice(info->reference.oper) : "";
}

SLI_TEST(test_sparse_tasks_make_a_cluster) {
  sl_server_t *server = start(0, 1);
  SLI_EXPECT_TEXT(sl_server_error(server), "");
  SLI_EXPECT_INT(sl_server_count(server, "ps"), 2);
  SLI_EXPECT_INT(sl_server_count(server, "worker"), 1);
  SLI_EXPECT_INT(sl_server_task_index(server), 3);
  SLI_EXPECT(!sl_server_is_chief(server));
  SLI_EXPECT_TEXT(sl_server_address(server, "ps", 0), "localhost:2");
  SLI_EXPECT(!sl_server_address(server, "worker", 0));
  sl_server_release(server);
}

SLI_TEST(test_bad_tasks_are_named) {
  static const struct {
    sl_task_address_t tasks[2];
    const char *job, *part;
  } rows[] = {
      {{{"ps", 0, "a:1"}, {"ps", 0, "b:1"}}, "ps", "task 0 is listed twice"},
      {{{"ps", 0, "a:1"}, {"worker", 0, "nowhere"}}, "ps", "'nowhere' is not host:port"},
      {{{"ps", 0, "a:1"}, {NULL, 0, "b:1"}}, "ps", "task 1 must have a job, an address and an index of at least 0"},
      {{{"ps", 0, "a:1"}, {"ps", -1, "b:1"}}, "ps", "task 1 must have a job, an address and an index of at least 0"},
      {{{"ps", 0, "a:1"}, {"worker", 1, "b:1"}}, "worker", "job 'worker' has no task 0"},
      {{{"ps", 0, "a:1"}, {"worker", 1, "b:1"}}, "chief", "the cluster has no job 'chief'"}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    sl_server_t *server = sl_server_start(sl_cluster_from_tasks(rows[i].tasks, 2, rows[i].job, 0));
    SLI_EXPECT_CONTAINS(sl_server_error(server), rows[i].part);
    sl_server_release(server);
  }
}

SLI_TEST(test_an_evaluator_places_nothing_on_the_ps) {
  const sl_task_address_t tasks[] = {{"ps", 0, "localhost:1"}, {"chief", 0, "localhost:2"}};
  sl_server_t *server = sl_server_start(sl_cluster_from_tasks(tasks, 2, "evaluator", 0));
  SLI_EXPECT_TEXT(sl_server_error(server), "");
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server)) SLI_EXPECT_TEXT(device_of(s, variable(s, "a", 1)), "");
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sl_scope_release(s);
  sl_server_release(server);
}

SLI_TEST(test_round_robin_uses_the_listed_tasks) {
  sl_server_t *server = start(2, 5);
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    SLI_EXPECT_TEXT(device_of(s, variable(s, "a", 1)), "/job:ps/task:2");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "b", 1)), "/job:ps/task:5");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "c", 1)), "/job:ps/task:2");
  }
  sl_scope_release(s);
  sl_server_release(server);
}

// As GreedyLoadBalancingStrategy(2, byte_size_load_fn): 400, 40 + 400 bytes against 400 at last.
SLI_TEST(test_greedy_takes_the_task_with_the_fewest_bytes) {
  sl_server_t *server = start(0, 1);
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server, .load = sl_byte_size_load)) {
    SLI_EXPECT_TEXT(device_of(s, variable(s, "large", 100)), "/job:ps/task:0");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "small", 10)), "/job:ps/task:1");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "small_too", 10)), "/job:ps/task:1");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "another", 100)), "/job:ps/task:1");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "last", 1)), "/job:ps/task:0");
  }
  char *plan = sl_placement_plan(s, server);
  SLI_EXPECT_TEXT(plan,
                  "task            variables            bytes  share\n"
                  "/job:ps/task:0          2              404   46 %\n"
                  "/job:ps/task:1          3              480   54 %\n");
  free(plan);
  sl_scope_release(s);
  sl_server_release(server);
}

static double one_each(void *data, const sl_node_info_t *info) {
  ++*(int *)data;
  return 1;
}

static int by_name(void *data, const sl_node_info_t *info, int tasks) { return info->name[0] == 'z' ? 1 : 0; }

SLI_TEST(test_loads_and_strategies_of_the_program) {
  sl_server_t *server = start(0, 1);
  sl_scope_t *s = sl_graph_scope();
  int asked = 0;
  SL_DEVICE (s, sl_replica_device_setter(server, .load = one_each, .load_data = &asked)) {
    SLI_EXPECT_TEXT(device_of(s, variable(s, "a", 100)), "/job:ps/task:0");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "b", 1)), "/job:ps/task:1");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "c", 1)), "/job:ps/task:0");
  }
  SLI_EXPECT_INT(asked, 3);
  SL_DEVICE (s, sl_replica_device_setter(server, .strategy = by_name)) {
    SLI_EXPECT_TEXT(device_of(s, variable(s, "z", 1)), "/job:ps/task:1");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "y", 1)), "/job:ps/task:0");
  }
  sl_scope_release(s);
  sl_server_release(server);
}

SLI_TEST(test_a_setter_without_a_server_places_for_any_cluster) {
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(NULL, .ps_tasks = 2, .worker_device = "/job:worker/task:1")) {
    SLI_EXPECT_TEXT(device_of(s, variable(s, "a", 1)), "/job:ps/task:0");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "b", 1)), "/job:ps/task:1");
    SLI_EXPECT_TEXT(device_of(s, variable(s, "c", 1)), "/job:ps/task:0");
    SLI_EXPECT_TEXT(TF_OperationDevice(sl_scalar(s, TF_FLOAT, 1).oper), "/job:worker/task:1");
  }
  SL_DEVICE (s, sl_replica_device_setter(NULL, .ps_tasks = 1, .ps_device = "/job:params/cpu:0")) {
    SLI_EXPECT_TEXT(device_of(s, variable(s, "d", 1)), "/job:params/task:0/device:CPU:0");
    SLI_EXPECT_TEXT(TF_OperationDevice(sl_scalar(s, TF_FLOAT, 1).oper), "/job:worker");
  }
  SL_DEVICE (s, sl_replica_device_setter(NULL)) SLI_EXPECT_TEXT(device_of(s, variable(s, "e", 1)), "");
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SL_DEVICE (s, sl_replica_device_setter(NULL, .ps_tasks = 1, .worker_device = "nowhere")) sl_scalar(s, TF_FLOAT, 1);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "nowhere");
  sl_scope_release(s);
}

SLI_TEST(test_a_plan_shows_idle_tasks_and_variables_without_a_device) {
  sl_server_t *server = start(0, 1);
  sl_scope_t *s = sl_graph_scope();
  variable(s, "free", 300000);
  char *plan = sl_placement_plan(s, server);
  SLI_EXPECT_CONTAINS(plan, "/job:ps/task:1          0                0    0 %\n");
  SLI_EXPECT_CONTAINS(plan, "(no device)             1        1,200,000  100 %\n");
  free(plan);
  plan = sl_placement_plan(s, NULL);
  SLI_EXPECT(!strstr(plan, "/job:ps"));
  free(plan);
  sl_scope_release(s);
  sl_server_release(server);
}

SLI_TEST_MAIN(test_an_evaluator_places_nothing_on_the_ps, test_sparse_tasks_make_a_cluster, test_bad_tasks_are_named,
              test_round_robin_uses_the_listed_tasks, test_greedy_takes_the_task_with_the_fewest_bytes,
              test_loads_and_strategies_of_the_program, test_a_setter_without_a_server_places_for_any_cluster,
              test_a_plan_shows_idle_tasks_and_variables_without_a_device)
