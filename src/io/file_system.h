// What a file system provides, for those who add one (file.h is for users).
// Paths reach it without the scheme; messages name |shown|, the user's path.
#ifndef SLI_IO_FILE_SYSTEM_H_
#define SLI_IO_FILE_SYSTEM_H_

#include "io/file.h"

// An open file. |file| starts with its table.
typedef struct sli_raw_file sli_raw_file_t;
typedef struct {
  // May read fewer bytes; 0 is the end of the file.
  sli_status_t *(*read)(sli_raw_file_t *file, uint64_t offset, void *data, size_t size, size_t *out_size);
  // Writes all of it at the end.
  sli_status_t *(*write)(sli_raw_file_t *file, const void *data, size_t size);
  sli_status_t *(*size)(sli_raw_file_t *file, uint64_t *out_size);
  // Valid until close.
  sli_status_t *(*map)(sli_raw_file_t *file, sli_view_t *out_bytes);
  sli_status_t *(*sync)(sli_raw_file_t *file);
  // Frees the file whatever it returns.
  sli_status_t *(*close)(sli_raw_file_t *file);
} sli_raw_file_table_t;
struct sli_raw_file {
  const sli_raw_file_table_t *table;
};

// Thread-safe functions. |shown| outlives what is opened.
struct sli_file_system {
  const char *scheme;
  sli_status_t *(*open_read)(const char *path, const char *shown, sli_raw_file_t **out_file);
  sli_status_t *(*open_write)(const char *path, const char *shown, sli_file_mode_t mode, sli_raw_file_t **out_file);
  sli_status_t *(*info)(const char *path, const char *shown, sli_file_info_t *out_info);
  sli_status_t *(*list)(const char *directory, const char *shown, sli_path_list_t *out_names);
  // One level; ALREADY_EXISTS if something of that name is there.
  sli_status_t *(*make_directory)(const char *directory, const char *shown);
  sli_status_t *(*rename)(const char *from, const char *to, const char *shown);
  // A second name for a file. NULL if there is no such thing.
  sli_status_t *(*link)(const char *from, const char *to, const char *shown);
  sli_status_t *(*remove)(const char *path, const char *shown);
  sli_status_t *(*remove_directory)(const char *directory, const char *shown);
  sli_status_t *(*sync_directory)(const char *directory, const char *shown);
};

extern const sli_file_system_t sli_posix_file_system;

// From now on paths that start with "<scheme>://" go to |system|, which lives
// for ever. ALREADY_EXISTS if the scheme has one.
sli_status_t *sli_file_system_register(const sli_file_system_t *system);

#endif  // SLI_IO_FILE_SYSTEM_H_
