// Writes include/sluice/ops.h and docs/ops.md from the op tables:
//   generate_ops header > include/sluice/ops.h
//   generate_ops docs > docs/ops.md
// "make ops" does both. "calls" writes a program that calls everything, for a test. Ops whose names start with '_' are
// the runtime's own and left out.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op_registry.h"

enum { MOST_WORDS = 64, WIDTH = 118 };

// ---- Names -------------------------------------------------------------------

static bool is_version(const char *text) { return text[0] == 'V' && isdigit((unsigned char)text[1]) && !text[2]; }

// "MatMul" is mat_mul, "Conv2DBackpropInput" conv2d_backprop_input: a new word starts
// at a capital beside a small letter, and at a version ("TopKV2" is top_k_v2).
static void append_snake(sli_string_t *out, const char *name) {
  for (const char *at = name; *at; at++) {
    bool starts_word = at > name && isupper((unsigned char)*at) &&
                       (islower((unsigned char)at[-1]) || islower((unsigned char)at[1]) || is_version(at));
    if (starts_word) sli_string_append_char(out, '_');
    sli_string_append_char(out, (char)tolower((unsigned char)*at));
  }
}

static bool is_reserved(const char *name) {
  static const char *const words[] = {"default",  "switch", "case",  "register", "const",  "signed",
                                      "unsigned", "int",    "float", "double",   "struct", "union",
                                      "bool",     "true",   "false", "scope"};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strcmp(name, words[i]) == 0) return true;
  }
  return false;
}

static bool is_input(const sli_op_t *op, const char *name) {
  for (int i = 0; i < op->input_count; i++) {
    if (strcmp(op->inputs[i].name, name) == 0) return true;
  }
  return false;
}

// An argument's or attribute's name in C. An attribute that is called like an input, or like
// the option that all have, says what it is.
static void append_name(sli_string_t *out, const sli_op_t *op, const char *name, bool is_attr) {
  sli_string_append_text(out, name);
  if (is_attr && (is_input(op, name) || strcmp(name, "name") == 0)) sli_string_append_text(out, "_attr");
  if (is_reserved(name)) sli_string_append_char(out, '_');
}

// ---- What becomes of an attribute ----------------------------------------------

static bool is_inferred(const sli_op_t *op, const char *attr) {
  for (int i = 0; i < op->input_count; i++) {
    const sli_arg_t *arg = &op->inputs[i];
    const char *const from[] = {arg->type_attr, arg->number_attr, arg->type_list_attr};
    for (int k = 0; k < 3; k++) {
      if (from[k] && strcmp(from[k], attr) == 0) return true;
    }
  }
  return false;
}

static bool is_positional(const sli_op_t *op, const sli_attr_spec_t *attr) {
  return !attr->has_default && !is_inferred(op, attr->name);
}

static bool is_option(const sli_op_t *op, const sli_attr_spec_t *attr) {
  return attr->has_default && !is_inferred(op, attr->name);
}

static bool is_list_input(const sli_arg_t *arg) { return arg->number_attr || arg->type_list_attr; }

static const char *c_type(sli_attr_kind_t kind) {
  switch (kind) {
    case SLI_ATTR_INT: return "int64_t ";
    case SLI_ATTR_FLOAT: return "float ";
    case SLI_ATTR_BOOL: return "bool ";
    case SLI_ATTR_TYPE: return "TF_DataType ";
    case SLI_ATTR_SHAPE: return "sl_shape_t ";
    case SLI_ATTR_TENSOR: return "TF_Tensor *";
    default: return "const char *";  // strings, and functions by name
  }
}

static const char *c_list_type(sli_attr_kind_t kind) {
  switch (kind) {
    case SLI_ATTR_INT: return "sl_op_ints_t ";
    case SLI_ATTR_FLOAT: return "sl_op_floats_t ";
    case SLI_ATTR_TYPE: return "sl_op_types_t ";
    case SLI_ATTR_SHAPE: return "sl_op_shapes_t ";
    case SLI_ATTR_STRING: return "sl_op_texts_t ";
    default: return NULL;  // no op has one
  }
}

