// A hash table. Entries of one key are adjacent in their bucket and are either all values, oldest first, or all
// receivers, newest first: a repeated request of a peer goes before the first one, which the peer may have given up.
#include "runtime/execute/rendezvous_table.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { FIRST_BUCKETS = 16 };

struct sli_rendezvous_table_entry {
  sli_rendezvous_table_entry_t *next;
  uint64_t hash;
  sli_tensor_t *tensor;  // NULL: a receiver
  sli_rendezvous_recv_fn_t done;
  void *context;
  bool is_dead;
  size_t key_size;
  char key[];
};

void sli_rendezvous_table_initialize(sli_rendezvous_table_t *table) {
  *table = (sli_rendezvous_table_t){0};
  sli_mutex_initialize(&table->mutex);
}

void sli_rendezvous_table_deinitialize(sli_rendezvous_table_t *table) {
  for (size_t b = 0; b < table->bucket_count; b++)
    for (sli_rendezvous_table_entry_t *entry = table->buckets[b], *next; entry; entry = next) {
      SLI_CHECK(entry->tensor);
      next = entry->next;
      sli_tensor_release(entry->tensor);
      free(entry);
    }
  free(table->buckets);
  sli_status_release(table->aborted);
  sli_mutex_deinitialize(&table->mutex);
}

static void grow_locked(sli_rendezvous_table_t *table) {
  size_t count = table->bucket_count ? table->bucket_count * 2 : FIRST_BUCKETS;
  sli_rendezvous_table_entry_t **buckets = sli_calloc(count, sizeof(*buckets));
  // Entries of a key came from one bucket and keep their order.
  for (size_t b = 0; b < table->bucket_count; b++)
    for (sli_rendezvous_table_entry_t *entry = table->buckets[b], *next; entry; entry = next) {
      next = entry->next;
      entry->next = NULL;
      sli_rendezvous_table_entry_t **link = &buckets[entry->hash & (count - 1)];
      while (*link) link = &(*link)->next;
      *link = entry;
    }
  free(table->buckets);
  table->buckets = buckets;
  table->bucket_count = count;
}

// Where the first entry of |key| hangs, or where one would be appended.
static sli_rendezvous_table_entry_t **find_locked(sli_rendezvous_table_t *table, sli_view_t key, uint64_t hash) {
  sli_rendezvous_table_entry_t **link = &table->buckets[hash & (table->bucket_count - 1)];
  while (*link && ((*link)->hash != hash || !sli_view_equal(sli_view_of((*link)->key, (*link)->key_size), key)))
    link = &(*link)->next;
  return link;
}

static sli_rendezvous_table_entry_t *unlink_locked(sli_rendezvous_table_t *table, sli_rendezvous_table_entry_t **link) {
  sli_rendezvous_table_entry_t *entry = *link;
  *link = entry->next;
  table->entry_count--;
  return entry;
}

static void add_locked(sli_rendezvous_table_t *table, sli_rendezvous_table_entry_t **link, sli_view_t key,
                       const sli_rendezvous_table_entry_t *content) {
  sli_rendezvous_table_entry_t *entry = sli_malloc(sizeof(*entry) + key.size);
  *entry = *content;
  entry->key_size = key.size;
  memcpy(entry->key, key.data, key.size);
  if (entry->tensor)
    while (*link) link = &(*link)->next;
  entry->next = *link;
  *link = entry;
  table->entry_count++;
}

sli_status_t *sli_rendezvous_table_send(sli_rendezvous_table_t *table, sli_view_t key, sli_tensor_t *tensor,
                                        bool is_dead) {
  uint64_t hash = sli_hash_bytes(key.data, key.size);
  sli_rendezvous_table_entry_t *receiver = NULL;
  sli_mutex_lock(&table->mutex);
  sli_status_t *status = sli_status_retain(table->aborted);
  if (!status) {
    if (table->entry_count >= table->bucket_count) grow_locked(table);
    sli_rendezvous_table_entry_t **link = find_locked(table, key, hash);
    if (*link && !(*link)->tensor)
      receiver = unlink_locked(table, link);
    else
      add_locked(table, link, key, &(sli_rendezvous_table_entry_t){.hash = hash, .tensor = tensor, .is_dead = is_dead});
  }
  sli_mutex_unlock(&table->mutex);
  if (status) sli_tensor_release(tensor);
  if (receiver) {
    receiver->done(receiver->context, NULL, tensor, is_dead);
    free(receiver);
  }
  return status;
}

void sli_rendezvous_table_recv(sli_rendezvous_table_t *table, sli_view_t key, sli_rendezvous_recv_fn_t done,
                               void *context) {
  uint64_t hash = sli_hash_bytes(key.data, key.size);
  sli_rendezvous_table_entry_t *value = NULL;
  sli_mutex_lock(&table->mutex);
  sli_status_t *status = sli_status_retain(table->aborted);
  if (!status) {
    if (table->entry_count >= table->bucket_count) grow_locked(table);
    sli_rendezvous_table_entry_t **link = find_locked(table, key, hash);
    if (*link && (*link)->tensor)
      value = unlink_locked(table, link);
    else
      add_locked(table, link, key, &(sli_rendezvous_table_entry_t){.hash = hash, .done = done, .context = context});
  }
  sli_mutex_unlock(&table->mutex);
  if (status) done(context, status, NULL, false);
  if (value) {
    done(context, NULL, value->tensor, value->is_dead);
    free(value);
  }
}

bool sli_rendezvous_table_withdraw(sli_rendezvous_table_t *table, sli_view_t key, const void *context) {
  uint64_t hash = sli_hash_bytes(key.data, key.size);
  sli_rendezvous_table_entry_t *receiver = NULL;
  sli_mutex_lock(&table->mutex);
  if (table->bucket_count) {
    sli_rendezvous_table_entry_t **link = find_locked(table, key, hash);
    while (*link && ((*link)->tensor || (*link)->context != context)) link = &(*link)->next;
    if (*link) receiver = unlink_locked(table, link);
  }
  sli_mutex_unlock(&table->mutex);
  free(receiver);
  return receiver != NULL;
}

void sli_rendezvous_table_abort(sli_rendezvous_table_t *table, sli_status_t *status) {
  sli_mutex_lock(&table->mutex);
  if (table->aborted) {
    sli_mutex_unlock(&table->mutex);
    sli_status_release(status);
    return;
  }
  table->aborted = status;
  sli_rendezvous_table_entry_t **buckets = table->buckets;
  size_t count = table->bucket_count;
  table->buckets = NULL;
  table->bucket_count = table->entry_count = 0;
  // The table may be freed by the callback of the last receiver.
  sli_status_retain(status);
  sli_mutex_unlock(&table->mutex);
  for (size_t b = 0; b < count; b++)
    for (sli_rendezvous_table_entry_t *entry = buckets[b], *next; entry; entry = next) {
      next = entry->next;
      if (entry->tensor)
        sli_tensor_release(entry->tensor);
      else
        entry->done(entry->context, sli_status_retain(status), NULL, false);
      free(entry);
    }
  free(buckets);
  sli_status_release(status);
}

bool sli_rendezvous_table_is_pristine(sli_rendezvous_table_t *table) {
  sli_mutex_lock(&table->mutex);
  bool pristine = !table->aborted && table->entry_count == 0;
  sli_mutex_unlock(&table->mutex);
  return pristine;
}
