#include "graph/function/function_export.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/hash.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

typedef struct {
  const sli_function_export_t *request;
  sli_arena_t arena;
  sli_map_t used;          // names of arguments, results and nodes; the value is not used
  sli_map_t node_names;    // name in the graph → name in the function
  sli_map_t tensor_names;  // "node:1" → "argument" or "node:output:0"
  char **argument_names, **result_names;
  sli_string_t nodes;  // NodeDefs
  sli_map_t attrs;     // attributes of the signature, which the body's "$T" name: name → sli_attr_spec_t
  bool is_stateful;
} exporter_t;

// --- Names ------------------------------------------------------------------------------

// Small letters, digits and underscores, with a letter first.
static char *normalized(const char *name) {
  char *copy = sli_strdup(name), *start = copy;
  for (char *p = copy; *p; p++) *p = isalnum((unsigned char)*p) ? (char)tolower((unsigned char)*p) : '_';
  while (*start && !isalpha((unsigned char)*start)) start++;
  char *result = sli_strdup(*start ? start : "unknown");
  free(copy);
  return result;
}

// |name|, or |name|_0, _1 …; in the arena.
static char *unused_name(exporter_t *exporter, const char *name) {
  char *candidate = sli_strdup(name);
  for (int i = 0; sli_map_find(&exporter->used, sli_view(candidate)); i++) {
    free(candidate);
    candidate = sli_format("%s_%d", name, i);
  }
  sli_map_set(&exporter->used, sli_view(candidate), exporter);
  char *kept = sli_arena_strndup(&exporter->arena, candidate, strlen(candidate));
  free(candidate);
  return kept;
}

static char *argument_name(exporter_t *exporter, const char *node_name) {
  char *base = normalized(node_name), *name = unused_name(exporter, base);
  free(base);
  return name;
}

static void append_tensor(sli_string_t *text, sli_output_t output) {
  sli_string_append_format(text, "%s:%d", output.node->def.name, output.index);
}

static const char *find_tensor(const exporter_t *exporter, sli_output_t output) {
  sli_string_t key = {0};
  append_tensor(&key, output);
  const char *name = sli_map_get(&exporter->tensor_names, sli_view_of(key.data, key.size));
  sli_string_deinitialize(&key);
  return name;
}

static void name_tensor(exporter_t *exporter, sli_output_t output, const char *name) {
  sli_string_t key = {0};
  append_tensor(&key, output);
  sli_map_insert(&exporter->tensor_names, sli_view_of(key.data, key.size),
                 sli_arena_strndup(&exporter->arena, name, strlen(name)));
  sli_string_deinitialize(&key);
}

// The names of results come first, because a caller may demand them.
static sli_status_t *name_results(exporter_t *exporter) {
  const sli_function_export_t *request = exporter->request;
  exporter->result_names = sli_arena_calloc(&exporter->arena, request->output_count, sizeof(char *));
  for (size_t i = 0; i < request->output_count; i++) {
    if (!request->output_names) {
      exporter->result_names[i] = argument_name(exporter, request->outputs[i].node->def.name);
      continue;
    }
    const char *name = request->output_names[i];
    if (!sli_map_insert(&exporter->used, sli_view(name), exporter))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Cannot have duplicate output names. Name '%s' appears more than once in 'output_names' "
                             "array.",
                             name);
    exporter->result_names[i] = sli_arena_strndup(&exporter->arena, name, strlen(name));
  }
  return NULL;
}

static void name_arguments(exporter_t *exporter) {
  const sli_function_export_t *request = exporter->request;
  exporter->argument_names = sli_arena_calloc(&exporter->arena, request->input_count, sizeof(char *));
  for (size_t i = 0; i < request->input_count; i++) {
    const char *node_name = request->inputs[i].node->def.name;
    exporter->argument_names[i] = argument_name(exporter, node_name);
    sli_map_set(&exporter->node_names, sli_view(node_name), exporter->argument_names[i]);
    name_tensor(exporter, request->inputs[i], exporter->argument_names[i]);
  }
}

