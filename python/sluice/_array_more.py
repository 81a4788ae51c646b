"""Further functions of arrays: tf.meshgrid, tf.unique, tf.sort, tf.gather_nd, tf.repeat and related functions."""
from sluice import _array, _convert, _dtypes, _tensor_proto
from sluice._api import export, export_value
from sluice._array_select import gather, ones_like
from sluice._convert import constant, convert_to_tensor
from sluice._graph import Tensor, control_dependencies, name_scope
from sluice._oplib import apply
from sluice._range import range_of
from sluice._shape import TensorShape, dimension_value
from sluice._static import constant_value

export_value(None, "newaxis")
export_value(_tensor_proto.decode, "make_ndarray")
export_value(_convert.make_tensor_proto, "make_tensor_proto", "contrib.util.make_tensor_proto")
export_value(dimension_value, "dimension_value")


@export("dimension_at_index")
def dimension_at_index(shape, index):
    return TensorShape(shape)[index]


@export("is_tensor", "contrib.framework.is_tensor")
def is_tensor(x):
    return isinstance(x, Tensor) or hasattr(x, "_as_graph_element") or hasattr(x, "dense_shape")


# --- Parts ---

@export("gather_nd", "manip.gather_nd")
def gather_nd(params, indices, name=None, batch_dims=0):
    if not batch_dims:
        return apply("GatherNd", name, params=params, indices=indices)
    with name_scope(name, "BatchGatherND", [params, indices]):
        params, indices = convert_to_tensor(params, name="params"), convert_to_tensor(indices, name="indices")
        ranks = params.shape.ndims, indices.shape.ndims
        if None in ranks:
            raise ValueError("gather_nd(): batch_dims needs params and indices of known rank")
        if not 0 <= batch_dims < min(ranks):
            raise ValueError("batch_dims = %s must be at least 0 and less than the ranks of params and indices, %d and %d" %
                             (batch_dims, *ranks))
        sizes = _array.shape_of(indices)
        whole = [sizes[i] for i in range(ranks[1] - 1)]
        before = []  # the place of each index in the batch
        for axis in range(batch_dims):
            line = _array.reshape(range_of(sizes[axis]), [-1 if i == axis else 1 for i in range(ranks[1])])
            filled = apply("BroadcastTo", None, input=line, shape=convert_to_tensor(whole + [1]))
            before.append(apply("Cast", None, x=filled, DstT=indices.dtype))
        return apply("GatherNd", None, params=params, indices=_array.concat(before + [indices], ranks[1] - 1))


@export("batch_gather")
def batch_gather(params, indices, name=None):
    """Rows of each part of |params|."""
    with name_scope(name, "BatchGather", [params, indices]):
        indices, params = convert_to_tensor(indices, name="indices"), convert_to_tensor(params, name="params")
        if indices.shape.ndims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        return gather(params, indices, axis=indices.shape.ndims - 1, batch_dims=indices.shape.ndims - 1)


@export("strided_slice")
def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
                  shrink_axis_mask=0, var=None, name=None):
    if strides is None:
        strides = ones_like(begin)
    return apply("StridedSlice", name, input=input_, begin=begin, end=end, strides=strides,
                 begin_mask=begin_mask, end_mask=end_mask, ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask,
                 shrink_axis_mask=shrink_axis_mask)


for _name in ("tensor_scatter_update", "tensor_scatter_nd_update"):
    def _updated(tensor, indices, updates, name=None):
        return apply("TensorScatterUpdate", name, tensor=tensor, indices=indices, updates=updates)
    export(_name)(_updated)


@export("shape_n")
def shape_n(input, out_type=_dtypes.int32, name=None):  # noqa: A002
    return apply("ShapeN", name, input=list(input), out_type=out_type)


# --- Order and sets ---

@export("unique")
def unique(x, out_idx=_dtypes.int32, name=None):
    return apply("Unique", name, x=x, out_idx=out_idx)


