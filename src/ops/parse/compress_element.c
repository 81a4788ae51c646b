// CompressElement, UncompressElement: the tensors of a dataset's element packed into one variant, and back. The variant
// is TensorFlow's tensorflow.data.CompressedElement, whose metadata is a message of that type.
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/op_registry.h"
#include "core/op/shape_inference.h"
#include "core/tensor/tensor_codec.h"
#include "core/tensor/variant.h"
#include "io/file/snappy.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

typedef struct {
  sli_object_t base;
  sli_string_t message;  // a CompressedElement
} packed_t;

static void packed_destroy(sli_object_t *object) {
  sli_string_deinitialize(&((packed_t *)object)->message);
  free(object);
}

static void packed_encode(const sli_object_t *object, sli_variant_data_t *out_data) {
  const packed_t *packed = (const packed_t *)object;
  sli_string_append(&out_data->metadata, packed->message.data, packed->message.size);
}

static const sli_object_type_t packed_type;

static packed_t *packed_create(void) {
  packed_t *packed = sli_calloc(1, sizeof(*packed));
  sli_object_initialize(&packed->base, &packed_type);
  return packed;
}

static sli_status_t *packed_decode(const sli_variant_data_t *data, sli_object_t **out_object) {
  packed_t *packed = packed_create();
  sli_string_append(&packed->message, data->metadata.data, data->metadata.size);
  *out_object = &packed->base;
  return NULL;
}

static const struct sli_variant_methods packed_methods = {packed_encode, packed_decode, NULL, NULL};
static const sli_object_type_t packed_type = {"tensorflow.data.CompressedElement", packed_destroy, NULL,
                                              &packed_methods};

// --- Packing ---------------------------------------------------------------------------------------

// Appends the bytes of |tensor| to |data|, and their sizes to |sizes| as varints.
static void append_tensor(const sli_tensor_t *tensor, sli_string_t *data, sli_string_t *sizes) {
  size_t before = data->size;
  if (tensor->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < tensor->count; i++) {
      sli_view_t text = sli_tensor_string_at(tensor, i);
      sli_string_append(data, text.data, text.size);
      sli_wire_write_varint(sizes, text.size);
    }
    return;
  }
  if (sli_dtype_is_plain((sli_dtype_t)tensor->dtype))
    sli_string_append(data, tensor->data, sli_tensor_bytes(tensor));
  else
    sli_tensor_encode_flat(tensor, data);
  sli_wire_write_varint(sizes, data->size - before);
}

static void append_metadata(const sli_tensor_t *tensor, const sli_string_t *sizes, sli_string_t *message) {
  size_t mark = sli_wire_open(message, SLI_FIELD_COMPRESSED_ELEMENT_COMPONENT_METADATA);
  sli_wire_write_uint(message, SLI_FIELD_COMPRESSED_COMPONENT_METADATA_DTYPE, tensor->dtype);
  sli_tensor_proto_write_shape(message, SLI_FIELD_COMPRESSED_COMPONENT_METADATA_TENSOR_SHAPE, tensor->dims,
                               tensor->rank);
  if (sizes->size)
    sli_wire_write_bytes(message, SLI_FIELD_COMPRESSED_COMPONENT_METADATA_UNCOMPRESSED_BYTES, sizes->data, sizes->size);
  sli_wire_close(message, mark);
}

static sli_status_t *compress_compute(sli_kernel_context_t *context) {
  sli_string_t data = {0}, metadata = {0}, snappy = {0};
  for (int i = 0; i < context->input_count; i++) {
    sli_string_t sizes = {0};
    append_tensor(sli_kernel_input(context, i), &data, &sizes);
    append_metadata(sli_kernel_input(context, i), &sizes, &metadata);
    sli_string_deinitialize(&sizes);
  }
  sli_tensor_t *output;
  sli_status_t *status = sli_kernel_allocate_output(context, 0, SLI_SHAPE_SCALAR, &output);
  if (!status && data.size > UINT32_MAX)
    status = sli_status_make(SLI_OUT_OF_RANGE,
                             "Encountered dataset element of size %zu, exceeding the 4GB Snappy limit.", data.size);
  if (!status) {
    packed_t *packed = packed_create();
    sli_snappy_pack(sli_view_of(data.data, data.size), &snappy);
    sli_wire_write_bytes(&packed->message, SLI_FIELD_COMPRESSED_ELEMENT_DATA, snappy.data, snappy.size);
    sli_string_append(&packed->message, metadata.data, metadata.size);
    SLI_DATA(sli_object_t *, output)[0] = &packed->base;
  }
  sli_string_deinitialize(&data);
  sli_string_deinitialize(&metadata);
  sli_string_deinitialize(&snappy);
  return status;
}

