// Variables. What a program holds is the variable's value, a TF_Output that any
// op takes; calls that change a variable find it by that value. Node names are
// the Python library's ("w", "w/Assign", "w/read", "w/Initializer/…"), so that
// workers in C and in Python share variables and checkpoints.
#ifndef SLUICE_VARIABLE_H_
#define SLUICE_VARIABLE_H_

#include "sluice/math.h"

SL_BEGIN_DECLS

// --- Initialisers ---

typedef enum {
  SL_INITIALIZER_DEFAULT = 0,  // Glorot uniform for floating point, zeros for the rest
  SL_INITIALIZER_ZEROS,
  SL_INITIALIZER_ONES,
  SL_INITIALIZER_CONSTANT,
  SL_INITIALIZER_NORMAL,
  SL_INITIALIZER_TRUNCATED_NORMAL,
  SL_INITIALIZER_UNIFORM,
  SL_INITIALIZER_VARIANCE_SCALING,
} sl_initializer_kind_t;

typedef enum { SL_FAN_IN = 0, SL_FAN_OUT, SL_FAN_AVG } sl_fan_t;
typedef enum { SL_TRUNCATED_NORMAL = 0, SL_UNTRUNCATED_NORMAL, SL_UNIFORM } sl_distribution_t;

// How to fill a new variable; a plain value, zero-initialised the default one.
typedef struct {
  sl_initializer_kind_t kind;
  double a, b;  // constant: value; normal: mean, stddev; uniform: minimum, maximum; variance scaling: scale
  sl_fan_t fan;
  sl_distribution_t distribution;
  int64_t seed;  // 0: none
} sl_initializer_t;

#define SL_INITIALIZER(...) ((sl_initializer_t){__VA_ARGS__})
#define SL_ZEROS SL_INITIALIZER(.kind = SL_INITIALIZER_ZEROS)
#define SL_ONES SL_INITIALIZER(.kind = SL_INITIALIZER_ONES)
#define SL_CONSTANT(value) SL_INITIALIZER(.kind = SL_INITIALIZER_CONSTANT, .a = (value))
#define SL_RANDOM_NORMAL(mean, stddev) SL_INITIALIZER(.kind = SL_INITIALIZER_NORMAL, .a = (mean), .b = (stddev))
#define SL_RANDOM_TRUNCATED_NORMAL(mean, stddev) \
  SL_INITIALIZER(.kind = SL_INITIALIZER_TRUNCATED_NORMAL, .a = (mean), .b = (stddev))
#define SL_RANDOM_UNIFORM(minimum, maximum) \
  SL_INITIALIZER(.kind = SL_INITIALIZER_UNIFORM, .a = (minimum), .b = (maximum))
#define SL_VARIANCE_SCALING(scale, fan_, distribution_) \
  SL_INITIALIZER(.kind = SL_INITIALIZER_VARIANCE_SCALING, .a = (scale), .fan = (fan_), .distribution = (distribution_))
#define SL_GLOROT_UNIFORM SL_VARIANCE_SCALING(1.0, SL_FAN_AVG, SL_UNIFORM)
#define SL_GLOROT_NORMAL SL_VARIANCE_SCALING(1.0, SL_FAN_AVG, SL_TRUNCATED_NORMAL)
#define SL_HE_NORMAL SL_VARIANCE_SCALING(2.0, SL_FAN_IN, SL_TRUNCATED_NORMAL)
#define SL_HE_UNIFORM SL_VARIANCE_SCALING(2.0, SL_FAN_IN, SL_UNIFORM)

// Builds the initial value, named as in Python ("random_uniform", "zeros", …) in the current name scope.
SL_EXPORT TF_Output sl_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype,
                                     sl_shape_t shape);

// --- Variables ---

typedef struct {
  size_t struct_size;
  sl_initializer_t initializer;
  bool not_trainable;
  // Lists to add it to; NULL: SL_GLOBAL_VARIABLES. Trainable ones go to SL_TRAINABLE_VARIABLES as well.
  const char *const *collections;
  size_t collection_count;
} sl_get_variable_options_t;

// The variable |name| of the current variable scope, made or, if the scope says so, reused. As tf.get_variable.
SL_EXPORT TF_Output sl_get_variable_with(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                         const sl_get_variable_options_t *options);
#define sl_get_variable(scope, name, dtype, shape, ...) \
  sl_get_variable_with(SL_AT(scope), (name), (dtype), (shape), SL_OPTIONS(sl_get_variable_options_t, __VA_ARGS__))

typedef struct {
  size_t struct_size;
  const char *name;  // NULL: "Variable"; made unique in the name scope
  bool not_trainable;
  const char *const *collections;
  size_t collection_count;
} sl_variable_options_t;

// A new variable that starts as |initial_value|, whose shape must be known. As tf.Variable.
SL_EXPORT TF_Output sl_variable_with(sl_scope_t *scope, TF_Output initial_value, const sl_variable_options_t *options);
#define sl_variable(scope, initial_value, ...) \
  sl_variable_with(SL_AT(scope), (initial_value), SL_OPTIONS(sl_variable_options_t, __VA_ARGS__))

// What is behind a variable's value. Owned by the scope.
typedef struct {
  const char *name;     // "hidden/kernel"
  TF_Output reference;  // what ops that change it take
  TF_Output value;      // what the calls above return
  TF_Output initial_value;
  TF_Operation *initializer;  // assigns the initial value
  TF_DataType dtype;
  sl_shape_t shape;
  bool trainable;
} sl_variable_info_t;
// NULL if |value| is not a variable's.
SL_EXPORT const sl_variable_info_t *sl_variable_info(const sl_scope_t *scope, TF_Output value);

// Change a variable; the result is its new value (a reference).
SL_EXPORT TF_Output sl_assign_with(sl_scope_t *scope, TF_Output variable, TF_Output value,
                                   const sl_op_options_t *options);
#define sl_assign(scope, variable, value, ...) \
  sl_assign_with(SL_AT(scope), (variable), (value), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_assign_add_with(sl_scope_t *scope, TF_Output variable, TF_Output value,
                                       const sl_op_options_t *options);
#define sl_assign_add(scope, variable, value, ...) \
  sl_assign_add_with(SL_AT(scope), (variable), (value), SL_OP_OPTIONS(__VA_ARGS__))

// The graph's step counter "global_step" (int64), made if it is not there. As tf.train.get_or_create_global_step.
SL_EXPORT TF_Output sl_global_step_with(sl_scope_t *scope);
#define sl_global_step(scope) sl_global_step_with(SL_AT(scope))

// Operations that initialise the variables made so far.
SL_EXPORT TF_Operation *sl_global_variables_initializer_with(sl_scope_t *scope);
#define sl_global_variables_initializer(scope) sl_global_variables_initializer_with(SL_AT(scope))
SL_EXPORT TF_Operation *sl_local_variables_initializer_with(sl_scope_t *scope);
#define sl_local_variables_initializer(scope) sl_local_variables_initializer_with(SL_AT(scope))

SL_END_DECLS

#endif  // SLUICE_VARIABLE_H_
