#include "ops/image/codec_library.h"

#include <dlfcn.h>
#include <stddef.h>

sli_status_t *sli_codec_load(const char *file, const char *package, const sli_codec_function_t *functions, int count) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    return sli_status_make(SLI_FAILED_PRECONDITION,
                           "The library %s, which this image format needs, cannot be loaded: install the package %s",
                           file, package);
  }
  for (int i = 0; i < count; i++) {
    *functions[i].where = dlsym(handle, functions[i].name);
    if (!*functions[i].where)
      return sli_status_make(SLI_FAILED_PRECONDITION, "The library %s has no function %s: install the package %s", file,
                             functions[i].name, package);
  }
  return NULL;
}
