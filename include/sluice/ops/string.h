// Ops: joining, splitting, formatting, hashing and matching of strings.
// Generated from src/ops/string by tools/generate_ops; do not edit. sluice/ops.h explains the functions.
#ifndef SLUICE_OPS_STRING_H_
#define SLUICE_OPS_STRING_H_

#pragma GCC system_header  // see sluice/export.h

#include "sluice/ops/types.h"

// clang-format off
SL_BEGIN_DECLS

// AsString(input: T) -> output: string
// Converts numbers to strings.
// T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, complex128,
//   bool, variant, string}; precision: int = -1; scientific: bool = false; shortest: bool = false; width: int = -1;
//   fill: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t precision;
  bool scientific;
  bool shortest;
  int64_t width;
  const char *fill;
} sl_op_as_string_options_t;
static inline TF_Output sl_op_as_string_with(sl_scope_t *scope, TF_Output input,
    const sl_op_as_string_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "AsString", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "precision", options->precision);
  sl_node_attr_bool(node, "scientific", options->scientific);
  sl_node_attr_bool(node, "shortest", options->shortest);
  sl_node_attr_int(node, "width", options->width);
  if (options->fill) sl_node_attr_text(node, "fill", options->fill);
  return sl_node_output(node);
}
#define sl_op_as_string(scope, input, ...) \
  SL_OVER_DEFAULTS(sl_op_as_string_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_as_string_options_t, .precision = -1, \
    .width = -1, __VA_ARGS__)))

// DecodeBase64(input: string) -> output: string
// Decodes strings from web-safe base 64.
// Gradients stop here.
static inline TF_Output sl_op_decode_base64_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "DecodeBase64", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_decode_base64(scope, input, ...) \
  sl_op_decode_base64_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// EncodeBase64(input: string) -> output: string
// Encodes strings in web-safe base 64.
// pad: bool = false
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool pad;
} sl_op_encode_base64_options_t;
static inline TF_Output sl_op_encode_base64_with(sl_scope_t *scope, TF_Output input,
    const sl_op_encode_base64_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "EncodeBase64", options->name);
  sl_node_input(node, input);
  sl_node_attr_bool(node, "pad", options->pad);
  return sl_node_output(node);
}
#define sl_op_encode_base64(scope, input, ...) \
  sl_op_encode_base64_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_encode_base64_options_t, __VA_ARGS__))

// Fingerprint(data: T, method: string) -> fingerprint: uint8
// T: type
// No gradient.
static inline TF_Output sl_op_fingerprint_with(sl_scope_t *scope, TF_Output data, TF_Output method,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Fingerprint", options->name);
  sl_node_input(node, data);
  sl_node_input(node, method);
  return sl_node_output(node);
}
#define sl_op_fingerprint(scope, data, method, ...) \
  sl_op_fingerprint_with(SL_AT(scope), (data), (method), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// ReduceJoin(inputs: string, reduction_indices: int32) -> output: string
// Joins strings along dimensions.
// keep_dims: bool = false; separator: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool keep_dims;
  const char *separator;
} sl_op_reduce_join_options_t;
static inline TF_Output sl_op_reduce_join_with(sl_scope_t *scope, TF_Output inputs, TF_Output reduction_indices,
    const sl_op_reduce_join_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "ReduceJoin", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, reduction_indices);
  sl_node_attr_bool(node, "keep_dims", options->keep_dims);
  if (options->separator) sl_node_attr_text(node, "separator", options->separator);
  return sl_node_output(node);
}
#define sl_op_reduce_join(scope, inputs, reduction_indices, ...) \
  sl_op_reduce_join_with(SL_AT(scope), (inputs), (reduction_indices), SL_OPTIONS(sl_op_reduce_join_options_t, \
    __VA_ARGS__))

