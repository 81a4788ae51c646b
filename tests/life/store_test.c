// Push and pull between processes: keys over two ps tasks, variables of a graph, wrong arguments, groups, dead servers.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/test.h"
#include "sluice/kv.h"
#include "tests/life/life.h"

enum { KEYS = 1000, LARGE = 300000 };

static bool start_servers(life_cluster_t *cluster, int count) {
  for (int i = 0; i < count; i++) life_add(cluster, "ps", i);
  for (int i = 0; i < count; i++)
    if (!life_start(cluster, i, NULL)) return false;
  return true;
}

static sl_kv_t *connect_to(const life_cluster_t *cluster, sl_kv_options_t options, TF_Status *status) {
  char *servers = sli_strdup("");
  for (int i = 0; i < cluster->count; i++) {
    char *more = sli_format("%s%s%s", servers, i ? "," : "", life_address(cluster, i));
    free(servers);
    servers = more;
  }
  options.struct_size = sizeof(options);
  if (!options.timeout_millis) options.timeout_millis = LIFE_PATIENCE_MILLIS;
  sl_kv_t *kv = sl_kv_connect(servers, &options, status);
  free(servers);
  return kv;
}

#define EXPECT_CODE(expected, text)                \
  do {                                             \
    SLI_EXPECT_INT(TF_GetCode(status), expected);  \
    SLI_EXPECT_CONTAINS(TF_Message(status), text); \
  } while (0)

// --- Keys over two servers ---

static void count_call(void *context, TF_Status *status) {
  if (TF_GetCode(status) == TF_OK) atomic_fetch_add((atomic_int *)context, 1);
}

static void push_and_pull(sl_kv_t *kv, TF_Status *status) {
  static uint64_t keys[KEYS];
  static int32_t lens[KEYS];
  static float values[3 * KEYS], read[3 * KEYS];
  size_t elements = 0;
  for (int i = 0; i < KEYS; i++) {
    keys[i] = (uint64_t)i * 7919;
    lens[i] = 1 + i % 3;
    for (int j = 0; j < lens[i]; j++) values[elements++] = (float)(i + j);
  }
  sl_kv_wait(kv, sl_kv_push(kv, keys, KEYS, values, lens, NULL, status), status);
  LIFE_EXPECT_OK(status);
  sl_kv_wait(kv, sl_kv_push_pull(kv, keys, KEYS, values, read, lens, NULL, status), status);
  LIFE_EXPECT_OK(status);
  for (size_t i = 0; i < elements; i++) SLI_EXPECT(read[i] == 2 * values[i]);
  sl_kv_wait(
      kv,
      sl_kv_push(kv, keys, KEYS, values, lens, &(sl_kv_call_t){sizeof(sl_kv_call_t), .update = SL_KV_ASSIGN}, status),
      status);
  LIFE_EXPECT_OK(status);
  atomic_int calls = 0;
  sl_kv_call_t with_done = {sizeof(with_done), .done = count_call, .context = &calls};
  for (int i = 0; i < 100; i++) sl_kv_pull(kv, keys, KEYS, read, lens, &with_done, status);
  sl_kv_wait(kv, 0, status);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT_INT(atomic_load(&calls), 100);
  SLI_EXPECT(memcmp(read, values, elements * sizeof(float)) == 0);
}

static void push_large(sl_kv_t *kv, TF_Status *status) {
  float *values = sli_malloc(2 * LARGE * sizeof(float)), *read = sli_malloc(2 * LARGE * sizeof(float));
  for (int i = 0; i < 2 * LARGE; i++) values[i] = (float)(i % 1000);
  uint64_t keys[] = {UINT64_MAX, 0x123456789abcdef0};
  sl_kv_call_t call = {sizeof(call), .length = LARGE};
  for (int i = 0; i < 3; i++) {
    sl_kv_wait(kv, sl_kv_push(kv, keys, 2, values, NULL, &call, status), status);
    LIFE_EXPECT_OK(status);
    sl_kv_wait(kv, sl_kv_pull(kv, keys, 2, read, NULL, &call, status), status);
    LIFE_EXPECT_OK(status);
    sl_kv_wait(kv, sl_kv_pull(kv, keys, 1, read, NULL, &call, status), status);
    LIFE_EXPECT_OK(status);
    bool equal = true;
    for (int j = 0; j < 2 * LARGE; j++) equal &= read[j] == (float)(i + 1) * values[j];
    SLI_EXPECT(equal);
  }
  free(values);
  free(read);
}

