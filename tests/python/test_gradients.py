"""tf.gradients and gradient functions of the program."""
import unittest

import numpy as np

import sluice as tf


class GradientsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def value(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_arguments(self):
        x, w = tf.constant(3.0), tf.constant(2.0)
        y = x * x
        z = y * w
        self.assertEqual(self.value(tf.gradients([z, y], [x], grad_ys=[2.0, None])), [30.0])
        self.assertEqual(self.value(tf.gradients(z, [x, y], stop_gradients=[y], unconnected_gradients="zero")), [0.0, 2.0])
        self.assertEqual(tf.gradients(z, [x], stop_gradients=[y]), [None])
        with self.assertRaisesRegex(ValueError, "Passed 2 grad_ys for 1 ys"):
            tf.gradients(z, x, grad_ys=[1.0, 2.0])
        with self.assertRaisesRegex(LookupError, "No gradient defined for operation"):
            tf.gradients(tf.raw_ops.SparseSegmentSqrtNGrad(grad=[x], indices=[0], segment_ids=[0], output_dim0=1), x)
        rows = tf.raw_ops.GatherV2(params=tf.Variable([[1.0], [2.0]]) * 1.0, indices=[1], axis=0)
        rows = tf.gradients(rows, tf.trainable_variables())
        np.testing.assert_array_equal(self.value(tf.convert_to_tensor(rows[0])), [[0.0], [1.0]])

    def test_custom_gradient(self):
        @tf.custom_gradient
        def clipped(x, scale):
            def gradient(dy):
                return tf.minimum(dy * scale, 1.0), None
            return x * scale, gradient
        x = tf.constant([1.0, 2.0])
        y = tf.reduce_sum(clipped(x, tf.constant(5.0)) * [0.1, 10.0])
        np.testing.assert_allclose(self.value(tf.gradients(y, x)[0]), [0.5, 1.0])

    def test_custom_gradients_follow_each_other_and_join_other_paths(self):
        calls = []

        @tf.custom_gradient
        def double(x):
            def gradient(dy):
                calls.append(dy)
                return dy * 10.0
            return x * 2.0, gradient
        x = tf.constant(3.0)
        y = double(x * x)
        z = double(y) + y * x + x
        # dz/dx = 10 * (10 + x) * 2x + y + 1
        self.assertEqual(self.value(tf.gradients(z, x)), [10.0 * 13.0 * 6.0 + 18.0 + 1.0])
        self.assertEqual(len(calls), 2)
        other = tf.constant(1.0)
        tf.gradients(z * other, other)
        self.assertEqual(len(calls), 2)  # they are not on a path

    def test_custom_gradients_in_branches(self):
        @tf.custom_gradient
        def tripled(x):
            return tf.identity(x), lambda dy: dy * 3.0
        x = tf.placeholder(tf.float32, [])
        y = tf.cond(x > 0.0, lambda: tripled(x), lambda: x * 5.0)
        gradient = tf.gradients(y, x)[0]
        with tf.Session() as session:
            self.assertEqual(session.run(gradient, {x: 1.0}), 3.0)
            self.assertEqual(session.run(gradient, {x: -1.0}), 5.0)

    def test_variables_in_branches(self):
        flag = tf.placeholder_with_default(True, [])
        for use_resource in False, True:
            v = tf.get_variable("v%d" % use_resource, [2], initializer=tf.ones_initializer(), use_resource=use_resource)
            both = tf.gradients(tf.cond(flag, lambda: v + 1.0, lambda: v * 2.0), v)[0]
            one = tf.gradients(tf.cond(flag, lambda: v * 3.0, lambda: tf.zeros([2])), v)[0]
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                for chosen, wanted in (True, (1.0, 3.0)), (False, (2.0, 0.0)):
                    for gradient, value in zip((both, one), wanted):
                        np.testing.assert_array_equal(session.run(gradient, {flag: chosen}), [value, value])

    def test_gradient_override_map_takes_names_of_ops_too(self):
        x = tf.constant([-2.0, 3.0])
        with tf.get_default_graph().gradient_override_map({"Sign": "Identity"}):
            y = tf.sign(x)
        np.testing.assert_array_equal(self.value(tf.gradients(y, x)[0]), [1.0, 1.0])

    def test_a_custom_gradient_in_a_loop(self):
        @tf.custom_gradient
        def tripled(x):
            return x * 3.0, lambda dy: dy * x * 10.0
        x = tf.constant(2.0)
        y = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, tripled(t)), (0, x))[1]
        self.assertEqual(self.value([y, tf.gradients(y, x)[0]]), [54.0, 20.0 * 60.0 * 180.0])
        v = tf.constant([1.0, 2.0, 3.0])
        self.assertEqual(self.value(tf.gradients(tf.map_fn(tripled, v), v)[0]).tolist(), [10.0, 20.0, 30.0])

    def test_a_python_function_with_its_gradient_in_a_loop(self):
        @tf.RegisterGradient("SquareInPython")
        def gradient(op, dy):
            return tf.py_func(lambda x, d: np.float32(2 * x * d), [op.inputs[0], dy], tf.float32)

        def body(i, x):
            with tf.get_default_graph().gradient_override_map({"PyFunc": "SquareInPython"}):
                y = tf.py_func(lambda x: np.float32(x * x), [x], tf.float32)
            y.set_shape([])
            return i + 1, y
        x = tf.constant(2.0)
        y = tf.while_loop(lambda i, t: i < 3, body, (0, x))[1]
        self.assertEqual(self.value([y, tf.gradients(y, x)[0]]), [256.0, 1024.0])

    def test_hessians(self):
        x = tf.constant([1.0, 2.0, 3.0])
        y = tf.reduce_sum(x * x * x) + x[0] * x[2]
        np.testing.assert_allclose(self.value(tf.hessians(y, x)[0]), [[6.0, 0.0, 1.0], [0.0, 12.0, 0.0], [1.0, 0.0, 18.0]])

    def test_gradients_inside_loops(self):
        def step(i, x):
            return i + 1, x - 0.1 * tf.gradients(tf.reduce_sum(tf.square(x - 3.0)), x)[0]
        y = tf.while_loop(lambda i, x: i < 5, step, (0, tf.constant([1.0, 5.0])))[1]
        x = np.array([1.0, 5.0], np.float32)
        for _ in range(5):
            x = x - 0.2 * (x - 3.0)
        np.testing.assert_allclose(self.value(y), x, rtol=1e-5)


if __name__ == "__main__":
    unittest.main()
