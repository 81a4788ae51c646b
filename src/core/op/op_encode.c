// An op's definition as bytes (OpDef, without descriptions) and as the one-line
// text that TensorFlow's messages show.
#include "core/op/op_registry.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

static void encode_args(const sli_arg_t *args, int count, uint32_t number, sli_string_t *out) {
  for (int i = 0; i < count; i++) {
    const sli_arg_t *arg = &args[i];
    size_t mark = sli_wire_open(out, number);
    sli_wire_write_text(out, SLI_FIELD_OP_DEF_ARG_DEF_NAME, arg->name);
    if (arg->type) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_ARG_DEF_TYPE, arg->type);
    if (arg->type_attr) sli_wire_write_text(out, SLI_FIELD_OP_DEF_ARG_DEF_TYPE_ATTR, arg->type_attr);
    if (arg->number_attr) sli_wire_write_text(out, SLI_FIELD_OP_DEF_ARG_DEF_NUMBER_ATTR, arg->number_attr);
    if (arg->type_list_attr) sli_wire_write_text(out, SLI_FIELD_OP_DEF_ARG_DEF_TYPE_LIST_ATTR, arg->type_list_attr);
    if (arg->is_ref) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_ARG_DEF_IS_REF, 1);
    sli_wire_close(out, mark);
  }
}

// The allowed values as a list, as in OpDef; of kind NONE if all values are allowed.
static sli_attr_t allowed_values(const sli_attr_spec_t *spec) {
  if (spec->allowed_type_count)
    return (sli_attr_t){.kind = SLI_ATTR_TYPE,
                        .is_list = true,
                        .count = spec->allowed_type_count,
                        .list.type = spec->allowed_type_list};
  if (spec->allowed_string_count)
    return (sli_attr_t){
        .kind = SLI_ATTR_STRING, .is_list = true, .count = spec->allowed_string_count, .list.s = spec->allowed_strings};
  return (sli_attr_t){0};
}

static void encode_value(const sli_attr_t *value, uint32_t number, sli_string_t *out) {
  size_t mark = sli_wire_open(out, number);
  sli_attr_encode(value, out);
  sli_wire_close(out, mark);
}

static void encode_attr(const sli_attr_spec_t *spec, sli_string_t *out) {
  size_t mark = sli_wire_open(out, SLI_FIELD_OP_DEF_ATTR);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_ATTR_DEF_NAME, spec->name);
  sli_string_t kind = {0};
  sli_attr_append_kind(&kind, spec->kind, spec->is_list);
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_ATTR_DEF_TYPE, sli_string_text(&kind));
  sli_string_deinitialize(&kind);
  if (spec->has_default) encode_value(&spec->default_value, SLI_FIELD_OP_DEF_ATTR_DEF_DEFAULT_VALUE, out);
  if (spec->has_minimum) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_ATTR_DEF_HAS_MINIMUM, 1);
  if (spec->minimum) sli_wire_write_int(out, SLI_FIELD_OP_DEF_ATTR_DEF_MINIMUM, spec->minimum);
  sli_attr_t allowed = allowed_values(spec);
  if (allowed.kind != SLI_ATTR_NONE) encode_value(&allowed, SLI_FIELD_OP_DEF_ATTR_DEF_ALLOWED_VALUES, out);
  sli_wire_close(out, mark);
}

void sli_op_encode(const sli_op_t *op, sli_string_t *out) {
  const sli_op_def_t *def = op->def;
  sli_wire_write_text(out, SLI_FIELD_OP_DEF_NAME, def->name);
  encode_args(op->inputs, op->input_count, SLI_FIELD_OP_DEF_INPUT_ARG, out);
  encode_args(op->outputs, op->output_count, SLI_FIELD_OP_DEF_OUTPUT_ARG, out);
  for (int i = 0; i < op->attr_count; i++) encode_attr(&op->attrs[i], out);
  if (def->deprecated_in) {
    size_t mark = sli_wire_open(out, SLI_FIELD_OP_DEF_DEPRECATION);
    sli_wire_write_int(out, SLI_FIELD_OP_DEPRECATION_VERSION, def->deprecated_in);
    if (def->deprecation) sli_wire_write_text(out, SLI_FIELD_OP_DEPRECATION_EXPLANATION, def->deprecation);
    sli_wire_close(out, mark);
  }
  if (def->is_aggregate) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_IS_AGGREGATE, 1);
  if (def->is_stateful) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_IS_STATEFUL, 1);
  if (def->is_commutative) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_IS_COMMUTATIVE, 1);
  if (def->allows_uninitialized_input) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_ALLOWS_UNINITIALIZED_INPUT, 1);
  if (def->is_distributed_communication) sli_wire_write_uint(out, SLI_FIELD_OP_DEF_IS_DISTRIBUTED_COMMUNICATION, 1);
}

// As in TensorFlow, no type is shown for an argument with a list of types.
static void append_args(sli_string_t *string, const sli_arg_t *args, int count) {
  for (int i = 0; i < count; i++) {
    const sli_arg_t *arg = &args[i];
    sli_string_append_format(string, "%s%s:%s", i ? ", " : "", arg->name, arg->is_ref ? "Ref(" : "");
    if (arg->number_attr) sli_string_append_format(string, "%s*", arg->number_attr);
    if (arg->type)
      sli_string_append_text(string, sli_dtype_name(arg->type));
    else if (arg->type_attr)
      sli_string_append_text(string, arg->type_attr);
    if (arg->is_ref) sli_string_append_char(string, ')');
  }
}

void sli_op_append(sli_string_t *string, const sli_op_t *op) {
  const sli_op_def_t *def = op->def;
  sli_string_append_format(string, "Op<name=%s; signature=", def->name);
  append_args(string, op->inputs, op->input_count);
  sli_string_append_text(string, " -> ");
  append_args(string, op->outputs, op->output_count);
  for (int i = 0; i < op->attr_count; i++) {
    const sli_attr_spec_t *spec = &op->attrs[i];
    sli_string_append_format(string, "; attr=%s:", spec->name);
    sli_attr_append_kind(string, spec->kind, spec->is_list);
    if (spec->has_default) {
      sli_string_append_text(string, ",default=");
      sli_attr_append(string, &spec->default_value);
    }
    if (spec->has_minimum) sli_string_append_format(string, ",min=%lld", (long long)spec->minimum);
    sli_attr_t allowed = allowed_values(spec);
    if (allowed.kind != SLI_ATTR_NONE) {
      sli_string_append_text(string, ",allowed=");
      sli_attr_append(string, &allowed);
    }
  }
  if (def->is_commutative) sli_string_append_text(string, "; is_commutative=true");
  if (def->is_aggregate) sli_string_append_text(string, "; is_aggregate=true");
  if (def->is_stateful) sli_string_append_text(string, "; is_stateful=true");
  if (def->allows_uninitialized_input) sli_string_append_text(string, "; allows_uninitialized_input=true");
  if (def->is_distributed_communication) sli_string_append_text(string, "; is_distributed_communication=true");
  sli_string_append_char(string, '>');
}
