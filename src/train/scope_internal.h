// What the training layer's files share of a scope.
#ifndef SLI_TRAIN_SCOPE_INTERNAL_H_
#define SLI_TRAIN_SCOPE_INTERNAL_H_

#include "base/array.h"
#include "base/map.h"
#include "base/status.h"
#include "base/string.h"
#include "sluice/scope.h"
#include "sluice/variable.h"

// Inside the library the line that counts stays the caller's.
#undef SL_AT
#define SL_AT(scope) (scope)

typedef enum {
  SLI_FRAME_NAME,      // text: the whole name scope, without a slash at the end
  SLI_FRAME_DEVICE,    // text, or setter; neither: outer devices are forgotten
  SLI_FRAME_CONTROL,   // operations; none: outer ones are forgotten, and the flow
  SLI_FRAME_COLOCATE,  // operation
  SLI_FRAME_SELF,      // text: the name of a variable that is being made, whose initial value goes with it
  SLI_FRAME_VARIABLE,  // text: the whole variable scope; reuse, defaults
  SLI_FRAME_FLOW,      // flow: a loop or a branch
} sli_frame_kind_t;

// What a variable scope says of the variables in it.
typedef struct {
  sl_initializer_t initializer;
  sl_regularizer_t regularizer;
  sl_partitioner_t partitioner;
  bool cached;  // read where they are used, once a step, not where they lie
} sli_variable_defaults_t;

typedef struct {
  sli_frame_kind_t kind;
  char *text;
  const sl_device_setter_t *setter;
  SLI_ARRAY(TF_Operation *) operations;
  sli_map_t seen;  // names of the nodes built under these control dependencies
  TF_Operation *operation;
  sl_reuse_t reuse;
  sli_variable_defaults_t defaults;
  struct sli_flow *flow;
} sli_frame_t;

typedef struct {
  void *object;
  void (*destroy)(void *object);
} sli_owned_t;

typedef SLI_ARRAY(TF_Output) sli_outputs_t;

struct sl_scope {
  TF_Graph *graph;
  SLI_ARRAY(sli_frame_t) frames;
  sli_map_t names;            // names in use, in small letters, to how often (as an integer)
  sli_map_t variable_scopes;  // how often each was opened (as an integer)
  sli_map_t variables;        // name given to get_variable to sl_variable_info_t
  sli_map_t by_value;         // name of a variable's value's node to sl_variable_info_t
  sli_map_t partitioned;      // name of a partitioned variable to what partition.c knows of it
  sli_map_t collections;      // sli_outputs_t
  sli_map_t foreign;          // collections of a MetaGraph that are no lists of nodes: encoded, an sli_string_t
  sli_map_t flows;            // TF_Operation * to the loop or branch it was built in
  SLI_ARRAY(struct sli_flow *) contexts;  // all loops and branches in the order they were begun; among |owned|
  SLI_ARRAY(struct sli_flow_def *) imported_contexts;  // those of MetaGraphs; among |owned|
  SLI_ARRAY(sli_owned_t) owned;
  SLI_ARRAY(struct sl_queue_runner *) queue_runners;  // that sessions start; among |owned|
  SLI_ARRAY(struct sl_hook *) hooks;                  // that training sessions take along; among |owned|
  const char *file;                                   // of the call that is building
  int line;
  int64_t seed;
  bool has_seed;
  int64_t seeds_given;    // to random ops without one of their own
  sl_reuse_t root_reuse;  // outside of all variable scopes
  bool final;             // a session exists
  TF_Code code;
  char *error;
};

// A copy of |count| outputs that the scope owns.
sl_outputs_t sli_scope_outputs(sl_scope_t *scope, const TF_Output *items, size_t count);
// Keeps |object| until the scope is released; then destroys it.
void sli_scope_own(sl_scope_t *scope, void *object, void (*destroy)(void *object));
// Consumes |status|; an error becomes the scope's. True if there was none.
bool sli_scope_check(sl_scope_t *scope, sli_status_t *status);
// The same for a TF_Status, which it deletes. |node|, if not NULL, is named.
bool sli_scope_check_tf(sl_scope_t *scope, TF_Status *status, const char *node);
static inline bool sli_scope_ok(const sl_scope_t *scope) { return scope->code == TF_OK; }
// From now on building is an error.
void sli_scope_finalize(sl_scope_t *scope);

// The current name scope, "" at the root; and a name made unique in it, new.
const char *sli_scope_prefix(const sl_scope_t *scope);
char *sli_scope_unique_name(sl_scope_t *scope, const char *name);
// Notes the names of nodes that were added to the graph past the scope: they are in use.
void sli_scope_note_names(sl_scope_t *scope);
// The name of the variable scope, and a variable scope name below it that was not opened yet ("dense", "dense_1"), new.
const char *sli_scope_variable_prefix(const sl_scope_t *scope);
char *sli_scope_unique_variable_scope(sl_scope_t *scope, const char *name);
sl_reuse_t sli_scope_reuse(const sl_scope_t *scope);
sli_variable_defaults_t sli_scope_variable_defaults(const sl_scope_t *scope);

// Blocks that only the library uses.
sl_block_t sli_scope_enter_frame(sl_scope_t *scope, sli_frame_t frame);
sl_block_t sli_scope_enter_self(sl_scope_t *scope, const char *variable);
// Forgets what nodes go with, and the devices around.
sl_block_t sli_scope_enter_alone(sl_scope_t *scope);
// Forgets control dependencies, and loops and branches.
sl_block_t sli_scope_enter_init(sl_scope_t *scope);
// |name| is whole: not below the current name or variable scope. Opens no name scope.
sl_block_t sli_scope_enter_variable_scope(sl_scope_t *scope, const char *whole_name, sl_reuse_t reuse);
// The current variable scope once more, with a name scope of the last part of its name.
sl_block_t sli_scope_enter_again(sl_scope_t *scope);

// The device of a new node (|bytes| of a variable, else -1), and the group that "_class" gives it ("" for none; new).
void sli_scope_choose_device(sl_scope_t *scope, const char *op, const char *name, int64_t bytes, char *out_device,
                             size_t size);
char *sli_scope_colocation(sl_scope_t *scope);
// Control inputs that the scope's blocks demand of a node with |inputs|; added to |out_operations|.
typedef SLI_ARRAY(TF_Operation *) sli_operations_t;
void sli_scope_control_inputs(sl_scope_t *scope, const sli_operations_t *inputs, sli_operations_t *out_operations);
// Tells the blocks that |operation| was built in them, or counts as if it were.
void sli_scope_seen(sl_scope_t *scope, TF_Operation *operation);

#endif  // SLI_TRAIN_SCOPE_INTERNAL_H_
