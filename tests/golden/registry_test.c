// Compares the op tables with TensorFlow's registry (tests/golden/registry): definitions, types of the CPU kernels, and
// which ops have gradients. Ops that Sluice does not have are skipped; of the others every difference is listed.
#include "base/array.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/test.h"
#include "core/op/op_registry_internal.h"
#include "core/op/op_spec_internal.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

static char *read_golden(const char *name, size_t *out_size) {
  char *path = sli_format("%s/registry/%s", sli_test_golden_dir(), name);
  FILE *file = fopen(path, "rb");
  sli_string_t bytes = {0};
  char buffer[4096];
  for (size_t size; file && (size = fread(buffer, 1, sizeof(buffer), file)) > 0;) {
    sli_string_append(&bytes, buffer, size);
  }
  if (!file || ferror(file)) sli_test_fail(__FILE__, __LINE__, "cannot read %s", path);
  if (file) fclose(file);
  free(path);
  *out_size = bytes.size;
  sli_string_append_char(&bytes, '\0');
  return sli_string_take(&bytes);
}

// The registry ends the process at the first spec that it cannot read; this lists them all before.
SLI_TEST(test_specs_are_well_formed) {
  for (size_t m = 0; sli_op_modules[m]; m++) {
    for (size_t i = 0; i < sli_op_modules[m]->op_count; i++) {
      sli_arena_t arena = {0};
      sli_op_t op;
      SLI_EXPECT_OK(sli_op_spec_parse(&sli_op_modules[m]->ops[i], &arena, &op));
      for (int a = 0; a < op.attr_count; a++) sli_attr_release_tensors(&op.attrs[a].default_value);
      sli_arena_deinitialize(&arena);
    }
  }
}

// Definitions: both sides become lines of text from the bytes of their OpDef.

typedef SLI_ARRAY(char *) lines_t;

static void free_lines(lines_t *lines) {
  for (size_t i = 0; i < lines->count; i++) free(lines->items[i]);
  sli_array_deinitialize(lines);
}

// A value in full, whichever way its bytes were written.
static void append_value(sli_string_t *line, sli_view_t bytes) {
  sli_arena_t arena = {0};
  sli_attr_t attr = {0};
  sli_status_t *status = sli_attr_decode(bytes, &arena, &attr);
  sli_string_t canonical = {0};
  if (status) {
    sli_string_append_text(line, sli_status_message(status));
    sli_status_release(status);
  } else if (attr.is_list && attr.kind == SLI_ATTR_TYPE) {
    for (size_t i = 0; i < attr.count; i++) {
      sli_string_append_format(line, "%s%s", i ? ", " : "", sli_dtype_name(attr.list.type[i]));
    }
  } else {
    sli_attr_append(line, &attr);
    sli_attr_encode(&attr, &canonical);
    sli_string_append_format(line, " #%08x", (unsigned)sli_hash_bytes(canonical.data, canonical.size));
  }
  sli_string_deinitialize(&canonical);
  sli_attr_release_tensors(&attr);
  sli_arena_deinitialize(&arena);
}

static char *describe_arg(const char *what, sli_view_t bytes) {
  static const char *const names[] = {[SLI_FIELD_OP_DEF_ARG_DEF_NAME] = "",
                                      [SLI_FIELD_OP_DEF_ARG_DEF_TYPE] = "type ",
                                      [SLI_FIELD_OP_DEF_ARG_DEF_TYPE_ATTR] = "type_attr ",
                                      [SLI_FIELD_OP_DEF_ARG_DEF_NUMBER_ATTR] = "number_attr ",
                                      [SLI_FIELD_OP_DEF_ARG_DEF_TYPE_LIST_ATTR] = "type_list_attr ",
                                      [SLI_FIELD_OP_DEF_ARG_DEF_IS_REF] = "is_ref "};
  sli_string_t line = {0};
  sli_string_append_text(&line, what);
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number >= SLI_ARRAY_COUNT_OF(names) || !names[field.number]) continue;  // description, full type
    sli_string_append_format(&line, " %s", names[field.number]);
    if (field.type == SLI_WIRE_BYTES)
      sli_string_append(&line, field.bytes.data, field.bytes.size);
    else
      sli_string_append_format(&line, "%llu", (unsigned long long)field.value);
  }
  return sli_string_take(&line);
}

