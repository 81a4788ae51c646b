// Cancellation of a step: code that waits registers a callback that ends its wait.
// Thread-safe.
#ifndef SLI_CORE_STEP_CANCELLATION_H_
#define SLI_CORE_STEP_CANCELLATION_H_

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

typedef struct sli_cancellation sli_cancellation_t;

sli_cancellation_t *sli_cancellation_create(void);
void sli_cancellation_release(sli_cancellation_t *cancellation);
sli_cancellation_t *sli_cancellation_retain(sli_cancellation_t *cancellation);

// Cancels: stores |status|, the reason (consumed), and runs the callbacks on this
// thread. Later calls do nothing.
void sli_cancellation_cancel(sli_cancellation_t *cancellation, sli_status_t *status);
bool sli_cancellation_is_cancelled(sli_cancellation_t *cancellation);
// The reason with a reference for the caller; NULL while not cancelled.
sli_status_t *sli_cancellation_status(sli_cancellation_t *cancellation);

// Registers |callback|; returns a token, or 0 if already cancelled (then the
// callback will not run and the caller ends its wait itself).
uint64_t sli_cancellation_register(sli_cancellation_t *cancellation, void (*callback)(void *context), void *context);
// True: the callback has not run and never will. False: it has run, or it is running and
// called this function. While it runs on another thread, this call waits for its end.
bool sli_cancellation_deregister(sli_cancellation_t *cancellation, uint64_t token);

#endif  // SLI_CORE_STEP_CANCELLATION_H_
