// Variables. A program uses the variable's value, a TF_Output that can be the
// input of any op; calls that change a variable find it by that value. Node names
// are those of the Python library ("w", "w/Assign", "w/read", "w/Initializer/…"),
// so that workers in C and in Python share variables and checkpoints.
#ifndef SLUICE_VARIABLE_H_
#define SLUICE_VARIABLE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/math.h"

SL_BEGIN_DECLS

// --- Initialisers ---

typedef enum {
  SL_INITIALIZER_DEFAULT = 0,  // the one of the variable scope
  SL_INITIALIZER_ZEROS,
  SL_INITIALIZER_ONES,
  SL_INITIALIZER_CONSTANT,
  SL_INITIALIZER_VALUES,
  SL_INITIALIZER_NORMAL,
  SL_INITIALIZER_TRUNCATED_NORMAL,
  SL_INITIALIZER_UNIFORM,
  SL_INITIALIZER_VARIANCE_SCALING,
  SL_INITIALIZER_ORTHOGONAL,
} sl_initializer_kind_t;

typedef enum { SL_FAN_IN = 0, SL_FAN_OUT, SL_FAN_AVG } sl_fan_t;
typedef enum { SL_TRUNCATED_NORMAL = 0, SL_UNTRUNCATED_NORMAL, SL_UNIFORM } sl_distribution_t;

// Initializers are plain values.
#define SL_INITIALIZER(...) ((sl_initializer_t){__VA_ARGS__})
#define SL_ZEROS SL_INITIALIZER(.kind = SL_INITIALIZER_ZEROS)
#define SL_ONES SL_INITIALIZER(.kind = SL_INITIALIZER_ONES)
#define SL_CONSTANT(value) SL_INITIALIZER(.kind = SL_INITIALIZER_CONSTANT, .a = (value))
// SL_VALUES(1, 2, 3): one value for each element of the variable.
#define SL_VALUES(...)                                                                   \
  SL_INITIALIZER(.kind = SL_INITIALIZER_VALUES, .values = (const double[]){__VA_ARGS__}, \
                 .value_count = sizeof((double[]){__VA_ARGS__}) / sizeof(double))
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
#define SL_LECUN_NORMAL SL_VARIANCE_SCALING(1.0, SL_FAN_IN, SL_TRUNCATED_NORMAL)
#define SL_LECUN_UNIFORM SL_VARIANCE_SCALING(1.0, SL_FAN_IN, SL_UNIFORM)
// A matrix with orthogonal rows or columns of length |gain|; the variable must have rank 2 or more.
#define SL_ORTHOGONAL(gain) SL_INITIALIZER(.kind = SL_INITIALIZER_ORTHOGONAL, .a = (gain))

// Builds the initial value in the current name scope, with Python's names ("random_uniform", "zeros", …).
SL_EXPORT TF_Output sl_initial_value(sl_scope_t *scope, sl_initializer_t initializer, TF_DataType dtype,
                                     sl_shape_t shape);

// --- Regularizers, as in tf.contrib.layers; their losses are added to SL_REGULARIZATION_LOSSES ---

#define SL_L1_REGULARIZER(scale) ((sl_regularizer_t){.is_set = true, .l1 = (scale)})
#define SL_L2_REGULARIZER(scale) ((sl_regularizer_t){.is_set = true, .l2 = (scale)})
#define SL_L1_L2_REGULARIZER(scale_l1, scale_l2) \
  ((sl_regularizer_t){.is_set = true, .l1 = (scale_l1), .l2 = (scale_l2)})
// No regularizer, even if the variable scope has one.
#define SL_NO_REGULARIZER ((sl_regularizer_t){.is_set = true})

// --- Partitioners: split a variable into parts "NAME/part_0", …, which are placed separately; checkpoints have the
// whole ---

typedef enum {
  SL_PARTITIONER_DEFAULT = 0,  // the one of the variable scope
  SL_PARTITIONER_NONE,         // not partitioned, even if the variable scope has a partitioner
  SL_PARTITIONER_FIXED_SIZE,
  SL_PARTITIONER_AXIS_SIZE,
  SL_PARTITIONER_MIN_MAX,
} sl_partitioner_kind_t;

#define SL_PARTITIONER(...) ((sl_partitioner_t){__VA_ARGS__})
// |shards| parts, but at most as many as the axis has elements. .axis may follow.
#define SL_FIXED_SIZE_PARTITIONER(shards_, ...) \
  SL_PARTITIONER(.kind = SL_PARTITIONER_FIXED_SIZE, .shards = (shards_), __VA_ARGS__)
// Parts of at most |bytes|. .axis and .shards (the largest number of parts) may follow.
#define SL_VARIABLE_AXIS_SIZE_PARTITIONER(bytes_, ...) \
  SL_PARTITIONER(.kind = SL_PARTITIONER_AXIS_SIZE, .bytes = (bytes_), __VA_ARGS__)
