"""Gradient functions of the program: tf.RegisterGradient, tf.custom_gradient, gradient_override_map.

The library knows the gradients of all its ops, but cannot call Python. Where an operation has a gradient function in
Python, tf.gradients stops there, calls the function, and goes on from the operation's inputs with what it returned.
"""
import functools
import inspect
import itertools

from sluice import _extension, _nest
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import get_default_graph
from sluice._oplib import apply

_functions = {}  # type of op, or the name of gradient_override_map -> function; None: not differentiable
_numbers = itertools.count()


@export("RegisterGradient")
class RegisterGradient:
    """A decorator: f(op, *output gradients) gives the gradients of the inputs of operations of |op_type|."""

    def __init__(self, op_type):
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f):
        _register(self._op_type, f)
        return f


def _register(op_type, function):
    if op_type in _functions:
        raise KeyError("Registering two gradient with name '%s'!" % op_type)
    _functions[op_type] = function


@export("NotDifferentiable", "NoGradient", "no_gradient")
def not_differentiable(op_type):
    """Lets gradients end at operations of |op_type|."""
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    _register(op_type, None)


# --- The walk ---

def _function_of(op):
    """(whether |op| has a gradient function in Python, the function)"""
    name = op.graph._overridden.get(op._number, op.type)
    return name in _functions, _functions.get(name)


def between(graph, xs, ys):
    """The operations with gradient functions in Python on a path from |xs| to |ys|, the last first."""
    if not _functions:
        return []
    found = [op for op in list(graph._operations.values()) if _function_of(op)[0]]
    if not found:
        return []
    inputs = {}  # number of an operation that |ys| depend on -> those of its inputs
    left = [y.op._number for y in ys]
    while left:
        number = left.pop()
        if number not in inputs:
            inputs[number] = {pair[0] for pair in _extension.operation_info(number)[3]}
            left.extend(inputs[number])
    consumers = {}
    for number, sources in inputs.items():
        for source in sources:
            consumers.setdefault(source, []).append(number)
    reached, left = set(), [x.op._number for x in xs]
    while left:
        number = left.pop()
        if number not in reached:
            reached.add(number)
            left.extend(consumers.get(number, ()))
    found = [op for op in found if op._number in inputs and op._number in reached]
    return sorted(found, key=lambda op: -op._id)


def differentiate(graph, name, own, ys, dys, xs, stops, library):
    """The gradients of |ys| by |xs|, with the functions of |own|; library(ys, dys, xs, stops) knows the other ops."""
    own = _outside_of_loops(graph, own)
    stops = stops + [op.outputs[0] for op in own]
    stopped = {t.op for t in stops[:len(stops) - len(own)]}
    ys, dys = list(ys), list(dys)
    for op in own:
        function = _function_of(op)[1]
        if function is None or op in stopped:
            continue
        flowing = [t for t in op.outputs if t.dtype.is_floating or t.dtype.is_complex]
        found = dict(zip(flowing, library(ys, dys, flowing, stops)))
        if all(g is None for g in found.values()):
            continue
        with graph.name_scope(name), graph.name_scope(op.name + "_grad"):
            given = [_dense(found[t], t) if t in found else None for t in op.outputs]
            result = function(op, *given)
        for tensor, gradient in _pairs(op, result):
            ys.append(tensor)
            dys.append(gradient)
    return library(ys, dys, xs, stops)


def _dense(gradient, tensor):
    return apply("ZerosLike", None, x=tensor) if gradient is None else convert_to_tensor(gradient)


def _pairs(op, result):
    """(input, its gradient) for each gradient that a function returned."""
    result = list(result) if isinstance(result, (list, tuple)) else [result]
    inputs = op.inputs
    if len(result) != len(inputs):
        raise ValueError("Num gradients %d generated for op %s do not match num inputs %d" %
                         (len(result), op.node_def, len(inputs)))
    pairs = []
    for tensor, gradient in zip(inputs, result):
        if gradient is None or not (tensor.dtype.is_floating or tensor.dtype.is_complex):
            continue
        gradient = convert_to_tensor(gradient, dtype=tensor.dtype.base_dtype)
        if not gradient.shape.is_compatible_with(tensor.shape):
            raise ValueError("Incompatible shapes between op input and calculated input gradient. Forward operation: %s. "
                             "Original input shape: %s. Calculated input gradient shape: %s" %
                             (op.name, tensor.shape, gradient.shape))
        pairs.append((tensor, gradient))
    return pairs


# --- Loops ---

class _InFunction:
    """An operation as its gradient function sees it where that is traced: with arguments as inputs and outputs."""

    def __init__(self, op, inputs, outputs):
        self._op, self.inputs, self.outputs = op, inputs, outputs

    def __getattr__(self, name):
        return getattr(self._op, name)


