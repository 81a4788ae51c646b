"""tf.nn: convolutions and pooling."""
import numpy as np

import sluice as tf
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply
from sluice._static import constant_value
from sluice._variables import Variable


def _sizes(value, rank, data_format):
    """A size for each dimension, from one number, one for each of |rank| axes in space, or all."""
    value = [1] if value is None else [int(v) for v in value] if isinstance(value, (list, tuple, np.ndarray)) else [int(value)]
    if len(value) == rank + 2:
        return value
    if len(value) not in (1, rank):
        raise ValueError("sizes should be of length 1, %d or %d but was %d" % (rank, rank + 2, len(value)))
    value = value * rank if len(value) == 1 else value
    return [1, 1] + value if data_format and data_format.startswith("NC") else [1] + value + [1]


def _padding(padding):
    """(kind, numbers) of a padding: a word, or a list of pairs."""
    if isinstance(padding, (list, tuple)):
        return "EXPLICIT", [n for pair in padding for n in pair]
    return padding, []


@export("nn.conv2d")
def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True, data_format="NHWC",  # noqa: A002
           dilations=(1, 1, 1, 1), name=None, filters=None):
    padding, explicit = _padding(padding)
    return apply("Conv2D", name, input=input, filter=filters if filter is None else filter,
                 strides=_sizes(strides, 2, data_format), padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu,
                 explicit_paddings=explicit, data_format=data_format or "NHWC", dilations=_sizes(dilations, 2, data_format))


@export("nn.conv3d")
def conv3d(input, filter=None, strides=None, padding=None, data_format="NDHWC", dilations=(1, 1, 1, 1, 1),  # noqa: A002
           name=None, filters=None):
    return apply("Conv3D", name, input=input, filter=filters if filter is None else filter,
                 strides=_sizes(strides, 3, data_format), padding=padding, data_format=data_format or "NDHWC",
                 dilations=_sizes(dilations, 3, data_format))


@export("nn.conv1d")
def conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None, data_format=None, name=None,
           input=None, dilations=None):  # noqa: A002
    """A convolution over one axis: as over two, of which one has the size 1."""
    value = input if value is None else value
    with name_scope(name, "conv1d", [value, filters]) as scope:
        if data_format not in (None, "NHWC", "NWC", "NCHW", "NCW"):
            raise ValueError("`data_format` must be 'NWC' or 'NCW'. Received: data_format=%s" % data_format)
        first = data_format in ("NCHW", "NCW")
        axis = -2 if first else -3
        form = "NCHW" if first else "NHWC"
        sizes = [[1] + _sizes(v, 1, form) if not first else [1] + _sizes(v, 1, form) for v in (stride, dilations)]
        value, filters = tf.expand_dims(value, axis), tf.expand_dims(filters, 0)
        made = apply("Conv2D", scope, input=value, filter=filters, strides=sizes[0], padding=padding,
                     use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=form, dilations=sizes[1])
        return tf.squeeze(made, [axis])


@export("nn.convolution")
def convolution(input, filter=None, padding="VALID", strides=None, dilation_rate=None, name=None,  # noqa: A002
                data_format=None, filters=None, dilations=None):
    """A convolution over one, two or three axes, by the rank of the filter."""
    filter = filters if filter is None else filter  # noqa: A001
    rate = dilations if dilation_rate is None else dilation_rate
    if not isinstance(filter, (Variable, Tensor)):
        with name_scope("convolution_internal", None, [filter, input]):
            filter = convert_to_tensor(filter, name="filters")  # noqa: A001
    if not isinstance(input, (Variable, Tensor)):
        with name_scope("convolution_internal", None, [filter, input]):
            input = convert_to_tensor(input, name="input")  # noqa: A001
    rank = filter.shape.ndims - 2
    if rank not in (1, 2, 3):
        raise ValueError("`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims=%d." % rank)
    sizes = _sizes(rate, rank, data_format)
    with name_scope(name, "convolution", [input, filter]) as scope:
        function = {1: conv1d, 2: conv2d, 3: conv3d}[rank]
        form = data_format or {1: None, 2: "NHWC", 3: "NDHWC"}[rank]
        strides = _sizes(strides, rank, data_format)
        if all(size == 1 for size in sizes):
            return function(input, filter, strides, padding, data_format=form, dilations=sizes, name=scope)
        inner = slice(2, None) if data_format and data_format.startswith("NC") else slice(1, -1)
        return with_space_to_batch(
            input, sizes[inner], padding, lambda x, pad: function(x, filter, strides, pad, data_format=form, name=scope),
            filter.shape.as_list(), data_format)


