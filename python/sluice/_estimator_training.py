"""tf.estimator.train_and_evaluate: trains and evaluates by turns, in one process or as a task of a cluster."""
import collections
import os
import time

from sluice import _logging
from sluice._api import export
from sluice._estimator import Estimator
from sluice._estimator_config import CHIEF, EVALUATOR, MASTER, PS, WORKER
from sluice._estimator_export import Exporter
from sluice._graph import GraphKeys
from sluice._hooks import CheckpointSaverListener, SecondOrStepTimer, SessionRunHook
from sluice._message import message
from sluice._server import Server

_MOST_DELAY, _DELAY_PER_WORKER = 60, 5  # seconds


def _items(items, kind, label):
    items = tuple(items or ())
    for item in items:
        if not isinstance(item, kind):
            raise TypeError("All %s must be `%s` instances, given: %s" % (label, kind.__name__, item))
    return items


def _check_input_fn(input_fn):
    if not callable(input_fn):
        raise TypeError("`input_fn` must be callable, given: %s" % (input_fn,))


def _exporters(given):
    given = _items([given] if isinstance(given, Exporter) else given, Exporter, "exporters")
    names = [e.name for e in given]
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError("An Exporter must have a name, a string. All exporter names: %s" % names)
    if len(set(names)) < len(names):
        raise ValueError("`exporters` must have unique names. All exporter names: %s" % names)
    return given


@export("estimator.TrainSpec")
class TrainSpec(collections.namedtuple("TrainSpec", ["input_fn", "max_steps", "hooks", "saving_listeners"])):
    """How train_and_evaluate() trains."""

    def __new__(cls, input_fn, max_steps=None, hooks=None, saving_listeners=None):
        _check_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError("Must specify max_steps > 0, given: %s" % max_steps)
        return super().__new__(cls, input_fn, max_steps, _items(hooks, SessionRunHook, "hooks"),
                               _items(saving_listeners, CheckpointSaverListener, "saving_listeners"))


@export("estimator.EvalSpec")
class EvalSpec(collections.namedtuple("EvalSpec", ["input_fn", "steps", "name", "hooks", "exporters", "start_delay_secs",
                                                   "throttle_secs"])):
    """How train_and_evaluate() evaluates."""

    def __new__(cls, input_fn, steps=100, name=None, hooks=None, exporters=None, start_delay_secs=120, throttle_secs=600):
        _check_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError("Must specify steps > 0, given: %s" % steps)
        if name is not None and not isinstance(name, str):
            raise TypeError("`name` must be string, given: %s" % (name,))
        for label, value in ("start_delay_secs", start_delay_secs), ("throttle_secs", throttle_secs):
            if value < 0:
                raise ValueError("Must specify %s >= 0, given: %s" % (label, value))
        return super().__new__(cls, input_fn, steps, name, _items(hooks, SessionRunHook, "hooks"), _exporters(exporters),
                               start_delay_secs, throttle_secs)


class _Evaluator:
    """Evaluates each checkpoint once and lets exporters write it."""

    def __init__(self, estimator, spec, max_steps):
        self._estimator, self._spec, self._max_steps, self._last = estimator, spec, max_steps, None

    def evaluate(self):
        """(metrics, what the exporters returned); None without a new checkpoint."""
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._last:
            return None
        spec = self._spec
        metrics = self._estimator.evaluate(spec.input_fn, spec.steps, spec.hooks, path, spec.name)
        self._last = path
        final = bool(self._max_steps) and metrics[GraphKeys.GLOBAL_STEP] >= self._max_steps
        folder = os.path.join(self._estimator.model_dir, "export")
        return metrics, [e.export(self._estimator, os.path.join(folder, e.name), path, metrics, final)
                         for e in spec.exporters]


class _EvaluateCheckpoints(CheckpointSaverListener):
    """Evaluates new checkpoints between steps of training, but the first one."""

    def __init__(self, evaluator, throttle_secs):
        self._evaluator, self._throttle, self.results = evaluator, throttle_secs, None

    def begin(self):
        self._timer, self._first = SecondOrStepTimer(every_secs=self._throttle), True

    def after_save(self, session, global_step_value):
        if self._first:
            self._first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            _logging.info("Skip the current checkpoint eval due to throttle secs (%s secs).", self._throttle)

    def end(self, session, global_step_value):
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step):
        self._timer.update_last_triggered_step(step)
        results = self._evaluator.evaluate()
        if results is None:
            raise RuntimeError("There was no new checkpoint after the training.")
        self.results = results


