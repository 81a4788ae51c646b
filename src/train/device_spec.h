// Device names by their parts: "/job:ps/replica:0/task:1/device:CPU:0". Parts
// may be missing; merging fills them in. Plain values, thread-safe.
#ifndef SLI_TRAIN_DEVICE_SPEC_H_
#define SLI_TRAIN_DEVICE_SPEC_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { SLI_DEVICE_NAME_SIZE = 256 };

// Numbers: -1 absent.
typedef struct {
  char job[64];  // "" absent
  int replica, task;
  char type[16];  // "CPU"; "" absent
  int index;      // with a type: -1 stands for any, "*"
} sli_device_spec_t;

// INVALID_ARGUMENT names the part that cannot be understood. Takes "/cpu:0" too.
sli_status_t *sli_device_spec_parse(const char *device, sli_device_spec_t *out_spec);
// Takes from |other| what |spec| lacks.
void sli_device_spec_fill(sli_device_spec_t *spec, const sli_device_spec_t *other);
// The name as TensorFlow's Python writes it; "" if nothing is set.
void sli_device_spec_format(const sli_device_spec_t *spec, char *out_device, size_t size);

#endif  // SLI_TRAIN_DEVICE_SPEC_H_
