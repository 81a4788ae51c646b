// UnicodeDecode, UnicodeDecodeWithOffsets, UnicodeEncode, UnicodeTranscode, UnicodeScript.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "core/op/shape_inference.h"
#include "ops/string/unicode_text.h"

// What to do with malformed text.
typedef struct {
  bool is_strict, is_ignored, replace_control;
  int32_t replacement;
  sli_view_t encoding;  // of the input
} unicode_options_t;

static sli_status_t *options_create(const sli_kernel_setup_t *setup, void **out_state) {
  unicode_options_t options = {0};
  const sli_node_def_t *node = setup->node;
  sli_view_t errors;
  int64_t replacement;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "errors", &errors));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "replacement_char", &replacement));
  options.is_strict = sli_view_is(errors, "strict");
  options.is_ignored = sli_view_is(errors, "ignore");
  if (replacement < 0 || replacement > 0x10ffff)
    return sli_status_make(SLI_INVALID_ARGUMENT, "replacement_char out of unicode codepoint range");
  options.replacement = (int32_t)replacement;
  if (sli_node_attr(node, "replace_control_characters"))
    SLI_RETURN_IF_ERROR(sli_node_attr_bool(node, "replace_control_characters", &options.replace_control));
  if (sli_node_attr(node, "input_encoding")) {
    // An unknown encoding is an error of the graph.
    sli_unicode_decoder_t *decoder;
    SLI_RETURN_IF_ERROR(sli_node_attr_string(node, "input_encoding", &options.encoding));
    SLI_RETURN_IF_ERROR(sli_unicode_decoder_create(options.encoding, &decoder));
    sli_unicode_decoder_destroy(decoder);
  }
  *out_state = sli_memdup(&options, sizeof(options));
  return NULL;
}

static sli_status_t *malformed(void) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid formatting on input string");
}

static bool is_replaced(const unicode_options_t *options, const sli_unicode_character_t *character) {
  return character->is_malformed || (options->replace_control && character->code <= 0x1f);
}

static sli_unicode_form_t form_of(const sli_node_def_t *node) {
  const sli_attr_t *encoding = sli_node_attr(node, "output_encoding");
  if (encoding && sli_view_is(encoding->s, "UTF-16-BE")) return SLI_UNICODE_UTF16_BE;
  if (encoding && sli_view_is(encoding->s, "UTF-32-BE")) return SLI_UNICODE_UTF32_BE;
  return SLI_UNICODE_UTF8;
}

// --- Transcode -------------------------------------------------------------------------------

static sli_status_t *transcode_all(sli_kernel_context_t *context, sli_unicode_decoder_t *decoder, sli_string_t *text) {
  const unicode_options_t *options = sli_kernel_state(context);
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_unicode_form_t form = form_of(context->node);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++) {
    sli_string_clear(text);
    sli_unicode_decoder_start(decoder, sli_tensor_string_at(input, i));
    for (sli_unicode_character_t character; sli_unicode_decoder_next(decoder, &character);) {
      bool replace = is_replaced(options, &character);
      if (replace && options->is_strict) return malformed();
      if (replace && options->is_ignored) continue;
      sli_unicode_append(text, form, replace ? options->replacement : character.code);
    }
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(text), text->size);
  }
  return NULL;
}

static sli_status_t *transcode_compute(sli_kernel_context_t *context) {
  const unicode_options_t *options = sli_kernel_state(context);
  sli_unicode_decoder_t *decoder;
  sli_string_t text = {0};
  SLI_RETURN_IF_ERROR(sli_unicode_decoder_create(options->encoding, &decoder));
  sli_status_t *status = transcode_all(context, decoder, &text);
  sli_string_deinitialize(&text);
  sli_unicode_decoder_destroy(decoder);
  return status;
}

// --- Decode ----------------------------------------------------------------------------------

typedef struct {
  SLI_ARRAY(int32_t) codes;
  SLI_ARRAY(int64_t) begins;
} decoded_t;

