#include <stdlib.h>

#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"

// --- Constants ---

char *sli_build_scope_node_name(sl_scope_t *scope) { return sli_format("%s/", sli_scope_prefix(scope)); }

TF_Output sli_build_constant_tensor(sl_scope_t *scope, TF_Tensor *tensor, const char *name) {
  if (!tensor) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "constant '%s': dtype must be a number or a bool, and shape fully known",
                  name);
    return (TF_Output){0};
  }
  sl_node_t *node = sl_node_begin(scope, "Const", name);
  sl_node_attr_tensor(node, "value", tensor);
  sl_node_attr_type(node, "dtype", TF_TensorType(tensor));
  sli_tf_tensor_delete(tensor);
  return sl_node_output(node);
}

TF_Output sli_build_constant_fill(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, double number,
                                  const char *name) {
  TF_Tensor *tensor = sli_tf_tensor_fill(dtype, shape, number);
  if (!tensor) {
    char *text = sli_tf_shape_format(shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "constant '%s': dtype must be a number or a bool, and shape fully known, got %s and %s", name,
                  sli_tf_type_name(dtype), text);
    free(text);
    return (TF_Output){0};
  }
  return sli_build_constant_tensor(scope, tensor, name);
}

TF_Output sli_build_constant_int32s(sl_scope_t *scope, const int32_t *values, size_t count, const char *name) {
  return sli_build_constant_tensor(scope, sli_tf_tensor_copy(TF_INT32, SL_SHAPE((int64_t)count), values), name);
}

TF_Output sli_build_constant_shape(sl_scope_t *scope, sl_shape_t shape, const char *name) {
  int32_t dims[SL_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = (int32_t)shape.dims[i];
  return sli_build_constant_int32s(scope, dims, shape.rank > 0 ? (size_t)shape.rank : 0, name);
}

// --- Arithmetic ---

TF_Output sli_build_number_left(sl_scope_t *scope, const char *op, const char *name, double number, TF_Output y) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    result = sl_binary(scope, op, whole, sli_build_constant_fill(scope, sl_dtype(y), SL_SHAPE(), number, "x"), y, NULL);
    free(whole);
  }
  return result;
}

TF_Output sli_build_number_right(sl_scope_t *scope, const char *op, const char *name, TF_Output x, double number) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name) {
    char *whole = sli_build_scope_node_name(scope);
    result = sl_binary(scope, op, whole, x, sli_build_constant_fill(scope, sl_dtype(x), SL_SHAPE(), number, "y"), NULL);
    free(whole);
  }
  return result;
}

TF_Output sli_build_scaled(sl_scope_t *scope, double number, TF_Output x) {
  return sli_build_number_left(scope, "Mul", "mul", number, x);
}

TF_Output sli_build_add_n(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name) {
  sl_node_t *node = sl_node_begin(scope, "AddN", name);
  sl_node_input_list(node, values, count);
  return sl_node_output(node);
}

TF_Output sli_build_select(sl_scope_t *scope, TF_Output condition, TF_Output yes, TF_Output no) {
  sl_node_t *node = sl_node_begin(scope, "Select", NULL);
  sl_node_input(node, condition);
  sl_node_input(node, yes);
  sl_node_input(node, no);
  return sl_node_output(node);
}

// --- Random numbers ---

// Python's seed % (2**31 - 1), which is never negative.
static int64_t reduce_seed(int64_t seed) { return (seed % INT32_MAX + INT32_MAX) % INT32_MAX; }

// As tf.random.get_seed: without a seed of the graph or the op, both are 0, which means a random seed in each run. An
// op without its own seed in a graph with a seed uses the number of such ops before it.
void sli_build_seeds(sl_scope_t *scope, sl_node_t *node, int64_t seed) {
  enum { DEFAULT_GRAPH_SEED = 87654321 };
  int64_t graph_seed = 0, op_seed = 0;
  if (scope->has_seed) {
    graph_seed = reduce_seed(scope->seed);
    op_seed = reduce_seed(seed ? seed : scope->seeds_given++);
    if (!graph_seed && !op_seed) op_seed = INT32_MAX;  // both 0 would mean a random seed
  } else if (seed) {
    graph_seed = DEFAULT_GRAPH_SEED;
    op_seed = reduce_seed(seed);
  }
  sl_node_attr_int(node, "seed", graph_seed);
  sl_node_attr_int(node, "seed2", op_seed);
}

