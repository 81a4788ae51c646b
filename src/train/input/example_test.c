#include "sluice/example.h"

#include <string.h>

#include "base/test.h"

// The bytes of Python's SerializeToString(deterministic=True) for the example of fill() and a feature "none" without a
// type.
static const unsigned char pythons[] = {
    0x0a, 0x62, 0x0a, 0x0b, 0x0a, 0x05, 'e',  'm',  'p',  't',  'y',  0x12, 0x02, 0x1a, 0x00, 0x0a, 0x1a,
    0x0a, 0x05, 'l',  'a',  'b',  'e',  'l',  0x12, 0x11, 0x1a, 0x0f, 0x0a, 0x0d, 0x07, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 0xac, 0x02, 0x0a, 0x08, 0x0a, 0x04, 'n',  'o',  'n',  'e',
    0x12, 0x00, 0x0a, 0x14, 0x0a, 0x04, 't',  'a',  'g',  's',  0x12, 0x0c, 0x0a, 0x0a, 0x0a, 0x01, 'a',
    0x0a, 0x00, 0x0a, 0x03, 'x',  0x00, 'y',  0x0a, 0x17, 0x0a, 0x07, 'w',  'e',  'i',  'g',  'h',  't',
    's',  0x12, 0x0c, 0x12, 0x0a, 0x0a, 0x08, 0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x00, 0xc0};

static void fill(sl_example_t *example) {
  sl_example_add_floats(example, "weights", (const float[]){0.5f, -2}, 2);
  sl_example_add_bytes(example, "tags", "a", 1);
  sl_example_add_bytes(example, "tags", "", 0);
  sl_example_add_bytes(example, "tags", "x\0y", 3);
  sl_example_add_int64s(example, "label", (const int64_t[]){7, -1}, 2);
  sl_example_add_int64s(example, "label", (const int64_t[]){300}, 1);
  sl_example_add_int64s(example, "empty", NULL, 0);
}

static bool parse(sl_example_t *example, const void *data, size_t size) {
  TF_Status *status = TF_NewStatus();
  sl_example_parse(example, data, size, status);
  bool good = TF_GetCode(status) == TF_OK;
  if (!good) {
    SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
    SLI_EXPECT_INT(sl_example_count(example) + sl_example_list_count(example), 0);
  }
  TF_DeleteStatus(status);
  return good;
}

static void expect_filled(const sl_example_t *example) {
  sl_feature_t label = sl_example_find(example, "label");
  SLI_EXPECT_INT(label.dtype, TF_INT64);
  SLI_REQUIRE(label.count == 3);
  SLI_EXPECT_INT(label.int64s[0], 7);
  SLI_EXPECT_INT(label.int64s[1], -1);
  SLI_EXPECT_INT(label.int64s[2], 300);
  sl_feature_t weights = sl_example_find(example, "weights");
  SLI_EXPECT_INT(weights.dtype, TF_FLOAT);
  SLI_REQUIRE(weights.count == 2);
  SLI_EXPECT_NEAR(weights.floats[1], -2, 0);
  sl_feature_t tags = sl_example_find(example, "tags");
  SLI_EXPECT_INT(tags.dtype, TF_STRING);
  SLI_REQUIRE(tags.count == 3);
  SLI_EXPECT_INT(tags.bytes[1].size, 0);
  SLI_EXPECT_INT(tags.bytes[2].size, 3);
  SLI_EXPECT(memcmp(tags.bytes[2].data, "x\0y", 3) == 0);
  SLI_EXPECT_INT(sl_example_find(example, "empty").dtype, TF_INT64);
  SLI_EXPECT_INT(sl_example_find(example, "empty").count, 0);
  SLI_EXPECT(!sl_example_find(example, "other").key);
}

