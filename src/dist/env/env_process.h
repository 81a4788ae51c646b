// The environment of this process: the production implementation of sli_env_t.
#ifndef SLI_DIST_ENV_ENV_PROCESS_H_
#define SLI_DIST_ENV_ENV_PROCESS_H_

#include <stdbool.h>

#include "core/step/env.h"
#include "rpc/loop.h"

// The one environment of the process. It is created on the first call and lives until exit, because threads and
// callbacks may outlive any one server. Thread-safe.
sli_env_t *sli_env_process(void);

// The event loop behind sli_env_process(). All channels and servers of the process run on it.
sli_rpc_loop_t *sli_env_process_loop(void);

// Whether the calling thread is running a network callback, which must not block or compute for long. False if |env|
// is not the environment of the process.
bool sli_env_process_on_network_thread(sli_env_t *env);

#endif  // SLI_DIST_ENV_ENV_PROCESS_H_
