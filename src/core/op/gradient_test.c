// Gradient helpers, with a builder that records the emitted nodes.
#include "core/op/gradient.h"

#include "base/array.h"
#include "base/test.h"

struct sli_node {
  const char *op;
  sli_dtype_t type;
  sli_node_def_t def;
  sli_shape_t shape;
};

enum { MOST = 32 };
static sli_node_t nodes[MOST];
static int node_count;
static sli_string_t log_text;  // "Op(inputs) " for each node
static sli_tensor_t *last_const;

static const sli_op_def_t op_def = {.name = "Mul"};
static const sli_op_t op = {.def = &op_def};
static const sli_node_def_t differentiated = {.name = "n", .op = &op};

static sli_node_t *add_node(const char *name, sli_dtype_t type, sli_shape_t shape) {
  sli_node_t *node = &nodes[node_count++];
  *node = (sli_node_t){.op = name, .type = type, .shape = shape};
  node->def = (sli_node_def_t){.name = name, .output_count = 1, .output_types = &node->type};
  return node;
}

static sli_output_t emit(sli_gradient_builder_t *b, const char *name_of_op, const char *name,
                         const sli_output_t *inputs, size_t input_count, const sli_attr_entry_t *attrs,
                         size_t attr_count) {
  if (strcmp(name_of_op, "Broken") == 0) {
    b->status = sli_status_make(SLI_INVALID_ARGUMENT, "broken");
    return SLI_OUTPUT_NONE;
  }
  sli_string_append_format(&log_text, "%s(", name_of_op);
  for (size_t i = 0; i < input_count; i++) {
    sli_string_append_format(&log_text, "%s%s:%d", i ? ", " : "", inputs[i].node->op, inputs[i].index);
  }
  sli_string_append_text(&log_text, ") ");
  if (strcmp(name_of_op, "Const") == 0) {
    sli_tensor_release(last_const);
    last_const = sli_tensor_retain(attrs[1].value.tensor);
    SLI_EXPECT_INT(attrs[0].value.type, last_const->dtype);
  }
  return (sli_output_t){add_node(name_of_op, input_count ? inputs[0].node->type : SLI_DTYPE_INT32, SLI_SHAPE_UNKNOWN),
                        0};
}

static const sli_node_def_t *def(sli_gradient_builder_t *b, sli_node_t *node) { return &node->def; }
static sli_shape_t shape(sli_gradient_builder_t *b, sli_output_t output) { return output.node->shape; }

static sli_gradient_builder_t start(const sli_output_t *inputs, const sli_gradient_slices_t *output_gradients) {
  sli_string_clear(&log_text);
  return (sli_gradient_builder_t){.node = &differentiated,
                                  .graph_node = add_node("Mul", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN),
                                  .inputs = inputs,
                                  .output_gradients = output_gradients,
                                  .emit = emit,
                                  .def = def,
                                  .shape = shape};
}

static void finish(sli_gradient_builder_t *b) {
  sli_status_release(b->status);
  sli_tensor_release(last_const);
  last_const = NULL;
  sli_string_deinitialize(&log_text);
  node_count = 0;
}

SLI_TEST(test_unbroadcast_sums_over_what_was_widened) {
  sli_output_t inputs[] = {{add_node("x", SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3)), 0},
                           {add_node("y", SLI_DTYPE_FLOAT, SLI_SHAPE(3)), 0}};
  sli_output_t gradient = {add_node("g", SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3)), 0};
  sli_gradient_builder_t b = start(inputs, NULL);
  SLI_EXPECT_TEXT(sli_gradient_unbroadcast(&b, gradient, 0, 1).node->op, "Reshape");
  SLI_EXPECT_TEXT(sli_string_text(&log_text),
                  "Shape(x:0) Shape(y:0) BroadcastGradientArgs(Shape:0, Shape:0) "
                  "Sum(g:0, BroadcastGradientArgs:0) Reshape(Sum:0, Shape:0) ");
  // The other side shares the shapes and axes.
  sli_string_clear(&log_text);
  sli_gradient_unbroadcast(&b, gradient, 1, 0);
  SLI_EXPECT_TEXT(sli_string_text(&log_text), "Sum(g:0, BroadcastGradientArgs:1) Reshape(Sum:0, Shape:0) ");
  SLI_EXPECT(!b.status);
  finish(&b);
}

SLI_TEST(test_unbroadcast_of_equal_static_shapes_emits_nothing) {
  sli_output_t inputs[] = {{add_node("x", SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3)), 0},
                           {add_node("y", SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3)), 0},
                           {add_node("z", SLI_DTYPE_FLOAT, SLI_SHAPE(2, -1)), 0},
                           {add_node("w", SLI_DTYPE_FLOAT, SLI_SHAPE(2, -1)), 0}};
  sli_output_t gradient = {add_node("g", SLI_DTYPE_FLOAT, SLI_SHAPE(2, 3)), 0};
  sli_gradient_builder_t b = start(inputs, NULL);
  SLI_EXPECT(sli_gradient_unbroadcast(&b, gradient, 0, 1).node == gradient.node);
  SLI_EXPECT_TEXT(sli_string_text(&log_text), "");
  sli_gradient_unbroadcast(&b, gradient, 2, 3);  // equal only as far as known
  SLI_EXPECT_CONTAINS(sli_string_text(&log_text), "BroadcastGradientArgs");
  finish(&b);
}

