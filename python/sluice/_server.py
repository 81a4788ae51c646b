"""Clusters and servers, as tf.train.ClusterSpec and tf.train.Server."""
from sluice import _extension
from sluice._message import message


class ClusterSpec:
    """The jobs of a cluster and the addresses of their tasks: {"ps": ["host:2222"], "worker": {3: "host:2223"}}."""

    def __init__(self, cluster):
        self._tasks = {}
        if isinstance(cluster, ClusterSpec):
            self._tasks = {job: dict(tasks) for job, tasks in cluster._tasks.items()}
        elif isinstance(cluster, dict):
            for job, tasks in cluster.items():
                if isinstance(tasks, (list, tuple)):
                    tasks = dict(enumerate(tasks))
                elif not isinstance(tasks, dict):
                    raise TypeError("The tasks for job %r must be a list or a dictionary from integers to strings." % job)
                self._tasks[job] = {int(i): str(address) for i, address in tasks.items()}
        elif isinstance(cluster, message("ClusterDef")):
            self._tasks = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError("`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or "
                            "a `ClusterDef` protocol buffer")

    @property
    def jobs(self):
        return list(self._tasks)

    def _job(self, name):
        try:
            return self._tasks[name]
        except KeyError:
            raise ValueError("No such job in cluster: %r" % name) from None

    def num_tasks(self, job_name):
        return len(self._job(job_name))

    def task_indices(self, job_name):
        return sorted(self._job(job_name))

    def task_address(self, job_name, task_index):
        try:
            return self._job(job_name)[task_index]
        except KeyError:
            raise ValueError("No task with index %r in job %r" % (task_index, job_name)) from None

    def job_tasks(self, job_name):
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks) + 1)]

    def as_dict(self):
        made = {}
        for job, tasks in self._tasks.items():
            dense = sorted(tasks) == list(range(len(tasks)))
            made[job] = [tasks[i] for i in sorted(tasks)] if dense else dict(tasks)
        return made

    def as_cluster_def(self):
        made = message("ClusterDef")()
        for job in sorted(self._tasks):
            made.job.add(name=job, tasks=self._tasks[job])
        return made

    def __bool__(self):
        return bool(self._tasks)

    def __eq__(self, other):
        return isinstance(other, ClusterSpec) and self._tasks == other._tasks

    def __repr__(self):
        return "ClusterSpec(%s)" % ", ".join("%r: %r" % (k, v) for k, v in sorted(self.as_dict().items()))


class Server:
    """A task of a cluster, in this process."""

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        self._definition = _definition(server_or_cluster_def, job_name, task_index, protocol, config)
        self._number = _extension.new_server(self._definition.SerializeToString())
        if start:
            self.start()

    @staticmethod
    def create_local_server(config=None, start=True):
        return Server({"local": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    server_def = property(lambda self: self._definition)
    target = property(lambda self: _extension.server_target(self._number))

    def start(self):
        _extension.start_server(self._number)

    def join(self):
        _extension.join_server(self._number)

    def __reduce__(self):
        raise TypeError("a Server cannot be pickled: it listens in this process")


def _definition(given, job_name, task_index, protocol, config):
    made = message("ServerDef")()
    if isinstance(given, message("ServerDef")):
        made.CopyFrom(given)
    else:
        made.cluster.CopyFrom(ClusterSpec(given).as_cluster_def())
    if job_name is not None:
        made.job_name = job_name
    elif not made.job_name:
        if len(made.cluster.job) != 1:
            raise ValueError("Must specify an explicit job name.")
        made.job_name = made.cluster.job[0].name
    if task_index is not None:
        made.task_index = task_index
    elif not isinstance(given, message("ServerDef")):
        tasks = next(job.tasks for job in made.cluster.job if job.name == made.job_name)
        if len(tasks) != 1:
            raise ValueError("Must specify an explicit task_index.")
        made.task_index = next(iter(tasks))
    made.protocol = protocol or made.protocol or "grpc"
    if config is not None:
        made.default_session_config.MergeFrom(config)
    return made
