// SavedModels: a directory with saved_model.pb (several MetaGraphs, chosen by
// tags), variables/ (a checkpoint) and assets/. The caller's graph is filled only after the
// session has the graph, the variables are restored and the model's initialisation has
// run: on failure it stays empty.
#include <stdlib.h>

#include "base/log.h"
#include "capi/capi.h"
#include "io/file/file.h"
#include "proto/meta_graph.fields.h"
#include "proto/service.fields.h"
#include "proto/wire.h"

enum { MOST_BYTES = INT32_MAX };  // the largest message that protobuf allows

// A MetaGraphDef as views into the file's bytes.
typedef struct {
  sli_view_t bytes;  // the whole message
  SLI_ARRAY(sli_view_t) tags;
  sli_view_t graph_def, filename_tensor, restore_op;
  SLI_ARRAY(sli_view_t) assets;  // AssetFileDef
  sli_view_t init_signature, main_op, legacy_init_op;
} meta_graph_t;

static void meta_graph_deinitialize(meta_graph_t *meta) {
  sli_array_deinitialize(&meta->tags);
  sli_array_deinitialize(&meta->assets);
}

// --- Reading -----------------------------------------------------------------

// The last occurrence of a field that holds bytes.
static sli_view_t field_of(sli_view_t message, uint32_t number) {
  sli_view_t found = {0};
  sli_wire_reader_t reader = sli_wire_reader(message);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) found = field.bytes;
  return found;
}

// The first node of a CollectionDef's NodeList.
static sli_view_t first_node(sli_view_t collection) {
  sli_wire_reader_t reader = sli_wire_reader(field_of(collection, SLI_FIELD_COLLECTION_DEF_NODE_LIST));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_COLLECTION_DEF_NODE_LIST_VALUE && field.type == SLI_WIRE_BYTES) return field.bytes;
  return (sli_view_t){0};
}

// The AssetFileDefs of an AnyList: each wrapped in a google.protobuf.Any.
static void read_asset_collection(sli_view_t collection, meta_graph_t *meta) {
  sli_wire_reader_t reader = sli_wire_reader(field_of(collection, SLI_FIELD_COLLECTION_DEF_ANY_LIST));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_COLLECTION_DEF_ANY_LIST_VALUE && field.type == SLI_WIRE_BYTES)
      sli_array_push(&meta->assets, field_of(field.bytes, SLI_FIELD_ANY_VALUE));
}

static void read_collection(sli_view_t entry, bool has_assets, meta_graph_t *meta) {
  sli_view_t key = field_of(entry, SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF_ENTRY_KEY);
  sli_view_t value = field_of(entry, SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF_ENTRY_VALUE);
  if (sli_view_is(key, "saved_model_main_op")) meta->main_op = first_node(value);
  if (sli_view_is(key, "legacy_init_op")) meta->legacy_init_op = first_node(value);
  if (sli_view_is(key, "saved_model_assets") && !has_assets) read_asset_collection(value, meta);
}

// "__saved_model_init_op" is a signature whose output of that name is the operation.
static void read_signature(sli_view_t entry, meta_graph_t *meta) {
  if (!sli_view_is(field_of(entry, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF_ENTRY_KEY), "__saved_model_init_op")) return;
  sli_wire_reader_t reader = sli_wire_reader(field_of(entry, SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF_ENTRY_VALUE));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_SIGNATURE_DEF_OUTPUTS && field.type == SLI_WIRE_BYTES &&
        sli_view_is(field_of(field.bytes, SLI_FIELD_SIGNATURE_DEF_OUTPUTS_ENTRY_KEY), "__saved_model_init_op"))
      meta->init_signature =
          field_of(field_of(field.bytes, SLI_FIELD_SIGNATURE_DEF_OUTPUTS_ENTRY_VALUE), SLI_FIELD_TENSOR_INFO_NAME);
}

static sli_status_t *read_meta_graph(sli_view_t bytes, meta_graph_t *meta) {
  *meta = (meta_graph_t){.bytes = bytes};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_META_GRAPH_DEF_ASSET_FILE_DEF && field.type == SLI_WIRE_BYTES)
      sli_array_push(&meta->assets, field.bytes);
  bool has_assets = meta->assets.count != 0;
  reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF) {
      sli_wire_reader_t info = sli_wire_reader(field.bytes);
      for (sli_wire_field_t tag; sli_wire_next(&info, &tag);)
        if (tag.number == SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF_TAGS && tag.type == SLI_WIRE_BYTES)
          sli_array_push(&meta->tags, tag.bytes);
    } else if (field.number == SLI_FIELD_META_GRAPH_DEF_GRAPH_DEF) {
      meta->graph_def = field.bytes;
    } else if (field.number == SLI_FIELD_META_GRAPH_DEF_SAVER_DEF) {
      meta->filename_tensor = field_of(field.bytes, SLI_FIELD_SAVER_DEF_FILENAME_TENSOR_NAME);
      meta->restore_op = field_of(field.bytes, SLI_FIELD_SAVER_DEF_RESTORE_OP_NAME);
    } else if (field.number == SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF) {
      read_collection(field.bytes, has_assets, meta);
    } else if (field.number == SLI_FIELD_META_GRAPH_DEF_SIGNATURE_DEF) {
      read_signature(field.bytes, meta);
    }
  }
  return reader.malformed ? sli_wire_error("tensorflow.MetaGraphDef") : NULL;
}

