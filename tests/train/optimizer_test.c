// Compares optimizers, learning rates, clipping and averages with those of TensorFlow's
// Python library: the graphs node by node, and the values after some steps.
#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "base/test.h"
#include "tests/train/golden.h"

// --- A session that takes steps ---

typedef struct {
  TF_Session *session;
  TF_Status *status;
} run_t;

static run_t open_session(sl_scope_t *s) {
  run_t run = {.status = TF_NewStatus()};
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  const TF_Operation *initializers[] = {sl_global_variables_initializer(s), sl_local_variables_initializer(s)};
  TF_SessionOptions *options = TF_NewSessionOptions();
  run.session = TF_NewSession(sl_scope_graph(s), options, run.status);
  TF_DeleteSessionOptions(options);
  TF_SessionRun(run.session, NULL, NULL, NULL, 0, NULL, NULL, 0, initializers, 2, NULL, run.status);
  SLI_EXPECT_TEXT(TF_Message(run.status), "");
  return run;
}

static void close_session(run_t *run) {
  TF_CloseSession(run->session, run->status);
  TF_DeleteSession(run->session, run->status);
  TF_DeleteStatus(run->status);
}

// Runs |target| with |feed| (both optional) and copies the float |fetch| to |out_values|.
static void step(run_t *run, const TF_Operation *target, TF_Output feed, TF_Tensor *value, TF_Output fetch,
                 float *out_values) {
  TF_Tensor *fetched = NULL;
  TF_SessionRun(run->session, NULL, &feed, &value, value != NULL, &fetch, &fetched, out_values != NULL, &target,
                target != NULL, NULL, run->status);
  SLI_EXPECT_TEXT(TF_Message(run->status), "");
  if (fetched && out_values) memcpy(out_values, TF_TensorData(fetched), TF_TensorByteSize(fetched));
  if (fetched) TF_DeleteTensor(fetched);
}

static const TF_Output none = {0};

// --- Rules ---

static sl_optimizer_t *make_gradient_descent(sl_scope_t *s) { return sl_gradient_descent(s, 0.1); }
static sl_optimizer_t *make_momentum(sl_scope_t *s) { return sl_momentum(s, 0.1, 0.9, .use_nesterov = true); }
static sl_optimizer_t *make_adagrad(sl_scope_t *s) { return sl_adagrad(s, 0.1); }
static sl_optimizer_t *make_adagrad_da(sl_scope_t *s) { return sl_adagrad_da(s, 0.1, sl_global_step(s), .l2 = 0.01); }
static sl_optimizer_t *make_adadelta(sl_scope_t *s) { return sl_adadelta(s, 0.1); }
static sl_optimizer_t *make_adam(sl_scope_t *s) { return sl_adam(s, 0.1); }
static sl_optimizer_t *make_rms_prop(sl_scope_t *s) { return sl_rms_prop(s, 0.1, .momentum = 0.5); }
static sl_optimizer_t *make_rms_prop_centered(sl_scope_t *s) { return sl_rms_prop(s, 0.1, .centered = true); }
static sl_optimizer_t *make_ftrl(sl_scope_t *s) { return sl_ftrl(s, 0.1, .l1 = 0.02); }
static sl_optimizer_t *make_proximal_gradient_descent(sl_scope_t *s) {
  return sl_proximal_gradient_descent(s, 0.1, .l1 = 0.01);
}
static sl_optimizer_t *make_proximal_adagrad(sl_scope_t *s) { return sl_proximal_adagrad(s, 0.1, .l1 = 0.01); }

static const struct {
  const char *name;
  sl_optimizer_t *(*make)(sl_scope_t *s);
} rules[] = {{"gradient_descent", make_gradient_descent},
             {"momentum", make_momentum},
             {"adagrad", make_adagrad},
             {"adagrad_da", make_adagrad_da},
             {"adadelta", make_adadelta},
             {"adam", make_adam},
             {"rms_prop", make_rms_prop},
             {"rms_prop_centered", make_rms_prop_centered},
             {"ftrl", make_ftrl},
             {"proximal_gradient_descent", make_proximal_gradient_descent},
             {"proximal_adagrad", make_proximal_adagrad}};

