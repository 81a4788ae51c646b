"""tf.ragged, and the public functions that take ragged tensors.

Importing this module, which the first use of a ragged tensor does, makes those functions look for ragged arguments.
"""
import functools

import numpy as np

from sluice import _api, _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, control_dependencies, name_scope
from sluice._oplib import apply
from sluice._ragged import RaggedTensor, RaggedTensorValue, _count, _tf, as_ragged
from sluice._ragged import row_splits_to_segment_ids as _segment_ids


# --- Making ---

def _depth(value):
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value if isinstance(value, np.ndarray) else 0) == 0 and \
            not isinstance(value, np.ndarray):
        return 1 + max([_depth(item) for item in value], default=0)
    return np.ndim(value)


def _inner_shape(value):
    """The shape of nested lists, of which all on a level must have the same length."""
    if not isinstance(value, (list, tuple, np.ndarray)):
        return ()
    shapes = {_inner_shape(item) for item in value}
    if len(shapes) > 1:
        raise ValueError("inner values have inconsistent shape")
    return (len(value),) + (shapes.pop() if shapes else ())


def _constant(pylist, dtype, ragged_rank, inner_shape, splits_type, leaf, level):
    """Values by |leaf|, rows by |level|, of nested lists."""
    if isinstance(pylist, np.ndarray):
        pylist = pylist.tolist()
    if not isinstance(pylist, (list, tuple)):
        if ragged_rank:
            raise ValueError("Invalid pylist=%r: incompatible with ragged_rank=%s" % (pylist, ragged_rank))
        return leaf(pylist, dtype, None)
    depth = _depth(pylist)
    if ragged_rank is None:
        ragged_rank = max(0, depth - 1 - len(inner_shape or ()))
    if inner_shape is None:
        inner_shape = None if depth > ragged_rank + 1 else ()
    levels, rows = [], pylist
    for _ in range(ragged_rank):
        if any(not isinstance(row, (list, tuple)) for row in rows):
            raise ValueError("pylist must not have values at different depths, but must have depth of at least %d" %
                             (ragged_rank + 1))
        levels.append(np.cumsum([0] + [len(row) for row in rows]).astype(splits_type))
        rows = [item for row in rows for item in row]
    if inner_shape is None:
        shapes = {_inner_shape(row) for row in rows}
        if len(shapes) > 1:
            raise ValueError("Invalid pylist: inner values have the shapes %s; all must be the same below ragged_rank=%d" %
                             (sorted(shapes), ragged_rank))
        inner_shape = shapes.pop() if shapes else ()
    elif not inner_shape and any(isinstance(row, (list, tuple)) for row in rows):
        raise ValueError("pylist has scalar values depth %d, but ragged_rank=%d requires depth %d" %
                         (depth, ragged_rank, ragged_rank + 1))
    made = leaf(rows, dtype, (len(rows),) + tuple(inner_shape))
    for splits in reversed(levels):
        made = level(made, splits)
    return made


@export("ragged.constant")
def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=_dtypes.int64):
    """A ragged tensor of nested lists."""
    with name_scope(name, "RaggedConstant"):
        return _constant(pylist, dtype, ragged_rank, inner_shape, as_dtype(row_splits_dtype).as_numpy_dtype,
                         lambda rows, kind, shape: _tf().constant(rows, dtype=kind, shape=shape, name="Const"),
                         RaggedTensor.from_row_splits)


@export("ragged.constant_value")
def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    """The value of a ragged tensor, to be fed."""
    def leaf(rows, kind, shape):
        array = np.array(rows, dtype=None if kind is None else as_dtype(kind).as_numpy_dtype)
        return array if shape is None else array.reshape(shape)
    return _constant(pylist, dtype, ragged_rank, inner_shape, as_dtype(row_splits_dtype).as_numpy_dtype, leaf,
                     RaggedTensorValue)


@export("ragged.placeholder")
def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    tf = _tf()
    if ragged_rank == 0:
        return tf.placeholder(dtype, value_shape, name)
    with name_scope(name, "RaggedPlaceholder"):
        made = tf.placeholder(dtype, tf.TensorShape([None]).concatenate(tf.TensorShape(value_shape)), "flat_values")
        for i in reversed(range(ragged_rank)):
            made = RaggedTensor.from_row_splits(made, tf.placeholder(_dtypes.int64, [None], "row_splits_%d" % i))
        return made


