// The functions of sluice/math.h. They build the nodes of the functions of the same
// name in TensorFlow's Python library, including the constants of their arguments.
#include "sluice/math.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"

TF_Output sl_add_n_with(sl_scope_t *scope, sl_outputs_t values, const sl_op_options_t *options) {
  return sli_build_add_n(scope, values.items, values.count, sli_build_name_or(options, NULL));
}

TF_Output sl_concat_with(sl_scope_t *scope, sl_outputs_t values, int axis, const sl_op_options_t *options) {
  return sli_build_concat(scope, values.items, values.count, axis, sli_build_name_or(options, NULL));
}

// --- Sources ---

static void check_dimensions(sl_scope_t *scope, sl_shape_t shape) {
  for (int i = 0; i < shape.rank; i++)
    if (shape.dims[i] < -1)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Dimension %lld must be >= 0, or -1 if it is unknown",
                    (long long)shape.dims[i]);
}

TF_Output sl_placeholder_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const sl_op_options_t *options) {
  check_dimensions(scope, shape);
  sl_node_t *node = sl_node_begin(scope, "Placeholder", sli_build_name_or(options, NULL));
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}

TF_Output sl_placeholder_with_default_with(sl_scope_t *scope, TF_Output value, sl_shape_t shape,
                                           const sl_op_options_t *options) {
  check_dimensions(scope, shape);
  sl_node_t *node = sl_node_begin(scope, "PlaceholderWithDefault", sli_build_name_or(options, NULL));
  sl_node_input(node, value);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}

TF_Output sl_constant_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const void *data,
                           const sl_op_options_t *options) {
  const char *name = sli_build_name_or(options, "Const");
  TF_Tensor *tensor = TF_DataTypeSize(dtype) && dtype != TF_STRING ? sli_tf_tensor_copy(dtype, shape, data) : NULL;
  if (!tensor) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_constant '%s': dtype must be a number or a bool, and shape fully known, got %s and %s", name,
                  sli_tf_type_name(dtype), text);
    free(text);
    return (TF_Output){0};
  }
  return sli_build_constant_tensor(scope, tensor, name);
}

TF_Output sl_scalar_with(sl_scope_t *scope, TF_DataType dtype, double value, const sl_op_options_t *options) {
  return sli_build_constant_fill(scope, dtype, SL_SHAPE(), value, sli_build_name_or(options, "Const"));
}

TF_Output sl_text_with(sl_scope_t *scope, const char *text, const sl_op_options_t *options) {
  return sli_build_constant_tensor(scope, sli_tf_tensor_text(text), sli_build_name_or(options, "Const"));
}

TF_Output sl_texts_with(sl_scope_t *scope, const char *const *texts, size_t count, const sl_op_options_t *options) {
  return sli_build_constant_tensor(scope, sli_tf_tensor_texts(texts, count), sli_build_name_or(options, "Const"));
}

// As tf.zeros: a Const below 1,000 elements, else a Fill in its own name scope.
static TF_Output filled(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, double value, const char *name) {
  enum { SMALL = 1000 };
  if (sli_tf_shape_elements(shape) < SMALL) return sli_build_constant_fill(scope, dtype, shape, value, name);
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dims_tensor = sli_build_constant_shape(scope, shape, "shape_as_tensor");
    TF_Output value_tensor = sli_build_constant_fill(scope, dtype, SL_SHAPE(), value, "Const");
    sl_node_t *node = sl_node_begin(scope, "Fill", whole);
    sl_node_input(node, dims_tensor);
    sl_node_input(node, value_tensor);
    result = sl_node_output(node);
    free(whole);
  }
  return result;
}

TF_Output sl_zeros_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const sl_op_options_t *options) {
  return filled(scope, dtype, shape, 0, sli_build_name_or(options, "zeros"));
}

TF_Output sl_ones_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const sl_op_options_t *options) {
  return filled(scope, dtype, shape, 1, sli_build_name_or(options, "ones"));
}

// --- Random values ---

typedef struct {
  const char *op, *name;       // "TruncatedNormal", "truncated_normal"
  const char *first, *second;  // names of the constants
  double first_value, second_value;
  bool uniform;  // first + (second - first) * random, else first + second * random
} random_t;

static TF_Output shape_constant(sl_scope_t *scope, sl_shape_t shape) {
  if (sli_tf_shape_elements(shape) < 0) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "'%s': shape must be fully known, got %s", sli_scope_prefix(scope), text);
    free(text);
  }
  return sli_build_constant_shape(scope, shape, "shape");
}

