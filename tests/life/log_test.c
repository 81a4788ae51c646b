// The lines of TensorFlow's log by which people follow a cluster.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/sluice.h"
#include "tests/life/life.h"

static void expect_line(const life_cluster_t *cluster, int task, const char *wanted) {
  char *log = life_log(cluster, task);
  if (!strstr(log, wanted)) sli_test_fail(__FILE__, __LINE__, "no \"%s\" in:\n%s", wanted, log);
  free(log);
}

// Text recorded with TensorFlow 1.x: a task calls itself localhost.
SLI_TEST(test_a_server_lists_the_tasks_of_each_job) {
  life_cluster_t cluster = {0};
  int ps = life_add(&cluster, "ps", 0), first = life_add(&cluster, "worker", 0);
  int second = life_add(&cluster, "worker", 1);
  SLI_EXPECT(life_start(&cluster, first, NULL));
  SLI_EXPECT(life_start(&cluster, ps, NULL));
  char *line = sli_format("] Initialize GrpcChannelCache for job ps -> {0 -> localhost:%d}\n", cluster.tasks[ps].port);
  for (int task = ps; task <= first; task++) expect_line(&cluster, task, line);
  free(line);
  line = sli_format("] Initialize GrpcChannelCache for job worker -> {0 -> localhost:%d, 1 -> localhost:%d}\n",
                    cluster.tasks[first].port, cluster.tasks[second].port);
  for (int task = ps; task <= first; task++) expect_line(&cluster, task, line);
  free(line);
  line = sli_format("] Started server with target: grpc://localhost:%d\n", cluster.tasks[first].port);
  expect_line(&cluster, first, line);
  free(line);
  life_stop(&cluster);
}

SLI_TEST(test_a_master_logs_the_configuration_of_each_session) {
  life_cluster_t cluster = {0};
  int task = life_add(&cluster, "worker", 0);
  SLI_EXPECT(life_start(&cluster, task, NULL));
  static const char *const filters[] = {"/job:ps", "/job:worker/task:0"};
  for (int round = 0; round < 2; round++) {
    sl_scope_t *g = sl_graph_scope();
    TF_Output one = sl_scalar(g, TF_FLOAT, 1);
    sl_config_t config =
        SL_CONFIG(.allow_soft_placement = round, .device_filters = filters, .device_filter_count = round ? 2 : 0);
    sl_session_t *session = sl_session(g, .target = life_target(&cluster, task), .config = &config);
    float value = 0;
    SLI_EXPECT(sl_run(session, SL_FETCH(one, &value)));
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(g);
    expect_line(&cluster, task, "] Start master session ");
    expect_line(&cluster, task,
                round ? " with config: device_filters: \"/job:ps\" device_filters: \"/job:worker/task:0\" "
                        "allow_soft_placement: true\n"
                      : " with config: \n");
  }
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_a_server_lists_the_tasks_of_each_job, test_a_master_logs_the_configuration_of_each_session)
