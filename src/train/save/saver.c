// The saver: the nodes that save and restore, and the list of checkpoints. Node names
// and structure are those of tf.train.Saver with V2 checkpoints, so that a Python
// program can use them through a MetaGraph; the files are the same.
#include "sluice/saver.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "io/checkpoint/checkpoint_files.h"
#include "io/checkpoint/checkpoint_state.h"
#include "io/file/path.h"
#include "train/common/call_options.h"
#include "train/common/device_spec.h"
#include "train/common/progress.h"
#include "train/common/tf_tensor.h"
#include "train/graph/build.h"
#include "train/graph/trained_value.h"
#include "train/graph/variable.h"
#include "train/save/meta_graph_internal.h"
#include "train/save/saver.h"

struct sl_saver {
  sl_scope_t *scope;
  TF_Output filename;  // is fed with the prefix
  TF_Output saved;     // is fetched to save
  TF_Operation *restore;
  int max_to_keep;
  double keep_every_secs;        // 0: keep none beyond max_to_keep
  double next_keep;              // seconds since 1970: the first checkpoint saved after this is not deleted
  sli_checkpoint_state_t state;  // of |directory|
  char *directory;               // NULL before the first save
  sli_saver_item_t *saved_variables;
  size_t saved_count;
  bool sharded;
  bool has_states;                  // saves all that the graph has beside variables, too
  sli_operations_t restore_states;  // operations that restore it
  bool write_meta_graph;
};

static double now_seconds(void) { return (double)sli_clock_wall_micros() * 1e-6; }

static void destroy_saver(void *object) {
  sl_saver_t *saver = object;
  sli_checkpoint_state_deinitialize(&saver->state);
  free(saver->directory);
  for (size_t i = 0; i < saver->saved_count; i++) free(saver->saved_variables[i].name);
  free(saver->saved_variables);
  sli_array_deinitialize(&saver->restore_states);
  free(saver);
}

bool sli_saver_is_sharded(const sl_saver_t *saver) { return saver->sharded; }

// --- Nodes ---

// The variables on one device, sorted by name.
typedef struct {
  char device[SLI_DEVICE_SPEC_SIZE];
  char cpu[SLI_DEVICE_SPEC_SIZE];  // the same task's CPU
  sli_saver_item_t *items;
  size_t count;
} saver_shard_t;

static const char *sort_key(const sli_saver_item_t *saved) {
  return saved->renamed ? saved->name : saved->variable->name;
}

// Optional variables come last: each is restored by its own node.
static int by_name(const void *a, const void *b) {
  const sli_saver_item_t *x = a, *y = b;
  return x->optional != y->optional ? x->optional - y->optional : strcmp(sort_key(x), sort_key(y));
}

static const char *device_of(const sli_saver_item_t *saved) {
  return TF_OperationDevice(saved->variable->reference.oper);
}

static int by_device_then_name(const void *a, const void *b) {
  int order = strcmp(device_of(a), device_of(b));
  return order ? order : by_name(a, b);
}

// Builds the constants "tensor_names" and "shape_and_slices" in the name scope of the op that uses them.
static void name_tensors(sl_scope_t *scope, const saver_shard_t *shard, TF_Output *out_names, TF_Output *out_slices) {
  const char **names = sli_calloc(shard->count, sizeof(*names)), **slices = sli_calloc(shard->count, sizeof(*slices));
  for (size_t i = 0; i < shard->count; i++) {
    names[i] = shard->items[i].name;
    slices[i] = shard->items[i].variable->slice;
  }
  *out_names = sl_texts_with(scope, names, shard->count, SL_OP_OPTIONS(.name = "tensor_names"));
  *out_slices = sl_texts_with(scope, slices, shard->count, SL_OP_OPTIONS(.name = "shape_and_slices"));
  free(names);
  free(slices);
}

static TF_Output saved_value(const sl_variable_info_t *variable) {
  return sli_train_variable_is_resource(variable) ? variable->value : variable->reference;
}

