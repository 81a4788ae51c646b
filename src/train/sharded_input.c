// Sharded input: a hook that feeds each training step with the next records, and
// with the position after them, which the step assigns to the shard's variable.
// Position and model change in the same step and lie in the same checkpoint. When
// the session is made (again), the variable says where to go on.
#include "sluice/sharded_input.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "train/device_spec.h"
#include "train/options_internal.h"
#include "train/saver_internal.h"
#include "train/server_internal.h"
#include "train/session_internal.h"
#include "train/shard_source.h"
#include "train/tensor.h"
#include "train/variable_internal.h"

// What a position variable holds.
enum { EPOCH, OFFSET, SHARDS, POSITION_SIZE };
enum { POLL_MILLIS = 100, SAY_MILLIS = 10000 };

typedef struct {
  sl_hook_t base;
  char *name;
  sl_server_t *server;
  sli_shard_source_t *source;
  int shard, shards;
  int64_t batch_size, num_epochs;
  int64_t wait_nanos;
  TF_Output *positions;  // the variables' values, one for each shard
  TF_Output records, next_position, advanced;
} input_t;

static void destroy(void *object) {
  input_t *input = object;
  sli_shard_source_release(input->source);
  free(input->positions);
  free(input->name);
  free(input);
}

// --- Positions ---

// Reads the positions of shards |first| to |first| + |count| - 1.
static sli_status_t *read_positions(const input_t *input, TF_Session *session, int first, int count,
                                    int64_t (*out_positions)[POSITION_SIZE]) {
  TF_Tensor **values = sli_calloc((size_t)count, sizeof(*values));
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session, NULL, NULL, NULL, 0, &input->positions[first], values, count, NULL, 0, NULL, status);
  for (int i = 0; i < count; i++) {
    if (!values[i]) continue;
    memcpy(out_positions[i], TF_TensorData(values[i]), sizeof(out_positions[i]));
    TF_DeleteTensor(values[i]);
  }
  free(values);
  return sli_status_from_tf(status);
}

// Goes where the variable says.
static sli_status_t *go_on(input_t *input, sl_session_t *session) {
  int64_t position[1][POSITION_SIZE];
  SLI_RETURN_IF_ERROR(read_positions(input, session->handle, input->shard, 1, position));
  int64_t epoch = position[0][EPOCH], offset = position[0][OFFSET], shards = position[0][SHARDS];
  if (epoch < 0 || offset < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "'%s' is at record %lld of epoch %lld, which cannot be", input->name,
                           (long long)offset, (long long)epoch);
  if (!epoch && !offset) return sli_shard_source_seek(input->source, 0, 0);
  if (shards != input->shards) {
    sl_session_say(session, "'%s' was cut into %lld shards and is now into %d: epoch %lld starts anew", input->name,
                   (long long)shards, input->shards, (long long)epoch);
    offset = 0;
  } else {
    sl_session_say(session, "'%s' goes on at record %lld of epoch %lld, shard %d of %d", input->name, (long long)offset,
                   (long long)epoch, input->shard, input->shards);
  }
  return sli_shard_source_seek(input->source, epoch, offset);
}

static void fail(sl_session_t *session, sli_status_t *status) {
  if (!status) return;
  TF_Status *failed = TF_NewStatus();
  sli_status_to_tf(status, failed);
  sl_session_fail(session, failed);
  TF_DeleteStatus(failed);
}

static void created(sl_hook_t *base, sl_session_t *session) {
  input_t *input = (input_t *)base;
  fail(session, go_on(input, session));
}

// --- A step ---

static bool is_at_end(const input_t *input, int64_t epoch) { return input->num_epochs && epoch >= input->num_epochs; }

static int64_t own_epoch(const input_t *input) {
  int64_t epoch, offset;
  sli_shard_source_position(input->source, &epoch, &offset);
  return epoch;
}

