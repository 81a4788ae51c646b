// Shared within src/dist: finding a server of this process.
#ifndef SLI_DIST_SERVER_INTERNAL_H_
#define SLI_DIST_SERVER_INTERNAL_H_

#include "dist/master.h"

// The master of the server in this process whose target is |target|; NULL: none.
// The caller must not use it once that server is destroyed.
sli_master_t *sli_server_find_master(const char *target);

#endif  // SLI_DIST_SERVER_INTERNAL_H_
