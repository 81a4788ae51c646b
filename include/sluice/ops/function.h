// Ops: calls of functions, conditionals and loops with functions.
// Generated from src/ops/function by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_FUNCTION_H_
#define SLUICE_OPS_FUNCTION_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Case(branch_index: int32, input: Tin) -> output: Tout
// Calls one of several functions.
// Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; output_shapes: list(shape) = []
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t output_shapes;
} sl_op_case_options_t;
static inline sl_op_list_t sl_op_case_with(sl_scope_t *scope, TF_Output branch_index, const TF_Output *input,
    size_t input_count, sl_op_types_t Tout, sl_op_texts_t branches, const sl_op_case_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Case", options->name);
  sl_node_input(node, branch_index);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function_list(node, "branches", branches.values, branches.count);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_case(scope, branch_index, input, input_count, Tout, branches, ...) \
  sl_op_case_with(SL_AT(scope), (branch_index), (input), (input_count), (Tout), (branches), SL_OPTIONS( \
    sl_op_case_options_t, __VA_ARGS__))

// DeviceIndex() -> index: int32
// The position of this node's kind of device in a list.
// device_names: list(string)
// Stateful, no gradient.
static inline TF_Output sl_op_device_index_with(sl_scope_t *scope, sl_op_texts_t device_names,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeviceIndex", options->name);
  sl_node_attr_text_list(node, "device_names", device_names.values, device_names.count);
  return sl_node_output(node);
}
#define sl_op_device_index(scope, device_names, ...) \
  sl_op_device_index_with(SL_AT(scope), (device_names), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FakeParam() -> output: dtype
// A value that is never used.
// dtype: type; shape: shape
// No gradient.
static inline TF_Output sl_op_fake_param_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FakeParam", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}
#define sl_op_fake_param(scope, dtype, shape, ...) \
  sl_op_fake_param_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// For(start: int32, limit: int32, delta: int32, input: T) -> output: T
// Calls a function for every number of a range.
// T: list(type) >= 0; body: func
// No gradient.
static inline sl_op_list_t sl_op_for_with(sl_scope_t *scope, TF_Output start, TF_Output limit, TF_Output delta,
    const TF_Output *input, size_t input_count, const char *body, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "For", options->name);
  sl_node_input(node, start);
  sl_node_input(node, limit);
  sl_node_input(node, delta);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_function(node, "body", body);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_for(scope, start, limit, delta, input, input_count, body, ...) \
  sl_op_for_with(SL_AT(scope), (start), (limit), (delta), (input), (input_count), (body), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// If(cond: Tcond, input: Tin) -> output: Tout
// Calls one of two functions.
// Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; else_branch: func; output_shapes:
//   list(shape) = []
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t output_shapes;
} sl_op_if_options_t;
static inline sl_op_list_t sl_op_if_with(sl_scope_t *scope, TF_Output cond, const TF_Output *input,
    size_t input_count, sl_op_types_t Tout, const char *then_branch, const char *else_branch,
    const sl_op_if_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "If", options->name);
  sl_node_input(node, cond);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function(node, "then_branch", then_branch);
  sl_node_attr_function(node, "else_branch", else_branch);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_if(scope, cond, input, input_count, Tout, then_branch, else_branch, ...) \
  sl_op_if_with(SL_AT(scope), (cond), (input), (input_count), (Tout), (then_branch), (else_branch), SL_OPTIONS( \
    sl_op_if_options_t, __VA_ARGS__))

// MapDefun(arguments: Targuments, captured_inputs: Tcaptured) -> output: output_types
// Calls a function for every slice of its arguments.
// Targuments: list(type) >= 1; Tcaptured: list(type) >= 0 = []; output_types: list(type) >= 1; output_shapes:
//   list(shape) >= 1; f: func; max_intra_op_parallelism: int = 1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_intra_op_parallelism;
} sl_op_map_defun_options_t;
static inline sl_op_list_t sl_op_map_defun_with(sl_scope_t *scope, const TF_Output *arguments,
    size_t arguments_count, const TF_Output *captured_inputs, size_t captured_inputs_count,
    sl_op_types_t output_types, sl_op_shapes_t output_shapes, const char *f,
    const sl_op_map_defun_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MapDefun", options->name);
  sl_node_input_list(node, arguments, arguments_count);
  sl_node_input_list(node, captured_inputs, captured_inputs_count);
  sl_node_attr_type_list(node, "output_types", output_types.values, output_types.count);
  sl_node_attr_shape_list(node, "output_shapes", output_shapes.values, output_shapes.count);
  sl_node_attr_function(node, "f", f);
  sl_node_attr_int(node, "max_intra_op_parallelism", options->max_intra_op_parallelism);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_map_defun(scope, arguments, arguments_count, captured_inputs, captured_inputs_count, output_types, \
    output_shapes, f, ...) \
  SL_OVER_DEFAULTS(sl_op_map_defun_with(SL_AT(scope), (arguments), (arguments_count), (captured_inputs), ( \
    captured_inputs_count), (output_types), (output_shapes), (f), SL_OPTIONS(sl_op_map_defun_options_t, \
    .max_intra_op_parallelism = 1, __VA_ARGS__)))

// PartitionedCall(args: Tin) -> output: Tout
// Calls a function.
// Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; config_proto: string = '';
//   executor_type: string = ''
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *config;
  const char *config_proto;
  const char *executor_type;
} sl_op_partitioned_call_options_t;
static inline sl_op_list_t sl_op_partitioned_call_with(sl_scope_t *scope, const TF_Output *args, size_t args_count,
    sl_op_types_t Tout, const char *f, const sl_op_partitioned_call_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PartitionedCall", options->name);
  sl_node_input_list(node, args, args_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function(node, "f", f);
  if (options->config) sl_node_attr_text(node, "config", options->config);
  if (options->config_proto) sl_node_attr_text(node, "config_proto", options->config_proto);
  if (options->executor_type) sl_node_attr_text(node, "executor_type", options->executor_type);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_partitioned_call(scope, args, args_count, Tout, f, ...) \
  sl_op_partitioned_call_with(SL_AT(scope), (args), (args_count), (Tout), (f), SL_OPTIONS( \
    sl_op_partitioned_call_options_t, __VA_ARGS__))

// RemoteCall(target: string, args: Tin) -> output: Tout
// Calls a function on another device.
// Tin: list(type) >= 1; Tout: list(type) >= 1; f: func
// Stateful, no gradient.
static inline sl_op_list_t sl_op_remote_call_with(sl_scope_t *scope, TF_Output target, const TF_Output *args,
    size_t args_count, sl_op_types_t Tout, const char *f, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RemoteCall", options->name);
  sl_node_input(node, target);
  sl_node_input_list(node, args, args_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function(node, "f", f);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_remote_call(scope, target, args, args_count, Tout, f, ...) \
  sl_op_remote_call_with(SL_AT(scope), (target), (args), (args_count), (Tout), (f), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StatefulPartitionedCall(args: Tin) -> output: Tout
// Calls a function that has state.
// Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = ''; config_proto: string = '';
//   executor_type: string = ''
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *config;
  const char *config_proto;
  const char *executor_type;
} sl_op_stateful_partitioned_call_options_t;
static inline sl_op_list_t sl_op_stateful_partitioned_call_with(sl_scope_t *scope, const TF_Output *args,
    size_t args_count, sl_op_types_t Tout, const char *f, const sl_op_stateful_partitioned_call_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatefulPartitionedCall", options->name);
  sl_node_input_list(node, args, args_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function(node, "f", f);
  if (options->config) sl_node_attr_text(node, "config", options->config);
  if (options->config_proto) sl_node_attr_text(node, "config_proto", options->config_proto);
  if (options->executor_type) sl_node_attr_text(node, "executor_type", options->executor_type);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_stateful_partitioned_call(scope, args, args_count, Tout, f, ...) \
  sl_op_stateful_partitioned_call_with(SL_AT(scope), (args), (args_count), (Tout), (f), SL_OPTIONS( \
    sl_op_stateful_partitioned_call_options_t, __VA_ARGS__))

// StatelessCase(branch_index: int32, input: Tin) -> output: Tout
// Calls one of several functions without state.
// Tin: list(type) >= 0; Tout: list(type) >= 0; branches: list(func) >= 1; output_shapes: list(shape) = []
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t output_shapes;
} sl_op_stateless_case_options_t;
static inline sl_op_list_t sl_op_stateless_case_with(sl_scope_t *scope, TF_Output branch_index,
    const TF_Output *input, size_t input_count, sl_op_types_t Tout, sl_op_texts_t branches,
    const sl_op_stateless_case_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessCase", options->name);
  sl_node_input(node, branch_index);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function_list(node, "branches", branches.values, branches.count);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_stateless_case(scope, branch_index, input, input_count, Tout, branches, ...) \
  sl_op_stateless_case_with(SL_AT(scope), (branch_index), (input), (input_count), (Tout), (branches), SL_OPTIONS( \
    sl_op_stateless_case_options_t, __VA_ARGS__))

// StatelessIf(cond: Tcond, input: Tin) -> output: Tout
// Calls one of two functions without state.
// Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0; then_branch: func; else_branch: func; output_shapes:
//   list(shape) = []
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t output_shapes;
} sl_op_stateless_if_options_t;
static inline sl_op_list_t sl_op_stateless_if_with(sl_scope_t *scope, TF_Output cond, const TF_Output *input,
    size_t input_count, sl_op_types_t Tout, const char *then_branch, const char *else_branch,
    const sl_op_stateless_if_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessIf", options->name);
  sl_node_input(node, cond);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function(node, "then_branch", then_branch);
  sl_node_attr_function(node, "else_branch", else_branch);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_stateless_if(scope, cond, input, input_count, Tout, then_branch, else_branch, ...) \
  sl_op_stateless_if_with(SL_AT(scope), (cond), (input), (input_count), (Tout), (then_branch), (else_branch), \
    SL_OPTIONS(sl_op_stateless_if_options_t, __VA_ARGS__))

// StatelessWhile(input: T) -> output: T
// Calls a function without state while another one returns true.
// T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t output_shapes;
  int64_t parallel_iterations;
} sl_op_stateless_while_options_t;
static inline sl_op_list_t sl_op_stateless_while_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const char *cond, const char *body, const sl_op_stateless_while_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessWhile", options->name);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_function(node, "cond", cond);
  sl_node_attr_function(node, "body", body);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  sl_node_attr_int(node, "parallel_iterations", options->parallel_iterations);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_stateless_while(scope, input, input_count, cond, body, ...) \
  SL_OVER_DEFAULTS(sl_op_stateless_while_with(SL_AT(scope), (input), (input_count), (cond), (body), SL_OPTIONS( \
    sl_op_stateless_while_options_t, .parallel_iterations = 10, __VA_ARGS__)))

// SymbolicGradient(input: Tin) -> output: Tout
// The gradient of a function.
// Tin: list(type) >= 1; Tout: list(type) >= 1; f: func
// No gradient.
static inline sl_op_list_t sl_op_symbolic_gradient_with(sl_scope_t *scope, const TF_Output *input,
    size_t input_count, sl_op_types_t Tout, const char *f, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SymbolicGradient", options->name);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  sl_node_attr_function(node, "f", f);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_symbolic_gradient(scope, input, input_count, Tout, f, ...) \
  sl_op_symbolic_gradient_with(SL_AT(scope), (input), (input_count), (Tout), (f), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// While(input: T) -> output: T
// Calls a function while another one returns true.
// T: list(type) >= 0; cond: func; body: func; output_shapes: list(shape) = []; parallel_iterations: int = 10
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t output_shapes;
  int64_t parallel_iterations;
} sl_op_while_options_t;
static inline sl_op_list_t sl_op_while_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const char *cond, const char *body, const sl_op_while_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "While", options->name);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_function(node, "cond", cond);
  sl_node_attr_function(node, "body", body);
  if (options->output_shapes.values) sl_node_attr_shape_list(node, "output_shapes", options->output_shapes.values,
    options->output_shapes.count);
  sl_node_attr_int(node, "parallel_iterations", options->parallel_iterations);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_while(scope, input, input_count, cond, body, ...) \
  SL_OVER_DEFAULTS(sl_op_while_with(SL_AT(scope), (input), (input_count), (cond), (body), SL_OPTIONS( \
    sl_op_while_options_t, .parallel_iterations = 10, __VA_ARGS__)))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_FUNCTION_H_
