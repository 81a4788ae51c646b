// Builds the nodes of a synchronous optimizer: first those of
// tf.train.SyncReplicasOptimizer, in its order, then the record of each replica on the
// ps, which Sluice adds.
#include "sluice/sync_replicas.h"

#include <stdlib.h>

#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"
#include "train/optimize/optimizer_internal.h"
#include "train/optimize/sync_replicas_internal.h"
#include "train/session/scaffold.h"
#include "train/session/session_claim.h"
#include "train/session/session_manager.h"

typedef const sl_variable_info_t *variable_t;

// The state while the graph is built.
typedef struct {
  sli_sync_replicas_t *sync;
  sl_scope_t *scope;
  variable_t step, local_step;
  const char *step_device;
  sli_outputs_t accumulators;
  sli_operations_t applies;   // add this replica's gradients to the accumulators
  sli_outputs_t queues;       // of tokens: one, or with strict one for each replica
  sl_gradients_t aggregated;  // the means, for the chief
  TF_Operation *update;       // applies the means
} sync_build_t;

// --- Queues of tokens ---

static TF_Output queue_node(sync_build_t *build, const char *name) {
  TF_DataType dtype = build->step->dtype;
  TF_Output queue = {0};
  SL_DEVICE (build->scope, "/device:CPU:*") {
    sl_node_t *node = sl_node_begin(build->scope, "FIFOQueueV2", name);
    sl_node_attr_type_list(node, "component_types", &dtype, 1);
    sl_node_attr_shape_list(node, "shapes", (const sl_shape_t[]){SL_SHAPE()}, 1);
    sl_node_attr_int(node, "capacity", -1);
    sl_node_attr_text(node, "shared_name", name);
    queue = sl_node_output(node);
  }
  return queue;
}

static void make_queues(sync_build_t *build) {
  int count = build->sync->options.strict ? build->sync->total : 1;
  for (int i = 0; i < count; i++) {
    char *name = build->sync->options.strict ? sli_format("sync_token_q_%d", i) : sli_strdup("sync_token_q");
    sli_array_push(&build->queues, queue_node(build, name));
    free(name);
  }
}

static TF_Output own_queue(const sync_build_t *build) {
  return build->queues.items[build->sync->options.strict ? build->sync->replica : 0];
}

static char *name_below(TF_Output queue, const char *suffix) {
  return sli_format("%s_%s", queue.oper ? TF_OperationName(queue.oper) : "queue", suffix);
}

static TF_Output dequeue(sync_build_t *build, TF_Output queue) {
  char *name = name_below(queue, "Dequeue");
  sl_node_t *node = sl_node_begin(build->scope, "QueueDequeueV2", name);
  sl_node_input(node, queue);
  sl_node_attr_type_list(node, "component_types", &build->step->dtype, 1);
  free(name);
  return sl_node_output(node);
}

static TF_Output count_constant(sync_build_t *build, int count) {
  int32_t dims[] = {count};
  return sl_constant_with(build->scope, TF_INT32, SL_SHAPE(1), dims, SL_OP_OPTIONS(.name = "dims"));
}

// Enqueues tokens that hold the current global step: |count|, or as many as |given| says, if that is an output.
static TF_Operation *enqueue(sync_build_t *build, TF_Output queue, int count, TF_Output given) {
  sl_scope_t *scope = build->scope;
  TF_Output tokens = {0};
  SL_NAME_SCOPE (scope, "Fill") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output dims = given.oper ? given : count_constant(build, count);
    tokens = sl_binary(scope, "Fill", whole, dims, sli_train_variable_current_value(scope, build->step), NULL);
    free(whole);
  }
  char *name = name_below(queue, "EnqueueMany");
  sl_node_t *node = sl_node_begin(scope, "QueueEnqueueManyV2", name);
  sl_node_input(node, queue);
  sl_node_input_list(node, &tokens, 1);
  free(name);
  return sl_node_finish(node);
}

