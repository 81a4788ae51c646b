// sluice/kv.h: connecting, the updater, bound keys, clocks and barriers. The calls are in kv_call.c.
#include <stdlib.h>

#include "base/alloc.h"
#include "capi/capi.h"
#include "capi/kv_internal.h"
#include "dist/client/control_client.h"
#include "dist/client/peer_wait.h"
#include "dist/env/env_process.h"
#include "proto/proto.h"
#include "proto/store.pb-c.h"

enum {
  TIMEOUT_MILLIS = 60000,
  MAX_PENDING_CALLS = 256,
  REPLY_MILLIS = 5000,  // longer than the server's own timeout, whose error says more
};
#define MAX_PENDING_BYTES (INT64_C(256) << 20)
#define NO_LIMIT_MILLIS (INT64_C(1000) * 3600 * 24 * 365)

int64_t sli_capi_kv_deadline(const sl_kv_t *kv, int64_t millis) {
  if (!millis) millis = kv->options.timeout_millis;
  return sli_env_deadline_after_millis(kv->env, millis);
}

sli_status_t *sli_capi_kv_explain(const sl_kv_t *kv, size_t server, sli_status_t *status) {
  if (!status) return NULL;
  const sli_capi_kv_server_t *at = &kv->servers[server];
  char *why = sli_status_code(status) == SLI_DEADLINE_EXCEEDED ? sli_rpc_channel_describe_failure(at->channel) : NULL;
  if (why) status = sli_status_append(status, " (%s)", why);
  free(why);
  return sli_status_prefix(status, "%s%s%s: ", at->task ? at->task : "", at->task ? " at " : "", at->address);
}

sli_status_t *sli_capi_kv_check_thread(const sl_kv_t *kv, const char *what) {
  if (!sli_env_process_on_network_thread(kv->env)) return NULL;
  return sli_status_make(SLI_FAILED_PRECONDITION, "%s blocks and must not be called in a callback.", what);
}

// Calls |method| of one server and blocks. |*out_reply| is in |arena|.
static sli_status_t *call_server(sl_kv_t *kv, size_t server, const char *method, const ProtobufCMessage *request,
                                 const ProtobufCMessageDescriptor *descriptor, bool waits, int64_t deadline,
                                 sli_arena_t *arena, void **out_reply) {
  *out_reply = NULL;
  sli_string_t body = {0};
  SLI_RETURN_IF_ERROR(sli_proto_pack(request, &body));
  sli_slices_t slices = {0};
  if (body.size) sli_slices_append_string(&slices, &body);
  sli_rpc_message_t reply = {0};
  sli_rpc_call_options_t options = sli_control_client_options(method, deadline);
  options.wait_for_ready = waits;
  sli_rpc_channel_t *channel = kv->servers[server].channel;
  sli_status_t *status =
      waits ? sli_peer_wait_call(kv->env, channel, &options,
                                 kv->options.timeout_millis > 0 ? kv->options.timeout_millis : NO_LIMIT_MILLIS, &slices,
                                 &reply)
            : sli_rpc_call_and_wait(channel, &options, &slices, &reply);
  if (!status) status = sli_proto_parse(descriptor, reply.data, reply.size, arena, out_reply);
  sli_rpc_message_release(&reply);
  if (sli_status_code(status) == SLI_UNIMPLEMENTED)
    status = sli_status_append(status, "; the task must be Sluice's, of a version that has sluice.Store");
  return sli_capi_kv_explain(kv, server, status);
}

static sli_status_t *open_on(sl_kv_t *kv, size_t server, const char *updater, int64_t deadline) {
  Sluice__StoreOpenRequest request = SLUICE__STORE_OPEN_REQUEST__INIT;
  request.table = (char *)kv->options.table;
  request.dtype = (int32_t)kv->options.dtype;
  if (updater) request.updater = (char *)updater;
  request.row_length = kv->options.row_length;
  request.max_bytes = (uint64_t)kv->options.max_row_bytes;
  if (kv->options.initializer) request.initializer = (char *)kv->options.initializer;
  sli_arena_t arena = {0};
  Sluice__StoreOpenResponse *reply;
  sli_status_t *status = call_server(kv, server, SLI_STORE_SERVICE "Open", &request.base,
                                     &sluice__store_open_response__descriptor, true, deadline, &arena, (void **)&reply);
  if (!status && !kv->servers[server].task) kv->servers[server].task = sli_strdup(reply->task);
  sli_arena_deinitialize(&arena);
  return status;
}