// RegexFullMatch(input: string, pattern: string) -> output: bool
// Whether the whole of each element matches a pattern.
// No gradient.
static inline TF_Output sl_op_regex_full_match_with(sl_scope_t *scope, TF_Output input, TF_Output pattern,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RegexFullMatch", options->name);
  sl_node_input(node, input);
  sl_node_input(node, pattern);
  return sl_node_output(node);
}
#define sl_op_regex_full_match(scope, input, pattern, ...) \
  sl_op_regex_full_match_with(SL_AT(scope), (input), (pattern), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// RegexReplace(input: string, pattern: string, rewrite: string) -> output: string
// Replaces the matches of a pattern in each element.
// replace_global: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool replace_global;
} sl_op_regex_replace_options_t;
static inline TF_Output sl_op_regex_replace_with(sl_scope_t *scope, TF_Output input, TF_Output pattern,
    TF_Output rewrite, const sl_op_regex_replace_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "RegexReplace", options->name);
  sl_node_input(node, input);
  sl_node_input(node, pattern);
  sl_node_input(node, rewrite);
  sl_node_attr_bool(node, "replace_global", options->replace_global);
  return sl_node_output(node);
}
#define sl_op_regex_replace(scope, input, pattern, rewrite, ...) \
  SL_OVER_DEFAULTS(sl_op_regex_replace_with(SL_AT(scope), (input), (pattern), (rewrite), SL_OPTIONS( \
    sl_op_regex_replace_options_t, .replace_global = true, __VA_ARGS__)))

// StaticRegexFullMatch(input: string) -> output: bool
// Whether the whole of each element matches a pattern.
// pattern: string
// No gradient.
static inline TF_Output sl_op_static_regex_full_match_with(sl_scope_t *scope, TF_Output input, const char *pattern,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StaticRegexFullMatch", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "pattern", pattern);
  return sl_node_output(node);
}
#define sl_op_static_regex_full_match(scope, input, pattern, ...) \
  sl_op_static_regex_full_match_with(SL_AT(scope), (input), (pattern), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StaticRegexReplace(input: string) -> output: string
// Replaces the matches of a pattern in each element.
// pattern: string; rewrite: string; replace_global: bool = true
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  bool replace_global;
} sl_op_static_regex_replace_options_t;
static inline TF_Output sl_op_static_regex_replace_with(sl_scope_t *scope, TF_Output input, const char *pattern,
    const char *rewrite, const sl_op_static_regex_replace_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StaticRegexReplace", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "pattern", pattern);
  sl_node_attr_text(node, "rewrite", rewrite);
  sl_node_attr_bool(node, "replace_global", options->replace_global);
  return sl_node_output(node);
}
#define sl_op_static_regex_replace(scope, input, pattern, rewrite, ...) \
  SL_OVER_DEFAULTS(sl_op_static_regex_replace_with(SL_AT(scope), (input), (pattern), (rewrite), SL_OPTIONS( \
    sl_op_static_regex_replace_options_t, .replace_global = true, __VA_ARGS__)))

// StringFormat(inputs: T) -> output: string
// Formats tensors into a template string.
// T: list(type) >= 0; template: string = '%s'; placeholder: string = '%s'; summarize: int = 3
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *template_;
  const char *placeholder;
  int64_t summarize;
} sl_op_string_format_options_t;
static inline TF_Output sl_op_string_format_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_string_format_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringFormat", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  if (options->template_) sl_node_attr_text(node, "template", options->template_);
  if (options->placeholder) sl_node_attr_text(node, "placeholder", options->placeholder);
  sl_node_attr_int(node, "summarize", options->summarize);
  return sl_node_output(node);
}
#define sl_op_string_format(scope, inputs, inputs_count, ...) \
  SL_OVER_DEFAULTS(sl_op_string_format_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS( \
    sl_op_string_format_options_t, .summarize = 3, __VA_ARGS__)))

// StringJoin(inputs: N * string) -> output: string
// Joins strings element by element.
// N: int >= 0; separator: string = ''
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *separator;
} sl_op_string_join_options_t;
static inline TF_Output sl_op_string_join_with(sl_scope_t *scope, const TF_Output *inputs, size_t inputs_count,
    const sl_op_string_join_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringJoin", options->name);
  sl_node_input_list(node, inputs, inputs_count);
  if (options->separator) sl_node_attr_text(node, "separator", options->separator);
  return sl_node_output(node);
}
#define sl_op_string_join(scope, inputs, inputs_count, ...) \
  sl_op_string_join_with(SL_AT(scope), (inputs), (inputs_count), SL_OPTIONS(sl_op_string_join_options_t, __VA_ARGS__))

// StringLength(input: string) -> output: int32
// The lengths of strings.
// unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *unit;
} sl_op_string_length_options_t;
static inline TF_Output sl_op_string_length_with(sl_scope_t *scope, TF_Output input,
    const sl_op_string_length_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringLength", options->name);
  sl_node_input(node, input);
  if (options->unit) sl_node_attr_text(node, "unit", options->unit);
  return sl_node_output(node);
}
#define sl_op_string_length(scope, input, ...) \
  sl_op_string_length_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_string_length_options_t, __VA_ARGS__))

