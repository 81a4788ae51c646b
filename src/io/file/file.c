// Selects a file system by scheme, and implements what all file systems share: complete reads, write buffers, keeping
// the first error, globbing, creating parent directories.
#include "io/file/file.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/sync.h"
#include "io/file/file_system.h"
#include "io/file/path.h"

enum {
  MAX_SYSTEMS = 32,
  BUFFER_SIZE = 64 << 10,
};

static struct {
  sli_mutex_t mutex;
  const sli_file_system_t *items[MAX_SYSTEMS];
  size_t count;
} systems = {.mutex = SLI_MUTEX_INITIALIZER,
             .items = {&sli_posix_file_system, &sli_s3_file_system, &sli_http_file_system, &sli_https_file_system,
                       &sli_hdfs_file_system, &sli_webhdfs_file_system, &sli_swebhdfs_file_system},
             .count = 7};

static const sli_file_system_t *find_locked(sli_view_t scheme) {
  for (size_t i = 0; i < systems.count; i++)
    if (sli_view_is(scheme, systems.items[i]->scheme)) return systems.items[i];
  return NULL;
}

sli_status_t *sli_file_system_register(const sli_file_system_t *system) {
  sli_status_t *status = NULL;
  sli_mutex_lock(&systems.mutex);
  if (find_locked(sli_view(system->scheme)))
    status = sli_status_make(SLI_ALREADY_EXISTS, "File system for %s already registered", system->scheme);
  else if (systems.count == MAX_SYSTEMS)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "Cannot register the file system for %s: at most %d are supported",
                             system->scheme, MAX_SYSTEMS);
  else
    systems.items[systems.count++] = system;
  sli_mutex_unlock(&systems.mutex);
  return status;
}

static pthread_once_t plugins_once = PTHREAD_ONCE_INIT;
static sli_status_t *plugins_failure;  // for all paths of schemes that are not known

static void load_plugins(void) { plugins_failure = sli_file_load_plugins(); }

static const sli_file_system_t *find(sli_view_t scheme) {
  sli_mutex_lock(&systems.mutex);
  const sli_file_system_t *system = find_locked(scheme);
  sli_mutex_unlock(&systems.mutex);
  return system;
}

// Finds the file system of |path|, and the path without the scheme.
static sli_status_t *resolve(const char *path, const sli_file_system_t **out_system, const char **out_rest) {
  sli_view_t scheme;
  *out_system = &sli_posix_file_system;
  sli_path_split_scheme(path, &scheme, out_rest);
  if (scheme.size == 0) return NULL;
  *out_system = find(scheme);
  if (!*out_system) {
    SLI_RETURN_IF_ERROR(sli_file_check_remote_allowed(path));
    pthread_once(&plugins_once, load_plugins);
    *out_system = find(scheme);
    if (!*out_system && plugins_failure)
      return sli_status_make(sli_status_code(plugins_failure), "%s; %s", path, sli_status_message(plugins_failure));
  }
  if (!*out_system)
    return sli_status_make(SLI_UNIMPLEMENTED, "File system scheme '%.*s' not implemented (file: '%s')",
                           SLI_VIEW_ARG(scheme), path);
  // file://host/path: the host is ignored.
  if (*out_system == &sli_posix_file_system) {
    const char *slash = strchr(*out_rest, '/');
    *out_rest = slash ? slash : "";
    return NULL;
  }
  return sli_file_check_remote_allowed(path);
}

void sli_path_list_deinitialize(sli_path_list_t *list) {
  for (size_t i = 0; i < list->count; i++) free(list->items[i]);
  sli_array_deinitialize(list);
}

static int compare_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void sort_list(sli_path_list_t *list) {
  if (list->count) qsort(list->items, list->count, sizeof(*list->items), compare_text);
}

// Reading.

struct sli_file_reader {
  sli_raw_file_t *raw;
  char *path;
};

sli_status_t *sli_file_reader_open(const char *path, sli_file_reader_t **out_reader) {
  *out_reader = NULL;
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(path, &system, &rest));
  sli_file_reader_t *reader = sli_calloc(1, sizeof(*reader));
  reader->path = sli_strdup(path);
  sli_status_t *status = system->open_read(rest, reader->path, &reader->raw);
  if (status) {
    sli_file_reader_release(reader);
    return status;
  }
  *out_reader = reader;
  return NULL;
}

