// Lists are changed in place if nothing else refers to them, and only then.
#include "ops/tensor_list/tensor_list.h"

#include "core/tensor/tensor_codec.h"
#include "core/tensor/variant.h"
#include "ops/common/testing.h"

static sli_tensor_t *output_of(const char *op, const sli_attr_entry_t *attrs, size_t attr_count,
                               sli_tensor_t *const *inputs, int input_count, int index) {
  sli_tensor_t *outputs[SLI_TESTING_MAX], *result;
  SLI_CHECK(!sli_testing_run(op, attrs, attr_count, inputs, input_count, outputs));
  result = outputs[index];
  for (int i = 0; i < SLI_TESTING_MAX; i++)
    if (i != index) sli_tensor_release(outputs[i]);
  return result;
}

static sli_tensor_t *rows(int64_t count) {
  const sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("element_dtype", SLI_DTYPE_FLOAT)};
  sli_tensor_t *inputs[] = {sli_testing_range(SLI_SHAPE(count, 2)), sli_tensor_scalar_int32(-1)};
  return output_of("TensorListFromTensor", attrs, 1, inputs, 2, 0);
}

static const sli_tensor_list_t *list_of(const sli_tensor_t *handle) { return SLI_DATA(sli_tensor_list_t *, handle)[0]; }

// Consumes |handle|.
static sli_tensor_t *push(sli_tensor_t *handle) {
  sli_tensor_t *inputs[] = {handle, sli_testing_range(SLI_SHAPE(2))};
  return output_of("TensorListPushBack", NULL, 0, inputs, 2, 0);
}

SLI_TEST(test_a_list_with_one_reference_is_changed_in_place) {
  sli_tensor_t *handle = rows(3);
  const sli_tensor_list_t *before = list_of(handle);
  handle = push(handle);
  SLI_EXPECT(list_of(handle) == before);
  SLI_EXPECT_INT(list_of(handle)->count, 4);
  sli_tensor_release(handle);
}

SLI_TEST(test_a_shared_list_is_copied) {
  sli_tensor_t *handle = rows(3), *pushed = push(sli_tensor_retain(handle));
  SLI_EXPECT(list_of(handle) != list_of(pushed));
  SLI_EXPECT_INT(list_of(handle)->count, 3);
  SLI_EXPECT_INT(list_of(pushed)->count, 4);
  sli_tensor_release(handle);
  // Another tensor with the same object.
  sli_tensor_t *other;
  SLI_REQUIRE_OK(sli_tensor_clone(pushed, &other));
  SLI_EXPECT(list_of(other) == list_of(pushed));
  pushed = push(pushed);
  SLI_EXPECT_INT(list_of(other)->count, 4);
  SLI_EXPECT_INT(list_of(pushed)->count, 5);
  sli_tensor_release(other);
  sli_tensor_release(pushed);
}

// A list of |elements| as a message.
static void encode(sli_tensor_t *handle, sli_string_t *out) {
  sli_slices_t slices = {0};
  sli_tensor_encode(handle, out, &slices);
  SLI_EXPECT_INT(slices.size, 0);
  sli_slices_deinitialize(&slices);
}

SLI_TEST(test_a_received_list_is_decoded_where_it_is_used) {
  sli_tensor_t *handle = rows(3), *received;
  sli_string_t bytes = {0};
  encode(handle, &bytes);
  sli_tensor_release(handle);
  SLI_REQUIRE_OK(sli_tensor_decode(sli_view_of(bytes.data, bytes.size), &received));
  sli_string_deinitialize(&bytes);
  sli_tensor_t *pushed = push(sli_tensor_retain(received));
  SLI_EXPECT_INT(list_of(pushed)->count, 4);
  SLI_EXPECT(SLI_DATA(float, list_of(pushed)->tensors[2])[1] == 5);
  SLI_EXPECT(SLI_DATA(sli_object_t *, received)[0]->type == &sli_variant_encoded_type);
  sli_tensor_release(received);
  sli_tensor_release(pushed);
}

// Every change of a byte gives a list or an error.
SLI_TEST(test_damaged_lists_do_no_harm) {
  sli_tensor_t *handle = rows(2);
  sli_string_t bytes = {0};
  encode(handle, &bytes);
  sli_tensor_release(handle);
  int good = 0, bad = 0;
  for (size_t i = 0; i < bytes.size; i++) {
    for (int flip = 1; flip < 256; flip = flip * 2 + 1) {
      bytes.data[i] = (char)(bytes.data[i] ^ flip);
      sli_tensor_t *received = NULL;
      sli_status_t *status = sli_tensor_decode(sli_view_of(bytes.data, bytes.size), &received);
      bytes.data[i] = (char)(bytes.data[i] ^ flip);
      if (!status && received->dtype == SLI_DTYPE_VARIANT) {
        sli_tensor_t *inputs[] = {received, sli_tensor_scalar_int32(-1)}, *outputs[SLI_TESTING_MAX];
        const sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("element_dtype", SLI_DTYPE_FLOAT)};
        status = sli_testing_run("TensorListStack", attrs, 1, inputs, 2, outputs);
        for (int k = 0; k < SLI_TESTING_MAX; k++) sli_tensor_release(outputs[k]);
      } else {
        sli_tensor_release(received);
      }
      good += status == NULL;
      bad += status != NULL;
      sli_status_release(status);
    }
  }
  SLI_EXPECT(good > 0 && bad > 0);
  sli_string_deinitialize(&bytes);
}

SLI_TEST(test_a_list_cannot_fill_the_memory) {
  const sli_attr_entry_t attrs[] = {SLI_ATTR_TYPE_OF("element_dtype", SLI_DTYPE_FLOAT)};
  sli_tensor_t *inputs[] = {sli_tensor_scalar_int32(-1), sli_tensor_scalar_int32(INT32_MAX)}, *outputs[SLI_TESTING_MAX];
  sli_testing_expect_error(sli_testing_run("TensorListReserve", attrs, 1, inputs, 2, outputs), SLI_RESOURCE_EXHAUSTED,
                           "2147483647 elements");
}

SLI_TEST_MAIN(test_a_list_with_one_reference_is_changed_in_place, test_a_shared_list_is_copied,
              test_a_received_list_is_decoded_where_it_is_used, test_damaged_lists_do_no_harm,
              test_a_list_cannot_fill_the_memory)
