"""Nodes that call functions of the program."""
import threading
import unittest

import numpy as np

import sluice as tf


class PyFuncTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def run_one(self, fetch, feed=None):
        with tf.Session() as session:
            return session.run(fetch, feed)

    def test_calls_with_arrays_and_returns_arrays(self):
        x = tf.placeholder(tf.float32, [2])
        y, n = tf.py_func(lambda a, b: (np.sinh(a), np.int64(a.shape[0])), [x, 3], [tf.float32, tf.int64])
        one = tf.py_func(lambda a: a * 2, [x], tf.float32)
        values = self.run_one([y, n, one], {x: [1.0, 2.0]})
        np.testing.assert_allclose(values[0], np.sinh(np.array([1.0, 2.0], np.float32)))
        self.assertEqual(values[1], 2)
        np.testing.assert_array_equal(values[2], [2.0, 4.0])

    def test_strings_go_both_ways(self):
        y = tf.py_func(lambda a: np.array([v.upper() for v in a], dtype=object), [["a", "bc"]], tf.string)
        z = tf.py_func(lambda: "text", [], tf.string)
        y, z = self.run_one([y, z])
        self.assertEqual(list(y), [b"A", b"BC"])
        self.assertEqual(z, b"text")

    def test_a_function_may_change_its_arguments(self):
        x = tf.Variable([1.0, 2.0])

        def change(a):
            a[0] = 9.0
            return a
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(tf.py_func(change, [x], tf.float32)), [9.0, 2.0])
            np.testing.assert_array_equal(session.run(x), [1.0, 2.0])

    def test_a_function_without_results_is_an_operation_to_run(self):
        seen = []
        op = tf.py_func(lambda a: seen.append(int(a)), [5], [])
        self.run_one(op)
        self.assertEqual(seen, [5])

    def test_exceptions_become_errors_of_the_step(self):
        def fail(kind):
            def call():
                raise kind("the reason")
            return tf.py_func(call, [], tf.float32)
        for kind, error in ((ValueError, tf.errors.InvalidArgumentError), (TypeError, tf.errors.InvalidArgumentError),
                            (StopIteration, tf.errors.OutOfRangeError), (KeyError, tf.errors.UnknownError),
                            (NotImplementedError, tf.errors.UnimplementedError)):
            with self.assertRaises(error) as caught:
                self.run_one(fail(kind))
            self.assertIn("%s: " % kind.__name__, caught.exception.message)
            self.assertIn("Traceback (most recent call last)", caught.exception.message)
            self.assertIn("in call", caught.exception.message)
            self.assertTrue(caught.exception.op.name.startswith("PyFunc"))

    def test_wrong_results_are_errors(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "0-th value returned by pyfunc_[0-9]+ is double, but "
                                                                    "expects float"):
            self.run_one(tf.py_func(lambda: 1.5, [], tf.float32))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "returns 3 values, but expects to see 2 values"):
            self.run_one(tf.py_func(lambda: (1, 2, 3), [], [tf.int64, tf.int64]))

    def test_py_function_gives_values_with_numpy(self):
        y = tf.py_function(lambda a: float(a.numpy().sum()), [[1.0, 2.0]], tf.float32)
        self.assertEqual(self.run_one(y), 3.0)

    def test_other_threads_run_while_a_function_waits(self):
        started, go_on = threading.Event(), threading.Event()

        def wait():
            started.set()
            return np.float32(go_on.wait(60))
        y = tf.py_func(wait, [], tf.float32)
        with tf.Session() as session:
            found = []
            thread = threading.Thread(target=lambda: found.append(session.run(y)))
            thread.start()
            self.assertTrue(started.wait(60))
            go_on.set()
            thread.join(60)
        self.assertEqual(found, [1.0])

    def test_functions_run_inside_loops(self):
        def double(t):
            return tf.py_func(lambda a: np.int32(a * 2), [t], tf.int32)
        y = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, double(t)), (0, 1),
                          shape_invariants=(tf.TensorShape([]), tf.TensorShape(None)))[1]
        self.assertEqual(self.run_one(y), 16)

    def test_a_gradient_can_be_registered(self):
        name = "TestSquareGradient"
        try:
            tf.RegisterGradient(name)(lambda op, grad: grad * 2.0 * op.inputs[0])
        except KeyError:
            pass  # of another test
        x = tf.constant([3.0, 4.0])
        with tf.get_default_graph().gradient_override_map({"PyFunc": name}):
            y = tf.py_func(np.square, [x], tf.float32)
        y.set_shape([2])
        np.testing.assert_array_equal(self.run_one(tf.gradients(y, x)[0]), [6.0, 8.0])


if __name__ == "__main__":
    unittest.main()
