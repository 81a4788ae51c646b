// Opening a training session, bringing it back after a task was lost, and
// closing it. Everything that waits looks up five times a second whether to go
// on waiting, says every ten seconds for whom, and gives up at a deadline.
#include "sluice/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/file.h"
#include "sluice/cluster.h"
#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/server_internal.h"
#include "train/session_internal.h"
#include "train/tensor.h"
#include "train/variable_internal.h"
#include "train/wire.h"

enum { POLL_MILLIS = 200, SAY_MILLIS = 10000, PROBE_MILLIS = 2000 };
static const double default_wait_secs = 7200;

// --- Signals: the first asks for an orderly end, the second is the system's again ---

static volatile sig_atomic_t caught_signal;
static struct sigaction former_int, former_term;

static void on_signal(int number) { caught_signal = number; }

static void watch_signal(int number, struct sigaction *former) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  sigemptyset(&action.sa_mask);
  sigaction(number, NULL, former);
  if (former->sa_handler == SIG_DFL) sigaction(number, &action, NULL);
}

static void unwatch_signals(void) {
  sigaction(SIGINT, &former_int, NULL);
  sigaction(SIGTERM, &former_term, NULL);
}

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

// TensorFlow's messages may have several lines; ours have one.
static void print_line(const char *text) {
  char *line = sli_strdup(text);
  for (char *letter = line; *letter; letter++)
    if (*letter == '\n' || *letter == '\t') *letter = ' ';
  fprintf(stderr, "%s\n", line);
  free(line);
}

void sli_session_say(const sl_session_t *session, const char *format, ...) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "%s: ", session->title);
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  print_line(sli_string_text(&text));
  sli_string_deinitialize(&text);
}

const char *sl_session_error(const sl_session_t *session) { return session->error ? session->error : ""; }
int64_t sl_session_step(const sl_session_t *session) { return session->step; }
TF_Session *sl_session_handle(sl_session_t *session) { return session->handle; }
void sl_request_stop(sl_session_t *session) { session->stop = true; }

static TF_Server *server_handle(const sl_session_t *session) {
  return session->server ? sl_server_handle(session->server) : NULL;
}

static bool is_over(const sl_session_t *session) {
  TF_Server *server = server_handle(session);
  return session->stop || !sli_session_ok(session) || caught_signal || (server && sl_cluster_is_done(server));
}

bool sl_should_stop(sl_session_t *session) {
  if (!is_over(session)) return false;
  bool first = !session->told_to_stop;
  session->told_to_stop = true;
  for (size_t i = 0; first && i < session->hooks.count; i++)
    if (session->hooks.items[i]->stopped) session->hooks.items[i]->stopped(session->hooks.items[i], session);
  return true;
}

// --- Waiting ---

typedef struct {
  sl_session_t *session;
  int64_t deadline;  // of the whole wait
  int64_t said;      // when the last word was said
} wait_t;

static wait_t wait_begin(sl_session_t *session) {
  double seconds = session->options.max_wait_secs > 0 ? session->options.max_wait_secs : default_wait_secs;
  return (wait_t){session, sli_deadline_after_millis((int64_t)(seconds * 1000)), sli_now_nanos()};
}

static bool wait_is_over(const wait_t *wait) { return sli_now_nanos() >= wait->deadline; }

// Says |for_whom| if it is time to. CANCELLED if the session is to stop meanwhile.
static sli_status_t *wait_a_little(wait_t *wait, const char *for_whom) {
  if (is_over(wait->session)) return sli_status_make(SLI_CANCELLED, "stopped while waiting for %s", for_whom);
  int64_t now = sli_now_nanos();
  if (now - wait->said >= SAY_MILLIS * INT64_C(1000000)) {
    sli_session_say(wait->session, "waiting for %s", for_whom);
    wait->said = now;
  }
  nanosleep(&(struct timespec){.tv_nsec = POLL_MILLIS * 1000000L}, NULL);
  return NULL;
}

static bool is_lost_code(sli_code_t code) { return code == SLI_ABORTED || code == SLI_UNAVAILABLE; }

bool sli_session_is_lost(const sl_session_t *session, const sli_status_t *status) {
  return server_handle(session) && is_lost_code(sli_status_code(status));
}

// --- The session underneath ---

