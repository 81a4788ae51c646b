"""Parts of tf.contrib, tf.distributions, tf.test and the modules that come with TensorFlow."""
import itertools
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import sluice as tf


class Graphs(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def run_once(self, values):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(values)


class Crf(Graphs):
    def test_against_all_sequences(self):
        generator = np.random.RandomState(1)
        scores, steps = generator.randn(2, 4, 3).astype("f"), generator.randn(3, 3).astype("f")
        tags, lengths = np.array([[0, 2, 1, 1], [1, 0, 0, 0]]), np.array([4, 2])

        def score(row, path):
            return sum(row[i][t] for i, t in enumerate(path)) + sum(steps[a][b] for a, b in zip(path, path[1:]))
        likelihood, _ = tf.contrib.crf.crf_log_likelihood(tf.constant(scores), tags, lengths, tf.constant(steps))
        best, best_score = tf.contrib.crf.crf_decode(tf.constant(scores), tf.constant(steps), lengths)
        found, paths, path_scores = self.run_once([likelihood, best, best_score])
        for i, length in enumerate(lengths):
            every = {p: score(scores[i], p) for p in itertools.product(range(3), repeat=int(length))}
            norm = math.log(sum(math.exp(s) for s in every.values()))
            self.assertAlmostEqual(found[i], every[tuple(tags[i][:length])] - norm, places=4)
            top = max(every, key=every.get)
            self.assertEqual(tuple(paths[i][:length]), top)
            self.assertAlmostEqual(path_scores[i], every[top], places=4)
            one, _ = tf.contrib.crf.viterbi_decode(scores[i][:length], steps)
            self.assertEqual(tuple(one), top)


class Distributions(Graphs):
    def test_normal(self):
        one, two = tf.distributions.Normal(1.0, 2.0), tf.distributions.Normal(loc=[0.0, 1.0], scale=[1.0, 2.0])
        values = self.run_once([one.log_prob(3.0), one.cdf(1.0), one.entropy(), tf.distributions.kl_divergence(one, two),
                                one.mean(), two.stddev(), two.variance(), two.sample(5, seed=1), one.prob(3.0)])
        self.assertAlmostEqual(values[0], -0.5 - math.log(2 * math.sqrt(2 * math.pi)), places=5)
        self.assertAlmostEqual(values[1], 0.5, places=5)
        self.assertAlmostEqual(values[2], 0.5 * math.log(2 * math.pi * math.e * 4), places=5)
        np.testing.assert_allclose(values[3], [0.5 + 2 - 0.5 - math.log(2), 0], atol=1e-5)
        np.testing.assert_allclose(values[6], [1, 4], rtol=1e-6)
        self.assertEqual(values[7].shape, (5, 2))
        self.assertAlmostEqual(values[8], math.exp(values[0]), places=6)

    def test_discrete(self):
        coin = tf.distributions.Bernoulli(probs=[0.25, 0.5])
        dice = tf.distributions.Categorical(logits=[[0.0, math.log(3.0)], [0.0, 0.0]])
        values = self.run_once([coin.prob([1, 0]), coin.mean(), dice.prob([1, 0]), dice.entropy(), dice.sample(7),
                                tf.distributions.kl_divergence(dice, dice), coin.sample([2, 3])])
        np.testing.assert_allclose(values[0], [0.25, 0.5], rtol=1e-5)
        np.testing.assert_allclose(values[2], [0.75, 0.5], rtol=1e-5)
        np.testing.assert_allclose(values[3][1], math.log(2), rtol=1e-5)
        self.assertEqual(values[4].shape, (7, 2))
        np.testing.assert_allclose(values[5], [0, 0], atol=1e-6)
        self.assertEqual(values[6].shape, (2, 3, 2))

    def test_others(self):
        gamma, beta = tf.distributions.Gamma(3.0, 2.0), tf.distributions.Beta(2.0, 3.0)
        uniform, laplace = tf.distributions.Uniform(1.0, 3.0), tf.distributions.Laplace(0.0, 2.0)
        values = self.run_once([gamma.prob(1.0), beta.prob(0.5), uniform.prob([0.0, 2.0]), laplace.prob(2.0), gamma.mean(),
                                beta.variance(), uniform.sample(3), beta.sample(4), gamma.sample(2)])
        np.testing.assert_allclose(values[:2], [4 * math.exp(-2), 12 * 0.5 * 0.25], rtol=1e-5)
        np.testing.assert_allclose(values[2], [0, 0.5])
        np.testing.assert_allclose(values[3:6], [math.exp(-1) / 4, 1.5, 0.04], rtol=1e-5)
        self.assertEqual([v.shape for v in values[6:]], [(3,), (4,), (2,)])


class SequenceToSequence(Graphs):
    def test_attention(self):
        """Trains a decoder with attention, then decodes greedily and with beams."""
        tf.set_random_seed(1)
        seq2seq, batch, time, words, units = tf.contrib.seq2seq, 3, 4, 8, 12
        embedding, source = tf.get_variable("embedding", [words, 6]), tf.placeholder(tf.int32, [batch, time])
        lengths = tf.fill([batch], time)
        memory, last = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(units), tf.nn.embedding_lookup(embedding, source), lengths,
                                         dtype=tf.float32)
        output = tf.layers.Dense(words, use_bias=False, name="output")

        def decode(kind, helper=None, beams=0):
            with tf.variable_scope("decode", reuse=tf.AUTO_REUSE):
                given = [memory, lengths, last]
                if beams:
                    given = [seq2seq.tile_batch(t, beams) for t in given]
                cell = seq2seq.AttentionWrapper(tf.nn.rnn_cell.GRUCell(units), kind(units, given[0], given[1]), units)
                state = cell.zero_state(batch * max(beams, 1), tf.float32).clone(cell_state=given[2])
                decoder = seq2seq.BeamSearchDecoder(cell, embedding, tf.fill([batch], 1), 2, state, beams, output) if beams \
                    else seq2seq.BasicDecoder(cell, helper, state, output)
                return seq2seq.dynamic_decode(decoder, maximum_iterations=time)
        for kind in seq2seq.BahdanauAttention, seq2seq.LuongAttention:
            with self.subTest(kind.__name__), tf.variable_scope(kind.__name__):
                training = seq2seq.TrainingHelper(tf.nn.embedding_lookup(embedding, tf.concat(
                    [tf.fill([batch, 1], 1), source[:, :-1]], 1)), lengths)
                logits = decode(kind, training)[0].rnn_output
                loss = seq2seq.sequence_loss(logits, source, tf.ones([batch, time]))
                greedy = decode(kind, seq2seq.GreedyEmbeddingHelper(embedding, tf.fill([batch], 1), 2))[0].sample_id
                beams = decode(kind, beams=3)[0].predicted_ids
                train = tf.train.AdamOptimizer(0.05).minimize(loss)
                rows = np.array([[3, 4, 5, 6], [7, 3, 6, 4], [5, 5, 4, 7]])
                with tf.Session() as session:
                    session.run(tf.global_variables_initializer())
                    for _ in range(80):
                        session.run(train, {source: rows})
                    self.assertLess(session.run(loss, {source: rows}), 0.1)
                    np.testing.assert_array_equal(session.run(greedy, {source: rows}), rows)
                    np.testing.assert_array_equal(session.run(beams, {source: rows})[:, :, 0], rows)


