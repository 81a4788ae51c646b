// Partitioner: splits a placed graph by task. An edge between tasks becomes a
// _Send and a _Recv with TensorFlow's key parts; a control edge travels as an
// empty float tensor; a loop across tasks gets its control loop.
// Tasks share no nodes; several devices of one task stay in one partition.
#ifndef SLI_RUNTIME_PARTITION_H_
#define SLI_RUNTIME_PARTITION_H_

#include "graph/graph.h"
#include "runtime/device_set.h"

typedef struct {
  char *task;  // "/job:ps/replica:0/task:0"
  sli_graph_t *graph;
} sli_partition_t;

typedef struct {
  SLI_ARRAY(sli_partition_t) parts;
} sli_partitions_t;

sli_status_t *sli_graph_partition(const sli_graph_t *graph, const sli_device_set_t *devices,
                                  sli_partitions_t *out_partitions);
void sli_partitions_deinitialize(sli_partitions_t *partitions);

#endif  // SLI_RUNTIME_PARTITION_H_
