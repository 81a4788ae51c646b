// File systems of plugins (sluice/file_system.h) as file systems of this room.
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file_system.h"
#include "io/file/path.h"
#include "io/file/read_ahead.h"
#include "sluice/file_system.h"

enum { MAX_PLUGINS = 16 };

// The plugins' tables as this version knows them, and ours, whose functions find them by the scheme of a path.
static struct {
  sl_file_system_t theirs;
  sli_file_system_t ours;
} plugins[MAX_PLUGINS];
static size_t plugin_count;  // grows in sli_file_load_plugins only, which runs once, before any of these is used

typedef struct {
  sli_raw_file_t base;
  const sl_file_system_t *system;
  void *file;
  const char *shown;
  sli_read_ahead_t ahead;
} plugin_file_t;

static const sl_file_system_t *find(const char *shown) {
  sli_view_t scheme;
  const char *rest;
  sli_path_split_scheme(shown, &scheme, &rest);
  for (size_t i = 0; i < plugin_count; i++)
    if (sli_view_is(scheme, plugins[i].theirs.scheme)) return &plugins[i].theirs;
  abort();  // our tables are registered for these schemes only
}

static sli_status_t *result(sl_file_code_t code, const char *shown, char message[SL_FILE_MESSAGE_SIZE]) {
  if (code == SL_FILE_OK) return NULL;
  message[SL_FILE_MESSAGE_SIZE - 1] = '\0';
  bool known = (int)code > 0 && (int)code <= (int)SLI_UNAUTHENTICATED;
  return sli_status_make(known ? (sli_code_t)code : SLI_UNKNOWN, "%s; %s", shown,
                         *message ? message : "the plugin of this file system gave no reason");
}

// Calls |function| of a plugin, or replies UNIMPLEMENTED if it has none.
#define CALL(system, shown, function, ...)                                                                   \
  ({                                                                                                         \
    char message_[SL_FILE_MESSAGE_SIZE] = #function " is not implemented by the plugin of this file system"; \
    sl_file_code_t code_ = SL_FILE_UNIMPLEMENTED;                                                            \
    if ((system)->function) {                                                                                \
      message_[0] = '\0';                                                                                    \
      code_ = (system)->function(__VA_ARGS__, message_);                                                     \
    }                                                                                                        \
    result(code_, shown, message_);                                                                          \
  })

// --- Files ---

static sli_status_t *fetch(void *context, uint64_t offset, void *data, size_t size, size_t *out_size) {
  plugin_file_t *file = context;
  *out_size = 0;
  while (*out_size < size) {
    size_t got = 0;
    SLI_RETURN_IF_ERROR(CALL(file->system, file->shown, read, file->file, offset + *out_size, (char *)data + *out_size,
                             size - *out_size, &got));
    if (got > size - *out_size)
      return sli_status_make(SLI_INTERNAL, "%s; the plugin read more than it was asked for", file->shown);
    if (!got) break;
    *out_size += got;
  }
  return NULL;
}

static sli_status_t *plugin_read(sli_raw_file_t *base, uint64_t offset, void *data, size_t size, size_t *out_size) {
  plugin_file_t *file = (plugin_file_t *)base;
  if (!file->system->reads_ahead) return fetch(file, offset, data, size, out_size);
  return sli_read_ahead_read(&file->ahead, offset, data, size, out_size);
}

static sli_status_t *plugin_write(sli_raw_file_t *base, const void *data, size_t size) {
  plugin_file_t *file = (plugin_file_t *)base;
  return CALL(file->system, file->shown, write, file->file, data, size);
}

static sli_status_t *plugin_size(sli_raw_file_t *base, uint64_t *out_size) {
  plugin_file_t *file = (plugin_file_t *)base;
  *out_size = 0;
  return CALL(file->system, file->shown, size, file->file, out_size);
}

static sli_status_t *plugin_flush(sli_raw_file_t *base) {
  plugin_file_t *file = (plugin_file_t *)base;
  return file->system->flush ? CALL(file->system, file->shown, flush, file->file) : NULL;
}

static sli_status_t *plugin_sync(sli_raw_file_t *base) {
  plugin_file_t *file = (plugin_file_t *)base;
  return file->system->sync ? CALL(file->system, file->shown, sync, file->file) : plugin_flush(base);
}

static sli_status_t *plugin_close(sli_raw_file_t *base) {
  plugin_file_t *file = (plugin_file_t *)base;
  sli_read_ahead_deinitialize(&file->ahead);  // first: it may read
  sli_status_t *status = CALL(file->system, file->shown, close, file->file);
  free(file);
  return status;
}

static const sli_raw_file_table_t plugin_file_table = {
    .read = plugin_read,
    .write = plugin_write,
    .size = plugin_size,
    .flush = plugin_flush,
    .sync = plugin_sync,
    .close = plugin_close,
};

static void wrap(const sl_file_system_t *system, const char *shown, void *handle, sli_raw_file_t **out_file) {
  plugin_file_t *file = sli_calloc(1, sizeof(*file));
  *file = (plugin_file_t){.base = {&plugin_file_table}, .system = system, .file = handle, .shown = shown};
  sli_read_ahead_initialize(&file->ahead, fetch, NULL, file);
  *out_file = &file->base;
}

