// Runs a synchronous optimizer: the hook of a training session. In the chief a thread
// takes gradients, updates the variables and enqueues tokens. It has its own session,
// so that giving up a step of the chief does not stop the other workers. In a program
// that runs alone a second session would have other variables, so the thread uses the
// training session. The session's guard reports a step that takes too long.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/plant.h"
#include "sluice/cluster.h"
#include "train/cluster/train_server.h"
#include "train/common/tf_session.h"
#include "train/common/tf_tensor.h"
#include "train/optimize/sync_replicas_internal.h"
#include "train/session/train_session.h"

typedef struct {
  sl_hook_t base;
  sli_sync_replicas_t *sync;
  // In the chief, while a session is open.
  sl_session_t *session;
  TF_Session *handle;
  bool alone;                       // |handle| is the training session and not deleted here
  bool was_here;                    // the ps tasks have a record of this replica: it was in this job before
  sl_coordinator_t *coordinator;    // of the one thread
  atomic_int_least64_t step_nanos;  // when the last step ended; 0: the thread does not run
  // Held by the guard while it uses |handle|, and to change |handle|.
  sli_mutex_t mutex;
  // Used by the guard only.
  int64_t reported_nanos;  // step_nanos of the step that was reported
  double report_secs;      // the age of that step at which it is reported again
  int64_t asked_nanos;     // when the members were last called
  int64_t quorum;          // that the ps tasks were told
  bool is_quorum_set;      // all ps tasks have replied to that
  int64_t *seen_nanos;     // when each replica last replied; 0: never. NULL if none ever leaves
  bool *has_come;          // used by the guard only: whether each replica was present before
  bool *was_up;            // used by the guard only: whether each replica has replied in any session
  // Written by the guard, read by the thread: whether each replica is present.
  atomic_bool *present;
  bool *counted;       // used by the guard only: whether the quorum counts on each replica
  int64_t count_at;    // used by the guard only: the step from which it counts on those that are back; 0: on all
  atomic_llong steps;  // that the thread has begun
} sync_hook_t;

// --- The chief's thread ---

// The number of tokens to enqueue for each queue; none to feed while all replicas are present.
static size_t feed_token_counts(sync_hook_t *hook, TF_Tensor **out_values) {
  const sli_sync_replicas_t *sync = hook->sync;
  int present = 0;
  for (int i = 0; i < sync->total; i++) present += !hook->present || atomic_load(&hook->present[i]);
  if (present == sync->total) return 0;
  for (size_t i = 0; i < sync->token_counts.count; i++) {
    int32_t count = sync->options.strict ? atomic_load(&hook->present[i]) : present;
    out_values[i] = sli_tf_tensor_copy(TF_INT32, SL_SHAPE(1), &count);
  }
  return sync->token_counts.count;
}

static int64_t run_chief_step(sync_hook_t *hook, TF_Status *status) {
  const sli_sync_replicas_t *sync = hook->sync;
  TF_Tensor **counts = sli_calloc(sync->token_counts.count, sizeof(*counts)), *value = NULL;
  size_t fed = feed_token_counts(hook, counts);
  const TF_Operation *target = fed ? sync->counted_op : sync->sync_op;
  int64_t step = 0;
  TF_SessionRun(hook->handle, NULL, sync->token_counts.items, counts, (int)fed, &sync->updated_step, &value, 1, &target,
                1, NULL, status);
  if (value) sli_tf_tensor_to_int64(value, 0, &step);
  if (value) TF_DeleteTensor(value);
  for (size_t i = 0; i < fed; i++) sli_tf_tensor_delete(counts[i]);
  free(counts);
  return step;
}