SLI_TEST(test_an_example_is_serialized_as_python_does) {
  sl_example_t *example = sl_example_create();
  SLI_EXPECT_INT(sl_example_serialize(example).size, 0);
  fill(example);
  sl_bytes_t made = sl_example_serialize(example);
  // Without the ten bytes of "none", which can only be parsed; the outer length is smaller, too.
  SLI_REQUIRE(made.size == sizeof(pythons) - 10);
  SLI_EXPECT_INT(made.data[1], pythons[1] - 10);
  SLI_EXPECT(memcmp(made.data + 2, pythons + 2, 41) == 0);
  SLI_EXPECT(memcmp(made.data + 43, pythons + 53, made.size - 43) == 0);
  sl_example_release(example);
}

SLI_TEST(test_an_example_is_parsed_and_written_again) {
  sl_example_t *example = sl_example_create();
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT(parse(example, pythons, sizeof(pythons)));
    SLI_EXPECT_INT(sl_example_count(example), 5);
    SLI_EXPECT_TEXT(sl_example_at(example, 0).key, "empty");
    SLI_EXPECT_TEXT(sl_example_at(example, 4).key, "weights");
    SLI_EXPECT(!sl_example_at(example, 5).key);
    expect_filled(example);
    SLI_EXPECT_INT(sl_example_find(example, "none").dtype, 0);
    sl_bytes_t again = sl_example_serialize(example);
    SLI_EXPECT_INT(again.size, sizeof(pythons));
    SLI_EXPECT(memcmp(again.data, pythons, sizeof(pythons)) == 0);
  }
  sl_example_clear(example);
  SLI_EXPECT_INT(sl_example_count(example), 0);
  fill(example);
  expect_filled(example);
  sl_example_add_floats(example, "label", (const float[]){1}, 1);
  SLI_EXPECT_INT(sl_example_find(example, "label").dtype, TF_FLOAT);
  SLI_EXPECT_INT(sl_example_find(example, "label").count, 1);
  sl_example_release(example);
}

SLI_TEST(test_of_a_key_that_occurs_twice_the_last_counts) {
  static const char twice[] =
      "\x0a\x1a\x0a\x0b\x0a\x01k\x12\x06\x1a\x04\x0a\x02\x01\x02\x0a\x0b\x0a\x01k\x12\x06\x1a\x04\x0a\x02\x03\x04";
  // Numbers one by one instead of packed; a type that changes within one feature.
  static const char mixed[] = "\x0a\x13\x0a\x11\x0a\x01k\x12\x0c\x0a\x02\x0a\x00\x1a\x06\x08\x05\x08\x06\x0a\x00";
  sl_example_t *example = sl_example_create();
  SLI_EXPECT(parse(example, twice, sizeof(twice) - 1));
  SLI_EXPECT_INT(sl_example_count(example), 1);
  SLI_REQUIRE(sl_example_find(example, "k").count == 2);
  SLI_EXPECT_INT(sl_example_find(example, "k").int64s[0], 3);
  SLI_EXPECT(parse(example, mixed, sizeof(mixed) - 1));
  sl_feature_t feature = sl_example_find(example, "k");
  SLI_EXPECT_INT(feature.dtype, TF_INT64);
  SLI_REQUIRE(feature.count == 2);
  SLI_EXPECT_INT(feature.int64s[1], 6);
  sl_example_release(example);
}

// The same for {"id": 7} and the lists "frames", "none" and "words" of fill_sequence().
static const unsigned char pythons_sequence[] = {
    0x0a, 0x0d, 0x0a, 0x0b, 0x0a, 0x02, 'i',  'd',  0x12, 0x05, 0x1a, 0x03, 0x0a, 0x01, 0x07, 0x12, 0x4c, 0x0a, 0x26,
    0x0a, 0x06, 'f',  'r',  'a',  'm',  'e',  's',  0x12, 0x1c, 0x0a, 0x0c, 0x12, 0x0a, 0x0a, 0x08, 0x00, 0x00, 0x00,
    0x3f, 0x00, 0x00, 0x00, 0xc0, 0x0a, 0x0c, 0x12, 0x0a, 0x0a, 0x08, 0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40,
    0x0a, 0x08, 0x0a, 0x04, 'n',  'o',  'n',  'e',  0x12, 0x00, 0x0a, 0x18, 0x0a, 0x05, 'w',  'o',  'r',  'd',  's',
    0x12, 0x0f, 0x0a, 0x09, 0x0a, 0x07, 0x0a, 0x01, 'a',  0x0a, 0x02, 'b',  'c',  0x0a, 0x02, 0x0a, 0x00};

