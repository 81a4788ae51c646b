// Limits files to some directories, for tasks whose clients are not trusted with all files of the task's user.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file_system.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *setting;  // NULL: all files are allowed
static sli_path_list_t allowed;

static void read_setting(void) {
  const char *text = getenv("SLUICE_ALLOW_PATH");
  if (!text || !*text) return;
  setting = sli_strdup(text);
  sli_view_t rest = sli_view(setting), part;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ':', &part, &rest);
    char *name = sli_strndup(part.data, part.size), *real = part.size ? realpath(name, NULL) : NULL;
    if (real) sli_array_push(&allowed, real);
    free(name);
  }
}

// The path without symbolic links and "..", also if its end does not exist yet; NULL if it cannot be known.
static char *real_path(const char *path) {
  char *real = realpath(path, NULL);
  if (real || errno != ENOENT) return real;
  struct stat info;
  if (lstat(path, &info) == 0) return NULL;  // a link to nowhere: a file would be made at its target
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (!strcmp(name, "..") || (slash == path && !*name)) return NULL;
  char *parent = slash == path ? sli_strdup("/") : slash ? sli_strndup(path, (size_t)(slash - path)) : sli_strdup(".");
  char *real_parent = real_path(parent);
  if (real_parent) real = sli_format("%s/%s", strcmp(real_parent, "/") ? real_parent : "", name);
  free(real_parent);
  free(parent);
  return real;
}

static bool is_inside(const char *path, const char *directory) {
  size_t size = strlen(directory);
  return !strcmp(directory, "/") || (!strncmp(path, directory, size) && (path[size] == '/' || !path[size]));
}

sli_status_t *sli_file_check_remote_allowed(const char *shown) {
  pthread_once(&once, read_setting);
  if (!setting) return NULL;
  return sli_status_make(SLI_PERMISSION_DENIED, "%s; this task may use local files in %s only (SLUICE_ALLOW_PATH)",
                         shown, setting);
}

sli_status_t *sli_file_check_allowed(const char *path, const char *shown) {
  pthread_once(&once, read_setting);
  if (!setting) return NULL;
  char *real = real_path(path);
  bool is_allowed = false;
  for (size_t i = 0; real && i < allowed.count && !is_allowed; i++) is_allowed = is_inside(real, allowed.items[i]);
  free(real);
  if (is_allowed) return NULL;
  return sli_status_make(SLI_PERMISSION_DENIED, "%s; this task may use files in %s only (SLUICE_ALLOW_PATH)", shown,
                         setting);
}