static bool has_tag(const meta_graph_t *meta, const char *tag) {
  for (size_t i = 0; i < meta->tags.count; i++)
    if (sli_view_is(meta->tags.items[i], tag)) return true;
  return false;
}

// Tags are compared as sets, without their order.
static bool tags_match(const meta_graph_t *meta, const char *const *tags, int count) {
  for (int i = 0; i < count; i++)
    if (!has_tag(meta, tags[i])) return false;
  for (size_t i = 0; i < meta->tags.count; i++) {
    bool wanted = false;
    for (int k = 0; k < count && !wanted; k++) wanted = sli_view_is(meta->tags.items[i], tags[k]);
    if (!wanted) return false;
  }
  return true;
}

static sli_status_t *no_such_tags(const char *const *tags, int count) {
  sli_string_t text = {0};
  for (int i = 0; i < count; i++) sli_string_append_format(&text, " %s", tags[i]);
  sli_status_t *status = sli_status_make(
      SLI_NOT_FOUND,
      "Could not find meta graph def matching supplied tags: {%s }. To inspect available tag-sets in the SavedModel, "
      "please use the SavedModel CLI: `saved_model_cli`",
      sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *find_meta_graph(sli_view_t saved_model, const char *const *tags, int tag_count,
                                     meta_graph_t *out_meta) {
  *out_meta = (meta_graph_t){0};
  sli_wire_reader_t reader = sli_wire_reader(saved_model);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_SAVED_MODEL_META_GRAPHS || field.type != SLI_WIRE_BYTES) continue;
    sli_status_t *status = read_meta_graph(field.bytes, out_meta);
    if (status || tags_match(out_meta, tags, tag_count)) return status;
    meta_graph_deinitialize(out_meta);
  }
  return reader.malformed ? sli_wire_error("tensorflow.SavedModel") : no_such_tags(tags, tag_count);
}

static sli_status_t *read_saved_model(const char *directory, sli_string_t *out_bytes) {
  char *path = sli_format("%s/saved_model.pb", directory), *text_path = sli_format("%s/saved_model.pbtxt", directory);
  sli_status_t *status = NULL;
  if (sli_file_exists(path))
    status = sli_file_read_whole(path, MOST_BYTES, out_bytes);
  else if (sli_file_exists(text_path))
    status = sli_status_make(SLI_UNIMPLEMENTED, "%s is in text format: only saved_model.pb can be loaded", text_path);
  else
    status = sli_status_make(SLI_NOT_FOUND,
                             "Could not find SavedModel .pb or .pbtxt at supplied export directory path: %s. Check "
                             "that the directory exists and that you have the right permissions for accessing it.",
                             directory);
  free(path);
  free(text_path);
  return status;
}

// --- Restoring ---------------------------------------------------------------

// Feeds by name: the assets' paths, with room for one more.
typedef struct {
  SLI_ARRAY(char *) names;
  SLI_ARRAY(sli_tensor_t *) values;
} feeds_t;

static char *text_of(sli_view_t view) { return sli_strndup(view.data ? view.data : "", view.size); }

// "x" means its output 0.
static void add_feed(feeds_t *feeds, sli_view_t tensor, const char *value) {
  char *name = text_of(tensor);
  if (!strchr(name, ':')) {
    char *full = sli_format("%s:0", name);
    free(name);
    name = full;
  }
  sli_array_push(&feeds->names, name);
  sli_array_push(&feeds->values, sli_tensor_scalar_string(sli_view(value)));
}

static void feeds_deinitialize(feeds_t *feeds) {
  for (size_t i = 0; i < feeds->names.count; i++) {
    free(feeds->names.items[i]);
    sli_tensor_release(feeds->values.items[i]);
  }
  sli_array_deinitialize(&feeds->names);
  sli_array_deinitialize(&feeds->values);
}

static sli_status_t *run_target(sli_session_t *session, sli_view_t run_options, const feeds_t *feeds,
                                sli_view_t target) {
  char *name = text_of(target);
  sli_session_run_t run = {
      .feed_names = (const char *const *)feeds->names.items,
      .feeds = feeds->values.items,
      .feed_count = feeds->names.count,
      .target_names = (const char *const *)&name,
      .target_count = 1,
      .options = run_options,
  };
  sli_status_t *status = session->vtable->run(session, &run, NULL);
  free(name);
  return status;
}

