"""tf.gradients: the nodes are the library's, except those of gradient functions that the program has registered."""
from sluice import _custom_gradients, _errors, _extension, _nest
from sluice._api import export
from sluice._convert import convert_to_tensor, register_tensor_conversion_function
from sluice._graph import get_default_graph
from sluice._oplib import apply
from sluice._variables import Variable


@export("AggregationMethod")
class AggregationMethod:
    """How the gradients of several paths are summed."""
    ADD_N, EXPERIMENTAL_TREE, EXPERIMENTAL_ACCUMULATE_N = 0, 1, 2
    DEFAULT = ADD_N


@export("UnconnectedGradients")
class UnconnectedGradients:
    NONE, ZERO = "none", "zero"


@export("IndexedSlices")
class IndexedSlices:
    """Rows |values| at |indices| of a tensor of |dense_shape|."""

    def __init__(self, values, indices, dense_shape=None):
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    values = property(lambda self: self._values)
    indices = property(lambda self: self._indices)
    dense_shape = property(lambda self: self._dense_shape)
    dtype = property(lambda self: self._values.dtype)
    name = property(lambda self: self._values.name)
    op = property(lambda self: self._values.op)
    graph = property(lambda self: self._values.graph)
    device = property(lambda self: self._values.device)

    @property
    def shape(self):
        from sluice._shape import TensorShape
        return TensorShape(None)

    def __repr__(self):
        return "IndexedSlices(indices=%s, values=%s)" % (self._indices, self._values)


def _dense(value, dtype=None, name=None, as_ref=False):
    if value.dense_shape is None:
        raise ValueError("Tensor conversion requested for IndexedSlices without dense_shape: %s" % value)
    return apply("UnsortedSegmentSum", name, data=value.values, segment_ids=value.indices,
                 num_segments=convert_to_tensor(value.dense_shape)[0])


def _parts(slices):
    return [part for part in (slices.values, slices.indices, slices.dense_shape) if part is not None]


register_tensor_conversion_function(IndexedSlices, _dense)
_nest.register_composite(IndexedSlices, _parts, lambda slices, parts: IndexedSlices(*parts))


def _list(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


@export("gradients")
def gradients(ys, xs, grad_ys=None, name="gradients", colocate_gradients_with_ops=False, gate_gradients=False,
              aggregation_method=None, stop_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
    """The gradients of the sum of |ys| by each of |xs|: a tensor, IndexedSlices, or None if it does not depend on it."""
    if unconnected_gradients not in (UnconnectedGradients.NONE, UnconnectedGradients.ZERO):
        raise ValueError("Unknown value for unconnected_gradients: '%s'" % unconnected_gradients)
    ys = [convert_to_tensor(y, name="y") for y in _list(ys)]
    graph = ys[0].graph if ys else get_default_graph()
    sources = [x._ref() if isinstance(x, Variable) else convert_to_tensor(x) for x in _list(xs)]
    stops = [s._ref() if isinstance(s, Variable) else convert_to_tensor(s) for s in _list(stop_gradients or [])]
    for y in ys:
        if not (y.dtype.is_floating or y.dtype.is_complex or y.dtype.name in ("resource", "variant")):
            raise TypeError("y tensor must be floating point or complex, but the dtype of %s is %s" % (y.name, y.dtype.name))
    given = None if grad_ys is None else _list(grad_ys)
    if given is not None and len(given) != len(ys):
        raise ValueError("Length mismatch. Passed %d grad_ys for %d ys" % (len(given), len(ys)))

    def differentiate(ys, dys, xs, stops):
        return _library(graph, name, ys, dys, xs, stops, aggregation_method, colocate_gradients_with_ops)
    with graph.as_default():
        incoming = None
        if given is not None and any(g is not None for g in given):
            incoming = [_ones(y) if g is None else convert_to_tensor(g, dtype=y.dtype.base_dtype)
                        for y, g in zip(ys, given)]
        own = _custom_gradients.between(graph, sources, ys)
        if own:
            incoming = [_ones(y) for y in ys] if incoming is None else incoming
            found = _custom_gradients.differentiate(graph, name, own, ys, incoming, sources, stops, differentiate)
        else:
            found = differentiate(ys, incoming, sources, stops)
        if unconnected_gradients == UnconnectedGradients.ZERO:
            found = [apply("ZerosLike", None, x=x) if g is None else g for g, x in zip(found, sources)]
        return found


def _ones(y):
    return apply("OnesLike", None, x=y)


def _library(graph, name, ys, dys, xs, stops, aggregation_method, colocate):
    """The gradients that the library adds."""
    graph._discover()
    try:
        rows = _extension.gradients(
            graph._number, graph.unique_name(name), [y._pair for y in ys], [x._pair for x in xs],
            None if dys is None else [g._pair for g in dys], [s._pair for s in stops],
            aggregation_method or AggregationMethod.DEFAULT, bool(colocate))
    except _errors.InvalidArgumentError as error:
        if error.message.startswith("No gradient defined"):
            raise LookupError(error.message) from None
        raise
    context = graph._control_flow_context
    for op in graph._discover():
        graph._place(op)
        if context is not None:
            context.adopt(op)
        for scope in graph._control_scopes:
            scope.seen.add(op._number)
    return [_result(graph, row) for row in rows]


def _result(graph, row):
    values, indices, dense_shape = (None if part is None else graph._tensor(part) for part in row)
    return values if indices is None else IndexedSlices(values, indices, dense_shape)


@export("stop_gradient")
def stop_gradient(input, name=None):  # noqa: A002
    return apply("StopGradient", name, input=input)


@export("hessians")
def hessians(ys, xs, name="hessians", colocate_gradients_with_ops=False, gate_gradients=False, aggregation_method=None):
    """The second derivatives of the sum of |ys|, by each of |xs| alone: tensors of the shape x.shape + x.shape."""
    from sluice._array import concat, shape_of
    from sluice._convert import constant
    from sluice._dtypes import int32
    from sluice._tensor_array import TensorArray
    from sluice._while import while_loop
    xs, made = _list(xs), []
    for gradient, x in zip(gradients(ys, xs, aggregation_method=aggregation_method), xs):
        gradient = apply("Reshape", None, tensor=gradient, shape=[-1])
        known = convert_to_tensor(x).shape
        size = constant(known.num_elements(), dtype=int32, name="Size") if known.is_fully_defined() else \
            apply("Size", None, input=x)
        rows = TensorArray(x.dtype.base_dtype, size)
        _, rows = while_loop(lambda j, _: j < size,
                             lambda j, rows: (j + 1, rows.write(j, gradients(gradient[j], x)[0])),
                             [constant(0, int32), rows])
        shape = shape_of(x)
        made.append(apply("Reshape", None, tensor=rows.stack(), shape=concat((shape, shape), 0)))
    return made
