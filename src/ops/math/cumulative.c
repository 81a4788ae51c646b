// Cumsum, Cumprod, CumulativeLogsumexp: cumulative results along one axis, from either end, with or without the element
// itself. A line along the axis is one unit of work. Each step is rounded to the type, as in TensorFlow.
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/elementwise.h"
#include "math/half.h"

typedef struct {
  const void *in;
  void *out;
  int64_t length, inner;  // size of the axis; elements between two neighbours on it
  bool exclusive, reverse;
} scan_t;

static inline double log_sum_exp(double a, double x) {
  double most = a > x ? a : x, least = a > x ? x : a;
  if (least != least || most == -INFINITY || most == INFINITY) return a != a || x != x ? NAN : most;
  return most + log1p(exp(least - most));
}

// Computes lines [begin, end). |load| and |store| convert between T and the accumulator A.
#define SCAN(name, T, A, load, store, neutral, combine)                                     \
  static void name(void *context, int64_t begin, int64_t end) {                             \
    const scan_t *scan = context;                                                           \
    for (int64_t line = begin; line < end; line++) {                                        \
      int64_t first = line / scan->inner * scan->inner * scan->length + line % scan->inner; \
      int64_t step = scan->reverse ? -scan->inner : scan->inner;                            \
      if (scan->reverse) first += (scan->length - 1) * scan->inner;                         \
      const T *in = (const T *)scan->in + first;                                            \
      T *out = (T *)scan->out + first;                                                      \
      T sum = store((A)(neutral));                                                          \
      for (int64_t i = 0; i < scan->length; i++, in += step, out += step) {                 \
        A a = load(sum), x = load(*in);                                                     \
        T next = store((A)(combine));                                                       \
        *out = scan->exclusive ? sum : next;                                                \
        sum = next;                                                                         \
      }                                                                                     \
    }                                                                                       \
  }

