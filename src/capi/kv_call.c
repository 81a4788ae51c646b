// The calls of sluice/kv.h: pushes and pulls, cut into one message for each server.
#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"
#include "capi/capi.h"
#include "capi/kv_internal.h"
#include "dist/client/control_client.h"
#include "proto/proto.h"
#include "proto/store.pb-c.h"

enum {
  BY_REFERENCE_BYTES = 4096,    // smaller values are cheaper to copy than to send from where they are
  RETRY_MILLIS = 50,            // after a server was lost, before its message is sent again
  IN_SPACE_BYTES = 128 << 10,   // of keys and values that are written to the memory of a server on the same host
  COPIED_TOGETHER = 256 << 10,  // bytes that one thread copies
};

// What one server gets of a call. Ends when the reply has come and the network needs its bytes no more.
typedef struct {
  sli_capi_kv_op_t *op;
  size_t server;
  sli_store_exchange_t exchange;
  uint64_t *keys;
  uint32_t *lengths;  // NULL: all have exchange.length
  size_t *offsets;    // of the values of each key, in bytes; NULL: those of all keys, one after the other
  atomic_int holders;
  sli_timer_t *timer;  // of the retry
} part_t;

struct sli_capi_kv_op {
  sli_refcount_t references;  // of the parts together, and of those who wait
  sl_kv_t *kv;
  int64_t ticket, bytes, deadline;
  const char *from;
  char *to;
  sl_kv_done_t done;
  void *context;
  sli_event_t ended;
  part_t *parts;
  size_t part_count;
  atomic_size_t pending;
  sli_mutex_t mutex;
  sli_status_t *status;            // under mutex
  sli_capi_kv_op_t *next, **link;  // under the mutex of kv
};

struct sli_capi_kv_space {
  sli_capi_kv_space_t *next;
  sli_event_t event;
};

static void op_release(sli_capi_kv_op_t *op) {
  if (!sli_refcount_release(&op->references)) return;
  for (size_t i = 0; i < op->part_count; i++) {
    free(op->parts[i].keys);
    free(op->parts[i].lengths);
    free(op->parts[i].offsets);
  }
  free(op->parts);
  sli_status_release(op->status);
  sli_event_deinitialize(&op->ended);
  sli_mutex_deinitialize(&op->mutex);
  free(op);
}

// ---- The end of a call -----------------------------------------------------------

// Wakes those who wait for room. Under the mutex of kv.
static void wake_all_locked(sl_kv_t *kv) {
  for (sli_capi_kv_space_t *waiter = kv->space, *next; waiter; waiter = next) {
    next = waiter->next;
    kv->env->set(kv->env, &waiter->event);
  }
  kv->space = NULL;
}

static void keep_failure_locked(sl_kv_t *kv, const sli_capi_kv_op_t *op) {
  if (kv->failed_count == SLI_ARRAY_COUNT_OF(kv->failed)) {
    sli_status_release(kv->failed[0].status);
    memmove(&kv->failed[0], &kv->failed[1], (kv->failed_count - 1) * sizeof(kv->failed[0]));
    kv->failed_count--;
  }
  kv->failed[kv->failed_count].ticket = op->ticket;
  kv->failed[kv->failed_count++].status = sli_status_retain(op->status);
}

static void op_end(sli_capi_kv_op_t *op) {
  sl_kv_t *kv = op->kv;
  if (op->done) {
    TF_Status *status = TF_NewStatus();
    sli_capi_set_status(status, sli_status_retain(op->status));
    op->done(op->context, status);
    TF_DeleteStatus(status);
  }
  sli_mutex_lock(&kv->mutex);
  *op->link = op->next;
  if (op->next) op->next->link = op->link;
  kv->pending_calls--;
  kv->pending_bytes -= op->bytes;
  if (op->status && !op->done) keep_failure_locked(kv, op);
  wake_all_locked(kv);
  // Under the mutex: after it another thread may close the connection.
  kv->env->set(kv->env, &op->ended);
  sli_mutex_unlock(&kv->mutex);
  op_release(op);
}

// One holder less: the network, or the reply.
static void part_release(void *context) {
  part_t *part = context;
  if (atomic_fetch_sub(&part->holders, 1) != 1) return;
  if (atomic_fetch_sub(&part->op->pending, 1) == 1) op_end(part->op);
}

// ---- One server ------------------------------------------------------------------

static void part_send(part_t *part);

