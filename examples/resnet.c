// ResNet-20 on image files: a dataset reads TFRecords, decodes PNG or JPEG images, crops and flips
// them at random, and is shared out among the workers; its position is saved with the model. If the
// records do not exist, the chief first makes them from MNIST's images.
//
//   sluice launch --ps 1 --workers 2 -- resnet --steps=1000
//   sluice launch --workers 2 -- resnet --all_reduce --steps=1000
//
// The first trains asynchronously with the variables on a ps, the second synchronously without a
// ps: see all_reduce.c. Without a cluster it trains in a single process. Prints the progress on
// stderr, and at the end:
//
//   accuracy: 0.8932
#include <stdio.h>
#include <unistd.h>

#include "sluice/ops.h"
#include "sluice/sluice.h"

enum { SIDE = 28, PIXELS = SIDE * SIDE, MARGIN = 2, CLASSES = 10, BLOCKS = 3 };

static struct {
  const char *data_dir, *records, *log_dir;
  int64_t steps, batch_size, images, shuffle;
  double learning_rate;
  bool all_reduce;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .records = "images.tfrecords",
    .log_dir = "resnet_logs",
    .steps = 1000,
    .batch_size = 32,
    .images = 10000,
    .shuffle = 5000,
    .learning_rate = 0.05,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, records, "TFRecords with image files; made from data_dir if there are none"),
    SL_FLAG(flags, log_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch"),
    SL_FLAG(flags, images, "how many images to put into new records"),
    SL_FLAG(flags, shuffle, "how many records a batch is drawn from"),
    SL_FLAG(flags, learning_rate, "learning rate at the beginning"),
    SL_FLAG(flags, all_reduce, "without a ps: every worker has the model, gradients are averaged"),
    SL_FLAGS_END,
};

// --- Image files ---

// Writes |batch| as Examples with a PNG file and a label each.
static void write_images(sl_batch_t batch, const char *path, TF_Status *status) {
  sl_scope_t *g = sl_graph_scope();
  TF_Output x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(PIXELS));
  TF_Output scaled = sl_multiply(g, x, sl_scalar(g, TF_FLOAT, 255));
  TF_Output pixels = sl_cast(g, sl_reshape(g, scaled, SL_SHAPE(SIDE, SIDE, 1)), TF_UINT8);
  TF_Output png = sl_op_encode_png(g, pixels);
  sl_session_t *session = sl_session(g);
  sl_record_writer_t *writer = sl_record_writer_open(path, NULL, status);
  sl_example_t *example = sl_example_create();
  for (int64_t i = 0; i < batch.labels.shape.dims[0] && TF_GetCode(status) == TF_OK; i++) {
    TF_Tensor *file = NULL;
    const float *image = (const float *)batch.images.data + i * PIXELS;
    if (!sl_run(session, SL_FEED(x, image, PIXELS), SL_FETCH_TENSOR(png, &file))) break;
    const TF_TString *text = TF_TensorData(file);
    sl_example_clear(example);
    sl_example_add_bytes(example, "image/encoded", TF_StringGetDataPointer(text),
                         TF_StringGetSize(text));
    sl_example_add_int64s(example, "image/class/label", (const int64_t *)batch.labels.data + i, 1);
    sl_bytes_t bytes = sl_example_serialize(example);
    sl_record_writer_write(writer, bytes.data, bytes.size, status);
    TF_DeleteTensor(file);
  }
  if (writer) sl_record_writer_close(writer, status);
  sl_example_release(example);
  if (sl_session_close(session)) TF_SetStatus(status, TF_INTERNAL, "an image cannot be encoded");
  sl_scope_release(g);
}

// The other workers read the file only when the chief has a model, so that it is whole then.
static void make_records(sl_scope_t *g, sl_mnist_t *mnist) {
  TF_Status *status = TF_NewStatus();
  write_images(sl_mnist_next_batch(mnist, flags.images), flags.records, status);
  if (TF_GetCode(status) != TF_OK) sl_scope_fail(g, TF_GetCode(status), "%s", TF_Message(status));
  TF_DeleteStatus(status);
}

// --- Input ---

