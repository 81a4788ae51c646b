// The TensorArray ops: definitions, shape functions, gradients. The value of the scalar "flow" has no meaning: it
// orders reads after writes, and backpropagation follows it.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/tensor_array/tensor_array_internal.h"

// --- Shapes ----------------------------------------------------------------------------------

// Checks that input 0 is a vector of 2 elements, and the ranks of the inputs after it: |ranks| has a digit for each, or
// '-' for any rank.
static sli_status_t *check_inputs(sli_infer_context_t *c, const char *ranks) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), SLI_SHAPE(2), &unused));
  for (int i = 0; ranks[i]; i++) {
    if (ranks[i] != '-') SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i + 1, ranks[i] - '0', &unused));
  }
  return NULL;
}

static const sli_infer_handle_t *element_of(sli_infer_context_t *c) {
  return c->input_handles && c->input_handles[0].dtype != SLI_DTYPE_INVALID ? &c->input_handles[0] : NULL;
}

static void set_handle_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){2}));
  if (c->node->output_count > 1) sli_infer_set_output(c, 1, SLI_SHAPE_SCALAR);
}

static sli_status_t *make_shape(sli_infer_context_t *c) {
  sli_shape_t unused, element;
  sli_dtype_t dtype;
  bool is_identical = false;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 0, &unused));
  set_handle_shape(c);
  if (c->node->output_count == 1) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "identical_element_shapes", &is_identical));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "dtype", &dtype));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "element_shape", &element));
  if (is_identical || sli_shape_is_fully_known(element))
    c->output_handles[0] = (sli_infer_handle_t){dtype, sli_shape_copy(c->arena, element)};
  return NULL;
}

static sli_status_t *gradient_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, ""));
  set_handle_shape(c);
  if (c->node->output_count > 1 && element_of(c)) c->output_handles[0] = *element_of(c);
  return NULL;
}

static sli_status_t *gradient_with_shape_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(gradient_shape(c));
  const sli_infer_handle_t *element = element_of(c);
  sli_shape_t prefix = sli_infer_input(c, 2);
  if (!element) return NULL;
  int64_t rank = prefix.rank == 1 ? prefix.dims[0] : -1;
  c->output_handles[0].shape = SLI_SHAPE_UNKNOWN;
  if (rank >= 0 && rank <= SLI_MAX_RANK)
    c->output_handles[0].shape = sli_infer_concatenate(c, sli_infer_make_unknown_of_rank(c, (int)rank), element->shape);
  return NULL;
}

static sli_status_t *write_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(check_inputs(c, "0-0"));
  if (element_of(c)) SLI_RETURN_IF_ERROR(sli_infer_merge(c, element_of(c)->shape, sli_infer_input(c, 2), &unused));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *read_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "00"));
  if (element_of(c)) sli_infer_set_output(c, 0, element_of(c)->shape);
  return NULL;
}

static sli_status_t *gather_shape(sli_infer_context_t *c) {
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(check_inputs(c, "10"));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "element_shape", &element));
  if (element_of(c)) element = element_of(c)->shape;
  sli_shape_t indices;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &indices));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, indices, element));
  return NULL;
}

static sli_status_t *gather_v2_shape(sli_infer_context_t *c) { return check_inputs(c, "10"); }

static sli_status_t *scatter_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "1-0"));
  sli_shape_t value = sli_infer_input(c, 2), indices = sli_infer_input(c, 1), unused;
  int64_t dim;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, value, 1, &value));
  if (value.rank > 0 && indices.rank == 1)
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(value.dims[0], indices.dims[0], &dim));
  if (element_of(c) && value.rank > 0) {
    sli_shape_t row = sli_infer_subshape(c, value, 1, value.rank);
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, element_of(c)->shape, row, &unused));
  }
  return sli_infer_fn_scalar(c);
}

static sli_status_t *scatter_v2_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "1-0"));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *concat_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "0"));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static sli_status_t *split_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "-10"));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *size_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, ""));
  return sli_infer_fn_scalar(c);
}

static sli_status_t *close_shape(sli_infer_context_t *c) { return check_inputs(c, ""); }

// --- Gradients ---------------------------------------------------------------------------------

