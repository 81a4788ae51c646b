#include "io/checkpoint/checkpoint_files.h"

#include "base/array.h"
#include "base/log.h"
#include "base/string.h"
#include "io/checkpoint/checkpoint_state.h"
#include "io/file/file.h"

#define FIVE_DIGITS "[0-9][0-9][0-9][0-9][0-9]"
#define SHARDS "-" FIVE_DIGITS "-of-" FIVE_DIGITS

// Appends |prefix| as a pattern that matches only itself.
static void put_literal(sli_string_t *out, const char *prefix) {
  for (; *prefix; prefix++) {
    if (strchr("*?[\\", *prefix)) sli_string_append_char(out, '\\');
    sli_string_append_char(out, *prefix);
  }
}

static sli_status_t *match_suffix(const char *prefix, const char *suffix, sli_path_list_t *out_paths) {
  sli_string_t pattern = {0};
  put_literal(&pattern, prefix);
  sli_string_append_text(&pattern, suffix);
  sli_status_t *status = sli_file_match(sli_string_text(&pattern), out_paths);
  sli_string_deinitialize(&pattern);
  return status;
}

static bool exists_with(const char *prefix, const char *suffix) {
  sli_path_list_t paths = {0};
  sli_status_t *status = match_suffix(prefix, suffix, &paths);
  bool found = !status && paths.count > 0;
  sli_status_release(status);
  sli_path_list_deinitialize(&paths);
  return found;
}

bool sli_checkpoint_exists(const char *prefix) {
  sli_file_info_t info;
  if (exists_with(prefix, ".index") || exists_with(prefix, SHARDS)) return true;
  sli_status_t *status = sli_file_info(prefix, &info);
  sli_status_release(status);
  return !status && !info.is_directory;
}

char *sli_checkpoint_latest(const char *directory, const char *file_name) {
  sli_checkpoint_state_t state = {0};
  char *latest = NULL;
  sli_status_t *status = sli_checkpoint_state_read(directory, file_name, &state);
  if (status && sli_status_code(status) != SLI_NOT_FOUND) SLI_WARNING("%s", sli_status_message(status));
  sli_status_release(status);
  if (state.model_checkpoint_path && *state.model_checkpoint_path) {
    if (sli_checkpoint_exists(state.model_checkpoint_path)) {
      latest = state.model_checkpoint_path;
      state.model_checkpoint_path = NULL;
    } else {
      SLI_WARNING("Couldn't match files for checkpoint %s", state.model_checkpoint_path);
    }
  }
  sli_checkpoint_state_deinitialize(&state);
  return latest;
}

sli_status_t *sli_checkpoint_delete(const char *prefix) {
  // The index first: without it the other files are not a checkpoint.
  static const char *const suffixes[] = {".index", ".data" SHARDS, SHARDS, "", ".meta", ".rows-*", ".keys-*"};
  sli_status_t *result = NULL;
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(suffixes); i++) {
    sli_path_list_t paths = {0};
    result = sli_status_join(result, match_suffix(prefix, suffixes[i], &paths));
    for (size_t k = 0; k < paths.count; k++) {
      sli_file_info_t info;
      sli_status_t *status = sli_file_info(paths.items[k], &info);
      if (!status && !info.is_directory) status = sli_file_delete(paths.items[k]);
      if (sli_status_code(status) == SLI_NOT_FOUND) {
        sli_status_release(status);
        status = NULL;
      }
      result = sli_status_join(result, status);
    }
    sli_path_list_deinitialize(&paths);
  }
  return result;
}