static TF_Operation *save_node(sl_scope_t *scope, TF_Output prefix, const saver_shard_t *shard) {
  TF_Operation *save = NULL;
  SL_NAME_SCOPE (scope, "SaveV2") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output names, slices;
    name_tensors(scope, shard, &names, &slices);
    TF_Output *values = sli_calloc(shard->count, sizeof(*values));
    for (size_t i = 0; i < shard->count; i++) values[i] = saved_value(shard->items[i].variable);
    sl_node_t *node = sl_node_begin(scope, "SaveV2", whole);
    sl_node_input(node, prefix);
    sl_node_input(node, names);
    sl_node_input(node, slices);
    sl_node_input_list(node, values, shard->count);
    save = sl_node_finish(node);
    free(values);
    free(whole);
  }
  return save;
}

// |output|, but only after |operation| has run.
static TF_Output with_dependency(sl_scope_t *scope, TF_Operation *operation, TF_Output output) {
  return operation ? sli_build_after(scope, &operation, 1, output) : (TF_Output){0};
}

// A resource variable is assigned a copy of the value, on its own device.
static TF_Operation *assign_node(sl_scope_t *scope, const sl_variable_info_t *variable, TF_Output value) {
  if (!sli_train_variable_is_resource(variable))
    return sli_train_variable_update(scope, "Assign", variable, value, "Assign", true).operation;
  TF_Operation *assign = NULL;
  SL_DEVICE (scope, TF_OperationDevice(variable->reference.oper)) {
    assign =
        sli_train_variable_assign_resource(scope, variable->reference, sl_unary(scope, "Identity", value, NULL), NULL);
  }
  return assign;
}

// Builds nodes that read the shard's variables on |cpu| and assign them; adds the assignments to |out_assigns|.
static void restore_nodes(sl_scope_t *scope, TF_Output prefix, const saver_shard_t *shard, const char *cpu,
                          sli_operations_t *out_assigns) {
  TF_Operation *restore = NULL;
  SL_DEVICE (scope, cpu) {
    SL_NAME_SCOPE (scope, "RestoreV2") {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output names, slices;
      name_tensors(scope, shard, &names, &slices);
      TF_DataType *dtypes = sli_calloc(shard->count, sizeof(*dtypes));
      for (size_t i = 0; i < shard->count; i++) dtypes[i] = shard->items[i].variable->dtype;
      sl_node_t *node = sl_node_begin(scope, "RestoreV2", whole);
      sl_node_input(node, prefix);
      sl_node_input(node, names);
      sl_node_input(node, slices);
      sl_node_attr_type_list(node, "dtypes", dtypes, shard->count);
      restore = sl_node_finish(node);
      free(dtypes);
      free(whole);
    }
  }
  for (size_t i = 0; i < shard->count && restore; i++) {
    TF_Output value = {restore, (int)i};
    TF_Operation *assign = assign_node(scope, shard->items[i].variable, value);
    shard->items[i].assign = assign;
    if (assign) sli_array_push(out_assigns, assign);
  }
}

// The same, with separate nodes for optional variables, so that they can be skipped.
static void restore_shard(sl_scope_t *scope, TF_Output prefix, const saver_shard_t *shard, const char *cpu,
                          sli_operations_t *out_assigns) {
  saver_shard_t part = *shard;
  for (part.count = 0; part.count < shard->count && !shard->items[part.count].optional;) part.count++;
  size_t optional = part.count;
  if (part.count) restore_nodes(scope, prefix, &part, cpu, out_assigns);
  part.count = 1;
  for (size_t i = optional; i < shard->count; i++) {
    part.items = &shard->items[i];
    restore_nodes(scope, prefix, &part, cpu, out_assigns);
  }
}

static TF_Operation *group_named(sl_scope_t *scope, const sli_operations_t *operations, const char *name) {
  return sl_group_with(scope, operations->items, operations->count, SL_OP_OPTIONS(.name = name));
}

// The prefix for the variables, which are saved after all other state: without them a checkpoint does not exist.
static TF_Output after_states(sl_scope_t *scope, const sl_saver_t *saver) {
  sli_operations_t saves = {0};
  if (saver->has_states) sli_train_state_save_all(scope, saver->filename, &saves);
  TF_Output prefix = saves.count ? sli_build_after(scope, saves.items, saves.count, saver->filename) : saver->filename;
  sli_array_deinitialize(&saves);
  return prefix;
}

static void add_state_restores(sl_scope_t *scope, sl_saver_t *saver, sli_operations_t *out_operations) {
  if (saver->has_states) sli_train_state_restore_all(scope, saver->filename, &saver->restore_states);
  for (size_t i = 0; i < saver->restore_states.count; i++)
    sli_array_push(out_operations, saver->restore_states.items[i]);
}

