// A line plot made of braille characters, each of 2 by 4 dots.
#ifndef SLI_CLI_INSPECT_INSPECT_PLOT_H_
#define SLI_CLI_INSPECT_INSPECT_PLOT_H_

#include <stddef.h>

#include "base/string.h"

typedef struct {
  double x, y;
} sli_inspect_point_t;

// Appends a plot of |points| with axes, |width| columns wide (at least 20). Lines join the points in their order; a
// point that is not finite interrupts the line. Thread-safe.
void sli_inspect_append_plot(sli_string_t *out, const sli_inspect_point_t *points, size_t count, int width);

#endif  // SLI_CLI_INSPECT_INSPECT_PLOT_H_
