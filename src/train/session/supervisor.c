// The Supervisor: a session manager, a coordinator and its threads: three in the chief,
// and one that ends a step that still waits after the training was to stop.
#include "sluice/supervisor.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "sluice/cluster.h"
#include "train/common/call_options.h"
#include "train/common/signals.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/session/hooks_internal.h"
#include "train/session/train_session.h"

struct sl_supervisor {
  sl_scope_t *scope;
  sl_supervisor_options_t options;
  sl_session_manager_t *manager;
  bool is_chief;
  TF_Output global_step;  // empty: none
  char *prefix;           // of checkpoints; NULL without a directory
  sl_coordinator_t *coordinator;
  atomic_bool stop;
  bool watches;               // signals are watched, since a session was requested
  atomic_bool stop_reported;  // sl_supervisor_should_stop has returned true
  bool given_up;              // the guard closed the session
  // When the program last called sl_supervisor_should_stop, as it does before each step; before that, when the session
  // was opened.
  atomic_int_least64_t step_nanos;
  sli_session_guard_peers_t peers;  // used by the guard only
  TF_Session *session;              // NULL while there is none
  sl_file_writer_t *writer;
  bool wrote_graph;
  int64_t saved_step;  // of the last checkpoint; used by the saving thread, then by the thread that stops
  int64_t rate_step, rate_nanos;
};

static double seconds_or(double given, double usual) { return given != 0 ? given : usual; }

static bool supervisor_is_over(sl_supervisor_t *supervisor) {
  TF_Server *server = sli_session_manager_server(supervisor->manager);
  return atomic_load(&supervisor->stop) || sl_coordinator_should_stop(supervisor->coordinator) ||
         (supervisor->watches && sli_signals_caught()) || (server && sl_cluster_is_done(server));
}

static bool supervisor_should_stop(void *context) { return supervisor_is_over(context); }

sl_supervisor_t *sl_supervisor_with(sl_scope_t *scope, const sl_supervisor_options_t *given) {
  sl_supervisor_t *supervisor = sli_calloc(1, sizeof(*supervisor));
  sli_call_options_copy(&supervisor->options, sizeof(supervisor->options), given);
  const sl_supervisor_options_t *options = &supervisor->options;
  supervisor->scope = scope;
  supervisor->is_chief = sli_session_manager_is_chief(options->chief       ? options->chief
                                                      : options->not_chief ? SL_NOT_CHIEF
                                                                           : SL_CHIEF_OF_CLUSTER,
                                                      options->server);
  supervisor->coordinator = sl_coordinator_create();
  supervisor->saved_step = -1;
  supervisor->global_step = options->global_step;
  if (!supervisor->global_step.oper) supervisor->global_step = sli_train_variable_find_global_step(scope);
  const char *directory = supervisor->is_chief ? options->logdir : NULL;
  sli_status_t *made = directory && directory[0] ? sli_file_make_directories(directory) : NULL;
  if (made) sl_scope_fail(scope, (TF_Code)sli_status_code(made), "%s", sli_status_message(made));
  sli_status_release(made);
  supervisor->manager = sl_session_manager_with(
      scope, options->scaffold,
      SL_OPTIONS(sl_session_manager_options_t, .server = options->server, .checkpoint_dir = directory,
                 .recovery_wait_secs = options->recovery_wait_secs, .max_wait_secs = options->max_wait_secs,
                 .should_stop = supervisor_should_stop, .stop_context = supervisor, .config = options->config,
                 .master = options->master));
  if (supervisor->manager->checkpoint_dir)
    supervisor->prefix = sli_path_join(supervisor->manager->checkpoint_dir,
                                       options->checkpoint_basename ? options->checkpoint_basename : "model.ckpt");
  return supervisor;
}

bool sl_supervisor_should_stop(sl_supervisor_t *supervisor) {
  bool over = supervisor_is_over(supervisor);
  if (over) atomic_store(&supervisor->stop_reported, true);
  atomic_store(&supervisor->step_nanos, sli_clock_now_nanos());
  return over;
}

