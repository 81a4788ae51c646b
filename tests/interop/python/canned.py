"""Trains the canned estimators with the module tensorflow, whichever that is, and prints what they learn: canned.py"""
import tempfile

import numpy as np
from recording import tf

fc = tf.feature_column
X = np.linspace(-1.0, 1.0, 24).astype(np.float32)
DATA = {"x": X, "colour": np.array([b"red", b"green", b"blue"] * 8), "weight": np.linspace(0.5, 1.5, 24).astype(np.float32)}
colour = fc.categorical_column_with_vocabulary_list("colour", ["red", "green", "blue"])
WIDE = [fc.numeric_column("x"), colour, fc.bucketized_column(fc.numeric_column("x"), [-0.5, 0.0, 0.5])]
DEEP = [fc.numeric_column("x"), fc.indicator_column(colour),
        fc.embedding_column(colour, 2, initializer=tf.constant_initializer(0.3))]
TWO, THREE, WORDS = (X > 0).astype(np.int64), np.arange(24) % 3, np.array([b"no", b"yes"] * 12)
kinds = tf.estimator
CASES = (
    ("linear", lambda d: kinds.LinearClassifier(WIDE, d, weight_column="weight"), TWO),
    ("linear of 3", lambda d: kinds.LinearClassifier(WIDE, d, n_classes=3), THREE),
    ("linear of words", lambda d: kinds.LinearClassifier(WIDE, d, label_vocabulary=["no", "yes"]), WORDS),
    ("linear regression", lambda d: kinds.LinearRegressor(WIDE, d, optimizer="SGD", loss_reduction=tf.losses.Reduction.MEAN), X),
    ("dnn", lambda d: kinds.DNNClassifier([4, 3], DEEP, d), TWO),
    ("dnn of 3", lambda d: kinds.DNNClassifier([4], DEEP, d, n_classes=3, optimizer=tf.train.AdamOptimizer(0.01)), THREE),
    ("dnn regression", lambda d: kinds.DNNRegressor([4], DEEP, d, batch_norm=True), X),
    ("both", lambda d: kinds.DNNLinearCombinedClassifier(d, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[4]), TWO),
    ("both regression", lambda d: kinds.DNNLinearCombinedRegressor(d, WIDE, dnn_feature_columns=DEEP, dnn_hidden_units=[4]), X),
    ("one of both", lambda d: kinds.DNNLinearCombinedRegressor(d, WIDE), X))


def input_fn(labels, count=None):
    return tf.data.Dataset.from_tensor_slices((DATA, labels)).repeat(count).batch(8)


def show(name, value):
    value = np.asarray(value)
    print(name, value.shape, ["%.3f" % (v + 0.0) for v in value.ravel()] if value.dtype.kind in "fi" else value.tolist())


for case, make, labels in CASES:
    print(case)
    with tempfile.TemporaryDirectory() as folder:
        estimator = make(folder)
        estimator.train(lambda: input_fn(labels), steps=6)
        random = case.startswith(("dnn", "both"))  # weights start at random
        for name in estimator.get_variable_names():
            value = estimator.get_variable_value(name)
            show(name, value.shape if random else value)
        results = estimator.evaluate(lambda: input_fn(labels, 1))
        for name in sorted(results):
            show(name, 0 if random else results[name])
        first = next(estimator.predict(lambda: input_fn(labels, 1)))
        for name in sorted(first):
            show(name, np.shape(first[name]) if random else first[name])
        receive = tf.estimator.export.build_parsing_serving_input_receiver_fn(fc.make_parse_example_spec(WIDE + DEEP[:2]))
        if "3" not in case:
            continue
        path = estimator.export_saved_model(folder + "/out", receive)
        with tf.Graph().as_default(), tf.Session() as session:
            model = tf.saved_model.loader.load(session, ["serve"], path.decode())
            print({key: sorted(signature.outputs) for key, signature in sorted(model.signature_def.items())})
