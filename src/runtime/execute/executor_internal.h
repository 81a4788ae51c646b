// A running step: shared by executor.c (start and end of a step), executor_node.c
// (running nodes) and executor_frames.c (loops of the graph).
//
// While no node was given to another thread and no kernel is parked, one thread owns
// the step and changes its counters without atomic operations (|is_shared| false).
// Before anything leaves that thread |is_shared| is set: from then on arrivals at
// nodes are atomic, and Merges and frames change under |mutex|. |active| counts
// threads that run the step and parked kernels; when it becomes zero the step ends.
#ifndef SLI_RUNTIME_EXECUTE_EXECUTOR_INTERNAL_H_
#define SLI_RUNTIME_EXECUTE_EXECUTOR_INTERNAL_H_

#include "runtime/execute/executor.h"
#include "runtime/plan/plan_layout.h"

enum {
  SLI_EXECUTOR_NODE_NANOS = 100,      // the estimate for a cheap node
  SLI_EXECUTOR_COSTLY_NANOS = 30000,  // worth another thread: more than waking one costs
  SLI_EXECUTOR_DUTY_NANOS =
      200000,  // how long a thread that also polls the network runs a step before it checks for events
};

typedef struct sli_executor_step sli_executor_step_t;
typedef struct sli_executor_iteration sli_executor_iteration_t;
typedef struct sli_executor_frame sli_executor_frame_t;
typedef struct sli_executor_link sli_executor_link_t;

// A node of an iteration, as an element of a list of ready nodes. A node is in one list at a time.
struct sli_executor_link {
  sli_executor_iteration_t *iteration;
  sli_executor_link_t *next;
  int64_t scheduled;  // wall nanoseconds, in a traced step
  uint32_t node;
  bool is_dead;
  uint8_t order;  // magnitude of an expensive node's size if it shall be measured, otherwise 0
};

// An asynchronous kernel that was started. |phase| tells the starter and the completion which of them came first.
typedef struct sli_executor_parked sli_executor_parked_t;
struct sli_executor_parked {
  sli_kernel_context_t context;  // first: the kernel passes it to |complete|
  sli_executor_link_t *link;
  sli_executor_parked_t *next;  // in a thread's list of completed kernels
  sli_status_t *status;
  int64_t began;
  atomic_int phase;
};

// One iteration of a loop; the root frame has exactly one. The arrays follow the struct in memory, by local number or
// slot.
struct sli_executor_iteration {
  sli_executor_step_t *step;
  sli_executor_frame_t *frame;
  uint64_t number;                 // 0 is the first iteration
  sli_executor_iteration_t *next;  // the following iteration, or the next idle one
  // Of loops, under |mutex| when shared:
  uint32_t busy_nodes;   // ready or running
  uint32_t child_count;  // frames begun in this iteration
  sli_executor_frame_t *children;
  _Atomic sli_plan_node_state_t *states;
  sli_kernel_value_t *slots;
  sli_executor_link_t *links;
  sli_kernel_value_t *outputs;
  sli_executor_parked_t *parked;
};

typedef struct {
  uint32_t node;
  sli_kernel_value_t value;
} sli_executor_held_t;

// A running loop. Iterations end in order: |first| is the oldest that has not ended.
struct sli_executor_frame {
  const sli_plan_frame_t *type;
  uint64_t id;
  sli_executor_iteration_t *parent;  // NULL: the root
  sli_executor_frame_t *next;        // sibling, or the next idle frame
  sli_executor_iteration_t *first, *last;
  uint64_t begun;           // iterations so far
  int64_t iteration_count;  // iterations that have not ended
  uint32_t pending_enters;
  SLI_ARRAY(sli_executor_held_t) invariants;  // values of constant Enters, for every iteration
  SLI_ARRAY(sli_executor_held_t) next_roots;  // values for the next iteration, which must wait until another has ended
  SLI_ARRAY(uint32_t) dead_exits;             // of the last iteration
};

struct sli_executor_step {
  sli_plan_idle_step_t as_idle;  // first: the plan keeps idle steps by it
  sli_plan_t *plan;
  sli_step_t base;
  sli_thread_pool_t *pool;
  sli_env_t *env;
  sli_step_stats_t *stats;
  bool hand_over;
  bool is_call;
  bool is_shared;
  atomic_int active;
  atomic_bool is_stopped;  // by an error or by cancellation: no more nodes are started
  sli_executor_done_t done;
  void *done_context;
  uint64_t token;                         // of the callback registered with the cancellation; 0: none
  sli_cancellation_t *own_cancellation;   // for calls, and requests without a cancellation; kept between steps
  sli_cancellation_t *watched;            // the request's, with which |token| is registered
  sli_resource_manager_t *own_resources;  // for steps whose caller lends none
  sli_executor_frame_t root;
  sli_executor_iteration_t *root_iteration;
  sli_tensor_t **fetches;
  sli_tensor_t **constants;  // by slot of the root frame: the plan's, or a copy with the kept feeds
  sli_tensor_t **kept;       // by kept feed. Two references each, so that no kernel finds them exclusive
  // By static frame, for reuse:
  sli_executor_frame_t **idle_frames;
  sli_executor_iteration_t **idle_iterations;
  sli_mutex_t mutex;
  sli_status_t *status;  // under |mutex|: the root cause
};

