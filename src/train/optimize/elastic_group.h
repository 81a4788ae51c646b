// The group of a program that trains by all-reduce and whose workers join and leave (--min_workers). Its size is in a
// local variable, which is set when a session opens; the collective ops read it. When the members change, the step of
// each fails and its session opens again: the members join, and take the variables of the one that is furthest.
#ifndef SLI_TRAIN_OPTIMIZE_ELASTIC_GROUP_H_
#define SLI_TRAIN_OPTIMIZE_ELASTIC_GROUP_H_

#include "sluice/all_reduce.h"
#include "sluice/node.h"
#include "train/graph/scope.h"

enum { SLI_ELASTIC_GROUP_KEY = 1 };

// Whether the program's workers form such a group.
bool sli_elastic_group_is_used(const sl_server_t *server);
// The number of members, int32, in a training step.
TF_Output sli_elastic_group_size(sl_scope_t *scope, const sl_server_t *server);
// The collective op |op| (a second version) on |tensor| among |size| members; the caller adds attributes. NULL after an
// error.
sl_node_t *sli_elastic_group_begin(sl_scope_t *scope, const char *op, const char *name, TF_Output tensor,
                                   TF_Output size);
// The operation that joins the group and then takes the variables of the member that is furthest. It comes first in a
// session, and initialises the local variables.
TF_Operation *sli_elastic_group_join(sl_scope_t *scope, const sl_server_t *server);

#endif  // SLI_TRAIN_OPTIMIZE_ELASTIC_GROUP_H_