@export("unique_with_counts")
def unique_with_counts(x, out_idx=_dtypes.int32, name=None):
    return apply("UniqueWithCounts", name, x=x, out_idx=out_idx)


@export("setdiff1d")
def setdiff1d(x, y, index_dtype=_dtypes.int32, name=None):
    return apply("ListDiff", name, x=x, y=y, out_idx=index_dtype)


@export("roll", "manip.roll")
def roll(input, shift, axis, name=None):  # noqa: A002
    return apply("Roll", name, input=input, shift=shift, axis=axis)


@export("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None):
    with name_scope(name, "sort"):
        return _sorted(values, axis, direction, 0)


@export("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    with name_scope(name, "argsort"):
        return _sorted(values, axis, direction, 1)


def _sorted(values, axis, direction, part):
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError("direction must be ASCENDING or DESCENDING, got %s" % direction)
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    if known is None:
        raise ValueError("axis must be a constant scalar")
    axis = int(known)
    values = convert_to_tensor(values, name="values")
    constant(axis, dtype=_dtypes.int32, name="axis")
    rank = values.shape.ndims
    if rank is None:
        raise NotImplementedError("sorting needs values of a known rank")
    last = axis in (-1, rank - 1)
    rising = direction == "ASCENDING"
    if rising:
        values = _opposite(values)
    shape = _array.shape_of(values)
    size = shape[axis]
    _array.rank(values)
    if not last:  # the axis and the last one change places
        order = list(range(rank))
        order[axis % rank], order[-1] = order[-1], order[axis % rank]
        order = constant(order, dtype=_dtypes.int64, name="transposition")
        values = _array.transpose(values, order)
    found = apply("TopKV2", None, input=values, k=size)[part]
    if not last:
        found = _array.transpose(found, order)
    return _opposite(found) if rising and part == 0 else found


def _opposite(values):
    """Values in the opposite order; of integers without overflow."""
    if not values.dtype.is_integer:
        return -values
    if values.dtype.is_unsigned:
        return constant(values.dtype.max, dtype=values.dtype.base_dtype) - values
    return -values - 1


@export("searchsorted")
def searchsorted(sorted_sequence, values, side="left", out_type=_dtypes.int32, name=None):
    """Where values would be inserted into rows that are sorted."""
    length, size = _array.shape_of(sorted_sequence)[-1], _array.shape_of(values)[-1]
    rows, wanted = _array.reshape(sorted_sequence, [-1, length]), _array.reshape(values, [-1, size])
    if side not in ("left", "right"):
        raise ValueError("side must be either 'right' or 'left'.  Saw: %s." % side)
    found = apply("UpperBound" if side == "right" else "LowerBound", name, sorted_inputs=rows, values=wanted,
                  out_type=out_type)
    return _array.reshape(found, _array.shape_of(values))


# --- Grids and repetition ---

@export("meshgrid")
def meshgrid(*args, **kwargs):
    """Coordinates of a grid: one tensor for each vector."""
    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError("'%s' is an invalid keyword argument for this function" % next(iter(kwargs)))
    if indexing not in ("xy", "ij"):
        raise ValueError("Argument `indexing` must be either 'xy' or 'ij', got '%s'" % indexing)
    with name_scope(name, "meshgrid", list(args)):
        rank = len(args)
        if not rank:
            return []
        output = [_array.reshape(_array.stack(x), [1] * i + [-1] + [1] * (rank - i - 1)) for i, x in enumerate(args)]
        sizes = [_size(x) for x in args]
        dtype = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and rank > 1:
            output[0] = _array.reshape(output[0], [1, -1] + [1] * (rank - 2))
            output[1] = _array.reshape(output[1], [-1, 1] + [1] * (rank - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        factor = _filled(sizes, dtype)
        return [x * factor for x in output]


def _size(x):
    from sluice._array_select import size
    return size(x)


def _filled(sizes, dtype):
    from sluice import _api
    return _api.lookup("", "ones")(sizes, dtype)


@export("repeat")
def repeat(input, repeats, axis=None, name=None):  # noqa: A002
    """Each element |repeats| times, along |axis| or as one vector."""
    with name_scope(name, "Repeat", [input, repeats]):
        data = convert_to_tensor(input, name="data")
        if axis is None:
            data, axis = _array.reshape(data, [-1]), 0
        times = convert_to_tensor(repeats, name="repeats", dtype_hint=_dtypes.int32)
        rank = data.shape.ndims
        if rank is None:
            raise NotImplementedError("repeat() needs data of a known rank")
        axis %= rank
        if times.shape.ndims == 0:
            expanded = _array.expand_dims(data, axis + 1)
            tiles = _array.concat([[1] * (axis + 1), [times] if not isinstance(times, Tensor) else
                                   _array.reshape(times, [1]), [1] * (rank - axis - 1)], 0)
            tiled = apply("Tile", None, input=expanded, multiples=tiles)
            shape = _array.shape_of(data)
            return _array.reshape(tiled, _array.concat([shape[:axis], [-1], shape[axis + 1:]], 0))
        from sluice._array_select import boolean_mask, sequence_mask
        longest = apply("Max", None, input=times, reduction_indices=[0])
        mask = sequence_mask(times, longest)
        expanded = _array.expand_dims(data, axis + 1)
        tiles = _array.concat([[1] * (axis + 1), _array.reshape(longest, [1]), [1] * (rank - axis - 1)], 0)
        return boolean_mask(apply("Tile", None, input=expanded, multiples=tiles), mask, axis=axis)


@export("parallel_stack")
def parallel_stack(values, name="parallel_stack"):
    with name_scope(name):
        values = [convert_to_tensor(v) for v in values]
        shape = TensorShape([len(values)]).concatenate(values[0].shape)
        return apply("ParallelConcat", None, values=[_array.expand_dims(v, 0) for v in values], shape=shape)


@export("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x, shape_y):
    return apply("BroadcastArgs", None, s0=shape_x, s1=shape_y)


@export("broadcast_static_shape")
def broadcast_static_shape(shape_x, shape_y):
    x, y = TensorShape(shape_x), TensorShape(shape_y)
    if x.ndims is None or y.ndims is None:
        return TensorShape(None)
    rank, sizes = max(len(x), len(y)), []
    for a, b in zip([1] * (rank - len(x)) + x.as_list(), [1] * (rank - len(y)) + y.as_list()):
        if a is not None and b is not None and a != b and 1 not in (a, b):
            raise ValueError("Incompatible shapes for broadcasting: %s and %s" % (x, y))
        sizes.append(b if a == 1 else a if b == 1 else a if a == b else (a or b) if None not in (a, b) else
                     None if 1 in (a, b) or a is None and b is None else (a if b is None else b))
    return TensorShape(sizes)


# --- Blocks ---

@export("depth_to_space", "nn.depth_to_space")
def depth_to_space(input, block_size, name=None, data_format="NHWC"):  # noqa: A002
    return apply("DepthToSpace", name, input=input, block_size=block_size, data_format=data_format)


@export("space_to_depth", "nn.space_to_depth")
def space_to_depth(input, block_size, name=None, data_format="NHWC"):  # noqa: A002
    return apply("SpaceToDepth", name, input=input, block_size=block_size, data_format=data_format)


def _with_blocks(op, size, name, **arguments):
    with name_scope(name, op) as scope:
        blocks = constant([size, size], dtype=_dtypes.int64, name="block_shape")
        return apply(op, scope, block_shape=blocks, **arguments)


@export("space_to_batch", "nn.space_to_batch")
def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):  # noqa: A002
    block_size = block_shape if block_size is None else block_size
    made = _with_blocks("SpaceToBatchND", block_size, name, input=input, paddings=paddings)
    made.set_shape(made.shape.with_rank(4))
    return made


@export("batch_to_space")
def batch_to_space(input, crops, block_size=None, name=None, block_shape=None):  # noqa: A002
    block_size = block_shape if block_size is None else block_size
    made = _with_blocks("BatchToSpaceND", block_size, name, input=input, crops=crops)
    made.set_shape(made.shape.with_rank(4))
    return made


@export("extract_image_patches", "image.extract_image_patches")
def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    return apply("ExtractImagePatches", name, images=images, ksizes=sizes if ksizes is None else ksizes, strides=strides,
                 rates=rates, padding=padding)


@export("image.extract_patches")
def extract_patches(images, sizes, strides, rates, padding, name=None):
    return apply("ExtractImagePatches", name, images=images, ksizes=sizes, strides=strides, rates=rates, padding=padding)


# --- Sets of the last dimension ---

def _set_operation(kind, a, b, validate_indices):
    from sluice._sparse_tensor import SparseTensor
    options = dict(set_operation=kind, validate_indices=validate_indices)
    a, b = [x if isinstance(x, SparseTensor) else convert_to_tensor(x, name=label) for x, label in ((a, "a"), (b, "b"))]
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        a, b = b, a
        options["set_operation"] = {"a-b": "b-a", "b-a": "a-b"}.get(kind, kind)
    if isinstance(b, SparseTensor):
        options.update(set2_indices=b.indices, set2_values=b.values, set2_shape=b.dense_shape)
    if isinstance(a, SparseTensor):
        made = apply("SparseToSparseSetOperation", None, set1_indices=a.indices, set1_values=a.values,
                     set1_shape=a.dense_shape, **options)
    elif isinstance(b, SparseTensor):
        made = apply("DenseToSparseSetOperation", None, set1=a, **options)
    else:
        made = apply("DenseToDenseSetOperation", None, set1=a, set2=b, **options)
    return SparseTensor(*made)


@export("sets.intersection", "sets.set_intersection")
def set_intersection(a, b, validate_indices=True):
    return _set_operation("intersection", a, b, validate_indices)


@export("sets.union", "sets.set_union")
def set_union(a, b, validate_indices=True):
    return _set_operation("union", a, b, validate_indices)


@export("sets.difference", "sets.set_difference")
def set_difference(a, b, aminusb=True, validate_indices=True):
    return _set_operation("a-b" if aminusb else "b-a", a, b, validate_indices)


@export("sets.size", "sets.set_size")
def set_size(a, validate_indices=True):
    return apply("SetSize", None, set_indices=a.indices, set_values=a.values, set_shape=a.dense_shape,
                 validate_indices=validate_indices)


# --- Files ---

@export("read_file", "io.read_file")
def read_file(filename, name=None):
    return apply("ReadFile", name, filename=filename)


@export("serialize_tensor", "io.serialize_tensor")
def serialize_tensor(tensor, name=None):
    return apply("SerializeTensor", name, tensor=tensor)


@export("guarantee_const")
def guarantee_const(input, name=None):  # noqa: A002
    return apply("GuaranteeConst", name, input=input)


@export("fingerprint")
def fingerprint(data, method="farmhash64", name=None):
    return apply("Fingerprint", name, data=data, method=method)


@export("debugging.assert_all_finite", "verify_tensor_all_finite")
def assert_all_finite(t=None, msg=None, name=None, x=None, message=None):
    """|t|, or an error with |msg| if a value is infinite or no number."""
    x, message = t if x is None else x, msg if message is None else message
    with name_scope(name, "VerifyFinite", [x]):
        x = convert_to_tensor(x, name="x")
        check = apply("CheckNumerics", None, tensor=x, message=message)
        with control_dependencies([check]):
            return apply("Identity", None, input=x)


for _name in ("linspace", "lin_space"):
    def _linspace(start, stop, num, name=None):
        return apply("LinSpace", name, start=start, stop=stop, num=num)
    _linspace.__name__ = _name
    export(_name)(_linspace)
