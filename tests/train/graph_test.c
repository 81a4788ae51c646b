// Compares the graphs that the training library builds, node by node, with those of
// TensorFlow's Python library.
#include "base/test.h"
#include "tests/train/golden.h"
#include "train/graph/scope.h"

// --- The graphs ---

typedef sl_optimizer_t *(*optimizer_function_t)(sl_scope_t *s);

static void expect_mlp(const char *listing, optimizer_function_t make_optimizer) {
  sl_server_t *server = sli_test_idle_server();
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(s);
    TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    TF_Output y = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 10), .name = "y");
    TF_Output hidden = sl_dense(s, x, 500, .activation = SL_RELU, .name = "hidden");
    TF_Output loss =
        sl_losses_softmax_cross_entropy(s, y, sl_dense(s, hidden, 10), .name = "softmax_cross_entropy_loss");
    // The loss in the listings has other nodes inside but the same name.
    TF_Output value = {TF_GraphOperationByName(s->graph, "softmax_cross_entropy_loss/value"), 0};
    SLI_EXPECT(value.oper == loss.oper);
    sl_minimize(s, make_optimizer(s), loss, .global_step = step);
    sl_summary_scalar(s, "loss", loss);
  }
  sl_global_variables_initializer(s);
  sl_summary_merge_all(s);
  sl_saver(s, .sharded = true);
  sl_saver(s);
  sli_expect_listing(s, listing);
  sl_scope_release(s);
  sl_server_release(server);
}

static sl_optimizer_t *make_gradient_descent(sl_scope_t *s) { return sl_gradient_descent(s, 0.1); }
static sl_optimizer_t *make_momentum(sl_scope_t *s) { return sl_momentum(s, 0.1, 0.9); }
static sl_optimizer_t *make_adagrad(sl_scope_t *s) { return sl_adagrad(s, 0.1); }
static sl_optimizer_t *make_adam(sl_scope_t *s) { return sl_adam(s, 0.1); }
static sl_optimizer_t *make_rms_prop(sl_scope_t *s) { return sl_rms_prop(s, 0.1); }

SLI_TEST(test_mlp_with_gradient_descent) { expect_mlp("mlp_gradient_descent", make_gradient_descent); }
SLI_TEST(test_mlp_with_momentum) { expect_mlp("mlp_momentum", make_momentum); }
SLI_TEST(test_mlp_with_adagrad) { expect_mlp("mlp_adagrad", make_adagrad); }
SLI_TEST(test_mlp_with_adam) { expect_mlp("mlp_adam", make_adam); }
SLI_TEST(test_mlp_with_rms_prop) { expect_mlp("mlp_rms_prop", make_rms_prop); }

SLI_TEST(test_initializers) {
  static const struct {
    const char *name;
    sl_initializer_t initializer;
  } rows[] = {{"z", SL_ZEROS},
              {"o", SL_ONES},
              {"c", SL_CONSTANT(2)},
              {"n", SL_RANDOM_NORMAL(0, 1)},
              {"t", SL_RANDOM_TRUNCATED_NORMAL(0, 0.1)},
              {"u", SL_RANDOM_UNIFORM(-1, 1)},
              {"gn", SL_GLOROT_NORMAL},
              {"he", SL_HE_NORMAL},
              {"default", {0}},
              {"vs", SL_VARIANCE_SCALING(1.5, SL_FAN_OUT, SL_UNTRUNCATED_NORMAL)},
              {"lu", SL_LECUN_UNIFORM}};
  sl_scope_t *s = sl_graph_scope();
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++)
    sl_get_variable(s, rows[i].name, TF_FLOAT, SL_SHAPE(50, 30), .initializer = rows[i].initializer);
  sl_get_variable(s, "i", TF_INT32, SL_SHAPE(2));
  TF_Output wide = sl_get_variable(s, "wide", TF_FLOAT, SL_SHAPE(2, 6), .initializer = SL_ORTHOGONAL(1));
  sl_get_variable(s, "tall", TF_FLOAT, SL_SHAPE(2, 3, 4), .initializer = SL_ORTHOGONAL(2));
  sl_get_variable(s, "list", TF_FLOAT, SL_SHAPE(2, 2), .initializer = SL_VALUES(1, 2, 3, 4));
  sli_expect_listing(s, "initializers");
  double values[12];
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), &wide, 1, values, 12), 12);
  double dot = 0, square = 0;
  for (int i = 0; i < 6; i++) dot += values[i] * values[6 + i];
  for (int i = 0; i < 6; i++) square += values[i] * values[i];
  SLI_EXPECT_NEAR(dot, 0, 1e-5);
  SLI_EXPECT_NEAR(square, 1, 1e-5);
  sl_scope_release(s);
}

