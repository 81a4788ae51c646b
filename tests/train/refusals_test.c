// What TensorFlow's Python library refuses while a graph is built is refused here, at
// the line of the call. The texts were compared with TensorFlow 2.15.
#include <stdlib.h>
#include <string.h>

#include "base/test.h"
#include "sluice/dataset.h"
#include "sluice/ops/array.h"
#include "sluice/sluice.h"

static const TF_DataType one_float[] = {TF_FLOAT}, two_floats[] = {TF_FLOAT, TF_FLOAT};

static TF_Output queue_of(sl_scope_t *s, const sl_shape_t *shape) {
  return sl_fifo_queue(s, 3, one_float, 1, .shapes = shape);
}

#define PLACEHOLDER(dtype, ...) sl_placeholder(s, dtype, SL_SHAPE(__VA_ARGS__))

// Checks that the scope's error is |text| at a line of the call, which may have a few lines, from |line| on. Releases
// |s|.
static void expect_refused(sl_scope_t *s, int line, const char *text) {
  enum { MOST_LINES = 4 };
  const char *error = sl_scope_error(s), *place = "refusals_test.c:";
  SLI_EXPECT_CONTAINS(error, place);
  char *rest = NULL;
  long found = strncmp(error, place, strlen(place)) == 0 ? strtol(error + strlen(place), &rest, 10) : 0;
  SLI_EXPECT(found >= line && found < line + MOST_LINES);
  SLI_EXPECT_CONTAINS(error, text);
  sl_scope_release(s);
}

// Runs the statement with a new scope |s|, and checks the error of the scope.
#define EXPECT_REFUSED(text, ...)      \
  do {                                 \
    sl_scope_t *s = sl_graph_scope();  \
    __VA_ARGS__;                       \
    expect_refused(s, __LINE__, text); \
  } while (0)

SLI_TEST(test_what_is_enqueued_fits_the_queue) {
  static const sl_shape_t pair = {.rank = 1, .dims = {2}};
  EXPECT_REFUSED("component_0: Tensor conversion requested dtype float for Tensor with dtype int32: 'Placeholder:0'",
                 sl_queue_enqueue(s, queue_of(s, &pair), SL_OUTPUTS(PLACEHOLDER(TF_INT32, 2))));
  EXPECT_REFUSED("Shapes (3,) and (2,) are incompatible",
                 sl_queue_enqueue(s, queue_of(s, &pair), SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 3))));
  EXPECT_REFUSED("Shapes (3,) and (2,) are incompatible",
                 sl_queue_enqueue_many(s, queue_of(s, &pair), SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 5, 3))));
  EXPECT_REFUSED("Dimensions 5 and 4 are not compatible",
                 sl_queue_enqueue_many(s, sl_fifo_queue(s, 3, two_floats, 2),
                                       SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 5, 3), PLACEHOLDER(TF_FLOAT, 4, 3))));
  EXPECT_REFUSED(
      "Dimensions 5 and 4 are not compatible",
      sl_batch(s, SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 5, 3), PLACEHOLDER(TF_FLOAT, 4, 3)), 2, .enqueue_many = true));
  EXPECT_REFUSED("component_0: Shape () must have rank at least 1",
                 sl_queue_enqueue_many(s, queue_of(s, &pair), SL_OUTPUTS(PLACEHOLDER(TF_FLOAT))));
  EXPECT_REFUSED(
      "an element of queue 'fifo_queue' has 1 components, got 2",
      sl_queue_enqueue(s, queue_of(s, &pair), SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 2), PLACEHOLDER(TF_FLOAT, 2))));
  sl_scope_t *s = sl_graph_scope();
  TF_Output queue = queue_of(s, &pair), shapeless = queue_of(s, NULL);
  sl_queue_enqueue(s, queue, SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, -1)));
  sl_queue_enqueue_many(s, queue, SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, -1, 2)));
  sl_queue_enqueue(s, shapeless, SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 7, 7)));
  SLI_EXPECT_INT(sl_queue_dequeue_many(s, shapeless, 2).count, 1);  // an error when it runs, as in Python
  SLI_EXPECT_INT(sl_static_shape(s, sl_queue_dequeue(s, shapeless).items[0]).rank, -1);
  SLI_EXPECT_INT(sl_static_shape(s, sl_queue_dequeue_many(s, queue, 4).items[0]).dims[0], 4);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  sl_scope_release(s);
}

