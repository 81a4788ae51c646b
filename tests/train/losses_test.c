// Compares losses and metrics with TensorFlow's values.
#include "base/array.h"
#include "base/test.h"
#include "tests/train/golden.h"

SLI_TEST(test_losses_equal_tensorflows) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output l = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 3), ((float[]){1, 0, 1, 0, 1, 0}));
  TF_Output p = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 3), ((float[]){0.8f, 0.3f, 0.4f, 0.1f, 0.9f, 0.6f}));
  TF_Output w = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 1), ((float[]){2, 0}));
  TF_Output classes = sl_constant(s, TF_INT32, SL_SHAPE(2), ((int32_t[]){2, 0}));
  TF_Output each = sl_constant(s, TF_FLOAT, SL_SHAPE(2), ((float[]){1, 3}));
  TF_Output outputs[] = {sl_losses_absolute_difference(s, l, p),
                         sl_losses_absolute_difference(s, l, p, .weights = w),
                         sl_losses_hinge(s, l, p),
                         sl_losses_huber(s, l, p, .delta = 0.5),
                         sl_losses_log(s, l, p),
                         sl_losses_mean_squared_error(s, l, p, .weights = w),
                         sl_losses_sigmoid_cross_entropy(s, l, p),
                         sl_losses_sigmoid_cross_entropy(s, l, p, .label_smoothing = 0.1),
                         sl_losses_softmax_cross_entropy(s, l, p),
                         sl_losses_softmax_cross_entropy(s, l, p, .label_smoothing = 0.1),
                         sl_losses_cosine_distance(s, l, p, 1),
                         sl_losses_sparse_softmax_cross_entropy(s, classes, p, .weights = each)};
  const double wanted[] = {0.31666669, 0.73333335, 0.8166666, 0.070833333, 0.43718669,   0.32666668,
                           0.64358497, 0.65275162, 1.4147778, 1.3869714,   -0.050000012, 2.9873497};
  double values[SLI_ARRAY_COUNT_OF(wanted)];
  SLI_EXPECT_INT(sli_test_run(s, NULL, outputs, SLI_ARRAY_COUNT_OF(outputs), values, SLI_ARRAY_COUNT_OF(values)),
                 SLI_ARRAY_COUNT_OF(wanted));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(wanted); i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-6);
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOSSES), SLI_ARRAY_COUNT_OF(wanted));
  sl_scope_release(s);
}

SLI_TEST(test_losses_are_reduced_as_asked) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output l = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 3), ((float[]){1, 0, 1, 0, 1, 0}));
  TF_Output p = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 3), ((float[]){0.8f, 0.3f, 0.4f, 0.1f, 0.9f, 0.6f}));
  TF_Output w = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 1), ((float[]){2, 0})), half = sl_scalar(s, TF_FLOAT, 0.5);
  TF_Output each = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}));
  TF_Output some = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 0, 2}));
  // TensorFlow's value and node name.
  struct {
    TF_Output output;
    const char *name;
    double value;
  } rows[] = {
      {sl_losses_mean_squared_error(s, l, p, .weights = w, .reduction = SL_REDUCTION_SUM), "mean_squared_error/Sum",
       0.98},
      {sl_losses_mean_squared_error(s, l, p, .weights = w, .reduction = SL_REDUCTION_MEAN),
       "mean_squared_error_1/value", 0.16333334},
      {sl_losses_mean_squared_error(s, l, p, .weights = w, .reduction = SL_REDUCTION_SUM_OVER_BATCH_SIZE),
       "mean_squared_error_2/value", 0.16333334},
      {sl_losses_mean_squared_error(s, l, p, .weights = w), "mean_squared_error_3/value", 0.32666668},
      {sl_losses_mean_squared_error(s, l, p, .reduction = SL_REDUCTION_SUM), "mean_squared_error_4/Sum", 0.87},
      {sl_losses_mean_squared_error(s, l, p, .reduction = SL_REDUCTION_MEAN), "mean_squared_error_5/value", 0.145},
      {sl_losses_compute_weighted(s, each, .weights = some), "weighted_loss/value", 3.5},
      {sl_losses_mean_pairwise_squared_error(s, l, p), "mean_pairwise_squared_error/value_2", 0.6666667},
      {sl_losses_mean_pairwise_squared_error(s, l, p, .weights = w), "mean_pairwise_squared_error_1/value_2",
       0.81333333},
      {sl_losses_mean_pairwise_squared_error(s, l, p, .weights = half), "mean_pairwise_squared_error_2/value_2",
       0.33333334}};
  TF_Output outputs[SLI_ARRAY_COUNT_OF(rows)];
  double values[SLI_ARRAY_COUNT_OF(rows)];
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    outputs[i] = rows[i].output;
    SLI_EXPECT_TEXT(TF_OperationName(outputs[i].oper), rows[i].name);
  }
  SLI_EXPECT_INT(sli_test_run(s, NULL, outputs, SLI_ARRAY_COUNT_OF(rows), values, SLI_ARRAY_COUNT_OF(rows)),
                 SLI_ARRAY_COUNT_OF(rows));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) SLI_EXPECT_NEAR(values[i], rows[i].value, 1e-6);
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOSSES), SLI_ARRAY_COUNT_OF(rows));
  TF_Output single =
      sl_losses_mean_squared_error(s, l, p, .weights = w, .reduction = SL_REDUCTION_NONE, .loss_collection = "");
  double parts[6] = {0};
  SLI_EXPECT_INT(sli_test_run(s, NULL, &single, 1, parts, 6), 6);
  SLI_EXPECT_NEAR(parts[2], 0.72, 1e-6);
  SLI_EXPECT_NEAR(parts[5], 0, 0);
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOSSES), SLI_ARRAY_COUNT_OF(rows));
  sl_losses_mean_squared_error(s, l, p, .weights = each);
  SLI_EXPECT_CONTAINS(sl_scope_error(s),
                      "weights can not be broadcast to values. values.rank=2. weights.rank=1. values.shape=(2, 3). "
                      "weights.shape=(3,).");
  sl_scope_release(s);
}

