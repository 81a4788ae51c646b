"""tf.nn: activations, normalisation, moments and other losses."""
import math

import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import Tensor, name_scope
from sluice._oplib import apply


# --- Activations ---

def _converted(op, label):
    def call(features, name=None):
        with name_scope(name, label, [features]) as scope:
            return apply(op, scope, features=convert_to_tensor(features, name="features"))
    return call


export("nn.relu6")(_converted("Relu6", "Relu6"))


@export("nn.softplus", "math.softplus")
def softplus(features, name=None):
    return apply("Softplus", name, features=features)


@export("math.log_sigmoid", "log_sigmoid")
def log_sigmoid(x, name=None):
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return apply("Neg", scope, x=apply("Softplus", None, features=-x))


@export("nn.leaky_relu")
def leaky_relu(features, alpha=0.2, name=None):
    with name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = tf.cast(features, tf.float32)
        return apply("LeakyRelu", scope, features=features, alpha=float(alpha))


@export("nn.crelu")
def crelu(features, name=None, axis=-1):
    """The positive part and the negative part, side by side."""
    with name_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return apply("Relu", None, features=tf.concat([features, -features], axis, name=scope))


@export("nn.swish", "nn.silu")
def swish(features, beta=1.0):
    features = convert_to_tensor(features, name="features")
    return features * tf.sigmoid(features if isinstance(beta, float) and beta == 1.0 else beta * features)


@export("nn.relu_layer")
def relu_layer(x, weights, biases, name=None):
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name="x"), convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return apply("Relu", scope, features=tf.nn.bias_add(tf.matmul(x, weights), biases))


# --- Moments and normalisation ---

@export("nn.moments")
def moments(x, axes, shift=None, name=None, keep_dims=None, keepdims=None):
    """(mean, variance) over |axes|"""
    keep = bool(keepdims if keepdims is not None else keep_dims)
    with name_scope(name, "moments", [x, axes]):
        x = convert_to_tensor(x)
        half = x.dtype.base_dtype == tf.float16
        y = tf.cast(x, tf.float32) if half else x
        mean = tf.reduce_mean(y, axes, keepdims=True, name="mean")
        variance = tf.reduce_mean(tf.squared_difference(y, tf.stop_gradient(mean)), axes, keepdims=True, name="variance")
        if not keep:
            mean, variance = tf.squeeze(mean, axes), tf.squeeze(variance, axes)
        return (tf.cast(mean, tf.float16), tf.cast(variance, tf.float16)) if half else (mean, variance)


@export("nn.weighted_moments")
def weighted_moments(x, axes, frequency_weights, name=None, keep_dims=None, keepdims=None):
    keep = bool(keepdims if keepdims is not None else keep_dims)
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        weights = tf.cast(weights, x.dtype.base_dtype)
        total = tf.reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        spread = weights + tf.zeros_like(x)
        count = tf.reduce_sum(spread, axes, name="sum_of_weights", keepdims=True)
        mean = tf.math.divide_no_nan(total, count)
        squares = tf.reduce_sum(weights * tf.squared_difference(x, mean), axes, name="weighted_distsq", keepdims=True)
        variance = tf.math.divide_no_nan(squares, count)
        return (mean, variance) if keep else (tf.squeeze(mean, axes), tf.squeeze(variance, axes))


