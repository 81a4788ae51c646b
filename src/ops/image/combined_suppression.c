// CombinedNonMaxSuppression: the best boxes of each class of each image, and of these the best of the image.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/image/box_overlap.h"
#include "ops/image/resize.h"

typedef struct {
  float score;
  int32_t box, klass;
} detection_t;

typedef struct {
  const float *boxes, *scores;
  int64_t box_count, class_count, boxes_per_box;  // a box for each class, or 1
  int64_t per_class, total;                       // the most that are selected
  float overlap_threshold, score_threshold;
  bool clip;
  sli_tensor_t *outputs[4];
} combined_t;

// By score, best first; equal ones by class and box.
static int compare(const void *a, const void *b) {
  const detection_t *x = a, *y = b;
  if (x->score != y->score) return x->score > y->score ? -1 : 1;
  if (x->klass != y->klass) return x->klass < y->klass ? -1 : 1;
  return x->box < y->box ? -1 : x->box > y->box;
}

static const float *box_of(const combined_t *w, int64_t image, detection_t d) {
  int64_t klass = w->boxes_per_box > 1 ? d.klass : 0;
  return w->boxes + ((image * w->box_count + d.box) * w->boxes_per_box + klass) * 4;
}

// Selects boxes of one class; returns how many are at the start of |found|.
static int64_t select_of_class(const combined_t *w, int64_t image, int32_t klass, detection_t *found) {
  int64_t count = 0, selected = 0;
  for (int64_t i = 0; i < w->box_count; i++) {
    float score = w->scores[(image * w->box_count + i) * w->class_count + klass];
    if (score > w->score_threshold) found[count++] = (detection_t){score, (int32_t)i, klass};
  }
  qsort(found, (size_t)count, sizeof(detection_t), compare);
  for (int64_t i = 0; i < count && selected < w->per_class; i++) {
    const float *box = box_of(w, image, found[i]);
    bool is_free = true;
    for (int64_t j = selected - 1; j >= 0 && is_free; j--)
      is_free = !(sli_box_overlap(box, box_of(w, image, found[j])) > w->overlap_threshold);
    if (is_free) found[selected++] = found[i];
  }
  return selected;
}

static void select_of_images(void *context, int64_t begin, int64_t end) {
  const combined_t *w = context;
  detection_t *all = sli_malloc((size_t)(w->per_class * w->class_count + 1) * sizeof(detection_t));
  detection_t *of_class = sli_malloc((size_t)(w->box_count + 1) * sizeof(detection_t));
  for (int64_t image = begin; image < end; image++) {
    int64_t count = 0;
    for (int32_t k = 0; k < w->class_count; k++) {
      int64_t more = select_of_class(w, image, k, of_class);
      memcpy(all + count, of_class, (size_t)more * sizeof(detection_t));
      count += more;
    }
    qsort(all, (size_t)count, sizeof(detection_t), compare);
    if (count > w->total) count = w->total;
    for (int64_t i = 0; i < w->total; i++) {
      const int64_t at = image * w->total + i;
      const float *box = i < count ? box_of(w, image, all[i]) : NULL;
      for (int j = 0; j < 4; j++) {
        float value = box ? box[j] : 0;
        if (w->clip) value = fmaxf(fminf(value, 1), 0);
        SLI_DATA(float, w->outputs[0])[4 * at + j] = value;
      }
      SLI_DATA(float, w->outputs[1])[at] = box ? all[i].score : 0;
      SLI_DATA(float, w->outputs[2])[at] = box ? (float)all[i].klass : 0;
    }
    SLI_DATA(int32_t, w->outputs[3])[image] = (int32_t)count;
  }
  free(all);
  free(of_class);
}

static sli_status_t *require_scalar(sli_kernel_context_t *context, int index, const char *name) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  if (tensor->rank == 0) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 0-D, got shape %s", name,
                         sli_tensor_shape_text(tensor).text);
}