// StringLower(input: string) -> output: string
// Converts strings to lower case.
// encoding: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *encoding;
} sl_op_string_lower_options_t;
static inline TF_Output sl_op_string_lower_with(sl_scope_t *scope, TF_Output input,
    const sl_op_string_lower_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringLower", options->name);
  sl_node_input(node, input);
  if (options->encoding) sl_node_attr_text(node, "encoding", options->encoding);
  return sl_node_output(node);
}
#define sl_op_string_lower(scope, input, ...) \
  sl_op_string_lower_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_string_lower_options_t, __VA_ARGS__))

// StringNGrams(data: string, data_splits: Tsplits) -> ngrams: string, ngrams_splits: Tsplits
// Joins runs of neighbouring strings of each row.
// separator: string; ngram_widths: list(int) >= 0; left_pad: string; right_pad: string; pad_width: int;
//   preserve_short_sequences: bool; Tsplits: {int32, int64} = DT_INT64
// No gradient.
typedef struct {
  TF_Output ngrams;
  TF_Output ngrams_splits;
} sl_op_string_n_grams_t;
static inline sl_op_string_n_grams_t sl_op_string_n_grams_with(sl_scope_t *scope, TF_Output data,
    TF_Output data_splits, const char *separator, sl_op_ints_t ngram_widths, const char *left_pad,
    const char *right_pad, int64_t pad_width, bool preserve_short_sequences, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringNGrams", options->name);
  sl_node_input(node, data);
  sl_node_input(node, data_splits);
  sl_node_attr_text(node, "separator", separator);
  sl_node_attr_int_list(node, "ngram_widths", ngram_widths.values, ngram_widths.count);
  sl_node_attr_text(node, "left_pad", left_pad);
  sl_node_attr_text(node, "right_pad", right_pad);
  sl_node_attr_int(node, "pad_width", pad_width);
  sl_node_attr_bool(node, "preserve_short_sequences", preserve_short_sequences);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_string_n_grams_t result;
  result.ngrams = sl_op_output(operation, 0);
  result.ngrams_splits = sl_op_output(operation, 1);
  return result;
}
#define sl_op_string_n_grams(scope, data, data_splits, separator, ngram_widths, left_pad, right_pad, pad_width, \
    preserve_short_sequences, ...) \
  sl_op_string_n_grams_with(SL_AT(scope), (data), (data_splits), (separator), (ngram_widths), (left_pad), ( \
    right_pad), (pad_width), (preserve_short_sequences), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StringSplit(input: string, delimiter: string) -> indices: int64, values: string, shape: int64
// Splits strings at any of the given bytes.
// skip_empty: bool = true
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  bool skip_empty;
} sl_op_string_split_options_t;
typedef struct {
  TF_Output indices;
  TF_Output values;
  TF_Output shape;
} sl_op_string_split_t;
static inline sl_op_string_split_t sl_op_string_split_with(sl_scope_t *scope, TF_Output input, TF_Output delimiter,
    const sl_op_string_split_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringSplit", options->name);
  sl_node_input(node, input);
  sl_node_input(node, delimiter);
  sl_node_attr_bool(node, "skip_empty", options->skip_empty);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_string_split_t result;
  result.indices = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  result.shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_string_split(scope, input, delimiter, ...) \
  SL_OVER_DEFAULTS(sl_op_string_split_with(SL_AT(scope), (input), (delimiter), SL_OPTIONS( \
    sl_op_string_split_options_t, .skip_empty = true, __VA_ARGS__)))

// StringSplitV2(input: string, sep: string) -> indices: int64, values: string, shape: int64
// Splits strings at a separator.
// maxsplit: int = -1
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  int64_t maxsplit;
} sl_op_string_split_v2_options_t;
typedef struct {
  TF_Output indices;
  TF_Output values;
  TF_Output shape;
} sl_op_string_split_v2_t;
static inline sl_op_string_split_v2_t sl_op_string_split_v2_with(sl_scope_t *scope, TF_Output input, TF_Output sep,
    const sl_op_string_split_v2_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringSplitV2", options->name);
  sl_node_input(node, input);
  sl_node_input(node, sep);
  sl_node_attr_int(node, "maxsplit", options->maxsplit);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_string_split_v2_t result;
  result.indices = sl_op_output(operation, 0);
  result.values = sl_op_output(operation, 1);
  result.shape = sl_op_output(operation, 2);
  return result;
}
#define sl_op_string_split_v2(scope, input, sep, ...) \
  SL_OVER_DEFAULTS(sl_op_string_split_v2_with(SL_AT(scope), (input), (sep), SL_OPTIONS( \
    sl_op_string_split_v2_options_t, .maxsplit = -1, __VA_ARGS__)))

