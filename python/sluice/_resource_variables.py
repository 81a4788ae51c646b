"""Resource variables: tf.Variable(..., use_resource=True). Reads and assignments are nodes of their own."""
from sluice import _oplib
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import GraphKeys, add_to_collections, colocate_with, control_dependencies, device, get_default_graph
from sluice._graph import name_scope
from sluice._message import message
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._variables import Variable

_defaults = {"resource": False}


@export("enable_resource_variables")
def enable_resource_variables():
    """Variables are resource variables unless they say otherwise."""
    _defaults["resource"] = True


@export("disable_resource_variables")
def disable_resource_variables():
    _defaults["resource"] = False


@export("resource_variables_enabled")
def resource_variables_enabled():
    return _defaults["resource"]


@export("python.ops.resource_variable_ops.ResourceVariable")
class ResourceVariable(Variable):
    """A variable behind a handle."""

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None,
                 name=None, variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None,
                 use_resource=None, synchronization=None, aggregation=None, shape=None):
        if initial_value is None:
            raise ValueError("initial_value must be specified.")
        collections = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        self._trainable, self._constraint, self._caching_device = trainable is not False, constraint, caching_device
        self._slice = None
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections.append(GraphKeys.TRAINABLE_VARIABLES)
        graph = get_default_graph()
        with graph.control_dependencies(None):
            with name_scope(name, "Variable", [] if callable(initial_value) else [initial_value]) as scope:
                handle_name = scope[:-1]
                group = message("AttrValue")()
                group.list.s.append(b"loc:@" + handle_name.encode())
                with graph._attr_scope({"_class": group}):
                    with graph.name_scope("Initializer"), graph.device(None):
                        value = initial_value() if callable(initial_value) else initial_value
                        self._initial_value = convert_to_tensor(value, name="initial_value", dtype=dtype)
                    self._handle = self._add_handle(graph, handle_name, shape, validate_shape)
                self._declared = TensorShape(self._handle.op.get_attr("shape"))
                with graph.name_scope("IsInitialized"):
                    self._is_initialized = apply("VarIsInitializedOp", None, resource=self._handle)
                with graph.name_scope("Assign") as assign, graph.colocate_with(None, ignore_existing=True), \
                        device(self._handle.device):
                    self._initializer_op = apply("AssignVariableOp", assign, resource=self._handle, value=self._initial_value)
                with graph.name_scope("Read"):
                    self._graph_element = self._read()
        add_to_collections(collections, self)

    def _add_handle(self, graph, name, shape, validate_shape):
        self._dtype = self._initial_value.dtype.base_dtype
        known = TensorShape(shape) if shape is not None else self._initial_value.shape if validate_shape else TensorShape(None)
        encode = _oplib.encode_attribute
        return graph._add("VarHandleOp", name, [], [
            encode("shared_name", "string", name), encode("debug_name", "string", name + "/"),
            encode("dtype", "type", self._dtype), encode("shape", "shape", known)]).outputs[0]

    handle = property(lambda self: self._handle)
    name = property(lambda self: self._handle.name)
    op = property(lambda self: self._handle.op)
    graph = property(lambda self: self._handle.graph)
    device = property(lambda self: self._handle.device)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: self._declared)

    def _read(self):
        value = apply("ReadVariableOp", None, resource=self._handle, dtype=self._dtype)
        value.set_shape(self._declared)
        return value

    def value(self):
        with colocate_with(None, ignore_existing=True):
            return self._read()

    @property
    def _snapshot(self):
        return self.value()

    def read_value(self):
        with name_scope("Read"):
            value = self._read()
        return apply("Identity", None, input=value)

    def sparse_read(self, indices, name=None):
        """Rows of the variable."""
        with name_scope("Gather" if name is None else name) as scope:
            return apply("ResourceGather", scope, resource=self._handle, indices=indices, dtype=self._dtype)

    def is_initialized(self, name=None):
        return apply("VarIsInitializedOp", name, resource=self._handle)

    def set_shape(self, shape):
        self._declared = self._declared.merge_with(TensorShape(shape))

    def _ref(self):
        return self._handle

    def _as_graph_element(self):
        return self._graph_element

    def eval(self, session=None):
        return self._graph_element.eval(session=session)

    def initialized_value(self):
        from sluice._moving_average import initialized_value
        return initialized_value(self)

    def _changed(self, op, read_value):
        if not read_value:
            return op
        with control_dependencies([op]):
            value = self._read()
        value._assigned = op
        return value

    def assign(self, value, use_locking=None, name=None, read_value=True):
        value = convert_to_tensor(value, dtype=self._dtype)
        if not self._declared.is_compatible_with(value.shape):
            raise ValueError("Cannot assign value to variable '%s': Shape mismatch.The variable shape %s, and the assigned "
                             "value shape %s are incompatible." % (self.name, self._declared, value.shape))
        return self._changed(apply("AssignVariableOp", name, resource=self._handle, value=value,
                                   validate_shape=self._declared.is_fully_defined()), read_value)

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        delta = convert_to_tensor(delta, dtype=self._dtype)
        return self._changed(apply("AssignAddVariableOp", name, resource=self._handle, value=delta), read_value)

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        delta = convert_to_tensor(delta, dtype=self._dtype)
        return self._changed(apply("AssignSubVariableOp", name, resource=self._handle, value=delta), read_value)

    def _scatter(self, kind, indices, updates, name):
        updates = convert_to_tensor(updates, dtype=self._dtype)
        return self._changed(apply("ResourceScatter" + kind, name, resource=self._handle, indices=indices, updates=updates),
                             True)
