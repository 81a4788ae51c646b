// Sessions on a server, for the client side: TF_NewSession with a target. A server in this process is called directly,
// all others over gRPC.
#ifndef SLI_DIST_SESSION_TARGET_SESSION_H_
#define SLI_DIST_SESSION_TARGET_SESSION_H_

#include "base/status.h"
#include "base/string.h"
#include "runtime/session/session.h"

// Creates a session for |target| ("grpc://host:port"). |config| is a serialized ConfigProto. Does not connect yet: the
// session comes to exist on the server with the first extend or run. INVALID_ARGUMENT if the target is malformed.
sli_status_t *sli_target_session_create(const char *target, sli_view_t config, sli_session_t **out_session);
// Session.reset: clears |containers| (all if |count| is 0) on all tasks of the target's cluster. Blocks.
sli_status_t *sli_target_session_reset(const char *target, sli_view_t config, const char *const *containers,
                                       size_t count);

#endif  // SLI_DIST_SESSION_TARGET_SESSION_H_