static void part_retry(void *context) {
  part_t *part = context;
  sli_env_t *env = part->op->kv->env;
  env->cancel_timer(env, part->timer);
  part->timer = NULL;
  part_send(part);
}

typedef struct {
  char *to;
  const char *from;
  size_t size;
} copy_t;

static void copy_range(void *context, int64_t begin, int64_t end) {
  const copy_t *copy = context;
  size_t first = (size_t)begin * COPIED_TOGETHER, last = (size_t)end * COPIED_TOGETHER;
  memcpy(copy->to + first, copy->from + first, (last < copy->size ? last : copy->size) - first);
}

// Copies much on several threads.
static void copy_many(const sl_kv_t *kv, char *to, const char *from, size_t size) {
  copy_t copy = {to, from, size};
  sli_parallel_for(kv->env->pool, (int64_t)((size + COPIED_TOGETHER - 1) / COPIED_TOGETHER), 0.1 * COPIED_TOGETHER,
                   copy_range, &copy);
}

static sli_status_t *part_read(part_t *part, sli_rpc_message_t *reply) {
  if (!part->exchange.pull) return NULL;
  sli_view_t values;
  SLI_RETURN_IF_ERROR(
      sli_store_reply_decode(sli_view_of(reply->data, reply->size), part->exchange.values_bytes, &values));
  if (!part->offsets) {
    copy_many(part->op->kv, part->op->to, values.data, values.size);
    return NULL;
  }
  size_t item_size = sli_dtype_size(part->exchange.dtype);
  const char *from = values.data;
  for (size_t i = 0; i < part->exchange.count; i++) {
    size_t size = sli_store_exchange_length(&part->exchange, i) * item_size;
    memcpy(part->op->to + part->offsets[i], from, size);
    from += size;
  }
  return NULL;
}

static void part_done(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  part_t *part = context;
  sli_capi_kv_op_t *op = part->op;
  sl_kv_t *kv = op->kv;
  if (sli_status_code(status) == SLI_UNAVAILABLE && kv->options.when_dead == SL_KV_WAIT &&
      kv->env->now(kv->env) < op->deadline) {
    sli_status_release(status);
    part->timer = kv->env->add_timer(kv->env, sli_env_deadline_after_millis(kv->env, RETRY_MILLIS), part_retry, part);
    return;
  }
  if (!status) status = part_read(part, reply);
  if (status) {
    status = sli_capi_kv_explain(kv, part->server, status);
    sli_mutex_lock(&op->mutex);
    op->status = sli_status_join(op->status, status);
    sli_mutex_unlock(&op->mutex);
  }
  part_release(part);
}

// Appends the values: large ones from where they are.
static void append_values(part_t *part, sli_string_t *head, sli_slices_t *slices) {
  const char *from = part->op->from;
  size_t item_size = sli_dtype_size(part->exchange.dtype), bytes = (size_t)part->exchange.values_bytes;
  for (size_t i = 0; i < (part->offsets ? part->exchange.count : 1); i++) {
    size_t size = part->offsets ? sli_store_exchange_length(&part->exchange, i) * item_size : bytes;
    const char *values = from + (part->offsets ? part->offsets[i] : 0);
    if (size < BY_REFERENCE_BYTES) {
      sli_string_append(head, values, size);
      continue;
    }
    sli_slices_append_string(slices, head);
    atomic_fetch_add(&part->holders, 1);
    sli_slices_append(slices, values, size, part_release, part);
  }
}

static void append_bytes(part_t *part, const void *bytes, size_t size, sli_string_t *head, sli_slices_t *slices) {
  if (size < BY_REFERENCE_BYTES) {
    sli_string_append(head, bytes, size);
    return;
  }
  sli_slices_append_string(slices, head);
  atomic_fetch_add(&part->holders, 1);
  sli_slices_append(slices, bytes, size, part_release, part);
}

static sli_rpc_call_options_t options_of(const part_t *part, const char *method) {
  sli_rpc_call_options_t options = sli_control_client_options(method, part->op->deadline);
  options.wait_for_ready = part->op->kv->options.when_dead == SL_KV_WAIT;
  return options;
}

