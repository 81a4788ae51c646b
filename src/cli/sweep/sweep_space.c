#include "cli/sweep/sweep_space.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"

// Integers up to this are exact as doubles.
static const double MAX_INT = 9e15;

// --- Parsing ---

static sli_status_t *bad(const char *text, const char *rule) {
  return sli_status_make(SLI_INVALID_ARGUMENT, "--param %s: %s", text, rule);
}

static void free_parameter(sli_sweep_parameter_t *parameter) {
  for (size_t i = 0; i < parameter->values.count; i++) free(parameter->values.items[i]);
  sli_array_deinitialize(&parameter->values);
  free(parameter->name);
  free(parameter->text);
}

static bool is_name(sli_view_t name) {
  if (!name.size || isdigit((unsigned char)name.data[0]) || name.data[0] == '-') return false;
  for (size_t i = 0; i < name.size; i++)
    if (!isalnum((unsigned char)name.data[i]) && !strchr("_-.", name.data[i])) return false;
  return true;
}

static sli_status_t *parse_list(const char *text, sli_view_t rest, sli_sweep_parameter_t *out) {
  for (bool more = true; more;) {
    sli_view_t value;
    more = sli_view_split(rest, ',', &value, &rest);
    value = sli_view_trim(value);
    if (!value.size) return bad(text, "a value of the list is empty");
    for (size_t i = 0; i < out->values.count; i++)
      if (sli_view_is(value, out->values.items[i])) return bad(text, "a value is in the list twice");
    sli_array_push(&out->values, sli_strndup(value.data, value.size));
  }
  return NULL;
}

// LOW:HIGH[:POINTS]
static sli_status_t *parse_range(const char *text, sli_view_t rest, sli_sweep_parameter_t *out) {
  sli_view_t low, high, points = {0};
  bool whole = sli_view_split(rest, ':', &low, &high);
  bool has_points = whole && sli_view_split(high, ':', &high, &points);
  if (!whole || !sli_view_to_double(low, &out->low) || !sli_view_to_double(high, &out->high) || !isfinite(out->low) ||
      !isfinite(out->high))
    return bad(text, "a range must be LOW:HIGH or LOW:HIGH:POINTS with numbers");
  if (has_points && (!sli_view_to_int64(points, &out->points) || out->points < 1 || out->points > SLI_SWEEP_MAX_TRIALS))
    return bad(text, "the number of points must be from 1 to 10000");
  if (out->low > out->high) return bad(text, "LOW must not be greater than HIGH");
  if (out->kind == SLI_SWEEP_LOG && out->low <= 0) return bad(text, "LOW must be greater than 0 for a logarithm");
  if (out->kind != SLI_SWEEP_INT) return NULL;
  if (out->low != floor(out->low) || out->high != floor(out->high) || fabs(out->low) > MAX_INT ||
      fabs(out->high) > MAX_INT)
    return bad(text, "LOW and HIGH must be integers");
  double count = out->high - out->low + 1;
  if (out->points > count) return bad(text, "there are fewer integers than points");
  if (!out->points && count <= SLI_SWEEP_MAX_TRIALS) out->points = (int64_t)count;
  return NULL;
}

static sli_status_t *parse_values(const char *text, sli_view_t values, sli_sweep_parameter_t *out) {
  static const struct {
    const char *start;
    sli_sweep_kind_t kind;
  } kinds[] = {{"log:", SLI_SWEEP_LOG}, {"lin:", SLI_SWEEP_LINEAR}, {"int:", SLI_SWEEP_INT}};
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(kinds); i++) {
    if (!sli_view_starts_with(values, kinds[i].start)) continue;
    out->kind = kinds[i].kind;
    size_t skipped = strlen(kinds[i].start);
    return parse_range(text, sli_view_of(values.data + skipped, values.size - skipped), out);
  }
  return parse_list(text, values, out);
}

sli_status_t *sli_sweep_space_add(sli_sweep_space_t *space, const char *text) {
  sli_view_t name, values;
  if (!sli_view_split(sli_view(text), '=', &name, &values) || !is_name(name))
    return bad(text, "must be NAME=VALUES, such as lr=log:1e-4:1e-1 or units=64,128");
  for (size_t i = 0; i < space->parameters.count; i++)
    if (sli_view_is(name, space->parameters.items[i].name)) return bad(text, "this parameter is given twice");
  sli_sweep_parameter_t parameter = {.name = sli_strndup(name.data, name.size),
                                     .text = sli_strndup(values.data, values.size)};
  sli_status_t *status = parse_values(text, values, &parameter);
  if (status)
    free_parameter(&parameter);
  else
    sli_array_push(&space->parameters, parameter);
  return status;
}

