// TensorList...: definitions, shape functions and gradients. A list is the element of a scalar VARIANT tensor. Shape
// inference knows the type and shape of its elements as those of a handle.
#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "ops/tensor_list/tensor_list.h"

// --- Shapes ------------------------------------------------------------------------------------

// The value of input |index| as a shape. A scalar must be -1 and means an unknown shape.
static sli_status_t *element_shape_of(sli_infer_context_t *c, int index, sli_shape_t *out_shape) {
  sli_shape_t input;
  *out_shape = SLI_SHAPE_UNKNOWN;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, index), 1, &input));
  const sli_tensor_t *value = sli_infer_input_constant(c, index);
  if (value && value->rank == 0) {
    int64_t scalar = sli_tensor_int_at(value, 0);
    if (scalar == -1) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input tensor must be rank 1, or if its rank 0 it must have value -1 (representing an "
                           "unknown shape).  Saw value: %lld",
                           (long long)scalar);
  }
  if (input.rank != 1) return NULL;
  return sli_infer_input_as_shape(c, index, out_shape);
}

static void set_list(sli_infer_context_t *c, int output, sli_dtype_t dtype, sli_shape_t element) {
  sli_infer_set_output(c, output, SLI_SHAPE_SCALAR);
  c->output_handles[output] = (sli_infer_handle_t){dtype, element};
}

static sli_infer_handle_t list_of(sli_infer_context_t *c, int input) {
  if (!c->input_handles) return (sli_infer_handle_t){SLI_DTYPE_INVALID, SLI_SHAPE_UNKNOWN};
  return c->input_handles[input];
}

// The shape of the elements of the list in input 0, which must be of the type |element_dtype|.
static sli_status_t *known_element(sli_infer_context_t *c, const char *format, sli_dtype_t *out_dtype,
                                   sli_shape_t *out_shape) {
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", out_dtype));
  sli_infer_handle_t list = list_of(c, 0);
  *out_shape = SLI_SHAPE_UNKNOWN;
  if (list.dtype == SLI_DTYPE_INVALID) return NULL;
  *out_shape = list.shape;
  if (list.dtype == *out_dtype) return NULL;
  if (format)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s List has type %s but trying to push element with type %s", format,
                           sli_dtype_name(list.dtype), sli_dtype_name(*out_dtype));
  return sli_status_make(SLI_INVALID_ARGUMENT, "Expected list with element dtype %s but got list with element dtype %s",
                         sli_dtype_name(*out_dtype), sli_dtype_name(list.dtype));
}

// The shape that an op reads: that of the list's elements, merged with input |index|.
static sli_status_t *read_element(sli_infer_context_t *c, int index, sli_shape_t *out_shape) {
  sli_dtype_t dtype;
  sli_shape_t known, given;
  SLI_RETURN_IF_ERROR(known_element(c, NULL, &dtype, &known));
  SLI_RETURN_IF_ERROR(element_shape_of(c, index, &given));
  return sli_infer_merge(c, known, given, out_shape);
}

static sli_status_t *make_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", &dtype));
  SLI_RETURN_IF_ERROR(element_shape_of(c, 0, &element));
  set_list(c, 0, dtype, element);
  return NULL;
}

static const char wrong_push[] = "Trying to push to list with wrong element dtype.";

static sli_status_t *push_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(known_element(c, wrong_push, &dtype, &element));
  set_list(c, 0, dtype, element);
  return NULL;
}

static sli_status_t *push_batch_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element, handles, tensor;
  int64_t batch;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &handles));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 1, &tensor));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(handles, 0), sli_infer_dim(tensor, 0), &batch));
  SLI_RETURN_IF_ERROR(known_element(c, wrong_push, &dtype, &element));
  set_list(c, 0, dtype, element);
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &batch));
  return NULL;
}

static sli_status_t *pop_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(known_element(c, "Trying to read from list with wrong element dtype.", &dtype, &element));
  set_list(c, 0, dtype, element);
  sli_infer_set_output(c, 1, element);
  return NULL;
}

static sli_status_t *stack_shape(sli_infer_context_t *c) {
  sli_shape_t element;
  int64_t count;
  SLI_RETURN_IF_ERROR(read_element(c, 1, &element));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "num_elements", &count));
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_make(c, 1, &count), element));
  return NULL;
}

