// The compiled form of a graph, shared by the plan's compiler and the executor.
//
// A node belongs to a static frame (the root, or a loop's body); within its frame
// it has a number and a range of input slots, so that an iteration of a loop is a
// few small arrays. An edge leads from an output to a slot; the last edge of an
// output takes the producer's reference, the others get a new one.
#ifndef SLI_RUNTIME_PLAN_PLAN_LAYOUT_H_
#define SLI_RUNTIME_PLAN_PLAN_LAYOUT_H_

#include "base/sync.h"
#include "runtime/plan/plan.h"

// Flags of a node.
enum {
  SLI_PLAN_NODE_MERGE = 1 << 0,
  SLI_PLAN_NODE_TRANSFER = 1 << 1,         // runs with dead inputs: _Send and _Recv pass deadness on
  SLI_PLAN_NODE_CONTROL_TRIGGER = 1 << 2,  // never dead
  SLI_PLAN_NODE_MAY_OMIT = 1 << 3,         // outputs may stay unset: Switch, _Recv
  SLI_PLAN_NODE_ENTER = 1 << 4,
  SLI_PLAN_NODE_CONSTANT_ENTER = 1 << 5,
  SLI_PLAN_NODE_EXIT = 1 << 6,
  SLI_PLAN_NODE_NEXT_ITERATION = 1 << 7,
  SLI_PLAN_NODE_ASYNC = 1 << 8,
  SLI_PLAN_NODE_EXPENSIVE = 1 << 9,    // possibly: large or unknown inputs, or marked by its kernel
  SLI_PLAN_NODE_REFERENCES = 1 << 10,  // some input is a reference to a variable
  SLI_PLAN_NODE_TAKES_UNINITIALIZED = 1 << 11,
  SLI_PLAN_NODE_HAS_CONSTANTS = 1 << 12,   // some input slots hold tensors that the plan or the step keeps
  SLI_PLAN_NODE_HAS_UNUSED = 1 << 13,      // some outputs have no consumer
  SLI_PLAN_NODE_STORES_OUTPUTS = 1 << 14,  // outputs are stored in the iteration, not in the thread
  SLI_PLAN_NODE_MEASURED = 1 << 15,        // its kernel is expensive with any inputs: always measured
};

// Flags of an edge: properties of the consumer, so that the executor need not read the consumer.
enum {
  SLI_PLAN_EDGE_LAST = 1 << 0,   // takes the producer's reference
  SLI_PLAN_EDGE_FETCH = 1 << 1,  // no consumer: the slot is read when the step ends
  SLI_PLAN_EDGE_MERGE = 1 << 2,
  SLI_PLAN_EDGE_CONTROL_TRIGGER = 1 << 3,
  SLI_PLAN_EDGE_EXPENSIVE = 1 << 4,
};

// A node with at most so many outputs uses the thread's array.
enum { SLI_PLAN_SMALL_OUTPUTS = 8 };

typedef struct {
  int32_t output;     // of the producer; -1: a control edge
  uint32_t consumer;  // its number within its frame
  uint32_t slot;      // of the consumer's frame
  uint32_t flags;
} sli_plan_edge_t;

// A control edge that is followed without running its producer.
typedef struct {
  uint32_t consumer, flags;
} sli_plan_arrival_t;

// What the executor reads of every node it runs: one cache line.
typedef struct {
  sli_status_t *(*compute)(sli_kernel_context_t *context);  // NULL: asynchronous
  void *state;
  const sli_node_def_t *def;
  sli_device_t *device;
  const sli_plan_edge_t *edges;
  uint32_t edge_count;
  uint32_t flags;
  int32_t input_count, output_count;
  uint32_t first_slot;    // of its frame
  uint32_t first_output;  // with SLI_PLAN_NODE_STORES_OUTPUTS: in the iteration's array
} __attribute__((aligned(64))) sli_plan_node_t;

// What a node costs (plan_cost.c).
typedef struct {
  float nanos_per_byte;
  float known_bytes;  // of the variables that it is given by reference
  float output_bytes;
  bool outputs_vary;          // some output's size is known only when the inputs are
  _Atomic uint64_t measured;  // nanoseconds that it took last, and the magnitude of the size then; 0: not measured yet
} sli_plan_cost_t;

// The other properties of a node, by the same index.
typedef struct {
  const sli_kernel_def_t *kernel;
  uint32_t local;         // its number within its frame
  uint32_t frame;         // static frame it runs in
  uint32_t output_frame;  // static frame of its consumers
  uint32_t parked;        // with SLI_PLAN_NODE_ASYNC: in the iteration's array
  uint32_t cost;          // with SLI_PLAN_NODE_EXPENSIVE: in the plan's costs
  uint64_t host_outputs;  // of sli_kernel_context_t
} sli_plan_info_t;

// State of a node in an iteration. Low half: the arrivals to wait for; of a Merge,
// twice its control inputs, plus one until a live value arrives. High half: the dead
// arrivals so far.
typedef uint64_t sli_plan_node_state_t;
#define SLI_PLAN_NODE_STATE_DEAD (UINT64_C(1) << 32)

