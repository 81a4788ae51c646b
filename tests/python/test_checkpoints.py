"""What checkpoints hold beside variables: the positions of iterators, tables, objects of the program."""
import os
import tempfile
import unittest

import sluice as tf
from sluice._saveable import BaseSaverBuilder


class Checkpoints(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def test_an_iterator_goes_on_where_it_was_saved(self):
        path = os.path.join(self.directory.name, "model")
        shown = []
        for is_second in (False, True):
            with tf.Graph().as_default():
                dataset = tf.data.Dataset.range(10).shuffle(4, seed=1).map(lambda x: x * 2)
                iterator = tf.data.make_initializable_iterator(dataset)
                following = iterator.get_next()
                saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
                tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
                tf.Variable(1.0, name="v")
                saver = tf.train.Saver()
                with tf.Session() as session:
                    session.run([iterator.initializer, tf.global_variables_initializer()])
                    if is_second:
                        saver.restore(session, path)
                    else:
                        for _ in range(3):
                            session.run(following)
                        saver.save(session, path)
                    shown.append([int(session.run(following)) for _ in range(7)])
        self.assertEqual(shown[0], shown[1])
        self.assertEqual(tf.train.list_variables(path), [("IteratorV2:0_STATE", [1]), ("v", [])])

    def test_a_wrong_policy_is_refused(self):
        iterator = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
        with self.assertRaisesRegex(ValueError, "'warn', 'ignore' and 'fail'"):
            tf.data.experimental.make_saveable_from_iterator(iterator, "never")

    def test_an_estimators_input_goes_on(self):
        seen = []

        def model(features, labels, mode):
            x = tf.py_func(lambda v: (seen.append(int(v)), v)[1], [features], tf.int64)
            step = tf.assign_add(tf.train.get_global_step(), 1)
            return tf.estimator.EstimatorSpec(mode, loss=tf.get_variable("v", []), train_op=tf.group(x, step))

        for _ in range(2):
            config = tf.estimator.RunConfig(self.directory.name, save_checkpoints_steps=3)
            estimator = tf.estimator.Estimator(model, config=config)
            hook = tf.data.experimental.CheckpointInputPipelineHook(estimator)
            estimator.train(lambda: tf.data.Dataset.range(100).map(lambda x: (x, x)), steps=5, hooks=[hook])
        self.assertEqual(seen, list(range(10)))
        self.assertIn("checkpoint_input", os.listdir(self.directory.name))

    def test_a_table_is_saved(self):
        path = os.path.join(self.directory.name, "model")
        table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.float32, -1.0, empty_key=0, deleted_key=-5)
        insert, found = table.insert([3, 4], [0.5, 1.5]), table.lookup([4, 3, 7])
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(insert)
            saver.save(session, path)
        with tf.Session() as session:
            saver.restore(session, path)
            self.assertEqual(session.run(found).tolist(), [1.5, 0.5, -1.0])

    def test_an_object_of_the_program(self):
        class Doubled(BaseSaverBuilder.SaveableObject):
            def __init__(self, variable):
                spec = BaseSaverBuilder.SaveSpec(variable * 2.0, "", "doubled")
                super().__init__(variable, [spec], "doubled")

            def restore(self, restored_tensors, restored_shapes):
                return self.op.assign(restored_tensors[0])

        v = tf.Variable(3.0)
        saver = tf.train.Saver([Doubled(v)])
        with tf.Session() as session:
            session.run(v.initializer)
            path = saver.save(session, os.path.join(self.directory.name, "model"))
            saver.restore(session, path)
            self.assertEqual(session.run(v), 6.0)


if __name__ == "__main__":
    unittest.main()
