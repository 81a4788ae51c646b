// Embedding lookup. The rows of each part of a partitioned table are gathered on the
// device of the part. The ids are partitioned first, and the rows stitched together
// afterwards.
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/nn/layers_internal.h"

static TF_Output gather_colocated(sl_scope_t *scope, TF_Output part, TF_Output ids, const char *name) {
  const sl_variable_info_t *variable = sl_variable_info(scope, part);
  TF_Output rows = {0};
  SL_COLOCATE_WITH(scope, variable ? variable->reference.oper : part.oper) {
    rows = sli_build_gather_rows(scope, part, ids, name);
  }
  return rows;
}

// The part of each id, and its row in the part.
static void locate_by_modulo(sl_scope_t *scope, TF_Output ids, double parts, TF_Output *out_part, TF_Output *out_row) {
  *out_part = sli_build_number_right(scope, "FloorMod", "mod", ids, parts);
  *out_row = sli_build_number_right(scope, "FloorDiv", "floordiv", ids, parts);
}

// The first |rows| % |parts| parts have one row more than the others.
static void locate_by_block(sl_scope_t *scope, TF_Output ids, double rows, double parts, TF_Output *out_part,
                            TF_Output *out_row) {
  TF_Output total = sli_build_constant_fill(scope, sl_dtype(ids), SL_SHAPE(), rows, "Const");
  TF_Output each = sli_build_number_right(scope, "FloorDiv", "floordiv", total, parts);
  TF_Output longer = sli_build_number_right(scope, "FloorMod", "mod", total, parts);
  TF_Output more = sli_build_number_right(scope, "AddV2", "add", each, 1);
  TF_Output by_longer = sl_binary(scope, "FloorDiv", "floordiv", ids, more, NULL);
  TF_Output past = sl_binary(scope, "Sub", "sub", ids, longer, NULL);
  TF_Output by_shorter = sl_binary(scope, "FloorDiv", "floordiv", past, each, NULL);
  *out_part = sl_binary(scope, "Maximum", "Maximum", by_longer, by_shorter, NULL);
  TF_Output is_longer = sl_binary(scope, "Less", "Less", *out_part, longer, NULL);
  TF_Output more_again = sli_build_number_right(scope, "AddV2", "add", each, 1);
  TF_Output in_longer = sl_binary(scope, "FloorMod", "mod", ids, more_again, NULL);
  TF_Output past_again = sl_binary(scope, "Sub", "sub", ids, longer, NULL);
  TF_Output in_shorter = sl_binary(scope, "FloorMod", "mod", past_again, each, NULL);
  *out_row = sli_build_select(scope, is_longer, in_longer, in_shorter);
}

static TF_Operation *partition_node(sl_scope_t *scope, TF_Output values, TF_Output part, size_t parts) {
  sl_node_t *node = sl_node_begin(scope, "DynamicPartition", NULL);
  sl_node_input(node, values);
  sl_node_input(node, part);
  sl_node_attr_int(node, "num_partitions", (int64_t)parts);
  return sl_node_finish(node);
}

// Reshapes the stitched rows to the shape of |ids| followed by the shape of a row.
static TF_Output shape_rows(sl_scope_t *scope, TF_Output rows, TF_Output ids, sl_shape_t table) {
  int32_t dims[SL_MAX_RANK];
  for (int i = 1; i < table.rank; i++) dims[i - 1] = (int32_t)table.dims[i];
  TF_Output shape = sli_build_shape(scope, ids), whole = {0};
  SL_NAME_SCOPE (scope, "concat") {
    TF_Output row = sli_build_constant_int32s(scope, dims, (size_t)table.rank - 1, "values_1");
    whole = sli_build_concat_here(scope, (TF_Output[]){shape, row}, 2, 0);
  }
  return sl_binary(scope, "Reshape", "Reshape", rows, whole, NULL);
}

static TF_Output lookup_parts(sl_scope_t *scope, sl_outputs_t parts, TF_Output ids, sl_shape_t table,
                              sl_partition_strategy_t strategy, const char *name) {
  TF_Output flat = sl_reshape_with(scope, ids, SL_SHAPE(-1), NULL), part, row;
  TF_Output positions = sli_build_range(scope, 0, sl_unary(scope, "Size", flat, NULL));
  if (strategy == SL_PARTITION_MOD)
    locate_by_modulo(scope, flat, (double)parts.count, &part, &row);
  else
    locate_by_block(scope, flat, (double)table.dims[0], (double)parts.count, &part, &row);
  part = sl_cast_with(scope, part, TF_INT32, NULL);
  TF_Operation *rows = partition_node(scope, row, part, parts.count);
  TF_Operation *places = partition_node(scope, positions, part, parts.count);
  if (!rows || !places) return (TF_Output){0};
  TF_Output *indices = sli_calloc(parts.count, sizeof(*indices)), *values = sli_calloc(parts.count, sizeof(*values));
  for (size_t i = 0; i < parts.count; i++) {
    indices[i] = (TF_Output){places, (int)i};
    values[i] = gather_colocated(scope, parts.items[i], (TF_Output){rows, (int)i}, NULL);
  }
  sl_node_t *node = sl_node_begin(scope, "ParallelDynamicStitch", name);
  sl_node_input_list(node, indices, parts.count);
  sl_node_input_list(node, values, parts.count);
  TF_Output stitched = sl_node_output(node);
  free(indices);
  free(values);
  return shape_rows(scope, stitched, ids, table);
}

TF_Output sl_embedding_lookup_with(sl_scope_t *scope, TF_Output table, TF_Output ids,
                                   const sl_embedding_lookup_options_t *given) {
  SLI_CALL_OPTIONS(sl_embedding_lookup_options_t, options, given);
  if (!table.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_lookup: table must not be empty");
  if (!ids.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_lookup: ids must not be empty");
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  sl_outputs_t parts = sl_variable_parts(scope, table);
  sl_shape_t shape = sl_static_shape(scope, table);
  if (parts.count > 1 && sl_static_shape(scope, parts.items[0]).dims[0] == shape.dims[0]) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_lookup: table '%s' must be partitioned along axis 0",
                  TF_OperationName(table.oper));
    return (TF_Output){0};
  }
  TF_Output result = {0};
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "embedding_lookup") {
    char *whole = sli_build_scope_node_name(scope);
    if (parts.count == 1)
      result = sl_unary(scope, "Identity", gather_colocated(scope, parts.items[0], ids, whole), NULL);
    else
      result = lookup_parts(scope, parts, ids, shape, options.strategy, whole);
    free(whole);
  }
  return result;
}
