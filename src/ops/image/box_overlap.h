// The overlap of two boxes, for non-maximum suppression.
#ifndef SLI_OPS_IMAGE_BOX_OVERLAP_H_
#define SLI_OPS_IMAGE_BOX_OVERLAP_H_

static inline float sli_box_least(float a, float b) { return b < a ? b : a; }
static inline float sli_box_most(float a, float b) { return a < b ? b : a; }

// The area of the intersection over that of the union; corners in any order.
static inline float sli_box_overlap(const float *a, const float *b) {
  const float top_a = sli_box_least(a[0], a[2]), bottom_a = sli_box_most(a[0], a[2]);
  const float left_a = sli_box_least(a[1], a[3]), right_a = sli_box_most(a[1], a[3]);
  const float top_b = sli_box_least(b[0], b[2]), bottom_b = sli_box_most(b[0], b[2]);
  const float left_b = sli_box_least(b[1], b[3]), right_b = sli_box_most(b[1], b[3]);
  const float area_a = (bottom_a - top_a) * (right_a - left_a), area_b = (bottom_b - top_b) * (right_b - left_b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = sli_box_least(bottom_a, bottom_b) - sli_box_most(top_a, top_b);
  const float width = sli_box_least(right_a, right_b) - sli_box_most(left_a, left_b);
  const float common = sli_box_most(height, 0) * sli_box_most(width, 0);
  return common / (area_a + area_b - common);
}

#endif  // SLI_OPS_IMAGE_BOX_OVERLAP_H_
