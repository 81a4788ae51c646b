// NonMaxSuppression, V2 to V5 and WithOverlaps: selects boxes by score, except those that overlap too much with one
// selected before. With soft_nms_sigma (V5) an overlap lowers the score instead.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "math/half.h"
#include "ops/image/box_overlap.h"
#include "ops/image/pixels.h"

// --- The boxes that are left, best first: a heap --------------------------------------------------

typedef struct {
  int32_t box;
  float score;
  int64_t compared;  // how many of the selected boxes have changed the score already
} candidate_t;

typedef struct {
  candidate_t *items;
  int64_t count;
} candidates_t;

static bool is_better(const candidate_t *a, const candidate_t *b) {
  return a->score > b->score || (a->score == b->score && a->box < b->box);
}

static void push_candidate(candidates_t *heap, candidate_t candidate) {
  int64_t at = heap->count++;
  for (; at > 0 && is_better(&candidate, &heap->items[(at - 1) / 2]); at = (at - 1) / 2)
    heap->items[at] = heap->items[(at - 1) / 2];
  heap->items[at] = candidate;
}

static candidate_t pop_candidate(candidates_t *heap) {
  candidate_t best = heap->items[0], last = heap->items[--heap->count];
  int64_t at = 0;
  for (int64_t child; (child = 2 * at + 1) < heap->count; at = child) {
    if (child + 1 < heap->count && is_better(&heap->items[child + 1], &heap->items[child])) child++;
    if (!is_better(&heap->items[child], &last)) break;
    heap->items[at] = heap->items[child];
  }
  heap->items[at] = last;
  return best;
}

// --- Selection ------------------------------------------------------------------------------------

typedef struct {
  sli_dtype_t dtype;  // FLOAT, or HALF: numbers are rounded to it
  const float *boxes, *overlaps, *scores;
  int64_t count, most;
  float overlap_threshold, score_threshold, sigma;
  int32_t *selected;
  float *selected_scores;
  int64_t selected_count;
} suppression_t;

static float rounded(const suppression_t *s, float value) {
  return s->dtype == SLI_DTYPE_HALF ? sli_half_to_float(sli_half_from_float(value)) : value;
}

static float overlap_of(const suppression_t *s, int64_t a, int64_t b) {
  if (s->overlaps) return s->overlaps[a * s->count + b];
  return rounded(s, sli_box_overlap(s->boxes + 4 * a, s->boxes + 4 * b));
}

// Compares with the boxes selected since the last time; false if the candidate is out.
static bool survives(const suppression_t *s, candidate_t *candidate) {
  const bool is_soft = s->sigma > 0;
  const float scale = is_soft ? rounded(s, -0.5f / s->sigma) : 0;
  for (int64_t j = s->selected_count - 1; j >= candidate->compared; j--) {
    float overlap = overlap_of(s, candidate->box, s->selected[j]);
    if (!is_soft && overlap > s->overlap_threshold) return false;
    if (is_soft) {
      float weight = rounded(s, expf(rounded(s, rounded(s, scale * overlap) * overlap)));
      candidate->score = rounded(s, candidate->score * weight);
    }
    if (candidate->score <= s->score_threshold) break;
  }
  candidate->compared = s->selected_count;
  return true;
}

static void select_boxes(suppression_t *s, candidates_t *heap) {
  for (int64_t i = 0; i < s->count; i++)
    if (s->scores[i] > s->score_threshold) push_candidate(heap, (candidate_t){(int32_t)i, s->scores[i], 0});
  while (s->selected_count < s->most && heap->count) {
    candidate_t candidate = pop_candidate(heap);
    float score = candidate.score;
    if (!survives(s, &candidate)) continue;
    if (candidate.score == score) {
      s->selected[s->selected_count] = candidate.box;
      s->selected_scores[s->selected_count++] = score;
    } else if (candidate.score > s->score_threshold) {
      push_candidate(heap, candidate);
    }
  }
}

// --- The kernels ----------------------------------------------------------------------------------

static sli_status_t *read_threshold(sli_kernel_context_t *context, const suppression_t *s, int index, const char *name,
                                    float *out_value) {
  const sli_tensor_t *tensor = sli_kernel_input(context, index);
  float buffer;
  if (tensor->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s must be 0-D, got shape %s", name,
                           sli_tensor_shape_text(tensor).text);
  *out_value = rounded(s, *sli_pixels_as_floats((sli_dtype_t)tensor->dtype, tensor->data, 1, &buffer));
  return NULL;
}

