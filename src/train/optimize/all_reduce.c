// Training without ps tasks. The nodes are TensorFlow's collective ops; all tasks build the same ones, so that the
// number of an op in its graph is its key.
#include "sluice/all_reduce.h"

#include <stdlib.h>

#include "sluice/node.h"
#include "train/cluster/train_server.h"
#include "train/common/call_options.h"
#include "train/graph/build.h"
#include "train/graph/scope.h"
#include "train/graph/variable.h"
#include "train/optimize/elastic_group.h"
#include "train/optimize/optimizer_internal.h"

enum { GROUP_KEY = 1 };
#define MAX_BUCKET_BYTES (INT64_C(64) << 20)
#define MIN_BUCKET_BYTES (INT64_C(1) << 20)
enum { DEFAULT_BUCKETS = 4 };

static void set_keys(sl_scope_t *scope, sl_node_t *node, const sl_server_t *server) {
  sl_node_attr_int(node, "group_size", sli_train_server_replica_count(server));
  sl_node_attr_int(node, "group_key", GROUP_KEY);
  sl_node_attr_int(node, "instance_key", ++scope->collectives);
}

// ---- All-reduce ------------------------------------------------------------------

TF_Output sl_all_reduce_with(sl_scope_t *scope, TF_Output tensor, const sl_server_t *server,
                             const sl_all_reduce_options_t *given) {
  static const char *const merges[] = {"Add", "Add", "Mul", "Max", "Min"};
  SLI_CALL_OPTIONS(sl_all_reduce_options_t, options, given);
  if (!sli_scope_ok(scope) || sli_train_server_replica_count(server) == 1) return tensor;
  if ((unsigned)options.kind > SL_ALL_REDUCE_MIN) {
    sli_scope_check(scope, sli_status_make(SLI_INVALID_ARGUMENT, "kind must be from 0 to %d, got %d", SL_ALL_REDUCE_MIN,
                                           (int)options.kind));
    return (TF_Output){0};
  }
  TF_Output result = {0};
  SL_DEVICE (scope, sl_server_device(server)) {
    bool is_elastic = sli_elastic_group_is_used(server);
    sl_node_t *node;
    if (is_elastic) {
      node = sli_elastic_group_begin(scope, "CollectiveReduceV2", options.name ? options.name : "CollectiveReduce",
                                     tensor, sli_elastic_group_size(scope, server));
    } else {
      node = sl_node_begin(scope, "CollectiveReduce", options.name);
      sl_node_input(node, tensor);
      set_keys(scope, node, server);
      sl_node_attr_int_list(node, "subdiv_offsets", (int64_t[]){0}, 1);
    }
    sl_node_attr_text(node, "merge_op", merges[options.kind]);
    sl_node_attr_text(node, "final_op", options.kind == SL_ALL_REDUCE_MEAN ? "Div" : "Id");
    sl_node_attr_float(node, "timeout_seconds", (float)options.timeout_secs);
    result = sl_node_output(node);
  }
  return result;
}

// ---- Broadcast -------------------------------------------------------------------

// Sends the variable, or receives and assigns it.
static TF_Operation *broadcast_variable(sl_scope_t *scope, const sl_server_t *server,
                                        const sl_variable_info_t *variable) {
  bool sends = sli_train_server_replica_index(server) == 0;
  TF_Operation *result = NULL;
  SL_DEVICE (scope, sl_server_device(server)) {
    sl_node_t *node = sl_node_begin(scope, sends ? "CollectiveBcastSend" : "CollectiveBcastRecv", NULL);
    if (sends) sl_node_input(node, variable->value);
    if (!sends) sl_node_attr_type(node, "T", variable->dtype);
    set_keys(scope, node, server);
    sl_node_attr_shape(node, "shape", variable->shape);
    TF_Output value = sl_node_output(node);
    if (sends || !sli_scope_ok(scope))
      result = value.oper;
    else
      result = sli_train_variable_update(scope, "Assign", variable, value, NULL, true).operation;
  }
  return result;
}

