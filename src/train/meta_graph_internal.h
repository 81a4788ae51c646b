// MetaGraphs of a scope, for savers.
#ifndef SLI_TRAIN_META_GRAPH_INTERNAL_H_
#define SLI_TRAIN_META_GRAPH_INTERNAL_H_

#include "base/arena.h"
#include "sluice/saver.h"
#include "train/scope_internal.h"

// Appends |scope|'s graph, collections and |saver| (NULL: none) as a MetaGraphDef.
sli_status_t *sli_meta_graph_describe(const sl_scope_t *scope, const sl_saver_t *saver, bool clear_devices,
                                      sli_string_t *out);
// Writes |scope|'s MetaGraph to |path|, whole or not at all. Blocks.
sli_status_t *sli_meta_graph_write(const sl_scope_t *scope, const char *path, const sl_saver_t *saver,
                                   bool clear_devices);
// "node:0".
const char *sli_output_name(TF_Output output, sli_arena_t *arena);

#endif  // SLI_TRAIN_META_GRAPH_INTERNAL_H_
