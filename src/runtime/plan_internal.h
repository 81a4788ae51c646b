// The compiled form of a graph, shared by the plan's compiler and the executor.
//
// Nodes carry what a step needs of them in one place. A node belongs to a static
// frame (the root, or a loop's body); within its frame it has a number and a
// range of input slots, so that an iteration of a loop is a few small arrays.
// An edge leads from an output to a slot; the last edge of an output takes the
// producer's reference, the others get one of their own.
#ifndef SLI_RUNTIME_PLAN_INTERNAL_H_
#define SLI_RUNTIME_PLAN_INTERNAL_H_

#include "base/sync.h"
#include "runtime/plan.h"

// Flags of a node.
enum {
  SLI_NODE_MERGE = 1 << 0,
  SLI_NODE_TRANSFER = 1 << 1,         // runs with dead inputs: _Send and _Recv hand deadness on
  SLI_NODE_CONTROL_TRIGGER = 1 << 2,  // never dead
  SLI_NODE_MAY_OMIT = 1 << 3,         // outputs may stay unset: Switch, _Recv
  SLI_NODE_ENTER = 1 << 4,
  SLI_NODE_CONSTANT_ENTER = 1 << 5,
  SLI_NODE_EXIT = 1 << 6,
  SLI_NODE_NEXT_ITERATION = 1 << 7,
  SLI_NODE_ASYNC = 1 << 8,
  SLI_NODE_EXPENSIVE = 1 << 9,    // may be: large or unknown inputs, or a kernel that says so
  SLI_NODE_REFERENCES = 1 << 10,  // some input arrives as a reference to a variable
  SLI_NODE_TAKES_UNINITIALIZED = 1 << 11,
  SLI_NODE_HAS_CONSTANTS = 1 << 12,   // some input slots hold tensors that the plan or the step keeps
  SLI_NODE_HAS_UNUSED = 1 << 13,      // some outputs have no consumer
  SLI_NODE_STORES_OUTPUTS = 1 << 14,  // outputs lie in the iteration, not in the worker
  SLI_NODE_MEASURED = 1 << 15,        // its kernel is expensive whatever its inputs: always measured
};

// Flags of an edge: what the executor must know of the consumer before it touches it.
enum {
  SLI_EDGE_LAST = 1 << 0,   // takes the producer's reference
  SLI_EDGE_FETCH = 1 << 1,  // no consumer: the slot is read when the step ends
  SLI_EDGE_MERGE = 1 << 2,
  SLI_EDGE_CONTROL_TRIGGER = 1 << 3,
  SLI_EDGE_EXPENSIVE = 1 << 4,
};

// Outputs of a node that fit the worker's own array.
enum { SLI_PLAN_SMALL_OUTPUTS = 8 };

typedef struct {
  int32_t output;     // of the producer; -1: a control edge
  uint32_t consumer;  // its number within its frame
  uint32_t slot;      // of the consumer's frame
  uint32_t flags;
} sli_plan_edge_t;

// A control edge that is taken without its producer.
typedef struct {
  uint32_t consumer, flags;
} sli_plan_arrival_t;

// What every run of a node reads: one cache line.
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
  uint32_t first_output;  // with SLI_NODE_STORES_OUTPUTS: in the iteration's array
} __attribute__((aligned(64))) sli_plan_node_t;

// What a node costs (plan_cost.c).
typedef struct {
  float nanos_per_byte;
  float known_bytes;  // of the variables that it is given by reference
  float output_bytes;
  bool outputs_vary;          // some output's size is known only once the inputs are there
  _Atomic uint64_t measured;  // nanoseconds it took of late, and with which order of size; 0: not measured yet
} sli_plan_cost_t;

// The rest, by the same index.
typedef struct {
  const sli_kernel_def_t *kernel;
  const sli_node_t *source;
  uint32_t local;         // its number within its frame
  uint32_t frame;         // static frame it runs in
  uint32_t output_frame;  // static frame of its consumers
  uint32_t parked;        // with SLI_NODE_ASYNC: in the iteration's array
  sli_plan_cost_t cost;
} sli_plan_info_t;

