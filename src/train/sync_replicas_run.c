// Running a synchronous optimizer: what its hook does around a training session.
// The chief takes gradients, updates and gives out tokens in a thread, on a
// session of its own, so that giving up a step of the chief's does not stop the
// others. A program alone has no others, and a second session within a process
// would have other variables: there the thread runs on the training session. A
// step that does not come is looked into by the session's guard.
#include <stdlib.h>

#include "base/clock.h"
#include "sluice/cluster.h"
#include "train/session_internal.h"
#include "train/sync_replicas_internal.h"
#include "train/tensor.h"

typedef struct {
  sl_hook_t base;
  sli_sync_replicas_t *sync;
  // The chief's, while a session is open.
  sl_session_t *session;
  TF_Session *handle;
  bool alone;                       // |handle| is the training session's, which deletes it
  sl_coordinator_t *coordinator;    // of the one thread
  atomic_int_least64_t step_nanos;  // when the last step was done; 0: none is being waited for
  // Held by the guard while it looks, and to change |handle| under it.
  sli_mutex_t mutex;
  // The guard's.
  bool reported;  // the step that is waited for
  int64_t reported_nanos;
  int64_t asked_nanos;  // when the members were last asked
  int64_t *seen_nanos;  // when each replica last answered; leave_secs only
  // From the guard to the thread: whether each replica counts.
  atomic_bool *present;
} sync_hook_t;

static void run_operation(TF_Session *session, const TF_Operation *operation, TF_Status *status) {
  TF_SessionRun(session, NULL, NULL, NULL, 0, NULL, NULL, 0, &operation, 1, NULL, status);
}

// --- The chief's thread ---

// How many tokens the step gives out, for each queue; empty while all replicas are there.
static size_t feed_token_counts(sync_hook_t *hook, TF_Tensor **out_values) {
  const sli_sync_replicas_t *sync = hook->sync;
  int present = 0;
  for (int i = 0; i < sync->total; i++) present += !hook->present || atomic_load(&hook->present[i]);
  if (present == sync->total) return 0;
  for (size_t i = 0; i < sync->token_counts.count; i++) {
    int32_t count = sync->options.strict ? atomic_load(&hook->present[i]) : present;
    out_values[i] = sli_tensor_copy(TF_INT32, SL_SHAPE(1), &count);
  }
  return sync->token_counts.count;
}

static int64_t run_chief_step(sync_hook_t *hook, TF_Status *status) {
  const sli_sync_replicas_t *sync = hook->sync;
  const TF_Operation *target = sync->sync_op;
  TF_Tensor **counts = sli_calloc(sync->token_counts.count, sizeof(*counts)), *value = NULL;
  size_t fed = feed_token_counts(hook, counts);
  int64_t step = 0;
  TF_SessionRun(hook->handle, NULL, sync->token_counts.items, counts, (int)fed, &sync->updated_step, &value, 1, &target,
                1, NULL, status);
  if (value) sli_tensor_to_int64(value, 0, &step);
  if (value) TF_DeleteTensor(value);
  for (size_t i = 0; i < fed; i++) sli_tensor_delete(counts[i]);
  free(counts);
  return step;
}

static void synchronize(void *context, sl_coordinator_t *coordinator) {
  sync_hook_t *hook = context;
  int64_t last = hook->session->options.stop_at_step;
  TF_Status *status = TF_NewStatus();
  while (!sl_coordinator_should_stop(coordinator) && TF_GetCode(status) == TF_OK) {
    atomic_store(&hook->step_nanos, sli_now_nanos());
    int64_t step = run_chief_step(hook, status);
    if (TF_GetCode(status) != TF_OK || !last || step < last) continue;
    // The last step is done: nobody shall wait for a token, nor make another step.
    run_operation(hook->handle, hook->sync->wake_op, status);
    break;
  }
  atomic_store(&hook->step_nanos, 0);
  bool ended = sl_coordinator_should_stop(coordinator) || (hook->alone && atomic_load(&hook->session->guard.closed));
  if (TF_GetCode(status) != TF_OK && !ended)
    sl_coordinator_request_stop(hook->session->coordinator, TF_GetCode(status), TF_Message(status));
  TF_DeleteStatus(status);
}

// --- Workers that leave ---

