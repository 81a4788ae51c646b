// Shared by the files of the engine: its state and what it watches (engine.c), groups and instances (group.c), one
// device's part in an op (run.c), and the algorithms (ring.c, tree.c, shared.c).
//
// Locks: engine->mutex, the exchange's and a run's are leaves. No callback runs under any of them.
#ifndef SLI_COLLECTIVE_ENGINE_INTERNAL_H_
#define SLI_COLLECTIVE_ENGINE_INTERNAL_H_

#include "base/array.h"
#include "collective/engine.h"

typedef struct sli_collective_run sli_collective_run_t;
typedef struct sli_collective_waiter sli_collective_waiter_t;

// A group that the leader forms, or has formed; on other tasks the group as the leader described it.
typedef struct {
  int32_t key, size;
  char *device_type;
  SLI_ARRAY(sli_collective_member_t) joined;  // until it is complete
  sli_collective_waiter_t *waiters;
  sli_collective_group_t *group;  // NULL: not complete
  char *failed;                   // on a member: the generation that failed last; NULL: none
  int32_t least, most;            // sizes of an elastic group; 0: it is not one
  int64_t since, joined_at;  // when the first and the last member have joined an elastic group that is not complete
  // On the leader: its own devices that another task's request has put out of a complete group since their last op.
  // Their next op fails, as that of every other member does; otherwise it would meet other ops in the new group.
  SLI_ARRAY(char *) put_out;
} sli_collective_group_slot_t;

struct sli_collective_engine {
  sli_refcount_t references;  // of the owner, runs, probes and the timer
  sli_env_t *env;
  sli_thread_pool_t *pool;
  char *task;
  bool has_peers;
  sli_collective_peers_t peers;
  sli_collective_exchange_t exchange;
  size_t max_waiting;
  sli_mutex_t mutex;
  // Under mutex.
  sli_map_t groups;             // by key: sli_collective_group_slot_t
  sli_map_t counts;             // by "device/instance": how often it ran in the group's generation
  sli_map_t probes;             // by task: its state, see engine.c
  sli_collective_run_t *runs;   // that have not ended
  sli_timer_t *timer;           // of the watch; NULL: nothing to watch
  bool is_timer_short;          // it forms an elastic group
  sli_cancellation_t *stopped;  // cancelled when the engine stops
};

// One device in one execution of an op.
struct sli_collective_run {
  sli_refcount_t references;
  sli_collective_engine_t *engine;
  const char *leader;  // "": this process
  const sli_collective_request_t *request;
  bool is_join;  // only forms the group
  sli_collective_done_t done;
  void *context;
  sli_collective_group_t *group;  // once it is known, like the fields below
  int rank;                       // of the device, in the group's order
  int source_rank;
  char *scope, *key;                 // of its buffers; the key's first part
  sli_cancellation_t *cancellation;  // of its calls
  sli_cancellation_t *step;          // the step's
  uint64_t token;
  sli_timer_t *timer;
  int64_t began;
  atomic_int pending;  // parts in progress: the last one ends the run
  void *parts;         // of the algorithm, freed with the run
  // A ring of some members, of which this is one, that reduces the output in place; NULL: of all.
  const int *ring_members;
  int ring_size;
  atomic_int ring_pending;  // parts of that ring; the last one calls |after_ring|
  void (*after_ring)(sli_collective_run_t *run);
  sli_collective_run_t *next, *previous;  // in engine->runs
  bool has_asked;                         // shared.c: whether members were asked what is wrong
  atomic_bool is_complete;                // shared.c: calls that still end do not matter
  bool is_slow;                           // a warning was logged; under engine->mutex
  sli_mutex_t mutex;
  sli_status_t *status;  // under mutex: the first error
};

// ---- engine.c ----------------------------------------------------------------------

sli_collective_engine_t *sli_collective_engine_retain(sli_collective_engine_t *engine);
void sli_collective_engine_release(sli_collective_engine_t *engine);
// Starts the watch over members of other tasks, if it does not run.
void sli_collective_engine_watch(sli_collective_engine_t *engine);
// Fails the runs of |scope| and all their buffers. |group| is forgotten, if its generation is |scope|'s. Consumes
// |status|.
void sli_collective_engine_fail(sli_collective_engine_t *engine, const char *scope, sli_collective_group_t *group,
                                sli_status_t *status);

