// Device names as structs: "/job:ps/replica:0/task:1/device:CPU:0". Parts may be
// absent; merging fills them in. Plain values, thread-safe.
#ifndef SLI_TRAIN_COMMON_DEVICE_SPEC_H_
#define SLI_TRAIN_COMMON_DEVICE_SPEC_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { SLI_DEVICE_SPEC_SIZE = 256 };

// A number of -1 is absent.
typedef struct {
  char job[64];  // "": absent
  int replica, task;
  char type[16];  // "CPU"; "": absent
  int index;      // -1 with a type: any, "*"
} sli_device_spec_t;

// INVALID_ARGUMENT names the part that cannot be parsed. Accepts "/cpu:0", too.
sli_status_t *sli_device_spec_parse(const char *device, sli_device_spec_t *out_spec);
// Copies the parts that |spec| lacks from |other|.
void sli_device_spec_fill(sli_device_spec_t *spec, const sli_device_spec_t *other);
// Writes the name as TensorFlow's Python library does; "" if nothing is set.
void sli_device_spec_format(const sli_device_spec_t *spec, char *out_device, size_t size);

#endif  // SLI_TRAIN_COMMON_DEVICE_SPEC_H_
