"""What a master and a worker say to requests that make no sense: the code and the words, as TensorFlow has them.

The requests are made by hand, as the stock client refuses most of them itself."""
import grpc
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.core.framework import tensor_pb2

import wire_protos as w
from helpers import raises, session


def graph():
    g = tf.Graph()
    with g.as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        tf.add(tf.add(x, 1.0, name="y"), 1.0, name="z")
        tf.no_op(name="n")
    return g


def node(name, op="NoOp", **fields):
    g = tf.GraphDef()
    g.node.add(name=name, op=op, **fields)
    return g


class Master:
    def __init__(self, cluster):
        self.stub = w.master_stub(cluster.addr("worker", 0))
        request = w.msg("CreateSessionRequest")()
        request.graph_def.MergeFromString(graph().as_graph_def().SerializeToString())
        self.handle = self.stub.CreateSession(request, timeout=20).session_handle

    def ask(self, method, **fields):
        request = w.msg(method + "Request")(**dict({"session_handle": self.handle}, **fields))
        return getattr(self.stub, method)(request, timeout=20)

    def run(self, fetch=(), feed=(), target=(), **fields):
        feeds = [dict(name=n, tensor=_proto(v)) for n, v in feed]
        return self.ask("RunStep", fetch=fetch, feed=feeds, target=target, **fields)

    def partial(self, feed, fetch, target=()):
        return self.ask("PartialRunSetup", feed=feed, fetch=fetch, target=target).partial_run_handle


def _proto(value):
    return w.msg("TensorProto").FromString(tf.make_tensor_proto(value).SerializeToString())


@pytest.fixture
def master(cluster):
    return Master(cluster)


def refused(code, text, call, *args, **fields):
    with pytest.raises(grpc.RpcError) as e:
        call(*args, **fields)
    assert (e.value.code().name, e.value.details()) == (code, text)


ONE = [("x:0", 1.0)]


@pytest.mark.parametrize("code, text, fields", [
    ("NOT_FOUND", "FetchOutputs node nope:0: not found", dict(fetch=["nope:0"])),
    ("NOT_FOUND", "PruneForTargets: Some target nodes not found: nope ", dict(target=["nope"])),
    ("NOT_FOUND", "FeedInputs: unable to find feed output nope:0", dict(fetch=["y:0"], feed=[("nope:0", 1.0)])),
    ("INVALID_ARGUMENT", "FetchOutputs y:3: output index too large, must be < 1", dict(fetch=["y:3"], feed=ONE)),
    ("INVALID_ARGUMENT", "FeedInputs: x:7 should have output index < 1", dict(fetch=["y:0"], feed=[("x:7", 1.0)])),
    ("INVALID_ARGUMENT", "Must specify at least one target to fetch or execute.", dict()),
    ("INVALID_ARGUMENT", 'Endpoint "x:0" fed more than once.', dict(fetch=["y:0"], feed=ONE + ONE)),
    ("ABORTED", "Session nope is not found.", dict(fetch=["y:0"], feed=ONE, session_handle="nope")),
    ("INVALID_ARGUMENT", "Must run PartialRunSetup before performing partial runs",
     dict(fetch=["y:0"], feed=ONE, partial_run_handle="nope")),
])
def test_run_step_refuses(master, code, text, fields):
    refused(code, text, master.run, **fields)


@pytest.mark.parametrize("name", ["n:0", "^n"])
def test_fetch_of_an_operation_without_outputs(master, name):
    refused("INVALID_ARGUMENT",
            "Tried to fetch data for '%s', which produces no output.  To run to a node but not fetch any data, pass "
            "'%s' as an argument to the 'target_node_names' argument of the Session::Run API." % (name, name),
            master.run, fetch=[name])


def test_errors_ride_in_the_response_if_asked_for(master):
    answer = master.run(fetch=["nope:0"], store_errors_in_response_body=True)
    assert (answer.status_code, answer.status_error_message) == (5, "FetchOutputs node nope:0: not found")


def test_partial_run_refuses_and_goes_on(master):
    handle = master.partial(["x:0"], ["y:0", "z:0"])
    early = "Fetch x:0 can't be computed from the feeds that have been fed so far."
    refused("INVALID_ARGUMENT", early, master.run, fetch=["z:0"], partial_run_handle=handle)
    assert len(master.run(fetch=["y:0"], feed=ONE, partial_run_handle=handle).tensor) == 1
    for text, fields in (("The fetch y:0 has already been fetched.", dict(fetch=["y:0"])),
                         ("The feed x:0 has already been fed.", dict(fetch=["z:0"], feed=ONE))):
        refused("INVALID_ARGUMENT", text, master.run, partial_run_handle=handle, **fields)
    assert len(master.run(fetch=["z:0"], partial_run_handle=handle).tensor) == 1


