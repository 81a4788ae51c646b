// Regular expressions over string elements, by PCRE2: the patterns that TensorFlow's
// RE2 takes mean the same here. Matching is bounded, so that no pattern of a
// user can hang a server.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/shape_inference.h"

enum { MATCH_LIMIT = 1000000, DEPTH_LIMIT = 1000 };

static sli_status_t *regex_compile(sli_view_t pattern, pcre2_code **out_code) {
  int error;
  PCRE2_SIZE offset;
  *out_code = pcre2_compile((PCRE2_SPTR)pattern.data, pattern.size, PCRE2_DOLLAR_ENDONLY, &error, &offset, NULL);
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

static sli_status_t *static_full_match_compute(sli_kernel_context_t *context) {
  const pcre2_code *code = sli_kernel_state(context);
  const sli_tensor_t *input = sli_kernel_input(context, 0);
  sli_tensor_t *output;
  SLI_RETURN_IF_ERROR(sli_kernel_allocate_output(context, 0, sli_tensor_shape(input), &output));
  pcre2_match_data *data = pcre2_match_data_create_from_pattern(code, NULL);
  pcre2_match_context *limits = pcre2_match_context_create(NULL);
  pcre2_set_match_limit(limits, MATCH_LIMIT);
  pcre2_set_depth_limit(limits, DEPTH_LIMIT);
  sli_status_t *status = NULL;
  for (int64_t i = 0; i < input->count && !status; i++) {
    sli_view_t text = sli_tstring_view(&SLI_DATA(sli_tstring_t, input)[i]);
    int found = pcre2_match(code, (PCRE2_SPTR)(text.data ? text.data : ""), text.size, 0,
                            PCRE2_ANCHORED | PCRE2_ENDANCHORED, data, limits);
    if (found < 0 && found != PCRE2_ERROR_NOMATCH)
      status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "The pattern takes too long on an element of %zu bytes",
                               text.size);
    SLI_DATA(bool, output)[i] = found >= 0;
  }
  pcre2_match_context_free(limits);
  pcre2_match_data_free(data);
  return status;
}

static const sli_op_def_t ops[] = {
    {.name = "StaticRegexFullMatch",
     .inputs = "input: string",
     .outputs = "output: bool",
     .attrs = "pattern: string",
     .summary = "Whether each element as a whole matches the pattern.",
     .shape = sli_shape_fn_unchanged},
};
static const sli_kernel_def_t kernels[] = {
    {.op = "StaticRegexFullMatch", .compute = static_full_match_compute, .create = static_create, .destroy = static_destroy},
};
SLI_OP_MODULE(regex);
