// LAPACK, for FLOAT, DOUBLE, COMPLEX64 and COMPLEX128. The library (liblapack.so.3: OpenBLAS or the reference one, as
// the system's alternatives say) is loaded at the first use.
//
// Matrices are stored by columns, as LAPACK has them: a row-major matrix is its own transpose here. Functions named
// after LAPACK's routines take the routine's arguments without workspace, which they allocate, and return its info: 0,
// a positive number that the routine's documentation explains, or SLI_LAPACK_NO_MEMORY. All are thread-safe and block
// until the result is there. sli_lapack_load must have succeeded before any other call.
#ifndef SLI_MATH_LAPACK_H_
#define SLI_MATH_LAPACK_H_

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "core/tensor/dtype.h"

enum { SLI_LAPACK_NO_MEMORY = -10000 };

// Loads the library. FAILED_PRECONDITION, with the name of the package, if it is missing.
sli_status_t *sli_lapack_load(void);
// Whether it is there, for code that has a slower way.
bool sli_lapack_available(void);
// Between these two a call may use |threads| threads of the library's own; otherwise it uses the caller's alone. For
// one large problem at a time: calls of several threads at once are faster without. The library's threads yield while
// they wait for each other, so that where other programs run, a problem of few milliseconds takes several times as long
// with them: they are worth it from SLI_LAPACK_WIDE_COST on, by the kernels' estimates, which are many times too high.
#define SLI_LAPACK_WIDE_COST 3e8
void sli_lapack_begin_wide(int threads);
void sli_lapack_end_wide(void);

// Cholesky: the triangle |uplo| ('U', 'L') of the n by n matrix becomes its factor.
int sli_lapack_potrf(sli_dtype_t dtype, char uplo, int n, void *a);
// LU with partial pivoting; |pivots| has n elements, counted from 1.
int sli_lapack_getrf(sli_dtype_t dtype, int n, void *a, int *pivots);
int sli_lapack_getri(sli_dtype_t dtype, int n, void *a, const int *pivots);
int sli_lapack_getrs(sli_dtype_t dtype, char trans, int n, int columns, const void *a, const int *pivots, void *b);
// op(A) X = B (|side| 'L') or X op(A) = B ('R') for triangular A; B is m by n and becomes X. From BLAS.
void sli_lapack_trsm(sli_dtype_t dtype, char side, char uplo, char trans, int m, int n, const void *a, void *b);
// QR: geqrf leaves R and reflections, orgqr (ungqr) makes the first |columns| columns of Q of the k reflections in |a|.
int sli_lapack_geqrf(sli_dtype_t dtype, int m, int n, void *a, void *factors);
int sli_lapack_orgqr(sli_dtype_t dtype, int m, int columns, int k, void *a, const void *factors);
// SVD: A = U S VT. |job| is 'A' (all columns), 'S' (the first min(m, n)) or 'N' (none). |a| is destroyed. |s| is real.
int sli_lapack_gesdd(sli_dtype_t dtype, char job, int m, int n, void *a, void *s, void *u, void *vt);
// Eigenvalues (real, ascending) of the Hermitian matrix whose triangle |uplo| is given; with |job| 'V' the eigenvectors
// are the columns of |a| afterwards.
int sli_lapack_syevd(sli_dtype_t dtype, char job, char uplo, int n, void *a, void *values);
// Eigenvalues and, unless |vectors| is NULL, right eigenvectors of unit length of a complex matrix. Destroys |a|.
int sli_lapack_geev(sli_dtype_t dtype, int n, void *a, void *values, void *vectors);
// The Schur form of a complex matrix: A = Z T Z^H. |a| becomes T.
int sli_lapack_gees(sli_dtype_t dtype, int n, void *a, void *values, void *z);
// The least-squares solution of minimum norm, with the rank that |rcond| allows. B has max(m, n) rows and becomes X.
int sli_lapack_gelsy(sli_dtype_t dtype, int m, int n, int columns, void *a, void *b, double rcond);

#endif  // SLI_MATH_LAPACK_H_
