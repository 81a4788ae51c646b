// Keys are spread over shards by hash, each with a lock and a small chained table
// of its own. An entry exists while values wait for receivers or receivers for
// values, never both; either leave in the order they came. Callbacks and
// releases happen outside the locks.
#include "runtime/local_rendezvous.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { SHARD_COUNT = 8, FIRST_BUCKETS = 8 };

// A value that waits for its receiver (|done| NULL), or a receiver.
typedef struct item item_t;
struct item {
  item_t *next;
  sli_recv_fn_t done;
  void *context;
  sli_tensor_t *tensor;
  bool is_dead;
};

typedef struct entry entry_t;
struct entry {
  entry_t *next;
  uint64_t hash;
  item_t *first, *last;
  size_t key_size;
  char key[];
};

typedef struct {
  sli_mutex_t mutex;
  // Under |mutex|:
  sli_status_t *status;  // set once aborted
  entry_t **buckets;
  size_t bucket_count;  // a power of two, or 0
  size_t entry_count;
} __attribute__((aligned(64))) shard_t;

typedef struct {
  sli_rendezvous_t base;
  shard_t shards[SHARD_COUNT];
} rendezvous_t;

static shard_t *shard_of(sli_rendezvous_t *self, uint64_t hash) {
  return &((rendezvous_t *)self)->shards[(hash >> 56) % SHARD_COUNT];
}

static void grow_locked(shard_t *shard) {
  size_t count = shard->bucket_count ? shard->bucket_count * 2 : FIRST_BUCKETS;
  entry_t **buckets = sli_calloc(count, sizeof(entry_t *));
  for (size_t i = 0; i < shard->bucket_count; i++) {
    for (entry_t *entry = shard->buckets[i], *next; entry; entry = next) {
      next = entry->next;
      entry->next = buckets[entry->hash & (count - 1)];
      buckets[entry->hash & (count - 1)] = entry;
    }
  }
  free(shard->buckets);
  shard->buckets = buckets;
  shard->bucket_count = count;
}

// Where the entry of |key| is linked from, or would be (then *result is NULL).
static entry_t **find_locked(shard_t *shard, sli_view_t key, uint64_t hash) {
  if (shard->entry_count >= shard->bucket_count) grow_locked(shard);
  entry_t **place = &shard->buckets[hash & (shard->bucket_count - 1)];
  while (*place && ((*place)->hash != hash || !sli_view_equal(sli_view_of((*place)->key, (*place)->key_size), key)))
    place = &(*place)->next;
  return place;
}

static void add_locked(shard_t *shard, entry_t **place, sli_view_t key, uint64_t hash, item_t item) {
  entry_t *entry = *place;
  if (!entry) {
    entry = sli_malloc(sizeof(*entry) + key.size);
    *entry = (entry_t){.hash = hash, .key_size = key.size};
    if (key.size) memcpy(entry->key, key.data, key.size);
    *place = entry;
    shard->entry_count++;
  }
  item_t *added = sli_malloc(sizeof(*added));
  *added = item;
  if (entry->last)
    entry->last->next = added;
  else
    entry->first = added;
  entry->last = added;
}

static item_t take_locked(shard_t *shard, entry_t **place) {
  entry_t *entry = *place;
  item_t *first = entry->first, item = *first;
  entry->first = first->next;
  free(first);
  if (!entry->first) {
    *place = entry->next;
    shard->entry_count--;
    free(entry);
  }
  return item;
}

static sli_status_t *local_send(sli_rendezvous_t *self, sli_view_t key, sli_tensor_t *tensor, bool is_dead) {
  uint64_t hash = sli_hash_bytes(key.data, key.size);
  shard_t *shard = shard_of(self, hash);
  item_t receiver = {0};
  sli_mutex_lock(&shard->mutex);
  sli_status_t *status = sli_status_retain(shard->status);
  if (!status) {
    entry_t **place = find_locked(shard, key, hash);
    if (*place && (*place)->first->done)
      receiver = take_locked(shard, place);
    else
      add_locked(shard, place, key, hash, (item_t){.tensor = tensor, .is_dead = is_dead});
  }
  sli_mutex_unlock(&shard->mutex);
  if (status) sli_tensor_release(tensor);
  if (receiver.done) receiver.done(receiver.context, NULL, tensor, is_dead);
  return status;
}