// Pixels from 0 to 255 become numbers around 0.
static TF_Output normalize(sl_scope_t *g, TF_Output pixels) {
  return sl_subtract(g, sl_multiply(g, pixels, sl_scalar(g, TF_FLOAT, 1.0 / 128)),
                     sl_scalar(g, TF_FLOAT, 1));
}

// A part of the image, shifted by up to MARGIN pixels and perhaps mirrored.
static TF_Output distort(sl_scope_t *g, TF_Output image) {
  TF_Output margins = sl_constant(g, TF_INT32, SL_SHAPE(3, 2), ((int32_t[]){2, 2, 2, 2, 0, 0}));
  TF_Output padded = sl_op_pad(g, sl_cast(g, image, TF_FLOAT), margins);
  TF_Output zero = sl_constant(g, TF_INT32, SL_SHAPE(1), (int32_t[]){0});
  TF_Output top =
      sl_op_random_uniform_int(g, sl_constant(g, TF_INT32, SL_SHAPE(1), (int32_t[]){2}),
                               sl_scalar(g, TF_INT32, 0), sl_scalar(g, TF_INT32, 2 * MARGIN + 1));
  TF_Output begin = sl_concat(g, SL_OUTPUTS(top, zero), 0);
  TF_Output size = sl_constant(g, TF_INT32, SL_SHAPE(3), ((int32_t[]){SIDE, SIDE, 1}));
  TF_Output part = sl_op_slice(g, padded, begin, size);
  TF_Output chance =
      sl_op_random_uniform(g, sl_constant(g, TF_INT32, SL_SHAPE(0), (int32_t[]){0}), TF_FLOAT);
  TF_Output second = sl_constant(g, TF_INT32, SL_SHAPE(1), (int32_t[]){1});
  part = sl_op_select_v2(g, sl_op_less(g, chance, sl_scalar(g, TF_FLOAT, 0.5)),
                         sl_op_reverse_v2(g, part, second), part);
  return normalize(g, part);
}

static void decode(sl_scope_t *g, void *data, const TF_Output *arguments, TF_Output *results) {
  sl_parsed_t *example = sl_parse_single_example(
      g, arguments[0],
      SL_FEATURES(SL_FIXED_LEN_FEATURE("image/encoded", TF_STRING, SL_SHAPE()),
                  SL_FIXED_LEN_FEATURE("image/class/label", TF_INT64, SL_SHAPE())));
  TF_Output image = sl_op_decode_png(g, sl_parsed_dense(example, "image/encoded"), .channels = 1);
  results[0] = sl_reshape(g, distort(g, image), SL_SHAPE(SIDE, SIDE, 1));
  results[1] = sl_parsed_dense(example, "image/class/label");
}

// By all-reduce the workers take the same number of steps, so that the chief's position, which is
// the one that is saved, is that of all of them. Its order must not depend on the worker then.
static sl_outputs_t input(sl_scope_t *g, sl_server_t *server) {
  sl_dataset_t *data = sl_dataset_records(g, SL_STRINGS(flags.records));
  data = sl_dataset_shard(data, sl_server_replica_count(server), sl_server_replica_index(server));
  data = sl_dataset_repeat(sl_dataset_shuffle(data, flags.shuffle, flags.all_reduce ? 1 : 0), -1);
  data = sl_dataset_batch(sl_dataset_map(data, decode, NULL, 2), flags.batch_size, true);
  return sl_dataset_next_saved(sl_dataset_prefetch(data, 2), server, .shards = flags.all_reduce);
}

// --- Model ---

static TF_Output convolve(sl_scope_t *g, const char *name, TF_Output x, int64_t filters, int stride,
                          bool training) {
  TF_Output y = {0};
  SL_VARIABLE_SCOPE(g, name) {
    y = sl_conv2d(g, x, filters, SL_SIZE(3, 3), .strides = SL_SIZE(stride, stride),
                  .padding = SL_SAME, .no_bias = true, .kernel_initializer = SL_HE_NORMAL,
                  .name = "convolution");
    y = sl_batch_normalization(g, y, .training = training, .momentum = 0.9, .name = "norm");
  }
  return y;
}

