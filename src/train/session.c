// Opening a training session, bringing it back after a task was lost, and
// closing it. The session manager has the waiting and the model; here are the
// hooks' lives, signals, and who learns of the end.
#include "sluice/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file.h"
#include "sluice/cluster.h"
#include "sluice/queue_runner.h"
#include "train/options_internal.h"
#include "train/server_internal.h"
#include "train/session_internal.h"
#include "train/signals.h"
#include "train/tensor.h"

// --- Errors and words ---

void sli_session_fail(sl_session_t *session, const char *file, int line, sli_status_t *status) {
  if (session->code == TF_OK && status) {
    session->code = (TF_Code)sli_status_code(status);
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (file)
      session->error = sli_format("%s:%d: %s", slash ? slash + 1 : file, line, sli_status_message(status));
    else
      session->error = sli_format("%s: %s", session->title, sli_status_message(status));
  }
  sli_status_release(status);
}

void sl_session_fail(sl_session_t *session, const TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return;
  sli_session_check(session, sli_status_make((sli_code_t)TF_GetCode(status), "%s", TF_Message(status)));
}

void sl_session_say(const sl_session_t *session, const char *format, ...) {
  sli_string_t text = {0};
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  sli_say(session->title, "%s", sli_string_text(&text));
  sli_string_deinitialize(&text);
}

const char *sl_session_error(const sl_session_t *session) { return session->error ? session->error : ""; }
int64_t sl_session_step(const sl_session_t *session) { return session->step; }
TF_Session *sl_session_handle(sl_session_t *session) { return session->handle; }
sl_scope_t *sl_session_scope(const sl_session_t *session) { return session->scope; }
bool sl_session_is_chief(const sl_session_t *session) { return session->is_chief; }
sl_file_writer_t *sl_session_writer(const sl_session_t *session) { return session->writer; }
void sl_request_stop(sl_session_t *session) { atomic_store(&session->stop, true); }

static TF_Server *server_handle(const sl_session_t *session) {
  return session->server ? sl_server_handle(session->server) : NULL;
}

bool sli_session_is_over(const sl_session_t *session) {
  TF_Server *server = server_handle(session);
  return atomic_load(&session->stop) || sli_signals_caught() || (server && sl_cluster_is_done(server)) ||
         (session->coordinator && sl_coordinator_should_stop(session->coordinator));
}

static bool is_over(void *session) { return sli_session_is_over(session); }

// An error of the threads on the session becomes the session's.
static void take_threads_error(sl_session_t *session) {
  if (!session->coordinator || !sl_coordinator_should_stop(session->coordinator)) return;
  TF_Status *status = TF_NewStatus();
  sl_coordinator_error(session->coordinator, status);
  sl_session_fail(session, status);
  TF_DeleteStatus(status);
}

bool sl_should_stop(sl_session_t *session) {
  take_threads_error(session);
  if (sli_session_ok(session) && !sli_session_is_over(session)) return false;
  bool first = !session->told_to_stop;
  session->told_to_stop = true;
  for (size_t i = 0; first && i < session->hooks.count; i++)
    if (session->hooks.items[i]->stopped) session->hooks.items[i]->stopped(session->hooks.items[i], session);
  return true;
}

// --- The session underneath ---

static sli_status_t *read_step(sl_session_t *session, int64_t *out_step) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *value = NULL;
  TF_SessionRun(session->handle, NULL, NULL, NULL, 0, &session->global_step, &value, 1, NULL, 0, NULL, status);
  if (value) sli_tensor_to_int64(value, 0, out_step);
  if (value) TF_DeleteTensor(value);
  return sli_status_from_tf(status);
}

bool sl_session_read_step(sl_session_t *session, int64_t *out_step) {
  if (!sli_session_ok(session) || !session->handle) return false;
  sli_status_t *status = read_step(session, out_step);
  if (!status) {
    session->step = *out_step;
    return true;
  }
  sli_session_check(session, status);
  *out_step = session->step;
  return sli_session_ok(session) && session->handle;
}

// Closes the session underneath, if there is one, and ends all that runs on it.
static void leave(sl_session_t *session) {
  if (!session->handle) return;
  sli_guard_stop(session);
  for (size_t i = 0; i < session->hooks.count; i++)
    if (session->hooks.items[i]->before_close) session->hooks.items[i]->before_close(session->hooks.items[i], session);
  sl_coordinator_request_stop(session->coordinator, TF_OK, NULL);
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session->handle, status);  // ends what the threads wait for
  TF_DeleteStatus(status);
  sl_coordinator_release(session->coordinator);
  session->coordinator = NULL;
  sli_session_delete(session->handle);
  session->handle = NULL;
}

