"""More of tf.estimator: inputs from tables, added metrics, the best export, evaluation while training."""
import os

import numpy as np

import sluice as tf
from sluice._api import export
from sluice._estimator_export import _SavedModelExporter
from sluice._estimator_inputs import numpy_input_fn
from sluice._hooks import SecondOrStepTimer, SessionRunArgs, SessionRunHook


@export("estimator.inputs.pandas_input_fn")
def pandas_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1,
                    target_column="target"):
    """An input function of a table of pandas: its columns are the features, |y| a series or a table of labels."""
    if not isinstance(shuffle, bool):
        raise ValueError("shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for "
                         "training); got %s" % (shuffle,))
    if y is not None and not np.array_equal(x.index, y.index):
        raise ValueError("Index for x and y are mismatched.\nIndex for x: %s\nIndex for y: %s\n" % (x.index, y.index))

    def arrays(table):
        return {str(name): np.asarray(table[name]) for name in table.columns}
    labels = None
    if y is not None:
        labels = arrays(y) if hasattr(y, "columns") else np.asarray(y)
        if hasattr(y, "columns") and set(labels) & {str(c) for c in x.columns}:
            raise ValueError("Cannot use column names of y that are also in x: %s" % sorted(labels))
        if not hasattr(y, "columns") and target_column in x.columns:
            raise ValueError("Cannot use name %s for target column: DataFrame already has a column with that name: %s" %
                             (target_column, x.columns))
    return numpy_input_fn(arrays(x), labels, batch_size, num_epochs, shuffle, queue_capacity, num_threads)


def _with_label(feature_columns, label_key, feature):
    parsing = tf.feature_column.make_parse_example_spec(feature_columns)
    if label_key in parsing:
        raise ValueError("label should not be used as feature. label_key: %s, features: %s" % (label_key, list(parsing)))
    return {**parsing, **feature}


@export("estimator.classifier_parse_example_spec")
def classifier_parse_example_spec(feature_columns, label_key, label_dtype=tf.int64, label_default=None, weight_column=None):
    """What tf.parse_example() needs for the features and the label of a classifier."""
    feature = {label_key: tf.FixedLenFeature((1,), label_dtype, label_default)}
    return _with_weight(_with_label(feature_columns, label_key, feature), weight_column)


@export("estimator.regressor_parse_example_spec")
def regressor_parse_example_spec(feature_columns, label_key, label_dtype=tf.float32, label_default=None, label_dimension=1,
                                 weight_column=None):
    feature = {label_key: tf.FixedLenFeature((label_dimension,), label_dtype, label_default)}
    return _with_weight(_with_label(feature_columns, label_key, feature), weight_column)


def _with_weight(parsing, weight_column):
    if weight_column is None:
        return parsing
    column = tf.feature_column.numeric_column(weight_column) if isinstance(weight_column, str) else weight_column
    if column.key in parsing:
        raise ValueError("weight_column should not be used as feature. weight_column: %s, features: %s" %
                         (column.key, list(parsing)))
    return {**parsing, **tf.feature_column.make_parse_example_spec([column])}


@export("estimator.add_metrics", "contrib.estimator.add_metrics")
def add_metrics(estimator, metric_fn):
    """An estimator like |estimator| that reports the metrics of metric_fn(labels, predictions, features, config), too."""
    import inspect
    wanted = set(inspect.signature(metric_fn).parameters)
    unknown = wanted - {"labels", "predictions", "features", "config"}
    if unknown:
        raise ValueError("metric_fn (%s) has following not expected args: %s" % (metric_fn, sorted(unknown)))

    def model_fn(features, labels, mode, config):
        spec = estimator._call_model_fn(features, labels, mode, config)
        if mode != tf.estimator.ModeKeys.EVAL:
            return spec
        given = {"features": features, "labels": labels, "predictions": spec.predictions, "config": config}
        metrics = metric_fn(**{name: given[name] for name in wanted})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **(metrics or {})})
    return tf.estimator.Estimator(model_fn, estimator.model_dir, estimator.config,
                                  warm_start_from=getattr(estimator, "_warm_start_settings", None))


