// The interface of shape functions. The dims of every shape are in the context's
// arena. -1 is an unknown dimension, rank -1 an unknown rank.
//
//   static sli_status_t *matmul_shape(sli_infer_context_t *c) {
//     sli_shape_t a, b;
//     SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 2, &a));
//     …
//     sli_infer_set_output(c, 0, sli_infer_make(c, 2, (int64_t[]){rows, columns}));
//     return NULL;
//   }
#ifndef SLI_CORE_OP_SHAPE_INFERENCE_H_
#define SLI_CORE_OP_SHAPE_INFERENCE_H_

#include "core/op/node_def.h"
#include "core/op/op_registry.h"

// What is known of a resource handle: the variable's type and shape. Of a list: those of its elements; of a lookup
// table: those of its values.
typedef struct {
  sli_dtype_t dtype;  // SLI_DTYPE_INVALID: unknown
  sli_shape_t shape;
  int key_rank;  // of the keys of a lookup table
} sli_infer_handle_t;

struct sli_infer_context {
  const sli_node_def_t *node;
  sli_arena_t *arena;
  const sli_shape_t *inputs;
  const sli_infer_handle_t *input_handles;  // may be NULL
  sli_shape_t *outputs;                     // unknown at first
  sli_infer_handle_t *output_handles;       // unknown at first
  // The value of input |index| if it is a known constant (borrowed), else NULL.
  const sli_tensor_t *(*constant)(sli_infer_context_t *context, int index);
  // The value of input |index|, an integer vector, as a shape as far as it is
  // known (Shape, Pack, Concat, … of known shapes); NULL function: constants only.
  sli_shape_t (*constant_as_shape)(sli_infer_context_t *context, int index);
  void *user;
};

static inline sli_shape_t sli_infer_input(sli_infer_context_t *c, int index) { return c->inputs[index]; }
static inline void sli_infer_set_output(sli_infer_context_t *c, int index, sli_shape_t shape) {
  c->outputs[index] = shape;
}
const sli_tensor_t *sli_infer_input_constant(sli_infer_context_t *c, int index);
// The value of input |index| as a shape. Unknown values and -1 are unknown dimensions. INVALID_ARGUMENT for other
// negative values or a wrong rank.
sli_status_t *sli_infer_input_as_shape(sli_infer_context_t *c, int index, sli_shape_t *out_shape);

sli_shape_t sli_infer_make(sli_infer_context_t *c, int rank, const int64_t *dims);  // copies
sli_shape_t sli_infer_make_unknown_of_rank(sli_infer_context_t *c, int rank);
// -1: not known. Also if there is no such dimension, which the kernel then refuses.
static inline int64_t sli_infer_dim(sli_shape_t shape, int index) {
  if (index < 0) index += shape.rank;
  return index < 0 || index >= shape.rank ? -1 : shape.dims[index];
}

// "Shape must be rank 2 but is rank 1" (… "for 'node' (op: 'Op') with input shapes: …" is added by the caller).
sli_status_t *sli_infer_with_rank(sli_infer_context_t *c, sli_shape_t shape, int rank, sli_shape_t *out_shape);
sli_status_t *sli_infer_with_rank_at_least(sli_infer_context_t *c, sli_shape_t shape, int rank, sli_shape_t *out_shape);
sli_status_t *sli_infer_with_rank_at_most(sli_infer_context_t *c, sli_shape_t shape, int rank, sli_shape_t *out_shape);
static inline sli_status_t *sli_infer_input_with_rank(sli_infer_context_t *c, int index, int rank, sli_shape_t *out) {
  return sli_infer_with_rank(c, c->inputs[index], rank, out);
}
// "Dimensions must be equal, but are 2 and 3".
sli_status_t *sli_infer_merge_dims(int64_t a, int64_t b, int64_t *out_dim);
// "Shapes must be equal rank, but are 1 and 2" / "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are
// [2] and [3]."
sli_status_t *sli_infer_merge(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b, sli_shape_t *out_shape);
sli_shape_t sli_infer_concatenate(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b);
// dims [begin, end) as Python slices them (negatives from the end); unknown rank stays unknown.
sli_shape_t sli_infer_subshape(sli_infer_context_t *c, sli_shape_t shape, int begin, int end);
sli_shape_t sli_infer_replace_dim(sli_infer_context_t *c, sli_shape_t shape, int index, int64_t dim);

// Shape functions that many ops share.
sli_status_t *sli_infer_fn_unchanged(sli_infer_context_t *c);  // output 0 like input 0
sli_status_t *sli_infer_fn_unknown(sli_infer_context_t *c);    // every output unknown
sli_status_t *sli_infer_fn_scalar(sli_infer_context_t *c);     // every output a scalar
sli_status_t *sli_infer_fn_none(sli_infer_context_t *c);       // no outputs
sli_status_t *sli_infer_fn_broadcast(sli_infer_context_t *c);  // inputs 0 and 1 broadcast
sli_status_t *sli_infer_fn_merge(sli_infer_context_t *c);      // all inputs of one shape, output 0 that shape
sli_status_t *sli_infer_fn_explicit(sli_infer_context_t *c);   // output 0 from the attribute "shape"
sli_status_t *sli_infer_broadcast(sli_infer_context_t *c, sli_shape_t a, sli_shape_t b, sli_shape_t *out_shape);

#endif  // SLI_CORE_OP_SHAPE_INFERENCE_H_
