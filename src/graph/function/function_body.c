#include "graph/function/function_body.h"

#include <stdlib.h>

#include "proto/graph.fields.h"
#include "proto/wire.h"

enum { MOST_ARGUMENTS = 1 << 16 };

typedef struct {
  const sli_graph_function_t *function;
  sli_function_body_t *body;
  const sli_function_body_known_t *known;  // NULL: nothing
  SLI_ARRAY(sli_attr_entry_t) attrs;       // given, and defaults
  sli_map_t arguments;                     // by name, to sli_import_argument_t
  sli_map_t results;                       // "ret": name of a result to a sli_view_t, what it is
  sli_view_t *argument_attrs;              // by argument: ArgAttrs; empty: none
  sli_function_body_types_t types;         // of the arguments
  sli_arena_t scratch;
} builder_t;

// --- Attributes and types ---------------------------------------------------------

static const sli_attr_t *find_attr(const sli_attr_entry_t *attrs, size_t count, const char *name) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(attrs[i].name, name) == 0) return &attrs[i].value;
  return NULL;
}

static sli_status_t *type_attr_not_found(const char *name) {
  return sli_status_make(SLI_NOT_FOUND, "type attr not found: %s", name);
}

static sli_status_t *append_types(const sli_arg_t *arg, const sli_attr_entry_t *attrs, size_t attr_count,
                                  sli_function_body_types_t *types) {
  const sli_attr_t *list = arg->type_list_attr ? find_attr(attrs, attr_count, arg->type_list_attr) : NULL;
  if (arg->type_list_attr) {
    if (!list || !list->is_list || (list->count && list->kind != SLI_ATTR_TYPE))
      return type_attr_not_found(arg->type_list_attr);
    for (size_t i = 0; i < list->count; i++)
      sli_array_push(types, arg->is_ref ? sli_dtype_make_ref(list->list.type[i]) : list->list.type[i]);
    return NULL;
  }
  sli_dtype_t type = arg->type;
  int64_t count = 1;
  if (arg->type_attr) {
    const sli_attr_t *attr = find_attr(attrs, attr_count, arg->type_attr);
    if (!attr || attr->kind != SLI_ATTR_TYPE || attr->is_list) return type_attr_not_found(arg->type_attr);
    type = attr->type;
  }
  if (arg->number_attr) {
    const sli_attr_t *attr = find_attr(attrs, attr_count, arg->number_attr);
    if (!attr || attr->kind != SLI_ATTR_INT || attr->is_list) return type_attr_not_found(arg->number_attr);
    count = attr->i;
  }
  if (count < 0 || count > MOST_ARGUMENTS - (int64_t)types->count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Argument '%s' of a function has %lld values; the most are %d",
                           arg->name, (long long)count, MOST_ARGUMENTS);
  for (int64_t i = 0; i < count; i++) sli_array_push(types, arg->is_ref ? sli_dtype_make_ref(type) : type);
  return NULL;
}

sli_status_t *sli_function_body_types(const sli_op_t *op, const sli_attr_entry_t *attrs, size_t attr_count,
                                      bool is_output, sli_function_body_types_t *types) {
  int count = is_output ? op->output_count : op->input_count;
  for (int i = 0; i < count; i++)
    SLI_RETURN_IF_ERROR(append_types(is_output ? &op->outputs[i] : &op->inputs[i], attrs, attr_count, types));
  return NULL;
}

static sli_status_t *collect_attrs(builder_t *builder, const sli_attr_func_t *name) {
  const sli_op_t *op = builder->function->op;
  for (size_t i = 0; i < name->attr_count; i++) sli_array_push(&builder->attrs, name->attrs[i]);
  for (int i = 0; i < op->attr_count; i++) {
    const sli_attr_spec_t *spec = &op->attrs[i];
    if (find_attr(builder->attrs.items, builder->attrs.count, spec->name)) continue;
    if (!spec->has_default) {
      sli_string_t text = {0};
      sli_op_append(&text, op);
      sli_status_t *status =
          sli_status_make(SLI_NOT_FOUND, "Attr %s is not found from %s", spec->name, sli_string_text(&text));
      sli_string_deinitialize(&text);
      return status;
    }
    sli_array_push(&builder->attrs, (sli_attr_entry_t){spec->name, spec->default_value});
  }
  return NULL;
}

