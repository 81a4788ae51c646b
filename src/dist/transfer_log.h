// What tensors a task received from others, per step, while a master has RPC
// logging switched on, as TensorFlow's does for a traced run (the rows that
// WorkerService.Logging hands out), or in a step that is traced here. Bounded;
// off, it costs two loads. Thread-safe.
#ifndef SLI_DIST_TRANSFER_LOG_H_
#define SLI_DIST_TRANSFER_LOG_H_

#include <stdatomic.h>

#include "core/rendezvous.h"

typedef struct sli_transfer_log sli_transfer_log_t;

sli_transfer_log_t *sli_transfer_log_create(void);
void sli_transfer_log_destroy(sli_transfer_log_t *log);

void sli_transfer_log_set(sli_transfer_log_t *log, bool on);
// Logs one step for a caller who will take its rows himself. False, and nothing
// changes, while the log is on: then the rows are the master's.
bool sli_transfer_log_trace(sli_transfer_log_t *log, int64_t step_id);
// Whether transfers of the step are logged.
bool sli_transfer_log_wants(sli_transfer_log_t *log, int64_t step_id);
void sli_transfer_log_clear(sli_transfer_log_t *log);
// A tensor of |bytes| came under |key|; times in wall-clock microseconds.
void sli_transfer_log_add(sli_transfer_log_t *log, int64_t step_id, sli_view_t key, int64_t began, int64_t ended,
                          size_t bytes);
// Appends the step's serialized StepStats and forgets them. False if there are none.
bool sli_transfer_log_take(sli_transfer_log_t *log, int64_t step_id, sli_string_t *out);

#endif  // SLI_DIST_TRANSFER_LOG_H_
