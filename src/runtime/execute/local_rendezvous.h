// The rendezvous within a process. Thread-safe.
#ifndef SLI_RUNTIME_EXECUTE_LOCAL_RENDEZVOUS_H_
#define SLI_RUNTIME_EXECUTE_LOCAL_RENDEZVOUS_H_

#include "core/step/rendezvous.h"

// New, with one reference. When the last reference is released, receivers that still wait fail with ABORTED.
sli_rendezvous_t *sli_local_rendezvous_create(void);

#endif  // SLI_RUNTIME_EXECUTE_LOCAL_RENDEZVOUS_H_