// One operation that enqueues |count| tokens for all replicas (with strict: one for each). |given| has the number for
// each queue instead; NULL: none.
static TF_Operation *enqueue_all(sync_build_t *build, int count, const sli_outputs_t *given) {
  sli_operations_t operations = {0};
  for (size_t i = 0; i < build->queues.count; i++) {
    TF_Operation *operation = enqueue(build, build->queues.items[i], build->sync->options.strict ? 1 : count,
                                      given ? given->items[i] : (TF_Output){0});
    if (operation) sli_array_push(&operations, operation);
  }
  TF_Operation *all = NULL;
  if (sli_scope_ok(build->scope))
    all = operations.count == 1 ? operations.items[0]
                                : sl_group_with(build->scope, operations.items, operations.count, NULL);
  sli_array_deinitialize(&operations);
  return all;
}

// --- Gradients ---

// As in Python, ops that take a reference are colocated with it; the handle of a sparse accumulator is a reference.
static TF_Operation *finish_colocated(sync_build_t *build, sl_node_t *node, TF_Output accumulator, bool sparse) {
  TF_Operation *operation = NULL;
  if (!sparse || !accumulator.oper) return sl_node_finish(node);
  SL_COLOCATE_WITH(build->scope, accumulator.oper) { operation = sl_node_finish(node); }
  return operation;
}

static bool is_sparse(TF_Output accumulator) {
  return strcmp(TF_OperationOpType(accumulator.oper), "SparseConditionalAccumulator") == 0;
}

// As in Python, a |sparse| accumulator has no fixed shape.
static TF_Output accumulator_node(sync_build_t *build, variable_t variable, TF_DataType dtype, bool sparse) {
  char *shared = sli_format("%s:0/grad_accum", variable->name);
  sl_node_t *node =
      sl_node_begin(build->scope, sparse ? "SparseConditionalAccumulator" : "ResourceConditionalAccumulator",
                    sparse ? "sparse_conditional_accumulator" : "conditional_accumulator");
  sl_node_attr_type(node, "dtype", dtype);
  sl_node_attr_shape(node, "shape", sparse ? SL_SHAPE() : variable->shape);
  sl_node_attr_text(node, "shared_name", shared);
  sl_node_attr_text(node, "reduction_type", "MEAN");
  free(shared);
  return sl_node_output(node);
}

static TF_Output take_node(sync_build_t *build, TF_Output accumulator, TF_DataType dtype, bool sparse) {
  sl_scope_t *scope = build->scope;
  TF_Output mean = {0};
  const char *op = sparse ? "SparseAccumulatorTakeGradient" : "ResourceAccumulatorTakeGradient";
  SL_NAME_SCOPE (scope, "%s", op) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output required = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), build->sync->aggregate, "num_required");
    sl_node_t *node = sl_node_begin(scope, op, whole);
    sl_node_input(node, accumulator);
    sl_node_input(node, required);
    sl_node_attr_type(node, "dtype", dtype);
    mean.oper = finish_colocated(build, node, accumulator, sparse);
    free(whole);
  }
  return mean;
}

static TF_Operation *apply_node(sync_build_t *build, TF_Output accumulator, const sl_gradient_t *gradient) {
  sl_scope_t *scope = build->scope;
  bool sparse = gradient->indices.oper != NULL;
  TF_Output indices = {0}, shape = {0};
  if (sparse) {
    indices = sl_cast_with(scope, gradient->indices, TF_INT64, NULL);
    shape = sl_cast_with(scope, gradient->dense_shape, TF_INT64, NULL);
  }
  sl_node_t *node =
      sl_node_begin(scope, sparse ? "SparseAccumulatorApplyGradient" : "ResourceAccumulatorApplyGradient", NULL);
  sl_node_input(node, accumulator);
  sl_node_input(node, build->local_step->value);
  if (sparse) sl_node_input(node, indices);
  sl_node_input(node, gradient->gradient);
  if (sparse) sl_node_input(node, shape);
  if (sparse) sl_node_attr_bool(node, "has_known_shape", true);
  return finish_colocated(build, node, accumulator, sparse);
}