static void synchronize(void *context, sl_coordinator_t *coordinator) {
  sync_hook_t *hook = context;
  int64_t last = hook->session->options.stop_at_step;
  TF_Status *status = TF_NewStatus();
  while (!sl_coordinator_should_stop(coordinator) && TF_GetCode(status) == TF_OK) {
    atomic_store(&hook->step_nanos, sli_clock_now_nanos());
    atomic_fetch_add(&hook->steps, 1);
    int64_t step = run_chief_step(hook, status);
    // No variable changes between two steps: the versions of all ps tasks belong together.
    sli_session_backup_t *backup = &hook->session->manager->backup;
    if (TF_GetCode(status) == TF_OK && sli_session_backup_is_due(backup)) sli_session_backup_cut(backup, step);
    if (TF_GetCode(status) != TF_OK || !last || step < last) continue;
    // The last step is done: wake the workers, so that none waits for a token.
    sli_tf_session_run_operation(hook->handle, hook->sync->wake_op, status);
    break;
  }
  atomic_store(&hook->step_nanos, 0);
  bool ended = sl_coordinator_should_stop(coordinator) || (hook->alone && atomic_load(&hook->session->guard.closed));
  if (TF_GetCode(status) != TF_OK && !ended)
    sl_coordinator_request_stop(hook->session->coordinator, TF_GetCode(status), TF_Message(status));
  TF_DeleteStatus(status);
}

// --- Workers that leave and come back ---

// Sets how many gradients the accumulators of all ps tasks need; 0: as many as the steps require. A ps that does not
// reply is told again later.
static void set_quorum(sync_hook_t *hook, int64_t quorum) {
  enum { QUORUM_MILLIS = 2000 };
  const sl_server_t *server = hook->sync->server;
  hook->quorum = quorum;
  hook->is_quorum_set = true;
  for (int i = 0; i < sl_server_count(server, "ps"); i++) {
    TF_Status *status = TF_NewStatus();
    const char *address = sl_server_address(server, "ps", i);
    if (address) sl_cluster_set_quorum(address, NULL, NULL, quorum, QUORUM_MILLIS, status);
    // A ps may have no accumulator. The session notices a ps that is lost.
    hook->is_quorum_set = hook->is_quorum_set && TF_GetCode(status) != TF_DEADLINE_EXCEEDED;
    if (TF_GetCode(status) != TF_OK && TF_GetCode(status) != TF_NOT_FOUND && quorum)
      sl_session_say(hook->session, "cannot tell /job:ps/task:%d how many gradients a step needs: %s", i,
                     TF_Message(status));
    TF_DeleteStatus(status);
  }
}

// Of a job whose workers join and leave: how many must be there; 0: all are expected.
static int min_workers(const sync_hook_t *hook) { return sli_train_server_min_workers(hook->sync->server); }

// How many gradients a step takes from so many workers.
static int gradients_of(const sync_hook_t *hook, int workers) {
  int least = min_workers(hook);
  if (workers < least) workers = least;
  if (workers >= hook->sync->total) return hook->sync->aggregate;
  return workers < hook->sync->aggregate ? workers : hook->sync->aggregate;
}

// Sets the quorum for the workers that are counted.
static void apply_quorum(sync_hook_t *hook) {
  int workers = 0;
  for (int i = 0; i < hook->sync->total; i++) workers += hook->counted[i];
  int needed = gradients_of(hook, workers);
  set_quorum(hook, needed < hook->sync->aggregate ? needed : 0);
}

// A worker that leaves is not needed at once. One that is back needs a token first: the next step of the chief enqueues
// one for it, and the step after that counts on its gradient.
static void note_presence(sync_hook_t *hook, sl_session_t *session, int replica, bool present) {
  if (atomic_exchange(&hook->present[replica], present) == present) return;
  const sli_sync_replicas_t *sync = hook->sync;
  int count = 0;
  for (int i = 0; i < sync->total; i++) count += atomic_load(&hook->present[i]);
  char *name = sli_sync_replicas_replica_name(sync, replica);
  const char *what = !present ? "has left" : hook->has_come[replica] ? "is back" : "has joined";
  sl_session_say(session, "%s %s: a step now takes %d gradients", name, what, gradients_of(hook, count));
  hook->has_come[replica] = true;
  free(name);
  if (present) {
    hook->count_at = atomic_load(&hook->steps) + 2;
    return;
  }
  hook->counted[replica] = false;
  apply_quorum(hook);
  if (!sync->return_op) return;
  // Replaces the token that the worker may have held. If this fails, the session notices the lost ps.
  TF_Status *status = TF_NewStatus();
  sli_tf_session_run_operation(hook->handle, sync->return_op, status);
  TF_DeleteStatus(status);
}

