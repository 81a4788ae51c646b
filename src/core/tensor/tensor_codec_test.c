#include "core/tensor/tensor_codec.h"

#include <dirent.h>

#include "base/alloc.h"
#include "base/test.h"
#include "core/state/resource.h"
#include "core/tensor/variant.h"
#include "proto/tensor_proto.h"
#include "proto/wire.h"

static void append_hex(sli_string_t *out, const char *hex) {
  for (; hex[0] && hex[1]; hex += 2) {
    unsigned byte = 0;
    sscanf(hex, "%2x", &byte);
    sli_string_append_char(out, (char)byte);
  }
}

static sli_view_t view_of(const sli_string_t *string) { return sli_view_of(string->data, string->size); }

static sli_status_t *decode_hex(const char *hex, sli_tensor_t **out_tensor) {
  sli_string_t bytes = {0};
  append_hex(&bytes, hex);
  sli_status_t *status = sli_tensor_decode(view_of(&bytes), out_tensor);
  sli_string_deinitialize(&bytes);
  return status;
}

static bool elements_equal(const sli_tensor_t *a, const sli_tensor_t *b) {
  if (a->dtype != b->dtype || !sli_tensor_same_shape(a, b)) return false;
  if (a->dtype == SLI_DTYPE_STRING) {
    for (int64_t i = 0; i < a->count; i++)
      if (!sli_view_equal(sli_tstring_view(&SLI_DATA(sli_tstring_t, a)[i]),
                          sli_tstring_view(&SLI_DATA(sli_tstring_t, b)[i])))
        return false;
    return true;
  }
  return a->count == 0 || memcmp(a->data, b->data, sli_tensor_bytes(a)) == 0;
}

// Encodes, by slices and flat, and decodes again.
static void expect_round_trip(sli_tensor_t *tensor) {
  sli_string_t head = {0}, flat = {0};
  sli_slices_t slices = {0};
  sli_tensor_t *decoded = NULL;
  size_t size = sli_tensor_encoded_size(tensor);
  sli_tensor_encode(tensor, &head, &slices);
  sli_slices_append_string(&slices, &head);
  SLI_EXPECT_INT(slices.size, size);
  char *bytes = malloc(slices.size + 1);
  sli_slices_copy(&slices, bytes);
  SLI_EXPECT_OK(sli_tensor_decode(sli_view_of(bytes, slices.size), &decoded));
  SLI_EXPECT(decoded && elements_equal(tensor, decoded));
  sli_tensor_release(decoded);
  sli_slices_deinitialize(&slices);
  free(bytes);
  sli_tensor_encode_flat(tensor, &flat);
  SLI_EXPECT_OK(sli_tensor_decode(view_of(&flat), &decoded));
  SLI_EXPECT(decoded && elements_equal(tensor, decoded));
  sli_tensor_release(decoded);
  sli_string_deinitialize(&flat);
  SLI_EXPECT(sli_tensor_is_exclusive(tensor));
}

