"""Ragged tensors: their values are those of ragged_calls.py, which TensorFlow has too."""
import pickle
import unittest

import numpy as np
from ragged_calls import CALLS, evaluate

import sluice as tf


class Ragged(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_values(self):
        for text, wanted in CALLS:
            with self.subTest(text):
                self.assertEqual(evaluate(tf, text), wanted)

    def test_feeds(self):
        p = tf.ragged.placeholder(tf.float32, 1, [])
        with tf.Session() as session:
            value = tf.ragged.constant_value([[1.0], [2.0, 3.0]], np.float32)
            self.assertEqual(session.run(p * 2.0, {p: value}).to_list(), [[2.0], [4.0, 6.0]])
            with self.assertRaisesRegex(TypeError, "RaggedTensorValue"):
                session.run(p * 2.0, {p: [[1.0]]})

    def test_gradients(self):
        x = tf.constant([1.0, 2.0, 3.0])
        ragged = tf.RaggedTensor.from_row_lengths(x, [1, 2])
        y = tf.reduce_sum(tf.square(tf.reduce_sum(ragged * ragged, 1)))
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gradients(y, x))[0].tolist(), [4.0, 104.0, 156.0])

    def test_datasets(self):
        rows = tf.ragged.constant([[1, 2], [], [3]])
        whole = tf.data.Dataset.from_tensors(rows).map(lambda x: x * 2)
        batches = tf.data.Dataset.from_tensor_slices(rows).batch(2)
        self.assertIsInstance(batches.element_spec, tf.RaggedTensorSpec)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.data.make_one_shot_iterator(whole).get_next()).to_list(), [[2, 4], [], [6]])
            following = tf.data.make_one_shot_iterator(batches).get_next()
            self.assertEqual([session.run(following).to_list() for _ in range(2)], [[[1, 2], []], [[3]]])

    def test_refusals(self):
        r = tf.ragged.constant([[1.0], [2.0, 3.0]])
        with self.assertRaisesRegex(TypeError, "takes no ragged tensors"):
            tf.matmul(r, r)
        with self.assertRaisesRegex(ValueError, "inner ragged dimension"):
            r[:, 0]
        with self.assertRaisesRegex(ValueError, "private"):
            tf.RaggedTensor(r.values, r.row_splits)
        with self.assertRaisesRegex(TypeError, "pickled"):
            pickle.dumps(r)
        with tf.Session() as session, self.assertRaisesRegex(tf.errors.InvalidArgumentError, "identical ragged splits"):
            session.run(r + tf.ragged.constant([[1.0, 2.0], [3.0]]))


if __name__ == "__main__":
    unittest.main()
