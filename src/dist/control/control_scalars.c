// Curves that the task's program reports, such as its loss: a few hundred points each, however long the training is.
#include <stdlib.h>

#include "dist/control/control_internal.h"

// Of a curve with all points taken every second one is dropped, and from then on every second one is left out.
enum { MAX_CURVES = 16, MAX_POINTS = 256 };

typedef struct {
  int64_t step, wall_micros;
  double value;
} point_t;

struct sli_control_curve {
  char *tag;
  point_t points[MAX_POINTS], last;
  int count, stride, skipped;
};

static sli_control_curve_t *find_curve_locked(sli_control_t *control, const char *tag) {
  for (size_t i = 0; i < control->curves.count; i++)
    if (!strcmp(control->curves.items[i]->tag, tag)) return control->curves.items[i];
  if (control->curves.count >= MAX_CURVES) return NULL;
  sli_control_curve_t *curve = sli_calloc(1, sizeof(*curve));
  curve->tag = sli_strdup(tag);
  curve->stride = 1;
  sli_array_push(&control->curves, curve);
  return curve;
}

static void curve_add(sli_control_curve_t *curve, point_t point) {
  // After a restart from an older checkpoint the curve begins again there.
  while (curve->count && curve->points[curve->count - 1].step > point.step) curve->count--;
  curve->last = point;
  if (curve->count && ++curve->skipped < curve->stride) return;
  curve->skipped = 0;
  if (curve->count == MAX_POINTS) {
    for (int i = 0; i < MAX_POINTS / 2; i++) curve->points[i] = curve->points[2 * i];
    curve->count = MAX_POINTS / 2;
    curve->stride *= 2;
  }
  curve->points[curve->count++] = point;
}

void sli_control_report_scalar(sli_control_t *control, const char *tag, int64_t step, double value) {
  point_t point = {step, sli_env_wall_micros(control->options.env), value};
  sli_mutex_lock(&control->mutex);
  sli_control_curve_t *curve = find_curve_locked(control, tag);
  if (curve) curve_add(curve, point);
  sli_mutex_unlock(&control->mutex);
}

static Sluice__ScalarStatus *describe(const sli_control_curve_t *curve, sli_arena_t *arena) {
  Sluice__ScalarStatus *entry = sli_arena_allocate(arena, sizeof(*entry));
  sluice__scalar_status__init(entry);
  bool has_last = curve->points[curve->count - 1].step != curve->last.step;
  size_t count = (size_t)curve->count + has_last;
  entry->tag = sli_arena_strndup(arena, curve->tag, strlen(curve->tag));
  entry->n_step = entry->n_value = entry->n_wall_micros = count;
  entry->step = sli_arena_calloc(arena, count, sizeof(*entry->step));
  entry->value = sli_arena_calloc(arena, count, sizeof(*entry->value));
  entry->wall_micros = sli_arena_calloc(arena, count, sizeof(*entry->wall_micros));
  for (size_t i = 0; i < count; i++) {
    const point_t *point = i < (size_t)curve->count ? &curve->points[i] : &curve->last;
    entry->step[i] = point->step;
    entry->value[i] = point->value;
    entry->wall_micros[i] = point->wall_micros;
  }
  return entry;
}

void sli_control_fill_scalars(sli_control_t *control, sli_arena_t *arena, Sluice__StatusResponse *out_status) {
  sli_mutex_lock(&control->mutex);
  size_t count = control->curves.count;
  out_status->scalar = sli_arena_calloc(arena, count, sizeof(*out_status->scalar));
  for (size_t i = 0; i < count; i++) out_status->scalar[i] = describe(control->curves.items[i], arena);
  out_status->n_scalar = count;
  sli_mutex_unlock(&control->mutex);
}

void sli_control_free_scalars(sli_control_t *control) {
  for (size_t i = 0; i < control->curves.count; i++) {
    free(control->curves.items[i]->tag);
    free(control->curves.items[i]);
  }
  sli_array_deinitialize(&control->curves);
}
