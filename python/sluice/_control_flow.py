"""Conditionals and loops of TensorFlow 1.x: the primitives, and the contexts in which operations are built.

While a branch or a loop body is built, the graph's current context is told of each new operation. It brings inputs from
outside in, through Switch or Enter, and lets operations without inputs wait for the branch or the iteration.
"""
from sluice import _errors, _nest
from sluice._api import export
from sluice._contexts import ENTERS, EXITS, contains, output_context
from sluice._convert import convert_to_tensor
from sluice._gradients import IndexedSlices
from sluice._graph import Operation, Tensor, control_dependencies, get_default_graph, name_scope
from sluice._message import message
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor


# --- The primitives ---

def _tensor(value, name=None):
    """|value| as a tensor, a variable as a reference to it."""
    reference = getattr(value, "_ref", None)
    return reference() if reference is not None else convert_to_tensor(value, name=name)


def identity(value, name=None):
    value = _tensor(value)
    return apply("RefIdentity" if value.dtype._is_ref_dtype else "Identity", name, input=value)


@export("python.ops.control_flow_ops.switch")
def switch(data, pred, name=None):
    """(data if not pred, data if pred)"""
    return tuple(apply("Switch", name, data=data, pred=pred))


def _switch_at(data, pred, name="Switch"):
    """The same beside |data|, for references too."""
    data = _tensor(data, "data")
    with data.graph.colocate_with(data, ignore_existing=True):
        return tuple(apply("RefSwitch" if data.dtype._is_ref_dtype else "Switch", name, data=data, pred=pred))


@export("python.ops.control_flow_ops.merge")
def merge(inputs, name=None):
    """(value, index) of the one of |inputs| that is alive."""
    if any(one is None for one in inputs):
        raise ValueError("At least one of the merge inputs is None: %s" % (inputs,))
    tensors = [_tensor(one) for one in inputs]
    is_ref = all(t.dtype._is_ref_dtype for t in tensors)
    return tuple(apply("RefMerge" if is_ref else "Merge", name or "Merge", inputs=tensors))


def _enter(value, frame_name, is_constant=False, parallel_iterations=10, use_input_shape=True, name=None):
    made = apply("RefEnter" if value.dtype._is_ref_dtype else "Enter", name, data=value, frame_name=frame_name,
                 is_constant=is_constant, parallel_iterations=parallel_iterations)
    if use_input_shape:
        made.set_shape(value.shape)
    return made


def _exit(value, name=None):
    return apply("RefExit" if value.dtype._is_ref_dtype else "Exit", name, data=value)


def _next_iteration(value, name=None):
    return apply("RefNextIteration" if value.dtype._is_ref_dtype else "NextIteration", name, data=value)


@export("python.ops.control_flow_ops.with_dependencies")
def with_dependencies(dependencies, output_tensor, name=None):
    """|output_tensor| after |dependencies| have run."""
    with name_scope(name, "control_dependency", list(dependencies) + [output_tensor]) as scope:
        graph = get_default_graph()
        with graph.colocate_with(output_tensor), control_dependencies(dependencies):
            if isinstance(output_tensor, IndexedSlices):
                return IndexedSlices(identity(output_tensor.values, scope), output_tensor.indices,
                                     output_tensor.dense_shape)
            return identity(convert_to_tensor(output_tensor), scope)


@export("tuple")
def tuple_(tensors, name=None, control_inputs=None):
    """The same tensors, each available when all of them and |control_inputs| are."""
    from sluice._variables import group
    with name_scope(name, "tuple", tensors):
        tensors = [t if t is None or isinstance(t, (Operation, Tensor, IndexedSlices)) else convert_to_tensor(t)
                   for t in tensors]
        gating = [t if isinstance(t, Operation) else t.op for t in tensors if t is not None]
        for one in control_inputs or []:
            if not isinstance(one, (Tensor, Operation)):
                raise TypeError("'control_inputs' must only contain Operation or Tensor. Received: %s" % type(one))
            gating.append(one.op if isinstance(one, Tensor) else one)
        if not gating:
            raise ValueError("'tensors' must have at least one Tensor. Received: %s." % (tensors,))
        gate = group(*sorted(set(gating), key=lambda op: op._id))
        made = []
        for t in tensors:
            if isinstance(t, Operation):
                with control_dependencies([gate]):
                    made.append(group(t))
            else:
                made.append(None if t is None else with_dependencies([gate], t))
        return made


# --- Contexts ---

def _is_constant_enter(op):
    return op.type in ENTERS and op.get_attr("is_constant")


