"""tf.contrib.layers, and tf.contrib.slim: layers with their names of variables and their defaults."""
import sluice as tf
from sluice import _losses
from sluice._api import export
from sluice._arg_scope import add_arg_scope
from sluice._graph import GraphKeys, add_to_collections
from sluice._initializers import Ones, VarianceScaling, Zeros, xavier_initializer
from sluice._layers_conv import Conv1D, Conv2D, Conv2DTranspose, Conv3D, SeparableConv2D
from sluice._layers_core import Dense
from sluice._layers_norm import BatchNormalization
from sluice._regularizers import get_regularization_losses
from sluice._variable_scope import variable_scope


def _layer(*names):
    """Public in tf.contrib.layers and tf.contrib.slim, with default arguments by arg_scope."""
    def register(function):
        return export(*["contrib.%s.%s" % (where, name) for name in names for where in ("layers", "slim")])(
            add_arg_scope(function))
    return register


def _renaming(names, collections):
    """A custom getter that gives variables the layers' names and puts them into collections."""
    def getter(inner, name, *args, **kwargs):
        scope, _, last = name.rpartition("/")
        renamed = names.get(last, last)
        wanted = collections.get(last) if isinstance(collections, dict) else collections
        found = list(kwargs.pop("collections", None) or [GraphKeys.GLOBAL_VARIABLES])
        kwargs["collections"] = found + [GraphKeys.MODEL_VARIABLES] + list(wanted or [])
        return inner(*args, name=scope + "/" + renamed if scope else renamed, **kwargs)
    return lambda inner, *args, **kwargs: getter(inner, kwargs.pop("name", None) or args[0], *args[1:], **kwargs)


def _collected(collections, scope, outputs):
    if collections:
        outputs.alias = scope.original_name_scope[:-1]
        add_to_collections(collections, outputs)
    return outputs


_NAMES = {"kernel": "weights", "bias": "biases", "depthwise_kernel": "depthwise_weights",
          "pointwise_kernel": "pointwise_weights"}


def _finish(outputs, scope, activation_fn, normalizer_fn, normalizer_params, outputs_collections):
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return _collected(outputs_collections, scope, outputs)


@_layer("fully_connected")
def fully_connected(inputs, num_outputs, activation_fn="relu", normalizer_fn=None,
                    normalizer_params=None, weights_initializer=None, weights_regularizer=None,
                    biases_initializer=Zeros(), biases_regularizer=None, reuse=None, variables_collections=None,
                    outputs_collections=None, trainable=True, scope=None):
    """activation_fn(inputs x weights + biases); with a normalizer, without biases."""
    getter = _renaming(_NAMES, _by_layer_name(variables_collections))
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as entered:
        inputs = tf.convert_to_tensor(inputs)
        layer = Dense(num_outputs, use_bias=not normalizer_fn and biases_initializer is not None,
                      kernel_initializer=weights_initializer or xavier_initializer(), bias_initializer=biases_initializer,
                      kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable,
                      name=entered.name, dtype=inputs.dtype.base_dtype, _scope=entered, _reuse=reuse)
        return _finish(layer.apply(inputs), entered, _activation(activation_fn), normalizer_fn, normalizer_params,
                       outputs_collections)


def _activation(value):
    return tf.nn.relu if value == "relu" else value


def _by_layer_name(collections):
    """Collections by the layer's own names of variables, from those by weights and biases."""
    if isinstance(collections, dict):
        back = {value: key for key, value in _NAMES.items()}
        return {back.get(key, key): value for key, value in collections.items()}
    return collections


def _convolution(kinds, label):
    def layer(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1, activation_fn="relu",
              normalizer_fn=None, normalizer_params=None, weights_initializer=None, weights_regularizer=None,
              biases_initializer=Zeros(), biases_regularizer=None, reuse=None, variables_collections=None,
              outputs_collections=None, trainable=True, scope=None):
        getter = _renaming(_NAMES, _by_layer_name(variables_collections))
        with variable_scope(scope, label, [inputs], reuse=reuse, custom_getter=getter) as entered:
            inputs = tf.convert_to_tensor(inputs)
            kind = kinds[inputs.shape.ndims]
            first = data_format is not None and data_format.startswith("NC")
            more = {} if kind is Conv2DTranspose else {"dilation_rate": rate}
            made = kind(num_outputs, kernel_size, stride, padding, "channels_first" if first else "channels_last",
                        use_bias=not normalizer_fn and biases_initializer is not None,
                        kernel_initializer=weights_initializer or xavier_initializer(), bias_initializer=biases_initializer,
                        kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable,
                        name=entered.name, dtype=inputs.dtype.base_dtype, _scope=entered, _reuse=reuse, **more)
            return _finish(made.apply(inputs), entered, _activation(activation_fn), normalizer_fn, normalizer_params,
                           outputs_collections)
    layer.__name__ = layer.__qualname__ = label
    return layer


