// Looking at a checkpoint before it is restored: one of another model is refused
// in words that help, a damaged one is recognised.
#include <stdlib.h>

#include "io/bundle.h"
#include "io/checkpoint_state.h"
#include "train/saver_internal.h"
#include "train/tensor.h"
#include "train/variable_internal.h"

static const char cure[] =
    "the checkpoint is of another model: use another directory, or restore only what fits with a saver of those "
    ".variables";

static sl_shape_t entry_shape(const sli_bundle_entry_t *entry) {
  sl_shape_t shape = {.rank = entry->rank <= SL_MAX_RANK ? entry->rank : -1};
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = entry->dims[i];
  return shape;
}

static sli_status_t *check_one(const sli_bundle_reader_t *reader, sli_saved_t *item, const char *path) {
  const sl_variable_info_t *variable = item->variable;
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(item->name));
  item->missing = !entry;
  if (!entry && item->optional) return NULL;
  if (!entry)
    return sli_status_make(SLI_NOT_FOUND,
                           "Key %s not found in checkpoint %s, which cannot be restored into this model; %s",
                           item->name, path, cure);
  if (entry->dtype != (int)variable->dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "variable '%s' is of type %s in this model, but %s in checkpoint %s; %s", item->name,
                           sli_type_name(variable->dtype), sli_type_name((TF_DataType)entry->dtype), path, cure);
  sl_shape_t saved = entry_shape(entry);
  sl_shape_t whole = sli_variable_slice(variable, item->name).full_shape;
  if (sli_shape_fits(saved, whole)) return NULL;
  char *own = sli_shape_format(whole), *other = sli_shape_format(saved);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "variable '%s' has shape %s in this model, but %s in checkpoint %s; %s",
                      item->name, own, other, path, cure);
  free(own);
  free(other);
  return status;
}

sli_status_t *sli_saver_check(sli_saved_t *items, size_t count, const char *path) {
  sli_bundle_reader_t *reader = NULL;
  sli_status_t *status = sli_bundle_reader_open(path, &reader);
  if (sli_status_code(status) == SLI_NOT_FOUND) {
    sli_status_release(status);
    return NULL;
  }
  for (size_t i = 0; i < count && !status; i++) status = check_one(reader, &items[i], path);
  sli_bundle_reader_release(reader);
  return status;
}

void sli_checkpoints_list(const char *directory, sli_paths_t *out_paths) {
  char *latest = sli_checkpoint_latest(directory, NULL);
  sli_checkpoint_state_t state = {0};
  if (latest) {
    sli_array_push(out_paths, latest);
    sli_status_release(sli_checkpoint_state_read(directory, NULL, &state));
  }
  for (size_t i = state.count; i-- > 0;)
    if (strcmp(state.all_paths[i], latest) != 0 && sli_checkpoint_exists(state.all_paths[i]))
      sli_array_push(out_paths, sli_strdup(state.all_paths[i]));
  sli_checkpoint_state_deinitialize(&state);
}