class ControlFlowContext:
    """A branch or a loop. Its values are known by their names."""

    def __init__(self):
        self._nested_contexts, self._context_stack = [], []
        self._outer_context = get_default_graph()._control_flow_context
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._values, self._external_values = set(), {}  # names inside; name outside -> tensor inside

    name = property(lambda self: self._name)
    outer_context = property(lambda self: self._outer_context)
    grad_state = None

    def __str__(self):
        return self._name

    def AddName(self, name):
        self._values.add(name)

    def Enter(self):
        graph = get_default_graph()
        self._context_stack.append(graph._control_flow_context)
        graph._control_flow_context = self

    def Exit(self):
        get_default_graph()._control_flow_context = self._context_stack.pop()

    def ExitResult(self, result):
        """Makes |result| known outside."""
        if self._outer_context is not None:
            for tensor in _nest.flatten(result, True):
                self._outer_context.AddName(tensor.name)

    def GetWhileContext(self):
        return None if self._outer_context is None else self._outer_context.GetWhileContext()

    def GetControlPivot(self):
        return None

    def IsWhileContext(self):
        return False

    def IsCondContext(self):
        return False

    def AddInnerOp(self, op):
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _add_seen(self, names):
        context = self
        while context is not None:
            context._values.update(names)
            context = context._outer_context

    def adopt(self, op):
        """Takes an operation that the library built inside this context."""
        op._control_flow_context = self
        op.graph.prevent_fetching(op)
        self._add_seen([t.name for t in op.outputs])

    def split_controls(self, controls):
        """(those inside the enclosing loop, those outside of it), of control inputs for an operation in this context."""
        loop = self.GetWhileContext()
        if loop is None:
            return list(controls), []
        inside, outside = [], []
        for op in controls:
            context = output_context(op)
            is_inside = context is not None and context.GetWhileContext() is loop
            (inside if is_inside else outside).append(op)
        return inside, outside

    def _to_values_def(self, export_scope=None):
        made = message("ValuesDef")()
        made.values.extend(sorted(strip_scope(v, export_scope) for v in self._values))
        for key, tensor in self._external_values.items():
            made.external_values[strip_scope(key, export_scope)] = strip_scope(tensor.name, export_scope)
        return made

    def _read_values_def(self, values_def, scope):
        graph = get_default_graph()
        self._values = {prepend_scope(v, scope) for v in values_def.values}
        self._external_values = {prepend_scope(key, scope): graph.as_graph_element(prepend_scope(value, scope))
                                 for key, value in values_def.external_values.items()}
        for name in {v.partition(":")[0] for v in self._values - set(self._external_values)}:
            graph.as_graph_element(name)._control_flow_context = self

    def _write_nested(self, made):
        for context in self._nested_contexts:
            context.to_control_flow_context_def(made.nested_contexts.add())

    def _read_nested(self, context_def, scope):
        self.Enter()
        for nested in context_def.nested_contexts:
            from_control_flow_context_def(nested, scope)
        self.Exit()


def strip_scope(name, scope):
    """|name| as it is in a file of the part of the graph under |scope|."""
    if scope:
        start = scope[:-1] if scope.endswith("/") else scope
        if name.startswith(start + "/"):
            return name[len(start) + 1:]
        if name.startswith("^" + start + "/") or name.startswith("loc:@" + start + "/"):
            return name.replace(start + "/", "", 1)
    return name


def prepend_scope(name, scope):
    return "%s/%s" % (scope.rstrip("/"), name) if scope else name


def from_control_flow_context_def(context_def, import_scope=None):
    """The context that a MetaGraph describes."""
    from sluice._while import WhileContext
    if context_def.WhichOneof("ctxt") == "cond_ctxt":
        return CondContext.from_proto(context_def.cond_ctxt, import_scope)
    if context_def.WhichOneof("ctxt") == "while_ctxt":
        return WhileContext.from_proto(context_def.while_ctxt, import_scope)
    raise NotImplementedError("Unknown ControlFlowContextDef field: %s" % context_def.WhichOneof("ctxt"))


