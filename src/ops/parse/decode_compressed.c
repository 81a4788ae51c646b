// DecodeCompressed: unpacks strings that were packed with zlib or gzip.
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"

enum { CHUNK = 64 << 10 };

// |bits| is zlib's windowBits: 15 for zlib's format, 31 for gzip's.
static sli_status_t *unpack(sli_view_t packed, int bits, sli_string_t *out) {
  z_stream stream = {.next_in = (Bytef *)packed.data, .avail_in = 0};
  if (inflateInit2(&stream, bits) != Z_OK)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory to unpack a string");
  size_t left = packed.size;
  int result = Z_OK;
  while (result == Z_OK) {
    if (stream.avail_in == 0 && left) {
      uInt more = left < INT32_MAX ? (uInt)left : INT32_MAX;
      stream.avail_in = more;
      left -= more;
    }
    if (!sli_alloc_has(2 * out->size + CHUNK)) {
      inflateEnd(&stream);
      return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for an unpacked string of more than %zu bytes",
                             out->size);
    }
    char *to = sli_string_extend(out, CHUNK);
    stream.next_out = (Bytef *)to;
    stream.avail_out = CHUNK;
    result = inflate(&stream, Z_NO_FLUSH);
    out->size -= stream.avail_out;
  }
  inflateEnd(&stream);
  if (result == Z_STREAM_END) return NULL;
  if (result == Z_BUF_ERROR)
    return sli_status_make(SLI_DATA_LOSS, "The packed string of %zu bytes ends too early", packed.size);
  return sli_status_make(SLI_DATA_LOSS, "inflate() failed with error %d: %s", result,
                         stream.msg ? stream.msg : "the bytes are not packed");
}

static sli_status_t *read_bits(const sli_node_def_t *node, int *out_bits) {
  sli_view_t type;
  *out_bits = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "compression_type", &type));
  if (type.size == 0) return NULL;
  if (sli_view_is(type, "ZLIB"))
    *out_bits = 15;
  else if (sli_view_is(type, "GZIP"))
    *out_bits = 31;
  else
    return sli_status_make(SLI_INVALID_ARGUMENT, "Only ZLIB, GZIP or NONE are supported compressions");
  return NULL;
}

static sli_status_t *decode_create(const sli_kernel_setup_t *setup, void **out_state) {
  int bits;
  *out_state = NULL;
  return read_bits(setup->node, &bits);  // for its error
}

static sli_status_t *decode_compute(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  int bits;
  SLI_RETURN_IF_ERROR(read_bits(context->node, &bits));
  if (!bits) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_string_t text = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++) {
    sli_string_clear(&text);
    status = unpack(sli_tensor_string_at(input, i), bits, &text);
    if (!status) sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
  }
  sli_string_deinitialize(&text);
  return status;
}

static const sli_op_def_t ops[] = {
    {.name = "DecodeCompressed",
     .inputs = "bytes: string",
     .outputs = "output: string",
     .attrs = "compression_type: string = ''",
     .summary = "Unpacks strings that were packed with zlib or gzip.",
     .shape = sli_infer_fn_unchanged,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "DecodeCompressed", .compute = decode_compute, .create = decode_create, .expensive = true},
};
SLI_OP_MODULE(decode_compressed);