// Tells the accumulators of all ps tasks how many gradients have to do; 0: as many as the steps ask for.
static void set_quorum(sync_hook_t *hook, int64_t quorum) {
  enum { TELL_MILLIS = 2000 };
  const sl_server_t *server = hook->sync->server;
  for (int i = 0; i < sl_server_count(server, "ps"); i++) {
    TF_Status *status = TF_NewStatus();
    const char *address = sl_server_address(server, "ps", i);
    if (address) sl_cluster_set_quorum(address, NULL, NULL, quorum, TELL_MILLIS, status);
    // A ps need not have an accumulator; one that is lost is the session's to find out.
    if (TF_GetCode(status) != TF_OK && TF_GetCode(status) != TF_NOT_FOUND && quorum)
      sl_session_say(hook->session, "/job:ps/task:%d cannot be told how many gradients have to do: %s", i,
                     TF_Message(status));
    TF_DeleteStatus(status);
  }
}

static void note_presence(sync_hook_t *hook, sl_session_t *session, int replica, bool present) {
  if (atomic_exchange(&hook->present[replica], present) == present) return;
  const sli_sync_replicas_t *sync = hook->sync;
  int count = 0;
  for (int i = 0; i < sync->total; i++) count += atomic_load(&hook->present[i]);
  char *name = sli_sync_replicas_name(sync, replica);
  int needed = count < sync->aggregate ? count : sync->aggregate;
  sl_session_say(session, "%s %s: a step now takes %d gradients", name, present ? "is back" : "has left", needed);
  free(name);
  set_quorum(hook, needed < sync->aggregate ? needed : 0);
  if (present || !sync->return_op) return;
  TF_Status *status = TF_NewStatus();  // the token that it may have held; if the ps is lost, so is the session
  run_operation(hook->handle, sync->return_op, status);
  TF_DeleteStatus(status);
}

enum { ANSWER_MILLIS = 1000 };

static sl_members_t *ask_members(const sync_hook_t *hook) {
  if (!hook->sync->server || !sl_server_handle(hook->sync->server)) return NULL;
  TF_Status *status = TF_NewStatus();
  sl_members_t *members = sl_cluster_members(sl_server_handle(hook->sync->server), ANSWER_MILLIS, status);
  TF_DeleteStatus(status);
  return members;
}

// The member called |name|, "/job:worker/task:1"; NULL if there is none.
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

static void look_for_members(sync_hook_t *hook, sl_session_t *session) {
  enum { EVERY_NANOS = 1000000000 };
  sli_sync_replicas_t *sync = hook->sync;
  int64_t now = sli_now_nanos();
  if (!hook->present || now - hook->asked_nanos < EVERY_NANOS) return;
  hook->asked_nanos = now;
  sl_members_t *members = ask_members(hook);
  for (int i = 0; members && i < sync->total; i++) {
    char *name = sli_sync_replicas_name(sync, i);
    const sl_member_t *member = find_member(members, name);
    if (member && member->is_up) hook->seen_nanos[i] = now;
    free(name);
    note_presence(hook, session, i, (double)(now - hook->seen_nanos[i]) * 1e-9 < sync->options.leave_secs);
  }
  sl_members_free(members);
}

static void begin_members(sync_hook_t *hook) {
  sli_sync_replicas_t *sync = hook->sync;
  if (sync->options.leave_secs <= 0 || !sync->server || !sl_server_handle(sync->server)) return;
  if (!hook->present) {
    hook->present = sli_calloc((size_t)sync->total, sizeof(*hook->present));
    hook->seen_nanos = sli_calloc((size_t)sync->total, sizeof(*hook->seen_nanos));
  }
  for (int i = 0; i < sync->total; i++) {
    atomic_store(&hook->present[i], true);
    hook->seen_nanos[i] = sli_now_nanos();
  }
  set_quorum(hook, 0);
}

// --- Beginning and ending ---

// This replica's record is kept over its own restarts; a new ps has none. An earlier life may have died with a token,
// which is given back: else the others could wait for it for ever.
static void prepare_record(sync_hook_t *hook, TF_Session *session, TF_Status *status) {
  const sli_sync_replicas_t *sync = hook->sync;
  const sli_replica_record_t *record = &sync->records[sync->replica];
  TF_Tensor *there = NULL;
  TF_SessionRun(session, NULL, NULL, NULL, 0, &record->has_counts, &there, 1, NULL, 0, NULL, status);
  if (there && !*(const bool *)TF_TensorData(there))
    run_operation(session, record->initializer, status);
  else if (there && sync->return_op)
    run_operation(session, sync->return_op, status);
  if (there) TF_DeleteTensor(there);
}

