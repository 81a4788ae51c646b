"""tf.test: test cases with sessions and with assertions about arrays."""
import contextlib
import os
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
import sluice as tf
from sluice._api import export, export_value
from sluice._graph import get_default_graph, reset_default_graph
from sluice._server import Server
from sluice._session import Session

export_value(mock, "test.mock")
_folder = []


@export("test.get_temp_dir")
def get_temp_dir():
    """A folder for files of tests."""
    if not _folder:
        given = os.environ.get("TEST_TMPDIR")
        _folder.append(given if given else tempfile.mkdtemp(prefix="sluice_test_"))
    return _folder[0]


@export("test.test_src_dir_path")
def test_src_dir_path(relative_path):
    return os.path.join(os.environ.get("TEST_SRCDIR", os.getcwd()), relative_path)


@export("test.main", "python.platform.test.main", "python.platform.googletest.main")
def main(argv=None):
    """Runs the tests of the program."""
    unittest.main(argv=argv or sys.argv)


@export("test.is_gpu_available", "test.is_built_with_cuda", "test.is_built_with_rocm", "test.is_built_with_gpu_support")
def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """False: there are CPUs only."""
    return False


@export("test.gpu_device_name")
def gpu_device_name():
    return ""


@export("test.assert_equal_graph_def")
def assert_equal_graph_def(actual, expected, checkpoint_v2=False):
    """Raises AssertionError unless the nodes of two graphs are equal, in any order."""
    one, two = ({node.name: node for node in graph.node} for graph in (actual, expected))
    for name in sorted(set(one) | set(two)):
        if name not in one or name not in two:
            raise AssertionError("The node %s is only in the %s graph" % (name, "expected" if name in two else "actual"))
        if one[name] != two[name]:
            raise AssertionError("The nodes %s differ:\n%s\n%s" % (name, one[name], two[name]))


