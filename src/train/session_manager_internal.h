// Opening sessions: what training sessions and the Supervisor share.
#ifndef SLI_TRAIN_SESSION_MANAGER_INTERNAL_H_
#define SLI_TRAIN_SESSION_MANAGER_INTERNAL_H_

#include "sluice/scaffold.h"
#include "train/scope_internal.h"

struct sl_session_manager {
  sl_scope_t *scope;
  sl_scaffold_t scaffold;
  sl_session_manager_options_t options;
  char title[64];           // "Worker 0"
  char *checkpoint_dir;     // absolute; NULL for none
  sl_saver_t *saver;        // the one to use; NULL without variables
  sl_saver_t *local_saver;  // in place of the usual one when a ps does not see the directory; NULL: there is none
  bool chosen;              // which of them
  sli_string_t config;      // of the sessions, a ConfigProto
  char *restored;           // the checkpoint that the last session came from; NULL: none
};

// Appends what |config| (NULL: nothing) asks for; true if that chooses what a session sees.
bool sli_session_config_append(const sl_config_t *config, sli_string_t *out);
// How long the session waits for others.
double sli_manager_max_wait_secs(const sl_session_manager_t *manager);
// The server's handle; NULL without a cluster.
TF_Server *sli_manager_server(const sl_session_manager_t *manager);
// A session on |graph| that sees the ps tasks and this one, and nothing else; no wait, no model. |timeout_millis|: of
// each of its operations, 0 for none.
TF_Session *sli_manager_new_session(const sl_session_manager_t *manager, TF_Graph *graph, int64_t timeout_millis,
                                    TF_Status *status);
// Whether all tasks that the sessions see answer, within |wait_millis|. UNAVAILABLE at once, naming them, if nobody
// listens at some; else an error is a lost task's. Blocks.
enum { SLI_PROBE_MILLIS = 2000 };
sli_status_t *sli_manager_probe_tasks(const sl_session_manager_t *manager, int wait_millis);
// Closes and deletes; NULL is fine.
void sli_session_delete(TF_Session *session);
sli_status_t *sli_session_run_operation(TF_Session *session, TF_Operation *operation);

// A session with the model in it: the chief's or the others'. Begins anew when a task is lost on the way. CANCELLED
// when should_stop() said so.
sli_status_t *sli_manager_open(sl_session_manager_t *manager, bool is_chief, TF_Session **out_session);
// Whether a new session may cure |status|: a task was lost.
bool sli_manager_is_lost(const sl_session_manager_t *manager, const sli_status_t *status);

// A line on stderr, "TITLE: …". TensorFlow's messages may have several lines; this has one.
void sli_say(const char *title, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sli_print_line(const char *text);

#endif  // SLI_TRAIN_SESSION_MANAGER_INTERNAL_H_