// Adds this replica's gradient to the accumulator of the variable, and takes the mean for the chief.
static void accumulate(sync_build_t *build, const sl_gradient_t *gradient, sl_gradient_t *out_mean) {
  sl_scope_t *scope = build->scope;
  variable_t variable = sl_variable_info(scope, gradient->variable);
  *out_mean = *gradient;
  if (!gradient->gradient.oper) return;
  TF_DataType dtype = sl_dtype(gradient->gradient);
  SL_DEVICE (scope, TF_OperationDevice(variable->reference.oper)) {
    bool sparse = gradient->indices.oper != NULL;
    TF_Output accumulator = accumulator_node(build, variable, dtype, sparse);
    TF_Operation *applied = apply_node(build, accumulator, gradient);
    if (applied) sli_array_push(&build->applies, applied);
    out_mean->gradient = take_node(build, accumulator, dtype, sparse);
    if (sparse) {  // indices, values, shape
      TF_Operation *taken = out_mean->gradient.oper;
      out_mean->indices = (TF_Output){taken, 0};
      out_mean->gradient = (TF_Output){taken, 1};
      out_mean->dense_shape = (TF_Output){taken, 2};
    }
    sli_array_push(&build->accumulators, accumulator);
  }
}

static void accumulate_all(sync_build_t *build, sl_gradients_t gradients) {
  build->aggregated =
      (sl_gradients_t){.count = gradients.count, .items = sli_calloc(gradients.count, sizeof(sl_gradient_t))};
  for (size_t i = 0; i < gradients.count && sli_scope_ok(build->scope); i++)
    accumulate(build, &gradients.items[i], &build->aggregated.items[i]);
}

// --- Steps ---

// Assigns the global step to the local step. A resource is read in the name scope of the op.
static TF_Operation *assign_step(sync_build_t *build) {
  sl_scope_t *scope = build->scope;
  TF_Operation *assign = NULL;
  if (!sli_train_variable_is_resource(build->step))
    return sli_train_variable_update_value(scope, "Assign", build->local_step, build->step->value, "Assign", true).oper;
  SL_NAME_SCOPE (scope, "Assign") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output step = sli_train_variable_current_value(scope, build->step);
    assign = sli_train_variable_update_value(scope, "Assign", build->local_step, step, whole, true).oper;
    free(whole);
  }
  return assign;
}

// Creates the local step, the step that this replica's next gradient belongs to, on the replica itself.
static void make_local_step(sync_build_t *build) {
  sl_scope_t *scope = build->scope;
  sl_sync_replicas_info_t *info = &build->sync->info;
  TF_Operation *anchor = sl_no_op_with(scope, NULL);
  if (!anchor) return;
  TF_Output local_step = {0};
  SL_COLOCATE_WITH(scope, anchor) {
    local_step =
        sli_train_variable_create_scalar(scope, "sync_rep_local_step", build->step->dtype, 0, SL_LOCAL_VARIABLES);
  }
  build->local_step = sl_variable_info(scope, local_step);
  if (!build->local_step) return;
  info->local_step_init_op = assign_step(build);
  info->ready_for_local_init_op = sli_scaffold_report_uninitialized_variables(
      scope, sl_collection_items(scope, SL_GLOBAL_VARIABLES), sl_collection_count(scope, SL_GLOBAL_VARIABLES));
}

// A worker's step: adds the gradients, then dequeues a token. Returns the assignment of the token to the local step.
static TF_Operation *worker_step(sync_build_t *build) {
  TF_Output token = {0};
  SL_BLOCK(sl_control_dependencies_enter(build->scope, build->applies.items, build->applies.count)) {
    token = dequeue(build, own_queue(build));
  }
  return sli_train_variable_update_value(build->scope, "Assign", build->local_step, token, "Assign", true).oper;
}

// The chief's step: takes the means, updates the variables, enqueues tokens.
static void chief_step(sync_build_t *build) {
  sli_sync_replicas_t *sync = build->sync;
  int tokens = sync->total > sync->aggregate ? sync->total : sync->aggregate;
  if (!build->update) return;
  SL_CONTROL_DEPENDENCIES (build->scope, build->update) {
    sync->sync_op = enqueue_all(build, tokens, NULL);
  }
  if (sync->sync_op)
    sync->info.chief_queue_runner = sl_queue_runner_with(build->scope, build->queues.items[0], &sync->sync_op, 1, NULL);
}

