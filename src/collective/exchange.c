#include "collective/exchange.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/array.h"

// A buffer that waits for a peer, or a peer that waits for a buffer.
typedef struct {
  sli_tensor_t *buffer;  // NULL: a peer waits
  sli_collective_done_t sent;
  sli_collective_buffer_done_t received;
  void *context;
  size_t size;  // that the peer expects
} entry_t;

static void complete_send(entry_t *entry, sli_status_t *status) {
  entry->sent(entry->context, status);
  free(entry);
}

// Consumes |buffer| and |status|.
static void complete_receive(entry_t *entry, sli_status_t *status, sli_tensor_t *buffer, sli_view_t key) {
  if (!status && sli_tensor_bytes(buffer) != entry->size)
    status = sli_status_make(SLI_INTERNAL, "A member of the group sends %zu bytes as %.*s, but %zu were expected",
                             sli_tensor_bytes(buffer), SLI_VIEW_ARG(key), entry->size);
  if (status) {
    sli_tensor_release(buffer);
    buffer = NULL;
  }
  entry->received(entry->context, status, buffer);
  free(entry);
}

void sli_collective_exchange_initialize(sli_collective_exchange_t *exchange) {
  *exchange = (sli_collective_exchange_t){0};
  sli_mutex_initialize(&exchange->mutex);
}

void sli_collective_exchange_deinitialize(sli_collective_exchange_t *exchange) {
  sli_map_deinitialize(&exchange->entries);
  SLI_MAP_FOR_EACH (&exchange->failures, entry) sli_status_release(entry->value);
  sli_map_deinitialize(&exchange->failures);
  for (size_t i = 0; i < SLI_COLLECTIVE_EXCHANGE_FAILURES; i++) free(exchange->failed[i]);
  sli_status_release(exchange->stopped);
  sli_mutex_deinitialize(&exchange->mutex);
}

static sli_string_t name_of(sli_view_t scope, sli_view_t key) {
  sli_string_t name = {0};
  sli_string_append(&name, scope.data, scope.size);
  sli_string_append_char(&name, '/');
  sli_string_append(&name, key.data, key.size);
  return name;
}

// Finds the other side and removes it, or adds |mine|. |*out_status| is set if neither is possible.
static entry_t *meet(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key, entry_t *mine,
                     sli_status_t **out_status) {
  sli_string_t name = name_of(scope, key);
  sli_view_t view = sli_view_of(name.data, name.size);
  entry_t *other = NULL;
  sli_mutex_lock(&exchange->mutex);
  *out_status = sli_status_retain(exchange->stopped ? exchange->stopped : sli_map_get(&exchange->failures, scope));
  if (!*out_status) {
    other = sli_map_get(&exchange->entries, view);
    if (other && !other->buffer == !mine->buffer) {
      *out_status =
          sli_status_make(SLI_INTERNAL, "%s for the key %.*s of a collective op",
                          mine->buffer ? "A second buffer was sent" : "Second consumer arrived", SLI_VIEW_ARG(key));
      other = NULL;
    } else if (other) {
      sli_map_remove(&exchange->entries, view);
      if (!other->buffer) exchange->waiting--;
    } else {
      sli_map_set(&exchange->entries, view, mine);
      if (!mine->buffer) exchange->waiting++;
    }
  }
  sli_mutex_unlock(&exchange->mutex);
  sli_string_deinitialize(&name);
  return other;
}

void sli_collective_exchange_send(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key,
                                  sli_tensor_t *buffer, sli_collective_done_t done, void *context) {
  entry_t *mine = sli_malloc(sizeof(*mine));
  *mine = (entry_t){.buffer = buffer, .sent = done, .context = context};
  sli_status_t *status;
  entry_t *peer = meet(exchange, scope, key, mine, &status);
  if (!peer && !status) return;
  if (peer)
    complete_receive(peer, NULL, buffer, key);
  else
    sli_tensor_release(buffer);
  complete_send(mine, status);
}

void sli_collective_exchange_receive(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key, size_t size,
                                     sli_collective_buffer_done_t done, void *context) {
  entry_t *mine = sli_malloc(sizeof(*mine));
  *mine = (entry_t){.received = done, .context = context, .size = size};
  sli_status_t *status;
  entry_t *peer = meet(exchange, scope, key, mine, &status);
  if (!peer && !status) return;
  complete_receive(mine, status, peer ? peer->buffer : NULL, key);
  if (peer) complete_send(peer, NULL);
}

bool sli_collective_exchange_withdraw(sli_collective_exchange_t *exchange, sli_view_t scope, sli_view_t key,
                                      void *context) {
  sli_string_t name = name_of(scope, key);
  sli_mutex_lock(&exchange->mutex);
  entry_t *entry = sli_map_get(&exchange->entries, sli_view_of(name.data, name.size));
  bool found = entry && !entry->buffer && entry->context == context;
  if (found) {
    sli_map_remove(&exchange->entries, sli_view_of(name.data, name.size));
    exchange->waiting--;
  }
  sli_mutex_unlock(&exchange->mutex);
  sli_string_deinitialize(&name);
  if (found) free(entry);
  return found;
}

// Remembers why |scope| failed, and forgets the oldest failure. The first reason stays.
static void remember_locked(sli_collective_exchange_t *exchange, const char *scope, sli_status_t *status) {
  if (!sli_map_insert(&exchange->failures, sli_view(scope), status)) return;
  sli_status_retain(status);
  char **slot = &exchange->failed[exchange->next_failed++ % SLI_COLLECTIVE_EXCHANGE_FAILURES];
  if (*slot) sli_status_release(sli_map_remove(&exchange->failures, sli_view(*slot)));
  free(*slot);
  *slot = sli_strdup(scope);
}

void sli_collective_exchange_fail(sli_collective_exchange_t *exchange, const char *scope, sli_status_t *status) {
  SLI_ARRAY(entry_t *) failed = {0};
  size_t size = scope ? strlen(scope) : 0;
  sli_mutex_lock(&exchange->mutex);
  if (scope)
    remember_locked(exchange, scope, status);
  else if (!exchange->stopped)
    exchange->stopped = sli_status_retain(status);
  SLI_MAP_FOR_EACH (&exchange->entries, entry) {
    if (scope && (entry->key_size <= size || entry->key[size] != '/' || memcmp(entry->key, scope, size) != 0)) continue;
    entry_t *waiting = entry->value;
    if (!waiting->buffer) exchange->waiting--;
    sli_array_push(&failed, waiting);
    sli_map_remove(&exchange->entries, sli_view_of(entry->key, entry->key_size));
  }
  sli_mutex_unlock(&exchange->mutex);
  for (size_t i = 0; i < failed.count; i++) {
    entry_t *entry = failed.items[i];
    if (entry->buffer) {
      sli_tensor_release(entry->buffer);
      complete_send(entry, sli_status_retain(status));
    } else {
      complete_receive(entry, sli_status_retain(status), NULL, sli_view(""));
    }
  }
  sli_array_deinitialize(&failed);
  sli_status_release(status);
}

size_t sli_collective_exchange_waiting(sli_collective_exchange_t *exchange) {
  sli_mutex_lock(&exchange->mutex);
  size_t waiting = exchange->waiting;
  sli_mutex_unlock(&exchange->mutex);
  return waiting;
}
