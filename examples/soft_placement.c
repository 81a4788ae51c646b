// What happens when a device is named that does not exist, and how soft placement helps: the sum of
// d and e is put on the second GPU. A session refuses this, unless it may choose another device.
//
//   soft_placement          refuses, and exits with 1
//   soft_placement --soft
//
// Prints without --soft, after the first sum, the error:
//
//   [2 4 6]
//   soft_placement.c:30: Cannot assign a device for operation f: …
//
// and with it both sums; the log tells where they were computed.
#include <stdio.h>

#include "sluice/sluice.h"

static struct { bool soft; } flags;

static const sl_flag_t options[] = {
    SL_FLAG(flags, soft, "use another device if the one that a node asks for does not exist"),
    SL_FLAGS_END,
};

static TF_Output vector(sl_scope_t *g, const char *name) {
  return sl_constant(g, TF_FLOAT, SL_SHAPE(3), ((float[]){1, 2, 3}), .name = name);
}

static bool print(sl_session_t *session, TF_Output value) {
  float sum[3];
  bool ok = sl_run(session, SL_FETCH(value, sum, 3));
  if (ok) printf("[%g %g %g]\n", sum[0], sum[1], sum[2]);
  return ok;
}

int main(int argc, char **argv) {
  sl_flags_parse(&argc, argv, options, .summary = "Names a device that does not exist");
  sl_scope_t *g = sl_graph_scope();
  TF_Output c = sl_add(g, vector(g, "a"), vector(g, "b"), .name = "c"), d, e, f;
  SL_DEVICE(g, "/cpu:0") {
    d = vector(g, "d");
    e = vector(g, "e");
  }
  SL_DEVICE(g, "/gpu:1") {
    f = sl_add(g, d, e, .name = "f");
  }

  sl_session_t *session = sl_session(
      g, .config = &SL_CONFIG(.allow_soft_placement = flags.soft, .log_device_placement = true));
  if (print(session, c)) print(session, f);
  return sl_session_close(session);
}