#define SAME(x) (x)
#define SUM_INTEGER(T, name, dtype, U) SCAN(sum_##name, T, U, (U), (T), 0, a + x)
#define PROD_INTEGER(T, name, dtype, U) SCAN(prod_##name, T, U, (U), (T), 1, a *x)
#define FLOATING(op, neutral, combine)                                                         \
  SCAN(op##_float, float, float, SAME, SAME, neutral, combine)                                 \
  SCAN(op##_double, double, double, SAME, SAME, neutral, combine)                              \
  SCAN(op##_half, sli_half_t, float, sli_half_to_float, sli_half_from_float, neutral, combine) \
  SCAN(op##_bfloat16, sli_bfloat16_t, float, sli_bfloat16_to_float, sli_bfloat16_from_float, neutral, combine)
#define COMPLEX(op, neutral, combine)                                              \
  SCAN(op##_complex64, float complex, float complex, SAME, SAME, neutral, combine) \
  SCAN(op##_complex128, double complex, double complex, SAME, SAME, neutral, combine)
FLOATING(sum, 0, a + x)
COMPLEX(sum, 0, a + x)
SLI_ELEMENTWISE_FOR_INTEGER(SUM_INTEGER)
FLOATING(prod, 1, a *x)
COMPLEX(prod, 1, a *x)
SLI_ELEMENTWISE_FOR_INTEGER(PROD_INTEGER)
FLOATING(logsumexp, -INFINITY, log_sum_exp(a, x))

#define FLOATING_ROWS(op)                                                                         \
  [SLI_DTYPE_FLOAT] = op##_float, [SLI_DTYPE_DOUBLE] = op##_double, [SLI_DTYPE_HALF] = op##_half, \
  [SLI_DTYPE_BFLOAT16] = op##_bfloat16
#define NUMBER_ROWS(op)                                                                                                \
  FLOATING_ROWS(op), [SLI_DTYPE_COMPLEX64] = op##_complex64, [SLI_DTYPE_COMPLEX128] = op##_complex128,                 \
                     [SLI_DTYPE_INT8] = op##_int8, [SLI_DTYPE_INT16] = op##_int16, [SLI_DTYPE_INT32] = op##_int32,     \
                     [SLI_DTYPE_INT64] = op##_int64, [SLI_DTYPE_UINT8] = op##_uint8, [SLI_DTYPE_UINT16] = op##_uint16, \
                     [SLI_DTYPE_UINT32] = op##_uint32, [SLI_DTYPE_UINT64] = op##_uint64

typedef struct {
  sli_parallel_for_fn_t scans[SLI_DTYPE_UINT64 + 1];
  double cost;  // nanoseconds per element
} family_t;
static const family_t sums = {{NUMBER_ROWS(sum)}, 1}, products = {{NUMBER_ROWS(prod)}, 1},
                      logsumexps = {{FLOATING_ROWS(logsumexp)}, 30};

typedef struct {
  bool exclusive, reverse;
} direction_t;

static sli_status_t *scan_create(const sli_kernel_setup_t *setup, void **out_state) {
  direction_t direction;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "exclusive", &direction.exclusive));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "reverse", &direction.reverse));
  *out_state = sli_memdup(&direction, sizeof(direction));
  return NULL;
}

static sli_status_t *scan_compute(sli_kernel_context_t *context, const family_t *family) {
  const direction_t *direction = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *axis_input = sli_kernel_input(context, 1), *output;
  if (axis_input->rank != 0) {
    char *shape = sli_shape_to_text(sli_tensor_shape(axis_input));
    sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "ScanOp: axis must be a scalar, not %s", shape);
    free(shape);
    return status;
  }
  int64_t axis = sli_tensor_int_at(axis_input, 0);
  int rank = input->rank;
  if (axis < -rank || axis >= rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "ScanOp: Expected scan axis in the range [%d, %d), but got %lld",
                           -rank, rank, (long long)axis);
  if (axis < 0) axis += rank;
  scan_t scan = {
      .length = input->dims[axis], .inner = 1, .exclusive = direction->exclusive, .reverse = direction->reverse};
  for (int d = (int)axis + 1; d < rank; d++) scan.inner *= input->dims[d];
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  if (output->count == 0) return NULL;
  scan.in = input->data;
  scan.out = output->data;
  sli_parallel_for(sli_kernel_pool(context), input->count / scan.length, family->cost * (double)scan.length,
                   family->scans[input->dtype], &scan);
  return NULL;
}

static sli_status_t *cumsum(sli_kernel_context_t *context) { return scan_compute(context, &sums); }
static sli_status_t *cumprod(sli_kernel_context_t *context) { return scan_compute(context, &products); }
static sli_status_t *cumulative_logsumexp(sli_kernel_context_t *context) { return scan_compute(context, &logsumexps); }

// Gradients are the same scan from the other end.
static sli_status_t *emit_scan(sli_gradient_builder_t *b, const char *op, sli_output_t x, bool turned,
                               sli_output_t *out) {
  bool exclusive, reverse;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "exclusive", &exclusive));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(b->node, "reverse", &reverse));
  *out = SLI_EMIT_WITH(
      b, op, SLI_INPUTS(x, sli_gradient_input(b, 1)),
      SLI_ATTRS(SLI_ATTR_BOOL_OF("exclusive", exclusive), SLI_ATTR_BOOL_OF("reverse", reverse != turned)));
  return NULL;
}

static sli_status_t *cumsum_gradient(sli_gradient_builder_t *b) {
  sli_output_t scan;
  SLI_RETURN_IF_ERROR(emit_scan(b, "Cumsum", sli_gradient_of_output(b, 0), true, &scan));
  sli_gradient_set(b, 0, scan);
  return NULL;
}

