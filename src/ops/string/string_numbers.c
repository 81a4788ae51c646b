// AsString, StringToNumber: convert between numbers and strings.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"
#include "math/half.h"

// --- AsString -------------------------------------------------------------------------------

// The printf format of a number: "%<flag><width>.<precision><letter>".
typedef struct {
  char flag;             // 0: none
  int width, precision;  // -1: not given
  char letter;           // f, e or g for floating types
} number_format_t;

static sli_status_t *check_options(sli_dtype_t dtype, int64_t precision, bool scientific, bool shortest) {
  bool is_number = sli_types_contain(SLI_TYPES_FLOATING | SLI_TYPES_COMPLEX, dtype);
  if (!is_number && precision > -1)
    return sli_status_make(SLI_INVALID_ARGUMENT, "precision not supported for datatype %s", sli_dtype_name(dtype));
  if (!is_number && (scientific || shortest))
    return sli_status_make(SLI_INVALID_ARGUMENT, "scientific and shortest format not supported for datatype %s",
                           sli_dtype_name(dtype));
  if (scientific && shortest)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Cannot select both scientific and shortest notation");
  return NULL;
}

static sli_status_t *as_string_create(const sli_kernel_setup_t *setup, void **out_state) {
  enum { MOST = 1000 };
  *out_state = NULL;
  int64_t precision, width;
  bool scientific, shortest;
  sli_view_t fill;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "precision", &precision));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(setup->node, "width", &width));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "scientific", &scientific));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(setup->node, "shortest", &shortest));
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "fill", &fill));
  if (fill.size > 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Fill string must be one or fewer characters");
  SLI_RETURN_IF_ERROR(check_options(setup->node->input_types[0], precision, scientific, shortest));
  if (fill.size == 1 && !strchr(" +-0#", fill.data[0]))
    return sli_status_make(SLI_INVALID_ARGUMENT, "Fill argument not supported: \"%.*s\"", SLI_VIEW_ARG(fill));
  if (width > MOST || precision > MOST)
    return sli_status_make(SLI_INVALID_ARGUMENT, "width and precision must be at most %d, got %lld and %lld", MOST,
                           (long long)width, (long long)precision);
  number_format_t format = {.flag = fill.size && width > -1 ? fill.data[0] : 0,
                            .width = width < 0 ? -1 : (int)width,
                            .precision = precision < 0 ? -1 : (int)precision,
                            .letter = scientific ? 'e'
                                      : shortest ? 'g'
                                                 : 'f'};
  *out_state = sli_memdup(&format, sizeof(format));
  return NULL;
}

static void make_directive(const number_format_t *format, const char *letters, char out[32]) {
  size_t at = 0;
  out[at++] = '%';
  if (format->flag) out[at++] = format->flag;
  if (format->width >= 0) at += (size_t)snprintf(out + at, 8, "%d", format->width);
  if (format->precision >= 0) at += (size_t)snprintf(out + at, 8, ".%d", format->precision);
  snprintf(out + at, 8, "%s", letters);
}

static void append_real(sli_string_t *text, const number_format_t *format, double value) {
  char directive[32], letters[2] = {format->letter, 0};
  make_directive(format, letters, directive);
  char buffer[1600];
  snprintf(buffer, sizeof(buffer), directive, value);
  sli_string_append_text(text, buffer);
}

static void append_complex(sli_string_t *text, const number_format_t *format, double real, double imaginary) {
  sli_string_append_char(text, '(');
  append_real(text, format, real);
  sli_string_append_char(text, ',');
  append_real(text, format, imaginary);
  sli_string_append_char(text, ')');
}

static void append_signed(sli_string_t *text, const number_format_t *format, int64_t value) {
  char directive[32], buffer[1100];
  make_directive(format, PRId64, directive);
  snprintf(buffer, sizeof(buffer), directive, value);
  sli_string_append_text(text, buffer);
}

static void append_unsigned(sli_string_t *text, const number_format_t *format, uint64_t value) {
  char directive[32], buffer[1100];
  make_directive(format, PRIu64, directive);
  snprintf(buffer, sizeof(buffer), directive, value);
  sli_string_append_text(text, buffer);
}

// "%<width>s": spaces before the text, or behind it with the flag '-'.
static void append_padded(sli_string_t *text, const number_format_t *format, sli_view_t value) {
  size_t spaces = format->width > (int)value.size ? (size_t)format->width - value.size : 0;
  for (size_t i = 0; format->flag != '-' && i < spaces; i++) sli_string_append_char(text, ' ');
  sli_string_append(text, value.data, value.size);
  for (size_t i = 0; format->flag == '-' && i < spaces; i++) sli_string_append_char(text, ' ');
}

