// Recurrent layers: the graphs of TensorFlow's Python library, their values and gradients, and the errors.
#include "base/array.h"
#include "base/test.h"
#include "sluice/ops.h"
#include "tests/train/golden.h"

// --- Graphs ---

static sl_rnn_cell_t *stack_of(sl_scope_t *s, sl_rnn_cell_t *first, sl_rnn_cell_t *second) {
  return sl_multi_rnn_cell(s, ((sl_rnn_cell_t *[]){first, second}), 2);
}

SLI_TEST(test_dynamic_networks) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 7, 3), .name = "x");
  TF_Output n = sl_placeholder(s, TF_INT64, SL_SHAPE(-1), .name = "n");
  sl_dynamic_rnn(s, sl_basic_lstm_cell(s, 4), x);
  sl_rnn_t gru = sl_dynamic_rnn(s, sl_gru_cell(s, 4), x, .sequence_length = n, .name = "gru");
  TF_Output t = sl_placeholder(s, TF_FLOAT, SL_SHAPE(7, 2, 3), .name = "t");
  TF_Output h = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 5), .name = "h");
  sl_dynamic_rnn(s, sl_basic_rnn_cell(s, 5), t, .initial_state = SL_OUTPUTS(h), .time_major = true, .name = "time",
                 .parallel_iterations = 8);
  sl_rnn_cell_t *first =
      sl_lstm_cell(s, 4, .use_peepholes = true, .projection = 2, .cell_clip = 3, .projection_clip = 1);
  sl_dynamic_rnn(s, stack_of(s, first, sl_lstm_cell(s, 6, .forget_bias = 0.5)), x, .name = "stack");
  sli_expect_listing(s, "rnn_dynamic");
  sl_shape_t shape = sl_static_shape(s, gru.outputs);
  SLI_EXPECT(shape.rank == 3 && shape.dims[0] == -1 && shape.dims[1] == 7 && shape.dims[2] == 4);
  SLI_EXPECT_INT(sl_static_shape(s, gru.state.items[0]).dims[1], 4);
  sl_scope_release(s);
}

SLI_TEST(test_bidirectional_networks) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 7, 3), .name = "x");
  TF_Output n = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "n");
  sl_bidirectional_dynamic_rnn(s, sl_lstm_cell(s, 4), sl_lstm_cell(s, 4), x, .sequence_length = n);
  TF_Output t = sl_placeholder(s, TF_FLOAT, SL_SHAPE(7, 2, 3), .name = "t");
  sl_bidirectional_dynamic_rnn(s, sl_basic_rnn_cell(s, 4), sl_basic_rnn_cell(s, 4), t, .time_major = true,
                               .name = "plain");
  sli_expect_listing(s, "rnn_both_ways");
  sl_scope_release(s);
}

SLI_TEST(test_static_networks) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output steps[3];
  for (int i = 0; i < 3; i++)
    steps[i] = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3), .name = (const char *[]){"x0", "x1", "x2"}[i]);
  TF_Output n = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "n");
  sl_outputs_t all = {3, steps}, two = {2, steps};
  sl_static_rnn(s, sl_basic_lstm_cell(s, 4), all);
  sl_static_rnn(s, sl_gru_cell(s, 4), two, .sequence_length = n, .name = "lengths");
  sl_rnn_cell_t *cell = sl_dropout_wrapper(s, sl_basic_lstm_cell(s, 4), .input_keep_prob = 0.75,
                                           .output_keep_prob = 0.5, .state_keep_prob = 0.25);
  sl_static_rnn(s, stack_of(s, cell, sl_basic_rnn_cell(s, 2)), two, .name = "drop");
  sli_expect_listing(s, "rnn_static");
  sl_scope_release(s);
}

SLI_TEST(test_variational_dropout) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 5, 3), .name = "x");
  sl_rnn_cell_t *cell =
      sl_dropout_wrapper(s, sl_basic_lstm_cell(s, 4), .input_keep_prob = 0.5, .output_keep_prob = 0.625,
                         .state_keep_prob = 0.75, .variational_recurrent = true, .input_size = 3);
  sl_dynamic_rnn(s, cell, x);
  cell = sl_dropout_wrapper(s, sl_gru_cell(s, 4), .output_keep_prob = 0.25, .variational_recurrent = true);
  TF_Output x0 = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 3), .name = "x0");
  TF_Output x1 = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 3), .name = "x1");
  sl_static_rnn(s, cell, SL_OUTPUTS(x0, x1), .name = "static");
  sli_expect_listing(s, "rnn_variational");
  sl_scope_release(s);
}