static sli_status_t *plugin_open_read(const char *path, const char *shown, sli_raw_file_t **out_file) {
  const sl_file_system_t *system = find(shown);
  void *handle = NULL;
  *out_file = NULL;
  SLI_RETURN_IF_ERROR(CALL(system, shown, open_read, shown, &handle));
  wrap(system, shown, handle, out_file);
  return NULL;
}

static sli_status_t *plugin_open_write(const char *path, const char *shown, sli_file_mode_t mode,
                                       sli_raw_file_t **out_file) {
  const sl_file_system_t *system = find(shown);
  sl_file_mode_t theirs = mode == SLI_FILE_APPEND      ? SL_FILE_APPEND
                          : mode == SLI_FILE_EXCLUSIVE ? SL_FILE_EXCLUSIVE
                                                       : SL_FILE_TRUNCATE;
  void *handle = NULL;
  *out_file = NULL;
  SLI_RETURN_IF_ERROR(CALL(system, shown, open_write, shown, theirs, &handle));
  wrap(system, shown, handle, out_file);
  return NULL;
}

// --- Names ---

static sli_status_t *plugin_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  sl_file_info_t info = {0};
  sli_status_t *status = CALL(find(shown), shown, info, shown, &info);
  *out_info = (sli_file_info_t){
      .size = info.size, .modified_nanos = info.modified_nanos, .is_directory = info.is_directory != 0};
  return status;
}

static void add_name(void *context, const char *name) {
  sli_path_list_t *names = context;
  sli_array_push(names, sli_strdup(name));
}

static sli_status_t *plugin_list(const char *directory, const char *shown, sli_path_list_t *out_names) {
  *out_names = (sli_path_list_t){0};
  sli_status_t *status = CALL(find(shown), shown, list, shown, add_name, out_names);
  if (status) sli_path_list_deinitialize(out_names);
  return status;
}

static sli_status_t *plugin_make_directory(const char *directory, const char *shown) {
  return CALL(find(shown), shown, make_directory, shown);
}

static sli_status_t *plugin_rename(const char *from, const char *to, const char *shown) {
  const sl_file_system_t *system = find(shown);
  char *target = sli_format("%s://%s", system->scheme, to);
  sli_status_t *status = CALL(system, shown, rename, shown, target);
  free(target);
  return status;
}

static sli_status_t *plugin_link(const char *from, const char *to, const char *shown) {
  const sl_file_system_t *system = find(shown);
  char *target = sli_format("%s://%s", system->scheme, to);
  sli_status_t *status = CALL(system, shown, link, shown, target);
  free(target);
  return status;
}

static sli_status_t *plugin_remove(const char *path, const char *shown) {
  return CALL(find(shown), shown, remove, shown);
}

static sli_status_t *plugin_remove_directory(const char *directory, const char *shown) {
  return CALL(find(shown), shown, remove_directory, shown);
}

static sli_status_t *plugin_sync_directory(const char *directory, const char *shown) { return NULL; }

// --- Loading ---

static const sli_file_system_t plugin_table = {
    .open_read = plugin_open_read,
    .open_write = plugin_open_write,
    .info = plugin_info,
    .list = plugin_list,
    .make_directory = plugin_make_directory,
    .rename = plugin_rename,
    .link = plugin_link,
    .remove = plugin_remove,
    .remove_directory = plugin_remove_directory,
    .sync_directory = plugin_sync_directory,
};

static sli_status_t *add_system(const sl_file_system_t *system, const char *library) {
  if (system->struct_size <= offsetof(sl_file_system_t, open_read) || !system->scheme || !*system->scheme)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "%s: a file system needs struct_size = sizeof(sl_file_system_t) and a scheme", library);
  if (plugin_count == MAX_PLUGINS)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s: at most %d file systems of plugins are supported", library,
                           MAX_PLUGINS);
  size_t known = system->struct_size < sizeof(*system) ? system->struct_size : sizeof(*system);
  memset(&plugins[plugin_count], 0, sizeof(plugins[0]));
  memcpy(&plugins[plugin_count].theirs, system, known);
  plugins[plugin_count].ours = plugin_table;
  plugins[plugin_count].ours.scheme = system->scheme;
  SLI_RETURN_IF_ERROR(sli_file_system_register(&plugins[plugin_count].ours));
  plugin_count++;
  return NULL;
}

static sli_status_t *load_library(const char *library) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return sli_status_make(SLI_FAILED_PRECONDITION, "%s", dlerror());
  const sl_file_system_t *const *(*entry)(void) = NULL;
  void *symbol = dlsym(handle, "sl_file_system_plugin");
  memcpy(&entry, &symbol, sizeof(entry));
  if (!entry)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "%s: it has no function sl_file_system_plugin (sluice/file_system.h)", library);
  for (const sl_file_system_t *const *system = entry(); system && *system; system++)
    SLI_RETURN_IF_ERROR(add_system(*system, library));
  return NULL;
}

sli_status_t *sli_file_load_plugins(void) {
  const char *list = getenv("SLUICE_FILE_SYSTEMS");
  sli_view_t rest = sli_view(list), one;
  for (bool more = list && *list; more;) {
    more = sli_view_split(rest, ':', &one, &rest);
    if (!one.size) continue;
    char *library = sli_strndup(one.data, one.size);
    sli_status_t *status = load_library(library);
    free(library);
    if (!status) continue;
    sli_status_t *named =
        sli_status_make(sli_status_code(status), "SLUICE_FILE_SYSTEMS: %s", sli_status_message(status));
    sli_status_release(status);
    return named;
  }
  return NULL;
}
