// CRC32C (Castagnoli), the checksum of all file formats here, and the mask that TensorFlow and LevelDB apply before
// they store it. Uses SSE4.2 and PCLMULQDQ if the processor has them, else tables. Thread-safe.
#ifndef SLI_IO_FILE_CRC32C_H_
#define SLI_IO_FILE_CRC32C_H_

#include <stddef.h>
#include <stdint.h>

// The checksum of the bytes whose checksum is |crc| followed by |data|. 0 is the checksum of no bytes.
uint32_t sli_crc32c_extend(uint32_t crc, const void *data, size_t size);

static inline uint32_t sli_crc32c(const void *data, size_t size) { return sli_crc32c_extend(0, data, size); }

// A checksum of data that contains its own checksum is weak, so stored checksums are masked.
static inline uint32_t sli_crc32c_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }
static inline uint32_t sli_crc32c_unmask(uint32_t masked) {
  uint32_t rotated = masked - 0xa282ead8u;
  return (rotated >> 17) | (rotated << 15);
}

#endif  // SLI_IO_FILE_CRC32C_H_
