// One node that datasets run outside of a graph: the parsing of Examples, the initialization of a table.
#ifndef SLI_OPS_DATA_NODE_H_
#define SLI_OPS_DATA_NODE_H_

#include "ops/data/dataset.h"

// Zero-initialised is none. Immutable once made, and must not be moved; thread-safe if the kernel is.
typedef struct {
  sli_arena_t arena;
  sli_node_def_t node;
  const sli_kernel_def_t *kernel;  // one that does not wait
  void *state;
  sli_device_t *device;
} sli_dataset_node_t;

// A node of |op|, whose inputs have |types|. Attributes of types and lengths are inferred.
sli_status_t *sli_dataset_node_initialize(sli_dataset_node_t *self, const char *op, sli_device_t *device,
                                          const sli_attr_entry_t *attrs, size_t attr_count, const sli_dtype_t *types,
                                          int input_count);
void sli_dataset_node_deinitialize(sli_dataset_node_t *self);
// Runs it. |inputs| stay the caller's; |out_outputs| has room for all outputs, which the caller owns on success.
sli_status_t *sli_dataset_node_run(const sli_dataset_node_t *self, sli_cancellation_t *cancellation,
                                   sli_tensor_t *const *inputs, sli_tensor_t **out_outputs);

#endif  // SLI_OPS_DATA_NODE_H_
