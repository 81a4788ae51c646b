// Training on GPUs, which PoCL makes of the CPU. Where OpenCL has no device the test is skipped, and says so.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/test.h"
#include "device/opencl/opencl.h"
#include "sluice/ops/string.h"
#include "sluice/sluice.h"
#include "tests/gpu/gpus.h"

enum { BATCH = 20, FEATURES = 30, HIDDEN = 17, CLASSES = 5, STEPS = 8 };

typedef sl_optimizer_t *(*make_optimizer_t)(sl_scope_t *g);
static sl_optimizer_t *make_gradient_descent(sl_scope_t *g) { return sl_gradient_descent(g, 0.1); }
static sl_optimizer_t *make_momentum(sl_scope_t *g) { return sl_momentum(g, 0.05, 0.9, .use_nesterov = true); }
static sl_optimizer_t *make_adagrad(sl_scope_t *g) { return sl_adagrad(g, 0.1); }
static sl_optimizer_t *make_adam(sl_scope_t *g) { return sl_adam(g, 0.01); }
static sl_optimizer_t *make_rms_prop(sl_scope_t *g) { return sl_rms_prop(g, 0.01, .centered = true); }

typedef struct {
  sl_scope_t *graph;
  TF_Output images, labels, loss;
  TF_Operation *train;
  sl_session_t *session;
} model_t;

static TF_Output variable(sl_scope_t *g, const char *name, int rows, int columns) {
  static float values[FEATURES * HIDDEN];
  for (int i = 0; i < rows * columns; i++) values[i] = sinf((float)i) / 4;
  TF_Output start = sl_constant(g, TF_FLOAT, SL_SHAPE(rows, columns), values);
  return sl_variable(g, start, .name = name);
}

static void build(const char *device, make_optimizer_t make, model_t *out_model) {
  model_t m = {.graph = sl_graph_scope()};
  sl_scope_t *g = m.graph;
  SL_DEVICE (g, device) {
    m.images = sl_placeholder(g, TF_FLOAT, SL_SHAPE(BATCH, FEATURES));
    m.labels = sl_placeholder(g, TF_INT64, SL_SHAPE(BATCH));
    TF_Output hidden = sl_relu(g, sl_matmul(g, m.images, variable(g, "hidden", FEATURES, HIDDEN)));
    TF_Output logits = sl_matmul(g, hidden, variable(g, "logits", HIDDEN, CLASSES));
    logits = sl_add(g, logits, variable(g, "bias", 1, CLASSES));
    m.loss = sl_mean(g, sl_sparse_softmax_cross_entropy_with_logits(g, m.labels, logits));
    m.train = sl_minimize(g, make(g), m.loss);
  }
  m.session = sl_session(g);
  SLI_EXPECT(sl_run(m.session, SL_TARGET(sl_global_variables_initializer(g))));
  *out_model = m;
}

static void step(model_t *m, float *out_loss) {
  float images[BATCH * FEATURES];
  int64_t labels[BATCH];
  for (int i = 0; i < BATCH * FEATURES; i++) images[i] = cosf((float)(i * i % 97));
  for (int i = 0; i < BATCH; i++) labels[i] = i % CLASSES;
  SLI_EXPECT(sl_run(m->session, SL_FEED(m->images, images, BATCH, FEATURES), SL_FEED(m->labels, labels, BATCH),
                    SL_FETCH(m->loss, out_loss), SL_TARGET(m->train)));
}

static void train(const char *device, make_optimizer_t make, float *out_losses) {
  model_t m;
  build(device, make, &m);
  for (int i = 0; i < STEPS; i++) step(&m, &out_losses[i]);
  SLI_EXPECT_INT(sl_session_close(m.session), 0);
  sl_scope_release(m.graph);
}

SLI_TEST(test_losses_are_those_of_the_cpu) {
  gpus_require(2);
  make_optimizer_t makers[] = {make_gradient_descent, make_momentum, make_adagrad, make_adam, make_rms_prop};
  for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++) {
    float cpu[STEPS], gpu[STEPS], second[STEPS];
    train("/cpu:0", makers[i], cpu);
    train("/gpu:0", makers[i], gpu);
    train("/gpu:1", makers[i], second);
    SLI_EXPECT(cpu[STEPS - 1] < cpu[0]);
    for (int k = 0; k < STEPS; k++) {
      SLI_EXPECT(fabsf(cpu[k] - gpu[k]) < 1e-5f);
      SLI_EXPECT(gpu[k] == second[k]);
    }
  }
}

// A step copies its two feeds to the GPU and its loss back. Constants and variables stay there.
SLI_TEST(test_a_step_copies_what_it_must) {
  gpus_require(2);
  model_t m;
  build("/gpu:0", make_adam, &m);
  float loss;
  step(&m, &loss);
  sli_opencl_counts_t before = sli_opencl_counts();
  step(&m, &loss);
  sli_opencl_counts_t after = sli_opencl_counts();
  SLI_EXPECT_INT(after.uploads - before.uploads, 2);
  SLI_EXPECT_INT(after.downloads - before.downloads, 1);
  SLI_EXPECT_INT(after.download_bytes - before.download_bytes, sizeof(float));
  SLI_EXPECT_INT(sl_session_close(m.session), 0);
  sl_scope_release(m.graph);
}

static void expect_run_fails(sl_scope_t *g, TF_Output value, const char *text) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(g), options, status);
  TF_Tensor *fetched = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &value, &fetched, 1, NULL, 0, NULL, status);
  SLI_EXPECT_CONTAINS(TF_Message(status), text);
  TF_DeleteSession(session, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
}

SLI_TEST(test_what_a_gpu_cannot_do_is_said) {
  gpus_require(2);
  sl_scope_t *g = sl_graph_scope();
  TF_Output text, number;
  SL_DEVICE (g, "/gpu:0") text = sl_op_as_string(g, sl_constant(g, TF_FLOAT, SL_SHAPE(), ((float[]){1})));
  expect_run_fails(g, text, "no supported kernel for GPU devices is available");
  sl_scope_release(g);
  g = sl_graph_scope();
  SL_DEVICE (g, "/gpu:7") number = sl_constant(g, TF_FLOAT, SL_SHAPE(), ((float[]){1}));
  expect_run_fails(g, number, "device:GPU:1 ]");
  sl_scope_release(g);
}

SLI_TEST_MAIN(test_losses_are_those_of_the_cpu, test_a_step_copies_what_it_must, test_what_a_gpu_cannot_do_is_said)