static void fill_sequence(sl_example_t *example) {
  sl_example_add_int64s(example, "id", (const int64_t[]){7}, 1);
  sl_example_add_step_bytes(example, "words", (const sl_bytes_t[]){{"a", 1}, {"bc", 2}}, 2);
  sl_example_add_list(example, "none");
  sl_example_add_step_floats(example, "frames", (const float[]){0.5f, -2}, 2);
  sl_example_add_step_bytes(example, "words", NULL, 0);
  sl_example_add_step_floats(example, "frames", (const float[]){1, 2}, 2);
}

SLI_TEST(test_an_example_with_lists_is_a_sequence_example) {
  sl_example_t *example = sl_example_create();
  for (int round = 0; round < 4; round++) {
    // Created and parsed, and both again in reused memory.
    sl_example_clear(example);
    if (round % 2)
      SLI_EXPECT(parse(example, pythons_sequence, sizeof(pythons_sequence)));
    else
      fill_sequence(example);
    sl_bytes_t made = sl_example_serialize(example);
    SLI_REQUIRE(made.size == sizeof(pythons_sequence));
    SLI_EXPECT(memcmp(made.data, pythons_sequence, made.size) == 0);
    SLI_EXPECT_INT(sl_example_find(example, "id").count, 1);
    SLI_EXPECT_INT(sl_example_list_count(example), 3);
    SLI_EXPECT_TEXT(sl_example_list_at(example, 1), "none");
    SLI_EXPECT(!sl_example_list_at(example, 3));
    SLI_EXPECT_INT(sl_example_step_count(example, "none"), 0);
    SLI_EXPECT_INT(sl_example_step_count(example, "words"), 2);
    SLI_EXPECT_INT(sl_example_step_count(example, "id"), 0);
    sl_feature_t frame = sl_example_step_at(example, "frames", 1), word = sl_example_step_at(example, "words", 0);
    SLI_REQUIRE(frame.count == 2 && word.count == 2);
    SLI_EXPECT_TEXT(frame.key, "frames");
    SLI_EXPECT_NEAR(frame.floats[1], 2, 0);
    SLI_EXPECT_INT(word.bytes[1].size, 2);
    SLI_EXPECT_INT(sl_example_step_at(example, "words", 1).dtype, TF_STRING);
    SLI_EXPECT(!sl_example_step_at(example, "words", 2).key);
    SLI_EXPECT(!sl_example_step_at(example, "other", 0).key);
  }
  sl_example_add_step_int64s(example, "none", (const int64_t[]){4, 5}, 2);
  SLI_REQUIRE(sl_example_step_at(example, "none", 0).count == 2);
  SLI_EXPECT_INT(sl_example_step_at(example, "none", 0).int64s[1], 5);
  sl_example_clear(example);
  SLI_EXPECT_INT(sl_example_list_count(example), 0);
  // The context ends after 15 bytes.
  for (size_t size = 1; size < sizeof(pythons_sequence); size++)
    SLI_EXPECT_INT(parse(example, pythons_sequence, size), size == 15);
  sl_example_release(example);
}

SLI_TEST(test_invalid_bytes_are_an_error) {
  sl_example_t *example = sl_example_create();
  SLI_EXPECT(parse(example, "", 0));
  SLI_EXPECT(!parse(example, "\x0a", 1));
  SLI_EXPECT(!parse(example, "\x08\xff", 2));
  SLI_EXPECT(!parse(example, "\x08\x01\x0d", 3));
  for (size_t size = 1; size < sizeof(pythons); size++) SLI_EXPECT(!parse(example, pythons, size));
  sl_example_release(example);
}

SLI_TEST_MAIN(test_an_example_is_serialized_as_python_does, test_an_example_is_parsed_and_written_again,
              test_of_a_key_that_occurs_twice_the_last_counts, test_an_example_with_lists_is_a_sequence_example,
              test_invalid_bytes_are_an_error)
