// Ops: switches, merges and loops, placeholders, assertions, Python functions.
// Generated from src/ops/control by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_CONTROL_H_
#define SLUICE_OPS_CONTROL_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// Abort()
// Fails the step.
// error_msg: string = ''; exit_without_error: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *error_msg;
  bool exit_without_error;
} sl_op_abort_options_t;
static inline TF_Operation *sl_op_abort_with(sl_scope_t *scope, const sl_op_abort_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Abort", options->name);
  if (options->error_msg) sl_node_attr_text(node, "error_msg", options->error_msg);
  sl_node_attr_bool(node, "exit_without_error", options->exit_without_error);
  return sl_node_finish(node);
}
#define sl_op_abort(scope, ...) sl_op_abort_with(SL_AT(scope), SL_OPTIONS(sl_op_abort_options_t, __VA_ARGS__))

// Assert(condition: bool, data: T)
// Fails unless a condition holds.
// T: list(type) >= 1; summarize: int = 3
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t summarize;
} sl_op_assert_options_t;
static inline TF_Operation *sl_op_assert_with(sl_scope_t *scope, TF_Output condition, const TF_Output *data,
    size_t data_count, const sl_op_assert_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Assert", options->name);
  sl_node_input(node, condition);
  sl_node_input_list(node, data, data_count);
  sl_node_attr_int(node, "summarize", options->summarize);
  return sl_node_finish(node);
}
#define sl_op_assert(scope, condition, data, data_count, ...) \
  SL_OVER_DEFAULTS(sl_op_assert_with(SL_AT(scope), (condition), (data), (data_count), SL_OPTIONS( \
    sl_op_assert_options_t, .summarize = 3, __VA_ARGS__)))

// ControlTrigger()
// Does nothing, even when its inputs are dead.
// No gradient.
static inline TF_Operation *sl_op_control_trigger_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ControlTrigger", options->name);
  return sl_node_finish(node);
}
#define sl_op_control_trigger(scope, ...) \
  sl_op_control_trigger_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EagerPyFunc(input: Tin) -> output: Tout
// A function of the Python client that may be differentiated there.
// token: string; is_async: bool = false; Tin: list(type) >= 0; Tout: list(type) >= 0
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool is_async;
} sl_op_eager_py_func_options_t;
static inline sl_op_list_t sl_op_eager_py_func_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const char *token, sl_op_types_t Tout, const sl_op_eager_py_func_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EagerPyFunc", options->name);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_text(node, "token", token);
  sl_node_attr_bool(node, "is_async", options->is_async);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_eager_py_func(scope, input, input_count, token, Tout, ...) \
  sl_op_eager_py_func_with(SL_AT(scope), (input), (input_count), (token), (Tout), SL_OPTIONS( \
    sl_op_eager_py_func_options_t, __VA_ARGS__))

// Enter(data: T) -> output: T
// Takes a value into a loop's frame.
// T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool is_constant;
  int64_t parallel_iterations;
} sl_op_enter_options_t;
static inline TF_Output sl_op_enter_with(sl_scope_t *scope, TF_Output data, const char *frame_name,
    const sl_op_enter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Enter", options->name);
  sl_node_input(node, data);
  sl_node_attr_text(node, "frame_name", frame_name);
  sl_node_attr_bool(node, "is_constant", options->is_constant);
  sl_node_attr_int(node, "parallel_iterations", options->parallel_iterations);
  return sl_node_output(node);
}
#define sl_op_enter(scope, data, frame_name, ...) \
  SL_OVER_DEFAULTS(sl_op_enter_with(SL_AT(scope), (data), (frame_name), SL_OPTIONS(sl_op_enter_options_t, \
    .parallel_iterations = 10, __VA_ARGS__)))

// Exit(data: T) -> output: T
// Takes a value out of a loop's frame.
// T: type
// Differentiable.
static inline TF_Output sl_op_exit_with(sl_scope_t *scope, TF_Output data, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Exit", options->name);
  sl_node_input(node, data);
  return sl_node_output(node);
}
#define sl_op_exit(scope, data, ...) sl_op_exit_with(SL_AT(scope), (data), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GetDeadline() -> deadline_from_epoch_micros: int64
// When the step must end, in microseconds since 1970.
// No gradient.
static inline TF_Output sl_op_get_deadline_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GetDeadline", options->name);
  return sl_node_output(node);
}
#define sl_op_get_deadline(scope, ...) sl_op_get_deadline_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LoopCond(input: bool) -> output: bool
// The condition of a loop.
// Differentiable.
static inline TF_Output sl_op_loop_cond_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LoopCond", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_loop_cond(scope, input, ...) \
  sl_op_loop_cond_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Merge(inputs: N * T) -> output: T, value_index: int32
