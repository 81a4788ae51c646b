"""tf.distributions: random values, their densities, and how far two distributions are apart."""
import math

import sluice as tf
from sluice._api import export, export_value
from sluice._graph import name_scope

_divergences = {}


class ReparameterizationType:
    """Whether samples are differentiable with respect to the parameters."""

    def __init__(self, rep_type):
        self._rep_type = rep_type

    def __repr__(self):
        return "<Reparameterization Type: %s>" % self._rep_type


export("distributions.ReparameterizationType")(ReparameterizationType)
FULLY = export_value(ReparameterizationType("FULLY_REPARAMETERIZED"), "distributions.FULLY_REPARAMETERIZED")
NOT = export_value(ReparameterizationType("NOT_REPARAMETERIZED"), "distributions.NOT_REPARAMETERIZED")


def _export(name):
    return export("distributions." + name, "contrib.distributions." + name)


@_export("Distribution")
class Distribution:
    """A distribution. A subclass has _sample(n), _log_prob(value) and as much of the rest as it can."""

    reparameterization_type = FULLY
    _event = ()  # the shape of one value

    def __init__(self, dtype=None, reparameterization_type=None, validate_args=False, allow_nan_stats=True, parameters=None,
                 graph_parents=None, name=None):
        self._dtype, self._name, self._parameters = dtype, name or type(self).__name__, parameters or {}
        self.validate_args, self.allow_nan_stats = validate_args, allow_nan_stats

    name = property(lambda self: self._name)
    dtype = property(lambda self: self._dtype)
    parameters = property(lambda self: dict(self._parameters))

    def _take(self, name, **values):
        """The parameters as tensors of one type."""
        self._name = name
        with name_scope(name, values=list(values.values())):
            dtype = next((v.dtype.base_dtype for v in values.values() if hasattr(v, "dtype") and hasattr(v, "op")), tf.float32)
            tensors = [tf.convert_to_tensor(v, name=key, dtype=None if hasattr(v, "op") else dtype)
                       for key, v in values.items()]
        self._parameters = values
        self._dtype = tensors[0].dtype.base_dtype
        return tensors[0] if len(tensors) == 1 else tensors

    def _call(self, kind, function, *args):
        with name_scope(self._name), name_scope(kind):
            return function(*args)

    def _batch(self):
        raise NotImplementedError("batch_shape of %s" % type(self).__name__)

    @property
    def batch_shape(self):
        return self._batch().shape

    @property
    def event_shape(self):
        return tf.TensorShape(self._event)

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        return tf.shape(self._batch())

    def event_shape_tensor(self, name="event_shape_tensor"):
        return tf.constant(list(self._event), dtype=tf.int32)

    def sample(self, sample_shape=(), seed=None, name="sample"):
        """Values: |sample_shape|, then the distribution's shapes."""
        def draw():
            shape = tf.convert_to_tensor(sample_shape, dtype=tf.int32) if not isinstance(sample_shape, int) else \
                tf.constant([sample_shape])
            shape = tf.reshape(shape, [-1])
            full = self._sample(tf.concat([shape, self.batch_shape_tensor()], 0), seed)
            known = tf.contrib.util.constant_value(shape)
            if known is not None:
                full.set_shape(tf.TensorShape([int(d) for d in known]).concatenate(self.batch_shape).concatenate(
                    self.event_shape))
            return full
        return self._call(name, draw)

    def log_prob(self, value, name="log_prob"):
        return self._call(name, lambda: self._log_prob(self._value(value)))

    def prob(self, value, name="prob"):
        return self._call(name, lambda: tf.exp(self._log_prob(self._value(value))))

    def _value(self, value):
        return tf.convert_to_tensor(value, dtype=None if hasattr(value, "op") else self._dtype, name="value")

    def cdf(self, value, name="cdf"):
        return self._call(name, lambda: self._cdf(self._value(value)))

    def log_cdf(self, value, name="log_cdf"):
        return self._call(name, lambda: tf.math.log(self._cdf(self._value(value))))

    def survival_function(self, value, name="survival_function"):
        return self._call(name, lambda: 1.0 - self._cdf(self._value(value)))

    def kl_divergence(self, other, name="kl_divergence"):
        return kl_divergence(self, other)

    def cross_entropy(self, other, name="cross_entropy"):
        return self.entropy() + kl_divergence(self, other)

    def copy(self, **override):
        return type(self)(**{**self._parameters, **override})

    def __getattr__(self, name):
        if name in ("entropy", "mean", "mode", "stddev", "variance"):
            if name == "stddev" and hasattr(type(self), "_variance"):
                return lambda name="stddev": self._call(name, lambda: tf.sqrt(self._variance()))
            if name == "variance" and hasattr(type(self), "_stddev"):
                return lambda name="variance": self._call(name, lambda: tf.square(self._stddev()))
            found = getattr(type(self), "_" + name, None)
            if found is None:
                raise NotImplementedError("%s of %s" % (name, type(self).__name__))
            return lambda name=name: self._call(name, found, self)
        raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))

    def __repr__(self):
        return "tf.distributions.%s(%r, batch_shape=%s, event_shape=%s, dtype=%s)" % (
            type(self).__name__, self._name, self.batch_shape, self.event_shape, self._dtype.name)


