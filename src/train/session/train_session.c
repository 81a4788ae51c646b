// Opens a training session, recovers it after a task was lost, and closes it. The
// session manager waits for tasks and prepares the model; this file calls the hooks,
// watches signals and announces the end of the job.
#include "sluice/session.h"

#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "sluice/cluster.h"
#include "sluice/queue_runner.h"
#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/live_object.h"
#include "train/common/signals.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/session/hooks_internal.h"
#include "train/session/train_session.h"

// Of sessions that are lost again and again.
enum { LEAST_LOSSES = 3, LONGEST_PAUSE_MILLIS = 16000, PAUSE_POLL_MILLIS = 100 };

// --- Hooks ---

static sli_view_t hook_key(sl_hook_t *const *hook) { return sli_view_of((const char *)hook, sizeof(*hook)); }

void sli_train_session_add_hook(sl_session_t *session, sl_hook_t *hook, bool is_chiefs) {
  if (!hook) return;
  sli_array_push(&session->hooks, hook);
  if (is_chiefs) sli_map_insert(&session->chief_hooks, hook_key(&hook), hook);
}

sl_hook_t *sli_train_session_hook(const sl_session_t *session, size_t position) {
  sl_hook_t *hook = session->hooks.items[position];
  bool does_all = session->is_chief && !session->follows;
  return does_all || !sli_map_find(&session->chief_hooks, hook_key(&hook)) ? hook : NULL;
}

bool sli_train_session_confirm_chief(sl_session_t *session) {
  return session->is_chief && !session->follows && sli_session_claim_confirm(&session->claim);
}

// --- Errors and messages ---

void sli_train_session_fail(sl_session_t *session, const char *file, int line, sli_status_t *status) {
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

void sli_train_session_take_scope_error(sl_session_t *session) {
  if (sli_scope_ok(session->scope) || !sli_train_session_ok(session)) return;
  session->code = session->scope->code;
  session->error = sli_strdup(session->scope->error);
}

void sl_session_fail(sl_session_t *session, const TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return;
  sli_train_session_handle_status(session, sli_status_make((sli_code_t)TF_GetCode(status), "%s", TF_Message(status)));
}

void sl_session_say(const sl_session_t *session, const char *format, ...) {
  sli_string_t text = {0};
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  sli_progress_print(session->title, "%s", sli_string_text(&text));
  sli_string_deinitialize(&text);
}

// --- What the program asks ---

bool sli_train_session_is_open(const sl_session_t *session, const char *function) {
  if (sli_live_object_is_listed(session)) return true;
  char *text = sli_format("%s: the session is closed", function);
  sli_progress_print_line(text);
  free(text);
  return false;
}

const char *sl_session_error(const sl_session_t *session) {
  if (!sli_train_session_is_open(session, "sl_session_error")) return "the session is closed";
  return session->error ? session->error : "";
}

int64_t sl_session_step(const sl_session_t *session) {
  return sli_train_session_is_open(session, "sl_session_step") ? session->step : 0;
}

TF_Session *sl_session_handle(sl_session_t *session) {
  return sli_train_session_is_open(session, "sl_session_handle") ? session->handle : NULL;
}

void sl_request_stop(sl_session_t *session) {
  if (sli_train_session_is_open(session, "sl_request_stop")) atomic_store(&session->stop, true);
}

sl_scope_t *sl_session_scope(const sl_session_t *session) { return session->scope; }
bool sl_session_is_chief(const sl_session_t *session) { return session->is_chief; }
sl_file_writer_t *sl_session_writer(const sl_session_t *session) { return session->writer; }

static TF_Server *server_handle(const sl_session_t *session) {
  return session->server ? sl_server_handle(session->server) : NULL;
}

bool sli_train_session_is_over(const sl_session_t *session) {
  if (session->supervisor && sl_supervisor_should_stop(session->supervisor)) return true;
  TF_Server *server = server_handle(session);
  return atomic_load(&session->stop) || sli_signals_caught() || (server && sl_cluster_is_done(server)) ||
         (session->coordinator && sl_coordinator_should_stop(session->coordinator));
}

// Whether the job has ended while this process was stopped: no other task is there any more, for some seconds.
static bool has_slept_past_end(sl_session_t *session) {
  enum { CHECKS = 5, PAUSE_MILLIS = 1000, CONNECT_MILLIS = 200 };
  int64_t now = sli_clock_now_nanos();
  if (!atomic_load(&session->claim.has_slept) || !session->manager->met_tasks) return false;
  if (now - session->alone_nanos < PAUSE_MILLIS * INT64_C(1000000)) return false;
  session->alone_nanos = now;
  session->alone_checks = sli_train_server_is_last(session->server, CONNECT_MILLIS) ? session->alone_checks + 1 : 0;
  if (session->alone_checks < CHECKS) return false;
  sl_session_say(session, "this task was stopped, and the job has ended in the meantime: no other task is there");
  session->has_overslept = true;
  atomic_store(&session->stop, true);
  return true;
}

// Called while a session is opened.
static bool session_should_stop(void *session) {
  return sli_train_session_is_over(session) || has_slept_past_end(session);
}

// Passes an error of the threads on the session to the session. If it recovers, that of the next one, too.
static void take_threads_error(sl_session_t *session) {
  for (int losses = -1; session->coordinator && sl_coordinator_should_stop(session->coordinator) &&
                        sli_train_session_ok(session) && losses != session->losses;) {
    losses = session->losses;
    TF_Status *status = TF_NewStatus();
    sl_coordinator_error(session->coordinator, status);
    sl_session_fail(session, status);
    TF_DeleteStatus(status);
  }
}

bool sl_should_stop(sl_session_t *session) {
  if (!sli_live_object_is_listed(session)) return true;  // it is closed
  take_threads_error(session);
  if (sli_train_session_ok(session) && !sli_train_session_is_over(session)) return false;
  bool first = !session->called_stopped;
  session->called_stopped = true;
  for (size_t i = 0; first && i < session->hooks.count; i++) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (hook && hook->stopped) hook->stopped(hook, session);
  }
  return true;
}

