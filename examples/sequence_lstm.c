// Reads strings of digits off images, without knowing where a digit stands: a convolution, an LSTM
// network that reads the columns both ways, and CTC, which needs no alignment of the labels.
//
//   sluice launch --ps 1 --workers 2 -- sequence_lstm
//   sluice launch --ps 1 --workers 2 -- sequence_lstm --sync
//
// The images are made up: a pattern of bright rows for each digit, in noise.
#include <stdio.h>
#include <stdlib.h>

#include "sluice/ops.h"
#include "sluice/sluice.h"

enum { WIDTH = 32, HEIGHT = 16, DIGITS = 10, CLASSES = DIGITS + 1, LONGEST = 4, MOST = 256 };
enum { SLOT = WIDTH / LONGEST, TIME = WIDTH / 2 };  // columns of a digit; steps after the pooling

static struct {
  const char *log_dir;
  int64_t steps;
  int batch_size;
  double learning_rate, contrast;
  bool sync;
} flags = {
    .log_dir = "sequence_logs", .steps = 2000, .batch_size = 32, .learning_rate = 1, .contrast = 1};

static const sl_flag_t options[] = {
    SL_FLAG(flags, log_dir, "checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, batch_size, "images in a batch, at most 256"),
    SL_FLAG(flags, learning_rate, "of Adadelta"),
    SL_FLAG(flags, contrast, "of the digits against the noise; 0: only the noise is there"),
    SL_FLAG(flags, sync, "all workers take each step together"),
    SL_FLAGS_END,
};

// --- Data ---

typedef struct {
  float images[MOST][HEIGHT][WIDTH];
  int32_t lengths[MOST];                         // steps that count: all
  int64_t indices[MOST * LONGEST][2], shape[2];  // the labels, a sparse matrix
  int32_t values[MOST * LONGEST];
  int64_t count;  // of labels
} data_t;

static int below(unsigned *seed, int limit) { return rand_r(seed) % limit; }

static void draw(float image[HEIGHT][WIDTH], int slot, int digit) {
  for (int row = 0; row < HEIGHT; row++)
    for (int column = 0; column < SLOT - 2 && (digit + 1) * (row + 1) % CLASSES < 5; column++)
      image[row][slot * SLOT + column + 1] += (float)flags.contrast;
}

static void next_batch(data_t *data, unsigned *seed) {
  data->count = 0;
  data->shape[0] = flags.batch_size;
  data->shape[1] = LONGEST;
  for (int i = 0; i < flags.batch_size; i++) {
    for (int k = 0; k < HEIGHT * WIDTH; k++)
      data->images[i][k / WIDTH][k % WIDTH] = (float)rand_r(seed) / (float)RAND_MAX;
    data->lengths[i] = TIME;
    for (int k = 0, length = 1 + below(seed, LONGEST); k < length; k++) {
      int digit = below(seed, DIGITS);
      data->indices[data->count][0] = i;
      data->indices[data->count][1] = k;
      data->values[data->count++] = digit;
      draw(data->images[i], k, digit);
    }
  }
}

// --- Model ---

typedef struct {
  TF_Output images, lengths, step, loss;
  sl_sparse_t labels, decoded;
  TF_Operation *train;
} model_t;

static TF_Output transpose(sl_scope_t *g, TF_Output x, int a, int b, int c, int d) {
  return sl_op_transpose(
      g, x, sl_constant(g, TF_INT32, SL_SHAPE(d < 0 ? 3 : 4), ((int32_t[]){a, b, c, d})));
}

// [batch, rows, columns, 1] to [time, batch, classes].
static TF_Output logits_of(sl_scope_t *g, TF_Output images, TF_Output lengths) {
  TF_Output net = sl_conv2d(g, images, 8, SL_SIZE(3, 3), .padding = SL_SAME, .activation = SL_RELU);
  net = sl_max_pooling2d(g, net, SL_SIZE(2, 2), SL_SIZE(2, 2));
  net = sl_reshape(g, transpose(g, net, 0, 2, 1, 3), SL_SHAPE(-1, TIME, HEIGHT / 2 * 8));
  sl_bidirectional_rnn_t rnn = sl_bidirectional_dynamic_rnn(
      g, sl_lstm_cell(g, 16), sl_lstm_cell(g, 16), net, .sequence_length = lengths);
  net = sl_concat(g, SL_OUTPUTS(rnn.forward.outputs, rnn.backward.outputs), 2);
  return transpose(g, sl_dense(g, net, CLASSES), 1, 0, 2, -1);
}

static model_t build(sl_scope_t *g, sl_server_t *server) {
  model_t model = {0};
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    model.step = sl_global_step(g);
    model.images = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, HEIGHT, WIDTH, 1), .name = "images");
    model.labels = sl_sparse_placeholder(g, TF_INT32, .name = "labels");
    model.lengths = sl_placeholder(g, TF_INT32, SL_SHAPE(-1), .name = "lengths");
    TF_Output logits = logits_of(g, model.images, model.lengths);
    model.loss = sl_mean(g, sl_ctc_loss(g, model.labels, logits, model.lengths));
    model.decoded = sl_ctc_greedy_decoder(g, logits, model.lengths).decoded;
    sl_optimizer_t *optimizer = sl_adadelta(g, flags.learning_rate);
    if (flags.sync) optimizer = sl_sync_replicas(g, optimizer, server);
    model.train = sl_minimize(g, optimizer, model.loss, .global_step = model.step);
    sl_summary_scalar(g, "loss", model.loss);
  }
  return model;
}

