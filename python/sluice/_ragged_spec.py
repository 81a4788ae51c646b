"""Ragged tensors as elements of datasets: tf.RaggedTensorSpec."""
from sluice import _dtypes
from sluice._api import export
from sluice._dtypes import as_dtype
from sluice._oplib import apply
from sluice._ragged import RaggedTensor, as_ragged
from sluice._shape import TensorShape
from sluice._structure import TensorSpec


@export("RaggedTensorSpec")
class RaggedTensorSpec(TensorSpec):
    """The type, the shape and the number of ragged dimensions of a ragged tensor, which is one variant of an element."""

    def __init__(self, shape=None, dtype=_dtypes.float32, ragged_rank=None, row_splits_dtype=_dtypes.int64):
        super().__init__(shape, dtype)
        if ragged_rank is None:
            if self._shape.ndims is None:
                raise ValueError("Must specify ragged_rank or a shape with known rank.")
            ragged_rank = self._shape.ndims - 1
        if self._shape.ndims is not None and ragged_rank >= max(1, self._shape.ndims):
            raise ValueError("ragged_rank must be less than rank.")
        self.ragged_rank, self.row_splits_dtype = ragged_rank, as_dtype(row_splits_dtype)

    value_class = RaggedTensor
    flat_type = property(lambda self: _dtypes.variant)
    flat_shape = property(lambda self: TensorShape(None))

    def to_flat(self, value):
        return self._variant(value, False)

    def to_batched(self, value):
        return self._variant(value, True)

    def _variant(self, value, is_batch):
        value = as_ragged(value)
        if not isinstance(value, RaggedTensor):
            return apply("RaggedTensorToVariant", None, rt_nested_splits=[], rt_dense_values=value, batched_input=is_batch,
                         Tsplits=self.row_splits_dtype)
        return apply("RaggedTensorToVariant", None, rt_nested_splits=list(value.nested_row_splits),
                     rt_dense_values=value.flat_values, batched_input=is_batch)

    def from_flat(self, tensor):
        splits, values = apply("RaggedTensorFromVariant", None, encoded_ragged=tensor, input_ragged_rank=max(self.ragged_rank, -1) if
                               tensor.shape.ndims == 0 else -1, output_ragged_rank=self.ragged_rank, Tvalues=self._dtype,
                               Tsplits=self.row_splits_dtype)
        if self._shape.ndims is not None:
            values.set_shape(TensorShape([None]).concatenate(self._shape[self.ragged_rank + 1:]) if self.ragged_rank else
                             self._shape)
        return RaggedTensor.from_nested_row_splits(values, list(splits)) if self.ragged_rank else values

    def batched(self, size):
        return RaggedTensorSpec(TensorShape([size]).concatenate(self._shape), self._dtype, self.ragged_rank + 1,
                                self.row_splits_dtype)

    def unbatched(self):
        return RaggedTensorSpec(self._shape[1:], self._dtype, self.ragged_rank - 1, self.row_splits_dtype)

    def merged(self, other):
        return RaggedTensorSpec(self._shape.most_specific_compatible_shape(other.shape), self._dtype, self.ragged_rank,
                                self.row_splits_dtype)

    def __repr__(self):
        return "RaggedTensorSpec(%s, %r, %d, %r)" % (self._shape, self._dtype, self.ragged_rank, self.row_splits_dtype)


def spec_of_ragged(value):
    value = as_ragged(value)
    return RaggedTensorSpec(value.shape, value.dtype, value.ragged_rank, value.row_splits.dtype)
