"""More of tf.distributions: StudentT, Dirichlet, Multinomial."""
import math

import sluice as tf
from sluice._distributions import Distribution, _export


@_export("StudentT")
class StudentT(Distribution):
    """Student's t distribution with |df| degrees of freedom."""

    def __init__(self, df, loc, scale, validate_args=False, allow_nan_stats=True, name="StudentT"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self.df, self.loc, self.scale = self._take(name, df=df, loc=loc, scale=scale)

    def _batch(self):
        return self.df + self.loc + self.scale

    def _sample(self, shape, seed):
        normal = tf.random_normal(shape, dtype=self._dtype, seed=seed)
        # A gamma value for each: the batch is a part of |shape| already.
        chi = tf.random.gamma([], 0.5 * tf.broadcast_to(self.df, shape), beta=tf.constant(0.5, self._dtype), dtype=self._dtype,
                              seed=None if seed is None else seed + 1)
        return normal * tf.rsqrt(chi / self.df) * self.scale + self.loc

    def _log_prob(self, x):
        y = (x - self.loc) / self.scale
        norm = tf.log(tf.abs(self.scale)) + 0.5 * tf.log(self.df) + 0.5 * math.log(math.pi) + tf.lgamma(0.5 * self.df) - \
            tf.lgamma(0.5 * (self.df + 1.0))
        return -0.5 * (self.df + 1.0) * tf.log1p(tf.square(y) / self.df) - norm

    def _mean(self):
        return self.loc + tf.zeros_like(self._batch())

    def _mode(self):
        return self.loc + tf.zeros_like(self._batch())

    def _variance(self):
        known = tf.square(self.scale) * self.df / (self.df - 2.0) + tf.zeros_like(self._batch())
        return tf.where(self.df + tf.zeros_like(known) > 2.0, known, tf.fill(tf.shape(known), tf.constant(math.inf, self._dtype)))


@_export("Dirichlet")
class Dirichlet(Distribution):
    """Vectors that are probabilities, by their concentrations."""

    def __init__(self, concentration, validate_args=False, allow_nan_stats=True, name="Dirichlet"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self.concentration = self._take(name, concentration=concentration)
        self.total_concentration = tf.reduce_sum(self.concentration, -1)

    event_shape = property(lambda self: self.concentration.shape[-1:])

    def event_shape_tensor(self, name="event_shape_tensor"):
        return tf.shape(self.concentration)[-1:]

    def _batch(self):
        return self.total_concentration

    def sample(self, sample_shape=(), seed=None, name="sample"):
        def draw():
            shape = [sample_shape] if isinstance(sample_shape, int) else sample_shape
            values = tf.random.gamma(tf.reshape(tf.convert_to_tensor(shape, dtype=tf.int32), [-1]), self.concentration,
                                     dtype=self._dtype, seed=seed)
            return values / tf.reduce_sum(values, -1, keepdims=True)
        return self._call(name, draw)

    def _log_prob(self, x):
        return tf.reduce_sum((self.concentration - 1.0) * tf.log(x), -1) - tf.lbeta(self.concentration)

    def _mean(self):
        return self.concentration / self.total_concentration[..., None]

    def _variance(self):
        scale = self.total_concentration * tf.sqrt(1.0 + self.total_concentration)
        x = self.concentration / scale[..., None]
        return x * (tf.expand_dims(self.total_concentration, -1) / scale[..., None] - x)

    def _entropy(self):
        k = tf.cast(self.event_shape_tensor()[0], self._dtype)
        return tf.lbeta(self.concentration) + (self.total_concentration - k) * tf.digamma(self.total_concentration) - \
            tf.reduce_sum((self.concentration - 1.0) * tf.digamma(self.concentration), -1)


@_export("Multinomial")
class Multinomial(Distribution):
    """How often each class comes up in |total_count| draws."""

    def __init__(self, total_count, logits=None, probs=None, validate_args=False, allow_nan_stats=True, name="Multinomial"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        if (logits is None) == (probs is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if logits is None:
            self.probs = self._take(name, probs=probs)
            self.logits = tf.log(self.probs)
        else:
            self.logits = self._take(name, logits=logits)
            self.probs = tf.nn.softmax(self.logits)
        self.total_count = tf.convert_to_tensor(total_count, dtype=self._dtype)

    event_shape = property(lambda self: self.logits.shape[-1:])

    def event_shape_tensor(self, name="event_shape_tensor"):
        return tf.shape(self.logits)[-1:]

    def _batch(self):
        return self.total_count + tf.zeros_like(self.logits[..., 0])

    def sample(self, sample_shape=(), seed=None, name="sample"):
        def draw():
            if self.total_count.shape.ndims != 0:
                raise NotImplementedError("samples of a Multinomial need a scalar total_count")
            shape = tf.reshape(tf.convert_to_tensor([sample_shape] if isinstance(sample_shape, int) else sample_shape,
                                                    dtype=tf.int32), [-1])
            count, classes = tf.cast(self.total_count, tf.int32), tf.shape(self.logits)[-1]
            flat = tf.reshape(self.logits, [-1, classes])
            times = tf.reduce_prod(shape)
            draws = tf.reshape(tf.multinomial(flat, times * count, seed), [-1, times, count])
            counts = tf.transpose(tf.reduce_sum(tf.one_hot(draws, classes, dtype=self._dtype), 2), [1, 0, 2])
            return tf.reshape(counts, tf.concat([shape, tf.shape(self.logits)], 0))
        return self._call(name, draw)

    def _log_prob(self, counts):
        ways = tf.lgamma(self.total_count + 1.0) - tf.reduce_sum(tf.lgamma(counts + 1.0), -1)
        return tf.reduce_sum(counts * tf.nn.log_softmax(self.logits), -1) + ways

    def _mean(self):
        return self.probs * self.total_count[..., None]

    def _variance(self):
        return self.total_count[..., None] * self.probs * (1.0 - self.probs)