// --- The TensorFlow session ---

static sli_status_t *fetch_step(sl_session_t *session, int64_t *out_step) {
  TF_Status *status = TF_NewStatus();
  int64_t step = sli_tf_session_fetch_int64(session->handle, session->global_step, status);
  if (TF_GetCode(status) == TF_OK) *out_step = step;
  return sli_tf_status_to_status(status);
}

bool sl_session_read_step(sl_session_t *session, int64_t *out_step) {
  if (!sli_train_session_ok(session) || !session->handle) return false;
  sli_status_t *status = fetch_step(session, out_step);
  if (!status) {
    session->step = *out_step;
    return true;
  }
  sli_train_session_handle_status(session, status);
  *out_step = session->step;
  return sli_train_session_ok(session) && session->handle;
}

// Closes the TensorFlow session, if there is one, and ends the threads that use it.
static void close_handle(sl_session_t *session) {
  if (!session->handle) return;
  sli_session_guard_stop(session);
  for (size_t i = 0; i < session->hooks.count; i++) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (hook && hook->before_close) hook->before_close(hook, session);
  }
  sl_coordinator_request_stop(session->coordinator, TF_OK, NULL);
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session->handle, status);  // ends the steps that the threads wait for
  TF_DeleteStatus(status);
  sl_coordinator_release(session->coordinator);
  session->coordinator = NULL;
  sli_tf_session_delete(session->handle);
  session->handle = NULL;
}

