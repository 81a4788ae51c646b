// The body of a function as a graph of its own: for a function of a library and given attributes. FunctionDefs come
// from users and peers: everything is checked as in an import, and errors have TensorFlow's texts.
#ifndef SLI_GRAPH_FUNCTION_FUNCTION_BODY_H_
#define SLI_GRAPH_FUNCTION_FUNCTION_BODY_H_

#include "graph/import.h"

typedef struct {
  sli_graph_t *graph;       // has the library of the function
  sli_output_t *arguments;  // outputs of _Arg nodes
  sli_output_t *results;    // several may be the same, or arguments
  sli_node_t **controls;    // nodes that a call must have run when it ends ("control_ret")
  size_t argument_count, result_count, control_count;
} sli_function_body_t;

// NOT_FOUND if the library, which may be NULL, has no such function; INVALID_ARGUMENT if its body is not valid.
sli_status_t *sli_function_body_create(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                                       sli_function_body_t *out_body);
// The body of the function's gradient: of the function that the library names for it, or its derivative. Its arguments
// are those of the function and a gradient for each result; its results are a gradient for each argument.
sli_status_t *sli_function_body_create_gradient(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                                                sli_function_body_t *out_body);
// The same, where something is known of the arguments: for shape inference. The body must not run: constants take the
// place of arguments. An error has no prefix that names the function.
typedef struct {
  const sli_shape_t *shapes;
  const sli_infer_handle_t *handles;
  sli_tensor_t *const *constants;  // NULL where the value is not known
  size_t count;
  sli_graph_infer_call_fn_t infer_call;  // for calls within the body, with its state
  const void *infer_state;
} sli_function_body_known_t;
sli_status_t *sli_function_body_create_known(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                                             const sli_function_body_known_t *known, sli_function_body_t *out_body);
void sli_function_body_deinitialize(sli_function_body_t *body);

// The types of the arguments (|is_output|: of the results) of a call with these attributes, appended.
typedef SLI_ARRAY(sli_dtype_t) sli_function_body_types_t;
sli_status_t *sli_function_body_types(const sli_op_t *op, const sli_attr_entry_t *attrs, size_t attr_count,
                                      bool is_output, sli_function_body_types_t *types);

// The function that |node| calls, by its op or by an attribute "f" as PartitionedCall and RemoteCall do.
bool sli_function_body_called(const sli_node_t *node, sli_attr_func_t *out_name);

// A function's own attribute, such as "_noinline"; false if it is absent or not true.
bool sli_function_body_flag(const sli_graph_function_t *function, const char *name);

#endif  // SLI_GRAPH_FUNCTION_FUNCTION_BODY_H_
