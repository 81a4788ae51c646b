// Read through the generated messages, which check everything; written field by
// field, so that a graph of megabytes is not taken apart to be put together again.
#include "io/meta_graph.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/map.h"
#include "proto/graph.pb-c.h"
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
                                     sli_collection_def_t *out) {
  *out = (sli_collection_def_t){.key = text_of(entry->key), .kind = SLI_COLLECTION_OTHER};
  const Tensorflow__CollectionDef *value = entry->value;
  if (!value) return NULL;
  SLI_RETURN_IF_ERROR(pack_into(&value->base, arena, &out->encoded));
  if (value->kind_case == TENSORFLOW__COLLECTION_DEF__KIND_NODE_LIST) {
    out->kind = SLI_COLLECTION_NODES;
    out->count = value->node_list->n_value;
    sli_view_t *items = sli_arena_calloc(arena, out->count, sizeof(*items));
    for (size_t i = 0; i < out->count; i++) items[i] = sli_view(value->node_list->value[i]);
    out->items = items;
  } else if (value->kind_case == TENSORFLOW__COLLECTION_DEF__KIND_BYTES_LIST) {
    out->kind = SLI_COLLECTION_BYTES;
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
  sli_collection_def_t *collections = sli_arena_calloc(arena, count, sizeof(*collections));
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
    return sli_status_make(SLI_INVALID_ARGUMENT, "the slice of variable '%s' has %zu, %zu and %zu dimensions",
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

sli_status_t *sli_graph_def_place(sli_view_t graph_def, sli_device_chooser_t choose, void *context,
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

// Names in messages of one kind: field |number| of each is a text.
static sli_view_t text_field(sli_view_t message, uint32_t number) {
  sli_wire_reader_t reader = sli_wire_reader(message);
  sli_view_t text = {0};
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) text = field.bytes;
  return text;
}

// The ops of the nodes that |message| holds as its field |number|.
static void note_ops(sli_view_t message, uint32_t number, sli_map_t *ops) {
  enum { NODE_OP = 2 };
  sli_wire_reader_t reader = sli_wire_reader(message);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == number && field.type == SLI_WIRE_BYTES) sli_map_set(ops, text_field(field.bytes, NODE_OP), ops);
}

// Those of a graph and of its functions.
static void note_graph_ops(sli_view_t graph_def, sli_map_t *ops) {
  enum { GRAPH_NODE = 1, GRAPH_LIBRARY = 2, LIBRARY_FUNCTION = 1, FUNCTION_NODE = 3 };
  note_ops(graph_def, GRAPH_NODE, ops);
  sli_wire_reader_t reader = sli_wire_reader(graph_def);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != GRAPH_LIBRARY || field.type != SLI_WIRE_BYTES) continue;
    sli_wire_reader_t library = sli_wire_reader(field.bytes);
    for (sli_wire_field_t function; sli_wire_next(&library, &function);)
      if (function.number == LIBRARY_FUNCTION && function.type == SLI_WIRE_BYTES)
        note_ops(function.bytes, FUNCTION_NODE, ops);
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

// OpList { repeated OpDef op = 1 }, OpDef { string name = 1 }
static void append_op_list(sli_view_t graph_def, sli_view_t op_list, uint32_t number, sli_string_t *out) {
  sli_map_t used = {0};
  note_graph_ops(graph_def, &used);
  SLI_ARRAY(op_t) ops = {0};
  sli_wire_reader_t reader = sli_wire_reader(op_list);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != 1 || field.type != SLI_WIRE_BYTES) continue;
    op_t op = {text_field(field.bytes, 1), field.bytes};
    if (sli_map_find(&used, op.name)) sli_array_push(&ops, op);
  }
  if (ops.count) qsort(ops.items, ops.count, sizeof(*ops.items), by_name);
  size_t list = sli_wire_open(out, number);
  for (size_t i = 0; i < ops.count; i++)
    sli_wire_write_bytes(out, 1, ops.items[i].definition.data, ops.items[i].definition.size);
  sli_wire_close(out, list);
  sli_array_deinitialize(&ops);
  sli_map_deinitialize(&used);
}

