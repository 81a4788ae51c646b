// Scopes. A block pushes a frame on the stack and pops it when it is left. The name,
// device, control inputs and colocation of a node are read from the stack when the
// node is built.
#include "train/graph/scope.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "train/common/call_options.h"
#include "train/common/device_spec.h"
#include "train/common/live_object.h"

// --- Creation and release ---

sl_scope_t *sl_graph_scope(void) {
  sl_scope_t *scope = sli_calloc(1, sizeof(*scope));
  scope->graph = TF_NewGraph();
  scope->file = "";
  sli_live_object_add(scope);
  return scope;
}

static void frame_deinitialize(sli_scope_frame_t *frame) {
  free(frame->text);
  sli_array_deinitialize(&frame->operations);
  sli_map_deinitialize(&frame->seen);
}

void sl_scope_release(sl_scope_t *scope) {
  if (!scope) return;
  sli_live_object_remove(scope);
  for (size_t i = scope->owned.count; i-- > 0;) scope->owned.items[i].destroy(scope->owned.items[i].object);
  sli_array_deinitialize(&scope->owned);
  sli_array_deinitialize(&scope->queue_runners);
  sli_array_deinitialize(&scope->hooks);
  sli_array_deinitialize(&scope->trained);
  sli_array_deinitialize(&scope->states);
  for (size_t i = 0; i < scope->frames.count; i++) frame_deinitialize(&scope->frames.items[i]);
  sli_array_deinitialize(&scope->frames);
  SLI_MAP_FOR_EACH (&scope->collections, entry) {
    sli_outputs_t *items = entry->value;
    sli_array_deinitialize(items);
    free(items);
  }
  sli_map_deinitialize(&scope->collections);
  SLI_MAP_FOR_EACH (&scope->foreign, entry) {
    sli_string_deinitialize(entry->value);
    free(entry->value);
  }
  sli_map_deinitialize(&scope->foreign);
  sli_map_deinitialize(&scope->names);
  sli_map_deinitialize(&scope->variable_scopes);
  sli_map_deinitialize(&scope->flows);
  sli_array_deinitialize(&scope->contexts);
  sli_array_deinitialize(&scope->imported_contexts);
  sli_map_deinitialize(&scope->variables);
  sli_map_deinitialize(&scope->by_value);
  sli_map_deinitialize(&scope->partitioned);
  TF_DeleteGraph(scope->graph);
  free(scope->error);
  free(scope);
}

void sli_scope_own(sl_scope_t *scope, void *object, void (*destroy)(void *object)) {
  sli_array_push(&scope->owned, (sli_scope_owned_t){object, destroy});
}

TF_Graph *sl_scope_graph(const sl_scope_t *scope) { return scope->graph; }

sl_scope_t *sl_scope_at(sl_scope_t *scope, const char *file, int line) {
  scope->file = file;
  scope->line = line;
  return scope;
}

void sl_set_random_seed(sl_scope_t *scope, int64_t seed) {
  scope->seed = seed;
  scope->has_seed = true;
}

// --- The first error ---

TF_Code sl_scope_code(const sl_scope_t *scope) { return scope->code; }
const char *sl_scope_error(const sl_scope_t *scope) { return scope->error ? scope->error : ""; }

void sl_scope_fail(sl_scope_t *scope, TF_Code code, const char *format, ...) {
  if (scope->code != TF_OK) return;
  scope->code = code;
  const char *slash = strrchr(scope->file, '/');
  sli_string_t text = {0};
  if (scope->file[0]) sli_string_append_format(&text, "%s:%d: ", slash ? slash + 1 : scope->file, scope->line);
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  scope->error = sli_string_take(&text);
}

bool sli_scope_check(sl_scope_t *scope, sli_status_t *status) {
  if (!status) return true;
  sl_scope_fail(scope, (TF_Code)sli_status_code(status), "%s", sli_status_message(status));
  sli_status_release(status);
  return false;
}

bool sli_scope_check_tf(sl_scope_t *scope, TF_Status *status, const char *node) {
  bool ok = TF_GetCode(status) == TF_OK;
  if (!ok && node) sl_scope_fail(scope, TF_GetCode(status), "node '%s': %s", node, TF_Message(status));
  if (!ok && !node) sl_scope_fail(scope, TF_GetCode(status), "%s", TF_Message(status));
  TF_DeleteStatus(status);
  return ok;
}

