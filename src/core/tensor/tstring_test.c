#include "core/tensor/tstring.h"

#include "base/test.h"

SLI_TEST(test_assign_keeps_every_length) {
  char text[100];
  for (size_t i = 0; i < sizeof(text); i++) text[i] = (char)('a' + i % 26);
  sli_tstring_t string;
  sli_tstring_initialize(&string);
  const size_t sizes[] = {0, 1, 22, 23, 99, 40, 22, 60, 0};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    sli_tstring_assign(&string, text, sizes[i]);
    SLI_EXPECT(sli_view_equal(sli_tstring_view(&string), sli_view_of(text, sizes[i])));
    SLI_EXPECT_INT(sli_tstring_view(&string).data[sizes[i]], 0);
  }
  sli_tstring_deinitialize(&string);
}

SLI_TEST(test_layout_is_tensorflows) {
  sli_tstring_t string = {0};
  sli_tstring_assign(&string, "hi", 2);
  const unsigned char *raw = (const unsigned char *)&string;
  SLI_EXPECT_INT(raw[0], 2 << 2);
  SLI_EXPECT(memcmp(raw + 1, "hi", 3) == 0);
  const char *text = "more than twenty-two bytes";
  sli_tstring_assign(&string, text, strlen(text));
  size_t size;
  memcpy(&size, raw, sizeof(size));
  SLI_EXPECT_INT(size, strlen(text) << 2 | 1);
  char *data;
  memcpy(&data, raw + 16, sizeof(data));
  SLI_EXPECT_TEXT(data, text);
  sli_tstring_deinitialize(&string);

  sli_tstring_t view = {.view = {.size = 3 << 2 | SLI_TSTRING_VIEW, .data = text}};
  SLI_EXPECT(sli_view_is(sli_tstring_view(&view), "mor"));
  sli_tstring_assign(&view, "own", 3);
  SLI_EXPECT(sli_view_is(sli_tstring_view(&view), "own"));
  sli_tstring_deinitialize(&view);

  struct {
    sli_tstring_t string;
    char text[4];
  } offset = {.string.offset = {.size = 4 << 2 | SLI_TSTRING_OFFSET, .offset = sizeof(sli_tstring_t)}, .text = "abcd"};
  sli_view_t seen = sli_tstring_view(&offset.string);
  SLI_EXPECT(seen.size == 4 && memcmp(seen.data, "abcd", 4) == 0);
}

SLI_TEST(test_resize_keeps_what_fits) {
  sli_tstring_t string = {0};
  memcpy(sli_tstring_resize(&string, 5), "abcde", 5);
  SLI_EXPECT(sli_view_is(sli_tstring_view(&string), "abcde"));
  memset(sli_tstring_resize(&string, 30) + 5, 'x', 25);
  SLI_EXPECT(sli_view_is(sli_tstring_view(&string), "abcdexxxxxxxxxxxxxxxxxxxxxxxxx"));
  sli_tstring_resize(&string, 3);
  SLI_EXPECT(sli_view_is(sli_tstring_view(&string), "abc"));
  SLI_EXPECT_TEXT(sli_tstring_resize(&string, 40), "abc");
  sli_tstring_resize(&string, 39)[38] = 'z';
  SLI_EXPECT_INT(sli_tstring_view(&string).size, 39);
  sli_tstring_deinitialize(&string);
}

SLI_TEST_MAIN(test_assign_keeps_every_length, test_layout_is_tensorflows, test_resize_keeps_what_fits)
