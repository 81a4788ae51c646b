// Opens sessions, for training sessions and the Supervisor.
#ifndef SLI_TRAIN_SESSION_SESSION_MANAGER_H_
#define SLI_TRAIN_SESSION_SESSION_MANAGER_H_

#include "sluice/scaffold.h"
#include "train/common/progress.h"
#include "train/graph/scope.h"
#include "train/session/session_backup.h"

struct sl_session_manager {
  sl_scope_t *scope;
  sl_scaffold_t scaffold;
  sl_session_manager_options_t options;
  char title[64];           // "Worker 0"
  char *checkpoint_dir;     // absolute; NULL for none
  sl_saver_t *saver;        // the one in use; NULL without variables
  sl_saver_t *local_saver;  // used instead if a ps does not see the directory; NULL: none
  bool chosen;              // |saver| is decided
  sli_string_t config;      // of the sessions, a ConfigProto
  char *master;             // NULL: the server's target
  char *restored;           // the checkpoint that the last session was restored from; NULL: none
  // Asked when the tasks are there: whether this task is the chief. NULL: as sli_session_manager_open was told.
  bool (*is_chief_now)(void *context);
  void *chief_context;
  sli_session_backup_t backup;
  bool had_model;  // a session of this task had one: ps tasks that have lost theirs were restarted
  bool met_tasks;  // the tasks that a session needs have replied once
  bool continued;  // the last session of the chief continued with the model that the ps tasks held
};

// How long a session waits for other tasks.
double sli_session_manager_max_wait_secs(const sl_session_manager_t *manager);
// The TensorFlow server; NULL without one.
TF_Server *sli_session_manager_server(const sl_session_manager_t *manager);
// The target of the sessions; "": this process. And whether it is a server, here or elsewhere.
const char *sli_session_manager_target(const sl_session_manager_t *manager);
bool sli_session_manager_is_remote(const sl_session_manager_t *manager);
// Whether this task is the chief. |server| may be NULL.
bool sli_session_manager_is_chief(sl_chief_t chief, const sl_server_t *server);
// A session on |graph| that uses only the ps tasks and this task. Does not wait for tasks or for the model.
// |timeout_millis| is the timeout of each call; 0: none.
TF_Session *sli_session_manager_create_session(const sl_session_manager_t *manager, TF_Graph *graph,
                                               int64_t timeout_millis, TF_Status *status);
// Checks that all tasks that the sessions use reply within |wait_millis|. UNAVAILABLE, with their names, if some do not
// accept connections; other errors come from a task that does not reply. Blocks.
enum { SLI_SESSION_MANAGER_PROBE_MILLIS = 2000 };
sli_status_t *sli_session_manager_probe_tasks(const sl_session_manager_t *manager, int wait_millis);

// Opens a session with a model: prepares it in the chief, waits for it elsewhere. Starts again if a task is lost in the
// meantime. CANCELLED if should_stop() returned true. Blocks.
sli_status_t *sli_session_manager_open(sl_session_manager_t *manager, bool is_chief, TF_Session **out_session);
// Whether |status| means that a task was lost, so that a new session may help.
bool sli_session_manager_is_task_lost(const sl_session_manager_t *manager, const sli_status_t *status);

#endif  // SLI_TRAIN_SESSION_SESSION_MANAGER_H_
