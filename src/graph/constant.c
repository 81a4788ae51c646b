// Values that are known without running the graph: constants, known shapes, and
// what small stateless subgraphs compute from them. Shape functions ask for them
// (the new shape of Reshape, the axes of Sum).
#include <stdlib.h>

#include "graph/graph.h"

enum {
  MAX_NODES = 200,      // in a subgraph that is evaluated
  MAX_ELEMENTS = 1024,  // in a value: enough for shapes, axes and permutations
};

// The budget of one evaluation, because graphs from users and peers may be deep and share subgraphs.
typedef struct {
  int nodes_left;
} evaluation_t;

static sli_tensor_t *evaluate(evaluation_t *evaluation, sli_output_t output);

bool sli_graph_is_function(const sli_node_t *node) {
  const sli_op_def_t *op = node->def.op->def;
  return !op->is_stateful && !op->control_flow && !op->is_placeholder && !op->depends_on_host;
}

// Shape, ShapeN, Size and Rank need no input value if the input's shape is known.
static sli_tensor_t *evaluate_shape_op(const sli_node_t *node, int output) {
  sli_dtype_t type = node->def.output_types[output];
  sli_shape_t shape = sli_graph_output_shape(node->inputs[sli_graph_node_is(node, "ShapeN") ? output : 0]);
  bool wide = type == SLI_DTYPE_INT64;
  if (sli_graph_node_is(node, "Rank")) return shape.rank < 0 ? NULL : sli_tensor_scalar_int32(shape.rank);
  if (!sli_shape_is_fully_known(shape)) return NULL;
  if (sli_graph_node_is(node, "Size")) {
    int64_t count = sli_shape_count(shape);
    return wide ? sli_tensor_scalar_int64(count) : sli_tensor_scalar_int32((int32_t)count);
  }
  if (wide) return sli_tensor_vector_int64(shape.dims, shape.rank);
  int32_t dims[SLI_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) dims[i] = (int32_t)shape.dims[i];
  return sli_tensor_vector_int32(dims, shape.rank);
}

static bool may_evaluate(const sli_node_t *node, const sli_kernel_def_t **out_kernel) {
  if (!sli_graph_is_function(node) || node->def.input_count == 0) return false;
  for (int i = 0; i < node->def.input_count; i++) {
    if (!node->inputs[i].node || sli_dtype_is_ref(node->def.input_types[i])) return false;
    int64_t count = sli_shape_count(sli_graph_output_shape(node->inputs[i]));
    if (count > MAX_ELEMENTS) return false;
  }
  for (int i = 0; i < node->def.output_count; i++)
    if (sli_dtype_is_ref(node->def.output_types[i]) || sli_shape_count(node->output_shapes[i]) > MAX_ELEMENTS)
      return false;
  sli_status_t *status = sli_kernel_find(&node->def, "CPU", out_kernel);
  sli_status_release(status);
  return !status && (*out_kernel)->compute;
}

static sli_tensor_t *evaluate_node(evaluation_t *evaluation, const sli_node_t *node, int output) {
  const sli_kernel_def_t *kernel;
  if (evaluation->nodes_left-- <= 0 || !may_evaluate(node, &kernel)) return NULL;
  sli_kernel_value_t *inputs = sli_calloc((size_t)node->def.input_count, sizeof(*inputs));
  sli_kernel_value_t *outputs = sli_calloc((size_t)node->def.output_count, sizeof(*outputs));
  bool known = true;
  for (int i = 0; i < node->def.input_count && known; i++) {
    inputs[i].tensor = evaluate(evaluation, node->inputs[i]);
    known = inputs[i].tensor != NULL;
  }
  sli_tensor_t *result = NULL;
  if (known) {
    sli_device_t *device = sli_device_create_cpu("/device:CPU:0", NULL, NULL);
    sli_status_t *status = sli_kernel_evaluate(&node->def, kernel, device, inputs, outputs);
    sli_device_destroy(device);
    if (!status) result = sli_tensor_retain(outputs[output].tensor);
    sli_status_release(status);  // then the value is not known; the step will report the error
  }
  for (int i = 0; i < node->def.input_count; i++) sli_tensor_release(inputs[i].tensor);
  for (int i = 0; i < node->def.output_count; i++) sli_tensor_release(outputs[i].tensor);
  free(inputs);
  free(outputs);
  return result;
}

static int64_t mask_of(const sli_node_t *node, const char *name) {
  const sli_attr_t *mask = sli_node_attr(&node->def, name);
  return mask && mask->kind == SLI_ATTR_INT ? mask->i : 0;
}