static sli_status_t *name_nodes(exporter_t *exporter) {
  for (size_t i = 0; i < exporter->request->node_count; i++) {
    sli_node_t *node = exporter->request->nodes[i];
    const char *name = unused_name(exporter, node->def.name);
    sli_map_set(&exporter->node_names, sli_view(node->def.name), (void *)name);
    const sli_op_t *op = node->def.op;
    for (int k = 0; k < op->output_count; k++) {
      int first, count;
      SLI_RETURN_IF_ERROR(sli_node_output_range(&node->def, op->outputs[k].name, &first, &count));
      for (int n = 0; n < count; n++) {
        char *text = sli_format("%s:%s:%d", name, op->outputs[k].name, n);
        name_tensor(exporter, (sli_output_t){node, first + n}, text);
        free(text);
      }
    }
  }
  return NULL;
}

// --- Body -------------------------------------------------------------------------------

static int compare_names(const void *a, const void *b) {
  return strcmp((*(sli_node_t *const *)a)->def.name, (*(sli_node_t *const *)b)->def.name);
}

typedef SLI_ARRAY(sli_view_t) views_t;

static sli_status_t *collect_inputs(exporter_t *exporter, const sli_node_t *node, views_t *inputs) {
  for (int i = 0; i < node->def.input_count; i++) {
    const char *name = find_tensor(exporter, node->inputs[i]);
    if (!name)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Input %d, '%s:%d', of node '%s' in function '%s' is not available. You might need to "
                             "include it in inputs or include its source node in the body",
                             i, node->inputs[i].node->def.name, node->inputs[i].index, node->def.name,
                             exporter->request->name);
    sli_array_push(inputs, sli_view(name));
  }
  return NULL;
}

static sli_status_t *collect_controls(exporter_t *exporter, const sli_node_t *node, views_t *inputs) {
  size_t count = (size_t)node->control_input_count;
  sli_node_t **controls = sli_arena_calloc(&exporter->arena, count, sizeof(*controls));
  for (size_t i = 0; i < count; i++) controls[i] = node->control_inputs[i];
  if (count) qsort(controls, count, sizeof(*controls), compare_names);
  for (size_t i = 0; i < count; i++) {
    const char *name = sli_map_get(&exporter->node_names, sli_view(controls[i]->def.name));
    if (!name)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The source of control edge %s -> %s is not in the body. Encountered while creating "
                             "function '%s'",
                             controls[i]->def.name, node->def.name, exporter->request->name);
    char *text = sli_format("^%s", name);
    sli_array_push(inputs, sli_view(sli_arena_strndup(&exporter->arena, text, strlen(text))));
    free(text);
  }
  return NULL;
}

// "$T" in the body is an attribute of the function.
static sli_status_t *collect_attrs(exporter_t *exporter, const sli_node_t *node) {
  for (size_t i = 0; i < node->def.attr_count; i++) {
    const sli_attr_t *value = &node->def.attrs[i].value;
    if (value->kind != SLI_ATTR_PLACEHOLDER || value->is_list || !value->s.size) continue;
    const sli_attr_spec_t *spec = sli_op_attr_spec(node->def.op, node->def.attrs[i].name);
    if (!spec)
      return sli_status_make(SLI_UNIMPLEMENTED,
                             "Placeholder value is not supported for attributes not in OpDef. Attribute: %s",
                             node->def.attrs[i].name);
    sli_map_insert(&exporter->attrs, value->s, (void *)spec);
  }
  return NULL;
}

static sli_status_t *write_node(exporter_t *exporter, const sli_node_t *node) {
  views_t inputs = {0};
  sli_status_t *status = collect_inputs(exporter, node, &inputs);
  if (!status) status = collect_controls(exporter, node, &inputs);
  if (!status) status = collect_attrs(exporter, node);
  if (!status) {
    size_t mark = sli_wire_open(&exporter->nodes, SLI_FIELD_FUNCTION_DEF_NODE_DEF);
    sli_graph_node_export_as(node, sli_map_get(&exporter->node_names, sli_view(node->def.name)), inputs.items,
                             inputs.count, &exporter->nodes);
    sli_wire_close(&exporter->nodes, mark);
    exporter->is_stateful |= node->def.op->def->is_stateful;
  }
  sli_array_deinitialize(&inputs);
  return status;
}

