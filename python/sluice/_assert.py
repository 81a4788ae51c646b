"""tf.Assert and the checks of tf.debugging: at once if the values are known, else by an operation."""
import numpy as np

from sluice import _dtypes, _errors
from sluice._api import export
from sluice._array import rank as rank_of, shape_of
from sluice._control_flow import with_dependencies
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype, int32, string
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._static import constant_value


def no_op(name=None):
    return apply("NoOp", name)


@export("Assert", "debugging.Assert")
def Assert(condition, data, summarize=None, name=None):
    """An operation that fails, with the first elements of |data|, unless |condition| is true."""
    with name_scope(name, "Assert", [condition] + list(data)):
        tensors = [convert_to_tensor(x) for x in data]
        if all(x.dtype in (string, int32) for x in tensors):
            return apply("Assert", "Assert", condition=condition, data=list(data), summarize=summarize)
        condition = convert_to_tensor(condition, name="Condition")
        from sluice._cond import cond

        def fail():
            return apply("Assert", "Assert", condition=condition, data=list(data), summarize=summarize)
        return cond(condition, no_op, fail, name="AssertGuard").op  # the data is needed only if it fails


def prefix_of(message):
    return "%s.  " % message if message else ""


# --- Values ---

def _check_known(holds, data):
    if not holds:
        texts = [str(constant_value(x)) if isinstance(x, Tensor) and constant_value(x) is not None else str(x) for x in data]
        raise _errors.InvalidArgumentError(None, None, "\n".join(texts))


def _binary(label, symbol, op, known):
    def check(x, y, data=None, summarize=None, message=None, name=None):
        if label == "assert_equal":
            with name_scope(name, label, [x, y]):
                if x is y:
                    return no_op()
        with name_scope(name, label, [x, y]):
            x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
            if data is None:
                data = ["Condition x %s y did not hold element-wise:" % symbol, "x (%s) = " % x.name, x,
                        "y (%s) = " % y.name, y]
            if message is not None:
                data = [message] + list(data)
            condition = _reduce_all(apply(op, None, x=x, y=y))
            values = constant_value(x), constant_value(y)
            if values[0] is not None and values[1] is not None:
                _check_known(np.all(known(*values)), data)
            return Assert(condition, data, summarize)
    check.__name__ = check.__qualname__ = label
    check.__doc__ = "An operation that fails unless x %s y for all elements." % symbol
    return export(label, "debugging." + label)(check)


def _reduce_all(x):
    from sluice._math import _reduction_axes
    return apply("All", None, input=x, reduction_indices=_reduction_axes(x, None), keep_dims=False)


_less = _binary("assert_less", "<", "Less", np.less)
_less_equal = _binary("assert_less_equal", "<=", "LessEqual", np.less_equal)
assert_equal = _binary("assert_equal", "==", "Equal", np.equal)
for _row in (("assert_none_equal", "!=", "NotEqual", np.not_equal), ("assert_greater", ">", "Greater", np.greater),
             ("assert_greater_equal", ">=", "GreaterEqual", np.greater_equal)):
    _binary(*_row)


def _sign(label, symbol, check, zero_first):
    def call(x, data=None, summarize=None, message=None, name=None):
        with name_scope(name, label, [x]):
            x = convert_to_tensor(x, name="x")
            if data is None:
                texts = ["Condition x %s 0 did not hold element-wise:" % symbol, "x (%s) = " % x.name]
                if label == "assert_non_positive":  # TensorFlow joins the two there
                    texts = ["".join(texts)]
                data = [prefix_of(message)] + texts + [x]
            zero = convert_to_tensor(0, dtype=x.dtype.base_dtype)
            return check(*(zero, x) if zero_first else (x, zero), data=data, summarize=summarize)
    call.__name__ = call.__qualname__ = label
    call.__doc__ = "An operation that fails unless x %s 0 for all elements." % symbol
    export(label, "debugging." + label)(call)


