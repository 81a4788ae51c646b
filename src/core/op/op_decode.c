// The signature of a function, which comes from users and peers as an OpDef, as an op.
#include <ctype.h>

#include "base/array.h"
#include "core/op/op_spec_internal.h"
#include "core/op/shape_inference.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

enum { MOST_ARGS = 1 << 13, MOST_ATTRS = 1 << 12 };

static sli_status_t *malformed(void) { return sli_wire_error("tensorflow.OpDef"); }

static const char *text_in(sli_arena_t *arena, sli_view_t text) {
  return text.size ? sli_arena_strndup(arena, text.data, text.size) : NULL;
}

// [A-Za-z0-9.>_\-/]+ without a zero byte.
static bool name_is_valid(sli_view_t name) {
  for (size_t i = 0; i < name.size; i++)
    if (!isalnum((unsigned char)name.data[i]) && !strchr("_./>-", name.data[i])) return false;
  return name.size > 0 && !memchr(name.data, '\0', name.size);
}

static sli_status_t *check_name(const char *what, sli_view_t name) {
  if (name_is_valid(name)) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The %s '%.*s' of a function is not a valid name", what,
                         SLI_VIEW_ARG(name));
}

// The name of a function may have other characters: Python calls one "__inference_<lambda>_12".
static sli_status_t *check_function_name(sli_view_t name) {
  bool is_valid = name.size > 0;
  for (size_t i = 0; i < name.size && is_valid; i++) is_valid = !iscntrl((unsigned char)name.data[i]);
  if (is_valid) return NULL;
  return sli_status_make(SLI_INVALID_ARGUMENT, "The name '%.*s' of a function is not a valid name", SLI_VIEW_ARG(name));
}

static sli_status_t *decode_arg(sli_view_t bytes, sli_arena_t *arena, sli_arg_t *out_arg) {
  sli_view_t name = {0}, type_attr = {0}, number_attr = {0}, type_list_attr = {0};
  *out_arg = (sli_arg_t){0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    bool is_bytes = field.type == SLI_WIRE_BYTES, is_varint = field.type == SLI_WIRE_VARINT;
    if (field.number == SLI_FIELD_OP_DEF_ARG_DEF_NAME && is_bytes) name = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ARG_DEF_TYPE && is_varint) out_arg->type = (sli_dtype_t)field.value;
    if (field.number == SLI_FIELD_OP_DEF_ARG_DEF_TYPE_ATTR && is_bytes) type_attr = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ARG_DEF_NUMBER_ATTR && is_bytes) number_attr = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ARG_DEF_TYPE_LIST_ATTR && is_bytes) type_list_attr = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ARG_DEF_IS_REF && is_varint) out_arg->is_ref = field.value != 0;
  }
  if (reader.malformed) return malformed();
  SLI_RETURN_IF_ERROR(check_name("argument", name));
  out_arg->name = text_in(arena, name);
  out_arg->type_attr = text_in(arena, type_attr);
  out_arg->number_attr = text_in(arena, number_attr);
  out_arg->type_list_attr = text_in(arena, type_list_attr);
  if (out_arg->type && !sli_dtype_is_valid((int)out_arg->type))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Argument '%s' of a function has the unknown type %d", out_arg->name,
                           (int)out_arg->type);
  if (!out_arg->type && !out_arg->type_attr && !out_arg->type_list_attr)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Argument '%s' of a function has no type", out_arg->name);
  return NULL;
}

static bool parse_kind(sli_view_t text, sli_attr_spec_t *spec) {
  static const struct {
    const char *name;
    sli_attr_kind_t kind;
  } kinds[] = {{"string", SLI_ATTR_STRING}, {"int", SLI_ATTR_INT},   {"float", SLI_ATTR_FLOAT},
               {"bool", SLI_ATTR_BOOL},     {"type", SLI_ATTR_TYPE}, {"shape", SLI_ATTR_SHAPE},
               {"tensor", SLI_ATTR_TENSOR}, {"func", SLI_ATTR_FUNC}};
  if (sli_view_starts_with(text, "list(") && sli_view_ends_with(text, ")")) {
    spec->is_list = true;
    text = sli_view_of(text.data + 5, text.size - 6);
  }
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kinds); i++)
    if (sli_view_is(text, kinds[i].name)) spec->kind = kinds[i].kind;
  return spec->kind != SLI_ATTR_NONE;
}

