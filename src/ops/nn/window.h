// Sliding windows of convolutions and pooling: reads their attributes and computes output sizes and paddings.
#ifndef SLI_OPS_NN_WINDOW_H_
#define SLI_OPS_NN_WINDOW_H_

#include "core/op/node_def.h"
#include "core/op/shape_inference.h"

enum { SLI_WINDOW_MAX_RANK = 5 };

typedef enum { SLI_WINDOW_VALID, SLI_WINDOW_SAME, SLI_WINDOW_EXPLICIT } sli_window_padding_t;

// A value type that owns nothing. The arrays have one value for each dim of the tensor; values that the node does not
// have are 1 (0 for paddings). All values fit int32. Strides and dilations are at least 1 in the dims in which the
// window slides.
typedef struct {
  int rank;  // 4: rows and columns; 5: planes too
  bool channels_first;
  sli_window_padding_t padding;
  int64_t size[SLI_WINDOW_MAX_RANK], stride[SLI_WINDOW_MAX_RANK], dilation[SLI_WINDOW_MAX_RANK];
  int64_t before[SLI_WINDOW_MAX_RANK], after[SLI_WINDOW_MAX_RANK];  // explicit paddings
} sli_window_t;

// Reads those of the attributes ksize, strides, dilations, padding, explicit_paddings and data_format that |node| has.
// INVALID_ARGUMENT if they are invalid, e.g. "|name| requires the ksize attribute to contain 4 values, but got: 3".
sli_status_t *sli_window_read(const sli_node_def_t *node, int rank, const char *name, sli_window_t *out_window);

// The |i|-th dim in which the window slides, 0 <= |i| < rank - 2.
static inline int sli_window_dim(const sli_window_t *window, int i) { return i + (window->channels_first ? 2 : 1); }
static inline int sli_window_channel_dim(const sli_window_t *window) {
  return window->channels_first ? 1 : window->rank - 1;
}

// Computes output size and paddings for a window of |size| elements along dim |dim|, which has |input| elements.
// INVALID_ARGUMENT if the output size would be negative.
typedef struct {
  int64_t out, before, after;
} sli_window_extent_t;
sli_status_t *sli_window_extent(const sli_window_t *window, int dim, int64_t input, int64_t size,
                                sli_window_extent_t *out_extent);

// Computes the output size for shape functions: any size may be unknown (-1).
sli_status_t *sli_window_infer(const sli_window_t *window, int dim, int64_t input, int64_t size, int64_t *out);

#endif  // SLI_OPS_NN_WINDOW_H_
