// Shared by gradients.c (the walk), gradient_loops.c (backward loops) and
// gradient_history.c (forward values inside backward loops).
//
// A gradient node lies in the frame of the backward loop that belongs to the
// forward loop of the node it differentiates. What it uses of the forward loop
// comes from a stack: the forward loop pushes a value in every turn, the
// backward loop pops it. Loop-invariant values simply enter the backward loop.
#ifndef SLI_GRAPH_GRADIENTS_INTERNAL_H_
#define SLI_GRAPH_GRADIENTS_INTERNAL_H_

#include "graph/gradients.h"

// A value inside conditionals is alive only if every |pred| took its |branch|.
typedef struct {
  sli_output_t pred;  // behind all Identity nodes
  int branch;
} sli_gradient_literal_t;

typedef struct {
  const sli_gradient_literal_t *items;
  size_t count;
} sli_gradient_guard_t;

// A forward while loop, with what was added to it and its backward loop. Arena memory.
typedef struct sli_gradient_loop sli_gradient_loop_t;
struct sli_gradient_loop {
  sli_gradient_loop_t *parent;  // NULL: in no loop
  int depth;
  const char *frame_name;
  const sli_node_t *enter;     // one through which it is entered
  bool direct;                 // ys lie in this loop or one inside: gradients run in its own turns
  int exits_left;              // Exit nodes on the path whose gradients are not known yet
  sli_gradient_guard_t guard;  // of the loop as a whole
  // Forward: counts the turns. The counter waits for all pushes of a turn.
  sli_node_t *condition;  // LoopCond
  sli_node_t *forward_add, *forward_next, *forward_sync;
  sli_output_t turns;  // outside, after the loop
  // Backward: counts down. The counter waits for all pops of a turn.
  const char *backward_name;
  sli_output_t pivot;  // LoopCond's
  sli_node_t *backward_index, *backward_next, *backward_sync;
  sli_map_t values;  // node id and index → sli_output_t * in the backward loop (for a direct loop: in it)
};

// Where a node's outputs live.
typedef struct {
  sli_gradient_loop_t *loop;  // NULL: in no loop
  bool backward;              // in the loop's backward twin
} sli_gradient_place_t;

// A node is differentiated once all gradients that flow into it are known:
// |pending| counts its edges to consumers on a path from an x to a y.
typedef struct {
  bool on_path, queued, stopped;
  int pending;
  SLI_ARRAY(sli_indexed_slices_t) * incoming;  // per output: the gradients to sum up
  sli_indexed_slices_t *total;                 // per output: their sum, once it is known
  sli_node_t *backward_merge;                  // of a loop's Switch: where its gradient comes round
} sli_gradient_state_t;

typedef struct {
  sli_graph_t *graph;
  const sli_gradients_request_t *request;
  const char *prefix;
  sli_gradient_state_t *states;
  size_t count;  // nodes before we began
  SLI_ARRAY(sli_node_t *) ready;
  const sli_node_t *current;  // being differentiated; NULL: at the ends
  bool summing;               // what flows into |current| is being summed up
  sli_arena_t scratch;
  sli_status_t *status;  // first error; nothing is added after it
  // Loops; all empty in a graph without any.
  SLI_ARRAY(sli_gradient_loop_t *) loops;
  SLI_ARRAY(sli_gradient_place_t) places;  // by node id
  SLI_ARRAY(sli_gradient_guard_t) guards;  // by node id
  sli_gradient_loop_t *loop;               // where emitted nodes go
  sli_node_t *base_pivot;                  // a y, when ys lie in a loop
} sli_gradient_driver_t;

// --- gradients.c ---------------------------------------------------------------

// What a node is made of: as sli_graph_node_t, with the name's leaf alone. Inputs are taken as they are.
typedef struct {
  const char *op, *leaf;
  const sli_output_t *inputs;
  size_t input_count;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
  sli_node_t *control;          // NULL: none
  sli_node_t *const *controls;  // NULL: |control| alone
  size_t control_count;
  sli_gradient_place_t place;
} sli_gradient_node_t;
// NULL once driver->status is set.
sli_node_t *sli_gradient_add_node(sli_gradient_driver_t *driver, const sli_gradient_node_t *request);
// Emits into |driver->loop|; forward values are brought there.
sli_output_t sli_gradient_emit_here(sli_gradient_driver_t *driver, const char *op, const char *leaf,
                                    const sli_output_t *inputs, size_t input_count, const sli_attr_entry_t *attrs,
                                    size_t attr_count);
