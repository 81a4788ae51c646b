#include "io/file/read_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
  FIRST_AHEAD = 64 << 10,  // bytes that a read fetches at least
  LAST_AHEAD = 8 << 20,    // the same after several reads in sequence
  SHARE = 8 << 20,         // bytes of each of several requests for a large read
  MAX_REQUESTS = 4,
};

void sli_read_ahead_initialize(sli_read_ahead_t *ahead, sli_read_ahead_fetch_fn_t fetch, void *context) {
  *ahead = (sli_read_ahead_t){.fetch = fetch, .context = context};
  sli_mutex_initialize(&ahead->mutex);
}

static void run_request(void *context) {
  sli_read_ahead_request_t *request = context;
  request->status = request->fetch(request->context, request->offset, request->data, request->size, &request->got);
}

static void start_request(sli_read_ahead_t *ahead, sli_read_ahead_request_t *request, uint64_t offset, char *data,
                          size_t size) {
  *request = (sli_read_ahead_request_t){
      .fetch = ahead->fetch, .context = ahead->context, .offset = offset, .data = data, .size = size};
  sli_background_start(&request->thread, run_request, request);
}

static void drop_next(sli_read_ahead_t *ahead) {
  if (!ahead->next.size) return;
  sli_background_wait(&ahead->next.thread);
  sli_status_release(ahead->next.status);
  free(ahead->next.data);
  ahead->next = (sli_read_ahead_request_t){0};
}

void sli_read_ahead_deinitialize(sli_read_ahead_t *ahead) {
  drop_next(ahead);
  sli_mutex_deinitialize(&ahead->mutex);
  free(ahead->buffer);
}

// A large read, by several requests at the same time. The bytes count up to the first request that is not whole.
static sli_status_t *read_large(sli_read_ahead_t *ahead, uint64_t offset, char *data, size_t size, size_t *out_size) {
  sli_read_ahead_request_t requests[MAX_REQUESTS] = {0};
  size_t count = size / SHARE < MAX_REQUESTS ? size / SHARE : MAX_REQUESTS;
  if (count < 2) return ahead->fetch(ahead->context, offset, data, size, out_size);
  size_t share = size / count;
  for (size_t i = 0; i < count; i++)
    start_request(ahead, &requests[i], offset + i * share, data + i * share, i + 1 < count ? share : size - i * share);
  sli_status_t *status = NULL;
  bool whole = true;
  for (size_t i = 0; i < count; i++) {
    sli_background_wait(&requests[i].thread);
    if (whole && !status) status = sli_status_retain(requests[i].status);
    if (whole) *out_size += requests[i].got;
    whole = whole && requests[i].got == requests[i].size;
    sli_status_release(requests[i].status);
  }
  return status;
}

// Fills the buffer with the bytes at |offset|: those that were fetched ahead, or new ones.
static sli_status_t *fill(sli_read_ahead_t *ahead, uint64_t offset) {
  ahead->begin = offset;
  ahead->held = 0;
  bool matches = ahead->next.size && ahead->next.offset == offset;
  if (matches) sli_background_wait(&ahead->next.thread);
  if (!matches || ahead->next.status) {
    drop_next(ahead);
    if (!ahead->buffer) ahead->buffer = sli_malloc(LAST_AHEAD);
    SLI_RETURN_IF_ERROR(ahead->fetch(ahead->context, offset, ahead->buffer, ahead->ahead, &ahead->held));
    if (ahead->ahead == FIRST_AHEAD || ahead->held < ahead->ahead) return NULL;
  } else {
    char *old = ahead->buffer;
    size_t wanted = ahead->next.size;
    ahead->buffer = ahead->next.data;
    ahead->held = ahead->next.got;
    ahead->next = (sli_read_ahead_request_t){.data = old};
    if (ahead->held < wanted) {
      free(old);
      ahead->next.data = NULL;
      return NULL;
    }
  }
  char *room = ahead->next.data ? ahead->next.data : sli_malloc(LAST_AHEAD);
  start_request(ahead, &ahead->next, offset + ahead->held, room, ahead->ahead);
  return NULL;
}

sli_status_t *sli_read_ahead_read(sli_read_ahead_t *ahead, uint64_t offset, void *data, size_t size, size_t *out_size) {
  *out_size = 0;
  if (offset > INT64_MAX - LAST_AHEAD - (uint64_t)size) return NULL;
  sli_mutex_lock(&ahead->mutex);
  bool held = offset >= ahead->begin && offset < ahead->begin + ahead->held;
  bool next = offset == ahead->begin + ahead->held;
  if (!held) {
    ahead->ahead = !next || !ahead->ahead ? FIRST_AHEAD : ahead->ahead < LAST_AHEAD ? 2 * ahead->ahead : LAST_AHEAD;
    if (size >= ahead->ahead && !(ahead->next.size && ahead->next.offset == offset)) {
      ahead->begin = offset + size;  // where the next one is in sequence
      ahead->held = 0;
      sli_mutex_unlock(&ahead->mutex);
      return read_large(ahead, offset, data, size, out_size);
    }
    sli_status_t *status = fill(ahead, offset);
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
