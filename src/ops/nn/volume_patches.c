// ExtractVolumePatches: the window around each position of a volume as one vector, with zeros outside.
#include "core/op/emit.h"
#include "core/op/gradient.h"
#include "core/op/shape_inference.h"
#include "ops/common/copy_elements.h"

typedef struct {
  int64_t size[3], stride[3];
  bool is_same;
} volume_window_t;

static sli_status_t *read_window(const sli_node_def_t *node, volume_window_t *w) {
  static const char *const names[] = {"ksizes", "strides"};
  sli_view_t padding;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "padding", &padding));
  w->is_same = sli_view_is(padding, "SAME");
  for (int k = 0; k < 2; k++) {
    const sli_attr_t *list;
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, names[k], SLI_ATTR_INT, &list));
    if (list->count != 5)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "ExtractVolumePatches requires the %s attribute to contain 5 values, but got: %zu",
                             names[k], list->count);
    if (list->list.i[0] != 1 || list->list.i[4] != 1)
      return sli_status_make(SLI_UNIMPLEMENTED, "Only support %s across space.", names[k]);
    for (int i = 0; i < 3; i++) {
      int64_t value = list->list.i[i + 1];
      if (value < 1 || value >= INT32_MAX) return sli_status_make(SLI_OUT_OF_RANGE, "%s is out of range.", names[k]);
      (k ? w->stride : w->size)[i] = value;
    }
  }
  return NULL;
}

static sli_status_t *find_extent(const volume_window_t *w, int i, int64_t input, int64_t *out_size,
                                 int64_t *out_before) {
  const int64_t stride = w->stride[i], size = w->size[i];
  *out_before = 0;
  if (w->is_same) {
    *out_size = (input + stride - 1) / stride;
    int64_t padding = (*out_size - 1) * stride + size - input;
    if (padding > 0) *out_before = padding / 2;
    return NULL;
  }
  *out_size = (input - size + stride) / stride;
  if (input - size + stride < 0 || *out_size < 0)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "Computed output size would be negative: %lld [input_size: %lld, effective_filter_size: %lld, stride: %lld]",
        (long long)(input - size + stride) / stride, (long long)input, (long long)size, (long long)stride);
  return NULL;
}

// The elements of a window of |depth| channels; false if there are too many.
static bool patch_size(const volume_window_t *w, int64_t depth, int64_t *out_size) {
  *out_size = depth;
  for (int i = 0; i < 3; i++)
    if (__builtin_mul_overflow(*out_size, w->size[i], out_size)) return false;
  return true;
}

typedef struct {
  volume_window_t window;
  const sli_tensor_t *input;
  sli_tensor_t *output;
  int64_t out[3], before[3];
} volume_patches_t;

// Copies the row of a window at |from|, whose first column may be outside; returns where the next one goes.
static int64_t copy_window_row(const volume_patches_t *p, int64_t row, bool is_inside, int64_t column, int64_t to) {
  const int64_t width = p->input->dims[3], depth = p->input->dims[4];
  for (int64_t k = 0; k < p->window.size[2]; k++, to += depth) {
    const int64_t x = column + k;
    void *target = sli_tensor_at(p->output, to);
    if (is_inside && x >= 0 && x < width)
      sli_elements_copy((sli_dtype_t)p->input->dtype, target, sli_tensor_at(p->input, (row * width + x) * depth),
                        depth);
    else
      sli_elements_clear((sli_dtype_t)p->input->dtype, target, depth);
  }
  return to;
}

// Computes rows [begin, end) of output positions.
static void patches_range(void *context, int64_t begin, int64_t end) {
  const volume_patches_t *p = context;
  const volume_window_t *w = &p->window;
  const int64_t planes = p->input->dims[1], height = p->input->dims[2];
  const int64_t patch = w->size[0] * w->size[1] * w->size[2] * p->input->dims[4];
  for (int64_t unit = begin; unit < end; unit++) {
    const int64_t n = unit / p->out[1] / p->out[0], plane = unit / p->out[1] % p->out[0], row = unit % p->out[1];
    for (int64_t column = 0; column < p->out[2]; column++) {
      int64_t to = (unit * p->out[2] + column) * patch;
      for (int64_t i = 0; i < w->size[0]; i++) {
        const int64_t z = plane * w->stride[0] + i - p->before[0];
        for (int64_t j = 0; j < w->size[1]; j++) {
          const int64_t y = row * w->stride[1] + j - p->before[1];
          bool is_inside = z >= 0 && z < planes && y >= 0 && y < height;
          to = copy_window_row(p, (n * planes + z) * height + y, is_inside, column * w->stride[2] - p->before[2], to);
        }
      }
    }
  }
}

