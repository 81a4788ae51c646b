#include "io/file/read_ahead.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum {
  FETCH_SIZE = 64 << 10,     // bytes that a read fetches at least
  FIRST_WINDOW = 256 << 10,  // bytes that a stream may be ahead at first; twice as many whenever they were all used
  RING_SIZE = 8 << 20,       // the same in the end
  PIECE = 2 << 20,           // bytes of each request of a file that has no streams
  SHARE = 8 << 20,           // bytes of each of several requests for a large read
  MAX_REQUESTS = 4,
};
// Streams end at multiples of this, as blocks of HDFS do: the next request goes to who has the next block.
static const uint64_t STREAM_SIZE = 128 << 20;

// --- Streams ---

struct sli_read_ahead_stream {
  sli_read_ahead_fetch_fn_t fetch;
  sli_read_ahead_stream_fn_t stream;
  void *context;
  sli_background_t thread;
  atomic_bool is_stopped;
  sli_mutex_t mutex;       // guards what follows
  sli_cond_t changed;      // bytes came or went, or it ended
  uint64_t read, written;  // positions in the file: the ring has the bytes between them, at position % RING_SIZE
  uint64_t grows_at;       // the window grows when |read| comes here
  size_t window;
  bool has_ended;  // at the end of the file, or by a failure
  char *ring;
};

// Puts bytes into the ring, at |position|.
static void put(sli_read_ahead_stream_t *stream, uint64_t position, const char *data, size_t size) {
  size_t at = (size_t)(position % RING_SIZE), first = RING_SIZE - at < size ? RING_SIZE - at : size;
  memcpy(stream->ring + at, data, first);
  memcpy(stream->ring, data + first, size - first);
}

static void get(const sli_read_ahead_stream_t *stream, uint64_t position, char *data, size_t size) {
  size_t at = (size_t)(position % RING_SIZE), first = RING_SIZE - at < size ? RING_SIZE - at : size;
  memcpy(data, stream->ring + at, first);
  memcpy(data + first, stream->ring, size - first);
}

// In the thread of the stream, the only one that writes: what is copied here nobody else touches.
static bool take(void *context, const char *data, size_t size) {
  sli_read_ahead_stream_t *stream = context;
  while (size) {
    sli_mutex_lock(&stream->mutex);
    while (stream->written - stream->read >= stream->window && !atomic_load(&stream->is_stopped))
      sli_cond_wait(&stream->changed, &stream->mutex);
    size_t room = stream->window - (size_t)(stream->written - stream->read);
    uint64_t position = stream->written;
    sli_mutex_unlock(&stream->mutex);
    if (atomic_load(&stream->is_stopped)) return false;
    size_t part = size < room ? size : room;
    put(stream, position, data, part);
    data += part;
    size -= part;
    sli_mutex_lock(&stream->mutex);
    stream->written += part;
    sli_cond_signal(&stream->changed);
    sli_mutex_unlock(&stream->mutex);
  }
  return true;
}

// The same as a stream of the store, by requests for pieces.
static sli_status_t *stream_pieces(sli_read_ahead_stream_t *stream, uint64_t offset, uint64_t size) {
  char *piece = sli_malloc(PIECE);
  sli_status_t *status = NULL;
  bool goes_on = true;
  for (size_t wanted = FIRST_WINDOW; size && goes_on && !status; wanted = 2 * wanted < PIECE ? 2 * wanted : PIECE) {
    size_t asked = size < wanted ? (size_t)size : wanted, got = 0;
    status = stream->fetch(stream->context, offset, piece, asked, &got);
    goes_on = !status && take(stream, piece, got) && got == asked;
    offset += got;
    size -= got;
  }
  free(piece);
  return status;
}

