// Evaluates a model while it is being trained: waits for checkpoints of mnist_replica.c, restores
// each into its own model and prints the accuracy on the test images. It does not connect to the
// cluster. It ends after the checkpoint of the last step, or if no new one appears for a while.
//
//   evaluate --log_dir=mnist_logs --steps=2000
//
// Prints for each checkpoint:
//
//   step 2000: accuracy 0.8712
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sluice/sluice.h"

static struct {
  const char *data_dir, *log_dir;
  int64_t steps, hidden_units;
  double poll_secs, wait_secs;
} flags = {
    .data_dir = "/usr/share/datasets/fashion-mnist",
    .log_dir = "mnist_logs",
    .steps = 2000,
    .hidden_units = 500,
    .poll_secs = 0.5,
    .wait_secs = 1200,
};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data_dir, "directory with MNIST's or Fashion-MNIST's four idx.gz files"),
    SL_FLAG(flags, log_dir, "directory where mnist_replica saves its checkpoints"),
    SL_FLAG(flags, steps, "global step of the last checkpoint"),
    SL_FLAG(flags, hidden_units, "units of the hidden layer, as in training"),
    SL_FLAG(flags, poll_secs, "seconds between checks for a new checkpoint"),
    SL_FLAG(flags, wait_secs, "seconds to wait for a new checkpoint before giving up"),
    SL_FLAGS_END,
};

typedef struct {
  TF_Output x, y, step, accuracy;
  sl_saver_t *saver;
} model_t;

static model_t build(sl_scope_t *g) {
  model_t model = {.step = sl_global_step(g)};
  model.x = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 784), .name = "x");
  model.y = sl_placeholder(g, TF_INT64, SL_SHAPE(-1), .name = "y");
  TF_Output hidden =
      sl_dense(g, model.x, flags.hidden_units, .activation = SL_RELU, .name = "hidden");
  model.accuracy = sl_accuracy(g, model.y, sl_dense(g, hidden, 10, .name = "logits"));
  model.saver = sl_saver(g);  // the optimizer's variables are not restored
  return model;
}

// Waits for a checkpoint other than |last|. Returns NULL after a timeout or a request to stop.
static char *next_checkpoint(sl_session_t *session, const char *last) {
  double fraction = flags.poll_secs - floor(flags.poll_secs);
  struct timespec pause = {(time_t)flags.poll_secs, (long)(fraction * 1e9)};
  time_t deadline = time(NULL) + (time_t)flags.wait_secs;
  while (!sl_should_stop(session)) {
    char *path = sl_latest_checkpoint(flags.log_dir);
    if (path && (!last || strcmp(path, last) != 0)) return path;
    free(path);
    if (time(NULL) > deadline) {
      fprintf(stderr, "no new checkpoint in %s for %g s\n", flags.log_dir, flags.wait_secs);
      return NULL;
    }
    nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Evaluates the checkpoints of mnist_replica");
  sl_scope_t *g = sl_graph_scope();
  sl_mnist_t *mnist = sl_mnist_open(g, flags.data_dir);
  model_t model = build(g);
  sl_session_t *session = sl_monitored_training_session(g, NULL, .log_steps = -1);
  sl_batch_t test = sl_mnist_test(mnist);
  TF_Status *status = TF_NewStatus();
  int64_t step = -1;
  char *path, *last = NULL;
  while (step < flags.steps && (path = next_checkpoint(session, last))) {
    free(last);
    last = path;
    sl_saver_restore(model.saver, sl_session_handle(session), path, status);
    if (TF_GetCode(status) != TF_OK) {  // it may have been deleted; wait for another
      fprintf(stderr, "%s: %s\n", path, TF_Message(status));
      continue;
    }
    float share;
    if (sl_run(session, SL_FEED(model.x, test.images), SL_FEED(model.y, test.labels),
               SL_FETCH(model.accuracy, &share), SL_FETCH(model.step, &step)))
      printf("step %lld: accuracy %.4f\n", (long long)step, share);
    fflush(stdout);
  }
  free(last);
  TF_DeleteStatus(status);
  int code = sl_session_close(session);
  return code ? code : step < flags.steps;
}
