"""Graphs, operations and tensors, as tf.Graph, tf.Operation and tf.Tensor.

The graph itself is the library's; Python keeps what Python programs see of it: objects for operations and tensors,
the scopes under which nodes are built, and the collections.
"""
import contextlib
import re
import sys
import threading

from sluice import _device, _errors, _extension, _tensor_proto
from sluice._contexts import check_inputs
from sluice._dtypes import as_dtype
from sluice._message import message
from sluice._shape import TensorShape

_VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")
_TRUE = b"\x28\x01"  # an AttrValue
_HERE = __file__.rpartition("/")[0]


class GraphKeys:
    """Names of collections."""
    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    VARIABLES = "variables"
    _SUMMARY_COLLECTION = "_SUMMARY_V2"


class Tensor:
    """An output of an operation. Operators such as + build operations; see sluice._operators."""
    __slots__ = ("_op", "_value_index", "_dtype", "_pair", "_handle_data", "__weakref__", "__dict__")
    __array_priority__ = 100

    def __init__(self, op, value_index, dtype):
        self._op, self._value_index, self._dtype = op, value_index, as_dtype(dtype)
        self._pair = (op._number, value_index)

    op = property(lambda self: self._op)
    dtype = property(lambda self: self._dtype)
    graph = property(lambda self: self._op.graph)
    value_index = property(lambda self: self._value_index)
    device = property(lambda self: self._op.device)

    @property
    def name(self):
        return "%s:%d" % (self._op.name, self._value_index)

    @property
    def shape(self):
        dims = _extension.shape(self.graph._number, self._pair)
        return TensorShape(dims if dims is None else [None if d < 0 else d for d in dims])

    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        shape = TensorShape(shape)
        if shape.ndims is None:
            return
        try:
            _extension.set_shape(self.graph._number, self._pair, [-1 if d is None else d for d in shape.as_list()])
        except _errors.InvalidArgumentError as error:
            raise ValueError(str(error)) from None

    def consumers(self):
        return [self.graph._operation(number) for number, _ in _extension.consumers(self._pair)]

    def eval(self, feed_dict=None, session=None):
        return _session_for(session, self.graph, "evaluate tensor").run(self, feed_dict)

    def _rank(self):
        return self.shape.ndims

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __copy__(self):
        return self

    def __reduce__(self):
        raise TypeError("a Tensor cannot be pickled: it is a part of a graph of this process")

    def __bool__(self):
        raise TypeError("Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` "
                        "to test if a tensor is defined, and use TensorFlow ops such as tf.cond to execute subgraphs "
                        "conditioned on the value of a tensor.")

    def __len__(self):
        raise TypeError("len is not well defined for a symbolic Tensor (%s). Please call `x.shape` rather than `len(x)` "
                        "for shape information." % self.name)

    def __iter__(self):
        raise TypeError("Tensor objects are only iterable when eager execution is enabled. To iterate over this tensor "
                        "use tf.map_fn.")

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError("Cannot convert a symbolic Tensor (%s) to a numpy array." % self.name)

    def __str__(self):
        shape = self.shape
        return 'Tensor("%s"%s%s%s)' % (self.name, ", shape=%s" % shape if shape.ndims is not None else "",
                                       ", dtype=%s" % self._dtype.name,
                                       ", device=%s" % self.device if self.device else "")

    def __repr__(self):
        return "<tf.Tensor '%s' shape=%s dtype=%s>" % (self.name, self.shape, self._dtype.name)


class _InputList(list):
    """The inputs of an operation, which cannot be changed."""
    append = extend = insert = pop = remove = __setitem__ = __delitem__ = None


