// A step while it runs: what executor.c (the step's life), executor_node.c (the
// loop that runs nodes) and executor_frames.c (loops of the graph) share.
//
// Who owns the step. While nothing was handed to another thread and no kernel is
// parked, one thread owns it, and counters are plain numbers (|is_shared| false).
// Before anything leaves that thread, |is_shared| is set: from then on arrivals
// at nodes are atomic, and Merges and frames change under |mutex|. |active| counts
// workers and parked kernels; whoever brings it to zero ends the step.
#ifndef SLI_RUNTIME_EXECUTOR_INTERNAL_H_
#define SLI_RUNTIME_EXECUTOR_INTERNAL_H_

#include "base/clock.h"
#include "runtime/executor.h"
#include "runtime/plan_internal.h"

enum {
  SLI_RUN_NODE_NANOS = 100,      // what a node counts for that does nothing much
  SLI_RUN_COSTLY_NANOS = 30000,  // worth another thread: more than waking it costs
  SLI_RUN_DUTY_NANOS = 200000,   // what a thread with other duties spends on a step before it looks for them
};

typedef struct sli_run_iteration sli_run_iteration_t;
typedef struct sli_run_frame sli_run_frame_t;
typedef struct sli_run_link sli_run_link_t;

// A node of an iteration in a list of ready ones. A node is ready once, so a list needs no memory.
struct sli_run_link {
  sli_run_iteration_t *iteration;
  sli_run_link_t *next;
  int64_t scheduled;  // wall nanoseconds, in a traced step
  uint32_t node;
  bool is_dead;
  uint8_t order;  // of an expensive node's size if it is to be measured, else 0
};

// An asynchronous kernel that runs. Its starter and its completion meet in |phase|.
typedef struct sli_run_parked sli_run_parked_t;
struct sli_run_parked {
  sli_kernel_context_t context;  // first: the kernel hands it back
  sli_run_link_t *link;
  sli_run_parked_t *next;  // in a thread's list of completions to go on with
  sli_status_t *status;
  int64_t began;
  atomic_int phase;
};

// One turn of a loop, or the root's only one. The arrays lie behind it, by local number or slot.
struct sli_run_iteration {
  sli_run_t *run;
  sli_run_frame_t *frame;
  uint64_t number;            // 0 is the first turn
  sli_run_iteration_t *next;  // the following turn, or the next idle iteration
  // Of loops, under |mutex| when shared:
  uint32_t busy_nodes;   // ready or running
  uint32_t child_count;  // frames begun in this turn
  sli_run_frame_t *children;
  _Atomic sli_node_state_t *states;
  sli_value_t *slots;
  sli_run_link_t *links;
  sli_value_t *outputs;
  sli_run_parked_t *parked;
};

typedef struct {
  uint32_t node;
  sli_value_t value;
} sli_run_held_t;

// A loop that runs. Iterations end in order: |first| is the oldest that has not ended.
struct sli_run_frame {
  const sli_plan_frame_t *type;
  uint64_t id;
  sli_run_iteration_t *parent;  // NULL: the root
  sli_run_frame_t *next;        // sibling, or the next idle frame
  sli_run_iteration_t *first, *last;
  uint64_t begun;           // iterations so far
  int64_t iteration_count;  // that have not ended
  uint32_t pending_enters;
  SLI_ARRAY(sli_run_held_t) invariants;  // values of constant Enters, for every iteration
  SLI_ARRAY(sli_run_held_t) next_roots;  // values that wait for room for one more iteration
  SLI_ARRAY(uint32_t) dead_exits;        // of the last iteration
};

struct sli_run {
  sli_plan_t *plan;
  sli_step_t step;
  sli_thread_pool_t *pool;
  sli_env_t *env;  // NULL: none
  sli_step_stats_t *stats;
  bool hand_over;
  bool is_shared;
  atomic_int active;
  atomic_bool is_stopped;  // by an error or by cancellation: no further node starts
  sli_run_done_t done;
  void *done_context;
  uint64_t token;                        // of the cancellation's callback; 0: none
  sli_cancellation_t *own_cancellation;  // for requests without one; kept between steps
  sli_run_frame_t root;
  sli_run_iteration_t *root_iteration;
  sli_tensor_t **fetches;
  sli_tensor_t **constants;  // by slot of the root frame: the plan's, or a copy of them with the feeds that are kept
  sli_tensor_t **kept;       // by kept feed. Two references each: never exclusive
  // By static frame, for use again:
  sli_run_frame_t **idle_frames;
  sli_run_iteration_t **idle_iterations;
  sli_mutex_t mutex;
  sli_status_t *status;  // under |mutex|: the root cause
};

