// Loads the library of a codec: a table of its functions, filled by name.
#ifndef SLI_OPS_IMAGE_CODEC_LIBRARY_H_
#define SLI_OPS_IMAGE_CODEC_LIBRARY_H_

#include "base/status.h"

typedef struct {
  const char *name;
  void **where;
} sli_codec_function_t;

// The functions of |file|, such as "libpng16.so.16", of Debian's package |package|. FAILED_PRECONDITION if it cannot be
// loaded. Call it once; a library is never unloaded.
sli_status_t *sli_codec_load(const char *file, const char *package, const sli_codec_function_t *functions, int count);

#endif  // SLI_OPS_IMAGE_CODEC_LIBRARY_H_