// The gradient array of the array at input 0, and the flow that orders its uses.
typedef struct {
  sli_output_t handle, flow;
} gradient_array_t;

// Emits the op TensorArray|name| in the same version as the differentiated node, since the versions have different
// kinds of handles.
static sli_output_t emit_version(sli_gradient_builder_t *b, const char *name, const sli_output_t *inputs,
                                 size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  const char *op = b->node->op->def->name;
  const char *version = sli_string_ends_with(op, "V3") ? "V3" : sli_string_ends_with(op, "V2") ? "V2" : "";
  char *full = sli_format("TensorArray%s%s", name, version);
  sli_output_t output = sli_gradient_emit(b, full, inputs, input_count, attrs, attr_count);
  free(full);
  return output;
}

static gradient_array_t gradient_array(sli_gradient_builder_t *b, sli_output_t flow) {
  // By the source the nodes of one call of gradients() share their gradient arrays.
  sli_output_t array = emit_version(b, "Grad", SLI_INPUTS(sli_gradient_input(b, 0), flow),
                                    SLI_ATTRS(SLI_ATTR_STRING_OF("source", b->prefix)));
  // The older versions have no flow output: the handle orders the ops that use it.
  bool has_flow = array.node && b->def(b, array.node)->output_count > 1;
  return (gradient_array_t){array, has_flow ? sli_output_at(array, 1) : flow};
}

static sli_output_t flow_input(sli_gradient_builder_t *b) { return sli_gradient_input(b, b->node->input_count - 1); }

static sli_status_t *read_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow_input(b));
  sli_gradient_set(
      b, 2,
      emit_version(b, "Write", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), gradient, array.flow), NULL, 0));
  return NULL;
}

static sli_status_t *write_gradient(sli_gradient_builder_t *b) {
  sli_output_t flow = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow);
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_input(b, 2));
  sli_gradient_set(b, 2,
                   emit_version(b, "Read", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), array.flow),
                                SLI_ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype))));
  sli_gradient_set(b, 3, flow);
  return NULL;
}

static sli_status_t *gather_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow_input(b));
  sli_gradient_set(
      b, 2,
      emit_version(b, "Scatter", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), gradient, array.flow), NULL, 0));
  return NULL;
}

static sli_status_t *scatter_gradient(sli_gradient_builder_t *b) {
  sli_output_t flow = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow);
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_input(b, 2));
  sli_gradient_set(b, 2,
                   emit_version(b, "Gather", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), array.flow),
                                SLI_ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype))));
  sli_gradient_set(b, 3, flow);
  return NULL;
}

static sli_status_t *concat_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow_input(b));
  sli_gradient_set(
      b, 1,
      emit_version(b, "Split", SLI_INPUTS(array.handle, gradient, sli_gradient_output(b, 1), array.flow), NULL, 0));
  return NULL;
}

static sli_status_t *split_gradient(sli_gradient_builder_t *b) {
  sli_output_t flow = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow);
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_input(b, 1));
  sli_gradient_set(
      b, 1,
      emit_version(b, "Concat", SLI_INPUTS(array.handle, array.flow), SLI_ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype))));
  sli_gradient_set(b, 3, flow);
  return NULL;
}

#define CONCAT_TYPES (SLI_TYPES_POD | SLI_TYPE_STRING | SLI_TYPES_QUANTIZED_8_32)
#define GATHER_TYPES (CONCAT_TYPES | SLI_TYPE_VARIANT)

