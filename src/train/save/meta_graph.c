// Exports and imports MetaGraphs: a graph together with the variables, queue runners
// and lists of nodes of its scope, as named collections. A file refers to nodes by
// name; the import looks each name up among the nodes it has added.
#include "train/save/meta_graph_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/checkpoint/meta_graph.h"
#include "io/file/atomic_file.h"
#include "sluice/node.h"
#include "sluice/queue_runner.h"
#include "train/common/call_options.h"
#include "train/common/device_spec.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/input/queue_runner.h"
#include "train/save/flow_def_internal.h"
#include "train/save/graph_def_internal.h"
#include "train/save/saver.h"

static const char queue_runners_key[] = "queue_runners";
// The TensorFlow version whose format the file has, which Python checks. The git version names the writer.
static const char format_version[] = "2.15.1";

// Whether the collection holds VariableDefs. In other collections a variable is listed by name, like any output.
static bool holds_variables(const char *key) {
  static const char *const keys[] = {SL_GLOBAL_VARIABLES, SL_LOCAL_VARIABLES,          SL_TRAINABLE_VARIABLES,
                                     SL_MODEL_VARIABLES,  SL_MOVING_AVERAGE_VARIABLES, SL_METRIC_VARIABLES,
                                     SL_GLOBAL_STEP};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(keys); i++)
    if (strcmp(key, keys[i]) == 0) return true;
  return false;
}

static const char *arena_format(sli_arena_t *arena, const char *format, const char *name, int number) {
  char *text = sli_format(format, name, number);
  const char *copy = sli_arena_strndup(arena, text, strlen(text));
  free(text);
  return copy;
}

const char *sli_saver_output_name(TF_Output output, sli_arena_t *arena) {
  return arena_format(arena, "%s:%d", TF_OperationName(output.oper), output.index);
}

// --- Export ---

static sli_view_t copy_to_arena(sli_arena_t *arena, sli_string_t *bytes) {
  sli_view_t view = {sli_arena_strndup(arena, sli_string_text(bytes), bytes->size), bytes->size};
  sli_string_deinitialize(bytes);
  return view;
}

static bool is_global_step(const sl_scope_t *scope, const sl_variable_info_t *info) {
  const TF_Output *steps = sl_collection_items(scope, SL_GLOBAL_STEP);
  return steps && steps[0].oper == info->value.oper;
}

static sli_view_t describe_variable(const sl_scope_t *scope, const sl_variable_info_t *info, sli_arena_t *arena) {
  enum { ONLY_FIRST_REPLICA = 3 };
  sli_train_variable_slice_t slice = sli_train_variable_slice(info, info->saved_name);
  sli_variable_def_t def = {
      .name = sli_saver_output_name(info->reference, arena),
      .initializer = info->initializer ? TF_OperationName(info->initializer) : "",
      .snapshot = sli_saver_output_name(info->value, arena),
      .initial_value = info->initial_value.oper ? sli_saver_output_name(info->initial_value, arena) : "",
      .is_resource = sli_train_variable_is_resource(info),
      .trainable = info->trainable,
      .aggregation = is_global_step(scope, info) ? ONLY_FIRST_REPLICA : 0,
      .full_name = info->slice[0] ? info->saved_name : "",
      .rank = info->slice[0] ? info->shape.rank : 0,
      .full_shape = slice.full_shape.dims,
      .offsets = slice.offsets,
      .shape = info->shape.dims};
  sli_string_t bytes = {0};
  sli_variable_def_append(&def, &bytes);
  return copy_to_arena(arena, &bytes);
}

// The name of an item in a list of nodes: a variable "w:0", an operation "op", an output "node:1".
static const char *describe_item(const sl_scope_t *scope, const char *key, TF_Output item, sli_arena_t *arena) {
  const sl_variable_info_t *info = sl_variable_info(scope, item);
  if (info) return sli_saver_output_name(info->reference, arena);
  bool is_operation = TF_OperationNumOutputs(item.oper) == 0 || strcmp(key, SL_TRAIN_OP) == 0;
  return is_operation ? TF_OperationName(item.oper) : sli_saver_output_name(item, arena);
}

static sli_meta_graph_collection_t describe_collection(const sl_scope_t *scope, const char *key,
                                                       const sli_outputs_t *items, sli_arena_t *arena) {
  sli_meta_graph_collection_t def = {.key = key, .kind = SLI_META_GRAPH_NODES, .count = items->count};
  bool all_variables = holds_variables(key);
  for (size_t i = 0; i < items->count; i++) all_variables = all_variables && sl_variable_info(scope, items->items[i]);
  if (all_variables) def.kind = SLI_META_GRAPH_BYTES;
  sli_view_t *views = sli_arena_calloc(arena, items->count, sizeof(*views));
  for (size_t i = 0; i < items->count; i++)
    views[i] = all_variables ? describe_variable(scope, sl_variable_info(scope, items->items[i]), arena)
                             : sli_view(describe_item(scope, key, items->items[i], arena));
  def.items = views;
  return def;
}

