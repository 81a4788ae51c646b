"""tf.estimator: one process, and the tasks of a cluster as processes of their own."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import sluice as tf
from test_programs import LIMIT, PROGRAMS, free_addresses

X = np.linspace(-1.0, 1.0, 32).astype(np.float32)


def input_fn(count=None):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, 2.0 * X + 1.0)).repeat(count).batch(8)


def model_fn(features, labels, mode, params):
    w = tf.get_variable("w", initializer=params["start"])
    y = w * features["x"] + tf.get_variable("b", initializer=0.0)
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "twice": 2.0 * y})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"average": tf.metrics.mean(y)})
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


class Steps(tf.train.SessionRunHook):
    """Counts the runs, and the sessions that ended well."""

    def __init__(self):
        self.runs = self.ends = 0

    def after_run(self, run_context, run_values):
        self.runs += 1

    def end(self, session):
        self.ends += 1


class EstimatorTest(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self._before = os.environ.pop("TF_CONFIG", None)

    def tearDown(self):
        os.environ.pop("TF_CONFIG", None)
        if self._before is not None:
            os.environ["TF_CONFIG"] = self._before
        self._folder.cleanup()

    def made(self, start=0.0, **arguments):
        return tf.estimator.Estimator(model_fn, arguments.pop("model_dir", self.folder), params={"start": start}, **arguments)

    def test_a_relative_directory(self):
        def model(features, labels, mode):
            loss = tf.reduce_mean(tf.layers.dense(features["x"], 1))
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

        def inputs():
            return tf.data.Dataset.from_tensors(({"x": np.ones((2, 3), "f")}, np.ones(2))).repeat()
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                made = tf.estimator.Estimator(model, "here")
                made.train(inputs, steps=2)
                self.assertEqual(made.latest_checkpoint(), os.path.join("here", "model.ckpt-2"))
                with open(os.path.join("here", "checkpoint")) as text:
                    self.assertIn('model_checkpoint_path: "model.ckpt-2"', text.read())
                self.assertEqual(made.evaluate(inputs, steps=1)["global_step"], 2)
            finally:
                os.chdir(before)

    def test_steps_and_files(self):
        estimator, hook = self.made(), Steps()
        self.assertIs(estimator.train(input_fn, [hook], steps=3), estimator)
        estimator.train(input_fn, [hook], steps=3)
        self.assertEqual(estimator.get_variable_value("global_step"), 6)
        estimator.train(input_fn, [hook], max_steps=6)
        self.assertEqual((hook.runs, hook.ends), (6, 2))
        self.assertEqual(estimator.get_variable_names(), ["b", "global_step", "w"])
        files = os.listdir(self.folder)
        for name in "checkpoint", "graph.pbtxt", "model.ckpt-0.meta", "model.ckpt-3.index", "model.ckpt-6.index":
            self.assertIn(name, files)
        self.assertTrue(any(name.startswith("events.out.tfevents.") for name in files))
        with open(os.path.join(self.folder, "checkpoint")) as file:
            self.assertNotIn(self.folder, file.read())  # paths are relative: the folder can be moved

    def test_training_ends_with_the_input(self):
        hook = Steps()
        self.made().train(lambda: input_fn(2), [hook])
        self.assertEqual((hook.runs, hook.ends), (8, 1))

    def test_evaluation(self):
        estimator = self.made(start=1.0)
        results = estimator.evaluate(lambda: input_fn(1))
        self.assertEqual(sorted(results), ["average", "global_step", "loss"])
        self.assertAlmostEqual(results["average"], 0.0, places=5)
        self.assertAlmostEqual(results["loss"], np.mean((X + 1.0) ** 2), places=4)
        hook = Steps()
        estimator.evaluate(input_fn, steps=2, hooks=[hook], name="two")
        self.assertEqual(hook.runs, 2)
        self.assertTrue(os.listdir(estimator.eval_dir("two")))

    def test_predictions(self):
        estimator = self.made(start=3.0)
        rows = list(estimator.predict(lambda: input_fn(1)))
        self.assertEqual(sorted(rows[0]), ["twice", "y"])
        np.testing.assert_allclose([row["y"] for row in rows], 3.0 * X, rtol=1e-6)
        batches = list(estimator.predict(lambda: input_fn(1), ["twice"], yield_single_examples=False))
        self.assertEqual([(list(b), len(b["twice"])) for b in batches], [(["twice"], 8)] * 4)
        with self.assertRaisesRegex(ValueError, "Expected to run at least one output"):
            next(estimator.predict(input_fn, ["none"]))

    def test_predictions_leave_the_default_graph(self):
        before = tf.get_default_graph()
        rows = self.made().predict(input_fn)
        next(rows)
        self.assertIs(tf.get_default_graph(), before)
        rows.close()
        self.assertIs(tf.get_default_graph(), before)

    def test_warm_start(self):
        first = self.made(start=1.0)
        first.train(input_fn, steps=2)
        other = os.path.join(self.folder, "other")
        second = self.made(start=-5.0, model_dir=other, warm_start_from=self.folder)
        second.train(input_fn, steps=1)
        reader = tf.train.NewCheckpointReader(os.path.join(other, "model.ckpt-0"))
        self.assertEqual(reader.get_tensor("w"), first.get_variable_value("w"))
        self.assertEqual(reader.get_tensor("global_step"), 0)  # it is not trainable

    def test_listener_ends_training(self):
        class Listener(tf.train.CheckpointSaverListener):
            def after_save(self, session, global_step_value):
                return global_step_value >= 4
        estimator = self.made(config=tf.estimator.RunConfig(save_checkpoints_steps=2))
        estimator.train(input_fn, steps=100, saving_listeners=[Listener()])
        self.assertEqual(estimator.get_variable_value("global_step"), 4)

    def test_scaffold_initialises_local_variables(self):
        def with_scaffold(features, labels, mode):
            offset = tf.Variable(4.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
            scaffold = tf.train.Scaffold(local_init_op=tf.group(tf.variables_initializer([offset])))
            loss = tf.reduce_mean(labels) + offset
            return tf.estimator.EstimatorSpec(mode, loss=loss, scaffold=scaffold, train_op=tf.no_op())
        results = tf.estimator.Estimator(with_scaffold, self.folder).evaluate(lambda: input_fn(1))
        self.assertAlmostEqual(results["loss"], 5.0, places=5)

    def test_wrong_use(self):
        spec = tf.estimator.EstimatorSpec
        for error, text, call in (
                (ValueError, "Missing train_op", lambda: spec("train", loss=tf.constant(1.0))),
                (ValueError, "Missing predictions", lambda: spec("infer")),
                (ValueError, "Loss must be scalar", lambda: spec("eval", loss=tf.constant([1.0, 2.0]))),
                (TypeError, "tuples", lambda: spec("eval", loss=tf.constant(1.0), eval_metric_ops={"a": tf.constant(1)})),
                (ValueError, "must include features", lambda: tf.estimator.Estimator(lambda labels: None, self.folder)),
                (ValueError, "not expected args", lambda: tf.estimator.Estimator(lambda features, wrong: None, self.folder)),
                (ValueError, "both steps and max_steps", lambda: self.made().train(input_fn, steps=1, max_steps=1)),
                (ValueError, "steps > 0", lambda: self.made().train(input_fn, steps=0)),
                (TypeError, "SessionRunHook", lambda: self.made().train(input_fn, [1])),
                (ValueError, "len 2 tuple", lambda: self.made().train(lambda: (1, 2, 3), steps=1)),
                (ValueError, "Could not find trained model", lambda: self.made().get_variable_names()),
                (NotImplementedError, "one replica", lambda: tf.distribute.MirroredStrategy(num_gpus=2)),
                (ValueError, "cannot be both set",
                 lambda: tf.estimator.RunConfig(save_checkpoints_steps=1, save_checkpoints_secs=1))):
            with self.subTest(text), self.assertRaisesRegex(error, text):
                call()

    def configured(self, kind, index, **cluster):
        os.environ["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}})
        return tf.estimator.RunConfig()

    def test_config_of_tasks(self):
        cluster = {"chief": ["a:1"], "worker": ["b:1", "b:2"], "ps": ["c:1"]}
        worker = self.configured("worker", 1, **cluster)
        self.assertEqual((worker.master, worker.is_chief, worker.num_worker_replicas, worker.num_ps_replicas,
                          worker.global_id_in_cluster), ("grpc://b:2", False, 3, 1, 2))
        self.assertEqual(list(worker.session_config.device_filters), ["/job:ps", "/job:worker/task:1"])
        self.assertTrue(self.configured("chief", 0, **cluster).is_chief)
        self.assertEqual(self.configured("ps", 0, **cluster).global_id_in_cluster, 3)
        evaluator = self.configured("evaluator", 0, **cluster)
        self.assertEqual((evaluator.master, bool(evaluator.cluster_spec)), ("", False))
        master = self.configured("master", 0, master=["a:1"], worker=["b:1"])
        self.assertEqual((master.master, master.is_chief), ("grpc://a:1", True))
        for kind, index, text in ("worker", 2, "not a valid task_id"), ("other", 0, "not a valid task_type"):
            with self.assertRaisesRegex(ValueError, text):
                self.configured(kind, index, **cluster)
        with self.assertRaisesRegex(ValueError, 'must have one "chief" node'):
            self.configured("worker", 0, worker=["b:1"])

    def test_saved_model(self):
        estimator = self.made(start=2.0)
        estimator.train(input_fn, steps=1)
        receive = tf.estimator.export.build_raw_serving_input_receiver_fn({"x": tf.zeros([1])})
        path = estimator.export_saved_model(os.path.join(self.folder, "out"), receive).decode()
        w, b = estimator.get_variable_value("w"), estimator.get_variable_value("b")
        with tf.Graph().as_default(), tf.Session() as session:
            signature = tf.saved_model.loader.load(session, ["serve"], path).signature_def["serving_default"]
            y = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: [1.0, 2.0]})
        np.testing.assert_allclose(y, [w + b, 2 * w + b], rtol=1e-6)

    def test_train_and_evaluate_here(self):
        estimator = self.made(config=tf.estimator.RunConfig(save_checkpoints_steps=10))
        exporter = tf.estimator.FinalExporter("final", tf.estimator.export.build_raw_serving_input_receiver_fn(
            {"x": tf.zeros([1])}))
        metrics, exported = tf.estimator.train_and_evaluate(
            estimator, tf.estimator.TrainSpec(input_fn, max_steps=30),
            tf.estimator.EvalSpec(lambda: input_fn(1), steps=None, exporters=exporter, throttle_secs=0))
        self.assertEqual(metrics["global_step"], 30)
        self.assertTrue(os.path.exists(os.path.join(exported[0].decode(), "saved_model.pb")))


    def test_arrays_and_columns(self):
        fc = tf.feature_column
        colours = np.array(["red", "green", "blue", "red"] * 8)
        columns = [fc.numeric_column("x"), fc.indicator_column(fc.categorical_column_with_vocabulary_list(
            "colour", ["red", "green", "blue"])), fc.embedding_column(fc.categorical_column_with_hash_bucket("colour", 9), 2)]

        def linear(features, labels, mode):
            y = tf.layers.dense(fc.input_layer(features, columns), 1)[:, 0]
            if mode == tf.estimator.ModeKeys.PREDICT:
                return tf.estimator.EstimatorSpec(mode, predictions=y)
            loss = tf.losses.mean_squared_error(labels, y)
            train_op = tf.train.AdamOptimizer(0.1).minimize(loss, tf.train.get_global_step())
            return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
        estimator = tf.estimator.Estimator(linear, self.folder, tf.estimator.RunConfig(tf_random_seed=1))
        data, labels = {"x": X, "colour": colours}, (X + (colours == "red")).astype(np.float32)
        arrays = tf.estimator.inputs.numpy_input_fn
        estimator.train(arrays(data, labels, 8, num_epochs=None, shuffle=True), steps=200)
        self.assertIn("input_layer/colour_embedding/embedding_weights", estimator.get_variable_names())
        self.assertLess(estimator.evaluate(arrays(data, labels, 7, shuffle=False))["loss"], 0.05)
        rows = list(estimator.predict(arrays(data, shuffle=False)))
        np.testing.assert_allclose(rows, labels, atol=0.7)
        spec = fc.make_parse_example_spec(columns)
        receive = tf.estimator.export.build_parsing_serving_input_receiver_fn(spec)
        self.assertTrue(os.path.isdir(estimator.export_saved_model(os.path.join(self.folder, "out"), receive)))

    def test_canned(self):
        fc, kinds = tf.feature_column, tf.estimator
        columns, classes = [fc.numeric_column("x")], (X > 0).astype(np.int64)
        for name, make, labels in (
                ("linear", lambda d: kinds.LinearClassifier(columns, d), classes),
                ("dnn", lambda d: kinds.DNNClassifier([8], columns, d, optimizer="Adam"), classes),
                ("both", lambda d: kinds.DNNLinearCombinedRegressor(
                    d, columns, tf.train.AdamOptimizer(0.1), columns, tf.train.AdamOptimizer(0.1), [4]), 2 * X)):
            with self.subTest(name):
                estimator = make(os.path.join(self.folder, name))
                data = kinds.inputs.numpy_input_fn({"x": X}, labels, 8, None, shuffle=True)
                before = estimator.evaluate(data, steps=8)["average_loss"]
                estimator.train(data, steps=150)
                self.assertLess(estimator.evaluate(data, steps=8)["average_loss"], before)
        with self.assertRaisesRegex(ValueError, "n_classes must be > 1"):
            kinds.LinearClassifier(columns, self.folder, n_classes=1)

    def test_arrays(self):
        arrays = tf.estimator.inputs.numpy_input_fn
        with tf.Graph().as_default():
            features, labels = arrays({"a": np.arange(5)}, {"b": np.arange(5.0)}, 2, num_epochs=2, shuffle=False)()
            with tf.train.MonitoredSession() as session:
                found = []
                while not session.should_stop():
                    found.append(session.run([features["a"], labels["b"]]))
        np.testing.assert_array_equal(np.concatenate([a for a, _ in found]), list(range(5)) * 2)
        np.testing.assert_array_equal(np.concatenate([b for _, b in found]), [0.0, 1.0, 2.0, 3.0, 4.0] * 2)
        with self.assertRaisesRegex(ValueError, "shuffle must be provided"):
            arrays({"a": X})
        with self.assertRaisesRegex(ValueError, "mismatched"):
            arrays({"a": X}, X[1:], shuffle=False)()

    def test_wrong_columns(self):
        fc = tf.feature_column
        number, word = fc.numeric_column("n"), fc.categorical_column_with_hash_bucket("w", 3)
        for text, call in (
                ("sorted list", lambda: fc.bucketized_column(number, [2, 1])),
                ("greater than 0", lambda: fc.numeric_column("n", shape=[0])),
                ("at least 1", lambda: fc.categorical_column_with_hash_bucket("w", 0)),
                ("Duplicate keys", lambda: fc.categorical_column_with_vocabulary_list("w", ["a", "a"])),
                ("not supported for crossing", lambda: fc.crossed_column([word, "x"], 5)),
                ("wrap a categorical column", lambda: fc.input_layer({"w": X}, [word])),
                ("Duplicate feature column name", lambda: fc.input_layer({"n": X}, [number, fc.numeric_column("n")])),
                ("not in features dictionary", lambda: fc.input_layer({"x": X}, [number])),
                ("cannot have rank 0", lambda: fc.linear_model({"n": 1.0}, [number]))):
            with self.subTest(text), tf.Graph().as_default(), self.assertRaisesRegex(ValueError, text):
                call()


class ClusterTest(unittest.TestCase):
    def setUp(self):
        self._folder, self._started = tempfile.TemporaryDirectory(), []

    def tearDown(self):
        for process in self._started:
            process.kill()
            process.communicate()
        self._folder.cleanup()

    def start(self, cluster, kind, index):
        environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": kind, "index": index}}))
        process = subprocess.Popen([sys.executable, "-m", "sluice", os.path.join(PROGRAMS, "estimator.py"),
                                    os.path.join(self._folder.name, "model")], env=environment, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, universal_newlines=True)
        self._started.append(process)
        return process

    def finish(self, process, text):
        output, errors = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0, output + errors)
        self.assertIn(text, output)

    def test_ps_chief_worker_and_evaluator(self):
        ps, chief, worker = free_addresses(3)
        cluster = {"ps": [ps], "chief": [chief], "worker": [worker]}
        self.start(cluster, "ps", 0)
        tasks = {kind: self.start(cluster, kind, 0) for kind in ("chief", "worker", "evaluator")}
        for kind, task in tasks.items():
            self.finish(task, kind + " 0 is done")
        folder = os.path.join(self._folder.name, "model")
        self.assertGreaterEqual(tf.train.load_variable(folder, "global_step"), 300)
        self.assertTrue(os.listdir(os.path.join(folder, "eval")))

    def test_master_evaluates(self):
        ps, master, worker = free_addresses(3)
        cluster = {"ps": [ps], "master": [master], "worker": [worker]}
        self.start(cluster, "ps", 0)
        for task in [self.start(cluster, kind, 0) for kind in ("master", "worker")]:
            self.finish(task, "0 is done")
        self.assertTrue(os.listdir(os.path.join(self._folder.name, "model", "eval")))


if __name__ == "__main__":
    unittest.main()