// At most |shards| parts of at least .bytes (0: 256 KB). .axis may follow.
#define SL_MIN_MAX_VARIABLE_PARTITIONER(shards_, ...) \
  SL_PARTITIONER(.kind = SL_PARTITIONER_MIN_MAX, .shards = (shards_), __VA_ARGS__)

// --- Variables ---

typedef struct {
  size_t struct_size;
  sl_initializer_t initializer;
  bool not_trainable;
  sl_regularizer_t regularizer;
  sl_partitioner_t partitioner;
  // Collections to add it to; NULL: SL_GLOBAL_VARIABLES. Trainable variables are added to SL_TRAINABLE_VARIABLES as
  // well.
  const char *const *collections;
  size_t collection_count;
} sl_get_variable_options_t;

// The value of the variable |name| of the current variable scope. Creates the variable or, if the scope allows it,
// reuses it. As tf.get_variable. The value of a partitioned variable is the concatenation of its parts.
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

// Creates a variable that starts as |initial_value|, whose shape must be known. As tf.Variable.
SL_EXPORT TF_Output sl_variable_with(sl_scope_t *scope, TF_Output initial_value, const sl_variable_options_t *options);
#define sl_variable(scope, initial_value, ...) \
  sl_variable_with(SL_AT(scope), (initial_value), SL_OPTIONS(sl_variable_options_t, __VA_ARGS__))

// Describes a variable. Owned by the scope.
typedef struct {
  const char *name;        // "hidden/kernel"
  const char *saved_name;  // in checkpoints: the same, or for a part the name of the whole variable
  const char *slice;       // of a part: its slice of the whole, "10 3 0,4:0,3"; else ""
  TF_Output reference;     // input of ops that change it: a reference, or a resource if a MetaGraph had it
  TF_Output value;         // what the calls above return
  TF_Output initial_value;
  TF_Operation *initializer;  // assigns the initial value
  TF_DataType dtype;
  sl_shape_t shape;
  bool trainable;
} sl_variable_info_t;
// NULL if |value| is not the value of a variable. A partitioned variable as a whole is none; its parts are.
SL_EXPORT const sl_variable_info_t *sl_variable_info(const sl_scope_t *scope, TF_Output value);
// The parts of a partitioned variable, or |value| itself.
SL_EXPORT sl_outputs_t sl_variable_parts(sl_scope_t *scope, TF_Output value);

// Change a variable. The result is its new value (a reference).
SL_EXPORT TF_Output sl_assign_with(sl_scope_t *scope, TF_Output variable, TF_Output value,
                                   const sl_op_options_t *options);
#define sl_assign(scope, variable, value, ...) \
  sl_assign_with(SL_AT(scope), (variable), (value), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_assign_add_with(sl_scope_t *scope, TF_Output variable, TF_Output value,
                                       const sl_op_options_t *options);
#define sl_assign_add(scope, variable, value, ...) \
  sl_assign_add_with(SL_AT(scope), (variable), (value), SL_OP_OPTIONS(__VA_ARGS__))
SL_EXPORT TF_Output sl_assign_sub_with(sl_scope_t *scope, TF_Output variable, TF_Output value,
                                       const sl_op_options_t *options);
#define sl_assign_sub(scope, variable, value, ...) \
  sl_assign_sub_with(SL_AT(scope), (variable), (value), SL_OP_OPTIONS(__VA_ARGS__))

// The graph's step counter "global_step" (int64). Uses a variable of that name if the program has created one, else
// creates it. As tf.train.get_or_create_global_step.
SL_EXPORT TF_Output sl_global_step_with(sl_scope_t *scope);
#define sl_global_step(scope) sl_global_step_with(SL_AT(scope))

// Operations that initialise the variables created so far.
SL_EXPORT TF_Operation *sl_global_variables_initializer_with(sl_scope_t *scope);
#define sl_global_variables_initializer(scope) sl_global_variables_initializer_with(SL_AT(scope))
SL_EXPORT TF_Operation *sl_local_variables_initializer_with(sl_scope_t *scope);
#define sl_local_variables_initializer(scope) sl_local_variables_initializer_with(SL_AT(scope))
// The same for a list of variables; the default name is "init".
SL_EXPORT TF_Operation *sl_variables_initializer_with(sl_scope_t *scope, sl_outputs_t variables,
                                                      const sl_op_options_t *options);
#define sl_variables_initializer(scope, variables, ...) \
  sl_variables_initializer_with(SL_AT(scope), (variables), SL_OP_OPTIONS(__VA_ARGS__))

SL_END_DECLS

#endif  // SLUICE_VARIABLE_H_
