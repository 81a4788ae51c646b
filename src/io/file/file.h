// Files of any file system. The scheme of a path ("file://" or none, or a registered one) selects the file system,
// which is a table of functions. Errors quote the path as the caller wrote it: "<path>; No such file or directory".
//
// All calls block. Functions without a reader or writer are thread-safe. A reader is thread-safe, a writer
// thread-compatible.
#ifndef SLI_IO_FILE_FILE_H_
#define SLI_IO_FILE_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

typedef struct sli_file_reader sli_file_reader_t;
typedef struct sli_file_writer sli_file_writer_t;
typedef struct sli_file_system sli_file_system_t;

typedef enum {
  SLI_FILE_TRUNCATE,   // replaces an existing file by an empty one
  SLI_FILE_APPEND,     // appends; creates the file if it does not exist
  SLI_FILE_EXCLUSIVE,  // ALREADY_EXISTS if the file exists
} sli_file_mode_t;

typedef struct {
  uint64_t size;
  int64_t modified_nanos;  // since 1970
  bool is_directory;
} sli_file_info_t;

// A list of paths or names, which it owns. Zero-initialised is empty.
typedef struct {
  char **items;
  size_t count, capacity;
} sli_path_list_t;
void sli_path_list_deinitialize(sli_path_list_t *list);

// Reading at any position.
// NOT_FOUND and so on if |path| cannot be opened; FAILED_PRECONDITION for a directory.
sli_status_t *sli_file_reader_open(const char *path, sli_file_reader_t **out_reader);
void sli_file_reader_release(sli_file_reader_t *reader);
const char *sli_file_reader_path(const sli_file_reader_t *reader);
// The current size. The file may grow.
sli_status_t *sli_file_reader_size(sli_file_reader_t *reader, uint64_t *out_size);
// Reads up to |size| bytes at |offset|; fewer only at the end of the file.
sli_status_t *sli_file_reader_read(sli_file_reader_t *reader, uint64_t offset, void *data, size_t size,
                                   size_t *out_size);
// Reads exactly |size| bytes; OUT_OF_RANGE if the file ends before.
sli_status_t *sli_file_reader_read_all(sli_file_reader_t *reader, uint64_t offset, void *data, size_t size);

// Writing, buffered. After a failure every later call returns the same status.
sli_status_t *sli_file_writer_open(const char *path, sli_file_mode_t mode, sli_file_writer_t **out_writer);
const char *sli_file_writer_path(const sli_file_writer_t *writer);
sli_status_t *sli_file_writer_write(sli_file_writer_t *writer, const void *data, size_t size);
// Flushes if |size| more bytes do not fit in the buffer. The next |size| bytes then reach the system in one write,
// unless they are more than the buffer holds.
sli_status_t *sli_file_writer_reserve(sli_file_writer_t *writer, size_t size);
// Writes the buffered bytes to the system.
sli_status_t *sli_file_writer_flush(sli_file_writer_t *writer);
// Flushes and waits until the bytes are on the disk.
sli_status_t *sli_file_writer_sync(sli_file_writer_t *writer);
// Flushes and closes; the writer still has to be released.
sli_status_t *sli_file_writer_close(sli_file_writer_t *writer);
// Closes the file if it is open. Discards bytes that were not flushed.
void sli_file_writer_release(sli_file_writer_t *writer);

sli_status_t *sli_file_info(const char *path, sli_file_info_t *out_info);
// Also false if the file system reports an error.
bool sli_file_exists(const char *path);
// Returns the absolute path of a local file or directory, without symbolic links, or a copy of |path| if that fails.
// The caller owns the string.
char *sli_file_absolute_path(const char *path);
// Names in a directory without "." and "..", sorted.
sli_status_t *sli_file_list(const char *directory, sli_path_list_t *out_names);
// The paths that match |pattern|, sorted. * ? [abc] \x match within one component, as in a shell. Paths start with "./"
// if the first component of a relative pattern has one of these. If nothing matches, or the directory does not exist,
// the list is empty.
sli_status_t *sli_file_match(const char *pattern, sli_path_list_t *out_paths);
// Creates the directory and its missing parents. It is no error if they exist.
sli_status_t *sli_file_make_directories(const char *directory);
// Replaces |to| if it exists. UNIMPLEMENTED between two file systems.
sli_status_t *sli_file_rename(const char *from, const char *to);
// Creates a hard link |to| to the file |from|; ALREADY_EXISTS if |to| exists. UNIMPLEMENTED between two file systems,
// and if the file system has no hard links.
sli_status_t *sli_file_link(const char *from, const char *to);
sli_status_t *sli_file_delete(const char *path);
// FAILED_PRECONDITION if it is not empty.
sli_status_t *sli_file_delete_directory(const char *directory);
// Syncs the directory, so that new, renamed and deleted names survive a crash.
sli_status_t *sli_file_sync_directory(const char *directory);
// Reads the whole file. RESOURCE_EXHAUSTED if it has more than |limit| bytes or does not fit in memory, or if it is
// endless.
sli_status_t *sli_file_read_whole(const char *path, size_t limit, sli_string_t *out_bytes);

#endif  // SLI_IO_FILE_FILE_H_
