// Exponential moving averages: a slot and an AssignSub for each variable.
#include "sluice/moving_average.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"

typedef struct {
  TF_Output variable, shadow;  // |variable| may be any value
} average_pair_t;

struct sl_moving_average {
  sl_scope_t *scope;
  char *name;
  double decay;
  TF_Output num_updates;
  SLI_ARRAY(average_pair_t) pairs;
  SLI_ARRAY(char *) names;  // that were returned to the program
};

static void destroy_average(void *object) {
  sl_moving_average_t *average = object;
  for (size_t i = 0; i < average->names.count; i++) free(average->names.items[i]);
  sli_array_deinitialize(&average->names);
  sli_array_deinitialize(&average->pairs);
  free(average->name);
  free(average);
}

sl_moving_average_t *sl_moving_average_with(sl_scope_t *scope, double decay, const sl_moving_average_options_t *given) {
  SLI_CALL_OPTIONS(sl_moving_average_options_t, options, given);
  sl_moving_average_t *average = sli_calloc(1, sizeof(*average));
  average->scope = scope;
  average->name = sli_strdup(options.name ? options.name : "ExponentialMovingAverage");
  average->decay = decay;
  average->num_updates = options.num_updates;
  sli_scope_own(scope, average, destroy_average);
  return average;
}

TF_Output sl_moving_average_of(const sl_moving_average_t *average, TF_Output variable) {
  for (size_t i = 0; i < average->pairs.count; i++)
    if (average->pairs.items[i].variable.oper == variable.oper &&
        average->pairs.items[i].variable.index == variable.index)
      return average->pairs.items[i].shadow;
  return (TF_Output){0};
}

// The name of the average of |info| in checkpoints; owned by |average|.
static const char *shadow_name(sl_moving_average_t *average, const sl_variable_info_t *info) {
  char *name = sli_format("%s/%s", info->saved_name, average->name);
  sli_array_push(&average->names, name);
  return name;
}

const char *sl_moving_average_name(sl_moving_average_t *average, TF_Output variable) {
  const sl_variable_info_t *info = sl_variable_info(average->scope, variable);
  TF_Output shadow = sl_moving_average_of(average, variable);
  if (info) return shadow.oper ? shadow_name(average, info) : info->saved_name;
  return shadow.oper ? sl_variable_info(average->scope, shadow)->saved_name : "";
}

typedef struct {
  sli_outputs_t variables;
  SLI_ARRAY(const char *) names;
  sli_map_t taken;  // the variables and names in the list
} restore_list_t;

static void add_restored(restore_list_t *restore, const sl_variable_info_t *info, const char *name) {
  if (!sli_map_insert(&restore->taken, sli_view(info->name), restore)) return;
  sli_map_insert(&restore->taken, sli_view(name), restore);
  sli_array_push(&restore->variables, info->value);
  sli_array_push(&restore->names, name);
}

sl_restore_map_t sl_moving_average_variables_to_restore(sl_moving_average_t *average, sl_outputs_t variables) {
  static const char *const averaged[] = {SL_TRAINABLE_VARIABLES, SL_MOVING_AVERAGE_VARIABLES};
  sl_scope_t *scope = average->scope;
  restore_list_t restore = {0};
  for (size_t i = 0; i < (variables.count ? 1 : SLI_ARRAY_COUNT_OF(averaged)); i++) {
    sl_outputs_t list = variables.count ? variables : sl_collection(scope, averaged[i], NULL);
    for (size_t j = 0; j < list.count; j++) {
      const sl_variable_info_t *info =
          sli_train_variable_require(scope, list.items[j], "sl_moving_average_variables_to_restore");
      if (info) add_restored(&restore, info, shadow_name(average, info));
    }
  }
  sl_outputs_t all = sl_collection(scope, SL_GLOBAL_VARIABLES, NULL);
  for (size_t i = 0; i < all.count; i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, all.items[i]);
    bool is_shadow = info && sli_map_find(&restore.taken, sli_view(info->saved_name));
    if (info && !is_shadow) add_restored(&restore, info, info->saved_name);
  }
  sl_outputs_t kept = sli_scope_copy_outputs(scope, restore.variables.items, restore.variables.count);
  if (restore.names.items) sli_scope_own(scope, (void *)restore.names.items, free);
  sli_array_deinitialize(&restore.variables);
  sli_map_deinitialize(&restore.taken);
  return (sl_restore_map_t){kept.count, kept.items, restore.names.items};
}

