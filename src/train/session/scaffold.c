// The scaffold: builds the operations that every training graph needs and that the
// program has not provided.
#include "sluice/scaffold.h"

#include "sluice/summary.h"
#include "sluice/variable.h"
#include "train/session/scaffold.h"

// Reports uninitialised global variables and, if |local_too|, local ones.
static TF_Output report(sl_scope_t *scope, bool local_too) {
  static const char *const collections[] = {SL_GLOBAL_VARIABLES, SL_LOCAL_VARIABLES};
  sli_outputs_t variables = {0};
  for (int i = 0; i < 1 + local_too; i++) {
    size_t count = sl_collection_count(scope, collections[i]);
    const TF_Output *items = sl_collection_items(scope, collections[i]);
    for (size_t j = 0; j < count; j++)
      if (sl_variable_info(scope, items[j])) sli_array_push(&variables, items[j]);
  }
  TF_Output result = sli_scaffold_report_uninitialized_variables(scope, variables.items, variables.count);
  sli_array_deinitialize(&variables);
  return result;
}

void sl_scaffold_finalize(sl_scope_t *scope, sl_scaffold_t *scaffold) {
  if (!scaffold->init_op) scaffold->init_op = sl_global_variables_initializer_with(scope);
  if (!scaffold->local_init_op) scaffold->local_init_op = sl_local_variables_initializer_with(scope);
  if (!scaffold->ready_for_local_init_op.oper) scaffold->ready_for_local_init_op = report(scope, false);
  if (!scaffold->ready_op.oper) scaffold->ready_op = report(scope, true);
  if (!scaffold->summary_op.oper) scaffold->summary_op = sl_summary_merge_all_with(scope);
  if (!scaffold->saver && sl_collection_count(scope, SL_GLOBAL_VARIABLES))
    scaffold->saver =
        sl_saver_with(scope, SL_OPTIONS(sl_saver_options_t, .sharded = true, .max_to_keep = scaffold->max_to_keep,
                                        .keep_checkpoint_every_n_hours = scaffold->keep_checkpoint_every_n_hours));
}
