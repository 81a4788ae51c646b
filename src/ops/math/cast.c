// Cast between all numeric types and bool. A floating value outside of an integer's range becomes the least value of
// the type (as on x86), never undefined behaviour; a complex value becomes its real part. 16-bit floats are converted
// to float and back, in blocks.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

static inline int64_t to_int64(double x) {
  return x >= -9223372036854775808.0 && x < 9223372036854775808.0 ? (int64_t)x : INT64_MIN;
}
static inline int32_t to_int32(double x) { return x > -2147483649.0 && x < 2147483648.0 ? (int32_t)x : INT32_MIN; }
static inline uint64_t to_uint64(double x) {
  return x < 9223372036854775808.0 ? (uint64_t)to_int64(x)
                                   : (uint64_t)to_int64(x - 9223372036854775808.0) ^ (UINT64_C(1) << 63);
}

// The conversions of a value x to each type: from a floating type, from an integer type.
#define FROM_FLOATING(X, S, s)            \
  X(S, s, float, float, x)                \
  X(S, s, double, double, x)              \
  X(S, s, int8_t, int8, to_int32(x))      \
  X(S, s, int16_t, int16, to_int32(x))    \
  X(S, s, int32_t, int32, to_int32(x))    \
  X(S, s, int64_t, int64, to_int64(x))    \
  X(S, s, uint8_t, uint8, to_int32(x))    \
  X(S, s, uint16_t, uint16, to_int32(x))  \
  X(S, s, uint32_t, uint32, to_int64(x))  \
  X(S, s, uint64_t, uint64, to_uint64(x)) \
  X(S, s, bool, boolean, x != 0)          \
  X(S, s, float complex, complex64, x)    \
  X(S, s, double complex, complex128, x)
#define FROM_INTEGER(X, S, s)          \
  X(S, s, float, float, x)             \
  X(S, s, double, double, x)           \
  X(S, s, int8_t, int8, x)             \
  X(S, s, int16_t, int16, x)           \
  X(S, s, int32_t, int32, x)           \
  X(S, s, int64_t, int64, x)           \
  X(S, s, uint8_t, uint8, x)           \
  X(S, s, uint16_t, uint16, x)         \
  X(S, s, uint32_t, uint32, x)         \
  X(S, s, uint64_t, uint64, x)         \
  X(S, s, bool, boolean, x != 0)       \
  X(S, s, float complex, complex64, x) \
  X(S, s, double complex, complex128, x)

typedef void (*cast_fn_t)(const void *in, void *out, int64_t n);

#define CAST(S, s, D, d, expression)                             \
  static void s##_to_##d(const void *in, void *out, int64_t n) { \
    const S *source = in;                                        \
    D *destination = out;                                        \
    for (int64_t i = 0; i < n; i++) {                            \
      S x = source[i];                                           \
      destination[i] = (D)(expression);                          \
    }                                                            \
  }
#define CAST_COMPLEX(S, s, D, d, expression)                     \
  static void s##_to_##d(const void *in, void *out, int64_t n) { \
    const S *source = in;                                        \
    D *destination = out;                                        \
    for (int64_t i = 0; i < n; i++) {                            \
      double x = creal(source[i]);                               \
      destination[i] = (D)(expression);                          \
    }                                                            \
  }
FROM_FLOATING(CAST, float, float)
FROM_FLOATING(CAST, double, double)
FROM_INTEGER(CAST, int8_t, int8)
FROM_INTEGER(CAST, int16_t, int16)
FROM_INTEGER(CAST, int32_t, int32)
FROM_INTEGER(CAST, int64_t, int64)
FROM_INTEGER(CAST, uint8_t, uint8)
FROM_INTEGER(CAST, uint16_t, uint16)
FROM_INTEGER(CAST, uint32_t, uint32)
FROM_INTEGER(CAST, uint64_t, uint64)
FROM_INTEGER(CAST, bool, boolean)
FROM_FLOATING(CAST_COMPLEX, float complex, complex64)
FROM_FLOATING(CAST_COMPLEX, double complex, complex128)
// Between complex types the imaginary part is kept.
CAST(float complex, wide_complex64, double complex, complex128, x)
CAST(double complex, wide_complex128, float complex, complex64, x)

