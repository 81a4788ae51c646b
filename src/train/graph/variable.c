// Variables: reference variables, which TensorFlow 1.x creates by default. A variable
// has three nodes (VariableV2, Assign, Identity "read") and an initial value. Names
// and colocation must be exactly Python's, because checkpoints and the graphs of
// other workers depend on them. Slots of a resource variable (of an imported graph)
// are resource variables, too.
#include "sluice/variable.h"

#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/variable.h"

static void destroy_info(void *object) {
  sl_variable_info_t *info = object;
  free((char *)info->name);
  free((char *)info->saved_name);
  free((char *)info->slice);
  free(info);
}

const sl_variable_info_t *sl_variable_info(const sl_scope_t *scope, TF_Output value) {
  if (!value.oper) return NULL;
  return sli_map_get(&scope->by_value, sli_view(TF_OperationName(value.oper)));
}

const sl_variable_info_t *sli_train_variable_require(sl_scope_t *scope, TF_Output value, const char *what) {
  const sl_variable_info_t *info = sl_variable_info(scope, value);
  if (!info && value.oper)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: '%s' is not a variable", what, TF_OperationName(value.oper));
  if (!info) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "%s: the variable must not be empty", what);
  return info;
}

bool sli_train_variable_is_resource(const sl_variable_info_t *variable) {
  return variable->reference.oper && TF_OperationOutputType(variable->reference) == TF_RESOURCE;
}

// --- Creating a variable ---

typedef struct {
  TF_DataType dtype;
  sl_shape_t shape;
  bool trainable;
  const char *const *collections;
  size_t collection_count;
  const sli_train_variable_slice_t *slice;  // NULL: not a part
  bool cached;                              // see sli_scope_variable_defaults_t
  bool is_resource;
} traits_t;

char *sli_train_variable_slice_format(const sli_train_variable_slice_t *slice, sl_shape_t shape) {
  sli_string_t text = {0};
  for (int i = 0; slice && i < shape.rank; i++)
    sli_string_append_format(&text, "%lld ", (long long)slice->full_shape.dims[i]);
  for (int i = 0; slice && i < shape.rank; i++)
    sli_string_append_format(&text, "%s%lld,%lld", i ? ":" : "", (long long)slice->offsets[i],
                             (long long)shape.dims[i]);
  return sli_string_take(&text);
}

static TF_Output variable_node(sl_scope_t *scope, const traits_t *traits) {
  char *whole = sli_build_scope_node_name(scope);
  sl_node_t *node = sl_node_begin(scope, traits->is_resource ? "VarHandleOp" : "VariableV2", whole);
  if (traits->is_resource) {
    sl_node_attr_text(node, "debug_name", whole);
    sl_node_attr_text(node, "shared_name", sli_scope_prefix(scope));
  }
  sl_node_attr_shape(node, "shape", traits->shape);
  sl_node_attr_type(node, "dtype", traits->dtype);
  free(whole);
  return sl_node_output(node);
}

static TF_Output read_node(sl_scope_t *scope, const sl_variable_info_t *variable, const char *name) {
  sl_node_t *node = sl_node_begin(scope, "ReadVariableOp", name);
  sl_node_input(node, variable->reference);
  sl_node_attr_type(node, "dtype", variable->dtype);
  return sl_node_output(node);
}

TF_Operation *sli_train_variable_assign_resource(sl_scope_t *scope, TF_Output handle, TF_Output value,
                                                 const char *name) {
  sl_node_t *node = sl_node_begin(scope, "AssignVariableOp", name);
  sl_node_input(node, handle);
  sl_node_input(node, value);
  return sl_node_finish(node);
}

// The nodes that tell whether it is initialised, initialise it and read it.
static void create_resource_nodes(sl_scope_t *scope, sl_variable_info_t *info) {
  TF_Operation *handle = info->reference.oper;
  SL_COLOCATE_WITH(scope, handle) {
    SL_NAME_SCOPE (scope, "IsInitialized") sl_unary(scope, "VarIsInitializedOp", info->reference, NULL);
  }
  SL_BLOCK(sli_scope_enter_no_placement(scope)) {
    SL_DEVICE (scope, TF_OperationDevice(handle)) {
      info->initializer = sli_train_variable_assign_resource(scope, info->reference, info->initial_value, "Assign");
    }
  }
  SL_COLOCATE_WITH(scope, handle) {
    SL_NAME_SCOPE (scope, "Read") info->value = read_node(scope, info, NULL);
  }
}

