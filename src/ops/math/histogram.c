// Bincount, DenseBincount, HistogramFixedWidth, Bucketize: count values in bins.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

// Adds weights (or ones) to |bins| at |ids|; ids outside of [0, size) are skipped. Integers wrap.
#define COUNT(T, U)                                                 \
  for (int64_t i = 0; i < n; i++) {                                 \
    int64_t id = sli_tensor_int_at(ids, first + i);                 \
    if (id < 0 || id >= size) continue;                             \
    T *bin = (T *)bins + id;                                        \
    T one = weights ? ((const T *)weights->data)[first + i] : (T)1; \
    *bin = binary ? (T)1 : (T)((U)*bin + (U)one);                   \
  }

static void count_into(const sli_tensor_t *ids, int64_t first, int64_t n, const sli_tensor_t *weights, bool binary,
                       sli_dtype_t dtype, void *bins, int64_t size) {
  switch (dtype) {
    case SLI_DTYPE_INT32: COUNT(int32_t, uint32_t) break;
    case SLI_DTYPE_INT64: COUNT(int64_t, uint64_t) break;
    case SLI_DTYPE_FLOAT: COUNT(float, float) break;
    default: COUNT(double, double) break;
  }
}

static sli_status_t *read_size(sli_kernel_context_t *context, int64_t *out_size) {
  sli_tensor_t *size = sli_kernel_input(context, 1);
  if (size->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be rank 0 but is rank %d", size->rank);
  *out_size = sli_tensor_int_at(size, 0);
  if (*out_size < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "size (%lld) must be non-negative", (long long)*out_size);
  return NULL;
}

static sli_status_t *check_ids(const sli_tensor_t *ids) {
  for (int64_t i = 0; i < ids->count; i++)
    if (sli_tensor_int_at(ids, i) < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Input arr must be non-negative!");
  return NULL;
}

static sli_status_t *bincount(sli_kernel_context_t *context) {
  sli_tensor_t *ids = sli_kernel_input(context, 0), *weights = sli_kernel_input(context, 2), *output;
  int64_t size = 0;
  SLI_RETURN_IF_ERROR(read_size(context, &size));
  if (weights->count && weights->count != ids->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input indices and weights must have the same size.");
  SLI_RETURN_IF_ERROR(check_ids(ids));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(size), &output));
  if (!size) return NULL;
  memset(output->data, 0, sli_tensor_bytes(output));
  count_into(ids, 0, ids->count, weights->count ? weights : NULL, false, (sli_dtype_t)output->dtype, output->data,
             size);
  return NULL;
}

static sli_status_t *dense_bincount(sli_kernel_context_t *context) {
  sli_tensor_t *ids = sli_kernel_input(context, 0), *weights = sli_kernel_input(context, 2), *output;
  bool binary;
  int64_t size = 0;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "binary_output", &binary));
  if (ids->rank > 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Shape must be at most rank 2 but is rank %d", ids->rank);
  SLI_RETURN_IF_ERROR(read_size(context, &size));
  if (weights->count && !sli_tensor_same_shape(weights, ids)) {
    char *shape = sli_shape_to_text(sli_tensor_shape(weights));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT,
                        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as "
                        "all weights equal to 1. Received %s",
                        shape);
    free(shape);
    return status;
  }
  SLI_RETURN_IF_ERROR(check_ids(ids));
  int64_t rows = ids->rank == 2 ? ids->dims[0] : 1, width = rows ? ids->count / rows : 0;
  int64_t dims[] = {rows, size};
  sli_shape_t shape = ids->rank == 2 ? (sli_shape_t){2, dims} : (sli_shape_t){1, dims + 1};
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, shape, &output));
  if (!output->count) return NULL;
  memset(output->data, 0, sli_tensor_bytes(output));
  size_t pitch = (size_t)size * sli_dtype_size((sli_dtype_t)output->dtype);
  for (int64_t r = 0; r < rows; r++)
    count_into(ids, r * width, width, weights->count ? weights : NULL, binary, (sli_dtype_t)output->dtype,
               (char *)output->data + (size_t)r * pitch, size);
  return NULL;
}

static double real_at(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_INT32: return SLI_DATA(int32_t, tensor)[i];
    default: return (double)SLI_DATA(int64_t, tensor)[i];
  }
}

// Values below the range count in the first bin, values above it in the last.
static sli_status_t *histogram(sli_kernel_context_t *context) {
  sli_tensor_t *values = sli_kernel_input(context, 0), *range = sli_kernel_input(context, 1),
               *bins = sli_kernel_input(context, 2), *output;
  if (range->rank != 1) return sli_status_make(SLI_INVALID_ARGUMENT, "value_range should be a vector.");
  if (range->count != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "value_range should be a vector of 2 elements.");
  if (bins->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "nbins should be a scalar.");
  double low = real_at(range, 0), high = real_at(range, 1);
  int64_t count = sli_tensor_int_at(bins, 0);
  if (!(low < high))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "value_range should satisfy value_range[0] < value_range[1], but got '[%.6g, %.6g]'", low,
                           high);
  if (count <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "nbins should be a positive number, but got '%lld'", (long long)count);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count), &output));
  memset(output->data, 0, sli_tensor_bytes(output));
  double step = (high - low) / (double)count;
  for (int64_t i = 0; i < values->count; i++) {
    double value = real_at(values, i);
    if (isnan(value)) return sli_status_make(SLI_INVALID_ARGUMENT, "Histogram values must not contain NaN");
    double place = (value - low) / step;
    int64_t bin = place < 0 ? 0 : place >= (double)count ? count - 1 : (int64_t)place;
    if (output->dtype == SLI_DTYPE_INT32)
      SLI_DATA(uint32_t, output)[bin]++;
    else
      SLI_DATA(uint64_t, output)[bin]++;
  }
  return NULL;
}