static void build_plain(sl_scope_t *scope, sl_saver_t *saver, const saver_shard_t *all) {
  saver->saved = with_dependency(scope, save_node(scope, after_states(scope, saver), all), saver->filename);
  sli_operations_t assigns = {0};
  add_state_restores(scope, saver, &assigns);
  restore_shard(scope, saver->filename, all, "/device:CPU:0", &assigns);
  if (sli_scope_ok(scope)) saver->restore = group_named(scope, &assigns, "restore_all");
  sli_array_deinitialize(&assigns);
}

// The prefix of the parts: "PREFIX_temp/part"; "PREFIX.part" on a store that cannot rename ("s3://").
static TF_Output parts_prefix(sl_scope_t *scope, TF_Output prefix) {
  TF_Output joined = {0};
  SL_DEVICE (scope, "/device:CPU:*") {
    sl_node_t *match = sl_node_begin(scope, "StaticRegexFullMatch", NULL);
    sl_node_input(match, prefix);
    sl_node_attr_text(match, "pattern", "^s3://.*");
    TF_Output is_store = sl_node_output(match);
    TF_Output beside = sl_text_with(scope, ".part", NULL), below = sl_text_with(scope, "_temp/part", NULL);
    TF_Output suffix = sli_build_select(scope, is_store, beside, below);
    sl_node_t *join = sl_node_begin(scope, "StringJoin", NULL);
    sl_node_input_list(join, (TF_Output[]){prefix, suffix}, 2);
    joined = sl_node_output(join);
  }
  return joined;
}

static TF_Output sharded_filename(sl_scope_t *scope, TF_Output prefix, size_t shard, TF_Output shards) {
  TF_Output name = {0};
  SL_NAME_SCOPE (scope, "ShardedFilename") {
    char *whole = sli_build_scope_node_name(scope);
    TF_Output number = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)shard, "shard");
    sl_node_t *node = sl_node_begin(scope, "ShardedFilename", whole);
    sl_node_input(node, prefix);
    sl_node_input(node, number);
    sl_node_input(node, shards);
    name = sl_node_output(node);
    free(whole);
  }
  return name;
}

// Builds nodes that merge the parts on the task of the last shard.
static TF_Output merge_nodes(sl_scope_t *scope, TF_Output prefix, const TF_Output *parts, size_t count) {
  TF_Output merged = {0};
  TF_Operation *merge = NULL;
  SL_NAME_SCOPE (scope, "MergeV2Checkpoints") {
    char *whole = sli_build_scope_node_name(scope);
    sl_node_t *pack = sl_node_begin(scope, "Pack", "checkpoint_prefixes");
    sl_node_input_list(pack, parts, count);
    TF_Output prefixes = sl_node_output(pack);
    sl_node_t *node = sl_node_begin(scope, "MergeV2Checkpoints", whole);
    sl_node_input(node, prefixes);
    sl_node_input(node, prefix);
    sl_node_attr_bool(node, "delete_old_dirs", true);
    merge = sl_node_finish(node);
    free(whole);
  }
  if (!merge) return merged;
  SL_CONTROL_DEPENDENCIES (scope, merge) {
    merged = sl_unary(scope, "Identity", prefix, NULL);
  }
  return merged;
}

static void build_sharded_save(sl_scope_t *scope, sl_saver_t *saver, const saver_shard_t *shards, size_t count) {
  TF_Output prefix = parts_prefix(scope, after_states(scope, saver));
  TF_Output shard_count = sli_build_constant_fill(scope, TF_INT32, SL_SHAPE(), (double)count, "num_shards");
  TF_Output *parts = sli_calloc(count, sizeof(*parts));
  TF_Operation **saves = sli_calloc(count, sizeof(TF_Operation *));
  for (size_t i = 0; i < count; i++) {
    SL_DEVICE (scope, shards[i].cpu) {
      parts[i] = sharded_filename(scope, prefix, i, shard_count);
      saves[i] = with_dependency(scope, save_node(scope, parts[i], &shards[i]), parts[i]).oper;
    }
  }
  if (sli_scope_ok(scope)) {
    SL_BLOCK(sl_control_dependencies_enter(scope, saves, count)) {
      SL_DEVICE (scope, shards[count - 1].cpu) {
        saver->saved = merge_nodes(scope, saver->filename, parts, count);
      }
    }
  }
  free(saves);
  free(parts);
}

