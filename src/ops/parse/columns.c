#include "ops/parse/columns.h"

sli_status_t *sli_columns_layout_read(const sli_node_def_t *node, const sli_columns_layout_attrs_t *attrs,
                                      sli_columns_layout_t *layout) {
  static const sli_attr_t none = {.is_list = true};
  *layout = (sli_columns_layout_t){.ragged_types = &none, .split_types = &none};
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attrs->sparse_types, SLI_ATTR_TYPE, &layout->sparse_types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attrs->dense_types, SLI_ATTR_TYPE, &layout->dense_types));
  SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attrs->dense_shapes, SLI_ATTR_SHAPE, &layout->dense_shapes));
  if (sli_node_attr(node, attrs->ragged_types)) {
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attrs->ragged_types, SLI_ATTR_TYPE, &layout->ragged_types));
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, attrs->split_types, SLI_ATTR_TYPE, &layout->split_types));
  }
  if (layout->dense_types->count != layout->dense_shapes->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "len(dense_keys) != len(dense_shapes)");
  if (layout->ragged_types->count != layout->split_types->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "len(ragged_value_types) != len(ragged_split_types)");
  for (size_t i = 0; i < layout->dense_shapes->count; i++) {
    sli_shape_t shape = layout->dense_shapes->list.shape[i];
    bool is_good = shape.rank >= 0;
    for (int k = 1; k < shape.rank; k++) is_good &= shape.dims[k] >= 0;
    if (!is_good)
      return sli_status_make(SLI_INVALID_ARGUMENT, "dense_shapes[%zu] has unknown rank or unknown inner dimensions: %s",
                             i, sli_shape_text(shape).text);
  }
  return NULL;
}

size_t sli_columns_layout_count(const sli_columns_layout_t *layout) {
  return layout->sparse_types->count + layout->dense_types->count + layout->ragged_types->count;
}

// --- Keys ---------------------------------------------------------------------------------------

void sli_columns_push_key(sli_columns_keys_t *keys, const sli_tensor_t *tensor) {
  for (int64_t i = 0; i < tensor->count; i++)
    sli_array_push(keys, sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]));
}

void sli_columns_push_keys(sli_columns_keys_t *keys, const sli_attr_t *list) {
  for (size_t i = 0; i < list->count; i++) sli_array_push(keys, list->list.s[i]);
}

sli_status_t *sli_columns_check_keys(const sli_kernel_context_t *context, int input, const char *name, size_t wanted) {
  const sli_tensor_t *keys = sli_kernel_input(context, input);
  if (keys->rank != 1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Expected %s to be a vector, got shape: %s", name,
                           sli_tensor_shape_text(keys).text);
  if (keys->count == (int64_t)wanted) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Expected len(%s) == %zu, got: %lld", name, wanted,
                         (long long)keys->count);
}

// --- Columns ------------------------------------------------------------------------------------

static sli_status_t *check_default(const sli_example_column_t *column, size_t index) {
  const sli_tensor_t *fallback = column->fallback;
  if (column->shape.rank > 0 && column->shape.dims[0] < 0) {
    if (fallback->count == 1) return NULL;
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "dense_shape[%zu] is a variable length shape: %s, therefore def_value[%zu] must contain a "
                           "single element (the padding element).  But its shape is: %s",
                           index, sli_shape_text(column->shape).text, index, sli_tensor_shape_text(fallback).text);
  }
  if (fallback->count == 0 || sli_shape_is_compatible(column->shape, sli_tensor_shape(fallback))) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "def_value[%zu].shape() == %s is not compatible with dense_shapes_[%zu] == %s", index,
                         sli_tensor_shape_text(fallback).text, index, sli_shape_text(column->shape).text);
}

