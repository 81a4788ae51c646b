#include "runtime/place/device_set.h"

#include <stdlib.h>
#include <string.h>

void sli_device_set_add(sli_device_set_t *set, const char *name, const char *type, uint64_t incarnation,
                        int64_t memory_limit, sli_device_t *local) {
  sli_array_push(&set->devices,
                 (sli_device_set_entry_t){sli_strdup(name), sli_strdup(type), incarnation, memory_limit, local});
}

static int compare_names(const void *a, const void *b) {
  return strcmp(((const sli_device_set_entry_t *)a)->name, ((const sli_device_set_entry_t *)b)->name);
}

void sli_device_set_sort(sli_device_set_t *set) {
  if (set->devices.count) qsort(set->devices.items, set->devices.count, sizeof(*set->devices.items), compare_names);
}

const sli_device_set_entry_t *sli_device_set_find(const sli_device_set_t *set, sli_view_t name) {
  for (size_t i = 0; i < set->devices.count; i++)
    if (sli_view_is(name, set->devices.items[i].name)) return &set->devices.items[i];
  return NULL;
}

void sli_device_set_deinitialize(sli_device_set_t *set) {
  for (size_t i = 0; i < set->devices.count; i++) {
    free(set->devices.items[i].name);
    free(set->devices.items[i].type);
  }
  sli_array_deinitialize(&set->devices);
}
