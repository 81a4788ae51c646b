"""tf.distribute: strategies of one device, and what a program asks of them.

Data parallelism over processes is that of replica_device_setter, SyncReplicasOptimizer and train_and_evaluate.
"""
import contextlib
import enum
import json
import os

from sluice._api import export
from sluice._graph import device, get_default_graph
from sluice._server import ClusterSpec

_stack = []


@export("distribute.ReduceOp")
class ReduceOp(enum.Enum):
    SUM = "SUM"
    MEAN = "MEAN"


@export("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    AUTO, NONE, ON_WRITE, ON_READ = 0, 1, 2, 3


@export("VariableAggregation")
class VariableAggregation(enum.Enum):
    NONE, SUM, MEAN, ONLY_FIRST_REPLICA, ONLY_FIRST_TOWER = 0, 1, 2, 3, 3


@export("distribute.ReplicaContext")
class ReplicaContext:
    """Within a replica, of which there is one."""
    replica_id_in_sync_group = 0
    num_replicas_in_sync = 1

    def __init__(self, strategy):
        self.strategy = strategy

    def merge_call(self, merge_fn, args=(), kwargs=None):
        return merge_fn(self.strategy, *args, **(kwargs or {}))

    def all_reduce(self, reduce_op, value):
        return value


class _Extended:
    def __init__(self, strategy):
        self._strategy = strategy
        self.worker_devices = self.parameter_devices = (strategy._device or "/cpu:0",)

    def call_for_each_replica(self, fn, args=(), kwargs=None):
        return fn(*args, **(kwargs or {}))

    def reduce_to(self, reduce_op, value, destinations):
        return value

    def batch_reduce_to(self, reduce_op, value_destination_pairs):
        return [pair[0] for pair in value_destination_pairs]

    def update(self, var, fn, args=(), kwargs=None, group=True):
        return fn(var, *args, **(kwargs or {}))

    def colocate_vars_with(self, colocate_with_variable):
        return get_default_graph().colocate_with(colocate_with_variable)

    def value_container(self, value):
        return value


@export("distribute.Strategy", "distribute.StrategyExtended")
class Strategy:
    """A strategy with one replica."""
    _device = ""
    num_replicas_in_sync = num_replicas = num_towers = 1

    @property
    def extended(self):
        return _Extended(self)

    @contextlib.contextmanager
    def scope(self):
        _stack.append(self)
        try:
            with device(self._device or None):
                yield self
        finally:
            _stack.pop()

    def experimental_run_v2(self, fn, args=(), kwargs=None):
        return fn(*args, **(kwargs or {}))

    run = experimental_run_v2

    def experimental_run(self, fn, input_iterator=None):
        return fn(input_iterator.get_next()) if input_iterator is not None else fn()

    def reduce(self, reduce_op, value, axis=None):
        import sluice as tf
        if axis is None:
            return value
        return (tf.reduce_sum if reduce_op in (ReduceOp.SUM, "sum", "SUM") else tf.reduce_mean)(value, axis)

    def experimental_distribute_dataset(self, dataset):
        return dataset

    def make_dataset_iterator(self, dataset):
        return dataset.make_initializable_iterator()

    def make_input_fn_iterator(self, input_fn, replication_mode=None):
        return input_fn(InputContext()).make_initializable_iterator()

    def experimental_local_results(self, value):
        return value if isinstance(value, tuple) else (value,)

    unwrap = group = experimental_local_results

    def distribute_dataset(self, dataset_fn):
        return dataset_fn()


@export("distribute.OneDeviceStrategy")
class OneDeviceStrategy(Strategy):
    """Everything on one device."""

    def __init__(self, device):
        self._device = device


@export("distribute.MirroredStrategy")
class MirroredStrategy(Strategy):
    """As TensorFlow's on a machine without GPUs: one replica on the CPU. More than one device is not there."""

    def __init__(self, devices=None, cross_device_ops=None, num_gpus=None, num_gpus_per_worker=None):
        devices = list(devices or [])
        if len(devices) > 1 or (num_gpus or num_gpus_per_worker or 0) > 1:
            raise NotImplementedError("MirroredStrategy has one replica here, got devices=%s, num_gpus=%s: use the processes of a "
                                      "cluster" % (devices, num_gpus or num_gpus_per_worker))


@export("distribute.InputContext")
class InputContext:
    """Which part of the input a pipeline is."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines, self.input_pipeline_id = num_input_pipelines, input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        return global_batch_size // self.num_replicas_in_sync


_default = Strategy()


@export("distribute.get_strategy")
def get_strategy():
    return _stack[-1] if _stack else _default


@export("distribute.has_strategy")
def has_strategy():
    return bool(_stack)


@export("distribute.in_cross_replica_context")
def in_cross_replica_context():
    return False


@export("distribute.get_replica_context")
def get_replica_context():
    return ReplicaContext(get_strategy())


@export("distribute.get_loss_reduction")
def get_loss_reduction():
    return ReduceOp.MEAN


@export("nn.scale_regularization_loss")
def scale_regularization_loss(regularization_loss):
    """The loss for one replica."""
    import sluice as tf
    return tf.reduce_sum(regularization_loss)


# --- Cluster resolvers ---

@export("distribute.cluster_resolver.ClusterResolver", "contrib.cluster_resolver.ClusterResolver")
class ClusterResolver:
    """Tells of which tasks a cluster is made."""
    task_type, task_id, rpc_layer, environment = "", None, None, ""

    def cluster_spec(self):
        raise NotImplementedError("cluster_spec of %s" % type(self).__name__)

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        task_type, task_id = task_type or self.task_type, self.task_id if task_id is None else task_id
        if not task_type or task_id is None:
            return ""
        return "%s://%s" % (rpc_layer or self.rpc_layer or "grpc", self.cluster_spec().task_address(task_type, task_id))

    get_master = master

    def num_accelerators(self, task_type=None, task_id=None, config_proto=None):
        return {}


@export("distribute.cluster_resolver.SimpleClusterResolver", "contrib.cluster_resolver.SimpleClusterResolver")
class SimpleClusterResolver(ClusterResolver):
    """A cluster that the program gives."""

    def __init__(self, cluster_spec, master="", task_type="", task_id=None, environment="", num_accelerators=None,
                 rpc_layer=None):
        self._spec, self._master = cluster_spec, master
        self.task_type, self.task_id, self.environment, self.rpc_layer = task_type, task_id, environment, rpc_layer

    def cluster_spec(self):
        return self._spec

    def master(self, task_type=None, task_id=None, rpc_layer=None):
        return super().master(task_type, task_id, rpc_layer) if task_type else self._master

    get_master = master


@export("distribute.cluster_resolver.TFConfigClusterResolver", "contrib.cluster_resolver.TFConfigClusterResolver")
class TFConfigClusterResolver(ClusterResolver):
    """The cluster of the environment variable TF_CONFIG."""

    def __init__(self, task_type=None, task_id=None, rpc_layer=None, environment=None):
        found = json.loads(os.environ.get("TF_CONFIG", "{}"))
        task = found.get("task", {})
        self._cluster = found.get("cluster", {})
        self.task_type = task_type or task.get("type")
        self.task_id = task_id if task_id is not None else None if "index" not in task else int(task["index"])
        self.rpc_layer, self.environment = rpc_layer or found.get("rpc_layer"), environment or found.get("environment", "")

    def cluster_spec(self):
        return ClusterSpec(self._cluster)


@export("distribute.cluster_resolver.UnionResolver", "contrib.cluster_resolver.UnionClusterResolver")
class UnionResolver(ClusterResolver):
    """The tasks of several clusters."""

    def __init__(self, *resolvers, **kwargs):
        self._resolvers = resolvers

    def cluster_spec(self):
        jobs = {}
        for resolver in self._resolvers:
            for job, tasks in resolver.cluster_spec().as_dict().items():
                jobs.setdefault(job, []).extend(tasks)
        return ClusterSpec(jobs)


@export("distribute.cluster_resolver.TPUClusterResolver")
class TPUClusterResolver(ClusterResolver):
    def __init__(self, tpu=None, **kwargs):
        raise NotImplementedError("There are no TPUs here, got tpu=%r: run the program without its TPU flag" % (tpu,))