typedef struct {
  TF_Output w, table, ids;
  TF_Operation *train;
} model_t;

// A dense gradient for "w", a sparse one for "table".
static model_t build_model(sl_scope_t *s, sl_optimizer_t *(*make)(sl_scope_t *s)) {
  model_t model;
  TF_Output global_step = sl_global_step(s);
  model.w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(4), .initializer = SL_ONES);
  model.table = sl_get_variable(s, "table", TF_FLOAT, SL_SHAPE(6, 2), .initializer = SL_ONES);
  model.ids = sl_placeholder(s, TF_INT32, SL_SHAPE(-1), .name = "ids");
  TF_Output rows = sl_embedding_lookup(s, model.table, model.ids);
  TF_Output loss = sl_add(s, sl_sum(s, sl_square(s, model.w)), sl_sum(s, rows));
  model.train = sl_minimize(s, make(s), loss, .global_step = global_step);
  return model;
}

// The same with resource variables, imported from a file that Python exported; not trained yet.
static model_t import_resources(sl_scope_t *s) {
  model_t model = {0};
  char *path = sli_format("%s/train/resources.meta", sli_test_golden_dir());
  sl_import_meta_graph(s, path);
  free(path);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_CHECK(sl_collection_count(s, SL_TRAINABLE_VARIABLES) == 2 && sl_collection_count(s, SL_LOSSES) == 1);
  model.w = sl_collection_items(s, SL_TRAINABLE_VARIABLES)[0];
  model.table = sl_collection_items(s, SL_TRAINABLE_VARIABLES)[1];
  model.ids = (TF_Output){TF_GraphOperationByName(sl_scope_graph(s), "ids"), 0};
  return model;
}

static model_t import_model(sl_scope_t *s, sl_optimizer_t *(*make)(sl_scope_t *s)) {
  model_t model = import_resources(s);
  TF_Output loss = sl_collection_items(s, SL_LOSSES)[0];
  model.train = sl_minimize(s, make(s), loss, .global_step = sl_global_step(s));
  return model;
}

static const struct {
  const char *prefix;
  model_t (*build)(sl_scope_t *s, sl_optimizer_t *(*make)(sl_scope_t *s));
} kinds[] = {{"optimizer", build_model}, {"resource", import_model}};

static void expect_graphs(int kind) {
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rules); i++) {
    sl_scope_t *s = sl_graph_scope();
    kinds[kind].build(s, rules[i].make);
    char *listing = sli_format("%s_%s", kinds[kind].prefix, rules[i].name);
    sli_expect_listing(s, listing);
    free(listing);
    sl_scope_release(s);
  }
}

SLI_TEST(test_optimizers_build_tensorflows_graphs) { expect_graphs(0); }
SLI_TEST(test_optimizers_of_resources_build_tensorflows_graphs) { expect_graphs(1); }

static void expect_steps(int kind) {
  enum { W = 4, TABLE = 12 };
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(rules); i++) {
    sl_scope_t *s = sl_graph_scope();
    model_t model = kinds[kind].build(s, rules[i].make);
    run_t run = open_session(s);
    for (int j = 0; j < 3; j++) {
      TF_Tensor *ids = TF_AllocateTensor(TF_INT32, (int64_t[]){3}, 1, 3 * sizeof(int32_t));
      memcpy(TF_TensorData(ids), (int32_t[]){1, 3, 1}, 3 * sizeof(int32_t));
      step(&run, model.train, model.ids, ids, none, NULL);
      TF_DeleteTensor(ids);
    }
    float values[W + TABLE] = {0};
    double wanted[W + TABLE];
    step(&run, NULL, none, NULL, model.w, values);
    step(&run, NULL, none, NULL, model.table, values + W);
    SLI_REQUIRE(sli_golden_numbers("optimizer_values", rules[i].name, wanted, W + TABLE) == W + TABLE);
    for (int j = 0; j < W + TABLE; j++) SLI_EXPECT_NEAR(values[j], wanted[j], 2e-6);
    close_session(&run);
    sl_scope_release(s);
  }
}

