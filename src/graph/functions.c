// The function library of a graph.
#include <stdlib.h>

#include "graph/graph.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

sli_graph_functions_t *sli_graph_functions_retain(sli_graph_functions_t *functions) {
  if (functions) sli_refcount_retain(&functions->references);
  return functions;
}

void sli_graph_functions_release(sli_graph_functions_t *functions) {
  while (functions && sli_refcount_release(&functions->references)) {
    sli_graph_functions_t *base = functions->base;
    for (size_t i = functions->own; i < functions->items.count; i++)
      sli_op_release_tensors(functions->items.items[i]->op);
    sli_array_deinitialize(&functions->items);
    sli_map_deinitialize(&functions->by_name);
    sli_map_deinitialize(&functions->gradients);
    sli_arena_deinitialize(&functions->arena);
    free(functions);
    functions = base;
  }
}

const sli_graph_function_t *sli_graph_functions_find(const sli_graph_functions_t *functions, sli_view_t name) {
  return functions ? sli_map_get(&functions->by_name, name) : NULL;
}

const char *sli_graph_functions_gradient(const sli_graph_functions_t *functions, sli_view_t name) {
  return functions ? sli_map_get(&functions->gradients, name) : NULL;
}

// --- Equality ------------------------------------------------------------------

typedef SLI_ARRAY(sli_view_t) views_t;

static int compare_views(const void *a, const void *b) {
  const sli_view_t *x = a, *y = b;
  size_t size = x->size < y->size ? x->size : y->size;
  int order = size ? memcmp(x->data, y->data, size) : 0;
  return order ? order : (x->size > y->size) - (x->size < y->size);
}

// The messages of a FunctionDef that have maps in them, whose entries may be in any order in equal messages.
typedef enum { OTHER, FUNCTION_DEF, NODE, ATTR_ENTRY, ATTR_VALUE, LIST_VALUE, FUNCTION_NAME, ARG_ENTRY, ARG } kind_t;

static const struct {
  kind_t parent;
  uint32_t field;
  kind_t kind;
  bool is_map;
} nested[] = {
    {FUNCTION_DEF, SLI_FIELD_FUNCTION_DEF_NODE_DEF, NODE, false},
    {FUNCTION_DEF, SLI_FIELD_FUNCTION_DEF_ATTR, ATTR_ENTRY, true},
    {FUNCTION_DEF, SLI_FIELD_FUNCTION_DEF_RET, OTHER, true},
    {FUNCTION_DEF, SLI_FIELD_FUNCTION_DEF_CONTROL_RET, OTHER, true},
    {FUNCTION_DEF, SLI_FIELD_FUNCTION_DEF_RESOURCE_ARG_UNIQUE_ID, OTHER, true},
    {FUNCTION_DEF, SLI_FIELD_FUNCTION_DEF_ARG_ATTR, ARG_ENTRY, true},
    {NODE, SLI_FIELD_NODE_DEF_ATTR, ATTR_ENTRY, true},
    {ATTR_ENTRY, SLI_FIELD_NODE_DEF_ATTR_ENTRY_VALUE, ATTR_VALUE, false},
    {ATTR_VALUE, SLI_FIELD_ATTR_VALUE_LIST, LIST_VALUE, false},
    {ATTR_VALUE, SLI_FIELD_ATTR_VALUE_FUNC, FUNCTION_NAME, false},
    {LIST_VALUE, SLI_FIELD_ATTR_VALUE_LIST_VALUE_FUNC, FUNCTION_NAME, false},
    {FUNCTION_NAME, SLI_FIELD_NAME_ATTR_LIST_ATTR, ATTR_ENTRY, true},
    {ARG_ENTRY, SLI_FIELD_FUNCTION_DEF_ARG_ATTR_ENTRY_VALUE, ARG, false},
    {ARG, SLI_FIELD_FUNCTION_DEF_ARG_ATTRS_ATTR, ATTR_ENTRY, true},
};

enum { DEEPEST = 100 };