TF_Operation *sl_broadcast_variables_with(sl_scope_t *scope, const sl_server_t *server,
                                          const sl_broadcast_variables_options_t *given) {
  SLI_CALL_OPTIONS(sl_broadcast_variables_options_t, options, given);
  const TF_Output *variables = options.variables;
  size_t count = options.variable_count;
  if (!variables) {
    variables = sl_collection_items(scope, SL_GLOBAL_VARIABLES);
    count = sl_collection_count(scope, SL_GLOBAL_VARIABLES);
  }
  if (sli_train_server_replica_count(server) == 1) count = 0;
  if (sli_elastic_group_is_used(server))
    sli_scope_check(scope, sli_status_make(SLI_UNIMPLEMENTED,
                                           "sl_broadcast_variables cannot be used by workers that join and leave "
                                           "(--min_workers): sl_all_reduce_session does what it does"));
  TF_Operation **operations = sli_calloc(count + 1, sizeof(*operations)), *result = NULL;
  const char *name = options.name ? options.name : "broadcast_variables";
  SL_NAME_SCOPE (scope, "%s", name) {
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
      const sl_variable_info_t *variable = sli_train_variable_require(scope, variables[i], name);
      if (variable) operations[i] = broadcast_variable(scope, server, variable);
    }
  }
  if (sli_scope_ok(scope))
    result = sl_group_with(scope, operations, count,
                           &(sl_op_options_t){.struct_size = sizeof(sl_op_options_t), .name = name});
  free(operations);
  return result;
}

// ---- The optimizer ---------------------------------------------------------------

typedef struct {
  sl_optimizer_t *inner;
  const sl_server_t *server;
  char *name;
  int64_t bucket_bytes;
  sl_compression_t compression;
} averaging_t;

static void destroy_averaging(void *object) {
  averaging_t *averaging = object;
  free(averaging->name);
  free(averaging);
}

// Gradients of one type that are reduced as one vector.
typedef struct {
  TF_DataType dtype;
  int64_t bytes;
  SLI_ARRAY(size_t) places;  // in the list of gradients
  SLI_ARRAY(int64_t) counts;
} bucket_t;

static int64_t count_elements(sl_shape_t shape) {
  int64_t count = 1;
  if (shape.rank < 0) return -1;
  for (int i = 0; i < shape.rank; i++) {
    if (shape.dims[i] < 0) return -1;
    count *= shape.dims[i];
  }
  return count;
}

// |tensor| divided by the number of workers.
static TF_Output divided(sl_scope_t *scope, const averaging_t *averaging, TF_Output tensor) {
  if (!sli_elastic_group_is_used(averaging->server))
    return sli_build_scaled(scope, 1.0 / sli_train_server_replica_count(averaging->server), tensor);
  TF_Output size = sli_elastic_group_size(scope, averaging->server);
  TF_DataType dtype = sli_scope_ok(scope) ? TF_OperationOutputType(tensor) : TF_FLOAT;
  return sl_binary(scope, "RealDiv", "mean", tensor, sl_cast_with(scope, size, dtype, NULL), NULL);
}

// The mean of |tensor|. If it travels in fewer bits it is divided before, so that the sum does not overflow.
static TF_Output mean_of(sl_scope_t *scope, const averaging_t *averaging, TF_Output tensor) {
  static const TF_DataType types[] = {0, TF_HALF, TF_BFLOAT16};
  TF_DataType dtype = sli_scope_ok(scope) ? TF_OperationOutputType(tensor) : TF_FLOAT;
  bool is_compressed = averaging->compression && (dtype == TF_FLOAT || dtype == TF_DOUBLE);
  if (!is_compressed) return sl_all_reduce(scope, tensor, averaging->server, .kind = SL_ALL_REDUCE_MEAN);
  tensor = divided(scope, averaging, tensor);
  tensor = sl_cast_with(scope, tensor, types[averaging->compression], NULL);
  tensor = sl_all_reduce(scope, tensor, averaging->server);
  return sl_cast_with(scope, tensor, dtype, NULL);
}

// One gradient alone is reduced as it is.
static void reduce_one(sl_scope_t *scope, const averaging_t *averaging, sl_gradient_t *gradient) {
  gradient->gradient = mean_of(scope, averaging, gradient->gradient);
}

// ---- Rows ------------------------------------------------------------------------

// Concatenates the tensors of all tasks, which must have the same shape.
static TF_Output gather(sl_scope_t *scope, const averaging_t *averaging, TF_Output tensor) {
  if (sli_elastic_group_is_used(averaging->server))
    return sl_node_output(sli_elastic_group_begin(scope, "CollectiveGatherV2", NULL, tensor,
                                                  sli_elastic_group_size(scope, averaging->server)));
  sl_node_t *node = sl_node_begin(scope, "CollectiveGather", NULL);
  sl_node_input(node, tensor);
  set_keys(scope, node, averaging->server);
  sl_node_attr_shape(node, "shape", (sl_shape_t){.rank = -1});
  return sl_node_output(node);
}

