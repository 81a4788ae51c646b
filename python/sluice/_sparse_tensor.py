"""tf.SparseTensor, its values, and how sessions feed and fetch it."""
import collections

import numpy as np

from sluice import _dtypes, _nest, _session
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import _session_for, name_scope
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._static import constant_value

SparseTensorValue = export("SparseTensorValue")(
    collections.namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"]))


def shape_of_value(tensor):
    """What is known of the shape that |tensor| holds."""
    rank = tensor.shape.as_list()[0] if tensor.shape.ndims == 1 else None
    if rank == 0:
        return TensorShape([])
    op = tensor.op
    if op.type == "PlaceholderWithDefault":
        return TensorShape(None if rank is None else [None] * rank)
    if op.type == "Cast":
        return shape_of_value(op.inputs[0])
    if op.type == "ConcatV2" and constant_value(op.inputs[-1]) is not None:
        made = TensorShape([])
        for part in op.inputs[:-1]:
            made = made.concatenate(shape_of_value(part))
        return made
    if op.type == "StridedSlice":
        return _sliced_shape(op, rank)
    value = constant_value(tensor, partial=True)
    if value is None:
        return TensorShape(None if rank is None else [None] * rank)
    return TensorShape([None if d is None or d < 0 else int(d) for d in value.tolist()])


def _sliced_shape(op, rank):
    """The shape that x[begin:end:stride] of a shape holds."""
    bounds = [constant_value(t) for t in op.inputs[1:]]
    whole = shape_of_value(op.inputs[0])
    if whole.ndims is None or any(b is None for b in bounds) or op.get_attr("shrink_axis_mask"):
        return TensorShape(None if rank is None else [None] * rank)
    begin = None if op.get_attr("begin_mask") & 1 else int(bounds[0][0])
    end = None if op.get_attr("end_mask") & 1 else int(bounds[1][0])
    return TensorShape(whole.as_list()[begin:end:int(bounds[2][0])])


@export("SparseTensor", "sparse.SparseTensor")
class SparseTensor:
    """A tensor by its elements: |values| at |indices|, of a tensor of |dense_shape|."""

    def __init__(self, indices, values, dense_shape):
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, name="indices", dtype=_dtypes.int64)
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, name="dense_shape", dtype=_dtypes.int64)
        self._known = shape_of_value(self._dense_shape)
        for tensor, rank, label in ((self._indices, 2, "indices"), (self._values, 1, "values"),
                                    (self._dense_shape, 1, "dense_shape")):
            if tensor.shape.ndims not in (None, rank):
                raise ValueError("%s of a SparseTensor must have rank %d, but its shape is %s" % (label, rank, tensor.shape))

    @classmethod
    def from_value(cls, sparse_tensor_value):
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError("Argument sparse_tensor_value=%s is neither a SparseTensor nor SparseTensorValue." %
                            (sparse_tensor_value,))
        return cls(*parts(sparse_tensor_value))

    indices = property(lambda self: self._indices)
    values = property(lambda self: self._values)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)
    op = property(lambda self: self._values.op)
    graph = property(lambda self: self._indices.graph)
    name = property(lambda self: self._values.name)
    shape = property(lambda self: self._known)

    def get_shape(self):
        return self._known

    def set_shape(self, shape):
        self._known = self._known.merge_with(TensorShape(shape))

    def with_values(self, new_values):
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict=None, session=None):
        return _session_for(session, self.graph, "evaluate tensor").run(self, feed_dict)

    def _each(self, op, label, other):
        with name_scope(None, label, [self.indices, self.values, self.dense_shape, other]) as scope:
            other = convert_to_tensor(other, dtype=self.dtype.base_dtype, name="y")
            values = apply(op, scope, sp_indices=self.indices, sp_values=self.values, sp_shape=self.dense_shape, dense=other)
            return SparseTensor(self.indices, values, self.dense_shape)

    def __mul__(self, other):
        return self._each("SparseDenseCwiseMul", "mul", other)

    def __truediv__(self, other):
        return self._each("SparseDenseCwiseDiv", "truediv", other)

    def __repr__(self):
        return "SparseTensor(indices=%s, values=%s, dense_shape=%s)" % (self._indices, self._values, self._dense_shape)


def parts(sparse):
    return sparse.indices, sparse.values, sparse.dense_shape


def as_sparse(value):
    """|value|, a sparse tensor or the value of one, as a sparse tensor."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError("Input must be a SparseTensor. Received: %s of type %s" % (value, type(value).__name__))
    return value


def _feed(sparse, value):
    return list(zip(parts(sparse), (np.asarray(value[0], np.int64).reshape(-1, len(value[2])), value[1], value[2])))


_session.register_session_run_conversion_functions(
    SparseTensor, lambda sparse: (list(parts(sparse)), lambda values: SparseTensorValue(*values)), _feed)
_nest.register_composite(SparseTensor, lambda sparse: list(parts(sparse)), lambda sparse, made: SparseTensor(*made))


@export("sparse_placeholder", "sparse.placeholder")
def sparse_placeholder(dtype, shape=None, name=None):
    """A sparse tensor that must be fed."""
    from sluice._variables import placeholder, placeholder_with_default
    prefix = "" if name is None else name + "/"
    if shape is None:
        dims, rank = placeholder(_dtypes.int64, [None], name=prefix + "shape" if name else None), None
    elif hasattr(shape, "op"):
        dims, rank = shape, shape.shape.as_list()[0]
    else:
        rank = len(shape)
        sizes = tuple(-1 if d is None else int(d) for d in shape)
        if -1 in sizes:
            default = convert_to_tensor(np.array(sizes, np.int64), name=prefix + "shape_default" if name else None)
            dims = placeholder_with_default(default, [rank], name=prefix + "shape" if name else None)
        else:
            dims = convert_to_tensor(sizes, dtype=_dtypes.int64, name=prefix + "shape" if name else None)
    made = SparseTensor(
        values=placeholder(dtype, [None], name=prefix + "values" if name else None),
        indices=placeholder(_dtypes.int64, [None, rank], name=prefix + "indices" if name else None), dense_shape=dims)
    if shape is not None and not hasattr(shape, "op"):
        made.set_shape(shape)
    return made
