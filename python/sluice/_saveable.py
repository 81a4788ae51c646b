"""What a checkpoint holds beside variables: objects of one or several tensors, such as the position of an iterator."""
from sluice._api import export
from sluice._dtypes import as_dtype


class SaveSpec:
    """One tensor of a checkpoint: its name there, and the tensor or a function that returns it."""

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError("When passing a callable `tensor` to a SaveSpec, an explicit dtype and device are required.")
        self._tensor, self.slice_spec, self.name = tensor, slice_spec, name
        self.dtype = as_dtype(dtype) if dtype is not None else tensor.dtype.base_dtype
        self.device = device if device is not None else tensor.device

    @property
    def tensor(self):
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """A base class: |specs| are saved, and restore() gives the values of a checkpoint back to the object."""

    def __init__(self, op, specs, name):
        self.op, self.specs, self.name = op, list(specs), name

    @property
    def device(self):
        return self.specs[0].device

    def restore(self, restored_tensors, restored_shapes):
        """An operation that takes over |restored_tensors|, one for each spec."""
        raise ValueError("Calling an abstract method.")


@export("train.saver.BaseSaverBuilder")
class BaseSaverBuilder:
    """Where programs find the two classes."""
    SaveSpec = SaveSpec
    SaveableObject = SaveableObject
