// The portable implementation, declared for the test, which compares it with the other.
#ifndef SLI_IO_FILE_CRC32C_INTERNAL_H_
#define SLI_IO_FILE_CRC32C_INTERNAL_H_

#include <stddef.h>
#include <stdint.h>

uint32_t sli_crc32c_extend_portable(uint32_t crc, const void *data, size_t size);

#endif  // SLI_IO_FILE_CRC32C_INTERNAL_H_