_sign("assert_negative", "<", _less, False)
_sign("assert_positive", ">", _less, True)
_sign("assert_non_negative", ">=", _less_equal, True)
_sign("assert_non_positive", "<=", _less_equal, False)


@export("assert_near", "debugging.assert_near")
def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless |x - y| < atol + rtol * |y| for all elements."""
    with name_scope(name, "assert_near", [x, y, rtol, atol]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        dtype = x.dtype.real_dtype if x.dtype.is_complex else x.dtype.base_dtype
        least = 10 * np.finfo(dtype.as_numpy_dtype).eps
        rtol = convert_to_tensor(least if rtol is None else rtol, name="rtol", dtype=dtype)
        atol = convert_to_tensor(least if atol is None else atol, name="atol", dtype=dtype)
        if data is None:
            data = [prefix_of(message), "x and y not equal to tolerance rtol = %s, atol = %s" % (rtol, atol),
                    "x (%s) = " % x.name, x, "y (%s) = " % y.name, y]
        limit = atol + rtol * abs(y)
        condition = _reduce_all(apply("Less", None, x=abs(x - y), y=limit))
        return Assert(condition, data, summarize)


# --- Ranks and types ---

def _check_ranks(x, ranks, holds, condition, data, summarize, fail):
    for rank in ranks:
        assert_type(rank, int32)
    known = [constant_value(rank) for rank in ranks]
    if all(value is not None for value in known):
        if any(value.ndim for value in known):
            raise ValueError("Rank must be a scalar.")
        if x.shape.ndims is not None:
            if not holds(x.shape.ndims, known):
                raise ValueError(fail(x.shape.ndims, known))
            return no_op("static_checks_determined_all_ok")
    result = condition(rank_of(x))
    for rank, value in zip(ranks, known):
        if value is None:
            check = assert_rank(rank, 0, data=["Rank must be a scalar. Received rank: ", rank])
            result = with_dependencies([check], result)
    return Assert(result, data, summarize)


def _rank_check(label, words, op, holds):
    def check(x, rank, data=None, summarize=None, message=None, name=None):
        with name_scope(name, label, [x, rank]):
            x, rank = convert_to_tensor(x, name="x"), convert_to_tensor(rank, name="rank")
            prefix = prefix_of(message)
            if data is None:
                data = [prefix, "Tensor %s must have %s" % (x.name, words), rank, "Received shape: ", shape_of(x)]
            return _check_ranks(
                x, [rank], lambda actual, known: holds(actual, known[0]),
                lambda actual: apply(op, None, x=actual, y=rank), data, summarize,
                lambda actual, known: "%sTensor %s must have %s %d.  Received rank %d, shape %s" %
                (prefix, x.name, words, known[0], actual, x.shape))
    check.__name__ = check.__qualname__ = label
    check.__doc__ = "An operation that fails unless x has %s |rank|; ValueError if that is known." % words
    return export(label, "debugging." + label)(check)


assert_rank = _rank_check("assert_rank", "rank", "Equal", lambda actual, rank: actual == rank)
_rank_check("assert_rank_at_least", "rank at least", "GreaterEqual", lambda actual, rank: actual >= rank)


@export("assert_rank_in", "debugging.assert_rank_in")
def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless x has one of |ranks|; ValueError if that is known."""
    with name_scope(name, "assert_rank_in", [x] + list(ranks)):
        x = convert_to_tensor(x, name="x")
        ranks = [convert_to_tensor(rank, name="rank") for rank in ranks]
        prefix = prefix_of(message)
        if data is None:
            data = [prefix, "Tensor %s must have rank in" % x.name] + ranks + ["Received shape: ", shape_of(x)]

        def condition(actual):
            result = apply("Equal", None, x=ranks[0], y=actual)
            for rank in ranks[1:]:
                result = apply("LogicalOr", None, x=result, y=apply("Equal", None, x=rank, y=actual))
            return result
        return _check_ranks(x, ranks, lambda actual, known: actual in known, condition, data, summarize,
                            lambda actual, known: "%sTensor %s must have rank in %s.  Received rank %d, shape %s" %
                            (prefix, x.name, tuple(known), actual, x.shape))