@export("ragged.range")
def ragged_range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=_dtypes.int64):
    """Row i counts from starts[i] to limits[i] by deltas[i]."""
    if limits is None:
        starts, limits = 0, starts
    with name_scope(name, "RaggedRange"):
        given = [convert_to_tensor(v, dtype=dtype, name=label)
                 for v, label in ((starts, "starts"), (limits, "limits"), (deltas, "deltas"))]
        order = [_dtypes.int32, _dtypes.int64, _dtypes.float32, _dtypes.float64]
        widest = max((t.dtype for t in given), key=order.index)
        given = [_tf().cast(t, widest) for t in given]
        splits, values = apply("RaggedRange", None, starts=given[0], limits=given[1], deltas=given[2],
                               Tsplits=as_dtype(row_splits_dtype))
        return RaggedTensor.from_row_splits(values, splits)


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits, name=None, out_type=None):
    with name_scope(name, "RaggedSplitsToSegmentIds"):
        splits = convert_to_tensor(splits, name="splits", preferred_dtype=_dtypes.int64)
        if splits.dtype not in (_dtypes.int32, _dtypes.int64):
            raise ValueError("splits must have dtype int32 or int64")
        splits.shape.assert_has_rank(1)
        return _tf().cast(_segment_ids(splits), out_type or splits.dtype)


@export("ragged.segment_ids_to_row_splits")
def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    with name_scope(name, "SegmentIdsToRaggedSplits"):
        ids = convert_to_tensor(segment_ids, preferred_dtype=_dtypes.int64)
        ids = _tf().cast(ids, out_type or ids.dtype)
        return RaggedTensor.from_value_rowids(ids, ids, num_segments).row_splits


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    """Row i has the elements of |data| whose partition is i."""
    tf = _tf()
    with name_scope(name, "SegmentStack"):
        data, partitions = as_ragged(data), as_ragged(partitions)
        while isinstance(partitions, RaggedTensor):
            data, partitions = data.values, partitions.values
        if partitions.shape.ndims is None:
            raise ValueError("partitions must have known rank")
        if partitions.shape.ndims > 1:
            sizes = tf.shape(data)
            data = tf.reshape(data, tf.concat([[-1], sizes[partitions.shape.ndims:]], 0))
            partitions = tf.reshape(partitions, [-1])
        order = tf.argsort(partitions, stable=True)
        counts = tf.unsorted_segment_sum(tf.ones_like(partitions), partitions, tf.cast(num_partitions, partitions.dtype))
        return RaggedTensor.from_row_lengths(tf.gather(data, order), tf.cast(counts, _dtypes.int64))


# --- Values by values ---

def _with_same_rows(raggeds):
    """The flat values of |raggeds|, after a check that their rows are the same."""
    first, checks = raggeds[0], []
    for other in raggeds[1:]:
        if other.ragged_rank != first.ragged_rank:
            raise ValueError("Inputs must have identical ragged splits: one has %d ragged dimensions, another %d" %
                             (first.ragged_rank, other.ragged_rank))
        for a, b in zip(first.nested_row_splits, other.nested_row_splits):
            if a is not b:
                a, b = _tf().cast(a, _dtypes.int64), _tf().cast(b, _dtypes.int64)
                checks.append(_tf().assert_equal(a, b, message="Inputs must have identical ragged splits"))
    if not checks:
        return [r.flat_values for r in raggeds]
    with control_dependencies(checks):
        return [_tf().identity(r.flat_values) for r in raggeds]


@export("ragged.map_flat_values")
def map_flat_values(op, *args, **kwargs):
    """op of the values of ragged arguments, whose rows must be the same; the rows of the result are theirs."""
    args, kwargs, slots = list(args), dict(kwargs), []
    for holder, key in [(args, i) for i in range(len(args))] + [(kwargs, key) for key in kwargs]:
        if isinstance(holder[key], (list, tuple)) and any(_is_ragged(item) for item in holder[key]):
            holder[key] = list(holder[key])
            slots += [(holder[key], i) for i, item in enumerate(holder[key]) if _is_ragged(item)]
        elif _is_ragged(holder[key]):
            slots.append((holder, key))
    if not slots:
        return op(*args, **kwargs)
    found = [as_ragged(holder[key]) for holder, key in slots]
    for (holder, key), values in zip(slots, _with_same_rows(found)):
        holder[key] = values
    return found[0].with_flat_values(op(*args, **kwargs))


