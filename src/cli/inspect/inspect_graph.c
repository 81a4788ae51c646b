// GraphDef, MetaGraphDef and SavedModel. The bytes of a message do not name its type: the three are tried in the order
// that the file's name suggests, and the first in which every node has a name and an op is taken.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "cli/common/report.h"
#include "cli/inspect/inspect.h"
#include "io/checkpoint/checkpoint_reader.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "proto/graph.fields.h"
#include "proto/graph.pb-c.h"
#include "proto/meta_graph.pb-c.h"
#include "proto/proto.h"
#include "proto/wire.h"
#include "tensorflow/c/c_api.h"

enum { MAX_FILE = INT32_MAX };

// --- Counting ---

// How often a name occurs, and in which node first.
typedef struct {
  int64_t count;
  const char *first;  // name of the first node
} tally_t;

static void count_name(sli_map_t *tallies, const char *name, const char *node) {
  tally_t *tally = sli_map_get(tallies, sli_view(name));
  if (!tally) {
    tally = sli_calloc(1, sizeof(*tally));
    tally->first = node;
    sli_map_set(tallies, sli_view(name), tally);
  }
  tally->count++;
}

static void release_tallies(sli_map_t *tallies) {
  SLI_MAP_FOR_EACH (tallies, entry) free(entry->value);
  sli_map_deinitialize(tallies);
}

// By descending count, then by name.
static int compare_tallies(const void *a, const void *b) {
  const sli_map_entry_t *left = *(sli_map_entry_t *const *)a, *right = *(sli_map_entry_t *const *)b;
  int64_t left_count = ((tally_t *)left->value)->count, right_count = ((tally_t *)right->value)->count;
  if (left_count != right_count) return left_count < right_count ? 1 : -1;
  return strcmp(left->key, right->key);
}

// A list of {|key|: name, "count": n}; if |where|, also "first_node".
static json_t *describe_tallies(const sli_map_t *tallies, const char *key, bool where) {
  SLI_ARRAY(sli_map_entry_t *) sorted = {0};
  SLI_MAP_FOR_EACH (tallies, entry) sli_array_push(&sorted, entry);
  if (sorted.count) qsort(sorted.items, sorted.count, sizeof(*sorted.items), compare_tallies);
  json_t *list = json_array();
  for (size_t i = 0; i < sorted.count; i++) {
    const tally_t *tally = sorted.items[i]->value;
    json_t *row = json_pack("{s:s, s:I}", key, sorted.items[i]->key, "count", (json_int_t)tally->count);
    if (where) json_object_set_new(row, "first_node", json_string(tally->first));
    json_array_append_new(list, row);
  }
  sli_array_deinitialize(&sorted);
  return list;
}

