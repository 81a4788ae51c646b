#include "core/op/attr.h"

#include "base/test.h"
#include "proto/graph.fields.h"
#include "proto/wire.h"

static const char *text_of(const sli_attr_t *attr) {
  static sli_string_t text;
  sli_string_clear(&text);
  sli_attr_append(&text, attr);
  return sli_string_text(&text);
}

// Encodes, decodes, compares; returns the decoded text.
static void expect_round_trip(const sli_attr_t *attr, const char *text) {
  sli_arena_t arena = {0};
  sli_string_t bytes = {0}, again = {0};
  sli_attr_t decoded = {0};
  sli_attr_encode(attr, &bytes);
  SLI_EXPECT_OK(sli_attr_decode(sli_view_of(bytes.data, bytes.size), &arena, &decoded));
  SLI_EXPECT(sli_attr_equal(attr, &decoded));
  SLI_EXPECT_TEXT(text_of(&decoded), text);
  sli_attr_t copy = sli_attr_copy(&arena, &decoded);
  SLI_EXPECT(sli_attr_equal(attr, &copy));
  sli_attr_encode(&copy, &again);
  SLI_EXPECT(sli_view_equal(sli_view_of(bytes.data, bytes.size), sli_view_of(again.data, again.size)));
  sli_attr_release_tensors(&copy);
  sli_attr_release_tensors(&decoded);
  sli_arena_deinitialize(&arena);
  sli_string_deinitialize(&bytes);
  sli_string_deinitialize(&again);
}

SLI_TEST(test_attr_values_round_trip_and_print_as_tensorflow_does) {
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_STRING, .s = sli_view_of("a\0\n\"\x01", 5)},
                    "\"a\\000\\n\\\"\\001\"");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_INT, .i = INT64_MIN}, "-9223372036854775808");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_FLOAT, .f = 0.1f}, "0.1");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_FLOAT, .f = 16777217.f}, "16777216");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_FLOAT, .f = -0.f}, "-0");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_BOOL, .b = false}, "false");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_TYPE, .type = SLI_DTYPE_HALF}, "DT_HALF");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_TYPE, .type = (sli_dtype_t)(SLI_DTYPE_FLOAT + 100)}, "DT_FLOAT_REF");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_SHAPE, .shape = SLI_SHAPE(-1, 0, 3)}, "[?,0,3]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_SHAPE, .shape = SLI_SHAPE_SCALAR}, "[]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_SHAPE, .shape = SLI_SHAPE_UNKNOWN}, "<unknown>");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_PLACEHOLDER, .s = sli_view("T")}, "$T");
}

SLI_TEST(test_attr_lists_round_trip) {
  const int64_t ints[] = {1, -2, 3};
  const bool bools[] = {true, false};
  const float floats[] = {1.5f, 0};
  const sli_view_t strings[] = {sli_view("x"), sli_view("")};
  const sli_dtype_t types[] = {SLI_DTYPE_FLOAT, SLI_DTYPE_STRING};
  const sli_shape_t shapes[] = {SLI_SHAPE(2, -1), SLI_SHAPE_UNKNOWN};
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_INT, .is_list = true, .count = 3, .list.i = ints}, "[1, -2, 3]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_BOOL, .is_list = true, .count = 2, .list.b = bools},
                    "[true, false]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_FLOAT, .is_list = true, .count = 2, .list.f = floats}, "[1.5, 0]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_STRING, .is_list = true, .count = 2, .list.s = strings},
                    "[\"x\", \"\"]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_TYPE, .is_list = true, .count = 2, .list.type = types},
                    "[DT_FLOAT, DT_STRING]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_SHAPE, .is_list = true, .count = 2, .list.shape = shapes},
                    "[[2,?], <unknown>]");
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_INT, .is_list = true}, "[]");
}

