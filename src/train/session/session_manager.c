// Opens a session with a model: waits for the tasks, then initialises, restores, or
// waits for the chief. Every wait checks five times a second whether to go on, prints
// what it waits for after one second and then at growing intervals, and has a deadline.
#include "train/session/session_manager.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "io/file/file.h"
#include "io/file/path.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "sluice/cluster.h"
#include "sluice/math.h"
#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/session_config.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/save/saver.h"

enum { POLL_MILLIS = 200, LONGEST_PROBE_MILLIS = 1000, FIRST_PRINT_MILLIS = 1000, LONGEST_PRINT_MILLIS = 60000 };
static const double default_wait_secs = 7200;

// --- Creation and release ---

// A saver that writes and reads on this task, for directories that the ps tasks do not see.
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
  sli_call_options_copy(&manager->options, sizeof(manager->options), given);
  sli_call_options_copy(&manager->scaffold, sizeof(manager->scaffold), scaffold);
  manager->scope = scope;
  bool chooses = sli_session_config_append(manager->options.config, &manager->config);
  manager->options.config = NULL;  // owned by the caller
  const char *master = manager->options.master;
  manager->master = master && master[0] ? sli_strdup(master) : NULL;
  bool elsewhere = manager->master && sli_session_manager_server(manager) &&
                   strcmp(manager->master, sl_server_target(manager->options.server)) != 0;
  if (!chooses && !elsewhere && !manager->options.all_tasks && sli_session_manager_server(manager))
    sli_train_server_append_device_filters(manager->options.server, &manager->config);
  if (sli_scope_ok(scope)) sl_scaffold_finalize(scope, &manager->scaffold);
  const char *directory = manager->options.checkpoint_dir;
  if (directory && directory[0]) {
    // Absolute, because the ps tasks may have another working directory.
    manager->checkpoint_dir = sli_file_absolute_path(directory);
  }
  sli_train_server_title(manager->options.server, manager->title, sizeof(manager->title));
  sli_session_backup_initialize(&manager->backup, manager->options.server, manager->checkpoint_dir, manager->title);
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
  sli_session_backup_deinitialize(&manager->backup);
  free(manager->checkpoint_dir);
  free(manager->master);
  free(manager->restored);
  sli_string_deinitialize(&manager->config);
  free(manager);
}

const char *sl_session_manager_restored(const sl_session_manager_t *manager) { return manager->restored; }

TF_Server *sli_session_manager_server(const sl_session_manager_t *manager) {
  return manager->options.server ? sl_server_handle(manager->options.server) : NULL;
}

const char *sli_session_manager_target(const sl_session_manager_t *manager) {
  if (manager->master) return manager->master;
  return sli_session_manager_server(manager) ? sl_server_target(manager->options.server) : "";
}

bool sli_session_manager_is_remote(const sl_session_manager_t *manager) {
  return sli_session_manager_target(manager)[0] != '\0';
}

bool sli_session_manager_is_chief(sl_chief_t chief, const sl_server_t *server) {
  if (chief != SL_CHIEF_OF_CLUSTER) return chief == SL_CHIEF;
  return !server || sl_server_is_chief(server);
}

// --- Waiting ---

typedef struct {
  sl_session_manager_t *manager;
  int64_t began, deadline;  // of the wait
  int64_t print_nanos;      // when the next message is due
  bool asked_chief;         // the chief has just replied that the model is ready, or does not support the call
} open_wait_t;

double sli_session_manager_max_wait_secs(const sl_session_manager_t *manager) {
  return manager->options.max_wait_secs > 0 ? manager->options.max_wait_secs : default_wait_secs;
}

static open_wait_t wait_begin(sl_session_manager_t *manager) {
  double seconds = sli_session_manager_max_wait_secs(manager);
  return (open_wait_t){.manager = manager,
                       .began = sli_clock_now_nanos(),
                       .deadline = sli_clock_deadline_after_millis((int64_t)(seconds * 1000)),
                       .print_nanos = sli_clock_deadline_after_millis(FIRST_PRINT_MILLIS)};
}

