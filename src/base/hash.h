// Hashes. sli_hash_tensorflow equals TensorFlow's Hash64 bit for bit (frame ids
// of while loops go over the wire); sli_hash_bytes is for our own tables.
#ifndef SLI_BASE_HASH_H_
#define SLI_BASE_HASH_H_

#include <stddef.h>
#include <stdint.h>

uint64_t sli_hash_bytes(const void *data, size_t size);
uint64_t sli_hash_tensorflow(const void *data, size_t size, uint64_t seed);
// The default seed of TensorFlow's Hash64.
#define SLI_HASH_TENSORFLOW_SEED UINT64_C(0xDECAFCAFFE)

static inline uint64_t sli_hash_combine(uint64_t a, uint64_t b) {
  return a ^ (b + UINT64_C(0x9e3779b97f4a7800) + (a << 10) + (a >> 4));
}

#endif  // SLI_BASE_HASH_H_
