// A scope builds a graph. It holds the graph, the current name scope, device,
// control dependencies and variable scope, and the collections. It also keeps the
// first error, so that building code needs no checks: after an error every
// building call does nothing and returns an empty TF_Output (its oper is NULL). A
// session on the graph then fails with that error, which names the source line of
// the call that caused it.
//
// Names, scopes, devices and collections follow tf.Graph of TensorFlow 1.x: the
// same program builds nodes with the same names. A scope is thread-compatible.
//
// Every call with optional arguments is a macro around a function whose name ends
// in _with and that takes a pointer to a struct of options (NULL: all defaults).
// The struct's first field is its size, so that later versions can add options.
#ifndef SLUICE_SCOPE_H_
#define SLUICE_SCOPE_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

typedef struct sl_scope sl_scope_t;

// A pointer to a struct of options with its size and the given fields set.
#define SL_OPTIONS(type, ...) (&(const type){.struct_size = sizeof(type), __VA_ARGS__})

// The options of calls that have only a name.
typedef struct {
  size_t struct_size;
  const char *name;  // of the node or scope; NULL: the op's usual one
} sl_op_options_t;

// --- Shapes ---

enum { SL_MAX_RANK = 8 };

// A shape. A dimension of -1 has an unknown size; with rank -1 nothing is known of the shape.
typedef struct {
  int rank;
  int64_t dims[SL_MAX_RANK];
} sl_shape_t;

// SL_SHAPE(-1, 784). SL_SHAPE() is the shape of a scalar.
#define SL_SHAPE(...) \
  ((sl_shape_t){.rank = (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), .dims = {__VA_ARGS__}})
#define SL_UNKNOWN_SHAPE ((sl_shape_t){.rank = -1})

// --- Scopes ---

// A new graph and its scope. Both live until sl_scope_release() or the end of the process.
SL_EXPORT sl_scope_t *sl_graph_scope(void);
// Deletes the scope and its graph; sessions on it must be closed. NULL is fine.
SL_EXPORT void sl_scope_release(sl_scope_t *scope);
SL_EXPORT TF_Graph *sl_scope_graph(const sl_scope_t *scope);

// Sets the source line that errors name; returns |scope|. |file| is not copied.
SL_EXPORT sl_scope_t *sl_scope_at(sl_scope_t *scope, const char *file, int line);
#define SL_AT(scope) sl_scope_at((scope), __FILE__, __LINE__)

