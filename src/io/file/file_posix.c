// The local file system.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "io/file/file_system.h"

enum {
  MAX_TRANSFER = 1 << 30,    // Linux moves at most 2 GiB in one call
  WRITEBACK_STEP = 8 << 20,  // starts writeback of a long file early, so that a later sync has less to do
};

typedef struct {
  sli_raw_file_t base;
  int fd;
  const char *shown;
  uint64_t written, pushed;  // ends of the bytes written and of the bytes in writeback
} posix_file_t;

static sli_status_t *failed(const char *shown) { return sli_status_from_errno(errno, "%s", shown); }

static sli_status_t *posix_read(sli_raw_file_t *base, uint64_t offset, void *data, size_t size, size_t *out_size) {
  posix_file_t *file = (posix_file_t *)base;
  *out_size = 0;
  if (offset > INT64_MAX - MAX_TRANSFER) return NULL;
  ssize_t got;
  do {
    got = pread(file->fd, data, size < MAX_TRANSFER ? size : MAX_TRANSFER, (off_t)offset);
  } while (got < 0 && errno == EINTR);
  if (got < 0) return failed(file->shown);
  *out_size = (size_t)got;
  return NULL;
}

static sli_status_t *posix_write(sli_raw_file_t *base, const void *data, size_t size) {
  posix_file_t *file = (posix_file_t *)base;
  while (size) {
    ssize_t done = write(file->fd, data, size < MAX_TRANSFER ? size : MAX_TRANSFER);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return failed(file->shown);
    data = (const char *)data + done;
    size -= (size_t)done;
    file->written += (size_t)done;
  }
  if (file->written - file->pushed >= WRITEBACK_STEP) {
    // Only a hint, so failures are ignored: fsync() reports bytes that do not reach the disk.
    sync_file_range(file->fd, (off_t)file->pushed, (off_t)(file->written - file->pushed), SYNC_FILE_RANGE_WRITE);
    file->pushed = file->written;
  }
  return NULL;
}

static sli_status_t *posix_size(sli_raw_file_t *base, uint64_t *out_size) {
  posix_file_t *file = (posix_file_t *)base;
  struct stat info;
  *out_size = 0;
  if (fstat(file->fd, &info) != 0) return failed(file->shown);
  *out_size = (uint64_t)info.st_size;
  return NULL;
}

static sli_status_t *posix_sync(sli_raw_file_t *base) {
  posix_file_t *file = (posix_file_t *)base;
  // EINVAL, EROFS: a pipe or device, which has nothing to sync.
  if (fsync(file->fd) != 0 && errno != EINVAL && errno != EROFS) return failed(file->shown);
  return NULL;
}

static sli_status_t *posix_close(sli_raw_file_t *base) {
  posix_file_t *file = (posix_file_t *)base;
  // After EINTR Linux has closed the file nevertheless.
  sli_status_t *status = close(file->fd) != 0 && errno != EINTR ? failed(file->shown) : NULL;
  free(file);
  return status;
}

static const sli_raw_file_table_t posix_file_table = {
    .read = posix_read,
    .write = posix_write,
    .size = posix_size,
    .sync = posix_sync,
    .close = posix_close,
};

static sli_status_t *posix_open(const char *path, const char *shown, int flags, sli_raw_file_t **out_file) {
  *out_file = NULL;
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  int fd;
  do {
    fd = open(path, flags | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return failed(shown);
  posix_file_t *file = sli_calloc(1, sizeof(*file));
  *file = (posix_file_t){.base = {&posix_file_table}, .fd = fd, .shown = shown};
  *out_file = &file->base;
  return NULL;
}

static sli_status_t *posix_open_read(const char *path, const char *shown, sli_raw_file_t **out_file) {
  SLI_RETURN_IF_ERROR(posix_open(path, shown, O_RDONLY, out_file));
  struct stat info;
  if (fstat(((posix_file_t *)*out_file)->fd, &info) != 0 || !S_ISDIR(info.st_mode)) return NULL;
  sli_status_release(posix_close(*out_file));
  *out_file = NULL;
  return sli_status_from_errno(EISDIR, "%s", shown);
}

static sli_status_t *posix_open_write(const char *path, const char *shown, sli_file_mode_t mode,
                                      sli_raw_file_t **out_file) {
  static const int flags[] = {
      [SLI_FILE_TRUNCATE] = O_TRUNC, [SLI_FILE_APPEND] = O_APPEND, [SLI_FILE_EXCLUSIVE] = O_EXCL};
  SLI_RETURN_IF_ERROR(posix_open(path, shown, O_WRONLY | O_CREAT | flags[mode], out_file));
  posix_file_t *file = (posix_file_t *)*out_file;
  off_t end = lseek(file->fd, 0, SEEK_END);  // fails for a pipe, which has no positions
  file->written = file->pushed = end > 0 ? (uint64_t)end : 0;
  return NULL;
}

static sli_status_t *posix_info(const char *path, const char *shown, sli_file_info_t *out_info) {
  struct stat info;
  *out_info = (sli_file_info_t){0};
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  if (stat(path, &info) != 0) return failed(shown);
  *out_info = (sli_file_info_t){.size = (uint64_t)info.st_size,
                                .modified_nanos = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec,
                                .is_directory = S_ISDIR(info.st_mode)};
  return NULL;
}

static sli_status_t *posix_list(const char *path, const char *shown, sli_path_list_t *out_names) {
  *out_names = (sli_path_list_t){0};
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  DIR *directory = opendir(path);
  if (!directory) return failed(shown);
  errno = 0;
  for (struct dirent *entry; (entry = readdir(directory)); errno = 0) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    sli_array_push(out_names, sli_strdup(entry->d_name));
  }
  sli_status_t *status = errno ? failed(shown) : NULL;
  closedir(directory);
  if (status) sli_path_list_deinitialize(out_names);
  return status;
}

static sli_status_t *posix_make_directory(const char *path, const char *shown) {
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  return mkdir(path, 0777) == 0 ? NULL : failed(shown);
}

static sli_status_t *posix_rename(const char *from, const char *to, const char *shown) {
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(from, shown));
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(to, shown));
  return rename(from, to) == 0 ? NULL : failed(shown);
}

static sli_status_t *posix_link(const char *from, const char *to, const char *shown) {
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(from, shown));
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(to, shown));
  return link(from, to) == 0 ? NULL : failed(shown);
}

static sli_status_t *posix_remove(const char *path, const char *shown) {
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  return unlink(path) == 0 ? NULL : failed(shown);
}

static sli_status_t *posix_remove_directory(const char *path, const char *shown) {
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  return rmdir(path) == 0 ? NULL : failed(shown);
}

static sli_status_t *posix_sync_directory(const char *path, const char *shown) {
  SLI_RETURN_IF_ERROR(sli_file_check_allowed(path, shown));
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return failed(shown);
  // EINVAL: some file systems cannot sync a directory, and need no sync.
  sli_status_t *status = fsync(fd) != 0 && errno != EINVAL ? failed(shown) : NULL;
  close(fd);
  return status;
}

const sli_file_system_t sli_posix_file_system = {
    .scheme = "file",
    .open_read = posix_open_read,
    .open_write = posix_open_write,
    .info = posix_info,
    .list = posix_list,
    .make_directory = posix_make_directory,
    .rename = posix_rename,
    .link = posix_link,
    .remove = posix_remove,
    .remove_directory = posix_remove_directory,
    .sync_directory = posix_sync_directory,
};
