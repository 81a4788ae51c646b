// The death of tasks and clients: killed, stopped, out of reach, restarted, gone
// without a word. Steps that need a dead task fail within ten seconds and name it;
// the others live on.
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/test.h"
#include "life_internal.h"
#include "sluice/cluster.h"

// --- A network that can drop packets ---

// Forwards connections to |to| until it is cut; then it takes bytes, and says nothing.
typedef struct {
  int listener, port, to;
  atomic_bool is_cut;
  atomic_int running;
} wire_t;

typedef struct {
  wire_t *wire;
  int in, out;
} pipe_t;

// From one socket to the other. A cut wire keeps both open and moves nothing.
static void *pipe_main(void *argument) {
  pipe_t *pipe = argument;
  char buffer[65536];
  for (ssize_t size; (size = recv(pipe->in, buffer, sizeof(buffer), 0)) > 0;)
    for (ssize_t sent = 0, part; sent < size && !atomic_load(&pipe->wire->is_cut); sent += part)
      if ((part = send(pipe->out, buffer + sent, (size_t)(size - sent), MSG_NOSIGNAL)) <= 0) break;
  if (!atomic_load(&pipe->wire->is_cut)) shutdown(pipe->out, SHUT_WR);
  atomic_fetch_sub(&pipe->wire->running, 1);
  free(pipe);
  return NULL;
}

static int loopback_socket(int port, bool listens, int *out_port) {
  struct sockaddr_in address = {
      .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
  socklen_t length = sizeof(address);
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool good = listens ? bind(fd, (struct sockaddr *)&address, length) == 0 && listen(fd, 16) == 0 &&
                            getsockname(fd, (struct sockaddr *)&address, &length) == 0
                      : connect(fd, (struct sockaddr *)&address, length) == 0;
  if (out_port) *out_port = ntohs(address.sin_port);
  if (good) return fd;
  close(fd);
  return -1;
}

static void pipe_start(wire_t *wire, int in, int out) {
  pipe_t *pipe = malloc(sizeof(*pipe));
  *pipe = (pipe_t){wire, in, out};
  atomic_fetch_add(&wire->running, 1);
  pthread_t thread;
  if (pthread_create(&thread, NULL, pipe_main, pipe) == 0) pthread_detach(thread);
}

static void *wire_main(void *argument) {
  wire_t *wire = argument;
  for (int in; (in = accept(wire->listener, NULL, NULL)) >= 0;) {
    int out = loopback_socket(wire->to, false, NULL);
    if (out < 0) {
      close(in);
      continue;
    }
    pipe_start(wire, in, out);
    pipe_start(wire, out, in);
  }
  return NULL;
}

// Static: its threads end with the process.
static bool wire_start(wire_t *wire, int to) {
  wire->to = to;
  wire->listener = loopback_socket(0, true, &wire->port);
  pthread_t thread;
  return wire->listener >= 0 && pthread_create(&thread, NULL, wire_main, wire) == 0 && pthread_detach(thread) == 0;
}

// --- Steps in the background ---

typedef struct {
  TF_Session *session;
  TF_Output fetch;
  TF_Operation *target;
  pthread_t thread;
  TF_Code code;
  char message[1024];
  double seconds;
} step_t;

static void *step_main(void *argument) {
  step_t *step = argument;
  TF_Status *status = TF_NewStatus();
  int64_t start = sli_now_nanos();
  life_run(step->session, step->fetch.oper ? &step->fetch : NULL, step->target, status);
  step->seconds = (double)(sli_now_nanos() - start) / 1e9;
  step->code = TF_GetCode(status);
  snprintf(step->message, sizeof(step->message), "%s", TF_Message(status));
  TF_DeleteStatus(status);
  return NULL;
}

static void step_start(step_t *step) { SLI_EXPECT(pthread_create(&step->thread, NULL, step_main, step) == 0); }

// A step that waits on |device| for something that never comes.
static TF_Output blocking_op(TF_Graph *graph, const char *name, const char *device) {
  char text[64];
  snprintf(text, sizeof(text), "%s/queue", name);
  TF_DataType type = TF_FLOAT;
  TF_OperationDescription *queue = life_op(graph, "FIFOQueueV2", text, device, NULL, 0);
  TF_SetAttrTypeList(queue, "component_types", &type, 1);
  TF_Output handle = life_finish(queue);
  TF_OperationDescription *dequeue = life_op(graph, "QueueDequeueV2", name, device, &handle, 1);
  TF_SetAttrTypeList(dequeue, "component_types", &type, 1);
  return life_finish(dequeue);
}

static void expect_unavailable(const step_t *step, const char *task) {
  SLI_EXPECT_INT(step->code, TF_UNAVAILABLE);
  SLI_EXPECT_CONTAINS(step->message, task);
  SLI_EXPECT(step->seconds < 20);  // nine, on a machine that is not busy
}

// Three ps tasks, one killed, one stopped, one out of reach, while a step waits on each; a fourth is well.
SLI_TEST(test_a_dead_stopped_or_unreachable_task_fails_its_steps_within_ten_seconds) {
  static wire_t wire;
  life_cluster_t cluster = {0};
  for (int i = 0; i < 4; i++) life_add(&cluster, "ps", i);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(wire_start(&wire, cluster.tasks[2].port));
  cluster.tasks[2].seen_port = wire.port;
  for (int i = 0; i < 5; i++) SLI_REQUIRE(life_start(&cluster, i, NULL));
  TF_Graph *graph = TF_NewGraph();
  const char *devices[] = {"/job:ps/task:0", "/job:ps/task:1", "/job:ps/task:2", "/job:ps/task:3"};
  const char *names[] = {"a", "b", "c", "d"};
  step_t steps[3] = {0};
  TF_Output values[4];
  for (int i = 0; i < 4; i++) values[i] = life_constant(graph, names[i], devices[i], (float)i);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof(name), "wait%d", i);
    steps[i].fetch = blocking_op(graph, name, devices[i]);
  }
  TF_Session *session = life_session(graph, life_target(&cluster, 4), NULL, 0);
  SLI_REQUIRE(session);
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < 4; i++) {
    SLI_EXPECT_NEAR(life_run(session, &values[i], NULL, status), i, 0);
    LIFE_EXPECT_OK(status);
  }
  for (int i = 0; i < 3; i++) {
    steps[i].session = session;
    step_start(&steps[i]);
  }
  usleep(200000);  // until they wait; a step that had not begun would fail all the same
  life_kill(&cluster, 0, SIGKILL);
  life_kill(&cluster, 1, SIGSTOP);
  atomic_store(&wire.is_cut, true);
  const char *tasks[] = {"/job:ps/replica:0/task:0", "/job:ps/replica:0/task:1", "/job:ps/replica:0/task:2"};
  for (int i = 0; i < 3; i++) {
    pthread_join(steps[i].thread, NULL);
    expect_unavailable(&steps[i], tasks[i]);
  }
  SLI_EXPECT_NEAR(life_run(session, &values[3], NULL, status), 3, 0);
  LIFE_EXPECT_OK(status);
  // New steps fail as well, and soon.
  step_t again = {.session = session, .fetch = values[0]};
  step_start(&again);
  pthread_join(again.thread, NULL);
  expect_unavailable(&again, tasks[0]);
  life_stop(&cluster);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

