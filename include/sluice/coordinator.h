// Threads that stop together, as tf.train.Coordinator: the first thread that
// requests a stop or fails stops all of them. Thread-safe.
#ifndef SLUICE_COORDINATOR_H_
#define SLUICE_COORDINATOR_H_

#pragma GCC system_header  // see sluice/export.h

#include <stdbool.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

typedef struct sl_coordinator sl_coordinator_t;

SL_EXPORT sl_coordinator_t *sl_coordinator_create(void);
// Requests a stop and waits for the threads without a timeout. NULL is fine. Do not call it from one of the threads.
SL_EXPORT void sl_coordinator_release(sl_coordinator_t *coordinator);

// Asks all threads to stop. |code| and |message| are the reason: TF_OK and NULL if there is no error. The first error
// is kept; the end of an input (TF_OUT_OF_RANGE) is not an error.
SL_EXPORT void sl_coordinator_request_stop(sl_coordinator_t *coordinator, TF_Code code, const char *message);
SL_EXPORT bool sl_coordinator_should_stop(sl_coordinator_t *coordinator);
// Blocks until a stop is requested, at most |seconds| (< 0: no limit). Returns whether it was.
SL_EXPORT bool sl_coordinator_wait_for_stop(sl_coordinator_t *coordinator, double seconds);
// Clears the request and its error, so that new threads can be started. All threads must have ended.
SL_EXPORT void sl_coordinator_clear_stop(sl_coordinator_t *coordinator);

// Runs |run|(context, coordinator) in a thread; it must return soon after sl_coordinator_should_stop() is true. |name|
// is copied and reported if the thread does not end. If no thread can be started, requests a stop and returns false.
typedef void (*sl_coordinator_function_t)(void *context, sl_coordinator_t *coordinator);
SL_EXPORT bool sl_coordinator_start_thread(sl_coordinator_t *coordinator, const char *name,
                                           sl_coordinator_function_t run, void *context);
// Runs |run| in a thread: at once, and then every |seconds| (<= 0: without a pause), until a stop is requested.
SL_EXPORT bool sl_coordinator_loop(sl_coordinator_t *coordinator, const char *name, double seconds,
                                   sl_coordinator_function_t run, void *context);
// Sets |status| to the first error; OK if there is none.
SL_EXPORT void sl_coordinator_error(sl_coordinator_t *coordinator, TF_Status *status);
// Blocks until a stop was requested and all threads have ended, and sets |status| to the first error. If threads still
// run |grace_secs| (0: 120) after the request, the error is a DEADLINE_EXCEEDED that names them. Do not call it from
// one of the threads.
SL_EXPORT void sl_coordinator_join(sl_coordinator_t *coordinator, double grace_secs, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_COORDINATOR_H_
