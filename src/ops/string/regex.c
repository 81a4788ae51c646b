// RegexFullMatch, RegexReplace and their forms with a fixed pattern: regular expressions on string elements, with
// PCRE2. TensorFlow uses RE2: patterns that are valid there mean the same here, and what RE2 refuses (references,
// looking around, possessive repetition) is refused here. The match limit prevents a pattern from blocking a server.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/op/shape_inference.h"

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 1000 };

// --- RE2's syntax ------------------------------------------------------------------------

static sli_status_t *syntax_error(sli_view_t pattern, const char *what, size_t begin, size_t end) {
  if (end > pattern.size) end = pattern.size;
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid pattern: %.*s, error: %s: %.*s", SLI_VIEW_ARG(pattern), what,
                         (int)(end - begin), pattern.data + begin);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Checks the escape at |*at| and moves behind it. Letters and digits mean what RE2 says or nothing.
static sli_status_t *check_escape(sli_view_t pattern, bool in_class, size_t *at) {
  size_t begin = *at;
  if (begin + 1 >= pattern.size)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid pattern: %.*s, error: trailing \\", SLI_VIEW_ARG(pattern));
  char c = pattern.data[begin + 1];
  *at = begin + 2;
  bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (c >= '1' && c <= '7' && *at < pattern.size && is_digit(pattern.data[*at])) return NULL;  // octal
  if (c >= '1' && c <= '9') return syntax_error(pattern, "invalid escape sequence", begin, begin + 2);
  if (is_letter && !strchr(in_class ? "dDsSwWpPaftnrvx" : "dDsSwWpPaftnrvxAbBCzQE", c))
    return syntax_error(pattern, "invalid escape sequence", begin, begin + 2);
  if (c == 'Q' && !in_class)
    while (*at < pattern.size && !(pattern.data[*at] == '\\' && *at + 1 < pattern.size && pattern.data[*at + 1] == 'E'))
      (*at)++;
  return NULL;
}

// The character of a class at |at| that may begin or end a range; NUL: it is none, or not plain ASCII.
static char range_end(sli_view_t pattern, size_t at) {
  char c = at < pattern.size ? pattern.data[at] : '\0';
  return c == '\\' || c == '[' || c == ']' || (signed char)c < 0 ? '\0' : c;
}

// Moves behind the class at |*at|, "[...]".
static sli_status_t *check_class(sli_view_t pattern, size_t *at) {
  size_t i = *at + 1;
  if (i < pattern.size && pattern.data[i] == '^') i++;
  if (i < pattern.size && pattern.data[i] == ']') i++;
  while (i < pattern.size && pattern.data[i] != ']') {
    if (pattern.data[i] == '\\') {
      SLI_RETURN_IF_ERROR(check_escape(pattern, true, &i));
    } else if (pattern.data[i] == '[' && i + 1 < pattern.size && pattern.data[i + 1] == ':') {
      for (i += 2; i + 1 < pattern.size && !(pattern.data[i] == ':' && pattern.data[i + 1] == ']');) i++;
      i += 2;
    } else if (i + 1 < pattern.size && pattern.data[i + 1] == '-' && range_end(pattern, i + 2)) {
      if (pattern.data[i] > pattern.data[i + 2] && range_end(pattern, i))
        return syntax_error(pattern, "invalid character class range", i, i + 3);
      i += 3;
    } else {
      i++;
    }
  }
  if (i >= pattern.size) return syntax_error(pattern, "missing ]", *at, pattern.size);
  *at = i + 1;
  return NULL;
}

// Moves behind "(?P<name>".
static sli_status_t *check_name(sli_view_t pattern, size_t begin, size_t *at) {
  size_t i = begin + 4;
  while (i < pattern.size && pattern.data[i] != '>') i++;
  if (i >= pattern.size || i == begin + 4) return syntax_error(pattern, "invalid named capture group", begin, i + 1);
  *at = i + 1;
  return NULL;
}

// Moves behind "(" or "(?...": a group that captures or not, with a name or flags.
static sli_status_t *check_group(sli_view_t pattern, size_t *at) {
  size_t begin = *at, i = begin + 1;
  *at = i;
  if (i >= pattern.size || pattern.data[i] != '?') return NULL;
  i++;
  if (i + 1 < pattern.size && pattern.data[i] == 'P' && pattern.data[i + 1] == '<')
    return check_name(pattern, begin, at);
  while (i < pattern.size && strchr("imsU-", pattern.data[i])) i++;
  if (i >= pattern.size || (pattern.data[i] != ':' && pattern.data[i] != ')'))
    return syntax_error(pattern, "invalid perl operator", begin, i + 1);
  *at = i + (pattern.data[i] == ':');
  return NULL;
}