static sli_status_t *open_all(sl_kv_t *kv, const char *updater) {
  int64_t deadline = sli_capi_kv_deadline(kv, 0);
  for (size_t i = 0; i < kv->server_count; i++) SLI_RETURN_IF_ERROR(open_on(kv, i, updater, deadline));
  return NULL;
}

// ---- Connecting ------------------------------------------------------------------

static sli_status_t *check_options(const sl_kv_options_t *options) {
  if (options->dtype &&
      (!sli_dtype_is_plain((sli_dtype_t)options->dtype) || sli_dtype_is_ref((sli_dtype_t)options->dtype)))
    return sli_status_make(SLI_INVALID_ARGUMENT, "dtype must be a type of fixed size, such as TF_FLOAT, got %d.",
                           (int)options->dtype);
  if (options->sharding != SL_KV_HASH && options->sharding != SL_KV_RANGE)
    return sli_status_make(SLI_INVALID_ARGUMENT, "sharding must be SL_KV_HASH or SL_KV_RANGE, got %d.",
                           (int)options->sharding);
  if (options->when_dead != SL_KV_WAIT && options->when_dead != SL_KV_FAIL)
    return sli_status_make(SLI_INVALID_ARGUMENT, "when_dead must be SL_KV_WAIT or SL_KV_FAIL, got %d.",
                           (int)options->when_dead);
  if (options->max_row_bytes < 0)
    return sli_status_make(SLI_INVALID_ARGUMENT, "max_row_bytes must be at least 0, got %lld.",
                           (long long)options->max_row_bytes);
  if (options->row_length < 0 || (options->initializer && !options->row_length))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "row_length must be at least 0, and above 0 for an initializer, got %d.",
                           (int)options->row_length);
  if (options->max_pending_bytes < 0 || options->max_pending_calls < 0 || options->max_pending_calls > 1000)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "max_pending_bytes must be at least 0, max_pending_calls 0 to 1000, got %lld and %lld.",
                           (long long)options->max_pending_bytes, (long long)options->max_pending_calls);
  if (options->group_size < 0 || options->staleness < 0 || options->member < 0 ||
      (options->group_size && options->member >= options->group_size))
    return sli_status_make(
        SLI_INVALID_ARGUMENT,
        "group_size and staleness must be at least 0 and member below group_size, got %d, %lld and %d.",
        options->group_size, (long long)options->staleness, options->member);
  return NULL;
}

static sli_status_t *add_servers(sl_kv_t *kv, const char *servers) {
  sli_view_t rest = sli_view(servers), address;
  for (bool more = true; more;) {
    more = sli_view_split(rest, ',', &address, &rest);
    address = sli_view_trim(address);
    if (sli_view_starts_with(address, "grpc://"))
      address = sli_view_of(address.data + strlen("grpc://"), address.size - strlen("grpc://"));
    kv->servers = sli_realloc(kv->servers, (kv->server_count + 1) * sizeof(*kv->servers));
    sli_capi_kv_server_t *server = &kv->servers[kv->server_count];
    *server = (sli_capi_kv_server_t){.address = sli_strndup(address.data, address.size)};
    kv->server_count++;
    SLI_RETURN_IF_ERROR(sli_status_prefix(
        sli_rpc_channel_create(sli_env_process_loop(), server->address, NULL, &server->channel), "servers: "));
  }
  return NULL;
}

static void kv_destroy(sl_kv_t *kv) {
  for (size_t i = 0; i < kv->server_count; i++) {
    sli_rpc_channel_destroy(kv->servers[i].channel);
    free(kv->servers[i].address);
    free(kv->servers[i].task);
  }
  for (size_t i = 0; i < kv->failed_count; i++) sli_status_release(kv->failed[i].status);
  free(kv->servers);
  free((char *)kv->options.table);
  free((char *)kv->options.group);
  free((char *)kv->options.initializer);
  sli_map_deinitialize(&kv->bound);
  sli_mutex_deinitialize(&kv->mutex);
  free(kv);
}

