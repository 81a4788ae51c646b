#include "base/hash.h"

#include <string.h>

static uint64_t load64(const unsigned char *p) {
  uint64_t value;
  memcpy(&value, p, sizeof(value));
  return value;
}

// Multiply-and-fold over 8-byte words: short keys dominate here.
static uint64_t fold(uint64_t a, uint64_t b) {
  unsigned __int128 product = (unsigned __int128)a * b;
  return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t sli_hash_bytes(const void *data, size_t size) {
  const unsigned char *p = data;
  uint64_t hash = UINT64_C(0x2d358dccaa6c78a5) ^ size;
  for (; size >= 8; size -= 8, p += 8) hash = fold(hash ^ load64(p), UINT64_C(0x8bb84b93962eacc9));
  uint64_t tail = 0;
  for (size_t i = 0; i < size; i++) tail |= (uint64_t)p[i] << (8 * i);
  return fold(hash ^ tail, UINT64_C(0x4b33a62ed433d4a3));
}

// MurmurHash64A, which is public and what TensorFlow's Hash64 computes.
uint64_t sli_hash_tensorflow(const void *data, size_t size, uint64_t seed) {
  const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
  const unsigned char *p = data;
  uint64_t hash = seed ^ (size * m);
  for (; size >= 8; size -= 8, p += 8) {
    uint64_t k = load64(p) * m;
    k = (k ^ (k >> 47)) * m;
    hash = (hash ^ k) * m;
  }
  if (size) {
    uint64_t tail = 0;
    for (size_t i = 0; i < size; i++) tail |= (uint64_t)p[i] << (8 * i);
    hash = (hash ^ tail) * m;
  }
  hash = (hash ^ (hash >> 47)) * m;
  return hash ^ (hash >> 47);
}
