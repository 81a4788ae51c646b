// Sluice: distributed training in C. TensorFlow's C API has graphs, tensors,
// sessions and servers; these headers add what TensorFlow 1.x has in Python.
#ifndef SLUICE_SLUICE_H_
#define SLUICE_SLUICE_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/all_reduce.h"
#include "sluice/cluster.h"
#include "sluice/config.h"
#include "sluice/control_flow.h"
#include "sluice/coordinator.h"
#include "sluice/ctc.h"
#include "sluice/dataset.h"
#include "sluice/embedding.h"
#include "sluice/example.h"
#include "sluice/flags.h"
#include "sluice/function.h"
#include "sluice/gradients.h"
#include "sluice/hooks.h"
#include "sluice/input.h"
#include "sluice/kv.h"
#include "sluice/layers.h"
#include "sluice/losses.h"
#include "sluice/math.h"
#include "sluice/metrics.h"
#include "sluice/mnist.h"
#include "sluice/moving_average.h"
#include "sluice/node.h"
#include "sluice/optimizer.h"
#include "sluice/queue.h"
#include "sluice/queue_runner.h"
#include "sluice/record.h"
#include "sluice/rnn.h"
#include "sluice/saver.h"
#include "sluice/scaffold.h"
#include "sluice/scope.h"
#include "sluice/server.h"
#include "sluice/session.h"
#include "sluice/sharded_input.h"
#include "sluice/summary.h"
#include "sluice/supervisor.h"
#include "sluice/sync_replicas.h"
#include "sluice/trace.h"
#include "sluice/variable.h"

#endif  // SLUICE_SLUICE_H_
