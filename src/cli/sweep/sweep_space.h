// The parameters of a sweep, and the values that a trial has for them. Nothing here blocks. Thread-compatible.
//
//   lr=log:1e-4:1e-1     a number between these, whose logarithm is uniform; log:1e-4:1e-1:5 has 5 points for a grid
//   x=lin:0:1            a number, uniform; lin:0:1:11 for a grid
//   layers=int:1:4       an integer; in a grid all of them, or int:1:100:4 for 4 of them
//   units=64,128,256     one of these texts
#ifndef SLI_CLI_SWEEP_SWEEP_SPACE_H_
#define SLI_CLI_SWEEP_SWEEP_SPACE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/status.h"
#include "base/string.h"

typedef enum { SLI_SWEEP_LIST, SLI_SWEEP_LINEAR, SLI_SWEEP_LOG, SLI_SWEEP_INT } sli_sweep_kind_t;

typedef struct {
  char *name, *text;  // the text after '='
  sli_sweep_kind_t kind;
  double low, high;
  int64_t points;            // of a grid; 0 if not given
  SLI_ARRAY(char *) values;  // of a list
} sli_sweep_parameter_t;

typedef struct {
  SLI_ARRAY(sli_sweep_parameter_t) parameters;
} sli_sweep_space_t;

// The most trials of one sweep.
enum { SLI_SWEEP_MAX_TRIALS = 10000 };

// Adds the parameter of "NAME=VALUES". INVALID_ARGUMENT names the rule that it breaks.
sli_status_t *sli_sweep_space_add(sli_sweep_space_t *space, const char *text);
void sli_sweep_space_deinitialize(sli_sweep_space_t *space);

// Whether every value that |parameter| can have is a number.
bool sli_sweep_parameter_is_number(const sli_sweep_parameter_t *parameter);

// The number of points of the grid. INVALID_ARGUMENT if a range does not say how many it has, or if there are too many.
sli_status_t *sli_sweep_space_grid_size(const sli_sweep_space_t *space, size_t *out_size);
// The values of point |index|, one for each parameter, which the caller frees; the last parameter changes fastest.
char **sli_sweep_space_grid_point(const sli_sweep_space_t *space, size_t index);
// The values of random trial |index| of the sweep with this |seed|: the same ones in every run.
char **sli_sweep_space_random_point(const sli_sweep_space_t *space, uint64_t seed, size_t index);
// The number of different points if all parameters are lists or integers; 0 if there is no such number, or a huge one.
size_t sli_sweep_space_count(const sli_sweep_space_t *space);
// A repeatable number from three: seeds of trials are made by it.
uint64_t sli_sweep_space_mix(uint64_t seed, uint64_t index, uint64_t part);

#endif  // SLI_CLI_SWEEP_SWEEP_SPACE_H_