SLI_TEST(test_a_workers_network_has_its_variables_on_the_ps) {
  sl_scope_t *s = sl_graph_scope();
  sl_server_t *server = sli_test_idle_server();
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 7, 3), .name = "x");
    TF_Output n = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "n");
    sl_dynamic_rnn(s, sl_lstm_cell(s, 4), x, .sequence_length = n);
  }
  sli_expect_listing(s, "rnn_replica");
  sl_scope_release(s);
}

SLI_TEST(test_layers_on_different_devices) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 7, 3), .name = "x");
  TF_Output n = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "n");
  sl_rnn_cell_t *first = sl_device_wrapper(s, sl_basic_lstm_cell(s, 4), "/cpu:0");
  sl_dynamic_rnn(s, stack_of(s, first, sl_device_wrapper(s, sl_gru_cell(s, 4), "/cpu:1")), x, .sequence_length = n);
  TF_Output x0 = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 3), .name = "x0");
  TF_Output x1 = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 3), .name = "x1");
  SL_DEVICE (s, "/job:worker/task:1") {
    sl_rnn_cell_t *cell = sl_device_wrapper(s, sl_lstm_cell(s, 4), "/cpu:1");
    sl_static_rnn(s, sl_dropout_wrapper(s, cell, .output_keep_prob = 0.5), SL_OUTPUTS(x0, x1), .name = "static");
  }
  sli_expect_listing(s, "rnn_devices");
  sl_scope_release(s);
}

// --- Values ---

static TF_Output lengths_of(sl_scope_t *s, int32_t first, int32_t second) {
  return sl_constant(s, TF_INT32, SL_SHAPE(2), ((int32_t[]){first, second}));
}

static void expect_network(const char *name, sl_rnn_t rnn, sl_scope_t *s) {
  TF_Output outputs[8] = {rnn.outputs};
  for (size_t i = 0; i < rnn.state.count; i++) outputs[i + 1] = rnn.state.items[i];
  sli_expect_values(s, (sl_outputs_t){rnn.state.count + 1, outputs}, "rnn_values", name);
  sl_scope_release(s);
}

SLI_TEST(test_dynamic_networks_have_tensorflows_values_and_gradients) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(2, 4, 3));
  expect_network("basic_rnn", sl_dynamic_rnn(s, sl_basic_rnn_cell(s, 2), x), s);

  s = sl_graph_scope();
  x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(2, 4, 3));
  expect_network("basic_lstm", sl_dynamic_rnn(s, sl_basic_lstm_cell(s, 2), x, .sequence_length = lengths_of(s, 4, 2)),
                 s);

  s = sl_graph_scope();
  x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(2, 4, 3));
  expect_network("gru", sl_dynamic_rnn(s, sl_gru_cell(s, 2), x, .sequence_length = lengths_of(s, 3, 0)), s);

  s = sl_graph_scope();
  x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(2, 4, 3));
  sl_rnn_cell_t *first =
      sl_lstm_cell(s, 3, .use_peepholes = true, .projection = 2, .cell_clip = 0.5, .projection_clip = 0.3);
  sl_rnn_cell_t *stack = stack_of(s, first, sl_basic_lstm_cell(s, 2, .no_forget_bias = true));
  expect_network("stack", sl_dynamic_rnn(s, stack, x, .sequence_length = lengths_of(s, 4, 3)), s);

  s = sl_graph_scope();
  x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(4, 2, 3));
  TF_Output h = sl_get_variable(s, "h", TF_FLOAT, SL_SHAPE(2, 2));
  expect_network("initial",
                 sl_dynamic_rnn(s, sl_basic_rnn_cell(s, 2, .activation = SL_RELU), x, .initial_state = SL_OUTPUTS(h),
                                .time_major = true),
                 s);
}

SLI_TEST(test_bidirectional_networks_have_tensorflows_values_and_gradients) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(2, 4, 3));
  sl_bidirectional_rnn_t both =
      sl_bidirectional_dynamic_rnn(s, sl_lstm_cell(s, 2), sl_gru_cell(s, 2), x, .sequence_length = lengths_of(s, 4, 2));
  sli_expect_values(s,
                    SL_OUTPUTS(both.forward.outputs, both.backward.outputs, both.forward.state.items[0],
                               both.forward.state.items[1], both.backward.state.items[0]),
                    "rnn_values", "both");
  sl_scope_release(s);
}

