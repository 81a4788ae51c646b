// The Supervisor of TensorFlow 1.x, as tf.train.Supervisor: prepares or waits for
// the model, and in the chief saves checkpoints and summaries from threads of its
// own while the program runs its sessions as it likes. New programs are better
// served by sl_monitored_training_session().
//
//   sl_supervisor_t *sv = sl_supervisor(g, .server = server, .logdir = "logs");
//   TF_Session *session = sl_supervisor_prepare_or_wait_for_session(sv, status);
//   while (!sl_supervisor_should_stop(sv) && step < last) TF_SessionRun(session, …);
//   sl_supervisor_stop(sv, status);
#ifndef SLUICE_SUPERVISOR_H_
#define SLUICE_SUPERVISOR_H_

#include "sluice/coordinator.h"
#include "sluice/queue_runner.h"
#include "sluice/scaffold.h"
#include "sluice/summary.h"

SL_BEGIN_DECLS

typedef struct sl_supervisor sl_supervisor_t;

typedef struct {
  size_t struct_size;
  sl_server_t *server;              // NULL: local sessions
  bool not_chief;                   // it is the chief if the server is, or there is none; true: it is not in any case
  const char *logdir;               // where the chief saves, restores and writes summaries; NULL: nowhere
  const sl_scaffold_t *scaffold;    // init_op, init_fn, local_init_op, ready_op, saver, summary_op; NULL: the usual
  TF_Output global_step;            // empty: the graph's, if it has one
  double save_model_secs;           // 0: 600; < 0: never
  double save_summaries_secs;       // 0: 120; < 0: never
  const char *checkpoint_basename;  // NULL: "model.ckpt"
  double recovery_wait_secs;        // 0: 1, unless the chief tells
  double max_wait_secs;             // for tasks and for the chief. 0: 7200
  const sl_config_t *config;        // of the sessions; NULL: the usual
} sl_supervisor_options_t;

// Builds what the scaffold lacks; the graph is final then. An error of the scope is reported when a session is asked
// for. Lives until sl_supervisor_release.
SL_EXPORT sl_supervisor_t *sl_supervisor_with(sl_scope_t *scope, const sl_supervisor_options_t *options);
#define sl_supervisor(scope, ...) sl_supervisor_with(SL_AT(scope), SL_OPTIONS(sl_supervisor_options_t, __VA_ARGS__))
// Stops, without an error to report, if that was not done. NULL is fine.
SL_EXPORT void sl_supervisor_release(sl_supervisor_t *supervisor);

// The chief prepares the model, others wait for it; then the chief's threads (checkpoints, summaries, the step rate)
// and all queue runners of the graph start. NULL after an error, which is in |status|. The session is the supervisor's:
// sl_supervisor_stop closes it. Asked for again after a task was lost it closes the former one. From now on SIGINT and
// SIGTERM ask for the end, a second one ends the process at once. A step that goes on waiting for others some time
// after the end, whoever asked for it, is given up. Blocks.
SL_EXPORT TF_Session *sl_supervisor_prepare_or_wait_for_session(sl_supervisor_t *supervisor, TF_Status *status);
// The same session: sl_supervisor_managed_session(…) … sl_supervisor_stop(…).
#define sl_supervisor_managed_session sl_supervisor_prepare_or_wait_for_session
// Starts |runner| on the session, too (such as a synchronous optimizer's chief_queue_runner).
SL_EXPORT void sl_supervisor_start_queue_runner(sl_supervisor_t *supervisor, sl_queue_runner_t *runner);

// Whether a thread failed, a signal came or somebody asked for the end. Any thread.
SL_EXPORT bool sl_supervisor_should_stop(sl_supervisor_t *supervisor);
SL_EXPORT void sl_supervisor_request_stop(sl_supervisor_t *supervisor);
SL_EXPORT bool sl_supervisor_is_chief(const sl_supervisor_t *supervisor);
SL_EXPORT sl_coordinator_t *sl_supervisor_coordinator(sl_supervisor_t *supervisor);
SL_EXPORT sl_saver_t *sl_supervisor_saver(sl_supervisor_t *supervisor);
// The chief's event file; NULL for others, and before the session.
SL_EXPORT sl_file_writer_t *sl_supervisor_summary_writer(sl_supervisor_t *supervisor);
// Writes a serialized summary at the global step as it is now. The chief's; others' are dropped.
SL_EXPORT void sl_supervisor_summary_computed(sl_supervisor_t *supervisor, const TF_Tensor *summary, TF_Status *status);

// Stops all threads and, in the chief, saves a last checkpoint, closes the session and, if all went well, tells the
// whole cluster that the job is done. The first error of a thread is in |status|. Returns the process's exit code: 0, 1
// after an error, 128 + signal after a signal. Blocks.
SL_EXPORT int sl_supervisor_stop(sl_supervisor_t *supervisor, TF_Status *status);

SL_END_DECLS

#endif  // SLUICE_SUPERVISOR_H_
