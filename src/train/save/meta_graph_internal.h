// Exports the MetaGraph of a scope.
#ifndef SLI_TRAIN_SAVE_META_GRAPH_INTERNAL_H_
#define SLI_TRAIN_SAVE_META_GRAPH_INTERNAL_H_

#include "base/arena.h"
#include "sluice/saver.h"
#include "train/graph/scope.h"

// Appends |scope|'s graph, collections and |saver| (NULL: none) as a MetaGraphDef.
sli_status_t *sli_saver_append_meta_graph(const sl_scope_t *scope, const sl_saver_t *saver, bool clear_devices,
                                          sli_string_t *out);
// Writes the MetaGraph of |scope| to |path| atomically. Blocks.
sli_status_t *sli_saver_write_meta_graph(const sl_scope_t *scope, const char *path, const sl_saver_t *saver,
                                         bool clear_devices);
// "node:0", in |arena|.
const char *sli_saver_output_name(TF_Output output, sli_arena_t *arena);

#endif  // SLI_TRAIN_SAVE_META_GRAPH_INTERNAL_H_
