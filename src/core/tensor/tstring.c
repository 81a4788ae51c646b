// TensorFlow's inline functions (in its C headers) read, grow and free the same values.
// So the bytes of a large string are malloc'ed and NUL-terminated, with capacity + 1 bytes.
#include "core/tensor/tstring.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { SMALL_CAPACITY = sizeof(sli_tstring_t) - 2, KIND_MASK = 3, KIND_BITS = 2 };

_Static_assert(sizeof(sli_tstring_t) == 24, "the layout is TensorFlow's ABI");

static sli_tstring_kind_t kind_of(const sli_tstring_t *string) {
  return (sli_tstring_kind_t)(string->small.size & KIND_MASK);
}

void sli_tstring_deinitialize(sli_tstring_t *string) {
  if (kind_of(string) == SLI_TSTRING_LARGE) free(string->large.data);
  sli_tstring_initialize(string);
}

sli_view_t sli_tstring_view(const sli_tstring_t *string) {
  switch (kind_of(string)) {
    case SLI_TSTRING_SMALL: return sli_view_of(string->small.text, string->small.size >> KIND_BITS);
    case SLI_TSTRING_LARGE: return sli_view_of(string->large.data, string->large.size >> KIND_BITS);
    case SLI_TSTRING_OFFSET:
      return sli_view_of((const char *)string + string->offset.offset, string->offset.size >> KIND_BITS);
    case SLI_TSTRING_VIEW: break;
  }
  return sli_view_of(string->view.data, string->view.size >> KIND_BITS);
}

void sli_tstring_assign(sli_tstring_t *string, const void *data, size_t size) {
  if (size <= SMALL_CAPACITY) {
    // Built in new memory, because |data| may point into the old contents.
    sli_tstring_t fresh = {0};
    fresh.small.size = (uint8_t)(size << KIND_BITS | SLI_TSTRING_SMALL);
    if (size) memcpy(fresh.small.text, data, size);
    sli_tstring_deinitialize(string);
    *string = fresh;
    return;
  }
  if (kind_of(string) == SLI_TSTRING_LARGE && size <= string->large.capacity) {
    memmove(string->large.data, data, size);
    string->large.data[size] = '\0';
    string->large.size = size << KIND_BITS | SLI_TSTRING_LARGE;
    return;
  }
  char *copy = sli_strndup(data, size);
  sli_tstring_deinitialize(string);
  string->large.size = size << KIND_BITS | SLI_TSTRING_LARGE;
  string->large.capacity = size;
  string->large.data = copy;
}

char *sli_tstring_resize(sli_tstring_t *string, size_t size) {
  sli_view_t old = sli_tstring_view(string);
  size_t kept = old.size < size ? old.size : size;
  if (size <= SMALL_CAPACITY) {
    sli_tstring_assign(string, old.data, kept);
    memset(string->small.text + kept, 0, sizeof(string->small.text) - kept);
    string->small.size = (uint8_t)(size << KIND_BITS | SLI_TSTRING_SMALL);
    return string->small.text;
  }
  if (kind_of(string) != SLI_TSTRING_LARGE) {
    char *data = sli_malloc(size + 1);
    if (kept) memcpy(data, old.data, kept);
    string->large.data = data;
    string->large.capacity = size;
  } else if (size > string->large.capacity) {
    // Doubles, so that repeated appending takes linear time.
    size_t capacity = size > string->large.capacity * 2 ? size : string->large.capacity * 2;
    string->large.data = sli_realloc(string->large.data, capacity + 1);
    string->large.capacity = capacity;
  }
  if (size > kept) memset(string->large.data + kept, 0, size - kept);
  string->large.data[size] = '\0';
  string->large.size = size << KIND_BITS | SLI_TSTRING_LARGE;
  return string->large.data;
}