static void take_allowed(const sli_attr_t *allowed, sli_attr_spec_t *spec) {
  if (!allowed->is_list) return;
  if (allowed->kind == SLI_ATTR_TYPE) {
    spec->allowed_type_list = allowed->list.type;
    spec->allowed_type_count = allowed->count;
    for (size_t i = 0; i < allowed->count; i++)
      if (sli_dtype_is_valid((int)allowed->list.type[i])) spec->allowed_types |= UINT64_C(1) << allowed->list.type[i];
  } else if (allowed->kind == SLI_ATTR_STRING) {
    spec->allowed_strings = allowed->list.s;
    spec->allowed_string_count = allowed->count;
  }
}

static sli_status_t *decode_attr(sli_view_t bytes, sli_arena_t *arena, sli_attr_spec_t *out_spec) {
  sli_view_t name = {0}, kind = {0}, value = {0}, allowed_value = {0};
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    bool is_bytes = field.type == SLI_WIRE_BYTES, is_varint = field.type == SLI_WIRE_VARINT;
    if (field.number == SLI_FIELD_OP_DEF_ATTR_DEF_NAME && is_bytes) name = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ATTR_DEF_TYPE && is_bytes) kind = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ATTR_DEF_DEFAULT_VALUE && is_bytes) {
      value = field.bytes;
      out_spec->has_default = true;
    }
    if (field.number == SLI_FIELD_OP_DEF_ATTR_DEF_ALLOWED_VALUES && is_bytes) allowed_value = field.bytes;
    if (field.number == SLI_FIELD_OP_DEF_ATTR_DEF_HAS_MINIMUM && is_varint) out_spec->has_minimum = field.value != 0;
    if (field.number == SLI_FIELD_OP_DEF_ATTR_DEF_MINIMUM && is_varint) out_spec->minimum = (int64_t)field.value;
  }
  if (reader.malformed) return malformed();
  SLI_RETURN_IF_ERROR(check_name("attribute", name));
  out_spec->name = text_in(arena, name);
  if (!parse_kind(kind, out_spec))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Attribute '%s' of a function has the unknown type '%.*s'",
                           out_spec->name, SLI_VIEW_ARG(kind));
  if (allowed_value.size) {
    sli_attr_t allowed;
    SLI_RETURN_IF_ERROR(sli_attr_decode(allowed_value, arena, &allowed));
    take_allowed(&allowed, out_spec);
    sli_attr_release_tensors(&allowed);
  }
  if (!out_spec->has_default) return NULL;
  SLI_RETURN_IF_ERROR(sli_attr_decode(value, arena, &out_spec->default_value));
  return sli_attr_spec_check(out_spec, &out_spec->default_value);
}

typedef struct {
  int inputs, outputs, attrs;
} counts_t;

static sli_status_t *count_fields(sli_view_t bytes, counts_t *out_counts) {
  size_t inputs = 0, outputs = 0, attrs = 0;
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type != SLI_WIRE_BYTES) continue;
    inputs += field.number == SLI_FIELD_OP_DEF_INPUT_ARG;
    outputs += field.number == SLI_FIELD_OP_DEF_OUTPUT_ARG;
    attrs += field.number == SLI_FIELD_OP_DEF_ATTR;
  }
  if (reader.malformed) return malformed();
  if (inputs > MOST_ARGS || outputs > MOST_ARGS || attrs > MOST_ATTRS)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The signature of a function has too many arguments");
  *out_counts = (counts_t){(int)inputs, (int)outputs, (int)attrs};
  return NULL;
}

static const sli_attr_spec_t *find_attr(const sli_op_t *op, const char *name) {
  return name ? sli_op_attr_spec(op, name) : NULL;
}

