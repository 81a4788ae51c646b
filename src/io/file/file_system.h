// The interface of a file system, for its implementers; users include file.h. Functions get paths without the scheme.
// Errors quote |shown|, the path as the user wrote it.
#ifndef SLI_IO_FILE_FILE_SYSTEM_H_
#define SLI_IO_FILE_FILE_SYSTEM_H_

#include "io/file/file.h"

// An open file. Implementations embed sli_raw_file_t as their first member.
typedef struct sli_raw_file sli_raw_file_t;
typedef struct {
  // May read fewer bytes; 0 means the end of the file.
  sli_status_t *(*read)(sli_raw_file_t *file, uint64_t offset, void *data, size_t size, size_t *out_size);
  // Appends all |size| bytes.
  sli_status_t *(*write)(sli_raw_file_t *file, const void *data, size_t size);
  sli_status_t *(*size)(sli_raw_file_t *file, uint64_t *out_size);
  // Lets readers see what was written; NULL if they see each write.
  sli_status_t *(*flush)(sli_raw_file_t *file);
  sli_status_t *(*sync)(sli_raw_file_t *file);
  // Frees the file, also on failure.
  sli_status_t *(*close)(sli_raw_file_t *file);
} sli_raw_file_table_t;
struct sli_raw_file {
  const sli_raw_file_table_t *table;
};

// All functions are thread-safe. |shown| stays valid until an opened file is closed.
struct sli_file_system {
  const char *scheme;
  sli_status_t *(*open_read)(const char *path, const char *shown, sli_raw_file_t **out_file);
  sli_status_t *(*open_write)(const char *path, const char *shown, sli_file_mode_t mode, sli_raw_file_t **out_file);
  sli_status_t *(*info)(const char *path, const char *shown, sli_file_info_t *out_info);
  sli_status_t *(*list)(const char *directory, const char *shown, sli_path_list_t *out_names);
  // Creates one level; ALREADY_EXISTS if the name exists.
  sli_status_t *(*make_directory)(const char *directory, const char *shown);
  sli_status_t *(*rename)(const char *from, const char *to, const char *shown);
  // Creates a hard link. NULL if the file system has none.
  sli_status_t *(*link)(const char *from, const char *to, const char *shown);
  sli_status_t *(*remove)(const char *path, const char *shown);
  sli_status_t *(*remove_directory)(const char *directory, const char *shown);
  sli_status_t *(*sync_directory)(const char *directory, const char *shown);
};

// PERMISSION_DENIED if |path| is outside of the directories in SLUICE_ALLOW_PATH, which are separated by colons and
// read at the first call; without it all are allowed.
sli_status_t *sli_file_check_allowed(const char *path, const char *shown);

// PERMISSION_DENIED if SLUICE_ALLOW_PATH limits this task to some directories: files elsewhere are not in them.
sli_status_t *sli_file_check_remote_allowed(const char *shown);

extern const sli_file_system_t sli_posix_file_system;
extern const sli_file_system_t sli_s3_file_system;
extern const sli_file_system_t sli_http_file_system, sli_https_file_system;
extern const sli_file_system_t sli_hdfs_file_system, sli_webhdfs_file_system, sli_swebhdfs_file_system;

// Loads the file systems of the libraries in SLUICE_FILE_SYSTEMS. To be called once.
sli_status_t *sli_file_load_plugins(void);

// Registers |system| for paths that start with "<scheme>://". |system| must stay valid until the process ends.
// ALREADY_EXISTS if the scheme is registered.
sli_status_t *sli_file_system_register(const sli_file_system_t *system);

#endif  // SLI_IO_FILE_FILE_SYSTEM_H_
