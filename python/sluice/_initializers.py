"""Initialisers of variables: objects that make a tensor for a shape."""
import math

from sluice import _dtypes
from sluice._api import export
from sluice._convert import constant
from sluice._dtypes import as_dtype
from sluice._random import random_normal, random_uniform, truncated_normal
from sluice._variables import ones, zeros


class Initializer:
    """Called with a shape: the first value of a variable. Subclasses may be written by users."""

    def __call__(self, shape, dtype=None, partition_info=None):
        raise NotImplementedError

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls(**{k: v for k, v in config.items() if k != "dtype"})


def _type(given, own):
    return as_dtype(own if given is None else given)


@export("zeros_initializer", "initializers.zeros")
class Zeros(Initializer):
    def __init__(self, dtype=_dtypes.float32):
        self.dtype = as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return zeros(shape, _type(dtype, self.dtype))


@export("ones_initializer", "initializers.ones")
class Ones(Initializer):
    def __init__(self, dtype=_dtypes.float32):
        self.dtype = as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return ones(shape, _type(dtype, self.dtype))


@export("constant_initializer", "initializers.constant")
class Constant(Initializer):
    def __init__(self, value=0, dtype=_dtypes.float32, verify_shape=False):
        self.value, self.dtype, self._verify_shape = value, as_dtype(dtype), verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant(self.value, dtype=_type(dtype, self.dtype), shape=shape, verify_shape=verify)


@export("random_uniform_initializer", "initializers.random_uniform")
class RandomUniform(Initializer):
    def __init__(self, minval=0.0, maxval=None, seed=None, dtype=_dtypes.float32):
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_uniform(shape, self.minval, self.maxval, _type(dtype, self.dtype), seed=self.seed)


@export("random_normal_initializer", "initializers.random_normal")
class RandomNormal(Initializer):
    _make = staticmethod(random_normal)

    def __init__(self, mean=0.0, stddev=1.0, seed=None, dtype=_dtypes.float32):
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return self._make(shape, self.mean, self.stddev, _type(dtype, self.dtype), seed=self.seed)


@export("truncated_normal_initializer", "initializers.truncated_normal")
class TruncatedNormal(RandomNormal):
    _make = staticmethod(truncated_normal)


def fans(shape):
    """How many inputs and outputs a unit of a layer with weights of |shape| has."""
    shape = [int(d) for d in shape]
    if len(shape) < 2:
        size = shape[0] if shape else 1
        return size, size
    field = math.prod(shape[:-2])
    return field * shape[-2], field * shape[-1]


@export("variance_scaling_initializer", "initializers.variance_scaling")
class VarianceScaling(Initializer):
    """Values whose variance is |scale| / n, where n is the number of inputs, of outputs, or their average."""

    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", seed=None, dtype=_dtypes.float32):
        if scale <= 0.0:
            raise ValueError("`scale` must be positive float.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError("Invalid `mode` argument:", mode)
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError("Invalid `distribution` argument:", distribution)
        self.scale, self.mode, self.distribution = scale, mode, distribution
        self.seed, self.dtype = seed, as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = _type(dtype, self.dtype)
        fan_in, fan_out = fans(shape if partition_info is None else partition_info.full_shape)
        count = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return random_uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        # The standard deviation of a normal distribution that is cut at two of its own.
        return truncated_normal(shape, 0.0, math.sqrt(scale) / 0.87962566103423978, dtype, seed=self.seed)


@export("glorot_uniform_initializer", "initializers.glorot_uniform")
class GlorotUniform(VarianceScaling):
    def __init__(self, seed=None, dtype=_dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


@export("glorot_normal_initializer", "initializers.glorot_normal")
class GlorotNormal(VarianceScaling):
    def __init__(self, seed=None, dtype=_dtypes.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


def _scaled(scale, mode, distribution):
    return lambda seed=None: VarianceScaling(scale, mode, distribution, seed)


for _name, _scale, _distribution in (("he_normal", 2.0, "truncated_normal"), ("he_uniform", 2.0, "uniform"),
                                     ("lecun_normal", 1.0, "truncated_normal"), ("lecun_uniform", 1.0, "uniform")):
    export("initializers." + _name)(_scaled(_scale, "fan_in", _distribution))


@export("uniform_unit_scaling_initializer", "initializers.uniform_unit_scaling")
class UniformUnitScaling(Initializer):
    """Values that keep the scale of the inputs: of [-max, max), max = factor * sqrt(3 / number of inputs)."""

    def __init__(self, factor=1.0, seed=None, dtype=_dtypes.float32):
        self.factor, self.seed, self.dtype = factor, seed, as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        sizes = shape if partition_info is None else partition_info.full_shape
        limit = math.sqrt(3 / max(1.0, math.prod(int(d) for d in sizes[:-1]))) * self.factor
        return random_uniform(shape, -limit, limit, _type(dtype, self.dtype), seed=self.seed)


@export("orthogonal_initializer", "initializers.orthogonal")
class Orthogonal(Initializer):
    """A matrix whose rows or columns are orthogonal, times |gain|."""

    def __init__(self, gain=1.0, seed=None, dtype=_dtypes.float32):
        self.gain, self.seed, self.dtype = gain, seed, as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        import sluice as tf
        shape, dtype = [int(d) for d in shape], _type(dtype, self.dtype)
        if len(shape) < 2:
            raise ValueError("The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
                             "Received shape=%s" % shape)
        rows, columns = math.prod(shape[:-1]), shape[-1]
        values = random_normal([max(rows, columns), min(rows, columns)], dtype=dtype, seed=self.seed)
        q, r = tf.qr(values, full_matrices=False)
        q *= tf.sign(tf.diag_part(r))
        if rows < columns:
            q = tf.matrix_transpose(q)
        return self.gain * tf.reshape(q, shape)


@export("initializers.identity")
class Identity(Initializer):
    """The identity matrix, times |gain|."""

    def __init__(self, gain=1.0, dtype=_dtypes.float32):
        self.gain, self.dtype = gain, as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        import numpy as np
        sizes = [int(d) for d in (shape if partition_info is None else partition_info.full_shape)]
        if len(sizes) != 2:
            raise ValueError("The tensor to initialize, specified by argument `shape` must be at least two-dimensional. "
                             "Received shape=%s" % sizes)
        dtype = _type(dtype, self.dtype)
        whole = np.eye(*sizes, dtype=dtype.as_numpy_dtype) * dtype.as_numpy_dtype(self.gain)
        if partition_info is not None:
            whole = whole[tuple(slice(o, o + int(d)) for o, d in zip(partition_info.var_offset, shape))]
        return constant(whole, dtype=dtype)


@export("contrib.layers.xavier_initializer")
def xavier_initializer(uniform=True, seed=None, dtype=_dtypes.float32):
    return VarianceScaling(1.0, "fan_avg", "uniform" if uniform else "truncated_normal", seed, dtype)
