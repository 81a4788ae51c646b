// Regular expressions over string elements, by PCRE2: the patterns that TensorFlow's
// RE2 takes mean the same here. Matching is bounded, so that no pattern of a
// user can hang a server.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/shape_inference.h"

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 1000 };

// Characters are those of UTF-8, as far as the bytes are; $ is the end of the text alone.
static sli_status_t *regex_compile(sli_view_t pattern, pcre2_code **out_code) {
  int error;
  PCRE2_SIZE offset;
  *out_code = pcre2_compile((PCRE2_SPTR)(pattern.data ? pattern.data : ""), pattern.size,
                            PCRE2_DOLLAR_ENDONLY | PCRE2_UTF | PCRE2_MATCH_INVALID_UTF, &error, &offset, NULL);
  if (*out_code) return NULL;
  char text[256];
  pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof(text));
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid pattern: %.*s, error: %s at offset %zu", SLI_VIEW_ARG(pattern),
                         text, (size_t)offset);
}

static sli_status_t *static_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_view_t pattern;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "pattern", &pattern));
  return regex_compile(pattern, (pcre2_code **)out_state);
}

static void static_destroy(void *state) { pcre2_code_free(state); }

// One search after another with the same pattern. Thread-compatible.
typedef struct {
  const pcre2_code *code;
  pcre2_match_data *data;
  pcre2_match_context *limits;
} matcher_t;

static matcher_t matcher_open(const pcre2_code *code) {
  matcher_t matcher = {code, pcre2_match_data_create_from_pattern(code, NULL), pcre2_match_context_create(NULL)};
  pcre2_set_match_limit(matcher.limits, MATCH_LIMIT);
  pcre2_set_depth_limit(matcher.limits, DEPTH_LIMIT);
  return matcher;
}

static void matcher_close(matcher_t *matcher) {
  pcre2_match_context_free(matcher->limits);
  pcre2_match_data_free(matcher->data);
}

static sli_status_t *matcher_find(matcher_t *matcher, sli_view_t text, size_t from, uint32_t options, bool *out_found) {
  int found = pcre2_match(matcher->code, (PCRE2_SPTR)(text.data ? text.data : ""), text.size, from, options,
                          matcher->data, matcher->limits);
  *out_found = found >= 0;
  if (found >= 0 || found == PCRE2_ERROR_NOMATCH) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "The pattern takes too long on an element of %zu bytes", text.size);
}

static sli_status_t *static_full_match_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  matcher_t matcher = matcher_open(sli_kernel_state(context));
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++)
    status = matcher_find(&matcher, sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]), 0,
                          PCRE2_ANCHORED | PCRE2_ENDANCHORED, &SLI_DATA(bool, output)[i]);
  matcher_close(&matcher);
  return status;
}

// --- Replacing ---------------------------------------------------------------------------

// Whether |rewrite| names only groups that the pattern has.
static bool rewrite_is_valid(const pcre2_code *code, sli_view_t rewrite) {
  uint32_t groups = 0;
  pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
  for (size_t i = 0; i < rewrite.size; i++) {
    if (rewrite.data[i] != '\\') continue;
    if (++i == rewrite.size) return false;
    char c = rewrite.data[i];
    if (c != '\\' && (c < '0' || c > '9' || (uint32_t)(c - '0') > groups)) return false;
  }
  return true;
}

static void append_rewrite(sli_string_t *out, sli_view_t text, sli_view_t rewrite, const PCRE2_SIZE *groups) {
  for (size_t i = 0; i < rewrite.size; i++) {
    char c = rewrite.data[i];
    if (c != '\\') {
      sli_string_append_char(out, c);
    } else if (rewrite.data[++i] == '\\') {
      sli_string_append_char(out, '\\');
    } else {
      size_t group = (size_t)(rewrite.data[i] - '0');
      PCRE2_SIZE begin = groups[2 * group], end = groups[2 * group + 1];
      if (begin != PCRE2_UNSET && end > begin) sli_string_append(out, text.data + begin, end - begin);
    }
  }
}

// The bytes of the character at |at|.
static size_t character_size(sli_view_t text, size_t at) {
  size_t size = 1;
  while (at + size < text.size && ((unsigned char)text.data[at + size] & 0xc0) == 0x80) size++;
  return size;
}

// An empty match right behind the last one does not count, as in RE2.
static sli_status_t *replace(matcher_t *matcher, sli_view_t text, sli_view_t rewrite, bool all, sli_string_t *out) {
  size_t at = 0, last = SIZE_MAX;
  while (at <= text.size) {
    bool found;
    SLI_RETURN_IF_ERROR(matcher_find(matcher, text, at, 0, &found));
    if (!found) break;
    const PCRE2_SIZE *groups = pcre2_get_ovector_pointer(matcher->data);
    size_t begin = groups[0], end = groups[1];
    if (begin < at || end < begin) break;  // \K within a look-behind
    sli_string_append(out, text.data + at, begin - at);
    at = begin;
    if (begin == end && begin == last) {
      if (at == text.size) break;
      size_t size = character_size(text, at);
      sli_string_append(out, text.data + at, size);
      at += size;
      last = SIZE_MAX;
      continue;
    }
    append_rewrite(out, text, rewrite, groups);
    at = last = end;
    if (!all) break;
  }
  if (at < text.size) sli_string_append(out, text.data + at, text.size - at);
  return NULL;
}

static sli_status_t *static_replace_compute(sli_kernel_context_t *context) {
  const pcre2_code *code = sli_kernel_state(context);
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_view_t rewrite;
  bool all;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "rewrite", &rewrite));
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "replace_global", &all));
  if (!rewrite_is_valid(code, rewrite)) {  // RE2 replaces nothing then
    sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, 0)));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  matcher_t matcher = matcher_open(code);
  sli_string_t text = {0};
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++) {
    sli_string_clear(&text);
    status = replace(&matcher, sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]), rewrite, all, &text);
    sli_tstring_assign(&SLI_DATA(sli_tstring_t, output)[i], sli_string_text(&text), text.size);
  }
  sli_string_deinitialize(&text);
  matcher_close(&matcher);
  return status;
}

static const sli_op_def_t ops[] = {
    {
        .name = "StaticRegexFullMatch",
        .inputs = "input: string",
        .outputs = "output: bool",
        .attrs = "pattern: string",
        .summary = "Whether each element as a whole matches the pattern.",
        .shape = sli_shape_fn_unchanged,
    },
    {
        .name = "StaticRegexReplace",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "pattern: string; rewrite: string; replace_global: bool = true",
        .summary = "Replaces what matches the pattern in each element.",
        .shape = sli_shape_fn_unchanged,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "StaticRegexFullMatch",
     .compute = static_full_match_compute,
     .create = static_create,
     .destroy = static_destroy},
    {.op = "StaticRegexReplace", .compute = static_replace_compute, .create = static_create, .destroy = static_destroy},
};
SLI_OP_MODULE(regex);