static sli_status_t *concat_output(sli_infer_context_t *c, sli_shape_t given) {
  sli_dtype_t dtype;
  sli_shape_t known, merged;
  SLI_RETURN_IF_ERROR(known_element(c, NULL, &dtype, &known));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, known, given, &merged));
  sli_infer_set_output(c, 1, sli_infer_make_unknown_of_rank(c, 1));
  if (merged.rank < 0) return NULL;
  // Scalars are an error of the step, as in TensorFlow.
  sli_shape_t rest = merged.rank ? sli_infer_subshape(c, merged, 1, merged.rank) : merged;
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_make_unknown_of_rank(c, 1), rest));
  return NULL;
}

static sli_status_t *concat_shape(sli_infer_context_t *c) {
  sli_shape_t given;
  SLI_RETURN_IF_ERROR(sli_node_attr_shape(c->node, "element_shape", &given));
  return concat_output(c, given);
}

static sli_status_t *concat_v2_shape(sli_infer_context_t *c) {
  sli_shape_t given;
  SLI_RETURN_IF_ERROR(element_shape_of(c, 1, &given));
  return concat_output(c, given);
}

static sli_status_t *split_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t tensor, unused, element;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", &dtype));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &tensor));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &unused));
  SLI_RETURN_IF_ERROR(element_shape_of(c, 1, &element));
  if (tensor.rank > 0) {
    sli_shape_t rows = sli_infer_replace_dim(c, tensor, 0, -1);
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, rows, element, &unused));
  }
  set_list(c, 0, dtype, element);
  return NULL;
}

static sli_status_t *from_tensor_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element, unused, tensor = sli_infer_input(c, 0);
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", &dtype));
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, tensor, 1, &tensor));
  SLI_RETURN_IF_ERROR(element_shape_of(c, 1, &element));
  sli_shape_t row = tensor.rank < 0 ? tensor : sli_infer_subshape(c, tensor, 1, tensor.rank);
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, row, element, &unused));
  set_list(c, 0, dtype, element);
  return NULL;
}

static sli_status_t *element_shape_shape(sli_infer_context_t *c) {
  sli_infer_handle_t list = list_of(c, 0);
  // A list of unknown rank gives a scalar, a list that is not known yet either of them.
  if (list.dtype != SLI_DTYPE_INVALID && list.shape.rank >= 0)
    sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){list.shape.rank}));
  return NULL;
}

static sli_status_t *get_shape(sli_infer_context_t *c) {
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(read_element(c, 2, &element));
  sli_infer_set_output(c, 0, element);
  return NULL;
}

static sli_status_t *resize_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  sli_infer_handle_t list = list_of(c, 0);
  set_list(c, 0, list.dtype, list.shape);
  return NULL;
}

static sli_status_t *set_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element, unused;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", &dtype));
  sli_infer_handle_t list = list_of(c, 0);
  element = list.dtype == SLI_DTYPE_INVALID ? SLI_SHAPE_UNKNOWN : list.shape;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 2), element, &unused));
  set_list(c, 0, list.dtype == SLI_DTYPE_INVALID ? dtype : list.dtype, element);
  return NULL;
}

static sli_status_t *gather_shape(sli_infer_context_t *c) {
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(read_element(c, 2, &element));
  sli_shape_t indices = sli_infer_input(c, 1);
  // All indices become one dimension.
  int64_t count = indices.rank < 0 ? -1 : sli_shape_count(indices);
  if (indices.rank == 1 || indices.rank < 0)
    sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_make(c, 1, &count), element));
  return NULL;
}

static sli_status_t *scatter_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", &dtype));
  SLI_RETURN_IF_ERROR(element_shape_of(c, 2, &element));
  set_list(c, 0, dtype, element);
  return NULL;
}

static sli_status_t *scatter_into_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t element, unused;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 1), 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 1, &unused));
  SLI_RETURN_IF_ERROR(known_element(c, NULL, &dtype, &element));
  set_list(c, 0, dtype, element);
  return NULL;
}

