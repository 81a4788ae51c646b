// The crc32 instruction accepts 8 bytes per cycle but has a latency of three cycles, so three lanes of the input are
// processed in parallel. To combine them, a lane's checksum is shifted past the following lanes by a carry-less
// multiplication with x^(8n) mod P. The powers for all lane lengths are computed once.
#include "io/file/crc32c.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "io/file/crc32c_internal.h"

#define POLYNOMIAL 0x82f63b78u  // bit 31 is x^0

static struct {
  pthread_once_t once;
  uint32_t tables[8][256];
} portable = {.once = PTHREAD_ONCE_INIT};

static void make_tables(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    portable.tables[0][i] = crc;
  }
  for (int t = 1; t < 8; t++)
    for (uint32_t i = 0; i < 256; i++) {
      uint32_t before = portable.tables[t - 1][i];
      portable.tables[t][i] = (before >> 8) ^ portable.tables[0][before & 0xff];
    }
}

// Eight tables allow eight independent look-ups for eight bytes.
uint32_t sli_crc32c_extend_portable(uint32_t crc, const void *data, size_t size) {
  pthread_once(&portable.once, make_tables);
  const uint8_t *p = data;
  uint32_t(*t)[256] = portable.tables;
  crc = ~crc;
  for (; size >= 8; size -= 8, p += 8) {
    uint32_t low = crc ^ (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    crc = t[7][low & 0xff] ^ t[6][low >> 8 & 0xff] ^ t[5][low >> 16 & 0xff] ^ t[4][low >> 24] ^ t[3][p[4]] ^
          t[2][p[5]] ^ t[1][p[6]] ^ t[0][p[7]];
  }
  for (; size; size--) crc = (crc >> 8) ^ t[0][(crc ^ *p++) & 0xff];
  return ~crc;
}

#if defined(__x86_64__)

#include <immintrin.h>

enum {
  MAX_LANE = 256,  // in words of 8 bytes
  MIN_LANE = 8,    // below this, one lane is as fast
};

static struct {
  pthread_once_t once;
  bool usable;
  uint32_t powers[2 * MAX_LANE + 1];  // [n]: x^(64n - 33) mod P; the -33 is what multiply_sum's reduction adds
} lanes = {.once = PTHREAD_ONCE_INIT};

__attribute__((target("sse4.2"))) static void make_powers(void) {
  lanes.powers[1] = 1u;  // bit 0 is x^31
  for (int n = 1; n < 2 * MAX_LANE; n++) lanes.powers[n + 1] = (uint32_t)_mm_crc32_u64(lanes.powers[n], 0);
}

static void choose(void) {
  lanes.usable = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
  if (lanes.usable) make_powers();
}

static inline uint64_t load(const uint8_t *p) {
  uint64_t word;
  memcpy(&word, p, sizeof(word));
  return word;
}

// a * x^(64m) + b * x^(64n) mod P, with the powers of m and n.
__attribute__((target("sse4.2,pclmul"))) static inline uint64_t multiply_sum(uint64_t a, uint32_t power_m, uint64_t b,
                                                                             uint32_t power_n) {
  __m128i x = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)a), _mm_cvtsi32_si128((int)power_m), 0);
  __m128i y = _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)b), _mm_cvtsi32_si128((int)power_n), 0);
  return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(x, y)));
}

// Checksums three lanes of |words| words each behind |crc|.
__attribute__((target("sse4.2,pclmul"), always_inline)) static inline uint64_t extend_block(uint64_t crc,
                                                                                            const uint8_t *p,
                                                                                            size_t words, bool fetch) {
  const uint8_t *q = p + 8 * words, *r = q + 8 * words;
  uint64_t a = crc, b = 0, c = 0;
  size_t i = 0;
  for (; i + 8 <= words; i += 8, p += 64, q += 64, r += 64) {
    // The hardware prefetcher does not recognise three short streams, so prefetch the next block. It may be past the
    // end of the input, which is harmless for a prefetch.
    if (fetch)
      for (size_t k = 0; k < 3; k++)
        _mm_prefetch((const char *)((uintptr_t)p + 8 * (3 * words + 2 * i) + 64 * k), _MM_HINT_T0);
#pragma GCC unroll 8
    for (size_t k = 0; k < 64; k += 8) {
      a = _mm_crc32_u64(a, load(p + k));
      b = _mm_crc32_u64(b, load(q + k));
      c = _mm_crc32_u64(c, load(r + k));
    }
  }
  for (; i < words; i++, p += 8, q += 8, r += 8) {
    a = _mm_crc32_u64(a, load(p));
    b = _mm_crc32_u64(b, load(q));
    c = _mm_crc32_u64(c, load(r));
  }
  return multiply_sum(a, lanes.powers[2 * words], b, lanes.powers[words]) ^ c;
}

__attribute__((target("sse4.2,pclmul"))) static uint32_t extend_lanes(uint32_t crc, const uint8_t *p, size_t size) {
  uint64_t a = ~crc;
  for (; size >= 24 * MAX_LANE; size -= 24 * MAX_LANE, p += 24 * MAX_LANE) a = extend_block(a, p, MAX_LANE, true);
  if (size >= 24 * MIN_LANE) {
    size_t words = size / 24;
    a = extend_block(a, p, words, false);
    size -= 24 * words;
    p += 24 * words;
  }
  for (; size >= 8; size -= 8, p += 8) a = _mm_crc32_u64(a, load(p));
  for (; size; size--) a = _mm_crc32_u8((uint32_t)a, *p++);
  return ~(uint32_t)a;
}

uint32_t sli_crc32c_extend(uint32_t crc, const void *data, size_t size) {
  pthread_once(&lanes.once, choose);
  return lanes.usable ? extend_lanes(crc, data, size) : sli_crc32c_extend_portable(crc, data, size);
}

#else

uint32_t sli_crc32c_extend(uint32_t crc, const void *data, size_t size) {
  return sli_crc32c_extend_portable(crc, data, size);
}

#endif
