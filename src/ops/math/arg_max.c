// ArgMax and ArgMin: the index of the extreme along one dimension, the first one if several are equal. A NaN is never
// the extreme unless all are NaN.
#include <stdlib.h>

#include "core/op/emit.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

// The index of the extreme of |n| values that are |stride| apart.
typedef int64_t (*find_fn_t)(const void *data, int64_t n, int64_t stride);

#define FIND_ONE(op, operator, T, name, load)                                               \
  static int64_t op##_##name(const void *data, int64_t n, int64_t stride) {                 \
    const T *values = data;                                                                 \
    int64_t best = 0;                                                                       \
    for (int64_t i = 1; i < n; i++) {                                                       \
      T x = values[i * stride], y = values[best * stride];                                  \
      if (load(x) operator load(y) || (load(y) != load(y) && load(x) == load(x))) best = i; \
    }                                                                                       \
    return best;                                                                            \
  }
#define FIND(T, name, load)       \
  FIND_ONE(max, >, T, name, load) \
  FIND_ONE(min, <, T, name, load)
#define FIND_INTEGER(T, name, dtype, U) FIND(T, name, )
SLI_ELEMENTWISE_FOR_INTEGER(FIND_INTEGER)
FIND(float, float, )
FIND(double, double, )
FIND(sli_half_t, half, sli_half_to_float)
FIND(sli_bfloat16_t, bfloat16, sli_bfloat16_to_float)

#define ROWS(op)                                                                                          \
  {                                                                                                       \
    [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double, [SLI_DTYPE_HALF] = op##_half,       \
    [SLI_DTYPE_BFLOAT16] = op##_bfloat16, [SLI_DTYPE_INT8] = op##_int8, [SLI_DTYPE_INT16] = op##_int16,   \
    [SLI_DTYPE_INT32] = op##_int32, [SLI_DTYPE_INT64] = op##_int64, [SLI_DTYPE_UINT8] = op##_uint8,       \
    [SLI_DTYPE_UINT16] = op##_uint16, [SLI_DTYPE_UINT32] = op##_uint32, [SLI_DTYPE_UINT64] = op##_uint64, \
    [SLI_DTYPE_BOOL] = op##_uint8                                                                         \
  }
static const find_fn_t max_of[SLI_DTYPE_UINT64 + 1] = ROWS(max), min_of[SLI_DTYPE_UINT64 + 1] = ROWS(min);

typedef struct {
  find_fn_t find;
  const char *in;
  size_t in_size;
  sli_tensor_t *output;
  int64_t length, inner;  // size of the dimension, and of all dimensions after it
} arg_max_work_t;

static void find_range(void *context, int64_t begin, int64_t end) {
  const arg_max_work_t *work = context;
  for (int64_t o = begin; o < end; o++) {
    int64_t first = o / work->inner * work->length * work->inner + o % work->inner;
    int64_t index = work->find(work->in + (size_t)first * work->in_size, work->length, work->inner);
    switch ((sli_dtype_t)work->output->dtype) {
      case SLI_DTYPE_INT64: SLI_DATA(int64_t, work->output)[o] = index; break;
      case SLI_DTYPE_INT32: SLI_DATA(int32_t, work->output)[o] = (int32_t)index; break;
      default: SLI_DATA(uint16_t, work->output)[o] = (uint16_t)index;  // int16 and uint16
    }
  }
}

static sli_status_t *find(sli_kernel_context_t *context, const find_fn_t *functions) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *dimension = sli_kernel_input(context, 1), *output;
  if (dimension->rank != 0) {
    char *shape = sli_shape_to_text(sli_tensor_shape(dimension));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "dim must be a scalar, but received tensor of shape: %s", shape);
    free(shape);
    return status;
  }
  int64_t axis = dimension->dtype == SLI_DTYPE_INT16 ? *SLI_DATA(int16_t, dimension) : sli_tensor_int_at(dimension, 0);
  int rank = input->rank;
  if (axis < -rank || axis >= rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected dimension in the range [%d, %d), but got %lld", -rank, rank,
                           (long long)axis);
  if (axis < 0) axis += rank;
  if (input->dims[axis] == 0) {
    char *shape = sli_shape_to_text(sli_tensor_shape(input));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Reduction axis %lld is empty in shape %s", (long long)axis, shape);
    free(shape);
    return status;
  }
  int64_t dims[SLI_MAX_RANK];
  arg_max_work_t work = {
      functions[input->dtype], input->data, sli_dtype_size((sli_dtype_t)input->dtype), NULL, input->dims[axis], 1};
  for (int d = 0, n = 0; d < rank; d++)
    if (d != axis) dims[n++] = input->dims[d];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank - 1, dims}, &output));
  if (output->count == 0) return NULL;
  for (int d = (int)axis + 1; d < rank; d++) work.inner *= input->dims[d];
  work.output = output;
  sli_parallel_for(sli_kernel_pool(context), output->count, 5 + (double)work.length, find_range, &work);
  return NULL;
}
static sli_status_t *arg_max(sli_kernel_context_t *context) { return find(context, max_of); }
static sli_status_t *arg_min(sli_kernel_context_t *context) { return find(context, min_of); }

