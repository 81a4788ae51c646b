// A dataset whose position is saved: a hook that starts the iterator after the elements that the variable counts, and
// lets each step count one more. The seed of the shuffles is part of the position, so that their order is the same.
#include <stdlib.h>

#include "base/random.h"
#include "sluice/sharded_input.h"
#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/input/input_dataset.h"
#include "train/session/train_position.h"
#include "train/session/train_session.h"

// The elements of a position variable; SHARDS is negative at the end.
enum { ELEMENTS, SEED, SHARDS, POSITION_SIZE = SLI_TRAIN_POSITION_SIZE };

typedef struct {
  sl_hook_t base;
  char *name;
  sl_server_t *server;
  int shard, shards;
  int64_t wait_nanos;
  TF_Output *positions;  // of all shards
  TF_Output start;       // a position, which is fed to start the iterator there
  TF_Operation *initializer;
  TF_Operation *assign;  // the variable becomes |start|
  TF_Output advanced;
} saved_dataset_t;

static void destroy(void *object) {
  saved_dataset_t *saved = object;
  free(saved->positions);
  free(saved->name);
  free(saved);
}

// Sets the variable to |position|, and also starts the iterator there if |starts|.
static sli_status_t *set_position(const saved_dataset_t *saved, TF_Session *session, const int64_t *position,
                                  bool starts) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *start = sli_tf_tensor_copy(TF_INT64, SL_SHAPE(POSITION_SIZE), position);
  const TF_Operation *targets[] = {saved->assign, saved->initializer};
  TF_SessionRun(session, NULL, &saved->start, &start, 1, NULL, NULL, 0, targets, 1 + starts, NULL, status);
  TF_DeleteTensor(start);
  return sli_tf_status_to_status(status);
}

static sli_status_t *restore(const saved_dataset_t *saved, sl_session_t *session) {
  int64_t position[1][POSITION_SIZE];
  SLI_RETURN_IF_ERROR(sli_train_position_read(&saved->positions[saved->shard], 1, session->handle, position));
  int64_t *own = position[0];
  if (own[ELEMENTS] < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "the saved position of '%s' is invalid: element %lld", saved->name,
                           (long long)own[ELEMENTS]);
  if (own[SHARDS] && llabs(own[SHARDS]) != saved->shards) {
    sl_session_say(session, "'%s' had %lld shards and now has %d: it starts at its beginning", saved->name,
                   llabs(own[SHARDS]), saved->shards);
    own[ELEMENTS] = own[SEED] = 0;
  } else if (own[ELEMENTS]) {
    sl_session_say(session, "'%s' continues at element %lld, shard %d of %d", saved->name, (long long)own[ELEMENTS],
                   saved->shard, saved->shards);
  }
  if (!own[SEED]) own[SEED] = (int64_t)(sli_random_u64() >> 1) | 1;
  own[SHARDS] = saved->shards;
  return set_position(saved, session->handle, own, true);
}

static void created(sl_hook_t *base, sl_session_t *session) {
  sli_train_position_fail(session, restore((const saved_dataset_t *)base, session));
}

static void before_run(sl_hook_t *base, sl_session_t *session, sl_step_t *step) {
  sl_step_fetch(step, ((const saved_dataset_t *)base)->advanced);
}

// --- The end ---

static bool describe_rest(const void *context, const int64_t *position, sli_string_t *out_text) {
  if (position[SHARDS] < 0) return false;
  sli_string_append_format(out_text, "element %lld", (long long)position[ELEMENTS]);
  return true;
}

static sli_status_t *end_with_others(const saved_dataset_t *saved, sl_session_t *session) {
  int64_t position[1][POSITION_SIZE];
  SLI_RETURN_IF_ERROR(sli_train_position_read(&saved->positions[saved->shard], 1, session->handle, position));
  position[0][SHARDS] = -saved->shards;
  SLI_RETURN_IF_ERROR(set_position(saved, session->handle, position[0], false));
  return sli_train_position_wait(session, &(sli_train_position_wait_t){.name = saved->name,
                                                                       .server = saved->server,
                                                                       .positions = saved->positions,
                                                                       .shards = saved->shards,
                                                                       .wait_nanos = saved->wait_nanos,
                                                                       .describe_rest = describe_rest});
}