// --- Arguments ----------------------------------------------------------------------

// Notes the bytes of the ArgAttrs of each argument.
static void find_argument_attrs(builder_t *builder, size_t count) {
  builder->argument_attrs = sli_arena_calloc(&builder->scratch, count, sizeof(*builder->argument_attrs));
  sli_wire_reader_t reader = sli_wire_reader(builder->function->bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FUNCTION_DEF_ARG_ATTR || field.type != SLI_WIRE_BYTES) continue;
    uint64_t key = 0;
    sli_view_t value = {0};
    sli_wire_reader_t entry = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&entry, &part);) {
      if (part.number == SLI_FIELD_FUNCTION_DEF_ARG_ATTR_ENTRY_KEY && part.type == SLI_WIRE_VARINT) key = part.value;
      if (part.number == SLI_FIELD_FUNCTION_DEF_ARG_ATTR_ENTRY_VALUE && part.type == SLI_WIRE_BYTES) value = part.bytes;
    }
    if (key < count) builder->argument_attrs[key] = value;
  }
}

// Reads a map entry of attributes if its key is |name|.
static bool read_entry(sli_view_t bytes, const char *name, sli_arena_t *arena, sli_attr_t *out_attr) {
  sli_view_t key = {0}, value = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_KEY) key = field.bytes;
    if (field.number == SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_VALUE) value = field.bytes;
  }
  if (!sli_view_is(key, name)) return false;
  sli_status_t *status = sli_attr_decode(value, arena, out_attr);
  sli_status_release(status);
  return !status;
}

// "_output_shapes", which tells the shape of an argument. It is only a hint: if it is malformed it is ignored.
static bool find_output_shapes(builder_t *builder, size_t index, sli_attr_t *out_attr) {
  sli_wire_reader_t reader = sli_wire_reader(builder->argument_attrs[index]);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FUNCTION_DEF_ARG_ATTRS_ATTR || field.type != SLI_WIRE_BYTES) continue;
    if (!read_entry(field.bytes, "_output_shapes", &builder->scratch, out_attr)) continue;
    if (out_attr->is_list && out_attr->kind == SLI_ATTR_SHAPE && out_attr->count == 1) return true;
    sli_attr_release_tensors(out_attr);
  }
  return false;
}

// An argument of which something is known.
static sli_status_t *add_known_argument(builder_t *builder, const char *name, size_t index) {
  const sli_function_body_known_t *known = builder->known;
  sli_tensor_t *constant = known->constants[index];
  sli_attr_entry_t attrs[2] = {SLI_ATTR_TYPE_OF("T", builder->types.items[index]),
                               SLI_ATTR_INT_OF("index", (int64_t)index)};
  sli_graph_node_t request = {.op = "_Arg", .name = name, .attrs = attrs, .attr_count = 2};
  if (constant && (sli_dtype_t)constant->dtype == builder->types.items[index]) {
    attrs[0].name = "dtype";
    attrs[1] = (sli_attr_entry_t){"value", {.kind = SLI_ATTR_TENSOR, .tensor = constant}};
    request.op = "Const";
  }
  sli_graph_t *graph = builder->body->graph;
  sli_node_t *node;
  SLI_RETURN_IF_ERROR(sli_graph_add(graph, &request, &node));
  node->output_shapes[0] = sli_shape_copy(&graph->arena, known->shapes[index]);
  node->output_handles[0] = known->handles[index];
  node->output_handles[0].shape = sli_shape_copy(&graph->arena, known->handles[index].shape);
  builder->body->arguments[index] = (sli_output_t){node, 0};
  return NULL;
}

