// Tables of embeddings in a graph (sluice/embedding.h). A lookup of several features is, on the worker, one node that
// sorts the ids by task and one that makes the features from the rows; on each ps, one node that reads the rows and one
// that applies their gradients. The rows of each ps are one tensor, whose gradient sl_compute_gradients computes.
#include "sluice/embedding.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "sluice/queue.h"
#include "sluice/queue_runner.h"
#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/trained_value.h"

enum { MAX_PARTS = 1024 };

struct sl_embedding_table {
  char *name;
  int dim, parts, full_save_every;
  bool is_trainable;
  TF_Output *handles;  // of each part
};

// One part of a lookup: the rows that come from one ps.
typedef struct {
  TF_Output *handles;  // of the tables
  size_t table_count;
  TF_Output request;
} rows_part_t;

// A lookup while it is built.
typedef struct {
  const sl_embedding_feature_t *features;
  size_t count;
  sl_embedding_table_t **tables;  // each once
  size_t table_count, parts;
  int64_t *places;                       // the table of each feature
  TF_Output *requests, *rows;            // of each part
  TF_Output *where, *indices, *weights;  // of each feature
  TF_Output batch;
} lookup_t;

// --- Tables ---

static void table_destroy(void *object) {
  sl_embedding_table_t *table = object;
  free(table->name);
  free(table->handles);
  free(table);
}

static bool check_table(sl_scope_t *scope, const char *name, int dim, const sl_embedding_table_options_t *options) {
  if (!name || !*name) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table: name must not be empty");
  if (dim < 1) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table: dim must be at least 1, got %d", dim);
  if (options->parts < 0 || options->parts > MAX_PARTS)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table: parts must be 0 to %d, got %d", MAX_PARTS,
                  options->parts);
  const char *number = options->device ? strchr(options->device, '%') : NULL;
  if (number && (number[1] != 'd' || strchr(number + 1, '%')))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table: device must have one %%d at most, got \"%s\"",
                  options->device);
  if (options->full_save_every < 0 || options->full_save_every > 1000)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table: full_save_every must be 0 to 1000, got %d",
                  options->full_save_every);
  if (options->storage < SL_STORAGE_FLOAT32 || options->storage > SL_STORAGE_INT8)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table: storage must be SL_STORAGE_…, got %d",
                  (int)options->storage);
  return sli_scope_ok(scope);
}

static TF_Output table_node(sl_scope_t *scope, const char *name, int part, int dim,
                            const sl_embedding_table_options_t *options) {
  static const char *const storages[] = {"float32", "bfloat16", "int8"};
  sl_node_t *node = sl_node_begin(scope, "EmbeddingTable", NULL);
  // Parts that have a task each have the same name there, by which clients of sluice/kv.h find them.
  bool is_alone = options->parts <= 1 || (options->device && strchr(options->device, '%'));
  char *shared = is_alone ? sli_strdup(name) : sli_format("%s/part_%d", name, part);
  sl_node_attr_text(node, "shared_name", shared);
  free(shared);
  sl_node_attr_int(node, "dim", dim);
  sl_node_attr_text(node, "updater", options->optimizer ? options->optimizer : "GradientDescent learning_rate=0.01");
  sl_node_attr_text(node, "initializer", options->initializer ? options->initializer : "zeros");
  sl_node_attr_text(node, "storage", storages[options->storage]);
  sl_node_attr_int(node, "max_bytes", options->max_bytes);
  sl_node_attr_int(node, "max_rows", options->max_rows);
  sl_node_attr_int(node, "max_age", options->max_age);
  sl_node_attr_int(node, "admit_after", options->admit_after);
  sl_node_attr_bool(node, "evict", !options->refuse);
  if (options->cold_directory) sl_node_attr_text(node, "directory", options->cold_directory);
  return sl_node_output(node);
}

