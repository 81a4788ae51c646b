// Serializes graphs with the shapes of their outputs, as Python does in files, event
// files and MetaGraphs.
#include "train/save/graph_def_internal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "io/file/atomic_file.h"
#include "io/file/path.h"
#include "proto/graph.pb-c.h"
#include "proto/proto.h"
#include "sluice/saver.h"
#include "train/common/tf_tensor.h"

static Tensorflow__TensorShapeProto *shape_of(TF_Graph *graph, TF_Output output, sli_arena_t *arena) {
  Tensorflow__TensorShapeProto *shape = sli_arena_calloc(arena, 1, sizeof(*shape));
  tensorflow__tensor_shape_proto__init(shape);
  TF_Status *status = TF_NewStatus();
  int rank = TF_GraphGetTensorNumDims(graph, output, status);
  if (rank < 0 || TF_GetCode(status) != TF_OK) {
    shape->unknown_rank = true;
    TF_DeleteStatus(status);
    return shape;
  }
  int64_t *sizes = sli_arena_calloc(arena, (size_t)rank, sizeof(*sizes));
  TF_GraphGetTensorShape(graph, output, sizes, rank, status);
  TF_DeleteStatus(status);
  shape->n_dim = (size_t)rank;
  shape->dim = sli_arena_calloc(arena, (size_t)rank, sizeof(*shape->dim));
  for (int i = 0; i < rank; i++) {
    shape->dim[i] = sli_arena_calloc(arena, 1, sizeof(*shape->dim[i]));
    tensorflow__tensor_shape_proto__dim__init(shape->dim[i]);
    shape->dim[i]->size = sizes[i];
  }
  return shape;
}

static Tensorflow__AttrValue *shapes_of(TF_Graph *graph, TF_Operation *operation, sli_arena_t *arena) {
  size_t count = (size_t)TF_OperationNumOutputs(operation);
  Tensorflow__AttrValue__ListValue *list = sli_arena_calloc(arena, 1, sizeof(*list));
  tensorflow__attr_value__list_value__init(list);
  list->n_shape = count;
  list->shape = sli_arena_calloc(arena, count, sizeof(*list->shape));
  for (size_t i = 0; i < count; i++) list->shape[i] = shape_of(graph, (TF_Output){operation, (int)i}, arena);
  Tensorflow__AttrValue *value = sli_arena_calloc(arena, 1, sizeof(*value));
  tensorflow__attr_value__init(value);
  value->value_case = TENSORFLOW__ATTR_VALUE__VALUE_LIST;
  value->list = list;
  return value;
}

static int compare_keys(const void *a, const void *b) {
  const Tensorflow__NodeDef__AttrEntry *const *left = a, *const *right = b;
  return strcmp((*left)->key, (*right)->key);
}

static void add_attr(Tensorflow__NodeDef *node, const char *key, Tensorflow__AttrValue *value, sli_arena_t *arena) {
  Tensorflow__NodeDef__AttrEntry **attrs = sli_arena_calloc(arena, node->n_attr + 1, sizeof(*attrs));
  size_t count = 0;
  for (size_t i = 0; i < node->n_attr; i++)
    if (strcmp(node->attr[i]->key, key) != 0) attrs[count++] = node->attr[i];
  attrs[count] = sli_arena_calloc(arena, 1, sizeof(*attrs[count]));
  tensorflow__node_def__attr_entry__init(attrs[count]);
  attrs[count]->key = sli_arena_strndup(arena, key, strlen(key));
  attrs[count++]->value = value;
  node->attr = attrs;
  node->n_attr = count;
}

// Adds the shapes and sorts the attributes by name, as Python does.
static void complete_node(Tensorflow__NodeDef *node, TF_Graph *graph, sli_arena_t *arena) {
  TF_Operation *operation = TF_GraphOperationByName(graph, node->name);
  if (operation && TF_OperationNumOutputs(operation) > 0)
    add_attr(node, "_output_shapes", shapes_of(graph, operation, arena), arena);
  if (node->n_attr) qsort(node->attr, node->n_attr, sizeof(*node->attr), compare_keys);
}

sli_status_t *sli_graph_def_append(TF_Graph *graph, bool as_text, sli_string_t *out) {
  TF_Buffer *bytes = TF_NewBuffer();
  TF_Status *made = TF_NewStatus();
  TF_GraphToGraphDef(graph, bytes, made);
  sli_status_t *status = sli_tf_status_to_status(made);
  sli_arena_t arena = {0};
  void *message = NULL;
  if (!status)
    status = sli_proto_parse(&tensorflow__graph_def__descriptor, bytes->data, bytes->length, &arena, &message);
  TF_DeleteBuffer(bytes);
  if (!status) {
    Tensorflow__GraphDef *def = message;
    for (size_t i = 0; i < def->n_node; i++) complete_node(def->node[i], graph, &arena);
    if (as_text)
      sli_proto_to_text(&def->base, out);
    else
      status = sli_proto_pack(&def->base, out);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

void sl_write_graph(TF_Graph *graph, const char *directory, const char *name, bool as_text, TF_Status *status) {
  sli_string_t text = {0};
  char *path = sli_path_join(directory, name);
  sli_status_t *result = sli_graph_def_append(graph, as_text, &text);
  if (!result) result = sli_file_make_directories(directory);
  if (!result) result = sli_atomic_file_write(path, sli_view_of(text.data, text.size));
  free(path);
  sli_string_deinitialize(&text);
  sli_tf_status_from_status(result, status);
}
