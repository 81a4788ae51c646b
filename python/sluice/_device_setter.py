"""tf.train.replica_device_setter: variables on the ps tasks, everything else on a worker."""
from sluice._api import export
from sluice._device import DeviceSpec
from sluice._message import message
from sluice._server import ClusterSpec

PS_OPS = ("Variable", "VariableV2", "AutoReloadVariable", "MutableHashTable", "MutableHashTableV2", "MutableHashTableOfTensors",
          "MutableHashTableOfTensorsV2", "MutableDenseHashTable", "MutableDenseHashTableV2", "VarHandleOp",
          "BoostedTreesEnsembleResourceHandleOp", "BoostedTreesQuantileStreamResourceHandleOp",
          "ResourceConditionalAccumulator", "DecisionTreeResource")


class _RoundRobin:
    def __init__(self, tasks):
        self._tasks, self._next = tasks, 0

    def __call__(self, op):
        task, self._next = self._next, (self._next + 1) % self._tasks
        return task


@export("train.replica_device_setter")
def replica_device_setter(ps_tasks=0, ps_device="/job:ps", worker_device="/job:worker", merge_devices=True, cluster=None,
                          ps_ops=None, ps_strategy=None):
    """A device function for tf.device(); None if there are no ps tasks."""
    if cluster is not None:
        if not isinstance(cluster, (ClusterSpec, dict, message("ClusterDef"))):
            raise ValueError("cluster must be a ClusterSpec, a dictionary or a ClusterDef")
        tasks = ClusterSpec(cluster).as_dict()
        job = DeviceSpec.from_string(ps_device).job
        if job not in tasks or not tasks[job]:
            return None
        ps_tasks = len(tasks[job])
    if ps_tasks == 0:
        return None
    kinds = PS_OPS if ps_ops is None else ps_ops
    strategy = _RoundRobin(ps_tasks) if ps_strategy is None else ps_strategy
    if not callable(strategy):
        raise TypeError("ps_strategy must be callable")

    def choose(op):
        if not merge_devices and op.device:
            return op.device
        current = DeviceSpec.from_string(op.device or "")
        if ps_device and op.type in kinds:
            chosen = DeviceSpec.from_string(ps_device)
            if chosen.job and (not current.job or current.job == chosen.job):
                chosen = DeviceSpec(chosen.job, chosen.replica, strategy(op), chosen.device_type, chosen.device_index)
        else:
            chosen = DeviceSpec.from_string(worker_device or "")
        chosen.merge_from(current)
        return chosen.to_string()
    return choose
