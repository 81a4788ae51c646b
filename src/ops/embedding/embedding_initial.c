#include "ops/embedding/embedding_initial.h"

#include <math.h>
#include <string.h>

#include "math/half.h"
#include "ops/embedding/embedding_order.h"

sli_status_t *sli_embedding_initial_parse(sli_view_t text, sli_embedding_initial_t *out_initial) {
  sli_view_t word, rest = sli_view_trim(text);
  sli_view_split(rest, ' ', &word, &rest);
  *out_initial = (sli_embedding_initial_t){.scale = 0.05};
  if (sli_view_is(word, "uniform"))
    out_initial->kind = SLI_EMBEDDING_UNIFORM;
  else if (sli_view_is(word, "normal"))
    out_initial->kind = SLI_EMBEDDING_NORMAL;
  else if (!sli_view_is(word, "zeros"))
    return sli_status_make(SLI_INVALID_ARGUMENT, "The initializer must be zeros, uniform or normal, got \"%.*s\".",
                           (int)(word.size < 100 ? word.size : 100), word.data);
  for (rest = sli_view_trim(rest); rest.size; rest = sli_view_trim(rest)) {
    sli_view_t name, number;
    sli_view_split(rest, ' ', &word, &rest);
    int64_t seed;
    bool is_pair = out_initial->kind != SLI_EMBEDDING_ZEROS && sli_view_split(word, '=', &name, &number);
    if (is_pair && sli_view_is(name, "seed") && sli_view_to_int64(number, &seed))
      out_initial->seed = (uint64_t)seed;
    else if (!is_pair || !sli_view_is(name, "scale") || !sli_view_to_double(number, &out_initial->scale) ||
             !isfinite(out_initial->scale))
      return sli_status_make(SLI_INVALID_ARGUMENT,
                             "The initializers uniform and normal have scale=number and seed=integer, got \"%.*s\".",
                             (int)(word.size < 100 ? word.size : 100), word.data);
  }
  return NULL;
}

// A number in (0, 1) that depends on the key and |index| only.
static double unit(uint64_t base, uint64_t index) {
  return ((double)(sli_embedding_hash(base + index * UINT64_C(0x9e3779b97f4a7c15)) >> 11) + 0.5) * 0x1p-53;
}

static double initial_value(const sli_embedding_initial_t *initial, uint64_t base, int64_t index) {
  if (initial->kind == SLI_EMBEDDING_UNIFORM) return initial->scale * (2 * unit(base, (uint64_t)index) - 1);
  double radius = sqrt(-2 * log(unit(base, 2 * (uint64_t)index)));
  return initial->scale * radius * cos(6.283185307179586 * unit(base, 2 * (uint64_t)index + 1));
}

void sli_embedding_initial_fill(const sli_embedding_initial_t *initial, uint64_t key, sli_dtype_t dtype, int64_t length,
                                void *values) {
  if (initial->kind == SLI_EMBEDDING_ZEROS) {
    memset(values, 0, (size_t)length * sli_dtype_size(dtype));
    return;
  }
  uint64_t base = sli_embedding_hash(sli_embedding_hash(key + UINT64_C(0x632be59bd9b4e019)) ^ initial->seed);
  for (int64_t i = 0; i < length; i++) {
    double value = initial_value(initial, base, i);
    switch (dtype) {
      case SLI_DTYPE_FLOAT: ((float *)values)[i] = (float)value; break;
      case SLI_DTYPE_DOUBLE: ((double *)values)[i] = value; break;
      case SLI_DTYPE_HALF: ((sli_half_t *)values)[i] = sli_half_from_float((float)value); break;
      default: ((sli_bfloat16_t *)values)[i] = sli_bfloat16_from_float((float)value); break;
    }
  }
}
