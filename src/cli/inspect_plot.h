// A line plot out of braille characters: 2 by 4 dots in each.
#ifndef SLI_CLI_INSPECT_PLOT_H_
#define SLI_CLI_INSPECT_PLOT_H_

#include <stddef.h>

#include "base/string.h"

typedef struct {
  double x, y;
} sli_inspect_point_t;

// Appends a plot of |points|, joined in their order, |width| columns wide (20 at least), with its axes. Points that are
// not finite are left out, and the line with them. Thread-safe.
void sli_inspect_append_plot(sli_string_t *out, const sli_inspect_point_t *points, size_t count, int width);

#endif  // SLI_CLI_INSPECT_PLOT_H_