_KINDS = {3: Conv1D, 4: Conv2D, 5: Conv3D}
convolution2d = _layer("conv2d", "convolution2d", "convolution", "conv3d", "conv1d")(_convolution(_KINDS, "Conv"))
_layer("conv2d_transpose", "convolution2d_transpose")(_convolution({4: Conv2DTranspose}, "Conv2d_transpose"))


@_layer("separable_conv2d", "separable_convolution2d")
def separable_conv2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding="SAME", data_format="NHWC",
                     rate=1, activation_fn="relu", normalizer_fn=None, normalizer_params=None, weights_initializer=None,
                     pointwise_initializer=None, weights_regularizer=None, biases_initializer=Zeros(),
                     biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None,
                     trainable=True, scope=None):
    if num_outputs is None:
        raise NotImplementedError("separable_conv2d without num_outputs is not there yet: use tf.nn.depthwise_conv2d")
    getter = _renaming(_NAMES, _by_layer_name(variables_collections))
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as entered:
        inputs = tf.convert_to_tensor(inputs)
        weights = weights_initializer or xavier_initializer()
        made = SeparableConv2D(num_outputs, kernel_size, stride, padding,
                               "channels_first" if data_format.startswith("NC") else "channels_last", rate, depth_multiplier,
                               use_bias=not normalizer_fn and biases_initializer is not None,
                               depthwise_initializer=weights, pointwise_initializer=pointwise_initializer or weights,
                               bias_initializer=biases_initializer, depthwise_regularizer=weights_regularizer,
                               pointwise_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                               trainable=trainable, name=entered.name, dtype=inputs.dtype.base_dtype, _scope=entered,
                               _reuse=reuse)
        return _finish(made.apply(inputs), entered, _activation(activation_fn), normalizer_fn, normalizer_params,
                       outputs_collections)


@_layer("batch_norm")
def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None,
               param_regularizers=None, updates_collections=GraphKeys.UPDATE_OPS, is_training=True, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True, batch_weights=None, fused=None,
               data_format="NHWC", zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None,
               renorm_decay=0.99, adjustment=None):
    """Batch normalisation. Without |updates_collections|, the averages are moved before the output is there."""
    if batch_weights is not None or zero_debias_moving_mean:
        raise NotImplementedError("batch_weights and zero_debias_moving_mean are not there yet")
    first, regularizers = param_initializers or {}, param_regularizers or {}
    getter = _renaming({}, variables_collections)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=getter) as entered:
        inputs = tf.convert_to_tensor(inputs)
        layer = BatchNormalization(
            1 if data_format.startswith("NC") else -1, decay, epsilon, center, scale, first.get("beta", Zeros()),
            first.get("gamma", Ones()), first.get("moving_mean", Zeros()), first.get("moving_variance", Ones()),
            regularizers.get("beta"), regularizers.get("gamma"), renorm=renorm, renorm_clipping=renorm_clipping,
            renorm_momentum=renorm_decay, adjustment=adjustment, trainable=trainable, name=entered.name, fused=fused,
            _scope=entered, _reuse=reuse)
        collection = tf.get_collection_ref(GraphKeys.UPDATE_OPS)
        kept = list(collection)
        outputs = layer.apply(inputs, training=is_training)
        collection[:] = kept  # where the updates go, the caller says
        if updates_collections is None:
            with tf.control_dependencies(layer.updates):
                outputs = tf.identity(outputs)
        else:
            for update in layer.updates:
                add_to_collections(updates_collections, update)
        return _finish(outputs, entered, activation_fn, None, None, outputs_collections)