// A node for each part, on its device, with |prefix|.
static TF_Operation *files_node(sl_scope_t *scope, const sl_embedding_table_t *table, bool is_save, TF_Output prefix) {
  const char *op = is_save ? "EmbeddingTableSave" : "EmbeddingTableRestore";
  sli_operations_t nodes = {0};
  for (int i = 0; i < table->parts; i++) {
    SL_COLOCATE_WITH(scope, table->handles[i].oper) {
      sl_node_t *node = sl_node_begin(scope, op, NULL);
      sl_node_input(node, table->handles[i]);
      sl_node_input(node, prefix);
      sl_node_attr_int(node, "part", i);
      sl_node_attr_int(node, "parts", table->parts);
      sl_node_attr_text(node, "name", table->name);
      if (is_save) sl_node_attr_int(node, "full_every", table->full_save_every);
      TF_Operation *operation = sl_node_finish(node);
      if (operation) sli_array_push(&nodes, operation);
    }
  }
  TF_Operation *group =
      sli_scope_ok(scope) ? sl_group_with(scope, nodes.items, nodes.count, SL_OP_OPTIONS(.name = op)) : NULL;
  sli_array_deinitialize(&nodes);
  return group;
}

static TF_Operation *save_table(sl_scope_t *scope, void *context, TF_Output prefix) {
  return files_node(scope, context, true, prefix);
}
static TF_Operation *restore_table(sl_scope_t *scope, void *context, TF_Output prefix) {
  return files_node(scope, context, false, prefix);
}

// A variable on the task of each part. If the task starts again it has no value, and a training session restores the
// checkpoint, with the rows.
static void mark_parts(sl_scope_t *scope, const sl_embedding_table_t *table) {
  SL_VARIABLE_SCOPE (scope, table->name, .reuse = SL_AUTO_REUSE) {
    for (int i = 0; i < table->parts; i++) {
      char name[32];
      snprintf(name, sizeof(name), "part_%d", i);
      SL_COLOCATE_WITH(scope, table->handles[i].oper) {
        TF_Output mark =
            sl_get_variable_with(scope, name, TF_INT64, SL_SHAPE(),
                                 SL_OPTIONS(sl_get_variable_options_t, .initializer = SL_ZEROS, .not_trainable = true));
        // The checkpoint may be of fewer parts.
        if (mark.oper && table->is_trainable) sl_collection_add(scope, SLI_SCOPE_OPTIONAL_VARIABLES, mark);
      }
    }
  }
}

sl_embedding_table_t *sl_embedding_table_with(sl_scope_t *scope, const char *name, int dim,
                                              const sl_embedding_table_options_t *given) {
  SLI_CALL_OPTIONS(sl_embedding_table_options_t, options, given);
  if (!sli_scope_ok(scope) || !check_table(scope, name, dim, &options)) return NULL;
  sl_embedding_table_t *table = sli_calloc(1, sizeof(*table));
  *table = (sl_embedding_table_t){.name = sli_strdup(name),
                                  .dim = dim,
                                  .parts = options.parts ? options.parts : 1,
                                  .full_save_every = options.full_save_every,
                                  .is_trainable = !options.not_trainable};
  table->handles = sli_calloc((size_t)table->parts, sizeof(*table->handles));
  sli_scope_own(scope, table, table_destroy);
  SL_NAME_SCOPE (scope, "%s", name) {
    for (int i = 0; i < table->parts; i++) {
      char *device = options.device ? sli_format(options.device, i) : NULL;
      if (device)
        SL_DEVICE (scope, device) table->handles[i] = table_node(scope, name, i, dim, &options);
      else
        table->handles[i] = table_node(scope, name, i, dim, &options);
      free(device);
    }
  }
  if (!sli_scope_ok(scope)) return NULL;
  mark_parts(scope, table);
  if (table->is_trainable)
    sli_train_state_add(scope, (sli_train_state_t){.save = save_table, .restore = restore_table, .context = table});
  return table;
}

TF_Output sl_embedding_table_size_with(sl_scope_t *scope, const sl_embedding_table_t *table) {
  if (!table) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_table_size: table must not be NULL");
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  sli_outputs_t sizes = {0};
  for (int i = 0; i < table->parts; i++) {
    SL_COLOCATE_WITH(scope, table->handles[i].oper) {
      sli_array_push(&sizes, sl_unary(scope, "EmbeddingTableSize", table->handles[i], NULL));
    }
  }
  sl_node_t *node = sl_node_begin(scope, "AddN", NULL);
  sl_node_input_list(node, sizes.items, sizes.count);
  TF_Output sum = sl_node_output(node);
  sli_array_deinitialize(&sizes);
  return sum;
}

