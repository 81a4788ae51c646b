// RaggedTensorToVariant, RaggedTensorFromVariant and the gradient: a ragged tensor as one element of a VARIANT tensor,
// or each of its rows as an element.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "core/tensor/variant.h"
#include "ops/common/accumulate.h"
#include "ops/common/copy_elements.h"
#include "ops/ragged/ragged.h"

typedef struct {
  sli_object_t base;
  int split_count;
  sli_tensor_t **splits, *values;  // owned
} ragged_t;

static const sli_object_type_t ragged_type;

static void ragged_destroy(sli_object_t *object) {
  ragged_t *ragged = (ragged_t *)object;
  for (int i = 0; i < ragged->split_count; i++) sli_tensor_release(ragged->splits[i]);
  sli_tensor_release(ragged->values);
  free(ragged->splits);
  free(ragged);
}

static ragged_t *ragged_create(int split_count) {
  ragged_t *ragged = sli_calloc(1, sizeof(*ragged));
  sli_object_initialize(&ragged->base, &ragged_type);
  ragged->split_count = split_count;
  ragged->splits = sli_calloc((size_t)split_count + 1, sizeof(*ragged->splits));
  return ragged;
}

// --- As a variant --------------------------------------------------------------------------------

static void ragged_encode(const sli_object_t *object, sli_variant_data_t *out_data) {
  const ragged_t *ragged = (const ragged_t *)object;
  for (int i = 0; i < ragged->split_count; i++)
    sli_array_push(&out_data->tensors, sli_tensor_retain(ragged->splits[i]));
  sli_array_push(&out_data->tensors, sli_tensor_retain(ragged->values));
}

static bool is_splits(const sli_tensor_t *tensor) {
  return tensor->rank == 1 && (tensor->dtype == SLI_DTYPE_INT32 || tensor->dtype == SLI_DTYPE_INT64);
}

static sli_status_t *ragged_decode(const sli_variant_data_t *data, sli_object_t **out_object) {
  *out_object = NULL;
  if (data->tensors.count == 0 || data->tensors.count > 1000)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A RaggedTensorVariant has %zu tensors", data->tensors.count);
  int count = (int)data->tensors.count - 1;
  for (int i = 0; i < count; i++)
    if (!is_splits(data->tensors.items[i]))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The row splits of a RaggedTensorVariant are not a vector of integers");
  ragged_t *ragged = ragged_create(count);
  for (int i = 0; i < count; i++) ragged->splits[i] = sli_tensor_retain(data->tensors.items[i]);
  ragged->values = sli_tensor_retain(data->tensors.items[count]);
  *out_object = &ragged->base;
  return NULL;
}

// A ragged tensor with the splits of |like| and new values.
static sli_status_t *with_values(const ragged_t *like, ragged_t **out_ragged) {
  ragged_t *ragged = ragged_create(like->split_count);
  for (int i = 0; i < like->split_count; i++) ragged->splits[i] = sli_tensor_retain(like->splits[i]);
  const sli_tensor_t *values = like->values;
  sli_status_t *status =
      sli_tensor_create(sli_allocator_cpu(), (sli_dtype_t)values->dtype, values->dims, values->rank, &ragged->values);
  if (status)
    sli_object_release(ragged);
  else
    *out_ragged = ragged;
  return status;
}

static sli_status_t *ragged_zeros_like(const sli_object_t *object, sli_object_t **out_object) {
  ragged_t *zeros;
  SLI_RETURN_IF_ERROR(with_values((const ragged_t *)object, &zeros));
  sli_elements_clear((sli_dtype_t)zeros->values->dtype, zeros->values->data, zeros->values->count);
  *out_object = &zeros->base;
  return NULL;
}

static sli_status_t *ragged_add(const sli_object_t *left, const sli_object_t *right, sli_object_t **out_sum) {
  const ragged_t *a = (const ragged_t *)left, *b = (const ragged_t *)right;
  sli_dtype_t dtype = (sli_dtype_t)a->values->dtype;
  bool is_same = a->split_count == b->split_count && a->values->dtype == b->values->dtype &&
                 sli_tensor_same_shape(a->values, b->values) && sli_types_contain(SLI_TYPES_NUMBER, dtype);
  for (int i = 0; is_same && i < a->split_count; i++) is_same = sli_tensor_same_shape(a->splits[i], b->splits[i]);
  if (!is_same) return sli_status_make(SLI_INVALID_ARGUMENT, "Can't add RaggedTensorVariants of different row_splits.");
  ragged_t *sum;
  SLI_RETURN_IF_ERROR(with_values(a, &sum));
  sli_elements_copy(dtype, sum->values->data, a->values->data, a->values->count);
  sli_accumulate(SLI_ACCUMULATE_ADD, dtype, sum->values->data, b->values->data, 1, b->values->count);
  *out_sum = &sum->base;
  return NULL;
}