typedef TF_Output (*loss_function_t)(sl_scope_t *scope, TF_Output labels, TF_Output predictions,
                                     const sl_loss_options_t *options);

static TF_Output cosine(sl_scope_t *s, TF_Output labels, TF_Output predictions, const sl_loss_options_t *options) {
  return sl_losses_cosine_distance_with(s, labels, predictions, 0, NULL);
}
static TF_Output sigmoid_xent(sl_scope_t *s, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  return sl_sigmoid_cross_entropy_with_logits(s, labels, logits);
}
static TF_Output sparse_xent(sl_scope_t *s, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  return sl_sparse_softmax_cross_entropy_with_logits(s, labels, logits);
}
static TF_Output accuracy(sl_scope_t *s, TF_Output labels, TF_Output logits, const sl_loss_options_t *options) {
  return sl_accuracy(s, labels, logits);
}

// Recorded with TensorFlow 2.15: the loss functions with placeholders of these shapes.
SLI_TEST(test_labels_must_have_the_shape_of_the_predictions) {
  static const loss_function_t losses[] = {sl_losses_mean_squared_error_with,
                                           sl_losses_absolute_difference_with,
                                           sl_losses_sigmoid_cross_entropy_with,
                                           sl_losses_log_with,
                                           sl_losses_hinge_with,
                                           sl_losses_huber_with,
                                           sl_losses_softmax_cross_entropy_with,
                                           sl_losses_mean_pairwise_squared_error_with,
                                           cosine};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(losses); i++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output column = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 1)), row = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1));
    TF_Output any = sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE);
    losses[i](s, any, column, NULL);
    SLI_EXPECT_TEXT(sl_scope_error(s), "");
    TF_Output loss = losses[i](sl_scope_at(s, "dir/model.c", 12), row, column, NULL);
    SLI_EXPECT_TEXT(sl_scope_error(s), "model.c:12: Shapes (?, 1) and (?,) are incompatible");
    SLI_EXPECT(loss.oper == NULL);
    sl_scope_release(s);
    s = sl_graph_scope();
    TF_Output wide = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3, 4)), tall = sl_placeholder(s, TF_FLOAT, SL_SHAPE(4, 3));
    losses[i](s, wide, tall, NULL);
    SLI_EXPECT_CONTAINS(sl_scope_error(s), "Shapes (4, 3) and (3, 4) are incompatible");
    sl_scope_release(s);
    s = sl_graph_scope();
    losses[i](s, (TF_Output){0}, sl_placeholder(s, TF_FLOAT, SL_SHAPE(4, 3)), NULL);
    SLI_EXPECT_CONTAINS(sl_scope_error(s), "Argument `labels` must not be None.");
    sl_scope_release(s);
  }
}

