// Partitioner: splits a placed graph by task. An edge between tasks becomes a
// _Send and a _Recv with TensorFlow's key parts; a control edge travels as an
// empty float tensor; a loop across tasks gets a control loop on each task.
// All devices of a task are in one partition.
#ifndef SLI_RUNTIME_PLACE_PARTITION_H_
#define SLI_RUNTIME_PLACE_PARTITION_H_

#include "graph/graph.h"
#include "runtime/place/device_set.h"

typedef struct {
  char *task;  // "/job:ps/replica:0/task:0"
  sli_graph_t *graph;
} sli_partition_t;

typedef struct {
  SLI_ARRAY(sli_partition_t) parts;
} sli_partition_list_t;

// If all of |graph| is on one task, that partition is |graph| itself. |bfloat16|: values of type float go from task to
// task as bfloat16, as TensorFlow's GraphOptions.enable_bfloat16_sendrecv asks; but not those of checkpoints.
sli_status_t *sli_partition_graph(sli_graph_t *graph, const sli_device_set_t *devices, bool bfloat16,
                                  sli_partition_list_t *out_partitions);
void sli_partition_list_deinitialize(sli_partition_list_t *partitions);

#endif  // SLI_RUNTIME_PLACE_PARTITION_H_
