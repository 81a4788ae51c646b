// Random ops as nodes: seeds, streams that go on, TensorFlow's values.
#include "base/test.h"
#include "math/testing.h"

static sli_tensor_t *draw(sli_testing_node_t *node) {
  sli_tensor_t *inputs[] = {sli_tensor_vector_int32((int32_t[]){5}, 1)}, *outputs[1];
  SLI_EXPECT_OK(sli_testing_node_run(node, inputs, 1, outputs));
  return outputs[0];
}

static void initialize(sli_testing_node_t *node, int64_t seed, int64_t seed2) {
  sli_tensor_t *shape = sli_tensor_vector_int32((int32_t[]){5}, 1);
  sli_attr_entry_t attrs[] = {SLI_ATTR_INT_OF("seed", seed), SLI_ATTR_INT_OF("seed2", seed2),
                              SLI_ATTR_TYPE_OF("dtype", SLI_DTYPE_FLOAT)};
  SLI_EXPECT_OK(sli_testing_node_initialize(node, "RandomUniform", NULL, attrs, 3, &shape, 1));
  sli_tensor_release(shape);
}

SLI_TEST(test_seeded_uniform_gives_tensorflows_values_and_goes_on) {
  static const float wanted[] = {0.023186326f, 0.09948754f, 0.5691265f, 0.58422816f, 0.46582305f};
  sli_testing_node_t node;
  initialize(&node, 7, 11);
  sli_tensor_t *first = draw(&node), *second = draw(&node);
  for (int i = 0; i < 5; i++) SLI_EXPECT_NEAR(SLI_DATA(float, first)[i], wanted[i], 0);
  SLI_EXPECT(memcmp(first->data, second->data, 5 * sizeof(float)) != 0);
  sli_tensor_release(first);
  sli_tensor_release(second);
  sli_testing_node_deinitialize(&node);
}

SLI_TEST(test_unseeded_nodes_differ) {
  sli_testing_node_t a, b;
  initialize(&a, 0, 0);
  initialize(&b, 0, 0);
  sli_tensor_t *x = draw(&a), *y = draw(&b);
  SLI_EXPECT(memcmp(x->data, y->data, 5 * sizeof(float)) != 0);
  sli_tensor_release(x);
  sli_tensor_release(y);
  sli_testing_node_deinitialize(&a);
  sli_testing_node_deinitialize(&b);
}

SLI_TEST(test_random_shuffle_keeps_every_row) {
  sli_tensor_t *outputs[SLI_TESTING_MAX];
  int32_t values[100], seen[100] = {0};
  for (int i = 0; i < 100; i++) values[i] = i;
  SLI_REQUIRE_OK(
      sli_testing_run("RandomShuffle", NULL, 0, (sli_tensor_t *[]){sli_tensor_vector_int32(values, 100)}, 1, outputs));
  for (int i = 0; i < 100; i++) seen[SLI_DATA(int32_t, outputs[0])[i]]++;
  for (int i = 0; i < 100; i++) SLI_EXPECT_INT(seen[i], 1);
  SLI_EXPECT(memcmp(outputs[0]->data, values, sizeof(values)) != 0);
  sli_tensor_release(outputs[0]);
}

SLI_TEST_MAIN(test_seeded_uniform_gives_tensorflows_values_and_goes_on, test_unseeded_nodes_differ,
              test_random_shuffle_keeps_every_row)