// shape(x)[i] if that dimension is known; others may be unknown.
static sli_tensor_t *evaluate_dimension(evaluation_t *evaluation, const sli_node_t *node) {
  const sli_node_t *source = node->inputs[0].node;
  if (!source || !sli_graph_node_is(node, "StridedSlice") || !sli_graph_node_is(source, "Shape") ||
      !source->inputs[0].node)
    return NULL;
  if (mask_of(node, "shrink_axis_mask") != 1 || mask_of(node, "begin_mask") || mask_of(node, "ellipsis_mask") ||
      mask_of(node, "new_axis_mask"))
    return NULL;
  sli_shape_t shape = sli_graph_output_shape(source->inputs[0]);
  sli_tensor_t *begin = evaluate(evaluation, node->inputs[1]), *result = NULL;
  bool one = begin && begin->count == 1 && (begin->dtype == SLI_DTYPE_INT32 || begin->dtype == SLI_DTYPE_INT64);
  int64_t index = one ? sli_tensor_int_at(begin, 0) : 0;
  if (index < 0 && shape.rank >= 0) index += shape.rank;
  if (one && index >= 0 && index < shape.rank && shape.dims[index] >= 0)
    result = node->def.output_types[0] == SLI_DTYPE_INT64 ? sli_tensor_scalar_int64(shape.dims[index])
                                                          : sli_tensor_scalar_int32((int32_t)shape.dims[index]);
  sli_tensor_release(begin);
  return result;
}

static sli_tensor_t *evaluate(evaluation_t *evaluation, sli_output_t output) {
  const sli_node_t *node = output.node;
  if (!node) return NULL;
  if (sli_graph_node_is(node, "Const")) {
    const sli_attr_t *value = sli_node_attr(&node->def, "value");
    // If value and node differ in type, the kernel will report it.
    bool is_sound = value && value->kind == SLI_ATTR_TENSOR && value->tensor->dtype == node->def.output_types[0];
    return is_sound ? sli_tensor_retain(value->tensor) : NULL;
  }
  if (sli_graph_node_is(node, "Shape") || sli_graph_node_is(node, "ShapeN") || sli_graph_node_is(node, "Size") ||
      sli_graph_node_is(node, "Rank"))
    return evaluate_shape_op(node, output.index);
  sli_tensor_t *dimension = node->def.input_count ? evaluate_dimension(evaluation, node) : NULL;
  return dimension ? dimension : evaluate_node(evaluation, node, output.index);
}

sli_tensor_t *sli_graph_constant_value(sli_output_t output) {
  evaluation_t evaluation = {MAX_NODES};
  return evaluate(&evaluation, output);
}

// --- Partly known vectors ----------------------------------------

static sli_shape_t shape_in_part(evaluation_t *evaluation, sli_arena_t *arena, sli_output_t output);

static sli_shape_t unknown_vector(sli_arena_t *arena, sli_output_t output) {
  sli_shape_t shape = sli_graph_output_shape(output);
  int64_t length = shape.rank == 1 ? shape.dims[0] : -1;
  if (length < 0 || length > SLI_MAX_RANK) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = sli_arena_calloc(arena, (size_t)length, sizeof(*dims));
  for (int64_t i = 0; i < length; i++) dims[i] = -1;
  return (sli_shape_t){(int)length, dims};
}

// Elements below -1 are not dimensions: the caller reports them from the constant itself.
static sli_shape_t shape_of_constant(sli_arena_t *arena, const sli_tensor_t *value) {
  if (value->rank > 1 || value->count > SLI_MAX_RANK) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = sli_arena_calloc(arena, (size_t)value->count, sizeof(*dims));
  for (int64_t i = 0; i < value->count; i++) dims[i] = sli_tensor_int_at(value, i);
  return (sli_shape_t){(int)value->count, dims};
}

static bool is_integer_constant(const sli_tensor_t *value) {
  return value && (value->dtype == SLI_DTYPE_INT32 || value->dtype == SLI_DTYPE_INT64);
}

static sli_shape_t shape_of_pack(evaluation_t *evaluation, sli_arena_t *arena, const sli_node_t *node) {
  int count = node->def.input_count;
  if (count > SLI_MAX_RANK) return SLI_SHAPE_UNKNOWN;
  int64_t *dims = sli_arena_calloc(arena, (size_t)count, sizeof(*dims));
  for (int i = 0; i < count; i++) {
    sli_tensor_t *value = evaluate(evaluation, node->inputs[i]);
    bool known = is_integer_constant(value) && value->count == 1;
    dims[i] = known ? sli_tensor_int_at(value, 0) : -1;
    // A strided slice may pick one dimension of a partly known shape.
    if (!known) {
      sli_shape_t part = shape_in_part(evaluation, arena, node->inputs[i]);
      if (part.rank == 1) dims[i] = part.dims[0];
    }
    sli_tensor_release(value);
  }
  return (sli_shape_t){count, dims};
}

