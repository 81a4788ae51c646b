// Reads of a file in a store. Reads in sequence are served from a stream: one long request, whose bytes come while the
// last ones are used, and which waits when enough of them are there. Other reads fetch only what they need, large ones
// by several requests at the same time. Thread-safe.
#ifndef SLI_IO_FILE_READ_AHEAD_H_
#define SLI_IO_FILE_READ_AHEAD_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sync.h"
#include "io/file/background.h"
#include "io/file/http.h"

// Fetches bytes at |offset| into |data|; fewer than |size| only at the end of the file. Thread-safe.
typedef sli_status_t *(*sli_read_ahead_fetch_fn_t)(void *context, uint64_t offset, void *data, size_t size,
                                                   size_t *out_size);
// Gives bytes from |offset| on to |sink|, fewer than its capacity only at the end of the file, by one request that is
// not repeated; a failure may come after some bytes. Thread-safe.
typedef sli_status_t *(*sli_read_ahead_stream_fn_t)(void *context, uint64_t offset, const sli_http_sink_t *sink);

typedef struct sli_read_ahead_stream sli_read_ahead_stream_t;

typedef struct {
  sli_read_ahead_fetch_fn_t fetch;
  sli_read_ahead_stream_fn_t stream;  // NULL: by |fetch|
  void *context;
  sli_mutex_t mutex;  // guards what follows
  uint64_t next;      // where the last read ended
  bool goes_on;       // the file did not end there
  char *buffer;       // a small part of the file that was fetched
  uint64_t begin;     // of the buffer in the file
  size_t held;
  sli_read_ahead_stream_t *current;  // or NULL
} sli_read_ahead_t;

void sli_read_ahead_initialize(sli_read_ahead_t *ahead, sli_read_ahead_fetch_fn_t fetch,
                               sli_read_ahead_stream_fn_t stream, void *context);
void sli_read_ahead_deinitialize(sli_read_ahead_t *ahead);
// As |read| of sli_raw_file_table_t.
sli_status_t *sli_read_ahead_read(sli_read_ahead_t *ahead, uint64_t offset, void *data, size_t size, size_t *out_size);

#endif  // SLI_IO_FILE_READ_AHEAD_H_
