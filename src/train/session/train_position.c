#include "train/session/train_position.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "train/cluster/train_server.h"
#include "train/common/device_spec.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/save/saver.h"

enum { POLL_MILLIS = 100, PRINT_MILLIS = 10000 };

// "worker_1" for "/job:worker/task:1", and also for replica 1 without a cluster. New.
static char *shard_name(const sl_server_t *server, int shard) {
  char *name = sli_train_server_replica_name(server, shard);
  sli_device_spec_t spec;
  sli_status_t *status = sli_device_spec_parse(name, &spec);
  bool known = !status && name[0] == '/';
  sli_status_release(status);
  char *result = known ? sli_format("%s_%d", spec.job, spec.task) : sli_format("worker_%d", shard);
  free(name);
  return result;
}

void sli_train_position_build(sl_scope_t *scope, const sl_server_t *server, const char *name, int shards,
                              TF_Output *out_positions) {
  for (int i = 0; i < shards; i++) {
    char *shard = shard_name(server, i), *variable = sli_format("%s/%s/position", name, shard);
    out_positions[i] = sl_get_variable_with(
        scope, variable, TF_INT64, SL_SHAPE(SLI_TRAIN_POSITION_SIZE),
        SL_OPTIONS(sl_get_variable_options_t, .initializer = SL_ZEROS, .not_trainable = true,
                   .regularizer = SL_NO_REGULARIZER, .partitioner = {.kind = SL_PARTITIONER_NONE}));
    sl_collection_add(scope, SLI_SCOPE_OPTIONAL_VARIABLES, out_positions[i]);
    free(variable);
    free(shard);
  }
}

sli_status_t *sli_train_position_read(const TF_Output *positions, int count, TF_Session *session,
                                      int64_t (*out_values)[SLI_TRAIN_POSITION_SIZE]) {
  TF_Tensor **values = sli_calloc((size_t)count, sizeof(*values));
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session, NULL, NULL, NULL, 0, positions, values, count, NULL, 0, NULL, status);
  for (int i = 0; i < count; i++) {
    if (!values[i]) continue;
    memcpy(out_values[i], TF_TensorData(values[i]), sizeof(out_values[i]));
    TF_DeleteTensor(values[i]);
  }
  free(values);
  return sli_tf_status_to_status(status);
}

void sli_train_position_fail(sl_session_t *session, sli_status_t *status) {
  if (!status) return;
  TF_Status *failed = TF_NewStatus();
  sli_tf_status_from_status(status, failed);
  sl_session_fail(session, failed);
  TF_DeleteStatus(failed);
}

// The names of the shards that have records left, separated by commas; "" if none has. New.
static char *list_unfinished(const sli_train_position_wait_t *wait, int64_t (*positions)[SLI_TRAIN_POSITION_SIZE]) {
  sli_string_t names = {0};
  for (int i = 0; i < wait->shards; i++) {
    sli_string_t rest = {0};
    char *name = sli_train_server_replica_name(wait->server, i);
    if (wait->describe_rest(wait->context, positions[i], &rest))
      sli_string_append_format(&names, "%s%s (%s)", names.size ? ", " : "", name, sli_string_text(&rest));
    free(name);
    sli_string_deinitialize(&rest);
  }
  return sli_string_take(&names);
}

sli_status_t *sli_train_position_wait(sl_session_t *session, const sli_train_position_wait_t *wait) {
  if (wait->shards == 1) return NULL;
  size_t size = (size_t)wait->shards * sizeof(int64_t[SLI_TRAIN_POSITION_SIZE]);
  int64_t(*positions)[SLI_TRAIN_POSITION_SIZE] = sli_calloc(1, size);
  int64_t(*before)[SLI_TRAIN_POSITION_SIZE] = sli_calloc(1, size);
  int64_t moved_nanos = sli_clock_now_nanos(), printed_nanos = moved_nanos;
  sli_status_t *status = NULL;
  for (bool waiting = true; waiting && !sli_train_session_is_over(session);) {
    status = sli_train_position_read(wait->positions, wait->shards, session->handle, positions);
    if (status) break;
    int64_t now = sli_clock_now_nanos();
    if (memcmp(positions, before, size) != 0) moved_nanos = now;
    memcpy(before, positions, size);
    char *names = list_unfinished(wait, positions);
    bool gave_up = names[0] && now - moved_nanos > wait->wait_nanos;
    if (gave_up || (names[0] && now - printed_nanos > PRINT_MILLIS * INT64_C(1000000))) {
      sl_session_say(session, "'%s' is at its end, %s %s", wait->name,
                     gave_up ? "no longer waiting for" : "waiting for", names);
      printed_nanos = now;
    }
    waiting = names[0] && !gave_up;
    free(names);
    if (waiting) nanosleep(&(struct timespec){.tv_nsec = POLL_MILLIS * 1000000L}, NULL);
  }
  free(positions);
  free(before);
  return status;
}
