// Logs to stderr on which device each operation runs.
//
//   log_device_placement
//
// Prints the sum, and among the lines of the log:
//
//   [2 4 6]
//   add: (AddV2): /job:localhost/replica:0/task:0/device:CPU:0
#include <stdio.h>

#include "sluice/sluice.h"

int main(void) {
  sl_scope_t *g = sl_graph_scope();
  TF_Output a = sl_constant(g, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}), .name = "a"), b, c;
  SL_DEVICE(g, "/cpu:0") {
    b = sl_constant(g, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}), .name = "b");
    c = sl_add(g, a, b, .name = "add");
  }

  sl_session_t *session = sl_session(g, .config = &SL_CONFIG(.log_device_placement = true));
  float sum[3];
  if (sl_run(session, SL_FETCH(c, sum, 3))) printf("[%g %g %g]\n", sum[0], sum[1], sum[2]);
  return sl_session_close(session);
}
