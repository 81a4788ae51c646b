// AddN: the sum of N tensors of one shape, or of N variants of one type that can be added.
#include <complex.h>
#include <stdlib.h>

#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

// out += in. Signed and unsigned integers of one width share a loop: both wrap.
#define ACCUMULATE(attribute, name, T)                                          \
  attribute static void add_##name(void *out, const void *in, int64_t n) {      \
    T *z = out;                                                                 \
    const T *x = in;                                                            \
    SLI_SIMD_VECTORIZE for (int64_t i = 0; i < n; i++) z[i] = (T)(z[i] + x[i]); \
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

enum { BLOCK = 1024 };  // elements summed over all inputs at a time: the sum stays in the L1 cache

typedef struct {
  sli_kernel_context_t *context;
  sli_tensor_t *output;
  int skip;  // the input whose memory the output has
} add_n_work_t;

static void add_block(const add_n_work_t *work, int64_t begin, int64_t n) {
  sli_dtype_t dtype = (sli_dtype_t)work->output->dtype;
  size_t size = sli_dtype_size(dtype);
  char *out = (char *)work->output->data + (size_t)begin * size;
  for (int k = 0; k < work->context->input_count; k++) {
    if (k == work->skip) continue;
    adders[dtype](out, (const char *)sli_kernel_input(work->context, k)->data + (size_t)begin * size, n);
  }
}

// Sums 16-bit floats in float and rounds once.
static void add_narrow_block(const add_n_work_t *work, int64_t begin, int64_t n) {
  float sum[BLOCK], wide[BLOCK];
  sli_dtype_t dtype = (sli_dtype_t)work->output->dtype;
  uint16_t *out = SLI_DATA(uint16_t, work->output) + begin;
  memset(sum, 0, sizeof(sum));
  for (int k = 0; k < work->context->input_count; k++) {
    const uint16_t *in = SLI_DATA(uint16_t, sli_kernel_input(work->context, k)) + begin;
    sli_half_widen(dtype, in, wide, n);
    add_float(sum, wide, n);
  }
  sli_half_narrow(dtype, sum, out, n);
}

static void add_range(void *context, int64_t begin, int64_t end) {
  const add_n_work_t *work = context;
  bool narrow = sli_half_is_narrow((sli_dtype_t)work->output->dtype);
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = end - i < BLOCK ? end - i : BLOCK;
    if (narrow)
      add_narrow_block(work, i, n);
    else
      add_block(work, i, n);
  }
}

static sli_status_t *add_variants(sli_kernel_context_t *context) {
  sli_tensor_t *sum = sli_tensor_retain(sli_kernel_input(context, 0));
  sli_status_t *status = NULL;
  for (int k = 0; k < context->input_count && !status; k++) {
    sli_tensor_t *input = sli_kernel_input(context, k), *next;
    if (input->rank != 0)
      status =
          sli_status_make(SLI_INVALID_ARGUMENT,
                          "AddN of non-scalar Tensor with dtype=DT_VARIANT is not supported; inputs[%d has shape: %s.",
                          k, sli_tensor_shape_text(input).text);
    if (k == 0 || status) continue;
    status = sli_kernel_allocate_temporary(context, SLI_DTYPE_VARIANT, SLI_SHAPE_SCALAR, &next);
    if (status) break;
    status = sli_op_variant_add(sum, input, 0, SLI_DATA(sli_object_t *, next));
    sli_tensor_release(sum);
    sum = next;
  }
  if (status)
    sli_tensor_release(sum);
  else
    sli_kernel_set_output(context, 0, sum);
  return status;
}

static sli_status_t *add_n(sli_kernel_context_t *context) {
  sli_tensor_t *first = sli_kernel_input(context, 0), *output;
  if (first->dtype == SLI_DTYPE_VARIANT) return add_variants(context);
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
  add_n_work_t work = {context, output, 0};
  bool narrow = sli_half_is_narrow((sli_dtype_t)output->dtype);
  if (!narrow && output->data != data && count) memcpy(output->data, data, sli_tensor_bytes(output));
  sli_parallel_for(sli_kernel_pool(context), count, 0.2 * context->input_count, add_range, &work);
  return NULL;
}

// Lists know the shape of their elements.
static sli_status_t *add_n_shape(sli_infer_context_t *c) {
  SLI_RETURN_IF_ERROR(sli_infer_fn_merge(c));
  if (!c->input_handles) return NULL;
  sli_infer_handle_t sum = c->input_handles[0];
  for (int i = 1; i < c->node->input_count; i++) {
    if (c->input_handles[i].dtype != sum.dtype) return NULL;
    SLI_RETURN_IF_ERROR(sli_infer_merge(c, sum.shape, c->input_handles[i].shape, &sum.shape));
  }
  c->output_handles[0] = sum;
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
     .shape = add_n_shape,
     .gradient = add_n_gradient,
     .is_commutative = true,
     .is_aggregate = true,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AddN", .types = SLI_TYPES_NUMBER | SLI_TYPE_VARIANT, .compute = add_n},
};

SLI_OP_MODULE(add_n);
