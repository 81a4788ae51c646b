// FakeQuantWithMinMaxArgs, …Vars and …VarsPerChannel round floats to the numbers that few bits can represent, so that a
// network can be trained for them. The range is moved a little, so that 0 is one of the numbers. The gradient passes
// through where the input is within the range; outside, it goes to the border of the range.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/simd.h"

typedef struct {
  float min, max;  // attributes of …Args
  int lowest, highest;
} fake_quant_t;

static sli_status_t *read_bits(const sli_node_def_t *node, fake_quant_t *q) {
  int64_t bits;
  bool is_narrow;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "num_bits", &bits));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "narrow_range", &is_narrow));
  if (bits < 2 || bits > 16)
    return sli_status_make(SLI_INVALID_ARGUMENT, "num_bits must be between 2 and 16, inclusive");
  q->lowest = is_narrow ? 1 : 0;
  q->highest = (1 << bits) - 1;
  return NULL;
}

static sli_status_t *fake_quant_create(const sli_kernel_setup_t *setup, void **out_state) {
  fake_quant_t q = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_bits(setup->node, &q));
  if (sli_node_attr(setup->node, "min")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "min", &q.min));
    SLI_RETURN_IF_ERROR(sli_node_attr_float(setup->node, "max", &q.max));
    if (!(q.min < q.max))
      return sli_status_make(SLI_INVALID_ARGUMENT, "min has to be smaller than max, was: %g >= %g", (double)q.min,
                             (double)q.max);
  }
  *out_state = sli_memdup(&q, sizeof(q));
  return NULL;
}

// The range with 0 on the grid.
typedef struct {
  float min, max, scale, zero;
  bool is_empty;  // from 0 to 0
} nudged_t;

static nudged_t nudge(const fake_quant_t *q, float min, float max) {
  nudged_t n = {.is_empty = min == 0 && max == 0};
  const float lowest = (float)q->lowest, highest = (float)q->highest;
  n.scale = (max - min) / (highest - lowest);
  const float from_min = lowest - min / n.scale;
  float zero = from_min < lowest ? lowest : from_min > highest ? highest : roundf(from_min);
  if (!(zero >= 0)) zero = 0;
  n.min = (lowest - zero) * n.scale;
  n.max = (highest - zero) * n.scale;
  const float grid = -n.min / n.scale + 0.5f;
  n.zero = fabsf(grid) < 1e9f ? truncf(grid) : 0;
  return n;
}

// Elements |first|, |first| + stride, … of |count|.
SLI_SIMD static void round_elements(const float *in, int64_t count, nudged_t n, float *out) {
  for (int64_t i = 0; i < count; i++) {
    float value = in[i] < n.max ? in[i] : n.max;
    value = value > n.min ? value : n.min;
    out[i] = (floorf((value - n.min) / n.scale + 0.5f) - n.zero) * n.scale;
  }
}

typedef struct {
  const float *gradients, *inputs;
  float *outputs;
  nudged_t range;          // of one range
  const nudged_t *ranges;  // of one for each channel
  int64_t channels;
} fake_quant_work_t;

static void round_range(void *context, int64_t begin, int64_t end) {
  const fake_quant_work_t *w = context;
  if (w->range.is_empty)
    memset(w->outputs + begin, 0, (size_t)(end - begin) * sizeof(float));
  else
    round_elements(w->inputs + begin, end - begin, w->range, w->outputs + begin);
}

static void round_channels(void *context, int64_t begin, int64_t end) {
  const fake_quant_work_t *w = context;
  for (int64_t i = begin * w->channels; i < end * w->channels; i++) {
    const nudged_t *n = &w->ranges[i % w->channels];
    if (n->is_empty)
      w->outputs[i] = 0;
    else
      round_elements(w->inputs + i, 1, *n, w->outputs + i);
  }
}

// --- Forward --------------------------------------------------------------------------------------

static sli_status_t *run_range(sli_kernel_context_t *context, float min, float max) {
  const sli_tensor_t *inputs = sli_kernel_input(context, 0);
  fake_quant_work_t w = {.inputs = inputs->data, .range = nudge(sli_kernel_state(context), min, max)};
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(inputs), &output));
  w.outputs = output->data;
  sli_parallel_for(sli_kernel_pool(context), output->count, 0.5, round_range, &w);
  return NULL;
}