// --- Lookups ---

static bool check_features(sl_scope_t *scope, const sl_embedding_feature_t *features, size_t count) {
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_lookup_features: at least 1 feature is needed");
  for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
    const sl_embedding_feature_t *feature = &features[i];
    if (!feature->table || !feature->ids.oper)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "feature %zu must have a table and ids", i);
    else if (sl_dtype(feature->ids) != TF_INT64)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the ids of feature %zu must be of type int64; use sl_cast", i);
    else if (feature->table->parts != features[0].table->parts)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                    "tables that are looked up together must have the same parts; '%s' has %d and '%s' %d",
                    features[0].table->name, features[0].table->parts, feature->table->name, feature->table->parts);
    else if (feature->combiner < SL_COMBINER_SUM || feature->combiner > SL_COMBINER_SQRTN)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "the combiner of feature %zu must be SL_COMBINER_…, got %d", i,
                    (int)feature->combiner);
  }
  return sli_scope_ok(scope);
}

static void lookup_initialize(lookup_t *lookup, const sl_embedding_feature_t *features, size_t count) {
  size_t parts = (size_t)features[0].table->parts;
  *lookup = (lookup_t){.features = features, .count = count, .parts = parts};
  lookup->tables = sli_calloc(count, sizeof(*lookup->tables));
  lookup->places = sli_calloc(count, sizeof(*lookup->places));
  lookup->requests = sli_calloc(2 * parts + 3 * count, sizeof(TF_Output));
  lookup->rows = lookup->requests + parts;
  lookup->where = lookup->rows + parts;
  lookup->indices = lookup->where + count;
  lookup->weights = lookup->indices + count;
  for (size_t i = 0; i < count; i++) {
    size_t at = 0;
    while (at < lookup->table_count && lookup->tables[at] != features[i].table) at++;
    if (at == lookup->table_count) lookup->tables[lookup->table_count++] = features[i].table;
    lookup->places[i] = (int64_t)at;
  }
}

static void lookup_deinitialize(lookup_t *lookup) {
  free(lookup->tables);
  free(lookup->places);
  free(lookup->requests);
}

static void route(sl_scope_t *scope, lookup_t *lookup) {
  int64_t *dims = sli_calloc(lookup->table_count, sizeof(*dims));
  TF_Output *ids = sli_calloc(lookup->count, sizeof(*ids));
  for (size_t i = 0; i < lookup->table_count; i++) dims[i] = lookup->tables[i]->dim;
  for (size_t i = 0; i < lookup->count; i++) ids[i] = lookup->features[i].ids;
  sl_node_t *node = sl_node_begin(scope, "EmbeddingRoute", NULL);
  sl_node_input_list(node, ids, lookup->count);
  sl_node_attr_int(node, "P", (int64_t)lookup->parts);
  sl_node_attr_int_list(node, "tables", lookup->places, lookup->count);
  sl_node_attr_int_list(node, "dims", dims, lookup->table_count);
  TF_Operation *operation = sl_node_finish(node);
  for (size_t i = 0; i < lookup->parts; i++) lookup->requests[i] = (TF_Output){operation, (int)i};
  for (size_t i = 0; i < lookup->count; i++) lookup->where[i] = (TF_Output){operation, (int)(lookup->parts + i)};
  free(dims);
  free(ids);
}

static void part_destroy(void *object) {
  rows_part_t *part = object;
  free(part->handles);
  free(part);
}

static rows_part_t *make_part(sl_scope_t *scope, const lookup_t *lookup, size_t number) {
  rows_part_t *part = sli_calloc(1, sizeof(*part));
  part->handles = sli_calloc(lookup->table_count, sizeof(*part->handles));
  part->table_count = lookup->table_count;
  for (size_t i = 0; i < part->table_count; i++) part->handles[i] = lookup->tables[i]->handles[number];
  sli_scope_own(scope, part, part_destroy);
  return part;
}

