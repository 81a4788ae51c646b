// A session on a server in another process: measures a call through both network stacks and the loopback device.
#include <netinet/in.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/port.h"
#include "bench.h"
#include "proto/config.fields.h"
#include "proto/wire.h"
#include "session.h"

// Serves a cluster of one task until the process is killed.
int bench_serve(const char *address) {
  sli_string_t def = {0};
  TF_Status *status = TF_NewStatus();
  size_t cluster = sli_wire_open(&def, SLI_FIELD_SERVER_DEF_CLUSTER),
         job = sli_wire_open(&def, SLI_FIELD_CLUSTER_DEF_JOB);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_NAME, "local");
  size_t task = sli_wire_open(&def, SLI_FIELD_JOB_DEF_TASKS);
  sli_wire_write_uint(&def, SLI_FIELD_JOB_DEF_TASKS_ENTRY_KEY, 0);
  sli_wire_write_text(&def, SLI_FIELD_JOB_DEF_TASKS_ENTRY_VALUE, address);
  sli_wire_close(&def, task);
  sli_wire_close(&def, job);
  sli_wire_close(&def, cluster);
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_JOB_NAME, "local");
  sli_wire_write_text(&def, SLI_FIELD_SERVER_DEF_PROTOCOL, "grpc");
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  TF_Server *server = TF_NewServer(def.data, def.size, status);
  if (server) TF_ServerStart(server, status);
  if (TF_GetCode(status) == TF_OK) TF_ServerJoin(server, status);
  fprintf(stderr, "sluice_bench: %s\n", TF_Message(status));
  return 1;
}

// Starts this program as a server. Returns its process id once the port accepts connections, 0 after a timeout.
static pid_t start_server(int port) {
  char address[32];
  snprintf(address, sizeof(address), "localhost:%d", port);
  pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "sluice_bench", "--serve", address, (char *)NULL);
    _exit(127);
  }
  struct sockaddr_in there = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  for (int64_t end = sli_clock_now_nanos() + INT64_C(10000000000); child > 0 && sli_clock_now_nanos() < end;
       usleep(10000)) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool answers = fd >= 0 && connect(fd, (struct sockaddr *)&there, sizeof(there)) == 0;
    if (fd >= 0) close(fd);
    if (answers) return child;
  }
  return 0;
}

static void transfer(const char *target, int64_t count, const char *name) {
  bench_session_t b = bench_begin();
  b.feed = sl_op_placeholder(b.scope, TF_FLOAT, .shape = SL_SHAPE(count));
  b.fetch = sl_op_identity(b.scope, b.feed);
  b.value = TF_AllocateTensor(TF_FLOAT, &count, 1, (size_t)count * sizeof(float));
  memset(TF_TensorData(b.value), 0, (size_t)count * sizeof(float));
  bench_open(&b, target);
  bench_row(name, bench_step, &b, 2.0 * (double)count * sizeof(float), "B");
  bench_end(&b);
}

pid_t bench_start_server(int *out_port, int *out_reservation) {
  *out_port = 0;
  sli_status_t *status = sli_port_reserve(out_port, out_reservation);
  pid_t server = status ? 0 : start_server(*out_port);
  if (server) return server;
  fprintf(stderr, "sluice_bench: no server at port %d: %s\n", *out_port,
          status ? sli_status_message(status) : "no answer");
  exit(1);
}

void bench_remote(void) {
  char target[48];
  int port, reservation;
  pid_t server = bench_start_server(&port, &reservation);
  snprintf(target, sizeof(target), "grpc://localhost:%d", port);
  bench_title("a grpc:// session on loopback");
  bench_session_t b = bench_begin();
  b.target = sl_op_no_op(b.scope);
  bench_open(&b, target);
  bench_row("no-op", bench_step, &b, 0, NULL);
  bench_end(&b);
  transfer(target, 1, "feed and fetch 4 B");
  transfer(target, 1024 * 1024, "feed and fetch 4 MB");
  kill(server, SIGKILL);
  waitpid(server, NULL, 0);
  if (reservation >= 0) close(reservation);
}
