// The steps that a task has heard of. A step comes to exist when RunGraph or
// RecvTensor first mentions it, whichever is earlier, and goes with CleanupGraph.
// Nobody is trusted to send that: a step that nothing uses and that holds nothing
// goes at once; one that holds values or an error is kept for whoever may still
// ask, within bounds of number and age. Thread-safe.
#ifndef SLI_DIST_STEP_TABLE_H_
#define SLI_DIST_STEP_TABLE_H_

#include "dist/remote_rendezvous.h"

typedef struct sli_step_table sli_step_table_t;

typedef struct sli_task_step sli_task_step_t;
struct sli_task_step {
  int64_t id;
  sli_remote_rendezvous_t *rendezvous;
  // The execution that the parts of a partial run share; NULL: none. Written once
  // by whoever uses the step, under a lock of its own; released with the step.
  void *partial;
  // The step table's, under its mutex.
  int users;
  bool listed;  // false: cleaned up, gone with its last user
  int64_t idle_since;
  sli_task_step_t *next;                       // in its bucket
  sli_task_step_t *idle_next, *idle_previous;  // among those without users, oldest first
};

// |release_partial| frees what |partial| points to.
sli_step_table_t *sli_step_table_create(const sli_remote_rendezvous_home_t *home,
                                        void (*release_partial)(void *partial));
// No step may have users.
void sli_step_table_destroy(sli_step_table_t *table);

// The step |id|, made if need be, with one more user, who leaves it again.
sli_task_step_t *sli_step_table_enter(sli_step_table_t *table, int64_t id);
void sli_step_table_leave(sli_step_table_t *table, sli_task_step_t *step);
// Forgets the step and fails what still waits in it. Unknown ids are fine.
void sli_step_table_cleanup(sli_step_table_t *table, int64_t id);
// Fails what waits in any step. Consumes |status|.
void sli_step_table_abort_all(sli_step_table_t *table, sli_status_t *status);
size_t sli_step_table_count(sli_step_table_t *table);

#endif  // SLI_DIST_STEP_TABLE_H_