@_export("Normal")
class Normal(Distribution):
    """The normal distribution with mean |loc| and standard deviation |scale|."""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Normal"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self._loc, self._scale = self._take(name, loc=loc, scale=scale)

    loc, scale = property(lambda self: self._loc), property(lambda self: self._scale)

    def _batch(self):
        return self._loc + tf.zeros_like(self._scale)

    def _sample(self, shape, seed):
        return tf.random_normal(shape, dtype=self._dtype, seed=seed) * self._scale + self._loc

    def _log_prob(self, x):
        return -0.5 * tf.square((x - self._loc) / self._scale) - (0.5 * math.log(2 * math.pi) + tf.math.log(self._scale))

    def _cdf(self, x):
        return 0.5 * tf.math.erfc(-(x - self._loc) / self._scale / math.sqrt(2))

    def quantile(self, value, name="quantile"):
        return self._call(name, lambda: tf.math.ndtri(self._value(value)) * self._scale + self._loc)

    def _entropy(self):
        return 0.5 * math.log(2 * math.pi) + 0.5 + tf.math.log(self._scale * tf.ones_like(self._loc))

    def _mean(self):
        return self._loc * tf.ones_like(self._scale)

    _mode = _mean

    def _stddev(self):
        return self._scale * tf.ones_like(self._loc)


