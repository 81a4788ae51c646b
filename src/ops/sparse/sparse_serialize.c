// SerializeSparse, SerializeManySparse, DeserializeSparse, DeserializeManySparse: convert a sparse tensor to three
// elements (indices, values, shape), so that queues and batches of dense tensors can carry it, and back. An element is
// a serialized TensorProto, or a variant that holds the tensor itself.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/tensor/tensor_codec.h"
#include "core/tensor/variant.h"
#include "ops/sparse/sparse_batch.h"

// A variant element: an object that holds a tensor.
typedef struct {
  sli_object_t base;
  sli_tensor_t *tensor;
} tensor_variant_t;

static void tensor_variant_destroy(sli_object_t *object) {
  tensor_variant_t *variant = (tensor_variant_t *)object;
  sli_tensor_release(variant->tensor);
  free(variant);
}

static const sli_object_type_t tensor_variant_type;

static sli_object_t *tensor_variant_create(sli_tensor_t *tensor) {
  tensor_variant_t *variant = sli_calloc(1, sizeof(*variant));
  sli_object_initialize(&variant->base, &tensor_variant_type);
  variant->tensor = sli_tensor_retain(tensor);
  return &variant->base;
}

static void tensor_variant_encode(const sli_object_t *object, sli_variant_data_t *out_data) {
  sli_array_push(&out_data->tensors, sli_tensor_retain(((const tensor_variant_t *)object)->tensor));
}

static sli_status_t *tensor_variant_decode(const sli_variant_data_t *data, sli_object_t **out_object) {
  *out_object = NULL;
  if (data->tensors.count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "A variant of type 'tensorflow::Tensor' must hold 1 tensor, got %zu",
                           data->tensors.count);
  *out_object = tensor_variant_create(data->tensors.items[0]);
  return NULL;
}

static const struct sli_variant_methods tensor_variant_methods = {.encode = tensor_variant_encode,
                                                                  .decode = tensor_variant_decode};
static const sli_object_type_t tensor_variant_type = {"tensorflow::Tensor", tensor_variant_destroy, NULL,
                                                      &tensor_variant_methods};

// --- One element ----------------------------------------------------------------------------------

// Serializes |tensor| into element |at| of |output|, which must be empty.
static void store_element(sli_tensor_t *output, int64_t at, sli_tensor_t *tensor) {
  if (output->dtype == SLI_DTYPE_VARIANT) {
    SLI_DATA(sli_object_t *, output)[at] = tensor_variant_create(tensor);
    return;
  }
  sli_string_t head = {0};
  sli_slices_t slices = {0};
  sli_tensor_encode(tensor, &head, &slices);
  sli_slices_append_string(&slices, &head);
  sli_slices_copy(&slices, sli_tstring_resize(&SLI_DATA(sli_tstring_t, output)[at], slices.size));
  sli_slices_deinitialize(&slices);
  sli_string_deinitialize(&head);
}

static void store_part(sli_tensor_t *output, int64_t row, const sli_sparse_part_t *part) {
  store_element(output, 3 * row, part->indices);
  store_element(output, 3 * row + 1, part->values);
  store_element(output, 3 * row + 2, part->shape);
}

// Deserializes element |at|. The caller owns the reference.
static sli_status_t *load_element(const sli_tensor_t *input, int64_t at, sli_tensor_t **out_tensor) {
  if (input->dtype == SLI_DTYPE_STRING) {
    sli_status_t *status = sli_tensor_decode(sli_tensor_string_at(input, at), out_tensor);
    if (!status) return NULL;
    sli_status_release(status);
    return sli_status_make(SLI_INVALID_ARGUMENT, "Could not parse serialized proto");
  }
  sli_object_t *object;
  SLI_RETURN_IF_ERROR(sli_op_variant_at(input, at, &tensor_variant_type, &object));
  if (!object)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Could not get a tensor from serialized_sparse[%lld, %lld]",
                           (long long)(at / 3), (long long)(at % 3));
  *out_tensor = sli_tensor_retain(((const tensor_variant_t *)object)->tensor);
  sli_object_release(object);
  return NULL;
}

static sli_status_t *load_part(const sli_tensor_t *input, int64_t row, sli_sparse_part_t *part) {
  SLI_RETURN_IF_ERROR(load_element(input, 3 * row, &part->indices));
  SLI_RETURN_IF_ERROR(load_element(input, 3 * row + 1, &part->values));
  return load_element(input, 3 * row + 2, &part->shape);
}

// --- Serialize ------------------------------------------------------------------------------------

static sli_status_t *serialize(sli_kernel_context_t *context) {
  sli_sparse_part_t part = {0};
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_sparse_part_of_inputs(context, &part));
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE(3), &output);
  if (!status) store_part(output, 0, &part);
  sli_sparse_part_release(&part);
  return status;
}

static sli_status_t *store_row(void *user, int64_t row, sli_sparse_part_t part) {
  store_part(user, row, &part);
  sli_sparse_part_release(&part);
  return NULL;
}