class Cells(Graphs):
    def test_cells(self):
        x = tf.ones([2, 3, 4])
        cells = [tf.contrib.rnn.LayerNormBasicLSTMCell(5), tf.contrib.rnn.LSTMBlockCell(5), tf.contrib.rnn.GRUBlockCell(5)]
        made = []
        for i, cell in enumerate(cells):
            with tf.variable_scope("c%d" % i):
                made.append(tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)[0])
        many = [[tf.nn.rnn_cell.GRUCell(3), tf.nn.rnn_cell.GRUCell(4)] for _ in range(2)]
        made.append(tf.contrib.rnn.stack_bidirectional_dynamic_rnn(*many, x, dtype=tf.float32)[0])
        self.assertEqual([v.shape for v in self.run_once(made)], [(2, 3, 5)] * 3 + [(2, 3, 8)])
        names = [v.name for v in tf.global_variables()]
        self.assertIn("c0/rnn/layer_norm_basic_lstm_cell/kernel:0", names)
        self.assertIn("c0/rnn/layer_norm_basic_lstm_cell/state/gamma:0", names)
        self.assertIn("c1/rnn/lstm_cell/kernel:0", names)


class Defun(Graphs):
    def test_gradient(self):
        from sluice._defun import Defun as defun

        @defun(tf.float32, func_name="twice", python_grad_func=lambda op, grad: grad * 10.0 * op.inputs[0])
        def twice(x):
            return x * 2.0
        x = tf.constant(3.0)
        y = twice(x)
        self.assertEqual(self.run_once([y, tf.gradients(y, x)[0]]), [6.0, 30.0])