// A step may find the task unavailable until the connection, which backs off between attempts, is made anew.
static void run_once_reached(TF_Session *session, const TF_Output *fetch, TF_Status *status) {
  int64_t deadline = sli_deadline_after_millis(LIFE_PATIENCE_MILLIS);
  do {
    life_run(session, fetch, NULL, status);
  } while (TF_GetCode(status) == TF_UNAVAILABLE && sli_now_nanos() < deadline && usleep(50000) == 0);
}

SLI_TEST(test_a_restarted_task_aborts_old_sessions_and_serves_new_ones) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  TF_Graph *graph = TF_NewGraph();
  TF_Operation *assign;
  TF_Output variable = life_variable(graph, "v", "/job:ps/task:0", 3, &assign);
  TF_Status *status = TF_NewStatus();
  TF_Session *session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  life_run(session, NULL, assign, status);
  LIFE_EXPECT_OK(status);
  sl_task_status_t *before = sl_cluster_status(life_address(&cluster, 0), 5000, 0, status);
  // The ps: its sessions are gone.
  life_kill(&cluster, 0, SIGKILL);
  life_wait_exit(&cluster, 0, 5000);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  sl_task_status_t *after = sl_cluster_status(life_address(&cluster, 0), 5000, 0, status);
  SLI_EXPECT(before && after && before->incarnation != after->incarnation);
  sl_task_status_free(before);
  sl_task_status_free(after);
  run_once_reached(session, &variable, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_ABORTED);
  SLI_EXPECT_CONTAINS(TF_Message(status), "Possibly this worker (\"/job:ps/replica:0/task:0\") just restarted");
  life_close(session);
  session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  life_run(session, &variable, NULL, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_FAILED_PRECONDITION);  // uninitialised again
  life_run(session, NULL, assign, status);
  LIFE_EXPECT_OK(status);
  SLI_EXPECT_NEAR(life_run(session, &variable, NULL, status), 3, 0);
  // The master: the session is gone.
  life_kill(&cluster, 1, SIGKILL);
  life_wait_exit(&cluster, 1, 5000);
  SLI_REQUIRE(life_start(&cluster, 1, NULL));
  run_once_reached(session, &variable, status);
  SLI_EXPECT_INT(TF_GetCode(status), TF_ABORTED);
  SLI_EXPECT_CONTAINS(TF_Message(status), "is not found. Possibly, this master has restarted.");
  life_close(session);
  session = life_session(graph, life_target(&cluster, 1), NULL, 0);
  SLI_EXPECT_NEAR(life_run(session, &variable, NULL, status), 3, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  life_stop(&cluster);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
}