SLI_TEST(test_layers_and_losses_take_floats) {
  EXPECT_REFUSED("A Dense layer can only be built with a floating-point dtype. Received: dtype=int32",
                 sl_dense(s, PLACEHOLDER(TF_INT32, -1, 3), 10));
  EXPECT_REFUSED("sl_nn_dropout: keep_prob: Shape (3,) must have rank 0",
                 sl_nn_dropout(s, PLACEHOLDER(TF_FLOAT, 4, 3), PLACEHOLDER(TF_FLOAT, 3)));
  EXPECT_REFUSED("`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=int32",
                 sl_nn_dropout(s, PLACEHOLDER(TF_INT32, 3), PLACEHOLDER(TF_FLOAT)));
  EXPECT_REFUSED("Invalid type tf.int32 for Cast:0, expected: [tf.float32, tf.float64, tf.float16, tf.bfloat16].",
                 TF_Output v = sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE());
                 sl_minimize(s, sl_gradient_descent(s, 0.1), sl_cast(s, v, TF_INT32)));
}

#define RANK(layer, wanted, found, shape)                                                                 \
  "Input 0 of layer \"" layer "\" is incompatible with the layer: expected " wanted ", found ndim=" found \
  ". Full shape "                                                                                         \
  "received: " shape
#define CHANNELS(shape)                                                                       \
  "The channel dimension of the inputs should be defined. The input_shape received is " shape \
  ", where axis -1 (0-based) "                                                                \
  "is the channel dimension, which found to be `None`."

SLI_TEST(test_layers_name_rank_and_last_dimension) {
  EXPECT_REFUSED(RANK("dense", "min_ndim=2", "1", "(4,)"), sl_dense(s, PLACEHOLDER(TF_FLOAT, 4), 3));
  EXPECT_REFUSED(
      "The last dimension of the inputs to a Dense layer should be defined. Found None. Full input shape "
      "received: (?, ?)",
      sl_dense(s, PLACEHOLDER(TF_FLOAT, -1, -1), 3));
  EXPECT_REFUSED(RANK("conv1d", "ndim=3", "2", "(4, 8)"), sl_conv1d(s, PLACEHOLDER(TF_FLOAT, 4, 8), 3, 3));
  EXPECT_REFUSED(CHANNELS("(4, 8, 8, ?)"), sl_conv2d(s, PLACEHOLDER(TF_FLOAT, 4, 8, 8, -1), 3, SL_SIZE(3, 3)));
  EXPECT_REFUSED(CHANNELS("<unknown>"),
                 sl_conv2d_transpose(s, sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE), 3, SL_SIZE(3, 3)));
  EXPECT_REFUSED(RANK("max_pooling2d", "ndim=4", "3", "(4, 8, 8)"),
                 sl_max_pooling2d(s, PLACEHOLDER(TF_FLOAT, 4, 8, 8), SL_SIZE(2, 2), SL_SIZE(2, 2)));
  EXPECT_REFUSED(RANK("average_pooling1d", "ndim=3", "2", "(4, 8)"),
                 sl_average_pooling1d(s, PLACEHOLDER(TF_FLOAT, 4, 8), 2, 2));
  EXPECT_REFUSED(
      RANK("gru_cell", "ndim=2", "1", "(3,)"),
      sl_rnn_cell_call(s, sl_gru_cell(s, 4), PLACEHOLDER(TF_FLOAT, 3), SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 3, 4))));
  EXPECT_REFUSED(
      "Expected inputs.shape[-1] to be known, received shape: (3, ?)",
      sl_rnn_cell_call(s, sl_gru_cell(s, 4), PLACEHOLDER(TF_FLOAT, 3, -1), SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 3, 4))));
  EXPECT_REFUSED("RNN cell only supports floating point inputs, but received dtype: int32",
                 sl_dynamic_rnn(s, sl_gru_cell(s, 4), PLACEHOLDER(TF_INT32, 3, 5, 2)));
  EXPECT_REFUSED("`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype=int32",
                 sl_dropout(s, PLACEHOLDER(TF_INT32, 3), 0.5, .training = true));
}

