// Collective ops between `sluice serve` processes: values of every type and reduction, members with steps of their own,
// a member that comes late, one that dies, one that never comes.
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/test.h"
#include "tests/life/life.h"

enum { MEMBERS = 3 };

typedef struct {
  TF_DataType dtype;
  const char *merge, *final;
  int64_t size;
} reduction_t;

static const char *device_of(int member) {
  static const char *const names[] = {"/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:2"};
  return names[member];
}

// What member |member| has at |index|. Small multiples of MEMBERS, so that sums, products and means are exact.
static float value_at(int member, int64_t index) { return (float)(MEMBERS * (1 + (index + member) % 2)); }

static float reduced_at(const reduction_t *reduction, int64_t index) {
  float result = value_at(0, index);
  for (int i = 1; i < MEMBERS; i++) {
    float value = value_at(i, index);
    if (!strcmp(reduction->merge, "Add")) result += value;
    if (!strcmp(reduction->merge, "Mul")) result *= value;
    if (!strcmp(reduction->merge, "Max")) result = fmaxf(result, value);
    if (!strcmp(reduction->merge, "Min")) result = fminf(result, value);
  }
  return strcmp(reduction->final, "Div") ? result : result / MEMBERS;
}

static TF_Output vector(TF_Graph *graph, const char *name, const char *device, int member, int64_t size) {
  TF_Status *status = TF_NewStatus();
  TF_Tensor *tensor = TF_AllocateTensor(TF_FLOAT, &size, 1, (size_t)size * sizeof(float));
  for (int64_t i = 0; i < size; i++) ((float *)TF_TensorData(tensor))[i] = value_at(member, i);
  TF_OperationDescription *description = life_op(graph, "Const", name, device, NULL, 0);
  TF_SetAttrType(description, "dtype", TF_FLOAT);
  TF_SetAttrTensor(description, "value", tensor, status);
  LIFE_EXPECT_OK(status);
  TF_DeleteTensor(tensor);
  TF_DeleteStatus(status);
  return life_finish(description);
}

static TF_Output cast(TF_Graph *graph, const char *name, const char *device, TF_Output input, TF_DataType to) {
  TF_OperationDescription *description = life_op(graph, "Cast", name, device, &input, 1);
  TF_SetAttrType(description, "DstT", to);
  return life_finish(description);
}

static void set_keys(TF_OperationDescription *description, int size, int group, int instance) {
  TF_SetAttrInt(description, "group_size", size);
  TF_SetAttrInt(description, "group_key", group);
  TF_SetAttrInt(description, "instance_key", instance);
}

// The member's node of a reduction, as floats.
static TF_Output reduce(TF_Graph *graph, const char *device, int member, int group, int instance,
                        const reduction_t *reduction) {
  char name[64];
  snprintf(name, sizeof(name), "in_%d_%d", member, instance);
  TF_Output input = vector(graph, name, device, member, reduction->size);
  snprintf(name, sizeof(name), "cast_%d_%d", member, instance);
  input = cast(graph, name, device, input, reduction->dtype);
  snprintf(name, sizeof(name), "reduce_%d_%d", member, instance);
  TF_OperationDescription *description = life_op(graph, "CollectiveReduce", name, device, &input, 1);
  set_keys(description, MEMBERS, group, instance);
  TF_SetAttrString(description, "merge_op", reduction->merge, strlen(reduction->merge));
  TF_SetAttrString(description, "final_op", reduction->final, strlen(reduction->final));
  TF_SetAttrIntList(description, "subdiv_offsets", (int64_t[]){0}, 1);
  TF_Output output = life_finish(description);
  snprintf(name, sizeof(name), "back_%d_%d", member, instance);
  return cast(graph, name, device, output, TF_FLOAT);
}

static void expect_reduced(const reduction_t *reduction, TF_Tensor *tensor) {
  SLI_REQUIRE(tensor);
  SLI_EXPECT_INT(TF_TensorElementCount(tensor), reduction->size);
  const float *values = TF_TensorData(tensor);
  for (int64_t i = 0; i < reduction->size; i++)
    if (values[i] != reduced_at(reduction, i)) {
      sli_test_fail(__FILE__, __LINE__, "%s of type %d, %lld elements, at %lld: got %g, expected %g", reduction->merge,
                    reduction->dtype, (long long)reduction->size, (long long)i, (double)values[i],
                    (double)reduced_at(reduction, i));
      return;
    }
}

