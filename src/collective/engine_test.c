// Two tasks with two devices each, or four with one, in one process: an engine for each, whose calls to the others are
// plain calls. The four share memory.
#include "collective/engine.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/test.h"
#include "base/thread_pool.h"

enum { TASKS = 4, DEVICES = 4, STEPS = 20, SIZE = 1000, SHARED_SIZE = 300007 };

typedef struct {
  int task_count;
  int host_size;               // tasks of a host, but for the last; 0: one host
  sli_lend_mapping_t *memory;  // that of this process, as peers see it
  sli_collective_engine_t *engines[TASKS];
  sli_collective_t *collectives[TASKS];
  sli_device_t *devices[DEVICES];
  sli_resource_manager_t *resources;
  sli_thread_pool_t *pool;
  sli_env_t env;
} world_t;

static const char *const tasks[TASKS] = {"/job:w/replica:0/task:0", "/job:w/replica:0/task:1",
                                         "/job:w/replica:0/task:2", "/job:w/replica:0/task:3"};

static const char *task_at(void *context, size_t index) {
  return index < (size_t)((world_t *)context)->task_count ? tasks[index] : NULL;
}

static int task_of(const world_t *world, int device) { return device * world->task_count / DEVICES; }

static sli_collective_engine_t *find_engine(world_t *world, const char *task) {
  int i = 0;
  while (strcmp(task, tasks[i]) != 0) i++;
  return world->engines[i];
}

static sli_lend_mapping_t *memory_of(void *context, const char *task) {
  return sli_lend_mapping_retain(((world_t *)context)->memory);
}

typedef struct {
  sli_collective_group_done_t done;
  void *context;
} reply_t;

// A task gets a group of its own, as from a message.
static void copy_group(void *context, sli_status_t *status, sli_collective_group_t *group) {
  reply_t reply = *(reply_t *)context;
  free(context);
  sli_collective_group_t *copy = NULL;
  if (group) {
    sli_collective_member_t *members = sli_memdup(group->members, (size_t)group->size * sizeof(*members));
    for (int i = 0; i < group->size; i++) {
      members[i].device = sli_strdup(members[i].device);
      members[i].task = sli_strdup(members[i].task);
    }
    copy = sli_collective_group_create(group->key, group->device_type, group->generation, members, group->size);
    sli_collective_group_release(group);
  }
  reply.done(reply.context, status, copy);
}

static void complete_group(void *context, const char *leader, const sli_collective_group_request_t *request,
                           sli_cancellation_t *cancellation, sli_collective_group_done_t done, void *done_context) {
  reply_t *reply = sli_malloc(sizeof(*reply));
  *reply = (reply_t){done, done_context};
  sli_collective_engine_complete_group(find_engine(context, leader), request, cancellation, copy_group, reply);
}

static void complete_instance(void *context, const char *leader, const sli_collective_instance_request_t *request,
                              sli_cancellation_t *cancellation, sli_collective_instance_done_t done,
                              void *done_context) {
  sli_collective_engine_complete_instance(find_engine(context, leader), request, cancellation, done, done_context);
}

static void receive(void *context, const char *task, const sli_collective_buffer_request_t *request,
                    sli_cancellation_t *cancellation, sli_collective_buffer_done_t done, void *done_context) {
  sli_collective_engine_serve(find_engine(context, task), request, cancellation, done, done_context);
}

static void probe(void *context, const char *task, bool waits, sli_cancellation_t *cancellation,
                  sli_collective_probe_done_t done, void *done_context) {
  done(done_context, NULL, NULL, 0);
}

// The watch is not tested here: its timer never fires.
static sli_timer_t *no_timer(sli_env_t *env, int64_t deadline, void (*fire)(void *context), void *context) {
  return (sli_timer_t *)env;
}
static bool no_cancel(sli_env_t *env, sli_timer_t *timer) { return true; }