#define ROW(s)                                                                                                       \
  {                                                                                                                  \
    [SLI_DTYPE_FLOAT] = s##_to_float, [SLI_DTYPE_DOUBLE] = s##_to_double, [SLI_DTYPE_INT8] = s##_to_int8,            \
    [SLI_DTYPE_INT16] = s##_to_int16, [SLI_DTYPE_INT32] = s##_to_int32, [SLI_DTYPE_INT64] = s##_to_int64,            \
    [SLI_DTYPE_UINT8] = s##_to_uint8, [SLI_DTYPE_UINT16] = s##_to_uint16, [SLI_DTYPE_UINT32] = s##_to_uint32,        \
    [SLI_DTYPE_UINT64] = s##_to_uint64, [SLI_DTYPE_BOOL] = s##_to_boolean, [SLI_DTYPE_COMPLEX64] = s##_to_complex64, \
    [SLI_DTYPE_COMPLEX128] = s##_to_complex128                                                                       \
  }
static const cast_fn_t casts[SLI_DTYPE_UINT64 + 1][SLI_DTYPE_UINT64 + 1] = {
    [SLI_DTYPE_FLOAT] = ROW(float),           [SLI_DTYPE_DOUBLE] = ROW(double), [SLI_DTYPE_INT8] = ROW(int8),
    [SLI_DTYPE_INT16] = ROW(int16),           [SLI_DTYPE_INT32] = ROW(int32),   [SLI_DTYPE_INT64] = ROW(int64),
    [SLI_DTYPE_UINT8] = ROW(uint8),           [SLI_DTYPE_UINT16] = ROW(uint16), [SLI_DTYPE_UINT32] = ROW(uint32),
    [SLI_DTYPE_UINT64] = ROW(uint64),         [SLI_DTYPE_BOOL] = ROW(boolean),  [SLI_DTYPE_COMPLEX64] = ROW(complex64),
    [SLI_DTYPE_COMPLEX128] = ROW(complex128),
};

// The state of a kernel: its types, and the loop between them (FLOAT instead of a 16-bit float).
typedef struct {
  sli_dtype_t from, to;
  bool truncate;
  cast_fn_t cast;  // NULL: the types are equal
} cast_t;

// Quantized numbers are converted as the integers that they are.
static sli_dtype_t wide_of(sli_dtype_t dtype) {
  switch (dtype) {
    case SLI_DTYPE_QINT8: return SLI_DTYPE_INT8;
    case SLI_DTYPE_QUINT8: return SLI_DTYPE_UINT8;
    case SLI_DTYPE_QINT16: return SLI_DTYPE_INT16;
    case SLI_DTYPE_QUINT16: return SLI_DTYPE_UINT16;
    case SLI_DTYPE_QINT32: return SLI_DTYPE_INT32;
    default: return sli_half_is_narrow(dtype) ? SLI_DTYPE_FLOAT : dtype;
  }
}

static sli_status_t *cast_create(const sli_kernel_setup_t *setup, void **out_state) {
  cast_t cast = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "SrcT", &cast.from));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "DstT", &cast.to));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "Truncate", &cast.truncate));
  sli_dtype_t from = wide_of(cast.from), to = wide_of(cast.to);
  if (from <= SLI_DTYPE_UINT64 && to <= SLI_DTYPE_UINT64) cast.cast = casts[from][to];
  if (from == SLI_DTYPE_COMPLEX64 && to == SLI_DTYPE_COMPLEX128) cast.cast = wide_complex64_to_complex128;
  if (from == SLI_DTYPE_COMPLEX128 && to == SLI_DTYPE_COMPLEX64) cast.cast = wide_complex128_to_complex64;
  if (!cast.cast && cast.from != cast.to)
    return sli_status_make(SLI_UNIMPLEMENTED, "Cast %s to %s is not supported", sli_dtype_name(cast.from),
                           sli_dtype_name(cast.to));
  *out_state = sli_memdup(&cast, sizeof(cast));
  return NULL;
}

