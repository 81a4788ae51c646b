// DecodeRaw, DecodePaddedRaw: reinterpret the bytes of strings as numbers.
#include <string.h>

#include "core/op/shape_inference.h"

// The size whose bytes are swapped for the other byte order. A complex number consists of two parts.
static size_t part_size(sli_dtype_t dtype) {
  size_t size = sli_dtype_size(dtype);
  return dtype == SLI_DTYPE_COMPLEX64 || dtype == SLI_DTYPE_COMPLEX128 ? size / 2 : size;
}

static void swap_parts(char *data, size_t bytes, size_t part) {
  for (size_t at = 0; at < bytes; at += part) {
    for (size_t i = 0; i < part / 2; i++) {
      char kept = data[at + i];
      data[at + i] = data[at + part - 1 - i];
      data[at + part - 1 - i] = kept;
    }
  }
}

// Copies |bytes| bytes. Bools become 0 or 1, since other kernels rely on that.
static void copy_raw(sli_dtype_t dtype, char *to, const char *from, size_t bytes) {
  if (bytes == 0) return;
  memcpy(to, from, bytes);
  if (dtype != SLI_DTYPE_BOOL) return;
  for (size_t i = 0; i < bytes; i++) to[i] = to[i] != 0;
}

static sli_status_t *raw_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  bool is_little;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "little_endian", &is_little));
  sli_dtype_t dtype = context->node->output_types[0];
  size_t size = sli_dtype_size(dtype), bytes = input->count ? sli_tstring_view(SLI_DATA(sli_tstring_t, input)).size : 0;
  for (int64_t i = 1; i < input->count; i++) {
    size_t own = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]).size;
    if (own != bytes)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "DecodeRaw requires input strings to all be the same size, but element %lld has size %zu "
                             "!= %zu",
                             (long long)i, bytes, own);
  }
  if (bytes % size != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input to DecodeRaw has length %zu that is not a multiple of %zu, the size of %s", bytes,
                           size, sli_dtype_name(dtype));
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(input->rank + 1));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < input->rank; i++) dims[i] = input->dims[i];
  dims[input->rank] = (int64_t)(bytes / size);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank + 1, dims}, &output));
  for (int64_t i = 0; i < input->count; i++)
    copy_raw(dtype, (char *)output->data + (size_t)i * bytes, sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]).data,
             bytes);
  if (!is_little) swap_parts(output->data, sli_tensor_bytes(output), part_size(dtype));
  return NULL;
}

static sli_status_t *padded_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  bool is_little;
  int64_t length;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "little_endian", &is_little));
  SLI_RETURN_IF_ERROR(sli_kernel_input_int(context, 1, "k", &length));
  sli_dtype_t dtype = context->node->output_types[0];
  size_t size = sli_dtype_size(dtype);
  if (length <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "fixed_length (%lld) must be greater than zero.", (long long)length);
  if ((size_t)length % size != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "fixed_length (%lld) must be a multiple of the size of out_type (%zu)",
                           (long long)length, size);
  SLI_RETURN_IF_ERROR(sli_shape_check_rank(input->rank + 1));
  int64_t dims[SLI_MAX_RANK];
  for (int i = 0; i < input->rank; i++) dims[i] = input->dims[i];
  dims[input->rank] = length / (int64_t)size;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank + 1, dims}, &output));
  for (int64_t i = 0; i < input->count; i++) {
    sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]);
    size_t have = text.size < (size_t)length ? text.size : (size_t)length;
    char *to = (char *)output->data + (size_t)i * (size_t)length;
    copy_raw(dtype, to, text.data, have);
    memset(to + have, 0, (size_t)length - have);
  }
  if (!is_little) swap_parts(output->data, sli_tensor_bytes(output), part_size(dtype));
  return NULL;
}

static sli_status_t *raw_shape(sli_infer_context_t *c) {
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_input(c, 0), SLI_SHAPE(-1)));
  return NULL;
}

static sli_status_t *padded_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  sli_dtype_t dtype;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(c->node, "out_type", &dtype));
  const sli_tensor_t *length = sli_infer_input_constant(c, 1);
  int64_t width = -1, size = (int64_t)sli_dtype_size(dtype);
  if (length) {
    int64_t bytes = SLI_DATA(int32_t, length)[0];
    if (bytes < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Dimension size, given by scalar input 1, must be non-negative but is %lld",
                             (long long)bytes);
    if (bytes % size != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension size must be evenly divisible by %lld but is %lld",
                             (long long)size, (long long)bytes);
    width = bytes / size;
  }
  sli_infer_set_output(c, 0, sli_infer_concatenate(c, sli_infer_input(c, 0), SLI_SHAPE(width)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "DecodeRaw",
        .inputs = "bytes: string",
        .outputs = "output: out_type",
        .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, "
                 "bool, bfloat16}; little_endian: bool = true",
        .summary = "Reinterprets the bytes of strings as numbers.",
        .shape = raw_shape,
        .not_differentiable = true,
    },
    {
        .name = "DecodePaddedRaw",
        .inputs = "input_bytes: string, fixed_length: int32",
        .outputs = "output: out_type",
        .attrs = "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}; little_endian: "
                 "bool = true",
        .summary = "Reinterprets the bytes of strings, truncated or padded to one length, as numbers.",
        .shape = padded_shape,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DecodeRaw",
     .where = {{"out_type", SLI_TYPE_HALF | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_UINT16 |
                                SLI_TYPE_UINT8 | SLI_TYPE_INT16 | SLI_TYPE_INT8 | SLI_TYPE_INT64 | SLI_TYPES_COMPLEX |
                                SLI_TYPE_BOOL | SLI_TYPE_BFLOAT16}},
     .compute = raw_compute},
    {.op = "DecodePaddedRaw",
     .where = {{"out_type", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_UINT16 | SLI_TYPE_UINT8 |
                                SLI_TYPE_INT16 | SLI_TYPE_INT8 | SLI_TYPE_INT64 | SLI_TYPE_BFLOAT16}},
     .host_memory = "fixed_length",
     .compute = padded_compute},
};
SLI_OP_MODULE(raw);
