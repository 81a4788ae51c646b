"""tf.keras.callbacks: what happens while a model is trained."""
import csv
import os

import numpy as np
from sluice import _keras_backend as backend
from sluice._api import export


def _export(name):
    return export("keras.callbacks." + name)


@_export("Callback")
class Callback:
    """Methods that fit() calls."""
    model = params = validation_data = None

    def set_params(self, params):
        self.params = params

    def set_model(self, model):
        self.model = model

    def on_epoch_begin(self, epoch, logs=None):
        pass

    def on_epoch_end(self, epoch, logs=None):
        pass

    def on_batch_begin(self, batch, logs=None):
        pass

    def on_batch_end(self, batch, logs=None):
        pass

    def on_train_batch_begin(self, batch, logs=None):
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch, logs=None):
        self.on_batch_end(batch, logs)

    def on_train_begin(self, logs=None):
        pass

    def on_train_end(self, logs=None):
        pass


class CallbackList:
    def __init__(self, callbacks, model, params):
        self._rows = list(callbacks)
        for row in self._rows:
            row.set_params(params)
            row.set_model(model)

    def call(self, method, *args):
        method = {"on_batch_begin": "on_train_batch_begin", "on_batch_end": "on_train_batch_end"}.get(method, method)
        for row in self._rows:
            getattr(row, method)(*args)


@_export("History")
class History(Callback):
    """The values of each epoch, as fit() returns them."""

    def __init__(self):
        self.epoch, self.history = [], {}

    def on_epoch_end(self, epoch, logs=None):
        self.epoch.append(epoch)
        for key, value in (logs or {}).items():
            self.history.setdefault(key, []).append(value)


@_export("LambdaCallback")
class LambdaCallback(Callback):
    def __init__(self, **kwargs):
        for name, function in kwargs.items():
            setattr(self, name, function if function is not None else lambda *a: None)


class _Watching(Callback):
    def __init__(self, monitor, mode, min_delta=0.0):
        if mode not in ("auto", "min", "max"):
            mode = "auto"
        larger = mode == "max" or mode == "auto" and ("acc" in monitor or monitor.startswith("fmeasure"))
        self.monitor, self._larger, self.min_delta = monitor, larger, abs(min_delta)

    def _is_better(self, value, best):
        return value > best + self.min_delta if self._larger else value < best - self.min_delta

    def _start(self):
        return -np.inf if self._larger else np.inf


@_export("EarlyStopping")
class EarlyStopping(_Watching):
    """Stops when a value gets no better for |patience| epochs."""

    def __init__(self, monitor="val_loss", min_delta=0, patience=0, verbose=0, mode="auto", baseline=None,
                 restore_best_weights=False):
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline, self.restore_best_weights = patience, verbose, baseline, restore_best_weights
        self.stopped_epoch = 0

    def on_train_begin(self, logs=None):
        self.wait, self.best_weights = 0, None
        self.best = self._start() if self.baseline is None else self.baseline

    def on_epoch_end(self, epoch, logs=None):
        value = (logs or {}).get(self.monitor)
        if value is None:
            return
        if self._is_better(value, self.best):
            self.best, self.wait = value, 0
            if self.restore_best_weights:
                self.best_weights = self.model.get_weights()
            return
        self.wait += 1
        if self.wait >= self.patience:
            self.stopped_epoch, self.model.stop_training = epoch, True
            if self.best_weights is not None:
                self.model.set_weights(self.best_weights)

    def on_train_end(self, logs=None):
        if self.stopped_epoch > 0 and self.verbose > 0:
            print("Epoch %05d: early stopping" % (self.stopped_epoch + 1))


@_export("ModelCheckpoint")
class ModelCheckpoint(_Watching):
    """Saves the weights after epochs."""

    def __init__(self, filepath, monitor="val_loss", verbose=0, save_best_only=False, save_weights_only=False, mode="auto",
                 save_freq="epoch", period=1, **kwargs):
        super().__init__(monitor, mode)
        self.filepath, self.verbose, self.save_best_only, self.period = filepath, verbose, save_best_only, period
        self.best = self._start()

    def on_epoch_end(self, epoch, logs=None):
        logs = logs or {}
        if (epoch + 1) % self.period:
            return
        if self.save_best_only:
            value = logs.get(self.monitor)
            if value is None or not self._is_better(value, self.best):
                return
            self.best = value
        path = self.filepath.format(epoch=epoch + 1, **logs)
        if self.verbose:
            print("\nEpoch %05d: saving model to %s" % (epoch + 1, path))
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        self.model.save_weights(path)