static const char *type_of(const sli_attr_spec_t *attr) {
  const char *type = attr->is_list ? c_list_type(attr->kind) : c_type(attr->kind);
  SLI_CHECK(type);
  return type;
}

static const char *setter(sli_attr_kind_t kind) {
  switch (kind) {
    case SLI_ATTR_INT: return "int";
    case SLI_ATTR_FLOAT: return "float";
    case SLI_ATTR_BOOL: return "bool";
    case SLI_ATTR_TYPE: return "type";
    case SLI_ATTR_SHAPE: return "shape";
    case SLI_ATTR_TENSOR: return "tensor";
    case SLI_ATTR_FUNC: return "function";
    default: return "text";
  }
}

// Whether leaving the option out shows in its value: a pointer or type of 0 is the op's default.
static bool has_empty_value(const sli_attr_spec_t *attr) {
  return attr->is_list || attr->kind == SLI_ATTR_STRING || attr->kind == SLI_ATTR_TENSOR ||
         attr->kind == SLI_ATTR_TYPE || attr->kind == SLI_ATTR_FUNC;
}

// The default as a C expression if it is not what an initialiser leaves anyway.
static bool append_default(sli_string_t *out, const sli_attr_spec_t *attr) {
  const sli_attr_t *value = &attr->default_value;
  if (has_empty_value(attr)) return false;
  switch (attr->kind) {
    case SLI_ATTR_INT:
      if (value->i) sli_string_append_format(out, value->i > INT32_MAX ? "INT64_C(%lld)" : "%lld", (long long)value->i);
      return value->i != 0;
    case SLI_ATTR_FLOAT:
      if (value->f != 0) sli_string_append_format(out, "(float)%.9g", (double)value->f);
      return value->f != 0;
    case SLI_ATTR_BOOL:
      if (value->b) sli_string_append_text(out, "true");
      return value->b;
    case SLI_ATTR_SHAPE:
      if (value->shape.rank < 0) {
        sli_string_append_text(out, "SL_UNKNOWN_SHAPE");
        return true;
      }
      return false;  // a scalar's: no op has another
    default: return false;
  }
}

// ---- The header --------------------------------------------------------------

// |text| in comment lines, broken at spaces.
static void append_comment(sli_string_t *out, const char *lead, const char *text) {
  size_t column = 0;
  for (sli_view_t rest = sli_view(text), word; rest.size;) {
    if (!sli_view_split(rest, ' ', &word, &rest)) rest.size = 0;
    if (column && column + word.size + 1 > WIDTH) {
      sli_string_append_char(out, '\n');
      column = 0;
    }
    if (!column) {
      sli_string_append_format(out, "%s%.*s", lead, SLI_VIEW_ARG(word));
      column = strlen(lead) + word.size;
      lead = "//   ";
    } else {
      sli_string_append_format(out, " %.*s", SLI_VIEW_ARG(word));
      column += word.size + 1;
    }
  }
  sli_string_append_char(out, '\n');
}

// A line of code, broken where it is too long: |end| ends each part (a macro's with a backslash).
static void append_line(sli_string_t *out, const char *line, const char *end) {
  size_t left = strlen(line), width = WIDTH - strlen(end) + 1;
  while (left > width) {
    size_t cut = width;
    while (cut > 8 && !(line[cut - 1] == ' ' && line[cut - 2] == ',') && line[cut - 1] != '(') cut--;
    bool at_space = line[cut - 1] == ' ';
    sli_string_append_format(out, "%.*s%s    ", (int)cut - at_space, line, end);
    line += cut;
    left -= cut;
    width = WIDTH - 4 - strlen(end) + 1;
  }
  sli_string_append_format(out, "%s\n", line);
}

