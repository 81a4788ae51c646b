// What a session tells about the other tasks that train. The chief names a worker that
// dies. Every task says for whom a step waits, within ten seconds and then at growing
// intervals: for a task that does not reply, or else for a queue or an accumulator. A
// step that waits for a chief that does not reply has a deadline.
#include <stdarg.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sluice/cluster.h"
#include "train/cluster/train_server.h"
#include "train/session/session_guard.h"

enum {
  ASK_MILLIS = 2000,
  REPLY_MILLIS = 1000,
  MISSED_REPLIES = 2,
  LONG_STEP_MILLIS = 3000,
  BLOCKED_SECS = 8,
  LONGEST_PAUSE_SECS = 60
};

static int64_t millis_to_nanos(int64_t millis) { return millis * 1000000; }

static bool trains(const sl_member_t *member) {
  return strcmp(member->job, "worker") == 0 || strcmp(member->job, "chief") == 0 || strcmp(member->job, "master") == 0;
}

static bool is_chief_member(const sl_session_manager_t *manager, const sl_member_t *member) {
  const char *chief = sli_train_server_chief_address(manager->options.server);
  return chief && strcmp(chief, member->address) == 0;
}

// --- Tasks that die ---

typedef enum { PEER_ABSENT, PEER_DIED, PEER_LEFT_OR_DIED } peer_fate_t;

// Whether a ps still has a session of |member|. |*out_told| is false if none tells, as stock ones do not.
static bool has_session_on_ps(const sl_server_t *server, const sl_member_t *member, bool *out_told) {
  char *name = sli_format("/job:%s/replica:0/task:%d", member->job, member->index);
  bool has_session = false;
  *out_told = false;
  for (int i = 0; i < sl_server_count(server, "ps") && !has_session; i++) {
    const char *address = sl_server_address(server, "ps", i);
    TF_Status *status = TF_NewStatus();
    sl_task_status_t *ps = address ? sl_cluster_status(address, REPLY_MILLIS, 0, status) : NULL;
    *out_told = *out_told || (ps && ps->is_sluice);
    for (size_t k = 0; ps && k < ps->session_count; k++)
      has_session = has_session || strcmp(ps->sessions[k].master_task, name) == 0;
    sl_task_status_free(ps);
    TF_DeleteStatus(status);
  }
  free(name);
  return has_session;
}

bool sli_session_guard_has_left(const sl_server_t *server, const sl_member_t *member) {
  bool told = false;
  return !member->is_up && !has_session_on_ps(server, member, &told) && told;
}

// What became of |member|, which does not reply. If a ps still has a session of it, it has died; one that has not
// started yet or has left in order has none. A stock ps does not tell.
static peer_fate_t find_fate(const sl_session_manager_t *manager, const sli_session_guard_peer_t *peer,
                             const sl_member_t *member) {
  bool told = false, has_session = has_session_on_ps(manager->options.server, member, &told);
  if (told) return has_session ? PEER_DIED : PEER_ABSENT;
  return peer->incarnation ? PEER_LEFT_OR_DIED : PEER_ABSENT;
}

// In the chief: names a task that died, and one that is back.
static void tell_change(const sl_session_manager_t *manager, sli_session_guard_peer_t *peer,
                        const sl_member_t *member) {
  const char *title = manager->title;
  if (member->is_up) {
    bool restarted = peer->incarnation && member->incarnation && peer->incarnation != member->incarnation;
    if (peer->is_lost)
      sli_progress_print(title, "/job:%s/task:%d at %s is back", member->job, member->index, member->address);
    else if (restarted)
      sli_progress_print(title, "/job:%s/task:%d at %s died and was restarted", member->job, member->index,
                         member->address);
    peer->is_lost = false;
    return;
  }
  peer_fate_t fate = peer->missed == MISSED_REPLIES ? find_fate(manager, peer, member) : PEER_ABSENT;
  if (fate == PEER_ABSENT) return;
  peer->is_lost = true;
  sli_progress_print(title, "lost /job:%s/task:%d at %s: %s%s", member->job, member->index, member->address,
                     member->why, fate == PEER_LEFT_OR_DIED ? "; it has left or died" : "");
}

