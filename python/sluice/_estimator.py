"""tf.estimator.Estimator: a model function that is trained, evaluated and asked for predictions from one directory."""
import collections
import copy
import os
import tempfile
import time

import numpy as np

from sluice import _errors, _hooks, _logging, _nest, _state, _summary
from sluice._api import export, export_value
from sluice._checkpoint_utils import CheckpointReader, init_from_checkpoint, list_variables, load_variable
from sluice._convert import make_tensor_proto
from sluice._dataset import Dataset, make_initializable_iterator
from sluice._device_setter import PS_OPS, replica_device_setter
from sluice._dtypes import int64
from sluice._estimator_config import EVALUATOR, MASTER, PS, WORKER, ModeKeys, RunConfig, arguments_of
from sluice._estimator_config import default_session_config
from sluice._estimator_export import write
from sluice._estimator_spec import EstimatorSpec
from sluice._file_writer import FileWriterCache
from sluice._global_step import create_global_step, get_global_step
from sluice._graph import Graph, GraphKeys, Tensor, add_to_collection, control_dependencies, device, get_collection
from sluice._graph import get_default_graph
from sluice._initializers import Zeros
from sluice._message import message
from sluice._metrics import mean
from sluice._monitored_session import ChiefSessionCreator, MonitoredSession, MonitoredTrainingSession
from sluice._random import set_random_seed
from sluice._saver import Saver, latest_checkpoint
from sluice._session_manager import Scaffold
from sluice._variable_scope import get_variable
from sluice._variables import group, identity

for _name in ("CheckpointSaverHook", "CheckpointSaverListener", "FeedFnHook", "FinalOpsHook", "GlobalStepWaiterHook",
              "LoggingTensorHook", "NanLossDuringTrainingError", "NanTensorHook", "SecondOrStepTimer", "SessionRunArgs",
              "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook",
              "SummarySaverHook"):
    export_value(getattr(_hooks, _name), "estimator." + _name)
del _name
_STOPPING = (_errors.OutOfRangeError, StopIteration)  # the input has ended


# --- Warm starts ---

@export("estimator.WarmStartSettings")
class WarmStartSettings(collections.namedtuple("WarmStartSettings", [
        "ckpt_to_initialize_from", "vars_to_warm_start", "var_name_to_vocab_info", "var_name_to_prev_var_name"])):
    """Which variables start with values of a checkpoint."""

    def __new__(cls, ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None,
                var_name_to_prev_var_name=None):
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(cls, ckpt_to_initialize_from, vars_to_warm_start, var_name_to_vocab_info or {},
                               var_name_to_prev_var_name or {})


@export("train.warm_start")
def warm_start(ckpt_to_initialize_from, vars_to_warm_start=".*", var_name_to_vocab_info=None,
               var_name_to_prev_var_name=None):
    """Makes the initialisers of variables restore values. |vars_to_warm_start|: a pattern of names of trainable variables,
    a list of patterns of names of any, a list of variables, or None."""
    if var_name_to_vocab_info:
        raise NotImplementedError("var_name_to_vocab_info: vocabularies of a warm start are not there yet")
    previous = dict(var_name_to_prev_var_name or {})
    if vars_to_warm_start is None:
        found = []
    elif isinstance(vars_to_warm_start, str):
        found = get_collection(GraphKeys.TRAINABLE_VARIABLES, vars_to_warm_start)
    else:
        found = []
        for item in vars_to_warm_start:
            found += get_collection(GraphKeys.GLOBAL_VARIABLES, item) if isinstance(item, str) else [item]
    for variable in found:
        info = variable._get_save_slice_info()
        name = info.full_name if info is not None else variable.op.name
        init_from_checkpoint(ckpt_to_initialize_from, {previous.pop(name, name): variable})
    if previous:
        raise ValueError("You provided the following variables in var_name_to_prev_var_name that were not used: %s" %
                         sorted(previous))


def _warm_start_settings(given):
    if given is None or isinstance(given, WarmStartSettings):
        return given
    if not isinstance(given, str):
        raise ValueError("warm_start_from must be a string or a WarmStartSettings, instead got %s" % type(given))
    saved = os.path.join(given, "variables", "variables")
    return WarmStartSettings(saved if os.path.exists(saved + ".index") else given)


# --- Input ---

