// NthElement: the value at position n of each sorted row, found by partial sorting.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

// Hoare's selection: afterwards values[n] is where sorting would put it.
#define SELECT(T, name)                                         \
  static T select_##name(T *values, int64_t count, int64_t n) { \
    for (int64_t low = 0, high = count - 1; low < high;) {      \
      const T pivot = values[low + (high - low) / 2];           \
      int64_t i = low, j = high;                                \
      while (i <= j) {                                          \
        while (values[i] < pivot) i++;                          \
        while (pivot < values[j]) j--;                          \
        if (i > j) break;                                       \
        T other = values[i];                                    \
        values[i++] = values[j];                                \
        values[j--] = other;                                    \
      }                                                         \
      if (n > j) low = i;                                       \
      if (n < i) high = j;                                      \
    }                                                           \
    return values[n];                                           \
  }
SELECT(float, float)
SELECT(double, double)
SELECT(int8_t, int8)
SELECT(uint8_t, uint8)
SELECT(int16_t, int16)
SELECT(uint16_t, uint16)
SELECT(int32_t, int32)
SELECT(uint32_t, uint32)
SELECT(int64_t, int64)
SELECT(uint64_t, uint64)

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *output;
  int64_t columns, n;
} nth_t;

#define CASE(T, name, code) \
  case code: SLI_DATA(T, w->output)[row] = select_##name(copy, w->columns, w->n); break

static void select_rows(void *context, int64_t begin, int64_t end) {
  const nth_t *w = context;
  const sli_dtype_t dtype = (sli_dtype_t)w->input->dtype;
  const bool is_narrow = sli_half_is_narrow(dtype);
  void *copy = sli_malloc((size_t)w->columns * sizeof(int64_t));
  for (int64_t row = begin; row < end; row++) {
    const void *values = sli_tensor_at(w->input, row * w->columns);
    if (is_narrow)
      sli_half_widen(dtype, values, copy, w->columns);
    else
      memcpy(copy, values, (size_t)w->columns * sli_dtype_size(dtype));
    switch (dtype) {
      CASE(float, float, SLI_DTYPE_FLOAT);
      CASE(double, double, SLI_DTYPE_DOUBLE);
      CASE(int8_t, int8, SLI_DTYPE_INT8);
      CASE(uint8_t, uint8, SLI_DTYPE_UINT8);
      CASE(int16_t, int16, SLI_DTYPE_INT16);
      CASE(uint16_t, uint16, SLI_DTYPE_UINT16);
      CASE(int32_t, int32, SLI_DTYPE_INT32);
      CASE(uint32_t, uint32, SLI_DTYPE_UINT32);
      CASE(int64_t, int64, SLI_DTYPE_INT64);
      CASE(uint64_t, uint64, SLI_DTYPE_UINT64);
      default: {
        float value = select_float(copy, w->columns, w->n);
        sli_half_narrow(dtype, &value, sli_tensor_at(w->output, row), 1);
      }
    }
  }
  free(copy);
}

static sli_status_t *nth_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *n = sli_kernel_input(context, 1);
  nth_t w = {.input = sli_kernel_input(context, 0)};
  bool reverse;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "reverse", &reverse));
  if (n->rank != 0) return sli_status_make(SLI_INVALID_ARGUMENT, "N must be scalar but has rank %d", n->rank);
  w.n = *SLI_DATA(int32_t, n);
  if (w.n < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "n must be non-negative but is %lld", (long long)w.n);
  if (w.input->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input must be at least rank 1 but is rank %d", w.input->rank);
  w.columns = w.input->dims[w.input->rank - 1];
  if (w.columns <= w.n)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Input must have last dimension > n = %lld", (long long)w.n);
  if (reverse) w.n = w.columns - 1 - w.n;
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, (sli_shape_t){w.input->rank - 1, w.input->dims}, &w.output));
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, w.columns, sizeof(int64_t)));
  sli_parallel_for(sli_kernel_pool(context), w.output->count, 5.0 * (double)w.columns, select_rows, &w);
  return NULL;
}

static sli_status_t *nth_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &input));
  const sli_tensor_t *n = sli_infer_input_constant(c, 1);
  if (n && n->count == 1) {
    const int64_t position = *SLI_DATA(int32_t, n), last = sli_infer_dim(input, -1);
    if (position < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Dimension size, given by scalar input 1, must be non-negative but is %lld",
                             (long long)position);
    if (last >= 0 && last <= position)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input must have last dimension > n = %lld but is %lld",
                             (long long)position, (long long)last);
  }
  sli_infer_set_output(c, 0, sli_infer_subshape(c, input, 0, -1));
  return NULL;
}

// Elements equal to the value share the gradient.
static sli_status_t *nth_gradient(sli_gradient_builder_t *b) {
  sli_output_t input = sli_gradient_input(b, 0), last = sli_gradient_const_int32(b, -1);
  sli_output_t gradient = sli_emit2(b, "ExpandDims", sli_gradient_of_output(b, 0), last);
  sli_output_t value = sli_emit2(b, "ExpandDims", sli_gradient_output(b, 0), last);
  sli_output_t equal = sli_emit_cast(b, sli_emit2(b, "Equal", value, input), sli_gradient_dtype(b, gradient));
  sli_output_t count = sli_emit2(b, "ExpandDims", sli_emit2(b, "Sum", equal, last), last);
  return sli_emit_set(b, sli_emit_mul(b, sli_emit2(b, "RealDiv", equal, count), gradient));
}

static const sli_op_def_t ops[] = {
    {.name = "NthElement",
     .inputs = "input: T, n: int32",
     .outputs = "values: T",
     .attrs = "reverse: bool = false; T: realnumbertype",
     .summary = "The n-th smallest or largest value of each row.",
     .shape = nth_shape,
     .gradient = nth_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "NthElement", .types = SLI_TYPES_REAL, .compute = nth_compute, .cost = 5},
};

SLI_OP_MODULE(nth_element);
