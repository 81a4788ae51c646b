// Compares the graphs of layers, and some values, with those of TensorFlow's Python library.
#include "base/test.h"
#include "tests/train/golden.h"

SLI_TEST(test_layers) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output image = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 28, 28, 3), .name = "image");
  TF_Output x = sl_conv2d(s, image, 8, SL_SIZE(5, 5), .padding = SL_SAME, .activation = SL_RELU);
  x = sl_max_pooling2d(s, x, SL_SIZE(2, 2), SL_SIZE(2, 2));
  x = sl_conv2d(s, x, 4, SL_SIZE(3, 2), .strides = SL_SIZE(2, 1), .no_bias = true, .name = "second");
  x = sl_average_pooling2d(s, x, SL_SIZE(2, 2), SL_SIZE(1, 1), .padding = SL_SAME);
  x = sl_separable_conv2d(s, x, 6, SL_SIZE(3, 3), .depth_multiplier = 2);
  x = sl_conv2d_transpose(s, x, 5, SL_SIZE(3, 3), .strides = SL_SIZE(2, 2), .padding = SL_SAME);
  x = sl_flatten(s, x);
  sl_dense(s, sl_dropout(s, x, 0.25, .training = true), 7, .activation = SL_TANH);
  TF_Output line = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 20, 3), .name = "line");
  TF_Output y = sl_conv1d(s, line, 8, 5, .activation = SL_RELU);
  y = sl_max_pooling1d(s, y, 2, 2);
  y = sl_average_pooling1d(s, y, 3, 1, .padding = SL_SAME);
  sl_dense(s, y, 4, .name = "rank3");
  sli_expect_listing(s, "layers");
  sl_scope_release(s);
}

SLI_TEST(test_batch_normalization) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output image = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 8, 8, 3), .name = "image");
  TF_Output flat = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 5), .name = "flat");
  sl_batch_normalization(s, image, .training = true);
  sl_batch_normalization(s, image, .name = "inference");
  sl_batch_normalization(s, flat, .training = true, .momentum = 0.9, .epsilon = 1e-5, .name = "flat_bn");
  sl_batch_normalization(s, flat, .no_scale = true, .no_center = true, .name = "plain");
  sli_expect_listing(s, "batch_norm");
  SLI_EXPECT_INT(sl_collection_count(s, SL_UPDATE_OPS), 4);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 6);
  sl_scope_release(s);
}

SLI_TEST(test_batch_normalization_moves_its_averages) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 1), ((float[]){1, 3}));
  TF_Output y = sl_batch_normalization(s, x, .training = true, .momentum = 0.5, .name = "bn");
  TF_Output outputs[] = {y, sl_collection(s, SL_UPDATE_OPS, NULL).items[0],
                         sl_collection(s, SL_UPDATE_OPS, NULL).items[1]};
  double values[4];
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), outputs, 3, values, 4), 4);
  SLI_EXPECT_NEAR(values[0], -0.99950037, 1e-6);
  SLI_EXPECT_NEAR(values[1], 0.99950037, 1e-6);
  SLI_EXPECT_NEAR(values[2], 1, 1e-6);  // 0 half way to 2
  SLI_EXPECT_NEAR(values[3], 1, 1e-6);  // 1 half way to 1
  sl_scope_release(s);
}

SLI_TEST(test_layers_with_training_when) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output image = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 8, 8, 3), .name = "image");
  TF_Output flat = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 5), .name = "flat");
  TF_Output training = sl_placeholder(s, TF_BOOL, SL_SHAPE(), .name = "training");
  sl_nn_dropout(s, flat, sl_placeholder(s, TF_FLOAT, SL_SHAPE(), .name = "keep_prob"));
  sl_dropout(s, flat, 0.4, .training_when = training, .name = "drop");
  sl_batch_normalization(s, image, .training_when = training);
  sl_batch_normalization(s, image, .training_when = training, .no_scale = true, .no_center = true, .name = "plain");
  sl_batch_normalization(s, flat, .training_when = training, .name = "flat_bn");
  sli_expect_listing(s, "training_by_run");
  SLI_EXPECT_INT(sl_collection_count(s, SL_UPDATE_OPS), 6);
  sl_scope_release(s);
}

SLI_TEST(test_averages_move_in_runs_that_train_only) {
  // The normalised values, then the averages; for images the variance is the sample variance.
  static const double wanted[2][8] = {{0.99950037, 2.9985011, 0, 1, 0.99950037, 2.9985011, 0, 1},
                                      {-0.99950037, 0.99950037, 1, 1, -0.99950037, 0.99950037, 1, 1.5}};
  for (int trains = 0; trains < 2; trains++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output x = sl_constant(s, TF_FLOAT, SL_SHAPE(2, 1), ((float[]){1, 3}));
    TF_Output when = sl_constant(s, TF_BOOL, SL_SHAPE(), &(bool){trains});
    TF_Output flat = sl_batch_normalization(s, x, .training_when = when, .momentum = 0.5);
    TF_Output images =
        sl_batch_normalization(s, sl_reshape(s, x, SL_SHAPE(2, 1, 1, 1)), .training_when = when, .momentum = 0.5);
    sl_outputs_t updates = sl_collection(s, SL_UPDATE_OPS, NULL);
    SLI_REQUIRE(updates.count == 4);
    TF_Output outputs[] = {flat, updates.items[0], updates.items[1], images, updates.items[2], updates.items[3]};
    double values[8];
    SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), outputs, 6, values, 8), 8);
    for (int i = 0; i < 8; i++) SLI_EXPECT_NEAR(values[i], wanted[trains][i], 1e-5);
    sl_scope_release(s);
  }
}

