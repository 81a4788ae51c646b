// The internals of a training session. train_session.c opens, recovers and closes it;
// train_session_run.c runs a step; session_guard.c ends steps that wait; hooks*.c are
// the hooks; plain_session.c opens and closes one that only runs.
#ifndef SLI_TRAIN_SESSION_TRAIN_SESSION_H_
#define SLI_TRAIN_SESSION_TRAIN_SESSION_H_

#include <stdatomic.h>

#include "base/sync.h"
#include "sluice/coordinator.h"
#include "sluice/hooks.h"
#include "sluice/saver.h"
#include "sluice/session.h"
#include "sluice/summary.h"
#include "sluice/supervisor.h"
#include "train/graph/scope.h"
#include "train/session/session_claim.h"
#include "train/session/session_guard.h"
#include "train/session/session_manager.h"

enum { SLI_TRAIN_SESSION_MAX_FETCHES = 16, SLI_TRAIN_SESSION_MAX_FEEDS = 16 };
struct sl_step {
  TF_Output outputs[SLI_TRAIN_SESSION_MAX_FETCHES];
  TF_Tensor *values[SLI_TRAIN_SESSION_MAX_FETCHES];  // after the run; owned by the session
  size_t count;
  TF_Output inputs[SLI_TRAIN_SESSION_MAX_FEEDS];
  TF_Tensor *feeds[SLI_TRAIN_SESSION_MAX_FEEDS];
  size_t feed_count;
  int64_t examples;
  bool traced;  // a hook requested statistics
  TF_Buffer *metadata;
  bool overflow;  // hooks requested more than there is room for
  bool skipped;   // a hook called sl_step_skip
};

// A thread that calls the |watch| functions of hooks while a session is open, tells which tasks do not reply, and
// closes the session if a step still waits some time after the training was to stop.
typedef struct {
  pthread_t thread;
  bool running;
  sli_mutex_t mutex;
  sli_cond_t changed;
  bool leave;                       // under mutex
  atomic_bool stepping;             // a step runs that began before the training was to stop
  atomic_bool closed;               // the guard has closed the session
  atomic_int_least64_t step_nanos;  // when the training step that runs began; 0: none runs
  sli_session_guard_peers_t peers;  // used by the guard only
} sli_session_guard_t;

// Files that cannot be written, because the disk is full or fails: it is tried again after growing pauses.
typedef struct {
  int failures;        // since the last success
  int64_t next_nanos;  // when to try again; 0: at once
} sli_hook_trouble_t;

struct sl_session {
  sl_scope_t *scope;
  sl_server_t *server;  // NULL: local
  sl_session_options_t options;
  sl_session_manager_t *manager;  // NULL if the graph has an error
  const char *title;              // "Worker 0"
  char own_title[64];
  bool is_chief;  // of the open session; sli_session_claim_t knows first if that changes
  bool follows;   // of an all-reduce group whose members change: another member does what a chief does
  sli_session_claim_t claim;
  bool is_plain;                 // of sl_session(): without a manager, a server, hooks, a guard and a global step
  sl_supervisor_t *supervisor;   // of a plain session: owns the handle; NULL: the session does
  SLI_ARRAY(sl_hook_t *) hooks;  // of the graph, then of the program, then of the session
  size_t graph_hooks;            // how many belong to the graph
  sli_map_t chief_hooks;         // those that are called in the chief only; the key is the pointer

  TF_Session *handle;             // NULL while there is none
  bool has_model;                 // a session with a model was open
  sl_coordinator_t *coordinator;  // of the threads that use |handle|
  sli_session_guard_t guard;
  TF_Output global_step;
  bool made_global_step;      // the program's graph had none
  char *checkpoint_dir;       // absolute; NULL: none. In the chief only
  bool made_directory;        // the session has created it
  sl_file_writer_t *writer;   // in the chief, once the model is ready; NULL without a directory
  sli_hook_trouble_t events;  // with event files
  int64_t restored_step;      // of the restored checkpoint; -1: not restored

  int64_t step;  // as last seen
  atomic_bool stop;
  bool preparing;       // after_create_session of the hooks is running
  int losses;           // sessions that were lost since the last step that succeeded
  bool has_overslept;   // the job has ended while this process was stopped
  int alone_checks;     // how often all other tasks were found gone, after this process was stopped
  int64_t alone_nanos;  // when that was last checked
  int64_t lost_since;   // when the first of them was lost
  bool called_stopped;  // |stopped| of the hooks was called
  int64_t next_report;  // when the loss may be reported again, see hooks_values.c
  bool infinite_loss;   // |options.progress| of the last step was infinite
  TF_Code code;
  char *error;           // the first, with its source line
  sli_map_t kept_feeds;  // whether a value fed to a node must be copied, by its name: see train_session_run.c
};

// Sets the error of the session, unless it has one already; a NULL |status| is ignored. |file| NULL: the error has no
// source line. Releases |status|.
void sli_train_session_fail(sl_session_t *session, const char *file, int line, sli_status_t *status);
// Sets the error of the scope as that of the session, which has its line: a node was added after the session was
// opened.
void sli_train_session_take_scope_error(sl_session_t *session);
// Handles the result of something that a hook did: recovers from a lost task, keeps any other error. Releases |status|.
void sli_train_session_handle_status(sl_session_t *session, sli_status_t *status);
// Whether |session|, which may have been closed, is open; if not, says that |function| was called too late.
bool sli_train_session_is_open(const sl_session_t *session, const char *function);
static inline bool sli_train_session_ok(const sl_session_t *session) { return session->code == TF_OK; }
// Whether the training must stop, for any reason but an error of the program's thread. Thread-safe.
bool sli_train_session_is_over(const sl_session_t *session);
// Handles a failed run: recovers if a task was lost, stops at the end of the input or of the training, keeps any other
// error. Releases |status|. Returns whether to run again.
bool sli_train_session_handle_run_error(sl_session_t *session, const char *file, int line, sli_status_t *status);

// The hook at |position| of session->hooks; NULL if it is for the chief, which this task is not.
sl_hook_t *sli_train_session_hook(const sl_session_t *session, size_t position);
// Adds a hook, |is_chiefs|: which only the chief calls.
void sli_train_session_add_hook(sl_session_t *session, sl_hook_t *hook, bool is_chiefs);
// Whether only the chief may do what is about to be done, and this task is it.
bool sli_train_session_confirm_chief(sl_session_t *session);

void sli_session_guard_start(sl_session_t *session);
void sli_session_guard_stop(sl_session_t *session);
// Call these before and after a training step.
void sli_session_guard_begin_step(sl_session_t *session);
void sli_session_guard_end_step(sl_session_t *session);

// A plain session on the one of |supervisor|, or with the error |status|, which it releases.
sl_session_t *sli_train_session_wrap(sl_scope_t *scope, sl_supervisor_t *supervisor, TF_Session *handle,
                                     sli_status_t *status);
// Closes a plain session, prints its error, and releases it. Returns the exit code.
int sli_train_session_close_plain(sl_session_t *session);

// Adds the built-in hooks that the options of |session| require.
void sli_train_session_add_hooks(sl_session_t *session);

#endif  // SLI_TRAIN_SESSION_TRAIN_SESSION_H_