class Operation:
    """A node of a graph."""
    __slots__ = ("_graph", "_number", "_name", "_type", "_outputs", "_frames", "_control_flow_context", "_original_op", "_id",
                 "__weakref__", "__dict__")

    def __init__(self, graph, number):
        name, kind, types, _, _ = _extension.operation_info(number)
        self._graph, self._number, self._name, self._type = graph, number, name, kind
        self._outputs = [Tensor(self, i, dtype) for i, dtype in enumerate(types)]
        self._control_flow_context = self._original_op = None
        self._frames = _calling_frames()

    graph = property(lambda self: self._graph)
    name = property(lambda self: self._name)
    type = property(lambda self: self._type)
    outputs = property(lambda self: self._outputs)

    @property
    def device(self):
        return _extension.operation_device(self._number)

    @property
    def inputs(self):
        return _InputList(self._graph._tensor(pair) for pair in _extension.operation_info(self._number)[3])

    @property
    def control_inputs(self):
        return [self._graph._operation(number) for number in _extension.operation_info(self._number)[4]]

    @property
    def node_def(self):
        return message("NodeDef").FromString(_extension.node_def(self._number))

    @property
    def op_def(self):
        from sluice._oplib import op_def
        return op_def(self._type)

    def get_attr(self, name):
        """The value of an attribute as a Python object; ValueError if there is none."""
        try:
            value = message("AttrValue").FromString(_extension.attribute(self._number, name))
        except _errors.OpError as error:
            raise ValueError(str(error)) from None
        return _attribute_value(value)

    def values(self):
        return tuple(self._outputs)

    def run(self, feed_dict=None, session=None):
        _session_for(session, self._graph, "execute operation").run(self, feed_dict)

    def colocation_groups(self):
        try:
            groups = [g for g in self.get_attr("_class") if g.startswith(b"loc:@")]
        except ValueError:
            groups = []
        return groups or [b"loc:@" + self._name.encode()]

    @property
    def traceback(self):
        return list(self._frames)

    def _where(self):
        return "\n".join('  File "%s", line %d, in %s' % frame for frame in self._frames)

    def _set_device(self, device):
        _extension.set_device(self._graph._number, self._number, _device.canonical_name(device))

    def _set_attr(self, name, value):
        _extension.set_attribute(self._graph._number, self._number, name, value.SerializeToString())

    def _add_control_input(self, op):
        _extension.add_control_input(self._graph._number, self._number, op._number)

    def _add_control_inputs(self, ops):
        for op in ops:
            self._add_control_input(op)

    def _update_input(self, index, tensor):
        _extension.update_input(self._graph._number, self._number, index, tensor._pair)

    def _get_control_flow_context(self):
        return self._control_flow_context

    def _set_control_flow_context(self, context):
        self._control_flow_context = context

    def __reduce__(self):
        raise TypeError("an Operation cannot be pickled: it is a part of a graph of this process")

    def __str__(self):
        return str(self.node_def)

    def __repr__(self):
        return "<tf.Operation '%s' type=%s>" % (self._name, self._type)


def _calling_frames(most=8):
    """Where the program built a node: (file, line, function), the innermost last, without the package's own frames."""
    frames, frame = [], sys._getframe(1)
    while frame is not None and len(frames) < most:
        code = frame.f_code
        if not code.co_filename.startswith(_HERE) and "contextlib" not in code.co_filename:
            frames.append((code.co_filename, frame.f_lineno, code.co_name))
        frame = frame.f_back
    return frames[::-1]


def _attribute_value(value):
    """An AttrValue as a Python object."""
    kind = value.WhichOneof("value")
    if kind is None:
        return []
    if kind == "list":
        for part in "s", "i", "f", "b", "type", "shape", "tensor", "func":
            items = getattr(value.list, part)
            if items:
                return [as_dtype(item) for item in items] if part == "type" else list(items)
        return []
    item = getattr(value, kind)
    return as_dtype(item) if kind == "type" else item


class _ControlScope:
    """What control_dependencies() adds to operations inside it."""

    def __init__(self, graph, operations, clears):
        self.graph, self.operations, self.clears, self.seen = graph, operations, clears, set()
        self.context = graph._control_flow_context

    def __enter__(self):
        self.graph._control_scopes.append(self)
        if self.clears:
            self.graph._control_flow_context = None
        return self

    def __exit__(self, *exception):
        self.graph._control_scopes.remove(self)
        if self.clears:
            self.graph._control_flow_context = self.context


class _Stacks(threading.local):
    """The scopes of one thread."""

    def __init__(self):
        self.devices, self.colocations, self.controls, self.context = [], [], [], None