@export("test.create_local_cluster")
def create_local_cluster(num_workers, num_ps, protocol="grpc", worker_config=None, ps_config=None):
    """(workers, parameter servers): servers of this process."""
    import socket
    sockets = [socket.socket() for _ in range(num_workers + num_ps)]
    for s in sockets:
        s.bind(("localhost", 0))
    addresses = ["localhost:%d" % s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    cluster = tf.train.ClusterSpec({"worker": addresses[:num_workers], "ps": addresses[num_workers:]})
    workers = [Server(cluster, "worker", i, protocol=protocol, config=worker_config) for i in range(num_workers)]
    return workers, [Server(cluster, "ps", i, protocol=protocol, config=ps_config) for i in range(num_ps)]



@export("test.TestCase", "python.framework.test_util.TensorFlowTestCase", "python.platform.test.TestCase")
class TestCase(unittest.TestCase):
    """A test case. Each test starts with an empty default graph."""

    def setUp(self):
        super().setUp()
        self._cached = None
        reset_default_graph()
        get_default_graph().seed = 87654321
        np.random.seed(87654321 % 2**32)

    def tearDown(self):
        cached = getattr(self, "_cached", None)
        if cached is not None:
            cached.close()
            self._cached = None
        super().tearDown()

    def get_temp_dir(self):
        path = os.path.join(get_temp_dir(), self.id().replace(".", "_"))
        os.makedirs(path, exist_ok=True)
        return path

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A session of the default graph."""
        with Session(graph=graph, config=config) as made:
            yield made

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A session that stays open until the test ends."""
        if getattr(self, "_cached", None) is None:
            self._cached = Session(graph=graph, config=config)
        with self._cached.graph.as_default(), self._cached.as_default():
            yield self._cached

    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """The same as cached_session."""
        if self.id().endswith(".test_session"):
            self.skipTest("Not a test.")
        return self.cached_session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors):
        found = tf.get_default_session()
        if found is not None:
            return found.run(tensors)
        with self.cached_session() as session:
            return session.run(tensors)

    def _value(self, a):
        if isinstance(a, (tf.Tensor, tf.Variable)):
            return self.evaluate(a)
        return a if isinstance(a, np.ndarray) else np.array(a)

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):
        self.assertEqual(list(np_array.shape), tf_tensor.get_shape().as_list(), msg)

    def assertNear(self, f1, f2, err, msg=None):
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, "%f != %f +/- %f%s" % (f1, f2, err, " (%s)" % msg if msg else ""))

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        self.assertEqual(len(farray1), len(farray2), msg)
        for a, b in zip(farray1, farray2):
            self.assertNear(float(a), float(b), err, msg)

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        if isinstance(a, dict):
            self.assertEqual(sorted(a), sorted(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, "%s: %s" % (key, msg))
            return
        if isinstance(a, (list, tuple)) and any(isinstance(v, (list, tuple, np.ndarray, tf.Tensor)) for v in a):
            self.assertEqual(len(a), len(b), msg)
            for one, two in zip(a, b):
                self.assertAllClose(one, two, rtol, atol, msg)
            return
        a, b = self._value(a), self._value(b)
        self.assertEqual(a.shape, b.shape, "Shape mismatch: expected %s, got %s. %s" % (a.shape, b.shape, msg or ""))
        if a.dtype in (np.float16,) or b.dtype in (np.float16,):
            rtol, atol = max(rtol, 1e-3), max(atol, 1e-3)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=atol, err_msg=msg or "", equal_nan=True)

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6, float_atol=1e-6, half_rtol=1e-3,
                                      half_atol=1e-3, bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        a, b = self._value(a), self._value(b)
        if np.float32 in (a.dtype, b.dtype):
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if np.float16 in (a.dtype, b.dtype):
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, **kwargs):
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError("The two values are close at all elements")

    def assertAllEqual(self, a, b, msg=None):
        a, b = self._value(a), self._value(b)
        if a.dtype.kind in "OS" or b.dtype.kind in "OS":
            a, b = (np.array([tf.compat.as_bytes(x) if isinstance(x, (str, bytes)) else x for x in v.ravel()],
                             dtype=object).reshape(v.shape) for v in (a, b))
        self.assertEqual(a.shape, b.shape, "Shape mismatch: expected %s, got %s. %s" % (a.shape, b.shape, msg or ""))
        np.testing.assert_array_equal(a, b, err_msg=msg or "")

    def assertAllGreater(self, a, comparison_target):
        self.assertGreater(np.min(self._value(a)), comparison_target)

    def assertAllLess(self, a, comparison_target):
        self.assertLess(np.max(self._value(a)), comparison_target)

    def assertAllGreaterEqual(self, a, comparison_target):
        self.assertGreaterEqual(np.min(self._value(a)), comparison_target)

    def assertAllLessEqual(self, a, comparison_target):
        self.assertLessEqual(np.max(self._value(a)), comparison_target)

    def assertAllInSet(self, target, expected_set):
        self.assertTrue(set(np.unique(self._value(target)).tolist()) <= set(expected_set))

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False, open_upper_bound=False):
        value = self._value(target)
        low = value > lower_bound if open_lower_bound else value >= lower_bound
        high = value < upper_bound if open_upper_bound else value <= upper_bound
        self.assertTrue(np.all(low & high), "%s is not in the range %s to %s" % (value, lower_bound, upper_bound))

    def assertDTypeEqual(self, target, expected_dtype):
        found = target.dtype if hasattr(target, "dtype") else np.array(target).dtype
        self.assertEqual(tf.as_dtype(found), tf.as_dtype(expected_dtype))

    def assertDeviceEqual(self, device1, device2, msg=None):
        self.assertEqual(tf.DeviceSpec.from_string(device1 or "").to_string(),
                         tf.DeviceSpec.from_string(device2 or "").to_string(), msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        self.assertTrue(actual.startswith(expected_start), msg or "%r does not start with %r" % (actual, expected_start))

    def assertEmpty(self, container, msg=None):
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container, msg=None):
        self.assertNotEqual(len(container), 0, msg)

    def assertLen(self, container, expected_len, msg=None):
        self.assertEqual(len(container), expected_len, msg)

    def assertBetween(self, value, minv, maxv, msg=None):
        self.assertTrue(minv <= value <= maxv, msg or "%r is not between %r and %r" % (value, minv, maxv))

    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None):
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            from sluice import _text
            expected = _text.parse(tf.compat.as_text(expected), type(message)()) or expected
        self.assertEqual(str(expected), str(message), msg)

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """The block raises an exception whose message, or that of one of its ops, matches."""
        import re
        try:
            yield
        except exception_type as error:
            if callable(expected_err_re_or_predicate):
                self.assertTrue(expected_err_re_or_predicate(error), "Exception of wrong kind: %s" % error)
            else:
                text = getattr(error, "message", None) or str(error)
                self.assertTrue(re.search(expected_err_re_or_predicate, text) or
                                re.search(expected_err_re_or_predicate, str(error)), "Not found in the message: " + text)
        else:
            self.fail("%s not raised" % getattr(exception_type, "__name__", exception_type))

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        return self.assertRaisesWithPredicateMatch(tf.errors.OpError, expected_err_re_or_predicate)


