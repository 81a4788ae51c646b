#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void out_of_memory(size_t size) {
  fprintf(stderr, "sluice: out of memory (asked for %zu bytes)\n", size);
  abort();
}

void *sli_malloc(size_t size) {
  void *pointer = malloc(size ? size : 1);
  if (!pointer) out_of_memory(size);
  return pointer;
}

void *sli_calloc(size_t count, size_t size) {
  void *pointer = calloc(count ? count : 1, size ? size : 1);
  if (!pointer) out_of_memory(count * size);
  return pointer;
}

void *sli_realloc(void *pointer, size_t size) {
  void *moved = realloc(pointer, size ? size : 1);
  if (!moved) out_of_memory(size);
  return moved;
}

char *sli_strdup(const char *text) { return sli_strndup(text, strlen(text)); }

char *sli_strndup(const char *text, size_t length) {
  char *copy = sli_malloc(length + 1);
  if (length) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

void *sli_memdup(const void *data, size_t size) {
  void *copy = sli_malloc(size);
  if (size) memcpy(copy, data, size);
  return copy;
}

char *sli_format(const char *format, ...) {
  char *text = NULL;
  va_list args;
  va_start(args, format);
  int length = vasprintf(&text, format, args);
  va_end(args);
  if (length < 0 || !text) out_of_memory(0);
  return text;
}

void *sli_try_malloc(size_t size) { return malloc(size ? size : 1); }
