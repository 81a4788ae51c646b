// Waiting for a peer that cannot be reached yet: logs reminders that name the peer and the reason, less and less often,
// and fails at a deadline with that reason.
#ifndef SLI_DIST_CLIENT_PEER_WAIT_H_
#define SLI_DIST_CLIENT_PEER_WAIT_H_

#include "core/step/env.h"
#include "rpc/channel.h"

enum { SLI_PEER_WAIT_MILLIS = 10 * 60 * 1000 };  // the default limit

// Nanoseconds until the next reminder after |reminders| of them. The first comes after 3 s, the second at 10 s as in
// TensorFlow, later ones less and less often.
int64_t sli_peer_wait_reminder_nanos(int reminders);
// Describes why a peer has not answered; the caller frees the text. |failure| (consumed) is why it cannot be reached,
// NULL if it can; else |problem| is what is wrong with its answers, NULL if none came.
char *sli_peer_wait_reason(char *failure, const char *problem);

// Makes a call with wait_for_ready on |channel| of the process's loop and blocks until it ends. While the peer cannot
// be reached, reminders are logged. After |limit_millis| without a connection, or at the call's own deadline, it fails
// with DEADLINE_EXCEEDED and the reason. Once the peer is reached only the call's deadline counts.
sli_status_t *sli_peer_wait_call(sli_env_t *env, sli_rpc_channel_t *channel, const sli_rpc_call_options_t *options,
                                 int64_t limit_millis, sli_slices_t *request, sli_rpc_message_t *out_reply);

#endif  // SLI_DIST_CLIENT_PEER_WAIT_H_