// Appends a message such that equal messages give equal bytes: the entries of maps are sorted, after all else.
static void append_sorted(sli_view_t bytes, kind_t kind, int depth, sli_string_t *out) {
  views_t entries = {0};
  sli_arena_t arena = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    kind_t inner = OTHER;
    bool is_map = false;
    for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(nested) && field.type == SLI_WIRE_BYTES; i++) {
      if (nested[i].parent != kind || nested[i].field != field.number) continue;
      inner = nested[i].kind;
      is_map = nested[i].is_map;
    }
    sli_string_t content = {0}, *part = is_map ? &content : out;
    sli_wire_write_varint(part, field.number);
    if (inner != OTHER && depth < DEEPEST) {
      size_t mark = sli_wire_open(part, field.number);
      append_sorted(field.bytes, inner, depth + 1, part);
      sli_wire_close(part, mark);
    } else {
      sli_wire_write_varint(part, field.encoded.size);
      sli_string_append(part, field.encoded.data, field.encoded.size);
    }
    if (is_map)
      sli_array_push(&entries, sli_view_of(sli_arena_strndup(&arena, content.data, content.size), content.size));
    sli_string_deinitialize(&content);
  }
  if (entries.count) qsort(entries.items, entries.count, sizeof(*entries.items), compare_views);
  for (size_t i = 0; i < entries.count; i++) {
    sli_wire_write_varint(out, entries.items[i].size);
    sli_string_append(out, entries.items[i].data, entries.items[i].size);
  }
  sli_array_deinitialize(&entries);
  sli_arena_deinitialize(&arena);
}

static bool functions_equal(sli_view_t a, sli_view_t b) {
  if (sli_view_equal(a, b)) return true;
  if (a.size != b.size) return false;
  sli_string_t left = {0}, right = {0};
  append_sorted(a, FUNCTION_DEF, 0, &left);
  append_sorted(b, FUNCTION_DEF, 0, &right);
  bool equal = sli_view_equal(sli_view_of(left.data, left.size), sli_view_of(right.data, right.size));
  sli_string_deinitialize(&left);
  sli_string_deinitialize(&right);
  return equal;
}

// --- Adding --------------------------------------------------------------------

// The bytes of the signature, and its name.
static sli_status_t *read_signature(sli_view_t function, sli_view_t *out_signature, sli_view_t *out_name) {
  *out_signature = *out_name = (sli_view_t){"", 0};
  sli_wire_reader_t reader = sli_wire_reader(function);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_FUNCTION_DEF_SIGNATURE && field.type == SLI_WIRE_BYTES) *out_signature = field.bytes;
  if (reader.malformed) return sli_wire_error("tensorflow.FunctionDef");
  reader = sli_wire_reader(*out_signature);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);)
    if (field.number == SLI_FIELD_OP_DEF_NAME && field.type == SLI_WIRE_BYTES) *out_name = field.bytes;
  return reader.malformed ? sli_wire_error("tensorflow.OpDef") : NULL;
}

static sli_graph_functions_t *functions_create(sli_graph_functions_t *base) {
  sli_graph_functions_t *functions = sli_calloc(1, sizeof(*functions));
  sli_refcount_initialize(&functions->references);
  if (!base) return functions;
  functions->base = sli_graph_functions_retain(base);
  sli_array_reserve(&functions->items, base->items.count + 1);
  for (size_t i = 0; i < base->items.count; i++) {
    const sli_graph_function_t *item = base->items.items[i];
    sli_array_push(&functions->items, item);
    sli_map_set(&functions->by_name, sli_view(item->op->def->name), (void *)item);
  }
  SLI_MAP_FOR_EACH (&base->gradients, entry)
    sli_map_set(&functions->gradients, sli_view_of(entry->key, entry->key_size), entry->value);
  functions->own = base->items.count;
  return functions;
}

// A library that is being extended.
typedef struct {
  sli_graph_functions_t *original;  // the graph's; may be NULL
  sli_graph_functions_t *now;       // the same until something new is added to a library that others share
  size_t count;                     // of items before
} extension_t;

static sli_graph_functions_t *writable(extension_t *extension) {
  bool is_shared = !extension->now || !sli_refcount_is_one(&extension->now->references);
  if (extension->now == extension->original && is_shared) extension->now = functions_create(extension->original);
  return extension->now;
}

static void undo(extension_t *extension) {
  sli_graph_functions_t *now = extension->now;
  if (now != extension->original) {
    sli_graph_functions_release(now);
    return;
  }
  while (now && now->items.count > extension->count) {
    sli_op_t *op = now->items.items[--now->items.count]->op;
    sli_map_remove(&now->by_name, sli_view(op->def->name));
    sli_op_release_tensors(op);
  }
}