// The value of a variable is read when it is used, after the control dependencies of the average.
static TF_Output current_value(sl_scope_t *scope, TF_Output value) {
  const sl_variable_info_t *info = sl_variable_info(scope, value);
  return info ? sli_train_variable_current_value(scope, info) : value;
}

static TF_Output build_decay(sl_moving_average_t *average) {
  sl_scope_t *scope = average->scope;
  TF_Output decay = sli_build_constant_fill(scope, TF_FLOAT, SL_SHAPE(), average->decay, "decay");
  if (!average->num_updates.oper) return decay;
  TF_Output updates = {0};
  SL_NAME_SCOPE (scope, "num_updates") {
    char *whole = sli_build_scope_node_name(scope);
    updates = sl_cast_with(scope, current_value(scope, average->num_updates), TF_FLOAT, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  TF_Output above = sli_build_number_left(scope, "AddV2", "add", 1, updates);
  TF_Output below = sli_build_number_left(scope, "AddV2", "add", 10, updates);
  TF_Output start = sl_binary(scope, "RealDiv", "truediv", above, below, NULL);
  return sl_binary(scope, "Minimum", "Minimum", decay, start, NULL);
}

static TF_Operation *build_move(sl_scope_t *scope, const average_pair_t *pair, TF_Output decay) {
  const sl_variable_info_t *shadow = sl_variable_info(scope, pair->shadow);
  TF_Operation *moved = NULL;
  SL_NAME_SCOPE (scope, "AssignMovingAvg") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output rate = sli_build_number_left(scope, "Sub", "sub", 1, sl_cast_with(scope, decay, shadow->dtype, NULL));
    TF_Output before = sli_train_variable_current_value(scope, shadow), difference = {0};
    SL_NAME_SCOPE (scope, "sub") {
      char *own = sli_build_scope_node_name(scope);
      difference = sl_binary(scope, "Sub", own, before, current_value(scope, pair->variable), NULL);
      free(own);
    }
    TF_Output change = sl_binary(scope, "Mul", "mul", difference, rate, NULL);
    const char *name = sli_train_variable_is_resource(shadow) ? NULL : whole;
    moved = sli_train_variable_update(scope, "AssignSub", shadow, change, name, false).operation;
    free(whole);
  }
  return moved;
}

// The average of a variable has the variable's initial value; that of any other value starts as 0.
static TF_Output create_shadow(sl_moving_average_t *average, TF_Output value) {
  sl_scope_t *scope = average->scope;
  const sl_variable_info_t *info = sl_variable_info(scope, value);
  if (!value.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_moving_average_apply: a variable must not be empty");
  if (value.oper && !sli_tf_type_is_floating(sl_dtype(value)))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "The variables must be half, float, or double: %s",
                  TF_OperationName(value.oper));
  if (sli_scope_ok(scope) && sl_moving_average_of(average, value).oper)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Moving average already computed for: %s",
                  info ? info->name : TF_OperationName(value.oper));
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  if (!info) return sli_train_variable_create_value_slot(scope, value, average->name);
  sl_collection_add(scope, SL_MOVING_AVERAGE_VARIABLES, value);
  return sli_train_variable_create_slot_from(scope, info, average->name, info->initial_value);
}

TF_Operation *sl_moving_average_apply_with(sl_moving_average_t *average, sl_outputs_t variables) {
  sl_scope_t *scope = average->scope;
  size_t first = average->pairs.count;
  for (size_t i = 0; i < variables.count; i++) {
    TF_Output shadow = create_shadow(average, variables.items[i]);
    if (!shadow.oper) return NULL;
    sli_array_push(&average->pairs, (average_pair_t){variables.items[i], shadow});
  }
  TF_Operation *all = NULL;
  SL_NAME_SCOPE (scope, "%s", average->name) {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output decay = build_decay(average);
    sli_operations_t moves = {0};
    for (size_t i = first; i < average->pairs.count; i++) {
      TF_Operation *moved = build_move(scope, &average->pairs.items[i], decay);
      if (moved) sli_array_push(&moves, moved);
    }
    if (sli_scope_ok(scope)) all = sl_group_with(scope, moves.items, moves.count, SL_OP_OPTIONS(.name = whole));
    sli_array_deinitialize(&moves);
    free(whole);
  }
  return all;
}
