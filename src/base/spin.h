// Spinning before sleeping. Waking a sleeping core costs 25 to 60 µs, so a thread
// whose recent waits were short polls for a while before it sleeps, and yields the
// core between two polls. If another thread needs the core it sleeps at once.
#ifndef SLI_BASE_SPIN_H_
#define SLI_BASE_SPIN_H_

#include <stdbool.h>
#include <stdint.h>

// For how long a thread spins at most.
#define SLI_SPIN_NANOS INT64_C(200000)

// What a thread has learned about its waits of one kind. Starts as {0}. Used by that thread only.
typedef struct {
  int64_t usual_wait;
  int64_t blocked_until, penalty;
  int shared_yields;  // in a row
} sli_spin_t;

// Called after a poll at |now| by a thread that has waited since |idle_since|. Returns false if the thread should
// sleep. Otherwise yields the core once and returns true: the thread should poll again.
bool sli_spin(sli_spin_t *spin, int64_t now, int64_t idle_since);
// Records that a wait took |nanos|, sleeping or spinning.
void sli_spin_learn(sli_spin_t *spin, int64_t nanos);

#endif  // SLI_BASE_SPIN_H_
