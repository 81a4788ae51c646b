// The C side of checks/resources, over public headers only.
//   resources META DIRECTORY STEP OPTIMIZER    imports META, continues from the checkpoint in DIRECTORY if there is
//   one,
//                                              trains up to STEP and saves there
// META is of a model of resource variables whose loss is in the collection "losses". A cluster comes from the usual
// flags or TF_CONFIG; without one the program trains alone.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice/sluice.h"

static sl_optimizer_t *optimizer_of(sl_scope_t *scope, sl_server_t *server, const char *name) {
  if (strcmp(name, "sync_adam") == 0) return sl_sync_replicas(scope, sl_adam(scope, 0.1), server);
  if (strcmp(name, "sync_momentum") == 0)  // no tokens at the start: the first step takes a gradient from each worker
    return sl_sync_replicas(scope, sl_momentum(scope, 0.1, 0.9), server, .num_tokens = -1);
  if (strcmp(name, "adam") == 0) return sl_adam(scope, 0.1);
  if (strcmp(name, "momentum") == 0) return sl_momentum(scope, 0.1, 0.9);
  return sl_gradient_descent(scope, 0.1);
}

int main(int argc, char **argv) {
  sl_server_t *server = sl_server_start(sl_cluster_from_args(&argc, argv));
  if (argc != 5) return 2;
  sl_scope_t *scope = sl_graph_scope();
  sl_import_meta_graph(scope, argv[1]);
  TF_Operation *train = NULL;
  if (sl_collection_count(scope, SL_LOSSES))
    train = sl_minimize(scope, optimizer_of(scope, server, argv[4]), sl_collection_items(scope, SL_LOSSES)[0],
                        .global_step = sl_global_step(scope));
  if (!train) {
    fprintf(stderr, "%s\n", sl_scope_error(scope));
    return 1;
  }
  sl_session_t *session = sl_monitored_training_session(scope, server, .checkpoint_dir = argv[2], .log_steps = -1,
                                                        .stop_at_step = strtoll(argv[3], NULL, 10));
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(train));
  int code = sl_session_close(session);
  sl_scope_release(scope);
  sl_server_release(server);
  return code;
}
