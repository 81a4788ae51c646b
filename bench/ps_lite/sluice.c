// What ps_lite.cc measures, with sluice/kv.h: sluice SERVER WORKERS RANK. Medians of rank 0, in seconds.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sluice/kv.h"

static TF_Status *status;
static int rank;

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void check(void) {
  if (TF_GetCode(status) == TF_OK) return;
  fprintf(stderr, "%s\n", TF_Message(status));
  exit(1);
}

static void row(sl_kv_t *kv, const char *what, size_t count, int32_t length, int repeats) {
  sl_kv_barrier(kv, status);
  check();
  uint64_t *keys = malloc(count * sizeof(*keys));
  float *values = malloc(count * (size_t)length * sizeof(float)),
        *read = malloc(count * (size_t)length * sizeof(float));
  for (size_t i = 0; i < count; i++) keys[i] = i + (count == 1 ? 1000000 + (uint64_t)rank + (uint64_t)length * 100 : 0);
  for (size_t i = 0; i < count * (size_t)length; i++) values[i] = 1, read[i] = 0;
  sl_kv_call_t call = {sizeof(call), .length = length, .update = count == 1 ? SL_KV_ASSIGN : SL_KV_SUM};
  double *push = malloc((size_t)repeats * sizeof(double)), *pull = malloc((size_t)repeats * sizeof(double));
  for (int i = -3; i < repeats; i++) {
    double start = seconds();
    sl_kv_wait(kv, sl_kv_push(kv, keys, count, values, NULL, &call, status), status);
    double middle = seconds();
    sl_kv_wait(kv, sl_kv_pull(kv, keys, count, read, NULL, &call, status), status);
    check();
    if (i >= 0) push[i] = middle - start, pull[i] = seconds() - middle;
  }
  qsort(push, (size_t)repeats, sizeof(*push), by_value);
  qsort(pull, (size_t)repeats, sizeof(*pull), by_value);
  if (!rank) printf("%s %.9f %.9f\n", what, push[repeats / 2], pull[repeats / 2]);
  fflush(stdout);
  free(keys);
  free(values);
  free(read);
  free(push);
  free(pull);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  status = TF_NewStatus();
  rank = (int)strtol(argv[3], NULL, 10);
  sl_kv_t *kv = sl_kv_connect(
      argv[1],
      &(sl_kv_options_t){sizeof(sl_kv_options_t), .group_size = (int)strtol(argv[2], NULL, 10), .member = rank},
      status);
  check();
  row(kv, "scalar", 1, 1, 2000);
  row(kv, "1MB", 1, 262144, 200);
  row(kv, "100MB", 1, 26214400, 5);
  row(kv, "100000keys", 100000, 1, 50);
  sl_kv_close(kv);
  TF_DeleteStatus(status);
  return 0;
}
