// Loads the library and owns the prototypes. A routine of four types has one prototype, because all its arguments are
// pointers; those of complex types may have one more. Fortran passes the lengths of texts after the last argument.
#include "math/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/string.h"
#include "base/sync.h"

typedef void (*function_t)(void);

// The routines, with the names of their complex forms where these differ.
#define ROUTINES(ROUTINE) \
  ROUTINE(potrf, "potrf") \
  ROUTINE(getrf, "getrf") \
  ROUTINE(getri, "getri") \
  ROUTINE(getrs, "getrs") \
  ROUTINE(trsm, "trsm")   \
  ROUTINE(geqrf, "geqrf") \
  ROUTINE(orgqr, "ungqr") \
  ROUTINE(gesdd, "gesdd") \
  ROUTINE(syevd, "heevd") \
  ROUTINE(geev, "geev")   \
  ROUTINE(gees, "gees")   \
  ROUTINE(gelsy, "gelsy")
#define MEMBER(name, complex_name) function_t name[4];
static struct { ROUTINES(MEMBER) } library;
#undef MEMBER

static sli_status_t *load_error;  // NULL: loaded
static void (*set_threads)(int threads);

static bool find_routine(void *handle, const char *name, const char *complex_name, function_t *functions) {
  static const char letters[] = "sdcz";
  for (int i = 0; i < 4; i++) {
    char symbol[24];
    snprintf(symbol, sizeof(symbol), "%c%s_", letters[i], i < 2 ? name : complex_name);
    *(void **)&functions[i] = dlsym(handle, symbol);
    if (!functions[i]) {
      load_error = sli_status_make(SLI_FAILED_PRECONDITION, "liblapack.so.3 has no routine %s", symbol);
      return false;
    }
  }
  return true;
}

static void open_library(void) {
  void *handle = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    load_error = sli_status_make(SLI_FAILED_PRECONDITION,
                                 "LAPACK is not installed: %s. Linear algebra needs the package libopenblas0-pthread "
                                 "(or liblapack3, which is slower).",
                                 dlerror());
    return;
  }
#define FIND(name, complex_name) \
  if (!find_routine(handle, #name, complex_name, library.name)) return;
  ROUTINES(FIND)
#undef FIND
  *(void **)&set_threads = dlsym(handle, "openblas_set_num_threads");
  if (set_threads) set_threads(1);
}

bool sli_lapack_available(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_library);
  return !load_error;
}

sli_status_t *sli_lapack_load(void) {
  return sli_lapack_available() ? NULL
                                : sli_status_make(sli_status_code(load_error), "%s", sli_status_message(load_error));
}

// The number of threads is one for the whole library. One caller at a time may raise it; others meanwhile wait for the
// library's threads, or run on their own.
static sli_mutex_t wide_mutex = SLI_MUTEX_INITIALIZER;
static int wide_callers;  // under wide_mutex

void sli_lapack_begin_wide(int threads) {
  sli_mutex_lock(&wide_mutex);
  if (wide_callers++ == 0 && set_threads && threads > 1) set_threads(threads);
  sli_mutex_unlock(&wide_mutex);
}

void sli_lapack_end_wide(void) {
  sli_mutex_lock(&wide_mutex);
  if (--wide_callers == 0 && set_threads) set_threads(1);
  sli_mutex_unlock(&wide_mutex);
}

static int type_index(sli_dtype_t dtype) {
  switch (dtype) {
    case SLI_DTYPE_FLOAT: return 0;
    case SLI_DTYPE_DOUBLE: return 1;
    case SLI_DTYPE_COMPLEX64: return 2;
    default: SLI_CHECK(dtype == SLI_DTYPE_COMPLEX128); return 3;
  }
}
static bool is_complex(sli_dtype_t dtype) { return type_index(dtype) >= 2; }
static size_t real_size(sli_dtype_t dtype) { return type_index(dtype) % 2 ? sizeof(double) : sizeof(float); }

// The answer to a workspace query, which is a number of elements in the type of the matrix. A float may be too low.
static int query_result(sli_dtype_t dtype, const void *value) {
  double size = real_size(dtype) == sizeof(double) ? *(const double *)value : *(const float *)value;
  size *= 1.0000003;
  return size < 1 ? 1 : size > 2147483000.0 ? 2147483000 : (int)size + 1;
}

