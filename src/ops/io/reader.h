// A reader takes the names of files (work units) from a queue, one at a time, and returns their records. Requests are
// served in order. No call blocks while a request waits for a name. Thread-safe.
#ifndef SLI_OPS_IO_READER_H_
#define SLI_OPS_IO_READER_H_

#include "base/array.h"
#include "base/thread_pool.h"
#include "core/op/node_def.h"
#include "core/tensor/tensor.h"
#include "ops/queue/queue.h"

typedef struct sli_reader sli_reader_t;
extern const sli_object_type_t sli_reader_type;

// The functions of a kind of reader. They are called for one request at a time.
typedef struct {
  const char *name;  // "TFRecordReader"
  // Opens the work unit |work|. If it fails, the unit is skipped.
  sli_status_t *(*start)(void *state, const char *work);
  // Reads the next record: writes key and value and sets |*out_produced|, or sets |*out_at_end|, or both.
  sli_status_t *(*read)(void *state, const char *work, sli_string_t *key, sli_tstring_t *value, bool *out_produced,
                        bool *out_at_end);
  // Closes what |start| opened; does nothing if nothing is open.
  void (*stop)(void *state);
  bool can_save;  // the whole state is the counters and the name of the last unit
} sli_reader_kind_t;

// Owns |state|, which must be allocated with malloc; |kind->stop| is called before it is freed. The caller owns the
// reference to the reader.
sli_reader_t *sli_reader_create(const sli_reader_kind_t *kind, void *state, sli_view_t name);

typedef struct {
  SLI_ARRAY(sli_tstring_t) keys, values;  // the callback may move elements out and leave empty ones
} sli_reader_records_t;
// Called exactly once when a request ends, on any thread, possibly before the call returns. Owns |status|.
typedef void (*sli_reader_done_t)(void *user, sli_status_t *status, sli_reader_records_t *records);

// Reads up to |limit| records. Continues with the next unit only while it has no record. Passes on the errors of the
// queue and of the files. If the queue is empty, the file is read on a thread of |pool| for tasks that block; NULL: on
// the thread that enqueues its name.
void sli_reader_read(sli_reader_t *reader, sli_queue_t *queue, sli_thread_pool_t *pool,
                     sli_cancellation_t *cancellation, int64_t limit, sli_reader_done_t done, void *user);
// Resets the reader to its initial state and closes its file.
void sli_reader_reset(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_reader_done_t done, void *user);
// Returns the serialized state as the only value of |records|. UNIMPLEMENTED unless |kind->can_save|.
void sli_reader_save(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_reader_done_t done, void *user);
// Restores a state that sli_reader_save returned. INVALID_ARGUMENT if it is malformed.
void sli_reader_restore(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_view_t state,
                        sli_reader_done_t done, void *user);

int64_t sli_reader_records_produced(sli_reader_t *reader);
int64_t sli_reader_units_completed(sli_reader_t *reader);

#endif  // SLI_OPS_IO_READER_H_
