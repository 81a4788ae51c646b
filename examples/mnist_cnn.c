// Trains a convolutional network on MNIST with any number of tasks: two convolutions with pooling,
// a dense layer with dropout, softmax. The classifier for the test shares the variables of the one
// that is trained, but has no dropout.
//
//   sluice launch --ps 1 --workers 2 -- mnist_cnn --steps=1000
//
// Prints the progress on stderr, and at the end:
//
//   accuracy: 0.9021
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, batch_size, test_batch;
  double learning_rate, dropout;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "cnn_logs",
    .steps = 1000,
    .batch_size = 32,
    .test_batch = 1000,
    .learning_rate = 0.001,
    .dropout = 0.25,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, test_batch, "images in a test batch"),
    SL_FLAG(flags, learning_rate, "learning rate of Adam"),
    SL_FLAG(flags, dropout, "fraction of the dense layer's units that are dropped"),
    SL_FLAGS_END,
};

static TF_Output model(sl_scope_t *g, TF_Output x, bool training) {
  TF_Output logits = {0};
  SL_VARIABLE_SCOPE(g, "cnn", .reuse = SL_AUTO_REUSE) {
    TF_Output images = sl_reshape(g, x, SL_SHAPE(-1, 28, 28, 1));
    TF_Output conv1 = sl_conv2d(g, images, 32, SL_SIZE(5, 5), .padding = SL_SAME,
                                .activation = SL_RELU, .name = "conv1");
    TF_Output pool1 = sl_max_pooling2d(g, conv1, SL_SIZE(2, 2), SL_SIZE(2, 2));
    TF_Output conv2 = sl_conv2d(g, pool1, 64, SL_SIZE(5, 5), .padding = SL_SAME,
                                .activation = SL_RELU, .name = "conv2");
    TF_Output pool2 = sl_max_pooling2d(g, conv2, SL_SIZE(2, 2), SL_SIZE(2, 2));
    TF_Output fc1 = sl_dense(g, sl_flatten(g, pool2), 1024, .activation = SL_RELU, .name = "fc1");
    fc1 = sl_dropout(g, fc1, flags.dropout, .training = training);
    logits = sl_dense(g, fc1, 10, .name = "out");
  }
  return logits;
}

// Computes the accuracy on the whole test set in batches. Returns false after an error.
static bool evaluate(sl_session_t *session, TF_Output x, TF_Output y, TF_Output accuracy,
                     sl_batch_t test, double *out_share) {
  const float *images = test.images.data;
  const int64_t *labels = test.labels.data;
  int64_t total = test.labels.shape.dims[0];
  double right = 0;
  for (int64_t at = 0, count; at < total; at += count) {
    count = total - at < flags.test_batch ? total - at : flags.test_batch;
    float share;
    if (!sl_run(session, SL_FEED(x, images + at * 784, count, 784), SL_FEED(y, labels + at, count),
                SL_FETCH(accuracy, &share)))
      return false;
    right += share * (double)count;
  }
  *out_share = right / (double)total;
  return total > 0;
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a convolutional network on MNIST");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  TF_Output x, y, loss, accuracy;
  TF_Operation *train;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
    loss = sl_losses_sparse_softmax_cross_entropy(g, y, model(g, x, true));
    accuracy = sl_accuracy(g, y, model(g, x, false));
    train = sl_minimize(g, sl_adam(g, flags.learning_rate), loss, .global_step = sl_global_step(g));
    sl_summary_scalar(g, "loss", loss);
  }

  sl_session_t *session = sl_monitored_training_session(
      g, server, .checkpoint_dir = flags.log_dir, .progress = loss, .stop_at_step = flags.steps);
  while (!sl_should_stop(session)) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_TARGET(train));
  }
  double share;
  if (sl_server_is_chief(server) && evaluate(session, x, y, accuracy, sl_mnist_test(mnist), &share))
    printf("accuracy: %.4f\n", share);
  return sl_session_close(session);
}
