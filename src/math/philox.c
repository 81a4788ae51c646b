// Distributions over Philox, group by group. A group is what TensorFlow draws at once (four 32-bit or two 64-bit
// values). Every group has a fixed position in the stream, so that threads can fill parts independently.
#include "math/philox.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/random.h"
#include "math/half.h"

float sli_philox_to_float(uint32_t word) { return sli_half_bits_to_float((word & 0x7fffff) | 127u << 23) - 1.0f; }

double sli_philox_to_double(uint32_t high, uint32_t low) {
  uint64_t bits = UINT64_C(1023) << 52 | (uint64_t)(high & 0xfffff) << 32 | low;
  double value;
  memcpy(&value, &bits, sizeof(value));
  return value - 1.0;
}

void sli_philox_normal_float(uint32_t x0, uint32_t x1, float out[2]) {
  float u = sli_philox_to_float(x0);
  if (u < 1.0e-7f) u = 1.0e-7f;
  float angle = (float)(2.0f * M_PI * sli_philox_to_float(x1)), radius = sqrtf(-2.0f * logf(u));
  out[0] = sinf(angle) * radius;
  out[1] = cosf(angle) * radius;
}

void sli_philox_normal_double(const uint32_t x[4], double out[2]) {
  double u = sli_philox_to_double(x[0], x[1]);
  if (u < 1.0e-7) u = 1.0e-7;
  double angle = 2 * M_PI * sli_philox_to_double(x[2], x[3]), radius = sqrt(-2.0 * log(u));
  out[0] = sin(angle) * radius;
  out[1] = cos(angle) * radius;
}

void sli_philox_stream_initialize(sli_philox_stream_t *stream, uint64_t seed, uint64_t seed2) {
  if (seed == 0 && seed2 == 0) {
    seed = sli_random_u64();
    seed2 = sli_random_u64();
  }
  sli_mutex_initialize(&stream->mutex);
  stream->generator = sli_philox_from_seeds(seed, seed2);
}

void sli_philox_stream_deinitialize(sli_philox_stream_t *stream) { sli_mutex_deinitialize(&stream->mutex); }

sli_status_t *sli_philox_stream_create(const sli_node_def_t *node, sli_philox_stream_t **out_stream) {
  int64_t seed, seed2;
  *out_stream = NULL;
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "seed", &seed));
  SLI_RETURN_IF_ERROR(sli_node_attr_int(node, "seed2", &seed2));
  *out_stream = sli_malloc(sizeof(**out_stream));
  sli_philox_stream_initialize(*out_stream, (uint64_t)seed, (uint64_t)seed2);
  return NULL;
}

void sli_philox_stream_destroy(sli_philox_stream_t *stream) {
  if (!stream) return;
  sli_philox_stream_deinitialize(stream);
  free(stream);
}

sli_philox_t sli_philox_stream_reserve(sli_philox_stream_t *stream, uint64_t groups) {
  sli_mutex_lock(&stream->mutex);
  sli_philox_t generator = stream->generator;
  sli_philox_skip(&stream->generator, groups);
  sli_mutex_unlock(&stream->mutex);
  return generator;
}

// One group of values of any kind.
typedef union {
  float f[4];
  double d[4];
  uint16_t h[4];
  uint32_t i32[4];
  uint64_t i64[4];
} group_t;

typedef struct {
  sli_philox_t generator;
  sli_philox_kind_t kind;
  sli_dtype_t dtype;
  int64_t low;
  uint64_t range;
  char *data;
  int64_t count;
  int group_size;
  size_t value_size;
} fill_t;

static void store_narrow(sli_dtype_t dtype, const float *values, group_t *out) {
  for (int i = 0; i < 4; i++)
    out->h[i] = dtype == SLI_DTYPE_HALF ? sli_half_from_float(values[i]) : sli_bfloat16_from_float(values[i]);
}

static void draw_uniform(const fill_t *fill, const uint32_t *x, group_t *out) {
  switch (fill->dtype) {
    case SLI_DTYPE_DOUBLE:
      for (int i = 0; i < 2; i++) out->d[i] = sli_philox_to_double(x[2 * i], x[2 * i + 1]);
      break;
    case SLI_DTYPE_HALF:
      for (int i = 0; i < 4; i++)
        out->h[i] = sli_half_from_float(sli_half_to_float((uint16_t)(15u << 10 | (x[i] & 0x3ff))) - 1.0f);
      break;
    case SLI_DTYPE_BFLOAT16:
      for (int i = 0; i < 4; i++)
        out->h[i] = sli_bfloat16_from_float(sli_bfloat16_to_float((uint16_t)(127u << 7 | (x[i] & 0x7f))) - 1.0f);
      break;
    default:
      for (int i = 0; i < 4; i++) out->f[i] = sli_philox_to_float(x[i]);
  }
}

