"""tf.estimator.experimental: training that stops when a metric of the evaluations says so."""
import collections
import operator
import os

import sluice as tf
from sluice import _logging
from sluice._api import export
from sluice._graph import GraphKeys
from sluice._hooks import SecondOrStepTimer, SessionRunArgs, SessionRunHook
from sluice._variable_scope import AUTO_REUSE, get_variable, variable_scope


def _export(name):
    return export("estimator.experimental." + name, "contrib.estimator." + name)


@export("contrib.estimator.read_eval_metrics")
def read_eval_metrics(eval_dir):
    """{step: {metric: value}} of the summaries in a directory, by step."""
    found = {}
    if os.path.isdir(eval_dir):
        for name in sorted(os.listdir(eval_dir)):
            if "tfevents" not in name:
                continue
            for event in tf.train.summary_iterator(os.path.join(eval_dir, name)):
                values = {v.tag: v.simple_value for v in event.summary.value if v.HasField("simple_value")}
                if values:
                    found.setdefault(event.step, {}).update(values)
    return collections.OrderedDict(sorted(found.items()))


def _stop_variable():
    """Tells all tasks of a job that training stops."""
    with variable_scope("signal_early_stopping", reuse=AUTO_REUSE):
        return get_variable("STOP", [], tf.bool, tf.constant_initializer(False), trainable=False,
                            collections=[GraphKeys.GLOBAL_VARIABLES])


class _StopHook(SessionRunHook):
    """On the chief: asks |should_stop| from time to time."""

    def __init__(self, should_stop, run_every_secs, run_every_steps):
        self._should_stop, self._timer = should_stop, SecondOrStepTimer(run_every_secs, run_every_steps)

    def begin(self):
        self._stop, self._step = _stop_variable(), tf.train.get_global_step()
        self._set = tf.assign(self._stop, True)

    def before_run(self, run_context):
        return SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        step = int(run_values.results)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop():
                _logging.info("Requesting early stopping at global step %d", step)
                run_context.session.run(self._set)
                run_context.request_stop()


class _FollowHook(SessionRunHook):
    """On the other tasks: stops when the chief has said so."""

    def begin(self):
        self._stop = _stop_variable()

    def before_run(self, run_context):
        return SessionRunArgs(self._stop)

    def after_run(self, run_context, run_values):
        if run_values.results:
            _logging.info("Early stopping requested, suspending run.")
            run_context.request_stop()


@_export("make_early_stopping_hook")
def make_early_stopping_hook(estimator, should_stop_fn, run_every_secs=60, run_every_steps=None):
    """A hook that stops training when should_stop_fn() is true."""
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    if estimator.config.is_chief:
        return _StopHook(should_stop_fn, run_every_secs, run_every_steps)
    return _FollowHook()


def _threshold(name, compare, text):
    def make(estimator, metric_name, threshold, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None):
        folder = eval_dir or estimator.eval_dir()

        def should_stop():
            for step, metrics in read_eval_metrics(folder).items():
                if step >= min_steps and metric_name in metrics and compare(metrics[metric_name], threshold):
                    _logging.info('At step %s, metric "%s" has value %s which is %s the configured threshold (%s) for early '
                                  "stopping.", step, metric_name, metrics[metric_name], text, threshold)
                    return True
            return False
        return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)
    make.__doc__ = "A hook that stops training when a metric is %s a threshold." % text
    _export(name)(make)


def _no_progress(name, is_better):
    def make(estimator, metric_name, max_steps_without, eval_dir=None, min_steps=0, run_every_secs=60, run_every_steps=None):
        folder = eval_dir or estimator.eval_dir()

        def should_stop():
            best = best_step = None
            for step, metrics in read_eval_metrics(folder).items():
                if step < min_steps or metric_name not in metrics:
                    continue
                if best is None or is_better(metrics[metric_name], best):
                    best, best_step = metrics[metric_name], step
                if step - best_step >= max_steps_without:
                    _logging.info('No better "%s" for %s steps, which is not less than %s steps for early stopping.',
                                  metric_name, step - best_step, max_steps_without)
                    return True
            return False
        return make_early_stopping_hook(estimator, should_stop, run_every_secs, run_every_steps)

    def named(estimator, metric_name, *args, **kwargs):
        for key in "max_steps_without_increase", "max_steps_without_decrease":
            if key in kwargs:
                kwargs["max_steps_without"] = kwargs.pop(key)
        return make(estimator, metric_name, *args, **kwargs)
    named.__doc__ = "A hook that stops training when a metric has not got better for some steps."
    _export(name)(named)


_threshold("stop_if_higher_hook", operator.gt, "higher than")
_threshold("stop_if_lower_hook", operator.lt, "lower than")
_no_progress("stop_if_no_increase_hook", operator.gt)
_no_progress("stop_if_no_decrease_hook", operator.lt)