// Of an all-reduce group whose members change: who they are now.
static sli_status_t *read_group(sl_session_t *session) {
  const sl_scope_t *scope = session->scope;
  if (!scope->group.size.oper) return NULL;
  TF_Status *status = TF_NewStatus();
  int64_t size = sli_tf_session_fetch_int64(session->handle, scope->group.size, status);
  int64_t first = sli_tf_session_fetch_int64(session->handle, scope->group.first, status);
  if (TF_GetCode(status) == TF_OK) {
    session->follows = first != scope->group.own;
    char *saver = session->follows ? sli_train_server_replica_name(session->server, (int)first) : NULL;
    sl_session_say(session, "a step takes the gradients of %lld worker%s, from global step %lld; %s saves",
                   (long long)size, size == 1 ? "" : "s", (long long)session->step, saver ? saver : "this one");
    free(saver);
  }
  return sli_tf_status_to_status(status);
}

// Uses a TensorFlow session that has a model: starts hooks and queue runners.
static void use_handle(sl_session_t *session, TF_Session *handle) {
  session->handle = handle;
  session->has_model = true;
  session->alone_checks = 0;
  atomic_store(&session->claim.has_slept, false);
  session->coordinator = sl_coordinator_create();
  sli_status_t *status = fetch_step(session, &session->step);
  session->restored_step = session->manager->restored ? session->step : -1;
  if (!status) status = read_group(session);
  if (!status && session->checkpoint_dir && !session->writer && !session->follows) {
    TF_Status *opened = TF_NewStatus();
    session->writer = sl_file_writer_open(session->checkpoint_dir, opened);
    status = sli_tf_status_to_status(opened);
  }
  session->preparing = true;
  if (status) sli_train_session_handle_status(session, status);
  for (size_t i = 0; i < session->hooks.count && sli_train_session_ok(session); i++) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (hook && hook->after_create_session) hook->after_create_session(hook, session);
  }
  session->preparing = false;
  sl_start_queue_runners(session->scope, session->handle, session->coordinator);
  sli_session_guard_start(session);
}

// Opens a TensorFlow session and prepares or waits for the model; starts again if a task is lost in the meantime.
static void open_handle(sl_session_t *session) {
  close_handle(session);
  TF_Session *handle = NULL;
  sli_status_t *status = sli_session_manager_open(session->manager, session->is_chief, &handle);
  if (handle) use_handle(session, handle);
  if (sli_status_code(status) == SLI_CANCELLED && sli_train_session_is_over(session)) {
    atomic_store(&session->stop, true);
    sli_status_release(status);
  } else {
    sli_train_session_fail(session, NULL, 0, status);
  }
}

static bool is_lost(const sl_session_t *session, const sli_status_t *status) {
  return session->manager && sli_session_manager_is_task_lost(session->manager, status);
}

// Whether the stop has another reason than a thread of this session.
static bool is_stop_requested(const sl_session_t *session) {
  TF_Server *server = server_handle(session);
  return atomic_load(&session->stop) || sli_signals_caught() || (server && sl_cluster_is_done(server));
}

// Before the second new session without a step it waits for a second, then longer. Returns whether to go on.
static bool pause_before_recovery(const sl_session_t *session) {
  int earlier = session->losses - 1;
  int64_t millis = earlier < 1 ? 0 : earlier < 5 ? 1000 << (earlier - 1) : LONGEST_PAUSE_MILLIS;
  for (int64_t end = sli_clock_now_nanos() + millis * 1000000;
       sli_clock_now_nanos() < end && !is_stop_requested(session);)
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_POLL_MILLIS * 1000000L}, NULL);
  return !is_stop_requested(session);
}

// A task that is not there is waited for while the session is opened. This is for tasks that are there, but of which
// each step loses one: a ps that cannot reach this task, for example.
static void recover_session(sl_session_t *session, const sli_status_t *why) {
  int64_t now = sli_clock_now_nanos();
  if (session->losses++ == 0) session->lost_since = now;
  double seconds = (double)(now - session->lost_since) * 1e-9;
  if (session->losses > LEAST_LOSSES && seconds >= sli_session_manager_max_wait_secs(session->manager)) {
    close_handle(session);
    sli_train_session_fail(session, NULL, 0,
                           sli_status_make(sli_status_code(why),
                                           "gave up: %d sessions in %.0f s ended without a step, the last one with: %s",
                                           session->losses, seconds, sli_status_message(why)));
    return;
  }
  bool is_role = atomic_load(&session->claim.is_chief) != session->is_chief;
  sl_session_say(session, "%s, starting a new session: %s", is_role ? "another role" : "lost a task",
                 sli_status_message(why));
  if (pause_before_recovery(session))
    open_handle(session);
  else
    close_handle(session);
}

