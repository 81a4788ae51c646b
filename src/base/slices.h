// A message as a chain of byte slices, so that a tensor's bytes travel from its
// buffer to the socket without a copy. A zero-initialised chain is empty. Thread-compatible.
#ifndef SLI_BASE_SLICES_H_
#define SLI_BASE_SLICES_H_

#include <stddef.h>
#include <stdint.h>

#include "base/string.h"

// Called once when a slice's bytes are no longer needed, on any thread.
typedef void (*sli_slices_release_fn_t)(void *context);

typedef struct {
  const char *data;
  size_t size;
  sli_slices_release_fn_t release;  // NULL: nothing to do
  void *context;
} sli_slices_slice_t;

typedef struct {
  sli_slices_slice_t *items;
  size_t count, capacity;
  size_t size;  // of all slices together
} sli_slices_t;

// Appends |string|'s memory, which the slices then own, as one slice and leaves |string| empty.
void sli_slices_append_string(sli_slices_t *slices, sli_string_t *string);
// Appends |size| bytes by reference; |release|(context) is called when they are not needed any more.
void sli_slices_append(sli_slices_t *slices, const void *data, size_t size, sli_slices_release_fn_t release,
                       void *context);
// Copies all bytes to |destination|, which must have room for slices->size bytes.
void sli_slices_copy(const sli_slices_t *slices, void *destination);
// Releases every slice.
void sli_slices_deinitialize(sli_slices_t *slices);

#endif  // SLI_BASE_SLICES_H_