static void create_reference_nodes(sl_scope_t *scope, sl_variable_info_t *info, bool cached) {
  TF_Output reference = info->reference;
  SL_COLOCATE_WITH(scope, reference.oper) {
    info->initializer = sl_binary(scope, "Assign", "Assign", reference, info->initial_value, NULL).oper;
    if (!cached) info->value = sl_unary(scope, "Identity", reference, SL_OP_OPTIONS(.name = "read"));
  }
  if (cached) info->value = sl_unary(scope, "Identity", reference, SL_OP_OPTIONS(.name = "read"));
}

// Builds the nodes after the reference and the initial value, in the variable's own name scope, and registers it.
static sl_variable_info_t *create_value_nodes(sl_scope_t *scope, const traits_t *traits, TF_Output reference,
                                              TF_Output initial_value) {
  if (!sli_scope_ok(scope)) return NULL;
  sl_variable_info_t *info = sli_calloc(1, sizeof(*info));
  const char *name = TF_OperationName(reference.oper);
  *info = (sl_variable_info_t){.name = sli_strdup(name),
                               .saved_name = sli_strdup(traits->slice ? traits->slice->full_name : name),
                               .slice = sli_train_variable_slice_format(traits->slice, traits->shape),
                               .reference = reference,
                               .initial_value = initial_value,
                               .dtype = traits->dtype,
                               .shape = traits->shape,
                               .trainable = traits->trainable};
  sli_scope_own(scope, info, destroy_info);
  if (traits->is_resource)
    create_resource_nodes(scope, info);
  else
    create_reference_nodes(scope, info, traits->cached);
  if (!info->value.oper) return NULL;
  sli_map_set(&scope->by_value, sli_view(TF_OperationName(info->value.oper)), info);
  for (size_t i = 0; i < traits->collection_count; i++) sl_collection_add(scope, traits->collections[i], info->value);
  if (traits->trainable) sl_collection_add(scope, SL_TRAINABLE_VARIABLES, info->value);
  return info;
}

const sl_variable_info_t *sli_train_variable_import(sl_scope_t *scope, const sl_variable_info_t *given) {
  sl_variable_info_t *info = sli_calloc(1, sizeof(*info));
  *info = *given;
  info->name = sli_strdup(given->name);
  info->saved_name = sli_strdup(given->saved_name);
  info->slice = sli_strdup(given->slice);
  sli_scope_own(scope, info, destroy_info);
  sli_map_set(&scope->by_value, sli_view(TF_OperationName(info->value.oper)), info);
  return info;
}

static const char *const global_variables[] = {SL_GLOBAL_VARIABLES};

static traits_t make_traits(TF_DataType dtype, sl_shape_t shape, bool trainable, const char *const *collections,
                            size_t collection_count) {
  return (traits_t){.dtype = dtype,
                    .shape = shape,
                    .trainable = trainable,
                    .collections = collections ? collections : global_variables,
                    .collection_count = collections ? collection_count : 1};
}

// |name| is relative to the current name scope. |initial_value|, if not empty, is used instead of |initializer|.
static sl_variable_info_t *create_variable(sl_scope_t *scope, const char *name, const traits_t *traits,
                                           sl_initializer_t initializer, TF_Output initial_value) {
  if (scope->body) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "variable '%s' must be created outside of the body of a function, which may then use it", name);
    return NULL;
  }
  if (sli_tf_shape_elements(traits->shape) < 0) {
    char *shape = sli_tf_shape_format(traits->shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Shape of a new variable (%s) must be fully defined, but instead was %s.",
                  name, shape);
    free(shape);
    return NULL;
  }
  sl_variable_info_t *info = NULL;
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_NAME_SCOPE (scope, "%s", name) {
      TF_Output reference = {0};
      SL_BLOCK(sli_scope_enter_initializer(scope, sli_scope_prefix(scope))) {
        if (!initial_value.oper) {
          SL_NAME_SCOPE (scope, "Initializer") {
            SL_DEVICE (scope, (const char *)NULL) {
              initial_value =
                  sli_train_variable_initial_value(scope, initializer, traits->dtype, traits->shape,
                                                   traits->slice ? traits->slice->full_shape : traits->shape);
            }
          }
        }
        reference = variable_node(scope, traits);
      }
      info = create_value_nodes(scope, traits, reference, initial_value);
    }
  }
  return info;
}

