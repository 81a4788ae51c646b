// FunctionDefs: added to a library, their bodies built, differentiated, inlined into a graph, and made functions again.
#include <stdlib.h>

#include "graph/function/function_export.h"
#include "graph/function/function_inline.h"
#include "tests/fuzz/fuzz.h"

// Attributes for a call: float for every type, and one of everything else.
static size_t choose_attrs(const sli_op_t *op, sli_attr_entry_t *attrs, size_t capacity) {
  static const sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_FLOAT};
  size_t count = 0;
  for (int i = 0; i < op->attr_count && count < capacity; i++) {
    const sli_attr_spec_t *spec = &op->attrs[i];
    sli_attr_t value = {.kind = SLI_ATTR_NONE};
    if (spec->kind == SLI_ATTR_TYPE && !spec->is_list) value = (sli_attr_t){.kind = SLI_ATTR_TYPE, .type = types[0]};
    if (spec->kind == SLI_ATTR_TYPE && spec->is_list)
      value = (sli_attr_t){.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = types};
    if (spec->kind == SLI_ATTR_INT && !spec->is_list) value = (sli_attr_t){.kind = SLI_ATTR_INT, .i = 2};
    if (value.kind != SLI_ATTR_NONE) attrs[count++] = (sli_attr_entry_t){spec->name, value};
  }
  return count;
}

static void export_body(const sli_function_body_t *body) {
  sli_string_t bytes = {0};
  sli_function_export_t request = {.name = "again",
                                   .nodes = body->graph->nodes.items,
                                   .node_count = body->graph->nodes.count,
                                   .outputs = body->results,
                                   .output_count = body->result_count};
  fuzz_ignore(sli_function_export(&request, &bytes));
  sli_string_deinitialize(&bytes);
}

// A call with placeholders as arguments, replaced by the body.
static void call(sli_graph_t *graph, const sli_attr_func_t *name, const sli_function_body_t *body) {
  sli_output_t *inputs = sli_calloc(body->argument_count + 1, sizeof(*inputs));
  sli_status_t *status = NULL;
  sli_node_t *node;
  for (size_t i = 0; i < body->argument_count && !status; i++) {
    sli_attr_entry_t type = SLI_ATTR_TYPE_OF("dtype", sli_dtype_base(sli_graph_output_dtype(body->arguments[i])));
    sli_graph_node_t request = {
        .op = "Placeholder", .name = sli_graph_unique_name(graph, "argument"), .attrs = &type, .attr_count = 1};
    status = sli_graph_add(graph, &request, &node);
    inputs[i] = (sli_output_t){node, 0};
  }
  char *op = sli_strndup(name->name.data, name->name.size);
  sli_graph_node_t request = {.op = op,
                              .name = "call",
                              .inputs = inputs,
                              .input_count = body->argument_count,
                              .attrs = name->attrs,
                              .attr_count = name->attr_count};
  if (!status) status = sli_graph_add(graph, &request, &node);
  if (!status) status = sli_function_inline(graph, 0, &(sli_function_inline_options_t){.is_differentiated = true});
  fuzz_ignore(status);
  free(op);
  free(inputs);
}

void fuzz_one(const uint8_t *data, size_t size) {
  sli_graph_t *graph = sli_graph_create();
  sli_view_t bytes = sli_view_of((const char *)data, size);
  sli_status_t *status = sli_graph_add_functions(graph, &(sli_graph_library_t){&bytes, NULL, 1, 0});
  if (!status) {
    sli_attr_entry_t attrs[16];
    const sli_op_t *op = graph->functions->items.items[0]->op;
    sli_attr_func_t name = {sli_view(op->def->name), attrs, choose_attrs(op, attrs, SLI_ARRAY_COUNT_OF(attrs))};
    sli_function_body_t body;
    status = sli_function_body_create(graph->functions, &name, &body);
    if (!status) {
      export_body(&body);
      call(graph, &name, &body);
      sli_function_body_deinitialize(&body);
      sli_function_body_t gradient;
      status = sli_function_body_create_gradient(graph->functions, &name, &gradient);
      if (!status) sli_function_body_deinitialize(&gradient);
    }
    sli_graph_drop_functions(graph);
  }
  fuzz_ignore(status);
  sli_graph_release(graph);
}