// The end of the repetition at |at|: "*", "+", "?" or "{2,3}"; |at| itself if there is none.
static sli_status_t *repetition_end(sli_view_t pattern, size_t at, size_t *out_end) {
  *out_end = at;
  if (at >= pattern.size) return NULL;
  char c = pattern.data[at];
  if (c == '*' || c == '+' || c == '?') *out_end = at + 1;
  if (c != '{') return NULL;
  size_t i = at + 1;
  long count = 0, most = 0, first = -1;
  if (i >= pattern.size || !is_digit(pattern.data[i])) return NULL;  // an ordinary brace
  for (; i < pattern.size && (is_digit(pattern.data[i]) || pattern.data[i] == ','); i++) {
    if (pattern.data[i] == ',' && first >= 0) return NULL;  // {1,2,3} is text
    if (pattern.data[i] == ',') first = count;
    count = pattern.data[i] == ',' ? 0 : count * 10 + (pattern.data[i] - '0');
    if (count > 100000) count = 100000;
    if (count > most) most = count;
  }
  if (i >= pattern.size || pattern.data[i] != '}') return NULL;
  bool is_reversed = first > count && pattern.data[i - 1] != ',';
  if (most > 1000 || is_reversed) return syntax_error(pattern, "invalid repetition size", at, i + 1);
  *out_end = i + 1;
  return NULL;
}

// |has_operand|: there is something that a repetition can repeat.
static sli_status_t *check_repetition(sli_view_t pattern, bool has_operand, size_t *at) {
  size_t end, next;
  SLI_RETURN_IF_ERROR(repetition_end(pattern, *at, &end));
  if (end == *at) return NULL;
  if (!has_operand) return syntax_error(pattern, "no argument for repetition operator", *at, end);
  if (end < pattern.size && pattern.data[end] == '?') end++;
  SLI_RETURN_IF_ERROR(repetition_end(pattern, end, &next));
  if (next != end) return syntax_error(pattern, "bad repetition operator", *at, next);
  *at = end;
  return NULL;
}

// INVALID_ARGUMENT, with RE2's texts, for what RE2 refuses.
static sli_status_t *check_syntax(sli_view_t pattern) {
  int depth = 0;
  bool has_operand = false;
  for (size_t i = 0; i < pattern.size;) {
    char c = pattern.data[i];
    size_t before = i;
    if (c == '\\') {
      SLI_RETURN_IF_ERROR(check_escape(pattern, false, &i));
    } else if (c == '[') {
      SLI_RETURN_IF_ERROR(check_class(pattern, &i));
    } else if (c == '(') {
      SLI_RETURN_IF_ERROR(check_group(pattern, &i));
      depth++;
    } else if (c == ')') {
      if (depth-- == 0) return syntax_error(pattern, "unexpected )", 0, pattern.size);
      i++;
    } else {
      SLI_RETURN_IF_ERROR(check_repetition(pattern, has_operand, &i));
      if (i == before) i++;
    }
    has_operand = c != '(' && c != '|';
  }
  return depth ? syntax_error(pattern, "missing )", 0, pattern.size) : NULL;
}

// --- Matching ----------------------------------------------------------------------------

// A compiled pattern.
typedef struct {
  pcre2_code *code;
  char *text;  // the pattern itself
  size_t size;
} regex_t;

static pcre2_code *compile(const regex_t *regex, uint32_t more_options, int *out_error, PCRE2_SIZE *out_offset) {
  return pcre2_compile((PCRE2_SPTR)regex->text, regex->size,
                       PCRE2_DOLLAR_ENDONLY | PCRE2_DUPNAMES | PCRE2_UTF | more_options, out_error, out_offset, NULL);
}

static void regex_destroy(void *regex) {
  regex_t *own = regex;
  if (!own) return;
  pcre2_code_free(own->code);
  free(own->text);
  free(own);
}

// Text is matched as UTF-8; bytes that are not valid UTF-8 match nothing. $ matches only at the end of the text.
static sli_status_t *regex_create(sli_view_t pattern, regex_t **out_regex) {
  int error;
  PCRE2_SIZE offset;
  *out_regex = NULL;
  SLI_RETURN_IF_ERROR(check_syntax(pattern));
  regex_t *regex = sli_calloc(1, sizeof(*regex));
  regex->text = sli_strndup(pattern.data ? pattern.data : "", pattern.size);
  if (pattern.size) memcpy(regex->text, pattern.data, pattern.size);
  regex->size = pattern.size;
  regex->code = compile(regex, PCRE2_MATCH_INVALID_UTF, &error, &offset);
  if (regex->code) {
    *out_regex = regex;
    return NULL;
  }
  regex_destroy(regex);
  char text[256];
  pcre2_get_error_message(error, (PCRE2_UCHAR *)text, sizeof(text));
  return sli_status_make(SLI_INVALID_ARGUMENT, "Invalid pattern: %.*s, error: %s at offset %zu", SLI_VIEW_ARG(pattern),
                         text, (size_t)offset);
}

