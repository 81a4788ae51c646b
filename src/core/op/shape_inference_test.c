#include "core/op/shape_inference.h"

#include "base/test.h"

static sli_arena_t arena;

static const char *text_of(sli_shape_t shape) {
  static sli_string_t text;
  sli_string_clear(&text);
  sli_shape_append(&text, shape);
  return sli_string_text(&text);
}

static void expect_error(sli_status_t *status, const char *text) {
  SLI_EXPECT_INT(sli_status_code(status), SLI_INVALID_ARGUMENT);
  SLI_EXPECT_TEXT(sli_status_message(status), text);
  sli_status_release(status);
}

// A context over |inputs|; input 0 may have a known value (|user|).
static const sli_tensor_t *value_of_first(sli_infer_context_t *c, int index) { return index == 0 ? c->user : NULL; }

static sli_infer_context_t context_of(const sli_node_def_t *node, const sli_shape_t *inputs, sli_shape_t *outputs) {
  return (sli_infer_context_t){
      .node = node, .arena = &arena, .inputs = inputs, .outputs = outputs, .constant = value_of_first};
}

SLI_TEST(test_shapes_are_cut_joined_and_changed) {
  sli_infer_context_t c = {.arena = &arena};
  sli_shape_t shape = SLI_SHAPE(2, -1, 4);
  SLI_EXPECT_TEXT(text_of(sli_infer_subshape(&c, shape, 1, 3)), "[?,4]");
  SLI_EXPECT_TEXT(text_of(sli_infer_subshape(&c, shape, -2, 100)), "[?,4]");
  SLI_EXPECT_TEXT(text_of(sli_infer_subshape(&c, shape, -9, -1)), "[2,?]");
  SLI_EXPECT_TEXT(text_of(sli_infer_subshape(&c, shape, 2, 1)), "[]");
  SLI_EXPECT_TEXT(text_of(sli_infer_subshape(&c, SLI_SHAPE_UNKNOWN, 0, 1)), "<unknown>");
  SLI_EXPECT_TEXT(text_of(sli_infer_concatenate(&c, shape, SLI_SHAPE(7))), "[2,?,4,7]");
  SLI_EXPECT_TEXT(text_of(sli_infer_concatenate(&c, shape, SLI_SHAPE_UNKNOWN)), "<unknown>");
  SLI_EXPECT_TEXT(text_of(sli_infer_replace_dim(&c, shape, -1, 9)), "[2,?,9]");
  SLI_EXPECT_TEXT(text_of(sli_infer_replace_dim(&c, shape, 3, 9)), "<unknown>");
  SLI_EXPECT_TEXT(text_of(sli_infer_make_unknown_of_rank(&c, 2)), "[?,?]");
  SLI_EXPECT_TEXT(text_of(sli_infer_make(&c, 0, NULL)), "[]");
  SLI_EXPECT_INT(sli_infer_dim(shape, -1), 4);
  SLI_EXPECT_INT(sli_infer_dim(SLI_SHAPE_UNKNOWN, 3), -1);
}

SLI_TEST(test_ranks_are_checked_with_tensorflows_texts) {
  sli_infer_context_t c = {.arena = &arena};
  sli_shape_t out;
  expect_error(sli_infer_with_rank(&c, SLI_SHAPE(1), 2, &out), "Shape must be rank 2 but is rank 1");
  expect_error(sli_infer_with_rank_at_least(&c, SLI_SHAPE(1), 2, &out), "Shape must be at least rank 2 but is rank 1");
  expect_error(sli_infer_with_rank_at_most(&c, SLI_SHAPE(1, 2), 1, &out), "Shape must be at most rank 1 but is rank 2");
  SLI_EXPECT_OK(sli_infer_with_rank(&c, SLI_SHAPE_UNKNOWN, 2, &out));
  SLI_EXPECT_TEXT(text_of(out), "[?,?]");
  SLI_EXPECT_OK(sli_infer_with_rank_at_least(&c, SLI_SHAPE_UNKNOWN, 2, &out));
  SLI_EXPECT_TEXT(text_of(out), "<unknown>");
}

SLI_TEST(test_merging_keeps_what_is_known) {
  sli_infer_context_t c = {.arena = &arena};
  sli_shape_t out;
  int64_t dim;
  SLI_EXPECT_OK(sli_infer_merge(&c, SLI_SHAPE(-1, 3), SLI_SHAPE(2, -1), &out));
  SLI_EXPECT_TEXT(text_of(out), "[2,3]");
  sli_shape_t partial = SLI_SHAPE(2, -1);  // the result may share its dims
  SLI_EXPECT_OK(sli_infer_merge(&c, SLI_SHAPE_UNKNOWN, partial, &out));
  SLI_EXPECT_TEXT(text_of(out), "[2,?]");
  expect_error(sli_infer_merge(&c, SLI_SHAPE(1), SLI_SHAPE(1, 2), &out), "Shapes must be equal rank, but are 1 and 2");
  expect_error(sli_infer_merge(&c, SLI_SHAPE(2, -1), SLI_SHAPE(3, 1), &out),
               "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,?] and [3,1].");
  expect_error(sli_infer_merge_dims(2, 3, &dim), "Dimensions must be equal, but are 2 and 3");
  SLI_EXPECT_OK(sli_infer_merge_dims(-1, 0, &dim));
  SLI_EXPECT_INT(dim, 0);
}

