// ExtractImagePatches outputs the window around each position as one vector, with zeros outside of the image.
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

// One spatial dim.
typedef struct {
  int64_t kernel, stride, rate;
} window_t;

static sli_status_t *read_windows(const sli_node_def_t *node, window_t windows[2], bool *same) {
  static const char *const names[] = {"ksizes", "strides", "rates"};
  sli_view_t padding;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "padding", &padding));
  *same = sli_view_is(padding, "SAME");
  for (int i = 0; i < 3; i++) {
    const sli_attr_t *list;
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, names[i], SLI_ATTR_INT, &list));
    if (list->count != 4)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Sliding window %s field must specify 4 dimensions", names[i]);
    if (list->list.i[0] != 1 || list->list.i[3] != 1) {
      return sli_status_make(SLI_UNIMPLEMENTED, "Only support %s across space.", names[i]);
    }
    for (int j = 0; j < 2; j++) {
      int64_t value = list->list.i[j + 1];
      if (value < 1 || value > INT32_MAX)
        return sli_status_make(SLI_OUT_OF_RANGE, "Sliding window %s field must be positive", names[i]);
      *(i == 0 ? &windows[j].kernel : i == 1 ? &windows[j].stride : &windows[j].rate) = value;
    }
  }
  return NULL;
}

// The number of output positions along a dim of |extent|, and the padding before it.
static sli_status_t *window_output(const window_t *w, int64_t extent, bool same, int64_t *out_size,
                                   int64_t *out_before) {
  int64_t span = w->kernel + (w->kernel - 1) * (w->rate - 1);
  if (same) {
    *out_size = (extent + w->stride - 1) / w->stride;
    int64_t total = (*out_size - 1) * w->stride + span - extent;
    *out_before = total > 0 ? total / 2 : 0;
    return NULL;
  }
  *out_before = 0;
  *out_size = (extent - span + w->stride) / w->stride;
  if (extent - span + w->stride < 0) *out_size = -1;
  if (*out_size < 0)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Computed output size would be negative: %lld [input_size: %lld, effective_filter_size: %lld, stride: %lld]",
        (long long)*out_size, (long long)extent, (long long)span, (long long)w->stride);
  return NULL;
}

typedef struct {
  const sli_tensor_t *input;
  sli_tensor_t *output;
  window_t windows[2];
  int64_t before[2], out[2];
} patches_t;

// Computes rows [begin, end) of output positions.
static void patches_range(void *context, int64_t begin, int64_t end) {
  const patches_t *p = context;
  const int64_t height = p->input->dims[1], width = p->input->dims[2], depth = p->input->dims[3];
  const int64_t patch = p->windows[0].kernel * p->windows[1].kernel * depth;
  for (int64_t unit = begin; unit < end; unit++) {
    int64_t n = unit / p->out[0], oy = unit % p->out[0];
    for (int64_t ox = 0; ox < p->out[1]; ox++) {
      int64_t to = (unit * p->out[1] + ox) * patch;
      for (int64_t ky = 0; ky < p->windows[0].kernel; ky++) {
        int64_t y = oy * p->windows[0].stride + ky * p->windows[0].rate - p->before[0];
        for (int64_t kx = 0; kx < p->windows[1].kernel; kx++, to += depth) {
          int64_t x = ox * p->windows[1].stride + kx * p->windows[1].rate - p->before[1];
          void *target = sli_tensor_at(p->output, to);
          if (y < 0 || y >= height || x < 0 || x >= width) {
            sli_elements_clear(p->input->dtype, target, depth);
          } else {
            sli_elements_copy(p->input->dtype, target, sli_tensor_at(p->input, ((n * height + y) * width + x) * depth),
                              depth);
          }
        }
      }
    }
  }
}

static sli_status_t *patches_compute(sli_kernel_context_t *context) {
  patches_t p = {.input = sli_kernel_input(context, 0)};
  bool same;
  int64_t patch;
  SLI_RETURN_IF_ERROR(read_windows(context->node, p.windows, &same));
  if (p.input->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 4-dimensional%s", sli_tensor_shape_text(p.input).text);
  for (int i = 0; i < 2; i++)
    SLI_RETURN_IF_ERROR(window_output(&p.windows[i], p.input->dims[i + 1], same, &p.out[i], &p.before[i]));
  if (__builtin_mul_overflow(p.windows[0].kernel * p.windows[1].kernel, p.input->dims[3], &patch)) {
    return sli_status_make(SLI_INVALID_ARGUMENT, "The patches of input %s have too many elements",
                           sli_tensor_shape_text(p.input).text);
  }
  SLI_RETURN_IF_ERROR(
      sli_kernel_allocate_output(context, 0, SLI_SHAPE(p.input->dims[0], p.out[0], p.out[1], patch), &p.output));
  if (p.output->count == 0) return NULL;
  double cost = 0.2 * (double)(p.out[1] * patch) * (double)sli_dtype_size(p.input->dtype);
  sli_parallel_for(sli_kernel_pool(context), p.input->dims[0] * p.out[0], cost, patches_range, &p);
  return NULL;
}

static sli_status_t *patches_shape(sli_infer_context_t *c) {
  sli_shape_t in;
  window_t windows[2];
  bool same;
  int64_t dims[4], before;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &in));
  dims[0] = sli_infer_dim(in, 0);
  sli_status_t *status = read_windows(c->node, windows, &same);
  if (status && sli_status_code(status) != SLI_INVALID_ARGUMENT) {  // left to the kernel, which reports it if it runs
    sli_status_release(status);
    sli_infer_set_output(c, 0, sli_infer_make(c, 4, (int64_t[]){dims[0], -1, -1, -1}));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(status);
  for (int i = 0; i < 2; i++) {
    dims[i + 1] = -1;
    int64_t extent = in.rank < 0 ? -1 : in.dims[i + 1];
    if (extent >= 0) SLI_RETURN_IF_ERROR(window_output(&windows[i], extent, same, &dims[i + 1], &before));
  }
  int64_t depth = in.rank < 0 ? -1 : in.dims[3];
  dims[3] = depth < 0 || __builtin_mul_overflow(windows[0].kernel * windows[1].kernel, depth, &dims[3]) ? -1 : dims[3];
  sli_infer_set_output(c, 0, sli_infer_make(c, 4, dims));
  return NULL;
}