static bool wait_is_over(const open_wait_t *wait) { return sli_clock_now_nanos() >= wait->deadline; }

static bool should_stop(const sl_session_manager_t *manager) {
  return manager->options.should_stop && manager->options.should_stop(manager->options.stop_context);
}

// Sleeps for a short time; prints |waited_for| if a message is due. CANCELLED if the session must stop.
static sli_status_t *wait_and_report(open_wait_t *wait, const char *waited_for) {
  if (should_stop(wait->manager)) return sli_status_make(SLI_CANCELLED, "stopped while waiting for %s", waited_for);
  int64_t now = sli_clock_now_nanos();
  if (now >= wait->print_nanos) {
    int64_t waited = now - wait->began;
    sli_progress_print(wait->manager->title, "waiting for %s, %.0f s so far", waited_for, (double)waited * 1e-9);
    int64_t pause = waited < LONGEST_PRINT_MILLIS * INT64_C(1000000) ? waited : LONGEST_PRINT_MILLIS * INT64_C(1000000);
    wait->print_nanos =
        now + (pause > FIRST_PRINT_MILLIS * INT64_C(1000000) ? pause : FIRST_PRINT_MILLIS * INT64_C(1000000));
  }
  nanosleep(&(struct timespec){.tv_nsec = POLL_MILLIS * 1000000L}, NULL);
  return NULL;
}

// The same, but returns at once when the chief reports that its model is ready. A stock chief does not report.
static sli_status_t *wait_for_chief(open_wait_t *wait, const char *waited_for) {
  const sl_server_t *server = wait->manager->options.server;
  const char *chief = server ? sli_train_server_chief_address(server) : NULL;
  if (chief && !wait->asked_chief) {
    TF_Status *status = TF_NewStatus();
    sl_cluster_wait_model_ready(chief, POLL_MILLIS, status);
    // A chief that has not noticed yet that its model was lost replies, too; so the variables are checked afterwards.
    wait->asked_chief = TF_GetCode(status) == TF_OK || TF_GetCode(status) == TF_UNIMPLEMENTED;
    bool again = TF_GetCode(status) == TF_OK;
    TF_DeleteStatus(status);
    if (again && !should_stop(wait->manager)) return NULL;
  } else {
    wait->asked_chief = false;
  }
  return wait_and_report(wait, waited_for);
}

static bool is_lost_code(sli_code_t code) { return code == SLI_ABORTED || code == SLI_UNAVAILABLE; }

bool sli_session_manager_is_task_lost(const sl_session_manager_t *manager, const sli_status_t *status) {
  return sli_session_manager_is_remote(manager) && is_lost_code(sli_status_code(status));
}

// --- TensorFlow sessions ---

TF_Session *sli_session_manager_create_session(const sl_session_manager_t *manager, TF_Graph *graph,
                                               int64_t timeout_millis, TF_Status *status) {
  sli_string_t config = {0};
  TF_SessionOptions *options = TF_NewSessionOptions();
  sli_string_append(&config, manager->config.data, manager->config.size);
  TF_SetTarget(options, sli_session_manager_target(manager));
  if (timeout_millis) sli_wire_write_int(&config, SLI_FIELD_CONFIG_PROTO_OPERATION_TIMEOUT_IN_MS, timeout_millis);
  if (config.size) TF_SetConfig(options, config.data, config.size, status);
  TF_Session *made = TF_GetCode(status) == TF_OK ? TF_NewSession(graph, options, status) : NULL;
  TF_DeleteSessionOptions(options);
  sli_string_deinitialize(&config);
  return made;
}

static sli_status_t *run_operation(TF_Session *session, const TF_Operation *operation) {
  TF_Status *status = TF_NewStatus();
  sli_tf_session_run_operation(session, operation, status);
  return sli_tf_status_to_status(status);
}