@export("assert_integer", "debugging.assert_integer")
def assert_integer(x, message=None, name=None):
    with name_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError('%sExpected "x" to be integer type.  Found: %s of dtype %s' % (prefix_of(message), x.name, x.dtype))
        return no_op("statically_determined_was_integer")


@export("assert_type", "debugging.assert_type")
def assert_type(tensor, tf_type, message=None, name=None):
    wanted = as_dtype(tf_type)
    with name_scope(name, "assert_type", [tensor]):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != wanted:
            raise TypeError("%s%s must be of type %r; got %r" % (prefix_of(message), tensor.name, wanted, tensor.dtype))
        return no_op("statically_determined_correct_type")


@export("assert_scalar", "debugging.assert_scalar")
def assert_scalar(tensor, name=None, message=None):
    with name_scope(name, "assert_scalar", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name=scope)
        if tensor.shape.ndims != 0:
            raise ValueError("%sExpected scalar shape for %s, saw shape: %s." %
                             (prefix_of(message), tensor.name, tensor.shape))
        return tensor


@export("assert_same_float_dtype", "debugging.assert_same_float_dtype")
def assert_same_float_dtype(tensors=None, dtype=None):
    """The type that all |tensors| have; ValueError if they differ or if it is no floating point type."""
    dtype = None if dtype is None else as_dtype(dtype)
    first = None
    for tensor in tensors or []:
        if tensor is None:
            continue
        if dtype is None:
            dtype, first = tensor.dtype.base_dtype, tensor
        elif tensor.dtype.base_dtype != dtype:
            raise ValueError("%s, type=%s, must be of the same type (%s)%s." %
                             (tensor.name, tensor.dtype.base_dtype, dtype, " as %s" % first.name if first is not None else ""))
    dtype = dtype or _dtypes.float32
    if not dtype.is_floating:
        raise ValueError("Expected floating point type, got %s." % dtype)
    return dtype


@export("assert_proper_iterable", "debugging.assert_proper_iterable")
def assert_proper_iterable(values):
    if isinstance(values, (Tensor, np.ndarray, str, bytes)):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s' % type(values))
    if not hasattr(values, "__iter__"):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


@export("is_numeric_tensor", "debugging.is_numeric_tensor")
def is_numeric_tensor(tensor):
    return isinstance(tensor, Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex or
                                           tensor.dtype.is_quantized)


def _growth(label, op):
    @export(label, "math." + label, "debugging." + label)
    def check(x, name=None):
        from sluice._cond import cond
        from sluice._convert import constant
        with name_scope(name, label, [x]):
            x = apply("Reshape", None, tensor=x, shape=[-1])
            if not is_numeric_tensor(x):
                raise TypeError("Expected x to be numeric, instead found: %s" % x)
            count = constant(x.shape.num_elements(), dtype=int32, name="Size") if x.shape.is_fully_defined() else \
                apply("Size", None, input=x)
            is_short = apply("Less", None, x=count, y=2)
            last = shape_of(x) - 1

            def differences():
                return _slice(x, [1], [1] + last) - _slice(x, [0], last)
            diff = cond(is_short, lambda: convert_to_tensor([], dtype=x.dtype.base_dtype), differences)
            zero = convert_to_tensor(0, dtype=diff.dtype.base_dtype)
            return _reduce_all(apply(op, None, x=zero, y=diff))
    check.__name__ = check.__qualname__ = label
    return check


def _slice(x, begin, end):
    from sluice._api import lookup
    return lookup("", "strided_slice")(x, begin, end)


_growth("is_non_decreasing", "LessEqual")
_growth("is_strictly_increasing", "Less")


@export("ensure_shape")
def ensure_shape(x, shape, name=None):
    return apply("EnsureShape", name, input=x, shape=TensorShape(shape))