def with_space_to_batch(input, rate, padding, op, filter_shape, data_format):  # noqa: A002
    """Applies |op| with holes of |rate|: the pixels between the holes become images of their own."""
    rate = [int(r) for r in rate]
    block = convert_to_tensor(np.array(rate, np.int32), name="dilation_rate")
    if all(r == 1 for r in rate):
        return op(input, padding)
    count = len(rate)
    if padding == "SAME":
        if isinstance(filter_shape, list):
            filter_shape = convert_to_tensor(filter_shape, name="filter_shape")
        known = constant_value(filter_shape)
        extra = (known[:count] - 1) * np.array(rate)
        base = tf.stack([[int(e // 2), int(e - e // 2)] for e in extra])
    elif padding == "VALID":
        base = np.zeros([count, 2], np.int32)
    else:
        raise NotImplementedError("explicit padding of a dilated convolution is not there yet: pad with tf.pad")
    first = 2 if data_format and data_format.startswith("NC") else 1
    dims = range(first, first + count)
    space = [input.shape.as_list()[d] for d in dims]
    if None in space:
        sizes = tf.shape(input)
        space = tf.stack([sizes[d] for d in dims])
    paddings, crops = required_space_to_batch_paddings(space, block, base)
    block, paddings, crops = _all_axes(block, 1, first), _all_axes(paddings, 0, first), _all_axes(crops, 0, first)
    spread = apply("SpaceToBatchND", None, input=input, block_shape=block, paddings=paddings)
    return apply("BatchToSpaceND", None, input=op(spread, "VALID"), block_shape=block, crops=crops)


def _all_axes(values, fill, first):
    """|values| for each axis in space, with |fill| for the channels if they come first."""
    known, count = constant_value(values), values.shape.as_list()[0]
    parts = [np.full([1] + values.shape.as_list()[1:], fill, np.int32)] if first > 1 else []
    if known is None:
        return tf.concat(parts + [values[0:count]], 0)
    return np.concatenate(parts + [known])


@export("required_space_to_batch_paddings")
def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """(paddings, crops) with which space_to_batch and batch_to_space fit |block_shape|."""
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        size = convert_to_tensor(input_shape, dtype=tf.int32, name="input_shape")
        block = convert_to_tensor(block_shape, dtype=tf.int32, name="block_shape")
        count = block.shape.as_list()[0]
        base = tf.zeros([count, 2], tf.int32) if base_paddings is None else \
            convert_to_tensor(base_paddings, dtype=tf.int32, name="base_paddings")
        known = [constant_value(t) for t in (size, block, base)]
        if all(v is not None for v in known):
            size, block, base = known
        start, end = base[:, 0], base[:, 1]
        full = size + start + end
        extra = (block - full % block) % block
        end = end + extra
        return (tf.stack([[start[i], end[i]] for i in range(count)], name="paddings"),
                tf.stack([[0, extra[i]] for i in range(count)], name="crops"))


@export("nn.atrous_conv2d")
def atrous_conv2d(value, filters, rate, padding, name=None):
    return convolution(value, filters, padding, dilation_rate=[rate, rate] if isinstance(rate, int) else list(rate), name=name)


# --- Transposed ---

@export("nn.conv2d_transpose")
def conv2d_transpose(value=None, filter=None, output_shape=None, strides=None, padding="SAME",  # noqa: A002
                     data_format="NHWC", name=None, input=None, filters=None, dilations=None):  # noqa: A002
    value, filter = input if value is None else value, filters if filter is None else filter  # noqa: A001
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        padding, explicit = _padding(padding)
        return apply("Conv2DBackpropInput", scope, input_sizes=output_shape, filter=filter, out_backprop=value,
                     strides=_sizes(strides, 2, data_format), padding=padding, explicit_paddings=explicit,
                     data_format=data_format or "NHWC", dilations=_sizes(dilations, 2, data_format))


@export("nn.conv3d_transpose")
def conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding="SAME",  # noqa: A002
                     data_format="NDHWC", name=None, input=None, filters=None, dilations=None):  # noqa: A002
    value, filter = input if value is None else value, filters if filter is None else filter  # noqa: A001
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        return apply("Conv3DBackpropInputV2", scope, input_sizes=output_shape, filter=filter, out_backprop=value,
                     strides=_sizes(strides, 3, data_format), padding=padding, data_format=data_format or "NDHWC",
                     dilations=_sizes(dilations, 3, data_format))


@export("nn.conv1d_transpose")
def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC",  # noqa: A002
                     dilations=None, name=None):
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        form, axis = ("NCHW", 2) if data_format == "NCW" else ("NHWC", 1)
        sizes = [[1] + _sizes(v, 1, form) for v in (strides, dilations)]
        value, filters = tf.expand_dims(input, axis), tf.expand_dims(filters, 0)
        output_shape = output_shape if isinstance(output_shape, Tensor) else list(output_shape)
        output_shape = tf.concat([output_shape[:axis], [1], output_shape[axis:]], 0)
        made = apply("Conv2DBackpropInput", scope, input_sizes=output_shape, filter=filters, out_backprop=value,
                     strides=sizes[0], padding=padding, data_format=form, dilations=sizes[1])
        return tf.squeeze(made, [axis])


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    if rate != 1:
        raise NotImplementedError("atrous_conv2d_transpose with a rate is not there yet: use conv2d_transpose with dilations")
    return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding, name=name)


# --- Each channel on its own ---

@export("nn.depthwise_conv2d_native")
def depthwise_conv2d_native(input, filter, strides, padding, data_format="NHWC", dilations=(1, 1, 1, 1),  # noqa: A002
                            name=None):
    padding, explicit = _padding(padding)
    return apply("DepthwiseConv2dNative", name, input=input, filter=filter, strides=list(strides), padding=padding,
                 explicit_paddings=explicit, data_format=data_format or "NHWC", dilations=list(dilations))


@export("nn.depthwise_conv2d")
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None,  # noqa: A002
                     dilations=None):
    rate = dilations if rate is None else rate
    with name_scope(name, "depthwise", [input, filter]) as scope:
        input, filter = convert_to_tensor(input, name="tensor_in"), convert_to_tensor(filter, name="filter_in")  # noqa: A001
        shape = tf.shape(filter)
        return with_space_to_batch(
            input, [1, 1] if rate is None else rate, padding,
            lambda x, pad: depthwise_conv2d_native(x, filter, strides, pad, data_format, name=scope), shape, data_format)


