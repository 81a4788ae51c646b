// From foreign bytes to JSON, and from JSON to a terminal: names and values out
// of files are never trusted to be text. Thread-compatible; nothing blocks.
#ifndef SLI_CLI_INSPECT_TEXT_H_
#define SLI_CLI_INSPECT_TEXT_H_

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/string.h"

// --- Into a report; new references ---

// UTF-8 as it is; bytes that are not, as "\xNN".
json_t *sli_inspect_string(sli_view_t bytes);
// JSON has no name for them: "NaN", "Infinity" and "-Infinity" are strings.
json_t *sli_inspect_number(double value);
json_t *sli_inspect_dims(const int64_t *dims, int rank);

// "float32" and so on; "dtype 77" (static memory) for one that nobody knows. A reference type ends in "_ref".
const char *sli_inspect_dtype(int dtype);
// Bytes of an element; 0 for strings, handles and what nobody knows.
size_t sli_inspect_dtype_size(int dtype);

// --- Out of a report; "" and 0 when it is not there ---

const char *sli_inspect_get_text(const json_t *object, const char *key);
int64_t sli_inspect_get_int(const json_t *object, const char *key);
// A number, or one of the three strings.
double sli_inspect_get_double(const json_t *value);

// Appends |text| so that it stays on its line: control characters as "\n" or "\xNN".
void sli_inspect_append_plain(sli_string_t *out, const char *text);
// The same, at most |limit| bytes of it, in quotes; and what it was cut from.
void sli_inspect_append_quoted(sli_string_t *out, const json_t *text, size_t limit);
// "31.4 KiB"; "512 bytes".
void sli_inspect_append_size(sli_string_t *out, int64_t bytes);
// "[784,10]"; "[]" for a scalar, "?" for an unknown rank or dimension.
void sli_inspect_append_dims(sli_string_t *out, const json_t *dims);
// The shortest text that reads back as the same double (as the same float, if |single|).
void sli_inspect_append_double(sli_string_t *out, double value, bool single);

// --- On the terminal ---

typedef enum {
  SLI_INSPECT_PLAIN,
  SLI_INSPECT_BOLD,
  SLI_INSPECT_DIM,
  SLI_INSPECT_RED,
  SLI_INSPECT_YELLOW
} sli_inspect_style_t;
// Prints on stdout; in colour if that is a terminal that wants it.
void sli_inspect_print(sli_inspect_style_t style, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Columns of the terminal behind stdout; 80 when it is none.
int sli_inspect_width(void);

// A table whose columns are as wide as their widest cell. Zero-initialised but for |titles|, which end with NULL;
// one that starts with '>' is of a column that ends at the right.
typedef struct {
  const char *const *titles;
  SLI_ARRAY(char *) cells;
} sli_inspect_table_t;
// Adds the next cell; rows follow from the number of titles. Makes it plain.
void sli_inspect_table_add(sli_inspect_table_t *table, const char *text);
void sli_inspect_table_add_format(sli_inspect_table_t *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Takes |text|'s memory and leaves it empty.
void sli_inspect_table_add_string(sli_inspect_table_t *table, sli_string_t *text);
// Prints title and at most |limit| rows, says how many are left out, and empties the table.
void sli_inspect_table_finish(sli_inspect_table_t *table, int64_t limit);

#endif  // SLI_CLI_INSPECT_TEXT_H_
