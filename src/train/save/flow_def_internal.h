// Loops and branches in MetaGraphs: the collections "while_context" and
// "cond_context", without which Python cannot take gradients through them.
#ifndef SLI_TRAIN_SAVE_FLOW_DEF_INTERNAL_H_
#define SLI_TRAIN_SAVE_FLOW_DEF_INTERNAL_H_

#include "base/arena.h"
#include "io/checkpoint/meta_graph.h"
#include "train/graph/scope.h"

// Exports the outermost loops, or branches, of |scope| as a collection; nested ones are part of them.
sli_status_t *sli_flow_def_export(const sl_scope_t *scope, bool loops, sli_arena_t *arena,
                                  sli_meta_graph_collection_t *out_collection);
// Whether |key| is one of the two collections.
bool sli_flow_def_is_collection(const char *key);
// Stores such a collection, with |prefix| added to its names, for the next export.
sli_status_t *sli_flow_def_import(sl_scope_t *scope, const sli_meta_graph_collection_t *collection, const char *prefix);

#endif  // SLI_TRAIN_SAVE_FLOW_DEF_INTERNAL_H_