// Opens a session, which takes some time, only if each task accepts connections. The session runs a NoOp, so that it
// fails only if a task does not reply.
sli_status_t *sli_session_manager_probe_tasks(const sl_session_manager_t *manager, int wait_millis) {
  if (!sli_session_manager_is_remote(manager)) return NULL;
  if (sli_session_manager_server(manager)) {
    sli_train_server_find_ps(manager->options.server);
    char *missing = sli_train_server_list_unreachable(manager->options.server, manager->options.all_tasks, wait_millis);
    sli_status_t *unreachable = missing[0] ? sli_status_make_text(SLI_UNAVAILABLE, missing) : NULL;
    free(missing);
    if (unreachable) return unreachable;
  }
  TF_Graph *graph = TF_NewGraph();
  TF_Status *status = TF_NewStatus();
  TF_Operation *nothing = TF_FinishOperation(TF_NewOperation(graph, "NoOp", "nothing"), status);
  TF_Session *probe = NULL;
  if (nothing) probe = sli_session_manager_create_session(manager, graph, wait_millis, status);
  if (probe) sli_tf_session_run_operation(probe, nothing, status);
  sli_tf_session_delete(probe);
  TF_DeleteGraph(graph);
  return sli_tf_status_to_status(status);
}

// --- Whether the ps tasks see the directory of checkpoints ---

// Reads |path| on each ps task. Sets |*out_task| to the first task that does not find |text| there; -1 if all do.
static sli_status_t *find_task_without_directory(const sl_session_manager_t *manager, const char *path,
                                                 const char *text, int *out_task) {
  int count = sl_server_count(manager->options.server, "ps");
  *out_task = -1;
  sl_scope_t *scope = sl_graph_scope();
  // The name is fed: the file of a constant name could be read early by constant folding on another task.
  TF_Output name = sl_placeholder_with(scope, TF_STRING, SL_SHAPE(), NULL);
  TF_Tensor *fed = sli_tf_tensor_text(path);
  sli_outputs_t reads = {0};
  for (int i = 0; i < count; i++) {
    char *device = sli_format("/job:ps/task:%d/device:CPU:0", i);
    SL_DEVICE (scope, device) {
      sli_array_push(&reads, sl_unary(scope, "ReadFile", name, NULL));
    }
    free(device);
  }
  TF_Status *status = TF_NewStatus();
  TF_Session *session = sli_session_manager_create_session(manager, scope->graph, 0, status);
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
  sli_tf_session_delete(session);
  sli_tf_tensor_delete(fed);
  sli_array_deinitialize(&reads);
  sl_scope_release(scope);
  return sli_tf_status_to_status(status);
}

// Chooses the saver, once: the one on this task if a ps does not see the directory.
static sli_status_t *choose_saver(sl_session_manager_t *manager) {
  const sl_server_t *server = manager->options.server;
  bool matters = manager->local_saver || (manager->scaffold.saver && sli_saver_is_sharded(manager->scaffold.saver));
  if (!matters || manager->chosen || !manager->checkpoint_dir || !sli_session_manager_server(manager) ||
      !sl_server_count(server, "ps"))
    return NULL;
  char *path = sli_path_join(manager->checkpoint_dir, ".seen");
  char *text = sli_format("%lld", (long long)sli_clock_wall_micros());
  sli_file_writer_t *writer = NULL;
  int task = -1;
  sli_status_t *status = sli_file_writer_open(path, SLI_FILE_TRUNCATE, &writer);
  if (!status) status = sli_file_writer_write(writer, text, strlen(text));
  if (!status) status = sli_file_writer_close(writer);
  sli_file_writer_release(writer);
  if (!status) status = find_task_without_directory(manager, path, text, &task);
  sli_status_release(sli_file_delete(path));
  if (!status) manager->chosen = true;
  if (!status && task >= 0) {
    const char *address = sl_server_address(server, "ps", task);
    if (manager->local_saver) {
      manager->saver = manager->local_saver;
      sli_progress_print(manager->title, "/job:ps/task:%d at %s does not see %s: this task writes the checkpoints",
                         task, address ? address : "?", manager->checkpoint_dir);
    } else {
      status = sli_status_make(SLI_FAILED_PRECONDITION,
                               "/job:ps/task:%d at %s does not see directory %s, but a sharded saver makes it write "
                               "there: share the directory, or use a saver that is not sharded",
                               task, address ? address : "?", manager->checkpoint_dir);
    }
  }
  free(text);
  free(path);
  return status;
}