@export("estimator.train_and_evaluate")
def train_and_evaluate(estimator, train_spec, eval_spec):
    """Does what the task of this process is for. In one process without a cluster, returns (metrics, exports)."""
    for label, value, kind in (("estimator", estimator, Estimator), ("train_spec", train_spec, TrainSpec),
                               ("eval_spec", eval_spec, EvalSpec)):
        if not isinstance(value, kind):
            raise TypeError("`%s` must have type `tf.estimator.%s`. Got: %s" % (label, kind.__name__, type(value)))
    config = estimator.config
    if config.task_type == EVALUATOR:
        if config.task_id > 0:
            raise ValueError("For distributed training, there can only be one `evaluator` task (with task id 0).  Given "
                             "task id %d" % config.task_id)
        return _evaluate_continuously(estimator, train_spec, eval_spec)
    if not config.cluster_spec:
        _logging.info("Running training and evaluation locally (non-distributed).")
        return _train(estimator, train_spec, eval_spec)
    if config.task_type == PS:
        _start_server(config).join()
        return None
    if config.task_type not in (CHIEF, MASTER, WORKER):
        raise ValueError("Task type %s is not supported. Supported task types are %s" %
                         (config.task_type, [CHIEF, EVALUATOR, MASTER, PS, WORKER]))
    server = _start_server(config)
    if config.task_type == WORKER:
        _delay(config)
    _train(estimator, train_spec, eval_spec if config.task_type == MASTER else None, config.task_type != WORKER)
    del server  # it served until here
    return None


def _train(estimator, spec, eval_spec, saves=True):
    """Trains, and evaluates as |eval_spec| says."""
    listeners, evaluation = spec.saving_listeners if saves else (), None
    if eval_spec is not None:
        evaluation = _EvaluateCheckpoints(_Evaluator(estimator, eval_spec, spec.max_steps), eval_spec.throttle_secs)
        listeners += (evaluation,)
    estimator.train(spec.input_fn, spec.hooks, max_steps=spec.max_steps, saving_listeners=listeners)
    return evaluation.results or (None, None) if evaluation is not None else None


def _delay(config):
    """Workers start one after another, so that the chief comes first."""
    most = config.experimental_max_worker_delay_secs
    seconds = min(_MOST_DELAY if most is None else most, (config.task_id + 1) * _DELAY_PER_WORKER)
    if seconds > 0:
        _logging.info("Waiting %d secs before starting training.", seconds)
        time.sleep(seconds)


def _start_server(config):
    """The server of this task; None for the only task of a cluster."""
    if not config.master:
        if len(config.cluster_spec.jobs) == 1 and config.task_type in (CHIEF, MASTER, WORKER):
            _logging.info("Skip starting Tensorflow server as there is only one node in the cluster.")
            return None
        raise RuntimeError("Could not start server; be sure to specify master in RunConfig or set the TF_CONFIG environment "
                           "variable.")
    _logging.info("Start Tensorflow server.")
    return Server(config.cluster_spec, config.task_type, config.task_id, config.protocol, message("ConfigProto")())


def _evaluate_continuously(estimator, train_spec, eval_spec):
    if eval_spec.start_delay_secs:
        _logging.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)
        time.sleep(eval_spec.start_delay_secs)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    while True:
        start = time.monotonic()
        results = evaluator.evaluate()
        if results is None:
            _logging.info("No new checkpoint is ready for evaluation in %s.", estimator.model_dir)
        elif train_spec.max_steps and results[0][GraphKeys.GLOBAL_STEP] >= train_spec.max_steps:
            _logging.info("Exiting evaluation, global_step=%s >= train max_steps=%s", results[0][GraphKeys.GLOBAL_STEP],
                          train_spec.max_steps)
            return
        # Without a new checkpoint, a throttle of 0 is still a second.
        rest = eval_spec.throttle_secs - (time.monotonic() - start)
        if rest > 0 or results is None:
            time.sleep(max(rest, 1.0 if results is None else 0.0))