SLI_TEST(test_labels_of_classes_must_fit_the_logits) {
  static const struct {
    loss_function_t loss;
    TF_DataType dtype;
    sl_shape_t labels, logits;
    const char *error;  // "": none
  } rows[] = {
      {sl_losses_sparse_softmax_cross_entropy_with, TF_INT32, {.rank = 1, .dims = {-1}}, {2, {-1, 10}}, ""},
      {sl_losses_sparse_softmax_cross_entropy_with, TF_INT32, {2, {-1, 1}}, {2, {-1, 10}}, ""},
      {sl_losses_sparse_softmax_cross_entropy_with,
       TF_INT32,
       {2, {-1, 2}},
       {2, {-1, 10}},
       "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape=(?, 2) of rank 2 and "
       "logits.shape=(?, 10) of rank 2"},
      {sparse_xent,
       TF_INT32,
       {2, {-1, 1}},
       {2, {-1, 10}},
       "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape=(?, 1) of rank 2 and "
       "logits.shape=(?, 10) of rank 2"},
      {sparse_xent,
       TF_INT32,
       {1, {4}},
       {2, {3, 10}},
       "`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape=(4,) and "
       "logits.shape=(3, 10)"},
      {sparse_xent, TF_INT32, {0}, {0}, "`logits` cannot be a scalar."},
      {sigmoid_xent,
       TF_FLOAT,
       {1, {-1}},
       {2, {-1, 1}},
       "`logits` and `labels` must have the same shape, received ((?, 1) vs (?,))."},
      {accuracy, TF_INT64, {2, {-1, 1}}, {2, {-1, 10}}, "Shapes (?,) and (?, 1) are incompatible"}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output labels = sl_placeholder(s, rows[i].dtype, rows[i].labels);
    rows[i].loss(s, labels, sl_placeholder(s, TF_FLOAT, rows[i].logits), NULL);
    SLI_EXPECT_CONTAINS(sl_scope_error(s), rows[i].error);
    if (!rows[i].error[0]) SLI_EXPECT_TEXT(sl_scope_error(s), "");
    sl_scope_release(s);
  }
}

// As in Python, where predictions are floats; a Cast in the loss's scope. Text is refused.
SLI_TEST(test_labels_may_be_integers) {
  static const struct {
    loss_function_t loss;
    const char *cast;
    double value;
  } rows[] = {{sl_losses_mean_squared_error_with, "mean_squared_error/Cast", 0.145},
              {sl_losses_absolute_difference_with, "absolute_difference/Cast", 0.31666669},
              {sl_losses_huber_with, "huber_loss/Cast", 0.0725},
              {sl_losses_log_with, "log_loss/Cast", 0.43718669},
              {cosine, "cosine_distance_loss/Cast", 0.3}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output l = sl_constant(s, TF_INT32, SL_SHAPE(2, 3), ((int32_t[]){1, 0, 1, 0, 1, 0}));
    TF_Output p = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 3), ((float[]){0.8f, 0.3f, 0.4f, 0.1f, 0.9f, 0.6f}));
    TF_Output loss = rows[i].loss(s, l, p, NULL);
    SLI_EXPECT(TF_GraphOperationByName(sl_scope_graph(s), rows[i].cast) != NULL);
    double value = 0;
    SLI_EXPECT_INT(sli_test_run(s, NULL, &loss, 1, &value, 1), 1);
    SLI_EXPECT_NEAR(value, rows[i].value, 1e-6);
    rows[i].loss(s, sl_placeholder(s, TF_STRING, SL_SHAPE(2, 3)), p, NULL);
    SLI_EXPECT_CONTAINS(sl_scope_error(s), "DT_STRING");
    sl_scope_release(s);
  }
}

