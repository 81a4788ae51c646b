"""tf.keras.layers: the layers that share their work with tf.layers, and those over shapes and several inputs."""
import functools
import operator

import sluice as tf
from sluice import _keras_backend as backend
from sluice import _layers_conv, _layers_core, _layers_norm
from sluice._api import export
from sluice._keras_layer import Layer
from sluice._keras_losses import activation_of
from sluice._layer import InputSpec, initializer_of


def _export(*names):
    return export(*["keras.layers." + name for name in names])


@_export("Dense")
class Dense(Layer, _layers_core.Dense):
    supports_masking = True

    def __init__(self, units, activation=None, *args, **kwargs):
        super().__init__(units, activation_of(activation), *args, **kwargs)


@_export("Dropout")
class Dropout(Layer, _layers_core.Dropout):
    supports_masking = True

    def call(self, inputs, training=None):
        return _layers_core.Dropout.call(self, inputs, training)


@_export("SpatialDropout1D")
class SpatialDropout1D(Dropout):
    def _noise_shape(self, inputs):
        sizes = tf.shape(inputs)
        return tf.stack([sizes[0], 1, sizes[2]])


@_export("SpatialDropout2D")
class SpatialDropout2D(Dropout):
    def _noise_shape(self, inputs):
        sizes = tf.shape(inputs)
        return tf.stack([sizes[0], 1, 1, sizes[3]])


@_export("Flatten")
class Flatten(Layer, _layers_core.Flatten):
    pass


@_export("BatchNormalization")
class BatchNormalization(Layer, _layers_norm.BatchNormalization):
    supports_masking = True

    def _average(self, name, initializer):
        return self.add_weight(name, self._shape, self._type, initializer, trainable=False)

    def call(self, inputs, training=None):
        return _layers_norm.BatchNormalization.call(self, inputs, training)


def _convolution(base, *names):
    class Made(Layer, base):
        def __init__(self, filters, kernel_size, *args, **kwargs):
            if "activation" in kwargs:
                kwargs["activation"] = activation_of(kwargs["activation"])
            super().__init__(filters, kernel_size, *args, **kwargs)
    Made.__name__ = Made.__qualname__ = names[0]
    Made.__doc__ = base.__doc__
    return _export(*names)(Made)


Conv1D = _convolution(_layers_conv.Conv1D, "Conv1D", "Convolution1D")
Conv2D = _convolution(_layers_conv.Conv2D, "Conv2D", "Convolution2D")
Conv3D = _convolution(_layers_conv.Conv3D, "Conv3D", "Convolution3D")
_convolution(_layers_conv.Conv2DTranspose, "Conv2DTranspose", "Convolution2DTranspose")
_convolution(_layers_conv.Conv3DTranspose, "Conv3DTranspose", "Convolution3DTranspose")
_convolution(_layers_conv.SeparableConv1D, "SeparableConv1D", "SeparableConvolution1D")
_convolution(_layers_conv.SeparableConv2D, "SeparableConv2D", "SeparableConvolution2D")


@_export("DepthwiseConv2D")
class DepthwiseConv2D(Layer):
    """A convolution of each channel by itself."""

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1, data_format=None, activation=None,
                 use_bias=True, depthwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
                 bias_regularizer=None, depthwise_constraint=None, bias_constraint=None, **kwargs):
        super().__init__(**kwargs)
        self.kernel_size = _layers_conv.sizes_of(kernel_size, 2, "kernel_size")
        self.strides, self.padding = _layers_conv.sizes_of(strides, 2, "strides"), padding
        self.depth_multiplier, self.activation, self.use_bias = depth_multiplier, activation_of(activation), use_bias
        self._init = depthwise_initializer, bias_initializer, depthwise_regularizer, bias_regularizer
        if data_format == "channels_first":
            raise NotImplementedError("data_format=channels_first of DepthwiseConv2D is not there")

    def build(self, input_shape):
        channels = input_shape.as_list()[-1]
        self.depthwise_kernel = self.add_weight("depthwise_kernel", (*self.kernel_size, channels, self.depth_multiplier),
                                                initializer=self._init[0], regularizer=self._init[2])
        self.bias = self.add_weight("bias", (channels * self.depth_multiplier,), initializer=self._init[1],
                                    regularizer=self._init[3]) if self.use_bias else None

    def call(self, inputs):
        outputs = tf.nn.depthwise_conv2d(inputs, self.depthwise_kernel, [1, *self.strides, 1], self.padding.upper())
        outputs = tf.nn.bias_add(outputs, self.bias) if self.use_bias else outputs
        return outputs if self.activation is None else self.activation(outputs)