static sli_status_t *static_create(const sli_kernel_setup_t *setup, void **out_state) {
  sli_view_t pattern;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(setup->node, "pattern", &pattern));
  return regex_create(pattern, (regex_t **)out_state);
}

// State for searches with one pattern. Not thread-safe.
typedef struct {
  const regex_t *regex;
  pcre2_match_data *data;
  pcre2_match_context *limits;
} matcher_t;

static matcher_t matcher_open(const regex_t *regex) {
  matcher_t matcher = {regex, pcre2_match_data_create_from_pattern(regex->code, NULL),
                       pcre2_match_context_create(NULL)};
  pcre2_set_match_limit(matcher.limits, MATCH_LIMIT);
  pcre2_set_depth_limit(matcher.limits, DEPTH_LIMIT);
  return matcher;
}

static void matcher_close(matcher_t *matcher) {
  pcre2_match_context_free(matcher->limits);
  pcre2_match_data_free(matcher->data);
}

// Whether there is a match at all, by an algorithm that takes all paths at once; it finds no groups, and not the match
// that comes first. Returns a number as pcre2_match.
static int find_any(matcher_t *matcher, sli_view_t text, size_t from, uint32_t options) {
  enum { WORKSPACE = 20000 };
  int error;
  PCRE2_SIZE offset;
  pcre2_code *code = compile(matcher->regex, 0, &error, &offset);
  if (!code) return PCRE2_ERROR_MATCHLIMIT;
  int *workspace = sli_malloc(WORKSPACE * sizeof(*workspace));
  int found = pcre2_dfa_match(code, (PCRE2_SPTR)(text.data ? text.data : ""), text.size, from, options, matcher->data,
                              matcher->limits, workspace, WORKSPACE);
  free(workspace);
  pcre2_code_free(code);
  return found;
}

static sli_status_t *matcher_find(matcher_t *matcher, sli_view_t text, size_t from, uint32_t options, bool *out_found) {
  int found = pcre2_match(matcher->regex->code, (PCRE2_SPTR)(text.data ? text.data : ""), text.size, from, options,
                          matcher->data, matcher->limits);
  *out_found = found >= 0;
  if (found >= 0 || found == PCRE2_ERROR_NOMATCH) return NULL;
  // Too many paths through the pattern. Without a match they need not be told apart, nor for a match of all the text.
  int any = find_any(matcher, text, from, options);
  *out_found = any >= 0;
  if (any == PCRE2_ERROR_NOMATCH || (any >= 0 && (options & PCRE2_ENDANCHORED))) return NULL;
  return sli_status_make(SLI_RESOURCE_EXHAUSTED,
                         "Matching the pattern against an element of %zu bytes exceeded the match limit", text.size);
}

static sli_status_t *full_match(sli_kernel_context_t *context, const regex_t *regex) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  matcher_t matcher = matcher_open(regex);
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++)
    status = matcher_find(&matcher, sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]), 0,
                          PCRE2_ANCHORED | PCRE2_ENDANCHORED, &SLI_DATA(bool, output)[i]);
  matcher_close(&matcher);
  return status;
}

static sli_status_t *static_full_match_compute(sli_kernel_context_t *context) {
  return full_match(context, sli_kernel_state(context));
}

// Compiles the pattern in input 1.
static sli_status_t *compile_input(sli_kernel_context_t *context, regex_t **out_regex) {
  const sli_tensor_t *pattern = sli_kernel_input(context, 1);
  if (pattern->rank != 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Pattern must be scalar, but received %s",
                           sli_tensor_shape_text(pattern).text);
  return regex_create(sli_tensor_string_at(pattern, 0), out_regex);
}

static sli_status_t *full_match_compute(sli_kernel_context_t *context) {
  regex_t *regex;
  SLI_RETURN_IF_ERROR(compile_input(context, &regex));
  sli_status_t *status = full_match(context, regex);
  regex_destroy(regex);
  return status;
}

// --- Replacing ---------------------------------------------------------------------------