SLI_TEST(test_gradients_of_outputs_are_dense) {
  sli_output_t values = {add_node("values", SLI_DTYPE_FLOAT, SLI_SHAPE_UNKNOWN), 0};
  sli_output_t indices = {add_node("indices", SLI_DTYPE_INT32, SLI_SHAPE_UNKNOWN), 0};
  sli_output_t dense = {add_node("dense", SLI_DTYPE_INT32, SLI_SHAPE_UNKNOWN), 0};
  sli_gradient_slices_t flowing[] = {
      {.values = values}, {{0}}, {values, indices, dense}, {values, indices, SLI_OUTPUT_NONE}};
  sli_gradient_builder_t b = start(NULL, flowing);
  SLI_EXPECT(sli_gradient_of_output(&b, 0).node == values.node);
  SLI_EXPECT_TEXT(sli_string_text(&log_text), "");
  SLI_EXPECT(!sli_gradient_flows(&b, 1));
  sli_gradient_of_output(&b, 1);
  SLI_EXPECT_TEXT(sli_string_text(&log_text), "ZerosLike(Mul:1) ");
  sli_string_clear(&log_text);
  sli_gradient_of_output(&b, 2);
  SLI_EXPECT_TEXT(sli_string_text(&log_text),
                  "Const() Const() Const() StridedSlice(dense:0, Const:0, Const:0, Const:0) "
                  "UnsortedSegmentSum(values:0, indices:0, StridedSlice:0) ");
  SLI_EXPECT(!b.status);
  SLI_EXPECT(!sli_gradient_of_output(&b, 3).node);
  SLI_EXPECT_CONTAINS(sli_status_message(b.status), "without dense_shape");
  finish(&b);
}

SLI_TEST(test_constants_take_the_type_of_their_neighbour) {
  static const struct {
    sli_dtype_t type;
    double value;
    unsigned char bytes[8];
    size_t size;
  } cases[] = {
      {SLI_DTYPE_FLOAT, 0.5, {0, 0, 0, 0x3f}, 4},
      {SLI_DTYPE_HALF, 0.5, {0, 0x38}, 2},
      {SLI_DTYPE_BFLOAT16, 0.5, {0, 0x3f}, 2},
      {SLI_DTYPE_BFLOAT16, 1.00390625, {0x80, 0x3f}, 2},  // a tie goes to even
      {SLI_DTYPE_INT64, -2, {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 8},
      {SLI_DTYPE_COMPLEX64, 0.5, {0, 0, 0, 0x3f}, 8},
      {SLI_DTYPE_BOOL, 1, {1}, 1},
  };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(cases); i++) {
    sli_output_t like = {add_node("x", cases[i].type, SLI_SHAPE_UNKNOWN), 0};
    sli_gradient_builder_t b = start(NULL, NULL);
    SLI_EXPECT(sli_gradient_const_like(&b, like, cases[i].value).node);
    SLI_REQUIRE(last_const && sli_tensor_bytes(last_const) == cases[i].size && last_const->rank == 0);
    SLI_EXPECT_INT(last_const->dtype, cases[i].type);
    SLI_EXPECT(memcmp(last_const->data, cases[i].bytes, cases[i].size) == 0);
    finish(&b);
  }
  sli_output_t text = {add_node("x", SLI_DTYPE_STRING, SLI_SHAPE_UNKNOWN), 0};
  sli_gradient_builder_t b = start(NULL, NULL);
  SLI_EXPECT(!sli_gradient_const_like(&b, text, 1).node);
  SLI_EXPECT_CONTAINS(sli_status_message(b.status), "needs a number of type string");
  finish(&b);
}

SLI_TEST(test_nothing_is_emitted_after_the_first_error) {
  sli_output_t x = {add_node("x", SLI_DTYPE_FLOAT + SLI_DTYPE_REF, SLI_SHAPE_UNKNOWN), 0};
  sli_gradient_builder_t b = start(&x, NULL);
  SLI_EXPECT_INT(sli_gradient_dtype(&b, x), SLI_DTYPE_FLOAT);
  sli_output_t broken = SLI_EMIT(&b, "Broken", SLI_INPUTS(x));
  SLI_EXPECT(!broken.node);
  SLI_EXPECT(!SLI_EMIT(&b, "Neg", SLI_INPUTS(broken)).node);
  SLI_EXPECT(!SLI_EMIT_WITH(&b, "Sum", SLI_INPUTS(x, x), SLI_ATTRS(SLI_ATTR_BOOL_OF("keep_dims", true))).node);
  SLI_EXPECT(!sli_gradient_const_int32(&b, 1).node);
  SLI_EXPECT(!sli_gradient_const_ints(&b, (const int32_t[]){1, 2}, 2).node);
  SLI_EXPECT(!sli_gradient_unbroadcast(&b, broken, 0, 1).node);
  SLI_EXPECT_TEXT(sli_string_text(&log_text), "");
  SLI_EXPECT_TEXT(sli_status_message(b.status), "broken");
  finish(&b);
  b = start(NULL, NULL);
  SLI_EXPECT(!SLI_EMIT(&b, "Neg", SLI_INPUTS(SLI_OUTPUT_NONE)).node);
  SLI_EXPECT_INT(sli_status_code(b.status), SLI_INTERNAL);
  finish(&b);
}

SLI_TEST_MAIN(test_unbroadcast_sums_over_what_was_widened, test_unbroadcast_of_equal_static_shapes_emits_nothing,
              test_gradients_of_outputs_are_dense, test_constants_take_the_type_of_their_neighbour,
              test_nothing_is_emitted_after_the_first_error)
