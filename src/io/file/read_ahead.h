// Reads of a file in a store: reads in sequence fetch more and more ahead, the next bytes already while the last ones
// are used; others only what they need. Large reads are several requests at the same time. Thread-safe.
#ifndef SLI_IO_FILE_READ_AHEAD_H_
#define SLI_IO_FILE_READ_AHEAD_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sync.h"
#include "io/file/background.h"

// Fetches bytes at |offset| into |data|; fewer than |size| only at the end of the file. Thread-safe.
typedef sli_status_t *(*sli_read_ahead_fetch_fn_t)(void *context, uint64_t offset, void *data, size_t size,
                                                   size_t *out_size);

// One request, in a thread of its own.
typedef struct {
  sli_background_t thread;
  sli_read_ahead_fetch_fn_t fetch;
  void *context;
  uint64_t offset;
  char *data;
  size_t size, got;
  sli_status_t *status;
} sli_read_ahead_request_t;

typedef struct {
  sli_read_ahead_fetch_fn_t fetch;
  void *context;
  sli_mutex_t mutex;  // guards what follows
  char *buffer;
  uint64_t begin;  // of the buffer in the file
  size_t held, ahead;
  sli_read_ahead_request_t next;  // of the bytes behind the buffer, if its size is not 0
} sli_read_ahead_t;

void sli_read_ahead_initialize(sli_read_ahead_t *ahead, sli_read_ahead_fetch_fn_t fetch, void *context);
void sli_read_ahead_deinitialize(sli_read_ahead_t *ahead);
// As |read| of sli_raw_file_table_t.
sli_status_t *sli_read_ahead_read(sli_read_ahead_t *ahead, uint64_t offset, void *data, size_t size, size_t *out_size);

#endif  // SLI_IO_FILE_READ_AHEAD_H_
