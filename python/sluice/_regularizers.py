"""Regularisers: functions that make a loss of a variable."""
import sluice as tf
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import GraphKeys, get_collection, name_scope
from sluice._oplib import apply


def _check(scale):
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or scale < 0:
        raise ValueError("scale must be a number of at least 0, got %r" % (scale,))


@export("contrib.layers.l2_regularizer", "contrib.slim.l2_regularizer")
def l2_regularizer(scale, scope=None):
    """scale * sum of squares / 2"""
    _check(scale)
    if scale == 0.0:
        return lambda _: None

    def loss(weights):
        with name_scope(scope, "l2_regularizer", [weights]) as name:
            weights = convert_to_tensor(weights)
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return apply("Mul", name, x=factor, y=apply("L2Loss", None, t=weights))
    return loss


@export("contrib.layers.l1_regularizer", "contrib.slim.l1_regularizer")
def l1_regularizer(scale, scope=None):
    """scale * sum of absolute values"""
    _check(scale)
    if scale == 0.0:
        return lambda _: None

    def loss(weights, name=None):
        with name_scope(scope, "l1_regularizer", [weights]) as label:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return tf.multiply(factor, tf.reduce_sum(tf.abs(weights)), name=label)
    return loss


@export("contrib.layers.l1_l2_regularizer", "contrib.slim.l1_l2_regularizer")
def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    label = scope or "l1_l2_regularizer"
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], label)


@export("contrib.layers.sum_regularizer")
def sum_regularizer(regularizer_list, scope=None):
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def loss(weights):
        with name_scope(scope, "sum_regularizer", [weights]) as label:
            parts = [part for part in (r(weights) for r in regularizers) if part is not None]
            return tf.add_n(parts, name=label) if parts else None
    return loss


@export("contrib.layers.apply_regularization")
def apply_regularization(regularizer, weights_list=None):
    """The sum of the losses of |weights_list|, by default of the collection weights."""
    weights = get_collection(GraphKeys.WEIGHTS) if not weights_list else weights_list
    with name_scope("get_regularization_penalty", values=weights) as scope:
        losses = [loss for loss in (regularizer(w) for w in weights) if loss is not None]
        total = tf.add_n(losses, name=scope) if losses else tf.constant(0.0)
        tf.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total


@export("losses.get_regularization_losses")
def get_regularization_losses(scope=None):
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)
