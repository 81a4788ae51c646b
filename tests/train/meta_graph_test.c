// MetaGraphs: export and import, and errors of invalid files.
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/test.h"
#include "io/checkpoint/meta_graph.h"
#include "io/file/atomic_file.h"
#include "io/file/file.h"
#include "sluice/sluice.h"
#include "tests/train/fetch.h"

static char *temporary(const char *name) { return sli_format("%s/%s", sli_test_temporary_dir(), name); }

typedef struct {
  sl_scope_t *scope;
  TF_Output w, loss, step;
  TF_Operation *train;
} model_t;

// A partitioned variable, a slot for each part, a local variable and a collection of the program.
static model_t build(void) {
  model_t model = {.scope = sl_graph_scope()};
  sl_scope_t *s = model.scope;
  SL_DEVICE (s, "/job:worker/task:0") {
    model.step = sl_global_step(s);
    model.w = sl_get_variable(s, "w", TF_FLOAT, SL_SHAPE(4, 2), .initializer = SL_ZEROS,
                              .partitioner = SL_FIXED_SIZE_PARTITIONER(2));
    sl_get_variable(s, "seen", TF_INT64, SL_SHAPE(), .initializer = SL_ZEROS, .not_trainable = true,
                    .collections = (const char *[]){SL_LOCAL_VARIABLES}, .collection_count = 1);
    model.loss = sl_sum(s, sl_square(s, sl_subtract(s, model.w, sl_scalar(s, TF_FLOAT, 3))), .name = "loss");
    model.train = sl_minimize(s, sl_momentum(s, 0.1, 0.5), model.loss, .global_step = model.step);
  }
  sl_collection_add(s, "mine", model.loss);
  sl_collection_add(s, "mine", sl_collection_items(s, SL_TRAINABLE_VARIABLES)[1]);
  sl_summary_scalar(s, "how_bad", model.loss);
  return model;
}

static TF_Session *open_session(sl_scope_t *scope) {
  TF_Status *status = TF_NewStatus();
  TF_SessionOptions *options = TF_NewSessionOptions();
  TF_Session *session = TF_NewSession(sl_scope_graph(scope), options, status);
  TF_DeleteSessionOptions(options);
  TF_DeleteStatus(status);
  return session;
}

static void close_session(TF_Session *session) {
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(session, status);
  TF_DeleteSession(session, status);
  TF_DeleteStatus(status);
}

static void run(TF_Session *session, const TF_Operation *target) {
  TF_Status *status = TF_NewStatus();
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &target, 1, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
}