// Shape [4] with two typed values each, and the values that TensorFlow decodes: the last one is repeated.
static const struct {
  const char *name, *proto, *elements;
} typed[] = {
    // clang-format off
    {"float", "08011204120208042a080000c03f000010c0",
     "0000c03f000010c0000010c0000010c0"},
    {"double", "08021204120208043210000000000000f83f00000000000002c0",
     "000000000000f83f00000000000002c000000000000002c000000000000002c0"},
    {"int32", "08031204120208043a0b07f8ffffffffffffffff01",
     "07000000f8fffffff8fffffff8ffffff"},
    {"uint8", "08041204120208043a0307fa01",
     "07fafafa"},
    {"int16", "08051204120208043a0b07f8ffffffffffffffff01",
     "0700f8fff8fff8ff"},
    {"int8", "08061204120208043a0b07f8ffffffffffffffff01",
     "07f8f8f8"},
    {"complex64", "08081204120208044a100000c03f00000040000040c000008040",
     "0000c03f00000040000040c000008040000040c000008040000040c000008040"},
    {"int64", "0809120412020804520b07f8ffffffffffffffff01",
     "0700000000000000f8fffffffffffffff8fffffffffffffff8ffffffffffffff"},
    {"bool", "080a1204120208045a020100",
     "01000000"},
    {"qint8", "080b1204120208043a0b07f8ffffffffffffffff01",
     "07f8f8f8"},
    {"quint8", "080c1204120208043a0307fa01",
     "07fafafa"},
    {"qint32", "080d1204120208043a0b07f8ffffffffffffffff01",
     "07000000f8fffffff8fffffff8ffffff"},
    {"bfloat16", "080e1204120208046a05c07f908003",
     "c03f10c010c010c0"},
    {"qint16", "080f1204120208043a0b07f8ffffffffffffffff01",
     "0700f8fff8fff8ff"},
    {"quint16", "08101204120208043a0407e8fb03",
     "0700e8fde8fde8fd"},
    {"uint16", "08111204120208043a0407e8fb03",
     "0700e8fde8fde8fd"},
    {"complex128", "08121204120208046220000000000000f83f000000000000004000000000000008c00000000000001040",
     "000000000000f83f000000000000004000000000000008c00000000000001040"
     "00000000000008c0000000000000104000000000000008c00000000000001040"},
    {"half", "08131204120208046a05807c808103",
     "003e80c080c080c0"},
    {"uint32", "08161204120208048201060780d0acf30e",
     "0700000000286bee00286bee00286bee"},
    {"uint64", "08171204120208048a010b07fdffffffffffffffff01",
     "0700000000000000fdfffffffffffffffdfffffffffffffffdffffffffffffff"},
    // clang-format on
};

SLI_TEST(test_typed_fields_decode_as_in_tensorflow) {
  for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
    sli_tensor_t *tensor;
    SLI_REQUIRE_OK(decode_hex(typed[i].proto, &tensor));
    sli_string_t wanted = {0};
    append_hex(&wanted, typed[i].elements);
    SLI_EXPECT_TEXT(sli_dtype_name((sli_dtype_t)tensor->dtype), typed[i].name);
    SLI_EXPECT_INT(tensor->count, 4);
    SLI_EXPECT_INT(sli_tensor_bytes(tensor), wanted.size);
    if (memcmp(tensor->data, wanted.data, wanted.size) != 0)
      sli_test_fail(__FILE__, __LINE__, "%s: other elements than TensorFlow's", typed[i].name);
    expect_round_trip(tensor);
    sli_tensor_release(tensor);
    sli_string_deinitialize(&wanted);
  }
}

static bool string_is(const sli_tensor_t *tensor, int64_t index, const char *text) {
  return sli_view_is(sli_tstring_view(&SLI_DATA(sli_tstring_t, tensor)[index]), text);
}

SLI_TEST(test_strings_decode_from_both_fields) {
  sli_tensor_t *tensor;
  SLI_REQUIRE_OK(decode_hex("080712041202080342026162421963636363636363636363636363636363636363636363636363", &tensor));
  SLI_EXPECT(string_is(tensor, 0, "ab") && string_is(tensor, 1, "ccccccccccccccccccccccccc"));
  SLI_EXPECT(string_is(tensor, 2, "ccccccccccccccccccccccccc"));
  expect_round_trip(tensor);
  sli_tensor_release(tensor);
  // ["ab", "", "xyz"] as TensorFlow's client feeds it.
  SLI_REQUIRE_OK(
      decode_hex("0807120412020803"
                 "2208"
                 "020003616278797a",
                 &tensor));
  SLI_EXPECT(string_is(tensor, 0, "ab") && string_is(tensor, 1, "") && string_is(tensor, 2, "xyz"));
  sli_string_t head = {0};
  sli_slices_t slices = {0};
  sli_tensor_encode(tensor, &head, &slices);
  sli_string_t wanted = {0};
  append_hex(&wanted,
             "0807120412020803"
             "2208"
             "020003616278797a");
  SLI_EXPECT(sli_view_equal(view_of(&head), view_of(&wanted)));
  sli_string_deinitialize(&wanted);
  sli_string_deinitialize(&head);
  sli_tensor_release(tensor);
}