// Counts on the workers that are back and have a token.
static void count_returned(sync_hook_t *hook) {
  if (!hook->count_at || atomic_load(&hook->steps) < hook->count_at) return;
  hook->count_at = 0;
  for (int i = 0; i < hook->sync->total; i++) hook->counted[i] = atomic_load(&hook->present[i]);
  apply_quorum(hook);
}

enum { REPLY_MILLIS = 1000 };

static sl_members_t *ask_members(const sync_hook_t *hook) {
  if (!hook->sync->server || !sl_server_handle(hook->sync->server)) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_members_t *members = sl_cluster_members(sl_server_handle(hook->sync->server), REPLY_MILLIS, status);
  TF_DeleteStatus(status);
  return members;
}

// The member |name|, "/job:worker/task:1"; NULL if there is none.
static const sl_member_t *find_member(const sl_members_t *members, const char *name) {
  const sl_member_t *found = NULL;
  for (size_t i = 0; members && i < members->count && !found; i++) {
    const sl_member_t *member = &members->members[i];
    char *whole = sli_format("/job:%s/task:%d", member->job, member->index);
    if (strcmp(whole, name) == 0) found = member;
    free(whole);
  }
  return found;
}

// After how long a silent worker leaves; 0: never.
static double leave_secs(const sli_sync_replicas_t *sync) {
  double given = sync->options.leave_secs;
  return given > 0 ? given : given < 0 ? 0 : sli_train_server_worker_lost_secs(sync->server);
}

// Whether |replica| has taken part: one that never came is waited for, unless the program has set leave_secs. The first
// chief has, if this task has its place: the record of that may be gone with a ps.
static bool has_taken_part(const sync_hook_t *hook, int replica, TF_Session *handle) {
  if (hook->sync->options.leave_secs > 0 || (replica == 0 && !hook->sync->is_chief)) return true;
  TF_Status *status = TF_NewStatus();
  sl_replica_counts_t counts = sli_sync_replicas_read_record(&hook->sync->records[replica], handle, status);
  bool known = TF_GetCode(status) == TF_OK && counts.is_known;
  TF_DeleteStatus(status);
  return known;
}

// Notes when the replica was last seen. One that joins is seen when it has prepared its record: only then it trains.
// One that leaves in order is not waited for.
static void note_reply(sync_hook_t *hook, int replica, const sl_member_t *member, int64_t now) {
  enum { LONG_AGO = 1 };
  int64_t *seen = &hook->seen_nanos[replica];
  bool joins = min_workers(hook) > 0;
  if (member->is_up) hook->was_up[replica] = true;
  if (joins && !*seen) {
    if (member->is_up && has_taken_part(hook, replica, hook->handle)) *seen = now;
  } else if (member->is_up || (!*seen && has_taken_part(hook, replica, hook->handle))) {
    *seen = now;
  } else if (joins && atomic_load(&hook->present[replica]) && sli_session_guard_has_left(hook->sync->server, member)) {
    *seen = LONG_AGO;
  }
}

static bool is_present(const sync_hook_t *hook, int replica, int64_t now) {
  int64_t seen = hook->seen_nanos[replica];
  if (!seen) return min_workers(hook) == 0;  // it has never come: it is waited for
  return (double)(now - seen) * 1e-9 < leave_secs(hook->sync);
}

