// SampleDistortedBoundingBox, its V2 and its stateless form: a random window of an image, of a random size and aspect
// ratio within limits, that covers enough of one of the given boxes. A seed gives the windows of TensorFlow.
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/philox.h"
#include "ops/image/resize.h"

typedef struct {
  int left, top, right, bottom;
} rectangle_t;

typedef struct {
  sli_philox_stream_t *stream;  // NULL: the stateless form
  bool use_image_if_no_boxes;
  float min_covered;
  float least_ratio, most_ratio, least_area, most_area;
  int64_t max_attempts;
} sample_t;

// --- Attributes -----------------------------------------------------------------------------------

static sli_status_t *read_range(const sli_node_def_t *node, const char *attr, const char *name, float *least,
                                float *most) {
  const sli_attr_t *list;
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attr, SLI_ATTR_FLOAT, &list));
  if (list->count != 2) return sli_status_make(SLI_INVALID_ARGUMENT, "%s range field must specify 2 dimensions", name);
  *least = list->list.f[0];
  *most = list->list.f[1];
  if (!(*least > 0 && *most > 0))
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s range must be non-negative: [%g, %g]", name, (double)*least,
                           (double)*most);
  return NULL;
}

static sli_status_t *check_covered(float covered) {
  if (covered >= 0) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Min object covered must be non-negative: %g", (double)covered);
}

static sli_status_t *read_attrs(const sli_node_def_t *node, sample_t *s) {
  if (sli_node_attr(node, "min_object_covered")) {
    SLI_RETURN_IF_ERROR(sli_node_attr_float(node, "min_object_covered", &s->min_covered));
    SLI_RETURN_IF_ERROR(check_covered(s->min_covered));
  }
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "use_image_if_no_bounding_boxes", &s->use_image_if_no_boxes));
  SLI_RETURN_IF_ERROR(read_range(node, "aspect_ratio_range", "Aspect ratio", &s->least_ratio, &s->most_ratio));
  SLI_RETURN_IF_ERROR(read_range(node, "area_range", "Area", &s->least_area, &s->most_area));
  if (s->least_area > 1 || s->most_area > 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Area range must be less then or equal to 1.0: [%g, %g]",
                           (double)s->least_area, (double)s->most_area);
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "max_attempts", &s->max_attempts));
  if (s->max_attempts <= 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Max attempts must be non-negative: %lld", (long long)s->max_attempts);
  return NULL;
}

static sli_status_t *sample_create(const sli_kernel_setup_t *setup, void **out_state) {
  sample_t s = {0};
  *out_state = NULL;
  SLI_RETURN_IF_ERROR(read_attrs(setup->node, &s));
  if (sli_node_attr(setup->node, "seed")) SLI_RETURN_IF_ERROR(sli_philox_stream_create(setup->node, &s.stream));
  *out_state = sli_memdup(&s, sizeof(s));
  return NULL;
}

static void sample_destroy(void *state) {
  sample_t *s = state;
  if (s) sli_philox_stream_destroy(s->stream);
  free(s);
}

// --- The search -----------------------------------------------------------------------------------

static float area_of(rectangle_t r) { return (float)(((int64_t)r.right - r.left) * ((int64_t)r.bottom - r.top)); }

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

static bool covers_enough(rectangle_t window, const rectangle_t *boxes, int64_t count, float least) {
  if (area_of(window) < 1) return false;
  for (int64_t i = 0; i < count; i++) {
    if (area_of(boxes[i]) < 1) continue;
    rectangle_t common = {larger(window.left, boxes[i].left), larger(window.top, boxes[i].top),
                          smaller(window.right, boxes[i].right), smaller(window.bottom, boxes[i].bottom)};
    bool is_empty = common.left > common.right || common.top > common.bottom;
    if ((is_empty ? 0 : area_of(common)) / area_of(boxes[i]) >= least) return true;
  }
  return false;
}

static int draw_below(sli_philox_words_t *random, int limit) {
  return (int)(sli_philox_word(random) % (uint32_t)limit);
}

