"""tf.keras.losses, activations, regularizers, constraints and initializers."""
import sluice as tf
from sluice import _initializers
from sluice import _keras_backend as backend
from sluice._api import export, export_value
from sluice._layer import activation_of as _activation_of
from sluice._layer import initializer_of, snake_case

# --- Activations ---


def _activation(name):
    return export("keras.activations." + name)


for _name, _function in {"elu": tf.nn.elu, "exponential": tf.exp, "selu": tf.nn.selu, "sigmoid": tf.sigmoid, "softplus":
                         tf.nn.softplus, "softsign": tf.nn.softsign, "tanh": tf.tanh, "linear": lambda x: x}.items():
    _activation(_name)(_function)
_activation("relu")(lambda x, alpha=0.0, max_value=None, threshold=0: backend.relu(x, alpha, max_value, threshold))
_activation("softmax")(lambda x, axis=-1: tf.nn.softmax(x, axis))
_activation("hard_sigmoid")(lambda x: tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0))


@_activation("get")
def activation_of(identifier):
    """A function from a function, its name, or None."""
    if identifier == "exponential":
        return tf.exp
    return _activation_of(identifier)


# --- Regularizers and constraints ---

@export("keras.regularizers.Regularizer")
class Regularizer:
    """Called with a variable: a loss."""

    def __call__(self, x):
        return 0.0


@export("keras.regularizers.L1L2")
class L1L2(Regularizer):
    """l1 * sum of absolute values + l2 * sum of squares"""

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = float(l1), float(l2)

    def __call__(self, x):
        if not self.l1 and not self.l2:
            return tf.constant(0.0)
        parts = []
        if self.l1:
            parts.append(self.l1 * tf.reduce_sum(tf.abs(x)))
        if self.l2:
            parts.append(self.l2 * tf.reduce_sum(tf.square(x)))
        return parts[0] if len(parts) == 1 else parts[0] + parts[1]

    def get_config(self):
        return {"l1": self.l1, "l2": self.l2}


export("keras.regularizers.l1")(lambda l=0.01: L1L2(l1=l))  # noqa: E741
export("keras.regularizers.l2")(lambda l=0.01: L1L2(l2=l))  # noqa: E741
export("keras.regularizers.l1_l2")(lambda l1=0.01, l2=0.01: L1L2(l1, l2))


def _constraint(*names):
    return export(*["keras.constraints." + name for name in names])


@_constraint("Constraint")
class Constraint:
    def __call__(self, w):
        return w


@_constraint("NonNeg", "non_neg")
class NonNeg(Constraint):
    def __call__(self, w):
        return w * tf.cast(w >= 0, w.dtype)


@_constraint("MaxNorm", "max_norm")
class MaxNorm(Constraint):
    def __init__(self, max_value=2, axis=0):
        self.max_value, self.axis = max_value, axis

    def __call__(self, w):
        norms = tf.sqrt(tf.reduce_sum(tf.square(w), self.axis, True))
        return w * tf.clip_by_value(norms, 0, self.max_value) / (backend.epsilon() + norms)


@_constraint("UnitNorm", "unit_norm")
class UnitNorm(Constraint):
    def __init__(self, axis=0):
        self.axis = axis

    def __call__(self, w):
        return w / (backend.epsilon() + tf.sqrt(tf.reduce_sum(tf.square(w), self.axis, True)))


# --- Initialisers: Keras's defaults ---

def _initializer(*names):
    return export(*["keras.initializers." + name for name in names])


_initializer("RandomNormal", "random_normal", "normal")(
    lambda mean=0.0, stddev=0.05, seed=None, dtype=tf.float32: _initializers.RandomNormal(mean, stddev, seed, dtype))
_initializer("RandomUniform", "random_uniform", "uniform")(
    lambda minval=-0.05, maxval=0.05, seed=None, dtype=tf.float32: _initializers.RandomUniform(minval, maxval, seed, dtype))
_initializer("TruncatedNormal", "truncated_normal")(
    lambda mean=0.0, stddev=0.05, seed=None, dtype=tf.float32: _initializers.TruncatedNormal(mean, stddev, seed, dtype))
for _value, *_names in ((_initializers.Zeros, "Zeros", "zeros"), (_initializers.Ones, "Ones", "ones"),
                        (_initializers.Constant, "Constant", "constant"), (_initializers.Initializer, "Initializer"),
                        (_initializers.VarianceScaling, "VarianceScaling"), (tf.initializers.orthogonal, "Orthogonal",
                                                                             "orthogonal"),
                        (tf.initializers.identity, "Identity", "identity"), (_initializers.GlorotUniform, "glorot_uniform"),
                        (_initializers.GlorotNormal, "glorot_normal"), (tf.initializers.he_normal, "he_normal"),
                        (tf.initializers.he_uniform, "he_uniform"), (tf.initializers.lecun_normal, "lecun_normal"),
                        (tf.initializers.lecun_uniform, "lecun_uniform")):
    export_value(_value, *["keras.initializers." + name for name in _names])
_initializer("get")(initializer_of)


# --- Losses ---

_losses = {}


def _loss(*names):
    def register(function):
        for name in names:
            _losses[name] = function
        return export(*["keras.losses." + name for name in names],
                      *["keras.metrics." + name for name in names if name.islower() or name in ("mse", "mae")])(function)
    return register


def _same(y_true, y_pred):
    y_pred = tf.convert_to_tensor(y_pred)
    return tf.cast(y_true, y_pred.dtype), y_pred


