// Substr, StringLength, StringStrip, StringLower, StringUpper, EncodeBase64, DecodeBase64: ops on each element of a
// string tensor. Characters are bytes or, if the node requests it, UTF-8 characters.
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"

static sli_view_t text_at(const sli_tensor_t *tensor, int64_t i) {
  return sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[i]);
}

static sli_status_t *is_utf8(const sli_node_def_t *node, bool *out_is_utf8) {
  sli_view_t unit;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "unit", &unit));
  *out_is_utf8 = sli_view_is(unit, "UTF8_CHAR");
  return NULL;
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static int64_t count_characters(sli_view_t text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size; i++) count += !is_continuation(text.data[i]);
  return count;
}

// --- StringLength ------------------------------------------------------------------------------

static sli_status_t *length_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  bool utf8;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(is_utf8(context->node, &utf8));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    sli_view_t text = text_at(input, i);
    SLI_DATA(int32_t, output)[i] = (int32_t)(utf8 ? count_characters(text) : (int64_t)text.size);
  }
  return NULL;
}

// --- Substr --------------------------------------------------------------------------------------

// The offset of UTF-8 character |index|; the size of |text| if there are not so many.
static size_t character_start(sli_view_t text, int64_t index) {
  size_t at = 0;
  for (; at < text.size && index > 0; index--) {
    at++;
    while (at < text.size && is_continuation(text.data[at])) at++;
  }
  return at;
}

static sli_status_t *substring(sli_view_t text, int64_t position, int64_t length, bool utf8, int64_t index,
                               sli_tstring_t *out) {
  int64_t size = utf8 ? count_characters(text) : (int64_t)text.size;
  if (position < -size || position > size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "pos %lld out of range for string b'%.*s' at index %lld",
                           (long long)position, SLI_VIEW_ARG(text), (long long)index);
  int64_t begin = position < 0 ? position + size : position;
  if (length < 0) length = utf8 ? 0 : size;  // as in TensorFlow
  int64_t end = length > size - begin ? size : begin + length;
  size_t from = utf8 ? character_start(text, begin) : (size_t)begin;
  size_t to = utf8 ? character_start(text, end) : (size_t)end;
  sli_tstring_assign(out, text.data + from, to - from);
  return NULL;
}

static sli_status_t *substr_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0), *position = sli_kernel_input(context, 1),
                     *length = sli_kernel_input(context, 2);
  bool utf8;
  SLI_RETURN_IF_ERROR(is_utf8(context->node, &utf8));
  if (!sli_tensor_same_shape(position, length))
    return sli_status_make(SLI_INVALID_ARGUMENT, "pos and len should have the same shape, got: %s vs. %s",
                           sli_tensor_shape_text(position).text, sli_tensor_shape_text(length).text);
  int64_t dims[SLI_MAX_RANK];
  int rank;
  SLI_RETURN_IF_ERROR(sli_shape_broadcast(sli_tensor_shape(input), sli_tensor_shape(position), dims, &rank));
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, (sli_shape_t){rank, dims}, &output));
  for (int64_t i = 0; i < output->count; i++) {
    int64_t text_index = 0, place_index = 0, rest = i, text_stride = 1, place_stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
      int64_t index = rest % dims[d];
      rest /= dims[d];
      int a = d - (rank - input->rank), b = d - (rank - position->rank);
      if (a >= 0) {
        if (input->dims[a] > 1) text_index += index * text_stride;
        text_stride *= input->dims[a];
      }
      if (b >= 0) {
        if (position->dims[b] > 1) place_index += index * place_stride;
        place_stride *= position->dims[b];
      }
    }
    SLI_RETURN_IF_ERROR(substring(text_at(input, text_index), sli_tensor_int_at(position, place_index),
                                  sli_tensor_int_at(length, place_index), utf8, i,
                                  &SLI_DATA(sli_tstring_t, output)[i]));
  }
  return NULL;
}

static sli_status_t *substr_shape(sli_infer_context_t *c) {
  sli_shape_t position, output;
  SLI_RETURN_IF_ERROR(sli_infer_merge(c, sli_infer_input(c, 1), sli_infer_input(c, 2), &position));
  SLI_RETURN_IF_ERROR(sli_infer_broadcast(c, sli_infer_input(c, 0), position, &output));
  sli_infer_set_output(c, 0, output);
  return NULL;
}

// --- Element by element -------------------------------------------------------------------------

typedef sli_status_t *(*change_fn_t)(sli_view_t text, bool option, sli_string_t *out);