void sli_scope_finalize(sl_scope_t *scope) { scope->final = true; }

// --- Names ---

static const sli_scope_frame_t *innermost(const sl_scope_t *scope, sli_scope_frame_kind_t kind) {
  for (size_t i = scope->frames.count; i-- > 0;)
    if (scope->frames.items[i].kind == kind) return &scope->frames.items[i];
  return NULL;
}

const char *sli_scope_prefix(const sl_scope_t *scope) {
  const sli_scope_frame_t *frame = innermost(scope, SLI_SCOPE_NAME);
  return frame ? frame->text : "";
}

static char *join_names(const char *prefix, const char *name) {
  if (!prefix[0]) return sli_strdup(name);
  return name[0] ? sli_format("%s/%s", prefix, name) : sli_strdup(prefix);
}

static char *to_lower(const char *text) {
  char *copy = sli_strdup(text);
  for (char *letter = copy; *letter; letter++) *letter = (char)tolower((unsigned char)*letter);
  return copy;
}

static intptr_t count_of(const sli_map_t *map, const char *key) { return (intptr_t)sli_map_get(map, sli_view(key)); }
static void set_count(sli_map_t *map, const char *key, intptr_t count) {
  sli_map_set(map, sli_view(key), (void *)count);
}

// As tf.Graph.unique_name: names that differ only in the case of letters count as equal.
char *sli_scope_unique_name(sl_scope_t *scope, const char *name) {
  char *whole = join_names(sli_scope_prefix(scope), name);
  char *key = to_lower(whole);
  intptr_t uses = count_of(&scope->names, key);
  set_count(&scope->names, key, uses + 1);
  if (uses > 0) {
    char *candidate = sli_strdup(key);
    intptr_t number = uses;
    while (sli_map_find(&scope->names, sli_view(candidate))) {
      free(candidate);
      candidate = sli_format("%s_%lld", key, (long long)number++);
    }
    set_count(&scope->names, candidate, 1);
    free(candidate);
    char *numbered = sli_format("%s_%lld", whole, (long long)(number - 1));
    free(whole);
    whole = numbered;
  }
  free(key);
  return whole;
}

void sli_scope_reserve_names(sl_scope_t *scope) {
  size_t position = 0;
  for (TF_Operation *operation; (operation = TF_GraphNextOperation(scope->graph, &position));) {
    char *key = to_lower(TF_OperationName(operation));
    if (!count_of(&scope->names, key)) set_count(&scope->names, key, 1);
    free(key);
  }
}

const char *sli_scope_variable_prefix(const sl_scope_t *scope) {
  const sli_scope_frame_t *frame = innermost(scope, SLI_SCOPE_VARIABLE);
  return frame ? frame->text : "";
}

sl_reuse_t sli_scope_reuse(const sl_scope_t *scope) {
  const sli_scope_frame_t *frame = innermost(scope, SLI_SCOPE_VARIABLE);
  return frame ? frame->reuse : scope->root_reuse;
}

sli_scope_variable_defaults_t sli_scope_variable_defaults(const sl_scope_t *scope) {
  const sli_scope_frame_t *frame = innermost(scope, SLI_SCOPE_VARIABLE);
  return frame ? frame->defaults : (sli_scope_variable_defaults_t){0};
}

void sl_reuse_variables(sl_scope_t *scope) {
  for (size_t i = scope->frames.count; i-- > 0;) {
    if (scope->frames.items[i].kind != SLI_SCOPE_VARIABLE) continue;
    scope->frames.items[i].reuse = SL_REUSE;
    return;
  }
  scope->root_reuse = SL_REUSE;
}

char *sli_scope_unique_variable_scope(sl_scope_t *scope, const char *name) {
  char *whole = join_names(sli_scope_variable_prefix(scope), name);
  char *candidate = sli_strdup(whole);
  for (int number = 1; count_of(&scope->variable_scopes, candidate) > 0; number++) {
    free(candidate);
    candidate = sli_format("%s_%d", whole, number);
  }
  const char *prefix = sli_scope_variable_prefix(scope);
  char *relative = sli_strdup(candidate + (prefix[0] ? strlen(prefix) + 1 : 0));
  free(candidate);
  free(whole);
  return relative;
}

