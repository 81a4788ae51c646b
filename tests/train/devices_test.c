// Several CPU devices in one process: towers and recurrent layers on different ones, in a session of this process, on a
// server of this process, and on `sluice serve --cpus`.
#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/sluice.h"
#include "tests/life/life.h"
#include "tests/support/tool.h"

enum { TOWERS = 2, STEPS = 3, BATCH = 2, DEPTH = 3, VARIABLES = 8 };

// The number of devices of |session| whose names end with |ending|.
static int count_devices(TF_Session *session, const char *ending) {
  TF_Status *status = TF_NewStatus();
  TF_DeviceList *list = TF_SessionListDevices(session, status);
  LIFE_EXPECT_OK(status);
  int found = 0;
  for (int i = 0; list && i < TF_DeviceListCount(list); i++) {
    const char *name = TF_DeviceListName(list, i, status);
    found += strlen(name) >= strlen(ending) && !strcmp(name + strlen(name) - strlen(ending), ending);
  }
  TF_DeleteDeviceList(list);
  TF_DeleteStatus(status);
  return found;
}

// Two towers that each take half of a batch, and the mean of their gradients.
static void train_towers(const char *target, const sl_config_t *config) {
  sl_scope_t *g = sl_graph_scope();
  TF_Output w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
  TF_Output x[TOWERS], loss[TOWERS];
  sl_gradients_t towers[TOWERS];
  for (int i = 0; i < TOWERS; i++) {
    SL_DEVICE (g, i ? "/cpu:1" : "/cpu:0") {
      SL_NAME_SCOPE (g, "TOWER_%d", i) {
        x[i] = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1), .name = "x");
        loss[i] = sl_mean(g, sl_square(g, sl_subtract(g, x[i], w)));
        towers[i] = sl_compute_gradients(g, loss[i]);
      }
    }
  }
  TF_Operation *train = sl_apply_gradients(g, sl_gradient_descent(g, 0.5), sl_average_gradients(g, towers, TOWERS));
  TF_Operation *init = sl_global_variables_initializer(g);
  sl_session_t *session = sl_session(g, .target = target, .config = config);
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT(sl_run(session, SL_TARGET(init)));
  SLI_EXPECT_INT(count_devices(sl_session_handle(session), "CPU:0"), 1);
  SLI_EXPECT_INT(count_devices(sl_session_handle(session), "CPU:1"), 1);
  float found = 0, first[2] = {1, 3}, second[3] = {4, 8, 6};
  for (int step = 0; step < STEPS; step++)
    SLI_EXPECT(sl_run(session, SL_FEED(x[0], first, 2), SL_FEED(x[1], second, 3), SL_TARGET(train)));
  SLI_EXPECT(sl_run(session, SL_FETCH(w, &found)));
  SLI_EXPECT_NEAR(found, (2 + 6) / 2.0, 1e-6);  // one step goes to the mean of the means
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(g);
}

// Where the gradients are: wherever the placer likes, on one device, or with their ops.
typedef enum { ANYWHERE, ON_ONE_DEVICE, WITH_OPS } gradients_at_t;

// The outputs, and the sums of the gradients, of a stack of two LSTM layers on |devices|.
static int run_stack(const char *target, const sl_config_t *config, const char *const *devices, gradients_at_t at,
                     float *out_values) {
  sl_scope_t *g = sl_graph_scope();
  float data[BATCH * STEPS * DEPTH];
  for (int i = 0; i < BATCH * STEPS * DEPTH; i++) data[i] = sinf((float)i);
  TF_Output x = sl_constant(g, TF_FLOAT, SL_SHAPE(BATCH, STEPS, DEPTH), data);
  sl_rnn_cell_t *cells[2];
  for (int i = 0; i < 2; i++)
    cells[i] = sl_device_wrapper(g, sl_lstm_cell(g, 4, .initializer = SL_CONSTANT(0.1f * (float)(i + 1))), devices[i]);
  sl_rnn_t rnn = sl_dynamic_rnn(g, sl_multi_rnn_cell(g, cells, 2), x);
  TF_Output loss = sl_sum(g, sl_square(g, rnn.outputs));
  sl_gradients_t gradients;
  SL_DEVICE (g, at == ON_ONE_DEVICE ? "/cpu:0" : "")
    gradients = sl_compute_gradients(g, loss, .colocate_gradients_with_ops = at == WITH_OPS);
  TF_Operation *init = sl_global_variables_initializer(g);
  TF_Output sums[VARIABLES];
  int count = (int)gradients.count;
  SLI_EXPECT_INT(count, 4);
  for (int i = 0; i < count; i++) sums[i] = sl_sum(g, gradients.items[i].gradient);
  sl_session_t *session = sl_session(g, .target = target, .config = config);
  SLI_EXPECT(sl_run(session, SL_TARGET(init)));
  SLI_EXPECT(sl_run(session, SL_FETCH(rnn.outputs, out_values, BATCH * STEPS * 4)));
  for (int i = 0; i < count; i++) SLI_EXPECT(sl_run(session, SL_FETCH(sums[i], &out_values[BATCH * STEPS * 4 + i])));
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(g);
  return BATCH * STEPS * 4 + count;
}