// Trains |steps| steps and saves "PREFIX-STEPS" without devices. Returns the loss.
static double save_trained(const char *prefix, int steps) {
  model_t model = build();
  char *cleared = sli_format("%s.cleared", prefix);
  TF_Status *status = TF_NewStatus();
  // Saved with a device that this process does not have: the import must ignore it.
  sl_export_meta_graph(model.scope, cleared, status, .clear_devices = true);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT(sl_import_meta_graph(s, cleared) != NULL);  // the file has no saver: one for all variables
  sl_saver_t *saver = sl_saver(s, .max_to_keep = 2, .name = "keeper");
  TF_Operation *init = sl_global_variables_initializer(s);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Session *session = open_session(s);
  run(session, init);
  for (int i = 0; i < steps; i++) run(session, sl_collection_items(s, SL_TRAIN_OP)[0].oper);
  for (int i = 0; i < 3; i++) sl_saver_save(saver, session, prefix, steps + i - 2, NULL, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  double loss = train_fetch(session, sl_collection_items(s, "mine")[0]);
  close_session(session);
  TF_DeleteStatus(status);
  sl_scope_release(s);
  sl_scope_release(model.scope);
  free(cleared);
  return loss;
}

SLI_TEST(test_a_checkpoint_has_its_graph_and_can_be_restored_into_it) {
  char *prefix = temporary("model.ckpt"), *latest = temporary("model.ckpt-4"), *meta = temporary("model.ckpt-4.meta");
  char *old = temporary("model.ckpt-2.meta");
  double saved_loss = save_trained(prefix, 4);
  SLI_EXPECT(sli_file_exists(meta));
  SLI_EXPECT(!sli_file_exists(old));  // beyond max_to_keep

  sl_scope_t *s = sl_graph_scope();
  sl_saver_t *saver = sl_import_meta_graph(s, meta);
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_REQUIRE(saver);
  SLI_EXPECT_INT(sl_collection_count(s, SL_GLOBAL_VARIABLES), 5);
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 2);
  SLI_EXPECT_INT(sl_collection_count(s, SL_LOCAL_VARIABLES), 1);
  SLI_EXPECT_INT(sl_collection_count(s, SL_SUMMARIES), 1);
  SLI_REQUIRE(sl_collection_count(s, "mine") == 2 && sl_collection_count(s, SL_TRAIN_OP) == 1);
  const sl_variable_info_t *part = sl_variable_info(s, sl_collection_items(s, "mine")[1]);
  SLI_REQUIRE(part);
  SLI_EXPECT_TEXT(part->name, "w/part_1");
  SLI_EXPECT_TEXT(part->saved_name, "w");
  SLI_EXPECT_TEXT(part->slice, "4 2 2,2:0,2");
  SLI_EXPECT(part->trainable && part->initializer && part->initial_value.oper);
  // New names differ from the imported ones.
  SLI_EXPECT_TEXT(TF_OperationName(sl_sum(s, sl_scalar(s, TF_FLOAT, 1), .name = "loss").oper), "loss_1");

  TF_Session *session = open_session(s);
  TF_Status *status = TF_NewStatus();
  sl_saver_restore(saver, session, latest, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_Output loss = sl_collection_items(s, "mine")[0];
  SLI_EXPECT_NEAR(train_fetch(session, loss), saved_loss, 0);
  SLI_EXPECT_NEAR(train_fetch(session, sl_global_step(s)), 4, 0);
  run(session, sl_collection_items(s, SL_TRAIN_OP)[0].oper);
  SLI_EXPECT(train_fetch(session, loss) < saved_loss);
  SLI_EXPECT_NEAR(train_fetch(session, sl_global_step(s)), 5, 0);
  TF_DeleteStatus(status);
  close_session(session);
  sl_scope_release(s);
  free(old);
  free(meta);
  free(latest);
  free(prefix);
}

SLI_TEST(test_imported_graphs_train_in_sessions) {
  char *prefix = temporary("again.ckpt"), *meta = temporary("again.ckpt-4.meta"), *directory = temporary("again");
  save_trained(prefix, 4);
  sl_scope_t *s = sl_graph_scope();
  sl_import_meta_graph(s, meta);
  sl_session_t *session =
      sl_monitored_training_session(s, NULL, .checkpoint_dir = directory, .stop_at_step = 30, .log_steps = -1);
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(sl_collection_items(s, SL_TRAIN_OP)[0].oper));
  SLI_EXPECT_TEXT(sl_session_error(session), "");
  double loss = NAN;
  SLI_EXPECT(sl_run(session, SL_FETCH(sl_collection_items(s, "mine")[0], &loss)));
  SLI_EXPECT_NEAR(loss, 0, 0.01);
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(s);
  free(directory);
  free(meta);
  free(prefix);
}

SLI_TEST(test_import_scope_prefixes_names_and_devices_can_be_replaced) {
  char *path = temporary("scoped.meta");
  model_t model = build();
  TF_Status *status = TF_NewStatus();
  sl_export_meta_graph(model.scope, path, status, .saver = sl_saver(model.scope));
  SLI_EXPECT_TEXT(TF_Message(status), "");
  sl_scope_release(model.scope);
  sl_scope_t *s = sl_graph_scope();
  sl_saver_t *first = sl_import_meta_graph(s, path, .import_scope = "tower"), *second = NULL;
  SL_DEVICE (s, "/device:CPU:0") {
    second = sl_import_meta_graph(s, path, .import_scope = "tower", .clear_devices = true);
  }
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  SLI_EXPECT(first && second && first != second);
  TF_Operation *kept = TF_GraphOperationByName(sl_scope_graph(s), "tower/w/part_0");
  TF_Operation *placed = TF_GraphOperationByName(sl_scope_graph(s), "tower_1/w/part_0");
  SLI_REQUIRE(kept && placed);
  SLI_EXPECT_TEXT(TF_OperationDevice(kept), "/job:worker/task:0");
  SLI_EXPECT_TEXT(TF_OperationDevice(placed), "/device:CPU:0");
  SLI_EXPECT_INT(sl_collection_count(s, SL_TRAINABLE_VARIABLES), 4);
  const sl_variable_info_t *info = sl_variable_info(s, sl_collection_items(s, SL_TRAINABLE_VARIABLES)[3]);
  SLI_REQUIRE(info);
  SLI_EXPECT_TEXT(info->name, "tower_1/w/part_1");
  SLI_EXPECT_TEXT(info->saved_name, "tower_1/w");
  TF_DeleteStatus(status);
  sl_scope_release(s);
  free(path);
}