static char *describe_attr(sli_view_t bytes) {
  sli_string_t line = {0};
  sli_string_append_text(&line, "attr");
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    switch (field.number) {
      case SLI_FIELD_OP_DEF_ATTR_DEF_NAME:
      case SLI_FIELD_OP_DEF_ATTR_DEF_TYPE: sli_string_append_format(&line, " %.*s", SLI_VIEW_ARG(field.bytes)); break;
      case SLI_FIELD_OP_DEF_ATTR_DEF_DEFAULT_VALUE:
        sli_string_append_text(&line, " default ");
        append_value(&line, field.bytes);
        break;
      case SLI_FIELD_OP_DEF_ATTR_DEF_MINIMUM:
        sli_string_append_format(&line, " minimum %lld", (long long)field.value);
        break;
      case SLI_FIELD_OP_DEF_ATTR_DEF_HAS_MINIMUM: sli_string_append_text(&line, " has_minimum"); break;
      case SLI_FIELD_OP_DEF_ATTR_DEF_ALLOWED_VALUES:
        sli_string_append_text(&line, " allowed ");
        append_value(&line, field.bytes);
        break;
      default: break;
    }
  }
  return sli_string_take(&line);
}

static void describe_op(sli_view_t bytes, lines_t *lines) {
  static const char *const flags[] = {[SLI_FIELD_OP_DEF_IS_AGGREGATE] = "is_aggregate",
                                      [SLI_FIELD_OP_DEF_IS_STATEFUL] = "is_stateful",
                                      [SLI_FIELD_OP_DEF_IS_COMMUTATIVE] = "is_commutative",
                                      [SLI_FIELD_OP_DEF_ALLOWS_UNINITIALIZED_INPUT] = "allows_uninitialized_input",
                                      [SLI_FIELD_OP_DEF_IS_DISTRIBUTED_COMMUNICATION] = "is_distributed_communication"};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    switch (field.number) {
      case SLI_FIELD_OP_DEF_INPUT_ARG: sli_array_push(lines, describe_arg("input", field.bytes)); break;
      case SLI_FIELD_OP_DEF_OUTPUT_ARG: sli_array_push(lines, describe_arg("output", field.bytes)); break;
      case SLI_FIELD_OP_DEF_ATTR: sli_array_push(lines, describe_attr(field.bytes)); break;
      case SLI_FIELD_OP_DEF_DEPRECATION: sli_array_push(lines, describe_arg("deprecation", field.bytes)); break;
      default:
        if (field.number < SLI_ARRAY_COUNT_OF(flags) && flags[field.number])
          sli_array_push(lines, sli_strdup(flags[field.number]));
    }
  }
  SLI_EXPECT(!reader.malformed);
}

static void compare_definition(const sli_op_t *op, sli_view_t golden_bytes) {
  lines_t golden = {0}, ours = {0};
  sli_string_t encoded = {0};
  sli_op_encode(op, &encoded);
  describe_op(golden_bytes, &golden);
  describe_op(sli_view_of(encoded.data, encoded.size), &ours);
  for (size_t i = 0; i < golden.count || i < ours.count; i++) {
    const char *want = i < golden.count ? golden.items[i] : "(nothing)";
    const char *have = i < ours.count ? ours.items[i] : "(nothing)";
    if (strcmp(want, have) != 0)
      sli_test_fail(__FILE__, __LINE__, "%s: '%s', expected '%s'", op->def->name, have, want);
  }
  free_lines(&golden);
  free_lines(&ours);
  sli_string_deinitialize(&encoded);
}

static sli_view_t name_of_op(sli_view_t bytes) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.number == SLI_FIELD_OP_DEF_NAME) return field.bytes;
  }
  return sli_view("");
}

