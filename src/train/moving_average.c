// Exponential moving averages: one slot per variable and one AssignSub.
#include "sluice/moving_average.h"

#include <stdlib.h>

#include "train/ops_internal.h"
#include "train/options_internal.h"
#include "train/variable_internal.h"

typedef struct {
  TF_Output variable, shadow;  // or any value
} pair_t;

struct sl_moving_average {
  sl_scope_t *scope;
  char *name;
  double decay;
  TF_Output num_updates;
  SLI_ARRAY(pair_t) pairs;
  SLI_ARRAY(char *) names;  // handed out
};

static void destroy(void *object) {
  sl_moving_average_t *average = object;
  for (size_t i = 0; i < average->names.count; i++) free(average->names.items[i]);
  sli_array_deinitialize(&average->names);
  sli_array_deinitialize(&average->pairs);
  free(average->name);
  free(average);
}

sl_moving_average_t *sl_moving_average_with(sl_scope_t *scope, double decay, const sl_moving_average_options_t *given) {
  SLI_READ_OPTIONS(sl_moving_average_options_t, options, given);
  sl_moving_average_t *average = sli_calloc(1, sizeof(*average));
  average->scope = scope;
  average->name = sli_strdup(options.name ? options.name : "ExponentialMovingAverage");
  average->decay = decay;
  average->num_updates = options.num_updates;
  sli_scope_own(scope, average, destroy);
  return average;
}

TF_Output sl_moving_average_of(const sl_moving_average_t *average, TF_Output variable) {
  for (size_t i = 0; i < average->pairs.count; i++)
    if (average->pairs.items[i].variable.oper == variable.oper &&
        average->pairs.items[i].variable.index == variable.index)
      return average->pairs.items[i].shadow;
  return (TF_Output){0};
}

// What the average of |info| is called in checkpoints; the average's.
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
  sli_map_t taken;  // variables and names that are in it
} restore_t;

static void restore_as(restore_t *restore, const sl_variable_info_t *info, const char *name) {
  if (!sli_map_insert(&restore->taken, sli_view(info->name), restore)) return;
  sli_map_insert(&restore->taken, sli_view(name), restore);
  sli_array_push(&restore->variables, info->value);
  sli_array_push(&restore->names, name);
}

sl_restore_map_t sl_moving_average_variables_to_restore(sl_moving_average_t *average, sl_outputs_t variables) {
  static const char *const averaged[] = {SL_TRAINABLE_VARIABLES, SL_MOVING_AVERAGE_VARIABLES};
  sl_scope_t *scope = average->scope;
  restore_t restore = {0};
  for (size_t i = 0; i < (variables.count ? 1 : SLI_COUNT_OF(averaged)); i++) {
    sl_outputs_t list = variables.count ? variables : sl_collection(scope, averaged[i], NULL);
    for (size_t j = 0; j < list.count; j++) {
      const sl_variable_info_t *info =
          sli_variable_need(scope, list.items[j], "sl_moving_average_variables_to_restore");
      if (info) restore_as(&restore, info, shadow_name(average, info));
    }
  }
  sl_outputs_t all = sl_collection(scope, SL_GLOBAL_VARIABLES, NULL);
  for (size_t i = 0; i < all.count; i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, all.items[i]);
    bool is_shadow = info && sli_map_find(&restore.taken, sli_view(info->saved_name));
    if (info && !is_shadow) restore_as(&restore, info, info->saved_name);
  }
  sl_outputs_t kept = sli_scope_outputs(scope, restore.variables.items, restore.variables.count);
  if (restore.names.items) sli_scope_own(scope, (void *)restore.names.items, free);
  sli_array_deinitialize(&restore.variables);
  sli_map_deinitialize(&restore.taken);
  return (sl_restore_map_t){kept.count, kept.items, restore.names.items};
}

// A variable's value is read when it is needed: after what the average waits for.
static TF_Output current(sl_scope_t *scope, TF_Output value) {
  const sl_variable_info_t *info = sl_variable_info(scope, value);
  return info ? sli_variable_now(scope, info) : value;
}

