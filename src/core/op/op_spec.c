// Spec strings of ops: a recursive-descent reader over a cursor. The syntax is
// TensorFlow's op definition language, so that the tables can be compared with
// TensorFlow's. Defaults of shapes and tensors are written in protobuf's text
// format; they are turned into wire bytes and go through the ordinary decoder.
#include <ctype.h>

#include "base/array.h"
#include "core/op/op_spec_internal.h"
#include "proto/graph.fields.h"
#include "proto/tensor.fields.h"
#include "proto/wire.h"

typedef struct {
  sli_view_t rest;
  sli_arena_t *arena;
} cursor_t;

// Tokens.

static void skip_space(cursor_t *c) {
  while (c->rest.size && isspace((unsigned char)*c->rest.data)) {
    c->rest.data++;
    c->rest.size--;
  }
}

static bool take(cursor_t *c, const char *literal) {
  skip_space(c);
  if (!sli_view_starts_with(c->rest, literal)) return false;
  size_t size = strlen(literal);
  c->rest = sli_view_of(c->rest.data + size, c->rest.size - size);
  return true;
}

static bool at_end(cursor_t *c) {
  skip_space(c);
  return c->rest.size == 0;
}

static bool is_word_character(char c) { return isalnum((unsigned char)c) || c == '_'; }

static sli_view_t take_while(cursor_t *c, bool (*accepts)(char)) {
  skip_space(c);
  size_t size = 0;
  while (size < c->rest.size && accepts(c->rest.data[size])) size++;
  sli_view_t taken = sli_view_of(c->rest.data, size);
  c->rest = sli_view_of(c->rest.data + size, c->rest.size - size);
  return taken;
}

// Takes |word| if it is the whole next word.
static bool take_word(cursor_t *c, const char *word) {
  cursor_t ahead = *c;
  if (!sli_view_is(take_while(&ahead, is_word_character), word)) return false;
  *c = ahead;
  return true;
}

static bool is_number_character(char c) { return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '+'; }

static sli_status_t *wrong(cursor_t *c, const char *wanted) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "expected %s at '%.*s'", wanted, SLI_VIEW_ARG(c->rest));
}

static sli_status_t *take_name(cursor_t *c, const char **out_name) {
  sli_view_t word = take_while(c, is_word_character);
  if (!word.size || isdigit((unsigned char)word.data[0])) return wrong(c, "a name");
  *out_name = sli_arena_strndup(c->arena, word.data, word.size);
  return NULL;
}

// Values.

static sli_status_t *take_int(cursor_t *c, int64_t *out_value) {
  sli_view_t word = take_while(c, is_number_character);
  return sli_view_to_int64(word, out_value) ? NULL : wrong(c, "an integer");
}

static sli_status_t *take_float(cursor_t *c, float *out_value) {
  double value = 0;
  sli_view_t word = take_while(c, is_number_character);
  if (!sli_view_to_double(word, &value)) return wrong(c, "a number");
  *out_value = (float)value;
  return NULL;
}

static sli_status_t *take_bool(cursor_t *c, bool *out_value) {
  *out_value = take_word(c, "true");
  return *out_value || take_word(c, "false") ? NULL : wrong(c, "true or false");
}

static sli_status_t *take_type_name(cursor_t *c, sli_dtype_t *out_type) {
  sli_view_t word = take_while(c, is_word_character);
  *out_type = sli_dtype_from_name(word);
  return *out_type == SLI_DTYPE_INVALID ? wrong(c, "a type") : NULL;
}

static sli_status_t *take_type(cursor_t *c, sli_dtype_t *out_type) {
  char name[32] = "";
  sli_view_t word = take_while(c, is_word_character);
  if (!sli_view_starts_with(word, "DT_") || word.size >= sizeof(name)) return wrong(c, "DT_…");
  for (size_t i = 3; i < word.size; i++) name[i - 3] = (char)tolower((unsigned char)word.data[i]);
  *out_type = sli_dtype_from_name(sli_view(name));
  return *out_type == SLI_DTYPE_INVALID ? wrong(c, "a type") : NULL;
}