static void *allocate(size_t count, size_t size) { return sli_malloc_or_null((count ? count : 1) * size); }

static int at_least_1(int n) { return n > 1 ? n : 1; }

int sli_lapack_potrf(sli_dtype_t dtype, char uplo, int n, void *a) {
  typedef void (*routine_t)(const char *, const int *, void *, const int *, int *, size_t);
  int info = 0, ld = at_least_1(n);
  ((routine_t)library.potrf[type_index(dtype)])(&uplo, &n, a, &ld, &info, 1);
  return info;
}

int sli_lapack_getrf(sli_dtype_t dtype, int n, void *a, int *pivots) {
  typedef void (*routine_t)(const int *, const int *, void *, const int *, int *, int *);
  int info = 0, ld = at_least_1(n);
  ((routine_t)library.getrf[type_index(dtype)])(&n, &n, a, &ld, pivots, &info);
  return info;
}

int sli_lapack_getri(sli_dtype_t dtype, int n, void *a, const int *pivots) {
  typedef void (*routine_t)(const int *, void *, const int *, const int *, void *, const int *, int *);
  routine_t routine = (routine_t)library.getri[type_index(dtype)];
  int info = 0, ld = at_least_1(n), size = -1;
  double query[2];
  routine(&n, a, &ld, pivots, query, &size, &info);
  if (info) return info;
  size = query_result(dtype, query);
  void *work = allocate((size_t)size, sli_dtype_size(dtype));
  if (!work) return SLI_LAPACK_NO_MEMORY;
  routine(&n, a, &ld, pivots, work, &size, &info);
  free(work);
  return info;
}

int sli_lapack_getrs(sli_dtype_t dtype, char trans, int n, int columns, const void *a, const int *pivots, void *b) {
  typedef void (*routine_t)(const char *, const int *, const int *, const void *, const int *, const int *, void *,
                            const int *, int *, size_t);
  int info = 0, ld = at_least_1(n);
  ((routine_t)library.getrs[type_index(dtype)])(&trans, &n, &columns, a, &ld, pivots, b, &ld, &info, 1);
  return info;
}

void sli_lapack_trsm(sli_dtype_t dtype, char side, char uplo, char trans, int m, int n, const void *a, void *b) {
  typedef void (*routine_t)(const char *, const char *, const char *, const char *, const int *, const int *,
                            const void *, const void *, const int *, void *, const int *, size_t, size_t, size_t,
                            size_t);
  static const float one_float[2] = {1, 0};
  static const double one_double[2] = {1, 0};
  const void *one = real_size(dtype) == sizeof(double) ? (const void *)one_double : one_float;
  int a_ld = at_least_1(side == 'L' ? m : n), b_ld = at_least_1(m);
  ((routine_t)library.trsm[type_index(dtype)])(&side, &uplo, &trans, "N", &m, &n, one, a, &a_ld, b, &b_ld, 1, 1, 1, 1);
}

int sli_lapack_geqrf(sli_dtype_t dtype, int m, int n, void *a, void *factors) {
  typedef void (*routine_t)(const int *, const int *, void *, const int *, void *, void *, const int *, int *);
  routine_t routine = (routine_t)library.geqrf[type_index(dtype)];
  int info = 0, ld = at_least_1(m), size = -1;
  double query[2];
  routine(&m, &n, a, &ld, factors, query, &size, &info);
  if (info) return info;
  size = query_result(dtype, query);
  void *work = allocate((size_t)size, sli_dtype_size(dtype));
  if (!work) return SLI_LAPACK_NO_MEMORY;
  routine(&m, &n, a, &ld, factors, work, &size, &info);
  free(work);
  return info;
}

int sli_lapack_orgqr(sli_dtype_t dtype, int m, int columns, int k, void *a, const void *factors) {
  typedef void (*routine_t)(const int *, const int *, const int *, void *, const int *, const void *, void *,
                            const int *, int *);
  routine_t routine = (routine_t)library.orgqr[type_index(dtype)];
  int info = 0, ld = at_least_1(m), size = -1;
  double query[2];
  routine(&m, &columns, &k, a, &ld, factors, query, &size, &info);
  if (info) return info;
  size = query_result(dtype, query);
  void *work = allocate((size_t)size, sli_dtype_size(dtype));
  if (!work) return SLI_LAPACK_NO_MEMORY;
  routine(&m, &columns, &k, a, &ld, factors, work, &size, &info);
  free(work);
  return info;
}