// Adds what two convolutions make of |x| to |x|; a 1x1 convolution changes its size.
static TF_Output block(sl_scope_t *g, TF_Output x, int64_t filters, int stride, bool training) {
  TF_Output y = sl_relu(g, convolve(g, "first", x, filters, stride, training));
  y = convolve(g, "second", y, filters, 1, training);
  if (stride > 1)
    x = sl_conv2d(g, x, filters, SL_SIZE(1, 1), .strides = SL_SIZE(stride, stride), .no_bias = true,
                  .name = "shortcut");
  return sl_relu(g, sl_add(g, x, y));
}

static TF_Output model(sl_scope_t *g, TF_Output images, bool training) {
  TF_Output logits = {0};
  SL_VARIABLE_SCOPE(g, "resnet", .reuse = SL_AUTO_REUSE) {
    TF_Output x = sl_relu(g, convolve(g, "begin", images, 16, 1, training));
    for (int i = 0; i < 3 * BLOCKS; i++) {
      char name[32];
      int stage = i / BLOCKS;
      snprintf(name, sizeof(name), "block%d", i);
      SL_VARIABLE_SCOPE(g, name) {
        x = block(g, x, 16 << stage, stage && i % BLOCKS == 0 ? 2 : 1, training);
      }
    }
    logits = sl_dense(g, sl_mean(g, x, SL_AXES(1, 2)), CLASSES, .name = "out");
  }
  return logits;
}

// Trains, and moves the averages of the batch normalizations, which come from the model that is
// trained.
static TF_Operation *build_training(sl_scope_t *g, TF_Output loss, sl_server_t *server) {
  TF_Output step = sl_global_step(g);
  TF_Output rate = sl_polynomial_decay(g, flags.learning_rate, step, flags.steps, 0.0);
  sl_optimizer_t *optimizer = sl_momentum(g, rate, 0.9);
  if (flags.all_reduce) optimizer = sl_all_reduce_optimizer(g, optimizer, server);
  sl_outputs_t averages = sl_collection(g, SL_UPDATE_OPS, NULL);
  TF_Operation *all[128];
  size_t count = 0;
  all[count++] = sl_minimize(g, optimizer, loss, .global_step = step);
  for (size_t i = 0; i < averages.count && count < 128; i++) all[count++] = averages.items[i].oper;
  return sl_group(g, all, count);
}

typedef struct {
  TF_Output loss, x, y, accuracy;
  TF_Operation *train;
} graph_t;

static graph_t build(sl_scope_t *g, sl_server_t *server) {
  graph_t it;
  sl_outputs_t next = input(g, server);
  it.loss = sl_losses_sparse_softmax_cross_entropy(g, next.items[1], model(g, next.items[0], true));
  it.train = build_training(g, it.loss, server);
  sl_summary_scalar(g, "loss", it.loss);
  it.x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, PIXELS), .name = "x");
  it.y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
  TF_Output images = normalize(g, sl_multiply(g, it.x, sl_scalar(g, TF_FLOAT, 255)));
  images = sl_reshape(g, images, SL_SHAPE(-1, SIDE, SIDE, 1));
  it.accuracy = sl_accuracy(g, it.y, model(g, images, false));
  return it;
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains ResNet-20 on image files");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(g, flags.data_dir);
  if (sl_server_is_chief(server) && access(flags.records, R_OK) != 0) make_records(g, mnist);
  graph_t it;
  sl_session_t *session;
  if (flags.all_reduce) {
    SL_DEVICE(g, sl_server_device(server)) it = build(g, server);
    session = sl_all_reduce_session(g, server, .checkpoint_dir = flags.log_dir, .progress = it.loss,
                                    .stop_at_step = flags.steps);
  } else {
    SL_DEVICE(g, sl_replica_device_setter(server)) it = build(g, server);
    session = sl_monitored_training_session(g, server, .checkpoint_dir = flags.log_dir,
                                            .progress = it.loss, .stop_at_step = flags.steps);
  }
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(it.train));
  sl_batch_t test = sl_mnist_test(mnist);
  int64_t count = test.labels.shape.dims[0] < 1000 ? test.labels.shape.dims[0] : 1000;
  float share;
  if (sl_server_is_chief(server) &&
      sl_run(session, SL_FEED(it.x, (const float *)test.images.data, count, PIXELS),
             SL_FEED(it.y, (const int64_t *)test.labels.data, count),
             SL_FETCH(it.accuracy, &share)))
    printf("accuracy: %.4f\n", (double)share);
  return sl_session_close(session);
}