def _is_ragged(value):
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def _spread(value, like):
    """A tensor of the shape of |like|, or that has one value for each of its rows, as a ragged one; a scalar as it is."""
    if _is_ragged(value):
        return as_ragged(value)
    value = convert_to_tensor(value, dtype=like.dtype)
    sizes = value.shape.as_list()
    if not sizes:
        return value
    if len(sizes) == 1 or (len(sizes) > 1 and sizes[1] == 1):
        if like.ragged_rank != 1:
            raise NotImplementedError("operators of a ragged tensor of %d ragged dimensions take scalars and ragged tensors "
                                      "of the same rows" % like.ragged_rank)
        if len(sizes) == 1:
            inner = like.values.shape.ndims
            if inner is not None and inner > 1:
                return value  # broadcast to the innermost dimension
            if sizes[0] == 1:
                return value[0]
            raise ValueError("Unable to broadcast: dimension size mismatch in dimension 1: a tensor of shape %s and ragged "
                             "rows" % value.shape)
        return like.with_values(_tf().gather(value[:, 0], like.value_rowids()))
    return as_ragged(value, like.ragged_rank)


def _elementwise(function):
    def call(x, y, *args, **kwargs):
        if not _is_ragged(x) and not _is_ragged(y):
            return function(x, y, *args, **kwargs)
        like = as_ragged(x if _is_ragged(x) else y)
        return map_flat_values(function, _spread(x, like), _spread(y, like), *args, **kwargs)
    return call


# --- Rows ---

def _gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    if axis not in (None, 0) or batch_dims:
        raise NotImplementedError("gather() of ragged tensors: axis and batch_dims must be 0")
    with name_scope(name, "RaggedGather"):
        if _is_ragged(indices):
            indices = as_ragged(indices)
            return indices.with_values(_gather(params, indices.values))
        indices = convert_to_tensor(indices, name="indices", preferred_dtype=_dtypes.int32)
        if not _is_ragged(params):
            return _tf().gather(params, indices)
        params = as_ragged(params)
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("indices must have known rank")
        if rank == 0:
            return params[indices]
        splits, values = apply("RaggedGather", None, params_nested_splits=list(params.nested_row_splits),
                               params_dense_values=params.flat_values, indices=indices,
                               OUTPUT_RAGGED_RANK=rank + params.ragged_rank - 1)
        return RaggedTensor.from_nested_row_splits(values, list(splits))


def _row_slice(ragged, key):
    tf = _tf()
    rows = tf.range(tf.cast(ragged.nrows(), _dtypes.int64))[key]
    return _gather(ragged, rows)


def _inner_slice(ragged, key):
    """Each row's part by a slice, as in Python."""
    tf, dtype = _tf(), ragged.row_splits.dtype
    step = 1 if key.step is None else key.step
    if not isinstance(step, int) or step == 0:
        raise ValueError("the step of a slice of a ragged dimension must be a number other than 0, got %r" % (step,))
    lengths = ragged.row_lengths()
    low, high = (tf.zeros_like(lengths), lengths) if step > 0 else (-tf.ones_like(lengths), lengths - 1)

    def bound(given, default):
        if given is None:
            return default
        given = tf.cast(given, dtype)
        return tf.minimum(tf.maximum(tf.where(tf.fill(tf.shape(lengths), given < 0), given + lengths,
                                              tf.zeros_like(lengths) + given), low), high)
    begin, end = bound(key.start, low if step > 0 else high), bound(key.stop, high if step > 0 else low)
    starts = ragged.row_starts()
    places = ragged_range(starts + begin, starts + end, step, dtype, row_splits_dtype=dtype)
    return places.with_values(_gather(ragged.values, places.values))


