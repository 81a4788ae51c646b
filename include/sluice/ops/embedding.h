// Ops: tables of embeddings whose rows appear on first use.
// Generated from src/ops/embedding by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_EMBEDDING_H_
#define SLUICE_OPS_EMBEDDING_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// EmbeddingCombine(rows: P * float, places: F * int64, indices: F * int64, weights: F * float, batch: int64) ->
//   features: F * float
// For each feature and example the sum, mean or sum by the square root of the rows of its ids.
// P: int >= 1; F: int >= 1; dims: list(int); combiners: list(string)
// Differentiable.
static inline sl_op_list_t sl_op_embedding_combine_with(sl_scope_t *scope, const TF_Output *rows, size_t rows_count,
    const TF_Output *places, size_t places_count, const TF_Output *indices, size_t indices_count,
    const TF_Output *weights, size_t weights_count, TF_Output batch, sl_op_ints_t dims, sl_op_texts_t combiners,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingCombine", options->name);
  sl_node_input_list(node, rows, rows_count);
  sl_node_input_list(node, places, places_count);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, weights, weights_count);
  sl_node_input(node, batch);
  sl_node_attr_int_list(node, "dims", dims.values, dims.count);
  sl_node_attr_text_list(node, "combiners", combiners.values, combiners.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "features", 0);
}
#define sl_op_embedding_combine(scope, rows, rows_count, places, places_count, indices, indices_count, weights, \
    weights_count, batch, dims, combiners, ...) \
  sl_op_embedding_combine_with(SL_AT(scope), (rows), (rows_count), (places), (places_count), (indices), ( \
    indices_count), (weights), (weights_count), (batch), (dims), (combiners), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// EmbeddingCombineGrad(gradients: F * float, rows: P * float, places: F * int64, indices: F * int64, weights: F *
//   float) -> sums: P * float
// The gradients of the rows of EmbeddingCombine.
// P: int >= 1; F: int >= 1; dims: list(int); combiners: list(string)
// No gradient.
static inline sl_op_list_t sl_op_embedding_combine_grad_with(sl_scope_t *scope, const TF_Output *gradients,
    size_t gradients_count, const TF_Output *rows, size_t rows_count, const TF_Output *places, size_t places_count,
    const TF_Output *indices, size_t indices_count, const TF_Output *weights, size_t weights_count,
    sl_op_ints_t dims, sl_op_texts_t combiners, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingCombineGrad", options->name);
  sl_node_input_list(node, gradients, gradients_count);
  sl_node_input_list(node, rows, rows_count);
  sl_node_input_list(node, places, places_count);
  sl_node_input_list(node, indices, indices_count);
  sl_node_input_list(node, weights, weights_count);
  sl_node_attr_int_list(node, "dims", dims.values, dims.count);
  sl_node_attr_text_list(node, "combiners", combiners.values, combiners.count);
  TF_Operation *operation = sl_node_finish(node);
  return sl_op_list(operation, "sums", 0);
}
#define sl_op_embedding_combine_grad(scope, gradients, gradients_count, rows, rows_count, places, places_count, \
    indices, indices_count, weights, weights_count, dims, combiners, ...) \
  sl_op_embedding_combine_grad_with(SL_AT(scope), (gradients), (gradients_count), (rows), (rows_count), (places), ( \
    places_count), (indices), (indices_count), (weights), (weights_count), (dims), (combiners), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// EmbeddingRoute(ids: F * int64) -> requests: P * int64, places: F * int64
// Requests for the rows of all ids of a step, one for each task, and where the row of each id will be.
// F: int >= 1; P: int >= 1; tables: list(int); dims: list(int)
// Gradients stop here.
typedef struct {
  sl_op_list_t requests;
  sl_op_list_t places;
} sl_op_embedding_route_t;
static inline sl_op_embedding_route_t sl_op_embedding_route_with(sl_scope_t *scope, const TF_Output *ids,
    size_t ids_count, int64_t P, sl_op_ints_t tables, sl_op_ints_t dims, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingRoute", options->name);
  sl_node_input_list(node, ids, ids_count);
  sl_node_attr_int(node, "P", P);
  sl_node_attr_int_list(node, "tables", tables.values, tables.count);
  sl_node_attr_int_list(node, "dims", dims.values, dims.count);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_embedding_route_t result;
  int next = 0;
  result.requests = sl_op_list(operation, "requests", next);
  next += result.requests.count;
  result.places = sl_op_list(operation, "places", next);
  next += result.places.count;
  return result;
}
#define sl_op_embedding_route(scope, ids, ids_count, P, tables, dims, ...) \
  sl_op_embedding_route_with(SL_AT(scope), (ids), (ids_count), (P), (tables), (dims), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// EmbeddingTable() -> table: resource
// One part of a table of embeddings, whose rows appear on first use.
// container: string = ''; shared_name: string = ''; dim: int >= 1; updater: string = 'sum'; initializer: string =
//   'zeros'; storage: {'float32', 'bfloat16', 'int8'} = 'float32'; max_bytes: int = 0; max_rows: int = 0; max_age:
//   int = 0; admit_after: int = 0; evict: bool = false; directory: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *container;
  const char *shared_name;
  const char *updater;
  const char *initializer;
  const char *storage;
  int64_t max_bytes;
  int64_t max_rows;
  int64_t max_age;
  int64_t admit_after;
  bool evict;
  const char *directory;
} sl_op_embedding_table_options_t;
static inline TF_Output sl_op_embedding_table_with(sl_scope_t *scope, int64_t dim,
    const sl_op_embedding_table_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTable", options->name);
  if (options->container) sl_node_attr_text(node, "container", options->container);
  if (options->shared_name) sl_node_attr_text(node, "shared_name", options->shared_name);
  sl_node_attr_int(node, "dim", dim);
  if (options->updater) sl_node_attr_text(node, "updater", options->updater);
  if (options->initializer) sl_node_attr_text(node, "initializer", options->initializer);
  if (options->storage) sl_node_attr_text(node, "storage", options->storage);
  sl_node_attr_int(node, "max_bytes", options->max_bytes);
  sl_node_attr_int(node, "max_rows", options->max_rows);
  sl_node_attr_int(node, "max_age", options->max_age);
  sl_node_attr_int(node, "admit_after", options->admit_after);
  sl_node_attr_bool(node, "evict", options->evict);
  if (options->directory) sl_node_attr_text(node, "directory", options->directory);
  return sl_node_output(node);
}
#define sl_op_embedding_table(scope, dim, ...) \
  sl_op_embedding_table_with(SL_AT(scope), (dim), SL_OPTIONS(sl_op_embedding_table_options_t, __VA_ARGS__))

// EmbeddingTableApply(tables: T * resource, request: int64, gradients: float)
// Updates the rows of a request by the updater of each table.
// T: int >= 1
// Stateful, no gradient.
static inline TF_Operation *sl_op_embedding_table_apply_with(sl_scope_t *scope, const TF_Output *tables,
    size_t tables_count, TF_Output request, TF_Output gradients, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTableApply", options->name);
  sl_node_input_list(node, tables, tables_count);
  sl_node_input(node, request);
  sl_node_input(node, gradients);
  return sl_node_finish(node);
}
#define sl_op_embedding_table_apply(scope, tables, tables_count, request, gradients, ...) \
  sl_op_embedding_table_apply_with(SL_AT(scope), (tables), (tables_count), (request), (gradients), SL_OPTIONS( \
    sl_op_options_t, __VA_ARGS__))

// EmbeddingTableFetch(tables: T * resource, request: int64) -> rows: float
// The rows that a request of EmbeddingRoute asks for, one after the other.
// T: int >= 1; create: bool = true
// Stateful; gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool create;
} sl_op_embedding_table_fetch_options_t;
static inline TF_Output sl_op_embedding_table_fetch_with(sl_scope_t *scope, const TF_Output *tables,
    size_t tables_count, TF_Output request, const sl_op_embedding_table_fetch_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTableFetch", options->name);
  sl_node_input_list(node, tables, tables_count);
  sl_node_input(node, request);
  sl_node_attr_bool(node, "create", options->create);
  return sl_node_output(node);
}
#define sl_op_embedding_table_fetch(scope, tables, tables_count, request, ...) \
  SL_OVER_DEFAULTS(sl_op_embedding_table_fetch_with(SL_AT(scope), (tables), (tables_count), (request), SL_OPTIONS( \
    sl_op_embedding_table_fetch_options_t, .create = true, __VA_ARGS__)))

