// Nodes that sessions add to a graph besides the program's own.
#ifndef SLI_TRAIN_SCAFFOLD_INTERNAL_H_
#define SLI_TRAIN_SCAFFOLD_INTERNAL_H_

#include "train/scope_internal.h"

// The names of those among |variables| (values) that have no value yet: a vector of strings. The nodes of
// tf.report_uninitialized_variables.
TF_Output sli_report_uninitialized_variables(sl_scope_t *scope, const TF_Output *variables, size_t count);

#endif  // SLI_TRAIN_SCAFFOLD_INTERNAL_H_