// Adds |missing| rows of zeros, an int32 vector of one element.
static TF_Output pad_rows(sl_scope_t *scope, TF_Output tensor, TF_Output missing, int rank) {
  TF_Output before = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(1), 0, "before");
  TF_Output others = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(2 * (rank - 1)), 0, "others");
  TF_Output flat = sli_build_concat(scope, (TF_Output[]){before, missing, others}, 3, 0, "paddings");
  sl_node_t *node = sl_node_begin(scope, "Pad", NULL);
  sl_node_input(node, tensor);
  sl_node_input(node, sl_reshape_with(scope, flat, SL_SHAPE(rank, 2), NULL));
  return sl_node_output(node);
}

// The positions of the rows that are not padding, among those of tasks with |lengths| rows, padded to |most|.
static TF_Output real_rows(sl_scope_t *scope, const averaging_t *averaging, TF_Output lengths, TF_Output most) {
  const sl_server_t *server = averaging->server;
  TF_Output tasks =
      sli_elastic_group_is_used(server)
          ? sli_elastic_group_size(scope, server)
          : sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), sli_train_server_replica_count(server), "tasks");
  TF_Output places = sli_build_range(scope, 0, sl_binary(scope, "Mul", "all", tasks, most, NULL));
  TF_Output owner = sl_binary(scope, "FloorDiv", "owner", places, most, NULL);
  TF_Output length = sli_build_gather_rows(scope, lengths, owner, "length");
  TF_Output is_real =
      sl_binary(scope, "Less", "is_real", sl_binary(scope, "FloorMod", "row", places, most, NULL), length, NULL);
  return sli_build_squeeze(scope, sl_unary(scope, "Where", is_real, NULL), 1);
}

// The rows of all tasks, which may have a different number of them; each is divided by the number of tasks.
static void gather_rows(sl_scope_t *scope, const averaging_t *averaging, sl_gradient_t *gradient, int rank) {
  TF_Output rows = gradient->gradient, length = sl_shape_of_with(scope, gradient->indices, NULL);
  TF_DataType dtype = sli_scope_ok(scope) ? TF_OperationOutputType(rows) : TF_FLOAT;
  if (dtype == TF_BFLOAT16) rows = sl_cast_with(scope, rows, TF_FLOAT, NULL);  // which a gather does not have
  TF_Output lengths = gather(scope, averaging, length);
  TF_Output most = sl_max(scope, lengths);
  TF_Output missing = sl_binary(scope, "Sub", "missing", most, length, NULL);
  TF_Output all_rows = gather(scope, averaging, pad_rows(scope, rows, missing, rank));
  TF_Output all_indices = gather(scope, averaging, pad_rows(scope, gradient->indices, missing, 1));
  TF_Output real = real_rows(scope, averaging, lengths, most);
  rows = sli_build_gather_rows(scope, all_rows, real, "rows");
  rows = divided(scope, averaging, rows);
  if (dtype == TF_BFLOAT16) rows = sl_cast_with(scope, rows, dtype, NULL);
  gradient->gradient = rows;
  gradient->indices = sli_build_gather_rows(scope, all_indices, real, "indices");
}

// ---- Buckets ---------------------------------------------------------------------

static TF_Output split_node(sl_scope_t *scope, TF_Output whole, const bucket_t *bucket) {
  int64_t count = (int64_t)bucket->counts.count;
  TF_Tensor *sizes = TF_AllocateTensor(TF_INT64, &count, 1, (size_t)count * sizeof(int64_t));
  memcpy(TF_TensorData(sizes), bucket->counts.items, (size_t)count * sizeof(int64_t));
  TF_Output lengths = sli_build_constant_tensor(scope, sizes, "sizes");
  TF_Output axis = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), 0, "axis");
  sl_node_t *node = sl_node_begin(scope, "SplitV", "split");
  sl_node_input(node, whole);
  sl_node_input(node, lengths);
  sl_node_input(node, axis);
  sl_node_attr_int(node, "num_split", count);
  return sl_node_output(node);
}