class Graph:
    """A graph and the scopes under which it is built."""

    def __init__(self):
        self._number = _extension.new_graph()
        self._lock = threading.RLock()
        self._operations, self._by_name = {}, {}  # number -> Operation, name -> Operation
        self._position = 0  # how many of the library's operations are known here
        self._names, self._scope_name = {}, ""
        self._constants = {}  # name -> TensorProto of those that are written as values, not as bytes
        self._collections = {}
        self._imported_variables = {}  # name -> variable of an imported MetaGraphDef
        self._functions = {}  # name -> sluice._function.Function
        self._stacks = _Stacks()
        self._attributes, self._kernel_labels, self._gradient_overrides = {}, {}, {}
        self._py_functions = []  # those of the program that nodes call
        self._with_gradient_functions = set()  # operations in loops whose gradient functions the graph has
        self._overridden = {}  # number of an operation -> the name of its gradient function
        self._seed, self._finalized, self._container = None, False, ""
        self._seeded_ops = 0  # how many ops got a seed of their own from the graph's
        self._unfeedable, self._unfetchable = set(), set()
        self._last_id = 0
        self._default_original_op = None
        self._sessions = 0

    def __del__(self):
        number, self._number = getattr(self, "_number", None), None
        if number and _extension is not None:
            _extension.delete_graph(number)

    def __reduce__(self):
        raise TypeError("a Graph cannot be pickled: use as_graph_def() or tf.train.export_meta_graph()")

    # --- Functions ---

    def _add_function(self, function):
        """Makes a function known by its name to this graph."""
        if function.name not in self._functions:
            _extension.copy_function(self._number, function._number)
            self._functions[function.name] = function

    # --- Operations ---

    def _operation(self, number):
        op = self._operations.get(number)
        return op if op is not None else self._register(number)

    def _tensor(self, pair):
        return self._operation(pair[0])._outputs[pair[1]]

    def _register(self, number):
        op = Operation(self, number)
        self._last_id += 1
        op._id = self._last_id
        self._operations[number] = self._by_name[op.name] = op
        return op

    def _discover(self):
        """Objects for operations that the library added by itself, such as those of an import or of gradients."""
        numbers, self._position = _extension.operations(self._number, self._position)
        found = []
        for number in numbers:
            if number not in self._operations:
                op = self._register(number)
                self._names.setdefault(op.name.lower(), 1)
                found.append(op)
        return found

    def _add(self, kind, name, inputs, attributes, control_inputs=(), device=None):
        """Adds a node under the current scopes. |inputs|: tensors and lists of tensors; |name| is unique."""
        self._check_not_finalized()
        pairs = [[t._pair for t in item] if isinstance(item, list) else item._pair for item in inputs]
        flat = [t for item in inputs for t in (item if isinstance(item, list) else [item])]
        controls = self._control_inputs(flat) + [op for op in control_inputs]
        context, outside = self._control_flow_context, []
        check_inputs(kind, name, context, flat)
        if context is not None:
            controls, outside = context.split_controls(controls)
        numbers = [op._number for op in sorted(set(controls), key=lambda op: op.name)]  # as TensorFlow writes them
        attributes = attributes + self._scoped_attributes(kind)
        try:
            number = _extension.add_operation(self._number, kind, name, "", pairs, numbers, attributes)
        except _errors.InvalidArgumentError as error:  # such as shapes that do not fit: as an argument's error in Python
            raise ValueError(error.message) from None
        op = self._register(number)
        if kind in self._gradient_overrides:
            self._overridden[number] = self._gradient_overrides[kind]
        if context is not None:
            op._control_flow_context = context
            context.AddOp(op, outside)
        for scope in self._control_scopes:
            scope.seen.add(op._number)
        self._place(op)
        if device is not None:
            op._set_device(device)
        return op

    def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None,
                  compute_shapes=True, compute_device=True):
        """Adds an operation whose attributes are AttrValue messages."""
        name = op_type if name is None else name
        name = name[:-1] if name.endswith("/") else self.unique_name(name)
        attributes = [(key, "p", value.SerializeToString()) for key, value in (attrs or {}).items()]
        return self._add(op_type, name, list(inputs), attributes)

    def _scoped_attributes(self, kind):
        found = []
        for key, value in self._attributes.items():
            value = value(self) if callable(value) else value
            if value is not None:
                found.append((key, "p", value.SerializeToString()))
        if kind in self._kernel_labels:
            found.append(("_kernel", "s", self._kernel_labels[kind].encode()))
        if kind in self._gradient_overrides:
            found.append(("_gradient_op_type", "s", self._gradient_overrides[kind].encode()))
        return found

    def _place(self, op):
        """Gives |op| the device and the colocation that the scopes ask for."""
        device = ""
        for function in reversed(self._stacks.devices):
            if function is None:
                break
            node = _Placing(op, device)
            chosen = function(node)
            device = _device.canonical_name(chosen if chosen is not None else "")
        if device:
            _extension.set_device(self._number, op._number, device)
        if not self._stacks.colocations:
            return
        groups = set()
        for other in self._stacks.colocations:
            groups.update(other.colocation_groups())
            if other.device:
                op._set_device(other.device)
        value = message("AttrValue")()
        value.list.s.extend(sorted(groups))
        op._set_attr("_class", value)

    # --- Names ---

    def unique_name(self, name, mark_as_used=True):
        if self._scope_name:
            name = self._scope_name + "/" + name
        key = name.lower()
        count = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = count + 1
        if count > 0:
            base, taken = key, key
            while taken in self._names:
                taken = "%s_%d" % (base, count)
                count += 1
            if mark_as_used:
                self._names[taken] = 1
                self._names[base] = count
            name = "%s_%d" % (name, count - 1)
        return name

    @contextlib.contextmanager
    def name_scope(self, name):
        if name:
            if isinstance(name, bytes):
                name = name.decode()
            pattern = _VALID_SCOPE if self._scope_name else _VALID_NAME
            if not pattern.match(name):
                raise ValueError("'%s' is not a valid scope name" % name)
        old = self._scope_name
        if not name:
            new = ""
        elif name.endswith("/"):
            new = name[:-1]
        else:
            new = self.unique_name(name)
        self._scope_name = new
        try:
            yield new + "/" if new else ""
        finally:
            self._scope_name = old

    def get_name_scope(self):
        return self._scope_name

    # --- Scopes ---

    @contextlib.contextmanager
    def device(self, device_name_or_function):
        function = device_name_or_function
        if function is not None and not callable(function):
            function = _device.merge_device(function)
        devices = self._stacks.devices
        devices.append(function)
        try:
            yield
        finally:
            devices.pop()

    @contextlib.contextmanager
    def colocate_with(self, op, ignore_existing=False):
        if op is None and not ignore_existing:
            raise ValueError("Trying to reset colocation (op is None) but ignore_existing is not True")
        if op is not None:
            op = op.op if hasattr(op, "op") else op
        devices, colocations = self._stacks.devices, self._stacks.colocations
        if ignore_existing:
            self._stacks.colocations = []
        self._stacks.devices = []  # the device of |op| decides
        if op is not None:
            self._stacks.colocations.append(op)
        try:
            yield
        finally:
            if op is not None:
                self._stacks.colocations.pop()
            self._stacks.devices = devices
            if ignore_existing:
                self._stacks.colocations = colocations

    def control_dependencies(self, control_inputs):
        if control_inputs is None:
            return _ControlScope(self, [], True)
        operations, known = [], self._known_controls()
        for item in control_inputs:
            item = item.op if hasattr(item, "dense_shape") else getattr(item, "_assigned", item)
            op = self.as_graph_element(item, allow_tensor=True, allow_operation=True)
            op = op.op if isinstance(op, Tensor) else op
            if op not in operations and op not in known:
                operations.append(op)
                _extension.set_attribute(self._number, op._number, "_has_manual_control_dependencies", _TRUE)
        return _ControlScope(self, operations, False)

    @property
    def _control_scopes(self):
        return self._stacks.controls

    @property
    def _control_flow_context(self):
        return self._stacks.context

    @_control_flow_context.setter
    def _control_flow_context(self, context):
        self._stacks.context = context

    def _get_control_flow_context(self):
        return self._stacks.context

    def _set_control_flow_context(self, context):
        self._stacks.context = context

    def _known_controls(self):
        """What all operations must run after, under the current scopes."""
        known = set()
        for scope in reversed(self._control_scopes):
            known.update(scope.operations)
            if scope.clears:
                break
        return known

    def _control_inputs(self, inputs):
        """What an operation with |inputs| must run after, under the current scopes."""
        producers = {t.op._number for t in inputs}
        found = []
        for scope in reversed(self._control_scopes):
            # An input that was built inside the scope has the dependencies already.
            if not (producers & scope.seen) and not any(op._number in producers for op in scope.operations):
                found += [op for op in scope.operations if op not in found]
            elif not (producers & scope.seen):
                found += [op for op in scope.operations if op._number not in producers and op not in found]
            if scope.clears:
                break
        return found

    @contextlib.contextmanager
    def container(self, name):
        old, self._container = self._container, name
        try:
            yield name
        finally:
            self._container = old

    @contextlib.contextmanager
    def _overlay(self, table, changes):
        saved = dict(table)
        table.update(changes)
        try:
            yield
        finally:
            table.clear()
            table.update(saved)

    def gradient_override_map(self, op_type_map):
        return self._overlay(self._gradient_overrides, op_type_map)

    def _kernel_label_map(self, op_to_label_map):
        return self._overlay(self._kernel_labels, op_to_label_map)

    def _attr_scope(self, attr_map):
        return self._overlay(self._attributes, attr_map)

    @contextlib.contextmanager
    def as_default(self):
        _default_graphs.stack.append(self)
        try:
            yield self
        finally:
            _default_graphs.stack.remove(self)

    # --- Collections ---

    def add_to_collection(self, name, value):
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value):
        for name in [names] if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection_ref(self, name):
        return self._collections.setdefault(name, [])

    def get_collection(self, name, scope=None):
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        pattern = re.compile(scope)
        return [item for item in items if hasattr(item, "name") and pattern.match(item.name)]

    def get_all_collection_keys(self):
        return [key for key in self._collections if isinstance(key, str)]

    collections = property(get_all_collection_keys)

    def clear_collection(self, name):
        self._check_not_finalized()
        self._collections.pop(name, None)

    # --- Finding ---

    def get_operations(self):
        self._discover()
        numbers, _ = _extension.operations(self._number, 0)
        return [self._operation(number) for number in numbers]

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        if allow_tensor and allow_operation:
            wanted = "Tensor or Operation"
        else:
            wanted = "Tensor" if allow_tensor else "Operation"
        obj = _element(obj)
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            return self._find(obj, wanted, allow_tensor, allow_operation)
        if (isinstance(obj, Tensor) and allow_tensor) or (isinstance(obj, Operation) and allow_operation):
            if obj.graph is not self:
                raise ValueError("%s %s is not an element of this graph." % (type(obj).__name__, obj))
            return obj
        raise TypeError("Can not convert a %s into a %s." % (type(obj).__name__, wanted))

    def _find(self, name, wanted, allow_tensor, allow_operation):
        base, colon, index = name.partition(":")
        if colon:
            if not allow_tensor:
                raise ValueError("Name %r appears to refer to a Tensor, not a %s." % (name, wanted))
            if not index.isdigit():
                raise ValueError("The name %r looks a like a Tensor name, but is not a valid one. Tensor names must be of "
                                 "the form \"<op_name>:<output_index>\"." % name)
            op = self._lookup(base)
            if op is None:
                raise KeyError("The name %r refers to a Tensor which does not exist. The operation, %r, does not exist in "
                               "the graph." % (name, base))
            if int(index) >= len(op.outputs):
                raise KeyError("The name %r refers to a Tensor which does not exist. The operation, %r, exists but only has "
                               "%s outputs." % (name, base, len(op.outputs)))
            return op.outputs[int(index)]
        op = self._lookup(base)
        if op is None:
            raise KeyError("The name %r refers to an Operation not in the graph." % name)
        if not allow_operation:
            raise ValueError("The name %r refers to an Operation, not a %s." % (name, wanted))
        return op

    def _lookup(self, name):
        op = self._by_name.get(name)
        if op is None:
            self._discover()
            op = self._by_name.get(name)
        return op

    def get_operation_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError("Operation names are strings (or similar), not %s." % type(name).__name__)
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name):
        if not isinstance(name, str):
            raise TypeError("Tensor names are strings (or similar), not %s." % type(name).__name__)
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    # --- Feeding, seeds, the end ---

    def prevent_feeding(self, tensor):
        self._unfeedable.add(tensor)

    def is_feedable(self, tensor):
        return tensor not in self._unfeedable

    def prevent_fetching(self, op):
        self._unfetchable.add(op)

    def is_fetchable(self, item):
        return (item.op if isinstance(item, Tensor) else item) not in self._unfetchable

    seed = property(lambda self: self._seed, lambda self, seed: setattr(self, "_seed", seed))

    @property
    def version(self):
        return len(_extension.operations(self._number, 0)[0])

    @property
    def graph_def_versions(self):
        return self.as_graph_def().versions

    finalized = property(lambda self: self._finalized)

    def finalize(self):
        self._finalized = True

    def _unsafe_unfinalize(self):
        self._finalized = False

    def _check_not_finalized(self):
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    building_function = False

    def _is_function(self, name):
        """Whether |name| is a function of this graph."""
        return name in getattr(self, "_functions", ())

    def switch_to_thread_local(self):
        """The scopes belong to a thread in any case."""

    def as_graph_def(self, from_version=None, add_shapes=False):
        made = message("GraphDef").FromString(_extension.graph_def(self._number))
        for node in made.node:
            if node.op == "Const":
                tensor = node.attr["value"].tensor
                known = self._constants.get(node.name)
                if known is None and len(tensor.tensor_content) <= 16:  # one value that the library made
                    known = _tensor_proto.rewritten(tensor)
                if known is not None:
                    tensor.CopyFrom(known)
        if add_shapes:
            for node in made.node:
                op = self._lookup(node.name)
                node.attr["_output_shapes"].list.shape.extend([t.shape.as_proto() for t in op.outputs])
        if from_version is not None:
            del made.node[:from_version]
        return made


