// Shared by gradients.c (the walk), gradient_loops.c (backward loops) and
// gradient_history.c (forward values inside backward loops).
//
// A gradient node is in the frame of the backward loop that belongs to the
// forward loop of the node that it differentiates. The values of the forward loop
// that it uses come from a stack: the forward loop pushes a value in every iteration,
// the backward loop pops it. Loop-invariant values enter the backward loop directly.
#ifndef SLI_GRAPH_GRADIENTS_GRADIENTS_INTERNAL_H_
#define SLI_GRAPH_GRADIENTS_GRADIENTS_INTERNAL_H_

#include "graph/gradients/gradients.h"

// One condition for a value inside conditionals to be alive: |pred| took |branch|.
typedef struct {
  sli_output_t pred;  // behind all Identity nodes
  int branch;
} sli_backprop_literal_t;

// All conditions for a value to be alive.
typedef struct {
  const sli_backprop_literal_t *items;
  size_t count;
} sli_backprop_guard_t;

// A forward while loop, the nodes that were added to it, and its backward loop. In the memory of driver->scratch.
typedef struct sli_backprop_loop sli_backprop_loop_t;
struct sli_backprop_loop {
  sli_backprop_loop_t *parent;  // NULL: in no loop
  int depth;
  const char *frame_name;
  const sli_node_t *enter;     // one through which it is entered
  bool direct;                 // ys are in this loop or a nested one: gradients are computed in its own iterations
  int exits_left;              // Exit nodes on the path whose gradients are not known yet
  sli_backprop_guard_t guard;  // of the loop as a whole
  // Forward: counts the iterations. The counter waits for all pushes of an iteration.
  sli_node_t *condition;  // LoopCond
  sli_node_t *forward_add, *forward_next, *forward_sync;
  sli_output_t iterations;  // their number, outside of the loop
  // Backward: counts down. The counter waits for all pops of an iteration.
  const char *backward_name;
  sli_output_t pivot;  // LoopCond's
  sli_node_t *backward_index, *backward_next, *backward_sync;
  sli_map_t values;  // node id and index → sli_output_t * in the backward loop (for a direct loop: in it)
};

// The loop that a node's outputs are in.
typedef struct {
  sli_backprop_loop_t *loop;  // NULL: in no loop
  bool backward;              // in the backward loop that belongs to |loop|
} sli_backprop_place_t;

// A node is differentiated once all gradients that flow into it are known:
// |pending| counts its edges to consumers on a path from an x to a y.
typedef struct {
  bool on_path, queued, stopped;
  int pending;
  SLI_ARRAY(sli_gradient_slices_t) * incoming;  // per output: the gradients to sum up
  sli_gradient_slices_t *total;                 // per output: their sum, once it is known
  sli_node_t *backward_merge;                   // of a loop's Switch: the Merge of its gradient in the backward loop
} sli_backprop_state_t;

typedef struct {
  sli_graph_t *graph;
  const sli_gradients_request_t *request;
  const char *prefix;
  sli_backprop_state_t *states;
  size_t count;  // of nodes before the first gradient node was added
  SLI_ARRAY(sli_node_t *) ready;
  const sli_node_t *current;  // being differentiated; NULL: at a y or an x
  bool summing;               // the gradients that flow into |current| are being summed
  sli_arena_t scratch;
  sli_status_t *status;  // first error; nothing is added after it
  // Loops; all empty in a graph without any.
  SLI_ARRAY(sli_backprop_loop_t *) loops;
  SLI_ARRAY(sli_backprop_place_t) places;  // by node id
  SLI_ARRAY(sli_backprop_guard_t) guards;  // by node id
  sli_backprop_loop_t *loop;               // where emitted nodes go
  sli_backprop_loop_t *base;               // that of the ys; NULL: they are in none
  sli_node_t *base_pivot;                  // a y, if the ys are in a loop
} sli_backprop_driver_t;

// --- gradients.c ---------------------------------------------------------------

// A request for a node: as sli_graph_node_t, with the last part of the name only. Inputs are not moved between loops.
typedef struct {
  const char *op, *leaf;
  const sli_output_t *inputs;
  size_t input_count;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
  sli_node_t *control;          // NULL: none
  sli_node_t *const *controls;  // NULL: |control| alone
  size_t control_count;
  sli_backprop_place_t place;
} sli_backprop_node_t;
// NULL once driver->status is set.
sli_node_t *sli_backprop_add_node(sli_backprop_driver_t *driver, const sli_backprop_node_t *request);
// Emits into |driver->loop| and brings forward values there.
sli_output_t sli_backprop_emit_here(sli_backprop_driver_t *driver, const char *op, const char *leaf,
                                    const sli_output_t *inputs, size_t input_count, const sli_attr_entry_t *attrs,
                                    size_t attr_count);