static void start_workers(life_cluster_t *cluster) {
  for (int i = 0; i < MEMBERS; i++) life_add(cluster, "worker", i);
  for (int i = 0; i < MEMBERS; i++) SLI_REQUIRE(life_start(cluster, i, NULL));
}

static const TF_DataType dtypes[] = {TF_FLOAT, TF_DOUBLE, TF_HALF, TF_BFLOAT16, TF_INT32, TF_INT64};
static const struct {
  const char *merge, *final;
} merges[] = {{"Add", "Id"}, {"Add", "Div"}, {"Mul", "Id"}, {"Max", "Id"}, {"Min", "Id"}};
// In shared memory those of the last size are divided among the members.
static const int64_t sizes[] = {1, 2, 17, 4096, 20011};
enum { REDUCTIONS = 6 * 5 * 5 };

static void list_reductions(reduction_t *out) {
  for (size_t d = 0; d < 6; d++)
    for (size_t m = 0; m < 5; m++)
      for (size_t s = 0; s < 5; s++) *out++ = (reduction_t){dtypes[d], merges[m].merge, merges[m].final, sizes[s]};
}

// Runs all reductions in one step on |target|, |steps| times.
static void check_reductions(const char *target, const void *config, size_t config_size,
                             const char *(*device)(int member)) {
  reduction_t reductions[REDUCTIONS];
  list_reductions(reductions);
  TF_Graph *graph = TF_NewGraph();
  TF_Output fetches[REDUCTIONS * MEMBERS];
  TF_Tensor *values[REDUCTIONS * MEMBERS];
  for (int i = 0; i < REDUCTIONS; i++)
    for (int member = 0; member < MEMBERS; member++)
      fetches[i * MEMBERS + member] = reduce(graph, device(member), member, 1, 1 + i, &reductions[i]);
  TF_Session *session = life_session(graph, target, config, config_size);
  SLI_REQUIRE(session);
  TF_Status *status = TF_NewStatus();
  for (int step = 0; step < 2; step++) {
    memset(values, 0, sizeof(values));
    TF_SessionRun(session, NULL, NULL, NULL, 0, fetches, values, REDUCTIONS * MEMBERS, NULL, 0, NULL, status);
    LIFE_EXPECT_OK(status);
    for (int i = 0; i < REDUCTIONS * MEMBERS && TF_GetCode(status) == TF_OK; i++)
      expect_reduced(&reductions[i / MEMBERS], values[i]);
    for (int i = 0; i < REDUCTIONS * MEMBERS; i++) TF_DeleteTensor(values[i]);
  }
  TF_DeleteStatus(status);
  life_close(session);
  TF_DeleteGraph(graph);
}

SLI_TEST(test_reductions_of_three_tasks) {
  life_cluster_t cluster = {0};
  start_workers(&cluster);
  check_reductions(life_target(&cluster, 1), NULL, 0, device_of);
  life_stop(&cluster);
}

// Tasks that do not share memory.
SLI_TEST(test_reductions_of_three_tasks_around_a_ring) {
  life_cluster_t cluster = {0};
  setenv("SLUICE_TCP_ONLY", "1", 1);
  start_workers(&cluster);
  unsetenv("SLUICE_TCP_ONLY");
  check_reductions(life_target(&cluster, 1), NULL, 0, device_of);
  life_stop(&cluster);
}

static const char *local_device(int member) {
  static const char *const names[] = {"/device:CPU:0", "/device:CPU:1", "/device:CPU:2"};
  return names[member];
}

SLI_TEST(test_reductions_of_three_devices_of_a_process) {
  static const char config[] =
      "\x0a\x07\x0a\x03"
      "CPU\x10\x03";  // device_count {CPU: 3}
  check_reductions("", config, sizeof(config) - 1, local_device);
}

// ---- Members with steps of their own -------------------------------------------------

// One member: a thread with a session on its task, whose graph has only its own node.
typedef struct {
  const life_cluster_t *cluster;
  int member, steps;
  int64_t delay_millis;  // before its first step
  reduction_t reduction;
  TF_Code code;  // of the last step
  char message[2000];
  atomic_int done;  // steps that succeeded
} member_t;

// ConfigProto.device_filters, so that the session needs only its own task.
static size_t filters(int member, char *config, size_t size) {
  const char *device = device_of(member);
  return (size_t)snprintf(config, size, "\x22%c%s", (int)strlen(device), device);
}

