"""Further functions of tf.math: rounding, complex numbers, sums along an axis, counts, norms, clipping."""
import numpy as np

from sluice import _array, _dtypes, _math
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._gradients import IndexedSlices
from sluice._graph import Tensor, name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor


def _both(name):
    return export(name, "math." + name)


def reduce(kind, x, axis=None, keepdims=False, name=None):
    """A reduction by op |kind|."""
    return _math._reduction(kind)(x, axis, keepdims, name)


# --- Elementwise ---

def _op(op, argument="x"):
    def call(x, name=None):
        return apply(op, name, **{argument: x})
    return call


for _name, _kind in (("acos", "Acos"), ("ceil", "Ceil"), ("floor", "Floor")):
    _made = _op(_kind)
    _made.__name__ = _made.__qualname__ = _name
    _both(_name)(_made)
for _name in ("i0", "i1", "i0e", "i1e"):
    def _bessel(x, name=None, kind="Bessel" + _name.upper().replace("E", "e"), label="bessel_" + _name):
        with name_scope(name, label, [x]):
            return apply(kind, None, x=x)
    _bessel.__name__ = _bessel.__qualname__ = "bessel_" + _name
    export("math.bessel_" + _name)(_bessel)


@_both("round")
def round(x, name=None):  # noqa: A001
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else apply("Round", name, x=x)


@export("math.reciprocal_no_nan")
def reciprocal_no_nan(x, name=None):
    """1 / x, and 0 where x is 0."""
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return apply("DivNoNan", scope, x=constant(1, dtype=x.dtype.base_dtype, name="one"), y=x)


@_both("logical_xor")
def logical_xor(x, y, name="LogicalXor"):
    return apply("LogicalAnd", name, x=apply("LogicalOr", None, x=x, y=y),
                 y=apply("LogicalNot", None, x=apply("LogicalAnd", None, x=x, y=y)))


@export("math.multiply_no_nan")
def multiply_no_nan(x, y, name=None):
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        return apply("MulNoNan", scope, x=x, y=y)


@_both("scalar_mul")
def scalar_mul(scalar, x, name=None):
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    if scalar.shape.ndims != 0:
        raise ValueError("Only scalar multiply works, got shape %s" % scalar.shape)
    if isinstance(x, IndexedSlices):
        return IndexedSlices(apply("Mul", name, x=scalar, y=x.values), x.indices, x.dense_shape)
    return apply("Mul", name, x=scalar, y=x)


def _complex_part(op, label):
    def call(input, name=None):  # noqa: A002
        with name_scope(name, label, [input]) as scope:
            value = convert_to_tensor(input, name="input")
            if not value.dtype.is_complex:
                if op == "Real":
                    return value
                return _array.zeros_like(value)
            return apply(op, scope, input=value, Tout="float32" if value.dtype == _dtypes.complex64 else "float64")
    return call


_both("real")(_complex_part("Real", "Real"))
_both("imag")(_complex_part("Imag", "Imag"))


@_both("angle")
def angle(input, name=None):  # noqa: A002
    with name_scope(name, "Angle", [input]) as scope:
        value = convert_to_tensor(input, name="input")
        if value.dtype.is_complex:
            return apply("Angle", scope, input=value, Tout="float32" if value.dtype == _dtypes.complex64 else "float64")
        from sluice._array_select import where
        return where(value < 0, np.pi * _array_ones_like(value), _array.zeros_like(value))


def _array_ones_like(value):
    from sluice._array_select import ones_like
    return ones_like(value)