// Clears the mantissa bits that |to| does not have, so that nothing is rounded.
static void truncate_floats(float *values, int64_t n, sli_dtype_t to) {
  uint32_t mask = to == SLI_DTYPE_HALF ? ~UINT32_C(0x1fff) : ~UINT32_C(0xffff);
  for (int64_t i = 0; i < n; i++) values[i] = sli_half_bits_to_float(sli_half_float_to_bits(values[i]) & mask);
}
static void truncate_doubles(const double *in, double *out, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, &in[i], sizeof(bits));
    bits &= ~UINT64_C(0x1fffffff);
    memcpy(&out[i], &bits, sizeof(bits));
  }
}

enum { BLOCK = 512 };

typedef struct {
  const cast_t *cast;
  const char *in;
  char *out;
} cast_work_t;

static void cast_range(void *context, int64_t begin, int64_t end) {
  const cast_work_t *work = context;
  const cast_t *cast = work->cast;
  size_t in_size = sli_dtype_size(cast->from), out_size = sli_dtype_size(cast->to);
  bool cut = cast->truncate && cast->from == SLI_DTYPE_DOUBLE;
  if (!sli_half_is_narrow(cast->from) && !sli_half_is_narrow(cast->to) && !cut) {
    cast->cast(work->in + (size_t)begin * in_size, work->out + (size_t)begin * out_size, end - begin);
    return;
  }
  float wide_in[BLOCK], wide_out[BLOCK];
  double doubles[BLOCK];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = end - i < BLOCK ? end - i : BLOCK;
    const void *in = work->in + (size_t)i * in_size;
    void *out = work->out + (size_t)i * out_size;
    if (sli_half_is_narrow(cast->from)) sli_half_widen(cast->from, in, wide_in, n);
    if (cut) truncate_doubles(in, doubles, n);
    cast->cast(sli_half_is_narrow(cast->from) ? wide_in
               : cut                          ? (const void *)doubles
                                              : in,
               sli_half_is_narrow(cast->to) ? wide_out : out, n);
    if (sli_half_is_narrow(cast->to) && cast->truncate) truncate_floats(wide_out, n, cast->to);
    if (sli_half_is_narrow(cast->to)) sli_half_narrow(cast->to, wide_out, out, n);
  }
}

static sli_status_t *cast_compute(sli_kernel_context_t *context) {
  const cast_t *cast = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (cast->from == cast->to) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  cast_work_t work = {cast, input->data, output->data};
  sli_parallel_for(sli_kernel_pool(context), input->count, 0.5, cast_range, &work);
  return NULL;
}

// There is a gradient between floating types only.
static sli_status_t *cast_gradient(sli_gradient_builder_t *b) {
  sli_types_t flowing = SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX;
  sli_dtype_t from = sli_dtype_base(b->node->input_types[0]), to = sli_dtype_base(b->node->output_types[0]);
  if (sli_types_contain(flowing, from) && sli_types_contain(flowing, to))
    sli_gradient_set(b, 0, sli_emit_cast(b, sli_gradient_of_output(b, 0), from));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "Cast",
     .inputs = "x: SrcT",
     .outputs = "y: DstT",
     .attrs = "SrcT: type; DstT: type; Truncate: bool = false",
     .shape = sli_infer_fn_unchanged,
     .gradient = cast_gradient,
     .forwards_input = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Cast", .compute = cast_compute, .create = cast_create, .destroy = free},
};

SLI_OP_MODULE(cast);