static void *run_member(void *argument) {
  member_t *member = argument;
  TF_Graph *graph = TF_NewGraph();
  TF_Output fetch = reduce(graph, device_of(member->member), member->member, 1, 1, &member->reduction);
  char config[64];
  size_t size = filters(member->member, config, sizeof(config));
  TF_Session *session = life_session(graph, life_target(member->cluster, member->member), config, size);
  TF_Status *status = TF_NewStatus();
  if (member->delay_millis) usleep((useconds_t)member->delay_millis * 1000);
  for (int step = 0; session && step < member->steps; step++) {
    TF_Tensor *value = NULL;
    TF_SessionRun(session, NULL, NULL, NULL, 0, &fetch, &value, 1, NULL, 0, NULL, status);
    member->code = TF_GetCode(status);
    snprintf(member->message, sizeof(member->message), "%s", TF_Message(status));
    if (member->code != TF_OK) break;
    expect_reduced(&member->reduction, value);
    TF_DeleteTensor(value);
    member->done++;
  }
  TF_DeleteStatus(status);
  if (session) life_close(session);
  TF_DeleteGraph(graph);
  return NULL;
}

static void run_members(member_t *members, int count) {
  pthread_t threads[MEMBERS];
  for (int i = 0; i < count; i++) pthread_create(&threads[i], NULL, run_member, &members[i]);
  for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void make_members(const life_cluster_t *cluster, member_t *members, int steps, int64_t size) {
  for (int i = 0; i < MEMBERS; i++)
    members[i] =
        (member_t){.cluster = cluster, .member = i, .steps = steps, .reduction = {TF_FLOAT, "Add", "Div", size}};
}

SLI_TEST(test_members_run_steps_of_their_own) {
  life_cluster_t cluster = {0};
  start_workers(&cluster);
  member_t members[MEMBERS];
  make_members(&cluster, members, 20, 1000000);
  members[0].delay_millis = 300;  // the leader comes late
  run_members(members, MEMBERS);
  for (int i = 0; i < MEMBERS; i++) {
    if (members[i].code != TF_OK) sli_test_fail(__FILE__, __LINE__, "member %d: %s", i, members[i].message);
    SLI_EXPECT_INT(members[i].done, 20);
  }
  life_stop(&cluster);
}

// The others learn who has gone; after its restart all continue.
static void check_death(int64_t size, int signal) {
  life_cluster_t cluster = {0};
  start_workers(&cluster);
  member_t members[MEMBERS];
  make_members(&cluster, members, 3, size);
  run_members(members, MEMBERS);
  for (int i = 0; i < MEMBERS; i++) SLI_EXPECT_INT(members[i].done, 3);
  life_kill(&cluster, 2, signal);
  life_wait_exit(&cluster, 2, LIFE_PATIENCE_MILLIS);
  make_members(&cluster, members, 1, size);
  run_members(members, 2);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT_INT(members[i].code, TF_UNAVAILABLE);
    if (!strstr(members[i].message, "/job:worker/replica:0/task:2"))
      sli_test_fail(__FILE__, __LINE__, "member %d does not name task 2: %s", i, members[i].message);
  }
  SLI_REQUIRE(life_start(&cluster, 2, NULL));
  make_members(&cluster, members, 2, size);
  for (int attempt = 0; attempt < 3 && members[0].done + members[1].done + members[2].done < 6; attempt++) {
    // Members that have not noticed the restart fail once, as a program would that is restarted.
    make_members(&cluster, members, 2, size);
    run_members(members, MEMBERS);
  }
  for (int i = 0; i < MEMBERS; i++)
    if (members[i].done != 2) sli_test_fail(__FILE__, __LINE__, "member %d: %s", i, members[i].message);
  life_stop(&cluster);
}

SLI_TEST(test_a_member_that_dies_is_named_and_may_come_back) { check_death(100, SIGKILL); }
SLI_TEST(test_a_member_that_reduces_in_pieces_dies) { check_death(100000, SIGKILL); }
SLI_TEST(test_a_member_that_leaves_in_order_is_named_and_may_come_back) { check_death(100000, SIGTERM); }

// One dies while the others are in the middle of ops.
SLI_TEST(test_a_member_dies_while_others_reduce) {
  life_cluster_t cluster = {0};
  start_workers(&cluster);
  member_t members[MEMBERS];
  pthread_t threads[MEMBERS];
  make_members(&cluster, members, 1000000, 300000);
  for (int i = 0; i < MEMBERS; i++) pthread_create(&threads[i], NULL, run_member, &members[i]);
  while (atomic_load(&members[0].done) < 5 && atomic_load(&members[2].done) < 5) usleep(1000);
  life_kill(&cluster, 2, SIGKILL);
  for (int i = 0; i < MEMBERS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT_INT(members[i].code, TF_UNAVAILABLE);
    if (!strstr(members[i].message, "/job:worker/replica:0/task:2"))
      sli_test_fail(__FILE__, __LINE__, "member %d does not name task 2: %s", i, members[i].message);
  }
  life_stop(&cluster);
}

