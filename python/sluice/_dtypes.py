"""Types of tensors, as tf.DType."""
import builtins

import numpy as np

_ROWS = [
    ("float32", 1, np.float32), ("float64", 2, np.float64), ("int32", 3, np.int32), ("uint8", 4, np.uint8),
    ("int16", 5, np.int16), ("int8", 6, np.int8), ("string", 7, np.object_), ("complex64", 8, np.complex64),
    ("int64", 9, np.int64), ("bool", 10, np.bool_), ("qint8", 11, None), ("quint8", 12, None), ("qint32", 13, None),
    ("bfloat16", 14, None), ("qint16", 15, None), ("quint16", 16, None), ("uint16", 17, np.uint16),
    ("complex128", 18, np.complex128), ("float16", 19, np.float16), ("resource", 20, None), ("variant", 21, None),
    ("uint32", 22, np.uint32), ("uint64", 23, np.uint64),
]
_REF = 100
# The quantized types are structured numpy types, as in TensorFlow.
_QUANTIZED = {"qint8": np.int8, "quint8": np.uint8, "qint16": np.int16, "quint16": np.uint16, "qint32": np.int32}


class DType:
    """The type of a tensor's elements. A reference type, of a variable's output, has the suffix "_ref"."""
    __slots__ = ("_name", "_number", "_numpy")

    def __init__(self, name, number, numpy):
        self._name, self._number, self._numpy = name, number, numpy

    name = property(lambda self: self._name)
    as_datatype_enum = property(lambda self: self._number)
    as_numpy_dtype = property(lambda self: self.base_dtype._numpy)
    is_floating = property(lambda self: self.base_dtype._name in ("float16", "bfloat16", "float32", "float64"))
    is_complex = property(lambda self: self.base_dtype._name in ("complex64", "complex128"))
    is_quantized = property(lambda self: self.base_dtype._name in _QUANTIZED)
    is_bool = property(lambda self: self.base_dtype._name == "bool")
    is_integer = property(lambda self: self._numpy is not None and not self.is_quantized and
                          np.issubdtype(self._numpy, np.integer))
    is_unsigned = property(lambda self: self._numpy is not None and np.issubdtype(self._numpy, np.unsignedinteger))
    is_numpy_compatible = property(lambda self: self._numpy is not None)
    _is_ref_dtype = property(lambda self: self._number > _REF)

    @property
    def base_dtype(self):
        return _BY_NUMBER[self._number - _REF] if self._number > _REF else self

    @property
    def real_dtype(self):
        return {"complex64": float32, "complex128": float64}.get(self.base_dtype._name, self.base_dtype)

    @property
    def _as_ref(self):
        return self if self._number > _REF else _BY_NUMBER[self._number + _REF]

    @property
    def size(self):
        if self._numpy in (None, np.object_):
            return 2 if self.base_dtype._name == "bfloat16" else 1
        return np.dtype(self._numpy).itemsize

    def _limit(self, which):
        if self.is_complex or self._numpy is None or self._numpy is np.object_:
            raise TypeError("Cannot find %simum value of %s." % (which, self))
        if self.is_bool:
            return which == "max"
        info = np.finfo if self.is_floating else np.iinfo
        return getattr(info(self._numpy), which)

    min = property(lambda self: self._limit("min"))
    max = property(lambda self: self._limit("max"))

    @property
    def limits(self):
        return (0, self.max) if self.is_integer and self.is_unsigned else (0, 1) if self.is_floating else (0, self.max)

    def is_compatible_with(self, other):
        other = as_dtype(other)
        return self._number in (other._number, other.base_dtype._number)

    def __eq__(self, other):
        if other is None:
            return False
        try:
            return self._number == as_dtype(other)._number
        except TypeError:
            return False

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return self._number

    def __int__(self):
        return self._number

    __index__ = __int__

    def __str__(self):
        return "<dtype: %r>" % self._name

    def __repr__(self):
        return "tf." + self._name

    def __reduce__(self):
        return as_dtype, (self._name,)


_BY_NUMBER, _BY_NAME, _BY_NUMPY = {}, {}, {}
for _name, _number, _numpy in _ROWS:
    if _name in _QUANTIZED:
        _numpy = np.dtype([(_name, _QUANTIZED[_name])])
    elif _name == "bfloat16":
        _numpy = np.uint16  # its bits
    _made = DType(_name, _number, _numpy)
    _BY_NUMBER[_number] = _BY_NAME[_name] = globals()[_name] = _made
    _BY_NUMBER[_number + _REF] = _BY_NAME[_name + "_ref"] = DType(_name + "_ref", _number + _REF, _numpy)
    if _numpy is not None and _name != "bfloat16":
        _BY_NUMPY[np.dtype(_numpy)] = _made
half, double = float16, float64  # noqa: F821
_BY_NAME.update(half=half, float=float32, double=double)  # noqa: F821
QUANTIZED_DTYPES = frozenset(_BY_NAME[n] for n in _QUANTIZED)
_PYTHON = {float: float32, int: int32, builtins.bool: _BY_NAME["bool"], complex: complex128, str: string, bytes: string}  # noqa: F821


def as_dtype(value):
    """The type that |value| means: a DType, a name, a number of DataType, a numpy or Python type."""
    if isinstance(value, DType):
        return value
    try:
        found = _BY_NAME.get(value) if isinstance(value, str) else _PYTHON.get(value) if isinstance(value, type) else None
        if found is None and isinstance(value, int) and not isinstance(value, builtins.bool):
            found = _BY_NUMBER.get(value)
        if found is None:
            numpy = np.dtype(value)
            found = _BY_NUMPY.get(numpy) or (string if numpy.kind in "SUO" else None)  # noqa: F821
    except TypeError:
        found = None
    if found is None:
        raise TypeError("Cannot convert value %r to a TensorFlow DType." % (value,))
    return found
