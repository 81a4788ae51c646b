// Checks a checkpoint before it is restored: reports one of another model with the
// variable and what to do, and detects a damaged one.
#include <stdlib.h>

#include "io/checkpoint/bundle.h"
#include "io/checkpoint/checkpoint_files.h"
#include "io/checkpoint/checkpoint_state.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/save/saver.h"

static const char advice[] =
    "the checkpoint is of another model: use another directory, or restore only the variables that match, with a "
    "saver that has them as .variables";

static sl_shape_t entry_shape(const sli_bundle_entry_t *entry) {
  sl_shape_t shape = {.rank = entry->rank <= SL_MAX_RANK ? entry->rank : -1};
  for (int i = 0; i < shape.rank; i++) shape.dims[i] = entry->dims[i];
  return shape;
}

static sli_status_t *check_one(const sli_bundle_reader_t *reader, sli_saver_item_t *item, const char *path) {
  const sl_variable_info_t *variable = item->variable;
  const sli_bundle_entry_t *entry = sli_bundle_reader_find(reader, sli_view(item->name));
  item->missing = !entry;
  if (!entry && item->optional) return NULL;
  if (!entry)
    return sli_status_make(SLI_NOT_FOUND,
                           "Key %s not found in checkpoint %s, which cannot be restored into this model; %s",
                           item->name, path, advice);
  if (entry->dtype != (int)variable->dtype)
    return sli_status_make(
        SLI_INVALID_ARGUMENT, "variable '%s' is of type %s in this model, but %s in checkpoint %s; %s", item->name,
        sli_tf_type_name(variable->dtype), sli_tf_type_name((TF_DataType)entry->dtype), path, advice);
  sl_shape_t saved = entry_shape(entry);
  sl_shape_t whole = sli_train_variable_slice(variable, item->name).full_shape;
  if (sli_tf_shape_fits(saved, whole)) return NULL;
  char *own = sli_tf_shape_format(whole), *other = sli_tf_shape_format(saved);
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "variable '%s' has shape %s in this model, but %s in checkpoint %s; %s",
                      item->name, own, other, path, advice);
  free(own);
  free(other);
  return status;
}

sli_status_t *sli_saver_check_checkpoint(sli_saver_item_t *items, size_t count, const char *path) {
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

void sli_saver_list_checkpoints(const char *directory, sli_saver_paths_t *out_paths) {
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
