#include "io/file/xml.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

bool sli_xml_next_element(sli_view_t *rest, const char *tag, sli_view_t *out_text) {
  char *open = sli_format("<%s>", tag), *close = sli_format("</%s>", tag);
  const char *start = rest->size ? memmem(rest->data, rest->size, open, strlen(open)) : NULL;
  if (start) start += strlen(open);
  const char *limit = rest->size ? rest->data + rest->size : NULL;
  const char *end = start ? memmem(start, (size_t)(limit - start), close, strlen(close)) : NULL;
  if (end) {
    *out_text = sli_view_of(start, (size_t)(end - start));
    const char *next = end + strlen(close);
    *rest = sli_view_of(next, (size_t)(limit - next));
  }
  free(open);
  free(close);
  return end != NULL;
}

char *sli_xml_decode(sli_view_t text) {
  static const char *const entities[][2] = {
      {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}};
  sli_string_t out = {0};
  for (size_t i = 0; i < text.size;) {
    size_t taken = 0;
    for (size_t j = 0; j < SLI_ARRAY_COUNT_OF(entities) && !taken; j++) {
      if (!sli_view_starts_with(sli_view_of(text.data + i, text.size - i), entities[j][0])) continue;
      taken = strlen(entities[j][0]);
      sli_string_append_text(&out, entities[j][1]);
    }
    if (!taken) sli_string_append_char(&out, text.data[i]);
    i += taken ? taken : 1;
  }
  return out.data ? sli_string_take(&out) : sli_strdup("");
}
