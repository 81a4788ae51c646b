// Reading a caller's struct of options, which may be older (shorter) or newer
// (longer) than ours: what it has is copied, the rest is zero.
#ifndef SLI_TRAIN_OPTIONS_INTERNAL_H_
#define SLI_TRAIN_OPTIONS_INTERNAL_H_

#include <stddef.h>
#include <string.h>

static inline void sli_options_copy(void *own, size_t own_size, const void *given) {
  memset(own, 0, own_size);
  size_t size = given ? *(const size_t *)given : 0;
  if (given) memcpy(own, given, size < own_size ? size : own_size);
}

// Declares |own|, a copy of |*given| (NULL: all zero).
#define SLI_READ_OPTIONS(type, own, given) \
  type own;                                \
  sli_options_copy(&(own), sizeof(own), (given))

#endif  // SLI_TRAIN_OPTIONS_INTERNAL_H_
