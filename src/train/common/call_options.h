// Copies a caller's struct of options. The program may have been compiled with an
// older (shorter) or newer (longer) version of the struct: fields that the caller's
// version lacks become zero, fields that ours lacks are ignored.
#ifndef SLI_TRAIN_COMMON_CALL_OPTIONS_H_
#define SLI_TRAIN_COMMON_CALL_OPTIONS_H_

#include <stddef.h>
#include <string.h>

static inline void sli_call_options_copy(void *own, size_t own_size, const void *given) {
  memset(own, 0, own_size);
  size_t size = given ? *(const size_t *)given : 0;
  if (given) memcpy(own, given, size < own_size ? size : own_size);
}

// Declares |own| as a copy of |*given| (NULL: all zero).
#define SLI_CALL_OPTIONS(type, own, given) \
  type own;                                \
  sli_call_options_copy(&(own), sizeof(own), (given))

#endif  // SLI_TRAIN_COMMON_CALL_OPTIONS_H_