static void append_number(sli_string_t *text, const number_format_t *format, const sli_tensor_t *t, int64_t i) {
  switch (t->dtype) {
    case SLI_DTYPE_FLOAT: append_real(text, format, SLI_DATA(float, t)[i]); break;
    case SLI_DTYPE_DOUBLE: append_real(text, format, SLI_DATA(double, t)[i]); break;
    case SLI_DTYPE_HALF: append_real(text, format, sli_half_to_float(SLI_DATA(sli_half_t, t)[i])); break;
    case SLI_DTYPE_BFLOAT16: append_real(text, format, sli_bfloat16_to_float(SLI_DATA(sli_bfloat16_t, t)[i])); break;
    case SLI_DTYPE_COMPLEX64:
      append_complex(text, format, SLI_DATA(float, t)[2 * i], SLI_DATA(float, t)[2 * i + 1]);
      break;
    case SLI_DTYPE_COMPLEX128:
      append_complex(text, format, SLI_DATA(double, t)[2 * i], SLI_DATA(double, t)[2 * i + 1]);
      break;
    case SLI_DTYPE_UINT64: append_unsigned(text, format, SLI_DATA(uint64_t, t)[i]); break;
    case SLI_DTYPE_UINT32: append_unsigned(text, format, SLI_DATA(uint32_t, t)[i]); break;
    case SLI_DTYPE_UINT16: append_unsigned(text, format, SLI_DATA(uint16_t, t)[i]); break;
    case SLI_DTYPE_UINT8: append_unsigned(text, format, SLI_DATA(uint8_t, t)[i]); break;
    case SLI_DTYPE_BOOL: sli_string_append_text(text, SLI_DATA(bool, t)[i] ? "true" : "false"); break;
    case SLI_DTYPE_STRING: append_padded(text, format, sli_tensor_string_at(t, i)); break;
    default: append_signed(text, format, sli_tensor_int_at(t, i));
  }
}

static sli_status_t *as_string_compute(sli_kernel_context_t *context) {
  const number_format_t *format = sli_kernel_state(context);
  sli_tensor_t *input = sli_kernel_input(context, 0), *output;
  if (input->dtype == SLI_DTYPE_STRING && format->width <= 0) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(input));
    return NULL;
  }
  if (input->dtype == SLI_DTYPE_VARIANT)
    return sli_status_make(SLI_UNIMPLEMENTED, "AsString of variants is not available");
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_string_t text = {0};
  for (int64_t i = 0; i < input->count; i++) {
    sli_string_clear(&text);
    append_number(&text, format, input, i);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
  }
  sli_string_deinitialize(&text);
  return NULL;
}

// --- StringToNumber ---------------------------------------------------------------------------

static bool to_number(sli_view_t text, sli_tensor_t *output, int64_t i) {
  text = sli_view_trim(text);
  if (output->dtype == SLI_DTYPE_INT32 || output->dtype == SLI_DTYPE_INT64) {
    int64_t value;
    if (text.size == 0 || text.data[0] == '+' || !sli_view_to_int64(text, &value)) return false;
    if (output->dtype == SLI_DTYPE_INT32 && (value < INT32_MIN || value > INT32_MAX)) return false;
    sli_tensor_set_int(output, i, value);
    return true;
  }
  if (text.size == 0 || memchr(text.data, 0, text.size)) return false;
  char *copy = sli_strndup(text.data, text.size), *end;
  if (output->dtype == SLI_DTYPE_FLOAT)
    SLI_DATA(float, output)[i] = strtof(copy, &end);
  else
    SLI_DATA(double, output)[i] = strtod(copy, &end);
  bool is_whole = *end == 0;
  free(copy);
  return is_whole;
}

static sli_status_t *to_number_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]);
    if (!to_number(text, output, i))
      return sli_status_make(SLI_INVALID_ARGUMENT, "StringToNumberOp could not correctly convert string: %.*s",
                             SLI_VIEW_ARG(text));
  }
  return NULL;
}

static const sli_op_def_t ops[] = {
    {
        .name = "AsString",
        .inputs = "input: T",
        .outputs = "output: string",
        .attrs = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, "
                 "complex64, complex128, bool, variant, string}; precision: int = -1; scientific: bool = false; "
                 "shortest: bool = false; width: int = -1; fill: string = ''",
        .summary = "Converts numbers to strings.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
        .forwards_input = true,
    },
    {
        .name = "StringToNumber",
        .inputs = "string_tensor: string",
        .outputs = "output: out_type",
        .attrs = "out_type: {float, double, int32, int64} = DT_FLOAT",
        .summary = "Converts strings to numbers.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "AsString", .compute = as_string_compute, .create = as_string_create, .destroy = free},
    {.op = "StringToNumber",
     .where = {{"out_type", SLI_TYPE_FLOAT | SLI_TYPE_DOUBLE | SLI_TYPES_INDEX}},
     .compute = to_number_compute},
};
SLI_OP_MODULE(string_numbers);