@_export("LearningRateScheduler")
class LearningRateScheduler(Callback):
    def __init__(self, schedule, verbose=0):
        self.schedule, self.verbose = schedule, verbose

    def on_epoch_begin(self, epoch, logs=None):
        rate = float(backend.get_value(self.model.optimizer.lr))
        try:
            rate = self.schedule(epoch, rate)
        except TypeError:
            rate = self.schedule(epoch)
        backend.set_value(self.model.optimizer.lr, rate)
        if self.verbose:
            print("\nEpoch %05d: LearningRateScheduler reducing learning rate to %s." % (epoch + 1, rate))


@_export("ReduceLROnPlateau")
class ReduceLROnPlateau(_Watching):
    """Makes the learning rate smaller when a value gets no better."""

    def __init__(self, monitor="val_loss", factor=0.1, patience=10, verbose=0, mode="auto", min_delta=1e-4, cooldown=0,
                 min_lr=0, **kwargs):
        if factor >= 1.0:
            raise ValueError("ReduceLROnPlateau does not support a factor >= 1.0.")
        super().__init__(monitor, mode, min_delta)
        self.factor, self.patience, self.verbose, self.cooldown, self.min_lr = factor, patience, verbose, cooldown, min_lr

    def on_train_begin(self, logs=None):
        self.best, self.wait, self._rest = self._start(), 0, 0

    def on_epoch_end(self, epoch, logs=None):
        value = (logs or {}).get(self.monitor)
        if value is None:
            return
        logs["lr"] = float(backend.get_value(self.model.optimizer.lr))
        if self._rest > 0:
            self._rest, self.wait = self._rest - 1, 0
        if self._is_better(value, self.best):
            self.best, self.wait = value, 0
        elif self._rest <= 0:
            self.wait += 1
            if self.wait >= self.patience and logs["lr"] > self.min_lr:
                rate = max(logs["lr"] * self.factor, self.min_lr)
                backend.set_value(self.model.optimizer.lr, rate)
                self._rest, self.wait = self.cooldown, 0
                if self.verbose:
                    print("\nEpoch %05d: ReduceLROnPlateau reducing learning rate to %s." % (epoch + 1, rate))


@_export("TerminateOnNaN")
class TerminateOnNaN(Callback):
    def on_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is not None and not np.isfinite(loss):
            print("Batch %d: Invalid loss, terminating training" % batch)
            self.model.stop_training = True


@_export("CSVLogger")
class CSVLogger(Callback):
    def __init__(self, filename, separator=",", append=False):
        self.filename, self.separator, self.append, self._keys = filename, separator, append, None

    def on_train_begin(self, logs=None):
        self._file = open(self.filename, "a" if self.append else "w", newline="")

    def on_epoch_end(self, epoch, logs=None):
        writer = csv.writer(self._file, delimiter=self.separator)
        if self._keys is None:
            self._keys = sorted(logs or {})
            writer.writerow(["epoch", *self._keys])
        writer.writerow([epoch, *[(logs or {}).get(key, "NA") for key in self._keys]])
        self._file.flush()

    def on_train_end(self, logs=None):
        self._file.close()


@_export("TensorBoard")
class TensorBoard(Callback):
    """Writes the values of each epoch as summaries."""

    def __init__(self, log_dir="./logs", histogram_freq=0, batch_size=32, write_graph=True, **kwargs):
        self.log_dir, self._write_graph = log_dir, write_graph

    def on_train_begin(self, logs=None):
        import sluice as tf
        self._writer = tf.summary.FileWriter(self.log_dir, tf.get_default_graph() if self._write_graph else None)

    def on_epoch_end(self, epoch, logs=None):
        import sluice as tf
        made = tf.Summary()
        for name, value in (logs or {}).items():
            made.value.add(tag="epoch_" + name, simple_value=float(value))
        self._writer.add_summary(made, epoch)
        self._writer.flush()

    def on_train_end(self, logs=None):
        self._writer.close()


@_export("BaseLogger")
class BaseLogger(Callback):
    def __init__(self, stateful_metrics=None):
        pass


@_export("ProgbarLogger")
class ProgbarLogger(BaseLogger):
    pass
