"""tf.metrics of the k best predictions, whose labels are classes."""
import sluice as tf
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import control_dependencies, name_scope
from sluice._metrics import kept, metric_variable
from sluice._oplib import apply
from sluice._sparse_tensor import SparseTensor, SparseTensorValue, as_sparse
from sluice._weights import assert_broadcastable, broadcast_weights


def _named(label, k, class_id=None):
    return "%s_at_%s%s" % (label, "k" if k is None else k, "" if class_id is None else "_class%d" % class_id)


def _tensor(value):
    return as_sparse(value) if isinstance(value, (SparseTensor, SparseTensorValue)) else convert_to_tensor(value)


def _expanded(labels, predictions):
    """|labels| with the rank of |predictions|."""
    with name_scope(None, "expand_labels", [labels, predictions]) as scope:
        labels = _tensor(labels)
        if isinstance(labels, SparseTensor):
            return tf.cond(tf.equal(tf.rank(predictions), tf.size(labels.dense_shape) + 1),
                           lambda: tf.sparse.reshape(labels, tf.concat((labels.dense_shape, (1,)), 0), name=scope),
                           lambda: labels)
        ranks = labels.shape.ndims, predictions.shape.ndims
        if None in ranks:
            return tf.cond(tf.equal(tf.rank(predictions), tf.rank(labels) + 1),
                           lambda: tf.expand_dims(labels, -1, name=scope), lambda: labels)
        if ranks[1] - ranks[0] not in (0, 1):
            raise ValueError("Unexpected labels shape %s for predictions shape %s. Predictions rank should be the same rank as "
                             "labels rank or labels rank plus one." % (labels.shape, predictions.shape))
        return labels if ranks[0] == ranks[1] else tf.expand_dims(labels, -1, name=scope)


def _only(ids, class_id):
    """The elements of |ids| that are |class_id|, sparse."""
    ids = _tensor(ids)
    if isinstance(ids, SparseTensor):
        return tf.sparse.retain(ids, tf.equal(ids.values, class_id))
    shape = tf.shape(ids, out_type=tf.int64)
    axes = tf.reshape(tf.size(shape) - 1, [1])
    sizes = tf.cast(shape, tf.int32)
    axes = tf.cast(axes, tf.int32)
    rank = tf.size(sizes)
    axes = (axes + rank) % rank
    count = tf.shape(axes)
    one_each = tf.dynamic_stitch([tf.range(rank), axes], [sizes, tf.ones(count, tf.int32)])
    found = tf.sets.intersection(tf.fill(one_each, tf.cast(class_id, tf.int64)), ids)
    return SparseTensor(found.indices, found.values, shape)


def _relation(label, labels, predictions_idx, class_id=None, weights=None, name=None):
    """How many predictions of each row are true positives, false positives or false negatives: |label|."""
    with name_scope(name, label + "s", [predictions_idx, labels, weights]):
        if class_id is not None:
            labels, predictions_idx = _only(labels, class_id), _only(predictions_idx, class_id)
        if label == "true_positive":
            both = tf.sets.intersection(predictions_idx, labels)
        else:
            both = tf.sets.difference(predictions_idx, labels, aminusb=label == "false_positive")
        count = tf.cast(tf.sets.size(both), tf.float64)
        if weights is not None:
            with control_dependencies([assert_broadcastable(weights, count)]):
                count = tf.multiply(count, tf.cast(weights, tf.float64))
        return count


def _gathered(label, labels, predictions_idx, k, class_id, weights):
    """(variable, update) of the sum of a relation."""
    with name_scope(None, _named(label, k, class_id), [predictions_idx, labels, weights]) as scope:
        total = tf.cast(tf.reduce_sum(_relation(label, labels, predictions_idx, class_id, weights)), tf.float64)
        variable = metric_variable([], tf.float64, name=scope)
        return variable, tf.assign_add(variable, total, name="update")


def _share(label, other):
    def at_top_k(labels, predictions_idx, k=None, class_id=None, weights=None, metrics_collections=None,
                 updates_collections=None, name=None):
        with name_scope(name, _named(label, k, class_id), [predictions_idx, labels, weights]) as scope:
            labels = _expanded(labels, predictions_idx)
            best = tf.cast(predictions_idx, tf.int64)
            right, right_now = _gathered("true_positive", labels, best, k, class_id, weights)
            wrong, wrong_now = _gathered(other, labels, best, k, class_id, weights)
            value = tf.divide(right, tf.add(right, wrong), name=scope)
            update = tf.divide(right_now, tf.add(right_now, wrong_now), name="update")
            return kept(value, metrics_collections), kept(update, updates_collections)

    def at_k(labels, predictions, k, class_id=None, weights=None, metrics_collections=None, updates_collections=None,
             name=None):
        with name_scope(name, _named(label, k, class_id), [predictions, labels, weights]) as scope:
            _, best = tf.nn.top_k(predictions, k)
            return at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)

    export("metrics.%s_at_top_k" % label)(at_top_k)
    return export("metrics.%s_at_k" % label)(at_k)


_share("recall", "false_negative")
export("metrics.sparse_precision_at_k")(_share("precision", "false_positive"))


