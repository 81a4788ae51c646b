// Writes a file atomically: it is written under a temporary name in the target's directory, synced, and renamed. On any
// failure the old target is unchanged. Thread-compatible; blocks.
#ifndef SLI_IO_FILE_ATOMIC_FILE_H_
#define SLI_IO_FILE_ATOMIC_FILE_H_

#include "base/status.h"
#include "base/string.h"
#include "io/file/file.h"

typedef struct sli_atomic_file sli_atomic_file_t;

sli_status_t *sli_atomic_file_create(const char *path, sli_atomic_file_t **out_file);
// The writer of the temporary file. |file| owns it: the caller must not close or release it.
sli_file_writer_t *sli_atomic_file_writer(sli_atomic_file_t *file);
// Syncs the temporary file to the disk and closes it. After this, commit cannot fail for lack of disk space. The caller
// must not write any more.
sli_status_t *sli_atomic_file_prepare(sli_atomic_file_t *file);
// Calls prepare if the caller did not, renames the file, and syncs the directory.
sli_status_t *sli_atomic_file_commit(sli_atomic_file_t *file);
// Calls prepare if the caller did not, and leaves the file under its temporary name, which |*out_path| returns. The
// caller owns the string and must rename or delete the file.
sli_status_t *sli_atomic_file_detach(sli_atomic_file_t *file, char **out_path);
// Removes the temporary file unless it was committed or detached. NULL is fine.
void sli_atomic_file_release(sli_atomic_file_t *file);

// Writes |bytes| to |path| in one call.
sli_status_t *sli_atomic_file_write(const char *path, sli_view_t bytes);

#endif  // SLI_IO_FILE_ATOMIC_FILE_H_
