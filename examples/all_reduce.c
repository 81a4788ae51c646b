// Synchronous training without ps tasks: every worker has the whole model, and the workers average
// their gradients around a ring while back-propagation still computes the next ones.
//
//   sluice launch --workers 4 -- all_reduce
//
// All workers start from the chief's variables and stay equal, to the bit. The chief saves
// checkpoints; after a restart all continue from the newest. Prints every 100 steps, and at the end
// the accuracy on the test set:
//
//   Train step 100, loss: 0.812371
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, batch_size, hidden_units, bucket_bytes, warmup_steps;
  double learning_rate;
  bool cnn;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "all_reduce_logs",
    .steps = 1000,
    .batch_size = 32,
    .hidden_units = 100,
    .learning_rate = 0.001,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "steps to train"),
    SL_FLAG(flags, batch_size, "images in the batch of one worker"),
    SL_FLAG(flags, hidden_units, "units of each of the two hidden layers"),
    SL_FLAG(flags, cnn, "train two convolutions and a hidden layer of 1,024 units instead"),
    SL_FLAG(flags, learning_rate, "learning rate of Adam"),
    SL_FLAG(flags, warmup_steps, "steps in which the rate rises to that times the workers; 0: no"),
    SL_FLAG(flags, bucket_bytes,
            "bytes of gradients that are reduced together; 0: a quarter of all"),
    SL_FLAGS_END,
};

static TF_Output convolution(sl_scope_t *g, TF_Output images, int64_t filters) {
  TF_Output net =
      sl_conv2d(g, images, filters, SL_SIZE(5, 5), .padding = SL_SAME, .activation = SL_RELU);
  return sl_max_pooling2d(g, net, SL_SIZE(2, 2), SL_SIZE(2, 2));
}

static TF_Output model(sl_scope_t *g, TF_Output images) {
  if (flags.cnn) {
    TF_Output net = convolution(g, sl_reshape(g, images, SL_SHAPE(-1, 28, 28, 1)), 32);
    net = sl_flatten(g, convolution(g, net, 64));
    return sl_dense(g, sl_dense(g, net, 1024, .activation = SL_RELU), 10);
  }
  TF_Output net = sl_dense(g, images, flags.hidden_units, .activation = SL_RELU);
  net = sl_dense(g, net, flags.hidden_units, .activation = SL_RELU);
  return sl_dense(g, net, 10);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a classifier by all-reduce");
  sl_server_t *server = sl_server_start(cluster);

  int workers = sl_server_count(server, "worker") + sl_server_count(server, "chief");
  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  TF_Output x, y, step, loss, accuracy;
  TF_Operation *train;
  SL_DEVICE(g, sl_server_device(server)) {
    step = sl_global_step(g);
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
    TF_Output logits = model(g, x);
    loss = sl_losses_sparse_softmax_cross_entropy(g, y, logits);
    accuracy = sl_accuracy(g, y, logits);
    TF_Output rate = sl_scalar(g, TF_FLOAT, flags.learning_rate);
    if (flags.warmup_steps)  // the batch of a step is that of all workers: so should the rate be
      rate = sl_linear_scaling_warmup(g, flags.learning_rate, step, workers, flags.warmup_steps,
                                      sl_scalar(g, TF_FLOAT, flags.learning_rate * workers));
    sl_optimizer_t *optimizer =
        sl_all_reduce_optimizer(g, sl_adam(g, rate), server, .bucket_bytes = flags.bucket_bytes);
    train = sl_minimize(g, optimizer, loss, .global_step = step);
    sl_summary_scalar(g, "loss", loss);
  }

  sl_hook_t *hooks[] = {sl_overlap_hook(.every_n_iter = 500)};
  sl_session_t *session =
      sl_all_reduce_session(g, server, .checkpoint_dir = flags.log_dir, .stop_at_step = flags.steps,
                            .hooks = hooks, .hook_count = 1);
  while (!sl_should_stop(session)) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    int64_t at;
    float value;
    if (sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_TARGET(train),
               SL_FETCH(loss, &value), SL_FETCH(step, &at)) &&
        at % 100 == 0)
      printf("Train step %lld, loss: %f\n", (long long)at, value);
  }
  if (sl_server_is_chief(server)) {
    sl_batch_t test = sl_mnist_test(mnist);
    float share;
    if (sl_run(session, SL_FEED(x, test.images), SL_FEED(y, test.labels),
               SL_FETCH(accuracy, &share)))
      printf("accuracy: %.4f\n", share);
  }
  return sl_session_close(session);
}