SLI_TEST(test_no_values_mean_zeros_and_empty_strings) {
  sli_tensor_t *tensor;
  SLI_REQUIRE_OK(decode_hex("0801120412020803", &tensor));
  for (int i = 0; i < 3; i++) SLI_EXPECT_NEAR(SLI_DATA(float, tensor)[i], 0, 0);
  sli_tensor_release(tensor);
  SLI_REQUIRE_OK(decode_hex("0807120412020803", &tensor));
  SLI_EXPECT(string_is(tensor, 2, ""));
  sli_tensor_release(tensor);
  SLI_REQUIRE_OK(decode_hex("0801", &tensor));
  SLI_EXPECT_INT(tensor->rank, 0);
  SLI_EXPECT_INT(tensor->count, 1);
  sli_tensor_release(tensor);
}

// Python writes one empty string for tf.zeros([0], tf.string).
SLI_TEST(test_values_without_elements_are_ignored) {
  static const char *const tensors[] = {"0807120212004200", "0801120212002d0000803f"};
  for (size_t i = 0; i < 2; i++) {
    sli_tensor_t *tensor = NULL;
    SLI_EXPECT_OK(decode_hex(tensors[i], &tensor));
    SLI_EXPECT(tensor && tensor->rank == 1 && tensor->count == 0);
    sli_tensor_release(tensor);
  }
}

SLI_TEST(test_bools_of_a_peer_become_zero_or_one) {
  sli_tensor_t *tensor;
  SLI_REQUIRE_OK(
      decode_hex("080a120412020803"
                 "2203"
                 "000205",
                 &tensor));
  SLI_EXPECT(memcmp(tensor->data, "\0\1\1", 3) == 0);
  sli_tensor_release(tensor);
}

SLI_TEST(test_malformed_tensors_are_refused) {
  static const struct {
    const char *what, *hex;
    sli_code_t code;
  } bad[] = {
      {"nothing", "", SLI_INVALID_ARGUMENT},
      {"cut", "08011204120208", SLI_INVALID_ARGUMENT},
      {"unknown type", "0863", SLI_INVALID_ARGUMENT},
      {"reference type", "0865", SLI_INVALID_ARGUMENT},
      {"malformed variant", "08157a020aff", SLI_INVALID_ARGUMENT},
      {"variant of a wrong field type", "08157a020801", SLI_INVALID_ARGUMENT},
      {"variant with a malformed tensor", "08157a041a020863", SLI_INVALID_ARGUMENT},
      {"variant content cut", "0815220105", SLI_INVALID_ARGUMENT},
      {"more variants than bytes", "0815120a120808ffffffffffff1f220100", SLI_INVALID_ARGUMENT},
      {"unknown rank", "080112021801", SLI_INVALID_ARGUMENT},
      {"unknown dimension", "0801120d120b08ffffffffffffffffff01", SLI_INVALID_ARGUMENT},
      {"content too short", "0801120412020802220400000000", SLI_INVALID_ARGUMENT},
      {"content too long", "080112041202080122080000000000000000", SLI_INVALID_ARGUMENT},
      {"too many values", "08011204120208012a080000c03f000010c0", SLI_INVALID_ARGUMENT},
      {"too many strings", "080742016142016212041202080142016342016442", SLI_INVALID_ARGUMENT},
      {"string lengths cut", "0807120412020803220102", SLI_INVALID_ARGUMENT},
      {"string lengths too long",
       "0807120412020801220205"
       "61",
       SLI_INVALID_ARGUMENT},
      {"string bytes left over",
       "080712041202080122030161"
       "62",
       SLI_INVALID_ARGUMENT},
      {"string lengths that overflow",
       "08071204120208022214"
       "ffffffffffffffffff01"
       "ffffffffffffffffff01",
       SLI_INVALID_ARGUMENT},
      {"more strings than bytes", "0807120a120808ffffffffffff1f220102", SLI_INVALID_ARGUMENT},
      {"count overflow",
       "08011218"
       "120a08808080808080808040"
       "120a08808080808080808040",
       SLI_INVALID_ARGUMENT},
      {"huge fill",
       "0801120a12080880808080808040"
       "2a0400000000",
       SLI_RESOURCE_EXHAUSTED},
      {"malformed handle",
       "0814"
       "7202"
       "0aff",
       SLI_INVALID_ARGUMENT},
      {"handle in content",
       "0814"
       "2201"
       "00",
       SLI_INVALID_ARGUMENT},
  };
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    sli_tensor_t *tensor = NULL;
    sli_status_t *status = decode_hex(bad[i].hex, &tensor);
    if (sli_status_code(status) != bad[i].code || tensor)
      sli_test_fail(__FILE__, __LINE__, "%s: %s %s", bad[i].what, sli_code_name(sli_status_code(status)),
                    sli_status_message(status));
    sli_status_release(status);
    sli_tensor_release(tensor);
  }
}

