"""Accumulators of gradients: tf.ConditionalAccumulator and tf.SparseConditionalAccumulator."""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._gradients import IndexedSlices
from sluice._graph import name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._shape import TensorShape


@export("ConditionalAccumulatorBase")
class ConditionalAccumulatorBase:
    """Sums gradients of a step; those of earlier steps are dropped."""

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype, self._accumulator_ref = as_dtype(dtype), accumulator_ref
        self._shape = TensorShape(None) if shape is None else TensorShape(shape)
        self._name = accumulator_ref.op.name.split("/")[-1]

    accumulator_ref = property(lambda self: self._accumulator_ref)
    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)

    def num_accumulated(self, name=None):
        return apply(self._op("NumAccumulated"), name or "%s_NumAccumulated" % self._name, handle=self._accumulator_ref)

    def set_global_step(self, new_global_step, name=None):
        return apply(self._op("SetGlobalStep"), name, handle=self._accumulator_ref,
                     new_global_step=cast(convert_to_tensor(new_global_step), _dtypes.int64))


@export("ConditionalAccumulator")
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Of dense gradients."""

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        shape = TensorShape(shape)
        made = apply("ResourceConditionalAccumulator", name, dtype=as_dtype(dtype), shape=shape, shared_name=shared_name,
                     reduction_type=reduction_type)
        super().__init__(dtype, shape, made)

    @staticmethod
    def _op(what):
        return "ResourceAccumulator" + what

    def apply_grad(self, grad, local_step=0, name=None):
        grad = convert_to_tensor(grad, dtype=self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return apply("ResourceAccumulatorApplyGradient", name, handle=self._accumulator_ref,
                     local_step=cast(convert_to_tensor(local_step), _dtypes.int64), gradient=grad)

    def take_grad(self, num_required, name=None):
        """The mean of the gradients, once there are |num_required|."""
        made = apply("ResourceAccumulatorTakeGradient", name, handle=self._accumulator_ref, num_required=num_required,
                     dtype=self._dtype)
        made.set_shape(self._shape)
        return made


@export("SparseConditionalAccumulator", "sparse.SparseConditionalAccumulator")
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Of IndexedSlices."""

    def __init__(self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"):
        shape = TensorShape(shape)
        made = apply("SparseConditionalAccumulator", name, dtype=as_dtype(dtype), shape=shape, shared_name=shared_name,
                     reduction_type=reduction_type)
        super().__init__(dtype, shape, made)

    @staticmethod
    def _op(what):
        return "Accumulator" + what

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        return apply("SparseAccumulatorApplyGradient", name, handle=self._accumulator_ref,
                     local_step=cast(convert_to_tensor(local_step), _dtypes.int64),
                     gradient_indices=cast(convert_to_tensor(grad_indices), _dtypes.int64),
                     gradient_values=convert_to_tensor(grad_values, dtype=self._dtype),
                     gradient_shape=cast(convert_to_tensor([] if grad_shape is None else grad_shape, preferred_dtype=
                                                           _dtypes.int64), _dtypes.int64),
                     has_known_shape=grad_shape is not None)

    def take_grad(self, num_required, name=None):
        """(indices, values, shape)"""
        return apply("SparseAccumulatorTakeGradient", name, handle=self._accumulator_ref, num_required=num_required,
                     dtype=self._dtype)

    def take_indexed_slices_grad(self, num_required, name=None):
        with name_scope(None):
            made = self.take_grad(num_required, name)
        return IndexedSlices(made.values, made.indices, made.shape)
