// RGBToHSV and HSVToRGB, over the last dimension of any tensor. All values are in [0, 1]. The gradient of RGBToHSV is
// built from elementwise ops, as in TensorFlow; of equal channels the first counts as the largest.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

static void rgb_to_hsv(const double in[3], double out[3]) {
  const double r = in[0], g = in[1], b = in[2];
  const double value = fmax(r, fmax(g, b)), range = value - fmin(r, fmin(g, b));
  double hue = 0;
  if (range > 0) hue = (r == value ? (g - b) / range : g == value ? (b - r) / range + 2 : (r - g) / range + 4) / 6;
  out[0] = hue < 0 ? hue + 1 : hue;
  out[1] = value > 0 ? range / value : 0;
  out[2] = value;
}

static double clamp01(double x) { return fmin(fmax(x, 0), 1); }

static void hsv_to_rgb(const double in[3], double out[3]) {
  const double position = in[0] * 6, saturation = in[1], value = in[2];
  const double shares[3] = {clamp01(fabs(position - 3) - 1), clamp01(2 - fabs(position - 2)),
                            clamp01(2 - fabs(position - 4))};
  for (int c = 0; c < 3; c++) out[c] = (1 - saturation + saturation * shares[c]) * value;
}

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *output;
  void (*convert)(const double in[3], double out[3]);
} color_space_t;

static double load(const sli_tensor_t *tensor, int64_t i) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: return SLI_DATA(float, tensor)[i];
    case SLI_DTYPE_DOUBLE: return SLI_DATA(double, tensor)[i];
    case SLI_DTYPE_HALF: return sli_half_to_float(SLI_DATA(sli_half_t, tensor)[i]);
    default: return sli_bfloat16_to_float(SLI_DATA(sli_bfloat16_t, tensor)[i]);
  }
}

static void store(const sli_tensor_t *tensor, int64_t i, double value) {
  switch ((sli_dtype_t)tensor->dtype) {
    case SLI_DTYPE_FLOAT: SLI_DATA(float, tensor)[i] = (float)value; break;
    case SLI_DTYPE_DOUBLE: SLI_DATA(double, tensor)[i] = value; break;
    case SLI_DTYPE_HALF: SLI_DATA(sli_half_t, tensor)[i] = sli_half_from_float((float)value); break;
    default: SLI_DATA(sli_bfloat16_t, tensor)[i] = sli_bfloat16_from_float((float)value);
  }
}

static void convert_range(void *context, int64_t begin, int64_t end) {
  const color_space_t *w = context;
  for (int64_t i = begin; i < end; i++) {
    double in[3], out[3];
    for (int c = 0; c < 3; c++) in[c] = load(w->input, 3 * i + c);
    w->convert(in, out);
    for (int c = 0; c < 3; c++) store(w->output, 3 * i + c, out[c]);
  }
}

static sli_status_t *run_color_space(sli_kernel_context_t *context, void (*convert)(const double *, double *)) {
  color_space_t w = {.input = sli_kernel_input(context, 0), .convert = convert};
  if (w.input->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be at least 1D%s", sli_tensor_shape_text(w.input).text);
  if (w.input->dims[w.input->rank - 1] != 3)
    return sli_status_make(SLI_FAILED_PRECONDITION, "input must have 3 channels but input only has %lld channels.",
                           (long long)w.input->dims[w.input->rank - 1]);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(w.input), &w.output));
  sli_parallel_for(sli_kernel_pool(context), w.output->count / 3, 15, convert_range, &w);
  return NULL;
}

static sli_status_t *rgb_to_hsv_compute(sli_kernel_context_t *context) { return run_color_space(context, rgb_to_hsv); }
static sli_status_t *hsv_to_rgb_compute(sli_kernel_context_t *context) { return run_color_space(context, hsv_to_rgb); }

static sli_status_t *color_space_shape(sli_infer_context_t *c) {
  sli_shape_t shape;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &shape));
  int64_t channels = shape.rank < 0 ? -1 : shape.dims[shape.rank - 1];
  if (channels >= 0 && channels != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be 3 but is %lld", (long long)channels);
  sli_infer_set_output(c, 0, shape.rank < 0 ? shape : sli_infer_replace_dim(c, shape, shape.rank - 1, 3));
  return NULL;
}

// --- The gradient of RGBToHSV ---------------------------------------------------------------------

typedef struct {
  sli_gradient_builder_t *b;
  sli_dtype_t dtype;
  sli_output_t colors[3], positive[3], biggest[3], smallest[3];
} hsv_gradient_t;

static sli_output_t emit_channels(sli_gradient_builder_t *b, sli_output_t x) {
  return SLI_EMIT_WITH(b, "Unpack", SLI_INPUTS(x), SLI_ATTRS(SLI_ATTR_INT_OF("num", 3), SLI_ATTR_INT_OF("axis", -1)));
}

// A mask of ones and zeros: whether color |i| compares with both others.
static sli_output_t emit_mask(hsv_gradient_t *g, int i, const char *first, const char *second) {
  int j = i == 0 ? 1 : 0, k = i == 2 ? 1 : 2;
  sli_output_t both = sli_emit2(g->b, "LogicalAnd", sli_emit2(g->b, first, g->colors[i], g->colors[j]),
                                sli_emit2(g->b, second, g->colors[i], g->colors[k]));
  return sli_emit_cast(g->b, both, g->dtype);
}

// x / y, and 0 where y is 0.
static sli_output_t emit_ratio(hsv_gradient_t *g, sli_output_t x, sli_output_t y) {
  return sli_emit2(g->b, "DivNoNan", x, y);
}

