// Removes what a saver that was killed left in its directory: parts that were not merged,
// files that were not renamed yet, and data without an index. Nothing that can be restored
// is removed.
#include <ctype.h>
#include <stdlib.h>

#include "base/string.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "train/common/progress.h"
#include "train/save/saver.h"

// The length of "BASE" or "BASE-STEP" at the beginning of |name|; 0 if it begins with neither.
static size_t prefix_length(const char *name, const char *base) {
  size_t length = strlen(base);
  if (!length || strncmp(name, base, length) != 0) return 0;
  size_t digits = length + 1;
  while (name[length] == '-' && isdigit((unsigned char)name[digits])) digits++;
  return name[length] == '-' && digits > length + 1 ? digits : length;
}

// Whether |text| ends with ".tempstate" and perhaps a number, as the names of files that are not complete.
static bool is_incomplete(const char *text) {
  const char *mark = strstr(text, ".tempstate");
  if (!mark) return false;
  mark += strlen(".tempstate");
  while (isdigit((unsigned char)*mark)) mark++;
  return !*mark;
}

static bool delete_file(const char *directory, const char *name) {
  char *path = sli_path_join(directory, name);
  sli_status_t *status = sli_file_delete(path);
  bool deleted = !status;
  sli_status_release(status);
  free(path);
  return deleted;
}

// Deletes the directory of the parts of a checkpoint.
static bool delete_parts(const char *directory, const char *name) {
  char *path = sli_path_join(directory, name);
  sli_path_list_t parts = {0};
  sli_status_release(sli_file_list(path, &parts));
  for (size_t i = 0; i < parts.count; i++) delete_file(path, parts.items[i]);
  sli_path_list_deinitialize(&parts);
  sli_status_t *status = sli_file_delete_directory(path);
  bool deleted = !status;
  sli_status_release(status);
  free(path);
  return deleted;
}

// Whether |name| is a data file, and its checkpoint, whose name has |length| letters, has no index.
static bool is_data_without_index(const char *directory, const char *name, size_t length) {
  if (strncmp(name + length, ".data-", strlen(".data-")) != 0) return false;
  char *index = sli_format("%s/%.*s.index", directory, (int)length, name);
  bool exists = sli_file_exists(index);
  free(index);
  return !exists;
}

static bool delete_leftover(const char *directory, const char *name, const char *base) {
  size_t length = prefix_length(name, base);
  if (length && strcmp(name + length, "_temp") == 0) return delete_parts(directory, name);
  bool is_ours = length ? name[length] == '.'
                        : sli_string_starts_with(name, "checkpoint.tempstate") ||
                              sli_string_starts_with(name, "graph.pbtxt.tempstate");
  if (is_ours && is_incomplete(name)) return delete_file(directory, name);
  return length && is_data_without_index(directory, name, length) && delete_file(directory, name);
}

void sli_saver_remove_leftovers(const char *directory, const char *base) {
  sli_path_list_t names = {0};
  sli_status_release(sli_file_list(directory, &names));
  int count = 0;
  for (size_t i = 0; i < names.count; i++) count += delete_leftover(directory, names.items[i], base);
  sli_path_list_deinitialize(&names);
  if (!count) return;
  char *line =
      sli_format("removed %d file%s of an unfinished checkpoint from %s", count, count > 1 ? "s" : "", directory);
  sli_progress_print_line(line);
  free(line);
}