// The session has a model: hooks and queue runners begin.
static void enter(sl_session_t *session, TF_Session *handle) {
  session->handle = handle;
  session->has_model = true;
  session->coordinator = sl_coordinator_create();
  sli_status_t *status = read_step(session, &session->step);
  session->restored_step = session->manager->restored ? session->step : -1;
  if (!status && session->checkpoint_dir && !session->writer) {
    TF_Status *opened = TF_NewStatus();
    session->writer = sl_file_writer_open(session->checkpoint_dir, opened);
    status = sli_status_from_tf(opened);
  }
  session->preparing = true;
  if (status) sli_session_check(session, status);
  for (size_t i = 0; i < session->hooks.count && sli_session_ok(session); i++)
    if (session->hooks.items[i]->after_create_session)
      session->hooks.items[i]->after_create_session(session->hooks.items[i], session);
  session->preparing = false;
  sl_start_queue_runners(session->scope, session->handle, session->coordinator);
  sli_guard_start(session);
}

// Opens the session and makes or awaits the model, as often as tasks are lost on the way.
static void prepare(sl_session_t *session) {
  leave(session);
  TF_Session *handle = NULL;
  sli_status_t *status = sli_manager_open(session->manager, session->is_chief, &handle);
  if (handle) enter(session, handle);
  if (sli_status_code(status) == SLI_CANCELLED && sli_session_is_over(session)) {
    atomic_store(&session->stop, true);
    sli_status_release(status);
  } else {
    sli_session_fail(session, NULL, 0, status);
  }
}

static void recover(sl_session_t *session, const sli_status_t *why) {
  sl_session_say(session, "lost a task, starting a new session: %s", sli_status_message(why));
  prepare(session);
}

static bool is_lost(const sl_session_t *session, const sli_status_t *status) {
  return session->manager && sli_manager_is_lost(session->manager, status);
}

// Whether somebody else than a thread on this session ends the training.
static bool is_ending(const sl_session_t *session) {
  TF_Server *server = server_handle(session);
  return atomic_load(&session->stop) || sli_signals_caught() || (server && sl_cluster_is_done(server));
}

void sli_session_check(sl_session_t *session, sli_status_t *status) {
  if (!is_lost(session, status)) {
    if (status) sli_session_fail(session, NULL, 0, status);
    return;
  }
  if (session->preparing)  // the next run finds out and starts anew
    sl_coordinator_request_stop(session->coordinator, (TF_Code)sli_status_code(status), sli_status_message(status));
  else if (is_ending(session))  // the others have gone home
    leave(session);
  else
    recover(session, status);
  sli_status_release(status);
}

bool sli_session_run_failed(sl_session_t *session, const char *file, int line, sli_status_t *status) {
  bool given_up = atomic_load(&session->guard.closed);
  if (sli_status_code(status) == SLI_OUT_OF_RANGE) {  // the input is at its end
    atomic_store(&session->stop, true);
    sli_status_release(status);
    take_threads_error(session);
    return false;
  }
  if (given_up || (is_ending(session) && is_lost(session, status))) {
    sli_status_release(status);
    TF_Status *cause = TF_NewStatus();
    sl_coordinator_error(session->coordinator, cause);
    status = sli_status_from_tf(cause);
    if (!status) atomic_store(&session->stop, true);
    leave(session);
  }
  if (is_lost(session, status)) {
    if (is_ending(session))
      leave(session);
    else
      recover(session, status);
    sli_status_release(status);
    return sli_session_ok(session) && session->handle;
  }
  if (status) sli_session_fail(session, file, line, status);
  return false;
}

// --- Opening ---

// Makes the directory, and tries a file in it: what cannot be written is known before the training.
static sli_status_t *open_directory(sl_session_t *session) {
  const char *given = session->options.checkpoint_dir;
  if (!given || !given[0] || !session->is_chief) return NULL;
  session->made_directory = !sli_file_exists(given);
  sli_status_t *status = sli_file_make_directories(given);
  if (!status) {
    // The ps tasks write there too, and may have another working directory.
    char *absolute = realpath(given, NULL);
    session->checkpoint_dir = sli_strdup(absolute ? absolute : given);
    free(absolute);
    char *trial = sli_format("%s/.trial-%d", session->checkpoint_dir, (int)getpid());
    sli_file_writer_t *writer = NULL;
    status = sli_file_writer_open(trial, SLI_FILE_TRUNCATE, &writer);
    sli_file_writer_release(writer);
    if (!status) status = sli_file_delete(trial);
    free(trial);
  }
  return sli_status_append(status, "; the log directory '%s' must be writable", given);
}

static void add_hook(sl_session_t *session, sl_hook_t *hook) {
  if (hook) sli_array_push(&session->hooks, hook);
}

// The graph's own first: they may change what a step is.
static void gather_hooks(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  for (size_t i = 0; i < session->scope->hooks.count; i++) add_hook(session, session->scope->hooks.items[i]);
  session->lent_hooks = session->hooks.count;
  for (size_t i = 0; i < options->hook_count; i++) add_hook(session, options->hooks[i]);
  for (size_t i = 0; i < options->chief_only_hook_count; i++) {
    sl_hook_t *hook = options->chief_only_hooks[i];
    if (session->is_chief)
      add_hook(session, hook);
    else if (hook && hook->release)
      hook->release(hook);
  }
}

