// Reading uses the generated messages, which check everything. Writing goes field by field, so that a large graph is
// not parsed and packed again.
#include "io/checkpoint/meta_graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "proto/graph.fields.h"
#include "proto/graph.pb-c.h"
#include "proto/meta_graph.fields.h"
#include "proto/meta_graph.pb-c.h"
#include "proto/proto.h"
#include "proto/wire.h"

static const char *text_of(const char *text) { return text ? text : ""; }

// --- Reading ---

static sli_view_t copy_string(sli_arena_t *arena, sli_string_t *string) {
  sli_view_t view = {sli_arena_strndup(arena, sli_string_text(string), string->size), string->size};
  sli_string_deinitialize(string);
  return view;
}

static sli_status_t *pack_into(const ProtobufCMessage *message, sli_arena_t *arena, sli_view_t *out_bytes) {
  sli_string_t packed = {0};
  sli_status_t *status = sli_proto_pack(message, &packed);
  *out_bytes = copy_string(arena, &packed);
  return status;
}

static sli_status_t *read_collection(const Tensorflow__MetaGraphDef__CollectionDefEntry *entry, sli_arena_t *arena,
                                     sli_meta_graph_collection_t *out) {
  *out = (sli_meta_graph_collection_t){.key = text_of(entry->key), .kind = SLI_META_GRAPH_OTHER};
  const Tensorflow__CollectionDef *value = entry->value;
  if (!value) return NULL;
  SLI_RETURN_IF_ERROR(pack_into(&value->base, arena, &out->encoded));
  if (value->kind_case == TENSORFLOW__COLLECTION_DEF__KIND_NODE_LIST) {
    out->kind = SLI_META_GRAPH_NODES;
    out->count = value->node_list->n_value;
    sli_view_t *items = sli_arena_calloc(arena, out->count, sizeof(*items));
    for (size_t i = 0; i < out->count; i++) items[i] = sli_view(value->node_list->value[i]);
    out->items = items;
  } else if (value->kind_case == TENSORFLOW__COLLECTION_DEF__KIND_BYTES_LIST) {
    out->kind = SLI_META_GRAPH_BYTES;
    out->count = value->bytes_list->n_value;
    sli_view_t *items = sli_arena_calloc(arena, out->count, sizeof(*items));
    for (size_t i = 0; i < out->count; i++)
      items[i] = sli_view_of((const char *)value->bytes_list->value[i].data, value->bytes_list->value[i].len);
    out->items = items;
  }
  return NULL;
}

sli_status_t *sli_meta_graph_parse(sli_view_t bytes, sli_arena_t *arena, sli_meta_graph_t *out_graph) {
  *out_graph = (sli_meta_graph_t){.tensorflow_version = "", .git_version = ""};
  void *message;
  SLI_RETURN_IF_ERROR(
      sli_proto_parse(&tensorflow__meta_graph_def__descriptor, bytes.data, bytes.size, arena, &message));
  const Tensorflow__MetaGraphDef *graph = message;
  if (graph->meta_info_def) {
    out_graph->tensorflow_version = text_of(graph->meta_info_def->tensorflow_version);
    out_graph->git_version = text_of(graph->meta_info_def->tensorflow_git_version);
  }
  if (graph->graph_def) SLI_RETURN_IF_ERROR(pack_into(&graph->graph_def->base, arena, &out_graph->graph_def));
  if (graph->saver_def) {
    const Tensorflow__SaverDef *def = graph->saver_def;
    sli_saver_def_t *saver = sli_arena_allocate(arena, sizeof(*saver));
    *saver = (sli_saver_def_t){.filename_tensor = text_of(def->filename_tensor_name),
                               .save_tensor = text_of(def->save_tensor_name),
                               .restore_op = text_of(def->restore_op_name),
                               .max_to_keep = def->max_to_keep,
                               .sharded = def->sharded,
                               .keep_checkpoint_every_n_hours = def->keep_checkpoint_every_n_hours};
    out_graph->saver = saver;
  }
  size_t count = graph->n_collection_def;
  sli_meta_graph_collection_t *collections = sli_arena_calloc(arena, count, sizeof(*collections));
  for (size_t i = 0; i < count; i++)
    SLI_RETURN_IF_ERROR(read_collection(graph->collection_def[i], arena, &collections[i]));
  out_graph->collections = collections;
  out_graph->collection_count = count;
  return NULL;
}

