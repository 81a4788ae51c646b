#!/usr/bin/env python3
"""Records golden cases of linear algebra (cases/linalg) as TensorFlow runs them. Where signs or phases
of vectors are free, what is recorded does not depend on them."""
import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case

REAL = [np.float32, np.float64]
ALL = REAL + [np.complex64, np.complex128]
random = np.random.RandomState(7)


def matrix(dtype, *shape):
    value = random.uniform(-1, 1, shape)
    if np.issubdtype(dtype, np.complexfloating):
        value = value + 1j * random.uniform(-1, 1, shape)
    return value.astype(dtype)


def regular(dtype, *shape):
    """Square matrices far from singular."""
    return (matrix(dtype, *shape) + 3 * np.eye(shape[-1])).astype(dtype)


def definite(dtype, *shape):
    a = matrix(dtype, *shape)
    return (a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(shape[-1])).astype(dtype)


def parts(tensors):
    """Complex tensors as real ones, which are compared with a tolerance."""
    out = []
    for tensor in tensors:
        out += [tf.real(tensor), tf.imag(tensor)] if tensor.dtype.is_complex else [tensor]
    return out


def unknown(value):
    return tf.placeholder_with_default(tf.constant(value), None)


def both(case, function, *values):
    """Runs with known shapes, and with unknown ones."""
    case.run(lambda: parts(function(*[tf.constant(v) for v in values])))
    case.run(lambda: parts(function(*[unknown(v) for v in values])))