void sli_train_session_handle_status(sl_session_t *session, sli_status_t *status) {
  if (!is_lost(session, status)) {
    if (status) sli_train_session_fail(session, NULL, 0, status);
    return;
  }
  if (session->preparing)  // the next run notices and recovers
    sl_coordinator_request_stop(session->coordinator, (TF_Code)sli_status_code(status), sli_status_message(status));
  else if (is_stop_requested(session))  // the other tasks have left
    close_handle(session);
  else
    recover_session(session, status);
  sli_status_release(status);
}

// Whether no hook continues the training after the end of an input. Hooks of programs that were built before
// input_ended was added do not have it.
static bool ends_input(sl_session_t *session) {
  for (size_t i = 0; i < session->hooks.count; i++) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (!hook) continue;
    bool has = hook->struct_size >= offsetof(sl_hook_t, input_ended) + sizeof(hook->input_ended);
    if (has && hook->input_ended && !hook->input_ended(hook, session)) return false;
  }
  return true;
}

bool sli_train_session_handle_run_error(sl_session_t *session, const char *file, int line, sli_status_t *status) {
  bool given_up = atomic_load(&session->guard.closed);
  if (sli_status_code(status) == SLI_OUT_OF_RANGE) {  // the end of the input
    sli_status_release(status);
    if (!ends_input(session)) return sli_train_session_ok(session) && session->handle;
    atomic_store(&session->stop, true);
    take_threads_error(session);
    return false;
  }
  // The end of the job may cancel a step.
  bool is_cut_short = is_lost(session, status) || sli_status_code(status) == SLI_CANCELLED;
  if (given_up || (is_stop_requested(session) && is_cut_short)) {
    sli_status_release(status);
    TF_Status *cause = TF_NewStatus();
    sl_coordinator_error(session->coordinator, cause);
    status = sli_tf_status_to_status(cause);
    if (!status) atomic_store(&session->stop, true);
    close_handle(session);
  }
  if (is_lost(session, status)) {
    if (is_stop_requested(session))
      close_handle(session);
    else
      recover_session(session, status);
    sli_status_release(status);
    take_threads_error(session);  // another task may be lost again already: the next step would wait without end
    return sli_train_session_ok(session) && session->handle;
  }
  if (status) sli_train_session_fail(session, file, line, status);
  return false;
}

// --- Opening ---

// Creates the directory and a test file in it, so that an error is reported before the training.
static sli_status_t *open_directory(sl_session_t *session) {
  const char *given = session->options.checkpoint_dir;
  if (!given || !given[0] || !session->is_chief) return NULL;
  session->made_directory = !sli_file_exists(given);
  sli_status_t *status = sli_file_make_directories(given);
  if (!status) {
    // Absolute, because the ps tasks may have another working directory.
    session->checkpoint_dir = sli_file_absolute_path(given);
    char *trial = sli_path_join(session->checkpoint_dir, ".trial");
    sli_file_writer_t *writer = NULL;
    status = sli_file_writer_open(trial, SLI_FILE_TRUNCATE, &writer);
    sli_file_writer_release(writer);
    bool is_written = !status;
    if (is_written) status = sli_file_delete(trial);
    // A chief that comes back and the one in its place may be here at the same time: the other one has deleted it.
    if (is_written && sli_status_code(status) == SLI_NOT_FOUND) {
      sli_status_release(status);
      status = NULL;
    }
    free(trial);
  }
  return sli_status_append(status, "; checkpoint_dir '%s' must be writable", given);
}

static bool may_become_chief(const sl_session_t *session) { return session->is_chief || session->claim.cluster; }

