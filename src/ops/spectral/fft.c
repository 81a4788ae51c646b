// FFT, FFT2D, FFT3D and their inverses; RFFT…, of real inputs, whose output has the frequencies that are not negative;
// IRFFT…, their inverses. The transforms are over the last dimensions.
#include <stdlib.h>
#include <string.h>

#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/fft.h"

// Reads the shape of input 0 into |fft|, and checks its rank.
static sli_status_t *describe(const sli_tensor_t *input, int rank, sli_fft_t *fft) {
  if (input->rank < rank) {
    char *text = sli_shape_to_text(sli_tensor_shape(input));
    sli_status_t *status =
        sli_status_make(SLI_INVALID_ARGUMENT, "Input must have rank of at least %d but got: %s", rank, text);
    free(text);
    return status;
  }
  fft->rank = rank;
  fft->batch = 1;
  for (int d = 0; d < input->rank - rank; d++) fft->batch *= input->dims[d];
  for (int d = 0; d < rank; d++) fft->dims[d] = fft->in_dims[d] = input->dims[input->rank - rank + d];
  return NULL;
}

static sli_status_t *complex_transform(sli_kernel_context_t *context, int rank, bool inverse) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_fft_t fft = {.is_double = input->dtype == SLI_DTYPE_COMPLEX128, .inverse = inverse};
  SLI_RETURN_IF_ERROR(describe(input, rank, &fft));
  SLI_RETURN_IF_ERROR(sli_kernel_forward_or_allocate(context, 0, 0, sli_tensor_shape(input), &output));
  if (output->count == 0) return NULL;
  return sli_fft_complex(sli_kernel_pool(context), &fft, input->data, output->data);
}

// Reads fft_length. Each dimension of the input must have as many elements; of a spectrum the last needs half.
static sli_status_t *read_lengths(sli_kernel_context_t *context, sli_fft_t *fft, int64_t *out_dims) {
  const sli_tensor_t *input = sli_kernel_input(context, 0), *lengths = sli_kernel_input(context, 1);
  int rank = fft->rank, first = input->rank - rank;
  if (lengths->rank != 1 || lengths->dims[0] != rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "fft_length must have shape [%d]", rank);
  memcpy(out_dims, input->dims, (size_t)input->rank * sizeof(*out_dims));
  for (int d = 0; d < rank; d++) {
    int64_t length = SLI_DATA(int32_t, lengths)[d];
    if (length < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "fft_length[%d] must >= 0, but got: %lld", d, (long long)length);
    bool last = d == rank - 1;
    int64_t least = fft->inverse && last ? length / 2 + 1 : length, have = input->dims[first + d];
    if (have != 0 && have < least)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input dimension %d must have length of at least %lld but got: %lld",
                             first + d, (long long)least, (long long)have);
    fft->dims[d] = length;
    out_dims[first + d] = !fft->inverse && last && length != 0 ? length / 2 + 1 : length;
  }
  return NULL;
}

static sli_status_t *real_transform(sli_kernel_context_t *context, int rank, bool inverse) {
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  sli_dtype_t in = (sli_dtype_t)input->dtype, out = sli_dtype_base(context->node->output_types[0]);
  sli_dtype_t real = inverse ? out : in, spectrum = inverse ? in : out;
  if ((real == SLI_DTYPE_DOUBLE) != (spectrum == SLI_DTYPE_COMPLEX128))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Wrong types for %s real FFT: in=%d out=%d",
                           inverse ? "backward" : "forward", (int)in, (int)out);
  sli_fft_t fft = {.is_double = real == SLI_DTYPE_DOUBLE, .inverse = inverse};
  int64_t dims[SLI_MAX_RANK];
  SLI_RETURN_IF_ERROR(describe(input, rank, &fft));
  SLI_RETURN_IF_ERROR(read_lengths(context, &fft, dims));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){input->rank, dims}, &output));
  if (input->count == 0) {
    if (output->count) memset(output->data, 0, sli_tensor_bytes(output));
    return NULL;
  }
  for (int d = 0; d < rank; d++)
    if (fft.dims[d] == 0) return sli_status_make(SLI_INTERNAL, "no zero-sized FFTs");
  return (inverse ? sli_fft_real_inverse : sli_fft_real)(sli_kernel_pool(context), &fft, input->data, output->data);
}

static sli_status_t *complex_shape(sli_infer_context_t *c, int rank) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), rank, &shape));
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