// The next records as strings of a tensor; NULL after an error.
static sli_status_t *read_batch(input_t *input, TF_Tensor **out_records) {
  TF_TString *texts = sli_calloc((size_t)input->batch_size, sizeof(*texts));
  int64_t count = 0;
  sli_status_t *status = NULL;
  while (!status && count < input->batch_size && !is_at_end(input, own_epoch(input))) {
    sli_view_t record;
    status = sli_shard_source_next(input->source, &record);
    if (status) break;
    TF_StringInit(&texts[count]);
    TF_StringCopy(&texts[count++], record.data, record.size);
  }
  *out_records = NULL;
  if (!status) {
    *out_records = TF_AllocateTensor(TF_STRING, &count, 1, (size_t)count * sizeof(*texts));
    memcpy(TF_TensorData(*out_records), texts, (size_t)count * sizeof(*texts));
  }
  for (int64_t i = 0; status && i < count; i++) TF_StringDealloc(&texts[i]);
  free(texts);
  return status;
}

static TF_Tensor *position_tensor(const input_t *input) {
  int64_t position[POSITION_SIZE] = {[SHARDS] = input->shards};
  sli_shard_source_position(input->source, &position[EPOCH], &position[OFFSET]);
  return sli_tensor_copy(TF_INT64, SL_SHAPE(POSITION_SIZE), position);
}

// --- The end ---

// The names of the shards that are not at their end, joined by commas; "" if all are. New.
static char *unfinished(const input_t *input, int64_t (*positions)[POSITION_SIZE]) {
  sli_string_t names = {0};
  for (int i = 0; i < input->shards; i++) {
    if (is_at_end(input, positions[i][EPOCH])) continue;
    char *name = sli_server_replica_name(input->server, i);
    sli_string_append_format(&names, "%s%s (record %lld of epoch %lld)", names.size ? ", " : "", name,
                             (long long)positions[i][OFFSET], (long long)positions[i][EPOCH]);
    free(name);
  }
  return sli_string_take(&names);
}

// When the chief ends, all do, and who has left cannot read again what a lost ps takes back: each waits until the
// others are at their end too, as long as they move.
static sli_status_t *wait_for_others(const input_t *input, sl_session_t *session) {
  size_t size = (size_t)input->shards * sizeof(int64_t[POSITION_SIZE]);
  int64_t(*positions)[POSITION_SIZE] = sli_calloc(1, size), (*before)[POSITION_SIZE] = sli_calloc(1, size);
  int64_t moved = sli_now_nanos(), said = moved;
  sli_status_t *status = NULL;
  for (bool waiting = true; waiting && !sli_session_is_over(session);) {
    status = read_positions(input, session->handle, 0, input->shards, positions);
    if (status) break;
    int64_t now = sli_now_nanos();
    if (memcmp(positions, before, size) != 0) moved = now;
    memcpy(before, positions, size);
    char *names = unfinished(input, positions);
    bool gave_up = names[0] && now - moved > input->wait_nanos;
    if (gave_up || (names[0] && now - said > SAY_MILLIS * INT64_C(1000000))) {
      sl_session_say(session, "'%s' is at its end, %s %s", input->name, gave_up ? "no longer waits for" : "waiting for",
                     names);
      said = now;
    }
    waiting = names[0] && !gave_up;
    free(names);
    if (waiting) nanosleep(&(struct timespec){.tv_nsec = POLL_MILLIS * 1000000L}, NULL);
  }
  free(positions);
  free(before);
  return status;
}

static void before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  input_t *input = (input_t *)base;
  if (is_at_end(input, own_epoch(input))) {
    sl_step_skip(step);
    sli_status_t *status = input->shards > 1 ? wait_for_others(input, session) : NULL;
    if (!status) sl_request_stop(session);
    fail(session, status);  // a lost task: the next step goes on from the checkpoint
    return;
  }
  TF_Tensor *records = NULL;
  sli_status_t *status = read_batch(input, &records);
  if (status) {
    sl_step_skip(step);
    fail(session, status);
    return;
  }
  sl_step_feed(step, input->records, records);
  sl_step_feed(step, input->next_position, position_tensor(input));
  sl_step_fetch(step, input->advanced);
}

// --- Building ---