static TF_Operation *chief_init(sync_build_t *build) {
  sl_scope_t *scope = build->scope;
  sli_operations_t operations = {0};
  sli_array_push(&operations, build->sync->info.local_step_init_op);
  for (size_t i = 0; i < build->accumulators.count && sli_scope_ok(scope); i++) {
    TF_Output accumulator = build->accumulators.items[i];
    SL_DEVICE (scope, TF_OperationDevice(accumulator.oper)) {
      bool sparse = is_sparse(accumulator);
      TF_Output step = sli_train_variable_current_value(scope, build->step);
      sl_node_t *node = sl_node_begin(scope, sparse ? "AccumulatorSetGlobalStep" : "ResourceAccumulatorSetGlobalStep",
                                      "SetGlobalStep");
      sl_node_input(node, accumulator);
      sl_node_input(node, step);
      TF_Operation *set = finish_colocated(build, node, accumulator, sparse);
      if (set) sli_array_push(&operations, set);
    }
  }
  TF_Operation *group = NULL;
  if (sli_scope_ok(scope)) group = sl_group_with(scope, operations.items, operations.count, NULL);
  sli_array_deinitialize(&operations);
  return group;
}

// In a program that runs alone each step needs as many runs as gradients: with one more token a run would end before
// its step.
static int default_tokens(const sli_sync_replicas_t *sync) {
  if (sync->options.strict) return 0;
  return sli_train_server_cluster(sync->server) ? sync->aggregate : sync->aggregate - 1;
}

static TF_Operation *init_tokens(sync_build_t *build) {
  sli_sync_replicas_t *sync = build->sync;
  int given = sync->options.num_tokens, needed = sync->aggregate - sync->total;
  int tokens = given ? (given > 0 ? given : 0) : default_tokens(sync);
  if (tokens < needed)
    sl_scope_fail(build->scope, TF_INVALID_ARGUMENT,
                  "Too few tokens to finish the first step: %d (given) vs %d (needed)", tokens, needed);
  if (tokens > 0) return enqueue_all(build, tokens, NULL);
  return sl_no_op_with(build->scope, SL_OP_OPTIONS(.name = "no_init_tokens"));
}

// --- Records ---

static TF_Output record_variable(sync_build_t *build, const char *what, int replica, sl_shape_t shape) {
  char *name = sli_format("%s_%d", what, replica);
  sl_node_t *node = sl_node_begin(build->scope, "VariableV2", name);
  sl_node_attr_shape(node, "shape", shape);
  sl_node_attr_type(node, "dtype", TF_INT64);
  free(name);
  return sl_node_output(node);
}

static TF_Operation *build_update(sync_build_t *build, const char *op, TF_Output reference, TF_Output value) {
  sl_node_t *node = sl_node_begin(build->scope, op, NULL);
  sl_node_input(node, reference);
  sl_node_input(node, value);
  sl_node_attr_bool(node, "use_locking", build->sync->options.use_locking);
  return sl_node_finish(node);
}

static void make_record(sync_build_t *build, int replica) {
  sl_scope_t *scope = build->scope;
  sli_sync_replicas_record_t *record = &build->sync->records[replica];
  record->last = record_variable(build, "last", replica, SL_SHAPE());
  record->counts = record_variable(build, "counts", replica, SL_SHAPE(2));
  record->has_counts = sl_unary(scope, "IsVariableInitialized", record->counts, NULL);
  TF_Output nothing = sli_build_constant_fill(scope, TF_INT64, SL_SHAPE(2), 0, "zeros");
  TF_Output never = sli_build_constant_fill(scope, TF_INT64, SL_SHAPE(), -1, "never");
  TF_Operation *last = build_update(build, "Assign", record->last, never);
  if (!last) return;
  SL_CONTROL_DEPENDENCIES (scope, last) {
    record->initializer = build_update(build, "Assign", record->counts, nothing);
  }
}

