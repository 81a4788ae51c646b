// What a session needs to know of the server and its cluster.
#ifndef SLI_TRAIN_SERVER_INTERNAL_H_
#define SLI_TRAIN_SERVER_INTERNAL_H_

#include "train/cluster_internal.h"

// The server's first error, borrowed; NULL if there is none.
sli_status_t *sli_server_status(const sl_server_t *server);
// NULL for a program that runs alone.
const sl_cluster_t *sli_server_cluster(const sl_server_t *server);
// How this task is called in messages: "Worker 0".
void sli_server_title(const sl_server_t *server, char *out_title, size_t size);
// The tasks that train: the chief, if it has a job of its own, is replica 0; then come the workers. Their number, this
// one (0 for a program that runs alone), and a name, "/job:worker/task:1", new; NULL for |server| is fine.
int sli_server_replica_count(const sl_server_t *server);
int sli_server_replica(const sl_server_t *server);
char *sli_server_replica_name(const sl_server_t *server, int replica);
// "host:port" of the chief; NULL if this task is the chief, or runs alone.
const char *sli_server_chief_address(const sl_server_t *server);
// Names of the tasks that a training session should see, as device filters of a ConfigProto, appended: the ps tasks
// and this one. Others may come and go.
void sli_server_device_filters(const sl_server_t *server, sli_string_t *out_config);
// Of the tasks that a session sees, which may be all, those that do not accept a connection, "/job:ps/task:0 at
// host:port (Connection refused)", joined by commas; "" if all do. New. Blocks for |wait_millis| per task at most.
char *sli_server_unreachable(const sl_server_t *server, bool all_tasks, int wait_millis);
// Whether somebody accepts connections at |address|. Blocks for |wait_millis| at most.
bool sli_server_is_listening(const char *address, int wait_millis);

// Keeps an error, unless there is one already; consumes it.
void sli_server_fail(sl_server_t *server, sli_status_t *status);
// Frees |memory| with the server.
void sli_server_own(sl_server_t *server, void *memory);

#endif  // SLI_TRAIN_SERVER_INTERNAL_H_
