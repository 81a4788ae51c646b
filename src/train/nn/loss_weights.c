#include "train/nn/loss_weights_internal.h"

#include <stdlib.h>

#include "sluice/control_flow.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"

#define COMPLAINT "weights can not be broadcast to values."

// --- While the graph is built ---

// "[4 3]"; new.
static char *known_shape(sl_shape_t shape) {
  sli_string_t text = {0};
  for (int i = 0; i < shape.rank; i++)
    sli_string_append_format(&text, "%s%lld", i ? " " : "[", (long long)shape.dims[i]);
  sli_string_append_text(&text, shape.rank ? "]" : "[]");
  return sli_string_take(&text);
}

static void refuse_rank(sl_scope_t *scope, sl_shape_t weights, sl_shape_t values) {
  char *weights_text = sli_tf_shape_format(weights), *values_text = sli_tf_shape_format(values);
  sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                COMPLAINT " values.rank=%d. weights.rank=%d. values.shape=%s. weights.shape=%s.", values.rank,
                weights.rank, values_text, weights_text);
  free(weights_text);
  free(values_text);
}

static void refuse_dimension(sl_scope_t *scope, int dimension, sl_shape_t weights, sl_shape_t values) {
  char *weights_text = known_shape(weights), *values_text = known_shape(values);
  sl_scope_fail(scope, TF_INVALID_ARGUMENT, COMPLAINT " Mismatch at dim %d. values.shape=%s, weights.shape=%s.",
                dimension, values_text, weights_text);
  free(weights_text);
  free(values_text);
}

// Whether the static shapes decide the check. Sets an error in the scope if the weights do not fit.
static bool check_static_shapes(sl_scope_t *scope, sl_shape_t weights, sl_shape_t values) {
  if (weights.rank == 0 && values.rank >= 0) return true;
  if (weights.rank < 0 || values.rank < 0) return false;
  if (weights.rank != values.rank) {
    refuse_rank(scope, weights, values);
    return true;
  }
  if (sli_tf_shape_elements(weights) < 0 || sli_tf_shape_elements(values) < 0) return false;
  for (int i = 0; i < weights.rank && sli_scope_ok(scope); i++)
    if (weights.dims[i] != 1 && weights.dims[i] != values.dims[i]) refuse_dimension(scope, i, weights, values);
  return true;
}

// --- While it runs ---

typedef struct {
  TF_Output tensor, shape, rank;
} measured_tensor_t;

typedef struct {
  measured_tensor_t weights, values;
  TF_Output is_scalar, is_same_rank, is_valid;
} weights_check_t;

static measured_tensor_t measure(sl_scope_t *scope, TF_Output tensor, const char *name) {
  measured_tensor_t measured = {.tensor = tensor};
  sl_shape_t shape = sl_static_shape(scope, tensor);
  SL_NAME_SCOPE (scope, "%s", name) {
    if (sli_tf_shape_elements(shape) >= 0) {
      measured.shape = sli_build_constant_shape(scope, shape, "shape");
    } else {
      measured.shape = sl_shape_of_with(scope, tensor, SL_OP_OPTIONS(.name = "shape"));
    }
    measured.rank = shape.rank >= 0 ? sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), shape.rank, "rank")
                                    : sl_unary(scope, "Rank", tensor, SL_OP_OPTIONS(.name = "rank"));
  }
  return measured;
}

// Ones of the shape of |x|, as tf.ones_like makes them.
static TF_Output build_ones_like(sl_scope_t *scope, TF_Output x) {
  sl_shape_t known = sl_static_shape(scope, x);
  TF_Output ones = {0};
  SL_NAME_SCOPE (scope, "ones_like") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output shape = {0};
    if (sli_tf_shape_elements(known) >= 0) {
      shape = sli_build_constant_shape(scope, known, "Shape/shape_as_tensor");
    } else {
      shape = sl_shape_of_with(scope, x, NULL);
    }
    TF_Output one = sli_build_constant_fill(scope, sl_dtype(x), SL_SHAPE(), 1, "Const");
    ones = sl_binary(scope, "Fill", whole, shape, one, NULL);
    free(whole);
  }
  return ones;
}