void sli_file_reader_release(sli_file_reader_t *reader) {
  if (!reader) return;
  if (reader->raw) sli_status_release(reader->raw->table->close(reader->raw));
  free(reader->path);
  free(reader);
}

const char *sli_file_reader_path(const sli_file_reader_t *reader) { return reader->path; }

sli_status_t *sli_file_reader_size(sli_file_reader_t *reader, uint64_t *out_size) {
  return reader->raw->table->size(reader->raw, out_size);
}

sli_status_t *sli_file_reader_read(sli_file_reader_t *reader, uint64_t offset, void *data, size_t size,
                                   size_t *out_size) {
  *out_size = 0;
  while (*out_size < size) {
    size_t got;
    SLI_RETURN_IF_ERROR(
        reader->raw->table->read(reader->raw, offset + *out_size, (char *)data + *out_size, size - *out_size, &got));
    if (got == 0) break;
    *out_size += got;
  }
  return NULL;
}

sli_status_t *sli_file_reader_read_all(sli_file_reader_t *reader, uint64_t offset, void *data, size_t size) {
  size_t got;
  SLI_RETURN_IF_ERROR(sli_file_reader_read(reader, offset, data, size, &got));
  if (got == size) return NULL;
  return sli_status_make(SLI_OUT_OF_RANGE, "%s; Read less bytes than requested: %zu of %zu at offset %llu",
                         reader->path, got, size, (unsigned long long)offset);
}

// Writing.

struct sli_file_writer {
  sli_raw_file_t *raw;  // NULL once closed
  char *path;
  char *buffer;
  size_t buffered;
  sli_status_t *failure;  // the first failure
};

sli_status_t *sli_file_writer_open(const char *path, sli_file_mode_t mode, sli_file_writer_t **out_writer) {
  *out_writer = NULL;
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(path, &system, &rest));
  sli_file_writer_t *writer = sli_calloc(1, sizeof(*writer));
  writer->path = sli_strdup(path);
  sli_status_t *status = system->open_write(rest, writer->path, mode, &writer->raw);
  if (status) {
    sli_file_writer_release(writer);
    return status;
  }
  writer->buffer = sli_malloc(BUFFER_SIZE);
  *out_writer = writer;
  return NULL;
}

void sli_file_writer_release(sli_file_writer_t *writer) {
  if (!writer) return;
  if (writer->raw) sli_status_release(writer->raw->table->close(writer->raw));
  sli_status_release(writer->failure);
  free(writer->buffer);
  free(writer->path);
  free(writer);
}

const char *sli_file_writer_path(const sli_file_writer_t *writer) { return writer->path; }

// Stores |status| in the writer if it is the first failure. Returns |status|.
static sli_status_t *keep(sli_file_writer_t *writer, sli_status_t *status) {
  if (status && !writer->failure) writer->failure = sli_status_retain(status);
  return status;
}

static sli_status_t *check_open(sli_file_writer_t *writer) {
  if (writer->failure) return sli_status_retain(writer->failure);
  if (!writer->raw) return sli_status_make(SLI_FAILED_PRECONDITION, "%s; the file is closed", writer->path);
  return NULL;
}

// Gives the buffered bytes to the file system.
static sli_status_t *write_out(sli_file_writer_t *writer) {
  SLI_RETURN_IF_ERROR(check_open(writer));
  size_t size = writer->buffered;
  writer->buffered = 0;
  return size ? keep(writer, writer->raw->table->write(writer->raw, writer->buffer, size)) : NULL;
}

sli_status_t *sli_file_writer_write(sli_file_writer_t *writer, const void *data, size_t size) {
  SLI_RETURN_IF_ERROR(check_open(writer));
  if (size > BUFFER_SIZE - writer->buffered) SLI_RETURN_IF_ERROR(write_out(writer));
  if (size >= BUFFER_SIZE) return keep(writer, writer->raw->table->write(writer->raw, data, size));
  if (size) memcpy(writer->buffer + writer->buffered, data, size);
  writer->buffered += size;
  return NULL;
}

sli_status_t *sli_file_writer_reserve(sli_file_writer_t *writer, size_t size) {
  return size > BUFFER_SIZE - writer->buffered ? write_out(writer) : NULL;
}