sli_status_t *sli_variable_def_parse(sli_view_t bytes, sli_arena_t *arena, sli_variable_def_t *out_variable) {
  *out_variable = (sli_variable_def_t){0};
  void *message;
  SLI_RETURN_IF_ERROR(sli_proto_parse(&tensorflow__variable_def__descriptor, bytes.data, bytes.size, arena, &message));
  const Tensorflow__VariableDef *def = message;
  *out_variable = (sli_variable_def_t){.name = text_of(def->variable_name),
                                       .initializer = text_of(def->initializer_name),
                                       .snapshot = text_of(def->snapshot_name),
                                       .initial_value = text_of(def->initial_value_name),
                                       .is_resource = def->is_resource,
                                       .trainable = def->trainable,
                                       .aggregation = (int)def->aggregation,
                                       .full_name = ""};
  const Tensorflow__SaveSliceInfoDef *slice = def->save_slice_info_def;
  if (!slice) return NULL;
  if (slice->n_full_shape != slice->n_var_offset || slice->n_full_shape != slice->n_var_shape)
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "the slice of variable '%s' must have full_shape, var_offset and var_shape of the same length, got "
        "%zu, %zu and %zu",
        out_variable->name, slice->n_full_shape, slice->n_var_offset, slice->n_var_shape);
  out_variable->full_name = text_of(slice->full_name);
  out_variable->rank = (int)slice->n_full_shape;
  out_variable->full_shape = slice->full_shape;
  out_variable->offsets = slice->var_offset;
  out_variable->shape = slice->var_shape;
  return NULL;
}

sli_status_t *sli_queue_runner_def_parse(sli_view_t bytes, sli_arena_t *arena, sli_queue_runner_def_t *out_runner) {
  *out_runner = (sli_queue_runner_def_t){0};
  void *message;
  SLI_RETURN_IF_ERROR(
      sli_proto_parse(&tensorflow__queue_runner_def__descriptor, bytes.data, bytes.size, arena, &message));
  const Tensorflow__QueueRunnerDef *def = message;
  *out_runner = (sli_queue_runner_def_t){.queue = text_of(def->queue_name),
                                         .close_op = text_of(def->close_op_name),
                                         .cancel_op = text_of(def->cancel_op_name),
                                         .enqueue_ops = (const char *const *)def->enqueue_op_name,
                                         .enqueue_count = def->n_enqueue_op_name};
  return NULL;
}

static void rename_frame(Tensorflow__NodeDef *node, const char *prefix, sli_arena_t *arena) {
  for (size_t i = 0; i < node->n_attr; i++) {
    Tensorflow__AttrValue *value = node->attr[i]->value;
    if (strcmp(text_of(node->attr[i]->key), "frame_name") != 0 || !value ||
        value->value_case != TENSORFLOW__ATTR_VALUE__VALUE_S)
      continue;
    size_t size = strlen(prefix);
    uint8_t *whole = sli_arena_calloc(arena, size + value->s.len + 1, 1);
    memcpy(whole, prefix, size);
    if (value->s.len) memcpy(whole + size, value->s.data, value->s.len);
    value->s.data = whole;
    value->s.len += size;
  }
}

sli_status_t *sli_meta_graph_place(sli_view_t graph_def, sli_meta_graph_device_fn_t choose, void *context,
                                   const char *frame_prefix, sli_string_t *out) {
  enum { DEVICE_SIZE = 256 };
  sli_arena_t arena = {0};
  void *message;
  sli_status_t *status =
      sli_proto_parse(&tensorflow__graph_def__descriptor, graph_def.data, graph_def.size, &arena, &message);
  if (!status) {
    Tensorflow__GraphDef *graph = message;
    for (size_t i = 0; i < graph->n_node; i++) {
      Tensorflow__NodeDef *node = graph->node[i];
      char device[DEVICE_SIZE] = "";
      choose(context, text_of(node->op), text_of(node->name), text_of(node->device), device, sizeof(device));
      node->device = sli_arena_strndup(&arena, device, strlen(device));
      if (frame_prefix[0]) rename_frame(node, frame_prefix, &arena);
    }
    status = sli_proto_pack(&graph->base, out);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

// --- Writing ---

// The string in field |number| of |message|.
static sli_view_t text_field(sli_view_t message, uint32_t number) {
  sli_wire_reader_t reader = sli_wire_reader(message);
  sli_view_t text = {0};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) text = field.bytes;
  return text;
}

// Adds the ops of the nodes in field |number| of |message| to |ops|.
static void note_ops(sli_view_t message, uint32_t number, sli_map_t *ops) {
  sli_wire_reader_t reader = sli_wire_reader(message);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES)
      sli_map_set(ops, text_field(field.bytes, SLI_FIELD_NODE_DEF_OP), ops);
}