// Records a gradient after it was added: as accepted if the global step has not advanced. Depends only on accumulators
// on the task of the step: replies from other tasks could arrive after the step that they complete.
static void note_gradient(sync_build_t *build, sli_operations_t *out_operations) {
  sl_scope_t *scope = build->scope;
  const sli_sync_replicas_record_t *record = &build->sync->records[build->sync->replica];
  sli_operations_t near = {0};
  for (size_t i = 0; i < build->applies.count; i++)
    if (strcmp(TF_OperationDevice(build->applies.items[i]), build->step_device) == 0)
      sli_array_push(&near, build->applies.items[i]);
  const sli_operations_t *added = near.count ? &near : &build->applies;
  SL_BLOCK(sl_control_dependencies_enter(scope, added->items, added->count)) {
    TF_Output own = sl_cast_with(scope, build->local_step->value, TF_INT64, NULL);
    TF_Output now = sl_cast_with(scope, sli_train_variable_read_node(scope, build->step, NULL), TF_INT64, NULL);
    TF_Output fresh = sl_binary(scope, "GreaterEqual", "GreaterEqual", own, now, NULL);
    TF_Output both[] = {sl_cast_with(scope, fresh, TF_INT64, NULL),
                        sl_cast_with(scope, sl_unary(scope, "LogicalNot", fresh, NULL), TF_INT64, NULL)};
    TF_Output pair = sli_build_pack(scope, both, 2, "Pack");
    TF_Operation *counted = build_update(build, "AssignAdd", record->counts, pair);
    TF_Operation *noted = build_update(build, "Assign", record->last, own);
    if (counted) sli_array_push(out_operations, counted);
    if (noted) sli_array_push(out_operations, noted);
  }
  sli_array_deinitialize(&near);
}

// Builds nodes that count the gradients of the step in each accumulator.
static void build_gradient_counts(sync_build_t *build) {
  for (size_t i = 0; i < build->accumulators.count && sli_scope_ok(build->scope); i++) {
    TF_Output accumulator = build->accumulators.items[i];
    bool sparse = is_sparse(accumulator);
    SL_DEVICE (build->scope, TF_OperationDevice(accumulator.oper)) {
      sl_node_t *node =
          sl_node_begin(build->scope, sparse ? "AccumulatorNumAccumulated" : "ResourceAccumulatorNumAccumulated", NULL);
      sl_node_input(node, accumulator);
      sli_array_push(&build->sync->accumulated, ((TF_Output){finish_colocated(build, node, accumulator, sparse), 0}));
    }
  }
}

// Lets |*operation| also initialise this replica's record, for programs that do not use the hook.
static void add_record_initializer(sync_build_t *build, TF_Operation **operation, const char *name) {
  TF_Operation *both[] = {*operation, build->sync->records[build->sync->replica].initializer};
  if (sli_scope_ok(build->scope)) *operation = sl_group_with(build->scope, both, 2, SL_OP_OPTIONS(.name = name));
}

// The chief's step with counts that can be fed. The counts of the other one follow the update, and a fed node follows
// nothing: the tokens would be enqueued before the update, with the step before it.
static void build_counted_step(sync_build_t *build) {
  sli_sync_replicas_t *sync = build->sync;
  for (size_t i = 0; i < build->queues.count; i++)
    sli_array_push(&sync->token_counts, count_constant(build, sync->options.strict ? 1 : sync->total));
  SL_CONTROL_DEPENDENCIES (build->scope, build->update) {
    sync->counted_op = enqueue_all(build, 0, &sync->token_counts);
  }
}

// Adds the records, which Python's graph does not have. Returns the worker's step with them.
static TF_Operation *add_records(sync_build_t *build, TF_Operation *step) {
  sl_scope_t *scope = build->scope;
  sli_sync_replicas_t *sync = build->sync;
  sli_operations_t operations = {0};
  sync->records = sli_calloc((size_t)sync->total, sizeof(*sync->records));
  SL_NAME_SCOPE (scope, "sync_replicas_records") {
    SL_DEVICE (scope, build->step_device) {
      for (int i = 0; i < sync->total; i++)
        if (sync->may_be_chief || i == sync->replica) make_record(build, i);
      note_gradient(build, &operations);
      SL_CONTROL_DEPENDENCIES (scope, build->update)
        sync->updated_step = sli_train_variable_read_node(scope, build->step, NULL);
    }
    SL_DEVICE (scope, build->step_device) {
      sync->waiting_tokens = sl_queue_size_with(scope, own_queue(build));
      sync->wake_op = enqueue_all(build, sync->total, NULL);
      if (!sync->options.strict) sync->return_op = enqueue_all(build, 1, NULL);
      if (sync->may_be_chief) build_counted_step(build);
    }
    if (sync->may_be_chief) build_gradient_counts(build);
    sli_array_push(&operations, step);
    if (sli_scope_ok(scope))
      step = sl_group_with(scope, operations.items, operations.count, SL_OP_OPTIONS(.name = "train"));
    sync->init_ops[0] = sync->info.local_step_init_op;
    sync->init_ops[1] = sync->info.chief_init_op;
    add_record_initializer(build, &sync->info.chief_init_op, "chief_init");
    add_record_initializer(build, &sync->info.local_step_init_op, "local_step_init");
  }
  sli_array_deinitialize(&operations);
  return step;
}

