"""tf.debugging.assert_shapes: several tensors, whose dimensions have sizes or names that stand for a size."""
import collections

import sluice as tf
from sluice._api import export
from sluice._assert import Assert, prefix_of
from sluice._convert import convert_to_tensor
from sluice._graph import control_dependencies, name_scope
from sluice._sparse_tensor import SparseTensor

_Wanted = collections.namedtuple("_Wanted", ["tensor", "inner", "sizes", "symbols"])  # inner: of the last dimensions only


def _label(tensor):
    return "%s %s" % (tensor.shape, tensor.dtype.name) if isinstance(tensor, SparseTensor) else tensor.name


def _number(size):
    """|size| as an int, or None if it is a symbol or a tensor."""
    try:
        return int(size)
    except (TypeError, ValueError):
        return None


def _sizes(tensor):
    """The size of each dimension: a number, if that is known. A scalar counts as one dimension of size 1."""
    dynamic = tf.shape(tensor)
    if tensor.shape.ndims is None:
        return tf.cond(tf.equal(tf.rank(tensor), 0), lambda: tf.constant([1]), lambda: dynamic)
    return [size if size is not None else dynamic[i] for i, size in enumerate(tensor.shape.as_list())] or [1]


def _wanted(tensor, symbols, prefix):
    if not hasattr(symbols, "__iter__") and not hasattr(symbols, "__getitem__"):
        raise ValueError("%sTensor %s.  Specified shape must be an iterable.  An iterable has the attribute `__iter__` or "
                         "`__getitem__`.  Received specified shape: %s" % (prefix, _label(tensor), symbols))
    symbols = tuple(symbols)
    for i, symbol in enumerate(symbols):
        if i and symbol in (Ellipsis, "*"):
            raise ValueError("%sTensor %s specified shape index %d.  Symbol `...` or `*` for a variable number of unspecified "
                             "dimensions is only allowed as the first entry" % (prefix, _label(tensor), i))
    inner = bool(symbols) and symbols[0] in (Ellipsis, "*")
    return _Wanted(tensor, inner, _sizes(tensor), (symbols[1:] if inner else symbols) or (1,))


def _check_rank(row, **options):
    rank = len(row.symbols)
    if row.inner:
        return [tf.debugging.assert_rank_at_least(row.tensor, rank, **options)] if rank > 1 else []
    if rank > 1:
        return [tf.debugging.assert_rank(row.tensor, rank, **options)]
    return [tf.debugging.assert_rank_in(row.tensor, [0, 1], **options)]


def _check_size(row, dimension, actual, size, reason, prefix, data, summarize):
    """[an operation that fails unless actual == size], or nothing if both are known and equal."""
    if _number(actual) is not None and _number(size) is not None:
        if int(actual) != int(size):
            raise ValueError("%s%s.  Tensor %s dimension %s must have size %d.  Received size %d, shape %s" % (
                prefix, reason, _label(row.tensor), dimension, size, actual, row.tensor.shape))
        return []
    equal = tf.equal(convert_to_tensor(actual), convert_to_tensor(size))
    if data is None:
        data = [prefix, reason, "Tensor %s dimension" % _label(row.tensor), dimension, "must have size", size,
                "Received shape: ", tf.shape(row.tensor)]
    return [Assert(equal, data, summarize)]


@export("debugging.assert_shapes")
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """An operation that fails unless tensors have their shapes; ValueError if that is known. |shapes|: a dictionary or pairs
    of a tensor and its dimensions, each a size, a symbol that stands for the same size everywhere, None or "." for any size;
    ... or "*" first for any dimensions before the others."""
    prefix = prefix_of(message)
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    with name_scope(name, "assert_shapes", [data]):
        pairs = [(x if isinstance(x, SparseTensor) else convert_to_tensor(x), symbols) for x, symbols in pairs
                 if symbols is not None]
        rows = [_wanted(tensor, symbols, prefix) for tensor, symbols in pairs]
        ranks = [check for row in rows
                 for check in _check_rank(row, data=data, summarize=summarize, message=message, name=name)]
        checks, known = [], {}  # symbol -> (size, why)
        for row in rows:
            for i, symbol in enumerate(row.symbols):
                if symbol in (None, "."):
                    continue
                dimension = i - len(row.symbols) if row.inner else i
                with control_dependencies(ranks):
                    actual = row.sizes[dimension]
                number = _number(symbol)
                if number is None and symbol not in known:
                    known[symbol] = actual, "Specified by tensor %s dimension %d" % (_label(row.tensor), dimension)
                    continue
                size, reason = known[symbol] if number is None else (number, "Specified explicitly")
                checks += _check_size(row, dimension, actual, size, reason, prefix, data, summarize)
    with control_dependencies(ranks):
        return tf.group(*checks)