def linalg():
    case = Case("linalg")
    case.tolerances = {tf.float32: "1e-03 1e-04", tf.float64: "1e-08 1e-09"}
    raw = tf.raw_ops
    for dtype in ALL:
        for shape in ((3, 3), (2, 3, 4, 4), (1, 1), (12, 12), (0, 0), (2, 0, 0), (0, 3, 3)):
            both(case, lambda a: [raw.Cholesky(input=a)], definite(dtype, *shape))
            both(case, lambda a: [raw.MatrixInverse(input=a)], regular(dtype, *shape))
            both(case, lambda a: [raw.MatrixDeterminant(input=a)], regular(dtype, *shape))
            both(case, lambda a: list(raw.LogMatrixDeterminant(input=a)), regular(dtype, *shape))
            if shape[-1]:
                both(case, lambda a: list(raw.Lu(input=a)), regular(dtype, *shape))
                both(case, lambda a: list(raw.Lu(input=a, output_idx_type=tf.int64)), regular(dtype, *shape))
            both(case, lambda a: [raw.SelfAdjointEigV2(input=a).e, raw.SelfAdjointEigV2(input=a, compute_v=False).e],
                 definite(dtype, *shape))
        both(case, lambda a: [raw.MatrixInverse(input=a, adjoint=True)], regular(dtype, 2, 4, 4))
        for adjoint in (False, True):
            both(case, lambda a, b: [raw.MatrixSolve(matrix=a, rhs=b, adjoint=adjoint)],
                 regular(dtype, 2, 4, 4), matrix(dtype, 2, 4, 3))
        both(case, lambda a, b: [raw.MatrixSolve(matrix=a, rhs=b)], regular(dtype, 0, 0), matrix(dtype, 0, 3))
        both(case, lambda a, b: [raw.MatrixSolve(matrix=a, rhs=b)], regular(dtype, 3, 3), matrix(dtype, 3, 0))
        for fast in (True, False):
            for rows, columns in ((5, 3), (3, 5), (4, 4)):
                both(case, lambda a, b: [raw.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=0.25 * fast, fast=fast)],
                     matrix(dtype, 2, rows, columns), matrix(dtype, 2, rows, 2))
        # A matrix of rank 1.
        low = matrix(dtype, 4, 1) @ matrix(dtype, 1, 3)
        both(case, lambda a, b: [raw.MatrixSolveLs(matrix=a, rhs=b, l2_regularizer=0, fast=False)], low,
             matrix(dtype, 4, 2))
        # What does not depend on phases: the matrix itself and projections.
        for shape in ((4, 4), (2, 5, 3), (2, 3, 5)):
            for full in (False, True):
                def svd(a):
                    s, u, v = raw.Svd(input=a, full_matrices=full)
                    least = min(shape[-2:])
                    scaled = u[..., :least] * s[..., None, :]
                    return [s, tf.matmul(scaled, v[..., :least], adjoint_b=True), tf.matmul(u, u, adjoint_a=True),
                            tf.matmul(v, v, adjoint_b=True), tf.matmul(v, v, adjoint_a=True),
                            raw.Svd(input=a, compute_uv=False).s]
                both(case, svd, matrix(dtype, *shape))

        def self_adjoint(a):
            e, v = raw.SelfAdjointEigV2(input=a)
            return [e, tf.matmul(v * e[..., None, :], v, adjoint_b=True), tf.matmul(v, v, adjoint_a=True), tf.abs(v)]
        both(case, self_adjoint, definite(dtype, 2, 4, 4))

        def eig(a):
            out = tf.complex64 if a.dtype in (tf.float32, tf.complex64) else tf.complex128
            e, v = raw.Eig(input=a, Tout=out)
            values = raw.Eig(input=a, Tout=out, compute_v=False).e
            av = tf.matmul(tf.cast(a, out), v) - v * e[..., None, :]
            return [tf.sort(tf.real(e)), tf.sort(tf.abs(e)), tf.sort(tf.real(values)), tf.norm(v, axis=-2),
                    av + tf.cast(1, out)]
        both(case, eig, matrix(dtype, 2, 4, 4))
        both(case, lambda a: [raw.MatrixSquareRoot(input=a)], regular(dtype, 2, 4, 4))
        if np.issubdtype(dtype, np.complexfloating):
            both(case, lambda a: [raw.MatrixLogarithm(input=a)], regular(dtype, 2, 4, 4))
            both(case, lambda a: [raw.MatrixLogarithm(input=a)], 0.1 * matrix(dtype, 3, 3) + np.eye(3).astype(dtype))
            both(case, lambda a: [raw.MatrixLogarithm(input=a)], definite(dtype, 5, 5))
            both(case, lambda a: [raw.MatrixLogarithm(input=a)], definite(dtype, 0, 0))
        both(case, lambda a: [raw.MatrixSquareRoot(input=a)], definite(dtype, 5, 5))
        both(case, lambda a: [raw.MatrixSquareRoot(input=a)], definite(dtype, 0, 0))
        both(case, lambda a: [raw.MatrixSquareRoot(input=a)], np.array([[0, -4], [4, 0]], dtype))
        both(case, lambda a: [raw.MatrixSquareRoot(input=a)], np.array([[-1, 2], [0, 4]], dtype))
        for pivot in (True, False):
            both(case, lambda d, b: [raw.TridiagonalSolve(diagonals=d, rhs=b, partial_pivoting=pivot)],
                 (matrix(dtype, 2, 3, 5) + np.array([0, 3, 0])[:, None]).astype(dtype), matrix(dtype, 2, 5, 2))
            both(case, lambda d, b: [raw.TridiagonalSolve(diagonals=d, rhs=b, partial_pivoting=pivot)],
                 matrix(dtype, 3, 6), matrix(dtype, 6, 1))
        both(case, lambda d, b: [raw.TridiagonalSolve(diagonals=d, rhs=b)], matrix(dtype, 3, 1), matrix(dtype, 1, 2))
        both(case, lambda d, b: [raw.TridiagonalSolve(diagonals=d, rhs=b)], matrix(dtype, 3, 2), matrix(dtype, 2, 2))
        both(case, lambda u, d, l, b: [raw.TridiagonalMatMul(superdiag=u, maindiag=d, subdiag=l, rhs=b)],
             matrix(dtype, 2, 1, 4), matrix(dtype, 2, 1, 4), matrix(dtype, 2, 1, 4), matrix(dtype, 2, 4, 3))
        for lower in (False, True):
            for adjoint in (False, True):
                for bands in (1, 2, 3):
                    both(case, lambda a, b: [raw.BandedTriangularSolve(matrix=a, rhs=b, lower=lower, adjoint=adjoint)],
                         (matrix(dtype, 2, bands, 4) + 2).astype(dtype), matrix(dtype, 1, 4, 2))
                both(case, lambda a, b: [raw.MatrixTriangularSolve(matrix=a, rhs=b, lower=lower, adjoint=adjoint)],
                     regular(dtype, 2, 10, 10), matrix(dtype, 1, 10, 3))
        # Of a size that LAPACK gets, and smaller.
        for shape in ((4, 3), (3, 4), (36, 32), (32, 36)):
            for full in (False, True):
                case.run(lambda: parts(raw.Qr(input=unknown(matrix(dtype, *shape)), full_matrices=full)))
        for lower in (False, True):
            case.run(lambda: parts([raw.MatrixTriangularSolve(
                matrix=unknown(10 * regular(dtype, 33, 33)), rhs=unknown(matrix(dtype, 2, 33, 33)), lower=lower,
                adjoint=lower)]))
    for dtype in REAL:
        both(case, lambda l, g: [raw.CholeskyGrad(l=l, grad=g)], np.linalg.cholesky(definite(dtype, 2, 4, 4)),
             matrix(dtype, 2, 4, 4))
    both(case, lambda a: [tf.cast(raw.MatrixInverse(input=a), tf.float32)],
         np.array([[2, 1], [1, 4]], np.float16))

    # Errors, and what is not one.
    singular = np.array([[1, 2], [2, 4]], np.float32)
    column = np.array([[1], [1]], np.float32)
    bad = np.array([[np.nan, 2], [2, 4]], np.float32)
    flat = np.array([1, 2], np.float32)
    wide = np.array([[1, 2]], np.float32)
    zeros = np.zeros([3, 3], np.float32)
    not_definite = np.array([[1, 2], [2, 1]], np.float32)
    for op in (raw.Cholesky, raw.MatrixInverse, raw.MatrixDeterminant, lambda input: raw.Lu(input=input).lu,
               lambda input: raw.LogMatrixDeterminant(input=input).log_abs_determinant,
               lambda input: raw.SelfAdjointEigV2(input=input).e, lambda input: raw.Svd(input=input).s,
               lambda input: raw.Eig(input=input, Tout=tf.complex64).e, raw.MatrixSquareRoot):
        for value in (flat, wide):
            case.run(lambda: parts([op(input=unknown(value))]))
    for op in (lambda input: tf.linalg.band_part(raw.Cholesky(input=input), -1, 0), raw.MatrixInverse,
               raw.MatrixDeterminant, lambda input: raw.Lu(input=input).lu,
               lambda input: raw.LogMatrixDeterminant(input=input).sign):
        for value in (singular, zeros, not_definite):
            case.run(lambda: [op(input=unknown(value))])
    for op in (raw.MatrixInverse, lambda input: raw.SelfAdjointEigV2(input=input).e,
               lambda input: raw.Svd(input=input).s, lambda input: raw.Svd(input=input).u,
               lambda input: tf.real(raw.Eig(input=input, Tout=tf.complex64).e)):
        case.run(lambda: [op(input=unknown(bad))])
    case.run(lambda: [tf.real(raw.Eig(input=unknown(singular), Tout=tf.complex128).e)])
    for left, right in ((singular, column), (wide, column), (singular, wide), (singular, flat), (flat, flat),
                        (not_definite, np.ones([1, 2, 1], np.float32))):
        case.run(lambda: [raw.MatrixSolve(matrix=unknown(left), rhs=unknown(right))])
        case.run(lambda: [raw.MatrixSolveLs(matrix=unknown(left), rhs=unknown(right), l2_regularizer=0.5)])
        case.run(lambda: [raw.MatrixTriangularSolve(matrix=unknown(left), rhs=unknown(right))])
        case.run(lambda: [raw.BandedTriangularSolve(matrix=unknown(left), rhs=unknown(right))])
    case.run(lambda: [raw.MatrixSolveLs(matrix=unknown(singular), rhs=unknown(column), l2_regularizer=-1)])
    case.run(lambda: [raw.MatrixSolveLs(matrix=unknown(singular), rhs=unknown(column), l2_regularizer=0)])
    case.run(lambda: [raw.BandedTriangularSolve(matrix=unknown(zeros), rhs=unknown(zeros))])
    for pivot in (True, False):
        for diagonals in (zeros, zeros[:, :1], zeros[:2]):
            case.run(lambda: [raw.TridiagonalSolve(diagonals=unknown(diagonals), rhs=unknown(diagonals.T[:, :1]),
                                                   partial_pivoting=pivot)])
    for empty in ((0, 3), (3, 0), (2, 0, 3)):
        for full in (False, True):
            case.run(lambda: list(raw.Svd(input=tf.zeros(empty), full_matrices=full)))
    case.write()


if __name__ == "__main__":
    linalg()
