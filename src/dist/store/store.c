// The service sluice.Store. Small exchanges are answered on the polling thread, large ones on other threads.
#include "dist/store/store.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "dist/store/store_internal.h"
#include "dist/store/store_message.h"
#include "dist/store/store_save.h"

enum {
  MAX_MESSAGE_BYTES = 1 << 20,  // of all methods but Exchange
  MAX_NAME_BYTES = 1024,
  MAX_PARTS = 1024,          // of saved tables
  MAX_CLIENTS = 4096,        // whose pushes are remembered
  REMEMBERED_PUSHES = 1024,  // of each
  // With more of these an exchange takes too long for the thread of the network.
  MANY_KEYS = 512,
  MANY_BYTES = 1 << 16,
};

// The pushes of a client that were applied, so that one that is sent again is not applied twice.
typedef struct {
  uint64_t last_use;
  uint64_t sequences[REMEMBERED_PUSHES];  // at their remainders
} client_t;

sli_store_t *sli_store_create(sli_env_t *env, sli_resource_manager_t *resources, const char *task,
                              uint64_t incarnation) {
  sli_store_t *store = sli_calloc(1, sizeof(*store));
  store->env = env;
  store->resources = resources;
  store->task = task;
  store->incarnation = incarnation;
  sli_mutex_initialize(&store->mutex);
  sli_refcount_initialize(&store->users);
  sli_event_initialize(&store->unused);
  sli_store_spaces_initialize(&store->spaces, env);
  return store;
}

void sli_store_stop(sli_store_t *store, sli_status_t *status) {
  if (!store->stopped) store->stopped = sli_status_retain(status);
  sli_store_group_stop_all(store, status);
  sli_status_release(status);
}

static void release_user(sli_store_t *store) {
  if (sli_refcount_release(&store->users)) store->env->set(store->env, &store->unused);
}

void sli_store_destroy(sli_store_t *store) {
  if (!store) return;
  release_user(store);
  store->env->sleep(store->env, &store->unused, SLI_CLOCK_NO_DEADLINE);
  sli_store_group_destroy_all(store);
  SLI_MAP_FOR_EACH (&store->tables, entry) sli_store_table_destroy(entry->value);
  SLI_MAP_FOR_EACH (&store->clients, entry) free(entry->value);
  sli_map_deinitialize(&store->tables);
  sli_map_deinitialize(&store->clients);
  sli_map_deinitialize(&store->groups);
  sli_store_spaces_deinitialize(&store->spaces);
  sli_status_release(store->stopped);
  sli_event_deinitialize(&store->unused);
  sli_mutex_deinitialize(&store->mutex);
  free(store);
}

// ---- Tables ----------------------------------------------------------------------

static sli_status_t *find_table(sli_store_t *store, sli_view_t name, sli_store_table_t **out_table) {
  sli_mutex_lock(&store->mutex);
  *out_table = sli_map_get(&store->tables, name);
  sli_mutex_unlock(&store->mutex);
  if (*out_table) return NULL;
  return sli_status_make(SLI_FAILED_PRECONDITION,
                         "%s has no table \"%.*s\": it was not opened since the task started. A task that restarts "
                         "loses its keys; connect again and push them.",
                         store->task, (int)(name.size < 100 ? name.size : 100), name.data);
}

