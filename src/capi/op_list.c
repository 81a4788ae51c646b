// The ops and kernels of the library as messages; and the functions for plugins, which are not supported.
#include <errno.h>
#include <unistd.h>

#include "capi/capi.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"
#include "sluice/server.h"

static void append_op(void *context, const sli_op_t *op) {
  size_t mark = sli_wire_open(context, SLI_FIELD_OP_LIST_OP);
  sli_op_encode(op, context);
  sli_wire_close(context, mark);
}

TF_Buffer *TF_GetAllOpList(void) {
  sli_string_t bytes = {0};
  sli_op_for_each(append_op, &bytes);
  return sli_capi_buffer_create(&bytes);
}

bool sl_is_ps_op(const char *op) {
  const sli_op_t *found = sli_op_find(sli_view(op));
  return found && found->def->is_on_ps;
}

// --- Kernels -----------------------------------------------------------------

typedef struct {
  const char *op;  // NULL: all
  sli_string_t bytes;
} kernel_list_t;

// KernelDef.AttrConstraint: a type attribute and the types that it may have.
static void append_constraint(sli_string_t *out, const char *attr, sli_types_t types) {
  if (!types) return;
  size_t constraint = sli_wire_open(out, SLI_FIELD_KERNEL_DEF_CONSTRAINT);
  sli_wire_write_text(out, SLI_FIELD_KERNEL_DEF_ATTR_CONSTRAINT_NAME, attr);
  sli_dtype_t allowed[64];
  size_t count = 0;
  for (int type = 1; type < 64; type++)
    if (sli_types_contain(types, (sli_dtype_t)type) && sli_dtype_is_valid(type)) allowed[count++] = (sli_dtype_t)type;
  size_t value = sli_wire_open(out, SLI_FIELD_KERNEL_DEF_ATTR_CONSTRAINT_ALLOWED_VALUES);
  sli_attr_encode(&(sli_attr_t){.kind = SLI_ATTR_TYPE, .is_list = true, .count = count, .list.type = allowed}, out);
  sli_wire_close(out, value);
  sli_wire_close(out, constraint);
}

static void append_kernel(void *context, const sli_kernel_def_t *kernel) {
  kernel_list_t *list = context;
  if (list->op && strcmp(list->op, kernel->op) != 0) return;
  sli_string_t *out = &list->bytes;
  size_t mark = sli_wire_open(out, SLI_FIELD_KERNEL_LIST_KERNEL);
  sli_wire_write_text(out, SLI_FIELD_KERNEL_DEF_OP, kernel->op);
  sli_wire_write_text(out, SLI_FIELD_KERNEL_DEF_DEVICE_TYPE, kernel->device ? kernel->device : "CPU");
  append_constraint(out, "T", kernel->types);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[i].attr; i++)
    append_constraint(out, kernel->where[i].attr, kernel->where[i].types);
  sli_view_t rest = sli_view(kernel->host_memory), argument;
  while (rest.size) {
    sli_view_t tail = {0};
    sli_view_split(rest, ',', &argument, &tail);
    argument = sli_view_trim(argument);
    sli_wire_write_bytes(out, SLI_FIELD_KERNEL_DEF_HOST_MEMORY_ARG, argument.data, argument.size);
    rest = tail;
  }
  sli_wire_close(out, mark);
}

static TF_Buffer *list_kernels(const char *op, TF_Status *status) {
  kernel_list_t list = {.op = op};
  sli_kernel_for_each(append_kernel, &list);
  sli_capi_set_status(status, NULL);
  return sli_capi_buffer_create(&list.bytes);
}

TF_Buffer *TF_GetAllRegisteredKernels(TF_Status *status) { return list_kernels(NULL, status); }

TF_Buffer *TF_GetRegisteredKernelsForOp(const char *name, TF_Status *status) { return list_kernels(name, status); }

// --- Plugins -----------------------------------------------------------------

static sli_status_t *no_plugins(const char *what, const char *file) {
  return sli_status_make(SLI_UNIMPLEMENTED, "Sluice does not load %s: %s", what, file ? file : "");
}

TF_Library *TF_LoadLibrary(const char *library_filename, TF_Status *status) {
  if (library_filename && access(library_filename, R_OK) != 0) {
    sli_capi_set_status(status, sli_status_make(SLI_NOT_FOUND, "%s: cannot open shared object file: %s",
                                                library_filename, strerror(errno)));
    return NULL;
  }
  sli_capi_set_status(status, no_plugins("op libraries", library_filename));
  return NULL;
}

TF_Buffer TF_GetOpList(TF_Library *lib_handle) { return (TF_Buffer){0}; }

void TF_DeleteLibraryHandle(TF_Library *lib_handle) {}

void TF_RegisterFilesystemPlugin(const char *plugin_filename, TF_Status *status) {
  sli_capi_set_status(status, no_plugins("file system plugins", plugin_filename));
}