static sli_meta_graph_collection_t describe_queue_runners(const sl_scope_t *scope, sli_arena_t *arena) {
  size_t count = scope->queue_runners.count;
  sli_view_t *views = sli_arena_calloc(arena, count, sizeof(*views));
  for (size_t i = 0; i < count; i++) {
    const sl_queue_runner_t *runner = scope->queue_runners.items[i];
    const char **enqueues = sli_arena_calloc(arena, runner->enqueue_ops.count, sizeof(*enqueues));
    for (size_t j = 0; j < runner->enqueue_ops.count; j++) enqueues[j] = TF_OperationName(runner->enqueue_ops.items[j]);
    sli_queue_runner_def_t def = {.queue = runner->name,
                                  .close_op = TF_OperationName(runner->close_op),
                                  .cancel_op = TF_OperationName(runner->cancel_op),
                                  .enqueue_ops = enqueues,
                                  .enqueue_count = runner->enqueue_ops.count};
    sli_string_t bytes = {0};
    sli_queue_runner_def_append(&def, &bytes);
    views[i] = copy_to_arena(arena, &bytes);
  }
  return (sli_meta_graph_collection_t){
      .key = queue_runners_key, .kind = SLI_META_GRAPH_BYTES, .items = views, .count = count};
}

static void clear_device(void *context, const char *op, const char *name, const char *device, char *out_device,
                         size_t size) {
  out_device[0] = '\0';
}

static sli_status_t *append_meta_graph(const sl_scope_t *scope, const sl_saver_t *saver, sli_view_t graph_def,
                                       sli_arena_t *arena, sli_string_t *out) {
  SLI_ARRAY(sli_meta_graph_collection_t) collections = {0};
  SLI_MAP_FOR_EACH (&scope->collections, entry) {
    sli_array_push(&collections, describe_collection(scope, entry->key, entry->value, arena));
  }
  if (scope->queue_runners.count) sli_array_push(&collections, describe_queue_runners(scope, arena));
  for (int loops = 0; loops < 2; loops++) {
    sli_meta_graph_collection_t flows;
    sli_status_t *status = sli_flow_def_export(scope, loops, arena, &flows);
    if (status) {
      sli_array_deinitialize(&collections);
      return status;
    }
    if (flows.count) sli_array_push(&collections, flows);
  }
  SLI_MAP_FOR_EACH (&scope->foreign, entry) {
    const sli_string_t *encoded = entry->value;
    sli_array_push(&collections, ((sli_meta_graph_collection_t){.key = entry->key,
                                                                .kind = SLI_META_GRAPH_OTHER,
                                                                .encoded = sli_view_of(encoded->data, encoded->size)}));
  }
  sli_saver_def_t saver_def;
  sli_meta_graph_t graph = {.graph_def = graph_def,
                            .tensorflow_version = format_version,
                            .git_version = TF_Version(),
                            .collections = collections.items,
                            .collection_count = collections.count};
  if (saver && sli_saver_describe(saver, arena, &saver_def)) graph.saver = &saver_def;
  TF_Buffer *ops = TF_GetAllOpList();
  sli_status_t *status = sli_meta_graph_append(&graph, sli_view_of(ops->data, ops->length), out);
  TF_DeleteBuffer(ops);
  sli_array_deinitialize(&collections);
  return status;
}

sli_status_t *sli_saver_append_meta_graph(const sl_scope_t *scope, const sl_saver_t *saver, bool clear_devices,
                                          sli_string_t *out) {
  sli_string_t graph_def = {0};
  sli_status_t *status = sli_graph_def_append(scope->graph, false, &graph_def);
  if (!status && clear_devices) {
    sli_string_t cleared = {0};
    status = sli_meta_graph_place(sli_view_of(graph_def.data, graph_def.size), clear_device, NULL, "", &cleared);
    sli_string_deinitialize(&graph_def);
    graph_def = cleared;
  }
  sli_arena_t arena = {0};
  if (!status) status = append_meta_graph(scope, saver, sli_view_of(graph_def.data, graph_def.size), &arena, out);
  sli_arena_deinitialize(&arena);
  sli_string_deinitialize(&graph_def);
  return status;
}