// StringStrip(input: string) -> output: string
// Strips whitespace from both ends of strings.
// No gradient.
static inline TF_Output sl_op_string_strip_with(sl_scope_t *scope, TF_Output input, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringStrip", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_string_strip(scope, input, ...) \
  sl_op_string_strip_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// StringToHashBucket(string_tensor: string) -> output: int64
// Hashes strings to buckets with a function that may change between versions.
// num_buckets: int >= 1
// Gradients stop here.
static inline TF_Output sl_op_string_to_hash_bucket_with(sl_scope_t *scope, TF_Output string_tensor,
    int64_t num_buckets, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToHashBucket", options->name);
  sl_node_input(node, string_tensor);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  return sl_node_output(node);
}
#define sl_op_string_to_hash_bucket(scope, string_tensor, num_buckets, ...) \
  sl_op_string_to_hash_bucket_with(SL_AT(scope), (string_tensor), (num_buckets), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StringToHashBucketFast(input: string) -> output: int64
// Hashes strings to buckets with a fast hash function.
// num_buckets: int >= 1
// Gradients stop here.
static inline TF_Output sl_op_string_to_hash_bucket_fast_with(sl_scope_t *scope, TF_Output input,
    int64_t num_buckets, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToHashBucketFast", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  return sl_node_output(node);
}
#define sl_op_string_to_hash_bucket_fast(scope, input, num_buckets, ...) \
  sl_op_string_to_hash_bucket_fast_with(SL_AT(scope), (input), (num_buckets), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StringToHashBucketStrong(input: string) -> output: int64
// Hashes strings to buckets with a keyed hash function.
// num_buckets: int >= 1; key: list(int)
// Gradients stop here.
static inline TF_Output sl_op_string_to_hash_bucket_strong_with(sl_scope_t *scope, TF_Output input,
    int64_t num_buckets, sl_op_ints_t key, const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToHashBucketStrong", options->name);
  sl_node_input(node, input);
  sl_node_attr_int(node, "num_buckets", num_buckets);
  sl_node_attr_int_list(node, "key", key.values, key.count);
  return sl_node_output(node);
}
#define sl_op_string_to_hash_bucket_strong(scope, input, num_buckets, key, ...) \
  sl_op_string_to_hash_bucket_strong_with(SL_AT(scope), (input), (num_buckets), (key), SL_OPTIONS(sl_op_options_t, \
    __VA_ARGS__))

// StringToNumber(string_tensor: string) -> output: out_type
// Converts strings to numbers.
// out_type: {float, double, int32, int64} = DT_FLOAT
// Gradients stop here.
typedef struct {
  size_t struct_size;
  const char *name;
  TF_DataType out_type;
} sl_op_string_to_number_options_t;
static inline TF_Output sl_op_string_to_number_with(sl_scope_t *scope, TF_Output string_tensor,
    const sl_op_string_to_number_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringToNumber", options->name);
  sl_node_input(node, string_tensor);
  if (options->out_type) sl_node_attr_type(node, "out_type", options->out_type);
  return sl_node_output(node);
}
#define sl_op_string_to_number(scope, string_tensor, ...) \
  sl_op_string_to_number_with(SL_AT(scope), (string_tensor), SL_OPTIONS(sl_op_string_to_number_options_t, \
    __VA_ARGS__))

// StringUpper(input: string) -> output: string
// Converts strings to upper case.
// encoding: string = ''
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *encoding;
} sl_op_string_upper_options_t;
static inline TF_Output sl_op_string_upper_with(sl_scope_t *scope, TF_Output input,
    const sl_op_string_upper_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "StringUpper", options->name);
  sl_node_input(node, input);
  if (options->encoding) sl_node_attr_text(node, "encoding", options->encoding);
  return sl_node_output(node);
}
#define sl_op_string_upper(scope, input, ...) \
  sl_op_string_upper_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_string_upper_options_t, __VA_ARGS__))

