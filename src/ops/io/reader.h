// Readers: they take names of files (work units) from a queue, one after the other,
// and give their records. Requests are served in order; one that waits for a
// name holds no thread. Thread-safe.
#ifndef SLI_OPS_IO_READER_H_
#define SLI_OPS_IO_READER_H_

#include "base/array.h"
#include "core/node_def.h"
#include "core/tensor.h"
#include "ops/queue/queue.h"

typedef struct sli_reader sli_reader_t;
extern const sli_object_type_t sli_reader_type;

// What a kind of reader does with one work unit. Called for one request at a time.
typedef struct {
  const char *name;  // "TFRecordReader"
  // Opens |work|. A failure skips the unit.
  sli_status_t *(*start)(void *state, const char *work);
  // The next record: appends to both and sets |*out_produced|, or sets |*out_at_end|, or both.
  sli_status_t *(*read)(void *state, const char *work, sli_string_t *key, sli_tstring_t *value, bool *out_produced,
                        bool *out_at_end);
  // Closes what |start| opened; without effect if nothing is open.
  void (*stop)(void *state);
  bool can_save;  // the counters and the name of the last unit are all there is to its state
} sli_reader_kind_t;

// Takes over |state|, malloc'ed; |kind->stop| runs before it is freed.
sli_reader_t *sli_reader_create(const sli_reader_kind_t *kind, void *state, sli_view_t name);

typedef struct {
  SLI_ARRAY(sli_tstring_t) keys, values;  // the callee may take elements and leave empty ones
} sli_records_t;
// The end of a request, exactly once, on any thread, maybe before the call returned: consumes |status|.
typedef void (*sli_reader_done_t)(void *user, sli_status_t *status, sli_records_t *records);

// Reads up to |limit| records, of one unit if any come. The queue's errors, those of the files.
void sli_reader_read(sli_reader_t *reader, sli_queue_t *queue, sli_cancellation_t *cancellation, int64_t limit,
                     sli_reader_done_t done, void *user);
// Back to the start, with nothing open.
void sli_reader_reset(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_reader_done_t done, void *user);
// The state as the one value of |records|. UNIMPLEMENTED for readers of files.
void sli_reader_save(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_reader_done_t done, void *user);
void sli_reader_restore(sli_reader_t *reader, sli_cancellation_t *cancellation, sli_view_t state,
                        sli_reader_done_t done, void *user);

int64_t sli_reader_records_produced(sli_reader_t *reader);
int64_t sli_reader_units_completed(sli_reader_t *reader);

#endif  // SLI_OPS_IO_READER_H_