static void append_signature(sli_string_t *out, const sli_op_t *op) {
  const sli_op_def_t *def = op->def;
  sli_string_append_format(out, "%s(%s)", def->name, def->inputs ? def->inputs : "");
  if (def->outputs) sli_string_append_format(out, " -> %s", def->outputs);
}

static const char *nature(const sli_op_def_t *def) {
  if (def->gradient) return def->is_stateful ? "Stateful, differentiable." : "Differentiable.";
  if (def->not_differentiable) return def->is_stateful ? "Stateful; gradients stop here." : "Gradients stop here.";
  return def->is_stateful ? "Stateful, without a gradient." : "Without a gradient.";
}

static void append_documentation(sli_string_t *out, const sli_op_t *op) {
  const sli_op_def_t *def = op->def;
  sli_string_t text = {0};
  append_signature(&text, op);
  append_comment(out, "// ", sli_string_text(&text));
  if (def->summary) append_comment(out, "// ", def->summary);
  if (def->attrs) append_comment(out, "// ", def->attrs);
  sli_string_clear(&text);
  sli_string_append_text(&text, nature(def));
  if (def->deprecated_in)
    sli_string_append_format(&text, " Deprecated since GraphDef version %d: %s", def->deprecated_in,
                             def->deprecation ? def->deprecation : "");
  append_comment(out, "// ", sli_string_text(&text));
  sli_string_deinitialize(&text);
}

static int count_options(const sli_op_t *op) {
  int count = 0;
  for (int i = 0; i < op->attr_count; i++) count += is_option(op, &op->attrs[i]);
  return count;
}

// sl_op_options_t if the name is all there is to choose.
static void append_options_type(sli_string_t *out, const sli_op_t *op) {
  sli_string_append_text(out, "sl_op_");
  if (count_options(op)) {
    append_snake(out, op->def->name);
    sli_string_append_char(out, '_');
  }
  sli_string_append_text(out, "options_t");
}

static void append_options(sli_string_t *out, const sli_op_t *op) {
  if (!count_options(op)) return;
  sli_string_append_text(out, "typedef struct {\n  size_t struct_size;\n  const char *name;\n");
  for (int i = 0; i < op->attr_count; i++) {
    const sli_attr_spec_t *attr = &op->attrs[i];
    if (!is_option(op, attr)) continue;
    sli_string_append_format(out, "  %s", type_of(attr));
    append_name(out, op, attr->name, true);
    sli_string_append_text(out, ";\n");
  }
  sli_string_append_text(out, "} ");
  append_options_type(out, op);
  sli_string_append_text(out, ";\n");
}

static bool is_list_output(const sli_arg_t *arg) { return arg->number_attr || arg->type_list_attr; }

static void append_result_type(sli_string_t *out, const sli_op_t *op) {
  if (op->output_count == 0) {
    sli_string_append_text(out, "TF_Operation *");
  } else if (op->output_count == 1) {
    sli_string_append_text(out, is_list_output(&op->outputs[0]) ? "sl_op_list_t " : "TF_Output ");
  } else {
    sli_string_append_text(out, "sl_op_");
    append_snake(out, op->def->name);
    sli_string_append_text(out, "_t ");
  }
}

static void append_result(sli_string_t *out, const sli_op_t *op) {
  if (op->output_count < 2) return;
  sli_string_append_text(out, "typedef struct {\n");
  for (int i = 0; i < op->output_count; i++) {
    sli_string_append_format(out, "  %s ", is_list_output(&op->outputs[i]) ? "sl_op_list_t" : "TF_Output");
    append_name(out, op, op->outputs[i].name, false);
    sli_string_append_text(out, ";\n");
  }
  sli_string_append_text(out, "} ");
  append_result_type(out, op);
  out->size--;  // the space
  sli_string_append_text(out, ";\n");
}

typedef enum { AS_PARAMETERS, AS_NAMES, AS_ARGUMENTS } form_t;