// Sends the message; without keys and values if these are in the space of the server.
static void part_send_message(part_t *part) {
  sl_kv_t *kv = part->op->kv;
  sli_string_t head = {0};
  sli_slices_t slices = {0};
  bool is_whole = !part->exchange.space;
  sli_store_exchange_encode_head(&part->exchange, is_whole ? part->exchange.values_bytes : 0, &head);
  if (part->exchange.push && is_whole) append_values(part, &head, &slices);
  size_t size = part->exchange.count * sizeof(uint64_t);
  if (is_whole) {
    sli_store_exchange_encode_keys(size, &head);
    append_bytes(part, part->keys, size, &head, &slices);
  }
  if (part->lengths) {
    size = part->exchange.count * sizeof(uint32_t);
    sli_store_exchange_encode_lengths(size, &head);
    append_bytes(part, part->lengths, size, &head, &slices);
  }
  if (head.size) sli_slices_append_string(&slices, &head);
  sli_rpc_call_options_t options = options_of(part, SLI_STORE_SERVICE "Exchange");
  sli_rpc_call_release(sli_rpc_call_start(kv->servers[part->server].channel, &options, &slices, part_done, part));
}

// Writes the values and the keys to memory of the server.
static void part_fill(const part_t *part, char *to, uint64_t keys_at) {
  size_t item_size = sli_dtype_size(part->exchange.dtype);
  memcpy(to + keys_at, part->keys, part->exchange.count * sizeof(uint64_t));
  if (!part->exchange.push) return;
  if (!part->offsets) {
    copy_many(part->op->kv, to, part->op->from, (size_t)part->exchange.values_bytes);
    return;
  }
  for (size_t i = 0; i < part->exchange.count; i++) {
    size_t size = sli_store_exchange_length(&part->exchange, i) * item_size;
    memcpy(to, part->op->from + part->offsets[i], size);
    to += size;
  }
}

static uint64_t part_space_size(const part_t *part, uint64_t *out_keys_at) {
  return sli_store_space_size(part->exchange.push ? part->exchange.values_bytes : 0, part->exchange.count, out_keys_at);
}

static void part_reserved(void *context, sli_status_t *status, sli_rpc_message_t *reply) {
  part_t *part = context;
  if (sli_status_code(status) == SLI_UNAVAILABLE) {
    part_done(part, status, reply);
    return;
  }
  uint64_t keys_at, size = part_space_size(part, &keys_at), space = 0;
  sli_view_t memory = {0};
  if (!status) status = sli_store_reserve_decode(sli_view_of(reply->data, reply->size), &space, &memory);
  char *writable = status ? NULL : sli_rpc_message_writable(reply);
  if (writable && space && memory.size >= size) {
    part_fill(part, writable + (memory.data - reply->data), keys_at);
    part->exchange.space = space;
  } else if (sli_status_code(status) == SLI_UNIMPLEMENTED) {
    atomic_store(&part->op->kv->servers[part->server].has_no_space, true);
  }
  sli_status_release(status);
  // Before the server reads it.
  sli_rpc_message_release(reply);
  part_send_message(part);
}

// Much is written to memory of the server, if it is on this host and has some; else it is sent.
static void part_send(part_t *part) {
  sli_capi_kv_server_t *server = &part->op->kv->servers[part->server];
  uint64_t keys_at, size = part_space_size(part, &keys_at);
  sli_lend_mapping_t *memory = NULL;
  if (size >= IN_SPACE_BYTES && !atomic_load(&server->has_no_space)) memory = sli_rpc_channel_memory(server->channel);
  part->exchange.space = 0;
  if (!memory) {
    part_send_message(part);
    return;
  }
  sli_lend_mapping_release(memory);
  Sluice__StoreReserveRequest request = SLUICE__STORE_RESERVE_REQUEST__INIT;
  request.size = size;
  sli_string_t body = {0};
  sli_slices_t slices = {0};
  SLI_CHECK(!sli_proto_pack(&request.base, &body));
  sli_slices_append_string(&slices, &body);
  sli_rpc_call_options_t options = options_of(part, SLI_STORE_SERVICE "Reserve");
  sli_rpc_call_release(sli_rpc_call_start(server->channel, &options, &slices, part_reserved, part));
}

// ---- Cutting a call into parts ---------------------------------------------------

