"""Heads of canned estimators: from logits to losses, predictions, metrics and what a saved model gives."""
import collections

import sluice as tf
from sluice._estimator_config import ModeKeys
from sluice._estimator_spec import ClassificationOutput, EstimatorSpec, PredictOutput, RegressionOutput
from sluice._feature_column import NumericColumn, numeric_column
from sluice._weights import broadcast_weights

Loss = collections.namedtuple("Loss", ["training", "unreduced", "weights", "labels"])


def _check_range(labels, classes):
    with tf.name_scope(None, "assert_range", [labels]):
        checks = [tf.assert_less_equal(labels, tf.constant(classes - 1, labels.dtype), message="Labels must <= n_classes - 1"),
                  tf.assert_non_negative(labels, message="Labels must >= 0")]
        with tf.control_dependencies(checks):
            return tf.identity(labels)


class Head:
    """What the heads have in common. A head has logits_dimension, and makes predictions, unreduced losses and metrics."""

    def __init__(self, weight_column, reduction):
        if reduction == tf.losses.Reduction.NONE or reduction not in tf.losses.Reduction.all():
            raise ValueError("Invalid loss_reduction: %s" % (reduction,))
        if weight_column is not None and not isinstance(weight_column, (str, NumericColumn)):
            raise TypeError("Weight column must be either a string or _NumericColumn. Given type: %s." % type(weight_column))
        self._weight_column = numeric_column(weight_column) if isinstance(weight_column, str) else weight_column
        self._reduction = reduction

    def _weights(self, features):
        if self._weight_column is None:
            return 1.0
        column = self._weight_column
        if column.key not in features:
            raise ValueError("Missing weight feature %s." % column.key)
        weights = tf.convert_to_tensor(features[column.key])
        if column.normalizer_fn is not None:
            weights = column.normalizer_fn(weights)
        weights = tf.cast(weights, tf.float32)
        return tf.expand_dims(weights, -1) if weights.shape.ndims == 1 else weights

    def _loss(self, features, logits, labels):
        if labels is None:
            raise ValueError("You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your "
                             "data contain your label feature. Check that your input_fn properly parses and returns labels.")
        labels = tf.convert_to_tensor(labels)
        if labels.shape.ndims == 1:
            labels = tf.expand_dims(labels, -1)
        size = labels.shape.as_list()[-1] if labels.shape.ndims else None
        if size not in (None, self.labels_dimension):
            raise ValueError("Mismatched label shape. Classifier or regressor configured with labels_dimension=%d. Received %s."
                             % (self.labels_dimension, size))
        labels, unreduced = self.losses(logits, labels)
        weights = self._weights(features)
        return Loss(tf.losses.compute_weighted_loss(unreduced, weights, reduction=self._reduction), unreduced, weights, labels)

    def spec(self, features, mode, labels, logits, train):
        """The EstimatorSpec. |train|: makes the operation that trains of a loss."""
        with tf.name_scope(None, "head"):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions, export_outputs={**self.outputs(predictions),
                                                                        "predict": PredictOutput(predictions)})
            loss = self._loss(features, logits, labels)
            if mode == ModeKeys.EVAL:
                return EstimatorSpec(mode, predictions, loss.training, eval_metric_ops=self.metrics(predictions, loss))
            updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
            train_op = train(loss.training)
            if updates:
                train_op = tf.group(train_op, *updates)
            mean = None
            if self._reduction == tf.losses.Reduction.SUM:
                mean = loss.training / tf.reduce_sum(loss.weights * tf.ones_like(loss.unreduced))
        with tf.name_scope(""):
            tf.summary.scalar("loss", loss.training)
            if mean is not None:
                tf.summary.scalar("average_loss", mean)
        return EstimatorSpec(mode, predictions, loss.training, train_op)


class _Classes(Head):
    """A head of classes, which are numbers or words."""
    labels_dimension = 1

    def __init__(self, classes, weight_column, vocabulary, reduction):
        super().__init__(weight_column, reduction)
        if vocabulary is not None and len(vocabulary) != classes:
            raise ValueError("Length of label_vocabulary must be equal to n_classes. Given: %d and %d" %
                             (len(vocabulary), classes))
        self._classes, self._vocabulary = classes, None if vocabulary is None else list(vocabulary)

    def _ids(self, labels):
        if self._vocabulary is None:
            return labels
        if labels.dtype != tf.string:
            raise ValueError("Labels dtype should be string if there is a vocabulary. Instead got %s" % labels.dtype)
        return tf.contrib.lookup.index_table_from_tensor(self._vocabulary, name="class_id_lookup").lookup(labels)

    def _all(self, logits, values):
        return tf.tile(tf.expand_dims(values, 0), [tf.shape(logits)[0], 1])

    def _names(self):
        return tf.constant(self._vocabulary) if self._vocabulary else tf.as_string(tf.range(self._classes))

    def _with_classes(self, logits, scores):
        """What predictions say of the class with the highest score."""
        ids = tf.expand_dims(tf.argmax(scores, axis=-1, name="class_ids"), -1)
        if self._vocabulary:
            names = tf.contrib.lookup.index_to_string_table_from_tensor(self._vocabulary, name="class_string_lookup").lookup(ids)
        else:
            names = tf.as_string(ids, name="str_classes")
        return {"class_ids": ids, "classes": names, "probabilities": tf.nn.softmax(scores, name="probabilities"),
                "all_class_ids": self._all(logits, tf.range(self._classes)), "all_classes": self._all(logits, self._names())}

    def outputs(self, predictions):
        made = ClassificationOutput(predictions["probabilities"], self._all(predictions["logits"], self._names()))
        return {"serving_default": made, "classification": made}