// Reads the thresholds that the version of the op has.
static sli_status_t *read_thresholds(sli_kernel_context_t *context, suppression_t *s, bool has_overlaps) {
  const int inputs = context->input_count;
  s->score_threshold = s->dtype == SLI_DTYPE_HALF ? -65504.0f : -FLT_MAX;
  if (inputs == 3)
    SLI_RETURN_IF_ERROR(sli_node_attr_float(context->node, "iou_threshold", &s->overlap_threshold));
  else
    SLI_RETURN_IF_ERROR(
        read_threshold(context, s, 3, has_overlaps ? "overlap_threshold" : "iou_threshold", &s->overlap_threshold));
  if (!has_overlaps && !(s->overlap_threshold >= 0 && s->overlap_threshold <= 1))
    return sli_status_make(SLI_INVALID_ARGUMENT, "iou_threshold must be in [0, 1]");
  if (inputs > 4) SLI_RETURN_IF_ERROR(read_threshold(context, s, 4, "score_threshold", &s->score_threshold));
  if (inputs > 5) SLI_RETURN_IF_ERROR(read_threshold(context, s, 5, "soft_nms_sigma", &s->sigma));
  if (!(s->sigma >= 0)) return sli_status_make(SLI_INVALID_ARGUMENT, "soft_nms_sigma_val must be >= 0");
  return NULL;
}

static sli_status_t *check_shapes(const sli_tensor_t *boxes, const sli_tensor_t *scores, bool has_overlaps) {
  if (boxes->rank != 2 && has_overlaps)
    return sli_status_make(SLI_INVALID_ARGUMENT, "overlaps must be 2-D%s", sli_tensor_shape_text(boxes).text);
  if (boxes->rank != 2)
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes must be 2-D%s (Shape must be rank 2 but is rank %d)",
                           sli_tensor_shape_text(boxes).text, boxes->rank);
  if (has_overlaps && boxes->dims[1] != boxes->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT, "overlaps must be square%s", sli_tensor_shape_text(boxes).text);
  if (!has_overlaps && boxes->dims[1] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "boxes must have 4 columns (Dimension must be 4 but is %lld)",
                           (long long)boxes->dims[1]);
  if (scores->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "scores must be 1-D%s (Shape must be rank 1 but is rank %d)",
                           sli_tensor_shape_text(scores).text, scores->rank);
  if (scores->dims[0] != boxes->dims[0])
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "scores has incompatible shape (Dimensions must be equal, but are %lld and %lld)",
                           (long long)boxes->dims[0], (long long)scores->dims[0]);
  return NULL;
}

// The outputs: indices, scores (V5), how many are valid (V4, V5).
static sli_status_t *put_selected(sli_kernel_context_t *context, const suppression_t *s, bool pads) {
  sli_tensor_t *indices, *scores = NULL, *valid = NULL;
  const int outputs = context->output_count;
  const int64_t count = pads ? s->most : s->selected_count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(count), &indices));
  if (outputs == 3) SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &scores));
  for (int64_t i = 0; i < count; i++) {
    bool is_valid = i < s->selected_count;
    SLI_DATA(int32_t, indices)[i] = is_valid ? s->selected[i] : 0;
    float score = is_valid ? s->selected_scores[i] : 0;
    if (scores) sli_pixels_from_floats((sli_dtype_t)scores->dtype, &score, 1, sli_tensor_at(scores, i));
  }
  if (outputs == 1) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, outputs - 1, SLI_SHAPE_SCALAR, &valid));
  *SLI_DATA(int32_t, valid) = (int32_t)s->selected_count;
  return NULL;
}

static sli_status_t *run_suppression(sli_kernel_context_t *context, bool has_overlaps) {
  const sli_tensor_t *boxes = sli_kernel_input(context, 0), *scores = sli_kernel_input(context, 1);
  const sli_tensor_t *most = sli_kernel_input(context, 2);
  suppression_t s = {.dtype = (sli_dtype_t)boxes->dtype};
  bool pads = false;
  if (most->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "max_output_size must be 0-D, got shape %s (Shape must be rank 0 but is rank %d)",
                           sli_tensor_shape_text(most).text, most->rank);
  SLI_RETURN_IF_ERROR(read_thresholds(context, &s, has_overlaps));
  SLI_RETURN_IF_ERROR(check_shapes(boxes, scores, has_overlaps));
  s.most = *SLI_DATA(int32_t, most);
  if (s.most < 0) return sli_status_make(SLI_INVALID_ARGUMENT, "output size must be non-negative");
  if (sli_node_attr(context->node, "pad_to_max_output_size"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "pad_to_max_output_size", &pads));
  s.count = scores->count;
  SLI_RETURN_IF_ERROR(sli_kernel_require_scratch(context, boxes->count + 8 * s.count, sizeof(float)));
  // Everything is computed in float.
  float *floats = sli_malloc((size_t)(boxes->count + 2 * s.count + 1) * sizeof(float));
  const float *box_floats = sli_pixels_as_floats(s.dtype, boxes->data, boxes->count, floats);
  s.boxes = has_overlaps ? NULL : box_floats;
  s.overlaps = has_overlaps ? box_floats : NULL;
  s.scores = sli_pixels_as_floats(s.dtype, scores->data, s.count, floats + boxes->count);
  s.selected_scores = floats + boxes->count + s.count;
  s.selected = sli_malloc((size_t)(s.count + 1) * sizeof(int32_t));
  candidates_t heap = {.items = sli_malloc((size_t)(s.count + 1) * sizeof(candidate_t))};
  select_boxes(&s, &heap);
  sli_status_t *status = put_selected(context, &s, pads);
  free(floats);
  free(s.selected);
  free(heap.items);
  return status;
}