static sli_status_t *decode_text(const unicode_options_t *options, sli_unicode_decoder_t *decoder, decoded_t *decoded) {
  for (sli_unicode_character_t character; sli_unicode_decoder_next(decoder, &character);) {
    // Control characters are not an error here.
    if (options->is_strict && character.is_malformed) return malformed();
    bool replace = is_replaced(options, &character);
    if (replace && options->is_ignored) continue;
    sli_array_push(&decoded->codes, replace ? options->replacement : character.code);
    sli_array_push(&decoded->begins, (int64_t)character.begin);
  }
  return NULL;
}

static sli_status_t *decode_all(sli_kernel_context_t *context, sli_unicode_decoder_t *decoder, decoded_t *decoded) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *splits, *codes, *begins;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(input->count + 1), &splits));
  sli_tensor_set_int(splits, 0, 0);
  for (int64_t i = 0; i < input->count; i++) {
    sli_unicode_decoder_start(decoder, sli_tensor_string_at(input, i));
    SLI_RETURN_IF_ERROR(decode_text(sli_kernel_state(context), decoder, decoded));
    sli_tensor_set_int(splits, i + 1, (int64_t)decoded->codes.count);
  }
  int64_t count = (int64_t)decoded->codes.count;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 1, SLI_SHAPE(count), &codes));
  if (count) memcpy(codes->data, decoded->codes.items, sli_tensor_bytes(codes));
  if (context->output_count < 3) return NULL;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 2, SLI_SHAPE(count), &begins));
  if (count) memcpy(begins->data, decoded->begins.items, sli_tensor_bytes(begins));
  return NULL;
}

static sli_status_t *decode_compute(sli_kernel_context_t *context) {
  const unicode_options_t *options = sli_kernel_state(context);
  sli_unicode_decoder_t *decoder;
  decoded_t decoded = {0};
  SLI_RETURN_IF_ERROR(sli_unicode_decoder_create(options->encoding, &decoder));
  sli_status_t *status = decode_all(context, decoder, &decoded);
  sli_array_deinitialize(&decoded.codes);
  sli_array_deinitialize(&decoded.begins);
  sli_unicode_decoder_destroy(decoder);
  return status;
}

// --- Encode ----------------------------------------------------------------------------------

static bool is_character(int32_t code) {
  bool is_surrogate = code >= 0xd800 && code <= 0xdfff, is_none = (code & 0xfffe) == 0xfffe;
  return code >= 0 && code <= 0x10ffff && !is_surrogate && !is_none && !(code >= 0xfdd0 && code <= 0xfdef);
}

static sli_status_t *encode_row(const unicode_options_t *options, sli_unicode_form_t form, const int32_t *codes,
                                int64_t count, sli_string_t *text) {
  for (int64_t i = 0; i < count; i++) {
    int32_t code = codes[i];
    if (!is_character(code)) {
      if (options->is_strict)
        return sli_status_make(SLI_INVALID_ARGUMENT, "Code point is out of range for Unicode, or a noncharacter.");
      if (!options->is_ignored) code = options->replacement;
    }
    if (code >= 0 && code <= 0x10ffff) sli_unicode_append(text, form, code);
  }
  return NULL;
}

static sli_status_t *check_splits(const sli_tensor_t *splits, int64_t count) {
  if (splits->count == 0)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "Input_splits should contain elements, but given input_values has 0 elements");
  if (sli_tensor_int_at(splits, 0) != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "First value in input_splits must be zero.");
  if (sli_tensor_int_at(splits, splits->count - 1) != count)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Last value in input_splits must be equal to length of input_tensor.");
  for (int64_t i = 1; i < splits->count; i++)
    if (sli_tensor_int_at(splits, i) < sli_tensor_int_at(splits, i - 1))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Values in input_splits must be equal or in ascending order.");
  return NULL;
}

