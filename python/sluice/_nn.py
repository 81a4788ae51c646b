"""tf.nn: biases, softmax, dropout and the cross entropies."""
import sluice as tf
from sluice import _array
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply
from sluice._random import random_uniform


@export("nn.bias_add")
def bias_add(value, bias, data_format=None, name=None):
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return apply("BiasAdd", scope, value=value, bias=bias,
                     data_format="NCHW" if data_format and data_format.startswith("NC") else "NHWC")


@export("nn.xw_plus_b")
def xw_plus_b(x, weights, biases, name=None):
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        product = apply("MatMul", None, a=convert_to_tensor(x, name="x"), b=convert_to_tensor(weights, name="weights"))
        return bias_add(product, convert_to_tensor(biases, name="biases"), name=scope)


def _exchange(tensor, axis, last, name=None):
    """|tensor| with |axis| and the last axis exchanged."""
    order = _array.concat([tf.range(axis), [last], tf.range(axis + 1, last), [axis]], 0)
    return _array.transpose(tensor, order, name=name)


def _over_axis(op):
    def call(logits, axis=None, name=None, dim=None):
        axis = dim if axis is None else axis
        axis = -1 if axis is None else axis
        logits = convert_to_tensor(logits)
        known = logits.shape
        if axis == -1 or known.ndims is not None and axis == known.ndims - 1:
            return apply(op, name, logits=logits)
        if known.ndims is None or not -known.ndims <= axis < known.ndims:
            raise ValueError("`dim` must be in the range [-%s, %s) where %s is the number of dimensions in the input. "
                             "Received: dim=%d" % (known.ndims, known.ndims, known.ndims, axis))
        count = _array.rank(logits)
        axis = axis + count if axis < 0 else axis
        rank = _array.rank(logits)
        axis = axis % known.ndims
        moved = _exchange(logits, axis, tf.subtract(rank, 1))
        result = _exchange(apply(op, None, logits=moved), axis, tf.subtract(rank, 1), name)
        result.set_shape(known)
        return result
    return call


softmax = export("nn.softmax", "math.softmax")(_over_axis("Softmax"))
log_softmax = export("nn.log_softmax", "math.log_softmax")(_over_axis("LogSoftmax"))


# --- Losses ---

def _flattened(tensor):
    """|tensor| as a matrix of its last dimension."""
    rank, shape = _array.rank(tensor), _array.shape_of(tensor)
    size = apply("Slice", None, input=shape, begin=[apply("Sub", None, x=rank, y=1)], size=[1])
    return _array.reshape(tensor, _array.concat([[-1], size], 0))


@export("nn.softmax_cross_entropy_with_logits_v2")
def softmax_cross_entropy_with_logits_v2(labels=None, logits=None, axis=None, name=None, dim=None):
    return _softmax_cross_entropy(labels, logits, dim if axis is None else axis, name)


def _softmax_cross_entropy(labels, logits, axis, name):
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels", dtype=None if isinstance(labels, Tensor) else
                                   logits.dtype.base_dtype)
        if labels.dtype.base_dtype != logits.dtype.base_dtype:
            from sluice._math import cast
            labels = cast(labels, logits.dtype.base_dtype)
        rank, known = _array.rank(logits), logits.shape
        if axis not in (None, -1):
            logits, labels = _to_end(logits, axis, rank), _to_end(labels, axis, rank)
        shape = _array.shape_of(logits)
        flat_logits, flat_labels = _flattened(logits), _flattened(labels)
        cost = apply("SoftmaxCrossEntropyWithLogits", scope, features=flat_logits, labels=flat_labels).loss
        outer = apply("Slice", None, input=shape, begin=[0], size=[apply("Sub", None, x=rank, y=1)])
        cost = _array.reshape(cost, outer)
        if known.ndims is not None:
            sizes = known.as_list()
            del sizes[-1 if axis is None else axis]
            cost.set_shape(sizes)
        return cost


def _to_end(tensor, axis, rank):
    """|tensor| with |axis| as the last one."""
    order = _array.concat([tf.range(axis), tf.range(axis + 1, rank), [axis]], 0)
    return _array.transpose(tensor, order)