SLI_TEST(test_scopes) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output v = sl_variable(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(3)));
  TF_Output w = sl_variable(s, sl_truncated_normal(s, TF_FLOAT, SL_SHAPE(2, 2), .stddev = 0.1), .name = "w");
  SL_NAME_SCOPE (s, "n") {
    sl_variable(s, sl_ones(s, TF_FLOAT, SL_SHAPE(2)), .name = "v");
  }
  SL_VARIABLE_SCOPE (s, "vs") {
    sl_get_variable(s, "g", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ZEROS);
    sl_add(s, v, v);
    sl_dense(s, sl_dense(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(2, 2)), 3), 3);
  }
  SL_VARIABLE_SCOPE (s, "vs") {
    sl_identity(s, v);
  }
  SL_NAME_SCOPE (s, "n") {
    sl_identity(s, v);
    sl_identity(s, v, .name = "identity");
  }
  SL_CONTROL_DEPENDENCIES (s, sl_no_op(s)) {
    TF_Output b = sl_identity(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(2)));
    sl_add(s, b, sl_ones(s, TF_FLOAT, SL_SHAPE(2), .name = "y"));
  }
  sl_assign(s, w, w);
  SL_DEVICE (s, "/job:ps") {
    SL_DEVICE (s, "/task:1/cpu:0") {
      sl_no_op(s, .name = "inner");
    }
    SL_DEVICE (s, "/job:worker/task:0") {
      sl_no_op(s, .name = "other");
    }
    SL_DEVICE (s, (const char *)NULL) {
      sl_no_op(s, .name = "nowhere");
    }
    SL_COLOCATE_WITH(s, sl_variable_info(s, v)->reference.oper) { sl_no_op(s, .name = "together"); }
  }
  sli_expect_listing(s, "scopes");
  sl_scope_release(s);
}

SLI_TEST(test_variable_scopes) {
  sl_scope_t *s = sl_graph_scope();
  SL_VARIABLE_SCOPE (s, "a", .initializer = SL_CONSTANT(0.5), .regularizer = SL_L2_REGULARIZER(0.25)) {
    sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2, 3));
    sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(2), .regularizer = SL_L1_REGULARIZER(0.125));
    SL_VARIABLE_SCOPE (s, "b", .regularizer = SL_L1_L2_REGULARIZER(0.5, 0.75)) {
      sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2));
      sl_get_variable(s, "i", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ONES);
    }
  }
  SL_VARIABLE_SCOPE (s, "a", .reuse = SL_REUSE) {
    sl_identity(s, sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2, 3)));
    SL_VARIABLE_SCOPE (s, "b") {
      sl_identity(s, sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2)));
    }
  }
  for (int i = 0; i < 2; i++) {
    SL_VARIABLE_SCOPE (s, NULL, .default_name = "cell") {
      sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(1));
    }
  }
  SL_VARIABLE_SCOPE (s, "towers") {
    sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(1));
    sl_reuse_variables(s);
    sl_identity(s, sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(1)));
  }
  SL_VARIABLE_SCOPE (s, "auto", .reuse = SL_AUTO_REUSE) {
    sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(1));
    sl_identity(s, sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(1)));
  }
  sl_add_n(s, sl_collection(s, SL_REGULARIZATION_LOSSES, NULL), .name = "all");
  sl_add_n(s, sl_collection(s, SL_REGULARIZATION_LOSSES, "a/b"), .name = "some");
  sl_local_variables_initializer(s);
  sl_variables_initializer(s, sl_collection(s, SL_TRAINABLE_VARIABLES, "a/b"), .name = "init_b");
  TF_Output one = sl_constant(s, TF_FLOAT, SL_SHAPE(1), (float[]){1}, .name = "AssignSub/value");
  sl_assign_sub(s, sl_collection(s, SL_TRAINABLE_VARIABLES, "cell").items[0], one);
  sli_expect_listing(s, "variable_scopes");
  double values[2];
  TF_Output losses[] = {sl_identity(s, sl_collection(s, SL_REGULARIZATION_LOSSES, "a/w").items[0]),
                        sl_identity(s, sl_collection(s, SL_REGULARIZATION_LOSSES, "a/b/i").items[0])};
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), losses, 2, values, 2), 2);
  SLI_EXPECT_NEAR(values[0], 0.25 * 6 * 0.25 / 2, 1e-6);
  SLI_EXPECT_NEAR(values[1], 0.5 * 2 + 0.75 * 2 / 2, 1e-6);
  sl_scope_release(s);
}

