"""Builds operations from Python arguments, by the op's definition in the library.

apply("MatMul", a=x, b=y, transpose_a=True, name=None) converts the inputs, infers the attributes that follow from them,
adds the node, and returns its outputs: nothing (the operation), one tensor, a list, or a named tuple.
"""
import collections
import contextlib

from sluice import _extension
from sluice._convert import convert_list, convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, graph_of
from sluice._message import message
from sluice._shape import TensorShape

# Arguments whose names in Python differ from those of the op.
_REDUCTION = {"axis": "reduction_indices"}
RENAMED = {
    "All": _REDUCTION, "Any": _REDUCTION, "EuclideanNorm": _REDUCTION, "Max": _REDUCTION, "Mean": _REDUCTION,
    "Min": _REDUCTION, "Prod": _REDUCTION, "Sum": _REDUCTION, "ExpandDims": {"axis": "dim"}, "Where": {"condition": "input"},
    "Select": {"x": "t", "y": "e"}, "Split": {"axis": "split_dim"}, "SplitV": {"axis": "split_dim"},
    "Squeeze": {"axis": "squeeze_dims"},
}
_specs = {}


class _Arg:
    __slots__ = ("name", "type", "type_attr", "number_attr", "type_list_attr", "is_ref", "is_list")

    def __init__(self, proto):
        self.name, self.type, self.is_ref = proto.name, proto.type, proto.is_ref
        self.type_attr, self.number_attr, self.type_list_attr = proto.type_attr, proto.number_attr, proto.type_list_attr
        self.is_list = bool(proto.number_attr or proto.type_list_attr)


class _Attr:
    __slots__ = ("name", "type", "default", "has_default", "minimum", "allowed")

    def __init__(self, proto):
        self.name, self.type = proto.name, proto.type
        self.has_default = proto.HasField("default_value")
        self.default = proto.default_value if self.has_default else None
        self.minimum = proto.minimum if proto.has_minimum else None
        self.allowed = proto.allowed_values if proto.HasField("allowed_values") else None


class _Spec:
    """An op's definition, as building needs it."""

    def __init__(self, definition):
        self.name, self.definition = definition.name, definition
        self.inputs = [_Arg(a) for a in definition.input_arg]
        self.outputs = [_Arg(a) for a in definition.output_arg]
        self.attrs = {a.name: _Attr(a) for a in definition.attr}
        # Attributes that the inputs decide are not arguments.
        decided = set()
        for arg in self.inputs:
            decided.update(a for a in (arg.type_attr, arg.number_attr, arg.type_list_attr) if a)
        self.inferred = decided
        self.explicit = [a for a in self.attrs.values() if a.name not in decided]
        self.result = None
        if len(self.outputs) > 1:
            self.result = collections.namedtuple(self.name, [a.name for a in self.outputs])


def op_def(name):
    return spec(name).definition


def spec(name):
    found = _specs.get(name)
    if found is None:
        found = _specs[name] = _Spec(message("OpDef").FromString(_extension.op_def(name)))
    return found


def _type_error(spec_name, arg, value, expected, given):
    return TypeError("Input '%s' of '%s' Op has type %s that does not match %s." % (arg.name, spec_name, given, expected))


def apply(kind, name=None, **arguments):
    return outputs_of(apply_op(kind, name, **arguments))


def outputs_of(op):
    """What a function that built |op| returns."""
    wanted = spec(op.type)
    if not wanted.outputs:
        return op
    parts, at = [], 0
    for arg in wanted.outputs:
        if arg.is_list:
            count = op.get_attr(arg.number_attr) if arg.number_attr else len(op.get_attr(arg.type_list_attr))
            parts.append(op.outputs[at:at + count])
            at += count
        else:
            parts.append(op.outputs[at])
            at += 1
    return wanted.result(*parts) if wanted.result else parts[0]


