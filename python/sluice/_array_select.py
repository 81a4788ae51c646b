"""Functions that count, pick and compare elements: tf.range, tf.gather, tf.where, tf.sequence_mask, tf.tensordot."""
import numpy as np

from sluice import _array, _dtypes, _math
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply
from sluice._static import constant_value


@export("gather")
def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """The slices |indices| of |params|; of a resource variable, without reading all of it."""
    axis = batch_dims if axis is None else axis
    if not isinstance(axis, Tensor) and axis == 0 and hasattr(params, "sparse_read"):
        return params.sparse_read(indices, name=name)
    return apply("GatherV2", name, params=params, indices=indices, axis=axis, batch_dims=batch_dims)


@export("where")
def where(condition, x=None, y=None, name=None):
    """Elements of |x| or |y|; without them, the indices of true elements."""
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            condition = convert_to_tensor(condition, preferred_dtype=_dtypes.bool, name="condition")
            return apply("Where", scope, input=condition)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return apply("Select", name, condition=condition, t=x, e=y)


@export("where_v2")
def where_v2(condition, x=None, y=None, name=None):
    if x is None and y is None:
        return where(condition, name=name)
    return apply("SelectV2", name, condition=condition, t=x, e=y)


@export("size")
def size(input, name=None, out_type=_dtypes.int32):  # noqa: A002
    with name_scope(name, "Size", [input]) as scope:
        if hasattr(input, "dense_shape"):
            return apply("Prod", scope, input=_math.cast(input.dense_shape, out_type), reduction_indices=0)
        tensor = convert_to_tensor(input)
        if tensor.shape.is_fully_defined():
            return constant(tensor.shape.num_elements(), dtype=out_type, name=scope)
        return apply("Size", scope, input=tensor, out_type=out_type)


@export("ones_like")
def ones_like(tensor, dtype=None, name=None, optimize=True):
    with name_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        dtype = tensor.dtype.base_dtype if dtype is None else as_dtype(dtype)
        with name_scope("Shape") as inner:
            known = tensor.shape
            shape = constant(known.as_list(), dtype=_dtypes.int32, name="shape_as_tensor") if known.is_fully_defined() else \
                apply("Shape", inner, input=tensor)
        made = apply("Fill", scope, dims=shape, value=constant(True if dtype.is_bool else 1, dtype=dtype))
        made.set_shape(tensor.shape)
        return made


@export("pad")
def pad(tensor, paddings, mode="CONSTANT", name=None, constant_values=0):
    mode = mode.upper()
    if mode == "CONSTANT":
        if isinstance(constant_values, Tensor) or constant_values != 0:
            return apply("PadV2", name, input=tensor, paddings=paddings, constant_values=constant_values)
        return apply("Pad", name, input=tensor, paddings=paddings)
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError("Unknown padding mode: %s" % mode)
    return apply("MirrorPad", name, input=tensor, paddings=paddings, mode=mode)