static void append_parameter(sli_string_t *out, form_t form, const char *type, const sli_op_t *op, const char *name,
                             bool is_attr, const char *suffix) {
  sli_string_append_text(out, form == AS_ARGUMENTS ? ", (" : ", ");
  if (form == AS_PARAMETERS) sli_string_append_text(out, type);
  append_name(out, op, name, is_attr);
  sli_string_append_text(out, suffix);
  if (form == AS_ARGUMENTS) sli_string_append_char(out, ')');
}

// Inputs, then attributes without a default, as a function declares or a macro passes them.
static void append_parameters(sli_string_t *out, const sli_op_t *op, form_t form) {
  for (int i = 0; i < op->input_count; i++) {
    const sli_arg_t *arg = &op->inputs[i];
    bool is_list = is_list_input(arg);
    append_parameter(out, form, is_list ? "const TF_Output *" : "TF_Output ", op, arg->name, false, "");
    if (is_list) append_parameter(out, form, "size_t ", op, arg->name, false, "_count");
  }
  for (int i = 0; i < op->attr_count; i++) {
    const sli_attr_spec_t *attr = &op->attrs[i];
    if (!is_positional(op, attr)) continue;
    append_parameter(out, form, type_of(attr), op, attr->name, true, "");
  }
}

// Sets an attribute from a parameter or, with |from|, from the options.
static void append_setter(sli_string_t *out, const sli_op_t *op, const sli_attr_spec_t *attr, const char *from) {
  sli_string_t line = {0}, value = {0};
  sli_string_append_text(&value, from);
  append_name(&value, op, attr->name, true);
  if (attr->is_list) sli_string_append_text(&value, ".values");
  sli_string_append_text(&line, "  ");
  if (from[0] && has_empty_value(attr)) sli_string_append_format(&line, "if (%s) ", sli_string_text(&value));
  sli_string_append_format(&line, "sl_node_attr_%s%s(node, \"%s\", %s", setter(attr->kind),
                           attr->is_list ? "_list" : "", attr->name, sli_string_text(&value));
  if (attr->is_list) {
    value.size -= strlen("values");
    sli_string_append_format(&line, ", %.*scount", (int)value.size, value.data);
  }
  sli_string_append_text(&line, ");");
  append_line(out, sli_string_text(&line), "\n");
  sli_string_deinitialize(&line);
  sli_string_deinitialize(&value);
}

static void append_return(sli_string_t *out, const sli_op_t *op) {
  if (op->output_count == 0) {
    sli_string_append_text(out, "  return sl_node_finish(node);\n");
    return;
  }
  if (op->output_count == 1 && !is_list_output(&op->outputs[0])) {
    sli_string_append_text(out, "  return sl_node_output(node);\n");
    return;
  }
  sli_string_append_text(out, "  TF_Operation *operation = sl_node_finish(node);\n");
  if (op->output_count == 1) {
    sli_string_append_format(out, "  return sl_op_list(operation, \"%s\", 0);\n", op->outputs[0].name);
    return;
  }
  sli_string_append_text(out, "  ");
  append_result_type(out, op);
  sli_string_append_text(out, "result;\n");
  bool counts = false;
  for (int i = 0; i < op->output_count; i++) counts = counts || is_list_output(&op->outputs[i]);
  if (counts) sli_string_append_text(out, "  int next = 0;\n");
  for (int i = 0; i < op->output_count; i++) {
    sli_string_t field = {0};
    append_name(&field, op, op->outputs[i].name, false);
    const char *name = sli_string_text(&field);
    if (is_list_output(&op->outputs[i])) {
      sli_string_append_format(out, "  result.%s = sl_op_list(operation, \"%s\", next);\n  next += result.%s.count;\n",
                               name, op->outputs[i].name, name);
    } else if (counts) {
      sli_string_append_format(out, "  result.%s = sl_op_output(operation, next++);\n", name);
    } else {
      sli_string_append_format(out, "  result.%s = sl_op_output(operation, %d);\n", name, i);
    }
    sli_string_deinitialize(&field);
  }
  sli_string_append_text(out, "  return result;\n");
}

