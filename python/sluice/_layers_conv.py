"""tf.layers: convolutions over one, two and three axes, and their functions."""
import sluice as tf
from sluice import _nn, _nn_conv
from sluice._api import export
from sluice._initializers import Zeros
from sluice._layer import InputSpec, Layer, activation_of, initializer_of


def sizes_of(value, rank, name):
    """|rank| numbers from one or |rank|."""
    if isinstance(value, (int, float)):
        return (int(value),) * rank
    try:
        sizes = tuple(int(v) for v in value)
    except (TypeError, ValueError):
        sizes = ()
    if len(sizes) != rank:
        raise ValueError("The `%s` argument must be a tuple of %d integers. Received: %s" % (name, rank, value))
    return sizes


def format_of(data_format, rank):
    """The op's word for a layer's format of data."""
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("The `data_format` argument must be one of \"channels_first\", \"channels_last\". Received: %s" %
                         data_format)
    axes = {1: "W", 2: "HW", 3: "DHW"}[rank]
    return "N%sC" % axes if data_format == "channels_last" else "NC%s" % axes


def output_length(length, size, padding, stride, dilation=1):
    if length is None:
        return None
    reach = size + (size - 1) * (dilation - 1)
    length = length if padding in ("same", "causal") else length - reach + 1
    return (length + stride - 1) // stride


def transposed_length(length, size, padding, stride):
    """The length of what a convolution with these sizes makes |length| of."""
    if length is None:
        return None
    if padding == "valid":
        return length * stride + max(size - stride, 0)
    return length * stride


class _Conv(Layer):
    """A convolution over |rank| axes."""

    def __init__(self, rank, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1,
                 activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros(), kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                 trainable=True, name=None, **kwargs):
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.rank, self.filters = rank, int(filters)
        self.kernel_size = sizes_of(kernel_size, rank, "kernel_size")
        self.strides, self.dilation_rate = sizes_of(strides, rank, "strides"), sizes_of(dilation_rate, rank, "dilation_rate")
        self.padding, self.data_format = padding.lower(), data_format
        if self.padding not in ("valid", "same", "causal"):
            raise ValueError("The `padding` argument must be one of \"valid\", \"same\" (or \"causal\"). Received: %s" % padding)
        self._format = format_of(data_format, rank)
        self.activation, self.use_bias = activation_of(activation), use_bias
        self.kernel_initializer, self.bias_initializer = initializer_of(kernel_initializer), initializer_of(bias_initializer)
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.input_spec = InputSpec(min_ndim=rank + 2)

    @property
    def _first(self):
        return self.data_format == "channels_first"

    def _channels(self, input_shape):
        axis = -1 - self.rank if self._first else -1
        found = input_shape.as_list()[axis]
        if found is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={axis: found})
        return found

    def _add_kernel(self, shape):
        self.kernel = self.add_weight("kernel", shape, initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)

    def _add_bias(self):
        self.bias = self.add_weight("bias", (self.filters,), initializer=self.bias_initializer,
                                    regularizer=self.bias_regularizer,
                                    constraint=self.bias_constraint) if self.use_bias else None
        self.built = True

    def build(self, input_shape):
        self._add_kernel(self.kernel_size + (self._channels(input_shape), self.filters))
        self._add_bias()

    def call(self, inputs):
        known = inputs.shape
        padding = self.padding.upper()
        if self.padding == "causal":
            before = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
            inputs = tf.pad(inputs, [[0, 0], [0, 0], before] if self._first else [[0, 0], before, [0, 0]])
            padding = "VALID"
        outputs = _nn_conv.convolution(inputs, self.kernel, padding, list(self.strides), list(self.dilation_rate),
                                       type(self).__name__, self._format)
        if self.use_bias:
            if self.rank == 1 and self._first:
                outputs += tf.reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = _nn.bias_add(outputs, self.bias, data_format=self._format)
        if known.ndims:
            outputs.set_shape(self.compute_output_shape(known))
        return outputs if self.activation is None else self.activation(outputs)

    def _space(self, sizes):
        return [output_length(*row) for row in zip(sizes, self.kernel_size, [self.padding] * self.rank, self.strides,
                                                   self.dilation_rate)]

    def compute_output_shape(self, input_shape):
        sizes = tf.TensorShape(input_shape).as_list()
        if self._first:
            return tf.TensorShape([sizes[0], self.filters] + self._space(sizes[2:]))
        return tf.TensorShape([sizes[0]] + self._space(sizes[1:-1]) + [self.filters])


