"""Python values as tensors: tf.constant, tf.convert_to_tensor and what they are made of."""
import numpy as np

from sluice import _dtypes, _tensor_proto
from sluice._dtypes import as_dtype, bfloat16, string
from sluice._graph import Tensor, get_default_graph
from sluice._message import message
from sluice._shape import Dimension, TensorShape

_conversions = []  # (priority, types, function), lowest priority first


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Registers f(value, dtype=None, name=None, as_ref=False) -> Tensor or NotImplemented for values of |base_type|."""
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    _conversions.append((priority, types, conversion_func))
    _conversions.sort(key=lambda row: row[0])


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None, as_ref=False):
    """A tensor of |value|: a tensor, a variable, a number, a list, an array."""
    dtype = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if dtype is not None and not dtype.is_compatible_with(value.dtype) and not dtype.base_dtype == value.dtype.base_dtype:
            raise ValueError("Tensor conversion requested dtype %s for Tensor with dtype %s: %r" %
                             (dtype.name, value.dtype.name, value)) if not as_ref else TypeError(
                                 "Tensor conversion requested dtype %s for Tensor with dtype %s" % (dtype, value.dtype))
        return value
    preferred = dtype_hint if preferred_dtype is None else preferred_dtype
    for _, types, function in _conversions:
        if isinstance(value, types):
            if dtype is None and preferred is not None:
                try:
                    made = function(value, dtype=as_dtype(preferred), name=name, as_ref=as_ref)
                    if made is not NotImplemented:
                        return made
                except (TypeError, ValueError):
                    pass
            made = function(value, dtype=dtype, name=name, as_ref=as_ref)
            if made is not NotImplemented:
                return made
    if dtype is None and preferred is not None:
        try:
            return constant(value, dtype=as_dtype(preferred), name=name or "Const")
        except (TypeError, ValueError):
            pass
    return _convert_plain(value, dtype, name or "Const")


def _convert_plain(value, dtype, name):
    if isinstance(value, (list, tuple)) and _has_tensors(value):
        from sluice._array import pack
        return pack(value, dtype, name)
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError("Cannot convert a partially known TensorShape %s to a Tensor." % value)
        sizes = value.as_list()
        if dtype is None:
            dtype = _dtypes.int64 if any(s >= 2**31 for s in sizes) else _dtypes.int32
        return constant(np.array(sizes, dtype.as_numpy_dtype), dtype=dtype, name="shape_as_tensor" if name == "Const" else name)
    if isinstance(value, Dimension):
        if value.value is None:
            raise ValueError("Cannot convert unknown Dimension to a Tensor.")
        return constant(value.value, dtype=dtype or _dtypes.int32, name=name)
    return constant(value, dtype=dtype, name=name)


def _has_tensors(value):
    return any(isinstance(v, Tensor) or hasattr(v, "_as_graph_element") or
               (isinstance(v, (list, tuple)) and _has_tensors(v)) for v in value)


def convert_list(values, dtype=None, name=None, as_ref=False):
    """Tensors of |values|, all of one type if that can be known."""
    if dtype is None:
        for value in values:
            if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
                dtype = value.dtype.base_dtype
                break
    return [convert_to_tensor(v, dtype=dtype, name="%s_%d" % (name, i) if name else None, as_ref=as_ref)
            for i, v in enumerate(values)]


# --- Constants ---

def _flatten(value):
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _flatten(item)
    elif isinstance(value, np.ndarray):
        yield from _flatten(value.tolist())
    else:
        yield value


def _as_array(value, dtype):
    """|value| as a numpy array of |dtype|; without one, of the type that TensorFlow infers."""
    if hasattr(value, "__array__") and not isinstance(value, (np.ndarray, np.generic, list, tuple)):
        value = np.asarray(value)  # such as a column of a table
    if isinstance(value, (np.ndarray, np.generic)):
        array = np.asarray(value)
        if dtype is None:
            dtype = as_dtype(array.dtype)
        if dtype != string and not dtype.is_quantized and dtype != bfloat16:
            array = array.astype(dtype.as_numpy_dtype)
        return array, dtype
    items = list(_flatten(value))
    if any(v is None for v in items):
        raise ValueError("None values not supported.")
    if dtype is None:
        dtype = _inferred(items)
    _check(items, dtype, value)
    if dtype == string:
        return np.array(value, dtype=object), dtype
    if dtype.is_quantized:
        return np.array(value, dtype=np.dtype(dtype.as_numpy_dtype)[0]), dtype
    try:
        array = np.array(value, dtype=np.float32 if dtype == bfloat16 else dtype.as_numpy_dtype)
    except (ValueError, TypeError):
        raise ValueError("Argument must be a dense tensor: %s - got shape %s" % (value, _ragged_shape(value))) from None
    return array, dtype


def _ragged_shape(value):
    shape = []
    while isinstance(value, (list, tuple)):
        shape.append(len(value))
        value = value[0] if value else None
    return shape


def _inferred(items):
    if not items:
        return _dtypes.float32
    kinds = {type(v) for v in items}
    if kinds <= {str, bytes}:
        return string
    if kinds == {bool}:
        return _dtypes.bool
    if any(isinstance(v, complex) for v in items):
        return _dtypes.complex128
    if any(isinstance(v, float) for v in items):
        return _dtypes.float32
    if all(isinstance(v, (bool, int)) for v in items):
        return _dtypes.int32 if all(-2**31 <= v < 2**31 for v in items) else _dtypes.int64
    array = np.array(items)
    if array.dtype == np.float64:
        return _dtypes.float32
    if array.dtype == np.int64 and np.array_equal(array, array.astype(np.int32)):
        return _dtypes.int32
    return as_dtype(array.dtype)


def _check(items, dtype, value):
    """TypeError if Python's values do not fit |dtype|, as in TensorFlow."""
    for v in items:
        if isinstance(v, (np.generic, Dimension)):
            continue
        text = isinstance(v, (str, bytes))
        if dtype == string:
            ok = text
        elif dtype.is_bool:
            ok = isinstance(v, bool)
        elif dtype.is_floating:
            ok = isinstance(v, (int, float)) and not isinstance(v, bool)
        elif dtype.is_complex:
            ok = isinstance(v, (int, float, complex)) and not isinstance(v, bool)
        else:
            ok = hasattr(v, "__index__") and not isinstance(v, bool)
        if not ok:
            raise TypeError("Expected %s, got %r of type '%s' instead." %
                            (dtype.name if dtype.name != "string" else "string", v, type(v).__name__))