// --- get_variable ---

static TF_Output reuse_variable(sl_scope_t *scope, const sl_variable_info_t *info, TF_DataType dtype,
                                sl_shape_t shape) {
  if (dtype != info->dtype)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Trying to share variable %s, but specified dtype %s and found dtype %s.",
                  info->name, sli_tf_type_name(dtype), sli_tf_type_name(info->dtype));
  if (!sli_tf_shape_fits(info->shape, shape)) {
    char *wanted = sli_tf_shape_format(shape), *found = sli_tf_shape_format(info->shape);
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Trying to share variable %s, but specified shape %s and found shape %s.",
                  info->name, wanted, found);
    free(wanted);
    free(found);
  }
  return sli_scope_ok(scope) ? info->value : (TF_Output){0};
}

TF_Output sli_train_variable_get(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                 const sl_get_variable_options_t *options, const sli_train_variable_slice_t *slice) {
  sl_variable_info_t *info = sli_map_get(&scope->variables, sli_view(name));
  sl_reuse_t rule = sli_scope_reuse(scope);
  if (info && rule == SL_REUSE_INHERIT) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Variable %s already exists, disallowed. Did you mean to set reuse in its variable scope?", name);
    return (TF_Output){0};
  }
  if (info) return reuse_variable(scope, info, dtype, shape);
  if (rule == SL_REUSE) {
    sl_scope_fail(scope, TF_INVALID_ARGUMENT,
                  "Variable %s does not exist, or was not created with sl_get_variable(). Did you mean to set "
                  ".reuse = SL_AUTO_REUSE in its variable scope?",
                  name);
    return (TF_Output){0};
  }
  traits_t traits = make_traits(dtype, shape, !options->not_trainable, options->collections, options->collection_count);
  traits.slice = slice;
  traits.cached = sli_scope_variable_defaults(scope).cached;
  SL_NAME_SCOPE (scope, "%s", "") {
    info = create_variable(scope, name, &traits, options->initializer, (TF_Output){0});
  }
  if (!info) return (TF_Output){0};
  sli_map_set(&scope->variables, sli_view(name), info);
  sli_train_variable_regularize(scope, info, options->regularizer);
  return info->value;
}

TF_Output sl_get_variable_with(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                               const sl_get_variable_options_t *given) {
  SLI_CALL_OPTIONS(sl_get_variable_options_t, options, given);
  options.struct_size = sizeof(options);
  if (!name) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_get_variable: name must not be NULL");
  if (!name) return (TF_Output){0};
  sli_scope_variable_defaults_t defaults = sli_scope_variable_defaults(scope);
  if (!options.initializer.kind) options.initializer = defaults.initializer;
  if (!options.regularizer.is_set) options.regularizer = defaults.regularizer;
  if (!options.partitioner.kind) options.partitioner = defaults.partitioner;
  const char *prefix = sli_scope_variable_prefix(scope);
  char *whole = prefix[0] ? sli_format("%s/%s", prefix, name) : sli_strdup(name);
  bool in_one_piece = options.partitioner.kind <= SL_PARTITIONER_NONE || shape.rank <= 0;
  TF_Output value = in_one_piece ? sli_train_variable_get(scope, whole, dtype, shape, &options, NULL)
                                 : sli_train_variable_get_partitioned(scope, whole, dtype, shape, &options);
  free(whole);
  return value;
}

TF_Output sl_variable_with(sl_scope_t *scope, TF_Output initial_value, const sl_variable_options_t *given) {
  SLI_CALL_OPTIONS(sl_variable_options_t, options, given);
  if (!initial_value.oper) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "sl_variable: initial_value must not be empty");
  traits_t traits = make_traits(sl_dtype(initial_value), sl_static_shape(scope, initial_value), !options.not_trainable,
                                options.collections, options.collection_count);
  if (initial_value.oper && sli_tf_shape_elements(traits.shape) < 0)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "initial_value must have a shape specified: '%s'",
                  TF_OperationName(initial_value.oper));
  sl_variable_info_t *info = NULL;
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_NAME_SCOPE (scope, "%s", options.name ? options.name : "Variable") {
      info = create_value_nodes(scope, &traits, variable_node(scope, &traits), initial_value);
    }
  }
  return info ? info->value : (TF_Output){0};
}