static sli_status_t *change_all(sli_kernel_context_t *context, change_fn_t change, bool option) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  sli_string_t text = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++) {
    sli_string_clear(&text);
    status = change(text_at(input, i), option, &text);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
  }
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *strip(sli_view_t text, bool option, sli_string_t *out) {
  text = sli_view_trim(text);
  sli_string_append(out, text.data, text.size);
  return NULL;
}

static sli_status_t *strip_compute(sli_kernel_context_t *context) { return change_all(context, strip, false); }

// Decodes the UTF-8 character at |at|. Returns -1 and a size of 1 for a byte that starts no valid character.
static int32_t decode_character(sli_view_t text, size_t at, size_t *out_size) {
  unsigned char lead = (unsigned char)text.data[at];
  size_t size = lead < 0x80 ? 1 : lead >= 0xf0 && lead < 0xf8 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
  *out_size = 1;
  if (size == 1) return lead;
  if (size == 0 || lead >= 0xf8 || at + size > text.size) return -1;
  int32_t code = lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; i++) {
    if (!is_continuation(text.data[at + i])) return -1;
    code = code << 6 | (text.data[at + i] & 0x3f);
  }
  *out_size = size;
  return code;
}

static void append_character(sli_string_t *out, uint32_t code) {
  if (code < 0x80) {
    sli_string_append_char(out, (char)code);
    return;
  }
  int size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  sli_string_append_char(out, (char)((0xf00 >> size & 0xff) | code >> (6 * (size - 1))));
  for (int i = size - 2; i >= 0; i--) sli_string_append_char(out, (char)(0x80 | (code >> (6 * i) & 0x3f)));
}

// The upper case of some characters is several.
static const struct {
  uint16_t character, upper[3];
} long_uppers[] = {
#include "ops/string/upper_case.inc"
};

static bool append_long_upper(sli_string_t *out, int32_t code) {
  size_t low = 0, high = SLI_ARRAY_COUNT_OF(long_uppers);
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (long_uppers[middle].character < code)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == SLI_ARRAY_COUNT_OF(long_uppers) || long_uppers[low].character != code) return false;
  for (int i = 0; i < 3 && long_uppers[low].upper[i]; i++) append_character(out, long_uppers[low].upper[i]);
  return true;
}

// Marks within a word, which have no case.
static bool is_ignored(int32_t code) {
  return code == '\'' || code == '.' || code == ':' || code == 0xad || code == 0xb7 || code == 0x2019 ||
         (code >= 0x300 && code < 0x370);
}

// Whether the sigma at |at| ends a word: a letter comes before it, and none follows.
static bool is_final_sigma(sli_view_t text, size_t at, locale_t locale) {
  size_t size, before = at, after = at + 2;
  int32_t code = 0;
  do {
    if (before == 0) return false;
    do before--;
    while (before && is_continuation(text.data[before]));
    code = decode_character(text, before, &size);
  } while (is_ignored(code));
  if (code < 0 || !iswalpha_l((wint_t)code, locale)) return false;
  for (; after < text.size; after += size) {
    code = decode_character(text, after, &size);
    if (!is_ignored(code)) return code < 0 || !iswalpha_l((wint_t)code, locale);
  }
  return true;
}

// A character above ASCII.
static void append_changed(sli_string_t *out, sli_view_t text, size_t at, int32_t code, bool is_upper,
                           locale_t locale) {
  if (is_upper && append_long_upper(out, code)) return;
  if (!is_upper && code == 0x130) {  // I with a dot: i and a combining dot
    sli_string_append_char(out, 'i');
    append_character(out, 0x307);
  } else if (!is_upper && code == 0x3a3) {
    append_character(out, is_final_sigma(text, at, locale) ? 0x3c2 : 0x3c3);
  } else {
    wint_t wide = (wint_t)code;
    append_character(out, (uint32_t)(is_upper ? towupper_l(wide, locale) : towlower_l(wide, locale)));
  }
}

static void change_case(sli_view_t text, bool is_upper, locale_t locale, sli_string_t *out) {
  for (size_t at = 0, size; at < text.size; at += size) {
    int32_t code = locale ? decode_character(text, at, &size) : (unsigned char)text.data[at];
    if (!locale) size = 1;
    if (code < 0 || (!locale && code >= 0x80)) {
      sli_string_append_char(out, text.data[at]);
    } else if (code < 0x80) {
      bool changes = is_upper ? code >= 'a' && code <= 'z' : code >= 'A' && code <= 'Z';
      sli_string_append_char(out, (char)(changes ? code ^ 0x20 : code));
    } else {
      append_changed(out, text, at, code, is_upper, locale);
    }
  }
}

