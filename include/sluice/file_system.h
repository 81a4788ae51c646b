// File systems as plugins: a shared library that makes paths "scheme://…" work everywhere Sluice takes a path, in
// checkpoints, records, datasets, summaries, file ops and the command.
//
//   static const sl_file_system_t tape = {sizeof(sl_file_system_t), .scheme = "tape", .open_read = tape_open_read, …};
//   const sl_file_system_t *const *sl_file_system_plugin(void) {
//     static const sl_file_system_t *const all[] = {&tape, NULL};
//     return all;
//   }
//
//   cc -shared -fPIC -o libtape.so tape.c
//   SLUICE_FILE_SYSTEMS=/usr/lib/libtape.so sluice inspect tape://1/model.ckpt-100
//
// SLUICE_FILE_SYSTEMS is a list of libraries, separated by colons. They are loaded when the first path comes whose
// scheme Sluice does not have itself. examples/plugins/rooted_files.c is a whole one; docs/hosting.md is the manual.
//
// Functions may be called by several threads at once, also those of one file that is read; a file that is written is
// used by one thread at a time. They may block, but not for ever. Paths are whole, with the scheme. Each function
// returns SL_FILE_OK, or a code and a text of what went wrong in |message|, to which Sluice adds the path.
#ifndef SLUICE_FILE_SYSTEM_H_
#define SLUICE_FILE_SYSTEM_H_

#pragma GCC system_header  // see sluice/export.h

#include <stddef.h>
#include <stdint.h>

#include "sluice/export.h"

SL_BEGIN_DECLS

// The numbers are those of TF_Code.
typedef enum {
  SL_FILE_OK = 0,
  SL_FILE_UNKNOWN = 2,
  SL_FILE_INVALID_ARGUMENT = 3,
  SL_FILE_NOT_FOUND = 5,
  SL_FILE_ALREADY_EXISTS = 6,
  SL_FILE_PERMISSION_DENIED = 7,
  SL_FILE_RESOURCE_EXHAUSTED = 8,   // such as a full disk
  SL_FILE_FAILED_PRECONDITION = 9,  // a directory where a file is needed, one that is not empty, and so on
  SL_FILE_UNIMPLEMENTED = 12,
  SL_FILE_UNAVAILABLE = 14,  // a later attempt may succeed
  SL_FILE_DATA_LOSS = 15,
} sl_file_code_t;

// The size of |message|, with the NUL.
#define SL_FILE_MESSAGE_SIZE 512

typedef enum {
  SL_FILE_TRUNCATE,   // replaces an existing file
  SL_FILE_APPEND,     // appends; makes the file if it does not exist
  SL_FILE_EXCLUSIVE,  // SL_FILE_ALREADY_EXISTS if it exists
} sl_file_mode_t;

typedef struct {
  uint64_t size;
  int64_t modified_nanos;  // since 1970
  int is_directory;
} sl_file_info_t;

// A file system. Functions that are NULL reply SL_FILE_UNIMPLEMENTED, except where a comment says more.
typedef struct {
  size_t struct_size;  // sizeof(sl_file_system_t): later versions add fields at the end
  const char *scheme;  // "tape", without "://"

  sl_file_code_t (*open_read)(const char *path, void **out_file, char *message);
  // May read fewer bytes; 0 means the end of the file.
  sl_file_code_t (*read)(void *file, uint64_t offset, void *data, size_t size, size_t *out_size, char *message);
  sl_file_code_t (*size)(void *file, uint64_t *out_size, char *message);

  sl_file_code_t (*open_write)(const char *path, sl_file_mode_t mode, void **out_file, char *message);
  // Appends all |size| bytes.
  sl_file_code_t (*write)(void *file, const void *data, size_t size, char *message);
  // Lets readers see what was written; NULL: they see each write.
  sl_file_code_t (*flush)(void *file, char *message);
  // Returns when the bytes survive a crash; NULL: as |flush|.
  sl_file_code_t (*sync)(void *file, char *message);
  // Frees a file of either kind, also on failure.
  sl_file_code_t (*close)(void *file, char *message);

  sl_file_code_t (*info)(const char *path, sl_file_info_t *out_info, char *message);
  // Calls |add| with each name in the directory, in any order.
  sl_file_code_t (*list)(const char *directory, void (*add)(void *context, const char *name), void *context,
                         char *message);
  // Makes one level; SL_FILE_ALREADY_EXISTS if the name exists.
  sl_file_code_t (*make_directory)(const char *directory, char *message);
  // Replaces |to| if it exists. Checkpoints are published by this: a reader must see the old file or the new one.
  sl_file_code_t (*rename)(const char *from, const char *to, char *message);
  // Another name, or a copy, of a file whose content never changes; needed to save a checkpoint a second time under
  // the same name.
  sl_file_code_t (*link)(const char *from, const char *to, char *message);
  sl_file_code_t (*remove)(const char *path, char *message);
  // SL_FILE_FAILED_PRECONDITION if it is not empty.
  sl_file_code_t (*remove_directory)(const char *directory, char *message);

  // Not 0: small reads in sequence are joined to larger ones, of up to 8 MB.
  int reads_ahead;
} sl_file_system_t;

// What the plugin defines: its file systems, with NULL behind the last one. They stay valid until the process ends.
SL_EXPORT const sl_file_system_t *const *sl_file_system_plugin(void);

SL_END_DECLS

#endif  // SLUICE_FILE_SYSTEM_H_
