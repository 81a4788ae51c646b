#include "core/op/node_def.h"

#include <stdlib.h>

#include "base/array.h"
#include "core/op/node_def_internal.h"
#include "core/op/op_registry.h"

const sli_attr_t *sli_node_attr(const sli_node_def_t *node, const char *name) {
  for (size_t i = 0; i < node->attr_count; i++) {
    if (strcmp(node->attrs[i].name, name) == 0) return &node->attrs[i].value;
  }
  return NULL;
}

// Finds the attribute and checks that it is of |kind|. An empty list is of any kind of list.
static sli_status_t *find(const sli_node_def_t *node, const char *name, sli_attr_kind_t kind, bool is_list,
                          const sli_attr_t **out_attr) {
  *out_attr = NULL;
  const sli_attr_t *attr = sli_node_attr(node, name);
  if (!attr)
    return sli_status_make(SLI_NOT_FOUND, "No attr named '%s' in NodeDef:\n\t [[{{node %s}}]]", name, node->name);
  bool fits = attr->is_list == is_list && (attr->kind == kind || (is_list && attr->count == 0));
  if (!fits) {
    sli_string_t actual = {0}, wanted = {0};
    sli_attr_append_kind(&actual, attr->kind, attr->is_list);
    sli_attr_append_kind(&wanted, kind, is_list);
    sli_status_t *status = sli_status_make(
        SLI_INVALID_ARGUMENT, "AttrValue had value with type '%s' when '%s' expected for attr '%s'\n\t [[{{node %s}}]]",
        sli_string_text(&actual), sli_string_text(&wanted), name, node->name);
    sli_string_deinitialize(&actual);
    sli_string_deinitialize(&wanted);
    return status;
  }
  *out_attr = attr;
  return NULL;
}

#define DEFINE_GETTER(suffix, kind, field, type)                                                        \
  sli_status_t *sli_node_attr_##suffix(const sli_node_def_t *node, const char *name, type *out_value) { \
    const sli_attr_t *attr;                                                                             \
    SLI_RETURN_IF_ERROR(find(node, name, kind, false, &attr));                                          \
    *out_value = attr->field;                                                                           \
    return NULL;                                                                                        \
  }
DEFINE_GETTER(int, SLI_ATTR_INT, i, int64_t)
DEFINE_GETTER(float, SLI_ATTR_FLOAT, f, float)
DEFINE_GETTER(bool, SLI_ATTR_BOOL, b, bool)
DEFINE_GETTER(type, SLI_ATTR_TYPE, type, sli_dtype_t)
DEFINE_GETTER(string, SLI_ATTR_STRING, s, sli_view_t)
DEFINE_GETTER(shape, SLI_ATTR_SHAPE, shape, sli_shape_t)
DEFINE_GETTER(tensor, SLI_ATTR_TENSOR, tensor, sli_tensor_t *)
#undef DEFINE_GETTER

sli_status_t *sli_node_attr_list(const sli_node_def_t *node, const char *name, sli_attr_kind_t kind,
                                 const sli_attr_t **out_list) {
  return find(node, name, kind, true, out_list);
}

// How many inputs or outputs |arg| has.
static sli_status_t *count_of_arg(const sli_node_def_t *node, const sli_arg_t *arg, int *out_count) {
  *out_count = 1;
  if (arg->number_attr) {
    int64_t number = 0;
    SLI_RETURN_IF_ERROR(sli_node_attr_int(node, arg->number_attr, &number));
    *out_count = (int)number;
  } else if (arg->type_list_attr) {
    const sli_attr_t *list = NULL;
    SLI_RETURN_IF_ERROR(sli_node_attr_list(node, arg->type_list_attr, SLI_ATTR_TYPE, &list));
    *out_count = (int)list->count;
  }
  return NULL;
}

static sli_status_t *find_range(const sli_node_def_t *node, const sli_arg_t *args, int arg_count, const char *what,
                                const char *name, int *out_first, int *out_count) {
  int first = 0;
  for (int i = 0; i < arg_count; i++) {
    int count = 0;
    SLI_RETURN_IF_ERROR(count_of_arg(node, &args[i], &count));
    if (strcmp(args[i].name, name) == 0) {
      *out_first = first;
      *out_count = count;
      return NULL;
    }
    first += count;
  }
  return sli_status_make(SLI_INVALID_ARGUMENT, "Unknown %s name: %s of node %s (op %s)", what, name, node->name,
                         node->op->def->name);
}

sli_status_t *sli_node_input_range(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count) {
  return find_range(node, node->op->inputs, node->op->input_count, "input", arg, out_first, out_count);
}

sli_status_t *sli_node_output_range(const sli_node_def_t *node, const char *arg, int *out_first, int *out_count) {
  return find_range(node, node->op->outputs, node->op->output_count, "output", arg, out_first, out_count);
}

void sli_node_def_release_tensors(const sli_node_def_t *node) {
  for (size_t i = 0; i < node->attr_count; i++) {
    sli_attr_t value = node->attrs[i].value;
    sli_attr_release_tensors(&value);
  }
}

static int compare_entries(const void *a, const void *b) {
  return strcmp((*(const sli_attr_entry_t *const *)a)->name, (*(const sli_attr_entry_t *const *)b)->name);
}

void sli_node_attrs_append(sli_string_t *string, const sli_node_def_t *node) {
  SLI_ARRAY(const sli_attr_entry_t *) sorted = {0};
  for (size_t i = 0; i < node->attr_count; i++) sli_array_push(&sorted, &node->attrs[i]);
  if (sorted.count) qsort(sorted.items, sorted.count, sizeof(sorted.items[0]), compare_entries);
  for (size_t i = 0; i < sorted.count; i++) {
    sli_string_append_format(string, "%s%s=", i ? ", " : "", sorted.items[i]->name);
    sli_attr_append(string, &sorted.items[i]->value);
  }
  sli_array_deinitialize(&sorted);
}

void sli_node_def_append(sli_string_t *string, const sli_node_def_t *node) {
  sli_string_append_format(string, "{{node %s}} = %s[", node->name, node->op->def->name);
  sli_node_attrs_append(string, node);
  if (node->device && *node->device)
    sli_string_append_format(string, "%s_device=\"%s\"", node->attr_count ? ", " : "", node->device);
  sli_string_append_char(string, ']');
}