SLI_TEST(test_broadcasting_of_partial_shapes) {
  const struct {
    sli_shape_t a, b;
    const char *result;
  } cases[] = {
      {SLI_SHAPE(2, 3), SLI_SHAPE(3), "[2,3]"},      {SLI_SHAPE(-1), SLI_SHAPE(3), "[3]"},
      {SLI_SHAPE(-1), SLI_SHAPE(1), "[?]"},          {SLI_SHAPE(-1), SLI_SHAPE(-1, 1), "[?,?]"},
      {SLI_SHAPE(-1), SLI_SHAPE(0), "[?]"},          {SLI_SHAPE(0), SLI_SHAPE(1), "[0]"},
      {SLI_SHAPE_SCALAR, SLI_SHAPE(4, -1), "[4,?]"}, {SLI_SHAPE_UNKNOWN, SLI_SHAPE_SCALAR, "<unknown>"},
  };
  sli_infer_context_t c = {.arena = &arena};
  sli_shape_t out;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    SLI_EXPECT_OK(sli_infer_broadcast(&c, cases[i].a, cases[i].b, &out));
    SLI_EXPECT_TEXT(text_of(out), cases[i].result);
    SLI_EXPECT_OK(sli_infer_broadcast(&c, cases[i].b, cases[i].a, &out));
    SLI_EXPECT_TEXT(text_of(out), cases[i].result);
  }
  expect_error(sli_infer_broadcast(&c, SLI_SHAPE(2, 3), SLI_SHAPE(4), &out),
               "Dimensions must be equal, but are 3 and 4");
}

SLI_TEST(test_an_input_serves_as_a_shape) {
  sli_node_def_t node = {.name = "n", .input_count = 1};
  sli_shape_t inputs[] = {SLI_SHAPE(3)}, out;
  sli_infer_context_t c = context_of(&node, inputs, NULL);
  SLI_EXPECT_OK(sli_infer_input_as_shape(&c, 0, &out));
  SLI_EXPECT_TEXT(text_of(out), "[?,?,?]");  // only its length is known
  sli_tensor_t *value = sli_tensor_vector_int32((const int32_t[]){2, -1, 0}, 3);
  c.user = value;
  SLI_EXPECT_OK(sli_infer_input_as_shape(&c, 0, &out));
  SLI_EXPECT_TEXT(text_of(out), "[2,?,0]");
  SLI_DATA(int32_t, value)[1] = -2;
  expect_error(sli_infer_input_as_shape(&c, 0, &out), "Invalid value in tensor used for shape: -2");
  inputs[0] = SLI_SHAPE_SCALAR;
  expect_error(sli_infer_input_as_shape(&c, 0, &out), "Shape must be rank 1 but is rank 0");
  sli_tensor_release(value);
  // The shape of the input may be less known than its value.
  inputs[0] = SLI_SHAPE_UNKNOWN;
  c.user = value = sli_tensor_scalar_int32(1);
  expect_error(sli_infer_input_as_shape(&c, 0, &out),
               "Input tensor must be rank 1, but was rank 0. Saw tensor shape []");
  sli_tensor_release(value);
  c.user = NULL;
  inputs[0] = SLI_SHAPE(1000000);
  SLI_EXPECT_OK(sli_infer_input_as_shape(&c, 0, &out));
  SLI_EXPECT_TEXT(text_of(out), "<unknown>");
}

SLI_TEST(test_shared_shape_functions) {
  sli_attr_entry_t attrs[] = {SLI_ATTR_SHAPE_OF("shape", SLI_SHAPE(5, -1))};
  sli_node_def_t node = {.name = "n", .input_count = 3, .output_count = 2, .attrs = attrs, .attr_count = 1};
  sli_shape_t inputs[] = {SLI_SHAPE(2, -1), SLI_SHAPE(-1, 3), SLI_SHAPE_UNKNOWN};
  sli_shape_t outputs[] = {SLI_SHAPE_UNKNOWN, SLI_SHAPE(1)};
  sli_infer_context_t c = context_of(&node, inputs, outputs);
  SLI_EXPECT_OK(sli_infer_fn_merge(&c));
  SLI_EXPECT_TEXT(text_of(outputs[0]), "[2,3]");
  SLI_EXPECT_OK(sli_infer_fn_unchanged(&c));
  SLI_EXPECT_TEXT(text_of(outputs[0]), "[2,?]");
  SLI_EXPECT_OK(sli_infer_fn_broadcast(&c));
  SLI_EXPECT_TEXT(text_of(outputs[0]), "[2,3]");
  SLI_EXPECT_OK(sli_infer_fn_explicit(&c));
  SLI_EXPECT_TEXT(text_of(outputs[0]), "[5,?]");
  SLI_EXPECT_OK(sli_infer_fn_scalar(&c));
  SLI_EXPECT_TEXT(text_of(outputs[1]), "[]");
  SLI_EXPECT_OK(sli_infer_fn_unknown(&c));
  SLI_EXPECT_TEXT(text_of(outputs[1]), "<unknown>");
  SLI_EXPECT_OK(sli_infer_fn_none(&c));
  inputs[1] = SLI_SHAPE(7);
  expect_error(sli_infer_fn_merge(&c),
               "Shapes must be equal rank, but are 2 and 1\n\tFrom merging shape 0 with other shapes.");
  sli_arena_deinitialize(&arena);
}

SLI_TEST_MAIN(test_shapes_are_cut_joined_and_changed, test_ranks_are_checked_with_tensorflows_texts,
              test_merging_keeps_what_is_known, test_broadcasting_of_partial_shapes, test_an_input_serves_as_a_shape,
              test_shared_shape_functions)