static void append_saver(const sli_saver_def_t *saver, sli_string_t *out) {
  enum { VERSION_2 = 2 };
  sli_wire_write_text(out, 1, saver->filename_tensor);
  sli_wire_write_text(out, 2, saver->save_tensor);
  sli_wire_write_text(out, 3, saver->restore_op);
  if (saver->max_to_keep) sli_wire_write_int(out, 4, saver->max_to_keep);
  if (saver->sharded) sli_wire_write_uint(out, 5, 1);
  if (saver->keep_checkpoint_every_n_hours > 0)
    sli_wire_write_float(out, 6, (float)saver->keep_checkpoint_every_n_hours);
  sli_wire_write_uint(out, 7, VERSION_2);
}

static void append_collection(const sli_collection_def_t *collection, sli_string_t *out) {
  sli_wire_write_text(out, 1, collection->key);
  if (collection->encoded.size) {
    sli_wire_write_bytes(out, 2, collection->encoded.data, collection->encoded.size);
    return;
  }
  size_t value = sli_wire_open(out, 2);
  size_t list = sli_wire_open(out, collection->kind == SLI_COLLECTION_NODES ? 1 : 2);
  for (size_t i = 0; i < collection->count; i++)
    sli_wire_write_bytes(out, 1, collection->items[i].data, collection->items[i].size);
  sli_wire_close(out, list);
  sli_wire_close(out, value);
}

sli_status_t *sli_meta_graph_append(const sli_meta_graph_t *graph, sli_view_t op_list, sli_string_t *out) {
  enum {
    META_INFO = 1,
    GRAPH = 2,
    SAVER = 3,
    COLLECTION = 4,
    STRIPPED_OPS = 2,
    TENSORFLOW_VERSION = 5,
    GIT_VERSION = 6
  };
  size_t before = out->size;
  size_t info = sli_wire_open(out, META_INFO);
  append_op_list(graph->graph_def, op_list, STRIPPED_OPS, out);
  sli_wire_write_text(out, TENSORFLOW_VERSION, graph->tensorflow_version);
  sli_wire_write_text(out, GIT_VERSION, graph->git_version);
  sli_wire_close(out, info);
  sli_wire_write_bytes(out, GRAPH, graph->graph_def.data, graph->graph_def.size);
  if (graph->saver) {
    size_t saver = sli_wire_open(out, SAVER);
    append_saver(graph->saver, out);
    sli_wire_close(out, saver);
  }
  for (size_t i = 0; i < graph->collection_count; i++) {
    size_t entry = sli_wire_open(out, COLLECTION);
    append_collection(&graph->collections[i], out);
    sli_wire_close(out, entry);
  }
  if (out->size - before <= INT32_MAX) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "a MetaGraph of %zu bytes is more than protocol buffers allow (2 GiB)",
                         out->size - before);
}

static void append_dims(sli_string_t *out, uint32_t number, const int64_t *dims, int rank) {
  sli_wire_write_packed_int64(out, number, dims, (size_t)rank);
}

void sli_variable_def_append(const sli_variable_def_t *variable, sli_string_t *out) {
  sli_wire_write_text(out, 1, variable->name);
  sli_wire_write_text(out, 2, variable->initializer);
  sli_wire_write_text(out, 3, variable->snapshot);
  if (variable->full_name[0]) {
    size_t slice = sli_wire_open(out, 4);
    sli_wire_write_text(out, 1, variable->full_name);
    append_dims(out, 2, variable->full_shape, variable->rank);
    append_dims(out, 3, variable->offsets, variable->rank);
    append_dims(out, 4, variable->shape, variable->rank);
    sli_wire_close(out, slice);
  }
  if (variable->is_resource) sli_wire_write_uint(out, 5, 1);
  if (variable->initial_value[0]) sli_wire_write_text(out, 6, variable->initial_value);
  if (variable->trainable) sli_wire_write_uint(out, 7, 1);
  if (variable->aggregation) sli_wire_write_int(out, 9, variable->aggregation);
}

void sli_queue_runner_def_append(const sli_queue_runner_def_t *runner, sli_string_t *out) {
  static const int64_t out_of_range = SLI_OUT_OF_RANGE;
  sli_wire_write_text(out, 1, runner->queue);
  for (size_t i = 0; i < runner->enqueue_count; i++) sli_wire_write_text(out, 2, runner->enqueue_ops[i]);
  sli_wire_write_text(out, 3, runner->close_op);
  sli_wire_write_text(out, 4, runner->cancel_op);
  sli_wire_write_packed_int64(out, 5, &out_of_range, 1);
}
