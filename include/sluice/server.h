// The cluster that this process belongs to, its task in the cluster, and the
// task's server. The objects keep their first error: the program goes on, and the
// session (or sl_server_join) reports it.
#ifndef SLUICE_SERVER_H_
#define SLUICE_SERVER_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/cluster.h"
#include "sluice/config.h"
#include "sluice/scope.h"

SL_BEGIN_DECLS

typedef struct sl_cluster sl_cluster_t;
typedef struct sl_server sl_server_t;

// Defaults of the flags of the cluster.
typedef struct {
  size_t struct_size;
  const char *ps_hosts, *worker_hosts, *chief_hosts;  // "host:port,host:port"; NULL: none
  const char *job_name;  // NULL: none; a program with a default job is that task even without flags and TF_CONFIG
  int task_index;
} sl_cluster_from_args_options_t;
// The cluster that the flags --ps_hosts, --worker_hosts, --chief_hosts, --job_name and --task_index (or --task_id)
// describe; removes these flags from argv. Without flags, the cluster of the environment variable TF_CONFIG. With
// neither, the program runs alone: without a server, in one process. --num_workers=N keeps only the first N workers
// and is an error if there are fewer. --worker_lost=SECONDS (default 30; 0: never): a synchronous step does not need a
// worker that has been silent for so long, until it is back; and another worker takes the place of such a chief, see
// sluice/session.h. --min_workers=N (default: SLUICE_MIN_WORKERS, or 0): workers may join and leave as long as there
// are N, and one that gets SIGTERM leaves with exit code 0. --ps_backup=SECONDS (default 10; 0: never): each ps backs
// up its variables so often, in the directory of checkpoints, so that a ps that is started again continues from there.
// --join=HOST:PORT, instead of all of these: a worker of the job of the ps at that address, in the place of a worker of
// its list that does not run, at an address of this host. The job must have been started with --min_workers.
// Pass the result to sl_server_start().
//
// With default hosts the job and index of a task suffice, prog --job_name=ps --task_index=0:
//
//   sl_cluster_from_args(&argc, argv, .ps_hosts = "localhost:2222", .worker_hosts = "localhost:2223,localhost:2224")
SL_EXPORT sl_cluster_t *sl_cluster_from_args_with(int *argc, char **argv,
                                                  const sl_cluster_from_args_options_t *options);
#define sl_cluster_from_args(argc, argv, ...) \
  sl_cluster_from_args_with((argc), (argv), SL_OPTIONS(sl_cluster_from_args_options_t, __VA_ARGS__))

// The cluster that consists of |tasks|; this task is |task_index| of |job|. A task need not list tasks that it does not
// use, so indices may have gaps ({"worker", 3, "host:2222"} alone). As tf.train.ClusterSpec with lists or sparse maps.
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
  int port_base;  // the port of the first task of a host; the next tasks have the next ports; 0: 8888
} sl_cluster_from_slurm_options_t;
// The cluster of a Slurm step, from the environment variables SLURM_PROCID, SLURM_STEP_NODELIST and
// SLURM_STEP_TASKS_PER_NODE, as in TensorFlow's SlurmClusterResolver: hosts and jobs are sorted by name, and tasks are
// assigned by rank.
SL_EXPORT sl_cluster_t *sl_cluster_from_slurm_with(const sl_cluster_from_slurm_options_t *options);
#define sl_cluster_from_slurm(...) sl_cluster_from_slurm_with(SL_OPTIONS(sl_cluster_from_slurm_options_t, __VA_ARGS__))

// A serialized ServerDef of the cluster and this task, for TF_NewServer or sl_cluster_new_server. Releases |cluster|.
// NULL, with an error in |status|, if the description is invalid or the program runs alone.
SL_EXPORT TF_Buffer *sl_cluster_to_server_def(sl_cluster_t *cluster, TF_Status *status);

typedef struct {
  size_t struct_size;
  const sl_config_t *config;  // of the server, and the default of sessions on it: .device_count; NULL: defaults
  // Where to serve metrics and a page over HTTP: "9100", "0.0.0.0:9100"; NULL: the flag --http of
  // sl_cluster_from_args(), else the environment variable SLUICE_HTTP, else nowhere.
  const char *http;
} sl_server_options_t;
// Starts the server of this task. Takes ownership of |cluster|. The server runs until sl_server_release() or the end of
// the process.
SL_EXPORT sl_server_t *sl_server_start_with(sl_cluster_t *cluster, const sl_server_options_t *options);
#define sl_server_start(cluster, ...) sl_server_start_with((cluster), SL_OPTIONS(sl_server_options_t, __VA_ARGS__))
// A server that is the only task of a cluster, task 0 of the job "local", on a port that the system chooses. It is the
// chief. As tf.train.Server.create_local_server.
SL_EXPORT sl_server_t *sl_create_local_server_with(const sl_server_options_t *options);
#define sl_create_local_server(...) sl_create_local_server_with(SL_OPTIONS(sl_server_options_t, __VA_ARGS__))
// Stops the server. NULL is fine.
SL_EXPORT void sl_server_release(sl_server_t *server);
// The first error; "" if there is none.
SL_EXPORT const char *sl_server_error(const sl_server_t *server);
// The TensorFlow server; NULL if the program runs alone or the start failed.
SL_EXPORT TF_Server *sl_server_handle(const sl_server_t *server);
// "grpc://host:port"; "" if the program runs alone.
SL_EXPORT const char *sl_server_target(const sl_server_t *server);

