// Nodes that sessions add to a graph.
#ifndef SLI_TRAIN_SESSION_SCAFFOLD_H_
#define SLI_TRAIN_SESSION_SCAFFOLD_H_

#include "train/graph/scope.h"

// A vector of strings: the names of those |variables| that are not initialised. The nodes of
// tf.report_uninitialized_variables.
TF_Output sli_scaffold_report_uninitialized_variables(sl_scope_t *scope, const TF_Output *variables, size_t count);

#endif  // SLI_TRAIN_SESSION_SCAFFOLD_H_