// If a task was lost meanwhile, the next step continues from the checkpoint.
static bool input_ended(sl_hook_t *base, sl_session_t *session) {
  sli_status_t *status = end_with_others((const saved_dataset_t *)base, session);
  bool ended = !status;
  sli_train_position_fail(session, status);
  return ended;
}

// --- Building ---

static TF_Output element_of(sl_scope_t *scope, TF_Output vector, int index) {
  TF_Output indices = sl_constant_with(scope, TF_INT32, SL_SHAPE(), &(int32_t){index}, NULL);
  TF_Output axis = sl_constant_with(scope, TF_INT32, SL_SHAPE(), &(int32_t){0}, NULL);
  sl_node_t *node = sl_node_begin(scope, "GatherV2", NULL);
  sl_node_input(node, vector);
  sl_node_input(node, indices);
  sl_node_input(node, axis);
  return sl_node_output(node);
}

static sl_outputs_t build(sl_scope_t *scope, const sl_dataset_t *dataset, saved_dataset_t *saved) {
  sl_outputs_t next = sli_input_no_elements(dataset);
  const sl_variable_info_t *own =
      sli_train_variable_require(scope, saved->positions[saved->shard], "sl_dataset_next_saved");
  if (!own) return next;
  SL_NAME_SCOPE (scope, "%s", saved->name) {
    saved->start = sl_placeholder_with(scope, TF_INT64, SL_SHAPE(POSITION_SIZE), SL_OP_OPTIONS(.name = "start"));
    sli_input_start_t start = {.skip = element_of(scope, saved->start, ELEMENTS),
                               .seed = element_of(scope, saved->start, SEED)};
    next = sli_input_start_iterator(dataset, &start, &saved->initializer);
    saved->assign = sli_train_variable_update_value(scope, "Assign", own, saved->start, "restart", true).oper;
    TF_Operation *taken = next.items[0].oper;
    if (taken) {
      SL_CONTROL_DEPENDENCIES (scope, taken) {
        TF_Output one = sl_constant_with(scope, TF_INT64, SL_SHAPE(POSITION_SIZE), (int64_t[]){1, 0, 0}, NULL);
        saved->advanced = sli_train_variable_update_value(scope, "AssignAdd", own, one, "advance", true);
      }
    }
  }
  return next;
}

sl_outputs_t sl_dataset_next_saved_with(const sl_dataset_t *dataset, sl_server_t *server,
                                        const sl_dataset_saved_options_t *given) {
  SLI_CALL_OPTIONS(sl_dataset_saved_options_t, options, given);
  sl_scope_t *scope = sli_input_dataset_scope(dataset);
  saved_dataset_t *saved = sli_calloc(1, sizeof(*saved));
  sli_scope_own(scope, saved, destroy);
  saved->base = (sl_hook_t){.struct_size = sizeof(sl_hook_t),
                            .after_create_session = created,
                            .before_run = before_run,
                            .input_ended = input_ended};
  saved->server = server;
  saved->wait_nanos = (int64_t)((options.wait_secs > 0 ? options.wait_secs : 60) * 1e9);
  saved->name = sli_strdup(options.name ? options.name : "dataset");
  saved->shards = options.shards ? options.shards : sli_train_server_replica_count(server);
  saved->shard = options.shards ? options.shard : sli_train_server_replica_index(server);
  if (saved->shards < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_dataset_next_saved: shards must be at least 1, got %d",
                  saved->shards);
  else if (saved->shard < 0 || saved->shard >= saved->shards)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_dataset_next_saved: shard must be 0 to %d, got %d", saved->shards - 1,
                  saved->shard);
  if (!sli_scope_ok(scope)) return sli_input_no_elements(dataset);
  saved->positions = sli_calloc((size_t)saved->shards, sizeof(*saved->positions));
  sli_train_position_build(scope, server, saved->name, saved->shards, saved->positions);
  sl_outputs_t next = build(scope, dataset, saved);
  if (sli_scope_ok(scope)) sli_array_push(&scope->hooks, &saved->base);
  return next;
}