TF_Output sli_train_variable_create_zeros(sl_scope_t *scope, const char *name, TF_DataType dtype, sl_shape_t shape,
                                          const char *const *collections, size_t count) {
  traits_t traits = make_traits(dtype, shape, false, collections, count);
  sl_variable_info_t *info = create_variable(scope, name, &traits, SL_ZEROS, (TF_Output){0});
  return info ? info->value : (TF_Output){0};
}

TF_Output sli_train_variable_create_scalar_like(sl_scope_t *scope, const char *name, const sl_variable_info_t *like,
                                                TF_DataType dtype, double number, const char *collection) {
  if (!sli_train_variable_is_resource(like))
    return sli_train_variable_create_scalar(scope, name, dtype, number, collection);
  traits_t traits = make_traits(dtype, SL_SHAPE(), false, &collection, 1);
  traits.is_resource = true;
  sl_variable_info_t *info = NULL;
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_NAME_SCOPE (scope, "%s", name) {
      TF_Output initial_value = {0};
      SL_NAME_SCOPE (scope, "Initializer") {
        initial_value = sl_scalar_with(scope, dtype, number, SL_OP_OPTIONS(.name = "initial_value"));
      }
      info = create_value_nodes(scope, &traits, variable_node(scope, &traits), initial_value);
    }
  }
  return info ? info->value : (TF_Output){0};
}

TF_Output sli_train_variable_create_scalar(sl_scope_t *scope, const char *name, TF_DataType dtype, double number,
                                           const char *collection) {
  traits_t traits = make_traits(dtype, SL_SHAPE(), false, &collection, 1);
  sl_variable_info_t *info = NULL;
  SL_BLOCK(sli_scope_enter_no_control(scope)) {
    SL_NAME_SCOPE (scope, "%s", name) {
      TF_Output initial_value = sl_scalar_with(scope, dtype, number, SL_OP_OPTIONS(.name = "initial_value"));
      info = create_value_nodes(scope, &traits, variable_node(scope, &traits), initial_value);
    }
  }
  return info ? info->value : (TF_Output){0};
}

sli_train_variable_slice_t sli_train_variable_slice(const sl_variable_info_t *part, const char *full_name) {
  sli_train_variable_slice_t slice = {.full_name = full_name, .full_shape = part->shape};
  char *text = (char *)part->slice;
  for (int i = 0; text[0] && i < part->shape.rank; i++) slice.full_shape.dims[i] = strtoll(text, &text, 10);
  for (int i = 0; text[0] && i < part->shape.rank; i++) {
    slice.offsets[i] = strtoll(text + 1, &text, 10);  // past the blank or the colon
    strtoll(text + 1, &text, 10);
  }
  return slice;
}

// |collection| NULL: a global variable.
static TF_Output create_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                             const char *collection, sl_initializer_t initializer, TF_Output initial_value) {
  traits_t traits = make_traits(primary->dtype, primary->shape, false, collection ? &collection : NULL, 1);
  traits.is_resource = sli_train_variable_is_resource(primary);
  char *wanted = sli_format("%s/%s", primary->name, name);
  char *scope_name = sli_scope_unique_variable_scope(scope, wanted);
  const char *prefix = sli_scope_variable_prefix(scope);
  char *whole = prefix[0] ? sli_format("%s/%s", prefix, scope_name) : sli_strdup(scope_name);
  // The slot of a part is itself a part: of "WHOLE/NAME", with the same slice.
  char *full_name = sli_format("%s/%s", primary->saved_name, scope_name + strlen(primary->name) + 1);
  sli_train_variable_slice_t slice = sli_train_variable_slice(primary, full_name);
  if (primary->slice[0]) traits.slice = &slice;
  sl_variable_info_t *info = NULL;
  SL_NAME_SCOPE (scope, "%s", "") {
    SL_BLOCK(sli_scope_enter_variable_scope(scope, whole, SL_REUSE_INHERIT)) {
      info = create_variable(scope, whole, &traits, initializer, initial_value);
    }
  }
  if (info) sli_map_set(&scope->variables, sli_view(whole), info);
  free(full_name);
  free(whole);
  free(scope_name);
  free(wanted);
  return info ? info->value : (TF_Output){0};
}