// The chief's hooks are called when this task has become the chief, but too late to add nodes to the graph.
static void add_chief_hook(sl_session_t *session, sl_hook_t *hook) {
  if (!hook) return;
  if (session->is_chief || (session->claim.cluster && !hook->begin))
    sli_train_session_add_hook(session, hook, true);
  else if (hook->release)
    hook->release(hook);
}

// The hooks of the graph come first: they may change the step.
static void gather_hooks(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  for (size_t i = 0; i < session->scope->hooks.count; i++)
    sli_train_session_add_hook(session, session->scope->hooks.items[i], false);
  session->graph_hooks = session->hooks.count;
  for (size_t i = 0; i < options->hook_count; i++) sli_train_session_add_hook(session, options->hooks[i], false);
  for (size_t i = 0; i < options->chief_only_hook_count; i++) add_chief_hook(session, options->chief_only_hooks[i]);
}

// Whether this task is the chief from now on. While no session is open.
static bool is_chief_now(void *context) {
  sl_session_t *session = context;
  bool was = session->is_chief;
  session->is_chief = sli_session_claim_confirm(&session->claim);
  if (session->is_chief && !was && !session->checkpoint_dir)
    sli_train_session_fail(session, NULL, 0, open_directory(session));
  return session->is_chief;
}

// Builds the nodes that the session needs.
static void complete_graph(sl_session_t *session) {
  const sl_session_options_t *options = &session->options;
  sl_scaffold_t scaffold = SL_SCAFFOLD(.max_to_keep = options->max_to_keep);
  if (options->scaffold) sli_call_options_copy(&scaffold, sizeof(scaffold), options->scaffold);
  session->made_global_step = !sli_train_variable_find_global_step(session->scope).oper;
  session->global_step = sl_global_step_with(session->scope);
  for (size_t i = 0; i < session->hooks.count; i++)
    if (session->hooks.items[i]->begin) session->hooks.items[i]->begin(session->hooks.items[i], session);
  session->manager =
      sl_session_manager_with(session->scope, &scaffold,
                              SL_OPTIONS(sl_session_manager_options_t, .server = session->server,
                                         .checkpoint_dir = may_become_chief(session) ? options->checkpoint_dir : NULL,
                                         .max_wait_secs = options->max_wait_secs, .all_tasks = options->all_tasks,
                                         .should_stop = session_should_stop, .stop_context = session,
                                         .config = options->config, .master = options->master));
  session->title = session->claim.title = session->manager->title;
  session->manager->is_chief_now = is_chief_now;
  session->manager->chief_context = session;
}

// Prints the placement of the variables if there are several ps tasks.
static void print_plan(const sl_session_t *session) {
  if (!session->is_chief || !session->server || sl_server_count(session->server, "ps") < 2) return;
  char *plan = sl_placement_plan(session->scope, session->server);
  sl_session_say(session, "variables by task:");
  fputs(plan, stderr);
  free(plan);
}

static void begin_session(sl_session_t *session) {
  sl_scope_t *scope = session->scope;
  if (session->server && sli_train_server_status(session->server)) {
    sli_train_session_fail(session, NULL, 0, sli_status_retain(sli_train_server_status(session->server)));
    return;
  }
  if (sli_scope_ok(scope)) {
    sli_train_session_fail(session, NULL, 0, open_directory(session));
    if (sli_train_session_ok(session)) sli_train_session_add_hooks(session);
    complete_graph(session);
  }
  sli_train_session_take_scope_error(session);
  if (sli_train_session_ok(session)) print_plan(session);
}

sl_session_t *sl_monitored_training_session_with(sl_scope_t *scope, sl_server_t *server,
                                                 const sl_session_options_t *options) {
  sl_session_t *session = sli_calloc(1, sizeof(*session));
  sli_call_options_copy(&session->options, sizeof(session->options), options);
  session->scope = scope;
  session->server = server;
  session->restored_step = -1;
  session->is_chief = sli_session_manager_is_chief(session->options.chief, server);
  sli_train_server_title(server, session->own_title, sizeof(session->own_title));
  session->title = session->own_title;
  sli_signals_watch();
  sli_live_object_add(session);
  sli_session_claim_initialize(&session->claim, server, session->is_chief,
                               sli_session_claim_is_possible(server, session->options.chief, session->options.master),
                               session->title);
  gather_hooks(session);
  begin_session(session);
  if (sli_train_session_ok(session)) sli_session_claim_start(&session->claim);
  if (sli_train_session_ok(session)) open_handle(session);
  return session;
}