// 'text' or "text", with C's escapes.
static sli_status_t *take_string(cursor_t *c, sli_view_t *out_view) {
  char quote = take(c, "'") ? '\'' : '"';
  if (quote == '"' && !take(c, "\"")) return wrong(c, "a quoted string");
  const char *end = c->rest.data + c->rest.size;
  char *text = sli_arena_allocate(c->arena, c->rest.size + 1);
  size_t size = 0;
  const char *at = c->rest.data;
  for (; at < end && *at != quote; at++) {
    if (*at != '\\') {
      text[size++] = *at;
    } else {
      if (++at == end) return wrong(c, "an escaped character");
      text[size++] = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at == '0' ? '\0' : *at;
    }
  }
  if (at == end) return wrong(c, "a closing quote");
  text[size] = '\0';
  c->rest = sli_view_of(at + 1, (size_t)(end - at - 1));
  *out_view = sli_view_of(text, size);
  return NULL;
}

// Protobuf text to wire: fields of TensorShapeProto, TensorProto and NameAttrList,
// which have no field name with two meanings.
typedef enum { TEXT_MESSAGE, TEXT_INT, TEXT_BOOL, TEXT_FLOAT, TEXT_TYPE, TEXT_STRING } text_kind_t;
static const struct {
  const char *name;
  uint32_t number;
  text_kind_t kind;
} text_fields[] = {
    {"dim", SLI_FIELD_TENSOR_SHAPE_PROTO_DIM, TEXT_MESSAGE},
    {"size", SLI_FIELD_TENSOR_SHAPE_PROTO_DIM_SIZE, TEXT_INT},
    {"unknown_rank", SLI_FIELD_TENSOR_SHAPE_PROTO_UNKNOWN_RANK, TEXT_BOOL},
    {"dtype", SLI_FIELD_TENSOR_PROTO_DTYPE, TEXT_TYPE},
    {"tensor_shape", SLI_FIELD_TENSOR_PROTO_TENSOR_SHAPE, TEXT_MESSAGE},
    {"int_val", SLI_FIELD_TENSOR_PROTO_INT_VAL, TEXT_INT},
    {"int64_val", SLI_FIELD_TENSOR_PROTO_INT64_VAL, TEXT_INT},
    {"float_val", SLI_FIELD_TENSOR_PROTO_FLOAT_VAL, TEXT_FLOAT},
    {"bool_val", SLI_FIELD_TENSOR_PROTO_BOOL_VAL, TEXT_BOOL},
    {"string_val", SLI_FIELD_TENSOR_PROTO_STRING_VAL, TEXT_STRING},
    {"name", SLI_FIELD_NAME_ATTR_LIST_NAME, TEXT_STRING},
};

static sli_status_t *take_message(cursor_t *c, sli_string_t *out);

static sli_status_t *take_text_field(cursor_t *c, sli_string_t *out) {
  sli_view_t name = take_while(c, is_word_character);
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(text_fields); i++) {
    if (!sli_view_is(name, text_fields[i].name)) continue;
    uint32_t number = text_fields[i].number;
    bool colon = take(c, ":");
    if (text_fields[i].kind == TEXT_MESSAGE) {
      size_t mark = sli_wire_open(out, number);
      SLI_RETURN_IF_ERROR(take_message(c, out));
      sli_wire_close(out, mark);
      return NULL;
    }
    if (!colon) return wrong(c, "':'");
    sli_attr_t value = {0};
    switch (text_fields[i].kind) {
      case TEXT_INT:
        SLI_RETURN_IF_ERROR(take_int(c, &value.i));
        sli_wire_write_int(out, number, value.i);
        break;
      case TEXT_BOOL:
        SLI_RETURN_IF_ERROR(take_bool(c, &value.b));
        sli_wire_write_uint(out, number, value.b);
        break;
      case TEXT_FLOAT:
        SLI_RETURN_IF_ERROR(take_float(c, &value.f));
        sli_wire_write_float(out, number, value.f);
        break;
      case TEXT_TYPE:
        SLI_RETURN_IF_ERROR(take_type(c, &value.type));
        sli_wire_write_uint(out, number, value.type);
        break;
      default:
        SLI_RETURN_IF_ERROR(take_string(c, &value.s));
        sli_wire_write_bytes(out, number, value.s.data, value.s.size);
        break;
    }
    return NULL;
  }
  return wrong(c, "a field");
}

static sli_status_t *take_message(cursor_t *c, sli_string_t *out) {
  if (!take(c, "{")) return wrong(c, "'{'");
  while (!take(c, "}")) {
    SLI_RETURN_IF_ERROR(take_text_field(c, out));
    take(c, ",");
  }
  return NULL;
}

