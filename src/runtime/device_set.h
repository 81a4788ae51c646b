// The devices a session may use: this task's own and, in a cluster, those that
// other tasks reported. Immutable once filled.
#ifndef SLI_RUNTIME_DEVICE_SET_H_
#define SLI_RUNTIME_DEVICE_SET_H_

#include "base/array.h"
#include "core/device.h"

typedef struct {
  char *name;  // full
  char *type;
  uint64_t incarnation;
  int64_t memory_limit;
  sli_device_t *local;  // NULL: another task's. Not owned
} sli_device_info_t;

typedef struct {
  SLI_ARRAY(sli_device_info_t) devices;
} sli_device_set_t;

void sli_device_set_add(sli_device_set_t *set, const char *name, const char *type, uint64_t incarnation,
                        int64_t memory_limit, sli_device_t *local);
// By name, as TensorFlow orders devices of one type: whoever wants any of several gets the same one everywhere.
void sli_device_set_sort(sli_device_set_t *set);
const sli_device_info_t *sli_device_set_find(const sli_device_set_t *set, sli_view_t name);
void sli_device_set_deinitialize(sli_device_set_t *set);

#endif  // SLI_RUNTIME_DEVICE_SET_H_
