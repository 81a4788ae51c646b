#include "dist/store/store_space.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/lend.h"

enum { MAX_SPACES = 1024, KEPT_MILLIS = 60000 };
#define MAX_BYTES (UINT64_C(1) << 30)  // of all of them; one alone may have more

typedef struct {
  sli_tensor_t *memory;
  int64_t deadline;
} space_t;

void sli_store_spaces_initialize(sli_store_spaces_t *spaces, sli_env_t *env) {
  *spaces = (sli_store_spaces_t){.env = env};
  sli_mutex_initialize(&spaces->mutex);
}

void sli_store_spaces_deinitialize(sli_store_spaces_t *spaces) {
  SLI_MAP_FOR_EACH (&spaces->reserved, entry) {
    space_t *space = entry->value;
    sli_tensor_release(space->memory);
    free(space);
  }
  sli_map_deinitialize(&spaces->reserved);
  sli_mutex_deinitialize(&spaces->mutex);
}

static sli_tensor_t *take_locked(sli_store_spaces_t *spaces, sli_view_t number) {
  space_t *space = sli_map_remove(&spaces->reserved, number);
  if (!space) return NULL;
  sli_tensor_t *memory = space->memory;
  spaces->bytes -= sli_tensor_bytes(memory);
  free(space);
  return memory;
}

// Gives one space back that its client has left. Returns false if there is none.
static bool drop_one_locked(sli_store_spaces_t *spaces) {
  int64_t now = spaces->env->now(spaces->env);
  SLI_MAP_FOR_EACH (&spaces->reserved, entry) {
    const space_t *space = entry->value;
    if (space->deadline > now || sli_lend_is_lent(space->memory->data)) continue;
    sli_tensor_release(take_locked(spaces, sli_view_of(entry->key, entry->key_size)));
    return true;
  }
  return false;
}

static bool has_room_locked(const sli_store_spaces_t *spaces, uint64_t size) {
  return !spaces->reserved.count || (spaces->reserved.count < MAX_SPACES && spaces->bytes + size <= MAX_BYTES);
}

void sli_store_spaces_reserve(sli_store_spaces_t *spaces, uint64_t size, uint64_t *out_number,
                              sli_tensor_t **out_memory) {
  *out_memory = NULL;
  *out_number = 0;
  int64_t dims[] = {(int64_t)size};
  sli_status_t *status = sli_tensor_create(&sli_allocator_shared, SLI_DTYPE_UINT8, dims, 1, out_memory);
  bool is_shared = !status && sli_lend_owns((*out_memory)->data);
  sli_status_release(status);
  sli_mutex_lock(&spaces->mutex);
  while (is_shared && !has_room_locked(spaces, size) && drop_one_locked(spaces)) continue;
  is_shared = is_shared && has_room_locked(spaces, size);
  if (is_shared) {
    space_t *space = sli_malloc(sizeof(*space));
    *space = (space_t){sli_tensor_retain(*out_memory), sli_env_deadline_after_millis(spaces->env, KEPT_MILLIS)};
    *out_number = spaces->env->random(spaces->env) | 1;
    spaces->bytes += size;
    sli_map_set(&spaces->reserved, sli_view_of((const char *)out_number, sizeof(*out_number)), space);
  }
  sli_mutex_unlock(&spaces->mutex);
  if (is_shared) return;
  sli_tensor_release(*out_memory);
  *out_memory = NULL;
}

sli_tensor_t *sli_store_spaces_take(sli_store_spaces_t *spaces, uint64_t number) {
  sli_mutex_lock(&spaces->mutex);
  sli_tensor_t *memory = take_locked(spaces, sli_view_of((const char *)&number, sizeof(number)));
  sli_mutex_unlock(&spaces->mutex);
  return memory;
}
