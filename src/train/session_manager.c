// Opening a session with a model in it: wait for the tasks, then initialise,
// restore, or wait for the chief. Everything that waits looks up five times a
// second whether to go on waiting, says after a second and then every ten for whom,
// and gives up at a deadline.
#include "train/session_manager_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/file.h"
#include "proto/wire.h"
#include "sluice/cluster.h"
#include "sluice/math.h"
#include "train/options_internal.h"
#include "train/saver_internal.h"
#include "train/server_internal.h"
#include "train/tensor.h"

enum { POLL_MILLIS = 200, LONGEST_LOOK_MILLIS = 1000, FIRST_SAY_MILLIS = 1000, SAY_MILLIS = 10000 };
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

// Saves and restores through this task, for directories that the ps tasks do not see.
static sl_saver_t *make_local_saver(sl_session_manager_t *manager) {
  const sl_server_t *server = manager->options.server;
  char *device = sli_format("/job:%s/task:%d/device:CPU:0", sl_server_job(server), sl_server_task_index(server));
  sl_saver_t *saver = sl_saver_with(
      manager->scope, SL_OPTIONS(sl_saver_options_t, .device = device, .max_to_keep = manager->scaffold.max_to_keep,
                                 .keep_checkpoint_every_n_hours = manager->scaffold.keep_checkpoint_every_n_hours));
  free(device);
  return saver;
}

sl_session_manager_t *sl_session_manager_with(sl_scope_t *scope, const sl_scaffold_t *scaffold,
                                              const sl_session_manager_options_t *given) {
  sl_session_manager_t *manager = sli_calloc(1, sizeof(*manager));
  sli_options_copy(&manager->options, sizeof(manager->options), given);
  sli_options_copy(&manager->scaffold, sizeof(manager->scaffold), scaffold);
  manager->scope = scope;
  bool chooses = sli_session_config_append(manager->options.config, &manager->config);
  manager->options.config = NULL;  // the caller's, and may be gone
  if (!chooses && !manager->options.all_tasks && sli_manager_server(manager))
    sli_server_device_filters(manager->options.server, &manager->config);
  if (sli_scope_ok(scope)) sl_scaffold_finalize(scope, &manager->scaffold);
  const char *directory = manager->options.checkpoint_dir;
  if (directory && directory[0]) {
    // The ps tasks write there too, and may have another working directory.
    char *absolute = realpath(directory, NULL);
    manager->checkpoint_dir = sli_strdup(absolute ? absolute : directory);
    free(absolute);
  }
  sli_server_title(manager->options.server, manager->title, sizeof(manager->title));
  manager->saver = manager->scaffold.saver;
  const sl_server_t *server = manager->options.server;
  bool own_saver = !scaffold || !scaffold->saver;
  if (own_saver && manager->checkpoint_dir && server && sl_server_handle(server) && sl_server_count(server, "ps"))
    manager->local_saver = make_local_saver(manager);
  if (sli_scope_ok(scope)) sli_scope_finalize(scope);
  return manager;
}

void sl_session_manager_release(sl_session_manager_t *manager) {
  if (!manager) return;
  free(manager->checkpoint_dir);
  free(manager->restored);
  sli_string_deinitialize(&manager->config);
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
  int64_t said;      // when the last word was said; the first is due sooner
  bool told;         // the chief has just said that the model is ready, or never says so
} wait_t;

double sli_manager_max_wait_secs(const sl_session_manager_t *manager) {
  return manager->options.max_wait_secs > 0 ? manager->options.max_wait_secs : default_wait_secs;
}

