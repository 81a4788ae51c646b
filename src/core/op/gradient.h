// The interface of an op's gradient function. The function emits nodes into the graph
// and sets the gradient of each input. It need not check for errors: after the first
// error emits return an invalid output, and the driver reports that error.
//
//   static sli_status_t *mul_gradient(sli_gradient_builder_t *b) {
//     sli_output_t g = sli_gradient_of_output(b, 0);
//     sli_gradient_set(b, 0, SLI_EMIT(b, "Mul", SLI_INPUTS(g, sli_gradient_input(b, 1))));
//     …
//     return NULL;
//   }
#ifndef SLI_CORE_OP_GRADIENT_H_
#define SLI_CORE_OP_GRADIENT_H_

#include "core/op/node_def.h"
#include "core/op/op_registry.h"

typedef struct sli_node sli_node_t;  // a graph's node; opaque here

typedef struct {
  sli_node_t *node;  // NULL: none
  int index;
} sli_output_t;
#define SLI_OUTPUT_NONE ((sli_output_t){NULL, 0})

// Dense gradients have |values| only; IndexedSlices (of Gather) all three.
typedef struct {
  sli_output_t values, indices, dense_shape;
} sli_gradient_slices_t;

struct sli_gradient_builder {
  const sli_node_def_t *node;  // the node being differentiated
  sli_node_t *graph_node;
  const char *prefix;          // what the names of all gradient nodes of this call of gradients() begin with
  const sli_output_t *inputs;  // the outputs that it reads
  const sli_gradient_slices_t *output_gradients;  // one per output; values.node NULL: no gradient flows here
  sli_gradient_slices_t *input_gradients;         // set by the function; none at first
  sli_status_t *status;                           // first error
  // Adds a node named |name| ("" : after the op) under the gradient's name scope,
  // with the device and colocation that the driver chooses. Returns its output 0.
  sli_output_t (*emit)(sli_gradient_builder_t *builder, const char *op, const char *name, const sli_output_t *inputs,
                       size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count);
  const sli_node_def_t *(*def)(sli_gradient_builder_t *builder, sli_node_t *node);
  sli_shape_t (*shape)(sli_gradient_builder_t *builder, sli_output_t output);  // as far as inferred
  void *user;
  // The nodes that sli_gradient_unbroadcast emitted for a pair of inputs, shared by both; zero at first.
  struct {
    int low, high;
    sli_output_t low_shape, high_shape, axes;
  } broadcast;
};

static inline sli_output_t sli_gradient_input(sli_gradient_builder_t *b, int index) { return b->inputs[index]; }
static inline sli_output_t sli_gradient_output(sli_gradient_builder_t *b, int index) {
  return (sli_output_t){b->graph_node, index};
}
// The dense gradient that flows into output |index|; IndexedSlices are densified
// (UnsortedSegmentSum). Zeros (ZerosLike of the output) if none flows.
sli_output_t sli_gradient_of_output(sli_gradient_builder_t *b, int index);
// Whether any gradient flows into output |index|.
static inline bool sli_gradient_flows(sli_gradient_builder_t *b, int index) {
  return b->output_gradients[index].values.node != NULL;
}
static inline void sli_gradient_set(sli_gradient_builder_t *b, int index, sli_output_t gradient) {
  b->input_gradients[index] = (sli_gradient_slices_t){.values = gradient};
}
static inline void sli_gradient_set_slices(sli_gradient_builder_t *b, int index, sli_gradient_slices_t gradient) {
  b->input_gradients[index] = gradient;
}
sli_dtype_t sli_gradient_dtype(sli_gradient_builder_t *b, sli_output_t output);  // base type of an output
// Output |index| of the node that |output| belongs to (for ops with several).
static inline sli_output_t sli_output_at(sli_output_t output, int index) { return (sli_output_t){output.node, index}; }

#define SLI_INPUTS(...) \
  (const sli_output_t[]){__VA_ARGS__}, sizeof((const sli_output_t[]){__VA_ARGS__}) / sizeof(sli_output_t)
#define SLI_ATTRS(...) \
  (const sli_attr_entry_t[]){__VA_ARGS__}, sizeof((const sli_attr_entry_t[]){__VA_ARGS__}) / sizeof(sli_attr_entry_t)
// SLI_EMIT(b, "Neg", SLI_INPUTS(x)); type attributes are inferred from the inputs.
#define SLI_EMIT(b, op, inputs_and_count) sli_gradient_emit(b, op, inputs_and_count, NULL, 0)
#define SLI_EMIT_WITH(b, op, inputs_and_count, attrs_and_count) \
  sli_gradient_emit(b, op, inputs_and_count, attrs_and_count)
sli_output_t sli_gradient_emit(sli_gradient_builder_t *b, const char *op, const sli_output_t *inputs,
                               size_t input_count, const sli_attr_entry_t *attrs, size_t attr_count);
// Const nodes.
sli_output_t sli_gradient_const(sli_gradient_builder_t *b, sli_tensor_t *value);  // consumes
sli_output_t sli_gradient_const_int32(sli_gradient_builder_t *b, int32_t value);
sli_output_t sli_gradient_const_ints(sli_gradient_builder_t *b, const int32_t *values, int count);
// A scalar of the dtype of |like|.
sli_output_t sli_gradient_const_like(sli_gradient_builder_t *b, sli_output_t like, double value);

// Sums |gradient| down to the shape of |input| where broadcasting had widened it
// (Shape, BroadcastGradientArgs, Sum, Reshape; nothing when the static shapes agree).
sli_output_t sli_gradient_unbroadcast(sli_gradient_builder_t *b, sli_output_t gradient, int input, int other_input);

#endif  // SLI_CORE_OP_GRADIENT_H_
