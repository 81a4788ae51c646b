"""tf.py_func, tf.numpy_function and tf.py_function: nodes that call functions of the program.

A node holds a token. The library calls the function of the token while a step runs, on one of its threads. The functions
live as long as the graphs that use them. They can be called only by sessions of this process.
"""
import itertools
import traceback
import weakref

import numpy as np

from sluice import _errors, _extension
from sluice._api import export
from sluice._convert import from_triple, to_triple
from sluice._dtypes import as_dtype, string
from sluice._graph import Tensor, get_default_graph
from sluice._oplib import apply_op

_numbers = itertools.count()
_functions = weakref.WeakValueDictionary()  # token -> _Function
# What an exception of a function is in the step's error.
_CODES = ((StopIteration, _errors.OUT_OF_RANGE), (MemoryError, _errors.RESOURCE_EXHAUSTED),
          (NotImplementedError, _errors.UNIMPLEMENTED), (KeyboardInterrupt, _errors.CANCELLED),
          ((TypeError, ValueError), _errors.INVALID_ARGUMENT))


class _Function:
    def __init__(self, call, types, wants_values):
        self.call, self.types, self.wants_values = call, types, wants_values


class Value(np.ndarray):
    """An argument of tf.py_function: an array that also has the methods of an eager tensor."""

    def numpy(self):
        return self.view(np.ndarray)[()]

    def get_shape(self):
        from sluice._shape import TensorShape
        return TensorShape(self.shape)


def _argument(triple, as_value):
    value = from_triple(triple)
    if isinstance(value, np.ndarray) and not value.flags.writeable:
        value = value.copy()  # the function may change it; others read the tensor
    return np.asarray(value).view(Value) if as_value else value


def _result(value, dtype):
    if isinstance(value, Tensor):
        raise TypeError("a function of the program must return arrays, not tensors of a graph: %s" % value)
    if dtype == string:
        return to_triple(np.asarray(value, dtype=object), dtype)
    array = np.asarray(value, order="C")
    if array.dtype.kind in "SUO":
        return to_triple(array.astype(object), string)
    return to_triple(array, as_dtype(array.dtype))


def _call(token, triples):
    """Calls the function of |token|. Returns triples, or (code, message) of an error."""
    try:
        function = _functions.get(token)
        if function is None:
            raise ValueError("Could not find callback with key=%s in the registry." % token)
        values = function.call(*[_argument(t, function.wants_values) for t in triples])
        if values is None and not function.types:
            values = []
        if not isinstance(values, (tuple, list)) or (len(function.types) == 1 and len(values) != 1):
            values = [values]
        if function.wants_values:  # as tf.py_function, which converts
            return [to_triple(np.asarray(v, t.as_numpy_dtype if t != string else object), t)
                    for v, t in zip(values, function.types)]
        types = function.types + [None] * (len(values) - len(function.types))
        return [_result(v, t) for v, t in zip(values, types)]
    except BaseException as error:  # noqa: B036  (the step must end)
        code = next((code for kinds, code in _CODES if isinstance(error, kinds)), _errors.UNKNOWN)
        lines = traceback.format_exception(type(error), error, error.__traceback__)
        return code, "%s: %s\n%s" % (type(error).__name__, error, "\n".join(lines))


_extension.set_host_function(_call)


def _build(kind, func, inp, types, name, wants_values=False):
    if not callable(func):
        raise ValueError("Expected func to be callable. Received func=%s of type %s." % (func, type(func)))
    is_list = isinstance(types, (list, tuple))
    types = [as_dtype(t) for t in (types if is_list else [types])]
    token = "pyfunc_%d" % next(_numbers)
    function = _functions[token] = _Function(func, types, wants_values)
    get_default_graph()._py_functions.append(function)
    inp = list(inp) if isinstance(inp, (list, tuple)) else [inp]
    op = apply_op(kind, name, input=inp, token=token, Tout=types)
    if not types:
        return op
    return op.outputs if is_list else op.outputs[0]


@export("py_func")
def py_func(func, inp, Tout, stateful=True, name=None):
    """A node that calls func(*inp) with arrays; it returns arrays of the types |Tout|."""
    return _build("PyFunc" if stateful else "PyFuncStateless", func, inp, Tout, name)


@export("numpy_function")
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    return py_func(func, inp, Tout, stateful, name)


@export("py_function", "contrib.eager.py_func")
def py_function(func=None, inp=None, Tout=None, name=None):
    """As tf.py_func, but the arguments have the method numpy(). There are no other eager tensors, and no gradient."""
    return _build("EagerPyFunc", func, inp, Tout, name, wants_values=True)