// Whether each dimension of the weights is 1 or that of the values.
static void are_dimensions_valid(sl_scope_t *scope, void *data, TF_Output *results) {
  const weights_check_t *check = data;
  SL_NAME_SCOPE (scope, "has_invalid_dims") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output values = sli_build_expand_dims(scope, check->values.shape, -1);
    TF_Output valid = sli_build_concat(scope, (TF_Output[]){values, build_ones_like(scope, values)}, 2, 1, NULL);
    TF_Output weights = sli_build_expand_dims(scope, check->weights.shape, -1);
    sl_node_t *node = sl_node_begin(scope, "DenseToDenseSetOperation", NULL);
    sl_node_input(node, weights);
    sl_node_input(node, valid);
    sl_node_attr_text(node, "set_operation", "a-b");
    TF_Output invalid = {sl_node_finish(node), 1};
    TF_Output count = sl_unary(scope, "Size", invalid, SL_OP_OPTIONS(.name = "num_invalid_dims"));
    TF_Output zero = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 0, "x");
    results[0] = sl_binary(scope, "Equal", whole, zero, count, NULL);
    free(whole);
  }
}

static void is_not_same_rank(sl_scope_t *scope, void *data, TF_Output *results) {
  results[0] = ((const weights_check_t *)data)->is_same_rank;
}

static void is_scalar(sl_scope_t *scope, void *data, TF_Output *results) {
  results[0] = ((const weights_check_t *)data)->is_scalar;
}

static void is_shape_valid(sl_scope_t *scope, void *data, TF_Output *results) {
  weights_check_t *check = data;
  SL_NAME_SCOPE (scope, "has_valid_nonscalar_shape") {
    char *whole = sli_build_scope_node_name(scope);
    check->is_same_rank = sl_binary(scope, "Equal", "is_same_rank", check->values.rank, check->weights.rank, NULL);
    results[0] = sl_cond_with(scope, check->is_same_rank, are_dimensions_valid, is_not_same_rank, check, 1,
                              SL_OP_OPTIONS(.name = whole))
                     .items[0];
    free(whole);
  }
}

static void no_assert(sl_scope_t *scope, void *data, TF_Output *results) {
  results[0] = SL_OPERATION(sl_no_op_with(scope, NULL));
}

static TF_Output data_text(sl_scope_t *scope, int number, const char *text) {
  char *name = sli_format("data_%d", number);
  TF_Output result = sl_text_with(scope, text, SL_OP_OPTIONS(.name = name));
  free(name);
  return result;
}

static TF_Output data_name(sl_scope_t *scope, int number, TF_Output tensor) {
  char *name = sli_format("%s:%d", TF_OperationName(tensor.oper), tensor.index);
  TF_Output result = data_text(scope, number, name);
  free(name);
  return result;
}

static void build_assert(sl_scope_t *scope, void *data, TF_Output *results) {
  const weights_check_t *check = data;
  SL_NAME_SCOPE (scope, "Assert") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output shown[9] = {data_text(scope, 0, COMPLAINT)};
    shown[1] = data_text(scope, 1, "weights.shape=");
    shown[2] = data_name(scope, 2, check->weights.tensor);
    shown[3] = check->weights.shape;
    shown[4] = data_text(scope, 4, "values.shape=");
    shown[5] = data_name(scope, 5, check->values.tensor);
    shown[6] = check->values.shape;
    shown[7] = data_text(scope, 7, "is_scalar=");
    shown[8] = check->is_scalar;
    sl_node_t *node = sl_node_begin(scope, "Assert", whole);
    sl_node_input(node, check->is_valid);
    sl_node_input_list(node, shown, 9);
    results[0] = SL_OPERATION(sl_node_finish(node));
    free(whole);
  }
}

TF_Operation *sli_loss_weights_check(sl_scope_t *scope, TF_Output weights, TF_Output values) {
  if (!sli_scope_ok(scope) || !weights.oper || !values.oper) return NULL;
  if (check_static_shapes(scope, sl_static_shape(scope, weights), sl_static_shape(scope, values))) return NULL;
  TF_Operation *checked = NULL;
  SL_NAME_SCOPE (scope, "assert_broadcastable") {
    weights_check_t check = {.weights = measure(scope, weights, "weights")};
    check.values = measure(scope, values, "values");
    check.is_scalar = sli_build_number_left(scope, "Equal", "is_scalar", 0, check.weights.rank);
    check.is_valid = sl_cond_with(scope, check.is_scalar, is_scalar, is_shape_valid, &check, 1,
                                  SL_OP_OPTIONS(.name = "is_valid_shape"))
                         .items[0];
    checked =
        sl_cond_with(scope, check.is_valid, no_assert, build_assert, &check, 1, SL_OP_OPTIONS(.name = "AssertGuard"))
            .items[0]
            .oper;
  }
  return checked;
}
