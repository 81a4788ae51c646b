// Range: start, start + delta, … up to, not including, limit.
#include <math.h>
#include <stdlib.h>

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

static const char *const names[] = {"start", "limit", "delta"};

static double as_double(const sli_tensor_t *scalar) {
  return scalar->dtype == SLI_DTYPE_FLOAT ? *SLI_DATA(float, scalar) : *SLI_DATA(double, scalar);
}

// The number of elements. The shape function and the kernel share the checks.
static sli_status_t *count_elements(const sli_tensor_t *start, const sli_tensor_t *limit, const sli_tensor_t *delta,
                                    int64_t *out_count) {
  if (start->dtype == SLI_DTYPE_FLOAT || start->dtype == SLI_DTYPE_DOUBLE) {
    double first = as_double(start), last = as_double(limit), step = as_double(delta);
    if (step == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires delta != 0: 0");
    if (step > 0 && first > last)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requires start <= limit when delta > 0: %g/%g", first, last);
    if (step < 0 && first < last)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requires start >= limit when delta < 0: %g/%g", first, last);
    double count = ceil(fabs((last - first) / step));
    if (!(count <= 4.6e18))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld", (long long)INT64_MAX);
    *out_count = (int64_t)count;
    return NULL;
  }
  int64_t first = sli_tensor_int_at(start, 0), last = sli_tensor_int_at(limit, 0), step = sli_tensor_int_at(delta, 0);
  if (step == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires delta != 0: 0");
  if (step > 0 && first > last)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Requires start <= limit when delta > 0: %lld/%lld", (long long)first,
                           (long long)last);
  if (step < 0 && first < last)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Requires start >= limit when delta < 0: %lld/%lld", (long long)first,
                           (long long)last);
  uint64_t distance = step > 0 ? (uint64_t)last - (uint64_t)first : (uint64_t)first - (uint64_t)last;
  uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  uint64_t count = distance / stride + (distance % stride != 0);
  if (count > INT64_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld", (long long)INT64_MAX);
  *out_count = (int64_t)count;
  return NULL;
}

// Adds the step repeatedly like TensorFlow, to get the same floats.
#define FILL(T)                                                        \
  {                                                                    \
    T value = *SLI_DATA(T, start), step = *SLI_DATA(T, delta);         \
    T *out = SLI_DATA(T, output);                                      \
    for (int64_t i = 0; i < count; i++, value += step) out[i] = value; \
  }

static sli_status_t *range(sli_kernel_context_t *context) {
  sli_tensor_t *start = sli_kernel_input(context, 0), *limit = sli_kernel_input(context, 1),
               *delta = sli_kernel_input(context, 2), *output;
  int64_t count;
  for (int i = 0; i < 3; i++) {
    sli_tensor_t *bound = sli_kernel_input(context, i);
    if (bound->rank == 0 || (bound->rank == 1 && bound->count == 1)) continue;
    char *shape = sli_shape_to_text(sli_tensor_shape(bound));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar, not shape %s", names[i], shape);
    free(shape);
    return status;
  }
  SLI_RETURN_IF_ERROR(count_elements(start, limit, delta, &count));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count), &output));
  switch ((sli_dtype_t)output->dtype) {
    case SLI_DTYPE_FLOAT: FILL(float) break;
    case SLI_DTYPE_DOUBLE: FILL(double) break;
    default: {
      uint64_t value = (uint64_t)sli_tensor_int_at(start, 0), step = (uint64_t)sli_tensor_int_at(delta, 0);
      for (int64_t i = 0; i < count; i++, value += step) {
        if (output->dtype == SLI_DTYPE_INT32)
          SLI_DATA(int32_t, output)[i] = (int32_t)value;
        else
          SLI_DATA(int64_t, output)[i] = (int64_t)value;
      }
    }
  }
  return NULL;
}

static sli_status_t *range_shape(sli_infer_context_t *c) {
  const sli_tensor_t *values[3];
  bool known = true;
  for (int i = 0; i < 3; i++) {
    sli_shape_t scalar;
    sli_status_t *status = sli_infer_input_with_rank(c, i, 0, &scalar);
    if (status) return sli_status_append(status, " for '%s'", names[i]);
    values[i] = sli_infer_input_constant(c, i);
    known &= values[i] != NULL;
  }
  int64_t count = -1;
  sli_types_t counted = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_INDEX;
  if (known && sli_types_contain(counted, (sli_dtype_t)values[0]->dtype))
    SLI_RETURN_IF_ERROR(count_elements(values[0], values[1], values[2], &count));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Range",
     .inputs = "start: Tidx, limit: Tidx, delta: Tidx",
     .outputs = "output: Tidx",
     .attrs = "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32} = DT_INT32",
     .shape = range_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Range",
     .any_device = true,
     .where = {{"Tidx", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPE_INT32 | SLI_TYPE_INT64}},
     .host_memory = "start, limit, delta, output",
     .compute = range},
};

SLI_OP_MODULE(range);