@export("nn.sufficient_statistics")
def sufficient_statistics(x, axes, shift=None, keep_dims=None, name=None, keepdims=None):
    """(count, sum, sum of squares, shift), from which normalize_moments makes the moments"""
    keep, axes = bool(keepdims if keepdims is not None else keep_dims), list(set(axes))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        sizes = x.shape.as_list() if x.shape.ndims is not None else None
        if sizes is not None and all(sizes[d] is not None for d in axes):
            counts = constant(math.prod(sizes[d] for d in axes), dtype=x.dtype.base_dtype)
        else:
            rank = tf.rank(x)
            axes_above = [axis + rank if axis < 0 else axis for axis in axes]
            dims = tf.gather(tf.cast(tf.shape(x), x.dtype.base_dtype), axes_above)
            counts = tf.reduce_prod(dims, name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            sums, squares = tf.subtract(x, shift), tf.squared_difference(x, shift)
        else:
            sums, squares = x, tf.square(x)
        return (counts, tf.reduce_sum(sums, axes, keepdims=keep, name="mean_ss"),
                tf.reduce_sum(squares, axes, keepdims=keep, name="var_ss"), shift)


@export("nn.normalize_moments")
def normalize_moments(counts, mean_ss, variance_ss, shift, name=None):
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = apply("Reciprocal", "divisor", x=counts)
        if shift is not None:
            shifted = tf.multiply(mean_ss, divisor, name="shifted_mean")
            mean = tf.add(shifted, shift, name="mean")
        else:
            mean = shifted = tf.multiply(mean_ss, divisor, name="mean")
        return mean, tf.subtract(tf.multiply(variance_ss, divisor), tf.square(shifted), name="variance")


@export("nn.batch_normalization")
def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        inverse = tf.rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse *= scale
        x = convert_to_tensor(x)
        dtype = x.dtype.base_dtype
        return x * tf.cast(inverse, dtype) + tf.cast(offset - mean * inverse if offset is not None else -mean * inverse, dtype)


@export("nn.batch_norm_with_global_normalization")
def batch_norm_with_global_normalization(t=None, m=None, v=None, beta=None, gamma=None, variance_epsilon=None,
                                         scale_after_normalization=None, name=None, input=None, mean=None,  # noqa: A002
                                         variance=None):
    return batch_normalization(input if t is None else t, mean if m is None else m, variance if v is None else v, beta,
                               gamma if scale_after_normalization else None, variance_epsilon, name)


@export("nn.fused_batch_norm")
def fused_batch_norm(x, scale, offset, mean=None, variance=None, epsilon=0.001, data_format="NHWC", is_training=True,
                     name=None, exponential_avg_factor=1.0):
    """(normalised, mean, variance)"""
    if not is_training and (mean is None or variance is None):
        raise ValueError("Both `mean` and `variance` must be a 1D tensor when `is_training` is False")
    x, scale = convert_to_tensor(x, name="input"), convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([]) if mean is None else mean
    variance = constant([]) if variance is None else variance
    made = apply("FusedBatchNormV3", name, x=x, scale=scale, offset=offset, mean=mean, variance=variance, epsilon=epsilon,
                 exponential_avg_factor=exponential_avg_factor, data_format=data_format, is_training=is_training)
    return made.y, made.batch_mean, made.batch_variance


@export("nn.l2_normalize", "math.l2_normalize", "linalg.l2_normalize")
def l2_normalize(x, axis=None, epsilon=1e-12, name=None, dim=None):
    axis = dim if axis is None else axis
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        total = tf.reduce_sum(tf.square(x), axis, keepdims=True)
        return tf.multiply(x, tf.rsqrt(tf.maximum(total, epsilon)), name=scope)


@export("nn.zero_fraction", "math.zero_fraction")
def zero_fraction(value, name=None):
    """The part of the elements that are zero."""
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        size = tf.size(value, out_type=tf.int64)
        count = tf.cond(size <= tf.int32.max, lambda: tf.cast(_count_nonzero(value, tf.int32), tf.int64),
                        lambda: _count_nonzero(value, tf.int64))
        with name_scope("counts_to_fraction"):
            zeros = tf.cast(size - count, tf.float32)
            fraction = zeros / tf.cast(size, tf.float32)
        return tf.identity(fraction, "fraction")


def _count_nonzero(value, dtype):
    with name_scope("count_nonzero", values=[value]):
        zero = tf.zeros([], dtype=value.dtype.base_dtype)
        return tf.reduce_sum(tf.cast(tf.not_equal(value, zero), dtype), name="nonzero_count")


# --- Losses and ranks ---

@export("nn.weighted_cross_entropy_with_logits")
def weighted_cross_entropy_with_logits(labels=None, logits=None, pos_weight=None, name=None, targets=None):
    labels = targets if labels is None else labels
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits, labels = convert_to_tensor(logits, name="logits"), convert_to_tensor(labels, name="labels")
        if not logits.shape.is_compatible_with(labels.shape):
            raise ValueError("`logits` and `labels` must have the same shape, received (%s vs %s)." %
                             (logits.shape, labels.shape))
        weight = 1 + (pos_weight - 1) * labels
        return tf.add((1 - labels) * logits,
                      weight * (tf.log1p(tf.exp(-tf.abs(logits))) + tf.nn.relu(-logits)), name=scope)


@export("nn.log_poisson_loss")
def log_poisson_loss(targets, log_input, compute_full_loss=False, name=None):
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        result = tf.exp(log_input) - log_input * targets
        if compute_full_loss:
            half = constant(0.5, dtype=targets.dtype.base_dtype)
            two_pi = constant(2 * math.pi, dtype=targets.dtype.base_dtype)
            stirling = (targets * tf.log(targets)) - targets + (half * tf.log(two_pi * targets))
            zeros, ones = tf.zeros_like(targets), tf.ones_like(targets)
            small = tf.logical_and(targets >= zeros, targets <= ones)
            result += tf.where(small, zeros, stirling)
        return result


@export("nn.top_k", "math.top_k")
def top_k(input, k=1, sorted=True, name=None):  # noqa: A002
    return apply("TopKV2", name, input=input, k=k, sorted=sorted)


@export("nn.in_top_k", "math.in_top_k")
def in_top_k(predictions, targets, k, name=None):
    with name_scope(name, "in_top_k"):
        return apply("InTopKV2", None, predictions=predictions, targets=targets, k=k)


@export("math.divide_no_nan", "div_no_nan")
def divide_no_nan(x, y, name=None):
    """x / y, and 0 where |y| is 0."""
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        if not isinstance(x, Tensor) and isinstance(y, Tensor):
            x = convert_to_tensor(x, dtype=y.dtype.base_dtype, name="x")
        else:
            x = convert_to_tensor(x, name="x")
            y = convert_to_tensor(y, dtype_hint=x.dtype.base_dtype, name="y")
        return apply("DivNoNan", scope, x=x, y=y)
