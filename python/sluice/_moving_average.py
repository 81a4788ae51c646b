"""tf.train.ExponentialMovingAverage: averages of variables that follow their values."""
from sluice import _dtypes
from sluice._api import export
from sluice._cond import cond
from sluice._convert import convert_to_tensor
from sluice._graph import GraphKeys, control_dependencies, get_collection, get_default_graph, name_scope
from sluice._initializers import Zeros
from sluice._math import cast
from sluice._oplib import apply
from sluice._optimizers import make_slot
from sluice._resource_variables import ResourceVariable
from sluice._state import assign_sub
from sluice._variables import Variable, global_variables, group, trainable_variables


def initialized_value(variable):
    """The value of |variable|, or before it has one, its initial value."""
    if isinstance(variable, ResourceVariable):
        return cond(variable.is_initialized(), variable.read_value, lambda: variable.initial_value)
    ref = variable._ref()
    known = apply("IsVariableInitialized", None, ref=ref)
    with name_scope("cond"):
        switch = apply("RefSwitch", "read/Switch", data=ref, pred=known)
        value = apply("Identity", "read", input=switch.output_true)
        first = apply("Switch", None, data=variable.initial_value, pred=known).output_false
        return apply("Merge", None, inputs=[first, value]).output


@export("moving_average_variables")
def moving_average_variables(scope=None):
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def assign_moving_average(variable, value, decay):
    """variable -= (1 - decay) * (variable - value)"""
    with name_scope(None, "AssignMovingAvg", [variable, value, decay]) as scope:
        rate = convert_to_tensor(1.0 - decay, name="decay")
        if rate.dtype != variable.dtype.base_dtype:
            rate = cast(rate, variable.dtype.base_dtype)
        return assign_sub(variable, (variable - value) * rate, name=scope)


@export("train.ExponentialMovingAverage")
class ExponentialMovingAverage:
    """Averages of variables: average = decay * average + (1 - decay) * value. |num_updates| makes the decay smaller in the
    beginning."""

    def __init__(self, decay, num_updates=None, zero_debias=False, name="ExponentialMovingAverage"):
        if zero_debias:
            raise NotImplementedError("zero_debias is not there yet")
        self._decay, self._num_updates, self._name, self._averages = decay, num_updates, name, {}

    name = property(lambda self: self._name)

    def apply(self, var_list=None):
        """An operation that updates the averages of |var_list|, variables or tensors; by default, of the trainable variables."""
        var_list = trainable_variables() if var_list is None else list(var_list)
        for v in var_list:
            if not v.dtype.base_dtype.is_floating:
                raise TypeError("The variables must be half, float, or double: %s" % v.name)
            if v in self._averages:
                continue
            if not isinstance(v, Variable):  # a tensor, such as a loss
                with control_dependencies(None):
                    self._averages[v] = make_slot(v, Zeros(), v.shape, v.dtype.base_dtype, self._name, beside=False)
                continue
            with control_dependencies(None):
                self._averages[v] = make_slot(v, initialized_value(v), None, v.dtype.base_dtype, self._name)
            graph = get_default_graph()
            if v not in graph.get_collection_ref(GraphKeys.MOVING_AVERAGE_VARIABLES):
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, v)
        with name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, name="decay")
            if self._num_updates is not None:
                updates = cast(self._num_updates, _dtypes.float32, name="num_updates")
                decay = apply("Minimum", None, x=decay, y=(1.0 + updates) / (10.0 + updates))
            return group(*[assign_moving_average(self._averages[v], v, decay) for v in var_list], name=scope)

    def average(self, var):
        """The variable that holds the average of |var|; None if there is none."""
        return self._averages.get(var)

    def average_name(self, var):
        if var in self._averages:
            return self._averages[var].op.name
        return get_default_graph().unique_name(var.op.name + "/" + self._name, mark_as_used=False)

    def variables_to_restore(self, moving_avg_variables=None):
        """{name in a checkpoint: variable}: averaged variables are restored from their averages."""
        averaged = set(moving_average_variables() + trainable_variables() if moving_avg_variables is None else
                       moving_avg_variables)
        names = {self.average_name(v): v for v in averaged}
        kept = set(names) | {v.op.name for v in averaged}
        names.update({v.op.name: v for v in global_variables() if v.op.name not in kept})
        return names