@_both("conj")
def conj(x, name=None):
    if isinstance(x, Tensor) and not x.dtype.is_complex:
        return x
    with name_scope(name, "Conj", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return apply("Conj", scope, input=x) if x.dtype.is_complex else x


@export("complex", "dtypes.complex")
def complex_of(real, imag, name=None):
    real, imag = convert_to_tensor(real, name="real"), convert_to_tensor(imag, name="imag")
    kinds = {"float64": "complex128", "float32": "complex64"}
    if real.dtype != imag.dtype or real.dtype.base_dtype.name not in kinds:
        raise TypeError("real and imag have incorrect types: %s %s" % (real.dtype.name, imag.dtype.name))
    with name_scope(name, "Complex", [real, imag]) as scope:
        return apply("Complex", scope, real=real, imag=imag, Tout=kinds[real.dtype.base_dtype.name])


for _type, _label in (("bfloat16", "ToBFloat16"), ("complex64", "ToComplex64"), ("complex128", "ToComplex128")):
    def _to(x, name=_label, dtype=_type):
        return cast(x, dtype, name=name)
    export("to_" + _type)(_to)


@export("saturate_cast", "dtypes.saturate_cast")
def saturate_cast(value, dtype, name=None):
    """A cast that stays within the limits of |dtype|."""
    with name_scope(name, "saturate_cast", [value]) as scope:
        value, dtype = convert_to_tensor(value, name="value"), as_dtype(dtype).base_dtype
        low, high = max(value.dtype.min, dtype.min), min(value.dtype.max, dtype.max)
        if low != value.dtype.min or high != value.dtype.max:
            limits = [constant(v, dtype=value.dtype.base_dtype) for v in (low, high)]
            value = apply("ClipByValue", "clamp", t=value, clip_value_min=limits[0], clip_value_max=limits[1])
        return cast(value, dtype, name=scope)


# --- Along an axis ---

@_both("argmin")
def argmin(input, axis=None, name=None, dimension=None, output_type=_dtypes.int64):  # noqa: A002
    axis = dimension if axis is None else axis
    return apply("ArgMin", name, input=input, dimension=0 if axis is None else axis, output_type=output_type)


def _cumulative(op, label):
    def call(x, axis=0, exclusive=False, reverse=False, name=None):
        with name_scope(name, label, [x]) as scope:
            return apply(op, scope, x=convert_to_tensor(x, name="x"), axis=axis, exclusive=exclusive, reverse=reverse)
    return call


_both("cumsum")(_cumulative("Cumsum", "Cumsum"))
_both("cumprod")(_cumulative("Cumprod", "Cumprod"))
export("math.cumulative_logsumexp")(_cumulative("CumulativeLogsumexp", "CumulativeLogsumexp"))


def _clipped(*arguments, **named):
    from sluice._clip import clip_by_value
    return clip_by_value(*arguments, **named)


def _axis_of(axis, reduction_indices):
    return reduction_indices if axis is None else axis


@_both("reduce_logsumexp")
def reduce_logsumexp(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
    """log(sum(exp(x))), computed so that it does not overflow."""
    axis, keep = _axis_of(axis, reduction_indices), bool(keepdims if keepdims is not None else keep_dims)
    with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        x = convert_to_tensor(input_tensor)
        largest = reduce("Max", x, axis, True)
        finite = apply("IsFinite", None, x=largest)
        largest = apply("StopGradient", None, input=apply("Select", None, condition=finite, t=largest,
                                                          e=apply("ZerosLike", None, x=largest)))
        result = apply("Log", None, x=reduce("Sum", apply("Exp", None, x=apply("Sub", None, x=x, y=largest)), axis, keep))
        if not keep:
            largest = _array.reshape(largest, apply("Shape", None, input=result))
        return apply("AddV2", scope, x=result, y=largest)


@export("math.reduce_variance")
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    with name_scope(name or "reduce_variance"):
        x = convert_to_tensor(input_tensor)
        means = reduce("Mean", x, axis, True)
        if means.dtype.is_integer:
            raise TypeError("Input must be either real or complex, got %s" % means.dtype.name)
        difference = x - means
        squared = apply("Square", None, x=difference)
        if difference.dtype.is_complex:
            squared = _math_call("real", apply("Mul", None, x=conj(difference), y=difference))
        return reduce("Mean", squared, axis, keepdims)


def _math_call(name, *arguments):
    from sluice import _api
    return _api.lookup("math", name)(*arguments)


@export("math.reduce_std")
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    with name_scope(name or "reduce_std"):
        return apply("Sqrt", None, x=reduce_variance(input_tensor, axis, keepdims))


@export("math.reduce_euclidean_norm")
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    x = convert_to_tensor(input_tensor)
    return apply("EuclideanNorm", name, input=x, reduction_indices=_math._reduction_axes(x, axis), keep_dims=bool(keepdims))


@_both("count_nonzero")
def count_nonzero(input_tensor=None, axis=None, keepdims=None, dtype=_dtypes.int64, name=None, reduction_indices=None,
                  keep_dims=None, input=None):  # noqa: A002
    input_tensor = input if input_tensor is None else input_tensor
    axis, keep = _axis_of(axis, reduction_indices), bool(keepdims if keepdims is not None else keep_dims)
    with name_scope(name, "count_nonzero", [input_tensor]):
        x = convert_to_tensor(input_tensor, name="input")
        empty = "" if x.dtype == _dtypes.string else x.dtype.as_numpy_dtype()
        zero = constant(empty, dtype=x.dtype.base_dtype, name="zeros")
        ones = cast(apply("NotEqual", None, x=x, y=zero), _dtypes.int64)
        return cast(reduce("Sum", ones, axis, keep), dtype)


@_both("accumulate_n")
def accumulate_n(inputs, shape=None, tensor_dtype=None, name=None):
    """The sum of tensors of one shape, added as they become ready."""
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape")
    tensors = [convert_to_tensor(x) for x in inputs]
    if any(t.dtype.base_dtype != tensors[0].dtype.base_dtype for t in tensors):
        raise ValueError("inputs must be a list of at least one Tensor with the same dtype and shape")
    known = TensorShape(shape)
    for t in tensors:
        known = known.merge_with(t.shape)
    if len(tensors) == 1:
        return tensors[0] if name is None else apply("Identity", name, input=tensors[0])
    return apply("AddN", name, inputs=tensors)


@export("math.polyval")
def polyval(coeffs, x, name=None):
    """The value of a polynomial whose first coefficient has the highest power."""
    if not isinstance(coeffs, list):
        raise ValueError("Argument coeffs must be list type found %s." % type(coeffs))
    with name_scope(name, "polyval", coeffs + [x]):
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return _array.zeros_like(x)
        coeffs = [convert_to_tensor(c, name="coeff_%d" % i) for i, c in enumerate(coeffs)]
        value = coeffs[0]
        for c in coeffs[1:]:
            value = c + value * x
        return value


@_both("lbeta")
def lbeta(x, name=None):
    """log(|Beta(x)|) along the last dimension."""
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        products = reduce("Sum", apply("Lgamma", None, x=x), [-1])
        return products - apply("Lgamma", None, x=reduce("Sum", x, [-1]))


# --- Segments ---

def _segment_divisor(data, segment_ids, num_segments):
    """How many rows a segment has, at least one, in the form of a row."""
    segment_ids = convert_to_tensor(segment_ids)
    shape = _array.shape_of(segment_ids)
    ones = apply("Fill", "ones", dims=shape, value=constant(1, dtype=data.dtype.base_dtype, name="ones/Const")) \
        if not segment_ids.shape.is_fully_defined() else constant(
            np.ones(segment_ids.shape.as_list(), data.dtype.as_numpy_dtype), name="ones")
    count = apply("UnsortedSegmentSum", None, data=ones, segment_ids=segment_ids, num_segments=num_segments)
    more = data.shape.ndims - segment_ids.shape.ndims if data.shape.ndims is not None else None
    if more is None:
        raise NotImplementedError("a segment function needs data of a known rank")
    tail = constant([1] * more, dtype=_dtypes.int32)
    count = _array.reshape(count, _array.concat([_array.reshape(convert_to_tensor(num_segments), [1]), tail], 0)) \
        if more else count
    return apply("Maximum", None, x=count, y=1)


@_both("unsorted_segment_mean")
def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    with name_scope(name, "UnsortedSegmentMean"):
        data = convert_to_tensor(data)
        count = _segment_divisor(data, segment_ids, num_segments)
        return apply("UnsortedSegmentSum", None, data=data, segment_ids=segment_ids, num_segments=num_segments) / count


@_both("unsorted_segment_sqrt_n")
def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data = convert_to_tensor(data)
        count = _segment_divisor(data, segment_ids, num_segments)
        total = apply("UnsortedSegmentSum", None, data=data, segment_ids=segment_ids, num_segments=num_segments)
        return total / apply("Sqrt", None, x=count)


def _sparse_segment(kind):
    def call(data, indices, segment_ids, name=None, num_segments=None):
        if num_segments is not None:
            return apply("SparseSegment%sWithNumSegments" % kind, name, data=data, indices=indices, segment_ids=segment_ids,
                         num_segments=num_segments)
        return apply("SparseSegment" + kind, name, data=data, indices=indices, segment_ids=segment_ids)
    return call


for _name, _kind in (("sum", "Sum"), ("mean", "Mean"), ("sqrt_n", "SqrtN")):
    export("sparse_segment_" + _name, "sparse.segment_" + _name)(_sparse_segment(_kind))


# --- Counts ---

@_both("bincount")
def bincount(arr, weights=None, minlength=None, maxlength=None, dtype=_dtypes.int32):
    """How often each number occurs, or the sums of its weights."""
    with name_scope(None, "bincount"):
        arr = convert_to_tensor(arr, name="arr", dtype=_dtypes.int32)
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        count = arr.shape.num_elements()
        some = (constant(count, name="Size") if count is not None else apply("Size", None, input=arr)) > 0
        size = cast(some, _dtypes.int32) * (reduce("Max", arr) + 1)
        if minlength is not None:
            size = apply("Maximum", None, x=convert_to_tensor(minlength, name="minlength", dtype=_dtypes.int32), y=size)
        if maxlength is not None:
            size = apply("Minimum", None, x=convert_to_tensor(maxlength, name="maxlength", dtype=_dtypes.int32), y=size)
        if weights is not None:
            weights = _array.reshape(weights, [-1])
        arr = _array.reshape(arr, [-1])
        if weights is None:
            weights = constant([], dtype=dtype)
        return apply("DenseBincount", None, input=arr, size=size, weights=weights, binary_output=False)


def _check(condition, text):
    from sluice._assert import Assert
    return Assert(condition, [text])


def _after(dependencies, tensor):
    from sluice._control_flow import with_dependencies
    return with_dependencies(dependencies, tensor)


@export("histogram_fixed_width_bins")
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=_dtypes.int32, name=None):
    """The number of the bin of each value."""
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = _array.shape_of(values)
        values = _array.reshape(values, [-1])
        value_range = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=_dtypes.int32, name="nbins")
        check = _check(nbins > 0, "nbins %s must > 0" % nbins)
        bins = cast(_after([check], nbins), values.dtype.base_dtype)
        scaled = _math.truediv(values - value_range[0], value_range[1] - value_range[0], name="scaled_values")
        indices = apply("Floor", "indices", x=bins * scaled)
        indices = cast(_clipped(indices, 0, bins - 1), dtype)
        return _array.reshape(indices, shape)


@export("histogram_fixed_width")
def histogram_fixed_width(values, value_range, nbins=100, dtype=_dtypes.int32, name=None):
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return apply("HistogramFixedWidth", scope, values=values, value_range=value_range, nbins=nbins, dtype=dtype)


# --- Conversions ---

@export("convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value, dtype=dtype, name=name)


@export("convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    from sluice._sparse_tensor import SparseTensorValue, as_sparse
    if isinstance(value, (SparseTensor, SparseTensorValue)):
        return as_sparse(value)
    return convert_to_tensor(value, dtype=dtype, name=name)
