"""Variables, as tf.Variable: state that outlives a step. These are TensorFlow 1.x's reference variables."""
import numpy as np

from sluice import _oplib
from sluice._api import export, export_value
from sluice._convert import convert_to_tensor, register_tensor_conversion_function
from sluice._dtypes import as_dtype
from sluice._graph import GraphKeys, Tensor, add_to_collections, control_dependencies, get_collection, get_default_graph
from sluice._graph import name_scope
from sluice._math import OPERATORS
from sluice._message import message
from sluice._oplib import apply
from sluice._shape import TensorShape


@export("Variable")
class Variable:
    """A variable. Its value is a tensor wherever one is expected."""
    __array_priority__ = 100

    def __new__(cls, *args, **kwargs):
        if cls is Variable and _wants_resource(kwargs.get("use_resource")):
            from sluice._resource_variables import ResourceVariable
            return object.__new__(ResourceVariable)
        return object.__new__(cls)

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None,
                 name=None, variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None,
                 use_resource=None, synchronization=None, aggregation=None, shape=None):
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        self._trainable = trainable is not False
        self._constraint, self._slice = constraint, None
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections.append(GraphKeys.TRAINABLE_VARIABLES)
        graph = get_default_graph()
        with graph.control_dependencies(None):
            with name_scope(name, "Variable", [] if callable(initial_value) else [initial_value]) as scope:
                if callable(initial_value):
                    # What the function builds is colocated with the variable, which is not there yet.
                    group = message("AttrValue")()
                    group.list.s.append(b"loc:@" + scope[:-1].encode())
                    with graph._attr_scope({"_class": group}):
                        with graph.name_scope("Initializer"), graph.device(None):
                            self._initial_value = convert_to_tensor(initial_value(), name="initial_value", dtype=dtype)
                        op = self._add_node(graph, scope[:-1], shape, validate_shape)
                else:
                    self._initial_value = convert_to_tensor(initial_value, name="initial_value", dtype=dtype)
                    op = self._add_node(graph, scope[:-1], shape, validate_shape)
                self._variable = op.outputs[0]
                self._initializer_op = apply("Assign", "Assign", ref=self._variable, value=self._initial_value,
                                             validate_shape=validate_shape).op
                with graph.device(caching_device) if caching_device is not None else graph.colocate_with(op):
                    self._snapshot = apply("Identity", "read", input=self._variable)
        self._caching_device = caching_device
        add_to_collections(collections, self)

    def _add_node(self, graph, name, shape, validate_shape):
        known = self._initial_value.shape if validate_shape else TensorShape(None)
        if validate_shape and not known.is_fully_defined() and shape is None:
            raise ValueError("initial_value must have a shape specified: %s" % self._initial_value)
        return graph._add("VariableV2", name, [], [
            _oplib.encode_attribute("dtype", "type", self._initial_value.dtype.base_dtype),
            _oplib.encode_attribute("shape", "shape", TensorShape(shape) if shape is not None else known)])

    name = property(lambda self: self._variable.name)
    op = property(lambda self: self._variable.op)
    graph = property(lambda self: self._variable.graph)
    device = property(lambda self: self._variable.device)
    dtype = property(lambda self: self._variable.dtype)
    shape = property(lambda self: self._variable.shape)
    trainable = property(lambda self: self._trainable)
    constraint = property(lambda self: self._constraint)
    initializer = property(lambda self: self._initializer_op)
    initial_value = property(lambda self: self._initial_value)

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        self._variable.set_shape(shape)
        self._snapshot.set_shape(shape)

    def value(self):
        return self._snapshot

    def read_value(self):
        return apply("Identity", "read", input=self._variable)

    def _ref(self):
        return self._variable

    def _as_graph_element(self):
        return self._variable

    def eval(self, session=None):
        return self._variable.eval(session=session)

    def initialized_value(self):
        return self._snapshot

    def load(self, value, session=None):
        from sluice._graph import _session_for
        _session_for(session, self.graph, "load a variable").run(self._initializer_op, {self._initial_value: value})

    def assign(self, value, use_locking=False, name=None, read_value=True):
        return _assigned(apply("Assign", name, ref=self._variable, value=value, use_locking=use_locking), read_value)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        return _assigned(apply("AssignAdd", name, ref=self._variable, value=delta, use_locking=use_locking), read_value)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        return _assigned(apply("AssignSub", name, ref=self._variable, value=delta, use_locking=use_locking), read_value)

    def count_up_to(self, limit):
        return apply("CountUpTo", None, ref=self._variable, limit=limit)

    def _scatter(self, kind, indices, updates, name):
        return apply("Scatter" + kind, name, ref=self._variable, indices=indices, updates=updates, use_locking=False)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("Sub", sparse_delta.indices, sparse_delta.values, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("Add", sparse_delta.indices, sparse_delta.values, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        return self._scatter("Update", sparse_delta.indices, sparse_delta.values, name)

    def _get_save_slice_info(self):
        return self._slice

    def _set_save_slice_info(self, info):
        self._slice = info

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __iter__(self):
        raise TypeError("'Variable' object is not iterable.")

    def __repr__(self):
        return "<tf.Variable '%s' shape=%s dtype=%s>" % (self.name, self.shape, self.dtype.name)


def _wants_resource(use_resource):
    """Whether a variable that says |use_resource| is a resource variable."""
    if use_resource is not None:
        return use_resource
    from sluice._resource_variables import resource_variables_enabled
    from sluice._variable_scope import get_variable_scope
    wanted = get_variable_scope().use_resource
    return resource_variables_enabled() if wanted is None else wanted


def _assigned(tensor, read_value):
    return tensor if read_value else tensor.op


for _name, _function in OPERATORS.items():
    if _name not in ("__hash__", "__eq__"):
        setattr(Variable, _name, (lambda f: lambda self, *args: f(self._snapshot, *args))(_function))


def _convert(value, dtype=None, name=None, as_ref=False):
    if dtype is not None and not as_dtype(dtype).base_dtype.is_compatible_with(value.dtype):
        raise ValueError("Incompatible type conversion requested to type '%s' for variable of type '%s'" %
                         (as_dtype(dtype).name, value.dtype.name))
    return value._ref() if as_ref else value.value()


register_tensor_conversion_function(Variable, _convert, 0)


@export("global_variables", "all_variables")
def global_variables(scope=None):
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@export("local_variables")
def local_variables(scope=None):
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@export("model_variables")
def model_variables(scope=None):
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


@export("trainable_variables")
def trainable_variables(scope=None):
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@export("variables_initializer", "initializers.variables")
def variables_initializer(var_list, name="init"):
    return group(*[v.initializer for v in var_list], name=name)


@export("global_variables_initializer", "initialize_all_variables", "initializers.global_variables")
def global_variables_initializer():
    return variables_initializer(global_variables())


@export("local_variables_initializer", "initialize_local_variables", "initializers.local_variables")
def local_variables_initializer():
    return variables_initializer(local_variables())


@export("no_op")
def no_op(name=None):
    return apply("NoOp", name)


@export("group")
def group(*inputs, **kwargs):
    """An operation that runs all of |inputs|; nodes on several devices are grouped by device first."""
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    graph = get_default_graph()
    with name_scope(name, "group_deps", inputs) as scope:
        by_device = {}
        for item in _flat(inputs):
            op = getattr(item, "_assigned", None) or graph.as_graph_element(item)  # an assignment without its reading
            op = op.op if isinstance(op, Tensor) else op
            by_device.setdefault(op.device, []).append(op)
        if len(by_device) <= 1:
            for device, ops in by_device.items():
                return _no_op_after(graph, ops, device, scope)
            return no_op(name=scope)
        parts = [_no_op_after(graph, by_device[d], d, None) for d in sorted(by_device)]
        with control_dependencies(parts):
            return no_op(name=scope)


def _flat(items):
    for item in items:
        if isinstance(item, (list, tuple)):
            yield from _flat(item)
        else:
            yield item


def _no_op_after(graph, ops, device, name):
    with control_dependencies(ops):
        if not device:
            return no_op(name=name)
        with graph.device(None), graph.device(device):
            return no_op(name=name)


@export("placeholder")
def placeholder(dtype, shape=None, name=None):
    return apply("Placeholder", name, dtype=dtype, shape=TensorShape(shape))


@export("placeholder_with_default")
def placeholder_with_default(input, shape, name=None):  # noqa: A002
    return apply("PlaceholderWithDefault", name, input=input, shape=TensorShape(shape))


@export("identity")
def identity(input, name=None):  # noqa: A002
    return apply("Identity", name, input=input)


def _filled(value):
    def call(shape, dtype="float32", name=None):
        from sluice._convert import constant
        dtype = as_dtype(dtype).base_dtype
        label = "ones" if value else "zeros"
        with name_scope(name, label, [shape]) as scope:
            one = b"" if dtype.name == "string" else dtype.as_numpy_dtype(value)
            if isinstance(shape, (list, tuple)) and any(isinstance(d, Tensor) for d in shape):
                shape = convert_to_tensor(shape, dtype="int32")
            sizes = None if isinstance(shape, Tensor) else TensorShape(shape)
            if sizes is not None and sizes.num_elements() == 0:
                return constant(np.empty(sizes.as_list(), dtype.as_numpy_dtype), dtype=dtype, name=scope)
            if sizes is not None and sizes.is_fully_defined() and (sizes.num_elements() < 1000 or not value):
                if sizes.num_elements() < 1000:
                    return constant(one, dtype=dtype, shape=sizes, name=scope)
            dims = convert_to_tensor(shape if sizes is None else sizes, name="shape_as_tensor")
            return apply("Fill", scope, dims=dims, value=constant(one, dtype=dtype))
    return call


zeros, ones = export("zeros")(_filled(0)), export("ones")(_filled(1))
export_value(Tensor, "Tensor")
