// The wire reader and writer: boundaries, round trips, hostile bytes.
#include "proto/wire.h"

#include "base/array.h"
#include "base/test.h"

#define BYTES(...) sli_view_of((const char[]){__VA_ARGS__}, sizeof((const char[]){__VA_ARGS__}))

static const uint64_t edges[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_MAX};

SLI_TEST(test_varint_round_trips_with_announced_size) {
  for (int shift = 0; shift < 64; shift++)
    for (int delta = -1; delta <= 1; delta++) {
      uint64_t value = (UINT64_C(1) << shift) + (uint64_t)(int64_t)delta, read;
      sli_string_t out = {0};
      sli_wire_write_varint(&out, value);
      SLI_EXPECT_INT(out.size, sli_wire_varint_size(value));
      sli_wire_reader_t reader = sli_wire_reader(sli_view_of(out.data, out.size));
      SLI_EXPECT(sli_wire_read_varint(&reader, &read) && read == value);
      SLI_EXPECT(reader.next == reader.end);
      sli_string_deinitialize(&out);
    }
}

SLI_TEST(test_varint_of_eleven_bytes_is_malformed) {
  char bytes[11];
  memset(bytes, 0x80, sizeof(bytes));
  bytes[10] = 1;
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(bytes, sizeof(bytes)));
  uint64_t value;
  SLI_EXPECT(!sli_wire_read_varint(&reader, &value) && reader.malformed);
  sli_wire_field_t field;
  SLI_EXPECT(!sli_wire_next(&reader, &field));
}

SLI_TEST(test_fields_round_trip) {
  sli_string_t out = {0};
  sli_wire_write_int(&out, 1, -1);
  sli_wire_write_fixed32(&out, 2, 0xdeadbeef);
  sli_wire_write_fixed64(&out, SLI_WIRE_MAX_NUMBER, UINT64_MAX - 1);
  sli_wire_write_text(&out, 16, "text");
  sli_wire_write_float(&out, 5, 1.5f);
  sli_wire_write_double(&out, 6, -2.25);
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(out.data, out.size));
  sli_wire_field_t field;
  SLI_EXPECT(sli_wire_next(&reader, &field) && field.number == 1 && (int64_t)field.value == -1);
  SLI_EXPECT_INT(field.encoded.size, 10);
  SLI_EXPECT(sli_wire_next(&reader, &field) && field.type == SLI_WIRE_FIXED32 && field.value == 0xdeadbeef);
  SLI_EXPECT(sli_wire_next(&reader, &field) && field.number == SLI_WIRE_MAX_NUMBER && field.value == UINT64_MAX - 1);
  SLI_EXPECT(sli_wire_next(&reader, &field) && field.number == 16 && sli_view_is(field.bytes, "text"));
  SLI_EXPECT_INT(field.encoded.size, 5);
  SLI_EXPECT(sli_wire_next(&reader, &field) && sli_wire_float(field.value) == 1.5f);
  SLI_EXPECT(sli_wire_next(&reader, &field) && sli_wire_double(field.value) == -2.25);
  SLI_EXPECT(!sli_wire_next(&reader, &field) && !reader.malformed);
  sli_string_deinitialize(&out);
}

SLI_TEST(test_bad_fields_are_malformed) {
  const sli_view_t bad[] = {
      BYTES(0x08),                                              // no value
      BYTES(0x80),                                              // half a tag
      BYTES(0x00, 0x00),                                        // field number 0
      BYTES(0x80, 0x80, 0x80, 0x80, 0x10, 0x00),                // field number 2^29
      BYTES(0x0b, 0x0c),                                        // a group
      BYTES(0x0e, 0x00),                                        // wire type 6
      BYTES(0x0a, 0x02, 'a'),                                   // a length past the end
      BYTES(0x0d, 1, 2, 3),                                     // half a fixed32
      BYTES(0x09, 1, 2, 3, 4, 5, 6, 7),                         // half a fixed64
      BYTES(0x0a, -1, -1, -1, -1, -1, -1, -1, -1, -1, 1, 'a'),  // a length of 2^64 - 1
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(bad); i++) {
    sli_wire_reader_t reader = sli_wire_reader(bad[i]);
    sli_wire_field_t field;
    if (sli_wire_next(&reader, &field) || !reader.malformed)
      sli_test_fail(__FILE__, __LINE__, "case %zu was accepted", i);
  }
}