// Much of it: the keys and the values are written to the memory of the server, where a value that is assigned stays.
static void push_much(sl_kv_t *kv, TF_Status *status) {
  enum { MANY = 50000, HUGE = 1500000 };
  uint64_t *keys = sli_malloc(MANY * sizeof(*keys));
  float *values = sli_malloc(HUGE * sizeof(float)), *read = sli_malloc(HUGE * sizeof(float));
  for (size_t i = 0; i < MANY; i++) keys[i] = i + 100000000;
  for (size_t i = 0; i < HUGE; i++) values[i] = (float)(i % 1000);
  for (int i = 0; i < 3; i++) {
    sl_kv_wait(kv, sl_kv_push(kv, keys, MANY, values, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    sl_kv_wait(kv, sl_kv_pull(kv, keys, MANY, read, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    bool equal = true;
    for (size_t j = 0; j < MANY; j++) equal &= read[j] == (float)(i + 1) * values[j];
    SLI_EXPECT(equal);
  }
  static const int32_t lengths[] = {100000, HUGE};
  for (int which = 0; which < 2; which++) {
    uint64_t key = 500000000 + (uint64_t)which;
    sl_kv_call_t call = {sizeof(call), .length = lengths[which]};
    float want = 0;
    for (int i = 0; i < 6; i++) {
      call.update = i % 3 ? SL_KV_ASSIGN : SL_KV_SUM;
      values[7] = (float)i;
      want = i % 3 ? values[7] : want + values[7];
      sl_kv_wait(kv,
                 i % 2 ? sl_kv_push(kv, &key, 1, values, NULL, &call, status)
                       : sl_kv_push_pull(kv, &key, 1, values, read, NULL, &call, status),
                 status);
      LIFE_EXPECT_OK(status);
      sl_kv_wait(kv, sl_kv_pull(kv, &key, 1, read, NULL, &call, status), status);
      LIFE_EXPECT_OK(status);
      SLI_EXPECT(read[7] == want && read[lengths[which] - 1] >= values[lengths[which] - 1]);
    }
  }
  free(keys);
  free(values);
  free(read);
}

static void test_push_and_pull(void) {
  life_cluster_t cluster = {0};
  TF_Status *status = TF_NewStatus();
  for (int servers = 1; servers <= 2; servers++) {
    cluster.count = 0;
    sl_kv_t *kv =
        start_servers(&cluster, servers)
            ? connect_to(&cluster,
                         (sl_kv_options_t){
                             .updater = "sum", .sharding = servers == 2 ? SL_KV_RANGE : 0, .max_pending_calls = 4},
                         status)
            : NULL;
    LIFE_EXPECT_OK(status);
    if (kv) push_and_pull(kv, status);
    if (kv) push_large(kv, status);
    if (kv) push_much(kv, status);
    sl_kv_close(kv);
    life_stop(&cluster);
  }
  TF_DeleteStatus(status);
}

// --- Saving ---

static void save_and_restore(const life_cluster_t *from, const life_cluster_t *to, const char *prefix,
                             int32_t row_length, TF_Status *status) {
  enum { SAVED = 300, LENGTH = 5, WIDE = 2000 };
  static uint64_t keys[SAVED];
  static float ones[SAVED * LENGTH], want[SAVED * LENGTH], have[SAVED * LENGTH], wide[WIDE], wide_have[WIDE];
  for (size_t i = 0; i < SAVED; i++) keys[i] = i * UINT64_C(0x9e3779b97f4a7c15);
  for (size_t i = 0; i < SAVED * LENGTH; i++) ones[i] = 1;
  sl_kv_options_t options = {.table = "saved", .updater = "Adagrad learning_rate=0.5", .row_length = row_length};
  sl_kv_call_t call = {sizeof(call), .length = LENGTH}, wide_call = {sizeof(wide_call), .length = WIDE};
  sl_kv_t *first = connect_to(from, options, status), *second = connect_to(to, options, status);
  LIFE_EXPECT_OK(status);
  for (int i = 0; i < 2; i++) sl_kv_wait(first, sl_kv_push(first, keys, SAVED, ones, NULL, &call, status), status);
  if (!row_length) sl_kv_wait(first, sl_kv_push(first, (uint64_t[]){77}, 1, wide, NULL, &wide_call, status), status);
  sl_kv_save(first, prefix, status);
  LIFE_EXPECT_OK(status);
  sl_kv_restore(second, prefix, status);
  LIFE_EXPECT_OK(status);
  // The next update is the same, so the slots are.
  sl_kv_wait(first, sl_kv_push_pull(first, keys, SAVED, ones, want, NULL, &call, status), status);
  sl_kv_wait(second, sl_kv_push_pull(second, keys, SAVED, ones, have, NULL, &call, status), status);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT(memcmp(want, have, sizeof(want)) == 0 && want[0] != 0);
  if (!row_length) {
    sl_kv_wait(second, sl_kv_pull(second, (uint64_t[]){77}, 1, wide_have, NULL, &wide_call, status), status);
    LIFE_EXPECT_OK(status);
  }
  sl_kv_restore(second, "/nowhere/model", status);
  EXPECT_CODE(TF_NOT_FOUND, "table \"saved\"");
  sl_kv_close(first);
  sl_kv_close(second);
}

// Keys that two servers saved, restored by three.
static void test_saving(void) {
  life_cluster_t two = {0}, three = {0};
  TF_Status *status = TF_NewStatus();
  if (start_servers(&two, 2) && start_servers(&three, 3)) {
    char *keys = sli_format("%s/keys", sli_test_temporary_dir());
    save_and_restore(&two, &three, keys, 0, status);
    free(keys);
  }
  life_stop(&two);
  life_stop(&three);
  TF_DeleteStatus(status);
}

// --- Variables of a graph ---

static void test_variables(void) {
  life_cluster_t cluster = {0};
  TF_Status *status = TF_NewStatus();
  if (start_servers(&cluster, 2)) {
    TF_Graph *graph = TF_NewGraph();
    TF_Operation *assign;
    TF_Output variable = life_variable(graph, "v", "/job:ps/task:1", 3, &assign);
    TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
    life_run(session, NULL, assign, status);
    LIFE_EXPECT_OK(status);
    sl_kv_t *kv = connect_to(&cluster, (sl_kv_options_t){.updater = "GradientDescent learning_rate=0.5"}, status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT_INT(sl_kv_bind(kv, 5, NULL, "v", status), 1);
    LIFE_EXPECT_OK(status);
    uint64_t key = 5;
    float value = 0, gradient = 2;
    sl_kv_wait(kv, sl_kv_pull(kv, &key, 1, &value, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT(value == 3);
    sl_kv_wait(kv, sl_kv_push(kv, &key, 1, &gradient, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT(life_run(session, &variable, NULL, status) == 2);
    life_run(session, NULL, assign, status);
    sl_kv_wait(kv, sl_kv_pull(kv, &key, 1, &value, NULL, NULL, status), status);
    SLI_EXPECT(value == 3);
    sl_kv_bind(kv, 6, NULL, "w", status);
    EXPECT_CODE(TF_NOT_FOUND, "has a variable w");
    sl_kv_close(kv);
    life_close(session);
    TF_DeleteGraph(graph);
  }
  life_stop(&cluster);
  TF_DeleteStatus(status);
}

// --- Rows ---

// Rows begin with the same values on one server as on two, and only those that are pushed change.
static void test_rows(void) {
  enum { DIM = 8, ROWS = 500 };
  static float values[2][ROWS * DIM], gradient[ROWS * DIM], after[ROWS * DIM];
  uint64_t keys[ROWS];
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < ROWS; i++) keys[i] = (uint64_t)i * UINT64_C(0x9e3779b97f4a7c15);
  for (int i = 0; i < ROWS * DIM; i++) gradient[i] = 1;
  for (int servers = 1; servers <= 2; servers++) {
    life_cluster_t cluster = {0};
    sl_kv_options_t options = {
        .updater = "GradientDescent learning_rate=0.5", .row_length = DIM, .initializer = "uniform scale=0.1 seed=3"};
    sl_kv_t *kv = start_servers(&cluster, servers) ? connect_to(&cluster, options, status) : NULL;
    LIFE_EXPECT_OK(status);
    if (kv) {
      float *read = values[servers - 1];
      sl_kv_wait(kv, sl_kv_pull(kv, keys, ROWS, read, NULL, NULL, status), status);
      LIFE_EXPECT_OK(status);
      sl_kv_wait(kv, sl_kv_push_pull(kv, keys, ROWS / 2, gradient, after, NULL, NULL, status), status);
      LIFE_EXPECT_OK(status);
      sl_kv_wait(kv, sl_kv_pull(kv, keys, ROWS, after, NULL, NULL, status), status);
      LIFE_EXPECT_OK(status);
      for (int i = 0; i < ROWS * DIM; i++) SLI_EXPECT(after[i] == (i < ROWS / 2 * DIM ? read[i] - 0.5f : read[i]));
      options.row_length = 9;
      SLI_EXPECT(!connect_to(&cluster, options, status));
      EXPECT_CODE(TF_INVALID_ARGUMENT, "has rows of 8 elements");
      options.row_length = DIM;
      options.initializer = "zeros";
      SLI_EXPECT(!connect_to(&cluster, options, status));
      EXPECT_CODE(TF_INVALID_ARGUMENT, "has the initializer \"uniform scale=0.1 seed=3\"");
      sl_kv_bind(kv, 1, NULL, "v", status);
      EXPECT_CODE(TF_INVALID_ARGUMENT, "has rows");
    }
    sl_kv_close(kv);
    life_stop(&cluster);
  }
  SLI_EXPECT(memcmp(values[0], values[1], sizeof(values[0])) == 0);
  TF_DeleteStatus(status);
}

// --- Wrong arguments ---

static void test_wrong_arguments(void) {
  life_cluster_t cluster = {0};
  TF_Status *status = TF_NewStatus();
  if (start_servers(&cluster, 1)) {
    SLI_EXPECT(!connect_to(&cluster, (sl_kv_options_t){.updater = "Adamm"}, status));
    EXPECT_CODE(TF_INVALID_ARGUMENT, "got \"Adamm\"");
    SLI_EXPECT(!connect_to(&cluster, (sl_kv_options_t){.updater = "Adam"}, status));
    EXPECT_CODE(TF_INVALID_ARGUMENT, "Adam needs learning_rate");
    SLI_EXPECT(!connect_to(&cluster, (sl_kv_options_t){.dtype = TF_STRING}, status));
    EXPECT_CODE(TF_INVALID_ARGUMENT, "dtype must be");
    SLI_EXPECT(!sl_kv_connect("no port", NULL, status));
    EXPECT_CODE(TF_INVALID_ARGUMENT, "servers");
    sl_kv_t *kv = connect_to(&cluster, (sl_kv_options_t){0}, status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT(!connect_to(&cluster, (sl_kv_options_t){.dtype = TF_DOUBLE}, status));
    EXPECT_CODE(TF_INVALID_ARGUMENT, "has values of type float, not double");
    uint64_t keys[] = {1, 2};
    float values[] = {1, 2, 3, 4};
    sl_kv_wait(kv, sl_kv_pull(kv, keys, 1, values, NULL, NULL, status), status);
    EXPECT_CODE(TF_NOT_FOUND, "Key 1 of table \"default\"");
    EXPECT_CODE(TF_NOT_FOUND, "/job:ps/replica:0/task:0");
    sl_kv_wait(kv, sl_kv_push(kv, keys, 2, values, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    sl_kv_wait(kv, sl_kv_push(kv, keys, 2, values, (int32_t[]){1, 2}, NULL, status), status);
    EXPECT_CODE(TF_INVALID_ARGUMENT, "Key 2 of table \"default\" has 1 elements, the call expects 2");
    SLI_EXPECT_INT(sl_kv_push(kv, keys, 2, values, (int32_t[]){1, -2}, NULL, status), 0);
    EXPECT_CODE(TF_INVALID_ARGUMENT, "got -2");
    SLI_EXPECT_INT(sl_kv_push(kv, keys, 0, values, NULL, NULL, status), 0);
    EXPECT_CODE(TF_INVALID_ARGUMENT, "at least one key");
    sl_kv_clock(kv, status);
    EXPECT_CODE(TF_FAILED_PRECONDITION, "needs a group");
    sl_kv_close(kv);
  }
  life_stop(&cluster);
  TF_DeleteStatus(status);
}

// --- Groups ---

typedef struct {
  sl_kv_t *kv;
  int member;
  atomic_llong *clocks;
} member_t;

static void *run_member(void *argument) {
  member_t *self = argument;
  TF_Status *status = TF_NewStatus();
  sl_kv_t *kv = self->kv;
  for (int i = 1; i <= 200; i++) {
    atomic_store(&self->clocks[self->member], i);
    sl_kv_clock(kv, status);
    LIFE_EXPECT_OK(status);
    for (int j = 0; j < 3; j++) SLI_EXPECT(atomic_load(&self->clocks[j]) >= i - 2);
  }
  sl_kv_barrier(kv, status);
  LIFE_EXPECT_OK(status);
  for (int j = 0; j < 3; j++) SLI_EXPECT(atomic_load(&self->clocks[j]) == 200);
  sl_kv_close(kv);
  TF_DeleteStatus(status);
  return NULL;
}

static void test_groups(void) {
  life_cluster_t cluster = {0};
  TF_Status *status = TF_NewStatus();
  if (start_servers(&cluster, 1)) {
    atomic_llong clocks[3] = {0};
    member_t members[3];
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
      sl_kv_options_t options = {.group_size = 3, .member = i, .staleness = 2};
      members[i] = (member_t){.kv = connect_to(&cluster, options, status), .member = i, .clocks = clocks};
      LIFE_EXPECT_OK(status);
    }
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, run_member, &members[i]);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    sl_kv_t *kv =
        connect_to(&cluster, (sl_kv_options_t){.group = "late", .group_size = 2, .timeout_millis = 500}, status);
    LIFE_EXPECT_OK(status);
    sl_kv_barrier(kv, status);
    EXPECT_CODE(TF_DEADLINE_EXCEEDED, "waits for member 1 (not seen yet)");
    sl_kv_close(kv);
  }
  life_stop(&cluster);
  TF_DeleteStatus(status);
}

// --- Dead servers ---

static void test_dead_server(void) {
  life_cluster_t cluster = {0};
  TF_Status *status = TF_NewStatus();
  if (start_servers(&cluster, 2)) {
    sl_kv_options_t options = {.sharding = SL_KV_RANGE, .key_limit = 2};
    sl_kv_t *waits = connect_to(&cluster, options, status);
    options.when_dead = SL_KV_FAIL;
    sl_kv_t *fails = connect_to(&cluster, options, status);
    LIFE_EXPECT_OK(status);
    uint64_t keys[] = {0, 1};
    float values[] = {1, 2}, read[2] = {0};
    sl_kv_wait(fails, sl_kv_push(fails, keys, 2, values, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    life_kill(&cluster, 1, SIGKILL);
    life_wait_exit(&cluster, 1, LIFE_PATIENCE_MILLIS);
    sl_kv_wait(fails, sl_kv_pull(fails, keys, 2, read, NULL, NULL, status), status);
    EXPECT_CODE(TF_UNAVAILABLE, "/job:ps/replica:0/task:1 at ");
    sl_kv_wait(fails, sl_kv_pull(fails, keys, 1, read, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT(read[0] == 1);
    sl_kv_call_t soon = {sizeof(soon), .timeout_millis = 300};
    sl_kv_wait(waits, sl_kv_pull(waits, keys, 2, read, NULL, &soon, status), status);
    EXPECT_CODE(TF_DEADLINE_EXCEEDED, "/job:ps/replica:0/task:1 at ");
    int64_t ticket = sl_kv_push(waits, keys, 2, values, NULL, NULL, status);
    SLI_EXPECT(life_start(&cluster, 1, NULL));
    sl_kv_wait(waits, ticket, status);
    EXPECT_CODE(TF_FAILED_PRECONDITION, "loses its keys");
    sl_kv_t *again = connect_to(&cluster, options, status);
    LIFE_EXPECT_OK(status);
    sl_kv_wait(waits, sl_kv_push(waits, keys, 2, values, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    sl_kv_wait(again, sl_kv_pull(again, keys, 2, read, NULL, NULL, status), status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT(read[0] == 1 && read[1] == 2);
    // A server that stands still is given up at the timeout.
    life_kill(&cluster, 0, SIGSTOP);
    static float large[LARGE];
    soon.length = LARGE;
    sl_kv_wait(again, sl_kv_push(again, keys, 1, large, NULL, &soon, status), status);
    EXPECT_CODE(TF_DEADLINE_EXCEEDED, "task:0 at ");
    life_kill(&cluster, 0, SIGCONT);
    sl_kv_close(again);
    sl_kv_close(waits);
    sl_kv_close(fails);
  }
  life_stop(&cluster);
  TF_DeleteStatus(status);
}

// --- A server that is killed while it saves ---

enum { SAVED_ROWS = 20000, ROW = 8 };

typedef struct {
  sl_kv_t *kv;
  const char *prefix;
} saver_t;

static void *save(void *context) {
  const saver_t *saver = context;
  TF_Status *status = TF_NewStatus();
  sl_kv_save(saver->kv, saver->prefix, status);
  TF_DeleteStatus(status);
  return NULL;
}

// Whether the rows are all |value|.
static bool are_all(sl_kv_t *kv, const uint64_t *keys, float value, float *read, TF_Status *status) {
  sl_kv_wait(kv, sl_kv_pull(kv, keys, SAVED_ROWS, read, NULL, NULL, status), status);
  bool equal = TF_GetCode(status) == TF_OK;
  for (size_t i = 0; i < SAVED_ROWS * ROW; i++) equal &= read[i] == value;
  return equal;
}

// What was saved before is whole; what the server was writing is refused, or whole.
static void test_killed_while_saving(void) {
  life_cluster_t cluster = {0};
  TF_Status *status = TF_NewStatus();
  uint64_t *keys = sli_malloc(SAVED_ROWS * sizeof(*keys));
  float *values = sli_malloc(SAVED_ROWS * ROW * sizeof(float)), *read = sli_malloc(SAVED_ROWS * ROW * sizeof(float));
  for (size_t i = 0; i < SAVED_ROWS; i++) keys[i] = i * UINT64_C(0x9e3779b97f4a7c15);
  char *before = sli_format("%s/before", sli_test_temporary_dir());
  sl_kv_options_t options = {.table = "rows", .row_length = ROW, .when_dead = SL_KV_FAIL};
  bool started = start_servers(&cluster, 1);
  for (int round = 0; round < 4 && started; round++) {
    char *during = sli_format("%s/during-%d", sli_test_temporary_dir(), round);
    sl_kv_t *kv = connect_to(&cluster, options, status);
    LIFE_EXPECT_OK(status);
    if (!kv) break;
    for (int version = 1; version <= 2; version++) {
      for (size_t i = 0; i < SAVED_ROWS * ROW; i++) values[i] = (float)version;
      sl_kv_wait(kv, sl_kv_push(kv, keys, SAVED_ROWS, values, NULL, NULL, status), status);
      LIFE_EXPECT_OK(status);
      if (version == 1) sl_kv_save(kv, before, status);
      LIFE_EXPECT_OK(status);
    }
    saver_t saver = {kv, during};
    pthread_t thread;
    SLI_REQUIRE(!pthread_create(&thread, NULL, save, &saver));
    usleep(1000u << (2 * round));  // 1 to 64 ms: before, in the middle, after
    life_kill(&cluster, 0, SIGKILL);
    life_wait_exit(&cluster, 0, LIFE_PATIENCE_MILLIS);
    pthread_join(thread, NULL);
    sl_kv_close(kv);
    started = life_start(&cluster, 0, NULL);
    kv = started ? connect_to(&cluster, options, status) : NULL;
    if (!kv) break;
    sl_kv_restore(kv, during, status);
    if (TF_GetCode(status) == TF_OK) SLI_EXPECT(are_all(kv, keys, 2, read, status));
    sl_kv_restore(kv, before, status);
    LIFE_EXPECT_OK(status);
    SLI_EXPECT(are_all(kv, keys, 1, read, status));
    sl_kv_close(kv);
    free(during);
  }
  SLI_EXPECT(started);
  free(before);
  free(keys);
  free(values);
  free(read);
  life_stop(&cluster);
  TF_DeleteStatus(status);
}

SLI_TEST_MAIN(test_push_and_pull, test_saving, test_variables, test_rows, test_wrong_arguments, test_groups,
              test_dead_server, test_killed_while_saving)
