"""tf.estimator.BaselineClassifier and BaselineRegressor: models that learn the labels' average and look at no feature."""
import sluice as tf
from sluice import _nest
from sluice._api import export
from sluice._estimator import Estimator
from sluice._estimator_canned import _classes_head, _optimizer
from sluice._estimator_heads import RegressionHead

_SUM = tf.losses.Reduction.SUM


class _Baseline(Estimator):
    def __init__(self, head, model_dir, optimizer, config):
        def model_fn(features, labels, mode, config):
            if not isinstance(features, dict):
                raise ValueError("features should be a dictionary of `Tensor`s. Given type: %s" % type(features))
            first = _nest.flatten(features)[0]
            rows = tf.shape(first.indices if isinstance(first, tf.SparseTensor) else first)[0]
            if isinstance(first, tf.SparseTensor):
                rows = tf.cast(first.dense_shape[0], tf.int32)
            with tf.variable_scope("baseline"):
                bias = tf.get_variable("bias", [head.logits_dimension], initializer=tf.zeros_initializer())
                logits = tf.ones(tf.stack([rows, head.logits_dimension])) * bias
                made = tf.train.FtrlOptimizer(0.3) if optimizer == "Ftrl" else _optimizer(optimizer, 0.3)
                return head.spec(features, mode, labels, logits,
                                 lambda loss: made.minimize(loss, global_step=tf.train.get_global_step()))
        super().__init__(model_fn, model_dir, config)


@export("estimator.BaselineClassifier")
class BaselineClassifier(_Baseline):
    """Learns how frequent the classes are."""

    def __init__(self, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, optimizer="Ftrl", config=None,
                 loss_reduction=_SUM):
        super().__init__(_classes_head(n_classes, weight_column, label_vocabulary, loss_reduction), model_dir, optimizer, config)


@export("estimator.BaselineRegressor")
class BaselineRegressor(_Baseline):
    """Learns the mean."""

    def __init__(self, model_dir=None, label_dimension=1, weight_column=None, optimizer="Ftrl", config=None,
                 loss_reduction=_SUM):
        super().__init__(RegressionHead(label_dimension, weight_column, loss_reduction), model_dir, optimizer, config)


def _absent(name):
    def refuse(*args, **kwargs):
        raise NotImplementedError("tf.estimator.%s is not there: boosted trees have no operations here" % name)
    refuse.__doc__ = "Raises NotImplementedError."
    export("estimator." + name)(refuse)


for _name in "BoostedTreesClassifier", "BoostedTreesRegressor", "BoostedTreesEstimator":
    _absent(_name)
