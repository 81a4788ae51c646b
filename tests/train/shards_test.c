// Sharded input, and datasets with a saved position: the workers together use each record once per epoch, whichever
// task is killed. The test's binary is also the program of the tasks: it prints the records of each step.
#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/array.h"
#include "base/string.h"
#include "base/test.h"
#include "io/file/file.h"
#include "sluice/ops.h"
#include "sluice/sluice.h"
#include "tests/support/tool.h"

enum { FILES = 3, RECORDS = 101, BATCH = 7, EPOCHS = 3, POSITION = 3 };

// --- The program ---

static struct {
  const char *records, *log_dir, *die;
  int64_t die_at;
  bool dataset;
} flags;

static const sl_flag_t options[] = {
    SL_FLAG(flags, records, "files of numbers, PATH-0 and so on"),
    SL_FLAG(flags, log_dir, "directory for checkpoints"),
    SL_FLAG(flags, die, "the task that kills one, once: 'worker 1' itself, 'ps' the ps task"),
    SL_FLAG(flags, die_at, "after so many of its steps"),
    SL_FLAG(flags, dataset, "use a dataset with a saved position"),
    SL_FLAGS_END,
};

static char *scratch_file(const char *suffix) { return sli_format("%s.%s", flags.records, suffix); }

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  SLI_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

// Kills the task that the flags name, unless it was killed already.
static void die(const sl_server_t *server) {
  char *marker = scratch_file("died"), *pid_file = scratch_file("pid");
  char own[32];
  snprintf(own, sizeof(own), "worker %d", sl_server_task_index(server));
  bool kills_ps = strcmp(flags.die, "ps") == 0 && sl_server_is_chief(server);
  if ((kills_ps || strcmp(flags.die, own) == 0) && !sli_file_exists(marker)) {
    write_text(marker, "");
    pid_t pid = getpid();
    if (kills_ps) {
      sli_string_t text = {0};
      SLI_CHECK(!sli_file_read_whole(pid_file, 100, &text));
      pid = (pid_t)strtol(sli_string_text(&text), NULL, 10);
      sli_string_deinitialize(&text);
    }
    kill(pid, SIGKILL);
  }
  free(marker);
  free(pid_file);
}

static void print_step(const sl_session_t *session, const sl_server_t *server, const int64_t *position,
                       const TF_Tensor *ids) {
  sli_string_t line = {0};
  sli_string_append_format(&line, "\nUSED %d %lld %lld %lld:", sl_server_task_index(server),
                           (long long)sl_session_step(session), (long long)position[0], (long long)position[1]);
  for (int64_t i = 0; i < TF_TensorElementCount(ids); i++)
    sli_string_append_format(&line, " %lld", (long long)((const int64_t *)TF_TensorData(ids))[i]);
  printf("%s\n", line.data);
  fflush(stdout);
  sli_string_deinitialize(&line);
}

// The numbers of the records that a step uses, and the position that tells its steps apart.
static TF_Output build_records(sl_scope_t *g, sl_server_t *server, const char *const *files, TF_Output *out_position) {
  TF_Output records;
  if (flags.dataset) {
    sl_dataset_t *data = sl_dataset_records(g, files, FILES);
    data = sl_dataset_shard(data, sl_server_replica_count(server), sl_server_replica_index(server));
    data = sl_dataset_repeat(sl_dataset_shuffle(data, 10, 0), EPOCHS);
    records = sl_dataset_next_saved(sl_dataset_prefetch(sl_dataset_batch(data, BATCH, false), 2), server).items[0];
    *out_position = (TF_Output){TF_GraphOperationByName(sl_scope_graph(g), "dataset/advance"), 0};
  } else {
    records = sl_sharded_input(g, server, files, FILES, BATCH, .num_epochs = EPOCHS, .shuffle_buffer = 10, .seed = 3);
    *out_position = (TF_Output){TF_GraphOperationByName(sl_scope_graph(g), "input/next_position"), 0};
  }
  return sl_op_string_to_number(g, records, .out_type = TF_INT64);
}