SLI_TEST(test_seeds) {
  sl_scope_t *s = sl_graph_scope();
  sl_random_normal(s, TF_FLOAT, SL_SHAPE(3));
  sl_random_uniform(s, TF_FLOAT, SL_SHAPE(3), .seed = 5);
  sl_set_random_seed(s, 0);
  sl_random_normal(s, TF_FLOAT, SL_SHAPE(3));
  sl_set_random_seed(s, (INT64_C(1) << 31) + 4);
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3, 4));
  sl_truncated_normal(s, TF_FLOAT, SL_SHAPE(3));
  sl_random_uniform(s, TF_FLOAT, SL_SHAPE(3), .seed = 5);
  sl_random_uniform(s, TF_FLOAT, SL_SHAPE(3), .minimum = -1, .maximum = 1, .seed = -5);
  sl_random_uniform(s, TF_INT32, SL_SHAPE(2, 2), .minimum = 1, .maximum = 7, .name = "dice");
  sl_random_shuffle_queue(s, 10, &(TF_DataType){TF_FLOAT}, 1, .min_after_dequeue = 1);
  sli_expect_listing(s, "seeds");
  sl_random_uniform(s, TF_INT64, SL_SHAPE(2));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "for integers, maximum must be above minimum, got minimum");
  sl_scope_release(s);
}

SLI_TEST(test_partitioned_variables) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output p = sl_get_variable(s, "p", TF_FLOAT, SL_SHAPE(10, 3), .partitioner = SL_FIXED_SIZE_PARTITIONER(3));
  sl_identity(s, p, .name = "whole");
  SL_VARIABLE_SCOPE (s, "s", .partitioner = SL_VARIABLE_AXIS_SIZE_PARTITIONER(64)) {
    sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(10, 4), .initializer = SL_ZEROS);
    sl_get_variable(s, "small", TF_FLOAT, SL_SHAPE(2, 2), .initializer = SL_ONES);
    sl_get_variable(s, "scalar", TF_FLOAT, SL_SHAPE());
  }
  TF_Output m = sl_get_variable(s, "m", TF_FLOAT, SL_SHAPE(8, 512), .initializer = SL_ZEROS,
                                .partitioner = SL_MIN_MAX_VARIABLE_PARTITIONER(4, .axis = 1, .bytes = 4 << 10));
  sl_identity(s, m, .name = "columns");
  sli_expect_listing(s, "partitioners");
  sl_outputs_t parts = sl_variable_parts(s, p);
  SLI_EXPECT_INT(parts.count, 3);
  const sl_variable_info_t *part = sl_variable_info(s, parts.items[1]);
  SLI_EXPECT_TEXT(part->name, "p/part_1");
  SLI_EXPECT_TEXT(part->saved_name, "p");
  SLI_EXPECT_TEXT(part->slice, "10 3 4,3:0,3");
  sl_optimizer_t *optimizer = sl_momentum(s, 0.1, 0.9);
  sl_minimize(s, optimizer, sl_mean(s, p), .variables = parts.items, .variable_count = parts.count);
  const sl_variable_info_t *slot = sl_variable_info(s, sl_optimizer_slot(optimizer, parts.items[1], "Momentum"));
  SLI_REQUIRE(slot);
  SLI_EXPECT_TEXT(slot->name, "p/part_1/Momentum");
  SLI_EXPECT_TEXT(slot->saved_name, "p/Momentum");
  SLI_EXPECT_TEXT(slot->slice, "10 3 4,3:0,3");
  SL_VARIABLE_SCOPE (s, "", .reuse = SL_REUSE) {
    TF_Output again = sl_get_variable(s, "p", TF_FLOAT, SL_SHAPE(10, 3), .partitioner = SL_FIXED_SIZE_PARTITIONER(3));
    SLI_EXPECT(again.oper == p.oper);
  }
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sl_get_variable(s, "q", TF_FLOAT, SL_SHAPE(4), .partitioner = SL_FIXED_SIZE_PARTITIONER(2, .axis = 1));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Cannot partition variable q along axis 1 when its rank is only 1");
  sl_scope_release(s);
}

// Runs |run| in a session on the scope's graph, after the initialiser.
static void in_session(sl_scope_t *s, void (*run)(sl_saver_t *saver, TF_Session *session, TF_Status *status)) {
  sl_saver_t *saver = sl_saver(s);
  const TF_Operation *initializer = sl_global_variables_initializer(s);
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(s), options, status);
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &initializer, 1, NULL, status);
  if (TF_GetCode(status) == TF_OK) run(saver, session, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
}

static const char *partition_prefix(void) {
  static char path[256];
  snprintf(path, sizeof(path), "%s/parts", sli_test_temporary_dir());
  return path;
}

static void save_parts(sl_saver_t *saver, TF_Session *session, TF_Status *status) {
  sl_saver_save(saver, session, partition_prefix(), -1, NULL, status);
}

static void restore_whole(sl_saver_t *saver, TF_Session *session, TF_Status *status) {
  sl_saver_restore(saver, session, partition_prefix(), status);
}

