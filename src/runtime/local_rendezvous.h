// The rendezvous within a process: a table of waiting sends and receives by key. Thread-safe.
#ifndef SLI_RUNTIME_LOCAL_RENDEZVOUS_H_
#define SLI_RUNTIME_LOCAL_RENDEZVOUS_H_

#include "core/rendezvous.h"

sli_rendezvous_t *sli_local_rendezvous_create(void);

#endif  // SLI_RUNTIME_LOCAL_RENDEZVOUS_H_
