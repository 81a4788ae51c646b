// The overhead of a local step, with kernels that do almost nothing.
#include "bench.h"
#include "session.h"

static void null_step(void) {
  bench_session_t b = bench_begin();
  b.target = sl_op_no_op(b.scope);
  bench_open(&b, NULL);
  bench_row("no-op", bench_step, &b, 0, NULL);
  bench_end(&b);
}

static void feed_and_fetch(void) {
  bench_session_t b = bench_begin();
  b.feed = sl_op_placeholder(b.scope, TF_FLOAT, .shape = SL_SHAPE());
  b.fetch = sl_op_identity(b.scope, b.feed);
  b.value = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(b.value) = 1;
  bench_open(&b, NULL);
  bench_row("feed and fetch a scalar", bench_step, &b, 0, NULL);
  bench_end(&b);
}

static void chain(void) {
  bench_session_t b = bench_begin();
  b.feed = sl_op_placeholder(b.scope, TF_FLOAT, .shape = SL_SHAPE());
  b.value = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(b.value) = 1;
  TF_Output x = b.feed;
  for (int i = 0; i < 1000; i++) x = sl_op_add_v2(b.scope, x, b.feed);
  b.fetch = x;
  bench_open(&b, NULL);
  bench_row("1,000 scalar adds in a chain", bench_step, &b, 0, NULL);
  bench_end(&b);
}

// 8 adds in a chain.
static void adds(sl_scope_t *scope, void *data, const TF_Output *x, TF_Output *out_results) {
  out_results[0] = x[0];
  for (int i = 0; i < 8; i++) out_results[0] = sl_op_add_v2(scope, out_results[0], x[0]);
}

// What a call of a function costs: as nodes of the graph, inlined by the session, and as a call.
static void function(const char *title, bool is_function, bool no_inline) {
  bench_session_t b = bench_begin();
  b.feed = sl_op_placeholder(b.scope, TF_FLOAT, .shape = SL_SHAPE());
  b.value = TF_AllocateTensor(TF_FLOAT, NULL, 0, sizeof(float));
  *(float *)TF_TensorData(b.value) = 1;
  const sl_function_t *f = sl_function(b.scope, adds, NULL, SL_TYPES(TF_FLOAT), 1, .no_inline = no_inline);
  if (is_function)
    b.fetch = sl_call(b.scope, f, SL_OUTPUTS(b.feed)).items[0];
  else
    adds(b.scope, NULL, &b.feed, &b.fetch);
  bench_open(&b, NULL);
  bench_row(title, bench_step, &b, 0, NULL);
  bench_end(&b);
}

void bench_steps(void) {
  bench_title("local steps");
  null_step();
  feed_and_fetch();
  chain();
  function("8 scalar adds", false, false);
  function("8 scalar adds as a function", true, false);
  function("8 scalar adds as a call that stays one", true, true);
}
