"""Canned estimators: linear models, deep networks, and both together."""
import math

import sluice as tf
from sluice._api import export
from sluice._estimator import Estimator
from sluice._estimator_config import ModeKeys
from sluice._estimator_heads import BinaryHead, MultiClassHead, RegressionHead

_SUM = tf.losses.Reduction.SUM
_OPTIMIZERS = {"Adagrad": "AdagradOptimizer", "Adam": "AdamOptimizer", "Ftrl": "FtrlOptimizer", "RMSProp": "RMSPropOptimizer",
               "SGD": "GradientDescentOptimizer"}


def _optimizer(given, rate):
    """An optimizer of its name, of a function that makes it, or itself."""
    if isinstance(given, str):
        if given not in _OPTIMIZERS:
            raise ValueError("Unsupported optimizer name: %s. Supported names are: %s" % (given, sorted(_OPTIMIZERS)))
        return getattr(tf.train, _OPTIMIZERS[given])(learning_rate=rate)
    if not isinstance(given, tf.train.Optimizer) and callable(given):
        given = given()
    if not isinstance(given, tf.train.Optimizer):
        raise ValueError("The given object is not an Optimizer instance. Given: %s" % (given,))
    return given


def _partitioner(config, given=None, slice_size=64 << 20):
    return given or tf.min_max_variable_partitioner(max_partitions=config.num_ps_replicas, min_slice_size=slice_size)


def _activation_summary(value, tag):
    tf.summary.scalar("%s/fraction_of_zero_values" % tag, tf.nn.zero_fraction(value))
    tf.summary.histogram("%s/activation" % tag, value)


def _linear_logits(features, columns, units, combiner):
    found = {}
    logits = tf.feature_column.linear_model(features, columns, units, combiner, cols_to_vars=found)
    bias = found.pop("bias")[0]
    if units > 1:
        tf.summary.histogram("bias", bias)
    else:
        tf.summary.scalar("bias", tf.convert_to_tensor(bias)[0])
    zeros = [tf.nn.zero_fraction(v) for variables in found.values() for v in variables]
    tf.summary.scalar("fraction_of_zero_weights", tf.add_n(zeros) / len(zeros))
    return logits


class _Deep:
    """The layers of a deep network."""

    def __init__(self, columns, hidden_units, activation, dropout, batch_norm):
        self._columns, self._hidden, self._activation = columns, hidden_units, activation
        self._dropout, self._batch_norm = dropout, batch_norm

    def logits(self, features, mode, units, partitioner, scope):
        training = mode == ModeKeys.TRAIN
        with tf.variable_scope("input_from_feature_columns", partitioner=partitioner):
            net = tf.feature_column.input_layer(features, self._columns)
        for i, size in enumerate(self._hidden):
            net = tf.layers.dense(net, size, self._activation, kernel_initializer=tf.glorot_uniform_initializer(),
                                  name="hiddenlayer_%d" % i)
            if self._dropout is not None and training:
                net = tf.layers.dropout(net, rate=self._dropout, training=True)
            if self._batch_norm:
                net = tf.layers.batch_normalization(net, momentum=0.999, training=training,
                                                    name="hiddenlayer_%d/batchnorm_%d" % (i, i))
            _activation_summary(net, "%s/hiddenlayer_%d" % (scope, i))
        logits = tf.layers.dense(net, units, kernel_initializer=tf.glorot_uniform_initializer(), name="logits")
        _activation_summary(logits, scope + "/logits")
        return logits


def _check(features):
    if not isinstance(features, dict):
        raise ValueError("features should be a dictionary of `Tensor`s. Given type: %s" % type(features))


def _linear_rate(columns):
    return min(0.2, 1.0 / math.sqrt(len(columns)))


class _Linear(Estimator):
    def __init__(self, head, columns, model_dir, optimizer, config, partitioner, warm_start_from, combiner):
        columns = tuple(columns or ())

        def model_fn(features, labels, mode, config):
            _check(features)
            with tf.variable_scope("linear", partitioner=_partitioner(config, partitioner)):
                logits = _linear_logits(features, columns, head.logits_dimension, combiner)
                made = _optimizer(optimizer, 0.2) if optimizer else tf.train.FtrlOptimizer(_linear_rate(columns))
                return head.spec(features, mode, labels, logits,
                                 lambda loss: made.minimize(loss, global_step=tf.train.get_global_step()))
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class _Network(Estimator):
    def __init__(self, head, deep, model_dir, optimizer, config, partitioner, warm_start_from):
        def model_fn(features, labels, mode, config):
            _check(features)
            made = _optimizer(optimizer, 0.05)
            with tf.variable_scope("dnn", partitioner=_partitioner(config, None, 256 << 10)):
                logits = deep.logits(features, mode, head.logits_dimension, _partitioner(config, partitioner), "dnn")
                return head.spec(features, mode, labels, logits,
                                 lambda loss: made.minimize(loss, global_step=tf.train.get_global_step()))
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


def _classes_head(n_classes, weight_column, vocabulary, reduction):
    if n_classes < 2:
        raise ValueError("n_classes must be > 1. Given: %s" % n_classes)
    return BinaryHead(weight_column, vocabulary, reduction) if n_classes == 2 else \
        MultiClassHead(n_classes, weight_column, vocabulary, reduction)


