// The disk, which all hosts share: real files below the run's directory. Writes, syncs and renames can fail, and what
// was not synced when a host lost its power is torn.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "tests/simulate/world_internal.h"

enum { WRITE_NANOS = 5000, SYNC_NANOS = 1000000 };

// A file with bytes that may not be on the disk yet.
typedef struct {
  char *path;
  int fd;  // -1: closed
  int host;
  off_t synced;
} unsynced_t;

static SLI_ARRAY(unsynced_t) unsynced;
static bool is_full;

void world_fill_disk(bool full) {
  if (full != is_full) world_note(NULL, full ? "the disk is full" : "the disk has room again");
  is_full = full;
}

static unsynced_t *find(int fd) {
  for (size_t i = 0; i < unsynced.count; i++)
    if (unsynced.items[i].fd == fd) return &unsynced.items[i];
  return NULL;
}

static bool is_ours(const char *path) {
  return strncmp(path, world_options.directory, strlen(world_options.directory)) == 0;
}

static const char *shown(const char *path) { return is_ours(path) ? path + strlen(world_options.directory) + 1 : path; }

int __wrap_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  world_charge(WRITE_NANOS);
  int fd = open(path, flags, mode);
  if (fd >= 0 && (flags & O_ACCMODE) != O_RDONLY && is_ours(path) && world_current) {
    struct stat info;
    fstat(fd, &info);
    sli_array_push(&unsynced, ((unsynced_t){sli_strdup(path), fd, world_current->process->host, info.st_size}));
  }
  return fd;
}

// Lines of the log go to the history.
static void note_log(const char *data, size_t size) {
  while (size && data[size - 1] == '\n') size--;
  char *line = sli_strndup(data, size), *text = line;
  // The history has the time already.
  if (size > 29 && line[4] == '-' && line[26] == ':') text = line + 28;
  world_note(world_current->process, "says: %s", text);
  world_pass_line(line, false);
  free(line);
}

ssize_t world_disk_write(int fd, const void *data, size_t size) {
  if (!world_current) return write(fd, data, size);
  if (fd == STDERR_FILENO || fd == STDOUT_FILENO) {
    note_log(data, size);
    return (ssize_t)size;
  }
  world_charge(WRITE_NANOS + (int64_t)size / 2);
  if (is_full && find(fd)) {
    errno = ENOSPC;
    return -1;
  }
  return write(fd, data, size);
}

int __wrap_fsync(int fd) {
  unsynced_t *file = find(fd);
  struct stat info;
  if (world_current) world_block(NULL, "the disk", world_now() + SYNC_NANOS + (int64_t)world_random(4 * SYNC_NANOS));
  file = find(fd);
  if (is_full && file) {
    errno = ENOSPC;
    return -1;
  }
  if (file && fstat(fd, &info) == 0) file->synced = info.st_size;
  return 0;
}

int __wrap_sync_file_range(int fd, off_t from, off_t size, unsigned flags) { return 0; }

int world_disk_close(int fd) {
  unsynced_t *file = find(fd);
  if (file) file->fd = -1;
  return close(fd);
}

int __wrap_rename(const char *from, const char *to) {
  world_charge(WRITE_NANOS);
  if (world_current && is_ours(to)) {
    world_note(world_current->process, "renames a file to %s", shown(to));
    world_pass_line(shown(to), true);
  }
  for (size_t i = 0; i < unsynced.count; i++) {
    if (strcmp(unsynced.items[i].path, to) == 0) unsynced.items[i].host = -1;
    if (strcmp(unsynced.items[i].path, from) == 0) {
      free(unsynced.items[i].path);
      unsynced.items[i].path = sli_strdup(to);
    }
  }
  return rename(from, to);
}

int __wrap_unlink(const char *path) {
  world_charge(WRITE_NANOS);
  for (size_t i = 0; i < unsynced.count; i++)
    if (strcmp(unsynced.items[i].path, path) == 0) unsynced.items[i].host = -1;
  return unlink(path);
}

void world_disk_tear(int host) {
  for (size_t i = 0; i < unsynced.count; i++) {
    unsynced_t *file = &unsynced.items[i];
    struct stat info;
    if (file->host != host || stat(file->path, &info) != 0 || info.st_size <= file->synced) continue;
    off_t kept = file->synced + (off_t)world_random((uint64_t)(info.st_size - file->synced) + 1);
    world_note(NULL, "%s is torn: %lld of %lld bytes", shown(file->path), (long long)kept, (long long)info.st_size);
    if (truncate(file->path, kept) != 0) abort();
    file->host = -1;
  }
}

// --- Output of programs ---

int __wrap_fprintf(FILE *file, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  char *text = NULL;
  int size = vasprintf(&text, format, arguments);
  va_end(arguments);
  if (world_current && (file == stderr || file == stdout))
    note_log(text, (size_t)size);
  else
    fputs(text, file);
  free(text);
  return size;
}

int __wrap_fputs(const char *text, FILE *file) {
  if (!world_current || (file != stderr && file != stdout)) return fputs(text, file);
  note_log(text, strlen(text));
  return 0;
}

size_t __wrap_fwrite(const void *data, size_t size, size_t count, FILE *file) {
  if (!world_current || (file != stderr && file != stdout)) return fwrite(data, size, count, file);
  note_log(data, size * count);
  return count;
}

int __wrap_fflush(FILE *file) { return 0; }
