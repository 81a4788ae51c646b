// The generated table of all op modules, ended by NULL (tools/generate_ops_table).
#ifndef SLI_CORE_OP_OP_REGISTRY_INTERNAL_H_
#define SLI_CORE_OP_OP_REGISTRY_INTERNAL_H_

#include "core/op/op_registry.h"

extern const sli_op_module_t *const sli_op_modules[];

#endif  // SLI_CORE_OP_OP_REGISTRY_INTERNAL_H_