static TF_Output random_value(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const random_t *kind,
                              const char *name, int64_t seed) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name ? name : kind->name) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dims_tensor = shape_constant(scope, shape);
    TF_Output first = sli_build_constant_fill(scope, dtype, SL_SHAPE(), kind->first_value, kind->first);
    TF_Output second = sli_build_constant_fill(scope, dtype, SL_SHAPE(), kind->second_value, kind->second);
    sl_node_t *node = sl_node_begin(scope, kind->op, NULL);
    sl_node_input(node, dims_tensor);
    sl_node_attr_type(node, "dtype", dtype);
    sli_build_seeds(scope, node, seed);
    TF_Output random = sl_node_output(node);
    TF_Output factor = kind->uniform ? sl_binary(scope, "Sub", "sub", second, first, NULL) : second;
    TF_Output scaled = sl_binary(scope, "Mul", "mul", random, factor, NULL);
    result = sl_binary(scope, "AddV2", whole, scaled, first, NULL);
    free(whole);
  }
  return result;
}

static TF_Output normal_value(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, const char *op, const char *name,
                              const sl_random_options_t *given) {
  SLI_CALL_OPTIONS(sl_random_options_t, options, given);
  random_t kind = {op, name, "mean", "stddev", options.mean, options.stddev != 0 ? options.stddev : 1, false};
  return random_value(scope, dtype, shape, &kind, options.name, options.seed);
}

TF_Output sl_random_normal_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                const sl_random_options_t *given) {
  return normal_value(scope, dtype, shape, "RandomStandardNormal", "random_normal", given);
}

TF_Output sl_truncated_normal_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                   const sl_random_options_t *given) {
  return normal_value(scope, dtype, shape, "TruncatedNormal", "truncated_normal", given);
}

// Integers from |minimum| to |maximum| - 1.
static TF_Output random_integers(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                 const sl_random_options_t *options) {
  TF_Output result = {0};
  if (options->maximum <= options->minimum)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_random_uniform: for integers, maximum must be above minimum, got minimum %g and maximum %g",
                  options->minimum, options->maximum);
  SL_NAME_SCOPE (scope, "%s", options->name ? options->name : "random_uniform") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dims = shape_constant(scope, shape);
    TF_Output minimum = sli_build_constant_fill(scope, dtype, SL_SHAPE(), options->minimum, "min");
    TF_Output maximum = sli_build_constant_fill(scope, dtype, SL_SHAPE(), options->maximum, "max");
    sl_node_t *node = sl_node_begin(scope, "RandomUniformInt", whole);
    sl_node_input(node, dims);
    sl_node_input(node, minimum);
    sl_node_input(node, maximum);
    sli_build_seeds(scope, node, options->seed);
    result = sl_node_output(node);
    free(whole);
  }
  return result;
}

TF_Output sl_random_uniform_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
                                 const sl_random_options_t *given) {
  SLI_CALL_OPTIONS(sl_random_options_t, options, given);
  if (dtype == TF_INT32 || dtype == TF_INT64) return random_integers(scope, dtype, shape, &options);
  if (options.minimum != 0 || options.maximum != 0) {
    random_t kind = {"RandomUniform", "random_uniform", "min", "max", options.minimum, options.maximum, true};
    return random_value(scope, dtype, shape, &kind, options.name, options.seed);
  }
  TF_Output result = {0};  // in [0, 1): no scaling
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "random_uniform") {
    result = sli_build_random_uniform(scope, shape_constant(scope, shape), dtype, options.seed);
  }
  return result;
}

// --- Element by element ---

TF_Output sl_unary(sl_scope_t *scope, const char *op, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, op, sli_build_name_or(options, NULL));
  sl_node_input(node, x);
  return sl_node_output(node);
}

TF_Output sl_binary(sl_scope_t *scope, const char *op, const char *usual_name, TF_Output x, TF_Output y,
                    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, op, sli_build_name_or(options, usual_name));
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}

TF_Output sl_cast_with(sl_scope_t *scope, TF_Output x, TF_DataType dtype, const sl_op_options_t *options) {
  if (x.oper && sl_dtype(x) == dtype) return x;
  sl_node_t *node = sl_node_begin(scope, "Cast", sli_build_name_or(options, NULL));
  sl_node_input(node, x);
  sl_node_attr_type(node, "DstT", dtype);
  return sl_node_output(node);
}

TF_Output sl_shape_of_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  return sl_unary(scope, "Shape", x, options);
}

TF_Output sl_reshape_with(sl_scope_t *scope, TF_Output x, sl_shape_t shape, const sl_op_options_t *options) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "Reshape")) {
    char *whole = sli_build_scope_node_name(scope);
    if (shape.rank < 0) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "'%s': the rank of shape must be known", whole);
    TF_Output dims_tensor = sli_build_constant_shape(scope, shape, "shape");
    result = sl_binary(scope, "Reshape", whole, x, dims_tensor, NULL);
    free(whole);
  }
  return result;
}

