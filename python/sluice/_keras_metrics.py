"""tf.keras.metrics: values that are gathered over batches."""
import sluice as tf
from sluice import _keras_backend as backend
from sluice import _keras_losses as losses
from sluice._api import export
from sluice._layer import initializer_of, snake_case

_functions = {}


def _metric(*names):
    def register(function):
        for name in names:
            _functions[name] = function
        return export(*["keras.metrics." + name for name in names])(function)
    return register


@_metric("accuracy")
def accuracy(y_true, y_pred):
    return tf.cast(tf.equal(tf.cast(y_true, y_pred.dtype), y_pred), tf.float32)


@_metric("binary_accuracy")
def binary_accuracy(y_true, y_pred, threshold=0.5):
    return tf.reduce_mean(tf.cast(tf.equal(tf.cast(y_true, y_pred.dtype), tf.cast(y_pred > threshold, y_pred.dtype)),
                                  tf.float32), axis=-1)


@_metric("categorical_accuracy")
def categorical_accuracy(y_true, y_pred):
    return tf.cast(tf.equal(tf.argmax(y_true, -1), tf.argmax(y_pred, -1)), tf.float32)


def _classes(y_true, y_pred):
    if y_true.shape.ndims is not None and y_true.shape.ndims == y_pred.shape.ndims:
        y_true = tf.squeeze(y_true, [-1])
    return tf.cast(y_true, tf.int64)


@_metric("sparse_categorical_accuracy")
def sparse_categorical_accuracy(y_true, y_pred):
    return tf.cast(tf.equal(_classes(y_true, y_pred), tf.argmax(y_pred, -1)), tf.float32)


@_metric("top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true, y_pred, k=5):
    return tf.cast(tf.nn.in_top_k(y_pred, tf.argmax(y_true, -1), k), tf.float32)


@_metric("sparse_top_k_categorical_accuracy")
def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    return tf.cast(tf.nn.in_top_k(y_pred, tf.reshape(_classes(y_true, y_pred), [-1]), k), tf.float32)


def accuracy_for(y_true_shape, y_pred_shape, loss):
    """The function that "accuracy" means for a model's output."""
    last = y_pred_shape.as_list()[-1] if y_pred_shape.ndims else None
    if last == 1 or loss is losses.binary_crossentropy:
        return binary_accuracy
    if loss is losses.sparse_categorical_crossentropy or y_true_shape.ndims is not None and (
            y_true_shape.ndims < y_pred_shape.ndims or y_true_shape.as_list()[-1] == 1):
        return sparse_categorical_accuracy
    return categorical_accuracy


@export("keras.metrics.Metric")
class Metric:
    """update_state(...) adds a batch, result() is the value, reset_states() starts anew."""

    def __init__(self, name=None, dtype=None, **kwargs):
        self.name = name or backend.unique_object_name(snake_case(type(self).__name__))
        self.dtype, self.variables = tf.as_dtype(dtype or tf.float32), []

    weights = property(lambda self: self.variables)

    def add_weight(self, name, shape=(), initializer="zeros", dtype=None, **kwargs):
        with tf.name_scope(self.name + "/"):
            made = tf.Variable(lambda: initializer_of(initializer)(list(shape), dtype=tf.as_dtype(dtype or self.dtype)),
                               trainable=False, name=name, use_resource=True)
        self.variables.append(made)
        return made

    def reset_states(self):
        import numpy as np
        backend.batch_set_value([(v, np.zeros(v.shape.as_list())) for v in self.variables])

    def update_state(self, *args, **kwargs):
        raise NotImplementedError("update_state of a Metric")

    def result(self):
        raise NotImplementedError("result of a Metric")

    def __call__(self, *args, **kwargs):
        with tf.control_dependencies([self.update_state(*args, **kwargs)]):
            return self.result()


@export("keras.metrics.Sum")
class Sum(Metric):
    def __init__(self, name="sum", dtype=None):
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def update_state(self, values, sample_weight=None):
        values = tf.cast(values, self.dtype)
        values = values if sample_weight is None else values * tf.cast(sample_weight, self.dtype)
        return tf.assign_add(self.total, tf.reduce_sum(values)).op

    def result(self):
        return tf.identity(self.total)


@export("keras.metrics.Mean")
class Mean(Metric):
    def __init__(self, name="mean", dtype=None):
        super().__init__(name, dtype)
        self.total, self.count = self.add_weight("total"), self.add_weight("count")

    def update_state(self, values, sample_weight=None):
        values = tf.cast(values, self.dtype)
        if sample_weight is None:
            number = tf.cast(tf.size(values), self.dtype)
        else:
            weights = tf.cast(sample_weight, self.dtype)
            while weights.shape.ndims is not None and weights.shape.ndims < (values.shape.ndims or 0):
                weights = tf.expand_dims(weights, -1)
            weights = weights * tf.ones_like(values)
            values, number = values * weights, tf.reduce_sum(weights)
        return tf.group(tf.assign_add(self.total, tf.reduce_sum(values)), tf.assign_add(self.count, number))

    def result(self):
        return tf.math.divide_no_nan(tf.identity(self.total), tf.identity(self.count))


class MeanOf(Mean):
    """The mean of a function of labels and predictions."""

    def __init__(self, fn, name=None, dtype=None, **kwargs):
        super().__init__(name or getattr(fn, "__name__", type(fn).__name__), dtype)
        self._fn, self._options = fn, kwargs

    def update_state(self, y_true, y_pred, sample_weight=None):
        return super().update_state(self._fn(tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred), **self._options),
                                    sample_weight)