static void check_members(sync_hook_t *hook, sl_session_t *session) {
  enum { EVERY_NANOS = 1000000000 };
  sli_sync_replicas_t *sync = hook->sync;
  int64_t now = sli_clock_now_nanos();
  if (!hook->present) return;
  count_returned(hook);
  if (now - hook->asked_nanos < EVERY_NANOS) return;
  hook->asked_nanos = now;
  if (!hook->is_quorum_set) set_quorum(hook, hook->quorum);
  sl_members_t *members = ask_members(hook);
  for (int i = 0; members && i < sync->total; i++) {
    char *name = sli_sync_replicas_replica_name(sync, i);
    const sl_member_t *member = find_member(members, name);
    if (member) note_reply(hook, i, member, now);
    free(name);
    note_presence(hook, session, i, i == sync->replica || is_present(hook, i, now));
  }
  sl_members_free(members);
}

static void begin_members(sync_hook_t *hook) {
  enum { SHORT_SECS = 5 };
  sli_sync_replicas_t *sync = hook->sync;
  double secs = leave_secs(sync);
  if (secs <= 0 || !sync->server || !sl_server_handle(sync->server)) return;
  if (!hook->present) {
    hook->present = sli_calloc((size_t)sync->total, sizeof(*hook->present));
    hook->counted = sli_calloc((size_t)sync->total, sizeof(*hook->counted));
    hook->seen_nanos = sli_calloc((size_t)sync->total, sizeof(*hook->seen_nanos));
    hook->has_come = sli_calloc((size_t)sync->total, sizeof(*hook->has_come));
    hook->was_up = sli_calloc((size_t)sync->total, sizeof(*hook->was_up));
  }
  // If this task has taken the place of a silent chief, that one is not waited for again.
  bool moved = atomic_load(&hook->session->claim.has_moved) && secs > SHORT_SECS;
  int64_t seen = sli_clock_now_nanos() - (moved ? (int64_t)((secs - SHORT_SECS) * 1e9) : 0);
  for (int i = 0; i < sync->total; i++) {
    // A ps that was lost has forgotten who took part.
    bool was_up = min_workers(hook) == 0 && hook->was_up[i];
    hook->seen_nanos[i] = was_up || has_taken_part(hook, i, hook->session->handle) ? seen : 0;
    bool is_expected = min_workers(hook) == 0 || hook->seen_nanos[i] || i == sync->replica;
    atomic_store(&hook->present[i], is_expected);
    hook->counted[i] = is_expected;
    hook->has_come[i] = hook->has_come[i] || is_expected;
  }
  hook->count_at = 0;
  apply_quorum(hook);
}

// --- Beginning and ending ---

// The record of this replica survives its restarts; a new ps has none. If there is a record, this worker may have died
// with a token before: it is enqueued again, else the other workers could wait for it without end.
static void prepare_record(sync_hook_t *hook, TF_Session *session, TF_Status *status) {
  const sli_sync_replicas_t *sync = hook->sync;
  const sli_sync_replicas_record_t *record = &sync->records[sync->replica];
  TF_Tensor *there = sli_tf_session_fetch(session, record->has_counts, status);
  hook->was_here = there && *(const bool *)TF_TensorData(there);
  if (there && !hook->was_here)
    sli_tf_session_run_operation(session, record->initializer, status);
  else if (there && sync->return_op)
    sli_tf_session_run_operation(session, sync->return_op, status);
  if (there) TF_DeleteTensor(there);
}

// Tokens of an earlier chief are still valid. If the training continues, workers may wait for a token and are woken; if
// each worker adds several gradients to a step, more tokens are needed for the first step.
static void give_first_tokens(sync_hook_t *hook, sl_session_t *session, TF_Status *status) {
  const sli_sync_replicas_t *sync = hook->sync;
  int64_t count = sli_tf_session_fetch_int64(session->handle, sync->waiting_tokens, status);
  // Also a first step that a task was lost in: the ps may have lost the record of this replica with it.
  const sl_session_manager_t *manager = session->manager;
  bool goes_on = session->step > 0 || hook->was_here || manager->restored || manager->continued;
  if (TF_GetCode(status) != TF_OK || count > sync->total || (count > 0 && !goes_on) || SLI_PLANT("no_tokens")) return;
  bool wakes = goes_on && !hook->alone;
  if (wakes) sli_tf_session_run_operation(session->handle, sync->wake_op, status);
  if (TF_GetCode(status) == TF_OK && (!wakes || sync->aggregate > sync->total))
    sli_tf_session_run_operation(session->handle, sync->info.init_tokens_op, status);
}

