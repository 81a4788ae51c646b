"""How an estimator runs: tf.estimator.ModeKeys and tf.estimator.RunConfig, which reads the variable TF_CONFIG."""
import copy
import inspect
import json
import os

from sluice import _logging
from sluice._api import export
from sluice._message import message
from sluice._server import ClusterSpec

CHIEF, WORKER, PS, MASTER, EVALUATOR = "chief", "worker", "ps", "master", "evaluator"
_DEFAULT = object()
_BOTH = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
_PROPERTIES = ("model_dir", "tf_random_seed", "save_summary_steps", "save_checkpoints_steps", "save_checkpoints_secs",
               "session_config", "keep_checkpoint_max", "keep_checkpoint_every_n_hours", "log_step_count_steps", "device_fn",
               "protocol", "experimental_max_worker_delay_secs", "session_creation_timeout_secs")
_STRATEGIES = ("train_distribute", "eval_distribute", "experimental_distribute")


@export("estimator.ModeKeys")
class ModeKeys:
    """What a model function builds a graph for."""
    TRAIN, EVAL, PREDICT = "train", "eval", "infer"


def arguments_of(function):
    """The names of the arguments that a caller of |function| can give."""
    return [p.name for p in inspect.signature(function).parameters.values()
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name not in _bound_of(function)]


def _bound_of(function):
    return getattr(function, "keywords", None) or {}


def default_session_config():
    made = message("ConfigProto")(allow_soft_placement=True)
    made.graph_options.rewrite_options.meta_optimizer_iterations = 1
    return made


def _is_device_fn(value):
    return callable(value) and arguments_of(value) == ["op"]


_RULES = (
    ("model_dir", bool, "model_dir should be non-empty"),
    ("save_summary_steps", lambda v: v >= 0, "save_summary_steps should be >= 0"),
    ("save_checkpoints_steps", lambda v: v >= 0, "save_checkpoints_steps should be >= 0"),
    ("save_checkpoints_secs", lambda v: v >= 0, "save_checkpoints_secs should be >= 0"),
    ("session_config", lambda v: isinstance(v, message("ConfigProto")), "session_config must be instance of ConfigProto"),
    ("keep_checkpoint_max", lambda v: v >= 0, "keep_checkpoint_max should be >= 0"),
    ("keep_checkpoint_every_n_hours", lambda v: v > 0, "keep_checkpoint_every_n_hours should be > 0"),
    ("log_step_count_steps", lambda v: v > 0, "log_step_count_steps should be > 0"),
    ("tf_random_seed", lambda v: isinstance(v, int), "tf_random_seed must be integer."),
    ("experimental_max_worker_delay_secs", lambda v: isinstance(v, int),
     "experimental_max_worker_delay_secs must be an integer if set."),
    ("session_creation_timeout_secs", lambda v: v > 0, "session_creation_timeout_secs should be > 0"),
    ("device_fn", _is_device_fn, 'device_fn must be callable with exactly one argument "op".'),
    ("protocol", lambda v: v == "grpc", "protocol should be grpc"),
)