class _StartIterator(_hooks.SessionRunHook):
    """Starts an iterator in each new session."""

    def __init__(self, iterator):
        self._initializer = iterator.initializer

    def after_create_session(self, session, coord):
        session.run(self._initializer)


def parse_input(result):
    """(features, labels, hooks) of what an input function returned."""
    hooks = []
    if isinstance(result, Dataset):
        iterator = make_initializable_iterator(result)
        hooks.append(_StartIterator(iterator))
        result = iterator.get_next()
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return result[0], result[1], hooks
    return result, None, hooks


def _ends(features):
    """Whether the input of predictions can come to an end."""
    return any(isinstance(t, Tensor) and t.op.type == "IteratorGetNext" for t in _nest.flatten(features)) or \
        bool(get_collection(GraphKeys.QUEUE_RUNNERS))


# --- Evaluation ---

class _StopAfter(_hooks.SessionRunHook):
    """Stops after so many evaluations."""

    def __init__(self, count):
        self._count, self._step = count, None

    def count_with(self, step):
        self._step = step

    def before_run(self, run_context):
        return _hooks.SessionRunArgs(self._step)

    def after_run(self, run_context, run_values):
        done = int(run_values.results)
        if done == self._count or done % max(1, self._count // 10) == 0:
            _logging.info("Evaluation [%d/%d]", done, self._count)
        if done >= self._count:
            run_context.request_stop()


def _eval_step():
    found = get_collection(GraphKeys.EVAL_STEP)
    return found[0] if found else get_variable(
        "eval_step", shape=[], dtype=int64, initializer=Zeros(), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP])


def _evaluate_once(checkpoint_path, master, scaffold, update_op, final_ops, hooks, config):
    """Runs |update_op| until a hook stops or the input ends; the values of |final_ops| then."""
    step = _eval_step()
    run = [update_op, _state.assign_add(step, 1, use_locking=True)]
    with control_dependencies(run):
        done = identity(step.read_value())
    for hook in hooks:
        if isinstance(hook, _StopAfter):
            hook.count_with(done)
    final = _hooks.FinalOpsHook(final_ops)
    _logging.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S"))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_filename_with_path=checkpoint_path)
    with MonitoredSession(creator, list(hooks) + [final]) as session:
        while not session.should_stop():
            session.run(run)
    _logging.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
    return final.final_ops_values


def _add_value(summary, key, value):
    if isinstance(value, bytes):  # a serialized Summary
        for i, item in enumerate(message("Summary").FromString(value).value):
            item.tag = "%s/%d" % (key, i)
            summary.value.append(item)
    elif isinstance(value, np.ndarray) and value.ndim > 0:
        item = summary.value.add(tag=key, node_name=key)
        item.tensor.CopyFrom(make_tensor_proto(value))
    elif np.issubdtype(np.asarray(value).dtype, np.number):
        summary.value.add(tag=key, simple_value=float(value))
    else:
        _logging.warn("Skipping summary for %s, must be a float, np.float32, np.int64, np.int32 or int or np.ndarray or a "
                      "serialized string of Summary.", key)


def _write_results(folder, results, step, checkpoint_path):
    shown = ", ".join("%s = %s" % (k, v) for k, v in sorted(results.items()) if not isinstance(v, bytes))
    _logging.info("Saving dict for global step %d: %s", step, shown)
    writer, summary = FileWriterCache.get(folder), message("Summary")()
    for key, value in results.items():
        if value is not None and key != GraphKeys.GLOBAL_STEP:
            _add_value(summary, key, value)
    writer.add_summary(summary, step)
    if checkpoint_path:
        summary = message("Summary")()
        summary.value.add(tag="checkpoint_path").tensor.CopyFrom(make_tensor_proto(checkpoint_path))
        writer.add_summary(summary, step)
    writer.flush()


# --- Estimators ---

def _checked(items, kind, text):
    items = list(items or ())
    for item in items:
        if not isinstance(item, kind):
            raise TypeError(text % (item,))
    return items


def _checked_hooks(hooks):
    return _checked(hooks, _hooks.SessionRunHook, "Hooks must be a SessionRunHook, given: %s")


def _device_fn(config):
    if config.device_fn is not None:
        return config.device_fn
    if config.num_ps_replicas == 0:
        return None
    worker = "/job:%s/task:%d" % (config.task_type, config.task_id) if config.task_type else "/job:worker"
    return replica_device_setter(config.num_ps_replicas, worker_device=worker, ps_ops=list(PS_OPS),
                                 cluster=config.cluster_spec)