static void set_handle(sync_hook_t *hook, TF_Session *handle) {
  sli_mutex_lock(&hook->mutex);
  hook->handle = handle;
  sli_mutex_unlock(&hook->mutex);
}

static void sync_created(sl_hook_t *base, sl_session_t *session) {
  sync_hook_t *hook = (sync_hook_t *)base;
  bool is_chief = session->is_chief && hook->sync->may_be_chief;
  hook->alone = !sli_session_manager_is_remote(session->manager);
  TF_Status *status = TF_NewStatus();
  prepare_record(hook, session->handle, status);
  if (TF_GetCode(status) == TF_OK)
    sli_tf_session_run_operation(session->handle, hook->sync->init_ops[is_chief], status);
  if (is_chief && TF_GetCode(status) == TF_OK) give_first_tokens(hook, session, status);
  int64_t last = session->options.stop_at_step;
  bool nothing_to_do = last && session->step >= last;
  TF_Session *handle = NULL;
  if (is_chief && !nothing_to_do && TF_GetCode(status) == TF_OK)
    handle = hook->alone ? session->handle
                         : sli_session_manager_create_session(session->manager, session->scope->graph, 0, status);
  if (handle) {
    hook->session = session;
    begin_members(hook);
    set_handle(hook, handle);
    hook->coordinator = sl_coordinator_create();
    sl_coordinator_start_thread(hook->coordinator, "sync_replicas", synchronize, hook);
  }
  sl_session_fail(session, status);
  TF_DeleteStatus(status);
}

static void stop_thread(sync_hook_t *hook) {
  TF_Session *handle = hook->handle;
  if (!handle) return;
  sl_coordinator_request_stop(hook->coordinator, TF_OK, NULL);
  TF_Status *status = TF_NewStatus();
  TF_CloseSession(handle, status);  // ends the steps of the thread and the guard
  TF_DeleteStatus(status);
  sl_coordinator_release(hook->coordinator);
  hook->coordinator = NULL;
  set_handle(hook, NULL);
  if (!hook->alone) sli_tf_session_delete(handle);
}

static void sync_before_close(sl_hook_t *base, sl_session_t *session) { stop_thread((sync_hook_t *)base); }

// "/job:worker/task:1: 500 accepted, 3 stale; …"
static void print_counts(const sync_hook_t *hook, sl_session_t *session) {
  sli_string_t text = {0};
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < hook->sync->total && TF_GetCode(status) == TF_OK; i++) {
    sl_replica_counts_t counts = sli_sync_replicas_read_record(&hook->sync->records[i], session->handle, status);
    char *name = sli_sync_replicas_replica_name(hook->sync, i);
    sli_string_append_format(&text, "%s %s: ", i ? ";" : "", name);
    if (counts.seen)
      sli_string_append_format(&text, "%lld accepted, %lld stale", (long long)counts.accepted, (long long)counts.stale);
    else
      sli_string_append_text(&text, "not counted");  // for example a worker in Python
    free(name);
  }
  if (TF_GetCode(status) == TF_OK) sl_session_say(session, "gradients of%s", sli_string_text(&text));
  TF_DeleteStatus(status);
  sli_string_deinitialize(&text);
}