@export("nn.softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, dim=-1, name=None, axis=None):
    """As softmax_cross_entropy_with_logits_v2, but no gradient flows to the labels."""
    _only_named("softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = apply("StopGradient", "labels_stop_gradient", input=labels)
        return _softmax_cross_entropy(labels, logits, dim if axis is None else axis, scope)


def _only_named(function, sentinel, labels, logits):
    if sentinel is not None:
        raise ValueError("Only call `%s` with named arguments (labels=..., logits=..., ...). Received unnamed argument: %s" %
                         (function, sentinel))
    if labels is None or logits is None:
        raise ValueError("Both labels and logits must be provided.")


@export("nn.sparse_softmax_cross_entropy_with_logits")
def sparse_softmax_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    _only_named("sparse_softmax_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        if logits.shape.ndims == 0:
            raise ValueError("Logits cannot be scalars - received shape %s." % logits.shape)
        if logits.shape.ndims is not None and labels.shape.ndims is not None and \
                labels.shape.ndims != logits.shape.ndims - 1:
            raise ValueError("Rank mismatch: Rank of labels (received %s) should equal rank of logits minus 1 (received %s)." %
                             (labels.shape.ndims, logits.shape.ndims))
        shape, known = _array.shape_of(labels), labels.shape
        if logits.shape.ndims == 2:
            return apply("SparseSoftmaxCrossEntropyWithLogits", name, features=logits, labels=labels).loss
        classes = _array.shape_of(logits)[apply("Sub", "sub", x=_array.rank(logits), y=1)]
        flat_labels = _array.reshape(labels, [-1])
        flat_logits = _array.reshape(logits, [-1, classes])
        cost = apply("SparseSoftmaxCrossEntropyWithLogits", name, features=flat_logits, labels=flat_labels).loss
        cost = _array.reshape(cost, shape)
        cost.set_shape(known)
        return cost


@export("nn.sigmoid_cross_entropy_with_logits")
def sigmoid_cross_entropy_with_logits(_sentinel=None, labels=None, logits=None, name=None):
    _only_named("sigmoid_cross_entropy_with_logits", _sentinel, labels, logits)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels", dtype=logits.dtype.base_dtype)
        if not logits.shape.is_compatible_with(labels.shape):
            raise ValueError("logits and labels must have the same shape (%s vs %s)" % (logits.shape, labels.shape))
        # max(x, 0) - x z + log(1 + exp(-|x|)), which does not overflow.
        zeros = _array.zeros_like(logits)
        positive = logits >= zeros
        above = apply("Select", None, condition=positive, t=logits, e=zeros)
        below = apply("Select", None, condition=positive, t=-logits, e=logits)
        return apply("AddV2", scope, x=above - logits * labels, y=apply("Log1p", None, x=apply("Exp", None, x=below)))


@export("nn.dropout")
def dropout(x, keep_prob=None, noise_shape=None, seed=None, name=None, rate=None):
    """Keeps each value with probability |keep_prob|, scaled so that the sum stays the same on average."""
    if keep_prob is not None:
        if rate is not None:
            raise ValueError("rate and keep_prob cannot both be given")
        rate = 1 - keep_prob
    if rate is None:
        raise ValueError("You must provide a rate to dropout.")
    fixed = isinstance(rate, (int, float))
    if fixed and not 0 <= rate < 1:
        raise ValueError("rate must be a scalar tensor or a float in the range [0, 1), got %g" % rate)
    with name_scope(name, "dropout", [x]):
        x = convert_to_tensor(x, name="x")
        dtype = x.dtype.base_dtype
        if not dtype.is_floating:
            raise ValueError("x has to be a floating point tensor since it's going to be scaled. Got a %s tensor instead." %
                             dtype.name)
        if fixed and rate == 0:
            return x
        if fixed:
            scaled = apply("Mul", None, x=x, y=convert_to_tensor(1 / (1 - rate), dtype=dtype))
        else:
            scaled = apply("RealDiv", None, x=x, y=apply("Sub", None, x=constant(1, dtype=dtype), y=rate))
        shape = _array.shape_of(x) if noise_shape is None else noise_shape
        kept = random_uniform(shape, seed=seed, dtype=dtype) >= rate
        result = apply("SelectV2", None, condition=kept, t=scaled, e=constant(0, dtype=dtype))
        result.set_shape(x.shape)
        return result
