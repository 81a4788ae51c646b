"""Arithmetic: operators of tensors, reductions, products, conversions of type."""
import numpy as np

from sluice import _dtypes, _oplib
from sluice._api import export, export_value
from sluice._convert import constant, convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply


# --- Elementwise ---

def _binary(op, label):
    def call(x, y, name=None):
        return apply(op, name, x=x, y=y)
    call.__name__ = label
    return call


for _names, _op in ((("add", "math.add"), "AddV2"), (("multiply", "math.multiply"), "Mul"),
                    (("subtract", "math.subtract"), "Sub"), (("less", "math.less"), "Less"),
                    (("greater", "math.greater"), "Greater"), (("less_equal", "math.less_equal"), "LessEqual"),
                    (("greater_equal", "math.greater_equal"), "GreaterEqual"), (("maximum", "math.maximum"), "Maximum"),
                    (("minimum", "math.minimum"), "Minimum"), (("equal", "math.equal"), "Equal"),
                    (("not_equal", "math.not_equal"), "NotEqual"), (("logical_and", "math.logical_and"), "LogicalAnd"),
                    (("logical_or", "math.logical_or"), "LogicalOr"), (("mod", "floormod", "math.mod"), "FloorMod"),
                    (("squared_difference", "math.squared_difference"), "SquaredDifference")):
    # tf.add names its node "Add", not after the op.
    export(*_names)((lambda op, label: lambda x, y, name=None: apply(op, name or label, x=x, y=y))(
        _op, "Add" if _op == "AddV2" else _op))

for _names, _op in ((("square", "math.square"), "Square"), (("sqrt", "math.sqrt"), "Sqrt"), (("exp", "math.exp"), "Exp"),
                    (("rsqrt", "math.rsqrt"), "Rsqrt"), (("log", "math.log"), "Log"), (("negative", "math.negative"), "Neg"), (("tanh", "math.tanh", "nn.tanh"), "Tanh"),
                    (("sigmoid", "math.sigmoid", "nn.sigmoid"), "Sigmoid"),
                    (("sign", "math.sign"), "Sign"), (("logical_not", "math.logical_not"), "LogicalNot")):
    export(*_names)((lambda op: lambda x, name=None: apply(op, name, **{_oplib.spec(op).inputs[0].name: x}))(_op))


