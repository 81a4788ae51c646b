// AddN: the sum of N tensors of one shape. VARIANT sums are refused: no value
// that can be added travels in a variant here.
#include <complex.h>
#include <stdlib.h>

#include "core/gradient.h"
#include "core/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

// out += in. The types share loops by width: integers wrap alike, signed or not.
#define ACCUMULATE(attribute, name, T)                                     \
  attribute static void add_##name(void *out, const void *in, int64_t n) { \
    T *z = out;                                                            \
    const T *x = in;                                                       \
    SLI_VECTORIZE for (int64_t i = 0; i < n; i++) z[i] = (T)(z[i] + x[i]); \
  }
ACCUMULATE(SLI_SIMD, float, float)
ACCUMULATE(SLI_SIMD, double, double)
ACCUMULATE(, int8, uint8_t)
ACCUMULATE(, int16, uint16_t)
ACCUMULATE(SLI_SIMD, int32, uint32_t)
ACCUMULATE(SLI_SIMD, int64, uint64_t)
ACCUMULATE(, complex64, float complex)
ACCUMULATE(, complex128, double complex)

static void (*const adders[])(void *out, const void *in, int64_t n) = {
    [SLI_DTYPE_FLOAT] = add_float,  [SLI_DTYPE_DOUBLE] = add_double,       [SLI_DTYPE_INT8] = add_int8,
    [SLI_DTYPE_UINT8] = add_int8,   [SLI_DTYPE_INT16] = add_int16,         [SLI_DTYPE_UINT16] = add_int16,
    [SLI_DTYPE_INT32] = add_int32,  [SLI_DTYPE_UINT32] = add_int32,        [SLI_DTYPE_INT64] = add_int64,
    [SLI_DTYPE_UINT64] = add_int64, [SLI_DTYPE_COMPLEX64] = add_complex64, [SLI_DTYPE_COMPLEX128] = add_complex128,
};

enum { BLOCK = 1024 };  // elements summed over all inputs before the next: the sum stays in L1

typedef struct {
  sli_kernel_context_t *context;
  sli_tensor_t *output;
  int skip;  // the input whose bytes the output has
} work_t;

static void add_block(const work_t *work, int64_t begin, int64_t n) {
  sli_dtype_t dtype = (sli_dtype_t)work->output->dtype;
  size_t size = sli_dtype_size(dtype);
  char *out = (char *)work->output->data + (size_t)begin * size;
  for (int k = 0; k < work->context->input_count; k++) {
    if (k == work->skip) continue;
    adders[dtype](out, (const char *)sli_kernel_input(work->context, k)->data + (size_t)begin * size, n);
  }
}

// 16-bit floats are summed in float and rounded once.
static void add_narrow_block(const work_t *work, int64_t begin, int64_t n) {
  float sum[BLOCK], wide[BLOCK];
  bool is_half = work->output->dtype == SLI_DTYPE_HALF;
  uint16_t *out = SLI_DATA(uint16_t, work->output) + begin;
  memset(sum, 0, sizeof(sum));
  for (int k = 0; k < work->context->input_count; k++) {
    const uint16_t *in = SLI_DATA(uint16_t, sli_kernel_input(work->context, k)) + begin;
    if (is_half)
      sli_half_to_float_n(in, wide, n);
    else
      sli_bfloat16_to_float_n(in, wide, n);
    add_float(sum, wide, n);
  }
  if (is_half)
    sli_half_from_float_n(sum, out, n);
  else
    sli_bfloat16_from_float_n(sum, out, n);
}

static void add_range(void *context, int64_t begin, int64_t end) {
  const work_t *work = context;
  bool narrow = work->output->dtype == SLI_DTYPE_HALF || work->output->dtype == SLI_DTYPE_BFLOAT16;
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = end - i < BLOCK ? end - i : BLOCK;
    if (narrow)
      add_narrow_block(work, i, n);
    else
      add_block(work, i, n);
  }
}

static sli_status_t *add_n(sli_kernel_context_t *context) {
  sli_tensor_t *first = sli_kernel_input(context, 0), *output;
  if (first->dtype == SLI_DTYPE_VARIANT)
    return sli_status_make(SLI_UNIMPLEMENTED, "AddN of variant tensors is not supported");
  for (int k = 1; k < context->input_count; k++) {
    if (sli_tensor_same_shape(first, sli_kernel_input(context, k))) continue;
    char *a = sli_shape_to_text(sli_tensor_shape(first));
    char *b = sli_shape_to_text(sli_tensor_shape(sli_kernel_input(context, k)));
    sli_status_t *status = sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Inputs to operation %s of type AddN must have the same size and shape.  Input 0: %s != input %d: %s",
        context->node->name, a, k, b);
    free(a);
    free(b);
    return status;
  }
  if (context->input_count == 1) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(first));
    return NULL;
  }
  const void *data = first->data;
  int64_t dims[SLI_MAX_RANK], count = first->count;
  sli_shape_t shape = {first->rank, dims};
  memcpy(dims, first->dims, (size_t)first->rank * sizeof(dims[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, shape, &output));
  work_t work = {context, output, 0};
  bool narrow = output->dtype == SLI_DTYPE_HALF || output->dtype == SLI_DTYPE_BFLOAT16;
  if (!narrow && output->data != data && count) memcpy(output->data, data, sli_tensor_bytes(output));
  sli_parallel_for(sli_kernel_pool(context), count, 0.2 * context->input_count, add_range, &work);
  return NULL;
}

static sli_status_t *add_n_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0);
  for (int i = 0; i < b->node->input_count; i++) sli_gradient_set(b, i, g);
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "AddN",
     .inputs = "inputs: N * T",
     .outputs = "sum: T",
     .attrs = "N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
              "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, variant}",
     .shape = sli_shape_fn_merge,
     .gradient = add_n_gradient,
     .is_commutative = true,
     .is_aggregate = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AddN", .types = SLI_TYPES_NUMBER | SLI_TYPE_VARIANT, .compute = add_n},
};

SLI_OP_MODULE(add_n);