// The one input that is alive.
// T: type; N: int >= 1
// Differentiable.
typedef struct {
  TF_Output output;
  TF_Output value_index;
} sl_op_merge_t;
static inline sl_op_merge_t sl_op_merge_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Merge", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_merge_t result;
  result.output = sl_op_output(operation, 0);
  result.value_index = sl_op_output(operation, 1);
  return result;
}
#define sl_op_merge(scope, inputs, inputs_count, ...) \
  sl_op_merge_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NextIteration(data: T) -> output: T
// Takes a value into the next iteration of a loop.
// T: type
// Differentiable.
static inline TF_Output sl_op_next_iteration_with(sl_scope_t *scope, TF_Output data, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NextIteration", options->name);
  sl_node_input(node, data);
  return sl_node_output(node);
}
#define sl_op_next_iteration(scope, data, ...) \
  sl_op_next_iteration_with(SL_AT(scope), (data), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NoOp()
// Does nothing; for control dependencies.
// No gradient.
static inline TF_Operation *sl_op_no_op_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NoOp", options->name);
  return sl_node_finish(node);
}
#define sl_op_no_op(scope, ...) sl_op_no_op_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Placeholder() -> output: dtype
// A value that must be fed.
// dtype: type; shape: shape = { unknown_rank: true }
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t shape;
} sl_op_placeholder_options_t;
static inline TF_Output sl_op_placeholder_with(sl_scope_t *scope, TF_DataType dtype,
    const sl_op_placeholder_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Placeholder", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", options->shape);
  return sl_node_output(node);
}
#define sl_op_placeholder(scope, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_placeholder_with(SL_AT(scope), (dtype), SL_OPTIONS(sl_op_placeholder_options_t, \
    .shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// PlaceholderV2() -> output: dtype
// A value that must be fed.
// dtype: type; shape: shape
// No gradient. Deprecated since GraphDef version 23: Placeholder now behaves the same as PlaceholderV2.
static inline TF_Output sl_op_placeholder_v2_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PlaceholderV2", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}
#define sl_op_placeholder_v2(scope, dtype, shape, ...) \
  sl_op_placeholder_v2_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PlaceholderWithDefault(input: dtype) -> output: dtype
// A value that may be fed.
// dtype: type; shape: shape
// Differentiable.
static inline TF_Output sl_op_placeholder_with_default_with(sl_scope_t *scope, TF_Output input, sl_shape_t shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PlaceholderWithDefault", options->name);
  sl_node_input(node, input);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}
