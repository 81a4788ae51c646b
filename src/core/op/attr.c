#include "core/op/attr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

static const char *const kind_names[] = {
    [SLI_ATTR_NONE] = "none",   [SLI_ATTR_STRING] = "string",
    [SLI_ATTR_INT] = "int",     [SLI_ATTR_FLOAT] = "float",
    [SLI_ATTR_BOOL] = "bool",   [SLI_ATTR_TYPE] = "type",
    [SLI_ATTR_SHAPE] = "shape", [SLI_ATTR_TENSOR] = "tensor",
    [SLI_ATTR_FUNC] = "func",   [SLI_ATTR_PLACEHOLDER] = "placeholder",
};

void sli_attr_append_kind(sli_string_t *string, sli_attr_kind_t kind, bool is_list) {
  sli_string_append_format(string, is_list ? "list(%s)" : "%s", kind_names[kind]);
}

// Copies.

static sli_view_t copy_view(sli_arena_t *arena, sli_view_t view) {
  return sli_view_of(sli_arena_strndup(arena, view.data, view.size), view.size);
}

static sli_attr_func_t copy_func(sli_arena_t *arena, const sli_attr_func_t *func) {
  sli_attr_entry_t *attrs = sli_arena_calloc(arena, func->attr_count, sizeof(*attrs));
  for (size_t i = 0; i < func->attr_count; i++) {
    attrs[i].name = sli_arena_strndup(arena, func->attrs[i].name, strlen(func->attrs[i].name));
    attrs[i].value = sli_attr_copy(arena, &func->attrs[i].value);
  }
  return (sli_attr_func_t){.name = copy_view(arena, func->name), .attrs = attrs, .attr_count = func->attr_count};
}

static void *copy_items(sli_arena_t *arena, const void *items, size_t count, size_t size) {
  void *copy = sli_arena_allocate(arena, count * size);
  if (count) memcpy(copy, items, count * size);
  return copy;
}

static sli_attr_t copy_list(sli_arena_t *arena, const sli_attr_t *attr) {
  sli_attr_t copy = {.kind = attr->kind, .is_list = true, .count = attr->count};
  size_t count = attr->count;
  switch (attr->kind) {
    case SLI_ATTR_NONE: break;
    case SLI_ATTR_PLACEHOLDER:
    case SLI_ATTR_STRING: {
      sli_view_t *items = sli_arena_calloc(arena, count, sizeof(*items));
      for (size_t i = 0; i < count; i++) items[i] = copy_view(arena, attr->list.s[i]);
      copy.list.s = items;
      break;
    }
    case SLI_ATTR_INT: copy.list.i = copy_items(arena, attr->list.i, count, sizeof(int64_t)); break;
    case SLI_ATTR_FLOAT: copy.list.f = copy_items(arena, attr->list.f, count, sizeof(float)); break;
    case SLI_ATTR_BOOL: copy.list.b = copy_items(arena, attr->list.b, count, sizeof(bool)); break;
    case SLI_ATTR_TYPE: copy.list.type = copy_items(arena, attr->list.type, count, sizeof(sli_dtype_t)); break;
    case SLI_ATTR_SHAPE: {
      sli_shape_t *items = sli_arena_calloc(arena, count, sizeof(*items));
      for (size_t i = 0; i < count; i++) items[i] = sli_shape_copy(arena, attr->list.shape[i]);
      copy.list.shape = items;
      break;
    }
    case SLI_ATTR_TENSOR: {
      copy.list.tensor = copy_items(arena, attr->list.tensor, count, sizeof(sli_tensor_t *));
      for (size_t i = 0; i < count; i++) sli_tensor_retain(copy.list.tensor[i]);
      break;
    }
    case SLI_ATTR_FUNC: {
      sli_attr_func_t *items = sli_arena_calloc(arena, count, sizeof(*items));
      for (size_t i = 0; i < count; i++) items[i] = copy_func(arena, &attr->list.func[i]);
      copy.list.func = items;
      break;
    }
  }
  return copy;
}

sli_attr_t sli_attr_copy(sli_arena_t *arena, const sli_attr_t *attr) {
  if (attr->is_list) return copy_list(arena, attr);
  sli_attr_t copy = *attr;
  switch (attr->kind) {
    case SLI_ATTR_STRING:
    case SLI_ATTR_PLACEHOLDER: copy.s = copy_view(arena, attr->s); break;
    case SLI_ATTR_SHAPE: copy.shape = sli_shape_copy(arena, attr->shape); break;
    case SLI_ATTR_TENSOR: sli_tensor_retain(attr->tensor); break;
    case SLI_ATTR_FUNC: copy.func = copy_func(arena, &attr->func); break;
    default: break;
  }
  return copy;
}