static sli_status_t *real_shape(sli_infer_context_t *c, int rank, bool inverse) {
  sli_shape_t shape, lengths;
  int64_t count;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), rank, &shape));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &lengths));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(lengths, 0), rank, &count));
  if (shape.rank < 0) return NULL;
  const sli_tensor_t *known = sli_infer_input_constant(c, 1);
  if (known && (known->rank != 1 || known->dims[0] != rank)) known = NULL;
  for (int d = 0; d < rank; d++) {
    int64_t length = known ? SLI_DATA(int32_t, known)[d] : -1;
    if (length < 0)
      length = -1;
    else if (!inverse && d == rank - 1 && length != 0)
      length = length / 2 + 1;
    shape = sli_infer_replace_dim(c, shape, d - rank, length);
  }
  sli_infer_set_output(c, 0, shape);
  return NULL;
}

// Gradients.

// The product of the last |rank| dims of |x|, in its type.
static sli_output_t emit_size(sli_gradient_builder_t *b, sli_output_t x, int rank) {
  sli_output_t begin = sli_gradient_const_ints(b, (const int32_t[]){-rank}, 1);
  sli_output_t end = sli_gradient_const_ints(b, (const int32_t[]){0}, 1);
  sli_output_t stride = sli_gradient_const_ints(b, (const int32_t[]){1}, 1);
  sli_output_t dims = SLI_EMIT_WITH(b, "StridedSlice", SLI_INPUTS(sli_emit_shape(b, x), begin, end, stride),
                                    SLI_ATTRS(SLI_ATTR_INT_OF("end_mask", 1)));
  sli_output_t size = sli_emit2(b, "Prod", dims, sli_gradient_const_int32(b, 0));
  return sli_emit_cast(b, size, sli_gradient_dtype(b, x));
}

static sli_status_t *complex_gradient(sli_gradient_builder_t *b, const char *reverse, int rank, bool inverse) {
  sli_output_t g = sli_gradient_of_output(b, 0), size = emit_size(b, g, rank), back = sli_emit1(b, reverse, g);
  return sli_emit_set(b, inverse ? sli_emit2(b, "Div", back, size) : sli_emit_mul(b, back, size));
}

// Factors of the frequencies of |spectrum|: 1 for 0 and for half the length, which are their own mirror images, and
// |others| for those that stand for two.
static sli_output_t emit_mask(sli_gradient_builder_t *b, sli_output_t spectrum, double others) {
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t two = sli_gradient_const_int32(b, 2);
  sli_output_t first_at = sli_gradient_const_ints(b, (const int32_t[]){-1}, 1);
  sli_output_t end_at = sli_gradient_const_ints(b, (const int32_t[]){0}, 1);
  sli_output_t stride = sli_gradient_const_ints(b, (const int32_t[]){1}, 1);
  sli_attr_entry_t open_end = SLI_ATTR_INT_OF("end_mask", 1);
  sli_output_t count = SLI_EMIT_WITH(
      b, "StridedSlice", SLI_INPUTS(sli_emit_shape(b, spectrum), first_at, end_at, stride), SLI_ATTRS(open_end));
  sli_output_t length = SLI_EMIT_WITH(b, "StridedSlice", SLI_INPUTS(sli_gradient_input(b, 1), first_at, end_at, stride),
                                      SLI_ATTRS(open_end));
  sli_output_t k = sli_emit3(b, "Range", zero, sli_emit2(b, "Prod", count, zero), one);
  sli_output_t edge =
      sli_emit2(b, "LogicalOr", sli_emit2(b, "Equal", k, zero), sli_emit2(b, "Equal", sli_emit_mul(b, k, two), length));
  return sli_emit3(b, "SelectV2", edge, sli_gradient_const_like(b, spectrum, 1),
                   sli_gradient_const_like(b, spectrum, others));
}

// The sum of the frequencies' contributions: each counts once here, but the inverse counts most of them twice.
static sli_status_t *real_gradient(sli_gradient_builder_t *b, const char *reverse, int rank) {
  sli_output_t g = sli_gradient_of_output(b, 0), lengths = sli_gradient_input(b, 1);
  sli_dtype_t real = sli_gradient_dtype(b, sli_gradient_input(b, 0));
  sli_output_t back = SLI_EMIT_WITH(b, reverse, SLI_INPUTS(sli_emit_mul(b, g, emit_mask(b, g, 0.5)), lengths),
                                    SLI_ATTRS(SLI_ATTR_TYPE_OF("Treal", real)));
  return sli_emit_set(b, sli_emit_mul(b, back, emit_size(b, back, rank)));
}

static sli_status_t *real_inverse_gradient(sli_gradient_builder_t *b, const char *reverse, int rank) {
  sli_output_t g = sli_gradient_of_output(b, 0), lengths = sli_gradient_input(b, 1);
  sli_dtype_t spectrum = sli_gradient_dtype(b, sli_gradient_input(b, 0));
  sli_output_t scaled = sli_emit2(b, "Div", g, emit_size(b, g, rank));
  sli_output_t back =
      SLI_EMIT_WITH(b, reverse, SLI_INPUTS(scaled, lengths), SLI_ATTRS(SLI_ATTR_TYPE_OF("Tcomplex", spectrum)));
  return sli_emit_set(b, sli_emit_mul(b, back, emit_mask(b, back, 2)));
}

