// A wide and deep recommender on tables of embeddings: nobody knows the ids before, and there may
// be far more than a ps can hold. An example has 8 features, such as a user, an item and a query;
// each id has a weight (the wide part, FTRL) and 16 numbers (the deep part, Adagrad, then an MLP).
// Start it with
//
//   sluice launch --ps 2 --workers 2 -- wide_deep
//   wide_deep --make=train.tfrecord --examples=1000000 && wide_deep --data=train.tfrecord
//
// Without --data each worker makes its examples: ids by Zipf's law out of 10^8 for each feature,
// labels by a hidden weight of each id. Worker 0 prints the AUC on examples that nobody trains on:
//
//   step 500: loss 0.61 auc 0.71
//   …
//   rate 41000 examples/s, rows 812345, bytes 152 a row, lookup p50 310 us p99 620 us
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sluice/sluice.h"

enum { FEATURES = 8, DEEP = 16, LOOKUPS = 300 };

static struct {
  const char *data, *make, *train_dir, *storage;
  int batch, admit_after, max_rows;
  int64_t steps, examples, ids, print_steps;
} flags = {.batch = 512,
           .steps = 2000,
           .examples = 100000,
           .ids = 100000000,
           .print_steps = 500,
           .storage = "float32"};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data, "TFRecord file of examples; default: examples that the program makes"),
    SL_FLAG(flags, make, "write --examples made examples to this TFRecord file and stop"),
    SL_FLAG(flags, examples, "examples to write"),
    SL_FLAG(flags, ids, "ids of a feature"),
    SL_FLAG(flags, batch, "examples in a step"),
    SL_FLAG(flags, steps, "global steps to train"),
    SL_FLAG(flags, print_steps, "global steps between lines of output"),
    SL_FLAG(flags, storage, "how rows are stored: float32, bfloat16 or int8"),
    SL_FLAG(flags, admit_after, "an id gets its deep row when it is seen for the so-many-th time"),
    SL_FLAG(flags, max_rows, "deep rows of a ps; old ones make room"),
    SL_FLAG(flags, train_dir, "directory for checkpoints"),
    SL_FLAGS_END,
};

// --- Examples ---

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static double uniform(uint64_t *random) {
  *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
  return ((double)(mix(*random) >> 11) + 0.5) * 0x1p-53;
}

// An id by Zipf's law with exponent 1.05, by inverting the integral of x^-1.05.
static int64_t zipf(uint64_t *random) {
  double most = pow((double)flags.ids, -0.05);
  double rank = pow(1 - uniform(random) * (1 - most), -1 / 0.05);
  return (int64_t)fmin(rank, (double)flags.ids) - 1;
}

// The ids of one example, different ones for each feature, and its label.
static float make_example(uint64_t *random, int64_t *ids) {
  double score = 0;
  for (int i = 0; i < FEATURES; i++) {
    ids[i] = (int64_t)mix((uint64_t)zipf(random) * FEATURES + (uint64_t)i);
    score += 2 * ((double)(mix((uint64_t)ids[i] ^ 77) >> 11) * 0x1p-53) - 1;
  }
  return uniform(random) < 1 / (1 + exp(-2 * score)) ? 1 : 0;
}

static int write_file(void) {
  TF_Status *status = TF_NewStatus();
  sl_record_writer_t *writer = sl_record_writer_open(flags.make, NULL, status);
  sl_example_t *example = sl_example_create();
  uint64_t random = 1;
  for (int64_t i = 0; i < flags.examples && TF_GetCode(status) == TF_OK; i++) {
    int64_t ids[FEATURES], label = (int64_t)make_example(&random, ids);
    sl_example_add_int64s(example, "label", &label, 1);
    sl_example_add_int64s(example, "ids", ids, FEATURES);
    sl_bytes_t bytes = sl_example_serialize(example);
    sl_record_writer_write(writer, bytes.data, bytes.size, status);
    sl_example_clear(example);
  }
  if (writer) sl_record_writer_close(writer, status);
  if (TF_GetCode(status) != TF_OK) fprintf(stderr, "--make: %s\n", TF_Message(status));
  int code = TF_GetCode(status) == TF_OK ? 0 : 1;
  sl_example_release(example);
  TF_DeleteStatus(status);
  return code;
}

// Where a worker's examples come from: made ones, or every N-th of a file, again and again.
typedef struct {
  uint64_t random;
  sl_record_reader_t *reader;
  sl_example_t *example;
  int worker, workers;
  int64_t number, read;
} source_t;