TF_Output sl_matmul_with(sl_scope_t *scope, TF_Output a, TF_Output b, const sl_matmul_options_t *given) {
  SLI_CALL_OPTIONS(sl_matmul_options_t, options, given);
  sl_node_t *node = sl_node_begin(scope, "MatMul", options.name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  sl_node_attr_bool(node, "transpose_a", options.transpose_a);
  sl_node_attr_bool(node, "transpose_b", options.transpose_b);
  return sl_node_output(node);
}

TF_Output sl_bias_add_with(sl_scope_t *scope, TF_Output value, TF_Output bias, const sl_op_options_t *options) {
  return sl_binary(scope, "BiasAdd", "BiasAdd", value, bias, options);
}

// --- Reductions ---

// The axes of a reduction over all dimensions: a constant if the rank is known.
static TF_Output all_axes(sl_scope_t *scope, TF_Output x) {
  sl_shape_t shape = sl_static_shape(scope, x);
  if (shape.rank >= 0) {
    int32_t axes[SL_MAX_RANK];
    for (int i = 0; i < shape.rank; i++) axes[i] = i;
    return sli_build_constant_int32s(scope, axes, (size_t)shape.rank, "Const");
  }
  return sli_build_range(scope, 0, sl_unary(scope, "Rank", x, NULL));
}

static TF_Output reduce_node(sl_scope_t *scope, const char *op, const char *name, TF_Output x, TF_Output axes,
                             bool keep_dims) {
  sl_node_t *node = sl_node_begin(scope, op, name);
  sl_node_input(node, x);
  sl_node_input(node, axes);
  sl_node_attr_bool(node, "keep_dims", keep_dims);
  return sl_node_output(node);
}

TF_Output sl_reduce(sl_scope_t *scope, const char *op, TF_Output x, const sl_reduce_options_t *given) {
  SLI_CALL_OPTIONS(sl_reduce_options_t, options, given);
  const char *name = options.name ? options.name : op;
  if (!options.axes) return reduce_node(scope, op, name, x, all_axes(scope, x), options.keep_dims);
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output axes = {0};
    if (options.axis_count == 1 && !options.axes_as_list)
      axes = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), options.axes[0], "reduction_indices");
    else
      axes = sli_build_constant_int32s(scope, options.axes, options.axis_count, "reduction_indices");
    result = reduce_node(scope, op, whole, x, axes, options.keep_dims);
    free(whole);
  }
  return result;
}

TF_Output sl_argmax_with(sl_scope_t *scope, TF_Output x, int axis, const sl_op_options_t *options) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "ArgMax")) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dimension = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), axis, "dimension");
    result = sl_binary(scope, "ArgMax", whole, x, dimension, NULL);
    free(whole);
  }
  return result;
}

// --- Cross entropy ---

// Sets an error in the scope, in Python's words, if the static shapes of labels and logits do not fit.
static void check_sparse_labels(sl_scope_t *scope, TF_Output labels, TF_Output logits) {
  sl_shape_t a = sl_static_shape(scope, labels), b = sl_static_shape(scope, logits);
  char *labels_text = sli_tf_shape_format(a), *logits_text = sli_tf_shape_format(b);
  if (b.rank == 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`logits` cannot be a scalar. Received logits '%s:%d'",
                  TF_OperationName(logits.oper), logits.index);
  else if (a.rank >= 0 && b.rank >= 0 && a.rank != b.rank - 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: labels.shape=%s of rank %d and "
                  "logits.shape=%s of rank %d",
                  labels_text, a.rank, logits_text, b.rank);
  for (int i = 0; i < a.rank && b.rank > 0 && sli_scope_ok(scope); i++)
    if (a.dims[i] >= 0 && b.dims[i] >= 0 && a.dims[i] != b.dims[i])
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "`labels.shape` must equal `logits.shape` except for the last dimension. Received: labels.shape=%s "
                    "and logits.shape=%s",
                    labels_text, logits_text);
  free(labels_text);
  free(logits_text);
}

TF_Output sl_sparse_softmax_cross_entropy_with_logits_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                           const sl_op_options_t *options) {
  TF_Output loss = {0};
  const char *name = sli_build_name_or(options, "SparseSoftmaxCrossEntropyWithLogits");
  check_sparse_labels(scope, labels, logits);
  SL_NAME_SCOPE (scope, "%s", name) {
    // Python names the node after the last part of its scope's name.
    const char *slash = strrchr(name, '/');
    loss = sl_binary(scope, "SparseSoftmaxCrossEntropyWithLogits", slash ? slash + 1 : name, logits, labels, NULL);
  }
  return loss;
}