// --- Loops and branches ---

static TF_Output below_5(sl_scope_t *s, void *data, const TF_Output *v) {
  return sl_less(s, v[0], sl_scalar(s, TF_INT64, 5));
}

static void add_one(sl_scope_t *s, void *data, const TF_Output *v, TF_Output *next) {
  next[0] = sl_add(s, v[0], sl_scalar(s, TF_INT64, 1));
}

// The serialized contexts of collection |key| in the MetaGraph |path|, concatenated.
static size_t read_contexts(const char *path, const char *key, sli_string_t *out) {
  sli_string_t bytes = {0};
  sli_arena_t arena = {0};
  sli_meta_graph_t graph = {0};
  size_t count = 0;
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &bytes));
  SLI_EXPECT_OK(sli_meta_graph_parse(sli_view_of(bytes.data, bytes.size), &arena, &graph));
  for (size_t i = 0; i < graph.collection_count; i++) {
    const sli_meta_graph_collection_t *collection = &graph.collections[i];
    if (strcmp(collection->key, key) != 0) continue;
    count += collection->count;
    for (size_t j = 0; j < collection->count; j++)
      sli_string_append(out, collection->items[j].data, collection->items[j].size);
  }
  sli_arena_deinitialize(&arena);
  sli_string_deinitialize(&bytes);
  return count;
}