// --- Closing ---

// Whether the job has ended while this process was stopped. Blocks for a second, or until that is clear.
static bool has_ended_without(sl_session_t *session) {
  enum { CHECKS = 70, PAUSE_MILLIS = 100 };
  for (int i = 0; i < CHECKS; i++) {
    if (has_slept_past_end(session)) return true;
    bool is_clear = i * PAUSE_MILLIS >= 1000 && (!atomic_load(&session->claim.has_slept) || !session->alone_checks);
    if (is_clear || !session->claim.running) return false;
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_MILLIS * 1000000L}, NULL);
  }
  return false;
}

// Giving up a step closes the session. Opens another one to save the last checkpoint, if the tasks that hold the model
// still answer.
static void reopen_handle(sl_session_t *session) {
  if (!sli_train_session_ok(session) || session->handle || !session->is_chief || !session->has_model) return;
  if (session->has_overslept) return;
  if (server_handle(session) && sl_cluster_is_done(server_handle(session))) return;
  sli_status_t *gone = sli_session_manager_probe_tasks(session->manager, SLI_SESSION_MANAGER_PROBE_MILLIS);
  if (gone && has_ended_without(session)) {
    sli_status_release(gone);
    return;
  }
  if (gone) {
    gone = sli_status_prefix(gone, "the last checkpoint cannot be saved: ");
    if (sli_signals_caught()) {  // the other tasks may have been told to end, too
      sl_session_say(session, "%s", sli_status_message(gone));
      sli_status_release(gone);
    } else {
      sli_train_session_fail(session, NULL, 0, gone);
    }
    return;
  }
  TF_Status *status = TF_NewStatus();
  session->handle = sli_session_manager_create_session(session->manager, session->scope->graph, 0, status);
  TF_DeleteStatus(status);
  if (!session->handle) return;
  session->coordinator = sl_coordinator_create();
  gone = fetch_step(session, &session->step);
  if (gone) close_handle(session);
  sli_status_release(gone);
}

// Whether the task |name|, "/job:worker/task:0", replies. Blocks for a second at most.
static bool is_task_up(const sl_session_t *session, const char *name) {
  enum { REPLY_MILLIS = 1000 };
  TF_Status *status = TF_NewStatus();
  sl_members_t *members = sl_cluster_members(server_handle(session), REPLY_MILLIS, status);
  bool up = false;
  for (size_t i = 0; members && i < members->count; i++) {
    char *whole = sli_format("/job:%s/task:%d", members->members[i].job, members->members[i].index);
    up = up || (members->members[i].is_up && strcmp(whole, name) == 0);
    free(whole);
  }
  sl_members_free(members);
  TF_DeleteStatus(status);
  return up;
}

// Whether the ps that knows the chief has replied in the last seconds.
static bool hears_ps(const sl_session_t *session) {
  enum { SILENT_MILLIS = 8000 };
  return sli_clock_now_nanos() - atomic_load(&session->claim.heard) < SILENT_MILLIS * INT64_C(1000000);
}