static void world_initialize_hosts(world_t *world, int task_count, int host_size) {
  *world = (world_t){.task_count = task_count, .host_size = host_size, .env = *sli_env_local()};
  SLI_REQUIRE(sli_lend_start());
  world->memory = sli_lend_mapping_create(sli_lend_file());
  world->env.add_timer = no_timer;
  world->env.cancel_timer = no_cancel;
  world->pool = sli_thread_pool_create("test", 2, NULL);
  world->resources = sli_resource_manager_create("localhost");
  sli_collective_peers_t peers = {world, task_at, complete_group, complete_instance, receive, memory_of, 0, probe};
  for (int i = 0; i < task_count; i++) {
    peers.host = host_size ? (uint64_t)(1 + i / host_size) : 1;
    world->engines[i] = sli_collective_engine_create(&world->env, world->pool, tasks[i], &peers);
    world->collectives[i] = sli_collective_engine_bind(world->engines[i], tasks[0]);
  }
  for (int i = 0; i < DEVICES; i++) {
    char name[64];
    snprintf(name, sizeof(name), "%s/device:CPU:%d", tasks[task_of(world, i)], i * task_count % DEVICES / task_count);
    world->devices[i] = sli_device_create_cpu(name, world->resources, world->pool);
  }
}

static void world_initialize(world_t *world, int task_count) { world_initialize_hosts(world, task_count, 0); }

static void world_deinitialize(world_t *world) {
  for (int i = 0; i < world->task_count; i++)
    sli_collective_engine_stop(world->engines[i], sli_status_make(SLI_CANCELLED, "end"));
  sli_thread_pool_destroy(world->pool);  // after what it still runs
  for (int i = 0; i < world->task_count; i++) {
    free(world->collectives[i]);
    sli_collective_engine_destroy(world->engines[i]);
  }
  for (int i = 0; i < DEVICES; i++) sli_device_destroy(world->devices[i]);
  sli_resource_manager_destroy(world->resources);
  sli_lend_mapping_release(world->memory);
}

static void add(int op, sli_dtype_t dtype, void *to, const void *from, int64_t from_step, int64_t count) {
  for (int64_t i = 0; i < count; i++) ((float *)to)[i] += ((const float *)from)[i * from_step];
}

// What one device does, on a thread of its own.
typedef struct {
  world_t *world;
  int device;
  sli_collective_kind_t kind;
  int instance, steps;
  int64_t size;
  int failing_step;  // whose cancellation is cancelled while it runs; -1: none
  sli_code_t code;   // of the last step
  bool is_wrong;
  pthread_t thread;
} member_t;

typedef struct {
  sli_event_t event;
  sli_status_t *status;
} waiting_t;

static void done(void *context, sli_status_t *status) {
  waiting_t *waiting = context;
  waiting->status = status;
  sli_event_set(&waiting->event);
}

static sli_tensor_t *filled(int64_t count, float value) {
  sli_tensor_t *tensor;
  SLI_EXPECT_OK(sli_tensor_create(sli_allocator_cpu(), SLI_DTYPE_FLOAT, &count, 1, &tensor));
  for (int64_t i = 0; i < count; i++) SLI_DATA(float, tensor)[i] = value;
  return tensor;
}

// The value at |index| of the output of device |device|, whose input is |device| + 1 everywhere.
static float expected_at(const member_t *member, int64_t index) {
  switch (member->kind) {
    case SLI_COLLECTIVE_BROADCAST: return 3;  // the source is device 2
    case SLI_COLLECTIVE_GATHER: return (float)(index / member->size + 1);
    case SLI_COLLECTIVE_ALL_TO_ALL: return (float)(index / (member->size / DEVICES) + 1);
    default: return 10;
  }
}

static sli_code_t run_step(member_t *member, int step_number) {
  world_t *world = member->world;
  bool reduces = member->kind == SLI_COLLECTIVE_REDUCE || member->kind == SLI_COLLECTIVE_REDUCE_SCATTER;
  bool is_source = member->kind == SLI_COLLECTIVE_BROADCAST && member->device == 2;
  sli_step_t step = {.id = step_number, .cancellation = sli_cancellation_create()};
  sli_tensor_t *input = filled(member->size, (float)member->device + 1), *output = input, *part = NULL;
  if (member->kind == SLI_COLLECTIVE_GATHER) output = filled(DEVICES * member->size, 0);
  if (member->kind == SLI_COLLECTIVE_ALL_TO_ALL) output = filled(member->size, 0);
  if (member->kind == SLI_COLLECTIVE_REDUCE_SCATTER) part = filled(member->size / DEVICES, 0);
  sli_collective_request_t request = {.kind = member->kind,
                                      .name = "op",
                                      .group_key = 7,
                                      .group_size = DEVICES,
                                      .instance_key = member->instance,
                                      .rank = -1,
                                      .max_rings = -1,
                                      .is_source = is_source,
                                      .merge = reduces ? add : NULL,
                                      .input = input,
                                      .output = output,
                                      .part = part,
                                      .device = world->devices[member->device],
                                      .step = &step};
  waiting_t waiting = {0};
  sli_event_initialize(&waiting.event);
  sli_collective_start(world->collectives[task_of(world, member->device)], &request, done, &waiting);
  if (step_number == member->failing_step)
    sli_cancellation_cancel(step.cancellation, sli_status_make(SLI_CANCELLED, "by the test"));
  sli_event_wait(&waiting.event, SLI_CLOCK_NO_DEADLINE);
  sli_event_deinitialize(&waiting.event);
  sli_code_t code = sli_status_code(waiting.status);
  sli_status_release(waiting.status);
  const sli_tensor_t *result = part ? part : output;
  for (int64_t i = 0; code == SLI_OK && i < result->count; i++)
    member->is_wrong |= SLI_DATA(const float, result)[i] != expected_at(member, i);
  if (output != input) sli_tensor_release(output);
  sli_tensor_release(part);
  sli_tensor_release(input);
  sli_cancellation_release(step.cancellation);
  return code;
}

