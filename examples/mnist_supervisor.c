// Distributed MNIST in the classic way: asynchronous between-graph replication under a Supervisor,
// which prepares the model and saves it from a thread, while the program runs TensorFlow's own
// session. mnist_replica.c is the modern way.
//
//   sluice launch --ps 1 --workers 2 -- mnist_supervisor
#include <stdio.h>

#include "sluice/sluice.h"

enum { EPOCH = 60000 };  // images

static struct {
  const char *data_dir, *train_dir;
  int64_t steps, batch_size, hidden_units;
  double learning_rate, moving_average_decay;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .train_dir = "train_dir",
    .steps = 2000,
    .batch_size = 100,
    .hidden_units = 500,
    .learning_rate = 0.01,
    .moving_average_decay = 0.99,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, train_dir, "checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, learning_rate, "learning rate at the start; an epoch leaves 99 % of it"),
    SL_FLAG(flags, moving_average_decay, "of the variables' averages, which the chief keeps"),
    SL_FLAGS_END,
};

typedef struct {
  TF_Output inputs[2];   // images, labels
  TF_Output outputs[2];  // loss, global step
  TF_Operation *train;
} model_t;

// A dense layer whose weights are regularised.
static TF_Output layer(sl_scope_t *g, const char *name, TF_Output x, int64_t units,
                       sl_activation_t activation) {
  return sl_dense(g, x, units, .activation = activation, .name = name,
                  .kernel_initializer = SL_RANDOM_TRUNCATED_NORMAL(0, 0.1),
                  .kernel_regularizer = SL_L2_REGULARIZER(0.0001));
}

static model_t build(sl_scope_t *g, sl_server_t *server) {
  model_t model = {0};
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    TF_Output x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
    TF_Output y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
    TF_Output hidden = layer(g, "layer1", x, flags.hidden_units, SL_RELU);
    TF_Output logits = layer(g, "layer2", hidden, 10, SL_LINEAR);
    TF_Output entropy = sl_mean(g, sl_sparse_softmax_cross_entropy_with_logits(g, y, logits));
    TF_Output loss =
        sl_add(g, entropy, sl_add_n(g, sl_collection(g, SL_REGULARIZATION_LOSSES, NULL)));
    TF_Output step = sl_global_step(g);
    TF_Output rate =
        sl_exponential_decay(g, flags.learning_rate, step, EPOCH / flags.batch_size, 0.99);
    model = (model_t){{x, y}, {loss, step}, NULL};
    model.train = sl_minimize(g, sl_gradient_descent(g, rate), loss, .global_step = step);
    if (sl_server_is_chief(server)) {
      sl_moving_average_t *averages =
          sl_moving_average(g, flags.moving_average_decay, .num_updates = step);
      TF_Operation *average =
          sl_moving_average_apply(g, averages, sl_collection(g, SL_TRAINABLE_VARIABLES, NULL));
      model.train = sl_group(g, ((TF_Operation *[]){average, model.train}), 2);
    }
  }
  return model;
}

static void keep(void *data, size_t length, void *context) {}

static TF_Tensor *tensor(sl_array_t array) {
  int64_t count = 1;
  for (int i = 0; i < array.shape.rank; i++) count *= array.shape.dims[i];
  return TF_NewTensor(array.dtype, array.shape.dims, array.shape.rank, (void *)array.data,
                      (size_t)count * TF_DataTypeSize(array.dtype), keep, NULL);
}

// One training step; leaves an error in |status|.
static void train(TF_Session *session, const model_t *model, sl_batch_t batch, float *loss,
                  int64_t *step, TF_Status *status) {
  TF_Tensor *fed[] = {tensor(batch.images), tensor(batch.labels)}, *fetched[2] = {NULL, NULL};
  const TF_Operation *targets[] = {model->train};
  TF_SessionRun(session, NULL, model->inputs, fed, 2, model->outputs, fetched, 2, targets, 1, NULL,
                status);
  if (TF_GetCode(status) == TF_OK) {
    *loss = *(float *)TF_TensorData(fetched[0]);
    *step = *(int64_t *)TF_TensorData(fetched[1]);
  }
  for (int i = 0; i < 2; i++) {
    TF_DeleteTensor(fed[i]);
    if (fetched[i]) TF_DeleteTensor(fetched[i]);
  }
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains MNIST under a Supervisor");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist =
      sl_mnist_open(g, flags.data_dir, .seed = (uint64_t)sl_server_task_index(server) + 1);
  model_t model = build(g, server);
  sl_supervisor_t *supervisor =
      sl_supervisor(g, .server = server, .logdir = flags.train_dir, .save_model_secs = 60,
                    .save_summaries_secs = 60, .recovery_wait_secs = 1);
  TF_Status *status = TF_NewStatus(), *stopped = TF_NewStatus();
  TF_Session *session = sl_supervisor_prepare_or_wait_for_session(supervisor, status);
  int64_t step = 0;
  for (int64_t local = 1; session && TF_GetCode(status) == TF_OK && step < flags.steps; local++) {
    if (sl_supervisor_should_stop(supervisor)) break;
    float loss = 0;
    train(session, &model, sl_mnist_next_batch(mnist, flags.batch_size), &loss, &step, status);
    if (local % 100 == 0)
      printf("local step %lld, global step %lld, loss %f\n", (long long)local, (long long)step,
             loss);
  }
  if (sl_supervisor_should_stop(supervisor))
    TF_SetStatus(status, TF_OK, "");  // Ctrl-C, or the others were quicker
  printf("done at step %lld\n", (long long)step);
  int code = sl_supervisor_stop(supervisor, stopped);  // saves
  if (TF_GetCode(status) == TF_OK) TF_SetStatus(status, TF_GetCode(stopped), TF_Message(stopped));
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "%s\n", TF_Message(status));
  if (TF_GetCode(status) != TF_OK) code = 1;
  sl_supervisor_release(supervisor);
  TF_DeleteStatus(status);
  TF_DeleteStatus(stopped);
  return code;
}
