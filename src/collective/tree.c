// Broadcast along a binary tree, and all-to-all. TensorFlow's schedules. A broadcast first goes from task to task, by
// one member of each, then to the other members of a task; the source takes part as the first of its task.
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "collective/engine_internal.h"

// ---- Broadcast -------------------------------------------------------------------

// One of the trees: over the tasks, or over the members of a task.
typedef struct {
  int number;  // in the key
  int first, count;
  bool is_of_tasks;
  int rank, source;  // positions in the tree; rank -1: the device is not in it
} tree_t;

typedef struct {
  sli_collective_run_t *run;
  tree_t trees[2];  // of which the device is a part
  int tree_count, tree;
  atomic_int sending;  // sends of the current tree, and the loop that starts them
} broadcast_t;

static bool is_same_task(const sli_collective_group_t *group, int a, int b) {
  return !strcmp(group->members[a].task, group->members[b].task);
}

// The member for position |rank| of the tree.
static int tree_member(const sli_collective_run_t *run, const tree_t *tree, int rank) {
  const sli_collective_group_t *group = run->group;
  if (!tree->is_of_tasks) return tree->first + rank;
  int first = 0;
  for (int task = 0; first < group->size; task++) {
    if (task == rank) break;
    int next = first;
    while (next < group->size && is_same_task(group, next, first)) next++;
    first = next;
  }
  return is_same_task(group, first, run->source_rank) ? run->source_rank : first;
}

static void find_trees(broadcast_t *broadcast) {
  sli_collective_run_t *run = broadcast->run;
  const sli_collective_group_t *group = run->group;
  tree_t tasks = {.is_of_tasks = true, .count = group->task_count, .rank = -1}, own = {0};
  int task = 0, source_task = 0;
  for (int first = 0, end; first < group->size; first = end, task++) {
    for (end = first; end < group->size && is_same_task(group, end, first);) end++;
    bool has_source = run->source_rank >= first && run->source_rank < end;
    if (has_source) source_task = task;
    if (run->rank < first || run->rank >= end) continue;
    if (run->rank == (has_source ? run->source_rank : first)) tasks.rank = task;
    own = (tree_t){.number = task + (group->task_count > 1),
                   .first = first,
                   .count = end - first,
                   .rank = run->rank - first,
                   .source = has_source ? run->source_rank - first : 0};
  }
  tasks.source = source_task;
  if (group->task_count > 1 && tasks.rank >= 0) broadcast->trees[broadcast->tree_count++] = tasks;
  broadcast->trees[broadcast->tree_count++] = own;
}

// From which position |rank| receives; -1: it is the source. If the source is not the first, it is treated as if it
// stood before the first, too.
static int tree_parent(const tree_t *tree) {
  if (tree->rank == tree->source) return -1;
  if (tree->source == 0) return (tree->rank - 1) / 2;
  return tree->rank / 2 - 1 < 0 ? tree->source : tree->rank / 2 - 1;
}

static int tree_children(const tree_t *tree, int out_children[4]) {
  int count = 0;
  if (tree->rank == tree->source && tree->source != 0) {
    if (tree->count > 1) out_children[count++] = 0;
    if (tree->count > 2 && tree->source != 1) out_children[count++] = 1;
  }
  int next = tree->source == 0 ? 2 * tree->rank + 1 : 2 * (tree->rank + 1);
  for (int i = 0; i < 2; i++, next++)
    if (next < tree->count && next != tree->source) out_children[count++] = next;
  return count;
}

static void tree_begin(broadcast_t *broadcast);

static void tree_sent_one(broadcast_t *broadcast) {
  if (atomic_fetch_sub(&broadcast->sending, 1) != 1) return;
  broadcast->tree++;
  tree_begin(broadcast);
}

static void tree_sent(void *context, sli_status_t *status) {
  broadcast_t *broadcast = context;
  if (status) sli_collective_run_fail(broadcast->run, status);
  tree_sent_one(broadcast);
}

