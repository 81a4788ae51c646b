// LinSpace: |num| values from start to stop, both included, evenly spaced.
#include <stdlib.h>

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"

// The last value is exactly |stop|.
#define FILL(T)                                                                    \
  {                                                                                \
    T first = *SLI_DATA(T, start), last = *SLI_DATA(T, stop);                      \
    T step = count > 1 ? (last - first) / (T)(count - 1) : 0, *out = output->data; \
    for (int64_t i = 0; i < count; i++) out[i] = first + step * (T)i;              \
    if (count > 1) out[count - 1] = last;                                          \
  }

static sli_status_t *lin_space(sli_kernel_context_t *context) {
  static const char *const names[] = {"start", "stop", "num"};
  sli_tensor_t *start = sli_kernel_input(context, 0), *stop = sli_kernel_input(context, 1), *output;
  for (int i = 0; i < 3; i++) {
    sli_tensor_t *input = sli_kernel_input(context, i);
    if (input->rank == 0) continue;
    char *shape = sli_shape_to_text(sli_tensor_shape(input));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "%s must be a scalar, not shape %s", names[i], shape);
    free(shape);
    return status;
  }
  int64_t count = sli_tensor_int_at(sli_kernel_input(context, 2), 0);
  if (count <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires num > 0: %lld", (long long)count);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count), &output));
  if (output->dtype == SLI_DTYPE_FLOAT)
    FILL(float)
  else
    FILL(double)
  return NULL;
}

static sli_status_t *lin_space_shape(sli_infer_context_t *c) {
  static const char *const names[] = {"start", "stop", "num"};
  sli_shape_t scalar;
  for (int i = 0; i < 3; i++) {
    sli_status_t *status = sli_infer_input_with_rank(c, i, 0, &scalar);
    if (status) return sli_status_append(status, " for '%s'", names[i]);
  }
  const sli_tensor_t *num = sli_infer_input_constant(c, 2);
  int64_t count = num ? sli_tensor_int_at(num, 0) : -1;
  if (num && count <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "Requires num > 0: %lld", (long long)count);
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "LinSpace",
     .inputs = "start: T, stop: T, num: Tidx",
     .outputs = "output: T",
     .attrs = "T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32",
     .shape = lin_space_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "LinSpace",
     .types = SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE,
     .where = {{"Tidx", SLI_TYPES_INDEX}},
     .host_memory = "start, stop, num, output",
     .compute = lin_space},
};

SLI_OP_MODULE(lin_space);