// "worker_1" of "/job:worker/task:1"; "worker_1" too where nothing is known of a cluster. New.
static char *shard_name(const sl_server_t *server, int shard) {
  char *name = sli_server_replica_name(server, shard);
  sli_device_spec_t spec;
  sli_status_t *status = sli_device_spec_parse(name, &spec);
  bool known = !status && name[0] == '/';
  sli_status_release(status);
  char *result = known ? sli_format("%s_%d", spec.job, spec.task) : sli_format("worker_%d", shard);
  free(name);
  return result;
}

static void build(sl_scope_t *scope, input_t *input) {
  for (int i = 0; i < input->shards; i++) {
    char *shard = shard_name(input->server, i), *name = sli_format("%s/%s/position", input->name, shard);
    input->positions[i] = sl_get_variable_with(
        scope, name, TF_INT64, SL_SHAPE(POSITION_SIZE),
        SL_OPTIONS(sl_get_variable_options_t, .initializer = SL_ZEROS, .not_trainable = true,
                   .regularizer = SL_NO_REGULARIZER, .partitioner = {.kind = SL_PARTITIONER_NONE}));
    sl_collection_add(scope, SLI_OPTIONAL_VARIABLES, input->positions[i]);
    free(name);
    free(shard);
  }
  const sl_variable_info_t *own = sli_variable_need(scope, input->positions[input->shard], "sl_sharded_input");
  SL_NAME_SCOPE (scope, "%s", input->name) {
    input->records = sl_placeholder_with(scope, TF_STRING, SL_SHAPE(-1), SL_OP_OPTIONS(.name = "records"));
    input->next_position =
        sl_placeholder_with(scope, TF_INT64, SL_SHAPE(POSITION_SIZE), SL_OP_OPTIONS(.name = "next_position"));
    if (own) input->advanced = sli_variable_update(scope, "Assign", own, input->next_position, "advance", true);
  }
}

static void check(sl_scope_t *scope, const input_t *input, size_t files, bool whole_files) {
  if (!files) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: there are no files");
  if (input->batch_size < 1) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: a batch has a record");
  if (input->shards < 1 || input->shard < 0 || input->shard >= input->shards)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: there is no shard %d of %d", input->shard,
                  input->shards);
  else if (whole_files && files < (size_t)input->shards)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: %zu files are too few for %d shards of whole files",
                  files, input->shards);
  if (input->num_epochs < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "num_epochs must be > 0 not %lld.", (long long)input->num_epochs);
}

TF_Output sl_sharded_input_with(sl_scope_t *scope, sl_server_t *server, const char *const *files, size_t count,
                                int64_t batch_size, const sl_sharded_input_options_t *given) {
  SLI_READ_OPTIONS(sl_sharded_input_options_t, options, given);
  sli_compression_t compression = SLI_COMPRESSION_NONE;
  sli_scope_check(scope, sli_compression_parse(sli_view(options.compression ? options.compression : ""), &compression));
  input_t *input = sli_calloc(1, sizeof(*input));
  sli_scope_own(scope, input, destroy);
  input->base =
      (sl_hook_t){.struct_size = sizeof(sl_hook_t), .after_create_session = created, .before_run = before_run};
  input->name = sli_strdup(options.name ? options.name : "input");
  input->server = server;
  input->shards = options.shards ? options.shards : sli_server_replica_count(server);
  input->shard = options.shards ? options.shard : sli_server_replica(server);
  input->batch_size = batch_size;
  input->num_epochs = options.num_epochs;
  input->wait_nanos = (int64_t)((options.wait_secs > 0 ? options.wait_secs : 60) * 1e9);
  check(scope, input, count, options.whole_files);
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  input->positions = sli_calloc((size_t)input->shards, sizeof(*input->positions));
  input->source = sli_shard_source_create(&(sli_shard_options_t){.files = files,
                                                                 .file_count = count,
                                                                 .compression = compression,
                                                                 .shard = input->shard,
                                                                 .shards = input->shards,
                                                                 .whole_files = options.whole_files,
                                                                 .shuffle_buffer = options.shuffle_buffer,
                                                                 .seed = options.seed});
  build(scope, input);
  if (sli_scope_ok(scope)) sli_array_push(&scope->hooks, &input->base);
  return input->records;
}
