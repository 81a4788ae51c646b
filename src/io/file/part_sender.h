// The parts of a large file on their way to a store: what is written is collected, and each part sent in a thread of
// its own while the next one is collected. The bytes of a part are kept until the store has confirmed it, so that it
// can be sent again.
//
// Thread-compatible, except what is said otherwise.
#ifndef SLI_IO_FILE_PART_SENDER_H_
#define SLI_IO_FILE_PART_SENDER_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/string.h"
#include "base/sync.h"
#include "io/file/background.h"

enum { SLI_PART_SENDER_MAX_KEPT = 8 };

typedef struct sli_part_sender sli_part_sender_t;

typedef struct {
  size_t number;  // from 0
  sli_string_t data;
  // Private.
  sli_background_t thread;
  sli_part_sender_t *sender;  // NULL: none is on its way
  bool is_moving;             // its bytes have not all been sent
  sli_status_t *status;
} sli_part_t;

// Sends a part and returns when the store has it, in the part's thread; blocks. May call sli_part_sent before.
typedef sli_status_t *(*sli_part_sender_fn_t)(void *context, sli_part_t *part);

struct sli_part_sender {
  sli_part_sender_fn_t send;
  void *context;
  size_t max_kept;       // parts that are kept in memory at the same time
  size_t max_moving;     // of these, parts whose bytes move at the same time; the others wait for the store's reply
  sli_string_t pending;  // what the next part begins with
  size_t count;          // parts since the last reset
  sli_part_t parts[SLI_PART_SENDER_MAX_KEPT];
  sli_mutex_t mutex;  // guards |moving| and the |is_moving| of all parts
  sli_cond_t changed;
  size_t moving;
};

void sli_part_sender_initialize(sli_part_sender_t *sender, sli_part_sender_fn_t send, void *context, size_t max_kept,
                                size_t max_moving);
// Waits for the parts on their way.
void sli_part_sender_deinitialize(sli_part_sender_t *sender);
// Adds bytes to the pending ones, up to |limit| of these. Returns how many.
size_t sli_part_sender_add(sli_part_sender_t *sender, const void *data, size_t size, size_t limit);
// Sends the pending bytes as the next part, which is on its way when this returns. Blocks while too many are on theirs.
// The failure of an earlier part.
sli_status_t *sli_part_sender_send(sli_part_sender_t *sender);
// Waits until all parts have arrived. The first failure.
sli_status_t *sli_part_sender_wait(sli_part_sender_t *sender);
// The next part has the number |count|. No part may be on its way.
void sli_part_sender_reset(sli_part_sender_t *sender, size_t count);

// All bytes of the part have been sent: another one may move. |part| is a sli_part_t. Thread-safe.
void sli_part_sent(void *part);

#endif  // SLI_IO_FILE_PART_SENDER_H_
