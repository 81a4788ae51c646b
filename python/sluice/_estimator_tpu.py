"""tf.estimator.tpu and tf.contrib.tpu for programs that run with and without TPUs: here without."""
import collections
import copy

import sluice as tf
from sluice._api import export
from sluice._estimator import Estimator
from sluice._estimator_config import RunConfig as _RunConfig
from sluice._estimator_config import arguments_of
from sluice._estimator_spec import EstimatorSpec
from sluice._optimizers import WrappingOptimizer


def _export(name):
    return export("estimator.tpu." + name)


@_export("InputPipelineConfig")
class InputPipelineConfig:
    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST = 1, 2, 3, 4


@_export("TPUConfig")
class TPUConfig(collections.namedtuple("TPUConfig", [
        "iterations_per_loop", "num_shards", "num_cores_per_replica", "per_host_input_for_training", "tpu_job_name",
        "initial_infeed_sleep_secs", "input_partition_dims", "eval_training_input_configuration"])):
    """Settings that matter on TPUs only."""

    def __new__(cls, iterations_per_loop=2, num_shards=None, num_cores_per_replica=None, per_host_input_for_training=True,
                tpu_job_name=None, initial_infeed_sleep_secs=None, input_partition_dims=None,
                eval_training_input_configuration=None, **unused):
        return super().__new__(cls, iterations_per_loop, num_shards, num_cores_per_replica, per_host_input_for_training,
                               tpu_job_name, initial_infeed_sleep_secs, input_partition_dims,
                               eval_training_input_configuration)


@_export("RunConfig")
class RunConfig(_RunConfig):
    """A RunConfig with the settings of TPUs, which are kept and have no effect."""

    def __init__(self, tpu_config=None, evaluation_master=None, master=None, cluster=None, **kwargs):
        super().__init__(**kwargs)
        self.tpu_config, self._tpu_cluster = tpu_config or TPUConfig(), cluster
        if master:
            raise NotImplementedError("master=%r: there are no TPUs here" % (master,))


@_export("TPUEstimatorSpec")
class TPUEstimatorSpec(collections.namedtuple("TPUEstimatorSpec", [
        "mode", "predictions", "loss", "train_op", "eval_metrics", "export_outputs", "scaffold_fn", "host_call",
        "training_hooks", "evaluation_hooks", "prediction_hooks"])):
    """The operations of a model: metrics are (function, tensors), a scaffold is made by a function."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metrics=None, export_outputs=None,
                scaffold_fn=None, host_call=None, training_hooks=None, evaluation_hooks=None, prediction_hooks=None):
        return super().__new__(cls, mode, predictions, loss, train_op, eval_metrics, export_outputs, scaffold_fn, host_call,
                               training_hooks, evaluation_hooks, prediction_hooks)

    def as_estimator_spec(self):
        """The same without TPUs."""
        metrics = None
        if self.eval_metrics is not None:
            function, tensors = self.eval_metrics
            metrics = function(**tensors) if isinstance(tensors, dict) else function(*tensors)
        hooks = list(self.training_hooks or [])
        train_op = self.train_op
        if self.host_call is not None and train_op is not None:
            function, tensors = self.host_call
            extra = function(**tensors) if isinstance(tensors, dict) else function(*tensors)
            train_op = tf.group(train_op, extra)
        return EstimatorSpec(self.mode, self.predictions, self.loss, train_op, metrics, self.export_outputs,
                             training_hooks=hooks, scaffold=self.scaffold_fn() if self.scaffold_fn else None,
                             evaluation_hooks=self.evaluation_hooks, prediction_hooks=self.prediction_hooks)


@_export("TPUEstimator")
class TPUEstimator(Estimator):
    """An Estimator whose functions find the batch size in params["batch_size"]."""

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, use_tpu=True, train_batch_size=None,
                 eval_batch_size=None, predict_batch_size=None, batch_axis=None, eval_on_tpu=True, export_to_tpu=True,
                 export_to_cpu=True, warm_start_from=None, **unused):
        if use_tpu:
            raise NotImplementedError("use_tpu=True: there are no TPUs here; run the program with use_tpu=False")
        self._sizes = {"train": train_batch_size, "eval": eval_batch_size, "infer": predict_batch_size}
        params = dict(params.values() if hasattr(params, "values") and not isinstance(params, dict) else params or {})
        if "batch_size" in params:
            raise ValueError("batch_size are reserved keys but existed in params %s." % params)
        self._mode = None
        names = arguments_of(model_fn)

        def call(features, labels, mode, params, config):
            given = {"labels": labels, "mode": mode, "params": params, "config": config}
            spec = model_fn(features=features, **{k: v for k, v in given.items() if k in names})
            return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec
        super().__init__(call, model_dir, config, params or {"use_tpu": False}, warm_start_from)
        self._params = dict(params)

    @property
    def params(self):
        found = copy.deepcopy(self._params)
        size = self._sizes.get(self._mode)
        if size is not None:
            found["batch_size"] = size
        return found

    def _call_input_fn(self, input_fn, mode):
        self._mode = mode
        return super()._call_input_fn(input_fn, mode)

    def _call_model_fn(self, features, labels, mode, config):
        self._mode = mode
        return super()._call_model_fn(features, labels, mode, config)


@export("contrib.tpu.CrossShardOptimizer", "tpu.CrossShardOptimizer")
class CrossShardOptimizer(WrappingOptimizer):
    """With one shard: the optimizer itself."""

    def __init__(self, opt, reduction=None, name="CrossShardOptimizer", group_assignment=None):
        super().__init__(False, name)
        self._opt = opt

    def compute_gradients(self, loss, var_list=None, **kwargs):
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        return self._opt.apply_gradients(grads_and_vars, global_step, name)


@export("contrib.tpu.bfloat16_scope", "tpu.bfloat16_scope")
def bfloat16_scope():
    raise NotImplementedError("tf.contrib.tpu.bfloat16_scope: there are no TPUs here")
