// Distributed MNIST: between-graph replication with parameter servers, asynchronous or, with
// --sync, synchronous; or without parameter servers, with --all_reduce. Every task runs this
// program. `sluice launch` starts all tasks on one machine:
//
//   sluice launch --ps 1 --workers 2 -- mnist_replica --data_dir=/usr/share/datasets/fashion-mnist
//   sluice launch --workers 2 -- mnist_replica --all_reduce
//
// To start them by hand, run each task in its own terminal (job ps or worker, task index 0, 1, …):
//
//   mnist_replica --ps_hosts=localhost:2222 --worker_hosts=localhost:2223,localhost:2224
//       --job_name=worker --task_index=0
//
// Without these options it trains in a single process.
//
// Prints the progress on stderr; the chief prints at the end:
//
//   accuracy: 0.8634
//   logs: tensorboard --logdir=mnist_logs
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, batch_size, hidden_units, save_steps;
  double learning_rate, wait_secs, save_secs;
  bool adam, sync, delay_compensated, all_reduce;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "mnist_logs",
    .steps = 2000,
    .batch_size = 100,
    .hidden_units = 500,
    .learning_rate = 0.25,
    .wait_secs = 60,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, learning_rate, "learning rate at the start; it falls to 0 at the last step"),
    SL_FLAG(flags, adam, "train with Adam, which needs a learning rate of about 0.002"),
    SL_FLAG(flags, sync, "all workers take each step together"),
    SL_SYNC_FLAGS(flags, sync),  // --is_sync, --issync, --sync_replicas
    SL_FLAG(flags, delay_compensated, "correct gradients that are late; only without --sync"),
    SL_FLAG(flags, all_reduce, "workers average gradients among themselves, without a ps"),
    SL_FLAG(flags, save_secs, "seconds between checkpoints; 0: 600, unless save_steps is given"),
    SL_FLAG(flags, save_steps, "global steps between checkpoints; 0: by the clock"),
    SL_FLAG(flags, wait_secs, "seconds to wait for the other tasks"),
    SL_FLAGS_END,
};

static TF_Output model(sl_scope_t *g, TF_Output images) {
  TF_Output hidden =
      sl_dense(g, images, flags.hidden_units, .activation = SL_RELU, .name = "hidden");
  return sl_dense(g, hidden, 10, .name = "logits");
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a classifier of MNIST images");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);  // until the job is done

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  TF_Output x, y, loss, accuracy;
  TF_Operation *train;
  // The setter places variables on the ps tasks. With --all_reduce everything is on this task.
  static const sl_device_setter_t none;
  SL_DEVICE(g, flags.all_reduce ? sl_server_device(server) : "")
    SL_DEVICE(g, flags.all_reduce ? &none : sl_replica_device_setter(server)) {
      TF_Output step = sl_global_step(g);
      x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
      y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
      TF_Output logits = model(g, x);
      loss = sl_losses_sparse_softmax_cross_entropy(g, y, logits);
      accuracy = sl_accuracy(g, y, logits);
      TF_Output rate = sl_polynomial_decay(g, flags.learning_rate, step, flags.steps, 0.0);
      sl_optimizer_t *optimizer = flags.adam ? sl_adam(g, rate) : sl_gradient_descent(g, rate);
      if (flags.all_reduce)
        optimizer = sl_all_reduce_optimizer(g, optimizer, server);
      else if (flags.sync)
        optimizer = sl_sync_replicas(g, optimizer, server);
      else if (flags.delay_compensated)
        optimizer = sl_delay_compensated(g, optimizer, sl_server_replica_index(server));
      train = sl_minimize(g, optimizer, loss, .global_step = step);
      sl_summary_scalar(g, "loss", loss);
      sl_summary_scalar(g, "learning_rate", rate);
    }

  const sl_session_options_t *how =
      SL_OPTIONS(sl_session_options_t, .checkpoint_dir = flags.log_dir, .progress = loss,
                 .stop_at_step = flags.steps, .save_checkpoint_secs = flags.save_secs,
                 .save_checkpoint_steps = flags.save_steps, .max_wait_secs = flags.wait_secs);
  sl_session_t *session = flags.all_reduce ? sl_all_reduce_session_with(g, server, how)
                                           : sl_monitored_training_session_with(g, server, how);
  while (!sl_should_stop(session)) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_TARGET(train));
  }
  if (sl_server_is_chief(server)) {
    sl_batch_t test = sl_mnist_test(mnist);
    float share;
    if (sl_run(session, SL_FEED(x, test.images), SL_FEED(y, test.labels),
               SL_FETCH(accuracy, &share)))
      printf("accuracy: %.4f\nlogs: tensorboard --logdir=%s\n", share, flags.log_dir);
  }
  return sl_session_close(session);  // prints the first error, if any, with the line that caused it
}