@export("nn.separable_conv2d")
def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None, name=None,  # noqa: A002
                     data_format=None, dilations=None):
    """Each channel on its own, and then all channels of each pixel."""
    rate = dilations if rate is None else rate
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")  # noqa: A001
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        shape = tf.shape(depthwise_filter)
        deep = with_space_to_batch(
            input, [1, 1] if rate is None else rate, padding,
            lambda x, pad: depthwise_conv2d_native(x, depthwise_filter, strides, pad, data_format, name="depthwise"),
            shape, data_format)
        return conv2d(deep, pointwise_filter, [1, 1, 1, 1], "VALID", data_format=data_format, name=scope)


# --- Pooling ---

def _pool(op, rank, label=None):
    argument = {"MaxPool": "input", "AvgPool": "value", "MaxPool3D": "input", "AvgPool3D": "input"}[op]

    def pool(value=None, ksize=None, strides=None, padding=None, data_format="NHWC" if rank == 2 else "NDHWC", name=None,
             input=None):  # noqa: A002
        value = input if value is None else value
        if label is None:
            return apply(op, name, **{argument: value}, ksize=_sizes(ksize, rank, data_format),
                         strides=_sizes(strides, rank, data_format), padding=padding, data_format=data_format)
        with name_scope(name, label, [value]) as scope:
            return apply(op, scope, **{argument: convert_to_tensor(value, name="input")},
                         ksize=_sizes(ksize, rank, data_format), strides=_sizes(strides, rank, data_format),
                         padding=padding, data_format=data_format)
    return pool


max_pool, avg_pool = _pool("MaxPool", 2, "MaxPool"), _pool("AvgPool", 2, "AvgPool")
max_pool3d, avg_pool3d = _pool("MaxPool3D", 3), _pool("AvgPool3D", 3)
for _function, _name in ((max_pool, "max_pool"), (_pool("MaxPool", 2, "MaxPool2d"), "max_pool2d"), (avg_pool, "avg_pool"),
                         (_pool("AvgPool", 2, "AvgPool"), "avg_pool2d"), (max_pool3d, "max_pool3d"),
                         (avg_pool3d, "avg_pool3d")):
    export("nn." + _name)(_function)


def _pool1d(pool, label):
    def call(input, ksize, strides, padding, data_format="NWC", name=None):  # noqa: A002
        with name_scope(name, label, [input]) as scope:
            form, axis = ("NCHW", 2) if data_format == "NCW" else ("NHWC", 1)
            sizes = [[1] + _sizes(v, 1, form) for v in (ksize, strides)]
            value = tf.expand_dims(input, axis)
            return tf.squeeze(pool(value, sizes[0], sizes[1], padding, form, name=scope), axis)
    return call


export("nn.max_pool1d")(_pool1d(max_pool, "MaxPool1d"))
export("nn.avg_pool1d")(_pool1d(avg_pool, "AvgPool1D"))


@export("nn.pool")
def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None,  # noqa: A002
         data_format=None, dilations=None):
    """Pooling over one, two or three axes, by the length of the window."""
    rank = len(window_shape)
    if any(r != 1 for r in dilation_rate or dilations or [1]) or rank not in (2, 3):
        raise NotImplementedError("nn.pool over %d axes with these holes is not there yet" % rank)
    function = {("MAX", 2): max_pool, ("AVG", 2): avg_pool, ("MAX", 3): max_pool3d, ("AVG", 3): avg_pool3d}[pooling_type, rank]
    form = data_format or ("NHWC" if rank == 2 else "NDHWC")
    with name_scope(name, "%s_pool" % pooling_type.lower(), [input]) as scope:
        return function(input, list(window_shape), strides, padding, form, name=scope)


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(input, ksize, strides, padding, data_format="NHWC", Targmax=None, name=None,  # noqa: A002
                         output_dtype=None, include_batch_in_index=False):
    return apply("MaxPoolWithArgmax", name, input=input, ksize=list(ksize), strides=list(strides), padding=padding,
                 Targmax=Targmax or output_dtype or tf.int64, include_batch_in_index=include_batch_in_index)