static bool read_example(source_t *source, int64_t *ids, float *label) {
  TF_Status *status = TF_NewStatus();
  const void *data;
  size_t size;
  bool done = false;
  while (!done && TF_GetCode(status) == TF_OK) {
    if (!source->reader) source->reader = sl_record_reader_open(flags.data, NULL, status);
    if (!source->reader) break;
    if (!sl_record_reader_read(source->reader, &data, &size, status)) {
      if (TF_GetCode(status) != TF_OK || !source->read) break;
      sl_record_reader_release(source->reader);
      source->reader = NULL;
      continue;
    }
    if (source->number++ % source->workers != source->worker) continue;
    sl_example_parse(source->example, data, size, status);
    sl_feature_t all = sl_example_find(source->example, "ids"),
                 one = sl_example_find(source->example, "label");
    if (all.count != FEATURES || !all.int64s || one.count != 1 || !one.int64s) break;
    memcpy(ids, all.int64s, FEATURES * sizeof(*ids));
    *label = (float)one.int64s[0];
    source->read++;
    done = true;
  }
  if (!done) fprintf(stderr, "--data %s: no more examples. %s\n", flags.data, TF_Message(status));
  TF_DeleteStatus(status);
  return done;
}

static bool next_batch(source_t *source, int64_t *ids, float *labels) {
  for (int i = 0; i < flags.batch; i++, ids += FEATURES) {
    if (flags.data && !read_example(source, ids, &labels[i])) return false;
    if (!flags.data) labels[i] = make_example(&source->random, ids);
  }
  return true;
}

// --- The model ---

typedef struct {
  TF_Output ids, labels, logits, loss, step, size;
  TF_Operation *train;
} model_t;

static sl_storage_t storage(void) {
  return !strcmp(flags.storage, "int8")       ? SL_STORAGE_INT8
         : !strcmp(flags.storage, "bfloat16") ? SL_STORAGE_BFLOAT16
                                              : 0;
}

// One column for each feature.
static TF_Operation *split(sl_scope_t *g, TF_Output ids) {
  sl_node_t *node = sl_node_begin(g, "Split", NULL);
  sl_node_input(node, sl_constant(g, TF_INT32, SL_SHAPE(), (&(int32_t){1})));
  sl_node_input(node, ids);
  sl_node_attr_int(node, "num_split", FEATURES);
  return sl_node_finish(node);
}

static model_t build(sl_scope_t *g, sl_server_t *server) {
  model_t m;
  int ps = sl_server_count(server, "ps");
  const char *device = ps ? "/job:ps/task:%d" : NULL;
  SL_DEVICE(g, sl_replica_device_setter(server)) {
    m.ids = sl_placeholder(g, TF_INT64, SL_SHAPE(-1, FEATURES), .name = "ids");
    m.labels = sl_placeholder(g, TF_FLOAT, SL_SHAPE(-1, 1), .name = "labels");
    sl_embedding_table_t *wide = sl_embedding_table(g, "wide", 1, .parts = ps, .device = device,
                                                    .optimizer = "Ftrl learning_rate=0.1");
    sl_embedding_table_t *deep = sl_embedding_table(
        g, "deep", DEEP, .parts = ps, .device = device, .optimizer = "Adagrad learning_rate=0.1",
        .initializer = "uniform scale=0.05", .storage = storage(), .admit_after = flags.admit_after,
        .max_rows = flags.max_rows);
    // All ids of an example share the two tables; the deep rows of each feature are kept apart.
    sl_embedding_feature_t features[1 + FEATURES] = {{.table = wide, .ids = m.ids}};
    TF_Operation *columns = split(g, m.ids);
    for (int i = 0; i < FEATURES && columns; i++)
      features[1 + i] = (sl_embedding_feature_t){.table = deep, .ids = {columns, i}};
    sl_outputs_t rows = sl_embedding_lookup_features(g, features, 1 + FEATURES);
    TF_Output x = {0};
    if (rows.count) x = sl_concat(g, ((sl_outputs_t){FEATURES, rows.items + 1}), 1);
    x = sl_dense(g, x, 64, .activation = SL_RELU);
    x = sl_dense(g, x, 32, .activation = SL_RELU);
    m.logits = sl_add(g, sl_dense(g, x, 1), rows.count ? rows.items[0] : x);
    m.loss = sl_mean(g, sl_sigmoid_cross_entropy_with_logits(g, m.labels, m.logits));
    m.step = sl_global_step(g);
    m.train = sl_minimize(g, sl_adam(g, 0.001), m.loss, .global_step = m.step);
    m.size = sl_embedding_table_size(g, deep);
  }
  return m;
}

// --- Measuring ---

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

typedef struct {
  float score, label;
} scored_t;