static void expect_known(void *context, const sli_op_t *op) {
  const sli_map_t *known = context;
  // Ours: src/ops/embedding and src/ops/collective/elastic_group.c.
  bool is_own =
      strncmp(op->def->name, "Embedding", strlen("Embedding")) == 0 || strcmp(op->def->name, "ElasticGroupJoin") == 0;
  if (op->def->name[0] != '_' && !is_own && !sli_map_find(known, sli_view(op->def->name)))
    sli_test_fail(__FILE__, __LINE__, "%s: TensorFlow's op list does not have it", op->def->name);
  if (!op->def->shape) sli_test_fail(__FILE__, __LINE__, "%s: no shape function", op->def->name);
}

SLI_TEST(test_definitions_equal_tensorflows) {
  size_t size = 0, found = 0;
  char *bytes = read_golden("op_defs.pb", &size);
  sli_map_t known = {0};
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(bytes, size));
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    sli_view_t name = name_of_op(field.bytes);
    sli_map_set(&known, name, bytes);
    const sli_op_t *op = sli_op_find(name);
    if (!op) continue;
    found++;
    compare_definition(op, field.bytes);
  }
  SLI_EXPECT(!reader.malformed);
  SLI_EXPECT(known.count > 500);
  sli_op_for_each(expect_known, &known);
  printf("%zu of %zu ops\n", found, known.count);
  sli_map_deinitialize(&known);
  free(bytes);
}

SLI_TEST(test_required_ops_are_all_here) {
  size_t size = 0, count = 0;
  char *text = read_golden("required.txt", &size);
  sli_view_t line, rest = sli_view_of(text, size);
  for (bool more = true; more;) {
    more = sli_view_split(rest, '\n', &line, &rest);
    if (!line.size || line.data[0] == '#') continue;
    count++;
    if (!sli_op_find(line)) sli_test_fail(__FILE__, __LINE__, "%.*s is not defined", SLI_VIEW_ARG(line));
  }
  SLI_EXPECT(count > 370);
  free(text);
}

// Kernels.

// A row of constraints on type attributes; an attribute that is not named takes any type.
enum { MOST_CONSTRAINTS = 4 };
typedef struct {
  sli_kernel_constraint_t where[MOST_CONSTRAINTS];
  size_t count;
} row_t;
typedef SLI_ARRAY(row_t) rows_t;

typedef struct {
  const char *op;
  rows_t rows;
} collector_t;

static void constrain(row_t *row, const char *attr, sli_types_t types) {
  if (row->count < MOST_CONSTRAINTS) row->where[row->count++] = (sli_kernel_constraint_t){attr, types, NULL};
}

static void collect_ours(void *context, const sli_kernel_def_t *kernel) {
  collector_t *collector = context;
  if (strcmp(kernel->op, collector->op) != 0 || (kernel->device && strcmp(kernel->device, "CPU") != 0)) return;
  row_t row = {0};
  if (kernel->types) constrain(&row, "T", kernel->types);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[i].attr; i++) {
    if (!kernel->where[i].text) constrain(&row, kernel->where[i].attr, kernel->where[i].types);
  }
  sli_array_push(&collector->rows, row);
}

// "T=float32 Tidx=int32 host=axis | …", "any" or "-".
static void collect_golden(const sli_op_t *op, sli_view_t line, rows_t *rows) {
  if (sli_view_is(sli_view_trim(line), "-")) return;
  for (bool more = true; more;) {
    sli_view_t kernel, word;
    more = sli_view_split(line, '|', &kernel, &line);
    row_t row = {0};
    kernel = sli_view_trim(kernel);
    for (bool words = true; words;) {
      words = sli_view_split(kernel, ' ', &word, &kernel);
      sli_view_t name, type;
      if (!sli_view_split(word, '=', &name, &type)) continue;
      for (int i = 0; i < op->attr_count; i++) {
        if (sli_view_is(name, op->attrs[i].name) && op->attrs[i].kind == SLI_ATTR_TYPE)
          constrain(&row, op->attrs[i].name, SLI_TYPE_BIT(sli_dtype_from_name(type)));
      }
    }
    sli_array_push(rows, row);
  }
}

