"""Optimizers with regularisation: FTRL, proximal gradient descent and Adagrad, dual averaging."""
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import colocate_with, device
from sluice._math import cast
from sluice._oplib import apply
from sluice._optimizers import Optimizer, Ruled
from sluice._variables import ones


def _not_negative(**values):
    for name, value in values.items():
        if value < 0.0:
            raise ValueError("%s %f needs to be positive or zero" % (name, value))


@export("train.FtrlOptimizer")
class FtrlOptimizer(Ruled):
    _slot_names = (("accum", "accum"), ("linear", "linear"))

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name="Ftrl", accum_name=None, linear_name=None,
                 l2_shrinkage_regularization_strength=0.0, beta=None):
        super().__init__(use_locking, name)
        _not_negative(initial_accumulator_value=initial_accumulator_value,
                      l1_regularization_strength=l1_regularization_strength,
                      l2_regularization_strength=l2_regularization_strength,
                      l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength)
        if learning_rate_power > 0.0:
            raise ValueError("learning_rate_power %f needs to be negative or zero" % learning_rate_power)
        self._learning_rate, self._power, self._initial = learning_rate, learning_rate_power, initial_accumulator_value
        self._l1, self._l2, self._shrinkage = \
            l1_regularization_strength, l2_regularization_strength, l2_shrinkage_regularization_strength
        self._beta, self._names = 0.0 if beta is None else beta, (accum_name or name, linear_name or name)
        self._rule = "FtrlV2" if self._shrinkage > 0.0 else "Ftrl"

    def _create_slots(self, var_list):
        def first(shape, dtype=None, partition_info=None):
            return ones(shape, dtype) * self._initial
        for v in var_list:
            self._get_or_make_slot_with_initializer(v, first, v.shape, v.dtype.base_dtype, "accum", self._names[0])
            self._zeros_slot(v, "linear", self._names[1])

    def _prepare(self):
        rate = self._tensor(self._learning_rate, "learning_rate")
        l1 = self._tensor(self._l1, "l1_regularization_strength")
        l2 = self._l2 + self._beta / (2. * apply("Maximum", None, x=self._call_if_callable(self._learning_rate), y=1e-36))
        l2 = convert_to_tensor(l2, name="adjusted_l2_regularization_strength")
        self._tensor(self._beta, "beta")
        shrinkage = self._tensor(self._shrinkage, "l2_shrinkage_regularization_strength")
        self._tensors = dict(lr=rate, l1=l1, l2=l2, lr_power=self._tensor(self._power, "learning_rate_power"))
        if self._rule == "FtrlV2":
            self._tensors["l2_shrinkage"] = shrinkage


class _Proximal(Ruled):
    def _prepare(self):
        rate = self._tensor(self._learning_rate, "learning_rate")
        self._tensors = {self._rate_argument: rate, "l1": self._tensor(self._l1, "l1_regularization_strength"),
                         "l2": self._tensor(self._l2, "l2_regularization_strength")}


@export("train.ProximalGradientDescentOptimizer")
class ProximalGradientDescentOptimizer(_Proximal):
    _rule, _rate_argument, _gradient = "ProximalGradientDescent", "alpha", "delta"

    def __init__(self, learning_rate, l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False,
                 name="ProximalGradientDescent"):
        super().__init__(use_locking, name)
        self._learning_rate, self._l1, self._l2 = learning_rate, l1_regularization_strength, l2_regularization_strength

    def _sparse_gradient_argument(self):
        return "grad"


@export("train.ProximalAdagradOptimizer")
class ProximalAdagradOptimizer(_Proximal):
    _rule, _rate_argument, _slot_names = "ProximalAdagrad", "lr", (("accumulator", "accum"),)

    def __init__(self, learning_rate, initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False, name="ProximalAdagrad"):
        if initial_accumulator_value <= 0.0:
            raise ValueError("initial_accumulator_value must be positive: %s" % initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._l1, self._l2 = learning_rate, l1_regularization_strength, l2_regularization_strength
        self._initial = initial_accumulator_value

    def _create_slots(self, var_list):
        for v in var_list:
            with colocate_with(v):
                first = constant(self._initial, shape=v.shape, dtype=v.dtype.base_dtype)
            self._get_or_make_slot(v, first, "accumulator", self._name)


@export("train.AdagradDAOptimizer")
class AdagradDAOptimizer(Optimizer):
    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0, use_locking=False, name="AdagradDA"):
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError("initial_gradient_squared_accumulator_value must be positive: %s" %
                             initial_gradient_squared_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate, self._global_step = learning_rate, global_step
        self._initial = initial_gradient_squared_accumulator_value
        self._l1, self._l2 = l1_regularization_strength, l2_regularization_strength

    def _create_slots(self, var_list):
        for v in var_list:
            with colocate_with(v):
                zeros = constant(0.0, shape=v.shape, dtype=v.dtype.base_dtype)
                first = constant(self._initial, shape=v.shape, dtype=v.dtype.base_dtype)
            self._get_or_make_slot(v, zeros, "gradient_accumulator", self._name)
            self._get_or_make_slot(v, first, "gradient_squared_accumulator", self._name)

    def _prepare(self):
        self._rate = self._tensor(self._learning_rate, "learning_rate")
        with colocate_with(self._rate):
            self._step = apply("Identity", None, input=self._global_step) + 1

    def _arguments(self, var):
        dtype = var.dtype.base_dtype
        with device(var.device):
            step = apply("Identity", None, input=self._step)
        return dict(var=var._ref(), gradient_accumulator=self.get_slot(var, "gradient_accumulator")._ref(),
                    gradient_squared_accumulator=self.get_slot(var, "gradient_squared_accumulator")._ref(),
                    lr=cast(self._rate, dtype), l1=cast(self._l1, dtype), l2=cast(self._l2, dtype), global_step=step,
                    use_locking=self._use_locking)

    def _apply_dense(self, grad, var):
        return apply("ApplyAdagradDA", None, grad=grad, **self._arguments(var)).op

    def _apply_sparse(self, grad, var):
        return apply("SparseApplyAdagradDA", None, grad=grad.values, indices=grad.indices, **self._arguments(var)).op

    def _resource_apply_dense(self, grad, var):
        return apply("ResourceApplyAdagradDA", None, grad=grad, **self._arguments(var))

    def _resource_apply_sparse(self, grad, var, indices):
        return apply("ResourceSparseApplyAdagradDA", None, grad=grad, indices=indices, **self._arguments(var))