SLI_TEST(test_attr_tensors_and_functions_round_trip) {
  sli_tensor_t *one = sli_tensor_scalar_float(1), *words = sli_tensor_scalar_string(sli_view("hello"));
  sli_tensor_t *tensors[] = {one, words};
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_TENSOR, .tensor = one}, "Tensor<type: float shape: [] values: 1>");
  sli_attr_t list = {.kind = SLI_ATTR_TENSOR, .is_list = true, .count = 2, .list.tensor = tensors};
  expect_round_trip(&list, "[Tensor<type: float shape: [] values: 1>, Tensor<type: string shape: [] values: hello>]");
  sli_attr_entry_t inner[] = {{"z", list}, SLI_ATTR_INT_OF("n", 7)};
  sli_attr_func_t func = {.name = sli_view("body"), .attrs = inner, .attr_count = 2};
  sli_attr_entry_t outer[] = {{"f", {.kind = SLI_ATTR_FUNC, .func = func}}};
  sli_attr_func_t functions[] = {{.name = sli_view("cond"), .attrs = outer, .attr_count = 1}, {.name = sli_view("g")}};
  expect_round_trip(&(sli_attr_t){.kind = SLI_ATTR_FUNC, .is_list = true, .count = 2, .list.func = functions},
                    "[cond[f=body[n=7, z=[Tensor<type: float shape: [] values: 1>, "
                    "Tensor<type: string shape: [] values: hello>]]], g[]]");
  // Every copy and decoding gave its references back.
  SLI_EXPECT(sli_tensor_is_exclusive(one));
  SLI_EXPECT(sli_tensor_is_exclusive(words));
  sli_tensor_release(one);
  sli_tensor_release(words);
}

SLI_TEST(test_attr_long_texts_are_shortened) {
  int64_t ints[20];
  for (int i = 0; i < 20; i++) ints[i] = i;
  sli_attr_t list = {.kind = SLI_ATTR_INT, .is_list = true, .count = 20, .list.i = ints};
  SLI_EXPECT_TEXT(text_of(&list), "[0, 1, 2, 3, 4, ..., 15, 16, 17, 18, 19]");
  list.count = 14;
  SLI_EXPECT_TEXT(text_of(&list), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]");
  char long_text[500];
  memset(long_text, 'a', sizeof(long_text));
  memcpy(long_text, "begin", 5);
  sli_attr_t string = {.kind = SLI_ATTR_STRING, .s = sli_view_of(long_text, sizeof(long_text))};
  SLI_EXPECT_TEXT(text_of(&string), "\"beginaaaaa...aaaaaaaaaa\"");
}

SLI_TEST(test_attr_comparison_sees_every_difference) {
  sli_attr_t one = {.kind = SLI_ATTR_INT, .i = 1}, two = {.kind = SLI_ATTR_INT, .i = 2};
  sli_attr_t bool_one = {.kind = SLI_ATTR_BOOL, .b = true};
  SLI_EXPECT(!sli_attr_equal(&one, &two));
  SLI_EXPECT(!sli_attr_equal(&one, &bool_one));
  const int64_t items[] = {1, 2};
  sli_attr_t shorter = {.kind = SLI_ATTR_INT, .is_list = true, .count = 1, .list.i = items}, longer = shorter;
  longer.count = 2;
  SLI_EXPECT(!sli_attr_equal(&shorter, &longer));
  SLI_EXPECT(!sli_attr_equal(&shorter, &one));
  sli_attr_t untyped = {.is_list = true}, empty = {.kind = SLI_ATTR_TYPE, .is_list = true};
  SLI_EXPECT(sli_attr_equal(&untyped, &empty));
  sli_tensor_t *a = sli_tensor_scalar_float(1), *b = sli_tensor_scalar_float(2), *c = sli_tensor_scalar_int32(1);
  sli_attr_t ta = {.kind = SLI_ATTR_TENSOR, .tensor = a}, tb = {.kind = SLI_ATTR_TENSOR, .tensor = b},
             tc = {.kind = SLI_ATTR_TENSOR, .tensor = c};
  SLI_EXPECT(!sli_attr_equal(&ta, &tb));
  SLI_EXPECT(!sli_attr_equal(&ta, &tc));
  sli_tensor_release(a);
  sli_tensor_release(b);
  sli_tensor_release(c);
}

static sli_status_t *decode(const char *bytes, size_t size, size_t budget) {
  sli_arena_t arena = {.budget = budget};
  sli_attr_t attr;
  // A copy of the exact size, so that the sanitizer sees a read past the end.
  char *copy = malloc(size ? size : 1);
  memcpy(copy, bytes, size);
  sli_status_t *status = sli_attr_decode(sli_view_of(copy, size), &arena, &attr);
  if (!status) sli_attr_release_tensors(&attr);
  sli_arena_deinitialize(&arena);
  free(copy);
  return status;
}