class MultiClassHead(_Classes):
    logits_dimension = property(lambda self: self._classes)

    def predictions(self, logits):
        with tf.name_scope(None, "predictions", [logits]):
            return {"logits": logits, **self._with_classes(logits, logits)}

    def losses(self, logits, labels):
        ids = self._ids(labels)
        if not ids.dtype.is_integer:
            raise ValueError("Labels dtype should be integer. Instead got %s." % ids.dtype)
        ids = _check_range(ids, self._classes)
        losses = tf.losses.sparse_softmax_cross_entropy(ids, logits, reduction=tf.losses.Reduction.NONE)
        return ids, tf.expand_dims(losses, -1)

    def metrics(self, predictions, loss):
        with tf.name_scope(None, "metrics"):
            return {"average_loss": tf.metrics.mean(loss.unreduced, loss.weights, name="average_loss"),
                    "accuracy": tf.metrics.accuracy(loss.labels, predictions["class_ids"], loss.weights, name="accuracy")}


class BinaryHead(_Classes):
    logits_dimension = 1

    def __init__(self, weight_column, vocabulary, reduction):
        super().__init__(2, weight_column, vocabulary, reduction)

    def predictions(self, logits):
        with tf.name_scope(None, "predictions", [logits]):
            logistic = tf.sigmoid(logits, name="logistic")
            both = tf.concat((tf.zeros_like(logits), logits), axis=-1, name="two_class_logits")
            return {"logits": logits, "logistic": logistic, **self._with_classes(logits, both)}

    def outputs(self, predictions):
        return {**super().outputs(predictions), "regression": RegressionOutput(predictions["logistic"])}

    def losses(self, logits, labels):
        labels = _check_range(tf.cast(self._ids(labels), tf.float32), 2)
        return labels, tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def metrics(self, predictions, loss):
        logistic, ids = predictions["logistic"], predictions["class_ids"]
        labels, weights = loss.labels, loss.weights
        with tf.name_scope(None, "metrics"):
            spread = weights if self._weight_column is None else broadcast_weights(weights, labels)
            mean = tf.metrics.mean(labels, spread, name="label/mean")
            return {"average_loss": tf.metrics.mean(loss.unreduced, weights, name="average_loss"),
                    "accuracy": tf.metrics.accuracy(labels, ids, weights, name="accuracy"),
                    "precision": tf.metrics.precision(labels, ids, weights, name="precision"),
                    "recall": tf.metrics.recall(labels, ids, weights, name="recall"),
                    "prediction/mean": tf.metrics.mean(logistic, spread, name="prediction/mean"),
                    "label/mean": mean, "accuracy_baseline": tuple(tf.maximum(value, 1 - value) for value in mean),
                    "auc": tf.metrics.auc(labels, logistic, spread, name="auc"),
                    "auc_precision_recall": tf.metrics.auc(labels, logistic, spread, curve="PR",
                                                           name="auc_precision_recall")}


class RegressionHead(Head):
    def __init__(self, dimension, weight_column, reduction):
        super().__init__(weight_column, reduction)
        if dimension < 1:
            raise ValueError("Invalid label_dimension %s." % dimension)
        self.logits_dimension = self.labels_dimension = dimension

    def predictions(self, logits):
        return {"predictions": logits}

    def outputs(self, predictions):
        made = RegressionOutput(predictions["predictions"])
        return {"serving_default": made, "regression": made}

    def losses(self, logits, labels):
        labels = tf.cast(labels, tf.float32)
        return labels, tf.losses.mean_squared_error(labels, logits, reduction=tf.losses.Reduction.NONE)

    def metrics(self, predictions, loss):
        return {"average_loss": tf.metrics.mean(loss.unreduced, loss.weights),
                "prediction/mean": tf.metrics.mean(predictions["predictions"], loss.weights, name="prediction/mean"),
                "label/mean": tf.metrics.mean(loss.labels, loss.weights)}