static sli_status_t *encode_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *values = sli_kernel_input(context, 0), *splits = sli_kernel_input(context, 1);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(check_splits(splits, values->count));
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, SLI_SHAPE(splits->count - 1), &output));
  sli_string_t text = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < output->count && !status; i++) {
    int64_t begin = sli_tensor_int_at(splits, i), end = sli_tensor_int_at(splits, i + 1);
    sli_string_clear(&text);
    status = encode_row(sli_kernel_state(context), form_of(context->node), SLI_DATA(int32_t, values) + begin,
                        end - begin, &text);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
  }
  sli_string_deinitialize(&text);
  return status;
}

static sli_status_t *script_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  for (int64_t i = 0; i < input->count; i++)
    SLI_DATA(int32_t, output)[i] = sli_unicode_script(SLI_DATA(int32_t, input)[i]);
  return NULL;
}

// --- Shapes ----------------------------------------------------------------------------------

static sli_status_t *decode_shape(sli_infer_context_t *c) {
  sli_shape_t input = sli_infer_input(c, 0);
  int64_t count = input.rank < 0 ? -1 : sli_shape_count(input);
  if (count >= 0) count++;
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
  for (int i = 1; i < c->node->output_count; i++) sli_infer_set_output(c, i, sli_infer_make_unknown_of_rank(c, 1));
  return NULL;
}

static sli_status_t *encode_shape(sli_infer_context_t *c) {
  sli_shape_t unused, splits;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 0, 1, &unused));
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 1, &splits));
  int64_t count = sli_infer_dim(splits, 0);
  if (count == 0) return sli_status_make(SLI_INVALID_ARGUMENT, "input_splits must not be empty");
  if (count > 0) count--;
  sli_infer_set_output(c, 0, sli_infer_make(c, 1, &count));
  return NULL;
}

#define ERRORS                                                                                                       \
  "errors: {'strict', 'replace', 'ignore'} = 'replace'; replacement_char: int = 65533; replace_control_characters: " \
  "bool = false"
#define FORMS "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}"
#define SPLITS "Tsplits: {int32, int64} = DT_INT64"

static const sli_op_def_t ops[] = {
    {.name = "UnicodeDecode",
     .inputs = "input: string",
     .outputs = "row_splits: Tsplits, char_values: int32",
     .attrs = "input_encoding: string; " ERRORS "; " SPLITS,
     .summary = "The code points of each element.",
     .shape = decode_shape},
    {.name = "UnicodeDecodeWithOffsets",
     .inputs = "input: string",
     .outputs = "row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
     .attrs = "input_encoding: string; " ERRORS "; " SPLITS,
     .summary = "The code points of each element, and where they begin.",
     .shape = decode_shape},
    {.name = "UnicodeEncode",
     .inputs = "input_values: int32, input_splits: Tsplits",
     .outputs = "output: string",
     .attrs = "errors: {'ignore', 'replace', 'strict'} = 'replace'; " FORMS "; replacement_char: int = 65533; " SPLITS,
     .summary = "Encodes rows of code points.",
     .shape = encode_shape},
    {.name = "UnicodeTranscode",
     .inputs = "input: string",
     .outputs = "output: string",
     .attrs = "input_encoding: string; " FORMS "; " ERRORS,
     .summary = "Converts elements to another encoding.",
     .shape = sli_infer_fn_unchanged},
    {.name = "UnicodeScript",
     .inputs = "input: int32",
     .outputs = "output: int32",
     .summary = "The script of each code point, as ICU numbers them.",
     .shape = sli_infer_fn_unchanged},
};

#define OPTIONS .create = options_create, .destroy = free

static const sli_kernel_def_t kernels[] = {
    {.op = "UnicodeDecode", .where = {{"Tsplits", SLI_TYPES_INDEX}}, .compute = decode_compute, OPTIONS},
    {.op = "UnicodeDecodeWithOffsets", .where = {{"Tsplits", SLI_TYPES_INDEX}}, .compute = decode_compute, OPTIONS},
    {.op = "UnicodeEncode", .where = {{"Tsplits", SLI_TYPES_INDEX}}, .compute = encode_compute, OPTIONS},
    {.op = "UnicodeTranscode", .compute = transcode_compute, OPTIONS},
    {.op = "UnicodeScript", .compute = script_compute},
};
SLI_OP_MODULE(unicode);
