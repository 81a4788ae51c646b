// A growing array of any item type:
//
//   SLI_ARRAY(int) numbers = {0};
//   sli_array_push(&numbers, 42);
//   for (size_t i = 0; i < numbers.count; i++) use(numbers.items[i]);
//   sli_array_deinitialize(&numbers);
#ifndef SLI_BASE_ARRAY_H_
#define SLI_BASE_ARRAY_H_

#include <stddef.h>
#include <stdlib.h>

#include "base/alloc.h"

#define SLI_ARRAY(type)     \
  struct {                  \
    type *items;            \
    size_t count, capacity; \
  }

static inline void *sli_array_grown(void *items, size_t *capacity, size_t needed, size_t item_size) {
  size_t grown = *capacity ? *capacity * 2 : 8;
  if (grown < needed) grown = needed;
  *capacity = grown;
  return sli_realloc(items, grown * item_size);
}

// Makes room for |extra| more items.
#define sli_array_reserve(array, extra)                                                                           \
  do {                                                                                                            \
    if ((array)->count + (extra) > (array)->capacity)                                                             \
      (array)->items =                                                                                            \
          sli_array_grown((array)->items, &(array)->capacity, (array)->count + (extra), sizeof(*(array)->items)); \
  } while (0)

#define sli_array_push(array, ...)                    \
  do {                                                \
    sli_array_reserve(array, 1);                      \
    (array)->items[(array)->count++] = (__VA_ARGS__); \
  } while (0)

#define sli_array_deinitialize(array)       \
  do {                                      \
    free((array)->items);                   \
    (array)->items = NULL;                  \
    (array)->count = (array)->capacity = 0; \
  } while (0)

#define SLI_ARRAY_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif  // SLI_BASE_ARRAY_H_