export("test.StubOutForTesting")(mock.patch)


def _numeric(session, y, x, value, delta, feeds):
    """The Jacobian of y at x = value by differences, as [size of x, size of y]."""
    flat = value.reshape(-1)
    rows = []
    for i in range(flat.size):
        results = []
        for sign in 1, -1:
            moved = flat.copy()
            moved[i] += sign * delta
            results.append(session.run(y, {**feeds, x: moved.reshape(value.shape)}).reshape(-1).astype(np.float64))
        rows.append((results[0] - results[1]) / (2 * delta))
    return np.array(rows)


@export("test.compute_gradient")
def compute_gradient(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """(theoretical, numeric) Jacobians of |y| with respect to |x|, each [size of x, size of y]. Needs a default session."""
    if isinstance(x, list):
        values = x_init_value or [None] * len(x)
        return [compute_gradient(t, shape, y, y_shape, v, delta, init_targets, extra_feed_dict)
                for t, shape, v in zip(x, x_shape, values)]
    session, feeds = tf.get_default_session(), dict(extra_feed_dict or {})
    for target in init_targets or []:
        session.run(target)
    kind = x.dtype.as_numpy_dtype
    value = np.random.random_sample(x_shape).astype(kind) if x_init_value is None else np.asarray(x_init_value, dtype=kind)
    weight = tf.placeholder(y.dtype, y_shape)
    gradient = tf.gradients(y, x, grad_ys=weight)[0]
    columns = []
    for i in range(int(np.prod(y_shape))):
        one = np.zeros(int(np.prod(y_shape)), dtype=y.dtype.as_numpy_dtype)
        one[i] = 1
        found = session.run(gradient, {**feeds, x: value, weight: one.reshape(y_shape)})
        if hasattr(found, "indices"):
            dense = np.zeros(x_shape, dtype=kind)
            np.add.at(dense, found.indices, found.values)
            found = dense
        columns.append(found.reshape(-1))
    return np.array(columns).T, _numeric(session, y, x, value, delta, feeds)


@export("test.compute_gradient_error")
def compute_gradient_error(x, x_shape, y, y_shape, x_init_value=None, delta=1e-3, init_targets=None, extra_feed_dict=None):
    """The largest difference between the two Jacobians of compute_gradient."""
    found = compute_gradient(x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict)
    pairs = found if isinstance(found, list) else [found]
    return max([float(np.max(np.abs(a - b))) for a, b in pairs if a.size], default=0.0)


@export("test.Benchmark")
class Benchmark:
    """Measures operations; what it found is printed."""

    def report_benchmark(self, iters=None, cpu_time=None, wall_time=None, throughput=None, extras=None, name=None):
        print("benchmark %s: iterations %s, seconds %s, %s" % (name or type(self).__name__, iters, wall_time, extras or {}))

    def run_op_benchmark(self, sess, op_or_tensor, feed_dict=None, burn_iters=2, min_iters=10, store_trace=False,
                         store_memory_usage=True, name=None, extras=None, mbs=0):
        """{"iters": ..., "wall_time": median seconds}"""
        import time
        target = op_or_tensor.op if isinstance(op_or_tensor, tf.Tensor) else op_or_tensor
        for _ in range(burn_iters):
            sess.run(target, feed_dict)
        times = []
        for _ in range(min_iters):
            start = time.time()
            sess.run(target, feed_dict)
            times.append(time.time() - start)
        found = {"iters": min_iters, "wall_time": float(np.median(times))}
        self.report_benchmark(name=name, extras=extras, **found)
        return found


@export("test.benchmark_config")
def benchmark_config():
    return tf.ConfigProto()
