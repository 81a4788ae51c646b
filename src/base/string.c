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

size_t sli_view_utf8_size(sli_view_t view) {
  const unsigned char *at = (const unsigned char *)view.data;
  if (view.size == 0) return 0;
  if (at[0] < 0x80) return 1;
  size_t size = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
  if (at[0] < 0xc2 || at[0] > 0xf4 || view.size < size) return 0;
  unsigned char low = 0x80, high = 0xbf;  // of the second byte
  if (at[0] == 0xe0) low = 0xa0;
  if (at[0] == 0xed) high = 0x9f;
  if (at[0] == 0xf0) low = 0x90;
  if (at[0] == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i < size; i++)
    if (at[i] < 0x80 || at[i] > 0xbf) return 0;
  return size;
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

bool sli_string_starts_with(const char *text, const char *prefix) {
  return sli_view_starts_with(sli_view(text), prefix);
}
bool sli_string_ends_with(const char *text, const char *suffix) { return sli_view_ends_with(sli_view(text), suffix); }

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

static void append_escaped(sli_string_t *string, sli_view_t text, bool keeps_utf8) {
  for (size_t i = 0; i < text.size; i++) {
    unsigned char byte = (unsigned char)text.data[i];
    switch (byte) {
      case '\n': sli_string_append_text(string, "\\n"); break;
      case '\r': sli_string_append_text(string, "\\r"); break;
      case '\t': sli_string_append_text(string, "\\t"); break;
      case '"':
      case '\'':
      case '\\':
        sli_string_append_char(string, '\\');
        sli_string_append_char(string, (char)byte);
        break;
      default:
        if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !keeps_utf8))
          sli_string_append_format(string, "\\%03o", byte);
        else
          sli_string_append_char(string, (char)byte);
    }
  }
}

void sli_string_append_escaped(sli_string_t *string, sli_view_t text) { append_escaped(string, text, false); }

void sli_string_append_escaped_utf8(sli_string_t *string, sli_view_t text) { append_escaped(string, text, true); }

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
