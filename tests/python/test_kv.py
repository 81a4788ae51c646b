"""The parameter store from Python: a ps task in another process."""
import os
import socket
import subprocess
import unittest

import numpy as np
import sluice as tf
from sluice import kv


class Store(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with socket.socket() as chosen:
            chosen.bind(("127.0.0.1", 0))
            cls.address = "127.0.0.1:%d" % chosen.getsockname()[1]
        command = os.path.join(os.path.dirname(tf.__file__), "bin", "sluice")
        cls.server = subprocess.Popen([command, "serve", "--job_name", "ps", "--ps_hosts", cls.address],
                                      stderr=subprocess.DEVNULL)

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.wait()

    def test_push_and_pull(self):
        with kv.connect(self.address, table="sums", updater="sum") as store:
            keys = np.array([3, 2**64 - 1, 7], np.uint64)
            store.push(keys, [[1, 2], [3, 4], [5, 6]])
            np.testing.assert_array_equal(store.push_pull(keys, np.ones((3, 2))), [[2, 3], [4, 5], [6, 7]])
            calls = [store.pull(keys, length=2, wait=False) for _ in range(20)]
            for call in calls:
                np.testing.assert_array_equal(call.wait(), [[2, 3], [4, 5], [6, 7]])
            store.push([100, 101], [1, 2, 3], lens=[1, 2], update=kv.ASSIGN)
            np.testing.assert_array_equal(store.pull([101, 100], lens=[2, 1]), [2, 3, 1])

    def test_rows_and_rules(self):
        with kv.connect([self.address], table="rows", row_length=4, initializer="uniform scale=1 seed=2",
                        updater="GradientDescent learning_rate=0.5") as store:
            before = store.pull([5, 6])
            self.assertEqual(before.shape, (2, 4))
            np.testing.assert_allclose(store.push_pull([5, 6], np.ones((2, 4))), before - 0.5)
            store.set_updater("GradientDescent learning_rate=1")
            np.testing.assert_allclose(store.push_pull([5, 6], np.ones((2, 4))), before - 1.5)

    def test_variables_of_a_graph(self):
        with tf.Graph().as_default(), tf.Session("grpc://" + self.address) as session:
            variable = tf.get_variable("shared/weights", [3], initializer=tf.ones_initializer())
            session.run(tf.global_variables_initializer())
            with kv.connect(self.address, table="bound") as store:
                self.assertEqual(store.bind(1, "shared/weights"), 3)
                store.push([1], [[1, 2, 3]], update=kv.SUM)
                np.testing.assert_array_equal(session.run(variable), [2, 3, 4])

    def test_errors(self):
        with kv.connect(self.address, table="errors") as store:
            with self.assertRaisesRegex(tf.errors.NotFoundError, "Key 9 of table \"errors\" has no value"):
                store.pull([9])
            with self.assertRaisesRegex(ValueError, "values must have 4 elements"):
                store.push([1, 2], [1, 2, 3], lens=[2, 2])
        with self.assertRaisesRegex(ValueError, "closed"):
            store.pull([9])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "The updater must be one of"):
            kv.connect(self.address, table="errors", updater="nothing")


if __name__ == "__main__":
    unittest.main()