// A list of two strings as TensorFlow serializes it; what is not known here leaves as it came.
SLI_TEST(test_variants_stay_encoded) {
  static const char hex[] =
      "081512002239380a1674656e736f72666c6f773a3a54656e736f724c697374120c0007ffffffffffffffffff011a0708071200420161"
      "1a0708071200420162";
  sli_tensor_t *tensor;
  sli_string_t want = {0}, got = {0};
  sli_slices_t slices = {0};
  append_hex(&want, hex);
  SLI_REQUIRE_OK(decode_hex(hex, &tensor));
  const sli_object_t *object = SLI_DATA(sli_object_t *, tensor)[0];
  SLI_REQUIRE(object && object->type == &sli_variant_encoded_type);
  SLI_EXPECT_TEXT(sli_variant_type_name(object), "tensorflow::TensorList");
  SLI_EXPECT_INT(((const sli_variant_encoded_t *)object)->data.tensors.count, 2);
  SLI_EXPECT_INT(sli_tensor_encoded_size(tensor), want.size);
  sli_tensor_encode(tensor, &got, &slices);
  SLI_EXPECT(slices.size == 0 && sli_view_equal(view_of(&want), view_of(&got)));
  sli_slices_deinitialize(&slices);
  sli_string_deinitialize(&want);
  sli_string_deinitialize(&got);
  sli_tensor_release(tensor);
}

// A variant that holds a tensor that holds a variant, and so on.
SLI_TEST(test_deeply_nested_variants_are_refused) {
  sli_string_t bytes = {0};
  append_hex(&bytes, "0815");
  for (int depth = 0; depth < 3; depth++) {
    for (int i = 0; i < (depth ? 1000 : 5); i++) {
      sli_string_t outer = {0};
      append_hex(&outer, "0815");
      size_t variant = sli_wire_open(&outer, SLI_FIELD_TENSOR_PROTO_VARIANT_VAL);
      size_t inner = sli_wire_open(&outer, SLI_FIELD_VARIANT_TENSOR_DATA_PROTO_TENSORS);
      sli_string_append(&outer, bytes.data, bytes.size);
      sli_wire_close(&outer, inner);
      sli_wire_close(&outer, variant);
      sli_string_deinitialize(&bytes);
      bytes = outer;
    }
    sli_tensor_t *tensor = NULL;
    sli_status_t *status = sli_tensor_decode(view_of(&bytes), &tensor);
    SLI_EXPECT((sli_status_code(status) == SLI_OK) == (depth == 0));
    sli_status_release(status);
    sli_tensor_release(tensor);
  }
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_one_long_string_cannot_fill_the_memory) {
  sli_string_t bytes = {0};
  append_hex(&bytes,
             "0807"
             "1207"
             "1205"
             "08"
             "80808001");  // shape [2097152]
  char text[1000] = {0};
  sli_wire_write_bytes(&bytes, SLI_FIELD_TENSOR_PROTO_STRING_VAL, text, sizeof(text));
  sli_tensor_t *tensor;
  SLI_EXPECT_STATUS(sli_tensor_decode(view_of(&bytes), &tensor), SLI_RESOURCE_EXHAUSTED);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_large_tensors_travel_by_reference) {
  sli_tensor_t *tensor;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, SLI_SHAPE(100, 50).dims, 2, &tensor));
  for (int i = 0; i < 5000; i++) SLI_DATA(float, tensor)[i] = (float)i;
  sli_string_t head = {0};
  sli_slices_t slices = {0};
  sli_string_append_text(&head, "before");
  sli_tensor_encode(tensor, &head, &slices);
  SLI_EXPECT_INT(head.size, 0);
  SLI_REQUIRE(slices.count == 2);
  SLI_EXPECT(memcmp(slices.items[0].data, "before", 6) == 0);
  SLI_EXPECT(slices.items[1].data == tensor->data);
  SLI_EXPECT(!sli_tensor_is_exclusive(tensor));
  sli_slices_deinitialize(&slices);
  expect_round_trip(tensor);
  sli_tensor_release(tensor);
}

