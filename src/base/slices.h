// A message as a chain of byte slices, so that a tensor's bytes travel from its
// buffer to the socket without a copy. Zero-initialised is empty. Thread-compatible.
#ifndef SLI_BASE_SLICES_H_
#define SLI_BASE_SLICES_H_

#include <stddef.h>
#include <stdint.h>

#include "base/string.h"

// Called once when a slice's bytes are no longer needed, on any thread.
typedef void (*sli_slice_release_t)(void *context);

typedef struct {
  const char *data;
  size_t size;
  sli_slice_release_t release;  // NULL: nothing to do
  void *context;
} sli_slice_t;

typedef struct {
  sli_slice_t *items;
  size_t count, capacity;
  size_t size;  // of all slices together
} sli_slices_t;

// Takes over |string|'s memory as one slice and leaves it empty.
void sli_slices_append_string(sli_slices_t *slices, sli_string_t *string);
// Appends |size| bytes by reference; |release|(context) runs when they are done with.
void sli_slices_append(sli_slices_t *slices, const void *data, size_t size, sli_slice_release_t release, void *context);
// Moves all slices of |more| behind those of |slices|.
void sli_slices_append_all(sli_slices_t *slices, sli_slices_t *more);
// One contiguous copy at |destination|, which has room for slices->size bytes.
void sli_slices_copy(const sli_slices_t *slices, void *destination);
// Releases every slice.
void sli_slices_deinitialize(sli_slices_t *slices);

#endif  // SLI_BASE_SLICES_H_
