// The generated wrappers of sluice/ops.h: they build the same nodes as code by hand, omitted options have the op's
// defaults, and the nodes run. The generated ops_calls*.c show that every wrapper compiles, with and without options.
#include "sluice/ops.h"

#include "base/test.h"
#include "sluice/sluice.h"

void call_every_op(sl_scope_t *s, TF_Output x);

typedef struct {
  sl_scope_t *scope;
  TF_Status *status;
} fixture_t;

static fixture_t begin(void) { return (fixture_t){sl_graph_scope(), TF_NewStatus()}; }

static void end(fixture_t *f) {
  TF_DeleteStatus(f->status);
  sl_scope_release(f->scope);
}

static TF_Output floats(fixture_t *f, sl_shape_t shape, const float *values) {
  return sl_constant(f->scope, TF_FLOAT, shape, values);
}

// Runs |output| and compares its numbers.
static void expect_floats(fixture_t *f, TF_Output output, const float *wanted, int count, int line) {
  if (!output.oper) {
    sli_test_fail(__FILE__, line, "not built: %s", sl_scope_error(f->scope));
    return;
  }
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(f->scope), options, f->status);
  TF_DeleteSessionOptions(options);
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL, f->status);
  if (TF_GetCode(f->status) != TF_OK) {
    sli_test_fail(__FILE__, line, "%s", TF_Message(f->status));
  } else if (TF_TensorElementCount(value) != count) {
    sli_test_fail(__FILE__, line, "%lld elements, expected %d", (long long)TF_TensorElementCount(value), count);
  } else {
    for (int i = 0; i < count; i++) {
      float got = ((const float *)TF_TensorData(value))[i];
      if (!(fabsf(got - wanted[i]) <= 1e-4f))
        sli_test_fail(__FILE__, line, "element %d is %g, expected %g", i, (double)got, (double)wanted[i]);
    }
  }
  if (value) TF_DeleteTensor(value);
  TF_CloseSession(session, f->status);
  TF_DeleteSession(session, f->status);
}
#define EXPECT_FLOATS(f, output, ...) \
  expect_floats(f, output, (const float[]){__VA_ARGS__}, (int)(sizeof((const float[]){__VA_ARGS__}) / 4), __LINE__)

static bool bool_attr(fixture_t *f, TF_Operation *operation, const char *name) {
  unsigned char value = 0;
  TF_OperationGetAttrBool(operation, name, &value, f->status);
  SLI_EXPECT_INT(TF_GetCode(f->status), TF_OK);
  return value;
}

static int64_t int_attr(fixture_t *f, TF_Operation *operation, const char *name) {
  int64_t value = 0;
  TF_OperationGetAttrInt(operation, name, &value, f->status);
  SLI_EXPECT_INT(TF_GetCode(f->status), TF_OK);
  return value;
}

SLI_TEST(test_options_left_out_have_the_ops_defaults) {
  fixture_t f = begin();
  sl_scope_t *s = f.scope;
  TF_Output x = floats(&f, SL_SHAPE(1, 2, 2, 1), (const float[]){1, 2, 3, 4});
  TF_Output filter = floats(&f, SL_SHAPE(1, 1, 1, 1), (const float[]){2});
  TF_Output plain = sl_op_conv2d(s, x, filter, SL_INTS(1, 1, 1, 1), "SAME");
  TF_Output set = sl_op_conv2d(s, x, filter, SL_INTS(1, 1, 1, 1), "SAME", .use_cudnn_on_gpu = false, .name = "set");
  SLI_REQUIRE(plain.oper && set.oper);
  SLI_EXPECT(bool_attr(&f, plain.oper, "use_cudnn_on_gpu"));
  SLI_EXPECT(!bool_attr(&f, set.oper, "use_cudnn_on_gpu"));
  SLI_EXPECT_TEXT(TF_OperationName(plain.oper), "Conv2D");
  SLI_EXPECT_TEXT(TF_OperationName(set.oper), "set");
  EXPECT_FLOATS(&f, plain, 2, 4, 6, 8);
  // An int whose default is -1, and the same set to 0.
  TF_Output text = sl_texts(s, ((const char *[]){"a b c"}), 1), space = sl_text(s, " ");
  SLI_EXPECT_INT(int_attr(&f, sl_op_string_split_v2(s, text, space).values.oper, "maxsplit"), -1);
  SLI_EXPECT_INT(int_attr(&f, sl_op_string_split_v2(s, text, space, .maxsplit = 0).values.oper, "maxsplit"), 0);
  // A shape whose default is unknown.
  TF_Output any = sl_op_placeholder(s, TF_FLOAT), row = sl_op_placeholder(s, TF_FLOAT, .shape = SL_SHAPE(-1, 3));
  SLI_EXPECT_INT(sl_static_shape(s, any).rank, -1);
  SLI_EXPECT_INT(sl_static_shape(s, row).rank, 2);
  SLI_EXPECT_INT(sl_static_shape(s, row).dims[1], 3);
  end(&f);
}