static void local_recv(sli_rendezvous_t *self, sli_view_t key, sli_recv_fn_t done, void *context) {
  uint64_t hash = sli_hash_bytes(key.data, key.size);
  shard_t *shard = shard_of(self, hash);
  item_t value = {0};
  sli_mutex_lock(&shard->mutex);
  sli_status_t *status = sli_status_retain(shard->status);
  if (!status) {
    entry_t **place = find_locked(shard, key, hash);
    if (*place && !(*place)->first->done)
      value = take_locked(shard, place);
    else
      add_locked(shard, place, key, hash, (item_t){.done = done, .context = context});
  }
  sli_mutex_unlock(&shard->mutex);
  if (status || value.tensor) done(context, status, value.tensor, value.is_dead);
}

static void end_items(entry_t *entry, sli_status_t *status) {
  for (item_t *item = entry->first, *next; item; item = next) {
    next = item->next;
    if (item->done)
      item->done(item->context, sli_status_retain(status), NULL, false);
    else
      sli_tensor_release(item->tensor);
    free(item);
  }
  free(entry);
}

static void local_abort(sli_rendezvous_t *self, sli_status_t *status) {
  rendezvous_t *rendezvous = (rendezvous_t *)self;
  // A receiver that is told may drop the last reference but ours.
  sli_rendezvous_retain(self);
  for (size_t s = 0; s < SHARD_COUNT; s++) {
    shard_t *shard = &rendezvous->shards[s];
    sli_mutex_lock(&shard->mutex);
    if (!shard->status) shard->status = sli_status_retain(status);
    entry_t **buckets = shard->buckets;
    size_t count = shard->bucket_count;
    shard->buckets = NULL;
    shard->bucket_count = shard->entry_count = 0;
    sli_mutex_unlock(&shard->mutex);
    for (size_t b = 0; b < count; b++) {
      for (entry_t *entry = buckets[b], *next; entry; entry = next) {
        next = entry->next;
        end_items(entry, status);
      }
    }
    free(buckets);
  }
  sli_status_release(status);
  sli_rendezvous_release(self);
}

// Values that nobody fetched are dropped; a receiver that still waits is told.
static void local_destroy(sli_rendezvous_t *self) {
  rendezvous_t *rendezvous = (rendezvous_t *)self;
  sli_status_t *status = NULL;
  for (size_t s = 0; s < SHARD_COUNT; s++) {
    shard_t *shard = &rendezvous->shards[s];
    for (size_t b = 0; b < shard->bucket_count; b++) {
      for (entry_t *entry = shard->buckets[b], *next; entry; entry = next) {
        next = entry->next;
        if (!status) status = sli_status_make(SLI_ABORTED, "The rendezvous ended while a value was awaited");
        end_items(entry, status);
      }
    }
    free(shard->buckets);
    sli_status_release(shard->status);
    sli_mutex_deinitialize(&shard->mutex);
  }
  sli_status_release(status);
  free(rendezvous);
}

sli_rendezvous_t *sli_local_rendezvous_create(void) {
  static const sli_rendezvous_vtable_t vtable = {local_send, local_recv, local_abort, local_destroy};
  rendezvous_t *rendezvous = aligned_alloc(64, sizeof(*rendezvous));
  SLI_CHECK(rendezvous);
  memset(rendezvous, 0, sizeof(*rendezvous));
  rendezvous->base.vtable = &vtable;
  sli_refcount_initialize(&rendezvous->base.references);
  for (size_t s = 0; s < SHARD_COUNT; s++) sli_mutex_initialize(&rendezvous->shards[s].mutex);
  return &rendezvous->base;
}