// The nodes that a session needs besides the program's.
static void complete_graph(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  sl_scaffold_t scaffold = SL_SCAFFOLD(.max_to_keep = options->max_to_keep);
  if (options->scaffold) sli_options_copy(&scaffold, sizeof(scaffold), options->scaffold);
  session->global_step = sl_global_step_with(session->scope);
  for (size_t i = 0; i < session->hooks.count; i++)
    if (session->hooks.items[i]->begin) session->hooks.items[i]->begin(session->hooks.items[i], session);
  session->manager = sl_session_manager_with(
      session->scope, &scaffold,
      SL_OPTIONS(sl_session_manager_options_t, .server = session->server, .checkpoint_dir = session->checkpoint_dir,
                 .max_wait_secs = options->max_wait_secs, .all_tasks = options->all_tasks, .should_stop = is_over,
                 .stop_context = session, .config = options->config));
  session->title = session->manager->title;
}

// Where the variables lie, if there is a choice.
static void print_plan(const sl_session_t *session) {
  if (!session->is_chief || !session->server || sl_server_count(session->server, "ps") < 2) return;
  char *plan = sl_placement_plan(session->scope, session->server);
  sl_session_say(session, "the variables lie on");
  fputs(plan, stderr);
  free(plan);
}

static void begin(sl_session_t *session) {
  sl_scope_t *scope = session->scope;
  if (session->server && sli_server_status(session->server)) {
    sli_session_fail(session, NULL, 0, sli_status_retain(sli_server_status(session->server)));
    return;
  }
  if (sli_scope_ok(scope)) {
    sli_session_fail(session, NULL, 0, open_directory(session));
    if (sli_session_ok(session)) sli_session_add_hooks(session);
    complete_graph(session);
  }
  if (!sli_scope_ok(scope) && sli_session_ok(session)) {
    session->code = scope->code;
    session->error = sli_strdup(scope->error);
  }
  if (sli_session_ok(session)) print_plan(session);
}

sl_session_t *sl_monitored_training_session_with(sl_scope_t *scope, sl_server_t *server,
                                                 const sl_session_options_t *options) {
  sl_session_t *session = sli_calloc(1, sizeof(*session));
  sli_options_copy(&session->options, sizeof(session->options), options);
  session->scope = scope;
  session->server = server;
  session->restored_step = -1;
  session->is_chief = !server || sl_server_is_chief(server);
  sli_server_title(server, session->own_title, sizeof(session->own_title));
  session->title = session->own_title;
  sli_signals_watch();
  gather_hooks(session);
  begin(session);
  if (sli_session_ok(session)) prepare(session);
  return session;
}

// --- Closing ---

// A step that was given up took the session along; the end needs one to save with, if the tasks that have the model
// are still there.
static void reopen(sl_session_t *session) {
  if (!sli_session_ok(session) || session->handle || !session->is_chief || !session->has_model) return;
  if (server_handle(session) && sl_cluster_is_done(server_handle(session))) return;
  sli_status_t *gone = sli_manager_probe_tasks(session->manager, SLI_PROBE_MILLIS);
  if (gone) sl_session_say(session, "nothing more can be saved: %s", sli_status_message(gone));
  bool answered = !gone;
  sli_status_release(gone);
  if (!answered) return;
  TF_Status *status = TF_NewStatus();
  session->handle = sli_manager_new_session(session->manager, session->scope->graph, 0, status);
  TF_DeleteStatus(status);
  if (!session->handle) return;
  session->coordinator = sl_coordinator_create();
  gone = read_step(session, &session->step);
  if (gone) leave(session);
  sli_status_release(gone);
}

static void end(sl_session_t *session) {
  reopen(session);
  for (size_t i = 0; i < session->hooks.count && sli_session_ok(session) && session->handle; i++)
    if (session->hooks.items[i]->end) session->hooks.items[i]->end(session->hooks.items[i], session);
  TF_Status *status = TF_NewStatus();
  sl_file_writer_close(session->writer, status);
  sli_status_t *own = sli_status_from_tf(status);
  if (own) sli_session_fail(session, NULL, 0, own);
  // A directory that nothing was written to should not be left behind; it stays if it is not empty.
  if (session->made_directory && session->checkpoint_dir && !session->writer)
    sli_status_release(sli_file_delete_directory(session->checkpoint_dir));
  leave(session);
  TF_Server *server = server_handle(session);
  if (sli_session_ok(session) && session->is_chief && server && !sli_signals_caught()) {
    TF_Status *announced = TF_NewStatus();
    sl_cluster_announce_done(server, announced);
    TF_DeleteStatus(announced);
  }
}

int sl_session_close(sl_session_t *session) {
  take_threads_error(session);
  end(session);
  if (session->error) sli_print_line(session->error);
  int code = session->error ? 1 : sli_signals_caught() ? 128 + sli_signals_caught() : 0;
  sli_signals_unwatch();
  for (size_t i = session->lent_hooks; i < session->hooks.count; i++)
    if (session->hooks.items[i]->release) session->hooks.items[i]->release(session->hooks.items[i]);
  sli_array_deinitialize(&session->hooks);
  sl_session_manager_release(session->manager);
  sli_map_deinitialize(&session->escapes);
  free(session->checkpoint_dir);
  free(session->error);
  free(session);
  return code;
}
