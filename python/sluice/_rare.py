"""Rarely used functions of the top module, tf.linalg, tf.math and tf.sparse."""
import os
import sys

import numpy as np

import sluice as tf
from sluice import _graph
from sluice._api import export
from sluice._graph import name_scope
from sluice._oplib import apply


@export("math.xdivy")
def xdivy(x, y, name=None):
    """x / y, and 0 where x is 0."""
    with name_scope(name, "xdivy", [x]):
        return apply("Xdivy", None, x=x, y=y)


@export("linalg.tridiagonal_matmul")
def tridiagonal_matmul(diagonals, rhs, diagonals_format="compact", name=None):
    """The product of tridiagonal matrices and |rhs|."""
    if diagonals_format not in ("compact", "sequence", "matrix"):
        raise ValueError("Unrecognized diagonals_format: %s" % diagonals_format)
    if diagonals_format == "compact":
        diagonals = tf.convert_to_tensor(diagonals, name="diagonals")
        upper, main, lower = [diagonals[..., i, :] for i in range(3)]
    elif diagonals_format == "sequence":
        upper, main, lower = [tf.convert_to_tensor(d) for d in diagonals]
    else:
        main = tf.linalg.diag_part(diagonals)
        zero = tf.zeros_like(main[..., :1])
        upper = tf.concat([tf.linalg.diag_part(diagonals[..., :-1, 1:]), zero], -1)
        lower = tf.concat([zero, tf.linalg.diag_part(diagonals[..., 1:, :-1])], -1)
    with name_scope(name, "tridiagonal_matmul"):
        upper, main, lower = [tf.expand_dims(d, -2) for d in (upper, main, lower)]
        return apply("TridiagonalMatMul", None, superdiag=upper, maindiag=main, subdiag=lower, rhs=rhs)


@export("linalg.expm")
def expm(input, name=None):  # noqa: A002
    """The exponential of square matrices, by scaling, a Pade approximation of order 13 and squaring."""
    with name_scope(name, "matrix_exponential", [input]):
        x = tf.convert_to_tensor(input, name="input")
        if x.shape.ndims is None:
            raise ValueError("matrix_exponential: the rank of the input must be known")
        norm = tf.reduce_max(tf.reduce_sum(tf.abs(x), -2), -1)
        times = tf.ceil(tf.log(tf.maximum(tf.cast(norm, tf.float64), 1e-30)) / np.log(2.0))
        times = tf.maximum(0, tf.cast(tf.reduce_max(times), tf.int32))
        x = x / tf.cast(tf.pow(2, times), x.dtype)
        c = [64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000., 10559470521600.,
             670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182., 1.]
        one = tf.eye(tf.shape(x)[-1], batch_shape=tf.shape(x)[:-2], dtype=x.dtype)
        c = [tf.constant(v / c[0], x.dtype) for v in c]
        x2 = tf.matmul(x, x)
        x4 = tf.matmul(x2, x2)
        x6 = tf.matmul(x4, x2)
        odd = tf.matmul(x, tf.matmul(x6, c[13] * x6 + c[11] * x4 + c[9] * x2) + c[7] * x6 + c[5] * x4 + c[3] * x2 + c[1] * one)
        even = tf.matmul(x6, c[12] * x6 + c[10] * x4 + c[8] * x2) + c[6] * x6 + c[4] * x4 + c[2] * x2 + c[0] * one
        made = tf.linalg.solve(even - odd, even + odd)
        made = tf.while_loop(lambda i, y: i < times, lambda i, y: (i + 1, tf.matmul(y, y)), [tf.constant(0), made])[1]
        made.set_shape(x.shape)
        return made


@export("sparse.expand_dims")
def sparse_expand_dims(sp_input, axis=None, name=None):
    """A sparse tensor with one more dimension of size 1."""
    rank = sp_input.dense_shape.shape.as_list()[0]
    axis = -1 if axis is None else axis
    if rank is None:
        raise ValueError("sparse.expand_dims needs a tensor of known rank")
    if not -rank - 1 <= axis <= rank:
        raise ValueError("axis must be between %d and %d, got %s" % (-rank - 1, rank, axis))
    with name_scope(name, "expand_dims"):
        axis = axis + rank + 1 if axis < 0 else axis
        zeros = tf.zeros_like(sp_input.indices[:, :1])
        indices = tf.concat([sp_input.indices[:, :axis], zeros, sp_input.indices[:, axis:]], 1)
        shape = tf.concat([sp_input.dense_shape[:axis], tf.constant([1], tf.int64), sp_input.dense_shape[axis:]], 0)
        return tf.SparseTensor(indices, sp_input.values, shape)


@export("sparse.mask", "sparse_mask")
def sparse_mask(a, mask_indices, name=None):
    """IndexedSlices without those rows."""
    with name_scope(name, "sparse_mask", [a.values, mask_indices]):
        kept, places = tf.setdiff1d(a.indices, mask_indices)
        return tf.IndexedSlices(tf.gather(a.values, places), kept, a.dense_shape)


def _cross(inputs, hashed, num_buckets, hash_key, name):
    sparse = [i for i in inputs if isinstance(i, tf.SparseTensor)]
    dense = [tf.convert_to_tensor(i) for i in inputs if not isinstance(i, tf.SparseTensor)]

    def plain(values):
        return tf.cast(values, tf.int64) if values.dtype != tf.string else values
    made = apply("SparseCross", name, indices=[s.indices for s in sparse], values=[plain(s.values) for s in sparse],
                 shapes=[s.dense_shape for s in sparse], dense_inputs=[plain(d) for d in dense], hashed_output=hashed,
                 num_buckets=num_buckets, hash_key=hash_key, out_type=tf.int64 if hashed else tf.string,
                 internal_type=tf.int64 if hashed else tf.string)
    return tf.SparseTensor(*made)


