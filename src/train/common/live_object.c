#include "train/common/live_object.h"

#include "base/array.h"
#include "base/sync.h"

static sli_mutex_t mutex = SLI_MUTEX_INITIALIZER;
static SLI_ARRAY(void *) kept;  // under mutex

void sli_live_object_add(void *object) {
  sli_mutex_lock(&mutex);
  sli_array_push(&kept, object);
  sli_mutex_unlock(&mutex);
}

void sli_live_object_remove(void *object) {
  sli_mutex_lock(&mutex);
  for (size_t i = 0; i < kept.count; i++) {
    if (kept.items[i] != object) continue;
    kept.items[i] = kept.items[--kept.count];
    break;
  }
  if (kept.count == 0) sli_array_deinitialize(&kept);
  sli_mutex_unlock(&mutex);
}

bool sli_live_object_is_listed(const void *object) {
  bool found = false;
  sli_mutex_lock(&mutex);
  for (size_t i = 0; i < kept.count && !found; i++) found = kept.items[i] == object;
  sli_mutex_unlock(&mutex);
  return found;
}
