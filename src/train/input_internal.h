// What the files of the input pipelines share.
#ifndef SLI_TRAIN_INPUT_INTERNAL_H_
#define SLI_TRAIN_INPUT_INTERNAL_H_

#include "sluice/input.h"

// A summary |name| of |elements| (int32), a number of elements, as a share of |capacity|.
void sli_input_fill_summary(sl_scope_t *scope, const char *name, TF_Output elements, int64_t capacity);

// --- Sparse tensors on their way through a queue (input_sparse.c) ---

// What a list of tensors becomes in the queue: a dense tensor stays as it is, the three parts of a sparse one become
// one handle.
typedef struct {
  bool is_sparse;
  TF_Operation *map;  // whose name the map has where the tensors wait
  int rank;           // of the tensors in the batch; -1: unknown
} sli_component_t;

// How a batch takes its tensors.
typedef struct {
  const size_t *sparse;  // where in the list sparse tensors begin
  size_t sparse_count;
  bool many;
  TF_Output keep;  // empty: all
} sli_storing_t;

// Whether the parts that |how| says are sparse can be; else an error of the scope.
bool sli_input_check_sparse(sl_scope_t *scope, sl_outputs_t list, const sli_storing_t *how);
// Nodes that put the sparse tensors of |list| away, and the list of what goes into the queue. The first list of a queue
// fills in |components|, the others use the same maps.
sl_outputs_t sli_input_store_sparse(sl_scope_t *scope, sl_outputs_t list, const sli_storing_t *how, bool is_first,
                                    sli_component_t *components);
// Nodes that give the sparse tensors back for their handles, in the order of the list.
sl_outputs_t sli_input_restore_sparse(sl_scope_t *scope, sl_outputs_t dequeued, const sli_component_t *components);

#endif  // SLI_TRAIN_INPUT_INTERNAL_H_
