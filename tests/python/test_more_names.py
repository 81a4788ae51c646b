"""Functions that are made of others here, with values that TensorFlow gives."""
import os
import tempfile
import unittest

import numpy as np

import sluice as tf


class MoreNames(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def value(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_images(self):
        a = np.random.RandomState(0).rand(2, 32, 32, 3).astype("f")
        b = np.clip(a + 0.1, 0, 1)
        np.testing.assert_allclose(self.value(tf.image.ssim(a, b, 1.0)), [0.9830377, 0.9817584], rtol=1e-5)
        wide = [tf.constant(np.tile(x, (1, 8, 8, 1))) for x in (a, b)]
        np.testing.assert_allclose(self.value(tf.image.ssim_multiscale(*wide, 1.0)), [0.9961682, 0.99648714], rtol=1e-5)
        self.assertEqual(self.value(tf.image.sobel_edges(tf.constant(a))).shape, (2, 32, 32, 3, 2))
        self.assertEqual(self.value(tf.image.resize_image_with_pad(tf.constant(a), 20, 40)).shape, (2, 20, 40, 3))

    def test_signals(self):
        x = np.arange(8, dtype="f")
        np.testing.assert_allclose(self.value(tf.signal.dct(x)), [56, -25.769289, 0, -2.6938181, 0, -0.8036134, 0, -0.202810],
                                   atol=1e-4)
        np.testing.assert_allclose(self.value(tf.signal.idct(tf.signal.dct(x, norm="ortho"), norm="ortho")), x, atol=1e-5)
        signal = np.sin(np.arange(64) / 3.0).astype("f")
        window = tf.signal.inverse_stft_window_fn(8)
        back = tf.signal.inverse_stft(tf.signal.stft(tf.constant(signal), 16, 8), 16, 8, window_fn=window)
        np.testing.assert_allclose(self.value(back)[16:48], signal[16:48], atol=1e-5)
        mel = self.value(tf.signal.linear_to_mel_weight_matrix(4, 9, 8000))
        np.testing.assert_allclose(mel.sum(0), [0.89565384, 1.0825945, 1.5321486, 2.2698722], rtol=1e-5)

    def test_matrices(self):
        turn = self.value(tf.linalg.expm(tf.constant([[0.0, 1.0], [-1.0, 0.0]])))
        np.testing.assert_allclose(turn, [[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]], rtol=1e-5)
        diagonals = tf.constant([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 1.0, 1.0]])
        self.assertEqual(self.value(tf.linalg.tridiagonal_matmul(diagonals, tf.eye(3))).tolist(),
                         [[2, 1, 0], [1, 2, 1], [0, 1, 2]])
        c = tf.constant([[[1 + 2j, 3 - 1j], [2j, 1]]], tf.complex64)
        plain, turned = self.value([c, tf.matmul(c, c, transpose_a=True)])
        np.testing.assert_allclose(turned[0], plain[0].T @ plain[0], rtol=1e-5)

    def test_distributions(self):
        t = tf.distributions.StudentT(3.0, 0.0, 1.0)
        self.assertAlmostEqual(float(self.value(t.log_prob(0.5))), -1.1609743, 5)
        self.assertEqual(self.value(t.sample(3, seed=1)).shape, (3,))
        d = tf.distributions.Dirichlet([1.0, 2.0, 3.0])
        np.testing.assert_allclose(self.value([d.log_prob([0.2, 0.3, 0.5]), d.entropy()]), [1.5040774, -1.2443447], rtol=1e-5)
        np.testing.assert_allclose(self.value(d.sample(2)).sum(-1), [1, 1], rtol=1e-5)
        m = tf.distributions.Multinomial(4.0, probs=[0.2, 0.3, 0.5])
        self.assertAlmostEqual(float(self.value(m.log_prob([1.0, 1.0, 2.0]))), -1.7147985, 5)
        self.assertEqual(self.value(m.sample(5)).sum(-1).tolist(), [4.0] * 5)

    def test_labels(self):
        labels, lengths = self.value(tf.nn.collapse_repeated([[1, 1, 2, 2], [3, 3, 3, 1]], [4, 3]))
        self.assertEqual((labels.tolist(), lengths.tolist()), ([[1, 2], [3, 0]], [2, 1]))
        logits = tf.constant(np.random.RandomState(1).rand(2, 5, 4).astype("f"))
        loss = tf.nn.ctc_loss_v2(tf.constant([[1, 2], [2, 0]]), logits, tf.constant([2, 1]), tf.constant([5, 5]),
                                 logits_time_major=False)
        np.testing.assert_allclose(self.value(loss), [3.6816974, 4.5581174], rtol=1e-5)

    def test_accumulators(self):
        total = tf.ConditionalAccumulator(tf.float32, [])
        add, mean = total.apply_grad(tf.placeholder_with_default(3.0, [])), total.take_grad(2)
        rows = tf.SparseConditionalAccumulator(tf.float32, [3, 1])
        add_rows, taken = rows.apply_grad([1], [[2.0]], [3, 1]), rows.take_indexed_slices_grad(1)
        with tf.Session() as session:
            session.run([add, add_rows])
            session.run(add)
            self.assertEqual(session.run(mean), 3.0)
            self.assertEqual([v.tolist() for v in session.run([taken.indices, taken.values])], [[1], [[2.0]]])

    def test_others(self):
        sparse = self.value(tf.sparse.expand_dims(tf.SparseTensor([[0, 1]], [5], [2, 2]), 1))
        self.assertEqual((sparse.indices.tolist(), sparse.dense_shape.tolist()), ([[0, 0, 1]], [2, 1, 2]))
        crossed = self.value(tf.sparse.cross([tf.constant([["a"], ["b"]]), tf.constant([["c"], ["d"]])]))
        self.assertEqual(crossed.values.tolist(), [b"a_X_c", b"b_X_d"])
        self.assertEqual(self.value(tf.vectorized_map(lambda x: x * 2, tf.constant([1.0, 2.0]))).tolist(), [2.0, 4.0])
        parts = tf.create_partitioned_variables([4, 2], [2, 1], tf.ones_initializer(), name="pv")
        self.assertEqual([v.name for v in parts], ["pv/part_0:0", "pv/part_1:0"])
        w = tf.Variable(np.zeros((2, 3), "f"))
        self.assertEqual(self.value(tf.batch_scatter_update(w, [[0, 1], [1, 2]], [[1.0, 2.0], [3.0, 4.0]])).tolist(),
                         [[1, 2, 0], [0, 3, 4]])
        x = tf.constant(3.0)
        self.assertEqual(self.value(tf.gradients(tf.recompute_grad(lambda x: x * x)(x), x))[0], 6.0)
        with tf.Session() as session:
            self.assertEqual(session.run(tf.gather_nd([[1, 2], [3, 4]], [[1], [0]], batch_dims=1)).tolist(), [2, 3])
            self.assertEqual(session.run(tf.one_hot([1], 2, on_value=5, off_value=1)).tolist(), [[1, 5]])

    def test_tables_in_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.csv")
            with open(path, "w") as file:
                file.write("x,y,s\n1,2.5,u\n2,3.5,v\n3,4.5,w\n")
            dataset = tf.data.experimental.make_csv_dataset(path, 2, label_name="y", shuffle=False, num_epochs=1)
            features, label = tf.data.make_one_shot_iterator(dataset).get_next()
            with tf.Session() as session:
                rows = [session.run((features["x"], features["s"], label)) for _ in range(2)]
        self.assertEqual([[v.tolist() for v in row] for row in rows], [[[1, 2], [b"u", b"v"], [2.5, 3.5]], [[3], [b"w"], [4.5]]])
        self.assertEqual((features["x"].dtype, label.dtype), (tf.int32, tf.float32))

    def test_shares_of_classes(self):
        dataset = tf.data.Dataset.range(1000).map(lambda x: x % 2).apply(
            tf.data.experimental.rejection_resample(lambda x: x, [0.9, 0.1], [0.5, 0.5], seed=1))
        number = tf.data.make_one_shot_iterator(dataset).get_next()[0]
        seen = []
        with tf.Session() as session, self.assertRaises(tf.errors.OutOfRangeError):
            while True:
                seen.append(session.run(number))
        self.assertTrue(450 < len(seen) < 650 and 0.05 < np.mean(seen) < 0.15, (len(seen), np.mean(seen)))


class Table(dict):
    """As much of a table of pandas as an input function uses."""
    columns = property(lambda self: list(self))
    index = property(lambda self: np.arange(len(next(iter(self.values())))))


class Estimators(unittest.TestCase):
    def test_tables_metrics_and_the_best_export(self):
        verbosity = tf.logging.get_verbosity()
        tf.logging.set_verbosity("ERROR")
        self.addCleanup(tf.logging.set_verbosity, verbosity)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        rows, labels = Table(a=np.arange(20.0), b=np.arange(20.0) * 2), Table(label=(np.arange(20) > 10).astype(int))
        labels_only = labels["label"].view(type("Series", (np.ndarray,), {"index": property(lambda self: np.arange(20))}))
        columns = [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b")]
        self.assertEqual(sorted(tf.estimator.classifier_parse_example_spec(columns, "label")), ["a", "b", "label"])
        estimator = tf.estimator.add_metrics(
            tf.estimator.LinearClassifier(columns, model_dir=folder.name),
            lambda labels, predictions: {"mine": tf.metrics.mean(predictions["logistic"])})
        train = tf.estimator.inputs.pandas_input_fn(rows, labels_only, 5, None, True)
        evaluate = tf.estimator.inputs.pandas_input_fn(rows, labels_only, 5, 1, False)
        hook = tf.estimator.experimental.InMemoryEvaluatorHook(estimator, evaluate, every_n_iter=10)
        receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(
            tf.feature_column.make_parse_example_spec(columns))
        exporter = tf.estimator.BestExporter(serving_input_receiver_fn=receiver)
        tf.estimator.train_and_evaluate(
            estimator, tf.estimator.TrainSpec(train, max_steps=20, hooks=[hook]),
            tf.estimator.EvalSpec(evaluate, steps=None, exporters=[exporter], throttle_secs=0, start_delay_secs=0))
        self.assertIn("mine", estimator.evaluate(evaluate))
        self.assertEqual(len(os.listdir(os.path.join(folder.name, "export", "best_exporter"))), 1)


if __name__ == "__main__":
    unittest.main()