static int task_main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Prints the records that each step is given");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) {
    char *path = scratch_file("pid"), *text = sli_format("%d", (int)getpid());
    write_text(path, text);
    free(path);
    free(text);
    return sl_server_join(server);
  }
  const char *files[FILES];
  for (int i = 0; i < FILES; i++) files[i] = sli_format("%s-%d", flags.records, i);
  sl_scope_t *g = sl_graph_scope();
  TF_Output ids, next;
  TF_Operation *train;
  SL_DEVICE (g, sl_replica_device_setter(server)) {
    TF_Output step = sl_global_step(g);
    ids = build_records(g, server, files, &next);
    train = sl_assign_add(g, step, sl_scalar(g, TF_INT64, 1)).oper;
  }
  for (int i = 0; i < FILES; i++) free((char *)files[i]);
  sl_session_t *session = sl_monitored_training_session(g, server, .checkpoint_dir = flags.log_dir, .log_steps = -1,
                                                        .save_checkpoint_steps = 4, .max_wait_secs = 40);
  for (int64_t steps = 1; !sl_should_stop(session); steps++) {
    int64_t position[POSITION];
    TF_Tensor *used = NULL;
    if (sl_run(session, SL_TARGET(train), SL_FETCH(next, position, POSITION), SL_FETCH_TENSOR(ids, &used)))
      print_step(session, server, position, used);
    if (used) TF_DeleteTensor(used);
    if (flags.die && steps == flags.die_at) die(server);
    usleep(2000);  // so that no worker ends before the other begins
  }
  return sl_session_close(session);
}

// --- Its output ---

typedef struct {
  int worker;
  int64_t step, epoch, offset;
  const char *ids;  // the rest of the line
} used_t;
typedef SLI_ARRAY(used_t) used_list_t;

static void parse_output(char *text, used_list_t *out_list) {
  char *position = NULL;
  for (char *line = strtok_r(text, "\n", &position); line; line = strtok_r(NULL, "\n", &position)) {
    char *found = strstr(line, "USED ");
    if (!found) continue;
    used_t used;
    long long step, epoch, offset;
    int length = 0;
    int count = sscanf(found, "USED %d %lld %lld %lld:%n", &used.worker, &step, &epoch, &offset, &length);
    SLI_EXPECT_INT(count, 4);
    used.step = step;
    used.epoch = epoch;
    used.offset = offset;
    used.ids = found + length;
    sli_array_push(out_list, used);
  }
}

// A step that a worker repeated after a restart counts once, and must have the same records.
static size_t forget_repetitions(used_list_t *list) {
  size_t kept = 0, repeated = 0;
  for (size_t i = 0; i < list->count; i++) {
    const used_t *used = &list->items[i];
    bool again = false;
    for (size_t j = 0; j < kept && !again; j++) {
      const used_t *other = &list->items[j];
      again = other->worker == used->worker && other->epoch == used->epoch && other->offset == used->offset;
      if (again) SLI_EXPECT_TEXT(used->ids, other->ids);
    }
    repeated += again;
    if (!again) list->items[kept++] = *used;
  }
  list->count = kept;
  return repeated;
}

static void expect_each_record_once_an_epoch(const used_list_t *list) {
  int seen[RECORDS] = {0};
  for (size_t i = 0; i < list->count; i++) {
    char *at = (char *)list->items[i].ids;
    for (char *end; *at; at = end) {
      long id = strtol(at, &end, 10);
      if (end == at) break;
      SLI_EXPECT(id >= 0 && id < RECORDS);
      if (id >= 0 && id < RECORDS) seen[id]++;
    }
  }
  for (int i = 0; i < RECORDS; i++) SLI_EXPECT_INT(seen[i], EPOCHS);
}

// --- The tests ---

// Writes files with the numbers from 0 to RECORDS - 1; returns "--records=PATH". New.
static char *write_records(const char *name) {
  char *prefix = sli_format("%s/%s", sli_test_temporary_dir(), name);
  TF_Status *status = TF_NewStatus();
  for (int i = 0, number = 0; i < FILES; i++) {
    char *path = sli_format("%s-%d", prefix, i);
    sl_record_writer_t *writer = sl_record_writer_open(path, NULL, status);
    for (; number < RECORDS * (i + 1) / FILES; number++) {
      char text[16];
      int size = snprintf(text, sizeof(text), "%d", number);
      sl_record_writer_write(writer, text, (size_t)size, status);
    }
    sl_record_writer_close(writer, status);
    SLI_EXPECT_TEXT(TF_Message(status), "");
    free(path);
  }
  TF_DeleteStatus(status);
  char *flag = sli_format("--records=%s", prefix);
  free(prefix);
  return flag;
}

// Runs the program in a cluster; |run| has its output. Returns how many steps were repeated.
static size_t run_program(const char *name, const char *ps, const char *workers, const char *victim, int at,
                          bool dataset, tool_run_t *run) {
  char *records = write_records(name), *logs = sli_format("--log_dir=%s", tool_scratch(name));
  char *dies = sli_format("--die=%s", victim), *when = sli_format("--die_at=%d", at);
  setenv("SLUICE_SHARDS_TASK", "1", 1);
  TOOL_RUN(run, "launch", "--ps", ps, "--workers", workers, "--max-restarts", "2", "--",
           SLI_BUILD_DIR "/tests/test_tests_train_shards", records, logs, dies, when,
           dataset ? "--dataset" : "--nodataset");
  unsetenv("SLUICE_SHARDS_TASK");
  if (run->code) sli_test_fail(__FILE__, __LINE__, "exit %d:\n%s%s", run->code, run->out, run->err);
  used_list_t list = {0};
  char *text = sli_strdup(run->out);
  parse_output(text, &list);
  size_t repeated = forget_repetitions(&list);
  expect_each_record_once_an_epoch(&list);
  sli_array_deinitialize(&list);
  free(text);
  free(records);
  free(logs);
  free(dies);
  free(when);
  return repeated;
}

