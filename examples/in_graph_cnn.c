// In-graph replication: one client builds the network twice on the same variables, once on each of
// two workers, adds their costs, and minimizes the sum. The variables are on a ps. Start three
// servers first, see example_server.c.
//
//   in_graph_cnn --target=grpc://localhost:2223
//
// Prints a line for every fifth step and one at the end:
//
//   step 0, cost 49831.964844, accuracy 0.125000
//   …
//   Optimization Finished!
#include <stdio.h>

#include "sluice/ops.h"
#include "sluice/sluice.h"

enum { WORKERS = 2 };

static struct {
  const char *target, *data_dir;
  int64_t steps, batch_size;
  double learning_rate, dropout;
} flags = {
    .target = "grpc://localhost:2223",
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .steps = 200,
    .batch_size = 32,
    .learning_rate = 0.001,
    .dropout = 0.25,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, target, "address of a task of the cluster"),
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, steps, "training steps"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, learning_rate, "learning rate of Adam"),
    SL_FLAG(flags, dropout, "fraction of the units of the dense layer that are dropped"),
    SL_FLAGS_END,
};

typedef struct {
  TF_Output weights, biases;
} layer_t;

typedef struct {
  layer_t conv1, conv2, dense, out;
} network_t;

static layer_t layer(sl_scope_t *g, sl_shape_t shape) {
  int64_t units = shape.dims[shape.rank - 1];
  return (layer_t){sl_variable(g, sl_random_normal(g, TF_FLOAT, shape)),
                   sl_variable(g, sl_random_normal(g, TF_FLOAT, SL_SHAPE(units)))};
}

static TF_Output convolve(sl_scope_t *g, TF_Output x, layer_t layer) {
  TF_Output y = sl_op_conv2d(g, x, layer.weights, SL_INTS(1, 1, 1, 1), "SAME");
  y = sl_relu(g, sl_bias_add(g, y, layer.biases));
  return sl_max_pooling2d(g, y, SL_SIZE(2, 2), SL_SIZE(2, 2), .padding = SL_SAME);
}

static TF_Output affine(sl_scope_t *g, TF_Output x, layer_t layer) {
  return sl_add(g, sl_matmul(g, x, layer.weights), layer.biases);
}

static TF_Output network(sl_scope_t *g, TF_Output x, const network_t *layers, TF_Output training) {
  TF_Output net = sl_reshape(g, x, SL_SHAPE(-1, 28, 28, 1));
  net = convolve(g, convolve(g, net, layers->conv1), layers->conv2);
  net = sl_relu(g, affine(g, sl_reshape(g, net, SL_SHAPE(-1, 7 * 7 * 64)), layers->dense));
  return affine(g, sl_dropout(g, net, flags.dropout, .training_when = training), layers->out);
}

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Trains one network on two workers");
  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(g, flags.data_dir, .one_hot = true, .seed = 1);
  TF_Output x, y, training, cost[WORKERS], accuracy[WORKERS];
  network_t layers;
  SL_DEVICE(g, "/job:ps/task:0") {
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784));
    y = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 10));
    training = sl_placeholder(g, TF_BOOL, SL_SHAPE());
    layers = (network_t){layer(g, SL_SHAPE(5, 5, 1, 32)), layer(g, SL_SHAPE(5, 5, 32, 64)),
                         layer(g, SL_SHAPE(7 * 7 * 64, 1024)), layer(g, SL_SHAPE(1024, 10))};
  }
  for (int i = 0; i < WORKERS; i++)
    SL_DEVICE(g, i ? "/job:worker/task:1" : "/job:worker/task:0") {
      TF_Output logits = network(g, x, &layers, training);
      cost[i] = sl_mean(g, sl_softmax_cross_entropy_with_logits(g, y, logits));
      TF_Output right = sl_equal(g, sl_argmax(g, logits, 1), sl_argmax(g, y, 1));
      accuracy[i] = sl_mean(g, sl_cast(g, right, TF_FLOAT));
    }
  TF_Output total, share;
  TF_Operation *train, *init;
  SL_DEVICE(g, "/job:worker/task:1") {  // in-graph replication adds up the costs itself
    total = sl_add(g, cost[0], cost[1]);
    share = sl_add(g, accuracy[0], accuracy[1]);
    train = sl_minimize(g, sl_adam(g, flags.learning_rate), total);
    init = sl_global_variables_initializer(g);
  }

  sl_session_t *session = sl_session(g, .target = flags.target);
  bool ok = sl_run(session, SL_TARGET(init));
  for (int64_t step = 0; ok && step < flags.steps; step++) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    bool yes = true, no = false;
    float c, a;
    ok = sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels),
                SL_FEED(training, &yes), SL_TARGET(train));
    if (!ok || (step % 5 != 0 && step != flags.steps - 1)) continue;
    ok = sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_FEED(training, &no),
                SL_FETCH(total, &c), SL_FETCH(share, &a));
    if (ok) printf("step %lld, cost %f, accuracy %f\n", (long long)step, c, a / WORKERS);
  }
  if (ok) puts("Optimization Finished!");
  return sl_session_close(session);
}