def item_of(ragged, key):
    """ragged[key]"""
    keys = list(key) if isinstance(key, tuple) else [key]
    if sum(k is Ellipsis for k in keys) > 1:
        raise ValueError("an index can have one ellipsis at most")
    if Ellipsis in [k for k in keys if not isinstance(k, Tensor)]:
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        if ragged.shape.ndims is None:
            raise ValueError("Ellipsis not supported for unknown shape RaggedTensors")
        missing = ragged.shape.ndims - sum(k is not None and k is not Ellipsis for k in keys)
        keys[at:at + 1] = [slice(None)] * max(0, missing)
    with name_scope(None, "RaggedGetItem"):
        return _item(ragged, keys)


def _is_whole(key):
    return isinstance(key, slice) and key.start is None and key.stop is None and key.step in (None, 1)


def _item(value, keys):
    if not keys:
        return value
    if not isinstance(value, RaggedTensor):
        return value[tuple(keys)]
    first, rest = keys[0], keys[1:]
    if first is None:
        return _expand_dims(_item(value, rest), 0)
    if isinstance(first, slice):
        rows = value if _is_whole(first) else _row_slice(value, first)
        return _inner_item(rows, rest)
    splits = value.row_splits
    if not isinstance(first, Tensor):
        first = first.__index__()
        begin = splits[:-1][first]
        end = splits[1:][first]
    else:
        begin, end = splits[:-1][first], splits[1:][first]
    return _item(value.values[begin:end], rest)


def _inner_item(ragged, keys):
    if not keys:
        return ragged
    first, rest = keys[0], keys[1:]
    if first is None:
        return _expand_dims(_inner_item(ragged, rest), 1)
    if not isinstance(first, slice):
        raise ValueError("Cannot index into an inner ragged dimension.")
    if not _is_whole(first):
        ragged = _inner_slice(ragged, first)
    if not rest:
        return ragged
    if isinstance(ragged.values, RaggedTensor):
        return ragged.with_values(_inner_item(ragged.values, rest))
    return ragged.with_values(ragged.values[(slice(None), *rest)])


def _expand_dims(input=None, axis=None, name=None, dim=None):  # noqa: A002
    tf = _tf()
    axis = dim if axis is None else axis
    ragged = input if isinstance(input, RaggedTensor) else as_ragged(input)
    with name_scope(name, "RaggedExpandDims"):
        if not isinstance(ragged, RaggedTensor):
            if axis == 0:
                count = tf.shape(ragged, out_type=_dtypes.int64)[0]
                return RaggedTensor.from_row_splits(ragged, tf.stack([tf.zeros_like(count), count]))
            return tf.expand_dims(ragged, axis)
        if axis < 0:
            axis += ragged.shape.ndims + 1
        if axis == 0:
            count = ragged.nrows()
            return RaggedTensor.from_row_splits(ragged, tf.stack([tf.zeros_like(count), count]))
        if axis == 1:
            return RaggedTensor.from_row_splits(ragged, tf.range(ragged.nrows() + 1))
        if isinstance(ragged.values, RaggedTensor):
            return ragged.with_values(_expand_dims(ragged.values, axis - 1))
        return ragged.with_values(tf.expand_dims(ragged.values, axis - 1))


def _all_ragged(values):
    """|values| with the same number of ragged dimensions, at least one."""
    values = [as_ragged(v) for v in values]
    rank = max([v.ragged_rank for v in values if isinstance(v, RaggedTensor)], default=0)
    made = []
    for v in values:
        if not isinstance(v, RaggedTensor):
            v = as_ragged(v, rank)
        elif v.ragged_rank < rank:
            inner, levels = v.flat_values, v.nested_row_splits
            v = RaggedTensor.from_nested_row_splits(as_ragged(inner, rank - len(levels)), levels)
        made.append(v)
    return made


def _concat(values, axis, name=None):
    with name_scope(name, "RaggedConcat"):
        if not isinstance(axis, int):
            raise TypeError("axis must be an int, got %r" % (axis,))
        values = _all_ragged(values)
        if axis < 0:
            axis += next(v.shape.ndims for v in values if v.shape.ndims is not None)
        return _concat_ragged(values, axis)


