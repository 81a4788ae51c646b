// The parameter store with its server in another process: round trips of a scalar, of large values and of many keys.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/port.h"
#include "base/status.h"
#include "bench.h"
#include "sluice/kv.h"

enum { MANY = 100000 };

typedef struct {
  sl_kv_t *kv;
  TF_Status *status;
  uint64_t *keys;
  size_t count;
  float *values;
  sl_kv_call_t call;
} store_t;

static void finish(store_t *b, int64_t ticket) {
  if (ticket) sl_kv_wait(b->kv, ticket, b->status);
  if (TF_GetCode(b->status) == TF_OK) return;
  fprintf(stderr, "sluice_bench: %s\n", TF_Message(b->status));
  exit(1);
}

static void push(void *context) {
  store_t *b = context;
  finish(b, sl_kv_push(b->kv, b->keys, b->count, b->values, NULL, &b->call, b->status));
}

static void pull(void *context) {
  store_t *b = context;
  finish(b, sl_kv_pull(b->kv, b->keys, b->count, b->values, NULL, &b->call, b->status));
}

static void push_pull(void *context) {
  store_t *b = context;
  finish(b, sl_kv_push_pull(b->kv, b->keys, b->count, b->values, b->values, NULL, &b->call, b->status));
}

// Push, pull and both, of |count| keys from |first| on with |length| elements each.
static void rows(store_t *b, uint64_t first, size_t count, int32_t length, const char *what) {
  double bytes = (double)count * length * sizeof(float);
  b->count = count;
  b->call.length = length;
  b->values = sli_calloc(count * (size_t)length, sizeof(float));
  for (size_t i = 0; i < count; i++) b->keys[i] = first + i * 7919;
  char name[64];
  snprintf(name, sizeof(name), "push %s", what);
  bench_row(name, push, b, bytes, "B");
  snprintf(name, sizeof(name), "pull %s", what);
  bench_row(name, pull, b, bytes, "B");
  snprintf(name, sizeof(name), "push and pull %s", what);
  bench_row(name, push_pull, b, 2 * bytes, "B");
  free(b->values);
}

void bench_store(void) {
  int port, reservation;
  pid_t server = bench_start_server(&port, &reservation);
  char address[32];
  snprintf(address, sizeof(address), "localhost:%d", port);
  bench_title("the parameter store, its server in another process");
  store_t b = {.status = TF_NewStatus(), .keys = sli_calloc(MANY, sizeof(uint64_t)), .call = {sizeof(sl_kv_call_t)}};
  b.kv = sl_kv_connect(address, &(sl_kv_options_t){sizeof(sl_kv_options_t), .updater = "sum"}, b.status);
  finish(&b, 0);
  rows(&b, 1, 1, 1, "1 key of 4 B");
  rows(&b, 2, 1, 1 << 18, "1 key of 1 MB");
  rows(&b, 3, 1, 25 << 20, "1 key of 100 MB");
  rows(&b, 10, MANY, 1, "100,000 keys of 4 B");
  rows(&b, 11 + (UINT64_C(1) << 40), MANY / 10, 32, "10,000 keys of 128 B");
  sl_kv_close(b.kv);
  TF_DeleteStatus(b.status);
  free(b.keys);
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  if (reservation >= 0) close(reservation);
}