sli_status_t *sli_saver_write_meta_graph(const sl_scope_t *scope, const char *path, const sl_saver_t *saver,
                                         bool clear_devices) {
  sli_string_t bytes = {0};
  sli_status_t *status = sli_saver_append_meta_graph(scope, saver, clear_devices, &bytes);
  if (!status) status = sli_atomic_file_write(path, sli_view_of(bytes.data, bytes.size));
  sli_string_deinitialize(&bytes);
  return status;
}

void sl_export_meta_graph_with(sl_scope_t *scope, const char *path, const sl_export_meta_graph_options_t *given,
                               TF_Status *status) {
  SLI_CALL_OPTIONS(sl_export_meta_graph_options_t, options, given);
  sli_status_t *result = sli_scope_ok(scope)
                             ? sli_saver_write_meta_graph(scope, path, options.saver, options.clear_devices)
                             : sli_status_make((sli_code_t)scope->code, "%s", scope->error);
  sli_tf_status_from_status(result, status);
}

// --- Import ---

typedef struct {
  sl_scope_t *scope;
  const char *path;    // of the file, for errors
  const char *prefix;  // of the new nodes' names, "" or "scope/"
  sli_arena_t arena;
} meta_graph_import_t;

// Finds the node |name| of collection |key|.
static sli_status_t *find_operation(meta_graph_import_t *import, const char *key, sli_view_t name,
                                    TF_Operation **out_operation) {
  char *whole = sli_format("%s%.*s", import->prefix, SLI_VIEW_ARG(name));
  *out_operation = TF_GraphOperationByName(import->scope->graph, whole);
  sli_status_t *status =
      *out_operation ? NULL
                     : sli_status_make(SLI_INVALID_ARGUMENT, "%s: '%s' names node '%s', which its graph does not have",
                                       import->path, key, whole);
  free(whole);
  return status;
}

// Finds an output "node:1" or an operation "node".
static sli_status_t *find_output(meta_graph_import_t *import, const char *key, const char *text, size_t size,
                                 TF_Output *out_output) {
  *out_output = (TF_Output){0};
  sli_view_t name = {text, size}, number;
  int64_t index = 0;
  bool is_output = sli_view_split(name, ':', &name, &number);
  SLI_RETURN_IF_ERROR(find_operation(import, key, name, &out_output->oper));
  bool valid = !is_output ||
               (sli_view_to_int64(number, &index) && index >= 0 && index < TF_OperationNumOutputs(out_output->oper));
  out_output->index = (int)index;
  return valid ? NULL
               : sli_status_make(SLI_INVALID_ARGUMENT, "%s: '%s' names output '%.*s', which does not exist",
                                 import->path, key, (int)size, text);
}

static sli_status_t *find_named(meta_graph_import_t *import, const char *key, const char *text, TF_Output *out_output) {
  return find_output(import, key, text, strlen(text), out_output);
}

static sli_status_t *adopt_variable(meta_graph_import_t *import, const char *key, const sli_variable_def_t *def,
                                    TF_Output *out_value) {
  sl_scope_t *scope = import->scope;
  SLI_RETURN_IF_ERROR(find_named(import, key, def->snapshot, out_value));
  if (sl_variable_info(scope, *out_value)) return NULL;
  sl_variable_info_t info = {.value = *out_value, .trainable = def->trainable};
  TF_Output initializer = {0};
  SLI_RETURN_IF_ERROR(find_named(import, key, def->name, &info.reference));
  TF_DataType type = TF_OperationOutputType(info.reference);
  if (def->is_resource ? type != TF_RESOURCE : (int)type <= SLI_TF_REFERENCE_TYPE)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: '%s' is not a variable", import->path, def->name);
  if (def->initializer[0]) SLI_RETURN_IF_ERROR(find_named(import, key, def->initializer, &initializer));
  if (def->initial_value[0]) SLI_RETURN_IF_ERROR(find_named(import, key, def->initial_value, &info.initial_value));
  info.initializer = initializer.oper;
  TF_Output typed = def->is_resource ? *out_value : info.reference;
  info.dtype = sl_dtype(typed);
  info.shape = sl_static_shape(scope, typed);
  info.name = TF_OperationName(info.reference.oper);
  bool is_part = def->full_name[0];
  if (is_part && def->rank != info.shape.rank)
    return sli_status_make(SLI_INVALID_ARGUMENT, "%s: the slice of '%s' must have %d dimensions, got %d", import->path,
                           def->name, info.shape.rank, def->rank);
  char *full_name = is_part ? sli_format("%s%s", import->prefix, def->full_name) : sli_strdup(info.name);
  sli_train_variable_slice_t slice = {.full_name = full_name, .full_shape = info.shape};
  for (int i = 0; is_part && i < def->rank; i++) {
    slice.full_shape.dims[i] = def->full_shape[i];
    slice.offsets[i] = def->offsets[i];
  }
  char *text = sli_train_variable_slice_format(is_part ? &slice : NULL, info.shape);
  info.saved_name = full_name;
  info.slice = text;
  sli_train_variable_import(scope, &info);
  free(text);
  free(full_name);
  return NULL;
}