def _concat_ragged(values, axis):
    tf = _tf()
    if not isinstance(values[0], RaggedTensor):
        return tf.concat(values, axis)
    if axis > 1:
        inner = _concat_ragged([v.values for v in values], axis - 1)
        return values[0].with_values(inner)
    splits, offset = [values[0].row_splits], values[0].row_splits[-1]
    for v in values[1:]:
        own = tf.cast(v.row_splits, offset.dtype)
        splits.append(own[1:] + offset)
        offset = offset + own[-1]
    together = RaggedTensor.from_row_splits(_concat_ragged([v.values for v in values], 0), tf.concat(splits, 0))
    if axis == 0:
        return together
    # Row i of each, one after the other, then all of these as one row.
    count = len(values)
    rows = tf.reshape(tf.range(together.nrows()), [count, -1])
    mixed = _gather(together, tf.reshape(tf.transpose(rows), [-1]))
    return RaggedTensor.from_row_splits(mixed.values, mixed.row_splits[::count])


@export("ragged.stack")
def stack(values, axis=0, name=None):
    """Ragged tensors, or tensors of different lengths, as rows of one."""
    with name_scope(name, "RaggedStack"):
        if not isinstance(values, (list, tuple)) or not values:
            raise ValueError("rt_inputs may not be empty.")
        values = [as_ragged(v) for v in values]
        if all(not isinstance(v, RaggedTensor) and v.shape.ndims == 0 for v in values):
            return _tf().stack(values)
        if any(isinstance(v, RaggedTensor) for v in values):
            values = _all_ragged(values)
        if axis < 0:
            axis += values[0].shape.ndims + 1
        if not isinstance(values[0], RaggedTensor) and axis > 0:
            values = [as_ragged(v, 1) for v in values]
        return _concat_ragged([_expand_dims(v, axis) for v in values], axis)


def _tile(input, multiples, name=None):  # noqa: A002
    with name_scope(name, "RaggedTile"):
        made = as_ragged(input)
        for axis, times in enumerate(multiples):
            if not isinstance(times, int):
                raise NotImplementedError("tile() of a ragged tensor: multiples must be numbers")
            if times != 1:
                made = _concat_ragged([made] * times, axis) if times else made[(slice(None),) * axis + (slice(0, 0),)]
        return made


@export("ragged.boolean_mask")
def boolean_mask(data, mask, name=None):
    """The elements of |data| where |mask| is true; what is not there any more leaves its row shorter."""
    tf = _tf()
    with name_scope(name, "RaggedMask"):
        data, mask = as_ragged(data), as_ragged(mask)
        rank = mask.shape.ndims
        if rank is None:
            raise ValueError("mask.shape.ndims must be known statically.")
        if rank == 0:
            raise ValueError("mask cannot be scalar.")
        if rank == 1:
            if isinstance(data, RaggedTensor):
                return _gather(data, tf.where(mask)[:, 0])
            return tf.boolean_mask(data, mask)
        if not isinstance(mask, RaggedTensor):
            mask = as_ragged(mask, 1)
        if not isinstance(data, RaggedTensor):
            data = as_ragged(data, 1)
        inner = boolean_mask(data.values, mask.values)
        if mask.shape.ndims > 2:
            return data.with_values(inner)
        kept = tf.cast(mask.values, data.row_splits.dtype)
        lengths = tf.unsorted_segment_sum(kept, data.value_rowids(), data.nrows())
        return RaggedTensor.from_row_lengths(inner, lengths)


def _where(condition, x=None, y=None, name=None):
    tf = _tf()
    with name_scope(name, "RaggedWhere"):
        if x is not None:
            return map_flat_values(_plain["where"], condition, x, y)
        sparse = as_ragged(condition).to_sparse()
        return tf.boolean_mask(sparse.indices, sparse.values)


# --- Reductions ---

def _aggregate(op, data, ids, count):
    """op by segments, of tensors or ragged tensors: values in the same place of the rows of a segment come together."""
    tf = _tf()
    if not isinstance(data, RaggedTensor):
        return op(data, ids, count)
    lengths = tf.maximum(tf.unsorted_segment_max(data.row_lengths(), ids, count), 0)
    splits = tf.concat([tf.zeros([1], lengths.dtype), tf.cumsum(lengths)], 0)
    starts = tf.gather(splits, ids)
    places = ragged_range(starts, starts + data.row_lengths(), dtype=splits.dtype, row_splits_dtype=splits.dtype).values
    return RaggedTensor.from_row_splits(_aggregate(op, data.values, places, splits[-1]), splits)


