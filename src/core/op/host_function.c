// See host_function.h.
#include "core/op/host_function.h"

#include <stdatomic.h>

static _Atomic(sli_function_host_t) current;

void sli_function_set_host(sli_function_host_t host) { atomic_store(&current, host); }

sli_function_host_t sli_function_host(void) { return atomic_load(&current); }