SLI_TEST(test_attr_bad_bytes_are_refused) {
  SLI_EXPECT_STATUS(decode("\x12\x05hi", 4, 0), SLI_INVALID_ARGUMENT);                 // string longer than the message
  SLI_EXPECT_STATUS(decode("\x1a\x01x", 3, 0), SLI_INVALID_ARGUMENT);                  // int with a length
  SLI_EXPECT_STATUS(decode("\x08\x01", 2, 0), SLI_INVALID_ARGUMENT);                   // list as a number
  SLI_EXPECT_STATUS(decode("\x0a\x05\x12\x01x\x18\x01", 7, 0), SLI_INVALID_ARGUMENT);  // list of strings and ints
  SLI_EXPECT_STATUS(decode("\x0a\x03\x22\x01\x01", 5, 0), SLI_INVALID_ARGUMENT);       // a packed float of one byte
  SLI_EXPECT_STATUS(decode("\x3a\x06\x12\x02\x08\x03\x18\x01", 8, 0), SLI_INVALID_ARGUMENT);  // dims and no rank
  SLI_EXPECT_STATUS(decode("\x42\x02\x08\x63", 4, 0), SLI_INVALID_ARGUMENT);                  // a tensor of no type
  SLI_EXPECT_OK(decode("", 0, 0));
  SLI_EXPECT_OK(decode("\x18\x01\x12\x01x", 5, 0));  // of two values the last counts
  SLI_EXPECT_OK(decode("\x0a\x00", 2, 0));
  SLI_EXPECT_OK(decode("\x0a\x02\x1a\x00", 4, 0));  // packed, of length 0
}

SLI_TEST(test_attr_every_cut_of_a_message_is_survived) {
  sli_tensor_t *tensor = sli_tensor_scalar_string(sli_view("hello"));
  sli_attr_entry_t attrs[] = {SLI_ATTR_TENSOR_OF("t", tensor), SLI_ATTR_SHAPE_OF("s", SLI_SHAPE(1, 2)),
                              SLI_ATTR_TENSOR_OF("u", tensor)};
  sli_attr_func_t functions[] = {{.name = sli_view("f"), .attrs = attrs, .attr_count = 3},
                                 {.name = sli_view("g"), .attrs = attrs, .attr_count = 3}};
  sli_attr_t attr = {.kind = SLI_ATTR_FUNC, .is_list = true, .count = 2, .list.func = functions};
  sli_string_t bytes = {0};
  sli_attr_encode(&attr, &bytes);
  for (size_t cut = 1; cut < bytes.size; cut++) SLI_EXPECT_STATUS(decode(bytes.data, cut, 0), SLI_INVALID_ARGUMENT);
  for (size_t i = 0; i < bytes.size; i++) {
    for (int bit = 0; bit < 8; bit++) {
      bytes.data[i] ^= (char)(1 << bit);
      sli_status_release(decode(bytes.data, bytes.size, 1 << 16));
      bytes.data[i] ^= (char)(1 << bit);
    }
  }
  SLI_EXPECT_STATUS(decode(bytes.data, bytes.size, 64), SLI_RESOURCE_EXHAUSTED);
  sli_string_deinitialize(&bytes);
  sli_tensor_release(tensor);
}

SLI_TEST(test_attr_functions_in_functions_are_bounded) {
  sli_string_t bytes = {0};
  for (int level = 0; level < 150; level++) {
    // AttrValue { func { attr { value { … } } } }
    static const uint32_t path[] = {SLI_FIELD_NAME_ATTR_LIST_ATTR_ENTRY_VALUE, SLI_FIELD_NAME_ATTR_LIST_ATTR,
                                    SLI_FIELD_ATTR_VALUE_FUNC};
    for (size_t i = 0; i < 3; i++) {
      sli_string_t wrapped = {0};
      sli_wire_write_bytes(&wrapped, path[i], bytes.data, bytes.size);
      sli_string_deinitialize(&bytes);
      bytes = wrapped;
    }
    if (level == 50) SLI_EXPECT_OK(decode(bytes.data, bytes.size, 0));
  }
  SLI_EXPECT_STATUS(decode(bytes.data, bytes.size, 0), SLI_INVALID_ARGUMENT);
  sli_string_deinitialize(&bytes);
}

SLI_TEST_MAIN(test_attr_values_round_trip_and_print_as_tensorflow_does, test_attr_lists_round_trip,
              test_attr_tensors_and_functions_round_trip, test_attr_long_texts_are_shortened,
              test_attr_comparison_sees_every_difference, test_attr_bad_bytes_are_refused,
              test_attr_every_cut_of_a_message_is_survived, test_attr_functions_in_functions_are_bounded)
