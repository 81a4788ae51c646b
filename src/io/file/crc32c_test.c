#include "io/file/crc32c.h"

#include "base/test.h"
#include "io/file/crc32c_internal.h"

static unsigned char bytes[20000];

static void fill(void) {
  unsigned state = 1;
  for (size_t i = 0; i < sizeof(bytes); i++) bytes[i] = (unsigned char)((state = state * 1103515245u + 12345u) >> 16);
}

// RFC 3720, B.4.
SLI_TEST(test_crc32c_of_known_bytes) {
  unsigned char text[32] = {0};
  SLI_EXPECT_INT(sli_crc32c(text, 32), 0x8a9136aau);
  memset(text, 0xff, 32);
  SLI_EXPECT_INT(sli_crc32c(text, 32), 0x62a8ab43u);
  for (int i = 0; i < 32; i++) text[i] = (unsigned char)i;
  SLI_EXPECT_INT(sli_crc32c(text, 32), 0x46dd794eu);
  SLI_EXPECT_INT(sli_crc32c("123456789", 9), 0xe3069283u);
  SLI_EXPECT_INT(sli_crc32c(NULL, 0), 0);
}

SLI_TEST(test_crc32c_equals_portable_at_every_length_and_alignment) {
  fill();
  for (size_t size = 0; size < 2000; size++)
    SLI_EXPECT_INT(sli_crc32c_extend(7, bytes + size % 9, size), sli_crc32c_extend_portable(7, bytes + size % 9, size));
  for (size_t size = 6100; size < sizeof(bytes) - 8; size += 127)
    SLI_EXPECT_INT(sli_crc32c(bytes + size % 8, size), sli_crc32c_extend_portable(0, bytes + size % 8, size));
}

SLI_TEST(test_crc32c_in_pieces_equals_whole) {
  fill();
  uint32_t whole = sli_crc32c(bytes, sizeof(bytes));
  for (size_t cut = 0; cut < sizeof(bytes); cut += 333)
    SLI_EXPECT_INT(sli_crc32c_extend(sli_crc32c(bytes, cut), bytes + cut, sizeof(bytes) - cut), whole);
}

SLI_TEST(test_crc32c_unmask_inverts_mask) {
  uint32_t crc = sli_crc32c("foo", 3);
  SLI_EXPECT(sli_crc32c_mask(crc) != crc);
  SLI_EXPECT_INT(sli_crc32c_unmask(sli_crc32c_mask(crc)), crc);
  SLI_EXPECT_INT(sli_crc32c_mask(0), 0xa282ead8u);
}

SLI_TEST_MAIN(test_crc32c_of_known_bytes, test_crc32c_equals_portable_at_every_length_and_alignment,
              test_crc32c_in_pieces_equals_whole, test_crc32c_unmask_inverts_mask)