SLI_TEST(test_losses_are_not_empty) {
  EXPECT_REFUSED("sl_losses_compute_weighted: losses must not be empty",
                 sl_losses_compute_weighted(s, ((TF_Output){0}), .reduction = SL_REDUCTION_NONE));
  EXPECT_REFUSED("sl_losses_add: loss must not be empty", sl_losses_add(s, ((TF_Output){0})));
}

SLI_TEST(test_datasets_queues_and_features_are_named_with_their_own_line) {
  EXPECT_REFUSED("size must be at least 1, got 0", sl_dataset_t *data = sl_dataset_range(s, 0, 9);
                 sl_dataset_batch(data, 0, false));
  EXPECT_REFUSED("sl_dataset_parse needs batches of strings", sl_dataset_t *data = sl_dataset_range(s, 0, 9);
                 sl_dataset_parse(data, SL_FEATURES(SL_FIXED_LEN_FEATURE("a", TF_INT64, SL_SHAPE()))));
  EXPECT_REFUSED("no feature 'b'", sl_parsed_t *parsed = sl_parse_single_example(
                                       s, PLACEHOLDER(TF_STRING), SL_FEATURES(SL_VAR_LEN_FEATURE("a", TF_INT64)));
                 sl_parsed_dense(parsed, "b"));
  EXPECT_REFUSED("Input 'handle' passed float expected resource", TF_Output x = PLACEHOLDER(TF_FLOAT);
                 sl_queue_close(s, x, false));
}

SLI_TEST(test_strides_are_positive) {
  EXPECT_REFUSED("conv2d: strides must be at least 1 x 1, got -1 x 1",
                 sl_conv2d(s, PLACEHOLDER(TF_FLOAT, 4, 8, 8, 1), 2, SL_SIZE(3, 3), .strides = SL_SIZE(-1, 1)));
  EXPECT_REFUSED("conv1d: strides must be at least 1 x 1, got -2 x 1",
                 sl_conv1d(s, PLACEHOLDER(TF_FLOAT, 4, 8, 1), 2, 3, .strides.rows = -2));
  EXPECT_REFUSED("max_pooling2d: strides must be at least 1 x 1, got 0 x 2",
                 sl_max_pooling2d(s, PLACEHOLDER(TF_FLOAT, 4, 8, 8, 1), SL_SIZE(2, 2), SL_SIZE(0, 2)));
  EXPECT_REFUSED("max_pooling1d: strides must be at least 1 x 1, got -1 x 1",
                 sl_max_pooling1d(s, PLACEHOLDER(TF_FLOAT, 4, 8, 1), 2, -1));
}

SLI_TEST(test_numbers_of_optimizers_and_summaries_are_in_range) {
  TF_Output step;
  EXPECT_REFUSED("initial_accumulator_value must be positive: -1", sl_adagrad(s, 0.1, .initial_accumulator_value = -1));
  EXPECT_REFUSED("initial_accumulator_value must be positive: -1",
                 sl_proximal_adagrad(s, 0.1, .initial_accumulator_value = -1));
  EXPECT_REFUSED("initial_gradient_squared_accumulator_value must be positive: -1", step = sl_global_step(s);
                 sl_adagrad_da(s, 0.1, step, .initial_accumulator_value = -1));
  EXPECT_REFUSED("initial_accumulator_value -1.000000 needs to be positive or zero",
                 sl_ftrl(s, 0.1, .initial_accumulator_value = -1));
  EXPECT_REFUSED("learning_rate_power 1.000000 needs to be negative or zero",
                 sl_ftrl(s, 0.1, .learning_rate_power = 1));
  EXPECT_REFUSED("l1_regularization_strength -1.000000 needs to be positive or zero", sl_ftrl(s, 0.1, .l1 = -1));
  EXPECT_REFUSED("l2_regularization_strength -2.000000 needs to be positive or zero", sl_ftrl(s, 0.1, .l2 = -2));
  EXPECT_REFUSED("l2_shrinkage_regularization_strength -1.000000 needs to be positive or zero",
                 sl_ftrl(s, 0.1, .l2_shrinkage = -1));
  EXPECT_REFUSED("sl_summary_image 'a': max_outputs must be at least 0, got -1",
                 sl_summary_image(s, "a", PLACEHOLDER(TF_FLOAT, 3, 4, 4, 1), -1));
  EXPECT_REFUSED("sl_piecewise_constant: step: Shape (3,) must have rank 0",
                 sl_piecewise_constant(s, PLACEHOLDER(TF_INT64, 3), ((int64_t[]){3}), ((double[]){1, 2}), 1));
}

