#include "ops/state/update.h"

#include <string.h>

#include "core/op/op_registry.h"
#include "core/state/resource.h"
#include "ops/common/named_resource.h"

sli_status_t *sli_update_missing(const char *name, const char *container, const char *reason) {
  return sli_status_make(SLI_FAILED_PRECONDITION,
                         "Could not find variable %s. This could mean that the variable has been deleted. In TF1, it "
                         "can also mean the variable is uninitialized. Debug info: container=%s, status error "
                         "message=%s, resource name=%s",
                         name, container, reason, name);
}

static sli_status_t *find_by_handle(sli_kernel_context_t *context, int index, sli_variable_t **out_variable) {
  const sli_resource_handle_t *handle;
  SLI_RETURN_IF_ERROR(sli_named_resource_handle(context, index, &handle));
  if (handle->resource) {
    if (handle->resource->type != &sli_variable_type) {
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "Trying to access a handle's resource using the wrong type: %s is a %s", handle->name,
                             handle->resource->type->name);
    }
    *out_variable = sli_object_retain(handle->resource);
    return NULL;
  }
  sli_status_t *status = sli_resource_find(context->device->resources, sli_view(handle->container), &sli_variable_type,
                                           sli_view(handle->name), (void **)out_variable);
  if (!status) return NULL;
  sli_status_t *result = sli_update_missing(handle->name, handle->container, sli_status_message(status));
  sli_status_release(status);
  return result;
}

sli_status_t *sli_update_find(sli_kernel_context_t *context, int index, sli_variable_t **out_variable) {
  *out_variable = NULL;
  sli_variable_t *variable = sli_kernel_input_variable(context, index);
  if (!variable) return find_by_handle(context, index, out_variable);
  *out_variable = sli_variable_retain(variable);
  return NULL;
}

// Locks each distinct variable once, in the order of their addresses.
static void lock_all(sli_update_t *update) {
  sli_variable_t *sorted[SLI_UPDATE_MAX];
  for (int i = 0; i < update->count; i++) {
    int j = i;
    for (; j > 0 && (uintptr_t)sorted[j - 1] > (uintptr_t)update->variables[i]; j--) sorted[j] = sorted[j - 1];
    sorted[j] = update->variables[i];
  }
  for (int i = 0; i < update->count; i++) {
    if (i == 0 || sorted[i] != sorted[i - 1]) sli_mutex_lock(&sorted[i]->mutex);
  }
  update->locked = true;
}

static void unlock_all(sli_update_t *update) {
  for (int i = 0; i < update->count; i++) {
    bool repeated = false;
    for (int j = 0; j < i; j++) repeated |= update->variables[j] == update->variables[i];
    if (!repeated) sli_mutex_unlock(&update->variables[i]->mutex);
  }
  update->locked = false;
}

void sli_update_end(sli_update_t *update) {
  if (update->locked) unlock_all(update);
  for (int i = 0; i < update->count; i++) {
    sli_variable_return(update->variables[i], update->tensors[i]);
    sli_variable_release(update->variables[i]);
  }
  update->count = 0;
}

sli_status_t *sli_update_begin(sli_kernel_context_t *context, int count, bool lock, sli_update_t *out_update) {
  sli_update_t *update = out_update;
  *update = (sli_update_t){0};
  sli_status_t *status = NULL;
  for (; update->count < count; update->count++) {
    SLI_GOTO_IF_ERROR(status, failed, sli_update_find(context, update->count, &update->variables[update->count]));
  }
  if (lock) lock_all(update);
  for (int i = 0; i < count; i++) {
    sli_variable_t *variable = update->variables[i];
    bool is_reference = sli_kernel_input_variable(context, i) != NULL;
    SLI_GOTO_IF_ERROR(
        status, failed,
        is_reference ? sli_variable_leave_lent_memory(variable) : sli_variable_make_private(variable, lock));
    update->tensors[i] = sli_variable_borrow(update->variables[i]);
    if (!update->tensors[i]) {
      status = sli_variable_uninitialized_error(update->variables[i]);
      goto failed;
    }
  }
  return NULL;
failed:
  sli_update_end(update);
  return status;
}

void sli_update_forward(sli_kernel_context_t *context, const sli_update_t *update) {
  if (!sli_kernel_input_variable(context, 0)) return;
  sli_kernel_set_output_variable(context, 0, sli_variable_retain(update->variables[0]));
}

sli_accumulate_op_t sli_update_op(const sli_node_def_t *node) {
  static const struct {
    const char *suffix;
    sli_accumulate_op_t op;
  } suffixes[] = {{"Add", SLI_ACCUMULATE_ADD}, {"Sub", SLI_ACCUMULATE_SUB}, {"Mul", SLI_ACCUMULATE_MUL},
                  {"Div", SLI_ACCUMULATE_DIV}, {"Min", SLI_ACCUMULATE_MIN}, {"Max", SLI_ACCUMULATE_MAX}};
  for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
    if (sli_string_ends_with(node->op->def->name, suffixes[i].suffix)) return suffixes[i].op;
  }
  return SLI_ACCUMULATE_ASSIGN;
}