static const struct sli_variant_methods ragged_methods = {ragged_encode, ragged_decode, ragged_zeros_like, ragged_add};
static const sli_object_type_t ragged_type = {"RaggedTensorVariant", ragged_destroy, NULL, &ragged_methods};

// --- RaggedTensorToVariant -----------------------------------------------------------------------

// Elements [begin, end) of |splits|, moved so that they begin with 0.
static sli_status_t *cut_splits(const sli_tensor_t *splits, int64_t begin, int64_t end, sli_tensor_t **out_splits) {
  int64_t count = end - begin + 1;
  SLI_RETURN_IF_ERROR(sli_tensor_create(sli_allocator_cpu(), (sli_dtype_t)splits->dtype, &count, 1, out_splits));
  for (int64_t i = 0; i < count; i++)
    sli_tensor_set_int(*out_splits, i, sli_tensor_int_at(splits, begin + i) - sli_tensor_int_at(splits, begin));
  return NULL;
}

static sli_status_t *cut_values(const sli_tensor_t *values, int64_t begin, int64_t end, bool squeeze,
                                sli_tensor_t **out_values) {
  int64_t dims[SLI_MAX_RANK], row = sli_ragged_row_size(values);
  int skip = squeeze ? 1 : 0;
  for (int d = skip; d < values->rank; d++) dims[d - skip] = values->dims[d];
  if (!squeeze) dims[0] = end - begin;
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), (sli_dtype_t)values->dtype, dims, values->rank - skip, out_values));
  sli_elements_copy((sli_dtype_t)values->dtype, (*out_values)->data, sli_tensor_at(values, begin * row),
                    (*out_values)->count);
  return NULL;
}

// Row |row| of the inputs.
static sli_status_t *make_row(sli_kernel_context_t *context, int64_t row, ragged_t **out_ragged) {
  int count = context->input_count - 1;
  ragged_t *ragged = ragged_create(count > 0 ? count - 1 : 0);
  int64_t begin = row, end = row + 1;
  sli_status_t *status = NULL;
  for (int i = 0; i < count && !status; i++) {
    const sli_tensor_t *splits = sli_kernel_input(context, i);
    if (i > 0) status = cut_splits(splits, begin, end, &ragged->splits[i - 1]);
    begin = sli_tensor_int_at(splits, begin);
    end = sli_tensor_int_at(splits, end);
  }
  if (!status) status = cut_values(sli_kernel_input(context, count), begin, end, count == 0, &ragged->values);
  if (status)
    sli_object_release(ragged);
  else
    *out_ragged = ragged;
  return status;
}

static sli_status_t *to_variant_compute(sli_kernel_context_t *context) {
  int count = context->input_count - 1;
  sli_tensor_t *values = sli_kernel_input(context, count), *output;
  bool is_batched;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "batched_input", &is_batched));
  if (count > 0 && values->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "rt_dense_values must not be a scalar");
  SLI_RETURN_IF_ERROR(sli_ragged_check_nested(context, 0, count, values->rank ? values->dims[0] : 0));
  if (!is_batched) {
    ragged_t *ragged = ragged_create(count);
    for (int i = 0; i < count; i++) ragged->splits[i] = sli_tensor_retain(sli_kernel_input(context, i));
    ragged->values = sli_tensor_retain(values);
    sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
    if (status)
      sli_object_release(ragged);
    else
      SLI_DATA(sli_object_t *, output)[0] = &ragged->base;
    return status;
  }
  if (count == 0 && values->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "When batched_input=True, rt_dense_values must have rank >= 1; got []");
  int64_t rows = count ? sli_kernel_input(context, 0)->count - 1 : values->dims[0];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(rows), &output));
  for (int64_t r = 0; r < rows; r++)
    SLI_RETURN_IF_ERROR(make_row(context, r, (ragged_t **)&SLI_DATA(sli_object_t *, output)[r]));
  return NULL;
}

static sli_status_t *to_variant_shape(sli_infer_context_t *c) {
  int count = c->node->input_count - 1;
  bool is_batched;
  sli_shape_t unused, values = sli_infer_input(c, count);
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "batched_input", &is_batched));
  for (int i = 0; i < count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 1, &unused));
  if (count || is_batched) SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, values, 1, &values));
  if (!is_batched) return sli_infer_fn_scalar(c);
  int64_t rows = sli_infer_dim(count ? sli_infer_input(c, 0) : values, 0);
  if (count && rows >= 0) rows--;
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &rows));
  return NULL;
}