static size_t run_cluster(const char *name, const char *ps, const char *workers, const char *victim, int at,
                          tool_run_t *run) {
  return run_program(name, ps, workers, victim, at, false, run);
}

SLI_TEST(test_two_workers_use_each_record_once_an_epoch) {
  tool_run_t run;
  SLI_EXPECT_INT(run_cluster("undisturbed", "1", "2", "", 0, &run), 0);
  SLI_EXPECT_CONTAINS(run.out, "USED 0 ");
  SLI_EXPECT_CONTAINS(run.out, "USED 1 ");
  tool_run_release(&run);
}

SLI_TEST(test_a_killed_worker_goes_on_with_its_next_record) {
  tool_run_t run;
  SLI_EXPECT_INT(run_cluster("worker", "1", "2", "worker 1", 5, &run), 0);
  SLI_EXPECT_CONTAINS(run.err, "'input' continues at record 35 of epoch 0, shard 1 of 2");
  tool_run_release(&run);
}

SLI_TEST(test_a_killed_program_goes_on_from_its_checkpoint) {
  tool_run_t run;
  // Saved at steps 0 (at the start), 4 and 8 or soon after: later steps are repeated.
  size_t repeated = run_cluster("alone", "0", "1", "worker 0", 10, &run);
  SLI_EXPECT(repeated >= 1 && repeated <= 6);
  SLI_EXPECT_CONTAINS(run.err, "'input' continues at record ");
  tool_run_release(&run);
}

SLI_TEST(test_after_a_killed_ps_all_go_on_from_the_checkpoint) {
  tool_run_t run;
  run_cluster("ps", "1", "2", "ps", 9, &run);
  SLI_EXPECT_CONTAINS(run.err, "[worker 0] Worker 0: 'input' continues at record ");
  tool_run_release(&run);
}

SLI_TEST(test_a_killed_worker_goes_on_with_its_next_element_of_a_dataset) {
  tool_run_t run;
  SLI_EXPECT_INT(run_program("dataset-worker", "1", "2", "worker 1", 5, true, &run), 0);
  SLI_EXPECT_CONTAINS(run.err, "'dataset' continues at element 5, shard 1 of 2");
  tool_run_release(&run);
}

SLI_TEST(test_a_killed_program_goes_on_with_its_dataset_from_its_checkpoint) {
  tool_run_t run;
  size_t repeated = run_program("dataset-alone", "0", "1", "worker 0", 10, true, &run);
  SLI_EXPECT(repeated >= 1 && repeated <= 6);
  SLI_EXPECT_CONTAINS(run.err, "'dataset' continues at element ");
  tool_run_release(&run);
}

SLI_TEST(test_after_a_killed_ps_all_go_on_with_their_datasets) {
  tool_run_t run;
  run_program("dataset-ps", "1", "2", "ps", 9, true, &run);
  SLI_EXPECT_CONTAINS(run.err, "[worker 0] Worker 0: 'dataset' continues at element ");
  tool_run_release(&run);
}

// --- In one process ---

typedef struct {
  int64_t ids[BATCH];
  int count;
} batch_t;

// Checks the first of the records that a step fetched, and deletes the tensor.
static void expect_first(TF_Tensor *records, int64_t id) {
  if (!records) return;
  const TF_TString *text = TF_TensorData(records);
  int64_t number = -1;
  SLI_EXPECT(sli_view_to_int64(sli_view_of(TF_StringGetDataPointer(text), TF_StringGetSize(text)), &number));
  SLI_EXPECT_INT(number, id);
  TF_DeleteTensor(records);
}