def _bfloat16_bits(array):
    """The upper halves of 32-bit floats, rounded to the nearest even one."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
    return np.where(np.isnan(array), np.uint16(0x7FC0), rounded)


def to_triple(value, dtype=None, shape=None):
    """(type, shape, values) of |value| for the extension."""
    array, dtype = _as_array(value, dtype)
    if shape is not None:
        array = _fill(array, shape)
    dims = tuple(array.shape)
    if dtype == string:
        return int(dtype), dims, [v.encode() if isinstance(v, str) else bytes(v) for v in array.ravel().tolist()]
    if dtype == bfloat16 and array.dtype != np.uint16:
        array = _bfloat16_bits(array)
    return int(dtype), dims, np.ascontiguousarray(array).reshape(dims)


def _fill(array, shape):
    shape = [int(d) for d in (shape if hasattr(shape, "__iter__") else [shape])]
    count = int(np.prod(shape, dtype=np.int64))
    if array.size == count:
        return array.reshape(shape)
    if array.size > count:
        raise ValueError("Too many elements provided. Needed at most %d, but received %d" % (count, array.size))
    if array.size == 0:
        raise ValueError("Cannot fill the shape %s from no elements" % shape)
    flat = array.ravel()
    return np.concatenate([flat, np.repeat(flat[-1:], count - flat.size)]).reshape(shape)


_AS_IN_NUMPY = {int(t) for t in (_dtypes.float32, _dtypes.float64, _dtypes.int32, _dtypes.int64, _dtypes.bool, _dtypes.uint8)}


def from_triple(triple):
    """The numpy array of (type, shape, values)."""
    number, shape, values = triple
    if number == 7:
        if not shape:
            return values[0]
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array.reshape(shape)
    if isinstance(values, bytes):
        return np.array(values, dtype=object)
    array = np.asarray(values)
    if number in _AS_IN_NUMPY:
        return array if shape else array[()]
    dtype = as_dtype(number)
    if dtype == bfloat16:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    elif dtype.is_quantized:
        array = array.view(dtype.as_numpy_dtype)
    return array[()] if not shape else array


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """The TensorProto of |values|; without |dtype|, of the type that TensorFlow infers."""
    array, dtype = _as_array(values, None if dtype is None else as_dtype(dtype).base_dtype)
    shape = None if shape is None else TensorShape(shape).as_list()
    if verify_shape and shape is not None and list(array.shape) != shape:
        raise TypeError("Expected Tensor's shape: %s, got %s." % (tuple(shape), array.shape))
    if dtype == bfloat16 and array.dtype != np.uint16:
        array = _bfloat16_bits(array)
    return _tensor_proto.encode(array, dtype, shape)


def constant(value, dtype=None, shape=None, name="Const", verify_shape=False):
    if isinstance(value, Tensor):
        raise TypeError("List of Tensors when single Tensor expected")
    proto = make_tensor_proto(value, dtype, shape, verify_shape)
    graph = get_default_graph()
    with graph.name_scope(name or "Const") as scope:
        pass
    attribute = message("AttrValue")()
    attribute.tensor.CopyFrom(proto)
    tensor = graph._add("Const", scope[:-1], [], [("value", "p", attribute.SerializeToString()),
                                                  ("dtype", "t", proto.dtype)]).outputs[0]
    if not proto.tensor_content:
        graph._constants[tensor.op.name] = proto
    return tensor