@export("estimator.LinearClassifier")
class LinearClassifier(_Linear):
    def __init__(self, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer="Ftrl", config=None, partitioner=None, warm_start_from=None, loss_reduction=_SUM,
                 sparse_combiner="sum"):
        super().__init__(_classes_head(n_classes, weight_column, label_vocabulary, loss_reduction), feature_columns, model_dir,
                         optimizer, config, partitioner, warm_start_from, sparse_combiner)


@export("estimator.LinearRegressor")
class LinearRegressor(_Linear):
    def __init__(self, feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer="Ftrl", config=None,
                 partitioner=None, warm_start_from=None, loss_reduction=_SUM, sparse_combiner="sum"):
        super().__init__(RegressionHead(label_dimension, weight_column, loss_reduction), feature_columns, model_dir, optimizer,
                         config, partitioner, warm_start_from, sparse_combiner)


@export("estimator.DNNClassifier")
class DNNClassifier(_Network):
    def __init__(self, hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer="Adagrad", activation_fn=tf.nn.relu, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction=_SUM, batch_norm=False):
        super().__init__(_classes_head(n_classes, weight_column, label_vocabulary, loss_reduction),
                         _Deep(feature_columns, hidden_units, activation_fn, dropout, batch_norm), model_dir, optimizer, config,
                         input_layer_partitioner, warm_start_from)


@export("estimator.DNNRegressor")
class DNNRegressor(_Network):
    def __init__(self, hidden_units, feature_columns, model_dir=None, label_dimension=1, weight_column=None,
                 optimizer="Adagrad", activation_fn=tf.nn.relu, dropout=None, input_layer_partitioner=None, config=None,
                 warm_start_from=None, loss_reduction=_SUM, batch_norm=False):
        super().__init__(RegressionHead(label_dimension, weight_column, loss_reduction),
                         _Deep(feature_columns, hidden_units, activation_fn, dropout, batch_norm), model_dir, optimizer, config,
                         input_layer_partitioner, warm_start_from)


class _Combined(Estimator):
    """A linear model and a network whose logits are added; each has an optimizer of its own."""

    def __init__(self, head, columns, linear_optimizer, deep, dnn_optimizer, model_dir, config, partitioner, warm_start_from,
                 combiner):
        columns = tuple(columns or ())
        if not columns and deep is None:
            raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")

        def model_fn(features, labels, mode, config):
            _check(features)
            parts = []  # (scope, optimizer, logits)
            outer, units = _partitioner(config, partitioner), head.logits_dimension
            if deep is not None:
                with tf.variable_scope("dnn", partitioner=_partitioner(config, None, 256 << 10)):
                    parts.append(("dnn", _optimizer(dnn_optimizer, 0.001), deep.logits(features, mode, units, outer, "dnn")))
            if columns:
                with tf.variable_scope("linear", partitioner=outer):
                    logits = _linear_logits(features, columns, units, combiner)
                    _activation_summary(logits, "linear")
                parts.append(("linear", _optimizer(linear_optimizer, min(0.005, 1.0 / math.sqrt(len(columns)))), logits))

            def train(loss):
                trained = [optimizer.minimize(loss, var_list=tf.trainable_variables(scope + "/"))
                           for scope, optimizer, _ in parts]
                with tf.control_dependencies([tf.group(*trained)]):
                    return tf.assign_add(tf.train.get_global_step(), 1).op
            logits = parts[0][2] if len(parts) == 1 else parts[0][2] + parts[1][2]
            return head.spec(features, mode, labels, logits, train)
        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


def _deep(columns, hidden_units, activation, dropout, batch_norm):
    if not columns:
        return None
    if not hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    return _Deep(columns, hidden_units, activation, dropout, batch_norm)


@export("estimator.DNNLinearCombinedClassifier")
class DNNLinearCombinedClassifier(_Combined):
    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
                 dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=tf.nn.relu, dnn_dropout=None, n_classes=2,
                 weight_column=None, label_vocabulary=None, input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction=_SUM, batch_norm=False, linear_sparse_combiner="sum"):
        super().__init__(_classes_head(n_classes, weight_column, label_vocabulary, loss_reduction), linear_feature_columns,
                         linear_optimizer,
                         _deep(dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm),
                         dnn_optimizer, model_dir, config, input_layer_partitioner, warm_start_from, linear_sparse_combiner)


@export("estimator.DNNLinearCombinedRegressor")
class DNNLinearCombinedRegressor(_Combined):
    def __init__(self, model_dir=None, linear_feature_columns=None, linear_optimizer="Ftrl", dnn_feature_columns=None,
                 dnn_optimizer="Adagrad", dnn_hidden_units=None, dnn_activation_fn=tf.nn.relu, dnn_dropout=None,
                 label_dimension=1, weight_column=None, input_layer_partitioner=None, config=None, warm_start_from=None,
                 loss_reduction=_SUM, batch_norm=False, linear_sparse_combiner="sum"):
        super().__init__(RegressionHead(label_dimension, weight_column, loss_reduction), linear_feature_columns,
                         linear_optimizer,
                         _deep(dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm),
                         dnn_optimizer, model_dir, config, input_layer_partitioner, warm_start_from, linear_sparse_combiner)