// A random window of |ratio|; false if there is none of an allowed area.
static bool draw_window(const sample_t *s, int width, int height, float ratio, sli_philox_words_t *random,
                        rectangle_t *out) {
  if (s->most_area <= 0 || ratio <= 0 || width <= 0 || height <= 0 || s->least_area > s->most_area) return false;
  const float least = s->least_area * (float)width * (float)height, most = s->most_area * (float)width * (float)height;
  int h = (int)lrintf(sqrtf(least / ratio)), most_h = (int)lrintf(sqrtf(most / ratio));
  if (lrintf((float)most_h * ratio) > width) most_h = (int)(((double)width + 0.5 - 0.0000001f) / (double)ratio);
  if (most_h > height) most_h = height;
  if (h >= most_h) h = most_h;
  if (h < most_h) h += draw_below(random, most_h - h + 1);
  int w = (int)lrintf((float)h * ratio);
  float area = (float)((int64_t)w * h);
  if (area < least) {  // rounding made it too small
    h++;
    w = (int)lrintf((float)h * ratio);
    area = (float)((int64_t)w * h);
  }
  if (area > most) {
    h--;
    w = (int)lrintf((float)h * ratio);
    area = (float)((int64_t)w * h);
  }
  if (area < least || area > most || w > width || h > height || w <= 0 || h <= 0) return false;
  int y = h < height ? draw_below(random, height - h) : 0;
  int x = w < width ? draw_below(random, width - w) : 0;
  *out = (rectangle_t){x, y, x + w, y + h};
  return true;
}

static rectangle_t find_window(const sample_t *s, int width, int height, const rectangle_t *boxes, int64_t count,
                               float covered, sli_philox_t generator) {
  sli_philox_words_t random = sli_philox_words(generator);
  for (int64_t i = 0; i < s->max_attempts; i++) {
    rectangle_t window;
    float ratio = sli_philox_to_float(sli_philox_word(&random)) * (s->most_ratio - s->least_ratio) + s->least_ratio;
    if (draw_window(s, width, height, ratio, &random, &window) && covers_enough(window, boxes, count, covered))
      return window;
  }
  return (rectangle_t){0, 0, width, height};
}

// --- The kernels ----------------------------------------------------------------------------------

static sli_status_t *read_size(const sli_tensor_t *size, int out[2]) {
  if (size->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image_size must be 1-dimensional%s",
                           sli_tensor_shape_text(size).text);
  if (size->count != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "image_size must contain 3 elements%s",
                           sli_tensor_shape_text(size).text);
  for (int i = 0; i < 2; i++) {
    int64_t value = sli_tensor_int_at(size, i);
    if (value < 0 || value >= INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "image %s cannot be >= int32 max", i ? "width" : "height");
    out[i] = (int)value;
  }
  return NULL;
}

// The boxes in pixels; the caller frees them. The whole image if there are none.
static sli_status_t *read_boxes(const sample_t *s, const sli_tensor_t *input, const int size[2],
                                rectangle_t **out_boxes, int64_t *out_count) {
  *out_boxes = NULL;
  if (input->rank != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "input boxes must be 3-dimensional [batch, num_boxes, coords]: %s",
                           sli_tensor_shape_text(input).text);
  if (input->dims[2] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "bounding boxes must have shape [4] or [*, 4], got %s",
                           sli_tensor_shape_text(input).text);
  const float *values = input->data;
  for (int64_t i = 0; i < input->count; i++) {
    if (!(values[i] >= 0 && values[i] <= 1))
      return sli_status_make(SLI_INVALID_ARGUMENT, "All bounding box coordinates must be in [0.0, 1.0]: %g",
                             (double)values[i]);
  }
  *out_count = input->count / 4;
  if (*out_count == 0 && !s->use_image_if_no_boxes)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if "
                           "you wish to not provide any bounding boxes.");
  *out_boxes = sli_malloc(((size_t)*out_count + 1) * sizeof(rectangle_t));
  const float height = (float)size[0], width = (float)size[1];
  for (int64_t i = 0; i < *out_count; i++) {
    const float *box = values + 4 * i;
    (*out_boxes)[i] =
        (rectangle_t){(int)(box[1] * width), (int)(box[0] * height), (int)(box[3] * width), (int)(box[2] * height)};
  }
  if (*out_count == 0) (*out_boxes)[(*out_count)++] = (rectangle_t){0, 0, size[1], size[0]};
  return NULL;
}

static void set_number(sli_tensor_t *tensor, int index, int value) {
  switch (sli_dtype_size((sli_dtype_t)tensor->dtype)) {
    case 1: SLI_DATA(int8_t, tensor)[index] = (int8_t)value; break;
    case 2: SLI_DATA(int16_t, tensor)[index] = (int16_t)value; break;
    default: sli_tensor_set_int(tensor, index, value);
  }
}

static sli_status_t *put_window(sli_kernel_context_t *context, rectangle_t window, const int size[2]) {
  sli_tensor_t *begin, *extent, *box;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(3), &begin));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(3), &extent));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(1, 1, 4), &box));
  const int begins[] = {window.top, window.left, 0};
  const int extents[] = {window.bottom - window.top, window.right - window.left, -1};
  const int borders[] = {window.top, window.left, window.bottom, window.right};
  for (int i = 0; i < 3; i++) {
    set_number(begin, i, begins[i]);
    set_number(extent, i, extents[i]);
  }
  for (int i = 0; i < 4; i++) SLI_DATA(float, box)[i] = (float)borders[i] / (float)size[i % 2];
  return NULL;
}