static void count_call(void *context) { ++*(int *)context; }

// Puts the proto of a float tensor so that its content starts |shift| bytes after a 64-byte boundary.
static void expect_shared(size_t shift, bool wanted) {
  sli_string_t head = {0};
  const int64_t dim = 32;
  sli_tensor_proto_write_head(&head, SLI_DTYPE_FLOAT, &dim, 1, 128);
  char *block = aligned_alloc(64, 512), *start = block + 64 + shift - head.size;
  memset(block, 0, 512);
  memcpy(start, head.data, head.size);
  int released = 0;
  bool is_shared;
  sli_tensor_t *tensor;
  SLI_EXPECT_OK(sli_tensor_decode_shared(sli_view_of(start, head.size + 128), SLI_LEND_OWNED, count_call, &released,
                                         &is_shared, &tensor));
  SLI_EXPECT_INT(is_shared, wanted);
  SLI_EXPECT((tensor->data == start + head.size) == wanted);
  SLI_EXPECT_INT(released, 0);
  sli_tensor_release(tensor);
  SLI_EXPECT_INT(released, wanted);
  free(block);
  sli_string_deinitialize(&head);
}

SLI_TEST(test_aligned_content_is_shared) {
  expect_shared(0, true);
  expect_shared(8, false);
}

SLI_TEST(test_resource_handles_keep_their_names) {
  sli_tensor_t *tensor, *decoded;
  SLI_REQUIRE_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_RESOURCE, SLI_SHAPE(2).dims, 1, &tensor));
  sli_resource_handle_t *handle = sli_resource_handle_create("/job:ps/replica:0/task:0/device:CPU:0", sli_view("box"),
                                                             sli_view("w"), &sli_resource_handle_type, NULL);
  handle->dtype = SLI_DTYPE_INT64;
  SLI_DATA(sli_object_t *, tensor)[1] = &handle->base;
  sli_string_t flat = {0}, head = {0};
  sli_slices_t slices = {0};
  sli_tensor_encode_flat(tensor, &flat);
  sli_tensor_encode(tensor, &head, &slices);
  SLI_EXPECT(sli_view_equal(view_of(&flat), view_of(&head)));
  SLI_EXPECT_INT(sli_tensor_encoded_size(tensor), flat.size);
  SLI_REQUIRE_OK(sli_tensor_decode(view_of(&flat), &decoded));
  const sli_resource_handle_t *empty = SLI_DATA(sli_resource_handle_t *, decoded)[0];
  const sli_resource_handle_t *copy = SLI_DATA(sli_resource_handle_t *, decoded)[1];
  SLI_EXPECT_TEXT(empty->name, "");
  SLI_EXPECT_TEXT(copy->device, handle->device);
  SLI_EXPECT_TEXT(copy->container, "box");
  SLI_EXPECT_TEXT(copy->name, "w");
  SLI_EXPECT_TEXT(copy->type_name, handle->type_name);
  SLI_EXPECT(copy->hash_code == handle->hash_code);
  SLI_EXPECT_INT(copy->dtype, SLI_DTYPE_INT64);
  sli_tensor_release(decoded);
  sli_tensor_release(tensor);
  sli_string_deinitialize(&flat);
  sli_string_deinitialize(&head);
}