static TF_Output decay_now(sl_moving_average_t *average) {
  sl_scope_t *scope = average->scope;
  TF_Output decay = sli_constant_fill(scope, TF_FLOAT, SL_SHAPE(), average->decay, "decay");
  if (!average->num_updates.oper) return decay;
  TF_Output updates = {0};
  SL_NAME_SCOPE (scope, "num_updates") {
    char *whole = sli_scope_own_name(scope);
    updates = sl_cast_with(scope, current(scope, average->num_updates), TF_FLOAT, SL_OP_OPTIONS(.name = whole));
    free(whole);
  }
  TF_Output above = sli_number_left(scope, "AddV2", "add", 1, updates);
  TF_Output below = sli_number_left(scope, "AddV2", "add", 10, updates);
  TF_Output start = sl_binary(scope, "RealDiv", "truediv", above, below, NULL);
  return sl_binary(scope, "Minimum", "Minimum", decay, start, NULL);
}

static TF_Operation *move(sl_scope_t *scope, const pair_t *pair, TF_Output decay) {
  const sl_variable_info_t *shadow = sl_variable_info(scope, pair->shadow);
  TF_Operation *moved = NULL;
  SL_NAME_SCOPE (scope, "AssignMovingAvg") {
    char *whole = sli_scope_own_name(scope);
    TF_Output rate = sli_number_left(scope, "Sub", "sub", 1, sl_cast_with(scope, decay, shadow->dtype, NULL));
    TF_Output before = sli_variable_now(scope, shadow), difference = {0};
    SL_NAME_SCOPE (scope, "sub") {
      char *own = sli_scope_own_name(scope);
      difference = sl_binary(scope, "Sub", own, before, current(scope, pair->variable), NULL);
      free(own);
    }
    TF_Output change = sl_binary(scope, "Mul", "mul", difference, rate, NULL);
    const char *name = sli_variable_is_resource(shadow) ? NULL : whole;
    moved = sli_variable_change(scope, "AssignSub", shadow, change, name, false).operation;
    free(whole);
  }
  return moved;
}

static bool is_floating(TF_DataType dtype) {
  return dtype == TF_HALF || dtype == TF_BFLOAT16 || dtype == TF_FLOAT || dtype == TF_DOUBLE;
}

// A variable's average starts as the variable does, that of any other value as 0.
static TF_Output make_shadow(sl_moving_average_t *average, TF_Output value) {
  sl_scope_t *scope = average->scope;
  const sl_variable_info_t *info = sl_variable_info(scope, value);
  if (!value.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_moving_average_apply: a value is empty");
  if (value.oper && !is_floating(sl_dtype(value)))
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "The variables must be half, float, or double: %s",
                  TF_OperationName(value.oper));
  if (sli_scope_ok(scope) && sl_moving_average_of(average, value).oper)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Moving average already computed for: %s",
                  info ? info->name : TF_OperationName(value.oper));
  if (!sli_scope_ok(scope)) return (TF_Output){0};
  if (!info) return sli_value_slot(scope, value, average->name);
  sl_collection_add(scope, SL_MOVING_AVERAGE_VARIABLES, value);
  return sli_variable_slot_of(scope, info, average->name, info->initial_value);
}

TF_Operation *sl_moving_average_apply_with(sl_moving_average_t *average, sl_outputs_t variables) {
  sl_scope_t *scope = average->scope;
  size_t first = average->pairs.count;
  for (size_t i = 0; i < variables.count; i++) {
    TF_Output shadow = make_shadow(average, variables.items[i]);
    if (!shadow.oper) return NULL;
    sli_array_push(&average->pairs, (pair_t){variables.items[i], shadow});
  }
  TF_Operation *all = NULL;
  SL_NAME_SCOPE (scope, "%s", average->name) {
    char *whole = sli_scope_own_name(scope);
    TF_Output decay = decay_now(average);
    sli_operations_t moves = {0};
    for (size_t i = first; i < average->pairs.count; i++) {
      TF_Operation *moved = move(scope, &average->pairs.items[i], decay);
      if (moved) sli_array_push(&moves, moved);
    }
    if (sli_scope_ok(scope)) all = sl_group_with(scope, moves.items, moves.count, SL_OP_OPTIONS(.name = whole));
    sli_array_deinitialize(&moves);
    free(whole);
  }
  return all;
}
