// A graph, a session on it, and what a benchmark runs in it.
#ifndef SLI_BENCH_SESSION_H_
#define SLI_BENCH_SESSION_H_

#include <stdio.h>
#include <stdlib.h>

#include "sluice/ops.h"
#include "sluice/sluice.h"

typedef struct {
  sl_scope_t *scope;
  TF_Status *status;
  TF_Session *session;
  TF_Output feed, fetch;  // a NULL operation: none
  TF_Operation *target;   // NULL: none
  TF_Tensor *value;       // the value of |feed|
} bench_session_t;

static inline void bench_require(const bench_session_t *b) {
  if (TF_GetCode(b->status) == TF_OK && sl_scope_code(b->scope) == TF_OK) return;
  fprintf(stderr, "sluice_bench: %s%s\n", TF_Message(b->status), sl_scope_error(b->scope));
  exit(1);
}

static inline bench_session_t bench_begin(void) {
  return (bench_session_t){.scope = sl_graph_scope(), .status = TF_NewStatus()};
}

// Opens a session on |target|, or a local one if it is NULL. Exits on an error.
static inline void bench_open(bench_session_t *b, const char *target) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (target) TF_SetTarget(options, target);
  bench_require(b);
  b->session = TF_NewSession(sl_scope_graph(b->scope), options, b->status);
  TF_DeleteSessionOptions(options);
  bench_require(b);
}

// A bench_fn_t: runs one step of the bench_session_t |context|.
static inline void bench_step(void *context) {
  bench_session_t *b = context;
  TF_Tensor *fetched = NULL;
  const TF_Operation *target = b->target;
  TF_SessionRun(b->session, NULL, &b->feed, &b->value, b->feed.oper != NULL, &b->fetch, &fetched, b->fetch.oper != NULL,
                &target, target != NULL, NULL, b->status);
  bench_require(b);
  if (fetched) TF_DeleteTensor(fetched);
}

static inline void bench_end(bench_session_t *b) {
  TF_CloseSession(b->session, b->status);
  TF_DeleteSession(b->session, b->status);
  if (b->value) TF_DeleteTensor(b->value);
  TF_DeleteStatus(b->status);
  sl_scope_release(b->scope);
}

#endif  // SLI_BENCH_SESSION_H_