// A ConfigProto with the tasks to see; operation_timeout_in_ms = 11.
static TF_Session *new_session(sl_session_t *session, TF_Graph *graph, int64_t timeout_millis, TF_Status *status) {
  enum { OPERATION_TIMEOUT = 11 };
  sli_string_t config = {0};
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (server_handle(session)) {
    TF_SetTarget(options, sl_server_target(session->server));
    sli_server_device_filters(session->server, &config);
  }
  if (timeout_millis) sli_train_wire_number(&config, OPERATION_TIMEOUT, (uint64_t)timeout_millis);
  if (config.size) TF_SetConfig(options, config.data, config.size, status);
  TF_Session *made = TF_GetCode(status) == TF_OK ? TF_NewSession(graph, options, status) : NULL;
  TF_DeleteSessionOptions(options);
  sli_string_deinitialize(&config);
  return made;
}

static void delete_session(TF_Session *handle) {
  TF_Status *status = TF_NewStatus();
  if (handle) TF_CloseSession(handle, status);
  if (handle) TF_DeleteSession(handle, status);
  TF_DeleteStatus(status);
}

// Runs nothing, on a graph of nothing, within a short time: all that can fail is that a task does not answer.
static sli_status_t *probe_tasks(sl_session_t *session) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *nothing = TF_FinishOperation(TF_NewOperation(graph, "NoOp", "nothing"), status);
  TF_Session *probe = NULL;
  if (nothing) probe = new_session(session, graph, PROBE_MILLIS, status);
  const TF_Operation *targets[] = {nothing};
  if (probe) TF_SessionRun(probe, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  delete_session(probe);
  TF_DeleteGraph(graph);
  return sli_status_from_tf(status);
}

// Waits until all tasks that the session needs answer.
static sli_status_t *wait_for_tasks(wait_t *wait) {
  sl_session_t *session = wait->session;
  if (!server_handle(session)) return NULL;
  for (bool first = true;; first = false) {
    sli_status_t *status = probe_tasks(session);
    sli_code_t code = sli_status_code(status);
    if (!is_lost_code(code) && code != SLI_DEADLINE_EXCEEDED) return status;
    char *missing = sli_server_unreachable(session->server);
    char *whom = sli_format("%s", missing[0] ? missing : sli_status_message(status));
    sli_status_release(status);
    if (first) {
      sli_session_say(session, "waiting for %s", whom);
      wait->said = sli_now_nanos();
    }
    if (wait_is_over(wait))
      status = sli_status_make(SLI_UNAVAILABLE,
                               "gave up waiting for %s; start the missing tasks, or correct their addresses", whom);
    else
      status = wait_a_little(wait, whom);
    free(whom);
    free(missing);
    if (status) return status;
  }
}

// --- The model ---

static sli_status_t *run_operation(sl_session_t *session, TF_Operation *operation) {
  const TF_Operation *targets[] = {operation};
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session->handle, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  return sli_status_from_tf(status);
}

static sli_status_t *read_step(sl_session_t *session, int64_t *out_step) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *value = NULL;
  TF_SessionRun(session->handle, NULL, NULL, NULL, 0, &session->global_step, &value, 1, NULL, 0, NULL, status);
  if (value) sli_tensor_to_int64(value, 0, out_step);
  if (value) TF_DeleteTensor(value);
  return sli_status_from_tf(status);
}