static sli_status_t *join_shape(sli_infer_context_t *c) {
  sli_dtype_t dtype;
  sli_shape_t handles, element = SLI_SHAPE_UNKNOWN;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), sli_infer_input(c, 1), &handles));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "element_dtype", &dtype));
  for (int i = 0; i < 2; i++) {
    sli_infer_handle_t list = list_of(c, i);
    if (list.dtype == SLI_DTYPE_INVALID) continue;
    if (list.dtype != dtype)
      return sli_status_make(SLI_INVALID_ARGUMENT, "input_%c.type != element_dtype: %s vs. %s", 'a' + i,
                             sli_dtype_name(list.dtype), sli_dtype_name(dtype));
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, element, list.shape, &element));
  }
  set_list(c, 0, dtype, element);
  sli_infer_set_output(c, 0, handles);
  return NULL;
}

// --- Gradients ---------------------------------------------------------------------------------

#define TYPE(dtype) SLI_ATTR_TYPE_OF("element_dtype", dtype)

static sli_output_t emit_length(sli_gradient_builder_t *b) {
  return sli_emit1(b, "TensorListLength", sli_gradient_input(b, 0));
}

static sli_output_t emit_element_shape(sli_gradient_builder_t *b, sli_output_t list) {
  return SLI_EMIT_WITH(b, "TensorListElementShape", SLI_INPUTS(list),
                       SLI_ATTRS(SLI_ATTR_TYPE_OF("shape_type", SLI_DTYPE_INT32)));
}

// The shape of |tensor| without its first dimension.
static sli_output_t emit_row_shape(sli_gradient_builder_t *b, sli_output_t tensor) {
  return sli_emit3(b, "Slice", sli_emit_shape(b, tensor), sli_gradient_const_ints(b, (int32_t[]){1}, 1),
                   sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
}

static sli_output_t emit_reserved(sli_gradient_builder_t *b, sli_dtype_t dtype) {
  return SLI_EMIT_WITH(b, "TensorListReserve",
                       SLI_INPUTS(emit_element_shape(b, sli_gradient_input(b, 0)), emit_length(b)),
                       SLI_ATTRS(TYPE(dtype)));
}

static sli_status_t *push_gradient(sli_gradient_builder_t *b) {
  sli_output_t item = sli_gradient_input(b, 1);
  sli_output_t popped =
      SLI_EMIT_WITH(b, "TensorListPopBack", SLI_INPUTS(sli_gradient_of_output(b, 0), sli_emit_shape(b, item)),
                    SLI_ATTRS(TYPE(sli_gradient_dtype(b, item))));
  sli_gradient_set(b, 0, popped);
  sli_gradient_set(b, 1, sli_output_at(popped, 1));
  return NULL;
}

static sli_status_t *pop_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b,
                      sli_emit2(b, "TensorListPushBack", sli_gradient_of_output(b, 0), sli_gradient_of_output(b, 1)));
}

static sli_status_t *stack_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), shape;
  sli_shape_t known = b->shape(b, gradient);
  if (known.rank < 1) {
    shape = sli_gradient_const_int32(b, -1);
  } else {
    int32_t dims[SLI_MAX_RANK];
    for (int d = 1; d < known.rank; d++) dims[d - 1] = (int32_t)known.dims[d];
    shape = sli_gradient_const_ints(b, dims, known.rank - 1);
  }
  return sli_emit_set(b, sli_emit2(b, "TensorListFromTensor", gradient, shape));
}

static sli_status_t *concat_gradient(sli_gradient_builder_t *b) {
  sli_output_t shape = emit_element_shape(b, sli_gradient_input(b, 0));
  return sli_emit_set(b,
                      sli_emit3(b, "TensorListSplit", sli_gradient_of_output(b, 0), shape, sli_gradient_output(b, 1)));
}

static sli_status_t *split_gradient(sli_gradient_builder_t *b) {
  sli_output_t tensor = sli_gradient_input(b, 0);
  sli_output_t shape = SLI_EMIT_WITH(b, "ConcatV2",
                                     SLI_INPUTS(sli_gradient_const_ints(b, (int32_t[]){-1}, 1),
                                                emit_row_shape(b, tensor), sli_gradient_const_int32(b, 0)),
                                     SLI_ATTRS(SLI_ATTR_INT_OF("N", 2), SLI_ATTR_TYPE_OF("T", SLI_DTYPE_INT32)));
  return sli_emit_set(b, SLI_EMIT_WITH(b, "TensorListConcatV2",
                                       SLI_INPUTS(sli_gradient_of_output(b, 0), shape, sli_gradient_input(b, 2)),
                                       SLI_ATTRS(TYPE(sli_gradient_dtype(b, tensor)))));
}

