"""Limits of values and norms: tf.clip_by_value and its kin."""
import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._gradients import IndexedSlices
from sluice._graph import colocate_with, name_scope
from sluice._oplib import apply


def _values(t, name):
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _like(t, values):
    """|values| as what |t| is."""
    return IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values


def _same_shape(one, other):
    if not one.shape.is_compatible_with(other.shape):
        raise ValueError("Shapes %s and %s are incompatible" % (one.shape, other.shape))


@export("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    with name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = _values(t, "t")
        low = tf.minimum(values, clip_value_max)
        _same_shape(values, low)
        made = tf.maximum(low, clip_value_min, name=scope)
        _same_shape(values, made)
        return _like(t, made)


@export("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """|t|, made shorter if its L2 norm over |axes| is larger than |clip_norm|."""
    with name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values = _values(t, "t")
        total = tf.reduce_sum(values * values, axes, keepdims=True)
        positive = total > 0
        safe = tf.where(positive, total, tf.ones_like(total))
        norm = tf.where(positive, tf.sqrt(safe), total)
        scaled = values * clip_norm
        return _like(t, tf.identity(scaled / tf.maximum(norm, clip_norm), name=scope))


def _list_of(t_list):
    if isinstance(t_list, str) or not hasattr(t_list, "__len__"):
        raise TypeError("`t_list` should be a sequence of tensors. Received %s." % type(t_list))
    return list(t_list)


@export("global_norm", "linalg.global_norm")
def global_norm(t_list, name=None):
    """The L2 norm of all tensors together."""
    t_list = _list_of(t_list)
    with name_scope(name, "global_norm", t_list):
        values = [None if t is None else _values(t, "t_%d" % i) for i, t in enumerate(t_list)]
        halves = []
        for v in values:
            if v is not None:
                with colocate_with(v):
                    halves.append(apply("L2Loss", None, t=v))
        half = tf.reduce_sum(tf.stack(halves))
        return tf.sqrt(half * constant(2.0, dtype=half.dtype), name="global_norm")


@export("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """(the tensors, made shorter by one factor if their global norm is larger than |clip_norm|; that norm)"""
    t_list = _list_of(t_list)
    norm = global_norm(t_list, name) if use_norm is None else use_norm
    with name_scope(name, "clip_by_global_norm", t_list + [clip_norm]) as scope:
        scale = clip_norm * tf.minimum(1.0 / norm, constant(1.0, dtype=norm.dtype) / clip_norm)
        scale = scale + (norm - norm)  # not a number if the norm is infinite
        values = [None if t is None else _values(t, "t_%d" % i) for i, t in enumerate(t_list)]
        made = []
        for i, v in enumerate(values):
            if v is None:
                made.append(None)
                continue
            with colocate_with(v):
                made.append(tf.identity(v * tf.cast(scale, v.dtype.base_dtype), name="%s_%d" % (scope, i)))
        return [c if t is None else _like(t, c) for c, t in zip(made, t_list)], norm


@export("clip_by_average_norm")
def clip_by_average_norm(t, clip_norm, name=None):
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = tf.cast(tf.size(t), tf.float32)
        inverse = tf.rsqrt(tf.reduce_sum(t * t, tf.range(tf.rank(t))))
        return tf.identity(t * clip_norm * tf.minimum(inverse * count, constant(1.0) / clip_norm), name=scope)
