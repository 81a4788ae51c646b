"""tf.layers.BatchNormalization and its function."""
import sluice as tf
from sluice._api import export
from sluice._convert import constant
from sluice._graph import colocate_with, control_dependencies, name_scope
from sluice._initializers import Ones, Zeros
from sluice._layer import InputSpec, Layer, initializer_of
from sluice._layers_core import smart_cond
from sluice._static import constant_value


def _known(training):
    """True, False, or None if only a step tells."""
    if training is None:
        return False
    value = constant_value(training)
    return None if value is None else bool(value)


@export("layers.BatchNormalization", "layers.BatchNorm")
class BatchNormalization(Layer):
    """Values of each channel with mean 0 and variance 1, then scaled by gamma and moved by beta. The averages that are used
    without training are moved by the layer's updates, which are in the collection update_ops."""

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=Zeros(),
                 gamma_initializer=Ones(), moving_mean_initializer=Zeros(), moving_variance_initializer=Ones(),
                 beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, renorm=False,
                 renorm_clipping=None, renorm_momentum=0.99, fused=None, trainable=True, virtual_batch_size=None,
                 adjustment=None, name=None, **kwargs):
        super().__init__(name=name, trainable=trainable, **kwargs)
        if virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError("virtual_batch_size and adjustment are not there yet")
        self.axis = [axis] if isinstance(axis, int) else list(axis)
        self.momentum, self.epsilon, self.center, self.scale = momentum, epsilon, center, scale
        self.beta_initializer, self.gamma_initializer = initializer_of(beta_initializer), initializer_of(gamma_initializer)
        self.moving_mean_initializer = initializer_of(moving_mean_initializer)
        self.moving_variance_initializer = initializer_of(moving_variance_initializer)
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.renorm, self.renorm_clipping, self.renorm_momentum = renorm, renorm_clipping or {}, renorm_momentum
        if fused and renorm:
            raise ValueError("Passing both `fused=True` and `renorm=True` is not supported")
        self.fused = not renorm if fused is None else fused

    def build(self, input_shape):
        rank = input_shape.ndims
        if rank is None:
            raise ValueError("Input has undefined rank. Received: input_shape=%s." % input_shape)
        self.axis = [a + rank if a < 0 else a for a in self.axis]
        for a in self.axis:
            if not 0 <= a < rank:
                raise ValueError("Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with inputs.rank=%d). "
                                 "Received: axis=%s" % (rank, self.axis))
        sizes = input_shape.as_list()
        if any(sizes[a] is None for a in self.axis):
            raise ValueError("Input has undefined `axis` dimension. Received input with shape %s and axis=%s" %
                             (input_shape, self.axis))
        self.fused = bool(self.fused and rank in (4, 5) and self.axis in ([1], [rank - 1]) and self._dtype != tf.float64)
        if self.fused:
            self._data_format = {(4, 1): "NCHW", (4, 3): "NHWC", (5, 1): "NCDHW", (5, 4): "NDHWC"}[rank, self.axis[0]]
        self.input_spec = InputSpec(ndim=rank, axes={a: sizes[a] for a in self.axis})
        self._shape = [sizes[self.axis[0]]] if len(self.axis) == 1 else \
            [sizes[i] if i in self.axis else 1 for i in range(rank)]
        self._type = tf.float32 if self._dtype in (tf.float16, tf.bfloat16) else self._dtype or tf.float32
        self.gamma = self.add_weight("gamma", self._shape, self._type, self.gamma_initializer, self.gamma_regularizer,
                                     constraint=self.gamma_constraint) if self.scale else None
        self.beta = self.add_weight("beta", self._shape, self._type, self.beta_initializer, self.beta_regularizer,
                                    constraint=self.beta_constraint) if self.center else None
        self.moving_mean = self._average("moving_mean", self.moving_mean_initializer)
        self.moving_variance = self._average("moving_variance", self.moving_variance_initializer)
        if self.renorm:
            def deviation(*args, **kwargs):
                return tf.sqrt(self.moving_variance_initializer(*args, **kwargs))
            self.moving_stddev = self._average("moving_stddev", deviation)
            self.renorm_mean = self._average("renorm_mean", self.moving_mean_initializer)
            self.renorm_stddev = self._average("renorm_stddev", deviation)
        self.built = True

    def _average(self, name, initializer):
        partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            return self.add_weight(name, self._shape, self._type, initializer, trainable=False)
        finally:
            self._scope.set_partitioner(partitioner)

    def call(self, inputs, training=False):
        return self._fused(inputs, training) if self.fused else self._composed(inputs, training)

    def _moved(self, variable, value, momentum):
        """variable -= (1 - momentum) * (variable - value)"""
        with name_scope("AssignMovingAvg") as scope, colocate_with(variable):
            decay = tf.convert_to_tensor(1.0 - momentum, name="decay")
            if decay.dtype != variable.dtype.base_dtype:
                decay = tf.cast(decay, variable.dtype.base_dtype)
            return tf.assign_sub(variable, (variable - tf.cast(value, variable.dtype.base_dtype)) * decay, name=scope)

    def _fused(self, inputs, training):
        beta = self.beta if self.center else constant(0.0, dtype=self._type, shape=self._shape)
        gamma = self.gamma if self.scale else constant(1.0, dtype=self._type, shape=self._shape)

        def normalized(is_training):
            return tf.nn.fused_batch_norm(inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance,
                                          epsilon=self.epsilon, is_training=is_training, data_format=self._data_format)
        output, mean, variance = smart_cond(training, lambda: normalized(True), lambda: normalized(False))
        known = _known(training)
        if known is not False:
            momentum = smart_cond(training, lambda: self.momentum, lambda: 1.0) if known is None else \
                tf.convert_to_tensor(self.momentum)
            self.add_update(lambda: self._moved(self.moving_mean, mean, momentum))
            self.add_update(lambda: self._moved(self.moving_variance, variance, momentum))
        return output

    def _composed(self, inputs, training):
        dtype, rank = inputs.dtype.base_dtype, inputs.shape.ndims
        if dtype in (tf.float16, tf.bfloat16):
            inputs = tf.cast(inputs, tf.float32)
        axes = [i for i in range(rank) if i not in self.axis]
        spread = [1] * rank
        spread[self.axis[0]] = inputs.shape.as_list()[self.axis[0]]

        def broadcast(v):
            return tf.reshape(v, spread) if v is not None and v.shape.ndims != rank and axes != list(range(rank - 1)) else v
        scale, offset = broadcast(self.gamma), broadcast(self.beta)
        if _known(training) is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            mean, variance = tf.nn.moments(inputs, axes, keep_dims=len(self.axis) > 1)
            now = mean, variance
            mean = smart_cond(training, lambda: now[0], lambda: tf.convert_to_tensor(self.moving_mean))
            variance = smart_cond(training, lambda: now[1], lambda: tf.convert_to_tensor(self.moving_variance))
            new_mean, new_variance = mean, variance
            if self.renorm:
                r, d, new_mean, new_variance = self._renormed(mean, variance, training)
                r, d = broadcast(tf.stop_gradient(r, name="renorm_r")), broadcast(tf.stop_gradient(d, name="renorm_d"))
                scale, offset = self._composed_with(r, d, scale, offset)
            self._update_averages(training, new_mean, new_variance)
        mean, variance = tf.cast(mean, inputs.dtype.base_dtype), tf.cast(variance, inputs.dtype.base_dtype)
        outputs = tf.nn.batch_normalization(inputs, broadcast(mean), broadcast(variance), offset, scale, self.epsilon)
        outputs = tf.cast(outputs, dtype)
        outputs.set_shape(inputs.shape)
        return outputs

    def _update_averages(self, training, mean, variance):
        def variance_moved():
            if not self.renorm:
                return self._moved(self.moving_variance, variance, self.momentum)
            deviation = self._moved(self.moving_stddev, tf.sqrt(variance + self.epsilon), self.momentum)
            with name_scope("AssignNewValue") as scope, colocate_with(self.moving_variance):
                return tf.assign(self.moving_variance, tf.nn.relu(deviation * deviation - self.epsilon), name=scope)
        self.add_update(lambda: smart_cond(training, lambda: self._moved(self.moving_mean, mean, self.momentum),
                                           lambda: self.moving_mean))
        self.add_update(lambda: smart_cond(training, variance_moved, lambda: self.moving_variance))

    @staticmethod
    def _composed_with(scale, offset, then_scale, then_offset):
        if then_scale is not None:
            scale *= then_scale
            offset *= then_scale
        if then_offset is not None:
            offset += then_offset
        return scale, offset

    def _renormed(self, mean, variance, training):
        """(r, d, mean, variance): r and d correct a batch towards the averages."""
        deviation = tf.sqrt(variance + self.epsilon)
        average = tf.maximum(self.renorm_stddev, tf.sqrt(self.epsilon))
        r, d = deviation / average, (mean - self.renorm_mean) / average
        with control_dependencies([r, d]):
            mean, deviation = tf.identity(mean), tf.identity(deviation)
        low, high, most = (self.renorm_clipping.get(key) for key in ("rmin", "rmax", "dmax"))
        r = r if low is None else tf.maximum(r, low)
        r = r if high is None else tf.minimum(r, high)
        d = d if most is None else tf.minimum(tf.maximum(d, -most), most)
        first = r, d
        r = smart_cond(training, lambda: first[0], lambda: tf.ones_like(first[0]))
        d = smart_cond(training, lambda: first[1], lambda: tf.zeros_like(first[1]))
        updates = []
        for variable, value in ((self.renorm_mean, mean), (self.renorm_stddev, deviation)):
            value = tf.identity(value)
            updates.append(smart_cond(training, lambda: self._moved(variable, value, self.renorm_momentum),  # noqa: B023
                                      lambda: tf.identity(variable)))  # noqa: B023
        with control_dependencies(updates):
            return r, d, tf.identity(mean), tf.identity(variance)

    def compute_output_shape(self, input_shape):
        return input_shape


@export("layers.batch_normalization")
def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=Zeros(),
                        gamma_initializer=Ones(), moving_mean_initializer=Zeros(), moving_variance_initializer=Ones(),
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None,
                        training=False, trainable=True, name=None, reuse=None, renorm=False, renorm_clipping=None,
                        renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):
    return BatchNormalization(axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer,
                              moving_mean_initializer, moving_variance_initializer, beta_regularizer, gamma_regularizer,
                              beta_constraint, gamma_constraint, renorm, renorm_clipping, renorm_momentum, fused, trainable,
                              virtual_batch_size, adjustment, name, _reuse=reuse, _scope=name).apply(inputs,
                                                                                                     training=training)
