// The internals of a scope, for the files of the training library. A scope is a
// stack of frames over a graph: each open block (name scope, device, control
// dependencies, …) is a frame.
#ifndef SLI_TRAIN_GRAPH_SCOPE_H_
#define SLI_TRAIN_GRAPH_SCOPE_H_

#include "base/array.h"
#include "base/map.h"
#include "base/status.h"
#include "base/string.h"
#include "sluice/scope.h"
#include "sluice/variable.h"

// Inside the library errors keep the source line of the caller.
#undef SL_AT
#define SL_AT(scope) (scope)

// The collection of variables that a checkpoint may lack, which only programs in C have.
#define SLI_SCOPE_OPTIONAL_VARIABLES "sluice_optional_variables"

typedef enum {
  SLI_SCOPE_NAME,         // text: the full name scope, without a slash at the end
  SLI_SCOPE_DEVICE,       // text or setter; neither: outer devices are ignored
  SLI_SCOPE_CONTROL,      // operations; none: outer ones and the control flow context are ignored
  SLI_SCOPE_COLOCATE,     // operation
  SLI_SCOPE_INITIALIZER,  // text: the name of a variable; its initial value is colocated with it
  SLI_SCOPE_VARIABLE,     // text: the full variable scope; reuse, defaults
  SLI_SCOPE_FLOW,         // flow: a loop or a branch
} sli_scope_frame_kind_t;

// The defaults of a variable scope for the variables in it.
typedef struct {
  sl_initializer_t initializer;
  sl_regularizer_t regularizer;
  sl_partitioner_t partitioner;
  bool cached;  // variables are read on the device that uses them, once per step
} sli_scope_variable_defaults_t;

typedef struct {
  sli_scope_frame_kind_t kind;
  char *text;
  const sl_device_setter_t *setter;
  SLI_ARRAY(TF_Operation *) operations;
  sli_map_t seen;  // names of the nodes built under these control dependencies
  TF_Operation *operation;
  sl_reuse_t reuse;
  sli_scope_variable_defaults_t defaults;
  struct sli_flow *flow;
} sli_scope_frame_t;

typedef struct {
  void *object;
  void (*destroy)(void *object);
} sli_scope_owned_t;

typedef SLI_ARRAY(TF_Output) sli_outputs_t;

struct sl_scope {
  TF_Graph *graph;
  SLI_ARRAY(sli_scope_frame_t) frames;
  sli_map_t names;            // names in use, in lower case, to how often (as an integer)
  sli_map_t variable_scopes;  // how often each was opened (as an integer)
  sli_map_t variables;        // full name of a variable to its sl_variable_info_t
  sli_map_t by_value;         // name of the node of a variable's value to its sl_variable_info_t
  sli_map_t partitioned;      // name of a partitioned variable to its parts, see partitioned_variable.c
  sli_map_t collections;      // name to sli_outputs_t
  sli_map_t foreign;          // other collections of imported MetaGraphs: name to its encoding, an sli_string_t
  sli_map_t flows;            // TF_Operation * to the loop or branch it was built in
  SLI_ARRAY(struct sli_flow *) contexts;  // all loops and branches in the order of creation; also in |owned|
  SLI_ARRAY(struct sli_flow_def *) imported_contexts;  // those of imported MetaGraphs; also in |owned|
  SLI_ARRAY(sli_scope_owned_t) owned;
  SLI_ARRAY(struct sl_queue_runner *) queue_runners;  // that sessions start; also in |owned|
  SLI_ARRAY(struct sl_hook *) hooks;                  // of training sessions on this graph; also in |owned|
  SLI_ARRAY(struct sli_train_value *) trained;        // see trained_value.h; also in |owned|
  SLI_ARRAY(struct sli_train_state *) states;         // the same
  const char *file;                                   // of the current call, for errors
  int line;
  int64_t seed;
  bool is_synchronous;  // it has a synchronous optimizer: all variables change together
  bool has_seed;
  int64_t seeds_given;  // to random ops without their own seed
  int collectives;      // collective ops built so far: their number is the key of the next
  // Of all-reduce training whose workers join and leave: variables with the number of members and with the replica
  // that comes first among them, which saves; and this replica. Not set: there is no such group.
  struct {
    TF_Output size, first;
    int own;
  } group;
  sl_reuse_t root_reuse;        // outside of all variable scopes
  bool final;                   // a session exists; the graph must not change
  struct sli_scope_body *body;  // of a function that is being built in this scope (function.c); NULL: none
  TF_Code code;
  char *error;
};

