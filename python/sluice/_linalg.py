"""Linear algebra: tf.linalg and tf.einsum."""
import numpy as np

from sluice import _array, _dtypes, _math
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import name_scope
from sluice._math import cast, matmul
from sluice._math_more import conj, reduce
from sluice._oplib import apply
from sluice._shape import TensorShape


# --- Diagonals ---

@export("eye", "linalg.eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype=_dtypes.float32, name=None):
    from sluice import _api
    ones, zeros = _api.lookup("", "ones"), _api.lookup("", "zeros")
    with name_scope(name or "eye", values=[num_rows, num_columns, batch_shape]):
        square = num_columns is None
        batch_shape = [] if batch_shape is None else batch_shape
        num_columns = num_rows if square else num_columns
        if isinstance(num_rows, int) and isinstance(num_columns, int):
            size = min(num_rows, num_columns)
        else:
            size = apply("Minimum", None, x=num_rows, y=num_columns)
        if isinstance(batch_shape, (list, tuple, TensorShape)) and not hasattr(size, "op"):
            shape = TensorShape(batch_shape).as_list() + [size]
        else:
            shape = _array.concat([convert_to_tensor(batch_shape, name="shape", dtype=_dtypes.int32), [size]], 0)
        diagonal = ones(shape, dtype=dtype)
        if square:
            return matrix_diag(diagonal)
        if isinstance(batch_shape, (list, tuple, TensorShape)):
            whole = TensorShape(batch_shape).as_list() + [num_rows, num_columns]
        else:
            whole = _array.concat([batch_shape, [num_rows, num_columns]], 0)
        return matrix_set_diag(zeros(whole, dtype=dtype), diagonal)


@export("matrix_diag", "linalg.diag")
def matrix_diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    is_bool = getattr(diagonal, "dtype", None) == _dtypes.bool
    return apply("MatrixDiagV3", name, diagonal=diagonal, k=k, num_rows=num_rows, num_cols=num_cols,
                 padding_value=bool(padding_value) if is_bool else padding_value, align=align)


@export("matrix_diag_part", "linalg.diag_part")
def matrix_diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):  # noqa: A002
    is_bool = getattr(input, "dtype", None) == _dtypes.bool
    return apply("MatrixDiagPartV3", name, input=input, k=k, padding_value=bool(padding_value) if is_bool else padding_value,
                 align=align)


@export("matrix_set_diag", "linalg.set_diag")
def matrix_set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):  # noqa: A002
    return apply("MatrixSetDiagV3", name, input=input, diagonal=diagonal, k=k, align=align)


@export("diag_part", "linalg.tensor_diag_part")
def diag_part(input, name=None):  # noqa: A002
    return apply("DiagPart", name, input=input)


@export("trace", "linalg.trace")
def trace(x, name=None):
    with name_scope(name, "Trace", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return reduce("Sum", matrix_diag_part(x), [-1], name=scope)


@export("matrix_transpose", "linalg.matrix_transpose", "linalg.transpose")
def matrix_transpose(a, name="matrix_transpose", conjugate=False):
    with name_scope(name, values=[a]):
        a = convert_to_tensor(a, name="a")
        rank = a.shape.ndims
        if rank is None:
            a_rank = _array.rank(a)
            from sluice._range import range_of
            order = _array.concat([range_of(a_rank - 2), [a_rank - 1, a_rank - 2]], 0)
        elif rank < 2:
            raise ValueError("Argument `a` must be a (batch) matrix with rank >= 2, got shape %s." % a.shape)
        else:
            order = list(range(rank - 2)) + [rank - 1, rank - 2]
        return _array.transpose(a, perm=order, conjugate=conjugate)


@export("linalg.adjoint")
def adjoint(matrix, name=None):
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), name="matrix_transpose", conjugate=True)