static sli_status_t *args_compute(sli_kernel_context_t *context) {
  const fake_quant_t *q = sli_kernel_state(context);
  return run_range(context, q->min, q->max);
}

static sli_status_t *require_rank(const sli_kernel_context_t *context, int index, const char *name, int rank) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank == rank) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "`%s` must be rank %d but is rank %d", name, rank, tensor->rank);
}

static sli_status_t *vars_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(require_rank(context, 1, "min", 0));
  SLI_RETURN_IF_ERROR(require_rank(context, 2, "max", 0));
  return run_range(context, *SLI_DATA(float, sli_kernel_input(context, 1)),
                   *SLI_DATA(float, sli_kernel_input(context, 2)));
}

// Reads the ranges of all channels from inputs |first| and |first| + 1; the caller frees them.
static sli_status_t *read_ranges(sli_kernel_context_t *context, const sli_tensor_t *inputs, int first,
                                 nudged_t **out_ranges) {
  const sli_tensor_t *min = sli_kernel_input(context, first), *max = sli_kernel_input(context, first + 1);
  *out_ranges = NULL;
  if (inputs->rank < 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "inputs must be at least rank 1 but is rank %d", inputs->rank);
  const int64_t channels = inputs->dims[inputs->rank - 1];
  SLI_RETURN_IF_ERROR(require_rank(context, first, "min", 1));
  if (min->count != channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "min has incorrect size, expected %lld was %lld", (long long)channels,
                           (long long)min->count);
  SLI_RETURN_IF_ERROR(require_rank(context, first + 1, "max", 1));
  if (max->count != channels)
    return sli_status_make(SLI_INVALID_ARGUMENT, "max has incorrect size, expected %lld was %lld", (long long)channels,
                           (long long)max->count);
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, channels + 1, sizeof(nudged_t) + 2 * sizeof(double)));
  *out_ranges = sli_malloc((size_t)(channels + 1) * sizeof(nudged_t));
  for (int64_t i = 0; i < channels; i++)
    (*out_ranges)[i] = nudge(sli_kernel_state(context), SLI_DATA(float, min)[i], SLI_DATA(float, max)[i]);
  return NULL;
}

static sli_status_t *channels_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *inputs = sli_kernel_input(context, 0);
  nudged_t *ranges;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(read_ranges(context, inputs, 1, &ranges));
  sli_status_t *status = sli_kernel_allocate_output(context, 0, sli_tensor_shape(inputs), &output);
  if (!status && output->count) {
    fake_quant_work_t w = {
        .inputs = inputs->data, .outputs = output->data, .ranges = ranges, .channels = inputs->dims[inputs->rank - 1]};
    sli_parallel_for(sli_kernel_pool(context), output->count / w.channels, 3.0 * (double)w.channels, round_channels,
                     &w);
  }
  free(ranges);
  return status;
}

// --- Backward -------------------------------------------------------------------------------------

static sli_status_t *require_same_shape(const sli_kernel_context_t *context) {
  if (sli_tensor_same_shape(sli_kernel_input(context, 0), sli_kernel_input(context, 1))) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "gradient and input must be the same size");
}

static void pass_range(void *context, int64_t begin, int64_t end) {
  const fake_quant_work_t *w = context;
  for (int64_t i = begin; i < end; i++) {
    bool is_inside = w->range.is_empty || (w->inputs[i] >= w->range.min && w->inputs[i] <= w->range.max);
    w->outputs[i] = is_inside ? w->gradients[i] : 0;
  }
}

static sli_status_t *args_gradient_compute(sli_kernel_context_t *context) {
  const fake_quant_t *q = sli_kernel_state(context);
  const sli_tensor_t *gradients = sli_kernel_input(context, 0), *inputs = sli_kernel_input(context, 1);
  sli_tensor_t *output;
  if (!sli_tensor_same_shape(gradients, inputs))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Inputs to operation %s of type %s must have the same size and shape.  Input 0: %s != input "
                           "1: %s",
                           context->node->name, context->node->op->def->name, sli_tensor_shape_text(gradients).text,
                           sli_tensor_shape_text(inputs).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(inputs), &output));
  fake_quant_work_t w = {
      .gradients = gradients->data, .inputs = inputs->data, .outputs = output->data, .range = nudge(q, q->min, q->max)};
  sli_parallel_for(sli_kernel_pool(context), output->count, 0.5, pass_range, &w);
  return NULL;
}

