#include "io/file/atomic_file.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/plant.h"
#include "base/random.h"
#include "io/file/path.h"

enum { MAX_NAMES = 100 };  // attempts to find an unused name

struct sli_atomic_file {
  char *target, *temporary;
  sli_file_writer_t *writer;
  bool exists;    // the temporary file exists
  bool prepared;  // the temporary file is synced to the disk
};

sli_status_t *sli_atomic_file_create(const char *path, sli_atomic_file_t **out_file) {
  *out_file = NULL;
  sli_atomic_file_t *file = sli_calloc(1, sizeof(*file));
  file->target = sli_strdup(path);
  sli_status_t *status = NULL;
  // The name may be in use: a forked process draws the same random numbers, and a killed process leaves its file.
  for (int i = 0; i < MAX_NAMES && (i == 0 || sli_status_code(status) == SLI_ALREADY_EXISTS); i++) {
    sli_status_release(status);
    free(file->temporary);
    file->temporary = sli_format("%s.tempstate%llu", path, (unsigned long long)sli_random_u64());
    status = sli_file_writer_open(file->temporary, SLI_FILE_EXCLUSIVE, &file->writer);
  }
  file->exists = !status;
  if (status) {
    sli_atomic_file_release(file);
    return status;
  }
  *out_file = file;
  return NULL;
}

sli_file_writer_t *sli_atomic_file_writer(sli_atomic_file_t *file) { return file->writer; }

sli_status_t *sli_atomic_file_prepare(sli_atomic_file_t *file) {
  if (file->prepared) return NULL;
  if (!SLI_PLANT("no_sync")) SLI_RETURN_IF_ERROR(sli_file_writer_sync(file->writer));
  SLI_RETURN_IF_ERROR(sli_file_writer_close(file->writer));
  file->prepared = true;
  return NULL;
}

sli_status_t *sli_atomic_file_commit(sli_atomic_file_t *file) {
  SLI_RETURN_IF_ERROR(sli_atomic_file_prepare(file));
  SLI_RETURN_IF_ERROR(sli_file_rename(file->temporary, file->target));
  file->exists = false;
  char *directory = sli_path_directory(file->target);
  sli_status_t *status = sli_file_sync_directory(directory);
  free(directory);
  return status;
}

sli_status_t *sli_atomic_file_detach(sli_atomic_file_t *file, char **out_path) {
  *out_path = NULL;
  SLI_RETURN_IF_ERROR(sli_atomic_file_prepare(file));
  file->exists = false;
  *out_path = sli_strdup(file->temporary);
  return NULL;
}

void sli_atomic_file_release(sli_atomic_file_t *file) {
  if (!file) return;
  sli_file_writer_release(file->writer);
  if (file->exists) sli_status_release(sli_file_delete(file->temporary));
  free(file->temporary);
  free(file->target);
  free(file);
}

sli_status_t *sli_atomic_file_write(const char *path, sli_view_t bytes) {
  sli_atomic_file_t *file = NULL;
  sli_status_t *status = NULL;
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_create(path, &file));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_file_writer_write(file->writer, bytes.data, bytes.size));
  SLI_GOTO_IF_ERROR(status, cleanup, sli_atomic_file_commit(file));
cleanup:
  sli_atomic_file_release(file);
  return status;
}