// The message of |status| without the time that one probe has waited, "CreateSession waited 1 s for TASK: …": it is not
// the time of the whole wait.
static const char *message_without_time(const sli_status_t *status) {
  static const char before[] = "CreateSession waited ", after[] = " s for ";
  const char *message = sli_status_message(status), *time = strstr(message, before),
             *task = time ? strstr(time, after) : NULL;
  return task ? task + strlen(after) : message;
}

// Describes the tasks that a session with error |status| waits for. New.
static char *describe_missing(const sl_session_manager_t *manager, const sli_status_t *status, int wait_millis) {
  const sl_server_t *server = manager->options.server;
  const char *chief = server ? sli_train_server_chief_address(server) : NULL, *message = message_without_time(status);
  if (!chief || sli_train_server_is_listening(chief, wait_millis)) return sli_strdup(message);
  return sli_format("%s; the chief at %s does not answer either: the job has ended or not started", message, chief);
}

// Waits until all tasks that the session needs reply. Signals are not noticed during a probe, so the first probes are
// short.
static sli_status_t *wait_for_tasks(open_wait_t *wait) {
  sl_session_manager_t *manager = wait->manager;
  if (!sli_session_manager_is_remote(manager)) return NULL;
  for (int patience = POLL_MILLIS;;) {
    sli_status_t *status = sli_session_manager_probe_tasks(manager, patience);
    sli_code_t code = sli_status_code(status);
    if (!is_lost_code(code) && code != SLI_DEADLINE_EXCEEDED) return status;
    char *whom = describe_missing(manager, status, POLL_MILLIS);
    sli_status_release(status);
    patience = 2 * patience < LONGEST_PROBE_MILLIS ? 2 * patience : LONGEST_PROBE_MILLIS;
    if (wait_is_over(wait))
      status = sli_status_make(SLI_UNAVAILABLE,
                               "gave up waiting for %s; start the missing tasks, or correct their addresses", whom);
    else
      status = wait_and_report(wait, whom);
    free(whom);
    if (status) return status;
  }
}

// --- The model ---

// The names in |report|, separated by commas; "" if there are none.
static sli_status_t *read_report(TF_Session *session, TF_Output report, sli_string_t *out_names) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *names = sli_tf_session_fetch(session, report, status);
  if (names && TF_TensorType(names) != TF_STRING)
    TF_SetStatus(status, TF_INVALID_ARGUMENT, "ready_op must return names (strings)");
  if (names && TF_GetCode(status) == TF_OK) {
    const TF_TString *texts = TF_TensorData(names);
    for (int64_t i = 0; i < TF_TensorElementCount(names); i++)
      sli_string_append_format(out_names, "%s%.*s", out_names->size ? ", " : "", (int)TF_StringGetSize(&texts[i]),
                               TF_StringGetDataPointer(&texts[i]));
  }
  if (names) TF_DeleteTensor(names);
  return sli_tf_status_to_status(status);
}

static bool is_damage(sli_code_t code) { return code == SLI_DATA_LOSS || code == SLI_OUT_OF_RANGE; }