def _is_better(best_eval_result, current_eval_result):
    """Whether the loss is smaller."""
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError("the results of an evaluation must have a loss, got %s" % (result,))
    return best_eval_result["loss"] > current_eval_result["loss"]


@export("estimator.BestExporter")
class BestExporter(_SavedModelExporter):
    """Writes the model when an evaluation is better than all before, also those of earlier runs."""

    def __init__(self, name="best_exporter", serving_input_receiver_fn=None, event_file_pattern="eval/*.tfevents.*",
                 compare_fn=_is_better, assets_extra=None, as_text=False, exports_to_keep=5):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if serving_input_receiver_fn is None:
            raise ValueError("`serving_input_receiver_fn` must be defined")
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be a positive number. Got %s" % exports_to_keep)
        self._pattern, self._is_better, self._keep = event_file_pattern, compare_fn, exports_to_keep
        self._best, self._has_exported = None, False

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if self._best is None and self._pattern:
            self._best = self._earlier(os.path.join(estimator.model_dir, self._pattern))
        if self._best is not None and self._has_exported and not self._is_better(
                best_eval_result=self._best, current_eval_result=eval_result):
            return None
        if self._best is None or self._is_better(best_eval_result=self._best, current_eval_result=eval_result):
            self._best = eval_result
        self._has_exported = True
        made = self._write(estimator, export_path, checkpoint_path)
        if self._keep is not None:
            versions = sorted((v for v in os.listdir(export_path) if v.isdigit()), key=int)
            for version in versions[:-self._keep]:
                tf.gfile.DeleteRecursively(os.path.join(export_path, version))
        return made

    def _earlier(self, pattern):
        """The best result that event files have."""
        best = None
        for path in tf.gfile.Glob(pattern):
            for event in tf.train.summary_iterator(path):
                if not event.HasField("summary"):
                    continue
                result = {value.tag: value.simple_value for value in event.summary.value if value.HasField("simple_value")}
                if result.get("loss") is not None and (best is None or self._is_better(
                        best_eval_result=best, current_eval_result=result)):
                    best = result
        return best


@export("estimator.experimental.InMemoryEvaluatorHook", "contrib.estimator.InMemoryEvaluatorHook")
class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates every |every_n_iter| steps while an estimator trains. The values go through a checkpoint of their own."""

    def __init__(self, estimator, input_fn, steps=None, hooks=None, name=None, every_n_iter=100):
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError("invalid every_n_iter=%s." % every_n_iter)
        if getattr(estimator.config, "num_ps_replicas", 0) > 0 or getattr(estimator.config, "num_worker_replicas", 1) > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator, self._input_fn, self._steps, self._hooks, self._name = estimator, input_fn, steps, hooks, name
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)

    def begin(self):
        self._step = tf.train.get_global_step()
        if self._step is None:
            raise RuntimeError("Global step should be created to use InMemoryEvaluatorHook.")
        self._saver = tf.train.Saver(sharded=True, max_to_keep=1)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_create_session(self, session, coord):
        self._evaluate(session)

    def after_run(self, run_context, run_values):
        if self._timer.should_trigger_for_step(int(run_values.results) + 1):
            self._evaluate(run_context.session)

    def end(self, session):
        self._evaluate(session)

    def _evaluate(self, session):
        step = int(session.run(self._step))
        if self._timer.last_triggered_step() == step:
            return
        self._timer.update_last_triggered_step(step)
        folder = os.path.join(self._estimator.model_dir, "in_memory")
        os.makedirs(folder, exist_ok=True)
        with session.graph.as_default():
            path = self._saver.save(session, os.path.join(folder, "model"), write_state=False, write_meta_graph=False)
        self._estimator.evaluate(self._input_fn, self._steps, self._hooks, path, self._name)

