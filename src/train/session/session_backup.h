// Backups of the ps tasks' variables, which the chief asks for every few seconds (--ps_backup), and recovery of a ps
// that has lost its variables. Each ps writes its own, see dist/backup.
#ifndef SLI_TRAIN_SESSION_SESSION_BACKUP_H_
#define SLI_TRAIN_SESSION_SESSION_BACKUP_H_

#include <stdatomic.h>

#include "sluice/server.h"

typedef struct {
  const sl_server_t *server;
  const char *title;  // "Worker 0"; not copied
  char *directory;    // of all ps tasks; NULL: no backups
  double secs;
  atomic_int_least64_t next_nanos;  // when the next version is due
  bool is_stock;                    // a ps does not know the call
} sli_session_backup_t;

// |server| and |checkpoint_dir| may be NULL: then there are no backups.
void sli_session_backup_initialize(sli_session_backup_t *backup, const sl_server_t *server, const char *checkpoint_dir,
                                   const char *title);
void sli_session_backup_deinitialize(sli_session_backup_t *backup);

// Whether a version is due now.
bool sli_session_backup_is_due(const sli_session_backup_t *backup);
// Asks every ps for a version of |step|. In synchronous training call it between two steps: then the versions of all
// tasks belong together. Blocks for the replies, which come before anything is written.
void sli_session_backup_cut(sli_session_backup_t *backup, int64_t step);

typedef struct {
  const bool *lost;    // by index of the ps: it has no variables
  bool is_together;    // all tasks go back to one step; else only the lost ones, each to its last version
  int64_t newer_than;  // a step: older versions are of no use
} sli_session_backup_need_t;
// Restores versions of ps tasks, and says which. A damaged version is named, and the one before is taken. Returns false
// if there is none. Blocks.
bool sli_session_backup_recover(sli_session_backup_t *backup, const sli_session_backup_need_t *need);

#endif  // SLI_TRAIN_SESSION_SESSION_BACKUP_H_
