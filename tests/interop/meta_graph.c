// The C side of checks/meta_graph, over public headers only.
//   meta_graph export DIRECTORY STEPS     builds a model, trains it, leaves DIRECTORY/model.ckpt-STEPS and its .meta
//   meta_graph import PREFIX STEPS OUT    imports PREFIX.meta, restores PREFIX, trains on, saves OUT-STEP
// Both print "step STEP loss LOSS" after the last step. The loss is |w - 3|² over a partitioned w, fed through a queue.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice/sluice.h"

static void check(const TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s\n", TF_Message(status));
  exit(1);
}

static void check_scope(const sl_scope_t *scope) {
  if (sl_scope_code(scope) == TF_OK) return;
  fprintf(stderr, "%s\n", sl_scope_error(scope));
  exit(1);
}

static void report(TF_Session *session, TF_Output step, TF_Output loss) {
  TF_Status *status = TF_NewStatus();
  TF_Output outputs[] = {step, loss};
  TF_Tensor *values[2] = {0};
  TF_SessionRun(session, NULL, NULL, NULL, 0, outputs, values, 2, NULL, 0, NULL, status);
  check(status);
  printf("step %lld loss %.9g\n", (long long)*(int64_t *)TF_TensorData(values[0]), *(float *)TF_TensorData(values[1]));
  TF_DeleteTensor(values[0]);
  TF_DeleteTensor(values[1]);
  TF_DeleteStatus(status);
}

static void train(TF_Session *session, const TF_Operation *target, int steps) {
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < steps; i++) {
    TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
    check(status);
  }
  TF_DeleteStatus(status);
}

static void finish(sl_scope_t *scope, TF_Session *session, sl_coordinator_t *threads) {
  TF_Status *status = TF_NewStatus();
  sl_coordinator_request_stop(threads, TF_OK, NULL);
  TF_CloseSession(session, status);
  sl_coordinator_release(threads);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
  sl_scope_release(scope);
}

static TF_Session *open_session(sl_scope_t *scope) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(scope), options, status);
  check(status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  return session;
}

static int export_model(const char *directory, int steps) {
  sl_scope_t *s = sl_graph_scope();
  TF_Output step = sl_global_step(s);
  TF_Output w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(4, 3), .initializer = SL_ZEROS,
                                .partitioner = SL_FIXED_SIZE_PARTITIONER(2));
  TF_DataType types[] = {TF_FLOAT};
  sl_node_t *node = sl_node_begin(s, "FIFOQueueV2", "queue");
  sl_node_attr_type_list(node, "component_types", types, 1);
  sl_node_attr_shape_list(node, "shapes", &SL_SHAPE(), 1);
  sl_node_attr_int(node, "capacity", 4);
  TF_Output queue = sl_node_output(node), three = sl_scalar(s, TF_FLOAT, 3);
  node = sl_node_begin(s, "QueueEnqueueV2", "queue_enqueue");
  sl_node_input(node, queue);
  sl_node_input_list(node, &three, 1);
  TF_Operation *enqueue = sl_node_finish(node);
  sl_add_queue_runner(s, sl_queue_runner(s, queue, &enqueue, 1));
  node = sl_node_begin(s, "QueueDequeueV2", "goal");
  sl_node_input(node, queue);
  sl_node_attr_type_list(node, "component_types", types, 1);
  TF_Output goal = sl_node_output(node);
  TF_Output loss = sl_sum(s, sl_square(s, sl_subtract(s, w, goal)), .name = "loss");
  TF_Operation *minimize = sl_minimize(s, sl_momentum(s, 0.05, 0.5), loss, .global_step = step);
  sl_collection_add(s, "the_loss", loss);
  sl_saver_t *saver = sl_saver(s, .max_to_keep = 3);
  TF_Operation *init = sl_global_variables_initializer(s);
  check_scope(s);
  TF_Session *session = open_session(s);
  train(session, init, 1);
  sl_coordinator_t *threads = sl_coordinator_create();
  sl_start_queue_runners(s, session, threads);
  train(session, minimize, steps);
  report(session, step, loss);
  TF_Status *status = TF_NewStatus();
  char prefix[4096];
  snprintf(prefix, sizeof(prefix), "%s/model.ckpt", directory);
  sl_saver_save(saver, session, prefix, steps, NULL, status);
  check(status);
  TF_DeleteStatus(status);
  finish(s, session, threads);
  return 0;
}

static TF_Output only_item(const sl_scope_t *scope, const char *key) {
  if (sl_collection_count(scope, key) != 1) {
    fprintf(stderr, "collection %s has %zu items, not one\n", key, sl_collection_count(scope, key));
    exit(1);
  }
  return sl_collection_items(scope, key)[0];
}

static int import_model(const char *prefix, int steps, const char *out) {
  sl_scope_t *s = sl_graph_scope();
  char path[4096];
  snprintf(path, sizeof(path), "%s.meta", prefix);
  sl_saver_t *saver = sl_import_meta_graph(s, path);
  check_scope(s);
  TF_Output step = only_item(s, SL_GLOBAL_STEP), loss = only_item(s, "the_loss");
  TF_Operation *minimize = only_item(s, SL_TRAIN_OP).oper;
  printf("%zu variables, %zu trainable\n", sl_collection_count(s, SL_GLOBAL_VARIABLES),
         sl_collection_count(s, SL_TRAINABLE_VARIABLES));
  TF_Session *session = open_session(s);
  TF_Status *status = TF_NewStatus();
  sl_saver_restore(saver, session, prefix, status);
  check(status);
  sl_coordinator_t *threads = sl_coordinator_create();
  sl_start_queue_runners(s, session, threads);
  report(session, step, loss);
  train(session, minimize, steps);
  report(session, step, loss);
  sl_saver_save(saver, session, out, steps, NULL, status);
  check(status);
  TF_DeleteStatus(status);
  finish(s, session, threads);
  return 0;
}

int main(int argc, char **argv) {
  int steps = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 0;
  if (argc == 4 && !strcmp(argv[1], "export")) return export_model(argv[2], steps);
  if (argc == 5 && !strcmp(argv[1], "import")) return import_model(argv[2], steps, argv[4]);
  fprintf(stderr, "meta_graph export DIRECTORY STEPS | import PREFIX STEPS OUT\n");
  return 2;
}
