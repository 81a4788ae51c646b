// Small groups of nodes that the training library builds with: an op together with
// the constants of its arguments, named as in TensorFlow's Python library.
#ifndef SLI_TRAIN_GRAPH_BUILD_H_
#define SLI_TRAIN_GRAPH_BUILD_H_

#include "sluice/math.h"

// The name that |options| (NULL: none) give, else |default_name|.
static inline const char *sli_build_name_or(const sl_op_options_t *options, const char *default_name) {
  return options && options->name ? options->name : default_name;
}

// A Const with |number| in every element.
TF_Output sli_build_constant_fill(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, double number,
                                  const char *name);
// A Const of |tensor|, which it deletes. If |tensor| is NULL, sets an error in the scope.
TF_Output sli_build_constant_tensor(sl_scope_t *scope, TF_Tensor *tensor, const char *name);
// An int32 vector.
TF_Output sli_build_constant_int32s(sl_scope_t *scope, const int32_t *values, size_t count, const char *name);
// An int32 vector of the dimensions of |shape|; empty if the rank is unknown.
TF_Output sli_build_constant_shape(sl_scope_t *scope, sl_shape_t shape, const char *name);
// |number| * |x|, as Python builds it: in a name scope "mul" with the number as "x".
TF_Output sli_build_scaled(sl_scope_t *scope, double number, TF_Output x);
// A binary op with a number on one side, "NAME/x" or "NAME/y", as Python's operators build it.
TF_Output sli_build_number_left(sl_scope_t *scope, const char *op, const char *name, double number, TF_Output y);
TF_Output sli_build_number_right(sl_scope_t *scope, const char *op, const char *name, TF_Output x, double number);
// In a name scope |name| (NULL: "transpose"), with the permutation in it.
TF_Output sli_build_transpose(sl_scope_t *scope, TF_Output x, const int32_t *permutation, size_t rank,
                              const char *name);
// As tf.concat: in a name scope |name| with "axis" in it.
TF_Output sli_build_concat(sl_scope_t *scope, const TF_Output *values, size_t count, int axis, const char *name);
// The same in the current name scope, for values that are built in it.
TF_Output sli_build_concat_here(sl_scope_t *scope, const TF_Output *values, size_t count, int axis);
// The sum of any number of inputs of one type.
TF_Output sli_build_add_n(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name);
// x[begin:end, …] with strides of 1: "strided_slice" with its three constants. Masks have one bit for each axis.
enum { SLI_BUILD_SLICE_AXES = 2 };
typedef struct {
  size_t axes;
  int32_t begin[SLI_BUILD_SLICE_AXES], end[SLI_BUILD_SLICE_AXES];
  int begin_mask, end_mask, shrink_mask;
} sli_build_slice_t;
TF_Output sli_build_strided_slice(sl_scope_t *scope, TF_Output x, const sli_build_slice_t *slice);
// x[index] along the first dimension.
TF_Output sli_build_element(sl_scope_t *scope, TF_Output x, int index);
// "ExpandDims" with "dim"; "Squeeze" of one axis.
TF_Output sli_build_expand_dims(sl_scope_t *scope, TF_Output x, int axis);
TF_Output sli_build_squeeze(sl_scope_t *scope, TF_Output x, int axis);
// start, … |limit| - 1: "range" with "start" and "delta". The second form starts at 0 and builds "limit", too.
TF_Output sli_build_range(sl_scope_t *scope, int start, TF_Output limit);
TF_Output sli_build_range_to(sl_scope_t *scope, int32_t limit);
// A vector of scalars; |name| NULL: "stack".
TF_Output sli_build_pack(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name);
// The rows |indices| of |params|, as tf.gather: in a name scope |name| (NULL: "GatherV2") with "axis".
TF_Output sli_build_gather_rows(sl_scope_t *scope, TF_Output params, TF_Output indices, const char *name);
// The shape of |x| as a node "Shape": a constant if it is fully known.
TF_Output sli_build_shape(sl_scope_t *scope, TF_Output x);
// Sets the attributes "seed" and "seed2" of a random node from the graph's seed and its own (0: none).
void sli_build_seeds(sl_scope_t *scope, sl_node_t *node, int64_t seed);
// A RandomUniform node in [0, 1) for a shape that is a tensor.
TF_Output sli_build_random_uniform(sl_scope_t *scope, TF_Output shape, TF_DataType dtype, int64_t seed);
// "SCOPE/": the node name that gives a node the name of the current name scope. New.
char *sli_build_scope_node_name(sl_scope_t *scope);

// |output| after |operations| have run: an Identity "control_dependency", colocated with it. Empty if |output| is.
TF_Output sli_build_after(sl_scope_t *scope, TF_Operation *const *operations, size_t count, TF_Output output);
// Sets the shape of |value| in the graph, unless one of them is unknown or empty.
void sli_build_set_shape(sl_scope_t *scope, TF_Output value, sl_shape_t shape);
// Whether the static shapes of |x| and |y| can be equal.
bool sli_build_is_compatible(sl_scope_t *scope, TF_Output x, TF_Output y);
// As assert_is_compatible_with: sets an error in the scope unless they can be. Returns whether the scope has no error.
bool sli_build_check_compatible(sl_scope_t *scope, TF_Output x, TF_Output y);
// Whether |x|, which errors call |what|, can be a scalar; else sets an error in the scope.
bool sli_build_check_scalar(sl_scope_t *scope, TF_Output x, const char *what);
bool sli_build_check_shapes(sl_scope_t *scope, sl_shape_t a, sl_shape_t b);

// |yes| where |condition| is true, else |no|.
TF_Output sli_build_select(sl_scope_t *scope, TF_Output condition, TF_Output yes, TF_Output no);

#endif  // SLI_TRAIN_GRAPH_BUILD_H_
