// What tensors a task received from others, per step, while a master has RPC
// logging switched on (a traced run): the rows that WorkerService.Logging hands
// out. Bounded; off, it costs one load. Thread-safe.
#ifndef SLI_DIST_TRANSFER_LOG_H_
#define SLI_DIST_TRANSFER_LOG_H_

#include <stdatomic.h>

#include "core/rendezvous.h"

typedef struct sli_transfer_log sli_transfer_log_t;

sli_transfer_log_t *sli_transfer_log_create(void);
void sli_transfer_log_destroy(sli_transfer_log_t *log);

void sli_transfer_log_set(sli_transfer_log_t *log, bool on);
bool sli_transfer_log_is_on(const sli_transfer_log_t *log);
void sli_transfer_log_clear(sli_transfer_log_t *log);
// A tensor of |bytes| came under |key|; times in wall-clock microseconds.
void sli_transfer_log_add(sli_transfer_log_t *log, int64_t step_id, sli_view_t key, int64_t began, int64_t ended,
                          size_t bytes);
// Appends the step's serialized StepStats and forgets them. False if there are none.
bool sli_transfer_log_take(sli_transfer_log_t *log, int64_t step_id, sli_string_t *out);

#endif  // SLI_DIST_TRANSFER_LOG_H_