// Tokens of an earlier chief are as good as new ones. A model that goes on may have workers that wait for one; if each
// gives several gradients to a step, that is not enough for the first.
static void give_first_tokens(sync_hook_t *hook, sl_session_t *session, TF_Status *status) {
  const sli_sync_replicas_t *sync = hook->sync;
  TF_Tensor *waiting = NULL;
  int64_t count = 0;
  TF_SessionRun(session->handle, NULL, NULL, NULL, 0, &sync->waiting_tokens, &waiting, 1, NULL, 0, NULL, status);
  if (waiting) sli_tensor_to_int64(waiting, 0, &count);
  if (waiting) TF_DeleteTensor(waiting);
  bool goes_on = session->step > 0;
  if (TF_GetCode(status) != TF_OK || count > sync->total || (count > 0 && !goes_on)) return;
  bool wakes = goes_on && !hook->alone;
  if (wakes) run_operation(session->handle, sync->wake_op, status);
  if (TF_GetCode(status) == TF_OK && (!wakes || sync->aggregate > sync->total))
    run_operation(session->handle, sync->info.init_tokens_op, status);
}

static void set_handle(sync_hook_t *hook, TF_Session *handle) {
  sli_mutex_lock(&hook->mutex);
  hook->handle = handle;
  sli_mutex_unlock(&hook->mutex);
}

static void sync_created(sl_hook_t *base, sl_session_t *session) {
  sync_hook_t *hook = (sync_hook_t *)base;
  bool is_chief = hook->sync->is_chief;
  hook->alone = !sli_manager_server(session->manager);
  TF_Status *status = TF_NewStatus();
  prepare_record(hook, session->handle, status);
  if (TF_GetCode(status) == TF_OK) run_operation(session->handle, hook->sync->init_op, status);
  if (is_chief && TF_GetCode(status) == TF_OK) give_first_tokens(hook, session, status);
  int64_t last = session->options.stop_at_step;
  bool nothing_to_do = last && session->step >= last;
  TF_Session *handle = NULL;
  if (is_chief && !nothing_to_do && TF_GetCode(status) == TF_OK)
    handle =
        hook->alone ? session->handle : sli_manager_new_session(session->manager, session->scope->graph, 0, status);
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
  TF_CloseSession(handle, status);  // ends what the thread and the guard run on it
  TF_DeleteStatus(status);
  sl_coordinator_release(hook->coordinator);
  hook->coordinator = NULL;
  set_handle(hook, NULL);
  if (!hook->alone) sli_session_delete(handle);
}

static void sync_before_close(sl_hook_t *base, sl_session_t *session) { stop_thread((sync_hook_t *)base); }

// "/job:worker/task:1: 500 accepted, 3 stale; …"
static void say_counts(const sync_hook_t *hook, sl_session_t *session) {
  sli_string_t text = {0};
  TF_Status *status = TF_NewStatus();
  for (int i = 0; i < hook->sync->total && TF_GetCode(status) == TF_OK; i++) {
    sl_replica_counts_t counts = sli_replica_record_read(&hook->sync->records[i], session->handle, status);
    char *name = sli_sync_replicas_name(hook->sync, i);
    sli_string_append_format(&text, "%s %s: ", i ? ";" : "", name);
    if (counts.seen)
      sli_string_append_format(&text, "%lld accepted, %lld stale", (long long)counts.accepted, (long long)counts.stale);
    else
      sli_string_append_text(&text, "not counted");  // a worker in Python, say
    free(name);
  }
  if (TF_GetCode(status) == TF_OK) sl_session_say(session, "gradients of%s", sli_string_text(&text));
  TF_DeleteStatus(status);
  sli_string_deinitialize(&text);
}

static void sync_end(sl_hook_t *base, sl_session_t *session) {
  sync_hook_t *hook = (sync_hook_t *)base;
  if (!hook->alone) stop_thread(hook);  // else it waits for gradients that nobody gives any more
  if (!hook->sync->is_chief) return;
  // Workers in Python do not hear that the job is done.
  TF_Status *status = TF_NewStatus();
  run_operation(session->handle, hook->sync->wake_op, status);
  sl_session_fail(session, status);
  TF_DeleteStatus(status);
  if (session->options.log_steps >= 0) say_counts(hook, session);
}

// --- A step that does not come ---

static double stall_secs(const sync_hook_t *hook) {
  double given = hook->sync->options.stall_secs;
  return given != 0 ? given : 60;
}

