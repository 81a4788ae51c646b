// Opening a session with a model in it: wait for the tasks, then initialise,
// restore, or wait for the chief. Everything that waits looks up five times a
// second whether to go on waiting, says every ten seconds for whom, and gives up
// at a deadline.
#include "train/session_manager_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "sluice/cluster.h"
#include "train/options_internal.h"
#include "train/server_internal.h"
#include "train/tensor.h"
#include "train/wire.h"

enum { POLL_MILLIS = 200, SAY_MILLIS = 10000, PROBE_MILLIS = 2000 };
static const double default_wait_secs = 7200;

// --- Words ---

void sli_print_line(const char *text) {
  char *line = sli_strdup(text);
  for (char *letter = line; *letter; letter++)
    if (*letter == '\n' || *letter == '\t') *letter = ' ';
  fprintf(stderr, "%s\n", line);
  free(line);
}

void sli_say(const char *title, const char *format, ...) {
  sli_string_t text = {0};
  sli_string_append_format(&text, "%s: ", title);
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  sli_print_line(sli_string_text(&text));
  sli_string_deinitialize(&text);
}

// --- Life ---

sl_session_manager_t *sl_session_manager_with(sl_scope_t *scope, const sl_scaffold_t *scaffold,
                                              const sl_session_manager_options_t *given) {
  sl_session_manager_t *manager = sli_calloc(1, sizeof(*manager));
  sli_options_copy(&manager->options, sizeof(manager->options), given);
  sli_options_copy(&manager->scaffold, sizeof(manager->scaffold), scaffold);
  manager->scope = scope;
  if (sli_scope_ok(scope)) sl_scaffold_finalize(scope, &manager->scaffold);
  const char *directory = manager->options.checkpoint_dir;
  if (directory && directory[0]) {
    // The ps tasks write there too, and may have another working directory.
    char *absolute = realpath(directory, NULL);
    manager->checkpoint_dir = sli_strdup(absolute ? absolute : directory);
    free(absolute);
  }
  sli_server_title(manager->options.server, manager->title, sizeof(manager->title));
  return manager;
}

void sl_session_manager_release(sl_session_manager_t *manager) {
  if (!manager) return;
  free(manager->checkpoint_dir);
  free(manager->restored);
  free(manager);
}

const char *sl_session_manager_restored(const sl_session_manager_t *manager) { return manager->restored; }

TF_Server *sli_manager_server(const sl_session_manager_t *manager) {
  return manager->options.server ? sl_server_handle(manager->options.server) : NULL;
}

// --- Waiting ---

typedef struct {
  sl_session_manager_t *manager;
  int64_t deadline;  // of the whole wait
  int64_t said;      // when the last word was said
  bool told;         // the chief has just said that the model is ready, or never says so
} wait_t;

static wait_t wait_begin(sl_session_manager_t *manager) {
  double seconds = manager->options.max_wait_secs > 0 ? manager->options.max_wait_secs : default_wait_secs;
  return (wait_t){manager, sli_deadline_after_millis((int64_t)(seconds * 1000)), sli_now_nanos(), false};
}

static bool wait_is_over(const wait_t *wait) { return sli_now_nanos() >= wait->deadline; }

static bool is_stopped(const sl_session_manager_t *manager) {
  return manager->options.should_stop && manager->options.should_stop(manager->options.stop_context);
}

// Says |for_whom| if it is time to. CANCELLED if the session is to stop meanwhile.
static sli_status_t *wait_a_little(wait_t *wait, const char *for_whom) {
  if (is_stopped(wait->manager)) return sli_status_make(SLI_CANCELLED, "stopped while waiting for %s", for_whom);
  int64_t now = sli_now_nanos();
  if (now - wait->said >= SAY_MILLIS * INT64_C(1000000)) {
    sli_say(wait->manager->title, "waiting for %s", for_whom);
    wait->said = now;
  }
  nanosleep(&(struct timespec){.tv_nsec = POLL_MILLIS * 1000000L}, NULL);
  return NULL;
}