sl_kv_t *sl_kv_connect(const char *servers, const sl_kv_options_t *options, TF_Status *status) {
  sl_kv_options_t given = {0};
  if (options) memcpy(&given, options, options->struct_size < sizeof(given) ? options->struct_size : sizeof(given));
  sli_status_t *error = check_options(&given);
  if (!error && (!servers || !*servers))
    error = sli_status_make_text(SLI_INVALID_ARGUMENT, "servers must name at least one \"host:port\", got none.");
  if (error) {
    sli_capi_set_status(status, error);
    return NULL;
  }
  sl_kv_t *kv = sli_calloc(1, sizeof(*kv));
  kv->options = given;
  kv->options.table = sli_strdup(given.table ? given.table : "default");
  kv->options.group = sli_strdup(given.group ? given.group : "workers");
  kv->options.updater = NULL;  // borrowed only here
  if (given.initializer) kv->options.initializer = sli_strdup(given.initializer);
  if (!given.dtype) kv->options.dtype = TF_FLOAT;
  if (!given.timeout_millis) kv->options.timeout_millis = TIMEOUT_MILLIS;
  if (!given.max_pending_bytes) kv->options.max_pending_bytes = MAX_PENDING_BYTES;
  if (!given.max_pending_calls) kv->options.max_pending_calls = MAX_PENDING_CALLS;
  kv->env = sli_env_process();
  kv->client = kv->env->random(kv->env) | 1;
  kv->next_ticket = 1;
  sli_mutex_initialize(&kv->mutex);
  error = sli_capi_kv_check_thread(kv, "sl_kv_connect");
  if (!error) error = add_servers(kv, servers);
  if (!error) error = open_all(kv, given.updater);
  sli_capi_set_status(status, error ? sli_status_retain(error) : NULL);
  if (!error) return kv;
  sli_status_release(error);
  kv_destroy(kv);
  return NULL;
}

void sl_kv_set_updater(sl_kv_t *kv, const char *updater, TF_Status *status) {
  sli_status_t *error = sli_capi_kv_check_thread(kv, "sl_kv_set_updater");
  sli_capi_set_status(status, error ? error : open_all(kv, updater));
}

static sli_status_t *save_all(sl_kv_t *kv, const char *prefix, bool restore) {
  SLI_RETURN_IF_ERROR(sli_capi_kv_check_thread(kv, restore ? "sl_kv_restore" : "sl_kv_save"));
  if (!prefix || !*prefix) return sli_status_make_text(SLI_INVALID_ARGUMENT, "prefix must not be empty.");
  int64_t deadline = sli_capi_kv_deadline(kv, 0);
  for (size_t i = 0; i < kv->server_count; i++) {
    Sluice__StoreSaveRequest request = SLUICE__STORE_SAVE_REQUEST__INIT;
    request.table = (char *)kv->options.table;
    request.prefix = (char *)prefix;
    request.part = (int32_t)i;
    request.parts = (int32_t)kv->server_count;
    request.restore = restore;
    request.by_range = kv->options.sharding == SL_KV_RANGE;
    request.key_limit = kv->options.key_limit;
    sli_arena_t arena = {0};
    void *reply;
    sli_status_t *status =
        call_server(kv, i, SLI_STORE_SERVICE "Save", &request.base, &sluice__store_save_response__descriptor,
                    kv->options.when_dead == SL_KV_WAIT, deadline, &arena, &reply);
    sli_arena_deinitialize(&arena);
    SLI_RETURN_IF_ERROR(status);
  }
  return NULL;
}

void sl_kv_save(sl_kv_t *kv, const char *prefix, TF_Status *status) {
  sli_capi_set_status(status, save_all(kv, prefix, false));
}

void sl_kv_restore(sl_kv_t *kv, const char *prefix, TF_Status *status) {
  sli_capi_set_status(status, save_all(kv, prefix, true));
}

// ---- Bound keys ------------------------------------------------------------------

