// Compares TensorProtos with bytes that TensorFlow sent.
#include "proto/tensor_proto.h"

#include <limits.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/test.h"
#include "proto/wire.h"

enum {
  DT_FLOAT = 1,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_STRING = 7,
  DT_INT64 = 9,
  DT_BOOL = 10,
  DT_COMPLEX64 = 8,
  DT_HALF = 19
};

static sli_string_t from_hex(const char *hex) {
  sli_string_t out = {0};
  for (; *hex; hex += *hex == ' ' ? 1 : 2) {
    unsigned byte;
    if (*hex != ' ' && sscanf(hex, "%2x", &byte) == 1) sli_string_append_char(&out, (char)byte);
  }
  return out;
}

static sli_view_t view_of(const sli_string_t *string) { return sli_view_of(string->data, string->size); }

static void expect_bytes(int line, const sli_string_t *actual, const char *hex) {
  sli_string_t wanted = from_hex(hex), text = {0};
  for (size_t i = 0; i < actual->size; i++) sli_string_append_format(&text, "%02x", (unsigned char)actual->data[i]);
  if (!sli_view_equal(view_of(actual), view_of(&wanted)))
    sli_test_fail(__FILE__, line, "bytes are %s, expected %s", sli_string_text(&text), hex);
  sli_string_deinitialize(&wanted);
  sli_string_deinitialize(&text);
}
#define EXPECT_BYTES(actual, hex) expect_bytes(__LINE__, actual, hex)

SLI_TEST(test_recv_tensor_response_equals_tensorflow) {
  const float values[] = {1, 2};
  sli_string_t out = {0};
  // send_start_micros as in the recorded call.
  uint64_t micros = 0;
  sli_string_t recorded = from_hex("96e382a4e38a9803");
  sli_wire_reader_t reader = sli_wire_reader(view_of(&recorded));
  SLI_EXPECT(sli_wire_read_varint(&reader, &micros));
  sli_tensor_proto_write_response_head(&out, false, (int64_t)micros, DT_FLOAT, (const int64_t[]){2}, 1, sizeof(values));
  sli_string_append(&out, values, sizeof(values));
  EXPECT_BYTES(&out, "18 96e382a4e38a9803 0a12 0801 1204 12020802 2208 0000803f00000040");
  sli_string_clear(&out);
  // A scalar has no shape here.
  sli_tensor_proto_write_response_head(&out, false, 0, DT_INT64, NULL, 0, 8);
  EXPECT_BYTES(&out, "0a0c 0809 2208");
  sli_string_clear(&out);
  sli_tensor_proto_write_dead_response(&out, 1);
  EXPECT_BYTES(&out, "1001 1801 0a0a 0801 1204 12020800 2200");
  sli_string_deinitialize(&out);
  sli_string_deinitialize(&recorded);
}

SLI_TEST(test_tensor_proto_head_equals_tensorflow) {
  sli_string_t out = {0};
  sli_tensor_proto_write_head(&out, DT_STRING, NULL, 0, 5);  // recorded: the scalar "text"
  EXPECT_BYTES(&out, "0807 1200 2205");
  SLI_EXPECT_INT(out.size + 5, sli_tensor_proto_size(DT_STRING, NULL, 0, 5));
  sli_string_clear(&out);
  sli_tensor_proto_write_head(&out, DT_FLOAT, (const int64_t[]){0, 300}, 2, 0);
  EXPECT_BYTES(&out, "0801 1207 1200 120308ac02");
  SLI_EXPECT_INT(out.size, sli_tensor_proto_size(DT_FLOAT, (const int64_t[]){0, 300}, 2, 0));
  sli_string_deinitialize(&out);
}

