// The server of this task and its cluster, for sessions.
#ifndef SLI_TRAIN_CLUSTER_TRAIN_SERVER_H_
#define SLI_TRAIN_CLUSTER_TRAIN_SERVER_H_

#include "train/cluster/cluster_spec.h"

// The first error of the server; NULL if there is none. The server owns it.
sli_status_t *sli_train_server_status(const sl_server_t *server);
// The error of a server of this process that did not start, retained; NULL if there is none.
sli_status_t *sli_train_server_find_error(void);
// NULL if the program runs alone.
const sl_cluster_t *sli_train_server_cluster(const sl_server_t *server);
// The name of this task in messages: "Worker 0".
void sli_train_server_title(const sl_server_t *server, char *out_title, size_t size);
// Replicas are the tasks that train: the chief, if it has its own job, is replica 0; the workers follow. These return
// their number, the index of this task (0 if the program runs alone), and the name of one, "/job:worker/task:1" (new).
// |server| may be NULL.
int sli_train_server_replica_count(const sl_server_t *server);
int sli_train_server_replica_index(const sl_server_t *server);
char *sli_train_server_replica_name(const sl_server_t *server, int replica);
// How long a worker may be silent before the others go on without it; 0: without limit. |server| may be NULL.
double sli_train_server_worker_lost_secs(const sl_server_t *server);
// How often the ps tasks back up their variables; 0: never. |server| may be NULL.
double sli_train_server_ps_backup_secs(const sl_server_t *server);
// How many workers a job needs whose workers join and leave while it runs; 0: all of the cluster. |server| may be NULL.
int sli_train_server_min_workers(const sl_server_t *server);
// "host:port" of the chief; NULL if this task is the chief or the program runs alone.
const char *sli_train_server_chief_address(const sl_server_t *server);
// Looks where the ps tasks are: another process may have taken the place of one at another address. Not two at a time.
void sli_train_server_find_ps(sl_server_t *server);
// Appends device filters for a ConfigProto, so that a training session uses only the ps tasks and this task and does
// not depend on other workers.
void sli_train_server_append_device_filters(const sl_server_t *server, sli_string_t *out_config);
// Lists those of the ps tasks and this task (or of all tasks) that do not accept a connection: "/job:ps/task:0 at
// host:port (Connection refused)", separated by commas; "" if all do. New. Blocks for at most |wait_millis| per task.
char *sli_train_server_list_unreachable(const sl_server_t *server, bool all_tasks, int wait_millis);
// Whether the first ps and all other tasks that train are gone: their hosts refuse connections, or their names do not
// exist any more. One that does not reply may be there. Blocks for at most |wait_millis| per task.
bool sli_train_server_is_last(const sl_server_t *server, int wait_millis);
// Whether a process accepts connections at |address|. Blocks for at most |wait_millis|.
bool sli_train_server_is_listening(const char *address, int wait_millis);

// Sets the error of the server, unless it has one already. Releases |status|.
void sli_train_server_fail(sl_server_t *server, sli_status_t *status);
// Frees |memory| when the server is released.
void sli_train_server_own(sl_server_t *server, void *memory);

#endif  // SLI_TRAIN_CLUSTER_TRAIN_SERVER_H_