static bool any_row_takes(const rows_t *rows, const sli_attr_spec_t *const *attrs, const sli_dtype_t *types,
                          size_t count) {
  for (size_t r = 0; r < rows->count; r++) {
    bool takes = true;
    for (size_t w = 0; w < rows->items[r].count && takes; w++) {
      const sli_kernel_constraint_t *where = &rows->items[r].where[w];
      takes = false;  // unless its attribute is among |attrs| with a type that fits
      for (size_t a = 0; a < count; a++) {
        if (strcmp(attrs[a]->name, where->attr) == 0) takes = sli_types_contain(where->types, types[a]);
      }
    }
    if (takes) return true;
  }
  return false;
}

static size_t types_of_attr(const sli_attr_spec_t *spec, sli_dtype_t *types) {
  size_t count = 0;
  for (int type = 1; type < 64; type++) {
    bool allowed = spec->allowed_types ? sli_types_contain(spec->allowed_types, (sli_dtype_t)type) : true;
    // The eight- and four-bit types have no kernels with us.
    bool small = type >= SLI_DTYPE_FLOAT8_E5M2;
    if (allowed && !small && sli_dtype_is_valid(type)) types[count++] = (sli_dtype_t)type;
  }
  return count;
}

static void report(const sli_op_t *op, const sli_attr_spec_t *const *attrs, const sli_dtype_t *types, size_t count,
                   bool missing) {
  sli_string_t text = {0};
  for (size_t a = 0; a < count; a++) {
    sli_string_append_format(&text, "%s%s=%s", a ? " " : "", attrs[a]->name, sli_dtype_name(types[a]));
  }
  sli_test_fail(__FILE__, __LINE__, "%s: %s kernel for %s", op->def->name, missing ? "no" : "TensorFlow has no",
                text.size ? text.data : "the CPU");
  sli_string_deinitialize(&text);
}

// Asks both sides about every combination of types that the op's definition allows.
static void compare_kernels(const sli_op_t *op, const rows_t *golden, const rows_t *ours) {
  const sli_attr_spec_t *attrs[MOST_CONSTRAINTS];
  sli_dtype_t types[MOST_CONSTRAINTS][64], current[MOST_CONSTRAINTS];
  size_t type_counts[MOST_CONSTRAINTS], odometer[MOST_CONSTRAINTS] = {0}, count = 0;
  for (int i = 0; i < op->attr_count && count < MOST_CONSTRAINTS; i++) {
    bool named = false;
    for (size_t side = 0; side < 2; side++) {
      const rows_t *rows = side ? ours : golden;
      for (size_t r = 0; r < rows->count; r++) {
        for (size_t w = 0; w < rows->items[r].count; w++) {
          named = named || strcmp(rows->items[r].where[w].attr, op->attrs[i].name) == 0;
        }
      }
    }
    if (!named || op->attrs[i].kind != SLI_ATTR_TYPE) continue;
    attrs[count] = &op->attrs[i];
    type_counts[count] = types_of_attr(&op->attrs[i], types[count]);
    count++;
  }
  for (size_t position = 0; position <= count;) {
    for (size_t a = 0; a < count; a++) current[a] = types[a][odometer[a]];
    bool wanted = any_row_takes(golden, attrs, current, count), have = any_row_takes(ours, attrs, current, count);
    if (wanted != have) report(op, attrs, current, count, wanted);
    for (position = 0; position < count && ++odometer[position] == type_counts[position]; position++) {
      odometer[position] = 0;
    }
    if (position == count) break;
  }
}

static void compare_kernels_line(sli_view_t line) {
  sli_view_t name, rest;
  if (!sli_view_split(line, ':', &name, &rest)) return;
  const sli_op_t *op = sli_op_find(name);
  if (!op) return;
  collector_t collector = {.op = op->def->name};
  sli_kernel_for_each(collect_ours, &collector);
  rows_t golden = {0};
  collect_golden(op, rest, &golden);
  compare_kernels(op, &golden, &collector.rows);
  sli_array_deinitialize(&golden);
  sli_array_deinitialize(&collector.rows);
}