@_layer("layer_norm")
def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None,
               outputs_collections=None, trainable=True, begin_norm_axis=1, begin_params_axis=-1, scope=None):
    """Each example with mean 0 and variance 1."""
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse,
                        custom_getter=_renaming({}, variables_collections)) as entered:
        inputs = tf.convert_to_tensor(inputs)
        rank, shape, dtype = inputs.shape.ndims, inputs.shape[begin_params_axis:], inputs.dtype.base_dtype
        beta = tf.get_variable("beta", shape, dtype, Zeros(), trainable=trainable) if center else None
        gamma = tf.get_variable("gamma", shape, dtype, Ones(), trainable=trainable) if scale else None
        axes = list(range(begin_norm_axis + rank if begin_norm_axis < 0 else begin_norm_axis, rank))
        mean, variance = tf.nn.moments(inputs, axes, keep_dims=True)
        outputs = tf.nn.batch_normalization(inputs, mean, variance, beta, gamma, 1e-3 if dtype == tf.float16 else 1e-12)
        outputs.set_shape(inputs.shape)
        return _finish(outputs, entered, activation_fn, None, None, outputs_collections)


def _pooling(function, label):
    def layer(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
        from sluice._graph import name_scope
        with name_scope(scope, label, [inputs]) as name:
            outputs = getattr(tf.nn, function)(inputs, kernel_size, stride, padding, data_format or "NHWC")
            if outputs_collections:
                outputs.alias = name[:-1]
                add_to_collections(outputs_collections, outputs)
            return outputs
    layer.__name__ = layer.__qualname__ = function + "2d"
    return layer


max_pool2d = _layer("max_pool2d")(_pooling("max_pool", "MaxPool2D"))
avg_pool2d = _layer("avg_pool2d")(_pooling("avg_pool", "AvgPool2D"))


@_layer("dropout")
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    with variable_scope(scope, "Dropout", [inputs], custom_getter=_renaming({}, None)) as entered:
        outputs = tf.layers.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=entered.name,
                                    _scope=entered).apply(tf.convert_to_tensor(inputs), training=is_training)
        return _collected(outputs_collections, entered, outputs)


@_layer("flatten")
def flatten(inputs, outputs_collections=None, scope=None):
    from sluice._graph import name_scope
    with name_scope(scope, "Flatten", [inputs]):
        outputs = tf.layers.flatten(tf.convert_to_tensor(inputs))
        if outputs_collections:
            add_to_collections(outputs_collections, outputs)
        return outputs


@_layer("softmax")
def softmax(logits, scope=None):
    """Over the last axis."""
    with variable_scope(scope, "softmax", [logits]):
        classes = tf.shape(logits)[-1]
        flat = tf.reshape(logits, tf.stack([-1, classes]))
        made = tf.reshape(tf.nn.softmax(flat), tf.shape(logits))
        made.set_shape(logits.shape)
        return made


@_layer("one_hot_encoding")
def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    from sluice._graph import name_scope
    with name_scope(scope, "OneHotEncoding", [labels, num_classes]):
        labels = tf.convert_to_tensor(labels)
        labels = tf.cast(labels, tf.int64) if labels.dtype == tf.int32 else labels
        return tf.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)


@_layer("repeat")
def repeat(inputs, repetitions, layer, *args, **kwargs):
    """A layer |repetitions| times: repeat(x, 3, conv2d, 64, 3, scope="conv1") makes conv1/conv1_1 and so on."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        label = scope if scope is not None else getattr(layer, "__name__", "repeat")
        for i in range(repetitions):
            inputs = layer(inputs, *args, **dict(kwargs, scope="%s_%d" % (label, i + 1)))
        return inputs


@_layer("stack")
def stack(inputs, layer, stack_args, **kwargs):
    """A layer once for each of |stack_args|."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack", [inputs]):
        label = scope if scope is not None else getattr(layer, "__name__", "stack")
        for i, args in enumerate(stack_args):
            args = args if isinstance(args, (list, tuple)) else [args]
            inputs = layer(inputs, *args, **dict(kwargs, scope="%s_%d" % (label, i + 1)))
        return inputs


@_layer("embed_sequence")
def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True,
                   scope=None, reuse=None):
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        table = tf.contrib.framework.model_variable("embeddings", [vocab_size, embed_dim], initializer=initializer,
                                                    regularizer=regularizer, trainable=trainable)
        return tf.nn.embedding_lookup(table, tf.convert_to_tensor(ids))


@export("contrib.layers.variance_scaling_initializer", "contrib.slim.variance_scaling_initializer")
def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype="float32"):
    """By default as for rectified units."""
    return VarianceScaling(factor, mode.lower(), "uniform" if uniform else "truncated_normal", seed, dtype)


def _relu(inputs, num_outputs, **kwargs):
    return fully_connected(inputs, num_outputs, activation_fn=tf.nn.relu, **kwargs)


export("contrib.layers.relu")(_relu)


@export("contrib.layers.linear", "contrib.slim.linear")
def linear(inputs, num_outputs, **kwargs):
    """fully_connected without an activation."""
    return fully_connected(inputs, num_outputs, **dict({"activation_fn": None}, **kwargs))


