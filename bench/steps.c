// What a local step costs before any kernel does something.
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

void bench_steps(void) {
  bench_title("local steps");
  null_step();
  feed_and_fetch();
  chain();
}
