// UnravelIndex: the coordinates of flat indices in an array of the given dimensions.
#include "core/op/shape_inference.h"

static sli_status_t *check_dims(const sli_tensor_t *dims, int64_t *out_product) {
  int64_t limit = dims->dtype == SLI_DTYPE_INT64 ? INT64_MAX : INT32_MAX, product = 1;
  for (int64_t i = 0; i < dims->count; i++) {
    int64_t dim = sli_tensor_int_at(dims, i);
    if (dim == 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input dims cannot contain a dim of zero, but dims contains zero at index %lld",
                             (long long)i);
    if (dim < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input dims cannot be negative. Got dim = %lld at index %lld",
                             (long long)dim, (long long)i);
    if (product > limit / dim)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input dims product is causing integer overflow");
    product *= dim;
  }
  *out_product = product;
  return NULL;
}

static void put(sli_tensor_t *output, int64_t i, int64_t value) {
  if (output->dtype == SLI_DTYPE_INT32)
    SLI_DATA(int32_t, output)[i] = (int32_t)value;
  else
    SLI_DATA(int64_t, output)[i] = value;
}

static sli_status_t *unravel_index(sli_kernel_context_t *context) {
  const sli_tensor_t *indices = sli_kernel_input(context, 0), *dims = sli_kernel_input(context, 1);
  sli_tensor_t *output;
  int64_t product = 0;
  if (indices->rank > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The indices can only be scalar or vector, got \"%s\"",
                           sli_tensor_shape_text(indices).text);
  if (dims->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The indices can only be 1-D, got \"%s\"",
                           sli_tensor_shape_text(dims).text);
  SLI_RETURN_IF_ERROR(check_dims(dims, &product));
  for (int64_t i = 0; i < indices->count; i++)
    if (sli_tensor_int_at(indices, i) >= product)
      return sli_status_make(SLI_INVALID_ARGUMENT, "index is out of bound as with dims");
  int64_t shape[] = {dims->count, indices->count};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){1 + indices->rank, shape}, &output));
  for (int64_t i = 0; i < indices->count; i++) {
    int64_t index = sli_tensor_int_at(indices, i), below = product;
    for (int64_t d = 0; d < dims->count; d++) {
      int64_t rest = index % below;
      below /= sli_tensor_int_at(dims, d);
      put(output, d * indices->count + i, rest / below);
    }
  }
  return NULL;
}

static sli_status_t *unravel_index_shape(sli_infer_context_t *c) {
  sli_shape_t indices = sli_infer_input(c, 0), dims;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &dims));
  if (indices.rank < 0) return NULL;
  int64_t count = 1;
  for (int d = 0; d < indices.rank; d++) count = count < 0 || indices.dims[d] < 0 ? -1 : count * indices.dims[d];
  int64_t shape[] = {sli_infer_dim(dims, 0), count};
  sli_infer_set_output(c, 0, sli_infer_make(c, indices.rank == 0 ? 1 : 2, shape));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "UnravelIndex",
     .inputs = "indices: Tidx, dims: Tidx",
     .outputs = "output: Tidx",
     .attrs = "Tidx: {int32, int64} = DT_INT32",
     .shape = unravel_index_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "UnravelIndex", .where = {{"Tidx", SLI_TYPES_INDEX}}, .compute = unravel_index},
};

SLI_OP_MODULE(unravel_index);
