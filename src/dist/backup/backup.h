// Backups of the variables of a task. A version has the values that all variables had at one moment, and the global
// step. Each is a V2 checkpoint in DIRECTORY/JOB-INDEX: full-STEP has all variables, delta-STEP the rows that have
// changed since the version before. Values of strings and objects are not backed up. Thread-safe.
#ifndef SLI_DIST_BACKUP_BACKUP_H_
#define SLI_DIST_BACKUP_BACKUP_H_

#include "base/array.h"
#include "core/state/resource.h"
#include "core/step/env.h"

typedef struct sli_backup sli_backup_t;

// |task_name| is "/job:ps/replica:0/task:0". Everything given must outlive the object.
sli_backup_t *sli_backup_create(sli_env_t *env, sli_resource_manager_t *resources, const char *task_name);
// Waits until the last version is written. NULL is allowed.
void sli_backup_destroy(sli_backup_t *backup);

// Takes a version now, which costs a reference to each variable, and writes it in the background; a failure is logged,
// and the next version is a full one. False if the version before is still being written: then there is none of |step|.
bool sli_backup_cut(sli_backup_t *backup, const char *directory, int64_t step);
// Deletes the versions of this task, when the one that is being written is done: the job has ended.
void sli_backup_forget(sli_backup_t *backup);

typedef SLI_ARRAY(int64_t) sli_backup_steps_t;
// The steps of the versions of this task that could be restored, ascending. Blocks.
sli_status_t *sli_backup_list(sli_backup_t *backup, const char *directory, sli_backup_steps_t *out_steps);
// Gives the variables the values of version |step|; those that do not exist are created. All bytes are verified before
// the first variable changes: DATA_LOSS if some are damaged. Later versions are deleted. Blocks.
sli_status_t *sli_backup_restore(sli_backup_t *backup, const char *directory, int64_t step);

#endif  // SLI_DIST_BACKUP_BACKUP_H_
