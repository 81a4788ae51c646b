"""tf.losses: losses that are weighted, reduced and kept in a collection."""
import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import GraphKeys, add_to_collection, control_dependencies, get_collection, get_default_graph, name_scope
from sluice._weights import assert_broadcastable, broadcast_weights, remove_squeezable_dimensions


@export("losses.Reduction")
class Reduction:
    """How losses become one."""
    NONE, SUM, MEAN = "none", "weighted_sum", "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"

    @classmethod
    def all(cls):
        return cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def validate(cls, key):
        if key not in cls.all():
            raise ValueError("Invalid Reduction Key %s. Key should be one of %s." % (key, cls.all()))


_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


def _safe_mean(losses, count):
    return tf.math.divide_no_nan(tf.reduce_sum(losses), count, name="value")


def _num_elements(losses):
    with name_scope(None, "num_elements", [losses]) as scope:
        return tf.cast(tf.size(losses, name=scope), losses.dtype.base_dtype)


def _num_present(losses, weights, per_batch=False):
    """How many elements have a weight other than 0."""
    if isinstance(weights, float) and weights != 0.0:
        return _num_elements(losses)
    with name_scope(None, "num_present", [losses, weights]) as scope:
        weights = tf.cast(weights, tf.float32)
        zero = tf.equal(weights, 0.0)
        present = tf.where(zero, tf.zeros_like(weights), tf.ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            return tf.reduce_sum(present, axis=tf.range(1, tf.rank(present)), keepdims=True, name=scope)
        return tf.reduce_sum(present, name=scope)


@export("losses.add_loss")
def add_loss(loss, loss_collection=GraphKeys.LOSSES):
    if loss_collection:
        add_to_collection(loss_collection, loss)


@export("losses.get_losses")
def get_losses(scope=None, loss_collection=GraphKeys.LOSSES):
    return get_collection(loss_collection, scope)


@export("losses.get_regularization_loss")
def get_regularization_loss(scope=None, name="total_regularization_loss"):
    losses = get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)
    return tf.add_n(losses, name=name) if losses else constant(0.0)


@export("losses.get_total_loss")
def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)
    return tf.add_n(losses, name=name)


@export("losses.compute_weighted_loss")
def compute_weighted_loss(losses, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        get_default_graph()._last_loss_reduction = reduction
        with control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            dtype = losses.dtype.base_dtype
            losses, weights = tf.cast(losses, tf.float32), tf.cast(weights, tf.float32)
            loss = tf.multiply(losses, weights)
            if reduction != Reduction.NONE:
                loss = tf.reduce_sum(loss)
                if reduction == Reduction.MEAN:
                    loss = _safe_mean(loss, tf.reduce_sum(tf.ones_like(losses) * weights))
                elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
                    loss = _safe_mean(loss, _num_present(losses, weights))
                elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
                    loss = _safe_mean(loss, _num_elements(losses))
            loss = tf.cast(loss, dtype)
            add_loss(loss, loss_collection)
            return loss


def _floats(labels, predictions):
    """(predictions, labels) as floats of one shape"""
    predictions, labels = tf.cast(predictions, tf.float32), tf.cast(labels, tf.float32)
    if not predictions.shape.is_compatible_with(labels.shape):
        raise ValueError("Shapes %s and %s are incompatible" % (predictions.shape, labels.shape))
    return predictions, labels


def _check(**values):
    for name, value in values.items():
        if value is None:
            raise ValueError("Argument `%s` must not be None." % name)


@export("losses.absolute_difference")
def absolute_difference(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _check(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(labels, predictions)
        losses = tf.abs(tf.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.cosine_distance")
def cosine_distance(labels, predictions, axis=None, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
                    reduction=_DEFAULT, dim=None):
    axis = dim if axis is None else axis
    _check(axis=axis, labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(labels, predictions)
        products = tf.multiply(predictions, labels)
        losses = 1 - tf.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.hinge_loss")
def hinge_loss(labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _check(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        logits, labels = _floats(labels, logits)
        ones = tf.ones_like(labels)
        labels = tf.subtract(2 * labels, ones)
        losses = tf.nn.relu(tf.subtract(ones, tf.multiply(labels, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.huber_loss")
def huber_loss(labels, predictions, weights=1.0, delta=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
               reduction=_DEFAULT):
    _check(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(labels, predictions)
        error = tf.abs(tf.subtract(predictions, labels))
        quadratic = tf.minimum(error, delta)
        linear = tf.subtract(error, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype)
        losses = tf.add(tf.multiply(half, tf.multiply(quadratic, quadratic)), tf.multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.log_loss")
def log_loss(labels, predictions, weights=1.0, epsilon=1e-7, scope=None, loss_collection=GraphKeys.LOSSES,
             reduction=_DEFAULT):
    _check(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(labels, predictions)
        losses = -tf.multiply(labels, tf.log(predictions + epsilon)) - \
            tf.multiply((1 - labels), tf.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.mean_squared_error")
def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _check(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = _floats(labels, predictions)
        losses = tf.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.mean_pairwise_squared_error")
def mean_pairwise_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES):
    """The mean of the squared differences between all pairs of errors of an example."""
    _check(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights, labels = tf.cast(weights, tf.float32), tf.cast(labels, tf.float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions, labels = _floats(labels, predictions)
            diffs = tf.subtract(predictions, labels)
            axis = tf.range(1, tf.rank(diffs))
            squares = tf.reduce_sum(tf.square(diffs), axis=axis, keepdims=True)
            present = _num_present(diffs, weights, per_batch=True)
            one = 2.0 * tf.math.divide_no_nan(squares, tf.maximum(present - 1, 0), name="value")
            total = tf.reduce_sum(diffs, axis=axis, keepdims=True)
            two = 2.0 * tf.math.divide_no_nan(tf.square(total), tf.maximum(tf.multiply(present, present - 1), 0),
                                              name="value")
            loss = tf.reduce_sum(tf.multiply(one - two, weights))
            loss = tf.where(tf.reduce_sum(present) > 0, loss, tf.zeros_like(loss), name="value")
            add_loss(loss, loss_collection)
            return loss


@export("losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _check(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = tf.cast(multi_class_labels, logits.dtype.base_dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


@export("losses.softmax_cross_entropy")
def softmax_cross_entropy(onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None,
                          loss_collection=GraphKeys.LOSSES, reduction=_DEFAULT):
    _check(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = tf.cast(onehot_labels, logits.dtype.base_dtype)
        if label_smoothing > 0:
            classes = tf.cast(tf.shape(labels)[-1], logits.dtype.base_dtype)
            negatives = label_smoothing / classes
            labels = labels * (1.0 - label_smoothing) + negatives
        labels = tf.stop_gradient(labels, name="labels_stop_gradient")
        losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _like_labels(weights, labels):
    """|weights| without a last dimension of size 1 that |labels| do not have."""
    ranks = weights.shape.ndims, labels.shape.ndims
    if None not in ranks:
        return tf.squeeze(weights, [-1]) if ranks[0] - ranks[1] == 1 else weights
    difference = tf.rank(weights) - tf.rank(labels)
    if ranks[0] is None or (ranks[0] > 0 and weights.shape.as_list()[-1] in (1, None)):
        return tf.cond(tf.equal(1, difference), lambda: tf.squeeze(weights, [-1]), lambda: weights)
    return weights


@export("losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection=GraphKeys.LOSSES,
                                 reduction=_DEFAULT):
    _check(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
        weights = _like_labels(convert_to_tensor(weights), labels)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)