// The gradients of one range or of one for each channel: of the inputs, and the sums of what is below and above.
static sli_status_t *run_gradient(sli_kernel_context_t *context, const nudged_t *ranges, int64_t channels) {
  const sli_tensor_t *gradients = sli_kernel_input(context, 0), *inputs = sli_kernel_input(context, 1);
  sli_tensor_t *passed, *below, *above;
  sli_shape_t shape = sli_tensor_shape(sli_kernel_input(context, 2));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(inputs), &passed));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, shape, &below));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, shape, &above));
  double *sums = sli_calloc((size_t)(2 * channels + 1), sizeof(double));
  for (int64_t i = 0, c = 0; i < inputs->count; i++, c = c + 1 == channels ? 0 : c + 1) {
    const float x = SLI_DATA(float, inputs)[i], gradient = SLI_DATA(float, gradients)[i];
    const nudged_t *n = &ranges[c];
    const bool is_inside = n->is_empty || (x >= n->min && x <= n->max);
    SLI_DATA(float, passed)[i] = is_inside ? gradient : 0;
    if (!n->is_empty && x < n->min) sums[2 * c] += gradient;
    if (!n->is_empty && x > n->max) sums[2 * c + 1] += gradient;
  }
  for (int64_t c = 0; c < channels; c++) {
    SLI_DATA(float, below)[c] = (float)sums[2 * c];
    SLI_DATA(float, above)[c] = (float)sums[2 * c + 1];
  }
  free(sums);
  return NULL;
}

static sli_status_t *vars_gradient_compute(sli_kernel_context_t *context) {
  SLI_RETURN_IF_ERROR(require_same_shape(context));
  SLI_RETURN_IF_ERROR(require_rank(context, 2, "min", 0));
  SLI_RETURN_IF_ERROR(require_rank(context, 3, "max", 0));
  nudged_t range = nudge(sli_kernel_state(context), *SLI_DATA(float, sli_kernel_input(context, 2)),
                         *SLI_DATA(float, sli_kernel_input(context, 3)));
  return run_gradient(context, &range, 1);
}

static sli_status_t *channels_gradient_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *inputs = sli_kernel_input(context, 1);
  nudged_t *ranges;
  SLI_RETURN_IF_ERROR(require_same_shape(context));
  SLI_RETURN_IF_ERROR(read_ranges(context, inputs, 2, &ranges));
  sli_status_t *status = run_gradient(context, ranges, inputs->dims[inputs->rank - 1]);
  free(ranges);
  return status;
}

// --- Shapes and gradients -------------------------------------------------------------------------

static sli_status_t *vars_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  return sli_infer_fn_unchanged(c);
}

static sli_status_t *vars_gradient_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 0), sli_infer_input(c, 1), &c->outputs[0]));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 0, &unused));
  c->outputs[1] = c->outputs[2] = SLI_SHAPE_SCALAR;
  return NULL;
}

// The inputs |inputs|, with its last dimension merged with the lengths of inputs |first| and |first| + 1.
static sli_status_t *merge_channels(sli_infer_context_t *c, sli_shape_t inputs, int first, int64_t *out_channels) {
  sli_shape_t min, max;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, inputs, 1, &inputs));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, first, 1, &min));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, first + 1, 1, &max));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(sli_infer_dim(inputs, -1), min.dims[0], out_channels));
  return sli_infer_merge_dims(*out_channels, max.dims[0], out_channels);
}

static sli_status_t *channels_shape(sli_infer_context_t *c) {
  int64_t channels;
  SLI_RETURN_IF_ERROR(merge_channels(c, sli_infer_input(c, 0), 1, &channels));
  return sli_infer_fn_unchanged(c);
}

static sli_status_t *channels_gradient_shape(sli_infer_context_t *c) {
  sli_shape_t inputs;
  int64_t channels;
  SLI_RETURN_IF_ERROR(sli_infer_with_rank_at_least(c, sli_infer_input(c, 0), 1, &inputs));
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, inputs, sli_infer_input(c, 1), &inputs));
  SLI_RETURN_IF_ERROR(merge_channels(c, inputs, 2, &channels));
  sli_infer_set_output(c, 0, inputs);
  for (int i = 1; i < 3; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, &channels));
  return NULL;
}

