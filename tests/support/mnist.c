#include "tests/support/mnist.h"

#include <stdint.h>
#include <stdio.h>

#include "base/test.h"
#include "io/file/file.h"
#include "tests/support/tool.h"

enum { IMAGES = 200, ROWS = 28, PIXELS = ROWS * ROWS };

static void append_number(sli_string_t *out, uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) sli_string_append_char(out, (char)(number >> shift));
}

static int row_pixel(int image, int row, int column) { return row / 2 == image % 10 ? 200 + image % 50 : 5; }

static int stripe_pixel(int image, int row, int column) { return column * (image % 10 + 1) / 14 % 2 ? 200 : 5; }

static void make(const char *directory, int (*pixel)(int image, int row, int column)) {
  SLI_EXPECT_OK(sli_file_make_directories(directory));
  sli_string_t images = {0}, labels = {0};
  append_number(&images, 0x803);
  append_number(&images, IMAGES);
  append_number(&images, ROWS);
  append_number(&images, ROWS);
  append_number(&labels, 0x801);
  append_number(&labels, IMAGES);
  for (int i = 0; i < IMAGES; i++) {
    for (int j = 0; j < PIXELS; j++) sli_string_append_char(&images, (char)pixel(i, j / ROWS, j % ROWS));
    sli_string_append_char(&labels, (char)(i % 10));
  }
  static const char *const sets[] = {"train", "t10k"};
  for (int i = 0; i < 2; i++) {
    char name[64];
    snprintf(name, sizeof(name), "%s-images-idx3-ubyte", sets[i]);
    tool_write_file(tool_path_in(directory, name), images.data, images.size);
    snprintf(name, sizeof(name), "%s-labels-idx1-ubyte", sets[i]);
    tool_write_file(tool_path_in(directory, name), labels.data, labels.size);
  }
  sli_string_deinitialize(&images);
  sli_string_deinitialize(&labels);
}

void mnist_make(const char *directory) { make(directory, row_pixel); }
void mnist_make_stripes(const char *directory) { make(directory, stripe_pixel); }
