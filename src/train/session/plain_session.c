// Plain sessions, as tf.Session: they share sl_run() with training sessions, and have
// no manager, hooks or guard. One on the session of a Supervisor is the same, but the
// Supervisor opens and closes what it runs on.
#include <stdlib.h>

#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/live_object.h"
#include "train/common/session_config.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/session/train_session.h"

static const char title[] = "Session";

// A server that did not start has no target, which would mean a session in this process.
static sli_status_t *check_target(const char *target) {
  return target && !target[0] ? sli_train_server_find_error() : NULL;
}

static sli_status_t *open_plain(sl_session_t *session, const sl_plain_session_options_t *options) {
  SLI_RETURN_IF_ERROR(check_target(options->target));
  sli_string_t config = {0};
  sli_session_config_append(options->config, &config);
  TF_SessionOptions *given = TF_NewSessionOptions();
  TF_Status *status = TF_NewStatus();
  if (options->target) TF_SetTarget(given, options->target);
  if (config.size) TF_SetConfig(given, config.data, config.size, status);
  if (TF_GetCode(status) == TF_OK) session->handle = TF_NewSession(session->scope->graph, given, status);
  TF_DeleteSessionOptions(given);
  sli_string_deinitialize(&config);
  return sli_tf_status_to_status(status);
}

static sl_session_t *create_plain(sl_scope_t *scope) {
  sl_session_t *session = sli_calloc(1, sizeof(*session));
  session->scope = scope;
  session->is_plain = true;
  session->restored_step = -1;
  session->title = title;
  sli_live_object_add(session);
  sli_train_session_take_scope_error(session);
  return session;
}

sl_session_t *sl_session_with(sl_scope_t *scope, const sl_plain_session_options_t *given) {
  SLI_CALL_OPTIONS(sl_plain_session_options_t, options, given);
  sl_session_t *session = create_plain(scope);
  if (sli_train_session_ok(session))
    sli_train_session_fail(session, scope->file, scope->line, open_plain(session, &options));
  return session;
}

sl_session_t *sli_train_session_wrap(sl_scope_t *scope, sl_supervisor_t *supervisor, TF_Session *handle,
                                     sli_status_t *status) {
  sl_session_t *session = create_plain(scope);
  session->supervisor = supervisor;
  session->handle = handle;
  sli_train_session_fail(session, NULL, 0, status);
  return session;
}

void sl_session_clear_error(sl_session_t *session) {
  if (!sli_train_session_is_open(session, "sl_session_clear_error")) return;
  if (!session->is_plain || !session->handle || !sli_scope_ok(session->scope)) return;
  free(session->error);
  session->error = NULL;
  session->code = TF_OK;
}

// An error of a step that ran when the training was to stop is not one of the job. Returns the exit code.
static int stop_supervisor(sl_session_t *session) {
  if (session->handle && sl_supervisor_should_stop(session->supervisor)) sl_session_clear_error(session);
  TF_Status *status = TF_NewStatus();
  int code = sl_supervisor_stop(session->supervisor, status);
  sli_train_session_fail(session, NULL, 0, sli_tf_status_to_status(status));
  session->handle = NULL;
  sl_supervisor_release(session->supervisor);
  return code;
}

int sli_train_session_close_plain(sl_session_t *session) {
  int code = session->supervisor ? stop_supervisor(session) : 0;
  sli_train_session_take_scope_error(session);
  if (session->error) sli_progress_print_line(session->error);
  if (session->error) code = 1;
  sli_tf_session_delete(session->handle);
  sli_live_object_remove(session);
  free(session->error);
  free(session);
  return code;
}
