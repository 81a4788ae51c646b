// Waiting for a peer that is not there yet: saying for whom and why, soon at
// first, then less and less often, and ending at a deadline with that reason.
#ifndef SLI_DIST_PATIENCE_H_
#define SLI_DIST_PATIENCE_H_

#include "core/env.h"
#include "rpc/channel.h"

enum { SLI_PATIENCE_MILLIS = 10 * 60 * 1000 };  // if nobody says otherwise

// Nanoseconds until the next word, after |words| of them: after three seconds, at ten as TensorFlow, then less and less
// often.
int64_t sli_patience_next(int words);
// Why a peer has not answered: |failure|, why it cannot be reached (consumed; NULL: it can be), else |problem|, what is
// wrong with its answers (NULL: none came). To be freed.
char *sli_patience_reason(char *failure, const char *problem);

// A call with wait_for_ready, by a thread that may block, on |channel| of the process's loop. While the peer cannot be
// reached, it is named in the log, with the reason; after |patience_millis| of that, or at the call's own deadline,
// DEADLINE_EXCEEDED with it. Once the peer is reached only the call's deadline counts.
sli_status_t *sli_patience_call(sli_env_t *env, sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                int64_t patience_millis, sli_slices_t *request, sli_rpc_message_t *out_reply);

#endif  // SLI_DIST_PATIENCE_H_
