"""tf.metrics: values that are gathered over steps. Each is (value, operation that adds a batch)."""
import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import GraphKeys, add_to_collections, control_dependencies
from sluice._oplib import apply
from sluice._variable_scope import variable_scope
from sluice._variables import Variable
from sluice._weights import broadcast_weights, remove_squeezable_dimensions


def metric_variable(shape, dtype, name=None):
    """A local variable of zeros."""
    return Variable(lambda: tf.zeros(shape, dtype), trainable=False, name=name,
                    collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES])


def kept(value, collections):
    if collections:
        add_to_collections(collections, value)
    return value


def _fitting(predictions, labels, weights):
    """Predictions, labels and weights with ranks that fit."""
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        if not predictions.shape.is_compatible_with(labels.shape):
            raise ValueError("Shapes %s and %s are incompatible" % (predictions.shape, labels.shape))
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    ranks = weights.shape.ndims, predictions.shape.ndims
    if ranks[0] == 0:
        return predictions, labels, weights
    if None in ranks:
        raise NotImplementedError("weights and predictions of unknown rank are not there yet: use set_shape")
    if ranks[0] - ranks[1] == 1:
        weights = tf.squeeze(weights, [-1])
    elif ranks[1] - ranks[0] == 1:
        weights = tf.expand_dims(weights, [-1])
    return predictions, labels, weights


def _ratio(a, b, name):
    return tf.math.divide_no_nan(a, tf.maximum(b, 0), name=name)


@export("metrics.mean")
def mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    with variable_scope(name, "mean", [values, weights]):
        values = tf.cast(values, tf.float32)
        total, count = metric_variable([], tf.float32, "total"), metric_variable([], tf.float32, "count")
        if weights is None:
            number = tf.cast(tf.size(values), tf.float32)
        else:
            values, _, weights = _fitting(values, None, weights)
            weights = broadcast_weights(tf.cast(weights, tf.float32), values)
            values = tf.multiply(values, weights)
            number = tf.reduce_sum(weights)
        total_now = tf.assign_add(total, tf.reduce_sum(values))
        with control_dependencies([values]):
            count_now = tf.assign_add(count, number)
        value = kept(_ratio(total, count, "value"), metrics_collections)
        return value, kept(_ratio(total_now, count_now, "update_op"), updates_collections)