// One request after the other, until one is not whole. A failure is no news: the reader then asks by itself.
static void run_stream(void *context) {
  sli_read_ahead_stream_t *stream = context;
  for (bool whole = true; whole && !atomic_load(&stream->is_stopped);) {
    uint64_t offset = stream->written, size = STREAM_SIZE - offset % STREAM_SIZE;
    sli_http_sink_t sink = {.capacity = size, .take = take, .context = stream, .is_stopped = &stream->is_stopped};
    sli_status_release(stream->stream ? stream->stream(stream->context, offset, &sink)
                                      : stream_pieces(stream, offset, size));
    whole = stream->written == offset + size;
  }
  sli_mutex_lock(&stream->mutex);
  stream->has_ended = true;
  sli_cond_signal(&stream->changed);
  sli_mutex_unlock(&stream->mutex);
}

static void start_stream(sli_read_ahead_t *ahead, uint64_t offset) {
  sli_read_ahead_stream_t *stream = sli_calloc(1, sizeof(*stream));
  *stream = (sli_read_ahead_stream_t){.fetch = ahead->fetch,
                                      .stream = ahead->stream,
                                      .context = ahead->context,
                                      .read = offset,
                                      .written = offset,
                                      .grows_at = offset + FIRST_WINDOW,
                                      .window = FIRST_WINDOW,
                                      .ring = sli_malloc(RING_SIZE)};
  sli_mutex_initialize(&stream->mutex);
  sli_cond_initialize(&stream->changed);
  if (sli_background_try(&stream->thread, run_stream, stream)) {
    ahead->current = stream;
    return;
  }
  sli_cond_deinitialize(&stream->changed);
  sli_mutex_deinitialize(&stream->mutex);
  free(stream->ring);
  free(stream);
}

static void drop_stream(sli_read_ahead_t *ahead) {
  sli_read_ahead_stream_t *stream = ahead->current;
  if (!stream) return;
  sli_mutex_lock(&stream->mutex);
  atomic_store(&stream->is_stopped, true);
  sli_cond_signal(&stream->changed);
  sli_mutex_unlock(&stream->mutex);
  sli_background_wait(&stream->thread);
  sli_cond_deinitialize(&stream->changed);
  sli_mutex_deinitialize(&stream->mutex);
  free(stream->ring);
  free(stream);
  ahead->current = NULL;
}

// Waits for bytes at |offset|, which the stream has or comes to next. 0: it has ended.
static size_t read_stream(sli_read_ahead_stream_t *stream, uint64_t offset, char *data, size_t size) {
  sli_mutex_lock(&stream->mutex);
  stream->read = offset;
  while (stream->written == stream->read && !stream->has_ended) sli_cond_wait(&stream->changed, &stream->mutex);
  size_t there = (size_t)(stream->written - stream->read), taken = there < size ? there : size;
  sli_mutex_unlock(&stream->mutex);
  get(stream, offset, data, taken);
  sli_mutex_lock(&stream->mutex);
  stream->read += taken;
  if (stream->read >= stream->grows_at && stream->window < RING_SIZE) {
    stream->window *= 2;
    stream->grows_at = stream->read + stream->window;
  }
  sli_cond_signal(&stream->changed);
  sli_mutex_unlock(&stream->mutex);
  return taken;
}

// Whether the stream has the byte at |offset|, or comes to it next.
static bool reaches(sli_read_ahead_stream_t *stream, uint64_t offset) {
  if (!stream) return false;
  sli_mutex_lock(&stream->mutex);
  bool result = offset >= stream->read && offset <= stream->written;
  sli_mutex_unlock(&stream->mutex);
  return result;
}

// --- Requests ---

void sli_read_ahead_initialize(sli_read_ahead_t *ahead, sli_read_ahead_fetch_fn_t fetch,
                               sli_read_ahead_stream_fn_t stream, void *context) {
  *ahead = (sli_read_ahead_t){.fetch = fetch, .stream = stream, .context = context};
  sli_mutex_initialize(&ahead->mutex);
}

void sli_read_ahead_deinitialize(sli_read_ahead_t *ahead) {
  drop_stream(ahead);
  sli_mutex_deinitialize(&ahead->mutex);
  free(ahead->buffer);
}

