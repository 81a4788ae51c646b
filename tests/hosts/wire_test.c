// How fast parameters go between a worker and a ps on two hosts, beside plain TCP in the same run, over a link of 10
// Gbit/s and without a limit: medians of rounds in which the ways take turns. Prints the figures; checks only that the
// values arrive, and how many bytes that takes.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <tensorflow/c/c_api.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/string.h"
#include "base/test.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "tests/hosts/hosts.h"
#include "tests/hosts/launching.h"
#include "tests/life/life.h"

enum { TCP_PORT = 3333, MEGABYTE = 1 << 20, TCP_MEGABYTES = 200, ROUNDS = 5 };
#define PS "/job:ps/task:0"
#define WORKER "/job:worker/task:0"

// In the child that measures, which tells its parent by its exit code.
static int failures;
#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      failures++;                                                     \
      printf("%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
    }                                                                 \
  } while (0)

// --- Plain TCP ---

static struct sockaddr_in ps_address(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(TCP_PORT)};
  inet_pton(AF_INET, "10.77.0.2", &address.sin_addr);
  return address;
}

// On host 1: takes connections, reads what comes and replies with one byte at its end.
static void run_tcp_sink(void) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  struct sockaddr_in address = ps_address();
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  char *buffer = sli_malloc(MEGABYTE);
  if (bind(listener, (struct sockaddr *)&address, sizeof(address)) != 0 || listen(listener, 5) != 0) _exit(1);
  for (;;) {
    int fd = accept(listener, NULL, NULL);
    while (read(fd, buffer, MEGABYTE) > 0) continue;
    if (write(fd, "x", 1) != 1) _exit(1);
    close(fd);
  }
}

static double tcp_rate(void) {
  struct sockaddr_in address = ps_address();
  char *buffer = sli_calloc(MEGABYTE, 1), reply;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  for (int i = 0; connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 && i < 500; i++) usleep(10000);
  int64_t start = sli_clock_now_nanos();
  for (int64_t left = (int64_t)TCP_MEGABYTES * MEGABYTE; left > 0;) {
    ssize_t count = write(fd, buffer, left < MEGABYTE ? (size_t)left : MEGABYTE);
    if (count <= 0) break;
    left -= count;
  }
  shutdown(fd, SHUT_WR);
  CHECK(read(fd, &reply, 1) == 1);
  double seconds = (double)(sli_clock_now_nanos() - start) / 1e9;
  close(fd);
  free(buffer);
  return TCP_MEGABYTES * (double)MEGABYTE / seconds;
}

// --- Parameters ---

typedef struct {
  TF_Graph *graph;
  TF_Session *session;
  TF_Status *status;
  TF_Operation *initialize, *push, *fetch;
  TF_Output first;  // an element of what was fetched
  double bytes;
  double wire_bytes;  // that one transfer of all takes
} model_t;

static TF_Output make_constant(TF_Graph *graph, const char *name, TF_DataType type, const void *value, size_t size,
                               bool vector, const char *device) {
  int64_t one = 1;
  TF_Tensor *tensor = TF_AllocateTensor(type, &one, vector, size);
  memcpy(TF_TensorData(tensor), value, size);
  TF_OperationDescription *d = life_op(graph, "Const", name, device, NULL, 0);
  TF_Status *status = TF_NewStatus();
  TF_SetAttrType(d, "dtype", type);
  TF_SetAttrTensor(d, "value", tensor, status);
  TF_DeleteStatus(status);
  TF_DeleteTensor(tensor);
  return life_finish(d);
}

static TF_Output make_variable(TF_Graph *graph, const char *name, const char *device, int64_t count) {
  TF_OperationDescription *d = life_op(graph, "VariableV2", name, device, NULL, 0);
  TF_SetAttrShape(d, "shape", &count, 1);
  TF_SetAttrType(d, "dtype", TF_FLOAT);
  return life_finish(d);
}