static sli_status_t *find_or_create_table(sli_store_t *store, const Sluice__StoreOpenRequest *from,
                                          sli_store_table_t **out_table) {
  *out_table = NULL;
  sli_view_t name = sli_view(from->table);
  sli_dtype_t dtype = (sli_dtype_t)from->dtype;
  if (!name.size || name.size > MAX_NAME_BYTES)
    return sli_status_make(SLI_INVALID_ARGUMENT, "The name of a table must have 1 to %d bytes, got %zu.",
                           MAX_NAME_BYTES, name.size);
  if (!sli_dtype_is_plain(dtype) || sli_dtype_is_ref(dtype))
    return sli_status_make(SLI_INVALID_ARGUMENT,
                           "The values of a table must be of a type of fixed size, such as float, got type %d.",
                           (int)dtype);
  sli_status_t *status = NULL;
  sli_mutex_lock(&store->mutex);
  sli_store_table_t *table = sli_map_get(&store->tables, name);
  bool is_full = !table && store->tables.count >= SLI_STORE_MAX_TABLES;
  if (!table && !is_full) {
    table = sli_store_table_create(name, dtype, store->resources, store->env->pool);
    if (from->row_length)
      status = sli_store_table_set_rows(table, from->row_length, sli_view(from->initializer), from->max_bytes);
    if (!status)
      sli_map_set(&store->tables, name, table);
    else
      sli_store_table_destroy(table);
  }
  sli_mutex_unlock(&store->mutex);
  if (status) return status;
  if (is_full)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "%s has %d tables, the most that a task can have.", store->task,
                           SLI_STORE_MAX_TABLES);
  if (sli_store_table_dtype(table) != dtype)
    return sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%.*s\" of %s has values of type %s, not %s.",
                           SLI_VIEW_ARG(name), store->task, sli_dtype_name(sli_store_table_dtype(table)),
                           sli_dtype_name(dtype));
  *out_table = table;
  return sli_store_table_check_rows(table, from->row_length, sli_view(from->initializer));
}

static void open_table(sli_service_call_t *call, const void *message) {
  sli_store_t *store = call->server;
  const Sluice__StoreOpenRequest *from = message;
  sli_store_table_t *table;
  sli_status_t *status = find_or_create_table(store, from, &table);
  if (!status && *from->updater) status = sli_store_table_set_updater(table, sli_view(from->updater));
  Sluice__StoreOpenResponse reply = SLUICE__STORE_OPEN_RESPONSE__INIT;
  char *updater = status ? NULL : sli_store_table_updater(table);
  if (updater) reply.updater = updater;
  reply.task = (char *)store->task;
  reply.incarnation = store->incarnation;
  sli_service_call_reply_message(call, status, &reply.base);
  free(updater);
}

static void bind_key(sli_service_call_t *call, const void *message) {
  sli_store_t *store = call->server;
  const Sluice__StoreBindRequest *from = message;
  Sluice__StoreBindResponse reply = SLUICE__STORE_BIND_RESPONSE__INIT;
  sli_store_table_t *table;
  sli_status_t *status = find_table(store, sli_view(from->table), &table);
  if (!status)
    status = sli_store_table_bind(table, from->key, sli_view(from->container), sli_view(from->name), &reply.length);
  sli_service_call_reply_message(call, status, &reply.base);
}

// ---- Saving ------------------------------------------------------------------------

// A call of Save on another thread; its message lives as long.
typedef struct {
  sli_service_call_t base;
  const Sluice__StoreSaveRequest *message;
  sli_store_table_t *table;
} save_call_t;

static void save_run(sli_service_call_t *call) {
  sli_store_t *store = call->server;
  const save_call_t *self = (const save_call_t *)call;
  const Sluice__StoreSaveRequest *from = self->message;
  sli_store_save_place_t place = {.prefix = from->prefix,
                                  .part = from->part,
                                  .parts = from->parts,
                                  .by_range = from->by_range,
                                  .key_limit = from->key_limit};
  sli_status_t *status = from->restore ? sli_store_restore(self->table, from->table, &place)
                                       : sli_store_save(self->table, from->table, &place);
  Sluice__StoreSaveResponse reply = SLUICE__STORE_SAVE_RESPONSE__INIT;
  sli_service_call_reply_message(call, status, &reply.base);
  release_user(store);
}

static void save_table(sli_service_call_t *call, const void *message) {
  sli_store_t *store = call->server;
  save_call_t *self = (save_call_t *)call;
  self->message = message;
  sli_status_t *status = find_table(store, sli_view(self->message->table), &self->table);
  if (!status && (self->message->parts < 1 || self->message->parts > MAX_PARTS || self->message->part < 0 ||
                  self->message->part >= self->message->parts || !*self->message->prefix))
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Save needs a prefix and part %d of %d parts, at most %d.",
                             (int)self->message->part, (int)self->message->parts, MAX_PARTS);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  sli_refcount_retain(&store->users);
  sli_service_call_move(call, save_run);
}

