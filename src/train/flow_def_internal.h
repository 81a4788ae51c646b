// Loops and branches in MetaGraphs: the collections "while_context" and
// "cond_context", without which Python cannot take gradients through them.
#ifndef SLI_TRAIN_FLOW_DEF_INTERNAL_H_
#define SLI_TRAIN_FLOW_DEF_INTERNAL_H_

#include "base/arena.h"
#include "io/meta_graph.h"
#include "train/scope_internal.h"

// The collection of |scope|'s loops, or of its branches, that lie in no other; what lies in them is told inside.
sli_status_t *sli_flow_describe(const sl_scope_t *scope, bool loops, sli_arena_t *arena,
                                sli_collection_def_t *out_collection);
// Whether |key| is one of the two.
bool sli_flow_is_collection(const char *key);
// Keeps such a collection, whose names get |prefix|, for the next export.
sli_status_t *sli_flow_import(sl_scope_t *scope, const sli_collection_def_t *collection, const char *prefix);

#endif  // SLI_TRAIN_FLOW_DEF_INTERNAL_H_
