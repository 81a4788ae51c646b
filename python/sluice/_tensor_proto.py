"""Arrays as TensorProto messages, encoded as TensorFlow's Python library does, so that graphs are equal."""
import numpy as np

from sluice._dtypes import as_dtype, bfloat16, string
from sluice._message import message
from sluice._shape import TensorShape

# The field that holds values of a type. More than one value of most types is held as bytes instead.
_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "uint32": "uint32_val", "uint64": "uint64_val",
    "bool": "bool_val", "complex64": "scomplex_val", "complex128": "dcomplex_val", "float16": "half_val",
    "bfloat16": "half_val", "string": "string_val",
}
_NEVER_BYTES = ("bool", "complex64", "complex128", "uint16", "string")


def encode(array, dtype, shape=None):
    """The TensorProto of |array|, an array of values of |dtype|; if |shape| has more elements, the last value fills them."""
    dims = list(array.shape) if shape is None else shape
    count = int(np.prod(dims, dtype=np.int64))
    if array.size > count:
        raise ValueError("Too many elements provided. Needed at most %d, but received %d" % (count, array.size))
    made = message("TensorProto")()
    made.dtype = int(dtype)
    made.tensor_shape.CopyFrom(TensorShape(dims).as_proto())
    made.tensor_shape._touch()
    if array.size == count and count > 1 and dtype.name not in _NEVER_BYTES:
        made.tensor_content = np.ascontiguousarray(array).tobytes()
    else:
        getattr(made, _FIELDS.get(dtype.name, "int_val")).extend(_values(array.ravel(), dtype))
    return made


def _values(flat, dtype):
    if dtype == string:
        return [v.encode() if isinstance(v, str) else bytes(v) for v in flat.tolist()]
    if dtype.name == "float16":
        flat = flat.view(np.uint16)
    elif dtype.is_complex:
        flat = flat.view(np.float32 if dtype.name == "complex64" else np.float64)
    elif dtype.is_quantized and flat.dtype.names:
        flat = flat[flat.dtype.names[0]]
    return flat.tolist()


def decode(proto):
    """The numpy array of a TensorProto: tf.make_ndarray."""
    dtype, dims = as_dtype(proto.dtype), [d.size for d in proto.tensor_shape.dim]
    count = int(np.prod(dims, dtype=np.int64))
    if proto.tensor_content:
        flat = np.frombuffer(proto.tensor_content, np.uint16 if dtype == bfloat16 else dtype.as_numpy_dtype).copy()
    else:
        values = list(getattr(proto, _FIELDS.get(dtype.name, "int_val")))
        if dtype.is_complex:
            values = [complex(a, b) for a, b in zip(values[::2], values[1::2])]
        values += values[-1:] * (count - len(values)) if values else [b"" if dtype == string else 0] * count
        if dtype == string:
            flat = np.array(values, dtype=object)
        elif dtype.name in ("float16", "bfloat16"):
            flat = np.array(values, np.uint16)
        else:
            flat = np.array(values, dtype.as_numpy_dtype)
    if dtype == bfloat16:
        flat = (flat.astype(np.uint32) << 16).view(np.float32)
    elif dtype.name == "float16" and flat.dtype == np.uint16:
        flat = flat.view(np.float16)
    return flat.reshape(dims)


def rewritten(proto):
    """|proto| as Python would have written it, if it is one value in bytes; else None."""
    if not proto.tensor_content or any(d.size != 1 for d in proto.tensor_shape.dim):
        return None
    dtype = as_dtype(proto.dtype)
    bits = np.frombuffer(proto.tensor_content, np.uint16 if dtype == bfloat16 else dtype.as_numpy_dtype)
    return encode(bits.reshape([1] * len(proto.tensor_shape.dim)), dtype)