SLI_TEST(test_weights_are_checked_as_python_does) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output labels = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3), .name = "labels");
  TF_Output predictions = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3), .name = "predictions");
  TF_Output each = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 1), .name = "each");
  TF_Output losses = sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE, .name = "losses");
  TF_Output factors = sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE, .name = "factors");
  sl_losses_mean_squared_error(s, labels, predictions, .weights = each);
  sl_losses_compute_weighted(s, losses, .weights = factors, .reduction = SL_REDUCTION_NONE);
  sli_expect_listing(s, "weights");
  sl_scope_release(s);

  s = sl_graph_scope();
  TF_Output known = sl_placeholder(s, TF_FLOAT, SL_SHAPE(4, 3)), wrong = sl_placeholder(s, TF_FLOAT, SL_SHAPE(4, 2));
  sl_losses_compute_weighted(s, known, .weights = wrong);
  SLI_EXPECT_CONTAINS(sl_scope_error(s),
                      "weights can not be broadcast to values. Mismatch at dim 1. values.shape=[4 3], "
                      "weights.shape=[4 2].");
  sl_scope_release(s);

  // Of metrics, too.
  s = sl_graph_scope();
  known = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3));
  sl_metrics_mean(s, known, .weights = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 1)));
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_EXPECT(TF_GraphOperationByName(sl_scope_graph(s),
                                     "mean/broadcast_weights/assert_broadcastable/AssertGuard/Assert") != NULL);
  known = sl_placeholder(s, TF_FLOAT, SL_SHAPE(4, 3));
  sl_metrics_mean(s, known, .weights = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2, 3)));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "weights can not be broadcast to values. Mismatch at dim 0.");
  sl_scope_release(s);
}

// Values and weights with these shapes at run time.
SLI_TEST(test_weights_that_do_not_fit_stop_the_step) {
  static const struct {
    int64_t values[2], weights[2];
    int weights_rank;
    const char *error;  // NULL: they fit
  } rows[] = {{{4, 3}, {4, 3}, 2, NULL},
              {{4, 3}, {4, 1}, 2, NULL},
              {{4, 3}, {1, 1}, 2, NULL},
              {{4, 1}, {0}, 0, NULL},
              {{4, 3}, {2, 1}, 2, "[weights.shape=] [w:0] [2 1] [values.shape=] [l:0] [4 3] [is_scalar=] [0]"},
              {{4, 3}, {3}, 1, "[weights.shape=] [w:0] [3] [values.shape=] [l:0] [4 3] [is_scalar=] [0]"},
              {{4, 1}, {4, 3}, 2, "[weights.shape=] [w:0] [4 3] [values.shape=] [l:0] [4 1] [is_scalar=] [0]"}};
  sl_scope_t *s = sl_graph_scope();
  TF_Output feeds[] = {sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE, .name = "l"),
                       sl_placeholder(s, TF_FLOAT, SL_UNKNOWN_SHAPE, .name = "w")};
  TF_Output loss = sl_losses_compute_weighted(s, feeds[0], .weights = feeds[1]);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(s), options, status);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rows); i++) {
    float twos[12];
    for (int k = 0; k < 12; k++) twos[k] = 2;
    TF_Tensor *fed[2] = {TF_AllocateTensor(TF_FLOAT, rows[i].values, 2, sizeof(twos)), NULL}, *got = NULL;
    fed[1] = TF_AllocateTensor(TF_FLOAT, rows[i].weights, rows[i].weights_rank, sizeof(twos));
    for (int k = 0; k < 2; k++) memcpy(TF_TensorData(fed[k]), twos, TF_TensorByteSize(fed[k]));
    TF_SessionRun(session, NULL, feeds, fed, 2, &loss, &got, 1, NULL, 0, NULL, status);
    if (rows[i].error) {
      SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
      SLI_EXPECT_CONTAINS(TF_Message(status), "assertion failed: [weights can not be broadcast to values.]");
      SLI_EXPECT_CONTAINS(TF_Message(status), rows[i].error);
    } else {
      SLI_EXPECT_TEXT(TF_Message(status), "");
      if (got) SLI_EXPECT_NEAR(*(const float *)TF_TensorData(got), 4, 0);
    }
    for (int k = 0; k < 2; k++) TF_DeleteTensor(fed[k]);
    if (got) TF_DeleteTensor(got);
  }
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  sl_scope_release(s);
}

SLI_TEST(test_losses_by_scope_and_regularisation_alone) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output nothing = sl_losses_regularization(s);
  sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ONES, .regularizer = SL_L2_REGULARIZER(0.5));
  sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(4), .initializer = SL_ONES, .regularizer = SL_L2_REGULARIZER(1));
  SL_NAME_SCOPE (s, "tower") {
    sl_losses_add(s, sl_identity(s, sl_scalar(s, TF_FLOAT, 7)));
  }
  sl_losses_add(s, sl_scalar(s, TF_FLOAT, 30));
  TF_Output outputs[] = {nothing, sl_losses_regularization(s), sl_losses_total(s),
                         sl_losses_total(s, .no_regularization = true), sl_losses_total(s, .prefix = "tower/")};
  SLI_EXPECT_TEXT(TF_OperationName(outputs[1].oper), "total_regularization_loss");
  SLI_EXPECT_TEXT(TF_OperationName(outputs[4].oper), "total_loss_2");
  const double wanted[] = {0, 2.5, 39.5, 37, 7};
  double values[5];
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), outputs, 5, values, 5), 5);
  for (int i = 0; i < 5; i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-6);
  sl_scope_release(s);
}