// Trains for |steps| steps in |directory| and returns the last batch; |text|, if not NULL, must be in the error.
static batch_t train(const char *records, const char *directory, int shard, int shards, int steps, const char *text) {
  const char *files[FILES];
  for (int i = 0; i < FILES; i++) files[i] = sli_format("%s-%d", strchr(records, '=') + 1, i);
  sl_scope_t *g = sl_graph_scope();
  TF_Output step = sl_global_step(g);
  TF_Output in = sl_sharded_input(g, NULL, files, FILES, BATCH, .shard = shard, .shards = shards);
  TF_Output ids = sl_op_string_to_number(g, in, .out_type = TF_INT64);
  TF_Operation *train = sl_assign_add(g, step, sl_scalar(g, TF_INT64, 1)).oper;
  sl_session_t *session =
      sl_monitored_training_session(g, NULL, .checkpoint_dir = directory, .log_steps = -1, .save_checkpoint_secs = -1);
  batch_t batch = {.count = BATCH};
  for (int i = 0; i < steps && !sl_should_stop(session); i++) {
    TF_Tensor *used = NULL;
    if (!sl_run(session, SL_TARGET(train), SL_FETCH(ids, batch.ids, BATCH), SL_FETCH_TENSOR(in, &used)))
      batch.count = 0;
    expect_first(used, batch.ids[0]);
  }
  if (text) SLI_EXPECT_CONTAINS(sl_session_error(session), text);
  SLI_EXPECT_INT(sl_session_close(session), text != NULL);
  sl_scope_release(g);
  for (int i = 0; i < FILES; i++) free((char *)files[i]);
  return batch;
}

SLI_TEST(test_positions_are_ordinary_variables_of_the_checkpoint) {
  char *records = write_records("variables");
  const char *directory = tool_scratch("variables-logs");
  SLI_EXPECT_INT(train(records, directory, 1, 3, 2, NULL).ids[0], 1 + 3 * BATCH);
  SLI_EXPECT_INT(train(records, directory, 1, 3, 1, NULL).ids[0], 1 + 2 * 3 * BATCH);
  tool_run_t run;
  TOOL_RUN(&run, "inspect", directory, "--values", "input/worker_1/position");
  SLI_EXPECT_CONTAINS(run.out, "21");
  SLI_EXPECT_INT(run.code, 0);
  tool_run_release(&run);
  // The other two shards were not used; with another number of shards the epoch starts again.
  SLI_EXPECT_INT(train(records, directory, 2, 3, 1, NULL).ids[0], 2);
  SLI_EXPECT_INT(train(records, directory, 1, 2, 1, NULL).ids[0], 1);
  free(records);
}

// A checkpoint as of a Python program: with the variables of the model, without positions.
SLI_TEST(test_a_checkpoint_without_positions_is_restored) {
  char *records = write_records("foreign");
  const char *directory = tool_scratch("foreign-logs");
  sl_scope_t *g = sl_graph_scope();
  TF_Operation *train_op = sl_assign_add(g, sl_global_step(g), sl_scalar(g, TF_INT64, 1)).oper;
  sl_session_t *session =
      sl_monitored_training_session(g, NULL, .checkpoint_dir = directory, .log_steps = -1, .stop_at_step = 5);
  while (!sl_should_stop(session)) sl_run(session, SL_TARGET(train_op));
  SLI_EXPECT_INT(sl_session_close(session), 0);
  sl_scope_release(g);
  SLI_EXPECT_INT(train(records, directory, 0, 1, 2, NULL).ids[0], BATCH);
  SLI_EXPECT_INT(train(records, directory, 0, 1, 1, NULL).ids[0], 2 * BATCH);
  tool_run_t run;
  TOOL_RUN(&run, "inspect", directory, "--values", "global_step");
  SLI_EXPECT_CONTAINS(run.out, "8");
  tool_run_release(&run);
  free(records);
}

SLI_TEST(test_files_that_cannot_be_read_end_the_training) {
  char *records = write_records("gone"), *path = sli_format("%s-1", strchr(records, '=') + 1);
  SLI_EXPECT_OK(sli_file_delete(path));
  SLI_EXPECT_INT(train(records, tool_scratch("gone-logs"), 0, 1, 100, "gone-1").count, 0);
  free(path);
  free(records);
}

#define SHARDS_TEST_MAIN(...)                                                                \
  int main(int argc, char **argv) {                                                          \
    static void (*const tests[])(void) = {__VA_ARGS__};                                      \
    if (getenv("SLUICE_SHARDS_TASK")) return task_main(argc, argv);                          \
    return sli_test_main(argc, argv, #__VA_ARGS__, tests, sizeof(tests) / sizeof(tests[0])); \
  }

SHARDS_TEST_MAIN(test_two_workers_use_each_record_once_an_epoch, test_a_killed_worker_goes_on_with_its_next_record,
                 test_a_killed_program_goes_on_from_its_checkpoint,
                 test_after_a_killed_ps_all_go_on_from_the_checkpoint,
                 test_a_killed_worker_goes_on_with_its_next_element_of_a_dataset,
                 test_a_killed_program_goes_on_with_its_dataset_from_its_checkpoint,
                 test_after_a_killed_ps_all_go_on_with_their_datasets,
                 test_positions_are_ordinary_variables_of_the_checkpoint,
                 test_a_checkpoint_without_positions_is_restored, test_files_that_cannot_be_read_end_the_training)
