"""Sessions that bring their own cluster (ConfigProto.cluster_def): tasks under other names than they started with."""
import numpy as np
import pytest
import tensorflow.compat.v1 as tf

from helpers import OP_TIMEOUT_MS, raises

PAIRS = ["target", "reference_worker", "reference_master"]


def own_cluster(**jobs):
    """A ConfigProto whose cluster has jobs=[address, ...] or jobs={index: address}."""
    config = tf.ConfigProto(operation_timeout_in_ms=OP_TIMEOUT_MS)
    for name, tasks in jobs.items():
        job = config.cluster_def.job.add(name=name)
        for index, address in (tasks if isinstance(tasks, dict) else dict(enumerate(tasks))).items():
            job.tasks[index] = address
    return config


@pytest.fixture(scope="module")
def pairs(commands):
    """Two servers, each alone in a cluster of its own: their addresses, by who is the reference."""
    made = {}

    def get(kind="target"):
        if kind not in made or any(c.dead() for c in made[kind]):
            reference = {"reference_master": 0, "reference_worker": 1}.get(kind)
            made[kind] = [commands.make({"solo": 1}, **({"cmd": commands.ref} if i == reference else {}))
                          for i in range(2)]
        return [c.addr("solo", 0) for c in made[kind]]
    yield get
    for clusters in made.values():
        for c in clusters:
            c.stop()


@pytest.mark.parametrize("kind", PAIRS)
def test_tasks_are_reached_under_the_sessions_names(pairs, kind):
    a, b = pairs(kind)
    with tf.device("/job:trainer/task:0"):
        x = tf.placeholder(tf.float32, [2])
        doubled = x * 2.0
    with tf.device("/job:store/task:3"):
        v = tf.Variable([10.0, 20.0])
        sum_ = doubled + v
    with tf.device("/job:trainer/task:0"):
        y = sum_ * 3.0
    with tf.Session("grpc://" + a, config=own_cluster(trainer=[a], store={3: b})) as s:
        s.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(s.run(y, {x: [1, 2]}), [36, 72])
        assert sorted(d.name for d in s.list_devices()) == [
            "/job:store/replica:0/task:3/device:CPU:0", "/job:trainer/replica:0/task:0/device:CPU:0"]
        metadata = tf.RunMetadata()
        s.run(y, {x: [1, 2]}, tf.RunOptions(output_partition_graphs=True), metadata)
        assert {n.device for g in metadata.partition_graphs for n in g.node} == {
            "/job:store/replica:0/task:3/device:CPU:0", "/job:trainer/replica:0/task:0/device:CPU:0"}


@pytest.mark.parametrize("kind", PAIRS)
def test_loops_and_partial_runs_cross_tasks(pairs, kind):
    a, b = pairs(kind)

    def body(i):
        with tf.device("/job:w/task:1"):
            return i + 1.0
    with tf.device("/job:w/task:0"):
        loop = tf.while_loop(lambda i: i < 5.0, body, [tf.constant(0.0)])
        p = tf.placeholder(tf.float32, [])
    with tf.device("/job:w/task:1"):
        q = tf.placeholder(tf.float32, [])
        half = q * 2.0
    with tf.device("/job:w/task:0"):
        whole = half + p
    with tf.Session("grpc://" + a, config=own_cluster(w=[a, b])) as s:
        assert s.run(loop) == 5.0
        handle = s.partial_run_setup([half, whole], [p, q])
        assert s.partial_run(handle, half, {q: 3.0}) == 6.0
        assert s.partial_run(handle, whole, {p: 4.0}) == 10.0


@pytest.mark.parametrize("kind", PAIRS)
def test_state_is_the_sessions_own(pairs, kind):
    a, b = pairs(kind)
    config = own_cluster(w=[a, b])
    with tf.device("/job:w/task:1"):
        v = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
    plain = tf.Graph()
    with plain.as_default(), tf.device("/job:solo/task:0"):
        same = tf.get_variable("v", [], initializer=tf.ones_initializer(), use_resource=False)
    with tf.Session("grpc://" + a, config=config) as first, tf.Session("grpc://" + a, config=config) as second:
        first.run(v.initializer)
        assert first.run(v) == 1.0
        with raises(tf.errors.FailedPreconditionError, "Attempting to use uninitialized value v"):
            second.run(v)
        with tf.Session("grpc://" + b, graph=plain) as third:
            with raises(tf.errors.FailedPreconditionError, "Attempting to use uninitialized value v"):
                third.run(same)