static void build_sharded_restore(sl_scope_t *scope, sl_saver_t *saver, const saver_shard_t *shards, size_t count) {
  sli_operations_t restores = {0};
  add_state_restores(scope, saver, &restores);
  for (size_t i = 0; i < count && sli_scope_ok(scope); i++) {
    SL_DEVICE (scope, shards[i].device) {
      sli_operations_t assigns = {0};
      restore_shard(scope, saver->filename, &shards[i], "/device:CPU:0", &assigns);
      TF_Operation *restored = sli_scope_ok(scope) ? group_named(scope, &assigns, "restore_shard") : NULL;
      if (restored) sli_array_push(&restores, restored);
      sli_array_deinitialize(&assigns);
    }
  }
  if (sli_scope_ok(scope)) saver->restore = group_named(scope, &restores, "restore_all");
  sli_array_deinitialize(&restores);
}

// Groups |items|, sorted by device, into shards; returns their number.
static size_t make_shards(sl_scope_t *scope, sli_saver_item_t *items, size_t count, saver_shard_t *shards) {
  size_t made = 0;
  for (size_t i = 0; i < count; i++) {
    const char *device = device_of(&items[i]);
    if (made && strcmp(shards[made - 1].device, device) == 0) {
      shards[made - 1].count++;
      continue;
    }
    saver_shard_t *shard = &shards[made++];
    *shard = (saver_shard_t){.items = &items[i], .count = 1};
    snprintf(shard->device, sizeof(shard->device), "%s", device);
    sli_device_spec_t spec, cpu;
    bool valid = sli_scope_check(scope, sli_device_spec_parse(device, &spec)) &&
                 sli_scope_check(scope, sli_device_spec_parse("/device:CPU:0", &cpu));
    if (!valid) return made;
    spec.type[0] = '\0';
    sli_device_spec_fill(&spec, &cpu);
    sli_device_spec_format(&spec, shard->cpu, sizeof(shard->cpu));
  }
  return made;
}

static void build_saver(sl_scope_t *scope, sl_saver_t *saver, const char *name) {
  sli_saver_item_t *items = saver->saved_variables;
  size_t count = saver->saved_count;
  saver_shard_t *shards = sli_calloc(count, sizeof(*shards));
  SL_NAME_SCOPE (scope, "%s", name) {
    SL_NAME_SCOPE (scope, "filename") {
      char *whole = sli_build_scope_node_name(scope);
      TF_Output text = sl_text_with(scope, "model", SL_OP_OPTIONS(.name = "input"));
      saver->filename = sl_placeholder_with_default_with(scope, text, SL_SHAPE(), SL_OP_OPTIONS(.name = whole));
      free(whole);
    }
    saver->filename =
        sl_placeholder_with_default_with(scope, saver->filename, SL_SHAPE(), SL_OP_OPTIONS(.name = "Const"));
    if (saver->sharded) {
      qsort(items, count, sizeof(*items), by_device_then_name);
      size_t shard_count = make_shards(scope, items, count, shards);
      build_sharded_save(scope, saver, shards, shard_count);
      build_sharded_restore(scope, saver, shards, shard_count);
    } else {
      qsort(items, count, sizeof(*items), by_name);
      build_plain(scope, saver, &(saver_shard_t){.items = items, .count = count});
    }
  }
  free(shards);
}

static sl_saver_t *create_saver(sl_scope_t *scope, int max_to_keep, double keep_every_n_hours) {
  sl_saver_t *saver = sli_calloc(1, sizeof(*saver));
  saver->scope = scope;
  saver->max_to_keep = max_to_keep;
  saver->keep_every_secs = keep_every_n_hours * 3600;
  saver->next_keep = now_seconds() + saver->keep_every_secs;
  saver->write_meta_graph = true;
  sli_scope_own(scope, saver, destroy_saver);
  return saver;
}

static bool is_optional(const sl_scope_t *scope, TF_Output value) {
  const TF_Output *optional = sl_collection_items(scope, SLI_SCOPE_OPTIONAL_VARIABLES);
  for (size_t i = 0; i < sl_collection_count(scope, SLI_SCOPE_OPTIONAL_VARIABLES); i++)
    if (optional[i].oper == value.oper) return true;
  return false;
}

