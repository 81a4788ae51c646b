// What an Einsum equation says, apart from what it computes; and its gradient.
#ifndef SLI_OPS_MATH_EINSUM_INTERNAL_H_
#define SLI_OPS_MATH_EINSUM_INTERNAL_H_

#include "core/gradient.h"
#include "core/node_def.h"

// Views into the node's attribute.
typedef struct {
  int input_count;  // 1 or 2
  sli_view_t inputs[2], output;
} sli_einsum_t;

// INVALID_ARGUMENT with TensorFlow's texts for equations that are not well-formed, or do not fit the
// number of inputs. Every ellipsis is exactly "..." afterwards.
sli_status_t *sli_einsum_parse(const sli_node_def_t *node, sli_einsum_t *out_equation);

sli_status_t *sli_einsum_gradient(sli_gradient_builder_t *b);

#endif  // SLI_OPS_MATH_EINSUM_INTERNAL_H_