static void expect_static(const char *name, bool lengths) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_get_variable(s, "x", TF_FLOAT, SL_SHAPE(2, 4, 3));
  sl_op_list_t steps = sl_op_unpack(s, x, 4, .axis = 1);
  TF_Output inputs[4], outputs[6];
  for (int i = 0; i < 4; i++) inputs[i] = sl_op_at(steps, i);
  sl_rnn_cell_t *cell = lengths ? sl_gru_cell(s, 2) : sl_lstm_cell(s, 2);
  sl_static_rnn_t rnn = sl_static_rnn(s, cell, ((sl_outputs_t){4, inputs}),
                                      .sequence_length = lengths ? lengths_of(s, 3, 1) : (TF_Output){0});
  for (int i = 0; i < 4; i++) outputs[i] = rnn.outputs.items[i];
  for (size_t i = 0; i < rnn.state.count; i++) outputs[4 + i] = rnn.state.items[i];
  sli_expect_values(s, (sl_outputs_t){4 + rnn.state.count, outputs}, "rnn_values", name);
  sl_scope_release(s);
}

SLI_TEST(test_static_networks_have_tensorflows_values_and_gradients) {
  expect_static("static", false);
  expect_static("static_lengths", true);
}

SLI_TEST(test_dropout_keeps_about_the_given_fraction) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_ones(s, TF_FLOAT, SL_SHAPE(100, 3, 10));
  sl_rnn_cell_t *cell = sl_dropout_wrapper(s, sl_basic_rnn_cell(s, 10), .output_keep_prob = 0.25);
  TF_Output outputs = sl_dynamic_rnn(s, cell, x).outputs;
  TF_Output kept = sl_mean(s, sl_cast(s, sl_not_equal(s, outputs, sl_scalar(s, TF_FLOAT, 0)), TF_FLOAT));
  double share;
  sli_test_run(s, sl_global_variables_initializer(s), &kept, 1, &share, 1);
  SLI_EXPECT_NEAR(share, 0.25, 0.05);
  sl_scope_release(s);
}

SLI_TEST(test_variational_dropout_drops_the_same_at_all_steps) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_ones(s, TF_FLOAT, SL_SHAPE(5, 3, 10));
  sl_rnn_cell_t *cell =
      sl_dropout_wrapper(s, sl_basic_rnn_cell(s, 40), .output_keep_prob = 0.5, .variational_recurrent = true);
  TF_Output outputs = sl_dynamic_rnn(s, cell, x).outputs;
  TF_Output kept = sl_cast(s, sl_not_equal(s, outputs, sl_scalar(s, TF_FLOAT, 0)), TF_FLOAT);
  double values[5 * 3 * 40], sum = 0;
  SLI_REQUIRE(sli_test_run(s, sl_global_variables_initializer(s), &kept, 1, values, 600) == 600);
  for (int i = 0; i < 600; i++) SLI_EXPECT_NEAR(values[i], values[i % 40], 0);
  for (int i = 0; i < 40; i++) sum += values[i];
  SLI_EXPECT(sum > 0 && sum < 40);
  sl_scope_release(s);
}

SLI_TEST(test_a_cell_used_twice_has_one_set_of_variables) {
  sl_scope_t *s = sl_graph_scope();
  sl_rnn_cell_t *cell = sl_lstm_cell(s, 4);
  sl_outputs_t zeros = sl_rnn_cell_zero_state(s, cell, 2, TF_FLOAT);
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 3));
  sl_rnn_t once = sl_rnn_cell_call(s, cell, x, zeros);
  sl_rnn_t twice = sl_rnn_cell_call(s, cell, x, once.state);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 2);
  SLI_EXPECT_INT(twice.state.count, sl_rnn_cell_state_count(cell));
  SLI_EXPECT_INT(sl_rnn_cell_output_size(cell), 4);
  SLI_EXPECT_TEXT(TF_OperationName(sl_collection_items(s, SL_TRAINABLE_VARIABLES)[0].oper), "lstm_cell/kernel/read");
  sl_rnn_cell_call(s, sl_lstm_cell(s, 4), x, once.state);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 4);
  sl_rnn_cell_call(s, sl_lstm_cell(s, 4, .name = "lstm_cell", .reuse = SL_REUSE), x, once.state);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 4);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sl_scope_release(s);
}

