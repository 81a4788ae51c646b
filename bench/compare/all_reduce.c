// A worker of bench/compare/run: reduces vectors of 4 KB to 256 MB by all-reduce. The chief prints, for each size, the
// median and the shortest time:
//
//   BYTES MEDIAN_MILLIS BEST_MILLIS
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sluice/sluice.h"

enum { SIZES = 9 };
static const int64_t sizes[SIZES] = {4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20,
                                     4 << 20, 16 << 20, 64 << 20, 256 << 20};

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int runs_for(int64_t bytes) { return bytes <= 1 << 20 ? 101 : bytes <= 64 << 20 ? 15 : 7; }

int main(int argc, char **argv) {
  sl_server_t *server = sl_server_start(sl_cluster_from_args(&argc, argv));
  sl_scope_t *g = sl_graph_scope();
  TF_Operation *reduce[SIZES];
  SL_DEVICE (g, sl_server_device(server)) {
    sl_global_step(g);
    for (int i = 0; i < SIZES; i++) {
      char name[16];
      snprintf(name, sizeof(name), "v%d", i);
      TF_Output value = sl_get_variable(g, name, TF_FLOAT, SL_SHAPE(sizes[i] / 4), .initializer = SL_CONSTANT(1));
      reduce[i] = sl_all_reduce(g, value, server).oper;
    }
  }
  sl_session_t *session = sl_all_reduce_session(g, server, .log_steps = -1);
  double *times = calloc(101, sizeof(*times));
  for (int i = 0; i < SIZES && !sl_should_stop(session); i++) {
    int runs = runs_for(sizes[i]);
    for (int run = -2; run < runs; run++) {
      double began = now();
      sl_run(session, SL_TARGET(reduce[i]));
      if (run >= 0) times[run] = now() - began;
    }
    qsort(times, (size_t)runs, sizeof(*times), compare);
    if (sl_server_is_chief(server)) printf("%lld %.4f %.4f\n", (long long)sizes[i], times[runs / 2], times[0]);
  }
  free(times);
  return sl_session_close(session);
}
