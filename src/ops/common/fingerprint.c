#include "ops/common/fingerprint.h"

#include <string.h>

// --- Fingerprint64 (farmhashna::Hash64, Geoff Pike, github.com/google/farmhash) -----------------

static const uint64_t k0 = UINT64_C(0xc3a5c85c97cb3127), k1 = UINT64_C(0xb492b66fbe98f273),
                      k2 = UINT64_C(0x9ae16a3b2f90404f);

static uint64_t load64(const char *at) {
  uint64_t value;
  memcpy(&value, at, sizeof(value));
  return value;
}
static uint32_t load32(const char *at) {
  uint32_t value;
  memcpy(&value, at, sizeof(value));
  return value;
}
static uint64_t rotate_right(uint64_t value, int by) { return value >> by | value << (64 - by); }
static uint64_t shift_mix(uint64_t value) { return value ^ value >> 47; }

static uint64_t mix(uint64_t u, uint64_t v, uint64_t multiplier) {
  uint64_t a = shift_mix((u ^ v) * multiplier);
  return shift_mix((v ^ a) * multiplier) * multiplier;
}

static uint64_t fingerprint_to_16(const char *s, size_t n) {
  uint64_t multiplier = k2 + n * 2;
  if (n >= 8) {
    uint64_t a = load64(s) + k2, b = load64(s + n - 8);
    return mix(rotate_right(b, 37) * multiplier + a, (rotate_right(a, 25) + b) * multiplier, multiplier);
  }
  if (n >= 4) return mix(n + ((uint64_t)load32(s) << 3), load32(s + n - 4), multiplier);
  if (n == 0) return k2;
  uint64_t y = (uint8_t)s[0] + ((uint64_t)(uint8_t)s[n >> 1] << 8), z = n + ((uint64_t)(uint8_t)s[n - 1] << 2);
  return shift_mix(y * k2 ^ z * k0) * k2;
}

static uint64_t fingerprint_to_32(const char *s, size_t n) {
  uint64_t multiplier = k2 + n * 2, a = load64(s) * k1, b = load64(s + 8), c = load64(s + n - 8) * multiplier;
  uint64_t d = load64(s + n - 16) * k2;
  return mix(rotate_right(a + b, 43) + rotate_right(c, 30) + d, a + rotate_right(b + k2, 18) + c, multiplier);
}

static uint64_t fingerprint_to_64(const char *s, size_t n) {
  uint64_t multiplier = k2 + n * 2, a = load64(s) * k2, b = load64(s + 8), c = load64(s + n - 8) * multiplier;
  uint64_t d = load64(s + n - 16) * k2, y = rotate_right(a + b, 43) + rotate_right(c, 30) + d;
  uint64_t z = mix(y, a + rotate_right(b + k2, 18) + c, multiplier);
  uint64_t e = load64(s + 16) * multiplier, f = load64(s + 24), g = (y + load64(s + n - 32)) * multiplier;
  uint64_t h = (z + load64(s + n - 24)) * multiplier;
  return mix(rotate_right(e + f, 43) + rotate_right(g, 30) + h, e + rotate_right(f + a, 18) + g, multiplier);
}

typedef struct {
  uint64_t first, second;
} hash_pair_t;

static hash_pair_t weak_hash(const char *s, uint64_t a, uint64_t b) {
  uint64_t w = load64(s), x = load64(s + 8), y = load64(s + 16), z = load64(s + 24);
  a += w;
  b = rotate_right(b + a + z, 21);
  uint64_t c = a;
  a += x + y;
  b += rotate_right(a, 44);
  return (hash_pair_t){a + z, b + c};
}

uint64_t sli_fingerprint_of(sli_view_t text) {
  const char *s = text.data ? text.data : "";
  size_t n = text.size;
  if (n <= 16) return fingerprint_to_16(s, n);
  if (n <= 32) return fingerprint_to_32(s, n);
  if (n <= 64) return fingerprint_to_64(s, n);
  const uint64_t seed = 81;
  uint64_t x = seed * k2 + load64(s), y = seed * k1 + 113, z = shift_mix(y * k2 + 113) * k2, kept;
  hash_pair_t v = {0}, w = {0};
  const char *end = s + (n - 1) / 64 * 64, *last = end + ((n - 1) & 63) - 63;
  do {
    x = rotate_right(x + y + v.first + load64(s + 8), 37) * k1;
    y = rotate_right(y + v.second + load64(s + 48), 42) * k1;
    x ^= w.second;
    y += v.first + load64(s + 40);
    z = rotate_right(z + w.first, 33) * k1;
    v = weak_hash(s, v.second * k1, x + w.first);
    w = weak_hash(s + 32, z + w.second, y + load64(s + 16));
    kept = z, z = x, x = kept;
    s += 64;
  } while (s != end);
  uint64_t multiplier = k1 + ((z & 0xff) << 1);
  s = last;
  w.first += (n - 1) & 63;
  v.first += w.first;
  w.first += v.first;
  x = rotate_right(x + y + v.first + load64(s + 8), 37) * multiplier;
  y = rotate_right(y + v.second + load64(s + 48), 42) * multiplier;
  x ^= w.second * 9;
  y += v.first * 9 + load64(s + 40);
  z = rotate_right(z + w.first, 33) * multiplier;
  v = weak_hash(s, v.second * multiplier, x + w.first);
  w = weak_hash(s + 32, z + w.second, y + load64(s + 16));
  kept = z, z = x, x = kept;
  return mix(mix(v.first, w.first, multiplier) + shift_mix(y) * k0 + z, mix(v.second, w.second, multiplier) + x,
             multiplier);
}

uint64_t sli_fingerprint_concat(uint64_t a, uint64_t b) {
  const uint64_t multiplier = UINT64_C(0xc6a4a7935bd1e995);
  uint64_t hash = a ^ multiplier;
  hash ^= shift_mix(b * multiplier) * multiplier;
  hash *= multiplier;
  return shift_mix(shift_mix(hash) * multiplier);
}

// --- SipHash-2-4 (Aumasson and Bernstein) ---------------------------------------------------------

static uint64_t rotate_left(uint64_t value, int by) { return value << by | value >> (64 - by); }

static void sip_rounds(uint64_t v[4], int rounds) {
  for (int i = 0; i < rounds; i++) {
    v[0] += v[1];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
  }
}

uint64_t sli_fingerprint_strong(sli_view_t text, uint64_t key0, uint64_t key1) {
  uint64_t v[4] = {key0 ^ UINT64_C(0x736f6d6570736575), key1 ^ UINT64_C(0x646f72616e646f6d),
                   key0 ^ UINT64_C(0x6c7967656e657261), key1 ^ UINT64_C(0x7465646279746573)};
  size_t at = 0;
  for (; at + 8 <= text.size; at += 8) {
    uint64_t word = load64(text.data + at);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  uint64_t last = (uint64_t)text.size << 56;
  for (int i = 0; at < text.size; at++, i += 8) last |= (uint64_t)(uint8_t)text.data[at] << i;
  v[3] ^= last;
  sip_rounds(v, 2);
  v[0] ^= last;
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