static sli_status_t *emit_gradient(sli_gradient_builder_t *b, const char *op, const char *const *names, int count) {
  sli_attr_entry_t attrs[4];
  for (int i = 0; i < count; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  sli_output_t inputs[4] = {sli_gradient_of_output(b, 0)};
  for (int i = 0; i < b->node->input_count; i++) inputs[i + 1] = sli_gradient_input(b, i);
  sli_output_t found = sli_gradient_emit(b, op, inputs, (size_t)b->node->input_count + 1, attrs, (size_t)count);
  for (int i = 0; i < b->node->input_count; i++) sli_gradient_set(b, i, sli_output_at(found, i));
  return NULL;
}

static const char *const bit_names[] = {"num_bits", "narrow_range", "min", "max"};

static sli_status_t *args_gradient(sli_gradient_builder_t *b) {
  return emit_gradient(b, "FakeQuantWithMinMaxArgsGradient", bit_names, 4);
}
static sli_status_t *vars_gradient(sli_gradient_builder_t *b) {
  return emit_gradient(b, "FakeQuantWithMinMaxVarsGradient", bit_names, 2);
}
static sli_status_t *channels_gradient(sli_gradient_builder_t *b) {
  return emit_gradient(b, "FakeQuantWithMinMaxVarsPerChannelGradient", bit_names, 2);
}

#define BITS "num_bits: int = 8; narrow_range: bool = false"
#define OF_VARS "inputs: float, min: float, max: float"
#define OF_VARS_GRADIENT "gradients: float, inputs: float, min: float, max: float"
#define BACKPROPS "backprops_wrt_input: float, backprop_wrt_min: float, backprop_wrt_max: float"

static const sli_op_def_t ops[] = {
    {.name = "FakeQuantWithMinMaxArgs",
     .inputs = "inputs: float",
     .outputs = "outputs: float",
     .attrs = "min: float = -6; max: float = 6; " BITS,
     .summary = "Rounds to numbers of few bits in a fixed range.",
     .shape = sli_infer_fn_unchanged,
     .gradient = args_gradient},
    {.name = "FakeQuantWithMinMaxArgsGradient",
     .inputs = "gradients: float, inputs: float",
     .outputs = "backprops: float",
     .attrs = "min: float = -6; max: float = 6; " BITS,
     .summary = "The gradient of FakeQuantWithMinMaxArgs.",
     .shape = sli_infer_fn_unchanged},
    {.name = "FakeQuantWithMinMaxVars",
     .inputs = OF_VARS,
     .outputs = "outputs: float",
     .attrs = BITS,
     .summary = "Rounds to numbers of few bits in a range that can be trained.",
     .shape = vars_shape,
     .gradient = vars_gradient},
    {.name = "FakeQuantWithMinMaxVarsGradient",
     .inputs = OF_VARS_GRADIENT,
     .outputs = BACKPROPS,
     .attrs = BITS,
     .summary = "The gradient of FakeQuantWithMinMaxVars.",
     .shape = vars_gradient_shape},
    {.name = "FakeQuantWithMinMaxVarsPerChannel",
     .inputs = OF_VARS,
     .outputs = "outputs: float",
     .attrs = BITS,
     .summary = "Rounds to numbers of few bits in a range for each channel.",
     .shape = channels_shape,
     .gradient = channels_gradient},
    {.name = "FakeQuantWithMinMaxVarsPerChannelGradient",
     .inputs = OF_VARS_GRADIENT,
     .outputs = BACKPROPS,
     .attrs = BITS,
     .summary = "The gradient of FakeQuantWithMinMaxVarsPerChannel.",
     .shape = channels_gradient_shape},
};

#define KERNEL(name, function) \
  { .op = name, .compute = function, .create = fake_quant_create, .destroy = free }

static const sli_kernel_def_t kernels[] = {
    KERNEL("FakeQuantWithMinMaxArgs", args_compute),
    KERNEL("FakeQuantWithMinMaxArgsGradient", args_gradient_compute),
    KERNEL("FakeQuantWithMinMaxVars", vars_compute),
    KERNEL("FakeQuantWithMinMaxVarsGradient", vars_gradient_compute),
    KERNEL("FakeQuantWithMinMaxVarsPerChannel", channels_compute),
    KERNEL("FakeQuantWithMinMaxVarsPerChannelGradient", channels_gradient_compute),
};

SLI_OP_MODULE(fake_quant);