// Only parts of the same variable may have the same name in checkpoints.
static void check_names(sl_scope_t *scope, const sl_saver_t *saver) {
  sli_map_t names = {0};
  for (size_t i = 0; i < saver->saved_count && saver->saved_variables[i].variable; i++) {
    const sli_saver_item_t *item = &saver->saved_variables[i];
    char *key = sli_format("%s %s", item->name, item->variable->slice);
    if (!sli_map_insert(&names, sli_view(key), scope))
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "At least two variables have the same name: %s", item->name);
    free(key);
  }
  sli_map_deinitialize(&names);
}

sl_saver_t *sl_saver_with(sl_scope_t *scope, const sl_saver_options_t *given) {
  SLI_CALL_OPTIONS(sl_saver_options_t, options, given);
  sl_saver_t *saver =
      create_saver(scope, options.max_to_keep ? options.max_to_keep : 5, options.keep_checkpoint_every_n_hours);
  saver->write_meta_graph = !options.no_meta_graph;
  const TF_Output *values = options.variables ? options.variables : sl_collection_items(scope, SL_GLOBAL_VARIABLES);
  size_t count = options.variables ? options.variable_count : sl_collection_count(scope, SL_GLOBAL_VARIABLES);
  if (!count) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "No variables to save");
  saver->sharded = options.sharded;
  saver->has_states = !options.variables;
  saver->saved_variables = sli_calloc(count, sizeof(*saver->saved_variables));
  saver->saved_count = count;
  for (size_t i = 0; i < count; i++) {
    const sl_variable_info_t *info = sli_train_variable_require(scope, values[i], "sl_saver");
    if (!info) break;
    const char *given_name = options.names ? options.names[i] : NULL;
    saver->saved_variables[i] = (sli_saver_item_t){.variable = info,
                                                   .name = sli_strdup(given_name ? given_name : info->saved_name),
                                                   .renamed = given_name != NULL,
                                                   .optional = is_optional(scope, values[i])};
  }
  check_names(scope, saver);
  if (sli_scope_ok(scope)) {
    SL_DEVICE (scope, options.device ? options.device : "") {
      build_saver(scope, saver, options.name ? options.name : "save");
    }
  }
  return saver;
}

// --- Savers in MetaGraphs ---

enum { PYTHON_KEEP_ALL = 0, PYTHON_NO_HOURS = 10000 };  // what Python writes for "delete none" and "keep none"

bool sli_saver_describe(const sl_saver_t *saver, sli_arena_t *arena, sli_saver_def_t *out_def) {
  if (!saver->restore) return false;
  *out_def = (sli_saver_def_t){
      .filename_tensor = sli_saver_output_name(saver->filename, arena),
      .save_tensor = sli_saver_output_name(saver->saved, arena),
      .restore_op = TF_OperationName(saver->restore),
      .max_to_keep = saver->max_to_keep > 0 ? saver->max_to_keep : PYTHON_KEEP_ALL,
      .sharded = saver->sharded,
      .keep_checkpoint_every_n_hours = saver->keep_every_secs > 0 ? saver->keep_every_secs / 3600 : PYTHON_NO_HOURS};
  return true;
}

sl_saver_t *sli_saver_import(sl_scope_t *scope, const sli_saver_def_t *def, TF_Output filename, TF_Output saved,
                             TF_Operation *restore) {
  int max_to_keep = def->max_to_keep > 0 ? def->max_to_keep : -1;
  double hours = def->keep_checkpoint_every_n_hours;
  sl_saver_t *saver = create_saver(scope, max_to_keep, hours < PYTHON_NO_HOURS ? hours : 0);
  saver->filename = filename;
  saver->saved = saved;
  saver->restore = restore;
  saver->sharded = def->sharded;
  return saver;
}

// --- Saving and restoring ---

// Saves if |restore| is NULL; else runs the |count| operations |restore|.
static bool run_with_filename(sl_saver_t *saver, TF_Session *session, const char *path,
                              const TF_Operation *const *restore, size_t count, TF_Status *status) {
  if (!saver->restore) {
    TF_SetStatus(status, TF_FAILED_PRECONDITION, "the saver was not built: its scope has an error");
    return false;
  }
  TF_Tensor *feed = sli_tf_tensor_text(path), *fetched = NULL;
  TF_SessionRun(session, NULL, &saver->filename, &feed, 1, &saver->saved, &fetched, !restore, restore, (int)count, NULL,
                status);
  sli_tf_tensor_delete(feed);
  if (fetched) TF_DeleteTensor(fetched);
  return TF_GetCode(status) == TF_OK;
}