// --- Steps that wait ---

// Appends an entry to the list of what operations wait for, which names a few only.
__attribute__((format(printf, 3, 4))) static void append_wait(sli_string_t *out, int *count, const char *format, ...) {
  enum { MOST_ENTRIES = 3 };
  if (++*count == MOST_ENTRIES + 1) sli_string_append_text(out, "; and others");
  if (*count > MOST_ENTRIES) return;
  if (out->size) sli_string_append_text(out, "; ");
  va_list args;
  va_start(args, format);
  sli_string_append_format_v(out, format, args);
  va_end(args);
}

// Appends the accumulators and queues of the task |member| for which operations wait.
static void append_waits(const sl_member_t *member, sli_string_t *out, int *count) {
  TF_Status *status = TF_NewStatus();
  sl_task_status_t *task = sl_cluster_status(member->address, REPLY_MILLIS, 0, status);
  char *where = sli_format("of /job:%s/task:%d", member->job, member->index);
  // All accumulators of a step wait for the same workers: one tells enough.
  for (size_t i = 0; task && i < task->accumulator_count; i++) {
    const sl_accumulator_status_t *sum = &task->accumulators[i];
    int64_t required = sum->quorum ? sum->quorum : sum->required;
    if (!sum->required || sum->accumulated >= required) continue;
    append_wait(out, count, "accumulator '%s' %s has %lld gradients of %lld", sum->name, where,
                (long long)sum->accumulated, (long long)required);
    break;
  }
  for (size_t i = 0; task && i < task->queue_count; i++) {
    const sl_queue_status_t *queue = &task->queues[i];
    if (queue->waiting_dequeues > 0 && queue->size == 0)
      append_wait(out, count, "queue '%s' %s is empty", queue->name, where);
    else if (queue->waiting_dequeues > 0)
      append_wait(out, count, "queue '%s' %s has only %lld elements", queue->name, where, (long long)queue->size);
    else if (queue->waiting_enqueues > 0)
      append_wait(out, count, "queue '%s' %s is full", queue->name, where);
  }
  free(where);
  sl_task_status_free(task);
  TF_DeleteStatus(status);
}

// What operations wait for, here and on the ps tasks; "" if for nothing: then the step computes. New.
static char *list_waits(const sl_session_manager_t *manager, const sl_members_t *members) {
  const sl_server_t *server = manager->options.server;
  sli_string_t waits = {0};
  int count = 0;
  for (size_t i = 0; i < members->count; i++) {
    const sl_member_t *member = &members->members[i];
    bool is_own = sl_server_is(server, member->job) && sl_server_task_index(server) == member->index;
    if (member->is_up && member->is_sluice && (is_own || strcmp(member->job, "ps") == 0))
      append_waits(member, &waits, &count);
  }
  return sli_string_take(&waits);
}

// Says for whom the step waits that began |seconds| ago, if a message is due.
static void report_wait(const sl_session_manager_t *manager, sli_session_guard_peers_t *peers,
                        const sl_members_t *members, double seconds) {
  if (seconds < peers->report_secs) return;
  sli_string_t silent = {0};
  for (size_t i = 0; i < members->count; i++) {
    const sl_member_t *member = &members->members[i];
    if (peers->items[i].missed < MISSED_REPLIES || !trains(member)) continue;
    sli_string_append_format(&silent, "%s%s/job:%s/task:%d at %s (%s)", silent.size ? ", " : "",
                             is_chief_member(manager, member) ? "the chief, " : "", member->job, member->index,
                             member->address, member->why);
  }
  char *waits = !silent.size && seconds >= BLOCKED_SECS ? list_waits(manager, members) : NULL;
  if (silent.size)
    sli_progress_print(manager->title, "a step has waited %.0f s; no reply from %s", seconds, sli_string_text(&silent));
  else if (waits && waits[0])
    sli_progress_print(manager->title, "a step has run for %.0f s; operations wait: %s", seconds, waits);
  if (silent.size || waits)
    peers->report_secs = seconds + (seconds < LONGEST_PAUSE_SECS ? seconds : LONGEST_PAUSE_SECS);
  free(waits);
  sli_string_deinitialize(&silent);
}

