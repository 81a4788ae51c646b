// In-graph replication: one client, worker 0, builds a tower per worker, averages the towers'
// gradients, applies them, and keeps moving averages of the variables. The other workers just
// serve.
//
//   sluice launch --ps 1 --workers 2 -- multi_tower --data_dir=/usr/share/datasets/fashion-mnist
//
// Alone, all towers are in this process.
#include <stdio.h>

#include "sluice/ops.h"
#include "sluice/sluice.h"

enum { TOWERS = 2, EPOCH = 60000, VARIABLES = 4 };

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, batch_size, hidden_units;
  double learning_rate, moving_average_decay;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "logs_and_models",
    .steps = 1000,
    .batch_size = 100,
    .hidden_units = 500,
    .learning_rate = 0.001,
    .moving_average_decay = 0.99,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "steps to train"),
    SL_FLAG(flags, batch_size, "images in the batch of a tower"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, learning_rate, "learning rate at the start; an epoch leaves 99 % of it"),
    SL_FLAG(flags, moving_average_decay, "of the variables' averages"),
    SL_FLAGS_END,
};

static void layer(sl_scope_t *g, const char *name, int64_t rows, int64_t columns, TF_Output *out) {
  SL_VARIABLE_SCOPE(g, name, .reuse = SL_AUTO_REUSE) {
    out[0] = sl_get_variable(g, "weights", TF_FLOAT, SL_SHAPE(rows, columns),
                             .initializer = SL_RANDOM_TRUNCATED_NORMAL(0, 0.1),
                             .regularizer = SL_L2_REGULARIZER(0.0001));
    out[1] = sl_get_variable(g, "biases", TF_FLOAT, SL_SHAPE(columns), .initializer = SL_ZEROS);
  }
}

// v: weights and biases of both layers. Pixels are taken from 0 to 255.
static TF_Output model(sl_scope_t *g, TF_Output images, const TF_Output *v) {
  TF_Output pixels = sl_multiply(g, images, sl_scalar(g, TF_FLOAT, 255));
  TF_Output hidden = sl_relu(g, sl_add(g, sl_matmul(g, pixels, v[0]), v[1]));
  return sl_add(g, sl_matmul(g, hidden, v[2]), v[3]);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains one model in several towers");
  sl_server_t *server = sl_server_start(cluster);
  if (!sl_server_is_chief(server)) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(g, flags.data_dir, .seed = 1);
  TF_Output x, y, v[VARIABLES], mean[VARIABLES], loss, accuracy, averaged;
  TF_Operation *train;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(g);
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x-input");
    y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y-input");
    layer(g, "layer1", 784, flags.hidden_units, &v[0]);
    layer(g, "layer2", flags.hidden_units, 10, &v[2]);
    TF_Output regularization = sl_add_n(g, sl_collection(g, SL_REGULARIZATION_LOSSES, NULL));
    TF_Output rate =
        sl_exponential_decay(g, flags.learning_rate, step, EPOCH / flags.batch_size, 0.99);
    sl_optimizer_t *optimizer = sl_gradient_descent(g, rate);

    sl_op_list_t xs = sl_op_split(g, sl_scalar(g, TF_INT32, 0), x, TOWERS);
    sl_op_list_t ys = sl_op_split(g, sl_scalar(g, TF_INT32, 0), y, TOWERS);
    sl_gradients_t towers[TOWERS];
    for (int i = 0; i < TOWERS; i++) {
      char worker[64];
      snprintf(worker, sizeof(worker), "/job:worker/task:%d",
               i % sl_server_count(server, "worker"));
      SL_DEVICE(g, sl_server_handle(server) ? worker : "")
        SL_NAME_SCOPE(g, "TOWER_%d", i) {
          TF_Output logits = model(g, sl_op_at(xs, i), v);
          TF_Output entropy =
              sl_sparse_softmax_cross_entropy_with_logits(g, sl_op_at(ys, i), logits);
          loss = sl_add(g, sl_mean(g, entropy), regularization);
          towers[i] = sl_compute_gradients(g, loss);
        }
    }
    sl_gradients_t gradients = sl_average_gradients(g, towers, TOWERS);
    TF_Operation *apply = sl_apply_gradients(g, optimizer, gradients, .global_step = step);
    sl_moving_average_t *averages =
        sl_moving_average(g, flags.moving_average_decay, .num_updates = step);
    sl_outputs_t variables = sl_collection(g, SL_TRAINABLE_VARIABLES, NULL);
    TF_Operation *average = sl_moving_average_apply(g, averages, variables);
    train = sl_group(g, ((TF_Operation *[]){apply, average}), 2);
    for (int i = 0; i < VARIABLES; i++) mean[i] = sl_moving_average_of(averages, v[i]);
    accuracy = sl_accuracy(g, y, model(g, x, v));
    averaged = sl_accuracy(g, y, model(g, x, mean));
    sl_summary_scalar(g, "loss", loss);
  }

  sl_session_t *session =
      sl_monitored_training_session(g, server, .all_tasks = true, .checkpoint_dir = flags.log_dir,
                                    .progress = loss, .stop_at_step = flags.steps);
  while (!sl_should_stop(session)) {
    sl_batch_t batch = sl_mnist_next_batch(mnist, TOWERS * flags.batch_size);
    sl_run(session, SL_FEED(x, batch.images), SL_FEED(y, batch.labels), SL_TARGET(train));
  }
  sl_batch_t test = sl_mnist_test(mnist);
  float own, shadow;
  if (sl_run(session, SL_FEED(x, test.images), SL_FEED(y, test.labels), SL_FETCH(accuracy, &own),
             SL_FETCH(averaged, &shadow)))
    printf("accuracy: %.4f\naccuracy of the averages: %.4f\n", own, shadow);
  return sl_session_close(session);
}