static sli_status_t *check_shapes(const sli_tensor_t *boxes, const sli_tensor_t *scores) {
  if (boxes->rank != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes must be 4-D [batch, num_boxes, q, 4], got shape %s",
                           sli_tensor_shape_text(boxes).text);
  if (scores->rank != 3)
    return sli_status_make(SLI_INVALID_ARGUMENT, "scores must be 3-D [batch, num_boxes, num_classes], got shape %s",
                           sli_tensor_shape_text(scores).text);
  if (boxes->dims[2] != 1 && boxes->dims[2] != scores->dims[2])
    return sli_status_make(SLI_INVALID_ARGUMENT, "third dimension of boxes must be either 1 or num classes");
  if (boxes->dims[3] != 4) return sli_status_make(SLI_INVALID_ARGUMENT, "boxes must have 4 columns");
  if (scores->dims[1] != boxes->dims[1]) return sli_status_make(SLI_INVALID_ARGUMENT, "scores has incompatible shape");
  if (scores->dims[0] != boxes->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes and scores must have same batch size");
  return NULL;
}

static sli_status_t *read_inputs(sli_kernel_context_t *context, combined_t *w) {
  const sli_tensor_t *boxes = sli_kernel_input(context, 0), *scores = sli_kernel_input(context, 1);
  bool pad_per_class;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "pad_per_class", &pad_per_class));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "clip_boxes", &w->clip));
  SLI_RETURN_IF_ERROR(check_shapes(boxes, scores));
  w->boxes = boxes->data;
  w->scores = scores->data;
  w->box_count = boxes->dims[1];
  w->boxes_per_box = boxes->dims[2];
  w->class_count = scores->dims[2];
  SLI_RETURN_IF_ERROR(require_scalar(context, 2, "max_size_per_class"));
  w->per_class = *SLI_DATA(int32_t, sli_kernel_input(context, 2));
  if (w->per_class <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "max_size_per_class must be positive");
  SLI_RETURN_IF_ERROR(require_scalar(context, 3, "max_total_size"));
  w->total = *SLI_DATA(int32_t, sli_kernel_input(context, 3));
  if (w->total <= 0) return sli_status_make(SLI_INVALID_ARGUMENT, "max_total_size must be > 0");
  SLI_RETURN_IF_ERROR(require_scalar(context, 4, "iou_threshold"));
  SLI_RETURN_IF_ERROR(require_scalar(context, 5, "score_threshold"));
  w->overlap_threshold = *SLI_DATA(float, sli_kernel_input(context, 4));
  w->score_threshold = *SLI_DATA(float, sli_kernel_input(context, 5));
  if (!(w->overlap_threshold >= 0 && w->overlap_threshold <= 1))
    return sli_status_make(SLI_INVALID_ARGUMENT, "iou_threshold must be in [0, 1]");
  if (w->box_count >= INT32_MAX || w->class_count >= INT32_MAX)
    return sli_status_make(SLI_INVALID_ARGUMENT, "size_per_class * num_classes causes overflow");
  if (pad_per_class && w->per_class * w->class_count < w->total) w->total = w->per_class * w->class_count;
  if (w->per_class > w->box_count) w->per_class = w->box_count;
  return NULL;
}

static sli_status_t *combined_compute(sli_kernel_context_t *context) {
  combined_t w = {0};
  const int64_t batch = sli_kernel_input(context, 0)->rank ? sli_kernel_input(context, 0)->dims[0] : 0;
  SLI_RETURN_IF_ERROR(read_inputs(context, &w));
  SLI_RETURN_IF_ERROR(
      sli_kernel_require_scratch(context, w.per_class * w.class_count + w.box_count + 2, sizeof(detection_t)));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(batch, w.total, 4), &w.outputs[0]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(batch, w.total), &w.outputs[1]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(batch, w.total), &w.outputs[2]));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 3, SLI_SHAPE(batch), &w.outputs[3]));
  sli_parallel_for(sli_kernel_pool(context), batch, 50.0 * (double)(w.box_count * w.class_count), select_of_images, &w);
  return NULL;
}

// --- The shape ------------------------------------------------------------------------------------

// The value of a scalar, -1 if it is not known.
static sli_status_t *scalar_dim(sli_infer_context_t *c, int index, int64_t *out_dim) {
  const sli_tensor_t *value = sli_infer_input_constant(c, index);
  *out_dim = value ? *SLI_DATA(int32_t, value) : -1;
  if (value && *out_dim < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input %d, must be non-negative but is %lld", index,
                           (long long)*out_dim);
  return NULL;
}

static sli_status_t *combined_shape(sli_infer_context_t *c) {
  sli_shape_t boxes, scores, unused;
  int64_t count, total, per_class;
  bool pad_per_class;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 4, &boxes));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 3, &scores));
  for (int i = 2; i < 6; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(boxes.dims[1], scores.dims[1], &count));
  SLI_RETURN_IF_ERROR(sli_resize_require_dim(boxes.dims[3], 4));
  if (boxes.dims[2] >= 0 && boxes.dims[2] != 1 && scores.dims[2] >= 0 && boxes.dims[2] != scores.dims[2])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "third dimension of boxes must be either 1 or equal to the third dimension of scores");
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "pad_per_class", &pad_per_class));
  SLI_RETURN_IF_ERROR(scalar_dim(c, 3, &total));
  if (pad_per_class) {
    SLI_RETURN_IF_ERROR(scalar_dim(c, 2, &per_class));
    if (total < 0 || per_class < 0 || scores.dims[2] < 0)
      total = -1;
    else if (per_class * scores.dims[2] < total)
      total = per_class * scores.dims[2];
  }
  const int64_t batch = boxes.dims[0];
  sli_infer_set_output(c, 0, sli_infer_make(c, 3, (int64_t[]){batch, total, 4}));
  sli_infer_set_output(c, 1, sli_infer_make(c, 2, (int64_t[]){batch, total}));
  sli_infer_set_output(c, 2, sli_infer_make(c, 2, (int64_t[]){batch, total}));
  sli_infer_set_output(c, 3, sli_infer_make(c, 1, &batch));
  return NULL;
}

static const sli_op_def_t ops[] = {
    {.name = "CombinedNonMaxSuppression",
     .inputs = "boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32, iou_threshold: "
               "float, score_threshold: float",
     .outputs = "nmsed_boxes: float, nmsed_scores: float, nmsed_classes: float, valid_detections: int32",
     .attrs = "pad_per_class: bool = false; clip_boxes: bool = true",
     .summary = "The best boxes of all classes of each image.",
     .shape = combined_shape},
};

static const sli_kernel_def_t kernels[] = {
    {.op = "CombinedNonMaxSuppression", .compute = combined_compute, .cost = 20},
};

SLI_OP_MODULE(combined_suppression);
