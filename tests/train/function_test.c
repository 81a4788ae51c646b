// Functions of the training library: values, captured values, variables, gradients, nesting, and the errors.
#include "base/test.h"
#include "sluice/ops/control.h"
#include "sluice/ops/types.h"
#include "sluice/sluice.h"
#include "tests/train/fetch.h"

typedef struct {
  TF_Output factor;
  const sl_function_t *inner;
} values_t;

// x * x * factor, and x + x.
static void energy(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {
  values_t *values = data;
  out_results[0] = sl_multiply(s, sl_multiply(s, x[0], x[0]), values->factor);
  out_results[1] = sl_add(s, x[0], x[0]);
}

static TF_Session *open_session(sl_scope_t *s) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Session *session = TF_NewSession(sl_scope_graph(s), options, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  return session;
}

static void close_session(TF_Session *session) {
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
}

SLI_TEST(test_a_function_is_called_and_differentiated) {
  for (int no_inline = 0; no_inline < 2; no_inline++) {
    sl_scope_t *s = sl_graph_scope();
    values_t values = {.factor = sl_scalar(s, TF_FLOAT, 3.0)};
    const sl_function_t *f =
        sl_function(s, energy, &values, SL_TYPES(TF_FLOAT), 2, .name = "energy", .no_inline = no_inline);
    SLI_REQUIRE(f);
    SLI_EXPECT_INT(sl_function_captures(f).count, 1);
    SLI_EXPECT(strncmp(sl_function_name(f), "energy_", 7) == 0);
    TF_Output x = sl_scalar(s, TF_FLOAT, 2.0);
    sl_outputs_t first = sl_call(s, f, SL_OUTPUTS(x)), second = sl_call(s, f, SL_OUTPUTS(first.items[1]));
    SLI_EXPECT_INT(second.count, 2);
    TF_Output xs[] = {x, values.factor};
    sl_indexed_slices_t gradients[2];
    TF_Status *status = TF_NewStatus();
    sl_graph_gradients(sl_scope_graph(s), "gradients", &second.items[0], 1, xs, 2, NULL, NULL, SL_ADD_N, gradients,
                       status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    TF_DeleteStatus(status);
    TF_Session *session = open_session(s);
    SLI_EXPECT_NEAR(train_fetch(session, first.items[0]), 12, 1e-6);       // 2 * 2 * 3
    SLI_EXPECT_NEAR(train_fetch(session, second.items[0]), 48, 1e-5);      // 4 * 4 * 3
    SLI_EXPECT_NEAR(train_fetch(session, gradients[0].values), 48, 1e-5);  // 2 * (2 x) * 3 * 2
    SLI_EXPECT_NEAR(train_fetch(session, gradients[1].values), 16, 1e-5);
    close_session(session);
    sl_scope_release(s);
  }
}

static void outer(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {
  values_t *values = data;
  TF_Output one = sl_scalar(s, TF_FLOAT, 1.0);
  const sl_function_t *f = sl_function(s, energy, values, SL_TYPES(TF_FLOAT), 2);
  out_results[0] = sl_add(s, sl_call(s, f, SL_OUTPUTS(x[0])).items[0], one);
}

SLI_TEST(test_functions_nest_and_use_variables) {
  sl_scope_t *s = sl_graph_scope();
  values_t values = {.factor = sl_get_variable(s, "factor", TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(5))};
  const sl_function_t *f = sl_function(s, outer, &values, SL_TYPES(TF_FLOAT), 1);
  TF_Output y = sl_call(s, f, SL_OUTPUTS(sl_scalar(s, TF_FLOAT, 2.0))).items[0];
  TF_Operation *init = sl_global_variables_initializer(s);
  TF_Session *session = open_session(s);
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *[]){init}, 1, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  SLI_EXPECT_NEAR(train_fetch(session, y), 21, 1e-6);
  TF_DeleteStatus(status);
  close_session(session);
  sl_scope_release(s);
}

static void creates_a_variable(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {
  out_results[0] = sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE());
}

static void forgets_its_result(sl_scope_t *s, void *data, const TF_Output *x, TF_Output *out_results) {}

SLI_TEST(test_mistakes_name_themselves) {
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT(!sl_function(s, creates_a_variable, NULL, SL_TYPES(TF_FLOAT), 1));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "variable 'v' must be created outside of the body of a function");
  sl_scope_release(s);
  s = sl_graph_scope();
  SLI_EXPECT(!sl_function(s, forgets_its_result, NULL, SL_TYPES(TF_FLOAT), 1));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "sl_function: result 0 must not be empty");
  sl_scope_release(s);
  s = sl_graph_scope();
  values_t values = {.factor = sl_scalar(s, TF_FLOAT, 1.0)};
  const sl_function_t *f = sl_function(s, energy, &values, SL_TYPES(TF_FLOAT), 2, .name = "energy");
  SLI_EXPECT(!sl_call(s, f, SL_OUTPUTS(sl_scalar(s, TF_INT32, 1))).items[0].oper);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "must be float, but 'Const_1' is int32");
  sl_scope_release(s);
  s = sl_graph_scope();
  values.factor = sl_scalar(s, TF_FLOAT, 1.0);
  f = sl_function(s, energy, &values, SL_TYPES(TF_FLOAT), 2, .name = "energy");
  sl_call(s, f, SL_OUTPUTS(values.factor, values.factor));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "has 1 arguments, got 2");
  sl_scope_release(s);
}

