// Which cluster this process belongs to, its task in it, and the server that
// makes it one. Errors are kept in the objects: a program builds on, and the
// session (or sl_server_join) reports the first of them.
#ifndef SLUICE_SERVER_H_
#define SLUICE_SERVER_H_

#include "sluice/cluster.h"
#include "sluice/scope.h"

SL_BEGIN_DECLS

typedef struct sl_cluster sl_cluster_t;
typedef struct sl_server sl_server_t;

// The cluster from the flags --ps_hosts, --worker_hosts, --chief_hosts, --job_name and --task_index (or --task_id),
// which it takes out of argv, or, without them, from the environment variable TF_CONFIG. With neither, the program
// runs alone: no server, all in one process. It lives until sl_server_start().
SL_EXPORT sl_cluster_t *sl_cluster_from_args(int *argc, char **argv);

// The cluster of |tasks|, and this one's place in it. Of other jobs a task may know just those it needs: numbers may
// have gaps ({"worker", 3, "host:2222"} alone). As tf.train.ClusterSpec with lists or sparse maps.
SL_EXPORT sl_cluster_t *sl_cluster_from_tasks(const sl_task_address_t *tasks, size_t count, const char *job,
                                              int task_index);

// A job and how many tasks it has.
typedef struct {
  const char *name;
  int tasks;
} sl_slurm_job_t;
typedef struct {
  size_t struct_size;
  const sl_slurm_job_t *jobs;  // NULL: all tasks are "worker"
  size_t job_count;
  int port_base;  // of a host's first task; the next ones follow; 0: 8888
} sl_cluster_from_slurm_options_t;
// The cluster of a Slurm step, from SLURM_PROCID, SLURM_STEP_NUM_TASKS, SLURM_STEP_NODELIST and
// SLURM_STEP_TASKS_PER_NODE, as TensorFlow's SlurmClusterResolver makes it: hosts and jobs in the order of their names,
// tasks dealt out by rank.
SL_EXPORT sl_cluster_t *sl_cluster_from_slurm_with(const sl_cluster_from_slurm_options_t *options);
#define sl_cluster_from_slurm(...) sl_cluster_from_slurm_with(SL_OPTIONS(sl_cluster_from_slurm_options_t, __VA_ARGS__))

// The cluster and this task in it as a serialized ServerDef, for TF_NewServer or sl_cluster_new_server; takes |cluster|
// over. NULL with |status| set if the description cannot be used or the program runs alone.
SL_EXPORT TF_Buffer *sl_cluster_to_server_def(sl_cluster_t *cluster, TF_Status *status);

// Starts this task's server; takes |cluster| over. The server lives until sl_server_release() or the end of the
// process.
SL_EXPORT sl_server_t *sl_server_start(sl_cluster_t *cluster);
// A server that is a cluster of its own, task 0 of the job "local", on a port that the system chooses. It is the chief.
// As tf.train.Server.create_local_server.
SL_EXPORT sl_server_t *sl_create_local_server(void);
// Stops the server. NULL is fine.
SL_EXPORT void sl_server_release(sl_server_t *server);
// The first error, "" while there is none.
SL_EXPORT const char *sl_server_error(const sl_server_t *server);
// NULL when the program runs alone or the start failed.
SL_EXPORT TF_Server *sl_server_handle(const sl_server_t *server);
// "grpc://host:port", or "" when the program runs alone.
SL_EXPORT const char *sl_server_target(const sl_server_t *server);

// Whether this task belongs to |job|. A program that runs alone is "worker".
SL_EXPORT bool sl_server_is(const sl_server_t *server, const char *job);
SL_EXPORT const char *sl_server_job(const sl_server_t *server);
SL_EXPORT int sl_server_task_index(const sl_server_t *server);
// Tasks of |job|. Alone: one worker.
SL_EXPORT int sl_server_count(const sl_server_t *server, const char *job);
// "host:port" of a task; NULL if there is none.
SL_EXPORT const char *sl_server_address(const sl_server_t *server, const char *job, int task_index);
// The one task that initialises, saves and announces the end: the job "chief" or "master" if there is one, else
// worker 0, or the local server.
SL_EXPORT bool sl_server_is_chief(const sl_server_t *server);

// Serves until the job is done, or for ever if nobody says so. Prints an error, if any, and returns the process's exit
// code.
SL_EXPORT int sl_server_join(sl_server_t *server);

// --- Placing ---

// Chooses the ps task for a variable, 0 to |tasks| - 1 (with gaps in their numbers: the first, the second, …).
typedef int (*sl_ps_strategy_t)(void *data, const sl_node_info_t *info, int tasks);
// What a variable costs the task that has it.
typedef double (*sl_ps_load_t)(void *data, const sl_node_info_t *info);
// Its bytes, 0 if they are not known. As byte_size_load_fn of tf.contrib.training.
SL_EXPORT double sl_byte_size_load(void *data, const sl_node_info_t *info);

typedef struct {
  size_t struct_size;
  sl_ps_strategy_t strategy;  // NULL: round robin, or by load
  void *strategy_data;
  const char *ps_device;      // NULL: "/job:ps"
  const char *worker_device;  // NULL: this task's
  // Greedy: a variable goes to the task with the least load so far. As GreedyLoadBalancingStrategy of
  // tf.contrib.training; sl_byte_size_load, or the program's own
  sl_ps_load_t load;
  void *load_data;
} sl_replica_device_setter_options_t;

// For SL_DEVICE: variables go to the ps tasks, everything else to this one. As tf.train.replica_device_setter.
// Belongs to the server. Without ps tasks, and in an evaluator, it leaves devices alone.
SL_EXPORT const sl_device_setter_t *sl_replica_device_setter_with(sl_server_t *server,
                                                                  const sl_replica_device_setter_options_t *options);
#define sl_replica_device_setter(server, ...) \
  sl_replica_device_setter_with((server), SL_OPTIONS(sl_replica_device_setter_options_t, __VA_ARGS__))

// What lies where: a table of the ps tasks (or, without them, of all devices), with the number of global variables on
// each, their bytes and their share of all. malloc'ed. The chief of a training session with several ps tasks prints it.
SL_EXPORT char *sl_placement_plan(const sl_scope_t *scope, const sl_server_t *server);

SL_END_DECLS

#endif  // SLUICE_SERVER_H_
