// The tensors that a task received from others, per step. Logged while a master has switched RPC logging on, as
// TensorFlow's does for a traced run (WorkerService.Logging returns the rows), and for steps that are traced on this
// task. The number of steps is limited. While it is off it costs two loads. Thread-safe.
#ifndef SLI_DIST_WORKER_TRANSFER_LOG_H_
#define SLI_DIST_WORKER_TRANSFER_LOG_H_

#include <stdatomic.h>

#include "core/step/rendezvous.h"

typedef struct sli_transfer_log sli_transfer_log_t;

sli_transfer_log_t *sli_transfer_log_create(void);
void sli_transfer_log_destroy(sli_transfer_log_t *log);

void sli_transfer_log_set(sli_transfer_log_t *log, bool on);
// Logs one step for a caller that will take its rows. Returns false and changes nothing while the log is on: then the
// rows belong to the master.
bool sli_transfer_log_trace(sli_transfer_log_t *log, int64_t step_id);
// Whether transfers of the step are logged.
bool sli_transfer_log_is_on_for(sli_transfer_log_t *log, int64_t step_id);
void sli_transfer_log_clear(sli_transfer_log_t *log);
// Logs that a tensor of |bytes| was received under |key|. Times are in wall-clock microseconds.
void sli_transfer_log_add(sli_transfer_log_t *log, int64_t step_id, sli_view_t key, int64_t began, int64_t ended,
                          size_t bytes);
// Appends the step's serialized StepStats to |out| and drops them. False if there are none.
bool sli_transfer_log_take(sli_transfer_log_t *log, int64_t step_id, sli_string_t *out);

#endif  // SLI_DIST_WORKER_TRANSFER_LOG_H_
