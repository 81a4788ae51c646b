// The devices that a session may use: those of this task and, in a cluster, those
// that other tasks reported. Immutable once filled.
#ifndef SLI_RUNTIME_PLACE_DEVICE_SET_H_
#define SLI_RUNTIME_PLACE_DEVICE_SET_H_

#include "base/array.h"
#include "core/step/device.h"

typedef struct {
  char *name;  // full
  char *type;
  uint64_t incarnation;
  int64_t memory_limit;
  sli_device_t *local;  // NULL: another task's. Not owned
} sli_device_set_entry_t;

typedef struct {
  SLI_ARRAY(sli_device_set_entry_t) devices;
} sli_device_set_t;

void sli_device_set_add(sli_device_set_t *set, const char *name, const char *type, uint64_t incarnation,
                        int64_t memory_limit, sli_device_t *local);
// Sorts by name, as TensorFlow does for devices of one type, so that every task chooses the same of several devices.
void sli_device_set_sort(sli_device_set_t *set);
const sli_device_set_entry_t *sli_device_set_find(const sli_device_set_t *set, sli_view_t name);
void sli_device_set_deinitialize(sli_device_set_t *set);

#endif  // SLI_RUNTIME_PLACE_DEVICE_SET_H_