// How the saturation changes with color |i|.
static sli_output_t emit_saturation(hsv_gradient_t *g, int i) {
  sli_gradient_builder_t *b = g->b;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  sli_output_t least = sli_emit2(b, "AddV2", sli_emit_mul(b, g->smallest[j], g->colors[j]),
                                 sli_emit_mul(b, g->smallest[k], g->colors[k]));
  sli_output_t most =
      sli_emit2(b, "AddV2", sli_emit_mul(b, g->biggest[j], g->colors[j]), sli_emit_mul(b, g->biggest[k], g->colors[k]));
  sli_output_t as_biggest = emit_ratio(g, sli_emit_mul(b, g->biggest[i], least), sli_emit1(b, "Square", g->colors[i]));
  return sli_emit_mul(b, g->positive[i], sli_emit2(b, "Sub", as_biggest, emit_ratio(g, g->smallest[i], most)));
}

// How the hue changes with color |i|, in units of 1/6, if color |top| is the largest and |other| the third one.
static sli_output_t emit_hue_under(hsv_gradient_t *g, int i, int top, int other, bool is_next) {
  sli_gradient_builder_t *b = g->b;
  sli_output_t difference = sli_emit2(b, "Sub", g->colors[top], g->colors[other]);
  sli_output_t distance = sli_emit2(b, "Sub", g->colors[top], g->colors[i]);
  // |i| is the least, or |other| is.
  sli_output_t as_least = emit_ratio(g, sli_emit_mul(b, g->smallest[i], difference), sli_emit1(b, "Square", distance));
  sli_output_t as_middle = emit_ratio(g, g->smallest[other], difference);
  sli_output_t sum = sli_emit2(b, "AddV2", as_least, as_middle);
  if (is_next) sum = sli_emit1(b, "Neg", sum);
  return sli_emit_mul(b, sli_emit_mul(b, g->positive[top], g->biggest[top]), sum);
}

static sli_output_t emit_hue(hsv_gradient_t *g, int i, sli_output_t saturation, sli_output_t value) {
  sli_gradient_builder_t *b = g->b;
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  sli_output_t range = sli_emit1(b, "Square", sli_emit_mul(b, saturation, value));
  sli_output_t as_biggest = sli_emit_mul(b, sli_emit_mul(b, g->positive[i], g->biggest[i]),
                                         emit_ratio(g, sli_emit2(b, "Sub", g->colors[k], g->colors[j]), range));
  sli_output_t sum =
      sli_emit2(b, "AddV2", as_biggest,
                sli_emit2(b, "AddV2", emit_hue_under(g, i, j, k, true), emit_hue_under(g, i, k, j, false)));
  return sli_emit_scale(b, sum, 1.0 / 6);
}

static sli_status_t *rgb_to_hsv_gradient(sli_gradient_builder_t *b) {
  hsv_gradient_t g = {.b = b, .dtype = sli_gradient_dtype(b, sli_gradient_input(b, 0))};
  sli_output_t colors = emit_channels(b, sli_gradient_input(b, 0)), hsv = emit_channels(b, sli_gradient_output(b, 0));
  sli_output_t gradient = emit_channels(b, sli_gradient_of_output(b, 0));
  for (int i = 0; i < 3; i++) g.colors[i] = sli_output_at(colors, i);
  for (int i = 0; i < 3; i++) {
    sli_output_t zero = sli_gradient_const_like(b, g.colors[i], 0);
    g.positive[i] = sli_emit_cast(b, sli_emit2(b, "Greater", g.colors[i], zero), g.dtype);
  }
  g.biggest[0] = emit_mask(&g, 0, "GreaterEqual", "GreaterEqual");
  g.biggest[1] = emit_mask(&g, 1, "Greater", "GreaterEqual");
  g.biggest[2] = emit_mask(&g, 2, "Greater", "Greater");
  g.smallest[0] = emit_mask(&g, 0, "Less", "Less");
  g.smallest[1] = emit_mask(&g, 1, "LessEqual", "Less");
  g.smallest[2] = emit_mask(&g, 2, "LessEqual", "LessEqual");
  sli_output_t parts[3];
  for (int i = 0; i < 3; i++) {
    sli_output_t hue = emit_hue(&g, i, sli_output_at(hsv, 1), sli_output_at(hsv, 2));
    parts[i] = sli_emit_mul(b, sli_output_at(gradient, 2), g.biggest[i]);
    parts[i] = sli_emit2(b, "AddV2", parts[i], sli_emit_mul(b, sli_output_at(gradient, 1), emit_saturation(&g, i)));
    parts[i] = sli_emit2(b, "AddV2", parts[i], sli_emit_mul(b, sli_output_at(gradient, 0), hue));
  }
  return sli_emit_set(b, SLI_EMIT_WITH(b, "Pack", SLI_INPUTS(parts[0], parts[1], parts[2]),
                                       SLI_ATTRS(SLI_ATTR_INT_OF("N", 3), SLI_ATTR_INT_OF("axis", -1))));
}

static const sli_op_def_t ops[] = {
    {.name = "RGBToHSV",
     .inputs = "images: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double} = DT_FLOAT",
     .summary = "Hue, saturation and value of RGB colours.",
     .shape = color_space_shape,
     .gradient = rgb_to_hsv_gradient},
    {.name = "HSVToRGB",
     .inputs = "images: T",
     .outputs = "output: T",
     .attrs = "T: {half, bfloat16, float, double} = DT_FLOAT",
     .summary = "RGB colours of hue, saturation and value.",
     .shape = color_space_shape,
     .not_differentiable = true},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RGBToHSV", .types = SLI_TYPES_FLOATING, .compute = rgb_to_hsv_compute, .cost = 1},
    {.op = "HSVToRGB", .types = SLI_TYPES_FLOATING, .compute = hsv_to_rgb_compute, .cost = 1},
};

SLI_OP_MODULE(color_space);