static bool is_trained(const lookup_t *lookup) {
  for (size_t i = 0; i < lookup->table_count; i++)
    if (!lookup->tables[i]->is_trainable) return false;
  return true;
}

static void fetch(sl_scope_t *scope, lookup_t *lookup, rows_part_t *const *parts) {
  for (size_t i = 0; i < lookup->parts; i++) {
    SL_COLOCATE_WITH(scope, parts[i]->handles[0].oper) {
      sl_node_t *node = sl_node_begin(scope, "EmbeddingTableFetch", NULL);
      sl_node_input_list(node, parts[i]->handles, parts[i]->table_count);
      sl_node_input(node, lookup->requests[i]);
      sl_node_attr_bool(node, "create", is_trained(lookup));
      lookup->rows[i] = sl_node_output(node);
    }
  }
}

static TF_Operation *apply_rows(sl_scope_t *scope, void *context, TF_Output gradient) {
  const rows_part_t *part = context;
  TF_Operation *apply = NULL;
  SL_COLOCATE_WITH(scope, part->handles[0].oper) {
    sl_node_t *node = sl_node_begin(scope, "EmbeddingTableApply", NULL);
    sl_node_input_list(node, part->handles, part->table_count);
    sl_node_input(node, part->request);
    sl_node_input(node, gradient);
    apply = sl_node_finish(node);
  }
  return apply;
}

// Puts everything that belongs to a batch into a queue that a thread fills, and takes it from there.
static void prefetch(sl_scope_t *scope, lookup_t *lookup, const sl_embedding_lookup_features_options_t *options) {
  size_t own = 2 * lookup->parts + 3 * lookup->count, total = own + 1 + options->with_count;
  TF_Output *all = sli_calloc(total, sizeof(*all));
  TF_DataType *dtypes = sli_calloc(total, sizeof(*dtypes));
  memcpy(all, lookup->requests, own * sizeof(*all));
  all[own] = lookup->batch;
  for (size_t i = 0; i < options->with_count; i++) all[own + 1 + i] = options->with[i];
  for (size_t i = 0; i < total; i++) dtypes[i] = sl_dtype(all[i]);
  TF_Output queue =
      sl_fifo_queue_with(scope, options->prefetch, dtypes, total, SL_OPTIONS(sl_queue_options_t, .name = "prefetch"));
  TF_Operation *enqueue = sl_queue_enqueue_with(scope, queue, (sl_outputs_t){total, all}, NULL);
  if (enqueue) sl_add_queue_runner(scope, sl_queue_runner_with(scope, queue, &enqueue, 1, NULL));
  sl_outputs_t taken = sl_queue_dequeue_with(scope, queue, NULL);
  for (size_t i = 0; i < own && taken.count == total; i++) lookup->requests[i] = taken.items[i];
  if (taken.count == total) lookup->batch = taken.items[own];
  for (size_t i = 0; i < options->with_count && taken.count == total; i++) {
    sl_shape_t shape = sl_static_shape(scope, options->with[i]);
    options->with[i] = taken.items[own + 1 + i];
    sli_build_set_shape(scope, options->with[i], shape);
  }
  free(all);
  free(dtypes);
}

static sl_outputs_t combine(sl_scope_t *scope, const lookup_t *lookup, const char *name) {
  static const char *const combiners[] = {"sum", "mean", "sqrtn"};
  int64_t *dims = sli_calloc(lookup->count, sizeof(*dims));
  const char **names = sli_calloc(lookup->count, sizeof(*names));
  TF_Output *results = sli_calloc(lookup->count, sizeof(*results));
  for (size_t i = 0; i < lookup->count; i++) {
    dims[i] = lookup->features[i].table->dim;
    names[i] = combiners[lookup->features[i].combiner];
  }
  sl_node_t *node = sl_node_begin(scope, "EmbeddingCombine", name);
  sl_node_input_list(node, lookup->rows, lookup->parts);
  sl_node_input_list(node, lookup->where, lookup->count);
  sl_node_input_list(node, lookup->indices, lookup->count);
  sl_node_input_list(node, lookup->weights, lookup->count);
  sl_node_input(node, lookup->batch);
  sl_node_attr_int_list(node, "dims", dims, lookup->count);
  sl_node_attr_text_list(node, "combiners", names, lookup->count);
  TF_Operation *operation = sl_node_finish(node);
  for (size_t i = 0; i < lookup->count && operation; i++) results[i] = (TF_Output){operation, (int)i};
  sl_outputs_t outputs = operation ? sli_scope_copy_outputs(scope, results, lookup->count) : (sl_outputs_t){0};
  free(dims);
  free(names);
  free(results);
  return outputs;
}