// A thread that runs nodes of a step: the ready nodes, and the context of the kernel that runs.
typedef struct {
  sli_executor_step_t *step;
  sli_executor_link_t *ready;   // a stack
  sli_executor_link_t *costly;  // at most one: runs when nothing else is ready
  sli_executor_link_t *spare;   // other costly nodes, for the pool
  int64_t budget;               // nanoseconds left before a thread that also polls checks for events
  uint32_t nodes_run;           // counted only in a step with a deadline
  bool is_polling;
  sli_kernel_context_t context;
  sli_kernel_value_t outputs[SLI_PLAN_SMALL_OUTPUTS];
} sli_executor_thread_t;

// executor.c
// Records an error; the first one stops the step. Consumes |status|.
void sli_executor_fail(sli_executor_step_t *step, sli_status_t *status);
// Decrements |active|; at zero the step ends.
void sli_executor_leave(sli_executor_step_t *step);
// Creates an iteration of |frame| with empty slots. It is not linked to the frame, and its nodes are not reset.
sli_executor_iteration_t *sli_executor_iteration_create(sli_executor_step_t *step, sli_executor_frame_t *frame);
void sli_executor_iteration_destroy(sli_executor_iteration_t *iteration);
// Makes every node wait for all its inputs again.
void sli_executor_iteration_reset(sli_executor_iteration_t *iteration);
// Releases the values in the slots, except constants and kept feeds.
void sli_executor_iteration_clear(sli_executor_iteration_t *iteration);

// executor_node.c
// Runs |step| from its roots until no node is ready on this thread; then decrements
// |active|, which the caller has incremented.
void sli_executor_start(sli_executor_step_t *step);
// Adds a ready expensive node to one of the thread's lists: run soon, run last, or give to the pool.
void sli_executor_push_expensive(sli_executor_thread_t *thread, sli_executor_link_t *link);

// executor_frames.c
// Passes the outputs of a node to their consumers by the rules of TensorFlow's loops. Empties |outputs|.
void sli_executor_deliver_in_frames(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration,
                                    const sli_plan_node_t *node, sli_kernel_value_t *outputs, bool is_dead);
// Ends all frames except the root and releases their values, after a step has failed.
void sli_executor_drop_frames(sli_executor_step_t *step);
void sli_executor_destroy_frames(sli_executor_step_t *step);

// For the trace of a step.
static inline int64_t sli_executor_wall_nanos(const sli_executor_step_t *step) {
  return step->env->wall_nanos(step->env);
}

// Makes node |local| ready. |flags| are those of the edge that led to it.
static inline void sli_executor_push(sli_executor_thread_t *thread, sli_executor_iteration_t *iteration, uint32_t local,
                                     bool is_dead, uint32_t flags) {
  sli_executor_link_t *link = &iteration->links[local];
  link->is_dead = is_dead;
  if (__builtin_expect(thread->step->stats != NULL, 0)) link->scheduled = sli_executor_wall_nanos(thread->step);
  if (__builtin_expect((flags & SLI_PLAN_EDGE_EXPENSIVE) && !is_dead, 0)) {
    sli_executor_push_expensive(thread, link);
    return;
  }
  link->next = thread->ready;
  thread->ready = link;
}

// An arrival at a Merge, which waits for all control inputs and one live value, or
// for all values if they are dead. The caller owns the step or holds its mutex.
typedef struct {
  bool is_ready, is_dead, wants_value;
} sli_executor_arrival_t;

static inline sli_executor_arrival_t sli_executor_merge_arrive(_Atomic sli_plan_node_state_t *state, int input_count,
                                                               bool is_control, bool is_live, bool is_from_dead_enter) {
  sli_plan_node_state_t value = atomic_load_explicit(state, memory_order_relaxed);
  sli_executor_arrival_t arrival = {0};
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
    value += SLI_PLAN_NODE_STATE_DEAD;
    waiting = (uint32_t)value;
    arrival.is_dead = (value >> 32) == (uint64_t)input_count || is_from_dead_enter;
    arrival.is_ready = waiting == 1 && arrival.is_dead;
  }
  atomic_store_explicit(state, value, memory_order_relaxed);
  return arrival;
}

#endif  // SLI_RUNTIME_EXECUTE_EXECUTOR_INTERNAL_H_
