// A model split in two: the variables of each layer are on their own ps task, and one worker
// computes. In-graph: a single client, worker 0, builds and runs the graph; the other tasks only
// serve.
//
//   sluice launch --ps 2 --workers 2 -- model_parallel --worker_task=1
//
// Prints:
//
//   loss before 1.812317
//   loss after 0.213466
#include <stdio.h>

#include "sluice/sluice.h"

static struct {
  int worker_task;
  int64_t steps;
} flags = {.steps = 10000};

static const sl_flag_t options[] = {
    SL_FLAG(flags, worker_task, "index of the worker that computes"),
    SL_FLAG(flags, steps, "training steps"),
    SL_FLAGS_END,
};

static TF_Output weights(sl_scope_t *g, int64_t rows, int64_t columns) {
  return sl_variable(g, sl_truncated_normal(g, TF_FLOAT, SL_SHAPE(rows, columns), .stddev = 0.1));
}

static TF_Output biases(sl_scope_t *g, int64_t size) {
  return sl_variable(g, sl_zeros(g, TF_FLOAT, SL_SHAPE(size)));
}

static TF_Output layer(sl_scope_t *g, TF_Output x, TF_Output w, TF_Output b) {
  return sl_relu(g, sl_add(g, sl_matmul(g, x, w), b));
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options,
                 .summary = "Trains a model whose layers are on two ps tasks");
  sl_server_t *server = sl_server_start(cluster);
  if (!sl_server_is_chief(server)) return sl_server_join(server);
  if (sl_server_count(server, "ps") < 2) {
    fputs("two ps tasks are needed: sluice launch --ps 2 --workers 1 -- model_parallel\n", stderr);
    return 2;
  }

  sl_scope_t *g = sl_graph_scope();
  TF_Output weights_1, biases_1, weights_2, biases_2, loss;
  TF_Operation *train;
  SL_DEVICE(g, "/job:ps/task:0") {
    weights_1 = weights(g, 20, 32);
    biases_1 = biases(g, 32);
  }
  SL_DEVICE(g, "/job:ps/task:1") {
    weights_2 = weights(g, 32, 5);
    biases_2 = biases(g, 5);
  }
  char worker[64];
  snprintf(worker, sizeof(worker), "/job:worker/task:%d", flags.worker_task);
  SL_DEVICE(g, worker) {
    TF_Output input = sl_random_uniform(g, TF_FLOAT, SL_SHAPE(64, 20));
    TF_Output total = sl_sum(g, input, SL_AXES(1));
    TF_Output labels = sl_cast(g, sl_divide(g, total, sl_scalar(g, TF_FLOAT, 4)), TF_INT32);
    TF_Output logits = layer(g, layer(g, input, weights_1, biases_1), weights_2, biases_2);
    loss = sl_mean(g, sl_sparse_softmax_cross_entropy_with_logits(g, labels, logits));
    train = sl_minimize(g, sl_gradient_descent(g, 0.1), loss, .global_step = sl_global_step(g));
  }

  sl_session_t *session = sl_monitored_training_session(
      g, server, .all_tasks = true, .progress = loss, .stop_at_step = flags.steps);
  float value;
  if (sl_run(session, SL_FETCH(loss, &value))) printf("loss before %f\n", value);
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(train));
  if (sl_run(session, SL_FETCH(loss, &value))) printf("loss after %f\n", value);
  return sl_session_close(session);
}