static void tree_send(broadcast_t *broadcast) {
  sli_collective_run_t *run = broadcast->run;
  const tree_t *tree = &broadcast->trees[broadcast->tree];
  sli_tensor_t *tensor = run->request->is_source ? run->request->input : run->request->output;
  int children[4], count = tree_children(tree, children);
  atomic_store(&broadcast->sending, count + 1);
  for (int i = 0; i < count; i++) {
    char key[48];
    snprintf(key, sizeof(key), ":%d:%d:%d", tree->number, tree->rank, children[i]);
    sli_collective_run_send(run, key, tensor, 0, tensor->count, tree_sent, broadcast);
  }
  tree_sent_one(broadcast);
}

static void tree_received(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  broadcast_t *broadcast = context;
  if (status) {
    sli_collective_run_fail(broadcast->run, status);
    sli_collective_run_end_part(broadcast->run);
    return;
  }
  memcpy(broadcast->run->request->output->data, buffer->data, sli_tensor_bytes(buffer));
  sli_tensor_release(buffer);
  tree_send(broadcast);
}

static void tree_begin(broadcast_t *broadcast) {
  sli_collective_run_t *run = broadcast->run;
  if (broadcast->tree == broadcast->tree_count) {
    sli_collective_run_end_part(run);
    return;
  }
  const tree_t *tree = &broadcast->trees[broadcast->tree];
  int parent = tree_parent(tree);
  if (parent < 0) {
    tree_send(broadcast);
    return;
  }
  char key[48];
  snprintf(key, sizeof(key), ":%d:%d:%d", tree->number, parent, tree->rank);
  sli_collective_run_receive(run, key, tree_member(run, tree, parent), sli_tensor_bytes(run->request->output),
                             tree_received, broadcast);
}

void sli_collective_run_tree(sli_collective_run_t *run) {
  broadcast_t *broadcast = run->parts = sli_calloc(1, sizeof(*broadcast));
  broadcast->run = run;
  find_trees(broadcast);
  sli_collective_run_begin_part(run);
  tree_begin(broadcast);
}

// ---- All-to-all ------------------------------------------------------------------

typedef struct {
  sli_collective_run_t *run;
  int64_t first;  // of the elements that it receives
} slot_t;

static void slot_sent(void *context, sli_status_t *status) {
  sli_collective_run_t *run = context;
  if (status) sli_collective_run_fail(run, status);
  sli_collective_run_end_part(run);
}

static void slot_received(void *context, sli_status_t *status, sli_tensor_t *buffer) {
  slot_t *slot = context;
  if (status)
    sli_collective_run_fail(slot->run, status);
  else
    memcpy(sli_tensor_at(slot->run->request->output, slot->first), buffer->data, sli_tensor_bytes(buffer));
  sli_tensor_release(buffer);
  sli_collective_run_end_part(slot->run);
}

// Part i of a member's input goes to the member i; its place in the output is the rank that the graph gave the sender.
void sli_collective_run_all_to_all(sli_collective_run_t *run) {
  const sli_collective_request_t *request = run->request;
  int size = run->group->size;
  int64_t count = request->input->count / size;
  const char *format = *run->group->generation ? ":%d:%d" : "%d%d";  // TensorFlow's has nothing between them
  slot_t *slots = run->parts = sli_calloc((size_t)size, sizeof(*slots));
  for (int i = 0; i < 2 * size; i++) sli_collective_run_begin_part(run);
  for (int i = 0; i < size; i++) {
    int rank = run->group->members[i].rank >= 0 ? run->group->members[i].rank : i;
    char key[48];
    slots[i] = (slot_t){run, count * rank};
    snprintf(key, sizeof(key), format, run->rank, i);
    sli_collective_run_send(run, key, request->input, count * i, count, slot_sent, run);
    snprintf(key, sizeof(key), format, i, run->rank);
    sli_collective_run_receive(run, key, i, (size_t)count * sli_dtype_size((sli_dtype_t)request->input->dtype),
                               slot_received, &slots[i]);
  }
}