// Outputs how many boundaries are not greater than the value.
static sli_status_t *bucketize(sli_kernel_context_t *context) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  const sli_attr_t *boundaries;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(context->node, "boundaries", SLI_ATTR_FLOAT, &boundaries));
  const float *bounds = boundaries->list.f;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    double value = real_at(input, i);
    size_t low = 0, high = boundaries->count;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (value < bounds[middle])
        high = middle;
      else
        low = middle + 1;
    }
    SLI_DATA(int32_t, output)[i] = (int32_t)low;
  }
  return NULL;
}

static sli_status_t *bucketize_create(const sli_kernel_setup_t *setup, void **out_state) {
  const sli_attr_t *boundaries;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(setup->node, "boundaries", SLI_ATTR_FLOAT, &boundaries));
  for (size_t i = 1; i < boundaries->count; i++)
    if (boundaries->list.f[i] < boundaries->list.f[i - 1])
      return sli_status_make(SLI_INVALID_ARGUMENT, "Expected sorted boundaries");
  return NULL;
}

// The value of input |index| if it is constant, else -1.
static sli_status_t *constant_size(sli_infer_context_t *c, int index, int64_t *out_size) {
  sli_shape_t scalar;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, index, 0, &scalar));
  const sli_tensor_t *size = sli_infer_input_constant(c, index);
  *out_size = size ? sli_tensor_int_at(size, 0) : -1;
  if (size && *out_size < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "size (%lld) must be non-negative", (long long)*out_size);
  return NULL;
}

static sli_status_t *bincount_shape(sli_infer_context_t *c) {
  int64_t size = 0;
  SLI_RETURN_IF_ERROR(constant_size(c, 1, &size));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &size));
  return NULL;
}

static sli_status_t *dense_bincount_shape(sli_infer_context_t *c) {
  sli_shape_t ids;
  int64_t size = 0;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_most(c, sli_infer_input(c, 0), 2, &ids));
  SLI_RETURN_IF_ERROR(constant_size(c, 1, &size));
  if (ids.rank < 0) return NULL;
  int64_t dims[] = {ids.rank == 2 ? ids.dims[0] : 0, size};
  sli_infer_set_output(c, 0, ids.rank == 2 ? sli_infer_make(c, 2, dims) : sli_infer_make(c, 1, &size));
  return NULL;
}

static sli_status_t *histogram_shape(sli_infer_context_t *c) {
  sli_shape_t range, scalar;
  int64_t two, size = -1;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &range));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(range, 0), 2, &two));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &scalar));
  const sli_tensor_t *bins = sli_infer_input_constant(c, 2);
  if (bins) size = sli_tensor_int_at(bins, 0);
  if (bins && size <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires nbins > 0: %lld", (long long)size);
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &size));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Bincount",
     .inputs = "arr: int32, size: int32, weights: T",
     .outputs = "bins: T",
     .attrs = "T: {int32, int64, float, double}",
     .shape = bincount_shape},
    {.name = "DenseBincount",
     .inputs = "input: Tidx, size: Tidx, weights: T",
     .outputs = "output: T",
     .attrs = "Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false",
     .shape = dense_bincount_shape},
    {.name = "HistogramFixedWidth",
     .inputs = "values: T, value_range: T, nbins: int32",
     .outputs = "out: dtype",
     .attrs = "T: {int32, int64, float, double}; dtype: {int32, int64} = DT_INT32",
     .shape = histogram_shape},
    {.name = "Bucketize",
     .inputs = "input: T",
     .outputs = "output: int32",
     .attrs = "T: {int32, int64, float, double}; boundaries: list(float)",
     .shape = sli_infer_fn_unchanged},
};

#define COUNTED (SLI_TYPE_INT32 | SLI_TYPE_INT64 | SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE)

static const sli_kernel_def_t kernels[] = {
    {.op = "Bincount", .types = COUNTED, .compute = bincount},
    {.op = "DenseBincount", .types = COUNTED, .where = {{"Tidx", SLI_TYPES_INDEX}}, .compute = dense_bincount},
    {.op = "HistogramFixedWidth", .types = COUNTED, .where = {{"dtype", SLI_TYPES_INDEX}}, .compute = histogram},
    {.op = "Bucketize", .types = COUNTED, .compute = bucketize, .create = bucketize_create, .cost = 2},
};

SLI_OP_MODULE(histogram);