static void *run_member(void *argument) {
  member_t *member = argument;
  for (int step = 0; step < member->steps; step++) member->code = run_step(member, step);
  return NULL;
}

static void run_members(world_t *world, member_t *members, const member_t *like) {
  for (int i = 0; i < DEVICES; i++) {
    members[i] = *like;
    members[i].world = world;
    members[i].device = i;
    pthread_create(&members[i].thread, NULL, run_member, &members[i]);
  }
  for (int i = 0; i < DEVICES; i++) pthread_join(members[i].thread, NULL);
}

static void expect_right(const member_t *members) {
  for (int i = 0; i < DEVICES; i++) {
    SLI_EXPECT_INT(members[i].code, SLI_OK);
    SLI_EXPECT(!members[i].is_wrong);
  }
}

static void check_hosts(int task_count, int host_size, sli_collective_kind_t kind, int64_t size) {
  world_t world;
  world_initialize_hosts(&world, task_count, host_size);
  member_t members[DEVICES];
  run_members(&world, members,
              &(member_t){.kind = kind, .instance = 1, .steps = STEPS, .size = size, .failing_step = -1});
  expect_right(members);
  world_deinitialize(&world);
}

static void check_tasks(int task_count, sli_collective_kind_t kind, int64_t size) {
  check_hosts(task_count, 0, kind, size);
}
static void check(sli_collective_kind_t kind, int64_t size) { check_tasks(2, kind, size); }

SLI_TEST(test_reduce_in_shared_memory) { check_tasks(4, SLI_COLLECTIVE_REDUCE, SHARED_SIZE); }
SLI_TEST(test_reduce_in_shared_memory_in_one_piece) { check_tasks(4, SLI_COLLECTIVE_REDUCE, 8192); }
SLI_TEST(test_reduce_on_two_hosts) { check_hosts(4, 2, SLI_COLLECTIVE_REDUCE, SHARED_SIZE); }
SLI_TEST(test_reduce_on_two_hosts_in_one_piece) { check_hosts(4, 2, SLI_COLLECTIVE_REDUCE, 8192); }
SLI_TEST(test_reduce_on_hosts_of_three_and_one) { check_hosts(4, 3, SLI_COLLECTIVE_REDUCE, SHARED_SIZE); }
SLI_TEST(test_reduce_on_four_hosts) { check_hosts(4, 1, SLI_COLLECTIVE_REDUCE, SHARED_SIZE); }
SLI_TEST(test_reduce) { check(SLI_COLLECTIVE_REDUCE, SIZE); }
SLI_TEST(test_reduce_of_one_element) { check(SLI_COLLECTIVE_REDUCE, 1); }
SLI_TEST(test_reduce_in_several_rings) { check(SLI_COLLECTIVE_REDUCE, 3000001); }
SLI_TEST(test_reduce_scatter) { check(SLI_COLLECTIVE_REDUCE_SCATTER, SIZE); }
SLI_TEST(test_gather) { check(SLI_COLLECTIVE_GATHER, SIZE); }
SLI_TEST(test_broadcast) { check(SLI_COLLECTIVE_BROADCAST, SIZE); }
SLI_TEST(test_all_to_all) { check(SLI_COLLECTIVE_ALL_TO_ALL, SIZE); }

// A member that retries after each error, as a program does, until all have succeeded after the first was cancelled.
typedef struct {
  member_t member;
  atomic_int *successes;  // by device: since the cancellation
  atomic_bool *has_failed, *is_over;
} persistent_t;