static void expect_contexts(sl_scope_t *s, const char *path, const char *key, const char *const *names, size_t count) {
  TF_Status *status = TF_NewStatus();
  sl_export_meta_graph(s, path, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  TF_DeleteStatus(status);
  sli_string_t contexts = {0};
  SLI_EXPECT_INT(read_contexts(path, key, &contexts), count);
  for (size_t i = 0; i < count; i++)
    SLI_EXPECT(memmem(sli_string_text(&contexts), contexts.size, names[i], strlen(names[i])));
  sli_string_deinitialize(&contexts);
}

SLI_TEST(test_loops_are_described_and_may_be_imported_more_than_once) {
  char *path = temporary("loop.meta");
  sl_scope_t *s = sl_graph_scope();
  sl_while_loop(s, below_5, add_one, NULL, SL_OUTPUTS(sl_scalar(s, TF_INT64, 0)), .name = "up");
  expect_contexts(s, path, "while_context", (const char *[]){"up/while_context", "up/LoopCond:0", "up/Exit:0"}, 1);
  sl_scope_release(s);

  s = sl_graph_scope();
  sl_import_meta_graph(s, path, .import_scope = "a");
  sl_import_meta_graph(s, path, .import_scope = "b");
  sl_outputs_t own = sl_while_loop(s, below_5, add_one, NULL, SL_OUTPUTS(sl_scalar(s, TF_INT64, 2)), .name = "up");
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Session *session = open_session(s);
  TF_Output a = {TF_GraphOperationByName(sl_scope_graph(s), "a/up/Exit"), 0};
  TF_Output b = {TF_GraphOperationByName(sl_scope_graph(s), "b/up/Exit"), 0};
  SLI_REQUIRE(a.oper && b.oper);
  // In one run, because frames with the same name would be one frame.
  SLI_EXPECT_NEAR(train_fetch(session, sl_add(s, sl_add(s, a, b), own.items[0])), 15, 0);
  close_session(session);
  expect_contexts(s, path, "while_context",
                  (const char *[]){"a/up/while_context", "b/up/Exit:0", "\x0a\x10up/while_context"}, 3);
  sl_scope_release(s);
  free(path);
}

// --- Resource variables, as newer Python versions create them ---

// Exports a graph with one resource variable "w" = 7, described as by Python.
static void write_resource(const char *path) {
  sl_scope_t *s = sl_graph_scope();
  TF_Status *status = TF_NewStatus();
  sl_node_t *node = sl_node_begin(s, "VarHandleOp", "w");
  sl_node_attr_type(node, "dtype", TF_FLOAT);
  sl_node_attr_shape(node, "shape", SL_SHAPE());
  sl_node_attr_text(node, "shared_name", "w");
  TF_Output handle = sl_node_output(node);
  node = sl_node_begin(s, "AssignVariableOp", "w/Assign");
  sl_node_input(node, handle);
  sl_node_input(node, sl_scalar(s, TF_FLOAT, 7, .name = "w/initial_value"));
  sl_node_finish(node);
  node = sl_node_begin(s, "ReadVariableOp", "w/Read/ReadVariableOp");
  sl_node_input(node, handle);
  sl_node_attr_type(node, "dtype", TF_FLOAT);
  sl_node_finish(node);
  sl_export_meta_graph(s, path, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  sli_variable_def_t def = {.name = "w:0",
                            .initializer = "w/Assign",
                            .snapshot = "w/Read/ReadVariableOp:0",
                            .initial_value = "w/initial_value:0",
                            .is_resource = true,
                            .trainable = true,
                            .full_name = ""};
  sli_string_t bytes = {0}, variable = {0};
  sli_arena_t arena = {0};
  sli_meta_graph_t graph;
  SLI_EXPECT_OK(sli_file_read_whole(path, 1 << 20, &bytes));
  SLI_REQUIRE_OK(sli_meta_graph_parse(sli_view_of(bytes.data, bytes.size), &arena, &graph));
  sli_variable_def_append(&def, &variable);
  sli_view_t item = sli_view_of(variable.data, variable.size);
  sli_meta_graph_collection_t collections[] = {
      {.key = SL_GLOBAL_VARIABLES, .kind = SLI_META_GRAPH_BYTES, .items = &item, .count = 1},
      {.key = SL_TRAINABLE_VARIABLES, .kind = SLI_META_GRAPH_BYTES, .items = &item, .count = 1}};
  graph.collections = collections;
  graph.collection_count = 2;
  bytes.size = 0;
  SLI_EXPECT_OK(sli_meta_graph_append(&graph, sli_view(""), &bytes));
  SLI_EXPECT_OK(sli_atomic_file_write(path, sli_view_of(bytes.data, bytes.size)));
  sli_string_deinitialize(&variable);
  sli_string_deinitialize(&bytes);
  sli_arena_deinitialize(&arena);
  TF_DeleteStatus(status);
  sl_scope_release(s);
}

SLI_TEST(test_resource_variables_are_variables) {
  char *path = temporary("resource.meta"), *directory = temporary("resource");
  write_resource(path);
  for (int round = 0; round < 2; round++) {
    sl_scope_t *s = sl_graph_scope();
    SLI_EXPECT(sl_import_meta_graph(s, path) != NULL);  // a new saver
    SLI_EXPECT_TEXT(sl_scope_error(s), "");
    SLI_REQUIRE(sl_collection_count(s, SL_TRAINABLE_VARIABLES) == 1);
    TF_Output w = sl_collection_items(s, SL_TRAINABLE_VARIABLES)[0];
    const sl_variable_info_t *info = sl_variable_info(s, w);
    SLI_REQUIRE(info);
    SLI_EXPECT_TEXT(info->name, "w");
    SLI_EXPECT(info->dtype == TF_FLOAT && info->shape.rank == 0 && info->trainable);
    TF_Output more = sl_assign_add(s, w, sl_scalar(s, TF_FLOAT, 1)), ten = sl_assign(s, w, sl_scalar(s, TF_FLOAT, 10));
    TF_Operation *next = sl_assign_add(s, sl_global_step(s), sl_scalar(s, TF_INT64, 1)).oper;
    sl_session_t *session = sl_monitored_training_session(s, NULL, .checkpoint_dir = directory, .log_steps = -1);
    double value = 0;
    SLI_EXPECT(sl_run(session, SL_FETCH(w, &value)));
    SLI_EXPECT_NEAR(value, round ? 11 : 7, 0);  // the initial value, then that of the checkpoint
    if (!round) {
      SLI_EXPECT(sl_run(session, SL_FETCH(ten, &value)));
      SLI_EXPECT_NEAR(value, 10, 0);
      SLI_EXPECT(sl_run(session, SL_FETCH(more, &value), SL_TARGET(next)));
      SLI_EXPECT_NEAR(value, 11, 0);
    }
    SLI_EXPECT_TEXT(sl_session_error(session), "");
    SLI_EXPECT_INT(sl_session_close(session), 0);
    sl_scope_release(s);
  }
  free(directory);
  free(path);
}

// Writes a MetaGraph of an empty graph with one collection.
static void write_meta(const char *path, sli_meta_graph_collection_t collection) {
  sli_meta_graph_t graph = {
      .tensorflow_version = "1", .git_version = "", .collections = &collection, .collection_count = 1};
  sli_string_t bytes = {0};
  SLI_EXPECT_OK(sli_meta_graph_append(&graph, sli_view(""), &bytes));
  SLI_EXPECT_OK(sli_atomic_file_write(path, sli_view_of(bytes.data, bytes.size)));
  sli_string_deinitialize(&bytes);
}

static void expect_refused(const char *path, const char *part) {
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT(!sl_import_meta_graph(s, path));
  SLI_EXPECT(sl_scope_code(s) != TF_OK);
  SLI_EXPECT_CONTAINS(sl_scope_error(s), part);
  sl_scope_release(s);
}

SLI_TEST(test_collections_of_other_things_are_kept_for_the_next_export) {
  char *path = temporary("numbers.meta"), *again = temporary("numbers_again.meta");
  static const char numbers[] = "\x1a\x03\x0a\x01\x2a";  // int64_list { value: 42 }
  write_meta(path, (sli_meta_graph_collection_t){
                       .key = "numbers", .kind = SLI_META_GRAPH_OTHER, .encoded = sli_view_of(numbers, 5)});
  sl_scope_t *s = sl_graph_scope();
  SLI_EXPECT(!sl_import_meta_graph(s, path));  // no variables to save
  SLI_EXPECT_TEXT(sl_scope_error(s), "");
  TF_Status *status = TF_NewStatus();
  sl_export_meta_graph(s, again, status);
  SLI_EXPECT_TEXT(TF_Message(status), "");
  sli_string_t bytes = {0};
  sli_arena_t arena = {0};
  sli_meta_graph_t graph;
  SLI_EXPECT_OK(sli_file_read_whole(again, 1 << 20, &bytes));
  SLI_REQUIRE_OK(sli_meta_graph_parse(sli_view_of(bytes.data, bytes.size), &arena, &graph));
  SLI_REQUIRE(graph.collection_count == 1);
  SLI_EXPECT_TEXT(graph.collections[0].key, "numbers");
  SLI_EXPECT(sli_view_equal(graph.collections[0].encoded, sli_view_of(numbers, 5)));
  SLI_EXPECT_TEXT(graph.tensorflow_version, "2.15.1");
  sli_arena_deinitialize(&arena);
  sli_string_deinitialize(&bytes);
  TF_DeleteStatus(status);
  sl_scope_release(s);
  free(again);
  free(path);
}

SLI_TEST(test_a_file_that_is_not_a_metagraph_is_an_error) {
  char *path = temporary("bad.meta");
  expect_refused(path, "bad.meta");  // does not exist
  SLI_EXPECT_OK(sli_atomic_file_write(path, sli_view("this is not a MetaGraph at all")));
  expect_refused(path, "is not a MetaGraph");
  sli_view_t name = sli_view("nothing:0");
  write_meta(path,
             (sli_meta_graph_collection_t){.key = "mine", .kind = SLI_META_GRAPH_NODES, .items = &name, .count = 1});
  expect_refused(path, "'mine' names node 'nothing', which its graph does not have");
  name = sli_view("\xff\xff");
  write_meta(path, (sli_meta_graph_collection_t){
                       .key = "variables", .kind = SLI_META_GRAPH_BYTES, .items = &name, .count = 1});
  expect_refused(path, "");
  write_meta(path, (sli_meta_graph_collection_t){
                       .key = "while_context", .kind = SLI_META_GRAPH_BYTES, .items = &name, .count = 1});
  expect_refused(path, "WhileContextDef");
  sl_scope_t *s = sl_graph_scope();
  sl_constant(s, TF_FLOAT, SL_SHAPE(), &(float){1});
  sl_session_t *session = sl_monitored_training_session(s, NULL, .log_steps = -1);
  SLI_EXPECT(!sl_import_meta_graph(s, path));
  SLI_EXPECT_CONTAINS(sl_scope_error(s), "Graph is finalized and cannot be modified");
  sl_session_close(session);
  sl_scope_release(s);
  free(path);
}

SLI_TEST_MAIN(test_a_checkpoint_has_its_graph_and_can_be_restored_into_it, test_imported_graphs_train_in_sessions,
              test_import_scope_prefixes_names_and_devices_can_be_replaced, test_resource_variables_are_variables,
              test_loops_are_described_and_may_be_imported_more_than_once,
              test_collections_of_other_things_are_kept_for_the_next_export,
              test_a_file_that_is_not_a_metagraph_is_an_error)
