// A CRNN, which reads strings of digits in images without knowing where the digits are: a
// convolution, an LSTM network that reads the columns in both directions, and CTC, which needs no
// alignment of the labels. Trained with a Supervisor, whose init_fn starts from a checkpoint or
// from nothing; asynchronously or, with --issync, synchronously. The images are synthetic: a
// pattern of bright rows for each digit, with noise.
//
//   sluice launch --ps 1 --workers 2 -- crnn
//   sluice launch --ps 1 --workers 2 -- crnn --issync
//
// Prints every 10 steps, then "done at step 2000":
//
//   step 10, loss 19.337181
#include <stdio.h>
#include <stdlib.h>

#include "sluice/ops.h"
#include "sluice/sluice.h"

enum { WIDTH = 32, HEIGHT = 16, DIGITS = 10, CLASSES = DIGITS + 1, LONGEST = 4, BATCH = 8 };
enum { SLOT = WIDTH / LONGEST, TIME = WIDTH / 2 };  // columns of a digit; time steps after pooling

static struct {
  const char *save_path, *init_from;
  int64_t steps;
  double learning_rate, contrast;
  bool sync;
} flags = {"crnn_logs", "", 2000, 1, 1, false};

static const sl_flag_t options[] = {
    SL_FLAG(flags, save_path, "directory for checkpoints and summaries"),
    SL_FLAG(flags, init_from, "directory with a checkpoint from which a new training starts"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, learning_rate, "learning rate of Adadelta"),
    SL_FLAG(flags, contrast, "contrast of the digits against the noise; 0: noise only"),
    SL_FLAG(flags, sync, "all workers take each step together"),
    SL_SYNC_FLAGS(flags, sync),  // --is_sync, --issync, --sync_replicas
    SL_FLAGS_END,
};

typedef struct {
  float images[BATCH][HEIGHT][WIDTH];
  int32_t lengths[BATCH];                                // number of valid time steps
  int64_t indices[BATCH * LONGEST][2], shape[2], count;  // the labels as a sparse matrix
  int32_t values[BATCH * LONGEST];
} data_t;

static void draw(float image[HEIGHT][WIDTH], int slot, int digit) {
  for (int row = 0; row < HEIGHT; row++)
    for (int column = 0; column < SLOT - 2 && (digit + 1) * (row + 1) % CLASSES < 5; column++)
      image[row][slot * SLOT + column + 1] += (float)flags.contrast;
}

static void next_batch(data_t *data, unsigned *seed) {
  data->count = 0;
  data->shape[0] = BATCH;
  data->shape[1] = LONGEST;
  for (int i = 0; i < BATCH; i++) {
    for (int k = 0; k < HEIGHT * WIDTH; k++)
      data->images[i][k / WIDTH][k % WIDTH] = (float)rand_r(seed) / (float)RAND_MAX;
    data->lengths[i] = TIME;
    for (int k = 0, length = 1 + rand_r(seed) % LONGEST; k < length; k++) {
      int digit = rand_r(seed) % DIGITS;
      data->indices[data->count][0] = i;
      data->indices[data->count][1] = k;
      data->values[data->count++] = digit;
      draw(data->images[i], k, digit);
    }
  }
}

typedef struct {
  TF_Output images, lengths, step, loss;
  sl_sparse_t labels;
  sl_optimizer_t *optimizer;
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
    model.optimizer = sl_adadelta(g, flags.learning_rate);
    if (flags.sync) model.optimizer = sl_sync_replicas(g, model.optimizer, server);
    model.train = sl_minimize(g, model.optimizer, model.loss, .global_step = model.step);
  }
  return model;
}

// Runs once, in the chief, after the variables were initialised.
static void init_fn(void *saver, TF_Session *session, TF_Status *status) {
  char *checkpoint = flags.init_from[0] ? sl_latest_checkpoint(flags.init_from) : NULL;
  if (checkpoint) sl_saver_restore(saver, session, checkpoint, status);
  free(checkpoint);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Trains a network that reads strings of digits");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  model_t m = build(g, server);
  sl_saver_t *saver = sl_saver(g);
  sl_scaffold_t scaffold = sl_sync_replicas_scaffold(m.optimizer);
  scaffold.saver = saver, scaffold.init_fn = init_fn, scaffold.init_context = saver;
  sl_supervisor_t *supervisor = sl_supervisor(g, .server = server, .logdir = flags.save_path,
                                              .scaffold = &scaffold, .save_model_secs = 50);
  sl_session_t *session = sl_supervisor_session(supervisor);
  sl_sync_replicas_start(m.optimizer, supervisor, session);

  static data_t data;
  unsigned seed = (unsigned)sl_server_task_index(server) + 1;
  int64_t at = 0;
  while (!sl_should_stop(session) && at < flags.steps) {
    float loss;
    next_batch(&data, &seed);
    if (sl_run(session, SL_FEED(m.images, &data.images[0][0][0], BATCH, HEIGHT, WIDTH, 1),
               SL_FEED(m.lengths, data.lengths, BATCH),
               SL_FEED(m.labels.indices, &data.indices[0][0], data.count, 2),
               SL_FEED(m.labels.values, data.values, data.count),
               SL_FEED(m.labels.dense_shape, data.shape, 2), SL_TARGET(m.train),
               SL_FETCH(m.loss, &loss), SL_FETCH(m.step, &at)) &&
        at % 10 == 0)
      printf("step %lld, loss %f\n", (long long)at, loss);
  }
  printf("done at step %lld\n", (long long)at);
  return sl_session_close(session);
}