@export("abs", "math.abs")
def absolute(x, name=None):
    with name_scope(name, "Abs", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if x.dtype.is_complex:
            return apply("ComplexAbs", scope, x=x, Tout=x.dtype.real_dtype)
        return apply("Abs", scope, x=x)


@export("nn.relu")
def relu(features, name=None):
    return apply("Relu", name, features=features)


@export("truediv", "math.truediv")
def truediv(x, y, name=None):
    with name_scope(name, "truediv", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        wider = {"uint8": "float32", "int8": "float32", "uint16": "float32", "int16": "float32", "int32": "float64",
                 "int64": "float64"}.get(x.dtype.base_dtype.name)
        if wider:
            x, y = cast(x, wider), cast(y, wider)
        return apply("RealDiv", scope, x=x, y=y)


@export("divide", "math.divide")
def divide(x, y, name=None):
    return truediv(x, y, name)


@export("div")
def div(x, y, name=None):
    with name_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype.base_dtype)
        kind = "RealDiv" if x.dtype.is_floating or x.dtype.is_complex else "FloorDiv"
        return apply(kind, scope, x=x, y=y)


@export("floordiv", "math.floordiv")
def floordiv(x, y, name=None):
    with name_scope(name, "floordiv", [x, y]) as scope:
        return apply("FloorDiv", scope, x=x, y=y)


@export("pow", "math.pow")
def pow(x, y, name=None):  # noqa: A001
    with name_scope(name, "Pow", [x]) as scope:
        return apply("Pow", scope, x=x, y=y)


@export("cast", "dtypes.cast")
def cast(x, dtype, name=None):
    dtype = as_dtype(dtype).base_dtype
    if (isinstance(x, Tensor) or hasattr(x, "handle")) and x.dtype == dtype:
        return x
    with name_scope(name, "Cast", [getattr(x, "values", x)]) as scope:
        if hasattr(x, "dense_shape"):  # a sparse tensor or indexed slices
            values = cast(x.values, dtype)
            return type(x)(x.indices, values, x.dense_shape) if hasattr(x, "with_values") else \
                type(x)(values, x.indices, x.dense_shape)
        x = convert_to_tensor(x, name="x")
        return x if x.dtype.base_dtype == dtype else apply("Cast", scope, x=x, DstT=dtype)


for _names, _type in ((("to_float",), "float32"), (("to_double",), "float64"), (("to_int32",), "int32"),
                      (("to_int64",), "int64")):
    export(*_names)((lambda dtype, label: lambda x, name=label: cast(x, dtype, name=name))(
        _type, {"float32": "ToFloat", "float64": "ToDouble", "int32": "ToInt32", "int64": "ToInt64"}[_type]))


# --- Products and reductions ---

@export("matmul", "linalg.matmul")
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False,
           b_is_sparse=False, name=None):
    with name_scope(name, "MatMul", [a, b]) as scope:
        if transpose_a and adjoint_a:
            raise ValueError("Only one of transpose_a and adjoint_a can be True.")
        if transpose_b and adjoint_b:
            raise ValueError("Only one of transpose_b and adjoint_b can be True.")
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, dtype=a.dtype.base_dtype, name="b")
        ranks = a.shape.ndims, b.shape.ndims
        if (ranks[0] is None or ranks[0] > 2) and (ranks[1] is None or ranks[1] > 2):
            a, b = _conj(a) if transpose_a else a, _conj(b) if transpose_b else b
            return apply("BatchMatMulV2", scope, x=a, y=b, adj_x=adjoint_a or transpose_a, adj_y=adjoint_b or transpose_b)
        a, b = _conj(a) if adjoint_a else a, _conj(b) if adjoint_b else b
        transposed = dict(transpose_a=transpose_a or adjoint_a, transpose_b=transpose_b or adjoint_b)
        if (a_is_sparse or b_is_sparse) and {a.dtype.base_dtype, b.dtype.base_dtype} <= {_dtypes.bfloat16, _dtypes.float32}:
            return apply("SparseMatMul", scope, a=a, b=b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse, **transposed)
        return apply("MatMul", scope, a=a, b=b, **transposed)


def _conj(x):
    return apply("Conj", None, input=x) if x.dtype.is_complex else x


def _reduction_axes(x, axis):
    """|axis|, or all axes: a constant if the rank is known."""
    if axis is not None:
        return axis
    rank = x.shape.ndims if hasattr(x, "op") and hasattr(x, "shape") else None
    if rank:
        return constant(np.arange(rank), dtype=_dtypes.int32)
    from sluice._array import rank as rank_of
    from sluice._range import range_of
    return range_of(0, rank_of(x))