static sli_status_t *from_tensor_gradient(sli_gradient_builder_t *b) {
  sli_output_t tensor = sli_gradient_input(b, 0);
  sli_shape_t known = b->shape(b, tensor);
  return sli_emit_set(
      b, SLI_EMIT_WITH(b, "TensorListStack", SLI_INPUTS(sli_gradient_of_output(b, 0), emit_row_shape(b, tensor)),
                       SLI_ATTRS(TYPE(sli_gradient_dtype(b, tensor)),
                                 SLI_ATTR_INT_OF("num_elements", known.rank > 0 ? known.dims[0] : -1))));
}

static sli_status_t *get_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  return sli_emit_set(b, sli_emit3(b, "TensorListSetItem", emit_reserved(b, sli_gradient_dtype(b, gradient)),
                                   sli_gradient_input(b, 1), gradient));
}

static sli_status_t *set_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0), index = sli_gradient_input(b, 1);
  sli_output_t item = sli_gradient_input(b, 2);
  sli_output_t list = sli_emit3(b, "TensorListSetItem", gradient, index, sli_emit1(b, "ZerosLike", item));
  bool may_grow = false;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "resize_if_index_out_of_bounds", &may_grow));
  if (may_grow) list = sli_emit2(b, "TensorListResize", list, emit_length(b));
  sli_gradient_set(b, 0, list);
  sli_gradient_set(b, 2,
                   SLI_EMIT_WITH(b, "TensorListGetItem", SLI_INPUTS(gradient, index, sli_emit_shape(b, item)),
                                 SLI_ATTRS(TYPE(sli_gradient_dtype(b, item)))));
  return NULL;
}

static sli_status_t *resize_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, sli_emit2(b, "TensorListResize", sli_gradient_of_output(b, 0), emit_length(b)));
}

static sli_status_t *gather_gradient(sli_gradient_builder_t *b) {
  sli_output_t gradient = sli_gradient_of_output(b, 0);
  return sli_emit_set(
      b, sli_emit3(b, "TensorListScatterIntoExistingList", emit_reserved(b, sli_gradient_dtype(b, gradient)), gradient,
                   sli_gradient_input(b, 1)));
}

static sli_output_t emit_gathered(sli_gradient_builder_t *b, sli_output_t tensor, sli_output_t indices) {
  return SLI_EMIT_WITH(b, "TensorListGather",
                       SLI_INPUTS(sli_gradient_of_output(b, 0), indices, emit_row_shape(b, tensor)),
                       SLI_ATTRS(TYPE(sli_gradient_dtype(b, tensor))));
}

static sli_status_t *scatter_gradient(sli_gradient_builder_t *b) {
  return sli_emit_set(b, emit_gathered(b, sli_gradient_input(b, 0), sli_gradient_input(b, 1)));
}

static sli_status_t *scatter_into_gradient(sli_gradient_builder_t *b) {
  sli_output_t tensor = sli_gradient_input(b, 1), indices = sli_gradient_input(b, 2);
  sli_gradient_set(b, 1, emit_gathered(b, tensor, indices));
  sli_gradient_set(b, 0,
                   sli_emit3(b, "TensorListScatterIntoExistingList", sli_gradient_of_output(b, 0),
                             sli_emit1(b, "ZerosLike", tensor), indices));
  return NULL;
}

// --- Tables ------------------------------------------------------------------------------------

#define ELEMENT "element_dtype: type"
#define SHAPED ELEMENT "; shape_type: {int32, int64}"