// Adds the ops of a graph and of its functions to |ops|.
static void note_graph_ops(sli_view_t graph_def, sli_map_t *ops) {
  note_ops(graph_def, SLI_FIELD_GRAPH_DEF_NODE, ops);
  sli_wire_reader_t reader = sli_wire_reader(graph_def);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_GRAPH_DEF_LIBRARY || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t library = sli_wire_reader(field.bytes);
    for (sli_wire_field_t function; sli_wire_next(&library, &function);)
      if (function.number == SLI_FIELD_FUNCTION_DEF_LIBRARY_FUNCTION && function.type == SLI_WIRE_BYTES)
        note_ops(function.bytes, SLI_FIELD_FUNCTION_DEF_NODE_DEF, ops);
  }
}

typedef struct {
  sli_view_t name, definition;
} op_t;

static int by_name(const void *a, const void *b) {
  sli_view_t first = ((const op_t *)a)->name, second = ((const op_t *)b)->name;
  size_t common = first.size < second.size ? first.size : second.size;
  int order = common ? memcmp(first.data, second.data, common) : 0;
  return order ? order : (first.size > second.size) - (first.size < second.size);
}

// Writes those ops of |op_list| that the graph uses, sorted by name, as an OpList in field |number|.
static void append_op_list(sli_view_t graph_def, sli_view_t op_list, uint32_t number, sli_string_t *out) {
  sli_map_t used = {0};
  note_graph_ops(graph_def, &used);
  SLI_ARRAY(op_t) ops = {0};
  sli_wire_reader_t reader = sli_wire_reader(op_list);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_OP_LIST_OP || field.type != SLI_WIRE_BYTES) continue;
    op_t op = {text_field(field.bytes, SLI_FIELD_OP_DEF_NAME), field.bytes};
    if (sli_map_find(&used, op.name)) sli_array_push(&ops, op);
  }
  if (ops.count) qsort(ops.items, ops.count, sizeof(*ops.items), by_name);
  size_t list = sli_wire_open(out, number);
  for (size_t i = 0; i < ops.count; i++)
    sli_wire_write_bytes(out, SLI_FIELD_OP_LIST_OP, ops.items[i].definition.data, ops.items[i].definition.size);
  sli_wire_close(out, list);
  sli_array_deinitialize(&ops);
  sli_map_deinitialize(&used);
}

static void append_saver(const sli_saver_def_t *saver, sli_string_t *out) {
  enum { VERSION_2 = 2 };
  sli_wire_write_text(out, SLI_FIELD_SAVER_DEF_FILENAME_TENSOR_NAME, saver->filename_tensor);
  sli_wire_write_text(out, SLI_FIELD_SAVER_DEF_SAVE_TENSOR_NAME, saver->save_tensor);
  sli_wire_write_text(out, SLI_FIELD_SAVER_DEF_RESTORE_OP_NAME, saver->restore_op);
  if (saver->max_to_keep) sli_wire_write_int(out, SLI_FIELD_SAVER_DEF_MAX_TO_KEEP, saver->max_to_keep);
  if (saver->sharded) sli_wire_write_uint(out, SLI_FIELD_SAVER_DEF_SHARDED, 1);
  if (saver->keep_checkpoint_every_n_hours > 0)
    sli_wire_write_float(out, SLI_FIELD_SAVER_DEF_KEEP_CHECKPOINT_EVERY_N_HOURS,
                         (float)saver->keep_checkpoint_every_n_hours);
  sli_wire_write_uint(out, SLI_FIELD_SAVER_DEF_VERSION, VERSION_2);
}

static void append_collection(const sli_meta_graph_collection_t *collection, sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF_ENTRY_KEY, collection->key);
  if (collection->encoded.size) {
    sli_wire_write_bytes(out, SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF_ENTRY_VALUE, collection->encoded.data,
                         collection->encoded.size);
    return;
  }
  size_t value = sli_wire_open(out, SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF_ENTRY_VALUE);
  bool are_nodes = collection->kind == SLI_META_GRAPH_NODES;
  size_t list =
      sli_wire_open(out, are_nodes ? SLI_FIELD_COLLECTION_DEF_NODE_LIST : SLI_FIELD_COLLECTION_DEF_BYTES_LIST);
  uint32_t item = are_nodes ? SLI_FIELD_COLLECTION_DEF_NODE_LIST_VALUE : SLI_FIELD_COLLECTION_DEF_BYTES_LIST_VALUE;
  for (size_t i = 0; i < collection->count; i++)
    sli_wire_write_bytes(out, item, collection->items[i].data, collection->items[i].size);
  sli_wire_close(out, list);
  sli_wire_close(out, value);
}

