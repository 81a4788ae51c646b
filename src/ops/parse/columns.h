// What the ops that parse Examples share: attributes of the node describe sparse, dense and ragged columns; some inputs
// are keys and defaults; the outputs are in the order of the columns.
#ifndef SLI_OPS_PARSE_COLUMNS_H_
#define SLI_OPS_PARSE_COLUMNS_H_

#include "base/array.h"
#include "core/op/kernel.h"
#include "core/op/shape_inference.h"
#include "ops/parse/example.h"

// The names of the attributes. The node need not have those of ragged columns.
typedef struct {
  const char *sparse_types, *dense_types, *dense_shapes, *ragged_types, *split_types;
} sli_columns_layout_attrs_t;
// The attributes, borrowed from the node. INVALID_ARGUMENT if they do not match each other.
typedef struct {
  const sli_attr_t *sparse_types, *dense_types, *dense_shapes, *ragged_types, *split_types;
} sli_columns_layout_t;
sli_status_t *sli_columns_layout_read(const sli_node_def_t *node, const sli_columns_layout_attrs_t *attrs,
                                      sli_columns_layout_t *out_layout);
// The number of columns.
size_t sli_columns_layout_count(const sli_columns_layout_t *layout);

// Keys, borrowed from tensors (sli_columns_push_key) or attributes (sli_columns_push_keys).
typedef SLI_ARRAY(sli_view_t) sli_columns_keys_t;
void sli_columns_push_key(sli_columns_keys_t *keys, const sli_tensor_t *tensor);
void sli_columns_push_keys(sli_columns_keys_t *keys, const sli_attr_t *list);
// INVALID_ARGUMENT unless input |input|, called |name|, is a vector of |wanted| elements.
sli_status_t *sli_columns_check_keys(const sli_kernel_context_t *context, int input, const char *name, size_t wanted);

// Appends the columns in the order sparse, dense, ragged. |keys| has one key for each. The defaults of the dense
// columns are the inputs from |first_default| on; -1: they have no defaults.
typedef SLI_ARRAY(sli_example_column_t) sli_columns_t;
sli_status_t *sli_columns_make(const sli_kernel_context_t *context, const sli_columns_layout_t *layout,
                               const sli_view_t *keys, int first_default, sli_columns_t *columns);
// Sets the outputs from |first| on: indices, values and shapes of the sparse columns; values of the dense ones; values
// and splits of the ragged ones. Moves the tensors out of |parsed|. Returns the index of the next output. The plain
// version omits the ragged columns.
int sli_columns_set_outputs(sli_kernel_context_t *context, int first, const sli_columns_layout_t *layout,
                            const sli_example_result_t *parsed);
int sli_columns_set_plain_outputs(sli_kernel_context_t *context, int first, const sli_columns_layout_t *layout,
                                  const sli_example_result_t *parsed);
// Set the shapes of these outputs in the same way. |batch| is the shape of the serialized input.
int sli_columns_set_shapes(sli_infer_context_t *c, int first, const sli_columns_layout_t *layout, sli_shape_t batch);
int sli_columns_set_plain_shapes(sli_infer_context_t *c, int first, const sli_columns_layout_t *layout,
                                 sli_shape_t batch);
// Sets the shapes of |count| outputs to vectors of |length| elements (-1: unknown).
int sli_columns_set_vector_shapes(sli_infer_context_t *c, int first, size_t count, int64_t length);

#endif  // SLI_OPS_PARSE_COLUMNS_H_