static sli_status_t *arg_shape(sli_infer_context_t *c) {
  sli_shape_t input = sli_infer_input(c, 0), dimension;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &dimension));
  if (input.rank < 0) return NULL;
  if (input.rank <= 1) {
    sli_infer_set_output(c, 0, SLI_SHAPE_SCALAR);
    return NULL;
  }
  const sli_tensor_t *value = sli_infer_input_constant(c, 1);
  if (!value) {
    sli_infer_set_output(c, 0, sli_infer_make_unknown_of_rank(c, input.rank - 1));
    return NULL;
  }
  int64_t axis = value->dtype == SLI_DTYPE_INT16 ? *SLI_DATA(int16_t, value) : sli_tensor_int_at(value, 0);
  int64_t wanted = axis < 0 ? axis + input.rank : axis;
  if (wanted < 0 || wanted >= input.rank)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Dimension (%lld) must be in the range [%d, %d), where %d is the number of dimensions in the input.",
        (long long)wanted, -input.rank, input.rank, input.rank);
  int64_t dims[SLI_MAX_RANK];
  for (int d = 0, n = 0; d < input.rank; d++)
    if (d != wanted) dims[n++] = input.dims[d];
  sli_infer_set_output(c, 0, sli_infer_make(c, input.rank - 1, dims));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ArgMax",
     .inputs = "input: T, dimension: Tidx",
     .outputs = "output: output_type",
     .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, "
              "quint8, qint32, qint16, quint16, bool}; Tidx: {int16, int32, int64} = DT_INT32; output_type: {int16, "
              "uint16, int32, int64} = DT_INT64",
     .shape = arg_shape,
     .gradient = sli_emit_no_gradient},
    {.name = "ArgMin",
     .inputs = "input: T, dimension: Tidx",
     .outputs = "output: output_type",
     .attrs =
         "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, "
         "qint32, qint16, quint16, bool}; Tidx: {int32, int64} = DT_INT32; output_type: {int32, int64} = DT_INT64",
     .shape = arg_shape,
     .gradient = sli_emit_no_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ArgMax",
     .types = SLI_TYPES_REAL | SLI_TYPE_BOOL,
     .where = {{"output_type", SLI_TYPE_INT32 | SLI_TYPE_INT16 | SLI_TYPE_INT64 | SLI_TYPE_UINT16}},
     .host_memory = "dimension",
     .compute = arg_max},
    {.op = "ArgMin",
     .types = SLI_TYPES_REAL | SLI_TYPE_BOOL,
     .where = {{"output_type", SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "dimension",
     .compute = arg_min},
};

SLI_OP_MODULE(arg_max);
