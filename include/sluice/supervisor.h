// The Supervisor of TensorFlow 1.x, as tf.train.Supervisor. It prepares the model
// or waits for it; in the chief, threads save checkpoints and summaries while the
// program runs steps. New programs should use sl_monitored_training_session().
//
//   sl_supervisor_t *sv = sl_supervisor(g, .server = server, .logdir = "logs");
//   sl_session_t *session = sl_supervisor_session(sv);
//   while (!sl_should_stop(session) && step < last)
//     sl_run(session, SL_TARGET(train), SL_FETCH(global_step, &step));
//   return sl_session_close(session);
//
// A program may also run steps on the TensorFlow session itself:
// sl_supervisor_prepare_or_wait_for_session(), sl_supervisor_stop().
#ifndef SLUICE_SUPERVISOR_H_
#define SLUICE_SUPERVISOR_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/coordinator.h"
#include "sluice/queue_runner.h"
#include "sluice/scaffold.h"
#include "sluice/session.h"
#include "sluice/summary.h"

SL_BEGIN_DECLS

typedef struct sl_supervisor sl_supervisor_t;

typedef struct {
  size_t struct_size;
  sl_server_t *server;              // NULL: local sessions
  bool not_chief;                   // false: it is the chief if the server is, or without a server; true: never
  const char *logdir;               // for the checkpoints and summaries of the chief; NULL: write none
  const sl_scaffold_t *scaffold;    // init_op, init_fn, local_init_op, ready_op, saver, summary_op; NULL: defaults
  TF_Output global_step;            // empty: the global step of the graph, if it has one
  double save_model_secs;           // 0: 600; < 0: never
  double save_summaries_secs;       // 0: 120; < 0: never
  const char *checkpoint_basename;  // NULL: "model.ckpt"
  double recovery_wait_secs;        // accepted for compatibility with Python; not used
  double max_wait_secs;             // the longest wait for tasks and for the chief, also in a step. 0: 7200
  const sl_config_t *config;        // of the sessions; NULL: defaults
  sl_chief_t chief;                 // whether this task is the chief; 0: see not_chief
  const char *master;  // "grpc://host:port", the task to open sessions on; NULL: the server's. See sl_session_options_t
} sl_supervisor_options_t;

// Builds the operations that the scaffold lacks; the graph must not change afterwards. An error of the scope is
// reported when a session is requested. Release it with sl_supervisor_release.
SL_EXPORT sl_supervisor_t *sl_supervisor_with(sl_scope_t *scope, const sl_supervisor_options_t *options);
#define sl_supervisor(scope, ...) sl_supervisor_with(SL_AT(scope), SL_OPTIONS(sl_supervisor_options_t, __VA_ARGS__))
// Stops if sl_supervisor_stop was not called, ignoring errors; then releases. NULL is fine.
SL_EXPORT void sl_supervisor_release(sl_supervisor_t *supervisor);

// In the chief, prepares the model; in other tasks, waits for it. Then starts the chief's threads (checkpoints,
// summaries, step rate) and all queue runners of the graph. NULL after an error, which is in |status|. The supervisor
// owns the session: sl_supervisor_stop closes it. Call it again after a task was lost; it closes the previous session.
// From now on SIGINT and SIGTERM request a stop; a second signal ends the process at once. A step that still waits for
// other workers some time after a stop was requested is given up. Blocks.
SL_EXPORT TF_Session *sl_supervisor_prepare_or_wait_for_session(sl_supervisor_t *supervisor, TF_Status *status);
// The same session: sl_supervisor_managed_session(…) … sl_supervisor_stop(…).
#define sl_supervisor_managed_session sl_supervisor_prepare_or_wait_for_session
// The same for sl_run(): a plain session (session.h) on the supervisor's. Never NULL; after a failure it has the error.
// sl_should_stop() is sl_supervisor_should_stop(); sl_session_close() is sl_supervisor_stop(), prints the first error,
// and releases the supervisor, too. If the training must stop while a step waits, the step is given up, which is not an
// error.
SL_EXPORT sl_session_t *sl_supervisor_session(sl_supervisor_t *supervisor);
// Starts |runner| on the session, for example the chief_queue_runner of a synchronous optimizer.
SL_EXPORT void sl_supervisor_start_queue_runner(sl_supervisor_t *supervisor, sl_queue_runner_t *runner);

// Whether to stop: a thread failed, a signal arrived, the job is done, or a stop was requested. Thread-safe.
SL_EXPORT bool sl_supervisor_should_stop(sl_supervisor_t *supervisor);
SL_EXPORT void sl_supervisor_request_stop(sl_supervisor_t *supervisor);
SL_EXPORT bool sl_supervisor_is_chief(const sl_supervisor_t *supervisor);
SL_EXPORT sl_coordinator_t *sl_supervisor_coordinator(sl_supervisor_t *supervisor);
SL_EXPORT sl_saver_t *sl_supervisor_saver(sl_supervisor_t *supervisor);
// The event file of the chief; NULL in other tasks, and before a session was requested.
SL_EXPORT sl_file_writer_t *sl_supervisor_summary_writer(sl_supervisor_t *supervisor);
// Writes a serialized summary with the current global step. Does nothing in tasks other than the chief.
SL_EXPORT void sl_supervisor_summary_computed(sl_supervisor_t *supervisor, const TF_Tensor *summary, TF_Status *status);

// Stops all threads and closes the session. The chief first saves a last checkpoint and, if there was no error,
// announces to the whole cluster that the job is done. The first error of a thread is in |status|. Returns the exit
// code for the process: 0; 1 after an error; 128 + signal after a signal. Blocks.
SL_EXPORT int sl_supervisor_stop(sl_supervisor_t *supervisor, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_SUPERVISOR_H_