SLI_TEST(test_dropout_keeps_the_given_fraction) {
  enum { COUNT = 400 };
  for (int kind = 0; kind < 4; kind++) {
    bool drops = kind % 2;
    sl_scope_t *s = sl_graph_scope();
    TF_Output x = sl_ones(s, TF_FLOAT, SL_SHAPE(COUNT));
    TF_Output keep = sl_scalar(s, TF_FLOAT, drops ? 0.25 : 1);
    TF_Output when = sl_constant(s, TF_BOOL, SL_SHAPE(), &(bool){drops});
    TF_Output y = kind < 2 ? sl_nn_dropout(s, x, keep) : sl_dropout(s, x, 0.75, .training_when = when);
    double values[COUNT];
    SLI_EXPECT_INT(sli_test_run(s, NULL, &y, 1, values, COUNT), COUNT);
    int kept = 0;
    for (int i = 0; i < COUNT; i++) {
      kept += values[i] != 0;
      SLI_EXPECT(values[i] == 0 || values[i] == (drops ? 4 : 1));
    }
    SLI_EXPECT(drops ? kept > COUNT / 8 && kept < COUNT / 2 : kept == COUNT);
    sl_scope_release(s);
  }
}

SLI_TEST(test_embedding_lookup) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output ids = sl_placeholder(s, TF_INT64, SL_SHAPE(-1), .name = "ids");
  TF_Output ids2 = sl_placeholder(s, TF_INT32, SL_SHAPE(-1, 2), .name = "ids2");
  TF_Output one = sl_get_variable(s, "one", TF_FLOAT, SL_SHAPE(10, 4), .initializer = SL_ZEROS);
  sl_embedding_lookup(s, one, ids);
  TF_Output parts = sl_get_variable(s, "parts", TF_FLOAT, SL_SHAPE(10, 4), .initializer = SL_ZEROS,
                                    .partitioner = SL_FIXED_SIZE_PARTITIONER(3));
  sl_embedding_lookup(s, parts, ids);
  sl_embedding_lookup(s, parts, ids2, .strategy = SL_PARTITION_DIV, .name = "rows");
  sli_expect_listing(s, "embedding");
  sl_scope_release(s);
}

SLI_TEST(test_embedding_lookup_finds_rows_of_parts) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output table = sl_get_variable(s, "t", TF_FLOAT, SL_SHAPE(7, 1), .initializer = SL_ONES,
                                    .partitioner = SL_FIXED_SIZE_PARTITIONER(3));
  sl_outputs_t parts = sl_variable_parts(s, table);
  float rows[] = {0, 1, 2, 3, 4, 5, 6};
  TF_Operation *filled[3];
  const int first[] = {0, 3, 5}, count[] = {3, 2, 2};
  for (int i = 0; i < 3; i++)
    filled[i] = sl_assign(s, parts.items[i], sl_constant(s, TF_FLOAT, SL_SHAPE(count[i], 1), rows + first[i])).oper;
  TF_Output ids = sl_constant(s, TF_INT32, SL_SHAPE(2, 2), ((int32_t[]){6, 0, 3, 4}));
  TF_Output found[] = {sl_embedding_lookup(s, table, ids, .strategy = SL_PARTITION_DIV),
                       sl_embedding_lookup(s, table, ids)};
  double values[8];
  SLI_EXPECT_INT(sli_test_run(s, sl_group(s, filled, 3), found, 2, values, 8), 8);
  const double wanted[] = {6, 0, 3, 4, /* in turn: 6 -> part 0 row 2, 0 -> 0/0, 3 -> 0/1, 4 -> 1/1 */ 2, 0, 1, 4};
  for (int i = 0; i < 8; i++) SLI_EXPECT_NEAR(values[i], wanted[i], 0);
  sl_scope_release(s);
}

SLI_TEST(test_bad_layers_say_why) {
  sl_scope_t *s = sl_graph_scope();
  sl_conv2d(s, sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 5)), 3, SL_SIZE(1, 1));
  SLI_EXPECT_CONTAINS(sl_scope_error(s),
                      "Input 0 of layer \"conv2d\" is incompatible with the layer: expected ndim=4, found ndim=2. "
                      "Full shape received: (?, 5)");
  sl_scope_release(s);
  s = sl_graph_scope();
  sl_dropout(s, sl_placeholder(s, TF_FLOAT, SL_SHAPE(2)), 1.5, .training = true);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "in the range [0, 1). Received: rate=1.5");
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_layers, test_batch_normalization, test_batch_normalization_moves_its_averages,
              test_layers_with_training_when, test_averages_move_in_runs_that_train_only,
              test_dropout_keeps_the_given_fraction, test_embedding_lookup, test_embedding_lookup_finds_rows_of_parts,
              test_bad_layers_say_why)
