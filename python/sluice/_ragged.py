"""Tensors whose rows differ in length: tf.RaggedTensor, its values in numpy, and how sessions feed and fetch it.

A ragged tensor is a tensor of values and the places where rows begin: row i is values[row_splits[i]:row_splits[i + 1]]. The
values of a tensor of more ragged dimensions are ragged themselves.
"""
import numpy as np

from sluice import _dtypes, _nest, _session
from sluice._api import export
from sluice._convert import convert_to_tensor, register_tensor_conversion_function
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, _session_for, name_scope
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor
from sluice._static import constant_value


def _tf():
    """The public functions, of which most methods are made."""
    import sluice
    return sluice


class _Rows:
    """What a ragged tensor and its value have in common: the parts that they are made of."""

    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    dtype = property(lambda self: self._values.dtype)

    @property
    def flat_values(self):
        return self._values.flat_values if isinstance(self._values, _Rows) else self._values

    @property
    def nested_row_splits(self):
        inner = self._values.nested_row_splits if isinstance(self._values, _Rows) else ()
        return (self._row_splits,) + inner

    @property
    def ragged_rank(self):
        return len(self.nested_row_splits)


@export("ragged.RaggedTensorValue")
class RaggedTensorValue(_Rows):
    """The value of a ragged tensor: numpy arrays, or another value as |values|."""

    def __init__(self, values, row_splits):
        row_splits = np.asarray(row_splits)
        if row_splits.dtype not in (np.int32, np.int64):
            raise TypeError("row_splits must be int32 or int64, got %s" % row_splits.dtype)
        self._values = values if isinstance(values, RaggedTensorValue) else np.asarray(values)
        self._row_splits = row_splits

    @property
    def shape(self):
        return (len(self._row_splits) - 1, None) + tuple(self._values.shape[1:])

    def to_list(self):
        """Lists of lists."""
        inner = self._values.to_list() if isinstance(self._values, RaggedTensorValue) else self._values.tolist()
        return [inner[a:b] for a, b in zip(self._row_splits[:-1], self._row_splits[1:])]

    def __repr__(self):
        return "tf.RaggedTensorValue(values=%r, row_splits=%r)" % (self._values, self._row_splits)

    def __str__(self):
        return "<tf.RaggedTensorValue %s>" % self.to_list()


def _splits(row_splits):
    """|row_splits| as a tensor of an integer type."""
    given = convert_to_tensor(row_splits, name="row_splits", preferred_dtype=_dtypes.int64)
    if given.dtype not in (_dtypes.int32, _dtypes.int64):
        raise ValueError("row_splits must have dtype int32 or int64, got %s" % given.dtype.name)
    return given


def _places(places, name, dtype=None):
    return convert_to_tensor(places, name=name, dtype=dtype, preferred_dtype=_dtypes.int64)


def _values_of(values):
    if isinstance(values, (RaggedTensor, RaggedTensorValue)):
        return as_ragged(values)
    return convert_to_tensor(values, name="values")