// Restores the newest checkpoint that can be read; |*out_found| is false if there are no checkpoints. |only| has the
// names of the variables to restore; NULL: all.
static sli_status_t *restore_model(sl_session_manager_t *manager, TF_Session *session, const sli_map_t *only,
                                   bool *out_found) {
  *out_found = false;
  free(manager->restored);
  manager->restored = NULL;
  if (!manager->checkpoint_dir || !manager->saver) return NULL;
  sli_saver_paths_t paths = {0};
  sli_saver_list_checkpoints(manager->checkpoint_dir, &paths);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < paths.count && !manager->restored; i++) {
    *out_found = true;
    TF_Status *restored = TF_NewStatus();
    sli_saver_restore_some(manager->saver, session, paths.items[i], only, restored);
    sli_status_t *failed = sli_tf_status_to_status(restored);
    if (!failed) manager->restored = sli_strdup(paths.items[i]);
    bool next = failed && is_damage(sli_status_code(failed)) && i + 1 < paths.count;
    if (next)
      sli_progress_print(manager->title, "checkpoint %s is damaged (%s): restoring %s, the one before", paths.items[i],
                         sli_status_message(failed), paths.items[i + 1]);
    if (!next) {
      status = failed;
      break;
    }
    sli_status_release(failed);
  }
  if (manager->restored) sli_progress_print(manager->title, "restored %s", manager->restored);
  if (is_damage(sli_status_code(status)))
    status = sli_status_append(status, "; no checkpoint of %s can be read: delete them, or use another directory",
                               manager->checkpoint_dir);
  for (size_t i = 0; i < paths.count; i++) free(paths.items[i]);
  sli_array_deinitialize(&paths);
  return status;
}

static sli_status_t *initialize_model(sl_session_manager_t *manager, TF_Session *session) {
  const sl_scaffold_t *scaffold = &manager->scaffold;
  SLI_RETURN_IF_ERROR(run_operation(session, scaffold->init_op));
  if (!scaffold->init_fn) return NULL;
  TF_Status *status = TF_NewStatus();
  scaffold->init_fn(scaffold->init_context, session, status);
  return sli_tf_status_to_status(status);
}

// Runs local_init_op; all variables must be initialised afterwards.
static sli_status_t *finish_model(sl_session_manager_t *manager, TF_Session *session) {
  SLI_RETURN_IF_ERROR(run_operation(session, manager->scaffold.local_init_op));
  sli_string_t names = {0};
  sli_status_t *status = read_report(session, manager->scaffold.ready_op, &names);
  if (!status && names.size)
    status = sli_status_make(SLI_FAILED_PRECONDITION, "Variables not initialized: %s", names.data);
  sli_string_deinitialize(&names);
  return status;
}

// --- A model that the ps tasks hold already ---

// The global step in the name of a checkpoint, "model.ckpt-120"; -1 if there is none.
static int64_t checkpoint_step(const char *path) {
  const char *dash = strrchr(path, '-');
  if (!dash || dash[1] < '0' || dash[1] > '9') return -1;
  char *end;
  long long step = strtoll(dash + 1, &end, 10);
  return *end ? -1 : step;
}

// The newest checkpoint of the directory, NULL if there is none. New.
static char *newest_checkpoint(const sl_session_manager_t *manager) {
  return manager->checkpoint_dir ? sl_latest_checkpoint(manager->checkpoint_dir) : NULL;
}

// Whether to continue with the model at |step| on the ps tasks. A model that is older than the checkpoints of the
// directory, or not theirs because there are none, is of another job: a ps may outlive a job.
static bool is_model_of_job(const sl_session_manager_t *manager, int64_t step) {
  char *newest = newest_checkpoint(manager);
  bool same = !manager->checkpoint_dir || (newest && (step < 0 || checkpoint_step(newest) <= step));
  if (same && step < 0)
    sli_progress_print(manager->title, "the ps tasks hold the model: continuing with it");
  else if (same)
    sli_progress_print(manager->title, "the ps tasks hold the model, at global step %lld: continuing with it",
                       (long long)step);
  else if (newest)
    sli_progress_print(manager->title, "the ps tasks hold a model at global step %lld, which is older than %s",
                       (long long)step, newest);
  else
    sli_progress_print(manager->title,
                       "the ps tasks hold a model of another job, because %s has no checkpoint: starting anew",
                       manager->checkpoint_dir);
  free(newest);
  return same;
}