static void sync_end(sl_hook_t *base, sl_session_t *session) {
  sync_hook_t *hook = (sync_hook_t *)base;
  if (!hook->alone) stop_thread(hook);  // it would wait for gradients that no worker sends any more
  if (!session->is_chief || !hook->sync->may_be_chief) return;
  // Workers in Python are not notified that the job is done.
  TF_Status *status = TF_NewStatus();
  sli_tf_session_run_operation(session->handle, hook->sync->wake_op, status);
  sl_session_fail(session, status);
  TF_DeleteStatus(status);
  // If a task was lost with that, there is no session to read from.
  if (session->handle && session->options.log_steps >= 0) print_counts(hook, session);
}

// --- A step that takes too long ---

static double stall_secs(const sync_hook_t *hook) {
  double given = hook->sync->options.stall_secs;
  return given != 0 ? given : 8;
}

static int64_t read_number(sync_hook_t *hook, TF_Output output, TF_Status *status) {
  return TF_GetCode(status) == TF_OK ? sli_tf_session_fetch_int64(hook->handle, output, status) : 0;
}

// The smallest number of gradients in any accumulator.
static int64_t read_gradient_count(sync_hook_t *hook, TF_Status *status) {
  const sli_outputs_t *accumulated = &hook->sync->accumulated;
  int64_t fewest = accumulated->count ? INT64_MAX : 0;
  for (size_t i = 0; i < accumulated->count; i++) {
    int64_t count = read_number(hook, accumulated->items[i], status);
    if (count < fewest) fewest = count;
  }
  return fewest;
}

typedef struct {
  sli_string_t missing;  // replicas without a gradient, and why
  sli_string_t silent;   // replicas that do not report
} stall_report_t;

// Without a record it is only known whether the task of the replica replies.
static void add_replica(stall_report_t *stall, const char *name, const sl_replica_counts_t *counts,
                        const sl_member_t *member) {
  bool is_gone = member && !member->is_up;
  sli_string_t *list = counts->is_known || is_gone ? &stall->missing : &stall->silent;
  sli_string_append_format(list, "%s%s", list->size ? ", " : "", name);
  if (is_gone)
    sli_string_append_format(list, " (no reply from %s)", member->address);
  else if (counts->seen)
    sli_string_append_format(list, " (last gradient at step %lld)", (long long)counts->last_step);
  else if (counts->is_known)
    sli_string_append_text(list, " (no gradient yet)");
}

static void report_stall(sync_hook_t *hook, sl_session_t *session, double seconds) {
  sli_sync_replicas_t *sync = hook->sync;
  stall_report_t stall = {0};
  sl_members_t *members = ask_members(hook);
  TF_Status *status = TF_NewStatus();
  int64_t step = read_number(hook, session->global_step, status), count = read_gradient_count(hook, status);
  for (int i = 0; i < sync->total && TF_GetCode(status) == TF_OK; i++) {
    sl_replica_counts_t counts = sli_sync_replicas_read_record(&sync->records[i], hook->handle, status);
    if (TF_GetCode(status) != TF_OK || (counts.seen && counts.last_step >= step)) continue;
    char *name = sli_sync_replicas_replica_name(sync, i);
    add_replica(&stall, name, &counts, find_member(members, name));
    free(name);
  }
  bool nobody = !stall.missing.size && !stall.silent.size;
  if (TF_GetCode(status) == TF_OK)
    sl_session_say(session, "global step %lld has waited %.0f s for %d gradients and has %lld%s%s%s%s%s",
                   (long long)step, seconds, sync->aggregate, (long long)count,
                   stall.missing.size || nobody ? "; missing: " : "",
                   nobody ? "none, but a task may be slow or stopped" : sli_string_text(&stall.missing),
                   stall.silent.size ? "; unknown: " : "", sli_string_text(&stall.silent),
                   stall.silent.size ? ", which does not report its gradients (TensorFlow's own workers do not)" : "");
  sl_members_free(members);
  TF_DeleteStatus(status);
  sli_string_deinitialize(&stall.missing);
  sli_string_deinitialize(&stall.silent);
}

