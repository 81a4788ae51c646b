// What recorded runs of TensorFlow cannot show: ops that new graphs must not have, noise, and files that ask for too
// much memory.
#include "base/test.h"
#include "ops/common/testing.h"
#include "ops/image/codec.h"

static sli_tensor_t *scalar(float value) { return sli_tensor_scalar_float(value); }

SLI_TEST(test_contrast_stays_within_limits) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  sli_tensor_t *inputs[] = {sli_testing_floats(SLI_SHAPE(1, 4, 1), (float[]){0, 1, 2, 5}), scalar(2), scalar(-1),
                            scalar(4)};
  SLI_REQUIRE_OK(sli_testing_run("AdjustContrast", NULL, 0, inputs, 4, outputs));
  const float wanted[] = {-1, 0, 2, 4};  // the mean is 2
  for (int i = 0; i < 4; i++) SLI_EXPECT_NEAR(SLI_DATA(float, outputs[0])[i], wanted[i], 1e-6);
  sli_tensor_release(outputs[0]);
}

SLI_TEST(test_random_crop_is_a_window) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_INT_OF("seed", 1), SLI_ATTR_INT_OF("seed2", 2)};
  bool seen[16] = {false};
  sli_testing_node_t node;
  sli_tensor_t *types[] = {sli_testing_range(SLI_SHAPE(4, 5, 1)), sli_tensor_vector_int64((int64_t[]){2, 2}, 2)};
  SLI_REQUIRE_OK(sli_testing_node_initialize(&node, "RandomCrop", NULL, attrs, 2, types, 2));
  for (int run = 0; run < 100; run++) {
    sli_tensor_t *inputs[] = {sli_tensor_retain(types[0]), sli_tensor_retain(types[1])}, *output;
    SLI_REQUIRE_OK(sli_testing_node_run(&node, inputs, 2, &output));
    const float *pixels = output->data;
    int first = (int)pixels[0], y = first / 5, x = first % 5;
    SLI_EXPECT(y <= 2 && x <= 3 && pixels[1] == first + 1 && pixels[2] == first + 5 && pixels[3] == first + 6);
    seen[y * 4 + x] = true;
    sli_tensor_release(output);
  }
  int windows = 0;
  for (int i = 0; i < 12; i++) windows += seen[i];
  SLI_EXPECT(windows >= 10);  // of twelve
  sli_tensor_release(types[0]);
  sli_tensor_release(types[1]);
  sli_testing_node_deinitialize(&node);
}

// The noise around a glimpse stays between the least and the largest value, and is not all the same.
SLI_TEST(test_glimpse_noise_has_the_range_of_the_image) {
  for (int gaussian = 0; gaussian < 2; gaussian++) {
    sli_attr_entry_t attrs[] = {SLI_ATTR_STRING_OF("noise", gaussian ? "gaussian" : "uniform"),
                                SLI_ATTR_BOOL_OF("uniform_noise", !gaussian)};
    sli_tensor_t *outputs[SLI_TESTING_MAX];
    sli_tensor_t *inputs[] = {sli_testing_range(SLI_SHAPE(1, 3, 3, 2)), sli_tensor_vector_int32((int32_t[]){9, 9}, 2),
                              sli_testing_floats(SLI_SHAPE(1, 2), (float[]){0, 0})};
    SLI_REQUIRE_OK(sli_testing_run("ExtractGlimpse", attrs, 2, inputs, 3, outputs));
    const float *pixels = outputs[0]->data;
    int different = 0;
    for (int i = 0; i < 9 * 9 * 2; i++) {
      SLI_EXPECT(pixels[i] >= 0 && pixels[i] <= 17);
      different += pixels[i] != pixels[0];
    }
    SLI_EXPECT(different > 50);
    for (int c = 0; c < 2; c++) SLI_EXPECT_NEAR(pixels[(4 * 9 + 4) * 2 + c], 8 + c, 0);  // the centre is the image's
    sli_tensor_release(outputs[0]);
  }
}