static sli_status_t *load_session(sli_session_t *session, const char *directory, sli_view_t run_options,
                                  const meta_graph_t *meta) {
  SLI_RETURN_IF_ERROR(session->vtable->extend(session, meta->graph_def));
  feeds_t feeds = {0};
  for (size_t i = 0; i < meta->assets.count; i++) {
    char *name = text_of(field_of(meta->assets.items[i], SLI_FIELD_ASSET_FILE_DEF_FILENAME));
    char *path = sli_format("%s/assets/%s", directory, name);
    add_feed(
        &feeds,
        field_of(field_of(meta->assets.items[i], SLI_FIELD_ASSET_FILE_DEF_TENSOR_INFO), SLI_FIELD_TENSOR_INFO_NAME),
        path);
    free(path);
    free(name);
  }
  sli_status_t *status = NULL;
  char *prefix = sli_format("%s/variables/variables", directory), *index = sli_format("%s.index", prefix);
  if (!sli_file_exists(index)) {
    SLI_INFO("The specified SavedModel has no variables; no checkpoints were restored. File does not exist: %s", index);
  } else if (meta->restore_op.size) {
    size_t assets = feeds.names.count;
    add_feed(&feeds, meta->filename_tensor, prefix);
    status = run_target(session, run_options, &feeds, meta->restore_op);
    free(feeds.names.items[assets]);
    sli_tensor_release(feeds.values.items[assets]);
    feeds.names.count = feeds.values.count = assets;
  }
  sli_view_t init = meta->init_signature.size ? meta->init_signature
                    : meta->main_op.size      ? meta->main_op
                                              : meta->legacy_init_op;
  if (!status && init.size) status = run_target(session, run_options, &feeds, init);
  free(prefix);
  free(index);
  feeds_deinitialize(&feeds);
  return status;
}

// --- The call ----------------------------------------------------------------

static sli_status_t *import_graph(TF_Graph *graph, sli_view_t graph_def) {
  sli_mutex_lock(&graph->mutex);
  sli_status_t *status = graph->graph->nodes.count ? sli_status_make(SLI_INVALID_ARGUMENT, "Graph is non-empty.")
                                                   : sli_graph_import(graph->graph, graph_def, NULL, NULL);
  if (!status) sli_capi_graph_changed_locked(graph);
  sli_mutex_unlock(&graph->mutex);
  return status;
}

static sli_status_t *load(const TF_SessionOptions *options, sli_view_t run_options, const char *directory,
                          const char *const *tags, int tag_count, TF_Graph *graph, TF_Buffer *meta_graph_def,
                          TF_Session **out_session) {
  sli_string_t bytes = {0};
  meta_graph_t meta = {0};
  sli_session_t *session = NULL;
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, read_saved_model(directory, &bytes));
  SLI_GOTO_IF_ERROR(status, cleanup, find_meta_graph(sli_view_of(bytes.data, bytes.size), tags, tag_count, &meta));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_capi_session_open(options, &session));
  SLI_GOTO_IF_ERROR(status, cleanup, load_session(session, directory, run_options, &meta));
  SLI_GOTO_IF_ERROR(status, cleanup, import_graph(graph, meta.graph_def));
  if (meta_graph_def) {
    sli_string_t copy = {0};
    sli_string_append(&copy, meta.bytes.data, meta.bytes.size);
    SLI_GOTO_IF_ERROR(status, cleanup, sli_capi_buffer_fill(meta_graph_def, &copy));
  }
  *out_session = sli_capi_session_attach(session, graph, options, true);
  session = NULL;
cleanup:
  if (session) session->vtable->destroy(session);
  meta_graph_deinitialize(&meta);
  sli_string_deinitialize(&bytes);
  return status;
}

TF_Session *TF_LoadSessionFromSavedModel(const TF_SessionOptions *session_options, const TF_Buffer *run_options,
                                         const char *export_dir, const char *const *tags, int tags_len, TF_Graph *graph,
                                         TF_Buffer *meta_graph_def, TF_Status *status) {
  TF_Session *session = NULL;
  size_t position = 0;
  sli_status_t *result = NULL;
  if (TF_GraphNextOperation(graph, &position))
    result = sli_status_make(SLI_INVALID_ARGUMENT, "Graph is non-empty.");
  else if (meta_graph_def && meta_graph_def->data)
    result = sli_status_make(SLI_INVALID_ARGUMENT, "Passing non-empty TF_Buffer is invalid.");
  else
    result = load(session_options, sli_capi_buffer_view(run_options), export_dir, tags, tags_len, graph, meta_graph_def,
                  &session);
  sli_capi_set_status(status, result);
  return session;
}