def _reduction(op):
    def call(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis = reduction_indices if axis is None else axis
        keep = bool(keepdims if keepdims is not None else keep_dims)
        if not hasattr(input_tensor, "op"):
            input_tensor = convert_to_tensor(input_tensor, _dtypes.bool if op in ("Any", "All") else None, "input_tensor")
        made = apply(op, name, input=input_tensor, reduction_indices=_reduction_axes(input_tensor, axis), keep_dims=keep)
        if axis is None and not keep:
            made.set_shape(())
        return made
    return call


for _label, _op in (("sum", "Sum"), ("mean", "Mean"), ("max", "Max"), ("min", "Min"), ("prod", "Prod"), ("any", "Any"),
                    ("all", "All")):
    export("reduce_" + _label, "math.reduce_" + _label)(_reduction(_op))


@export("argmax", "math.argmax")
def argmax(input, axis=None, name=None, dimension=None, output_type=_dtypes.int64):  # noqa: A002
    axis = dimension if axis is None else axis
    return apply("ArgMax", name, input=input, dimension=0 if axis is None else axis, output_type=output_type)


@export("add_n", "math.add_n")
def add_n(inputs, name=None):
    inputs = [convert_to_tensor(x) for x in inputs] if isinstance(inputs, (list, tuple)) else None
    if not inputs:
        raise ValueError("inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape")
    if len(inputs) == 1:
        return apply("Identity", name, input=inputs[0]) if name else inputs[0]
    return apply("AddN", name, inputs=inputs)


# --- Operators ---

def _operator(op, label):
    def forward(x, y):
        with name_scope(None, label, [x, y]) as scope:
            try:
                if not isinstance(y, Tensor) and not hasattr(y, "_as_graph_element"):
                    y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
            except TypeError:
                if hasattr(type(y), "__r%s__" % label):
                    return NotImplemented
                raise
            return _call(op, scope, x, y)

    def backward(y, x):
        with name_scope(None, label, [x, y]) as scope:
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
            return _call(op, scope, x, y)
    return forward, backward


def _call(op, scope, x, y):
    return op(x, y, scope) if callable(op) else apply(op, scope, x=x, y=y)


OPERATORS = {}
for _method, _op, _label in (("add", "AddV2", "add"), ("sub", "Sub", "sub"), ("mul", "Mul", "mul"),
                             ("truediv", truediv, "truediv"), ("floordiv", "FloorDiv", "floordiv"),
                             ("mod", "FloorMod", "mod"), ("pow", pow, "pow"), ("and", "LogicalAnd", "and"),
                             ("or", "LogicalOr", "or"), ("matmul", matmul, "matmul")):
    OPERATORS["__%s__" % _method], OPERATORS["__r%s__" % _method] = _operator(_op, _label)
for _method, _op in (("lt", "Less"), ("le", "LessEqual"), ("gt", "Greater"), ("ge", "GreaterEqual")):
    OPERATORS["__%s__" % _method] = (lambda op: lambda x, y: apply(op, None, x=x, y=y))(_op)
OPERATORS["__neg__"] = lambda x: apply("Neg", None, x=x)
OPERATORS["__abs__"] = absolute
OPERATORS["__invert__"] = lambda x: apply("LogicalNot", "LogicalNot", x=x)


def _bounds(k):
    """(begin, end, stride) of a slice; what is absent has the type of what is there as a tensor."""
    dtype = next((v.dtype.base_dtype for v in (k.start, k.stop, k.step) if isinstance(v, Tensor)), None)
    absent = [constant(value, dtype=dtype) if v is None and dtype is not None else value
              for v, value in ((k.start, 0), (k.stop, 0), (k.step, 1))]
    return tuple(other if v is None else v for v, other in zip((k.start, k.stop, k.step), absent))


def _getitem(tensor, key):
    """x[1:, ::2, None]: a StridedSlice."""
    keys = key if isinstance(key, tuple) else (key,)
    if len(keys) == 1 and isinstance(keys[0], (Tensor, np.ndarray)) and keys[0].dtype in (_dtypes.bool, np.bool_):
        from sluice._array_select import boolean_mask
        return boolean_mask(tensor, keys[0])
    rows = []
    masks = dict(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0)
    for i, k in enumerate(keys):
        if isinstance(k, slice):
            rows.append(_bounds(k))
            masks["begin_mask"] |= (k.start is None) << i
            masks["end_mask"] |= (k.stop is None) << i
        elif k is Ellipsis or k is None:
            masks["ellipsis_mask" if k is Ellipsis else "new_axis_mask"] |= 1 << i
            rows.append((0, 0, 1))
        else:
            if not isinstance(k, Tensor):
                k = convert_to_tensor(k) if hasattr(k, "_as_graph_element") else k.__index__()
            end = k + 1
            wide = isinstance(k, Tensor) and k.dtype.base_dtype == _dtypes.int64
            rows.append((k, end, constant(1, dtype=_dtypes.int64) if wide else 1))
            masks["shrink_axis_mask"] |= 1 << i
    with name_scope(None, "strided_slice", [tensor]) as scope:
        begin, end, strides = [_stack([row[j] for row in rows]) for j in range(3)]
        return apply("StridedSlice", scope, input=tensor, begin=begin, end=end, strides=strides, **masks)


def _stack(parts):
    if not any(isinstance(p, Tensor) for p in parts):
        return constant(parts, dtype=_dtypes.int32, name="stack")
    dtype = next(p.dtype.base_dtype for p in parts if isinstance(p, Tensor))
    with name_scope("stack") as scope:
        values = [convert_to_tensor(p, dtype=dtype, name=str(i)) for i, p in enumerate(parts)]
        return apply("Pack", scope, values=values, axis=0)


OPERATORS["__getitem__"] = _getitem
for _method, _function in OPERATORS.items():
    setattr(Tensor, _method, _function)
export_value(constant, "constant")
export_value(convert_to_tensor, "convert_to_tensor")
