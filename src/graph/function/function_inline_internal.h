// Shared by function_inline.c (calls) and function_lower.c (control flow).
#ifndef SLI_GRAPH_FUNCTION_FUNCTION_INLINE_INTERNAL_H_
#define SLI_GRAPH_FUNCTION_FUNCTION_INLINE_INTERNAL_H_

#include "graph/function/function_inline.h"

// Adds a node named after |owner|: "owner/infix", made unique, with the device of |owner|.
typedef struct {
  const char *op, *infix, *device;  // device NULL: the owner's
  const sli_output_t *inputs;
  size_t input_count;
  sli_node_t *const *controls;
  size_t control_count;
  const sli_attr_entry_t *attrs;
  size_t attr_count;
} sli_function_inline_node_t;
sli_status_t *sli_function_inline_add(sli_node_t *owner, const sli_function_inline_node_t *request,
                                      sli_node_t **out_node);

// The node that a call or a control flow op becomes: its consumers take |outputs| (one for each of its outputs)
// instead, and those that wait for it wait for |done|. The node itself stays as an IdentityN of the outputs, or as a
// NoOp if it has none; it waits for |done|.
sli_status_t *sli_function_inline_replace(sli_node_t *node, const sli_output_t *outputs, sli_node_t *done);

// Whether the node has "_lower_using_switch_merge", or |always|, and can be lowered.
bool sli_function_inline_is_lowerable(const sli_node_t *node, bool always);
// Lowers such a node; the branches and bodies become calls.
sli_status_t *sli_function_inline_lower(sli_node_t *node);

// The attribute of calls that lowering makes: each node of the body may have its own device.
#define SLI_FUNCTION_INLINE_MULTI_DEVICE "_lower_as_multi_device_function"

#endif  // SLI_GRAPH_FUNCTION_FUNCTION_INLINE_INTERNAL_H_