// A copy of |count| outputs that the scope owns.
sl_outputs_t sli_scope_copy_outputs(sl_scope_t *scope, const TF_Output *items, size_t count);
// Calls |destroy|(object) when the scope is released.
void sli_scope_own(sl_scope_t *scope, void *object, void (*destroy)(void *object));
// Sets the error of the scope from |status|, which it releases. True if there was no error.
bool sli_scope_check(sl_scope_t *scope, sli_status_t *status);
// The same for a TF_Status, which it deletes. The error names |node| if it is not NULL.
bool sli_scope_check_tf(sl_scope_t *scope, TF_Status *status, const char *node);
static inline bool sli_scope_ok(const sl_scope_t *scope) { return scope->code == TF_OK; }
// From now on adding nodes is an error.
void sli_scope_finalize(sl_scope_t *scope);

// In the body of a function: the argument that stands for a value from outside. Else |value| itself.
TF_Output sli_scope_capture(sl_scope_t *scope, TF_Output value);

// The current name scope, "" at the root; and the full name of |name| in it, made unique. New.
const char *sli_scope_prefix(const sl_scope_t *scope);
char *sli_scope_unique_name(sl_scope_t *scope, const char *name);
// Marks the names of all nodes of the graph as used, after nodes were added without the scope.
void sli_scope_reserve_names(sl_scope_t *scope);
// The current variable scope; and a name for a variable scope in it that was not opened yet ("dense", "dense_1"). New.
const char *sli_scope_variable_prefix(const sl_scope_t *scope);
char *sli_scope_unique_variable_scope(sl_scope_t *scope, const char *name);
sl_reuse_t sli_scope_reuse(const sl_scope_t *scope);
sli_scope_variable_defaults_t sli_scope_variable_defaults(const sl_scope_t *scope);

// Blocks for the library only.
sl_block_t sli_scope_enter_frame(sl_scope_t *scope, sli_scope_frame_t frame);
// Nodes built inside, the initial value of |variable|, are colocated with it.
sl_block_t sli_scope_enter_initializer(sl_scope_t *scope, const char *variable);
// Nodes built inside ignore the colocation and the devices of outer blocks.
sl_block_t sli_scope_enter_no_placement(sl_scope_t *scope);
// Nodes built inside ignore control dependencies, loops and branches of outer blocks.
sl_block_t sli_scope_enter_no_control(sl_scope_t *scope);
// |whole_name| is a full name, not relative to the current scopes. Does not open a name scope.
sl_block_t sli_scope_enter_variable_scope(sl_scope_t *scope, const char *whole_name, sl_reuse_t reuse);
// Opens the current variable scope again, with a name scope named after the last part of its name.
sl_block_t sli_scope_reenter_variable_scope(sl_scope_t *scope);

// The device of a new node (|bytes| of a variable, else -1); and its colocation group, the value of "_class" ("": none;
// new).
void sli_scope_choose_device(sl_scope_t *scope, const char *op, const char *name, int64_t bytes, char *out_device,
                             size_t size);
char *sli_scope_colocation_group(sl_scope_t *scope);
// Adds the control inputs that the current blocks require of a node with |inputs| to |out_operations|.
typedef SLI_ARRAY(TF_Operation *) sli_operations_t;
void sli_scope_control_inputs(sl_scope_t *scope, const sli_operations_t *inputs, sli_operations_t *out_operations);
// Records in the current control dependency blocks that |operation| was built in them.
void sli_scope_note_operation(sl_scope_t *scope, TF_Operation *operation);

#endif  // SLI_TRAIN_GRAPH_SCOPE_H_
