// A call in a thread of its own, for transfers that go on while the caller does something else. Thread-compatible.
#ifndef SLI_IO_FILE_BACKGROUND_H_
#define SLI_IO_FILE_BACKGROUND_H_

#include <pthread.h>
#include <stdbool.h>

// Zero-initialised: nothing runs.
typedef struct {
  pthread_t thread;
  bool is_running;
  void (*function)(void *context);
  void *context;
} sli_background_t;

// Calls |function|; here, before it returns, if no thread can be started. Signals go to other threads. One at a time.
void sli_background_start(sli_background_t *background, void (*function)(void *context), void *context);
// The same; false if no thread can be started.
bool sli_background_try(sli_background_t *background, void (*function)(void *context), void *context);
// Waits until the call has returned, if there is one.
void sli_background_wait(sli_background_t *background);

#endif  // SLI_IO_FILE_BACKGROUND_H_
