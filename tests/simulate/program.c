// The programs of the simulated tasks, linked into the task library with the whole of Sluice. A trainer's model is a
// number that every update lowers by one, so that its value tells how many updates were applied.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sluice/sluice.h"
#include "tests/simulate/world.h"

// The compiler's library has a function of this name, for another purpose; it must not be linked in.
int world_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  return world_pthread_create(out, attributes, run, argument);
}

static struct {
  const char *log_dir;
  int64_t steps, save_steps, step_millis;
  int aggregate;
  double max_wait;
  bool sync, strict, background;
} flags = {.steps = 50, .save_steps = 20, .max_wait = 600};

static const sl_flag_t options[] = {
    SL_FLAG(flags, log_dir, "where checkpoints go"),
    SL_FLAG(flags, steps, "global steps"),
    SL_FLAG(flags, save_steps, "steps between checkpoints"),
    SL_FLAG(flags, step_millis, "how long a step takes at least"),
    SL_FLAG(flags, aggregate, "gradients per step"),
    SL_FLAG(flags, max_wait, "the longest wait for other tasks, in seconds"),
    SL_FLAG(flags, sync, "synchronous"),
    SL_FLAG(flags, strict, "one gradient from each worker"),
    SL_FLAG(flags, background, "checkpoints in the background"),
    SL_FLAGS_END,
};

static void nap(int64_t millis) {
  nanosleep(&(struct timespec){.tv_sec = millis / 1000, .tv_nsec = millis % 1000 * 1000000}, NULL);
}

// The entry of a task.
__attribute__((visibility("default"))) int simulated_trainer(int argc, char **argv);
int simulated_trainer(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "A simulated task");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);
  sl_scope_t *g = sl_graph_scope();
  TF_Output w, loss;
  TF_Operation *train;
  SL_DEVICE (g, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(g);
    w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(1), .initializer = SL_ZEROS);
    loss = sl_mean(g, w);
    sl_optimizer_t *optimizer = sl_gradient_descent(g, 1.0);
    if (flags.sync)
      optimizer =
          sl_sync_replicas(g, optimizer, server, .replicas_to_aggregate = flags.aggregate, .strict = flags.strict);
    train = sl_minimize(g, optimizer, loss, .global_step = step);
  }
  sl_session_t *session =
      sl_monitored_training_session(g, server, .checkpoint_dir = flags.log_dir, .stop_at_step = flags.steps,
                                    .save_checkpoint_steps = flags.save_steps, .max_wait_secs = flags.max_wait,
                                    .save_in_background = flags.background);
  while (!sl_should_stop(session)) {
    world_report("try", 0, 0);
    float value = 0;
    if (!sl_run(session, SL_TARGET(train), SL_FETCH(loss, &value))) break;
    world_report("done", sl_session_step(session), value);
    nap(flags.step_millis);
  }
  int code = sl_session_close(session);
  world_report("closed", code, 0);
  return code;
}
