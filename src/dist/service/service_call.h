// One gRPC request from its arrival to its answer: decodes the message, notices when the client gives up, replies once.
// All services of a task use it, so that they treat cancellation and deadlines alike: when the client cancels, goes
// away or its deadline passes, the call's cancellation is cancelled, with DEADLINE_EXCEEDED at or after the deadline,
// else with CANCELLED.
//
// A call belongs to its handler until it is replied to. Thread-compatible; a reply may come from any thread and never
// blocks.
#ifndef SLI_DIST_SERVICE_SERVICE_CALL_H_
#define SLI_DIST_SERVICE_SERVICE_CALL_H_

#include "base/arena.h"
#include "core/step/cancellation.h"
#include "core/step/env.h"
#include "dist/client/messages.h"
#include "proto/proto.h"
#include "rpc/server.h"

typedef struct sli_service_call sli_service_call_t;
typedef struct sli_service_call_method sli_service_call_method_t;
// A service that needs more state embeds this as the first member of its own struct.
struct sli_service_call {
  sli_refcount_t references;  // of the handler and of the watch
  sli_env_t *env;
  sli_rpc_request_t *request;
  const sli_service_call_method_t *method;
  void *server;                                    // the object that handles the call: a master, worker or control
  int64_t deadline;                                // the client's; SLI_CLOCK_NO_DEADLINE: none
  sli_arena_t arena;                               // of decoded messages and texts
  sli_message_bytes_t *bytes;                      // the message once it was taken: tensors may point into it
  sli_cancellation_t *cancellation;                // NULL: not watched
  bool marks_derived;                              // derived errors are marked in the text, as WorkerService does
  bool may_move;                                   // large messages are parsed and handled on another thread
  void (*deinitialize)(sli_service_call_t *call);  // frees the rest of the struct that embeds the call; may be NULL
};

struct sli_service_call_method {
  const char *name;                              // "RunStep"
  const ProtobufCMessageDescriptor *descriptor;  // NULL: the handler reads the message itself
  void (*handle)(sli_service_call_t *call, const void *message);
};

// The method |name| ("/tensorflow.WorkerService/RunGraph") in |methods|; NULL: it is not of |service|
// ("/tensorflow.WorkerService/") or not in the table.
const sli_service_call_method_t *sli_service_call_find_method(const char *name, const char *service,
                                                              const sli_service_call_method_t *methods, size_t count);

// Creates a call of |size| bytes, all zero but for the fields of sli_service_call_t.
void *sli_service_call_create(size_t size, sli_env_t *env, void *server, sli_rpc_request_t *request);
// Parses the message, if the method has a descriptor, and calls the method's handler. Replies if parsing fails. A large
// message of a call that |may_move| is parsed and handled on another thread.
void sli_service_call_handle(sli_service_call_t *call, const sli_service_call_method_t *method);

// A message of so many bytes may take too long for the thread of the network, if it has many small parts.
enum { SLI_SERVICE_CALL_LARGE = 1 << 16 };
// Calls |handle|, on another thread if the message has thousands of fields, such as names of feeds. If there is no
// memory for them, replies RESOURCE_EXHAUSTED instead.
void sli_service_call_run(sli_service_call_t *call, void (*handle)(sli_service_call_t *call));
// Calls |handle| on another thread.
void sli_service_call_move(sli_service_call_t *call, void (*handle)(sli_service_call_t *call));

// The bytes of the message, which are moved into the call; they live until the reply.
sli_view_t sli_service_call_body(sli_service_call_t *call);
// |text| as a C string that lives until the reply.
const char *sli_service_call_text(sli_service_call_t *call, sli_view_t text);
// Creates the call's cancellation; from now on the client can cancel the call.
void sli_service_call_watch(sli_service_call_t *call);

// Each replies and frees the call. Consumes |status|; without one the reply is |body|.
void sli_service_call_reply(sli_service_call_t *call, sli_status_t *status, sli_slices_t *body);  // NULL: empty
void sli_service_call_reply_string(sli_service_call_t *call, sli_status_t *status, sli_string_t *body);
void sli_service_call_reply_message(sli_service_call_t *call, sli_status_t *status, const ProtobufCMessage *body);
// An empty reply, as a callback: |context| is the call.
void sli_service_call_done(void *context, sli_status_t *status);

#endif  // SLI_DIST_SERVICE_SERVICE_CALL_H_