def _pooling(base, size, *names):
    class Made(Layer, base):
        def __init__(self, pool_size=size, strides=None, padding="valid", data_format=None, **kwargs):
            strides = pool_size if strides is None else strides
            super().__init__(pool_size, strides, padding=padding, data_format=data_format, **kwargs)
    Made.__name__ = Made.__qualname__ = names[0]
    return _export(*names)(Made)


for _rank in 1, 2, 3:
    for _kind, _short in ("MaxPooling", "MaxPool"), ("AveragePooling", "AvgPool"):
        _pooling(getattr(tf.layers, "%s%dD" % (_kind, _rank)), 2, "%s%dD" % (_kind, _rank), "%s%dD" % (_short, _rank))


def _global_pooling(reduce, rank, *names):
    class Made(Layer):
        def __init__(self, data_format="channels_last", **kwargs):
            super().__init__(**kwargs)
            self.data_format = data_format or backend.image_data_format()

        def call(self, inputs):
            first = 2 if self.data_format == "channels_first" else 1
            return reduce(inputs, axis=list(range(first, first + rank)))
    Made.__name__ = Made.__qualname__ = names[0]
    Made.__doc__ = "One value of each channel."
    _export(*names)(Made)


for _rank in 1, 2, 3:
    _global_pooling(tf.reduce_max, _rank, "GlobalMaxPooling%dD" % _rank, "GlobalMaxPool%dD" % _rank)
    _global_pooling(tf.reduce_mean, _rank, "GlobalAveragePooling%dD" % _rank, "GlobalAvgPool%dD" % _rank)


# --- Shapes and functions ---

@_export("Activation")
class Activation(Layer):
    supports_masking = True

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = activation_of(activation)

    def call(self, inputs):
        return self.activation(inputs)


@_export("Reshape")
class Reshape(Layer):
    """Another shape of each row."""

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs):
        made = tf.reshape(inputs, (tf.shape(inputs)[0], *self.target_shape))
        sizes = inputs.shape.as_list()[1:]
        known = list(self.target_shape)
        if -1 in known and None not in sizes:
            rest = -functools.reduce(operator.mul, known, 1)
            known[known.index(-1)] = functools.reduce(operator.mul, sizes, 1) // (rest or 1)
        made.set_shape([inputs.shape.as_list()[0]] + [None if d == -1 else d for d in known])
        return made


@_export("Permute")
class Permute(Layer):
    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs):
        return tf.transpose(inputs, (0, *self.dims))


@_export("RepeatVector")
class RepeatVector(Layer):
    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n

    def call(self, inputs):
        return tf.tile(tf.expand_dims(inputs, 1), [1, self.n, 1])


@_export("Lambda")
class Lambda(Layer):
    """A function of the program."""

    def __init__(self, function, output_shape=None, mask=None, arguments=None, **kwargs):
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs):
        return self.function(inputs, **self.arguments)


@_export("ActivityRegularization")
class ActivityRegularization(Layer):
    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(activity_regularizer=tf.keras.regularizers.L1L2(l1, l2), **kwargs)


@_export("Masking")
class Masking(Layer):
    """Rows of time that are all |mask_value| are left out by later layers."""

    def __init__(self, mask_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self.mask_value = mask_value

    def compute_mask(self, inputs, mask=None):
        return tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1)

    def call(self, inputs):
        kept = tf.reduce_any(tf.not_equal(inputs, self.mask_value), axis=-1, keepdims=True)
        return inputs * tf.cast(kept, inputs.dtype)


@_export("Embedding")
class Embedding(Layer):
    """A row of a matrix for each number."""

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", embeddings_regularizer=None,
                 activity_regularizer=None, embeddings_constraint=None, mask_zero=False, input_length=None, **kwargs):
        if "input_shape" not in kwargs and "batch_input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,) if not isinstance(input_length, (tuple, list)) else tuple(input_length)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.input_dim, self.output_dim, self.mask_zero = input_dim, output_dim, mask_zero
        self.embeddings_initializer = tf.random_uniform_initializer(-0.05, 0.05) if embeddings_initializer == "uniform" else \
            initializer_of(embeddings_initializer)
        self.embeddings_regularizer, self.embeddings_constraint = embeddings_regularizer, embeddings_constraint

    def build(self, input_shape):
        self.embeddings = self.add_weight("embeddings", (self.input_dim, self.output_dim), tf.float32,
                                          self.embeddings_initializer, self.embeddings_regularizer,
                                          constraint=self.embeddings_constraint)

    def compute_mask(self, inputs, mask=None):
        return tf.not_equal(inputs, 0) if self.mask_zero else None

    def call(self, inputs):
        inputs = inputs if inputs.dtype.base_dtype in (tf.int32, tf.int64) else tf.cast(inputs, tf.int32)
        return tf.nn.embedding_lookup(self.embeddings, inputs)