// Stops the training if the chief has not replied for too long in this step.
static void check_deadline(const sl_session_manager_t *manager, sli_session_guard_peers_t *peers,
                           const sl_members_t *members, sl_coordinator_t *coordinator) {
  for (size_t i = 0; i < members->count && !peers->chief_has_moved; i++) {
    const sl_member_t *member = &members->members[i];
    if (!is_chief_member(manager, member)) continue;
    if (member->is_up) peers->chief_nanos = peers->asked_nanos;
    double seconds = (double)(peers->asked_nanos - peers->chief_nanos) * 1e-9;
    if (seconds < sli_session_manager_max_wait_secs(manager)) continue;
    char *why = sli_format(
        "gave up waiting for the chief, /job:%s/task:%d at %s, which has not replied for %.0f s; "
        "start it again, or wait longer (max_wait_secs)",
        member->job, member->index, member->address, seconds);
    // The session is then closed, which ends the step.
    sl_coordinator_request_stop(coordinator, TF_DEADLINE_EXCEEDED, why);
    free(why);
  }
}

// --- The check ---

static void note_members(const sl_session_manager_t *manager, sli_session_guard_peers_t *peers, bool is_chief,
                         const sl_members_t *members) {
  if (!peers->items) peers->items = sli_calloc(members->count, sizeof(*peers->items));
  for (size_t i = 0; i < members->count; i++) {
    const sl_member_t *member = &members->members[i];
    sli_session_guard_peer_t *peer = &peers->items[i];
    peer->missed = member->is_up ? 0 : peer->missed + 1;
    if (is_chief && trains(member)) tell_change(manager, peer, member);
    if (member->is_up) peer->incarnation = member->incarnation;
  }
}

void sli_session_guard_check_peers(sli_session_guard_peers_t *peers, const sl_session_manager_t *manager, bool is_chief,
                                   const atomic_int_least64_t *step_nanos, sl_coordinator_t *coordinator) {
  TF_Server *server = sli_session_manager_server(manager);
  if (!server || sli_train_server_replica_count(manager->options.server) < 2) return;
  int64_t now = sli_clock_now_nanos(), began = atomic_load(step_nanos);
  if (began != peers->step_nanos) {
    peers->step_nanos = peers->chief_nanos = began;
    peers->report_secs = 0;
  }
  bool waits = began && now - began >= millis_to_nanos(LONG_STEP_MILLIS);
  if ((!is_chief && !waits) || now - peers->asked_nanos < millis_to_nanos(ASK_MILLIS)) return;
  TF_Status *status = TF_NewStatus();
  sl_members_t *members = sl_cluster_members(server, REPLY_MILLIS, status);
  TF_DeleteStatus(status);
  peers->asked_nanos = sli_clock_now_nanos();
  bool over = sl_coordinator_should_stop(coordinator) || sl_cluster_is_done(server);
  if (members && !over) {
    note_members(manager, peers, is_chief, members);
    if (waits && atomic_load(step_nanos) == began) {
      report_wait(manager, peers, members, (double)(peers->asked_nanos - began) * 1e-9);
      check_deadline(manager, peers, members, coordinator);
    }
  }
  sl_members_free(members);
}

void sli_session_guard_forget_peers(sli_session_guard_peers_t *peers) {
  free(peers->items);
  *peers = (sli_session_guard_peers_t){0};
}