static wait_t wait_begin(sl_session_manager_t *manager) {
  double seconds = sli_manager_max_wait_secs(manager);
  int64_t said = sli_now_nanos() - (SAY_MILLIS - FIRST_SAY_MILLIS) * INT64_C(1000000);
  return (wait_t){manager, sli_deadline_after_millis((int64_t)(seconds * 1000)), said, false};
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
  sli_string_append(&config, manager->config.data, manager->config.size);
  if (sli_manager_server(manager)) TF_SetTarget(options, sl_server_target(manager->options.server));
  if (timeout_millis) sli_wire_write_int(&config, OPERATION_TIMEOUT, timeout_millis);
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

// A session is opened, which takes its time, only if somebody listens at each task. It runs nothing, on a graph of
// nothing: all that can fail is that a task does not answer.
sli_status_t *sli_manager_probe_tasks(const sl_session_manager_t *manager, int wait_millis) {
  if (!sli_manager_server(manager)) return NULL;
  char *missing = sli_server_unreachable(manager->options.server, manager->options.all_tasks, wait_millis);
  sli_status_t *unreachable = missing[0] ? sli_status_make_text(SLI_UNAVAILABLE, missing) : NULL;
  free(missing);
  if (unreachable) return unreachable;
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *nothing = TF_FinishOperation(TF_NewOperation(graph, "NoOp", "nothing"), status);
  TF_Session *probe = NULL;
  if (nothing) probe = sli_manager_new_session(manager, graph, wait_millis, status);
  const TF_Operation *targets[] = {nothing};
  if (probe) TF_SessionRun(probe, NULL, NULL, NULL, 0, NULL, NULL, 0, targets, 1, NULL, status);
  sli_session_delete(probe);
  TF_DeleteGraph(graph);
  return sli_status_from_tf(status);
}

// --- Whether the ps tasks see the directory of checkpoints ---

// Reads |path| on each ps task; the first that does not have |text| there is |*out_task|, -1 if all do.
static sli_status_t *find_blind_task(const sl_session_manager_t *manager, const char *path, const char *text,
                                     int *out_task) {
  int count = sl_server_count(manager->options.server, "ps");
  *out_task = -1;
  sl_scope_t *scope = sl_graph_scope();
  // Fed, so that nobody reads a constant's file in advance, and elsewhere.
  TF_Output name = sl_placeholder_with(scope, TF_STRING, SL_SHAPE(), NULL);
  TF_Tensor *fed = sli_tensor_text(path);
  sli_outputs_t reads = {0};
  for (int i = 0; i < count; i++) {
    char *device = sli_format("/job:ps/task:%d/device:CPU:0", i);
    SL_DEVICE (scope, device) {
      sli_array_push(&reads, sl_unary(scope, "ReadFile", name, NULL));
    }
    free(device);
  }
  TF_Status *status = TF_NewStatus();
  TF_Session *session = sli_manager_new_session(manager, scope->graph, 0, status);
  for (int i = 0; session && i < count && *out_task < 0 && TF_GetCode(status) == TF_OK; i++) {
    TF_Tensor *value = NULL;
    TF_SessionRun(session, NULL, &name, &fed, 1, &reads.items[i], &value, 1, NULL, 0, NULL, status);
    const TF_TString *found = value ? TF_TensorData(value) : NULL;
    bool same = found && TF_StringGetSize(found) == strlen(text) &&
                memcmp(TF_StringGetDataPointer(found), text, strlen(text)) == 0;
    bool absent = TF_GetCode(status) == TF_NOT_FOUND || TF_GetCode(status) == TF_PERMISSION_DENIED;
    if (absent) TF_SetStatus(status, TF_OK, "");
    if (TF_GetCode(status) == TF_OK && !same) *out_task = i;
    if (value) TF_DeleteTensor(value);
  }
  sli_session_delete(session);
  sli_tensor_delete(fed);
  sli_array_deinitialize(&reads);
  sl_scope_release(scope);
  return sli_status_from_tf(status);
}

// Chooses the saver: through this task if a ps does not see the directory. Once.
static sli_status_t *choose_saver(sl_session_manager_t *manager) {
  const sl_server_t *server = manager->options.server;
  bool matters = manager->local_saver || (manager->scaffold.saver && sli_saver_is_sharded(manager->scaffold.saver));
  if (!matters || manager->chosen || !manager->checkpoint_dir || !sli_manager_server(manager) ||
      !sl_server_count(server, "ps"))
    return NULL;
  char *path = sli_format("%s/.seen-%d", manager->checkpoint_dir, (int)getpid());
  char *text = sli_format("%lld", (long long)sli_wall_micros());
  sli_file_writer_t *writer = NULL;
  int task = -1;
  sli_status_t *status = sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer);
  if (!status) status = sli_file_writer_write(writer, text, strlen(text));
  if (!status) status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  if (!status) status = find_blind_task(manager, path, text, &task);
  sli_status_release(sli_file_delete(path));
  if (!status) manager->chosen = true;
  if (!status && task >= 0) {
    const char *address = sl_server_address(server, "ps", task);
    if (manager->local_saver) {
      manager->saver = manager->local_saver;
      sli_say(manager->title, "/job:ps/task:%d at %s does not see %s: checkpoints go through this task", task,
              address ? address : "?", manager->checkpoint_dir);
    } else {
      status = sli_status_make(SLI_FAILED_PRECONDITION,
                               "/job:ps/task:%d at %s does not see directory %s, where a sharded saver needs it to "
                               "write: share the directory, or use a saver that is not sharded",
                               task, address ? address : "?", manager->checkpoint_dir);
    }
  }
  free(text);
  free(path);
  return status;
}

