// Training from TFRecord files: a queue of file names, a reader, a parser, a queue that shuffles
// examples, and threads that fill both queues. If the files do not exist, they are first created
// from MNIST's idx.gz files.
//
//   sluice launch --ps 1 --workers 2 -- tfrecord_input --data_dir=/usr/share/datasets/fashion-mnist
//
// Without a cluster it trains in a single process.
//
// Prints the progress on stderr, and at the end:
//
//   accuracy: 0.8407 after 2000 steps
#include <stdio.h>
#include <unistd.h>

#include "sluice/sluice.h"

enum { PIXELS = 784, CLASSES = 10 };

static struct {
  const char *data_dir, *records, *log_dir;
  int64_t steps, batch_size, hidden_units, min_after_dequeue, epochs;
  double learning_rate;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .records = "output.tfrecords",
    .log_dir = "tfrecord_logs",
    .steps = 1000,
    .batch_size = 100,
    .hidden_units = 500,
    .min_after_dequeue = 10000,
    .learning_rate = 0.001,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, records,
            "TFRecord file to train from; created from data_dir if it does not exist"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer"),
    SL_FLAG(flags, min_after_dequeue,
            "minimum number of images from which a batch is drawn at random"),
    SL_FLAG(flags, epochs, "maximum number of times that each image is used; 0: unlimited"),
    SL_FLAG(flags, learning_rate, "learning rate"),
    SL_FLAGS_END,
};

// The device of this task; "" without a cluster.
static const char *own_device(const sl_server_t *server) {
  static char device[64];
  if (sl_server_handle(server))
    snprintf(device, sizeof(device), "/job:%s/task:%d", sl_server_job(server),
             sl_server_task_index(server));
  return device;
}

// A batch of images, with pixels from 0 to 255, and their labels.
static sl_outputs_t input(sl_scope_t *g) {
  TF_Output files =
      sl_string_input_producer(g, SL_STRINGS(flags.records), .num_epochs = flags.epochs);
  sl_record_t record = sl_reader_read(g, sl_tf_record_reader(g), files);
  sl_parsed_t *example =
      sl_parse_single_example(g, record.value,
                              SL_FEATURES(SL_FIXED_LEN_FEATURE("image_raw", TF_STRING, SL_SHAPE()),
                                          SL_FIXED_LEN_FEATURE("pixels", TF_INT64, SL_SHAPE()),
                                          SL_FIXED_LEN_FEATURE("label", TF_INT64, SL_SHAPE())));
  TF_Output bytes = sl_decode_raw(g, sl_parsed_dense(example, "image_raw"), TF_UINT8);
  TF_Output image = sl_cast(g, sl_reshape(g, bytes, SL_SHAPE(PIXELS)), TF_FLOAT);
  TF_Output label = sl_cast(g, sl_parsed_dense(example, "label"), TF_INT32);
  int64_t capacity = flags.min_after_dequeue + 3 * flags.batch_size;
  return sl_shuffle_batch(g, SL_OUTPUTS(image, label), (int32_t)flags.batch_size, capacity,
                          flags.min_after_dequeue);
}

static TF_Output layer(sl_scope_t *g, const char *name, TF_Output x, int64_t rows, int64_t units) {
  TF_Output y = {0};
  SL_VARIABLE_SCOPE(g, name, .reuse = SL_AUTO_REUSE) {
    TF_Output weights = sl_get_variable(g, "weights", TF_FLOAT, SL_SHAPE(rows, units),
                                        .initializer = SL_RANDOM_TRUNCATED_NORMAL(0, 0.1),
                                        .regularizer = SL_L2_REGULARIZER(0.0001));
    TF_Output biases =
        sl_get_variable(g, "biases", TF_FLOAT, SL_SHAPE(units), .initializer = SL_ZEROS);
    y = sl_add(g, sl_matmul(g, x, weights), biases);
  }
  return y;
}

static TF_Output model(sl_scope_t *g, TF_Output images) {
  TF_Output hidden = sl_relu(g, layer(g, "layer1", images, PIXELS, flags.hidden_units));
  return layer(g, "layer2", hidden, flags.hidden_units, CLASSES);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a classifier from TFRecord files");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(g, flags.data_dir);
  if (access(flags.records, R_OK) != 0) {
    TF_Status *status = TF_NewStatus();
    sl_mnist_write_records(mnist, flags.records, status);
    if (TF_GetCode(status) != TF_OK) sl_scope_fail(g, TF_GetCode(status), "%s", TF_Message(status));
    TF_DeleteStatus(status);
  }

  TF_Output x, y, loss, accuracy;
  TF_Operation *train;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(g);
    sl_outputs_t batch;
    SL_DEVICE(g, own_device(server)) {
      batch = input(g);
    }  // also its variables: each task reads all examples
    TF_Output entropy =
        sl_sparse_softmax_cross_entropy_with_logits(g, batch.items[1], model(g, batch.items[0]));
    TF_Output regularization = sl_add_n(g, sl_collection(g, SL_REGULARIZATION_LOSSES, NULL));
    loss = sl_add(g, sl_mean(g, entropy), regularization);
    train = sl_minimize(g, sl_gradient_descent(g, flags.learning_rate), loss, .global_step = step);
    sl_summary_scalar(g, "loss", loss);

    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, PIXELS), .name = "x-input");
    y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y-input");
    accuracy = sl_accuracy(g, y, model(g, sl_multiply(g, x, sl_scalar(g, TF_FLOAT, 255))));
  }

  sl_session_t *session = sl_monitored_training_session(
      g, server, .checkpoint_dir = flags.log_dir, .progress = loss,
      .stop_at_step = flags.steps);  // also starts the threads that fill the queues
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(train));
  if (sl_server_is_chief(server)) {
    sl_batch_t test = sl_mnist_test(mnist);
    float share;
    if (sl_run(session, SL_FEED(x, test.images), SL_FEED(y, test.labels),
               SL_FETCH(accuracy, &share)))
      printf("accuracy: %.4f after %lld steps\n", share, (long long)sl_session_step(session));
  }
  return sl_session_close(session);
}