// Reduces the gradients of a bucket together, and empties it.
static void reduce_bucket(sl_scope_t *scope, const averaging_t *averaging, sl_gradient_t *gradients, bucket_t *bucket) {
  size_t count = bucket->places.count;
  if (count == 1) reduce_one(scope, averaging, &gradients[bucket->places.items[0]]);
  if (count > 1) {
    TF_Output *flat = sli_calloc(count, sizeof(*flat));
    for (size_t i = 0; i < count; i++)
      flat[i] =
          sl_reshape_with(scope, gradients[bucket->places.items[i]].gradient, SL_SHAPE(bucket->counts.items[i]), NULL);
    TF_Output whole = sli_build_concat(scope, flat, count, 0, "bucket");
    whole = mean_of(scope, averaging, whole);
    TF_Output parts = split_node(scope, whole, bucket);
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
      sl_gradient_t *gradient = &gradients[bucket->places.items[i]];
      const sl_variable_info_t *variable = sl_variable_info(scope, gradient->variable);
      gradient->gradient = sl_reshape_with(scope, (TF_Output){parts.oper, (int)i}, variable->shape, NULL);
    }
    free(flat);
  }
  bucket->bytes = 0;
  bucket->places.count = bucket->counts.count = 0;
}

// A gradient and when it is computed.
typedef struct {
  size_t place;    // in the list of gradients
  size_t created;  // the number of its node in the graph
} order_t;

static int compare_orders(const void *a, const void *b) {
  const order_t *x = a, *y = b;
  return x->created < y->created ? -1 : x->created > y->created;
}

// The gradients in the order in which back-propagation made their nodes, and will compute them. New.
static order_t *order_gradients(sl_scope_t *scope, const sl_gradient_t *gradients, size_t count) {
  order_t *orders = sli_calloc(count + 1, sizeof(*orders));
  for (size_t i = 0; i < count; i++) orders[i].place = i;
  size_t position = 0, created = 0;
  for (TF_Operation *node; (node = TF_GraphNextOperation(sl_scope_graph(scope), &position)); created++)
    for (size_t i = 0; i < count; i++)
      if (gradients[i].gradient.oper == node) orders[i].created = created;
  qsort(orders, count, sizeof(*orders), compare_orders);
  return orders;
}

// By default a model has several buckets, so that most of them are reduced while others are still computed.
static int64_t choose_bucket_bytes(sl_scope_t *scope, const sl_gradient_t *gradients, size_t count) {
  int64_t total = 0;
  for (size_t i = 0; i < count; i++) {
    const sl_variable_info_t *variable = sl_variable_info(scope, gradients[i].variable);
    int64_t elements = gradients[i].indices.oper ? 0 : count_elements(variable->shape);
    if (elements > 0) total += elements * (int64_t)TF_DataTypeSize(variable->dtype);
  }
  int64_t bytes = total / DEFAULT_BUCKETS;
  if (bytes < MIN_BUCKET_BYTES) return MIN_BUCKET_BYTES;
  return bytes < MAX_BUCKET_BYTES ? bytes : MAX_BUCKET_BYTES;
}

static void average(sl_scope_t *scope, const averaging_t *averaging, sl_gradient_t *gradients, size_t count) {
  bucket_t bucket = {0};
  order_t *orders = order_gradients(scope, gradients, count);
  int64_t most = averaging->bucket_bytes ? averaging->bucket_bytes : choose_bucket_bytes(scope, gradients, count);
  for (size_t k = 0; k < count && sli_scope_ok(scope); k++) {
    size_t i = orders[k].place;
    const sl_variable_info_t *variable = sl_variable_info(scope, gradients[i].variable);
    if (!gradients[i].gradient.oper) continue;
    int64_t elements = count_elements(variable->shape);
    if (gradients[i].indices.oper) {
      gather_rows(scope, averaging, &gradients[i], variable->shape.rank);
      continue;
    }
    if (elements < 0) {
      reduce_one(scope, averaging, &gradients[i]);
      continue;
    }
    int64_t bytes = elements * (int64_t)TF_DataTypeSize(variable->dtype);
    if (bucket.places.count && (bucket.dtype != variable->dtype || bucket.bytes + bytes > most))
      reduce_bucket(scope, averaging, gradients, &bucket);
    bucket.dtype = variable->dtype;
    bucket.bytes += bytes;
    sli_array_push(&bucket.places, i);
    sli_array_push(&bucket.counts, elements);
  }
  if (sli_scope_ok(scope)) reduce_bucket(scope, averaging, gradients, &bucket);
  free(orders);
  sli_array_deinitialize(&bucket.places);
  sli_array_deinitialize(&bucket.counts);
}