class _Placing:
    """A node as device functions see it."""

    def __init__(self, op, device):
        self._op, self.device = op, device

    def __getattr__(self, name):
        return getattr(self._op, name)


class _DefaultGraphs(threading.local):
    def __init__(self):
        self.stack = []


_default_graphs = _DefaultGraphs()
_global_graph = None


def get_default_graph():
    global _global_graph
    if _default_graphs.stack:
        return _default_graphs.stack[-1]
    if _global_graph is None:
        _global_graph = Graph()
    return _global_graph


def reset_default_graph():
    global _global_graph
    if _default_graphs.stack:
        raise AssertionError("Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, "
                             "exit the nesting and create a new graph.")
    _global_graph = None


def _session_for(session, graph, what):
    from sluice._session import get_default_session
    if session is None:
        session = get_default_session()
        if session is None:
            raise ValueError("Cannot %s: No default session is registered. Use `with sess.as_default()` or pass an explicit "
                             "session to the call (session=sess)" % what)
    if session.graph is not graph:
        raise ValueError("Cannot use the given session to %s: the graph is different from the session's graph." % what)
    return session


class name_scope:
    """A context manager for the name of an operation: name_scope(name, default_name, values)."""

    def __init__(self, name=None, default_name=None, values=None):
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError("`default_name` type (%s) is not a string type. You likely meant to pass this into the `values` "
                            "kwarg." % type(default_name))
        if name is None and values is not None and default_name is None:
            raise ValueError("At least one of name (%s) and default_name (%s) should be provided." % (name, default_name))
        self._name, self._values = default_name if name is None else name, values or []

    @property
    def name(self):
        return self._name

    def __enter__(self):
        graph = graph_of(self._values)
        self._stack = contextlib.ExitStack()
        self._stack.enter_context(graph.as_default())
        return self._stack.enter_context(graph.name_scope(self._name))

    def __exit__(self, *exception):
        return self._stack.__exit__(*exception)

    def __call__(self, function):
        def wrapped(*args, **kwargs):
            with name_scope(self._name):
                return function(*args, **kwargs)
        return wrapped


def _element(value):
    """The tensor or operation that |value|, such as a variable, stands for; else |value|."""
    convert = getattr(value, "_as_graph_element", None)
    element = convert() if convert is not None else None
    return value if element is None else element


def graph_of(values):
    """The graph of the first tensor or operation in |values|; without one, the default graph. The body of a function is
    built in its own graph, whatever it uses."""
    default = get_default_graph()
    if default.building_function:
        return default
    for value in values:
        value = _element(value)
        if isinstance(value, (Tensor, Operation)):
            return value.graph
    return default


def device(device_name_or_function):
    return get_default_graph().device(device_name_or_function)


def colocate_with(op, ignore_existing=False):
    return get_default_graph().colocate_with(op, ignore_existing)


def control_dependencies(control_inputs):
    return get_default_graph().control_dependencies(control_inputs)


def container(name):
    return get_default_graph().container(name)


def add_to_collection(name, value):
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    return get_default_graph().get_collection_ref(key)


def get_all_collection_keys():
    return get_default_graph().get_all_collection_keys()