class EarlyStopping(unittest.TestCase):
    def test_stops(self):
        def inputs():
            return tf.data.Dataset.from_tensors(({"x": np.ones((2, 1), "f")}, np.array([1, 2], "f"))).repeat()
        with tempfile.TemporaryDirectory() as folder:
            made = tf.estimator.BaselineRegressor(folder)
            made.train(inputs, steps=2, hooks=[tf.estimator.experimental.stop_if_lower_hook(made, "loss", -1.0)])
            made.evaluate(inputs, steps=1)
            self.assertIn("loss", tf.contrib.estimator.read_eval_metrics(made.eval_dir())[2])
            made.train(inputs, steps=50, hooks=[tf.contrib.estimator.stop_if_higher_hook(
                made, "loss", -1.0, run_every_secs=None, run_every_steps=3)])
            self.assertLess(made.get_variable_value("global_step"), 10)
            before = made.get_variable_value("global_step")
            made.train(inputs, steps=5, hooks=[tf.estimator.experimental.stop_if_no_decrease_hook(
                made, "loss", max_steps_without_decrease=1000, run_every_secs=None, run_every_steps=1)])
            self.assertEqual(made.get_variable_value("global_step"), before + 5)


class Baseline(unittest.TestCase):
    def test_learns_the_mean(self):
        def inputs():
            return tf.data.Dataset.from_tensors(({"x": np.ones((4, 1), "f")}, np.array([1, 2, 3, 6], "f"))).repeat()
        with tempfile.TemporaryDirectory() as folder:
            made = tf.estimator.BaselineRegressor(folder)
            made.train(inputs, steps=200)
            self.assertEqual(made.get_variable_names(), sorted(made.get_variable_names()))
            self.assertAlmostEqual(float(made.get_variable_value("baseline/bias")[0]), 3.0, places=1)
        with self.assertRaisesRegex(NotImplementedError, "boosted trees"):
            tf.estimator.BoostedTreesClassifier([], 1)


class HParams(unittest.TestCase):
    def test_parse(self):
        h = tf.contrib.training.HParams(rate=0.1, layers=[1, 2], name="x", on=True)
        h.parse("rate=0.5,layers=[3,4],layers[1]=7,on=false")
        self.assertEqual(h.values(), {"rate": 0.5, "layers": [3, 7], "name": "x", "on": False})
        with self.assertRaises(ValueError):
            h.parse("none=1")
        with self.assertRaises(ValueError):
            h.set_hparam("rate", "fast")
        self.assertEqual(h.to_json(sort_keys=True), '{"layers": [3, 7], "name": "x", "on": false, "rate": 0.5}')


class Template(Graphs):
    def test_variables_are_shared(self):
        double = tf.make_template("t", lambda x: x * tf.get_variable("v", [], initializer=tf.constant_initializer(2.0)))
        values = self.run_once([double(3.0), double(4.0)])
        self.assertEqual(values, [6.0, 8.0])
        self.assertEqual([v.name for v in tf.global_variables()], ["t/v:0"])


class Print(Graphs):
    def test_print(self):
        code = ("import sluice as tf\n"
                "x = tf.Print(tf.constant([1.0, 2.0]), [tf.constant(3)], 'seen ')\n"
                "with tf.Session() as s: s.run([x, tf.print('two', {'k': tf.constant([4, 5])}, sep='-')])\n")
        made = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=True, timeout=120)
        self.assertIn("seen [3]", made.stderr)
        self.assertIn("two-{'k': [4 5]}", made.stderr)


