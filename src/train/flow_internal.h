// Control flow contexts: the loop or branch that is being built, which every new
// node passes on its way into the graph.
#ifndef SLI_TRAIN_FLOW_INTERNAL_H_
#define SLI_TRAIN_FLOW_INTERNAL_H_

#include "train/scope_internal.h"

typedef struct {
  TF_Output outside, inside;  // a value, and what stands for it
} sli_capture_t;

typedef struct sli_flow sli_flow_t;
struct sli_flow {
  sli_flow_t *outer;  // NULL: the graph itself
  bool is_loop;
  TF_Operation *pivot;  // what a node without inputs of its own waits for
  char *name;           // of the context; a loop's frame has the same
  int64_t parallel_iterations;
  sli_outputs_t enters, exits;                          // of a loop's variables
  TF_Output loop_cond, first_merge, first_value, most;  // the first variable's; |most|: turns, may be empty
  bool no_back_prop;
  TF_Output pred;  // of a branch
  int branch;
  sli_map_t captured;  // values from outside to their sli_capture_t
};

// New and owned by the scope, inside the current one. They take a name in the current name scope.
sli_flow_t *sli_flow_create_loop(sl_scope_t *scope, int64_t parallel_iterations);
sli_flow_t *sli_flow_create_branch(sl_scope_t *scope, TF_Output pred, int branch, TF_Output pivot);

// What is built in the block belongs to |flow|.
sl_block_t sli_flow_enter(sl_scope_t *scope, sli_flow_t *flow);
// Where |operation| was built, and where its outputs lie: those of a loop's Exit outside. NULL outside of all.
sli_flow_t *sli_flow_of(const sl_scope_t *scope, TF_Operation *operation);
sli_flow_t *sli_flow_of_outputs(const sl_scope_t *scope, TF_Operation *operation);
// NULL outside of all.
sli_flow_t *sli_flow_current(const sl_scope_t *scope);

// Notes that |operation| was built in |flow| (NULL: no loop or branch).
void sli_flow_own(sl_scope_t *scope, sli_flow_t *flow, TF_Operation *operation);
// Whether |value| may be used in |flow|; else the scope gets an error that names |user|.
bool sli_flow_check_use(sl_scope_t *scope, sli_flow_t *flow, TF_Output value, const char *user);
// What stands for |value| in |flow|; the nodes that bring it there go into the current name scope.
TF_Output sli_flow_bring(sl_scope_t *scope, sli_flow_t *flow, TF_Output value);
// Whether |operation| takes a value into a loop that is the same at every turn.
bool sli_flow_is_invariant(TF_Operation *operation);
// Adapts the control inputs of a node to |flow|: those from outside the loop are brought in, and one that would run
// too early or too often waits for the turn or the branch. |bound|: it has an input that does so already.
void sli_flow_adapt_controls(sl_scope_t *scope, sli_flow_t *flow, bool has_inputs, bool bound,
                             sli_operations_t *controls);

// A node "Enter" of |loop|, outside of control dependencies but those that hold for all of the loop.
TF_Output sli_flow_enter_node(sl_scope_t *scope, sli_flow_t *loop, TF_Output value, bool is_constant);
// A node "Switch" that goes with |value|.
TF_Output sli_flow_switch_node(sl_scope_t *scope, TF_Output value, TF_Output pred);
bool sli_flow_is_reference(TF_Output value);

// Nodes that the graph got since it had |first| of them, not through the scope, lie in the loop where |like| lies.
size_t sli_flow_count_nodes(sl_scope_t *scope);
void sli_flow_adopt(sl_scope_t *scope, TF_Operation *like, size_t first);

#endif  // SLI_TRAIN_FLOW_INTERNAL_H_
