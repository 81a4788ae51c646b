// The file "checkpoint" in a directory of checkpoints: which is the newest and
// which are kept (a CheckpointState in text form). Thread-safe functions; they
// block.
#ifndef SLI_IO_CHECKPOINT_STATE_H_
#define SLI_IO_CHECKPOINT_STATE_H_

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

// Reads |directory|/|file_name| (NULL: "checkpoint"); relative paths in it become
// paths below |directory|. NOT_FOUND when there is no such file, DATA_LOSS with
// the line when it cannot be understood.
sli_status_t *sli_checkpoint_state_read(const char *directory, const char *file_name,
                                        sli_checkpoint_state_t *out_state);
// Writes the file as a whole or not at all. Paths that |directory| holds are
// written relative to it if |relative| or if the directory itself is relative,
// as tf.train.Saver does; the newest is added to all if it is not among them.
sli_status_t *sli_checkpoint_state_write(const char *directory, const char *file_name,
                                         const sli_checkpoint_state_t *state, bool relative);

// Whether there is a checkpoint |prefix|: V2, V1, or V1 in shards.
bool sli_checkpoint_exists(const char *prefix);
// The newest checkpoint of |directory| whose files are there, a new string; NULL
// if there is none. Unreadable state files count as absent, with a warning.
char *sli_checkpoint_latest(const char *directory, const char *file_name);
// Deletes the files of checkpoint |prefix| and PREFIX.meta; absent ones are fine.
sli_status_t *sli_checkpoint_delete(const char *prefix);

#endif  // SLI_IO_CHECKPOINT_STATE_H_