void sl_supervisor_request_stop(sl_supervisor_t *supervisor) { atomic_store(&supervisor->stop, true); }
bool sl_supervisor_is_chief(const sl_supervisor_t *supervisor) { return supervisor->is_chief; }
sl_coordinator_t *sl_supervisor_coordinator(sl_supervisor_t *supervisor) { return supervisor->coordinator; }
sl_saver_t *sl_supervisor_saver(sl_supervisor_t *supervisor) { return supervisor->manager->saver; }
sl_file_writer_t *sl_supervisor_summary_writer(sl_supervisor_t *supervisor) { return supervisor->writer; }

// --- The chief's threads ---

// 0 without a global step.
static int64_t read_step(sl_supervisor_t *supervisor, TF_Status *status) {
  if (!supervisor->global_step.oper) return 0;
  return sli_tf_session_fetch_int64(supervisor->session, supervisor->global_step, status);
}

// An error stops the threads, unless they are stopping already.
static void end_loop(sl_coordinator_t *coordinator, TF_Status *status) {
  if (TF_GetCode(status) != TF_OK && !sl_coordinator_should_stop(coordinator))
    sl_coordinator_request_stop(coordinator, TF_GetCode(status), TF_Message(status));
  TF_DeleteStatus(status);
}

static void save_checkpoint(sl_supervisor_t *supervisor, TF_Status *status) {
  if (!supervisor->prefix || !supervisor->manager->saver) return;
  int64_t step = read_step(supervisor, status);
  if (TF_GetCode(status) != TF_OK || (supervisor->global_step.oper && step == supervisor->saved_step)) return;
  char *path = NULL;
  sl_saver_save(supervisor->manager->saver, supervisor->session, supervisor->prefix, step, &path, status);
  if (path) sl_file_writer_add_checkpoint(supervisor->writer, path, step, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(supervisor->writer, status);
  if (path)
    supervisor->saved_step = step;  // else the session was closed in the meantime, and the thread that stops saves
  free(path);
}

// If the disk is full or fails the training goes on: the loop writes again later.
static void forgive_disk(const sl_supervisor_t *supervisor, const char *what, TF_Status *status) {
  if (!sli_hook_is_disk_error(TF_GetCode(status))) return;
  sli_progress_print(supervisor->manager->title, "%s cannot be written: %s; training goes on", what,
                     TF_Message(status));
  TF_SetStatus(status, TF_OK, "");
}

static void save_loop(void *context, sl_coordinator_t *coordinator) {
  sl_supervisor_t *supervisor = context;
  TF_Status *status = TF_NewStatus();
  save_checkpoint(supervisor, status);
  if (supervisor->saved_step >= 0) forgive_disk(supervisor, "a checkpoint", status);
  end_loop(coordinator, status);
}

static void write_summary(sl_supervisor_t *supervisor, const TF_Tensor *summary, TF_Status *status) {
  int64_t step = read_step(supervisor, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_add_summary_tensor(supervisor->writer, summary, step, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_flush(supervisor->writer, status);
}

static void summary_loop(void *context, sl_coordinator_t *coordinator) {
  sl_supervisor_t *supervisor = context;
  TF_Status *status = TF_NewStatus();
  TF_Tensor *value = sli_tf_session_fetch(supervisor->session, supervisor->manager->scaffold.summary_op, status);
  if (value) write_summary(supervisor, value, status);
  if (value) TF_DeleteTensor(value);
  if (value) forgive_disk(supervisor, "the event file", status);
  end_loop(coordinator, status);
}

static void step_loop(void *context, sl_coordinator_t *coordinator) {
  sl_supervisor_t *supervisor = context;
  TF_Status *status = TF_NewStatus();
  int64_t step = read_step(supervisor, status), now = sli_clock_now_nanos();
  double seconds = (double)(now - supervisor->rate_nanos) * 1e-9;
  if (TF_GetCode(status) == TF_OK && seconds > 0)
    sl_file_writer_add_scalar(supervisor->writer, "global_step/sec",
                              (float)((double)(step - supervisor->rate_step) / seconds), step, status);
  supervisor->rate_step = step;
  supervisor->rate_nanos = now;
  end_loop(coordinator, status);
}

static void write_graph(sl_supervisor_t *supervisor, TF_Status *status) {
  const sl_session_manager_t *manager = supervisor->manager;
  sl_write_graph(supervisor->scope->graph, manager->checkpoint_dir, "graph.pbtxt", true, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_add_graph(supervisor->writer, supervisor->scope->graph, status);
  if (TF_GetCode(status) == TF_OK)
    sl_file_writer_add_meta_graph(supervisor->writer, supervisor->scope, manager->saver, status);
}

// Tells about the other tasks. If the program has not called sl_supervisor_should_stop some time after it was to stop,
// it is waiting in a step, for example for a token. Then this thread closes the session.
static void guard_session(void *context, sl_coordinator_t *coordinator) {
  enum { TICK_MILLIS = 100 };
  static const int64_t grace_nanos = 2000000000;
  sl_supervisor_t *supervisor = context;
  int64_t over_since = 0;
  while (!atomic_load(&supervisor->stop_reported)) {
    if (over_since && sli_clock_now_nanos() - over_since >= grace_nanos) break;
    if (!over_since && supervisor_is_over(supervisor)) over_since = sli_clock_now_nanos();
    if (!over_since)
      sli_session_guard_check_peers(&supervisor->peers, supervisor->manager, supervisor->is_chief,
                                    &supervisor->step_nanos, coordinator);
    if (sl_coordinator_should_stop(coordinator))
      nanosleep(&(struct timespec){.tv_nsec = TICK_MILLIS * 1000000L}, NULL);
    else
      sl_coordinator_wait_for_stop(coordinator, TICK_MILLIS * 1e-3);
  }
  sli_session_guard_forget_peers(&supervisor->peers);
  if (atomic_load(&supervisor->stop_reported)) return;
  supervisor->given_up = true;
  sl_coordinator_request_stop(coordinator, TF_OK, NULL);
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(supervisor->session, status);
  TF_DeleteStatus(status);
}

static void start_threads(sl_supervisor_t *supervisor, TF_Status *status) {
  const sl_supervisor_options_t *options = &supervisor->options;
  sl_coordinator_t *coordinator = supervisor->coordinator;
  atomic_store(&supervisor->stop_reported, false);
  atomic_store(&supervisor->step_nanos, sli_clock_now_nanos());
  sl_coordinator_start_thread(coordinator, "guard", guard_session, supervisor);
  if (!supervisor->prefix) return;
  if (!supervisor->writer) supervisor->writer = sl_file_writer_open(supervisor->manager->checkpoint_dir, status);
  if (!supervisor->writer) return;
  if (!supervisor->wrote_graph) write_graph(supervisor, status);
  supervisor->wrote_graph = true;
  supervisor->rate_step = read_step(supervisor, status);
  if (TF_GetCode(status) == TF_OK) sl_file_writer_add_session_start(supervisor->writer, supervisor->rate_step, status);
  supervisor->rate_nanos = sli_clock_now_nanos();
  double summaries = seconds_or(options->save_summaries_secs, 120), models = seconds_or(options->save_model_secs, 600);
  bool merged = supervisor->manager->scaffold.summary_op.oper;
  if (summaries > 0 && merged) sl_coordinator_loop(coordinator, "summaries", summaries, summary_loop, supervisor);
  if (summaries > 0 && supervisor->global_step.oper)
    sl_coordinator_loop(coordinator, "step counter", summaries, step_loop, supervisor);
  if (models > 0) sl_coordinator_loop(coordinator, "checkpoints", models, save_loop, supervisor);
}

// --- Sessions ---

static void close_session(sl_supervisor_t *supervisor) {
  if (!supervisor->session) return;
  atomic_store(&supervisor->stop_reported, true);  // the guard thread must end
  sl_coordinator_request_stop(supervisor->coordinator, TF_OK, NULL);
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(supervisor->session, status);  // ends the steps that the threads wait for
  sl_coordinator_join(supervisor->coordinator, 0, status);
  TF_DeleteStatus(status);
  sli_tf_session_delete(supervisor->session);
  supervisor->session = NULL;
}

TF_Session *sl_supervisor_prepare_or_wait_for_session(sl_supervisor_t *supervisor, TF_Status *status) {
  close_session(supervisor);
  sl_coordinator_clear_stop(supervisor->coordinator);
  if (!supervisor->watches) sli_signals_watch();
  supervisor->watches = true;
  supervisor->session = supervisor->is_chief ? sl_session_manager_prepare_session(supervisor->manager, status)
                                             : sl_session_manager_wait_for_session(supervisor->manager, status);
  if (!supervisor->session) return NULL;
  start_threads(supervisor, status);
  if (TF_GetCode(status) != TF_OK) {
    close_session(supervisor);
    return NULL;
  }
  sl_start_queue_runners(supervisor->scope, supervisor->session, supervisor->coordinator);
  return supervisor->session;
}

sl_session_t *sl_supervisor_session(sl_supervisor_t *supervisor) {
  TF_Status *status = TF_NewStatus();
  TF_Session *handle = sl_supervisor_prepare_or_wait_for_session(supervisor, status);
  return sli_train_session_wrap(supervisor->scope, supervisor, handle, sli_tf_status_to_status(status));
}

void sl_supervisor_start_queue_runner(sl_supervisor_t *supervisor, sl_queue_runner_t *runner) {
  if (supervisor->session) sl_queue_runner_start(runner, supervisor->session, supervisor->coordinator);
}

void sl_supervisor_summary_computed(sl_supervisor_t *supervisor, const TF_Tensor *summary, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  if (!supervisor->writer || !supervisor->session) return;
  write_summary(supervisor, summary, status);
}

// Closing the session ends the steps that the threads wait for. A model on ps tasks is then saved with a new session. A
// local model exists only in its session, so there the threads must end first.
static void stop_and_save(sl_supervisor_t *supervisor, TF_Status *status) {
  sl_coordinator_request_stop(supervisor->coordinator, TF_OK, NULL);
  if (sli_session_manager_is_remote(supervisor->manager)) {
    close_session(supervisor);
    sl_coordinator_error(supervisor->coordinator, status);
    if (TF_GetCode(status) != TF_OK || !supervisor->prefix) return;
    sli_tf_status_from_status(sli_session_manager_probe_tasks(supervisor->manager, SLI_SESSION_MANAGER_PROBE_MILLIS),
                              status);
    if (TF_GetCode(status) != TF_OK) return;
    supervisor->session = sli_session_manager_create_session(supervisor->manager, supervisor->scope->graph, 0, status);
  } else {
    sl_coordinator_join(supervisor->coordinator, 0, status);
  }
  bool is_there = sli_session_manager_is_remote(supervisor->manager) || !supervisor->given_up;
  if (!is_there)
    sli_progress_print(supervisor->manager->title,
                       "the model was lost with the session of the step that was given up: nothing is saved");
  if (supervisor->session && is_there && TF_GetCode(status) == TF_OK) save_checkpoint(supervisor, status);
  sli_tf_session_delete(supervisor->session);
  supervisor->session = NULL;
}

static void unwatch_signals(sl_supervisor_t *supervisor) {
  if (supervisor->watches) sli_signals_unwatch();
  supervisor->watches = false;
}

int sl_supervisor_stop(sl_supervisor_t *supervisor, TF_Status *status) {
  TF_SetStatus(status, TF_OK, "");
  atomic_store(&supervisor->stop_reported, true);
  atomic_store(&supervisor->stop, true);
  bool ran = supervisor->session != NULL;
  if (ran) stop_and_save(supervisor, status);
  TF_Status *closed = TF_NewStatus();
  if (ran && supervisor->writer && TF_GetCode(status) == TF_OK)
    sl_file_writer_add_session_stop(supervisor->writer, status);
  sl_file_writer_close(supervisor->writer, closed);
  if (TF_GetCode(status) == TF_OK && TF_GetCode(closed) != TF_OK)
    TF_SetStatus(status, TF_GetCode(closed), TF_Message(closed));
  supervisor->writer = NULL;
  TF_DeleteStatus(closed);
  TF_Server *server = sli_session_manager_server(supervisor->manager);
  int caught = supervisor->watches ? sli_signals_caught() : 0;
  if (ran && server && supervisor->is_chief && !caught && TF_GetCode(status) == TF_OK)
    sl_cluster_announce_done(server, status);
  unwatch_signals(supervisor);
  if (TF_GetCode(status) != TF_OK) return 1;
  return caught ? 128 + caught : 0;
}

void sl_supervisor_release(sl_supervisor_t *supervisor) {
  if (!supervisor) return;
  close_session(supervisor);
  unwatch_signals(supervisor);
  TF_Status *status = TF_NewStatus();
  sl_file_writer_close(supervisor->writer, status);
  TF_DeleteStatus(status);
  sl_coordinator_release(supervisor->coordinator);
  sl_session_manager_release(supervisor->manager);
  free(supervisor->prefix);
  free(supervisor);
}