static sli_status_t *take_encoded(cursor_t *c, uint32_t number, sli_attr_t *out_attr) {
  sli_string_t bytes = {0};
  size_t mark = sli_wire_open(&bytes, number);
  sli_status_t *status = take_message(c, &bytes);
  if (!status) {
    sli_wire_close(&bytes, mark);
    status = sli_attr_decode(sli_view_of(bytes.data, bytes.size), c->arena, out_attr);
  }
  sli_string_deinitialize(&bytes);
  return status;
}

static sli_status_t *take_value(cursor_t *c, sli_attr_kind_t kind, sli_attr_t *out_attr) {
  *out_attr = (sli_attr_t){.kind = kind};
  switch (kind) {
    case SLI_ATTR_STRING: return take_string(c, &out_attr->s);
    case SLI_ATTR_INT: return take_int(c, &out_attr->i);
    case SLI_ATTR_FLOAT: return take_float(c, &out_attr->f);
    case SLI_ATTR_BOOL: return take_bool(c, &out_attr->b);
    case SLI_ATTR_TYPE: return take_type(c, &out_attr->type);
    case SLI_ATTR_SHAPE: return take_encoded(c, SLI_FIELD_ATTR_VALUE_SHAPE, out_attr);
    case SLI_ATTR_TENSOR: return take_encoded(c, SLI_FIELD_ATTR_VALUE_TENSOR, out_attr);
    case SLI_ATTR_FUNC: return take_encoded(c, SLI_FIELD_ATTR_VALUE_FUNC, out_attr);
    default: return wrong(c, "an attribute of another type");
  }
}

static sli_status_t *take_list(cursor_t *c, sli_attr_kind_t kind, sli_attr_t *out_attr) {
  *out_attr = (sli_attr_t){.kind = kind, .is_list = true};
  if (!take(c, "[")) return wrong(c, "'['");
  SLI_ARRAY(sli_attr_t) items = {0};
  sli_status_t *status = NULL;
  while (!status && !take(c, "]")) {
    sli_attr_t item;
    status = take_value(c, kind, &item);
    sli_array_push(&items, item);
    take(c, ",");
  }
  size_t count = items.count;
  out_attr->count = count;
// The values as an array of the element type.
#define COLLECT(field, type_)                                            \
  do {                                                                   \
    type_ *values = sli_arena_calloc(c->arena, count, sizeof(type_));    \
    for (size_t i = 0; i < count; i++) values[i] = items.items[i].field; \
    out_attr->list.field = values;                                       \
  } while (0)
  if (!status) switch (kind) {
      case SLI_ATTR_STRING: COLLECT(s, sli_view_t); break;
      case SLI_ATTR_INT: COLLECT(i, int64_t); break;
      case SLI_ATTR_FLOAT: COLLECT(f, float); break;
      case SLI_ATTR_BOOL: COLLECT(b, bool); break;
      case SLI_ATTR_TYPE: COLLECT(type, sli_dtype_t); break;
      case SLI_ATTR_SHAPE: COLLECT(shape, sli_shape_t); break;
      case SLI_ATTR_TENSOR: COLLECT(tensor, sli_tensor_t *); break;
      case SLI_ATTR_FUNC: COLLECT(func, sli_attr_func_t); break;
      default: break;
    }
#undef COLLECT
  sli_array_deinitialize(&items);
  return status;
}

// Attributes: "name: type >= minimum = default".

enum { MOST_TYPES = 64 };

static void add_types(sli_types_t types, sli_dtype_t *list, size_t *count) {
  for (int type = 1; type < 64 && *count < MOST_TYPES; type++) {
    if (types >> type & 1) list[(*count)++] = (sli_dtype_t)type;
  }
}

// A named set of types, in the order of the type numbers. 0: there is no such set.
static sli_types_t take_type_set(cursor_t *c) {
  if (take_word(c, "numbertype") || take_word(c, "numerictype")) return SLI_TYPES_NUMBER | SLI_TYPES_QUANTIZED;
  if (take_word(c, "realnumbertype") || take_word(c, "realnumerictype")) return SLI_TYPES_REAL;
  if (take_word(c, "quantizedtype")) return SLI_TYPES_QUANTIZED;
  return 0;
}

static void set_allowed_types(cursor_t *c, sli_attr_spec_t *spec, const sli_dtype_t *types, size_t count) {
  sli_dtype_t *list = sli_arena_calloc(c->arena, count, sizeof(*list));
  for (size_t i = 0; i < count; i++) {
    list[i] = types[i];
    spec->allowed_types |= SLI_TYPE_BIT(types[i]);
  }
  spec->allowed_type_list = list;
  spec->allowed_type_count = count;
}