static TF_Operation *make_assign(TF_Graph *graph, const char *name, const char *device, TF_Output to, TF_Output value) {
  TF_Output inputs[] = {to, value};
  return life_finish(life_op(graph, "Assign", name, device, inputs, 2)).oper;
}

static TF_Operation *make_group(TF_Graph *graph, const char *name, TF_Operation **members, int count) {
  TF_OperationDescription *d = life_op(graph, "NoOp", name, WORKER, NULL, 0);
  for (int i = 0; i < count; i++) TF_AddControlInput(d, members[i]);
  return life_finish(d).oper;
}

// |count| parameters of |bytes| bytes each, on both tasks.
static void build(model_t *model, int count, int64_t bytes) {
  *model = (model_t){.graph = TF_NewGraph(), .status = TF_NewStatus(), .bytes = (double)bytes * count};
  TF_Graph *graph = model->graph;
  int64_t elements = bytes / 4;
  int32_t size = (int32_t)elements, zero = 0;
  float value = 3;
  TF_Operation *initial[128], *pushes[64], *fetches[64];
  for (int i = 0; i < count; i++) {
    char name[7][32];
    static const char *const kinds[] = {"p", "w", "n", "x", "f", "a", "b"};
    for (int k = 0; k < 7; k++) snprintf(name[k], sizeof(name[k]), "%s%d_of_%dx%d", kinds[k], i, count, size);
    TF_Output ps = make_variable(graph, name[0], PS, elements),
              worker = make_variable(graph, name[1], WORKER, elements);
    TF_Output fill[] = {make_constant(graph, name[2], TF_INT32, &size, 4, true, WORKER),
                        make_constant(graph, name[3], TF_FLOAT, &value, 4, false, WORKER)};
    TF_Output filled = life_finish(life_op(graph, "Fill", name[4], WORKER, fill, 2));
    initial[2 * i] = make_assign(graph, name[5], WORKER, worker, filled);
    initial[2 * i + 1] = make_assign(graph, name[6], PS, ps, filled);
    char push[32], fetch[32];
    snprintf(push, sizeof(push), "push%d", i);
    snprintf(fetch, sizeof(fetch), "fetch%d", i);
    pushes[i] = make_assign(graph, push, PS, ps, worker);
    fetches[i] = make_assign(graph, fetch, WORKER, worker, ps);
    if (i) continue;
    TF_Output gather[] = {worker, make_constant(graph, "zero", TF_INT32, &zero, 4, false, WORKER)};
    model->first = life_finish(life_op(graph, "Gather", "first", WORKER, gather, 2));
  }
  model->initialize = make_group(graph, "initialize", initial, 2 * count);
  model->push = make_group(graph, "push", pushes, count);
  model->fetch = make_group(graph, "fetch", fetches, count);
}

// Bytes that this host has received and sent so far.
static double bytes_on_wire(void) {
  char line[512];
  double received = 0, sent = 0;
  FILE *file = fopen("/proc/thread-self/net/dev", "re");
  while (file && fgets(line, sizeof(line), file))
    sscanf(line, " eth0: %lf %*f %*f %*f %*f %*f %*f %*f %lf", &received, &sent);
  if (file) fclose(file);
  return received + sent;
}

static double rate_of(model_t *model, TF_Operation *target) {
  int repeats = model->bytes < 8 * MEGABYTE ? 64 : 2;
  life_run(model->session, NULL, target, model->status);
  CHECK(TF_GetCode(model->status) == TF_OK);
  double before = bytes_on_wire();
  int64_t start = sli_clock_now_nanos();
  for (int i = 0; i < repeats; i++) life_run(model->session, NULL, target, model->status);
  double seconds = (double)(sli_clock_now_nanos() - start) / 1e9;
  CHECK(TF_GetCode(model->status) == TF_OK);
  // All of it went over the wire, and little else.
  double moved = bytes_on_wire() - before;
  CHECK(moved >= model->wire_bytes * repeats && moved < 1.1 * model->wire_bytes * repeats);
  return model->bytes * repeats / seconds;
}