// Sets |*out_whole| to whether the ps tasks hold a whole model of this job: the chief was restarted, or a ps was out of
// reach for a time and has lost nothing.
static sli_status_t *find_model(sl_session_manager_t *manager, TF_Session *session, bool *out_whole) {
  *out_whole = false;
  bool is_own = manager->scope->group.size.oper && manager->had_model;  // each task has one, which is of this job
  if (!sli_session_manager_server(manager)) return NULL;
  if (!is_own && !sl_server_count(manager->options.server, "ps")) return NULL;
  if (!sl_collection_count(manager->scope, SL_GLOBAL_VARIABLES)) return NULL;
  sli_string_t names = {0};
  sli_status_t *status = read_report(session, manager->scaffold.ready_for_local_init_op, &names);
  bool whole = !status && names.size == 0;
  sli_string_deinitialize(&names);
  if (!whole) return status;
  if (is_own) {
    *out_whole = true;
    return NULL;
  }
  TF_Output counter = sli_train_variable_find_global_step(manager->scope);
  int64_t step = -1;
  if (counter.oper) {
    TF_Status *read = TF_NewStatus();
    step = sli_tf_session_fetch_int64(session, counter, read);
    SLI_RETURN_IF_ERROR(sli_tf_status_to_status(read));
  }
  *out_whole = is_model_of_job(manager, step);
  return NULL;
}

// --- Some ps tasks have lost their variables ---

// The ps that holds |variable|; -1: none.
static int find_ps(const sl_variable_info_t *variable) {
  const char *task = strstr(TF_OperationDevice(variable->reference.oper), "/job:ps/");
  task = task ? strstr(task, "task:") : NULL;
  return task ? (int)strtol(task + strlen("task:"), NULL, 10) : -1;
}

typedef struct {
  bool *lost;  // by index of the ps
  int count, lost_count, holders;
  sli_map_t missing;  // the names of the variables on the lost tasks
} lost_ps_t;

// Finds which ps tasks lack variables. A variable elsewhere that is missing is no loss of a ps.
static sli_status_t *find_lost_ps(const sl_session_manager_t *manager, TF_Session *session, lost_ps_t *out_lost) {
  sl_scope_t *scope = manager->scope;
  out_lost->count = sl_server_count(manager->options.server, "ps");
  out_lost->lost = sli_calloc((size_t)out_lost->count, sizeof(bool));
  bool *holds = sli_calloc((size_t)out_lost->count, sizeof(bool));
  sli_string_t names = {0};
  sli_status_t *status = read_report(session, manager->scaffold.ready_for_local_init_op, &names);
  char *list = sli_format(", %s,", sli_string_text(&names));
  const TF_Output *variables = sl_collection_items(scope, SL_GLOBAL_VARIABLES);
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; !status && i < sl_collection_count(scope, SL_GLOBAL_VARIABLES); i++) {
      const sl_variable_info_t *variable = sl_variable_info(scope, variables[i]);
      int task = variable ? find_ps(variable) : -1;
      if (task < 0 || task >= out_lost->count) continue;
      char *entry = sli_format(", %s,", variable->name);
      holds[task] = true;
      if (pass == 0 && strstr(list, entry)) out_lost->lost[task] = true;
      if (pass == 1 && out_lost->lost[task]) sli_map_set(&out_lost->missing, sli_view(variable->name), out_lost);
      free(entry);
    }
  }
  for (int i = 0; i < out_lost->count; i++) {
    out_lost->holders += holds[i];
    out_lost->lost_count += out_lost->lost[i];
  }
  free(list);
  free(holds);
  sli_string_deinitialize(&names);
  return status;
}

