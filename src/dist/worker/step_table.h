// The steps that a task knows. A step is created by the first RunGraph or RecvTensor that names it and removed by
// CleanupGraph. The table does not rely on that call: a step without users and values is removed at once; one that has
// values or an error is kept for later requests, within limits of number and age. Thread-safe.
#ifndef SLI_DIST_WORKER_STEP_TABLE_H_
#define SLI_DIST_WORKER_STEP_TABLE_H_

#include "dist/worker/remote_rendezvous.h"

typedef struct sli_step_table sli_step_table_t;

typedef struct sli_worker_step sli_worker_step_t;
struct sli_worker_step {
  int64_t id;
  sli_remote_rendezvous_t *rendezvous;
  // The execution that the parts of a partial run share; NULL: none. A user of the step sets it once, under the
  // worker's lock. Released with the step.
  void *partial;
  // Used by the step table only, under its mutex.
  int users;
  bool started;           // a RunGraph has named it
  size_t early_receives;  // of the users: RecvTensors that came before it was started
  bool listed;            // false: cleaned up; freed with its last user
  int64_t idle_since;
  sli_worker_step_t *next;                       // in its bucket
  sli_worker_step_t *idle_next, *idle_previous;  // in the list of steps without users, oldest first
};

// |release_partial| releases a step's |partial|.
sli_step_table_t *sli_step_table_create(const sli_remote_rendezvous_shared_t *shared,
                                        void (*release_partial)(void *partial));
// No step may have users any more.
void sli_step_table_destroy(sli_step_table_t *table);

// Limits the receives that wait in steps that no RunGraph has named; 0: no limit. Call it before the first step.
void sli_step_table_limit_early_receives(sli_step_table_t *table, size_t limit);

// For RunGraph: returns the step |id| and counts one more user, who must call leave. Creates the step if it does not
// exist.
sli_worker_step_t *sli_step_table_enter(sli_step_table_t *table, int64_t id);
void sli_step_table_leave(sli_step_table_t *table, sli_worker_step_t *step);
// The same for RecvTensor. RESOURCE_EXHAUSTED if the step has not started and too many receives wait for such steps.
sli_status_t *sli_step_table_enter_recv(sli_step_table_t *table, int64_t id, sli_worker_step_t **out_step);
void sli_step_table_leave_recv(sli_step_table_t *table, sli_worker_step_t *step);
// Removes the step and fails the receivers that wait in it. Unknown ids are ignored.
void sli_step_table_cleanup(sli_step_table_t *table, int64_t id);
// Fails the receivers of all steps. Consumes |status|.
void sli_step_table_abort_all(sli_step_table_t *table, sli_status_t *status);
size_t sli_step_table_count(sli_step_table_t *table);

#endif  // SLI_DIST_WORKER_STEP_TABLE_H_