void sli_sweep_space_deinitialize(sli_sweep_space_t *space) {
  for (size_t i = 0; i < space->parameters.count; i++) free_parameter(&space->parameters.items[i]);
  sli_array_deinitialize(&space->parameters);
}

bool sli_sweep_parameter_is_number(const sli_sweep_parameter_t *parameter) {
  double number;
  for (size_t i = 0; i < parameter->values.count; i++)
    if (!sli_view_to_double(sli_view(parameter->values.items[i]), &number) || !isfinite(number)) return false;
  return true;
}

// --- Points ---

// The value at |part|, 0 to 1, of a range. Few digits, so that a value reads well; the text is what the program gets.
static char *value_at(const sli_sweep_parameter_t *parameter, double part) {
  double low = parameter->low, high = parameter->high, value;
  if (parameter->kind == SLI_SWEEP_INT) return sli_format("%.0f", low + nearbyint(part * (high - low)));
  value = parameter->kind == SLI_SWEEP_LOG ? exp(log(low) + part * (log(high) - log(low))) : low + part * (high - low);
  // Rounding must not leave the range: 1e-4 is exp(log(1e-4)) plus an error.
  if (value < low) value = low;
  if (value > high) value = high;
  return sli_format("%.6g", value);
}

static size_t grid_points(const sli_sweep_parameter_t *parameter) {
  return parameter->kind == SLI_SWEEP_LIST ? parameter->values.count : (size_t)parameter->points;
}

sli_status_t *sli_sweep_space_grid_size(const sli_sweep_space_t *space, size_t *out_size) {
  *out_size = 0;
  size_t size = 1;
  for (size_t i = 0; i < space->parameters.count; i++) {
    const sli_sweep_parameter_t *parameter = &space->parameters.items[i];
    size_t points = grid_points(parameter);
    if (!points)
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "--grid needs the number of points of %s: --param %s=%s:5, for example", parameter->name,
                             parameter->name, parameter->text);
    size *= points;  // cannot overflow: both are at most SLI_SWEEP_MAX_TRIALS
    if (size > SLI_SWEEP_MAX_TRIALS)
      return sli_status_make(SLI_INVALID_ARGUMENT, "the grid has more than %d trials; give fewer values, or --random N",
                             SLI_SWEEP_MAX_TRIALS);
  }
  *out_size = size;
  return NULL;
}

char **sli_sweep_space_grid_point(const sli_sweep_space_t *space, size_t index) {
  size_t count = space->parameters.count;
  char **values = sli_calloc(count, sizeof(*values));
  for (size_t i = count; i-- > 0;) {
    const sli_sweep_parameter_t *parameter = &space->parameters.items[i];
    size_t points = grid_points(parameter), at = index % points;
    index /= points;
    values[i] = parameter->kind == SLI_SWEEP_LIST
                    ? sli_strdup(parameter->values.items[at])
                    : value_at(parameter, points > 1 ? (double)at / (double)(points - 1) : 0.5);
  }
  return values;
}

uint64_t sli_sweep_space_mix(uint64_t seed, uint64_t index, uint64_t part) {
  uint64_t state = seed;
  state = sli_random_next(&state) ^ index;
  state = sli_random_next(&state) ^ part;
  return sli_random_next(&state);
}

// 0 <= part < 1
static double uniform(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

char **sli_sweep_space_random_point(const sli_sweep_space_t *space, uint64_t seed, size_t index) {
  size_t count = space->parameters.count;
  char **values = sli_calloc(count, sizeof(*values));
  for (size_t i = 0; i < count; i++) {
    const sli_sweep_parameter_t *parameter = &space->parameters.items[i];
    double part = uniform(sli_sweep_space_mix(seed, index, i + 1));
    if (parameter->kind == SLI_SWEEP_LIST)
      values[i] = sli_strdup(parameter->values.items[(size_t)(part * (double)parameter->values.count)]);
    else if (parameter->kind == SLI_SWEEP_INT)
      values[i] = sli_format("%.0f", parameter->low + floor(part * (parameter->high - parameter->low + 1)));
    else
      values[i] = value_at(parameter, part);
  }
  return values;
}

size_t sli_sweep_space_count(const sli_sweep_space_t *space) {
  double count = 1;
  for (size_t i = 0; i < space->parameters.count; i++) {
    const sli_sweep_parameter_t *parameter = &space->parameters.items[i];
    if (parameter->kind != SLI_SWEEP_LIST && parameter->kind != SLI_SWEEP_INT) return 0;
    count *= parameter->kind == SLI_SWEEP_LIST ? (double)parameter->values.count : parameter->high - parameter->low + 1;
  }
  return count <= SLI_SWEEP_MAX_TRIALS ? (size_t)count : 0;
}