static int compare_rates(const void *a, const void *b) {
  double difference = *(const double *)a - *(const double *)b;
  return (difference > 0) - (difference < 0);
}

static double median(double *rates) {
  qsort(rates, ROUNDS, sizeof(*rates), compare_rates);
  return rates[ROUNDS / 2];
}

static void open_session(model_t *model, bool bfloat16) {
  sli_string_t config = {0};
  model->wire_bytes = bfloat16 ? model->bytes / 2 : model->bytes;
  if (bfloat16) {
    size_t mark = sli_wire_open(&config, SLI_FIELD_CONFIG_PROTO_GRAPH_OPTIONS);
    sli_wire_write_int(&config, SLI_FIELD_GRAPH_OPTIONS_ENABLE_BFLOAT16_SENDRECV, 1);
    sli_wire_close(&config, mark);
  }
  model->session = life_try_session(model->graph, "grpc://host0:2222", config.data, config.size, model->status);
  CHECK(TF_GetCode(model->status) == TF_OK);
  life_run(model->session, NULL, model->initialize, model->status);
  CHECK(TF_GetCode(model->status) == TF_OK);
  sli_string_deinitialize(&config);
}

static void measure(const char *link, int count, int64_t bytes, bool bfloat16) {
  model_t model;
  build(&model, count, bytes);
  open_session(&model, bfloat16);
  double tcps[ROUNDS], pushes[ROUNDS], fetches[ROUNDS];
  for (int i = 0; i < ROUNDS; i++) {
    tcps[i] = tcp_rate();
    pushes[i] = rate_of(&model, model.push);
    fetches[i] = rate_of(&model, model.fetch);
  }
  CHECK(life_run(model.session, &model.first, NULL, model.status) == 3);
  double tcp = median(tcps), push = median(pushes), fetch = median(fetches);
  printf("%-10s %2d x %3d MB%s  TCP %5.2f GB/s  push %5.2f (%3.0f %%)  fetch %5.2f (%3.0f %%)\n", link, count,
         (int)(bytes / MEGABYTE), bfloat16 ? " as bfloat16" : "", tcp / 1e9, push / 1e9, 100 * push / tcp, fetch / 1e9,
         100 * fetch / tcp);
  fflush(stdout);
  life_close(model.session);
  TF_DeleteGraph(model.graph);
  TF_DeleteStatus(model.status);
}

static bool start_task(int host, const char *job) {
  char name[32], log[32];
  snprintf(name, sizeof(name), "--job_name=%s", job);
  snprintf(log, sizeof(log), "%s.log", job);
  const char *words[] = {tool_path(),      "serve", "--ps_hosts=host1:2222", "--worker_hosts=host0:2222", name,
                         "--task_index=0", NULL};
  return launching_daemon(host, log, words) > 0;
}

// On host 0, in a process of its own: one with threads cannot go to another host.
static void measure_in_child(const char *link) {
  hosts_enter(0);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    measure(link, 64, MEGABYTE, false);
    measure(link, 1, 100 * MEGABYTE, false);
    measure(link, 1, MEGABYTE, false);
    measure(link, 1, 100 * MEGABYTE, true);
    fflush(NULL);
    _exit(failures > 0);
  }
  hosts_leave();
  int result = 1;
  waitpid(child, &result, 0);
  SLI_EXPECT_INT(result, 0);
}

SLI_TEST(test_parameters_go_between_two_hosts) {
  if (!hosts_make(2)) return;
  hosts_enter(1);
  fflush(NULL);
  pid_t sink = fork();
  if (sink == 0) run_tcp_sink();
  hosts_leave();
  if (start_task(0, "worker") && start_task(1, "ps")) {
    measure_in_child("no limit");
    if (hosts_limit(0, "10gbit", "2mb") && hosts_limit(1, "10gbit", "2mb")) measure_in_child("10 Gbit/s");
  }
  kill(sink, SIGKILL);
  waitpid(sink, NULL, 0);
}

HOSTS_TEST_MAIN(test_parameters_go_between_two_hosts)
