// Random ops: seeds, streams that later runs continue, TensorFlow's values.
#include "base/array.h"
#include "base/test.h"
#include "ops/common/testing.h"

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

// Two runs of a sampler that draws 4 of 9 classes with seeds 3 and 4; the true classes are 1 and 7.
typedef struct {
  const char *op;
  bool unique;
  int64_t sampled[2][4];
  float true_count[2][2];  // of class 1 in each run, of class 7
} sampler_t;

static void expect_samples(const sampler_t *wanted) {
  sli_attr_entry_t attrs[] = {
      SLI_ATTR_INT_OF("num_true", 2),  SLI_ATTR_INT_OF("num_sampled", 4), SLI_ATTR_BOOL_OF("unique", wanted->unique),
      SLI_ATTR_INT_OF("range_max", 9), SLI_ATTR_INT_OF("seed", 3),        SLI_ATTR_INT_OF("seed2", 4)};
  sli_tensor_t *flat = sli_tensor_vector_int64((int64_t[]){1, 7}, 2), *outputs[3];
  sli_tensor_t *classes = sli_tensor_view(flat, SLI_DTYPE_INT64, 0, (int64_t[]){1, 2}, 2);
  sli_testing_node_t node;
  SLI_REQUIRE_OK(sli_testing_node_initialize(&node, wanted->op, NULL, attrs, 6, &classes, 1));
  for (int run = 0; run < 2; run++) {
    SLI_REQUIRE_OK(sli_testing_node_run(&node, (sli_tensor_t *[]){sli_tensor_retain(classes)}, 1, outputs));
    for (int i = 0; i < 4; i++) SLI_EXPECT_INT(SLI_DATA(int64_t, outputs[0])[i], wanted->sampled[run][i]);
    for (int i = 0; i < 2; i++) SLI_EXPECT_NEAR(SLI_DATA(float, outputs[1])[i], wanted->true_count[i][run], 1e-6);
    for (int i = 0; i < 3; i++) sli_tensor_release(outputs[i]);
  }
  sli_testing_node_deinitialize(&node);
  sli_tensor_release(classes);
  sli_tensor_release(flat);
}

SLI_TEST(test_candidate_samplers_draw_what_tensorflow_draws) {
  static const sampler_t samplers[] = {
      {"LogUniformCandidateSampler",
       true,
       {{1, 2, 6, 0}, {2, 4, 3, 0}},
       {{0.6203394f, 0.704365f}, {0.23090139f, 0.2046101f}}},
      {"LogUniformCandidateSampler",
       false,
       {{1, 2, 1, 6}, {2, 4, 3, 0}},
       {{0.704365f, 0.704365f}, {0.2046101f, 0.2046101f}}},
      {"UniformCandidateSampler",
       true,
       {{4, 1, 2, 5}, {8, 6, 5, 3}},
       {{0.44507107f, 0.65356064f}, {0.44507107f, 0.65356064f}}},
      {"UniformCandidateSampler",
       false,
       {{4, 1, 2, 4}, {8, 6, 6, 5}},
       {{0.44444445f, 0.44444445f}, {0.44444445f, 0.44444445f}}},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(samplers); i++) expect_samples(&samplers[i]);
}

SLI_TEST_MAIN(test_seeded_uniform_gives_tensorflows_values_and_goes_on, test_unseeded_nodes_differ,
              test_random_shuffle_keeps_every_row, test_candidate_samplers_draw_what_tensorflow_draws)