SLI_TEST(test_arithmetic_and_shapes) {
  fixture_t f = begin();
  sl_scope_t *s = f.scope;
  TF_Output a = floats(&f, SL_SHAPE(2, 2), (const float[]){1, 2, 3, 4});
  TF_Output b = floats(&f, SL_SHAPE(2, 2), (const float[]){1, 0, 0, 2});
  EXPECT_FLOATS(&f, sl_op_mat_mul(s, a, b, .transpose_a = true), 1, 6, 2, 8);
  EXPECT_FLOATS(&f, sl_op_add_v2(s, a, b), 2, 2, 3, 6);
  EXPECT_FLOATS(&f, sl_op_sub(s, a, b), 0, 2, 3, 2);
  EXPECT_FLOATS(&f, sl_op_mul(s, sl_op_neg(s, a), b), -1, 0, 0, -8);
  EXPECT_FLOATS(&f, sl_op_maximum(s, a, b), 1, 2, 3, 4);
  EXPECT_FLOATS(&f, sl_op_square(s, a), 1, 4, 9, 16);
  EXPECT_FLOATS(&f, sl_op_sqrt(s, a), 1, 1.41421356f, 1.7320508f, 2);
  EXPECT_FLOATS(&f, sl_op_leaky_relu(s, sl_op_neg(s, a)), -0.2f, -0.4f, -0.6f, -0.8f);
  EXPECT_FLOATS(&f, sl_op_leaky_relu(s, sl_op_neg(s, a), .alpha = 0), 0, 0, 0, 0);
  TF_Output axis = sl_scalar(s, TF_INT32, 0);
  EXPECT_FLOATS(&f, sl_op_sum(s, a, axis), 4, 6);
  EXPECT_FLOATS(&f, sl_op_cumsum(s, a, axis, .reverse = true), 4, 6, 3, 4);
  EXPECT_FLOATS(&f, sl_op_pack(s, ((TF_Output[]){a, b}), 2, .axis = 2), 1, 1, 2, 0, 3, 0, 4, 2);
  EXPECT_FLOATS(&f, sl_op_add_n(s, ((TF_Output[]){a, b, a}), 3), 3, 4, 6, 10);
  EXPECT_FLOATS(&f, sl_op_concat_v2(s, ((TF_Output[]){a, b}), 2, axis), 1, 2, 3, 4, 1, 0, 0, 2);
  EXPECT_FLOATS(&f, sl_op_cast(s, sl_op_shape(s, a, .out_type = TF_INT64), TF_FLOAT), 2, 2);
  end(&f);
}

SLI_TEST(test_several_outputs_and_lists) {
  fixture_t f = begin();
  sl_scope_t *s = f.scope;
  TF_Output x = floats(&f, SL_SHAPE(4), (const float[]){3, 1, 4, 1.5f});
  sl_op_top_k_v2_t best = sl_op_top_k_v2(s, x, sl_scalar(s, TF_INT32, 2));
  EXPECT_FLOATS(&f, best.values, 4, 3);
  EXPECT_FLOATS(&f, sl_op_cast(s, best.indices, TF_FLOAT), 2, 0);
  sl_op_list_t halves = sl_op_split(s, sl_scalar(s, TF_INT32, 0), x, 2);
  SLI_EXPECT_INT(halves.count, 2);
  EXPECT_FLOATS(&f, sl_op_at(halves, 1), 4, 1.5f);
  SLI_EXPECT(!sl_op_at(halves, 2).oper);
  sl_op_unique_t unique = sl_op_unique(s, x);
  EXPECT_FLOATS(&f, unique.y, 3, 1, 4, 1.5f);
  sl_op_list_t same = sl_op_identity_n(s, ((TF_Output[]){x, unique.idx}), 2);
  SLI_EXPECT_INT(same.count, 2);
  EXPECT_FLOATS(&f, sl_op_at(same, 0), 3, 1, 4, 1.5f);
  TF_Operation *nothing = sl_op_no_op(s, .name = "nothing");
  SLI_REQUIRE(nothing);
  SLI_EXPECT_TEXT(TF_OperationName(nothing), "nothing");
  end(&f);
}

SLI_TEST(test_lists_of_all_kinds_reach_the_node) {
  fixture_t f = begin();
  sl_scope_t *s = f.scope;
  TF_Output queue = sl_op_fifo_queue_v2(s, SL_TYPES(TF_FLOAT, TF_INT32), .shapes = SL_SHAPES(SL_SHAPE(2), SL_SHAPE()),
                                        .capacity = 3, .shared_name = "q");
  SLI_REQUIRE(queue.oper);
  int64_t storage[4];
  int64_t *dims[2];
  int ranks[2];
  TF_OperationGetAttrShapeList(queue.oper, "shapes", dims, ranks, 2, storage, 4, f.status);
  SLI_EXPECT_INT(TF_GetCode(f.status), TF_OK);
  SLI_EXPECT_INT(ranks[0], 1);
  SLI_EXPECT_INT(dims[0][0], 2);
  SLI_EXPECT_INT(ranks[1], 0);
  SLI_EXPECT_INT(int_attr(&f, queue.oper, "capacity"), 3);
  TF_Output x = floats(&f, SL_SHAPE(3), (const float[]){-1, 0.5f, 7});
  EXPECT_FLOATS(&f, sl_op_cast(s, sl_op_bucketize(s, x, SL_FLOATS(0, 1, 5)), TF_FLOAT), 0, 1, 3);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  end(&f);
}

SLI_TEST(test_an_error_is_kept_with_the_line_of_the_call) {
  fixture_t f = begin();
  sl_scope_t *s = f.scope;
  TF_Output x = floats(&f, SL_SHAPE(2), (const float[]){1, 2});
  TF_Output y = sl_op_mat_mul(s, x, x);
  SLI_EXPECT(!y.oper);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "wrappers_test.c:");
  SLI_EXPECT(!sl_op_top_k_v2(s, y, y).indices.oper);
  SLI_EXPECT_INT(sl_op_split(s, y, y, 2).count, 0);
  call_every_op(s, y);  // does nothing on a scope with an error
  end(&f);
}

SLI_TEST_MAIN(test_options_left_out_have_the_ops_defaults, test_arithmetic_and_shapes, test_several_outputs_and_lists,
              test_lists_of_all_kinds_reach_the_node, test_an_error_is_kept_with_the_line_of_the_call)
