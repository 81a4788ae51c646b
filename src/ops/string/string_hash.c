// StringToHashBucket, StringToHashBucketFast and StringToHashBucketStrong: hash strings to [0, num_buckets) with
// TensorFlow's Hash64, FarmHash's Fingerprint64 and keyed SipHash-2-4, respectively. Fingerprint hashes rows of any
// type.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/op/shape_inference.h"
#include "ops/common/fingerprint.h"

// --- The ops ----------------------------------------------------------------------------------------

typedef enum { HASH_OLD, HASH_FAST, HASH_STRONG } hash_kind_t;

static sli_status_t *bucket(sli_kernel_context_t *context, hash_kind_t hash, uint64_t key0, uint64_t key1) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  int64_t buckets;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(context->node, "num_buckets", &buckets));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]);
    uint64_t value = hash == HASH_OLD    ? sli_hash_tensorflow(text.data, text.size, SLI_HASH_TENSORFLOW_SEED)
                     : hash == HASH_FAST ? sli_fingerprint_of(text)
                                         : sli_fingerprint_strong(text, key0, key1);
    SLI_DATA(int64_t, output)[i] = (int64_t)(value % (uint64_t)buckets);
  }
  return NULL;
}

static sli_status_t *old_compute(sli_kernel_context_t *context) { return bucket(context, HASH_OLD, 0, 0); }
static sli_status_t *fast_compute(sli_kernel_context_t *context) { return bucket(context, HASH_FAST, 0, 0); }

static sli_status_t *strong_compute(sli_kernel_context_t *context) {
  const sli_attr_t *key;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "key", SLI_ATTR_INT, &key));
  if (key->count != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "Key must have 2 elements");
  return bucket(context, HASH_STRONG, (uint64_t)key->list.i[0], (uint64_t)key->list.i[1]);
}

// --- Fingerprint -------------------------------------------------------------------------------

// The fingerprint of each row, as bytes: of its string, of the fingerprints of its strings, or of its elements' bytes.
static sli_status_t *fingerprint_rows(const sli_tensor_t *data, int64_t rows, unsigned char *out) {
  sli_dtype_t dtype = (sli_dtype_t)data->dtype;
  int64_t width = rows ? data->count / rows : 0;
  bool strings = dtype == SLI_DTYPE_STRING;
  uint64_t *hashes = strings && width != 1 ? sli_malloc_or_null((size_t)(width + 1) * sizeof(*hashes)) : NULL;
  if (strings && width != 1 && !hashes)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "OOM when hashing rows of %lld strings", (long long)width);
  for (int64_t r = 0; r < rows; r++) {
    size_t size = (size_t)width * (strings ? sizeof(*hashes) : sli_dtype_size(dtype));
    for (int64_t i = 0; hashes && i < width; i++)
      hashes[i] = sli_fingerprint_of(sli_tensor_string_at(data, r * width + i));
    sli_view_t bytes = hashes    ? sli_view_of((const char *)hashes, size)
                       : strings ? sli_tensor_string_at(data, r)
                                 : sli_view_of((const char *)data->data + (size_t)r * size, size);
    uint64_t hash = sli_fingerprint_of(bytes);
    for (int i = 0; i < 8; i++) out[8 * r + i] = (unsigned char)(hash >> 8 * i);
  }
  free(hashes);
  return NULL;
}

static sli_status_t *fingerprint_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *data = sli_kernel_input(context, 0), *method = sli_kernel_input(context, 1);
  sli_tensor_t *output;
  if (!sli_dtype_is_plain((sli_dtype_t)data->dtype) && data->dtype != SLI_DTYPE_STRING)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Data type not supported: %s",
                           sli_dtype_name((sli_dtype_t)data->dtype));
  if (method->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`method` should be a scalar string: %s",
                           sli_tensor_shape_text(method).text);
  if (!sli_view_is(sli_tensor_string_at(method, 0), "farmhash64"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported fingerprint method: %.*s",
                           SLI_VIEW_ARG(sli_tensor_string_at(method, 0)));
  if (data->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "`data` should have at least one dimension: %s",
                           sli_tensor_shape_text(data).text);
  int64_t dims[] = {data->dims[0], 8};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){2, dims}, &output));
  return fingerprint_rows(data, dims[0], output->data);
}

static sli_status_t *fingerprint_shape(sli_infer_context_t *c) {
  sli_shape_t data, scalar;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &data));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &scalar));
  const sli_tensor_t *method = sli_infer_input_constant(c, 1);
  if (method && method->rank == 0 && !sli_view_is(sli_tensor_string_at(method, 0), "farmhash64"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Unsupported method: %.*s",
                           SLI_VIEW_ARG(sli_tensor_string_at(method, 0)));
  int64_t dims[] = {sli_infer_dim(data, 0), method ? 8 : -1};
  sli_infer_set_output(c, 0, sli_infer_make(c, 2, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Fingerprint",
     .inputs = "data: T, method: string",
     .outputs = "fingerprint: uint8",
     .attrs = "T: type",
     .shape = fingerprint_shape},
    {
        .name = "StringToHashBucket",
        .inputs = "string_tensor: string",
        .outputs = "output: int64",
        .attrs = "num_buckets: int >= 1",
        .summary = "Hashes strings to buckets with a function that may change between versions.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
    },
    {
        .name = "StringToHashBucketFast",
        .inputs = "input: string",
        .outputs = "output: int64",
        .attrs = "num_buckets: int >= 1",
        .summary = "Hashes strings to buckets with a fast hash function.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
    },
    {
        .name = "StringToHashBucketStrong",
        .inputs = "input: string",
        .outputs = "output: int64",
        .attrs = "num_buckets: int >= 1; key: list(int)",
        .summary = "Hashes strings to buckets with a keyed hash function.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Fingerprint", .compute = fingerprint_compute},
    {.op = "StringToHashBucket", .compute = old_compute},
    {.op = "StringToHashBucketFast", .compute = fast_compute},
    {.op = "StringToHashBucketStrong", .compute = strong_compute},
};
SLI_OP_MODULE(string_hash);
