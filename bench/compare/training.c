// A worker of bench/compare/run: trains a classifier in one of five ways until it is stopped, and prints, on the chief,
// how the loss on the test images falls with steps and seconds. Every batch takes --batch_millis longer than it needs,
// as a larger model would; the slow worker's --slow_millis.
//
//   SECONDS STEP LOSS
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *way;
  int64_t batch_size, hidden_units, batch_millis, slow_millis, slow_worker;
  double learning_rate;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .way = "async",
    .batch_size = 32,
    .hidden_units = 100,
    .batch_millis = 20,
    .slow_millis = 80,
    .slow_worker = 3,
    .learning_rate = 0.05,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, way, "async, delay, sync, backup or all_reduce"),
    SL_FLAG(flags, batch_size, "images in the batch of one worker"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, batch_millis, "that a batch takes longer"),
    SL_FLAG(flags, slow_millis, "the same on the slow worker"),
    SL_FLAG(flags, slow_worker, "its index; -1: none"),
    SL_FLAG(flags, learning_rate, "of gradient descent"),
    SL_FLAGS_END,
};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_way(const char *name) { return !strcmp(flags.way, name); }

static sl_optimizer_t *wrap(sl_scope_t *g, sl_optimizer_t *optimizer, sl_server_t *server) {
  int workers = sl_server_count(server, "worker");
  if (is_way("delay")) return sl_delay_compensated(g, optimizer, sl_server_replica_index(server));
  if (is_way("sync")) return sl_sync_replicas(g, optimizer, server);
  if (is_way("backup")) return sl_sync_replicas(g, optimizer, server, .replicas_to_aggregate = workers - 1);
  if (is_way("all_reduce")) return sl_all_reduce_optimizer(g, optimizer, server);
  return optimizer;
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "A worker of a comparison");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);
  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  bool rings = is_way("all_reduce"), is_chief = sl_server_is_chief(server);
  static const sl_device_setter_t none;
  TF_Output x, y, loss, step;
  TF_Operation *train;
  SL_DEVICE (g, rings ? sl_server_device(server) : "")
    SL_DEVICE (g, rings ? &none : sl_replica_device_setter(server)) {
      step = sl_global_step(g);
      x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
      y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
      TF_Output hidden = sl_dense(g, x, flags.hidden_units, .activation = SL_RELU);
      loss = sl_losses_sparse_softmax_cross_entropy(g, y, sl_dense(g, hidden, 10));
      sl_optimizer_t *optimizer = wrap(g, sl_gradient_descent(g, flags.learning_rate), server);
      train = sl_minimize(g, optimizer, loss, .global_step = step);
    }
  const sl_session_options_t *how = SL_OPTIONS(sl_session_options_t, .log_steps = -1);
  sl_session_t *session =
      rings ? sl_all_reduce_session_with(g, server, how) : sl_monitored_training_session_with(g, server, how);
  sl_batch_t test = sl_mnist_test(mnist);
  int64_t delay = sl_server_task_index(server) == flags.slow_worker ? flags.slow_millis : flags.batch_millis;
  double began = now(), shown = 0;
  while (!sl_should_stop(session)) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    usleep((useconds_t)delay * 1000);
    sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_TARGET(train));
    int64_t at;
    float value;
    if (is_chief && now() - shown > 0.5 &&
        sl_run(session, SL_FEED(x, test.images), SL_FEED(y, test.labels), SL_FETCH(loss, &value),
               SL_FETCH(step, &at))) {
      printf("%.2f %lld %.4f\n", now() - began, (long long)at, (double)value);
      fflush(stdout);
      shown = now();
    }
  }
  return sl_session_close(session);
}