// Halves its argument; "none" sets nothing, "wrong" has another type, "fail" an error of its own.
static void call_host(const char *token, TF_Tensor **inputs, int input_count, TF_Tensor **outputs, int output_count,
                      TF_Status *status) {
  float value = *(float *)TF_TensorData(inputs[0]) / 2;
  for (int i = 0; i < input_count; i++) TF_DeleteTensor(inputs[i]);
  if (strcmp(token, "none") == 0) return;
  if (strcmp(token, "fail") == 0) {
    TF_SetStatus(status, TF_OUT_OF_RANGE, "no more");
    return;
  }
  outputs[0] = TF_AllocateTensor(strcmp(token, "wrong") == 0 ? TF_INT32 : TF_FLOAT, NULL, 0, sizeof(value));
  memcpy(TF_TensorData(outputs[0]), &value, sizeof(value));
}

// Runs a PyFunc node of |token| on 3: its value, or 0 and the error in |status|.
static float run_host_function(const char *token, TF_Status *status) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_scalar(s, TF_FLOAT, 3.0);
  TF_Output y = sl_op_at(sl_op_py_func(s, &x, 1, token, SL_TYPES(TF_FLOAT)), 0);
  TF_Session *session = open_session(s);
  TF_Tensor *value = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &y, &value, 1, NULL, 0, NULL, status);
  float result = value ? *(float *)TF_TensorData(value) : 0;
  TF_DeleteTensor(value);
  close_session(session);
  sl_scope_release(s);
  return result;
}

SLI_TEST(test_nodes_call_functions_of_the_program) {
  TF_Status *status = TF_NewStatus();
  run_host_function("half", status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  sl_set_host_function(call_host);
  SLI_EXPECT_NEAR(run_host_function("half", status), 1.5, 0);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  run_host_function("fail", status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_OUT_OF_RANGE);
  run_host_function("none", status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INTERNAL);
  run_host_function("wrong", status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  SLI_EXPECT(strstr(TF_Message(status), "0-th value returned by wrong is int32, but expects float"));
  sl_set_host_function(NULL);
  run_host_function("half", status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_INVALID_ARGUMENT);
  TF_DeleteStatus(status);
}

SLI_TEST(test_gradients_stop_where_they_are_told_to) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_scalar(s, TF_FLOAT, 3.0), y = sl_multiply(s, x, x), z = sl_multiply(s, y, x), xs[] = {x, y};
  sl_indexed_slices_t gradients[2];
  sl_graph_add_gradients_options_t options = {.struct_size = sizeof(options), .stops = &y, .stop_count = 1};
  TF_Status *status = TF_NewStatus();
  sl_graph_add_gradients(sl_scope_graph(s), "gradients", &z, 1, xs, 2, &options, gradients, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
  TF_Session *session = open_session(s);
  SLI_EXPECT_NEAR(train_fetch(session, gradients[0].values), 9, 0);  // not through y
  SLI_EXPECT_NEAR(train_fetch(session, gradients[1].values), 3, 0);
  close_session(session);
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_nodes_call_functions_of_the_program, test_gradients_stop_where_they_are_told_to,
              test_a_function_is_called_and_differentiated, test_functions_nest_and_use_variables,
              test_mistakes_name_themselves)
