"""Functions of tf.nn that are nearly ops: gradients of convolutions, dilation, pooling with random regions, CTC."""
import sluice as tf
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import name_scope
from sluice._oplib import apply


@export("nn.conv2d_backprop_filter")
def conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=True,  # noqa: A002
                           data_format="NHWC", dilations=(1, 1, 1, 1), name=None):
    return apply("Conv2DBackpropFilter", name, input=input, filter_sizes=filter_sizes, out_backprop=out_backprop,
                 strides=list(strides), padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu, data_format=data_format,
                 dilations=list(dilations))


@export("nn.conv2d_backprop_input")
def conv2d_backprop_input(input_sizes, filter=None, out_backprop=None, strides=None, padding=None,  # noqa: A002
                          use_cudnn_on_gpu=True, data_format="NHWC", dilations=(1, 1, 1, 1), name=None, filters=None):
    return apply("Conv2DBackpropInput", name, input_sizes=input_sizes, filter=filter if filters is None else filters,
                 out_backprop=out_backprop, strides=list(strides), padding=padding, use_cudnn_on_gpu=use_cudnn_on_gpu,
                 data_format=data_format, dilations=list(dilations))


@export("nn.depthwise_conv2d_backprop_filter", "nn.depthwise_conv2d_native_backprop_filter")
def depthwise_conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding, data_format="NHWC",  # noqa: A002
                                     dilations=(1, 1, 1, 1), name=None):
    return apply("DepthwiseConv2dNativeBackpropFilter", name, input=input, filter_sizes=filter_sizes,
                 out_backprop=out_backprop, strides=list(strides), padding=padding, data_format=data_format,
                 dilations=list(dilations))


@export("nn.depthwise_conv2d_backprop_input", "nn.depthwise_conv2d_native_backprop_input")
def depthwise_conv2d_backprop_input(input_sizes, filter, out_backprop, strides, padding, data_format="NHWC",  # noqa: A002
                                    dilations=(1, 1, 1, 1), name=None):
    return apply("DepthwiseConv2dNativeBackpropInput", name, input_sizes=input_sizes, filter=filter,
                 out_backprop=out_backprop, strides=list(strides), padding=padding, data_format=data_format,
                 dilations=list(dilations))


@export("nn.dilation2d")
def dilation2d(input, filter=None, strides=None, rates=None, padding=None, name=None, filters=None,  # noqa: A002
               dilations=None):
    return apply("Dilation2D", name, input=input, filter=filter if filters is None else filters, strides=list(strides),
                 rates=list(rates if dilations is None else dilations), padding=padding)


@export("nn.erosion2d")
def erosion2d(value, kernel, strides, rates, padding, name=None):
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        kernel = tf.reverse(kernel, [0, 1])
        grown = apply("Dilation2D", scope, input=tf.negative(value), filter=kernel, strides=list(strides), rates=list(rates),
                      padding=padding)
        return tf.negative(grown)


def _fractional(op, label):
    def call(value, pooling_ratio, pseudo_random=False, overlapping=False, deterministic=False, seed=0, seed2=0, name=None):
        return apply(op, name, value=value, pooling_ratio=list(pooling_ratio), pseudo_random=pseudo_random,
                     overlapping=overlapping, deterministic=deterministic, seed=seed, seed2=seed2)
    call.__name__ = call.__qualname__ = label
    return export("nn." + label)(call)


fractional_max_pool = _fractional("FractionalMaxPool", "fractional_max_pool")
fractional_avg_pool = _fractional("FractionalAvgPool", "fractional_avg_pool")


def _pool_v2(kind):
    def call(input, ksize, strides, padding, data_format=None, name=None):  # noqa: A002
        rank = len(data_format) - 2 if data_format is not None else convert_to_tensor(input).shape.ndims - 2
        if rank not in (1, 2, 3):
            raise ValueError("Input tensor must be of rank 3, 4 or 5 but was %d." % (rank + 2))
        pool = getattr(tf.nn, "%s_pool%dd" % (kind, rank))
        return pool(input, ksize, strides, padding, data_format or ("NWC", "NHWC", "NDHWC")[rank - 1], name)
    call.__name__ = call.__qualname__ = kind + "_pool_v2"
    return export("nn.%s_pool_v2" % kind)(call)


avg_pool_v2, max_pool_v2 = _pool_v2("avg"), _pool_v2("max")


