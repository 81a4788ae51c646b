// What a cluster of Sluice tasks can do beyond TensorFlow's services: learn that
// the job is done. It goes through a private gRPC service, sluice.Control, on the
// tasks' own ports; a stock TensorFlow task does not know it and is left alone.
#ifndef SLUICE_CLUSTER_H_
#define SLUICE_CLUSTER_H_

#include <stdbool.h>
#include <stdint.h>

#include "sluice/export.h"
#include "tensorflow/c/c_api.h"

SL_BEGIN_DECLS

// Tells every task of |server|'s cluster that the training ended well. Waits
// until all have heard it or cannot be reached; a task that is gone is no error.
SL_EXPORT void sl_cluster_announce_done(TF_Server *server, TF_Status *status);

// Whether some task announced the end. Cheap; any thread.
SL_EXPORT bool sl_cluster_is_done(TF_Server *server);

// Blocks until the server was stopped (TF_ServerStop), or the job is done and
// then either all sessions on the server are closed or |grace_millis| have passed.
SL_EXPORT void sl_cluster_join(TF_Server *server, int64_t grace_millis, TF_Status *status);

// Starts a server that listens on |bind| ("0.0.0.0", "::1", a name) instead of the
// address that its task has in the cluster; NULL: as TF_NewServer.
SL_EXPORT TF_Server *sl_cluster_new_server(const void *server_def, size_t size, const char *bind, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_CLUSTER_H_