class TestCases(tf.test.TestCase):
    def test_assertions(self):
        with self.test_session():
            self.assertAllClose(tf.constant([1.0]) * 2, [2.0])
            self.assertAllEqual(tf.constant(["a"]), [b"a"])
            x = tf.constant([1.0, 2.0])
            self.assertLess(tf.test.compute_gradient_error(x, [2], x * x, [2]), 1e-2)
        with self.assertRaises(AssertionError):
            self.assertAllClose([1.0], [2.0])
        with self.assertRaisesOpError("lost"):
            raise tf.errors.InternalError(None, None, "it was lost")


class Eager(unittest.TestCase):
    def test_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "not eagerly"):
            tf.enable_eager_execution()
        self.assertFalse(tf.executing_eagerly())


class TpuEstimator(unittest.TestCase):
    def test_runs_on_the_cpu(self):
        def model(features, labels, mode, params):
            self.assertEqual(params["batch_size"], 4 if mode == "train" else 2)
            loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1)[:, 0] - labels))
            optimizer = tf.contrib.tpu.CrossShardOptimizer(tf.train.GradientDescentOptimizer(0.1))
            return tf.contrib.tpu.TPUEstimatorSpec(
                mode, loss=loss, train_op=optimizer.minimize(loss, tf.train.get_global_step()) if mode == "train" else None,
                eval_metrics=(lambda value: {"mean": tf.metrics.mean(value)}, [labels]))

        def inputs(params):
            data = tf.data.Dataset.from_tensor_slices((np.ones((8, 3), "f"), np.arange(8, dtype="f")))
            return data.repeat().batch(params["batch_size"], drop_remainder=True)
        with tempfile.TemporaryDirectory() as folder:
            config = tf.contrib.tpu.RunConfig(model_dir=folder, tpu_config=tf.contrib.tpu.TPUConfig(iterations_per_loop=10))
            made = tf.contrib.tpu.TPUEstimator(model, config=config, use_tpu=False, train_batch_size=4, eval_batch_size=2)
            made.train(inputs, max_steps=3)
            self.assertEqual(made.evaluate(inputs, steps=4)["mean"], 3.5)


PROGRAM = """
import six
from six.moves import xrange, urllib
from six.moves.urllib.request import urlopen
from absl import app, flags, logging
from google.protobuf import text_format
import tensorflow as tf
from tensorflow.core.framework import summary_pb2
from tensorflow.core.protobuf import config_pb2
flags.DEFINE_integer("steps", 3, "how many")
flags.DEFINE_enum("kind", "a", ["a", "b"], "which")
FLAGS = flags.FLAGS

@six.add_metaclass(type)
class Thing(object):
    pass

def main(unused):
    config = tf.ConfigProto()
    text_format.Merge("intra_op_parallelism_threads: 7", config)
    print(FLAGS.steps, FLAGS.kind, sum(xrange(4)), config.intra_op_parallelism_threads, summary_pb2.Summary().value,
          six.ensure_str(b"x"), FLAGS["steps"].value, isinstance(config, config_pb2.ConfigProto))

if __name__ == "__main__":
    app.run(main)
"""


class Substitutes(unittest.TestCase):
    def test_program(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "program.py")
            with open(path, "w") as out:
                out.write(PROGRAM)
            made = subprocess.run([sys.executable, "-m", "sluice", path, "--steps=5", "--kind=b"], stdout=subprocess.PIPE,
                                  text=True, check=True, timeout=120)
            self.assertEqual(made.stdout, "5 b 6 7 [] x 5 True\n")
            failed = subprocess.run([sys.executable, "-m", "sluice", path, "--kind=c"], stderr=subprocess.PIPE, text=True,
                                    timeout=120)
            self.assertNotEqual(failed.returncode, 0)
            self.assertIn("must be one of", failed.stderr)


if __name__ == "__main__":
    unittest.main()