static sli_status_t *to_variant_gradient(sli_gradient_builder_t *b) {
  int last = b->node->input_count - 1;
  sli_output_t values = sli_gradient_input(b, last);
  sli_output_t splits = last ? sli_gradient_input(b, 0) : sli_gradient_const(b, sli_tensor_scalar_int64(0));
  sli_gradient_set(b, last,
                   SLI_EMIT_WITH(b, "RaggedTensorToVariantGradient",
                                 SLI_INPUTS(sli_gradient_of_output(b, 0), splits, sli_emit_shape(b, values)),
                                 SLI_ATTRS(SLI_ATTR_TYPE_OF("Tvalues", sli_gradient_dtype(b, values)))));
  return NULL;
}

// --- RaggedTensorFromVariant ---------------------------------------------------------------------

// The elements of input 0, decoded.
typedef struct {
  ragged_t **items;  // owned references
  int64_t count;
} components_t;

static void release_components(components_t *components) {
  for (int64_t i = 0; i < components->count; i++) sli_object_release(components->items[i]);
  free(components->items);
}

static sli_status_t *read_components(const sli_tensor_t *input, bool may_lack, components_t *out) {
  *out = (components_t){sli_calloc((size_t)input->count + 1, sizeof(*out->items)), input->count};
  for (int64_t i = 0; i < input->count; i++) {
    SLI_RETURN_IF_ERROR(sli_op_variant_at(input, i, &ragged_type, (sli_object_t **)&out->items[i]));
    if (out->items[i] || may_lack) continue;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input Variant element at index %lld doesn't hold a RaggedTensorVariant: %s", (long long)i,
                           sli_variant_text(SLI_DATA(sli_object_t *, input)[i]).text);
  }
  return NULL;
}

static sli_status_t *check_component(const ragged_t *ragged, int64_t rank, sli_dtype_t splits, sli_dtype_t values) {
  if (ragged->split_count != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Encoded input RaggedTensorVariant has ragged_rank=%d.  Expected ragged_rank=%lld.",
                           ragged->split_count, (long long)rank);
  for (int i = 0; i < rank; i++)
    if (ragged->splits[i]->dtype != splits)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected row_splits Tensor dtype: %s, found: %s",
                             sli_dtype_name(splits), sli_dtype_name((sli_dtype_t)ragged->splits[i]->dtype));
  if (ragged->values->dtype != values)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected values Tensor dtype: %s, found: %s", sli_dtype_name(values),
                           sli_dtype_name((sli_dtype_t)ragged->values->dtype));
  if (rank > 0 && ragged->values->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The values of a RaggedTensorVariant must not be a scalar");
  // What came in a message may be anything.
  for (int i = 0; i < rank; i++)
    SLI_RETURN_IF_ERROR(sli_ragged_check_splits(
        ragged->splits[i], i + 1 < rank ? ragged->splits[i + 1]->count - 1 : ragged->values->dims[0]));
  return NULL;
}

static int64_t component_rows(const ragged_t *ragged) {
  if (ragged->split_count) return ragged->splits[0]->count - 1;
  return ragged->values->rank ? ragged->values->dims[0] : 0;
}

// Splits |to| of the dimension whose rows are the components, or of one within them.
static sli_status_t *stack_splits(sli_kernel_context_t *context, const components_t *components, int to, int level) {
  int64_t count = 1;
  sli_tensor_t *output;
  for (int64_t i = 0; i < components->count; i++)
    count += level < 0 ? 1 : components->items[i]->splits[level]->count - 1;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, to, SLI_SHAPE(count), &output));
  int64_t at = 0, total = 0;
  sli_tensor_set_int(output, at++, 0);
  for (int64_t i = 0; i < components->count; i++) {
    const ragged_t *ragged = components->items[i];
    if (level < 0) {
      total += component_rows(ragged);
      sli_tensor_set_int(output, at++, total);
      continue;
    }
    const sli_tensor_t *splits = ragged->splits[level];
    for (int64_t k = 1; k < splits->count; k++) sli_tensor_set_int(output, at++, total + sli_tensor_int_at(splits, k));
    total += sli_tensor_int_at(splits, splits->count - 1);
  }
  return NULL;
}