// --- Unpacking -------------------------------------------------------------------------------------

static sli_status_t *malformed(void) {
  return sli_status_make(SLI_INTERNAL, "Could not perform snappy decompression: the element is malformed");
}

// What is said of a component.
typedef struct {
  sli_dtype_t dtype;
  int rank;
  int64_t dims[SLI_MAX_RANK];
  sli_view_t sizes;
} component_t;

static sli_status_t *read_component(sli_view_t bytes, component_t *out) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  *out = (component_t){.dtype = SLI_DTYPE_INVALID};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_COMPRESSED_COMPONENT_METADATA_DTYPE && field.type == SLI_WIRE_VARINT &&
        field.value <= INT32_MAX)
      out->dtype = (sli_dtype_t)field.value;
    else if (field.number == SLI_FIELD_COMPRESSED_COMPONENT_METADATA_TENSOR_SHAPE && field.type == SLI_WIRE_BYTES)
      SLI_RETURN_IF_ERROR(sli_tensor_proto_decode_shape(field.bytes, out->dims, &out->rank));
    else if (field.number == SLI_FIELD_COMPRESSED_COMPONENT_METADATA_UNCOMPRESSED_BYTES && field.type == SLI_WIRE_BYTES)
      out->sizes = field.bytes;
  }
  bool is_good = !reader.malformed && sli_dtype_is_valid((int)out->dtype) && !sli_dtype_is_ref(out->dtype) &&
                 sli_shape_is_fully_known((sli_shape_t){out->rank, out->dims});
  return is_good ? NULL : malformed();
}

static sli_status_t *take_bytes(sli_wire_reader_t *sizes, sli_view_t *data, sli_view_t *out_bytes) {
  uint64_t size;
  if (!sli_wire_read_varint(sizes, &size) || size > data->size) return malformed();
  *out_bytes = sli_view_of(data->data, (size_t)size);
  *data = sli_view_of(data->data + size, data->size - (size_t)size);
  return NULL;
}

static sli_status_t *take_strings(const component_t *component, sli_wire_reader_t *sizes, sli_view_t *data,
                                  sli_tensor_t *tensor) {
  sli_view_t bytes = {0};
  for (int64_t i = 0; i < tensor->count; i++) {
    SLI_RETURN_IF_ERROR(take_bytes(sizes, data, &bytes));
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, tensor)[i], bytes.data, bytes.size);
  }
  return NULL;
}

// The next component of |*data|; the caller owns it.
static sli_status_t *take_tensor(const component_t *component, sli_view_t *data, sli_tensor_t **out_tensor) {
  sli_wire_reader_t sizes = sli_wire_reader(component->sizes);
  sli_view_t bytes = {0};
  *out_tensor = NULL;
  if (component->dtype == SLI_DTYPE_STRING) {
    // Each string has a size of at least one byte.
    int64_t count = sli_shape_count((sli_shape_t){component->rank, component->dims});
    if (count < 0 || (uint64_t)count > component->sizes.size) return malformed();
  } else {
    SLI_RETURN_IF_ERROR(take_bytes(&sizes, data, &bytes));
    if (!sli_dtype_is_plain(component->dtype)) return sli_tensor_decode(bytes, out_tensor);
  }
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(
      sli_tensor_create(sli_allocator_cpu(), component->dtype, component->dims, component->rank, &tensor));
  sli_status_t *status = NULL;
  if (component->dtype == SLI_DTYPE_STRING)
    status = take_strings(component, &sizes, data, tensor);
  else if (bytes.size != sli_tensor_bytes(tensor))
    status = malformed();
  else if (bytes.size)
    memcpy(tensor->data, bytes.data, bytes.size);
  if (component->dtype == SLI_DTYPE_BOOL)
    for (int64_t i = 0; !status && i < tensor->count; i++)
      SLI_DATA(uint8_t, tensor)[i] = SLI_DATA(uint8_t, tensor)[i] != 0;
  if (status)
    sli_tensor_release(tensor);
  else
    *out_tensor = tensor;
  return status;
}