TF_Output sli_train_variable_create_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                                         sl_initializer_t initializer) {
  TF_Output slot = {0};
  SL_COLOCATE_WITH(scope, primary->reference.oper) {
    slot = create_slot(scope, primary, name, NULL, initializer, (TF_Output){0});
  }
  return slot;
}

TF_Output sli_train_variable_create_local_slot(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name) {
  TF_Output slot = {0};
  SL_COLOCATE_WITH(scope, primary->reference.oper) {
    slot = create_slot(scope, primary, name, SL_LOCAL_VARIABLES, SL_ZEROS, (TF_Output){0});
  }
  return slot;
}

TF_Output sli_train_variable_create_slot_from(sl_scope_t *scope, const sl_variable_info_t *primary, const char *name,
                                              TF_Output initial_value) {
  TF_Output slot = {0};
  SL_COLOCATE_WITH(scope, primary->reference.oper) {
    slot = create_slot(scope, primary, name, NULL, SL_ZEROS, initial_value);
  }
  return slot;
}

TF_Output sli_train_variable_create_value_slot(sl_scope_t *scope, TF_Output value, const char *name) {
  const char *primary = TF_OperationName(value.oper);
  const sl_variable_info_t as_if = {.name = primary,
                                    .saved_name = primary,
                                    .slice = "",
                                    .dtype = sl_dtype(value),
                                    .shape = sl_static_shape(scope, value)};
  return create_slot(scope, &as_if, name, NULL, SL_ZEROS, (TF_Output){0});
}

// --- Reading and changing ---

TF_Output sli_train_variable_current_value(sl_scope_t *scope, const sl_variable_info_t *variable) {
  if (!sli_train_variable_is_resource(variable)) return variable->value;
  TF_Output value = {0};
  SL_BLOCK(sli_scope_enter_no_placement(scope)) value = read_node(scope, variable, NULL);
  return value;
}

TF_Output sli_train_variable_read_node(sl_scope_t *scope, const sl_variable_info_t *variable, const char *name) {
  if (sli_train_variable_is_resource(variable)) return read_node(scope, variable, name);
  return sl_unary(scope, "Identity", variable->reference, SL_OP_OPTIONS(.name = name));
}

// Python's names: "AssignVariableOp" for the change, "ReadVariableOp" for the new value.
static sli_train_variable_update_t update_resource(sl_scope_t *scope, const char *op,
                                                   const sl_variable_info_t *variable, TF_Output value,
                                                   const char *name) {
  char *whole = sli_format("%sVariableOp", op);
  sli_train_variable_update_t change = {0};
  sl_node_t *node = sl_node_begin(scope, whole, name);
  sl_node_input(node, variable->reference);
  sl_node_input(node, value);
  if (strcmp(op, "Assign") == 0) sl_node_attr_bool(node, "validate_shape", true);
  change.operation = sl_node_finish(node);
  free(whole);
  if (!change.operation) return change;
  SL_CONTROL_DEPENDENCIES (scope, change.operation) change.value = read_node(scope, variable, NULL);
  return change;
}

sli_train_variable_update_t sli_train_variable_update(sl_scope_t *scope, const char *op,
                                                      const sl_variable_info_t *variable, TF_Output value,
                                                      const char *name, bool use_locking) {
  sli_train_variable_update_t change = {0};
  if (sli_train_variable_is_resource(variable)) return update_resource(scope, op, variable, value, name);
  SL_COLOCATE_WITH(scope, variable->reference.oper) {
    sl_node_t *node = sl_node_begin(scope, op, name);
    sl_node_input(node, variable->reference);
    sl_node_input(node, value);
    sl_node_attr_bool(node, "use_locking", use_locking);
    change.value = sl_node_output(node);
  }
  change.operation = change.value.oper;
  return change;
}

TF_Output sli_train_variable_update_value(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable,
                                          TF_Output value, const char *name, bool use_locking) {
  return sli_train_variable_update(scope, op, variable, value, name, use_locking).value;
}

TF_Operation *sli_train_variable_scatter(sl_scope_t *scope, const char *op, const sl_variable_info_t *variable,
                                         TF_Output indices, TF_Output rows, bool use_locking) {
  TF_Operation *operation = NULL;
  bool is_resource = sli_train_variable_is_resource(variable);
  char *whole = sli_format("%s%s", is_resource ? "Resource" : "", op);
  SL_COLOCATE_WITH(scope, variable->reference.oper) {
    sl_node_t *node = sl_node_begin(scope, whole, NULL);
    sl_node_input(node, variable->reference);
    sl_node_input(node, indices);
    sl_node_input(node, rows);
    if (!is_resource) sl_node_attr_bool(node, "use_locking", use_locking);
    operation = sl_node_finish(node);
  }
  free(whole);
  return operation;
}