typedef void (*gesdd_real_t)(const char *, const int *, const int *, void *, const int *, void *, void *, const int *,
                             void *, const int *, void *, const int *, int *, int *, size_t);
typedef void (*gesdd_complex_t)(const char *, const int *, const int *, void *, const int *, void *, void *,
                                const int *, void *, const int *, void *, const int *, void *, int *, int *, size_t);

int sli_lapack_gesdd(sli_dtype_t dtype, char job, int m, int n, void *a, void *s, void *u, void *vt) {
  int info = 0, least = m < n ? m : n, most = m < n ? n : m, size = -1;
  int a_ld = at_least_1(m), u_ld = job == 'N' ? 1 : at_least_1(m), vt_ld = at_least_1(job == 'A' ? n : least);
  size_t low = (size_t)least, high = (size_t)most, real = 0;
  if (is_complex(dtype)) {
    real = job == 'N' ? 7 * low : low * (5 * low + 7);
    if (job != 'N' && low * (2 * high + 2 * low + 1) > real) real = low * (2 * high + 2 * low + 1);
  }
  int *integers = allocate(8 * low, sizeof(int));
  void *real_work = allocate(real, real_size(dtype)), *work = NULL;
  double query[2];
  for (int pass = 0; pass < 2 && !info; pass++) {
    void *space = query;
    if (pass) {
      size = query_result(dtype, query);
      space = work = allocate((size_t)size, sli_dtype_size(dtype));
    }
    if (!space || !integers || !real_work) {
      info = SLI_LAPACK_NO_MEMORY;
    } else if (is_complex(dtype)) {
      ((gesdd_complex_t)library.gesdd[type_index(dtype)])(&job, &m, &n, a, &a_ld, s, u, &u_ld, vt, &vt_ld, space, &size,
                                                          real_work, integers, &info, 1);
    } else {
      ((gesdd_real_t)library.gesdd[type_index(dtype)])(&job, &m, &n, a, &a_ld, s, u, &u_ld, vt, &vt_ld, space, &size,
                                                       integers, &info, 1);
    }
  }
  free(work);
  free(real_work);
  free(integers);
  return info;
}

typedef void (*syevd_real_t)(const char *, const char *, const int *, void *, const int *, void *, void *, const int *,
                             int *, const int *, int *, size_t, size_t);
typedef void (*syevd_complex_t)(const char *, const char *, const int *, void *, const int *, void *, void *,
                                const int *, void *, const int *, int *, const int *, int *, size_t, size_t);

int sli_lapack_syevd(sli_dtype_t dtype, char job, char uplo, int n, void *a, void *values) {
  int info = 0, ld = at_least_1(n), size = -1, real_count = -1, integer_count = -1, integer_query[1];
  double query[2], real_query[2];
  void *work = query, *real_work = real_query;
  int *integers = integer_query;
  for (int pass = 0; pass < 2 && !info; pass++) {
    if (pass) {
      size = query_result(dtype, query);
      real_count = is_complex(dtype) ? query_result(dtype, real_query) : 1;
      integer_count = integer_query[0];
      work = allocate((size_t)size, sli_dtype_size(dtype));
      real_work = allocate((size_t)real_count, real_size(dtype));
      integers = allocate((size_t)integer_count, sizeof(int));
    }
    if (!work || !real_work || !integers) {
      info = SLI_LAPACK_NO_MEMORY;
    } else if (is_complex(dtype)) {
      ((syevd_complex_t)library.syevd[type_index(dtype)])(&job, &uplo, &n, a, &ld, values, work, &size, real_work,
                                                          &real_count, integers, &integer_count, &info, 1, 1);
    } else {
      ((syevd_real_t)library.syevd[type_index(dtype)])(&job, &uplo, &n, a, &ld, values, work, &size, integers,
                                                       &integer_count, &info, 1, 1);
    }
  }
  if (work != query) {
    free(work);
    free(real_work);
    free(integers);
  }
  return info;
}