// --- Reading ---

// The share of the images all of whose digits |model| reads right, and no others.
static void read_digits(sl_session_t *session, const model_t *model, const data_t *data) {
  TF_Tensor *indices = NULL, *values = NULL;
  if (!sl_run(session,
              SL_FEED(model->images, &data->images[0][0][0], flags.batch_size, HEIGHT, WIDTH, 1),
              SL_FEED(model->lengths, data->lengths, flags.batch_size),
              SL_FETCH_TENSOR(model->decoded.indices, &indices),
              SL_FETCH_TENSOR(model->decoded.values, &values)))
    return;
  const int64_t *read_at = TF_TensorData(indices), *read = TF_TensorData(values),
                count = TF_Dim(values, 0);
  int right = 0;
  for (int64_t image = 0, i = 0, k = 0; image < flags.batch_size; image++) {
    bool same = true;
    for (; k < data->count && data->indices[k][0] == image; k++, i += same)
      same = same && i < count && read_at[2 * i] == image && read[i] == data->values[k];
    right += same && (i == count || read_at[2 * i] != image);
    while (i < count && read_at[2 * i] == image) i++;
  }
  printf("read right: %.4f\n", (double)right / flags.batch_size);
  TF_DeleteTensor(indices);
  TF_DeleteTensor(values);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a network that reads digits off images");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);
  if (flags.batch_size < 1 || flags.batch_size > MOST) {
    fprintf(stderr, "--batch_size must be between 1 and %d\n", MOST);
    return 2;
  }

  sl_scope_t *g = sl_graph_scope();
  model_t model = build(g, server);
  sl_session_t *session = sl_monitored_training_session(g, server, .checkpoint_dir = flags.log_dir,
                                                        .stop_at_step = flags.steps);
  static data_t data;
  unsigned seed = (unsigned)sl_server_task_index(server) + 1;
  while (!sl_should_stop(session)) {
    float loss;
    int64_t at;
    next_batch(&data, &seed);
    if (sl_run(session,
               SL_FEED(model.images, &data.images[0][0][0], flags.batch_size, HEIGHT, WIDTH, 1),
               SL_FEED(model.lengths, data.lengths, flags.batch_size),
               SL_FEED(model.labels.indices, &data.indices[0][0], data.count, 2),
               SL_FEED(model.labels.values, data.values, data.count),
               SL_FEED(model.labels.dense_shape, data.shape, 2), SL_TARGET(model.train),
               SL_FETCH(model.loss, &loss), SL_FETCH(model.step, &at)) &&
        at % (flags.steps / 20 + 1) == 0)
      printf("step %lld, loss %f\n", (long long)at, loss);
  }
  if (sl_server_is_chief(server)) {
    next_batch(&data, &seed);
    read_digits(session, &model, &data);
  }
  return sl_session_close(session);
}