def apply_op(kind, name=None, **arguments):
    """Adds a node of op |kind|; returns the operation."""
    wanted = spec(kind)
    flat = [v for value in arguments.values() for v in (value if isinstance(value, (list, tuple)) else [value])]
    graph = graph_of(flat)
    with graph.as_default(), graph.name_scope(name or kind) as scope:
        attrs = {}
        inputs = [_convert_input(wanted, arg, arguments, attrs) for arg in wanted.inputs]
        if graph.building_function:
            inputs = graph.captured(inputs)
        attributes = [_attribute(wanted, attr, arguments, attrs) for attr in wanted.attrs.values()]
        if arguments:
            raise TypeError("%s() got an unexpected keyword argument '%s'" % (kind, next(iter(arguments))))
        with contextlib.ExitStack() as stack:
            for arg, tensor in zip(wanted.inputs, inputs):  # an op that changes a variable runs where the variable is
                if arg.is_ref:
                    for one in tensor if arg.is_list else [tensor]:
                        stack.enter_context(graph.colocate_with(one))
            return graph._add(kind, scope[:-1], inputs, [a for a in attributes if a is not None])


def _convert_input(wanted, arg, arguments, attrs):
    if arg.name not in arguments:
        # Names that are Python's own words are written with an underscore.
        if arg.name + "_" in arguments:
            arguments[arg.name] = arguments.pop(arg.name + "_")
        else:
            raise TypeError("%s() missing required argument '%s'" % (wanted.name, arg.name))
    value = arguments.pop(arg.name)
    if arg.is_list:
        return _convert_input_list(wanted, arg, value, attrs)
    dtype = default = None
    if arg.type:
        dtype = as_dtype(arg.type)
    elif arg.type_attr in attrs:
        dtype = attrs[arg.type_attr]
    elif wanted.attrs[arg.type_attr].has_default:
        default = as_dtype(wanted.attrs[arg.type_attr].default.type)
    try:
        tensor = convert_to_tensor(value, dtype=dtype, name=arg.name, as_ref=arg.is_ref, preferred_dtype=default)
    except (TypeError, ValueError) as error:
        is_tensor = isinstance(value, Tensor) or hasattr(value, "_as_graph_element")
        if dtype is None or (isinstance(error, ValueError) and not is_tensor):
            raise
        given = value.dtype.base_dtype.name if is_tensor else type(value).__name__
        if is_tensor:
            where = "type %s of argument '%s'" % (dtype.name, _first_of(wanted, arg)) if not arg.type else \
                "expected type of %s" % dtype.name
            raise _type_error(wanted.name, arg, value, where, given) from None
        raise TypeError("Expected %s passed to parameter '%s' of op '%s', got %r of type '%s' instead. Error: %s" %
                        (dtype.name, arg.name, wanted.name, value, given, error)) from None
    if arg.type_attr:
        base = tensor.dtype.base_dtype
        if arg.type_attr not in attrs:
            _check_allowed(wanted, wanted.attrs[arg.type_attr], base, arg)
        attrs.setdefault(arg.type_attr, base)
    return tensor


def _first_of(wanted, arg):
    return next(a.name for a in wanted.inputs if a.type_attr == arg.type_attr)


def _check_allowed(wanted, attr, dtype, arg):
    if attr.allowed is None:
        return
    allowed = [as_dtype(t) for t in attr.allowed.list.type]
    if dtype not in allowed:
        raise TypeError("Value passed to parameter '%s' has DataType %s not in list of allowed values: %s" %
                        (arg.name, dtype.name, ", ".join(d.name for d in allowed)))


def _convert_input_list(wanted, arg, value, attrs):
    if not isinstance(value, (list, tuple)):
        raise TypeError("Expected list for '%s' argument to '%s' Op, not %s." % (arg.name, wanted.name, value))
    if arg.type_list_attr:
        types = attrs.get(arg.type_list_attr)
        tensors = [convert_to_tensor(v, dtype=t, name="%s_%d" % (arg.name, i))
                   for i, (v, t) in enumerate(zip(value, types or [None] * len(value)))]
        attrs.setdefault(arg.type_list_attr, [t.dtype.base_dtype for t in tensors])
        return tensors
    dtype = as_dtype(arg.type) if arg.type else attrs.get(arg.type_attr)
    tensors = convert_list(value, dtype=dtype, name=arg.name, as_ref=arg.is_ref)
    types = {t.dtype.base_dtype for t in tensors}
    if len(types) > 1:
        raise TypeError("Tensors in list passed to '%s' of '%s' Op have types [%s] that don't all match." %
                        (arg.name, wanted.name, ", ".join(t.dtype.name for t in tensors)))
    count = attrs.setdefault(arg.number_attr, len(tensors))
    if count != len(tensors):
        raise ValueError("List argument '%s' to '%s' Op with length %d must match length %d of argument '%s'." %
                         (arg.name, wanted.name, len(tensors), count,
                          next(a.name for a in wanted.inputs if a.number_attr == arg.number_attr)))
    minimum = wanted.attrs[arg.number_attr].minimum
    if minimum is not None and len(tensors) < minimum:
        raise ValueError("List argument '%s' to '%s' Op with length %d shorter than minimum length %d." %
                         (arg.name, wanted.name, len(tensors), minimum))
    if arg.type_attr and tensors:
        _check_allowed(wanted, wanted.attrs[arg.type_attr], tensors[0].dtype.base_dtype, arg)
        attrs.setdefault(arg.type_attr, tensors[0].dtype.base_dtype)
    return tensors