// --- Blocks ---

sl_block_t sli_scope_enter_frame(sl_scope_t *scope, sli_scope_frame_t frame) {
  sl_block_t block = {.scope = scope, .mark = scope->frames.count};
  sli_array_push(&scope->frames, frame);
  return block;
}

// The numbering of default names inside a variable scope starts again when it is reopened.
static void close_variable_scopes_below(sl_scope_t *scope, const char *name) {
  char *prefix = sli_format("%s/", name);
  SLI_MAP_FOR_EACH (&scope->variable_scopes, entry) {
    if (sli_string_starts_with(entry->key, prefix)) entry->value = NULL;
  }
  free(prefix);
}

void sl_block_leave(sl_block_t *block) {
  sl_scope_t *scope = block->scope;
  while (scope->frames.count > block->mark) {
    sli_scope_frame_t *frame = &scope->frames.items[--scope->frames.count];
    if (frame->kind == SLI_SCOPE_VARIABLE) close_variable_scopes_below(scope, frame->text);
    frame_deinitialize(frame);
  }
}

sl_block_t sl_name_scope_enter(sl_scope_t *scope, const char *format, ...) {
  sli_string_t name = {0};
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&name, format, args);
  va_end(args);
  char *text = sli_string_take(&name);
  size_t length = strlen(text);
  if (length && text[length - 1] == '/') {
    text[length - 1] = '\0';
  } else if (length) {
    char *unique = sli_scope_unique_name(scope, text);
    free(text);
    text = unique;
  }
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_NAME, .text = text});
}

sl_block_t sl_device_enter(sl_scope_t *scope, const char *device) {
  sli_device_spec_t spec;
  if (device) sli_scope_check(scope, sli_device_spec_parse(device, &spec));
  return sli_scope_enter_frame(
      scope, (sli_scope_frame_t){.kind = SLI_SCOPE_DEVICE, .text = device ? sli_strdup(device) : NULL});
}

sl_block_t sl_device_setter_enter(sl_scope_t *scope, const sl_device_setter_t *setter) {
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_DEVICE, .setter = setter});
}

sl_block_t sl_control_dependencies_enter(sl_scope_t *scope, TF_Operation *const *operations, size_t count) {
  sli_scope_frame_t frame = {.kind = SLI_SCOPE_CONTROL};
  for (size_t i = 0; i < count; i++) {
    if (!operations[i])
      sl_scope_fail(scope, TF_INVALID_ARGUMENT, "SL_CONTROL_DEPENDENCIES: operation %zu must not be NULL", i);
    if (operations[i]) sli_array_push(&frame.operations, operations[i]);
  }
  return sli_scope_enter_frame(scope, frame);
}

sl_block_t sl_colocate_with_enter(sl_scope_t *scope, TF_Operation *operation) {
  if (!operation) sl_scope_fail(scope, TF_INVALID_ARGUMENT, "SL_COLOCATE_WITH: operation must not be NULL");
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_COLOCATE, .operation = operation});
}

sl_block_t sli_scope_enter_initializer(sl_scope_t *scope, const char *variable) {
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_INITIALIZER, .text = sli_strdup(variable)});
}

sl_block_t sli_scope_enter_no_placement(sl_scope_t *scope) {
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_COLOCATE});
}

sl_block_t sli_scope_enter_no_control(sl_scope_t *scope) {
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_CONTROL});
}

sl_block_t sli_scope_enter_variable_scope(sl_scope_t *scope, const char *whole_name, sl_reuse_t reuse) {
  set_count(&scope->variable_scopes, whole_name, count_of(&scope->variable_scopes, whole_name) + 1);
  return sli_scope_enter_frame(scope, (sli_scope_frame_t){.kind = SLI_SCOPE_VARIABLE,
                                                          .text = sli_strdup(whole_name),
                                                          .reuse = reuse,
                                                          .defaults = sli_scope_variable_defaults(scope)});
}

