"""tf.keras.Model: compile, fit, evaluate and predict."""
import sys
import time

import numpy as np
import sluice as tf
from sluice import _keras_backend as backend
from sluice import _keras_callbacks as callbacks_
from sluice import _keras_losses as losses
from sluice import _keras_metrics as metrics_
from sluice import _keras_network as network
from sluice import _nest
from sluice._api import export
from sluice._keras_layer import Input
from sluice._keras_optimizers import optimizer_of


def _listed(value, names, what):
    """One value for each of |names|, from one, a list or a dictionary."""
    if isinstance(value, dict):
        unknown = set(value) - set(names)
        if unknown:
            raise ValueError("%s has %s, which is none of %s" % (what, sorted(unknown), names))
        return [value.get(name) for name in names]
    if isinstance(value, (list, tuple)):
        if len(value) != len(names):
            raise ValueError("%s has %d values for the %d of %s" % (what, len(value), len(names), names))
        return list(value)
    return [value] * len(names)


def _arrays(value, names):
    if value is None:
        return []
    if isinstance(value, dict):
        return [np.asarray(value[name]) for name in names]
    if isinstance(value, (list, tuple)) and (len(names) > 1 or len(value) == 1 and np.ndim(value[0]) > 0):
        return [np.asarray(v) for v in value]
    return [np.asarray(value)]