static sli_status_t *bind_key(sl_kv_t *kv, uint64_t key, const char *container, const char *name, int64_t *out_length) {
  SLI_RETURN_IF_ERROR(sli_capi_kv_check_thread(kv, "sl_kv_bind"));
  Sluice__StoreBindRequest request = SLUICE__STORE_BIND_REQUEST__INIT;
  request.table = (char *)kv->options.table;
  request.key = key;
  if (container) request.container = (char *)container;
  request.name = (char *)name;
  int64_t deadline = sli_capi_kv_deadline(kv, 0);
  sli_status_t *status = NULL;
  for (size_t i = 0; i < kv->server_count; i++) {
    sli_status_release(status);
    sli_arena_t arena = {0};
    Sluice__StoreBindResponse *reply;
    status = call_server(kv, i, SLI_STORE_SERVICE "Bind", &request.base, &sluice__store_bind_response__descriptor,
                         kv->options.when_dead == SL_KV_WAIT, deadline, &arena, (void **)&reply);
    if (!status) *out_length = reply->length;
    sli_arena_deinitialize(&arena);
    if (!status) {
      sli_mutex_lock(&kv->mutex);
      sli_map_set(&kv->bound, sli_view_of((const char *)&key, sizeof(key)), (void *)(uintptr_t)(i + 1));
      sli_mutex_unlock(&kv->mutex);
    }
    if (sli_status_code(status) != SLI_NOT_FOUND) return status;
  }
  sli_status_release(status);
  return sli_status_make(SLI_NOT_FOUND, "None of %zu servers has a variable %s: start the graph that creates it first.",
                         kv->server_count, name);
}

int64_t sl_kv_bind(sl_kv_t *kv, uint64_t key, const char *container, const char *name, TF_Status *status) {
  int64_t length = -1;
  sli_capi_set_status(status, bind_key(kv, key, container, name, &length));
  return length;
}

// ---- Clocks ----------------------------------------------------------------------

// Announces |clock| in the group |suffix| at the first server, which has all groups.
static sli_status_t *announce(sl_kv_t *kv, const char *what, const char *suffix, int64_t clock, int64_t staleness,
                              bool leave, int64_t *out_slowest) {
  SLI_RETURN_IF_ERROR(sli_capi_kv_check_thread(kv, what));
  if (!kv->options.group_size)
    return sli_status_make(SLI_FAILED_PRECONDITION, "%s needs a group: set group_size and member of sl_kv_options_t.",
                           what);
  Sluice__StoreClockRequest request = SLUICE__STORE_CLOCK_REQUEST__INIT;
  char *group = sli_format("%s%s", kv->options.group, suffix);
  request.group = group;
  request.size = kv->options.group_size;
  request.member = kv->options.member;
  request.clock = clock;
  request.staleness = staleness;
  request.leave = leave;
  int64_t millis = kv->options.timeout_millis;
  request.timeout_millis = millis > 0 ? millis : 0;
  int64_t deadline = sli_env_deadline_after_millis(kv->env, leave        ? REPLY_MILLIS
                                                            : millis > 0 ? millis + REPLY_MILLIS
                                                                         : 0);
  sli_arena_t arena = {0};
  Sluice__StoreClockResponse *reply;
  sli_status_t *status =
      call_server(kv, 0, SLI_STORE_SERVICE "Clock", &request.base, &sluice__store_clock_response__descriptor,
                  !leave && kv->options.when_dead == SL_KV_WAIT, deadline, &arena, (void **)&reply);
  if (!status) *out_slowest = reply->slowest;
  sli_arena_deinitialize(&arena);
  free(group);
  return status;
}

int64_t sl_kv_clock(sl_kv_t *kv, TF_Status *status) {
  int64_t slowest = 0, clock = atomic_fetch_add(&kv->clock, 1) + 1;
  sli_capi_set_status(status, announce(kv, "sl_kv_clock", "", clock, kv->options.staleness, false, &slowest));
  return slowest;
}

void sl_kv_barrier(sl_kv_t *kv, TF_Status *status) {
  int64_t slowest, round = atomic_fetch_add(&kv->round, 1) + 1;
  sli_capi_set_status(status, announce(kv, "sl_kv_barrier", "/barrier", round, 0, false, &slowest));
}

void sl_kv_close(sl_kv_t *kv) {
  if (!kv) return;
  sli_capi_kv_finish(kv);
  int64_t slowest;
  if (atomic_load(&kv->clock)) sli_status_release(announce(kv, "sl_kv_close", "", 0, 0, true, &slowest));
  if (atomic_load(&kv->round)) sli_status_release(announce(kv, "sl_kv_close", "/barrier", 0, 0, true, &slowest));
  kv_destroy(kv);
}