static sli_status_t *add_argument(builder_t *builder, const char *name, size_t index) {
  if (builder->known) return add_known_argument(builder, name, index);
  sli_attr_entry_t attrs[3] = {SLI_ATTR_TYPE_OF("T", builder->types.items[index]),
                               SLI_ATTR_INT_OF("index", (int64_t)index)};
  sli_graph_node_t request = {.op = "_Arg", .name = name, .attrs = attrs, .attr_count = 2};
  attrs[2].name = "_output_shapes";
  if (find_output_shapes(builder, index, &attrs[2].value)) request.attr_count = 3;
  sli_node_t *node;
  SLI_RETURN_IF_ERROR(sli_graph_add(builder->body->graph, &request, &node));
  builder->body->arguments[index] = (sli_output_t){node, 0};
  return NULL;
}

static sli_status_t *add_arguments(builder_t *builder) {
  const sli_op_t *op = builder->function->op;
  sli_function_body_t *body = builder->body;
  SLI_RETURN_IF_ERROR(sli_function_body_types(op, builder->attrs.items, builder->attrs.count, false, &builder->types));
  body->argument_count = builder->types.count;
  body->arguments = sli_calloc(body->argument_count + 1, sizeof(*body->arguments));
  if (builder->known && builder->known->count != body->argument_count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The call has %zu arguments, the function %zu", builder->known->count,
                           body->argument_count);
  find_argument_attrs(builder, body->argument_count);
  size_t next = 0;
  for (int i = 0; i < op->input_count; i++) {
    const sli_arg_t *arg = &op->inputs[i];
    sli_function_body_types_t types = {0};
    sli_status_t *status = append_types(arg, builder->attrs.items, builder->attrs.count, &types);
    bool is_list = arg->number_attr || arg->type_list_attr;
    size_t first = next;
    for (size_t k = 0; k < types.count && !status; k++) {
      char *name = is_list ? sli_format("%s_%zu", arg->name, k) : sli_strdup(arg->name);
      status = add_argument(builder, name, next++);
      free(name);
    }
    sli_import_argument_t *argument = sli_arena_calloc(&builder->scratch, 1, sizeof(*argument));
    *argument = (sli_import_argument_t){sli_view(arg->name), body->arguments + first, types.count};
    if (!sli_map_insert(&builder->arguments, argument->name, argument) && !status)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Duplicated arg name: %s", arg->name);
    sli_array_deinitialize(&types);
    if (status) return status;
  }
  return NULL;
}

// --- Results ------------------------------------------------------------------------

// Reads the map "ret". Of two entries with the same key the last one counts.
static void find_results(builder_t *builder) {
  sli_wire_reader_t reader = sli_wire_reader(builder->function->bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FUNCTION_DEF_RET || field.type != SLI_WIRE_BYTES) continue;
    sli_view_t name = {"", 0}, *value = sli_arena_calloc(&builder->scratch, 1, sizeof(*value));
    *value = (sli_view_t){"", 0};
    sli_wire_reader_t entry = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&entry, &part);) {
      if (part.type != SLI_WIRE_BYTES) continue;
      if (part.number == SLI_FIELD_FUNCTION_DEF_RET_ENTRY_KEY) name = part.bytes;
      if (part.number == SLI_FIELD_FUNCTION_DEF_RET_ENTRY_VALUE) *value = part.bytes;
    }
    sli_map_set(&builder->results, name, value);
  }
}

static void append_type_names(sli_string_t *text, const sli_dtype_t *types, size_t count) {
  for (size_t i = 0; i < count; i++) sli_string_append_format(text, "%s%s", i ? ", " : "", sli_dtype_name(types[i]));
}