static void draw_normal(const fill_t *fill, const uint32_t *x, group_t *out) {
  if (fill->dtype == SLI_DTYPE_DOUBLE) {
    sli_philox_normal_double(x, out->d);
    return;
  }
  float values[4];
  for (int i = 0; i < 4; i += 2) sli_philox_normal_float(x[i], x[i + 1], values + i);
  if (sli_half_is_narrow(fill->dtype)) {
    store_narrow(fill->dtype, values, out);
  } else {
    memcpy(out->f, values, sizeof(values));
  }
}

static void draw_int(const fill_t *fill, const uint32_t *x, group_t *out) {
  bool bits = fill->kind == SLI_PHILOX_BITS;
  if (fill->value_size == 4) {
    for (int i = 0; i < 4; i++) out->i32[i] = bits ? x[i] : (uint32_t)fill->low + x[i] % (uint32_t)fill->range;
  } else {
    for (int i = 0; i < 2; i++) {
      uint64_t value = x[2 * i] | (uint64_t)x[2 * i + 1] << 32;
      out->i64[i] = bits ? value : (uint64_t)fill->low + value % fill->range;
    }
  }
}

// Rejects values outside (-2, 2); uses as many words as it needs.
static void draw_truncated(const fill_t *fill, sli_philox_t generator, group_t *out) {
  sli_philox_words_t words = sli_philox_words(generator);
  float values[4];
  for (int have = 0; have < fill->group_size;) {
    if (fill->dtype == SLI_DTYPE_DOUBLE) {
      uint32_t x[4];
      double pair[2];
      for (int i = 0; i < 4; i++) x[i] = sli_philox_word(&words);
      sli_philox_normal_double(x, pair);
      for (int i = 0; i < 2 && have < fill->group_size; i++)
        if (fabs(pair[i]) < 2.0) out->d[have++] = pair[i];
    } else {
      float pair[2];
      uint32_t x0 = sli_philox_word(&words), x1 = sli_philox_word(&words);
      sli_philox_normal_float(x0, x1, pair);
      for (int i = 0; i < 2 && have < fill->group_size; i++)
        if (fabsf(pair[i]) < 2.0f) values[have++] = pair[i];
    }
  }
  if (fill->dtype == SLI_DTYPE_DOUBLE) return;
  if (sli_half_is_narrow(fill->dtype)) {
    store_narrow(fill->dtype, values, out);
  } else {
    memcpy(out->f, values, sizeof(values));
  }
}

static void fill_groups(void *context, int64_t begin, int64_t end) {
  const fill_t *fill = context;
  sli_philox_t generator = fill->generator;
  bool truncated = fill->kind == SLI_PHILOX_TRUNCATED_NORMAL;
  // A truncated group may use up to 256 words for each value.
  uint64_t stride = truncated ? (uint64_t)fill->group_size * 64 : 1;
  sli_philox_skip(&generator, (uint64_t)begin * stride);
  for (int64_t g = begin; g < end; g++) {
    group_t out;
    uint32_t words[4];
    if (truncated) {
      draw_truncated(fill, generator, &out);
      sli_philox_skip(&generator, stride);
    } else {
      sli_philox_next(&generator, words);
      if (fill->kind == SLI_PHILOX_UNIFORM) draw_uniform(fill, words, &out);
      if (fill->kind == SLI_PHILOX_NORMAL) draw_normal(fill, words, &out);
      if (fill->kind == SLI_PHILOX_UNIFORM_INT || fill->kind == SLI_PHILOX_BITS) draw_int(fill, words, &out);
    }
    int64_t first = g * fill->group_size, n = fill->count - first;
    if (n > fill->group_size) n = fill->group_size;
    memcpy(fill->data + (size_t)first * fill->value_size, &out, (size_t)n * fill->value_size);
  }
}

void sli_philox_fill(sli_thread_pool_t *pool, sli_philox_t generator, sli_philox_kind_t kind, sli_dtype_t dtype,
                     int64_t low, uint64_t range, void *data, int64_t count) {
  size_t size = sli_dtype_size(dtype);
  fill_t fill = {generator, kind, dtype, low, range, data, count, size == 8 ? 2 : 4, size};
  int64_t groups = count / fill.group_size + (count % fill.group_size != 0);
  double cost = kind == SLI_PHILOX_NORMAL ? 60 : kind == SLI_PHILOX_TRUNCATED_NORMAL ? 90 : 15;
  sli_parallel_for(pool, groups, cost, fill_groups, &fill);
}
