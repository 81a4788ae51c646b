"""Datasets, parsing, files and functions of the package, without TensorFlow."""
import os
import tempfile
import unittest

import numpy as np
import sluice as tf

Dataset = tf.data.Dataset


class Data(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph()
        self._scope = graph.as_default()
        self._scope.__enter__()
        self.addCleanup(self._scope.__exit__, None, None, None)
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def read(self, dataset):
        element = tf.data.make_one_shot_iterator(dataset).get_next()
        found = []
        with tf.Session() as session:
            try:
                while True:
                    found.append(session.run(element))
            except tf.errors.OutOfRangeError:
                return found

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_transformations(self):
        found = self.read(Dataset.range(10).filter(lambda x: x % 2 < 1).map(lambda x: x * 3).batch(2))
        self.assertEqual([f.tolist() for f in found], [[0, 6], [12, 18], [24]])

    def test_one_shot_iterator_refuses_a_placeholder(self):
        dataset = Dataset.from_tensors(tf.placeholder(tf.int32))
        with self.assertRaisesRegex(ValueError, "make_initializable_iterator"):
            tf.data.make_one_shot_iterator(dataset)

    def test_filter_needs_one_boolean(self):
        with self.assertRaisesRegex(ValueError, "scalar boolean"):
            Dataset.range(3).filter(lambda x: x)

    def test_generator(self):
        def count(limit):
            for i in range(limit):
                yield i, "x" * i
        found = self.read(Dataset.from_generator(count, (tf.int64, tf.string), ((), ()), args=(3,)))
        self.assertEqual([(int(a), b) for a, b in found], [(0, b""), (1, b"x"), (2, b"xx")])

    def test_generator_with_a_wrong_element_says_so(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "shape"):
            self.read(Dataset.from_generator(lambda: [[1, 2]], tf.int64, [3]))

    def test_batched_features(self):
        with tf.python_io.TFRecordWriter(self.path("a.tfrecord")) as writer:
            for i in range(3):
                example = tf.train.Example()
                example.features.feature["n"].int64_list.value.append(i)
                writer.write(example.SerializeToString())
        dataset = tf.data.experimental.make_batched_features_dataset(
            self.path("*.tfrecord"), 2, {"n": tf.FixedLenFeature([], tf.int64)}, num_epochs=1, shuffle=False)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            self.assertEqual([session.run(element)["n"].tolist() for _ in range(2)], [[0, 1], [2]])

    def test_words_as_numbers(self):
        texts = ["A cat's tail", "the cat sat, the mat", "one two three four five"]
        processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
        rows = list(processor.fit_transform(texts))
        self.assertEqual([row.tolist() for row in rows], [[1, 2, 3, 0], [4, 5, 6, 4], [8, 9, 10, 11]])
        self.assertEqual((len(processor.vocabulary_), rows[0].dtype), (13, np.int64))
        self.assertEqual(list(processor.reverse(rows))[0], "A cat's tail <UNK>")
        processor.save(self.path("words"))
        again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(self.path("words"))
        self.assertEqual(next(again.transform(["mat unknown five"])).tolist(), [7, 0, 12, 0])
        trimmed = tf.contrib.learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
        self.assertEqual(next(trimmed.fit(["b a a", "a b c"]).transform(["b a c"])).tolist(), [2, 1, 0])

    def test_gfile(self):
        name = self.path("folder/file.txt")
        tf.gfile.MakeDirs(self.path("folder"))
        with tf.gfile.GFile(name, "w") as out:
            out.write("one\ntwo\n")
        with tf.gfile.Open(name) as file:
            self.assertEqual(list(file), ["one\n", "two\n"])
        self.assertEqual(tf.gfile.Glob(self.path("folder/*")), [name])
        self.assertEqual(tf.gfile.Glob(self.path("f*/" + os.path.basename(name))), [name])
        before = os.getcwd()
        os.chdir(self.path("folder"))
        try:
            self.assertEqual(tf.gfile.Glob(os.path.basename(name)[:1] + "*"), ["./" + os.path.basename(name)])
            self.assertEqual(tf.gfile.Glob(os.path.basename(name)), [os.path.basename(name)])
        finally:
            os.chdir(before)
        self.assertEqual(tf.gfile.Stat(name).length, 8)
        with self.assertRaises(tf.errors.AlreadyExistsError):
            tf.gfile.Copy(name, name)
        tf.gfile.DeleteRecursively(self.path("folder"))
        with self.assertRaises(tf.errors.NotFoundError):
            tf.gfile.GFile(name).read()

    def test_events_can_be_read(self):
        writer = tf.summary.FileWriter(self.folder.name)
        writer.add_summary(tf.Summary(value=[{"tag": "a", "simple_value": 2.0}]), 3)
        writer.close()
        path, = tf.gfile.Glob(self.path("events*"))
        self.assertEqual([e.summary.value[0].tag for e in tf.train.summary_iterator(path) if e.HasField("summary")], ["a"])

    def test_functions_whose_nodes_differ(self):
        x = tf.constant([[0.5, 2.0, 0.0], [3.0, 1.0, -1.0]])
        signal = np.arange(8, dtype=np.float32)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.unsorted_segment_mean(x, [0, 0], 2)).tolist(), [[1.75, 1.5, -0.5], [0, 0, 0]])
            self.assertEqual(session.run(tf.batch_gather(x, [[2], [0]])).tolist(), [[0.0], [3.0]])
            self.assertEqual(session.run(tf.searchsorted([1, 3, 5], [3, 4])).tolist(), [1, 2])
            self.assertTrue(np.allclose(session.run(tf.signal.rfft(signal)), np.fft.rfft(signal), atol=1e-4))
            self.assertTrue(np.allclose(session.run(tf.signal.irfft(tf.signal.rfft(signal))), signal, atol=1e-4))
            self.assertTrue(np.allclose(session.run(tf.signal.hann_window(8)), np.hanning(9)[:8], atol=1e-5))
            self.assertEqual(session.run(tf.repeat([1, 2], [1, 2])).tolist(), [1, 2, 2])
            self.assertEqual(session.run(tf.linspace(0.0, 1.0, 3)).tolist(), [0.0, 0.5, 1.0])

    def test_mutable_table(self):
        table = tf.lookup.experimental.DenseHashTable(tf.string, tf.int64, -1, "", "#")
        insert, found = table.insert(["a"], np.array([7])), table.lookup(tf.constant(["a", "b"]))
        with tf.Session() as session:
            session.run(insert)
            self.assertEqual(session.run(found).tolist(), [7, -1])


if __name__ == "__main__":
    unittest.main()