static int64_t read_number(sync_hook_t *hook, TF_Output output, TF_Status *status) {
  int64_t number = 0;
  TF_Tensor *value = NULL;
  if (TF_GetCode(status) != TF_OK) return 0;
  TF_SessionRun(hook->handle, NULL, NULL, NULL, 0, &output, &value, 1, NULL, 0, NULL, status);
  if (value) sli_tensor_to_int64(value, 0, &number);
  if (value) TF_DeleteTensor(value);
  return number;
}

// How many gradients are there for all variables.
static int64_t count_gradients(sync_hook_t *hook, TF_Status *status) {
  const sli_outputs_t *accumulated = &hook->sync->accumulated;
  int64_t fewest = accumulated->count ? INT64_MAX : 0;
  for (size_t i = 0; i < accumulated->count; i++) {
    int64_t count = read_number(hook, accumulated->items[i], status);
    if (count < fewest) fewest = count;
  }
  return fewest;
}

typedef struct {
  sli_string_t missing;  // whose gradient is surely not there, and why
  sli_string_t silent;   // who may have given one or not
} stall_t;

// Of a replica without a record no more is known than whether its task answers.
static void look_at_replica(stall_t *stall, const char *name, const sl_replica_counts_t *counts,
                            const sl_member_t *member) {
  bool is_gone = member && !member->is_up;
  sli_string_t *list = counts->is_known || is_gone ? &stall->missing : &stall->silent;
  sli_string_append_format(list, "%s%s", list->size ? ", " : "", name);
  if (is_gone)
    sli_string_append_format(list, " (nobody answers at %s)", member->address);
  else if (counts->seen)
    sli_string_append_format(list, " (last gradient at step %lld)", (long long)counts->last_step);
  else if (counts->is_known)
    sli_string_append_text(list, " (no gradient yet)");
}

static void report_stall(sync_hook_t *hook, sl_session_t *session, double seconds) {
  sli_sync_replicas_t *sync = hook->sync;
  stall_t stall = {0};
  sl_members_t *members = ask_members(hook);
  TF_Status *status = TF_NewStatus();
  int64_t step = read_number(hook, session->global_step, status), count = count_gradients(hook, status);
  for (int i = 0; i < sync->total && TF_GetCode(status) == TF_OK; i++) {
    sl_replica_counts_t counts = sli_replica_record_read(&sync->records[i], hook->handle, status);
    if (TF_GetCode(status) != TF_OK || (counts.seen && counts.last_step >= step)) continue;
    char *name = sli_sync_replicas_name(sync, i);
    look_at_replica(&stall, name, &counts, find_member(members, name));
    free(name);
  }
  bool nobody = !stall.missing.size && !stall.silent.size;
  if (TF_GetCode(status) == TF_OK)
    sl_session_say(session, "global step %lld waits since %.0f s for %d gradients and has %lld%s%s%s%s%s",
                   (long long)step, seconds, sync->aggregate, (long long)count,
                   stall.missing.size || nobody ? "; missing: " : "",
                   nobody ? "none, a task may be slow or stopped" : sli_string_text(&stall.missing),
                   stall.silent.size ? "; not known of " : "", sli_string_text(&stall.silent),
                   stall.silent.size ? ", which tells nothing of its gradients (TensorFlow's own workers do not)" : "");
  sl_members_free(members);
  TF_DeleteStatus(status);
  sli_string_deinitialize(&stall.missing);
  sli_string_deinitialize(&stall.silent);
}

static void release(void *object) {
  sync_hook_t *hook = object;
  free(hook->present);
  free(hook->seen_nanos);
  sli_mutex_deinitialize(&hook->mutex);
  free(hook);
}

static void watch(sync_hook_t *hook, sl_session_t *session) {
  if (!sli_session_is_over(session)) look_for_members(hook, session);
  int64_t since = atomic_load(&hook->step_nanos);
  if (!since || stall_secs(hook) < 0 || sli_session_is_over(session)) return;
  if (since != hook->reported_nanos) hook->reported = false;
  double seconds = (double)(sli_now_nanos() - since) * 1e-9;
  if (hook->reported || seconds < stall_secs(hook)) return;
  hook->reported = true;
  hook->reported_nanos = since;
  report_stall(hook, session, seconds);
}

static void sync_watch(sl_hook_t *base, sl_session_t *session) {
  sync_hook_t *hook = (sync_hook_t *)base;
  sli_mutex_lock(&hook->mutex);
  if (hook->handle) watch(hook, session);
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
  sli_scope_own(sync->scope, hook, release);
  sli_array_push(&sync->scope->hooks, &hook->base);
}
