"""Signals: tf.signal and tf.spectral. Transforms of real signals, windows, shifts."""
import numpy as np

from sluice import _array, _dtypes
from sluice._api import export
from sluice._array_more import roll
from sluice._array_select import gather, pad
from sluice._cond import cond
from sluice._convert import constant, convert_to_tensor
from sluice._graph import name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._range import range_of
from sluice._static import constant_value
from sluice._variables import ones, zeros


def _length_of(value, rank, inverse):
    """The sizes of the last |rank| dimensions; of an inverse transform, those of its result."""
    sizes = value.shape.as_list()[-rank:] if value.shape.ndims is not None else [None]
    if None not in sizes:
        if inverse:
            sizes[-1] = max(0, 2 * (sizes[-1] - 1))
        return convert_to_tensor(sizes, dtype=_dtypes.int32)
    length = _array.shape_of(value)[-rank:]
    if not inverse:
        return length
    return _array.concat([length[:-1], apply("Maximum", None, x=0, y=2 * (length[-1:] - 1))], 0)


def _fitted(value, length, rank, inverse):
    """|value| padded with zeros to what a transform of |length| needs."""
    wanted = constant_value(length)
    if value.shape.ndims is not None and 0 in value.shape.as_list():
        return value
    if wanted is None or value.shape.ndims is None or None in value.shape.as_list()[-rank:]:
        return pad(value, _paddings(value, length, rank, inverse))
    wanted = [int(n) for n in wanted]
    if inverse:
        wanted[-1] = wanted[-1] // 2 + 1
    more = [max(0, w - k) for w, k in zip(wanted, value.shape.as_list()[-rank:])]
    if not any(more):
        return value
    return pad(value, [[0, 0]] * (value.shape.ndims - rank) + [[0, n] for n in more])


def _paddings(value, length, rank, inverse):
    """The paddings of _fitted, if they are not known yet."""
    dims, sizes = _array.rank(value), _array.shape_of(value)[-rank:]
    outer = zeros([apply("Maximum", None, x=0, y=dims - rank)], length.dtype)
    if inverse:
        length = _array.concat([length[:-1], length[-1:] // 2 + 1], 0)
    paddings = _array.concat([outer, apply("Maximum", None, x=0, y=length - sizes)], 0)
    return _array.stack([_array.zeros_like(paddings), paddings], axis=1)


def _transform(op, label, rank, inverse):
    def call(input_tensor, fft_length=None, name=None):
        with name_scope(name, label, [input_tensor, fft_length]) as scope:
            if inverse:
                value = convert_to_tensor(input_tensor, preferred_dtype=_dtypes.complex64)
                kinds = {"Treal": _dtypes.float32 if value.dtype == _dtypes.complex64 else _dtypes.float64}
            else:
                value = convert_to_tensor(input_tensor, preferred_dtype=_dtypes.float32)
                kinds = {"Tcomplex": _dtypes.complex64 if value.dtype == _dtypes.float32 else _dtypes.complex128}
            if fft_length is None:
                length = _length_of(value, rank, inverse)
            else:
                length = convert_to_tensor(fft_length, dtype=_dtypes.int32)
            value = _fitted(value, length, rank, inverse)
            known = constant_value(length)
            length = length if known is None else known
            return apply(op, scope, input=value, fft_length=length, **kinds)
    return call


for _rank, _name, _op in ((1, "rfft", "RFFT"), (2, "rfft2d", "RFFT2D"), (3, "rfft3d", "RFFT3D")):
    export("signal." + _name, "spectral." + _name)(_transform(_op, _name, _rank, False))
    export("signal.i" + _name, "spectral.i" + _name)(_transform("I" + _op, "i" + _name, _rank, True))


# --- Windows ---

def _raised_cosine(label, a, b):
    def call(window_length, periodic=True, dtype=_dtypes.float32, name=None):
        with name_scope(name, label, [window_length, periodic]):
            length = convert_to_tensor(window_length, dtype=_dtypes.int32, name="window_length")
            known = constant_value(length)
            if known == 1:
                return ones([1], dtype)
            periodic_ = cast(convert_to_tensor(periodic, dtype=_dtypes.bool, name="periodic"), _dtypes.int32)
            even = 1 - apply("FloorMod", "mod", x=length, y=2)
            n = cast(length + periodic_ * even - 1, dtype)
            count = cast(range_of(length), dtype)
            angle = constant(2 * np.pi, dtype=dtype) * count / n

            def window():
                return a - b * apply("Cos", None, x=angle)
            if known is not None:
                return window()
            return cond(apply("Equal", None, x=length, y=1), lambda: ones([length], dtype), window)
    call.__name__ = call.__qualname__ = label
    return export("signal." + label)(call)


hann_window, hamming_window = _raised_cosine("hann_window", 0.5, 0.5), _raised_cosine("hamming_window", 0.54, 0.46)


# --- Shifts ---

def _shift(label, sign):
    def call(x, axes=None, name=None):
        with name_scope(name, label) as scope:
            x = convert_to_tensor(x)
            if axes is None:
                half, axes = _array.shape_of(x), list(range(x.shape.ndims))
            elif isinstance(axes, int):
                half = _array.shape_of(x)[axes]
            else:
                half = gather(_array.shape_of(x), axes)
            return roll(x, half // 2 if sign > 0 else -(half // 2), axes, name=scope)
    call.__name__ = call.__qualname__ = label
    return export("signal." + label)(call)


fftshift, ifftshift = _shift("fftshift", 1), _shift("ifftshift", -1)