// Emits shape[begin:end].
static sli_output_t emit_shape_part(sli_gradient_builder_t *b, sli_output_t shape, int32_t begin, int32_t end) {
  return SLI_EMIT(b, "Slice",
                  SLI_INPUTS(shape, sli_gradient_const_ints(b, &begin, 1),
                             sli_gradient_const_ints(b, (int32_t[]){end - begin}, 1)));
}

// The patches of an image whose pixels are their own numbers tell where each element of the gradient belongs; 0 is
// outside of the image.
static sli_status_t *patches_gradient(sli_gradient_builder_t *b) {
  sli_output_t shape = SLI_EMIT(b, "Shape", SLI_INPUTS(sli_gradient_input(b, 0)));
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t unit = sli_gradient_const_ints(b, (int32_t[]){1}, 1);
  sli_output_t area = emit_shape_part(b, shape, 1, 3);
  sli_output_t count = SLI_EMIT(b, "AddV2", SLI_INPUTS(SLI_EMIT(b, "Prod", SLI_INPUTS(area, zero)), one));
  sli_output_t numbers = SLI_EMIT(b, "Range", SLI_INPUTS(one, count, one));
  sli_output_t image_shape =
      SLI_EMIT_WITH(b, "ConcatV2", SLI_INPUTS(unit, area, unit, zero), SLI_ATTRS(SLI_ATTR_INT_OF("N", 3)));
  sli_output_t image = SLI_EMIT(b, "Reshape", SLI_INPUTS(numbers, image_shape));
  sli_attr_entry_t attrs[4];
  static const char *const names[] = {"ksizes", "strides", "rates", "padding"};
  for (int i = 0; i < 4; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  sli_output_t where = sli_gradient_emit(b, "ExtractImagePatches", SLI_INPUTS(image), attrs, 4);
  where = SLI_EMIT(b, "Reshape", SLI_INPUTS(where, sli_gradient_const_ints(b, (int32_t[]){-1}, 1)));
  // [n, spots, depth] -> [spots, n, depth]
  sli_output_t swap = sli_gradient_const_ints(b, (int32_t[]){1, 0, 2}, 3);
  sli_output_t spots_shape =
      SLI_EMIT_WITH(b, "ConcatV2",
                    SLI_INPUTS(emit_shape_part(b, shape, 0, 1), SLI_EMIT(b, "Shape", SLI_INPUTS(where)),
                               emit_shape_part(b, shape, 3, 4), zero),
                    SLI_ATTRS(SLI_ATTR_INT_OF("N", 3)));
  sli_output_t gradient = SLI_EMIT(b, "Reshape", SLI_INPUTS(sli_gradient_of_output(b, 0), spots_shape));
  gradient = SLI_EMIT(b, "Transpose", SLI_INPUTS(gradient, swap));
  sli_output_t sums = SLI_EMIT(b, "UnsortedSegmentSum", SLI_INPUTS(gradient, where, count));
  sums = SLI_EMIT(b, "Slice",
                  SLI_INPUTS(sums, sli_gradient_const_ints(b, (int32_t[]){1, 0, 0}, 3),
                             sli_gradient_const_ints(b, (int32_t[]){-1, -1, -1}, 3)));
  sums = SLI_EMIT(b, "Transpose", SLI_INPUTS(sums, swap));
  sli_gradient_set(b, 0, SLI_EMIT(b, "Reshape", SLI_INPUTS(sums, shape)));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "ExtractImagePatches",
     .inputs = "images: T",
     .outputs = "patches: T",
     .attrs = "ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: {bfloat16, half, float, "
              "double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}; "
              "padding: {'SAME', 'VALID'}",
     .summary = "The window around every position of an image.",
     .shape = patches_shape,
     .gradient = patches_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ExtractImagePatches", .types = SLI_TYPES_NUMBER, .compute = patches_compute},
};

SLI_OP_MODULE(patches);