def test_partial_run_takes_its_targets(master):
    handle = master.partial(["x:0"], ["y:0"], ["n"])
    assert len(master.run(fetch=["y:0"], feed=ONE, target=["n"], partial_run_handle=handle).tensor) == 1


def test_partial_run_of_nothing(master):
    refused("INVALID_ARGUMENT", "Must specify at least one target to fetch or execute.", master.partial, [], [])


def test_extend_with_another_version(master):
    request = dict(graph_def=w.msg("GraphDef").FromString(node("q").SerializeToString()), current_graph_version=7)
    refused("ABORTED", "Current version is 0 but caller expected 7.", master.ask, "ExtendSession", **request)


def test_list_devices_of_unknown_session(master):
    refused("INVALID_ARGUMENT", "Session nope is not found. Possibly, this master has restarted.",
            master.ask, "ListDevices", session_handle="nope")


def test_callable_after_its_release(master):
    options = w.msg("CallableOptions")(feed=["x:0"], fetch=["y:0"])
    handle = master.ask("MakeCallable", options=options).handle
    master.ask("ReleaseCallable", handle=handle)
    master.ask("ReleaseCallable", handle=handle)
    refused("INVALID_ARGUMENT", "Attempted to run callable after handle was released: %d" % handle,
            master.ask, "RunCallable", handle=handle, feed=[_proto(1.0)])
    refused("INVALID_ARGUMENT", "No such callable handle: 77", master.ask, "RunCallable", handle=77)


def test_worker_says_what_it_does_not_know(cluster):
    stub = w.worker_stub(cluster.addr("ps", 0))
    refused("ABORTED", "Graph handle is not found: nope. Possibly, this worker just restarted.",
            lambda: stub.DeregisterGraph(w.msg("DeregisterGraphRequest")(graph_handle="nope"), timeout=10))
    refused("ABORTED", "Graph handle is not found: nope",
            lambda: stub.RunGraph(w.msg("RunGraphRequest")(graph_handle="nope", step_id=5), timeout=10))
    refused("INVALID_ARGUMENT", "Invalid  rendezvous key: rubbish",
            lambda: stub.RecvTensor(w.msg("RecvTensorRequest")(rendezvous_key="rubbish", step_id=7), timeout=10))


def test_available_devices_are_listed_by_name(target):
    with tf.Graph().as_default():
        with tf.device("/job:nope"):
            c = tf.constant(1.0)
        with session(target) as s, raises(tf.errors.InvalidArgumentError) as e:
            s.run(c)
    listed = str(e.value).split("available devices are [ ")[1].split(" ]")[0].split(", ")
    assert len(listed) > 1 and listed == sorted(listed)


def test_job_without_a_task_is_its_first_one_in_every_session(target, target1):
    def where(t):
        with tf.Graph().as_default():
            with tf.device("/job:ps"):
                q = tf.FIFOQueue(4, tf.int32, shapes=[[]], shared_name="first_one", name="q")
            sizes = q.enqueue(1), q.size()
            with session(t) as s:
                s.run(sizes[0])
                return s.run(sizes[1])
    tf.Session.reset(target)
    assert [where(target), where(target1), where(target)] == [1, 2, 3]


def test_a_device_gives_way_to_a_reference(target):
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("gives_way", [], use_resource=False)
        a = tf.raw_ops.Assign(ref=v._ref(), value=1.0)
        a.op._set_device("/job:worker/task:0")
        with session(target) as s:
            assert s.run(a) == 1.0


# --- Callables -------------------------------------------------------------------------------------------------------

def make_callable(master, connections=(), feed=("x:0",), fetch=("z:0",), **devices):
    request = w.msg("MakeCallableRequest")(session_handle=master.handle)
    request.options.feed.extend(feed)
    request.options.fetch.extend(fetch)
    for source, sink in connections:
        request.options.tensor_connection.add(from_tensor=source, to_tensor=sink)
    for field, entries in devices.items():
        getattr(request.options, field).update(entries)
    return master.stub.MakeCallable(request, timeout=20).handle


def run_callable(master, handle, *feeds):
    reply = master.ask("RunCallable", handle=handle, feed=[_proto(v) for v in feeds])
    return [tf.make_ndarray(tensor_pb2.TensorProto.FromString(t.SerializeToString())).tolist() for t in reply.fetch]


