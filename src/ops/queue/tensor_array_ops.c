// The TensorArray ops: definitions, shapes, gradients. The scalar "flow" only
// orders reads after writes; gradients run along it.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/gradient.h"
#include "core/shape_inference.h"
#include "ops/array/elements.h"
#include "ops/queue/tensor_array_internal.h"

// --- Shapes ----------------------------------------------------------------------------------

// Input 0 is a vector of two; the inputs of |ranks| (0 ends) after it have rank letter - '0', '-' any.
static sli_status_t *check_inputs(sli_shape_context_t *c, const char *ranks) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_shape_merge(c, sli_shape_input(c, 0), SLI_SHAPE(2), &unused));
  for (int i = 0; ranks[i]; i++) {
    if (ranks[i] != '-') SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, i + 1, ranks[i] - '0', &unused));
  }
  return NULL;
}

static const sli_handle_shape_t *element_of(sli_shape_context_t *c) {
  return c->input_handles && c->input_handles[0].dtype != SLI_DTYPE_INVALID ? &c->input_handles[0] : NULL;
}

static void set_handle_shape(sli_shape_context_t *c) {
  sli_shape_set_output(c, 0, sli_shape_make(c, 1, (int64_t[]){2}));
  if (c->node->output_count > 1) sli_shape_set_output(c, 1, SLI_SHAPE_SCALAR);
}

static sli_status_t *make_shape(sli_shape_context_t *c) {
  sli_shape_t unused, element;
  sli_dtype_t dtype;
  bool is_identical = false;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 0, 0, &unused));
  set_handle_shape(c);
  if (c->node->output_count == 1) return NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "identical_element_shapes", &is_identical));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "dtype", &dtype));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "element_shape", &element));
  if (is_identical || sli_shape_is_fully_known(element))
    c->output_handles[0] = (sli_handle_shape_t){dtype, sli_shape_copy(c->arena, element)};
  return NULL;
}

static sli_status_t *gradient_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, ""));
  set_handle_shape(c);
  if (c->node->output_count > 1 && element_of(c)) c->output_handles[0] = *element_of(c);
  return NULL;
}

static sli_status_t *gradient_with_shape_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(gradient_shape(c));
  const sli_handle_shape_t *element = element_of(c);
  sli_shape_t prefix = sli_shape_input(c, 2);
  if (!element) return NULL;
  int64_t rank = prefix.rank == 1 ? prefix.dims[0] : -1;
  c->output_handles[0].shape = SLI_SHAPE_UNKNOWN;
  if (rank >= 0 && rank <= SLI_MAX_RANK)
    c->output_handles[0].shape = sli_shape_concatenate(c, sli_shape_make_unknown_of_rank(c, (int)rank), element->shape);
  return NULL;
}

static sli_status_t *write_shape(sli_shape_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(check_inputs(c, "0-0"));
  if (element_of(c)) SLI_RETURN_IF_ERROR(sli_shape_merge(c, element_of(c)->shape, sli_shape_input(c, 2), &unused));
  return sli_shape_fn_scalar(c);
}

static sli_status_t *read_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "00"));
  if (element_of(c)) sli_shape_set_output(c, 0, element_of(c)->shape);
  return NULL;
}

static sli_status_t *gather_shape(sli_shape_context_t *c) {
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(check_inputs(c, "10"));
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "element_shape", &element));
  if (element_of(c)) element = element_of(c)->shape;
  sli_shape_t indices;
  SLI_RETURN_IF_ERROR(sli_shape_input_with_rank(c, 1, 1, &indices));
  sli_shape_set_output(c, 0, sli_shape_concatenate(c, indices, element));
  return NULL;
}

static sli_status_t *gather_v2_shape(sli_shape_context_t *c) { return check_inputs(c, "10"); }

