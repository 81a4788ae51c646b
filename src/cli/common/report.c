#include "cli/common/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/common/cli.h"

// --- Making a report ---

json_t *sli_report_string(sli_view_t bytes) {
  sli_string_t text = {0};
  for (size_t i = 0; i < bytes.size;) {
    size_t length = sli_view_utf8_size(sli_view_of(bytes.data + i, bytes.size - i));
    if (length && bytes.data[i] != 0)
      sli_string_append(&text, bytes.data + i, length);
    else
      sli_string_append_format(&text, "\\x%02x", (unsigned char)bytes.data[i]);
    i += length ? length : 1;
  }
  json_t *string = json_stringn(sli_string_text(&text), text.size);
  sli_string_deinitialize(&text);
  SLI_CHECK(string);
  return string;
}

json_t *sli_report_number(double value) {
  if (isnan(value)) return json_string("NaN");
  if (isinf(value)) return json_string(value > 0 ? "Infinity" : "-Infinity");
  return json_real(value);
}

json_t *sli_report_dims(const int64_t *dims, int rank) {
  json_t *list = json_array();
  for (int i = 0; i < rank; i++) json_array_append_new(list, json_integer(dims[i]));
  return list;
}

static const struct {
  const char *name;
  size_t size;
} dtypes[] = {
    [1] = {"float32", 4},        [2] = {"float64", 8},      [3] = {"int32", 4},    [4] = {"uint8", 1},
    [5] = {"int16", 2},          [6] = {"int8", 1},         [7] = {"string", 0},   [8] = {"complex64", 8},
    [9] = {"int64", 8},          [10] = {"bool", 1},        [11] = {"qint8", 1},   [12] = {"quint8", 1},
    [13] = {"qint32", 4},        [14] = {"bfloat16", 2},    [15] = {"qint16", 2},  [16] = {"quint16", 2},
    [17] = {"uint16", 2},        [18] = {"complex128", 16}, [19] = {"float16", 2}, [20] = {"resource", 0},
    [21] = {"variant", 0},       [22] = {"uint32", 4},      [23] = {"uint64", 8},  [24] = {"float8_e5m2", 1},
    [25] = {"float8_e4m3fn", 1}, [29] = {"int4", 1},        [30] = {"uint4", 1},
};

static bool known_dtype(int dtype) {
  return dtype > 0 && (size_t)dtype < SLI_ARRAY_COUNT_OF(dtypes) && dtypes[dtype].name;
}

const char *sli_report_dtype(int dtype) {
  static char text[32];
  if (known_dtype(dtype)) return dtypes[dtype].name;
  if (known_dtype(dtype - 100))
    snprintf(text, sizeof(text), "%s_ref", dtypes[dtype - 100].name);
  else
    snprintf(text, sizeof(text), "dtype %d", dtype);
  return text;
}

size_t sli_report_dtype_size(int dtype) { return known_dtype(dtype) ? dtypes[dtype].size : 0; }

// --- Reading a report ---

const char *sli_report_get_text(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : "";
}

int64_t sli_report_get_int(const json_t *object, const char *key) {
  return json_integer_value(json_object_get(object, key));
}

double sli_report_get_double(const json_t *value) {
  const char *text = json_string_value(value);
  if (!text) return json_number_value(value);
  return !strcmp(text, "Infinity") ? INFINITY : !strcmp(text, "-Infinity") ? -INFINITY : NAN;
}

static void append_plain(sli_string_t *out, const char *text, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char character = (unsigned char)text[i];
    if (character == '\n')
      sli_string_append_text(out, "\\n");
    else if (character < 0x20 || character == 0x7f)
      sli_string_append_format(out, "\\x%02x", character);
    else if (character == 0xc2 && i + 1 < size && (unsigned char)text[i + 1] < 0xa0)  // C1 controls
      sli_string_append_format(out, "\\x%02x", (unsigned char)text[++i]);
    else
      sli_string_append_char(out, (char)character);
  }
}

void sli_report_append_plain(sli_string_t *out, const char *text) { append_plain(out, text, strlen(text)); }

void sli_report_append_quoted(sli_string_t *out, const json_t *text, size_t limit) {
  const char *data = json_string_value(text);
  size_t size = data ? json_string_length(text) : 0, shown = size;
  if (size > limit) {
    shown = limit;
    while (shown > 0 && ((unsigned char)data[shown] & 0xc0) == 0x80) shown--;
  }
  sli_string_append_char(out, '\'');
  append_plain(out, data, shown);
  sli_string_append_text(out, shown < size ? "…'" : "'");
}

void sli_report_append_size(sli_string_t *out, int64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) {
    sli_string_append_format(out, "%lld byte%s", (long long)bytes, bytes == 1 ? "" : "s");
    return;
  }
  double size = (double)bytes / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < SLI_ARRAY_COUNT_OF(units); unit++) size /= 1024;
  sli_string_append_format(out, "%.1f %s", size, units[unit]);
}

