"""Weights of losses and metrics: whether and how they fit values."""
import sluice as tf
from sluice._convert import convert_to_tensor
from sluice._graph import control_dependencies, name_scope
from sluice._static import constant_value

_PREFIX = "weights can not be broadcast to values."


def assert_broadcastable(weights, values):
    """An operation that fails if |weights| cannot be broadcast to |values|: a scalar, or of the same rank and each size the
    same or 1."""
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        with name_scope(None, "weights", [weights]) as inner:
            weights = convert_to_tensor(weights, name=inner)
            weights_shape, weights_rank = tf.shape(weights, name="shape"), tf.rank(weights, name="rank")
        with name_scope(None, "values", [values]) as inner:
            values = convert_to_tensor(values, name=inner)
            values_shape, values_rank = tf.shape(values, name="shape"), tf.rank(values, name="rank")
        ranks = constant_value(weights_rank), constant_value(values_rank)
        if None not in ranks:
            if ranks[0] == 0:
                return tf.no_op(name="static_scalar_check_success")
            if ranks[0] != ranks[1]:
                raise ValueError("%s values.rank=%s. weights.rank=%s. values.shape=%s. weights.shape=%s." %
                                 (_PREFIX, ranks[1], ranks[0], values.shape, weights.shape))
            known = constant_value(weights_shape), constant_value(values_shape)
            if known[0] is not None and known[1] is not None:
                for i, (w, v) in enumerate(zip(*known)):
                    if w not in (1, v):
                        raise ValueError("%s Mismatch at dim %d. values.shape=%s, weights.shape=%s." %
                                         (_PREFIX, i, known[1], known[0]))
                return tf.no_op(name="static_dims_check_success")
        scalar = tf.equal(0, weights_rank, name="is_scalar")
        data = (_PREFIX, "weights.shape=", weights.name, weights_shape, "values.shape=", values.name, values_shape,
                "is_scalar=", scalar)
        valid = tf.cond(scalar, lambda: scalar, lambda: _valid(weights_rank, weights_shape, values_rank, values_shape),
                        name="is_valid_shape")
        return tf.Assert(valid, data, name=scope)


def _valid(weights_rank, weights_shape, values_rank, values_shape):
    with name_scope(None, "has_valid_nonscalar_shape", [weights_rank, weights_shape, values_rank, values_shape]) as scope:
        same = tf.equal(values_rank, weights_rank, name="is_same_rank")
        return tf.cond(same, lambda: _valid_sizes(weights_shape, values_shape), lambda: same, name=scope)


def _valid_sizes(weights_shape, values_shape):
    from sluice._oplib import apply
    with name_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
        values = tf.expand_dims(values_shape, -1)
        allowed = tf.concat((values, tf.ones_like(values)), axis=1)
        wanted = tf.expand_dims(weights_shape, -1)
        wrong = apply("DenseToDenseSetOperation", None, set1=wanted, set2=allowed, set_operation="a-b")
        count = tf.size(wrong.result_values, name="num_invalid_dims")
        return tf.equal(0, count, name=scope)


def broadcast_weights(weights, values):
    """|weights| with the shape of |values|."""
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        if weights.shape.is_fully_defined() and values.shape.is_fully_defined() and \
                weights.shape.is_compatible_with(values.shape):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return tf.multiply(weights, tf.ones_like(values), name=scope)


def remove_squeezable_dimensions(labels, predictions, expected_rank_diff=0, name=None):
    """(labels, predictions) without a last dimension of size 1 that makes their ranks differ."""
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        ranks = predictions.shape.ndims, labels.shape.ndims
        if None not in ranks:
            difference = ranks[0] - ranks[1]
            if difference == expected_rank_diff + 1 and predictions.shape.as_list()[-1] in (None, 1):
                predictions = tf.squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and labels.shape.as_list()[-1] in (None, 1):
                labels = tf.squeeze(labels, [-1])
            return labels, predictions
        difference = tf.rank(predictions) - tf.rank(labels)
        if ranks[0] is None or predictions.shape.as_list()[-1] in (None, 1):
            wide = predictions
            predictions = tf.cond(tf.equal(expected_rank_diff + 1, difference), lambda: tf.squeeze(wide, [-1]), lambda: wide)
        if ranks[1] is None or labels.shape.as_list()[-1] in (None, 1):
            tall = labels
            labels = tf.cond(tf.equal(expected_rank_diff - 1, difference), lambda: tf.squeeze(tall, [-1]), lambda: tall)
        return labels, predictions