static void add_checkpoint(sli_checkpoint_state_t *state, const char *path, double seconds) {
  if (state->count == state->capacity) {
    state->all_paths = sli_array_grown(state->all_paths, &state->capacity, state->count + 1, sizeof(char *));
    state->timestamps = sli_realloc(state->timestamps, state->capacity * sizeof(double));
  }
  state->timestamps[state->count] = seconds;
  state->all_paths[state->count++] = sli_strdup(path);
}

static void insert_oldest(sli_checkpoint_state_t *state, const char *path, double seconds) {
  add_checkpoint(state, path, seconds);
  char *added = state->all_paths[state->count - 1];
  memmove(&state->all_paths[1], &state->all_paths[0], (state->count - 1) * sizeof(*state->all_paths));
  memmove(&state->timestamps[1], &state->timestamps[0], (state->count - 1) * sizeof(*state->timestamps));
  state->all_paths[0] = added;
  state->timestamps[0] = seconds;
}

// Reads the state file of the directory, keeps the checkpoints whose files exist, and removes what killed savers left.
static void load_directory_state(sl_saver_t *saver, const char *prefix) {
  char *directory = sli_path_directory(prefix);
  if (!directory[0]) {
    free(directory);
    directory = sli_strdup(".");
  }
  if (saver->directory && strcmp(saver->directory, directory) == 0) {
    free(directory);
    return;
  }
  sli_checkpoint_state_deinitialize(&saver->state);
  free(saver->directory);
  saver->directory = directory;
  sli_checkpoint_state_t found = {0};
  sli_status_release(sli_checkpoint_state_read(directory, NULL, &found));
  for (size_t i = 0; i < found.count; i++) {
    if (!sli_checkpoint_exists(found.all_paths[i])) continue;
    sli_checkpoint_state_t *state = &saver->state;
    add_checkpoint(state, found.all_paths[i], found.timestamps ? found.timestamps[i] : now_seconds());
  }
  saver->state.last_preserved_timestamp = found.last_preserved_timestamp;
  sli_checkpoint_state_deinitialize(&found);
  sli_saver_remove_leftovers(directory, sli_path_base(prefix));
}

static void remove_checkpoint(sli_checkpoint_state_t *state, size_t position) {
  free(state->all_paths[position]);
  size_t after = --state->count - position;
  memmove(&state->all_paths[position], &state->all_paths[position + 1], after * sizeof(*state->all_paths));
  memmove(&state->timestamps[position], &state->timestamps[position + 1], after * sizeof(*state->timestamps));
}

// Removes the oldest checkpoint from the list. True if its files must be deleted; some are kept, see keep_every_secs.
static bool drop_oldest(sl_saver_t *saver, char **out_path) {
  sli_checkpoint_state_t *state = &saver->state;
  double saved = state->timestamps[0];
  *out_path = sli_strdup(state->all_paths[0]);
  remove_checkpoint(state, 0);
  if (saver->keep_every_secs <= 0 || saved <= saver->next_keep) return true;
  saver->next_keep += saver->keep_every_secs;
  state->last_preserved_timestamp = saved;
  return false;
}

// Records |path| as the newest checkpoint, then deletes the excess. In this order a crash never leaves a name without
// files in the state file.
static sli_status_t *record_checkpoint(sl_saver_t *saver, const char *path) {
  sli_checkpoint_state_t *state = &saver->state;
  for (size_t i = state->count; i-- > 0;)
    if (strcmp(state->all_paths[i], path) == 0) remove_checkpoint(state, i);
  add_checkpoint(state, path, now_seconds());
  free(state->model_checkpoint_path);
  state->model_checkpoint_path = sli_strdup(path);
  size_t excess = saver->max_to_keep > 0 && state->count > (size_t)saver->max_to_keep
                      ? state->count - (size_t)saver->max_to_keep
                      : 0;
  char **old = sli_calloc(excess, sizeof(*old));
  bool *is_deleted = sli_calloc(excess, sizeof(*is_deleted));
  for (size_t i = 0; i < excess; i++) is_deleted[i] = drop_oldest(saver, &old[i]);
  sli_status_t *status = sli_checkpoint_state_write(saver->directory, NULL, state, true);
  bool failed = status != NULL;
  for (size_t i = 0; i < excess; i++) {
    if (!status && is_deleted[i]) status = sli_checkpoint_delete(old[i]);
    // The state file still names them: they are deleted after the next save.
    if (failed && is_deleted[i]) insert_oldest(state, old[excess - 1 - i], now_seconds());
  }
  for (size_t i = 0; i < excess; i++) free(old[i]);
  free(is_deleted);
  free(old);
  return status;
}