@export("linalg.matvec")
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False, name=None):
    with name_scope(name, "MatVec", [a, b]):
        product = matmul(a, _array.expand_dims(b, axis=-1), transpose_a=transpose_a, adjoint_a=adjoint_a,
                         a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
        return _array.squeeze(product, axis=-1)


# --- Decompositions ---

@export("svd", "linalg.svd")
def svd(tensor, full_matrices=False, compute_uv=True, name=None):
    s, u, v = apply("Svd", name, input=tensor, compute_uv=compute_uv, full_matrices=full_matrices)
    return (s, u, v) if compute_uv else s


@export("self_adjoint_eig", "linalg.eigh")
def self_adjoint_eig(tensor, name=None):
    return tuple(apply("SelfAdjointEigV2", name, input=tensor, compute_v=True))


@export("self_adjoint_eigvals", "linalg.eigvalsh")
def self_adjoint_eigvals(tensor, name=None):
    return apply("SelfAdjointEigV2", name, input=tensor, compute_v=False)[0]


@export("matrix_triangular_solve", "linalg.triangular_solve")
def matrix_triangular_solve(matrix, rhs, lower=True, adjoint=False, name=None):
    with name_scope(name, "triangular_solve", [matrix, rhs]):
        return apply("MatrixTriangularSolve", None, matrix=matrix, rhs=rhs, lower=lower, adjoint=adjoint)


@export("cholesky_solve", "linalg.cholesky_solve")
def cholesky_solve(chol, rhs, name=None):
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        y = apply("MatrixTriangularSolve", None, matrix=chol, rhs=rhs, adjoint=False, lower=True)
        return apply("MatrixTriangularSolve", None, matrix=chol, rhs=y, adjoint=True, lower=True)


@export("matrix_solve_ls", "linalg.lstsq")
def matrix_solve_ls(matrix, rhs, l2_regularizer=0.0, fast=True, name=None):
    """The least squares solution of matrix x = rhs."""
    if not fast:
        return apply("MatrixSolveLs", name, matrix=matrix, rhs=rhs, l2_regularizer=l2_regularizer, fast=fast)
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):
        matrix = convert_to_tensor(matrix, name="matrix")
        if matrix.dtype.is_complex:
            return apply("MatrixSolveLs", None, matrix=matrix, rhs=rhs, l2_regularizer=l2_regularizer, fast=fast)
        rows, columns = matrix.shape.as_list()[-2:]
        if rows is None or columns is None:
            raise NotImplementedError("lstsq() with fast=True needs a matrix of a known size")

        def chol(first_transposed):
            gram = matmul(matrix, matrix, adjoint_a=first_transposed, adjoint_b=not first_transposed)
            if l2_regularizer:
                gram = gram + l2_regularizer * eye(min(rows, columns), batch_shape=matrix.shape.as_list()[:-2],
                                                   dtype=matrix.dtype.base_dtype)
            return apply("Cholesky", None, input=gram)
        if rows >= columns:
            return cholesky_solve(chol(True), matmul(matrix, rhs, adjoint_a=True))
        return matmul(matrix, cholesky_solve(chol(False), rhs), adjoint_a=True)


@export("linalg.logdet")
def logdet(matrix, name=None):
    """log(det) of matrices that are positive definite."""
    with name_scope(name, "logdet", [matrix]):
        chol = apply("Cholesky", None, input=matrix)
        return 2.0 * reduce("Sum", apply("Log", None, x=_real(matrix_diag_part(chol))), [-1])


def _real(x):
    from sluice import _api
    return _api.lookup("math", "real")(x)


@export("linalg.pinv")
def pinv(a, rcond=None, validate_args=False, name=None):
    """The pseudo-inverse, by singular values."""
    with name_scope(name or "pinv"):
        a = convert_to_tensor(a, name="a")
        if not a.dtype.is_floating:
            raise TypeError("Input `a` must have `float`-like `dtype` (saw %s)." % a.dtype.name)
        rows, columns = a.shape.as_list()[-2:]
        if rcond is None:
            rcond = 10.0 * max(rows, columns) * np.finfo(a.dtype.as_numpy_dtype).eps
        rcond = convert_to_tensor(rcond, dtype=a.dtype.base_dtype, name="rcond")
        values, left, right = svd(a, full_matrices=False, compute_uv=True)
        limit = _array.expand_dims(rcond * reduce("Max", values, -1), -1)
        from sluice._array_select import where_v2
        safe = where_v2(values > limit, values, constant(np.inf, dtype=values.dtype.base_dtype))
        return matmul(right / _array.expand_dims(safe, -2), left, adjoint_b=True)