def _padded(rank, name):
    class Made(Layer):
        def __init__(self, padding=1, data_format=None, **kwargs):
            super().__init__(**kwargs)
            if isinstance(padding, int):
                padding = (padding,) * rank if rank > 1 else (padding, padding)
            rows = [padding] if rank == 1 else padding
            self.padding = [(p, p) if isinstance(p, int) else tuple(p) for p in rows]
            self.first = (data_format or backend.image_data_format()) == "channels_first"

        def call(self, inputs):
            rows = [(0, 0)] * (2 if self.first else 1) + self.padding + [(0, 0)] * (0 if self.first else 1)
            return tf.pad(inputs, rows)
    Made.__name__ = Made.__qualname__ = name
    Made.__doc__ = "Zeros around the values."
    _export(name)(Made)


def _cropped(rank, name):
    class Made(Layer):
        def __init__(self, cropping=1, data_format=None, **kwargs):
            super().__init__(**kwargs)
            if isinstance(cropping, int):
                cropping = (cropping,) * rank if rank > 1 else (cropping, cropping)
            rows = [cropping] if rank == 1 else cropping
            self.cropping = [(c, c) if isinstance(c, int) else tuple(c) for c in rows]

        def call(self, inputs):
            return inputs[(slice(None), *[slice(a, -b or None) for a, b in self.cropping])]
    Made.__name__ = Made.__qualname__ = name
    Made.__doc__ = "Values without their edges."
    _export(name)(Made)


for _rank in 1, 2, 3:
    _padded(_rank, "ZeroPadding%dD" % _rank)
    _cropped(_rank, "Cropping%dD" % _rank)


@_export("UpSampling1D")
class UpSampling1D(Layer):
    def __init__(self, size=2, **kwargs):
        super().__init__(**kwargs)
        self.size = size

    def call(self, inputs):
        return tf.repeat(inputs, self.size, axis=1)


@_export("UpSampling2D")
class UpSampling2D(Layer):
    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **kwargs):
        super().__init__(**kwargs)
        self.size, self.interpolation = _layers_conv.sizes_of(size, 2, "size"), interpolation
        self.first = (data_format or backend.image_data_format()) == "channels_first"

    def call(self, inputs):
        if self.first:
            inputs = tf.transpose(inputs, [0, 2, 3, 1])
        sizes = inputs.shape.as_list()[1:3]
        new = tf.shape(inputs)[1:3] * list(self.size)
        resize = tf.image.resize_nearest_neighbor if self.interpolation == "nearest" else tf.image.resize_bilinear
        made = resize(inputs, new)
        made.set_shape([None, *[None if d is None else d * s for d, s in zip(sizes, self.size)], None])
        return tf.transpose(made, [0, 3, 1, 2]) if self.first else made


# --- Activations with settings, and noise ---

@_export("LeakyReLU")
class LeakyReLU(Layer):
    supports_masking = True

    def __init__(self, alpha=0.3, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return tf.nn.leaky_relu(inputs, self.alpha)


@_export("ReLU")
class ReLU(Layer):
    supports_masking = True

    def __init__(self, max_value=None, negative_slope=0, threshold=0, **kwargs):
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return backend.relu(inputs, self.negative_slope, self.max_value, self.threshold)


@_export("ELU")
class ELU(Layer):
    supports_masking = True

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return tf.where(inputs > 0, inputs, self.alpha * tf.nn.elu(inputs))


@_export("ThresholdedReLU")
class ThresholdedReLU(Layer):
    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        self.theta = theta

    def call(self, inputs):
        return inputs * tf.cast(inputs > self.theta, inputs.dtype)


@_export("Softmax")
class Softmax(Layer):
    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return tf.nn.softmax(inputs, axis=self.axis)


@_export("PReLU")
class PReLU(Layer):
    """A slope below 0 that is learned."""

    def __init__(self, alpha_initializer="zeros", alpha_regularizer=None, alpha_constraint=None, shared_axes=None, **kwargs):
        super().__init__(**kwargs)
        self.alpha_initializer, self.alpha_regularizer = alpha_initializer, alpha_regularizer
        self.shared_axes = [] if shared_axes is None else [shared_axes] if isinstance(shared_axes, int) else list(shared_axes)

    def build(self, input_shape):
        sizes = input_shape.as_list()[1:]
        for axis in self.shared_axes:
            sizes[axis - 1] = 1
        self.alpha = self.add_weight("alpha", sizes, initializer=self.alpha_initializer, regularizer=self.alpha_regularizer)

    def call(self, inputs):
        return tf.nn.relu(inputs) - self.alpha * tf.nn.relu(-inputs)


@_export("GaussianNoise")
class GaussianNoise(Layer):
    supports_masking = True

    def __init__(self, stddev, **kwargs):
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs, training=None):
        return backend.in_train_phase(lambda: inputs + tf.random_normal(tf.shape(inputs), stddev=self.stddev,
                                                                        dtype=inputs.dtype),
                                      lambda: tf.identity(inputs), training)


