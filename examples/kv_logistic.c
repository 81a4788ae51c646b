// Logistic regression on libsvm data with the parameter store: the arithmetic is plain C, the ps
// tasks have the weights and update them. Each line of a file is "label index:value …", with a
// label of 1, or of 0 or -1. Start it with
//
//   sluice launch --ps 2 --workers 2 -- kv_logistic --data=train.txt
//
// or each task by hand with --job_name, --task_index, --ps_hosts and --worker_hosts. A worker takes
// every N-th line. Without --data it makes lines of its own. Worker 0 prints:
//
//   pass 1: loss 0.31 accuracy 0.93
//   …
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sluice/sluice.h"

static struct {
  const char *data, *updater;
  int passes, batch;
  int64_t staleness;
} flags = {.updater = "Adagrad learning_rate=0.3", .passes = 5, .batch = 100, .staleness = 4};

static const sl_flag_t options[] = {
    SL_FLAG(flags, data, "libsvm file; default: lines that the program makes"),
    SL_FLAG(flags, updater, "what the ps tasks do with gradients, see docs/store.md"),
    SL_FLAG(flags, passes, "passes over the data"),
    SL_FLAG(flags, batch, "lines in a step"),
    SL_FLAG(flags, staleness, "steps that a worker may be ahead of the slowest"),
    SL_FLAGS_END,
};

// A line: |count| features from |first| on.
typedef struct {
  float label;  // 0 or 1
  size_t first, count;
} line_t;

static struct {
  line_t *lines;
  size_t count;
  uint64_t *indices;
  float *values;
  size_t features;
} data;

static void add_feature(uint64_t index, float value) {
  if ((data.features & (data.features - 1)) == 0) {  // a power of 2: full
    size_t room = data.features ? 2 * data.features : 1;
    data.indices = realloc(data.indices, room * sizeof(*data.indices));
    data.values = realloc(data.values, room * sizeof(*data.values));
  }
  data.indices[data.features] = index;
  data.values[data.features++] = value;
  data.lines[data.count - 1].count++;
}

static void add_line(float label) {
  if ((data.count & (data.count - 1)) == 0)
    data.lines = realloc(data.lines, (data.count ? 2 * data.count : 1) * sizeof(*data.lines));
  data.lines[data.count++] = (line_t){.label = label > 0, .first = data.features};
}

static bool read_file(const char *path, int worker, int workers) {
  FILE *file = fopen(path, "r");
  if (!file) {
    fprintf(stderr, "cannot read --data %s\n", path);
    return false;
  }
  char *text = NULL;
  size_t room = 0;
  for (int64_t number = 0; getline(&text, &room, file) > 0; number++) {
    char *at = text, *end;
    double label = strtod(at, &end);
    if (number % workers != worker || end == at) continue;
    add_line((float)label);
    for (at = end;;) {
      uint64_t index = strtoull(at, &end, 10);
      if (end == at || *end != ':') break;
      add_feature(index, strtof(end + 1, &at));
    }
  }
  free(text);
  fclose(file);
  return true;
}

// 2,000 lines of 10 features out of 1,000; the label depends on a hidden weight of each.
static void make_lines(int worker) {
  uint64_t random = (uint64_t)worker + 1;
  for (int i = 0; i < 2000; i++) {
    add_line(0);
    double sum = 0;
    for (int j = 0; j < 10; j++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      uint64_t index = (random >> 33) % 1000;
      sum += (double)(index * 2654435761 % 1009) / 504 - 1;
      add_feature(index, 1);
    }
    data.lines[data.count - 1].label = sum > 0;
  }
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// The keys of the batch, each once and sorted; returns their number.
static size_t keys_of(const line_t *lines, size_t count, uint64_t *keys) {
  size_t all = 0, kept = 0;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < lines[i].count; j++) keys[all++] = data.indices[lines[i].first + j];
  qsort(keys, all, sizeof(*keys), compare);
  for (size_t i = 0; i < all; i++)
    if (!i || keys[i] != keys[i - 1]) keys[kept++] = keys[i];
  return kept;
}

typedef struct {
  double loss;
  size_t right, lines;
} sums_t;

