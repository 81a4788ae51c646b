// Checks an attribute's value against its op's specification, with TensorFlow's texts.
#include "core/op/op_spec_internal.h"

static sli_status_t *check_kind(const sli_attr_spec_t *spec, sli_attr_t *attr) {
  // An empty list has no kind on the wire; old graphs even leave out the list.
  if (spec->is_list && attr->count == 0 && (attr->is_list || attr->kind == SLI_ATTR_NONE)) {
    *attr = (sli_attr_t){.kind = spec->kind, .is_list = true};
    return NULL;
  }
  if (attr->kind == spec->kind && attr->is_list == spec->is_list) return NULL;
  sli_string_t wanted = {0}, actual = {0};
  sli_attr_append_kind(&wanted, spec->kind, spec->is_list);
  sli_attr_append_kind(&actual, attr->kind, attr->is_list);
  bool missing = attr->kind == SLI_ATTR_NONE || (attr->is_list && attr->count == 0);
  sli_status_t *status =
      missing
          ? sli_status_make(SLI_INVALID_ARGUMENT, "AttrValue missing value with expected type '%s'\n\t for attr '%s'",
                            sli_string_text(&wanted), spec->name)
          : sli_status_make(SLI_INVALID_ARGUMENT,
                            "AttrValue had value with type '%s' when '%s' expected\n\t for attr '%s'",
                            sli_string_text(&actual), sli_string_text(&wanted), spec->name);
  sli_string_deinitialize(&wanted);
  sli_string_deinitialize(&actual);
  return status;
}

static sli_status_t *check_type(const sli_attr_spec_t *spec, sli_dtype_t type) {
  if (type == SLI_DTYPE_INVALID)
    return sli_status_make(SLI_INVALID_ARGUMENT, "AttrValue %s invalid DataType\n\t for attr '%s'",
                           spec->is_list ? "contains" : "has", spec->name);
  if (!sli_dtype_is_valid((int)type))
    return sli_status_make(SLI_INVALID_ARGUMENT, "AttrValue has invalid DataType enum: %d\n\t for attr '%s'", (int)type,
                           spec->name);
  if (sli_dtype_is_ref(type))
    return sli_status_make(SLI_INVALID_ARGUMENT, "AttrValue must not have reference type value of %s\n\t for attr '%s'",
                           sli_dtype_name(type), spec->name);
  if (!spec->allowed_types || sli_types_contain(spec->allowed_types, type)) return NULL;
  sli_string_t allowed = {0};
  for (size_t i = 0; i < spec->allowed_type_count; i++) {
    sli_string_append_format(&allowed, "%s%s", i ? ", " : "", sli_dtype_name(spec->allowed_type_list[i]));
  }
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Value for attr '%s' of %s is not in the list of allowed values: %s",
                      spec->name, sli_dtype_name(type), sli_string_text(&allowed));
  sli_string_deinitialize(&allowed);
  return status;
}

static sli_status_t *check_string(const sli_attr_spec_t *spec, sli_view_t text) {
  if (!spec->allowed_string_count) return NULL;
  for (size_t i = 0; i < spec->allowed_string_count; i++) {
    if (sli_view_equal(text, spec->allowed_strings[i])) return NULL;
  }
  sli_string_t allowed = {0};
  for (size_t i = 0; i < spec->allowed_string_count; i++) {
    sli_string_append_format(&allowed, "%s\"%.*s\"", i ? ", " : "", SLI_VIEW_ARG(spec->allowed_strings[i]));
  }
  enum { SHOWN = 200 };  // the value comes from a peer
  sli_status_t *status =
      sli_status_make(SLI_INVALID_ARGUMENT, "Value for attr '%s' of \"%.*s\" is not in the list of allowed values: %s",
                      spec->name, (int)(text.size < SHOWN ? text.size : SHOWN), text.data, sli_string_text(&allowed));
  sli_string_deinitialize(&allowed);
  return status;
}

static sli_status_t *check_shape(sli_shape_t shape) {
  const char *wrong = NULL;
  // Unknown dimensions are left out of the product, because they may be 1.
  int64_t count = 1;
  for (int i = 0; i < shape.rank && !wrong; i++) {
    int64_t dim = shape.dims[i];
    if (dim < -1)
      wrong = "has dimensions with values below -1 (where -1 means unknown)";
    else if (dim >= 0 && __builtin_mul_overflow(count, dim, &count))
      wrong = "is too large (more than 2**63 - 1 entries)";
  }
  if (!wrong) return NULL;
  sli_string_t text = {0};
  sli_shape_append(&text, shape);
  sli_status_t *status = sli_status_make(SLI_INVALID_ARGUMENT, "Shape %s %s", sli_string_text(&text), wrong);
  sli_string_deinitialize(&text);
  return status;
}

sli_status_t *sli_attr_spec_check(const sli_attr_spec_t *spec, sli_attr_t *attr) {
  SLI_RETURN_IF_ERROR(check_kind(spec, attr));
  if (spec->has_minimum) {
    int64_t value = spec->is_list ? (int64_t)attr->count : attr->i;
    if (value < spec->minimum)
      return sli_status_make(SLI_INVALID_ARGUMENT, "%s for attr '%s' of %lld must be at least minimum %lld",
                             spec->is_list ? "Length" : "Value", spec->name, (long long)value,
                             (long long)spec->minimum);
  }
  size_t count = spec->is_list ? attr->count : 1;
  for (size_t i = 0; i < count; i++) {
    switch (spec->kind) {
      case SLI_ATTR_TYPE: SLI_RETURN_IF_ERROR(check_type(spec, spec->is_list ? attr->list.type[i] : attr->type)); break;
      case SLI_ATTR_STRING: SLI_RETURN_IF_ERROR(check_string(spec, spec->is_list ? attr->list.s[i] : attr->s)); break;
      case SLI_ATTR_SHAPE: SLI_RETURN_IF_ERROR(check_shape(spec->is_list ? attr->list.shape[i] : attr->shape)); break;
      default: return NULL;
    }
  }
  return NULL;
}