SLI_TEST(test_kernel_types_equal_tensorflows) {
  size_t size = 0;
  char *text = read_golden("cpu_kernels.txt", &size);
  sli_view_t line, rest = sli_view_of(text, size);
  for (bool more = true; more;) {
    more = sli_view_split(rest, '\n', &line, &rest);
    if (line.size && line.data[0] != '#') compare_kernels_line(line);
  }
  free(text);
}

static bool is_argument(const sli_op_t *op, sli_view_t name) {
  for (int i = 0; i < op->input_count; i++) {
    if (sli_view_is(name, op->inputs[i].name)) return true;
  }
  for (int i = 0; i < op->output_count; i++) {
    if (sli_view_is(name, op->outputs[i].name)) return true;
  }
  return false;
}

static void check_row(void *context, const sli_kernel_def_t *kernel) {
  const sli_op_t *op = sli_op_find(sli_view(kernel->op));
  if (!op) {
    sli_test_fail(__FILE__, __LINE__, "a kernel is for the op %s, which is not defined", kernel->op);
    return;
  }
  if (!kernel->compute == !kernel->compute_async)
    sli_test_fail(__FILE__, __LINE__, "%s: a kernel computes either at once or later", kernel->op);
  const sli_attr_spec_t *type = sli_op_attr_spec(op, "T");
  if (kernel->types && (!type || type->kind != SLI_ATTR_TYPE))
    sli_test_fail(__FILE__, __LINE__, "%s: a kernel names types, but the op has no attribute T", kernel->op);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kernel->where) && kernel->where[i].attr; i++) {
    type = sli_op_attr_spec(op, kernel->where[i].attr);
    bool is_text = kernel->where[i].text;
    if (!type || type->kind != (is_text ? SLI_ATTR_STRING : SLI_ATTR_TYPE))
      sli_test_fail(__FILE__, __LINE__, "%s: no %s attribute %s", kernel->op, is_text ? "string" : "type",
                    kernel->where[i].attr);
  }
  sli_view_t name, rest = sli_view(kernel->host_memory ? kernel->host_memory : "");
  for (bool more = rest.size > 0; more;) {
    more = sli_view_split(rest, ',', &name, &rest);
    name = sli_view_trim(name);
    if (!is_argument(op, name))
      sli_test_fail(__FILE__, __LINE__, "%s: no argument %.*s", kernel->op, SLI_VIEW_ARG(name));
  }
}

SLI_TEST(test_kernel_rows_fit_their_ops) { sli_kernel_for_each(check_row, NULL); }

// Python gives each call a gradient of its own; these are registered in TensorFlow's C++ library, for TF_AddGradients.
static bool has_gradient_in_c(sli_view_t name) {
  return sli_view_is(name, "PartitionedCall") || sli_view_is(name, "StatefulPartitionedCall");
}

SLI_TEST(test_gradients_equal_tensorflows) {
  size_t size = 0;
  char *text = read_golden("gradients.txt", &size);
  sli_view_t line, rest = sli_view_of(text, size);
  for (bool more = true; more;) {
    more = sli_view_split(rest, '\n', &line, &rest);
    sli_view_t name, wanted;
    if (!line.size || line.data[0] == '#' || !sli_view_split(line, ' ', &name, &wanted)) continue;
    const sli_op_t *op = sli_op_find(name);
    if (!op) continue;
    if (has_gradient_in_c(name)) wanted = sli_view("gradient");
    const char *have = op->def->gradient ? "gradient" : op->def->not_differentiable ? "none" : "unregistered";
    if (!sli_view_is(wanted, have))
      sli_test_fail(__FILE__, __LINE__, "%s: gradient %s, expected %.*s", op->def->name, have, SLI_VIEW_ARG(wanted));
  }
  free(text);
}

SLI_TEST_MAIN(test_specs_are_well_formed, test_definitions_equal_tensorflows, test_required_ops_are_all_here,
              test_kernel_types_equal_tensorflows, test_kernel_rows_fit_their_ops, test_gradients_equal_tensorflows)