void sli_report_append_dims(sli_string_t *out, const json_t *dims) {
  if (!json_is_array(dims)) {
    sli_string_append_char(out, '?');
    return;
  }
  sli_string_append_char(out, '[');
  for (size_t i = 0; i < json_array_size(dims); i++) {
    long long size = (long long)json_integer_value(json_array_get(dims, i));
    if (i) sli_string_append_char(out, ',');
    if (size < 0)
      sli_string_append_char(out, '?');
    else
      sli_string_append_format(out, "%lld", size);
  }
  sli_string_append_char(out, ']');
}

void sli_report_append_double(sli_string_t *out, double value, bool single) {
  if (isnan(value) || isinf(value)) {
    sli_string_append_text(out, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
    return;
  }
  char text[40];
  // A whole number in full: 10, not 1e+01.
  bool is_whole = fabs(value) < 1e16 && value == trunc(value);
  if (is_whole) snprintf(text, sizeof(text), "%.0f", value);
  for (int digits = 1; digits <= 17 && !is_whole; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value) break;
  }
  sli_string_append_text(out, text);
}

// --- Printing on the terminal ---

void sli_report_print(sli_report_style_t style, const char *format, ...) {
  static const char *const codes[] = {
      [SLI_REPORT_BOLD] = "1", [SLI_REPORT_DIM] = "2", [SLI_REPORT_RED] = "31", [SLI_REPORT_YELLOW] = "33"};
  bool coloured = style != SLI_REPORT_PLAIN && sli_cli_colours(STDOUT_FILENO);
  if (coloured) printf("\033[%sm", codes[style]);
  va_list args;
  va_start(args, format);
  vprintf(format, args);
  va_end(args);
  if (coloured) fputs("\033[0m", stdout);
}

int sli_report_width(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20) return size.ws_col;
  return 80;
}

static size_t text_width(const char *text) {
  size_t width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xc0) != 0x80;
  return width;
}

static size_t column_count(const sli_report_table_t *table) {
  size_t count = 0;
  while (table->titles[count]) count++;
  return count;
}

void sli_report_table_add_string(sli_report_table_t *table, sli_string_t *text) {
  sli_string_t plain = {0};
  sli_report_append_plain(&plain, sli_string_text(text));
  sli_string_deinitialize(text);
  sli_array_push(&table->cells, sli_string_take(&plain));
}

void sli_report_table_add(sli_report_table_t *table, const char *text) {
  sli_string_t copy = {0};
  sli_string_append_text(&copy, text);
  sli_report_table_add_string(table, &copy);
}

void sli_report_table_add_format(sli_report_table_t *table, const char *format, ...) {
  sli_string_t text = {0};
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(&text, format, args);
  va_end(args);
  sli_report_table_add_string(table, &text);
}

// Prints a row without trailing blanks.
static void print_row(const char *const *cells, const char *const *titles, const size_t *widths, size_t columns,
                      sli_report_style_t style) {
  sli_string_t line = {0};
  for (size_t i = 0; i < columns; i++) {
    size_t padding = widths[i] - text_width(cells[i]);
    bool right = titles[i][0] == '>';
    sli_string_append_format(&line, "%s%*s%s%*s", i ? "  " : "", right ? (int)padding : 0, "", cells[i],
                             right ? 0 : (int)padding, "");
  }
  while (line.size && line.data[line.size - 1] == ' ') line.data[--line.size] = '\0';
  sli_report_print(style, "%s", sli_string_text(&line));
  putchar('\n');
  sli_string_deinitialize(&line);
}

void sli_report_table_finish(sli_report_table_t *table, int64_t limit) {
  enum { MAX_COLUMNS = 12 };
  size_t columns = column_count(table), rows = table->cells.count / columns, widths[MAX_COLUMNS];
  size_t shown = (uint64_t)limit < rows ? (size_t)limit : rows;
  const char *names[MAX_COLUMNS];
  SLI_CHECK(columns <= MAX_COLUMNS && rows * columns == table->cells.count);
  for (size_t c = 0; c < columns; c++) {
    names[c] = table->titles[c] + (table->titles[c][0] == '>');
    widths[c] = text_width(names[c]);
    for (size_t r = 0; r < shown; r++) {
      size_t width = text_width(table->cells.items[r * columns + c]);
      if (width > widths[c]) widths[c] = width;
    }
  }
  print_row(names, table->titles, widths, columns, SLI_REPORT_DIM);
  for (size_t r = 0; r < shown; r++)
    print_row((const char *const *)table->cells.items + r * columns, table->titles, widths, columns, SLI_REPORT_PLAIN);
  if (shown < rows) sli_report_print(SLI_REPORT_DIM, "… and %zu more (--all shows them)\n", rows - shown);
  for (size_t i = 0; i < table->cells.count; i++) free(table->cells.items[i]);
  sli_array_deinitialize(&table->cells);
}