static sli_status_t *case_compute(sli_kernel_context_t *context, bool is_upper) {
  sli_view_t encoding;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "encoding", &encoding));
  if (encoding.size && !sli_view_is(encoding, "utf-8"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "only utf-8 or '' (no encoding) is supported, received %.*s",
                           SLI_VIEW_ARG(encoding));
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  locale_t locale = encoding.size ? newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0) : (locale_t)0;
  sli_string_t text = {0};
  for (int64_t i = 0; i < input->count; i++) {
    sli_string_clear(&text);
    change_case(text_at(input, i), is_upper, locale, &text);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
  }
  sli_string_deinitialize(&text);
  if (locale) freelocale(locale);
  return NULL;
}

static sli_status_t *lower_compute(sli_kernel_context_t *context) { return case_compute(context, false); }
static sli_status_t *upper_compute(sli_kernel_context_t *context) { return case_compute(context, true); }

// --- URL-safe base 64 (RFC 4648, section 5) --------------------------------

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static sli_status_t *encode(sli_view_t text, bool pad, sli_string_t *out) {
  for (size_t at = 0; at < text.size; at += 3) {
    size_t left = text.size - at;
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; i++) bits = bits << 8 | (i < left ? (unsigned char)text.data[at + i] : 0u);
    for (size_t i = 0; i < 4; i++) {
      if (i <= left)
        sli_string_append_char(out, digits[bits >> (18 - 6 * i) & 0x3f]);
      else if (pad)
        sli_string_append_char(out, '=');
    }
  }
  return NULL;
}

static sli_status_t *decode(sli_view_t text, bool option, sli_string_t *out) {
  size_t size = text.size;
  for (int i = 0; i < 2 && size > 0 && text.size % 4 == 0 && text.data[size - 1] == '='; i++) size--;
  if (size % 4 == 1) return sli_status_make(SLI_INVALID_ARGUMENT, "Base64 string length cannot be 1 modulo 4.");
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < size; i++) {
    const char *digit = text.data[i] ? strchr(digits, text.data[i]) : NULL;
    if (!digit) return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid character found in base64.");
    bits = bits << 6 | (uint32_t)(digit - digits);
    count += 6;
    if (count >= 8) {
      count -= 8;
      sli_string_append_char(out, (char)(bits >> count & 0xff));
    }
  }
  return NULL;
}

static sli_status_t *encode_compute(sli_kernel_context_t *context) {
  bool pad;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "pad", &pad));
  return change_all(context, encode, pad);
}

static sli_status_t *decode_compute(sli_kernel_context_t *context) { return change_all(context, decode, false); }

static const sli_op_def_t ops[] = {
    {
        .name = "Substr",
        .inputs = "input: string, pos: T, len: T",
        .outputs = "output: string",
        .attrs = "T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
        .summary = "Substrings by position and length.",
        .shape = substr_shape,
    },
    {
        .name = "StringLength",
        .inputs = "input: string",
        .outputs = "output: int32",
        .attrs = "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'",
        .summary = "The lengths of strings.",
        .shape = sli_infer_fn_unchanged,
    },
    {
        .name = "StringStrip",
        .inputs = "input: string",
        .outputs = "output: string",
        .summary = "Strips whitespace from both ends of strings.",
        .shape = sli_infer_fn_unchanged,
    },
    {
        .name = "StringLower",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "encoding: string = ''",
        .summary = "Converts strings to lower case.",
        .shape = sli_infer_fn_unchanged,
    },
    {
        .name = "StringUpper",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "encoding: string = ''",
        .summary = "Converts strings to upper case.",
        .shape = sli_infer_fn_unchanged,
    },
    {
        .name = "EncodeBase64",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "pad: bool = false",
        .summary = "Encodes strings in web-safe base 64.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
    },
    {
        .name = "DecodeBase64",
        .inputs = "input: string",
        .outputs = "output: string",
        .summary = "Decodes strings from web-safe base 64.",
        .shape = sli_infer_fn_unchanged,
        .not_differentiable = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "Substr", .types = SLI_TYPES_INDEX, .compute = substr_compute},
    {.op = "StringLength", .compute = length_compute},
    {.op = "StringStrip", .compute = strip_compute},
    {.op = "StringLower", .compute = lower_compute},
    {.op = "StringUpper", .compute = upper_compute},
    {.op = "EncodeBase64", .compute = encode_compute},
    {.op = "DecodeBase64", .compute = decode_compute},
};
SLI_OP_MODULE(string_text);