static uint64_t spread(uint64_t key) {
  key = (key ^ key >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  key = (key ^ key >> 27) * UINT64_C(0x94d049bb133111eb);
  return key ^ key >> 31;
}

static size_t server_of(const sl_kv_t *kv, uint64_t key) {
  if (kv->options.sharding == SL_KV_HASH) key = spread(key);
  if (kv->options.sharding == SL_KV_HASH || !kv->options.key_limit)
    return (size_t)((unsigned __int128)key * kv->server_count >> 64);
  uint64_t width = (kv->options.key_limit - 1) / kv->server_count + 1;
  return (size_t)(key / width);
}

typedef struct {
  const uint64_t *keys;
  size_t count;
  const int32_t *lens;
  uint32_t length;
  size_t item_size;
  bool push, pull;
  sl_kv_update_t update;
} kv_request_t;

static uint32_t length_at(const kv_request_t *request, size_t index) {
  return request->lens ? (uint32_t)request->lens[index] : request->length;
}

// The server of each key, or NULL if all keys are of server |*out_one|.
static uint32_t *choose_servers(sl_kv_t *kv, const kv_request_t *request, size_t *out_one) {
  *out_one = 0;
  if (kv->server_count == 1) return NULL;
  uint32_t *servers = sli_malloc(request->count * sizeof(*servers));
  bool is_one = true;
  sli_mutex_lock(&kv->mutex);
  for (size_t i = 0; i < request->count; i++) {
    const char *key = (const char *)&request->keys[i];
    uintptr_t bound = kv->bound.count ? (uintptr_t)sli_map_get(&kv->bound, sli_view_of(key, sizeof(uint64_t))) : 0;
    servers[i] = bound ? (uint32_t)(bound - 1) : (uint32_t)server_of(kv, request->keys[i]);
    is_one &= servers[i] == servers[0];
  }
  sli_mutex_unlock(&kv->mutex);
  if (!is_one) return servers;
  *out_one = servers[0];
  free(servers);
  return NULL;
}

static void part_prepare(sli_capi_kv_op_t *op, part_t *part, size_t server, const kv_request_t *request, size_t count) {
  sl_kv_t *kv = op->kv;
  part->op = op;
  part->server = server;
  part->keys = sli_malloc(count * sizeof(*part->keys));
  if (request->lens) part->lengths = sli_malloc(count * sizeof(*part->lengths));
  part->exchange =
      (sli_store_exchange_t){.table = sli_view(kv->options.table),
                             .dtype = (sli_dtype_t)kv->options.dtype,
                             .client = request->push ? kv->client : 0,
                             .sequence = request->push ? atomic_fetch_add(&kv->servers[server].sequence, 1) : 0,
                             .update = (sli_store_update_t)request->update,
                             .push = request->push,
                             .pull = request->pull,
                             .length = request->lens ? 0 : request->length,
                             .keys = (const char *)part->keys,
                             .lengths = (const char *)part->lengths};
  atomic_init(&part->holders, 1);
}

static void part_add(part_t *part, const kv_request_t *request, size_t index, size_t offset) {
  size_t at = part->exchange.count++;
  part->keys[at] = request->keys[index];
  if (part->lengths) part->lengths[at] = length_at(request, index);
  if (part->offsets) part->offsets[at] = offset;
  part->exchange.values_bytes += length_at(request, index) * (uint64_t)request->item_size;
}

// One part with all keys, as they are.
static void keep_whole(sli_capi_kv_op_t *op, const kv_request_t *request, size_t server) {
  part_t *part = op->parts = sli_calloc(1, sizeof(*op->parts));
  op->part_count = 1;
  part_prepare(op, part, server, request, request->count);
  memcpy(part->keys, request->keys, request->count * sizeof(*part->keys));
  if (part->lengths) memcpy(part->lengths, request->lens, request->count * sizeof(*part->lengths));
  part->exchange.count = request->count;
  part->exchange.values_bytes = (uint64_t)op->bytes;
  atomic_init(&op->pending, 1);
}

static void cut(sli_capi_kv_op_t *op, const kv_request_t *request) {
  sl_kv_t *kv = op->kv;
  size_t one;
  uint32_t *servers = choose_servers(kv, request, &one);
  if (!servers) {
    keep_whole(op, request, one);
    return;
  }
  size_t *counts = sli_calloc(kv->server_count, sizeof(*counts));
  for (size_t i = 0; i < request->count; i++) counts[servers[i]]++;
  op->parts = sli_calloc(kv->server_count, sizeof(*op->parts));
  part_t **part_of = sli_calloc(kv->server_count, sizeof(*part_of));
  for (size_t i = 0; i < kv->server_count; i++) {
    if (!counts[i]) continue;
    part_of[i] = &op->parts[op->part_count++];
    part_prepare(op, part_of[i], i, request, counts[i]);
    part_of[i]->offsets = sli_malloc(counts[i] * sizeof(size_t));
  }
  size_t offset = 0;
  for (size_t i = 0; i < request->count; i++) {
    part_add(part_of[servers[i]], request, i, offset);
    offset += length_at(request, i) * request->item_size;
  }
  atomic_init(&op->pending, op->part_count);
  free(part_of);
  free(counts);
  free(servers);
}

// ---- Starting --------------------------------------------------------------------

static sli_status_t *check_request(const sl_kv_t *kv, const kv_request_t *request, const void *from, const void *to,
                                   int64_t *out_bytes) {
  if (!request->count || !request->keys)
    return sli_status_make(SLI_INVALID_ARGUMENT, "There must be at least one key, got %zu.", request->count);
  if ((request->push && !from) || (request->pull && !to))
    return sli_status_make_text(SLI_INVALID_ARGUMENT, "values must not be NULL.");
  if (request->update != SL_KV_UPDATE && request->update != SL_KV_ASSIGN && request->update != SL_KV_SUM)
    return sli_status_make(SLI_INVALID_ARGUMENT, "update must be SL_KV_UPDATE, SL_KV_ASSIGN or SL_KV_SUM, got %d.",
                           (int)request->update);
  uint64_t elements = 0;
  bool is_limited = kv->options.sharding == SL_KV_RANGE && kv->options.key_limit;
  bool are_alike = !request->lens && !is_limited;
  if (are_alike) elements = (uint64_t)request->length * (request->count - 1);
  for (size_t i = are_alike ? request->count - 1 : 0; i < request->count; i++) {
    int64_t length = request->lens ? request->lens[i] : (int64_t)request->length;
    if (length < 1 || length > INT32_MAX)
      return sli_status_make(SLI_INVALID_ARGUMENT, "The length of key %llu must be at least 1, got %lld.",
                             (unsigned long long)request->keys[i], (long long)(int32_t)length);
    elements += (uint64_t)length;
    if (is_limited && request->keys[i] >= kv->options.key_limit)
      return sli_status_make(SLI_INVALID_ARGUMENT, "A key must be below key_limit %llu, got %llu.",
                             (unsigned long long)kv->options.key_limit, (unsigned long long)request->keys[i]);
  }
  uint64_t bytes = elements * request->item_size;
  if (bytes + request->count * 12 > SLI_STORE_MAX_BYTES)
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The keys and values of one call must have at most %llu bytes, got %llu; use several calls.",
                           (unsigned long long)SLI_STORE_MAX_BYTES, (unsigned long long)bytes + request->count * 12);
  *out_bytes = (int64_t)bytes;
  return NULL;
}

