// A plugin with a file system: rooted://a/b is the file $ROOTED_FILES/a/b. It shows all functions
// that a store of your own needs; put its client's calls in place of those of the C library.
//
//   cc -shared -fPIC -o librooted_files.so rooted_files.c $(pkg-config --cflags sluice)
//   export ROOTED_FILES=/srv/models SLUICE_FILE_SYSTEMS=$PWD/librooted_files.so
//   sluice inspect rooted://mnist/model.ckpt-1000
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sluice/file_system.h"

static const char SCHEME[] = "rooted://";

// The code and the text for errno.
static sl_file_code_t failed(char *message) {
  int number = errno;
  snprintf(message, SL_FILE_MESSAGE_SIZE, "%s", strerror(number));
  switch (number) {
    case ENOENT: return SL_FILE_NOT_FOUND;
    case EEXIST: return SL_FILE_ALREADY_EXISTS;
    case EACCES: return SL_FILE_PERMISSION_DENIED;
    case ENOSPC: return SL_FILE_RESOURCE_EXHAUSTED;
    case ENOTEMPTY:
    case ENOTDIR:
    case EISDIR: return SL_FILE_FAILED_PRECONDITION;
    default: return SL_FILE_UNKNOWN;
  }
}

// The local path of rooted://…
static sl_file_code_t resolve(const char *path, char local[PATH_MAX], char *message) {
  const char *root = getenv("ROOTED_FILES"), *rest = path + strlen(SCHEME);
  if (!root) {
    snprintf(message, SL_FILE_MESSAGE_SIZE, "set ROOTED_FILES to the directory of these files");
    return SL_FILE_FAILED_PRECONDITION;
  }
  if (strstr(rest, "..")) {
    snprintf(message, SL_FILE_MESSAGE_SIZE, "a path may not contain '..'");
    return SL_FILE_INVALID_ARGUMENT;
  }
  if (snprintf(local, PATH_MAX, "%s/%s", root, rest) < PATH_MAX) return SL_FILE_OK;
  snprintf(message, SL_FILE_MESSAGE_SIZE, "the path is too long");
  return SL_FILE_INVALID_ARGUMENT;
}

// Each function below begins with this.
#define RESOLVE(path, local)                                   \
  char local[PATH_MAX];                                        \
  sl_file_code_t local##_code = resolve(path, local, message); \
  if (local##_code != SL_FILE_OK) return local##_code

// A file is its descriptor plus 1, so that none is NULL.
static int descriptor(void *file) { return (int)(intptr_t)file - 1; }

static sl_file_code_t opened(int fd, void **out_file, char *message) {
  if (fd < 0) return failed(message);
  *out_file = (void *)(intptr_t)(fd + 1);
  return SL_FILE_OK;
}

static sl_file_code_t rooted_open_read(const char *path, void **out_file, char *message) {
  RESOLVE(path, local);
  return opened(open(local, O_RDONLY | O_CLOEXEC), out_file, message);
}

static sl_file_code_t rooted_open_write(const char *path, sl_file_mode_t mode, void **out_file,
                                        char *message) {
  RESOLVE(path, local);
  int how = mode == SL_FILE_APPEND ? O_APPEND : mode == SL_FILE_EXCLUSIVE ? O_EXCL : O_TRUNC;
  return opened(open(local, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666), out_file, message);
}

static sl_file_code_t rooted_read(void *file, uint64_t offset, void *data, size_t size,
                                  size_t *out_size, char *message) {
  ssize_t got = pread(descriptor(file), data, size, (off_t)offset);
  if (got < 0) return failed(message);
  *out_size = (size_t)got;
  return SL_FILE_OK;
}

static sl_file_code_t rooted_size(void *file, uint64_t *out_size, char *message) {
  struct stat info;
  if (fstat(descriptor(file), &info)) return failed(message);
  *out_size = (uint64_t)info.st_size;
  return SL_FILE_OK;
}

static sl_file_code_t rooted_write(void *file, const void *data, size_t size, char *message) {
  for (const char *at = data; size;) {
    ssize_t count = write(descriptor(file), at, size);
    if (count < 0) return failed(message);
    at += count;
    size -= (size_t)count;
  }
  return SL_FILE_OK;
}

static sl_file_code_t rooted_sync(void *file, char *message) {
  return fsync(descriptor(file)) ? failed(message) : SL_FILE_OK;
}

static sl_file_code_t rooted_close(void *file, char *message) {
  return close(descriptor(file)) ? failed(message) : SL_FILE_OK;
}

static sl_file_code_t rooted_info(const char *path, sl_file_info_t *out_info, char *message) {
  RESOLVE(path, local);
  struct stat info;
  if (stat(local, &info)) return failed(message);
  out_info->size = (uint64_t)info.st_size;
  out_info->modified_nanos = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
  out_info->is_directory = S_ISDIR(info.st_mode);
  return SL_FILE_OK;
}

static sl_file_code_t rooted_list(const char *path, void (*add)(void *, const char *),
                                  void *context, char *message) {
  RESOLVE(path, local);
  DIR *directory = opendir(local);
  if (!directory) return failed(message);
  for (struct dirent *entry; (entry = readdir(directory));)
    if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..")) add(context, entry->d_name);
  closedir(directory);
  return SL_FILE_OK;
}

static sl_file_code_t rooted_make_directory(const char *path, char *message) {
  RESOLVE(path, local);
  return mkdir(local, 0777) ? failed(message) : SL_FILE_OK;
}

static sl_file_code_t rooted_rename(const char *from, const char *to, char *message) {
  RESOLVE(from, source);
  RESOLVE(to, target);
  return rename(source, target) ? failed(message) : SL_FILE_OK;
}

static sl_file_code_t rooted_link(const char *from, const char *to, char *message) {
  RESOLVE(from, source);
  RESOLVE(to, target);
  return link(source, target) ? failed(message) : SL_FILE_OK;
}

static sl_file_code_t rooted_remove(const char *path, char *message) {
  RESOLVE(path, local);
  return unlink(local) ? failed(message) : SL_FILE_OK;
}

static sl_file_code_t rooted_remove_directory(const char *path, char *message) {
  RESOLVE(path, local);
  return rmdir(local) ? failed(message) : SL_FILE_OK;
}

static const sl_file_system_t rooted = {
    .struct_size = sizeof(sl_file_system_t),
    .scheme = "rooted",
    .open_read = rooted_open_read,
    .read = rooted_read,
    .size = rooted_size,
    .open_write = rooted_open_write,
    .write = rooted_write,
    .sync = rooted_sync,
    .close = rooted_close,
    .info = rooted_info,
    .list = rooted_list,
    .make_directory = rooted_make_directory,
    .rename = rooted_rename,
    .link = rooted_link,
    .remove = rooted_remove,
    .remove_directory = rooted_remove_directory,
    .reads_ahead = 1,
};

const sl_file_system_t *const *sl_file_system_plugin(void) {
  static const sl_file_system_t *const all[] = {&rooted, NULL};
  return all;
}