@export("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype=_dtypes.bool, name=None):
    """Rows whose first |lengths| elements are true."""
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = apply("Max", None, input=lengths, reduction_indices=_math._reduction_axes(lengths, None))
            maxlen = apply("Maximum", None, x=constant(0, dtype=maxlen.dtype), y=maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        row = apply("Range", None, start=constant(0, dtype=maxlen.dtype), limit=maxlen, delta=constant(1, dtype=maxlen.dtype))
        column = _array.expand_dims(lengths, -1)
        column = apply("Cast", None, x=column, DstT=maxlen.dtype)
        result = row < column
        dtype = _dtypes.bool if dtype is None else as_dtype(dtype)
        return result if dtype == _dtypes.bool else apply("Cast", None, x=result, DstT=dtype)


@export("boolean_mask")
def boolean_mask(tensor, mask, name="boolean_mask", axis=None):
    """The slices of |tensor| for which |mask| is true."""
    with name_scope(name, values=[tensor, mask]):
        tensor, mask = convert_to_tensor(tensor, name="tensor"), convert_to_tensor(mask, name="mask")
        rank, axis = mask.shape.ndims, 0 if axis is None else axis
        if not rank:
            raise ValueError("mask cannot be scalar." if rank == 0 else
                             "Number of mask dimensions must be specified, even if some dimensions are None.  E.g. "
                             "shape=[None] is ok, but shape=None is not.")
        known = tensor.shape
        if not known[axis:axis + rank].is_compatible_with(mask.shape):
            raise ValueError("Shapes %s and %s are incompatible" % (known[axis:axis + rank], mask.shape))
        leading = apply("Prod", None, input=_array.shape_of(tensor)[axis:axis + rank], reduction_indices=[0])
        tensor = _array.reshape(tensor, _array.concat([_array.shape_of(tensor)[:axis], [leading],
                                                       _array.shape_of(tensor)[axis + rank:]], 0))
        first = known[axis:axis + rank]
        tensor.set_shape(known[:axis].concatenate([first.num_elements() if first.is_fully_defined() else None])
                         .concatenate(known[axis + rank:]))
        mask = _array.reshape(mask, [-1])
        return gather(tensor, _array.squeeze(where_v2(mask), [1]), axis=axis)


@export("reverse_sequence")
def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None,  # noqa: A002
                     batch_dim=None):
    return apply("ReverseSequence", name, input=input, seq_lengths=seq_lengths,
                 seq_dim=seq_dim if seq_axis is None else seq_axis, batch_dim=batch_dim if batch_axis is None else batch_axis)


# --- Products over any axes ---

def _as_matrix(a, axes, flipped):
    """(|a| as a matrix whose rows or columns are |axes|, its other sizes, those that are known)"""
    sizes = a.shape.as_list()
    axes = [i if i >= 0 else i + len(sizes) for i in axes]
    free = [i for i in range(len(sizes)) if i not in axes]
    free_dims = [sizes[i] for i in free]
    if None not in sizes:
        order = axes + free if flipped else free + axes
        shape = [int(np.prod(free_dims)), int(np.prod([sizes[i] for i in axes]))]
        shape = shape[::-1] if flipped else shape
        moved = a if order == sorted(order) else _array.transpose(a, order)
        return moved if moved.shape.as_list() == shape else _array.reshape(moved, shape), free_dims, free_dims
    axes = convert_to_tensor(axes, dtype=_dtypes.int32, name="axes")
    free = convert_to_tensor(free, dtype=_dtypes.int32, name="free")
    shape = _array.shape_of(a)
    dims, axes_dims = gather(shape, free), gather(shape, axes)
    counts = [apply("Prod", None, input=d, reduction_indices=_math._reduction_axes(d, None)) for d in (dims, axes_dims)]
    order = _array.concat([axes, free] if flipped else [free, axes], 0)
    shape = _array.stack(counts[::-1] if flipped else counts)
    return _array.reshape(_array.transpose(a, order), shape), dims, free_dims


@export("tensordot", "linalg.tensordot")
def tensordot(a, b, axes, name=None):
    """The sum of products over |axes|: a number of axes, or (axes of a, axes of b)."""
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a, b = convert_to_tensor(a, name="a"), convert_to_tensor(b, name="b")
        if a.shape.ndims is None or b.shape.ndims is None:
            raise NotImplementedError("tensordot of a tensor of unknown rank is not there yet: use set_shape")
        if isinstance(axes, int):
            axes = list(range(a.shape.ndims - axes, a.shape.ndims)), list(range(axes))
        a_axes, b_axes = ([part] if isinstance(part, int) else [int(i) for i in part] for part in (
            constant_value(axes) if isinstance(axes, Tensor) else axes))
        if len(a_axes) != len(b_axes):
            raise ValueError("Different number of contraction axes `a` and `b`, %d != %d." % (len(a_axes), len(b_axes)))
        left, a_dims, a_known = _as_matrix(a, a_axes, False)
        right, b_dims, b_known = _as_matrix(b, b_axes, True)
        product = _math.matmul(left, right)
        if isinstance(a_dims, list) and isinstance(b_dims, list):
            if product.shape.is_fully_defined() and product.shape.as_list() == a_dims + b_dims:
                return product
            return _array.reshape(product, a_dims + b_dims, name=scope)
        a_dims, b_dims = (convert_to_tensor(d, dtype=_dtypes.int32) for d in (a_dims, b_dims))
        product = _array.reshape(product, _array.concat([a_dims, b_dims], 0), name=scope)
        product.set_shape(a_known + b_known)
        return product