// --- The FunctionDef ----------------------------------------------------------------------

static void write_arg(sli_string_t *out, uint32_t field, const char *name, sli_output_t output) {
  size_t mark = sli_wire_open(out, field);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_ARG_DEF_NAME, name);
  sli_wire_write_uint(out, SLI_FIELD_OP_DEF_ARG_DEF_TYPE, sli_graph_output_dtype(output));
  sli_wire_close(out, mark);
}

static const char *control_name(const sli_function_export_t *request, size_t index) {
  return request->control_names ? request->control_names[index] : request->controls[index]->def.name;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void write_signature(const exporter_t *exporter, const char *name, sli_string_t *out) {
  const sli_function_export_t *request = exporter->request;
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_SIGNATURE);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_NAME, name);
  for (size_t i = 0; i < request->input_count; i++)
    write_arg(out, SLI_FIELD_OP_DEF_INPUT_ARG, exporter->argument_names[i], request->inputs[i]);
  for (size_t i = 0; i < request->output_count; i++)
    write_arg(out, SLI_FIELD_OP_DEF_OUTPUT_ARG, exporter->result_names[i], request->outputs[i]);
  SLI_MAP_FOR_EACH (&exporter->attrs, entry) {
    const sli_attr_spec_t *spec = entry->value;
    sli_string_t kind = {0};
    sli_attr_append_kind(&kind, spec->kind, spec->is_list);
    size_t attr = sli_wire_open(out, SLI_FIELD_OP_DEF_ATTR);
    sli_wire_write_bytes(out, SLI_FIELD_OP_DEF_ATTR_DEF_NAME, entry->key, entry->key_size);
    sli_wire_write_text(out, SLI_FIELD_OP_DEF_ATTR_DEF_TYPE, sli_string_text(&kind));
    sli_wire_close(out, attr);
    sli_string_deinitialize(&kind);
  }
  if (request->description) sli_wire_write_text(out, SLI_FIELD_OP_DEF_DESCRIPTION, request->description);
  if (exporter->is_stateful) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_IS_STATEFUL, 1);
  const char **names = sli_calloc(request->control_count + 1, sizeof(*names));
  for (size_t i = 0; i < request->control_count; i++) names[i] = control_name(request, i);
  if (request->control_count) qsort(names, request->control_count, sizeof(*names), compare_texts);
  for (size_t i = 0; i < request->control_count; i++)
    sli_wire_write_text(out, SLI_FIELD_OP_DEF_CONTROL_OUTPUT, names[i]);
  free(names);
  sli_wire_close(out, mark);
}

static void write_entry(sli_string_t *out, uint32_t field, const char *key, const char *value) {
  size_t mark = sli_wire_open(out, field);
  sli_wire_write_text(out, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_KEY, key);
  sli_wire_write_text(out, SLI_FIELD_FUNCTION_DEF_RET_ENTRY_VALUE, value);
  sli_wire_close(out, mark);
}

static void write_attr(sli_string_t *out, const char *name, const sli_attr_t *value) {
  size_t mark = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_ARG_ATTRS_ATTR);
  sli_wire_write_text(out, SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_KEY, name);
  size_t inner = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_ATTR_ENTRY_VALUE);
  sli_attr_encode(value, out);
  sli_wire_close(out, inner);
  sli_wire_close(out, mark);
}