def _metric_class(name, function):
    class Made(MeanOf):
        def __init__(self, *args, **kwargs):
            label, dtype = kwargs.pop("name", None) or snake_case(name), kwargs.pop("dtype", None)
            if args:
                label = args[0]
            super().__init__(function, label, dtype, **kwargs)
    Made.__name__ = Made.__qualname__ = name
    export("keras.metrics." + name)(Made)


for _name, _function in {
        "Accuracy": accuracy, "BinaryAccuracy": binary_accuracy, "CategoricalAccuracy": categorical_accuracy,
        "SparseCategoricalAccuracy": sparse_categorical_accuracy, "TopKCategoricalAccuracy": top_k_categorical_accuracy,
        "SparseTopKCategoricalAccuracy": sparse_top_k_categorical_accuracy, "MeanSquaredError": losses.mean_squared_error,
        "MeanAbsoluteError": losses.mean_absolute_error, "CategoricalCrossentropy": losses.categorical_crossentropy,
        "SparseCategoricalCrossentropy": losses.sparse_categorical_crossentropy, "BinaryCrossentropy":
        losses.binary_crossentropy, "KLDivergence": losses.kullback_leibler_divergence, "Hinge": losses.hinge}.items():
    _metric_class(_name, _function)


class _Counts(Metric):
    """True and false answers above a threshold."""

    def __init__(self, thresholds=None, name=None, dtype=None, **kwargs):
        super().__init__(name or snake_case(type(self).__name__), dtype)
        self._threshold = 0.5 if thresholds is None else thresholds
        self._right, self._other = self.add_weight("true_positives"), self.add_weight(self._wrong)

    def update_state(self, y_true, y_pred, sample_weight=None):
        said, is_ = y_pred > self._threshold, tf.cast(y_true, tf.bool)
        other = tf.logical_and(said, tf.logical_not(is_)) if self._wrong == "false_positives" else \
            tf.logical_and(tf.logical_not(said), is_)
        weights = 1.0 if sample_weight is None else tf.cast(sample_weight, self.dtype)
        return tf.group(tf.assign_add(self._right, tf.reduce_sum(tf.cast(tf.logical_and(said, is_), self.dtype) * weights)),
                        tf.assign_add(self._other, tf.reduce_sum(tf.cast(other, self.dtype) * weights)))

    def result(self):
        return tf.math.divide_no_nan(tf.identity(self._right), self._right + self._other)


@export("keras.metrics.Precision")
class Precision(_Counts):
    _wrong = "false_positives"


@export("keras.metrics.Recall")
class Recall(_Counts):
    _wrong = "false_negatives"


def metric_for(given, y_true, y_pred, loss):
    """A Metric of what compile() was given."""
    if isinstance(given, Metric):
        return given
    if given in ("accuracy", "acc"):
        return MeanOf(accuracy_for(y_true.shape, y_pred.shape, loss), "acc")
    if callable(given):
        return MeanOf(given)
    found = _functions.get(given) or losses.loss_of(given)
    return MeanOf(found)