static sli_status_t *check_result(const sli_arg_t *arg, const sli_function_body_types_t *wanted,
                                  const sli_import_outputs_t *outputs) {
  bool same = wanted->count == outputs->count;
  for (size_t i = 0; same && i < wanted->count; i++)
    same = sli_dtype_base(sli_graph_output_dtype(outputs->items[i])) == sli_dtype_base(wanted->items[i]);
  if (same) return NULL;
  sli_string_t expected = {0}, given = {0};
  append_type_names(&expected, wanted->items, wanted->count);
  for (size_t i = 0; i < outputs->count; i++)
    sli_string_append_format(&given, "%s%s", i ? ", " : "", sli_dtype_name(sli_graph_output_dtype(outputs->items[i])));
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Invalid ret types %s : %s vs. %s", arg->name,
                                         sli_string_text(&expected), sli_string_text(&given));
  sli_string_deinitialize(&expected);
  sli_string_deinitialize(&given);
  return status;
}

static sli_status_t *add_results_of(builder_t *builder, const sli_import_body_t *import, const sli_arg_t *arg,
                                    sli_import_outputs_t *results) {
  const sli_view_t *found = sli_map_get(&builder->results, sli_view(arg->name));
  if (!found) return sli_status_make(SLI_INVALID_ARGUMENT, "Return %s missing.", arg->name);
  sli_view_t text = *found;
  sli_import_outputs_t outputs = {0};
  sli_function_body_types_t types = {0};
  sli_status_t *status = append_types(arg, builder->attrs.items, builder->attrs.count, &types);
  if (!status) {
    status = sli_graph_find_in_body(builder->body->graph, import, text, &outputs);
    if (status) {
      sli_status_release(status);
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Return %s -> %.*s is not found.", arg->name, SLI_VIEW_ARG(text));
    }
  }
  if (!status) status = check_result(arg, &types, &outputs);
  for (size_t i = 0; i < outputs.count && !status; i++) sli_array_push(results, outputs.items[i]);
  sli_array_deinitialize(&outputs);
  sli_array_deinitialize(&types);
  return status;
}

static sli_status_t *add_results(builder_t *builder, const sli_import_body_t *import) {
  sli_import_outputs_t results = {0};
  const sli_op_t *op = builder->function->op;
  sli_status_t *status = NULL;
  find_results(builder);
  for (int i = 0; i < op->output_count && !status; i++)
    status = add_results_of(builder, import, &op->outputs[i], &results);
  builder->body->results = results.items;
  builder->body->result_count = results.count;
  return status;
}

static sli_status_t *add_controls(builder_t *builder) {
  SLI_ARRAY(sli_node_t *) controls = {0};
  sli_status_t *status = NULL;
  sli_wire_reader_t reader = sli_wire_reader(builder->function->bytes);
  for (sli_wire_field_t field; !status && sli_wire_next(&reader, &field);) {
    if (field.number != SLI_FIELD_FUNCTION_DEF_CONTROL_RET || field.type != SLI_WIRE_BYTES) continue;
    sli_view_t key = {"", 0}, name = {"", 0};
    sli_wire_reader_t entry = sli_wire_reader(field.bytes);
    for (sli_wire_field_t part; sli_wire_next(&entry, &part);) {
      if (part.type != SLI_WIRE_BYTES) continue;
      if (part.number == SLI_FIELD_FUNCTION_DEF_CONTROL_RET_ENTRY_KEY) key = part.bytes;
      if (part.number == SLI_FIELD_FUNCTION_DEF_CONTROL_RET_ENTRY_VALUE) name = part.bytes;
    }
    sli_node_t *node = sli_graph_find(builder->body->graph, name);
    if (node)
      sli_array_push(&controls, node);
    else
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Control output %.*s -> %.*s is not found.", SLI_VIEW_ARG(key),
                               SLI_VIEW_ARG(name));
  }
  builder->body->controls = controls.items;
  builder->body->control_count = controls.count;
  return status;
}

