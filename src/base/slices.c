#include "base/slices.h"

#include <stdlib.h>

#include "base/array.h"

void sli_slices_append(sli_slices_t *slices, const void *data, size_t size, sli_slices_release_fn_t release,
                       void *context) {
  if (size == 0) {
    if (release) release(context);
    return;
  }
  sli_array_push(slices, (sli_slices_slice_t){data, size, release, context});
  slices->size += size;
}

void sli_slices_append_string(sli_slices_t *slices, sli_string_t *string) {
  size_t size = string->size;
  if (!string->data) return;
  char *data = sli_string_take(string);
  sli_slices_append(slices, data, size, free, data);
}

void sli_slices_copy(const sli_slices_t *slices, void *destination) {
  char *next = destination;
  for (size_t i = 0; i < slices->count; i++) {
    memcpy(next, slices->items[i].data, slices->items[i].size);
    next += slices->items[i].size;
  }
}

void sli_slices_deinitialize(sli_slices_t *slices) {
  for (size_t i = 0; i < slices->count; i++)
    if (slices->items[i].release) slices->items[i].release(slices->items[i].context);
  sli_array_deinitialize(slices);
  slices->size = 0;
}