#define COMPLEX_OP(name, inverse_flag, reverse, number)                                          \
  static sli_status_t *name(sli_kernel_context_t *context) {                                     \
    return complex_transform(context, number, inverse_flag);                                     \
  }                                                                                              \
  static sli_status_t *name##_shape(sli_infer_context_t *c) { return complex_shape(c, number); } \
  static sli_status_t *name##_gradient(sli_gradient_builder_t *b) {                              \
    return complex_gradient(b, reverse, number, inverse_flag);                                   \
  }
#define REAL_OP(name, inverse_flag, number)                                                                          \
  static sli_status_t *name(sli_kernel_context_t *context) { return real_transform(context, number, inverse_flag); } \
  static sli_status_t *name##_shape(sli_infer_context_t *c) { return real_shape(c, number, inverse_flag); }
COMPLEX_OP(fft1, false, "IFFT", 1)
COMPLEX_OP(fft2, false, "IFFT2D", 2)
COMPLEX_OP(fft3, false, "IFFT3D", 3)
COMPLEX_OP(ifft1, true, "FFT", 1)
COMPLEX_OP(ifft2, true, "FFT2D", 2)
COMPLEX_OP(ifft3, true, "FFT3D", 3)
REAL_OP(rfft1, false, 1)
REAL_OP(rfft2, false, 2)
REAL_OP(rfft3, false, 3)
REAL_OP(irfft1, true, 1)
REAL_OP(irfft2, true, 2)
REAL_OP(irfft3, true, 3)

// TensorFlow defines gradients of real transforms in one and two dimensions.
static sli_status_t *rfft1_gradient(sli_gradient_builder_t *b) { return real_gradient(b, "IRFFT", 1); }
static sli_status_t *rfft2_gradient(sli_gradient_builder_t *b) { return real_gradient(b, "IRFFT2D", 2); }
static sli_status_t *irfft1_gradient(sli_gradient_builder_t *b) { return real_inverse_gradient(b, "RFFT", 1); }
static sli_status_t *irfft2_gradient(sli_gradient_builder_t *b) { return real_inverse_gradient(b, "RFFT2D", 2); }

#define COMPLEX_ROW(op_name, function)                                                      \
  {                                                                                         \
    .name = op_name, .inputs = "input: Tcomplex", .outputs = "output: Tcomplex",            \
    .attrs = "Tcomplex: {complex64, complex128} = DT_COMPLEX64", .shape = function##_shape, \
    .gradient = function##_gradient                                                         \
  }
#define REAL_ATTRS "Treal: {float, double} = DT_FLOAT; Tcomplex: {complex64, complex128} = DT_COMPLEX64"
#define REAL_ROW(op_name, from, to, function, gradient_of)                                                          \
  {                                                                                                                 \
    .name = op_name, .inputs = "input: " from ", fft_length: int32", .outputs = "output: " to, .attrs = REAL_ATTRS, \
    .shape = function##_shape, .gradient = gradient_of                                                              \
  }

static const sli_op_def_t ops[] = {
    COMPLEX_ROW("FFT", fft1),
    COMPLEX_ROW("FFT2D", fft2),
    COMPLEX_ROW("FFT3D", fft3),
    COMPLEX_ROW("IFFT", ifft1),
    COMPLEX_ROW("IFFT2D", ifft2),
    COMPLEX_ROW("IFFT3D", ifft3),
    REAL_ROW("RFFT", "Treal", "Tcomplex", rfft1, rfft1_gradient),
    REAL_ROW("RFFT2D", "Treal", "Tcomplex", rfft2, rfft2_gradient),
    REAL_ROW("RFFT3D", "Treal", "Tcomplex", rfft3, NULL),
    REAL_ROW("IRFFT", "Tcomplex", "Treal", irfft1, irfft1_gradient),
    REAL_ROW("IRFFT2D", "Tcomplex", "Treal", irfft2, irfft2_gradient),
    REAL_ROW("IRFFT3D", "Tcomplex", "Treal", irfft3, NULL),
};

#define ROW(op_name, function) \
  { .op = op_name, .compute = function, .expensive = true, .cost = 5 }
static const sli_kernel_def_t kernels[] = {
    ROW("FFT", fft1),     ROW("FFT2D", fft2),   ROW("FFT3D", fft3),     ROW("IFFT", ifft1),
    ROW("IFFT2D", ifft2), ROW("IFFT3D", ifft3), ROW("RFFT", rfft1),     ROW("RFFT2D", rfft2),
    ROW("RFFT3D", rfft3), ROW("IRFFT", irfft1), ROW("IRFFT2D", irfft2), ROW("IRFFT3D", irfft3),
};

SLI_OP_MODULE(fft);