// Substr(input: string, pos: T, len: T) -> output: string
// Substrings by position and length.
// T: {int32, int64}; unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *unit;
} sl_op_substr_options_t;
static inline TF_Output sl_op_substr_with(sl_scope_t *scope, TF_Output input, TF_Output pos, TF_Output len,
    const sl_op_substr_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "Substr", options->name);
  sl_node_input(node, input);
  sl_node_input(node, pos);
  sl_node_input(node, len);
  if (options->unit) sl_node_attr_text(node, "unit", options->unit);
  return sl_node_output(node);
}
#define sl_op_substr(scope, input, pos, len, ...) \
  sl_op_substr_with(SL_AT(scope), (input), (pos), (len), SL_OPTIONS(sl_op_substr_options_t, __VA_ARGS__))

// UnicodeDecode(input: string) -> row_splits: Tsplits, char_values: int32
// The code points of each element.
// input_encoding: string; errors: {'strict', 'replace', 'ignore'} = 'replace'; replacement_char: int = 65533;
//   replace_control_characters: bool = false; Tsplits: {int32, int64} = DT_INT64
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *errors;
  int64_t replacement_char;
  bool replace_control_characters;
  TF_DataType Tsplits;
} sl_op_unicode_decode_options_t;
typedef struct {
  TF_Output row_splits;
  TF_Output char_values;
} sl_op_unicode_decode_t;
static inline sl_op_unicode_decode_t sl_op_unicode_decode_with(sl_scope_t *scope, TF_Output input,
    const char *input_encoding, const sl_op_unicode_decode_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnicodeDecode", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "input_encoding", input_encoding);
  if (options->errors) sl_node_attr_text(node, "errors", options->errors);
  sl_node_attr_int(node, "replacement_char", options->replacement_char);
  sl_node_attr_bool(node, "replace_control_characters", options->replace_control_characters);
  if (options->Tsplits) sl_node_attr_type(node, "Tsplits", options->Tsplits);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unicode_decode_t result;
  result.row_splits = sl_op_output(operation, 0);
  result.char_values = sl_op_output(operation, 1);
  return result;
}
#define sl_op_unicode_decode(scope, input, input_encoding, ...) \
  SL_OVER_DEFAULTS(sl_op_unicode_decode_with(SL_AT(scope), (input), (input_encoding), SL_OPTIONS( \
    sl_op_unicode_decode_options_t, .replacement_char = 65533, __VA_ARGS__)))

// UnicodeDecodeWithOffsets(input: string) -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64
// The code points of each element, and where they begin.
// input_encoding: string; errors: {'strict', 'replace', 'ignore'} = 'replace'; replacement_char: int = 65533;
//   replace_control_characters: bool = false; Tsplits: {int32, int64} = DT_INT64
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *errors;
  int64_t replacement_char;
  bool replace_control_characters;
  TF_DataType Tsplits;
} sl_op_unicode_decode_with_offsets_options_t;
typedef struct {
  TF_Output row_splits;
  TF_Output char_values;
  TF_Output char_to_byte_starts;
} sl_op_unicode_decode_with_offsets_t;
static inline sl_op_unicode_decode_with_offsets_t sl_op_unicode_decode_with_offsets_with(sl_scope_t *scope,
    TF_Output input, const char *input_encoding, const sl_op_unicode_decode_with_offsets_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnicodeDecodeWithOffsets", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "input_encoding", input_encoding);
  if (options->errors) sl_node_attr_text(node, "errors", options->errors);
  sl_node_attr_int(node, "replacement_char", options->replacement_char);
  sl_node_attr_bool(node, "replace_control_characters", options->replace_control_characters);
  if (options->Tsplits) sl_node_attr_type(node, "Tsplits", options->Tsplits);
  TF_Operation *operation = sl_node_finish(node);
  sl_op_unicode_decode_with_offsets_t result;
  result.row_splits = sl_op_output(operation, 0);
  result.char_values = sl_op_output(operation, 1);
  result.char_to_byte_starts = sl_op_output(operation, 2);
  return result;
}
#define sl_op_unicode_decode_with_offsets(scope, input, input_encoding, ...) \
  SL_OVER_DEFAULTS(sl_op_unicode_decode_with_offsets_with(SL_AT(scope), (input), (input_encoding), SL_OPTIONS( \
    sl_op_unicode_decode_with_offsets_options_t, .replacement_char = 65533, __VA_ARGS__)))

