// The configuration of sessions and servers, as tf.ConfigProto.
#ifndef SLUICE_CONFIG_H_
#define SLUICE_CONFIG_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>
#include <stddef.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// How many devices of a kind a process has: .device_count.cpu = 2, as device_count={"CPU": 2} in Python.
typedef struct {
  int cpu;  // 0: 1
  int gpu;  // 0: all that there are, but none in a ps; < 0: none
} sl_device_count_t;

// Configuration of sessions and servers, as tf.ConfigProto. Copied by the functions that take it.
typedef struct {
  size_t struct_size;
  bool allow_soft_placement;         // run a node elsewhere if its device does not exist or has no kernel for it
  bool log_device_placement;         // log the device of each node
  int intra_op_parallelism_threads;  // 0: as many as there are processors
  int inter_op_parallelism_threads;
  const char *const *device_filters;  // the devices that sessions can use; none: those of the ps tasks and this task
  size_t device_filter_count;
  const TF_Buffer *proto;  // a serialized ConfigProto with further fields; the fields above override it. NULL: none
  // The devices of a session in this process, or of a server (sl_server_start): "/cpu:0" to "/cpu:N-1", "/gpu:0" ….
  // A session on a server has the server's.
  sl_device_count_t device_count;
  // Values of type float go from task to task as bfloat16: half the bytes, 8 bits of precision. What is saved or
  // restored stays as it is. As graph_options.enable_bfloat16_sendrecv in Python.
  bool bfloat16_transfers;
} sl_config_t;
// sl_supervisor(g, .config = &SL_CONFIG(.log_device_placement = true))
#define SL_CONFIG(...) ((sl_config_t){.struct_size = sizeof(sl_config_t), __VA_ARGS__})

SL_END_DECLS

#endif  // SLUICE_CONFIG_H_
