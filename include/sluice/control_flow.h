// Loops and conditionals in the graph, as tf.while_loop and tf.cond of
// TensorFlow 1.x: the same nodes under the same names, and gradients flow
// through them. Conditions, bodies and branches are functions that build nodes.
// Each is called once, while the graph is built, and may use any value from
// outside: the value is captured where a node first uses it. Variables that are
// created inside are placed outside. Nodes built inside cannot be used outside,
// except through the results. After an error the results are there but empty.
//
//   static TF_Output more(sl_scope_t *s, void *data, const TF_Output *v) { return sl_less(s, v[0], limit); }
//   static void body(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
//     next[0] = sl_add(s, v[0], one);
//     next[1] = sl_multiply(s, v[1], x);
//   }
//   sl_outputs_t last = sl_while_loop(s, more, body, NULL, SL_OUTPUTS(zero, x));
#ifndef SLUICE_CONTROL_FLOW_H_
#define SLUICE_CONTROL_FLOW_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/math.h"

SL_BEGIN_DECLS

// Builds a scalar bool from the loop's variables: whether there is another iteration.
typedef TF_Output (*sl_loop_condition_t)(sl_scope_t *scope, void *data, const TF_Output *variables);
// Builds one iteration: writes the next value of each variable.
typedef void (*sl_loop_body_t)(sl_scope_t *scope, void *data, const TF_Output *variables, TF_Output *out_next);

typedef struct {
  size_t struct_size;
  const char *name;                    // NULL: "while"
  int parallel_iterations;             // how many iterations may overlap; 0: 10
  bool no_back_prop;                   // no gradient flows through the loop
  TF_Output maximum_iterations;        // a scalar int32 or int64; empty: no limit
  const sl_shape_t *shape_invariants;  // one per variable: what stays the same of its shape; NULL: the whole shape
} sl_while_loop_options_t;

// The values of |variables| after the last iteration; owned by the scope. Types, and shapes except as allowed by
// .shape_invariants, must stay the same in all iterations.
SL_EXPORT sl_outputs_t sl_while_loop_with(sl_scope_t *scope, sl_loop_condition_t condition, sl_loop_body_t body,
                                          void *data, sl_outputs_t variables, const sl_while_loop_options_t *options);
#define sl_while_loop(scope, condition, body, data, variables, ...)          \
  sl_while_loop_with(SL_AT(scope), (condition), (body), (data), (variables), \
                     SL_OPTIONS(sl_while_loop_options_t, __VA_ARGS__))

// Builds a branch and writes its results. Both branches must write the same number of results of the same types. A
// result may be an operation, SL_OPERATION(operation): it runs if the branch is taken, and the result of the
// conditional is a bool that is available once it has run.
typedef void (*sl_branch_t)(sl_scope_t *scope, void *data, TF_Output *out_results);
#define SL_OPERATION(operation) ((TF_Output){(operation), -1})

// The |count| results of |yes| if |pred|, a scalar bool, is true, else those of |no|; owned by the scope.
SL_EXPORT sl_outputs_t sl_cond_with(sl_scope_t *scope, TF_Output pred, sl_branch_t yes, sl_branch_t no, void *data,
                                    size_t count, const sl_op_options_t *options);
#define sl_cond(scope, pred, yes, no, data, count, ...) \
  sl_cond_with(SL_AT(scope), (pred), (yes), (no), (data), (count), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_CONTROL_FLOW_H_