// Puts the values of all components one after the other. Scalars become a vector's elements.
static sli_status_t *stack_values(sli_kernel_context_t *context, const components_t *components, int to,
                                  sli_dtype_t dtype) {
  int64_t dims[SLI_MAX_RANK] = {0}, rows = 0;
  int rank = 1;
  sli_tensor_t *output;
  for (int64_t i = 0; i < components->count; i++) {
    const sli_tensor_t *values = components->items[i]->values;
    int own = values->rank ? values->rank : 1;
    bool fits = i == 0 || own == rank;
    for (int d = 1; fits && d < values->rank; d++) fits = i == 0 || dims[d] == values->dims[d];
    if (!fits)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "All flat_values must have compatible shapes; shape at index %lld is %s", (long long)i,
                             sli_tensor_shape_text(values).text);
    rank = own;
    for (int d = 1; d < values->rank; d++) dims[d] = values->dims[d];
    rows += values->rank ? values->dims[0] : 1;
  }
  dims[0] = rows;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, to, (sli_shape_t){rank, dims}, &output));
  for (int64_t i = 0, at = 0; i < components->count; i++) {
    const sli_tensor_t *values = components->items[i]->values;
    sli_elements_copy(dtype, sli_tensor_at(output, at), values->data, values->count);
    at += values->count;
  }
  return NULL;
}

static sli_status_t *set_single(sli_kernel_context_t *context, const ragged_t *ragged) {
  for (int i = 0; i < ragged->split_count; i++) sli_kernel_set_output(context, i, sli_tensor_retain(ragged->splits[i]));
  sli_kernel_set_output(context, ragged->split_count, sli_tensor_retain(ragged->values));
  return NULL;
}

static sli_status_t *stack_components(sli_kernel_context_t *context, const components_t *components, int64_t in_rank) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  int out = 0;
  int64_t rows = 1;
  for (int d = 0; d + 1 < input->rank; d++) {
    sli_tensor_t *splits;
    rows *= input->dims[d];
    SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, out++, SLI_SHAPE(rows + 1), &splits));
    for (int64_t r = 0; r <= rows; r++) sli_tensor_set_int(splits, r, r * input->dims[d + 1]);
  }
  SLI_RETURN_IF_ERROR(stack_splits(context, components, out++, -1));
  for (int i = 0; i < in_rank; i++) SLI_RETURN_IF_ERROR(stack_splits(context, components, out++, i));
  return stack_values(context, components, out, context->node->output_types[out]);
}

static sli_status_t *from_variant_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  int64_t in_rank, out_rank = context->output_count - 1;
  sli_dtype_t splits, values = context->node->output_types[out_rank];
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "input_ragged_rank", &in_rank));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "Tsplits", &splits));
  if (in_rank == -1) in_rank = out_rank - input->rank;
  if (in_rank < 0)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found "
        "output_ragged_rank: %lld, encoded_variant.dims(): %d, inferred input_ragged_rank: %lld",
        (long long)out_rank, input->rank, (long long)in_rank);
  if (out_rank != in_rank + input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); "
                           "output_ragged_rank: %lld, input_ragged_rank: %lld, encoded_variant.dims(): %d.",
                           (long long)out_rank, (long long)in_rank, input->rank);
  components_t components;
  sli_status_t *status = read_components(input, false, &components);
  for (int64_t i = 0; i < components.count && !status; i++)
    status = check_component(components.items[i], in_rank, splits, values);
  if (!status)
    status =
        input->rank == 0 ? set_single(context, components.items[0]) : stack_components(context, &components, in_rank);
  release_components(&components);
  return status;
}

static sli_status_t *from_variant_shape(sli_infer_context_t *c) {
  int count = c->node->output_count - 1;
  int64_t in_rank;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "input_ragged_rank", &in_rank));
  sli_shape_t unused;
  if (in_rank >= 0) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, count - (int)in_rank, &unused));
  for (int i = 0; i < count; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, 1));
  sli_infer_set_output(c, count, SLI_SHAPE_UNKNOWN);
  return NULL;
}

static sli_status_t *from_variant_gradient(sli_gradient_builder_t *b) {
  int count = b->node->output_count - 1;
  sli_output_t inputs[64];
  sli_shape_t variant = b->shape(b, sli_gradient_input(b, 0));
  if (variant.rank > 1 || count > 60)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Unable to compute gradient: RaggedTensorToVariant can currently only generate 0D or 1D output.");
  for (int i = 0; i < count; i++) inputs[i] = sli_gradient_output(b, i);
  inputs[count] = sli_gradient_of_output(b, count);
  bool is_batched = variant.rank < 0 ? count > 0 : variant.rank == 1;
  sli_dtype_t splits = SLI_DTYPE_INT64;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(b->node, "Tsplits", &splits));
  sli_attr_entry_t attrs[] = {SLI_ATTR_BOOL_OF("batched_input", is_batched), SLI_ATTR_INT_OF("RAGGED_RANK", count),
                              SLI_ATTR_TYPE_OF("Tsplits", splits)};
  return sli_emit_set(b, sli_gradient_emit(b, "RaggedTensorToVariant", inputs, (size_t)count + 1, attrs, 3));
}