sli_status_t *sli_file_writer_flush(sli_file_writer_t *writer) {
  SLI_RETURN_IF_ERROR(write_out(writer));
  return writer->raw->table->flush ? keep(writer, writer->raw->table->flush(writer->raw)) : NULL;
}

sli_status_t *sli_file_writer_sync(sli_file_writer_t *writer) {
  SLI_RETURN_IF_ERROR(write_out(writer));
  return keep(writer, writer->raw->table->sync(writer->raw));
}

sli_status_t *sli_file_writer_close(sli_file_writer_t *writer) {
  SLI_RETURN_IF_ERROR(write_out(writer));
  sli_raw_file_t *raw = writer->raw;
  writer->raw = NULL;
  return keep(writer, raw->table->close(raw));
}

// Names.

sli_status_t *sli_file_info(const char *path, sli_file_info_t *out_info) {
  *out_info = (sli_file_info_t){0};
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(path, &system, &rest));
  return system->info(rest, path, out_info);
}

bool sli_file_exists(const char *path) {
  sli_file_info_t info;
  sli_status_t *status = sli_file_info(path, &info);
  sli_status_release(status);
  return !status;
}

char *sli_file_absolute_path(const char *path) {
  char *absolute = realpath(path, NULL);
  return absolute ? absolute : sli_strdup(path);
}

static bool is_directory(const char *path) {
  sli_file_info_t info;
  sli_status_t *status = sli_file_info(path, &info);
  sli_status_release(status);
  return !status && info.is_directory;
}

sli_status_t *sli_file_list(const char *directory, sli_path_list_t *out_names) {
  *out_names = (sli_path_list_t){0};
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(directory, &system, &rest));
  SLI_RETURN_IF_ERROR(system->list(rest, directory, out_names));
  sort_list(out_names);
  return NULL;
}

// Removes the first component from |*pattern| and returns a copy of it. |*out_special|: it has special characters.
static char *next_component(const char **pattern, bool *out_special) {
  while (**pattern == '/') ++*pattern;
  size_t length = strcspn(*pattern, "/");
  char *component = sli_strndup(*pattern, length);
  *pattern += length;
  while (**pattern == '/') ++*pattern;
  *out_special = strpbrk(component, "*?[\\") != NULL;
  return component;
}

// Appends the paths below |directory| that match |pattern|. Recurses only into directories that exist, so the recursion
// is not deep.
static sli_status_t *match_below(const char *directory, const char *pattern, sli_path_list_t *paths) {
  sli_status_t *status = NULL;
  sli_path_list_t names = {0};
  char *path = sli_strdup(directory), *component = NULL;
  bool special = false;
  while (*pattern && !special) {
    free(component);
    component = next_component(&pattern, &special);
    if (special) break;
    char *longer = sli_path_join(path, component);
    free(path);
    path = longer;
  }
  if (!special) {
    if (sli_file_exists(path)) sli_array_push(paths, sli_strdup(path));
    goto cleanup;
  }
  if (!*path) {  // the names found are written "./name", as TensorFlow does
    free(path);
    path = sli_strdup(".");
  }
  status = sli_file_list(path, &names);
  switch (sli_status_code(status)) {
    case SLI_NOT_FOUND:
    case SLI_FAILED_PRECONDITION:
    case SLI_PERMISSION_DENIED:
      sli_status_release(status);
      status = NULL;
      break;
    default: break;
  }
  for (size_t i = 0; !status && i < names.count; i++) {
    if (fnmatch(component, names.items[i], 0) != 0) continue;
    char *found = sli_path_join(path, names.items[i]);
    if (*pattern)
      status = match_below(found, pattern, paths);
    else
      sli_array_push(paths, sli_strdup(found));
    free(found);
  }
cleanup:
  sli_path_list_deinitialize(&names);
  free(component);
  free(path);
  return status;
}

sli_status_t *sli_file_match(const char *pattern, sli_path_list_t *out_paths) {
  *out_paths = (sli_path_list_t){0};
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(pattern, &system, &rest));
  sli_view_t scheme;
  sli_path_split_scheme(pattern, &scheme, &rest);
  // The root: "", "/", "scheme://", "scheme:///".
  char *root = sli_strndup(pattern, (size_t)(rest - pattern) + (rest[0] == '/'));
  sli_status_t *status = match_below(root, rest, out_paths);
  free(root);
  if (status)
    sli_path_list_deinitialize(out_paths);
  else
    sort_list(out_paths);
  return status;
}