static void append_function(sli_string_t *out, const sli_op_t *op) {
  sli_string_t head = {0};
  sli_string_append_text(&head, "static inline ");
  append_result_type(&head, op);
  sli_string_append_text(&head, "sl_op_");
  append_snake(&head, op->def->name);
  sli_string_append_text(&head, "_with(sl_scope_t *scope");
  append_parameters(&head, op, AS_PARAMETERS);
  sli_string_append_text(&head, ", const ");
  append_options_type(&head, op);
  sli_string_append_text(&head, " *options) {");
  append_line(out, sli_string_text(&head), "\n");
  sli_string_deinitialize(&head);
  sli_string_append_format(out, "  sl_node_t *node = sl_node_begin(scope, \"%s\", options->name);\n", op->def->name);
  for (int i = 0; i < op->input_count; i++) {
    sli_string_t name = {0};
    append_name(&name, op, op->inputs[i].name, false);
    if (is_list_input(&op->inputs[i]))
      sli_string_append_format(out, "  sl_node_input_list(node, %s, %s_count);\n", sli_string_text(&name),
                               sli_string_text(&name));
    else
      sli_string_append_format(out, "  sl_node_input(node, %s);\n", sli_string_text(&name));
    sli_string_deinitialize(&name);
  }
  for (int i = 0; i < op->attr_count; i++) {
    const sli_attr_spec_t *attr = &op->attrs[i];
    if (is_positional(op, attr)) append_setter(out, op, attr, "");
    if (is_option(op, attr)) append_setter(out, op, attr, "options->");
  }
  append_return(out, op);
  sli_string_append_text(out, "}\n");
}

static void append_macro(sli_string_t *out, const sli_op_t *op) {
  sli_string_t defaults = {0}, snake = {0}, head = {0}, line = {0};
  for (int i = 0; i < op->attr_count; i++) {
    sli_string_t value = {0};
    if (is_option(op, &op->attrs[i]) && append_default(&value, &op->attrs[i])) {
      sli_string_append_text(&defaults, ".");
      append_name(&defaults, op, op->attrs[i].name, true);
      sli_string_append_format(&defaults, " = %s, ", sli_string_text(&value));
    }
    sli_string_deinitialize(&value);
  }
  append_snake(&snake, op->def->name);
  sli_string_append_format(&head, "#define sl_op_%s(scope", sli_string_text(&snake));
  append_parameters(&head, op, AS_NAMES);
  sli_string_append_text(&head, ", ...)");
  sli_string_append_format(&line, "%ssl_op_%s_with(SL_AT(scope)", defaults.size ? "SL_OVER_DEFAULTS(" : "",
                           sli_string_text(&snake));
  append_parameters(&line, op, AS_ARGUMENTS);
  sli_string_append_text(&line, ", SL_OPTIONS(");
  append_options_type(&line, op);
  sli_string_append_format(&line, ", %s__VA_ARGS__))%s", sli_string_text(&defaults), defaults.size ? ")" : "");
  bool fits = head.size + line.size + 1 <= WIDTH;
  sli_string_append_text(&head, fits ? " " : " \\");
  if (fits) {
    sli_string_append_format(out, "%s%s\n", head.data, line.data);
  } else {
    append_line(out, head.data, " \\\n");
    sli_string_append_text(out, "  ");
    append_line(out, line.data, " \\\n");
  }
  sli_string_append_char(out, '\n');
  sli_string_deinitialize(&head);
  sli_string_deinitialize(&defaults);
  sli_string_deinitialize(&snake);
  sli_string_deinitialize(&line);
}