static void release_func(const sli_attr_func_t *func) {
  for (size_t i = 0; i < func->attr_count; i++) {
    sli_attr_t value = func->attrs[i].value;
    sli_attr_release_tensors(&value);
  }
}

void sli_attr_release_tensors(sli_attr_t *attr) {
  if (attr->kind != SLI_ATTR_TENSOR && attr->kind != SLI_ATTR_FUNC) return;
  if (!attr->is_list) {
    if (attr->kind == SLI_ATTR_TENSOR)
      sli_tensor_release(attr->tensor);
    else
      release_func(&attr->func);
  } else {
    for (size_t i = 0; i < attr->count; i++) {
      if (attr->kind == SLI_ATTR_TENSOR)
        sli_tensor_release(attr->list.tensor[i]);
      else
        release_func(&attr->list.func[i]);
    }
  }
  *attr = (sli_attr_t){0};
}

// Comparison.

static bool tensors_equal(const sli_tensor_t *a, const sli_tensor_t *b) {
  if (a == b) return true;
  if (!a || !b || a->dtype != b->dtype || !sli_tensor_same_shape(a, b)) return false;
  if (a->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < a->count; i++) {
      if (!sli_view_equal(sli_tstring_view(&SLI_DATA(sli_tstring_t, a)[i]),
                          sli_tstring_view(&SLI_DATA(sli_tstring_t, b)[i])))
        return false;
    }
    return true;
  }
  return a->count == 0 || memcmp(a->data, b->data, sli_tensor_bytes(a)) == 0;
}

// Attributes of a function are a map: their order does not matter.
static bool funcs_equal(const sli_attr_func_t *a, const sli_attr_func_t *b) {
  if (!sli_view_equal(a->name, b->name) || a->attr_count != b->attr_count) return false;
  for (size_t i = 0; i < a->attr_count; i++) {
    bool found = false;
    for (size_t j = 0; j < b->attr_count && !found; j++) {
      found = strcmp(a->attrs[i].name, b->attrs[j].name) == 0 && sli_attr_equal(&a->attrs[i].value, &b->attrs[j].value);
    }
    if (!found) return false;
  }
  return true;
}

// Element |i| of a list as an attribute; borrowed.
static sli_attr_t list_item(const sli_attr_t *attr, size_t i) {
  sli_attr_t item = {.kind = attr->kind};
  switch (attr->kind) {
    case SLI_ATTR_NONE: break;
    case SLI_ATTR_PLACEHOLDER:
    case SLI_ATTR_STRING: item.s = attr->list.s[i]; break;
    case SLI_ATTR_INT: item.i = attr->list.i[i]; break;
    case SLI_ATTR_FLOAT: item.f = attr->list.f[i]; break;
    case SLI_ATTR_BOOL: item.b = attr->list.b[i]; break;
    case SLI_ATTR_TYPE: item.type = attr->list.type[i]; break;
    case SLI_ATTR_SHAPE: item.shape = attr->list.shape[i]; break;
    case SLI_ATTR_TENSOR: item.tensor = attr->list.tensor[i]; break;
    case SLI_ATTR_FUNC: item.func = attr->list.func[i]; break;
  }
  return item;
}

bool sli_attr_equal(const sli_attr_t *a, const sli_attr_t *b) {
  if (a->is_list != b->is_list) return false;
  if (a->is_list) {
    // An empty list from the wire has no kind yet.
    if (a->count != b->count || (a->count && a->kind != b->kind)) return false;
    for (size_t i = 0; i < a->count; i++) {
      sli_attr_t left = list_item(a, i), right = list_item(b, i);
      if (!sli_attr_equal(&left, &right)) return false;
    }
    return true;
  }
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case SLI_ATTR_NONE: return true;
    case SLI_ATTR_PLACEHOLDER:
    case SLI_ATTR_STRING: return sli_view_equal(a->s, b->s);
    case SLI_ATTR_INT: return a->i == b->i;
    case SLI_ATTR_FLOAT: return memcmp(&a->f, &b->f, sizeof(float)) == 0;
    case SLI_ATTR_BOOL: return a->b == b->b;
    case SLI_ATTR_TYPE: return a->type == b->type;
    case SLI_ATTR_SHAPE: return sli_shape_equal(a->shape, b->shape);
    case SLI_ATTR_TENSOR: return tensors_equal(a->tensor, b->tensor);
    case SLI_ATTR_FUNC: return funcs_equal(&a->func, &b->func);
  }
  return false;
}

// Text.

