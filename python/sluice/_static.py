"""What is known of a tensor's value before a step runs."""
import numpy as np

from sluice import _tensor_proto
from sluice._api import export
from sluice._graph import Tensor


@export("contrib.util.constant_value", "get_static_value")
def constant_value(tensor, partial=False):
    """The value of |tensor| as an array if the graph tells it, else None."""
    if not isinstance(tensor, Tensor):
        return np.asarray(tensor) if isinstance(tensor, (int, float, bool, list, tuple, np.ndarray, np.generic)) else None
    op = tensor.op
    if op.type == "Const":
        return _tensor_proto.decode(op.get_attr("value"))
    if op.type == "Shape" and op.inputs[0].shape.is_fully_defined():
        return np.array(op.inputs[0].shape.as_list(), tensor.dtype.as_numpy_dtype)
    if op.type == "Rank" and op.inputs[0].shape.ndims is not None:
        return np.array(op.inputs[0].shape.ndims, np.int32)
    if op.type == "Size" and op.inputs[0].shape.is_fully_defined():
        return np.array(op.inputs[0].shape.num_elements(), tensor.dtype.as_numpy_dtype)
    return _computed(op, tensor, partial)


def _computed(op, tensor, partial):
    inputs = [constant_value(t, partial) for t in op.inputs] if op.type in (
        "Pack", "Cast", "ConcatV2", "Equal", "NotEqual", "Fill", "Identity") else []
    if partial and op.type == "Pack" and op.get_attr("axis") == 0:
        return np.array([None if v is None else v.item() for v in inputs], dtype=object)
    if not inputs or any(v is None for v in inputs):
        return None
    if op.type == "Pack":
        return np.stack(inputs, op.get_attr("axis"))
    if op.type == "ConcatV2":
        return np.concatenate(inputs[:-1], int(inputs[-1]))
    if op.type == "Fill":
        return np.full(inputs[0], inputs[1])
    if op.type in ("Equal", "NotEqual"):
        return np.equal(*inputs) if op.type == "Equal" else np.not_equal(*inputs)
    return inputs[0].astype(tensor.dtype.as_numpy_dtype) if op.type == "Cast" else inputs[0]