@_loss("mean_squared_error", "mse", "MSE")
def mean_squared_error(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return tf.reduce_mean(tf.math.squared_difference(y_pred, y_true), axis=-1)


@_loss("mean_absolute_error", "mae", "MAE")
def mean_absolute_error(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return tf.reduce_mean(tf.abs(y_pred - y_true), axis=-1)


@_loss("mean_absolute_percentage_error", "mape", "MAPE")
def mean_absolute_percentage_error(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return 100.0 * tf.reduce_mean(tf.abs((y_true - y_pred) / tf.maximum(tf.abs(y_true), backend.epsilon())), axis=-1)


@_loss("mean_squared_logarithmic_error", "msle", "MSLE")
def mean_squared_logarithmic_error(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    one, two = (tf.math.log(tf.maximum(v, backend.epsilon()) + 1.0) for v in (y_pred, y_true))
    return tf.reduce_mean(tf.math.squared_difference(one, two), axis=-1)


@_loss("categorical_crossentropy")
def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    y_true, y_pred = _same(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / tf.cast(tf.shape(y_true)[-1], y_pred.dtype)
    return backend.categorical_crossentropy(y_true, y_pred, from_logits)


@_loss("sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    return backend.sparse_categorical_crossentropy(y_true, y_pred, from_logits, axis)


@_loss("binary_crossentropy")
def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0):
    y_true, y_pred = _same(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    return tf.reduce_mean(backend.binary_crossentropy(y_true, y_pred, from_logits), axis=-1)


@_loss("kullback_leibler_divergence", "kld", "KLD")
def kullback_leibler_divergence(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    y_true, y_pred = (tf.clip_by_value(v, backend.epsilon(), 1.0) for v in (y_true, y_pred))
    return tf.reduce_sum(y_true * tf.math.log(y_true / y_pred), axis=-1)


@_loss("poisson")
def poisson(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return tf.reduce_mean(y_pred - y_true * tf.math.log(y_pred + backend.epsilon()), axis=-1)


@_loss("hinge")
def hinge(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return tf.reduce_mean(tf.maximum(1.0 - y_true * y_pred, 0.0), axis=-1)


@_loss("squared_hinge")
def squared_hinge(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return tf.reduce_mean(tf.square(tf.maximum(1.0 - y_true * y_pred, 0.0)), axis=-1)


@_loss("categorical_hinge")
def categorical_hinge(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    return tf.maximum(0.0, tf.reduce_max((1.0 - y_true) * y_pred, -1) - tf.reduce_sum(y_true * y_pred, -1) + 1.0)


@_loss("logcosh")
def logcosh(y_true, y_pred):
    y_true, y_pred = _same(y_true, y_pred)
    x = y_pred - y_true
    return tf.reduce_mean(x + tf.nn.softplus(-2.0 * x) - tf.math.log(2.0), axis=-1)


@_loss("huber_loss")
def huber_loss(y_true, y_pred, delta=1.0):
    y_true, y_pred = _same(y_true, y_pred)
    error = tf.abs(y_pred - y_true)
    low = tf.minimum(error, delta)
    return 0.5 * tf.square(low) + delta * (error - low)


@_loss("cosine_proximity", "cosine_similarity")
def cosine_proximity(y_true, y_pred, axis=-1):
    y_true, y_pred = _same(y_true, y_pred)
    return -tf.reduce_sum(tf.nn.l2_normalize(y_true, axis) * tf.nn.l2_normalize(y_pred, axis), axis)


@export("keras.losses.Loss")
class Loss:
    """A loss as an object: called with labels, predictions and weights, it gives one number."""

    def __init__(self, reduction="auto", name=None):
        self.reduction, self.name = reduction, name

    def call(self, y_true, y_pred):
        raise NotImplementedError("call of a Loss")

    def __call__(self, y_true, y_pred, sample_weight=None):
        values = self.call(tf.convert_to_tensor(y_true), tf.convert_to_tensor(y_pred))
        if sample_weight is not None:
            values *= tf.cast(sample_weight, values.dtype)
        if self.reduction == "none":
            return values
        return tf.reduce_sum(values) if self.reduction == "sum" else tf.reduce_mean(values)


def _loss_class(name, function):
    class Made(Loss):
        def __init__(self, *args, **kwargs):
            reduction, label = kwargs.pop("reduction", "auto"), kwargs.pop("name", snake_case(name))
            super().__init__(reduction, label)
            self._args, self._options = args, kwargs

        def call(self, y_true, y_pred):
            return function(y_true, y_pred, *self._args, **self._options)
    Made.__name__ = Made.__qualname__ = name
    export("keras.losses." + name)(Made)


for _name, _function in {
        "MeanSquaredError": mean_squared_error, "MeanAbsoluteError": mean_absolute_error, "MeanAbsolutePercentageError":
        mean_absolute_percentage_error, "MeanSquaredLogarithmicError": mean_squared_logarithmic_error,
        "CategoricalCrossentropy": categorical_crossentropy, "SparseCategoricalCrossentropy":
        sparse_categorical_crossentropy, "BinaryCrossentropy": binary_crossentropy, "KLDivergence":
        kullback_leibler_divergence, "Poisson": poisson, "Hinge": hinge, "SquaredHinge": squared_hinge, "CategoricalHinge":
        categorical_hinge, "LogCosh": logcosh, "Huber": huber_loss, "CosineSimilarity": cosine_proximity}.items():
    _loss_class(_name, _function)


@export("keras.losses.get")
def loss_of(identifier):
    """A function of labels and predictions from one, its name, or a Loss."""
    if identifier is None or callable(identifier):
        return identifier
    if identifier in _losses:
        return _losses[identifier]
    raise ValueError("Unknown loss function: %s" % (identifier,))
