// Parts of ops that other files of the training layer build with.
#ifndef SLI_TRAIN_OPS_INTERNAL_H_
#define SLI_TRAIN_OPS_INTERNAL_H_

#include "sluice/math.h"

// A Const with |number| in every element.
TF_Output sli_constant_fill(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape, double number, const char *name);
// A Const of |tensor|, which it deletes; NULL is an error of the scope.
TF_Output sli_constant_of(sl_scope_t *scope, TF_Tensor *tensor, const char *name);
// An int32 vector.
TF_Output sli_constant_int32s(sl_scope_t *scope, const int32_t *values, size_t count, const char *name);
// An operator between a Python number on the left and a tensor: a name scope "mul" with the number as "x".
TF_Output sli_scaled(sl_scope_t *scope, double number, TF_Output x);
// Any binary operator with a number on one side, "NAME/x" or "NAME/y", as Python's operators make it.
TF_Output sli_number_left(sl_scope_t *scope, const char *op, const char *name, double number, TF_Output y);
TF_Output sli_number_right(sl_scope_t *scope, const char *op, const char *name, TF_Output x, double number);
// With a name scope NAME ("transpose" for NULL) and the permutation in it.
TF_Output sli_transpose(sl_scope_t *scope, TF_Output x, const int32_t *permutation, size_t rank, const char *name);
// As tf.concat: a name scope NAME with "axis" in it.
TF_Output sli_concat(sl_scope_t *scope, const TF_Output *values, size_t count, int axis, const char *name);
// The same in the name scope that is open already, for values that are made in it.
TF_Output sli_concat_here(sl_scope_t *scope, const TF_Output *values, size_t count, int axis);
// Of any number of inputs of one type.
TF_Output sli_add_n(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name);
// x[begin:end, …] with steps of 1: "strided_slice" with its three constants. Masks have a bit for each axis.
enum { SLI_CUT_AXES = 2 };
typedef struct {
  size_t axes;
  int32_t begin[SLI_CUT_AXES], end[SLI_CUT_AXES];
  int begin_mask, end_mask, shrink_mask;
} sli_cut_t;
TF_Output sli_strided_slice(sl_scope_t *scope, TF_Output x, const sli_cut_t *slice);
// x[index] along the first dimension.
TF_Output sli_item(sl_scope_t *scope, TF_Output x, int index);
// "ExpandDims" with "dim"; "Squeeze" of one axis.
TF_Output sli_expand_dims(sl_scope_t *scope, TF_Output x, int axis);
TF_Output sli_squeeze(sl_scope_t *scope, TF_Output x, int axis);
// 0, 1, … |limit| - 1: "range" with "start" and "delta"; of a number with "limit" as well.
TF_Output sli_range(sl_scope_t *scope, int start, TF_Output limit);
TF_Output sli_range_to(sl_scope_t *scope, int32_t limit);
// Scalars as one vector; |name| NULL: "stack".
TF_Output sli_pack(sl_scope_t *scope, const TF_Output *values, size_t count, const char *name);
// Rows of |params|, as tf.gather: in a name scope |name| (NULL: "GatherV2") with "axis".
TF_Output sli_gather_rows(sl_scope_t *scope, TF_Output params, TF_Output indices, const char *name);
// The shape of |x| as a node "Shape": a constant where all of it is known.
TF_Output sli_shape_node(sl_scope_t *scope, TF_Output x);
// The attributes "seed" and "seed2" of a random node, of the graph's seed and its own (0: none).
void sli_node_seeds(sl_scope_t *scope, sl_node_t *node, int64_t seed);
// A RandomUniform node of [0, 1) for a shape that is a tensor, with the seeds of the scope.
TF_Output sli_random_uniform_node(sl_scope_t *scope, TF_Output shape, TF_DataType dtype, int64_t seed);
// "SCOPE/": the name that makes a node the one its name scope is named after; new.
char *sli_scope_own_name(sl_scope_t *scope);

// |output| once |operations| have run: an Identity "control_dependency" that goes with it. Empty like |output|.
TF_Output sli_after(sl_scope_t *scope, TF_Operation *const *operations, size_t count, TF_Output output);
// Tells the graph the shape of |value|, if both are known.
void sli_set_shape(sl_scope_t *scope, TF_Output value, sl_shape_t shape);

// |yes| where |condition| holds, else |no|.
TF_Output sli_select(sl_scope_t *scope, TF_Output condition, TF_Output yes, TF_Output no);

#endif  // SLI_TRAIN_OPS_INTERNAL_H_