// Initial state of a node in a new iteration. Low half: arrivals to wait for; of
// a Merge, twice its control inputs, plus one while no live value has come.
// High half: dead arrivals so far.
typedef uint64_t sli_node_state_t;
#define SLI_NODE_STATE_DEAD (UINT64_C(1) << 32)

typedef struct {
  int32_t parent;  // -1: the root
  uint32_t depth;
  sli_view_t name;
  uint64_t name_hash;
  int64_t parallel_iterations;
  uint32_t enter_count;
  uint32_t node_count, slot_count, output_count, parked_count;
  uint32_t *nodes;           // by local number
  sli_node_state_t *states;  // initial, by local number
} sli_plan_frame_t;

typedef struct {
  uint32_t feed, slot;  // of the root frame
} sli_plan_feed_target_t;

// From so many consumers on the step keeps a feed for all of them, as if it were
// a constant, instead of a reference for each.
enum { SLI_PLAN_KEPT_FEED_TARGETS = 4 };

typedef struct sli_run sli_run_t;

struct sli_plan {
  sli_refcount_t references;
  sli_graph_t *graph;
  sli_plan_node_t *nodes;  // in topological order
  sli_plan_info_t *infos;
  uint32_t node_count;
  sli_plan_edge_t *edges;
  SLI_ARRAY(sli_plan_frame_t) frames;  // the root first, parents before children
  bool has_frames;
  bool is_stateful;          // some op is: it may keep resources for the step
  sli_tensor_t **constants;  // by slot of the root frame; NULL: not one. Two references each: never exclusive
  SLI_ARRAY(sli_plan_feed_target_t) feed_targets;       // each gets a reference
  SLI_ARRAY(sli_plan_feed_target_t) kept_feed_targets;  // of feeds that the step keeps
  SLI_ARRAY(uint32_t) kept_feeds;
  sli_dtype_t *feed_types;
  uint32_t feed_count;
  sli_output_t *fetches;
  uint32_t *fetch_slots;
  uint32_t fetch_count;
  SLI_ARRAY(uint32_t) roots;  // ready at once; asynchronous ones last, where the executor starts
  // Roots that do nothing but let others go (NoOps), and where: running them is to take these edges. A traced
  // step runs them as nodes.
  SLI_ARRAY(uint32_t) quiet_roots;
  SLI_ARRAY(sli_plan_arrival_t) quiet_arrivals;
  // Idle states of steps, ready for the next one: the first to be taken, then the others.
  _Atomic(sli_run_t *) spare;
  sli_mutex_t mutex;
  SLI_ARRAY(sli_run_t *) idle;  // under |mutex|
};

// Finds the static frame of every node in |order| that |runs|; by id. INVALID_ARGUMENT
// for edges that skip Enter or Exit. |frames| gets the root and every loop.
typedef struct {
  const sli_graph_t *graph;
  const int *order;
  const bool *runs;        // by id, as all below
  const uint32_t *flags;   // what the ops imply
  uint32_t *frame;         // where it runs
  uint32_t *output_frame;  // where its values go
} sli_plan_frames_request_t;
sli_status_t *sli_plan_find_frames(sli_plan_t *plan, const sli_plan_frames_request_t *request);

// --- What nodes cost (plan_cost.c) ---

// Before the plan runs: marks the nodes that may be expensive.
void sli_plan_node_estimate(sli_plan_node_t *node, sli_plan_info_t *info);
// What an expensive node will take with these inputs, in nanoseconds, by what was measured with such inputs or by
// bytes; INFINITY on a thread with other duties (|is_on_duty|) for a kernel that may wait. |*out_order|: of the size,
// if the node is worth measuring, else 0.
float sli_plan_node_nanos(const sli_plan_node_t *node, const sli_plan_info_t *info, const sli_value_t *inputs,
                          bool is_on_duty, uint8_t *out_order);
// Keeps in mind how long it took with inputs of this order.
void sli_plan_node_learn(sli_plan_info_t *info, uint8_t order, int64_t nanos);

static inline sli_plan_info_t *sli_plan_info(const sli_plan_t *plan, const sli_plan_node_t *node) {
  return &plan->infos[node - plan->nodes];
}

// Flags that the op's name implies (control flow, transfer).
uint32_t sli_plan_op_flags(const sli_node_t *node);

#endif  // SLI_RUNTIME_PLAN_INTERNAL_H_