class CondContext(ControlFlowContext):
    """A branch of a conditional: |branch| 1 runs if |pred| is true, 0 if not. |pivot| is alive in the branch only."""

    def __init__(self, pred=None, pivot=None, branch=None, name="cond_text", context_def=None, import_scope=None):
        if context_def is not None:
            super().__init__()
            graph = get_default_graph()
            self._name = prepend_scope(context_def.context_name, import_scope)
            self._pred = graph.as_graph_element(prepend_scope(context_def.pred_name, import_scope))
            self._pivot = graph.as_graph_element(prepend_scope(context_def.pivot_name, import_scope))
            self._branch = context_def.branch
            self._read_values_def(context_def.values_def, import_scope)
            return
        self._name = get_default_graph().unique_name(name)
        super().__init__()
        self._pred, self._pivot, self._branch = pred, pivot, branch
        self._values.update((pred.name, pivot.name))
        self._external_values[pred.name] = pred
        pivot.op._control_flow_context = self

    pred = property(lambda self: self._pred)
    pivot = property(lambda self: self._pivot)
    branch = property(lambda self: self._branch)

    @property
    def back_prop(self):
        loop = self.GetWhileContext()
        return loop is not None and loop.back_prop

    def IsCondContext(self):
        return True

    def GetControlPivot(self):
        return self._pivot

    def AddValue(self, val):
        """|val| as it can be used in this branch."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        result = self._from_outside(val)
        with control_dependencies(None):
            result = _switch_at(result, self._pred)[self._branch]
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(result.op)
        result.graph.prevent_fetching(result.op)
        result.op._control_flow_context = self
        self._add_seen([result.name])
        self._external_values[val.name] = result
        return result

    def _from_outside(self, val):
        if self._outer_context is None:
            return val
        result = self._outer_context.AddValue(val)
        self._values.add(result.name)
        self._external_values[result.name] = result
        return result

    def AddOp(self, op, external_controls=()):
        inputs = op.inputs
        if not inputs:
            if not any(contains(one._control_flow_context, self) for one in op.control_inputs):
                op._add_control_input(self._pivot.op)
        for index, tensor in enumerate(inputs):
            if op.type == "Merge" and tensor.op.type == "NextIteration":
                continue  # of an imported loop: the NextIteration is added later
            real = self.AddValue(tensor)
            if real is not tensor:
                op._update_input(index, real)
        if inputs and (op.graph._is_function(op.type) or op.type == "SymbolicGradient"):
            op._add_control_input(self._pivot.op)
        self._add_seen([t.name for t in op.outputs])
        if self._outer_context is not None or op.type not in EXITS:
            op.graph.prevent_fetching(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _output(self, value):
        """A tensor that the branch returns, inside the branch."""
        if isinstance(value, Operation):
            return with_dependencies([value], self._pivot)
        tensor = convert_to_tensor(getattr(value, "flow", value))
        if tensor.name in self._values:
            return self._external_values.get(tensor.name, tensor)
        self._values.add(tensor.name)  # the branch returns what is outside
        real = _switch_at(self._from_outside(tensor), self._pred)[self._branch]
        self._external_values[tensor.name] = real
        return real

    def BuildCondBranch(self, fn):
        """(what fn() returned, its tensors inside the branch)"""
        original = fn()
        if original is None:
            return None, None
        result = _nest.map_structure(self._output, original, expand_composites=True)
        return original, result if isinstance(result, (list, tuple)) else [result]

    def to_proto(self, export_scope=None):
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        made = message("CondContextDef")()
        made.context_name = strip_scope(self.name, export_scope)
        made.pred_name = strip_scope(self._pred.name, export_scope)
        made.pivot_name = strip_scope(self._pivot.name, export_scope)
        made.branch = self._branch
        made.values_def.MergeFrom(self._to_values_def(export_scope))
        self._write_nested(made)
        return made

    def to_control_flow_context_def(self, context_def, export_scope=None):
        context_def.cond_ctxt.CopyFrom(self.to_proto(export_scope))

    @staticmethod
    def from_proto(context_def, import_scope=None):
        made = CondContext(context_def=context_def, import_scope=import_scope)
        made._read_nested(context_def, import_scope)
        return made


def shape_is_within(shape, invariant):
    """Whether each tensor of |shape| has the shape |invariant|."""
    if invariant.ndims is None:
        return True
    if shape.ndims != invariant.ndims:
        return False
    return all(wanted is None or size == wanted for size, wanted in zip(shape.as_list(), invariant.as_list()))


def add_back_edge(merged, value):
    """Makes |value| the one of the next iteration."""
    value = _next_iteration(convert_to_tensor(value))
    if not shape_is_within(value.shape, merged.shape):
        entered = merged.op.inputs[0].op.inputs[0]
        raise ValueError("Input tensor '%s' enters the loop with shape %s, but has shape %s after one iteration. To allow "
                         "the shape to vary across iterations, use the `shape_invariants` argument of tf.while_loop to "
                         "specify a less-specific shape." % (entered.name, entered.shape, value.shape))
    try:
        merged.op._update_input(1, value)
    except _errors.OpError as error:
        raise ValueError(error.message) from None
    return value


def invariants_of(value, shape):
    """The shapes that the tensors of a loop variable |value| keep; |shape| None: those that they have."""
    parts = _nest.flatten(getattr(value, "flow", value), True)
    if isinstance(value, SparseTensor):
        rank = value.shape.ndims if shape is None else TensorShape(shape).as_list()[0]
        return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]
    if shape is None:
        return [part.shape for part in parts]
    shape = TensorShape(shape)
    if isinstance(value, IndexedSlices):
        return [shape, TensorShape([shape[0]]), TensorShape([shape.ndims])][:len(parts)]
    return [shape]