static sli_status_t *cumprod_gradient(sli_gradient_builder_t *b) {
  sli_output_t product, sum, x = sli_gradient_input(b, 0);
  SLI_RETURN_IF_ERROR(emit_scan(b, "Cumprod", x, false, &product));
  SLI_RETURN_IF_ERROR(emit_scan(b, "Cumsum", sli_emit_mul(b, product, sli_gradient_of_output(b, 0)), true, &sum));
  sli_gradient_set(b, 0, sli_emit2(b, "DivNoNan", sum, x));
  return NULL;
}

// The part of the gradient with one sign, in logarithms so that nothing overflows.
static sli_status_t *emit_log_part(sli_gradient_builder_t *b, sli_output_t g, sli_output_t *out) {
  static const struct {
    sli_dtype_t dtype;
    double least;
  } types[] = {{SLI_DTYPE_FLOAT, -3.4028234663852886e38},
               {SLI_DTYPE_DOUBLE, -1.7976931348623157e308},
               {SLI_DTYPE_HALF, -65504},
               {SLI_DTYPE_BFLOAT16, -3.3895313892515355e38}};
  double least = 0;
  for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
    if (types[i].dtype == sli_gradient_dtype(b, g)) least = types[i].least;
  sli_output_t positive = sli_emit2(b, "Greater", g, sli_gradient_const_like(b, g, 0)), scan;
  sli_output_t logarithm =
      sli_emit3(b, "SelectV2", positive, sli_emit1(b, "Log", g), sli_gradient_const_like(b, g, least));
  sli_output_t relative = sli_emit2(b, "Sub", logarithm, sli_gradient_output(b, 0));
  SLI_RETURN_IF_ERROR(emit_scan(b, "CumulativeLogsumexp", relative, true, &scan));
  *out = sli_emit1(b, "Exp", sli_emit2(b, "AddV2", scan, sli_gradient_input(b, 0)));
  return NULL;
}

static sli_status_t *cumulative_logsumexp_gradient(sli_gradient_builder_t *b) {
  sli_output_t g = sli_gradient_of_output(b, 0), positive, negative;
  SLI_RETURN_IF_ERROR(emit_log_part(b, g, &positive));
  SLI_RETURN_IF_ERROR(emit_log_part(b, sli_emit1(b, "Neg", g), &negative));
  sli_gradient_set(b, 0, sli_emit2(b, "Sub", positive, negative));
  return NULL;
}

#define ATTRS(types) "exclusive: bool = false; reverse: bool = false; T: " types "; Tidx: {int32, int64} = DT_INT32"

static const sli_op_def_t ops[] = {
    {.name = "Cumsum",
     .inputs = "x: T, axis: Tidx",
     .outputs = "out: T",
     .attrs = ATTRS("numbertype"),
     .shape = sli_infer_fn_unchanged,
     .gradient = cumsum_gradient},
    {.name = "Cumprod",
     .inputs = "x: T, axis: Tidx",
     .outputs = "out: T",
     .attrs = ATTRS("numbertype"),
     .shape = sli_infer_fn_unchanged,
     .gradient = cumprod_gradient},
    {.name = "CumulativeLogsumexp",
     .inputs = "x: T, axis: Tidx",
     .outputs = "out: T",
     .attrs = ATTRS("{bfloat16, half, float, double}"),
     .shape = sli_infer_fn_unchanged,
     .gradient = cumulative_logsumexp_gradient},
};

#define KERNEL_ROW(name, accepted, function, price)                                                                  \
  {                                                                                                                  \
    .op = name, .types = accepted, .where = {{"Tidx", SLI_TYPES_INDEX}}, .host_memory = "axis", .compute = function, \
    .create = scan_create, .destroy = free, .cost = price                                                            \
  }

static const sli_kernel_def_t kernels[] = {
    KERNEL_ROW("Cumsum", SLI_TYPES_NUMBER, cumsum, 0.3),
    KERNEL_ROW("Cumprod", SLI_TYPES_NUMBER, cumprod, 0.3),
    KERNEL_ROW("CumulativeLogsumexp", SLI_TYPES_FLOATING, cumulative_logsumexp, 5),
};

SLI_OP_MODULE(cumulative);