sli_status_t *sli_columns_make(const sli_kernel_context_t *context, const sli_columns_layout_t *layout,
                               const sli_view_t *keys, int first_default, sli_columns_t *columns) {
  for (size_t i = 0; i < layout->sparse_types->count; i++)
    sli_array_push(
        columns,
        (sli_example_column_t){.kind = SLI_EXAMPLE_SPARSE, .key = *keys++, .type = layout->sparse_types->list.type[i]});
  for (size_t i = 0; i < layout->dense_types->count; i++) {
    sli_example_column_t column = {.kind = SLI_EXAMPLE_DENSE,
                                   .key = *keys++,
                                   .type = layout->dense_types->list.type[i],
                                   .shape = layout->dense_shapes->list.shape[i]};
    if (first_default >= 0) {
      column.fallback = sli_kernel_input(context, first_default + (int)i);
      SLI_RETURN_IF_ERROR(check_default(&column, i));
    }
    sli_array_push(columns, column);
  }
  for (size_t i = 0; i < layout->ragged_types->count; i++)
    sli_array_push(columns, (sli_example_column_t){.kind = SLI_EXAMPLE_RAGGED,
                                                   .key = *keys++,
                                                   .type = layout->ragged_types->list.type[i],
                                                   .split_type = layout->split_types->list.type[i]});
  return NULL;
}

int sli_columns_set_plain_outputs(sli_kernel_context_t *context, int first, const sli_columns_layout_t *layout,
                                  const sli_example_result_t *parsed) {
  int sparse = (int)layout->sparse_types->count, dense = (int)layout->dense_types->count;
  for (int i = 0; i < sparse; i++) {
    sli_kernel_set_output(context, first + i, parsed[i].indices);
    sli_kernel_set_output(context, first + sparse + i, parsed[i].values);
    sli_kernel_set_output(context, first + 2 * sparse + i, parsed[i].shape);
  }
  for (int i = 0; i < dense; i++) sli_kernel_set_output(context, first + 3 * sparse + i, parsed[sparse + i].values);
  return first + 3 * sparse + dense;
}

int sli_columns_set_outputs(sli_kernel_context_t *context, int first, const sli_columns_layout_t *layout,
                            const sli_example_result_t *parsed) {
  int ragged = (int)layout->ragged_types->count;
  first = sli_columns_set_plain_outputs(context, first, layout, parsed);
  parsed += layout->sparse_types->count + layout->dense_types->count;
  for (int i = 0; i < ragged; i++) {
    sli_kernel_set_output(context, first + i, parsed[i].values);
    sli_kernel_set_output(context, first + ragged + i, parsed[i].splits);
  }
  return first + 2 * ragged;
}

// --- Shapes -------------------------------------------------------------------------------------

int sli_columns_set_vector_shapes(sli_infer_context_t *c, int first, size_t count, int64_t length) {
  for (size_t i = 0; i < count; i++) sli_infer_set_output(c, first++, sli_infer_make(c, 1, &length));
  return first;
}

int sli_columns_set_plain_shapes(sli_infer_context_t *c, int first, const sli_columns_layout_t *layout,
                                 sli_shape_t batch) {
  size_t sparse = layout->sparse_types->count, dense = layout->dense_types->count;
  int64_t rank = batch.rank < 0 ? -1 : batch.rank + 1;
  for (size_t i = 0; i < sparse; i++) sli_infer_set_output(c, first++, sli_infer_make(c, 2, (int64_t[]){-1, rank}));
  first = sli_columns_set_vector_shapes(c, first, sparse, -1);
  first = sli_columns_set_vector_shapes(c, first, sparse, rank);
  for (size_t i = 0; i < dense; i++)
    sli_infer_set_output(c, first++, sli_infer_concatenate(c, batch, layout->dense_shapes->list.shape[i]));
  return first;
}

int sli_columns_set_shapes(sli_infer_context_t *c, int first, const sli_columns_layout_t *layout, sli_shape_t batch) {
  size_t ragged = layout->ragged_types->count;
  int64_t splits = batch.rank == 1 && batch.dims[0] >= 0 ? batch.dims[0] + 1 : -1;
  first = sli_columns_set_plain_shapes(c, first, layout, batch);
  first = sli_columns_set_vector_shapes(c, first, ragged, -1);
  return sli_columns_set_vector_shapes(c, first, ragged, splits);
}
