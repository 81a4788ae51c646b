#include "io/file/read_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
  FIRST_AHEAD = 64 << 10,  // bytes that a read fetches at least
  LAST_AHEAD = 8 << 20,    // the same after several reads in sequence
};

void sli_read_ahead_initialize(sli_read_ahead_t *ahead, sli_read_ahead_fetch_fn_t fetch, void *context) {
  *ahead = (sli_read_ahead_t){.fetch = fetch, .context = context};
  sli_mutex_initialize(&ahead->mutex);
}

void sli_read_ahead_deinitialize(sli_read_ahead_t *ahead) {
  sli_mutex_deinitialize(&ahead->mutex);
  free(ahead->buffer);
}

sli_status_t *sli_read_ahead_read(sli_read_ahead_t *ahead, uint64_t offset, void *data, size_t size, size_t *out_size) {
  *out_size = 0;
  if (offset > INT64_MAX - LAST_AHEAD - (uint64_t)size) return NULL;
  sli_mutex_lock(&ahead->mutex);
  bool held = offset >= ahead->begin && offset < ahead->begin + ahead->held;
  bool next = offset == ahead->begin + ahead->held;
  if (!held) {
    ahead->ahead = !next || !ahead->ahead ? FIRST_AHEAD : ahead->ahead < LAST_AHEAD ? 2 * ahead->ahead : LAST_AHEAD;
    if (size >= ahead->ahead) {
      ahead->begin = offset + size;  // where the next one is in sequence
      ahead->held = 0;
      sli_mutex_unlock(&ahead->mutex);
      return ahead->fetch(ahead->context, offset, data, size, out_size);
    }
    if (!ahead->buffer) ahead->buffer = sli_malloc(LAST_AHEAD);
    ahead->begin = offset;
    ahead->held = 0;
    sli_status_t *status = ahead->fetch(ahead->context, offset, ahead->buffer, ahead->ahead, &ahead->held);
    if (status) {
      sli_mutex_unlock(&ahead->mutex);
      return status;
    }
  }
  size_t there = (size_t)(ahead->begin + ahead->held - offset);
  *out_size = there < size ? there : size;
  if (*out_size) memcpy(data, ahead->buffer + (offset - ahead->begin), *out_size);
  sli_mutex_unlock(&ahead->mutex);
  return NULL;
}
