// The files of a checkpoint, of either format: whether they exist, and deleting them. Thread-safe; blocks.
#ifndef SLI_IO_CHECKPOINT_CHECKPOINT_FILES_H_
#define SLI_IO_CHECKPOINT_CHECKPOINT_FILES_H_

#include <stdbool.h>

#include "base/status.h"

// Whether the checkpoint |prefix| exists as V2, V1, or sharded V1.
bool sli_checkpoint_exists(const char *prefix);
// The newest checkpoint of |directory| whose files exist; NULL if there is none. The caller owns the string. A state
// file that cannot be read is treated as missing, with a warning.
char *sli_checkpoint_latest(const char *directory, const char *file_name);
// Deletes the files of checkpoint |prefix| and PREFIX.meta. Missing files are no error.
sli_status_t *sli_checkpoint_delete(const char *prefix);

#endif  // SLI_IO_CHECKPOINT_CHECKPOINT_FILES_H_
