#include "train/common/device_spec.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/string.h"

static bool to_number(sli_view_t text, int *out_number) {
  int64_t number;
  if (!sli_view_to_int64(text, &number) || number < 0 || number > 1000000) return false;
  *out_number = (int)number;
  return true;
}

static bool copy_word(sli_view_t text, char *out_word, size_t size) {
  if (text.size == 0 || text.size >= size) return false;
  for (size_t i = 0; i < text.size; i++)
    if (!isalnum((unsigned char)text.data[i]) && text.data[i] != '_') return false;
  memcpy(out_word, text.data, text.size);
  out_word[text.size] = '\0';
  return true;
}

// "CPU:0", "GPU:*", "cpu".
static bool parse_type(sli_view_t type, sli_view_t index, bool has_index, sli_device_spec_t *spec) {
  if (!copy_word(type, spec->type, sizeof(spec->type))) return false;
  for (char *letter = spec->type; *letter; letter++) *letter = (char)toupper((unsigned char)*letter);
  return !has_index || sli_view_is(index, "*") || to_number(index, &spec->index);
}

static bool parse_part(sli_view_t part, sli_device_spec_t *spec) {
  sli_view_t key, value = {0};
  bool has_value = sli_view_split(part, ':', &key, &value);
  if (has_value && sli_view_is(key, "job")) return copy_word(value, spec->job, sizeof(spec->job));
  if (has_value && sli_view_is(key, "replica")) return to_number(value, &spec->replica);
  if (has_value && sli_view_is(key, "task")) return to_number(value, &spec->task);
  if (has_value && sli_view_is(key, "device")) {
    sli_view_t type, index = {0};
    bool has_index = sli_view_split(value, ':', &type, &index);
    return parse_type(type, index, has_index, spec);
  }
  if (!sli_view_is(key, "cpu") && !sli_view_is(key, "CPU") && !sli_view_is(key, "gpu") && !sli_view_is(key, "GPU"))
    return false;
  return parse_type(key, value, has_value, spec);
}

sli_status_t *sli_device_spec_parse(const char *device, sli_device_spec_t *out_spec) {
  *out_spec = (sli_device_spec_t){.replica = -1, .task = -1, .index = -1};
  for (sli_view_t rest = sli_view(device); rest.size;) {
    sli_view_t part, tail = {0};
    sli_view_split(rest, '/', &part, &tail);
    rest = tail;
    if (part.size && !parse_part(part, out_spec))
      return sli_status_make(SLI_INVALID_ARGUMENT, "Unknown attribute: '%.*s' in device '%s'", SLI_VIEW_ARG(part),
                             device);
  }
  return NULL;
}

void sli_device_spec_fill(sli_device_spec_t *spec, const sli_device_spec_t *other) {
  if (!spec->job[0]) memcpy(spec->job, other->job, sizeof(spec->job));
  if (spec->replica < 0) spec->replica = other->replica;
  if (spec->task < 0) spec->task = other->task;
  if (!spec->type[0]) {
    memcpy(spec->type, other->type, sizeof(spec->type));
    spec->index = other->index;
  } else if (spec->index < 0 && strcmp(spec->type, other->type) == 0) {
    spec->index = other->index;
  }
}

void sli_device_spec_format(const sli_device_spec_t *spec, char *out_device, size_t size) {
  sli_string_t text = {0};
  if (spec->job[0]) sli_string_append_format(&text, "/job:%s", spec->job);
  if (spec->replica >= 0) sli_string_append_format(&text, "/replica:%d", spec->replica);
  if (spec->task >= 0) sli_string_append_format(&text, "/task:%d", spec->task);
  if (spec->type[0] && spec->index >= 0) sli_string_append_format(&text, "/device:%s:%d", spec->type, spec->index);
  if (spec->type[0] && spec->index < 0) sli_string_append_format(&text, "/device:%s:*", spec->type);
  snprintf(out_device, size, "%s", sli_string_text(&text));
  sli_string_deinitialize(&text);
}
