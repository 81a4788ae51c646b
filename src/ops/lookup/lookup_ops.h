// Helpers that the ops on lookup tables share.
#ifndef SLI_OPS_LOOKUP_LOOKUP_OPS_H_
#define SLI_OPS_LOOKUP_LOOKUP_OPS_H_

#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/lookup/lookup_table.h"

// Finds the table that input 0 refers to, by either kind of handle, and calls |work| with it. Returns its status.
sli_status_t *sli_lookup_with_table(sli_kernel_context_t *context,
                                    sli_status_t *(*work)(sli_kernel_context_t *context, sli_lookup_table_t *table));
// INVALID_ARGUMENT "Table … is not initializable" if the table is mutable.
sli_status_t *sli_lookup_check_initializable(const sli_lookup_table_t *table);
// Makes a table from the attributes of |node|. Whether a table that exists fits |node|.
sli_status_t *sli_lookup_make_table(const sli_node_def_t *node, sli_view_t name, bool is_mutable, void **out_object);
sli_status_t *sli_lookup_match_table(const sli_node_def_t *node, void *object);
// Shape function of ops that make a table to which keys can be added, whose values have a known shape.
sli_status_t *sli_lookup_mutable_shape(sli_infer_context_t *c);
// Shape function: checks the shape of the handle at input 0; sets no outputs.
sli_status_t *sli_lookup_check_handle(sli_infer_context_t *c);

#endif  // SLI_OPS_LOOKUP_LOOKUP_OPS_H_