class _Training:
    """compile() and the loops, for Model and Sequential."""

    optimizer = loss = None
    _step = None

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None, sample_weight_mode=None,
                weighted_metrics=None, target_tensors=None, distribute=None, **kwargs):
        """Says how the model is trained."""
        self.optimizer = optimizer_of(optimizer)
        self.loss, self.loss_weights, self._wanted = loss, loss_weights, metrics or weighted_metrics or []
        self._step, self.stop_training = None, False
        # What is trainable now: a program may freeze the model afterwards, for another one that contains it.
        self.__dict__["_compiled"] = list(self.trainable_weights) if self._outputs is not None else None

    # --- The graph of a step ---

    def _make_inputs(self, x):
        """For a model without inputs: placeholders for the arrays |x|."""
        places = [Input(batch_shape=(None, *np.shape(v)[1:]), dtype=tf.float32 if v.dtype.kind == "f" else
                        tf.as_dtype(v.dtype)) for v in x]
        if isinstance(self, network.Sequential):
            self._start((None, *np.shape(x[0])[1:]), places[0].dtype)
            return
        outputs = self(places[0] if len(places) == 1 else places)
        self._structure = places, outputs
        self._inputs, self._outputs = places, _nest.flatten(outputs)

    def _need(self, x):
        if self._inputs is None:
            self._make_inputs(x)

    def _build_step(self, y):
        if self._step is not None:
            return
        if self.optimizer is None:
            raise RuntimeError("You must compile a model before training/testing. Use `model.compile(optimizer, loss)`.")
        names = self._names()
        functions = [losses.loss_of(f) for f in _listed(self.loss, names, "loss")]
        weights = _listed(self.loss_weights, names, "loss_weights")
        self._targets, self._weights, parts, self._metrics = [], [], [], []
        wanted = self._wanted
        if not isinstance(wanted, dict) and not (wanted and isinstance(wanted[0], (list, tuple))):
            wanted = [list(wanted)] * len(names)
        wanted = [v if isinstance(v, (list, tuple)) else [v] if v is not None else [] for v in _listed(wanted, names, "metrics")]
        for i, (name, output, function) in enumerate(zip(names, self._outputs, functions)):
            if function is None:
                self._targets.append(None)
                self._weights.append(None)
                continue
            sparse = function is losses.sparse_categorical_crossentropy or type(function).__name__ == \
                "SparseCategoricalCrossentropy"
            rank = output.shape.ndims if not y else max(np.ndim(y[i]), 1)
            shape = [None] * (rank or 1)
            if not sparse and rank == output.shape.ndims:
                shape = [None, *output.shape.as_list()[1:]]
            target = tf.placeholder(tf.float32 if output.dtype.is_floating else output.dtype, shape, name=name + "_target")
            weight = tf.placeholder_with_default(tf.ones([1]), [None], name=name + "_sample_weights")
            fitting = target
            if not sparse and rank is not None and rank < (output.shape.ndims or 0):
                fitting = tf.expand_dims(target, -1)
            if isinstance(function, losses.Loss):
                values = function.call(fitting, output)
            else:
                values = function(fitting, output)
            value = self._weighted(values, weight)
            parts.append((name, value if weights[i] is None else value * weights[i], value))
            for given in wanted[i]:
                made = metrics_.metric_for(given, fitting, output, function)
                label = made.name if len(names) == 1 else "%s_%s" % (name, made.name)
                self._metrics.append((label, made, made.update_state(fitting, output, sample_weight=None)))
            self._targets.append(target)
            self._weights.append(weight)
        total = parts[0][1] if len(parts) == 1 else tf.add_n([part[1] for part in parts]) if parts else tf.constant(0.0)
        extra = self.losses
        self._total = total + tf.add_n(extra) if extra else total
        self._parts = [(name + "_loss", value) for name, _, value in parts] if len(parts) > 1 else []
        self._updates_of_metrics = [op for _, _, op in self._metrics]
        self._results = [metric.result() for _, metric, _ in self._metrics]
        self.metrics_names = ["loss", *[name for name, _ in self._parts], *[name for name, _, _ in self._metrics]]
        self._step = {}

    @staticmethod
    def _weighted(values, weight):
        if values.shape.ndims == 0:
            return values
        if values.shape.ndims is not None and values.shape.ndims > 1:
            values = tf.reduce_mean(values, list(range(1, values.shape.ndims)))
        return tf.reduce_mean(values * weight)

    def _names(self):
        return self._output_names() if all(hasattr(t, "_keras_history") for t in self._outputs) else \
            ["output_%d" % (i + 1) for i in range(len(self._outputs))]

    def _input_labels(self):
        return [t._keras_history[0].name if hasattr(t, "_keras_history") else t.op.name for t in self._inputs]

    def _train_op(self):
        if "train" not in self._step:
            variables = self.trainable_weights if self._compiled is None else self._compiled
            if variables:
                gradients = self.optimizer._clipped(tf.gradients(self._total, variables))
                made = self.optimizer.apply_gradients(list(zip(gradients, variables)))
            else:
                made = tf.no_op()
            self._step["train"] = [made, *[u for u in self.updates if self._fed(u)]]
        return self._step["train"]

    def _fed(self, op):
        """Whether the model's inputs are all that an update needs: layers may be shared by models."""
        own = {t.op for t in self._inputs}
        todo, seen = [op], set()
        while todo:
            one = todo.pop()
            if one in seen:
                continue
            seen.add(one)
            if one.type == "Placeholder" and one not in own:
                return False
            if one not in own:
                todo += [t.op for t in one.inputs] + list(one.control_inputs)
        return True

    def _run(self, x, y, weights, training):
        """[loss, losses of outputs] of one batch."""
        feeds = backend.phase_feeds(training)
        feeds.update(zip(self._inputs, x))
        for i, target in enumerate(t for t in self._targets if t is not None):
            value = y[i]
            if target.shape.ndims is not None and value.ndim < target.shape.ndims:
                value = value[..., None]
            feeds[target] = value
        if weights:
            for place, value in zip([w for w in self._weights if w is not None], weights):
                if value is not None:
                    feeds[place] = value
        ops = [self._updates_of_metrics, self._train_op() if training else []]
        found = backend.get_session().run(([self._total, *[value for _, value in self._parts]], ops), feeds)[0]
        return [float(v) for v in found]

    def _reset_metrics(self):
        for _, metric, _ in self._metrics:
            metric.reset_states()

    def _metric_values(self):
        return [float(v) for v in backend.get_session().run(self._results)] if self._results else []

    # --- Batches ---

    def _data(self, x, y, sample_weight, class_weight=None):
        x = _arrays(x, self._input_labels() if self._inputs else ["x"])
        self._need(x)
        names = self._names()
        y = _arrays(y, names)
        weights = [np.asarray(w) for w in (_listed(sample_weight, names, "sample_weight"))] if sample_weight is not None else []
        if class_weight:
            classes = y[0].reshape(len(y[0]), -1)
            classes = classes.argmax(1) if classes.shape[1] > 1 else classes[:, 0].astype(int)
            weights = [np.array([class_weight.get(int(c), 1.0) for c in classes], dtype=np.float32)]
        lengths = {len(v) for v in [*x, *y]}
        if len(lengths) > 1:
            raise ValueError("All input arrays and the target arrays must have the same number of samples. Got array lengths: %s" %
                             sorted(lengths))
        return x, y, weights

    @staticmethod
    def _dataset_arrays(dataset, steps, session_of):
        """An endless or ended row of batches (x, y) of a tf.data.Dataset."""
        iterator = dataset.make_initializable_iterator() if not hasattr(dataset, "get_next") else dataset
        batch = iterator.get_next()
        session = session_of()
        if hasattr(iterator, "initializer"):
            try:
                session.run(iterator.initializer)
            except (ValueError, TypeError):
                pass
        while True:
            try:
                yield session.run(batch)
            except tf.errors.OutOfRangeError:
                return

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose=1, callbacks=None, validation_split=0.0,
            validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None,
            validation_steps=None, validation_freq=1, **kwargs):
        """Trains for |epochs| passes over the data. Returns a History."""
        if hasattr(x, "make_one_shot_iterator") or hasattr(x, "get_next") or hasattr(x, "__next__") or hasattr(x, "__getitem__") \
                and not isinstance(x, (np.ndarray, list, tuple, dict)) and not hasattr(x, "iloc"):
            return self._fit_batches(x, epochs, verbose, callbacks, validation_data, class_weight, initial_epoch,
                                     steps_per_epoch, validation_steps)
        x, y, weights = self._data(x, y, sample_weight, class_weight)
        if validation_split and validation_data is None:
            at = int(len(x[0]) * (1.0 - validation_split))
            validation_data = [v[at:] for v in x], [v[at:] for v in y]
            x, y, weights = [v[:at] for v in x], [v[:at] for v in y], [v[:at] for v in weights]
        self._build_step(y)
        count, batch_size = len(x[0]), batch_size or 32
        if verbose and validation_data is not None:
            print("Train on %d samples, validate on %d samples" % (count, len(_nest.flatten(validation_data[0])[0])))
        elif verbose:
            print("Train on %d samples" % count)
        steps = steps_per_epoch or -(-count // batch_size)

        def epoch_batches():
            order = np.arange(count)
            if shuffle:
                np.random.shuffle(order)
            for at in range(0, count, batch_size):
                rows = order[at:at + batch_size]
                yield [v[rows] for v in x], [v[rows] for v in y], [v[rows] for v in weights]
        return self._fit_loop(epoch_batches, steps, epochs, verbose, callbacks, validation_data, initial_epoch, count,
                              validation_steps, batch_size)

    def _fit_batches(self, source, epochs, verbose, callbacks, validation_data, class_weight, initial_epoch, steps,
                     validation_steps):
        """fit() with a generator, a Sequence or a dataset."""
        batches = self._batches_of(source)
        if steps is None:
            steps = len(source) if hasattr(source, "__len__") else None
        first = next(batches)
        split = self._split(first)
        x, y, weights = self._data(*split, class_weight)
        self._build_step(y)
        held = [(x, y, weights)]

        def epoch_batches():
            nonlocal batches
            done = 0
            while steps is None or done < steps:
                if held:
                    yield held.pop()
                else:
                    try:
                        batch = next(batches)
                    except StopIteration:
                        batches = self._batches_of(source)
                        if steps is None:
                            return
                        batch = next(batches)
                    yield self._data(*self._split(batch), class_weight)
                done += 1
        return self._fit_loop(epoch_batches, steps, epochs, verbose, callbacks, validation_data, initial_epoch, None,
                              validation_steps, len(x[0]))

    def _batches_of(self, source):
        if hasattr(source, "make_one_shot_iterator") or hasattr(source, "get_next"):
            return self._dataset_arrays(source, None, backend.get_session)
        if hasattr(source, "__next__"):
            return source
        return iter([source[i] for i in range(len(source))]) if hasattr(source, "__len__") else iter(source)

    @staticmethod
    def _split(batch):
        if not isinstance(batch, (list, tuple)):
            return batch, None, None
        return (*batch, None, None)[:3]

    def _fit_loop(self, epoch_batches, steps, epochs, verbose, callbacks, validation_data, initial_epoch, samples,
                  validation_steps, batch_size):
        history = callbacks_.History()
        rows = callbacks_.CallbackList([*(callbacks or []), history], self, {
            "batch_size": batch_size, "epochs": epochs, "steps": steps, "samples": samples, "verbose": verbose,
            "do_validation": validation_data is not None, "metrics": self.metrics_names})
        self.stop_training, self.history = False, history
        rows.call("on_train_begin", {})
        logs = {}
        for epoch in range(initial_epoch, epochs):
            self._reset_metrics()
            rows.call("on_epoch_begin", epoch, {})
            started, totals, seen, step = time.time(), None, 0, 0
            for step, (x, y, weights) in enumerate(epoch_batches()):
                size = len(x[0])
                rows.call("on_batch_begin", step, {"batch": step, "size": size})
                values = np.array(self._run(x, y, weights, True))
                totals = values * size if totals is None else totals + values * size
                seen += size
                rows.call("on_batch_end", step, {"batch": step, "size": size, "loss": values[0]})
                if self.stop_training or step + 1 == steps:
                    break
            means = [float(v) for v in totals / max(seen, 1)]
            logs = dict(zip(self.metrics_names, [*means, *self._metric_values()]))
            if validation_data is not None:
                data = validation_data
                found = self.evaluate(data[0], data[1], batch_size=batch_size, verbose=0, sample_weight=data[2] if len(
                    data) > 2 else None) if isinstance(data, (list, tuple)) else self.evaluate(
                        data, steps=validation_steps, verbose=0)
                logs.update(("val_" + name, value) for name, value in zip(self.metrics_names, _nest.flatten(found)))
            if verbose:
                text = " - ".join("%s: %.4f" % item for item in logs.items())
                print("Epoch %d/%d\n%d/%s - %.0fs - %s" % (epoch + 1, epochs, seen, samples or seen, time.time() - started,
                                                           text))
                sys.stdout.flush()
            rows.call("on_epoch_end", epoch, logs)
            if self.stop_training:
                break
        rows.call("on_train_end", logs)
        return history

    def evaluate(self, x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None, callbacks=None, **kwargs):
        """The loss, or the loss and the metrics."""
        if isinstance(x, (np.ndarray, list, tuple, dict)) or hasattr(x, "iloc"):
            x, y, weights = self._data(x, y, sample_weight)
            size = batch_size or 32
            batches = (([v[at:at + size] for v in x], [v[at:at + size] for v in y], [v[at:at + size] for v in weights])
                       for at in range(0, len(x[0]), size))
        else:
            source = self._batches_of(x)
            batches = (self._data(*self._split(batch)) for batch in source)
        totals, seen, step = None, 0, 0
        for step, (bx, by, bw) in enumerate(batches):
            self._build_step(by)
            if step == 0:
                self._reset_metrics()
            values = np.array(self._run(bx, by, bw, False)) * len(bx[0])
            totals = values if totals is None else totals + values
            seen += len(bx[0])
            if step + 1 == steps:
                break
        found = [*[float(v) for v in totals / seen], *self._metric_values()]
        if verbose:
            print("%d/%d - %s" % (seen, seen, " - ".join("%s: %.4f" % pair for pair in zip(self.metrics_names, found))))
        return found[0] if len(found) == 1 else found

    def predict(self, x, batch_size=None, verbose=0, steps=None, callbacks=None, **kwargs):
        """The outputs for all rows of |x|."""
        if isinstance(x, (np.ndarray, list, tuple, dict)) or hasattr(x, "iloc"):
            x = _arrays(x, self._input_labels() if self._inputs else ["x"])
            size = batch_size or 32
            batches = ([v[at:at + size] for v in x] for at in range(0, len(x[0]), size))
        else:
            batches = (_arrays(self._split(b)[0], self._input_labels() if self._inputs else ["x"])
                       for b in self._batches_of(x))
        rows = []
        for step, batch in enumerate(batches):
            self._need(batch)
            feeds = {**backend.phase_feeds(False), **dict(zip(self._inputs, batch))}
            rows.append(backend.get_session().run(self._outputs, feeds))
            if step + 1 == steps:
                break
        found = [np.concatenate(column) for column in zip(*rows)]
        return found[0] if len(found) == 1 else found

    def predict_classes(self, x, batch_size=32, verbose=0):
        found = self.predict(x, batch_size)
        return found.argmax(-1) if found.shape[-1] > 1 else (found > 0.5).astype("int32")

    predict_proba = predict

    def _batch_result(self, values):
        found = [*values, *self._metric_values()]
        return found[0] if len(found) == 1 else found

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, reset_metrics=True):
        x, y, weights = self._data(x, y, sample_weight, class_weight)
        self._build_step(y)
        if reset_metrics:
            self._reset_metrics()
        return self._batch_result(self._run(x, y, weights, True))

    def test_on_batch(self, x, y=None, sample_weight=None, reset_metrics=True):
        x, y, weights = self._data(x, y, sample_weight)
        self._build_step(y)
        if reset_metrics:
            self._reset_metrics()
        return self._batch_result(self._run(x, y, weights, False))

    def predict_on_batch(self, x):
        return self.predict(x, batch_size=len(_nest.flatten(x)[0]) if isinstance(x, (list, tuple)) else len(x))

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None, validation_data=None,
                      validation_steps=None, class_weight=None, initial_epoch=0, **kwargs):
        return self._fit_batches(generator, epochs, verbose, callbacks, validation_data, class_weight, initial_epoch,
                                 steps_per_epoch, validation_steps)

    def evaluate_generator(self, generator, steps=None, **kwargs):
        return self.evaluate(generator, steps=steps, verbose=kwargs.get("verbose", 0))

    def predict_generator(self, generator, steps=None, **kwargs):
        return self.predict(generator, steps=steps)


@export("keras.Model", "keras.models.Model")
class Model(_Training, network.Network):
    """A model of the graph between |inputs| and |outputs|, or a subclass with its own call()."""

    def __init__(self, *args, **kwargs):
        given = dict(zip(("inputs", "outputs", "name"), args))
        given.update({key: kwargs.pop(key) for key in ("inputs", "outputs") if key in kwargs})
        super().__init__(name=given.get("name") or kwargs.pop("name", None), **kwargs)
        if given.get("inputs") is not None:
            self._set_graph(given["inputs"], given["outputs"])


@export("keras.Sequential", "keras.models.Sequential")
class Sequential(_Training, network.Sequential):
    """Layers one after the other."""

    @property
    def trainable_weights(self):
        return network.Network.trainable_weights.fget(self)


@export("keras.models.load_model")
def load_model(filepath, custom_objects=None, compile=True):  # noqa: A002
    raise NotImplementedError("load_model: HDF5 files are not there; build the model and load_weights from a checkpoint")