// UnicodeEncode(input_values: int32, input_splits: Tsplits) -> output: string
// Encodes rows of code points.
// errors: {'ignore', 'replace', 'strict'} = 'replace'; output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'};
//   replacement_char: int = 65533; Tsplits: {int32, int64} = DT_INT64
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *errors;
  int64_t replacement_char;
} sl_op_unicode_encode_options_t;
static inline TF_Output sl_op_unicode_encode_with(sl_scope_t *scope, TF_Output input_values, TF_Output input_splits,
    const char *output_encoding, const sl_op_unicode_encode_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnicodeEncode", options->name);
  sl_node_input(node, input_values);
  sl_node_input(node, input_splits);
  if (options->errors) sl_node_attr_text(node, "errors", options->errors);
  sl_node_attr_text(node, "output_encoding", output_encoding);
  sl_node_attr_int(node, "replacement_char", options->replacement_char);
  return sl_node_output(node);
}
#define sl_op_unicode_encode(scope, input_values, input_splits, output_encoding, ...) \
  SL_OVER_DEFAULTS(sl_op_unicode_encode_with(SL_AT(scope), (input_values), (input_splits), (output_encoding), \
    SL_OPTIONS(sl_op_unicode_encode_options_t, .replacement_char = 65533, __VA_ARGS__)))

// UnicodeScript(input: int32) -> output: int32
// The script of each code point, as ICU numbers them.
// No gradient.
static inline TF_Output sl_op_unicode_script_with(sl_scope_t *scope, TF_Output input,
    const sl_op_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnicodeScript", options->name);
  sl_node_input(node, input);
  return sl_node_output(node);
}
#define sl_op_unicode_script(scope, input, ...) \
  sl_op_unicode_script_with(SL_AT(scope), (input), SL_OPTIONS(sl_op_options_t, __VA_ARGS__))

// UnicodeTranscode(input: string) -> output: string
// Converts elements to another encoding.
// input_encoding: string; output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}; errors: {'strict', 'replace',
//   'ignore'} = 'replace'; replacement_char: int = 65533; replace_control_characters: bool = false
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *errors;
  int64_t replacement_char;
  bool replace_control_characters;
} sl_op_unicode_transcode_options_t;
static inline TF_Output sl_op_unicode_transcode_with(sl_scope_t *scope, TF_Output input, const char *input_encoding,
    const char *output_encoding, const sl_op_unicode_transcode_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnicodeTranscode", options->name);
  sl_node_input(node, input);
  sl_node_attr_text(node, "input_encoding", input_encoding);
  sl_node_attr_text(node, "output_encoding", output_encoding);
  if (options->errors) sl_node_attr_text(node, "errors", options->errors);
  sl_node_attr_int(node, "replacement_char", options->replacement_char);
  sl_node_attr_bool(node, "replace_control_characters", options->replace_control_characters);
  return sl_node_output(node);
}
#define sl_op_unicode_transcode(scope, input, input_encoding, output_encoding, ...) \
  SL_OVER_DEFAULTS(sl_op_unicode_transcode_with(SL_AT(scope), (input), (input_encoding), (output_encoding), \
    SL_OPTIONS(sl_op_unicode_transcode_options_t, .replacement_char = 65533, __VA_ARGS__)))

// UnsortedSegmentJoin(inputs: string, segment_ids: Tindices, num_segments: Tnumsegments) -> output: string
// Joins the strings of each segment.
// separator: string = ''; Tindices: {int32, int64}; Tnumsegments: {int32, int64} = DT_INT32
// No gradient.
typedef struct {
  size_t struct_size;
  const char *name;
  const char *separator;
} sl_op_unsorted_segment_join_options_t;
static inline TF_Output sl_op_unsorted_segment_join_with(sl_scope_t *scope, TF_Output inputs, TF_Output segment_ids,
    TF_Output num_segments, const sl_op_unsorted_segment_join_options_t *options) {
  sl_node_t *node = sl_node_begin(scope, "UnsortedSegmentJoin", options->name);
  sl_node_input(node, inputs);
  sl_node_input(node, segment_ids);
  sl_node_input(node, num_segments);
  if (options->separator) sl_node_attr_text(node, "separator", options->separator);
  return sl_node_output(node);
}
#define sl_op_unsorted_segment_join(scope, inputs, segment_ids, num_segments, ...) \
  sl_op_unsorted_segment_join_with(SL_AT(scope), (inputs), (segment_ids), (num_segments), SL_OPTIONS( \
    sl_op_unsorted_segment_join_options_t, __VA_ARGS__))

SL_END_DECLS
// clang-format on

#endif  // SLUICE_OPS_STRING_H_