static sli_status_t *import_variables(meta_graph_import_t *import, const sli_meta_graph_collection_t *collection) {
  for (size_t i = 0; i < collection->count; i++) {
    sli_variable_def_t def;
    TF_Output value;
    SLI_RETURN_IF_ERROR(sli_variable_def_parse(collection->items[i], &import->arena, &def));
    // Older files do not have the field; there only the collection tells.
    if (strcmp(collection->key, SL_TRAINABLE_VARIABLES) == 0) def.trainable = true;
    SLI_RETURN_IF_ERROR(adopt_variable(import, collection->key, &def, &value));
    sl_collection_add(import->scope, collection->key, value);
  }
  return NULL;
}

static sli_status_t *import_queue_runners(meta_graph_import_t *import, const sli_meta_graph_collection_t *collection) {
  for (size_t i = 0; i < collection->count; i++) {
    sli_queue_runner_def_t def;
    SLI_RETURN_IF_ERROR(sli_queue_runner_def_parse(collection->items[i], &import->arena, &def));
    TF_Output queue;
    sl_queue_runner_options_t options = {.struct_size = sizeof(options)};
    TF_Operation **enqueues = sli_arena_calloc(&import->arena, def.enqueue_count, sizeof(TF_Operation *));
    SLI_RETURN_IF_ERROR(find_named(import, collection->key, def.queue, &queue));
    SLI_RETURN_IF_ERROR(find_operation(import, collection->key, sli_view(def.close_op), &options.close_op));
    SLI_RETURN_IF_ERROR(find_operation(import, collection->key, sli_view(def.cancel_op), &options.cancel_op));
    for (size_t j = 0; j < def.enqueue_count; j++)
      SLI_RETURN_IF_ERROR(find_operation(import, collection->key, sli_view(def.enqueue_ops[j]), &enqueues[j]));
    sl_add_queue_runner(import->scope,
                        sl_queue_runner_with(import->scope, queue, enqueues, def.enqueue_count, &options));
  }
  return NULL;
}

// If |item| is the reference of a variable, its value; else |item|.
static TF_Output to_variable_value(const sl_scope_t *scope, TF_Output item) {
  SLI_MAP_FOR_EACH (&scope->by_value, entry) {
    const sl_variable_info_t *info = entry->value;
    if (info->reference.oper == item.oper) return info->value;
  }
  return item;
}

static sli_status_t *import_nodes(meta_graph_import_t *import, const sli_meta_graph_collection_t *collection) {
  for (size_t i = 0; i < collection->count; i++) {
    TF_Output item;
    SLI_RETURN_IF_ERROR(
        find_output(import, collection->key, collection->items[i].data, collection->items[i].size, &item));
    sl_collection_add(import->scope, collection->key, to_variable_value(import->scope, item));
  }
  return NULL;
}

static void keep_foreign(sl_scope_t *scope, const sli_meta_graph_collection_t *collection) {
  sli_string_t *encoded = sli_calloc(1, sizeof(*encoded));
  sli_string_append(encoded, collection->encoded.data, collection->encoded.size);
  sli_string_t *before = sli_map_set(&scope->foreign, sli_view(collection->key), encoded);
  if (before) sli_string_deinitialize(before);
  free(before);
}

// Imports variables before lists of nodes, which may name them.
static sli_status_t *import_collections(meta_graph_import_t *import, const sli_meta_graph_t *graph) {
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < graph->collection_count; i++) {
      const sli_meta_graph_collection_t *collection = &graph->collections[i];
      bool of_variables = collection->kind == SLI_META_GRAPH_BYTES && holds_variables(collection->key);
      if (of_variables != (pass == 0)) continue;
      if (of_variables)
        SLI_RETURN_IF_ERROR(import_variables(import, collection));
      else if (collection->kind == SLI_META_GRAPH_NODES)
        SLI_RETURN_IF_ERROR(import_nodes(import, collection));
      else if (strcmp(collection->key, queue_runners_key) == 0)
        SLI_RETURN_IF_ERROR(import_queue_runners(import, collection));
      else if (collection->kind == SLI_META_GRAPH_BYTES && sli_flow_def_is_collection(collection->key))
        SLI_RETURN_IF_ERROR(sli_flow_def_import(import->scope, collection, import->prefix));
      else
        keep_foreign(import->scope, collection);
    }
  }
  return NULL;
}