SLI_TEST(test_dimensions_are_sizes_or_unknown) {
  EXPECT_REFUSED("Dimension -5 must be >= 0", sl_placeholder(s, TF_FLOAT, SL_SHAPE(-5, 3)));
  EXPECT_REFUSED("Dimension -2 must be >= 0", sl_placeholder_with_default(s, sl_scalar(s, TF_FLOAT, 1), SL_SHAPE(-2)));
}

SLI_TEST(test_nodes_are_refused_in_tensorflows_words) {
  EXPECT_REFUSED(
      "node 'concat': Dimension 0 in both shapes must be equal, but are 3 and 4. Shapes are [3] and [4]. for",
      TF_Output a = PLACEHOLDER(TF_FLOAT, 3, 4), b = PLACEHOLDER(TF_FLOAT, 4, 5);
      sl_concat(s, SL_OUTPUTS(a, b), 1));
  EXPECT_REFUSED("Shapes are [3] and [4].\n\tFrom merging shape 0 with other shapes. for",
                 TF_Output a = PLACEHOLDER(TF_FLOAT, 3), b = PLACEHOLDER(TF_FLOAT, 4);
                 sl_op_pack(s, ((TF_Output[]){a, b}), 2));
  EXPECT_REFUSED("Dimensions must be equal, but are 4 and 3 for", TF_Output x = PLACEHOLDER(TF_FLOAT, 3, 4);
                 sl_bias_add(s, x, PLACEHOLDER(TF_FLOAT, 3)));
  EXPECT_REFUSED("Invalid reduction dimension 2 for input with 2 dimensions. for",
                 sl_sum(s, PLACEHOLDER(TF_FLOAT, 3, 4), SL_AXES(2)));
}

// --- The line of the call, not the last line of the function that it calls ---

static void build_int(sl_scope_t *s, void *data, TF_Output *out_results) { out_results[0] = sl_scalar(s, TF_INT32, 1); }
static void build_float(sl_scope_t *s, void *data, TF_Output *out_results) {
  out_results[0] = sl_scalar(s, TF_FLOAT, 1);
}
static TF_Output is_more(sl_scope_t *s, void *data, const TF_Output *variables) {
  return sl_constant(s, TF_BOOL, SL_SHAPE(), &(bool){true});
}
static TF_Output is_number(sl_scope_t *s, void *data, const TF_Output *variables) { return sl_scalar(s, TF_FLOAT, 1); }
static void build_double(sl_scope_t *s, void *data, const TF_Output *variables, TF_Output *out_next) {
  out_next[0] = sl_concat(s, SL_OUTPUTS(variables[0], variables[0]), 0);
}

SLI_TEST(test_loops_and_branches_are_named_with_their_own_line) {
  EXPECT_REFUSED("Outputs of the two branches must have the same type.",
                 sl_cond(s, PLACEHOLDER(TF_BOOL), build_int, build_float, NULL, 1));
  EXPECT_REFUSED("Input tensor 'Placeholder' enters the loop with shape (3,), but has shape (6,) after one iteration.",
                 sl_while_loop(s, is_more, build_double, NULL, SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 3))));
  EXPECT_REFUSED("sl_while_loop: the condition must be a bool",
                 sl_while_loop(s, is_number, build_double, NULL, SL_OUTPUTS(PLACEHOLDER(TF_FLOAT, 3))));
}

SLI_TEST_MAIN(test_what_is_enqueued_fits_the_queue, test_layers_and_losses_take_floats,
              test_layers_name_rank_and_last_dimension, test_losses_are_not_empty,
              test_datasets_queues_and_features_are_named_with_their_own_line, test_strides_are_positive,
              test_numbers_of_optimizers_and_summaries_are_in_range, test_dimensions_are_sizes_or_unknown,
              test_nodes_are_refused_in_tensorflows_words, test_loops_and_branches_are_named_with_their_own_line)
