// QuantizeV2: floats to quantized numbers and the range that they stand for. Dequantize: the way back. Three modes:
// MIN_COMBINED and MIN_FIRST map the range to that of the type, and differ in how they round; SCALED only scales, so
// that 0 stays 0. With |axis| each slice has a range of its own.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/quantize/quantized_types.h"

typedef enum { MODE_MIN_COMBINED, MODE_MIN_FIRST, MODE_SCALED } quantize_mode_t;

typedef struct {
  quantize_mode_t mode;
  bool half_to_even, is_narrow;
  int64_t axis;
  float least_range;
  sli_dtype_t dtype;  // the quantized one
  bool is_signed;
} quantize_t;

static sli_status_t *read_attrs(const sli_node_def_t *node, quantize_t *q) {
  sli_view_t mode;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "mode", &mode));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "narrow_range", &q->is_narrow));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "axis", &q->axis));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(node, "T", &q->dtype));
  q->mode = sli_view_is(mode, "SCALED") ? MODE_SCALED : sli_view_is(mode, "MIN_FIRST") ? MODE_MIN_FIRST : 0;
  q->is_signed = sli_quantized_lowest(q->dtype) < 0;
  return NULL;
}

static sli_status_t *quantize_create(const sli_kernel_setup_t *setup, void **out_state) {
  quantize_t q = {0};
  sli_view_t round_mode, mode;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_attrs(setup->node, &q));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "mode", &mode));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "round_mode", &round_mode));
  SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "ensure_minimum_range", &q.least_range));
  q.half_to_even = sli_view_is(round_mode, "HALF_TO_EVEN");
  if (q.half_to_even && q.mode != MODE_SCALED)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '%.*s'.",
                           SLI_VIEW_ARG(mode));
  *out_state = sli_memdup(&q, sizeof(q));
  return NULL;
}

static sli_status_t *dequantize_create(const sli_kernel_setup_t *setup, void **out_state) {
  quantize_t q = {0};
  sli_dtype_t dtype;
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_attrs(setup->node, &q));
  SLI_RETURN_IF_ERROR(sli_node_attr_type(setup->node, "dtype", &dtype));
  if (dtype != SLI_DTYPE_FLOAT && q.mode != MODE_MIN_COMBINED)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '%s'",
                           q.mode == MODE_SCALED ? "SCALED" : "MIN_FIRST");
  *out_state = sli_memdup(&q, sizeof(q));
  return NULL;
}

// --- Quantize -------------------------------------------------------------------------------------

typedef struct {
  const quantize_t *q;
  float min, max, scale;
} quantize_range_t;

// The range of a slice, widened to hold 0 and to have some extent; with MODE_SCALED the one that the type represents.
static quantize_range_t find_range(const quantize_t *q, float min, float max) {
  quantize_range_t r = {.q = q};
  const double lowest = (double)sli_quantized_lowest(q->dtype), highest = (double)sli_quantized_highest(q->dtype);
  const float extent = fmaxf(1, fmaxf(fabsf(min), fabsf(max))) * q->least_range;
  r.min = min < 0 ? min : 0;
  r.max = fmaxf(0, fmaxf(max, r.min + extent));
  if (q->mode == MODE_MIN_COMBINED) {
    r.scale = (float)((highest - lowest) / (double)(r.max - r.min));
  } else if (q->mode == MODE_MIN_FIRST) {
    r.scale = r.max == r.min ? 0 : (float)((highest - lowest) / (double)(r.max - r.min));
  } else {
    const float bottom = (float)(lowest + (q->is_narrow ? 1 : 0));
    const float of_min = bottom * r.min > 0 ? bottom / r.min : FLT_MAX;
    const float of_max = (float)highest * r.max > 0 ? (float)highest / r.max : FLT_MAX;
    r.scale = of_min < of_max ? of_min : of_max;
    r.min = bottom / r.scale;
    r.max = (float)highest / r.scale;
  }
  return r;
}

static int64_t quantize_one(const quantize_range_t *r, float value) {
  const quantize_t *q = r->q;
  const float lowest = (float)sli_quantized_lowest(q->dtype);
  if (q->mode == MODE_MIN_FIRST)
    return sli_quantized_clamp(q->dtype, roundf(value * r->scale) - (roundf(r->min * r->scale) - lowest));
  value = value > r->max ? r->max : value;
  value = value < r->min ? r->min : value;
  if (q->mode == MODE_SCALED) {
    value *= r->scale;
    return sli_quantized_clamp(q->dtype, q->half_to_even ? rintf(value) : roundf(value));
  }
  value = (value - r->min) * r->scale;
  return sli_quantized_clamp(q->dtype, q->is_signed ? roundf(value + lowest) : floorf(value + 0.5f));
}

typedef struct {
  quantize_range_t range;
  const float *input;
  sli_tensor_t *output;
  int64_t first;
} quantize_work_t;