// EmbeddingTableRestore(table: resource, prefix: string)
// Replaces the rows of a part of a table by those that belong to it, whatever the parts of the files.
// part: int >= 0; parts: int >= 1; name: string = ''
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *name_attr;
} sl_op_embedding_table_restore_options_t;
static inline TF_Operation *sl_op_embedding_table_restore_with(sl_scope_t *scope, TF_Output table, TF_Output prefix,
    int64_t part, int64_t parts, const sl_op_embedding_table_restore_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTableRestore", options->name);
  sl_node_input(node, table);
  sl_node_input(node, prefix);
  sl_node_attr_int(node, "part", part);
  sl_node_attr_int(node, "parts", parts);
  if (options->name_attr) sl_node_attr_text(node, "name", options->name_attr);
  return sl_node_finish(node);
}
#define sl_op_embedding_table_restore(scope, table, prefix, part, parts, ...) \
  sl_op_embedding_table_restore_with(SL_AT(scope), (table), (prefix), (part), (parts), SL_OPTIONS( \
    sl_op_embedding_table_restore_options_t, __VA_ARGS__))

// EmbeddingTableSave(table: resource, prefix: string)
// Writes the rows of a part of a table to files of a checkpoint.
// part: int >= 0; parts: int >= 1; name: string = ''; full_every: int = 1
// Stateful, no gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *name_attr;
  int64_t full_every;
} sl_op_embedding_table_save_options_t;
static inline TF_Operation *sl_op_embedding_table_save_with(sl_scope_t *scope, TF_Output table, TF_Output prefix,
    int64_t part, int64_t parts, const sl_op_embedding_table_save_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTableSave", options->name);
  sl_node_input(node, table);
  sl_node_input(node, prefix);
  sl_node_attr_int(node, "part", part);
  sl_node_attr_int(node, "parts", parts);
  if (options->name_attr) sl_node_attr_text(node, "name", options->name_attr);
  sl_node_attr_int(node, "full_every", options->full_every);
  return sl_node_finish(node);
}
#define sl_op_embedding_table_save(scope, table, prefix, part, parts, ...) \
  SL_OVER_DEFAULTS(sl_op_embedding_table_save_with(SL_AT(scope), (table), (prefix), (part), (parts), SL_OPTIONS( \
    sl_op_embedding_table_save_options_t, .full_every = 1, __VA_ARGS__)))

// EmbeddingTableSetUpdater(table: resource, updater: string)
// Changes the updater of a table, for example its learning rate.
// Stateful, no gradient.
static inline TF_Operation *sl_op_embedding_table_set_updater_with(sl_scope_t *scope, TF_Output table,
    TF_Output updater, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTableSetUpdater", options->name);
  sl_node_input(node, table);
  sl_node_input(node, updater);
  return sl_node_finish(node);
}
#define sl_op_embedding_table_set_updater(scope, table, updater, ...) \
  sl_op_embedding_table_set_updater_with(SL_AT(scope), (table), (updater), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EmbeddingTableSize(table: resource) -> size: int64
// The numbers of rows, of bytes in memory, of rows evicted so far, of updates of rows not yet admitted, of rows on
//   the disk and their bytes.
// Stateful, no gradient.
static inline TF_Output sl_op_embedding_table_size_with(sl_scope_t *scope, TF_Output table,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTableSize", options->name);
  sl_node_input(node, table);
  return sl_node_output(node);
}
#define sl_op_embedding_table_size(scope, table, ...) \
  sl_op_embedding_table_size_with(SL_AT(scope), (table), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_EMBEDDING_H_