// Frees |path|. NULL if there is no such file.
static char *read_whole(char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  free(path);
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *data = malloc((size_t)size + 1);
  *out_size = fread(data, 1, (size_t)size, file);
  data[*out_size] = '\0';
  fclose(file);
  return data;
}

// All tensors that a case's manifest names; returns how many.
static int check_case(const char *directory) {
  size_t size = 0, manifest_size;
  char *tensors = read_whole(sli_format("%s/tensors.bin", directory), &size);
  char *manifest = read_whole(sli_format("%s/manifest.txt", directory), &manifest_size);
  int checked = 0;
  char *rest = NULL;
  for (char *line = manifest ? strtok_r(manifest, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
    char name[512];
    size_t offset, length;
    if (sscanf(line, "feed %511s %zu %zu", name, &offset, &length) != 3 &&
        sscanf(line, "fetch %511s %zu %zu", name, &offset, &length) != 3)
      continue;
    sli_tensor_t *tensor = NULL;
    sli_status_t *status = offset <= size && length <= size - offset
                               ? sli_tensor_decode(sli_view_of(tensors + offset, length), &tensor)
                               : sli_status_make(SLI_OUT_OF_RANGE, "no such bytes");
    if (status) {
      sli_test_fail(__FILE__, __LINE__, "%s %s: %s", directory, name, sli_status_message(status));
      sli_status_release(status);
      continue;
    }
    expect_round_trip(tensor);
    sli_tensor_release(tensor);
    checked++;
  }
  free(tensors);
  free(manifest);
  return checked;
}

SLI_TEST(test_tensors_of_golden_cases_round_trip) {
  char *path = sli_format("%s/cases", sli_test_golden_dir());
  DIR *directory = opendir(path);
  free(path);
  SLI_REQUIRE(directory);
  int checked = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    path = sli_format("%s/cases/%s", sli_test_golden_dir(), entry->d_name);
    checked += check_case(path);
    free(path);
  }
  closedir(directory);
  SLI_EXPECT(checked > 100);
}

// Every prefix of real messages, and every single changed byte, gives a status or a tensor, never a crash.
SLI_TEST(test_damaged_bytes_do_no_harm) {
  for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
    sli_string_t bytes = {0};
    append_hex(&bytes, typed[i].proto);
    for (size_t at = 0; at < bytes.size; at++) {
      sli_tensor_t *tensor = NULL;
      sli_status_release(sli_tensor_decode(sli_view_of(bytes.data, at), &tensor));
      sli_tensor_release(tensor);
      for (int bit = 0; bit < 8; bit++) {
        bytes.data[at] ^= (char)(1 << bit);
        sli_status_release(sli_tensor_decode(view_of(&bytes), &tensor));
        sli_tensor_release(tensor);
        bytes.data[at] ^= (char)(1 << bit);
      }
    }
    sli_string_deinitialize(&bytes);
  }
}

SLI_TEST_MAIN(test_typed_fields_decode_as_in_tensorflow, test_strings_decode_from_both_fields,
              test_no_values_mean_zeros_and_empty_strings, test_values_without_elements_are_ignored,
              test_bools_of_a_peer_become_zero_or_one, test_malformed_tensors_are_refused, test_variants_stay_encoded,
              test_deeply_nested_variants_are_refused, test_one_long_string_cannot_fill_the_memory,
              test_large_tensors_travel_by_reference, test_aligned_content_is_shared,
              test_resource_handles_keep_their_names, test_tensors_of_golden_cases_round_trip,
              test_damaged_bytes_do_no_harm)
