// Which functions of its library a graph needs: those that its nodes name, those that their bodies name, and their
// gradients.
#include <stdlib.h>

#include "graph/graph.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

enum { DEEPEST = 100 };

typedef struct {
  const sli_graph_functions_t *functions;
  sli_map_t needed;  // by name; the value is not used
  SLI_ARRAY(const sli_graph_function_t *) pending;
} search_t;

static void need(search_t *search, sli_view_t name) {
  const sli_graph_function_t *function = sli_graph_functions_find(search->functions, name);
  if (!function || !sli_map_insert(&search->needed, name, search)) return;
  sli_array_push(&search->pending, function);
  const char *gradient = sli_graph_functions_gradient(search->functions, name);
  if (gradient) need(search, sli_view(gradient));
}

static void need_attr(search_t *search, const sli_attr_t *attr);

static void need_func(search_t *search, const sli_attr_func_t *func) {
  need(search, func->name);
  for (size_t i = 0; i < func->attr_count; i++) need_attr(search, &func->attrs[i].value);
}

static void need_attr(search_t *search, const sli_attr_t *attr) {
  if (attr->kind != SLI_ATTR_FUNC) return;
  if (!attr->is_list) need_func(search, &attr->func);
  for (size_t i = 0; attr->is_list && i < attr->count; i++) need_func(search, &attr->list.func[i]);
}

// The same for serialized messages: an AttrValue, and the entries of a map of them.
static void need_in_value(search_t *search, sli_view_t bytes, int depth);

static void need_in_entry(search_t *search, sli_view_t bytes, int depth) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE && field.type == SLI_WIRE_BYTES)
      need_in_value(search, field.bytes, depth + 1);
}

static void need_in_name(search_t *search, sli_view_t bytes, int depth) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_NAME_ATTR_LIST_NAME) need(search, field.bytes);
    if (field.number == SLI_FIELD_NAME_ATTR_LIST_ATTR) need_in_entry(search, field.bytes, depth);
  }
}

static void need_in_value(search_t *search, sli_view_t bytes, int depth) {
  if (depth > DEEPEST) return;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_ATTR_VALUE_FUNC) need_in_name(search, field.bytes, depth);
    if (field.number != SLI_FIELD_ATTR_VALUE_LIST) continue;
    sli_wire_reader_t list = sli_wire_reader(field.bytes);
    for (sli_wire_field_t item; sli_wire_next(&list, &item);)
      if (item.number == SLI_FIELD_ATTR_VALUE_LIST_VALUE_FUNC && item.type == SLI_WIRE_BYTES)
        need_in_name(search, item.bytes, depth);
  }
}

static void need_in_body(search_t *search, sli_view_t function) {
  sli_wire_reader_t reader = sli_wire_reader(function);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_FUNCTION_DEF_ATTR) need_in_entry(search, field.bytes, 0);
    if (field.number != SLI_FIELD_FUNCTION_DEF_NODE_DEF) continue;
    sli_wire_reader_t node = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&node, &part);) {
      if (part.type != SLI_WIRE_BYTES) continue;
      if (part.number == SLI_FIELD_NODE_DEF_OP) need(search, part.bytes);
      if (part.number == SLI_FIELD_NODE_DEF_ATTR) need_in_entry(search, part.bytes, 0);
    }
  }
}

static sli_graph_functions_t *select_needed(const search_t *search) {
  sli_graph_functions_t *selected = sli_calloc(1, sizeof(*selected));
  sli_refcount_initialize(&selected->references);
  selected->base = sli_graph_functions_retain((sli_graph_functions_t *)search->functions);
  for (size_t i = 0; i < search->functions->items.count; i++) {
    const sli_graph_function_t *function = search->functions->items.items[i];
    sli_view_t name = sli_view(function->op->def->name);
    if (!sli_map_find(&search->needed, name)) continue;
    sli_array_push(&selected->items, function);
    sli_map_set(&selected->by_name, name, (void *)function);
    const char *gradient = sli_graph_functions_gradient(search->functions, name);
    if (gradient) sli_map_set(&selected->gradients, name, (void *)gradient);
  }
  selected->own = selected->items.count;
  return selected;
}

void sli_graph_drop_functions(sli_graph_t *graph) {
  if (!graph->functions) return;
  search_t search = {.functions = graph->functions};
  for (size_t i = 0; i < graph->nodes.count; i++) {
    const sli_node_def_t *def = &graph->nodes.items[i]->def;
    if (def->op->def->is_function) need(&search, sli_view(def->op->def->name));
    for (size_t k = 0; k < def->attr_count; k++) need_attr(&search, &def->attrs[k].value);
  }
  while (search.pending.count) need_in_body(&search, search.pending.items[--search.pending.count]->bytes);
  sli_graph_functions_t *needed = search.needed.count ? select_needed(&search) : NULL;
  sli_map_deinitialize(&search.needed);
  sli_array_deinitialize(&search.pending);
  sli_graph_functions_release(graph->functions);
  graph->functions = needed;
}