@export("metrics.mean_tensor")
def mean_tensor(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean of each element."""
    with variable_scope(name, "mean", [values, weights]):
        values = tf.cast(values, tf.float32)
        total = metric_variable(values.shape, tf.float32, "total_tensor")
        count = metric_variable(values.shape, tf.float32, "count_tensor")
        number = tf.ones_like(values)
        if weights is not None:
            values, _, weights = _fitting(values, None, weights)
            weights = broadcast_weights(tf.cast(weights, tf.float32), values)
            values, number = tf.multiply(values, weights), tf.multiply(number, weights)
        total_now = tf.assign_add(total, values)
        with control_dependencies([values]):
            count_now = tf.assign_add(count, number)
        value = kept(_ratio(total, count, "value"), metrics_collections)
        return value, kept(_ratio(total_now, count_now, "update_op"), updates_collections)


@export("metrics.accuracy")
def accuracy(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _fitting(predictions, labels, weights)
    if labels.dtype.base_dtype != predictions.dtype.base_dtype:
        predictions = tf.cast(predictions, labels.dtype.base_dtype)
    correct = tf.cast(tf.equal(predictions, labels), tf.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or "accuracy")


# --- Errors ---

@export("metrics.mean_absolute_error")
def mean_absolute_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _fitting(predictions, labels, weights)
    return mean(tf.abs(predictions - labels), weights, metrics_collections, updates_collections,
                name or "mean_absolute_error")


@export("metrics.mean_squared_error")
def mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
    predictions, labels, weights = _fitting(predictions, labels, weights)
    return mean(tf.squared_difference(labels, predictions), weights, metrics_collections, updates_collections,
                name or "mean_squared_error")


@export("metrics.root_mean_squared_error")
def root_mean_squared_error(labels, predictions, weights=None, metrics_collections=None, updates_collections=None,
                            name=None):
    predictions, labels, weights = _fitting(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    value = kept(tf.sqrt(value), metrics_collections)
    return value, kept(tf.sqrt(update), updates_collections)


@export("metrics.mean_relative_error")
def mean_relative_error(labels, predictions, normalizer, weights=None, metrics_collections=None, updates_collections=None,
                        name=None):
    predictions, labels, weights = _fitting(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    zero = tf.equal(normalizer, 0.0)
    errors = tf.where(zero, tf.zeros_like(labels), tf.divide(tf.abs(labels - predictions), normalizer))
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


@export("metrics.mean_cosine_distance")
def mean_cosine_distance(labels, predictions, dim, weights=None, metrics_collections=None, updates_collections=None,
                         name=None):
    predictions, labels, weights = _fitting(predictions, labels, weights)
    products = tf.reduce_sum(tf.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    value = kept(tf.subtract(1.0, value), metrics_collections)
    return value, kept(tf.subtract(1.0, update), updates_collections)


@export("metrics.percentage_below")
def percentage_below(values, threshold, weights=None, metrics_collections=None, updates_collections=None, name=None):
    below = tf.cast(tf.less(values, threshold), tf.float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


# --- Counts of right and wrong ---

def _count(values, weights, metrics_collections, updates_collections):
    tf.assert_type(values, tf.bool)
    count = metric_variable([], tf.float32, "count")
    values = tf.cast(values, tf.float32)
    if weights is not None:
        with control_dependencies([tf.assert_rank_in(weights, (0, tf.rank(values)))]):
            values = tf.multiply(values, tf.cast(weights, tf.float32))
    value = kept(tf.identity(count), metrics_collections)
    return value, kept(tf.assign_add(count, tf.reduce_sum(values)), updates_collections)


def _counter(label, positive_label, positive_prediction):
    def call(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with variable_scope(name, label, [predictions, labels, weights]):
            predictions, labels, weights = _fitting(tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights)
            found = tf.logical_and(tf.equal(labels, positive_label), tf.equal(predictions, positive_prediction))
            return _count(found, weights, metrics_collections, updates_collections)
    return export("metrics." + label)(call)


true_positives, false_positives = _counter("true_positives", True, True), _counter("false_positives", False, True)
true_negatives, false_negatives = _counter("true_negatives", False, False), _counter("false_negatives", True, False)


def _share(label, other):
    """true positives / (true positives + |other|)"""
    def share(found, wrong, name):
        return apply("Select", name, condition=tf.greater(found + wrong, 0), t=tf.divide(found, found + wrong), e=0)

    def call(labels, predictions, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with variable_scope(name, label, [predictions, labels, weights]):
            predictions, labels, weights = _fitting(tf.cast(predictions, tf.bool), tf.cast(labels, tf.bool), weights)
            found, found_now = true_positives(labels, predictions, weights)
            wrong, wrong_now = other(labels, predictions, weights)
            value = kept(share(found, wrong, "value"), metrics_collections)
            return value, kept(share(found_now, wrong_now, "update_op"), updates_collections)
    return export("metrics." + label)(call)


precision, recall = _share("precision", false_positives), _share("recall", false_negatives)


# --- At thresholds ---

_COUNTS = (("tp", "true_positives", True, True), ("fn", "false_negatives", True, False),
           ("tn", "true_negatives", False, False), ("fp", "false_positives", False, True))


def _at_thresholds(labels, predictions, thresholds, weights, includes=("tp", "fn", "tn", "fp")):
    """({kind: variable}, {kind: update}) of counts for each threshold"""
    dtype = predictions.dtype.base_dtype
    with control_dependencies([
            tf.assert_greater_equal(predictions, tf.cast(0.0, dtype), message="predictions must be in [0, 1]"),
            tf.assert_less_equal(predictions, tf.cast(1.0, dtype), message="predictions must be in [0, 1]")]):
        predictions, labels, weights = _fitting(tf.cast(predictions, tf.float32), tf.cast(labels, tf.bool), weights)
    count = len(thresholds)
    column = tf.reshape(predictions, [-1, 1])
    row = tf.reshape(tf.cast(labels, tf.bool), [1, -1])
    number = column.shape.as_list()[0]
    number = tf.shape(column)[0] if number is None else number
    limits = tf.tile(tf.expand_dims(constant(thresholds), [1]), tf.stack([1, number]))
    positive = tf.greater(tf.tile(tf.transpose(column), [count, 1]), limits)
    predicted = {True: positive}
    if "fn" in includes or "tn" in includes:
        predicted[False] = tf.logical_not(positive)
    actual = {True: tf.tile(row, [count, 1])}
    if "fp" in includes or "tn" in includes:
        actual[False] = tf.logical_not(actual[True])
    tiled = None
    if weights is not None:
        weights = broadcast_weights(tf.cast(weights, tf.float32), predictions)
        tiled = tf.tile(tf.reshape(weights, [1, -1]), [count, 1])
    values, updates = {}, {}
    for kind, label, is_actual, is_predicted in _COUNTS:
        if kind in includes:
            values[kind] = metric_variable([count], tf.float32, label)
            found = tf.cast(tf.logical_and(actual[is_actual], predicted[is_predicted]), tf.float32)
            found = found if tiled is None else found * tiled
            updates[kind] = tf.assign_add(values[kind], tf.reduce_sum(found, 1))
    return values, updates


def _counter_at_thresholds(kind, label):
    def call(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with variable_scope(name, label, [predictions, labels, weights]):
            values, updates = _at_thresholds(labels, predictions, thresholds, weights, (kind,))
            return (kept(tf.identity(values[kind]), metrics_collections), kept(updates[kind], updates_collections))
    export("metrics.%s_at_thresholds" % label)(call)


for _kind, _label, _, _ in _COUNTS:
    _counter_at_thresholds(_kind, _label)


def _share_at_thresholds(label, other):
    def call(labels, predictions, thresholds, weights=None, metrics_collections=None, updates_collections=None, name=None):
        with variable_scope(name, label + "_at_thresholds", [predictions, labels, weights]):
            values, updates = _at_thresholds(labels, predictions, thresholds, weights, ("tp", other))

            def share(counts, end):
                return tf.divide(counts["tp"], 1e-7 + counts["tp"] + counts[other], name=label + "_" + end)
            value = kept(share(values, "value"), metrics_collections)
            return value, kept(share(updates, "update_op"), updates_collections)
    export("metrics.%s_at_thresholds" % label)(call)


_share_at_thresholds("precision", "fp")
_share_at_thresholds("recall", "fn")


def _evenly(count):
    """|count| thresholds from a little below 0 to a little above 1"""
    return [0.0 - 1e-7] + [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)] + [1.0 + 1e-7]


@export("metrics.auc")
def auc(labels, predictions, weights=None, num_thresholds=200, metrics_collections=None, updates_collections=None,
        curve="ROC", name=None, summation_method="trapezoidal", thresholds=None):
    """The area under a curve, by sums over thresholds."""
    if curve not in ("ROC", "PR"):
        raise ValueError("curve must be either ROC or PR, %s unknown." % curve)
    methods = {"trapezoidal": lambda y: (y[:num_thresholds - 1] + y[1:]) / 2.,
               "minoring": lambda y: tf.minimum(y[:num_thresholds - 1], y[1:]),
               "majoring": lambda y: tf.maximum(y[:num_thresholds - 1], y[1:])}
    methods["careful_interpolation"] = methods["trapezoidal"]
    if summation_method not in methods:
        raise ValueError("Invalid summation_method: %s" % summation_method)
    if curve == "PR" and summation_method == "careful_interpolation":
        raise NotImplementedError("careful_interpolation of the PR curve is not there yet")
    with variable_scope(name, "auc", [labels, predictions, weights]):
        if thresholds is not None:
            num_thresholds = len(thresholds) + 2
            thresholds = [0.0 - 1e-7] + sorted(thresholds) + [1.0 + 1e-7]
        values, updates = _at_thresholds(labels, predictions, thresholds or _evenly(num_thresholds), weights)

        def area(counts, end):
            tp, fn, tn, fp = counts["tp"], counts["fn"], counts["tn"], counts["fp"]
            found = tf.divide(tp + 1.0e-6, tp + fn + 1.0e-6)
            if curve == "ROC":
                x, y = tf.divide(fp, fp + tn + 1.0e-6), found
            else:
                x, y = found, tf.divide(tp + 1.0e-6, tp + fp + 1.0e-6)
            return tf.reduce_sum(tf.multiply(x[:num_thresholds - 1] - x[1:], methods[summation_method](y)), name=end)
        value = kept(area(values, "value"), metrics_collections)
        return value, kept(area(updates, "update_op"), updates_collections)


def _at_other(label, fixed, top, index_of, share_of):
    """A share at the threshold where another share is nearest to a given value; |top|: the last threshold."""
    def call(labels, predictions, wanted, weights=None, num_thresholds=200, metrics_collections=None,
             updates_collections=None, name=None):
        if not 0 <= wanted <= 1:
            raise ValueError("`%s` must be in the range [0, 1]. Currently, `%s` is %s." % (fixed, fixed, wanted))
        with variable_scope(name, label, [predictions, labels, weights]):
            values, updates = _at_thresholds(labels, predictions, _evenly(num_thresholds)[:-1] + [top], weights)

            def share(counts, end):
                index = tf.cast(index_of(counts, wanted), tf.int32)
                part, other = (counts[kind] for kind in share_of)
                return tf.divide(part[index], part[index] + other[index] + 1e-7, name=end)
            value = kept(share(values, "value"), metrics_collections)
            return value, kept(share(updates, "update_op"), updates_collections)
    return call


def _nearest(counts, specificity):
    shares = tf.divide(counts["tn"], counts["tn"] + counts["fp"] + 1e-7)
    return tf.argmin(tf.abs(shares - specificity), 0)


def _last_nearest(counts, sensitivity):
    shares = tf.divide(counts["tp"], counts["tp"] + counts["fn"] + 1e-7)
    least = tf.reduce_min(tf.abs(shares - sensitivity))
    at_least = tf.cast(tf.equal(tf.abs(shares - sensitivity), least), tf.int64)
    return tf.argmax(tf.cumsum(at_least), 0)


_sensitivity = _at_other("sensitivity_at_specificity", "specificity", 1.0 + 1e-7, _nearest, ("tp", "fn"))
_specificity = _at_other("specificity_at_sensitivity", "sensitivity", 1.0 - 1e-7, _last_nearest, ("tn", "fp"))


@export("metrics.sensitivity_at_specificity")
def sensitivity_at_specificity(labels, predictions, specificity, weights=None, num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """The sensitivity at the threshold whose specificity is nearest to |specificity|."""
    return _sensitivity(labels, predictions, specificity, weights, num_thresholds, metrics_collections, updates_collections,
                        name)


@export("metrics.specificity_at_sensitivity")
def specificity_at_sensitivity(labels, predictions, sensitivity, weights=None, num_thresholds=200, metrics_collections=None,
                               updates_collections=None, name=None):
    """The specificity at the last threshold whose sensitivity is nearest to |sensitivity|."""
    return _specificity(labels, predictions, sensitivity, weights, num_thresholds, metrics_collections, updates_collections,
                        name)


# --- By class ---

@export("math.confusion_matrix", "confusion_matrix", "train.confusion_matrix")
def confusion_matrix(labels, predictions, num_classes=None, dtype="int32", name=None, weights=None):
    """How often label i was predicted as j."""
    from sluice._graph import name_scope
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels, predictions = remove_squeezable_dimensions(convert_to_tensor(labels, name="labels"),
                                                           convert_to_tensor(predictions, name="predictions"))
        predictions, labels = tf.cast(predictions, tf.int64), tf.cast(labels, tf.int64)
        labels = _after([tf.assert_non_negative(labels, message="`labels` contains negative values")], labels)
        predictions = _after([tf.assert_non_negative(predictions, message="`predictions` contains negative values")],
                             predictions)
        if num_classes is None:
            num_classes = tf.maximum(tf.reduce_max(predictions), tf.reduce_max(labels)) + 1
        else:
            most = tf.cast(num_classes, tf.int64)
            labels = _after([tf.assert_less(labels, most, message="`labels` out of bound")], labels)
            predictions = _after([tf.assert_less(predictions, most, message="`predictions` out of bound")], predictions)
        if weights is not None:
            weights = tf.cast(convert_to_tensor(weights, name="weights"), dtype)
        shape = tf.stack([num_classes, num_classes])
        indices = tf.stack([labels, predictions], axis=1)
        values = tf.ones_like(predictions, dtype) if weights is None else weights
        return tf.scatter_nd(indices=indices, updates=values, shape=tf.cast(shape, tf.int64))


def _after(checks, tensor):
    from sluice._saver import _after as after
    return after(checks, tensor)


def _flat(tensor):
    return tf.reshape(tensor, [-1]) if tensor is not None and tensor.shape.ndims > 1 else tensor


@export("metrics.mean_iou")
def mean_iou(labels, predictions, num_classes, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """The mean over classes of intersection / union."""
    with variable_scope(name, "mean_iou", [predictions, labels, weights]):
        total = metric_variable([num_classes, num_classes], tf.float64, "total_confusion_matrix")
        predictions, labels = tf.cast(predictions, tf.int64), tf.cast(labels, tf.int64)
        count = tf.cast(num_classes, tf.int64)
        predictions, labels, weights = _flat(predictions), _flat(labels), _flat(weights)
        now = confusion_matrix(labels, predictions, count, weights=weights, dtype=tf.float64)
        update = tf.assign_add(total, now)
        rows, columns = (tf.cast(tf.reduce_sum(total, axis), tf.float32) for axis in (0, 1))
        diagonal = tf.cast(apply("DiagPart", None, input=total), tf.float32)
        union = rows + columns - diagonal
        valid = tf.reduce_sum(tf.cast(tf.not_equal(union, 0), tf.float32))
        union = tf.where(tf.greater(union, 0), union, tf.ones_like(union))
        each = tf.divide(diagonal, union)
        value = tf.where(tf.greater(valid, 0), tf.reduce_sum(each, name="mean_iou") / valid, 0)
        return kept(value, metrics_collections), kept(update, updates_collections)


@export("metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(labels, predictions, num_classes, weights=None, metrics_collections=None,
                            updates_collections=None, name=None):
    with variable_scope(name, "mean_accuracy", [predictions, labels, weights]):
        labels = _flat(tf.cast(labels, tf.int64))
        predictions = _flat(predictions)
        total, count = metric_variable([num_classes], tf.float32, "total"), metric_variable([num_classes], tf.float32, "count")
        ones = tf.ones([tf.size(labels)], tf.float32)
        predictions = tf.cast(predictions, labels.dtype.base_dtype)
        correct = tf.cast(tf.equal(predictions, labels), tf.float32)
        if weights is not None:
            weights = tf.cast(_flat(weights), tf.float32)
            correct *= weights
            ones *= weights
        total_now, count_now = tf.scatter_add(total, labels, ones), tf.scatter_add(count, labels, correct)
        value = tf.reduce_mean(_ratio(count, total, None), name="mean_accuracy")
        return (kept(value, metrics_collections),
                kept(_ratio(count_now, total_now, "update_op"), updates_collections))