TF_Output sli_build_random_uniform(sl_scope_t *scope, TF_Output shape, TF_DataType dtype, int64_t seed) {
  sl_node_t *node = sl_node_begin(scope, "RandomUniform", NULL);
  sl_node_input(node, shape);
  sl_node_attr_type(node, "dtype", dtype);
  sli_build_seeds(scope, node, seed);
  return sl_node_output(node);
}

// --- Shapes, slices and rows ---

TF_Output sli_build_transpose(sl_scope_t *scope, TF_Output x, const int32_t *permutation, size_t rank,
                              const char *name) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name ? name : "transpose") {
    char *whole = sli_build_scope_node_name(scope);
    result = sl_binary(scope, "Transpose", whole, x, sli_build_constant_int32s(scope, permutation, rank, "perm"), NULL);
    free(whole);
  }
  return result;
}

TF_Output sli_build_concat_here(sl_scope_t *scope, const TF_Output *values, size_t count, int axis) {
  char *whole = sli_build_scope_node_name(scope);
  TF_Output axis_tensor = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), axis, "axis");
  sl_node_t *node = sl_node_begin(scope, "ConcatV2", whole);
  sl_node_input_list(node, values, count);
  sl_node_input(node, axis_tensor);
  free(whole);
  return sl_node_output(node);
}

TF_Output sli_build_concat(sl_scope_t *scope, const TF_Output *values, size_t count, int axis, const char *name) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", name ? name : "concat") {
    result = sli_build_concat_here(scope, values, count, axis);
  }
  return result;
}

TF_Output sli_build_strided_slice(sl_scope_t *scope, TF_Output x, const sli_build_slice_t *slice) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "strided_slice") {
    char *whole = sli_build_scope_node_name(scope);
    static const int32_t steps[SLI_BUILD_SLICE_AXES] = {1, 1};
    TF_Output begin = sli_build_constant_int32s(scope, slice->begin, slice->axes, "stack");
    TF_Output end = sli_build_constant_int32s(scope, slice->end, slice->axes, "stack_1");
    TF_Output stride = sli_build_constant_int32s(scope, steps, slice->axes, "stack_2");
    sl_node_t *node = sl_node_begin(scope, "StridedSlice", whole);
    sl_node_input(node, x);
    sl_node_input(node, begin);
    sl_node_input(node, end);
    sl_node_input(node, stride);
    sl_node_attr_int(node, "begin_mask", slice->begin_mask);
    sl_node_attr_int(node, "end_mask", slice->end_mask);
    sl_node_attr_int(node, "shrink_axis_mask", slice->shrink_mask);
    result = sl_node_output(node);
    free(whole);
  }
  return result;
}

TF_Output sli_build_element(sl_scope_t *scope, TF_Output x, int index) {
  return sli_build_strided_slice(
      scope, x, &(sli_build_slice_t){.axes = 1, .begin = {index}, .end = {index + 1}, .shrink_mask = 1});
}

TF_Output sli_build_expand_dims(sl_scope_t *scope, TF_Output x, int axis) {
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "ExpandDims") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dim = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), axis, "dim");
    result = sl_binary(scope, "ExpandDims", whole, x, dim, NULL);
    free(whole);
  }
  return result;
}

TF_Output sli_build_squeeze(sl_scope_t *scope, TF_Output x, int axis) {
  sl_node_t *node = sl_node_begin(scope, "Squeeze", NULL);
  sl_node_input(node, x);
  sl_node_attr_int_list(node, "squeeze_dims", (const int64_t[]){axis}, 1);
  return sl_node_output(node);
}

// If |limit| is empty, the limit is |number|.
static TF_Output range_node(sl_scope_t *scope, int start, TF_Output limit, int32_t number) {
  TF_Output range = {0};
  SL_NAME_SCOPE (scope, "range") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output first = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), start, "start");
    if (!limit.oper) limit = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), number, "limit");
    TF_Output delta = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 1, "delta");
    sl_node_t *node = sl_node_begin(scope, "Range", whole);
    sl_node_input(node, first);
    sl_node_input(node, limit);
    sl_node_input(node, delta);
    range = sl_node_output(node);
    free(whole);
  }
  return range;
}