SLI_TEST(test_optimizers_take_tensorflows_steps) { expect_steps(0); }
SLI_TEST(test_optimizers_of_resources_take_tensorflows_steps) { expect_steps(1); }

SLI_TEST(test_averages_of_resources_are_tensorflows) {
  sl_scope_t *s = sl_graph_scope();
  char *path = sli_format("%s/train/resources.meta", sli_test_golden_dir());
  sl_import_meta_graph(s, path);
  free(path);
  TF_Output w = sl_collection_items(s, SL_TRAINABLE_VARIABLES)[0];
  sl_moving_average_t *average = sl_moving_average(s, 0.9, .num_updates = sl_global_step(s));
  sl_moving_average_apply(s, average, sl_collection(s, SL_TRAINABLE_VARIABLES, NULL));
  sli_expect_listing(s, "resource_averages");
  // A second average, which reads the variable after its dependencies: from 1 a tenth of the way to 2.
  TF_Operation *doubled = sl_assign(s, w, sl_add(s, w, w)).oper, *moved = NULL;
  sl_moving_average_t *later = sl_moving_average(s, 0.9, .name = "later");
  SL_CONTROL_DEPENDENCIES (s, doubled) moved = sl_moving_average_apply(s, later, SL_OUTPUTS(w));
  run_t run = open_session(s);
  float values[4] = {0};
  step(&run, moved, none, NULL, none, NULL);
  step(&run, NULL, none, NULL, sl_moving_average_of(later, w), values);
  for (int i = 0; i < 4; i++) SLI_EXPECT_NEAR(values[i], 1.1, 1e-6);
  close_session(&run);
  sl_scope_release(s);
}

// --- Rates, clipping, averages ---

// The constants of an optimizer are floats for variables of any type, also "beta1_power", as in Python's checkpoints.
SLI_TEST(test_one_optimizer_takes_variables_of_several_types) {
  for (int kind = 0; kind < 4; kind++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output w = sl_get_variable(s, "w", TF_DOUBLE, SL_SHAPE(2, 1), .initializer = SL_ONES);
    TF_Output table = sl_get_variable(s, "table", TF_DOUBLE, SL_SHAPE(3, 1), .initializer = SL_ONES);
    TF_Output v = sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ONES);
    TF_Output rows = sl_embedding_lookup(s, table, sl_constant(s, TF_INT32, SL_SHAPE(1), (int32_t[]){1}));
    TF_Output loss = sl_add(s, sl_cast(s, sl_add(s, sl_sum(s, w), sl_sum(s, rows)), TF_FLOAT), sl_sum(s, v));
    sl_optimizer_t *optimizers[] = {sl_gradient_descent(s, 0.5), sl_adam(s, 0.5), sl_momentum(s, 0.5, 0.9),
                                    sl_adagrad(s, 0.5)};
    TF_Operation *train = sl_minimize(s, optimizers[kind], loss);
    TF_Output after[3];
    SL_CONTROL_DEPENDENCIES (s, train) {
      const TF_Output variables[] = {v, w, table};
      for (int i = 0; i < 3; i++) after[i] = sl_identity(s, sl_variable_info(s, variables[i])->reference);
    }
    SLI_EXPECT_TEXT(sl_scope_error(s), "");
    double values[6] = {0};
    SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), after, 3, values, 6), 6);
    double moved = kind == 3 ? 1 - 0.5 / sqrt(1.1) : 0.5;
    const double wanted[] = {moved, moved, moved, 1, moved, 1};
    for (int i = 0; i < 6; i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-6);
    if (kind == 1) {
      TF_Operation *power = TF_GraphOperationByName(sl_scope_graph(s), "beta1_power/read");
      SLI_EXPECT(power && TF_OperationOutputType((TF_Output){power, 0}) == TF_FLOAT);
    }
    sl_scope_release(s);
  }
}

