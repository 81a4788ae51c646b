// Waiting awake. Waking a sleeping core costs 25 to 60 µs, so a thread whose waits
// have been short of late looks again for a while before it sleeps, and gives the
// core away between two looks. Who finds others in need of the core sleeps at once.
#ifndef SLI_BASE_SPIN_H_
#define SLI_BASE_SPIN_H_

#include <stdbool.h>
#include <stdint.h>

// For how long a thread looks again.
#define SLI_SPIN_NANOS INT64_C(200000)

// What a thread knows of its waits, of one kind. All zero: nothing yet. Touched by that thread alone.
typedef struct {
  int64_t usual_wait;
  int64_t blocked_until, penalty;
  int shared_yields;  // in a row
} sli_spin_t;

// True when the caller, who waits since |idle_since| and just looked at |now|, may look once more before it sleeps: the
// core has then been offered to whoever wants it.
bool sli_spin(sli_spin_t *spin, int64_t now, int64_t idle_since);
// A wait took |nanos|, asleep or awake.
void sli_spin_learn(sli_spin_t *spin, int64_t nanos);

#endif  // SLI_BASE_SPIN_H_
