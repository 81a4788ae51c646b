// Texts about nodes, shared within core/op.
#ifndef SLI_CORE_OP_NODE_DEF_INTERNAL_H_
#define SLI_CORE_OP_NODE_DEF_INTERNAL_H_

#include "core/op/node_def.h"

// "T=DT_FLOAT, transpose_a=false", sorted by name.
void sli_node_attrs_append(sli_string_t *string, const sli_node_def_t *node);

#endif  // SLI_CORE_OP_NODE_DEF_INTERNAL_H_