def _complete_config(config, model_dir):
    """The configuration with a directory and options of sessions."""
    if config is None:
        config = RunConfig()
        _logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError("config must be an instance of `RunConfig`, but provided %s." % (config,))
    if config.session_config is None:
        config = config.replace(session_config=default_session_config())
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError("`model_dir` are set both in constructor and `RunConfig`, but with different values. In "
                             "constructor: '%s', in `RunConfig`: '%s' " % (model_dir, config.model_dir))
        return config.replace(model_dir=model_dir)
    if config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        _logging.warn("Using temporary folder as model directory: %s", model_dir)
        return config.replace(model_dir=model_dir)
    return config


def _check_model_fn(model_fn, params):
    if model_fn is None:
        raise ValueError("model_fn must be provided to Estimator.")
    names = set(arguments_of(model_fn)) - {"self"}
    if "features" not in names:
        raise ValueError("model_fn (%s) must include features argument." % model_fn)
    if params is not None and "params" not in names:
        raise ValueError("model_fn (%s) does not include params argument, but params (%s) is passed to Estimator." %
                         (model_fn, params))
    unknown = sorted(names - {"features", "labels", "mode", "params", "config"})
    if unknown:
        raise ValueError("model_fn (%s) has following not expected args: %s" % (model_fn, unknown))


