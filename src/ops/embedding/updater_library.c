#include "ops/embedding/updater_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/sync.h"

// Libraries by path; never unloaded, as their code may run.
typedef struct {
  const sl_updater_t *updater;
  char *name;
} library_t;
static sli_mutex_t mutex = SLI_MUTEX_INITIALIZER;
static sli_map_t libraries;  // under |mutex|

static sli_status_t *find_path(sli_view_t name, char **out_path) {
  const char *directory = getenv("SLUICE_UPDATERS");
  *out_path = NULL;
  bool is_plain = name.size > 0 && name.data[0] != '.';
  for (size_t i = 0; i < name.size; i++) is_plain = is_plain && name.data[i] != '/' && name.data[i];
  if (!directory || !*directory || !is_plain)
    return sli_status_make(
        SLI_PERMISSION_DENIED,
        "The updater library:%.*s is not allowed: it must be a file, without a path, of the directory "
        "that the environment variable SLUICE_UPDATERS of this task names (%s).",
        (int)(name.size < 100 ? name.size : 100), name.data, directory ? directory : "not set");
  *out_path = sli_format("%s/%.*s", directory, SLI_VIEW_ARG(name));
  return NULL;
}

static sli_status_t *load(const char *path, library_t **out_library) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot load the updater: %s", dlerror());
  sl_updater_function_t function = (sl_updater_function_t)dlsym(handle, "sl_updater");
  const sl_updater_t *updater = function ? function() : NULL;
  size_t least = offsetof(sl_updater_t, apply) + sizeof(updater->apply);
  if (!updater || updater->struct_size < least || !updater->apply || updater->slot_count < 0 ||
      updater->slot_count > SLI_UPDATER_MAX_SLOTS) {
    dlclose(handle);
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "%s must export sl_updater, which returns an sl_updater_t with apply and at most %d slots.",
                           path, SLI_UPDATER_MAX_SLOTS);
  }
  library_t *library = sli_malloc(sizeof(*library));
  *library = (library_t){.updater = updater, .name = sli_strdup(path)};
  sli_map_set(&libraries, sli_view(path), library);
  *out_library = library;
  return NULL;
}

sli_status_t *sli_updater_library_open(sli_view_t name, sli_view_t parameters, sli_dtype_t dtype,
                                       sli_updater_t *out_updater) {
  char *path;
  if (dtype != SLI_DTYPE_FLOAT)
    return sli_status_make(SLI_UNIMPLEMENTED, "Updaters in libraries update values of type float, not %s.",
                           sli_dtype_name(dtype));
  SLI_RETURN_IF_ERROR(find_path(name, &path));
  sli_mutex_lock(&mutex);
  library_t *library = sli_map_get(&libraries, sli_view(path));
  sli_status_t *status = library ? NULL : load(path, &library);
  sli_mutex_unlock(&mutex);
  free(path);
  if (status) return status;
  const sl_updater_t *updater = library->updater;
  *out_updater = (sli_updater_t){.user = updater, .name = library->name, .slot_count = updater->slot_count};
  for (int i = 0; i < updater->slot_count; i++) out_updater->initial[i] = updater->slot_values[i];
  if (!updater->create) return NULL;
  char error[200] = "", *text = sli_strndup(parameters.data, parameters.size);
  out_updater->state = updater->create(text, error, sizeof(error));
  free(text);
  if (out_updater->state) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The updater library:%.*s %.200s", SLI_VIEW_ARG(name),
                         *error ? error : "refuses its parameters");
}