def _conv_class(rank, label):
    ones = 1 if rank == 1 else (1,) * rank

    class Made(_Conv):
        def __init__(self, filters, kernel_size, strides=ones, padding="valid", data_format="channels_last",
                     dilation_rate=ones, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros(),
                     kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
                     bias_constraint=None, trainable=True, name=None, **kwargs):
            super().__init__(rank, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                             kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                             activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)
    Made.__name__ = Made.__qualname__ = label
    Made.__doc__ = "A convolution over %d axes." % rank
    return export("layers." + label, "layers." + label.replace("Conv", "Convolution"))(Made)


Conv1D, Conv2D, Conv3D = _conv_class(1, "Conv1D"), _conv_class(2, "Conv2D"), _conv_class(3, "Conv3D")


def _conv_function(kind, rank):
    ones = 1 if rank == 1 else (1,) * rank

    def layer(inputs, filters, kernel_size, strides=ones, padding="valid", data_format="channels_last", dilation_rate=ones,
              activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros(), kernel_regularizer=None,
              bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True,
              name=None, reuse=None):
        return kind(filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
                    kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer,
                    kernel_constraint, bias_constraint, trainable, name, _scope=name, _reuse=reuse).apply(inputs)
    return layer


conv1d = export("layers.conv1d")(_conv_function(Conv1D, 1))
conv2d = export("layers.conv2d")(_conv_function(Conv2D, 2))
conv3d = export("layers.conv3d")(_conv_function(Conv3D, 3))


# --- Transposed ---

class _ConvTranspose(_Conv):
    def build(self, input_shape):
        if input_shape.ndims != self.rank + 2:
            raise ValueError("Inputs should have rank %d. Received input shape: %s" % (self.rank + 2, input_shape))
        self._add_kernel(self.kernel_size + (self.filters, self._channels(input_shape)))
        self._add_bias()

    def _space(self, sizes):
        return [transposed_length(*row) for row in zip(sizes, self.kernel_size, [self.padding] * self.rank, self.strides)]

    def call(self, inputs):
        sizes, known = tf.shape(inputs), inputs.shape.as_list()
        batch = sizes[0]
        first = 2 if self._first else 1
        if self.rank == 2:
            space = [known[i] if known[i] is not None else sizes[i] for i in range(first, first + 2)]
        else:
            space = [sizes[i] for i in range(first, first + self.rank)]
        space = self._space(space)
        shape = tf.stack([batch, self.filters] + space if self._first else [batch] + space + [self.filters])
        if self.rank == 2:
            shape[0]  # a node that TensorFlow's graphs have too
        strides = (1, 1) + self.strides if self._first else (1,) + self.strides + (1,)
        op = {2: _nn_conv.conv2d_transpose, 3: _nn_conv.conv3d_transpose}[self.rank]
        outputs = op(inputs, self.kernel, shape, strides, self.padding.upper(), self._format)
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        if self.use_bias:
            outputs = _nn.bias_add(outputs, self.bias, data_format=self._format)
        return outputs if self.activation is None else self.activation(outputs)


def _transpose_class(rank, label):
    ones = (1,) * rank

    class Made(_ConvTranspose):
        def __init__(self, filters, kernel_size, strides=ones, padding="valid", data_format="channels_last", activation=None,
                     use_bias=True, kernel_initializer=None, bias_initializer=Zeros(), kernel_regularizer=None,
                     bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None,
                     trainable=True, name=None, **kwargs):
            super().__init__(rank, filters, kernel_size, strides, padding, data_format, 1, activation, use_bias,
                             kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
                             activity_regularizer, kernel_constraint, bias_constraint, trainable, name, **kwargs)
    Made.__name__ = Made.__qualname__ = label
    Made.__doc__ = "The transposed convolution over %d axes." % rank
    return export("layers." + label)(Made)


Conv2DTranspose, Conv3DTranspose = _transpose_class(2, "Conv2DTranspose"), _transpose_class(3, "Conv3DTranspose")


