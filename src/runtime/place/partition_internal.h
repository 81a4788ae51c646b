// Shared by partition.c and partition_loops.c.
#ifndef SLI_RUNTIME_PLACE_PARTITION_INTERNAL_H_
#define SLI_RUNTIME_PLACE_PARTITION_INTERNAL_H_

#include "graph/graph.h"

typedef struct {
  const char *name;  // Enter's frame_name
  int parent;        // -1 only for the root, which is frame 0
  int64_t parallel_iterations;
  sli_node_t *condition;  // its LoopCond
} sli_partition_loop_frame_t;

// The frame of every node's outputs, and the control loops that were added for
// partitions that have nodes of a frame but not its condition.
typedef struct {
  SLI_ARRAY(sli_partition_loop_frame_t) frames;
  SLI_ARRAY(int) frame_of;  // by node id
  sli_map_t merges;         // "frame:part" → the added loop's Merge
} sli_partition_loops_t;

// INVALID_ARGUMENT naming the node where frames do not fit together.
sli_status_t *sli_partition_loops_find(const sli_graph_t *graph, sli_partition_loops_t *out_loops);
// Adds to |graph|, for every edge inside a frame that crosses tasks, a control loop
// on the consumer's task, so that its receives run in each iteration.
sli_status_t *sli_partition_loops_add(sli_graph_t *graph, sli_partition_loops_t *loops);
// The node that a receive on |device|'s task, of a value in |frame|, waits for; NULL in the root frame.
sli_node_t *sli_partition_loops_merge(const sli_partition_loops_t *loops, int frame, const char *device);
void sli_partition_loops_deinitialize(sli_partition_loops_t *loops);

#endif  // SLI_RUNTIME_PLACE_PARTITION_INTERNAL_H_
