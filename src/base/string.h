// Strings: a view (pointer and length, owns nothing) and a growing string.
#ifndef SLI_BASE_STRING_H_
#define SLI_BASE_STRING_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
  const char *data;
  size_t size;
} sli_view_t;

static inline sli_view_t sli_view(const char *text) { return (sli_view_t){text, text ? strlen(text) : 0}; }
static inline sli_view_t sli_view_of(const char *data, size_t size) { return (sli_view_t){data, size}; }
static inline bool sli_view_equal(sli_view_t a, sli_view_t b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
static inline bool sli_view_is(sli_view_t view, const char *text) { return sli_view_equal(view, sli_view(text)); }
bool sli_view_starts_with(sli_view_t view, const char *prefix);
bool sli_view_ends_with(sli_view_t view, const char *suffix);
sli_view_t sli_view_trim(sli_view_t view);
// The length in bytes of the UTF-8 character that |view| begins with. Returns 0 if |view| is empty or the bytes are not
// valid: overlong forms, surrogates and code points above U+10FFFF are not.
size_t sli_view_utf8_size(sli_view_t view);
// Splits |view| at the first |separator|. Returns false, and the whole view as |*head|, if there is none.
bool sli_view_split(sli_view_t view, char separator, sli_view_t *head, sli_view_t *tail);
// Parses the whole view as a number in base 10. Returns false on anything else, also on overflow.
bool sli_view_to_int64(sli_view_t view, int64_t *out_value);
bool sli_view_to_double(sli_view_t view, double *out_value);

bool sli_string_starts_with(const char *text, const char *prefix);
bool sli_string_ends_with(const char *text, const char *suffix);

// Printf arguments for a view: printf("%.*s", SLI_VIEW_ARG(v)).
#define SLI_VIEW_ARG(view) (int)(view).size, (view).data

// A growing string. A zero-initialised one is empty. |data| is NUL-terminated once
// something was appended; sli_string_text() always returns a C string.
typedef struct {
  char *data;
  size_t size, capacity;
} sli_string_t;

void sli_string_append(sli_string_t *string, const void *data, size_t size);
void sli_string_append_text(sli_string_t *string, const char *text);
void sli_string_append_char(sli_string_t *string, char character);
void sli_string_append_format(sli_string_t *string, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sli_string_append_format_v(sli_string_t *string, const char *format, va_list args);
// Appends |text| with C escapes, as protocol buffers' text format has them: \n, \r, \t, \", \', \\, and octal numbers
// for all other bytes that are not printable ASCII.
void sli_string_append_escaped(sli_string_t *string, sli_view_t text);
// The same, but bytes from 0x80 on stay as they are.
void sli_string_append_escaped_utf8(sli_string_t *string, sli_view_t text);
// Grows by |size| bytes and returns where they start (uninitialised).
char *sli_string_extend(sli_string_t *string, size_t size);
const char *sli_string_text(const sli_string_t *string);
// Returns the malloc'ed C string, which the caller then owns, and leaves an empty string.
char *sli_string_take(sli_string_t *string);
void sli_string_clear(sli_string_t *string);
void sli_string_deinitialize(sli_string_t *string);

#endif  // SLI_BASE_STRING_H_