@export("RaggedTensor")
class RaggedTensor(_Rows):
    """A tensor whose rows differ in length. Made by tf.ragged.constant and the from_... methods."""
    __array_priority__ = 100

    def __init__(self, values, row_splits, internal=False):
        if not internal:
            raise ValueError("RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                             "RaggedTensor.from_row_lengths())")
        row_splits.shape.assert_has_rank(1)
        self._values, self._row_splits = values, row_splits

    # --- Making one ---

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        with name_scope(name, "RaggedFromRowSplits"):
            splits = _splits(row_splits)
            if splits.shape.is_fully_defined() and splits.shape.num_elements() == 0:
                raise ValueError("row_splits tensor may not be empty.")
            values, splits = _same_splits_type(_values_of(values), splits)
            return cls(values, splits, internal=True)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        tf = _tf()
        with name_scope(name, "RaggedFromRowLengths"):
            lengths = _places(row_lengths, "row_lengths")
            splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(lengths)], 0)
            return cls.from_row_splits(values, splits)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        tf = _tf()
        with name_scope(name, "RaggedFromValueRowIds"):
            rowids = _places(value_rowids, "value_rowids")
            if nrows is None:
                known = constant_value(rowids)
                nrows = tf.concat([rowids[-1:], tf.constant([-1], rowids.dtype)], 0)[0] + 1 if known is None else \
                    int(known[-1]) + 1 if len(known) else 0
            elif isinstance(nrows, int) and nrows < 0:
                raise ValueError("Expected nrows >= 0; got %d" % nrows)
            nrows = _places(nrows, "nrows", rowids.dtype)
            lengths = tf.unsorted_segment_sum(tf.ones_like(rowids), rowids, nrows)
            return cls.from_row_lengths(values, lengths)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        tf = _tf()
        with name_scope(name, "RaggedFromRowStarts"):
            values, starts = _values_of(values), _places(row_starts, "row_starts")
            return cls.from_row_splits(values, tf.concat([starts, _count(values, starts.dtype)[None]], 0))

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        tf = _tf()
        with name_scope(name, "RaggedFromRowLimits"):
            limits = _places(row_limits, "row_limits")
            return cls.from_row_splits(values, tf.concat([tf.zeros([1], limits.dtype), limits], 0))

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        tf = _tf()
        with name_scope(name, "RaggedFromUniformRowLength"):
            values = _values_of(values)
            length = _places(uniform_row_length, "uniform_row_length", _dtypes.int64)
            if nrows is None:
                nrows = tf.floordiv(_count(values, _dtypes.int64), length)
            return cls.from_row_splits(values, tf.range(_places(nrows, "nrows", _dtypes.int64) + 1) * length)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        return cls._nested(cls.from_row_splits, flat_values, nested_row_splits, name, "RaggedFromNestedRowSplits")

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        return cls._nested(cls.from_row_lengths, flat_values, nested_row_lengths, name, "RaggedFromNestedRowlengths")

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        counts = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        return cls._nested(lambda values, pair: cls.from_value_rowids(values, *pair), flat_values,
                           list(zip(nested_value_rowids, counts)), name, "RaggedFromNestedValueRowIds")

    @staticmethod
    def _nested(make, values, levels, name, label):
        if isinstance(levels, Tensor):
            raise TypeError("the levels of a nested ragged tensor must be a list of tensors, got %s" % levels)
        with name_scope(name, label):
            for level in reversed(levels):
                values = make(values, level)
            return values

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=_dtypes.int64):
        """The rows of |tensor|, without what is beyond |lengths| or is |padding| at their ends."""
        tf, dtype = _tf(), as_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify lengths or padding, but not both")
        if not isinstance(ragged_rank, int) or ragged_rank < 1:
            raise ValueError("ragged_rank must be greater than 0; got %s" % (ragged_rank,))
        with name_scope(name, "RaggedFromTensor"):
            tensor = convert_to_tensor(tensor, name="tensor")
            tensor.shape.with_rank_at_least(ragged_rank + 1)
            if isinstance(lengths, (list, tuple)) and lengths and not isinstance(lengths[0], (int, float)):
                values = tensor
                for _ in lengths[1:]:
                    values = _merged(values)
                made = cls.from_tensor(values, lengths[-1], row_splits_dtype=dtype)
                return cls.from_nested_row_lengths(made, lengths[:-1])
            if ragged_rank > 1:
                inner = cls.from_tensor(_merged(tensor), lengths, padding, ragged_rank - 1, row_splits_dtype=dtype)
                sizes = tf.shape(tensor, out_type=dtype)
                return cls.from_row_splits(inner, tf.range(sizes[0] + 1) * sizes[1])
            sizes = tf.shape(tensor, out_type=dtype)
            if padding is not None:
                padding = convert_to_tensor(padding, dtype=tensor.dtype, name="padding")
                has_value = tf.not_equal(tensor, padding)
                for _ in range(tensor.shape.ndims - 2):
                    has_value = tf.reduce_any(has_value, axis=2)
                places = tf.expand_dims(tf.range(1, sizes[1] + 1), 0)
                lengths = tf.reduce_max(tf.cast(has_value, dtype) * places, axis=1)
            if lengths is None:
                return cls.from_row_splits(_merged(tensor), tf.range(sizes[0] + 1) * sizes[1])
            lengths = tf.minimum(tf.cast(tf.maximum(convert_to_tensor(lengths), 0), dtype), sizes[1])
            mask = tf.sequence_mask(lengths, sizes[1])
            return cls.from_row_lengths(tf.boolean_mask(tensor, mask), lengths)

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=_dtypes.int64):
        """The elements of a sparse matrix, whose places in a row are left out."""
        dtype = as_dtype(row_splits_dtype)
        if not isinstance(st_input, SparseTensor):
            raise TypeError("Expected SparseTensor, got %s" % type(st_input).__name__)
        if st_input.dense_shape.shape.as_list() not in ([2], [None]):
            raise ValueError("rank(st_input) must be 2")
        with name_scope(name, "RaggedFromSparse", [st_input.indices]):
            rows = _tf().cast(st_input.indices[:, 0], dtype)
            return cls.from_value_rowids(st_input.values, rows, _tf().cast(st_input.dense_shape[0], dtype))

    # --- What it is made of ---

    graph = property(lambda self: self._row_splits.graph)
    op = property(lambda self: self.flat_values.op)
    name = property(lambda self: self.flat_values.name)

    @property
    def shape(self):
        count = self._row_splits.shape.as_list()[0]
        values = self._values.shape
        rest = TensorShape(None) if values.ndims is None else values[1:]
        return TensorShape([None if count is None else count - 1, None]).concatenate(rest)

    def get_shape(self):
        return self.shape

    def nrows(self, out_type=None, name=None):
        tf = _tf()
        with name_scope(name, "RaggedNRows"):
            return tf.shape(self._row_splits, out_type=out_type or self._row_splits.dtype)[0] - 1

    def row_starts(self, name=None):
        with name_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name=None):
        with name_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        if axis < 0:
            axis += self.shape.ndims
        with name_scope(name, "RaggedRowLengths"):
            if axis == 0:
                return self.nrows()
            if axis > 1 and isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            if axis > 1:
                size = _tf().shape(self._values, out_type=self._row_splits.dtype)
                return self.with_values(_tf().ones(size[:axis - 1], size.dtype) * size[axis - 1])
            return self._row_splits[1:] - self._row_splits[:-1]

    def nested_row_lengths(self, name=None):
        with name_scope(name, "RaggedNestedRowLengths"):
            found, one = [], self
            while isinstance(one, RaggedTensor):
                found.append(one.row_lengths())
                one = one.values
            return tuple(found)

    def value_rowids(self, name=None):
        """The row of each value."""
        with name_scope(name, "RaggedValueRowIds"):
            return row_splits_to_segment_ids(self._row_splits)

    def nested_value_rowids(self, name=None):
        with name_scope(name, "RaggedNestedValueRowIds"):
            found, one = [], self
            while isinstance(one, RaggedTensor):
                found.append(one.value_rowids())
                one = one.values
            return tuple(found)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest tensor that has room for all."""
        tf, dtype = _tf(), as_dtype(out_type or self._row_splits.dtype)
        with name_scope(name, "RaggedBoundingBox"):
            sizes = [self.nrows(dtype)]
            for lengths in self.nested_row_lengths():
                sizes.append(tf.cast(tf.maximum(tf.reduce_max(lengths), 0), dtype))
            inner = tf.shape(self.flat_values, out_type=dtype)[1:]
            shape = tf.concat([tf.stack(sizes), inner], 0)
            return shape if axis is None else tf.gather(shape, axis)

    # --- Others like it ---

    def with_values(self, new_values):
        values, splits = _same_splits_type(_values_of(new_values), self._row_splits)
        return RaggedTensor(values, splits, internal=True)

    def with_flat_values(self, new_values):
        inner = self._values
        return self.with_values(inner.with_flat_values(new_values) if isinstance(inner, RaggedTensor) else new_values)

    def with_row_splits_dtype(self, dtype):
        dtype = as_dtype(dtype)
        if dtype not in (_dtypes.int32, _dtypes.int64):
            raise ValueError("dtype must be int32 or int64, got %s" % dtype.name)
        values = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(values, _tf().cast(self._row_splits, dtype), internal=True)

    def to_tensor(self, default_value=None, name=None, shape=None):
        """A tensor in which short rows are filled with |default_value|."""
        from sluice._oplib import apply
        with name_scope(name, "RaggedToTensor"):
            default = _tf().zeros([], self.dtype) if default_value is None else \
                convert_to_tensor(default_value, dtype=self.dtype, name="default_value")
            if shape is None:
                sizes = [-1 if d is None else d for d in self.shape.as_list()] if self.shape.ndims is not None else -1
            else:
                sizes = [-1 if d is None else d for d in TensorShape(shape).as_list()] if not isinstance(shape, Tensor) else shape
            made = apply("RaggedTensorToTensor", None, shape=convert_to_tensor(sizes, preferred_dtype=_dtypes.int64),
                         values=self.flat_values, default_value=default, row_partition_tensors=list(self.nested_row_splits),
                         row_partition_types=["ROW_SPLITS"] * self.ragged_rank)
            return made

    def to_sparse(self, name=None):
        from sluice._oplib import apply
        with name_scope(name, "RaggedToSparse"):
            parts = apply("RaggedTensorToSparse", None, rt_nested_splits=list(self.nested_row_splits),
                          rt_dense_values=self.flat_values)
            return SparseTensor(*parts)

    def consumers(self):
        return [op for part in (*self.nested_row_splits, self.flat_values) for op in part.consumers()]

    def eval(self, feed_dict=None, session=None):
        return _session_for(session, self.graph, "evaluate tensor").run(self, feed_dict)

    def __getitem__(self, key):
        return _ragged_functions.item_of(self, key)

    def __hash__(self):
        return id(self)

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")

    def __reduce__(self):
        raise TypeError("a RaggedTensor cannot be pickled: it is a part of a graph of this process")

    def __repr__(self):
        return "tf.RaggedTensor(values=%s, row_splits=%s)" % (self._values, self._row_splits)


def _merged(tensor):
    """|tensor| with its first two dimensions as one."""
    tf = _tf()
    sizes = tensor.shape.as_list()
    inner = sizes[2:] if None not in sizes[2:] else None
    return tf.reshape(tensor, [-1] + inner if inner is not None else tf.concat([[-1], tf.shape(tensor)[2:]], 0))


def _count(values, dtype):
    return values.nrows(dtype) if isinstance(values, RaggedTensor) else _tf().shape(values, out_type=dtype)[0]


def _same_splits_type(values, splits):
    if isinstance(values, RaggedTensor) and values.row_splits.dtype != splits.dtype:
        return values.with_row_splits_dtype(_dtypes.int64), _tf().cast(splits, _dtypes.int64)
    return values, splits


def row_splits_to_segment_ids(splits):
    tf = _tf()
    places = tf.range(splits[-1])
    return tf.cast(tf.searchsorted(splits, places, side="right") - 1, splits.dtype)


def as_ragged(value, ragged_rank=None):
    """|value| as a ragged tensor; a tensor stays one, unless |ragged_rank| is given."""
    if isinstance(value, RaggedTensor):
        return value
    if isinstance(value, RaggedTensorValue):
        return RaggedTensor.from_row_splits(_values_of(value.values), value.row_splits)
    tensor = convert_to_tensor(value)
    return RaggedTensor.from_tensor(tensor, ragged_rank=ragged_rank) if ragged_rank else tensor


# --- Sessions, structures, conversions ---

def _parts(ragged):
    return [*ragged.nested_row_splits, ragged.flat_values]


def _value(parts):
    made = parts[-1]
    for splits in reversed(parts[:-1]):
        made = RaggedTensorValue(made, splits)
    return made


def _like(ragged, parts):
    return RaggedTensor.from_nested_row_splits(parts[-1], parts[:-1])


def _feed(ragged, value):
    if not isinstance(value, RaggedTensorValue):
        raise TypeError("the value of a ragged tensor that is fed must be a tf.ragged.RaggedTensorValue, such as of "
                        "tf.ragged.constant_value(), got %s" % type(value).__name__)
    if value.ragged_rank != ragged.ragged_rank:
        raise ValueError("the ragged tensor has %d ragged dimensions, the fed value %d" %
                         (ragged.ragged_rank, value.ragged_rank))
    return list(zip(_parts(ragged), [*value.nested_row_splits, value.flat_values]))


def _refuse(value, dtype=None, name=None, as_ref=False):
    raise TypeError("a RaggedTensor cannot be converted to a Tensor: this function takes no ragged tensors; use its "
                    "to_tensor() or tf.ragged.map_flat_values()")


_session.register_session_run_conversion_functions(RaggedTensor, lambda ragged: (_parts(ragged), _value), _feed)
_nest.register_composite(RaggedTensor, _parts, _like)
register_tensor_conversion_function((RaggedTensor, RaggedTensorValue), _refuse, 0)

from sluice import _ragged_functions  # noqa: E402,F401  (last: makes the public functions take ragged tensors)