SLI_TEST(test_total_loss_has_the_regularisers) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w =
      sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ONES, .regularizer = SL_L2_REGULARIZER(0.5));
  sl_losses_mean_squared_error(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(2)), w);
  TF_Output total = sl_losses_total(s);
  double value;
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), &total, 1, &value, 1), 1);
  SLI_EXPECT_NEAR(value, 1.5, 1e-6);
  SLI_EXPECT_TEXT(TF_OperationName(total.oper), "total_loss");
  sl_scope_release(s);
}

SLI_TEST(test_ctc_loss_equals_tensorflows) {
  sl_scope_t *s = sl_graph_scope();
  sl_sparse_t fed = sl_sparse_placeholder(s, TF_INT32, .name = "labels");
  SLI_EXPECT_TEXT(TF_OperationName(fed.indices.oper), "labels/indices");
  SLI_EXPECT_TEXT(TF_OperationName(fed.dense_shape.oper), "labels/shape");
  fed = sl_sparse_placeholder(s, TF_INT32);
  SLI_EXPECT_TEXT(TF_OperationName(fed.dense_shape.oper), "Placeholder");
  SLI_EXPECT_TEXT(TF_OperationName(fed.values.oper), "Placeholder_1");
  SLI_EXPECT_TEXT(TF_OperationName(fed.indices.oper), "Placeholder_2");
  sl_sparse_t labels = {.indices = sl_constant(s, TF_INT64, SL_SHAPE(3, 2), ((int64_t[]){0, 0, 0, 1, 1, 0})),
                        .values = sl_constant(s, TF_INT32, SL_SHAPE(3), ((int32_t[]){0, 1, 1})),
                        .dense_shape = sl_constant(s, TF_INT64, SL_SHAPE(2), ((int64_t[]){2, 2}))};
  float logits[24];
  for (int i = 0; i < 24; i++) logits[i] = (float)(i % 5);
  TF_Output x = sl_constant(s, TF_FLOAT, SL_SHAPE(4, 2, 3), logits);
  TF_Output lengths = sl_constant(s, TF_INT32, SL_SHAPE(2), ((int32_t[]){4, 3}));
  TF_Output loss = sl_ctc_loss(s, labels, x, lengths);
  double values[2];
  SLI_EXPECT_INT(sli_test_run(s, NULL, &loss, 1, values, 2), 2);
  SLI_EXPECT_NEAR(values[0], 2.1063581, 1e-5);
  SLI_EXPECT_NEAR(values[1], 3.3818889, 1e-5);
  sl_scope_release(s);
}

SLI_TEST(test_metrics_sum_over_batches) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 6}));
  TF_Output w = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 1, 2}));
  TF_Output labels = sl_constant(s, TF_INT32, SL_SHAPE(4), ((int32_t[]){1, 2, 3, 3}));
  TF_Output guesses = sl_constant(s, TF_INT32, SL_SHAPE(4), ((int32_t[]){1, 2, 0, 3}));
  TF_Output truth = sl_constant(s, TF_INT32, SL_SHAPE(5), ((int32_t[]){0, 1, 1, 0, 1}));
  TF_Output scores = sl_constant(s, TF_FLOAT, SL_SHAPE(5), ((float[]){0.1f, 0.4f, 0.35f, 0.8f, 0.9f}));
  sl_metric_t mean = sl_metrics_mean(s, x), weighted = sl_metrics_mean(s, x, .weights = w);
  sl_metric_t accuracy = sl_metrics_accuracy(s, labels, guesses), auc = sl_metrics_auc(s, truth, scores);
  TF_Graph *graph = sl_scope_graph(s);
  SLI_EXPECT(TF_GraphOperationByName(graph, "mean/total") && TF_GraphOperationByName(graph, "mean_1/count"));
  SLI_EXPECT(TF_GraphOperationByName(graph, "accuracy/total") && TF_GraphOperationByName(graph, "accuracy/update_op"));
  SLI_EXPECT(TF_GraphOperationByName(graph, "auc/true_positives"));
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOCAL_VARIABLES), 10);
  SLI_EXPECT_INT(sl_collection_count(s, SL_METRIC_VARIABLES), 10);
  SLI_EXPECT_INT(sl_collection_count(s, SL_GLOBAL_VARIABLES), 0);
  TF_Output updates[] = {mean.update, weighted.update, accuracy.update, auc.update};
  const double wanted[] = {3, 3.75, 0.75, 0.66666645};
  double values[4];
  SLI_EXPECT_INT(sli_test_run(s, sl_local_variables_initializer(s), updates, 4, values, 4), 4);
  for (int i = 0; i < 4; i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-5);
  SLI_EXPECT_INT(sli_test_run(s, sl_local_variables_initializer(s), &mean.value, 1, values, 1), 1);
  SLI_EXPECT_NEAR(values[0], 0, 0);
  sl_scope_release(s);
}