SLI_TEST(test_decays_equal_tensorflows) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output now = sl_scalar(s, TF_INT64, 350);
  const int64_t boundaries[] = {100, 350}, earlier[] = {100, 349};
  const double rates[] = {1, 0.5, 0.1};
  TF_Output schedule = sl_scalar(s, TF_FLOAT, 0.7);
  TF_Output outputs[] = {
      sl_natural_exp_decay(s, 0.1, now, 100, 0.5), sl_natural_exp_decay(s, 0.1, now, 100, 0.5, .staircase = true),
      sl_cosine_decay(s, 0.1, now, 1000, .alpha = 0.1), sl_cosine_decay_restarts(s, 0.1, now, 100),
      sl_cosine_decay_restarts(s, 0.1, now, 100, .t_mul = 1, .m_mul = 0.5, .alpha = 0.1),
      sl_cosine_decay_restarts(s, 0.1, now, 100, .t_mul = 3, .m_mul = 0.9),
      sl_piecewise_constant(s, now, boundaries, rates, 2), sl_piecewise_constant(s, now, earlier, rates, 2),
      // Eight workers: from 0.1 to 0.8.
      sl_linear_scaling_warmup(s, 0.1, now, 8, 700, schedule), sl_linear_scaling_warmup(s, 0.1, now, 8, 350, schedule),
      sl_polynomial_decay(s, 0.1, sl_scalar(s, TF_INT64, 0), 100, 0.01, .power = 2, .cycle = true),
      sl_polynomial_decay(s, 0.1, sl_scalar(s, TF_INT64, 101), 100, 0.01, .power = 2, .cycle = true)};
  const double wanted[] = {0.017377395, 0.022313017, 0.075429574, 0.096193977, 0.015625, 0.0060288575,
                           0.5,         0.1,         0.45,        0.7,         0.1,      0.032052249};
  double values[SLI_ARRAY_COUNT_OF(wanted)];
  sli_test_run(s, NULL, outputs, SLI_ARRAY_COUNT_OF(outputs), values, SLI_ARRAY_COUNT_OF(values));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(wanted); i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-6);
  sl_scope_release(s);
}

SLI_TEST(test_clipping_equals_tensorflows) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(3), .name = "x"),
            y = sl_placeholder(s, TF_FLOAT, SL_SHAPE(2), .name = "y");
  sl_clip_by_value(s, x, -1, 1);
  sl_clip_by_norm(s, x, 2);
  sl_clip_by_average_norm(s, x, 2);
  sl_gradient_t items[] = {{.gradient = x}, {.gradient = y}};
  sl_clip_by_global_norm(s, ((sl_gradients_t){2, items}), 5);
  sli_expect_listing(s, "clipping");
  TF_Output v = sl_constant(s, TF_FLOAT, SL_SHAPE(3), ((float[]){3, 4, 0}));
  sl_gradient_t same[] = {{.gradient = v}, {.variable = none}, {.gradient = v}};
  sl_gradients_t clipped = sl_clip_by_global_norm(s, ((sl_gradients_t){3, same}), 5);
  SLI_EXPECT(!clipped.items[1].gradient.oper);
  TF_Output outputs[] = {sl_clip_by_value(s, v, -1, 3.5), sl_clip_by_norm(s, v, 2), sl_clip_by_average_norm(s, v, 1),
                         clipped.items[2].gradient};
  const double wanted[] = {3, 3.5, 0, 1.2, 1.6, 0, 1.8, 2.4, 0, 2.1213203, 2.828427, 0};
  double values[SLI_ARRAY_COUNT_OF(wanted)];
  sli_test_run(s, NULL, outputs, 4, values, SLI_ARRAY_COUNT_OF(values));
  for (size_t i = 0; i < SLI_ARRAY_COUNT_OF(wanted); i++) SLI_EXPECT_NEAR(values[i], wanted[i], 1e-6);
  sl_scope_release(s);
}