// In quotes; the middle of a long string is left out.
static void append_string(sli_string_t *string, sli_view_t text) {
  enum { LONGEST = 80, KEPT = 10 };
  sli_string_t escaped = {0};
  // Only the two ends of a long string show, so only they are escaped.
  if (text.size > 2 * LONGEST) {
    sli_string_append_escaped(&escaped, sli_view_of(text.data, LONGEST));
    sli_string_append_escaped(&escaped, sli_view_of(text.data + text.size - LONGEST, LONGEST));
  } else {
    sli_string_append_escaped(&escaped, text);
  }
  if (escaped.size >= LONGEST) {
    sli_string_append_format(string, "\"%.*s...%.*s\"", KEPT, escaped.data, KEPT, escaped.data + escaped.size - KEPT);
  } else {
    sli_string_append_format(string, "\"%s\"", sli_string_text(&escaped));
  }
  sli_string_deinitialize(&escaped);
}

// The fewest digits that read back as the same number.
static void append_shortest_float(sli_string_t *string, float value) {
  char text[32];
  for (int digits = 6; digits <= 9; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value) break;
  }
  sli_string_append_text(string, text);
}

static void append_type(sli_string_t *string, sli_dtype_t type) {
  sli_string_append_text(string, "DT_");
  for (const char *c = sli_dtype_name(type); *c; c++) sli_string_append_char(string, (char)toupper((unsigned char)*c));
}

static void append_tensor(sli_string_t *string, const sli_tensor_t *tensor) {
  enum { SHOWN = 3 };
  sli_string_append_format(string, "Tensor<type: %s shape: ", sli_dtype_name((sli_dtype_t)tensor->dtype));
  sli_shape_append(string, sli_tensor_shape(tensor));
  sli_string_append_text(string, " values: ");
  sli_tensor_append_values(string, tensor, SHOWN);
  sli_string_append_char(string, '>');
}

static int compare_entries(const void *a, const void *b) {
  return strcmp((*(const sli_attr_entry_t *const *)a)->name, (*(const sli_attr_entry_t *const *)b)->name);
}

static void append_func(sli_string_t *string, const sli_attr_func_t *func) {
  SLI_ARRAY(const sli_attr_entry_t *) sorted = {0};
  for (size_t i = 0; i < func->attr_count; i++) sli_array_push(&sorted, &func->attrs[i]);
  if (sorted.count) qsort(sorted.items, sorted.count, sizeof(sorted.items[0]), compare_entries);
  sli_string_append(string, func->name.data, func->name.size);
  sli_string_append_char(string, '[');
  for (size_t i = 0; i < sorted.count; i++) {
    sli_string_append_format(string, "%s%s=", i ? ", " : "", sorted.items[i]->name);
    sli_attr_append(string, &sorted.items[i]->value);
  }
  sli_string_append_char(string, ']');
  sli_array_deinitialize(&sorted);
}

static void append_list(sli_string_t *string, const sli_attr_t *attr) {
  // TensorFlow shows the first and the last five elements of a long list, but all types.
  enum { LONGEST = 15, ENDS = 5 };
  sli_string_append_char(string, '[');
  for (size_t i = 0; i < attr->count; i++) {
    if (i) sli_string_append_text(string, ", ");
    if (attr->kind != SLI_ATTR_TYPE && attr->count >= LONGEST && i == ENDS) {
      sli_string_append_text(string, "...");
      i = attr->count - ENDS - 1;
      continue;
    }
    sli_attr_t item = list_item(attr, i);
    sli_attr_append(string, &item);
  }
  sli_string_append_char(string, ']');
}

void sli_attr_append(sli_string_t *string, const sli_attr_t *attr) {
  if (attr->is_list) {
    append_list(string, attr);
    return;
  }
  switch (attr->kind) {
    case SLI_ATTR_NONE: sli_string_append_text(string, "<Unknown AttrValue type>"); break;
    case SLI_ATTR_STRING: append_string(string, attr->s); break;
    case SLI_ATTR_INT: sli_string_append_format(string, "%lld", (long long)attr->i); break;
    case SLI_ATTR_FLOAT: append_shortest_float(string, attr->f); break;
    case SLI_ATTR_BOOL: sli_string_append_text(string, attr->b ? "true" : "false"); break;
    case SLI_ATTR_TYPE: append_type(string, attr->type); break;
    case SLI_ATTR_SHAPE: sli_shape_append(string, attr->shape); break;
    case SLI_ATTR_TENSOR: append_tensor(string, attr->tensor); break;
    case SLI_ATTR_FUNC: append_func(string, &attr->func); break;
    case SLI_ATTR_PLACEHOLDER: sli_string_append_format(string, "$%.*s", SLI_VIEW_ARG(attr->s)); break;
  }
}
