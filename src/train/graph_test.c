// Graphs that the training layer builds, node by node against those of
// TensorFlow's Python library.
#include "base/test.h"
#include "io/file.h"
#include "sluice/sluice.h"
#include "train/cluster_internal.h"
#include "train/scope_internal.h"

// --- Comparing ---

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Inputs as the listings have them: values, then control inputs by name.
static char *inputs_of(TF_Operation *operation) {
  sli_string_t text = {0};
  for (int i = 0; i < TF_OperationNumInputs(operation); i++) {
    TF_Output input = TF_OperationInput((TF_Input){operation, i});
    const char *name = TF_OperationName(input.oper);
    if (text.size) sli_string_append_char(&text, ' ');
    sli_string_append_text(&text, sli_starts_with(name, "gradients") ? "gradient" : name);
    if (input.index && !sli_starts_with(name, "gradients")) sli_string_append_format(&text, ":%d", input.index);
  }
  int count = TF_OperationNumControlInputs(operation);
  TF_Operation **controls = sli_calloc((size_t)count, sizeof(TF_Operation *));
  char **names = sli_calloc((size_t)count, sizeof(char *));
  TF_OperationGetControlInputs(operation, controls, count);
  for (int i = 0; i < count; i++) names[i] = sli_format("^%s", TF_OperationName(controls[i]));
  qsort(names, (size_t)count, sizeof(char *), by_text);
  for (int i = 0; i < count; i++) {
    sli_string_append_format(&text, "%s%s", text.size ? " " : "", names[i]);
    free(names[i]);
  }
  free(names);
  free(controls);
  return sli_string_take(&text);
}

static char *class_of(TF_Operation *operation) {
  TF_Status *status = TF_NewStatus();
  char storage[256] = "";
  void *values[1] = {storage};
  size_t lengths[1] = {0};
  TF_OperationGetAttrStringList(operation, "_class", values, lengths, 1, storage, sizeof(storage), status);
  char *text = TF_GetCode(status) == TF_OK ? sli_strndup(values[0], lengths[0]) : sli_strdup("");
  TF_DeleteStatus(status);
  return text;
}

static void compare_line(sl_scope_t *scope, const char *line) {
  sli_view_t rest = sli_view(line), name;
  sli_view_split(rest, '|', &name, &rest);
  char *text = sli_strndup(name.data, name.size);
  TF_Operation *operation = TF_GraphOperationByName(scope->graph, text);
  if (!operation) {
    sli_test_fail(__FILE__, __LINE__, "there is no node %s", line);
  } else {
    char *inputs = inputs_of(operation), *class = class_of(operation);
    char *own =
        sli_format("%s|%s|%s|%s|%s", text, TF_OperationOpType(operation), TF_OperationDevice(operation), inputs, class);
    SLI_EXPECT_TEXT(own, line);
    free(own);
    free(inputs);
    free(class);
  }
  free(text);
}

static void expect_graph(sl_scope_t *scope, const char *listing) {
  SLI_EXPECT_TEXT(sl_scope_error(scope), "");
  char *path = sli_format("%s/train/%s.txt", sli_test_golden_dir(), listing);
  sli_string_t text = {0};
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &text));
  size_t lines = 0;
  char *position = NULL;
  for (char *line = strtok_r(text.data, "\n", &position); line; line = strtok_r(NULL, "\n", &position)) {
    compare_line(scope, line);
    lines++;
  }
  SLI_EXPECT(lines > 10);
  sli_string_deinitialize(&text);
  free(path);
}

// --- The graphs ---

// A server object of worker 1 that does not serve.
static sl_server_t *idle_server(void) {
  setenv("TF_CONFIG",
         "{\"cluster\": {\"ps\": [\"a:1\", \"b:2\"], \"worker\": [\"c:1\", \"d:1\"]},"
         " \"task\": {\"type\": \"worker\", \"index\": 1}}",
         1);
  int argc = 1;
  char *argv[] = {"test", NULL};
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  unsetenv("TF_CONFIG");
  SLI_EXPECT_OK(sli_status_retain(cluster->status));
  cluster->status = sli_status_make(SLI_UNAVAILABLE, "not to be started");
  return sl_server_start(cluster);
}

typedef sl_optimizer_t *(*optimizer_function_t)(sl_scope_t *s);

static void expect_mlp(const char *listing, optimizer_function_t make_optimizer) {
  sl_server_t *server = idle_server();
  sl_scope_t *s = sl_graph_scope();
  SL_DEVICE (s, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(s);
    TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    TF_Output y = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 10), .name = "y");
    TF_Output hidden = sl_dense(s, x, 500, .activation = SL_RELU, .name = "hidden");
    TF_Output loss =
        sl_losses_softmax_cross_entropy(s, y, sl_dense(s, hidden, 10), .name = "softmax_cross_entropy_loss");
    // The listings' loss has another structure inside but the same name.
    TF_Output value = {TF_GraphOperationByName(s->graph, "softmax_cross_entropy_loss/value"), 0};
    SLI_EXPECT(value.oper == loss.oper);
    sl_minimize(s, make_optimizer(s), loss, .global_step = step);
    sl_summary_scalar(s, "loss", loss);
  }
  sl_global_variables_initializer(s);
  sl_summary_merge_all(s);
  sl_saver(s, .sharded = true);
  sl_saver(s);
  expect_graph(s, listing);
  sl_scope_release(s);
  sl_server_release(server);
}