# --- Average precision ---

def _select(condition, if_true, if_false):
    return apply("SelectV2", None, condition=condition, t=if_true, e=if_false)


def _without_unknown(labels, num_classes):
    """|labels| with -1 for those that are no class."""
    def clean(values):
        return _select(tf.greater_equal(values, num_classes), -1 * tf.ones_like(values), values)

    def cleaned():
        if isinstance(labels, (SparseTensor, SparseTensorValue)):
            return type(labels)(labels.indices, clean(labels.values), labels.dense_shape)
        return clean(labels)
    most = tf.reduce_max(labels.values if isinstance(labels, (SparseTensor, SparseTensorValue)) else labels)
    return tf.cond(tf.greater_equal(most, num_classes), cleaned, lambda: labels)


def _repeated(tensor, count, name):
    """|tensor| |count| times along a new dimension before the last one."""
    with name_scope(name, "expand_and_tile", [tensor]) as scope:
        if isinstance(tensor, SparseTensor):
            split = tf.reshape(tf.size(tensor.dense_shape) + -1, [1])
            shape = tf.concat((tf.slice(tensor.dense_shape, [0], split), [1], tf.slice(tensor.dense_shape, split, [-1])), 0,
                              name="expanded_shape")
            expanded = tf.sparse.reshape(tensor, shape, name="expand")
            return expanded if count == 1 else tf.sparse.concat(-2, [expanded] * count, name=scope)
        expanded = tf.expand_dims(tensor, -2, name="expand")
        if count == 1:
            return expanded
        ones = tf.ones_like(tf.shape(tensor))
        return tf.tile(expanded, tf.concat((ones[:-1], (count,), ones[-1:]), 0, name="multiples"), name=scope)


def _relevant(labels, k):
    """How many of |labels| k predictions can meet."""
    with name_scope(None, "num_relevant", [labels]) as scope:
        if isinstance(labels, SparseTensor):
            return tf.minimum(tf.sets.size(labels), k, name=scope)
        count = tf.reduce_sum(_select(tf.greater_equal(labels, 0), tf.ones_like(labels), tf.zeros_like(labels)), axis=-1)
        return tf.minimum(count, k, name=scope)


def _average_precision(labels, predictions_idx):
    with name_scope(None, "average_precision", [predictions_idx, labels]) as scope:
        best = tf.cast(predictions_idx, tf.int64, name="predictions_idx")
        k = best.shape.as_list()[-1]
        labels = _expanded(labels, best)
        best_per_k = tf.expand_dims(best, -1, name="predictions_idx_per_k")
        labels_per_k = _repeated(labels, k, "labels_per_k")
        relevant = _relation("true_positive", labels_per_k, best_per_k, name="relevant_per_k")
        right = tf.cumsum(relevant, axis=-1, name="tp_per_k")
        retrieved = tf.cumsum(tf.ones_like(relevant), axis=-1, name="retrieved_per_k")
        precision = tf.divide(tf.cast(right, tf.float64), tf.cast(retrieved, tf.float64), name="precision_per_k")
        precision = tf.multiply(precision, tf.cast(relevant, tf.float64), name="relevant_precision_per_k")
        total = tf.reduce_sum(precision, axis=(-1,), name="precision_sum")
        return tf.divide(total, tf.cast(_relevant(labels, k), tf.float64), name=scope)


def _mean_precision(labels, predictions_idx, weights, metrics_collections, updates_collections, name):
    with name_scope(name, "average_precision_at_top_k", [predictions_idx, labels, weights]) as scope:
        precision = _average_precision(labels, predictions_idx)
        if weights is not None:
            weights = broadcast_weights(tf.cast(weights, tf.float64), precision)
            precision = tf.multiply(precision, weights)
        with name_scope(None, "max", [precision]) as inner:
            most = metric_variable([], tf.float64, name=inner)
            number = tf.cast(tf.size(precision, name="batch_max"), tf.float64) if weights is None else \
                tf.reduce_sum(weights, name="batch_max")
            most_now = tf.assign_add(most, number, name="update")
        with name_scope(None, "total", [precision]) as inner:
            total = metric_variable([], tf.float64, name=inner)
            total_now = tf.assign_add(total, tf.reduce_sum(precision, name="batch_total"), name="update")
        value = tf.math.divide_no_nan(total, most, name="mean")
        update = tf.math.divide_no_nan(total_now, most_now, name=scope)
        return kept(value, metrics_collections), kept(update, updates_collections)


@export("metrics.average_precision_at_k", "metrics.sparse_average_precision_at_k")
def average_precision_at_k(labels, predictions, k, weights=None, metrics_collections=None, updates_collections=None,
                           name=None):
    """The mean precision of the best 1 to k predictions."""
    if k < 1:
        raise ValueError("Invalid k=%s. `k` should be >= 1." % k)
    with name_scope(name, _named("average_precision", k), [predictions, labels, weights]) as scope:
        _, best = tf.nn.top_k(predictions, k)
        labels = _without_unknown(labels, tf.cast(tf.shape(predictions)[-1], tf.int64))
        return _mean_precision(labels, best, weights, metrics_collections, updates_collections, scope)