// --- The whole graph ---

static TF_Operation *build_all(sync_build_t *build, sl_gradients_t gradients) {
  sl_scope_t *scope = build->scope;
  sli_sync_replicas_t *sync = build->sync;
  TF_Operation *step = NULL;
  make_local_step(build);
  if (!build->local_step) return NULL;
  SL_NAME_SCOPE (scope, "%s", sync->name) {
    accumulate_all(build, gradients);
    SL_DEVICE (scope, build->step_device) {
      SL_NAME_SCOPE (scope, "%s", "") {
        build->update =
            sl_apply_gradients_with(scope, sync->inner, build->aggregated,
                                    SL_OPTIONS(sl_apply_gradients_options_t, .global_step = build->step->value));
        make_queues(build);
        step = worker_step(build);
        chief_step(build);
      }
    }
    sync->info.chief_init_op = chief_init(build);
  }
  if (!sli_scope_ok(scope)) return NULL;
  if (sync->may_be_chief) {
    SL_DEVICE (scope, build->step_device) {
      SL_NAME_SCOPE (scope, "%s", "") {
        sync->info.init_tokens_op = init_tokens(build);
      }
    }
  }
  return step ? add_records(build, step) : NULL;
}

static TF_Operation *apply_synchronously(sl_scope_t *scope, void *context, sl_gradients_t gradients,
                                         const sl_apply_gradients_options_t *options) {
  sli_sync_replicas_t *sync = context;
  variable_t step = sl_variable_info(scope, options->global_step);
  if (!step) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Global step is required to check staleness");
  if (sync->applied) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sync_replicas: gradients can be applied only once");
  if (!sli_scope_ok(scope)) return NULL;
  sync->applied = true;
  scope->is_synchronous = true;
  sync_build_t build = {
      .sync = sync, .scope = scope, .step = step, .step_device = TF_OperationDevice(step->reference.oper)};
  TF_Operation *train = build_all(&build, gradients);
  free(build.aggregated.items);
  sli_array_deinitialize(&build.accumulators);
  sli_array_deinitialize(&build.applies);
  sli_array_deinitialize(&build.queues);
  if (!sli_scope_ok(scope)) return NULL;
  sli_sync_replicas_add_hook(sync);
  return train;
}

static void destroy_sync(void *object) {
  sli_sync_replicas_t *sync = object;
  sli_array_deinitialize(&sync->accumulated);
  sli_array_deinitialize(&sync->token_counts);
  free(sync->records);
  free(sync->name);
  free(sync);
}

// --- Replicas and tasks ---

char *sli_sync_replicas_replica_name(const sli_sync_replicas_t *sync, int replica) {
  return sli_train_server_replica_name(sync->server, replica);
}