// Adds the gradient of the batch to |gradient|.
static void compute(const line_t *lines, size_t count, const uint64_t *keys, size_t key_count,
                    const float *weights, float *gradient, sums_t *sums) {
  memset(gradient, 0, key_count * sizeof(*gradient));
  for (size_t i = 0; i < count; i++) {
    double sum = 0;
    for (int pass = 0; pass < 2; pass++) {
      double error = 1 / (1 + exp(-sum)) - lines[i].label;
      for (size_t j = lines[i].first; j < lines[i].first + lines[i].count; j++) {
        const uint64_t *key = bsearch(&data.indices[j], keys, key_count, sizeof(*keys), compare);
        if (pass)
          gradient[key - keys] += (float)error * data.values[j] / (float)count;
        else
          sum += (double)weights[key - keys] * data.values[j];
      }
    }
    sums->loss += log1p(exp(lines[i].label > 0 ? -sum : sum));
    sums->right += (sum > 0) == (lines[i].label > 0);
    sums->lines++;
  }
}

static bool failed(TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) return false;
  fprintf(stderr, "%s\n", TF_Message(status));
  return true;
}

// One pass over the lines of this worker.
static sums_t run_pass(sl_kv_t *kv, TF_Status *status) {
  size_t batch = (size_t)flags.batch, room = data.features ? data.features : 1;
  uint64_t *keys = malloc(room * sizeof(*keys));
  float *weights = malloc(room * sizeof(*weights)), *gradient = malloc(room * sizeof(*gradient));
  sums_t sums = {0};
  for (size_t at = 0; at < data.count && TF_GetCode(status) == TF_OK; at += batch) {
    size_t count = data.count - at < batch ? data.count - at : batch;
    size_t key_count = keys_of(&data.lines[at], count, keys);
    if (!key_count) continue;
    // A push of zeros creates the weights that nobody has used so far.
    memset(gradient, 0, key_count * sizeof(*gradient));
    sl_kv_call_t add = {sizeof(add), .update = SL_KV_SUM};
    int64_t ticket = sl_kv_push_pull(kv, keys, key_count, gradient, weights, NULL, &add, status);
    if (ticket) sl_kv_wait(kv, ticket, status);
    if (TF_GetCode(status) != TF_OK) break;
    compute(&data.lines[at], count, keys, key_count, weights, gradient, &sums);
    ticket = sl_kv_push(kv, keys, key_count, gradient, NULL, NULL, status);
    if (ticket) sl_kv_wait(kv, ticket, status);
    if (TF_GetCode(status) == TF_OK) sl_kv_clock(kv, status);
  }
  free(keys);
  free(weights);
  free(gradient);
  return sums;
}

// "host:port,host:port" of the ps tasks.
static char *ps_addresses(const sl_server_t *server) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  for (int i = 0; i < sl_server_count(server, "ps"); i++)
    fprintf(out, "%s%s", i ? "," : "", sl_server_address(server, "ps", i));
  fclose(out);
  return text;
}

int main(int argc, char **argv) {
  sl_cluster_t *cluster = sl_cluster_from_args(&argc, argv);
  sl_flags_parse(&argc, argv, options, .summary = "Logistic regression with the parameter store");
  sl_server_t *server = sl_server_start(cluster);
  if (sl_server_is(server, "ps")) return sl_server_join(server);  // until the job is done
  if (!sl_server_count(server, "ps") || flags.batch < 1) {
    fprintf(stderr,
            "kv_logistic needs a ps task (sluice launch --ps 1 …) and a --batch of at least 1\n");
    return 2;
  }
  int worker = sl_server_replica_index(server), workers = sl_server_replica_count(server);
  if (!flags.data)
    make_lines(worker);
  else if (!read_file(flags.data, worker, workers))
    return 1;
  TF_Status *status = TF_NewStatus();
  char *servers = ps_addresses(server);
  sl_kv_t *kv = sl_kv_connect(
      servers,
      &(sl_kv_options_t){sizeof(sl_kv_options_t), .table = "weights", .updater = flags.updater,
                         .group_size = workers, .member = worker, .staleness = flags.staleness},
      status);
  for (int pass = 1; pass <= flags.passes && TF_GetCode(status) == TF_OK; pass++) {
    sums_t sums = run_pass(kv, status);
    if (TF_GetCode(status) == TF_OK && worker == 0 && sums.lines)
      printf("pass %d: loss %.4f accuracy %.4f\n", pass, sums.loss / (double)sums.lines,
             (double)sums.right / (double)sums.lines);
    fflush(stdout);
  }
  if (TF_GetCode(status) == TF_OK) sl_kv_barrier(kv, status);
  bool has_failed = failed(status);
  sl_kv_close(kv);
  if (!has_failed && worker == 0) sl_cluster_announce_done(sl_server_handle(server), status);
  TF_DeleteStatus(status);
  free(servers);
  if (!has_failed && worker) return sl_server_join(server);  // until worker 0 has said so
  sl_server_release(server);
  return has_failed;
}
