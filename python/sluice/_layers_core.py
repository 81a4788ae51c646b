"""tf.layers.Dense, Flatten, Dropout, and their functions."""
import sluice as tf
from sluice import _nn
from sluice._api import export
from sluice._initializers import Zeros
from sluice._layer import InputSpec, Layer, activation_of, initializer_of
from sluice._oplib import apply


def smart_cond(predicate, true_fn, false_fn):
    """Calls the branch that a Python value picks; a tensor picks one when a step runs."""
    if isinstance(predicate, (bool, int)):
        return true_fn() if predicate else false_fn()
    if getattr(getattr(predicate, "op", None), "type", None) == "Const":
        return true_fn() if bool(tf.contrib.util.constant_value(predicate)) else false_fn()
    return tf.cond(tf.cast(predicate, tf.bool), true_fn, false_fn)


@export("layers.Dense")
class Dense(Layer):
    """activation(inputs x kernel + bias), over the last axis."""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros(),
                 kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                 bias_constraint=None, trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation_of(activation), use_bias
        self.kernel_initializer, self.bias_initializer = initializer_of(kernel_initializer), initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape):
        last = input_shape.as_list()[-1] if input_shape.ndims else None
        if last is None:
            raise ValueError("The last dimension of the inputs to `Dense` should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight("kernel", [last, self.units], initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.bias = self.add_weight("bias", [self.units], initializer=self.bias_initializer,
                                    regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None
        self.built = True

    def call(self, inputs):
        rank = inputs.shape.ndims
        if rank == 2 or rank is None:
            outputs = tf.matmul(inputs, self.kernel)
        else:
            outputs = tf.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape.as_list()[:-1] + [self.units])
        if self.use_bias:
            outputs = _nn.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape):
        return tf.TensorShape(input_shape)[:-1].concatenate(self.units)


@export("layers.dense")
def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros(),
          kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
          bias_constraint=None, trainable=True, name=None, reuse=None):
    return Dense(units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                 activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _scope=name,
                 _reuse=reuse).apply(inputs)


@export("layers.Dropout")
class Dropout(Layer):
    """Drops values when training, as tf.nn.dropout."""

    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ValueError("Invalid value %s received for `rate`, expected a value between 0 and 1." % rate)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def _noise_shape(self, inputs):
        if self.noise_shape is None:
            return None
        sizes = tf.shape(inputs)
        return tf.convert_to_tensor([sizes[i] if value is None else value for i, value in enumerate(self.noise_shape)])

    def call(self, inputs, training=False):
        if isinstance(self.rate, (int, float)) and self.rate == 0:
            return tf.identity(inputs)
        return smart_cond(training, lambda: _nn.dropout(inputs, noise_shape=self._noise_shape(inputs), seed=self.seed,
                                                        rate=self.rate), lambda: tf.identity(inputs))

    def compute_output_shape(self, input_shape):
        return input_shape


@export("layers.dropout")
def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    return Dropout(rate, noise_shape, seed, name, _scope=name).apply(inputs, training=training)


@export("layers.Flatten")
class Flatten(Layer):
    """All axes but the first as one."""

    def __init__(self, data_format="channels_last", **kwargs):
        super().__init__(**kwargs)
        self.data_format, self.input_spec = data_format, InputSpec(min_ndim=1)

    def call(self, inputs):
        rank = inputs.shape.ndims
        if self.data_format == "channels_first" and rank and rank > 1:
            inputs = tf.transpose(inputs, [0] + list(range(2, rank)) + [1])
        if rank == 1:
            return tf.expand_dims(inputs, 1)
        sizes = inputs.shape.as_list() if rank is not None else [None, None]
        if None not in sizes[1:]:
            size = 1
            for d in sizes[1:]:
                size *= d
            return tf.reshape(inputs, tf.constant([-1, size]))
        if sizes[0] is not None:
            return tf.reshape(inputs, tf.constant([sizes[0], -1]))
        return apply("Reshape", None, tensor=inputs, shape=[tf.shape(inputs)[0], -1])

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        rest = 1
        for d in sizes[1:]:
            rest = None if d is None or rest is None else rest * d
        return tf.TensorShape([sizes[0], rest])


@export("layers.flatten")
def flatten(inputs, name=None, data_format="channels_last"):
    return Flatten(data_format=data_format, name=name, _scope=name).apply(inputs)