SLI_TEST(test_parts_are_one_variable_in_a_checkpoint) {
  sl_scope_t *s = sl_graph_scope();
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(5, 3), .partitioner = SL_FIXED_SIZE_PARTITIONER(2));
  in_session(s, save_parts);
  sl_scope_release(s);
  s = sl_graph_scope();
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(5, 3));
  in_session(s, restore_whole);
  sl_scope_release(s);
  s = sl_graph_scope();
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(5, 3), .partitioner = SL_FIXED_SIZE_PARTITIONER(3, .axis = 1));
  in_session(s, restore_whole);
  sl_scope_release(s);
}

SLI_TEST(test_decays) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output step = sl_global_step(s);
  sl_exponential_decay(s, 0.1, step, 1000, 0.9);
  sl_exponential_decay(s, 0.1, step, 1000, 0.9, .staircase = true);
  sl_inverse_time_decay(s, 0.1, step, 100, 0.5);
  sl_polynomial_decay(s, 0.1, step, 1000, 0.0001);
  sl_natural_exp_decay(s, 0.1, step, 100, 0.5);
  sl_cosine_decay(s, 0.1, step, 1000, .alpha = 0.1);
  sl_polynomial_decay(s, 0.1, step, 100, 0.01, .power = 2, .cycle = true);
  sli_expect_listing(s, "decays");
  sl_scope_release(s);
}

SLI_TEST(test_slots_are_found_by_name) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3));
  sl_optimizer_t *optimizer = sl_adam(s, 0.1);
  sl_minimize(s, optimizer, sl_mean(s, sl_square(s, w)));
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  const sl_variable_info_t *slot = sl_variable_info(s, sl_optimizer_slot(optimizer, w, "Adam_1"));
  SLI_REQUIRE(slot);
  SLI_EXPECT_TEXT(slot->name, "w/Adam_1");
  SLI_EXPECT(!slot->trainable);
  SLI_EXPECT(!sl_optimizer_slot(optimizer, w, "Momentum").oper);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 1);
  sl_scope_release(s);
}

static const char *input_name(TF_Output output, int index) {
  return TF_OperationName(TF_OperationInput((TF_Input){output.oper, index}).oper);
}

SLI_TEST(test_summaries_have_tensorflows_nodes) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output images = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 4, 4, 1)), y = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 9));
  TF_Output histogram = sl_summary_histogram(s, "h", y), image = sl_summary_image(s, "i", images, 2);
  TF_Output audio = sl_summary_audio(s, "a", y, 8000, 0), merged = sl_summary_merge_all(s);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_REQUIRE(histogram.oper && image.oper && audio.oper && merged.oper);
  SLI_EXPECT_TEXT(TF_OperationOpType(histogram.oper), "HistogramSummary");
  SLI_EXPECT_TEXT(TF_OperationName(histogram.oper), "h");
  SLI_EXPECT_TEXT(input_name(histogram, 0), "h/tag");
  SLI_EXPECT_TEXT(TF_OperationOpType(image.oper), "ImageSummary");
  SLI_EXPECT_TEXT(input_name(image, 0), "i/tag");
  SLI_EXPECT_TEXT(TF_OperationOpType(audio.oper), "AudioSummaryV2");
  SLI_EXPECT_TEXT(input_name(audio, 2), "a/sample_rate");
  SLI_EXPECT_INT(TF_OperationNumInputs(merged.oper), 3);
  int64_t count = 0;
  TF_Status *status = TF_NewStatus();
  TF_OperationGetAttrInt(image.oper, "max_images", &count, status);
  SLI_EXPECT_INT(count, 2);
  TF_OperationGetAttrInt(audio.oper, "max_outputs", &count, status);
  SLI_EXPECT_INT(count, 3);
  TF_DeleteStatus(status);
  TF_Output scalar = sl_summary_scalar(s, "/loss of batch:1", sl_scalar(s, TF_FLOAT, 1));
  SLI_EXPECT_TEXT(scalar.oper ? TF_OperationName(scalar.oper) : "", "loss_of_batch_1");
  TF_Output spaced = sl_summary_histogram(s, "h 1", y);
  SLI_EXPECT_TEXT(spaced.oper ? TF_OperationName(spaced.oper) : "", "h_1");
  sl_summary_audio(s, "silent", y, 0, 0);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "'silent': sample_rate must be above 0, got");
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_summaries_have_tensorflows_nodes, test_mlp_with_gradient_descent, test_mlp_with_momentum,
              test_mlp_with_adagrad, test_mlp_with_adam, test_mlp_with_rms_prop, test_initializers, test_scopes,
              test_variable_scopes, test_seeds, test_partitioned_variables, test_parts_are_one_variable_in_a_checkpoint,
              test_decays, test_slots_are_found_by_name)