static sli_status_t *sample_compute(sli_kernel_context_t *context) {
  const sample_t *s = sli_kernel_state(context);
  int size[2];
  int64_t count;
  rectangle_t *boxes;
  float covered = s->min_covered;
  sli_philox_t generator;
  SLI_RETURN_IF_ERROR(read_size(sli_kernel_input(context, 0), size));
  if (context->input_count > 2) {
    const sli_tensor_t *input = sli_kernel_input(context, 2);
    if (input->rank != 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "min_object_covered must be 0-D, got shape %s",
                             sli_tensor_shape_text(input).text);
    covered = *SLI_DATA(float, input);
    SLI_RETURN_IF_ERROR(check_covered(covered));
  }
  if (s->stream) {
    generator = sli_philox_stream_reserve(s->stream, (uint64_t)s->max_attempts);
  } else {
    const sli_tensor_t *seed = sli_kernel_input(context, 3);
    if (seed->rank != 1 || seed->count != 2)
      return sli_status_make(SLI_INVALID_ARGUMENT, "seed must have shape [2], not %s",
                             sli_tensor_shape_text(seed).text);
    generator = sli_philox_scramble((uint64_t)sli_tensor_int_at(seed, 0), (uint64_t)sli_tensor_int_at(seed, 1));
  }
  SLI_RETURN_IF_ERROR(read_boxes(s, sli_kernel_input(context, 1), size, &boxes, &count));
  rectangle_t window = find_window(s, size[1], size[0], boxes, count, covered, generator);
  free(boxes);
  return put_window(context, window, size);
}

// --- Shapes and tables ----------------------------------------------------------------------------

static sli_status_t *sample_shape(sli_infer_context_t *c) {
  sli_shape_t size, boxes, other;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &size));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 3, &boxes));
  if (c->node->input_count > 2) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &other));
  if (c->node->input_count > 3) {
    SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 3, 1, &other));
    SLI_RETURN_IF_ERROR(sli_resize_require_dim(other.dims[0], 2));
  }
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(size.dims[0], 3));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(boxes.dims[2], 4));
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, (int64_t[]){3}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 1, (int64_t[]){3}));
  sli_infer_set_output(c, 2, sli_infer_make(c, 3, (int64_t[]){1, 1, 4}));
  return NULL;
}

#define RANGES                                                                                                     \
  "aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: list(float) = [0.05, 1]; max_attempts: int = 100; " \
  "use_image_if_no_bounding_boxes: bool = false"

static const sli_op_def_t ops[] = {
    {.name = "SampleDistortedBoundingBox",
     .inputs = "image_size: T, bounding_boxes: float",
     .outputs = "begin: T, size: T, bboxes: float",
     .attrs = "T: {uint8, int8, int16, int32, int64}; seed: int = 0; seed2: int = 0; min_object_covered: float = "
              "0.1; " RANGES,
     .summary = "A random window of an image that covers a part of a box.",
     .shape = sample_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "SampleDistortedBoundingBoxV2",
     .inputs = "image_size: T, bounding_boxes: float, min_object_covered: float",
     .outputs = "begin: T, size: T, bboxes: float",
     .attrs = "T: {uint8, int8, int16, int32, int64}; seed: int = 0; seed2: int = 0; " RANGES,
     .summary = "A random window of an image that covers a given part of a box.",
     .shape = sample_shape,
     .not_differentiable = true,
     .is_stateful = true},
    {.name = "StatelessSampleDistortedBoundingBox",
     .inputs = "image_size: T, bounding_boxes: float, min_object_covered: float, seed: Tseed",
     .outputs = "begin: T, size: T, bboxes: float",
     .attrs = "T: {uint8, int8, int16, int32, int64}; Tseed: {int32, int64}; " RANGES,
     .summary = "A window of an image that covers a given part of a box, chosen by a seed.",
     .shape = sample_shape},
};

#define SAMPLER(name)                                                                           \
  {                                                                                             \
    .op = name, .types = SLI_TYPES_INTEGER, .compute = sample_compute, .create = sample_create, \
    .destroy = sample_destroy                                                                   \
  }

static const sli_kernel_def_t kernels[] = {
    SAMPLER("SampleDistortedBoundingBox"),
    SAMPLER("SampleDistortedBoundingBoxV2"),
    SAMPLER("StatelessSampleDistortedBoundingBox"),
};

SLI_OP_MODULE(distorted_box);