@export("linalg.matrix_rank")
def matrix_rank(a, tol=None, validate_args=False, name=None):
    with name_scope(name or "matrix_rank"):
        a = convert_to_tensor(a, name="a")
        values = svd(a, compute_uv=False)
        if tol is None:
            size = max(a.shape.as_list()[-2:])
            tol = np.finfo(a.dtype.as_numpy_dtype).eps * size * reduce("Max", values, -1, True)
        return reduce("Sum", cast(values > tol, _dtypes.int32), -1)


# --- Norms ---

@export("norm", "linalg.norm")
def norm(tensor, ord="euclidean", axis=None, keepdims=None, name=None, keep_dims=None):  # noqa: A002
    keep = bool(keepdims if keepdims is not None else keep_dims)
    is_matrix = isinstance(axis, (list, tuple)) and len(axis) == 2
    if isinstance(axis, (list, tuple)) and not is_matrix and len(axis) != 1:
        raise ValueError("'axis' must be None, an integer, or a tuple of 2 unique integers, got %s" % (axis,))
    known = ["euclidean", "fro", 1, 2, np.inf] if is_matrix else ["euclidean", 1, 2, np.inf]
    if not (ord in known or (not is_matrix and isinstance(ord, (int, float)) and ord > 0)):
        raise ValueError("'ord' must be a supported %s norm in %s, got %s" % ("matrix" if is_matrix else "vector", known, ord))
    with name_scope(name, "norm", [tensor]):
        x = convert_to_tensor(tensor)
        if ord in ("fro", "euclidean", 2, 2.0):
            if is_matrix and ord in (2, 2.0):
                raise NotImplementedError("norm(): the norm 2 of matrices is not there yet")
            return apply("Sqrt", None, x=reduce("Sum", x * conj(x), axis, True)) if keep else _squeezed(
                apply("Sqrt", None, x=reduce("Sum", x * conj(x), axis, True)), axis)
        result = apply("Abs", None, x=x) if not x.dtype.is_complex else apply("ComplexAbs", None, x=x)
        if ord == 1:
            first = None if axis is None else axis[0] if is_matrix else axis
            result = reduce("Sum", result, first, True)
            if is_matrix:
                result = reduce("Max", result, axis[-1], True)
        elif ord == np.inf:
            if is_matrix:
                result = reduce("Sum", result, axis[1], True)
            result = reduce("Max", result, None if axis is None else axis[0] if is_matrix else axis, True)
        else:
            powered = _math.pow(result, ord)
            result = _math.pow(reduce("Sum", powered, axis, True), 1.0 / ord)
        return result if keep else _squeezed(result, axis)


def _squeezed(x, axis):
    return _array.squeeze(x, axis if axis is None or isinstance(axis, int) else list(axis))


@export("linalg.normalize")
def normalize(tensor, ord="euclidean", axis=None, name=None):  # noqa: A002
    with name_scope(name, "normalize", [tensor]):
        tensor = convert_to_tensor(tensor)
        size = norm(tensor, ord, axis, keepdims=True)
        return tensor / cast(size, tensor.dtype.base_dtype), size


# --- Products of many tensors ---

@export("einsum", "linalg.einsum")
def einsum(equation, *inputs, **kwargs):
    """Sums of products: einsum("ij,jk->ik", a, b)."""
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError("Invalid keyword arguments for this function: %s" % ", ".join(sorted(kwargs)))
    from sluice._einsum import einsum as build
    return build(equation, list(inputs), name)


@export("linalg.tridiagonal_solve")
def tridiagonal_solve(diagonals, rhs, diagonals_format="compact", transpose_rhs=False, conjugate_rhs=False, name=None,
                      partial_pivoting=True):
    if diagonals_format != "compact" or transpose_rhs or conjugate_rhs:
        raise NotImplementedError("tridiagonal_solve(): only the compact format, without transposition, is there yet")
    with name_scope(name or "tridiagonal_solve"):
        rhs = convert_to_tensor(rhs)
        as_vector = rhs.shape.ndims == convert_to_tensor(diagonals).shape.ndims - 1
        made = apply("TridiagonalSolve", None, diagonals=diagonals, rhs=_array.expand_dims(rhs, -1) if as_vector else rhs,
                     partial_pivoting=partial_pivoting)
        return _array.squeeze(made, -1) if as_vector else made
