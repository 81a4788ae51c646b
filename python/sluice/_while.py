"""tf.while_loop."""
from sluice import _nest
from sluice._api import export
from sluice._contexts import ENTERS, EXITS, output_context
from sluice._control_flow import (ControlFlowContext, _enter, _exit, _is_constant_enter, _switch_at, add_back_edge,
                                  identity, invariants_of, merge, prepend_scope, shape_is_within, strip_scope)
from sluice._convert import constant, convert_to_tensor
from sluice._graph import GraphKeys, control_dependencies, get_default_graph, name_scope
from sluice._message import message
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._tensor_array import TensorArray, build_ta_with_new_flow


def _flow_of(value):
    return value.flow if isinstance(value, TensorArray) else value


def _with_flow(value, flow):
    return build_ta_with_new_flow(value, flow) if isinstance(value, TensorArray) else flow


def _loop_variable(value):
    if isinstance(value, TensorArray) or _nest.is_composite(value):
        return value
    return convert_to_tensor(value)


class WhileContext(ControlFlowContext):
    """A loop."""

    def __init__(self, maximum_iterations=None, parallel_iterations=10, back_prop=True, swap_memory=False,
                 name="while_context", grad_state=None, context_def=None, import_scope=None):
        super().__init__()
        if context_def is not None:
            self._read(context_def, import_scope)
            return
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError("'parallel_iterations' must be a positive integer: %s" % parallel_iterations)
        self._name = get_default_graph().unique_name(name)
        self._maximum_iterations, self._parallel_iterations = maximum_iterations, parallel_iterations
        self._back_prop, self._swap_memory = back_prop, swap_memory
        # What constants of the condition and of the body wait for; the condition itself.
        self._pivot_for_pred = self._pivot_for_body = self._pivot = None
        self._loop_enters, self._loop_exits = [], []

    maximum_iterations = property(lambda self: self._maximum_iterations)
    parallel_iterations = property(lambda self: self._parallel_iterations)
    back_prop = property(lambda self: self._back_prop)
    swap_memory = property(lambda self: self._swap_memory)
    pivot = property(lambda self: self._pivot)
    loop_enters = property(lambda self: self._loop_enters)
    loop_exits = property(lambda self: self._loop_exits)

    def IsWhileContext(self):
        return True

    def GetWhileContext(self):
        return self

    def GetControlPivot(self):
        return self._pivot_for_pred if self._pivot_for_body is None else self._pivot_for_body

    # --- What is built inside ---

    def AddValue(self, val):
        """|val| as it can be used in the loop."""
        if val.name in self._values or val.op._control_flow_context is self:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        result = val if self._outer_context is None else self._outer_context.AddValue(val)
        with control_dependencies(None):
            result = _enter(result, self._name, is_constant=True, parallel_iterations=self._parallel_iterations)
            result.graph.prevent_feeding(result)
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(result.op)
        self._fix_controls([result])
        self._values.add(result.name)
        self._external_values[val.name] = result
        return result

    def AddOp(self, op, external_controls=()):
        inputs = op.inputs
        if op.type in ("PartitionedCall", "StatefulPartitionedCall"):
            op._add_control_input(self.GetControlPivot().op)
        for index, tensor in enumerate(inputs):
            real = self.AddValue(tensor)
            if real is not tensor:
                op._update_input(index, real)
        if self._needs_pivot(op):
            op._add_control_input(self.GetControlPivot().op)
        self._values.update(t.name for t in op.outputs)
        self._bring_controls_in(op, external_controls)
        if self._outer_context is not None or op.type not in EXITS:
            op.graph.prevent_fetching(op)
            for tensor in op.outputs:
                op.graph.prevent_feeding(tensor)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    @staticmethod
    def _needs_pivot(op):
        """Whether nothing tells |op| in which iteration to run."""
        inputs = op.inputs
        if op.control_inputs:
            return False
        if inputs and (op.graph._is_function(op.type) or op.type == "SymbolicGradient"):
            return True
        return all(_is_constant_enter(tensor.op) for tensor in inputs)

    def _bring_controls_in(self, op, external_controls):
        """Lets |op| wait for operations outside, through an Enter of their outputs."""
        if not external_controls:
            return
        with control_dependencies(None):
            self.Enter()
            inside = [identity(one.outputs[0]).op for one in external_controls if one.outputs]
            self.Exit()
        op._add_control_inputs(inside)

    def _fix_controls(self, enters):
        """Gives Enter operations the control inputs that they may have, outside of this loop, and this context."""
        graph = get_default_graph()
        outer = self._outer_context
        outer_loop = None if outer is None else outer.GetWhileContext()
        for tensor in enters:
            op = tensor.op
            for control in graph._control_inputs([op.inputs[0]]):
                context = outer
                wanted = output_context(control)
                while context is not wanted and context is not None and context is not outer_loop:
                    context = context.outer_context
                if context is wanted:
                    op._add_control_input(control)
            op._control_flow_context = self
            for scope in graph._control_scopes:
                scope.seen.add(op._number)

    # --- Building the loop ---

    def BuildLoop(self, pred, body, loop_vars, shape_invariants, return_same_structure):
        original = _nest.flatten(loop_vars, True)
        loop_vars = _nest.map_structure(_loop_variable, loop_vars)
        leaves = _nest.flatten(loop_vars)
        shapes = [None] * len(leaves) if shape_invariants is None else _flat_shapes(loop_vars, shape_invariants)
        invariants = [one for leaf, shape in zip(leaves, shapes) for one in invariants_of(leaf, shape)]
        values = [_flow_of(v) for v in _nest.flatten(loop_vars, True)]
        try:
            self.Enter()
            result, exits = self._build(pred, body, original, loop_vars, values, invariants)
        finally:
            self.Exit()
        flat = _nest.flatten(result, True)
        packed = _nest.pack_sequence_as(result, [_with_flow(v, e) for v, e in zip(flat, exits)], True)
        return packed if return_same_structure or len(exits) != 1 else packed[0]

    def _enter_all(self, values, invariants):
        self._values = {t.name for t in values}
        real = values if self._outer_context is None else [self._outer_context.AddValue(t) for t in values]
        enters = []
        with control_dependencies(None):
            for tensor, invariant in zip(real, invariants):
                made = _enter(tensor, self._name, False, self._parallel_iterations, use_input_shape=False)
                if not shape_is_within(tensor.shape, invariant):
                    raise ValueError("The shape invariant specified for %s is not compatible with the initial shape of the "
                                     "loop variable. It enters the loop with shape %s, but the specified shape invariant "
                                     "is %s." % (tensor.name, tensor.shape, invariant))
                made.set_shape(invariant)
                made.graph.prevent_feeding(made)
                if self._outer_context is not None:
                    self._outer_context.AddInnerOp(made.op)
                enters.append(made)
        self._wait_for_outer_pivot(enters)
        self._fix_controls(enters)
        self._values = {t.name for t in enters}
        self._loop_enters = enters
        return enters

    def _wait_for_outer_pivot(self, enters):
        context, pivot = self._outer_context, None
        while context is not None and pivot is None:
            pivot, context = context.GetControlPivot(), context.outer_context
        for tensor in enters if pivot is not None else []:
            if _is_constant_enter(tensor.op.inputs[0].op):
                tensor.op._add_control_input(pivot.op)

    def _build(self, pred, body, original, loop_vars, values, invariants):
        enters = self._enter_all(values, invariants)
        merges = [merge([t, t])[0] for t in enters]
        self._pivot_for_pred = merges[0]
        flowing = [_with_flow(v, t) for v, t in zip(original, merges)]
        condition = convert_to_tensor(pred(*_nest.pack_sequence_as(loop_vars, flowing, True)))
        self._pivot = apply("LoopCond", "LoopCond", input=condition)
        switches = [_switch_at(t, self._pivot) for t in merges]
        inside = [identity(t[1]) for t in switches]
        self._pivot_for_body = inside[0]
        given = _nest.pack_sequence_as(loop_vars, [_with_flow(v, t) for v, t in zip(original, inside)], True)
        result = body(*given)
        if not _nest.is_nested(result):
            result = [result]
        _nest.assert_same_structure(list(given), list(result), expand_composites=True)
        flat = [convert_to_tensor(_flow_of(v)) for v in _nest.flatten(result, True)]
        if len(merges) != len(flat):
            raise ValueError("Number of inputs and outputs of 'body' must match 'loop_vars'. Got %d for the number of "
                             "inputs/outputs, and %d for 'loop_vars'." % (len(merges), len(flat)))
        for merged, value in zip(merges, flat):
            add_back_edge(merged, value)
        self._loop_exits = exits = [_exit(t[0]) for t in switches]
        self.ExitResult(exits)
        return result, exits

    # --- In files ---

    def to_proto(self, export_scope=None):
        if export_scope is not None and not self.name.startswith(export_scope):
            return None
        made = message("WhileContextDef")()
        made.context_name = strip_scope(self.name, export_scope)
        made.parallel_iterations = self._parallel_iterations
        if self._maximum_iterations is not None:
            made.maximum_iterations_name = strip_scope(self._maximum_iterations.name, export_scope)
        made.back_prop, made.swap_memory = self._back_prop, self._swap_memory
        made.pivot_for_pred_name = strip_scope(self._pivot_for_pred.name, export_scope)
        made.pivot_for_body_name = strip_scope(self._pivot_for_body.name, export_scope)
        made.pivot_name = strip_scope(self._pivot.name, export_scope)
        made.loop_exit_names.extend(strip_scope(t.name, export_scope) for t in self._loop_exits)
        made.loop_enter_names.extend(strip_scope(t.name, export_scope) for t in self._loop_enters)
        made.values_def.MergeFrom(self._to_values_def(export_scope))
        self._write_nested(made)
        return made

    def to_control_flow_context_def(self, context_def, export_scope=None):
        context_def.while_ctxt.CopyFrom(self.to_proto(export_scope))

    @staticmethod
    def from_proto(context_def, import_scope=None):
        made = WhileContext(context_def=context_def, import_scope=import_scope)
        made._read_nested(context_def, import_scope)
        return made

    def _read(self, context_def, scope):
        def element(name):
            return get_default_graph().as_graph_element(prepend_scope(name, scope))
        self._name = prepend_scope(context_def.context_name, scope)
        self._maximum_iterations = element(context_def.maximum_iterations_name) \
            if context_def.maximum_iterations_name else None
        self._parallel_iterations = context_def.parallel_iterations
        self._back_prop, self._swap_memory = context_def.back_prop, context_def.swap_memory
        self._pivot_for_pred = element(context_def.pivot_for_pred_name)
        self._pivot_for_body = element(context_def.pivot_for_body_name)
        self._pivot = element(context_def.pivot_name)
        self._loop_exits = [element(name) for name in context_def.loop_exit_names]
        self._loop_enters = [element(name) for name in context_def.loop_enter_names]
        self._read_values_def(context_def.values_def, scope)
        if not scope:
            return
        for name in self._values:  # the frame is called after the context
            op = get_default_graph().as_graph_element(name).op
            if op.type in ENTERS:
                op._set_attr("frame_name", message("AttrValue")(s=self._name.encode()))