@export("nn.conv_transpose")
def conv_transpose(input, filters, output_shape, strides, padding="SAME", data_format=None, dilations=None,  # noqa: A002
                   name=None):
    """The gradient of a convolution over 1, 2 or 3 axes."""
    with name_scope(name, "conv_transpose", [input, filters]):
        rank = convert_to_tensor(filters).shape.ndims - 2
        if rank not in (1, 2, 3):
            raise ValueError("output_shape must be of length 3, 4 or 5 but was %d." % (rank + 2))
        call = getattr(tf.nn, "conv%dd_transpose" % rank)
        form = data_format or ("NWC", "NHWC", "NDHWC")[rank - 1]
        if isinstance(strides, int) and rank > 1:
            strides = [1] + [strides] * rank + [1] if not form.startswith("NC") else [1, 1] + [strides] * rank
        options = {} if dilations is None else {"dilations": dilations}
        return call(input, filters, output_shape, strides, padding=padding, data_format=form, **options)


@export("nn.compute_average_loss")
def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of |per_example_loss|, weighted, over the size of the batch."""
    loss = convert_to_tensor(per_example_loss)
    if sample_weight is not None:
        loss = loss * tf.cast(sample_weight, loss.dtype)
    size = tf.shape(loss)[0] if global_batch_size is None else global_batch_size
    return tf.reduce_sum(loss) / tf.cast(size, loss.dtype)


@export("nn.collapse_repeated")
def collapse_repeated(labels, seq_length, name=None):
    """Rows without the labels that follow an equal one: (labels, lengths)."""
    with name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = convert_to_tensor(labels, name="labels")
        seq_length = convert_to_tensor(seq_length, name="seq_length")
        first = tf.fill([tf.shape(labels)[0], 1], True)
        differs = tf.concat([first, tf.not_equal(labels[:, 1:], labels[:, :-1])], 1)
        width = tf.shape(labels)[1]
        kept = tf.logical_and(differs, tf.sequence_mask(seq_length, width))
        lengths = tf.reduce_sum(tf.cast(kept, tf.int32), 1)
        longest = tf.reduce_max(lengths)
        places = tf.where(tf.sequence_mask(lengths, longest))
        made = tf.scatter_nd(places, tf.boolean_mask(labels, kept),
                             tf.cast(tf.stack([tf.shape(labels)[0], longest]), places.dtype))
        return made, tf.cast(lengths, seq_length.dtype)


@export("nn.ctc_unique_labels")
def ctc_unique_labels(labels, name=None):
    """The different labels of each row, and which of them each place has."""
    with name_scope(name, "ctc_unique_labels", [labels]):
        labels = convert_to_tensor(labels, name="labels")

        def row(x):
            values, places = tf.unique(x)
            size = tf.shape(x)[0]
            return tf.concat([values, tf.zeros([size - tf.size(values)], values.dtype)], 0), places
        return tf.map_fn(row, labels, dtype=(labels.dtype, tf.int32))


@export("nn.ctc_loss_v2", "ctc_loss_v2")
def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None):
    """The CTC loss of sparse labels, or of dense ones with their lengths. The blank is class 0 unless said otherwise."""
    with name_scope(name, "ctc_loss", [logits]):
        logits = convert_to_tensor(logits)
        if not logits_time_major:
            logits = tf.transpose(logits, [1, 0, 2])
        classes = logits.shape.as_list()[2]
        if classes is None:
            raise ValueError("the number of classes, the last dimension of logits, must be known")
        is_sparse = isinstance(labels, tf.SparseTensor)
        if is_sparse and blank_index is None:
            raise ValueError("blank_index must be given when using SparseTensor labels.")
        blank = 0 if blank_index is None else blank_index + classes if blank_index < 0 else blank_index
        if not is_sparse:
            labels = convert_to_tensor(labels)
            places = tf.where(tf.sequence_mask(label_length, tf.shape(labels)[1]))
            labels = tf.SparseTensor(places, tf.gather_nd(labels, places), tf.shape(labels, out_type=tf.int64))
        values = tf.cast(labels.values, tf.int32)
        if blank != classes - 1:  # the op has the blank as its last class
            logits = tf.concat([logits[:, :, :blank], logits[:, :, blank + 1:], logits[:, :, blank:blank + 1]], 2)
            values = tf.where(values < blank, values, values - 1)
        return tf.nn.ctc_loss(tf.SparseTensor(labels.indices, values, labels.dense_shape), logits, logit_length,
                              time_major=True)