// --- The whole ------------------------------------------------------------------------

static sli_status_t *build(builder_t *builder, const sli_attr_func_t *name) {
  SLI_RETURN_IF_ERROR(collect_attrs(builder, name));
  SLI_RETURN_IF_ERROR(add_arguments(builder));
  sli_import_body_t import = {&builder->arguments, builder->attrs.items, builder->attrs.count};
  SLI_RETURN_IF_ERROR(sli_graph_import_body(builder->body->graph, builder->function->bytes, &import));
  SLI_RETURN_IF_ERROR(add_results(builder, &import));
  return add_controls(builder);
}

static sli_status_t *create(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                            const sli_function_body_known_t *known, sli_function_body_t *out_body) {
  *out_body = (sli_function_body_t){0};
  const sli_graph_function_t *function = sli_graph_functions_find(functions, name->name);
  if (!function) return sli_status_make(SLI_NOT_FOUND, "Function %.*s is not defined.", SLI_VIEW_ARG(name->name));
  sli_function_body_t body = {.graph = sli_graph_create()};
  body.graph->functions = sli_graph_functions_retain(functions);
  if (known) {
    body.graph->infer_call = known->infer_call;
    body.graph->infer_state = known->infer_state;
  }
  builder_t builder = {.function = function, .body = &body, .known = known};
  sli_status_t *status = build(&builder, name);
  sli_array_deinitialize(&builder.attrs);
  sli_map_deinitialize(&builder.arguments);
  sli_map_deinitialize(&builder.results);
  sli_array_deinitialize(&builder.types);
  sli_arena_deinitialize(&builder.scratch);
  if (!status) {
    *out_body = body;
    return NULL;
  }
  sli_function_body_deinitialize(&body);
  return known ? status : sli_status_prefix(status, "Function %.*s: ", SLI_VIEW_ARG(name->name));
}

sli_status_t *sli_function_body_create(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                                       sli_function_body_t *out_body) {
  return create(functions, name, NULL, out_body);
}

sli_status_t *sli_function_body_create_known(sli_graph_functions_t *functions, const sli_attr_func_t *name,
                                             const sli_function_body_known_t *known, sli_function_body_t *out_body) {
  return create(functions, name, known, out_body);
}

bool sli_function_body_called(const sli_node_t *node, sli_attr_func_t *out_name) {
  if (node->def.op->def->is_function) {
    *out_name = (sli_attr_func_t){sli_view(node->def.op->def->name), node->def.attrs, node->def.attr_count};
    return true;
  }
  sli_op_functional_t functional = node->def.op->def->functional;
  if (functional != SLI_OP_FUNCTIONAL_CALL && functional != SLI_OP_FUNCTIONAL_REMOTE_CALL) return false;
  const sli_attr_t *attr = sli_node_attr(&node->def, "f");
  if (!attr || attr->kind != SLI_ATTR_FUNC || attr->is_list) return false;
  *out_name = attr->func;
  return true;
}

void sli_function_body_deinitialize(sli_function_body_t *body) {
  sli_graph_release(body->graph);
  free(body->arguments);
  free(body->results);
  free(body->controls);
  *body = (sli_function_body_t){0};
}

bool sli_function_body_flag(const sli_graph_function_t *function, const char *name) {
  sli_arena_t arena = {0};
  bool is_set = false;
  sli_wire_reader_t reader = sli_wire_reader(function->bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    sli_attr_t attr;
    if (field.number != SLI_FIELD_FUNCTION_DEF_ATTR || field.type != SLI_WIRE_BYTES) continue;
    if (!read_entry(field.bytes, name, &arena, &attr)) continue;
    is_set = attr.kind == SLI_ATTR_BOOL && !attr.is_list && attr.b;
    sli_attr_release_tensors(&attr);
  }
  sli_arena_deinitialize(&arena);
  return is_set;
}