SLI_TEST(test_towers_are_averaged) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(2), .initializer = SL_ONES);
  sl_gradients_t towers[2];
  for (int i = 0; i < 2; i++) {
    SL_NAME_SCOPE (s, "tower_%d", i) {
      towers[i] = sl_compute_gradients(s, sl_sum(s, sl_multiply(s, w, sl_scalar(s, TF_FLOAT, 2.0 + 4 * i))));
    }
  }
  sl_gradients_t mean = sl_average_gradients(s, towers, 2);
  SLI_EXPECT_INT(mean.count, 1);
  double values[2];
  sli_test_run(s, sl_global_variables_initializer(s), &mean.items[0].gradient, 1, values, 2);
  SLI_EXPECT_NEAR(values[0], 4, 0);
  sl_scope_release(s);
}

SLI_TEST(test_moving_averages_follow_their_variables) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ONES);
  TF_Output b = sl_get_variable(s, "b", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ONES);
  sl_moving_average_t *average = sl_moving_average(s, 0.75);
  TF_Operation *move = sl_moving_average_apply(s, average, SL_OUTPUTS(w));
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Output shadow = sl_moving_average_of(average, w);
  SLI_REQUIRE(shadow.oper);
  SLI_EXPECT_TEXT(TF_OperationName(shadow.oper), "w/ExponentialMovingAverage/read");
  SLI_EXPECT_TEXT(sl_moving_average_name(average, w), "w/ExponentialMovingAverage");
  SLI_EXPECT_TEXT(sl_moving_average_name(average, b), "b");
  SLI_EXPECT_INT(sl_collection_count(s, SL_MOVING_AVERAGE_VARIABLES), 1);
  TF_Operation *five = sl_assign(s, w, sl_constant(s, TF_FLOAT, SL_SHAPE(1), ((float[]){5}))).oper;
  run_t run = open_session(s);
  float value = 0;
  step(&run, five, none, NULL, none, NULL);
  step(&run, move, none, NULL, none, NULL);
  step(&run, NULL, none, NULL, shadow, &value);
  SLI_EXPECT_NEAR(value, 2, 1e-6);  // 1 + (5 - 1) / 4
  step(&run, move, none, NULL, none, NULL);
  step(&run, NULL, none, NULL, shadow, &value);
  SLI_EXPECT_NEAR(value, 2.75, 1e-6);
  close_session(&run);
  sl_moving_average_apply(s, average, SL_OUTPUTS(w));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Moving average already computed for: w");
  sl_scope_release(s);
}

// Saves w = 4 with an average of 1 (it began as 0: 0.75 * 0 + 0.25 * 4), and v = 7, which has none.
static void save_average(const char *prefix) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
  sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(7), .not_trainable = true);
  sl_moving_average_t *average = sl_moving_average(s, 0.75);
  TF_Operation *move = sl_moving_average_apply(s, average, SL_OUTPUTS(w));
  TF_Operation *set = sl_assign(s, w, sl_scalar(s, TF_FLOAT, 4)).oper;
  SLI_EXPECT_INT(sl_moving_average_variables_to_restore(average, (sl_outputs_t){0}).count, 2);  // not the shadow
  sl_saver_t *saver = sl_saver(s);
  run_t run = open_session(s);
  step(&run, set, none, NULL, none, NULL);
  step(&run, move, none, NULL, none, NULL);
  sl_saver_save(saver, run.session, prefix, -1, NULL, run.status);
  SLI_EXPECT_TEXT(TF_Message(run.status), "");
  close_session(&run);
  sl_scope_release(s);
}