TF_Output sl_softmax_cross_entropy_with_logits_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                    const sl_op_options_t *options) {
  return sl_binary(scope, "SoftmaxCrossEntropyWithLogits", "softmax_cross_entropy_with_logits", logits, labels,
                   options);
}

static void check_logistic_labels(sl_scope_t *scope, TF_Output labels, TF_Output logits) {
  if (sli_build_is_compatible(scope, labels, logits)) return;
  char *labels_text = sli_tf_shape_format(sl_static_shape(scope, labels));
  char *logits_text = sli_tf_shape_format(sl_static_shape(scope, logits));
  sl_scope_fail(scope, TF_INVALID_ARGUMENT, "`logits` and `labels` must have the same shape, received (%s vs %s).",
                logits_text, labels_text);
  free(labels_text);
  free(logits_text);
}

// max(x, 0) - x * z + log(1 + exp(-|x|)), which overflows for no x.
TF_Output sl_sigmoid_cross_entropy_with_logits_with(sl_scope_t *scope, TF_Output labels, TF_Output logits,
                                                    const sl_op_options_t *options) {
  TF_Output loss = {0};
  check_logistic_labels(scope, labels, logits);
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "logistic_loss")) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output positive = sl_unary(scope, "Relu", logits, NULL);
    TF_Output product = sl_binary(scope, "Mul", "mul", logits, labels, NULL);
    TF_Output linear = sl_binary(scope, "Sub", "sub", positive, product, NULL);
    TF_Output size = sl_unary(scope, "Neg", sl_unary(scope, "Abs", logits, NULL), NULL);
    TF_Output tail = sl_unary(scope, "Log1p", sl_unary(scope, "Exp", size, NULL), NULL);
    loss = sl_binary(scope, "AddV2", whole, linear, tail, NULL);
    free(whole);
  }
  return loss;
}

// --- Operations without a value ---

TF_Operation *sl_no_op_with(sl_scope_t *scope, const sl_op_options_t *options) {
  return sl_node_finish(sl_node_begin(scope, "NoOp", sli_build_name_or(options, NULL)));
}

static int by_device(const void *a, const void *b) {
  return strcmp(TF_OperationDevice(*(TF_Operation *const *)a), TF_OperationDevice(*(TF_Operation *const *)b));
}

// A NoOp on the device of |operations| that runs after them.
static TF_Operation *group_on_device(sl_scope_t *scope, TF_Operation *const *operations, size_t count,
                                     const char *name) {
  TF_Operation *group = NULL;
  SL_DEVICE (scope, TF_OperationDevice(operations[0])) {
    sl_node_t *node = sl_node_begin(scope, "NoOp", name);
    for (size_t i = 0; i < count; i++) sl_node_control_input(node, operations[i]);
    group = sl_node_finish(node);
  }
  return group;
}

TF_Operation *sl_group_with(sl_scope_t *scope, TF_Operation *const *operations, size_t count,
                            const sl_op_options_t *options) {
  for (size_t i = 0; i < count; i++)
    if (!operations[i]) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_group: operations[%zu] must not be NULL", i);
  if (!sli_scope_ok(scope)) return NULL;
  TF_Operation **sorted = sli_malloc((count + 1) * sizeof(*sorted));
  for (size_t i = 0; i < count; i++) sorted[i] = operations[i];
  qsort(sorted, count, sizeof(*sorted), by_device);
  bool one_device = count > 0 && by_device(&sorted[0], &sorted[count - 1]) == 0;
  TF_Operation *group = NULL;
  SL_NAME_SCOPE (scope, "%s", sli_build_name_or(options, "group_deps")) {
    char *whole = sli_build_scope_node_name(scope);
    sli_operations_t parts = {0};
    if (one_device) group = group_on_device(scope, sorted, count, whole);
    for (size_t first = 0, i = 1; i <= count && !one_device; i++) {
      if (i < count && by_device(&sorted[first], &sorted[i]) == 0) continue;
      TF_Operation *part = group_on_device(scope, sorted + first, i - first, NULL);
      if (part) sli_array_push(&parts, part);
      first = i;
    }
    if (!one_device) {
      sl_node_t *node = sl_node_begin(scope, "NoOp", whole);
      for (size_t i = 0; i < parts.count; i++) sl_node_control_input(node, parts.items[i]);
      group = sl_node_finish(node);
    }
    sli_array_deinitialize(&parts);
    free(whole);
  }
  free(sorted);
  return group;
}