bool sli_session_read_step(sl_session_t *session, int64_t *out_step) {
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

// The names of variables without a value, joined by commas; "" if all have one.
static sli_status_t *find_uninitialized(sl_session_t *session, sli_string_t *out_names) {
  size_t count = session->initialized.count;
  TF_Tensor **values = sli_calloc(count, sizeof(TF_Tensor *));
  TF_Status *status = TF_NewStatus();
  if (count)
    TF_SessionRun(session->handle, NULL, NULL, NULL, 0, session->initialized.items, values, (int)count, NULL, 0, NULL,
                  status);
  for (size_t i = 0; i < count; i++) {
    if (!values[i]) continue;
    if (!*(const bool *)TF_TensorData(values[i]))
      sli_string_append_format(out_names, "%s%s", out_names->size ? ", " : "",
                               sl_variable_info(session->scope, session->variables.items[i])->name);
    TF_DeleteTensor(values[i]);
  }
  free(values);
  return sli_status_from_tf(status);
}

// The chief's part: the newest checkpoint, or fresh variables.
static sli_status_t *make_model(sl_session_t *session) {
  char *path = session->checkpoint_dir ? sl_latest_checkpoint(session->checkpoint_dir) : NULL;
  session->restored_step = -1;
  if (!path || !session->saver) {
    free(path);
    return run_operation(session, session->init);
  }
  TF_Status *restored = TF_NewStatus();
  sl_saver_restore(session->saver, session->handle, path, restored);
  sli_status_t *status = sli_status_from_tf(restored);
  if (!status) status = read_step(session, &session->restored_step);
  if (!status) sli_session_say(session, "restored %s", path);
  if (status && !is_lost_code(sli_status_code(status)))
    status =
        sli_status_append(status, "; checkpoint %s cannot be restored into this model: use another directory", path);
  free(path);
  return status;
}

// The others' part.
static sli_status_t *wait_for_model(wait_t *wait) {
  for (;;) {
    sli_string_t names = {0};
    sli_status_t *status = find_uninitialized(wait->session, &names);
    bool ready = !status && names.size == 0;
    if (!status && !ready && wait_is_over(wait))
      status = sli_status_make(SLI_DEADLINE_EXCEEDED,
                               "gave up waiting for the chief to initialise %s; is the chief running?", names.data);
    if (!status && !ready) {
      enum { SHOWN = 60 };
      char *whom = sli_format("the chief to initialise %.*s%s", SHOWN, names.data, names.size > SHOWN ? "…" : "");
      status = wait_a_little(wait, whom);
      free(whom);
    }
    sli_string_deinitialize(&names);
    if (status || ready) return status;
  }
}

static sli_status_t *check_model(sl_session_t *session) {
  sli_string_t names = {0};
  sli_status_t *status = find_uninitialized(session, &names);
  if (!status && names.size)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Variables not initialized: %s", names.data);
  sli_string_deinitialize(&names);
  return status;
}

static sli_status_t *try_prepare(wait_t *wait) {
  sl_session_t *session = wait->session;
  delete_session(session->handle);
  session->handle = NULL;
  SLI_RETURN_IF_ERROR(wait_for_tasks(wait));
  TF_Status *opened = TF_NewStatus();
  session->handle = new_session(session, session->scope->graph, 0, opened);
  SLI_RETURN_IF_ERROR(sli_status_from_tf(opened));
  if (session->is_chief) {
    SLI_RETURN_IF_ERROR(make_model(session));
    SLI_RETURN_IF_ERROR(run_operation(session, session->local_init));
    SLI_RETURN_IF_ERROR(check_model(session));
  } else {
    SLI_RETURN_IF_ERROR(run_operation(session, session->local_init));
    SLI_RETURN_IF_ERROR(wait_for_model(wait));
  }
  return read_step(session, &session->step);
}

// Opens the session and makes or awaits the model, as often as tasks are lost on the way.
static void prepare(sl_session_t *session) {
  wait_t wait = wait_begin(session);
  sli_status_t *status = try_prepare(&wait);
  while (sli_session_is_lost(session, status) && !wait_is_over(&wait)) {
    sli_status_t *stopped = wait_a_little(&wait, sli_status_message(status));
    sli_status_release(status);
    status = stopped ? stopped : try_prepare(&wait);
  }
  if (sli_status_code(status) == SLI_CANCELLED && is_over(session)) {
    session->stop = true;
    sli_status_release(status);
    status = NULL;
    delete_session(session->handle);
    session->handle = NULL;
  }
  if (status) {
    sli_session_fail(session, NULL, 0, status);
    return;
  }
  if (session->checkpoint_dir && !session->writer && session->handle) {
    TF_Status *opened = TF_NewStatus();
    session->writer = sl_file_writer_open(session->checkpoint_dir, opened);
    sli_session_fail(session, NULL, 0, sli_status_from_tf(opened));
  }
  session->preparing = true;
  for (size_t i = 0; i < session->hooks.count && session->handle && sli_session_ok(session); i++)
    if (session->hooks.items[i]->created) session->hooks.items[i]->created(session->hooks.items[i], session);
  session->preparing = false;
}

void sli_session_recover(sl_session_t *session, const sli_status_t *why) {
  if (is_over(session)) {  // the others have gone home
    session->stop = true;
    delete_session(session->handle);
    session->handle = NULL;
    return;
  }
  sli_session_say(session, "lost a task, starting a new session: %s", sli_status_message(why));
  prepare(session);
}

void sli_session_check(sl_session_t *session, sli_status_t *status) {
  if (!sli_session_is_lost(session, status)) {
    if (status) sli_session_fail(session, NULL, 0, status);
    return;
  }
  // While the session is being prepared, the next run finds out and starts anew.
  if (!session->preparing) sli_session_recover(session, status);
  sli_status_release(status);
}

// --- Opening ---

static void collect_variables(sl_session_t *session, const char *collection) {
  sl_scope_t *scope = session->scope;
  size_t count = sl_collection_count(scope, collection);
  for (size_t i = 0; i < count; i++) {
    TF_Output value = sl_collection_items(scope, collection)[i];
    const sl_variable_info_t *info = sl_variable_info(scope, value);
    if (!info) continue;
    TF_Output initialized = {0};
    SL_COLOCATE_WITH(scope, info->reference.oper) {
      initialized = sl_unary(scope, "IsVariableInitialized", info->reference, NULL);
    }
    sli_array_push(&session->variables, value);
    sli_array_push(&session->initialized, initialized);
  }
}

// The nodes that a session needs besides the program's.
static void complete_graph(sl_session_t *session) {
  sl_scope_t *scope = session->scope;
  session->global_step = sl_global_step_with(scope);
  session->init = sl_global_variables_initializer_with(scope);
  session->local_init = sl_local_variables_initializer_with(scope);
  SL_NAME_SCOPE (scope, "report_uninitialized_variables") {
    collect_variables(session, SL_GLOBAL_VARIABLES);
    collect_variables(session, SL_LOCAL_VARIABLES);
  }
  session->saver = sl_saver_with(
      scope, SL_OPTIONS(sl_saver_options_t, .sharded = true, .max_to_keep = session->options.max_to_keep));
}

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

static void begin(sl_session_t *session) {
  sl_scope_t *scope = session->scope;
  if (session->server && sli_server_status(session->server)) {
    sli_session_fail(session, NULL, 0, sli_status_retain(sli_server_status(session->server)));
    return;
  }
  if (sli_scope_ok(scope)) complete_graph(session);
  if (sli_scope_ok(scope)) {
    sli_session_fail(session, NULL, 0, open_directory(session));
    if (sli_session_ok(session)) sli_session_add_hooks(session);
    for (size_t i = 0; i < session->hooks.count; i++)
      if (session->hooks.items[i]->begin) session->hooks.items[i]->begin(session->hooks.items[i], session);
    sli_scope_finalize(scope);
  }
  if (!sli_scope_ok(scope) && sli_session_ok(session)) {
    session->code = scope->code;
    session->error = sli_strdup(scope->error);
  }
}

sl_session_t *sl_monitored_training_session_with(sl_scope_t *scope, sl_server_t *server,
                                                 const sl_session_options_t *options) {
  sl_session_t *session = sli_calloc(1, sizeof(*session));
  sli_options_copy(&session->options, sizeof(session->options), options);
  session->scope = scope;
  session->server = server;
  session->restored_step = -1;
  session->is_chief = !server || sl_server_is_chief(server);
  sli_server_title(server, session->title, sizeof(session->title));
  caught_signal = 0;
  watch_signal(SIGINT, &former_int);
  watch_signal(SIGTERM, &former_term);
  begin(session);
  if (sli_session_ok(session)) prepare(session);
  return session;
}

// --- Closing ---

static void end(sl_session_t *session) {
  for (size_t i = 0; i < session->hooks.count && sli_session_ok(session) && session->handle; i++)
    if (session->hooks.items[i]->end) session->hooks.items[i]->end(session->hooks.items[i], session);
  TF_Status *status = TF_NewStatus();
  sl_file_writer_close(session->writer, status);
  sli_status_t *own = sli_status_from_tf(status);
  if (own) sli_session_fail(session, NULL, 0, own);
  // A directory that nothing was written to should not be left behind; it stays if it is not empty.
  if (session->made_directory && session->checkpoint_dir && !session->writer)
    sli_status_release(sli_file_delete_directory(session->checkpoint_dir));
  delete_session(session->handle);
  session->handle = NULL;
  TF_Server *server = server_handle(session);
  if (sli_session_ok(session) && session->is_chief && server && !caught_signal) {
    TF_Status *announced = TF_NewStatus();
    sl_cluster_announce_done(server, announced);
    TF_DeleteStatus(announced);
  }
}

int sl_session_close(sl_session_t *session) {
  end(session);
  if (session->error) print_line(session->error);
  int code = session->error ? 1 : caught_signal ? 128 + caught_signal : 0;
  unwatch_signals();
  for (size_t i = 0; i < session->hooks.count; i++) session->hooks.items[i]->destroy(session->hooks.items[i]);
  sli_array_deinitialize(&session->hooks);
  sli_array_deinitialize(&session->initialized);
  sli_array_deinitialize(&session->variables);
  sli_map_deinitialize(&session->escapes);
  free(session->checkpoint_dir);
  free(session->error);
  free(session);
  return code;
}