SLI_TEST(test_decode_reads_shape_and_content) {
  sli_string_t bytes = from_hex("0801 1208 12020804 12020801 2210 4016413ed63d61bf7cc940bf2c901d3f");
  static sli_tensor_proto_view_t view;
  SLI_REQUIRE_OK(sli_tensor_proto_decode(view_of(&bytes), &view));
  SLI_EXPECT_INT(view.dtype, DT_FLOAT);
  SLI_EXPECT_INT(view.rank, 2);
  SLI_EXPECT_INT(view.dims[0], 4);
  SLI_EXPECT_INT(view.dims[1], 1);
  SLI_EXPECT(view.has_content);
  SLI_EXPECT_INT(view.content.size, 16);
  SLI_EXPECT_INT(view.content.data - bytes.data, 14);
  sli_string_deinitialize(&bytes);
  SLI_REQUIRE_OK(sli_tensor_proto_decode(sli_view(""), &view));
  SLI_EXPECT_INT(view.rank, 0);
  SLI_EXPECT(!view.has_content);
  bytes = from_hex("0801 1204 12 00 18 01");
  SLI_REQUIRE_OK(sli_tensor_proto_decode(view_of(&bytes), &view));
  SLI_EXPECT_INT(view.rank, -1);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_typed_values_packed_or_not) {
  sli_string_t bytes = {0};
  static sli_tensor_proto_view_t view;
  sli_wire_write_packed_int64(&bytes, SLI_FIELD_TENSOR_PROTO_INT_VAL, (const int64_t[]){1, -2, 300}, 3);
  sli_wire_write_int(&bytes, SLI_FIELD_TENSOR_PROTO_INT_VAL, -4);
  sli_wire_write_packed_float(&bytes, SLI_FIELD_TENSOR_PROTO_FLOAT_VAL, (const float[]){1.5f, 2.5f}, 2);
  sli_wire_write_float(&bytes, SLI_FIELD_TENSOR_PROTO_FLOAT_VAL, 3.5f);
  sli_wire_write_text(&bytes, SLI_FIELD_TENSOR_PROTO_STRING_VAL, "a");
  sli_wire_write_text(&bytes, SLI_FIELD_TENSOR_PROTO_STRING_VAL, "");
  sli_wire_write_text(&bytes, SLI_FIELD_TENSOR_PROTO_STRING_VAL, "bc");
  sli_wire_write_bytes(&bytes, SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL, "xyz", 3);
  SLI_REQUIRE_OK(sli_tensor_proto_decode(view_of(&bytes), &view));
  SLI_EXPECT_INT(view.counts[SLI_FIELD_TENSOR_PROTO_INT_VAL], 4);
  SLI_EXPECT_INT(view.counts[SLI_FIELD_TENSOR_PROTO_FLOAT_VAL], 3);
  SLI_EXPECT_INT(view.counts[SLI_FIELD_TENSOR_PROTO_STRING_VAL], 3);
  SLI_EXPECT_INT(view.counts[SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL], 3);
  int32_t wide[5] = {0, 0, 0, 0, 77};
  SLI_EXPECT_INT(sli_tensor_proto_copy_values(&view, SLI_FIELD_TENSOR_PROTO_INT_VAL, 4, wide, 5), 4);
  SLI_EXPECT(wide[0] == 1 && wide[1] == -2 && wide[2] == 300 && wide[3] == -4 && wide[4] == 77);
  uint8_t narrow[3] = {0, 0, 9};
  SLI_EXPECT_INT(sli_tensor_proto_copy_values(&view, SLI_FIELD_TENSOR_PROTO_INT_VAL, 1, narrow, 2), 2);
  SLI_EXPECT(narrow[0] == 1 && narrow[1] == 0xfe && narrow[2] == 9);
  float reals[3];
  SLI_EXPECT_INT(sli_tensor_proto_copy_values(&view, SLI_FIELD_TENSOR_PROTO_FLOAT_VAL, 4, reals, 3), 3);
  SLI_EXPECT(reals[0] == 1.5f && reals[1] == 2.5f && reals[2] == 3.5f);
  SLI_EXPECT_INT(sli_tensor_proto_copy_values(&view, SLI_FIELD_TENSOR_PROTO_FLOAT_VAL, 4, reals, 1), 1);
  char small[4] = "";
  SLI_EXPECT_INT(sli_tensor_proto_copy_values(&view, SLI_FIELD_TENSOR_PROTO_FLOAT8_VAL, 1, small, 3), 3);
  SLI_EXPECT_TEXT(small, "xyz");
  sli_tensor_proto_items_t items = sli_tensor_proto_items(&view, SLI_FIELD_TENSOR_PROTO_STRING_VAL);
  sli_view_t item;
  SLI_EXPECT(sli_tensor_proto_next_item(&items, &item) && sli_view_is(item, "a"));
  SLI_EXPECT(sli_tensor_proto_next_item(&items, &item) && item.size == 0);
  SLI_EXPECT(sli_tensor_proto_next_item(&items, &item) && sli_view_is(item, "bc"));
  SLI_EXPECT(!sli_tensor_proto_next_item(&items, &item));
  SLI_EXPECT(!sli_tensor_proto_next_item(&items, &item));
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_decode_rejects_bad_shapes_and_types) {
  static sli_tensor_proto_view_t view;
  sli_string_t bytes = {0};
  size_t shape = sli_wire_open(&bytes, SLI_FIELD_TENSOR_PROTO_TENSOR_SHAPE);
  for (int i = 0; i < SLI_TENSOR_PROTO_MAX_RANK; i++)
    sli_wire_write_bytes(&bytes, SLI_FIELD_TENSOR_SHAPE_PROTO_DIM, "\x08\x01", 2);
  sli_wire_close(&bytes, shape);
  SLI_EXPECT_OK(sli_tensor_proto_decode(view_of(&bytes), &view));
  SLI_EXPECT_INT(view.rank, SLI_TENSOR_PROTO_MAX_RANK);
  sli_string_append(&bytes, "\x12\x02\x12\x00", 4);  // one more, in a second shape
  SLI_EXPECT_STATUS(sli_tensor_proto_decode(view_of(&bytes), &view), SLI_INVALID_ARGUMENT);
  sli_string_deinitialize(&bytes);
  const char *bad[] = {
      "1202 1201",                          // a dimension cut short
      "120d 120b 08 feffffffffffffffff01",  // dimension -2
      "0d01000000",                         // dtype as fixed32
      "1001",                               // shape as varint
      "2001",                               // content as varint
      "2a03 000000",                        // float_val of three bytes
      "3a01 80",                            // int_val cut short
      "4001",                               // string_val as varint
      "9001 01",                            // float8_val as varint
      "1204 12020d01",                      // a dimension's size as half a fixed32
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(bad); i++) {
    bytes = from_hex(bad[i]);
    SLI_EXPECT_STATUS(sli_tensor_proto_decode(view_of(&bytes), &view), SLI_INVALID_ARGUMENT);
    sli_string_deinitialize(&bytes);
  }
}

