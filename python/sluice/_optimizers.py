"""Optimizers, as tf.train.Optimizer and its kinds: slots, names and updates are those of TensorFlow 1.x."""
import contextlib

from sluice import _initializers
from sluice._api import export
from sluice._array import shape_of
from sluice._convert import constant, convert_to_tensor
from sluice._gradients import IndexedSlices, gradients
from sluice._graph import GraphKeys, Tensor, colocate_with, control_dependencies, get_default_graph, name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._partitioned import PartitionedVariable, SaveSliceInfo
from sluice._resource_variables import ResourceVariable
from sluice._variable_scope import get_variable_scope, variable_scope
from sluice._variables import Variable, group


def make_slot(primary, initializer, shape, dtype, name, beside=True):
    """A variable that an optimizer keeps for |primary|, on its device if |beside|: w/Adam, w/Adam_1 and so on."""
    with variable_scope(None, primary.op.name + "/" + name) as scope:
        scope.set_partitioner(None)
        with colocate_with(primary) if beside else contextlib.nullcontext():
            made = get_variable_scope().get_variable("", shape=shape, dtype=dtype, initializer=initializer, trainable=False,
                                                     use_resource=isinstance(primary, ResourceVariable),
                                                     partitioner=None)
    info = primary._get_save_slice_info() if isinstance(primary, Variable) else None
    if info is not None:  # a slot of a part is a part of the slot
        label = made.op.name[len(primary.op.name) + 1:]  # as TensorFlow cuts it, also where a scope was put before
        made._set_save_slice_info(SaveSliceInfo(info.full_name + "/" + label, info.full_shape, info.var_offset,
                                                 info.var_shape))
    return made


def _without_duplicates(values, indices):
    """Rows with one index, summed."""
    unique = apply("Unique", None, x=indices)
    count = shape_of(unique.y)[0]
    return apply("UnsortedSegmentSum", None, data=values, segment_ids=unique.idx, num_segments=count), unique.y