static sli_status_t *scatter_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "1-0"));
  sli_shape_t value = sli_shape_input(c, 2), indices = sli_shape_input(c, 1), unused;
  int64_t dim;
  SLI_RETURN_IF_ERROR(sli_shape_with_rank_at_least(c, value, 1, &value));
  if (value.rank > 0 && indices.rank == 1)
    SLI_RETURN_IF_ERROR(sli_shape_merge_dims(value.dims[0], indices.dims[0], &dim));
  if (element_of(c) && value.rank > 0) {
    sli_shape_t row = sli_shape_subshape(c, value, 1, value.rank);
    SLI_RETURN_IF_ERROR(sli_shape_merge(c, element_of(c)->shape, row, &unused));
  }
  return sli_shape_fn_scalar(c);
}

static sli_status_t *scatter_v2_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "1-0"));
  return sli_shape_fn_scalar(c);
}

static sli_status_t *concat_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "0"));
  sli_shape_set_output(c, 1, sli_shape_make_unknown_of_rank(c, 1));
  return NULL;
}

static sli_status_t *split_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, "-10"));
  return sli_shape_fn_scalar(c);
}

static sli_status_t *size_shape(sli_shape_context_t *c) {
  SLI_RETURN_IF_ERROR(check_inputs(c, ""));
  return sli_shape_fn_scalar(c);
}

static sli_status_t *close_shape(sli_shape_context_t *c) { return check_inputs(c, ""); }

// --- Gradients ---------------------------------------------------------------------------------

// Gradient arrays of one gradients call are shared by its source: the leading part of the names of its nodes, up to
// the last that starts with "gradients".
static void append_source(sli_gradient_builder_t *b, sli_output_t gradient, sli_string_t *source) {
  const char *name = gradient.node ? b->def(b, gradient.node)->name : "", *end = NULL;
  for (const char *part = name; part; part = strchr(part, '/')) {
    if (*part == '/') part++;
    if (sli_starts_with(part, "gradients")) {
      const char *slash = strchr(part, '/');
      end = slash ? slash : part + strlen(part);
    }
  }
  if (end)
    sli_string_append(source, name, (size_t)(end - name));
  else
    sli_string_append_text(source, "gradients");
}

// The gradient's array of the one that input 0 names, to be used after |flow|.
typedef struct {
  sli_output_t handle, flow;
} gradient_array_t;

// The op |name| in the version of the node that is differentiated: handles of one version do not fit another.
static sli_output_t emit_version(sli_gradient_builder_t *b, const char *name, const sli_output_t *inputs,
                                 size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count) {
  const char *op = b->node->op->def->name;
  const char *version = sli_ends_with(op, "V3") ? "V3" : sli_ends_with(op, "V2") ? "V2" : "";
  char *full = sli_format("TensorArray%s%s", name, version);
  sli_output_t output = sli_gradient_emit(b, full, inputs, input_count, attrs, attr_count);
  free(full);
  return output;
}

static gradient_array_t gradient_array(sli_gradient_builder_t *b, sli_output_t gradient, sli_output_t flow) {
  sli_string_t source = {0};
  append_source(b, gradient, &source);
  sli_output_t array = emit_version(b, "Grad", SLI_INPUTS(sli_gradient_input(b, 0), flow),
                                    SLI_ATTRS(SLI_ATTR_STRING_OF("source", sli_string_text(&source))));
  sli_string_deinitialize(&source);
  // The older forms have no flow of their own: their handle alone orders what follows.
  bool has_flow = array.node && b->def(b, array.node)->output_count > 1;
  return (gradient_array_t){array, has_flow ? sli_output_at(array, 1) : flow};
}

static sli_output_t flow_input(sli_gradient_builder_t *b) { return sli_gradient_input(b, b->node->input_count - 1); }

static sli_status_t *read_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, gradient, flow_input(b));
  sli_gradient_set(
      b, 2,
      emit_version(b, "Write", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), gradient, array.flow), NULL, 0));
  return NULL;
}

static sli_status_t *write_gradient(sli_gradient_builder_t *b) {
  sli_output_t flow = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow, flow);
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_input(b, 2));
  sli_gradient_set(b, 2,
                   emit_version(b, "Read", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), array.flow),
                                SLI_ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype))));
  sli_gradient_set(b, 3, flow);
  return NULL;
}

