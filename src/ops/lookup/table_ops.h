// What the ops on lookup tables share.
#ifndef SLI_OPS_LOOKUP_TABLE_OPS_H_
#define SLI_OPS_LOOKUP_TABLE_OPS_H_

#include "core/kernel.h"
#include "core/shape_inference.h"
#include "ops/lookup/table.h"

// Calls |work| on the table behind input 0, in either form of handle.
sli_status_t *sli_table_run(sli_kernel_context_t *context,
                            sli_status_t *(*work)(sli_kernel_context_t *context, sli_table_t *table));
// INVALID_ARGUMENT "Table … is not initializable" of a mutable table.
sli_status_t *sli_table_check_initializable(const sli_table_t *table);
// Shape function: the handle has the shape of its form; no outputs are set.
sli_status_t *sli_table_check_handle(sli_shape_context_t *c);

#endif  // SLI_OPS_LOOKUP_TABLE_OPS_H_
