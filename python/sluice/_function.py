"""Functions of a graph, made by tracing Python functions: the bodies of dataset transformations.

A body is built in a graph of its own. What it uses from outside becomes further arguments, which whoever calls the function
passes: Function.captures.
"""
import itertools
import re

from sluice import _extension
from sluice._convert import convert_to_tensor
from sluice._graph import Graph, get_default_graph
from sluice._message import message
from sluice._oplib import apply, spec
from sluice._shape import TensorShape

_numbers = itertools.count()
# Stateful ops that a body may leave out if no result needs them.
_NEVER_ALONE = re.compile(r"^(Placeholder|Random|TruncatedNormal|ParameterizedTruncatedNormal|Multinomial|StatelessRandom)")


def true_attribute():
    return message("AttrValue")(b=True)


class FunctionGraph(Graph):
    """The graph of a function's body."""
    building_function = True

    def __init__(self, outer):
        super().__init__()
        self.outer_graph, self._captures = outer, {}  # outer tensor -> (outer tensor, argument)
        self.seed = outer.seed

    def argument(self, name, dtype, shape):
        shape = TensorShape(shape)
        return self._add("Placeholder", self.unique_name(name), [], [
            ("dtype", "t", int(dtype.base_dtype)), ("shape", "p", _shape_attribute(shape))]).outputs[0]

    def capture(self, tensor):
        """The argument that stands for |tensor|, if that is from outside."""
        if tensor.graph is self:
            return tensor
        found = self._captures.get(tensor)
        if found is None:
            if self.outer_graph is not tensor.graph and not self.outer_graph.building_function:
                raise ValueError("%s is not an element of the graph that the function is built for" % tensor)
            with self.control_dependencies(None):
                made = self.argument(tensor.op.name, tensor.dtype, tensor.shape)
            found = self._captures[tensor] = tensor, made
        return found[1]

    def captured(self, inputs):
        return [[self.capture(t) for t in item] if isinstance(item, list) else self.capture(item) for item in inputs]

    def _add(self, kind, name, inputs, attributes, control_inputs=(), device=None):
        return super()._add(kind, name, self.captured(inputs), attributes,
                            [op for op in control_inputs if op.graph is self], device)

    def control_dependencies(self, control_inputs):
        if control_inputs is not None:
            control_inputs = [c for c in control_inputs if getattr(c, "graph", self) is self]
        return super().control_dependencies(control_inputs)


def _shape_attribute(shape):
    value = message("AttrValue")()
    value.shape.CopyFrom(shape.as_proto())
    value.shape._touch()
    return value.SerializeToString()


class Function:
    """A function that a graph can hold: its name, its captures, the attributes of references to it."""

    def __init__(self, number, name, captures=(), attributes=None):
        self._number, self.name, self.captures, self.attributes = number, name, list(captures), attributes or {}

    def __del__(self):
        number, self._number = getattr(self, "_number", None), None
        if number and _extension is not None:
            _extension.delete_function(number)

    def function_def(self):
        return message("FunctionDef").FromString(_extension.function_def(self._number))


def clean(name):
    return re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")


def name_of(callable_):
    """A name for a function made of |callable_|."""
    inner = getattr(callable_, "func", callable_)
    return clean(getattr(inner, "__name__", type(inner).__name__))


def trace(body, arguments, name, attributes=None):
    """A Function of body(*tensors) -> list of values; |arguments|: (type, shape) of each tensor."""
    outer = get_default_graph()
    graph = FunctionGraph(outer)
    with graph.as_default():
        tensors = [graph.argument("args_%d" % i, dtype, shape) for i, (dtype, shape) in enumerate(arguments)]
        results = [convert_to_tensor(value) for value in body(*tensors)]
        results = [apply("Identity", None, input=value) for value in results]
    captures = list(graph._captures.values())
    label = "__inference_%s_%d" % (clean(name), next(_numbers))
    stateful = [op for op in graph.get_operations() if spec(op.type).definition.is_stateful
                and not _NEVER_ALONE.match(op.type)]
    number = _extension.graph_to_function(
        graph._number, label, None, [t._pair for t in tensors] + [inner._pair for _, inner in captures],
        [t._pair for t in results], None, [op._number for op in stateful], "")
    made = Function(number, label, [outside for outside, _ in captures], attributes)
    for key, value in made.attributes.items():
        _extension.set_function_attribute(number, key, value.SerializeToString())
    outer._py_functions += graph._py_functions  # they live as long as the graph that runs them
    for inner in graph._functions.values():
        outer._add_function(inner)
    outer._add_function(made)
    return made


def copy_of(tensor, name, description):
    """A Function without arguments that builds |tensor| again, with all that it is made of."""
    graph, found, todo = tensor.graph, {}, [tensor.op]
    while todo:
        op = todo.pop()
        if op.name in found:
            continue
        if op.type in ("Placeholder", "PlaceholderV2"):
            raise ValueError("Cannot capture a placeholder (name:%s, type:%s) by value." % (op.name, op.type))
        if op.outputs and any(t.dtype._is_ref_dtype or t.dtype.name == "resource" for t in op.outputs):
            raise ValueError("Cannot capture a stateful node (name:%s, type:%s) by value." % (op.name, op.type))
        found[op.name] = op
        todo += [t.op for t in op.inputs] + list(op.control_inputs)
    ops = [op for op in graph.get_operations() if op.name in found]
    number = _extension.graph_to_function(graph._number, name, [op._number for op in ops], [], [tensor._pair], None, [],
                                          description)
    made = Function(number, name)
    graph._add_function(made)
    return made


def unique(name):
    return "%s_%d" % (name, next(_numbers))