static sli_shape_t shape_of_concat(evaluation_t *evaluation, sli_arena_t *arena, const sli_node_t *node, int first,
                                   int count) {
  int64_t dims[SLI_MAX_RANK];
  int rank = 0;
  for (int i = first; i < first + count; i++) {
    sli_shape_t part = shape_in_part(evaluation, arena, node->inputs[i]);
    if (part.rank < 0 || rank + part.rank > SLI_MAX_RANK) return SLI_SHAPE_UNKNOWN;
    for (int k = 0; k < part.rank; k++) dims[rank++] = part.dims[k];
  }
  return sli_shape_copy(arena, (sli_shape_t){rank, dims});
}

// x[b:e:s] and x[i] of a partly known vector.
static bool shape_of_strided_slice(evaluation_t *evaluation, sli_arena_t *arena, const sli_node_t *node,
                                   sli_shape_t *out_shape) {
  int64_t value[3], masks[5];
  static const char *const names[] = {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"};
  for (int i = 0; i < 5; i++) {
    masks[i] = mask_of(node, names[i]);
  }
  for (int i = 0; i < 3; i++) {
    sli_tensor_t *constant = evaluate(evaluation, node->inputs[i + 1]);
    bool known = is_integer_constant(constant) && constant->count == 1;
    value[i] = known ? sli_tensor_int_at(constant, 0) : 0;
    sli_tensor_release(constant);
    if (!known) return false;
  }
  sli_shape_t input = shape_in_part(evaluation, arena, node->inputs[0]);
  if (input.rank < 0 || masks[2] || masks[3] || value[2] <= 0) return false;
  int64_t rank = input.rank, begin = value[0] < 0 ? value[0] + rank : value[0];
  int64_t end = value[1] < 0 ? value[1] + rank : value[1];
  if (masks[4] & 1) end = begin + 1;
  if (masks[0] & 1 && !(masks[4] & 1)) begin = 0;
  if (masks[1] & 1 && !(masks[4] & 1)) end = rank;
  begin = begin < 0 ? 0 : begin > rank ? rank : begin;
  end = end < begin ? begin : end > rank ? rank : end;
  int64_t dims[SLI_MAX_RANK];
  int count = 0;
  for (int64_t i = begin; i < end; i += value[2]) dims[count++] = input.dims[i];
  *out_shape = sli_shape_copy(arena, (sli_shape_t){count, dims});
  return true;
}

static sli_shape_t shape_in_part(evaluation_t *evaluation, sli_arena_t *arena, sli_output_t output) {
  const sli_node_t *node = output.node;
  if (!node) return SLI_SHAPE_UNKNOWN;
  if (evaluation->nodes_left-- <= 0) return unknown_vector(arena, output);
  sli_tensor_t *value = evaluate(evaluation, output);
  sli_shape_t shape = SLI_SHAPE_UNKNOWN;
  bool known = is_integer_constant(value);
  if (known) shape = shape_of_constant(arena, value);
  sli_tensor_release(value);
  if (known) return shape;
  if (sli_graph_node_is(node, "Shape") || sli_graph_node_is(node, "ShapeN")) {
    shape = sli_graph_output_shape(node->inputs[output.index]);
    return shape.rank < 0 ? unknown_vector(arena, output) : shape;
  }
  if (sli_graph_node_is(node, "Cast") || sli_graph_node_is(node, "Identity"))
    return shape_in_part(evaluation, arena, node->inputs[0]);
  if (sli_graph_node_is(node, "Pack")) return shape_of_pack(evaluation, arena, node);
  if (sli_graph_node_is(node, "ConcatV2"))
    return shape_of_concat(evaluation, arena, node, 0, node->def.input_count - 1);
  if (sli_graph_node_is(node, "Concat")) return shape_of_concat(evaluation, arena, node, 1, node->def.input_count - 1);
  if (sli_graph_node_is(node, "StridedSlice") && shape_of_strided_slice(evaluation, arena, node, &shape)) return shape;
  return unknown_vector(arena, output);
}

sli_shape_t sli_graph_constant_shape(sli_arena_t *arena, sli_output_t output) {
  evaluation_t evaluation = {MAX_NODES};
  return shape_in_part(&evaluation, arena, output);
}