static sli_status_t *import_saver(meta_graph_import_t *import, const sli_saver_def_t *def, sl_saver_t **out_saver) {
  TF_Output filename, saved;
  TF_Operation *restore;
  SLI_RETURN_IF_ERROR(find_named(import, "saver_def", def->filename_tensor, &filename));
  SLI_RETURN_IF_ERROR(find_named(import, "saver_def", def->save_tensor, &saved));
  SLI_RETURN_IF_ERROR(find_operation(import, "saver_def", sli_view(def->restore_op), &restore));
  *out_saver = sli_saver_import(import->scope, def, filename, saved, restore);
  return NULL;
}

typedef struct {
  sl_scope_t *scope;
  bool clear;
} node_placing_t;

// Chooses the device as if the node were built here, with its own device as the innermost block.
static void place_node(void *context, const char *op, const char *name, const char *device, char *out_device,
                       size_t size) {
  const node_placing_t *placing = context;
  SL_DEVICE (placing->scope, placing->clear ? "" : device) {
    sli_scope_choose_device(placing->scope, op, name, -1, out_device, size);
  }
}

static sli_status_t *import_graph(meta_graph_import_t *import, sli_view_t graph_def, bool clear_devices) {
  sli_string_t placed = {0};
  node_placing_t placing = {import->scope, clear_devices};
  SLI_RETURN_IF_ERROR(sli_meta_graph_place(graph_def, place_node, &placing, import->prefix, &placed));
  TF_Status *status = TF_NewStatus();
  TF_ImportGraphDefOptions *options = TF_NewImportGraphDefOptions();
  TF_ImportGraphDefOptionsSetPrefix(options, import->prefix);
  TF_Buffer *bytes = TF_NewBufferFromString(placed.data, placed.size);
  TF_GraphImportGraphDef(import->scope->graph, bytes, options, status);
  TF_DeleteBuffer(bytes);
  TF_DeleteImportGraphDefOptions(options);
  sli_string_deinitialize(&placed);
  sli_scope_reserve_names(import->scope);
  return sli_status_append(sli_tf_status_to_status(status), "; importing MetaGraph %s", import->path);
}

static sli_status_t *import_file(meta_graph_import_t *import, bool clear_devices, sl_saver_t **out_saver) {
  sli_string_t bytes = {0};
  sli_meta_graph_t graph;
  sli_status_t *status = sli_file_read_whole(import->path, INT32_MAX, &bytes);
  if (!status) {
    status = sli_meta_graph_parse(sli_view_of(bytes.data, bytes.size), &import->arena, &graph);
    if (status) status = sli_status_append(status, "; %s is not a MetaGraph", import->path);
  }
  sli_string_deinitialize(&bytes);
  SLI_RETURN_IF_ERROR(status);
  SLI_RETURN_IF_ERROR(import_graph(import, graph.graph_def, clear_devices));
  SLI_RETURN_IF_ERROR(import_collections(import, &graph));
  if (graph.saver) return import_saver(import, graph.saver, out_saver);
  if (sl_collection_count(import->scope, SL_GLOBAL_VARIABLES)) *out_saver = sl_saver_with(import->scope, NULL);
  return NULL;
}

sl_saver_t *sl_import_meta_graph_with(sl_scope_t *scope, const char *path,
                                      const sl_import_meta_graph_options_t *given) {
  SLI_CALL_OPTIONS(sl_import_meta_graph_options_t, options, given);
  if (scope->final)
    sl_scope_fail(scope, TF_FAILED_PRECONDITION, "Graph is finalized and cannot be modified: import of %s", path);
  if (!sli_scope_ok(scope)) return NULL;
  char *name = options.import_scope && options.import_scope[0] ? sli_scope_unique_name(scope, options.import_scope)
                                                               : sli_strdup(sli_scope_prefix(scope));
  char *prefix = sli_format("%s%s", name, name[0] ? "/" : "");
  meta_graph_import_t import = {.scope = scope, .path = path, .prefix = prefix};
  sl_saver_t *saver = NULL;
  if (!sli_scope_check(scope, import_file(&import, options.clear_devices, &saver))) saver = NULL;
  sli_arena_deinitialize(&import.arena);
  free(prefix);
  free(name);
  return saver;
}