// The first error: its code and its text, "mnist.c:42: what is wrong"; TF_OK and "" if there is none. The text is
// valid as long as the scope.
SL_EXPORT TF_Code sl_scope_code(const sl_scope_t *scope);
SL_EXPORT const char *sl_scope_error(const sl_scope_t *scope);
// Sets the error of the scope, unless it has one already.
SL_EXPORT void sl_scope_fail(sl_scope_t *scope, TF_Code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// The graph's seed: together with each op's own seed it makes random ops repeatable. As tf.set_random_seed.
SL_EXPORT void sl_set_random_seed(sl_scope_t *scope, int64_t seed);

// --- Blocks: apply to what is built inside { … }; break, return and goto leave them properly ---

typedef struct {
  sl_scope_t *scope;
  size_t mark;
} sl_block_t;
SL_EXPORT void sl_block_leave(sl_block_t *block);

#define SL_JOIN_(a, b) a##b
#define SL_JOIN(a, b) SL_JOIN_(a, b)
// A loop that the compiler sees run exactly once.
#define SL_BLOCK_(block, once, enter) \
  for (sl_block_t block __attribute__((cleanup(sl_block_leave))) = (enter), *once = &block; once; once = NULL)
#define SL_BLOCK(enter) SL_BLOCK_(SL_JOIN(sl_block_, __LINE__), SL_JOIN(sl_once_, __LINE__), enter)

// SL_NAME_SCOPE(s, "tower_%d", i) { … }: names inside start with "tower_0/", or "tower_0_1/" if that is taken. A name
// that ends in '/' is used as it is; "" is the root.
SL_EXPORT sl_block_t sl_name_scope_enter(sl_scope_t *scope, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
#define SL_NAME_SCOPE(scope, ...) SL_BLOCK(sl_name_scope_enter(SL_AT(scope), __VA_ARGS__))

// What a device function knows about the node that is being built.
typedef struct {
  size_t struct_size;
  const char *op;      // "VariableV2"
  const char *name;    // "hidden/kernel"
  const char *device;  // what inner scopes chose; "" for nothing
  int64_t bytes;       // of a variable; -1: unknown, or not a variable
} sl_node_info_t;

// Writes the device for the node, at most |size| bytes with the NUL; leaving |out_device| as it is keeps info->device.
typedef void (*sl_device_function_t)(void *data, const sl_node_info_t *info, char *out_device, size_t size);

// A device function and its data. It must exist as long as nodes are built under it.
typedef struct {
  sl_device_function_t function;  // NULL: leaves all devices alone
  void *data;
} sl_device_setter_t;

// SL_DEVICE(s, "/job:ps/task:0") { … } or SL_DEVICE(s, sl_replica_device_setter(server)) { … }.
// Parts of the device name that an inner block gives override those of outer blocks. With a NULL name nodes ignore
// the devices of outer blocks.
SL_EXPORT sl_block_t sl_device_enter(sl_scope_t *scope, const char *device);
SL_EXPORT sl_block_t sl_device_setter_enter(sl_scope_t *scope, const sl_device_setter_t *setter);
#define SL_DEVICE(scope, device) \
  SL_BLOCK(_Generic((device),                                     \
      sl_device_setter_t *: sl_device_setter_enter,               \
      const sl_device_setter_t *: sl_device_setter_enter,         \
      default: sl_device_enter)(SL_AT(scope), (device)))

// SL_CONTROL_DEPENDENCIES(s, update, print) { … }: nodes built inside run after these operations.
SL_EXPORT sl_block_t sl_control_dependencies_enter(sl_scope_t *scope, TF_Operation *const *operations, size_t count);
#define SL_CONTROL_DEPENDENCIES(scope, ...)                                                  \
  SL_BLOCK(sl_control_dependencies_enter(SL_AT(scope), (TF_Operation *const[]){__VA_ARGS__}, \
                                         sizeof((TF_Operation *[]){__VA_ARGS__}) / sizeof(TF_Operation *)))

// SL_COLOCATE_WITH(s, operation) { … }: nodes built inside are placed on that operation's device.
SL_EXPORT sl_block_t sl_colocate_with_enter(sl_scope_t *scope, TF_Operation *operation);
#define SL_COLOCATE_WITH(scope, operation) SL_BLOCK(sl_colocate_with_enter(SL_AT(scope), (operation)))

typedef enum {
  SL_REUSE_INHERIT = 0,  // as the enclosing scope
  SL_REUSE,              // variables must exist already
  SL_AUTO_REUSE,         // variables are created if they do not exist
} sl_reuse_t;

// The initializer, regularizer and partitioner of a new variable; variable.h has macros for them. Zero: that of the
// enclosing scope; at the root Glorot uniform (zeros for types that are not floating point), none, and none.
typedef struct {
  int kind;          // sl_initializer_kind_t
  double a, b;       // constant: value; normal: mean, stddev; uniform: minimum, maximum; variance scaling: scale; gain
  int fan;           // sl_fan_t
  int distribution;  // sl_distribution_t
  int64_t seed;      // 0: none
  const double *values;  // of SL_INITIALIZER_VALUES, row by row; not copied, needed until the variable is created
  size_t value_count;
} sl_initializer_t;
typedef struct {
  bool is_set;
  double l1, l2;  // l1 * sum(|w|) + l2 * sum(w²) / 2
} sl_regularizer_t;
typedef struct {
  int kind;        // sl_partitioner_kind_t
  int64_t shards;  // the number of shards, or the largest allowed
  int64_t bytes;   // of a shard: the largest or the smallest allowed
  int axis;
} sl_partitioner_t;

typedef struct {
  size_t struct_size;
  sl_reuse_t reuse;
  const char *default_name;  // used if the name is NULL, made unique ("cell", "cell_1")
  sl_initializer_t initializer;
  sl_regularizer_t regularizer;
  sl_partitioner_t partitioner;
} sl_variable_scope_options_t;

// SL_VARIABLE_SCOPE(s, "encoder", .reuse = SL_AUTO_REUSE) { … }: names of variables and nodes inside start with
// "encoder/". The options are the defaults of the variables inside.
SL_EXPORT sl_block_t sl_variable_scope_enter_with(sl_scope_t *scope, const char *name,
                                                  const sl_variable_scope_options_t *options);
#define SL_VARIABLE_SCOPE(scope, name, ...) \
  SL_BLOCK(sl_variable_scope_enter_with(SL_AT(scope), (name), SL_OPTIONS(sl_variable_scope_options_t, __VA_ARGS__)))

// From now on, variables of the current variable scope are reused. As get_variable_scope().reuse_variables().
SL_EXPORT void sl_reuse_variables(sl_scope_t *scope);

// --- Collections: named lists of outputs; an operation is listed as its output 0 ---

#define SL_GLOBAL_VARIABLES "variables"
#define SL_LOCAL_VARIABLES "local_variables"
#define SL_TRAINABLE_VARIABLES "trainable_variables"
#define SL_GLOBAL_STEP "global_step"
#define SL_LOSSES "losses"
#define SL_SUMMARIES "summaries"
#define SL_TRAIN_OP "train_op"
#define SL_UPDATE_OPS "update_ops"
#define SL_REGULARIZATION_LOSSES "regularization_losses"
#define SL_MODEL_VARIABLES "model_variables"
#define SL_METRIC_VARIABLES "metric_variables"
#define SL_MOVING_AVERAGE_VARIABLES "moving_average_variables"

SL_EXPORT void sl_collection_add(sl_scope_t *scope, const char *key, TF_Output item);
SL_EXPORT size_t sl_collection_count(const sl_scope_t *scope, const char *key);
// The items in the order in which they were added; NULL if there are none. Valid until the next one is added.
SL_EXPORT const TF_Output *sl_collection_items(const sl_scope_t *scope, const char *key);

// A list of outputs. The scope owns the memory.
typedef struct {
  size_t count;
  const TF_Output *items;
} sl_outputs_t;
// A copy of the items whose names start with |prefix| (NULL: all).
SL_EXPORT sl_outputs_t sl_collection(sl_scope_t *scope, const char *key, const char *prefix);

SL_END_DECLS

#endif  // SLUICE_SCOPE_H_