static sl_optimizer_t *make_gradient_descent(sl_scope_t *s) { return sl_gradient_descent(s, 0.1); }
static sl_optimizer_t *make_momentum(sl_scope_t *s) { return sl_momentum(s, 0.1, 0.9); }
static sl_optimizer_t *make_adagrad(sl_scope_t *s) { return sl_adagrad(s, 0.1); }
static sl_optimizer_t *make_adam(sl_scope_t *s) { return sl_adam(s, 0.1); }
static sl_optimizer_t *make_rms_prop(sl_scope_t *s) { return sl_rms_prop(s, 0.1); }

SLI_TEST(test_mlp_with_gradient_descent) { expect_mlp("mlp_gradient_descent", make_gradient_descent); }
SLI_TEST(test_mlp_with_momentum) { expect_mlp("mlp_momentum", make_momentum); }
SLI_TEST(test_mlp_with_adagrad) { expect_mlp("mlp_adagrad", make_adagrad); }
SLI_TEST(test_mlp_with_adam) { expect_mlp("mlp_adam", make_adam); }
SLI_TEST(test_mlp_with_rms_prop) { expect_mlp("mlp_rms_prop", make_rms_prop); }

SLI_TEST(test_initializers) {
  static const struct {
    const char *name;
    sl_initializer_t initializer;
  } rows[] = {{"z", SL_ZEROS},
              {"o", SL_ONES},
              {"c", SL_CONSTANT(2)},
              {"n", SL_RANDOM_NORMAL(0, 1)},
              {"t", SL_RANDOM_TRUNCATED_NORMAL(0, 0.1)},
              {"u", SL_RANDOM_UNIFORM(-1, 1)},
              {"gn", SL_GLOROT_NORMAL},
              {"he", SL_HE_NORMAL},
              {"default", {0}}};
  sl_scope_t *s = sl_graph_scope();
  for (size_t i = 0; i < SLI_COUNT_OF(rows); i++)
    sl_get_variable(s, rows[i].name, TF_FLOAT, SL_SHAPE(50, 30), .initializer = rows[i].initializer);
  sl_get_variable(s, "i", TF_INT32, SL_SHAPE(2));
  expect_graph(s, "initializers");
  sl_scope_release(s);
}

SLI_TEST(test_scopes) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output v = sl_variable(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(3)));
  TF_Output w = sl_variable(s, sl_truncated_normal(s, TF_FLOAT, SL_SHAPE(2, 2), .stddev = 0.1), .name = "w");
  SL_NAME_SCOPE (s, "n") {
    sl_variable(s, sl_ones(s, TF_FLOAT, SL_SHAPE(2)), .name = "v");
  }
  SL_VARIABLE_SCOPE (s, "vs") {
    sl_get_variable(s, "g", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ZEROS);
    sl_add(s, v, v);
    sl_dense(s, sl_dense(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(2, 2)), 3), 3);
  }
  SL_VARIABLE_SCOPE (s, "vs") {
    sl_identity(s, v);
  }
  SL_NAME_SCOPE (s, "n") {
    sl_identity(s, v);
    sl_identity(s, v, .name = "identity");
  }
  SL_CONTROL_DEPENDENCIES (s, sl_no_op(s)) {
    TF_Output b = sl_identity(s, sl_zeros(s, TF_FLOAT, SL_SHAPE(2)));
    sl_add(s, b, sl_ones(s, TF_FLOAT, SL_SHAPE(2), .name = "y"));
  }
  sl_assign(s, w, w);
  SL_DEVICE (s, "/job:ps") {
    SL_DEVICE (s, "/task:1/cpu:0") {
      sl_no_op(s, .name = "inner");
    }
    SL_DEVICE (s, "/job:worker/task:0") {
      sl_no_op(s, .name = "other");
    }
    SL_DEVICE (s, (const char *)NULL) {
      sl_no_op(s, .name = "nowhere");
    }
    SL_COLOCATE_WITH(s, sl_variable_info(s, v)->reference.oper) { sl_no_op(s, .name = "together"); }
  }
  expect_graph(s, "scopes");
  sl_scope_release(s);
}

SLI_TEST(test_decays) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output step = sl_global_step(s);
  sl_exponential_decay(s, 0.1, step, 1000, 0.9);
  sl_exponential_decay(s, 0.1, step, 1000, 0.9, .staircase = true);
  sl_inverse_time_decay(s, 0.1, step, 100, 0.5);
  sl_polynomial_decay(s, 0.1, step, 1000, 0.0001);
  expect_graph(s, "decays");
  sl_scope_release(s);
}

SLI_TEST(test_slots_are_found_by_name) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(3));
  sl_optimizer_t *optimizer = sl_adam(s, 0.1);
  sl_minimize(s, optimizer, sl_mean(s, sl_square(s, w)));
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  const sl_variable_info_t *slot = sl_variable_info(s, sl_optimizer_slot(optimizer, w, "Adam_1"));
  SLI_REQUIRE(slot);
  SLI_EXPECT_TEXT(slot->name, "w/Adam_1");
  SLI_EXPECT(!slot->trainable);
  SLI_EXPECT(!sl_optimizer_slot(optimizer, w, "Momentum").oper);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 1);
  sl_scope_release(s);
}

SLI_TEST_MAIN(test_mlp_with_gradient_descent, test_mlp_with_momentum, test_mlp_with_adagrad, test_mlp_with_adam,
              test_mlp_with_rms_prop, test_initializers, test_scopes, test_decays, test_slots_are_found_by_name)
