#include "train/optimize/elastic_group.h"

#include <stdlib.h>

#include "train/cluster/train_server.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"

bool sli_elastic_group_is_used(const sl_server_t *server) {
  return server && sli_train_server_min_workers(server) > 0 && sli_train_server_replica_count(server) > 1;
}

static TF_Output make_variable(sl_scope_t *scope, const sl_server_t *server, const char *name) {
  TF_Output variable = {0};
  SL_DEVICE (scope, sl_server_device(server))
    variable = sli_train_variable_create_scalar(scope, name, TF_INT32, 0, SL_LOCAL_VARIABLES);
  return variable;
}

TF_Output sli_elastic_group_size(sl_scope_t *scope, const sl_server_t *server) {
  if (!scope->group.size.oper && sli_scope_ok(scope)) {
    scope->group.size = make_variable(scope, server, "all_reduce_size");
    scope->group.first = make_variable(scope, server, "all_reduce_first");
    scope->group.own = sli_train_server_replica_index(server);
  }
  return scope->group.size;
}

sl_node_t *sli_elastic_group_begin(sl_scope_t *scope, const char *op, const char *name, TF_Output tensor,
                                   TF_Output size) {
  TF_Output group = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), SLI_ELASTIC_GROUP_KEY, "group_key");
  TF_Output instance = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), ++scope->collectives, "instance_key");
  sl_node_t *node = sl_node_begin(scope, op, name);
  sl_node_input(node, tensor);
  sl_node_input(node, size);
  sl_node_input(node, group);
  sl_node_input(node, instance);
  sl_node_input_list(node, NULL, 0);
  return node;
}

static TF_Output reduce(sl_scope_t *scope, const char *merge, TF_Output tensor, TF_Output size) {
  sl_node_t *node = sli_elastic_group_begin(scope, "CollectiveReduceV2", NULL, tensor, size);
  sl_node_attr_text(node, "merge_op", merge);
  sl_node_attr_text(node, "final_op", "Id");
  return sl_node_output(node);
}

// ---- Whose variables -------------------------------------------------------------

// Whether this task is the member with the highest global step; of several, the first.
static TF_Output is_source(sl_scope_t *scope, const sl_server_t *server, TF_Output size) {
  double count = sli_train_server_replica_count(server);
  TF_Output step = sl_cast_with(scope, sl_global_step_with(scope), TF_INT64, NULL);
  TF_Output order = sli_build_number_right(scope, "Mul", "steps", step, count);
  order = sli_build_number_right(scope, "Add", "order", order, count - 1 - sli_train_server_replica_index(server));
  return sl_binary(scope, "Equal", "is_source", order, reduce(scope, "Max", order, size), NULL);
}

// The type in which values of |dtype| are reduced; 0: they cannot be.
static TF_DataType reduced_type(TF_DataType dtype) {
  switch (dtype) {
    case TF_FLOAT:
    case TF_DOUBLE:
    case TF_HALF:
    case TF_BFLOAT16:
    case TF_INT32:
    case TF_INT64: return dtype;
    case TF_BOOL:
    case TF_INT8:
    case TF_UINT8:
    case TF_INT16:
    case TF_UINT16: return TF_INT32;
    default: return 0;
  }
}

// Sets the variable to that of the source: the sum of its value and zeros.
static TF_Operation *take_variable(sl_scope_t *scope, const sl_variable_info_t *variable, TF_Output mine,
                                   TF_Output size) {
  TF_DataType reduced = reduced_type(variable->dtype);
  if (!reduced) {
    sli_scope_check(scope, sli_status_make(SLI_UNIMPLEMENTED,
                                           "variable '%s' must hold numbers of up to 64 bits: workers that join "
                                           "(--min_workers) take the others' by an all-reduce",
                                           variable->name));
    return NULL;
  }
  TF_Output value = variable->value;
  if (reduced != variable->dtype) value = sl_cast_with(scope, value, reduced, NULL);
  value = sli_build_select(scope, mine, value, sl_unary(scope, "ZerosLike", value, NULL));
  value = reduce(scope, "Add", value, size);
  if (reduced != variable->dtype) value = sl_cast_with(scope, value, variable->dtype, NULL);
  return sli_scope_ok(scope) ? sli_train_variable_update(scope, "Assign", variable, value, NULL, true).operation : NULL;
}

static TF_Operation *assign_number(sl_scope_t *scope, TF_Output variable, TF_Output value) {
  const sl_variable_info_t *info = sli_scope_ok(scope) ? sl_variable_info(scope, variable) : NULL;
  return info ? sli_train_variable_update(scope, "Assign", info, value, NULL, true).operation : NULL;
}

static TF_Output join_node(sl_scope_t *scope, const sl_server_t *server) {
  int most = sli_train_server_replica_count(server), least = sli_train_server_min_workers(server);
  sl_node_t *node = sl_node_begin(scope, "ElasticGroupJoin", "join");
  sl_node_attr_int(node, "group_key", SLI_ELASTIC_GROUP_KEY);
  sl_node_attr_int(node, "least_size", least < most ? least : most);
  sl_node_attr_int(node, "most_size", most);
  return sl_node_output(node);
}

// The operations that follow the join, |*out_count| of them. New.
static TF_Operation **take_all(sl_scope_t *scope, const sl_server_t *server, TF_Output size, size_t *out_count) {
  const TF_Output *variables = sl_collection_items(scope, SL_GLOBAL_VARIABLES);
  size_t count = sl_collection_count(scope, SL_GLOBAL_VARIABLES), used = 0;
  TF_Operation **operations = sli_calloc(count + 2, sizeof(*operations));
  TF_Output mine = is_source(scope, server, size);
  for (size_t i = 0; i < count && sli_scope_ok(scope); i++)
    operations[used++] = take_variable(scope, sl_variable_info(scope, variables[i]), mine, size);
  TF_Output own = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), scope->group.own, "own");
  operations[used++] = assign_number(scope, scope->group.first, reduce(scope, "Min", own, size));
  operations[used++] = assign_number(scope, scope->group.size, size);
  *out_count = used;
  return operations;
}

TF_Operation *sli_elastic_group_join(sl_scope_t *scope, const sl_server_t *server) {
  TF_Operation *result = NULL, **operations = NULL;
  size_t count = 0;
  sl_global_step_with(scope);  // a global variable, also if the program has none
  sli_elastic_group_size(scope, server);
  TF_Operation *local = sl_local_variables_initializer_with(scope);
  SL_NAME_SCOPE (scope, "elastic_group") {
    SL_DEVICE (scope, sl_server_device(server)) {
      TF_Output size = {0};
      SL_CONTROL_DEPENDENCIES (scope, local) size = join_node(scope, server);
      operations = take_all(scope, server, size, &count);
    }
    if (sli_scope_ok(scope)) result = sl_group_with(scope, operations, count, NULL);
  }
  free(operations);
  return result;
}
