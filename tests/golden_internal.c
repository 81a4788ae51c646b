#include "golden_internal.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/test.h"

bool golden_read(const char *path, sli_string_t *out) {
  FILE *file = fopen(path, "rb");
  if (!file) return false;
  char buffer[65536];
  for (size_t n; (n = fread(buffer, 1, sizeof(buffer), file)) > 0;) sli_string_append(out, buffer, n);
  bool good = !ferror(file);
  fclose(file);
  return good;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void golden_list(const char *directory, const char *suffix, golden_names_t *out_names) {
  *out_names = (golden_names_t){0};
  DIR *handle = opendir(directory);
  for (struct dirent *entry; handle && (entry = readdir(handle));)
    if (entry->d_name[0] != '.' && sli_ends_with(entry->d_name, suffix))
      sli_array_push(&out_names->names, sli_strdup(entry->d_name));
  if (handle) closedir(handle);
  if (out_names->names.count) qsort(out_names->names.items, out_names->names.count, sizeof(char *), by_text);
}

void golden_names_deinitialize(golden_names_t *names) {
  for (size_t i = 0; i < names->names.count; i++) free(names->names.items[i]);
  sli_array_deinitialize(&names->names);
}

bool golden_is_pending(const char *name) {
  char *path = sli_format("%s/pending.txt", sli_test_golden_dir());
  sli_string_t text = {0};
  golden_read(path, &text);
  free(path);
  bool found = false;
  for (sli_view_t rest = sli_view_of(text.data, text.size), line; rest.size && !found;) {
    sli_view_split(rest, '\n', &line, &rest);
    found = sli_view_is(sli_view_trim(line), name);
  }
  sli_string_deinitialize(&text);
  return found;
}