TF_Output sl_assign_with(sl_scope_t *scope, TF_Output variable, TF_Output value, const sl_op_options_t *options) {
  const sl_variable_info_t *info = sli_train_variable_require(scope, variable, "sl_assign");
  if (!info) return (TF_Output){0};
  return sli_train_variable_update_value(scope, "Assign", info, value, options ? options->name : NULL, true);
}

TF_Output sl_assign_add_with(sl_scope_t *scope, TF_Output variable, TF_Output value, const sl_op_options_t *options) {
  const sl_variable_info_t *info = sli_train_variable_require(scope, variable, "sl_assign_add");
  if (!info) return (TF_Output){0};
  return sli_train_variable_update_value(scope, "AssignAdd", info, value, options ? options->name : NULL, false);
}

TF_Output sl_assign_sub_with(sl_scope_t *scope, TF_Output variable, TF_Output value, const sl_op_options_t *options) {
  const sl_variable_info_t *info = sli_train_variable_require(scope, variable, "sl_assign_sub");
  if (!info) return (TF_Output){0};
  return sli_train_variable_update_value(scope, "AssignSub", info, value, options ? options->name : NULL, false);
}

// --- The global step, and operations that initialise variables ---

TF_Output sli_train_variable_find_global_step(sl_scope_t *scope) {
  if (sl_collection_count(scope, SL_GLOBAL_STEP)) return sl_collection_items(scope, SL_GLOBAL_STEP)[0];
  // Classic programs create it themselves, with any integer type.
  sl_outputs_t variables = {sl_collection_count(scope, SL_GLOBAL_VARIABLES),
                            sl_collection_items(scope, SL_GLOBAL_VARIABLES)};
  for (size_t i = 0; i < variables.count; i++) {
    const sl_variable_info_t *info = sl_variable_info(scope, variables.items[i]);
    if (!info || strcmp(info->name, "global_step") != 0) continue;
    if (info->dtype != TF_INT32 && info->dtype != TF_INT64)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Existing \"global_step\" does not have integer type: %s",
                    sli_tf_type_name(info->dtype));
    else if (info->shape.rank != 0)
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "Existing \"global_step\" is not scalar: rank %d", info->shape.rank);
    return info->value;
  }
  return (TF_Output){0};
}

TF_Output sl_global_step_with(sl_scope_t *scope) {
  TF_Output found = sli_train_variable_find_global_step(scope);
  if (found.oper) return found;
  static const char *const collections[] = {SL_GLOBAL_VARIABLES, SL_GLOBAL_STEP};
  return sl_get_variable_with(scope, "global_step", TF_INT64, SL_SHAPE(),
                              SL_OPTIONS(sl_get_variable_options_t, .initializer = SL_ZEROS, .not_trainable = true,
                                         .collections = collections, .collection_count = 2));
}

TF_Operation *sl_variables_initializer_with(sl_scope_t *scope, sl_outputs_t variables, const sl_op_options_t *options) {
  sli_operations_t initializers = {0};
  for (size_t i = 0; i < variables.count; i++) {
    const sl_variable_info_t *info = sli_train_variable_require(scope, variables.items[i], "sl_variables_initializer");
    if (info) sli_array_push(&initializers, info->initializer);
  }
  TF_Operation *group = sl_group_with(scope, initializers.items, initializers.count,
                                      SL_OP_OPTIONS(.name = options && options->name ? options->name : "init"));
  sli_array_deinitialize(&initializers);
  return group;
}

// An operation that initialises the variables of a collection.
static TF_Operation *initialize_collection(sl_scope_t *scope, const char *collection) {
  sl_outputs_t variables = {sl_collection_count(scope, collection), sl_collection_items(scope, collection)};
  return sl_variables_initializer_with(scope, variables, NULL);
}

TF_Operation *sl_global_variables_initializer_with(sl_scope_t *scope) {
  return initialize_collection(scope, SL_GLOBAL_VARIABLES);
}

TF_Operation *sl_local_variables_initializer_with(sl_scope_t *scope) {
  return initialize_collection(scope, SL_LOCAL_VARIABLES);
}