// Adds the names of all ops of Sluice to |ops|.
static void list_own_ops(sli_map_t *ops) {
  static char present;
  TF_Buffer *buffer = TF_GetAllOpList();
  sli_wire_reader_t list = sli_wire_reader(sli_view_of(buffer->data, buffer->length));
  for (sli_wire_field_t op; sli_wire_next(&list, &op);) {
    if (op.number != SLI_FIELD_OP_LIST_OP || op.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t fields = sli_wire_reader(op.bytes);
    for (sli_wire_field_t field; sli_wire_next(&fields, &field);)
      if (field.number == SLI_FIELD_OP_DEF_NAME && field.type == SLI_WIRE_BYTES)
        sli_map_set(ops, field.bytes, &present);
  }
  TF_DeleteBuffer(buffer);
}

// --- Nodes ---

static const Tensorflow__AttrValue *find_attr(const Tensorflow__NodeDef *node, const char *name,
                                              Tensorflow__AttrValue__ValueCase value_case) {
  for (size_t i = node->n_attr; i-- > 0;) {
    const Tensorflow__NodeDef__AttrEntry *entry = node->attr[i];
    if (!strcmp(entry->key, name)) return entry->value && entry->value->value_case == value_case ? entry->value : NULL;
  }
  return NULL;
}

// A list of sizes, or null if the rank is unknown.
static json_t *describe_shape(const Tensorflow__TensorShapeProto *shape) {
  if (!shape || shape->unknown_rank) return json_null();
  json_t *dims = json_array();
  for (size_t i = 0; i < shape->n_dim; i++) json_array_append_new(dims, json_integer(shape->dim[i]->size));
  return dims;
}

// The size in bytes of a tensor of that shape; 0 if it is unknown.
static int64_t shape_bytes(const Tensorflow__TensorShapeProto *shape, int dtype) {
  int64_t bytes = (int64_t)sli_report_dtype_size(dtype);
  for (size_t i = 0; shape && i < shape->n_dim; i++)
    if (shape->dim[i]->size < 0 || __builtin_mul_overflow(bytes, shape->dim[i]->size, &bytes)) return 0;
  return shape && !shape->unknown_rank ? bytes : 0;
}

// {"name", "dtype", "shape"} of a node, from its attributes "dtype" and "shape".
static json_t *describe_typed_node(const Tensorflow__NodeDef *node) {
  const Tensorflow__AttrValue *type = find_attr(node, "dtype", TENSORFLOW__ATTR_VALUE__VALUE_TYPE);
  const Tensorflow__AttrValue *shape = find_attr(node, "shape", TENSORFLOW__ATTR_VALUE__VALUE_SHAPE);
  json_t *row =
      json_pack("{s:s, s:s, s:o}", "name", node->name, "dtype", type ? sli_report_dtype((int)type->type) : "?", "shape",
                describe_shape(shape ? shape->shape : NULL));
  int64_t bytes = type && shape ? shape_bytes(shape->shape, (int)type->type) : 0;
  if (bytes) json_object_set_new(row, "bytes", json_integer(bytes));
  return row;
}

static json_t *describe_constant(const Tensorflow__NodeDef *node) {
  const Tensorflow__AttrValue *value = find_attr(node, "value", TENSORFLOW__ATTR_VALUE__VALUE_TENSOR);
  if (!value) return NULL;
  // Its size in the file, which is small for a tensor of one repeated value.
  size_t stored = protobuf_c_message_get_packed_size(&value->tensor->base);
  return json_pack("{s:s, s:s, s:o, s:I, s:I}", "name", node->name, "dtype",
                   sli_report_dtype((int)value->tensor->dtype), "shape", describe_shape(value->tensor->tensor_shape),
                   "bytes", (json_int_t)shape_bytes(value->tensor->tensor_shape, (int)value->tensor->dtype), "stored",
                   (json_int_t)stored);
}

static bool is_variable(const char *op) {
  return !strcmp(op, "VariableV2") || !strcmp(op, "Variable") || !strcmp(op, "VarHandleOp");
}

static int compare_stored(const void *a, const void *b) {
  int64_t left = sli_report_get_int(*(json_t *const *)a, "stored");
  int64_t right = sli_report_get_int(*(json_t *const *)b, "stored");
  return left < right ? 1 : left > right ? -1 : 0;
}

// The constants, largest first, and the sum of their sizes.
static json_t *describe_constants(const Tensorflow__GraphDef *graph) {
  SLI_ARRAY(json_t *) rows = {0};
  int64_t stored = 0;
  for (size_t i = 0; i < graph->n_node; i++) {
    if (strcmp(graph->node[i]->op, "Const")) continue;
    json_t *row = describe_constant(graph->node[i]);
    if (!row) continue;
    stored += sli_report_get_int(row, "stored");
    sli_array_push(&rows, row);
  }
  if (rows.count) qsort(rows.items, rows.count, sizeof(*rows.items), compare_stored);
  json_t *list = json_array();
  for (size_t i = 0; i < rows.count; i++) json_array_append_new(list, rows.items[i]);
  sli_array_deinitialize(&rows);
  return json_pack("{s:I, s:o}", "stored", (json_int_t)stored, "list", list);
}

// --- Graphs ---

// Counts the ops of |nodes| in |ops|, and those that are not in |known| also in |missing|.
static void count_ops(Tensorflow__NodeDef *const *nodes, size_t count, const sli_map_t *known, sli_map_t *ops,
                      sli_map_t *missing) {
  for (size_t i = 0; i < count; i++) {
    count_name(ops, nodes[i]->op, nodes[i]->name);
    if (!sli_map_find(known, sli_view(nodes[i]->op))) count_name(missing, nodes[i]->op, nodes[i]->name);
  }
}

static json_t *describe_functions(const Tensorflow__FunctionDefLibrary *library, sli_map_t *known, sli_map_t *ops,
                                  sli_map_t *missing) {
  static char present;
  json_t *functions = json_array();
  for (size_t i = 0; library && i < library->n_function; i++)
    if (library->function[i]->signature) sli_map_set(known, sli_view(library->function[i]->signature->name), &present);
  for (size_t i = 0; library && i < library->n_function; i++) {
    const Tensorflow__FunctionDef *function = library->function[i];
    count_ops(function->node_def, function->n_node_def, known, ops, missing);
    json_array_append_new(functions,
                          json_pack("{s:s, s:I}", "name", function->signature ? function->signature->name : "", "nodes",
                                    (json_int_t)function->n_node_def));
  }
  return functions;
}

static json_t *describe_versions(const Tensorflow__GraphDef *graph) {
  json_t *bad = json_array();
  const Tensorflow__VersionDef *versions = graph->versions;
  for (size_t i = 0; versions && i < versions->n_bad_consumers; i++)
    json_array_append_new(bad, json_integer(versions->bad_consumers[i]));
  return json_pack("{s:i, s:i, s:o}", "producer", versions ? (int)versions->producer : (int)graph->version,
                   "min_consumer", versions ? (int)versions->min_consumer : 0, "bad_consumers", bad);
}

static void describe_graph(const Tensorflow__GraphDef *graph, json_t *report) {
  sli_map_t known = {0}, ops = {0}, missing = {0}, devices = {0};
  json_t *placeholders = json_array(), *variables = json_array();
  int64_t edges = 0;
  list_own_ops(&known);
  json_t *functions = describe_functions(graph->library, &known, &ops, &missing);
  count_ops(graph->node, graph->n_node, &known, &ops, &missing);
  for (size_t i = 0; i < graph->n_node; i++) {
    const Tensorflow__NodeDef *node = graph->node[i];
    edges += (int64_t)node->n_input;
    count_name(&devices, node->device, node->name);
    if (sli_string_starts_with(node->op, "Placeholder")) json_array_append_new(placeholders, describe_typed_node(node));
    if (is_variable(node->op)) json_array_append_new(variables, describe_typed_node(node));
  }
  json_object_set_new(report, "nodes", json_integer((json_int_t)graph->n_node));
  json_object_set_new(report, "edges", json_integer(edges));
  json_object_set_new(report, "versions", describe_versions(graph));
  json_object_set_new(report, "ops", describe_tallies(&ops, "op", false));
  json_object_set_new(report, "missing_ops", describe_tallies(&missing, "op", true));
  json_object_set_new(report, "devices", describe_tallies(&devices, "device", false));
  json_object_set_new(report, "placeholders", placeholders);
  json_object_set_new(report, "variables", variables);
  json_object_set_new(report, "constants", describe_constants(graph));
  json_object_set_new(report, "functions", functions);
  sli_map_deinitialize(&known);
  release_tallies(&ops);
  release_tallies(&missing);
  release_tallies(&devices);
}

// --- Meta graphs ---

static json_t *describe_collections(const Tensorflow__MetaGraphDef *meta) {
  json_t *collections = json_array();
  for (size_t i = 0; i < meta->n_collection_def; i++) {
    const Tensorflow__CollectionDef *collection = meta->collection_def[i]->value;
    const char *kind = "empty";
    size_t count = 0;
    switch (collection ? collection->kind_case : TENSORFLOW__COLLECTION_DEF__KIND__NOT_SET) {
      case TENSORFLOW__COLLECTION_DEF__KIND_NODE_LIST: kind = "nodes", count = collection->node_list->n_value; break;
      case TENSORFLOW__COLLECTION_DEF__KIND_BYTES_LIST: kind = "bytes", count = collection->bytes_list->n_value; break;
      case TENSORFLOW__COLLECTION_DEF__KIND_INT64_LIST: kind = "int64", count = collection->int64_list->n_value; break;
      case TENSORFLOW__COLLECTION_DEF__KIND_FLOAT_LIST: kind = "float", count = collection->float_list->n_value; break;
      case TENSORFLOW__COLLECTION_DEF__KIND_ANY_LIST: kind = "any", count = collection->any_list->n_value; break;
      default: break;
    }
    json_array_append_new(collections, json_pack("{s:s, s:s, s:I}", "name", meta->collection_def[i]->key, "kind", kind,
                                                 "count", (json_int_t)count));
  }
  return collections;
}

static json_t *describe_tensor_info(const char *key, const Tensorflow__TensorInfo *info) {
  const char *name = "";
  if (info && info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING_NAME) name = info->name;
  if (info && info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING_COO_SPARSE) name = "(sparse)";
  if (info && info->encoding_case == TENSORFLOW__TENSOR_INFO__ENCODING_COMPOSITE_TENSOR) name = "(composite)";
  return json_pack("{s:s, s:s, s:s, s:o}", "key", key, "tensor", name, "dtype",
                   info ? sli_report_dtype((int)info->dtype) : "?", "shape",
                   describe_shape(info ? info->tensor_shape : NULL));
}

static json_t *describe_signatures(const Tensorflow__MetaGraphDef *meta) {
  json_t *signatures = json_array();
  for (size_t i = 0; i < meta->n_signature_def; i++) {
    const Tensorflow__SignatureDef *signature = meta->signature_def[i]->value;
    json_t *inputs = json_array(), *outputs = json_array();
    for (size_t j = 0; signature && j < signature->n_inputs; j++)
      json_array_append_new(inputs, describe_tensor_info(signature->inputs[j]->key, signature->inputs[j]->value));
    for (size_t j = 0; signature && j < signature->n_outputs; j++)
      json_array_append_new(outputs, describe_tensor_info(signature->outputs[j]->key, signature->outputs[j]->value));
    json_array_append_new(signatures,
                          json_pack("{s:s, s:s, s:o, s:o}", "name", meta->signature_def[i]->key, "method",
                                    signature ? signature->method_name : "", "inputs", inputs, "outputs", outputs));
  }
  return signatures;
}

static void describe_meta_graph(const Tensorflow__MetaGraphDef *meta, json_t *report) {
  const Tensorflow__MetaGraphDef__MetaInfoDef *info = meta->meta_info_def;
  json_t *tags = json_array();
  for (size_t i = 0; info && i < info->n_tags; i++) json_array_append_new(tags, json_string(info->tags[i]));
  json_object_set_new(report, "tags", tags);
  json_object_set_new(report, "tensorflow_version", json_string(info ? info->tensorflow_version : ""));
  if (meta->graph_def) describe_graph(meta->graph_def, report);
  json_object_set_new(report, "collections", describe_collections(meta));
  json_object_set_new(report, "signatures", describe_signatures(meta));
  if (meta->saver_def)
    json_object_set_new(
        report, "saver",
        json_pack("{s:s, s:s, s:s, s:b, s:i}", "filename", meta->saver_def->filename_tensor_name, "save",
                  meta->saver_def->save_tensor_name, "restore", meta->saver_def->restore_op_name, "sharded",
                  meta->saver_def->sharded != 0, "max_to_keep", (int)meta->saver_def->max_to_keep));
  json_t *assets = json_array();
  for (size_t i = 0; i < meta->n_asset_file_def; i++)
    json_array_append_new(assets, json_string(meta->asset_file_def[i]->filename));
  json_object_set_new(report, "assets", assets);
}

// --- Which of the three messages ---

typedef enum { GRAPH_DEF, META_GRAPH_DEF, SAVED_MODEL, FORM_COUNT } form_t;

static const struct {
  const char *name;
  const ProtobufCMessageDescriptor *descriptor;
} forms[FORM_COUNT] = {
    [GRAPH_DEF] = {"GraphDef", &tensorflow__graph_def__descriptor},
    [META_GRAPH_DEF] = {"MetaGraphDef", &tensorflow__meta_graph_def__descriptor},
    [SAVED_MODEL] = {"SavedModel", &tensorflow__saved_model__descriptor},
};

static bool is_plausible_graph(const Tensorflow__GraphDef *graph) {
  for (size_t i = 0; graph && i < graph->n_node; i++)
    if (!graph->node[i]->name[0] || !graph->node[i]->op[0]) return false;
  return graph && (graph->n_node > 0 || graph->library || graph->versions);
}

// Other bytes may parse by chance, but then have no nodes, or nodes without an op.
static bool is_plausible(form_t form, const void *message) {
  if (form == GRAPH_DEF) return is_plausible_graph(message);
  if (form == META_GRAPH_DEF) return is_plausible_graph(((const Tensorflow__MetaGraphDef *)message)->graph_def);
  const Tensorflow__SavedModel *model = message;
  for (size_t i = 0; i < model->n_meta_graphs; i++)
    if (!is_plausible_graph(model->meta_graphs[i]->graph_def)) return false;
  return model->n_meta_graphs > 0;
}

static bool is_text(sli_view_t bytes) {
  for (size_t i = 0; i < bytes.size && i < 1000; i++)
    if ((unsigned char)bytes.data[i] < 0x20 && !strchr("\n\r\t", bytes.data[i])) return false;
  return memmem(bytes.data, bytes.size, "node {", 6) || memmem(bytes.data, bytes.size, "graph_def {", 11);
}

static sli_status_t *parse(const char *path, sli_view_t bytes, sli_arena_t *arena, form_t *out_form,
                           void **out_message) {
  const char *base = sli_path_base(path);
  form_t likely = !strcmp(base, "saved_model.pb")       ? SAVED_MODEL
                  : sli_string_ends_with(base, ".meta") ? META_GRAPH_DEF
                                                        : GRAPH_DEF;
  sli_status_t *first = NULL;
  for (int i = 0; i < FORM_COUNT; i++) {
    form_t form = i == 0 ? likely : (form_t)i <= likely ? (form_t)(i - 1) : (form_t)i;
    sli_arena_deinitialize(arena);
    *arena = (sli_arena_t){.budget = sli_proto_budget(bytes.size)};
    sli_status_t *status = sli_proto_parse(forms[form].descriptor, bytes.data, bytes.size, arena, out_message);
    *out_form = form;
    if (!status && is_plausible(form, *out_message)) {
      sli_status_release(first);
      return NULL;
    }
    if (i == 0)
      first = status;
    else
      sli_status_release(status);
  }
  bool named = likely != GRAPH_DEF || sli_string_ends_with(base, ".pb");
  sli_status_t *status;
  if (is_text(bytes))
    status = sli_status_make(SLI_INVALID_ARGUMENT, "'%s' is a graph in text form; inspect reads the binary form", path);
  else if (named && first)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "'%s' is damaged or not a %s: %s", path, forms[likely].name,
                             sli_status_message(first));
  else
    status = sli_status_make(SLI_INVALID_ARGUMENT,
                             "'%s' is neither a checkpoint, event file, TFRecord file, GraphDef, MetaGraphDef nor "
                             "SavedModel",
                             path);
  sli_status_release(first);
  return status;
}

