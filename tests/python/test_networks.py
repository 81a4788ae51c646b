"""Networks, variables and checkpoints of the Python package: values, errors, what collections hold."""
import os
import tempfile
import unittest

import numpy as np

import sluice as tf


class NetworksTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def run_all(self, *fetches, feeds=None):
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            return session.run(list(fetches), feeds)

    def test_wrong_arguments_are_errors_of_python(self):
        with self.assertRaisesRegex(ValueError, "Dimensions must be equal, but are 3 and 2"):
            tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
        for y in (tf.constant(1.0), tf.Variable(1.0)):
            with self.assertRaisesRegex(TypeError, "has type float32 that does not match type int32 of argument 'x'"):
                tf.constant(1) + y

    def test_weights_of_a_loss_may_have_unknown_rank(self):
        weights = tf.placeholder(tf.float32)
        loss = tf.losses.sparse_softmax_cross_entropy([[0], [1]], tf.constant([[2.0, 0.0], [0.0, 2.0]]), weights)
        for fed in ([[1.0], [1.0]], [1.0, 1.0], 1.0):
            self.assertAlmostEqual(float(self.run_all(loss, feeds={weights: fed})[0]), 0.126928, 5)

    def test_layers_and_averages_as_in_tensorflow(self):
        with self.assertRaisesRegex(ValueError, "must be a tuple of 2 integers. Received: None"):
            tf.layers.max_pooling2d(tf.ones([1, 4, 4, 1]), 3, None)
        self.assertIsNone(tf.layers.Dense(2).activity_regularizer)
        v = tf.Variable(1.0, name="v")
        average = tf.train.ExponentialMovingAverage(0.9, name="mean")
        with tf.name_scope("scope"):
            self.assertEqual(average.average_name(v), "scope/v/mean")
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(v * v)
        self.assertEqual([p.op.name for p in optimizer._get_beta_accumulators()], ["beta1_power", "beta2_power"])

    def test_states_are_fed_and_fetched_whole(self):
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.GRUCell(3)])
        state = cell.zero_state(1, tf.float32)
        _, new = cell(tf.ones([1, 2]), state)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first = session.run(new)
            self.assertIsInstance(first[0], tf.nn.rnn_cell.LSTMStateTuple)
            second = session.run(new, {state: first})
            self.assertFalse(np.allclose(first[1], second[1]))
            with self.assertRaisesRegex(ValueError, "Key had 2 elements"):
                session.run(new, {state: first[0].c})

    def test_a_variable_in_a_collection_of_the_program(self):
        rate = tf.Variable(0.5, name="rate")
        tf.add_to_collection("rates", rate)
        saved = tf.train.export_meta_graph()
        tf.reset_default_graph()
        tf.train.import_meta_graph(saved)
        found = tf.get_collection("rates")[0]
        self.assertEqual(found.name, "rate:0")
        self.assertEqual(self.run_all(found), [0.5])

    def test_a_layer_shares_its_variables(self):
        dense = tf.layers.Dense(2, name="d")
        one, two = dense(tf.ones([1, 3])), dense(tf.ones([1, 3]))
        self.assertEqual([v.name for v in tf.global_variables()], ["d/kernel:0", "d/bias:0"])
        np.testing.assert_array_equal(*self.run_all(one, two))
        with self.assertRaisesRegex(ValueError, "expected axis -1 of input shape to have value 3"):
            dense(tf.ones([1, 4]))

    def test_batch_normalization_moves_its_averages(self):
        x = tf.constant([[1.0], [3.0]])
        layer = tf.layers.BatchNormalization(momentum=0.5)
        layer(x, training=True)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        self.assertEqual(len(updates), 2)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(updates)
            self.assertEqual(session.run(layer.moving_mean).tolist(), [1.0])

    def test_regularizers_and_constraints(self):
        with tf.variable_scope("s", regularizer=tf.contrib.layers.l2_regularizer(0.5)):
            v = tf.get_variable("v", [2], initializer=tf.constant_initializer(2.0), constraint=lambda w: tf.maximum(w, 1.9))
        loss, = tf.losses.get_regularization_losses()
        train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(v))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(loss), 2.0)
            session.run(train)
            np.testing.assert_allclose(session.run(v), [1.9, 1.9])

    def test_metrics_add_up(self):
        x = tf.placeholder(tf.float32, [None])
        value, update = tf.metrics.mean(x)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            session.run(update, {x: [1.0, 2.0]})
            session.run(update, {x: [6.0]})
            self.assertEqual(session.run(value), 3.0)

    def test_defaults_by_scope(self):
        slim = tf.contrib.slim
        with slim.arg_scope([slim.fully_connected], activation_fn=None, biases_initializer=None):
            y = slim.fully_connected(tf.ones([1, 2]), 3, weights_initializer=tf.constant_initializer(-1.0))
        self.assertEqual([v.name for v in slim.get_model_variables()], ["fully_connected/weights:0"])
        self.assertEqual(self.run_all(y)[0].tolist(), [[-2.0, -2.0, -2.0]])

    def test_sparse_tensors_are_fed_and_fetched(self):
        x = tf.sparse_placeholder(tf.float32, [2, 3])
        value = tf.SparseTensorValue([[0, 1], [1, 2]], [3.0, 4.0], [2, 3])
        dense, back = self.run_all(tf.sparse_tensor_to_dense(x), x, feeds={x: value})
        self.assertEqual(dense.tolist(), [[0.0, 3.0, 0.0], [0.0, 0.0, 4.0]])
        self.assertIsInstance(back, tf.SparseTensorValue)
        with self.assertRaisesRegex(ValueError, "Cannot reshape a tensor with 6 elements"):
            tf.sparse_reshape(tf.SparseTensor([[0, 0]], [1.0], [2, 3]), [4])

    def test_gradients_of_recurrent_networks(self):
        x = tf.constant(np.arange(12, dtype=np.float32).reshape(2, 3, 2) / 10)
        init = tf.constant_initializer(0.1)
        with tf.variable_scope("loop", initializer=init):
            loop, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(2), x, sequence_length=[3, 2], dtype=tf.float32)
        with tf.variable_scope("unrolled", initializer=init):
            steps, _ = tf.nn.static_rnn(tf.nn.rnn_cell.LSTMCell(2), tf.unstack(x, axis=1), sequence_length=[3, 2],
                                        dtype=tf.float32)
        kernels = [v for v in tf.trainable_variables() if "kernel" in v.name]
        one, = tf.gradients(tf.reduce_sum(loop ** 2.0), kernels[:1])
        two, = tf.gradients(tf.add_n([tf.reduce_sum(s ** 2.0) for s in steps]), kernels[1:])
        np.testing.assert_allclose(*self.run_all(one, two), rtol=1e-5)


class CheckpointsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)

    def save(self, partitioner):
        with tf.Graph().as_default():
            with tf.variable_scope("", partitioner=partitioner):
                tf.get_variable("v", initializer=np.arange(10, dtype=np.float32).reshape(5, 2))
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                return tf.train.Saver().save(session, os.path.join(self._folder.name, "model"))

    def test_parts_are_saved_as_one(self):
        path = self.save(tf.fixed_size_partitioner(2))
        self.assertEqual(tf.train.list_variables(path), [("v", [5, 2])])
        np.testing.assert_array_equal(tf.train.load_variable(self._folder.name, "v").ravel(), np.arange(10))
        whole = tf.get_variable("v", [5, 2], use_resource=True)
        with tf.Session() as session:
            tf.train.Saver().restore(session, path)
            np.testing.assert_array_equal(session.run(whole).ravel(), np.arange(10))

    def test_initialises_from_a_checkpoint(self):
        path = self.save(None)
        with tf.variable_scope("mine", partitioner=tf.fixed_size_partitioner(3)):
            parts = tf.get_variable("v", [5, 2])
        tf.train.init_from_checkpoint(path, {"/": "mine/"})
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(session.run(parts.as_tensor()).ravel(), np.arange(10))
        with self.assertRaisesRegex(ValueError, "doesn't match with shape"):
            tf.train.init_from_checkpoint(path, {"v": tf.get_variable("other", [3])})
        with self.assertRaisesRegex(ValueError, "is not found in"):
            tf.train.init_from_checkpoint(path, {"w": parts})

    def test_a_damaged_index_is_an_error(self):
        path = self.save(None) + ".index"
        with open(path, "rb") as file:
            data = file.read()
        for size in (0, 10, 47, len(data) - 1):
            with open(path, "wb") as file:
                file.write(data[:size])
            with self.assertRaises(tf.errors.DataLossError):
                tf.train.load_checkpoint(path[:-6])
        for at in range(len(data)):
            with open(path, "wb") as file:
                file.write(data[:at] + bytes([data[at] ^ 255]) + data[at + 1:])
            try:
                tf.train.load_checkpoint(path[:-6])
            except (tf.errors.DataLossError, ValueError, TypeError):
                pass  # not every change is an error here, but none may do more than this
        with self.assertRaises(tf.errors.NotFoundError):
            tf.train.load_checkpoint(os.path.join(self._folder.name, "absent"))


if __name__ == "__main__":
    unittest.main()
