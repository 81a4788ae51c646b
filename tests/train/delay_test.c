// Delay compensation between graphs: each worker is a process that builds its own graph. The workers take turns, so
// that each knows how late its gradients are, and what the formulas give.
#include <time.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "sluice/sluice.h"
#include "tests/train/peers.h"

enum { MAX_WORKERS = 3, ROUNDS = 4 };
#define RATE 0.05
#define LAMBDA 0.2
static const double start = 1.5;

static struct {
  bool adaptive, automatic;
  int64_t steps;
} flags = {.steps = 60};

static const sl_flag_t options[] = {
    SL_FLAG(flags, adaptive, "lambda is divided by the size of the gradients"),
    SL_FLAG(flags, automatic, "train, instead of taking turns"),
    SL_FLAG(flags, steps, "to train"),
    SL_FLAGS_END,
};

// d/dw of exp(w) - w.
static double slope(double w) { return exp(w) - 1; }

typedef struct {
  double w, backup[MAX_WORKERS], square[MAX_WORKERS];
} reference_t;

static void reference_push(reference_t *r, int worker, double gradient) {
  double lambda = LAMBDA;
  if (flags.adaptive) {
    r->square[worker] = 0.95 * r->square[worker] + 0.05 * gradient * gradient;
    lambda /= sqrt(r->square[worker] + 1e-7);
  }
  r->w -= RATE * (gradient + lambda * gradient * gradient * (r->w - r->backup[worker]));
}

// --- Tasks ---

typedef struct {
  sl_session_t *session;
  TF_Output turn;
  TF_Operation *next_turn;
  int64_t done;  // turns so far, of all workers
} turns_t;

static bool wait_for_turn(turns_t *turns) {
  for (int64_t now = -1; now != turns->done;) {
    if (!sl_run(turns->session, SL_FETCH(turns->turn, &now))) return false;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return true;
}

// All workers read w, then each applies its gradient: all but the first are late. Every worker computes what all do.
static int take_turns(sl_scope_t *g, sl_server_t *server, TF_Output w, TF_Output gradient, TF_Operation *push,
                      const sl_optimizer_t *optimizer) {
  int own = sl_server_task_index(server), count = sl_server_count(server, "worker"), wrong = 0;
  turns_t turns = {0};
  SL_DEVICE (g, "/job:ps/task:0") {
    turns.turn = sl_variable(g, sl_scalar(g, TF_INT64, 0), .name = "turn", .not_trainable = true);
    turns.next_turn = sl_assign_add(g, turns.turn, sl_scalar(g, TF_INT64, 1)).oper;
  }
  turns.session = sl_monitored_training_session(g, server, .max_wait_secs = 50, .log_steps = -1);
  reference_t reference = {.w = start};
  for (int round = 0; round < ROUNDS; round++) {
    double gradients[MAX_WORKERS];
    for (int i = 0; i < count; i++, turns.done++) {
      reference.backup[i] = reference.w;
      gradients[i] = slope(reference.w);
      if (i != own) continue;
      if (!wait_for_turn(&turns)) return sl_session_close(turns.session);
      sl_run(turns.session, SL_TARGET(sl_delay_compensated_pull(optimizer)));
      sl_run(turns.session, SL_TARGET(turns.next_turn));
    }
    for (int i = 0; i < count; i++, turns.done++) {
      reference_push(&reference, i, gradients[i]);
      if (i != own) continue;
      float fed = (float)gradients[i], found = NAN;
      if (!wait_for_turn(&turns)) return sl_session_close(turns.session);
      sl_run(turns.session, SL_FEED(gradient, &fed), SL_TARGET(push));
      sl_run(turns.session, SL_FETCH(w, &found));
      sl_run(turns.session, SL_TARGET(turns.next_turn));
      fprintf(stderr, "round %d: w=%.6f, expected %.6f\n", round, found, reference.w);
      wrong += !(fabs(found - reference.w) < 1e-5);
    }
  }
  if (!wait_for_turn(&turns)) return sl_session_close(turns.session);  // the chief ends the job last
  int64_t global_variables = (int64_t)sl_collection_count(g, SL_GLOBAL_VARIABLES);
  fprintf(stderr, "%s, %lld global variables\n", wrong ? "wrong" : "as expected", (long long)global_variables);
  return sl_session_close(turns.session);
}

// Trains with pulls of its own, as a program does. The chief ends the job when all workers have taken their steps.
static int train(sl_scope_t *g, sl_server_t *server, TF_Output w, TF_Operation *step) {
  int workers = sl_server_count(server, "worker");
  TF_Output finished[MAX_WORKERS];
  SL_DEVICE (g, "/job:ps/task:0") {
    for (int i = 0; i < workers; i++)
      finished[i] = sl_variable(g, sl_scalar(g, TF_INT64, 0), .name = "finished", .not_trainable = true);
  }
  TF_Operation *finish = sl_assign(g, finished[sl_server_task_index(server)], sl_scalar(g, TF_INT64, 1)).oper;
  sl_outputs_t list = {(size_t)workers, finished};
  TF_Output all = sl_add_n(g, list);
  sl_session_t *session = sl_monitored_training_session(g, server, .max_wait_secs = 50, .log_steps = -1);
  for (int64_t i = 0; i < flags.steps && !sl_should_stop(session); i++) sl_run(session, SL_TARGET(step));
  float found = NAN;
  if (sl_run(session, SL_FETCH(w, &found))) fprintf(stderr, "abs(w)=%.6f\n", fabs(found));
  sl_run(session, SL_TARGET(finish));
  for (int64_t count = 0; sl_server_is_chief(server) && count < workers;) {
    if (!sl_run(session, SL_FETCH(all, &count))) break;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  return sl_session_close(session);
}

static int worker_main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options);
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);
  sl_scope_t *g = sl_graph_scope();
  TF_Output w, gradient = {0};
  TF_Operation *push;
  sl_optimizer_t *optimizer;
  SL_DEVICE (g, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(g);
    w = sl_get_variable(g, "w", TF_FLOAT, SL_SHAPE(), .initializer = SL_CONSTANT(start));
    optimizer = sl_delay_compensated(g, sl_gradient_descent(g, RATE), sl_server_task_index(server), .lambda = LAMBDA,
                                     .adaptive = flags.adaptive, .manual_pull = !flags.automatic);
    if (flags.automatic) {
      push = sl_minimize(g, optimizer, sl_square(g, w), .global_step = step);
    } else {
      gradient = sl_placeholder(g, TF_FLOAT, SL_SHAPE(), .name = "gradient");
      sl_gradient_t item = {.gradient = gradient, .variable = w};
      push = sl_apply_gradients(g, optimizer, ((sl_gradients_t){1, &item}), .global_step = step);
    }
  }
  return flags.automatic ? train(g, server, w, push) : take_turns(g, server, w, gradient, push, optimizer);
}