sli_output_t sli_gradient_const_here(sli_gradient_driver_t *driver, const char *leaf, sli_tensor_t *value);  // consumes
sli_output_t sli_gradient_zero_here(sli_gradient_driver_t *driver, sli_dtype_t dtype);                       // a scalar
// Zeros of the shape of |like|, which may be a variable's handle, emitted into |driver->loop|.
sli_output_t sli_gradient_zeros_here(sli_gradient_driver_t *driver, sli_output_t like, sli_dtype_t dtype);
sli_output_t sli_gradient_dense_here(sli_gradient_driver_t *driver, const sli_indexed_slices_t *gradient);
// One more gradient for |output|: summed up when its node's turn comes.
void sli_gradient_flow(sli_gradient_driver_t *driver, sli_output_t output, sli_indexed_slices_t gradient);
// One of the edges that |node| waits for has brought what it will.
void sli_gradient_edge_done(sli_gradient_driver_t *driver, sli_node_t *node);
// As _class: beside |forward|, on its device.
void sli_gradient_colocate(sli_node_t *node, const sli_node_t *forward);

// --- gradient_loops.c ----------------------------------------------------------

// Finds the graph's loops and what lies in them. ys must lie in one loop, or in none.
sli_status_t *sli_gradient_loops_find(sli_gradient_driver_t *driver);
// Once the paths are known: how many Exits each loop waits for.
void sli_gradient_loops_expect(sli_gradient_driver_t *driver);
// Whether |producer| hands its value to another turn of a loop whose turns are differentiated one by one.
bool sli_gradient_is_other_turn(const sli_gradient_driver_t *driver, const sli_node_t *producer);
void sli_gradient_loops_deinitialize(sli_gradient_driver_t *driver);
// Differentiates |node| if it is part of a loop's machinery, or a Switch inside a loop: true. Its totals are known.
bool sli_gradient_loop_node(sli_gradient_driver_t *driver, sli_node_t *node, sli_indexed_slices_t *gradients);
// The loop in which gradients of |node|'s outputs live.
sli_gradient_loop_t *sli_gradient_loop_of(const sli_gradient_driver_t *driver, const sli_node_t *node);
sli_gradient_place_t sli_gradient_place_in(sli_gradient_loop_t *loop);

// --- gradient_history.c --------------------------------------------------------

bool sli_gradient_is_enter(const sli_node_t *node);
bool sli_gradient_is_constant_enter(const sli_node_t *node);
bool sli_gradient_is_loop_switch(const sli_node_t *node);
bool sli_gradient_is_loop_merge(const sli_node_t *node);
// Fills driver->guards for the nodes before we began, in topological |order|.
void sli_gradient_find_guards(sli_gradient_driver_t *driver, const int *order);
// |value| as it can be used in |loop|: itself, entered, or popped from a stack.
sli_output_t sli_gradient_bring(sli_gradient_driver_t *driver, sli_output_t value, sli_gradient_loop_t *loop);
// The shape of |value| as it can be used in |driver->loop|: inside a loop the forward loop takes it, so that no
// value is kept for its shape alone. |out_type| int32 or int64.
sli_output_t sli_gradient_shape_here(sli_gradient_driver_t *driver, sli_output_t value, sli_dtype_t out_type);
// The next turn of |place|'s loop waits for |node|, dead or alive.
void sli_gradient_hold_turn(sli_gradient_driver_t *driver, sli_gradient_place_t place, sli_node_t *node);
// Enter: |value| of the enclosing frame inside |place|'s loop.
sli_output_t sli_gradient_enter(sli_gradient_driver_t *driver, sli_output_t value, sli_gradient_place_t place,
                                bool is_constant, const char *leaf);

#endif  // SLI_GRAPH_GRADIENTS_INTERNAL_H_
