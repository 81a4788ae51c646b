#include "dist/store/store_message.h"

#include "base/test.h"

static void write(const sli_store_exchange_t *from, size_t values, size_t keys, size_t lengths, sli_string_t *out) {
  static const char bytes[1024];
  sli_string_clear(out);
  sli_store_exchange_encode_head(from, values, out);
  if (from->push) sli_string_append(out, bytes, values);
  sli_store_exchange_encode_keys(keys, out);
  sli_string_append(out, bytes, keys);
  if (!lengths) return;
  sli_store_exchange_encode_lengths(lengths, out);
  for (size_t i = 0; i < lengths; i++) sli_string_append_char(out, i % 4 ? 0 : 2);
}

static sli_status_t *decode(const sli_string_t *from, sli_store_exchange_t *out) {
  return sli_store_exchange_decode(sli_view_of(from->data, from->size), out);
}

static void test_round_trip(void) {
  sli_string_t bytes = {0};
  sli_store_exchange_t from = {.table = sli_view("t"),
                               .dtype = SLI_DTYPE_FLOAT,
                               .client = 5,
                               .sequence = 6,
                               .update = SLI_STORE_UPDATE_SUM,
                               .push = true,
                               .pull = true},
                       to;
  write(&from, 24, 24, 12, &bytes);
  SLI_EXPECT_OK(decode(&bytes, &to));
  SLI_EXPECT(to.client == 5 && to.sequence == 6 && to.update == SLI_STORE_UPDATE_SUM && to.push && to.pull);
  SLI_EXPECT(to.count == 3 && sli_store_exchange_length(&to, 2) == 2 && to.values_bytes == 24);
  for (size_t size = 0; size < bytes.size; size++) {
    sli_status_t *status = sli_store_exchange_decode(sli_view_of(bytes.data, size), &to);
    SLI_EXPECT(status != NULL);
    sli_status_release(status);
  }
  sli_string_deinitialize(&bytes);
}

static void test_hostile_sizes(void) {
  sli_string_t bytes = {0};
  sli_store_exchange_t from = {.table = sli_view("t"), .dtype = SLI_DTYPE_FLOAT, .push = true, .length = 1}, to;
  write(&from, 8, 16, 0, &bytes);
  SLI_EXPECT_OK(decode(&bytes, &to));
  write(&from, 12, 16, 0, &bytes);  // values for three keys
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  write(&from, 8, 17, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  write(&from, 8, 0, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  write(&from, 8, 16, 4, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  from.push = false;
  from.pull = true;
  from.length = UINT32_MAX;  // a reply of many gigabytes
  write(&from, 0, 16, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  from.length = 0;
  write(&from, 0, 16, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  from.length = 1;
  from.pull = false;
  write(&from, 0, 16, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  from.pull = true;
  from.dtype = SLI_DTYPE_STRING;
  write(&from, 0, 16, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  from.dtype = SLI_DTYPE_FLOAT;
  from.update = 77;
  write(&from, 0, 16, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  sli_string_deinitialize(&bytes);
}

// Keys and values in reserved memory, which may be too small for what the message says.
static void test_reserved_memory(void) {
  int64_t bytes_of_memory = 2 * sizeof(float) + 2 * sizeof(uint64_t);
  sli_tensor_t *memory;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_UINT8, &bytes_of_memory, 1, &memory));
  sli_string_t bytes = {0};
  sli_store_exchange_t from = {.table = sli_view("t"), .dtype = SLI_DTYPE_FLOAT, .push = true, .length = 1}, to;
  from.space = 7;
  for (from.count = 0; from.count <= 4; from.count++) {
    sli_string_clear(&bytes);
    sli_store_exchange_encode_head(&from, 0, &bytes);
    sli_status_t *status = decode(&bytes, &to);
    if (!status) status = sli_store_exchange_set_memory(&to, memory);
    bool fits = from.count == 1 || from.count == 2;
    SLI_EXPECT_INT(sli_status_code(status), fits ? 0 : SLI_INVALID_ARGUMENT);
    sli_status_release(status);
    SLI_EXPECT(!fits || (to.push && to.space == 7 && to.values.size == from.count * sizeof(float)));
  }
  from.count = (size_t)1 << 40;
  sli_string_clear(&bytes);
  sli_store_exchange_encode_head(&from, 0, &bytes);
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  from.count = 2;
  write(&from, 8, 16, 0, &bytes);  // in the message too
  SLI_EXPECT_STATUS(decode(&bytes, &to), SLI_INVALID_ARGUMENT);
  uint64_t space;
  sli_view_t view;
  sli_string_clear(&bytes);
  sli_store_reserve_encode_head(9, 3, &bytes);
  sli_string_append(&bytes, "abc", 3);
  SLI_EXPECT_OK(sli_store_reserve_decode(sli_view_of(bytes.data, bytes.size), &space, &view));
  SLI_EXPECT(space == 9 && sli_view_is(view, "abc"));
  SLI_EXPECT_STATUS(sli_store_reserve_decode(sli_view_of(bytes.data, bytes.size - 1), &space, &view),
                    SLI_INVALID_ARGUMENT);
  SLI_EXPECT_OK(sli_store_reserve_decode(sli_view(""), &space, &view));
  SLI_EXPECT(space == 0);
  sli_string_deinitialize(&bytes);
  sli_tensor_release(memory);
}

SLI_TEST_MAIN(test_round_trip, test_hostile_sizes, test_reserved_memory)
