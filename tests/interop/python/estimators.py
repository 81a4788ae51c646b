"""Trains an estimator with the module tensorflow, whichever that is, or goes on with it: estimators.py train|use DIRECTORY"""
import os
import sys

import numpy as np
from recording import tf

X = np.linspace(-1.0, 1.0, 32).astype(np.float32)


def input_fn(count=None):
    return tf.data.Dataset.from_tensor_slices(({"x": X}, 2.0 * X + 1.0)).repeat(count).batch(8)


def model_fn(features, labels, mode, params):
    with tf.variable_scope("model"):
        start = tf.constant_initializer(params["start"])
        hidden = tf.layers.dense(features["x"][:, None], 3, tf.nn.relu, kernel_initializer=start)
        y = tf.layers.dense(hidden, 1, kernel_initializer=start, name="out")[:, 0]
    if mode == tf.estimator.ModeKeys.PREDICT:
        return tf.estimator.EstimatorSpec(mode, predictions={"y": y}, export_outputs={
            "serving_default": tf.estimator.export.PredictOutput({"y": y}),
            "regress": tf.estimator.export.RegressionOutput(y)})
    loss = tf.losses.mean_squared_error(labels, y)
    if mode == tf.estimator.ModeKeys.EVAL:
        error = tf.metrics.mean_absolute_error(labels, y)
        return tf.estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"error": error})
    train_op = tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def show(label, values):
    print(label, [float("%.4f" % v) for v in np.ravel(values)])


def use(estimator, folder):
    """What is in the directory, after some more steps."""
    with open(os.path.join(folder, "graph.pbtxt")) as file:
        assert 'name: "model/out/kernel"' in file.read()
    estimator.train(input_fn, steps=10)
    for name in estimator.get_variable_names():
        show(name, estimator.get_variable_value(name))
    results = estimator.evaluate(lambda: input_fn(1))
    for name in sorted(results):
        show(name, results[name])
    show("predictions", [p["y"] for p in estimator.predict(lambda: input_fn(1))])
    assert any("tfevents" in f for f in os.listdir(estimator.eval_dir()))
    with tf.Graph().as_default(), tf.Session() as session:
        path = tf.train.latest_checkpoint(folder)
        tf.train.import_meta_graph(path + ".meta").restore(session, path)
        show("step of the meta graph", session.run(tf.train.get_global_step()))
    version, = os.listdir(os.path.join(folder, "export"))
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.loader.load(session, ["serve"], os.path.join(folder, "export", version))
        print(sorted(model.signature_def), sorted(model.signature_def["regress"].inputs))
        example = tf.train.Example()
        example.features.feature["x"].float_list.value.append(0.25)
        signature = model.signature_def["serving_default"]
        show("served", session.run(signature.outputs["y"].name,
                                   {signature.inputs["examples"].name: [example.SerializeToString()]}))


def main():
    what, folder = sys.argv[1:]
    estimator = tf.estimator.Estimator(model_fn, folder, tf.estimator.RunConfig(save_checkpoints_steps=5), {"start": 0.1})
    if what == "train":
        estimator.train(input_fn, steps=10)
        estimator.export_saved_model(os.path.join(folder, "export"), tf.estimator.export.
                                     build_parsing_serving_input_receiver_fn({"x": tf.FixedLenFeature([], tf.float32)}))
    else:
        use(estimator, folder)


if __name__ == "__main__":
    main()