// One request of a large read, in a thread of its own.
typedef struct {
  sli_background_t thread;
  const sli_read_ahead_t *ahead;
  uint64_t offset;
  char *data;
  size_t size, got;
  sli_status_t *status;
} request_t;

static void run_request(void *context) {
  request_t *request = context;
  request->status =
      request->ahead->fetch(request->ahead->context, request->offset, request->data, request->size, &request->got);
}

// A large read, by several requests at the same time. The bytes count up to the first request that is not whole.
static sli_status_t *read_large(sli_read_ahead_t *ahead, uint64_t offset, char *data, size_t size, size_t *out_size) {
  request_t requests[MAX_REQUESTS] = {0};
  size_t count = size / SHARE < MAX_REQUESTS ? size / SHARE : MAX_REQUESTS;
  if (count < 2) return ahead->fetch(ahead->context, offset, data, size, out_size);
  size_t share = size / count;
  for (size_t i = 0; i < count; i++) {
    requests[i] = (request_t){.ahead = ahead,
                              .offset = offset + i * share,
                              .data = data + i * share,
                              .size = i + 1 < count ? share : size - i * share};
    sli_background_start(&requests[i].thread, run_request, &requests[i]);
  }
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

// A small read: fetches a little more than it needs.
static sli_status_t *read_small(sli_read_ahead_t *ahead, uint64_t offset, char *data, size_t size, size_t *out_size) {
  ahead->held = 0;
  ahead->begin = offset;
  if (!ahead->buffer) ahead->buffer = sli_malloc(FETCH_SIZE);
  SLI_RETURN_IF_ERROR(ahead->fetch(ahead->context, offset, ahead->buffer, FETCH_SIZE, &ahead->held));
  *out_size = ahead->held < size ? ahead->held : size;
  memcpy(data, ahead->buffer, *out_size);
  return NULL;
}

// --- Reads ---

// From memory: the buffer or the stream. False if neither has the bytes.
static bool read_held(sli_read_ahead_t *ahead, uint64_t offset, char *data, size_t size, size_t *out_size) {
  if (offset >= ahead->begin && offset < ahead->begin + ahead->held) {
    size_t there = (size_t)(ahead->begin + ahead->held - offset);
    *out_size = there < size ? there : size;
    memcpy(data, ahead->buffer + (offset - ahead->begin), *out_size);
    return true;
  }
  bool in_sequence = ahead->goes_on && offset == ahead->next, is_large = size >= 2 * SHARE;
  if (ahead->current && (is_large || !reaches(ahead->current, offset))) drop_stream(ahead);
  if (!ahead->current && in_sequence && !is_large) start_stream(ahead, offset);
  if (ahead->current) *out_size = read_stream(ahead->current, offset, data, size);
  if (ahead->current && !*out_size) drop_stream(ahead);  // perhaps the end of the file: a request tells
  return *out_size > 0;
}

sli_status_t *sli_read_ahead_read(sli_read_ahead_t *ahead, uint64_t offset, void *data, size_t size, size_t *out_size) {
  *out_size = 0;
  if (!size || offset > INT64_MAX - STREAM_SIZE - (uint64_t)size) return NULL;
  sli_status_t *status = NULL;
  sli_mutex_lock(&ahead->mutex);
  bool done = read_held(ahead, offset, data, size, out_size), small = !done && size < FETCH_SIZE;
  if (small) status = read_small(ahead, offset, data, size, out_size);
  bool at_end = ahead->held && ahead->held < FETCH_SIZE && offset + *out_size == ahead->begin + ahead->held;
  ahead->next = offset + (done || small ? *out_size : size);
  ahead->goes_on = !done && !small ? true : *out_size && !at_end;
  sli_mutex_unlock(&ahead->mutex);
  if (done || small) return status;
  status = read_large(ahead, offset, data, size, out_size);
  if (*out_size == size) return status;
  sli_mutex_lock(&ahead->mutex);
  if (ahead->next == offset + size) ahead->goes_on = false;
  sli_mutex_unlock(&ahead->mutex);
  return status;
}