SLI_TEST(test_a_member_that_never_comes_is_named) {
  life_cluster_t cluster = {0};
  for (int i = 0; i < MEMBERS; i++) life_add(&cluster, "worker", i);
  SLI_REQUIRE(life_start(&cluster, 0, NULL) && life_start(&cluster, 1, NULL));
  member_t members[MEMBERS];
  make_members(&cluster, members, 1, 100);
  run_members(members, 2);
  for (int i = 0; i < 2; i++) {
    SLI_EXPECT_INT(members[i].code, TF_UNAVAILABLE);
    if (!strstr(members[i].message, "/job:worker/replica:0/task:2"))
      sli_test_fail(__FILE__, __LINE__, "member %d does not name task 2: %s", i, members[i].message);
  }
  life_stop(&cluster);
}

// ---- Broadcast and gather ------------------------------------------------------------

SLI_TEST(test_broadcast_and_gather) {
  life_cluster_t cluster = {0};
  start_workers(&cluster);
  TF_Graph *graph = TF_NewGraph();
  TF_Output fetches[2 * MEMBERS];
  const int64_t size = 5;
  for (int i = 0; i < MEMBERS; i++) {
    char name[32];
    snprintf(name, sizeof(name), "value_%d", i);
    TF_Output value = vector(graph, name, device_of(i), i, size);
    snprintf(name, sizeof(name), "broadcast_%d", i);
    TF_OperationDescription *description = i == 1 ? life_op(graph, "CollectiveBcastSend", name, device_of(i), &value, 1)
                                                  : life_op(graph, "CollectiveBcastRecv", name, device_of(i), NULL, 0);
    if (i != 1) TF_SetAttrType(description, "T", TF_FLOAT);
    TF_SetAttrShape(description, "shape", &size, 1);
    set_keys(description, MEMBERS, 1, 1);
    fetches[i] = life_finish(description);
    snprintf(name, sizeof(name), "gather_%d", i);
    description = life_op(graph, "CollectiveGather", name, device_of(i), &value, 1);
    TF_SetAttrShape(description, "shape", (int64_t[]){MEMBERS * size}, 1);
    set_keys(description, MEMBERS, 1, 2);
    fetches[MEMBERS + i] = life_finish(description);
  }
  TF_Session *session = life_session(graph, life_target(&cluster, 0), NULL, 0);
  SLI_REQUIRE(session);
  TF_Status *status = TF_NewStatus();
  for (int step = 0; step < 3; step++) {
    TF_Tensor *values[2 * MEMBERS] = {NULL};
    TF_SessionRun(session, NULL, NULL, NULL, 0, fetches, values, 2 * MEMBERS, NULL, 0, NULL, status);
    LIFE_EXPECT_OK(status);
    for (int i = 0; i < MEMBERS && values[i] && values[MEMBERS + i]; i++) {
      const float *sent = TF_TensorData(values[i]), *gathered = TF_TensorData(values[MEMBERS + i]);
      for (int64_t k = 0; k < size; k++) SLI_EXPECT_NEAR(sent[k], value_at(1, k), 0);
      for (int64_t k = 0; k < MEMBERS * size; k++) SLI_EXPECT_NEAR(gathered[k], value_at((int)(k / size), k % size), 0);
    }
    for (int i = 0; i < 2 * MEMBERS; i++) TF_DeleteTensor(values[i]);
  }
  TF_DeleteStatus(status);
  life_close(session);
  TF_DeleteGraph(graph);
  life_stop(&cluster);
}

SLI_TEST_MAIN(test_reductions_of_three_tasks, test_reductions_of_three_tasks_around_a_ring,
              test_reductions_of_three_devices_of_a_process, test_members_run_steps_of_their_own,
              test_a_member_that_dies_is_named_and_may_come_back, test_a_member_that_reduces_in_pieces_dies,
              test_a_member_that_leaves_in_order_is_named_and_may_come_back, test_a_member_dies_while_others_reduce,
              test_a_member_that_never_comes_is_named, test_broadcast_and_gather)
