// The kernel index: op name to its kernel rows, built once from the module table.
#include <stdlib.h>

#include "base/array.h"
#include "base/map.h"
#include "core/op/node_def_internal.h"
#include "core/op/op_registry_internal.h"

typedef SLI_ARRAY(const sli_kernel_def_t *) rows_t;

static pthread_once_t index_once = PTHREAD_ONCE_INIT;
static sli_map_t index_by_op;  // to rows_t, in the order of the tables

static void build_kernel_index(void) {
  for (size_t m = 0; sli_op_modules[m]; m++) {
    for (size_t i = 0; i < sli_op_modules[m]->kernel_count; i++) {
      const sli_kernel_def_t *kernel = &sli_op_modules[m]->kernels[i];
      rows_t *rows = sli_map_get(&index_by_op, sli_view(kernel->op));
      if (!rows) {
        rows = sli_calloc(1, sizeof(*rows));
        sli_map_set(&index_by_op, sli_view(kernel->op), rows);
      }
      sli_array_push(rows, kernel);
    }
  }
}

static const rows_t *rows_of(const sli_op_t *op) {
  static const rows_t none;
  pthread_once(&index_once, build_kernel_index);
  const char *name = op->def->is_function ? "PartitionedCall" : op->def->name;
  const rows_t *rows = sli_map_get(&index_by_op, sli_view(name));
  return rows ? rows : &none;
}

static const char *device_of(const sli_kernel_def_t *kernel) { return kernel->device ? kernel->device : "CPU"; }

static bool types_match(const sli_node_def_t *node, const char *name, sli_types_t types) {
  const sli_attr_t *attr = sli_node_attr(node, name);
  if (!attr || attr->kind != SLI_ATTR_TYPE) return false;
  if (!attr->is_list) return sli_types_contain(types, attr->type);
  for (size_t i = 0; i < attr->count; i++) {
    if (!sli_types_contain(types, attr->list.type[i])) return false;
  }
  return true;
}

static bool text_matches(const sli_node_def_t *node, const char *name, const char *text) {
  sli_view_t value = {0};
  sli_status_t *status = sli_node_attr_string(node, name, &value);
  bool equal = !status && sli_view_is(value, text);
  sli_status_release(status);
  return equal;
}

static bool constraint_holds(const sli_kernel_constraint_t *rule, const sli_node_def_t *node) {
  return rule->text ? text_matches(node, rule->attr, rule->text) : types_match(node, rule->attr, rule->types);
}

static bool matches(const sli_kernel_def_t *kernel, const sli_node_def_t *node) {
  if (kernel->types && !types_match(node, "T", kernel->types)) return false;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[i].attr; i++) {
    if (!constraint_holds(&kernel->where[i], node)) return false;
  }
  return true;
}

static void append_constraint(sli_string_t *text, const sli_kernel_constraint_t *rule) {
  sli_string_append_format(text, "; %s in ", rule->attr);
  if (rule->text) {
    sli_string_append_format(text, "[\"%s\"]", rule->text);
    return;
  }
  sli_dtype_t list[64];
  sli_attr_t attr = {.kind = SLI_ATTR_TYPE, .is_list = true, .list.type = list};
  for (int type = 1; type < 64; type++) {
    if ((rule->types >> type & 1) && sli_dtype_is_valid(type)) list[attr.count++] = (sli_dtype_t)type;
  }
  sli_attr_append(text, &attr);
}

static sli_status_t *not_registered(const sli_node_def_t *node, const char *device_type, const rows_t *rows) {
  sli_string_t text = {0};
  sli_string_append_format(&text,
                           "No OpKernel was registered to support Op '%s' used by {{node %s}} with these attrs: [",
                           node->op->def->name, node->name);
  sli_node_attrs_append(&text, node);
  sli_string_append_format(&text, "]\nRegistered devices: [%s]\nRegistered kernels:\n", device_type);
  for (size_t i = 0; i < rows->count; i++) {
    const sli_kernel_def_t *kernel = rows->items[i];
    sli_string_append_format(&text, "  device='%s'", device_of(kernel));
    if (kernel->types) append_constraint(&text, &(sli_kernel_constraint_t){"T", kernel->types, NULL});
    for (size_t w = 0; w < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[w].attr; w++) {
      append_constraint(&text, &kernel->where[w]);
    }
    sli_string_append_char(&text, '\n');
  }
  if (!rows->count) sli_string_append_text(&text, "  <no registered kernels>\n");
  sli_string_append_format(&text, "\n\t [[%s]]", node->name);
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

static bool is_for(const sli_kernel_def_t *kernel, const char *device_type) {
  return kernel->any_device || strcmp(device_of(kernel), device_type) == 0;
}

static bool is_all_on_host(const sli_node_def_t *node) {
  for (int i = 0; i < node->input_count; i++)
    if (!sli_device_keeps_on_host(node->input_types[i])) return false;
  for (int i = 0; i < node->output_count; i++)
    if (!sli_device_keeps_on_host(node->output_types[i])) return false;
  return true;
}

// An op that runs on the device for some types runs there for values in host memory, too: the CPU computes them.
static const sli_kernel_def_t *find_host_kernel(const sli_node_def_t *node, const char *device_type,
                                                const rows_t *rows) {
  if (!strcmp(device_type, "CPU") || !sli_kernel_exists(node->op, device_type) || !is_all_on_host(node)) return NULL;
  for (size_t i = 0; i < rows->count; i++)
    if (is_for(rows->items[i], "CPU") && matches(rows->items[i], node)) return rows->items[i];
  return NULL;
}

static const sli_kernel_def_t *find_kernel(const sli_node_def_t *node, const char *device_type, const rows_t *rows) {
  for (size_t i = 0; i < rows->count; i++)
    if (is_for(rows->items[i], device_type) && matches(rows->items[i], node)) return rows->items[i];
  return find_host_kernel(node, device_type, rows);
}

sli_status_t *sli_kernel_find(const sli_node_def_t *node, const char *device_type,
                              const sli_kernel_def_t **out_kernel) {
  const rows_t *rows = rows_of(node->op);
  *out_kernel = find_kernel(node, device_type, rows);
  return *out_kernel ? NULL : not_registered(node, device_type, rows);
}

bool sli_kernel_supports(const sli_node_def_t *node, const char *device_type) {
  return find_kernel(node, device_type, rows_of(node->op)) != NULL;
}

bool sli_kernel_exists(const sli_op_t *op, const char *device_type) {
  const rows_t *rows = rows_of(op);
  for (size_t i = 0; i < rows->count; i++) {
    if (is_for(rows->items[i], device_type)) return true;
  }
  return false;
}

void sli_kernel_for_each(void (*visit)(void *context, const sli_kernel_def_t *kernel), void *context) {
  for (size_t m = 0; sli_op_modules[m]; m++) {
    if (sli_op_modules[m]->is_private) continue;
    for (size_t i = 0; i < sli_op_modules[m]->kernel_count; i++) visit(context, &sli_op_modules[m]->kernels[i]);
  }
}