def _reduce(function, op, ragged, axis, keepdims):
    tf = _tf()
    if axis is None:
        result = function(ragged.flat_values, None)
        return tf.reshape(result, [1] * ragged.shape.ndims) if keepdims else result
    if isinstance(axis, (list, tuple)):
        rank = ragged.shape.ndims
        for one in sorted((a if a >= 0 else a + rank for a in axis), reverse=True):
            ragged = _reduce(function, op, ragged, one, keepdims) if isinstance(ragged, RaggedTensor) else \
                function(ragged, one, keepdims)
        return ragged
    if axis < 0:
        axis += ragged.shape.ndims
    if axis > 1:
        inner = ragged.values
        return ragged.with_values(_reduce(function, op, inner, axis - 1, keepdims) if isinstance(inner, RaggedTensor)
                                  else function(inner, axis - 1, keepdims))
    if axis == 0:
        starts = tf.gather(ragged.row_starts(), ragged.value_rowids())
        places = tf.range(_count(ragged.values, ragged.row_splits.dtype)) - starts
        result = _aggregate(op, ragged.values, places, tf.maximum(tf.reduce_max(ragged.row_lengths()), 0))
    else:
        result = _aggregate(op, ragged.values, ragged.value_rowids(), ragged.nrows())
    return _expand(result, axis) if keepdims else result


def _expand(value, axis):
    return _expand_dims(value, axis) if isinstance(value, RaggedTensor) else _tf().expand_dims(value, axis)