// For whom a session waits that got |status|, new.
static char *describe_missing(const sl_session_manager_t *manager, const sli_status_t *status, int wait_millis) {
  const char *chief = sli_server_chief_address(manager->options.server);
  if (!chief || sli_server_is_listening(chief, wait_millis)) return sli_strdup(sli_status_message(status));
  return sli_format("%s; the chief at %s is not there either: the job is over, or has not begun",
                    sli_status_message(status), chief);
}

// Waits until all tasks that the session needs answer. While one looks nobody hears a signal: the first looks are
// short.
static sli_status_t *wait_for_tasks(wait_t *wait) {
  sl_session_manager_t *manager = wait->manager;
  if (!sli_manager_server(manager)) return NULL;
  for (int patience = POLL_MILLIS;;) {
    sli_status_t *status = sli_manager_probe_tasks(manager, patience);
    sli_code_t code = sli_status_code(status);
    if (!is_lost_code(code) && code != SLI_DEADLINE_EXCEEDED) return status;
    char *whom = describe_missing(manager, status, POLL_MILLIS);
    sli_status_release(status);
    patience = 2 * patience < LONGEST_LOOK_MILLIS ? 2 * patience : LONGEST_LOOK_MILLIS;
    if (wait_is_over(wait))
      status = sli_status_make(SLI_UNAVAILABLE,
                               "gave up waiting for %s; start the missing tasks, or correct their addresses", whom);
    else
      status = wait_a_little(wait, whom);
    free(whom);
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

static bool is_damage(sli_code_t code) { return code == SLI_DATA_LOSS || code == SLI_OUT_OF_RANGE; }

// Restores the newest checkpoint that can be read; |*out_found| is false if there is none at all.
static sli_status_t *restore_model(sl_session_manager_t *manager, TF_Session *session, bool *out_found) {
  *out_found = false;
  free(manager->restored);
  manager->restored = NULL;
  if (!manager->checkpoint_dir || !manager->saver) return NULL;
  sli_paths_t paths = {0};
  sli_checkpoints_list(manager->checkpoint_dir, &paths);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < paths.count && !manager->restored; i++) {
    *out_found = true;
    TF_Status *restored = TF_NewStatus();
    sl_saver_restore(manager->saver, session, paths.items[i], restored);
    sli_status_t *failed = sli_status_from_tf(restored);
    if (!failed) manager->restored = sli_strdup(paths.items[i]);
    bool next = failed && is_damage(sli_status_code(failed)) && i + 1 < paths.count;
    if (next)
      sli_say(manager->title, "checkpoint %s is damaged (%s): restoring %s, the one before", paths.items[i],
              sli_status_message(failed), paths.items[i + 1]);
    if (!next) {
      status = failed;
      break;
    }
    sli_status_release(failed);
  }
  if (manager->restored) sli_say(manager->title, "restored %s", manager->restored);
  if (is_damage(sli_status_code(status)))
    status = sli_status_append(status, "; no checkpoint of %s can be read: delete them, or use another directory",
                               manager->checkpoint_dir);
  for (size_t i = 0; i < paths.count; i++) free(paths.items[i]);
  sli_array_deinitialize(&paths);
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
  SLI_RETURN_IF_ERROR(choose_saver(manager));
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
  const sl_server_t *server = manager->options.server;
  if (!is_chief && server && strcmp(sl_server_job(server), "evaluator") == 0)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "an evaluator is outside of the cluster and does not train: let it restore the checkpoints "
                           "of the chief into a session of its own (sl_saver_restore, sl_latest_checkpoint)");
  wait_t wait = wait_begin(manager);
  sli_status_t *status = open_once(&wait, is_chief, out_session);
  while (sli_manager_is_lost(manager, status) && !wait_is_over(&wait)) {
    sli_status_t *stopped = wait_a_little(&wait, sli_status_message(status));
    sli_status_release(status);
    status = stopped ? stopped : open_once(&wait, is_chief, out_session);
  }
  TF_Server *own = sli_manager_server(manager);
  if (sli_status_code(status) == SLI_CANCELLED && own && sl_cluster_is_done(own))
    sli_say(manager->title, "the job is done: there is nothing left to train");
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
