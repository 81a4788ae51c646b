// Loads and stores little-endian numbers at any address. For varints and protocol-buffer fields see proto/wire.h.
#ifndef SLI_IO_FILE_CODING_H_
#define SLI_IO_FILE_CODING_H_

#include <stdint.h>

static inline void sli_coding_store_u32(void *to, uint32_t value) {
  uint8_t *p = to;
  for (int i = 0; i < 4; i++) p[i] = (uint8_t)(value >> 8 * i);
}
static inline void sli_coding_store_u64(void *to, uint64_t value) {
  uint8_t *p = to;
  for (int i = 0; i < 8; i++) p[i] = (uint8_t)(value >> 8 * i);
}
static inline uint32_t sli_coding_load_u32(const void *from) {
  const uint8_t *p = from;
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t sli_coding_load_u64(const void *from) {
  return sli_coding_load_u32(from) | (uint64_t)sli_coding_load_u32((const char *)from + 4) << 32;
}

#endif  // SLI_IO_FILE_CODING_H_