static sli_status_t *serialize_many(sli_kernel_context_t *context) {
  sli_sparse_t batch;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_sparse_batch_input(context, &batch));
  int64_t rows = SLI_DATA(int64_t, batch.shape)[0];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(rows, 3), &output));
  return sli_sparse_split(&batch, store_row, output);
}

static sli_status_t *serialize_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_sparse_shape_inputs(c));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){3}));
  return NULL;
}

static sli_status_t *serialize_many_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_sparse_shape_inputs(c));
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){-1, 3}));
  return NULL;
}

// --- Deserialize ----------------------------------------------------------------------------------

static sli_status_t *check_serialized(const sli_tensor_t *input) {
  sli_shape_text_t shape = sli_tensor_shape_text(input);
  if (input->rank == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Serialized sparse should have non-zero rank %s", shape.text);
  if (input->dims[input->rank - 1] != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Serialized sparse should have 3 as the last dimension %s",
                           shape.text);
  if (input->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Serialized sparse should have at least 1 serialized tensor, but has a zero dimension %s",
                           shape.text);
  return NULL;
}

// Sets the outputs to a single tensor, which keeps its shape.
static sli_status_t *set_single_output(sli_kernel_context_t *context, sli_sparse_part_t *part, sli_dtype_t dtype) {
  SLI_RETURN_IF_ERROR(sli_sparse_part_check(part, 0, dtype));
  sli_kernel_set_output(context, 0, part->indices);
  sli_kernel_set_output(context, 1, part->values);
  sli_kernel_set_output(context, 2, part->shape);
  *part = (sli_sparse_part_t){0};
  return NULL;
}

static sli_status_t *deserialize(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(context->node, "dtype", &dtype));
  SLI_RETURN_IF_ERROR(check_serialized(input));
  int64_t count = input->count / 3;
  sli_sparse_part_t *parts = sli_calloc((size_t)count, sizeof(*parts));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < count && !status; i++) status = load_part(input, i, &parts[i]);
  if (!status && input->rank == 1)
    status = set_single_output(context, &parts[0], dtype);
  else if (!status)
    status = sli_sparse_stack(context, parts, (sli_shape_t){input->rank - 1, input->dims}, false, dtype);
  for (int64_t i = 0; i < count; i++) sli_sparse_part_release(&parts[i]);
  free(parts);
  return status;
}

static sli_status_t *deserialize_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &input));
  int64_t last = sli_infer_dim(input, -1);
  if (last >= 0 && last != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be 3 but is %lld", (long long)last);
  sli_sparse_shape_outputs(c);
  return NULL;
}

static sli_status_t *deserialize_many_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &unused));
  return deserialize_shape(c);
}

#define SPARSE "sparse_indices: int64, sparse_values: "

static const sli_op_def_t ops[] = {
    {
        .name = "SerializeSparse",
        .inputs = SPARSE "T, sparse_shape: int64",
        .outputs = "serialized_sparse: out_type",
        .attrs = "T: type; out_type: {string, variant} = DT_STRING",
        .summary = "Serializes a sparse tensor into three elements.",
        .shape = serialize_shape,
        .forwards_input = true,
    },
    {
        .name = "SerializeManySparse",
        .inputs = SPARSE "T, sparse_shape: int64",
        .outputs = "serialized_sparse: out_type",
        .attrs = "T: type; out_type: {string, variant} = DT_STRING",
        .summary = "Serializes each row of a sparse tensor into three elements.",
        .shape = serialize_many_shape,
        .forwards_input = true,
    },
    {
        .name = "DeserializeSparse",
        .inputs = "serialized_sparse: Tserialized",
        .outputs = SPARSE "dtype, sparse_shape: int64",
        .attrs = "dtype: type; Tserialized: {string, variant} = DT_STRING",
        .summary = "Deserializes sparse tensors and stacks them.",
        .shape = deserialize_shape,
        .forwards_input = true,
    },
    {
        .name = "DeserializeManySparse",
        .inputs = "serialized_sparse: string",
        .outputs = SPARSE "dtype, sparse_shape: int64",
        .attrs = "dtype: type",
        .summary = "Deserializes sparse tensors and stacks them.",
        .shape = deserialize_many_shape,
        .forwards_input = true,
    },
};

#define ELEMENTS (SLI_TYPE_STRING | SLI_TYPE_VARIANT)

static const sli_kernel_def_t kernels[] = {
    {.op = "SerializeSparse", .where = {{"out_type", ELEMENTS}}, .compute = serialize, .expensive = true},
    {.op = "SerializeManySparse",
     .types = SLI_TYPES_COMMON,
     .where = {{"out_type", ELEMENTS}},
     .compute = serialize_many,
     .expensive = true},
    {.op = "DeserializeSparse", .where = {{"Tserialized", ELEMENTS}}, .compute = deserialize, .expensive = true},
    {.op = "DeserializeManySparse", .compute = deserialize, .expensive = true},
};
static const sli_object_type_t *const variants[] = {&tensor_variant_type, NULL};
SLI_OP_MODULE_WITH_VARIANTS(sparse_serialize);
