// Completes a node that a user or a peer describes: infers attributes from the inputs
// (as TensorFlow's node builder does), checks them against the op, adds defaults and
// computes types. The attributes are kept sorted by name from the start, so that a
// node with very many of them costs little.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/sync.h"
#include "core/op/op_spec_internal.h"

typedef struct {
  const sli_node_request_t *request;
  const sli_op_t *op;
  sli_arena_t *arena;
  sli_attr_entry_t *attrs;  // sorted by name, with room for all of the op's
  size_t attr_count;
  sli_string_t errors;  // of inference, one to a line
  int error_count;
} builder_t;

static void add_error(builder_t *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_error(builder_t *b, const char *format, ...) {
  if (b->error_count++) sli_string_append_char(&b->errors, '\n');
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&b->errors, format, args);
  va_end(args);
}

// A status with the op's summary between two texts.
static sli_status_t *with_summary(const builder_t *b, const char *before, const char *after) {
  sli_string_t text = {0};
  sli_string_append_text(&text, before);
  sli_op_append(&text, b->op);
  sli_string_append_text(&text, after);
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

// Attributes.

// The position of |name|, or the position where it belongs.
static size_t position_of(const builder_t *b, const char *name, bool *out_found) {
  size_t low = 0, high = b->attr_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(b->attrs[middle].name, name);
    if (order == 0) {
      *out_found = true;
      return middle;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  *out_found = false;
  return low;
}

static sli_attr_t *find_attr(const builder_t *b, const char *name) {
  bool found = false;
  size_t position = position_of(b, name, &found);
  return found ? &b->attrs[position].value : NULL;
}

static void insert_attr(builder_t *b, const char *name, sli_attr_t value) {
  bool found = false;
  size_t position = position_of(b, name, &found);
  memmove(&b->attrs[position + 1], &b->attrs[position], (b->attr_count - position) * sizeof(*b->attrs));
  b->attrs[position] = (sli_attr_entry_t){name, value};
  b->attr_count++;
}

// By name, then by address: the order in which they were given.
static int compare_given(const void *a, const void *b) {
  const sli_attr_entry_t *left = *(const sli_attr_entry_t *const *)a, *right = *(const sli_attr_entry_t *const *)b;
  int order = strcmp(left->name, right->name);
  return order ? order : (left > right) - (left < right);
}

// Copies the given attributes. Of two with the same name the last counts, as in a
// map; in a request with |infer| they must be equal.
static void take_given(builder_t *b) {
  size_t given = b->request->attr_count;
  b->attrs = sli_calloc(given + (size_t)b->op->attr_count, sizeof(*b->attrs));
  const sli_attr_entry_t **sorted = sli_malloc((given + 1) * sizeof(const sli_attr_entry_t *));
  for (size_t i = 0; i < given; i++) sorted[i] = &b->request->attrs[i];
  qsort(sorted, given, sizeof(*sorted), compare_given);
  for (size_t i = 0; i < given; i++) {
    const char *name = sorted[i]->name;
    if (i + 1 < given && strcmp(name, sorted[i + 1]->name) == 0) {
      if (b->request->infer && !sli_attr_equal(&sorted[i]->value, &sorted[i + 1]->value)) {
        add_error(b, "Inconsistent values for attr '%s' ", name);
        sli_attr_append(&b->errors, &sorted[i]->value);
        sli_string_append_text(&b->errors, " vs. ");
        sli_attr_append(&b->errors, &sorted[i + 1]->value);
      }
      continue;
    }
    const sli_attr_spec_t *spec = sli_op_attr_spec(b->op, name);
    b->attrs[b->attr_count++] =
        (sli_attr_entry_t){.name = spec ? spec->name : sli_arena_strndup(b->arena, name, strlen(name)),
                           .value = sli_attr_copy(b->arena, &sorted[i]->value)};
  }
  free(sorted);
}

// Inference.

static void infer_attr(builder_t *b, const char *name, sli_attr_t value) {
  const sli_attr_t *present = find_attr(b, name);
  if (!present) {
    insert_attr(b, name, value);
  } else if (!sli_attr_equal(present, &value)) {
    add_error(b, "Inconsistent values for attr '%s' ", name);
    sli_attr_append(&b->errors, present);
    sli_string_append_text(&b->errors, " vs. ");
    sli_attr_append(&b->errors, &value);
  }
}

// A reference may be passed where a value is expected, but not the other way round.
static bool types_compatible(sli_dtype_t expected, sli_dtype_t actual) {
  return actual == SLI_DTYPE_INVALID || expected == actual || expected == sli_dtype_base(actual);
}

static void verify_type(builder_t *b, const sli_arg_t *arg, sli_dtype_t base, sli_dtype_t actual) {
  sli_dtype_t expected = arg->is_ref ? sli_dtype_make_ref(base) : base;
  if (!types_compatible(expected, actual))
    add_error(b, "Input '%s' passed %s expected %s", arg->name, sli_dtype_name(actual), sli_dtype_name(expected));
}

static void verify_ref(builder_t *b, const sli_arg_t *arg, sli_dtype_t actual) {
  if (arg->is_ref && actual && !sli_dtype_is_ref(actual))
    add_error(b, "Input '%s' passed %s expected ref type", arg->name, sli_dtype_name(actual));
}

static void infer_from_arg(builder_t *b, const sli_arg_t *arg, const sli_dtype_t *types, int count) {
  if (arg->number_attr) infer_attr(b, arg->number_attr, (sli_attr_t){.kind = SLI_ATTR_INT, .i = count});
  if (arg->type_list_attr) {
    sli_dtype_t *list = sli_arena_calloc(b->arena, (size_t)count, sizeof(*list));
    bool known = true;
    for (int i = 0; i < count; i++) {
      verify_ref(b, arg, types[i]);
      list[i] = sli_dtype_base(types[i]);
      known = known && list[i];
    }
    if (known)
      infer_attr(b, arg->type_list_attr,
                 (sli_attr_t){.kind = SLI_ATTR_TYPE, .is_list = true, .count = (size_t)count, .list.type = list});
    return;
  }
  sli_dtype_t base = arg->type;
  for (int i = 0; i < count; i++) {
    if (arg->type_attr && !base && types[i]) {
      base = sli_dtype_base(types[i]);
      infer_attr(b, arg->type_attr, (sli_attr_t){.kind = SLI_ATTR_TYPE, .type = base});
      verify_ref(b, arg, types[i]);
    } else if (base) {
      verify_type(b, arg, base, types[i]);
    }
  }
}

// The attribute that sets how many inputs |arg| has; NULL: always one.
static const char *length_attr(const sli_arg_t *arg) {
  return arg->number_attr ? arg->number_attr : arg->type_list_attr;
}

// Computes how many inputs each argument has, from the attributes that are present. If one
// length attribute is absent, the remaining inputs belong to its arguments.
static bool solve_sizes(builder_t *b, int64_t *sizes) {
  const char *unknown = NULL;
  int64_t used = 0, sharing = 0, total = b->request->input_count;
  for (int i = 0; i < b->op->input_count; i++) {
    const char *length = length_attr(&b->op->inputs[i]);
    const sli_attr_t *attr = length ? find_attr(b, length) : NULL;
    sizes[i] = 1;
    if (attr)
      sizes[i] = b->op->inputs[i].number_attr ? (attr->kind == SLI_ATTR_INT ? attr->i : -1) : (int64_t)attr->count;
    if (length && !attr) {
      sizes[i] = 0;
      sharing++;
      if (unknown && strcmp(unknown, length) != 0) {
        add_error(b, "Neither attr '%s' nor '%s' is set, so the number of inputs is unknown", unknown, length);
        return false;
      }
      unknown = length;
    }
    if (sizes[i] < 0 || sizes[i] > total - used) {
      add_error(b, "%lld inputs specified of %d inputs in Op", (long long)total, b->op->input_count);
      return false;
    }
    used += sizes[i];
  }
  if (sharing ? (total - used) % sharing != 0 : total != used) {
    add_error(b, "More Input() calls than the %d input_args", b->op->input_count);
    return false;
  }
  for (int i = 0; i < b->op->input_count; i++) {
    const char *length = length_attr(&b->op->inputs[i]);
    if (length && unknown && strcmp(length, unknown) == 0) sizes[i] = (total - used) / sharing;
  }
  return true;
}

static bool given_sizes(builder_t *b, int64_t *sizes) {
  int64_t left = b->request->input_count;
  for (int i = 0; i < b->op->input_count; i++) {
    sizes[i] = b->request->list_sizes[i];
    if (sizes[i] != 1 && !length_attr(&b->op->inputs[i])) {
      add_error(b, "List provided to input '%s' when single Tensor expected", b->op->inputs[i].name);
      return false;
    }
    if (sizes[i] < 0 || sizes[i] > left) {
      add_error(b, "%d inputs specified of %d inputs in Op", b->request->input_count, b->op->input_count);
      return false;
    }
    left -= sizes[i];
  }
  if (left) add_error(b, "More Input() calls than the %d input_args", b->op->input_count);
  return left == 0;
}

static sli_status_t *infer_attrs(builder_t *b) {
  int64_t *sizes = sli_arena_calloc(b->arena, (size_t)b->op->input_count, sizeof(*sizes));
  if (b->request->list_sizes ? given_sizes(b, sizes) : solve_sizes(b, sizes)) {
    const sli_dtype_t *types = b->request->input_types;
    for (int i = 0; i < b->op->input_count; types += sizes[i++]) {
      infer_from_arg(b, &b->op->inputs[i], types, (int)sizes[i]);
    }
  }
  if (!b->error_count) return NULL;
  sli_string_t text = {0};
  if (b->error_count == 1)
    sli_string_append_text(&text, sli_string_text(&b->errors));
  else
    sli_string_append_format(&text, "%d errors", b->error_count);
  sli_string_append_format(&text, " while building NodeDef '%s' using ", b->request->name);
  sli_op_append(&text, b->op);
  if (b->error_count > 1) sli_string_append_format(&text, ":\n%s", sli_string_text(&b->errors));
  sli_status_t *status = sli_status_make_text(SLI_INVALID_ARGUMENT, sli_string_text(&text));
  sli_string_deinitialize(&text);
  return status;
}

// Checks.

// A newer producer may write attributes that we do not know. As in TensorFlow, they are
// kept and a warning is logged, but not for every node of a large graph.
static void warn_unknown_attr(const builder_t *b, const char *name) {
  enum { WARNINGS = 10 };
  static atomic_int warned;
  if (atomic_fetch_add_explicit(&warned, 1, memory_order_relaxed) >= WARNINGS) return;
  SLI_WARNING(
      "NodeDef mentions attribute %s which is not in the definition of op %s: it is ignored. The program that "
      "made the graph may be newer than this one. NodeDef: {{node %s}}",
      name, b->op->def->name, b->request->name);
}

static sli_status_t *check_attrs(builder_t *b) {
  for (size_t i = 0; i < b->attr_count; i++) {
    sli_attr_entry_t *entry = &b->attrs[i];
    if (entry->name[0] == '_') continue;
    const sli_attr_spec_t *spec = sli_op_attr_spec(b->op, entry->name);
    if (!spec) {
      warn_unknown_attr(b, entry->name);
      continue;
    }
    // The body of a function may be called with several types: "$T" is replaced at the call.
    if (entry->value.kind == SLI_ATTR_PLACEHOLDER) continue;
    sli_status_t *status = sli_attr_spec_check(spec, &entry->value);
    if (status) {
      sli_string_t summary = {0};
      sli_op_append(&summary, b->op);
      status = sli_status_append(status, "\n\t; NodeDef: {{node %s}}; %s", b->request->name, sli_string_text(&summary));
      sli_string_deinitialize(&summary);
      return status;
    }
  }
  return NULL;
}

static sli_status_t *add_defaults(builder_t *b) {
  sli_string_t missing = {0};
  int missing_count = 0;
  for (int i = 0; i < b->op->attr_count; i++) {
    const sli_attr_spec_t *spec = &b->op->attrs[i];
    if (find_attr(b, spec->name)) continue;
    if (spec->has_default) {
      insert_attr(b, spec->name, sli_attr_copy(b->arena, &spec->default_value));
    } else {
      sli_string_append_format(&missing, "%s%s", missing_count++ ? "', '" : "", spec->name);
    }
  }
  sli_status_t *status = NULL;
  if (missing_count) {
    sli_string_t before = {0}, after = {0};
    sli_string_append_format(&before, "NodeDef missing attr%s '%s' from ", missing_count == 1 ? "" : "s",
                             sli_string_text(&missing));
    sli_string_append_format(&after, "; NodeDef: {{node %s}}", b->request->name);
    status = with_summary(b, sli_string_text(&before), sli_string_text(&after));
    sli_string_deinitialize(&before);
    sli_string_deinitialize(&after);
  }
  sli_string_deinitialize(&missing);
  return status;
}

// Types.

enum { MOST_OUTPUTS = 1 << 20 };

// Computes how many inputs or outputs |arg| has, and their type unless each has its own.
static sli_status_t *resolve_arg(const builder_t *b, const sli_arg_t *arg, int64_t *out_count, sli_dtype_t *out_type) {
  static const char text[] = "AttrValue had value with unexpected type 'placeholder'";
  *out_count = 1;
  *out_type = arg->type;
  if (length_attr(arg)) {
    const sli_attr_t *length = find_attr(b, length_attr(arg));
    if (length->kind == SLI_ATTR_PLACEHOLDER) return sli_status_make_text(SLI_INVALID_ARGUMENT, text);
    *out_count = arg->number_attr ? length->i : (int64_t)length->count;
    if (*out_count < 0)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Value for number_attr() %lld < 0", (long long)*out_count);
    if (*out_count > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "Number of outputs is too big: %lld", (long long)*out_count);
  }
  if (arg->type_attr) {
    const sli_attr_t *type = find_attr(b, arg->type_attr);
    if (type->kind == SLI_ATTR_PLACEHOLDER) return sli_status_make_text(SLI_INVALID_ARGUMENT, text);
    *out_type = type->type;
  }
  return NULL;
}

static sli_status_t *count_args(const builder_t *b, const sli_arg_t *args, int arg_count, int64_t *out_total) {
  *out_total = 0;
  for (int i = 0; i < arg_count; i++) {
    int64_t count = 0;
    sli_dtype_t type;
    SLI_RETURN_IF_ERROR(resolve_arg(b, &args[i], &count, &type));
    *out_total += count;
  }
  return NULL;
}

// Writes at most |capacity| types; count_args has checked that they can be resolved.
static void fill_types(const builder_t *b, const sli_arg_t *args, int arg_count, sli_dtype_t *types, int64_t capacity) {
  int64_t next = 0;
  for (int i = 0; i < arg_count; i++) {
    int64_t count = 0;
    sli_dtype_t type;
    sli_status_release(resolve_arg(b, &args[i], &count, &type));
    const sli_attr_t *list = args[i].type_list_attr ? find_attr(b, args[i].type_list_attr) : NULL;
    for (int64_t k = 0; k < count && next < capacity; k++) {
      sli_dtype_t base = list ? list->list.type[k] : type;
      types[next++] = args[i].is_ref ? sli_dtype_make_ref(base) : base;
    }
  }
}

static sli_status_t *wrong_input_count(const builder_t *b, int64_t expected) {
  enum { SHOWN = 64 };
  sli_dtype_t types[SHOWN];
  int64_t shown = expected < SHOWN ? expected : SHOWN;
  fill_types(b, b->op->inputs, b->op->input_count, types, shown);
  sli_string_t before = {0}, after = {0};
  sli_string_append_text(&before, "NodeDef expected inputs '");
  for (int64_t i = 0; i < shown; i++) {
    sli_string_append_format(&before, "%s%s", i ? ", " : "", sli_dtype_name(types[i]));
  }
  sli_string_append_format(&before, "%s' do not match %d inputs specified; ", shown < expected ? ", ..." : "",
                           b->request->input_count);
  sli_string_append_format(&after, "; NodeDef: {{node %s}}", b->request->name);
  sli_status_t *status = with_summary(b, sli_string_text(&before), sli_string_text(&after));
  sli_string_deinitialize(&before);
  sli_string_deinitialize(&after);
  return status;
}

static sli_status_t *compute_types(const builder_t *b, sli_node_def_t *node) {
  const sli_op_t *op = b->op;
  int64_t inputs = 0, outputs = 0;
  SLI_RETURN_IF_ERROR(count_args(b, op->inputs, op->input_count, &inputs));
  SLI_RETURN_IF_ERROR(count_args(b, op->outputs, op->output_count, &outputs));
  if (inputs != b->request->input_count) return wrong_input_count(b, inputs);
  if (outputs > MOST_OUTPUTS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Number of outputs is too big: %lld", (long long)outputs);
  sli_dtype_t *types = sli_arena_calloc(b->arena, (size_t)(inputs + outputs), sizeof(*types));
  fill_types(b, op->inputs, op->input_count, types, inputs);
  fill_types(b, op->outputs, op->output_count, types + inputs, outputs);
  node->input_types = types;
  node->input_count = (int)inputs;
  node->output_types = types + inputs;
  node->output_count = (int)outputs;
  for (int i = 0; i < node->input_count && b->request->input_types; i++) {
    if (!types_compatible(types[i], b->request->input_types[i]))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Input %d of node %s was passed %s incompatible with expected %s.",
                             i, b->request->name, sli_dtype_name(b->request->input_types[i]), sli_dtype_name(types[i]));
  }
  return NULL;
}

sli_status_t *sli_node_def_complete(const sli_node_request_t *request, sli_arena_t *arena, sli_node_def_t *out_node) {
  *out_node = (sli_node_def_t){0};
  builder_t b = {.request = request, .op = request->op, .arena = arena};
  const char *device = request->device ? request->device : "";
  sli_node_def_t node = {
      .name = sli_arena_strndup(arena, request->name, strlen(request->name)), .op = request->op, .device = device};
  take_given(&b);
  sli_status_t *status = request->infer && (request->input_types || !request->input_count) ? infer_attrs(&b) : NULL;
  if (!status) status = check_attrs(&b);
  if (!status) status = add_defaults(&b);
  if (!status) status = compute_types(&b, &node);
  sli_attr_entry_t *attrs = sli_arena_allocate(arena, b.attr_count * sizeof(*attrs));
  if (b.attr_count) memcpy(attrs, b.attrs, b.attr_count * sizeof(*attrs));
  free(b.attrs);
  node.attrs = attrs;
  node.attr_count = b.attr_count;
  if (status)
    sli_node_def_release_tensors(&node);
  else
    *out_node = node;
  sli_string_deinitialize(&b.errors);
  return status;
}
