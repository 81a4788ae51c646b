// Reports: bytes of a file or peer to JSON, and JSON to text on a terminal. Names and values that come from files may
// contain any bytes and are escaped. The functions do not block. Calls from several threads need a lock, because of
// stdout and static buffers.
#ifndef SLI_CLI_COMMON_REPORT_H_
#define SLI_CLI_COMMON_REPORT_H_

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/string.h"

// --- Making a report; all return new references ---

// A string: valid UTF-8 unchanged, other bytes and NUL as "\xNN".
json_t *sli_report_string(sli_view_t bytes);
// A number, or one of the strings "NaN", "Infinity" and "-Infinity", for which JSON has no number.
json_t *sli_report_number(double value);
json_t *sli_report_dims(const int64_t *dims, int rank);

// The name of TensorFlow's type number |dtype|: "float32"; with "_ref" for a reference type; "dtype 77" for an unknown
// number. The last two are in static memory, overwritten by the next call.
const char *sli_report_dtype(int dtype);
// The size of an element in bytes; 0 for strings, handles and unknown types.
size_t sli_report_dtype_size(int dtype);

// --- Reading a report: "" or 0 if the key is missing ---

const char *sli_report_get_text(const json_t *object, const char *key);
int64_t sli_report_get_int(const json_t *object, const char *key);
// The value of a number or of one of the three strings of sli_report_number.
double sli_report_get_double(const json_t *value);

// Appends |text| on one line: control characters are written as "\n" or "\xNN".
void sli_report_append_plain(sli_string_t *out, const char *text);
// The same in single quotes, and at most |limit| bytes of it; "…" marks that it was cut.
void sli_report_append_quoted(sli_string_t *out, const json_t *text, size_t limit);
// "31.4 KiB"; "512 bytes".
void sli_report_append_size(sli_string_t *out, int64_t bytes);
// "[784,10]"; "[]" for a scalar, "?" for an unknown rank or dimension.
void sli_report_append_dims(sli_string_t *out, const json_t *dims);
// The shortest text that reads back as the same double (as the same float, if |single|).
void sli_report_append_double(sli_string_t *out, double value, bool single);

// --- Printing on the terminal ---

typedef enum {
  SLI_REPORT_PLAIN,
  SLI_REPORT_BOLD,
  SLI_REPORT_DIM,
  SLI_REPORT_RED,
  SLI_REPORT_YELLOW
} sli_report_style_t;
// Prints on stdout, in colour if sli_cli_colours(stdout).
void sli_report_print(sli_report_style_t style, const char *format, ...) __attribute__((format(printf, 2, 3)));
// The width of the terminal on stdout, in columns; 80 if stdout is not a terminal.
int sli_report_width(void);

// A table whose columns are as wide as their widest cell. Zero-initialise it and set |titles|, which end with NULL. A
// title that starts with '>' makes its column right-aligned.
typedef struct {
  const char *const *titles;
  SLI_ARRAY(char *) cells;
} sli_report_table_t;
// Adds the next cell, escaped as by sli_report_append_plain. A row is full when it has a cell for each title.
void sli_report_table_add(sli_report_table_t *table, const char *text);
void sli_report_table_add_format(sli_report_table_t *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// The same for |text|, which it leaves empty.
void sli_report_table_add_string(sli_report_table_t *table, sli_string_t *text);
// Prints the titles, at most |limit| rows and how many rows are left out, then empties the table.
void sli_report_table_finish(sli_report_table_t *table, int64_t limit);

#endif  // SLI_CLI_COMMON_REPORT_H_