// ---- Exchange --------------------------------------------------------------------

// Forgets the client that has not pushed for the longest time. Under mutex.
static void forget_a_client_locked(sli_store_t *store) {
  sli_map_entry_t *oldest = NULL;
  SLI_MAP_FOR_EACH (&store->clients, entry) {
    if (!oldest || ((client_t *)entry->value)->last_use < ((client_t *)oldest->value)->last_use) oldest = entry;
  }
  if (oldest) free(sli_map_remove(&store->clients, sli_view_of(oldest->key, oldest->key_size)));
}

// Whether the push was sent before, and remembers it.
static bool was_pushed(sli_store_t *store, const sli_store_exchange_t *exchange) {
  if (!exchange->client) return false;
  sli_view_t id = sli_view_of((const char *)&exchange->client, sizeof(exchange->client));
  sli_mutex_lock(&store->mutex);
  client_t *client = sli_map_get(&store->clients, id);
  if (!client) {
    if (store->clients.count >= MAX_CLIENTS) forget_a_client_locked(store);
    client = sli_calloc(1, sizeof(*client));
    memset(client->sequences, 0xff, sizeof(client->sequences));
    sli_map_set(&store->clients, id, client);
  }
  client->last_use = ++store->client_uses;
  uint64_t *place = &client->sequences[exchange->sequence % REMEMBERED_PUSHES];
  bool is_known = *place == exchange->sequence;
  *place = exchange->sequence;
  sli_mutex_unlock(&store->mutex);
  return is_known;
}

// The values where they are aligned for their type: where they were received, or a copy.
static sli_status_t *align_values(sli_store_exchange_t *exchange, void **out_copy) {
  *out_copy = NULL;
  size_t size = sli_dtype_size(exchange->dtype);
  if (!exchange->push || (uintptr_t)exchange->values.data % (size < 16 ? size : 16) == 0) return NULL;
  *out_copy = sli_malloc_or_null(exchange->values.size);
  if (!*out_copy)
    return sli_status_make(SLI_RESOURCE_EXHAUSTED, "There is no memory for %zu bytes of values.",
                           exchange->values.size);
  memcpy(*out_copy, exchange->values.data, exchange->values.size);
  exchange->values.data = *out_copy;
  return NULL;
}

typedef struct {
  sli_service_call_t base;
  sli_store_exchange_t exchange;
  sli_store_table_t *table;
} exchange_call_t;

// Takes the memory that the client has filled.
static sli_status_t *set_memory(exchange_call_t *self) {
  if (!self->exchange.space) return NULL;
  sli_store_t *store = self->base.server;
  sli_tensor_t *memory = sli_store_spaces_take(&store->spaces, self->exchange.space);
  if (!memory)
    return sli_status_make_text(SLI_UNAVAILABLE, "The reserved memory of an exchange was given back; send it again.");
  sli_status_t *status = sli_store_exchange_set_memory(&self->exchange, memory);
  if (status) sli_tensor_release(memory);
  return status;
}

static void exchange_run(sli_service_call_t *call) {
  exchange_call_t *self = (exchange_call_t *)call;
  sli_store_t *store = call->server;
  void *copy = NULL;
  sli_status_t *status = set_memory(self);
  if (!status) status = align_values(&self->exchange, &copy);
  if (!status && self->exchange.push && !was_pushed(store, &self->exchange))
    status = sli_store_table_push(self->table, &self->exchange);
  free(copy);
  sli_slices_t reply = {0};
  if (!status && self->exchange.pull) {
    sli_string_t head = {0};
    sli_store_reply_encode_head(self->exchange.values_bytes, &head);
    sli_slices_append_string(&reply, &head);
    status = sli_store_table_pull(self->table, &self->exchange, &reply);
  }
  sli_tensor_release(self->exchange.memory);
  if (status) sli_slices_deinitialize(&reply);
  sli_service_call_reply(call, sli_status_append(status, " (%s)", store->task), &reply);
}

static void exchange_run_moved(sli_service_call_t *call) {
  sli_store_t *store = call->server;
  exchange_run(call);
  release_user(store);
}

