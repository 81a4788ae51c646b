// Threads that stop together, as tf.train.Coordinator: whoever asks for the end
// first (or fails first) ends them all. Thread-safe.
#ifndef SLUICE_COORDINATOR_H_
#define SLUICE_COORDINATOR_H_

#include <stdbool.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

typedef struct sl_coordinator sl_coordinator_t;

SL_EXPORT sl_coordinator_t *sl_coordinator_create(void);
// Asks for the end and waits for the threads, however long they take. NULL is fine. Not from one of the threads.
SL_EXPORT void sl_coordinator_release(sl_coordinator_t *coordinator);

// Asks all threads to stop. |code| and |message| say why: TF_OK, NULL for no error; the first error is kept, the end of
// an input (TF_OUT_OF_RANGE) is none.
SL_EXPORT void sl_coordinator_request_stop(sl_coordinator_t *coordinator, TF_Code code, const char *message);
SL_EXPORT bool sl_coordinator_should_stop(sl_coordinator_t *coordinator);
// Blocks until the end was asked for, at most |seconds| (< 0: for ever). True if it was.
SL_EXPORT bool sl_coordinator_wait_for_stop(sl_coordinator_t *coordinator, double seconds);
// Forgets the request and its error, to start threads anew. All threads must have ended.
SL_EXPORT void sl_coordinator_clear_stop(sl_coordinator_t *coordinator);

// Runs |run|(context, coordinator) in a thread that ends soon after sl_coordinator_should_stop(). |name| is copied and
// shown when the thread does not end. False, with a request to stop, if there can be no more threads.
typedef void (*sl_coordinator_function_t)(void *context, sl_coordinator_t *coordinator);
SL_EXPORT bool sl_coordinator_start_thread(sl_coordinator_t *coordinator, const char *name,
                                           sl_coordinator_function_t run, void *context);
// Runs |run| now and every |seconds| (<= 0: without a pause) in a thread of its own until the end.
SL_EXPORT bool sl_coordinator_loop(sl_coordinator_t *coordinator, const char *name, double seconds,
                                   sl_coordinator_function_t run, void *context);
// The error so far in |status|: OK while there is none.
SL_EXPORT void sl_coordinator_error(sl_coordinator_t *coordinator, TF_Status *status);
// Waits until the end was asked for and all threads have ended; sets the error, if any, as status. Threads that still
// run |grace_secs| (0: 120) after the request are named in a DEADLINE_EXCEEDED. Not from one of the threads.
SL_EXPORT void sl_coordinator_join(sl_coordinator_t *coordinator, double grace_secs, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_COORDINATOR_H_