static sli_status_t *set_component(sli_kernel_context_t *context, int index, sli_view_t metadata, sli_view_t *data) {
  component_t component;
  sli_tensor_t *tensor;
  SLI_RETURN_IF_ERROR(read_component(metadata, &component));
  SLI_RETURN_IF_ERROR(take_tensor(&component, data, &tensor));
  sli_dtype_t wanted = context->node->output_types[index];
  if (tensor->dtype != wanted) {
    sli_status_t *status =
        sli_status_make(SLI_FAILED_PRECONDITION, "Expected a tensor of type %s but got a tensor of type %s",
                        sli_dtype_name(wanted), sli_dtype_name((sli_dtype_t)tensor->dtype));
    sli_tensor_release(tensor);
    return status;
  }
  sli_kernel_set_output(context, index, tensor);
  return NULL;
}

static sli_status_t *unpack_message(sli_kernel_context_t *context, sli_view_t message, sli_string_t *unpacked) {
  sli_wire_reader_t reader = sli_wire_reader(message);
  sli_view_t packed = {0};
  int count = 0;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_COMPRESSED_ELEMENT_DATA && field.type == SLI_WIRE_BYTES) packed = field.bytes;
    count += field.number == SLI_FIELD_COMPRESSED_ELEMENT_COMPONENT_METADATA && field.type == SLI_WIRE_BYTES;
  }
  if (reader.malformed) return malformed();
  if (count != context->output_count)
    return sli_status_make(SLI_FAILED_PRECONDITION, "Expected %d outputs from uncompress, but got %d",
                           context->output_count, count);
  size_t size;
  if (!sli_snappy_size(packed, &size)) return malformed();
  // Snappy packs to no less than a twentieth or so; a size beyond that is not one.
  if (size / 64 > packed.size || !sli_alloc_has(size)) return malformed();
  char *to = sli_string_extend(unpacked, size);
  if (!sli_snappy_unpack(packed, to, size)) return malformed();
  sli_view_t data = sli_view_of(unpacked->data, size);
  reader = sli_wire_reader(message);
  int index = 0;
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_COMPRESSED_ELEMENT_COMPONENT_METADATA)
      SLI_RETURN_IF_ERROR(set_component(context, index++, field.bytes, &data));
  return data.size ? malformed() : NULL;
}

static sli_status_t *uncompress_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_object_t *object = NULL;
  if (input->rank == 0) SLI_RETURN_IF_ERROR(sli_op_variant_at(input, 0, &packed_type, &object));
  if (!object)
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "Input does not contain a compressed element. Instead got %s",
        input->rank ? sli_tensor_shape_text(input).text : sli_variant_text(SLI_DATA(sli_object_t *, input)[0]).text);
  const sli_string_t *message = &((packed_t *)object)->message;
  sli_string_t unpacked = {0};
  sli_status_t *status = unpack_message(context, sli_view_of(message->data, message->size), &unpacked);
  sli_string_deinitialize(&unpacked);
  sli_object_release(object);
  return status;
}

static sli_status_t *uncompress_shape(sli_infer_context_t *c) {
  const sli_attr_t *shapes;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(c->node, "output_shapes", SLI_ATTR_SHAPE, &shapes));
  if ((int)shapes->count != c->node->output_count)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "`output_shapes` must be the same length as `output_types` (%zu vs. %d)", shapes->count,
                           c->node->output_count);
  for (size_t i = 0; i < shapes->count; i++) sli_infer_set_output(c, (int)i, shapes->list.shape[i]);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "CompressElement",
     .inputs = "components: input_types",
     .outputs = "compressed: variant",
     .attrs = "input_types: list(type) >= 1",
     .summary = "Packs the tensors of a dataset's element.",
     .shape = sli_infer_fn_scalar},
    {.name = "UncompressElement",
     .inputs = "compressed: variant",
     .outputs = "components: output_types",
     .attrs = "output_types: list(type) >= 1; output_shapes: list(shape) >= 1",
     .summary = "Unpacks the tensors of a dataset's element.",
     .shape = uncompress_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CompressElement", .compute = compress_compute, .expensive = true},
    {.op = "UncompressElement", .compute = uncompress_compute, .expensive = true},
};

static const sli_object_type_t *const variants[] = {&packed_type, NULL};

SLI_OP_MODULE_WITH_VARIANTS(compress_element);