static sli_status_t *take_allowed_strings(cursor_t *c, sli_attr_spec_t *spec) {
  enum { MOST_STRINGS = 64 };
  sli_view_t strings[MOST_STRINGS];
  size_t count = 0;
  do {
    if (count == MOST_STRINGS) return wrong(c, "fewer strings");
    SLI_RETURN_IF_ERROR(take_string(c, &strings[count++]));
  } while (take(c, ",") && !sli_view_starts_with(sli_view_trim(c->rest), "}"));
  if (!take(c, "}")) return wrong(c, "'}'");
  sli_view_t *list = sli_arena_calloc(c->arena, count, sizeof(*list));
  memcpy(list, strings, count * sizeof(*list));
  spec->kind = SLI_ATTR_STRING;
  spec->allowed_strings = list;
  spec->allowed_string_count = count;
  return NULL;
}

static sli_status_t *take_allowed_types(cursor_t *c, sli_attr_spec_t *spec) {
  sli_dtype_t types[MOST_TYPES];
  size_t count = 0;
  do {
    sli_types_t set = take_type_set(c);
    if (set) {
      add_types(set, types, &count);
    } else {
      if (count == MOST_TYPES) return wrong(c, "fewer types");
      SLI_RETURN_IF_ERROR(take_type_name(c, &types[count++]));
    }
  } while (take(c, ",") && !sli_view_starts_with(sli_view_trim(c->rest), "}"));
  if (!take(c, "}")) return wrong(c, "'}'");
  spec->kind = SLI_ATTR_TYPE;
  set_allowed_types(c, spec, types, count);
  return NULL;
}

static sli_status_t *take_attr_type(cursor_t *c, sli_attr_spec_t *spec) {
  static const struct {
    const char *word;
    sli_attr_kind_t kind;
  } words[] = {{"string", SLI_ATTR_STRING}, {"int", SLI_ATTR_INT},   {"float", SLI_ATTR_FLOAT},
               {"bool", SLI_ATTR_BOOL},     {"type", SLI_ATTR_TYPE}, {"shape", SLI_ATTR_SHAPE},
               {"tensor", SLI_ATTR_TENSOR}, {"func", SLI_ATTR_FUNC}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(words); i++) {
    if (take_word(c, words[i].word)) {
      spec->kind = words[i].kind;
      return NULL;
    }
  }
  sli_types_t set = take_type_set(c);
  if (set) {
    sli_dtype_t types[MOST_TYPES];
    size_t count = 0;
    add_types(set, types, &count);
    spec->kind = SLI_ATTR_TYPE;
    set_allowed_types(c, spec, types, count);
    return NULL;
  }
  if (!take(c, "{")) return wrong(c, "an attribute's type");
  sli_view_t ahead = sli_view_trim(c->rest);
  bool strings = sli_view_starts_with(ahead, "'") || sli_view_starts_with(ahead, "\"");
  return strings ? take_allowed_strings(c, spec) : take_allowed_types(c, spec);
}

static sli_status_t *take_attr(cursor_t *c, sli_attr_spec_t *spec) {
  *spec = (sli_attr_spec_t){0};
  SLI_RETURN_IF_ERROR(take_name(c, &spec->name));
  if (!take(c, ":")) return wrong(c, "':'");
  cursor_t ahead = *c;
  spec->is_list = take_word(&ahead, "list") && take(&ahead, "(");
  if (spec->is_list) *c = ahead;
  SLI_RETURN_IF_ERROR(take_attr_type(c, spec));
  if (spec->is_list && !take(c, ")")) return wrong(c, "')'");
  if ((spec->is_list || spec->kind == SLI_ATTR_INT) && take(c, ">=")) {
    spec->has_minimum = true;
    SLI_RETURN_IF_ERROR(take_int(c, &spec->minimum));
  }
  if (take(c, "=")) {
    spec->has_default = true;
    SLI_RETURN_IF_ERROR(spec->is_list ? take_list(c, spec->kind, &spec->default_value)
                                      : take_value(c, spec->kind, &spec->default_value));
    SLI_RETURN_IF_ERROR(sli_attr_spec_check(spec, &spec->default_value));
  }
  return NULL;
}

