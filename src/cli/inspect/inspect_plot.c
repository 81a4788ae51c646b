#include "cli/inspect/inspect_plot.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"

enum { ROWS = 10, DOT_ROWS = ROWS * 4, LABEL_WIDTH = 10, MIN_WIDTH = 20, MAX_WIDTH = 400 };

typedef struct {
  int columns;
  uint8_t *cells;  // ROWS * columns: the dots of each character
} canvas_t;

typedef struct {
  double low, high;
} range_t;

static void set_dot(canvas_t *canvas, int x, int y) {
  static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  canvas->cells[y / 4 * canvas->columns + x / 2] |= bits[y % 4][x % 2];
}

static void draw_line(canvas_t *canvas, int x0, int y0, int x1, int y1) {
  int steps = abs(x1 - x0) > abs(y1 - y0) ? abs(x1 - x0) : abs(y1 - y0);
  for (int i = 0; i <= steps; i++) {
    double part = steps ? (double)i / steps : 0;
    set_dot(canvas, x0 + (int)lround(part * (x1 - x0)), y0 + (int)lround(part * (y1 - y0)));
  }
}

static bool is_finite(sli_inspect_point_t point) { return isfinite(point.x) && isfinite(point.y); }

static void widen(range_t *range, double value) {
  if (value < range->low) range->low = value;
  if (value > range->high) range->high = value;
}

// The position of a value in 0..|size|-1; the middle if all are equal. Halves the values so that no difference
// overflows.
static int place(const range_t *range, double value, int size) {
  double span = range->high / 2 - range->low / 2;
  double part = span > 0 ? (value / 2 - range->low / 2) / span : 0.5;
  return (int)lround(part * (size - 1));
}

static void append_rows(sli_string_t *out, const canvas_t *canvas, const range_t *y) {
  for (int row = 0; row < ROWS; row++) {
    double value = row == 0 ? y->high : y->low;
    if (row == 0 || row == ROWS - 1)
      sli_string_append_format(out, "%*.4g ┤", LABEL_WIDTH, value);
    else
      sli_string_append_format(out, "%*s │", LABEL_WIDTH, "");
    int last = canvas->columns;
    const uint8_t *cells = canvas->cells + row * canvas->columns;
    while (last > 0 && cells[last - 1] == 0) last--;
    for (int i = 0; i < last; i++) {
      // U+2800 + dots in UTF-8.
      const char bytes[3] = {(char)0xe2, (char)(0xa0 | cells[i] >> 6), (char)(0x80 | (cells[i] & 0x3f))};
      sli_string_append(out, bytes, sizeof(bytes));
    }
    sli_string_append_char(out, '\n');
  }
}

static void append_x_axis(sli_string_t *out, const range_t *x, int columns) {
  sli_string_append_format(out, "%*s └", LABEL_WIDTH, "");
  for (int i = 0; i < columns; i++) sli_string_append_text(out, "─");
  char *low = sli_format("%.10g", x->low), *high = sli_format("%.10g", x->high);
  int gap = columns - (int)strlen(low) - (int)strlen(high);
  sli_string_append_format(out, "\n%*s%s%*s%s\n", LABEL_WIDTH + 2, "", low, gap > 1 ? gap : 1, "", high);
  free(low);
  free(high);
}

void sli_inspect_append_plot(sli_string_t *out, const sli_inspect_point_t *points, size_t count, int width) {
  if (width < MIN_WIDTH) width = MIN_WIDTH;
  if (width > MAX_WIDTH) width = MAX_WIDTH;
  range_t x = {INFINITY, -INFINITY}, y = {INFINITY, -INFINITY};
  for (size_t i = 0; i < count; i++) {
    if (!is_finite(points[i])) continue;
    widen(&x, points[i].x);
    widen(&y, points[i].y);
  }
  if (x.low > x.high) {
    sli_string_append_text(out, "(no finite values)\n");
    return;
  }
  canvas_t canvas = {.columns = width - LABEL_WIDTH - 2};
  canvas.cells = sli_calloc((size_t)canvas.columns, ROWS);
  int last_x = -1, last_y = -1;
  for (size_t i = 0; i < count; i++) {
    if (!is_finite(points[i])) {
      last_x = -1;
      continue;
    }
    int at_x = place(&x, points[i].x, canvas.columns * 2), at_y = DOT_ROWS - 1 - place(&y, points[i].y, DOT_ROWS);
    draw_line(&canvas, last_x < 0 ? at_x : last_x, last_x < 0 ? at_y : last_y, at_x, at_y);
    last_x = at_x;
    last_y = at_y;
  }
  append_rows(out, &canvas, &y);
  append_x_axis(out, &x, canvas.columns);
  free(canvas.cells);
}