@pytest.mark.parametrize("kind", PAIRS)
def test_state_is_shared_if_the_session_asks_for_it(pairs, kind):
    a, b = pairs(kind)
    config = own_cluster(w=[a, b])
    config.experimental.share_session_state_in_clusterspec_propagation = True
    with tf.device("/job:w/task:1"):
        v = tf.get_variable("shared_" + kind, [], initializer=tf.ones_initializer(), use_resource=False)
    with tf.Session("grpc://" + a, config=config) as first, tf.Session("grpc://" + a, config=config) as second:
        first.run(v.initializer)
        assert second.run(v) == 1.0


def test_nodes_without_a_device_go_to_the_first_of_all(pairs):
    a, b = pairs()
    x = tf.placeholder(tf.float32, [])
    y = tf.add(x, 1.0, name="y")
    with tf.Session("grpc://" + a, config=own_cluster(zz=[a], aa={3: b})) as s:
        metadata = tf.RunMetadata()
        assert s.run(y, {x: 1.0}, tf.RunOptions(output_partition_graphs=True), metadata) == 2.0
        assert [n.device for g in metadata.partition_graphs for n in g.node if n.name == "y"] == [
            "/job:aa/replica:0/task:3/device:CPU:0"]


def test_filters_go_by_the_sessions_names(pairs):
    a, b = pairs()
    config = own_cluster(w=[a, b])
    config.device_filters.append("/job:w/task:0")
    with tf.Session("grpc://" + a, config=config) as s:
        assert [d.name for d in s.list_devices()] == ["/job:w/replica:0/task:0/device:CPU:0"]


def test_errors_name_the_task_as_the_session_does(pairs):
    a, b = pairs()
    with tf.device("/job:w/task:1"):
        i = tf.placeholder(tf.int32, [])
        with tf.control_dependencies([tf.Assert(i < 2, ["too large"])]):
            y = tf.identity(i)
    with tf.Session("grpc://" + a, config=own_cluster(w=[a, b])) as s:
        with raises(tf.errors.InvalidArgumentError, "/job:w/replica:0/task:", "too large"):
            s.run(y, {i: 2})


def test_old_names_are_unknown(pairs):
    a, b = pairs()
    with tf.device("/job:solo/task:0"):
        y = tf.add(tf.placeholder_with_default(1.0, []), 1.0)
    with tf.Session("grpc://" + a, config=own_cluster(w=[a, b])) as s:
        with raises(tf.errors.InvalidArgumentError, "was explicitly assigned to /job:solo/task:0 but available devices "
                    "are [ /job:w/replica:0/task:0/device:CPU:0, /job:w/replica:0/task:1/device:CPU:0 ]"):
            s.run(y)


@pytest.mark.parametrize("jobs, text", [
    (lambda a, b: dict(w=[b]), "The master (current machine) is not included in the provided cluster_def. job {\n"
                               "  name: \"w\"\n  tasks {\n    key: 0\n    value: \""),
    (lambda a, b: dict(w=[a, "nonsense"]), "Could not interpret \"nonsense\" as a host-port pair"),
    (lambda a, b: dict(solo=[a]), "The ClusterSpec names the job and task index to be the same names that were "
                                  "provided when the server booted. This is currently not allowed. Job: solo, task index: 0"),
])
def test_clusters_that_make_no_sense_are_refused(pairs, jobs, text):
    a, b = pairs()
    with raises(tf.errors.InvalidArgumentError, text):
        with tf.Session("grpc://" + a, config=own_cluster(**jobs(a, b))) as s:
            s.run(tf.constant(1))
