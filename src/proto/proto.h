// Messages: foreign bytes in, bytes or text out. The structs come from protoc-c
// ("proto/graph.pb-c.h": Tensorflow__GraphDef and so on), the decoder is our
// own: it walks the descriptors, bounds depth and memory, and puts everything
// into an arena, so a message is never freed by itself
// (never call protobuf_c_message_free_unpacked on one).
#ifndef SLI_PROTO_PROTO_H_
#define SLI_PROTO_PROTO_H_

#include <protobuf-c/protobuf-c.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/string.h"

enum { SLI_PROTO_MAX_DEPTH = 100 };

// A budget for sli_arena_t that no honest message of |wire_size| bytes exceeds,
// while one of two million empty submessages does.
size_t sli_proto_budget(size_t wire_size);

// Parses |size| bytes as a message of |descriptor| into |arena|, whose budget (if
// it has one) bounds the memory. The message lives until the arena is
// deinitialised and does not point into |data|. It is never half a message:
// - INVALID_ARGUMENT for malformed bytes, a wrong wire type, nesting deeper than
//   SLI_PROTO_MAX_DEPTH, and a `string` with a NUL inside or not in UTF-8;
//   the message names the field.
// - RESOURCE_EXHAUSTED past the budget.
// Unknown fields are kept and written again by sli_proto_pack. A message field
// that occurs twice is merged; of scalars and of a oneof's members the last wins. Maps are
// repeated entries and may repeat a key: the last wins, so look them up from the end.
sli_status_t *sli_proto_parse(const ProtobufCMessageDescriptor *descriptor, const void *data, size_t size,
                              sli_arena_t *arena, void **out_message);

// Appends the encoding of |message| to |out|. INVALID_ARGUMENT, with |out|
// unchanged, beyond 2 GiB, which is all that protocol buffers allow.
sli_status_t *sli_proto_pack(const ProtobufCMessage *message, sli_string_t *out);

// Appends |message| in protocol buffers' text format, two blanks per level.
void sli_proto_to_text(const ProtobufCMessage *message, sli_string_t *out);

#endif  // SLI_PROTO_PROTO_H_
