// Kernels: each row runs a graph with one op on the values of variables.
#include "bench.h"
#include "session.h"

// Random numbers with |zeros| additional columns of zeros.
static TF_Output filled(sl_scope_t *scope, int64_t rows, int64_t columns, int64_t zeros) {
  const int32_t shape[] = {(int32_t)rows, (int32_t)columns}, beside[] = {0, 0, 0, (int32_t)zeros};
  TF_Output numbers = sl_op_random_uniform(scope, sl_constant(scope, TF_INT32, SL_SHAPE(2), shape), TF_FLOAT);
  return sl_op_pad(scope, numbers, sl_constant(scope, TF_INT32, SL_SHAPE(2, 2), beside));
}

// The inputs are the values of variables, so that the op is not constant-folded and no other op runs.
static TF_Output variable(bench_session_t *b, int64_t rows, int64_t columns, int64_t zeros, TF_Operation **init) {
  TF_Output handle = sl_op_variable_v2(b->scope, SL_SHAPE(rows, columns), TF_FLOAT);
  *init = sl_op_assign(b->scope, handle, filled(b->scope, rows, columns - zeros, zeros)).oper;
  return sl_op_identity(b->scope, handle);
}

typedef TF_Output (*build_fn_t)(sl_scope_t *scope, TF_Output a, TF_Output b);

static TF_Output add(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_add_v2(s, a, b); }
static TF_Output multiply(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_mul(s, a, b); }
static TF_Output tanh_of(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_tanh(s, a); }
static TF_Output exp_of(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_exp(s, a); }
static TF_Output relu(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_relu(s, a); }
static TF_Output softmax(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_softmax(s, a); }
static TF_Output sum(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_sum(s, a, sl_scalar(s, TF_INT32, 0)); }
static TF_Output transpose(sl_scope_t *s, TF_Output a, TF_Output b) {
  return sl_op_transpose(s, a, sl_constant(s, TF_INT32, SL_SHAPE(2), ((const int32_t[]){1, 0})));
}
static TF_Output product(sl_scope_t *s, TF_Output a, TF_Output b) { return sl_op_mat_mul(s, a, b); }

// |zeros| of the |k| columns of the left operand are zero.
static void row_with_zeros(const char *name, build_fn_t build, int64_t m, int64_t k, int64_t n, int64_t zeros,
                           double amount, const char *unit) {
  bench_session_t b = bench_begin();
  TF_Operation *inits[2];
  TF_Output left = variable(&b, m, k, zeros, &inits[0]), right = variable(&b, n ? k : m, n ? n : k, 0, &inits[1]);
  TF_Output result = build(b.scope, left, right);
  b.target = result.oper;
  bench_open(&b, NULL);
  TF_SessionRun(b.session, NULL, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *const *)inits, 2, NULL, b.status);
  bench_require(&b);
  bench_row(name, bench_step, &b, amount, unit);
  bench_end(&b);
}

static void row(const char *name, build_fn_t build, int64_t m, int64_t k, int64_t n, double amount, const char *unit) {
  row_with_zeros(name, build, m, k, n, 0, amount, unit);
}

void bench_kernels(void) {
  static const double megabyte = 1024 * 1024;
  bench_title("kernels, 512 x 512 floats (bytes read and written)");
  row("AddV2", add, 512, 512, 0, 3 * megabyte, "B");
  row("Mul", multiply, 512, 512, 0, 3 * megabyte, "B");
  row("Relu", relu, 512, 512, 0, 2 * megabyte, "B");
  row("Exp", exp_of, 512, 512, 0, 2 * megabyte, "B");
  row("Tanh", tanh_of, 512, 512, 0, 2 * megabyte, "B");
  row("Softmax", softmax, 512, 512, 0, 2 * megabyte, "B");
  row("Sum over rows", sum, 512, 512, 0, megabyte, "B");
  row("Transpose", transpose, 512, 512, 0, 2 * megabyte, "B");
  bench_title("matrix products");
  row("MatMul 100 x 784 x 128", product, 100, 784, 128, 2.0 * 100 * 784 * 128, "flop");
  row("MatMul 512 x 512 x 512", product, 512, 512, 512, 2.0 * 512 * 512 * 512, "flop");
  row_with_zeros("the same, half of the columns of A zero", product, 512, 512, 512, 256, 2.0 * 512 * 512 * 512, "flop");
  row("MatMul 1 x 1024 x 1024", product, 1, 1024, 1024, 2.0 * 1024 * 1024, "flop");
}
