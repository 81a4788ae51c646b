#include "base/string.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/status.h"

bool sli_view_starts_with(sli_view_t view, const char *prefix) {
  size_t length = strlen(prefix);
  return view.size >= length && memcmp(view.data, prefix, length) == 0;
}

bool sli_view_ends_with(sli_view_t view, const char *suffix) {
  size_t length = strlen(suffix);
  return view.size >= length && memcmp(view.data + view.size - length, suffix, length) == 0;
}

sli_view_t sli_view_trim(sli_view_t view) {
  while (view.size && isspace((unsigned char)view.data[0])) view.data++, view.size--;
  while (view.size && isspace((unsigned char)view.data[view.size - 1])) view.size--;
  return view;
}

bool sli_view_split(sli_view_t view, char separator, sli_view_t *head, sli_view_t *tail) {
  const char *found = view.size ? memchr(view.data, separator, view.size) : NULL;
  if (!found) {
    *head = view;
    *tail = sli_view_of(NULL, 0);
    return false;
  }
  size_t at = (size_t)(found - view.data);
  *head = sli_view_of(view.data, at);
  *tail = sli_view_of(found + 1, view.size - at - 1);
  return true;
}

// strto* want a C string and skip blanks; a number is short, so copy it.
enum { MAX_NUMBER = 64 };

static bool number_text(sli_view_t view, char *text) {
  if (view.size == 0 || view.size >= MAX_NUMBER || isspace((unsigned char)view.data[0])) return false;
  memcpy(text, view.data, view.size);
  text[view.size] = '\0';
  return true;
}

bool sli_view_to_int64(sli_view_t view, int64_t *out_value) {
  char text[MAX_NUMBER], *end;
  if (!number_text(view, text)) return false;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (errno || *end || end == text) return false;
  *out_value = value;
  return true;
}

bool sli_view_to_double(sli_view_t view, double *out_value) {
  char text[MAX_NUMBER], *end;
  if (!number_text(view, text)) return false;
  errno = 0;
  double value = strtod(text, &end);
  if (*end || end == text) return false;
  *out_value = value;
  return true;
}

bool sli_starts_with(const char *text, const char *prefix) { return sli_view_starts_with(sli_view(text), prefix); }
bool sli_ends_with(const char *text, const char *suffix) { return sli_view_ends_with(sli_view(text), suffix); }

char *sli_string_extend(sli_string_t *string, size_t size) {
  SLI_CHECK(size < SIZE_MAX - string->size - 1);
  size_t needed = string->size + size + 1;
  if (needed > string->capacity) {
    size_t capacity = string->capacity ? string->capacity : 64;
    while (capacity < needed) capacity += capacity / 2;
    string->data = sli_realloc(string->data, capacity);
    string->capacity = capacity;
  }
  char *start = string->data + string->size;
  string->size += size;
  string->data[string->size] = '\0';
  return start;
}

void sli_string_append(sli_string_t *string, const void *data, size_t size) {
  if (size) memcpy(sli_string_extend(string, size), data, size);
}

void sli_string_append_text(sli_string_t *string, const char *text) { sli_string_append(string, text, strlen(text)); }

void sli_string_append_char(sli_string_t *string, char character) { *sli_string_extend(string, 1) = character; }

void sli_string_append_format_v(sli_string_t *string, const char *format, va_list args) {
  va_list copy;
  va_copy(copy, args);
  int length = vsnprintf(NULL, 0, format, copy);
  va_end(copy);
  if (length <= 0) return;
  vsnprintf(sli_string_extend(string, (size_t)length), (size_t)length + 1, format, args);
}

void sli_string_append_format(sli_string_t *string, const char *format, ...) {
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(string, format, args);
  va_end(args);
}

const char *sli_string_text(const sli_string_t *string) { return string->data ? string->data : ""; }

char *sli_string_take(sli_string_t *string) {
  char *text = string->data ? string->data : sli_strdup("");
  *string = (sli_string_t){0};
  return text;
}

void sli_string_clear(sli_string_t *string) {
  string->size = 0;
  if (string->data) string->data[0] = '\0';
}

void sli_string_deinitialize(sli_string_t *string) {
  free(string->data);
  *string = (sli_string_t){0};
}