// What is known of an argument: attributes that begin with an underscore, and its shape.
static void write_argument_attrs(const exporter_t *exporter, sli_string_t *out) {
  for (size_t i = 0; i < exporter->request->input_count; i++) {
    const sli_node_def_t *def = &exporter->request->inputs[i].node->def;
    size_t entry = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_ARG_ATTR);
    if (i) sli_wire_write_uint(out, SLI_FIELD_FUNCTION_DEF_ARG_ATTR_ENTRY_KEY, i);
    size_t value = sli_wire_open(out, SLI_FIELD_FUNCTION_DEF_ARG_ATTR_ENTRY_VALUE);
    for (size_t k = 0; k < def->attr_count; k++) {
      const sli_attr_t *attr = &def->attrs[k].value;
      if (def->attrs[k].name[0] == '_') {
        write_attr(out, def->attrs[k].name, attr);
      } else if (!strcmp(def->attrs[k].name, "shape") && attr->kind == SLI_ATTR_SHAPE && !attr->is_list &&
                 sli_graph_output_dtype(exporter->request->inputs[i]) != SLI_DTYPE_RESOURCE) {
        write_attr(out, "_output_shapes",
                   &(sli_attr_t){.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 1, .list.shape = &attr->shape});
      }
    }
    sli_wire_close(out, value);
    sli_wire_close(out, entry);
  }
}

static sli_status_t *write_results(const exporter_t *exporter, sli_string_t *out) {
  const sli_function_export_t *request = exporter->request;
  for (size_t i = 0; i < request->output_count; i++) {
    const char *value = find_tensor(exporter, request->outputs[i]);
    if (!value)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "TF_Output %s:%d is neither in the function body nor among function inputs. Encountered "
                             "while creating function '%s'",
                             request->outputs[i].node->def.name, request->outputs[i].index, request->name);
    write_entry(out, SLI_FIELD_FUNCTION_DEF_RET, exporter->result_names[i], value);
  }
  sli_map_t names = {0};
  sli_status_t *status = NULL;
  for (size_t i = 0; i < request->control_count && !status; i++) {
    const char *name = control_name(request, i);
    const char *node = sli_map_get(&exporter->node_names, sli_view(request->controls[i]->def.name));
    if (!*name)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Control output name must be not empty");
    else if (!sli_map_insert(&names, sli_view(name), (void *)name))
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Repeated control output name: %s", name);
    else if (!node)
      status = sli_status_make(SLI_INVALID_ARGUMENT, "Control output node name must be not empty");
    else
      write_entry(out, SLI_FIELD_FUNCTION_DEF_CONTROL_RET, name, node);
  }
  sli_map_deinitialize(&names);
  return status;
}

// "name_" and 11 letters and digits that depend on the function.
static char *hashed_name(const char *name, const sli_string_t *bytes) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789aA";
  uint64_t hash = sli_hash_bytes(bytes->data, bytes->size);
  char text[12] = {0};
  for (int i = 0; i < 11; i++) text[i] = digits[hash >> (6 * i) & 63];
  return sli_format("%s_%s", name, text);
}

static sli_status_t *export_function(exporter_t *exporter, sli_string_t *out) {
  SLI_RETURN_IF_ERROR(name_results(exporter));
  name_arguments(exporter);
  SLI_RETURN_IF_ERROR(name_nodes(exporter));
  for (size_t i = 0; i < exporter->request->node_count; i++)
    SLI_RETURN_IF_ERROR(write_node(exporter, exporter->request->nodes[i]));
  sli_string_t rest = {0};
  write_argument_attrs(exporter, &rest);
  sli_status_t *status = write_results(exporter, &rest);
  if (!status) {
    sli_string_append(&exporter->nodes, sli_string_text(&rest), rest.size);
    char *name = exporter->request->append_hash ? hashed_name(exporter->request->name, &exporter->nodes)
                                                : sli_strdup(exporter->request->name);
    write_signature(exporter, name, out);
    sli_string_append(out, sli_string_text(&exporter->nodes), exporter->nodes.size);
    free(name);
  }
  sli_string_deinitialize(&rest);
  return status;
}

sli_status_t *sli_function_export(const sli_function_export_t *request, sli_string_t *out) {
  exporter_t exporter = {.request = request};
  sli_status_t *status = export_function(&exporter, out);
  sli_map_deinitialize(&exporter.used);
  sli_map_deinitialize(&exporter.node_names);
  sli_map_deinitialize(&exporter.tensor_names);
  sli_map_deinitialize(&exporter.attrs);
  sli_string_deinitialize(&exporter.nodes);
  sli_arena_deinitialize(&exporter.arena);
  return status;
}
