// The file "checkpoint" in a directory of checkpoints: a CheckpointState in text format, which lists the newest
// checkpoint and all that are kept. Thread-safe; blocks.
#ifndef SLI_IO_CHECKPOINT_CHECKPOINT_STATE_H_
#define SLI_IO_CHECKPOINT_CHECKPOINT_STATE_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

// Zero-initialised is empty. Owns its memory.
typedef struct {
  char *model_checkpoint_path;  // the newest; NULL if none
  char **all_paths;             // oldest first
  size_t count, capacity;
  double *timestamps;  // one per path, or NULL
  double last_preserved_timestamp;
} sli_checkpoint_state_t;
void sli_checkpoint_state_deinitialize(sli_checkpoint_state_t *state);

// Reads |directory|/|file_name| (NULL: "checkpoint"). Relative paths in it are taken as relative to |directory|.
// NOT_FOUND if the file does not exist; DATA_LOSS, with the line number, if it cannot be parsed.
sli_status_t *sli_checkpoint_state_read(const char *directory, const char *file_name,
                                        sli_checkpoint_state_t *out_state);
// Writes the file atomically. Paths below |directory| are written relative to it if |relative| is set or the directory
// itself is relative, as tf.train.Saver does. The newest checkpoint is added to all_paths if it is missing there.
sli_status_t *sli_checkpoint_state_write(const char *directory, const char *file_name,
                                         const sli_checkpoint_state_t *state, bool relative);

#endif  // SLI_IO_CHECKPOINT_CHECKPOINT_STATE_H_
