// Sharded input: a hook that feeds each training step with the next records and with
// the position after them, which the step assigns to the shard's variable. So position
// and model change in the same step and are saved in the same checkpoint. When a
// session is created, reading continues at the position in the variable.
#include "sluice/sharded_input.h"

#include <stdlib.h>

#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/variable.h"
#include "train/input/shard_source.h"
#include "train/session/train_position.h"
#include "train/session/train_session.h"

// The elements of a position variable.
enum { EPOCH, OFFSET, SHARDS, POSITION_SIZE = SLI_TRAIN_POSITION_SIZE };

typedef struct {
  sl_hook_t base;
  char *name;
  sl_server_t *server;
  sli_shard_source_t *source;
  int shard, shards;
  int64_t batch_size, num_epochs;
  int64_t wait_nanos;
  TF_Output *positions;  // of all shards
  TF_Output records, next_position, advanced;
} sharded_input_t;

static void destroy_input(void *object) {
  sharded_input_t *input = object;
  sli_shard_source_release(input->source);
  free(input->positions);
  free(input->name);
  free(input);
}

// --- Positions ---

// Continues at the position in the variable.
static sli_status_t *restore_position(sharded_input_t *input, sl_session_t *session) {
  int64_t position[1][POSITION_SIZE];
  SLI_RETURN_IF_ERROR(sli_train_position_read(&input->positions[input->shard], 1, session->handle, position));
  int64_t epoch = position[0][EPOCH], offset = position[0][OFFSET], shards = position[0][SHARDS];
  if (epoch < 0 || offset < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the saved position of '%s' is invalid: record %lld of epoch %lld",
                           input->name, (long long)offset, (long long)epoch);
  if (!epoch && !offset) return sli_shard_source_seek(input->source, 0, 0);
  if (shards != input->shards) {
    sl_session_say(session, "'%s' had %lld shards and now has %d: epoch %lld starts anew", input->name,
                   (long long)shards, input->shards, (long long)epoch);
    offset = 0;
  } else {
    sl_session_say(session, "'%s' continues at record %lld of epoch %lld, shard %d of %d", input->name,
                   (long long)offset, (long long)epoch, input->shard, input->shards);
  }
  return sli_shard_source_seek(input->source, epoch, offset);
}

static void input_created(sl_hook_t *base, sl_session_t *session) {
  sharded_input_t *input = (sharded_input_t *)base;
  sli_train_position_fail(session, restore_position(input, session));
}

// --- A step ---

static bool is_at_end(const sharded_input_t *input, int64_t epoch) {
  return input->num_epochs && epoch >= input->num_epochs;
}

static int64_t own_epoch(const sharded_input_t *input) {
  int64_t epoch, offset;
  sli_shard_source_position(input->source, &epoch, &offset);
  return epoch;
}

// Reads the next records into a tensor of strings; NULL after an error.
static sli_status_t *read_batch(sharded_input_t *input, TF_Tensor **out_records) {
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

static TF_Tensor *position_tensor(const sharded_input_t *input) {
  int64_t position[POSITION_SIZE] = {[SHARDS] = input->shards};
  sli_shard_source_position(input->source, &position[EPOCH], &position[OFFSET]);
  return sli_tf_tensor_copy(TF_INT64, SL_SHAPE(POSITION_SIZE), position);
}

// --- The end ---

static bool describe_rest(const void *context, const int64_t *position, sli_string_t *out_text) {
  if (is_at_end(context, position[EPOCH])) return false;
  sli_string_append_format(out_text, "record %lld of epoch %lld", (long long)position[OFFSET],
                           (long long)position[EPOCH]);
  return true;
}

static sli_status_t *wait_for_others(const sharded_input_t *input, sl_session_t *session) {
  return sli_train_position_wait(session, &(sli_train_position_wait_t){.name = input->name,
                                                                       .server = input->server,
                                                                       .positions = input->positions,
                                                                       .shards = input->shards,
                                                                       .wait_nanos = input->wait_nanos,
                                                                       .describe_rest = describe_rest,
                                                                       .context = input});
}

static void input_before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  sharded_input_t *input = (sharded_input_t *)base;
  if (is_at_end(input, own_epoch(input))) {
    sl_step_skip(step);
    sli_status_t *status = wait_for_others(input, session);
    if (!status) sl_request_stop(session);
    sli_train_position_fail(session, status);  // if a task was lost, the next step continues from the checkpoint
    return;
  }
  TF_Tensor *records = NULL;
  sli_status_t *status = read_batch(input, &records);
  if (status) {
    sl_step_skip(step);
    sli_train_position_fail(session, status);
    return;
  }
  sl_step_feed(step, input->records, records);
  sl_step_feed(step, input->next_position, position_tensor(input));
  sl_step_fetch(step, input->advanced);
}