# --- Training ---

OPTIMIZERS = {"Adagrad": "AdagradOptimizer", "Adam": "AdamOptimizer", "Ftrl": "FtrlOptimizer",
              "Momentum": "MomentumOptimizer", "RMSProp": "RMSPropOptimizer", "SGD": "GradientDescentOptimizer"}


@export("contrib.layers.optimize_loss")
def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None, gradient_multipliers=None,
                  clip_gradients=None, learning_rate_decay_fn=None, update_ops=None, variables=None, name=None,
                  summaries=None, colocate_gradients_with_ops=False, increment_global_step=True):
    """The operation that trains one step; its value is the loss."""
    if gradient_noise_scale is not None:
        raise NotImplementedError("gradient_noise_scale is not there yet")
    with variable_scope(name, "OptimizeLoss", [loss, global_step]):
        global_step = tf.train.get_global_step() if global_step is None else global_step
        updates = set(tf.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
        if updates:
            with tf.control_dependencies(sorted(updates, key=lambda op: op.name)):
                loss = tf.identity(loss)
        rate = learning_rate
        if isinstance(rate, float):
            rate = tf.get_variable("learning_rate", [], trainable=False, initializer=tf.constant_initializer(rate))
        if learning_rate_decay_fn is not None:
            rate = learning_rate_decay_fn(rate, global_step)
        if isinstance(optimizer, str):
            if optimizer not in OPTIMIZERS:
                raise ValueError("Optimizer name should be one of [%s], you provided %s." %
                                 (", ".join(OPTIMIZERS), optimizer))
            kind = getattr(tf.train, OPTIMIZERS[optimizer])
            optimizer = kind(learning_rate=rate, momentum=0.9) if optimizer == "Momentum" else kind(learning_rate=rate)
        elif isinstance(optimizer, type):
            optimizer = optimizer(learning_rate=rate)
        elif callable(optimizer):
            optimizer = optimizer(rate) if learning_rate is not None else optimizer()
        pairs = optimizer.compute_gradients(loss, tf.trainable_variables() if variables is None else variables,
                                            colocate_gradients_with_ops=colocate_gradients_with_ops)
        if gradient_multipliers:
            pairs = [(g if g is None or v not in gradient_multipliers else g * gradient_multipliers[v], v) for g, v in pairs]
        if isinstance(clip_gradients, float):
            clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], clip_gradients)
            pairs = list(zip(clipped, [v for _, v in pairs]))
        elif callable(clip_gradients):
            pairs = clip_gradients(pairs)
        step = optimizer.apply_gradients(pairs, global_step=global_step if increment_global_step else None, name="train")
        with tf.control_dependencies([step]):
            return tf.identity(loss)


@export("contrib.slim.learning.create_train_op", "contrib.training.create_train_op")
def create_train_op(total_loss, optimizer, global_step="unset", update_ops=None, variables_to_train=None,
                    clip_gradient_norm=0, **unused):
    """The operation that trains one step and runs the updates; its value is the loss."""
    global_step = tf.train.get_or_create_global_step() if global_step == "unset" else global_step
    updates = set(tf.get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops)
    if updates:
        with tf.control_dependencies(sorted(updates, key=lambda op: op.name)):
            total_loss = tf.identity(total_loss)
    pairs = optimizer.compute_gradients(total_loss, variables_to_train or tf.trainable_variables())
    if clip_gradient_norm > 0:
        pairs = [(g if g is None else tf.clip_by_norm(g, clip_gradient_norm), v) for g, v in pairs]
    step = optimizer.apply_gradients(pairs, global_step=global_step)
    with tf.control_dependencies([step]):
        train_op = tf.identity(total_loss, name="train_op")
    collection = tf.get_collection_ref(GraphKeys.TRAIN_OP)
    if train_op not in collection:
        collection.append(train_op)
    return train_op


for _name in ("softmax_cross_entropy", "sparse_softmax_cross_entropy", "sigmoid_cross_entropy", "mean_squared_error",
              "absolute_difference", "log_loss", "hinge_loss", "cosine_distance", "get_total_loss", "get_losses", "add_loss"):
    export("contrib.slim.losses." + _name, "contrib.losses." + _name)(getattr(_losses, _name))
export("contrib.slim.losses.get_regularization_losses")(get_regularization_losses)
export("contrib.slim.xavier_initializer", "contrib.layers.xavier_initializer_conv2d")(xavier_initializer)