SLI_TEST(test_averages_of_values_start_at_0) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output loss = sl_scalar(s, TF_FLOAT, 4, .name = "loss"), w = sl_variable(s, loss, .name = "w");
  sl_moving_average_t *average = sl_moving_average(s, 0.5, .name = "avg");
  TF_Operation *move = sl_moving_average_apply(s, average, SL_OUTPUTS(loss, w));
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Output shadows[] = {sl_moving_average_of(average, loss), sl_moving_average_of(average, w)}, moved[2];
  SLI_REQUIRE(move && shadows[0].oper && shadows[1].oper);
  SLI_EXPECT_TEXT(sl_variable_info(s, shadows[0])->name, "loss/avg");
  SLI_EXPECT_TEXT(sl_moving_average_name(average, loss), "loss/avg");
  SLI_EXPECT_INT(sl_collection_count(s, SL_MOVING_AVERAGE_VARIABLES), 1);
  SL_CONTROL_DEPENDENCIES (s, move) {
    for (int i = 0; i < 2; i++) moved[i] = sl_identity(s, sl_variable_info(s, shadows[i])->reference);
  }
  double values[2];
  SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), moved, 2, values, 2), 2);
  SLI_EXPECT_NEAR(values[0], 2, 0);
  SLI_EXPECT_NEAR(values[1], 4, 0);
  sl_moving_average_apply(s, average, SL_OUTPUTS(sl_scalar(s, TF_INT32, 1, .name = "whole")));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "The variables must be half, float, or double: whole");
  sl_scope_release(s);
}

SLI_TEST(test_averages_are_restored_into_the_variables) {
  char *prefix = sli_format("%s/average", sli_test_temporary_dir());
  save_average(prefix);
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE());
  TF_Output v = sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(), .not_trainable = true);
  sl_restore_map_t map = sl_moving_average_variables_to_restore(sl_moving_average(s, 0.75), (sl_outputs_t){0});
  SLI_REQUIRE(map.count == 2);
  SLI_EXPECT_TEXT(map.names[0], "w/ExponentialMovingAverage");
  SLI_EXPECT_TEXT(map.names[1], "v");
  sl_saver_t *saver = sl_saver(s, .variables = map.variables, .variable_count = map.count, .names = map.names);
  run_t run = open_session(s);
  sl_saver_restore(saver, run.session, prefix, run.status);
  SLI_EXPECT_TEXT(TF_Message(run.status), "");
  float values[2] = {0};
  step(&run, NULL, none, NULL, w, &values[0]);
  step(&run, NULL, none, NULL, v, &values[1]);
  SLI_EXPECT_NEAR(values[0], 1, 0);
  SLI_EXPECT_NEAR(values[1], 7, 0);
  close_session(&run);
  sl_scope_release(s);
  free(prefix);
}

// --- Delay compensation ---

enum { WORKERS = 4, ROUNDS = 60 };
#define RATE 0.03

// d/dw of exp(w) - w, whose least value is at 0; its curvature changes with w.
static double slope(double w) { return exp(w) - 1; }

typedef struct {
  double w, backup[WORKERS], square[WORKERS];
} reference_t;

static void reference_push(reference_t *r, int worker, double gradient, double lambda, bool adaptive) {
  if (adaptive) {
    r->square[worker] = 0.95 * r->square[worker] + 0.05 * gradient * gradient;
    lambda /= sqrt(r->square[worker] + 1e-7);
  }
  r->w -= RATE * (gradient + lambda * gradient * gradient * (r->w - r->backup[worker]));
}