SLI_TEST(test_value_field_by_dtype) {
  SLI_EXPECT_INT(sli_tensor_proto_value_field(DT_FLOAT), SLI_FIELD_TENSOR_PROTO_FLOAT_VAL);
  SLI_EXPECT_INT(sli_tensor_proto_value_field(DT_UINT8), SLI_FIELD_TENSOR_PROTO_INT_VAL);
  SLI_EXPECT_INT(sli_tensor_proto_value_field(DT_INT32), SLI_FIELD_TENSOR_PROTO_INT_VAL);
  SLI_EXPECT_INT(sli_tensor_proto_value_field(DT_HALF), SLI_FIELD_TENSOR_PROTO_HALF_VAL);
  SLI_EXPECT_INT(sli_tensor_proto_value_field(DT_BOOL), SLI_FIELD_TENSOR_PROTO_BOOL_VAL);
  SLI_EXPECT_INT(sli_tensor_proto_value_field(DT_COMPLEX64), SLI_FIELD_TENSOR_PROTO_SCOMPLEX_VAL);
  SLI_EXPECT_INT(sli_tensor_proto_value_field(INT_MAX), 0);
}

SLI_TEST_MAIN(test_recv_tensor_response_equals_tensorflow, test_tensor_proto_head_equals_tensorflow,
              test_decode_reads_shape_and_content, test_typed_values_packed_or_not,
              test_decode_rejects_bad_shapes_and_types, test_value_field_by_dtype)