static void quantize_elements(void *context, int64_t begin, int64_t end) {
  const quantize_work_t *w = context;
  for (int64_t i = w->first + begin; i < w->first + end; i++)
    sli_quantized_set(w->output, i, quantize_one(&w->range, w->input[i]));
}

static sli_status_t *check_ranges(const quantize_t *q, const sli_tensor_t *input, const sli_tensor_t *range,
                                  const char *name) {
  if (q->axis < 0 && range->count != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "If axis is not specified, %s must contain a single float element, but it contains %lld "
                           "elements",
                           name, (long long)range->count);
  if (q->axis >= 0 && (range->rank != 1 || range->count != input->dims[q->axis]))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "If axis is specified, %s must be a 1-D tensor whose size matches the axis dimension of the "
                           "input and output tensors, but they are %s and %s",
                           name, sli_tensor_shape_text(range).text, sli_tensor_shape_text(input).text);
  return NULL;
}

static sli_status_t *quantize_compute(sli_kernel_context_t *context) {
  const quantize_t *q = sli_kernel_state(context);
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  const sli_tensor_t *mins = sli_kernel_input(context, 1), *maxes = sli_kernel_input(context, 2);
  sli_tensor_t *output, *least, *most;
  if (q->axis < -1 || q->axis >= input->rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be in [-1, %d), got %lld", input->rank, (long long)q->axis);
  SLI_RETURN_IF_ERROR(check_ranges(q, input, mins, "min_range"));
  SLI_RETURN_IF_ERROR(check_ranges(q, input, maxes, "max_range"));
  sli_quantized_slices_t s = sli_quantized_slice(input, q->axis);
  if (s.slices != 1 && q->mode == MODE_MIN_FIRST)
    return sli_status_make(SLI_UNIMPLEMENTED, "MIN_FIRST mode is not implemented for Quantize with axis != -1.");
  sli_shape_t shape = q->axis < 0 ? SLI_SHAPE_SCALAR : SLI_SHAPE(s.slices);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, shape, &least));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, shape, &most));
  for (int64_t slice = 0; slice < s.slices; slice++) {
    const float min = SLI_DATA(float, mins)[slice], max = SLI_DATA(float, maxes)[slice];
    if (max < min) return sli_status_make(SLI_INVALID_ARGUMENT, "input_max_range must be larger than input_min_range.");
    quantize_work_t w = {.range = find_range(q, min, max), .input = input->data, .output = output};
    for (int64_t b = 0; b < s.before; b++) {
      w.first = (b * s.slices + slice) * s.after;
      sli_parallel_for(sli_kernel_pool(context), s.after, 3, quantize_elements, &w);
    }
    SLI_DATA(float, least)[slice] = w.range.min;
    SLI_DATA(float, most)[slice] = w.range.max;
  }
  return NULL;
}

// --- Dequantize -----------------------------------------------------------------------------------

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *output;
  float offset, scale, start;  // (value + offset) * scale + start
  int64_t first;
} dequantize_work_t;

static void dequantize_elements(void *context, int64_t begin, int64_t end) {
  const dequantize_work_t *w = context;
  for (int64_t i = w->first + begin; i < w->first + end; i++) {
    float value = ((float)sli_quantized_at(w->input, i) + w->offset) * w->scale + w->start;
    if (w->output->dtype == SLI_DTYPE_FLOAT)
      SLI_DATA(float, w->output)[i] = value;
    else
      SLI_DATA(sli_bfloat16_t, w->output)[i] = sli_bfloat16_from_float(value);
  }
}

static void find_factors(const quantize_t *q, float min, float max, dequantize_work_t *w) {
  const float lowest = (float)sli_quantized_lowest(q->dtype), highest = (float)sli_quantized_highest(q->dtype);
  w->offset = w->start = 0;
  if (q->mode == MODE_MIN_COMBINED) {
    w->offset = q->is_signed ? (highest - lowest + 1) / 2.0f : 0;
    w->scale = (max - min) / (highest - lowest);
    w->start = min;
  } else if (q->mode == MODE_MIN_FIRST) {
    const double steps = (double)sli_quantized_highest(q->dtype) - (double)sli_quantized_lowest(q->dtype);
    w->scale = (float)((double)(max - min) / steps);
    w->start = (max == min ? min : roundf(min / w->scale) * w->scale) - lowest * w->scale;
  } else {
    const float bottom = (float)(sli_quantized_lowest(q->dtype) + (q->is_narrow ? 1 : 0));
    w->scale = !q->is_signed ? max / highest : fmaxf(min / bottom, max / highest);
  }
}