// All workers read, then apply their gradients one after the other: all but the first are late. Returns the sum of |w|
// over the steps. |w| is a scalar, or an imported resource with four equal elements.
static double train_late(double lambda, bool adaptive, bool is_resource) {
  enum { SIZE = 4 };
  double start = is_resource ? 1 : 1.5;
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = is_resource ? import_resources(s).w
                            : sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(SIZE), .initializer = SL_CONSTANT(start));
  TF_Output gradient = sl_placeholder(s, TF_FLOAT, SL_SHAPE(SIZE), .name = "gradient");
  TF_Operation *push[WORKERS], *pull[WORKERS];
  for (int i = 0; i < WORKERS; i++) {
    sl_optimizer_t *optimizer = sl_delay_compensated(s, sl_gradient_descent(s, RATE), i, .lambda = lambda,
                                                     .adaptive = adaptive, .manual_pull = true);
    sl_gradient_t item = {.gradient = gradient, .variable = w};
    push[i] = sl_apply_gradients(s, optimizer, ((sl_gradients_t){1, &item}));
    pull[i] = sl_delay_compensated_pull(optimizer);
  }
  run_t run = open_session(s);
  reference_t reference = {.w = start};
  double sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    float values[SIZE] = {0};
    double gradients[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
      step(&run, pull[i], none, NULL, none, NULL);
      reference.backup[i] = reference.w;
      gradients[i] = slope(reference.w);
    }
    for (int i = 0; i < WORKERS; i++) {
      TF_Tensor *fed = TF_AllocateTensor(TF_FLOAT, (int64_t[]){SIZE}, 1, sizeof(values));
      for (int j = 0; j < SIZE; j++) ((float *)TF_TensorData(fed))[j] = (float)gradients[i];
      step(&run, push[i], gradient, fed, none, NULL);
      TF_DeleteTensor(fed);
      reference_push(&reference, i, gradients[i], lambda, adaptive);
      step(&run, NULL, none, NULL, w, values);
      for (int j = 0; j < SIZE; j++) SLI_EXPECT_NEAR(values[j], reference.w, 1e-6);
    }
    sum += fabs(values[0]);
  }
  close_session(&run);
  sl_scope_release(s);
  return sum;
}

// The distance from the minimum with late gradients and no compensation.
static double train_plain(void) {
  double w = 1.5, sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double gradient = slope(w);
    for (int i = 0; i < WORKERS; i++) w -= RATE * gradient;
    sum += fabs(w);
  }
  return sum;
}

// The distance from the minimum with gradients that are never late.
static double train_sequential(void) {
  double w = 1.5, sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < WORKERS; i++) w -= RATE * slope(w);
    sum += fabs(w);
  }
  return sum;
}

SLI_TEST(test_delay_compensation_follows_the_formulas_and_helps) {
  double plain = train_plain(), sequential = train_sequential();
  double constant = train_late(0.2, false, false), adaptive = train_late(0.2, true, false);
  // Closer to the result without delay.
  SLI_EXPECT(fabs(constant - sequential) < fabs(plain - sequential));
  SLI_EXPECT(fabs(adaptive - sequential) < fabs(plain - sequential));
}

SLI_TEST(test_delay_compensation_of_resources_follows_the_formulas) {
  train_late(0.2, false, true);
  train_late(0.2, true, true);
}

SLI_TEST(test_delay_compensation_pulls_by_itself) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(1));
  sl_optimizer_t *optimizer = sl_delay_compensated(s, sl_gradient_descent(s, 0.25), 3);
  TF_Operation *train = sl_minimize(s, optimizer, sl_square(s, w));
  SLI_EXPECT(TF_GraphOperationByName(sl_scope_graph(s), "w/DelayCompensation_worker_3"));
  run_t run = open_session(s);
  float value = 0;
  for (int i = 0; i < 2; i++) step(&run, train, none, NULL, none, NULL);
  step(&run, NULL, none, NULL, w, &value);
  SLI_EXPECT_NEAR(value, 0.25, 1e-6);  // no other worker: plain steps
  close_session(&run);
  sl_scope_release(s);
}

static TF_Operation *need_operation(sl_scope_t *s, const char *name) {
  TF_Operation *operation = TF_GraphOperationByName(sl_scope_graph(s), name);
  if (!operation) sli_test_fail(__FILE__, __LINE__, "there is no node '%s'", name);
  return operation;
}