TF_Output sli_build_range(sl_scope_t *scope, int start, TF_Output limit) {
  if (!limit.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the limit of a range must not be empty");
  return range_node(scope, start, limit, 0);
}

TF_Output sli_build_range_to(sl_scope_t *scope, int32_t limit) { return range_node(scope, 0, (TF_Output){0}, limit); }

TF_Output sli_build_pack(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name) {
  sl_node_t *node = sl_node_begin(scope, "Pack", name ? name : "stack");
  sl_node_input_list(node, values, count);
  return sl_node_output(node);
}

TF_Output sli_build_gather_rows(sl_scope_t *scope, TF_Output params, TF_Output indices, const char *name) {
  TF_Output rows = {0};
  SL_NAME_SCOPE (scope, "%s", name ? name : "GatherV2") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output axis = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 0, "axis");
    sl_node_t *node = sl_node_begin(scope, "GatherV2", whole);
    sl_node_input(node, params);
    sl_node_input(node, indices);
    sl_node_input(node, axis);
    rows = sl_node_output(node);
    free(whole);
  }
  return rows;
}

TF_Output sli_build_shape(sl_scope_t *scope, TF_Output x) {
  sl_shape_t shape = sl_static_shape(scope, x);
  if (sli_tf_shape_elements(shape) < 0) return sl_shape_of_with(scope, x, NULL);
  return sli_build_constant_shape(scope, shape, "Shape");
}

TF_Output sli_build_after(sl_scope_t *scope, TF_Operation *const *operations, size_t count, TF_Output output) {
  TF_Output result = {0};
  if (!output.oper) return result;
  SL_COLOCATE_WITH(scope, output.oper) {
    SL_BLOCK(sl_control_dependencies_enter(scope, operations, count)) {
      result = sl_unary(scope, "Identity", output, SL_OP_OPTIONS(.name = "control_dependency"));
    }
  }
  return result;
}

void sli_build_set_shape(sl_scope_t *scope, TF_Output value, sl_shape_t shape) {
  if (!value.oper || shape.rank < 0) return;
  TF_Status *status = TF_NewStatus();
  TF_GraphSetTensorShape(scope->graph, value, shape.dims, shape.rank, status);
  sli_scope_check_tf(scope, status, TF_OperationName(value.oper));
}

static bool are_compatible(sl_shape_t a, sl_shape_t b) {
  if (a.rank < 0 || b.rank < 0) return true;
  bool same = a.rank == b.rank;
  for (int i = 0; same && i < a.rank; i++) same = a.dims[i] == b.dims[i] || a.dims[i] < 0 || b.dims[i] < 0;
  return same;
}

bool sli_build_is_compatible(sl_scope_t *scope, TF_Output x, TF_Output y) {
  return are_compatible(sl_static_shape(scope, x), sl_static_shape(scope, y));
}

bool sli_build_check_shapes(sl_scope_t *scope, sl_shape_t a, sl_shape_t b) {
  if (!sli_scope_ok(scope) || are_compatible(a, b)) return sli_scope_ok(scope);
  char *one = sli_tf_shape_format(a), *other = sli_tf_shape_format(b);
  sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Shapes %s and %s are incompatible", one, other);
  free(one);
  free(other);
  return false;
}

bool sli_build_check_scalar(sl_scope_t *scope, TF_Output x, const char *what) {
  if (!sli_scope_ok(scope)) return false;
  sl_shape_t shape = sl_static_shape(scope, x);
  if (shape.rank <= 0) return sli_scope_ok(scope);
  char *text = sli_tf_shape_format(shape);
  sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: Shape %s must have rank 0", what, text);
  free(text);
  return false;
}

bool sli_build_check_compatible(sl_scope_t *scope, TF_Output x, TF_Output y) {
  return sli_build_check_shapes(scope, sl_static_shape(scope, x), sl_static_shape(scope, y));
}