sl_block_t sli_scope_reenter_variable_scope(sl_scope_t *scope) {
  char *whole = sli_strdup(sli_scope_variable_prefix(scope));
  const char *slash = strrchr(whole, '/');
  sl_block_t block = {.scope = scope, .mark = scope->frames.count};
  if (whole[0]) sl_name_scope_enter(scope, "%s", slash ? slash + 1 : whole);
  sli_scope_enter_variable_scope(scope, whole, sli_scope_reuse(scope));
  free(whole);
  return block;
}

sl_block_t sl_variable_scope_enter_with(sl_scope_t *scope, const char *name, const sl_variable_scope_options_t *given) {
  SLI_CALL_OPTIONS(sl_variable_scope_options_t, options, given);
  sl_reuse_t outer = sli_scope_reuse(scope);
  if (!name && !options.default_name)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "If default_name is None then name_or_scope is required");
  if (!name && options.reuse == SL_REUSE)
    sl_scope_fail(scope, TF_INVALID_ARGUMENT, "reuse=True cannot be used without a name_or_scope");
  const char *usual = options.default_name ? options.default_name : "scope";
  char *own = name ? sli_strdup(name) : sli_scope_unique_variable_scope(scope, usual);
  char *whole = join_names(sli_scope_variable_prefix(scope), own);
  sl_block_t block = sl_name_scope_enter(scope, "%s", name ? name : usual);
  sli_scope_enter_variable_scope(scope, whole, options.reuse == SL_REUSE_INHERIT ? outer : options.reuse);
  sli_scope_variable_defaults_t *defaults = &scope->frames.items[scope->frames.count - 1].defaults;
  if (options.initializer.kind) defaults->initializer = options.initializer;
  if (options.regularizer.is_set) defaults->regularizer = options.regularizer;
  if (options.partitioner.kind) defaults->partitioner = options.partitioner;
  free(own);
  free(whole);
  return block;
}

// --- Device, colocation and control inputs of a node ---

void sli_scope_choose_device(sl_scope_t *scope, const char *op, const char *name, int64_t bytes, char *out_device,
                             size_t size) {
  out_device[0] = '\0';
  bool ignored = false;  // devices further out
  for (size_t i = scope->frames.count; i-- > 0;) {
    const sli_scope_frame_t *frame = &scope->frames.items[i];
    if (frame->kind == SLI_SCOPE_COLOCATE) {  // stronger than the devices around it
      if (!out_device[0] && frame->operation) snprintf(out_device, size, "%s", TF_OperationDevice(frame->operation));
      return;
    }
    if (frame->kind != SLI_SCOPE_DEVICE || ignored) continue;
    if (frame->setter && frame->setter->function) {
      sl_node_info_t info = {.struct_size = sizeof(info), .op = op, .name = name, .device = out_device, .bytes = bytes};
      char chosen[SLI_DEVICE_SPEC_SIZE];
      snprintf(chosen, sizeof(chosen), "%s", out_device);
      frame->setter->function(frame->setter->data, &info, chosen, sizeof(chosen));
      sli_device_spec_t spec;
      if (!sli_scope_check(scope, sli_device_spec_parse(chosen, &spec))) return;
      snprintf(out_device, size, "%s", chosen);
    } else if (frame->text) {
      sli_device_spec_t spec, outer;
      bool valid = sli_scope_check(scope, sli_device_spec_parse(out_device, &spec)) &&
                   sli_scope_check(scope, sli_device_spec_parse(frame->text, &outer));
      if (!valid) return;
      sli_device_spec_fill(&spec, &outer);
      sli_device_spec_format(&spec, out_device, size);
    } else if (!frame->setter) {
      ignored = true;
    }
  }
}

// The first colocation group of |operation|: its own name, or that of the node it is colocated with.
static char *group_of(TF_Operation *operation) {
  TF_Status *status = TF_NewStatus();
  char *group = NULL;
  TF_AttrMetadata metadata = TF_OperationGetAttrMetadata(operation, "_class", status);
  if (TF_GetCode(status) == TF_OK && metadata.is_list && metadata.list_size > 0) {
    void **values = sli_calloc((size_t)metadata.list_size, sizeof(*values));
    size_t *lengths = sli_calloc((size_t)metadata.list_size, sizeof(*lengths));
    char *storage = sli_malloc((size_t)metadata.total_size + 1);
    TF_OperationGetAttrStringList(operation, "_class", values, lengths, (int)metadata.list_size, storage,
                                  (size_t)metadata.total_size, status);
    if (TF_GetCode(status) == TF_OK) group = sli_strndup(values[0], lengths[0]);
    free(storage);
    free(lengths);
    free(values);
  }
  TF_DeleteStatus(status);
  return group ? group : sli_format("loc:@%s", TF_OperationName(operation));
}