@export("train.Optimizer")
class Optimizer:
    """The base of optimizers. A subclass has _apply_dense(grad, var), _apply_sparse(grad, var), and what they need:
    _create_slots(var_list), _prepare(), _finish(update_ops, name_scope)."""
    GATE_NONE, GATE_OP, GATE_GRAPH = 0, 1, 2

    def __init__(self, use_locking, name):
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking, self._name, self._slots, self._non_slot_dict = use_locking, name, {}, {}

    def get_name(self):
        return self._name

    def minimize(self, loss, global_step=None, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
                 colocate_gradients_with_ops=False, name=None, grad_loss=None):
        pairs = self.compute_gradients(loss, var_list=var_list, gate_gradients=gate_gradients,
                                       aggregation_method=aggregation_method,
                                       colocate_gradients_with_ops=colocate_gradients_with_ops, grad_loss=grad_loss)
        if not any(g is not None for g, _ in pairs):
            raise ValueError("No gradients provided for any variable, check your graph for ops that do not support gradients, "
                             "between variables %s and loss %s." % ([str(v) for _, v in pairs], loss))
        return self.apply_gradients(pairs, global_step=global_step, name=name)

    def compute_gradients(self, loss, var_list=None, gate_gradients=GATE_OP, aggregation_method=None,
                          colocate_gradients_with_ops=False, grad_loss=None):
        """[(gradient or None, variable)]"""
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError("gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, Optimizer.GATE_GRAPH. "
                             "Not %s" % gate_gradients)
        if callable(loss) and not isinstance(loss, Tensor):
            raise RuntimeError("`loss` must be a tensor: a function is for eager execution, which is not there")
        graph = get_default_graph()
        if var_list is None:
            var_list = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES) + \
                graph.get_collection(GraphKeys.TRAINABLE_RESOURCE_VARIABLES)
        var_list = [v for item in var_list
                    for v in (item if isinstance(item, (list, tuple, PartitionedVariable)) else [item])]
        if not var_list:
            raise ValueError("No variables to optimize.")
        found = gradients(loss, var_list, grad_ys=grad_loss, aggregation_method=aggregation_method,
                          colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gate_gradients == self.GATE_GRAPH:
            import sluice as tf
            found = tf.tuple(found)
        return list(zip(found, var_list))

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An operation that changes the variables, and then adds 1 to |global_step|."""
        pairs = [(g if g is None or isinstance(g, IndexedSlices) else convert_to_tensor(g), v) for g, v in grads_and_vars]
        if not pairs:
            raise ValueError("No variables provided.")
        for g, v in pairs:
            if not isinstance(v, Variable):
                raise TypeError("Variable must be a Variable: %s" % (v,))
        variables = [v for g, v in pairs if g is not None]
        if not variables:
            raise ValueError("No gradients provided for any variable: %s." % ([str(v) for _, v in pairs],))
        with control_dependencies(None):
            self._create_slots(variables)
        updates = []
        with name_scope(name, self._name) as scope:
            self._prepare()
            for g, v in pairs:
                if g is not None:
                    with name_scope("update_" + v.op.name), colocate_with(v):
                        updates.append(self._update(g, v))
            if global_step is None:
                applied = self._finish(updates, scope)
            else:
                with control_dependencies([self._finish(updates, "update")]), colocate_with(global_step):
                    if isinstance(global_step, ResourceVariable):
                        one = constant(1, dtype=global_step.dtype)
                        applied = apply("AssignAddVariableOp", scope, resource=global_step.handle, value=one)
                        return self._remember(applied)
                    ref = global_step._ref() if isinstance(global_step, Variable) else global_step
                    applied = apply("AssignAdd", scope, ref=ref, value=1).op
        return self._remember(applied)

    @staticmethod
    def _remember(applied):
        collection = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if applied not in collection:
            collection.append(applied)
        return applied

    def _update(self, grad, var):
        resource = isinstance(var, ResourceVariable)
        if isinstance(grad, IndexedSlices):
            if var.constraint is not None:
                raise RuntimeError("Cannot use a constraint function on a sparse variable.")
            if resource:
                return self._resource_apply_sparse_duplicate_indices(grad.values, var, grad.indices)
            return self._apply_sparse_duplicate_indices(grad, var)
        update = self._resource_apply_dense(grad, var) if resource else self._apply_dense(grad, var)
        if var.constraint is None:
            return update
        with control_dependencies([update]):
            return var.assign(var.constraint(var))

    # --- For subclasses ---

    def _create_slots(self, var_list):
        pass

    def _prepare(self):
        pass

    def _apply_dense(self, grad, var):
        raise NotImplementedError("%s has no _apply_dense" % type(self).__name__)

    def _apply_sparse(self, grad, var):
        raise NotImplementedError("%s has no _apply_sparse" % type(self).__name__)

    def _resource_apply_dense(self, grad, handle):
        raise NotImplementedError("%s has no _resource_apply_dense" % type(self).__name__)

    def _resource_apply_sparse(self, grad, handle, indices):
        raise NotImplementedError("%s has no _resource_apply_sparse" % type(self).__name__)

    def _apply_sparse_duplicate_indices(self, grad, var):
        """Sums rows with one index, and then calls _apply_sparse()."""
        values, indices = _without_duplicates(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, indices, grad.dense_shape), var)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        values, indices = _without_duplicates(grad, indices)
        return self._resource_apply_sparse(values, handle, indices)

    def _finish(self, update_ops, name_scope):
        return group(*update_ops, name=name_scope)

    def _call_if_callable(self, value):
        return value() if callable(value) and not isinstance(value, (Tensor, Variable)) else value

    def _tensor(self, value, name):
        return convert_to_tensor(self._call_if_callable(value), name=name)

    def _slot_dict(self, slot_name):
        return self._slots.setdefault(slot_name, {})

    def _zeros_slot(self, var, slot_name, op_name):
        return self._get_or_make_slot_with_initializer(var, _initializers.Zeros(), var.shape, var.dtype.base_dtype,
                                                       slot_name, op_name)

    def _get_or_make_slot_with_initializer(self, var, initializer, shape, dtype, slot_name, op_name):
        slots, key = self._slot_dict(slot_name), (var.graph, var.op.name)
        if key not in slots:
            slots[key] = make_slot(var, initializer, shape, dtype, op_name)
        return slots[key]

    def _get_or_make_slot(self, var, val, slot_name, op_name):
        slots, key = self._slot_dict(slot_name), (var.graph, var.op.name)
        if key not in slots:
            slots[key] = make_slot(var, val, None, None, op_name)
        return slots[key]

    def _create_non_slot_variable(self, initial_value, name, colocate_with):
        graph = get_default_graph()
        if (name, graph) not in self._non_slot_dict:
            with graph.colocate_with(colocate_with):
                self._non_slot_dict[name, graph] = Variable(initial_value, name=name, trainable=False,
                                                            use_resource=isinstance(colocate_with, ResourceVariable))
        return self._non_slot_dict[name, graph]

    def _get_non_slot_variable(self, name, graph=None):
        return self._non_slot_dict.get((name, graph))

    def get_slot(self, var, name):
        return self._slots.get(name, {}).get((var.graph, var.op.name))

    def get_slot_names(self):
        return sorted(self._slots)

    def variables(self):
        """The variables of the optimizer in the default graph."""
        graph = get_default_graph()
        found = [v for (_, owner), v in self._non_slot_dict.items() if owner is graph]
        found += [v for slots in self._slots.values() for (owner, _), v in slots.items() if owner is graph]
        return sorted(found, key=lambda v: v.name)


class WrappingOptimizer(Optimizer):
    """An optimizer around another one, _opt, which has the slots."""

    def get_slot(self, *args, **kwargs):
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args, **kwargs):
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self):
        return self._opt.variables()


class Ruled(Optimizer):
    """An optimizer whose update is one op: Apply... of the variable, its slots and the hyper-parameters."""
    _rule = None  # the op's name after Apply
    _slot_names = ()  # (name of the slot, argument of the op)
    _scalars = ()  # (attribute, argument of the op, name of the tensor)
    _attributes = ()  # arguments of the op that are attributes
    _gradient = "grad"  # the op's argument for the gradient

    def _create_slots(self, var_list):
        for name, _ in self._slot_names:
            for v in var_list:
                self._zeros_slot(v, name, self._name)

    def _prepare(self):
        self._tensors = {argument: self._tensor(getattr(self, attribute), name)
                         for attribute, argument, name in self._scalars}

    def _arguments(self, var):
        made = {argument: self.get_slot(var, name)._ref() for name, argument in self._slot_names}
        made.update({key: cast(value, var.dtype.base_dtype) for key, value in self._tensors.items()})
        made.update({key: getattr(self, "_" + key) for key in self._attributes})
        return dict(made, var=var._ref(), use_locking=self._use_locking)

    def _apply_dense(self, grad, var):
        return apply("Apply" + self._rule, None, **{self._gradient: grad}, **self._arguments(var)).op

    def _apply_sparse(self, grad, var):
        return apply("SparseApply" + self._rule, None, grad=grad.values, indices=grad.indices, **self._arguments(var)).op

    def _resource_apply_dense(self, grad, var):
        return apply("ResourceApply" + self._rule, None, **{self._gradient: grad}, **self._arguments(var))

    def _resource_apply_sparse(self, grad, var, indices):
        return apply("ResourceSparseApply" + self._rule, None, grad=grad, indices=indices, **self._arguments(var))


@export("train.GradientDescentOptimizer")
class GradientDescentOptimizer(Optimizer):
    def __init__(self, learning_rate, use_locking=False, name="GradientDescent"):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate

    def _prepare(self):
        self._rate = self._tensor(self._learning_rate, "learning_rate")

    def _apply_dense(self, grad, var):
        return apply("ApplyGradientDescent", None, var=var._ref(), alpha=cast(self._rate, var.dtype.base_dtype), delta=grad,
                     use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        return apply("ResourceApplyGradientDescent", None, var=var.handle, alpha=cast(self._rate, var.dtype), delta=grad,
                     use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad, var, indices):
        delta = -grad * cast(self._rate, var.dtype)
        return apply("ResourceScatterAdd", None, resource=var.handle, indices=indices, updates=delta)

    def _apply_sparse_duplicate_indices(self, grad, var):
        delta = grad.values * cast(self._rate, var.dtype.base_dtype)
        return apply("ScatterSub", None, ref=var._ref(), indices=grad.indices, updates=delta,
                     use_locking=self._use_locking).op


@export("train.AdagradOptimizer")
class AdagradOptimizer(Ruled):
    _rule, _slot_names = "Adagrad", (("accumulator", "accum"),)
    _scalars = (("_learning_rate", "lr", "learning_rate"),)

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False, name="Adagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError("initial_accumulator_value must be positive: %s" % initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._initial_accumulator_value = learning_rate, initial_accumulator_value

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            self._get_or_make_slot_with_initializer(v, _initializers.Constant(self._initial_accumulator_value, dtype=dtype),
                                                    v.shape, dtype, "accumulator", self._name)


@export("train.MomentumOptimizer")
class MomentumOptimizer(Ruled):
    _rule, _slot_names, _attributes = "Momentum", (("momentum", "accum"),), ("use_nesterov",)
    _scalars = (("_learning_rate", "lr", "learning_rate"), ("_momentum", "momentum", "momentum"))

    def __init__(self, learning_rate, momentum, use_locking=False, name="Momentum", use_nesterov=False):
        super().__init__(use_locking, name)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov


@export("train.AdadeltaOptimizer")
class AdadeltaOptimizer(Ruled):
    _rule, _slot_names = "Adadelta", (("accum", "accum"), ("accum_update", "accum_update"))
    _scalars = (("_lr", "lr", "lr"), ("_rho", "rho", "rho"), ("_epsilon", "epsilon", "epsilon"))

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False, name="Adadelta"):
        super().__init__(use_locking, name)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, "accum", self._name)
            self._zeros_slot(v, "accum_update", self._name)


@export("train.RMSPropOptimizer")
class RMSPropOptimizer(Ruled):
    _scalars = (("_learning_rate", "lr", "learning_rate"), ("_decay", "rho", "decay"), ("_momentum", "momentum", "momentum"),
                ("_epsilon", "epsilon", "epsilon"))

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, centered=False,
                 name="RMSProp"):
        super().__init__(use_locking, name)
        self._learning_rate, self._decay, self._momentum, self._epsilon = learning_rate, decay, momentum, epsilon
        self._rule = "CenteredRMSProp" if centered else "RMSProp"
        self._slot_names = ((("mg", "mg"),) if centered else ()) + (("rms", "ms"), ("momentum", "mom"))

    def _create_slots(self, var_list):
        for v in var_list:
            self._get_or_make_slot_with_initializer(v, _initializers.Ones(dtype=v.dtype.base_dtype), v.shape,
                                                    v.dtype.base_dtype, "rms", self._name)
            if self._rule == "CenteredRMSProp":
                self._zeros_slot(v, "mg", self._name)
            self._zeros_slot(v, "momentum", self._name)


@export("train.AdamOptimizer")
class AdamOptimizer(Optimizer):
    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8, use_locking=False, name="Adam"):
        super().__init__(use_locking, name)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon

    def _get_beta_accumulators(self):
        graph = get_default_graph()
        return self._get_non_slot_variable("beta1_power", graph), self._get_non_slot_variable("beta2_power", graph)

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        self._create_non_slot_variable(self._call_if_callable(self._beta1), "beta1_power", first)
        self._create_non_slot_variable(self._call_if_callable(self._beta2), "beta2_power", first)
        for v in var_list:
            self._zeros_slot(v, "m", self._name)
            self._zeros_slot(v, "v", self._name)

    def _prepare(self):
        self._lr_t = self._tensor(self._lr, "learning_rate")
        self._beta1_t, self._beta2_t = self._tensor(self._beta1, "beta1"), self._tensor(self._beta2, "beta2")
        self._epsilon_t = self._tensor(self._epsilon, "epsilon")

    def _scalars(self, dtype):
        powers = [p if isinstance(p, ResourceVariable) else p.value() for p in self._get_beta_accumulators()]
        return (cast(t, dtype) for t in (*powers, self._lr_t, self._beta1_t, self._beta2_t,
                                         self._epsilon_t))

    def _resource_apply_dense(self, grad, var):
        dtype = grad.dtype.base_dtype
        powers = [cast(p, dtype) for p in self._get_beta_accumulators()]
        rest = [cast(t, dtype) for t in (self._lr_t, self._beta1_t, self._beta2_t, self._epsilon_t)]
        return apply("ResourceApplyAdam", None, var=var.handle, m=self.get_slot(var, "m").handle,
                     v=self.get_slot(var, "v").handle, beta1_power=powers[0], beta2_power=powers[1], lr=rest[0],
                     beta1=rest[1], beta2=rest[2], epsilon=rest[3], grad=grad, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        return self._apply_sparse(IndexedSlices(grad, indices), var)

    def _apply_dense(self, grad, var):
        power1, power2, lr, beta1, beta2, epsilon = self._scalars(var.dtype.base_dtype)
        return apply("ApplyAdam", None, var=var._ref(), m=self.get_slot(var, "m")._ref(), v=self.get_slot(var, "v")._ref(),
                     beta1_power=power1, beta2_power=power2, lr=lr, beta1=beta1, beta2=beta2, epsilon=epsilon, grad=grad,
                     use_locking=self._use_locking).op

    def _apply_sparse(self, grad, var):
        power1, power2, lr, beta1, beta2, epsilon = self._scalars(var.dtype.base_dtype)
        rate = lr * apply("Sqrt", None, x=1 - power2) / (1 - power1)
        m, v = self.get_slot(var, "m"), self.get_slot(var, "v")
        scaled = grad.values * (1 - beta1)
        m_t = self._decay_and_add(m, beta1, grad.indices, scaled)
        squared = (grad.values * grad.values) * (1 - beta2)
        v_t = self._decay_and_add(v, beta2, grad.indices, squared)
        root = apply("Sqrt", None, x=v_t)
        update = var.assign_sub(rate * m_t / (root + epsilon), use_locking=self._use_locking)
        return group(update, m_t, v_t)

    def _decay_and_add(self, slot, decay, indices, values):
        decayed = slot.assign(slot * decay, use_locking=self._use_locking)
        with control_dependencies([decayed]):
            if isinstance(slot, ResourceVariable):
                added = apply("ResourceScatterAdd", None, resource=slot.handle, indices=indices, updates=values)
                with control_dependencies([added]):
                    return slot.value()
            return apply("ScatterAdd", None, ref=slot._ref(), indices=indices, updates=values, use_locking=self._use_locking)

    def _finish(self, update_ops, name_scope):
        with control_dependencies(update_ops):
            power1, power2 = self._get_beta_accumulators()
            with colocate_with(power1):
                updates = [power1.assign(power1 * self._beta1_t, use_locking=self._use_locking),
                           power2.assign(power2 * self._beta2_t, use_locking=self._use_locking)]
        return group(*update_ops + updates, name=name_scope)