#define sl_op_placeholder_with_default(scope, input, shape, ...) \
  sl_op_placeholder_with_default_with(SL_AT(scope), (input), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PyFunc(input: Tin) -> output: Tout
// A function of the Python client.
// token: string; Tin: list(type) >= 0; Tout: list(type) >= 0
// Stateful; gradients stop here.
static inline sl_op_list_t sl_op_py_func_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const char *token, sl_op_types_t Tout, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PyFunc", options->name);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_text(node, "token", token);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_py_func(scope, input, input_count, token, Tout, ...) \
  sl_op_py_func_with(SL_AT(scope), (input), (input_count), (token), (Tout), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PyFuncStateless(input: Tin) -> output: Tout
// A function of the Python client that only computes.
// token: string; Tin: list(type) >= 0; Tout: list(type) >= 0
// Gradients stop here.
static inline sl_op_list_t sl_op_py_func_stateless_with(sl_scope_t *scope, const TF_Output *input,
    size_t input_count, const char *token, sl_op_types_t Tout, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PyFuncStateless", options->name);
  sl_node_input_list(node, input, input_count);
  sl_node_attr_text(node, "token", token);
  sl_node_attr_type_list(node, "Tout", Tout.values, Tout.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_py_func_stateless(scope, input, input_count, token, Tout, ...) \
  sl_op_py_func_stateless_with(SL_AT(scope), (input), (input_count), (token), (Tout), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// RefEnter(data: Ref(T)) -> output: Ref(T)
// Takes a reference into a loop's frame.
// T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool is_constant;
  int64_t parallel_iterations;
} sl_op_ref_enter_options_t;
static inline TF_Output sl_op_ref_enter_with(sl_scope_t *scope, TF_Output data, const char *frame_name,
    const sl_op_ref_enter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefEnter", options->name);
  sl_node_input(node, data);
  sl_node_attr_text(node, "frame_name", frame_name);
  sl_node_attr_bool(node, "is_constant", options->is_constant);
  sl_node_attr_int(node, "parallel_iterations", options->parallel_iterations);
  return sl_node_output(node);
}
#define sl_op_ref_enter(scope, data, frame_name, ...) \
  SL_OVER_DEFAULTS(sl_op_ref_enter_with(SL_AT(scope), (data), (frame_name), SL_OPTIONS(sl_op_ref_enter_options_t, \
    .parallel_iterations = 10, __VA_ARGS__)))

// RefExit(data: Ref(T)) -> output: Ref(T)
// Takes a reference out of a loop's frame.
// T: type
// Differentiable.
static inline TF_Output sl_op_ref_exit_with(sl_scope_t *scope, TF_Output data, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefExit", options->name);
  sl_node_input(node, data);
  return sl_node_output(node);
}
#define sl_op_ref_exit(scope, data, ...) \
  sl_op_ref_exit_with(SL_AT(scope), (data), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RefMerge(inputs: Ref(N * T)) -> output: Ref(T), value_index: int32
// The one reference that is alive.
// T: type; N: int >= 1
// Differentiable.
typedef struct {
  TF_Output output;
  TF_Output value_index;
} sl_op_ref_merge_t;
static inline sl_op_ref_merge_t sl_op_ref_merge_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefMerge", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ref_merge_t result;
  result.output = sl_op_output(operation, 0);
  result.value_index = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ref_merge(scope, inputs, inputs_count, ...) \
  sl_op_ref_merge_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RefNextIteration(data: Ref(T)) -> output: Ref(T)
// Takes a reference into the next iteration of a loop.
// T: type
// Differentiable.
static inline TF_Output sl_op_ref_next_iteration_with(sl_scope_t *scope, TF_Output data,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefNextIteration", options->name);
  sl_node_input(node, data);
  return sl_node_output(node);
}
#define sl_op_ref_next_iteration(scope, data, ...) \
  sl_op_ref_next_iteration_with(SL_AT(scope), (data), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RefSelect(index: int32, inputs: Ref(N * T)) -> output: Ref(T)
// One of several references.
// T: type; N: int >= 1
// No gradient.
static inline TF_Output sl_op_ref_select_with(sl_scope_t *scope, TF_Output index, const TF_Output *inputs,
    size_t inputs_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefSelect", options->name);
  sl_node_input(node, index);
  sl_node_input_list(node, inputs, inputs_count);
  return sl_node_output(node);
}
#define sl_op_ref_select(scope, index, inputs, inputs_count, ...) \
  sl_op_ref_select_with(SL_AT(scope), (index), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RefSwitch(data: Ref(T), pred: bool) -> output_false: Ref(T), output_true: Ref(T)
// Sends a reference to one of two outputs.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_false;
  TF_Output output_true;
} sl_op_ref_switch_t;
static inline sl_op_ref_switch_t sl_op_ref_switch_with(sl_scope_t *scope, TF_Output data, TF_Output pred,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefSwitch", options->name);
  sl_node_input(node, data);
  sl_node_input(node, pred);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ref_switch_t result;
  result.output_false = sl_op_output(operation, 0);
  result.output_true = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ref_switch(scope, data, pred, ...) \
  sl_op_ref_switch_with(SL_AT(scope), (data), (pred), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Switch(data: T, pred: bool) -> output_false: T, output_true: T
// Sends a value to one of two outputs.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_false;
  TF_Output output_true;
} sl_op_switch_t;
static inline sl_op_switch_t sl_op_switch_with(sl_scope_t *scope, TF_Output data, TF_Output pred,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Switch", options->name);
  sl_node_input(node, data);
  sl_node_input(node, pred);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_switch_t result;
  result.output_false = sl_op_output(operation, 0);
  result.output_true = sl_op_output(operation, 1);
  return result;
}
#define sl_op_switch(scope, data, pred, ...) \
  sl_op_switch_with(SL_AT(scope), (data), (pred), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SyncDevice()
// Waits for the device's work; on a CPU there is none to wait for.
// Stateful, no gradient.
static inline TF_Operation *sl_op_sync_device_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SyncDevice", options->name);
  return sl_node_finish(node);
}
#define sl_op_sync_device(scope, ...) sl_op_sync_device_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_CONTROL_H_