int sli_lapack_geev(sli_dtype_t dtype, int n, void *a, void *values, void *vectors) {
  typedef void (*routine_t)(const char *, const char *, const int *, void *, const int *, void *, void *, const int *,
                            void *, const int *, void *, const int *, void *, int *, size_t, size_t);
  routine_t routine = (routine_t)library.geev[type_index(dtype)];
  SLI_CHECK(is_complex(dtype));
  int info = 0, ld = at_least_1(n), size = -1;
  const char *job = vectors ? "V" : "N";
  double query[2], unused[2];
  void *right = vectors ? vectors : unused, *real_work = allocate(2 * (size_t)n, real_size(dtype)), *work = NULL;
  if (!real_work) return SLI_LAPACK_NO_MEMORY;
  routine("N", job, &n, a, &ld, values, unused, &ld, right, &ld, query, &size, real_work, &info, 1, 1);
  if (!info) {
    size = query_result(dtype, query);
    work = allocate((size_t)size, sli_dtype_size(dtype));
    if (work)
      routine("N", job, &n, a, &ld, values, unused, &ld, right, &ld, work, &size, real_work, &info, 1, 1);
    else
      info = SLI_LAPACK_NO_MEMORY;
  }
  free(work);
  free(real_work);
  return info;
}

int sli_lapack_gees(sli_dtype_t dtype, int n, void *a, void *values, void *z) {
  typedef void (*routine_t)(const char *, const char *, const void *, const int *, void *, const int *, int *, void *,
                            void *, const int *, void *, const int *, void *, void *, int *, size_t, size_t);
  routine_t routine = (routine_t)library.gees[type_index(dtype)];
  SLI_CHECK(is_complex(dtype));
  int info = 0, ld = at_least_1(n), size = -1, selected = 0;
  double query[2];
  void *real_work = allocate((size_t)n, real_size(dtype)), *work = NULL;
  if (!real_work) return SLI_LAPACK_NO_MEMORY;
  routine("V", "N", NULL, &n, a, &ld, &selected, values, z, &ld, query, &size, real_work, NULL, &info, 1, 1);
  if (!info) {
    size = query_result(dtype, query);
    work = allocate((size_t)size, sli_dtype_size(dtype));
    if (work)
      routine("V", "N", NULL, &n, a, &ld, &selected, values, z, &ld, work, &size, real_work, NULL, &info, 1, 1);
    else
      info = SLI_LAPACK_NO_MEMORY;
  }
  free(work);
  free(real_work);
  return info;
}

typedef void (*gelsy_real_t)(const int *, const int *, const int *, void *, const int *, void *, const int *, int *,
                             const void *, int *, void *, const int *, int *);
typedef void (*gelsy_complex_t)(const int *, const int *, const int *, void *, const int *, void *, const int *, int *,
                                const void *, int *, void *, const int *, void *, int *);

int sli_lapack_gelsy(sli_dtype_t dtype, int m, int n, int columns, void *a, void *b, double rcond) {
  int info = 0, a_ld = at_least_1(m), b_ld = at_least_1(m > n ? m : n), rank = 0, size = -1;
  float small = (float)rcond;
  const void *limit = real_size(dtype) == sizeof(double) ? (const void *)&rcond : &small;
  int *order = allocate((size_t)n, sizeof(int));
  if (order) memset(order, 0, (size_t)at_least_1(n) * sizeof(int));
  void *real_work = allocate(2 * (size_t)n, real_size(dtype)), *work = NULL;
  double query[2];
  for (int pass = 0; pass < 2 && !info; pass++) {
    void *space = query;
    if (pass) {
      size = query_result(dtype, query);
      space = work = allocate((size_t)size, sli_dtype_size(dtype));
    }
    if (!space || !order || !real_work) {
      info = SLI_LAPACK_NO_MEMORY;
    } else if (is_complex(dtype)) {
      ((gelsy_complex_t)library.gelsy[type_index(dtype)])(&m, &n, &columns, a, &a_ld, b, &b_ld, order, limit, &rank,
                                                          space, &size, real_work, &info);
    } else {
      ((gelsy_real_t)library.gelsy[type_index(dtype)])(&m, &n, &columns, a, &a_ld, b, &b_ld, order, limit, &rank, space,
                                                       &size, &info);
    }
  }
  free(work);
  free(real_work);
  free(order);
  return info;
}