sl_optimizer_t *sl_sync_replicas_with(sl_scope_t *scope, sl_optimizer_t *optimizer, sl_server_t *server,
                                      const sl_sync_replicas_options_t *given) {
  sli_sync_replicas_t *sync = sli_calloc(1, sizeof(*sync));
  sli_call_options_copy(&sync->options, sizeof(sync->options), given);
  const sl_sync_replicas_options_t *options = &sync->options;
  sli_scope_own(scope, sync, destroy_sync);
  sync->scope = scope;
  sync->server = server;
  sync->inner = optimizer;
  sync->name = sli_strdup(options->name ? options->name : "sync_replicas");
  sync->is_chief = sli_session_manager_is_chief(options->chief, server);
  sync->may_be_chief = sync->is_chief || sli_session_claim_is_possible(server, options->chief, NULL);
  sync->total = options->total_num_replicas ? options->total_num_replicas : sli_train_server_replica_count(server);
  sync->aggregate = options->replicas_to_aggregate ? options->replicas_to_aggregate : sync->total;
  sync->replica = options->replica_id ? options->replica_id - 1 : sli_train_server_replica_index(server);
  if (sync->total < 1 || sync->aggregate < 1)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_sync_replicas: replicas_to_aggregate and total_num_replicas must be at least 1, got %d and %d",
                  sync->aggregate, sync->total);
  if (sync->replica < 0 || sync->replica >= sync->total)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_sync_replicas: replica_id must be 1 to %d, got %d", sync->total,
                  sync->replica + 1);
  if (options->strict && sync->aggregate > sync->total)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "sl_sync_replicas: with strict, replicas_to_aggregate must be at most %d, the number of replicas, "
                  "got %d",
                  sync->total, sync->aggregate);
  return sli_optimizer_wrap(scope, optimizer, apply_synchronously, sync, true);
}

const sl_sync_replicas_info_t *sl_sync_replicas_info(const sl_optimizer_t *optimizer) {
  const sli_sync_replicas_t *sync = sli_optimizer_wrapper_context(optimizer, apply_synchronously);
  return sync && sync->applied ? &sync->info : NULL;
}

sl_scaffold_t sl_sync_replicas_scaffold(const sl_optimizer_t *optimizer) {
  const sl_sync_replicas_info_t *info = sl_sync_replicas_info(optimizer);
  if (!info) return SL_SCAFFOLD();
  const sli_sync_replicas_t *sync = sli_optimizer_wrapper_context(optimizer, apply_synchronously);
  return SL_SCAFFOLD(.local_init_op = sync->is_chief ? info->chief_init_op : info->local_step_init_op,
                     .ready_for_local_init_op = info->ready_for_local_init_op);
}

void sl_sync_replicas_start(const sl_optimizer_t *optimizer, sl_supervisor_t *supervisor, sl_session_t *session) {
  const sl_sync_replicas_info_t *info = sl_sync_replicas_info(optimizer);
  if (!info || !sl_supervisor_is_chief(supervisor)) return;
  sl_supervisor_start_queue_runner(supervisor, info->chief_queue_runner);
  sl_run(session, SL_TARGET(info->init_tokens_op));
}

// --- Counts ---

sl_replica_counts_t sl_sync_replicas_counts(const sl_optimizer_t *optimizer, TF_Session *session, int replica,
                                            TF_Status *status) {
  const sli_sync_replicas_t *sync = sli_optimizer_wrapper_context(optimizer, apply_synchronously);
  if (sync && sync->records && replica >= 0 && replica < sync->total && sync->records[replica].initializer)
    return sli_sync_replicas_read_record(&sync->records[replica], session, status);
  char *text =
      sli_format("the counts of replica %d are not known in this task: the chief knows all, a worker its own", replica);
  TF_SetStatus(status, TF_INVALID_ARGUMENT, text);
  free(text);
  return (sl_replica_counts_t){0};
}

sl_replica_counts_t sli_sync_replicas_read_record(const sli_sync_replicas_record_t *record, TF_Session *session,
                                                  TF_Status *status) {
  sl_replica_counts_t result = {0};
  TF_Tensor *there = sli_tf_session_fetch(session, record->has_counts, status), *values[2] = {NULL};
  bool known = there && *(const bool *)TF_TensorData(there);
  if (known) {
    TF_Output outputs[] = {record->last, record->counts};
    TF_SessionRun(session, NULL, NULL, NULL, 0, outputs, values, 2, NULL, 0, NULL, status);
  }
  if (values[0] && values[1]) {
    const int64_t *last = TF_TensorData(values[0]), *counts = TF_TensorData(values[1]);
    result.is_known = true;
    if (last[0] >= 0)
      result = (sl_replica_counts_t){true, true, .last_step = last[0], .accepted = counts[0], .stale = counts[1]};
  }
  for (int i = 0; i < 2; i++)
    if (values[i]) TF_DeleteTensor(values[i]);
  if (there) TF_DeleteTensor(there);
  return result;
}