static sli_status_t *make_directory(const char *directory) {
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(directory, &system, &rest));
  sli_status_t *status = system->make_directory(rest, directory);
  if (sli_status_code(status) != SLI_ALREADY_EXISTS || !is_directory(directory)) return status;
  sli_status_release(status);
  return NULL;
}

sli_status_t *sli_file_make_directories(const char *directory) {
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(directory, &system, &rest));
  if (*rest == '\0' || is_directory(directory)) return NULL;
  char *path = sli_strdup(directory);
  size_t start = strlen(directory) - strlen(rest), size = strlen(path);
  while (size > start + 1 && path[size - 1] == '/') size--;
  path[size] = '\0';
  // Go back to the longest parent that exists, replacing slashes by NULs. Then go forward and create directories.
  for (size_t i = size; i > start; i--) {
    if (path[i] != '/') continue;
    path[i] = '\0';
    if (is_directory(path)) break;
  }
  sli_status_t *status = NULL;
  for (size_t end = strlen(path); !status; end += strlen(path + end)) {
    status = make_directory(path);
    if (end >= size) break;
    path[end] = '/';
  }
  free(path);
  return status;
}

sli_status_t *sli_file_rename(const char *from, const char *to) {
  const sli_file_system_t *system, *other;
  const char *rest, *target;
  SLI_RETURN_IF_ERROR(resolve(from, &system, &rest));
  SLI_RETURN_IF_ERROR(resolve(to, &other, &target));
  if (system != other) return sli_status_make(SLI_UNIMPLEMENTED, "Renaming %s to %s not implemented", from, to);
  return system->rename(rest, target, from);
}

sli_status_t *sli_file_link(const char *from, const char *to) {
  const sli_file_system_t *system, *other;
  const char *rest, *target;
  SLI_RETURN_IF_ERROR(resolve(from, &system, &rest));
  SLI_RETURN_IF_ERROR(resolve(to, &other, &target));
  if (system != other || !system->link)
    return sli_status_make(SLI_UNIMPLEMENTED, "Linking %s to %s not implemented", from, to);
  return system->link(rest, target, from);
}

sli_status_t *sli_file_delete(const char *path) {
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(path, &system, &rest));
  return system->remove(rest, path);
}

sli_status_t *sli_file_delete_directory(const char *directory) {
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(directory, &system, &rest));
  return system->remove_directory(rest, directory);
}

sli_status_t *sli_file_sync_directory(const char *directory) {
  if (*directory == '\0') directory = ".";
  const sli_file_system_t *system;
  const char *rest;
  SLI_RETURN_IF_ERROR(resolve(directory, &system, &rest));
  return system->sync_directory(rest, directory);
}

// The largest number of bytes to read from a file that reports a size of |hint|: at most |limit|, at most the memory of
// the machine, and not much more than |hint|, because a file may be endless.
static size_t bounded(size_t limit, uint64_t hint) {
  static const uint64_t more = (uint64_t)256 << 20;  // than |hint|
  uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t most = hint + more < memory ? hint + more : memory;
  return most < limit ? (size_t)most : limit;
}

sli_status_t *sli_file_read_whole(const char *path, size_t limit, sli_string_t *out_bytes) {
  *out_bytes = (sli_string_t){0};
  sli_file_reader_t *reader = NULL;
  SLI_RETURN_IF_ERROR(sli_file_reader_open(path, &reader));
  sli_status_t *status = NULL;
  uint64_t hint = 0;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_reader_size(reader, &hint));
  limit = bounded(limit, hint);
  bool is_larger = hint > limit;
  // The size is only a hint: files in /proc report 0, and other files may grow.
  for (size_t got = 1; got && !is_larger;) {
    size_t room = hint > out_bytes->size ? (size_t)hint - out_bytes->size : BUFFER_SIZE;
    size_t start = out_bytes->size;
    SLI_GOTO_IF_ERROR(status, cleanup,
                      sli_file_reader_read(reader, start, sli_string_extend(out_bytes, room), room, &got));
    out_bytes->size = start + got;
    out_bytes->data[out_bytes->size] = '\0';
    is_larger = out_bytes->size > limit;
  }
  if (is_larger) status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s; the file has more than %zu bytes", path, limit);
cleanup:
  if (status) sli_string_deinitialize(out_bytes);
  sli_file_reader_release(reader);
  return status;
}
