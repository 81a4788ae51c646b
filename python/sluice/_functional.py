"""tf.map_fn, tf.scan, tf.foldl and tf.foldr: loops over the rows of tensors."""
import contextlib

from sluice import _nest
from sluice._api import export
from sluice._array import shape_of
from sluice._convert import constant, convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import name_scope
from sluice._shape import Dimension, TensorShape
from sluice._tensor_array import TensorArray
from sluice._variable_scope import get_variable_scope
from sluice._while import while_loop


@contextlib.contextmanager
def _cached_variables():
    """Lets variables that the function makes be read once, not in each iteration."""
    scope = get_variable_scope()
    if scope.caching_device is not None:
        yield
        return
    scope._caching_device = lambda op: op.device
    try:
        yield
    finally:
        scope._caching_device = None


def _check_callable(fn):
    if not callable(fn):
        raise TypeError("%s is not callable. Please provide a callable function." % (fn,))


def _rows(tensors):
    """How many rows all of |tensors| have, as far as it is known."""
    found = Dimension(None)
    for tensor in tensors:
        if tensor.shape.ndims == 0:
            raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
        found = found.merge_with(tensor.shape[0] if tensor.shape.ndims is not None else None)
    return found


def _stacked(arrays, rows):
    results = [array.stack() for array in arrays]
    for result in results:
        result.set_shape(TensorShape([rows]).concatenate(result.shape[1:]))
    return results


@export("map_fn")
def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
           fn_output_signature=None):
    """fn(row) for each row of |elems|, as one tensor or structure of tensors."""
    signature = dtype if fn_output_signature is None else fn_output_signature
    _check_callable(fn)
    flat = _nest.flatten(elems)
    if not flat:
        raise ValueError("elems must be a Tensor or (possibly nested) sequence of Tensors. Got %s, which does not contain "
                         "any Tensors." % (elems,))
    with name_scope(name, "map", flat), _cached_variables():
        flat = [convert_to_tensor(t, name="elem") for t in flat]
        rows = _rows(flat)
        n = rows.value or shape_of(flat[0])[0]
        arrays = [TensorArray(t.dtype, size=n, dynamic_size=False, infer_shape=True) for t in flat]
        arrays = [array.unstack(t) for array, t in zip(arrays, flat)]
        i = constant(0)
        types = [t.dtype for t in flat] if signature is None else [as_dtype(t) for t in _nest.flatten(signature)]
        made = [TensorArray(t, size=n, dynamic_size=False, infer_shape=infer_shape) for t in types]

        def compute(i, made):
            value = fn(_nest.pack_sequence_as(elems, [array.read(i) for array in arrays]))
            _nest.assert_same_structure(elems if signature is None else signature, value)
            made = [array.write(i, v) for array, v in zip(made, _nest.flatten(value))]
            return i + 1, made

        _, made = while_loop(lambda i, _: i < n, compute, (i, made), parallel_iterations=parallel_iterations or 10,
                             back_prop=back_prop, swap_memory=swap_memory, maximum_iterations=n)
        return _nest.pack_sequence_as(elems if signature is None else signature, _stacked(made, rows))


@export("scan")
def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True,
         reverse=False, name=None):
    """All a = fn(a, row), for the rows of |elems| one after the other. The first a is |initializer| or the first row."""
    _check_callable(fn)
    flat = _nest.flatten(elems)
    form = elems if initializer is None else initializer
    with name_scope(name, "scan", flat), _cached_variables():
        flat = [convert_to_tensor(t, name="elem") for t in flat]
        rows = _rows(flat)
        n = flat[0].shape.as_list()[0] if flat[0].shape.ndims is not None else None
        n = shape_of(flat[0])[0] if n is None else n
        arrays = [TensorArray(t.dtype, size=n, dynamic_size=False, element_shape=t.shape[1:], infer_shape=True)
                  for t in flat]
        arrays = [array.unstack(t) for array, t in zip(arrays, flat)]
        if initializer is None:
            first, done = [array.read(n - 1 if reverse else 0) for array in arrays], 1
        else:
            first, done = [convert_to_tensor(v) for v in _nest.flatten(initializer)], 0
        made = [TensorArray(a.dtype, size=n, element_shape=a.shape if infer_shape else None, dynamic_size=False,
                            infer_shape=infer_shape) for a in first]
        if initializer is None:
            made = [array.write(n - 1 if reverse else 0, a) for array, a in zip(made, first)]

        def compute(i, a, made):
            row = _nest.pack_sequence_as(elems, [array.read(i) for array in arrays])
            value = fn(_nest.pack_sequence_as(form, a), row)
            _nest.assert_same_structure(form, value)
            value = _nest.flatten(value)
            made = [array.write(i, v) for array, v in zip(made, value)]
            return i - 1 if reverse else i + 1, value, made

        start = n - 1 - done if reverse else done
        condition = (lambda i, _, __: i >= 0) if reverse else (lambda i, _, __: i < n)
        _, _, made = while_loop(condition, compute, (start, first, made), parallel_iterations=parallel_iterations,
                                back_prop=back_prop, swap_memory=swap_memory, maximum_iterations=n)
        return _nest.pack_sequence_as(form, _stacked(made, rows))


def _fold(label, from_end):
    def fold(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
        _check_callable(fn)
        with name_scope(name, label, _nest.flatten(elems)), _cached_variables():
            first = [convert_to_tensor(t, name="elem") for t in _nest.flatten(elems)][0]
            n = (first.shape.as_list()[0] if first.shape.ndims is not None else None) or shape_of(first)[0]
            arrays = _nest.map_structure(
                lambda t: TensorArray(t.dtype, size=n, dynamic_size=False, infer_shape=True).unstack(t), elems)

            def row(i):
                return _nest.map_structure(lambda array: array.read(i), arrays)
            if from_end:
                i = n - 1 if initializer is None else n
                a = row(i) if initializer is None else initializer
            else:
                a = row(0) if initializer is None else initializer
                i = constant(1 if initializer is None else 0)

            def compute(i, a):
                if from_end:
                    i -= 1
                a = fn(a, row(i))
                return [i if from_end else i + 1, a]
            condition = (lambda i, _: i > 0) if from_end else (lambda i, _: i < n)
            return while_loop(condition, compute, [i, a], parallel_iterations=parallel_iterations, back_prop=back_prop,
                              swap_memory=swap_memory, maximum_iterations=n)[1]
    fold.__name__ = fold.__qualname__ = label
    fold.__doc__ = "The last a = fn(a, row), for the rows of |elems| from the %s." % ("last" if from_end else "first")
    return export(label)(fold)


foldl, foldr = _fold("foldl", False), _fold("foldr", True)
