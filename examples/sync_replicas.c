// Synchronous training: the ps tasks accumulate the gradients of the workers, a step applies the
// mean of --replicas_to_aggregate gradients, and all workers wait until it is applied. If that is
// less than the number of workers, the slowest ones are backups: their late gradients are dropped.
//
//   sluice launch --ps 2 --workers 2 -- sync_replicas
//   sluice launch --ps 1 --workers 3 -- sync_replicas --replicas_to_aggregate=2
//
// With --nosync each worker applies its gradients immediately. Prints every 100 steps, and at the
// end the accuracy on the test set:
//
//   Train step 100, loss: 0.812371
//   …
//   accuracy: 0.8571
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, batch_size, hidden_units;
  int replicas_to_aggregate;
  double learning_rate;
  bool sync, strict;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "sync_logs",
    .steps = 2000,
    .batch_size = 32,
    .hidden_units = 500,
    .learning_rate = 0.0001,
    .sync = true,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in the batch of one worker"),
    SL_FLAG(flags, hidden_units, "units of each of the two hidden layers"),
    SL_FLAG(flags, learning_rate, "learning rate of Adam"),
    SL_FLAG(flags, sync, "all workers take each step together"),
    SL_SYNC_FLAGS(flags, sync),  // --is_sync, --issync, --sync_replicas
    SL_FLAG(flags, replicas_to_aggregate,
            "gradients that a step averages; 0: the number of workers"),
    SL_FLAG(flags, strict, "a step uses exactly one gradient from each worker"),
    SL_FLAGS_END,
};

static TF_Output model(sl_scope_t *g, TF_Output images) {
  TF_Output net = sl_dense(g, images, flags.hidden_units, .activation = SL_RELU);
  net = sl_dense(g, net, flags.hidden_units, .activation = SL_RELU);
  return sl_dense(g, net, 10);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a classifier with synchronous replicas");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  TF_Output x, y, step, loss, accuracy;
  TF_Operation *train;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    step = sl_global_step(g);
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
    TF_Output logits = model(g, x);
    loss = sl_losses_sparse_softmax_cross_entropy(g, y, logits);
    accuracy = sl_accuracy(g, y, logits);
    sl_optimizer_t *optimizer = sl_adam(g, flags.learning_rate);
    if (flags.sync)
      optimizer = sl_sync_replicas(g, optimizer, server, .strict = flags.strict,
                                   .replicas_to_aggregate = flags.replicas_to_aggregate);
    train = sl_minimize(g, optimizer, loss, .global_step = step);
    sl_summary_scalar(g, "loss", loss);
  }

  sl_session_t *session = sl_monitored_training_session(g, server, .checkpoint_dir = flags.log_dir,
                                                        .stop_at_step = flags.steps);
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