static void *persist(void *argument) {
  persistent_t *own = argument;
  for (int step = 0; !atomic_load(own->is_over); step++) {
    own->member.failing_step = own->member.device == 1 && step == 3 ? step : -1;
    sli_code_t code = run_step(&own->member, step);
    if (own->member.failing_step >= 0) atomic_store(own->has_failed, true);
    if (code == SLI_OK && atomic_load(own->has_failed)) atomic_fetch_add(&own->successes[own->member.device], 1);
    bool all = true;
    for (int i = 0; i < DEVICES; i++) all &= atomic_load(&own->successes[i]) > 2;
    if (!all || atomic_exchange(own->is_over, true)) continue;
    for (int i = 0; i < own->member.world->task_count; i++)
      sli_collective_engine_stop(own->member.world->engines[i], sli_status_make(SLI_CANCELLED, "over"));
  }
  return NULL;
}

// The first failure ends the group on every member, and the next op forms it anew.
static void check_recovery(int task_count, int host_size, int64_t size) {
  for (int round = 0; round < 5; round++) {
    world_t world;
    world_initialize_hosts(&world, task_count, host_size);
    atomic_int successes[DEVICES] = {0};
    atomic_bool has_failed = false, is_over = false;
    persistent_t members[DEVICES];
    for (int i = 0; i < DEVICES; i++) {
      members[i] =
          (persistent_t){{.world = &world, .device = i, .kind = SLI_COLLECTIVE_REDUCE, .instance = 1, .size = size},
                         successes,
                         &has_failed,
                         &is_over};
      pthread_create(&members[i].member.thread, NULL, persist, &members[i]);
    }
    for (int i = 0; i < DEVICES; i++) pthread_join(members[i].member.thread, NULL);
    for (int i = 0; i < DEVICES; i++) SLI_EXPECT(!members[i].member.is_wrong);
    world_deinitialize(&world);
  }
}

SLI_TEST(test_members_recover_from_a_cancelled_one) { check_recovery(2, 0, SIZE); }
SLI_TEST(test_members_recover_in_shared_memory) { check_recovery(4, 0, SHARED_SIZE); }
SLI_TEST(test_members_recover_on_two_hosts) { check_recovery(4, 2, SHARED_SIZE); }

static void joined(void *context, sli_status_t *status, sli_collective_group_t *group) {
  sli_status_release(status);
  sli_collective_group_release(group);
}

// A restarted member forms the group anew while devices of the leader's task run no op: the next op of each fails, as
// the program must bring the members to the same state first.
SLI_TEST(test_devices_of_the_leader_learn_that_a_member_was_restarted) {
  world_t world;
  world_initialize(&world, 2);
  member_t members[DEVICES];
  const member_t like = {.kind = SLI_COLLECTIVE_REDUCE, .instance = 1, .steps = 1, .size = SIZE, .failing_step = -1};
  run_members(&world, members, &like);
  expect_right(members);
  sli_cancellation_t *cancellation = sli_cancellation_create();
  for (int i = 2; i < DEVICES; i++) world.devices[i]->incarnation++;
  sli_collective_group_request_t restarted = {
      .key = 7,
      .size = DEVICES,
      .device_type = "CPU",
      .kind = SLI_COLLECTIVE_REDUCE,
      .member = {.device = world.devices[2]->name, .incarnation = world.devices[2]->incarnation, .is_sluice = true},
      .failed = ""};
  sli_collective_engine_complete_group(world.engines[0], &restarted, cancellation, joined, NULL);
  for (int i = 0; i < 2; i++) SLI_EXPECT_INT(run_step(&members[i], 1), SLI_ABORTED);
  sli_cancellation_cancel(cancellation, sli_status_make(SLI_CANCELLED, "by the test"));
  sli_cancellation_release(cancellation);
  run_members(&world, members, &like);
  expect_right(members);
  world_deinitialize(&world);
}

SLI_TEST_MAIN(test_devices_of_the_leader_learn_that_a_member_was_restarted, test_reduce, test_reduce_of_one_element,
              test_reduce_in_several_rings, test_reduce_scatter, test_gather, test_broadcast, test_all_to_all,
              test_members_recover_from_a_cancelled_one, test_reduce_in_shared_memory,
              test_reduce_in_shared_memory_in_one_piece, test_members_recover_in_shared_memory,
              test_reduce_on_two_hosts, test_reduce_on_two_hosts_in_one_piece, test_reduce_on_hosts_of_three_and_one,
              test_reduce_on_four_hosts, test_members_recover_on_two_hosts)