// The same, but goes on at once when the chief says that its model is ready. A stock chief says nothing.
static sli_status_t *wait_for_chief(wait_t *wait, const char *for_whom) {
  const sl_server_t *server = wait->manager->options.server;
  const char *chief = server ? sli_server_chief_address(server) : NULL;
  if (chief && !wait->told) {
    TF_Status *status = TF_NewStatus();
    sl_cluster_wait_model_ready(chief, POLL_MILLIS, status);
    // A chief that has not noticed yet that its model was lost says so too; the variables know better.
    wait->told = TF_GetCode(status) == TF_OK || TF_GetCode(status) == TF_UNIMPLEMENTED;
    bool again = TF_GetCode(status) == TF_OK;
    TF_DeleteStatus(status);
    if (again && !is_stopped(wait->manager)) return NULL;
  } else {
    wait->told = false;
  }
  return wait_a_little(wait, for_whom);
}

static bool is_lost_code(sli_code_t code) { return code == SLI_ABORTED || code == SLI_UNAVAILABLE; }

bool sli_manager_is_lost(const sl_session_manager_t *manager, const sli_status_t *status) {
  return sli_manager_server(manager) && is_lost_code(sli_status_code(status));
}

// --- The session underneath ---

// A ConfigProto with the tasks to see; operation_timeout_in_ms = 11.
TF_Session *sli_manager_new_session(const sl_session_manager_t *manager, TF_Graph *graph, int64_t timeout_millis,
                                    TF_Status *status) {
  enum { OPERATION_TIMEOUT = 11 };
  sli_string_t config = {0};
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (sli_manager_server(manager)) {
    TF_SetTarget(options, sl_server_target(manager->options.server));
    sli_server_device_filters(manager->options.server, &config);
  }
  if (timeout_millis) sli_train_wire_number(&config, OPERATION_TIMEOUT, (uint64_t)timeout_millis);
  if (config.size) TF_SetConfig(options, config.data, config.size, status);
  TF_Session *made = TF_GetCode(status) == TF_OK ? TF_NewSession(graph, options, status) : NULL;
  TF_DeleteSessionOptions(options);
  sli_string_deinitialize(&config);
  return made;
}

void sli_session_delete(TF_Session *session) {
  TF_Status *status = TF_NewStatus();
  if (session) TF_CloseSession(session, status);
  if (session) TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
}

sli_status_t *sli_session_run_operation(TF_Session *session, TF_Operation *operation) {
  const TF_Operation *targets[] = {operation};
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  return sli_status_from_tf(status);
}

