// What the ops that parse Examples have in common: columns described by attributes of
// the node (sparse ones, dense ones, ragged ones), keys and defaults among its inputs, and
// outputs in the same order.
#ifndef SLI_OPS_PARSE_COLUMNS_H_
#define SLI_OPS_PARSE_COLUMNS_H_

#include "base/array.h"
#include "core/kernel.h"
#include "core/shape_inference.h"
#include "ops/parse/example.h"

// The names of the attributes. Those of ragged columns may be missing from the node.
typedef struct {
  const char *sparse_types, *dense_types, *dense_shapes, *ragged_types, *split_types;
} sli_layout_attrs_t;
// The attributes, borrowed from the node.
typedef struct {
  const sli_attr_t *sparse_types, *dense_types, *dense_shapes, *ragged_types, *split_types;
} sli_layout_t;
sli_status_t *sli_layout_read(const sli_node_def_t *node, const sli_layout_attrs_t *attrs, sli_layout_t *out_layout);
size_t sli_layout_count(const sli_layout_t *layout);

// Keys, borrowed from tensors or attributes.
typedef SLI_ARRAY(sli_view_t) sli_keys_t;
void sli_keys_push(sli_keys_t *keys, const sli_tensor_t *tensor);
void sli_keys_push_list(sli_keys_t *keys, const sli_attr_t *list);
// Whether input |input|, which is |name|, is a vector of |wanted| elements.
sli_status_t *sli_keys_check(const sli_kernel_context_t *context, int input, const char *name, size_t wanted);

// Columns in the order sparse, dense, ragged; |keys| has a key for each. The defaults of dense ones are the inputs from
// |first_default| on; -1: they have none.
typedef SLI_ARRAY(sli_column_t) sli_columns_t;
sli_status_t *sli_columns_make(const sli_kernel_context_t *context, const sli_layout_t *layout, const sli_view_t *keys,
                               int first_default, sli_columns_t *columns);
// Hands over what became of the columns, from output |first| on: indices, values and shapes of sparse ones; values of
// dense ones; values and splits of ragged ones. Returns the output behind them. The first two kinds also alone.
int sli_columns_set_outputs(sli_kernel_context_t *context, int first, const sli_layout_t *layout,
                            const sli_parsed_column_t *parsed);
int sli_columns_set_plain_outputs(sli_kernel_context_t *context, int first, const sli_layout_t *layout,
                                  const sli_parsed_column_t *parsed);
// The shapes of these outputs, likewise; |batch| is the shape of what is parsed.
int sli_columns_set_shapes(sli_shape_context_t *c, int first, const sli_layout_t *layout, sli_shape_t batch);
int sli_columns_set_plain_shapes(sli_shape_context_t *c, int first, const sli_layout_t *layout, sli_shape_t batch);
// |count| vectors of unknown length, or of |length|.
int sli_columns_set_vector_shapes(sli_shape_context_t *c, int first, size_t count, int64_t length);

#endif  // SLI_OPS_PARSE_COLUMNS_H_
