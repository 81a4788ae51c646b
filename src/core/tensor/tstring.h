// String elements, with the memory layout of TensorFlow 2's TF_TString, so that the C
// API returns string tensors without a conversion. 24 bytes; up to 22 bytes inline.
#ifndef SLI_CORE_TENSOR_TSTRING_H_
#define SLI_CORE_TENSOR_TSTRING_H_

#include <stddef.h>
#include <stdint.h>

#include "base/string.h"

// The two low bits of the first byte (of |size| in the large form) are the kind.
typedef enum {
  SLI_TSTRING_SMALL = 0,
  SLI_TSTRING_LARGE = 1,
  SLI_TSTRING_OFFSET = 2,
  SLI_TSTRING_VIEW = 3
} sli_tstring_kind_t;

typedef struct {
  union {
    struct {
      uint8_t size;  // length << 2 | kind
      char text[23];
    } small;
    struct {
      size_t size;  // length << 2 | kind
      size_t capacity;
      char *data;  // malloc'ed
    } large;
    struct {
      uint32_t size, offset, count;  // length << 2 | kind; from the start of this value
    } offset;
    struct {
      size_t size;
      const char *data;
    } view;
  };
} sli_tstring_t;

// A value of zero bytes is an empty string.
static inline void sli_tstring_initialize(sli_tstring_t *string) { *string = (sli_tstring_t){0}; }
void sli_tstring_deinitialize(sli_tstring_t *string);
// Replaces the contents by a copy of the bytes.
void sli_tstring_assign(sli_tstring_t *string, const void *data, size_t size);
sli_view_t sli_tstring_view(const sli_tstring_t *string);
// Makes room for |size| bytes and keeps the old contents as far as they fit. Returns the first byte.
char *sli_tstring_resize(sli_tstring_t *string, size_t size);

#endif  // SLI_CORE_TENSOR_TSTRING_H_