static const char header_start[] =
    "// Every op of the library, one function each: sl_op_ and the op's name. Generated from the op tables by\n"
    "// tools/generate_ops; do not edit. sluice/math.h has the everyday ones under the names of the Python library.\n"
    "//\n"
    "//   TF_Output y = sl_op_mat_mul(s, x, w, .transpose_b = true, .name = \"scores\");\n"
    "//   sl_op_top_k_v2_t best = sl_op_top_k_v2(s, scores, five);        // best.values, best.indices\n"
    "//   sl_op_list_t parts = sl_op_split(s, axis, x, 3);                // sl_op_at(parts, 0)\n"
    "//   TF_Output both = sl_op_pack(s, ((TF_Output[]){a, b}), 2);       // an array and its length\n"
    "//   TF_Output image = sl_op_conv2d(s, x, filter, SL_INTS(1, 2, 2, 1), \"SAME\");\n"
    "//\n"
    "// Arguments: the inputs, then the attributes that have no default; those with one are options. What the inputs\n"
    "// say (T, N) is not asked. An option that is left out has the op's default, and one that is set, to 0 or false\n"
    "// too, counts: the macros put the defaults before what the caller writes. Who calls a _with function itself "
    "sets\n"
    "// every option, save texts, lists, tensors and types, where 0 means the default.\n"
    "//\n"
    "// The comment of an op has its signature, its attributes as TensorFlow writes them (the types it takes, "
    "defaults,\n"
    "// least values), and whether gradients go through it. Errors are kept by the scope (sluice/scope.h).\n"
    "//\n"
    "// All is inline over sluice/node.h; this header is not part of sluice.h, since it takes a moment to compile.\n"
    "#ifndef SLUICE_OPS_H_\n"
    "#define SLUICE_OPS_H_\n"
    "\n"
    "#include \"sluice/node.h\"\n"
    "\n"
    "// clang-format off\n"
    "SL_BEGIN_DECLS\n"
    "\n"
    "// Attributes that are lists: SL_INTS(1, 2, 2, 1), or {array, count}.\n"
    "typedef struct {\n"
    "  const int64_t *values;\n"
    "  size_t count;\n"
    "} sl_op_ints_t;\n"
    "typedef struct {\n"
    "  const float *values;\n"
    "  size_t count;\n"
    "} sl_op_floats_t;\n"
    "typedef struct {\n"
    "  const char *const *values;\n"
    "  size_t count;\n"
    "} sl_op_texts_t;\n"
    "typedef struct {\n"
    "  const TF_DataType *values;\n"
    "  size_t count;\n"
    "} sl_op_types_t;\n"
    "typedef struct {\n"
    "  const sl_shape_t *values;\n"
    "  size_t count;\n"
    "} sl_op_shapes_t;\n"
    "#define SL_LIST_OF(list, type, ...) \\\n"
    "  ((list){(type[]){__VA_ARGS__}, sizeof((type[]){__VA_ARGS__}) / sizeof(type)})\n"
    "#define SL_INTS(...) SL_LIST_OF(sl_op_ints_t, const int64_t, __VA_ARGS__)\n"
    "#define SL_FLOATS(...) SL_LIST_OF(sl_op_floats_t, const float, __VA_ARGS__)\n"
    "#define SL_TEXTS(...) SL_LIST_OF(sl_op_texts_t, const char *const, __VA_ARGS__)\n"
    "#define SL_TYPES(...) SL_LIST_OF(sl_op_types_t, const TF_DataType, __VA_ARGS__)\n"
    "#define SL_SHAPES(...) SL_LIST_OF(sl_op_shapes_t, const sl_shape_t, __VA_ARGS__)\n"
    "\n"
    "// The outputs of an argument that is a list.\n"
    "typedef struct {\n"
    "  TF_Operation *operation;  // NULL: not built\n"
    "  int first, count;\n"
    "} sl_op_list_t;\n"
    "\n"
    "// Output |index| of an operation; empty if that is NULL.\n"
    "static inline TF_Output sl_op_output(TF_Operation *operation, int index) {\n"
    "  TF_Output output = {operation, operation ? index : 0};\n"
    "  return output;\n"
    "}\n"
    "// Element |index| of a list; empty if it has none.\n"
    "static inline TF_Output sl_op_at(sl_op_list_t list, int index) {\n"
    "  return sl_op_output(index >= 0 && index < list.count ? list.operation : NULL, list.first + index);\n"
    "}\n"
    "// The list called |name| of an operation, which starts at output |first|.\n"
    "static inline sl_op_list_t sl_op_list(TF_Operation *operation, const char *name, int first) {\n"
    "  sl_op_list_t list = {operation, first, 0};\n"
    "  if (!operation) return list;\n"
    "  TF_Status *status = TF_NewStatus();\n"
    "  list.count = TF_OperationOutputListLength(operation, name, status);\n"
    "  if (TF_GetCode(status) != TF_OK) list.count = 0;\n"
    "  TF_DeleteStatus(status);\n"
    "  return list;\n"
    "}\n"
    "\n"
    "// A call whose options are written over their defaults: that is meant, and no compiler need say so.\n"
    "#ifdef __clang__\n"
    "#define SL_OVER_DEFAULTS_QUIETLY _Pragma(\"GCC diagnostic ignored \\\"-Winitializer-overrides\\\"\")\n"
    "#else\n"
    "#define SL_OVER_DEFAULTS_QUIETLY \\\n"
    "  _Pragma(\"GCC diagnostic ignored \\\"-Woverride-init\\\"\") \\\n"
    "  _Pragma(\"GCC diagnostic ignored \\\"-Woverride-init-side-effects\\\"\")\n"
    "#endif\n"
    "#define SL_OVER_DEFAULTS(...) \\\n"
    "  __extension__({ _Pragma(\"GCC diagnostic push\") SL_OVER_DEFAULTS_QUIETLY __VA_ARGS__; \\\n"
    "                  _Pragma(\"GCC diagnostic pop\") })\n"
    "\n";