@export("estimator.RunConfig")
class RunConfig:
    """Where and how often an estimator saves, and its task of a cluster as TF_CONFIG tells it."""

    def __init__(self, model_dir=None, tf_random_seed=None, save_summary_steps=100, save_checkpoints_steps=_DEFAULT,
                 save_checkpoints_secs=_DEFAULT, session_config=None, keep_checkpoint_max=5,
                 keep_checkpoint_every_n_hours=10000, log_step_count_steps=100, train_distribute=None, device_fn=None,
                 protocol=None, eval_distribute=None, experimental_distribute=None,
                 experimental_max_worker_delay_secs=None, session_creation_timeout_secs=7200):
        for name, value in zip(_STRATEGIES, (train_distribute, eval_distribute, experimental_distribute)):
            if getattr(value, "num_replicas_in_sync", 1) != 1:
                raise NotImplementedError("%s: a strategy has one replica here, got %r" % (name, value))
            setattr(self, "_" + name, value)
        if save_checkpoints_steps is _DEFAULT and save_checkpoints_secs is _DEFAULT:
            save_checkpoints_steps, save_checkpoints_secs = None, 600
        elif save_checkpoints_secs is _DEFAULT:
            save_checkpoints_secs = None
        elif save_checkpoints_steps is _DEFAULT:
            save_checkpoints_steps = None
        elif save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(_BOTH)
        environment = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if environment:
            _logging.info("TF_CONFIG environment variable: %s", environment)
        self._model_dir = _model_dir(environment, model_dir)
        self._tf_random_seed, self._save_summary_steps = tf_random_seed, save_summary_steps
        self._save_checkpoints_steps, self._save_checkpoints_secs = save_checkpoints_steps, save_checkpoints_secs
        self._session_config, self._keep_checkpoint_max = session_config, keep_checkpoint_max
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._log_step_count_steps, self._device_fn, self._protocol = log_step_count_steps, device_fn, protocol
        self._experimental_max_worker_delay_secs = experimental_max_worker_delay_secs
        self._session_creation_timeout_secs = session_creation_timeout_secs
        self._check()
        self._read_task(environment)
        if self._session_config is None and self._cluster_spec:
            self._session_config = self._config_of_task()

    def _check(self):
        for name, holds, text in _RULES:
            value = getattr(self, name)
            if value is not None and not holds(value):
                raise ValueError(text)

    def _read_task(self, environment):
        """Sets what depends on the cluster and on the task of this process."""
        self._service = environment.get("service")
        if self._service is not None and not isinstance(self._service, dict):
            raise TypeError('If "service" is set in TF_CONFIG, it must be a dict. Given %s' % type(self._service))
        self._cluster_spec = ClusterSpec(environment.get("cluster", {}))
        task = environment.get("task", {})
        if self._cluster_spec:
            self._read_task_of_cluster(environment, task)
            return
        self._task_type, self._task_id = task.get("type", WORKER), int(task.get("index", 0))
        if self._task_type != WORKER:
            raise ValueError('If "cluster" is not set in TF_CONFIG, task type must be WORKER.')
        if self._task_id != 0:
            raise ValueError('If "cluster" is not set in TF_CONFIG, task index must be 0.')
        self._master = environment.get("session_master", "")
        self._evaluation_master = environment.get("eval_session_master", "")
        self._is_chief, self._num_ps_replicas, self._num_worker_replicas, self._global_id_in_cluster = True, 0, 1, 0

    def _read_task_of_cluster(self, environment, task):
        cluster, chief = self._cluster_spec, CHIEF
        if MASTER in cluster.jobs:
            chief = MASTER
            if CHIEF in cluster.jobs:
                raise ValueError("If `master` node exists in `cluster`, job `chief` is not supported.")
            if task.get("type") == EVALUATOR:
                raise ValueError("If `master` node exists in `cluster`, task_type `evaluator` is not supported.")
        self._task_type, self._task_id = _task(cluster, task, chief)
        self._is_chief = self._task_type == chief
        if self._task_type == EVALUATOR:  # works by itself
            self._cluster_spec, self._master = ClusterSpec({}), ""
            self._evaluation_master = environment.get("eval_session_master", "")
            self._num_ps_replicas, self._num_worker_replicas, self._global_id_in_cluster = 0, 0, None
            return
        self._evaluation_master = ""
        self._master = environment.get("session_master", _target(cluster, self._task_type, self._task_id))
        sizes = {job: len(cluster.job_tasks(job)) for job in cluster.jobs}
        self._num_ps_replicas = sizes.get(PS, 0)
        self._num_worker_replicas = sizes.get(WORKER, 0) + sizes.get(chief, 0)
        order = [chief] + sorted(set(sizes) - {chief, PS}) + [PS] * (PS in sizes)
        self._global_id_in_cluster = sum(sizes[job] for job in order[:order.index(self._task_type)]) + self._task_id

    def _config_of_task(self):
        """A session of this task sees the ps tasks and itself, so that it need not wait for other workers."""
        filters = {MASTER: ["/job:ps", "/job:master"], CHIEF: ["/job:ps", "/job:chief"],
                   WORKER: ["/job:ps", "/job:worker/task:%d" % self._task_id],
                   PS: ["/job:ps", "/job:worker", "/job:chief", "/job:master"]}.get(self._task_type)
        if filters is None:
            return None
        made = default_session_config()
        made.device_filters.extend(filters)
        return made

    def replace(self, **kwargs):
        """A copy with other values of some properties."""
        made = copy.deepcopy(self)
        for name, value in kwargs.items():
            if name not in _PROPERTIES:
                raise ValueError("Replacing %s is not supported. Allowed properties are %s." % (name, list(_PROPERTIES)))
            setattr(made, "_" + name, value)
        steps, seconds = kwargs.get("save_checkpoints_steps"), kwargs.get("save_checkpoints_secs")
        if steps is not None and seconds is not None:
            raise ValueError(_BOTH)
        if steps is not None:
            made._save_checkpoints_secs = None
        if seconds is not None:
            made._save_checkpoints_steps = None
        made._check()
        return made


for _name in _PROPERTIES + _STRATEGIES + ("cluster_spec", "evaluation_master", "is_chief", "master", "num_ps_replicas",
                                          "num_worker_replicas", "service", "task_id", "task_type",
                                          "global_id_in_cluster"):
    setattr(RunConfig, _name, property(lambda self, _field="_" + _name: getattr(self, _field)))
del _name


def _model_dir(environment, given):
    given = None if given is None else os.fspath(given)
    if given == "":
        raise ValueError("model_dir should be non-empty.")
    if "model_dir" not in environment:
        return given
    if environment["model_dir"] == "":
        raise ValueError("model_dir in TF_CONFIG should be non-empty.")
    if given is not None and given != environment["model_dir"]:
        raise ValueError("`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in "
                         "TF_CONFIG. model_dir: %s TF_CONFIG[\"model_dir\"]: %s." % (given, environment["model_dir"]))
    return environment["model_dir"]


def _task(cluster, task, chief):
    """(type, index) of the task of this process."""
    if chief not in cluster.jobs:
        raise ValueError('If "cluster" is set in TF_CONFIG, it must have one "%s" node.' % chief)
    if len(cluster.job_tasks(chief)) > 1:
        raise ValueError('The "cluster" in TF_CONFIG must have only one "%s" node.' % chief)
    kind, index = task.get("type"), task.get("index")
    if not kind:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type must be set.')
    if index is None:
        raise ValueError('If "cluster" is set in TF_CONFIG, task index must be set.')
    index = int(index)
    if index < 0:
        raise ValueError("Task index must be non-negative number.")
    if kind == EVALUATOR:
        return kind, index
    if kind not in cluster.jobs:
        raise ValueError("%s is not a valid task_type in the cluster_spec:\n%s\n\nNote that these values may be coming from "
                         "the TF_CONFIG environment variable." % (kind, cluster))
    if index >= len(cluster.job_tasks(kind)):
        raise ValueError("%d is not a valid task_id for task_type %s in the cluster_spec:\n%s\n\nNote that these values may "
                         "be coming from the TF_CONFIG environment variable." % (index, kind, cluster))
    return kind, index


def _target(cluster, kind, index):
    if len(cluster.jobs) == 1 and len(cluster.job_tasks(cluster.jobs[0])) == 1:
        return ""
    return "grpc://" + cluster.job_tasks(kind)[index]