def _transpose_function(kind, rank):
    def layer(inputs, filters, kernel_size, strides=(1,) * rank, padding="valid", data_format="channels_last",
              activation=None, use_bias=True, kernel_initializer=None, bias_initializer=Zeros(), kernel_regularizer=None,
              bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True,
              name=None, reuse=None):
        return kind(filters, kernel_size, strides, padding, data_format, activation, use_bias, kernel_initializer,
                    bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint,
                    bias_constraint, trainable, name, _scope=name, _reuse=reuse).apply(inputs)
    return layer


export("layers.conv2d_transpose")(_transpose_function(Conv2DTranspose, 2))
export("layers.conv3d_transpose")(_transpose_function(Conv3DTranspose, 3))


# --- Separable ---

class _SeparableConv(_Conv):
    """Each channel on its own, then all channels of each place."""

    def __init__(self, rank, depth_multiplier, depthwise_initializer, pointwise_initializer, depthwise_regularizer,
                 pointwise_regularizer, depthwise_constraint, pointwise_constraint, *args, **kwargs):
        super().__init__(rank, *args, **kwargs)
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = initializer_of(depthwise_initializer)
        self.pointwise_initializer = initializer_of(pointwise_initializer)
        self.depthwise_regularizer, self.pointwise_regularizer = depthwise_regularizer, pointwise_regularizer
        self.depthwise_constraint, self.pointwise_constraint = depthwise_constraint, pointwise_constraint

    def build(self, input_shape):
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel", self.kernel_size + (channels, self.depth_multiplier), initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer, constraint=self.depthwise_constraint)
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", (1,) * self.rank + (self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint)
        self._add_bias()

    def call(self, inputs):
        form = format_of(self.data_format, 2)
        depthwise, pointwise, rate, strides = self.depthwise_kernel, self.pointwise_kernel, self.dilation_rate, self.strides
        axis = 2 if self._first else 1
        if self.rank == 1:
            strides, rate = self.strides * 2, (1,) + self.dilation_rate
            inputs = tf.expand_dims(inputs, axis)
            depthwise, pointwise = tf.expand_dims(depthwise, 0), tf.expand_dims(pointwise, 0)
        strides = (1, 1) + strides if self._first else (1,) + strides + (1,)
        outputs = _nn_conv.separable_conv2d(inputs, depthwise, pointwise, strides, self.padding.upper(), rate,
                                            data_format=form)
        if self.use_bias:
            outputs = _nn.bias_add(outputs, self.bias, data_format=form)
        if self.rank == 1:
            outputs = tf.squeeze(outputs, [axis])
        return outputs if self.activation is None else self.activation(outputs)


def _separable_class(rank, label):
    ones = 1 if rank == 1 else (1,) * rank

    class Made(_SeparableConv):
        def __init__(self, filters, kernel_size, strides=ones, padding="valid", data_format="channels_last",
                     dilation_rate=ones, depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None,
                     pointwise_initializer=None, bias_initializer=Zeros(), depthwise_regularizer=None,
                     pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
            super().__init__(rank, depth_multiplier, depthwise_initializer, pointwise_initializer, depthwise_regularizer,
                             pointwise_regularizer, depthwise_constraint, pointwise_constraint, filters, kernel_size,
                             strides, padding, data_format, dilation_rate, activation, use_bias,
                             bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
                             activity_regularizer=activity_regularizer, bias_constraint=bias_constraint,
                             trainable=trainable, name=name, **kwargs)
    Made.__name__ = Made.__qualname__ = label
    Made.__doc__ = "A separable convolution over %d axes." % rank
    return export("layers." + label)(Made)


def _separable_function(kind):
    def layer(inputs, filters, kernel_size, *args, name=None, reuse=None, **kwargs):
        return kind(filters, kernel_size, *args, name=name, _scope=name, _reuse=reuse, **kwargs).apply(inputs)
    return layer


SeparableConv1D, SeparableConv2D = _separable_class(1, "SeparableConv1D"), _separable_class(2, "SeparableConv2D")
export("layers.separable_conv1d")(_separable_function(SeparableConv1D))
export("layers.separable_conv2d")(_separable_function(SeparableConv2D))