// A thread at work on a step: nodes that are ready, and where a node's values lie.
typedef struct {
  sli_run_t *run;
  sli_run_link_t *ready;   // a stack
  sli_run_link_t *costly;  // at most one: run when nothing else is left
  sli_run_link_t *spare;   // costly siblings, to be handed to the pool
  int64_t budget;          // nanoseconds left on a thread with other duties
  uint32_t turns;          // nodes run, in a step with a deadline
  bool is_on_duty;
  sli_kernel_context_t context;
  sli_value_t outputs[SLI_PLAN_SMALL_OUTPUTS];
} sli_run_worker_t;

// executor.c
void sli_run_destroy(sli_run_t *run);
// Records an error; the first one stops the step. Consumes |status|.
void sli_run_fail(sli_run_t *run, sli_status_t *status);
// Gives up one count of |active|; the last one ends the step.
void sli_run_leave(sli_run_t *run);
// An iteration of |frame|, linked to nothing, with empty slots; its nodes are not reset.
sli_run_iteration_t *sli_run_iteration_create(sli_run_t *run, sli_run_frame_t *frame);
void sli_run_iteration_destroy(sli_run_iteration_t *iteration);
// Makes every node wait for all its inputs again.
void sli_run_iteration_reset(sli_run_iteration_t *iteration);
// Releases what lies in the slots (constants and kept feeds stay).
void sli_run_iteration_clear(sli_run_iteration_t *iteration);

// executor_node.c
// Works on |run| from its roots; gives up the caller's count of |active| when
// nothing is ready any more, or the rest went to the pool.
void sli_run_start(sli_run_t *run);
// Sorts a ready expensive node in: here, last here, or to the pool.
void sli_run_push_expensive(sli_run_worker_t *worker, sli_run_link_t *link);

// executor_frames.c
// Hands the outputs of a node to their consumers, as TensorFlow's loops want it. Empties |outputs|.
void sli_run_deliver_in_frames(sli_run_worker_t *worker, sli_run_iteration_t *iteration, const sli_plan_node_t *node,
                               sli_value_t *outputs, bool is_dead);
// Ends all frames but the root, releasing what they hold (a step that failed).
void sli_run_drop_frames(sli_run_t *run);
void sli_run_destroy_frames(sli_run_t *run);

static inline bool sli_value_is_set(sli_value_t value) { return value.tensor || value.variable; }

static inline void sli_value_release(sli_value_t value) {
  if (value.tensor) sli_tensor_release(value.tensor);
  if (__builtin_expect(value.variable != NULL, 0)) sli_variable_release(value.variable);
}

// The value that an edge takes: the producer's own reference, or another one.
static inline sli_value_t sli_value_take(sli_value_t *output, bool is_last) {
  sli_value_t value = *output;
  if (is_last) {
    *output = (sli_value_t){0};
  } else {
    if (value.tensor) sli_tensor_retain(value.tensor);
    if (value.variable) sli_variable_retain(value.variable);
  }
  return value;
}

// Makes node |local| ready. |flags| are those of the edge that led to it.
static inline void sli_run_push(sli_run_worker_t *worker, sli_run_iteration_t *iteration, uint32_t local, bool is_dead,
                                uint32_t flags) {
  sli_run_link_t *link = &iteration->links[local];
  link->is_dead = is_dead;
  if (__builtin_expect(worker->run->stats != NULL, 0)) link->scheduled = sli_wall_nanos();
  if (__builtin_expect((flags & SLI_EDGE_EXPENSIVE) && !is_dead, 0)) {
    sli_run_push_expensive(worker, link);
    return;
  }
  link->next = worker->ready;
  worker->ready = link;
}

// Arrivals at a Merge, which waits for all control inputs and one live value, or
// for all values if they are dead. The caller owns the step or holds its mutex.
typedef struct {
  bool is_ready, is_dead, wants_value;
} sli_arrival_t;

static inline sli_arrival_t sli_merge_arrive(_Atomic sli_node_state_t *state, int input_count, bool is_control,
                                             bool is_live, bool is_from_dead_enter) {
  sli_node_state_t value = atomic_load_explicit(state, memory_order_relaxed);
  sli_arrival_t arrival = {0};
  uint32_t waiting;
  if (is_control) {
    value -= 2;
    waiting = (uint32_t)value;
    arrival.is_dead = (waiting & 1) && (value >> 32) == (uint64_t)input_count;
    arrival.is_ready = waiting == 0 || (waiting == 1 && arrival.is_dead);
  } else if (is_live) {
    waiting = (uint32_t)value;
    arrival.wants_value = waiting & 1;
    arrival.is_ready = waiting == 1;
    value &= ~UINT64_C(1);
  } else {
    value += SLI_NODE_STATE_DEAD;
    waiting = (uint32_t)value;
    arrival.is_dead = (value >> 32) == (uint64_t)input_count || is_from_dead_enter;
    arrival.is_ready = waiting == 1 && arrival.is_dead;
  }
  atomic_store_explicit(state, value, memory_order_relaxed);
  return arrival;
}

#endif  // SLI_RUNTIME_EXECUTOR_INTERNAL_H_