static void add_to_header(void *context, const sli_op_t *op) {
  sli_string_t *out = context;
  if (op->def->name[0] == '_') return;
  append_documentation(out, op);
  append_options(out, op);
  append_result(out, op);
  append_function(out, op);
  append_macro(out, op);
}

// ---- The reference -----------------------------------------------------------

static void add_to_docs(void *context, const sli_op_t *op) {
  sli_string_t *out = context;
  const sli_op_def_t *def = op->def;
  if (def->name[0] == '_') return;
  sli_string_append_format(out, "\n## %s\n\n", def->name);
  if (def->summary) sli_string_append_format(out, "%s\n\n", def->summary);
  sli_string_append_text(out, "    ");
  append_signature(out, op);
  sli_string_append_text(out, "\n    sl_op_");
  append_snake(out, def->name);
  sli_string_append_text(out, "(scope");
  append_parameters(out, op, AS_NAMES);
  sli_string_append_text(out, ", …)\n\n");
  for (int i = 0; i < op->attr_count; i++) {
    const sli_attr_spec_t *attr = &op->attrs[i];
    sli_string_append_format(out, "- `%s` ", attr->name);
    sli_attr_append_kind(out, attr->kind, attr->is_list);
    for (size_t k = 0; k < attr->allowed_type_count; k++) {
      sli_string_append_format(out, "%s%s", k ? ", " : ": ", sli_dtype_name(attr->allowed_type_list[k]));
    }
    for (size_t k = 0; k < attr->allowed_string_count; k++) {
      sli_string_append_format(out, "%s`%.*s`", k ? ", " : ": ", SLI_VIEW_ARG(attr->allowed_strings[k]));
    }
    if (attr->has_minimum) sli_string_append_format(out, ", at least %lld", (long long)attr->minimum);
    if (is_inferred(op, attr->name)) sli_string_append_text(out, "; from the inputs");
    if (attr->has_default) {
      sli_string_append_text(out, "; default `");
      sli_attr_append(out, &attr->default_value);
      sli_string_append_char(out, '`');
    }
    sli_string_append_char(out, '\n');
  }
  sli_string_append_format(out, "%s%s\n", op->attr_count ? "\n" : "", nature(def));
}