// The layers have the same values on one device and on two.
static void expect_stack(const char *target, const sl_config_t *config) {
  float one[64] = {0}, two[64] = {0};
  run_stack(NULL, NULL, (const char *const[]){"/cpu:0", "/cpu:0"}, ANYWHERE, one);
  for (gradients_at_t at = ANYWHERE; at <= WITH_OPS; at++) {
    int count = run_stack(target, config, (const char *const[]){"/cpu:0", "/cpu:1"}, at, two);
    double total = 0;
    for (int i = 0; i < count; i++) {
      SLI_EXPECT_NEAR(two[i], one[i], 1e-5);
      total += fabs(one[i]);
    }
    SLI_EXPECT(total > 0.1);
  }
}

SLI_TEST(test_a_session_of_this_process_has_the_devices_it_asks_for) {
  sl_config_t config = SL_CONFIG(.device_count.cpu = 2);
  train_towers(NULL, &config);
  expect_stack(NULL, &config);
  for (int cpus = 0; cpus < 2; cpus++) {
    sl_scope_t *g = sl_graph_scope();
    TF_Output one;
    SL_DEVICE (g, "/cpu:1") one = sl_scalar(g, TF_FLOAT, 1);
    sl_session_t *session = sl_session(g, .config = &SL_CONFIG(.device_count.cpu = cpus));
    float value = 0;
    SLI_EXPECT(!sl_run(session, SL_FETCH(one, &value)));
    SLI_EXPECT_CONTAINS(sl_session_error(session), "/device:CPU:1");
    SLI_EXPECT_INT(sl_session_close(session), 1);
    session = sl_session(g, .config = &SL_CONFIG(.device_count.cpu = cpus, .allow_soft_placement = true));
    SLI_EXPECT(sl_run(session, SL_FETCH(one, &value)));
    SLI_EXPECT_NEAR(value, 1, 0);
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(g);
  }
  sl_scope_t *g = sl_graph_scope();
  sl_session_t *session = sl_session(g, .config = &SL_CONFIG(.device_count.cpu = -1));
  SLI_EXPECT_CONTAINS(sl_session_error(session), "device_count of CPU must be from 1 to 1024, got -1");
  SLI_EXPECT_INT(sl_session_close(session), 1);
  sl_scope_release(g);
}

// The gradient of an op is where the op is, if that is asked for.
SLI_TEST(test_gradients_are_colocated_with_their_ops) {
  for (int colocate = 0; colocate < 2; colocate++) {
    sl_scope_t *g = sl_graph_scope();
    TF_Output w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(2, 2), .initializer = SL_ONES), y;
    SL_DEVICE (g, "/cpu:1") y = sl_square(g, sl_matmul(g, w, w), .name = "square");
    TF_Operation *train =
        sl_minimize(g, sl_gradient_descent(g, 0.5), sl_sum(g, y), .colocate_gradients_with_ops = colocate);
    SLI_EXPECT(train);
    TF_Operation *gradient = TF_GraphOperationByName(sl_scope_graph(g), "gradients/square_grad/Mul");
    SLI_REQUIRE(gradient);
    SLI_EXPECT_TEXT(TF_OperationDevice(gradient), colocate ? "/device:CPU:1" : "");
    sl_session_t *session = sl_session(g, .config = &SL_CONFIG(.device_count.cpu = 2));
    SLI_EXPECT(sl_run(session, SL_TARGET(sl_global_variables_initializer(g))));
    SLI_EXPECT(sl_run(session, SL_TARGET(train)));
    float found[4] = {0};
    SLI_EXPECT(sl_run(session, SL_FETCH(w, found, 4)));
    SLI_EXPECT_NEAR(found[0], 1 - 0.5 * 16, 1e-5);
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(g);
  }
}

SLI_TEST(test_a_server_of_this_process_has_the_devices_it_is_given) {
  sl_server_t *server = sl_create_local_server(.config = &SL_CONFIG(.device_count.cpu = 2));
  SLI_EXPECT_TEXT(sl_server_error(server), "");
  train_towers(sl_server_target(server), NULL);
  expect_stack(sl_server_target(server), NULL);
  sl_server_release(server);
}

SLI_TEST(test_serve_has_the_devices_it_is_told) {
  life_cluster_t cluster = {0};
  int task = life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, task, (const char *const[]){"--cpus", "2", NULL}));
  train_towers(life_target(&cluster, task), NULL);
  expect_stack(life_target(&cluster, task), NULL);
  life_stop(&cluster);
  tool_run_t run;
  TOOL_RUN(&run, "serve", "--worker_hosts=localhost:1", "--job_name=worker", "--cpus=0");
  SLI_EXPECT_INT(run.code, 2);
  SLI_EXPECT_CONTAINS(run.err, "--cpus must be a whole number from 1 to 1024, got '0'");
  tool_run_release(&run);
}

SLI_TEST_MAIN(test_gradients_are_colocated_with_their_ops, test_a_session_of_this_process_has_the_devices_it_asks_for,
              test_a_server_of_this_process_has_the_devices_it_is_given, test_serve_has_the_devices_it_is_told)
