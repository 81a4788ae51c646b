// Files, whatever holds them: a path's scheme ("file://" or none, or one that
// was registered) chooses a file system, a table of functions. Paths stay as
// the caller wrote them in every message: "<path>; No such file or directory".
//
// All calls block. Free functions are thread-safe; a reader is thread-safe, a
// writer thread-compatible.
#ifndef SLI_IO_FILE_H_
#define SLI_IO_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/string.h"

typedef struct sli_file_reader sli_file_reader_t;
typedef struct sli_file_writer sli_file_writer_t;
typedef struct sli_file_system sli_file_system_t;

typedef enum {
  SLI_FILE_TRUNCATE,   // a new, empty file in place of any old one
  SLI_FILE_APPEND,     // behind what is there; made if absent
  SLI_FILE_EXCLUSIVE,  // ALREADY_EXISTS if it is there
} sli_file_mode_t;

typedef struct {
  uint64_t size;
  int64_t modified_nanos;  // since 1970
  bool is_directory;
} sli_file_info_t;

// Paths or names, owned; zero-initialised is empty.
typedef struct {
  char **items;
  size_t count, capacity;
} sli_path_list_t;
void sli_path_list_deinitialize(sli_path_list_t *list);

// Reading at any position.
// NOT_FOUND and so on when |path| cannot be opened; FAILED_PRECONDITION for a directory.
sli_status_t *sli_file_reader_open(const char *path, sli_file_reader_t **out_reader);
void sli_file_reader_release(sli_file_reader_t *reader);
const char *sli_file_reader_path(const sli_file_reader_t *reader);
// The size now; the file may grow.
sli_status_t *sli_file_reader_size(sli_file_reader_t *reader, uint64_t *out_size);
// Reads up to |size| bytes at |offset|; fewer only at the end of the file.
sli_status_t *sli_file_reader_read(sli_file_reader_t *reader, uint64_t offset, void *data, size_t size,
                                   size_t *out_size);
// Reads exactly |size| bytes; OUT_OF_RANGE when the file ends before.
sli_status_t *sli_file_reader_read_all(sli_file_reader_t *reader, uint64_t offset, void *data, size_t size);
// The whole file as memory, until the reader is released. Only for files that
// nobody shortens meanwhile: touching a page that is gone ends the process.
sli_status_t *sli_file_reader_map(sli_file_reader_t *reader, sli_view_t *out_bytes);

// Writing, buffered. After a failure every later call returns the same status.
sli_status_t *sli_file_writer_open(const char *path, sli_file_mode_t mode, sli_file_writer_t **out_writer);
const char *sli_file_writer_path(const sli_file_writer_t *writer);
sli_status_t *sli_file_writer_write(sli_file_writer_t *writer, const void *data, size_t size);
// Flushes unless |size| more bytes fit in the buffer (or in none): what then comes reaches the system as one piece.
sli_status_t *sli_file_writer_reserve(sli_file_writer_t *writer, size_t size);
// Hands what is buffered to the system.
sli_status_t *sli_file_writer_flush(sli_file_writer_t *writer);
// Flushes and waits until the bytes are on the disk.
sli_status_t *sli_file_writer_sync(sli_file_writer_t *writer);
// Flushes and closes; the writer still has to be released.
sli_status_t *sli_file_writer_close(sli_file_writer_t *writer);
// Drops what was neither flushed nor closed.
void sli_file_writer_release(sli_file_writer_t *writer);

sli_status_t *sli_file_info(const char *path, sli_file_info_t *out_info);
// False also when it cannot be known.
bool sli_file_exists(const char *path);
// Names in a directory without "." and "..", sorted.
sli_status_t *sli_file_list(const char *directory, sli_path_list_t *out_names);
// Paths that match |pattern|, sorted. * ? [abc] \x match within one component, as in a shell.
// No match, or no such directory, is an empty list.
sli_status_t *sli_file_match(const char *pattern, sli_path_list_t *out_paths);
// The directory and its missing parents; one that is there is fine.
sli_status_t *sli_file_make_directories(const char *directory);
// Replaces |to|. UNIMPLEMENTED between two file systems.
sli_status_t *sli_file_rename(const char *from, const char *to);
// Gives the file |from| the second name |to|; ALREADY_EXISTS if that is taken. UNIMPLEMENTED between two file systems
// and where files have one name only.
sli_status_t *sli_file_link(const char *from, const char *to);
sli_status_t *sli_file_delete(const char *path);
// FAILED_PRECONDITION unless it is empty.
sli_status_t *sli_file_delete_directory(const char *directory);
// Makes the directory's names as durable as its files' bytes.
sli_status_t *sli_file_sync_directory(const char *directory);
// The whole file; RESOURCE_EXHAUSTED when it has more than |limit| bytes, more than this machine, or no end.
sli_status_t *sli_file_read_whole(const char *path, size_t limit, sli_string_t *out_bytes);

#endif  // SLI_IO_FILE_H_