static const sli_op_def_t ops[] = {
    {
        .name = "TensorArray",
        .inputs = "size: int32",
        .outputs = "handle: Ref(string)",
        .attrs = "dtype: type; dynamic_size: bool = false; clear_after_read: bool = true; tensor_array_name: string = "
                 "''; element_shape: shape = { unknown_rank: true }",
        .summary = "An array of tensors that lives for one step.",
        .shape = sli_infer_fn_unknown,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayV3",
    },
    {
        .name = "TensorArrayV2",
        .inputs = "size: int32",
        .outputs = "handle: string",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }; dynamic_size: bool = false; "
                 "clear_after_read: bool = true; tensor_array_name: string = ''",
        .summary = "An array of tensors that lives for one step.",
        .shape = make_shape,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayV3",
    },
    {
        .name = "TensorArrayV3",
        .inputs = "size: int32",
        .outputs = "handle: resource, flow: float",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }; dynamic_size: bool = false; "
                 "clear_after_read: bool = true; identical_element_shapes: bool = false; tensor_array_name: string = "
                 "''",
        .summary = "An array of tensors that lives for one step.",
        .shape = make_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayGrad",
        .inputs = "handle: string, flow_in: float",
        .outputs = "grad_handle: Ref(string)",
        .attrs = "source: string",
        .summary = "The TensorArray of the gradients of another TensorArray.",
        .shape = sli_infer_fn_unknown,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGradV3",
    },
    {
        .name = "TensorArrayGradV2",
        .inputs = "handle: string, flow_in: float",
        .outputs = "grad_handle: string",
        .attrs = "source: string",
        .summary = "The TensorArray of the gradients of another TensorArray.",
        .shape = gradient_shape,
        .not_differentiable = true,
        .is_stateful = true,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayGradV3",
    },
    {
        .name = "TensorArrayGradV3",
        .inputs = "handle: resource, flow_in: float",
        .outputs = "grad_handle: resource, flow_out: float",
        .attrs = "source: string",
        .summary = "The TensorArray of the gradients of another TensorArray.",
        .shape = gradient_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayWrite",
        .inputs = "handle: Ref(string), index: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes an element of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .gradient = write_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayWriteV3",
        .keeps_inputs = true,
    },
    {
        .name = "TensorArrayWriteV2",
        .inputs = "handle: string, index: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes an element of a TensorArray.",
        .shape = write_shape,
        .gradient = write_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayWriteV3",
        .keeps_inputs = true,
    },
    {
        .name = "TensorArrayWriteV3",
        .inputs = "handle: resource, index: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes an element of a TensorArray.",
        .shape = write_shape,
        .gradient = write_gradient,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "TensorArrayRead",
        .inputs = "handle: Ref(string), index: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .summary = "Reads an element of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .gradient = read_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayReadV3",
    },
    {
        .name = "TensorArrayReadV2",
        .inputs = "handle: string, index: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .summary = "Reads an element of a TensorArray.",
        .shape = read_shape,
        .gradient = read_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayReadV3",
    },
    {
        .name = "TensorArrayReadV3",
        .inputs = "handle: resource, index: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .summary = "Reads an element of a TensorArray.",
        .shape = read_shape,
        .gradient = read_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayGather",
        .inputs = "handle: Ref(string), indices: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Stacks some elements of a TensorArray into one tensor.",
        .shape = sli_infer_fn_unknown,
        .gradient = gather_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGatherV3",
    },
    {
        .name = "TensorArrayGatherV2",
        .inputs = "handle: string, indices: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Stacks some elements of a TensorArray into one tensor.",
        .shape = gather_v2_shape,
        .gradient = gather_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayGatherV3",
    },
    {
        .name = "TensorArrayGatherV3",
        .inputs = "handle: resource, indices: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Stacks some elements of a TensorArray into one tensor.",
        .shape = gather_shape,
        .gradient = gather_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayScatter",
        .inputs = "handle: Ref(string), indices: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor to some elements of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .gradient = scatter_gradient,
        .deprecated_in = 19,
        .deprecation = "Use TensorArrayGradV3",
        .keeps_inputs = true,
    },
    {
        .name = "TensorArrayScatterV2",
        .inputs = "handle: string, indices: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor to some elements of a TensorArray.",
        .shape = scatter_v2_shape,
        .gradient = scatter_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayScatterV3",
        .keeps_inputs = true,
    },
    {
        .name = "TensorArrayScatterV3",
        .inputs = "handle: resource, indices: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor to some elements of a TensorArray.",
        .shape = scatter_shape,
        .gradient = scatter_gradient,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "TensorArrayConcat",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type; element_shape_except0: shape = { unknown_rank: true }",
        .summary = "Concatenates all elements of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .gradient = concat_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGradV3",
    },
    {
        .name = "TensorArrayConcatV2",
        .inputs = "handle: string, flow_in: float",
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type; element_shape_except0: shape = { unknown_rank: true }",
        .summary = "Concatenates all elements of a TensorArray.",
        .shape = concat_shape,
        .gradient = concat_gradient,
    },
    {
        .name = "TensorArrayConcatV3",
        .inputs = "handle: resource, flow_in: float",
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type; element_shape_except0: shape = { unknown_rank: true }",
        .summary = "Concatenates all elements of a TensorArray.",
        .shape = concat_shape,
        .gradient = concat_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArraySplit",
        .inputs = "handle: Ref(string), value: T, lengths: int64, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Splits a tensor into the elements of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .gradient = split_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArraySplitV3",
        .keeps_inputs = true,
    },
    {
        .name = "TensorArraySplitV2",
        .inputs = "handle: string, value: T, lengths: int64, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Splits a tensor into the elements of a TensorArray.",
        .shape = split_shape,
        .gradient = split_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArraySplitV3",
        .keeps_inputs = true,
    },
    {
        .name = "TensorArraySplitV3",
        .inputs = "handle: resource, value: T, lengths: int64, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Splits a tensor into the elements of a TensorArray.",
        .shape = split_shape,
        .gradient = split_gradient,
        .is_stateful = true,
        .keeps_inputs = true,
    },
    {
        .name = "TensorArraySize",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "size: int32",
        .summary = "The number of elements of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .not_differentiable = true,
        .deprecated_in = 16,
        .deprecation = "Use TensorArraySizeV3",
    },
    {
        .name = "TensorArraySizeV2",
        .inputs = "handle: string, flow_in: float",
        .outputs = "size: int32",
        .summary = "The number of elements of a TensorArray.",
        .shape = size_shape,
        .not_differentiable = true,
        .deprecated_in = 26,
        .deprecation = "Use TensorArraySizeV3",
    },
    {
        .name = "TensorArraySizeV3",
        .inputs = "handle: resource, flow_in: float",
        .outputs = "size: int32",
        .summary = "The number of elements of a TensorArray.",
        .shape = size_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayClose",
        .inputs = "handle: Ref(string)",
        .summary = "Releases the elements of a TensorArray; later use of it fails.",
        .shape = sli_infer_fn_none,
        .not_differentiable = true,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayCloseV3",
    },
    {
        .name = "TensorArrayCloseV2",
        .inputs = "handle: string",
        .summary = "Releases the elements of a TensorArray; later use of it fails.",
        .shape = close_shape,
        .not_differentiable = true,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayCloseV3",
    },
    {
        .name = "TensorArrayCloseV3",
        .inputs = "handle: resource",
        .summary = "Releases the elements of a TensorArray; later use of it fails.",
        .shape = close_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayGradWithShape",
        .inputs = "handle: resource, flow_in: float, shape_to_prepend: int32",
        .outputs = "grad_handle: resource, flow_out: float",
        .attrs = "source: string",
        .summary = "The TensorArray of the gradients of another one, with more dimensions in front.",
        .shape = gradient_with_shape_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayPack",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Stacks all elements of a TensorArray into one tensor.",
        .shape = sli_infer_fn_unknown,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGatherV3 with RangeOp",
    },
    {
        .name = "TensorArrayUnpack",
        .inputs = "handle: Ref(string), value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor to all elements of a TensorArray.",
        .shape = sli_infer_fn_unknown,
        .deprecated_in = 20,
        .deprecation = "Use TensorArrayScatterV3 with RangeOp",
        .keeps_inputs = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "TensorArray", .host_memory = "size, handle", .compute = sli_tensor_array_make_compute},
    {.op = "TensorArrayV2", .host_memory = "size, handle", .compute = sli_tensor_array_make_compute},
    {.op = "TensorArrayV3", .host_memory = "size, handle", .compute = sli_tensor_array_make_compute},
    {.op = "TensorArrayGrad", .host_memory = "handle, grad_handle", .compute = sli_tensor_array_gradient_compute},
    {.op = "TensorArrayGradV2", .host_memory = "handle, grad_handle", .compute = sli_tensor_array_gradient_compute},
    {.op = "TensorArrayGradV3", .host_memory = "handle, grad_handle", .compute = sli_tensor_array_gradient_compute},
    {.op = "TensorArrayWrite",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, index",
     .compute = sli_tensor_array_write_compute},
    {.op = "TensorArrayWriteV2",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, index",
     .compute = sli_tensor_array_write_compute},
    {.op = "TensorArrayWriteV3",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, index",
     .compute = sli_tensor_array_write_compute},
    {.op = "TensorArrayRead",
     .where = {{"dtype", SLI_TYPES_COMMON}},
     .host_memory = "handle, index",
     .compute = sli_tensor_array_read_compute},
    {.op = "TensorArrayReadV2",
     .where = {{"dtype", SLI_TYPES_COMMON}},
     .host_memory = "handle, index",
     .compute = sli_tensor_array_read_compute},
    {.op = "TensorArrayReadV3",
     .where = {{"dtype", SLI_TYPES_COMMON}},
     .host_memory = "handle, index",
     .compute = sli_tensor_array_read_compute},
    {.op = "TensorArrayGather",
     .where = {{"dtype", GATHER_TYPES}},
     .host_memory = "handle, indices",
     .compute = sli_tensor_array_gather_compute},
    {.op = "TensorArrayGatherV2",
     .where = {{"dtype", GATHER_TYPES}},
     .host_memory = "handle, indices",
     .compute = sli_tensor_array_gather_compute},
    {.op = "TensorArrayGatherV3",
     .where = {{"dtype", GATHER_TYPES}},
     .host_memory = "handle, indices",
     .compute = sli_tensor_array_gather_compute},
    {.op = "TensorArrayScatter",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, indices",
     .compute = sli_tensor_array_scatter_compute},
    {.op = "TensorArrayScatterV2",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, indices",
     .compute = sli_tensor_array_scatter_compute},
    {.op = "TensorArrayScatterV3",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, indices",
     .compute = sli_tensor_array_scatter_compute},
    {.op = "TensorArrayConcat",
     .where = {{"dtype", CONCAT_TYPES}},
     .host_memory = "handle, lengths",
     .compute = sli_tensor_array_concat_compute},
    {.op = "TensorArrayConcatV2",
     .where = {{"dtype", CONCAT_TYPES}},
     .host_memory = "handle, lengths",
     .compute = sli_tensor_array_concat_compute},
    {.op = "TensorArrayConcatV3",
     .where = {{"dtype", CONCAT_TYPES}},
     .host_memory = "handle, lengths",
     .compute = sli_tensor_array_concat_compute},
    {.op = "TensorArraySplit",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, lengths",
     .compute = sli_tensor_array_split_compute},
    {.op = "TensorArraySplitV2",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, lengths",
     .compute = sli_tensor_array_split_compute},
    {.op = "TensorArraySplitV3",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle, lengths",
     .compute = sli_tensor_array_split_compute},
    {.op = "TensorArraySize", .host_memory = "handle, size", .compute = sli_tensor_array_size_compute},
    {.op = "TensorArraySizeV2", .host_memory = "handle, size", .compute = sli_tensor_array_size_compute},
    {.op = "TensorArraySizeV3", .host_memory = "handle, size", .compute = sli_tensor_array_size_compute},
    {.op = "TensorArrayClose", .host_memory = "handle", .compute = sli_tensor_array_close_compute},
    {.op = "TensorArrayCloseV2", .host_memory = "handle", .compute = sli_tensor_array_close_compute},
    {.op = "TensorArrayCloseV3", .host_memory = "handle", .compute = sli_tensor_array_close_compute},
    {.op = "TensorArrayGradWithShape",
     .host_memory = "handle, shape_to_prepend, grad_handle",
     .compute = sli_tensor_array_gradient_compute},
    {.op = "TensorArrayPack",
     .where = {{"dtype", GATHER_TYPES}},
     .host_memory = "handle",
     .compute = sli_tensor_array_pack_compute},
    {.op = "TensorArrayUnpack",
     .types = SLI_TYPES_COMMON,
     .host_memory = "handle",
     .compute = sli_tensor_array_unpack_compute},
};
SLI_OP_MODULE(tensor_array_ops);