@_export("Uniform")
class Uniform(Distribution):
    """Values between |low| and |high|, all as likely."""

    def __init__(self, low=0.0, high=1.0, validate_args=False, allow_nan_stats=True, name="Uniform"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self._low, self._high = self._take(name, low=low, high=high)

    low, high = property(lambda self: self._low), property(lambda self: self._high)

    def _batch(self):
        return self._low + tf.zeros_like(self._high)

    def range(self, name="range"):
        return self._high - self._low

    def _sample(self, shape, seed):
        return tf.random_uniform(shape, dtype=self._dtype, seed=seed) * self.range() + self._low

    def prob(self, value, name="prob"):
        def density():
            x = self._value(value)
            inside = tf.logical_and(x >= self._low, x < self._high)
            return tf.cast(inside, self._dtype) / self.range()
        return self._call(name, density)

    def _log_prob(self, x):
        return tf.math.log(self.prob(x))

    def _cdf(self, x):
        return tf.clip_by_value((x - self._low) / self.range(), 0.0, 1.0)

    def _entropy(self):
        return tf.math.log(self.range())

    def _mean(self):
        return (self._low + self._high) / 2

    def _variance(self):
        return tf.square(self.range()) / 12


class _Discrete(Distribution):
    """A distribution by logits or by probabilities."""
    reparameterization_type = NOT

    def _take_either(self, name, logits, probs, dtype, of_logits, of_probs):
        if (logits is None) == (probs is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if logits is not None:
            self._logits = self._take(name, logits=logits)
            self._probs = of_logits(self._logits)
        else:
            self._probs = self._take(name, probs=probs)
            self._logits = of_probs(self._probs)
        self._parameters = {"logits": logits, "probs": probs, "dtype": dtype}
        self._dtype = tf.as_dtype(dtype)

    logits, probs = property(lambda self: self._logits), property(lambda self: self._probs)


@_export("Bernoulli")
class Bernoulli(_Discrete):
    """1 with the probability |probs|, else 0."""

    def __init__(self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="Bernoulli"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self._take_either(name, logits, probs, dtype, tf.sigmoid, lambda p: tf.math.log(p) - tf.math.log1p(-p))

    def _batch(self):
        return self._logits

    def _sample(self, shape, seed):
        return tf.cast(tf.random_uniform(shape, dtype=self._probs.dtype, seed=seed) < self._probs, self._dtype)

    def _log_prob(self, x):
        x = tf.cast(x, self._logits.dtype)
        return -tf.nn.sigmoid_cross_entropy_with_logits(labels=x * tf.ones_like(self._logits),
                                                        logits=self._logits * tf.ones_like(x))

    def _entropy(self):
        return -self._logits * (tf.sigmoid(self._logits) - 1) + tf.nn.softplus(-self._logits)

    def _mean(self):
        return tf.identity(self._probs)

    def _variance(self):
        return self._probs * (1.0 - self._probs)

    def _mode(self):
        return tf.cast(self._probs > 0.5, self._dtype)


@_export("Categorical")
class Categorical(_Discrete):
    """One of the classes of the last axis of |logits|."""

    def __init__(self, logits=None, probs=None, dtype="int32", validate_args=False, allow_nan_stats=True, name="Categorical"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self._take_either(name, logits, probs, dtype, tf.nn.softmax, tf.math.log)

    def _batch(self):
        return tf.reduce_sum(self._logits, axis=-1)

    event_size = property(lambda self: tf.shape(self._logits)[-1])

    def sample(self, sample_shape=(), seed=None, name="sample"):
        def draw():
            shape = tf.reshape(tf.convert_to_tensor(sample_shape, dtype=tf.int32), [-1])
            flat = tf.reshape(self._logits, [-1, self.event_size])
            drawn = tf.transpose(tf.multinomial(flat, tf.reduce_prod(shape), seed=seed))
            return tf.cast(tf.reshape(drawn, tf.concat([shape, self.batch_shape_tensor()], 0)), self._dtype)
        return self._call(name, draw)

    def _log_prob(self, k):
        k = tf.cast(k, tf.int32)
        logits = self._logits
        if k.shape.ndims is not None and logits.shape.ndims is not None and k.shape.ndims != logits.shape.ndims - 1:
            logits = logits * tf.ones_like(tf.expand_dims(k, -1), dtype=logits.dtype)
            k = k * tf.ones(tf.shape(logits)[:-1], dtype=k.dtype)
        return -tf.nn.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _entropy(self):
        return -tf.reduce_sum(tf.nn.log_softmax(self._logits) * self._probs, axis=-1)

    def _mode(self):
        return tf.cast(tf.argmax(self._logits, axis=-1), self._dtype)


@_export("Gamma")
class Gamma(Distribution):
    """The gamma distribution with shape |concentration| and inverse scale |rate|."""

    def __init__(self, concentration, rate, validate_args=False, allow_nan_stats=True, name="Gamma"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self._concentration, self._rate = self._take(name, concentration=concentration, rate=rate)

    concentration, rate = property(lambda self: self._concentration), property(lambda self: self._rate)

    def _batch(self):
        return self._concentration + tf.zeros_like(self._rate)

    def sample(self, sample_shape=(), seed=None, name="sample"):
        return self._call(name, lambda: tf.random_gamma(tf.reshape(tf.convert_to_tensor(sample_shape, dtype=tf.int32), [-1]),
                                                        self._concentration, self._rate, dtype=self._dtype, seed=seed))

    def _log_prob(self, x):
        return (self._concentration - 1.0) * tf.math.log(x) - self._rate * x - (
            tf.math.lgamma(self._concentration) - self._concentration * tf.math.log(self._rate))

    def _cdf(self, x):
        return tf.math.igamma(self._concentration, self._rate * x)

    def _entropy(self):
        return (self._concentration - tf.math.log(self._rate) + tf.math.lgamma(self._concentration) +
                (1.0 - self._concentration) * tf.math.digamma(self._concentration))

    def _mean(self):
        return self._concentration / self._rate

    def _variance(self):
        return self._concentration / tf.square(self._rate)


@_export("Exponential")
class Exponential(Gamma):
    def __init__(self, rate, validate_args=False, allow_nan_stats=True, name="Exponential"):
        rate = tf.convert_to_tensor(rate, dtype=None if hasattr(rate, "op") else tf.float32)
        super().__init__(tf.ones_like(rate), rate, validate_args, allow_nan_stats, name)
        self._parameters = {"rate": rate}


@_export("Beta")
class Beta(Distribution):
    """The beta distribution."""

    def __init__(self, concentration1=None, concentration0=None, validate_args=False, allow_nan_stats=True, name="Beta"):
        super().__init__(validate_args=validate_args, allow_nan_stats=allow_nan_stats)
        self._a, self._b = self._take(name, concentration1=concentration1, concentration0=concentration0)

    concentration1, concentration0 = property(lambda self: self._a), property(lambda self: self._b)

    def _batch(self):
        return self._a + self._b

    def _sample(self, shape, seed):
        one = tf.random_gamma([], self._a + tf.zeros(shape, self._dtype), dtype=self._dtype, seed=seed)
        two = tf.random_gamma([], self._b + tf.zeros(shape, self._dtype), dtype=self._dtype, seed=seed and seed + 1)
        return one / (one + two)

    def _norm(self):
        return tf.math.lgamma(self._a) + tf.math.lgamma(self._b) - tf.math.lgamma(self._a + self._b)

    def _log_prob(self, x):
        return (self._a - 1.0) * tf.math.log(x) + (self._b - 1.0) * tf.math.log1p(-x) - self._norm()

    def _cdf(self, x):
        return tf.math.betainc(self._a, self._b, x)

    def _entropy(self):
        total = self._a + self._b
        return (self._norm() - (self._a - 1.0) * tf.math.digamma(self._a) - (self._b - 1.0) * tf.math.digamma(self._b) +
                (total - 2.0) * tf.math.digamma(total))

    def _mean(self):
        return self._a / (self._a + self._b)

    def _variance(self):
        total = self._a + self._b
        return self._a * self._b / (tf.square(total) * (total + 1.0))


@_export("Laplace")
class Laplace(Normal):
    """exp(-|x - loc| / scale) / (2 scale)"""

    def __init__(self, loc, scale, validate_args=False, allow_nan_stats=True, name="Laplace"):
        super().__init__(loc, scale, validate_args, allow_nan_stats, name)

    def _sample(self, shape, seed):
        u = tf.random_uniform(shape, -1.0 + 1e-7, 1.0, self._dtype, seed=seed)
        return self._loc - self._scale * tf.sign(u) * tf.math.log1p(-tf.abs(u))

    def _log_prob(self, x):
        return -tf.abs((x - self._loc) / self._scale) - math.log(2.0) - tf.math.log(self._scale)

    def _cdf(self, x):
        z = (x - self._loc) / self._scale
        return 0.5 + 0.5 * tf.sign(z) * (1.0 - tf.exp(-tf.abs(z)))

    def _entropy(self):
        return math.log(2.0) + 1.0 + tf.math.log(self._scale + tf.zeros_like(self._loc))

    def _stddev(self):
        return math.sqrt(2.0) * self._scale * tf.ones_like(self._loc)


# --- How far two distributions are apart ---

@export("distributions.RegisterKL")
class RegisterKL:
    """A decorator: the function is the divergence of these two classes."""

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn):
        _divergences[self._key] = kl_fn
        return kl_fn


@_export("kl_divergence")
def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """The Kullback-Leibler divergence KL(a || b)."""
    for one in type(distribution_a).__mro__:
        for two in type(distribution_b).__mro__:
            if (one, two) in _divergences:
                with name_scope(name, "KullbackLeibler"):
                    return _divergences[one, two](distribution_a, distribution_b)
    raise NotImplementedError("No KL(distribution_a || distribution_b) registered for %s and %s" % (
        type(distribution_a).__name__, type(distribution_b).__name__))


@RegisterKL(Normal, Normal)
def _normals(a, b, name=None):
    ratio = tf.square(a.scale / b.scale)
    return tf.square(a.loc - b.loc) / (2.0 * tf.square(b.scale)) + 0.5 * (ratio - 1.0 - tf.math.log(ratio))


@RegisterKL(Bernoulli, Bernoulli)
def _bernoullis(a, b, name=None):
    plus, minus = tf.nn.softplus(b.logits) - tf.nn.softplus(a.logits), tf.nn.softplus(-b.logits) - tf.nn.softplus(-a.logits)
    return a.probs * minus + (1.0 - a.probs) * plus


@RegisterKL(Categorical, Categorical)
def _categoricals(a, b, name=None):
    return tf.reduce_sum(tf.nn.softmax(a.logits) * (tf.nn.log_softmax(a.logits) - tf.nn.log_softmax(b.logits)), axis=-1)


@RegisterKL(Gamma, Gamma)
def _gammas(a, b, name=None):
    p, q = a.concentration, b.concentration
    return ((p - q) * tf.math.digamma(p) + tf.math.lgamma(q) - tf.math.lgamma(p) + q * tf.math.log(a.rate) -
            q * tf.math.log(b.rate) + p * (b.rate / a.rate - 1.0))
