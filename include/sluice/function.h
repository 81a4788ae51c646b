// Functions of the graph, as tf.function: a part that is built once and called any number of times. Each call is a
// node; gradients flow through it, and a session puts the nodes of the function in its place, so that they may be on
// several devices and tasks. Ops that take a function, such as those of sluice/ops/function.h, take its name.
//
// The body is a function that builds nodes. It is called once. It may use values from outside: every call passes them
// as further arguments. Variables must be created outside. Nodes built inside can be used outside only through the
// results.
//
//   static void energy(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {
//     out_results[0] = sl_multiply(s, sl_multiply(s, x[0], x[0]), mass);
//   }
//   const sl_function_t *f = sl_function(s, energy, NULL, SL_TYPES(TF_FLOAT), 1);
//   TF_Output y = sl_call(s, f, SL_OUTPUTS(speed)).items[0];
#ifndef SLUICE_FUNCTION_H_
#define SLUICE_FUNCTION_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/math.h"
#include "sluice/ops/types.h"

SL_BEGIN_DECLS

typedef struct sl_function sl_function_t;

// Builds the body: writes the results.
typedef void (*sl_function_body_t)(sl_scope_t *scope, void *data, const TF_Output *arguments, TF_Output *out_results);

typedef struct {
  size_t struct_size;
  const char *name;          // NULL: "function"; made unique
  const sl_shape_t *shapes;  // of the arguments; NULL: not known
  bool no_inline;            // a call stays one node, on one device
} sl_function_options_t;

// A function with arguments of |types| and |result_count| results; owned by the scope. NULL after an error.
SL_EXPORT const sl_function_t *sl_function_with(sl_scope_t *scope, sl_function_body_t body, void *data,
                                                sl_op_types_t types, size_t result_count,
                                                const sl_function_options_t *options);
#define sl_function(scope, body, data, types, result_count, ...)          \
  sl_function_with(SL_AT(scope), (body), (data), (types), (result_count), \
                   SL_OPTIONS(sl_function_options_t, __VA_ARGS__))

// Calls the function: its results, owned by the scope. After an error they are there but empty.
SL_EXPORT sl_outputs_t sl_call_with(sl_scope_t *scope, const sl_function_t *function, sl_outputs_t arguments,
                                    const sl_op_options_t *options);
#define sl_call(scope, function, arguments, ...) \
  sl_call_with(SL_AT(scope), (function), (arguments), SL_OP_OPTIONS(__VA_ARGS__))

// The name by which attributes refer to the function; and the values from outside that it uses, which are its last
// arguments. Both are valid as long as the scope.
SL_EXPORT const char *sl_function_name(const sl_function_t *function);
SL_EXPORT sl_outputs_t sl_function_captures(const sl_function_t *function);

// --- Functions of the program ---

// Calls the program's function that a PyFunc, PyFuncStateless or EagerPyFunc node names by its attribute "token".
// Called on any thread, by several at the same time. Deletes |inputs|; sets all of |outputs| to new tensors, which the
// library deletes, or |status|.
typedef void (*sl_host_function_t)(const char *token, TF_Tensor **inputs, int input_count, TF_Tensor **outputs,
                                   int output_count, TF_Status *status);
// Sets it for all sessions and servers of the process. NULL: such nodes fail with UNIMPLEMENTED, as at first.
SL_EXPORT void sl_set_host_function(sl_host_function_t call);

SL_END_DECLS

#endif  // SLUICE_FUNCTION_H_
