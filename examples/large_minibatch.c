// Large minibatches: all workers take each step together, so the batch size is proportional to
// their number. The learning rate rises in proportion, from that of one worker during a gradual
// warm-up, and then falls along half a cosine (Goyal et al. 2017).
//
//   sluice launch --ps 1 --workers 4 -- large_minibatch
//
// The chief prints at the start and at the end:
//
//   batch: 400, learning rate: 0.05, rising to 0.2
//   accuracy: 0.8623
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, warmup_steps, batch_size, hidden_units;
  double learning_rate, momentum;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "large_minibatch_logs",
    .steps = 1000,
    .warmup_steps = 100,
    .batch_size = 100,
    .hidden_units = 500,
    .learning_rate = 0.05,
    .momentum = 0.9,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, warmup_steps, "steps until the learning rate reaches that of all workers"),
    SL_FLAG(flags, batch_size, "images in the batch of one worker"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, learning_rate, "learning rate of one worker"),
    SL_FLAG(flags, momentum, "momentum of the optimizer"),
    SL_FLAGS_END,
};

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(
      &argc, argv, options,
      .summary = "Trains with a batch size that is proportional to the number of workers");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  int workers = sl_server_count(server, "worker") + sl_server_count(server, "chief");
  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  TF_Output x, y, loss, accuracy, rate;
  TF_Operation *train;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(g);
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
    TF_Output hidden = sl_dense(g, x, flags.hidden_units, .activation = SL_RELU, .name = "hidden");
    TF_Output logits = sl_dense(g, hidden, 10, .name = "logits");
    loss = sl_losses_sparse_softmax_cross_entropy(g, y, logits);
    accuracy = sl_accuracy(g, y, logits);
    TF_Output schedule = sl_cosine_decay(g, flags.learning_rate * workers, step, flags.steps);
    rate = sl_linear_scaling_warmup(g, flags.learning_rate, step, workers, flags.warmup_steps,
                                    schedule);
    // Strict: each step uses exactly one gradient from each worker.
    sl_optimizer_t *optimizer = sl_sync_replicas(
        g, sl_momentum(g, rate, flags.momentum, .use_nesterov = true), server, .strict = true);
    train = sl_minimize(g, optimizer, loss, .global_step = step);
    sl_summary_scalar(g, "loss", loss);
    sl_summary_scalar(g, "learning_rate", rate);
  }

  sl_session_t *session = sl_monitored_training_session(
      g, server, .checkpoint_dir = flags.log_dir, .progress = loss, .stop_at_step = flags.steps);
  bool is_chief = sl_server_is_chief(server);
  float value;
  if (is_chief && sl_run(session, SL_FETCH(rate, &value)))
    printf("batch: %lld, learning rate: %g, rising to %g\n", (long long)flags.batch_size * workers,
           value, flags.learning_rate * workers);
  while (!sl_should_stop(session)) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_TARGET(train));
  }
  sl_batch_t test = sl_mnist_test(mnist);
  if (is_chief &&
      sl_run(session, SL_FEED(x, test.images), SL_FEED(y, test.labels), SL_FETCH(accuracy, &value)))
    printf("accuracy: %.4f\n", value);
  return sl_session_close(session);
}
