// Whether a dataset depends on state outside of itself: a variable, a random generator. Such state is not saved with an
// iterator.
#include "ops/data/recipe.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

enum { DEEPEST_FUNCTION = 32 };

static sli_status_t *check_function(sli_function_library_t *library, sli_view_t name, int depth);

static bool ends_in(const char *name, const char *end) {
  size_t size = strlen(name), tail = strlen(end);
  return size >= tail && !strcmp(name + size - tail, end);
}

// Ops that are stateful by name only: those that make datasets, and calls, whose functions are checked themselves.
static bool is_harmless(const sli_op_t *op) {
  static const char *const names[] = {"Assert", "If", "While", "Case", "PartitionedCall", "StatefulPartitionedCall"};
  const char *name = op->def->name;
  bool is_listed = ends_in(name, "Dataset") || ends_in(name, "DatasetV2");
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(names); i++) is_listed |= !strcmp(name, names[i]);
  return is_listed;
}

// The functions that an attribute of a node names.
static sli_status_t *check_attr(sli_function_library_t *library, sli_view_t entry, int depth) {
  sli_view_t value = {"", 0};
  sli_attr_t attr;
  sli_arena_t arena = {0};
  sli_wire_reader_t reader = sli_wire_reader(entry);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE && field.type == SLI_WIRE_BYTES) value = field.bytes;
  sli_status_t *status = sli_attr_decode(value, &arena, &attr);
  if (!status) {
    if (attr.kind == SLI_ATTR_FUNC && !attr.is_list) status = check_function(library, attr.func.name, depth + 1);
    for (size_t i = 0; attr.kind == SLI_ATTR_FUNC && attr.is_list && i < attr.count && !status; i++)
      status = check_function(library, attr.list.func[i].name, depth + 1);
    sli_attr_release_tensors(&attr);
  }
  sli_arena_deinitialize(&arena);
  return status;
}

static sli_status_t *check_node(sli_function_library_t *library, sli_view_t node, int depth) {
  sli_wire_reader_t reader = sli_wire_reader(node);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_NODE_DEF_OP) {
      const sli_op_t *op = sli_op_find(field.bytes);
      if (op && op->def->is_stateful && !is_harmless(op))
        return sli_status_make(SLI_FAILED_PRECONDITION, "%s is stateful.", op->def->name);
      if (!op) SLI_RETURN_IF_ERROR(check_function(library, field.bytes, depth + 1));
    }
    if (field.number == SLI_FIELD_NODE_DEF_ATTR) SLI_RETURN_IF_ERROR(check_attr(library, field.bytes, depth));
  }
  return NULL;
}

static sli_status_t *check_function(sli_function_library_t *library, sli_view_t name, int depth) {
  if (depth >= DEEPEST_FUNCTION) return NULL;
  sli_wire_reader_t reader = sli_wire_reader(sli_function_definition(library, name));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_FUNCTION_DEF_NODE_DEF && field.type == SLI_WIRE_BYTES)
      SLI_RETURN_IF_ERROR(check_node(library, field.bytes, depth));
  return NULL;
}

sli_status_t *sli_dataset_check_function_state(sli_function_library_t *library, sli_view_t name) {
  return check_function(library, name, 0);
}

sli_status_t *sli_dataset_check_external_state(const sli_dataset_t *dataset) {
  const sli_dataset_recipe_t *recipe = dataset->recipe;
  for (size_t i = 0; recipe && recipe->library && i < recipe->node.attr_count; i++) {
    const sli_attr_t *attr = &recipe->node.attrs[i].value;
    if (attr->kind == SLI_ATTR_FUNC && !attr->is_list)
      SLI_RETURN_IF_ERROR(check_function(recipe->library, attr->func.name, 0));
  }
  for (int i = 0; i < dataset->input_count; i++)
    SLI_RETURN_IF_ERROR(sli_dataset_check_external_state(dataset->inputs[i]));
  return NULL;
}