static sli_status_t *patches_compute(sli_kernel_context_t *context) {
  volume_patches_t p = {.input = sli_kernel_input(context, 0)};
  int64_t patch;
  SLI_RETURN_IF_ERROR(read_window(context->node, &p.window));
  if (p.input->rank != 5)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input must be 5-dimensional%s", sli_tensor_shape_text(p.input).text);
  for (int i = 0; i < 3; i++)
    SLI_RETURN_IF_ERROR(find_extent(&p.window, i, p.input->dims[i + 1], &p.out[i], &p.before[i]));
  if (!patch_size(&p.window, p.input->dims[4], &patch))
    return sli_status_make(SLI_INVALID_ARGUMENT, "The patches of input %s have too many elements",
                           sli_tensor_shape_text(p.input).text);
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(
      context, 0, SLI_SHAPE(p.input->dims[0], p.out[0], p.out[1], p.out[2], patch), &p.output));
  if (p.output->count)
    sli_parallel_for(sli_kernel_pool(context), p.input->dims[0] * p.out[0] * p.out[1], 0.3 * (double)(p.out[2] * patch),
                     patches_range, &p);
  return NULL;
}

static sli_status_t *patches_shape(sli_infer_context_t *c) {
  sli_shape_t input;
  volume_window_t window;
  int64_t dims[5] = {-1, -1, -1, -1, -1}, before;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 5, &input));
  sli_status_t *status = read_window(c->node, &window);
  if (status && sli_status_code(status) == SLI_INVALID_ARGUMENT) return status;
  dims[0] = input.dims[0];
  if (!status) {
    for (int i = 0; i < 3; i++)
      if (input.dims[i + 1] >= 0)
        SLI_RETURN_IF_ERROR(find_extent(&window, i, input.dims[i + 1], &dims[i + 1], &before));
    if (input.dims[4] < 0 || !patch_size(&window, input.dims[4], &dims[4])) dims[4] = -1;
  }
  sli_status_release(status);  // the kernel reports it if it runs
  sli_infer_set_output(c, 0, sli_infer_make(c, 5, dims));
  return NULL;
}

static sli_output_t emit_shape_part(sli_gradient_builder_t *b, sli_output_t shape, int32_t begin, int32_t end) {
  return sli_emit3(b, "Slice", shape, sli_gradient_const_ints(b, &begin, 1),
                   sli_gradient_const_ints(b, (int32_t[]){end - begin}, 1));
}

// The patches of a volume whose elements are their own numbers tell where each element of the gradient belongs; 0 is
// outside of the volume.
static sli_status_t *patches_gradient(sli_gradient_builder_t *b) {
  static const char *const names[] = {"ksizes", "strides", "padding"};
  sli_attr_entry_t attrs[3];
  for (int i = 0; i < 3; i++) attrs[i] = (sli_attr_entry_t){names[i], *sli_node_attr(b->node, names[i])};
  sli_output_t shape = sli_emit_shape(b, sli_gradient_input(b, 0));
  sli_output_t zero = sli_gradient_const_int32(b, 0), one = sli_gradient_const_int32(b, 1);
  sli_output_t unit = sli_gradient_const_ints(b, (int32_t[]){1}, 1), space = emit_shape_part(b, shape, 1, 4);
  sli_output_t count = sli_emit2(b, "AddV2", sli_emit2(b, "Prod", space, zero), one);
  sli_output_t numbers = sli_emit3(b, "Range", one, count, one);
  sli_attr_entry_t three[] = {SLI_ATTR_INT_OF("N", 3)};
  sli_output_t volume_shape[] = {unit, space, unit, zero};
  sli_output_t volume = sli_emit2(b, "Reshape", numbers, sli_gradient_emit(b, "ConcatV2", volume_shape, 4, three, 1));
  sli_output_t where = sli_gradient_emit(b, "ExtractVolumePatches", &volume, 1, attrs, 3);
  where = sli_emit2(b, "Reshape", where, sli_gradient_const_ints(b, (int32_t[]){-1}, 1));
  // [n, spots, depth] -> [spots, n, depth]
  sli_output_t swap = sli_gradient_const_ints(b, (int32_t[]){1, 0, 2}, 3);
  sli_output_t spots[] = {emit_shape_part(b, shape, 0, 1), sli_emit_shape(b, where), emit_shape_part(b, shape, 4, 5),
                          zero};
  sli_output_t gradient =
      sli_emit2(b, "Reshape", sli_gradient_of_output(b, 0), sli_gradient_emit(b, "ConcatV2", spots, 4, three, 1));
  gradient = sli_emit2(b, "Transpose", gradient, swap);
  sli_output_t sums = sli_emit3(b, "UnsortedSegmentSum", gradient, where, count);
  sums = sli_emit3(b, "Slice", sums, sli_gradient_const_ints(b, (int32_t[]){1, 0, 0}, 3),
                   sli_gradient_const_ints(b, (int32_t[]){-1, -1, -1}, 3));
  return sli_emit_set(b, sli_emit2(b, "Reshape", sli_emit2(b, "Transpose", sums, swap), shape));
}

static const sli_op_def_t ops[] = {
    {.name = "ExtractVolumePatches",
     .inputs = "input: T",
     .outputs = "patches: T",
     .attrs = "ksizes: list(int) >= 5; strides: list(int) >= 5; T: realnumbertype; padding: {'SAME', 'VALID'}",
     .summary = "The window around every position of a volume.",
     .shape = patches_shape,
     .gradient = patches_gradient},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "ExtractVolumePatches", .types = SLI_TYPES_REAL, .compute = patches_compute},
};

SLI_OP_MODULE(volume_patches);