// Lets no gradient be used before all are there: if a member is lost, each of the others has taken the whole step or
// nothing of it.
static void use_together(sl_scope_t *scope, sl_gradient_t *gradients, size_t count) {
  TF_Operation **operations = sli_calloc(count + 1, sizeof(*operations));
  size_t used = 0;
  for (size_t i = 0; i < count; i++)
    if (gradients[i].gradient.oper) operations[used++] = gradients[i].gradient.oper;
  SL_BLOCK(sl_control_dependencies_enter(scope, operations, used)) {
    for (size_t i = 0; i < count && sli_scope_ok(scope); i++)
      if (gradients[i].gradient.oper)
        gradients[i].gradient = sl_unary(scope, "Identity", gradients[i].gradient, SL_OP_OPTIONS(.name = "mean"));
  }
  free(operations);
}

static TF_Operation *apply_averaged(sl_scope_t *scope, void *context, sl_gradients_t gradients,
                                    const sl_apply_gradients_options_t *options) {
  averaging_t *averaging = context;
  sl_gradient_t *items = sli_calloc(gradients.count + 1, sizeof(*items));
  sli_scope_own(scope, items, free);
  for (size_t i = 0; i < gradients.count; i++) items[i] = gradients.items[i];
  if (sli_train_server_replica_count(averaging->server) > 1)
    SL_NAME_SCOPE (scope, "%s", averaging->name) {
      average(scope, averaging, items, gradients.count);
      if (sli_elastic_group_is_used(averaging->server)) use_together(scope, items, gradients.count);
    }
  if (!sli_scope_ok(scope)) return NULL;
  return sl_apply_gradients_with(scope, averaging->inner, (sl_gradients_t){gradients.count, items}, options);
}

sl_optimizer_t *sl_all_reduce_optimizer_with(sl_scope_t *scope, sl_optimizer_t *optimizer, const sl_server_t *server,
                                             const sl_all_reduce_optimizer_options_t *given) {
  SLI_CALL_OPTIONS(sl_all_reduce_optimizer_options_t, options, given);
  if (options.bucket_bytes < 0)
    sli_scope_check(scope, sli_status_make(SLI_INVALID_ARGUMENT, "bucket_bytes must be at least 0, got %lld",
                                           (long long)options.bucket_bytes));
  if ((unsigned)options.compression > SL_COMPRESSION_BFLOAT16)
    sli_scope_check(scope, sli_status_make(SLI_INVALID_ARGUMENT, "compression must be from 0 to %d, got %d",
                                           SL_COMPRESSION_BFLOAT16, (int)options.compression));
  averaging_t *averaging = sli_calloc(1, sizeof(*averaging));
  *averaging = (averaging_t){.inner = optimizer,
                             .server = server,
                             .name = sli_strdup(options.name ? options.name : "all_reduce"),
                             .bucket_bytes = options.bucket_bytes,
                             .compression = options.compression};
  sli_scope_own(scope, averaging, destroy_averaging);
  return sli_optimizer_wrap(scope, optimizer, apply_averaged, averaging, true);
}

// ---- The session -----------------------------------------------------------------

sl_session_t *sl_all_reduce_session_with(sl_scope_t *scope, sl_server_t *server, const sl_session_options_t *given) {
  SLI_CALL_OPTIONS(sl_session_options_t, options, given);
  options.struct_size = sizeof(options);
  sl_scaffold_t scaffold = SL_SCAFFOLD();
  if (options.scaffold) {
    SLI_CALL_OPTIONS(sl_scaffold_t, own, options.scaffold);
    own.struct_size = sizeof(own);
    scaffold = own;
  }
  if (sli_train_server_replica_count(server) > 1) {
    bool is_elastic = sli_elastic_group_is_used(server), is_chief = sli_train_server_replica_index(server) == 0;
    if (scaffold.local_init_op)
      sli_scope_check(scope, sli_status_make(SLI_INVALID_ARGUMENT,
                                             "local_init_op must not be set: the session broadcasts the variables "
                                             "with it"));
    if (is_elastic) {
      scaffold.local_init_op = sli_elastic_group_join(scope, server);
    } else {
      TF_Operation *operations[] = {sl_broadcast_variables_with(scope, server, NULL),
                                    sl_local_variables_initializer_with(scope)};
      if (sli_scope_ok(scope)) scaffold.local_init_op = sl_group_with(scope, operations, 2, NULL);
    }
    options.chief = SL_CHIEF;
    // Of workers that join and leave, any may have to save.
    if (!is_chief && !is_elastic) options.checkpoint_dir = NULL;
    options.scaffold = &scaffold;
  }
  return sl_monitored_training_session_with(scope, server, &options);
}
