// A deep recurrent network whose layers are on different devices of one process, as in GNMT: while
// layer 1 reads step t on its device, layer 0 already reads step t + 1 on its own, and the
// gradients flow back on the same devices. The network learns to repeat a sequence of bits two
// steps later.
//
//   deep_lstm --devices=4
//
// prints where the variables of each layer are, and the loss before and after the training:
//
//   rnn/multi_rnn_cell/cell_0/lstm_cell/kernel: /device:CPU:0
//   rnn/multi_rnn_cell/cell_1/lstm_cell/kernel: /device:CPU:1
//   …
//   loss before 0.69…
//   loss after 0.1…
//
// With --target=grpc://host:port it runs on a task that has the devices: sluice serve --cpus 4 …
#include <stdio.h>
#include <stdlib.h>

#include "sluice/sluice.h"

enum { BATCH = 32, TIME = 12, DELAY = 2, MOST = 16 };

static struct {
  const char *target;
  int layers, devices, units;
  int64_t steps;
  double learning_rate;
} flags = {.layers = 4, .devices = 2, .units = 16, .steps = 100, .learning_rate = 0.02};

static const sl_flag_t options[] = {
    SL_FLAG(flags, target, "the task to run on; default: this process"),
    SL_FLAG(flags, layers, "LSTM layers, at most 16"),
    SL_FLAG(flags, devices, "CPU devices; layer i is on device i, then again on the first"),
    SL_FLAG(flags, units, "units of each layer"),
    SL_FLAG(flags, steps, "training steps"),
    SL_FLAG(flags, learning_rate, "learning rate of Adam"),
    SL_FLAGS_END,
};

// Random bits, and the same bits DELAY steps later.
static void next_batch(float x[BATCH][TIME][1], float y[BATCH][TIME][1]) {
  static unsigned seed = 1;
  for (int i = 0; i < BATCH; i++)
    for (int t = 0; t < TIME; t++) {
      x[i][t][0] = (float)(rand_r(&seed) >> 8 & 1);
      y[i][t][0] = t < DELAY ? 0 : x[i][t - DELAY][0];
    }
}

// [batch, time, 1] to logits of the same shape.
static TF_Output network(sl_scope_t *g, TF_Output x) {
  sl_rnn_cell_t *cells[MOST];
  for (int i = 0; i < flags.layers; i++) {
    char device[32];
    snprintf(device, sizeof(device), "/cpu:%d", i % flags.devices);
    cells[i] = sl_device_wrapper(g, sl_lstm_cell(g, flags.units), device);
  }
  sl_rnn_t rnn = sl_dynamic_rnn(g, sl_multi_rnn_cell(g, cells, (size_t)flags.layers), x);
  return sl_dense(g, rnn.outputs, 1);
}

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Trains an LSTM network on several devices");
  if (flags.layers < 1 || flags.layers > MOST || flags.devices < 1) {
    fprintf(stderr, "--layers must be 1 to %d and --devices at least 1\n", MOST);
    return 2;
  }
  sl_scope_t *g = sl_graph_scope();
  TF_Output x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, TIME, 1), .name = "x");
  TF_Output y = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, TIME, 1), .name = "y");
  TF_Output loss = sl_losses_sigmoid_cross_entropy(g, y, network(g, x));
  TF_Operation *train =
      sl_minimize(g, sl_adam(g, flags.learning_rate), loss, .global_step = sl_global_step(g),
                  .colocate_gradients_with_ops = true);
  sl_outputs_t variables = sl_collection(g, SL_TRAINABLE_VARIABLES, "rnn/");
  for (size_t i = 0; i < variables.count; i += 2) {  // a kernel and a bias for each layer
    const sl_variable_info_t *variable = sl_variable_info(g, variables.items[i]);
    printf("%s: %s\n", variable->name, TF_OperationDevice(variable->reference.oper));
  }

  sl_session_t *session = sl_monitored_training_session(
      g, NULL, .master = flags.target, .config = &SL_CONFIG(.device_count.cpu = flags.devices),
      .stop_at_step = flags.steps, .progress = loss);
  static float bits[BATCH][TIME][1], later[BATCH][TIME][1];
  float value = 0;
  next_batch(bits, later);
  if (sl_run(session, SL_FEED(x, &bits[0][0][0], BATCH, TIME, 1),
             SL_FEED(y, &later[0][0][0], BATCH, TIME, 1), SL_FETCH(loss, &value)))
    printf("loss before %f\n", value);
  while (!sl_should_stop(session)) {
    next_batch(bits, later);
    sl_run(session, SL_FEED(x, &bits[0][0][0], BATCH, TIME, 1),
           SL_FEED(y, &later[0][0][0], BATCH, TIME, 1), SL_FETCH(loss, &value), SL_TARGET(train));
  }
  printf("loss after %f\n", value);
  return sl_session_close(session);
}