def _attribute(wanted, attr, arguments, attrs):
    """(name, kind, value) for the extension; None: the library's default."""
    if attr.name in attrs:
        value = attrs[attr.name]
    elif attr.name in wanted.inferred:
        if not attr.has_default:
            raise TypeError("%s() cannot infer the attribute '%s'" % (wanted.name, attr.name))
        return None
    else:
        key = attr.name if attr.name in arguments else attr.name + "_"
        value = arguments.pop(key, None)
        if value is None:
            if not attr.has_default:
                raise TypeError("%s() missing required argument '%s'" % (wanted.name, attr.name))
            return None
    return encode_attribute(attr.name, attr.type, value, wanted, attr)


def _one(name, kind, value):
    """|value| as an attribute of |kind| holds it."""
    if kind == "type":
        return int(as_dtype(value).base_dtype)
    if kind == "string":
        return value.encode() if isinstance(value, str) else bytes(value)
    if kind == "int":
        if not hasattr(value, "__index__") and not hasattr(value, "__int__") or isinstance(value, str):
            raise TypeError("Expected int for argument '%s' not %r." % (name, value))
        return int(value)
    if kind == "float":
        if isinstance(value, str) or not hasattr(value, "__float__"):
            raise TypeError("Expected float for argument '%s' not %r." % (name, value))
        return float(value)
    if not isinstance(value, (bool,)) and not (hasattr(value, "dtype") and value.dtype == bool):
        raise TypeError("Expected bool for argument '%s' not %r." % (name, value))
    return bool(value)


_KINDS = {"string": "s", "int": "i", "float": "f", "bool": "b", "type": "t"}


def _function_value(proto, value):
    """|value|: a function, or its name."""
    proto.name = value.name if hasattr(value, "name") else value
    for key, attribute in getattr(value, "attributes", {}).items():
        proto.attr[key].CopyFrom(attribute)


def encode_attribute(name, kind, value, wanted=None, attr=None):
    if kind in _KINDS:
        made = _one(name, kind, value)
        if attr is not None and attr.allowed is not None and kind == "string" and made not in attr.allowed.list.s:
            raise ValueError("Value for attr '%s' of \"%s\" is not in the list of allowed values: %s" %
                             (name, made.decode(), ", ".join('"%s"' % s.decode() for s in attr.allowed.list.s)))
        if attr is not None and attr.minimum is not None and kind == "int" and made < attr.minimum:
            raise ValueError("Attr '%s' of '%s' Op passed %d less than minimum %d." % (name, wanted.name, made, attr.minimum))
        return name, _KINDS[kind], made
    if kind.startswith("list(") and kind[5:-1] in _KINDS:
        if not isinstance(value, (list, tuple)):
            raise TypeError("Expected list for attr %s, got %s instead." % (name, type(value).__name__))
        return name, _KINDS[kind[5:-1]].upper(), [_one(name, kind[5:-1], v) for v in value]
    if kind == "tensor" and isinstance(value, tuple):
        return name, "x", value
    proto = message("AttrValue")()
    if kind == "shape":
        proto.shape.CopyFrom(TensorShape(value).as_proto())
        proto.shape._touch()
    elif kind == "list(shape)":
        proto.list.shape.extend([TensorShape(v).as_proto() for v in value])
        proto.list._touch()
    elif kind == "tensor":
        proto.tensor.CopyFrom(value)
    elif kind == "func":
        _function_value(proto.func, value)
    elif kind == "list(func)":
        for v in value:
            _function_value(proto.list.func.add(), v)
    else:
        raise TypeError("attribute %s has the kind %s, which has no Python value" % (name, kind))
    return name, "p", proto.SerializeToString()