static int by_score(const void *a, const void *b) {
  float x = ((const scored_t *)a)->score, y = ((const scored_t *)b)->score;
  return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The chance that a positive example has a higher score than a negative one.
static double auc(scored_t *all, int count) {
  qsort(all, (size_t)count, sizeof(*all), by_score);
  double positives = 0, ranks = 0;
  for (int i = 0; i < count; i++)
    if (all[i].label > 0) positives++, ranks += i + 1;
  return (ranks - positives * (positives + 1) / 2) / (positives * (count - positives));
}

// Scores examples that no worker trains on.
static double evaluate(sl_session_t *session, const model_t *m) {
  enum { BATCHES = 8 };
  source_t fresh = {.random = 999};
  int count = 0;
  int64_t *ids = malloc((size_t)flags.batch * FEATURES * sizeof(*ids));
  float *labels = malloc((size_t)flags.batch * sizeof(*labels)),
        *logits = malloc((size_t)flags.batch * sizeof(*logits));
  scored_t *all = malloc((size_t)flags.batch * BATCHES * sizeof(*all));
  const char *data = flags.data;
  flags.data = NULL;
  for (int i = 0; i < BATCHES; i++) {
    next_batch(&fresh, ids, labels);
    if (!sl_run(session, SL_FEED(m->ids, ids, flags.batch, FEATURES),
                SL_FETCH(m->logits, logits, flags.batch)))
      break;
    for (int j = 0; j < flags.batch; j++) all[count++] = (scored_t){logits[j], labels[j]};
  }
  flags.data = data;
  double area = auc(all, count);
  free(ids);
  free(labels);
  free(logits);
  free(all);
  return area;
}

// How long steps take that only look rows up and compute with them.
static void time_lookups(sl_session_t *session, const model_t *m, const int64_t *ids) {
  double seconds[LOOKUPS];
  float *logits = malloc((size_t)flags.batch * sizeof(*logits));
  for (int i = 0; i < LOOKUPS; i++) {
    double start = now();
    if (!sl_run(session, SL_FEED(m->ids, ids, flags.batch, FEATURES),
                SL_FETCH(m->logits, logits, flags.batch)))
      break;
    seconds[i] = now() - start;
  }
  qsort(seconds, LOOKUPS, sizeof(*seconds), by_value);
  printf(", lookup p50 %.0f us p99 %.0f us\n", seconds[LOOKUPS / 2] * 1e6,
         seconds[LOOKUPS * 99 / 100] * 1e6);
  free(logits);
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options,
                 .summary = "Trains a wide and deep recommender on tables of embeddings");
  if (flags.make) return write_file();
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);
  sl_scope_t *g = sl_graph_scope();
  model_t m = build(g, server);
  sl_session_t *session =
      sl_monitored_training_session(g, server, .checkpoint_dir = flags.train_dir, .log_steps = -1);

  int worker = sl_server_task_index(server);
  source_t source = {.random = 1000 + (uint64_t)worker,
                     .example = sl_example_create(),
                     .worker = worker,
                     .workers = sl_server_count(server, "worker")};
  int64_t *ids = malloc((size_t)flags.batch * FEATURES * sizeof(*ids)), at = 0, printed = 0,
          first = 0;
  float *labels = malloc((size_t)flags.batch * sizeof(*labels)), loss;
  double start = now();
  while (!sl_should_stop(session) && at < flags.steps && next_batch(&source, ids, labels)) {
    if (!sl_run(session, SL_FEED(m.ids, ids, flags.batch, FEATURES),
                SL_FEED(m.labels, labels, flags.batch, 1), SL_TARGET(m.train),
                SL_FETCH(m.loss, &loss), SL_FETCH(m.step, &at)))
      break;
    if (!first) first = at, start = now();
    if (worker || at / flags.print_steps == printed) continue;
    printed = at / flags.print_steps;
    double pause = now();
    printf("step %lld: loss %.3f auc %.4f\n", (long long)at, loss, evaluate(session, &m));
    fflush(stdout);
    start += now() - pause;
  }
  int64_t size[6];
  if (!worker && !sl_should_stop(session) && sl_run(session, SL_FETCH(m.size, size, 6))) {
    printf("rate %.0f examples/s, rows %lld, bytes %.0f a row",
           (double)((at - first) * flags.batch) / (now() - start), (long long)size[0],
           (double)size[1] / (double)size[0]);
    time_lookups(session, &m, ids);
  }
  free(ids);
  free(labels);
  sl_record_reader_release(source.reader);
  sl_example_release(source.example);
  return sl_session_close(session);
}