static sli_status_t *gather_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, gradient, flow_input(b));
  sli_gradient_set(
      b, 2,
      emit_version(b, "Scatter", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), gradient, array.flow), NULL, 0));
  return NULL;
}

static sli_status_t *scatter_gradient(sli_gradient_builder_t *b) {
  sli_output_t flow = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow, flow);
  sli_dtype_t dtype = sli_gradient_dtype(b, sli_gradient_input(b, 2));
  sli_gradient_set(b, 2,
                   emit_version(b, "Gather", SLI_INPUTS(array.handle, sli_gradient_input(b, 1), array.flow),
                                SLI_ATTRS(SLI_ATTR_TYPE_OF("dtype", dtype))));
  sli_gradient_set(b, 3, flow);
  return NULL;
}

static sli_status_t *concat_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, gradient, flow_input(b));
  sli_gradient_set(
      b, 1,
      emit_version(b, "Split", SLI_INPUTS(array.handle, gradient, sli_gradient_output(b, 1), array.flow), NULL, 0));
  return NULL;
}

static sli_status_t *split_gradient(sli_gradient_builder_t *b) {
  sli_output_t flow = sli_gradient_of_output(b, 0);
  gradient_array_t array = gradient_array(b, flow, flow);
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
        .summary = "An array of tensors for one step.",
        .shape = sli_shape_fn_unknown,
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
        .summary = "An array of tensors for one step.",
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
        .summary = "An array of tensors for one step.",
        .shape = make_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayGrad",
        .inputs = "handle: string, flow_in: float",
        .outputs = "grad_handle: Ref(string)",
        .attrs = "source: string",
        .summary = "The array of the gradients of an array.",
        .shape = sli_shape_fn_unknown,
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
        .summary = "The array of the gradients of an array.",
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
        .summary = "The array of the gradients of an array.",
        .shape = gradient_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayWrite",
        .inputs = "handle: Ref(string), index: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes an element.",
        .shape = sli_shape_fn_unknown,
        .gradient = write_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayWriteV3",
    },
    {
        .name = "TensorArrayWriteV2",
        .inputs = "handle: string, index: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes an element.",
        .shape = write_shape,
        .gradient = write_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayWriteV3",
    },
    {
        .name = "TensorArrayWriteV3",
        .inputs = "handle: resource, index: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes an element.",
        .shape = write_shape,
        .gradient = write_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayRead",
        .inputs = "handle: Ref(string), index: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .summary = "Reads an element.",
        .shape = sli_shape_fn_unknown,
        .gradient = read_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayReadV3",
    },
    {
        .name = "TensorArrayReadV2",
        .inputs = "handle: string, index: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type",
        .summary = "Reads an element.",
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
        .summary = "Reads an element.",
        .shape = read_shape,
        .gradient = read_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayGather",
        .inputs = "handle: Ref(string), indices: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Reads elements into one tensor.",
        .shape = sli_shape_fn_unknown,
        .gradient = gather_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGatherV3",
    },
    {
        .name = "TensorArrayGatherV2",
        .inputs = "handle: string, indices: int32, flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Reads elements into one tensor.",
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
        .summary = "Reads elements into one tensor.",
        .shape = gather_shape,
        .gradient = gather_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayScatter",
        .inputs = "handle: Ref(string), indices: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor as elements.",
        .shape = sli_shape_fn_unknown,
        .gradient = scatter_gradient,
        .deprecated_in = 19,
        .deprecation = "Use TensorArrayGradV3",
    },
    {
        .name = "TensorArrayScatterV2",
        .inputs = "handle: string, indices: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor as elements.",
        .shape = scatter_v2_shape,
        .gradient = scatter_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayScatterV3",
    },
    {
        .name = "TensorArrayScatterV3",
        .inputs = "handle: resource, indices: int32, value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor as elements.",
        .shape = scatter_shape,
        .gradient = scatter_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayConcat",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type; element_shape_except0: shape = { unknown_rank: true }",
        .summary = "Concatenates all elements.",
        .shape = sli_shape_fn_unknown,
        .gradient = concat_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGradV3",
    },
    {
        .name = "TensorArrayConcatV2",
        .inputs = "handle: string, flow_in: float",
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type; element_shape_except0: shape = { unknown_rank: true }",
        .summary = "Concatenates all elements.",
        .shape = concat_shape,
        .gradient = concat_gradient,
    },
    {
        .name = "TensorArrayConcatV3",
        .inputs = "handle: resource, flow_in: float",
        .outputs = "value: dtype, lengths: int64",
        .attrs = "dtype: type; element_shape_except0: shape = { unknown_rank: true }",
        .summary = "Concatenates all elements.",
        .shape = concat_shape,
        .gradient = concat_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArraySplit",
        .inputs = "handle: Ref(string), value: T, lengths: int64, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Splits a tensor into elements.",
        .shape = sli_shape_fn_unknown,
        .gradient = split_gradient,
        .deprecated_in = 16,
        .deprecation = "Use TensorArraySplitV3",
    },
    {
        .name = "TensorArraySplitV2",
        .inputs = "handle: string, value: T, lengths: int64, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Splits a tensor into elements.",
        .shape = split_shape,
        .gradient = split_gradient,
        .deprecated_in = 26,
        .deprecation = "Use TensorArraySplitV3",
    },
    {
        .name = "TensorArraySplitV3",
        .inputs = "handle: resource, value: T, lengths: int64, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Splits a tensor into elements.",
        .shape = split_shape,
        .gradient = split_gradient,
        .is_stateful = true,
    },
    {
        .name = "TensorArraySize",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "size: int32",
        .summary = "The number of elements.",
        .shape = sli_shape_fn_unknown,
        .not_differentiable = true,
        .deprecated_in = 16,
        .deprecation = "Use TensorArraySizeV3",
    },
    {
        .name = "TensorArraySizeV2",
        .inputs = "handle: string, flow_in: float",
        .outputs = "size: int32",
        .summary = "The number of elements.",
        .shape = size_shape,
        .not_differentiable = true,
        .deprecated_in = 26,
        .deprecation = "Use TensorArraySizeV3",
    },
    {
        .name = "TensorArraySizeV3",
        .inputs = "handle: resource, flow_in: float",
        .outputs = "size: int32",
        .summary = "The number of elements.",
        .shape = size_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayClose",
        .inputs = "handle: Ref(string)",
        .summary = "Drops the elements.",
        .shape = sli_shape_fn_none,
        .not_differentiable = true,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayCloseV3",
    },
    {
        .name = "TensorArrayCloseV2",
        .inputs = "handle: string",
        .summary = "Drops the elements.",
        .shape = close_shape,
        .not_differentiable = true,
        .deprecated_in = 26,
        .deprecation = "Use TensorArrayCloseV3",
    },
    {
        .name = "TensorArrayCloseV3",
        .inputs = "handle: resource",
        .summary = "Drops the elements.",
        .shape = close_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayGradWithShape",
        .inputs = "handle: resource, flow_in: float, shape_to_prepend: int32",
        .outputs = "grad_handle: resource, flow_out: float",
        .attrs = "source: string",
        .summary = "The array of the gradients of an array, with more dimensions.",
        .shape = gradient_with_shape_shape,
        .not_differentiable = true,
        .is_stateful = true,
    },
    {
        .name = "TensorArrayPack",
        .inputs = "handle: Ref(string), flow_in: float",
        .outputs = "value: dtype",
        .attrs = "dtype: type; element_shape: shape = { unknown_rank: true }",
        .summary = "Reads all elements into one tensor.",
        .shape = sli_shape_fn_unknown,
        .deprecated_in = 16,
        .deprecation = "Use TensorArrayGatherV3 with RangeOp",
    },
    {
        .name = "TensorArrayUnpack",
        .inputs = "handle: Ref(string), value: T, flow_in: float",
        .outputs = "flow_out: float",
        .attrs = "T: type",
        .summary = "Writes the rows of a tensor as all elements.",
        .shape = sli_shape_fn_unknown,
        .deprecated_in = 20,
        .deprecation = "Use TensorArrayScatterV3 with RangeOp",
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