// ---- Calls of everything, for a test that all compiles ---------------------------

static const char *example_value(const sli_attr_spec_t *attr) {
  switch (attr->kind) {
    case SLI_ATTR_INT: return attr->is_list ? "SL_INTS(1, 2)" : "1";
    case SLI_ATTR_FLOAT: return attr->is_list ? "SL_FLOATS(1, 2)" : "0.5f";
    case SLI_ATTR_BOOL: return "false";
    case SLI_ATTR_TYPE: return attr->is_list ? "SL_TYPES(TF_FLOAT, TF_INT32)" : "TF_FLOAT";
    case SLI_ATTR_SHAPE: return attr->is_list ? "SL_SHAPES(SL_SHAPE(1, 2), SL_SHAPE(3))" : "SL_SHAPE(1, 2)";
    case SLI_ATTR_TENSOR: return "NULL";
    default: return attr->is_list ? "SL_TEXTS(\"a\", \"b\")" : "\"a\"";
  }
}

// Once with no options, once with all.
static void add_to_calls(void *context, const sli_op_t *op) {
  sli_string_t *out = context;
  if (op->def->name[0] == '_') return;
  for (int all = 0; all < 2; all++) {
    sli_string_append_text(out, "  (void)sl_op_");
    append_snake(out, op->def->name);
    sli_string_append_text(out, "(s");
    for (int i = 0; i < op->input_count; i++)
      sli_string_append_text(out, is_list_input(&op->inputs[i]) ? ", ((TF_Output[]){x, x}), 2" : ", x");
    for (int i = 0; i < op->attr_count; i++) {
      if (is_positional(op, &op->attrs[i])) sli_string_append_format(out, ", %s", example_value(&op->attrs[i]));
    }
    for (int i = 0; all && i < op->attr_count; i++) {
      if (!is_option(op, &op->attrs[i])) continue;
      sli_string_append_text(out, ", .");
      append_name(out, op, op->attrs[i].name, true);
      sli_string_append_format(out, " = %s", example_value(&op->attrs[i]));
    }
    sli_string_append_text(out, all ? ", .name = \"n\");\n" : ");\n");
  }
}

static void count_op(void *context, const sli_op_t *op) { *(int *)context += op->def->name[0] != '_'; }

int main(int argc, char **argv) {
  sli_string_t out = {0};
  int count = 0;
  sli_op_for_each(count_op, &count);
  if (argc == 2 && strcmp(argv[1], "header") == 0) {
    sli_string_append_text(&out, header_start);
    sli_op_for_each(add_to_header, &out);
    sli_string_append_text(&out, "SL_END_DECLS\n// clang-format on\n\n#endif  // SLUICE_OPS_H_\n");
  } else if (argc == 2 && strcmp(argv[1], "docs") == 0) {
    sli_string_append_format(
        &out,
        "# Ops\n\nThe %d ops of the library, generated from its tables by `make ops`: TensorFlow's "
        "signature, the C function of\n`sluice/ops.h`, the attributes, and whether gradients go "
        "through. TensorFlow's own documentation says what each\ncomputes.\n",
        count);
    sli_op_for_each(add_to_docs, &out);
  } else if (argc == 2 && strcmp(argv[1], "calls") == 0) {
    sli_string_append_text(&out,
                           "// Generated by tools/generate_ops: every wrapper, without options and with all of them.\n"
                           "#include \"sluice/ops.h\"\n\n"
                           "void call_every_op(sl_scope_t *s, TF_Output x);\n"
                           "void call_every_op(sl_scope_t *s, TF_Output x) {\n");
    sli_op_for_each(add_to_calls, &out);
    sli_string_append_text(&out, "}\n");
  } else {
    fprintf(stderr, "usage: generate_ops header|docs|calls\n");
    return 2;
  }
  bool written = fwrite(out.data, 1, out.size, stdout) == out.size && fflush(stdout) == 0;
  sli_string_deinitialize(&out);
  return written ? 0 : 1;
}
