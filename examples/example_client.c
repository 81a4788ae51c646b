// A client that is not part of the cluster: it has the address of one task, and computes with
// variables on a ps and products on two workers. Start the servers first, see example_server.c.
//
//   example_client --target=grpc://localhost:2223
//
// Prints:
//
//   [[7 7] [7 7]]
#include <stdio.h>

#include "sluice/sluice.h"

static struct { const char *target; } flags = {.target = "grpc://localhost:2223"};

static const sl_flag_t options[] = {
    SL_FLAG(flags, target, "address of a task of the cluster"),
    SL_FLAGS_END,
};

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Computes on the tasks of a cluster");
  sl_scope_t *g = sl_graph_scope();
  TF_Output x, y, z;
  SL_DEVICE(g, "/job:ps/task:0") {
    x = sl_variable(g, sl_ones(g, TF_FLOAT, SL_SHAPE(2, 2)));
    y = sl_variable(g, sl_ones(g, TF_FLOAT, SL_SHAPE(2, 2)));
  }
  SL_DEVICE(g, "/job:worker/task:0") {
    z = sl_add(g, sl_matmul(g, x, y), x);
  }
  SL_DEVICE(g, "/job:worker/task:1") {
    z = sl_add(g, sl_matmul(g, z, x), x);
  }

  TF_Operation *init = sl_global_variables_initializer(g);
  sl_session_t *session = sl_session(g, .target = flags.target);
  float v[4];
  if (sl_run(session, SL_TARGET(init)) && sl_run(session, SL_FETCH(z, v, 4)))
    printf("[[%g %g] [%g %g]]\n", v[0], v[1], v[2], v[3]);
  return sl_session_close(session);
}
