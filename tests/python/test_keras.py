"""tf.keras in graphs: layers, models, training. The expected numbers are those of stock TensorFlow."""
import os
import tempfile
import unittest

import numpy as np
import sluice as tf

layers = tf.keras.layers
optimizers = tf.keras.optimizers
_RANDOM = np.random.RandomState(0)
X = _RANDOM.randn(32, 5, 3).astype("f")
X[3, 3:] = 0
X[7, 1:] = 0
Y = _RANDOM.randn(32, 2).astype("f")


def fill(model):
    """Weights that do not depend on the library."""
    generator = np.random.RandomState(3)
    model.set_weights([(generator.rand(*w.shape) + .1 if "variance" in v.name else generator.randn(*w.shape) * .3).astype("f")
                       for v, w in zip(model.weights, model.get_weights())])


class KerasTest(unittest.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()

    def check(self, rows, optimizer, first, last):
        model = tf.keras.Sequential(rows)
        model.compile(optimizer, "mse", ["mae"])
        fill(model)
        np.testing.assert_allclose(model.predict(X)[0], first, atol=2e-5)
        for _ in range(4):
            found = model.train_on_batch(X, Y)
        np.testing.assert_allclose(found, last, atol=5e-5)
        return model

    def test_recurrent(self):
        model = self.check([layers.LSTM(4, input_shape=(5, 3)), layers.Dense(2)], optimizers.SGD(.05), [-0.17040, 0.41185],
                           [1.23454, 0.89733])
        self.assertEqual([v.name for v in model.weights[:3]], ["lstm/kernel:0", "lstm/recurrent_kernel:0", "lstm/bias:0"])
        self.check([layers.GRU(4, input_shape=(5, 3)), layers.Dense(2)], optimizers.RMSprop(.01), [0.18566, 0.19539],
                   [1.21788, 0.88682])
        self.check([layers.Bidirectional(layers.LSTM(4, return_sequences=True), input_shape=(5, 3)),
                    layers.TimeDistributed(layers.Dense(3, activation="tanh")), layers.Flatten(), layers.Dense(2)],
                   optimizers.Adam(.01, amsgrad=True), [0.01268, 0.17724], [1.17831, 0.86197])

    def test_convolution(self):
        self.check([layers.Conv1D(4, 3, padding="same", input_shape=(5, 3), activation="relu"), layers.BatchNormalization(),
                    layers.MaxPooling1D(), layers.GlobalAveragePooling1D(),
                    layers.Dense(2, kernel_regularizer=tf.keras.regularizers.l2(.01))], optimizers.Adagrad(.05),
                   [-0.41015, 0.41213], [1.17758, 0.87453])

    def test_optimizers(self):
        made = {"sgd": optimizers.SGD(.05), "mom": optimizers.SGD(.05, momentum=.9, nesterov=True),
                "rms": optimizers.RMSprop(.01), "adam": optimizers.Adam(.01), "adagrad": optimizers.Adagrad(.05),
                "adadelta": optimizers.Adadelta(.5), "adamax": optimizers.Adamax(.01), "nadam": optimizers.Nadam(.01),
                "clipped": optimizers.SGD(.1, clipnorm=.1, decay=.1)}
        wanted = {"sgd": 1.2277, "mom": 1.18922, "rms": 1.15075, "adam": 1.19627, "adagrad": 1.19435, "adadelta": 1.24681,
                  "adamax": 1.19812, "nadam": 1.20574, "clipped": 1.2282}
        labels = np.eye(3)[np.arange(32) % 3]
        for name, optimizer in made.items():
            with self.subTest(name):
                model = tf.keras.Sequential([layers.Dense(4, activation="tanh", input_dim=3),
                                             layers.Dense(3, activation="softmax")])
                model.compile(optimizer, "categorical_crossentropy", ["accuracy"])
                fill(model)
                for _ in range(5):
                    loss = model.train_on_batch(X[:, 0], labels)[0]
                self.assertAlmostEqual(loss, wanted[name], places=4)

    def test_losses(self):
        wanted = {"mse": 0.10047, "mae": 0.26677, "msle": 0.05013, "binary_crossentropy": 0.72428, "kld": 0.05919,
                  "poisson": 0.79631, "hinge": 0.79184, "squared_hinge": 0.65060, "categorical_hinge": 0.96619,
                  "logcosh": 0.04851, "cosine_similarity": -0.90502}
        for name, value in wanted.items():
            model = tf.keras.Sequential([layers.Dense(2, activation="sigmoid", input_dim=3)])
            model.compile("sgd", name)
            fill(model)
            self.assertAlmostEqual(model.evaluate(X[:, 0], np.abs(Y) % 1, verbose=0), value, places=4, msg=name)

    def test_fit_saves_and_stops(self):
        model = tf.keras.Sequential([layers.Flatten(input_shape=(5, 3)), layers.Dense(8, activation="relu"),
                                     layers.Dropout(0.1), layers.Dense(3, activation="softmax")])
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        classes = (X.sum((1, 2)) > 0).astype(int)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "best")
            history = model.fit(X, classes, epochs=30, batch_size=8, verbose=0, validation_split=0.25, callbacks=[
                tf.keras.callbacks.EarlyStopping(monitor="loss", patience=30),
                tf.keras.callbacks.ModelCheckpoint(path, monitor="acc", save_best_only=True)]).history
            self.assertEqual(sorted(history), ["acc", "loss", "val_acc", "val_loss"])
            self.assertLess(history["loss"][-1], history["loss"][0])
            before = model.predict(X)
            model.save_weights(os.path.join(folder, "w"))
            model.set_weights([w * 0 for w in model.get_weights()])
            model.load_weights(os.path.join(folder, "w"))
            np.testing.assert_array_equal(model.predict(X), before)
            self.assertTrue(os.path.exists(path + ".index"))
            with self.assertRaisesRegex(NotImplementedError, "HDF5"):
                model.save_weights(os.path.join(folder, "w.h5"))

    def test_functional(self):
        words, more = layers.Input((7,), dtype="int32"), layers.Input(shape=(3,))
        row = layers.LSTM(6)(layers.Embedding(20, 5, mask_zero=True)(words))
        both = layers.concatenate([row, more])
        model = tf.keras.Model(inputs=[words, more], outputs=[layers.Dense(1, activation="sigmoid", name="one")(both),
                                                              layers.Dense(4, activation="softmax", name="two")(both)])
        model.compile("rmsprop", {"one": "binary_crossentropy", "two": "categorical_crossentropy"}, metrics={"one": "accuracy"},
                      loss_weights=[1., .5])
        x = [np.arange(56).reshape(8, 7) % 20, X[:8, 0]]
        y = [np.arange(8).reshape(8, 1) % 2, tf.keras.utils.to_categorical(np.arange(8) % 4)]
        found = model.fit(x, y, epochs=1, verbose=0).history
        self.assertEqual(list(found), ["loss", "one_loss", "two_loss", "one_acc"])
        self.assertAlmostEqual(found["loss"][0], found["one_loss"][0] + .5 * found["two_loss"][0], places=5)
        again = model([tf.constant(x[0], tf.int32), tf.constant(x[1])])
        np.testing.assert_allclose(tf.keras.backend.get_session().run(again)[0], model.predict(x)[0], rtol=1e-5)

    def test_a_frozen_part_is_not_trained(self):
        judge = tf.keras.Sequential([layers.Dense(8, input_dim=2), layers.LeakyReLU(.2), layers.Dense(1, activation="sigmoid")])
        judge.compile("adam", "binary_crossentropy", ["accuracy"])
        maker = tf.keras.Sequential([layers.Dense(8, input_dim=4), layers.BatchNormalization(momentum=.8), layers.Dense(2)])
        noise = layers.Input((4,))
        judge.trainable = False
        whole = tf.keras.Model(noise, judge(maker(noise)))
        whole.compile("adam", "binary_crossentropy")
        before = judge.get_weights(), maker.get_weights()
        whole.train_on_batch(X[:8, :4, 0], np.ones((8, 1)))
        np.testing.assert_array_equal(judge.get_weights()[0], before[0][0])
        self.assertFalse(np.allclose(maker.get_weights()[0], before[1][0]))
        judge.train_on_batch(np.ones((8, 2)), np.ones((8, 1)))
        self.assertFalse(np.allclose(judge.get_weights()[0], before[0][0]))

    def test_subclass_with_a_dataset(self):
        class Made(tf.keras.Model):
            def __init__(self):
                super().__init__(name="made")
                self.rows = [layers.Dense(4, activation="relu"), layers.Dense(2)]

            def call(self, inputs, training=None):
                for layer in self.rows:
                    inputs = layer(inputs)
                return inputs
        model = Made()
        model.compile(tf.train.AdamOptimizer(.01), tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), ["accuracy"])
        data = tf.data.Dataset.from_tensor_slices((X[:, 0], np.arange(32) % 2)).batch(8).repeat()
        model.fit(data, epochs=1, steps_per_epoch=4, verbose=0)
        self.assertEqual([v.name for v in model.weights], ["made/dense/kernel:0", "made/dense/bias:0", "made/dense_1/kernel:0",
                                                           "made/dense_1/bias:0"])

    def test_layers_in_a_plain_graph(self):
        x = tf.placeholder(tf.float32, [None, 4])
        y = layers.Dense(3, name="fc")(x)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(y, {x: np.ones((2, 4))}).shape, (2, 3))
        self.assertEqual([v.name for v in tf.trainable_variables()], ["fc/kernel:0", "fc/bias:0"])

    def test_text(self):
        words = tf.keras.preprocessing.text.Tokenizer(num_words=4, oov_token="?")
        words.fit_on_texts(["the cat, the dog", "the end"])
        self.assertEqual(words.texts_to_sequences(["the dog sleeps"]), [[2, 1, 1]])
        self.assertEqual(tf.keras.preprocessing.sequence.pad_sequences([[1], [1, 2, 3]], 2).tolist(), [[0, 1], [2, 3]])


if __name__ == "__main__":
    unittest.main()