typedef struct {
  int32_t parent;  // -1: the root
  uint32_t depth;
  sli_view_t name;
  uint64_t name_hash;
  int64_t parallel_iterations;
  uint32_t enter_count;
  uint32_t node_count, slot_count, output_count, parked_count;
  uint32_t *nodes;                // by local number
  sli_plan_node_state_t *states;  // initial, by local number
} sli_plan_frame_t;

typedef struct {
  uint32_t feed, slot;  // of the root frame
} sli_plan_feed_target_t;

// A feed with so many consumers or more is kept by the step for all of them, as if it
// were a constant, instead of one reference for each.
enum { SLI_PLAN_KEPT_FEED_TARGETS = 4 };

// A step that has ended and whose memory the plan keeps for a later step. The executor's step begins with it.
typedef struct sli_plan_idle_step sli_plan_idle_step_t;
struct sli_plan_idle_step {
  void (*destroy)(sli_plan_idle_step_t *self);
};

struct sli_plan {
  sli_refcount_t references;
  sli_graph_t *graph;
  sli_plan_node_t *nodes;  // in topological order
  sli_plan_info_t *infos;
  uint32_t node_count;
  SLI_ARRAY(sli_plan_cost_t) costs;  // of expensive nodes: most nodes are cheap
  sli_plan_edge_t *edges;
  SLI_ARRAY(sli_plan_frame_t) frames;  // the root first, parents before children
  bool has_frames;
  bool is_stateful;          // some op is stateful: it may keep resources for the step
  sli_tensor_t **constants;  // by slot of the root frame; NULL: no constant. Two references each, so that no kernel
                             // finds them exclusive
  SLI_ARRAY(sli_plan_feed_target_t) feed_targets;       // each gets a reference
  SLI_ARRAY(sli_plan_feed_target_t) kept_feed_targets;  // of feeds that the step keeps
  SLI_ARRAY(uint32_t) kept_feeds;
  sli_dtype_t *feed_types;
  uint32_t feed_count;
  sli_output_t *fetches;
  uint32_t *fetch_slots;
  uint32_t fetch_count;
  SLI_ARRAY(uint32_t) roots;  // ready at the start; asynchronous ones last, because the executor begins at the end
  // Roots that do nothing (NoOps), and their edges: instead of running them the executor follows these edges. A traced
  // step runs them as nodes.
  SLI_ARRAY(uint32_t) quiet_roots;
  SLI_ARRAY(sli_plan_arrival_t) quiet_arrivals;
  // Kept by the executor: |spare_step| is taken first, without the lock. NULL: none.
  _Atomic(sli_plan_idle_step_t *) spare_step;
  sli_mutex_t mutex;
  SLI_ARRAY(sli_plan_idle_step_t *) idle_steps;  // under |mutex|
};

// Finds the static frame of every node in |order| that |runs|. INVALID_ARGUMENT for
// edges that enter or leave a loop without Enter or Exit. Adds the root and every loop to the plan's frames.
typedef struct {
  const sli_graph_t *graph;
  const int *order;
  const bool *runs;        // by id, as all below
  const uint32_t *flags;   // that the ops imply
  uint32_t *frame;         // that it runs in
  uint32_t *output_frame;  // that its outputs belong to
} sli_plan_frames_request_t;
sli_status_t *sli_plan_find_frames(sli_plan_t *plan, const sli_plan_frames_request_t *request);

// --- What nodes cost (plan_cost.c) ---

// Marks a node that may be expensive, and adds its cost to the plan's. Called before the plan runs.
void sli_plan_node_estimate(sli_plan_t *plan, sli_plan_node_t *node, sli_plan_info_t *info);
// How many nanoseconds an expensive node will take with these inputs, from measurements with similar inputs or from its
// bytes; INFINITY on a thread that also polls the network (|is_polling|) for a kernel that may block. |*out_order|: the
// magnitude of the size if the node is worth measuring, otherwise 0.
float sli_plan_node_nanos(const sli_plan_t *plan, const sli_plan_node_t *node, const sli_kernel_value_t *inputs,
                          bool is_polling, uint8_t *out_order);
// Records how long the node took with inputs of this magnitude.
void sli_plan_node_learn(sli_plan_t *plan, const sli_plan_node_t *node, uint8_t order, int64_t nanos);

static inline sli_plan_info_t *sli_plan_info(const sli_plan_t *plan, const sli_plan_node_t *node) {
  return &plan->infos[node - plan->nodes];
}

// The graph's node that |node| was compiled from.
static inline const sli_node_t *sli_plan_source(const sli_plan_node_t *node) {
  return (const sli_node_t *)((const char *)node->def - offsetof(sli_node_t, def));
}

// Flags that the op's row implies (control flow, transfer).
uint32_t sli_plan_op_flags(const sli_node_t *node);

#endif  // SLI_RUNTIME_PLAN_PLAN_LAYOUT_H_
