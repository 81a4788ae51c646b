// The smallest distributed training with a Supervisor: y = w x + b is learned from single points by
// several workers, each at its own pace or, with --issync, all together. The variables are on the
// ps.
//
//   sluice launch --ps 1 --workers 2 -- linear_supervisor
//   sluice launch --ps 1 --workers 2 -- linear_supervisor --issync
//
// Each worker prints, on the way to the weight 2 and the bias 10:
//
//   step 500, weight 2.012334, bias 9.783221
//   …
//   done at step 2000
#include <stdio.h>
#include <stdlib.h>

#include "sluice/sluice.h"

static struct {
  const char *train_dir;
  int64_t steps;
  double learning_rate;
  bool sync;
} flags = {.train_dir = "train_dir", .steps = 2000, .learning_rate = 0.01};

static const sl_flag_t options[] = {
    SL_FLAG(flags, train_dir, "directory for checkpoints and summaries"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, learning_rate, "learning rate"),
    SL_FLAG(flags, sync, "all workers take each step together"),
    SL_SYNC_FLAGS(flags, sync),  // --is_sync, --issync, --sync_replicas
    SL_FLAGS_END,
};

static float uniform(unsigned *seed) { return (float)rand_r(seed) / (float)RAND_MAX * 2 - 1; }

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Learns a line with a Supervisor");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);

  sl_scope_t *g = sl_graph_scope();
  TF_Output x, y, w, b, step;
  TF_Operation *train;
  sl_optimizer_t *optimizer;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    x = sl_placeholder(g, TF_FLOAT, SL_SHAPE());
    y = sl_placeholder(g, TF_FLOAT, SL_SHAPE());
    w = sl_get_variable(g, "weight", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
    b = sl_get_variable(g, "bias", TF_FLOAT, SL_SHAPE(), .initializer = SL_ZEROS);
    TF_Output loss = sl_square(g, sl_subtract(g, sl_subtract(g, y, sl_multiply(g, x, w)), b));
    step = sl_global_step(g);
    optimizer = sl_gradient_descent(g, flags.learning_rate);
    if (flags.sync) optimizer = sl_sync_replicas(g, optimizer, server);
    train = sl_minimize(g, optimizer, loss, .global_step = step);
    sl_summary_scalar(g, "weight", w);
    sl_summary_scalar(g, "bias", b);
  }

  sl_scaffold_t scaffold = sl_sync_replicas_scaffold(optimizer);
  sl_supervisor_t *supervisor =
      sl_supervisor(g, .server = server, .logdir = flags.train_dir, .scaffold = &scaffold,
                    .save_model_secs = 60, .save_summaries_secs = 60);
  sl_session_t *session = sl_supervisor_session(supervisor);
  sl_sync_replicas_start(optimizer, supervisor, session);

  unsigned seed = (unsigned)sl_server_task_index(server) + 1;
  int64_t at = 0;
  while (!sl_should_stop(session) && at < flags.steps) {
    float point = 2 * uniform(&seed), value = 2 * point + 10 + uniform(&seed) / 2, weight, bias;
    if (sl_run(session, SL_FEED(x, &point), SL_FEED(y, &value), SL_TARGET(train),
               SL_FETCH(step, &at)) &&
        at % 500 == 0 && sl_run(session, SL_FETCH(w, &weight), SL_FETCH(b, &bias)))
      printf("step %lld, weight %f, bias %f\n", (long long)at, weight, bias);
  }
  printf("done at step %lld\n", (long long)at);
  return sl_session_close(session);  // the chief saves a last checkpoint
}
