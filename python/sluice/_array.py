"""Functions that change the form of tensors, and what conversions need of them."""
from sluice import _dtypes, _oplib
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import Tensor, name_scope


def pack(values, dtype, name):
    """A list, possibly nested, that holds tensors, as one tensor."""
    if dtype is None:
        dtype = _type_of(values)
    return _pack(values, dtype, name if name != "Const" else "packed")


def _is_tensor(value):
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def _pack(values, dtype, name):
    """A tensor of |values|; |values| themselves if there is no tensor among them."""
    with name_scope(name) as scope:
        parts = [_pack(v, dtype, str(i)) if isinstance(v, (list, tuple)) else v for i, v in enumerate(values)]
        if not any(_is_tensor(part) for part in parts):
            return parts
        parts = [convert_to_tensor(part, dtype=dtype, name=str(i)) for i, part in enumerate(parts)]
        return _oplib.apply("Pack", scope, values=parts, axis=0)


def _type_of(values):
    for v in values:
        if isinstance(v, Tensor) or hasattr(v, "_as_graph_element"):
            return v.dtype.base_dtype
        if isinstance(v, (list, tuple)):
            found = _type_of(v)
            if found is not None:
                return found
    return None


# --- Public functions ---

@export("shape")
def shape_of(input, name=None, out_type=_dtypes.int32):  # noqa: A002
    """The shape as a tensor: a constant where it is known."""
    with name_scope(name, "Shape", [getattr(input, "values", input)]) as scope:
        if hasattr(input, "dense_shape"):
            from sluice._math import cast
            return cast(input.dense_shape, out_type)
        tensor = convert_to_tensor(input)
        known = tensor.shape
        if known.is_fully_defined():
            return constant(known.as_list(), dtype=out_type, name=scope)
        return _oplib.apply("Shape", scope, input=tensor, out_type=out_type)


@export("rank")
def rank(input, name=None):  # noqa: A002
    with name_scope(name, "Rank", [getattr(input, "values", input)]) as scope:
        if hasattr(input, "dense_shape"):
            from sluice._array_select import size
            return size(input.dense_shape, name=scope)
        tensor = convert_to_tensor(input)
        if tensor.shape.ndims is not None:
            return constant(tensor.shape.ndims, dtype=_dtypes.int32, name=scope)
        return _oplib.apply("Rank", scope, input=tensor)


@export("reshape", "manip.reshape")
def reshape(tensor, shape, name=None):
    return _oplib.apply("Reshape", name, tensor=tensor, shape=shape)


@export("concat")
def concat(values, axis, name="concat"):
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            convert_to_tensor(axis, name="concat_dim", dtype=_dtypes.int32)
            return _oplib.apply("Identity", name, input=values[0])
    return _oplib.apply("ConcatV2", name, values=list(values), axis=axis)


@export("stack")
def stack(values, axis=0, name="stack"):
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # not of one type: the op says what is wrong
    return _oplib.apply("Pack", name, values=list(values), axis=axis)


@export("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    value = convert_to_tensor(value)
    if num is None:
        num = value.shape.as_list()[axis] if value.shape.ndims is not None else None
        if num is None:
            raise ValueError("Cannot infer num from shape %s" % value.shape)
    return _oplib.apply("Unpack", name, value=value, num=num, axis=axis)


@export("expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):  # noqa: A002
    return _oplib.apply("ExpandDims", name, input=input, dim=dim if axis is None else axis)


@export("zeros_like")
def zeros_like(tensor, dtype=None, name=None, optimize=True):
    from sluice._variables import zeros
    with name_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        wanted = tensor.dtype.base_dtype if dtype is None else _dtypes.as_dtype(dtype)
        if tensor.shape.is_fully_defined():
            return zeros(tensor.shape, wanted, name=scope)
        if wanted != tensor.dtype.base_dtype:
            return zeros(shape_of(tensor), wanted, name=scope)
        return _oplib.apply("ZerosLike", scope, x=tensor)


@export("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    with name_scope(name, "one_hot", [indices, depth]) as scope:
        given = [None if v is None else convert_to_tensor(v, dtype) for v in (on_value, off_value)]
        types = {v.dtype.base_dtype for v in given if v is not None}
        if len(types) > 1:
            raise TypeError("dtype of on_value %s does not match dtype of off_value %s" %
                            tuple(v.dtype.base_dtype.name for v in given))
        wanted = dtype or next(iter(types), _dtypes.float32)
        on, off = [convert_to_tensor(default, wanted, name=label) if v is None else v
                   for v, default, label in zip(given, (1, 0), ("on_value", "off_value"))]
        indices = convert_to_tensor(indices, name="indices")
        return _oplib.apply("OneHot", scope, indices=indices, depth=depth, on_value=on, off_value=off,
                            axis=-1 if axis is None else axis)


@export("transpose")
def transpose(a, perm=None, name="transpose", conjugate=False):
    with name_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="a")
        if perm is None:
            if a.shape.ndims is None:
                perm = _oplib.apply("Range", None, start=_oplib.apply("Rank", None, input=a) - 1, limit=-1, delta=-1)
            else:
                perm = list(range(a.shape.ndims))[::-1]
        kind = "ConjugateTranspose" if conjugate and a.dtype.is_complex else "Transpose"
        return _oplib.apply(kind, scope, x=a, perm=perm)


@export("squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):  # noqa: A002
    axis = squeeze_dims if axis is None else axis
    axis = [] if axis is None else [axis] if isinstance(axis, int) else list(axis)
    return _oplib.apply("Squeeze", name, input=input, squeeze_dims=axis)


@export("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Equal parts if a number is given; parts of the given sizes if a list is."""
    if isinstance(num_or_size_splits, int):
        return _oplib.apply("Split", name, split_dim=axis, value=value, num_split=num_or_size_splits)
    sizes = convert_to_tensor(num_or_size_splits)
    count = sizes.shape.as_list()[0] if num is None else num
    if count is None:
        raise ValueError("Cannot infer argument `num` from shape %s" % num_or_size_splits)
    return _oplib.apply("SplitV", name, value=value, size_splits=sizes, split_dim=axis, num_split=count)


@export("fill")
def fill(dims, value, name=None):
    return _oplib.apply("Fill", name, dims=dims, value=value)


@export("slice")
def slice_of(input_, begin, size, name=None):
    return _oplib.apply("Slice", name, input=input_, begin=begin, size=size)