static const sli_op_def_t ops[] = {
    {.name = "EmptyTensorList",
     .inputs = "element_shape: shape_type, max_num_elements: int32",
     .outputs = "handle: variant",
     .attrs = SHAPED,
     .summary = "An empty list of tensors.",
     .shape = make_shape},
    {.name = "TensorListReserve",
     .inputs = "element_shape: shape_type, num_elements: int32",
     .outputs = "handle: variant",
     .attrs = SHAPED,
     .summary = "A list of elements that are not set yet.",
     .shape = make_shape},
    {.name = "TensorListPushBack",
     .inputs = "input_handle: variant, tensor: element_dtype",
     .outputs = "output_handle: variant",
     .attrs = ELEMENT,
     .summary = "Appends a tensor to a list.",
     .shape = push_shape,
     .gradient = push_gradient,
     .forwards_input = true},
    {.name = "TensorListPushBackBatch",
     .inputs = "input_handles: variant, tensor: element_dtype",
     .outputs = "output_handles: variant",
     .attrs = ELEMENT,
     .summary = "Appends a row of a tensor to each of several lists.",
     .shape = push_batch_shape,
     .not_differentiable = true,
     .forwards_input = true},
    {.name = "TensorListPopBack",
     .inputs = "input_handle: variant, element_shape: int32",
     .outputs = "output_handle: variant, tensor: element_dtype",
     .attrs = ELEMENT,
     .summary = "Removes the last tensor of a list.",
     .shape = pop_shape,
     .gradient = pop_gradient,
     .forwards_input = true},
    {.name = "TensorListLength",
     .inputs = "input_handle: variant",
     .outputs = "length: int32",
     .summary = "The number of elements of a list.",
     .shape = sli_infer_fn_scalar,
     .not_differentiable = true},
    {.name = "TensorListElementShape",
     .inputs = "input_handle: variant",
     .outputs = "element_shape: shape_type",
     .attrs = "shape_type: {int32, int64}",
     .summary = "The shape of the elements of a list, as far as it was declared.",
     .shape = element_shape_shape,
     .not_differentiable = true},
    {.name = "TensorListGetItem",
     .inputs = "input_handle: variant, index: int32, element_shape: int32",
     .outputs = "item: element_dtype",
     .attrs = ELEMENT,
     .summary = "An element of a list.",
     .shape = get_shape,
     .gradient = get_gradient,
     .forwards_input = true},
    {.name = "TensorListSetItem",
     .inputs = "input_handle: variant, index: int32, item: element_dtype",
     .outputs = "output_handle: variant",
     .attrs = ELEMENT "; resize_if_index_out_of_bounds: bool = false",
     .summary = "Replaces an element of a list.",
     .shape = set_shape,
     .gradient = set_gradient,
     .forwards_input = true},
    {.name = "TensorListResize",
     .inputs = "input_handle: variant, size: int32",
     .outputs = "output_handle: variant",
     .summary = "Changes the number of elements of a list.",
     .shape = resize_shape,
     .gradient = resize_gradient,
     .forwards_input = true},
    {.name = "TensorListStack",
     .inputs = "input_handle: variant, element_shape: int32",
     .outputs = "tensor: element_dtype",
     .attrs = ELEMENT "; num_elements: int = -1",
     .summary = "Stacks the elements of a list, which must have one shape.",
     .shape = stack_shape,
     .gradient = stack_gradient},
    {.name = "TensorListGather",
     .inputs = "input_handle: variant, indices: int32, element_shape: int32",
     .outputs = "values: element_dtype",
     .attrs = ELEMENT,
     .summary = "Stacks some elements of a list.",
     .shape = gather_shape,
     .gradient = gather_gradient},
    {.name = "TensorListConcat",
     .inputs = "input_handle: variant",
     .outputs = "tensor: element_dtype, lengths: int64",
     .attrs = ELEMENT "; element_shape: shape = { unknown_rank: true }",
     .summary = "Concatenates the elements of a list.",
     .shape = concat_shape,
     .gradient = concat_gradient},
    {.name = "TensorListConcatV2",
     .inputs = "input_handle: variant, element_shape: shape_type, leading_dims: int64",
     .outputs = "tensor: element_dtype, lengths: int64",
     .attrs = SHAPED,
     .summary = "Concatenates the elements of a list.",
     .shape = concat_v2_shape,
     .gradient = concat_gradient},
    {.name = "TensorListFromTensor",
     .inputs = "tensor: element_dtype, element_shape: shape_type",
     .outputs = "output_handle: variant",
     .attrs = SHAPED,
     .summary = "The list of a tensor's rows.",
     .shape = from_tensor_shape,
     .gradient = from_tensor_gradient,
     .forwards_input = true},
    {.name = "TensorListScatter",
     .inputs = "tensor: element_dtype, indices: int32, element_shape: shape_type",
     .outputs = "output_handle: variant",
     .attrs = SHAPED,
     .summary = "A list with a tensor's rows at given places.",
     .shape = scatter_shape,
     .gradient = scatter_gradient,
     .forwards_input = true},
    {.name = "TensorListScatterV2",
     .inputs = "tensor: element_dtype, indices: int32, element_shape: shape_type, num_elements: int32",
     .outputs = "output_handle: variant",
     .attrs = SHAPED,
     .summary = "A list of given length with a tensor's rows at given places.",
     .shape = scatter_shape,
     .gradient = scatter_gradient,
     .forwards_input = true},
    {.name = "TensorListScatterIntoExistingList",
     .inputs = "input_handle: variant, tensor: element_dtype, indices: int32",
     .outputs = "output_handle: variant",
     .attrs = ELEMENT,
     .summary = "Replaces elements of a list by a tensor's rows.",
     .shape = scatter_into_shape,
     .gradient = scatter_into_gradient,
     .forwards_input = true},
    {.name = "TensorListSplit",
     .inputs = "tensor: element_dtype, element_shape: shape_type, lengths: int64",
     .outputs = "output_handle: variant",
     .attrs = SHAPED,
     .summary = "The list of groups of a tensor's rows.",
     .shape = split_shape,
     .gradient = split_gradient,
     .forwards_input = true},
    {.name = "TensorListConcatLists",
     .inputs = "input_a: variant, input_b: variant",
     .outputs = "output: variant",
     .attrs = ELEMENT,
     .summary = "Appends the elements of one list to those of another.",
     .shape = join_shape,
     .not_differentiable = true,
     .forwards_input = true},
};

