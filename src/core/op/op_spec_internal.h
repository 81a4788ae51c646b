// Parsing of an op's spec strings, shared within core/op.
#ifndef SLI_CORE_OP_OP_SPEC_INTERNAL_H_
#define SLI_CORE_OP_OP_SPEC_INTERNAL_H_

#include "core/op/op_registry.h"

// Parses |def|'s strings into |out_op|, whose memory is in |arena|.
// INVALID_ARGUMENT names the op and the string.
sli_status_t *sli_op_spec_parse(const sli_op_def_t *def, sli_arena_t *arena, sli_op_t *out_op);
// Checks |attr| against |spec| (kind, type values, minimum, allowed values, shapes) and
// gives an empty list its kind. INVALID_ARGUMENT with TensorFlow's texts.
sli_status_t *sli_attr_spec_check(const sli_attr_spec_t *spec, sli_attr_t *attr);

#endif  // SLI_CORE_OP_OP_SPEC_INTERNAL_H_