@pytest.fixture
def wider(cluster):
    """The graph with q = 10 * x on a ps beside it, and r that waits for y."""
    m = Master(cluster)
    g = graph()
    with g.as_default():
        with tf.device("/job:ps/task:0"):
            tf.multiply(g.get_tensor_by_name("x:0"), 10.0, name="q")
        with tf.control_dependencies([g.get_operation_by_name("y")]):
            tf.constant(7.0, name="r")
    request = w.msg("CreateSessionRequest")()
    request.graph_def.MergeFromString(g.as_graph_def().SerializeToString())
    m.handle = m.stub.CreateSession(request, timeout=20).session_handle
    return m


def test_connected_tensor_takes_the_place_of_another(wider):
    plain, connected = make_callable(wider), make_callable(wider, [("q:0", "y:0")])
    for _ in range(2):
        assert run_callable(wider, plain, 2.0) == [4.0]
        assert run_callable(wider, connected, 2.0) == [21.0]
    waits = make_callable(wider, [("q:0", "y:0")], fetch=["r:0"])
    assert run_callable(wider, waits, 2.0) == [7.0]


@pytest.mark.parametrize("code, text, connections, feed", [
    ("INVALID_ARGUMENT", 'Requested Tensor connection between nodes "y" and "y" would create a cycle.',
     [("y:0", "y:0")], ["x:0"]),
    ("INVALID_ARGUMENT", 'Requested Tensor connection between nodes "y" and "z" would create a cycle.',
     [("z:0", "y:0")], ["x:0"]),
    ("INVALID_ARGUMENT", 'Requested tensor connection from unknown node: "y:0".', [("nope:0", "y:0")], ["x:0"]),
    ("NOT_FOUND", "FeedInputs: unable to find feed output nope:0", [("q:0", "nope:0")], ["x:0"]),
    ("INVALID_ARGUMENT", 'Endpoint "y:0" fed more than once.', [("q:0", "y:0"), ("x:0", "y:0")], ["x:0"]),
    ("INVALID_ARGUMENT", 'Endpoint "y:0" fed more than once.', [("q:0", "y:0")], ["x:0", "y:0"]),
    ("INVALID_ARGUMENT", "z:0 is both fed and fetched.", [("q:0", "z:0")], ["x:0"]),
])
def test_bad_connections_are_refused(wider, code, text, connections, feed):
    refused(code, text, make_callable, wider, connections, feed)


@pytest.mark.parametrize("devices", [dict(feed_devices={"x:0": "/job:worker/replica:0/task:0/device:CPU:0"}),
                                     dict(fetch_devices={"z:0": "nonsense"})])
def test_device_memory_of_callables_is_refused(master, devices):
    refused("UNIMPLEMENTED", "CallableOptions::feed_devices and CallableOptions::fetch_devices to configure "
            "feeding/fetching tensors to/from device memory is not yet supported when using a remote session.",
            make_callable, master, **devices)


# --- Devices ---------------------------------------------------------------------------------------------------------

def test_devices_without_a_session_are_those_of_all_tasks(cluster):
    reply = w.master_stub(cluster.addr("worker", 0)).ListDevices(w.msg("ListDevicesRequest")(), timeout=20)
    assert [d.name for d in reply.local_device] == ["/job:worker/replica:0/task:0/device:CPU:0"]
    assert sorted(d.name for d in reply.remote_device) == sorted(
        "/job:%s/replica:0/task:%d/device:CPU:0" % task for task in cluster.tasks if task != ("worker", 0))


def test_devices_of_a_session_begin_with_the_masters(master):
    reply = master.ask("ListDevices")
    assert reply.local_device[0].name == "/job:worker/replica:0/task:0/device:CPU:0"
    assert len(reply.local_device) > 1 and not reply.remote_device


@pytest.mark.parametrize("filters, others", [
    (["/job:none"], []), (["/replica:1"], []), (["/job:worker/task:7"], []), (["/job:ps/task:0/device:GPU:3"], []),
    (["/job:ps/task:0/device:CPU:0"], ["/job:ps/replica:0/task:0/device:CPU:0"]),
])
def test_filters_choose_devices(target, filters, others):
    with session(target, device_filters=filters) as s:
        assert [d.name for d in s.list_devices()] == ["/job:worker/replica:0/task:0/device:CPU:0"] + others


def test_placement_error_names_the_node_before_its_constants(target):
    with tf.device("/job:none"):
        tf.add(tf.placeholder(tf.float32, []), 1.0, name="lost")
    with session(target) as s:
        with raises(tf.errors.InvalidArgumentError, "Cannot assign a device for operation lost: {{node lost}}"):
            s.run("lost:0", {"Placeholder:0": 1.0})