#define ELEMENTS .where = {{"element_dtype", SLI_TYPES_POD | SLI_TYPES_QUANTIZED | SLI_TYPE_STRING | SLI_TYPE_VARIANT}}

static const sli_kernel_def_t kernels[] = {
    {.op = "EmptyTensorList", .compute = sli_tensor_list_empty_compute},
    {.op = "TensorListReserve", .compute = sli_tensor_list_reserve_compute},
    {.op = "TensorListPushBack", .compute = sli_tensor_list_push_compute},
    {.op = "TensorListPushBackBatch", ELEMENTS, .compute = sli_tensor_list_push_batch_compute},
    {.op = "TensorListPopBack", ELEMENTS, .compute = sli_tensor_list_pop_compute},
    {.op = "TensorListLength", .compute = sli_tensor_list_length_compute},
    {.op = "TensorListElementShape", .compute = sli_tensor_list_shape_compute},
    {.op = "TensorListGetItem", ELEMENTS, .compute = sli_tensor_list_get_compute},
    {.op = "TensorListSetItem", .compute = sli_tensor_list_set_compute},
    {.op = "TensorListResize", .compute = sli_tensor_list_resize_compute},
    {.op = "TensorListStack", ELEMENTS, .compute = sli_tensor_list_stack_compute},
    {.op = "TensorListGather", ELEMENTS, .compute = sli_tensor_list_gather_compute},
    {.op = "TensorListConcat", ELEMENTS, .compute = sli_tensor_list_concat_compute},
    {.op = "TensorListConcatV2", ELEMENTS, .compute = sli_tensor_list_concat_compute},
    {.op = "TensorListFromTensor", ELEMENTS, .compute = sli_tensor_list_from_tensor_compute},
    {.op = "TensorListScatter", ELEMENTS, .compute = sli_tensor_list_scatter_compute},
    {.op = "TensorListScatterV2", ELEMENTS, .compute = sli_tensor_list_scatter_compute},
    {.op = "TensorListScatterIntoExistingList", ELEMENTS, .compute = sli_tensor_list_scatter_into_compute},
    {.op = "TensorListSplit", ELEMENTS, .compute = sli_tensor_list_split_compute},
    {.op = "TensorListConcatLists", .compute = sli_tensor_list_join_compute},
};

static const sli_object_type_t *const variants[] = {&sli_tensor_list_type, NULL};

SLI_OP_MODULE_WITH_VARIANTS(tensor_list_ops);
