#include "io/file/path.h"

#include <ctype.h>

#include "base/alloc.h"

void sli_path_split_scheme(const char *path, sli_view_t *out_scheme, const char **out_rest) {
  *out_scheme = sli_view_of(path, 0);
  *out_rest = path;
  if (!isalpha((unsigned char)path[0])) return;
  size_t length = 1;
  while (isalnum((unsigned char)path[length]) || path[length] == '.') length++;
  if (strncmp(path + length, "://", 3) != 0) return;
  *out_scheme = sli_view_of(path, length);
  *out_rest = path + length + 3;
}

char *sli_path_directory(const char *path) {
  sli_view_t scheme;
  const char *rest;
  sli_path_split_scheme(path, &scheme, &rest);
  const char *slash = strrchr(rest, '/');
  if (!slash) return sli_strndup(path, (size_t)(rest - path));
  while (slash > rest && slash[-1] == '/') slash--;
  return sli_strndup(path, (size_t)(slash - path) + (slash == rest));
}

char *sli_path_join(const char *directory, const char *name) {
  size_t length = strlen(directory);
  if (length == 0 || sli_path_is_absolute(name)) return sli_strdup(name);
  return sli_format("%s%s%s", directory, directory[length - 1] == '/' ? "" : "/", name);
}

bool sli_path_is_absolute(const char *path) {
  sli_view_t scheme;
  const char *rest;
  sli_path_split_scheme(path, &scheme, &rest);
  return scheme.size || path[0] == '/';
}

const char *sli_path_base(const char *path) {
  sli_view_t scheme;
  const char *rest;
  sli_path_split_scheme(path, &scheme, &rest);
  const char *slash = strrchr(rest, '/');
  return slash ? slash + 1 : rest;
}