static sli_status_t *add_function(extension_t *extension, sli_view_t bytes) {
  sli_view_t signature, name;
  SLI_RETURN_IF_ERROR(read_signature(bytes, &signature, &name));
  const sli_graph_function_t *known = sli_graph_functions_find(extension->now, name);
  if (known && functions_equal(known->bytes, bytes)) return NULL;
  if (known)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot add function '%.*s' because a different function with the same name already exists.",
                           SLI_VIEW_ARG(name));
  if (sli_op_find(name))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Cannot add function '%.*s' because an op with the same name already exists.",
                           SLI_VIEW_ARG(name));
  sli_graph_functions_t *into = writable(extension);
  sli_graph_function_t *item = sli_arena_calloc(&into->arena, 1, sizeof(*item));
  SLI_RETURN_IF_ERROR(sli_op_decode_function(signature, &into->arena, &item->op));
  item->bytes = sli_view_of(sli_arena_strndup(&into->arena, bytes.data, bytes.size), bytes.size);
  sli_array_push(&into->items, item);
  sli_map_set(&into->by_name, name, item);
  return NULL;
}

typedef struct {
  sli_view_t name, gradient;
} gradient_t;

static sli_status_t *read_gradient(sli_view_t bytes, gradient_t *out_gradient) {
  gradient_t gradient = {{"", 0}, {"", 0}};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    if (field.number == SLI_FIELD_GRADIENT_DEF_FUNCTION_NAME) gradient.name = field.bytes;
    if (field.number == SLI_FIELD_GRADIENT_DEF_GRADIENT_FUNC) gradient.gradient = field.bytes;
  }
  *out_gradient = gradient;
  bool has_nul = gradient.gradient.size && memchr(gradient.gradient.data, '\0', gradient.gradient.size);
  return reader.malformed || has_nul ? sli_wire_error("tensorflow.GradientDef") : NULL;
}

static sli_status_t *check_gradient(const extension_t *extension, sli_view_t bytes) {
  gradient_t gradient;
  SLI_RETURN_IF_ERROR(read_gradient(bytes, &gradient));
  const char *known = sli_graph_functions_gradient(extension->now, gradient.name);
  if (!known || sli_view_is(gradient.gradient, known)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT,
                         "Cannot assign gradient function '%.*s' to '%.*s' because it already has gradient function "
                         "'%s'",
                         SLI_VIEW_ARG(gradient.gradient), SLI_VIEW_ARG(gradient.name), known);
}

static void add_gradient(extension_t *extension, sli_view_t bytes) {
  gradient_t gradient;
  sli_status_release(read_gradient(bytes, &gradient));
  if (sli_graph_functions_gradient(extension->now, gradient.name)) return;
  sli_graph_functions_t *into = writable(extension);
  sli_map_set(&into->gradients, gradient.name,
              sli_arena_strndup(&into->arena, gradient.gradient.data, gradient.gradient.size));
}

sli_status_t *sli_graph_functions_extend(sli_graph_functions_t *functions, const sli_graph_library_t *library,
                                         sli_graph_functions_t **out_functions) {
  *out_functions = NULL;
  extension_t extension = {functions, functions, functions ? functions->items.count : 0};
  sli_status_t *status = NULL;
  for (size_t i = 0; i < library->gradient_count && !status; i++)
    status = check_gradient(&extension, library->gradients[i]);
  for (size_t i = 0; i < library->function_count && !status; i++)
    status = add_function(&extension, library->functions[i]);
  if (status) {
    undo(&extension);
    return status;
  }
  for (size_t i = 0; i < library->gradient_count; i++) add_gradient(&extension, library->gradients[i]);
  *out_functions = extension.now == functions ? sli_graph_functions_retain(functions) : extension.now;
  return NULL;
}

sli_status_t *sli_graph_add_functions(sli_graph_t *graph, const sli_graph_library_t *library) {
  sli_graph_functions_t *extended;
  SLI_RETURN_IF_ERROR(sli_graph_functions_extend(graph->functions, library, &extended));
  sli_graph_functions_release(graph->functions);
  graph->functions = extended;
  return NULL;
}