// ---- group.c -----------------------------------------------------------------------

void sli_collective_group_join(sli_collective_run_t *run, sli_collective_group_done_t done);
void sli_collective_group_complete_instance(sli_collective_run_t *run, sli_collective_instance_done_t done);
void sli_collective_group_forget(sli_collective_engine_t *engine, const sli_collective_group_t *group);
// Fails those who wait for the slot's group, because members cannot be reached.
void sli_collective_group_fail_waiters(sli_collective_engine_t *engine, int32_t key, sli_status_t *status);
void sli_collective_group_fail_all(sli_collective_engine_t *engine, sli_status_t *status);
void sli_collective_group_clear(sli_collective_engine_t *engine);
bool sli_collective_group_is_pending(const sli_collective_group_slot_t *slot);
bool sli_collective_group_is_elastic_locked(sli_collective_engine_t *engine, int32_t key);
// Forms the elastic group of those who have joined.
void sli_collective_group_form(sli_collective_engine_t *engine, int32_t key);
// Asks |leader|, "" for this process, to form the run's group.
void sli_collective_group_ask(sli_collective_run_t *run, const char *leader, sli_collective_group_done_t done);

// ---- elastic.c ---------------------------------------------------------------------

// Finds the leader of an elastic group and joins it there.
void sli_collective_elastic_join(sli_collective_run_t *run, sli_collective_group_done_t done);

// ---- run.c -------------------------------------------------------------------------

void sli_collective_run_start(sli_collective_engine_t *engine, const char *leader, bool is_join,
                              const sli_collective_request_t *request, sli_collective_done_t done, void *context);
sli_collective_run_t *sli_collective_run_retain(sli_collective_run_t *run);
void sli_collective_run_release(sli_collective_run_t *run);
// Ends the run's calls and keeps |status| (consumed), if it is the first. The run ends when its parts have ended.
void sli_collective_run_stop(sli_collective_run_t *run, sli_status_t *status);
// The same for all runs of its scope.
void sli_collective_run_fail(sli_collective_run_t *run, sli_status_t *status);
void sli_collective_run_begin_part(sli_collective_run_t *run);
void sli_collective_run_end_part(sli_collective_run_t *run);
// Sends elements [first, first + count) of |tensor| under the run's key and |part|.
void sli_collective_run_send(sli_collective_run_t *run, const char *part, sli_tensor_t *tensor, int64_t first,
                             int64_t count, sli_collective_done_t done, void *context);
// Receives |size| bytes from the member |from|.
void sli_collective_run_receive(sli_collective_run_t *run, const char *part, int from, size_t size,
                                sli_collective_buffer_done_t done, void *context);

// The same under a whole key.
void sli_collective_run_send_as(sli_collective_run_t *run, const char *key, sli_tensor_t *tensor, int64_t first,
                                int64_t count, sli_collective_done_t done, void *context);
void sli_collective_run_receive_as(sli_collective_run_t *run, const char *key, int from, size_t size,
                                   sli_collective_buffer_done_t done, void *context);

// ---- shared.c ----------------------------------------------------------------------

// Reduces in shared memory. Returns false and does nothing if the members cannot do that, or not this op.
bool sli_collective_run_shared(sli_collective_run_t *run);
void sli_collective_boards_destroy(struct sli_collective_boards *boards);  // NULL is allowed

// ---- mpi.c -------------------------------------------------------------------------

// Loads and starts MPI if it is asked for; blocks the first time. |*out_world| is 0 if it is not asked for.
sli_status_t *sli_collective_mpi_start(sli_env_t *env, uint64_t *out_world, int *out_rank);
// Whether MPI can reduce the run's tensor. The same on all members.
bool sli_collective_mpi_can(const sli_collective_run_t *run);
// Blocks. |ranks| of the members in MPI's world; |*communicator| of the instance is made if it is NULL.
sli_status_t *sli_collective_mpi_reduce(sli_collective_run_t *run, const int *ranks, void **communicator);

// ---- ring.c, tree.c ----------------------------------------------------------------

// Each starts its parts; the caller has begun one and ends it afterwards.
void sli_collective_run_ring(sli_collective_run_t *run);
void sli_collective_run_tree(sli_collective_run_t *run);
void sli_collective_run_all_to_all(sli_collective_run_t *run);

#endif  // SLI_COLLECTIVE_ENGINE_INTERNAL_H_
