// The codec of sluice.Store's Exchange: values are sent from their own memory and read where they were received.
// Thread-compatible. Nothing here blocks.
#ifndef SLI_DIST_STORE_STORE_MESSAGE_H_
#define SLI_DIST_STORE_STORE_MESSAGE_H_

#include "base/slices.h"
#include "base/status.h"
#include "core/tensor/tensor.h"
#include "dist/client/messages.h"

#define SLI_STORE_SERVICE "/sluice.Store/"  // what the path of each of its methods begins with

// What a push does with the value of a key.
typedef enum {
  SLI_STORE_UPDATE_TABLE,   // the updater of the table
  SLI_STORE_UPDATE_ASSIGN,  // replaces it
  SLI_STORE_UPDATE_SUM,     // is added to it
  SLI_STORE_UPDATE_COUNT,
} sli_store_update_t;

// gRPC frames have 32 bits for the size; the rest is for the other fields.
#define SLI_STORE_MAX_BYTES ((uint64_t)UINT32_MAX - (1 << 20))

// An Exchange, with views into the message. |keys| and |lengths| need not be aligned.
typedef struct {
  sli_view_t table;
  sli_dtype_t dtype;
  uint64_t client, sequence;
  sli_store_update_t update;
  bool push, pull;
  const char *keys;
  size_t count;
  const char *lengths;  // NULL: each key has |length| elements
  uint32_t length;
  sli_view_t values;      // of a push
  uint64_t values_bytes;  // of all keys together
  uint64_t space;         // 0: keys and values are in the message; else in memory that was reserved
  sli_tensor_t *memory;   // that memory, borrowed; it begins with the values. NULL: none
} sli_store_exchange_t;

static inline uint64_t sli_store_exchange_key(const sli_store_exchange_t *exchange, size_t index) {
  uint64_t key;
  memcpy(&key, exchange->keys + index * sizeof(key), sizeof(key));
  return key;
}
static inline uint32_t sli_store_exchange_length(const sli_store_exchange_t *exchange, size_t index) {
  uint32_t length = exchange->length;
  if (exchange->lengths) memcpy(&length, exchange->lengths + index * sizeof(length), sizeof(length));
  return length;
}

// The path to the values of a request, for sli_message_place.
extern const uint32_t sli_store_exchange_path[];

// Reads and checks a request: the keys, the lengths and the values agree. INVALID_ARGUMENT says what does not.
sli_status_t *sli_store_exchange_decode(sli_view_t bytes, sli_store_exchange_t *out_exchange);
// The bytes of reserved memory for |values| bytes and |count| keys; |*out_keys|: where the keys begin.
uint64_t sli_store_space_size(uint64_t values, uint64_t count, uint64_t *out_keys);
// Reads the keys and values of a request from |memory|, which must outlive it. INVALID_ARGUMENT if it is too small.
sli_status_t *sli_store_exchange_set_memory(sli_store_exchange_t *exchange, sli_tensor_t *memory);
// Writes what comes before the values (NULL: there are none), of |values_size| bytes. The values follow, then what
// sli_store_exchange_encode_tail writes.
void sli_store_exchange_encode_head(const sli_store_exchange_t *exchange, uint64_t values_size, sli_string_t *out);
// Writes tag and length of the field of the keys, or of the lengths, for |size| bytes that the caller appends.
void sli_store_exchange_encode_keys(size_t size, sli_string_t *out);
void sli_store_exchange_encode_lengths(size_t size, sli_string_t *out);

// The reply to Reserve: what comes before the |size| bytes of memory.
void sli_store_reserve_encode_head(uint64_t space, uint64_t size, sli_string_t *out);
// |*out_space| is 0 without memory.
sli_status_t *sli_store_reserve_decode(sli_view_t bytes, uint64_t *out_space, sli_view_t *out_memory);

// The reply: tag and length of the values, which the caller appends.
void sli_store_reply_encode_head(uint64_t values_size, sli_string_t *out);
// The values of a reply; INVALID_ARGUMENT unless there are |expected| bytes.
sli_status_t *sli_store_reply_decode(sli_view_t bytes, uint64_t expected, sli_view_t *out_values);

#endif  // SLI_DIST_STORE_STORE_MESSAGE_H_