// --- Clients that vanish ---

static void run_and_hang(const char *target) {
  TF_Graph *graph = TF_NewGraph();
  TF_Output blocked = blocking_op(graph, "blocked", "/job:ps/task:0");
  TF_Session *session = life_session(graph, target, NULL, 0);
  TF_Status *status = TF_NewStatus();
  if (session) life_run(session, &blocked, NULL, status);
  _exit(1);
}

// The status of |target| once it has |sessions| sessions and |running| steps; false if that never comes.
static bool wait_for_load(const char *target, size_t sessions, int64_t running) {
  TF_Status *status = TF_NewStatus();
  bool good = false;
  for (int64_t deadline = sli_deadline_after_millis(LIFE_PATIENCE_MILLIS); !good && sli_now_nanos() < deadline;
       usleep(10000)) {
    sl_task_status_t *task = sl_cluster_status(target, 5000, 0, status);
    good = task && task->session_count == sessions && task->running_steps == running;
    sl_task_status_free(task);
  }
  TF_DeleteStatus(status);
  return good;
}

SLI_TEST(test_a_client_that_vanishes_takes_its_steps_and_then_its_session_along) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "ps", 0);
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, NULL));
  SLI_REQUIRE(life_start(&cluster, 1, (const char *const[]){"--session_idle_secs=1", NULL}));
  // This process again, as the client: a fork would inherit threads' locks, so it is executed anew.
  pid_t client = fork();
  if (client == 0) {
    execl("/proc/self/exe", "client", life_target(&cluster, 1), (char *)NULL);
    _exit(127);
  }
  SLI_EXPECT(wait_for_load(life_target(&cluster, 0), 1, 1));
  kill(client, SIGKILL);
  waitpid(client, NULL, 0);
  int64_t start = sli_now_nanos();
  SLI_EXPECT(wait_for_load(life_target(&cluster, 0), 1, 0));  // at once; long before the session goes
  double seconds = (double)(sli_now_nanos() - start) / 1e9;
  SLI_EXPECT(wait_for_load(life_target(&cluster, 0), 0, 0));
  SLI_EXPECT(wait_for_load(life_target(&cluster, 1), 0, 0));
  SLI_EXPECT(life_wait_log(&cluster, 1, "its client went away"));
  SLI_EXPECT(seconds < 10);
  life_stop(&cluster);
}

// A client that is there, but idle, keeps its session.
SLI_TEST(test_an_idle_client_keeps_its_session) {
  life_cluster_t cluster = {0};
  life_add(&cluster, "worker", 0);
  SLI_REQUIRE(life_start(&cluster, 0, (const char *const[]){"--session_idle_secs=1", NULL}));
  TF_Graph *graph = TF_NewGraph();
  TF_Output one = life_constant(graph, "one", NULL, 1);
  TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
  TF_Status *status = TF_NewStatus();
  SLI_EXPECT_NEAR(life_run(session, &one, NULL, status), 1, 0);
  usleep(1800000);
  SLI_EXPECT_NEAR(life_run(session, &one, NULL, status), 1, 0);
  LIFE_EXPECT_OK(status);
  life_close(session);
  TF_DeleteStatus(status);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

// As the client that vanishes: "client TARGET".
__attribute__((constructor)) static void maybe_client(int argc, char **argv) {
  if (argc == 2 && !strcmp(argv[0], "client")) run_and_hang(argv[1]);
}

SLI_TEST_MAIN(test_a_dead_stopped_or_unreachable_task_fails_its_steps_within_ten_seconds,
              test_a_restarted_task_aborts_old_sessions_and_serves_new_ones,
              test_a_client_that_vanishes_takes_its_steps_and_then_its_session_along,
              test_an_idle_client_keeps_its_session)