static sli_status_t *dequantize_compute(sli_kernel_context_t *context) {
  const quantize_t *q = sli_kernel_state(context);
  const sli_tensor_t *ranges[] = {sli_kernel_input(context, 1), sli_kernel_input(context, 2)};
  dequantize_work_t w = {.input = sli_kernel_input(context, 0)};
  if (q->axis >= w.input->rank && q->axis >= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Axis must be less than input dimension(%d), got %lld", w.input->rank,
                           (long long)q->axis);
  sli_quantized_slices_t s = sli_quantized_slice(w.input, q->axis);
  for (int i = 0; i < 2; i++) {
    if (ranges[i]->count != s.slices)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "input_%s_tensor must have as many elements as input on the dequantization axis (%lld), "
                             "got %lld, expected %lld",
                             i ? "max" : "min", (long long)q->axis, (long long)ranges[i]->count, (long long)s.slices);
  }
  if (s.slices != 1 && q->mode == MODE_MIN_FIRST)
    return sli_status_make(SLI_UNIMPLEMENTED, "MIN_FIRST mode is not implemented for Dequantize with axis != -1.");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(w.input), &w.output));
  for (int64_t slice = 0; slice < s.slices; slice++) {
    find_factors(q, SLI_DATA(float, ranges[0])[slice], SLI_DATA(float, ranges[1])[slice], &w);
    for (int64_t b = 0; b < s.before; b++) {
      w.first = (b * s.slices + slice) * s.after;
      sli_parallel_for(sli_kernel_pool(context), s.after, 1, dequantize_elements, &w);
    }
  }
  return NULL;
}

// --- Shapes and tables ----------------------------------------------------------------------------

static sli_status_t *axis_of(sli_infer_context_t *c, int64_t *out_axis) {
  SLI_RETURN_IF_ERROR(sli_node_attr_int(c->node, "axis", out_axis));
  if (*out_axis < -1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "axis should be at least -1, got %lld", (long long)*out_axis);
  return NULL;
}

static sli_status_t *quantize_shape(sli_infer_context_t *c) {
  int64_t axis, unused;
  sli_shape_t input = sli_infer_input(c, 0), range;
  SLI_RETURN_IF_ERROR(axis_of(c, &axis));
  for (int i = 1; i < 3; i++) {
    SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sli_infer_input(c, i), axis == -1 ? 0 : 1, &range));
    if (axis == -1) {
      sli_infer_set_output(c, i, SLI_SHAPE_SCALAR);
      continue;
    }
    if (axis >= SLI_MAX_RANK)
      return sli_status_make(SLI_INVALID_ARGUMENT, "axis must be less than %d, got %lld", SLI_MAX_RANK,
                             (long long)axis);
    SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, input, (int)axis + 1, &input));
    int64_t dim = sli_infer_dim(input, (int)axis);
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(range.dims[0], dim, &unused));
    sli_infer_set_output(c, i, sli_infer_make(c, 1, &dim));
  }
  return sli_infer_fn_unchanged(c);
}

static sli_status_t *dequantize_shape(sli_infer_context_t *c) {
  int64_t axis;
  sli_shape_t input = sli_infer_input(c, 0), unused;
  SLI_RETURN_IF_ERROR(axis_of(c, &axis));
  if (axis >= (input.rank < 0 ? 0 : input.rank) && axis >= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Axis must be less than input dimension(%d), got %lld", input.rank,
                           (long long)axis);
  for (int i = 1; i < 3; i++)
    SLI_RETURN_IF_ERROR(sli_infer_with_rank(c, sli_infer_input(c, i), axis == -1 ? 0 : 1, &unused));
  return sli_infer_fn_unchanged(c);
}

static const sli_op_def_t ops[] = {
    {.name = "QuantizeV2",
     .inputs = "input: float, min_range: float, max_range: float",
     .outputs = "output: T, output_min: float, output_max: float",
     .attrs = "T: {qint8, quint8, qint32, qint16, quint16}; mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = "
              "'MIN_COMBINED'; round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'; "
              "narrow_range: bool = false; axis: int = -1; ensure_minimum_range: float = 0.01",
     .summary = "Floats as quantized numbers.",
     .shape = quantize_shape},
    {.name = "Dequantize",
     .inputs = "input: T, min_range: float, max_range: float",
     .outputs = "output: dtype",
     .attrs = "T: {qint8, quint8, qint32, qint16, quint16}; mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = "
              "'MIN_COMBINED'; narrow_range: bool = false; axis: int = -1; dtype: {bfloat16, float} = DT_FLOAT",
     .summary = "Quantized numbers as floats.",
     .shape = dequantize_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "QuantizeV2",
     .types = SLI_TYPES_QUANTIZED,
     .compute = quantize_compute,
     .create = quantize_create,
     .destroy = free},
    {.op = "Dequantize",
     .types = SLI_TYPES_QUANTIZED,
     .where = {{"dtype", SLI_TYPE_FLOAT | SLI_TYPE_BFLOAT16}},
     .compute = dequantize_compute,
     .create = dequantize_create,
     .destroy = free},
};

SLI_OP_MODULE(quantize);
