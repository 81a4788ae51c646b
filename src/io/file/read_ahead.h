// Reads of a file in a store: reads in sequence fetch more and more ahead, others only what they need. Thread-safe.
#ifndef SLI_IO_FILE_READ_AHEAD_H_
#define SLI_IO_FILE_READ_AHEAD_H_

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "base/sync.h"

// Fetches bytes at |offset| into |data|; fewer than |size| only at the end of the file.
typedef sli_status_t *(*sli_read_ahead_fetch_fn_t)(void *context, uint64_t offset, void *data, size_t size,
                                                   size_t *out_size);

typedef struct {
  sli_read_ahead_fetch_fn_t fetch;
  void *context;
  sli_mutex_t mutex;  // guards what follows
  char *buffer;
  uint64_t begin;  // of the buffer in the file
  size_t held, ahead;
} sli_read_ahead_t;

void sli_read_ahead_initialize(sli_read_ahead_t *ahead, sli_read_ahead_fetch_fn_t fetch, void *context);
void sli_read_ahead_deinitialize(sli_read_ahead_t *ahead);
// As |read| of sli_raw_file_table_t.
sli_status_t *sli_read_ahead_read(sli_read_ahead_t *ahead, uint64_t offset, void *data, size_t size, size_t *out_size);

#endif  // SLI_IO_FILE_READ_AHEAD_H_
