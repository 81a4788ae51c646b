// Sliding windows, as convolutions and pooling share them: their attributes,
// the sizes that they give, and the paddings that make these sizes.
#ifndef SLI_OPS_NN_WINDOW_H_
#define SLI_OPS_NN_WINDOW_H_

#include "core/node_def.h"
#include "core/shape_inference.h"

enum { SLI_WINDOW_MAX_RANK = 5 };

typedef enum { SLI_PADDING_VALID, SLI_PADDING_SAME, SLI_PADDING_EXPLICIT } sli_padding_t;

// Embedded, owns nothing. Per dim, in the order of the tensor's dims; what a
// node does not say is 1 (0 for paddings). Every value lies in [0, INT32_MAX].
typedef struct {
  int rank;  // 4: rows and columns; 5: planes too
  bool channels_first;
  sli_padding_t padding;
  int64_t size[SLI_WINDOW_MAX_RANK], stride[SLI_WINDOW_MAX_RANK], dilation[SLI_WINDOW_MAX_RANK];
  int64_t before[SLI_WINDOW_MAX_RANK], after[SLI_WINDOW_MAX_RANK];  // explicit paddings
} sli_window_t;

// Reads the attributes ksize, strides, dilations, padding, explicit_paddings and
// data_format as far as |node| has them. INVALID_ARGUMENT "|name| requires the
// ksize attribute to contain 4 values, but got: 3" and the like.
sli_status_t *sli_window_read(const sli_node_def_t *node, int rank, const char *name, sli_window_t *out_window);

// The dims in which a window slides: |i| from 0 to rank - 3.
static inline int sli_window_dim(const sli_window_t *window, int i) { return i + (window->channels_first ? 2 : 1); }
static inline int sli_window_channel_dim(const sli_window_t *window) {
  return window->channels_first ? 1 : window->rank - 1;
}

// How a window of |size| slides along |input| elements of dim |dim|. INVALID_ARGUMENT if there is no such output.
typedef struct {
  int64_t out, before, after;
} sli_extent_t;
sli_status_t *sli_window_extent(const sli_window_t *window, int dim, int64_t input, int64_t size,
                                sli_extent_t *out_extent);

// The same for shape functions: any size may be unknown (-1).
sli_status_t *sli_window_infer(const sli_window_t *window, int dim, int64_t input, int64_t size, int64_t *out);

#endif  // SLI_OPS_NN_WINDOW_H_
