// The parts of a training session. session.c opens, recovers and closes it;
// run.c runs a step; hooks.c has what happens around the steps.
#ifndef SLI_TRAIN_SESSION_INTERNAL_H_
#define SLI_TRAIN_SESSION_INTERNAL_H_

#include "sluice/saver.h"
#include "sluice/session.h"
#include "sluice/summary.h"
#include "train/scope_internal.h"

// What hooks want fetched along with a training step, and got.
enum { SLI_STEP_MAX_FETCHES = 8 };
typedef struct {
  TF_Output outputs[SLI_STEP_MAX_FETCHES];
  TF_Tensor *values[SLI_STEP_MAX_FETCHES];  // after the run; the session's
  size_t count;
  int64_t examples;  // in the batch that was fed; 0 if that cannot be told
} sli_step_t;

// Something that happens around the training steps. Functions may be NULL. Each runs on the program's thread; an
// error goes to sli_session_fail().
typedef struct sli_hook sli_hook_t;
struct sli_hook {
  void (*begin)(sli_hook_t *hook, sl_session_t *session);    // the graph may still be added to
  void (*created)(sli_hook_t *hook, sl_session_t *session);  // the variables are ready; again after each recovery
  void (*before_run)(sli_hook_t *hook, sl_session_t *session, sli_step_t *step);
  void (*after_run)(sli_hook_t *hook, sl_session_t *session, sli_step_t *step);
  void (*stopped)(sli_hook_t *hook, sl_session_t *session);  // the program learns that the training is over; once
  void (*end)(sli_hook_t *hook, sl_session_t *session);      // all went well; the session is still open
  void (*destroy)(sli_hook_t *hook);
};

struct sl_session {
  sl_scope_t *scope;
  sl_server_t *server;  // NULL: local
  sl_session_options_t options;
  char title[64];  // "Worker 0"
  bool is_chief;
  SLI_ARRAY(sli_hook_t *) hooks;

  TF_Session *handle;  // NULL while there is none
  TF_Output global_step;
  TF_Operation *init, *local_init;
  sli_outputs_t initialized;  // one bool for each variable, in the order of |variables|
  sli_outputs_t variables;    // global and local ones
  sl_saver_t *saver;          // NULL without variables
  char *checkpoint_dir;       // absolute, NULL for none
  bool made_directory;        // it was not there before
  sl_file_writer_t *writer;   // the chief's, once the model is ready; NULL without a directory
  int64_t restored_step;      // of the checkpoint it was restored from; -1 if initialised

  int64_t step;  // as last seen
  bool stop;
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
// Reads the global step now. False after an error, which is kept.
bool sli_session_read_step(sl_session_t *session, int64_t *out_step);
// Whether |status| is one that a new session may cure.
bool sli_session_is_lost(const sl_session_t *session, const sli_status_t *status);
// Makes a new session and brings the model back. Fails the session if that cannot be done.
void sli_session_recover(sl_session_t *session, const sli_status_t *why);
// A line on stderr.
void sli_session_say(const sl_session_t *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Asks for |output| and returns where its value will be.
size_t sli_step_fetch(sli_step_t *step, TF_Output output);

// The built-in hooks that |session|'s options ask for.
void sli_session_add_hooks(sl_session_t *session);

#endif  // SLI_TRAIN_SESSION_INTERNAL_H_
