// What dist knows of the process's environment beyond sli_env_t.
#ifndef SLI_DIST_ENV_INTERNAL_H_
#define SLI_DIST_ENV_INTERNAL_H_

#include <stdbool.h>

#include "core/env.h"
#include "rpc/loop.h"

// The loop behind sli_env_process(): channels and servers of the process live on it.
sli_rpc_loop_t *sli_env_process_loop(void);

// Whether the calling thread runs a callback of the network, which must not be
// kept busy. False for an environment without one.
bool sli_env_on_network_thread(sli_env_t *env);

#endif  // SLI_DIST_ENV_INTERNAL_H_
