// What a queue runner is made of.
#ifndef SLI_TRAIN_QUEUE_RUNNER_INTERNAL_H_
#define SLI_TRAIN_QUEUE_RUNNER_INTERNAL_H_

#include "sluice/queue_runner.h"
#include "train/scope_internal.h"

struct sl_queue_runner {
  char *name;  // of the queue's node
  sli_operations_t enqueue_ops;
  TF_Operation *close_op, *cancel_op;
};

#endif  // SLI_TRAIN_QUEUE_RUNNER_INTERNAL_H_