sli_output_t sli_backprop_const_here(sli_backprop_driver_t *driver, const char *leaf, sli_tensor_t *value);  // consumes
sli_output_t sli_backprop_zero_here(sli_backprop_driver_t *driver, sli_dtype_t dtype);                       // a scalar
// Zeros of the shape of |like|, which may be a variable's handle, emitted into |driver->loop|.
sli_output_t sli_backprop_zeros_here(sli_backprop_driver_t *driver, sli_output_t like, sli_dtype_t dtype);
sli_output_t sli_backprop_dense_here(sli_backprop_driver_t *driver, const sli_gradient_slices_t *gradient);
// Adds one more gradient for |output|. They are summed when its node is differentiated.
void sli_backprop_add_gradient(sli_backprop_driver_t *driver, sli_output_t output, sli_gradient_slices_t gradient);
// Notes that one of the edges that |node| waits for has delivered its gradient, or delivers none.
void sli_backprop_edge_done(sli_backprop_driver_t *driver, sli_node_t *node);
// Sets the _class attribute of |node|, so that it is placed on the device of |forward|.
void sli_backprop_colocate(sli_node_t *node, const sli_node_t *forward);

// --- gradient_loops.c ----------------------------------------------------------

// Finds the loops of the graph and the nodes in them. All ys must be in the same loop, or all outside of loops.
sli_status_t *sli_backprop_loops_find(sli_backprop_driver_t *driver);
// After the paths are known: counts the Exits that each loop waits for.
void sli_backprop_count_exits(sli_backprop_driver_t *driver);
// Whether |producer| passes its value to the next iteration of a loop that is differentiated within one iteration.
bool sli_backprop_crosses_iterations(const sli_backprop_driver_t *driver, const sli_node_t *producer);
void sli_backprop_loops_deinitialize(sli_backprop_driver_t *driver);
// If |node| is a control flow op of a loop, or a Switch inside a loop, differentiates it and returns true. Its totals
// must be known.
bool sli_backprop_loop_node(sli_backprop_driver_t *driver, sli_node_t *node, sli_gradient_slices_t *gradients);
// The loop that |node|'s outputs are in.
sli_backprop_loop_t *sli_backprop_loop_of(const sli_backprop_driver_t *driver, const sli_node_t *node);
// The loop in which their gradients are computed: if the ys are in a loop, those of nodes outside of it too.
sli_backprop_loop_t *sli_backprop_gradient_loop(const sli_backprop_driver_t *driver, const sli_node_t *node);
sli_backprop_place_t sli_backprop_place_in(sli_backprop_loop_t *loop);

// --- gradient_history.c --------------------------------------------------------

bool sli_backprop_is_enter(const sli_node_t *node);
bool sli_backprop_is_exit(const sli_node_t *node);
bool sli_backprop_is_next_iteration(const sli_node_t *node);
bool sli_backprop_is_constant_enter(const sli_node_t *node);
bool sli_backprop_is_loop_switch(const sli_node_t *node);
bool sli_backprop_is_loop_merge(const sli_node_t *node);
// Fills driver->guards for the first |driver->count| nodes, in topological |order|.
void sli_backprop_find_guards(sli_backprop_driver_t *driver, const int *order);
// |value| as it can be used in |loop|: itself, entered, or popped from a stack.
sli_output_t sli_backprop_bring_into_loop(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_loop_t *loop);
// The shape of |value| as it can be used in |driver->loop|. Inside a loop the forward loop computes the shape, so that
// no value is kept on a stack for its shape alone. |out_type| int32 or int64.
sli_output_t sli_backprop_shape_here(sli_backprop_driver_t *driver, sli_output_t value, sli_dtype_t out_type);
// Lets the next iteration of |place|'s loop wait for |node|, dead or alive.
void sli_backprop_delay_next_iteration(sli_backprop_driver_t *driver, sli_backprop_place_t place, sli_node_t *node);
// Adds an Enter that takes |value| from the enclosing frame into |place|'s loop.
sli_output_t sli_backprop_enter(sli_backprop_driver_t *driver, sli_output_t value, sli_backprop_place_t place,
                                bool is_constant, const char *leaf);

#endif  // SLI_GRAPH_GRADIENTS_GRADIENTS_INTERNAL_H_