// Waits until there is room for |op| and adds it to the calls.
static sli_status_t *enter(sl_kv_t *kv, sli_capi_kv_op_t *op) {
  for (;;) {
    sli_capi_kv_space_t waiter = {0};
    sli_mutex_lock(&kv->mutex);
    bool is_full = kv->pending_calls >= kv->options.max_pending_calls ||
                   (kv->pending_calls && kv->pending_bytes + op->bytes > kv->options.max_pending_bytes);
    sli_status_t *error = is_full ? sli_capi_kv_check_thread(kv, "A call that waits for room") : NULL;
    if (is_full && !error) {
      sli_event_initialize(&waiter.event);
      waiter.next = kv->space;
      kv->space = &waiter;
    } else if (!is_full) {
      op->ticket = kv->next_ticket++;
      op->next = kv->ops;
      op->link = &kv->ops;
      if (op->next) op->next->link = &op->next;
      kv->ops = op;
      kv->pending_calls++;
      kv->pending_bytes += op->bytes;
    }
    sli_mutex_unlock(&kv->mutex);
    if (!is_full || error) return error;
    // Each call has a deadline, so there is room by then.
    kv->env->wait(kv->env, &waiter.event, SLI_CLOCK_NO_DEADLINE);
    sli_event_deinitialize(&waiter.event);
  }
}

