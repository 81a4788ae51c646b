// The fields of a queue runner, for MetaGraphs.
#ifndef SLI_TRAIN_INPUT_QUEUE_RUNNER_H_
#define SLI_TRAIN_INPUT_QUEUE_RUNNER_H_

#include "sluice/queue_runner.h"
#include "train/graph/scope.h"

struct sl_queue_runner {
  char *name;  // of the queue's node
  sli_operations_t enqueue_ops;
  TF_Operation *close_op, *cancel_op;
};

#endif  // SLI_TRAIN_INPUT_QUEUE_RUNNER_H_