static void set_batch(sl_scope_t *scope, lookup_t *lookup, TF_Output given) {
  for (size_t i = 0; i < lookup->count; i++) {
    const sl_embedding_feature_t *feature = &lookup->features[i];
    lookup->indices[i] = feature->indices.oper ? feature->indices
                                               : sl_constant_with(scope, TF_INT64, SL_SHAPE(0), NULL,
                                                                  SL_OP_OPTIONS(.name = "no_indices"));
    lookup->weights[i] = feature->weights.oper ? feature->weights
                                               : sl_constant_with(scope, TF_FLOAT, SL_SHAPE(0), NULL,
                                                                  SL_OP_OPTIONS(.name = "no_weights"));
    if (!given.oper && !feature->indices.oper && !lookup->batch.oper)
      lookup->batch =
          sl_cast_with(scope, sli_build_element(scope, sli_build_shape(scope, feature->ids), 0), TF_INT64, NULL);
  }
  if (given.oper) lookup->batch = sl_cast_with(scope, given, TF_INT64, NULL);
  if (!lookup->batch.oper)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_embedding_lookup_features: batch is needed, as all features have indices");
}

sl_outputs_t sl_embedding_lookup_features_with(sl_scope_t *scope, const sl_embedding_feature_t *features, size_t count,
                                               const sl_embedding_lookup_features_options_t *given) {
  SLI_CALL_OPTIONS(sl_embedding_lookup_features_options_t, options, given);
  if (!sli_scope_ok(scope) || !check_features(scope, features, count)) return (sl_outputs_t){0};
  sl_outputs_t results = {0};
  lookup_t lookup;
  lookup_initialize(&lookup, features, count);
  rows_part_t **parts = sli_calloc(lookup.parts, sizeof(rows_part_t *));
  SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "embedding_lookup_features") {
    set_batch(scope, &lookup, options.batch);
    route(scope, &lookup);
    for (size_t i = 0; i < lookup.parts; i++) parts[i] = make_part(scope, &lookup, i);
    if (sli_scope_ok(scope)) fetch(scope, &lookup, parts);
    if (options.prefetch > 0 && sli_scope_ok(scope)) prefetch(scope, &lookup, &options);
    for (size_t i = 0; i < lookup.parts && is_trained(&lookup); i++) {
      parts[i]->request = lookup.requests[i];
      sli_train_value_add(scope,
                          (sli_train_value_t){.value = lookup.rows[i], .apply = apply_rows, .context = parts[i]});
    }
    if (sli_scope_ok(scope)) results = combine(scope, &lookup, NULL);
  }
  free(parts);
  lookup_deinitialize(&lookup);
  return results;
}

TF_Output sl_embedding_lookup_sparse_with(sl_scope_t *scope, sl_embedding_table_t *table, sl_sparse_t ids,
                                          const sl_embedding_lookup_sparse_options_t *given) {
  SLI_CALL_OPTIONS(sl_embedding_lookup_sparse_options_t, options, given);
  if (!ids.values.oper || !ids.indices.oper || !ids.dense_shape.oper)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_embedding_lookup_sparse: ids must be a sparse tensor");
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  sl_embedding_feature_t feature = {.table = table,
                                    .ids = ids.values,
                                    .indices = ids.indices,
                                    .weights = options.weights,
                                    .combiner = options.combiner};
  sl_outputs_t outputs =
      sl_embedding_lookup_features_with(scope, &feature, 1,
                                        SL_OPTIONS(sl_embedding_lookup_features_options_t,
                                                   .name = options.name ? options.name : "embedding_lookup_sparse",
                                                   .batch = sli_build_element(scope, ids.dense_shape, 0)));
  return outputs.count ? outputs.items[0] : (TF_Output){0};
}