char *sli_scope_colocation_group(sl_scope_t *scope) {
  const sli_scope_frame_t *colocate = innermost(scope, SLI_SCOPE_COLOCATE);
  if (colocate && colocate->operation) return group_of(colocate->operation);
  const sli_scope_frame_t *self = innermost(scope, SLI_SCOPE_INITIALIZER);
  return self ? sli_format("loc:@%s", self->text) : sli_strdup("");
}

static bool contains(const sli_operations_t *operations, const TF_Operation *operation) {
  for (size_t i = 0; i < operations->count; i++)
    if (operations->items[i] == operation) return true;
  return false;
}

// A node with an input that was built in the same block runs after the block's dependencies anyway.
static bool is_dominated(const sli_scope_frame_t *frame, const sli_operations_t *inputs) {
  for (size_t i = 0; i < inputs->count; i++)
    if (sli_map_find(&frame->seen, sli_view(TF_OperationName(inputs->items[i])))) return true;
  return false;
}

void sli_scope_control_inputs(sl_scope_t *scope, const sli_operations_t *inputs, sli_operations_t *out_operations) {
  for (size_t i = scope->frames.count; i-- > 0;) {
    const sli_scope_frame_t *frame = &scope->frames.items[i];
    if (frame->kind != SLI_SCOPE_CONTROL) continue;
    if (frame->operations.count == 0) return;
    if (is_dominated(frame, inputs)) continue;
    for (size_t j = 0; j < frame->operations.count; j++) {
      TF_Operation *operation = frame->operations.items[j];
      if (!contains(inputs, operation) && !contains(out_operations, operation))
        sli_array_push(out_operations, operation);
    }
  }
}

void sli_scope_note_operation(sl_scope_t *scope, TF_Operation *operation) {
  for (size_t i = scope->frames.count; i-- > 0;) {
    sli_scope_frame_t *frame = &scope->frames.items[i];
    if (frame->kind != SLI_SCOPE_CONTROL) continue;
    if (frame->operations.count == 0) return;
    sli_map_set(&frame->seen, sli_view(TF_OperationName(operation)), frame);
  }
}

// --- Collections ---

void sl_collection_add(sl_scope_t *scope, const char *key, TF_Output item) {
  if (!item.oper) return;
  sli_outputs_t *items = sli_map_get(&scope->collections, sli_view(key));
  if (!items) {
    items = sli_calloc(1, sizeof(*items));
    sli_map_set(&scope->collections, sli_view(key), items);
  }
  sli_array_push(items, item);
}

size_t sl_collection_count(const sl_scope_t *scope, const char *key) {
  const sli_outputs_t *items = sli_map_get(&scope->collections, sli_view(key));
  return items ? items->count : 0;
}

const TF_Output *sl_collection_items(const sl_scope_t *scope, const char *key) {
  const sli_outputs_t *items = sli_map_get(&scope->collections, sli_view(key));
  return items ? items->items : NULL;
}

sl_outputs_t sli_scope_copy_outputs(sl_scope_t *scope, const TF_Output *items, size_t count) {
  if (!count) return (sl_outputs_t){0};
  TF_Output *copy = sli_calloc(count, sizeof(*copy));
  memcpy(copy, items, count * sizeof(*copy));
  sli_scope_own(scope, copy, free);
  return (sl_outputs_t){count, copy};
}

sl_outputs_t sl_collection(sl_scope_t *scope, const char *key, const char *prefix) {
  const sli_outputs_t *items = sli_map_get(&scope->collections, sli_view(key));
  sli_outputs_t found = {0};
  for (size_t i = 0; items && i < items->count; i++)
    if (!prefix || sli_string_starts_with(TF_OperationName(items->items[i].oper), prefix))
      sli_array_push(&found, items->items[i]);
  sl_outputs_t result = sli_scope_copy_outputs(scope, found.items, found.count);
  sli_array_deinitialize(&found);
  return result;
}
