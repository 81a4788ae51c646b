// Views and strings.
#include "base/string.h"

#include "base/array.h"
#include "base/test.h"

SLI_TEST(test_utf8_characters_are_measured) {
  static const struct {
    const char *text;
    size_t size;
  } cases[] = {
      {"a", 1},
      {"\xc3\xa4z", 2},
      {"\xe2\x82\xac", 3},
      {"\xf0\x9f\x98\x80", 4},
      {"\xf4\x8f\xbf\xbf", 4},
      {"", 0},
      {"\x80", 0},
      {"\xc3", 0},
      {"\xc3z", 0},
      {"\xff", 0},
      {"\xc1\x80", 0},          // overlong
      {"\xe0\x9f\x80", 0},      // overlong
      {"\xf0\x8f\x80\x80", 0},  // overlong
      {"\xed\xa0\x80", 0},      // a surrogate
      {"\xf4\x90\x80\x80", 0},  // above U+10FFFF
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++)
    SLI_EXPECT_INT((int)sli_view_utf8_size(sli_view(cases[i].text)), (int)cases[i].size);
}

SLI_TEST_MAIN(test_utf8_characters_are_measured)
