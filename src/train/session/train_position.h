// The positions of an input whose records are divided among the workers: an int64 variable for each shard, which the
// steps update and which is saved with the model.
#ifndef SLI_TRAIN_SESSION_TRAIN_POSITION_H_
#define SLI_TRAIN_SESSION_TRAIN_POSITION_H_

#include "base/string.h"
#include "sluice/server.h"
#include "train/session/train_session.h"

enum { SLI_TRAIN_POSITION_SIZE = 3 };

// Builds the variables "NAME/worker_0/position" and so on, which are zeros at first, and writes their values to
// |out_positions|, one for each shard. A checkpoint without them can be restored.
void sli_train_position_build(sl_scope_t *scope, const sl_server_t *server, const char *name, int shards,
                              TF_Output *out_positions);
// Reads |count| positions. Blocks.
sli_status_t *sli_train_position_read(const TF_Output *positions, int count, TF_Session *session,
                                      int64_t (*out_values)[SLI_TRAIN_POSITION_SIZE]);
// Fails the session with |status|, which it takes; NULL: does nothing.
void sli_train_position_fail(sl_session_t *session, sli_status_t *status);

typedef struct {
  const char *name;
  const sl_server_t *server;
  const TF_Output *positions;
  int shards;
  int64_t wait_nanos;  // how long to wait for shards that make no progress
  // Appends what |position| says, unless it is the end: then returns false.
  bool (*describe_rest)(const void *context, const int64_t *position, sli_string_t *out_text);
  const void *context;
} sli_train_position_wait_t;

// The job ends when the chief ends, and a worker that has left cannot read its records again if a ps is lost. So each
// worker waits here until the others are at their end, too, as long as they make progress. Blocks.
sli_status_t *sli_train_position_wait(sl_session_t *session, const sli_train_position_wait_t *wait);

#endif  // SLI_TRAIN_SESSION_TRAIN_POSITION_H_