static sli_status_t *suppression_compute(sli_kernel_context_t *context) { return run_suppression(context, false); }
static sli_status_t *overlaps_compute(sli_kernel_context_t *context) { return run_suppression(context, true); }

// --- Shapes ---------------------------------------------------------------------------------------

static sli_status_t *suppression_shape_of(sli_infer_context_t *c, bool has_overlaps) {
  sli_shape_t boxes, scores, unused;
  int64_t count, length = -1;
  bool pads = false;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &boxes));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &scores));
  for (int i = 2; i < c->node->input_count; i++) SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, i, 0, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_merge_dims(boxes.dims[0], scores.dims[0], &count));
  if (has_overlaps)
    SLI_RETURN_IF_ERROR(sli_infer_merge_dims(boxes.dims[0], boxes.dims[1], &count));
  else if (boxes.dims[1] >= 0 && boxes.dims[1] != 4)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Dimension must be 4 but is %lld", (long long)boxes.dims[1]);
  if (sli_node_attr(c->node, "pad_to_max_output_size"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(c->node, "pad_to_max_output_size", &pads));
  const sli_tensor_t *most = pads ? sli_infer_input_constant(c, 2) : NULL;
  if (most) length = *SLI_DATA(int32_t, most);
  if (most && length < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Dimension size, given by scalar input 2, must be non-negative but is %lld",
                           (long long)length);
  for (int i = 0; i < c->node->output_count; i++) sli_infer_set_output(c, i, sli_infer_make(c, 1, &length));
  if (c->node->output_count > 1) sli_infer_set_output(c, c->node->output_count - 1, SLI_SHAPE_SCALAR);
  return NULL;
}

static sli_status_t *suppression_shape(sli_infer_context_t *c) { return suppression_shape_of(c, false); }
static sli_status_t *overlaps_shape(sli_infer_context_t *c) { return suppression_shape_of(c, true); }

// --- Tables ---------------------------------------------------------------------------------------

static const sli_op_def_t ops[] = {
    {.name = "NonMaxSuppression",
     .inputs = "boxes: float, scores: float, max_output_size: int32",
     .outputs = "selected_indices: int32",
     .attrs = "iou_threshold: float = 0.5",
     .summary = "The best boxes that do not overlap.",
     .shape = suppression_shape,
     .not_differentiable = true},
    {.name = "NonMaxSuppressionV2",
     .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold",
     .outputs = "selected_indices: int32",
     .attrs = "T: {half, float} = DT_FLOAT; T_threshold: {half, float} = DT_FLOAT",
     .summary = "The best boxes that do not overlap.",
     .shape = suppression_shape,
     .not_differentiable = true},
    {.name = "NonMaxSuppressionV3",
     .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold",
     .outputs = "selected_indices: int32",
     .attrs = "T: {half, float} = DT_FLOAT; T_threshold: {half, float} = DT_FLOAT",
     .summary = "The best boxes above a score that do not overlap.",
     .shape = suppression_shape},
    {.name = "NonMaxSuppressionV4",
     .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold",
     .outputs = "selected_indices: int32, valid_outputs: int32",
     .attrs = "T: {half, float} = DT_FLOAT; T_threshold: {half, float} = DT_FLOAT; pad_to_max_output_size: bool = "
              "false",
     .summary = "The best boxes above a score that do not overlap, padded.",
     .shape = suppression_shape},
    {.name = "NonMaxSuppressionV5",
     .inputs = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T",
     .outputs = "selected_indices: int32, selected_scores: T, valid_outputs: int32",
     .attrs = "T: {half, float} = DT_FLOAT; pad_to_max_output_size: bool = false",
     .summary = "The best boxes and their scores, which overlaps may lower.",
     .shape = suppression_shape},
    {.name = "NonMaxSuppressionWithOverlaps",
     .inputs = "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: "
               "float",
     .outputs = "selected_indices: int32",
     .summary = "The best boxes, by a matrix of their overlaps.",
     .shape = overlaps_shape,
     .not_differentiable = true},
};

#define FLOATS (SLI_TYPE_FLOAT | SLI_TYPE_HALF)

static const sli_kernel_def_t kernels[] = {
    {.op = "NonMaxSuppression", .compute = suppression_compute, .cost = 10},
    {.op = "NonMaxSuppressionV2", .types = FLOATS, .compute = suppression_compute, .cost = 10},
    {.op = "NonMaxSuppressionV3", .types = FLOATS, .compute = suppression_compute, .cost = 10},
    {.op = "NonMaxSuppressionV4", .types = FLOATS, .compute = suppression_compute, .cost = 10},
    {.op = "NonMaxSuppressionV5", .types = FLOATS, .compute = suppression_compute, .cost = 10},
    {.op = "NonMaxSuppressionWithOverlaps", .compute = overlaps_compute, .cost = 10},
};

SLI_OP_MODULE(non_max_suppression);