// --- The gradient --------------------------------------------------------------------------------

// Copies the values of the components to |output|; a component that is not there counts as zeros.
static sli_status_t *write_gradient(const components_t *components, const sli_tensor_t *splits, sli_tensor_t *output) {
  sli_dtype_t dtype = (sli_dtype_t)output->dtype;
  int64_t at = 0, row = output->rank ? sli_shape_product(output->dims, 1, output->rank) : 1;
  for (int64_t i = 0; i < components->count; i++) {
    const ragged_t *ragged = components->items[i];
    int64_t count = ragged ? ragged->values->count
                    : splits->rank && splits->count == components->count + 1
                        ? (sli_tensor_int_at(splits, i + 1) - sli_tensor_int_at(splits, i)) * row
                        : row;
    if (count < 0 || count > output->count - at)
      return sli_status_make(SLI_INVALID_ARGUMENT, "The gradients have more values than dense_values_shape %s",
                             sli_tensor_shape_text(output).text);
    if (ragged && ragged->values->dtype != dtype)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected values Tensor dtype: %s, found: %s", sli_dtype_name(dtype),
                             sli_dtype_name((sli_dtype_t)ragged->values->dtype));
    if (ragged)
      sli_elements_copy(dtype, sli_tensor_at(output, at), ragged->values->data, count);
    else
      sli_elements_clear(dtype, sli_tensor_at(output, at), count);
    at += count;
  }
  if (at == output->count) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The gradients have fewer values than dense_values_shape %s",
                         sli_tensor_shape_text(output).text);
}

static sli_status_t *gradient_compute(sli_kernel_context_t *context) {
  int64_t dims[SLI_MAX_RANK];
  int rank;
  sli_tensor_t *output;
  components_t components;
  SLI_RETURN_IF_ERROR(sli_kernel_input_ints(context, 2, "dense_values_shape", dims, SLI_MAX_RANK, &rank));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  sli_status_t *status = read_components(sli_kernel_input(context, 0), true, &components);
  if (!status) status = write_gradient(&components, sli_kernel_input(context, 1), output);
  release_components(&components);
  return status;
}

static sli_status_t *gradient_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_input_as_shape(c, 2, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "RaggedTensorToVariant",
     .inputs = "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues",
     .outputs = "encoded_ragged: variant",
     .attrs = "RAGGED_RANK: int >= 0; Tvalues: type; Tsplits: {int32, int64} = DT_INT64; batched_input: bool",
     .summary = "A ragged tensor, or each of its rows, as a variant.",
     .shape = to_variant_shape,
     .gradient = to_variant_gradient,
     .forwards_input = true},
    {.name = "RaggedTensorFromVariant",
     .inputs = "encoded_ragged: variant",
     .outputs = "output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues",
     .attrs = "input_ragged_rank: int >= -1; output_ragged_rank: int >= 0; Tvalues: type; Tsplits: {int32, int64} = "
              "DT_INT64",
     .summary = "Stacks ragged tensors that are variants.",
     .shape = from_variant_shape,
     .gradient = from_variant_gradient,
     .forwards_input = true},
    {.name = "RaggedTensorToVariantGradient",
     .inputs = "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32",
     .outputs = "dense_values_grad: Tvalues",
     .attrs = "Tvalues: type; Tsplits: {int32, int64} = DT_INT64",
     .summary = "The gradient of RaggedTensorToVariant.",
     .shape = gradient_shape},
};

#define ANY .where = {{"Tvalues", SLI_TYPES_POD | SLI_TYPES_QUANTIZED | SLI_TYPE_STRING}, {"Tsplits", SLI_TYPES_INDEX}}

static const sli_kernel_def_t kernels[] = {
    {.op = "RaggedTensorToVariant", ANY, .compute = to_variant_compute},
    {.op = "RaggedTensorFromVariant", ANY, .compute = from_variant_compute},
    {.op = "RaggedTensorToVariantGradient", ANY, .compute = gradient_compute},
};

static const sli_object_type_t *const variants[] = {&ragged_type, NULL};

SLI_OP_MODULE_WITH_VARIANTS(ragged_variant);