@export("estimator.Estimator")
class Estimator:
    """A model. Its checkpoints and summaries are in model_dir, from which each call begins."""

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        self._config = _complete_config(config, model_dir)
        self._model_dir, self._session_config = self._config.model_dir, self._config.session_config
        _logging.info("Using config: %s", vars(self._config))
        self._device_fn = _device_fn(self._config)
        _check_model_fn(model_fn, params)
        self._model_fn, self._params = model_fn, copy.deepcopy(params or {})
        self._warm_start_settings = _warm_start_settings(warm_start_from)

    model_dir = property(lambda self: self._model_dir)
    config = property(lambda self: copy.deepcopy(self._config))
    params = property(lambda self: copy.deepcopy(self._params))

    @property
    def model_fn(self):
        def call(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)
        return call

    # --- What is in the directory ---

    def _check_trained(self):
        if self.latest_checkpoint() is None:
            raise ValueError("Could not find trained model in model_dir: %s." % self._model_dir)

    def get_variable_value(self, name):
        self._check_trained()
        return load_variable(self._model_dir, name)

    def get_variable_names(self):
        self._check_trained()
        return [name for name, _ in list_variables(self._model_dir)]

    def latest_checkpoint(self):
        return latest_checkpoint(self._model_dir)

    def eval_dir(self, name=None):
        return os.path.join(self._model_dir, "eval" if not name else "eval_" + name)

    def _saved_step(self):
        path = self.latest_checkpoint()
        if path is None:
            return 0
        reader = CheckpointReader(path)
        return int(reader.get_tensor(GraphKeys.GLOBAL_STEP)) if reader.has_tensor(GraphKeys.GLOBAL_STEP) else 0

    # --- Building graphs ---

    def _call_input_fn(self, input_fn, mode):
        names = arguments_of(input_fn)
        given = {"mode": mode, "params": self.params, "config": self.config}
        with device("/cpu:0"):
            return input_fn(**{name: value for name, value in given.items() if name in names})

    def _call_model_fn(self, features, labels, mode, config):
        names = arguments_of(self._model_fn)
        if labels is not None and "labels" not in names:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        given = {"labels": labels, "mode": mode, "params": self.params, "config": config}
        _logging.info("Calling model_fn.")
        spec = self._model_fn(features=features, **{name: value for name, value in given.items() if name in names})
        _logging.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _begin_graph(self, graph):
        set_random_seed(self._config.tf_random_seed)
        create_global_step(graph)

    def _build(self, input_fn, mode):
        """(spec, hooks of the input) of the model for |mode| in the default graph."""
        self._begin_graph(get_default_graph())
        features, labels, hooks = parse_input(self._call_input_fn(input_fn, mode))
        if mode == ModeKeys.PREDICT:
            labels = None
            if not _ends(features):
                _logging.warn("Input graph does not use tf.data.Dataset or contain a QueueRunner. That means predict yields "
                              "forever. This is probably a mistake.")
        return self._call_model_fn(features, labels, mode, self.config), hooks

    def _warm_start(self, checkpoint_path):
        if not checkpoint_path and self._warm_start_settings:
            _logging.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
            warm_start(*self._warm_start_settings)

    # --- Training ---

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Trains |steps| more steps, or up to step |max_steps|, or until the input ends. Returns self."""
        if self._config.task_type in (EVALUATOR, PS):
            raise ValueError("Train has been called wrong configuration. Please use tf.estimator.train_and_evaluate which "
                             "calls proper API according to given configuration. Current configuration: %s." % self._config)
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, value in ("steps", steps), ("max_steps", max_steps):
            if value is not None and value <= 0:
                raise ValueError("Must specify %s > 0, given: %s" % (name, value))
        if max_steps is not None and max_steps <= self._saved_step():
            _logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = _checked_hooks(hooks)
        if steps is not None or max_steps is not None:
            hooks.append(_hooks.StopAtStepHook(steps, max_steps))
        listeners = _checked(saving_listeners, _hooks.CheckpointSaverListener,
                             "saving_listeners must be a list of CheckpointSaverListener, given: %s")
        with Graph().as_default() as graph, graph.device(self._device_fn):
            spec, input_hooks = self._build(input_fn, ModeKeys.TRAIN)
            loss = self._train(spec, input_hooks + hooks, listeners)
        _logging.info("Loss for final step: %s.", loss)
        return self

    def _train(self, spec, hooks, listeners):
        config = self._config
        self._warm_start(self.latest_checkpoint())
        if not any(s.op.name == "loss" for s in get_collection(GraphKeys.SUMMARIES)):
            _summary.scalar("loss", spec.loss)
        add_to_collection(GraphKeys.LOSSES, spec.loss)
        hooks = hooks + [_hooks.NanTensorHook(spec.loss)]
        if config.log_step_count_steps is not None:
            hooks.append(_hooks.LoggingTensorHook({"loss": spec.loss, "step": get_global_step()},
                                                  every_n_iter=config.log_step_count_steps))
        hooks += spec.training_hooks
        if not (spec.scaffold.saver or get_collection(GraphKeys.SAVERS)):
            add_to_collection(GraphKeys.SAVERS, Saver(
                sharded=True, max_to_keep=config.keep_checkpoint_max, defer_build=True, save_relative_paths=True,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours))
        chief_hooks = self._saver_hooks(spec, hooks, listeners) + list(spec.training_chief_hooks)
        summary_steps, count_steps = config.save_summary_steps, config.log_step_count_steps
        if {WORKER, MASTER} <= set(config.cluster_spec.jobs):  # the first worker writes for the master
            hooks += self._summary_hooks(spec)
            summary_steps, count_steps = 0, None
        with MonitoredTrainingSession(
                config.master, config.is_chief, self._model_dir, spec.scaffold, hooks, chief_hooks, save_checkpoint_secs=0,
                save_summaries_steps=summary_steps, config=self._session_config, log_step_count_steps=count_steps,
                max_wait_secs=config.session_creation_timeout_secs) as session:
            loss, stepped = None, False
            while not session.should_stop():
                _, loss = session.run([spec.train_op, spec.loss])
                stepped = True
        if not stepped:
            _logging.warn("Training with estimator made no steps. Perhaps input is empty or misspecified.")
        return loss

    def _saver_hooks(self, spec, hooks, listeners):
        """The hook that saves checkpoints, unless there is one."""
        config, made = self._config, []
        found = [h for h in hooks + list(spec.training_chief_hooks) if isinstance(h, _hooks.CheckpointSaverHook)]
        if not found and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            made = found = [_hooks.CheckpointSaverHook(self._model_dir, save_secs=config.save_checkpoints_secs,
                                                       save_steps=config.save_checkpoints_steps, scaffold=spec.scaffold)]
        if listeners and not found:
            raise ValueError("There should be a CheckpointSaverHook to use saving_listeners. Please set one of the "
                             "RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs.")
        for listener in listeners:
            if listener not in found[0]._listeners:
                found[0]._listeners.append(listener)
        return made

    def _summary_hooks(self, spec):
        config, made = self._config, []
        if config.task_type != WORKER or config.task_id != 0:
            return made
        if config.save_summary_steps:
            made.append(_hooks.SummarySaverHook(save_steps=config.save_summary_steps, output_dir=self._model_dir,
                                                scaffold=spec.scaffold))
        if config.log_step_count_steps:
            made.append(_hooks.StepCounterHook(every_n_steps=config.log_step_count_steps, output_dir=self._model_dir))
        return made

    # --- Evaluation ---

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        """{name: value} of the metrics over |steps| batches, or over all of the input."""
        hooks = _checked_hooks(hooks)
        if steps is not None:
            if steps <= 0:
                raise ValueError("Must specify steps > 0, given: %s" % steps)
            hooks.append(_StopAfter(steps))
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            _logging.info("Could not find trained model in model_dir: %s, running initialization to evaluate.",
                          self._model_dir)
        with Graph().as_default():
            spec, input_hooks = self._build(input_fn, ModeKeys.EVAL)
            update, values = self._metric_ops(spec)
            self._warm_start(checkpoint_path)
            results = _evaluate_once(checkpoint_path, self._config.evaluation_master, self._eval_scaffold(spec.scaffold),
                                     update, values, input_hooks + hooks + list(spec.evaluation_hooks),
                                     self._session_config)
        _write_results(self.eval_dir(name), results, int(results[GraphKeys.GLOBAL_STEP]), checkpoint_path)
        return results

    @staticmethod
    def _metric_ops(spec):
        """(operation that adds a batch, {name: value})"""
        metrics = dict(spec.eval_metric_ops)
        for name in "loss", GraphKeys.GLOBAL_STEP:
            if name in metrics:
                raise ValueError("Metric with name \"%s\" is not allowed, because Estimator already defines a default metric "
                                 "with the same name." % name)
        metrics["loss"] = mean(spec.loss)
        values = {name: metrics[name][0] for name in sorted(metrics)}
        update = group(*[metrics[name][1] for name in sorted(metrics)])
        return update, {**values, GraphKeys.GLOBAL_STEP: get_global_step()}

    @staticmethod
    def _eval_scaffold(scaffold):
        """|scaffold|, which also initialises the variables of the metrics."""
        if scaffold.local_init_op is None:
            return scaffold
        _eval_step()
        return Scaffold(local_init_op=group(scaffold.local_init_op, Scaffold.default_local_init_op()),
                        copy_from_scaffold=scaffold)

    # --- Predictions ---

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
        """Yields the predictions for each example, or for each batch."""
        hooks = _checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            _logging.info("Could not find trained model in model_dir: %s, running initialization to predict.",
                          self._model_dir)
        graph = Graph()
        with graph.as_default():
            spec, input_hooks = self._build(input_fn, ModeKeys.PREDICT)
            self._warm_start(checkpoint_path)
            wanted = _with_keys(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(spec.scaffold, self._config.master, self._session_config,
                                          checkpoint_filename_with_path=checkpoint_path)
            session = MonitoredSession(creator, input_hooks + hooks + list(spec.prediction_hooks))
        for values in _batches(graph, session, wanted):
            if not yield_single_examples:
                yield values
            elif not isinstance(wanted, dict):
                yield from values
            else:
                for i in range(_length(values)):
                    yield {key: value[i] for key, value in values.items()}

    # --- Saved models ---

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False,
                           checkpoint_path=None, experimental_mode=ModeKeys.PREDICT):
        """Writes the model for serving into a new folder of |export_dir_base|; returns its path."""
        if experimental_mode != ModeKeys.PREDICT:
            raise NotImplementedError("experimental_mode %r is not there yet: only predictions" % experimental_mode)
        return write(self, export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path)

    def export_savedmodel(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False,
                          checkpoint_path=None, strip_default_attrs=False):
        return self.export_saved_model(export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path)


def _batches(graph, session, wanted):
    """Yields what runs of |session| give. The caller's default graph stays his while he has a batch."""
    ended = GeneratorExit
    try:
        while not session.should_stop():
            with graph.as_default():
                values = session.run(wanted)
            yield values
        ended = None
    except _STOPPING:
        ended = _errors.OutOfRangeError
    finally:
        with graph.as_default():
            session._close(ended)


def _with_keys(predictions, keys):
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in keys}
    if not found:
        raise ValueError("Expected to run at least one output from %s, provided %s." % (list(predictions), keys))
    return found


def _length(values):
    sizes = {key: value.shape[0] for key, value in values.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError("Batch length of predictions should be same. Lengths: %s." % sizes)
    return next(iter(sizes.values()))