// The results of tf.nn.ctc_greedy_decoder for the paths 0 0 blank 0 and 1 1 0.
SLI_TEST(test_greedy_decoding_equals_tensorflows) {
  sl_scope_t *s = sl_graph_scope();
  static const int path[2][4] = {{0, 0, 2, 0}, {1, 1, 0, 2}};
  float logits[4][2][3] = {0};
  for (int i = 0; i < 8; i++) logits[i % 4][i / 4][path[i / 4][i % 4]] = 1 + 0.5f * (float)(i % 4);
  TF_Output x = sl_constant(s, TF_FLOAT, SL_SHAPE(4, 2, 3), logits);
  static const double merged[] = {0, 0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 2, 2, -7, -4.5};
  static const double repeated[] = {0, 0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 2, 0, 0, 0, 1, 1, 0, 2, 3, -7, -4.5};
  for (int i = 0; i < 2; i++) {
    sl_ctc_decoded_t read = sl_ctc_greedy_decoder(s, x, lengths_of(s, 4, 3), .keep_repeated = i);
    TF_Output outputs[] = {read.decoded.indices, read.decoded.values, read.decoded.dense_shape, read.neg_sum_logits};
    size_t count = i ? SLI_ARRAY_COUNT_OF(repeated) : SLI_ARRAY_COUNT_OF(merged);
    double values[32];
    SLI_EXPECT_INT(sli_test_run(s, NULL, outputs, 4, values, 32), count);
    for (size_t k = 0; k < count; k++) SLI_EXPECT_NEAR(values[k], (i ? repeated : merged)[k], 1e-6);
  }
  sl_scope_release(s);
}

// --- Errors ---

SLI_TEST(test_bad_networks_say_why) {
  sl_scope_t *s = sl_graph_scope();
  sl_rnn_t rnn = sl_dynamic_rnn(s, sl_lstm_cell(s, 4), sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 7)));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Shape (?, 7) must have rank at least 3");
  SLI_EXPECT_INT(rnn.state.count, 2);
  sl_scope_release(s);

  s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 7, 3)), h = sl_zeros(s, TF_FLOAT, SL_SHAPE(2, 4));
  sl_dynamic_rnn(s, sl_lstm_cell(s, 4), x, .initial_state = SL_OUTPUTS(h));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "initial_state of a LSTMCell must hold 2 outputs, got 1");
  sl_scope_release(s);

  s = sl_graph_scope();
  sl_basic_lstm_cell(s, 4, .use_peepholes = true);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "use sl_lstm_cell");
  sl_scope_release(s);

  s = sl_graph_scope();
  sl_dropout_wrapper(s, sl_gru_cell(s, 4), .state_keep_prob = 1.5);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Parameter state_keep_prob must be between 0 and 1. Received 1.5");
  sl_scope_release(s);

  s = sl_graph_scope();
  sl_dropout_wrapper(s, sl_gru_cell(s, 4), .input_keep_prob = 0.5, .variational_recurrent = true);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "input_size must be provided");
  sl_scope_release(s);

  s = sl_graph_scope();
  sl_gru_cell(s, 0);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "GRUCell: units must be at least 1, got 0");
  sl_scope_release(s);
}

// One length too many is an error at run time.
SLI_TEST(test_lengths_of_another_batch_fail_the_run) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder_with_default(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(3, 4, 2)), SL_SHAPE(-1, 4, 2));
  TF_Output lengths = sl_placeholder_with_default(s, lengths_of(s, 1, 1), SL_SHAPE(-1));
  TF_Output outputs = sl_dynamic_rnn(s, sl_gru_cell(s, 2), x, .sequence_length = lengths).outputs;
  TF_Operation *initializer = sl_global_variables_initializer(s);
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(s), options, status);
  const TF_Operation *targets[] = {initializer};
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &outputs, &value, 1, NULL, 0, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT_CONTAINS(TF_Message(status), "Expected shape for Tensor rnn/sequence_length:0 is");
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_layers_on_different_devices, test_variational_dropout,
              test_variational_dropout_drops_the_same_at_all_steps, test_dynamic_networks, test_bidirectional_networks,
              test_static_networks, test_a_workers_network_has_its_variables_on_the_ps,
              test_dynamic_networks_have_tensorflows_values_and_gradients,
              test_bidirectional_networks_have_tensorflows_values_and_gradients,
              test_static_networks_have_tensorflows_values_and_gradients, test_dropout_keeps_about_the_given_fraction,
              test_a_cell_used_twice_has_one_set_of_variables, test_greedy_decoding_equals_tensorflows,
              test_bad_networks_say_why, test_lengths_of_another_batch_fail_the_run)
