"""Conditionals and loops of the Python package: values, and the errors of wrong ones."""
import unittest

import numpy as np

import sluice as tf


class ControlFlowTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def value(self, fetches, feed=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feed)

    def test_only_the_branch_that_is_chosen_runs(self):
        v = tf.Variable(0.0)
        flag = tf.placeholder(tf.bool, [])
        done = tf.cond(flag, lambda: v.assign_add(1.0), lambda: v.assign_sub(10.0))
        with tf.Session() as session:
            session.run(v.initializer)
            self.assertEqual([session.run(done, {flag: f}) for f in (True, True, False)], [1.0, 2.0, -8.0])

    def test_branches_must_be_alike(self):
        x = tf.constant(True)
        with self.assertRaisesRegex(ValueError, "must have the same type"):
            tf.cond(x, lambda: tf.constant(1.0), lambda: tf.constant(1))
        with self.assertRaisesRegex((TypeError, ValueError), "Incompatible return"):
            tf.cond(x, lambda: [tf.constant(1.0), tf.constant(1.0)], lambda: tf.constant(1.0))
        with self.assertRaisesRegex(ValueError, "'false_fn' must have a return value"):
            tf.cond(x, lambda: tf.constant(1.0), lambda: None)
        with self.assertRaisesRegex(TypeError, "Python bool"):
            tf.cond(True, tf.no_op, tf.no_op)

    def test_what_is_inside_stays_inside(self):
        inside = []

        def body(i):
            inside.append(i + 1)
            return inside[0]
        y = tf.while_loop(lambda i: i < 3, body, [0])
        with self.assertRaisesRegex(ValueError, "Cannot use 'while/add' as input to .* is in a while loop"):
            inside[0] * 2
        with tf.Session() as session:
            with self.assertRaisesRegex(ValueError, "not fetchable"):
                session.run(inside[0])
            with self.assertRaisesRegex(ValueError, "may not be fed"):
                session.run(y, {inside[0]: 1})

    def test_shapes_are_checked(self):
        with self.assertRaisesRegex(ValueError, "shape_invariants"):
            tf.while_loop(lambda m: tf.size(m) < 9 if hasattr(tf, "size") else True, lambda m: tf.concat([m, m], 0),
                          [tf.ones([1])])
        with self.assertRaisesRegex(ValueError, "not compatible with the initial shape"):
            tf.while_loop(lambda m: True, lambda m: m, [tf.ones([1])], shape_invariants=[tf.TensorShape([2])])
        with self.assertRaisesRegex(ValueError, "don't have the same nested structure"):
            tf.while_loop(lambda i, j: i < 3, lambda i, j: i, (0, 0))

    def test_loops(self):
        n = tf.placeholder(tf.int32, [])
        fibonacci = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), (0, 0, 1))[1]
        with tf.Session() as session:
            self.assertEqual([session.run(fibonacci, {n: k}) for k in range(8)], [0, 1, 1, 2, 3, 5, 8, 13])

    def test_asserts_end_the_step(self):
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.assert_positive(x, message="it is too small")]):
            y = tf.identity(x)
        with tf.Session() as session:
            self.assertEqual(session.run(y, {x: 1.0}), 1.0)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "it is too small"):
                session.run(y, {x: -1.0})
        with self.assertRaises(tf.errors.InvalidArgumentError):
            tf.assert_equal(1, 2)
        with self.assertRaisesRegex(ValueError, "must have rank 1"):
            tf.assert_rank(tf.constant(1.0), 1)

    def test_switch_case(self):
        i = tf.placeholder(tf.int32, [])
        y = tf.switch_case(i, {0: lambda: tf.constant(10), 1: lambda: tf.constant(20)}, default=lambda: tf.constant(30))
        with tf.Session() as session:
            self.assertEqual([session.run(y, {i: k}) for k in (0, 1, 2, -1)], [10, 20, 30, 30])

    def test_training_through_a_loop(self):
        w = tf.Variable(0.1)
        xs = tf.constant([1.0, 2.0, 3.0])
        total = tf.foldl(lambda s, x: s + x * w, xs, initializer=0.0)
        loss = tf.square(total - 12.0)
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(100):
                session.run(train)
            self.assertAlmostEqual(float(session.run(w)), 2.0, places=3)

    def test_structures(self):
        value = {"b": [1, (2, 3)], "a": 4}
        self.assertEqual(tf.nest.flatten(value), [4, 1, 2, 3])
        self.assertEqual(tf.nest.pack_sequence_as(value, [9, 8, 7, 6]), {"b": [8, (7, 6)], "a": 9})
        self.assertEqual(tf.nest.map_structure(lambda a, b: a + b, value, value), {"b": [2, (4, 6)], "a": 8})
        with self.assertRaises(ValueError):
            tf.nest.assert_same_structure([1, 2], [1])

    def test_collections_keep_the_contexts(self):
        tf.while_loop(lambda i: i < 3, lambda i: tf.cond(i > 1, lambda: i + 2, lambda: i + 1), [0])
        meta_graph = tf.train.export_meta_graph()
        self.assertEqual(len(meta_graph.collection_def["while_context"].bytes_list.value), 1)
        self.assertNotIn("cond_context", meta_graph.collection_def)  # it is in the loop's

    def test_pictures(self):
        with tf.name_scope("layer"):
            y = tf.constant(1.0) + 2.0
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
        picture = tf.show()
        self.assertIn("layer", picture.svg)
        self.assertIn("nodes", picture._repr_svg_())
        self.assertIn("AddV2", tf.show(y.graph, "layer").svg)
        self.assertIn("NextIteration", tf.show(scope="while").svg)
        with self.assertRaises(ValueError):
            tf.show(scope="nothing")


if __name__ == "__main__":
    unittest.main()