// Whether every replica that is present waits for a token, of the ps tasks' queues.
static bool do_all_wait(const sync_hook_t *hook) {
  const sli_sync_replicas_t *sync = hook->sync;
  const sl_server_t *server = sync->server;
  bool *waits = sli_calloc((size_t)sync->total, sizeof(bool));
  int64_t waiting = 0, missing = 0;
  for (int i = 0; server && i < sl_server_count(server, "ps"); i++) {
    const char *address = sl_server_address(server, "ps", i);
    TF_Status *status = TF_NewStatus();
    sl_task_status_t *ps = address ? sl_cluster_status(address, REPLY_MILLIS, 0, status) : NULL;
    for (size_t k = 0; ps && k < ps->queue_count; k++) {
      int replica = -1;
      if (sync->options.strict && sscanf(ps->queues[k].name, "sync_token_q_%d", &replica) == 1 && replica >= 0 &&
          replica < sync->total)
        waits[replica] = ps->queues[k].waiting_dequeues > 0;
      if (strcmp(ps->queues[k].name, "sync_token_q") == 0) waiting += ps->queues[k].waiting_dequeues;
    }
    sl_task_status_free(ps);
    TF_DeleteStatus(status);
  }
  for (int i = 0; i < sync->total; i++) {
    bool present = !hook->present || atomic_load(&hook->present[i]);
    missing += present && !(sync->options.strict ? waits[i] : waiting-- > 0);
  }
  free(waits);
  return missing == 0;
}

// A step waits for gradients, and all who could add one wait for a token: the tokens of a step were lost with a task,
// or a gradient was. New tokens let everybody go on.
static void wake_all(sync_hook_t *hook, sl_session_t *session) {
  if (hook->alone || SLI_PLANT("no_tokens") || !do_all_wait(hook)) return;
  sl_session_say(session, "every worker waits for a token that was lost: they get new ones");
  TF_Status *status = TF_NewStatus();  // the session notices a ps that is lost
  sli_tf_session_run_operation(hook->handle, hook->sync->wake_op, status);
  TF_DeleteStatus(status);
}

static void destroy_hook(void *object) {
  sync_hook_t *hook = object;
  free(hook->present);
  free(hook->counted);
  free(hook->has_come);
  free(hook->was_up);
  free(hook->seen_nanos);
  sli_mutex_deinitialize(&hook->mutex);
  free(hook);
}

static void check_stall(sync_hook_t *hook, sl_session_t *session) {
  enum { LONGEST_PAUSE_SECS = 60 };
  if (!sli_train_session_is_over(session)) check_members(hook, session);
  int64_t since = atomic_load(&hook->step_nanos);
  if (!since || stall_secs(hook) < 0 || sli_train_session_is_over(session)) return;
  double seconds = (double)(sli_clock_now_nanos() - since) * 1e-9;
  if (seconds < (since == hook->reported_nanos ? hook->report_secs : stall_secs(hook))) return;
  hook->reported_nanos = since;
  hook->report_secs = seconds + (seconds < LONGEST_PAUSE_SECS ? seconds : LONGEST_PAUSE_SECS);
  report_stall(hook, session, seconds);
  wake_all(hook, session);
}

static void sync_watch(sl_hook_t *base, sl_session_t *session) {
  sync_hook_t *hook = (sync_hook_t *)base;
  sli_mutex_lock(&hook->mutex);
  if (hook->handle) check_stall(hook, session);
  sli_mutex_unlock(&hook->mutex);
}

void sli_sync_replicas_add_hook(sli_sync_replicas_t *sync) {
  sync_hook_t *hook = sli_calloc(1, sizeof(*hook));
  sli_mutex_initialize(&hook->mutex);
  hook->base = (sl_hook_t){.struct_size = sizeof(sl_hook_t),
                           .after_create_session = sync_created,
                           .end = sync_end,
                           .before_close = sync_before_close,
                           .watch = sync_watch};
  hook->sync = sync;
  sli_scope_own(sync->scope, hook, destroy_hook);
  sli_array_push(&sync->scope->hooks, &hook->base);
}