def _outside_of_loops(graph, own):
    """Those of |own| that are in the loop in which gradients are built, or in none. The library builds the gradients of other
    loops: the gradient function of an operation inside becomes a function of the graph, which it calls."""
    context = graph._control_flow_context
    current = None if context is None else context.GetWhileContext()
    outside = []
    for op in own:
        loop = None if op._control_flow_context is None else op._control_flow_context.GetWhileContext()
        if loop is current or loop is None:
            outside.append(op)
        elif op not in graph._with_gradient_functions and _function_of(op)[1] is not None:
            graph._with_gradient_functions.add(op)
            _attach(graph, op)
    return outside


def _attach(graph, op):
    """Makes the gradient function of |op| a function of its graph."""
    from sluice._function import trace
    from sluice._message import message
    function, inputs, count = _function_of(op)[1], list(op.inputs), len(op.outputs)

    def body(*tensors):
        given = tensors[:len(inputs)]
        seen = _InFunction(op, list(given), list(tensors[len(inputs):len(inputs) + count]))
        result = function(seen, *tensors[len(inputs) + count:])
        found = {id(tensor): gradient for tensor, gradient in _pairs(seen, result)}
        return [found[id(t)] if id(t) in found else apply("ZerosLike", None, x=t) for t in given
                if t.dtype.is_floating or t.dtype.is_complex]
    types = [(t.dtype.base_dtype, t.shape) for t in inputs + 2 * list(op.outputs)]
    with graph.as_default():
        made = trace(body, types, "gradient_of_" + op.type)
    value = message("AttrValue")()
    value.func.name = made.name
    captures = message("AttrValue")()
    captures.list.s.extend([("%s:%d" % (t.op.name, t.value_index)).encode() for t in made.captures])
    captures.list._touch()
    op._set_attr("_gradient_captures", captures)
    op._set_attr("_gradient_function", value)


# --- tf.custom_gradient ---

@export("custom_gradient")
def custom_gradient(f=None):
    """Decorates f(*args) that returns (result, g), where g(*gradients of the result) gives the gradients of the args."""
    @functools.wraps(f)
    def decorated(*args, **kwargs):
        if kwargs:
            raise ValueError("The custom_gradient decorator currently supports keywords arguments only when eager execution "
                             "is enabled.")
        name = "CustomGradient-%d" % next(_numbers)
        args = _nest.map_structure(convert_to_tensor, args)
        result, gradient = f(*args)
        results, flat = _nest.flatten(result), _nest.flatten(args)
        results = [convert_to_tensor(t) for t in results]
        variables = _variables_used(results, flat)
        wants_variables = _takes_variables(gradient)
        if variables and not wants_variables:
            raise TypeError("@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
                            "variables: %s" % variables)

        def call(op, *gradients):
            given = gradients[:len(results)]
            if variables:
                of_args, of_variables = gradient(*given, variables=variables)
                if len(of_variables) != len(variables):
                    raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
            else:
                of_args, of_variables = gradient(*given), []
            of_args = _nest.flatten(of_args) if isinstance(of_args, (list, tuple)) else [of_args]
            return [None] * len(results) + of_args + list(of_variables)
        _register(name, call)
        with get_default_graph().gradient_override_map({"IdentityN": name}):
            made = apply("IdentityN", None, input=results + flat + [v.handle for v in variables])
        return _nest.pack_sequence_as(result, made[:len(results)])
    return decorated


def _takes_variables(function):
    parameters = inspect.signature(function).parameters.values()
    return any(p.name == "variables" or p.kind == inspect.Parameter.VAR_KEYWORD for p in parameters)


def _variables_used(results, args):
    """The resource variables that |results| depend on, not through |args|."""
    from sluice._graph import GraphKeys
    graph = get_default_graph()
    handles = {v.handle.op._number: v for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES) if hasattr(v, "handle")}
    if not handles:
        return []
    stop = {t.op._number for t in args}
    seen, left = set(), [t.op._number for t in results if t.op._number not in stop]
    while left:
        number = left.pop()
        if number not in seen and number not in stop:
            seen.add(number)
            left.extend(pair[0] for pair in _extension.operation_info(number)[3])
    return sorted((handles[n] for n in seen if n in handles), key=lambda v: v.name)


@export("grad_pass_through")
def grad_pass_through(f):
    """f, with the gradient of the identity."""
    @custom_gradient
    def call(*args, **kwargs):
        def gradient(*gradients, variables=None):
            return gradients if variables is None else (gradients, [None] * len(variables))
        return f(*args, **kwargs), gradient
    return call
