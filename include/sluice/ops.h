// Every op of the library, one function each: sl_op_ and the op's name. Generated from the op tables by
// tools/generate_ops; do not edit. sluice/math.h has the everyday ones under the names of the Python library.
//
//   TF_Output y = sl_op_mat_mul(s, x, w, .transpose_b = true, .name = "scores");
//   sl_op_top_k_v2_t best = sl_op_top_k_v2(s, scores, five);        // best.values, best.indices
//   sl_op_list_t parts = sl_op_split(s, axis, x, 3);                // sl_op_at(parts, 0)
//   TF_Output both = sl_op_pack(s, ((TF_Output[]){a, b}), 2);       // an array and its length
//   TF_Output image = sl_op_conv2d(s, x, filter, SL_INTS(1, 2, 2, 1), "SAME");
//
// Arguments: the inputs, then the attributes that have no default; those with one are options. What the inputs
// say (T, N) is not asked. An option that is left out has the op's default, and one that is set, to 0 or false
// too, counts: the macros put the defaults before what the caller writes. Who calls a _with function itself sets
// every option, save texts, lists, tensors and types, where 0 means the default.
//
// The comment of an op has its signature, its attributes as TensorFlow writes them (the types it takes, defaults,
// least values), and whether gradients go through it. Errors are kept by the scope (sluice/scope.h).
//
// All is inline over sluice/node.h; this header is not part of sluice.h, since it takes a moment to compile.
#ifndef SLUICE_OPS_H_
#define SLUICE_OPS_H_

#include "sluice/node.h"

// clang-format off
SL_BEGIN_DECLS

// Attributes that are lists: SL_INTS(1, 2, 2, 1), or {array, count}.
typedef struct {
  const int64_t *values;
  size_t count;
} sl_op_ints_t;
typedef struct {
  const float *values;
  size_t count;
} sl_op_floats_t;
typedef struct {
  const char *const *values;
  size_t count;
} sl_op_texts_t;
typedef struct {
  const TF_DataType *values;
  size_t count;
} sl_op_types_t;
typedef struct {
  const sl_shape_t *values;
  size_t count;
} sl_op_shapes_t;
#define SL_LIST_OF(list, type, ...) \
  ((list){(type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}) / sizeof(type)})
#define SL_INTS(...) SL_LIST_OF(sl_op_ints_t, const int64_t, __VA_ARGS__)
#define SL_FLOATS(...) SL_LIST_OF(sl_op_floats_t, const float, __VA_ARGS__)
#define SL_TEXTS(...) SL_LIST_OF(sl_op_texts_t, const char *const, __VA_ARGS__)
#define SL_TYPES(...) SL_LIST_OF(sl_op_types_t, const TF_DataType, __VA_ARGS__)
#define SL_SHAPES(...) SL_LIST_OF(sl_op_shapes_t, const sl_shape_t, __VA_ARGS__)

// The outputs of an argument that is a list.
typedef struct {
  TF_Operation *operation;  // NULL: not built
  int first, count;
} sl_op_list_t;

// Output |index| of an operation; empty if that is NULL.
static inline TF_Output sl_op_output(TF_Operation *operation, int index) {
  TF_Output output = {operation, operation ? index : 0};
  return output;
}
// Element |index| of a list; empty if it has none.
static inline TF_Output sl_op_at(sl_op_list_t list, int index) {
  return sl_op_output(index >= 0 && index < list.count ? list.operation : NULL, list.first + index);
}
// The list called |name| of an operation, which starts at output |first|.
static inline sl_op_list_t sl_op_list(TF_Operation *operation, const char *name, int first) {
  sl_op_list_t list = {operation, first, 0};
  if (!operation) return list;
  TF_Status *status = TF_NewStatus();
  list.count = TF_OperationOutputListLength(operation, name, status);
  if (TF_GetCode(status) != TF_OK) list.count = 0;
  TF_DeleteStatus(status);
  return list;
}

// A call whose options are written over their defaults: that is meant, and no compiler need say so.
#ifdef __clang__
#define SL_OVER_DEFAULTS_QUIETLY _Pragma("GCC diagnostic ignored \"-Winitializer-overrides\"")
#else
#define SL_OVER_DEFAULTS_QUIETLY \
  _Pragma("GCC diagnostic ignored \"-Woverride-init\"") \
  _Pragma("GCC diagnostic ignored \"-Woverride-init-side-effects\"")
#endif
#define SL_OVER_DEFAULTS(...) \
  __extension__({ _Pragma("GCC diagnostic push") SL_OVER_DEFAULTS_QUIETLY __VA_ARGS__; \
                  _Pragma("GCC diagnostic pop") })

// Abort()
// Fails the step.
// error_msg: string = ''; exit_without_error: bool = false
// Without a gradient.
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

// Abs(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64}
// Differentiable.
static inline TF_Output sl_op_abs_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Abs", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_abs(scope, x, ...) sl_op_abs_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient: dtype)
// Adds a gradient, unless it is stale.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Without a gradient.
static inline TF_Operation *sl_op_accumulator_apply_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output local_step, TF_Output gradient, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorApplyGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, local_step);
  sl_node_input(node, gradient);
  return sl_node_finish(node);
}
#define sl_op_accumulator_apply_gradient(scope, handle, local_step, gradient, ...) \
  sl_op_accumulator_apply_gradient_with(SL_AT(scope), (handle), (local_step), (gradient), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AccumulatorNumAccumulated(handle: Ref(string)) -> num_accumulated: int32
// The number of gradients since the last take.
// Without a gradient.
static inline TF_Output sl_op_accumulator_num_accumulated_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorNumAccumulated", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_accumulator_num_accumulated(scope, handle, ...) \
  sl_op_accumulator_num_accumulated_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AccumulatorSetGlobalStep(handle: Ref(string), new_global_step: int64)
// Sets the step below which gradients are stale.
// Without a gradient.
static inline TF_Operation *sl_op_accumulator_set_global_step_with(sl_scope_t *scope, TF_Output handle,
    TF_Output new_global_step, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorSetGlobalStep", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, new_global_step);
  return sl_node_finish(node);
}
#define sl_op_accumulator_set_global_step(scope, handle, new_global_step, ...) \
  sl_op_accumulator_set_global_step_with(SL_AT(scope), (handle), (new_global_step), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// AccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> average: dtype
// Takes the mean or sum once enough gradients have come.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Without a gradient.
static inline TF_Output sl_op_accumulator_take_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output num_required, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AccumulatorTakeGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_required);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_accumulator_take_gradient(scope, handle, num_required, dtype, ...) \
  sl_op_accumulator_take_gradient_with(SL_AT(scope), (handle), (num_required), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Acos(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_acos_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Acos", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_acos(scope, x, ...) sl_op_acos_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Acosh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_acosh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Acosh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_acosh(scope, x, ...) sl_op_acosh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Add(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string}
// Differentiable.
static inline TF_Output sl_op_add_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Add", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_add(scope, x, y, ...) sl_op_add_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AddManySparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> sparse_handles: int64
// Puts each row of a sparse tensor into a map and gives the handles.
// T: type; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_add_many_sparse_to_tensors_map_options_t;
static inline TF_Output sl_op_add_many_sparse_to_tensors_map_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_add_many_sparse_to_tensors_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddManySparseToTensorsMap", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_add_many_sparse_to_tensors_map(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_add_many_sparse_to_tensors_map_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), \
    SL_OPTIONS(sl_op_add_many_sparse_to_tensors_map_options_t, __VA_ARGS__))

// AddN(inputs: N * T) -> sum: T
// N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,
//   qint16, quint16, uint16, complex128, half, uint32, uint64, variant}
// Differentiable.
static inline TF_Output sl_op_add_n_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddN", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  return sl_node_output(node);
}
#define sl_op_add_n(scope, inputs, inputs_count, ...) \
  sl_op_add_n_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AddSparseToTensorsMap(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> sparse_handle: int64
// Puts a sparse tensor into a map and gives its handle.
// T: type; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_add_sparse_to_tensors_map_options_t;
static inline TF_Output sl_op_add_sparse_to_tensors_map_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_add_sparse_to_tensors_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddSparseToTensorsMap", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_add_sparse_to_tensors_map(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_add_sparse_to_tensors_map_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), SL_OPTIONS( \
    sl_op_add_sparse_to_tensors_map_options_t, __VA_ARGS__))

// AddV2(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_add_v2_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AddV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_add_v2(scope, x, y, ...) \
  sl_op_add_v2_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// All(input: bool, reduction_indices: Tidx) -> output: bool
// keep_dims: bool = false; Tidx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_all_options_t;
static inline TF_Output sl_op_all_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_all_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "All", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_all(scope, input, reduction_indices, ...) \
  sl_op_all_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_all_options_t, __VA_ARGS__))

// AllCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// All classes.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; seed: int = 0; seed2: int = 0
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_all_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_all_candidate_sampler_t;
static inline sl_op_all_candidate_sampler_t sl_op_all_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique,
    const sl_op_all_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AllCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_all_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_all_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, ...) \
  sl_op_all_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), SL_OPTIONS( \
    sl_op_all_candidate_sampler_options_t, __VA_ARGS__))

// Angle(input: T) -> output: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_angle_options_t;
static inline TF_Output sl_op_angle_with(sl_scope_t *scope, TF_Output input, const sl_op_angle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Angle", options->name);
  sl_node_input(node, input);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_angle(scope, input, ...) \
  sl_op_angle_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_angle_options_t, __VA_ARGS__))

// Any(input: bool, reduction_indices: Tidx) -> output: bool
// keep_dims: bool = false; Tidx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_any_options_t;
static inline TF_Output sl_op_any_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_any_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Any", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_any(scope, input, reduction_indices, ...) \
  sl_op_any_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_any_options_t, __VA_ARGS__))

// ApplyAdaMax(var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T) ->
//   out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_ada_max_options_t;
static inline TF_Output sl_op_apply_ada_max_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output v,
    TF_Output beta1_power, TF_Output lr, TF_Output beta1, TF_Output beta2, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_ada_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdaMax", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_ada_max(scope, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, ...) \
  sl_op_apply_ada_max_with(SL_AT(scope), (var), (m), (v), (beta1_power), (lr), (beta1), (beta2), (epsilon), (grad), \
    SL_OPTIONS(sl_op_apply_ada_max_options_t, __VA_ARGS__))

// ApplyAdadelta(var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_adadelta_options_t;
static inline TF_Output sl_op_apply_adadelta_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, ...) \
  sl_op_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), (grad), SL_OPTIONS( \
    sl_op_apply_adadelta_options_t, __VA_ARGS__))

// ApplyAdagrad(var: Ref(T), accum: Ref(T), lr: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_apply_adagrad_options_t;
static inline TF_Output sl_op_apply_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output lr,
    TF_Output grad, const sl_op_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_apply_adagrad(scope, var, accum, lr, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), SL_OPTIONS( \
    sl_op_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// ApplyAdagradDA(var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T, lr: T, l1:
//   T, l2: T, global_step: int64) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_adagrad_da_options_t;
static inline TF_Output sl_op_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var, TF_Output gradient_accumulator,
    TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output global_step, const sl_op_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, \
    global_step, ...) \
  sl_op_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), (gradient_squared_accumulator), (grad), ( \
    lr), (l1), (l2), (global_step), SL_OPTIONS(sl_op_apply_adagrad_da_options_t, __VA_ARGS__))

// ApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_apply_adagrad_v2_options_t;
static inline TF_Output sl_op_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output lr,
    TF_Output epsilon, TF_Output grad, const sl_op_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), SL_OPTIONS( \
    sl_op_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// ApplyAdam(var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T,
//   grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_apply_adam_options_t;
static inline TF_Output sl_op_apply_adam_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output v,
    TF_Output beta1_power, TF_Output beta2_power, TF_Output lr, TF_Output beta1, TF_Output beta2, TF_Output epsilon,
    TF_Output grad, const sl_op_apply_adam_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAdam", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, beta2_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_output(node);
}
#define sl_op_apply_adam(scope, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, ...) \
  sl_op_apply_adam_with(SL_AT(scope), (var), (m), (v), (beta1_power), (beta2_power), (lr), (beta1), (beta2), ( \
    epsilon), (grad), SL_OPTIONS(sl_op_apply_adam_options_t, __VA_ARGS__))

// ApplyAddSign(var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_add_sign_options_t;
static inline TF_Output sl_op_apply_add_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output lr,
    TF_Output alpha, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_apply_add_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyAddSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, alpha);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_add_sign(scope, var, m, lr, alpha, sign_decay, beta, grad, ...) \
  sl_op_apply_add_sign_with(SL_AT(scope), (var), (m), (lr), (alpha), (sign_decay), (beta), (grad), SL_OPTIONS( \
    sl_op_apply_add_sign_options_t, __VA_ARGS__))

// ApplyCenteredRMSProp(var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T,
//   grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_centered_rms_prop_options_t;
static inline TF_Output sl_op_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output mg,
    TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), (epsilon), ( \
    grad), SL_OPTIONS(sl_op_apply_centered_rms_prop_options_t, __VA_ARGS__))

// ApplyFtrl(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, lr_power: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_apply_ftrl_options_t;
static inline TF_Output sl_op_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output linear,
    TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output lr_power,
    const sl_op_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_apply_ftrl(scope, var, accum, linear, grad, lr, l1, l2, lr_power, ...) \
  sl_op_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (lr_power), SL_OPTIONS( \
    sl_op_apply_ftrl_options_t, __VA_ARGS__))

// ApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, l2_shrinkage: T, lr_power: T)
//   -> out: Ref(T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_apply_ftrl_v2_options_t;
static inline TF_Output sl_op_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output linear,
    TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output l2_shrinkage, TF_Output lr_power,
    const sl_op_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_apply_ftrl_v2(scope, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, ...) \
  sl_op_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (l2_shrinkage), ( \
    lr_power), SL_OPTIONS(sl_op_apply_ftrl_v2_options_t, __VA_ARGS__))

// ApplyGradientDescent(var: Ref(T), alpha: T, delta: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_gradient_descent_options_t;
static inline TF_Output sl_op_apply_gradient_descent_with(sl_scope_t *scope, TF_Output var, TF_Output alpha,
    TF_Output delta, const sl_op_apply_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_gradient_descent(scope, var, alpha, delta, ...) \
  sl_op_apply_gradient_descent_with(SL_AT(scope), (var), (alpha), (delta), SL_OPTIONS( \
    sl_op_apply_gradient_descent_options_t, __VA_ARGS__))

// ApplyMomentum(var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_apply_momentum_options_t;
static inline TF_Output sl_op_apply_momentum_with(sl_scope_t *scope, TF_Output var, TF_Output accum, TF_Output lr,
    TF_Output grad, TF_Output momentum, const sl_op_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_output(node);
}
#define sl_op_apply_momentum(scope, var, accum, lr, grad, momentum, ...) \
  sl_op_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (momentum), SL_OPTIONS( \
    sl_op_apply_momentum_options_t, __VA_ARGS__))

// ApplyPowerSign(var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_power_sign_options_t;
static inline TF_Output sl_op_apply_power_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m, TF_Output lr,
    TF_Output logbase, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_apply_power_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyPowerSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, logbase);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_power_sign(scope, var, m, lr, logbase, sign_decay, beta, grad, ...) \
  sl_op_apply_power_sign_with(SL_AT(scope), (var), (m), (lr), (logbase), (sign_decay), (beta), (grad), SL_OPTIONS( \
    sl_op_apply_power_sign_options_t, __VA_ARGS__))

// ApplyProximalAdagrad(var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_proximal_adagrad_options_t;
static inline TF_Output sl_op_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad, const sl_op_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, ...) \
  sl_op_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), SL_OPTIONS( \
    sl_op_apply_proximal_adagrad_options_t, __VA_ARGS__))

// ApplyProximalGradientDescent(var: Ref(T), alpha: T, l1: T, l2: T, delta: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_proximal_gradient_descent_options_t;
static inline TF_Output sl_op_apply_proximal_gradient_descent_with(sl_scope_t *scope, TF_Output var, TF_Output alpha,
    TF_Output l1, TF_Output l2, TF_Output delta, const sl_op_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, delta, ...) \
  sl_op_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (delta), SL_OPTIONS( \
    sl_op_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// ApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T) -> out: Ref(T)
// T: numbertype; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_apply_rms_prop_options_t;
static inline TF_Output sl_op_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms, TF_Output mom,
    TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    const sl_op_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), (grad), SL_OPTIONS( \
    sl_op_apply_rms_prop_options_t, __VA_ARGS__))

// ApproximateEqual(x: T, y: T) -> z: bool
// T: numbertype; tolerance: float = 1e-05
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  float tolerance;
} sl_op_approximate_equal_options_t;
static inline TF_Output sl_op_approximate_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_approximate_equal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ApproximateEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_float(node, "tolerance", options->tolerance);
  return sl_node_output(node);
}
#define sl_op_approximate_equal(scope, x, y, ...) \
  SL_OVER_DEFAULTS(sl_op_approximate_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_approximate_equal_options_t, \
    .tolerance = (float)9.99999975e-06, __VA_ARGS__)))

// ArgMax(input: T, dimension: Tidx) -> output: output_type
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32,
//   qint16, quint16, bool}; Tidx: {int16, int32, int64} = DT_INT32; output_type: {int16, uint16, int32, int64} =
//   DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_type;
} sl_op_arg_max_options_t;
static inline TF_Output sl_op_arg_max_with(sl_scope_t *scope, TF_Output input, TF_Output dimension,
    const sl_op_arg_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ArgMax", options->name);
  sl_node_input(node, input);
  sl_node_input(node, dimension);
  if (options->output_type) sl_node_attr_type(node, "output_type", options->output_type);
  return sl_node_output(node);
}
#define sl_op_arg_max(scope, input, dimension, ...) \
  sl_op_arg_max_with(SL_AT(scope), (input), (dimension), SL_OPTIONS(sl_op_arg_max_options_t, __VA_ARGS__))

// ArgMin(input: T, dimension: Tidx) -> output: output_type
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32,
//   qint16, quint16, bool}; Tidx: {int32, int64} = DT_INT32; output_type: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_type;
} sl_op_arg_min_options_t;
static inline TF_Output sl_op_arg_min_with(sl_scope_t *scope, TF_Output input, TF_Output dimension,
    const sl_op_arg_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ArgMin", options->name);
  sl_node_input(node, input);
  sl_node_input(node, dimension);
  if (options->output_type) sl_node_attr_type(node, "output_type", options->output_type);
  return sl_node_output(node);
}
#define sl_op_arg_min(scope, input, dimension, ...) \
  sl_op_arg_min_with(SL_AT(scope), (input), (dimension), SL_OPTIONS(sl_op_arg_min_options_t, __VA_ARGS__))

// AsString(input: T) -> output: string
// Numbers as texts.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, complex128,
//   bool, variant, string}; precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1;
//   fill: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t precision;
  bool scientific;
  bool shortest;
  int64_t width;
  const char *fill;
} sl_op_as_string_options_t;
static inline TF_Output sl_op_as_string_with(sl_scope_t *scope, TF_Output input,
    const sl_op_as_string_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AsString", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "precision", options->precision);
  sl_node_attr_bool(node, "scientific", options->scientific);
  sl_node_attr_bool(node, "shortest", options->shortest);
  sl_node_attr_int(node, "width", options->width);
  if (options->fill) sl_node_attr_text(node, "fill", options->fill);
  return sl_node_output(node);
}
#define sl_op_as_string(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_as_string_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_as_string_options_t, .precision = -1, \
    .width = -1, __VA_ARGS__)))

// Asin(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_asin_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Asin", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_asin(scope, x, ...) sl_op_asin_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Asinh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_asinh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Asinh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_asinh(scope, x, ...) sl_op_asinh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

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

// Assign(ref: Ref(T), value: T) -> output_ref: Ref(T)
// Sets a variable.
// T: type; validate_shape: bool = true; use_locking: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_shape;
  bool use_locking;
} sl_op_assign_options_t;
static inline TF_Output sl_op_assign_with(sl_scope_t *scope, TF_Output ref, TF_Output value,
    const sl_op_assign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Assign", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "validate_shape", options->validate_shape);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_assign(scope, ref, value, ...) \
  SL_OVER_DEFAULTS(sl_op_assign_with(SL_AT(scope), (ref), (value), SL_OPTIONS(sl_op_assign_options_t, \
    .validate_shape = true, .use_locking = true, __VA_ARGS__)))

// AssignAdd(ref: Ref(T), value: T) -> output_ref: Ref(T)
// Adds to a variable.
// T: numbertype; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_assign_add_options_t;
static inline TF_Output sl_op_assign_add_with(sl_scope_t *scope, TF_Output ref, TF_Output value,
    const sl_op_assign_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_assign_add(scope, ref, value, ...) \
  sl_op_assign_add_with(SL_AT(scope), (ref), (value), SL_OPTIONS(sl_op_assign_add_options_t, __VA_ARGS__))

// AssignAddVariableOp(resource: resource, value: dtype)
// Adds to a variable.
// dtype: type
// Stateful, without a gradient.
static inline TF_Operation *sl_op_assign_add_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignAddVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, value);
  return sl_node_finish(node);
}
#define sl_op_assign_add_variable_op(scope, resource, value, ...) \
  sl_op_assign_add_variable_op_with(SL_AT(scope), (resource), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AssignSub(ref: Ref(T), value: T) -> output_ref: Ref(T)
// Subtracts from a variable.
// T: numbertype; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_assign_sub_options_t;
static inline TF_Output sl_op_assign_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output value,
    const sl_op_assign_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_assign_sub(scope, ref, value, ...) \
  sl_op_assign_sub_with(SL_AT(scope), (ref), (value), SL_OPTIONS(sl_op_assign_sub_options_t, __VA_ARGS__))

// AssignSubVariableOp(resource: resource, value: dtype)
// Subtracts from a variable.
// dtype: type
// Stateful, without a gradient.
static inline TF_Operation *sl_op_assign_sub_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignSubVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, value);
  return sl_node_finish(node);
}
#define sl_op_assign_sub_variable_op(scope, resource, value, ...) \
  sl_op_assign_sub_variable_op_with(SL_AT(scope), (resource), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AssignVariableOp(resource: resource, value: dtype)
// Sets a variable.
// dtype: type; validate_shape: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_shape;
} sl_op_assign_variable_op_options_t;
static inline TF_Operation *sl_op_assign_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_Output value,
    const sl_op_assign_variable_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AssignVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "validate_shape", options->validate_shape);
  return sl_node_finish(node);
}
#define sl_op_assign_variable_op(scope, resource, value, ...) \
  sl_op_assign_variable_op_with(SL_AT(scope), (resource), (value), SL_OPTIONS(sl_op_assign_variable_op_options_t, \
    __VA_ARGS__))

// Atan(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_atan_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Atan", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_atan(scope, x, ...) sl_op_atan_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Atan2(y: T, x: T) -> z: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_atan2_with(sl_scope_t *scope, TF_Output y, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Atan2", options->name);
  sl_node_input(node, y);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_atan2(scope, y, x, ...) \
  sl_op_atan2_with(SL_AT(scope), (y), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Atanh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_atanh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Atanh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_atanh(scope, x, ...) sl_op_atanh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// AudioSummary(tag: string, tensor: float) -> summary: string
// A Summary with sound.
// sample_rate: float; max_outputs: int >= 1 = 3
// Gradients stop here. Deprecated since GraphDef version 15: Use AudioSummaryV2.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_outputs;
} sl_op_audio_summary_options_t;
static inline TF_Output sl_op_audio_summary_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    float sample_rate, const sl_op_audio_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AudioSummary", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_attr_float(node, "sample_rate", sample_rate);
  sl_node_attr_int(node, "max_outputs", options->max_outputs);
  return sl_node_output(node);
}
#define sl_op_audio_summary(scope, tag, tensor, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_audio_summary_with(SL_AT(scope), (tag), (tensor), (sample_rate), SL_OPTIONS( \
    sl_op_audio_summary_options_t, .max_outputs = 3, __VA_ARGS__)))

// AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> summary: string
// A Summary with sound.
// max_outputs: int >= 1 = 3
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_outputs;
} sl_op_audio_summary_v2_options_t;
static inline TF_Output sl_op_audio_summary_v2_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    TF_Output sample_rate, const sl_op_audio_summary_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AudioSummaryV2", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, sample_rate);
  sl_node_attr_int(node, "max_outputs", options->max_outputs);
  return sl_node_output(node);
}
#define sl_op_audio_summary_v2(scope, tag, tensor, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_audio_summary_v2_with(SL_AT(scope), (tag), (tensor), (sample_rate), SL_OPTIONS( \
    sl_op_audio_summary_v2_options_t, .max_outputs = 3, __VA_ARGS__)))

// AvgPool(value: T) -> output: T
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool_options_t;
static inline TF_Output sl_op_avg_pool_with(sl_scope_t *scope, TF_Output value, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_avg_pool_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPool", options->name);
  sl_node_input(node, value);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool(scope, value, ksize, strides, padding, ...) \
  sl_op_avg_pool_with(SL_AT(scope), (value), (ksize), (strides), (padding), SL_OPTIONS(sl_op_avg_pool_options_t, \
    __VA_ARGS__))

// AvgPool3D(input: T) -> output: T
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool3d_options_t;
static inline TF_Output sl_op_avg_pool3d_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_avg_pool3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPool3D", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool3d(scope, input, ksize, strides, padding, ...) \
  sl_op_avg_pool3d_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS(sl_op_avg_pool3d_options_t, \
    __VA_ARGS__))

// AvgPool3DGrad(orig_input_shape: int32, grad: T) -> output: T
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool3d_grad_options_t;
static inline TF_Output sl_op_avg_pool3d_grad_with(sl_scope_t *scope, TF_Output orig_input_shape, TF_Output grad,
    sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding, const sl_op_avg_pool3d_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPool3DGrad", options->name);
  sl_node_input(node, orig_input_shape);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool3d_grad(scope, orig_input_shape, grad, ksize, strides, padding, ...) \
  sl_op_avg_pool3d_grad_with(SL_AT(scope), (orig_input_shape), (grad), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_avg_pool3d_grad_options_t, __VA_ARGS__))

// AvgPoolGrad(orig_input_shape: int32, grad: T) -> output: T
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_avg_pool_grad_options_t;
static inline TF_Output sl_op_avg_pool_grad_with(sl_scope_t *scope, TF_Output orig_input_shape, TF_Output grad,
    sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding, const sl_op_avg_pool_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AvgPoolGrad", options->name);
  sl_node_input(node, orig_input_shape);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_avg_pool_grad(scope, orig_input_shape, grad, ksize, strides, padding, ...) \
  sl_op_avg_pool_grad_with(SL_AT(scope), (orig_input_shape), (grad), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_avg_pool_grad_options_t, __VA_ARGS__))

// Barrier() -> handle: Ref(string)
// A table of elements that become ready as their components come.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_barrier_options_t;
static inline TF_Output sl_op_barrier_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_barrier_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Barrier", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_barrier(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_barrier_with(SL_AT(scope), (component_types), SL_OPTIONS(sl_op_barrier_options_t, \
    .capacity = -1, __VA_ARGS__)))

// BarrierClose(handle: Ref(string))
// Closes a barrier.
// cancel_pending_enqueues: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool cancel_pending_enqueues;
} sl_op_barrier_close_options_t;
static inline TF_Operation *sl_op_barrier_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_barrier_close_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierClose", options->name);
  sl_node_input(node, handle);
  sl_node_attr_bool(node, "cancel_pending_enqueues", options->cancel_pending_enqueues);
  return sl_node_finish(node);
}
#define sl_op_barrier_close(scope, handle, ...) \
  sl_op_barrier_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_barrier_close_options_t, __VA_ARGS__))

// BarrierIncompleteSize(handle: Ref(string)) -> size: int32
// The number of elements with components missing.
// Without a gradient.
static inline TF_Output sl_op_barrier_incomplete_size_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierIncompleteSize", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_barrier_incomplete_size(scope, handle, ...) \
  sl_op_barrier_incomplete_size_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BarrierInsertMany(handle: Ref(string), keys: string, values: T)
// Sets one component of elements by key.
// T: type; component_index: int
// Without a gradient.
static inline TF_Operation *sl_op_barrier_insert_many_with(sl_scope_t *scope, TF_Output handle, TF_Output keys,
    TF_Output values, int64_t component_index, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierInsertMany", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  sl_node_attr_int(node, "component_index", component_index);
  return sl_node_finish(node);
}
#define sl_op_barrier_insert_many(scope, handle, keys, values, component_index, ...) \
  sl_op_barrier_insert_many_with(SL_AT(scope), (handle), (keys), (values), (component_index), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// BarrierReadySize(handle: Ref(string)) -> size: int32
// The number of ready elements.
// Without a gradient.
static inline TF_Output sl_op_barrier_ready_size_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierReadySize", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_barrier_ready_size(scope, handle, ...) \
  sl_op_barrier_ready_size_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BarrierTakeMany(handle: Ref(string), num_elements: int32) -> indices: int64, keys: string, values: component_types
// Takes ready elements.
// component_types: list(type) >= 1; allow_small_batch: bool = false; wait_for_incomplete: bool = false; timeout_ms:
//   int = -1
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool allow_small_batch;
  bool wait_for_incomplete;
  int64_t timeout_ms;
} sl_op_barrier_take_many_options_t;
typedef struct {
  TF_Output indices;
  TF_Output keys;
  sl_op_list_t values;
} sl_op_barrier_take_many_t;
static inline sl_op_barrier_take_many_t sl_op_barrier_take_many_with(sl_scope_t *scope, TF_Output handle,
    TF_Output num_elements, sl_op_types_t component_types, const sl_op_barrier_take_many_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BarrierTakeMany", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_elements);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_bool(node, "allow_small_batch", options->allow_small_batch);
  sl_node_attr_bool(node, "wait_for_incomplete", options->wait_for_incomplete);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_barrier_take_many_t result;
  int next = 0;
  result.indices = sl_op_output(operation, next++);
  result.keys = sl_op_output(operation, next++);
  result.values = sl_op_list(operation, "values", next);
  next += result.values.count;
  return result;
}
#define sl_op_barrier_take_many(scope, handle, num_elements, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_barrier_take_many_with(SL_AT(scope), (handle), (num_elements), (component_types), SL_OPTIONS( \
    sl_op_barrier_take_many_options_t, .timeout_ms = -1, __VA_ARGS__)))

// BatchMatMul(x: T, y: T) -> output: T
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}; adj_x: bool = false; adj_y: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adj_x;
  bool adj_y;
} sl_op_batch_mat_mul_options_t;
static inline TF_Output sl_op_batch_mat_mul_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_batch_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatMul", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "adj_x", options->adj_x);
  sl_node_attr_bool(node, "adj_y", options->adj_y);
  return sl_node_output(node);
}
#define sl_op_batch_mat_mul(scope, x, y, ...) \
  sl_op_batch_mat_mul_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_batch_mat_mul_options_t, __VA_ARGS__))

// BatchMatMulV2(x: T, y: T) -> output: T
// T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128};
//   adj_x: bool = false; adj_y: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adj_x;
  bool adj_y;
} sl_op_batch_mat_mul_v2_options_t;
static inline TF_Output sl_op_batch_mat_mul_v2_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_batch_mat_mul_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchMatMulV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "adj_x", options->adj_x);
  sl_node_attr_bool(node, "adj_y", options->adj_y);
  return sl_node_output(node);
}
#define sl_op_batch_mat_mul_v2(scope, x, y, ...) \
  sl_op_batch_mat_mul_v2_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_batch_mat_mul_v2_options_t, __VA_ARGS__))

// BatchToSpace(input: T, crops: Tidx) -> output: T
// The batch back into blocks of space.
// T: type; block_size: int >= 2; Tidx: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_batch_to_space_with(sl_scope_t *scope, TF_Output input, TF_Output crops,
    int64_t block_size, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchToSpace", options->name);
  sl_node_input(node, input);
  sl_node_input(node, crops);
  sl_node_attr_int(node, "block_size", block_size);
  return sl_node_output(node);
}
#define sl_op_batch_to_space(scope, input, crops, block_size, ...) \
  sl_op_batch_to_space_with(SL_AT(scope), (input), (crops), (block_size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BatchToSpaceND(input: T, block_shape: Tblock_shape, crops: Tcrops) -> output: T
// The batch back into blocks of space.
// T: type; Tblock_shape: {int32, int64} = DT_INT32; Tcrops: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_batch_to_space_nd_with(sl_scope_t *scope, TF_Output input, TF_Output block_shape,
    TF_Output crops, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BatchToSpaceND", options->name);
  sl_node_input(node, input);
  sl_node_input(node, block_shape);
  sl_node_input(node, crops);
  return sl_node_output(node);
}
#define sl_op_batch_to_space_nd(scope, input, block_shape, crops, ...) \
  sl_op_batch_to_space_nd_with(SL_AT(scope), (input), (block_shape), (crops), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// BesselI0e(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_i0e_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselI0e", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_i0e(scope, x, ...) \
  sl_op_bessel_i0e_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BesselI1e(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_bessel_i1e_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BesselI1e", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_bessel_i1e(scope, x, ...) \
  sl_op_bessel_i1e_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Betainc(a: T, b: T, x: T) -> z: T
// T: {float, double}
// Differentiable.
static inline TF_Output sl_op_betainc_with(sl_scope_t *scope, TF_Output a, TF_Output b, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Betainc", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_betainc(scope, a, b, x, ...) \
  sl_op_betainc_with(SL_AT(scope), (a), (b), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BiasAdd(value: T, bias: T) -> output: T
// T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_bias_add_options_t;
static inline TF_Output sl_op_bias_add_with(sl_scope_t *scope, TF_Output value, TF_Output bias,
    const sl_op_bias_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BiasAdd", options->name);
  sl_node_input(node, value);
  sl_node_input(node, bias);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_bias_add(scope, value, bias, ...) \
  sl_op_bias_add_with(SL_AT(scope), (value), (bias), SL_OPTIONS(sl_op_bias_add_options_t, __VA_ARGS__))

// BiasAddGrad(out_backprop: T) -> output: T
// T: numbertype; data_format: {'NHWC', 'NCHW'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_bias_add_grad_options_t;
static inline TF_Output sl_op_bias_add_grad_with(sl_scope_t *scope, TF_Output out_backprop,
    const sl_op_bias_add_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BiasAddGrad", options->name);
  sl_node_input(node, out_backprop);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_bias_add_grad(scope, out_backprop, ...) \
  sl_op_bias_add_grad_with(SL_AT(scope), (out_backprop), SL_OPTIONS(sl_op_bias_add_grad_options_t, __VA_ARGS__))

// BiasAddV1(value: T, bias: T) -> output: T
// T: numbertype
// Differentiable.
static inline TF_Output sl_op_bias_add_v1_with(sl_scope_t *scope, TF_Output value, TF_Output bias,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BiasAddV1", options->name);
  sl_node_input(node, value);
  sl_node_input(node, bias);
  return sl_node_output(node);
}
#define sl_op_bias_add_v1(scope, value, bias, ...) \
  sl_op_bias_add_v1_with(SL_AT(scope), (value), (bias), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Bincount(arr: int32, size: int32, weights: T) -> bins: T
// T: {int32, int64, float, double}
// Without a gradient.
static inline TF_Output sl_op_bincount_with(sl_scope_t *scope, TF_Output arr, TF_Output size, TF_Output weights,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Bincount", options->name);
  sl_node_input(node, arr);
  sl_node_input(node, size);
  sl_node_input(node, weights);
  return sl_node_output(node);
}
#define sl_op_bincount(scope, arr, size, weights, ...) \
  sl_op_bincount_with(SL_AT(scope), (arr), (size), (weights), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Bitcast(input: T) -> output: type
// The same bytes as another type.
// T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128,
//   qint8, quint8, qint16, quint16, qint32}; type: {bfloat16, half, float, double, int64, int32, uint8, uint16,
//   uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32}
// Without a gradient.
static inline TF_Output sl_op_bitcast_with(sl_scope_t *scope, TF_Output input, TF_DataType type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Bitcast", options->name);
  sl_node_input(node, input);
  sl_node_attr_type(node, "type", type);
  return sl_node_output(node);
}
#define sl_op_bitcast(scope, input, type, ...) \
  sl_op_bitcast_with(SL_AT(scope), (input), (type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BitwiseAnd(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_bitwise_and_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BitwiseAnd", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_bitwise_and(scope, x, y, ...) \
  sl_op_bitwise_and_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BitwiseOr(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_bitwise_or_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BitwiseOr", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_bitwise_or(scope, x, y, ...) \
  sl_op_bitwise_or_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BitwiseXor(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_bitwise_xor_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BitwiseXor", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_bitwise_xor(scope, x, y, ...) \
  sl_op_bitwise_xor_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BroadcastArgs(s0: T, s1: T) -> r0: T
// The shape that two shapes broadcast to.
// T: {int32, int64} = DT_INT32
// Without a gradient.
static inline TF_Output sl_op_broadcast_args_with(sl_scope_t *scope, TF_Output s0, TF_Output s1,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BroadcastArgs", options->name);
  sl_node_input(node, s0);
  sl_node_input(node, s1);
  return sl_node_output(node);
}
#define sl_op_broadcast_args(scope, s0, s1, ...) \
  sl_op_broadcast_args_with(SL_AT(scope), (s0), (s1), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BroadcastGradientArgs(s0: T, s1: T) -> r0: T, r1: T
// Axes to sum a broadcast gradient over.
// T: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  TF_Output r0;
  TF_Output r1;
} sl_op_broadcast_gradient_args_t;
static inline sl_op_broadcast_gradient_args_t sl_op_broadcast_gradient_args_with(sl_scope_t *scope, TF_Output s0,
    TF_Output s1, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BroadcastGradientArgs", options->name);
  sl_node_input(node, s0);
  sl_node_input(node, s1);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_broadcast_gradient_args_t result;
  result.r0 = sl_op_output(operation, 0);
  result.r1 = sl_op_output(operation, 1);
  return result;
}
#define sl_op_broadcast_gradient_args(scope, s0, s1, ...) \
  sl_op_broadcast_gradient_args_with(SL_AT(scope), (s0), (s1), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// BroadcastTo(input: T, shape: Tidx) -> output: T
// Repeats elements up to a shape.
// T: type; Tidx: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_broadcast_to_with(sl_scope_t *scope, TF_Output input, TF_Output shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "BroadcastTo", options->name);
  sl_node_input(node, input);
  sl_node_input(node, shape);
  return sl_node_output(node);
}
#define sl_op_broadcast_to(scope, input, shape, ...) \
  sl_op_broadcast_to_with(SL_AT(scope), (input), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Bucketize(input: T) -> output: int32
// T: {int32, int64, float, double}; boundaries: list(float)
// Without a gradient.
static inline TF_Output sl_op_bucketize_with(sl_scope_t *scope, TF_Output input, sl_op_floats_t boundaries,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Bucketize", options->name);
  sl_node_input(node, input);
  sl_node_attr_float_list(node, "boundaries", boundaries.values, boundaries.count);
  return sl_node_output(node);
}
#define sl_op_bucketize(scope, input, boundaries, ...) \
  sl_op_bucketize_with(SL_AT(scope), (input), (boundaries), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CTCGreedyDecoder(inputs: T, sequence_length: int32) -> decoded_indices: int64, decoded_values: int64,
//   decoded_shape: int64, log_probability: T
// merge_repeated: bool = false; blank_index: int = -1; T: {float, double} = DT_FLOAT
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool merge_repeated;
  int64_t blank_index;
} sl_op_ctc_greedy_decoder_options_t;
typedef struct {
  TF_Output decoded_indices;
  TF_Output decoded_values;
  TF_Output decoded_shape;
  TF_Output log_probability;
} sl_op_ctc_greedy_decoder_t;
static inline sl_op_ctc_greedy_decoder_t sl_op_ctc_greedy_decoder_with(sl_scope_t *scope, TF_Output inputs,
    TF_Output sequence_length, const sl_op_ctc_greedy_decoder_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CTCGreedyDecoder", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, sequence_length);
  sl_node_attr_bool(node, "merge_repeated", options->merge_repeated);
  sl_node_attr_int(node, "blank_index", options->blank_index);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ctc_greedy_decoder_t result;
  result.decoded_indices = sl_op_output(operation, 0);
  result.decoded_values = sl_op_output(operation, 1);
  result.decoded_shape = sl_op_output(operation, 2);
  result.log_probability = sl_op_output(operation, 3);
  return result;
}
#define sl_op_ctc_greedy_decoder(scope, inputs, sequence_length, ...) \
  SL_OVER_DEFAULTS(sl_op_ctc_greedy_decoder_with(SL_AT(scope), (inputs), (sequence_length), SL_OPTIONS( \
    sl_op_ctc_greedy_decoder_options_t, .blank_index = -1, __VA_ARGS__)))

// CTCLoss(inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32) -> loss: T, gradient: T
// preprocess_collapse_repeated: bool = false; ctc_merge_repeated: bool = true; ignore_longer_outputs_than_inputs:
//   bool = false; T: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool preprocess_collapse_repeated;
  bool ctc_merge_repeated;
  bool ignore_longer_outputs_than_inputs;
} sl_op_ctc_loss_options_t;
typedef struct {
  TF_Output loss;
  TF_Output gradient;
} sl_op_ctc_loss_t;
static inline sl_op_ctc_loss_t sl_op_ctc_loss_with(sl_scope_t *scope, TF_Output inputs, TF_Output labels_indices,
    TF_Output labels_values, TF_Output sequence_length, const sl_op_ctc_loss_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CTCLoss", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, labels_indices);
  sl_node_input(node, labels_values);
  sl_node_input(node, sequence_length);
  sl_node_attr_bool(node, "preprocess_collapse_repeated", options->preprocess_collapse_repeated);
  sl_node_attr_bool(node, "ctc_merge_repeated", options->ctc_merge_repeated);
  sl_node_attr_bool(node, "ignore_longer_outputs_than_inputs", options->ignore_longer_outputs_than_inputs);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_ctc_loss_t result;
  result.loss = sl_op_output(operation, 0);
  result.gradient = sl_op_output(operation, 1);
  return result;
}
#define sl_op_ctc_loss(scope, inputs, labels_indices, labels_values, sequence_length, ...) \
  SL_OVER_DEFAULTS(sl_op_ctc_loss_with(SL_AT(scope), (inputs), (labels_indices), (labels_values), (sequence_length), \
    SL_OPTIONS(sl_op_ctc_loss_options_t, .ctc_merge_repeated = true, __VA_ARGS__)))

// Cast(x: SrcT) -> y: DstT
// SrcT: type; DstT: type; Truncate: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool Truncate;
} sl_op_cast_options_t;
static inline TF_Output sl_op_cast_with(sl_scope_t *scope, TF_Output x, TF_DataType DstT,
    const sl_op_cast_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cast", options->name);
  sl_node_input(node, x);
  sl_node_attr_type(node, "DstT", DstT);
  sl_node_attr_bool(node, "Truncate", options->Truncate);
  return sl_node_output(node);
}
#define sl_op_cast(scope, x, DstT, ...) \
  sl_op_cast_with(SL_AT(scope), (x), (DstT), SL_OPTIONS(sl_op_cast_options_t, __VA_ARGS__))

// Ceil(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_ceil_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Ceil", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_ceil(scope, x, ...) sl_op_ceil_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CheckNumerics(tensor: T) -> output: T
// Fails on NaN and infinity.
// T: {bfloat16, half, float, double}; message: string
// Stateful, differentiable.
static inline TF_Output sl_op_check_numerics_with(sl_scope_t *scope, TF_Output tensor, const char *message,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CheckNumerics", options->name);
  sl_node_input(node, tensor);
  sl_node_attr_text(node, "message", message);
  return sl_node_output(node);
}
#define sl_op_check_numerics(scope, tensor, message, ...) \
  sl_op_check_numerics_with(SL_AT(scope), (tensor), (message), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CheckNumericsV2(tensor: T) -> output: T
// Fails on NaN and infinity, and says which.
// T: {bfloat16, half, float, double}; message: string
// Stateful, differentiable.
static inline TF_Output sl_op_check_numerics_v2_with(sl_scope_t *scope, TF_Output tensor, const char *message,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CheckNumericsV2", options->name);
  sl_node_input(node, tensor);
  sl_node_attr_text(node, "message", message);
  return sl_node_output(node);
}
#define sl_op_check_numerics_v2(scope, tensor, message, ...) \
  sl_op_check_numerics_v2_with(SL_AT(scope), (tensor), (message), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ClipByValue(t: T, clip_value_min: T, clip_value_max: T) -> output: T
// T: numbertype
// Differentiable.
static inline TF_Output sl_op_clip_by_value_with(sl_scope_t *scope, TF_Output t, TF_Output clip_value_min,
    TF_Output clip_value_max, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ClipByValue", options->name);
  sl_node_input(node, t);
  sl_node_input(node, clip_value_min);
  sl_node_input(node, clip_value_max);
  return sl_node_output(node);
}
#define sl_op_clip_by_value(scope, t, clip_value_min, clip_value_max, ...) \
  sl_op_clip_by_value_with(SL_AT(scope), (t), (clip_value_min), (clip_value_max), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// CloseSummaryWriter(writer: resource)
// Closes the event file of a summary writer.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_close_summary_writer_with(sl_scope_t *scope, TF_Output writer,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CloseSummaryWriter", options->name);
  sl_node_input(node, writer);
  return sl_node_finish(node);
}
#define sl_op_close_summary_writer(scope, writer, ...) \
  sl_op_close_summary_writer_with(SL_AT(scope), (writer), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Complex(real: T, imag: T) -> out: Tout
// T: {float, double} = DT_FLOAT; Tout: {complex64, complex128} = DT_COMPLEX64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_complex_options_t;
static inline TF_Output sl_op_complex_with(sl_scope_t *scope, TF_Output real, TF_Output imag,
    const sl_op_complex_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Complex", options->name);
  sl_node_input(node, real);
  sl_node_input(node, imag);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_complex(scope, real, imag, ...) \
  sl_op_complex_with(SL_AT(scope), (real), (imag), SL_OPTIONS(sl_op_complex_options_t, __VA_ARGS__))

// ComplexAbs(x: T) -> y: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_complex_abs_options_t;
static inline TF_Output sl_op_complex_abs_with(sl_scope_t *scope, TF_Output x,
    const sl_op_complex_abs_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ComplexAbs", options->name);
  sl_node_input(node, x);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_complex_abs(scope, x, ...) \
  sl_op_complex_abs_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_complex_abs_options_t, __VA_ARGS__))

// ComputeAccidentalHits(true_classes: int64, sampled_candidates: int64) -> indices: int32, ids: int64, weights: float
// Which of the drawn classes are true ones.
// num_true: int; seed: int = 0; seed2: int = 0
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_compute_accidental_hits_options_t;
typedef struct {
  TF_Output indices;
  TF_Output ids;
  TF_Output weights;
} sl_op_compute_accidental_hits_t;
static inline sl_op_compute_accidental_hits_t sl_op_compute_accidental_hits_with(sl_scope_t *scope,
    TF_Output true_classes, TF_Output sampled_candidates, int64_t num_true,
    const sl_op_compute_accidental_hits_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ComputeAccidentalHits", options->name);
  sl_node_input(node, true_classes);
  sl_node_input(node, sampled_candidates);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_compute_accidental_hits_t result;
  result.indices = sl_op_output(operation, 0);
  result.ids = sl_op_output(operation, 1);
  result.weights = sl_op_output(operation, 2);
  return result;
}
#define sl_op_compute_accidental_hits(scope, true_classes, sampled_candidates, num_true, ...) \
  sl_op_compute_accidental_hits_with(SL_AT(scope), (true_classes), (sampled_candidates), (num_true), SL_OPTIONS( \
    sl_op_compute_accidental_hits_options_t, __VA_ARGS__))

// Concat(concat_dim: int32, values: N * T) -> output: T
// Joins tensors along an axis.
// N: int >= 2; T: type
// Differentiable.
static inline TF_Output sl_op_concat_with(sl_scope_t *scope, TF_Output concat_dim, const TF_Output *values,
    size_t values_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Concat", options->name);
  sl_node_input(node, concat_dim);
  sl_node_input_list(node, values, values_count);
  return sl_node_output(node);
}
#define sl_op_concat(scope, concat_dim, values, values_count, ...) \
  sl_op_concat_with(SL_AT(scope), (concat_dim), (values), (values_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ConcatOffset(concat_dim: int32, shape: N * shape_type) -> offset: N * shape_type
// Where each part of a concatenation starts.
// N: int >= 2; shape_type: {int32, int64} = DT_INT32
// Gradients stop here.
static inline sl_op_list_t sl_op_concat_offset_with(sl_scope_t *scope, TF_Output concat_dim, const TF_Output *shape,
    size_t shape_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConcatOffset", options->name);
  sl_node_input(node, concat_dim);
  sl_node_input_list(node, shape, shape_count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "offset", 0);
}
#define sl_op_concat_offset(scope, concat_dim, shape, shape_count, ...) \
  sl_op_concat_offset_with(SL_AT(scope), (concat_dim), (shape), (shape_count), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ConcatV2(values: N * T, axis: Tidx) -> output: T
// Joins tensors along an axis.
// N: int >= 2; T: type; Tidx: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_concat_v2_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    TF_Output axis, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConcatV2", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_input(node, axis);
  return sl_node_output(node);
}
#define sl_op_concat_v2(scope, values, values_count, axis, ...) \
  sl_op_concat_v2_with(SL_AT(scope), (values), (values_count), (axis), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ConditionalAccumulator() -> handle: Ref(string)
// An accumulator of gradients.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; shared_name: string =
//   ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *reduction_type;
} sl_op_conditional_accumulator_options_t;
static inline TF_Output sl_op_conditional_accumulator_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
    const sl_op_conditional_accumulator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConditionalAccumulator", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->reduction_type) sl_node_attr_text(node, "reduction_type", options->reduction_type);
  return sl_node_output(node);
}
#define sl_op_conditional_accumulator(scope, dtype, shape, ...) \
  sl_op_conditional_accumulator_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS( \
    sl_op_conditional_accumulator_options_t, __VA_ARGS__))

// Conj(input: T) -> output: T
// T: {complex64, complex128, variant} = DT_COMPLEX64
// Differentiable.
static inline TF_Output sl_op_conj_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conj", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_conj(scope, input, ...) sl_op_conj_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ConjugateTranspose(x: T, perm: Tperm) -> y: T
// Transposed and conjugated.
// T: type; Tperm: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_conjugate_transpose_with(sl_scope_t *scope, TF_Output x, TF_Output perm,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ConjugateTranspose", options->name);
  sl_node_input(node, x);
  sl_node_input(node, perm);
  return sl_node_output(node);
}
#define sl_op_conjugate_transpose(scope, x, perm, ...) \
  sl_op_conjugate_transpose_with(SL_AT(scope), (x), (perm), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Const() -> output: dtype
// A constant.
// value: tensor; dtype: type
// Gradients stop here.
static inline TF_Output sl_op_const_with(sl_scope_t *scope, TF_Tensor *value, TF_DataType dtype,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Const", options->name);
  sl_node_attr_tensor(node, "value", value);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_const(scope, value, dtype, ...) \
  sl_op_const_with(SL_AT(scope), (value), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ControlTrigger()
// Does nothing, even when its inputs are dead.
// Without a gradient.
static inline TF_Operation *sl_op_control_trigger_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ControlTrigger", options->name);
  return sl_node_finish(node);
}
#define sl_op_control_trigger(scope, ...) \
  sl_op_control_trigger_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Conv2D(input: T, filter: T) -> output: T
// T: {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME',
//   'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations:
//   list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_cudnn_on_gpu;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv2d_options_t;
static inline TF_Output sl_op_conv2d_with(sl_scope_t *scope, TF_Output input, TF_Output filter, sl_op_ints_t strides,
    const char *padding, const sl_op_conv2d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv2D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_bool(node, "use_cudnn_on_gpu", options->use_cudnn_on_gpu);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv2d(scope, input, filter, strides, padding, ...) \
  SL_OVER_DEFAULTS(sl_op_conv2d_with(SL_AT(scope), (input), (filter), (strides), (padding), SL_OPTIONS( \
    sl_op_conv2d_options_t, .use_cudnn_on_gpu = true, __VA_ARGS__)))

// Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME', 'VALID',
//   'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) =
//   [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_cudnn_on_gpu;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv2d_backprop_filter_options_t;
static inline TF_Output sl_op_conv2d_backprop_filter_with(sl_scope_t *scope, TF_Output input, TF_Output filter_sizes,
    TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv2d_backprop_filter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv2DBackpropFilter", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter_sizes);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_bool(node, "use_cudnn_on_gpu", options->use_cudnn_on_gpu);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv2d_backprop_filter(scope, input, filter_sizes, out_backprop, strides, padding, ...) \
  SL_OVER_DEFAULTS(sl_op_conv2d_backprop_filter_with(SL_AT(scope), (input), (filter_sizes), (out_backprop), ( \
    strides), (padding), SL_OPTIONS(sl_op_conv2d_backprop_filter_options_t, .use_cudnn_on_gpu = true, __VA_ARGS__)))

// Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> output: T
// T: {half, bfloat16, float, double, int32}; strides: list(int); use_cudnn_on_gpu: bool = true; padding: {'SAME',
//   'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations:
//   list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_cudnn_on_gpu;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv2d_backprop_input_options_t;
static inline TF_Output sl_op_conv2d_backprop_input_with(sl_scope_t *scope, TF_Output input_sizes, TF_Output filter,
    TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv2d_backprop_input_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv2DBackpropInput", options->name);
  sl_node_input(node, input_sizes);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_bool(node, "use_cudnn_on_gpu", options->use_cudnn_on_gpu);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv2d_backprop_input(scope, input_sizes, filter, out_backprop, strides, padding, ...) \
  SL_OVER_DEFAULTS(sl_op_conv2d_backprop_input_with(SL_AT(scope), (input_sizes), (filter), (out_backprop), (strides), \
    (padding), SL_OPTIONS(sl_op_conv2d_backprop_input_options_t, .use_cudnn_on_gpu = true, __VA_ARGS__)))

// Conv3D(input: T, filter: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC',
//   'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv3d_options_t;
static inline TF_Output sl_op_conv3d_with(sl_scope_t *scope, TF_Output input, TF_Output filter, sl_op_ints_t strides,
    const char *padding, const sl_op_conv3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3D", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d(scope, input, filter, strides, padding, ...) \
  sl_op_conv3d_with(SL_AT(scope), (input), (filter), (strides), (padding), SL_OPTIONS(sl_op_conv3d_options_t, \
    __VA_ARGS__))

// Conv3DBackpropFilterV2(input: T, filter_sizes: int32, out_backprop: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC',
//   'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv3d_backprop_filter_v2_options_t;
static inline TF_Output sl_op_conv3d_backprop_filter_v2_with(sl_scope_t *scope, TF_Output input,
    TF_Output filter_sizes, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv3d_backprop_filter_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3DBackpropFilterV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter_sizes);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d_backprop_filter_v2(scope, input, filter_sizes, out_backprop, strides, padding, ...) \
  sl_op_conv3d_backprop_filter_v2_with(SL_AT(scope), (input), (filter_sizes), (out_backprop), (strides), (padding), \
    SL_OPTIONS(sl_op_conv3d_backprop_filter_v2_options_t, __VA_ARGS__))

// Conv3DBackpropInputV2(input_sizes: Tshape, filter: T, out_backprop: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC',
//   'NCDHW'} = 'NDHWC'; dilations: list(int) = [1, 1, 1, 1, 1]; Tshape: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_conv3d_backprop_input_v2_options_t;
static inline TF_Output sl_op_conv3d_backprop_input_v2_with(sl_scope_t *scope, TF_Output input_sizes,
    TF_Output filter, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_conv3d_backprop_input_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Conv3DBackpropInputV2", options->name);
  sl_node_input(node, input_sizes);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_conv3d_backprop_input_v2(scope, input_sizes, filter, out_backprop, strides, padding, ...) \
  sl_op_conv3d_backprop_input_v2_with(SL_AT(scope), (input_sizes), (filter), (out_backprop), (strides), (padding), \
    SL_OPTIONS(sl_op_conv3d_backprop_input_v2_options_t, __VA_ARGS__))

// Copy(input: T) -> output: T
// A copy, for debuggers.
// T: type; tensor_name: string = ''; debug_ops_spec: list(string) = []
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *tensor_name;
  sl_op_texts_t debug_ops_spec;
} sl_op_copy_options_t;
static inline TF_Output sl_op_copy_with(sl_scope_t *scope, TF_Output input, const sl_op_copy_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Copy", options->name);
  sl_node_input(node, input);
  if (options->tensor_name) sl_node_attr_text(node, "tensor_name", options->tensor_name);
  if (options->debug_ops_spec.values) sl_node_attr_text_list(node, "debug_ops_spec", options->debug_ops_spec.values,
    options->debug_ops_spec.count);
  return sl_node_output(node);
}
#define sl_op_copy(scope, input, ...) \
  sl_op_copy_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_copy_options_t, __VA_ARGS__))

// CopyHost(input: T) -> output: T
// A copy in host memory, for debuggers.
// T: type; tensor_name: string = ''; debug_ops_spec: list(string) = []
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *tensor_name;
  sl_op_texts_t debug_ops_spec;
} sl_op_copy_host_options_t;
static inline TF_Output sl_op_copy_host_with(sl_scope_t *scope, TF_Output input,
    const sl_op_copy_host_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CopyHost", options->name);
  sl_node_input(node, input);
  if (options->tensor_name) sl_node_attr_text(node, "tensor_name", options->tensor_name);
  if (options->debug_ops_spec.values) sl_node_attr_text_list(node, "debug_ops_spec", options->debug_ops_spec.values,
    options->debug_ops_spec.count);
  return sl_node_output(node);
}
#define sl_op_copy_host(scope, input, ...) \
  sl_op_copy_host_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_copy_host_options_t, __VA_ARGS__))

// Cos(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_cos_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cos", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_cos(scope, x, ...) sl_op_cos_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cosh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_cosh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cosh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_cosh(scope, x, ...) sl_op_cosh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CountUpTo(ref: Ref(T)) -> output: T
// Counts a variable up to a limit.
// limit: int; T: {int32, int64}
// Without a gradient.
static inline TF_Output sl_op_count_up_to_with(sl_scope_t *scope, TF_Output ref, int64_t limit,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CountUpTo", options->name);
  sl_node_input(node, ref);
  sl_node_attr_int(node, "limit", limit);
  return sl_node_output(node);
}
#define sl_op_count_up_to(scope, ref, limit, ...) \
  sl_op_count_up_to_with(SL_AT(scope), (ref), (limit), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix:
//   string)
// Gives a summary writer a new event file, if it has none.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_create_summary_file_writer_with(sl_scope_t *scope, TF_Output writer,
    TF_Output logdir, TF_Output max_queue, TF_Output flush_millis, TF_Output filename_suffix,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CreateSummaryFileWriter", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, logdir);
  sl_node_input(node, max_queue);
  sl_node_input(node, flush_millis);
  sl_node_input(node, filename_suffix);
  return sl_node_finish(node);
}
#define sl_op_create_summary_file_writer(scope, writer, logdir, max_queue, flush_millis, filename_suffix, ...) \
  sl_op_create_summary_file_writer_with(SL_AT(scope), (writer), (logdir), (max_queue), (flush_millis), ( \
    filename_suffix), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cross(a: T, b: T) -> product: T
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_cross_with(sl_scope_t *scope, TF_Output a, TF_Output b,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cross", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  return sl_node_output(node);
}
#define sl_op_cross(scope, a, b, ...) \
  sl_op_cross_with(SL_AT(scope), (a), (b), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Cumprod(x: T, axis: Tidx) -> out: T
// exclusive: bool = false; reverse: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool exclusive;
  bool reverse;
} sl_op_cumprod_options_t;
static inline TF_Output sl_op_cumprod_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_cumprod_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cumprod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  sl_node_attr_bool(node, "exclusive", options->exclusive);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_cumprod(scope, x, axis, ...) \
  sl_op_cumprod_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_cumprod_options_t, __VA_ARGS__))

// Cumsum(x: T, axis: Tidx) -> out: T
// exclusive: bool = false; reverse: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool exclusive;
  bool reverse;
} sl_op_cumsum_options_t;
static inline TF_Output sl_op_cumsum_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_cumsum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Cumsum", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  sl_node_attr_bool(node, "exclusive", options->exclusive);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_cumsum(scope, x, axis, ...) \
  sl_op_cumsum_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_cumsum_options_t, __VA_ARGS__))

// CumulativeLogsumexp(x: T, axis: Tidx) -> out: T
// exclusive: bool = false; reverse: bool = false; T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool exclusive;
  bool reverse;
} sl_op_cumulative_logsumexp_options_t;
static inline TF_Output sl_op_cumulative_logsumexp_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_cumulative_logsumexp_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "CumulativeLogsumexp", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  sl_node_attr_bool(node, "exclusive", options->exclusive);
  sl_node_attr_bool(node, "reverse", options->reverse);
  return sl_node_output(node);
}
#define sl_op_cumulative_logsumexp(scope, x, axis, ...) \
  sl_op_cumulative_logsumexp_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_cumulative_logsumexp_options_t, \
    __VA_ARGS__))

// DataFormatDimMap(x: T) -> y: T
// T: {int32, int64} = DT_INT32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *src_format;
  const char *dst_format;
} sl_op_data_format_dim_map_options_t;
static inline TF_Output sl_op_data_format_dim_map_with(sl_scope_t *scope, TF_Output x,
    const sl_op_data_format_dim_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DataFormatDimMap", options->name);
  sl_node_input(node, x);
  if (options->src_format) sl_node_attr_text(node, "src_format", options->src_format);
  if (options->dst_format) sl_node_attr_text(node, "dst_format", options->dst_format);
  return sl_node_output(node);
}
#define sl_op_data_format_dim_map(scope, x, ...) \
  sl_op_data_format_dim_map_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_data_format_dim_map_options_t, __VA_ARGS__))

// DataFormatVecPermute(x: T) -> y: T
// T: {int32, int64} = DT_INT32; src_format: string = 'NHWC'; dst_format: string = 'NCHW'
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *src_format;
  const char *dst_format;
} sl_op_data_format_vec_permute_options_t;
static inline TF_Output sl_op_data_format_vec_permute_with(sl_scope_t *scope, TF_Output x,
    const sl_op_data_format_vec_permute_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DataFormatVecPermute", options->name);
  sl_node_input(node, x);
  if (options->src_format) sl_node_attr_text(node, "src_format", options->src_format);
  if (options->dst_format) sl_node_attr_text(node, "dst_format", options->dst_format);
  return sl_node_output(node);
}
#define sl_op_data_format_vec_permute(scope, x, ...) \
  sl_op_data_format_vec_permute_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_data_format_vec_permute_options_t, \
    __VA_ARGS__))

// DebugGradientIdentity(input: T) -> output: T
// The input, with a place to watch the gradient.
// T: type
// Differentiable.
static inline TF_Output sl_op_debug_gradient_identity_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DebugGradientIdentity", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_debug_gradient_identity(scope, input, ...) \
  sl_op_debug_gradient_identity_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DecodeBase64(input: string) -> output: string
// Strings from base 64.
// Gradients stop here.
static inline TF_Output sl_op_decode_base64_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeBase64", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_decode_base64(scope, input, ...) \
  sl_op_decode_base64_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DecodeCSV(records: string, record_defaults: OUT_TYPE) -> output: OUT_TYPE
// The fields of CSV records as tensors.
// OUT_TYPE: list({float, double, int32, int64, string}) >= 1; field_delim: string = ','; use_quote_delim: bool =
//   true; na_value: string = ''; select_cols: list(int) = []
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *field_delim;
  bool use_quote_delim;
  const char *na_value;
  sl_op_ints_t select_cols;
} sl_op_decode_csv_options_t;
static inline sl_op_list_t sl_op_decode_csv_with(sl_scope_t *scope, TF_Output records,
    const TF_Output *record_defaults, size_t record_defaults_count, const sl_op_decode_csv_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeCSV", options->name);
  sl_node_input(node, records);
  sl_node_input_list(node, record_defaults, record_defaults_count);
  if (options->field_delim) sl_node_attr_text(node, "field_delim", options->field_delim);
  sl_node_attr_bool(node, "use_quote_delim", options->use_quote_delim);
  if (options->na_value) sl_node_attr_text(node, "na_value", options->na_value);
  if (options->select_cols.values) sl_node_attr_int_list(node, "select_cols", options->select_cols.values,
    options->select_cols.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_decode_csv(scope, records, record_defaults, record_defaults_count, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_csv_with(SL_AT(scope), (records), (record_defaults), (record_defaults_count), \
    SL_OPTIONS(sl_op_decode_csv_options_t, .use_quote_delim = true, __VA_ARGS__)))

// DecodeJSONExample(json_examples: string) -> binary_examples: string
// Example messages from their JSON form.
// Without a gradient.
static inline TF_Output sl_op_decode_json_example_with(sl_scope_t *scope, TF_Output json_examples,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeJSONExample", options->name);
  sl_node_input(node, json_examples);
  return sl_node_output(node);
}
#define sl_op_decode_json_example(scope, json_examples, ...) \
  sl_op_decode_json_example_with(SL_AT(scope), (json_examples), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DecodePaddedRaw(input_bytes: string, fixed_length: int32) -> output: out_type
// The bytes of strings as numbers, cut or padded to one length.
// out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}; little_endian: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool little_endian;
} sl_op_decode_padded_raw_options_t;
static inline TF_Output sl_op_decode_padded_raw_with(sl_scope_t *scope, TF_Output input_bytes,
    TF_Output fixed_length, TF_DataType out_type, const sl_op_decode_padded_raw_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodePaddedRaw", options->name);
  sl_node_input(node, input_bytes);
  sl_node_input(node, fixed_length);
  sl_node_attr_type(node, "out_type", out_type);
  sl_node_attr_bool(node, "little_endian", options->little_endian);
  return sl_node_output(node);
}
#define sl_op_decode_padded_raw(scope, input_bytes, fixed_length, out_type, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_padded_raw_with(SL_AT(scope), (input_bytes), (fixed_length), (out_type), SL_OPTIONS( \
    sl_op_decode_padded_raw_options_t, .little_endian = true, __VA_ARGS__)))

// DecodeRaw(bytes: string) -> output: out_type
// The bytes of strings as numbers.
// out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, bfloat16};
//   little_endian: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool little_endian;
} sl_op_decode_raw_options_t;
static inline TF_Output sl_op_decode_raw_with(sl_scope_t *scope, TF_Output bytes, TF_DataType out_type,
    const sl_op_decode_raw_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeRaw", options->name);
  sl_node_input(node, bytes);
  sl_node_attr_type(node, "out_type", out_type);
  sl_node_attr_bool(node, "little_endian", options->little_endian);
  return sl_node_output(node);
}
#define sl_op_decode_raw(scope, bytes, out_type, ...) \
  SL_OVER_DEFAULTS(sl_op_decode_raw_with(SL_AT(scope), (bytes), (out_type), SL_OPTIONS(sl_op_decode_raw_options_t, \
    .little_endian = true, __VA_ARGS__)))

// DeepCopy(x: T) -> y: T
// A copy.
// T: type
// Stateful, without a gradient.
static inline TF_Output sl_op_deep_copy_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeepCopy", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_deep_copy(scope, x, ...) \
  sl_op_deep_copy_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DenseBincount(input: Tidx, size: Tidx, weights: T) -> output: T
// Tidx: {int32, int64}; T: {int32, int64, float, double}; binary_output: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool binary_output;
} sl_op_dense_bincount_options_t;
static inline TF_Output sl_op_dense_bincount_with(sl_scope_t *scope, TF_Output input, TF_Output size,
    TF_Output weights, const sl_op_dense_bincount_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseBincount", options->name);
  sl_node_input(node, input);
  sl_node_input(node, size);
  sl_node_input(node, weights);
  sl_node_attr_bool(node, "binary_output", options->binary_output);
  return sl_node_output(node);
}
#define sl_op_dense_bincount(scope, input, size, weights, ...) \
  sl_op_dense_bincount_with(SL_AT(scope), (input), (size), (weights), SL_OPTIONS(sl_op_dense_bincount_options_t, \
    __VA_ARGS__))

// DenseToDenseSetOperation(set1: T, set2: T) -> result_indices: int64, result_values: T, result_shape: int64
// set_operation: string; validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_dense_to_dense_set_operation_options_t;
typedef struct {
  TF_Output result_indices;
  TF_Output result_values;
  TF_Output result_shape;
} sl_op_dense_to_dense_set_operation_t;
static inline sl_op_dense_to_dense_set_operation_t sl_op_dense_to_dense_set_operation_with(sl_scope_t *scope,
    TF_Output set1, TF_Output set2, const char *set_operation,
    const sl_op_dense_to_dense_set_operation_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DenseToDenseSetOperation", options->name);
  sl_node_input(node, set1);
  sl_node_input(node, set2);
  sl_node_attr_text(node, "set_operation", set_operation);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_dense_to_dense_set_operation_t result;
  result.result_indices = sl_op_output(operation, 0);
  result.result_values = sl_op_output(operation, 1);
  result.result_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_dense_to_dense_set_operation(scope, set1, set2, set_operation, ...) \
  SL_OVER_DEFAULTS(sl_op_dense_to_dense_set_operation_with(SL_AT(scope), (set1), (set2), (set_operation), SL_OPTIONS( \
    sl_op_dense_to_dense_set_operation_options_t, .validate_indices = true, __VA_ARGS__)))

// DepthToSpace(input: T) -> output: T
// Channels into blocks of space.
// T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_depth_to_space_options_t;
static inline TF_Output sl_op_depth_to_space_with(sl_scope_t *scope, TF_Output input, int64_t block_size,
    const sl_op_depth_to_space_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthToSpace", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "block_size", block_size);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_depth_to_space(scope, input, block_size, ...) \
  sl_op_depth_to_space_with(SL_AT(scope), (input), (block_size), SL_OPTIONS(sl_op_depth_to_space_options_t, \
    __VA_ARGS__))

// DepthwiseConv2dNative(input: T, filter: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_depthwise_conv2d_native_options_t;
static inline TF_Output sl_op_depthwise_conv2d_native_with(sl_scope_t *scope, TF_Output input, TF_Output filter,
    sl_op_ints_t strides, const char *padding, const sl_op_depthwise_conv2d_native_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthwiseConv2dNative", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_depthwise_conv2d_native(scope, input, filter, strides, padding, ...) \
  sl_op_depthwise_conv2d_native_with(SL_AT(scope), (input), (filter), (strides), (padding), SL_OPTIONS( \
    sl_op_depthwise_conv2d_native_options_t, __VA_ARGS__))

// DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_depthwise_conv2d_native_backprop_filter_options_t;
static inline TF_Output sl_op_depthwise_conv2d_native_backprop_filter_with(sl_scope_t *scope, TF_Output input,
    TF_Output filter_sizes, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_depthwise_conv2d_native_backprop_filter_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthwiseConv2dNativeBackpropFilter", options->name);
  sl_node_input(node, input);
  sl_node_input(node, filter_sizes);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_depthwise_conv2d_native_backprop_filter(scope, input, filter_sizes, out_backprop, strides, padding, \
    ...) \
  sl_op_depthwise_conv2d_native_backprop_filter_with(SL_AT(scope), (input), (filter_sizes), (out_backprop), ( \
    strides), (padding), SL_OPTIONS(sl_op_depthwise_conv2d_native_backprop_filter_options_t, __VA_ARGS__))

// DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T) -> output: T
// T: {half, bfloat16, float, double}; strides: list(int); padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; dilations: list(int) = [1, 1, 1, 1]
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
  sl_op_ints_t dilations;
} sl_op_depthwise_conv2d_native_backprop_input_options_t;
static inline TF_Output sl_op_depthwise_conv2d_native_backprop_input_with(sl_scope_t *scope, TF_Output input_sizes,
    TF_Output filter, TF_Output out_backprop, sl_op_ints_t strides, const char *padding,
    const sl_op_depthwise_conv2d_native_backprop_input_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DepthwiseConv2dNativeBackpropInput", options->name);
  sl_node_input(node, input_sizes);
  sl_node_input(node, filter);
  sl_node_input(node, out_backprop);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  if (options->dilations.values) sl_node_attr_int_list(node, "dilations", options->dilations.values,
    options->dilations.count);
  return sl_node_output(node);
}
#define sl_op_depthwise_conv2d_native_backprop_input(scope, input_sizes, filter, out_backprop, strides, padding, \
    ...) \
  sl_op_depthwise_conv2d_native_backprop_input_with(SL_AT(scope), (input_sizes), (filter), (out_backprop), (strides), \
    (padding), SL_OPTIONS(sl_op_depthwise_conv2d_native_backprop_input_options_t, __VA_ARGS__))

// DeserializeManySparse(serialized_sparse: string) -> sparse_indices: int64, sparse_values: dtype, sparse_shape:
//   int64
// Stacks sparse tensors that were serialized.
// dtype: type
// Without a gradient.
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_shape;
} sl_op_deserialize_many_sparse_t;
static inline sl_op_deserialize_many_sparse_t sl_op_deserialize_many_sparse_with(sl_scope_t *scope,
    TF_Output serialized_sparse, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeserializeManySparse", options->name);
  sl_node_input(node, serialized_sparse);
  sl_node_attr_type(node, "dtype", dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_deserialize_many_sparse_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_deserialize_many_sparse(scope, serialized_sparse, dtype, ...) \
  sl_op_deserialize_many_sparse_with(SL_AT(scope), (serialized_sparse), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// DeserializeSparse(serialized_sparse: Tserialized) -> sparse_indices: int64, sparse_values: dtype, sparse_shape:
//   int64
// Stacks sparse tensors that were serialized.
// dtype: type; Tserialized: {string, variant} = DT_STRING
// Without a gradient.
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_shape;
} sl_op_deserialize_sparse_t;
static inline sl_op_deserialize_sparse_t sl_op_deserialize_sparse_with(sl_scope_t *scope,
    TF_Output serialized_sparse, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DeserializeSparse", options->name);
  sl_node_input(node, serialized_sparse);
  sl_node_attr_type(node, "dtype", dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_deserialize_sparse_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_deserialize_sparse(scope, serialized_sparse, dtype, ...) \
  sl_op_deserialize_sparse_with(SL_AT(scope), (serialized_sparse), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DestroyResourceOp(resource: resource)
// Removes a resource.
// ignore_lookup_error: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool ignore_lookup_error;
} sl_op_destroy_resource_op_options_t;
static inline TF_Operation *sl_op_destroy_resource_op_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_destroy_resource_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DestroyResourceOp", options->name);
  sl_node_input(node, resource);
  sl_node_attr_bool(node, "ignore_lookup_error", options->ignore_lookup_error);
  return sl_node_finish(node);
}
#define sl_op_destroy_resource_op(scope, resource, ...) \
  SL_OVER_DEFAULTS(sl_op_destroy_resource_op_with(SL_AT(scope), (resource), SL_OPTIONS( \
    sl_op_destroy_resource_op_options_t, .ignore_lookup_error = true, __VA_ARGS__)))

// DestroyTemporaryVariable(ref: Ref(T)) -> value: T
// The last value of a variable of one step.
// T: type; var_name: string
// Without a gradient.
static inline TF_Output sl_op_destroy_temporary_variable_with(sl_scope_t *scope, TF_Output ref, const char *var_name,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DestroyTemporaryVariable", options->name);
  sl_node_input(node, ref);
  sl_node_attr_text(node, "var_name", var_name);
  return sl_node_output(node);
}
#define sl_op_destroy_temporary_variable(scope, ref, var_name, ...) \
  sl_op_destroy_temporary_variable_with(SL_AT(scope), (ref), (var_name), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Diag(diagonal: T) -> output: T
// A tensor with a given diagonal.
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_diag_with(sl_scope_t *scope, TF_Output diagonal, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Diag", options->name);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_diag(scope, diagonal, ...) \
  sl_op_diag_with(SL_AT(scope), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DiagPart(input: T) -> diagonal: T
// The diagonal of a tensor.
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_diag_part_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DiagPart", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_diag_part(scope, input, ...) \
  sl_op_diag_part_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Digamma(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_digamma_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Digamma", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_digamma(scope, x, ...) sl_op_digamma_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DisableCopyOnRead(resource: resource)
// Asks that reads of a variable need not copy; savers do.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_disable_copy_on_read_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DisableCopyOnRead", options->name);
  sl_node_input(node, resource);
  return sl_node_finish(node);
}
#define sl_op_disable_copy_on_read(scope, resource, ...) \
  sl_op_disable_copy_on_read_with(SL_AT(scope), (resource), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Div(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_div_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Div", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_div(scope, x, y, ...) sl_op_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DivNoNan(x: T, y: T) -> z: T
// T: {half, float, bfloat16, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_div_no_nan_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DivNoNan", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_div_no_nan(scope, x, y, ...) \
  sl_op_div_no_nan_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// DynamicPartition(data: T, partitions: int32) -> outputs: num_partitions * T
// Deals slices out to several tensors.
// num_partitions: int >= 1; T: type
// Differentiable.
static inline sl_op_list_t sl_op_dynamic_partition_with(sl_scope_t *scope, TF_Output data, TF_Output partitions,
    int64_t num_partitions, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DynamicPartition", options->name);
  sl_node_input(node, data);
  sl_node_input(node, partitions);
  sl_node_attr_int(node, "num_partitions", num_partitions);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "outputs", 0);
}
#define sl_op_dynamic_partition(scope, data, partitions, num_partitions, ...) \
  sl_op_dynamic_partition_with(SL_AT(scope), (data), (partitions), (num_partitions), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// DynamicStitch(indices: N * int32, data: N * T) -> merged: T
// Puts slices together by index.
// N: int >= 1; T: type
// Differentiable.
static inline TF_Output sl_op_dynamic_stitch_with(sl_scope_t *scope, const TF_Output *indices, size_t indices_count,
    const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DynamicStitch", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, data, data_count);
  return sl_node_output(node);
}
#define sl_op_dynamic_stitch(scope, indices, indices_count, data, data_count, ...) \
  sl_op_dynamic_stitch_with(SL_AT(scope), (indices), (indices_count), (data), (data_count), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

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

// Einsum(inputs: N * T) -> output: T
// equation: string; N: int >= 1; T: type
// Differentiable.
static inline TF_Output sl_op_einsum_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const char *equation, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Einsum", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  sl_node_attr_text(node, "equation", equation);
  return sl_node_output(node);
}
#define sl_op_einsum(scope, inputs, inputs_count, equation, ...) \
  sl_op_einsum_with(SL_AT(scope), (inputs), (inputs_count), (equation), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Elu(features: T) -> activations: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_elu_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Elu", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_elu(scope, features, ...) \
  sl_op_elu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EluGrad(gradients: T, outputs: T) -> backprops: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_elu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output outputs,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, outputs);
  return sl_node_output(node);
}
#define sl_op_elu_grad(scope, gradients, outputs, ...) \
  sl_op_elu_grad_with(SL_AT(scope), (gradients), (outputs), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Empty(shape: int32) -> output: dtype
// A tensor of a given shape.
// dtype: type; init: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool init;
} sl_op_empty_options_t;
static inline TF_Output sl_op_empty_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_empty_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Empty", options->name);
  sl_node_input(node, shape);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_bool(node, "init", options->init);
  return sl_node_output(node);
}
#define sl_op_empty(scope, shape, dtype, ...) \
  sl_op_empty_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_empty_options_t, __VA_ARGS__))

// EncodeBase64(input: string) -> output: string
// Strings in base 64, safe for names.
// pad: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pad;
} sl_op_encode_base64_options_t;
static inline TF_Output sl_op_encode_base64_with(sl_scope_t *scope, TF_Output input,
    const sl_op_encode_base64_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EncodeBase64", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "pad", options->pad);
  return sl_node_output(node);
}
#define sl_op_encode_base64(scope, input, ...) \
  sl_op_encode_base64_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_encode_base64_options_t, __VA_ARGS__))

// EnsureShape(input: T) -> output: T
// The input, if it has the shape.
// shape: shape; T: type
// Differentiable.
static inline TF_Output sl_op_ensure_shape_with(sl_scope_t *scope, TF_Output input, sl_shape_t shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EnsureShape", options->name);
  sl_node_input(node, input);
  sl_node_attr_shape(node, "shape", shape);
  return sl_node_output(node);
}
#define sl_op_ensure_shape(scope, input, shape, ...) \
  sl_op_ensure_shape_with(SL_AT(scope), (input), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

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

// Equal(x: T, y: T) -> z: bool
// T: type; incompatible_shape_error: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool incompatible_shape_error;
} sl_op_equal_options_t;
static inline TF_Output sl_op_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_equal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Equal", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "incompatible_shape_error", options->incompatible_shape_error);
  return sl_node_output(node);
}
#define sl_op_equal(scope, x, y, ...) \
  SL_OVER_DEFAULTS(sl_op_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_equal_options_t, \
    .incompatible_shape_error = true, __VA_ARGS__)))

// Erf(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_erf_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Erf", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_erf(scope, x, ...) sl_op_erf_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Erfc(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_erfc_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Erfc", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_erfc(scope, x, ...) sl_op_erfc_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Erfinv(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_erfinv_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Erfinv", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_erfinv(scope, x, ...) sl_op_erfinv_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EuclideanNorm(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_euclidean_norm_options_t;
static inline TF_Output sl_op_euclidean_norm_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_euclidean_norm_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EuclideanNorm", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_euclidean_norm(scope, input, reduction_indices, ...) \
  sl_op_euclidean_norm_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_euclidean_norm_options_t, \
    __VA_ARGS__))

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

// Exp(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_exp_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Exp", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_exp(scope, x, ...) sl_op_exp_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExpandDims(input: T, dim: Tdim) -> output: T
// Inserts a dimension of 1.
// T: type; Tdim: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_expand_dims_with(sl_scope_t *scope, TF_Output input, TF_Output dim,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExpandDims", options->name);
  sl_node_input(node, input);
  sl_node_input(node, dim);
  return sl_node_output(node);
}
#define sl_op_expand_dims(scope, input, dim, ...) \
  sl_op_expand_dims_with(SL_AT(scope), (input), (dim), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Expm1(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_expm1_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Expm1", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_expm1(scope, x, ...) sl_op_expm1_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ExtractImagePatches(images: T) -> patches: T
// The window around every position of an image.
// ksizes: list(int) >= 4; strides: list(int) >= 4; rates: list(int) >= 4; T: {bfloat16, half, float, double, int8,
//   int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128, bool}; padding: {'SAME', 'VALID'}
// Differentiable.
static inline TF_Output sl_op_extract_image_patches_with(sl_scope_t *scope, TF_Output images, sl_op_ints_t ksizes,
    sl_op_ints_t strides, sl_op_ints_t rates, const char *padding, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ExtractImagePatches", options->name);
  sl_node_input(node, images);
  sl_node_attr_int_list(node, "ksizes", ksizes.values, ksizes.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_int_list(node, "rates", rates.values, rates.count);
  sl_node_attr_text(node, "padding", padding);
  return sl_node_output(node);
}
#define sl_op_extract_image_patches(scope, images, ksizes, strides, rates, padding, ...) \
  sl_op_extract_image_patches_with(SL_AT(scope), (images), (ksizes), (strides), (rates), (padding), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// FIFOQueue() -> handle: Ref(string)
// A queue, first in first out.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_fifo_queue_options_t;
static inline TF_Output sl_op_fifo_queue_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_fifo_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FIFOQueue", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_fifo_queue(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_fifo_queue_with(SL_AT(scope), (component_types), SL_OPTIONS(sl_op_fifo_queue_options_t, \
    .capacity = -1, __VA_ARGS__)))

// FIFOQueueV2() -> handle: resource
// A queue, first in first out.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_fifo_queue_v2_options_t;
static inline TF_Output sl_op_fifo_queue_v2_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_fifo_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FIFOQueueV2", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_fifo_queue_v2(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_fifo_queue_v2_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_fifo_queue_v2_options_t, .capacity = -1, __VA_ARGS__)))

// Fill(dims: index_type, value: T) -> output: T
// A tensor filled with one value.
// T: type; index_type: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_fill_with(sl_scope_t *scope, TF_Output dims, TF_Output value,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Fill", options->name);
  sl_node_input(node, dims);
  sl_node_input(node, value);
  return sl_node_output(node);
}
#define sl_op_fill(scope, dims, value, ...) \
  sl_op_fill_with(SL_AT(scope), (dims), (value), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FixedLengthRecordReader() -> reader_handle: Ref(string)
// A reader of records of a fixed length.
// header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = '';
//   shared_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use FixedLengthRecordReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t header_bytes;
  int64_t footer_bytes;
  int64_t hop_bytes;
  const char *container;
  const char *shared_name;
} sl_op_fixed_length_record_reader_options_t;
static inline TF_Output sl_op_fixed_length_record_reader_with(sl_scope_t *scope, int64_t record_bytes,
    const sl_op_fixed_length_record_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordReader", options->name);
  sl_node_attr_int(node, "header_bytes", options->header_bytes);
  sl_node_attr_int(node, "record_bytes", record_bytes);
  sl_node_attr_int(node, "footer_bytes", options->footer_bytes);
  sl_node_attr_int(node, "hop_bytes", options->hop_bytes);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_fixed_length_record_reader(scope, record_bytes, ...) \
  sl_op_fixed_length_record_reader_with(SL_AT(scope), (record_bytes), SL_OPTIONS( \
    sl_op_fixed_length_record_reader_options_t, __VA_ARGS__))

// FixedLengthRecordReaderV2() -> reader_handle: resource
// A reader of records of a fixed length.
// header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; hop_bytes: int = 0; container: string = '';
//   shared_name: string = ''; encoding: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t header_bytes;
  int64_t footer_bytes;
  int64_t hop_bytes;
  const char *container;
  const char *shared_name;
  const char *encoding;
} sl_op_fixed_length_record_reader_v2_options_t;
static inline TF_Output sl_op_fixed_length_record_reader_v2_with(sl_scope_t *scope, int64_t record_bytes,
    const sl_op_fixed_length_record_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FixedLengthRecordReaderV2", options->name);
  sl_node_attr_int(node, "header_bytes", options->header_bytes);
  sl_node_attr_int(node, "record_bytes", record_bytes);
  sl_node_attr_int(node, "footer_bytes", options->footer_bytes);
  sl_node_attr_int(node, "hop_bytes", options->hop_bytes);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->encoding) sl_node_attr_text(node, "encoding", options->encoding);
  return sl_node_output(node);
}
#define sl_op_fixed_length_record_reader_v2(scope, record_bytes, ...) \
  sl_op_fixed_length_record_reader_v2_with(SL_AT(scope), (record_bytes), SL_OPTIONS( \
    sl_op_fixed_length_record_reader_v2_options_t, __VA_ARGS__))

// Floor(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_floor_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Floor", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_floor(scope, x, ...) sl_op_floor_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FloorDiv(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_floor_div_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FloorDiv", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_floor_div(scope, x, y, ...) \
  sl_op_floor_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FloorMod(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_floor_mod_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FloorMod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_floor_mod(scope, x, y, ...) \
  sl_op_floor_mod_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FlushSummaryWriter(writer: resource)
// Hands the events of a summary writer to the system.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_flush_summary_writer_with(sl_scope_t *scope, TF_Output writer,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FlushSummaryWriter", options->name);
  sl_node_input(node, writer);
  return sl_node_finish(node);
}
#define sl_op_flush_summary_writer(scope, writer, ...) \
  sl_op_flush_summary_writer_with(SL_AT(scope), (writer), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// FusedBatchNorm(x: T, scale: T, offset: T, mean: T, variance: T) -> y: T, batch_mean: T, batch_variance: T,
//   reserve_space_1: T, reserve_space_2: T
// T: {float}; epsilon: float = 0.0001; exponential_avg_factor: float = 1; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  float exponential_avg_factor;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_options_t;
typedef struct {
  TF_Output y;
  TF_Output batch_mean;
  TF_Output batch_variance;
  TF_Output reserve_space_1;
  TF_Output reserve_space_2;
} sl_op_fused_batch_norm_t;
static inline sl_op_fused_batch_norm_t sl_op_fused_batch_norm_with(sl_scope_t *scope, TF_Output x, TF_Output scale,
    TF_Output offset, TF_Output mean, TF_Output variance, const sl_op_fused_batch_norm_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNorm", options->name);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, offset);
  sl_node_input(node, mean);
  sl_node_input(node, variance);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  sl_node_attr_float(node, "exponential_avg_factor", options->exponential_avg_factor);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_t result;
  result.y = sl_op_output(operation, 0);
  result.batch_mean = sl_op_output(operation, 1);
  result.batch_variance = sl_op_output(operation, 2);
  result.reserve_space_1 = sl_op_output(operation, 3);
  result.reserve_space_2 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm(scope, x, scale, offset, mean, variance, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_with(SL_AT(scope), (x), (scale), (offset), (mean), (variance), SL_OPTIONS( \
    sl_op_fused_batch_norm_options_t, .epsilon = (float)9.99999975e-05, .exponential_avg_factor = (float)1, \
    .is_training = true, __VA_ARGS__)))

// FusedBatchNormGrad(y_backprop: T, x: T, scale: T, reserve_space_1: T, reserve_space_2: T) -> x_backprop: T,
//   scale_backprop: T, offset_backprop: T, reserve_space_3: T, reserve_space_4: T
// T: {float}; epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_grad_options_t;
typedef struct {
  TF_Output x_backprop;
  TF_Output scale_backprop;
  TF_Output offset_backprop;
  TF_Output reserve_space_3;
  TF_Output reserve_space_4;
} sl_op_fused_batch_norm_grad_t;
static inline sl_op_fused_batch_norm_grad_t sl_op_fused_batch_norm_grad_with(sl_scope_t *scope, TF_Output y_backprop,
    TF_Output x, TF_Output scale, TF_Output reserve_space_1, TF_Output reserve_space_2,
    const sl_op_fused_batch_norm_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormGrad", options->name);
  sl_node_input(node, y_backprop);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, reserve_space_1);
  sl_node_input(node, reserve_space_2);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_grad_t result;
  result.x_backprop = sl_op_output(operation, 0);
  result.scale_backprop = sl_op_output(operation, 1);
  result.offset_backprop = sl_op_output(operation, 2);
  result.reserve_space_3 = sl_op_output(operation, 3);
  result.reserve_space_4 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_grad(scope, y_backprop, x, scale, reserve_space_1, reserve_space_2, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_grad_with(SL_AT(scope), (y_backprop), (x), (scale), (reserve_space_1), ( \
    reserve_space_2), SL_OPTIONS(sl_op_fused_batch_norm_grad_options_t, .epsilon = (float)9.99999975e-05, \
    .is_training = true, __VA_ARGS__)))

// FusedBatchNormGradV2(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U) -> x_backprop: T,
//   scale_backprop: U, offset_backprop: U, reserve_space_3: U, reserve_space_4: U
// T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_grad_v2_options_t;
typedef struct {
  TF_Output x_backprop;
  TF_Output scale_backprop;
  TF_Output offset_backprop;
  TF_Output reserve_space_3;
  TF_Output reserve_space_4;
} sl_op_fused_batch_norm_grad_v2_t;
static inline sl_op_fused_batch_norm_grad_v2_t sl_op_fused_batch_norm_grad_v2_with(sl_scope_t *scope,
    TF_Output y_backprop, TF_Output x, TF_Output scale, TF_Output reserve_space_1, TF_Output reserve_space_2,
    const sl_op_fused_batch_norm_grad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormGradV2", options->name);
  sl_node_input(node, y_backprop);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, reserve_space_1);
  sl_node_input(node, reserve_space_2);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_grad_v2_t result;
  result.x_backprop = sl_op_output(operation, 0);
  result.scale_backprop = sl_op_output(operation, 1);
  result.offset_backprop = sl_op_output(operation, 2);
  result.reserve_space_3 = sl_op_output(operation, 3);
  result.reserve_space_4 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_grad_v2(scope, y_backprop, x, scale, reserve_space_1, reserve_space_2, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_grad_v2_with(SL_AT(scope), (y_backprop), (x), (scale), (reserve_space_1), ( \
    reserve_space_2), SL_OPTIONS(sl_op_fused_batch_norm_grad_v2_options_t, .epsilon = (float)9.99999975e-05, \
    .is_training = true, __VA_ARGS__)))

// FusedBatchNormGradV3(y_backprop: T, x: T, scale: float, reserve_space_1: U, reserve_space_2: U, reserve_space_3: U)
//   -> x_backprop: T, scale_backprop: U, offset_backprop: U, reserve_space_4: U, reserve_space_5: U
// T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} =
//   'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_grad_v3_options_t;
typedef struct {
  TF_Output x_backprop;
  TF_Output scale_backprop;
  TF_Output offset_backprop;
  TF_Output reserve_space_4;
  TF_Output reserve_space_5;
} sl_op_fused_batch_norm_grad_v3_t;
static inline sl_op_fused_batch_norm_grad_v3_t sl_op_fused_batch_norm_grad_v3_with(sl_scope_t *scope,
    TF_Output y_backprop, TF_Output x, TF_Output scale, TF_Output reserve_space_1, TF_Output reserve_space_2,
    TF_Output reserve_space_3, const sl_op_fused_batch_norm_grad_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormGradV3", options->name);
  sl_node_input(node, y_backprop);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, reserve_space_1);
  sl_node_input(node, reserve_space_2);
  sl_node_input(node, reserve_space_3);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_grad_v3_t result;
  result.x_backprop = sl_op_output(operation, 0);
  result.scale_backprop = sl_op_output(operation, 1);
  result.offset_backprop = sl_op_output(operation, 2);
  result.reserve_space_4 = sl_op_output(operation, 3);
  result.reserve_space_5 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_grad_v3(scope, y_backprop, x, scale, reserve_space_1, reserve_space_2, \
    reserve_space_3, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_grad_v3_with(SL_AT(scope), (y_backprop), (x), (scale), (reserve_space_1), ( \
    reserve_space_2), (reserve_space_3), SL_OPTIONS(sl_op_fused_batch_norm_grad_v3_options_t, .epsilon = ( \
    float)9.99999975e-05, .is_training = true, __VA_ARGS__)))

// FusedBatchNormV2(x: T, scale: U, offset: U, mean: U, variance: U) -> y: T, batch_mean: U, batch_variance: U,
//   reserve_space_1: U, reserve_space_2: U
// T: {half, bfloat16, float}; U: {float}; epsilon: float = 0.0001; exponential_avg_factor: float = 1; data_format:
//   {'NHWC', 'NCHW'} = 'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  float exponential_avg_factor;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_v2_options_t;
typedef struct {
  TF_Output y;
  TF_Output batch_mean;
  TF_Output batch_variance;
  TF_Output reserve_space_1;
  TF_Output reserve_space_2;
} sl_op_fused_batch_norm_v2_t;
static inline sl_op_fused_batch_norm_v2_t sl_op_fused_batch_norm_v2_with(sl_scope_t *scope, TF_Output x,
    TF_Output scale, TF_Output offset, TF_Output mean, TF_Output variance,
    const sl_op_fused_batch_norm_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, offset);
  sl_node_input(node, mean);
  sl_node_input(node, variance);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  sl_node_attr_float(node, "exponential_avg_factor", options->exponential_avg_factor);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_v2_t result;
  result.y = sl_op_output(operation, 0);
  result.batch_mean = sl_op_output(operation, 1);
  result.batch_variance = sl_op_output(operation, 2);
  result.reserve_space_1 = sl_op_output(operation, 3);
  result.reserve_space_2 = sl_op_output(operation, 4);
  return result;
}
#define sl_op_fused_batch_norm_v2(scope, x, scale, offset, mean, variance, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_v2_with(SL_AT(scope), (x), (scale), (offset), (mean), (variance), \
    SL_OPTIONS(sl_op_fused_batch_norm_v2_options_t, .epsilon = (float)9.99999975e-05, .exponential_avg_factor = ( \
    float)1, .is_training = true, __VA_ARGS__)))

// FusedBatchNormV3(x: T, scale: U, offset: U, mean: U, variance: U) -> y: T, batch_mean: U, batch_variance: U,
//   reserve_space_1: U, reserve_space_2: U, reserve_space_3: U
// T: {half, bfloat16, float}; U: {bfloat16, float}; epsilon: float = 0.0001; exponential_avg_factor: float = 1;
//   data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'; is_training: bool = true
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float epsilon;
  float exponential_avg_factor;
  const char *data_format;
  bool is_training;
} sl_op_fused_batch_norm_v3_options_t;
typedef struct {
  TF_Output y;
  TF_Output batch_mean;
  TF_Output batch_variance;
  TF_Output reserve_space_1;
  TF_Output reserve_space_2;
  TF_Output reserve_space_3;
} sl_op_fused_batch_norm_v3_t;
static inline sl_op_fused_batch_norm_v3_t sl_op_fused_batch_norm_v3_with(sl_scope_t *scope, TF_Output x,
    TF_Output scale, TF_Output offset, TF_Output mean, TF_Output variance,
    const sl_op_fused_batch_norm_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "FusedBatchNormV3", options->name);
  sl_node_input(node, x);
  sl_node_input(node, scale);
  sl_node_input(node, offset);
  sl_node_input(node, mean);
  sl_node_input(node, variance);
  sl_node_attr_float(node, "epsilon", options->epsilon);
  sl_node_attr_float(node, "exponential_avg_factor", options->exponential_avg_factor);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  sl_node_attr_bool(node, "is_training", options->is_training);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_fused_batch_norm_v3_t result;
  result.y = sl_op_output(operation, 0);
  result.batch_mean = sl_op_output(operation, 1);
  result.batch_variance = sl_op_output(operation, 2);
  result.reserve_space_1 = sl_op_output(operation, 3);
  result.reserve_space_2 = sl_op_output(operation, 4);
  result.reserve_space_3 = sl_op_output(operation, 5);
  return result;
}
#define sl_op_fused_batch_norm_v3(scope, x, scale, offset, mean, variance, ...) \
  SL_OVER_DEFAULTS(sl_op_fused_batch_norm_v3_with(SL_AT(scope), (x), (scale), (offset), (mean), (variance), \
    SL_OPTIONS(sl_op_fused_batch_norm_v3_options_t, .epsilon = (float)9.99999975e-05, .exponential_avg_factor = ( \
    float)1, .is_training = true, __VA_ARGS__)))

// Gather(params: Tparams, indices: Tindices) -> output: Tparams
// Rows picked by index.
// validate_indices: bool = true; Tparams: type; Tindices: {int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_gather_options_t;
static inline TF_Output sl_op_gather_with(sl_scope_t *scope, TF_Output params, TF_Output indices,
    const sl_op_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Gather", options->name);
  sl_node_input(node, params);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  return sl_node_output(node);
}
#define sl_op_gather(scope, params, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_gather_with(SL_AT(scope), (params), (indices), SL_OPTIONS(sl_op_gather_options_t, \
    .validate_indices = true, __VA_ARGS__)))

// GatherNd(params: Tparams, indices: Tindices) -> output: Tparams
// Slices picked by index vectors.
// Tparams: type; Tindices: {int16, int32, int64}
// Differentiable.
static inline TF_Output sl_op_gather_nd_with(sl_scope_t *scope, TF_Output params, TF_Output indices,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GatherNd", options->name);
  sl_node_input(node, params);
  sl_node_input(node, indices);
  return sl_node_output(node);
}
#define sl_op_gather_nd(scope, params, indices, ...) \
  sl_op_gather_nd_with(SL_AT(scope), (params), (indices), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GatherV2(params: Tparams, indices: Tindices, axis: Taxis) -> output: Tparams
// Slices along an axis, picked by index.
// batch_dims: int = 0; Tparams: type; Tindices: {int16, int32, int64}; Taxis: {int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t batch_dims;
} sl_op_gather_v2_options_t;
static inline TF_Output sl_op_gather_v2_with(sl_scope_t *scope, TF_Output params, TF_Output indices, TF_Output axis,
    const sl_op_gather_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GatherV2", options->name);
  sl_node_input(node, params);
  sl_node_input(node, indices);
  sl_node_input(node, axis);
  sl_node_attr_int(node, "batch_dims", options->batch_dims);
  return sl_node_output(node);
}
#define sl_op_gather_v2(scope, params, indices, axis, ...) \
  sl_op_gather_v2_with(SL_AT(scope), (params), (indices), (axis), SL_OPTIONS(sl_op_gather_v2_options_t, __VA_ARGS__))

// Greater(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_greater_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Greater", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_greater(scope, x, y, ...) \
  sl_op_greater_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GreaterEqual(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_greater_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GreaterEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_greater_equal(scope, x, y, ...) \
  sl_op_greater_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// GuaranteeConst(input: T) -> output: T
// The input, promised to be constant.
// T: type
// Stateful, without a gradient.
static inline TF_Output sl_op_guarantee_const_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "GuaranteeConst", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_guarantee_const(scope, input, ...) \
  sl_op_guarantee_const_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// HashTable() -> table_handle: Ref(string)
// A table that is filled once.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_hash_table_options_t;
static inline TF_Output sl_op_hash_table_with(sl_scope_t *scope, TF_DataType key_dtype, TF_DataType value_dtype,
    const sl_op_hash_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HashTable", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_hash_table(scope, key_dtype, value_dtype, ...) \
  sl_op_hash_table_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS(sl_op_hash_table_options_t, __VA_ARGS__))

// HashTableV2() -> table_handle: resource
// A table that is filled once.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_hash_table_v2_options_t;
static inline TF_Output sl_op_hash_table_v2_with(sl_scope_t *scope, TF_DataType key_dtype, TF_DataType value_dtype,
    const sl_op_hash_table_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HashTableV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_hash_table_v2(scope, key_dtype, value_dtype, ...) \
  sl_op_hash_table_v2_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS(sl_op_hash_table_v2_options_t, \
    __VA_ARGS__))

// HistogramFixedWidth(values: T, value_range: T, nbins: int32) -> out: dtype
// T: {int32, int64, float, double}; dtype: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_histogram_fixed_width_options_t;
static inline TF_Output sl_op_histogram_fixed_width_with(sl_scope_t *scope, TF_Output values, TF_Output value_range,
    TF_Output nbins, const sl_op_histogram_fixed_width_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HistogramFixedWidth", options->name);
  sl_node_input(node, values);
  sl_node_input(node, value_range);
  sl_node_input(node, nbins);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_histogram_fixed_width(scope, values, value_range, nbins, ...) \
  sl_op_histogram_fixed_width_with(SL_AT(scope), (values), (value_range), (nbins), SL_OPTIONS( \
    sl_op_histogram_fixed_width_options_t, __VA_ARGS__))

// HistogramSummary(tag: string, values: T) -> summary: string
// A Summary with a histogram of the values.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = DT_FLOAT
// Gradients stop here.
static inline TF_Output sl_op_histogram_summary_with(sl_scope_t *scope, TF_Output tag, TF_Output values,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "HistogramSummary", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, values);
  return sl_node_output(node);
}
#define sl_op_histogram_summary(scope, tag, values, ...) \
  sl_op_histogram_summary_with(SL_AT(scope), (tag), (values), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Identity(input: T) -> output: T
// The input itself.
// T: type
// Differentiable.
static inline TF_Output sl_op_identity_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Identity", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_identity(scope, input, ...) \
  sl_op_identity_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IdentityN(input: T) -> output: T
// The inputs themselves.
// T: list(type) >= 1
// Differentiable.
static inline sl_op_list_t sl_op_identity_n_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IdentityN", options->name);
  sl_node_input_list(node, input, input_count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_identity_n(scope, input, input_count, ...) \
  sl_op_identity_n_with(SL_AT(scope), (input), (input_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IdentityReader() -> reader_handle: Ref(string)
// A reader that gives the names of its work units.
// container: string = ''; shared_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use IdentityReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_identity_reader_options_t;
static inline TF_Output sl_op_identity_reader_with(sl_scope_t *scope,
    const sl_op_identity_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IdentityReader", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_identity_reader(scope, ...) \
  sl_op_identity_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_identity_reader_options_t, __VA_ARGS__))

// IdentityReaderV2() -> reader_handle: resource
// A reader that gives the names of its work units.
// container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_identity_reader_v2_options_t;
static inline TF_Output sl_op_identity_reader_v2_with(sl_scope_t *scope,
    const sl_op_identity_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IdentityReaderV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_identity_reader_v2(scope, ...) \
  sl_op_identity_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_identity_reader_v2_options_t, __VA_ARGS__))

// Igamma(a: T, x: T) -> z: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_igamma_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Igamma", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_igamma(scope, a, x, ...) \
  sl_op_igamma_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IgammaGradA(a: T, x: T) -> z: T
// T: {float, double}
// Without a gradient.
static inline TF_Output sl_op_igamma_grad_a_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IgammaGradA", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_igamma_grad_a(scope, a, x, ...) \
  sl_op_igamma_grad_a_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Igammac(a: T, x: T) -> z: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_igammac_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Igammac", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_igammac(scope, a, x, ...) \
  sl_op_igammac_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Imag(input: T) -> output: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_imag_options_t;
static inline TF_Output sl_op_imag_with(sl_scope_t *scope, TF_Output input, const sl_op_imag_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Imag", options->name);
  sl_node_input(node, input);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_imag(scope, input, ...) \
  sl_op_imag_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_imag_options_t, __VA_ARGS__))

// ImageSummary(tag: string, tensor: T) -> summary: string
// A Summary with images.
// max_images: int >= 1 = 3; T: {uint8, float, half, double} = DT_FLOAT; bad_color: tensor = { dtype: DT_UINT8
//   tensor_shape { dim { size: 4 } } int_val: 255 int_val: 0 int_val: 0 int_val: 255 }
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_images;
  TF_Tensor *bad_color;
} sl_op_image_summary_options_t;
static inline TF_Output sl_op_image_summary_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    const sl_op_image_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ImageSummary", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_attr_int(node, "max_images", options->max_images);
  if (options->bad_color) sl_node_attr_tensor(node, "bad_color", options->bad_color);
  return sl_node_output(node);
}
#define sl_op_image_summary(scope, tag, tensor, ...) \
  SL_OVER_DEFAULTS(sl_op_image_summary_with(SL_AT(scope), (tag), (tensor), SL_OPTIONS(sl_op_image_summary_options_t, \
    .max_images = 3, __VA_ARGS__)))

// ImportEvent(writer: resource, event: string)
// Writes a serialized Event to an event file.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_import_event_with(sl_scope_t *scope, TF_Output writer, TF_Output event,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ImportEvent", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, event);
  return sl_node_finish(node);
}
#define sl_op_import_event(scope, writer, event, ...) \
  sl_op_import_event_with(SL_AT(scope), (writer), (event), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InTopK(predictions: float, targets: T) -> precision: bool
// k: int; T: {int32, int64} = DT_INT32
// Without a gradient.
static inline TF_Output sl_op_in_top_k_with(sl_scope_t *scope, TF_Output predictions, TF_Output targets, int64_t k,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InTopK", options->name);
  sl_node_input(node, predictions);
  sl_node_input(node, targets);
  sl_node_attr_int(node, "k", k);
  return sl_node_output(node);
}
#define sl_op_in_top_k(scope, predictions, targets, k, ...) \
  sl_op_in_top_k_with(SL_AT(scope), (predictions), (targets), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InTopKV2(predictions: float, targets: T, k: T) -> precision: bool
// T: {int32, int64} = DT_INT32
// Without a gradient.
static inline TF_Output sl_op_in_top_k_v2_with(sl_scope_t *scope, TF_Output predictions, TF_Output targets,
    TF_Output k, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InTopKV2", options->name);
  sl_node_input(node, predictions);
  sl_node_input(node, targets);
  sl_node_input(node, k);
  return sl_node_output(node);
}
#define sl_op_in_top_k_v2(scope, predictions, targets, k, ...) \
  sl_op_in_top_k_v2_with(SL_AT(scope), (predictions), (targets), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InitializeTable(table_handle: Ref(string), keys: Tkey, values: Tval)
// Fills a table.
// Tkey: type; Tval: type
// Gradients stop here.
static inline TF_Operation *sl_op_initialize_table_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTable", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_initialize_table(scope, table_handle, keys, values, ...) \
  sl_op_initialize_table_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// InitializeTableFromTextFile(table_handle: Ref(string), filename: string)
// Fills a table from the lines of a file.
// key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '	'; offset: int = 0
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t vocab_size;
  const char *delimiter;
  int64_t offset;
} sl_op_initialize_table_from_text_file_options_t;
static inline TF_Operation *sl_op_initialize_table_from_text_file_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output filename, int64_t key_index, int64_t value_index,
    const sl_op_initialize_table_from_text_file_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableFromTextFile", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, filename);
  sl_node_attr_int(node, "key_index", key_index);
  sl_node_attr_int(node, "value_index", value_index);
  sl_node_attr_int(node, "vocab_size", options->vocab_size);
  if (options->delimiter) sl_node_attr_text(node, "delimiter", options->delimiter);
  sl_node_attr_int(node, "offset", options->offset);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_from_text_file(scope, table_handle, filename, key_index, value_index, ...) \
  SL_OVER_DEFAULTS(sl_op_initialize_table_from_text_file_with(SL_AT(scope), (table_handle), (filename), (key_index), ( \
    value_index), SL_OPTIONS(sl_op_initialize_table_from_text_file_options_t, .vocab_size = -1, __VA_ARGS__)))

// InitializeTableFromTextFileV2(table_handle: resource, filename: string)
// Fills a table from the lines of a file.
// key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '	'; offset: int = 0
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t vocab_size;
  const char *delimiter;
  int64_t offset;
} sl_op_initialize_table_from_text_file_v2_options_t;
static inline TF_Operation *sl_op_initialize_table_from_text_file_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output filename, int64_t key_index, int64_t value_index,
    const sl_op_initialize_table_from_text_file_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableFromTextFileV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, filename);
  sl_node_attr_int(node, "key_index", key_index);
  sl_node_attr_int(node, "value_index", value_index);
  sl_node_attr_int(node, "vocab_size", options->vocab_size);
  if (options->delimiter) sl_node_attr_text(node, "delimiter", options->delimiter);
  sl_node_attr_int(node, "offset", options->offset);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_from_text_file_v2(scope, table_handle, filename, key_index, value_index, ...) \
  SL_OVER_DEFAULTS(sl_op_initialize_table_from_text_file_v2_with(SL_AT(scope), (table_handle), (filename), ( \
    key_index), (value_index), SL_OPTIONS(sl_op_initialize_table_from_text_file_v2_options_t, .vocab_size = -1, \
    __VA_ARGS__)))

// InitializeTableV2(table_handle: resource, keys: Tkey, values: Tval)
// Fills a table.
// Tkey: type; Tval: type
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_initialize_table_v2_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InitializeTableV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_initialize_table_v2(scope, table_handle, keys, values, ...) \
  sl_op_initialize_table_v2_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Inv(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_inv_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Inv", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_inv(scope, x, ...) sl_op_inv_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InvGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_inv_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InvGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_inv_grad(scope, y, dy, ...) \
  sl_op_inv_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Invert(x: T) -> y: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_invert_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Invert", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_invert(scope, x, ...) sl_op_invert_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// InvertPermutation(x: T) -> y: T
// The inverse of a permutation.
// T: {int32, int64} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_invert_permutation_with(sl_scope_t *scope, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "InvertPermutation", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_invert_permutation(scope, x, ...) \
  sl_op_invert_permutation_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsFinite(x: T) -> y: bool
// T: {bfloat16, half, float, double}
// Without a gradient.
static inline TF_Output sl_op_is_finite_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsFinite", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_is_finite(scope, x, ...) \
  sl_op_is_finite_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsInf(x: T) -> y: bool
// T: {bfloat16, half, float, double}
// Without a gradient.
static inline TF_Output sl_op_is_inf_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsInf", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_is_inf(scope, x, ...) sl_op_is_inf_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsNan(x: T) -> y: bool
// T: {bfloat16, half, float, double}
// Without a gradient.
static inline TF_Output sl_op_is_nan_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsNan", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_is_nan(scope, x, ...) sl_op_is_nan_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// IsVariableInitialized(ref: Ref(dtype)) -> is_initialized: bool
// Whether a variable has a value.
// dtype: type
// Without a gradient.
static inline TF_Output sl_op_is_variable_initialized_with(sl_scope_t *scope, TF_Output ref,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "IsVariableInitialized", options->name);
  sl_node_input(node, ref);
  return sl_node_output(node);
}
#define sl_op_is_variable_initialized(scope, ref, ...) \
  sl_op_is_variable_initialized_with(SL_AT(scope), (ref), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// L2Loss(t: T) -> output: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_l2_loss_with(sl_scope_t *scope, TF_Output t, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "L2Loss", options->name);
  sl_node_input(node, t);
  return sl_node_output(node);
}
#define sl_op_l2_loss(scope, t, ...) sl_op_l2_loss_with(SL_AT(scope), (t), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LRN(input: T) -> output: T
// depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: {half, bfloat16, float} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t depth_radius;
  float bias;
  float alpha;
  float beta;
} sl_op_lrn_options_t;
static inline TF_Output sl_op_lrn_with(sl_scope_t *scope, TF_Output input, const sl_op_lrn_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LRN", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "depth_radius", options->depth_radius);
  sl_node_attr_float(node, "bias", options->bias);
  sl_node_attr_float(node, "alpha", options->alpha);
  sl_node_attr_float(node, "beta", options->beta);
  return sl_node_output(node);
}
#define sl_op_lrn(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_lrn_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_lrn_options_t, .depth_radius = 5, .bias = ( \
    float)1, .alpha = (float)1, .beta = (float)0.5, __VA_ARGS__)))

// LRNGrad(input_grads: T, input_image: T, output_image: T) -> output: T
// depth_radius: int = 5; bias: float = 1; alpha: float = 1; beta: float = 0.5; T: {half, bfloat16, float} = DT_FLOAT
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t depth_radius;
  float bias;
  float alpha;
  float beta;
} sl_op_lrn_grad_options_t;
static inline TF_Output sl_op_lrn_grad_with(sl_scope_t *scope, TF_Output input_grads, TF_Output input_image,
    TF_Output output_image, const sl_op_lrn_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LRNGrad", options->name);
  sl_node_input(node, input_grads);
  sl_node_input(node, input_image);
  sl_node_input(node, output_image);
  sl_node_attr_int(node, "depth_radius", options->depth_radius);
  sl_node_attr_float(node, "bias", options->bias);
  sl_node_attr_float(node, "alpha", options->alpha);
  sl_node_attr_float(node, "beta", options->beta);
  return sl_node_output(node);
}
#define sl_op_lrn_grad(scope, input_grads, input_image, output_image, ...) \
  SL_OVER_DEFAULTS(sl_op_lrn_grad_with(SL_AT(scope), (input_grads), (input_image), (output_image), SL_OPTIONS( \
    sl_op_lrn_grad_options_t, .depth_radius = 5, .bias = (float)1, .alpha = (float)1, .beta = (float)0.5, \
    __VA_ARGS__)))

// LeakyRelu(features: T) -> activations: T
// alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float alpha;
} sl_op_leaky_relu_options_t;
static inline TF_Output sl_op_leaky_relu_with(sl_scope_t *scope, TF_Output features,
    const sl_op_leaky_relu_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LeakyRelu", options->name);
  sl_node_input(node, features);
  sl_node_attr_float(node, "alpha", options->alpha);
  return sl_node_output(node);
}
#define sl_op_leaky_relu(scope, features, ...) \
  SL_OVER_DEFAULTS(sl_op_leaky_relu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_leaky_relu_options_t, .alpha = ( \
    float)0.200000003, __VA_ARGS__)))

// LeakyReluGrad(gradients: T, features: T) -> backprops: T
// alpha: float = 0.2; T: {half, bfloat16, float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  float alpha;
} sl_op_leaky_relu_grad_options_t;
static inline TF_Output sl_op_leaky_relu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_leaky_relu_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LeakyReluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  sl_node_attr_float(node, "alpha", options->alpha);
  return sl_node_output(node);
}
#define sl_op_leaky_relu_grad(scope, gradients, features, ...) \
  SL_OVER_DEFAULTS(sl_op_leaky_relu_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS( \
    sl_op_leaky_relu_grad_options_t, .alpha = (float)0.200000003, __VA_ARGS__)))

// LeftShift(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_left_shift_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LeftShift", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_left_shift(scope, x, y, ...) \
  sl_op_left_shift_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Less(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_less_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Less", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_less(scope, x, y, ...) sl_op_less_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LessEqual(x: T, y: T) -> z: bool
// T: realnumbertype
// Gradients stop here.
static inline TF_Output sl_op_less_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LessEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_less_equal(scope, x, y, ...) \
  sl_op_less_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Lgamma(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_lgamma_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Lgamma", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_lgamma(scope, x, ...) sl_op_lgamma_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LinSpace(start: T, stop: T, num: Tidx) -> output: T
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_lin_space_with(sl_scope_t *scope, TF_Output start, TF_Output stop, TF_Output num,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LinSpace", options->name);
  sl_node_input(node, start);
  sl_node_input(node, stop);
  sl_node_input(node, num);
  return sl_node_output(node);
}
#define sl_op_lin_space(scope, start, stop, num, ...) \
  sl_op_lin_space_with(SL_AT(scope), (start), (stop), (num), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ListDiff(x: T, y: T) -> out: T, idx: out_idx
// The values of one list that another lacks.
// T: type; out_idx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_list_diff_options_t;
typedef struct {
  TF_Output out;
  TF_Output idx;
} sl_op_list_diff_t;
static inline sl_op_list_diff_t sl_op_list_diff_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_list_diff_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ListDiff", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_list_diff_t result;
  result.out = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  return result;
}
#define sl_op_list_diff(scope, x, y, ...) \
  sl_op_list_diff_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_list_diff_options_t, __VA_ARGS__))

// Log(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_log_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Log", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_log(scope, x, ...) sl_op_log_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Log1p(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_log1p_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Log1p", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_log1p(scope, x, ...) sl_op_log1p_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogSoftmax(logits: T) -> logsoftmax: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_log_softmax_with(sl_scope_t *scope, TF_Output logits, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogSoftmax", options->name);
  sl_node_input(node, logits);
  return sl_node_output(node);
}
#define sl_op_log_softmax(scope, logits, ...) \
  sl_op_log_softmax_with(SL_AT(scope), (logits), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogUniformCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Classes, small ones likelier: Zipf's law.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_log_uniform_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_log_uniform_candidate_sampler_t;
static inline sl_op_log_uniform_candidate_sampler_t sl_op_log_uniform_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_log_uniform_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogUniformCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_log_uniform_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_log_uniform_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, range_max, ...) \
  sl_op_log_uniform_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), ( \
    range_max), SL_OPTIONS(sl_op_log_uniform_candidate_sampler_options_t, __VA_ARGS__))

// LogicalAnd(x: bool, y: bool) -> z: bool
// Gradients stop here.
static inline TF_Output sl_op_logical_and_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogicalAnd", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_logical_and(scope, x, y, ...) \
  sl_op_logical_and_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogicalNot(x: bool) -> y: bool
// Gradients stop here.
static inline TF_Output sl_op_logical_not_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogicalNot", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_logical_not(scope, x, ...) \
  sl_op_logical_not_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LogicalOr(x: bool, y: bool) -> z: bool
// Gradients stop here.
static inline TF_Output sl_op_logical_or_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LogicalOr", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_logical_or(scope, x, y, ...) \
  sl_op_logical_or_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LookupTableExport(table_handle: Ref(string)) -> keys: Tkeys, values: Tvalues
// All that a table has.
// Tkeys: type; Tvalues: type
// Without a gradient.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_lookup_table_export_t;
static inline sl_op_lookup_table_export_t sl_op_lookup_table_export_with(sl_scope_t *scope, TF_Output table_handle,
    TF_DataType Tkeys, TF_DataType Tvalues, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableExport", options->name);
  sl_node_input(node, table_handle);
  sl_node_attr_type(node, "Tkeys", Tkeys);
  sl_node_attr_type(node, "Tvalues", Tvalues);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lookup_table_export_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_lookup_table_export(scope, table_handle, Tkeys, Tvalues, ...) \
  sl_op_lookup_table_export_with(SL_AT(scope), (table_handle), (Tkeys), (Tvalues), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableExportV2(table_handle: resource) -> keys: Tkeys, values: Tvalues
// All that a table has.
// Tkeys: type; Tvalues: type
// Stateful, without a gradient.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_lookup_table_export_v2_t;
static inline sl_op_lookup_table_export_v2_t sl_op_lookup_table_export_v2_with(sl_scope_t *scope,
    TF_Output table_handle, TF_DataType Tkeys, TF_DataType Tvalues, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableExportV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_attr_type(node, "Tkeys", Tkeys);
  sl_node_attr_type(node, "Tvalues", Tvalues);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_lookup_table_export_v2_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_lookup_table_export_v2(scope, table_handle, Tkeys, Tvalues, ...) \
  sl_op_lookup_table_export_v2_with(SL_AT(scope), (table_handle), (Tkeys), (Tvalues), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableFind(table_handle: Ref(string), keys: Tin, default_value: Tout) -> values: Tout
// The values of keys, or a default.
// Tin: type; Tout: type
// Gradients stop here.
static inline TF_Output sl_op_lookup_table_find_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output default_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableFind", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, default_value);
  return sl_node_output(node);
}
#define sl_op_lookup_table_find(scope, table_handle, keys, default_value, ...) \
  sl_op_lookup_table_find_with(SL_AT(scope), (table_handle), (keys), (default_value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableFindV2(table_handle: resource, keys: Tin, default_value: Tout) -> values: Tout
// The values of keys, or a default.
// Tin: type; Tout: type
// Stateful; gradients stop here.
static inline TF_Output sl_op_lookup_table_find_v2_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output default_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableFindV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, default_value);
  return sl_node_output(node);
}
#define sl_op_lookup_table_find_v2(scope, table_handle, keys, default_value, ...) \
  sl_op_lookup_table_find_v2_with(SL_AT(scope), (table_handle), (keys), (default_value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableImport(table_handle: Ref(string), keys: Tin, values: Tout)
// Replaces what a table has.
// Tin: type; Tout: type
// Without a gradient.
static inline TF_Operation *sl_op_lookup_table_import_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableImport", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_import(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_import_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableImportV2(table_handle: resource, keys: Tin, values: Tout)
// Replaces what a table has.
// Tin: type; Tout: type
// Stateful, without a gradient.
static inline TF_Operation *sl_op_lookup_table_import_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output keys, TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableImportV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_import_v2(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_import_v2_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableInsert(table_handle: Ref(string), keys: Tin, values: Tout)
// Adds to a table.
// Tin: type; Tout: type
// Gradients stop here.
static inline TF_Operation *sl_op_lookup_table_insert_with(sl_scope_t *scope, TF_Output table_handle, TF_Output keys,
    TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableInsert", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_insert(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_insert_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableInsertV2(table_handle: resource, keys: Tin, values: Tout)
// Adds to a table.
// Tin: type; Tout: type
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_lookup_table_insert_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output keys, TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableInsertV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_insert_v2(scope, table_handle, keys, values, ...) \
  sl_op_lookup_table_insert_v2_with(SL_AT(scope), (table_handle), (keys), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// LookupTableRemoveV2(table_handle: resource, keys: Tin)
// Takes keys out of a table.
// Tin: type
// Stateful, without a gradient.
static inline TF_Operation *sl_op_lookup_table_remove_v2_with(sl_scope_t *scope, TF_Output table_handle,
    TF_Output keys, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableRemoveV2", options->name);
  sl_node_input(node, table_handle);
  sl_node_input(node, keys);
  return sl_node_finish(node);
}
#define sl_op_lookup_table_remove_v2(scope, table_handle, keys, ...) \
  sl_op_lookup_table_remove_v2_with(SL_AT(scope), (table_handle), (keys), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LookupTableSize(table_handle: Ref(string)) -> size: int64
// How many keys a table has.
// Gradients stop here.
static inline TF_Output sl_op_lookup_table_size_with(sl_scope_t *scope, TF_Output table_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableSize", options->name);
  sl_node_input(node, table_handle);
  return sl_node_output(node);
}
#define sl_op_lookup_table_size(scope, table_handle, ...) \
  sl_op_lookup_table_size_with(SL_AT(scope), (table_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// LookupTableSizeV2(table_handle: resource) -> size: int64
// How many keys a table has.
// Stateful; gradients stop here.
static inline TF_Output sl_op_lookup_table_size_v2_with(sl_scope_t *scope, TF_Output table_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LookupTableSizeV2", options->name);
  sl_node_input(node, table_handle);
  return sl_node_output(node);
}
#define sl_op_lookup_table_size_v2(scope, table_handle, ...) \
  sl_op_lookup_table_size_v2_with(SL_AT(scope), (table_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

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

// LowerBound(sorted_inputs: T, values: T) -> output: out_type
// First places where values fit into sorted rows.
// T: type; out_type: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_lower_bound_options_t;
static inline TF_Output sl_op_lower_bound_with(sl_scope_t *scope, TF_Output sorted_inputs, TF_Output values,
    const sl_op_lower_bound_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "LowerBound", options->name);
  sl_node_input(node, sorted_inputs);
  sl_node_input(node, values);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_lower_bound(scope, sorted_inputs, values, ...) \
  sl_op_lower_bound_with(SL_AT(scope), (sorted_inputs), (values), SL_OPTIONS(sl_op_lower_bound_options_t, \
    __VA_ARGS__))

// MatMul(a: T, b: T) -> product: T
// transpose_a: bool = false; transpose_b: bool = false; T: {bfloat16, half, float, double, int32, int64, uint8,
//   uint16, uint32, uint64, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool transpose_a;
  bool transpose_b;
} sl_op_mat_mul_options_t;
static inline TF_Output sl_op_mat_mul_with(sl_scope_t *scope, TF_Output a, TF_Output b,
    const sl_op_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatMul", options->name);
  sl_node_input(node, a);
  sl_node_input(node, b);
  sl_node_attr_bool(node, "transpose_a", options->transpose_a);
  sl_node_attr_bool(node, "transpose_b", options->transpose_b);
  return sl_node_output(node);
}
#define sl_op_mat_mul(scope, a, b, ...) \
  sl_op_mat_mul_with(SL_AT(scope), (a), (b), SL_OPTIONS(sl_op_mat_mul_options_t, __VA_ARGS__))

// MatchingFiles(pattern: string) -> filenames: string
// The names of files that match patterns, sorted.
// Without a gradient.
static inline TF_Output sl_op_matching_files_with(sl_scope_t *scope, TF_Output pattern,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatchingFiles", options->name);
  sl_node_input(node, pattern);
  return sl_node_output(node);
}
#define sl_op_matching_files(scope, pattern, ...) \
  sl_op_matching_files_with(SL_AT(scope), (pattern), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> band: T
// Matrices with zeros outside of a band.
// T: type; Tindex: {int32, int64} = DT_INT64
// Differentiable.
static inline TF_Output sl_op_matrix_band_part_with(sl_scope_t *scope, TF_Output input, TF_Output num_lower,
    TF_Output num_upper, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixBandPart", options->name);
  sl_node_input(node, input);
  sl_node_input(node, num_lower);
  sl_node_input(node, num_upper);
  return sl_node_output(node);
}
#define sl_op_matrix_band_part(scope, input, num_lower, num_upper, ...) \
  sl_op_matrix_band_part_with(SL_AT(scope), (input), (num_lower), (num_upper), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// MatrixDiag(diagonal: T) -> output: T
// Matrices with given diagonals.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_with(sl_scope_t *scope, TF_Output diagonal,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiag", options->name);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_matrix_diag(scope, diagonal, ...) \
  sl_op_matrix_diag_with(SL_AT(scope), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixDiagPart(input: T) -> diagonal: T
// The diagonals of matrices.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_part_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagPart", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_part(scope, input, ...) \
  sl_op_matrix_diag_part_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixDiagPartV2(input: T, k: int32, padding_value: T) -> diagonal: T
// Bands of diagonals of matrices.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_part_v2_with(sl_scope_t *scope, TF_Output input, TF_Output k,
    TF_Output padding_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagPartV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, k);
  sl_node_input(node, padding_value);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_part_v2(scope, input, k, padding_value, ...) \
  sl_op_matrix_diag_part_v2_with(SL_AT(scope), (input), (k), (padding_value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// MatrixDiagPartV3(input: T, k: int32, padding_value: T) -> diagonal: T
// Bands of diagonals of matrices.
// T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *align;
} sl_op_matrix_diag_part_v3_options_t;
static inline TF_Output sl_op_matrix_diag_part_v3_with(sl_scope_t *scope, TF_Output input, TF_Output k,
    TF_Output padding_value, const sl_op_matrix_diag_part_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagPartV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, k);
  sl_node_input(node, padding_value);
  if (options->align) sl_node_attr_text(node, "align", options->align);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_part_v3(scope, input, k, padding_value, ...) \
  sl_op_matrix_diag_part_v3_with(SL_AT(scope), (input), (k), (padding_value), SL_OPTIONS( \
    sl_op_matrix_diag_part_v3_options_t, __VA_ARGS__))

// MatrixDiagV2(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> output: T
// Matrices with given bands of diagonals.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_diag_v2_with(sl_scope_t *scope, TF_Output diagonal, TF_Output k,
    TF_Output num_rows, TF_Output num_cols, TF_Output padding_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagV2", options->name);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  sl_node_input(node, num_rows);
  sl_node_input(node, num_cols);
  sl_node_input(node, padding_value);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_v2(scope, diagonal, k, num_rows, num_cols, padding_value, ...) \
  sl_op_matrix_diag_v2_with(SL_AT(scope), (diagonal), (k), (num_rows), (num_cols), (padding_value), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> output: T
// Matrices with given bands of diagonals.
// T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *align;
} sl_op_matrix_diag_v3_options_t;
static inline TF_Output sl_op_matrix_diag_v3_with(sl_scope_t *scope, TF_Output diagonal, TF_Output k,
    TF_Output num_rows, TF_Output num_cols, TF_Output padding_value, const sl_op_matrix_diag_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixDiagV3", options->name);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  sl_node_input(node, num_rows);
  sl_node_input(node, num_cols);
  sl_node_input(node, padding_value);
  if (options->align) sl_node_attr_text(node, "align", options->align);
  return sl_node_output(node);
}
#define sl_op_matrix_diag_v3(scope, diagonal, k, num_rows, num_cols, padding_value, ...) \
  sl_op_matrix_diag_v3_with(SL_AT(scope), (diagonal), (k), (num_rows), (num_cols), (padding_value), SL_OPTIONS( \
    sl_op_matrix_diag_v3_options_t, __VA_ARGS__))

// MatrixSetDiag(input: T, diagonal: T) -> output: T
// Matrices with their diagonals replaced.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_set_diag_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSetDiag", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  return sl_node_output(node);
}
#define sl_op_matrix_set_diag(scope, input, diagonal, ...) \
  sl_op_matrix_set_diag_with(SL_AT(scope), (input), (diagonal), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixSetDiagV2(input: T, diagonal: T, k: int32) -> output: T
// Matrices with bands of diagonals replaced.
// T: type
// Differentiable.
static inline TF_Output sl_op_matrix_set_diag_v2_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    TF_Output k, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSetDiagV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  return sl_node_output(node);
}
#define sl_op_matrix_set_diag_v2(scope, input, diagonal, k, ...) \
  sl_op_matrix_set_diag_v2_with(SL_AT(scope), (input), (diagonal), (k), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MatrixSetDiagV3(input: T, diagonal: T, k: int32) -> output: T
// Matrices with bands of diagonals replaced.
// T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *align;
} sl_op_matrix_set_diag_v3_options_t;
static inline TF_Output sl_op_matrix_set_diag_v3_with(sl_scope_t *scope, TF_Output input, TF_Output diagonal,
    TF_Output k, const sl_op_matrix_set_diag_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixSetDiagV3", options->name);
  sl_node_input(node, input);
  sl_node_input(node, diagonal);
  sl_node_input(node, k);
  if (options->align) sl_node_attr_text(node, "align", options->align);
  return sl_node_output(node);
}
#define sl_op_matrix_set_diag_v3(scope, input, diagonal, k, ...) \
  sl_op_matrix_set_diag_v3_with(SL_AT(scope), (input), (diagonal), (k), SL_OPTIONS( \
    sl_op_matrix_set_diag_v3_options_t, __VA_ARGS__))

// MatrixTriangularSolve(matrix: T, rhs: T) -> output: T
// lower: bool = true; adjoint: bool = false; T: {bfloat16, double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool lower;
  bool adjoint;
} sl_op_matrix_triangular_solve_options_t;
static inline TF_Output sl_op_matrix_triangular_solve_with(sl_scope_t *scope, TF_Output matrix, TF_Output rhs,
    const sl_op_matrix_triangular_solve_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MatrixTriangularSolve", options->name);
  sl_node_input(node, matrix);
  sl_node_input(node, rhs);
  sl_node_attr_bool(node, "lower", options->lower);
  sl_node_attr_bool(node, "adjoint", options->adjoint);
  return sl_node_output(node);
}
#define sl_op_matrix_triangular_solve(scope, matrix, rhs, ...) \
  SL_OVER_DEFAULTS(sl_op_matrix_triangular_solve_with(SL_AT(scope), (matrix), (rhs), SL_OPTIONS( \
    sl_op_matrix_triangular_solve_options_t, .lower = true, __VA_ARGS__)))

// Max(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,
//   uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_max_options_t;
static inline TF_Output sl_op_max_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Max", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_max(scope, input, reduction_indices, ...) \
  sl_op_max_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_max_options_t, __VA_ARGS__))

// MaxPool(input: T) -> output: T
// T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT; ksize: list(int) >=
//   4; strides: list(int) >= 4; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings: list(int) = [];
//   data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
} sl_op_max_pool_options_t;
static inline TF_Output sl_op_max_pool_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_max_pool_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS(sl_op_max_pool_options_t, \
    __VA_ARGS__))

// MaxPool3D(input: T) -> output: T
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool3d_options_t;
static inline TF_Output sl_op_max_pool3d_with(sl_scope_t *scope, TF_Output input, sl_op_ints_t ksize,
    sl_op_ints_t strides, const char *padding, const sl_op_max_pool3d_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool3D", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool3d(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool3d_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS(sl_op_max_pool3d_options_t, \
    __VA_ARGS__))

// MaxPool3DGrad(orig_input: TInput, orig_output: TInput, grad: T) -> output: T
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: {half, bfloat16, float} = DT_FLOAT; TInput: {half, bfloat16, float} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool3d_grad_options_t;
static inline TF_Output sl_op_max_pool3d_grad_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool3d_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool3DGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool3d_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool3d_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool3d_grad_options_t, __VA_ARGS__))

// MaxPool3DGradGrad(orig_input: T, orig_output: T, grad: T) -> output: T
// ksize: list(int) >= 5; strides: list(int) >= 5; padding: {'SAME', 'VALID'}; data_format: {'NDHWC', 'NCDHW'} =
//   'NDHWC'; T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool3d_grad_grad_options_t;
static inline TF_Output sl_op_max_pool3d_grad_grad_with(sl_scope_t *scope, TF_Output orig_input,
    TF_Output orig_output, TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool3d_grad_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPool3DGradGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool3d_grad_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool3d_grad_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool3d_grad_grad_options_t, __VA_ARGS__))

// MaxPoolGrad(orig_input: T, orig_output: T, grad: T) -> output: T
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID', 'EXPLICIT'}; explicit_paddings:
//   list(int) = []; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t explicit_paddings;
  const char *data_format;
} sl_op_max_pool_grad_options_t;
static inline TF_Output sl_op_max_pool_grad_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->explicit_paddings.values) sl_node_attr_int_list(node, "explicit_paddings",
    options->explicit_paddings.values, options->explicit_paddings.count);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_options_t, __VA_ARGS__))

// MaxPoolGradGrad(orig_input: T, orig_output: T, grad: T) -> output: T
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC';
//   T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_grad_grad_options_t;
static inline TF_Output sl_op_max_pool_grad_grad_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_grad_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradGrad", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_grad(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_grad_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_grad_options_t, __VA_ARGS__))

// MaxPoolGradGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> output: T
// padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_grad_grad_v2_options_t;
static inline TF_Output sl_op_max_pool_grad_grad_v2_with(sl_scope_t *scope, TF_Output orig_input,
    TF_Output orig_output, TF_Output grad, TF_Output ksize, TF_Output strides, const char *padding,
    const sl_op_max_pool_grad_grad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradGradV2", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_input(node, ksize);
  sl_node_input(node, strides);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_grad_v2(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_grad_v2_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_grad_v2_options_t, __VA_ARGS__))

// MaxPoolGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> output: T
// padding: {'SAME', 'VALID'}; data_format: {'NHWC', 'NCHW'} = 'NHWC'; T: realnumbertype = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_grad_v2_options_t;
static inline TF_Output sl_op_max_pool_grad_v2_with(sl_scope_t *scope, TF_Output orig_input, TF_Output orig_output,
    TF_Output grad, TF_Output ksize, TF_Output strides, const char *padding,
    const sl_op_max_pool_grad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradV2", options->name);
  sl_node_input(node, orig_input);
  sl_node_input(node, orig_output);
  sl_node_input(node, grad);
  sl_node_input(node, ksize);
  sl_node_input(node, strides);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_v2(scope, orig_input, orig_output, grad, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_v2_with(SL_AT(scope), (orig_input), (orig_output), (grad), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_v2_options_t, __VA_ARGS__))

// MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax) -> output: T
// ksize: list(int) >= 4; strides: list(int) >= 4; padding: {'SAME', 'VALID'}; include_batch_in_index: bool = false;
//   Targmax: {int32, int64}; T: realnumbertype
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool include_batch_in_index;
} sl_op_max_pool_grad_with_argmax_options_t;
static inline TF_Output sl_op_max_pool_grad_with_argmax_with(sl_scope_t *scope, TF_Output input, TF_Output grad,
    TF_Output argmax, sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_grad_with_argmax_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolGradWithArgmax", options->name);
  sl_node_input(node, input);
  sl_node_input(node, grad);
  sl_node_input(node, argmax);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  sl_node_attr_text(node, "padding", padding);
  sl_node_attr_bool(node, "include_batch_in_index", options->include_batch_in_index);
  return sl_node_output(node);
}
#define sl_op_max_pool_grad_with_argmax(scope, input, grad, argmax, ksize, strides, padding, ...) \
  sl_op_max_pool_grad_with_argmax_with(SL_AT(scope), (input), (grad), (argmax), (ksize), (strides), (padding), \
    SL_OPTIONS(sl_op_max_pool_grad_with_argmax_options_t, __VA_ARGS__))

// MaxPoolV2(input: T, ksize: int32, strides: int32) -> output: T
// T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT; padding: {'SAME',
//   'VALID'}; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_max_pool_v2_options_t;
static inline TF_Output sl_op_max_pool_v2_with(sl_scope_t *scope, TF_Output input, TF_Output ksize,
    TF_Output strides, const char *padding, const sl_op_max_pool_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, ksize);
  sl_node_input(node, strides);
  sl_node_attr_text(node, "padding", padding);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_max_pool_v2(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool_v2_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_max_pool_v2_options_t, __VA_ARGS__))

// MaxPoolWithArgmax(input: T) -> output: T, argmax: Targmax
// ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: {int32, int64} = DT_INT64; padding: {'SAME', 'VALID'};
//   include_batch_in_index: bool = false; T: realnumbertype
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Targmax;
  bool include_batch_in_index;
} sl_op_max_pool_with_argmax_options_t;
typedef struct {
  TF_Output output;
  TF_Output argmax;
} sl_op_max_pool_with_argmax_t;
static inline sl_op_max_pool_with_argmax_t sl_op_max_pool_with_argmax_with(sl_scope_t *scope, TF_Output input,
    sl_op_ints_t ksize, sl_op_ints_t strides, const char *padding,
    const sl_op_max_pool_with_argmax_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MaxPoolWithArgmax", options->name);
  sl_node_input(node, input);
  sl_node_attr_int_list(node, "ksize", ksize.values, ksize.count);
  sl_node_attr_int_list(node, "strides", strides.values, strides.count);
  if (options->Targmax) sl_node_attr_type(node, "Targmax", options->Targmax);
  sl_node_attr_text(node, "padding", padding);
  sl_node_attr_bool(node, "include_batch_in_index", options->include_batch_in_index);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_max_pool_with_argmax_t result;
  result.output = sl_op_output(operation, 0);
  result.argmax = sl_op_output(operation, 1);
  return result;
}
#define sl_op_max_pool_with_argmax(scope, input, ksize, strides, padding, ...) \
  sl_op_max_pool_with_argmax_with(SL_AT(scope), (input), (ksize), (strides), (padding), SL_OPTIONS( \
    sl_op_max_pool_with_argmax_options_t, __VA_ARGS__))

// Maximum(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}
// Differentiable.
static inline TF_Output sl_op_maximum_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Maximum", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_maximum(scope, x, y, ...) \
  sl_op_maximum_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Mean(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_mean_options_t;
static inline TF_Output sl_op_mean_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_mean_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mean", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_mean(scope, input, reduction_indices, ...) \
  sl_op_mean_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_mean_options_t, __VA_ARGS__))

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

// MergeSummary(inputs: N * string) -> summary: string
// One Summary of several, no tag twice.
// N: int >= 1
// Gradients stop here.
static inline TF_Output sl_op_merge_summary_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MergeSummary", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  return sl_node_output(node);
}
#define sl_op_merge_summary(scope, inputs, inputs_count, ...) \
  sl_op_merge_summary_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MergeV2Checkpoints(checkpoint_prefixes: string, destination_prefix: string)
// Makes one V2 checkpoint of several shards.
// delete_old_dirs: bool = true; allow_missing_files: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool delete_old_dirs;
  bool allow_missing_files;
} sl_op_merge_v2_checkpoints_options_t;
static inline TF_Operation *sl_op_merge_v2_checkpoints_with(sl_scope_t *scope, TF_Output checkpoint_prefixes,
    TF_Output destination_prefix, const sl_op_merge_v2_checkpoints_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MergeV2Checkpoints", options->name);
  sl_node_input(node, checkpoint_prefixes);
  sl_node_input(node, destination_prefix);
  sl_node_attr_bool(node, "delete_old_dirs", options->delete_old_dirs);
  sl_node_attr_bool(node, "allow_missing_files", options->allow_missing_files);
  return sl_node_finish(node);
}
#define sl_op_merge_v2_checkpoints(scope, checkpoint_prefixes, destination_prefix, ...) \
  SL_OVER_DEFAULTS(sl_op_merge_v2_checkpoints_with(SL_AT(scope), (checkpoint_prefixes), (destination_prefix), \
    SL_OPTIONS(sl_op_merge_v2_checkpoints_options_t, .delete_old_dirs = true, __VA_ARGS__)))

// Min(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32,
//   uint64, qint8, quint8, qint32, qint16, quint16}; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_min_options_t;
static inline TF_Output sl_op_min_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Min", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_min(scope, input, reduction_indices, ...) \
  sl_op_min_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_min_options_t, __VA_ARGS__))

// Minimum(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64}
// Differentiable.
static inline TF_Output sl_op_minimum_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Minimum", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_minimum(scope, x, y, ...) \
  sl_op_minimum_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MirrorPad(input: T, paddings: Tpaddings) -> output: T
// Mirror images around a tensor.
// T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}
// Differentiable.
static inline TF_Output sl_op_mirror_pad_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    const char *mode, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MirrorPad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_attr_text(node, "mode", mode);
  return sl_node_output(node);
}
#define sl_op_mirror_pad(scope, input, paddings, mode, ...) \
  sl_op_mirror_pad_with(SL_AT(scope), (input), (paddings), (mode), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MirrorPadGrad(input: T, paddings: Tpaddings) -> output: T
// Adds mirror images back.
// T: type; Tpaddings: {int32, int64} = DT_INT32; mode: {'REFLECT', 'SYMMETRIC'}
// Differentiable.
static inline TF_Output sl_op_mirror_pad_grad_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    const char *mode, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MirrorPadGrad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_attr_text(node, "mode", mode);
  return sl_node_output(node);
}
#define sl_op_mirror_pad_grad(scope, input, paddings, mode, ...) \
  sl_op_mirror_pad_grad_with(SL_AT(scope), (input), (paddings), (mode), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Mod(x: T, y: T) -> z: T
// T: {int32, int64, half, half, bfloat16, float, double}
// Without a gradient.
static inline TF_Output sl_op_mod_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_mod(scope, x, y, ...) sl_op_mod_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Mul(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_mul_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Mul", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_mul(scope, x, y, ...) sl_op_mul_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// MulNoNan(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_mul_no_nan_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MulNoNan", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_mul_no_nan(scope, x, y, ...) \
  sl_op_mul_no_nan_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Multinomial(logits: T, num_samples: int32) -> output: output_dtype
// seed: int = 0; seed2: int = 0; T: realnumbertype; output_dtype: {int32, int64} = DT_INT64
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
  TF_DataType output_dtype;
} sl_op_multinomial_options_t;
static inline TF_Output sl_op_multinomial_with(sl_scope_t *scope, TF_Output logits, TF_Output num_samples,
    const sl_op_multinomial_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Multinomial", options->name);
  sl_node_input(node, logits);
  sl_node_input(node, num_samples);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->output_dtype) sl_node_attr_type(node, "output_dtype", options->output_dtype);
  return sl_node_output(node);
}
#define sl_op_multinomial(scope, logits, num_samples, ...) \
  sl_op_multinomial_with(SL_AT(scope), (logits), (num_samples), SL_OPTIONS(sl_op_multinomial_options_t, __VA_ARGS__))

// MutableHashTable() -> table_handle: Ref(string)
// A table that grows and shrinks.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_mutable_hash_table_options_t;
static inline TF_Output sl_op_mutable_hash_table_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTable", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_options_t, __VA_ARGS__))

// MutableHashTableOfTensors() -> table_handle: Ref(string)
// A table that grows and shrinks, of values with a shape.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type; value_shape: shape = {}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
  sl_shape_t value_shape;
} sl_op_mutable_hash_table_of_tensors_options_t;
static inline TF_Output sl_op_mutable_hash_table_of_tensors_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_of_tensors_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTableOfTensors", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table_of_tensors(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_of_tensors_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_of_tensors_options_t, __VA_ARGS__))

// MutableHashTableOfTensorsV2() -> table_handle: resource
// A table that grows and shrinks, of values with a shape.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type; value_shape: shape = {}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
  sl_shape_t value_shape;
} sl_op_mutable_hash_table_of_tensors_v2_options_t;
static inline TF_Output sl_op_mutable_hash_table_of_tensors_v2_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_of_tensors_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTableOfTensorsV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  sl_node_attr_shape(node, "value_shape", options->value_shape);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table_of_tensors_v2(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_of_tensors_v2_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_of_tensors_v2_options_t, __VA_ARGS__))

// MutableHashTableV2() -> table_handle: resource
// A table that grows and shrinks.
// container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; key_dtype: type;
//   value_dtype: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  bool use_node_name_sharing;
} sl_op_mutable_hash_table_v2_options_t;
static inline TF_Output sl_op_mutable_hash_table_v2_with(sl_scope_t *scope, TF_DataType key_dtype,
    TF_DataType value_dtype, const sl_op_mutable_hash_table_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "MutableHashTableV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_bool(node, "use_node_name_sharing", options->use_node_name_sharing);
  sl_node_attr_type(node, "key_dtype", key_dtype);
  sl_node_attr_type(node, "value_dtype", value_dtype);
  return sl_node_output(node);
}
#define sl_op_mutable_hash_table_v2(scope, key_dtype, value_dtype, ...) \
  sl_op_mutable_hash_table_v2_with(SL_AT(scope), (key_dtype), (value_dtype), SL_OPTIONS( \
    sl_op_mutable_hash_table_v2_options_t, __VA_ARGS__))

// Ndtri(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_ndtri_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Ndtri", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_ndtri(scope, x, ...) sl_op_ndtri_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Neg(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_neg_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Neg", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_neg(scope, x, ...) sl_op_neg_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NextAfter(x1: T, x2: T) -> output: T
// T: {double, float} = DT_FLOAT
// Differentiable.
static inline TF_Output sl_op_next_after_with(sl_scope_t *scope, TF_Output x1, TF_Output x2,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NextAfter", options->name);
  sl_node_input(node, x1);
  sl_node_input(node, x2);
  return sl_node_output(node);
}
#define sl_op_next_after(scope, x1, x2, ...) \
  sl_op_next_after_with(SL_AT(scope), (x1), (x2), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NextIteration(data: T) -> output: T
// Takes a value into the next turn of a loop.
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
// Without a gradient.
static inline TF_Operation *sl_op_no_op_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NoOp", options->name);
  return sl_node_finish(node);
}
#define sl_op_no_op(scope, ...) sl_op_no_op_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// NotEqual(x: T, y: T) -> z: bool
// T: type; incompatible_shape_error: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool incompatible_shape_error;
} sl_op_not_equal_options_t;
static inline TF_Output sl_op_not_equal_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_not_equal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "NotEqual", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  sl_node_attr_bool(node, "incompatible_shape_error", options->incompatible_shape_error);
  return sl_node_output(node);
}
#define sl_op_not_equal(scope, x, y, ...) \
  SL_OVER_DEFAULTS(sl_op_not_equal_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_not_equal_options_t, \
    .incompatible_shape_error = true, __VA_ARGS__)))

// OneHot(indices: TI, depth: int32, on_value: T, off_value: T) -> output: T
// Indices as one-hot vectors.
// axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_one_hot_options_t;
static inline TF_Output sl_op_one_hot_with(sl_scope_t *scope, TF_Output indices, TF_Output depth, TF_Output on_value,
    TF_Output off_value, const sl_op_one_hot_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OneHot", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, depth);
  sl_node_input(node, on_value);
  sl_node_input(node, off_value);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_one_hot(scope, indices, depth, on_value, off_value, ...) \
  SL_OVER_DEFAULTS(sl_op_one_hot_with(SL_AT(scope), (indices), (depth), (on_value), (off_value), SL_OPTIONS( \
    sl_op_one_hot_options_t, .axis = -1, __VA_ARGS__)))

// OnesLike(x: T) -> y: T
// Ones of the input's shape and type.
// T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128,
//   bool}
// Gradients stop here.
static inline TF_Output sl_op_ones_like_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "OnesLike", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_ones_like(scope, x, ...) \
  sl_op_ones_like_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Pack(values: N * T) -> output: T
// Stacks tensors along a new axis.
// N: int >= 1; T: type; axis: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_pack_options_t;
static inline TF_Output sl_op_pack_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    const sl_op_pack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Pack", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_int(node, "axis", options->axis);
  return sl_node_output(node);
}
#define sl_op_pack(scope, values, values_count, ...) \
  sl_op_pack_with(SL_AT(scope), (values), (values_count), SL_OPTIONS(sl_op_pack_options_t, __VA_ARGS__))

// Pad(input: T, paddings: Tpaddings) -> output: T
// Zeros around a tensor.
// T: type; Tpaddings: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_pad_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Pad", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  return sl_node_output(node);
}
#define sl_op_pad(scope, input, paddings, ...) \
  sl_op_pad_with(SL_AT(scope), (input), (paddings), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PadV2(input: T, paddings: Tpaddings, constant_values: T) -> output: T
// A value around a tensor.
// T: type; Tpaddings: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_pad_v2_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    TF_Output constant_values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PadV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_input(node, constant_values);
  return sl_node_output(node);
}
#define sl_op_pad_v2(scope, input, paddings, constant_values, ...) \
  sl_op_pad_v2_with(SL_AT(scope), (input), (paddings), (constant_values), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PaddingFIFOQueue() -> handle: Ref(string)
// A queue that pads elements of different shapes.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_padding_fifo_queue_options_t;
static inline TF_Output sl_op_padding_fifo_queue_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_padding_fifo_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PaddingFIFOQueue", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_padding_fifo_queue(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_padding_fifo_queue_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_padding_fifo_queue_options_t, .capacity = -1, __VA_ARGS__)))

// PaddingFIFOQueueV2() -> handle: resource
// A queue that pads elements of different shapes.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_padding_fifo_queue_v2_options_t;
static inline TF_Output sl_op_padding_fifo_queue_v2_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_padding_fifo_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PaddingFIFOQueueV2", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_padding_fifo_queue_v2(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_padding_fifo_queue_v2_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_padding_fifo_queue_v2_options_t, .capacity = -1, __VA_ARGS__)))

// ParallelDynamicStitch(indices: N * int32, data: N * T) -> merged: T
// Puts slices together by index.
// N: int >= 1; T: type
// Differentiable.
static inline TF_Output sl_op_parallel_dynamic_stitch_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParallelDynamicStitch", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, data, data_count);
  return sl_node_output(node);
}
#define sl_op_parallel_dynamic_stitch(scope, indices, indices_count, data, data_count, ...) \
  sl_op_parallel_dynamic_stitch_with(SL_AT(scope), (indices), (indices_count), (data), (data_count), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ParseExample(serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string,
//   dense_defaults: Tdense) -> sparse_indices: Nsparse * int64, sparse_values: sparse_types, sparse_shapes: Nsparse *
//   int64, dense_values: Tdense
// Parses Example messages.
// Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list({float, int64, string}) >= 0; Tdense: list({float, int64,
//   string}) >= 0; dense_shapes: list(shape) >= 0
// Without a gradient.
typedef struct {
  sl_op_list_t sparse_indices;
  sl_op_list_t sparse_values;
  sl_op_list_t sparse_shapes;
  sl_op_list_t dense_values;
} sl_op_parse_example_t;
static inline sl_op_parse_example_t sl_op_parse_example_with(sl_scope_t *scope, TF_Output serialized,
    TF_Output names, const TF_Output *sparse_keys, size_t sparse_keys_count, const TF_Output *dense_keys,
    size_t dense_keys_count, const TF_Output *dense_defaults, size_t dense_defaults_count,
    sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, names);
  sl_node_input_list(node, sparse_keys, sparse_keys_count);
  sl_node_input_list(node, dense_keys, dense_keys_count);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_example_t result;
  int next = 0;
  result.sparse_indices = sl_op_list(operation, "sparse_indices", next);
  next += result.sparse_indices.count;
  result.sparse_values = sl_op_list(operation, "sparse_values", next);
  next += result.sparse_values.count;
  result.sparse_shapes = sl_op_list(operation, "sparse_shapes", next);
  next += result.sparse_shapes.count;
  result.dense_values = sl_op_list(operation, "dense_values", next);
  next += result.dense_values.count;
  return result;
}
#define sl_op_parse_example(scope, serialized, names, sparse_keys, sparse_keys_count, dense_keys, dense_keys_count, \
    dense_defaults, dense_defaults_count, sparse_types, dense_shapes, ...) \
  sl_op_parse_example_with(SL_AT(scope), (serialized), (names), (sparse_keys), (sparse_keys_count), (dense_keys), ( \
    dense_keys_count), (dense_defaults), (dense_defaults_count), (sparse_types), (dense_shapes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ParseExampleV2(serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string,
//   dense_defaults: Tdense) -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes:
//   num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits:
//   ragged_split_types
// Parses Example messages, one or many.
// Tdense: list({float, int64, string}) >= 0; num_sparse: int >= 0; sparse_types: list({float, int64, string}) >= 0;
//   ragged_value_types: list({float, int64, string}) >= 0; ragged_split_types: list({int32, int64}) >= 0;
//   dense_shapes: list(shape) >= 0
// Without a gradient.
typedef struct {
  sl_op_list_t sparse_indices;
  sl_op_list_t sparse_values;
  sl_op_list_t sparse_shapes;
  sl_op_list_t dense_values;
  sl_op_list_t ragged_values;
  sl_op_list_t ragged_row_splits;
} sl_op_parse_example_v2_t;
static inline sl_op_parse_example_v2_t sl_op_parse_example_v2_with(sl_scope_t *scope, TF_Output serialized,
    TF_Output names, TF_Output sparse_keys, TF_Output dense_keys, TF_Output ragged_keys,
    const TF_Output *dense_defaults, size_t dense_defaults_count, int64_t num_sparse, sl_op_types_t sparse_types,
    sl_op_types_t ragged_value_types, sl_op_types_t ragged_split_types, sl_op_shapes_t dense_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseExampleV2", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, names);
  sl_node_input(node, sparse_keys);
  sl_node_input(node, dense_keys);
  sl_node_input(node, ragged_keys);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_int(node, "num_sparse", num_sparse);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_type_list(node, "ragged_value_types", ragged_value_types.values, ragged_value_types.count);
  sl_node_attr_type_list(node, "ragged_split_types", ragged_split_types.values, ragged_split_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_example_v2_t result;
  int next = 0;
  result.sparse_indices = sl_op_list(operation, "sparse_indices", next);
  next += result.sparse_indices.count;
  result.sparse_values = sl_op_list(operation, "sparse_values", next);
  next += result.sparse_values.count;
  result.sparse_shapes = sl_op_list(operation, "sparse_shapes", next);
  next += result.sparse_shapes.count;
  result.dense_values = sl_op_list(operation, "dense_values", next);
  next += result.dense_values.count;
  result.ragged_values = sl_op_list(operation, "ragged_values", next);
  next += result.ragged_values.count;
  result.ragged_row_splits = sl_op_list(operation, "ragged_row_splits", next);
  next += result.ragged_row_splits.count;
  return result;
}
#define sl_op_parse_example_v2(scope, serialized, names, sparse_keys, dense_keys, ragged_keys, dense_defaults, \
    dense_defaults_count, num_sparse, sparse_types, ragged_value_types, ragged_split_types, dense_shapes, ...) \
  sl_op_parse_example_v2_with(SL_AT(scope), (serialized), (names), (sparse_keys), (dense_keys), (ragged_keys), ( \
    dense_defaults), (dense_defaults_count), (num_sparse), (sparse_types), (ragged_value_types), ( \
    ragged_split_types), (dense_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ParseSequenceExample(serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense) ->
//   context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types,
//   context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense,
//   feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types,
//   feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types,
//   feature_list_dense_lengths: Nfeature_list_dense * int64
// Parses SequenceExample messages.
// feature_list_dense_missing_assumed_empty: list(string) >= 0; context_sparse_keys: list(string) >= 0;
//   context_dense_keys: list(string) >= 0; feature_list_sparse_keys: list(string) >= 0; feature_list_dense_keys:
//   list(string) >= 0; Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 =
//   0; Nfeature_list_dense: int >= 0 = 0; context_sparse_types: list({float, int64, string}) >= 0 = [];
//   Tcontext_dense: list({float, int64, string}) >= 0 = []; feature_list_dense_types: list({float, int64, string}) >=
//   0 = []; context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: list({float, int64, string}) >= 0
//   = []; feature_list_dense_shapes: list(shape) >= 0 = []
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t Ncontext_sparse;
  int64_t Ncontext_dense;
  int64_t Nfeature_list_sparse;
  int64_t Nfeature_list_dense;
  sl_op_types_t context_sparse_types;
  sl_op_types_t feature_list_dense_types;
  sl_op_shapes_t context_dense_shapes;
  sl_op_types_t feature_list_sparse_types;
  sl_op_shapes_t feature_list_dense_shapes;
} sl_op_parse_sequence_example_options_t;
typedef struct {
  sl_op_list_t context_sparse_indices;
  sl_op_list_t context_sparse_values;
  sl_op_list_t context_sparse_shapes;
  sl_op_list_t context_dense_values;
  sl_op_list_t feature_list_sparse_indices;
  sl_op_list_t feature_list_sparse_values;
  sl_op_list_t feature_list_sparse_shapes;
  sl_op_list_t feature_list_dense_values;
  sl_op_list_t feature_list_dense_lengths;
} sl_op_parse_sequence_example_t;
static inline sl_op_parse_sequence_example_t sl_op_parse_sequence_example_with(sl_scope_t *scope,
    TF_Output serialized, TF_Output debug_name, const TF_Output *context_dense_defaults,
    size_t context_dense_defaults_count, sl_op_texts_t feature_list_dense_missing_assumed_empty,
    sl_op_texts_t context_sparse_keys, sl_op_texts_t context_dense_keys, sl_op_texts_t feature_list_sparse_keys,
    sl_op_texts_t feature_list_dense_keys, const sl_op_parse_sequence_example_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSequenceExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, debug_name);
  sl_node_input_list(node, context_dense_defaults, context_dense_defaults_count);
  sl_node_attr_text_list(node, "feature_list_dense_missing_assumed_empty",
    feature_list_dense_missing_assumed_empty.values, feature_list_dense_missing_assumed_empty.count);
  sl_node_attr_text_list(node, "context_sparse_keys", context_sparse_keys.values, context_sparse_keys.count);
  sl_node_attr_text_list(node, "context_dense_keys", context_dense_keys.values, context_dense_keys.count);
  sl_node_attr_text_list(node, "feature_list_sparse_keys", feature_list_sparse_keys.values,
    feature_list_sparse_keys.count);
  sl_node_attr_text_list(node, "feature_list_dense_keys", feature_list_dense_keys.values,
    feature_list_dense_keys.count);
  sl_node_attr_int(node, "Ncontext_sparse", options->Ncontext_sparse);
  sl_node_attr_int(node, "Ncontext_dense", options->Ncontext_dense);
  sl_node_attr_int(node, "Nfeature_list_sparse", options->Nfeature_list_sparse);
  sl_node_attr_int(node, "Nfeature_list_dense", options->Nfeature_list_dense);
  if (options->context_sparse_types.values) sl_node_attr_type_list(node, "context_sparse_types",
    options->context_sparse_types.values, options->context_sparse_types.count);
  if (options->feature_list_dense_types.values) sl_node_attr_type_list(node, "feature_list_dense_types",
    options->feature_list_dense_types.values, options->feature_list_dense_types.count);
  if (options->context_dense_shapes.values) sl_node_attr_shape_list(node, "context_dense_shapes",
    options->context_dense_shapes.values, options->context_dense_shapes.count);
  if (options->feature_list_sparse_types.values) sl_node_attr_type_list(node, "feature_list_sparse_types",
    options->feature_list_sparse_types.values, options->feature_list_sparse_types.count);
  if (options->feature_list_dense_shapes.values) sl_node_attr_shape_list(node, "feature_list_dense_shapes",
    options->feature_list_dense_shapes.values, options->feature_list_dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_sequence_example_t result;
  int next = 0;
  result.context_sparse_indices = sl_op_list(operation, "context_sparse_indices", next);
  next += result.context_sparse_indices.count;
  result.context_sparse_values = sl_op_list(operation, "context_sparse_values", next);
  next += result.context_sparse_values.count;
  result.context_sparse_shapes = sl_op_list(operation, "context_sparse_shapes", next);
  next += result.context_sparse_shapes.count;
  result.context_dense_values = sl_op_list(operation, "context_dense_values", next);
  next += result.context_dense_values.count;
  result.feature_list_sparse_indices = sl_op_list(operation, "feature_list_sparse_indices", next);
  next += result.feature_list_sparse_indices.count;
  result.feature_list_sparse_values = sl_op_list(operation, "feature_list_sparse_values", next);
  next += result.feature_list_sparse_values.count;
  result.feature_list_sparse_shapes = sl_op_list(operation, "feature_list_sparse_shapes", next);
  next += result.feature_list_sparse_shapes.count;
  result.feature_list_dense_values = sl_op_list(operation, "feature_list_dense_values", next);
  next += result.feature_list_dense_values.count;
  result.feature_list_dense_lengths = sl_op_list(operation, "feature_list_dense_lengths", next);
  next += result.feature_list_dense_lengths.count;
  return result;
}
#define sl_op_parse_sequence_example(scope, serialized, debug_name, context_dense_defaults, \
    context_dense_defaults_count, feature_list_dense_missing_assumed_empty, context_sparse_keys, \
    context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys, ...) \
  sl_op_parse_sequence_example_with(SL_AT(scope), (serialized), (debug_name), (context_dense_defaults), ( \
    context_dense_defaults_count), (feature_list_dense_missing_assumed_empty), (context_sparse_keys), ( \
    context_dense_keys), (feature_list_sparse_keys), (feature_list_dense_keys), SL_OPTIONS( \
    sl_op_parse_sequence_example_options_t, __VA_ARGS__))

// ParseSequenceExampleV2(serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys:
//   string, context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string,
//   feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults:
//   Tcontext_dense) -> context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types,
//   context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, context_ragged_values:
//   context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types, feature_list_sparse_indices:
//   Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes:
//   Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths:
//   Nfeature_list_dense * int64, feature_list_ragged_values: feature_list_ragged_value_types,
//   feature_list_ragged_outer_splits: feature_list_ragged_split_types, feature_list_ragged_inner_splits:
//   feature_list_ragged_split_types
// Parses SequenceExample messages, one or many.
// Ncontext_sparse: int >= 0 = 0; Tcontext_dense: list({float, int64, string}) >= 0 = []; context_sparse_types:
//   list({float, int64, string}) >= 0 = []; context_ragged_value_types: list({float, int64, string}) >= 0 = [];
//   context_ragged_split_types: list({int32, int64}) >= 0 = []; context_dense_shapes: list(shape) >= 0 = [];
//   Nfeature_list_sparse: int >= 0 = 0; Nfeature_list_dense: int >= 0 = 0; feature_list_dense_types: list({float,
//   int64, string}) >= 0 = []; feature_list_sparse_types: list({float, int64, string}) >= 0 = [];
//   feature_list_ragged_value_types: list({float, int64, string}) >= 0 = []; feature_list_ragged_split_types:
//   list({int32, int64}) >= 0 = []; feature_list_dense_shapes: list(shape) >= 0 = []
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t Ncontext_sparse;
  sl_op_types_t context_sparse_types;
  sl_op_types_t context_ragged_value_types;
  sl_op_types_t context_ragged_split_types;
  sl_op_shapes_t context_dense_shapes;
  int64_t Nfeature_list_sparse;
  int64_t Nfeature_list_dense;
  sl_op_types_t feature_list_dense_types;
  sl_op_types_t feature_list_sparse_types;
  sl_op_types_t feature_list_ragged_value_types;
  sl_op_types_t feature_list_ragged_split_types;
  sl_op_shapes_t feature_list_dense_shapes;
} sl_op_parse_sequence_example_v2_options_t;
typedef struct {
  sl_op_list_t context_sparse_indices;
  sl_op_list_t context_sparse_values;
  sl_op_list_t context_sparse_shapes;
  sl_op_list_t context_dense_values;
  sl_op_list_t context_ragged_values;
  sl_op_list_t context_ragged_row_splits;
  sl_op_list_t feature_list_sparse_indices;
  sl_op_list_t feature_list_sparse_values;
  sl_op_list_t feature_list_sparse_shapes;
  sl_op_list_t feature_list_dense_values;
  sl_op_list_t feature_list_dense_lengths;
  sl_op_list_t feature_list_ragged_values;
  sl_op_list_t feature_list_ragged_outer_splits;
  sl_op_list_t feature_list_ragged_inner_splits;
} sl_op_parse_sequence_example_v2_t;
static inline sl_op_parse_sequence_example_v2_t sl_op_parse_sequence_example_v2_with(sl_scope_t *scope,
    TF_Output serialized, TF_Output debug_name, TF_Output context_sparse_keys, TF_Output context_dense_keys,
    TF_Output context_ragged_keys, TF_Output feature_list_sparse_keys, TF_Output feature_list_dense_keys,
    TF_Output feature_list_ragged_keys, TF_Output feature_list_dense_missing_assumed_empty,
    const TF_Output *context_dense_defaults, size_t context_dense_defaults_count,
    const sl_op_parse_sequence_example_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSequenceExampleV2", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, debug_name);
  sl_node_input(node, context_sparse_keys);
  sl_node_input(node, context_dense_keys);
  sl_node_input(node, context_ragged_keys);
  sl_node_input(node, feature_list_sparse_keys);
  sl_node_input(node, feature_list_dense_keys);
  sl_node_input(node, feature_list_ragged_keys);
  sl_node_input(node, feature_list_dense_missing_assumed_empty);
  sl_node_input_list(node, context_dense_defaults, context_dense_defaults_count);
  sl_node_attr_int(node, "Ncontext_sparse", options->Ncontext_sparse);
  if (options->context_sparse_types.values) sl_node_attr_type_list(node, "context_sparse_types",
    options->context_sparse_types.values, options->context_sparse_types.count);
  if (options->context_ragged_value_types.values) sl_node_attr_type_list(node, "context_ragged_value_types",
    options->context_ragged_value_types.values, options->context_ragged_value_types.count);
  if (options->context_ragged_split_types.values) sl_node_attr_type_list(node, "context_ragged_split_types",
    options->context_ragged_split_types.values, options->context_ragged_split_types.count);
  if (options->context_dense_shapes.values) sl_node_attr_shape_list(node, "context_dense_shapes",
    options->context_dense_shapes.values, options->context_dense_shapes.count);
  sl_node_attr_int(node, "Nfeature_list_sparse", options->Nfeature_list_sparse);
  sl_node_attr_int(node, "Nfeature_list_dense", options->Nfeature_list_dense);
  if (options->feature_list_dense_types.values) sl_node_attr_type_list(node, "feature_list_dense_types",
    options->feature_list_dense_types.values, options->feature_list_dense_types.count);
  if (options->feature_list_sparse_types.values) sl_node_attr_type_list(node, "feature_list_sparse_types",
    options->feature_list_sparse_types.values, options->feature_list_sparse_types.count);
  if (options->feature_list_ragged_value_types.values) sl_node_attr_type_list(node,
    "feature_list_ragged_value_types", options->feature_list_ragged_value_types.values,
    options->feature_list_ragged_value_types.count);
  if (options->feature_list_ragged_split_types.values) sl_node_attr_type_list(node,
    "feature_list_ragged_split_types", options->feature_list_ragged_split_types.values,
    options->feature_list_ragged_split_types.count);
  if (options->feature_list_dense_shapes.values) sl_node_attr_shape_list(node, "feature_list_dense_shapes",
    options->feature_list_dense_shapes.values, options->feature_list_dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_sequence_example_v2_t result;
  int next = 0;
  result.context_sparse_indices = sl_op_list(operation, "context_sparse_indices", next);
  next += result.context_sparse_indices.count;
  result.context_sparse_values = sl_op_list(operation, "context_sparse_values", next);
  next += result.context_sparse_values.count;
  result.context_sparse_shapes = sl_op_list(operation, "context_sparse_shapes", next);
  next += result.context_sparse_shapes.count;
  result.context_dense_values = sl_op_list(operation, "context_dense_values", next);
  next += result.context_dense_values.count;
  result.context_ragged_values = sl_op_list(operation, "context_ragged_values", next);
  next += result.context_ragged_values.count;
  result.context_ragged_row_splits = sl_op_list(operation, "context_ragged_row_splits", next);
  next += result.context_ragged_row_splits.count;
  result.feature_list_sparse_indices = sl_op_list(operation, "feature_list_sparse_indices", next);
  next += result.feature_list_sparse_indices.count;
  result.feature_list_sparse_values = sl_op_list(operation, "feature_list_sparse_values", next);
  next += result.feature_list_sparse_values.count;
  result.feature_list_sparse_shapes = sl_op_list(operation, "feature_list_sparse_shapes", next);
  next += result.feature_list_sparse_shapes.count;
  result.feature_list_dense_values = sl_op_list(operation, "feature_list_dense_values", next);
  next += result.feature_list_dense_values.count;
  result.feature_list_dense_lengths = sl_op_list(operation, "feature_list_dense_lengths", next);
  next += result.feature_list_dense_lengths.count;
  result.feature_list_ragged_values = sl_op_list(operation, "feature_list_ragged_values", next);
  next += result.feature_list_ragged_values.count;
  result.feature_list_ragged_outer_splits = sl_op_list(operation, "feature_list_ragged_outer_splits", next);
  next += result.feature_list_ragged_outer_splits.count;
  result.feature_list_ragged_inner_splits = sl_op_list(operation, "feature_list_ragged_inner_splits", next);
  next += result.feature_list_ragged_inner_splits.count;
  return result;
}
#define sl_op_parse_sequence_example_v2(scope, serialized, debug_name, context_sparse_keys, context_dense_keys, \
    context_ragged_keys, feature_list_sparse_keys, feature_list_dense_keys, feature_list_ragged_keys, \
    feature_list_dense_missing_assumed_empty, context_dense_defaults, context_dense_defaults_count, ...) \
  sl_op_parse_sequence_example_v2_with(SL_AT(scope), (serialized), (debug_name), (context_sparse_keys), ( \
    context_dense_keys), (context_ragged_keys), (feature_list_sparse_keys), (feature_list_dense_keys), ( \
    feature_list_ragged_keys), (feature_list_dense_missing_assumed_empty), (context_dense_defaults), ( \
    context_dense_defaults_count), SL_OPTIONS(sl_op_parse_sequence_example_v2_options_t, __VA_ARGS__))

// ParseSingleExample(serialized: string, dense_defaults: Tdense) -> sparse_indices: num_sparse * int64,
//   sparse_values: sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense
// Parses one Example message.
// num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; sparse_types: list({float,
//   int64, string}) >= 0; Tdense: list({float, int64, string}) >= 0; dense_shapes: list(shape) >= 0
// Without a gradient.
typedef struct {
  sl_op_list_t sparse_indices;
  sl_op_list_t sparse_values;
  sl_op_list_t sparse_shapes;
  sl_op_list_t dense_values;
} sl_op_parse_single_example_t;
static inline sl_op_parse_single_example_t sl_op_parse_single_example_with(sl_scope_t *scope, TF_Output serialized,
    const TF_Output *dense_defaults, size_t dense_defaults_count, int64_t num_sparse, sl_op_texts_t sparse_keys,
    sl_op_texts_t dense_keys, sl_op_types_t sparse_types, sl_op_shapes_t dense_shapes,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSingleExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input_list(node, dense_defaults, dense_defaults_count);
  sl_node_attr_int(node, "num_sparse", num_sparse);
  sl_node_attr_text_list(node, "sparse_keys", sparse_keys.values, sparse_keys.count);
  sl_node_attr_text_list(node, "dense_keys", dense_keys.values, dense_keys.count);
  sl_node_attr_type_list(node, "sparse_types", sparse_types.values, sparse_types.count);
  sl_node_attr_shape_list(node, "dense_shapes", dense_shapes.values, dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_single_example_t result;
  int next = 0;
  result.sparse_indices = sl_op_list(operation, "sparse_indices", next);
  next += result.sparse_indices.count;
  result.sparse_values = sl_op_list(operation, "sparse_values", next);
  next += result.sparse_values.count;
  result.sparse_shapes = sl_op_list(operation, "sparse_shapes", next);
  next += result.sparse_shapes.count;
  result.dense_values = sl_op_list(operation, "dense_values", next);
  next += result.dense_values.count;
  return result;
}
#define sl_op_parse_single_example(scope, serialized, dense_defaults, dense_defaults_count, num_sparse, \
    sparse_keys, dense_keys, sparse_types, dense_shapes, ...) \
  sl_op_parse_single_example_with(SL_AT(scope), (serialized), (dense_defaults), (dense_defaults_count), (num_sparse), \
    (sparse_keys), (dense_keys), (sparse_types), (dense_shapes), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ParseSingleSequenceExample(serialized: string, feature_list_dense_missing_assumed_empty: string,
//   context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string,
//   feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string,
//   context_dense_defaults: Tcontext_dense, debug_name: string) -> context_sparse_indices: Ncontext_sparse * int64,
//   context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64,
//   context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64,
//   feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64,
//   feature_list_dense_values: feature_list_dense_types
// Parses one SequenceExample message.
// Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 = 0;
//   Nfeature_list_dense: int >= 0 = 0; context_sparse_types: list({float, int64, string}) >= 0 = []; Tcontext_dense:
//   list({float, int64, string}) >= 0 = []; feature_list_dense_types: list({float, int64, string}) >= 0 = [];
//   context_dense_shapes: list(shape) >= 0 = []; feature_list_sparse_types: list({float, int64, string}) >= 0 = [];
//   feature_list_dense_shapes: list(shape) >= 0 = []
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t context_sparse_types;
  sl_op_types_t feature_list_dense_types;
  sl_op_shapes_t context_dense_shapes;
  sl_op_types_t feature_list_sparse_types;
  sl_op_shapes_t feature_list_dense_shapes;
} sl_op_parse_single_sequence_example_options_t;
typedef struct {
  sl_op_list_t context_sparse_indices;
  sl_op_list_t context_sparse_values;
  sl_op_list_t context_sparse_shapes;
  sl_op_list_t context_dense_values;
  sl_op_list_t feature_list_sparse_indices;
  sl_op_list_t feature_list_sparse_values;
  sl_op_list_t feature_list_sparse_shapes;
  sl_op_list_t feature_list_dense_values;
} sl_op_parse_single_sequence_example_t;
static inline sl_op_parse_single_sequence_example_t sl_op_parse_single_sequence_example_with(sl_scope_t *scope,
    TF_Output serialized, TF_Output feature_list_dense_missing_assumed_empty, const TF_Output *context_sparse_keys,
    size_t context_sparse_keys_count, const TF_Output *context_dense_keys, size_t context_dense_keys_count,
    const TF_Output *feature_list_sparse_keys, size_t feature_list_sparse_keys_count,
    const TF_Output *feature_list_dense_keys, size_t feature_list_dense_keys_count,
    const TF_Output *context_dense_defaults, size_t context_dense_defaults_count, TF_Output debug_name,
    const sl_op_parse_single_sequence_example_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseSingleSequenceExample", options->name);
  sl_node_input(node, serialized);
  sl_node_input(node, feature_list_dense_missing_assumed_empty);
  sl_node_input_list(node, context_sparse_keys, context_sparse_keys_count);
  sl_node_input_list(node, context_dense_keys, context_dense_keys_count);
  sl_node_input_list(node, feature_list_sparse_keys, feature_list_sparse_keys_count);
  sl_node_input_list(node, feature_list_dense_keys, feature_list_dense_keys_count);
  sl_node_input_list(node, context_dense_defaults, context_dense_defaults_count);
  sl_node_input(node, debug_name);
  if (options->context_sparse_types.values) sl_node_attr_type_list(node, "context_sparse_types",
    options->context_sparse_types.values, options->context_sparse_types.count);
  if (options->feature_list_dense_types.values) sl_node_attr_type_list(node, "feature_list_dense_types",
    options->feature_list_dense_types.values, options->feature_list_dense_types.count);
  if (options->context_dense_shapes.values) sl_node_attr_shape_list(node, "context_dense_shapes",
    options->context_dense_shapes.values, options->context_dense_shapes.count);
  if (options->feature_list_sparse_types.values) sl_node_attr_type_list(node, "feature_list_sparse_types",
    options->feature_list_sparse_types.values, options->feature_list_sparse_types.count);
  if (options->feature_list_dense_shapes.values) sl_node_attr_shape_list(node, "feature_list_dense_shapes",
    options->feature_list_dense_shapes.values, options->feature_list_dense_shapes.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_parse_single_sequence_example_t result;
  int next = 0;
  result.context_sparse_indices = sl_op_list(operation, "context_sparse_indices", next);
  next += result.context_sparse_indices.count;
  result.context_sparse_values = sl_op_list(operation, "context_sparse_values", next);
  next += result.context_sparse_values.count;
  result.context_sparse_shapes = sl_op_list(operation, "context_sparse_shapes", next);
  next += result.context_sparse_shapes.count;
  result.context_dense_values = sl_op_list(operation, "context_dense_values", next);
  next += result.context_dense_values.count;
  result.feature_list_sparse_indices = sl_op_list(operation, "feature_list_sparse_indices", next);
  next += result.feature_list_sparse_indices.count;
  result.feature_list_sparse_values = sl_op_list(operation, "feature_list_sparse_values", next);
  next += result.feature_list_sparse_values.count;
  result.feature_list_sparse_shapes = sl_op_list(operation, "feature_list_sparse_shapes", next);
  next += result.feature_list_sparse_shapes.count;
  result.feature_list_dense_values = sl_op_list(operation, "feature_list_dense_values", next);
  next += result.feature_list_dense_values.count;
  return result;
}
#define sl_op_parse_single_sequence_example(scope, serialized, feature_list_dense_missing_assumed_empty, \
    context_sparse_keys, context_sparse_keys_count, context_dense_keys, context_dense_keys_count, \
    feature_list_sparse_keys, feature_list_sparse_keys_count, feature_list_dense_keys, \
    feature_list_dense_keys_count, context_dense_defaults, context_dense_defaults_count, debug_name, ...) \
  sl_op_parse_single_sequence_example_with(SL_AT(scope), (serialized), (feature_list_dense_missing_assumed_empty), ( \
    context_sparse_keys), (context_sparse_keys_count), (context_dense_keys), (context_dense_keys_count), ( \
    feature_list_sparse_keys), (feature_list_sparse_keys_count), (feature_list_dense_keys), ( \
    feature_list_dense_keys_count), (context_dense_defaults), (context_dense_defaults_count), (debug_name), \
    SL_OPTIONS(sl_op_parse_single_sequence_example_options_t, __VA_ARGS__))

// ParseTensor(serialized: string) -> output: out_type
// The tensor of a serialized TensorProto.
// out_type: type
// Gradients stop here.
static inline TF_Output sl_op_parse_tensor_with(sl_scope_t *scope, TF_Output serialized, TF_DataType out_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ParseTensor", options->name);
  sl_node_input(node, serialized);
  sl_node_attr_type(node, "out_type", out_type);
  return sl_node_output(node);
}
#define sl_op_parse_tensor(scope, serialized, out_type, ...) \
  sl_op_parse_tensor_with(SL_AT(scope), (serialized), (out_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Placeholder() -> output: dtype
// A value that must be fed.
// dtype: type; shape: shape = { unknown_rank: true }
// Without a gradient.
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
// Without a gradient. Deprecated since GraphDef version 23: Placeholder now behaves the same as PlaceholderV2.
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

// Polygamma(a: T, x: T) -> z: T
// T: {float, double}
// Differentiable.
static inline TF_Output sl_op_polygamma_with(sl_scope_t *scope, TF_Output a, TF_Output x,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Polygamma", options->name);
  sl_node_input(node, a);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_polygamma(scope, a, x, ...) \
  sl_op_polygamma_with(SL_AT(scope), (a), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Pow(x: T, y: T) -> z: T
// T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_pow_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Pow", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_pow(scope, x, y, ...) sl_op_pow_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// PreventGradient(input: T) -> output: T
// The input; asking for its gradient is an error.
// T: type; message: string = ''
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *message;
} sl_op_prevent_gradient_options_t;
static inline TF_Output sl_op_prevent_gradient_with(sl_scope_t *scope, TF_Output input,
    const sl_op_prevent_gradient_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PreventGradient", options->name);
  sl_node_input(node, input);
  if (options->message) sl_node_attr_text(node, "message", options->message);
  return sl_node_output(node);
}
#define sl_op_prevent_gradient(scope, input, ...) \
  sl_op_prevent_gradient_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_prevent_gradient_options_t, __VA_ARGS__))

// Print(input: T, data: U) -> output: T
// Passes a tensor on and prints others.
// T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; summarize: int = 3
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *message;
  int64_t first_n;
  int64_t summarize;
} sl_op_print_options_t;
static inline TF_Output sl_op_print_with(sl_scope_t *scope, TF_Output input, const TF_Output *data,
    size_t data_count, const sl_op_print_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Print", options->name);
  sl_node_input(node, input);
  sl_node_input_list(node, data, data_count);
  if (options->message) sl_node_attr_text(node, "message", options->message);
  sl_node_attr_int(node, "first_n", options->first_n);
  sl_node_attr_int(node, "summarize", options->summarize);
  return sl_node_output(node);
}
#define sl_op_print(scope, input, data, data_count, ...) \
  SL_OVER_DEFAULTS(sl_op_print_with(SL_AT(scope), (input), (data), (data_count), SL_OPTIONS(sl_op_print_options_t, \
    .first_n = -1, .summarize = 3, __VA_ARGS__)))

// PrintV2(input: string)
// Prints a string.
// output_stream: string = 'stderr'; end: string = '\n'
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *output_stream;
  const char *end;
} sl_op_print_v2_options_t;
static inline TF_Operation *sl_op_print_v2_with(sl_scope_t *scope, TF_Output input,
    const sl_op_print_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PrintV2", options->name);
  sl_node_input(node, input);
  if (options->output_stream) sl_node_attr_text(node, "output_stream", options->output_stream);
  if (options->end) sl_node_attr_text(node, "end", options->end);
  return sl_node_finish(node);
}
#define sl_op_print_v2(scope, input, ...) \
  sl_op_print_v2_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_print_v2_options_t, __VA_ARGS__))

// PriorityQueue() -> handle: Ref(string)
// A queue that gives elements by priority, the lowest first.
// component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t component_types;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_priority_queue_options_t;
static inline TF_Output sl_op_priority_queue_with(sl_scope_t *scope, sl_op_shapes_t shapes,
    const sl_op_priority_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PriorityQueue", options->name);
  if (options->component_types.values) sl_node_attr_type_list(node, "component_types",
    options->component_types.values, options->component_types.count);
  sl_node_attr_shape_list(node, "shapes", shapes.values, shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_priority_queue(scope, shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_priority_queue_with(SL_AT(scope), (shapes), SL_OPTIONS(sl_op_priority_queue_options_t, \
    .capacity = -1, __VA_ARGS__)))

// PriorityQueueV2() -> handle: resource
// A queue that gives elements by priority, the lowest first.
// component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; capacity: int = -1; container: string = '';
//   shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_types_t component_types;
  int64_t capacity;
  const char *container;
  const char *shared_name;
} sl_op_priority_queue_v2_options_t;
static inline TF_Output sl_op_priority_queue_v2_with(sl_scope_t *scope, sl_op_shapes_t shapes,
    const sl_op_priority_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "PriorityQueueV2", options->name);
  if (options->component_types.values) sl_node_attr_type_list(node, "component_types",
    options->component_types.values, options->component_types.count);
  sl_node_attr_shape_list(node, "shapes", shapes.values, shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_priority_queue_v2(scope, shapes, ...) \
  SL_OVER_DEFAULTS(sl_op_priority_queue_v2_with(SL_AT(scope), (shapes), SL_OPTIONS(sl_op_priority_queue_v2_options_t, \
    .capacity = -1, __VA_ARGS__)))

// Prod(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_prod_options_t;
static inline TF_Output sl_op_prod_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_prod_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Prod", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_prod(scope, input, reduction_indices, ...) \
  sl_op_prod_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_prod_options_t, __VA_ARGS__))

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

// Qr(input: T) -> q: T, r: T
// full_matrices: bool = false; T: {double, float, half, complex64, complex128}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool full_matrices;
} sl_op_qr_options_t;
typedef struct {
  TF_Output q;
  TF_Output r;
} sl_op_qr_t;
static inline sl_op_qr_t sl_op_qr_with(sl_scope_t *scope, TF_Output input, const sl_op_qr_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Qr", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "full_matrices", options->full_matrices);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_qr_t result;
  result.q = sl_op_output(operation, 0);
  result.r = sl_op_output(operation, 1);
  return result;
}
#define sl_op_qr(scope, input, ...) sl_op_qr_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_qr_options_t, __VA_ARGS__))

// QueueClose(handle: Ref(string))
// Closes a queue.
// cancel_pending_enqueues: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool cancel_pending_enqueues;
} sl_op_queue_close_options_t;
static inline TF_Operation *sl_op_queue_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_queue_close_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueClose", options->name);
  sl_node_input(node, handle);
  sl_node_attr_bool(node, "cancel_pending_enqueues", options->cancel_pending_enqueues);
  return sl_node_finish(node);
}
#define sl_op_queue_close(scope, handle, ...) \
  sl_op_queue_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_queue_close_options_t, __VA_ARGS__))

// QueueCloseV2(handle: resource)
// Closes a queue.
// cancel_pending_enqueues: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool cancel_pending_enqueues;
} sl_op_queue_close_v2_options_t;
static inline TF_Operation *sl_op_queue_close_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_queue_close_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueCloseV2", options->name);
  sl_node_input(node, handle);
  sl_node_attr_bool(node, "cancel_pending_enqueues", options->cancel_pending_enqueues);
  return sl_node_finish(node);
}
#define sl_op_queue_close_v2(scope, handle, ...) \
  sl_op_queue_close_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_queue_close_v2_options_t, __VA_ARGS__))

// QueueDequeue(handle: Ref(string)) -> components: component_types
// Takes a tuple from a queue.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_with(sl_scope_t *scope, TF_Output handle,
    sl_op_types_t component_types, const sl_op_queue_dequeue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeue", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue(scope, handle, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_with(SL_AT(scope), (handle), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueMany(handle: Ref(string), n: int32) -> components: component_types
// Takes n tuples from a queue as rows.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_many_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_many_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_many_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueMany", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_many(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_many_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_many_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueManyV2(handle: resource, n: int32) -> components: component_types
// Takes n tuples from a queue as rows.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_many_v2_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_many_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_many_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueManyV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_many_v2(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_many_v2_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_many_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueUpTo(handle: Ref(string), n: int32) -> components: component_types
// Takes n tuples from a queue, or the rest of a closed one.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_up_to_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_up_to_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_up_to_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueUpTo", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_up_to(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_up_to_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_up_to_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueUpToV2(handle: resource, n: int32) -> components: component_types
// Takes n tuples from a queue, or the rest of a closed one.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_up_to_v2_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_up_to_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output n,
    sl_op_types_t component_types, const sl_op_queue_dequeue_up_to_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueUpToV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, n);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_up_to_v2(scope, handle, n, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_up_to_v2_with(SL_AT(scope), (handle), (n), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_up_to_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueDequeueV2(handle: resource) -> components: component_types
// Takes a tuple from a queue.
// component_types: list(type) >= 1; timeout_ms: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_dequeue_v2_options_t;
static inline sl_op_list_t sl_op_queue_dequeue_v2_with(sl_scope_t *scope, TF_Output handle,
    sl_op_types_t component_types, const sl_op_queue_dequeue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueDequeueV2", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "components", 0);
}
#define sl_op_queue_dequeue_v2(scope, handle, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_dequeue_v2_with(SL_AT(scope), (handle), (component_types), SL_OPTIONS( \
    sl_op_queue_dequeue_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueue(handle: Ref(string), components: Tcomponents)
// Adds a tuple to a queue.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_options_t;
static inline TF_Operation *sl_op_queue_enqueue_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueue", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_with(SL_AT(scope), (handle), (components), (components_count), SL_OPTIONS( \
    sl_op_queue_enqueue_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueueMany(handle: Ref(string), components: Tcomponents)
// Adds a tuple for each row to a queue.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_many_options_t;
static inline TF_Operation *sl_op_queue_enqueue_many_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_many_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueMany", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue_many(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_many_with(SL_AT(scope), (handle), (components), (components_count), SL_OPTIONS( \
    sl_op_queue_enqueue_many_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueueManyV2(handle: resource, components: Tcomponents)
// Adds a tuple for each row to a queue.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_many_v2_options_t;
static inline TF_Operation *sl_op_queue_enqueue_many_v2_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_many_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueManyV2", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue_many_v2(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_many_v2_with(SL_AT(scope), (handle), (components), (components_count), \
    SL_OPTIONS(sl_op_queue_enqueue_many_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueEnqueueV2(handle: resource, components: Tcomponents)
// Adds a tuple to a queue.
// Tcomponents: list(type) >= 1; timeout_ms: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t timeout_ms;
} sl_op_queue_enqueue_v2_options_t;
static inline TF_Operation *sl_op_queue_enqueue_v2_with(sl_scope_t *scope, TF_Output handle,
    const TF_Output *components, size_t components_count, const sl_op_queue_enqueue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueV2", options->name);
  sl_node_input(node, handle);
  sl_node_input_list(node, components, components_count);
  sl_node_attr_int(node, "timeout_ms", options->timeout_ms);
  return sl_node_finish(node);
}
#define sl_op_queue_enqueue_v2(scope, handle, components, components_count, ...) \
  SL_OVER_DEFAULTS(sl_op_queue_enqueue_v2_with(SL_AT(scope), (handle), (components), (components_count), SL_OPTIONS( \
    sl_op_queue_enqueue_v2_options_t, .timeout_ms = -1, __VA_ARGS__)))

// QueueIsClosed(handle: Ref(string)) -> is_closed: bool
// Whether a queue is closed.
// Without a gradient.
static inline TF_Output sl_op_queue_is_closed_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueIsClosed", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_is_closed(scope, handle, ...) \
  sl_op_queue_is_closed_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QueueIsClosedV2(handle: resource) -> is_closed: bool
// Whether a queue is closed.
// Stateful, without a gradient.
static inline TF_Output sl_op_queue_is_closed_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueIsClosedV2", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_is_closed_v2(scope, handle, ...) \
  sl_op_queue_is_closed_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QueueSize(handle: Ref(string)) -> size: int32
// The number of elements in a queue.
// Gradients stop here.
static inline TF_Output sl_op_queue_size_with(sl_scope_t *scope, TF_Output handle, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueSize", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_size(scope, handle, ...) \
  sl_op_queue_size_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// QueueSizeV2(handle: resource) -> size: int32
// The number of elements in a queue.
// Stateful, without a gradient.
static inline TF_Output sl_op_queue_size_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "QueueSizeV2", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_queue_size_v2(scope, handle, ...) \
  sl_op_queue_size_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RandomGamma(shape: S, alpha: T) -> output: T
// seed: int = 0; seed2: int = 0; S: {int32, int64}; T: {half, float, double}
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_gamma_options_t;
static inline TF_Output sl_op_random_gamma_with(sl_scope_t *scope, TF_Output shape, TF_Output alpha,
    const sl_op_random_gamma_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomGamma", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, alpha);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_gamma(scope, shape, alpha, ...) \
  sl_op_random_gamma_with(SL_AT(scope), (shape), (alpha), SL_OPTIONS(sl_op_random_gamma_options_t, __VA_ARGS__))

// RandomGammaGrad(alpha: T, sample: T) -> output: T
// T: {float, double}
// Without a gradient.
static inline TF_Output sl_op_random_gamma_grad_with(sl_scope_t *scope, TF_Output alpha, TF_Output sample,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomGammaGrad", options->name);
  sl_node_input(node, alpha);
  sl_node_input(node, sample);
  return sl_node_output(node);
}
#define sl_op_random_gamma_grad(scope, alpha, sample, ...) \
  sl_op_random_gamma_grad_with(SL_AT(scope), (alpha), (sample), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RandomPoisson(shape: S, rate: dtype) -> output: dtype
// seed: int = 0; seed2: int = 0; S: {int32, int64}; dtype: {half, float, double}
// Stateful, without a gradient. Deprecated since GraphDef version 25: Replaced by RandomPoissonV2
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_poisson_options_t;
static inline TF_Output sl_op_random_poisson_with(sl_scope_t *scope, TF_Output shape, TF_Output rate,
    const sl_op_random_poisson_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomPoisson", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, rate);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_poisson(scope, shape, rate, ...) \
  sl_op_random_poisson_with(SL_AT(scope), (shape), (rate), SL_OPTIONS(sl_op_random_poisson_options_t, __VA_ARGS__))

// RandomPoissonV2(shape: S, rate: R) -> output: dtype
// seed: int = 0; seed2: int = 0; S: {int32, int64}; R: {half, float, double, int32, int64} = DT_DOUBLE; dtype: {half,
//   float, double, int32, int64} = DT_INT64
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
  TF_DataType dtype;
} sl_op_random_poisson_v2_options_t;
static inline TF_Output sl_op_random_poisson_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output rate,
    const sl_op_random_poisson_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomPoissonV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, rate);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_random_poisson_v2(scope, shape, rate, ...) \
  sl_op_random_poisson_v2_with(SL_AT(scope), (shape), (rate), SL_OPTIONS(sl_op_random_poisson_v2_options_t, \
    __VA_ARGS__))

// RandomShuffle(value: T) -> output: T
// seed: int = 0; seed2: int = 0; T: type
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_shuffle_options_t;
static inline TF_Output sl_op_random_shuffle_with(sl_scope_t *scope, TF_Output value,
    const sl_op_random_shuffle_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffle", options->name);
  sl_node_input(node, value);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_shuffle(scope, value, ...) \
  sl_op_random_shuffle_with(SL_AT(scope), (value), SL_OPTIONS(sl_op_random_shuffle_options_t, __VA_ARGS__))

// RandomShuffleQueue() -> handle: Ref(string)
// A queue that gives elements in random order.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; min_after_dequeue: int = 0;
//   seed: int = 0; seed2: int = 0; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  int64_t min_after_dequeue;
  int64_t seed;
  int64_t seed2;
  const char *container;
  const char *shared_name;
} sl_op_random_shuffle_queue_options_t;
static inline TF_Output sl_op_random_shuffle_queue_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_random_shuffle_queue_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffleQueue", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "min_after_dequeue", options->min_after_dequeue);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_random_shuffle_queue(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_random_shuffle_queue_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_random_shuffle_queue_options_t, .capacity = -1, __VA_ARGS__)))

// RandomShuffleQueueV2() -> handle: resource
// A queue that gives elements in random order.
// component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; capacity: int = -1; min_after_dequeue: int = 0;
//   seed: int = 0; seed2: int = 0; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_shapes_t shapes;
  int64_t capacity;
  int64_t min_after_dequeue;
  int64_t seed;
  int64_t seed2;
  const char *container;
  const char *shared_name;
} sl_op_random_shuffle_queue_v2_options_t;
static inline TF_Output sl_op_random_shuffle_queue_v2_with(sl_scope_t *scope, sl_op_types_t component_types,
    const sl_op_random_shuffle_queue_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomShuffleQueueV2", options->name);
  sl_node_attr_type_list(node, "component_types", component_types.values, component_types.count);
  if (options->shapes.values) sl_node_attr_shape_list(node, "shapes", options->shapes.values, options->shapes.count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "min_after_dequeue", options->min_after_dequeue);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_random_shuffle_queue_v2(scope, component_types, ...) \
  SL_OVER_DEFAULTS(sl_op_random_shuffle_queue_v2_with(SL_AT(scope), (component_types), SL_OPTIONS( \
    sl_op_random_shuffle_queue_v2_options_t, .capacity = -1, __VA_ARGS__)))

// RandomStandardNormal(shape: T) -> output: dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_standard_normal_options_t;
static inline TF_Output sl_op_random_standard_normal_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_random_standard_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomStandardNormal", options->name);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_random_standard_normal(scope, shape, dtype, ...) \
  sl_op_random_standard_normal_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS( \
    sl_op_random_standard_normal_options_t, __VA_ARGS__))

// RandomUniform(shape: T) -> output: dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_uniform_options_t;
static inline TF_Output sl_op_random_uniform_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_random_uniform_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomUniform", options->name);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_random_uniform(scope, shape, dtype, ...) \
  sl_op_random_uniform_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_random_uniform_options_t, __VA_ARGS__))

// RandomUniformInt(shape: T, minval: Tout, maxval: Tout) -> output: Tout
// seed: int = 0; seed2: int = 0; Tout: {int32, int64}; T: {int32, int64}
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_random_uniform_int_options_t;
static inline TF_Output sl_op_random_uniform_int_with(sl_scope_t *scope, TF_Output shape, TF_Output minval,
    TF_Output maxval, const sl_op_random_uniform_int_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RandomUniformInt", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, minval);
  sl_node_input(node, maxval);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  return sl_node_output(node);
}
#define sl_op_random_uniform_int(scope, shape, minval, maxval, ...) \
  sl_op_random_uniform_int_with(SL_AT(scope), (shape), (minval), (maxval), SL_OPTIONS( \
    sl_op_random_uniform_int_options_t, __VA_ARGS__))

// Range(start: Tidx, limit: Tidx, delta: Tidx) -> output: Tidx
// Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32} = DT_INT32
// Gradients stop here.
static inline TF_Output sl_op_range_with(sl_scope_t *scope, TF_Output start, TF_Output limit, TF_Output delta,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Range", options->name);
  sl_node_input(node, start);
  sl_node_input(node, limit);
  sl_node_input(node, delta);
  return sl_node_output(node);
}
#define sl_op_range(scope, start, limit, delta, ...) \
  sl_op_range_with(SL_AT(scope), (start), (limit), (delta), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Rank(input: T) -> output: int32
// The number of dimensions.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_rank_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Rank", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_rank(scope, input, ...) sl_op_rank_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReadFile(filename: string) -> contents: string
// The contents of a file.
// Without a gradient.
static inline TF_Output sl_op_read_file_with(sl_scope_t *scope, TF_Output filename, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReadFile", options->name);
  sl_node_input(node, filename);
  return sl_node_output(node);
}
#define sl_op_read_file(scope, filename, ...) \
  sl_op_read_file_with(SL_AT(scope), (filename), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReadVariableOp(resource: resource) -> value: dtype
// The value of a variable.
// dtype: type
// Stateful, differentiable.
static inline TF_Output sl_op_read_variable_op_with(sl_scope_t *scope, TF_Output resource, TF_DataType dtype,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReadVariableOp", options->name);
  sl_node_input(node, resource);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_read_variable_op(scope, resource, dtype, ...) \
  sl_op_read_variable_op_with(SL_AT(scope), (resource), (dtype), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumRecordsProduced(reader_handle: Ref(string)) -> records_produced: int64
// The number of records given.
// Gradients stop here.
static inline TF_Output sl_op_reader_num_records_produced_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumRecordsProduced", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_records_produced(scope, reader_handle, ...) \
  sl_op_reader_num_records_produced_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumRecordsProducedV2(reader_handle: resource) -> records_produced: int64
// The number of records given.
// Stateful, without a gradient.
static inline TF_Output sl_op_reader_num_records_produced_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumRecordsProducedV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_records_produced_v2(scope, reader_handle, ...) \
  sl_op_reader_num_records_produced_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumWorkUnitsCompleted(reader_handle: Ref(string)) -> units_completed: int64
// The number of work units read to their end.
// Gradients stop here.
static inline TF_Output sl_op_reader_num_work_units_completed_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumWorkUnitsCompleted", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_work_units_completed(scope, reader_handle, ...) \
  sl_op_reader_num_work_units_completed_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderNumWorkUnitsCompletedV2(reader_handle: resource) -> units_completed: int64
// The number of work units read to their end.
// Stateful, without a gradient.
static inline TF_Output sl_op_reader_num_work_units_completed_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderNumWorkUnitsCompletedV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_num_work_units_completed_v2(scope, reader_handle, ...) \
  sl_op_reader_num_work_units_completed_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ReaderRead(reader_handle: Ref(string), queue_handle: Ref(string)) -> key: string, value: string
// The next record.
// Gradients stop here.
typedef struct {
  TF_Output key;
  TF_Output value;
} sl_op_reader_read_t;
static inline sl_op_reader_read_t sl_op_reader_read_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output queue_handle, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderRead", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_t result;
  result.key = sl_op_output(operation, 0);
  result.value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read(scope, reader_handle, queue_handle, ...) \
  sl_op_reader_read_with(SL_AT(scope), (reader_handle), (queue_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderReadUpTo(reader_handle: Ref(string), queue_handle: Ref(string), num_records: int64) -> keys: string, values:
//   string
// Up to num_records next records of a file.
// Gradients stop here.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_reader_read_up_to_t;
static inline sl_op_reader_read_up_to_t sl_op_reader_read_up_to_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output queue_handle, TF_Output num_records, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadUpTo", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  sl_node_input(node, num_records);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_up_to_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read_up_to(scope, reader_handle, queue_handle, num_records, ...) \
  sl_op_reader_read_up_to_with(SL_AT(scope), (reader_handle), (queue_handle), (num_records), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ReaderReadUpToV2(reader_handle: resource, queue_handle: resource, num_records: int64) -> keys: string, values:
//   string
// Up to num_records next records of a file.
// Stateful, without a gradient.
typedef struct {
  TF_Output keys;
  TF_Output values;
} sl_op_reader_read_up_to_v2_t;
static inline sl_op_reader_read_up_to_v2_t sl_op_reader_read_up_to_v2_with(sl_scope_t *scope,
    TF_Output reader_handle, TF_Output queue_handle, TF_Output num_records, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadUpToV2", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  sl_node_input(node, num_records);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_up_to_v2_t result;
  result.keys = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read_up_to_v2(scope, reader_handle, queue_handle, num_records, ...) \
  sl_op_reader_read_up_to_v2_with(SL_AT(scope), (reader_handle), (queue_handle), (num_records), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ReaderReadV2(reader_handle: resource, queue_handle: resource) -> key: string, value: string
// The next record.
// Stateful, without a gradient.
typedef struct {
  TF_Output key;
  TF_Output value;
} sl_op_reader_read_v2_t;
static inline sl_op_reader_read_v2_t sl_op_reader_read_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output queue_handle, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReadV2", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, queue_handle);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_reader_read_v2_t result;
  result.key = sl_op_output(operation, 0);
  result.value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_reader_read_v2(scope, reader_handle, queue_handle, ...) \
  sl_op_reader_read_v2_with(SL_AT(scope), (reader_handle), (queue_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderReset(reader_handle: Ref(string))
// Brings a reader back to its start.
// Gradients stop here.
static inline TF_Operation *sl_op_reader_reset_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderReset", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_finish(node);
}
#define sl_op_reader_reset(scope, reader_handle, ...) \
  sl_op_reader_reset_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderResetV2(reader_handle: resource)
// Brings a reader back to its start.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_reader_reset_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderResetV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_finish(node);
}
#define sl_op_reader_reset_v2(scope, reader_handle, ...) \
  sl_op_reader_reset_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderRestoreState(reader_handle: Ref(string), state: string)
// Restores the state of a reader.
// Gradients stop here.
static inline TF_Operation *sl_op_reader_restore_state_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output state, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderRestoreState", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, state);
  return sl_node_finish(node);
}
#define sl_op_reader_restore_state(scope, reader_handle, state, ...) \
  sl_op_reader_restore_state_with(SL_AT(scope), (reader_handle), (state), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderRestoreStateV2(reader_handle: resource, state: string)
// Restores the state of a reader.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_reader_restore_state_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    TF_Output state, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderRestoreStateV2", options->name);
  sl_node_input(node, reader_handle);
  sl_node_input(node, state);
  return sl_node_finish(node);
}
#define sl_op_reader_restore_state_v2(scope, reader_handle, state, ...) \
  sl_op_reader_restore_state_v2_with(SL_AT(scope), (reader_handle), (state), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderSerializeState(reader_handle: Ref(string)) -> state: string
// The state of a reader.
// Gradients stop here.
static inline TF_Output sl_op_reader_serialize_state_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderSerializeState", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_serialize_state(scope, reader_handle, ...) \
  sl_op_reader_serialize_state_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReaderSerializeStateV2(reader_handle: resource) -> state: string
// The state of a reader.
// Stateful, without a gradient.
static inline TF_Output sl_op_reader_serialize_state_v2_with(sl_scope_t *scope, TF_Output reader_handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReaderSerializeStateV2", options->name);
  sl_node_input(node, reader_handle);
  return sl_node_output(node);
}
#define sl_op_reader_serialize_state_v2(scope, reader_handle, ...) \
  sl_op_reader_serialize_state_v2_with(SL_AT(scope), (reader_handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Real(input: T) -> output: Tout
// T: {complex64, complex128} = DT_COMPLEX64; Tout: {float, double} = DT_FLOAT
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType Tout;
} sl_op_real_options_t;
static inline TF_Output sl_op_real_with(sl_scope_t *scope, TF_Output input, const sl_op_real_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Real", options->name);
  sl_node_input(node, input);
  if (options->Tout) sl_node_attr_type(node, "Tout", options->Tout);
  return sl_node_output(node);
}
#define sl_op_real(scope, input, ...) \
  sl_op_real_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_real_options_t, __VA_ARGS__))

// RealDiv(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_real_div_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RealDiv", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_real_div(scope, x, y, ...) \
  sl_op_real_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Reciprocal(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_reciprocal_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Reciprocal", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_reciprocal(scope, x, ...) \
  sl_op_reciprocal_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReciprocalGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_reciprocal_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReciprocalGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_reciprocal_grad(scope, y, dy, ...) \
  sl_op_reciprocal_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReduceJoin(inputs: string, reduction_indices: int32) -> output: string
// Joins strings along dimensions.
// keep_dims: bool = false; separator: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
  const char *separator;
} sl_op_reduce_join_options_t;
static inline TF_Output sl_op_reduce_join_with(sl_scope_t *scope, TF_Output inputs, TF_Output reduction_indices,
    const sl_op_reduce_join_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReduceJoin", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  if (options->separator) sl_node_attr_text(node, "separator", options->separator);
  return sl_node_output(node);
}
#define sl_op_reduce_join(scope, inputs, reduction_indices, ...) \
  sl_op_reduce_join_with(SL_AT(scope), (inputs), (reduction_indices), SL_OPTIONS(sl_op_reduce_join_options_t, \
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

// RefIdentity(input: Ref(T)) -> output: Ref(T)
// The same reference.
// T: type
// Differentiable.
static inline TF_Output sl_op_ref_identity_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RefIdentity", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_ref_identity(scope, input, ...) \
  sl_op_ref_identity_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

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
// Takes a reference into the next turn of a loop.
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
// Without a gradient.
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

// Relu(features: T) -> activations: T
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}
// Differentiable.
static inline TF_Output sl_op_relu_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Relu", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu(scope, features, ...) \
  sl_op_relu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Relu6(features: T) -> activations: T
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_relu6_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Relu6", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu6(scope, features, ...) \
  sl_op_relu6_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Relu6Grad(gradients: T, features: T) -> backprops: T
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_relu6_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Relu6Grad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu6_grad(scope, gradients, features, ...) \
  sl_op_relu6_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReluGrad(gradients: T, features: T) -> backprops: T
// T: realnumbertype
// Differentiable.
static inline TF_Output sl_op_relu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_relu_grad(scope, gradients, features, ...) \
  sl_op_relu_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Reshape(tensor: T, shape: Tshape) -> output: T
// The same elements under another shape.
// T: type; Tshape: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_reshape_with(sl_scope_t *scope, TF_Output tensor, TF_Output shape,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Reshape", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, shape);
  return sl_node_output(node);
}
#define sl_op_reshape(scope, tensor, shape, ...) \
  sl_op_reshape_with(SL_AT(scope), (tensor), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorApplyGradient(handle: resource, local_step: int64, gradient: dtype)
// Adds a gradient, unless it is stale.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_accumulator_apply_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output local_step, TF_Output gradient, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorApplyGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, local_step);
  sl_node_input(node, gradient);
  return sl_node_finish(node);
}
#define sl_op_resource_accumulator_apply_gradient(scope, handle, local_step, gradient, ...) \
  sl_op_resource_accumulator_apply_gradient_with(SL_AT(scope), (handle), (local_step), (gradient), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorNumAccumulated(handle: resource) -> num_accumulated: int32
// The number of gradients since the last take.
// Stateful, without a gradient.
static inline TF_Output sl_op_resource_accumulator_num_accumulated_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorNumAccumulated", options->name);
  sl_node_input(node, handle);
  return sl_node_output(node);
}
#define sl_op_resource_accumulator_num_accumulated(scope, handle, ...) \
  sl_op_resource_accumulator_num_accumulated_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorSetGlobalStep(handle: resource, new_global_step: int64)
// Sets the step below which gradients are stale.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_accumulator_set_global_step_with(sl_scope_t *scope, TF_Output handle,
    TF_Output new_global_step, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorSetGlobalStep", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, new_global_step);
  return sl_node_finish(node);
}
#define sl_op_resource_accumulator_set_global_step(scope, handle, new_global_step, ...) \
  sl_op_resource_accumulator_set_global_step_with(SL_AT(scope), (handle), (new_global_step), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ResourceAccumulatorTakeGradient(handle: resource, num_required: int32) -> average: dtype
// Takes the mean or sum once enough gradients have come.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Stateful, without a gradient.
static inline TF_Output sl_op_resource_accumulator_take_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output num_required, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceAccumulatorTakeGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_required);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_resource_accumulator_take_gradient(scope, handle, num_required, dtype, ...) \
  sl_op_resource_accumulator_take_gradient_with(SL_AT(scope), (handle), (num_required), (dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// ResourceApplyAdaMax(var: resource, m: resource, v: resource, beta1_power: T, lr: T, beta1: T, beta2: T, epsilon: T,
//   grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_ada_max_options_t;
static inline TF_Operation *sl_op_resource_apply_ada_max_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output v, TF_Output beta1_power, TF_Output lr, TF_Output beta1, TF_Output beta2, TF_Output epsilon,
    TF_Output grad, const sl_op_resource_apply_ada_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdaMax", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_ada_max(scope, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, ...) \
  sl_op_resource_apply_ada_max_with(SL_AT(scope), (var), (m), (v), (beta1_power), (lr), (beta1), (beta2), (epsilon), ( \
    grad), SL_OPTIONS(sl_op_resource_apply_ada_max_options_t, __VA_ARGS__))

// ResourceApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_adadelta_options_t;
static inline TF_Operation *sl_op_resource_apply_adadelta_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad,
    const sl_op_resource_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, ...) \
  sl_op_resource_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), (grad), \
    SL_OPTIONS(sl_op_resource_apply_adadelta_options_t, __VA_ARGS__))

// ResourceApplyAdagrad(var: resource, accum: resource, lr: T, grad: T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_apply_adagrad_options_t;
static inline TF_Operation *sl_op_resource_apply_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, const sl_op_resource_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adagrad(scope, var, accum, lr, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), SL_OPTIONS( \
    sl_op_resource_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource, grad:
//   T, lr: T, l1: T, l2: T, global_step: int64)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_adagrad_da_options_t;
static inline TF_Operation *sl_op_resource_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var,
    TF_Output gradient_accumulator, TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output lr,
    TF_Output l1, TF_Output l2, TF_Output global_step, const sl_op_resource_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, \
    l1, l2, global_step, ...) \
  sl_op_resource_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), (gradient_squared_accumulator), ( \
    grad), (lr), (l1), (l2), (global_step), SL_OPTIONS(sl_op_resource_apply_adagrad_da_options_t, __VA_ARGS__))

// ResourceApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false; update_slots: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_apply_adagrad_v2_options_t;
static inline TF_Operation *sl_op_resource_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output epsilon, TF_Output grad, const sl_op_resource_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), \
    SL_OPTIONS(sl_op_resource_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceApplyAdam(var: resource, m: resource, v: resource, beta1_power: T, beta2_power: T, lr: T, beta1: T, beta2:
//   T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_apply_adam_options_t;
static inline TF_Operation *sl_op_resource_apply_adam_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output v, TF_Output beta1_power, TF_Output beta2_power, TF_Output lr, TF_Output beta1, TF_Output beta2,
    TF_Output epsilon, TF_Output grad, const sl_op_resource_apply_adam_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdam", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, beta1_power);
  sl_node_input(node, beta2_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adam(scope, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, \
    ...) \
  sl_op_resource_apply_adam_with(SL_AT(scope), (var), (m), (v), (beta1_power), (beta2_power), (lr), (beta1), (beta2), \
    (epsilon), (grad), SL_OPTIONS(sl_op_resource_apply_adam_options_t, __VA_ARGS__))

// ResourceApplyAdamWithAmsgrad(var: resource, m: resource, v: resource, vhat: resource, beta1_power: T, beta2_power:
//   T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_adam_with_amsgrad_options_t;
static inline TF_Operation *sl_op_resource_apply_adam_with_amsgrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output m, TF_Output v, TF_Output vhat, TF_Output beta1_power, TF_Output beta2_power, TF_Output lr,
    TF_Output beta1, TF_Output beta2, TF_Output epsilon, TF_Output grad,
    const sl_op_resource_apply_adam_with_amsgrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAdamWithAmsgrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, v);
  sl_node_input(node, vhat);
  sl_node_input(node, beta1_power);
  sl_node_input(node, beta2_power);
  sl_node_input(node, lr);
  sl_node_input(node, beta1);
  sl_node_input(node, beta2);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_adam_with_amsgrad(scope, var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, \
    epsilon, grad, ...) \
  sl_op_resource_apply_adam_with_amsgrad_with(SL_AT(scope), (var), (m), (v), (vhat), (beta1_power), (beta2_power), ( \
    lr), (beta1), (beta2), (epsilon), (grad), SL_OPTIONS(sl_op_resource_apply_adam_with_amsgrad_options_t, \
    __VA_ARGS__))

// ResourceApplyAddSign(var: resource, m: resource, lr: T, alpha: T, sign_decay: T, beta: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_add_sign_options_t;
static inline TF_Operation *sl_op_resource_apply_add_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output lr, TF_Output alpha, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_resource_apply_add_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyAddSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, alpha);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_add_sign(scope, var, m, lr, alpha, sign_decay, beta, grad, ...) \
  sl_op_resource_apply_add_sign_with(SL_AT(scope), (var), (m), (lr), (alpha), (sign_decay), (beta), (grad), \
    SL_OPTIONS(sl_op_resource_apply_add_sign_options_t, __VA_ARGS__))

// ResourceApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T,
//   epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_centered_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var,
    TF_Output mg, TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon,
    TF_Output grad, const sl_op_resource_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_resource_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), ( \
    epsilon), (grad), SL_OPTIONS(sl_op_resource_apply_centered_rms_prop_options_t, __VA_ARGS__))

// ResourceApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, lr_power: T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_apply_ftrl_options_t;
static inline TF_Operation *sl_op_resource_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output lr_power,
    const sl_op_resource_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_ftrl(scope, var, accum, linear, grad, lr, l1, l2, lr_power, ...) \
  sl_op_resource_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (lr_power), \
    SL_OPTIONS(sl_op_resource_apply_ftrl_options_t, __VA_ARGS__))

// ResourceApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, lr: T, l1: T, l2: T, l2_shrinkage:
//   T, lr_power: T)
// T: numbertype; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_apply_ftrl_v2_options_t;
static inline TF_Operation *sl_op_resource_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output l2_shrinkage,
    TF_Output lr_power, const sl_op_resource_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_ftrl_v2(scope, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, ...) \
  sl_op_resource_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (lr), (l1), (l2), (l2_shrinkage), \
    (lr_power), SL_OPTIONS(sl_op_resource_apply_ftrl_v2_options_t, __VA_ARGS__))

// ResourceApplyGradientDescent(var: resource, alpha: T, delta: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_gradient_descent_options_t;
static inline TF_Operation *sl_op_resource_apply_gradient_descent_with(sl_scope_t *scope, TF_Output var,
    TF_Output alpha, TF_Output delta, const sl_op_resource_apply_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_gradient_descent(scope, var, alpha, delta, ...) \
  sl_op_resource_apply_gradient_descent_with(SL_AT(scope), (var), (alpha), (delta), SL_OPTIONS( \
    sl_op_resource_apply_gradient_descent_options_t, __VA_ARGS__))

// ResourceApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_apply_keras_momentum_options_t;
static inline TF_Operation *sl_op_resource_apply_keras_momentum_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output momentum,
    const sl_op_resource_apply_keras_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyKerasMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_keras_momentum(scope, var, accum, lr, grad, momentum, ...) \
  sl_op_resource_apply_keras_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (momentum), SL_OPTIONS( \
    sl_op_resource_apply_keras_momentum_options_t, __VA_ARGS__))

// ResourceApplyMomentum(var: resource, accum: resource, lr: T, grad: T, momentum: T)
// T: numbertype; use_locking: bool = false; use_nesterov: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_apply_momentum_options_t;
static inline TF_Operation *sl_op_resource_apply_momentum_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, TF_Output momentum, const sl_op_resource_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_momentum(scope, var, accum, lr, grad, momentum, ...) \
  sl_op_resource_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (momentum), SL_OPTIONS( \
    sl_op_resource_apply_momentum_options_t, __VA_ARGS__))

// ResourceApplyPowerSign(var: resource, m: resource, lr: T, logbase: T, sign_decay: T, beta: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_power_sign_options_t;
static inline TF_Operation *sl_op_resource_apply_power_sign_with(sl_scope_t *scope, TF_Output var, TF_Output m,
    TF_Output lr, TF_Output logbase, TF_Output sign_decay, TF_Output beta, TF_Output grad,
    const sl_op_resource_apply_power_sign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyPowerSign", options->name);
  sl_node_input(node, var);
  sl_node_input(node, m);
  sl_node_input(node, lr);
  sl_node_input(node, logbase);
  sl_node_input(node, sign_decay);
  sl_node_input(node, beta);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_power_sign(scope, var, m, lr, logbase, sign_decay, beta, grad, ...) \
  sl_op_resource_apply_power_sign_with(SL_AT(scope), (var), (m), (lr), (logbase), (sign_decay), (beta), (grad), \
    SL_OPTIONS(sl_op_resource_apply_power_sign_options_t, __VA_ARGS__))

// ResourceApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_proximal_adagrad_options_t;
static inline TF_Operation *sl_op_resource_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad,
    const sl_op_resource_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, ...) \
  sl_op_resource_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), SL_OPTIONS( \
    sl_op_resource_apply_proximal_adagrad_options_t, __VA_ARGS__))

// ResourceApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, delta: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_proximal_gradient_descent_options_t;
static inline TF_Operation *sl_op_resource_apply_proximal_gradient_descent_with(sl_scope_t *scope, TF_Output var,
    TF_Output alpha, TF_Output l1, TF_Output l2, TF_Output delta,
    const sl_op_resource_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, delta);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, delta, ...) \
  sl_op_resource_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (delta), SL_OPTIONS( \
    sl_op_resource_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// ResourceApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T, grad: T)
// T: numbertype; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_apply_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms,
    TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    const sl_op_resource_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, ...) \
  sl_op_resource_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), (grad), \
    SL_OPTIONS(sl_op_resource_apply_rms_prop_options_t, __VA_ARGS__))

// ResourceConditionalAccumulator() -> handle: resource
// An accumulator of gradients.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; shared_name: string =
//   ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *reduction_type;
} sl_op_resource_conditional_accumulator_options_t;
static inline TF_Output sl_op_resource_conditional_accumulator_with(sl_scope_t *scope, TF_DataType dtype,
    sl_shape_t shape, const sl_op_resource_conditional_accumulator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceConditionalAccumulator", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->reduction_type) sl_node_attr_text(node, "reduction_type", options->reduction_type);
  return sl_node_output(node);
}
#define sl_op_resource_conditional_accumulator(scope, dtype, shape, ...) \
  sl_op_resource_conditional_accumulator_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS( \
    sl_op_resource_conditional_accumulator_options_t, __VA_ARGS__))

// ResourceCountUpTo(resource: resource) -> output: T
// Increments a variable up to a limit.
// limit: int; T: {int32, int64}
// Stateful, without a gradient.
static inline TF_Output sl_op_resource_count_up_to_with(sl_scope_t *scope, TF_Output resource, int64_t limit,
    TF_DataType T, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceCountUpTo", options->name);
  sl_node_input(node, resource);
  sl_node_attr_int(node, "limit", limit);
  sl_node_attr_type(node, "T", T);
  return sl_node_output(node);
}
#define sl_op_resource_count_up_to(scope, resource, limit, T, ...) \
  sl_op_resource_count_up_to_with(SL_AT(scope), (resource), (limit), (T), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ResourceGather(resource: resource, indices: Tindices) -> output: dtype
// Rows of a variable, picked by index.
// batch_dims: int = 0; validate_indices: bool = true; dtype: type; Tindices: {int32, int64}
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t batch_dims;
  bool validate_indices;
} sl_op_resource_gather_options_t;
static inline TF_Output sl_op_resource_gather_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_DataType dtype, const sl_op_resource_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceGather", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_attr_int(node, "batch_dims", options->batch_dims);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_resource_gather(scope, resource, indices, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_gather_with(SL_AT(scope), (resource), (indices), (dtype), SL_OPTIONS( \
    sl_op_resource_gather_options_t, .validate_indices = true, __VA_ARGS__)))

// ResourceGatherNd(resource: resource, indices: Tindices) -> output: dtype
// Slices of a variable, picked by index vectors.
// dtype: type; Tindices: {int32, int64}
// Stateful, differentiable.
static inline TF_Output sl_op_resource_gather_nd_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceGatherNd", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_resource_gather_nd(scope, resource, indices, dtype, ...) \
  sl_op_resource_gather_nd_with(SL_AT(scope), (resource), (indices), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype)
// Adds to rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_add_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterAdd", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_add(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_add_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterDiv(resource: resource, indices: Tindices, updates: dtype)
// Divides rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_div_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterDiv", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_div(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_div_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterMax(resource: resource, indices: Tindices, updates: dtype)
// The greater of rows of a variable and of updates.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_max_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterMax", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_max(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_max_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterMin(resource: resource, indices: Tindices, updates: dtype)
// The lesser of rows of a variable and of updates.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_min_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterMin", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_min(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_min_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterMul(resource: resource, indices: Tindices, updates: dtype)
// Multiplies rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_mul_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterMul", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_mul(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_mul_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterNdAdd(ref: resource, indices: Tindices, updates: T)
// Adds to slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_add_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_add_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_add(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_add_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_add_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdMax(ref: resource, indices: Tindices, updates: T)
// The greater of a variable and slices.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_max_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_max_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdMax", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_max(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_max_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_max_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdMin(ref: resource, indices: Tindices, updates: T)
// The lesser of a variable and slices.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_min_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_min_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdMin", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_min(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_min_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_min_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdSub(ref: resource, indices: Tindices, updates: T)
// Subtracts from slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_sub_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_resource_scatter_nd_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_sub(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_sub_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_sub_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterNdUpdate(ref: resource, indices: Tindices, updates: T)
// Sets slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_scatter_nd_update_options_t;
static inline TF_Operation *sl_op_resource_scatter_nd_update_with(sl_scope_t *scope, TF_Output ref,
    TF_Output indices, TF_Output updates, const sl_op_resource_scatter_nd_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterNdUpdate", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_nd_update(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_scatter_nd_update_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_resource_scatter_nd_update_options_t, .use_locking = true, __VA_ARGS__)))

// ResourceScatterSub(resource: resource, indices: Tindices, updates: dtype)
// Subtracts from rows of a variable.
// dtype: numbertype; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_sub_with(sl_scope_t *scope, TF_Output resource, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterSub", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_sub(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_sub_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceScatterUpdate(resource: resource, indices: Tindices, updates: dtype)
// Sets rows of a variable.
// dtype: type; Tindices: {int32, int64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_resource_scatter_update_with(sl_scope_t *scope, TF_Output resource,
    TF_Output indices, TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceScatterUpdate", options->name);
  sl_node_input(node, resource);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_finish(node);
}
#define sl_op_resource_scatter_update(scope, resource, indices, updates, ...) \
  sl_op_resource_scatter_update_with(SL_AT(scope), (resource), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ResourceSparseApplyAdadelta(var: resource, accum: resource, accum_update: resource, lr: T, rho: T, epsilon: T,
//   grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_adadelta_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adadelta_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_resource_sparse_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, indices, \
    ...) \
  sl_op_resource_sparse_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), ( \
    grad), (indices), SL_OPTIONS(sl_op_resource_sparse_apply_adadelta_options_t, __VA_ARGS__))

// ResourceSparseApplyAdagrad(var: resource, accum: resource, lr: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_sparse_apply_adagrad_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adagrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adagrad(scope, var, accum, lr, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_sparse_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), \
    SL_OPTIONS(sl_op_resource_sparse_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceSparseApplyAdagradDA(var: resource, gradient_accumulator: resource, gradient_squared_accumulator: resource,
//   grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_adagrad_da_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var,
    TF_Output gradient_accumulator, TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output indices,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output global_step,
    const sl_op_resource_sparse_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, \
    grad, indices, lr, l1, l2, global_step, ...) \
  sl_op_resource_sparse_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), ( \
    gradient_squared_accumulator), (grad), (indices), (lr), (l1), (l2), (global_step), SL_OPTIONS( \
    sl_op_resource_sparse_apply_adagrad_da_options_t, __VA_ARGS__))

// ResourceSparseApplyAdagradV2(var: resource, accum: resource, lr: T, epsilon: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_resource_sparse_apply_adagrad_v2_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output epsilon, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_resource_sparse_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), \
    (indices), SL_OPTIONS(sl_op_resource_sparse_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// ResourceSparseApplyCenteredRMSProp(var: resource, mg: resource, ms: resource, mom: resource, lr: T, rho: T,
//   momentum: T, epsilon: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_centered_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var,
    TF_Output mg, TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon,
    TF_Output grad, TF_Output indices, const sl_op_resource_sparse_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, \
    indices, ...) \
  sl_op_resource_sparse_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), \
    (epsilon), (grad), (indices), SL_OPTIONS(sl_op_resource_sparse_apply_centered_rms_prop_options_t, __VA_ARGS__))

// ResourceSparseApplyFtrl(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1: T,
//   l2: T, lr_power: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_sparse_apply_ftrl_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output lr_power, const sl_op_resource_sparse_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_ftrl(scope, var, accum, linear, grad, indices, lr, l1, l2, lr_power, ...) \
  sl_op_resource_sparse_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), (l2), ( \
    lr_power), SL_OPTIONS(sl_op_resource_sparse_apply_ftrl_options_t, __VA_ARGS__))

// ResourceSparseApplyFtrlV2(var: resource, accum: resource, linear: resource, grad: T, indices: Tindices, lr: T, l1:
//   T, l2: T, l2_shrinkage: T, lr_power: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_resource_sparse_apply_ftrl_v2_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output l2_shrinkage, TF_Output lr_power, const sl_op_resource_sparse_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_ftrl_v2(scope, var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, \
    lr_power, ...) \
  sl_op_resource_sparse_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), ( \
    l2), (l2_shrinkage), (lr_power), SL_OPTIONS(sl_op_resource_sparse_apply_ftrl_v2_options_t, __VA_ARGS__))

// ResourceSparseApplyKerasMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_sparse_apply_keras_momentum_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_keras_momentum_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output indices, TF_Output momentum,
    const sl_op_resource_sparse_apply_keras_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyKerasMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_keras_momentum(scope, var, accum, lr, grad, indices, momentum, ...) \
  sl_op_resource_sparse_apply_keras_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), (momentum), \
    SL_OPTIONS(sl_op_resource_sparse_apply_keras_momentum_options_t, __VA_ARGS__))

// ResourceSparseApplyMomentum(var: resource, accum: resource, lr: T, grad: T, indices: Tindices, momentum: T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_resource_sparse_apply_momentum_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_momentum_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output grad, TF_Output indices, TF_Output momentum,
    const sl_op_resource_sparse_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_momentum(scope, var, accum, lr, grad, indices, momentum, ...) \
  sl_op_resource_sparse_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), (momentum), \
    SL_OPTIONS(sl_op_resource_sparse_apply_momentum_options_t, __VA_ARGS__))

// ResourceSparseApplyProximalAdagrad(var: resource, accum: resource, lr: T, l1: T, l2: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_proximal_adagrad_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var,
    TF_Output accum, TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, indices, ...) \
  sl_op_resource_sparse_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), ( \
    indices), SL_OPTIONS(sl_op_resource_sparse_apply_proximal_adagrad_options_t, __VA_ARGS__))

// ResourceSparseApplyProximalGradientDescent(var: resource, alpha: T, l1: T, l2: T, grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_proximal_gradient_descent_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_proximal_gradient_descent_with(sl_scope_t *scope,
    TF_Output var, TF_Output alpha, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_resource_sparse_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, grad, indices, ...) \
  sl_op_resource_sparse_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (grad), ( \
    indices), SL_OPTIONS(sl_op_resource_sparse_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// ResourceSparseApplyRMSProp(var: resource, ms: resource, mom: resource, lr: T, rho: T, momentum: T, epsilon: T,
//   grad: T, indices: Tindices)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_resource_sparse_apply_rms_prop_options_t;
static inline TF_Operation *sl_op_resource_sparse_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms,
    TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_resource_sparse_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceSparseApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_finish(node);
}
#define sl_op_resource_sparse_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, indices, ...) \
  sl_op_resource_sparse_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), ( \
    grad), (indices), SL_OPTIONS(sl_op_resource_sparse_apply_rms_prop_options_t, __VA_ARGS__))

// ResourceStridedSliceAssign(ref: resource, begin: Index, end: Index, strides: Index, value: T)
// Sets a slice of a variable.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_resource_strided_slice_assign_options_t;
static inline TF_Operation *sl_op_resource_strided_slice_assign_with(sl_scope_t *scope, TF_Output ref,
    TF_Output begin, TF_Output end, TF_Output strides, TF_Output value,
    const sl_op_resource_strided_slice_assign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ResourceStridedSliceAssign", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, value);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_finish(node);
}
#define sl_op_resource_strided_slice_assign(scope, ref, begin, end, strides, value, ...) \
  sl_op_resource_strided_slice_assign_with(SL_AT(scope), (ref), (begin), (end), (strides), (value), SL_OPTIONS( \
    sl_op_resource_strided_slice_assign_options_t, __VA_ARGS__))

// Restore(file_pattern: string, tensor_name: string) -> tensor: dt
// Reads a tensor from a checkpoint.
// dt: type; preferred_shard: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t preferred_shard;
} sl_op_restore_options_t;
static inline TF_Output sl_op_restore_with(sl_scope_t *scope, TF_Output file_pattern, TF_Output tensor_name,
    TF_DataType dt, const sl_op_restore_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Restore", options->name);
  sl_node_input(node, file_pattern);
  sl_node_input(node, tensor_name);
  sl_node_attr_type(node, "dt", dt);
  sl_node_attr_int(node, "preferred_shard", options->preferred_shard);
  return sl_node_output(node);
}
#define sl_op_restore(scope, file_pattern, tensor_name, dt, ...) \
  SL_OVER_DEFAULTS(sl_op_restore_with(SL_AT(scope), (file_pattern), (tensor_name), (dt), SL_OPTIONS( \
    sl_op_restore_options_t, .preferred_shard = -1, __VA_ARGS__)))

// RestoreSlice(file_pattern: string, tensor_name: string, shape_and_slice: string) -> tensor: dt
// Reads a slice of a tensor from a checkpoint.
// dt: type; preferred_shard: int = -1
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t preferred_shard;
} sl_op_restore_slice_options_t;
static inline TF_Output sl_op_restore_slice_with(sl_scope_t *scope, TF_Output file_pattern, TF_Output tensor_name,
    TF_Output shape_and_slice, TF_DataType dt, const sl_op_restore_slice_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RestoreSlice", options->name);
  sl_node_input(node, file_pattern);
  sl_node_input(node, tensor_name);
  sl_node_input(node, shape_and_slice);
  sl_node_attr_type(node, "dt", dt);
  sl_node_attr_int(node, "preferred_shard", options->preferred_shard);
  return sl_node_output(node);
}
#define sl_op_restore_slice(scope, file_pattern, tensor_name, shape_and_slice, dt, ...) \
  SL_OVER_DEFAULTS(sl_op_restore_slice_with(SL_AT(scope), (file_pattern), (tensor_name), (shape_and_slice), (dt), \
    SL_OPTIONS(sl_op_restore_slice_options_t, .preferred_shard = -1, __VA_ARGS__)))

// RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> tensors: dtypes
// Reads tensors from a V2 or V1 checkpoint.
// dtypes: list(type) >= 1
// Stateful, without a gradient.
static inline sl_op_list_t sl_op_restore_v2_with(sl_scope_t *scope, TF_Output prefix, TF_Output tensor_names,
    TF_Output shape_and_slices, sl_op_types_t dtypes, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RestoreV2", options->name);
  sl_node_input(node, prefix);
  sl_node_input(node, tensor_names);
  sl_node_input(node, shape_and_slices);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "tensors", 0);
}
#define sl_op_restore_v2(scope, prefix, tensor_names, shape_and_slices, dtypes, ...) \
  sl_op_restore_v2_with(SL_AT(scope), (prefix), (tensor_names), (shape_and_slices), (dtypes), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// Reverse(tensor: T, dims: bool) -> output: T
// Marked dimensions reversed.
// T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, complex64,
//   complex128, string}
// Differentiable.
static inline TF_Output sl_op_reverse_with(sl_scope_t *scope, TF_Output tensor, TF_Output dims,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Reverse", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, dims);
  return sl_node_output(node);
}
#define sl_op_reverse(scope, tensor, dims, ...) \
  sl_op_reverse_with(SL_AT(scope), (tensor), (dims), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReverseSequence(input: T, seq_lengths: Tlen) -> output: T
// Sequences of a batch reversed, each to its length.
// seq_dim: int; batch_dim: int = 0; T: type; Tlen: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t batch_dim;
} sl_op_reverse_sequence_options_t;
static inline TF_Output sl_op_reverse_sequence_with(sl_scope_t *scope, TF_Output input, TF_Output seq_lengths,
    int64_t seq_dim, const sl_op_reverse_sequence_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReverseSequence", options->name);
  sl_node_input(node, input);
  sl_node_input(node, seq_lengths);
  sl_node_attr_int(node, "seq_dim", seq_dim);
  sl_node_attr_int(node, "batch_dim", options->batch_dim);
  return sl_node_output(node);
}
#define sl_op_reverse_sequence(scope, input, seq_lengths, seq_dim, ...) \
  sl_op_reverse_sequence_with(SL_AT(scope), (input), (seq_lengths), (seq_dim), SL_OPTIONS( \
    sl_op_reverse_sequence_options_t, __VA_ARGS__))

// ReverseV2(tensor: T, axis: Tidx) -> output: T
// Listed dimensions reversed.
// Tidx: {int32, int64} = DT_INT32; T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, bfloat16,
//   half, float, double, complex64, complex128, string}
// Differentiable.
static inline TF_Output sl_op_reverse_v2_with(sl_scope_t *scope, TF_Output tensor, TF_Output axis,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReverseV2", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, axis);
  return sl_node_output(node);
}
#define sl_op_reverse_v2(scope, tensor, axis, ...) \
  sl_op_reverse_v2_with(SL_AT(scope), (tensor), (axis), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RightShift(x: T, y: T) -> z: T
// T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_right_shift_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RightShift", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_right_shift(scope, x, y, ...) \
  sl_op_right_shift_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Rint(x: T) -> y: T
// T: {bfloat16, half, float, double}
// Differentiable.
static inline TF_Output sl_op_rint_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Rint", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_rint(scope, x, ...) sl_op_rint_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Roll(input: T, shift: Tshift, axis: Taxis) -> output: T
// Elements shifted around.
// T: type; Tshift: {int32, int64}; Taxis: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_roll_with(sl_scope_t *scope, TF_Output input, TF_Output shift, TF_Output axis,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Roll", options->name);
  sl_node_input(node, input);
  sl_node_input(node, shift);
  sl_node_input(node, axis);
  return sl_node_output(node);
}
#define sl_op_roll(scope, input, shift, axis, ...) \
  sl_op_roll_with(SL_AT(scope), (input), (shift), (axis), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Round(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_round_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Round", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_round(scope, x, ...) sl_op_round_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Rsqrt(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_rsqrt_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Rsqrt", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_rsqrt(scope, x, ...) sl_op_rsqrt_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RsqrtGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_rsqrt_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RsqrtGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_rsqrt_grad(scope, y, dy, ...) \
  sl_op_rsqrt_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Save(filename: string, tensor_names: string, data: T)
// Writes tensors to a V1 checkpoint.
// T: list(type) >= 1
// Stateful, without a gradient.
static inline TF_Operation *sl_op_save_with(sl_scope_t *scope, TF_Output filename, TF_Output tensor_names,
    const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Save", options->name);
  sl_node_input(node, filename);
  sl_node_input(node, tensor_names);
  sl_node_input_list(node, data, data_count);
  return sl_node_finish(node);
}
#define sl_op_save(scope, filename, tensor_names, data, data_count, ...) \
  sl_op_save_with(SL_AT(scope), (filename), (tensor_names), (data), (data_count), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: T)
// Writes tensors or slices of tensors to a V1 checkpoint.
// T: list(type) >= 1
// Stateful, without a gradient.
static inline TF_Operation *sl_op_save_slices_with(sl_scope_t *scope, TF_Output filename, TF_Output tensor_names,
    TF_Output shapes_and_slices, const TF_Output *data, size_t data_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SaveSlices", options->name);
  sl_node_input(node, filename);
  sl_node_input(node, tensor_names);
  sl_node_input(node, shapes_and_slices);
  sl_node_input_list(node, data, data_count);
  return sl_node_finish(node);
}
#define sl_op_save_slices(scope, filename, tensor_names, shapes_and_slices, data, data_count, ...) \
  sl_op_save_slices_with(SL_AT(scope), (filename), (tensor_names), (shapes_and_slices), (data), (data_count), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes)
// Writes tensors to a V2 checkpoint.
// dtypes: list(type) >= 1
// Stateful, without a gradient.
static inline TF_Operation *sl_op_save_v2_with(sl_scope_t *scope, TF_Output prefix, TF_Output tensor_names,
    TF_Output shape_and_slices, const TF_Output *tensors, size_t tensors_count, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SaveV2", options->name);
  sl_node_input(node, prefix);
  sl_node_input(node, tensor_names);
  sl_node_input(node, shape_and_slices);
  sl_node_input_list(node, tensors, tensors_count);
  return sl_node_finish(node);
}
#define sl_op_save_v2(scope, prefix, tensor_names, shape_and_slices, tensors, tensors_count, ...) \
  sl_op_save_v2_with(SL_AT(scope), (prefix), (tensor_names), (shape_and_slices), (tensors), (tensors_count), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ScalarSummary(tags: string, values: T) -> summary: string
// A Summary of one value for each tag.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
// Gradients stop here.
static inline TF_Output sl_op_scalar_summary_with(sl_scope_t *scope, TF_Output tags, TF_Output values,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScalarSummary", options->name);
  sl_node_input(node, tags);
  sl_node_input(node, values);
  return sl_node_output(node);
}
#define sl_op_scalar_summary(scope, tags, values, ...) \
  sl_op_scalar_summary_with(SL_AT(scope), (tags), (values), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ScatterAdd(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Adds to rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_add_options_t;
static inline TF_Output sl_op_scatter_add_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_add(scope, ref, indices, updates, ...) \
  sl_op_scatter_add_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_add_options_t, \
    __VA_ARGS__))

// ScatterDiv(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Divides rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_div_options_t;
static inline TF_Output sl_op_scatter_div_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_div_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterDiv", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_div(scope, ref, indices, updates, ...) \
  sl_op_scatter_div_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_div_options_t, \
    __VA_ARGS__))

// ScatterMax(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// The greater of rows of a variable and of updates.
// T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_max_options_t;
static inline TF_Output sl_op_scatter_max_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterMax", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_max(scope, ref, indices, updates, ...) \
  sl_op_scatter_max_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_max_options_t, \
    __VA_ARGS__))

// ScatterMin(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// The lesser of rows of a variable and of updates.
// T: {half, bfloat16, float, double, int32, int64}; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_min_options_t;
static inline TF_Output sl_op_scatter_min_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterMin", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_min(scope, ref, indices, updates, ...) \
  sl_op_scatter_min_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_min_options_t, \
    __VA_ARGS__))

// ScatterMul(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Multiplies rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_mul_options_t;
static inline TF_Output sl_op_scatter_mul_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterMul", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_mul(scope, ref, indices, updates, ...) \
  sl_op_scatter_mul_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_mul_options_t, \
    __VA_ARGS__))

// ScatterNd(indices: Tindices, updates: T, shape: Tindices) -> output: T
// Slices scattered onto zeros.
// T: type; Tindices: {int16, int32, int64}
// Differentiable.
static inline TF_Output sl_op_scatter_nd_with(sl_scope_t *scope, TF_Output indices, TF_Output updates,
    TF_Output shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNd", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_input(node, shape);
  return sl_node_output(node);
}
#define sl_op_scatter_nd(scope, indices, updates, shape, ...) \
  sl_op_scatter_nd_with(SL_AT(scope), (indices), (updates), (shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ScatterNdAdd(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Adds to slices of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_add_options_t;
static inline TF_Output sl_op_scatter_nd_add_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_add_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdAdd", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_add(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_add_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_add_options_t, \
    __VA_ARGS__))

// ScatterNdMax(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// The greater of a variable and slices.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_max_options_t;
static inline TF_Output sl_op_scatter_nd_max_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_max_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdMax", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_max(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_max_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_max_options_t, \
    __VA_ARGS__))

// ScatterNdMin(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// The lesser of a variable and slices.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_min_options_t;
static inline TF_Output sl_op_scatter_nd_min_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_min_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdMin", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_min(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_min_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_min_options_t, \
    __VA_ARGS__))

// ScatterNdNonAliasingAdd(input: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices added.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64, bool}; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_scatter_nd_non_aliasing_add_with(sl_scope_t *scope, TF_Output input, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdNonAliasingAdd", options->name);
  sl_node_input(node, input);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_non_aliasing_add(scope, input, indices, updates, ...) \
  sl_op_scatter_nd_non_aliasing_add_with(SL_AT(scope), (input), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ScatterNdSub(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Subtracts from slices of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_sub_options_t;
static inline TF_Output sl_op_scatter_nd_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_sub(scope, ref, indices, updates, ...) \
  sl_op_scatter_nd_sub_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_nd_sub_options_t, \
    __VA_ARGS__))

// ScatterNdUpdate(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets slices of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_nd_update_options_t;
static inline TF_Output sl_op_scatter_nd_update_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_nd_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterNdUpdate", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_nd_update(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_scatter_nd_update_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_scatter_nd_update_options_t, .use_locking = true, __VA_ARGS__)))

// ScatterSub(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Subtracts from rows of a variable.
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_sub_options_t;
static inline TF_Output sl_op_scatter_sub_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_sub_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterSub", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_sub(scope, ref, indices, updates, ...) \
  sl_op_scatter_sub_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS(sl_op_scatter_sub_options_t, \
    __VA_ARGS__))

// ScatterUpdate(ref: Ref(T), indices: Tindices, updates: T) -> output_ref: Ref(T)
// Sets rows of a variable.
// T: type; Tindices: {int32, int64}; use_locking: bool = true
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_scatter_update_options_t;
static inline TF_Output sl_op_scatter_update_with(sl_scope_t *scope, TF_Output ref, TF_Output indices,
    TF_Output updates, const sl_op_scatter_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ScatterUpdate", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_scatter_update(scope, ref, indices, updates, ...) \
  SL_OVER_DEFAULTS(sl_op_scatter_update_with(SL_AT(scope), (ref), (indices), (updates), SL_OPTIONS( \
    sl_op_scatter_update_options_t, .use_locking = true, __VA_ARGS__)))

// SegmentMax(data: T, segment_ids: Tindices) -> output: T
// T: realnumbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_max_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentMax", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_max(scope, data, segment_ids, ...) \
  sl_op_segment_max_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentMean(data: T, segment_ids: Tindices) -> output: T
// T: numbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_mean_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentMean", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_mean(scope, data, segment_ids, ...) \
  sl_op_segment_mean_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentMin(data: T, segment_ids: Tindices) -> output: T
// T: realnumbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_min_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentMin", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_min(scope, data, segment_ids, ...) \
  sl_op_segment_min_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentProd(data: T, segment_ids: Tindices) -> output: T
// T: numbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_prod_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentProd", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_prod(scope, data, segment_ids, ...) \
  sl_op_segment_prod_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SegmentSum(data: T, segment_ids: Tindices) -> output: T
// T: numbertype; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_segment_sum_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SegmentSum", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  return sl_node_output(node);
}
#define sl_op_segment_sum(scope, data, segment_ids, ...) \
  sl_op_segment_sum_with(SL_AT(scope), (data), (segment_ids), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Select(condition: bool, t: T, e: T) -> output: T
// T: type
// Differentiable.
static inline TF_Output sl_op_select_with(sl_scope_t *scope, TF_Output condition, TF_Output t, TF_Output e,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Select", options->name);
  sl_node_input(node, condition);
  sl_node_input(node, t);
  sl_node_input(node, e);
  return sl_node_output(node);
}
#define sl_op_select(scope, condition, t, e, ...) \
  sl_op_select_with(SL_AT(scope), (condition), (t), (e), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SelectV2(condition: bool, t: T, e: T) -> output: T
// T: type
// Differentiable.
static inline TF_Output sl_op_select_v2_with(sl_scope_t *scope, TF_Output condition, TF_Output t, TF_Output e,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SelectV2", options->name);
  sl_node_input(node, condition);
  sl_node_input(node, t);
  sl_node_input(node, e);
  return sl_node_output(node);
}
#define sl_op_select_v2(scope, condition, t, e, ...) \
  sl_op_select_v2_with(SL_AT(scope), (condition), (t), (e), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Selu(features: T) -> activations: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_selu_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Selu", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_selu(scope, features, ...) \
  sl_op_selu_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SeluGrad(gradients: T, outputs: T) -> backprops: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_selu_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output outputs,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SeluGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, outputs);
  return sl_node_output(node);
}
#define sl_op_selu_grad(scope, gradients, outputs, ...) \
  sl_op_selu_grad_with(SL_AT(scope), (gradients), (outputs), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> serialized_sparse: out_type
// Each row of a sparse tensor as three elements.
// T: type; out_type: {string, variant} = DT_STRING
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_serialize_many_sparse_options_t;
static inline TF_Output sl_op_serialize_many_sparse_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_serialize_many_sparse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeManySparse", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_serialize_many_sparse(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_serialize_many_sparse_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), SL_OPTIONS( \
    sl_op_serialize_many_sparse_options_t, __VA_ARGS__))

// SerializeSparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> serialized_sparse: out_type
// A sparse tensor as three elements.
// T: type; out_type: {string, variant} = DT_STRING
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_serialize_sparse_options_t;
static inline TF_Output sl_op_serialize_sparse_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output sparse_values, TF_Output sparse_shape, const sl_op_serialize_sparse_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeSparse", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, sparse_values);
  sl_node_input(node, sparse_shape);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_serialize_sparse(scope, sparse_indices, sparse_values, sparse_shape, ...) \
  sl_op_serialize_sparse_with(SL_AT(scope), (sparse_indices), (sparse_values), (sparse_shape), SL_OPTIONS( \
    sl_op_serialize_sparse_options_t, __VA_ARGS__))

// SerializeTensor(tensor: T) -> serialized: string
// A tensor as a serialized TensorProto.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_serialize_tensor_with(sl_scope_t *scope, TF_Output tensor,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SerializeTensor", options->name);
  sl_node_input(node, tensor);
  return sl_node_output(node);
}
#define sl_op_serialize_tensor(scope, tensor, ...) \
  sl_op_serialize_tensor_with(SL_AT(scope), (tensor), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SetSize(set_indices: int64, set_values: T, set_shape: int64) -> size: int32
// validate_indices: bool = true; T: {int8, int16, int32, int64, uint8, uint16, string}
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_set_size_options_t;
static inline TF_Output sl_op_set_size_with(sl_scope_t *scope, TF_Output set_indices, TF_Output set_values,
    TF_Output set_shape, const sl_op_set_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SetSize", options->name);
  sl_node_input(node, set_indices);
  sl_node_input(node, set_values);
  sl_node_input(node, set_shape);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  return sl_node_output(node);
}
#define sl_op_set_size(scope, set_indices, set_values, set_shape, ...) \
  SL_OVER_DEFAULTS(sl_op_set_size_with(SL_AT(scope), (set_indices), (set_values), (set_shape), SL_OPTIONS( \
    sl_op_set_size_options_t, .validate_indices = true, __VA_ARGS__)))

// Shape(input: T) -> output: out_type
// The shape as a vector.
// T: type; out_type: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_shape_options_t;
static inline TF_Output sl_op_shape_with(sl_scope_t *scope, TF_Output input, const sl_op_shape_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Shape", options->name);
  sl_node_input(node, input);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_shape(scope, input, ...) \
  sl_op_shape_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_shape_options_t, __VA_ARGS__))

// ShapeN(input: N * T) -> output: N * out_type
// The shapes as vectors.
// N: int >= 1; T: type; out_type: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_shape_n_options_t;
static inline sl_op_list_t sl_op_shape_n_with(sl_scope_t *scope, const TF_Output *input, size_t input_count,
    const sl_op_shape_n_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShapeN", options->name);
  sl_node_input_list(node, input, input_count);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_shape_n(scope, input, input_count, ...) \
  sl_op_shape_n_with(SL_AT(scope), (input), (input_count), SL_OPTIONS(sl_op_shape_n_options_t, __VA_ARGS__))

// ShardedFilename(basename: string, shard: int32, num_shards: int32) -> filename: string
// The file name of a shard: BASE-00001-of-00002.
// Without a gradient.
static inline TF_Output sl_op_sharded_filename_with(sl_scope_t *scope, TF_Output basename, TF_Output shard,
    TF_Output num_shards, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShardedFilename", options->name);
  sl_node_input(node, basename);
  sl_node_input(node, shard);
  sl_node_input(node, num_shards);
  return sl_node_output(node);
}
#define sl_op_sharded_filename(scope, basename, shard, num_shards, ...) \
  sl_op_sharded_filename_with(SL_AT(scope), (basename), (shard), (num_shards), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// ShardedFilespec(basename: string, num_shards: int32) -> filename: string
// The pattern of the file names of all shards.
// Without a gradient.
static inline TF_Output sl_op_sharded_filespec_with(sl_scope_t *scope, TF_Output basename, TF_Output num_shards,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ShardedFilespec", options->name);
  sl_node_input(node, basename);
  sl_node_input(node, num_shards);
  return sl_node_output(node);
}
#define sl_op_sharded_filespec(scope, basename, num_shards, ...) \
  sl_op_sharded_filespec_with(SL_AT(scope), (basename), (num_shards), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sigmoid(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sigmoid_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sigmoid", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sigmoid(scope, x, ...) sl_op_sigmoid_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SigmoidGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sigmoid_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SigmoidGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_sigmoid_grad(scope, y, dy, ...) \
  sl_op_sigmoid_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sign(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sign_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sign", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sign(scope, x, ...) sl_op_sign_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sin(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sin_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sin", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sin(scope, x, ...) sl_op_sin_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Sinh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sinh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sinh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sinh(scope, x, ...) sl_op_sinh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Size(input: T) -> output: out_type
// The number of elements.
// T: type; out_type: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_size_options_t;
static inline TF_Output sl_op_size_with(sl_scope_t *scope, TF_Output input, const sl_op_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Size", options->name);
  sl_node_input(node, input);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_size(scope, input, ...) \
  sl_op_size_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_size_options_t, __VA_ARGS__))

// Slice(input: T, begin: Index, size: Index) -> output: T
// A box cut out of a tensor.
// T: type; Index: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_slice_with(sl_scope_t *scope, TF_Output input, TF_Output begin, TF_Output size,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Slice", options->name);
  sl_node_input(node, input);
  sl_node_input(node, begin);
  sl_node_input(node, size);
  return sl_node_output(node);
}
#define sl_op_slice(scope, input, begin, size, ...) \
  sl_op_slice_with(SL_AT(scope), (input), (begin), (size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Snapshot(input: T) -> output: T
// A copy that later updates do not reach.
// T: type
// Without a gradient.
static inline TF_Output sl_op_snapshot_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Snapshot", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_snapshot(scope, input, ...) \
  sl_op_snapshot_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Softmax(logits: T) -> softmax: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softmax_with(sl_scope_t *scope, TF_Output logits, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Softmax", options->name);
  sl_node_input(node, logits);
  return sl_node_output(node);
}
#define sl_op_softmax(scope, logits, ...) \
  sl_op_softmax_with(SL_AT(scope), (logits), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SoftmaxCrossEntropyWithLogits(features: T, labels: T) -> loss: T, backprop: T
// T: {half, bfloat16, float, double}
// Differentiable.
typedef struct {
  TF_Output loss;
  TF_Output backprop;
} sl_op_softmax_cross_entropy_with_logits_t;
static inline sl_op_softmax_cross_entropy_with_logits_t sl_op_softmax_cross_entropy_with_logits_with(
    sl_scope_t *scope, TF_Output features, TF_Output labels, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SoftmaxCrossEntropyWithLogits", options->name);
  sl_node_input(node, features);
  sl_node_input(node, labels);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_softmax_cross_entropy_with_logits_t result;
  result.loss = sl_op_output(operation, 0);
  result.backprop = sl_op_output(operation, 1);
  return result;
}
#define sl_op_softmax_cross_entropy_with_logits(scope, features, labels, ...) \
  sl_op_softmax_cross_entropy_with_logits_with(SL_AT(scope), (features), (labels), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Softplus(features: T) -> activations: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softplus_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Softplus", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softplus(scope, features, ...) \
  sl_op_softplus_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SoftplusGrad(gradients: T, features: T) -> backprops: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softplus_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SoftplusGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softplus_grad(scope, gradients, features, ...) \
  sl_op_softplus_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Softsign(features: T) -> activations: T
// T: {half, bfloat16, float, double}
// Differentiable.
static inline TF_Output sl_op_softsign_with(sl_scope_t *scope, TF_Output features, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Softsign", options->name);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softsign(scope, features, ...) \
  sl_op_softsign_with(SL_AT(scope), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SoftsignGrad(gradients: T, features: T) -> backprops: T
// T: {half, bfloat16, float, double}
// Without a gradient.
static inline TF_Output sl_op_softsign_grad_with(sl_scope_t *scope, TF_Output gradients, TF_Output features,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SoftsignGrad", options->name);
  sl_node_input(node, gradients);
  sl_node_input(node, features);
  return sl_node_output(node);
}
#define sl_op_softsign_grad(scope, gradients, features, ...) \
  sl_op_softsign_grad_with(SL_AT(scope), (gradients), (features), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SpaceToBatch(input: T, paddings: Tpaddings) -> output: T
// Blocks of space into the batch.
// T: type; Tpaddings: {int32, int64} = DT_INT32; block_size: int >= 2
// Differentiable.
static inline TF_Output sl_op_space_to_batch_with(sl_scope_t *scope, TF_Output input, TF_Output paddings,
    int64_t block_size, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SpaceToBatch", options->name);
  sl_node_input(node, input);
  sl_node_input(node, paddings);
  sl_node_attr_int(node, "block_size", block_size);
  return sl_node_output(node);
}
#define sl_op_space_to_batch(scope, input, paddings, block_size, ...) \
  sl_op_space_to_batch_with(SL_AT(scope), (input), (paddings), (block_size), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SpaceToBatchND(input: T, block_shape: Tblock_shape, paddings: Tpaddings) -> output: T
// Blocks of space into the batch.
// T: type; Tblock_shape: {int32, int64} = DT_INT32; Tpaddings: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_space_to_batch_nd_with(sl_scope_t *scope, TF_Output input, TF_Output block_shape,
    TF_Output paddings, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SpaceToBatchND", options->name);
  sl_node_input(node, input);
  sl_node_input(node, block_shape);
  sl_node_input(node, paddings);
  return sl_node_output(node);
}
#define sl_op_space_to_batch_nd(scope, input, block_shape, paddings, ...) \
  sl_op_space_to_batch_nd_with(SL_AT(scope), (input), (block_shape), (paddings), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SpaceToDepth(input: T) -> output: T
// Blocks of space into the channels.
// T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *data_format;
} sl_op_space_to_depth_options_t;
static inline TF_Output sl_op_space_to_depth_with(sl_scope_t *scope, TF_Output input, int64_t block_size,
    const sl_op_space_to_depth_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SpaceToDepth", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "block_size", block_size);
  if (options->data_format) sl_node_attr_text(node, "data_format", options->data_format);
  return sl_node_output(node);
}
#define sl_op_space_to_depth(scope, input, block_size, ...) \
  sl_op_space_to_depth_with(SL_AT(scope), (input), (block_size), SL_OPTIONS(sl_op_space_to_depth_options_t, \
    __VA_ARGS__))

// SparseAccumulatorApplyGradient(handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values:
//   dtype, gradient_shape: int64)
// Adds a gradient given as slices, unless it is stale.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; has_known_shape: bool
// Without a gradient.
static inline TF_Operation *sl_op_sparse_accumulator_apply_gradient_with(sl_scope_t *scope, TF_Output handle,
    TF_Output local_step, TF_Output gradient_indices, TF_Output gradient_values, TF_Output gradient_shape,
    bool has_known_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseAccumulatorApplyGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, local_step);
  sl_node_input(node, gradient_indices);
  sl_node_input(node, gradient_values);
  sl_node_input(node, gradient_shape);
  sl_node_attr_bool(node, "has_known_shape", has_known_shape);
  return sl_node_finish(node);
}
#define sl_op_sparse_accumulator_apply_gradient(scope, handle, local_step, gradient_indices, gradient_values, \
    gradient_shape, has_known_shape, ...) \
  sl_op_sparse_accumulator_apply_gradient_with(SL_AT(scope), (handle), (local_step), (gradient_indices), ( \
    gradient_values), (gradient_shape), (has_known_shape), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseAccumulatorTakeGradient(handle: Ref(string), num_required: int32) -> indices: int64, values: dtype, shape:
//   int64
// Takes the mean or sum as slices once enough gradients have come.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}
// Without a gradient.
typedef struct {
  TF_Output indices;
  TF_Output values;
  TF_Output shape;
} sl_op_sparse_accumulator_take_gradient_t;
static inline sl_op_sparse_accumulator_take_gradient_t sl_op_sparse_accumulator_take_gradient_with(sl_scope_t *scope,
    TF_Output handle, TF_Output num_required, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseAccumulatorTakeGradient", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, num_required);
  sl_node_attr_type(node, "dtype", dtype);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_accumulator_take_gradient_t result;
  result.indices = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  result.shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_accumulator_take_gradient(scope, handle, num_required, dtype, ...) \
  sl_op_sparse_accumulator_take_gradient_with(SL_AT(scope), (handle), (num_required), (dtype), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseApplyAdadelta(var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, grad: T, indices:
//   Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_adadelta_options_t;
static inline TF_Output sl_op_sparse_apply_adadelta_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output accum_update, TF_Output lr, TF_Output rho, TF_Output epsilon, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_adadelta_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdadelta", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, accum_update);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adadelta(scope, var, accum, accum_update, lr, rho, epsilon, grad, indices, ...) \
  sl_op_sparse_apply_adadelta_with(SL_AT(scope), (var), (accum), (accum_update), (lr), (rho), (epsilon), (grad), ( \
    indices), SL_OPTIONS(sl_op_sparse_apply_adadelta_options_t, __VA_ARGS__))

// SparseApplyAdagrad(var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_sparse_apply_adagrad_options_t;
static inline TF_Output sl_op_sparse_apply_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, TF_Output indices, const sl_op_sparse_apply_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adagrad(scope, var, accum, lr, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_apply_adagrad_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), SL_OPTIONS( \
    sl_op_sparse_apply_adagrad_options_t, .update_slots = true, __VA_ARGS__)))

// SparseApplyAdagradDA(var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), grad: T,
//   indices: Tindices, lr: T, l1: T, l2: T, global_step: int64) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_adagrad_da_options_t;
static inline TF_Output sl_op_sparse_apply_adagrad_da_with(sl_scope_t *scope, TF_Output var,
    TF_Output gradient_accumulator, TF_Output gradient_squared_accumulator, TF_Output grad, TF_Output indices,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output global_step,
    const sl_op_sparse_apply_adagrad_da_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdagradDA", options->name);
  sl_node_input(node, var);
  sl_node_input(node, gradient_accumulator);
  sl_node_input(node, gradient_squared_accumulator);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, global_step);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adagrad_da(scope, var, gradient_accumulator, gradient_squared_accumulator, grad, \
    indices, lr, l1, l2, global_step, ...) \
  sl_op_sparse_apply_adagrad_da_with(SL_AT(scope), (var), (gradient_accumulator), (gradient_squared_accumulator), ( \
    grad), (indices), (lr), (l1), (l2), (global_step), SL_OPTIONS(sl_op_sparse_apply_adagrad_da_options_t, \
    __VA_ARGS__))

// SparseApplyAdagradV2(var: Ref(T), accum: Ref(T), lr: T, epsilon: T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; update_slots: bool = true
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool update_slots;
} sl_op_sparse_apply_adagrad_v2_options_t;
static inline TF_Output sl_op_sparse_apply_adagrad_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output epsilon, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_adagrad_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyAdagradV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "update_slots", options->update_slots);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_adagrad_v2(scope, var, accum, lr, epsilon, grad, indices, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_apply_adagrad_v2_with(SL_AT(scope), (var), (accum), (lr), (epsilon), (grad), ( \
    indices), SL_OPTIONS(sl_op_sparse_apply_adagrad_v2_options_t, .update_slots = true, __VA_ARGS__)))

// SparseApplyCenteredRMSProp(var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon:
//   T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_centered_rms_prop_options_t;
static inline TF_Output sl_op_sparse_apply_centered_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output mg,
    TF_Output ms, TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_sparse_apply_centered_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyCenteredRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, mg);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_centered_rms_prop(scope, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices, \
    ...) \
  sl_op_sparse_apply_centered_rms_prop_with(SL_AT(scope), (var), (mg), (ms), (mom), (lr), (rho), (momentum), ( \
    epsilon), (grad), (indices), SL_OPTIONS(sl_op_sparse_apply_centered_rms_prop_options_t, __VA_ARGS__))

// SparseApplyFtrl(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
//   lr_power: T) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_sparse_apply_ftrl_options_t;
static inline TF_Output sl_op_sparse_apply_ftrl_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output lr_power, const sl_op_sparse_apply_ftrl_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyFtrl", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_ftrl(scope, var, accum, linear, grad, indices, lr, l1, l2, lr_power, ...) \
  sl_op_sparse_apply_ftrl_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), (l2), ( \
    lr_power), SL_OPTIONS(sl_op_sparse_apply_ftrl_options_t, __VA_ARGS__))

// SparseApplyFtrlV2(var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, l1: T, l2: T,
//   l2_shrinkage: T, lr_power: T) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; multiply_linear_by_lr: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool multiply_linear_by_lr;
} sl_op_sparse_apply_ftrl_v2_options_t;
static inline TF_Output sl_op_sparse_apply_ftrl_v2_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output linear, TF_Output grad, TF_Output indices, TF_Output lr, TF_Output l1, TF_Output l2,
    TF_Output l2_shrinkage, TF_Output lr_power, const sl_op_sparse_apply_ftrl_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyFtrlV2", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, linear);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, l2_shrinkage);
  sl_node_input(node, lr_power);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "multiply_linear_by_lr", options->multiply_linear_by_lr);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_ftrl_v2(scope, var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power, \
    ...) \
  sl_op_sparse_apply_ftrl_v2_with(SL_AT(scope), (var), (accum), (linear), (grad), (indices), (lr), (l1), (l2), ( \
    l2_shrinkage), (lr_power), SL_OPTIONS(sl_op_sparse_apply_ftrl_v2_options_t, __VA_ARGS__))

// SparseApplyMomentum(var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false; use_nesterov: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
  bool use_nesterov;
} sl_op_sparse_apply_momentum_options_t;
static inline TF_Output sl_op_sparse_apply_momentum_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output grad, TF_Output indices, TF_Output momentum,
    const sl_op_sparse_apply_momentum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyMomentum", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, momentum);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  sl_node_attr_bool(node, "use_nesterov", options->use_nesterov);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_momentum(scope, var, accum, lr, grad, indices, momentum, ...) \
  sl_op_sparse_apply_momentum_with(SL_AT(scope), (var), (accum), (lr), (grad), (indices), (momentum), SL_OPTIONS( \
    sl_op_sparse_apply_momentum_options_t, __VA_ARGS__))

// SparseApplyProximalAdagrad(var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices) -> out:
//   Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_proximal_adagrad_options_t;
static inline TF_Output sl_op_sparse_apply_proximal_adagrad_with(sl_scope_t *scope, TF_Output var, TF_Output accum,
    TF_Output lr, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_proximal_adagrad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyProximalAdagrad", options->name);
  sl_node_input(node, var);
  sl_node_input(node, accum);
  sl_node_input(node, lr);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_proximal_adagrad(scope, var, accum, lr, l1, l2, grad, indices, ...) \
  sl_op_sparse_apply_proximal_adagrad_with(SL_AT(scope), (var), (accum), (lr), (l1), (l2), (grad), (indices), \
    SL_OPTIONS(sl_op_sparse_apply_proximal_adagrad_options_t, __VA_ARGS__))

// SparseApplyProximalGradientDescent(var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_proximal_gradient_descent_options_t;
static inline TF_Output sl_op_sparse_apply_proximal_gradient_descent_with(sl_scope_t *scope, TF_Output var,
    TF_Output alpha, TF_Output l1, TF_Output l2, TF_Output grad, TF_Output indices,
    const sl_op_sparse_apply_proximal_gradient_descent_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyProximalGradientDescent", options->name);
  sl_node_input(node, var);
  sl_node_input(node, alpha);
  sl_node_input(node, l1);
  sl_node_input(node, l2);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_proximal_gradient_descent(scope, var, alpha, l1, l2, grad, indices, ...) \
  sl_op_sparse_apply_proximal_gradient_descent_with(SL_AT(scope), (var), (alpha), (l1), (l2), (grad), (indices), \
    SL_OPTIONS(sl_op_sparse_apply_proximal_gradient_descent_options_t, __VA_ARGS__))

// SparseApplyRMSProp(var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, grad: T, indices:
//   Tindices) -> out: Ref(T)
// T: numbertype; Tindices: {int32, int64}; use_locking: bool = false
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool use_locking;
} sl_op_sparse_apply_rms_prop_options_t;
static inline TF_Output sl_op_sparse_apply_rms_prop_with(sl_scope_t *scope, TF_Output var, TF_Output ms,
    TF_Output mom, TF_Output lr, TF_Output rho, TF_Output momentum, TF_Output epsilon, TF_Output grad,
    TF_Output indices, const sl_op_sparse_apply_rms_prop_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseApplyRMSProp", options->name);
  sl_node_input(node, var);
  sl_node_input(node, ms);
  sl_node_input(node, mom);
  sl_node_input(node, lr);
  sl_node_input(node, rho);
  sl_node_input(node, momentum);
  sl_node_input(node, epsilon);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_attr_bool(node, "use_locking", options->use_locking);
  return sl_node_output(node);
}
#define sl_op_sparse_apply_rms_prop(scope, var, ms, mom, lr, rho, momentum, epsilon, grad, indices, ...) \
  sl_op_sparse_apply_rms_prop_with(SL_AT(scope), (var), (ms), (mom), (lr), (rho), (momentum), (epsilon), (grad), ( \
    indices), SL_OPTIONS(sl_op_sparse_apply_rms_prop_options_t, __VA_ARGS__))

// SparseConcat(indices: N * int64, values: N * T, shapes: N * int64) -> output_indices: int64, output_values: T,
//   output_shape: int64
// Puts sparse tensors together along a dimension.
// concat_dim: int; N: int >= 2; T: type
// Gradients stop here.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output output_shape;
} sl_op_sparse_concat_t;
static inline sl_op_sparse_concat_t sl_op_sparse_concat_with(sl_scope_t *scope, const TF_Output *indices,
    size_t indices_count, const TF_Output *values, size_t values_count, const TF_Output *shapes, size_t shapes_count,
    int64_t concat_dim, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseConcat", options->name);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, values, values_count);
  sl_node_input_list(node, shapes, shapes_count);
  sl_node_attr_int(node, "concat_dim", concat_dim);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_concat_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.output_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_sparse_concat(scope, indices, indices_count, values, values_count, shapes, shapes_count, concat_dim, \
    ...) \
  sl_op_sparse_concat_with(SL_AT(scope), (indices), (indices_count), (values), (values_count), (shapes), ( \
    shapes_count), (concat_dim), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseConditionalAccumulator() -> handle: Ref(string)
// An accumulator of gradients given as slices.
// dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16,
//   quint16, uint16, complex128, half, uint32, uint64}; shape: shape; container: string = ''; shared_name: string =
//   ''; reduction_type: {'MEAN', 'SUM'} = 'MEAN'
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *reduction_type;
} sl_op_sparse_conditional_accumulator_options_t;
static inline TF_Output sl_op_sparse_conditional_accumulator_with(sl_scope_t *scope, TF_DataType dtype,
    sl_shape_t shape, const sl_op_sparse_conditional_accumulator_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseConditionalAccumulator", options->name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->reduction_type) sl_node_attr_text(node, "reduction_type", options->reduction_type);
  return sl_node_output(node);
}
#define sl_op_sparse_conditional_accumulator(scope, dtype, shape, ...) \
  sl_op_sparse_conditional_accumulator_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS( \
    sl_op_sparse_conditional_accumulator_options_t, __VA_ARGS__))

// SparseFillEmptyRows(indices: int64, values: T, dense_shape: int64, default_value: T) -> output_indices: int64,
//   output_values: T, empty_row_indicator: bool, reverse_index_map: int64
// A sparse tensor with an entry in every row.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
  TF_Output empty_row_indicator;
  TF_Output reverse_index_map;
} sl_op_sparse_fill_empty_rows_t;
static inline sl_op_sparse_fill_empty_rows_t sl_op_sparse_fill_empty_rows_with(sl_scope_t *scope, TF_Output indices,
    TF_Output values, TF_Output dense_shape, TF_Output default_value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseFillEmptyRows", options->name);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, dense_shape);
  sl_node_input(node, default_value);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_fill_empty_rows_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  result.empty_row_indicator = sl_op_output(operation, 2);
  result.reverse_index_map = sl_op_output(operation, 3);
  return result;
}
#define sl_op_sparse_fill_empty_rows(scope, indices, values, dense_shape, default_value, ...) \
  sl_op_sparse_fill_empty_rows_with(SL_AT(scope), (indices), (values), (dense_shape), (default_value), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseFillEmptyRowsGrad(reverse_index_map: int64, grad_values: T) -> d_values: T, d_default_value: T
// The gradient of SparseFillEmptyRows.
// T: type
// Without a gradient.
typedef struct {
  TF_Output d_values;
  TF_Output d_default_value;
} sl_op_sparse_fill_empty_rows_grad_t;
static inline sl_op_sparse_fill_empty_rows_grad_t sl_op_sparse_fill_empty_rows_grad_with(sl_scope_t *scope,
    TF_Output reverse_index_map, TF_Output grad_values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseFillEmptyRowsGrad", options->name);
  sl_node_input(node, reverse_index_map);
  sl_node_input(node, grad_values);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_fill_empty_rows_grad_t result;
  result.d_values = sl_op_output(operation, 0);
  result.d_default_value = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_fill_empty_rows_grad(scope, reverse_index_map, grad_values, ...) \
  sl_op_sparse_fill_empty_rows_grad_with(SL_AT(scope), (reverse_index_map), (grad_values), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseReduceSum(input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32) -> output: T
// Sums of a sparse tensor along axes, dense.
// keep_dims: bool = false; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,
//   bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sparse_reduce_sum_options_t;
static inline TF_Output sl_op_sparse_reduce_sum_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_values, TF_Output input_shape, TF_Output reduction_axes,
    const sl_op_sparse_reduce_sum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReduceSum", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  sl_node_input(node, reduction_axes);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_sparse_reduce_sum(scope, input_indices, input_values, input_shape, reduction_axes, ...) \
  sl_op_sparse_reduce_sum_with(SL_AT(scope), (input_indices), (input_values), (input_shape), (reduction_axes), \
    SL_OPTIONS(sl_op_sparse_reduce_sum_options_t, __VA_ARGS__))

// SparseReorder(input_indices: int64, input_values: T, input_shape: int64) -> output_indices: int64, output_values: T
// A sparse tensor in the order of its indices.
// T: type
// Differentiable.
typedef struct {
  TF_Output output_indices;
  TF_Output output_values;
} sl_op_sparse_reorder_t;
static inline sl_op_sparse_reorder_t sl_op_sparse_reorder_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_values, TF_Output input_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReorder", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_values);
  sl_node_input(node, input_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_reorder_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_reorder(scope, input_indices, input_values, input_shape, ...) \
  sl_op_sparse_reorder_with(SL_AT(scope), (input_indices), (input_values), (input_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseReshape(input_indices: int64, input_shape: int64, new_shape: int64) -> output_indices: int64, output_shape:
//   int64
// A sparse tensor under another shape.
// Without a gradient.
typedef struct {
  TF_Output output_indices;
  TF_Output output_shape;
} sl_op_sparse_reshape_t;
static inline sl_op_sparse_reshape_t sl_op_sparse_reshape_with(sl_scope_t *scope, TF_Output input_indices,
    TF_Output input_shape, TF_Output new_shape, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseReshape", options->name);
  sl_node_input(node, input_indices);
  sl_node_input(node, input_shape);
  sl_node_input(node, new_shape);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_reshape_t result;
  result.output_indices = sl_op_output(operation, 0);
  result.output_shape = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_reshape(scope, input_indices, input_shape, new_shape, ...) \
  sl_op_sparse_reshape_with(SL_AT(scope), (input_indices), (input_shape), (new_shape), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseSegmentMean(data: T, indices: Tidx, segment_ids: Tsegmentids) -> output: T
// Means of gathered rows by segment.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32;
//   sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_mean_options_t;
static inline TF_Output sl_op_sparse_segment_mean_with(sl_scope_t *scope, TF_Output data, TF_Output indices,
    TF_Output segment_ids, const sl_op_sparse_segment_mean_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMean", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_mean(scope, data, indices, segment_ids, ...) \
  sl_op_sparse_segment_mean_with(SL_AT(scope), (data), (indices), (segment_ids), SL_OPTIONS( \
    sl_op_sparse_segment_mean_options_t, __VA_ARGS__))

// SparseSegmentMeanGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> output: T
// The gradient of SparseSegmentMean.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// Without a gradient.
static inline TF_Output sl_op_sparse_segment_mean_grad_with(sl_scope_t *scope, TF_Output grad, TF_Output indices,
    TF_Output segment_ids, TF_Output output_dim0, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMeanGrad", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, output_dim0);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_mean_grad(scope, grad, indices, segment_ids, output_dim0, ...) \
  sl_op_sparse_segment_mean_grad_with(SL_AT(scope), (grad), (indices), (segment_ids), (output_dim0), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseSegmentMeanGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> output: T,
//   sorted_unique_indices: Tidx
// The gradient of SparseSegmentMean, its rows that occur.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  TF_Output output;
  TF_Output sorted_unique_indices;
} sl_op_sparse_segment_mean_grad_v2_t;
static inline sl_op_sparse_segment_mean_grad_v2_t sl_op_sparse_segment_mean_grad_v2_with(sl_scope_t *scope,
    TF_Output grad, TF_Output indices, TF_Output segment_ids, TF_Output dense_output_dim0,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMeanGradV2", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, dense_output_dim0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_segment_mean_grad_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.sorted_unique_indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_segment_mean_grad_v2(scope, grad, indices, segment_ids, dense_output_dim0, ...) \
  sl_op_sparse_segment_mean_grad_v2_with(SL_AT(scope), (grad), (indices), (segment_ids), (dense_output_dim0), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSegmentMeanWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) ->
//   output: T
// Means of gathered rows by segment.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32;
//   Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_mean_with_num_segments_options_t;
static inline TF_Output sl_op_sparse_segment_mean_with_num_segments_with(sl_scope_t *scope, TF_Output data,
    TF_Output indices, TF_Output segment_ids, TF_Output num_segments,
    const sl_op_sparse_segment_mean_with_num_segments_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentMeanWithNumSegments", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_mean_with_num_segments(scope, data, indices, segment_ids, num_segments, ...) \
  sl_op_sparse_segment_mean_with_num_segments_with(SL_AT(scope), (data), (indices), (segment_ids), (num_segments), \
    SL_OPTIONS(sl_op_sparse_segment_mean_with_num_segments_options_t, __VA_ARGS__))

// SparseSegmentSqrtN(data: T, indices: Tidx, segment_ids: Tsegmentids) -> output: T
// Sums of gathered rows by segment, divided by the root of their number.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32;
//   sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sqrt_n_options_t;
static inline TF_Output sl_op_sparse_segment_sqrt_n_with(sl_scope_t *scope, TF_Output data, TF_Output indices,
    TF_Output segment_ids, const sl_op_sparse_segment_sqrt_n_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtN", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sqrt_n(scope, data, indices, segment_ids, ...) \
  sl_op_sparse_segment_sqrt_n_with(SL_AT(scope), (data), (indices), (segment_ids), SL_OPTIONS( \
    sl_op_sparse_segment_sqrt_n_options_t, __VA_ARGS__))

// SparseSegmentSqrtNGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> output: T
// The gradient of SparseSegmentSqrtN.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// Without a gradient.
static inline TF_Output sl_op_sparse_segment_sqrt_n_grad_with(sl_scope_t *scope, TF_Output grad, TF_Output indices,
    TF_Output segment_ids, TF_Output output_dim0, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtNGrad", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, output_dim0);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sqrt_n_grad(scope, grad, indices, segment_ids, output_dim0, ...) \
  sl_op_sparse_segment_sqrt_n_grad_with(SL_AT(scope), (grad), (indices), (segment_ids), (output_dim0), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseSegmentSqrtNGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> output: T,
//   sorted_unique_indices: Tidx
// The gradient of SparseSegmentSqrtN, its rows that occur.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  TF_Output output;
  TF_Output sorted_unique_indices;
} sl_op_sparse_segment_sqrt_n_grad_v2_t;
static inline sl_op_sparse_segment_sqrt_n_grad_v2_t sl_op_sparse_segment_sqrt_n_grad_v2_with(sl_scope_t *scope,
    TF_Output grad, TF_Output indices, TF_Output segment_ids, TF_Output dense_output_dim0,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtNGradV2", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, dense_output_dim0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_segment_sqrt_n_grad_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.sorted_unique_indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_segment_sqrt_n_grad_v2(scope, grad, indices, segment_ids, dense_output_dim0, ...) \
  sl_op_sparse_segment_sqrt_n_grad_v2_with(SL_AT(scope), (grad), (indices), (segment_ids), (dense_output_dim0), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSegmentSqrtNWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) ->
//   output: T
// Sums of gathered rows by segment, divided by the root of their number.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32;
//   Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sqrt_n_with_num_segments_options_t;
static inline TF_Output sl_op_sparse_segment_sqrt_n_with_num_segments_with(sl_scope_t *scope, TF_Output data,
    TF_Output indices, TF_Output segment_ids, TF_Output num_segments,
    const sl_op_sparse_segment_sqrt_n_with_num_segments_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSqrtNWithNumSegments", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sqrt_n_with_num_segments(scope, data, indices, segment_ids, num_segments, ...) \
  sl_op_sparse_segment_sqrt_n_with_num_segments_with(SL_AT(scope), (data), (indices), (segment_ids), (num_segments), \
    SL_OPTIONS(sl_op_sparse_segment_sqrt_n_with_num_segments_options_t, __VA_ARGS__))

// SparseSegmentSum(data: T, indices: Tidx, segment_ids: Tsegmentids) -> output: T
// Sums of gathered rows by segment.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: {int32, int64}
//   = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sum_options_t;
static inline TF_Output sl_op_sparse_segment_sum_with(sl_scope_t *scope, TF_Output data, TF_Output indices,
    TF_Output segment_ids, const sl_op_sparse_segment_sum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSum", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sum(scope, data, indices, segment_ids, ...) \
  sl_op_sparse_segment_sum_with(SL_AT(scope), (data), (indices), (segment_ids), SL_OPTIONS( \
    sl_op_sparse_segment_sum_options_t, __VA_ARGS__))

// SparseSegmentSumGrad(grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32) -> output: T
// The gradient of SparseSegmentSum.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// Without a gradient.
static inline TF_Output sl_op_sparse_segment_sum_grad_with(sl_scope_t *scope, TF_Output grad, TF_Output indices,
    TF_Output segment_ids, TF_Output output_dim0, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSumGrad", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, output_dim0);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sum_grad(scope, grad, indices, segment_ids, output_dim0, ...) \
  sl_op_sparse_segment_sum_grad_with(SL_AT(scope), (grad), (indices), (segment_ids), (output_dim0), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseSegmentSumGradV2(grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32) -> output: T,
//   sorted_unique_indices: Tidx
// The gradient of SparseSegmentSum, its rows that occur.
// T: {bfloat16, half, float, double}; Tidx: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  TF_Output output;
  TF_Output sorted_unique_indices;
} sl_op_sparse_segment_sum_grad_v2_t;
static inline sl_op_sparse_segment_sum_grad_v2_t sl_op_sparse_segment_sum_grad_v2_with(sl_scope_t *scope,
    TF_Output grad, TF_Output indices, TF_Output segment_ids, TF_Output dense_output_dim0,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSumGradV2", options->name);
  sl_node_input(node, grad);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, dense_output_dim0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_segment_sum_grad_v2_t result;
  result.output = sl_op_output(operation, 0);
  result.sorted_unique_indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_segment_sum_grad_v2(scope, grad, indices, segment_ids, dense_output_dim0, ...) \
  sl_op_sparse_segment_sum_grad_v2_with(SL_AT(scope), (grad), (indices), (segment_ids), (dense_output_dim0), \
    SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SparseSegmentSumWithNumSegments(data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments) ->
//   output: T
// Sums of gathered rows by segment.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}; Tidx: {int32, int64}
//   = DT_INT32; Tnumsegments: {int32, int64} = DT_INT32; Tsegmentids: {int32, int64} = DT_INT32; sparse_gradient:
//   bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sparse_gradient;
} sl_op_sparse_segment_sum_with_num_segments_options_t;
static inline TF_Output sl_op_sparse_segment_sum_with_num_segments_with(sl_scope_t *scope, TF_Output data,
    TF_Output indices, TF_Output segment_ids, TF_Output num_segments,
    const sl_op_sparse_segment_sum_with_num_segments_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSegmentSumWithNumSegments", options->name);
  sl_node_input(node, data);
  sl_node_input(node, indices);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  sl_node_attr_bool(node, "sparse_gradient", options->sparse_gradient);
  return sl_node_output(node);
}
#define sl_op_sparse_segment_sum_with_num_segments(scope, data, indices, segment_ids, num_segments, ...) \
  sl_op_sparse_segment_sum_with_num_segments_with(SL_AT(scope), (data), (indices), (segment_ids), (num_segments), \
    SL_OPTIONS(sl_op_sparse_segment_sum_with_num_segments_options_t, __VA_ARGS__))

// SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels) -> loss: T, backprop: T
// T: {half, bfloat16, float, double}; Tlabels: {int32, int64} = DT_INT64
// Differentiable.
typedef struct {
  TF_Output loss;
  TF_Output backprop;
} sl_op_sparse_softmax_cross_entropy_with_logits_t;
static inline sl_op_sparse_softmax_cross_entropy_with_logits_t sl_op_sparse_softmax_cross_entropy_with_logits_with(
    sl_scope_t *scope, TF_Output features, TF_Output labels, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSoftmaxCrossEntropyWithLogits", options->name);
  sl_node_input(node, features);
  sl_node_input(node, labels);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_softmax_cross_entropy_with_logits_t result;
  result.loss = sl_op_output(operation, 0);
  result.backprop = sl_op_output(operation, 1);
  return result;
}
#define sl_op_sparse_softmax_cross_entropy_with_logits(scope, features, labels, ...) \
  sl_op_sparse_softmax_cross_entropy_with_logits_with(SL_AT(scope), (features), (labels), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// SparseSplit(split_dim: int64, indices: int64, values: T, shape: int64) -> output_indices: num_split * int64,
//   output_values: num_split * T, output_shape: num_split * int64
// Takes a sparse tensor apart along a dimension.
// num_split: int >= 1; T: type
// Without a gradient.
typedef struct {
  sl_op_list_t output_indices;
  sl_op_list_t output_values;
  sl_op_list_t output_shape;
} sl_op_sparse_split_t;
static inline sl_op_sparse_split_t sl_op_sparse_split_with(sl_scope_t *scope, TF_Output split_dim, TF_Output indices,
    TF_Output values, TF_Output shape, int64_t num_split, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseSplit", options->name);
  sl_node_input(node, split_dim);
  sl_node_input(node, indices);
  sl_node_input(node, values);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "num_split", num_split);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_sparse_split_t result;
  int next = 0;
  result.output_indices = sl_op_list(operation, "output_indices", next);
  next += result.output_indices.count;
  result.output_values = sl_op_list(operation, "output_values", next);
  next += result.output_values.count;
  result.output_shape = sl_op_list(operation, "output_shape", next);
  next += result.output_shape.count;
  return result;
}
#define sl_op_sparse_split(scope, split_dim, indices, values, shape, num_split, ...) \
  sl_op_sparse_split_with(SL_AT(scope), (split_dim), (indices), (values), (shape), (num_split), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// SparseTensorDenseMatMul(a_indices: Tindices, a_values: T, a_shape: int64, b: T) -> product: T
// A sparse matrix times a dense one.
// T: type; Tindices: {int32, int64} = DT_INT64; adjoint_a: bool = false; adjoint_b: bool = false
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool adjoint_a;
  bool adjoint_b;
} sl_op_sparse_tensor_dense_mat_mul_options_t;
static inline TF_Output sl_op_sparse_tensor_dense_mat_mul_with(sl_scope_t *scope, TF_Output a_indices,
    TF_Output a_values, TF_Output a_shape, TF_Output b, const sl_op_sparse_tensor_dense_mat_mul_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseTensorDenseMatMul", options->name);
  sl_node_input(node, a_indices);
  sl_node_input(node, a_values);
  sl_node_input(node, a_shape);
  sl_node_input(node, b);
  sl_node_attr_bool(node, "adjoint_a", options->adjoint_a);
  sl_node_attr_bool(node, "adjoint_b", options->adjoint_b);
  return sl_node_output(node);
}
#define sl_op_sparse_tensor_dense_mat_mul(scope, a_indices, a_values, a_shape, b, ...) \
  sl_op_sparse_tensor_dense_mat_mul_with(SL_AT(scope), (a_indices), (a_values), (a_shape), (b), SL_OPTIONS( \
    sl_op_sparse_tensor_dense_mat_mul_options_t, __VA_ARGS__))

// SparseToDense(sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T) -> dense: T
// A dense tensor with values at given indices.
// validate_indices: bool = true; T: type; Tindices: {int32, int64}
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool validate_indices;
} sl_op_sparse_to_dense_options_t;
static inline TF_Output sl_op_sparse_to_dense_with(sl_scope_t *scope, TF_Output sparse_indices,
    TF_Output output_shape, TF_Output sparse_values, TF_Output default_value,
    const sl_op_sparse_to_dense_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SparseToDense", options->name);
  sl_node_input(node, sparse_indices);
  sl_node_input(node, output_shape);
  sl_node_input(node, sparse_values);
  sl_node_input(node, default_value);
  sl_node_attr_bool(node, "validate_indices", options->validate_indices);
  return sl_node_output(node);
}
#define sl_op_sparse_to_dense(scope, sparse_indices, output_shape, sparse_values, default_value, ...) \
  SL_OVER_DEFAULTS(sl_op_sparse_to_dense_with(SL_AT(scope), (sparse_indices), (output_shape), (sparse_values), ( \
    default_value), SL_OPTIONS(sl_op_sparse_to_dense_options_t, .validate_indices = true, __VA_ARGS__)))

// Split(split_dim: int32, value: T) -> output: num_split * T
// Cuts a tensor into equal parts.
// num_split: int >= 1; T: type
// Differentiable.
static inline sl_op_list_t sl_op_split_with(sl_scope_t *scope, TF_Output split_dim, TF_Output value,
    int64_t num_split, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Split", options->name);
  sl_node_input(node, split_dim);
  sl_node_input(node, value);
  sl_node_attr_int(node, "num_split", num_split);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_split(scope, split_dim, value, num_split, ...) \
  sl_op_split_with(SL_AT(scope), (split_dim), (value), (num_split), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SplitV(value: T, size_splits: Tlen, split_dim: int32) -> output: num_split * T
// Cuts a tensor into parts of given sizes.
// num_split: int >= 1; T: type; Tlen: {int8, int32, int64} = DT_INT64
// Differentiable.
static inline sl_op_list_t sl_op_split_v_with(sl_scope_t *scope, TF_Output value, TF_Output size_splits,
    TF_Output split_dim, int64_t num_split, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SplitV", options->name);
  sl_node_input(node, value);
  sl_node_input(node, size_splits);
  sl_node_input(node, split_dim);
  sl_node_attr_int(node, "num_split", num_split);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_split_v(scope, value, size_splits, split_dim, num_split, ...) \
  sl_op_split_v_with(SL_AT(scope), (value), (size_splits), (split_dim), (num_split), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Sqrt(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sqrt_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sqrt", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_sqrt(scope, x, ...) sl_op_sqrt_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SqrtGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_sqrt_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SqrtGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_sqrt_grad(scope, y, dy, ...) \
  sl_op_sqrt_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Square(x: T) -> y: T
// T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_square_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Square", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_square(scope, x, ...) sl_op_square_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// SquaredDifference(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, int32, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_squared_difference_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SquaredDifference", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_squared_difference(scope, x, y, ...) \
  sl_op_squared_difference_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Squeeze(input: T) -> output: T
// Removes dimensions of 1.
// T: type; squeeze_dims: list(int) >= 0 = []
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_op_ints_t squeeze_dims;
} sl_op_squeeze_options_t;
static inline TF_Output sl_op_squeeze_with(sl_scope_t *scope, TF_Output input,
    const sl_op_squeeze_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Squeeze", options->name);
  sl_node_input(node, input);
  if (options->squeeze_dims.values) sl_node_attr_int_list(node, "squeeze_dims", options->squeeze_dims.values,
    options->squeeze_dims.count);
  return sl_node_output(node);
}
#define sl_op_squeeze(scope, input, ...) \
  sl_op_squeeze_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_squeeze_options_t, __VA_ARGS__))

// Stack() -> handle: Ref(string)
// A stack of tensors for one step.
// elem_type: type; stack_name: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *stack_name;
} sl_op_stack_options_t;
static inline TF_Output sl_op_stack_with(sl_scope_t *scope, TF_DataType elem_type,
    const sl_op_stack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Stack", options->name);
  sl_node_attr_type(node, "elem_type", elem_type);
  if (options->stack_name) sl_node_attr_text(node, "stack_name", options->stack_name);
  return sl_node_output(node);
}
#define sl_op_stack(scope, elem_type, ...) \
  sl_op_stack_with(SL_AT(scope), (elem_type), SL_OPTIONS(sl_op_stack_options_t, __VA_ARGS__))

// StackClose(handle: Ref(string))
// Closes a stack.
// Gradients stop here.
static inline TF_Operation *sl_op_stack_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackClose", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_stack_close(scope, handle, ...) \
  sl_op_stack_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackCloseV2(handle: resource)
// Closes a stack.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_stack_close_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackCloseV2", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_stack_close_v2(scope, handle, ...) \
  sl_op_stack_close_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackPop(handle: Ref(string)) -> elem: elem_type
// Pops a tensor.
// elem_type: type
// Gradients stop here.
static inline TF_Output sl_op_stack_pop_with(sl_scope_t *scope, TF_Output handle, TF_DataType elem_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPop", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type(node, "elem_type", elem_type);
  return sl_node_output(node);
}
#define sl_op_stack_pop(scope, handle, elem_type, ...) \
  sl_op_stack_pop_with(SL_AT(scope), (handle), (elem_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackPopV2(handle: resource) -> elem: elem_type
// Pops a tensor.
// elem_type: type
// Stateful, without a gradient.
static inline TF_Output sl_op_stack_pop_v2_with(sl_scope_t *scope, TF_Output handle, TF_DataType elem_type,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPopV2", options->name);
  sl_node_input(node, handle);
  sl_node_attr_type(node, "elem_type", elem_type);
  return sl_node_output(node);
}
#define sl_op_stack_pop_v2(scope, handle, elem_type, ...) \
  sl_op_stack_pop_v2_with(SL_AT(scope), (handle), (elem_type), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StackPush(handle: Ref(string), elem: T) -> output: T
// Pushes a tensor and passes it on.
// T: type; swap_memory: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool swap_memory;
} sl_op_stack_push_options_t;
static inline TF_Output sl_op_stack_push_with(sl_scope_t *scope, TF_Output handle, TF_Output elem,
    const sl_op_stack_push_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPush", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, elem);
  sl_node_attr_bool(node, "swap_memory", options->swap_memory);
  return sl_node_output(node);
}
#define sl_op_stack_push(scope, handle, elem, ...) \
  sl_op_stack_push_with(SL_AT(scope), (handle), (elem), SL_OPTIONS(sl_op_stack_push_options_t, __VA_ARGS__))

// StackPushV2(handle: resource, elem: T) -> output: T
// Pushes a tensor and passes it on.
// T: type; swap_memory: bool = false
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool swap_memory;
} sl_op_stack_push_v2_options_t;
static inline TF_Output sl_op_stack_push_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output elem,
    const sl_op_stack_push_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackPushV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, elem);
  sl_node_attr_bool(node, "swap_memory", options->swap_memory);
  return sl_node_output(node);
}
#define sl_op_stack_push_v2(scope, handle, elem, ...) \
  sl_op_stack_push_v2_with(SL_AT(scope), (handle), (elem), SL_OPTIONS(sl_op_stack_push_v2_options_t, __VA_ARGS__))

// StackV2(max_size: int32) -> handle: resource
// A stack of tensors for one step.
// elem_type: type; stack_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *stack_name;
} sl_op_stack_v2_options_t;
static inline TF_Output sl_op_stack_v2_with(sl_scope_t *scope, TF_Output max_size, TF_DataType elem_type,
    const sl_op_stack_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StackV2", options->name);
  sl_node_input(node, max_size);
  sl_node_attr_type(node, "elem_type", elem_type);
  if (options->stack_name) sl_node_attr_text(node, "stack_name", options->stack_name);
  return sl_node_output(node);
}
#define sl_op_stack_v2(scope, max_size, elem_type, ...) \
  sl_op_stack_v2_with(SL_AT(scope), (max_size), (elem_type), SL_OPTIONS(sl_op_stack_v2_options_t, __VA_ARGS__))

// Stage(values: dtypes)
// Puts a tuple into a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_options_t;
static inline TF_Operation *sl_op_stage_with(sl_scope_t *scope, const TF_Output *values, size_t values_count,
    const sl_op_stage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Stage", options->name);
  sl_node_input_list(node, values, values_count);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_stage(scope, values, values_count, ...) \
  sl_op_stage_with(SL_AT(scope), (values), (values_count), SL_OPTIONS(sl_op_stage_options_t, __VA_ARGS__))

// StageClear()
// Empties a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_clear_options_t;
static inline TF_Operation *sl_op_stage_clear_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_stage_clear_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StageClear", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_finish(node);
}
#define sl_op_stage_clear(scope, dtypes, ...) \
  sl_op_stage_clear_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_stage_clear_options_t, __VA_ARGS__))

// StagePeek(index: int32) -> values: dtypes
// Looks at a tuple of a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_peek_options_t;
static inline sl_op_list_t sl_op_stage_peek_with(sl_scope_t *scope, TF_Output index, sl_op_types_t dtypes,
    const sl_op_stage_peek_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StagePeek", options->name);
  sl_node_input(node, index);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_stage_peek(scope, index, dtypes, ...) \
  sl_op_stage_peek_with(SL_AT(scope), (index), (dtypes), SL_OPTIONS(sl_op_stage_peek_options_t, __VA_ARGS__))

// StageSize() -> size: int32
// The number of tuples in a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type); container: string = ''; shared_name: string
//   = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_stage_size_options_t;
static inline TF_Output sl_op_stage_size_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_stage_size_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StageSize", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_stage_size(scope, dtypes, ...) \
  sl_op_stage_size_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_stage_size_options_t, __VA_ARGS__))

// StatelessMultinomial(logits: T, num_samples: int32, seed: Tseed) -> output: output_dtype
// T: realnumbertype; Tseed: {int32, int64} = DT_INT64; output_dtype: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType output_dtype;
} sl_op_stateless_multinomial_options_t;
static inline TF_Output sl_op_stateless_multinomial_with(sl_scope_t *scope, TF_Output logits, TF_Output num_samples,
    TF_Output seed, const sl_op_stateless_multinomial_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessMultinomial", options->name);
  sl_node_input(node, logits);
  sl_node_input(node, num_samples);
  sl_node_input(node, seed);
  if (options->output_dtype) sl_node_attr_type(node, "output_dtype", options->output_dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_multinomial(scope, logits, num_samples, seed, ...) \
  sl_op_stateless_multinomial_with(SL_AT(scope), (logits), (num_samples), (seed), SL_OPTIONS( \
    sl_op_stateless_multinomial_options_t, __VA_ARGS__))

// StatelessRandomGetAlg() -> alg: int32
// Stateful, without a gradient.
static inline TF_Output sl_op_stateless_random_get_alg_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGetAlg", options->name);
  return sl_node_output(node);
}
#define sl_op_stateless_random_get_alg(scope, ...) \
  sl_op_stateless_random_get_alg_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomGetKeyCounter(seed: Tseed) -> key: uint64, counter: uint64
// Tseed: {int32, int64} = DT_INT64
// Without a gradient.
typedef struct {
  TF_Output key;
  TF_Output counter;
} sl_op_stateless_random_get_key_counter_t;
static inline sl_op_stateless_random_get_key_counter_t sl_op_stateless_random_get_key_counter_with(sl_scope_t *scope,
    TF_Output seed, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGetKeyCounter", options->name);
  sl_node_input(node, seed);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_stateless_random_get_key_counter_t result;
  result.key = sl_op_output(operation, 0);
  result.counter = sl_op_output(operation, 1);
  return result;
}
#define sl_op_stateless_random_get_key_counter(scope, seed, ...) \
  sl_op_stateless_random_get_key_counter_with(SL_AT(scope), (seed), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomGetKeyCounterAlg(seed: Tseed) -> key: uint64, counter: uint64, alg: int32
// Tseed: {int32, int64} = DT_INT64
// Without a gradient.
typedef struct {
  TF_Output key;
  TF_Output counter;
  TF_Output alg;
} sl_op_stateless_random_get_key_counter_alg_t;
static inline sl_op_stateless_random_get_key_counter_alg_t sl_op_stateless_random_get_key_counter_alg_with(
    sl_scope_t *scope, TF_Output seed, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomGetKeyCounterAlg", options->name);
  sl_node_input(node, seed);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_stateless_random_get_key_counter_alg_t result;
  result.key = sl_op_output(operation, 0);
  result.counter = sl_op_output(operation, 1);
  result.alg = sl_op_output(operation, 2);
  return result;
}
#define sl_op_stateless_random_get_key_counter_alg(scope, seed, ...) \
  sl_op_stateless_random_get_key_counter_alg_with(SL_AT(scope), (seed), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StatelessRandomNormal(shape: T, seed: Tseed) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_normal_options_t;
static inline TF_Output sl_op_stateless_random_normal_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    const sl_op_stateless_random_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomNormal", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_normal(scope, shape, seed, ...) \
  sl_op_stateless_random_normal_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_random_normal_options_t, __VA_ARGS__))

// StatelessRandomNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_normal_v2_options_t;
static inline TF_Output sl_op_stateless_random_normal_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_stateless_random_normal_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomNormalV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_normal_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_random_normal_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_random_normal_v2_options_t, __VA_ARGS__))

// StatelessRandomUniform(shape: T, seed: Tseed) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_uniform_options_t;
static inline TF_Output sl_op_stateless_random_uniform_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    const sl_op_stateless_random_uniform_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniform", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform(scope, shape, seed, ...) \
  sl_op_stateless_random_uniform_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_random_uniform_options_t, __VA_ARGS__))

// StatelessRandomUniformV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_random_uniform_v2_options_t;
static inline TF_Output sl_op_stateless_random_uniform_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_stateless_random_uniform_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessRandomUniformV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_random_uniform_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_random_uniform_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_random_uniform_v2_options_t, __VA_ARGS__))

// StatelessTruncatedNormal(shape: T, seed: Tseed) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; T: {int32, int64} = DT_INT32; Tseed: {int32, int64} = DT_INT64
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_truncated_normal_options_t;
static inline TF_Output sl_op_stateless_truncated_normal_with(sl_scope_t *scope, TF_Output shape, TF_Output seed,
    const sl_op_stateless_truncated_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessTruncatedNormal", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, seed);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_truncated_normal(scope, shape, seed, ...) \
  sl_op_stateless_truncated_normal_with(SL_AT(scope), (shape), (seed), SL_OPTIONS( \
    sl_op_stateless_truncated_normal_options_t, __VA_ARGS__))

// StatelessTruncatedNormalV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> output: dtype
// dtype: {half, bfloat16, float, double} = DT_FLOAT; Tshape: {int32, int64} = DT_INT32
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType dtype;
} sl_op_stateless_truncated_normal_v2_options_t;
static inline TF_Output sl_op_stateless_truncated_normal_v2_with(sl_scope_t *scope, TF_Output shape, TF_Output key,
    TF_Output counter, TF_Output alg, const sl_op_stateless_truncated_normal_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StatelessTruncatedNormalV2", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, key);
  sl_node_input(node, counter);
  sl_node_input(node, alg);
  if (options->dtype) sl_node_attr_type(node, "dtype", options->dtype);
  return sl_node_output(node);
}
#define sl_op_stateless_truncated_normal_v2(scope, shape, key, counter, alg, ...) \
  sl_op_stateless_truncated_normal_v2_with(SL_AT(scope), (shape), (key), (counter), (alg), SL_OPTIONS( \
    sl_op_stateless_truncated_normal_v2_options_t, __VA_ARGS__))

// StaticRegexFullMatch(input: string) -> output: bool
// Whether each element as a whole matches the pattern.
// pattern: string
// Without a gradient.
static inline TF_Output sl_op_static_regex_full_match_with(sl_scope_t *scope, TF_Output input, const char *pattern,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StaticRegexFullMatch", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "pattern", pattern);
  return sl_node_output(node);
}
#define sl_op_static_regex_full_match(scope, input, pattern, ...) \
  sl_op_static_regex_full_match_with(SL_AT(scope), (input), (pattern), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StaticRegexReplace(input: string) -> output: string
// Replaces what matches the pattern in each element.
// pattern: string; rewrite: string; replace_global: bool = true
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool replace_global;
} sl_op_static_regex_replace_options_t;
static inline TF_Output sl_op_static_regex_replace_with(sl_scope_t *scope, TF_Output input, const char *pattern,
    const char *rewrite, const sl_op_static_regex_replace_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StaticRegexReplace", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "pattern", pattern);
  sl_node_attr_text(node, "rewrite", rewrite);
  sl_node_attr_bool(node, "replace_global", options->replace_global);
  return sl_node_output(node);
}
#define sl_op_static_regex_replace(scope, input, pattern, rewrite, ...) \
  SL_OVER_DEFAULTS(sl_op_static_regex_replace_with(SL_AT(scope), (input), (pattern), (rewrite), SL_OPTIONS( \
    sl_op_static_regex_replace_options_t, .replace_global = true, __VA_ARGS__)))

// StopGradient(input: T) -> output: T
// The input; no gradient flows back.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_stop_gradient_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StopGradient", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_stop_gradient(scope, input, ...) \
  sl_op_stop_gradient_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StridedSlice(input: T, begin: Index, end: Index, strides: Index) -> output: T
// A slice as Python's subscripts describe it.
// T: type; Index: {int16, int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0;
//   new_axis_mask: int = 0; shrink_axis_mask: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_strided_slice_options_t;
static inline TF_Output sl_op_strided_slice_with(sl_scope_t *scope, TF_Output input, TF_Output begin, TF_Output end,
    TF_Output strides, const sl_op_strided_slice_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StridedSlice", options->name);
  sl_node_input(node, input);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_strided_slice(scope, input, begin, end, strides, ...) \
  sl_op_strided_slice_with(SL_AT(scope), (input), (begin), (end), (strides), SL_OPTIONS( \
    sl_op_strided_slice_options_t, __VA_ARGS__))

// StridedSliceAssign(ref: Ref(T), begin: Index, end: Index, strides: Index, value: T) -> output_ref: Ref(T)
// Sets a slice of a variable.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_strided_slice_assign_options_t;
static inline TF_Output sl_op_strided_slice_assign_with(sl_scope_t *scope, TF_Output ref, TF_Output begin,
    TF_Output end, TF_Output strides, TF_Output value, const sl_op_strided_slice_assign_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StridedSliceAssign", options->name);
  sl_node_input(node, ref);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, value);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_strided_slice_assign(scope, ref, begin, end, strides, value, ...) \
  sl_op_strided_slice_assign_with(SL_AT(scope), (ref), (begin), (end), (strides), (value), SL_OPTIONS( \
    sl_op_strided_slice_assign_options_t, __VA_ARGS__))

// StridedSliceGrad(shape: Index, begin: Index, end: Index, strides: Index, dy: T) -> output: T
// Zeros with a gradient where a slice was taken.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_strided_slice_grad_options_t;
static inline TF_Output sl_op_strided_slice_grad_with(sl_scope_t *scope, TF_Output shape, TF_Output begin,
    TF_Output end, TF_Output strides, TF_Output dy, const sl_op_strided_slice_grad_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StridedSliceGrad", options->name);
  sl_node_input(node, shape);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, dy);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_strided_slice_grad(scope, shape, begin, end, strides, dy, ...) \
  sl_op_strided_slice_grad_with(SL_AT(scope), (shape), (begin), (end), (strides), (dy), SL_OPTIONS( \
    sl_op_strided_slice_grad_options_t, __VA_ARGS__))

// StringFormat(inputs: T) -> output: string
// Tensors in a template.
// T: list(type) >= 0; template: string = '%s'; placeholder: string = '%s'; summarize: int = 3
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *template;
  const char *placeholder;
  int64_t summarize;
} sl_op_string_format_options_t;
static inline TF_Output sl_op_string_format_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_string_format_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringFormat", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  if (options->template) sl_node_attr_text(node, "template", options->template);
  if (options->placeholder) sl_node_attr_text(node, "placeholder", options->placeholder);
  sl_node_attr_int(node, "summarize", options->summarize);
  return sl_node_output(node);
}
#define sl_op_string_format(scope, inputs, inputs_count, ...) \
  SL_OVER_DEFAULTS(sl_op_string_format_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS( \
    sl_op_string_format_options_t, .summarize = 3, __VA_ARGS__)))

// StringJoin(inputs: N * string) -> output: string
// Joins strings element by element.
// N: int >= 0; separator: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *separator;
} sl_op_string_join_options_t;
static inline TF_Output sl_op_string_join_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_string_join_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringJoin", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  if (options->separator) sl_node_attr_text(node, "separator", options->separator);
  return sl_node_output(node);
}
#define sl_op_string_join(scope, inputs, inputs_count, ...) \
  sl_op_string_join_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_string_join_options_t, __VA_ARGS__))

// StringLength(input: string) -> output: int32
// The lengths of strings.
// unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *unit;
} sl_op_string_length_options_t;
static inline TF_Output sl_op_string_length_with(sl_scope_t *scope, TF_Output input,
    const sl_op_string_length_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringLength", options->name);
  sl_node_input(node, input);
  if (options->unit) sl_node_attr_text(node, "unit", options->unit);
  return sl_node_output(node);
}
#define sl_op_string_length(scope, input, ...) \
  sl_op_string_length_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_string_length_options_t, __VA_ARGS__))

// StringLower(input: string) -> output: string
// Strings in lower case.
// encoding: string = ''
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *encoding;
} sl_op_string_lower_options_t;
static inline TF_Output sl_op_string_lower_with(sl_scope_t *scope, TF_Output input,
    const sl_op_string_lower_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringLower", options->name);
  sl_node_input(node, input);
  if (options->encoding) sl_node_attr_text(node, "encoding", options->encoding);
  return sl_node_output(node);
}
#define sl_op_string_lower(scope, input, ...) \
  sl_op_string_lower_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_string_lower_options_t, __VA_ARGS__))

// StringSplit(input: string, delimiter: string) -> indices: int64, values: string, shape: int64
// The parts of strings between any of some bytes.
// skip_empty: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool skip_empty;
} sl_op_string_split_options_t;
typedef struct {
  TF_Output indices;
  TF_Output values;
  TF_Output shape;
} sl_op_string_split_t;
static inline sl_op_string_split_t sl_op_string_split_with(sl_scope_t *scope, TF_Output input, TF_Output delimiter,
    const sl_op_string_split_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringSplit", options->name);
  sl_node_input(node, input);
  sl_node_input(node, delimiter);
  sl_node_attr_bool(node, "skip_empty", options->skip_empty);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_string_split_t result;
  result.indices = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  result.shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_string_split(scope, input, delimiter, ...) \
  SL_OVER_DEFAULTS(sl_op_string_split_with(SL_AT(scope), (input), (delimiter), SL_OPTIONS( \
    sl_op_string_split_options_t, .skip_empty = true, __VA_ARGS__)))

// StringSplitV2(input: string, sep: string) -> indices: int64, values: string, shape: int64
// The parts of strings between separators.
// maxsplit: int = -1
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t maxsplit;
} sl_op_string_split_v2_options_t;
typedef struct {
  TF_Output indices;
  TF_Output values;
  TF_Output shape;
} sl_op_string_split_v2_t;
static inline sl_op_string_split_v2_t sl_op_string_split_v2_with(sl_scope_t *scope, TF_Output input, TF_Output sep,
    const sl_op_string_split_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringSplitV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, sep);
  sl_node_attr_int(node, "maxsplit", options->maxsplit);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_string_split_v2_t result;
  result.indices = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  result.shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_string_split_v2(scope, input, sep, ...) \
  SL_OVER_DEFAULTS(sl_op_string_split_v2_with(SL_AT(scope), (input), (sep), SL_OPTIONS( \
    sl_op_string_split_v2_options_t, .maxsplit = -1, __VA_ARGS__)))

// StringStrip(input: string) -> output: string
// Strings without spaces at their ends.
// Without a gradient.
static inline TF_Output sl_op_string_strip_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringStrip", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_string_strip(scope, input, ...) \
  sl_op_string_strip_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StringToHashBucket(string_tensor: string) -> output: int64
// Strings to buckets by a hash that may change.
// num_buckets: int >= 1
// Gradients stop here.
static inline TF_Output sl_op_string_to_hash_bucket_with(sl_scope_t *scope, TF_Output string_tensor,
    int64_t num_buckets, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToHashBucket", options->name);
  sl_node_input(node, string_tensor);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  return sl_node_output(node);
}
#define sl_op_string_to_hash_bucket(scope, string_tensor, num_buckets, ...) \
  sl_op_string_to_hash_bucket_with(SL_AT(scope), (string_tensor), (num_buckets), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StringToHashBucketFast(input: string) -> output: int64
// Strings to buckets by a fast hash.
// num_buckets: int >= 1
// Gradients stop here.
static inline TF_Output sl_op_string_to_hash_bucket_fast_with(sl_scope_t *scope, TF_Output input,
    int64_t num_buckets, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToHashBucketFast", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  return sl_node_output(node);
}
#define sl_op_string_to_hash_bucket_fast(scope, input, num_buckets, ...) \
  sl_op_string_to_hash_bucket_fast_with(SL_AT(scope), (input), (num_buckets), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StringToHashBucketStrong(input: string) -> output: int64
// Strings to buckets by a keyed hash.
// num_buckets: int >= 1; key: list(int)
// Gradients stop here.
static inline TF_Output sl_op_string_to_hash_bucket_strong_with(sl_scope_t *scope, TF_Output input,
    int64_t num_buckets, sl_op_ints_t key, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToHashBucketStrong", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  sl_node_attr_int_list(node, "key", key.values, key.count);
  return sl_node_output(node);
}
#define sl_op_string_to_hash_bucket_strong(scope, input, num_buckets, key, ...) \
  sl_op_string_to_hash_bucket_strong_with(SL_AT(scope), (input), (num_buckets), (key), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StringToNumber(string_tensor: string) -> output: out_type
// Texts as numbers.
// out_type: {float, double, int32, int64} = DT_FLOAT
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_string_to_number_options_t;
static inline TF_Output sl_op_string_to_number_with(sl_scope_t *scope, TF_Output string_tensor,
    const sl_op_string_to_number_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToNumber", options->name);
  sl_node_input(node, string_tensor);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_string_to_number(scope, string_tensor, ...) \
  sl_op_string_to_number_with(SL_AT(scope), (string_tensor), SL_OPTIONS(sl_op_string_to_number_options_t, \
    __VA_ARGS__))

// StringUpper(input: string) -> output: string
// Strings in upper case.
// encoding: string = ''
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *encoding;
} sl_op_string_upper_options_t;
static inline TF_Output sl_op_string_upper_with(sl_scope_t *scope, TF_Output input,
    const sl_op_string_upper_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringUpper", options->name);
  sl_node_input(node, input);
  if (options->encoding) sl_node_attr_text(node, "encoding", options->encoding);
  return sl_node_output(node);
}
#define sl_op_string_upper(scope, input, ...) \
  sl_op_string_upper_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_string_upper_options_t, __VA_ARGS__))

// Sub(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64}
// Differentiable.
static inline TF_Output sl_op_sub_with(sl_scope_t *scope, TF_Output x, TF_Output y, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sub", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_sub(scope, x, y, ...) sl_op_sub_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Substr(input: string, pos: T, len: T) -> output: string
// Parts of strings by position and length.
// T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *unit;
} sl_op_substr_options_t;
static inline TF_Output sl_op_substr_with(sl_scope_t *scope, TF_Output input, TF_Output pos, TF_Output len,
    const sl_op_substr_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Substr", options->name);
  sl_node_input(node, input);
  sl_node_input(node, pos);
  sl_node_input(node, len);
  if (options->unit) sl_node_attr_text(node, "unit", options->unit);
  return sl_node_output(node);
}
#define sl_op_substr(scope, input, pos, len, ...) \
  sl_op_substr_with(SL_AT(scope), (input), (pos), (len), SL_OPTIONS(sl_op_substr_options_t, __VA_ARGS__))

// Sum(input: T, reduction_indices: Tidx) -> output: T
// keep_dims: bool = false; T: numbertype; Tidx: {int32, int64} = DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
} sl_op_sum_options_t;
static inline TF_Output sl_op_sum_with(sl_scope_t *scope, TF_Output input, TF_Output reduction_indices,
    const sl_op_sum_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Sum", options->name);
  sl_node_input(node, input);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  return sl_node_output(node);
}
#define sl_op_sum(scope, input, reduction_indices, ...) \
  sl_op_sum_with(SL_AT(scope), (input), (reduction_indices), SL_OPTIONS(sl_op_sum_options_t, __VA_ARGS__))

// SummaryWriter() -> writer: resource
// A writer of summaries, by name.
// shared_name: string = ''; container: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *shared_name;
  const char *container;
} sl_op_summary_writer_options_t;
static inline TF_Output sl_op_summary_writer_with(sl_scope_t *scope, const sl_op_summary_writer_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "SummaryWriter", options->name);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  return sl_node_output(node);
}
#define sl_op_summary_writer(scope, ...) \
  sl_op_summary_writer_with(SL_AT(scope), SL_OPTIONS(sl_op_summary_writer_options_t, __VA_ARGS__))

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

// TFRecordReader() -> reader_handle: Ref(string)
// A reader of TFRecord files.
// container: string = ''; shared_name: string = ''; compression_type: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TFRecordReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *compression_type;
} sl_op_tf_record_reader_options_t;
static inline TF_Output sl_op_tf_record_reader_with(sl_scope_t *scope,
    const sl_op_tf_record_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TFRecordReader", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->compression_type) sl_node_attr_text(node, "compression_type", options->compression_type);
  return sl_node_output(node);
}
#define sl_op_tf_record_reader(scope, ...) \
  sl_op_tf_record_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_tf_record_reader_options_t, __VA_ARGS__))

// TFRecordReaderV2() -> reader_handle: resource
// A reader of TFRecord files.
// container: string = ''; shared_name: string = ''; compression_type: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *compression_type;
} sl_op_tf_record_reader_v2_options_t;
static inline TF_Output sl_op_tf_record_reader_v2_with(sl_scope_t *scope,
    const sl_op_tf_record_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TFRecordReaderV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->compression_type) sl_node_attr_text(node, "compression_type", options->compression_type);
  return sl_node_output(node);
}
#define sl_op_tf_record_reader_v2(scope, ...) \
  sl_op_tf_record_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_tf_record_reader_v2_options_t, __VA_ARGS__))

// TakeManySparseFromTensorsMap(sparse_handles: int64) -> sparse_indices: int64, sparse_values: dtype, sparse_shape:
//   int64
// Takes sparse tensors out of a map and stacks them.
// dtype: type; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_take_many_sparse_from_tensors_map_options_t;
typedef struct {
  TF_Output sparse_indices;
  TF_Output sparse_values;
  TF_Output sparse_shape;
} sl_op_take_many_sparse_from_tensors_map_t;
static inline sl_op_take_many_sparse_from_tensors_map_t sl_op_take_many_sparse_from_tensors_map_with(
    sl_scope_t *scope, TF_Output sparse_handles, TF_DataType dtype,
    const sl_op_take_many_sparse_from_tensors_map_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TakeManySparseFromTensorsMap", options->name);
  sl_node_input(node, sparse_handles);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_take_many_sparse_from_tensors_map_t result;
  result.sparse_indices = sl_op_output(operation, 0);
  result.sparse_values = sl_op_output(operation, 1);
  result.sparse_shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_take_many_sparse_from_tensors_map(scope, sparse_handles, dtype, ...) \
  sl_op_take_many_sparse_from_tensors_map_with(SL_AT(scope), (sparse_handles), (dtype), SL_OPTIONS( \
    sl_op_take_many_sparse_from_tensors_map_options_t, __VA_ARGS__))

// Tan(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tan_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Tan", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_tan(scope, x, ...) sl_op_tan_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Tanh(x: T) -> y: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tanh_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Tanh", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_tanh(scope, x, ...) sl_op_tanh_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TanhGrad(y: T, dy: T) -> z: T
// T: {bfloat16, half, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_tanh_grad_with(sl_scope_t *scope, TF_Output y, TF_Output dy,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TanhGrad", options->name);
  sl_node_input(node, y);
  sl_node_input(node, dy);
  return sl_node_output(node);
}
#define sl_op_tanh_grad(scope, y, dy, ...) \
  sl_op_tanh_grad_with(SL_AT(scope), (y), (dy), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TemporaryVariable() -> ref: Ref(dtype)
// A variable of one step.
// shape: shape; dtype: type; var_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *var_name;
} sl_op_temporary_variable_options_t;
static inline TF_Output sl_op_temporary_variable_with(sl_scope_t *scope, sl_shape_t shape, TF_DataType dtype,
    const sl_op_temporary_variable_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TemporaryVariable", options->name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->var_name) sl_node_attr_text(node, "var_name", options->var_name);
  return sl_node_output(node);
}
#define sl_op_temporary_variable(scope, shape, dtype, ...) \
  sl_op_temporary_variable_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_temporary_variable_options_t, \
    __VA_ARGS__))

// TensorArray(size: int32) -> handle: Ref(string)
// An array of tensors for one step.
// dtype: type; dynamic_size: bool = false; clear_after_read: bool = true; tensor_array_name: string = '';
//   element_shape: shape = { unknown_rank: true }
// Stateful; gradients stop here. Deprecated since GraphDef version 16: Use TensorArrayV3
typedef struct {
  size_t struct_size;
  const char *name;
  bool dynamic_size;
  bool clear_after_read;
  const char *tensor_array_name;
  sl_shape_t element_shape;
} sl_op_tensor_array_options_t;
static inline TF_Output sl_op_tensor_array_with(sl_scope_t *scope, TF_Output size, TF_DataType dtype,
    const sl_op_tensor_array_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArray", options->name);
  sl_node_input(node, size);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_bool(node, "dynamic_size", options->dynamic_size);
  sl_node_attr_bool(node, "clear_after_read", options->clear_after_read);
  if (options->tensor_array_name) sl_node_attr_text(node, "tensor_array_name", options->tensor_array_name);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array(scope, size, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_with(SL_AT(scope), (size), (dtype), SL_OPTIONS(sl_op_tensor_array_options_t, \
    .clear_after_read = true, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayClose(handle: Ref(string))
// Drops the elements.
// Gradients stop here. Deprecated since GraphDef version 16: Use TensorArrayCloseV3
static inline TF_Operation *sl_op_tensor_array_close_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayClose", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_tensor_array_close(scope, handle, ...) \
  sl_op_tensor_array_close_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayCloseV2(handle: string)
// Drops the elements.
// Gradients stop here. Deprecated since GraphDef version 26: Use TensorArrayCloseV3
static inline TF_Operation *sl_op_tensor_array_close_v2_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayCloseV2", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_tensor_array_close_v2(scope, handle, ...) \
  sl_op_tensor_array_close_v2_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayCloseV3(handle: resource)
// Drops the elements.
// Stateful; gradients stop here.
static inline TF_Operation *sl_op_tensor_array_close_v3_with(sl_scope_t *scope, TF_Output handle,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayCloseV3", options->name);
  sl_node_input(node, handle);
  return sl_node_finish(node);
}
#define sl_op_tensor_array_close_v3(scope, handle, ...) \
  sl_op_tensor_array_close_v3_with(SL_AT(scope), (handle), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayConcat(handle: Ref(string), flow_in: float) -> value: dtype, lengths: int64
// Concatenates all elements.
// dtype: type; element_shape_except0: shape = { unknown_rank: true }
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayGradV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape_except0;
} sl_op_tensor_array_concat_options_t;
typedef struct {
  TF_Output value;
  TF_Output lengths;
} sl_op_tensor_array_concat_t;
static inline sl_op_tensor_array_concat_t sl_op_tensor_array_concat_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_concat_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayConcat", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape_except0", options->element_shape_except0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_concat_t result;
  result.value = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_concat(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_concat_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_concat_options_t, .element_shape_except0 = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayConcatV2(handle: string, flow_in: float) -> value: dtype, lengths: int64
// Concatenates all elements.
// dtype: type; element_shape_except0: shape = { unknown_rank: true }
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape_except0;
} sl_op_tensor_array_concat_v2_options_t;
typedef struct {
  TF_Output value;
  TF_Output lengths;
} sl_op_tensor_array_concat_v2_t;
static inline sl_op_tensor_array_concat_v2_t sl_op_tensor_array_concat_v2_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_concat_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayConcatV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape_except0", options->element_shape_except0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_concat_v2_t result;
  result.value = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_concat_v2(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_concat_v2_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_concat_v2_options_t, .element_shape_except0 = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayConcatV3(handle: resource, flow_in: float) -> value: dtype, lengths: int64
// Concatenates all elements.
// dtype: type; element_shape_except0: shape = { unknown_rank: true }
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape_except0;
} sl_op_tensor_array_concat_v3_options_t;
typedef struct {
  TF_Output value;
  TF_Output lengths;
} sl_op_tensor_array_concat_v3_t;
static inline sl_op_tensor_array_concat_v3_t sl_op_tensor_array_concat_v3_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_concat_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayConcatV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape_except0", options->element_shape_except0);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_concat_v3_t result;
  result.value = sl_op_output(operation, 0);
  result.lengths = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_concat_v3(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_concat_v3_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_concat_v3_options_t, .element_shape_except0 = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGather(handle: Ref(string), indices: int32, flow_in: float) -> value: dtype
// Reads elements into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayGatherV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_gather_options_t;
static inline TF_Output sl_op_tensor_array_gather_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_gather_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGather", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_gather(scope, handle, indices, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_gather_with(SL_AT(scope), (handle), (indices), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_gather_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGatherV2(handle: string, indices: int32, flow_in: float) -> value: dtype
// Reads elements into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayGatherV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_gather_v2_options_t;
static inline TF_Output sl_op_tensor_array_gather_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_gather_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGatherV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_gather_v2(scope, handle, indices, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_gather_v2_with(SL_AT(scope), (handle), (indices), (flow_in), (dtype), \
    SL_OPTIONS(sl_op_tensor_array_gather_v2_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGatherV3(handle: resource, indices: int32, flow_in: float) -> value: dtype
// Reads elements into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Stateful, differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_gather_v3_options_t;
static inline TF_Output sl_op_tensor_array_gather_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output flow_in, TF_DataType dtype, const sl_op_tensor_array_gather_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGatherV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_gather_v3(scope, handle, indices, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_gather_v3_with(SL_AT(scope), (handle), (indices), (flow_in), (dtype), \
    SL_OPTIONS(sl_op_tensor_array_gather_v3_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayGrad(handle: string, flow_in: float) -> grad_handle: Ref(string)
// The array of the gradients of an array.
// source: string
// Stateful; gradients stop here. Deprecated since GraphDef version 16: Use TensorArrayGradV3
static inline TF_Output sl_op_tensor_array_grad_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const char *source, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGrad", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_text(node, "source", source);
  return sl_node_output(node);
}
#define sl_op_tensor_array_grad(scope, handle, flow_in, source, ...) \
  sl_op_tensor_array_grad_with(SL_AT(scope), (handle), (flow_in), (source), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayGradV2(handle: string, flow_in: float) -> grad_handle: string
// The array of the gradients of an array.
// source: string
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TensorArrayGradV3
static inline TF_Output sl_op_tensor_array_grad_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const char *source, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGradV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_text(node, "source", source);
  return sl_node_output(node);
}
#define sl_op_tensor_array_grad_v2(scope, handle, flow_in, source, ...) \
  sl_op_tensor_array_grad_v2_with(SL_AT(scope), (handle), (flow_in), (source), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayGradV3(handle: resource, flow_in: float) -> grad_handle: resource, flow_out: float
// The array of the gradients of an array.
// source: string
// Stateful; gradients stop here.
typedef struct {
  TF_Output grad_handle;
  TF_Output flow_out;
} sl_op_tensor_array_grad_v3_t;
static inline sl_op_tensor_array_grad_v3_t sl_op_tensor_array_grad_v3_with(sl_scope_t *scope, TF_Output handle,
    TF_Output flow_in, const char *source, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGradV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_text(node, "source", source);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_grad_v3_t result;
  result.grad_handle = sl_op_output(operation, 0);
  result.flow_out = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_grad_v3(scope, handle, flow_in, source, ...) \
  sl_op_tensor_array_grad_v3_with(SL_AT(scope), (handle), (flow_in), (source), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayGradWithShape(handle: resource, flow_in: float, shape_to_prepend: int32) -> grad_handle: resource,
//   flow_out: float
// The array of the gradients of an array, with more dimensions.
// source: string
// Stateful; gradients stop here.
typedef struct {
  TF_Output grad_handle;
  TF_Output flow_out;
} sl_op_tensor_array_grad_with_shape_t;
static inline sl_op_tensor_array_grad_with_shape_t sl_op_tensor_array_grad_with_shape_with(sl_scope_t *scope,
    TF_Output handle, TF_Output flow_in, TF_Output shape_to_prepend, const char *source,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayGradWithShape", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_input(node, shape_to_prepend);
  sl_node_attr_text(node, "source", source);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_grad_with_shape_t result;
  result.grad_handle = sl_op_output(operation, 0);
  result.flow_out = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_grad_with_shape(scope, handle, flow_in, shape_to_prepend, source, ...) \
  sl_op_tensor_array_grad_with_shape_with(SL_AT(scope), (handle), (flow_in), (shape_to_prepend), (source), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorArrayPack(handle: Ref(string), flow_in: float) -> value: dtype
// Reads all elements into one tensor.
// dtype: type; element_shape: shape = { unknown_rank: true }
// Without a gradient. Deprecated since GraphDef version 16: Use TensorArrayGatherV3 with RangeOp
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
} sl_op_tensor_array_pack_options_t;
static inline TF_Output sl_op_tensor_array_pack_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    TF_DataType dtype, const sl_op_tensor_array_pack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayPack", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  return sl_node_output(node);
}
#define sl_op_tensor_array_pack(scope, handle, flow_in, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_pack_with(SL_AT(scope), (handle), (flow_in), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_pack_options_t, .element_shape = SL_UNKNOWN_SHAPE, __VA_ARGS__)))

// TensorArrayRead(handle: Ref(string), index: int32, flow_in: float) -> value: dtype
// Reads an element.
// dtype: type
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayReadV3
static inline TF_Output sl_op_tensor_array_read_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output flow_in, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayRead", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_array_read(scope, handle, index, flow_in, dtype, ...) \
  sl_op_tensor_array_read_with(SL_AT(scope), (handle), (index), (flow_in), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayReadV2(handle: string, index: int32, flow_in: float) -> value: dtype
// Reads an element.
// dtype: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayReadV3
static inline TF_Output sl_op_tensor_array_read_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output flow_in, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayReadV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_array_read_v2(scope, handle, index, flow_in, dtype, ...) \
  sl_op_tensor_array_read_v2_with(SL_AT(scope), (handle), (index), (flow_in), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayReadV3(handle: resource, index: int32, flow_in: float) -> value: dtype
// Reads an element.
// dtype: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_read_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output flow_in, TF_DataType dtype, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayReadV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, flow_in);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_tensor_array_read_v3(scope, handle, index, flow_in, dtype, ...) \
  sl_op_tensor_array_read_v3_with(SL_AT(scope), (handle), (index), (flow_in), (dtype), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayScatter(handle: Ref(string), indices: int32, value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor as elements.
// T: type
// Differentiable. Deprecated since GraphDef version 19: Use TensorArrayGradV3
static inline TF_Output sl_op_tensor_array_scatter_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayScatter", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_scatter(scope, handle, indices, value, flow_in, ...) \
  sl_op_tensor_array_scatter_with(SL_AT(scope), (handle), (indices), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayScatterV2(handle: string, indices: int32, value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor as elements.
// T: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayScatterV3
static inline TF_Output sl_op_tensor_array_scatter_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayScatterV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_scatter_v2(scope, handle, indices, value, flow_in, ...) \
  sl_op_tensor_array_scatter_v2_with(SL_AT(scope), (handle), (indices), (value), (flow_in), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorArrayScatterV3(handle: resource, indices: int32, value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor as elements.
// T: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_scatter_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output indices,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayScatterV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, indices);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_scatter_v3(scope, handle, indices, value, flow_in, ...) \
  sl_op_tensor_array_scatter_v3_with(SL_AT(scope), (handle), (indices), (value), (flow_in), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TensorArraySize(handle: Ref(string), flow_in: float) -> size: int32
// The number of elements.
// Gradients stop here. Deprecated since GraphDef version 16: Use TensorArraySizeV3
static inline TF_Output sl_op_tensor_array_size_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySize", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_size(scope, handle, flow_in, ...) \
  sl_op_tensor_array_size_with(SL_AT(scope), (handle), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArraySizeV2(handle: string, flow_in: float) -> size: int32
// The number of elements.
// Gradients stop here. Deprecated since GraphDef version 26: Use TensorArraySizeV3
static inline TF_Output sl_op_tensor_array_size_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySizeV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_size_v2(scope, handle, flow_in, ...) \
  sl_op_tensor_array_size_v2_with(SL_AT(scope), (handle), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArraySizeV3(handle: resource, flow_in: float) -> size: int32
// The number of elements.
// Stateful; gradients stop here.
static inline TF_Output sl_op_tensor_array_size_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output flow_in,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySizeV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_size_v3(scope, handle, flow_in, ...) \
  sl_op_tensor_array_size_v3_with(SL_AT(scope), (handle), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArraySplit(handle: Ref(string), value: T, lengths: int64, flow_in: float) -> flow_out: float
// Splits a tensor into elements.
// T: type
// Differentiable. Deprecated since GraphDef version 16: Use TensorArraySplitV3
static inline TF_Output sl_op_tensor_array_split_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output lengths, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySplit", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, lengths);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_split(scope, handle, value, lengths, flow_in, ...) \
  sl_op_tensor_array_split_with(SL_AT(scope), (handle), (value), (lengths), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArraySplitV2(handle: string, value: T, lengths: int64, flow_in: float) -> flow_out: float
// Splits a tensor into elements.
// T: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArraySplitV3
static inline TF_Output sl_op_tensor_array_split_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output lengths, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySplitV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, lengths);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_split_v2(scope, handle, value, lengths, flow_in, ...) \
  sl_op_tensor_array_split_v2_with(SL_AT(scope), (handle), (value), (lengths), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArraySplitV3(handle: resource, value: T, lengths: int64, flow_in: float) -> flow_out: float
// Splits a tensor into elements.
// T: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_split_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output lengths, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArraySplitV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, lengths);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_split_v3(scope, handle, value, lengths, flow_in, ...) \
  sl_op_tensor_array_split_v3_with(SL_AT(scope), (handle), (value), (lengths), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayUnpack(handle: Ref(string), value: T, flow_in: float) -> flow_out: float
// Writes the rows of a tensor as all elements.
// T: type
// Without a gradient. Deprecated since GraphDef version 20: Use TensorArrayScatterV3 with RangeOp
static inline TF_Output sl_op_tensor_array_unpack_with(sl_scope_t *scope, TF_Output handle, TF_Output value,
    TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayUnpack", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_unpack(scope, handle, value, flow_in, ...) \
  sl_op_tensor_array_unpack_with(SL_AT(scope), (handle), (value), (flow_in), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TensorArrayV2(size: int32) -> handle: string
// An array of tensors for one step.
// dtype: type; element_shape: shape = { unknown_rank: true }; dynamic_size: bool = false; clear_after_read: bool =
//   true; tensor_array_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TensorArrayV3
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
  bool dynamic_size;
  bool clear_after_read;
  const char *tensor_array_name;
} sl_op_tensor_array_v2_options_t;
static inline TF_Output sl_op_tensor_array_v2_with(sl_scope_t *scope, TF_Output size, TF_DataType dtype,
    const sl_op_tensor_array_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayV2", options->name);
  sl_node_input(node, size);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  sl_node_attr_bool(node, "dynamic_size", options->dynamic_size);
  sl_node_attr_bool(node, "clear_after_read", options->clear_after_read);
  if (options->tensor_array_name) sl_node_attr_text(node, "tensor_array_name", options->tensor_array_name);
  return sl_node_output(node);
}
#define sl_op_tensor_array_v2(scope, size, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_v2_with(SL_AT(scope), (size), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_v2_options_t, .element_shape = SL_UNKNOWN_SHAPE, .clear_after_read = true, __VA_ARGS__)))

// TensorArrayV3(size: int32) -> handle: resource, flow: float
// An array of tensors for one step.
// dtype: type; element_shape: shape = { unknown_rank: true }; dynamic_size: bool = false; clear_after_read: bool =
//   true; identical_element_shapes: bool = false; tensor_array_name: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  sl_shape_t element_shape;
  bool dynamic_size;
  bool clear_after_read;
  bool identical_element_shapes;
  const char *tensor_array_name;
} sl_op_tensor_array_v3_options_t;
typedef struct {
  TF_Output handle;
  TF_Output flow;
} sl_op_tensor_array_v3_t;
static inline sl_op_tensor_array_v3_t sl_op_tensor_array_v3_with(sl_scope_t *scope, TF_Output size,
    TF_DataType dtype, const sl_op_tensor_array_v3_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayV3", options->name);
  sl_node_input(node, size);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "element_shape", options->element_shape);
  sl_node_attr_bool(node, "dynamic_size", options->dynamic_size);
  sl_node_attr_bool(node, "clear_after_read", options->clear_after_read);
  sl_node_attr_bool(node, "identical_element_shapes", options->identical_element_shapes);
  if (options->tensor_array_name) sl_node_attr_text(node, "tensor_array_name", options->tensor_array_name);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_tensor_array_v3_t result;
  result.handle = sl_op_output(operation, 0);
  result.flow = sl_op_output(operation, 1);
  return result;
}
#define sl_op_tensor_array_v3(scope, size, dtype, ...) \
  SL_OVER_DEFAULTS(sl_op_tensor_array_v3_with(SL_AT(scope), (size), (dtype), SL_OPTIONS( \
    sl_op_tensor_array_v3_options_t, .element_shape = SL_UNKNOWN_SHAPE, .clear_after_read = true, __VA_ARGS__)))

// TensorArrayWrite(handle: Ref(string), index: int32, value: T, flow_in: float) -> flow_out: float
// Writes an element.
// T: type
// Differentiable. Deprecated since GraphDef version 16: Use TensorArrayWriteV3
static inline TF_Output sl_op_tensor_array_write_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayWrite", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_write(scope, handle, index, value, flow_in, ...) \
  sl_op_tensor_array_write_with(SL_AT(scope), (handle), (index), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayWriteV2(handle: string, index: int32, value: T, flow_in: float) -> flow_out: float
// Writes an element.
// T: type
// Differentiable. Deprecated since GraphDef version 26: Use TensorArrayWriteV3
static inline TF_Output sl_op_tensor_array_write_v2_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayWriteV2", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_write_v2(scope, handle, index, value, flow_in, ...) \
  sl_op_tensor_array_write_v2_with(SL_AT(scope), (handle), (index), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorArrayWriteV3(handle: resource, index: int32, value: T, flow_in: float) -> flow_out: float
// Writes an element.
// T: type
// Stateful, differentiable.
static inline TF_Output sl_op_tensor_array_write_v3_with(sl_scope_t *scope, TF_Output handle, TF_Output index,
    TF_Output value, TF_Output flow_in, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorArrayWriteV3", options->name);
  sl_node_input(node, handle);
  sl_node_input(node, index);
  sl_node_input(node, value);
  sl_node_input(node, flow_in);
  return sl_node_output(node);
}
#define sl_op_tensor_array_write_v3(scope, handle, index, value, flow_in, ...) \
  sl_op_tensor_array_write_v3_with(SL_AT(scope), (handle), (index), (value), (flow_in), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterAdd(tensor: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices added.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_add_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterAdd", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_add(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_add_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterMax(tensor: T, indices: Tindices, updates: T) -> output: T
// The greater of a tensor and slices.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_max_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterMax", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_max(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_max_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterMin(tensor: T, indices: Tindices, updates: T) -> output: T
// The lesser of a tensor and slices.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_min_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterMin", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_min(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_min_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterSub(tensor: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices subtracted.
// T: type; Tindices: {int32, int64}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_sub_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterSub", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_sub(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_sub_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorScatterUpdate(tensor: T, indices: Tindices, updates: T) -> output: T
// A tensor with slices replaced.
// T: type; Tindices: {int16, int32, int64, uint16}
// Differentiable.
static inline TF_Output sl_op_tensor_scatter_update_with(sl_scope_t *scope, TF_Output tensor, TF_Output indices,
    TF_Output updates, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorScatterUpdate", options->name);
  sl_node_input(node, tensor);
  sl_node_input(node, indices);
  sl_node_input(node, updates);
  return sl_node_output(node);
}
#define sl_op_tensor_scatter_update(scope, tensor, indices, updates, ...) \
  sl_op_tensor_scatter_update_with(SL_AT(scope), (tensor), (indices), (updates), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// TensorStridedSliceUpdate(input: T, begin: Index, end: Index, strides: Index, value: T) -> output: T
// A tensor with a slice replaced.
// T: type; Index: {int32, int64}; begin_mask: int = 0; end_mask: int = 0; ellipsis_mask: int = 0; new_axis_mask: int
//   = 0; shrink_axis_mask: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t begin_mask;
  int64_t end_mask;
  int64_t ellipsis_mask;
  int64_t new_axis_mask;
  int64_t shrink_axis_mask;
} sl_op_tensor_strided_slice_update_options_t;
static inline TF_Output sl_op_tensor_strided_slice_update_with(sl_scope_t *scope, TF_Output input, TF_Output begin,
    TF_Output end, TF_Output strides, TF_Output value, const sl_op_tensor_strided_slice_update_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorStridedSliceUpdate", options->name);
  sl_node_input(node, input);
  sl_node_input(node, begin);
  sl_node_input(node, end);
  sl_node_input(node, strides);
  sl_node_input(node, value);
  sl_node_attr_int(node, "begin_mask", options->begin_mask);
  sl_node_attr_int(node, "end_mask", options->end_mask);
  sl_node_attr_int(node, "ellipsis_mask", options->ellipsis_mask);
  sl_node_attr_int(node, "new_axis_mask", options->new_axis_mask);
  sl_node_attr_int(node, "shrink_axis_mask", options->shrink_axis_mask);
  return sl_node_output(node);
}
#define sl_op_tensor_strided_slice_update(scope, input, begin, end, strides, value, ...) \
  sl_op_tensor_strided_slice_update_with(SL_AT(scope), (input), (begin), (end), (strides), (value), SL_OPTIONS( \
    sl_op_tensor_strided_slice_update_options_t, __VA_ARGS__))

// TensorSummary(tensor: T) -> summary: string
// A Summary with a tensor.
// T: type; description: string = ''; labels: list(string) = []; display_name: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *description;
  sl_op_texts_t labels;
  const char *display_name;
} sl_op_tensor_summary_options_t;
static inline TF_Output sl_op_tensor_summary_with(sl_scope_t *scope, TF_Output tensor,
    const sl_op_tensor_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorSummary", options->name);
  sl_node_input(node, tensor);
  if (options->description) sl_node_attr_text(node, "description", options->description);
  if (options->labels.values) sl_node_attr_text_list(node, "labels", options->labels.values, options->labels.count);
  if (options->display_name) sl_node_attr_text(node, "display_name", options->display_name);
  return sl_node_output(node);
}
#define sl_op_tensor_summary(scope, tensor, ...) \
  sl_op_tensor_summary_with(SL_AT(scope), (tensor), SL_OPTIONS(sl_op_tensor_summary_options_t, __VA_ARGS__))

// TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) -> summary: string
// A Summary with a tensor and how to show it.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_tensor_summary_v2_with(sl_scope_t *scope, TF_Output tag, TF_Output tensor,
    TF_Output serialized_summary_metadata, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TensorSummaryV2", options->name);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, serialized_summary_metadata);
  return sl_node_output(node);
}
#define sl_op_tensor_summary_v2(scope, tag, tensor, serialized_summary_metadata, ...) \
  sl_op_tensor_summary_v2_with(SL_AT(scope), (tag), (tensor), (serialized_summary_metadata), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// TextLineReader() -> reader_handle: Ref(string)
// A reader of lines.
// skip_header_lines: int = 0; container: string = ''; shared_name: string = ''
// Stateful; gradients stop here. Deprecated since GraphDef version 26: Use TextLineReaderV2
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t skip_header_lines;
  const char *container;
  const char *shared_name;
} sl_op_text_line_reader_options_t;
static inline TF_Output sl_op_text_line_reader_with(sl_scope_t *scope,
    const sl_op_text_line_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TextLineReader", options->name);
  sl_node_attr_int(node, "skip_header_lines", options->skip_header_lines);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_text_line_reader(scope, ...) \
  sl_op_text_line_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_text_line_reader_options_t, __VA_ARGS__))

// TextLineReaderV2() -> reader_handle: resource
// A reader of lines.
// skip_header_lines: int = 0; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t skip_header_lines;
  const char *container;
  const char *shared_name;
} sl_op_text_line_reader_v2_options_t;
static inline TF_Output sl_op_text_line_reader_v2_with(sl_scope_t *scope,
    const sl_op_text_line_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TextLineReaderV2", options->name);
  sl_node_attr_int(node, "skip_header_lines", options->skip_header_lines);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_text_line_reader_v2(scope, ...) \
  sl_op_text_line_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_text_line_reader_v2_options_t, __VA_ARGS__))

// Tile(input: T, multiples: Tmultiples) -> output: T
// Repeats the whole tensor along its dimensions.
// T: type; Tmultiples: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_tile_with(sl_scope_t *scope, TF_Output input, TF_Output multiples,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Tile", options->name);
  sl_node_input(node, input);
  sl_node_input(node, multiples);
  return sl_node_output(node);
}
#define sl_op_tile(scope, input, multiples, ...) \
  sl_op_tile_with(SL_AT(scope), (input), (multiples), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Timestamp() -> ts: double
// The time in seconds since 1970.
// Stateful; gradients stop here.
static inline TF_Output sl_op_timestamp_with(sl_scope_t *scope, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Timestamp", options->name);
  return sl_node_output(node);
}
#define sl_op_timestamp(scope, ...) sl_op_timestamp_with(SL_AT(scope), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TopK(input: T) -> values: T, indices: int32
// k: int >= 0; sorted: bool = true; T: realnumbertype
// Differentiable. Deprecated since GraphDef version 7: Use TopKV2 instead
typedef struct {
  size_t struct_size;
  const char *name;
  bool sorted;
} sl_op_top_k_options_t;
typedef struct {
  TF_Output values;
  TF_Output indices;
} sl_op_top_k_t;
static inline sl_op_top_k_t sl_op_top_k_with(sl_scope_t *scope, TF_Output input, int64_t k,
    const sl_op_top_k_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TopK", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "k", k);
  sl_node_attr_bool(node, "sorted", options->sorted);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_top_k_t result;
  result.values = sl_op_output(operation, 0);
  result.indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_top_k(scope, input, k, ...) \
  SL_OVER_DEFAULTS(sl_op_top_k_with(SL_AT(scope), (input), (k), SL_OPTIONS(sl_op_top_k_options_t, .sorted = true, \
    __VA_ARGS__)))

// TopKV2(input: T, k: Tk) -> values: T, indices: index_type
// sorted: bool = true; T: realnumbertype; Tk: {int16, int32, int64} = DT_INT32; index_type: {int16, int32, int64} =
//   DT_INT32
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  bool sorted;
  TF_DataType index_type;
} sl_op_top_k_v2_options_t;
typedef struct {
  TF_Output values;
  TF_Output indices;
} sl_op_top_k_v2_t;
static inline sl_op_top_k_v2_t sl_op_top_k_v2_with(sl_scope_t *scope, TF_Output input, TF_Output k,
    const sl_op_top_k_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TopKV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, k);
  sl_node_attr_bool(node, "sorted", options->sorted);
  if (options->index_type) sl_node_attr_type(node, "index_type", options->index_type);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_top_k_v2_t result;
  result.values = sl_op_output(operation, 0);
  result.indices = sl_op_output(operation, 1);
  return result;
}
#define sl_op_top_k_v2(scope, input, k, ...) \
  SL_OVER_DEFAULTS(sl_op_top_k_v2_with(SL_AT(scope), (input), (k), SL_OPTIONS(sl_op_top_k_v2_options_t, \
    .sorted = true, __VA_ARGS__)))

// Transpose(x: T, perm: Tperm) -> y: T
// Dimensions in another order.
// T: type; Tperm: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_transpose_with(sl_scope_t *scope, TF_Output x, TF_Output perm,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Transpose", options->name);
  sl_node_input(node, x);
  sl_node_input(node, perm);
  return sl_node_output(node);
}
#define sl_op_transpose(scope, x, perm, ...) \
  sl_op_transpose_with(SL_AT(scope), (x), (perm), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TruncateDiv(x: T, y: T) -> z: T
// T: {bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_truncate_div_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TruncateDiv", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_truncate_div(scope, x, y, ...) \
  sl_op_truncate_div_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TruncateMod(x: T, y: T) -> z: T
// T: {int32, int64, bfloat16, half, float, double}
// Without a gradient.
static inline TF_Output sl_op_truncate_mod_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TruncateMod", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_truncate_mod(scope, x, y, ...) \
  sl_op_truncate_mod_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// TruncatedNormal(shape: T) -> output: dtype
// seed: int = 0; seed2: int = 0; dtype: {half, bfloat16, float, double}; T: {int32, int64}
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_truncated_normal_options_t;
static inline TF_Output sl_op_truncated_normal_with(sl_scope_t *scope, TF_Output shape, TF_DataType dtype,
    const sl_op_truncated_normal_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "TruncatedNormal", options->name);
  sl_node_input(node, shape);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  sl_node_attr_type(node, "dtype", dtype);
  return sl_node_output(node);
}
#define sl_op_truncated_normal(scope, shape, dtype, ...) \
  sl_op_truncated_normal_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_truncated_normal_options_t, \
    __VA_ARGS__))

// UniformCandidateSampler(true_classes: int64) -> sampled_candidates: int64, true_expected_count: float,
//   sampled_expected_count: float
// Classes, each as likely as the others.
// num_true: int >= 1; num_sampled: int >= 1; unique: bool; range_max: int >= 1; seed: int = 0; seed2: int = 0
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t seed;
  int64_t seed2;
} sl_op_uniform_candidate_sampler_options_t;
typedef struct {
  TF_Output sampled_candidates;
  TF_Output true_expected_count;
  TF_Output sampled_expected_count;
} sl_op_uniform_candidate_sampler_t;
static inline sl_op_uniform_candidate_sampler_t sl_op_uniform_candidate_sampler_with(sl_scope_t *scope,
    TF_Output true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max,
    const sl_op_uniform_candidate_sampler_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniformCandidateSampler", options->name);
  sl_node_input(node, true_classes);
  sl_node_attr_int(node, "num_true", num_true);
  sl_node_attr_int(node, "num_sampled", num_sampled);
  sl_node_attr_bool(node, "unique", unique);
  sl_node_attr_int(node, "range_max", range_max);
  sl_node_attr_int(node, "seed", options->seed);
  sl_node_attr_int(node, "seed2", options->seed2);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_uniform_candidate_sampler_t result;
  result.sampled_candidates = sl_op_output(operation, 0);
  result.true_expected_count = sl_op_output(operation, 1);
  result.sampled_expected_count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_uniform_candidate_sampler(scope, true_classes, num_true, num_sampled, unique, range_max, ...) \
  sl_op_uniform_candidate_sampler_with(SL_AT(scope), (true_classes), (num_true), (num_sampled), (unique), ( \
    range_max), SL_OPTIONS(sl_op_uniform_candidate_sampler_options_t, __VA_ARGS__))

// Unique(x: T) -> y: T, idx: out_idx
// Distinct values and where each element went.
// T: type; out_idx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
} sl_op_unique_t;
static inline sl_op_unique_t sl_op_unique_with(sl_scope_t *scope, TF_Output x,
    const sl_op_unique_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Unique", options->name);
  sl_node_input(node, x);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  return result;
}
#define sl_op_unique(scope, x, ...) \
  sl_op_unique_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_unique_options_t, __VA_ARGS__))

// UniqueV2(x: T, axis: Taxis) -> y: T, idx: out_idx
// Distinct slices and where each went.
// T: type; Taxis: {int32, int64} = DT_INT64; out_idx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_v2_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
} sl_op_unique_v2_t;
static inline sl_op_unique_v2_t sl_op_unique_v2_with(sl_scope_t *scope, TF_Output x, TF_Output axis,
    const sl_op_unique_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_v2_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  return result;
}
#define sl_op_unique_v2(scope, x, axis, ...) \
  sl_op_unique_v2_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_unique_v2_options_t, __VA_ARGS__))

// UniqueWithCounts(x: T) -> y: T, idx: out_idx, count: out_idx
// Distinct values with their counts.
// T: type; out_idx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_with_counts_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
  TF_Output count;
} sl_op_unique_with_counts_t;
static inline sl_op_unique_with_counts_t sl_op_unique_with_counts_with(sl_scope_t *scope, TF_Output x,
    const sl_op_unique_with_counts_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueWithCounts", options->name);
  sl_node_input(node, x);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_with_counts_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  result.count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_unique_with_counts(scope, x, ...) \
  sl_op_unique_with_counts_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_unique_with_counts_options_t, __VA_ARGS__))

// UniqueWithCountsV2(x: T, axis: Taxis) -> y: T, idx: out_idx, count: out_idx
// Distinct slices with their counts.
// T: type; Taxis: {int32, int64} = DT_INT64; out_idx: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_idx;
} sl_op_unique_with_counts_v2_options_t;
typedef struct {
  TF_Output y;
  TF_Output idx;
  TF_Output count;
} sl_op_unique_with_counts_v2_t;
static inline sl_op_unique_with_counts_v2_t sl_op_unique_with_counts_v2_with(sl_scope_t *scope, TF_Output x,
    TF_Output axis, const sl_op_unique_with_counts_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UniqueWithCountsV2", options->name);
  sl_node_input(node, x);
  sl_node_input(node, axis);
  if (options->out_idx) sl_node_attr_type(node, "out_idx", options->out_idx);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unique_with_counts_v2_t result;
  result.y = sl_op_output(operation, 0);
  result.idx = sl_op_output(operation, 1);
  result.count = sl_op_output(operation, 2);
  return result;
}
#define sl_op_unique_with_counts_v2(scope, x, axis, ...) \
  sl_op_unique_with_counts_v2_with(SL_AT(scope), (x), (axis), SL_OPTIONS(sl_op_unique_with_counts_v2_options_t, \
    __VA_ARGS__))

// Unpack(value: T) -> output: num * T
// Takes a tensor apart along an axis.
// num: int >= 0; T: type; axis: int = 0
// Differentiable.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t axis;
} sl_op_unpack_options_t;
static inline sl_op_list_t sl_op_unpack_with(sl_scope_t *scope, TF_Output value, int64_t num,
    const sl_op_unpack_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Unpack", options->name);
  sl_node_input(node, value);
  sl_node_attr_int(node, "num", num);
  sl_node_attr_int(node, "axis", options->axis);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "output", 0);
}
#define sl_op_unpack(scope, value, num, ...) \
  sl_op_unpack_with(SL_AT(scope), (value), (num), SL_OPTIONS(sl_op_unpack_options_t, __VA_ARGS__))

// UnsortedSegmentMax(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: realnumbertype; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_max_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentMax", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_max(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_max_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: realnumbertype; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_min_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentMin", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_min(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_min_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: numbertype; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_prod_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentProd", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_prod(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_prod_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments) -> output: T
// T: numbertype; Tindices: {int16, int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// Differentiable.
static inline TF_Output sl_op_unsorted_segment_sum_with(sl_scope_t *scope, TF_Output data, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentSum", options->name);
  sl_node_input(node, data);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_sum(scope, data, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_sum_with(SL_AT(scope), (data), (segment_ids), (num_segments), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// Unstage() -> values: dtypes
// Takes the oldest tuple out of a staging area.
// capacity: int >= 0 = 0; memory_limit: int >= 0 = 0; dtypes: list(type) >= 1; container: string = ''; shared_name:
//   string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t capacity;
  int64_t memory_limit;
  const char *container;
  const char *shared_name;
} sl_op_unstage_options_t;
static inline sl_op_list_t sl_op_unstage_with(sl_scope_t *scope, sl_op_types_t dtypes,
    const sl_op_unstage_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Unstage", options->name);
  sl_node_attr_int(node, "capacity", options->capacity);
  sl_node_attr_int(node, "memory_limit", options->memory_limit);
  sl_node_attr_type_list(node, "dtypes", dtypes.values, dtypes.count);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "values", 0);
}
#define sl_op_unstage(scope, dtypes, ...) \
  sl_op_unstage_with(SL_AT(scope), (dtypes), SL_OPTIONS(sl_op_unstage_options_t, __VA_ARGS__))

// UpperBound(sorted_inputs: T, values: T) -> output: out_type
// Last places where values fit into sorted rows.
// T: type; out_type: {int32, int64} = DT_INT32
// Without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_upper_bound_options_t;
static inline TF_Output sl_op_upper_bound_with(sl_scope_t *scope, TF_Output sorted_inputs, TF_Output values,
    const sl_op_upper_bound_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UpperBound", options->name);
  sl_node_input(node, sorted_inputs);
  sl_node_input(node, values);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_upper_bound(scope, sorted_inputs, values, ...) \
  sl_op_upper_bound_with(SL_AT(scope), (sorted_inputs), (values), SL_OPTIONS(sl_op_upper_bound_options_t, \
    __VA_ARGS__))

// VarHandleOp() -> resource: resource
// A handle of a variable of the task.
// container: string = ''; shared_name: string = ''; debug_name: string = ''; dtype: type; shape: shape;
//   allowed_devices: list(string) = []
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *debug_name;
  sl_op_texts_t allowed_devices;
} sl_op_var_handle_op_options_t;
static inline TF_Output sl_op_var_handle_op_with(sl_scope_t *scope, TF_DataType dtype, sl_shape_t shape,
    const sl_op_var_handle_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VarHandleOp", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  if (options->debug_name) sl_node_attr_text(node, "debug_name", options->debug_name);
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", shape);
  if (options->allowed_devices.values) sl_node_attr_text_list(node, "allowed_devices",
    options->allowed_devices.values, options->allowed_devices.count);
  return sl_node_output(node);
}
#define sl_op_var_handle_op(scope, dtype, shape, ...) \
  sl_op_var_handle_op_with(SL_AT(scope), (dtype), (shape), SL_OPTIONS(sl_op_var_handle_op_options_t, __VA_ARGS__))

// VarIsInitializedOp(resource: resource) -> is_initialized: bool
// Whether a variable has a value.
// Stateful; gradients stop here.
static inline TF_Output sl_op_var_is_initialized_op_with(sl_scope_t *scope, TF_Output resource,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VarIsInitializedOp", options->name);
  sl_node_input(node, resource);
  return sl_node_output(node);
}
#define sl_op_var_is_initialized_op(scope, resource, ...) \
  sl_op_var_is_initialized_op_with(SL_AT(scope), (resource), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Variable() -> ref: Ref(dtype)
// A variable of the task, by reference.
// shape: shape; dtype: type; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_variable_options_t;
static inline TF_Output sl_op_variable_with(sl_scope_t *scope, sl_shape_t shape, TF_DataType dtype,
    const sl_op_variable_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Variable", options->name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_variable(scope, shape, dtype, ...) \
  sl_op_variable_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_variable_options_t, __VA_ARGS__))

// VariableShape(input: resource) -> output: out_type
// The shape of a variable's value.
// out_type: {int32, int64} = DT_INT32
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_variable_shape_options_t;
static inline TF_Output sl_op_variable_shape_with(sl_scope_t *scope, TF_Output input,
    const sl_op_variable_shape_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VariableShape", options->name);
  sl_node_input(node, input);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_variable_shape(scope, input, ...) \
  sl_op_variable_shape_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_variable_shape_options_t, __VA_ARGS__))

// VariableV2() -> ref: Ref(dtype)
// A variable of the task, by reference.
// shape: shape; dtype: type; container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_variable_v2_options_t;
static inline TF_Output sl_op_variable_v2_with(sl_scope_t *scope, sl_shape_t shape, TF_DataType dtype,
    const sl_op_variable_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "VariableV2", options->name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", dtype);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_variable_v2(scope, shape, dtype, ...) \
  sl_op_variable_v2_with(SL_AT(scope), (shape), (dtype), SL_OPTIONS(sl_op_variable_v2_options_t, __VA_ARGS__))

// Where(input: T) -> index: int64
// Coordinates of the elements that are not zero.
// T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16,
//   uint16, complex128, half, uint32, uint64, bool} = DT_BOOL
// Without a gradient.
static inline TF_Output sl_op_where_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Where", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_where(scope, input, ...) \
  sl_op_where_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// WholeFileReader() -> reader_handle: Ref(string)
// A reader of whole files.
// container: string = ''; shared_name: string = ''
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_whole_file_reader_options_t;
static inline TF_Output sl_op_whole_file_reader_with(sl_scope_t *scope,
    const sl_op_whole_file_reader_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WholeFileReader", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_whole_file_reader(scope, ...) \
  sl_op_whole_file_reader_with(SL_AT(scope), SL_OPTIONS(sl_op_whole_file_reader_options_t, __VA_ARGS__))

// WholeFileReaderV2() -> reader_handle: resource
// A reader of whole files.
// container: string = ''; shared_name: string = ''
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
} sl_op_whole_file_reader_v2_options_t;
static inline TF_Output sl_op_whole_file_reader_v2_with(sl_scope_t *scope,
    const sl_op_whole_file_reader_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WholeFileReaderV2", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  return sl_node_output(node);
}
#define sl_op_whole_file_reader_v2(scope, ...) \
  sl_op_whole_file_reader_v2_with(SL_AT(scope), SL_OPTIONS(sl_op_whole_file_reader_v2_options_t, __VA_ARGS__))

// WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float, sample_rate: float)
// Writes sound to an event file.
// max_outputs: int >= 1 = 3
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_outputs;
} sl_op_write_audio_summary_options_t;
static inline TF_Operation *sl_op_write_audio_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output tensor, TF_Output sample_rate, const sl_op_write_audio_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteAudioSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, sample_rate);
  sl_node_attr_int(node, "max_outputs", options->max_outputs);
  return sl_node_finish(node);
}
#define sl_op_write_audio_summary(scope, writer, step, tag, tensor, sample_rate, ...) \
  SL_OVER_DEFAULTS(sl_op_write_audio_summary_with(SL_AT(scope), (writer), (step), (tag), (tensor), (sample_rate), \
    SL_OPTIONS(sl_op_write_audio_summary_options_t, .max_outputs = 3, __VA_ARGS__)))

// WriteFile(filename: string, contents: string)
// Writes a file.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_write_file_with(sl_scope_t *scope, TF_Output filename, TF_Output contents,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteFile", options->name);
  sl_node_input(node, filename);
  sl_node_input(node, contents);
  return sl_node_finish(node);
}
#define sl_op_write_file(scope, filename, contents, ...) \
  sl_op_write_file_with(SL_AT(scope), (filename), (contents), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// WriteGraphSummary(writer: resource, step: int64, tensor: string)
// Writes a GraphDef to an event file.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_write_graph_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tensor, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteGraphSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tensor);
  return sl_node_finish(node);
}
#define sl_op_write_graph_summary(scope, writer, step, tensor, ...) \
  sl_op_write_graph_summary_with(SL_AT(scope), (writer), (step), (tensor), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T)
// Writes a histogram of values to an event file.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, bool} = DT_FLOAT
// Stateful, without a gradient.
static inline TF_Operation *sl_op_write_histogram_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output values, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteHistogramSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, values);
  return sl_node_finish(node);
}
#define sl_op_write_histogram_summary(scope, writer, step, tag, values, ...) \
  sl_op_write_histogram_summary_with(SL_AT(scope), (writer), (step), (tag), (values), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8)
// Writes images to an event file.
// max_images: int >= 1 = 3; T: {uint8, double, float, half} = DT_FLOAT
// Stateful, without a gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t max_images;
} sl_op_write_image_summary_options_t;
static inline TF_Operation *sl_op_write_image_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output tensor, TF_Output bad_color, const sl_op_write_image_summary_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteImageSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, tensor);
  sl_node_input(node, bad_color);
  sl_node_attr_int(node, "max_images", options->max_images);
  return sl_node_finish(node);
}
#define sl_op_write_image_summary(scope, writer, step, tag, tensor, bad_color, ...) \
  SL_OVER_DEFAULTS(sl_op_write_image_summary_with(SL_AT(scope), (writer), (step), (tag), (tensor), (bad_color), \
    SL_OPTIONS(sl_op_write_image_summary_options_t, .max_images = 3, __VA_ARGS__)))

// WriteRawProtoSummary(writer: resource, step: int64, tensor: string)
// Writes serialized Summaries to an event file, as one event.
// Stateful, without a gradient.
static inline TF_Operation *sl_op_write_raw_proto_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tensor, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteRawProtoSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tensor);
  return sl_node_finish(node);
}
#define sl_op_write_raw_proto_summary(scope, writer, step, tensor, ...) \
  sl_op_write_raw_proto_summary_with(SL_AT(scope), (writer), (step), (tensor), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// WriteScalarSummary(writer: resource, step: int64, tag: string, value: T)
// Writes a number to an event file.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}
// Stateful, without a gradient.
static inline TF_Operation *sl_op_write_scalar_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tag, TF_Output value, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteScalarSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tag);
  sl_node_input(node, value);
  return sl_node_finish(node);
}
#define sl_op_write_scalar_summary(scope, writer, step, tag, value, ...) \
  sl_op_write_scalar_summary_with(SL_AT(scope), (writer), (step), (tag), (value), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string)
// Writes a tensor to an event file.
// T: type
// Stateful, without a gradient.
static inline TF_Operation *sl_op_write_summary_with(sl_scope_t *scope, TF_Output writer, TF_Output step,
    TF_Output tensor, TF_Output tag, TF_Output summary_metadata, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "WriteSummary", options->name);
  sl_node_input(node, writer);
  sl_node_input(node, step);
  sl_node_input(node, tensor);
  sl_node_input(node, tag);
  sl_node_input(node, summary_metadata);
  return sl_node_finish(node);
}
#define sl_op_write_summary(scope, writer, step, tensor, tag, summary_metadata, ...) \
  sl_op_write_summary_with(SL_AT(scope), (writer), (step), (tensor), (tag), (summary_metadata), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// Xdivy(x: T, y: T) -> z: T
// T: {half, bfloat16, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_xdivy_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Xdivy", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_xdivy(scope, x, y, ...) \
  sl_op_xdivy_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Xlog1py(x: T, y: T) -> z: T
// T: {half, bfloat16, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_xlog1py_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Xlog1py", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_xlog1py(scope, x, y, ...) \
  sl_op_xlog1py_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Xlogy(x: T, y: T) -> z: T
// T: {half, bfloat16, float, double, complex64, complex128}
// Differentiable.
static inline TF_Output sl_op_xlogy_with(sl_scope_t *scope, TF_Output x, TF_Output y,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Xlogy", options->name);
  sl_node_input(node, x);
  sl_node_input(node, y);
  return sl_node_output(node);
}
#define sl_op_xlogy(scope, x, y, ...) \
  sl_op_xlogy_with(SL_AT(scope), (x), (y), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ZerosLike(x: T) -> y: T
// Zeros of the input's shape and type.
// T: type
// Gradients stop here.
static inline TF_Output sl_op_zeros_like_with(sl_scope_t *scope, TF_Output x, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ZerosLike", options->name);
  sl_node_input(node, x);
  return sl_node_output(node);
}
#define sl_op_zeros_like(scope, x, ...) \
  sl_op_zeros_like_with(SL_AT(scope), (x), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// Zeta(x: T, q: T) -> z: T
// T: {float, double}
// Differentiable.
static inline TF_Output sl_op_zeta_with(sl_scope_t *scope, TF_Output x, TF_Output q, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Zeta", options->name);
  sl_node_input(node, x);
  sl_node_input(node, q);
  return sl_node_output(node);
}
#define sl_op_zeta(scope, x, q, ...) sl_op_zeta_with(SL_AT(scope), (x), (q), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_H_