// Asynchronous training: only the lost tasks go back to the last checkpoint.
static sli_status_t *restore_lost(sl_session_manager_t *manager, TF_Session *session, const lost_ps_t *lost,
                                  bool *out_restored) {
  SLI_RETURN_IF_ERROR(restore_model(manager, session, &lost->missing, out_restored));
  for (int i = 0; i < lost->count && *out_restored; i++)
    if (lost->lost[i])
      sli_progress_print(manager->title,
                         "/job:ps/task:%d has lost its variables: they are those of %s now; the other ps tasks keep "
                         "theirs",
                         i, manager->restored);
  return NULL;
}

// Gives ps tasks that were started again their variables: from their backups, or else, in asynchronous training, from
// the last checkpoint. |*out_continued|: the model is whole, and not that of a checkpoint.
static sli_status_t *recover_ps(sl_session_manager_t *manager, TF_Session *session, bool *out_continued,
                                bool *out_restored) {
  char *newest = newest_checkpoint(manager);
  bool possible = newest && sli_session_manager_server(manager) && sl_server_count(manager->options.server, "ps") &&
                  sl_collection_count(manager->scope, SL_GLOBAL_VARIABLES);
  lost_ps_t lost = {0};
  sli_status_t *status = possible ? find_lost_ps(manager, session, &lost) : NULL;
  if (possible && !status && lost.lost_count) {
    bool all = lost.lost_count == lost.holders;
    bool is_together = manager->scope->is_synchronous || all || !manager->had_model;
    sli_session_backup_need_t need = {lost.lost, is_together, checkpoint_step(newest)};
    if (sli_session_backup_recover(&manager->backup, &need))
      status = find_model(manager, session, out_continued);
    else if (!is_together)
      status = restore_lost(manager, session, &lost, out_restored);
  }
  sli_map_deinitialize(&lost.missing);
  free(lost.lost);
  free(newest);
  return status;
}

// In the chief: continues with the model of the ps tasks if it is whole, else restores the newest checkpoint, or
// initialises.
static sli_status_t *make_model(sl_session_manager_t *manager, TF_Session *session) {
  bool restored = false;
  TF_Server *server = sli_session_manager_server(manager);
  if (server) sl_cluster_set_model_ready(server, false);
  SLI_RETURN_IF_ERROR(choose_saver(manager));
  SLI_RETURN_IF_ERROR(find_model(manager, session, &manager->continued));
  if (manager->continued) {
    free(manager->restored);
    manager->restored = NULL;
  } else {
    SLI_RETURN_IF_ERROR(recover_ps(manager, session, &manager->continued, &restored));
    if (!manager->continued && !restored) SLI_RETURN_IF_ERROR(restore_model(manager, session, NULL, &restored));
  }
  if (!manager->continued && !restored) SLI_RETURN_IF_ERROR(initialize_model(manager, session));
  SLI_RETURN_IF_ERROR(finish_model(manager, session));
  manager->had_model = true;
  if (server) sl_cluster_set_model_ready(server, true);
  return NULL;
}

// In other tasks: waits for the chief.
static sli_status_t *wait_for_model(open_wait_t *wait, TF_Session *session) {
  sl_session_manager_t *manager = wait->manager;
  for (;;) {
    sli_string_t names = {0};
    sli_status_t *status = read_report(session, manager->scaffold.ready_for_local_init_op, &names);
    bool ready = !status && names.size == 0;
    if (!status && !ready && wait_is_over(wait))
      status = sli_status_make(SLI_DEADLINE_EXCEEDED,
                               "gave up waiting for the chief to initialise %s; check that the chief is running",
                               names.data);
    if (!status && !ready && manager->is_chief_now && manager->is_chief_now(manager->chief_context))
      status = sli_status_make_text(SLI_ABORTED, "the chief is gone: this task takes its place");
    if (!status && !ready) {
      enum { SHOWN = 60 };
      char *whom = sli_format("the chief to initialise %.*s%s", SHOWN, names.data, names.size > SHOWN ? "…" : "");
      status = wait_for_chief(wait, whom);
      free(whom);
    }
    sli_string_deinitialize(&names);
    if (ready) manager->had_model = true;
    if (ready) return finish_model(manager, session);
    if (status) return status;
  }
}