// Runs nothing, on a graph of nothing, within a short time: all that can fail is that a task does not answer.
static sli_status_t *probe_tasks(const sl_session_manager_t *manager) {
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *nothing = TF_FinishOperation(TF_NewOperation(graph, "NoOp", "nothing"), status);
  TF_Session *probe = NULL;
  if (nothing) probe = sli_manager_new_session(manager, graph, PROBE_MILLIS, status);
  const TF_Operation *targets[] = {nothing};
  if (probe) TF_SessionRun(probe, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  sli_session_delete(probe);
  TF_DeleteGraph(graph);
  return sli_status_from_tf(status);
}

// Waits until all tasks that the session needs answer.
static sli_status_t *wait_for_tasks(wait_t *wait) {
  sl_session_manager_t *manager = wait->manager;
  if (!sli_manager_server(manager)) return NULL;
  for (bool first = true;; first = false) {
    sli_status_t *status = probe_tasks(manager);
    sli_code_t code = sli_status_code(status);
    if (!is_lost_code(code) && code != SLI_DEADLINE_EXCEEDED) return status;
    char *missing = sli_server_unreachable(manager->options.server);
    char *whom = sli_format("%s", missing[0] ? missing : sli_status_message(status));
    sli_status_release(status);
    if (first) {
      sli_say(manager->title, "waiting for %s", whom);
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

// What |report| names, joined by commas; "" for nothing.
static sli_status_t *read_report(TF_Session *session, TF_Output report, sli_string_t *out_names) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *names = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &report, &names, 1, NULL, 0, NULL, status);
  if (names && TF_TensorType(names) != TF_STRING)
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "a ready op must give names (strings)");
  if (names && TF_GetCode(status) == TF_OK) {
    const TF_TString *texts = TF_TensorData(names);
    for (int64_t i = 0; i < TF_TensorElementCount(names); i++)
      sli_string_append_format(out_names, "%s%.*s", out_names->size ? ", " : "", (int)TF_StringGetSize(&texts[i]),
                               TF_StringGetDataPointer(&texts[i]));
  }
  if (names) TF_DeleteTensor(names);
  return sli_status_from_tf(status);
}

// Restores the newest checkpoint; |*out_found| is false if there is none.
static sli_status_t *restore_model(sl_session_manager_t *manager, TF_Session *session, bool *out_found) {
  *out_found = false;
  free(manager->restored);
  manager->restored = NULL;
  if (!manager->checkpoint_dir || !manager->scaffold.saver) return NULL;
  char *path = sl_latest_checkpoint(manager->checkpoint_dir);
  if (!path) return NULL;
  *out_found = true;
  TF_Status *restored = TF_NewStatus();
  sl_saver_restore(manager->scaffold.saver, session, path, restored);
  sli_status_t *status = sli_status_from_tf(restored);
  if (!status) {
    sli_say(manager->title, "restored %s", path);
    manager->restored = path;
    return NULL;
  }
  if (!is_lost_code(sli_status_code(status)))
    status =
        sli_status_append(status, "; checkpoint %s cannot be restored into this model: use another directory", path);
  free(path);
  return status;
}

static sli_status_t *initialize_model(sl_session_manager_t *manager, TF_Session *session) {
  const sl_scaffold_t *scaffold = &manager->scaffold;
  SLI_RETURN_IF_ERROR(sli_session_run_operation(session, scaffold->init_op));
  if (!scaffold->init_fn) return NULL;
  TF_Status *status = TF_NewStatus();
  scaffold->init_fn(scaffold->init_context, session, status);
  return sli_status_from_tf(status);
}

// local_init_op, then all must be there.
static sli_status_t *finish_model(sl_session_manager_t *manager, TF_Session *session) {
  SLI_RETURN_IF_ERROR(sli_session_run_operation(session, manager->scaffold.local_init_op));
  sli_string_t names = {0};
  sli_status_t *status = read_report(session, manager->scaffold.ready_op, &names);
  if (!status && names.size)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Variables not initialized: %s", names.data);
  sli_string_deinitialize(&names);
  return status;
}

// The chief's part: the newest checkpoint, or fresh variables.
static sli_status_t *make_model(sl_session_manager_t *manager, TF_Session *session) {
  bool restored = false;
  TF_Server *server = sli_manager_server(manager);
  if (server) sl_cluster_set_model_ready(server, false);
  SLI_RETURN_IF_ERROR(restore_model(manager, session, &restored));
  if (!restored) SLI_RETURN_IF_ERROR(initialize_model(manager, session));
  SLI_RETURN_IF_ERROR(finish_model(manager, session));
  if (server) sl_cluster_set_model_ready(server, true);
  return NULL;
}

// The others' part.
static sli_status_t *wait_for_model(wait_t *wait, TF_Session *session) {
  sl_session_manager_t *manager = wait->manager;
  for (;;) {
    sli_string_t names = {0};
    sli_status_t *status = read_report(session, manager->scaffold.ready_for_local_init_op, &names);
    bool ready = !status && names.size == 0;
    if (!status && !ready && wait_is_over(wait))
      status = sli_status_make(SLI_DEADLINE_EXCEEDED,
                               "gave up waiting for the chief to initialise %s; is the chief running?", names.data);
    if (!status && !ready) {
      enum { SHOWN = 60 };
      char *whom = sli_format("the chief to initialise %.*s%s", SHOWN, names.data, names.size > SHOWN ? "…" : "");
      status = wait_for_chief(wait, whom);
      free(whom);
    }
    sli_string_deinitialize(&names);
    if (ready) return finish_model(manager, session);
    if (status) return status;
  }
}

// --- Opening ---

static sli_status_t *open_once(wait_t *wait, bool is_chief, TF_Session **out_session) {
  sl_session_manager_t *manager = wait->manager;
  *out_session = NULL;
  SLI_RETURN_IF_ERROR(wait_for_tasks(wait));
  TF_Status *opened = TF_NewStatus();
  TF_Session *session = sli_manager_new_session(manager, manager->scope->graph, 0, opened);
  SLI_RETURN_IF_ERROR(sli_status_from_tf(opened));
  sli_status_t *status = is_chief ? make_model(manager, session) : wait_for_model(wait, session);
  if (status)
    sli_session_delete(session);
  else
    *out_session = session;
  return status;
}

sli_status_t *sli_manager_open(sl_session_manager_t *manager, bool is_chief, TF_Session **out_session) {
  wait_t wait = wait_begin(manager);
  sli_status_t *status = open_once(&wait, is_chief, out_session);
  while (sli_manager_is_lost(manager, status) && !wait_is_over(&wait)) {
    sli_status_t *stopped = wait_a_little(&wait, sli_status_message(status));
    sli_status_release(status);
    status = stopped ? stopped : open_once(&wait, is_chief, out_session);
  }
  return status;
}

static TF_Session *open_session(sl_session_manager_t *manager, bool is_chief, TF_Status *status) {
  TF_Session *session = NULL;
  if (!sli_scope_ok(manager->scope)) {
    TF_SetStatus(status, manager->scope->code, manager->scope->error);
    return NULL;
  }
  sli_status_to_tf(sli_manager_open(manager, is_chief, &session), status);
  return session;
}

TF_Session *sl_session_manager_prepare_session(sl_session_manager_t *manager, TF_Status *status) {
  return open_session(manager, true, status);
}

TF_Session *sl_session_manager_wait_for_session(sl_session_manager_t *manager, TF_Status *status) {
  return open_session(manager, false, status);
}

static sli_status_t *recover(wait_t *wait, TF_Session **out_session, bool *out_ready) {
  sl_session_manager_t *manager = wait->manager;
  SLI_RETURN_IF_ERROR(wait_for_tasks(wait));
  TF_Status *opened = TF_NewStatus();
  *out_session = sli_manager_new_session(manager, manager->scope->graph, 0, opened);
  SLI_RETURN_IF_ERROR(sli_status_from_tf(opened));
  bool restored = false;
  SLI_RETURN_IF_ERROR(restore_model(manager, *out_session, &restored));
  sli_string_t names = {0};
  sli_status_t *status = read_report(*out_session, manager->scaffold.ready_for_local_init_op, &names);
  *out_ready = !status && names.size == 0;
  sli_string_deinitialize(&names);
  return status || !*out_ready ? status : finish_model(manager, *out_session);
}

TF_Session *sl_session_manager_recover_session(sl_session_manager_t *manager, bool *out_ready, TF_Status *status) {
  *out_ready = false;
  if (!sli_scope_ok(manager->scope)) {
    TF_SetStatus(status, manager->scope->code, manager->scope->error);
    return NULL;
  }
  wait_t wait = wait_begin(manager);
  TF_Session *session = NULL;
  sli_status_t *recovered = recover(&wait, &session, out_ready);
  if (recovered) {
    sli_session_delete(session);
    session = NULL;
  }
  sli_status_to_tf(recovered, status);
  return session;
}
