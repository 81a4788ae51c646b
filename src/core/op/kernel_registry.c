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

static bool matches(const sli_kernel_def_t *kernel, const sli_node_def_t *node) {
  if (kernel->types && !types_match(node, "T", kernel->types)) return false;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[i].attr; i++) {
    if (!types_match(node, kernel->where[i].attr, kernel->where[i].types)) return false;
  }
  return true;
}

static void append_constraint(sli_string_t *text, const char *name, sli_types_t types) {
  sli_string_append_format(text, "; %s in ", name);
  sli_dtype_t list[64];
  sli_attr_t attr = {.kind = SLI_ATTR_TYPE, .is_list = true, .list.type = list};
  for (int type = 1; type < 64; type++) {
    if ((types >> type & 1) && sli_dtype_is_valid(type)) list[attr.count++] = (sli_dtype_t)type;
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
    if (kernel->types) append_constraint(&text, "T", kernel->types);
    for (size_t w = 0; w < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[w].attr; w++) {
      append_constraint(&text, kernel->where[w].attr, kernel->where[w].types);
    }
    sli_string_append_char(&text, '\n');
  }
  if (!rows->count) sli_string_append_text(&text, "  <no registered kernels>\n");
  sli_string_append_format(&text, "\n\t [[%s]]", node->name);
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_kernel_find(const sli_node_def_t *node, const char *device_type,
                              const sli_kernel_def_t **out_kernel) {
  *out_kernel = NULL;
  const rows_t *rows = rows_of(node->op);
  for (size_t i = 0; i < rows->count; i++) {
    if (strcmp(device_of(rows->items[i]), device_type) == 0 && matches(rows->items[i], node)) {
      *out_kernel = rows->items[i];
      return NULL;
    }
  }
  return not_registered(node, device_type, rows);
}

bool sli_kernel_exists(const sli_op_t *op, const char *device_type) {
  const rows_t *rows = rows_of(op);
  for (size_t i = 0; i < rows->count; i++) {
    if (strcmp(device_of(rows->items[i]), device_type) == 0) return true;
  }
  return false;
}

void sli_kernel_for_each(void (*visit)(void *context, const sli_kernel_def_t *kernel), void *context) {
  for (size_t m = 0; sli_op_modules[m]; m++) {
    if (sli_op_modules[m]->is_private) continue;
    for (size_t i = 0; i < sli_op_modules[m]->kernel_count; i++) visit(context, &sli_op_modules[m]->kernels[i]);
  }
}
