// A file that appears whole or not at all: it is written under a temporary
// name beside its target, synced, and renamed. Whatever fails, the old target
// stays as it was. Thread-compatible; blocks.
#ifndef SLI_IO_ATOMIC_FILE_H_
#define SLI_IO_ATOMIC_FILE_H_

#include "base/status.h"
#include "base/string.h"
#include "io/file.h"

typedef struct sli_atomic_file sli_atomic_file_t;

sli_status_t *sli_atomic_file_create(const char *path, sli_atomic_file_t **out_file);
// Where to write; owned by |file|. The caller neither closes nor releases it.
sli_file_writer_t *sli_atomic_file_writer(sli_atomic_file_t *file);
// Makes the bytes durable under the temporary name: after this, commit can no
// longer fail for want of space. Nothing may be written any more.
sli_status_t *sli_atomic_file_prepare(sli_atomic_file_t *file);
// Prepares if that was not done, renames, syncs the directory.
sli_status_t *sli_atomic_file_commit(sli_atomic_file_t *file);
// Prepares if that was not done and gives the file away under its temporary name: |*out_path|, a new string, is the
// caller's to rename or delete.
sli_status_t *sli_atomic_file_detach(sli_atomic_file_t *file, char **out_path);
// Removes the temporary file unless it was committed or detached. NULL is fine.
void sli_atomic_file_release(sli_atomic_file_t *file);

// All of it in one call.
sli_status_t *sli_atomic_file_write(const char *path, sli_view_t bytes);

#endif  // SLI_IO_ATOMIC_FILE_H_