sli_status_t *sli_meta_graph_append(const sli_meta_graph_t *graph, sli_view_t op_list, sli_string_t *out) {
  size_t before = out->size;
  size_t info = sli_wire_open(out, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF);
  append_op_list(graph->graph_def, op_list, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF_STRIPPED_OP_LIST, out);
  sli_wire_write_text(out, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF_TENSORFLOW_VERSION, graph->tensorflow_version);
  sli_wire_write_text(out, SLI_FIELD_META_GRAPH_DEF_META_INFO_DEF_TENSORFLOW_GIT_VERSION, graph->git_version);
  sli_wire_close(out, info);
  sli_wire_write_bytes(out, SLI_FIELD_META_GRAPH_DEF_GRAPH_DEF, graph->graph_def.data, graph->graph_def.size);
  if (graph->saver) {
    size_t saver = sli_wire_open(out, SLI_FIELD_META_GRAPH_DEF_SAVER_DEF);
    append_saver(graph->saver, out);
    sli_wire_close(out, saver);
  }
  for (size_t i = 0; i < graph->collection_count; i++) {
    size_t entry = sli_wire_open(out, SLI_FIELD_META_GRAPH_DEF_COLLECTION_DEF);
    append_collection(&graph->collections[i], out);
    sli_wire_close(out, entry);
  }
  if (out->size - before <= INT32_MAX) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "a MetaGraph of %zu bytes exceeds the limit of protocol buffers (2 GiB)",
                         out->size - before);
}

static void append_dims(sli_string_t *out, uint32_t number, const int64_t *dims, int rank) {
  sli_wire_write_packed_int64(out, number, dims, (size_t)rank);
}

void sli_variable_def_append(const sli_variable_def_t *variable, sli_string_t *out) {
  sli_wire_write_text(out, SLI_FIELD_VARIABLE_DEF_VARIABLE_NAME, variable->name);
  sli_wire_write_text(out, SLI_FIELD_VARIABLE_DEF_INITIALIZER_NAME, variable->initializer);
  sli_wire_write_text(out, SLI_FIELD_VARIABLE_DEF_SNAPSHOT_NAME, variable->snapshot);
  if (variable->full_name[0]) {
    size_t slice = sli_wire_open(out, SLI_FIELD_VARIABLE_DEF_SAVE_SLICE_INFO_DEF);
    sli_wire_write_text(out, SLI_FIELD_SAVE_SLICE_INFO_DEF_FULL_NAME, variable->full_name);
    append_dims(out, SLI_FIELD_SAVE_SLICE_INFO_DEF_FULL_SHAPE, variable->full_shape, variable->rank);
    append_dims(out, SLI_FIELD_SAVE_SLICE_INFO_DEF_VAR_OFFSET, variable->offsets, variable->rank);
    append_dims(out, SLI_FIELD_SAVE_SLICE_INFO_DEF_VAR_SHAPE, variable->shape, variable->rank);
    sli_wire_close(out, slice);
  }
  if (variable->is_resource) sli_wire_write_uint(out, SLI_FIELD_VARIABLE_DEF_IS_RESOURCE, 1);
  if (variable->initial_value[0])
    sli_wire_write_text(out, SLI_FIELD_VARIABLE_DEF_INITIAL_VALUE_NAME, variable->initial_value);
  if (variable->trainable) sli_wire_write_uint(out, SLI_FIELD_VARIABLE_DEF_TRAINABLE, 1);
  if (variable->aggregation) sli_wire_write_int(out, SLI_FIELD_VARIABLE_DEF_AGGREGATION, variable->aggregation);
}

void sli_queue_runner_def_append(const sli_queue_runner_def_t *runner, sli_string_t *out) {
  static const int64_t out_of_range = SLI_OUT_OF_RANGE;
  sli_wire_write_text(out, SLI_FIELD_QUEUE_RUNNER_DEF_QUEUE_NAME, runner->queue);
  for (size_t i = 0; i < runner->enqueue_count; i++)
    sli_wire_write_text(out, SLI_FIELD_QUEUE_RUNNER_DEF_ENQUEUE_OP_NAME, runner->enqueue_ops[i]);
  sli_wire_write_text(out, SLI_FIELD_QUEUE_RUNNER_DEF_CLOSE_OP_NAME, runner->close_op);
  sli_wire_write_text(out, SLI_FIELD_QUEUE_RUNNER_DEF_CANCEL_OP_NAME, runner->cancel_op);
  sli_wire_write_packed_int64(out, SLI_FIELD_QUEUE_RUNNER_DEF_QUEUE_CLOSED_EXCEPTION_TYPES, &out_of_range, 1);
}
