"""tf.range."""
from sluice import _math
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply


@export("range")
def range_of(start, limit=None, delta=1, dtype=None, name="range"):
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        parts = [part if isinstance(part, Tensor) else convert_to_tensor(part, dtype=dtype, name=label)
                 for part, label in ((start, "start"), (limit, "limit"), (delta, "delta"))]
        order = ["int32", "int64", "float32", "float64"]
        wanted = as_dtype(max((p.dtype.base_dtype.name for p in parts), key=order.index) if dtype is None else dtype)
        start, limit, delta = (_math.cast(p, wanted) for p in parts)
        return apply("Range", scope, start=start, limit=limit, delta=delta)