@export("sparse.cross")
def sparse_cross(inputs, name=None):
    """All combinations of the values in the same row, joined by _X_."""
    inputs = [i.with_values(tf.as_string(i.values)) if isinstance(i, tf.SparseTensor) and i.dtype != tf.string else i
              for i in inputs]
    inputs = [i if isinstance(i, tf.SparseTensor) or tf.convert_to_tensor(i).dtype == tf.string else tf.as_string(i)
              for i in inputs]
    return _cross(inputs, False, 0, 0, name)


@export("sparse.cross_hashed")
def sparse_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    return _cross(inputs, True, num_buckets, 0xDECAFCAFFE if hash_key is None else hash_key, name)


@export("batch_scatter_update")
def batch_scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Assigns |updates| to rows of each part of a variable."""
    with name_scope(name, "batch_scatter_update", [indices, updates]):
        indices = tf.convert_to_tensor(indices, name="indices")
        sizes = tf.shape(indices)
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("batch_scatter_update needs indices of known rank")
        places = []
        for axis in range(rank - 1):
            line = tf.reshape(tf.range(sizes[axis]), [-1 if i == axis else 1 for i in range(rank)])
            places.append(tf.cast(tf.broadcast_to(line, sizes), indices.dtype))
        return tf.scatter_nd_update(ref, tf.stack(places + [indices], axis=rank), updates, use_locking)


@export("assert_variables_initialized")
def assert_variables_initialized(var_list=None):
    """A tensor that fails if one of the variables has no value; None without variables."""
    variables = tf.global_variables() + tf.local_variables() if var_list is None else var_list
    if not variables:
        return None
    ranks = []
    with _graph.control_dependencies(None), tf.device("/cpu:0"):
        for v in variables:
            with tf.colocate_with(v.op):
                ranks.append(apply("Rank", None, input=v))
        return ranks[0] if len(ranks) == 1 else tf.stack(ranks)


@export("add_check_numerics_ops")
def add_check_numerics_ops():
    """An operation that checks every floating-point tensor of the graph for NaN and infinity."""
    checks = []
    for op in tf.get_default_graph().get_operations():
        for output in op.outputs:
            if output.dtype in (tf.float16, tf.float32, tf.float64):
                if op._control_flow_context is not None:
                    raise ValueError("`tf.add_check_numerics_ops() is not compatible with TensorFlow control flow operations "
                                     "such as `tf.cond()` or `tf.while_loop()`.")
                with tf.control_dependencies(checks[-1:]):
                    checks.append(tf.check_numerics(output, op.name + ":" + str(output.value_index)))
    return tf.group(*checks)


@export("create_partitioned_variables")
def create_partitioned_variables(shape, slicing, initializer, dtype=tf.float32, trainable=True, collections=None, name=None,
                                 reuse=None):
    """The parts of a variable, cut along the one axis where |slicing| is more than 1."""
    if len(shape) != len(slicing):
        raise ValueError("The 'shape' and 'slicing' of a partitioned Variable must have the length: shape: %s, slicing: %s" %
                         (shape, slicing))
    with tf.variable_scope(tf.get_variable_scope(), reuse=reuse):
        made = tf.get_variable(name or "PartitionedVariable", shape=shape, dtype=dtype, initializer=initializer,
                               trainable=trainable, collections=collections, partitioner=lambda **unused: list(slicing))
        return list(made) if hasattr(made, "__iter__") else [made]


@export("vectorized_map")
def vectorized_map(fn, elems):
    """fn of each element. It is a loop here, with the results of TensorFlow's vectorised graph."""
    from sluice import _nest
    first = _nest.map_structure(lambda x: tf.convert_to_tensor(x)[0], elems)
    types = _nest.map_structure(lambda t: t.dtype, fn(first))
    return tf.map_fn(fn, elems, dtype=types)


@export("recompute_grad")
def recompute_grad(f):
    """f, whose values are computed again for its gradient."""
    @tf.custom_gradient
    def call(*args):
        def gradient(*dys, variables=None):
            with tf.control_dependencies(dys):
                again = [tf.identity(a) for a in args]
            results = f(*again)
            results = list(results) if isinstance(results, (list, tuple)) else [results]
            found = tf.gradients(results, again + list(variables or []), dys)
            return (found[:len(args)], found[len(args):]) if variables is not None else found
        return f(*args), gradient
    return call


# --- Where files are ---

@export("resource_loader.get_root_dir_with_all_resources", "resource_loader.get_data_files_path")
def get_data_files_path():
    """The folder of the file that calls this."""
    return os.path.dirname(sys._getframe(1).f_code.co_filename)


@export("resource_loader.get_path_to_datafile")
def get_path_to_datafile(path):
    """|path| in the folder of the file that calls this."""
    return os.path.join(os.path.dirname(sys._getframe(1).f_code.co_filename), path)


@export("resource_loader.load_resource")
def load_resource(path):
    with open(os.path.join(os.path.dirname(sys._getframe(1).f_code.co_filename), path), "rb") as file:
        return file.read()


@export("resource_loader.readahead_file_path")
def readahead_file_path(path, readahead="128M"):
    return path
