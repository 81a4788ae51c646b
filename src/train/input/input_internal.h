// Shared by the files with input pipelines.
#ifndef SLI_TRAIN_INPUT_INPUT_INTERNAL_H_
#define SLI_TRAIN_INPUT_INPUT_INTERNAL_H_

#include "sluice/input.h"

// Adds a summary |name| of |elements| (int32) as a fraction of |capacity|.
void sli_input_add_fill_summary(sl_scope_t *scope, const char *name, TF_Output elements, int64_t capacity);

// --- Features of Examples (input_parse.c) ---

// Whether |feature| is well formed; else sets an error in the scope.
bool sli_input_check_feature(sl_scope_t *scope, const sl_feature_spec_t *feature);
// Builds the default of a dense feature; an empty vector means that the feature is required.
TF_Output sli_input_default(sl_scope_t *scope, const sl_feature_spec_t *feature);

// --- Sparse tensors in queues (input_sparse.c) ---

// A component of the queue: a dense tensor, or the handle of a sparse tensor, which stands for its three parts.
typedef struct {
  bool is_sparse;
  TF_Operation *map;  // the node whose name the map of stored tensors has
  int rank;           // of the tensors in the batch; -1: unknown
} sli_input_component_t;

// How the tensors of a batch are stored.
typedef struct {
  const size_t *sparse;  // positions in the list at which sparse tensors begin
  size_t sparse_count;
  bool many;
  TF_Output keep;  // which are stored; empty: all
} sli_input_store_options_t;

// Whether the positions and types of the sparse tensors are valid; else sets an error in the scope.
bool sli_input_check_sparse(sl_scope_t *scope, sl_outputs_t list, const sli_input_store_options_t *how);
// Builds nodes that store the sparse tensors of |list|, and returns the components to enqueue. The first list of a
// queue fills in |components|; the others use the same maps.
sl_outputs_t sli_input_store_sparse(sl_scope_t *scope, sl_outputs_t list, const sli_input_store_options_t *how,
                                    bool is_first, sli_input_component_t *components);
// Builds nodes that replace the handles by the sparse tensors, in the order of the list.
sl_outputs_t sli_input_restore_sparse(sl_scope_t *scope, sl_outputs_t dequeued,
                                      const sli_input_component_t *components);

#endif  // SLI_TRAIN_INPUT_INPUT_INTERNAL_H_