// How much of |rewrite| RE2 uses: it stops before an escape that is neither a group nor a backslash. Returns false if a
// group is not in the pattern, and for a single replacement also if an escape is bad: then nothing is replaced.
static bool rewrite_is_valid(const pcre2_code *code, bool all, sli_view_t *rewrite) {
  uint32_t groups = 0;
  size_t good = rewrite->size;
  pcre2_pattern_info(code, PCRE2_INFO_CAPTURECOUNT, &groups);
  for (size_t i = 0; i < rewrite->size; i++) {
    if (rewrite->data[i] != '\\') continue;
    char c = ++i < rewrite->size ? rewrite->data[i] : 0;
    if (c >= '0' && c <= '9' && (uint32_t)(c - '0') > groups) return false;
    bool is_bad = c != '\\' && (c < '0' || c > '9');
    if (is_bad && !all) return false;
    if (is_bad && i - 1 < good) good = i - 1;
  }
  rewrite->size = good;
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

// The size in bytes of the UTF-8 character at |at|.
static size_t character_size(sli_view_t text, size_t at) {
  size_t size = 1;
  while (at + size < text.size && ((unsigned char)text.data[at + size] & 0xc0) == 0x80) size++;
  return size;
}

// Appends |text| with the first match, or all matches, replaced. As in RE2, an empty match directly after another match
// is ignored.
static sli_status_t *replace(matcher_t *matcher, sli_view_t text, sli_view_t rewrite, bool all, sli_string_t *out) {
  size_t at = 0, last = SIZE_MAX;
  while (at <= text.size) {
    bool found;
    SLI_RETURN_IF_ERROR(matcher_find(matcher, text, at, 0, &found));
    if (!found) break;
    const PCRE2_SIZE *groups = pcre2_get_ovector_pointer(matcher->data);
    size_t begin = groups[0], end = groups[1];
    if (begin < at || end < begin) break;  // possible with \K in a lookbehind
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

static sli_status_t *replace_all(sli_kernel_context_t *context, const regex_t *regex, sli_view_t rewrite) {
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  bool all;
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_node_attr_bool(context->node, "replace_global", &all));
  if (!rewrite_is_valid(regex->code, all, &rewrite)) {
    sli_kernel_set_output(context, 0, sli_tensor_retain(sli_kernel_input(context, 0)));
    return NULL;
  }
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  matcher_t matcher = matcher_open(regex);
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

static sli_status_t *static_replace_compute(sli_kernel_context_t *context) {
  sli_view_t rewrite;
  SLI_RETURN_IF_ERROR(sli_node_attr_string(context->node, "rewrite", &rewrite));
  return replace_all(context, sli_kernel_state(context), rewrite);
}

static sli_status_t *replace_compute(sli_kernel_context_t *context) {
  const sli_tensor_t *rewrite = sli_kernel_input(context, 2);
  regex_t *regex;
  SLI_RETURN_IF_ERROR(compile_input(context, &regex));
  sli_status_t *status = rewrite->rank == 0
                             ? replace_all(context, regex, sli_tensor_string_at(rewrite, 0))
                             : sli_status_make(SLI_INVALID_ARGUMENT, "Rewrite must be scalar, but received %s",
                                               sli_tensor_shape_text(rewrite).text);
  regex_destroy(regex);
  return status;
}

static sli_status_t *full_match_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 1, 0, &unused));
  return sli_infer_fn_unchanged(c);
}

static sli_status_t *replace_shape(sli_infer_context_t *c) {
  sli_shape_t unused;
  SLI_RETURN_IF_ERROR(sli_infer_input_with_rank(c, 2, 0, &unused));
  return full_match_shape(c);
}

static const sli_op_def_t ops[] = {
    {
        .name = "RegexFullMatch",
        .inputs = "input: string, pattern: string",
        .outputs = "output: bool",
        .summary = "Whether the whole of each element matches a pattern.",
        .shape = full_match_shape,
    },
    {
        .name = "RegexReplace",
        .inputs = "input: string, pattern: string, rewrite: string",
        .outputs = "output: string",
        .attrs = "replace_global: bool = true",
        .summary = "Replaces the matches of a pattern in each element.",
        .shape = replace_shape,
        .not_differentiable = true,
        .forwards_input = true,
    },
    {
        .name = "StaticRegexFullMatch",
        .inputs = "input: string",
        .outputs = "output: bool",
        .attrs = "pattern: string",
        .summary = "Whether the whole of each element matches a pattern.",
        .shape = sli_infer_fn_unchanged,
    },
    {
        .name = "StaticRegexReplace",
        .inputs = "input: string",
        .outputs = "output: string",
        .attrs = "pattern: string; rewrite: string; replace_global: bool = true",
        .summary = "Replaces the matches of a pattern in each element.",
        .shape = sli_infer_fn_unchanged,
        .forwards_input = true,
    },
};

static const sli_kernel_def_t kernels[] = {
    {.op = "RegexFullMatch", .compute = full_match_compute},
    {.op = "RegexReplace", .compute = replace_compute},
    {.op = "StaticRegexFullMatch",
     .compute = static_full_match_compute,
     .create = static_create,
     .destroy = regex_destroy},
    {.op = "StaticRegexReplace", .compute = static_replace_compute, .create = static_create, .destroy = regex_destroy},
};
SLI_OP_MODULE(regex);
