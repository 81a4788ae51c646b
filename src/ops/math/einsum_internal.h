// The parsed equation of an Einsum, and its gradient.
#ifndef SLI_OPS_MATH_EINSUM_INTERNAL_H_
#define SLI_OPS_MATH_EINSUM_INTERNAL_H_

#include "core/op/gradient.h"
#include "core/op/node_def.h"

// The strings point into the node's attribute.
typedef struct {
  int input_count;  // 1 or 2
  sli_view_t inputs[2], output;
} sli_einsum_t;

// INVALID_ARGUMENT, with TensorFlow's texts, if the equation is malformed or does not fit the number of inputs. After
// success every ellipsis is exactly "...".
sli_status_t *sli_einsum_parse(const sli_node_def_t *node, sli_einsum_t *out_equation);

sli_status_t *sli_einsum_gradient(sli_gradient_builder_t *b);

#endif  // SLI_OPS_MATH_EINSUM_INTERNAL_H_