@_export("GaussianDropout")
class GaussianDropout(Layer):
    supports_masking = True

    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs, training=None):
        spread = (self.rate / (1.0 - self.rate)) ** 0.5
        return backend.in_train_phase(lambda: inputs * tf.random_normal(tf.shape(inputs), 1.0, spread, inputs.dtype),
                                      lambda: tf.identity(inputs), training)


@_export("LayerNormalization")
class LayerNormalization(Layer):
    """Each row with mean 0 and variance 1, then scaled by gamma and moved by beta."""

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon, self.center, self.scale = axis, epsilon, center, scale
        self._init = beta_initializer, gamma_initializer

    def build(self, input_shape):
        rank = input_shape.ndims
        self._axes = [a % rank for a in ([self.axis] if isinstance(self.axis, int) else self.axis)]
        sizes = [input_shape.as_list()[a] for a in self._axes]
        self.gamma = self.add_weight("gamma", sizes, initializer=self._init[1]) if self.scale else None
        self.beta = self.add_weight("beta", sizes, initializer=self._init[0]) if self.center else None

    def call(self, inputs):
        mean, variance = tf.nn.moments(inputs, self._axes, keep_dims=True)
        return tf.nn.batch_normalization(inputs, mean, variance, self.beta, self.gamma, self.epsilon)


# --- Several inputs ---

class _Merge(Layer):
    def build(self, input_shape):
        if not isinstance(input_shape, (list, tuple)) or len(input_shape) < 2:
            raise ValueError("A merge layer should be called on a list of at least 2 inputs. Got %s" % (input_shape,))

    def call(self, inputs):
        return functools.reduce(type(self)._two, inputs)


def _merging(name, function, two):
    made = type(name, (_Merge,), {"_two": staticmethod(two), "__doc__": "The inputs together, element by element."})
    _export(name)(made)

    @_export(function)
    def merge(inputs, **kwargs):
        return made(**kwargs)(inputs)


_merging("Add", "add", operator.add)
_merging("Subtract", "subtract", operator.sub)
_merging("Multiply", "multiply", operator.mul)
_merging("Maximum", "maximum", tf.maximum)
_merging("Minimum", "minimum", tf.minimum)


@_export("Average")
class Average(_Merge):
    def call(self, inputs):
        return functools.reduce(operator.add, inputs) / float(len(inputs))


@_export("average")
def average(inputs, **kwargs):
    return Average(**kwargs)(inputs)


@_export("Concatenate")
class Concatenate(_Merge):
    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return tf.concat(list(inputs), self.axis)


@_export("concatenate")
def concatenate(inputs, axis=-1, **kwargs):
    return Concatenate(axis=axis, **kwargs)(inputs)


@_export("Dot")
class Dot(_Merge):
    """The products of two inputs over one axis of each."""

    def __init__(self, axes, normalize=False, **kwargs):
        super().__init__(**kwargs)
        self.axes, self.normalize = axes, normalize

    def call(self, inputs):
        one, two = inputs
        a, b = (self.axes, self.axes) if isinstance(self.axes, int) else self.axes
        a, b = a % one.shape.ndims, b % two.shape.ndims
        if self.normalize:
            one, two = tf.nn.l2_normalize(one, a), tf.nn.l2_normalize(two, b)
        if one.shape.ndims == 2 and two.shape.ndims == 2:
            return tf.reduce_sum(one * two, 1, keepdims=True)
        if one.shape.ndims > 3 or two.shape.ndims > 3:
            raise NotImplementedError("Dot of inputs with more than 3 axes is not there")
        if one.shape.ndims == 2:
            return tf.squeeze(tf.matmul(tf.expand_dims(one, 1), two, transpose_b=b == 2), [1])
        if two.shape.ndims == 2:
            return tf.squeeze(tf.matmul(one, tf.expand_dims(two, 2), transpose_a=a == 1), [2])
        return tf.matmul(one, two, transpose_a=a == 1, transpose_b=b == 2)


@_export("dot")
def dot(inputs, axes, normalize=False, **kwargs):
    return Dot(axes, normalize, **kwargs)(inputs)


export("keras.layers.InputSpec")(InputSpec)