// Whether this task belongs to |job|. A program that runs alone is a "worker".
SL_EXPORT bool sl_server_is(const sl_server_t *server, const char *job);
SL_EXPORT const char *sl_server_job(const sl_server_t *server);
SL_EXPORT int sl_server_task_index(const sl_server_t *server);
// "/job:worker/task:1", for SL_DEVICE; NULL in a program that runs alone. A model that each task has for itself is
// built under it: see sluice/all_reduce.h.
SL_EXPORT const char *sl_server_device(const sl_server_t *server);
// The number of tasks of |job|. A program that runs alone has one worker.
SL_EXPORT int sl_server_count(const sl_server_t *server, const char *job);
// "host:port" of a task; NULL if there is no such task.
SL_EXPORT const char *sl_server_address(const sl_server_t *server, const char *job, int task_index);
// Whether this task is the chief, which initialises, saves and announces the end: the task of the job "chief" or
// "master" if there is one, else worker 0. In a cluster without these jobs, task 0 of its job, as is_chief =
// (task_index == 0) in classic programs; never a "ps". Sessions accept another choice: sl_chief_t.
SL_EXPORT bool sl_server_is_chief(const sl_server_t *server);
// The tasks that train: a chief with a job of its own is number 0, and the workers (or, in a cluster without these
// jobs, the tasks of this task's job) follow. The number of this task, 0 in a program that runs alone, and how many
// there are.
SL_EXPORT int sl_server_replica_index(const sl_server_t *server);
SL_EXPORT int sl_server_replica_count(const sl_server_t *server);

// Serves until the job is announced to be done, or until SIGINT or SIGTERM, unless the program handles these itself.
// After a signal a ps stays until its workers have saved and left, but at most 30 s, and says so; a second signal ends
// the process at once. Prints an error, if any. Releases |server| and returns the exit code for the process: 0; 1 after
// an error; 128 + signal after a signal.
SL_EXPORT int sl_server_join(sl_server_t *server);

// --- Placing ---

// Chooses the ps task for a variable, 0 to |tasks| - 1 (a position, not a task index, if the indices have gaps).
typedef int (*sl_ps_strategy_t)(void *data, const sl_node_info_t *info, int tasks);
// The load that a variable puts on its task.
typedef double (*sl_ps_load_t)(void *data, const sl_node_info_t *info);
// The size of the variable in bytes, 0 if it is not known. As byte_size_load_fn of tf.contrib.training.
SL_EXPORT double sl_byte_size_load(void *data, const sl_node_info_t *info);

typedef struct {
  size_t struct_size;
  sl_ps_strategy_t strategy;  // NULL: round robin, or by load
  void *strategy_data;
  const char *ps_device;      // the job of the variables, "/job:params". NULL: "/job:ps"
  const char *worker_device;  // NULL: this task's; without a server "/job:worker"
  // If set, a variable is placed on the task with the least load so far, as GreedyLoadBalancingStrategy of
  // tf.contrib.training: sl_byte_size_load, or a function of the program
  sl_ps_load_t load;
  void *load_data;
  int ps_tasks;  // without a server: how many tasks ps_device has
} sl_replica_device_setter_options_t;

// Whether |op| is the type of an op that holds state which workers share: a variable, a mutable table or an
// accumulator. sl_replica_device_setter() places these on ps tasks, as the default of ps_ops in
// tf.train.replica_device_setter.
SL_EXPORT bool sl_is_ps_op(const char *op);
// For SL_DEVICE: places variables on the ps tasks and everything else on this task. As tf.train.replica_device_setter.
// Owned by the server. Without ps tasks, and in an evaluator, it does not change devices. |server| may be NULL, for a
// graph that is built without a cluster or for another task: sl_replica_device_setter(NULL, .ps_tasks = 2); it then
// stays until the process ends.
SL_EXPORT const sl_device_setter_t *sl_replica_device_setter_with(sl_server_t *server,
                                                                  const sl_replica_device_setter_options_t *options);
#define sl_replica_device_setter(server, ...) \
  sl_replica_device_setter_with((server), SL_OPTIONS(sl_replica_device_setter_options_t, __VA_ARGS__))

// A table of the ps tasks (or, without them, of all devices) with the number of global variables on each, their bytes
// and their share of the total. Allocated with malloc. The chief of a training session with several ps tasks prints it.
SL_EXPORT char *sl_placement_plan(const sl_scope_t *scope, const sl_server_t *server);

SL_END_DECLS

#endif  // SLUICE_SERVER_H_
