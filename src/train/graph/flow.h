// Control flow contexts. A context is a loop or a branch of a conditional that is
// being built. Every new node is adapted to the current context.
#ifndef SLI_TRAIN_GRAPH_FLOW_H_
#define SLI_TRAIN_GRAPH_FLOW_H_

#include "train/graph/scope.h"

typedef struct {
  TF_Output outside, inside;  // a value, and the value that represents it inside
} sli_flow_capture_t;

typedef struct sli_flow sli_flow_t;
struct sli_flow {
  sli_flow_t *outer;  // NULL: the graph itself
  bool is_loop;
  TF_Operation *pivot;  // control input of nodes that have no input inside the context
  char *name;           // of the context and of the loop's frame
  int64_t parallel_iterations;
  sli_outputs_t enters, exits;                    // of the variables of a loop
  TF_Output loop_cond, first_merge, first_value;  // of the first variable of a loop
  TF_Output maximum_iterations;                   // of a loop; may be empty
  bool no_back_prop;
  TF_Output pred;  // of a branch
  int branch;
  sli_map_t captured;  // maps values from outside to their sli_flow_capture_t
};

// Create a context inside the current one. The scope owns it. Both reserve a name in the current name scope.
sli_flow_t *sli_flow_create_loop(sl_scope_t *scope, int64_t parallel_iterations);
sli_flow_t *sli_flow_create_branch(sl_scope_t *scope, TF_Output pred, int branch, TF_Output pivot);

// Nodes that are built in the block belong to |flow|.
sl_block_t sli_flow_enter(sl_scope_t *scope, sli_flow_t *flow);
// The context in which |operation| was built, and the context of its outputs, which differs for a loop's Exit. NULL:
// none.
sli_flow_t *sli_flow_of_operation(const sl_scope_t *scope, TF_Operation *operation);
sli_flow_t *sli_flow_of_outputs(const sl_scope_t *scope, TF_Operation *operation);
// NULL: none.
sli_flow_t *sli_flow_current(const sl_scope_t *scope);

// Records that |operation| was built in |flow| (NULL: none).
void sli_flow_add_operation(sl_scope_t *scope, sli_flow_t *flow, TF_Operation *operation);
// Whether |value| may be used in |flow|; else sets an error in the scope that names |user|.
bool sli_flow_check_use(sl_scope_t *scope, sli_flow_t *flow, TF_Output value, const char *user);
// The value that represents |value| inside |flow|. Builds the nodes that capture it in the current name scope.
TF_Output sli_flow_capture_value(sl_scope_t *scope, sli_flow_t *flow, TF_Output value);
// Whether |operation| is an Enter whose value is the same in all iterations.
bool sli_flow_is_loop_invariant(TF_Operation *operation);
// Adapts the control inputs of a node to |flow|: captures those from outside the loop, and adds the pivot if the node
// would otherwise run once, outside of the iteration or branch. |bound|: one of its inputs prevents that already.
void sli_flow_adapt_controls(sl_scope_t *scope, sli_flow_t *flow, bool has_inputs, bool bound,
                             sli_operations_t *controls);

// A node "Enter" of |loop|. It has only the control dependencies that apply to the whole loop.
TF_Output sli_flow_build_enter(sl_scope_t *scope, sli_flow_t *loop, TF_Output value, bool is_constant);
// A node "Switch", colocated with |value|.
TF_Output sli_flow_build_switch(sl_scope_t *scope, TF_Output value, TF_Output pred);

// The number of nodes in the graph.
size_t sli_flow_count_nodes(sl_scope_t *scope);
// Assigns the nodes from number |first| on, which were not added through the scope, to the loop of |like|.
void sli_flow_add_new_nodes(sl_scope_t *scope, TF_Operation *like, size_t first);

#endif  // SLI_TRAIN_GRAPH_FLOW_H_