static int64_t start(sl_kv_t *kv, kv_request_t *request, const void *from, void *to, const sl_kv_call_t *call,
                     TF_Status *status) {
  sl_kv_call_t given = {0};
  if (call) memcpy(&given, call, call->struct_size < sizeof(given) ? call->struct_size : sizeof(given));
  int32_t usual = kv->options.row_length ? kv->options.row_length : 1;
  request->length = (uint32_t)(given.length ? given.length : usual);
  request->update = given.update;
  request->item_size = sli_dtype_size((sli_dtype_t)kv->options.dtype);
  int64_t bytes = 0;
  sli_status_t *error = check_request(kv, request, from, to, &bytes);
  if (error) {
    sli_capi_set_status(status, error);
    return 0;
  }
  sli_capi_kv_op_t *op = sli_calloc(1, sizeof(*op));
  sli_refcount_initialize(&op->references);
  sli_event_initialize(&op->ended);
  sli_mutex_initialize(&op->mutex);
  op->kv = kv;
  op->bytes = bytes;
  op->from = from;
  op->to = to;
  op->done = given.done;
  op->context = given.context;
  cut(op, request);
  error = enter(kv, op);
  int64_t ticket = op->ticket;
  sli_capi_set_status(status, error);
  if (error) {
    op_release(op);
    return 0;
  }
  op->deadline = sli_capi_kv_deadline(kv, given.timeout_millis);
  // With the last part the call may end and be freed.
  size_t count = op->part_count;
  part_t *parts = op->parts;
  sli_refcount_retain(&op->references);
  for (size_t i = 0; i < count; i++) part_send(&parts[i]);
  op_release(op);
  return ticket;
}

int64_t sl_kv_push(sl_kv_t *kv, const uint64_t *keys, size_t count, const void *values, const int32_t *lens,
                   const sl_kv_call_t *call, TF_Status *status) {
  kv_request_t request = {.keys = keys, .count = count, .lens = lens, .push = true};
  return start(kv, &request, values, NULL, call, status);
}

int64_t sl_kv_pull(sl_kv_t *kv, const uint64_t *keys, size_t count, void *values, const int32_t *lens,
                   const sl_kv_call_t *call, TF_Status *status) {
  kv_request_t request = {.keys = keys, .count = count, .lens = lens, .pull = true};
  return start(kv, &request, NULL, values, call, status);
}

int64_t sl_kv_push_pull(sl_kv_t *kv, const uint64_t *keys, size_t count, const void *values, void *new_values,
                        const int32_t *lens, const sl_kv_call_t *call, TF_Status *status) {
  kv_request_t request = {.keys = keys, .count = count, .lens = lens, .push = true, .pull = true};
  return start(kv, &request, values, new_values, call, status);
}

// ---- Waiting ---------------------------------------------------------------------

// Takes the failure of |ticket|, or the first one if that is 0.
static sli_status_t *take_failure_locked(sl_kv_t *kv, int64_t ticket) {
  for (size_t i = 0; i < kv->failed_count; i++) {
    if (ticket && kv->failed[i].ticket != ticket) continue;
    sli_status_t *status = kv->failed[i].status;
    kv->failed_count--;
    memmove(&kv->failed[i], &kv->failed[i + 1], (kv->failed_count - i) * sizeof(kv->failed[0]));
    return status;
  }
  return NULL;
}

// Waits for the call of |ticket|, or for one of all if that is 0. Returns false if there is none.
static bool wait_for_one(sl_kv_t *kv, int64_t ticket, int64_t last) {
  sli_mutex_lock(&kv->mutex);
  sli_capi_kv_op_t *op = kv->ops;
  while (op && (ticket ? op->ticket != ticket : op->ticket > last)) op = op->next;
  if (op) sli_refcount_retain(&op->references);
  sli_mutex_unlock(&kv->mutex);
  if (!op) return false;
  kv->env->wait(kv->env, &op->ended, SLI_CLOCK_NO_DEADLINE);
  op_release(op);
  return true;
}

void sl_kv_wait(sl_kv_t *kv, int64_t ticket, TF_Status *status) {
  sli_status_t *error = sli_capi_kv_check_thread(kv, "sl_kv_wait");
  if (error) {
    sli_capi_set_status(status, error);
    return;
  }
  sli_mutex_lock(&kv->mutex);
  int64_t last = kv->next_ticket - 1;
  sli_mutex_unlock(&kv->mutex);
  while (wait_for_one(kv, ticket, last)) continue;
  sli_mutex_lock(&kv->mutex);
  error = take_failure_locked(kv, ticket);
  for (sli_status_t *more; !ticket && (more = take_failure_locked(kv, 0));) sli_status_release(more);
  sli_mutex_unlock(&kv->mutex);
  sli_capi_set_status(status, error);
}

void sli_capi_kv_finish(sl_kv_t *kv) {
  while (wait_for_one(kv, 0, INT64_MAX)) continue;
}