// The attributes that an argument names must exist and be of the right kind, because types are computed from them.
static sli_status_t *check_arg(const sli_op_t *op, const sli_arg_t *arg) {
  const sli_attr_spec_t *type = find_attr(op, arg->type_attr), *number = find_attr(op, arg->number_attr),
                        *list = find_attr(op, arg->type_list_attr);
  bool is_valid = (!arg->type_attr || (type && type->kind == SLI_ATTR_TYPE && !type->is_list)) &&
                  (!arg->number_attr || (number && number->kind == SLI_ATTR_INT && !number->is_list)) &&
                  (!arg->type_list_attr || (list && list->kind == SLI_ATTR_TYPE && list->is_list));
  if (is_valid) return NULL;
  return sli_status_make(SLI_NOT_FOUND, "type attr not found: %s",
                         arg->type_attr     ? arg->type_attr
                         : arg->number_attr ? arg->number_attr
                                            : arg->type_list_attr);
}

static sli_status_t *decode_fields(sli_view_t bytes, sli_arena_t *arena, sli_op_t *op, sli_op_def_t *def) {
  sli_wire_reader_t reader = sli_wire_reader(bytes);
  for (sli_wire_field_t field; sli_wire_next(&reader, &field);) {
    if (field.type == SLI_WIRE_VARINT) {
      if (field.number == SLI_FIELD_OP_DEF_IS_STATEFUL) def->is_stateful = field.value != 0;
      if (field.number == SLI_FIELD_OP_DEF_IS_COMMUTATIVE) def->is_commutative = field.value != 0;
      if (field.number == SLI_FIELD_OP_DEF_IS_AGGREGATE) def->is_aggregate = field.value != 0;
    } else if (field.type == SLI_WIRE_BYTES) {
      if (field.number == SLI_FIELD_OP_DEF_NAME) {
        SLI_RETURN_IF_ERROR(check_function_name(field.bytes));
        def->name = text_in(arena, field.bytes);
      }
      if (field.number == SLI_FIELD_OP_DEF_INPUT_ARG)
        SLI_RETURN_IF_ERROR(decode_arg(field.bytes, arena, &op->inputs[op->input_count++]));
      if (field.number == SLI_FIELD_OP_DEF_OUTPUT_ARG)
        SLI_RETURN_IF_ERROR(decode_arg(field.bytes, arena, &op->outputs[op->output_count++]));
      if (field.number == SLI_FIELD_OP_DEF_ATTR)
        SLI_RETURN_IF_ERROR(decode_attr(field.bytes, arena, &op->attrs[op->attr_count++]));
    }
  }
  if (!def->name) return check_function_name((sli_view_t){"", 0});
  for (int i = 0; i < op->input_count; i++) SLI_RETURN_IF_ERROR(check_arg(op, &op->inputs[i]));
  for (int i = 0; i < op->output_count; i++) SLI_RETURN_IF_ERROR(check_arg(op, &op->outputs[i]));
  return NULL;
}

sli_status_t *sli_op_decode_function(sli_view_t bytes, sli_arena_t *arena, sli_op_t **out_op) {
  *out_op = NULL;
  counts_t counts = {0};
  SLI_RETURN_IF_ERROR(count_fields(bytes, &counts));
  sli_op_t *op = sli_arena_calloc(arena, 1, sizeof(*op));
  sli_op_def_t *def = sli_arena_calloc(arena, 1, sizeof(*def));
  op->inputs = sli_arena_calloc(arena, (size_t)counts.inputs, sizeof(*op->inputs));
  op->outputs = sli_arena_calloc(arena, (size_t)counts.outputs, sizeof(*op->outputs));
  op->attrs = sli_arena_calloc(arena, (size_t)counts.attrs, sizeof(*op->attrs));
  op->def = def;
  def->is_function = true;
  def->shape = sli_infer_fn_unknown;
  sli_status_t *status = decode_fields(bytes, arena, op, def);
  if (status)
    sli_op_release_tensors(op);
  else
    *out_op = op;
  return status;
}

void sli_op_release_tensors(sli_op_t *op) {
  for (int i = 0; i < op->attr_count; i++) sli_attr_release_tensors(&op->attrs[i].default_value);
}
