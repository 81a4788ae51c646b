// Loops and conditionals in the graph, as tf.while_loop and tf.cond of
// TensorFlow 1.x: the same nodes under the same names, and gradients flow
// through them. The parts are functions that build; each is called once, while
// the graph is built, and may use any value from outside: it is taken into the
// loop or the branch where a node first needs it. Variables that are made inside
// lie outside. What was built inside is of no use outside but for the results,
// which are as many as asked for also after an error, but empty.
//
//   static TF_Output more(sl_scope_t *s, void *data, const TF_Output *v) { return sl_less(s, v[0], limit); }
//   static void turn(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
//     next[0] = sl_add(s, v[0], one);
//     next[1] = sl_multiply(s, v[1], x);
//   }
//   sl_outputs_t last = sl_while_loop(s, more, turn, NULL, SL_OUTPUTS(zero, x));
#ifndef SLUICE_CONTROL_FLOW_H_
#define SLUICE_CONTROL_FLOW_H_

#include "sluice/math.h"

SL_BEGIN_DECLS

// Whether there is another turn: a scalar bool made of the loop's variables.
typedef TF_Output (*sl_loop_condition_t)(sl_scope_t *scope, void *data, const TF_Output *variables);
// One turn: writes what each variable is after it.
typedef void (*sl_loop_body_t)(sl_scope_t *scope, void *data, const TF_Output *variables, TF_Output *out_next);

typedef struct {
  size_t struct_size;
  const char *name;                    // NULL: "while"
  int parallel_iterations;             // turns that may overlap; 0: 10
  bool no_back_prop;                   // no gradient flows through the loop
  TF_Output maximum_iterations;        // at most so many turns, a scalar int32 or int64; empty: no limit
  const sl_shape_t *shape_invariants;  // one per variable: what of its shape holds at every turn; NULL: all of it
} sl_while_loop_options_t;

// The values of |variables| after the last turn; owned by the scope. Types, and shapes but for .shape_invariants, must
// stay the same from turn to turn.
SL_EXPORT sl_outputs_t sl_while_loop_with(sl_scope_t *scope, sl_loop_condition_t condition, sl_loop_body_t body,
                                          void *data, sl_outputs_t variables, const sl_while_loop_options_t *options);
#define sl_while_loop(scope, condition, body, data, variables, ...)          \
  sl_while_loop_with(SL_AT(scope), (condition), (body), (data), (variables), \
                     SL_OPTIONS(sl_while_loop_options_t, __VA_ARGS__))

// Builds a branch and writes its results, as many as the other branch's and of the same types. A result may be an
// operation, as SL_OPERATION(operation): it then runs if the branch is taken, and the conditional's result is a bool
// that is there once it has run.
typedef void (*sl_branch_t)(sl_scope_t *scope, void *data, TF_Output *out_results);
#define SL_OPERATION(operation) ((TF_Output){(operation), -1})

// The |count| results of |yes| if |pred|, a scalar bool, is true, else those of |no|; owned by the scope.
SL_EXPORT sl_outputs_t sl_cond_with(sl_scope_t *scope, TF_Output pred, sl_branch_t yes, sl_branch_t no, void *data,
                                    size_t count, const sl_op_options_t *options);
#define sl_cond(scope, pred, yes, no, data, count, ...) \
  sl_cond_with(SL_AT(scope), (pred), (yes), (no), (data), (count), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_CONTROL_FLOW_H_