static sli_status_t *parse_attrs(cursor_t *c, sli_op_t *op) {
  SLI_ARRAY(sli_attr_spec_t) specs = {0};
  sli_status_t *status = NULL;
  while (!status && !at_end(c)) {
    sli_attr_spec_t spec;
    status = take_attr(c, &spec);
    sli_array_push(&specs, spec);
    if (!status && !take(c, ";") && !at_end(c)) status = wrong(c, "';'");
  }
  op->attrs = sli_arena_calloc(c->arena, specs.count, sizeof(*op->attrs));
  op->attr_count = (int)specs.count;
  if (specs.count) memcpy(op->attrs, specs.items, specs.count * sizeof(*op->attrs));
  sli_array_deinitialize(&specs);
  return status;
}

// Arguments: "name: type", "name: N * type", "name: Ref(type)".

static sli_attr_spec_t *find_spec(const sli_op_t *op, sli_view_t name) {
  for (int i = 0; i < op->attr_count; i++) {
    if (sli_view_is(name, op->attrs[i].name)) return &op->attrs[i];
  }
  return NULL;
}

// Lists of inputs and outputs have at least one element unless the spec sets another minimum.
static void default_minimum(sli_attr_spec_t *spec) {
  if (!spec->has_minimum) {
    spec->has_minimum = true;
    spec->minimum = 1;
  }
}

static sli_status_t *take_arg(cursor_t *c, sli_op_t *op, sli_arg_t *arg) {
  *arg = (sli_arg_t){0};
  SLI_RETURN_IF_ERROR(take_name(c, &arg->name));
  if (!take(c, ":")) return wrong(c, "':'");
  cursor_t ahead = *c;
  arg->is_ref = take_word(&ahead, "Ref") && take(&ahead, "(");
  if (arg->is_ref) *c = ahead;
  sli_view_t word = take_while(c, is_word_character);
  if (take(c, "*")) {
    sli_attr_spec_t *number = find_spec(op, word);
    if (!number || number->kind != SLI_ATTR_INT || number->is_list) return wrong(c, "the name of an int before '*'");
    default_minimum(number);
    arg->number_attr = number->name;
    word = take_while(c, is_word_character);
  }
  arg->type = sli_dtype_from_name(word);
  if (arg->type == SLI_DTYPE_INVALID) {
    sli_attr_spec_t *spec = find_spec(op, word);
    if (!spec || spec->kind != SLI_ATTR_TYPE || (spec->is_list && arg->number_attr))
      return wrong(c, "a type or the name of a type attribute before");
    if (spec->is_list) {
      default_minimum(spec);
      arg->type_list_attr = spec->name;
    } else {
      arg->type_attr = spec->name;
    }
  }
  return arg->is_ref && !take(c, ")") ? wrong(c, "')'") : NULL;
}

static sli_status_t *parse_args(cursor_t *c, sli_op_t *op, sli_arg_t **out_args, int *out_count) {
  SLI_ARRAY(sli_arg_t) args = {0};
  sli_status_t *status = NULL;
  while (!status && !at_end(c)) {
    sli_arg_t arg;
    status = take_arg(c, op, &arg);
    sli_array_push(&args, arg);
    if (!status && !take(c, ",") && !at_end(c)) status = wrong(c, "','");
  }
  *out_args = sli_arena_calloc(c->arena, args.count, sizeof(**out_args));
  *out_count = (int)args.count;
  if (args.count) memcpy(*out_args, args.items, args.count * sizeof(**out_args));
  sli_array_deinitialize(&args);
  return status;
}

// The whole definition.

static sli_status_t *in_context(sli_status_t *status, const sli_op_def_t *def, const char *what, const char *text) {
  return sli_status_prefix(status, "Op %s: %s \"%s\": ", def->name, what, text);
}

sli_status_t *sli_op_spec_parse(const sli_op_def_t *def, sli_arena_t *arena, sli_op_t *out_op) {
  *out_op = (sli_op_t){.def = def};
  const char *attrs = def->attrs ? def->attrs : "";
  const char *inputs = def->inputs ? def->inputs : "";
  const char *outputs = def->outputs ? def->outputs : "";
  cursor_t c = {sli_view(attrs), arena};
  SLI_RETURN_IF_ERROR(in_context(parse_attrs(&c, out_op), def, "attributes", attrs));
  c.rest = sli_view(inputs);
  SLI_RETURN_IF_ERROR(in_context(parse_args(&c, out_op, &out_op->inputs, &out_op->input_count), def, "inputs", inputs));
  c.rest = sli_view(outputs);
  return in_context(parse_args(&c, out_op, &out_op->outputs, &out_op->output_count), def, "outputs", outputs);
}