SLI_TEST(test_nested_lengths_grow_as_needed) {
  for (size_t size = 0; size < 40000; size = size * 2 + 1) {
    sli_string_t out = {0};
    size_t outer = sli_wire_open(&out, 1), inner = sli_wire_open(&out, 2);
    memset(sli_string_extend(&out, size), 'x', size);
    sli_wire_close(&out, inner);
    sli_wire_write_uint(&out, 3, 7);
    sli_wire_close(&out, outer);
    SLI_EXPECT_INT(out.size, sli_wire_bytes_size(1, sli_wire_bytes_size(2, size) + 2));
    sli_wire_reader_t reader = sli_wire_reader(sli_view_of(out.data, out.size));
    sli_wire_field_t field;
    SLI_REQUIRE(sli_wire_next(&reader, &field) && field.number == 1 && reader.next == reader.end);
    reader = sli_wire_reader(field.bytes);
    SLI_EXPECT(sli_wire_next(&reader, &field) && field.number == 2 && field.bytes.size == size);
    SLI_EXPECT(size == 0 || field.bytes.data[size - 1] == 'x');
    SLI_EXPECT(sli_wire_next(&reader, &field) && field.number == 3 && field.value == 7);
    sli_string_deinitialize(&out);
  }
}

SLI_TEST(test_packed_values_read_back) {
  sli_string_t out = {0};
  sli_wire_write_packed_int64(&out, 1, (const int64_t *)edges, SLI_ARRAY_COUNT_OF(edges));
  sli_wire_write_packed_float(&out, 2, (const float[]){1, 2, 3}, 3);
  sli_wire_write_packed_double(&out, 3, (const double[]){4}, 1);
  sli_wire_write_packed_double(&out, 4, NULL, 0);
  sli_wire_write_uint(&out, 1, 99);  // the same field, not packed
  sli_wire_reader_t reader = sli_wire_reader(sli_view_of(out.data, out.size));
  sli_wire_field_t field;
  sli_wire_values_t values;
  uint64_t bits;
  size_t count;
  SLI_REQUIRE(sli_wire_next(&reader, &field) && sli_wire_values_begin(&field, SLI_WIRE_VARINT, &values));
  SLI_EXPECT(sli_wire_values_count(&field, SLI_WIRE_VARINT, &count) && count == SLI_ARRAY_COUNT_OF(edges));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(edges); i++)
    SLI_EXPECT(sli_wire_values_next(&values, &bits) && bits == edges[i]);
  SLI_EXPECT(!sli_wire_values_next(&values, &bits) && !values.reader.malformed);
  SLI_REQUIRE(sli_wire_next(&reader, &field) && sli_wire_values_begin(&field, SLI_WIRE_FIXED32, &values));
  for (int i = 1; i <= 3; i++) SLI_EXPECT(sli_wire_values_next(&values, &bits) && sli_wire_float(bits) == (float)i);
  SLI_EXPECT(sli_wire_values_count(&field, SLI_WIRE_FIXED32, &count) && count == 3);
  SLI_EXPECT(!sli_wire_values_count(&field, SLI_WIRE_FIXED64, &count));
  SLI_REQUIRE(sli_wire_next(&reader, &field) && field.number == 3);
  SLI_REQUIRE(sli_wire_next(&reader, &field) && sli_wire_values_begin(&field, SLI_WIRE_VARINT, &values));
  SLI_EXPECT(!sli_wire_values_begin(&field, SLI_WIRE_FIXED32, &values));
  SLI_EXPECT(sli_wire_values_begin(&field, SLI_WIRE_VARINT, &values));
  SLI_EXPECT(sli_wire_values_next(&values, &bits) && bits == 99 && !sli_wire_values_next(&values, &bits));
  sli_string_deinitialize(&out);
}

SLI_TEST(test_packed_varints_are_counted_only_if_complete) {
  sli_wire_field_t field = {.type = SLI_WIRE_BYTES, .bytes = BYTES(0x01, 0x80, 0x01, 0x80)};
  size_t count;
  SLI_EXPECT(!sli_wire_values_count(&field, SLI_WIRE_VARINT, &count));
  char eleven[11];
  memset(eleven, 0x80, sizeof(eleven));
  eleven[10] = 0;
  field.bytes = sli_view_of(eleven, sizeof(eleven));
  SLI_EXPECT(!sli_wire_values_count(&field, SLI_WIRE_VARINT, &count));
  field.bytes = sli_view_of(eleven + 1, 10);
  SLI_EXPECT(sli_wire_values_count(&field, SLI_WIRE_VARINT, &count) && count == 1);
}

SLI_TEST_MAIN(test_varint_round_trips_with_announced_size, test_varint_of_eleven_bytes_is_malformed,
              test_fields_round_trip, test_bad_fields_are_malformed, test_nested_lengths_grow_as_needed,
              test_packed_values_read_back, test_packed_varints_are_counted_only_if_complete)