// --- Building ---

static void build_input(sl_scope_t *scope, sharded_input_t *input) {
  sli_train_position_build(scope, input->server, input->name, input->shards, input->positions);
  const sl_variable_info_t *own = sli_train_variable_require(scope, input->positions[input->shard], "sl_sharded_input");
  SL_NAME_SCOPE (scope, "%s", input->name) {
    input->records = sl_placeholder_with(scope, TF_STRING, SL_SHAPE(-1), SL_OP_OPTIONS(.name = "records"));
    input->next_position =
        sl_placeholder_with(scope, TF_INT64, SL_SHAPE(POSITION_SIZE), SL_OP_OPTIONS(.name = "next_position"));
    if (own)
      input->advanced = sli_train_variable_update_value(scope, "Assign", own, input->next_position, "advance", true);
  }
}

static void check_input(sl_scope_t *scope, const sharded_input_t *input, size_t files, bool whole_files) {
  if (!files) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: count must be at least 1 file, got 0");
  if (input->batch_size < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: batch_size must be at least 1, got %lld",
                  (long long)input->batch_size);
  if (input->shards < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: shards must be at least 1, got %d", input->shards);
  else if (input->shard < 0 || input->shard >= input->shards)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sharded_input: shard must be 0 to %d, got %d", input->shards - 1,
                  input->shard);
  else if (whole_files && files < (size_t)input->shards)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_sharded_input: with whole_files there must be a file for each of the %d shards, got %zu files",
                  input->shards, files);
  if (input->num_epochs < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "num_epochs must be > 0 not %lld.", (long long)input->num_epochs);
}

TF_Output sl_sharded_input_with(sl_scope_t *scope, sl_server_t *server, const char *const *files, size_t count,
                                int64_t batch_size, const sl_sharded_input_options_t *given) {
  SLI_CALL_OPTIONS(sl_sharded_input_options_t, options, given);
  sli_compression_t compression = SLI_COMPRESSION_NONE;
  sli_scope_check(scope, sli_compression_parse(sli_view(options.compression ? options.compression : ""), &compression));
  sharded_input_t *input = sli_calloc(1, sizeof(*input));
  sli_scope_own(scope, input, destroy_input);
  input->base = (sl_hook_t){
      .struct_size = sizeof(sl_hook_t), .after_create_session = input_created, .before_run = input_before_run};
  input->name = sli_strdup(options.name ? options.name : "input");
  input->server = server;
  input->shards = options.shards ? options.shards : sli_train_server_replica_count(server);
  input->shard = options.shards ? options.shard : sli_train_server_replica_index(server);
  input->batch_size = batch_size;
  input->num_epochs = options.num_epochs;
  input->wait_nanos = (int64_t)((options.wait_secs > 0 ? options.wait_secs : 60) * 1e9);
  check_input(scope, input, count, options.whole_files);
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
  build_input(scope, input);
  if (sli_scope_ok(scope)) sli_array_push(&scope->hooks, &input->base);
  return input->records;
}
