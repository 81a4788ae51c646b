// The parts of a training session. session.c opens, recovers and closes it;
// session_guard.c watches over steps that wait; run.c runs a step; hooks*.c have
// what happens around the steps.
#ifndef SLI_TRAIN_SESSION_INTERNAL_H_
#define SLI_TRAIN_SESSION_INTERNAL_H_

#include <stdatomic.h>

#include "base/sync.h"
#include "sluice/coordinator.h"
#include "sluice/hooks.h"
#include "sluice/saver.h"
#include "sluice/session.h"
#include "sluice/summary.h"
#include "train/scope_internal.h"
#include "train/session_manager_internal.h"

enum { SLI_STEP_MAX_FETCHES = 16, SLI_STEP_MAX_FEEDS = 16 };
struct sl_step {
  TF_Output outputs[SLI_STEP_MAX_FETCHES];
  TF_Tensor *values[SLI_STEP_MAX_FETCHES];  // after the run; the session's
  size_t count;
  TF_Output inputs[SLI_STEP_MAX_FEEDS];
  TF_Tensor *feeds[SLI_STEP_MAX_FEEDS];
  size_t feed_count;
  int64_t examples;
  bool traced;  // a hook asked for statistics
  TF_Buffer *metadata;
  bool overflow;  // hooks asked for more than there is room for
  bool skipped;   // a hook does not want it to run
};

// A thread that lets hooks look after an open session, and closes it under a step that still waits some time after the
// training was to stop.
typedef struct {
  pthread_t thread;
  bool running;
  sli_mutex_t mutex;
  sli_cond_t changed;
  bool leave;            // under mutex
  atomic_bool stepping;  // a step runs that began before the end
  atomic_bool closed;    // it was given up
} sli_guard_t;

struct sl_session {
  sl_scope_t *scope;
  sl_server_t *server;  // NULL: local
  sl_session_options_t options;
  sl_session_manager_t *manager;  // NULL if the graph has an error
  const char *title;              // "Worker 0"
  char own_title[64];
  bool is_chief;
  SLI_ARRAY(sl_hook_t *) hooks;  // the program's, the graph's, the session's
  size_t lent_hooks;             // how many of the first belong to the graph

  TF_Session *handle;             // NULL while there is none
  bool has_model;                 // there was one once
  sl_coordinator_t *coordinator;  // of the threads on |handle|
  sli_guard_t guard;
  TF_Output global_step;
  char *checkpoint_dir;      // absolute, NULL for none; the chief's
  bool made_directory;       // it was not there before
  sl_file_writer_t *writer;  // the chief's, once the model is ready; NULL without a directory
  int64_t restored_step;     // of the checkpoint it was restored from; -1 if initialised

  int64_t step;  // as last seen
  atomic_bool stop;
  bool preparing;     // hooks are told of a new session
  bool told_to_stop;  // hooks were told of the end
  TF_Code code;
  char *error;        // the first, with its place
  sli_map_t escapes;  // placeholders whose value a run may keep: see run.c
};

// The first error wins; NULL is none. |file| NULL: not the fault of a line of the program. Consumes |status|.
void sli_session_fail(sl_session_t *session, const char *file, int line, sli_status_t *status);
// Deals with the outcome of something that a hook did: a lost task is replaced, any other error kept. Consumes it.
void sli_session_check(sl_session_t *session, sli_status_t *status);
static inline bool sli_session_ok(const sl_session_t *session) { return session->code == TF_OK; }
// Whether the training is to end for any reason but an error of the program's thread. Thread-safe.
bool sli_session_is_over(const sl_session_t *session);
// Deals with a failed run: starts anew if a task was lost, stops at the end of the input or of the training, keeps any
// other error. Consumes |status|. True: run again.
bool sli_session_run_failed(sl_session_t *session, const char *file, int line, sli_status_t *status);

void sli_guard_start(sl_session_t *session);
void sli_guard_stop(sl_session_t *session);
// Around a training step.
void sli_guard_step_begins(sl_session_t *session);
void sli_guard_step_ended(sl_session_t *session);

// The built-in hooks that |session|'s options ask for.
void sli_session_add_hooks(sl_session_t *session);

#endif  // SLI_TRAIN_SESSION_INTERNAL_H_