// Else a variable could be changed while the gradient of an earlier layer still reads it.
SLI_TEST(test_gradients_of_an_op_wait_for_each_other_and_are_placed_by_the_scope) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output x = sl_placeholder(s, TF_FLOAT, SL_SHAPE(-1, 3));
  TF_Output v = sl_get_variable(s, "v", TF_FLOAT, SL_SHAPE(3, 4)),
            w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(4, 2));
  TF_Output loss = sl_mean(s, sl_matmul(s, sl_matmul(s, x, v, .name = "low"), w, .name = "high"));
  sl_gradients_t gradients = {0};
  SL_DEVICE (s, "/job:worker/task:1") gradients = sl_compute_gradients(s, loss);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_REQUIRE(gradients.count == 2);
  TF_Operation *group = need_operation(s, "gradients/high_grad/tuple/group_deps");
  SLI_REQUIRE(group);
  SLI_EXPECT_INT(TF_OperationNumControlInputs(group), 2);
  TF_Operation *of_w = gradients.items[1].gradient.oper, *control = NULL;
  SLI_EXPECT_TEXT(TF_OperationOpType(of_w), "Identity");
  SLI_EXPECT_CONTAINS(TF_OperationName(of_w), "gradients/high_grad/tuple/control_dependency");
  SLI_EXPECT_INT(TF_OperationGetControlInputs(of_w, &control, 1), 1);
  SLI_EXPECT(control == group);
  SLI_EXPECT_TEXT(TF_OperationDevice(of_w), "/job:worker/task:1");
  SLI_EXPECT_TEXT(TF_OperationDevice(gradients.items[0].gradient.oper), "/job:worker/task:1");
  // The gradient of x is not requested, and nothing waits for it.
  SLI_EXPECT(!TF_GraphOperationByName(sl_scope_graph(s), "gradients/low_grad/tuple/group_deps"));
  sl_scope_release(s);
}

SLI_TEST(test_gradients_of_several_paths_may_be_summed_two_at_a_time) {
  static const char *const names[] = {"gradients/AddN", "gradients/w/read_gradient_sum/AddN_1",
                                      "gradients/w/read_gradient_sum/AddN_1"};
  for (int method = SL_ADD_N; method <= SL_EXPERIMENTAL_ACCUMULATE_N; method++) {
    sl_scope_t *s = sl_graph_scope();
    TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_ONES);
    TF_Output y = sl_add(s, sl_add(s, sl_square(s, w), sl_exp(s, w)), sl_square(s, w));
    sl_gradients_t gradients = sl_compute_gradients(s, y, .aggregation_method = (sl_aggregation_method_t)method);
    SLI_EXPECT_TEXT(sl_scope_error(s), "");
    SLI_REQUIRE(gradients.count == 1);
    SLI_EXPECT_TEXT(TF_OperationName(gradients.items[0].gradient.oper), names[method]);
    double value;
    SLI_EXPECT_INT(sli_test_run(s, sl_global_variables_initializer(s), &gradients.items[0].gradient, 1, &value, 1), 1);
    SLI_EXPECT_NEAR(value, 4 + 2.718281828, 1e-5);
    sl_scope_release(s);
  }
}

SLI_TEST_MAIN(test_averages_of_values_start_at_0, test_one_optimizer_takes_variables_of_several_types,
              test_averages_are_restored_into_the_variables,
              test_gradients_of_several_paths_may_be_summed_two_at_a_time,
              test_gradients_of_an_op_wait_for_each_other_and_are_placed_by_the_scope,
              test_optimizers_build_tensorflows_graphs, test_optimizers_of_resources_build_tensorflows_graphs,
              test_optimizers_take_tensorflows_steps, test_optimizers_of_resources_take_tensorflows_steps,
              test_averages_of_resources_are_tensorflows, test_decays_equal_tensorflows,
              test_clipping_equals_tensorflows, test_towers_are_averaged, test_moving_averages_follow_their_variables,
              test_delay_compensation_follows_the_formulas_and_helps, test_delay_compensation_pulls_by_itself,
              test_delay_compensation_of_resources_follows_the_formulas)