static sli_status_t *write_meta_graph(const sl_saver_t *saver, const char *path) {
  char *meta = sli_format("%s.meta", path);
  sli_status_t *status = sli_saver_write_meta_graph(saver->scope, meta, saver, false);
  free(meta);
  return status;
}

void sl_saver_save(sl_saver_t *saver, TF_Session *session, const char *prefix, int64_t step, char **out_path,
                   TF_Status *status) {
  if (out_path) *out_path = NULL;
  char *path = step >= 0 ? sli_format("%s-%lld", prefix, (long long)step) : sli_strdup(prefix);
  if (run_with_filename(saver, session, path, NULL, 0, status)) {
    load_directory_state(saver, prefix);
    sli_status_t *written = saver->write_meta_graph ? write_meta_graph(saver, path) : NULL;
    sli_tf_status_from_status(written ? written : record_checkpoint(saver, path), status);
  }
  if (out_path && TF_GetCode(status) == TF_OK)
    *out_path = path;
  else
    free(path);
}

// Restores the variables of |only| (NULL: all) that |path| has; initialises the optional ones that it lacks.
static void restore_present(sl_saver_t *saver, TF_Session *session, const char *path, const sli_map_t *only,
                            TF_Status *status) {
  sli_operations_t operations = {0};
  sli_string_t missing = {0};
  for (size_t i = 0; i < saver->saved_count; i++) {
    const sli_saver_item_t *item = &saver->saved_variables[i];
    if (only && !sli_map_find(only, sli_view(item->variable->name))) continue;
    sli_array_push(&operations, item->missing ? item->variable->initializer : item->assign);
    if (item->missing) sli_string_append_format(&missing, "%s%s", missing.size ? ", " : "", item->name);
  }
  for (size_t i = 0; i < saver->restore_states.count; i++) sli_array_push(&operations, saver->restore_states.items[i]);
  const TF_Operation *const *targets = (const TF_Operation *const *)operations.items;
  if (operations.count && run_with_filename(saver, session, path, targets, operations.count, status) && missing.size) {
    char *line =
        sli_format("checkpoint %s has no %s: starting from the initial values", path, sli_string_text(&missing));
    sli_progress_print_line(line);
    free(line);
  }
  sli_string_deinitialize(&missing);
  sli_array_deinitialize(&operations);
}

void sl_saver_restore(sl_saver_t *saver, TF_Session *session, const char *path, TF_Status *status) {
  sli_saver_restore_some(saver, session, path, NULL, status);
}

void sli_saver_restore_some(sl_saver_t *saver, TF_Session *session, const char *path, const sli_map_t *only,
                            TF_Status *status) {
  if (!sli_checkpoint_exists(path)) {
    char *text = sli_format("The passed save_path is not a valid checkpoint: %s", path);
    TF_SetStatus(status, TF_NOT_FOUND, text);
    free(text);
    return;
  }
  sli_tf_status_from_status(sli_saver_check_checkpoint(saver->saved_variables, saver->saved_count, path), status);
  const sli_saver_item_t *missing = NULL;
  for (size_t i = 0; i < saver->saved_count && !missing; i++)
    if (saver->saved_variables[i].missing) missing = &saver->saved_variables[i];
  const TF_Operation *all = saver->restore;
  bool in_parts = missing || (only && saver->saved_count);
  if (TF_GetCode(status) == TF_OK && !in_parts) run_with_filename(saver, session, path, &all, 1, status);
  if (TF_GetCode(status) == TF_OK && in_parts) restore_present(saver, session, path, only, status);
}

char *sl_latest_checkpoint(const char *directory) { return sli_checkpoint_latest(directory, NULL); }
