// Linear algebra: each op on one matrix, and LAPACK's routines alone on a copy of it.
#include <string.h>

#include "base/alloc.h"
#include "bench.h"
#include "math/lapack.h"
#include "session.h"

enum { MOST = 512 };

// A symmetric matrix that is positive definite.
static void fill(float *matrix, int n) {
  uint32_t noise = 1;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      noise = noise * 1664525 + 1013904223;
      matrix[i * n + j] = matrix[j * n + i] = (float)(noise >> 8) / 16777216.0f + (i == j ? (float)n : 0);
    }
}

typedef struct {
  int n, pivots[MOST];
  float *matrix, *copy, *u, *vt, *values;
} lapack_row_t;

static void copy(lapack_row_t *row) { memcpy(row->copy, row->matrix, sizeof(float) * (size_t)row->n * (size_t)row->n); }

static void cholesky_alone(void *context) {
  lapack_row_t *row = context;
  copy(row);
  sli_lapack_potrf(SLI_DTYPE_FLOAT, 'U', row->n, row->copy);
}

static void inverse_alone(void *context) {
  lapack_row_t *row = context;
  copy(row);
  sli_lapack_getrf(SLI_DTYPE_FLOAT, row->n, row->copy, row->pivots);
  sli_lapack_getri(SLI_DTYPE_FLOAT, row->n, row->copy, row->pivots);
}

static void svd_alone(void *context) {
  lapack_row_t *row = context;
  copy(row);
  sli_lapack_gesdd(SLI_DTYPE_FLOAT, 'S', row->n, row->n, row->copy, row->values, row->u, row->vt);
}

static void eigen_alone(void *context) {
  lapack_row_t *row = context;
  copy(row);
  sli_lapack_syevd(SLI_DTYPE_FLOAT, 'V', 'U', row->n, row->copy, row->values);
}

static void qr_alone(void *context) {
  lapack_row_t *row = context;
  copy(row);
  sli_lapack_geqrf(SLI_DTYPE_FLOAT, row->n, row->n, row->copy, row->values);
  sli_lapack_orgqr(SLI_DTYPE_FLOAT, row->n, row->n, row->n, row->copy, row->values);
}

static TF_Operation *cholesky(sl_scope_t *s, TF_Output a) { return sl_op_cholesky(s, a).oper; }
static TF_Operation *inverse(sl_scope_t *s, TF_Output a) { return sl_op_matrix_inverse(s, a).oper; }
static TF_Operation *svd(sl_scope_t *s, TF_Output a) { return sl_op_svd(s, a).s.oper; }
static TF_Operation *eigen(sl_scope_t *s, TF_Output a) { return sl_op_self_adjoint_eig_v2(s, a).e.oper; }
static TF_Operation *qr(sl_scope_t *s, TF_Output a) { return sl_op_qr(s, a).q.oper; }

static void op_row(const char *name, const lapack_row_t *row, TF_Operation *(*build)(sl_scope_t *s, TF_Output a)) {
  bench_session_t b = bench_begin();
  TF_Output handle = sl_op_variable_v2(b.scope, SL_SHAPE(row->n, row->n), TF_FLOAT);
  TF_Operation *init =
      sl_op_assign(b.scope, handle, sl_constant(b.scope, TF_FLOAT, SL_SHAPE(row->n, row->n), row->matrix)).oper;
  b.target = build(b.scope, sl_op_identity(b.scope, handle));
  bench_open(&b, NULL);
  TF_SessionRun(b.session, NULL, NULL, NULL, 0, NULL, NULL, 0, (const TF_Operation *const *)&init, 1, NULL, b.status);
  bench_require(&b);
  bench_row(name, bench_step, &b, 0, NULL);
  bench_end(&b);
}

static void rows_of_size(int n) {
  static const struct {
    const char *name;
    TF_Operation *(*build)(sl_scope_t *s, TF_Output a);
    bench_fn_t alone;
  } rows[] = {{"Cholesky", cholesky, cholesky_alone},
              {"MatrixInverse", inverse, inverse_alone},
              {"Svd", svd, svd_alone},
              {"SelfAdjointEigV2", eigen, eigen_alone},
              {"Qr", qr, qr_alone}};
  size_t bytes = sizeof(float) * (size_t)n * (size_t)n;
  lapack_row_t row = {.n = n,
                      .matrix = sli_malloc(bytes),
                      .copy = sli_malloc(bytes),
                      .u = sli_malloc(bytes),
                      .vt = sli_malloc(bytes),
                      .values = sli_malloc(bytes)};
  fill(row.matrix, n);
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    char name[64];
    snprintf(name, sizeof(name), "%s, %d x %d", rows[i].name, n, n);
    op_row(name, &row, rows[i].build);
    bench_row("  LAPACK alone", rows[i].alone, &row, 0, NULL);
  }
  free(row.matrix);
  free(row.copy);
  free(row.u);
  free(row.vt);
  free(row.values);
}

void bench_linalg(void) {
  bench_title("linear algebra, one matrix of floats");
  sli_status_t *status = sli_lapack_load();
  if (status) {
    printf("  %s\n", sli_status_message(status));
    sli_status_release(status);
    return;
  }
  rows_of_size(64);
  rows_of_size(256);
}