// The checkpoint of variables in the directory of a saved_model.pb.
static json_t *describe_model_variables(const char *path) {
  char *directory = sli_path_directory(path), *prefix = sli_path_join(directory, "variables/variables");
  sli_checkpoint_reader_t *reader = NULL;
  sli_status_t *status = sli_checkpoint_reader_open(prefix, &reader);
  json_t *variables = status ? json_null()
                             : json_pack("{s:o, s:I}", "checkpoint", sli_report_string(sli_view(prefix)), "tensors",
                                         (json_int_t)sli_checkpoint_reader_count(reader));
  sli_status_release(status);
  sli_checkpoint_reader_release(reader);
  free(prefix);
  free(directory);
  return variables;
}

sli_status_t *sli_inspect_graph(const sli_inspect_subject_t *subject, const sli_inspect_options_t *options,
                                json_t *report) {
  sli_string_t bytes = {0};
  sli_arena_t arena = {0};
  form_t form;
  void *message;
  sli_status_t *status = sli_file_read_whole(subject->path, MAX_FILE, &bytes);
  if (!status) status = parse(subject->path, sli_view_of(sli_string_text(&bytes), bytes.size), &arena, &form, &message);
  if (!status) {
    json_object_set_new(report, "kind", json_string(forms[form].name));
    json_object_set_new(report, "path", sli_report_string(sli_view(subject->path)));
    json_object_set_new(report, "bytes", json_integer((json_int_t)bytes.size));
    if (form == GRAPH_DEF) describe_graph(message, report);
    if (form == META_GRAPH_DEF) describe_meta_graph(message, report);
  }
  if (!status && form == SAVED_MODEL) {
    const Tensorflow__SavedModel *model = message;
    json_t *metas = json_array();
    for (size_t i = 0; i < model->n_meta_graphs; i++) {
      json_t *meta = json_object();
      describe_meta_graph(model->meta_graphs[i], meta);
      json_array_append_new(metas, meta);
    }
    json_object_set_new(report, "schema_version", json_integer(model->saved_model_schema_version));
    json_object_set_new(report, "checkpoint", describe_model_variables(subject->path));
    json_object_set_new(report, "meta_graphs", metas);
  }
  sli_arena_deinitialize(&arena);
  sli_string_deinitialize(&bytes);
  return status;
}