// The last step is done, and it is the chief's task to save it and to end the job. If the chief is gone, waits until it
// is back or this task has its place.
static void stand_in_for_chief(sl_session_t *session) {
  int64_t last = session->options.stop_at_step;
  sli_session_claim_t *claim = &session->claim;
  TF_Server *server = server_handle(session);
  bool is_ended = last && session->step >= last && session->has_model;
  if (session->is_chief || !claim->running || !is_ended) return;
  sli_session_claim_ask(claim);
  for (bool told = false; sli_train_session_ok(session) && !sli_signals_caught() && !sl_cluster_is_done(server) &&
                          hears_ps(session) && !atomic_load(&claim->is_chief);
       told = true) {
    sl_chief_status_t chief = sli_session_claim_chief(claim);
    if (!chief.is_known || is_task_up(session, chief.task)) return;
    if (!told && !sl_cluster_is_done(server))
      sl_session_say(session,
                     "the last step is done, but the chief, %s, does not reply: waiting for it, %.0f s at most",
                     chief.task, claim->lost_secs);
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_POLL_MILLIS * 1000000L}, NULL);
  }
  if (!sli_train_session_ok(session) || sli_signals_caught() || sl_cluster_is_done(server) ||
      !atomic_load(&claim->is_chief))
    return;
  // The session was to stop because of its last step; waiting for the ps tasks would end at once.
  atomic_store(&session->stop, false);
  open_handle(session);
  atomic_store(&session->stop, true);
}

// Calls the end of each hook. If a task is lost meanwhile, the last checkpoint may not have been saved: that hook is
// called again with a new session.
static void end_hooks(sl_session_t *session) {
  enum { TRIES = 3 };
  int tries = 0;
  reopen_handle(session);
  for (size_t i = 0; i < session->hooks.count && sli_train_session_ok(session) && session->handle;) {
    sl_hook_t *hook = sli_train_session_hook(session, i);
    if (hook && hook->end) hook->end(hook, session);
    bool was_lost = !session->handle;
    if (was_lost && ++tries < TRIES) reopen_handle(session);
    if (!was_lost || !session->handle) i++;
  }
}

static void end_session(sl_session_t *session) {
  stand_in_for_chief(session);
  end_hooks(session);
  TF_Status *status = TF_NewStatus();
  sl_file_writer_close(session->writer, status);
  sli_hook_check_events(session, status);
  // Deletes a directory that the session has created and not used; this fails if it is not empty.
  if (session->made_directory && session->checkpoint_dir && !session->writer)
    sli_status_release(sli_file_delete_directory(session->checkpoint_dir));
  close_handle(session);
  TF_Server *server = server_handle(session);
  if (sli_train_session_ok(session) && server && !sli_signals_caught() && sli_train_session_confirm_chief(session)) {
    TF_Status *announced = TF_NewStatus();
    sl_cluster_announce_done(server, announced);
    TF_DeleteStatus(announced);
  }
}

int sl_session_close(sl_session_t *session) {
  if (!sli_train_session_is_open(session, "sl_session_close")) return 1;
  if (session->is_plain) return sli_train_session_close_plain(session);
  take_threads_error(session);
  end_session(session);
  if (session->infinite_loss)
    sli_train_session_fail(session, NULL, 0, sli_status_make(SLI_INVALID_ARGUMENT, "Model diverged with loss = Inf."));
  sli_train_session_take_scope_error(session);
  if (session->error) sli_progress_print_line(session->error);
  int code = session->error ? 1 : sli_signals_caught() ? 128 + sli_signals_caught() : 0;
  // Of a job whose workers join and leave.
  bool leaves = sli_signals_caught() == SIGTERM && (!session->is_chief || session->scope->group.size.oper) &&
                !session->error && sli_train_server_min_workers(session->server) > 0;
  if (leaves) sl_session_say(session, "leaves the job at global step %lld", (long long)session->step);
  if (leaves) code = 0;
  sli_signals_unwatch();
  for (size_t i = session->graph_hooks; i < session->hooks.count; i++)
    if (session->hooks.items[i]->release) session->hooks.items[i]->release(session->hooks.items[i]);
  sli_array_deinitialize(&session->hooks);
  sli_map_deinitialize(&session->chief_hooks);
  sli_session_claim_deinitialize(&session->claim);
  sl_session_manager_release(session->manager);
  sli_map_deinitialize(&session->kept_feeds);
  sli_live_object_remove(session);
  free(session->checkpoint_dir);
  free(session->error);
  free(session);
  return code;
}