def _reduction(name, segment):
    def call(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        tf = _tf()
        axis = reduction_indices if axis is None else axis
        function, keep = _plain[label], bool(keepdims or keep_dims)
        ragged = as_ragged(input_tensor)
        with name_scope(name, "RaggedReduce"):
            if segment == "mean":
                total = _reduce(_plain["reduce_sum"], tf.unsorted_segment_sum, ragged, axis, keep)
                ones = ragged.with_flat_values(tf.ones_like(ragged.flat_values))
                return _elementwise(tf.truediv)(total, _reduce(_plain["reduce_sum"], tf.unsorted_segment_sum, ones, axis, keep))
            if segment == "bool":
                numbers = ragged.with_flat_values(tf.cast(ragged.flat_values, _dtypes.int32))
                inner, op = ("reduce_min", tf.unsorted_segment_min) if label == "reduce_all" else \
                    ("reduce_max", tf.unsorted_segment_max)
                found = _reduce(_plain[inner], op, numbers, axis, keep)
                return map_flat_values(lambda x: tf.greater(x, 0), found)
            return _reduce(function, getattr(tf, segment), ragged, axis, keep)
    label = name
    return call


# --- The public functions ---

def _size(input, name=None, out_type=_dtypes.int32):  # noqa: A002
    return _plain["size"](as_ragged(input).flat_values, name=name, out_type=out_type)


def _rank(input, name=None):  # noqa: A002
    ragged = as_ragged(input)
    with name_scope(name, "RaggedRank"):
        return _plain["rank"](ragged.flat_values) + ragged.ragged_rank


def _reverse(tensor, axis, name=None):
    ragged = as_ragged(tensor)
    axes = [axis] if isinstance(axis, int) else list(axis)
    with name_scope(name, "Reverse"):
        for one in axes:
            one = one + ragged.shape.ndims if one < 0 else one
            ragged = ragged[(slice(None),) * one + (slice(None, None, -1),)]
        return ragged


_UNARY = """abs acos acosh angle asin asinh atan atanh bitwise.invert cast ceil clip_by_value conj cos cosh debugging.check_numerics
digamma dtypes.saturate_cast erf erfc exp expm1 floor identity image.adjust_brightness imag is_finite is_inf is_nan lgamma log
log1p log_sigmoid logical_not negative nn.dropout nn.elu nn.leaky_relu nn.relu nn.relu6 nn.selu nn.sigmoid nn.softplus nn.softsign
ones_like real reciprocal rint round rsqrt sigmoid sign sin sinh sqrt square stop_gradient one_hot
string_strip string_to_hash_bucket string_to_hash_bucket_fast string_to_hash_bucket_strong string_to_number strings.length
strings.lower strings.regex_full_match strings.regex_replace strings.substr strings.unicode_script strings.unicode_transcode
strings.upper as_string decode_base64 encode_base64 decode_raw tan tanh zeros_like
add_n accumulate_n string_join""".split()
_BINARY = """add atan2 bitwise.bitwise_and bitwise.bitwise_or bitwise.bitwise_xor bitwise.left_shift bitwise.right_shift div
div_no_nan divide equal floor_div floordiv floormod greater greater_equal less less_equal logical_and logical_or logical_xor maximum
minimum mod multiply not_equal pow realdiv squared_difference subtract truediv truncatediv truncatemod""".split()
_RAGGED = {
    "gather": _gather, "concat": _concat, "stack": stack, "tile": _tile, "expand_dims": _expand_dims,
    "boolean_mask": boolean_mask, "where": _where, "size": _size, "rank": _rank, "reverse": _reverse,
    "reduce_sum": _reduction("reduce_sum", "unsorted_segment_sum"),
    "reduce_prod": _reduction("reduce_prod", "unsorted_segment_prod"),
    "reduce_min": _reduction("reduce_min", "unsorted_segment_min"),
    "reduce_max": _reduction("reduce_max", "unsorted_segment_max"), "reduce_mean": _reduction("reduce_mean", "mean"),
    "reduce_all": _reduction("reduce_all", "bool"), "reduce_any": _reduction("reduce_any", "bool"),
}
_plain = {}  # name -> the function for tensors


def _has_ragged(args, kwargs):
    for value in (*args, *kwargs.values()):
        if _is_ragged(value) or (type(value) in (list, tuple) and any(_is_ragged(item) for item in value)):
            return True
    return False


def _dispatching(plain, ragged):
    @functools.wraps(plain)
    def call(*args, **kwargs):
        return (ragged if _has_ragged(args, kwargs) else plain)(*args, **kwargs)
    return call


def _install():
    """Makes the public functions look for ragged arguments."""
    from sluice._aliases import ALIASES
    from sluice._later_names import MODULES
    rows = [(name, None) for name in _UNARY + _BINARY] + list(_RAGGED.items())
    replaced = {}  # id of the function for tensors -> function for both
    for name, ragged in rows:
        if not _api._find(name):
            raise AssertionError("no public function has the name %s" % name)
        plain = _plain[name] = _api._exports[name]
        if ragged is None:
            ragged = _elementwise(plain) if name in _BINARY else functools.partial(map_flat_values, plain)
        replaced.setdefault(id(plain), (plain, _dispatching(plain, ragged)))
    leaves = {name.rpartition(".")[2] for name in _plain}
    for name in [*MODULES, *ALIASES]:  # other names of the same functions
        if name.rpartition(".")[2] in leaves:
            _api._find(name)
    for name, value in list(_api._exports.items()):
        row = replaced.get(id(value))
        if row is not None:
            _api._exports[name] = row[1]
    _api.replace({id(plain): both for plain, both in replaced.values()})


_install()
for _method, _name in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "truediv"), ("div", "div"),
                       ("floordiv", "floordiv"), ("mod", "mod"), ("pow", "pow"), ("and", "logical_and"), ("or", "logical_or"),
                       ("xor", "logical_xor")):
    _both = _elementwise(_plain[_name])
    setattr(RaggedTensor, "__%s__" % _method, _both)
    setattr(RaggedTensor, "__r%s__" % _method, (lambda both: lambda self, other: both(other, self))(_both))
for _method, _name in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal")):
    setattr(RaggedTensor, "__%s__" % _method, _elementwise(_plain[_name]))
for _method, _name in (("abs", "abs"), ("neg", "negative"), ("invert", "logical_not")):
    setattr(RaggedTensor, "__%s__" % _method, (lambda plain: lambda self: map_flat_values(plain, self))(_plain[_name]))