static sli_status_t *refuse(void *context, int64_t frames, int64_t height, int64_t width, int64_t channels,
                            void **out_pixels) {
  return sli_status_make(SLI_RESOURCE_EXHAUSTED, "must not get here");
}

// A small file that claims many pixels is refused before anything is allocated.
SLI_TEST(test_files_that_claim_too_many_pixels_are_refused) {
  const sli_codec_sink_t sink = {refuse, NULL};
  static const char png[] =
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x0f\0\0\0\x0f\0\0\x08\x02\0\0\0\x1f\x5d\x66\x98\0\0\0\0IDAT\x35\xaf\x06\x1e";
  sli_testing_expect_error(sli_codec_decode_png(sli_view_of(png, sizeof(png) - 1), 0, 8, &sink), SLI_INVALID_ARGUMENT,
                           "PNG size too large for int: 983040 by 983040");
  static const char gif[] = "GIF89a\1\0\1\0\0\0\0,\0\0\0\0\xff\xff\xff\xff\0\x08\1\0\0;";
  sli_testing_expect_error(sli_codec_decode_gif(sli_view_of(gif, sizeof(gif) - 1), true, &sink), SLI_INVALID_ARGUMENT,
                           "its frames have more than 2^29 pixels");
  static const char bmp[] = "BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\0\0\0\x40\0\0\0\x40\1\0\x18\0\0\0\0\0";
  sli_testing_expect_error(sli_codec_decode_bmp(sli_view_of(bmp, sizeof(bmp) - 1), 0, &sink), SLI_INVALID_ARGUMENT,
                           "Total possible pixel bytes must be less than 2^30");
  // A gray image of 16 x 16, whose header then says 65,500 x 65,500.
  static const uint8_t pixels[256] = {0};
  sli_codec_image_t image = {pixels, 16, 16, 1};
  sli_codec_jpeg_encoding_t encoding = {.quality = 90, .density_unit = 1};
  sli_codec_jpeg_options_t options = {.ratio = 1, .acceptable_fraction = 1};
  sli_string_t jpeg = {0};
  SLI_REQUIRE_OK(sli_codec_encode_jpeg(&image, &encoding, &jpeg));
  for (size_t i = 0; i + 9 < jpeg.size; i++) {
    if (memcmp(jpeg.data + i, "\xff\xc0", 2) == 0) memcpy(jpeg.data + i + 5, "\xff\xdc\xff\xdc", 4);
  }
  sli_testing_expect_error(sli_codec_decode_jpeg(sli_view_of(jpeg.data, jpeg.size), &options, &sink),
                           SLI_INVALID_ARGUMENT, "jpeg::Uncompress failed");
  sli_string_deinitialize(&jpeg);
}

SLI_TEST(test_scratch_memory_that_cannot_be_had_is_a_status) {
  sli_testing_node_t node;
  sli_tensor_t *types[] = {sli_testing_range(SLI_SHAPE(1, 1, 3)), scalar(1)};
  SLI_REQUIRE_OK(sli_testing_node_initialize(&node, "AdjustHue", NULL, NULL, 0, types, 2));
  sli_kernel_context_t context = {.node = &node.kernel.node, .device = node.device.device};
  SLI_EXPECT_OK(sli_kernel_require_scratch(&context, 100, sizeof(double)));
  sli_testing_expect_error(sli_kernel_require_scratch(&context, INT64_MAX, sizeof(double)), SLI_RESOURCE_EXHAUSTED,
                           "elements of 8 bytes for AdjustHue");
  for (int i = 0; i < 2; i++) sli_tensor_release(types[i]);
  sli_testing_node_deinitialize(&node);
}

SLI_TEST_MAIN(test_contrast_stays_within_limits, test_random_crop_is_a_window,
              test_glimpse_noise_has_the_range_of_the_image, test_files_that_claim_too_many_pixels_are_refused,
              test_scratch_memory_that_cannot_be_had_is_a_status)