static void exchange(sli_service_call_t *call, const void *message) {
  exchange_call_t *self = (exchange_call_t *)call;
  sli_store_t *store = call->server;
  sli_status_t *status = sli_store_exchange_decode(sli_service_call_body(call), &self->exchange);
  if (!status) status = find_table(store, self->exchange.table, &self->table);
  if (!status && sli_store_table_dtype(self->table) != self->exchange.dtype)
    status = sli_status_make(SLI_INVALID_ARGUMENT, "Table \"%.*s\" has values of type %s, the call of type %s. (%s)",
                             SLI_VIEW_ARG(self->exchange.table), sli_dtype_name(sli_store_table_dtype(self->table)),
                             sli_dtype_name(self->exchange.dtype), store->task);
  if (status) {
    sli_service_call_done(call, status);
    return;
  }
  // One value that is only read is sent from where it is, however large it is; one that a client has placed in memory
  // of this task stays there.
  bool is_one =
      self->exchange.count == 1 &&
      (!self->exchange.push || (self->exchange.space && sli_store_table_assigns(self->table, &self->exchange)));
  bool is_quick = self->exchange.count <= MANY_KEYS && (self->exchange.values_bytes < MANY_BYTES || is_one);
  if (is_quick) {
    exchange_run(call);
    return;
  }
  sli_refcount_retain(&store->users);
  sli_service_call_move(call, exchange_run_moved);
}

char *sli_store_service_place(const char *head, size_t head_size, size_t message_size, sli_rpc_message_t *out_message) {
  return sli_message_place(sli_store_exchange_path, head, head_size, message_size, out_message);
}

static void reserve(sli_service_call_t *call, const void *message) {
  sli_store_t *store = call->server;
  const Sluice__StoreReserveRequest *from = message;
  sli_slices_t reply = {0};
  sli_tensor_t *memory = NULL;
  uint64_t number;
  if (from->size && from->size <= SLI_STORE_MAX_BYTES && sli_rpc_request_can_borrow(call->request))
    sli_store_spaces_reserve(&store->spaces, from->size, &number, &memory);
  if (memory) {
    sli_string_t head = {0};
    sli_store_reserve_encode_head(number, from->size, &head);
    sli_slices_append_string(&reply, &head);
    sli_slices_append(&reply, memory->data, sli_tensor_bytes(memory), sli_tensor_release_slice, memory);
  }
  sli_service_call_reply(call, NULL, &reply);
}

typedef union {
  exchange_call_t exchange;
  save_call_t save;
} any_call_t;

// ---- Dispatch --------------------------------------------------------------------

static const sli_service_call_method_t methods[] = {
    {"Exchange", NULL, exchange},
    {"Reserve", &sluice__store_reserve_request__descriptor, reserve},
    {"Open", &sluice__store_open_request__descriptor, open_table},
    {"Bind", &sluice__store_bind_request__descriptor, bind_key},
    {"Save", &sluice__store_save_request__descriptor, save_table},
    {"Clock", &sluice__store_clock_request__descriptor, sli_store_group_clock},
};

static const sli_service_call_method_t *find_method(const char *name) {
  return sli_service_call_find_method(name, SLI_STORE_SERVICE, methods, SLI_ARRAY_COUNT_OF(methods));
}

bool sli_store_service_has(const char *method) { return find_method(method) != NULL; }

bool sli_store_service_handle(sli_store_t *store, sli_rpc_request_t *request) {
  const sli_service_call_method_t *method = find_method(sli_rpc_request_method(request));
  if (!method) return false;
  size_t size = sli_rpc_request_message(request)->size;
  sli_status_t *status = sli_status_retain(store->stopped);
  if (!status && method->descriptor && size > MAX_MESSAGE_BYTES)
    status = sli_status_make(SLI_RESOURCE_EXHAUSTED, "A message of %s has at most %d bytes, got %zu.",
                             sli_rpc_request_method(request), MAX_MESSAGE_BYTES, size);
  if (status) {
    sli_rpc_request_respond(request, status, NULL);
    return true;
  }
  sli_service_call_handle(sli_service_call_create(sizeof(any_call_t), store->env, store, request), method);
  return true;
}