static const peers_role_t roles[] = {{"task", worker_main}, {NULL, NULL}};

// --- Tests ---

// Starts a ps and |count| workers with |flag| and |mode|, and checks that each prints |text| and all end in order.
static void run_job(int count, const char *flag, const char *mode, const char *text) {
  sli_string_t hosts = {0};
  char *ps_hosts = sli_format("--ps_hosts=localhost:%d", sli_test_free_port());
  for (int i = 0; i < count; i++)
    sli_string_append_format(&hosts, "%slocalhost:%d", i ? "," : "--worker_hosts=", sli_test_free_port());
  peer_t ps, workers[MAX_WORKERS];
  PEERS_START(&ps, "task", ps_hosts, hosts.data, "--job_name=ps", "--task_index=0", flag, mode);
  for (int i = 0; i < count; i++) {
    char *index = sli_format("--task_index=%d", i);
    PEERS_START(&workers[i], "task", ps_hosts, hosts.data, "--job_name=worker", index, flag, mode);
    free(index);
  }
  for (int i = 0; i < count; i++) peers_expect(&workers[i], text);
  for (int i = 0; i < count; i++) peers_expect_code(&workers[i], 0);
  peers_expect_code(&ps, 0);
  for (int i = 0; i < count; i++) peers_stop(&workers[i]);
  peers_stop(&ps);
  sli_string_deinitialize(&hosts);
  free(ps_hosts);
}

// The global variables are w, the global step and the turn: no worker waits for slots that only another one has.
static const char as_expected[] = "as expected, 3 global variables";

SLI_TEST(test_two_workers_with_a_constant_lambda) { run_job(2, "--noadaptive", "--noautomatic", as_expected); }
SLI_TEST(test_three_workers_with_a_constant_lambda) { run_job(3, "--noadaptive", "--noautomatic", as_expected); }
SLI_TEST(test_two_workers_with_an_adaptive_lambda) { run_job(2, "--adaptive", "--noautomatic", as_expected); }
SLI_TEST(test_three_workers_with_an_adaptive_lambda) { run_job(3, "--adaptive", "--noautomatic", as_expected); }

SLI_TEST(test_workers_train_with_pulls_of_their_own) {
  run_job(2, "--noadaptive", "--automatic", "abs(w)=0.0");
  run_job(3, "--adaptive", "--automatic", "abs(w)=0.0");
}

PEERS_TEST_MAIN(roles, test_two_workers_with_a_constant_lambda, test_three_workers_with_a_constant_lambda,
                test_two_workers_with_an_adaptive_lambda, test_three_workers_with_an_adaptive_lambda,
                test_workers_train_with_pulls_of_their_own)