SLI_TEST(test_metrics_take_weights_curves_and_ranks_that_differ_by_one) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output truth = sl_constant(s, TF_INT32, SL_SHAPE(5), ((int32_t[]){0, 1, 1, 0, 1}));
  TF_Output column = sl_reshape(s, truth, SL_SHAPE(5, 1));
  TF_Output scores = sl_constant(s, TF_FLOAT, SL_SHAPE(5), ((float[]){0.1f, 0.4f, 0.35f, 0.8f, 0.9f}));
  TF_Output w = sl_constant(s, TF_FLOAT, SL_SHAPE(5), ((float[]){1, 2, 0.5f, 1, 3}));
  TF_Output labels = sl_constant(s, TF_INT32, SL_SHAPE(4, 1), ((int32_t[]){1, 2, 3, 3}));
  TF_Output guesses = sl_constant(s, TF_INT64, SL_SHAPE(4), ((int64_t[]){1, 2, 0, 3}));
  TF_Output each = sl_constant(s, TF_FLOAT, SL_SHAPE(4, 1), ((float[]){1, 1, 2, 0}));
  TF_Output updates[] = {
      sl_metrics_auc(s, truth, scores, .weights = w).update,
      sl_metrics_auc(s, truth, scores, .curve = SL_CURVE_PR).update,
      sl_metrics_auc(s, truth, scores, .weights = w, .curve = SL_CURVE_PR, .num_thresholds = 10).update,
      sl_metrics_accuracy(s, labels, guesses, .weights = each).update, sl_metrics_auc(s, column, scores).update};
  const double wanted[] = {0.77272695, 0.76388872, 0.90821666, 0.5, 0.66666645};
  double values[5];
  SLI_EXPECT_INT(sli_test_run(s, sl_local_variables_initializer(s), updates, 5, values, 5), 5);
  for (int i = 0; i < 5; i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-5);
  sl_metrics_accuracy(s, guesses, scores);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Shapes (5,) and (4,) are incompatible");
  sl_scope_release(s);
}

// Their variables are named after name scopes, independent of variable scopes.
SLI_TEST(test_metrics_may_have_any_name_anywhere) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 6}));
  TF_Output mean = sl_mean(s, x);  // a node "Mean": names differ in more than their case
  sl_metrics_mean(s, mean);
  sl_metrics_mean(s, x, .name = "error");
  sl_metrics_mean(s, x, .name = "error");
  SL_VARIABLE_SCOPE (s, "again", .reuse = SL_REUSE) {
    sl_metrics_mean(s, x);
  }
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  static const char *const names[] = {"mean_1/total",  "mean_1/count",  "error/total",      "error/count",
                                      "error_1/total", "error_1/count", "again/mean/total", "again/mean/count"};
  sl_outputs_t variables = sl_collection(s, SL_LOCAL_VARIABLES, NULL);
  SLI_REQUIRE(variables.count == SLI_ARRAY_COUNT_OF(names));
  for (size_t i = 0; i < variables.count; i++) SLI_EXPECT_TEXT(sl_variable_info(s, variables.items[i])->name, names[i]);
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_metrics_take_weights_curves_and_ranks_that_differ_by_one, test_metrics_may_have_any_name_anywhere,
              test_labels_must_have_the_shape_of_the_predictions, test_labels_of_classes_must_fit_the_logits,
              test_labels_may_be_integers, test_losses_are_reduced_as_asked, test_weights_are_checked_as_python_does,
              test_weights_that_do_not_fit_stop_the_step, test_losses_by_scope_and_regularisation_alone,
              test_losses_equal_tensorflows, test_total_loss_has_the_regularisers, test_ctc_loss_equals_tensorflows,
              test_metrics_sum_over_batches)