def _flat_shapes(loop_vars, shape_invariants):
    """The shape of each loop variable, of a structure like theirs."""
    def is_shape(value):
        return isinstance(value, TensorShape) or not _nest.is_nested(value)

    def walk(variables, shapes):
        if not _nest.is_nested(variables):
            return [shapes]
        if is_shape(shapes) or len(variables) != len(shapes):
            raise ValueError("The two structures don't have the same nested structure: loop_vars %s, shape_invariants %s" %
                             (variables, shapes))
        if hasattr(variables, "keys"):
            return [s for key in sorted(variables) for s in walk(variables[key], shapes[key])]
        return [s for v, part in zip(variables, shapes) for s in walk(v, part)]
    return walk(loop_vars, shape_invariants)


@export("while_loop")
def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10, back_prop=True, swap_memory=False,
               name=None, maximum_iterations=None, return_same_structure=False):
    """Calls body(*loop_vars) again and again, while cond(*loop_vars) is true; returns the last values."""
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    with name_scope(name, "while", _nest.flatten(loop_vars)):
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        if maximum_iterations is not None:
            maximum_iterations = convert_to_tensor(maximum_iterations, name="maximum_iterations")
            if maximum_iterations.shape.ndims != 0:
                raise ValueError("'maximum_iterations' must be a scalar. Received shape: %s" % maximum_iterations.shape)
            counter = constant(0, dtype=maximum_iterations.dtype, name="iteration_counter")
            cond, body, loop_vars = _counted(cond, body, loop_vars, counter, maximum_iterations,
                                             len(loop_vars) == 1 and not return_same_structure)
            if shape_invariants is not None:
                shape_invariants = (TensorShape([]), shape_invariants)
        context = WhileContext(maximum_iterations, parallel_iterations, back_prop, swap_memory)
        if context.outer_context is None:
            get_default_graph().add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        result = context.BuildLoop(cond, body, loop_vars, shape_invariants, return_same_structure)
        return result if maximum_iterations is None else result[1]


def _counted(cond, body, loop_vars, counter, maximum, unpack):
    """The same loop with a counter that ends it."""
    if unpack:
        return (lambda i, v: apply("LogicalAnd", None, x=i < maximum, y=cond(v)), lambda i, v: (i + 1, body(v)),
                (counter, loop_vars[0]))
    return (lambda i, v: apply("LogicalAnd", None, x=i < maximum, y=cond(*v)), lambda i, v: (i + 1, body(*v)),
            (counter, loop_vars))
