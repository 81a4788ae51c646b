// Distributed MNIST as the classic programs have it: between-graph replication with a Supervisor,
// regularised weights, a decaying learning rate, and moving averages of the variables, which the
// chief maintains. Asynchronous or, with --is_sync, synchronous. See mnist_replica.c for the modern
// API.
//
//   sluice launch --ps 1 --workers 3 -- mnist_supervisor
//   sluice launch --ps 1 --workers 3 -- mnist_supervisor --is_sync
//
// Each worker prints the files that it reads, and after every 100 steps of its own:
//
//   Extracting /usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz
//   After 100 training steps (287 global steps), loss on training batch is 1.25142.  (0.003 …
//   …
//   done at step 2000
#include <stdio.h>
#include <time.h>

#include "sluice/sluice.h"

enum { EPOCH = 60000 };  // images in an epoch

static struct {
  const char *data_dir, *train_dir;
  int64_t steps, batch_size, hidden_units, validation_size;
  double learning_rate, moving_average_decay;
  bool sync;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .train_dir = "train_dir",
    .steps = 2000,
    .batch_size = 100,
    .hidden_units = 500,
    .validation_size = 5000,
    .learning_rate = 0.01,
    .moving_average_decay = 0.99,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, train_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, validation_size, "images that are set aside"),
    SL_FLAG(flags, learning_rate, "learning rate at the start; each epoch multiplies it by 0.99"),
    SL_FLAG(flags, moving_average_decay, "decay of the moving averages of the variables"),
    SL_FLAG(flags, sync, "all workers take each step together"),
    SL_SYNC_FLAGS(flags, sync),  // --is_sync, --issync, --sync_replicas
    SL_FLAGS_END,
};

typedef struct {
  TF_Output x, y, loss, step;
  sl_optimizer_t *optimizer;
  TF_Operation *train;
} model_t;

// A dense layer with regularised weights.
static TF_Output layer(sl_scope_t *g, const char *name, TF_Output x, int64_t units,
                       sl_activation_t activation) {
  return sl_dense(g, x, units, .activation = activation, .name = name,
                  .kernel_initializer = SL_RANDOM_TRUNCATED_NORMAL(0, 0.1),
                  .kernel_regularizer = SL_L2_REGULARIZER(0.0001));
}

static model_t build(sl_scope_t *g, sl_server_t *server) {
  model_t model = {0};
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    model.x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x-input");
    model.y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y-input");
    TF_Output hidden = layer(g, "layer1", model.x, flags.hidden_units, SL_RELU);
    TF_Output logits = layer(g, "layer2", hidden, 10, SL_LINEAR);
    TF_Output entropy = sl_sparse_softmax_cross_entropy_with_logits(g, model.y, logits);
    TF_Output regularization = sl_add_n(g, sl_collection(g, SL_REGULARIZATION_LOSSES, NULL));
    model.loss = sl_add(g, sl_mean(g, entropy), regularization);
    model.step = sl_global_step(g);
    TF_Output rate = sl_exponential_decay(g, flags.learning_rate, model.step,
                                          (double)EPOCH / (double)flags.batch_size, 0.99);
    model.optimizer = sl_gradient_descent(g, rate);
    if (flags.sync) model.optimizer = sl_sync_replicas(g, model.optimizer, server);
    model.train = sl_minimize(g, model.optimizer, model.loss, .global_step = model.step);
    if (sl_server_is_chief(server)) {
      sl_moving_average_t *averages =
          sl_moving_average(g, flags.moving_average_decay, .num_updates = model.step);
      TF_Operation *average =
          sl_moving_average_apply(g, averages, sl_collection(g, SL_TRAINABLE_VARIABLES, NULL));
      model.train = sl_group(g, ((TF_Operation *[]){average, model.train}), 2);
    }
  }
  return model;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains MNIST with a Supervisor");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1,
                    .classic = true, .validation_size = flags.validation_size);
  model_t model = build(g, server);
  sl_scaffold_t scaffold = sl_sync_replicas_scaffold(model.optimizer);
  sl_supervisor_t *supervisor =
      sl_supervisor(g, .server = server, .logdir = flags.train_dir, .scaffold = &scaffold,
                    .save_model_secs = 60, .save_summaries_secs = 60);
  sl_session_t *session = sl_supervisor_session(supervisor);
  sl_sync_replicas_start(model.optimizer, supervisor, session);

  double start = seconds();
  int64_t global = 0;
  for (int64_t local = 0; !sl_should_stop(session) && global < flags.steps; local++) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, flags.batch_size);
    float loss;
    if (sl_run(session, SL_FEED(model.x, batch.images), SL_FEED(model.y, batch.labels),
               SL_TARGET(model.train), SL_FETCH(model.loss, &loss),
               SL_FETCH(model.step, &global)) &&
        local > 0 && local % 100 == 0)
      printf(
          "After %lld training steps (%lld global steps), loss on training batch is %g.  "
          "(%.3f sec/batch)\n",
          (long long)local, (long long)global, loss, (seconds() - start) / (double)global);
  }
  printf("done at step %lld\n", (long long)global);
  return sl_session_close(session);  // the chief saves a last checkpoint
}
