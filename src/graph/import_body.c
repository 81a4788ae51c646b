// What the nodes in the body of a function refer to: arguments, outputs of other nodes by name, and attributes of the
// call.
#include "graph/import_internal.h"

const sli_import_argument_t *sli_import_body_argument(const sli_import_body_t *body, sli_view_t name) {
  return body ? sli_map_get(body->arguments, name) : NULL;
}

static sli_status_t *bind_function(const sli_attr_entry_t *attrs, size_t attr_count, sli_arena_t *arena,
                                   sli_attr_func_t *func) {
  sli_attr_entry_t *bound = sli_arena_calloc(arena, func->attr_count, sizeof(*bound));
  for (size_t i = 0; i < func->attr_count; i++) bound[i] = func->attrs[i];
  func->attrs = bound;
  for (size_t i = 0; i < func->attr_count; i++)
    SLI_RETURN_IF_ERROR(sli_import_bind_attr(attrs, attr_count, arena, &bound[i].value));
  return NULL;
}

sli_status_t *sli_import_bind_attr(const sli_attr_entry_t *attrs, size_t attr_count, sli_arena_t *arena,
                                   sli_attr_t *attr) {
  sli_status_t *status = NULL;
  if (attr->kind == SLI_ATTR_PLACEHOLDER && !attr->is_list) {
    for (size_t i = 0; i < attr_count; i++) {
      if (!sli_view_is(attr->s, attrs[i].name)) continue;
      *attr = sli_attr_copy(arena, &attrs[i].value);
      return NULL;
    }
    return sli_status_make(SLI_INVALID_ARGUMENT, "Failed to bind all placeholders in $%.*s", SLI_VIEW_ARG(attr->s));
  }
  if (attr->kind != SLI_ATTR_FUNC) return NULL;
  if (!attr->is_list) {
    status = bind_function(attrs, attr_count, arena, &attr->func);
  } else {
    sli_attr_func_t *bound = sli_arena_calloc(arena, attr->count, sizeof(*bound));
    for (size_t i = 0; i < attr->count; i++) bound[i] = attr->list.func[i];
    attr->list.func = bound;
    for (size_t i = 0; i < attr->count && !status; i++) status = bind_function(attrs, attr_count, arena, &bound[i]);
  }
  if (status) sli_attr_release_tensors(attr);
  return status;
}

// The number after the last colon of "output:2"; -1: none.
static int64_t split_number(sli_view_t *text) {
  const char *colon = text->size ? memrchr(text->data, ':', text->size) : NULL;
  int64_t number;
  size_t length = colon ? (size_t)(colon - text->data) : 0;
  if (!colon || !sli_view_to_int64(sli_view_of(colon + 1, text->size - length - 1), &number) || number < 0) return -1;
  text->size = length;
  return number;
}

sli_status_t *sli_import_not_in_body(sli_view_t text) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "input %.*s is not found", SLI_VIEW_ARG(text));
}

static sli_status_t *append_argument(const sli_import_argument_t *argument, sli_view_t text,
                                     sli_import_outputs_t *outputs) {
  if (text.size == argument->name.size) {
    for (size_t i = 0; i < argument->count; i++) sli_array_push(outputs, argument->outputs[i]);
    return NULL;
  }
  sli_view_t rest = text;
  int64_t number = split_number(&rest);
  if (rest.size != argument->name.size || number < 0 || (size_t)number >= argument->count)
    return sli_import_not_in_body(text);
  sli_array_push(outputs, argument->outputs[number]);
  return NULL;
}

// |text| is "node:output" or "node:output:2".
static sli_status_t *append_outputs_of(sli_node_t *node, sli_view_t text, sli_import_outputs_t *outputs) {
  size_t skipped = (size_t)((const char *)memchr(text.data, ':', text.size) - text.data) + 1;
  sli_view_t rest = sli_view_of(text.data + skipped, text.size - skipped);
  int64_t number = split_number(&rest);
  const sli_op_t *op = node->def.op;
  int first = 0, count = -1;
  for (int i = 0; i < op->output_count && count < 0; i++)
    if (sli_view_is(rest, op->outputs[i].name))
      SLI_RETURN_IF_ERROR(sli_node_output_range(&node->def, op->outputs[i].name, &first, &count));
  if (count < 0 || number >= count) return sli_import_not_in_body(text);
  if (number >= 0) {
    sli_array_push(outputs, (sli_output_t){node, first + (int)number});
    return NULL;
  }
  for (int i = 0; i < count; i++) sli_array_push(outputs, (sli_output_t){node, first + i});
  return NULL;
}

sli_status_t *sli_import_body_input(const sli_import_body_t *body, sli_node_t *node, sli_view_t text,
                                    sli_import_outputs_t *outputs) {
  const char *colon = text.size ? memchr(text.data, ':', text.size) : NULL;
  sli_view_t name = sli_view_of(text.data, colon ? (size_t)(colon - text.data) : text.size);
  const sli_import_argument_t *argument = sli_import_body_argument(body, name);
  if (argument) return append_argument(argument, text, outputs);
  return node && colon ? append_outputs_of(node, text, outputs) : sli_import_not_in_body(text);
}

sli_status_t *sli_graph_find_in_body(const sli_graph_t *graph, const sli_import_body_t *body, sli_view_t text,
                                     sli_import_outputs_t *outputs) {
  const char *colon = text.size ? memchr(text.data, ':', text.size) : NULL;
  sli_node_t *node = colon ? sli_graph_find(graph, sli_view_of(text.data, (size_t)(colon - text.data))) : NULL;
  return sli_import_body_input(body, node, text, outputs);
}