// --- Opening ---

static sli_status_t *open_once(open_wait_t *wait, bool is_chief, TF_Session **out_session) {
  sl_session_manager_t *manager = wait->manager;
  *out_session = NULL;
  SLI_RETURN_IF_ERROR(wait_for_tasks(wait));
  manager->met_tasks = true;
  if (manager->is_chief_now) is_chief = manager->is_chief_now(manager->chief_context);
  TF_Status *opened = TF_NewStatus();
  TF_Session *session = sli_session_manager_create_session(manager, manager->scope->graph, 0, opened);
  SLI_RETURN_IF_ERROR(sli_tf_status_to_status(opened));
  sli_status_t *status = is_chief ? make_model(manager, session) : wait_for_model(wait, session);
  if (status)
    sli_tf_session_delete(session);
  else
    *out_session = session;
  return status;
}

sli_status_t *sli_session_manager_open(sl_session_manager_t *manager, bool is_chief, TF_Session **out_session) {
  const sl_server_t *server = manager->options.server;
  if (!is_chief && server && strcmp(sl_server_job(server), "evaluator") == 0)
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "an evaluator is not part of the cluster and does not train: let it restore the chief's "
                           "checkpoints into its own session (sl_latest_checkpoint, sl_saver_restore)");
  open_wait_t wait = wait_begin(manager);
  sli_status_t *status = open_once(&wait, is_chief, out_session);
  while (sli_session_manager_is_task_lost(manager, status) && !wait_is_over(&wait)) {
    sli_status_t *stopped = wait_and_report(&wait, sli_status_message(status));
    sli_status_release(status);
    status = stopped ? stopped : open_once(&wait, is_chief, out_session);
  }
  TF_Server *own = sli_session_manager_server(manager);
  if (sli_status_code(status) == SLI_CANCELLED && own && sl_cluster_is_done(own))
    sli_progress_print(manager->title, "the job is done: there is nothing left to train");
  return status;
}

static TF_Session *open_session(sl_session_manager_t *manager, bool is_chief, TF_Status *status) {
  TF_Session *session = NULL;
  if (!sli_scope_ok(manager->scope)) {
    TF_SetStatus(status, manager->scope->code, manager->scope->error);
    return NULL;
  }
  sli_tf_status_from_status(sli_session_manager_open(manager, is_chief, &session), status);
  return session;
}

TF_Session *sl_session_manager_prepare_session(sl_session_manager_t *manager, TF_Status *status) {
  return open_session(manager, true, status);
}

TF_Session *sl_session_manager_wait_for_session(sl_session_manager_t *manager, TF_Status *status) {
  return open_session(manager, false, status);
}

static sli_status_t *recover_model(open_wait_t *wait, TF_Session **out_session, bool *out_ready) {
  sl_session_manager_t *manager = wait->manager;
  SLI_RETURN_IF_ERROR(wait_for_tasks(wait));
  TF_Status *opened = TF_NewStatus();
  *out_session = sli_session_manager_create_session(manager, manager->scope->graph, 0, opened);
  SLI_RETURN_IF_ERROR(sli_tf_status_to_status(opened));
  bool restored = false;
  SLI_RETURN_IF_ERROR(restore_model(manager, *out_session, NULL, &restored));
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
  open_wait_t wait = wait_begin(manager);
  TF_Session *session = NULL;
  sli_status_t *recovered = recover_model(&wait, &session, out_ready);
  if (recovered) {
    sli_tf_session_delete(session);
    session = NULL;
  }
  sli_tf_status_from_status(recovered, status);
  return session;
}
