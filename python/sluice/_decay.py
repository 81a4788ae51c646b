"""Learning rates that change with the global step."""
import math

import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import name_scope
from sluice._math import cast
from sluice._oplib import apply


def _required(global_step, function):
    if global_step is None:
        raise ValueError("global_step is required for %s." % function)


@export("train.exponential_decay")
def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * decay_rate ** (global_step / decay_steps)"""
    _required(global_step, "exponential_decay")
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        steps, decay = cast(decay_steps, dtype), cast(decay_rate, dtype)
        passed = cast(global_step, dtype) / steps
        if staircase:
            passed = apply("Floor", None, x=passed)
        return apply("Mul", scope, x=rate, y=apply("Pow", None, x=decay, y=passed))


@export("train.natural_exp_decay")
def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate * exp(-decay_rate * global_step / decay_steps)"""
    _required(global_step, "natural_exp_decay")
    factor = tf.exp(tf.negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


@export("train.inverse_time_decay")
def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False, name=None):
    """learning_rate / (1 + decay_rate * global_step / decay_steps)"""
    _required(global_step, "inverse_time_decay")
    with name_scope(name, "InverseTimeDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        steps, decay = cast(decay_steps, dtype), cast(decay_rate, dtype)
        passed = cast(global_step, dtype) / steps
        if staircase:
            passed = apply("Floor", None, x=passed)
        one = cast(constant(1), dtype)
        return tf.divide(rate, tf.add(one, tf.multiply(decay, passed)), name=scope)


@export("train.polynomial_decay")
def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None):
    """From |learning_rate| to |end_learning_rate| within |decay_steps|; with |cycle|, again and again."""
    _required(global_step, "polynomial_decay")
    with name_scope(name, "PolynomialDecay", [learning_rate, global_step, decay_steps, end_learning_rate, power]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        end, power, step, steps = (cast(v, dtype) for v in (end_learning_rate, power, global_step, decay_steps))
        if cycle:
            times = apply("SelectV2", None, condition=tf.equal(step, 0), t=1.0,
                          e=apply("Ceil", None, x=step / decay_steps))
            steps = tf.multiply(steps, times)
        else:
            step = tf.minimum(step, steps)
        passed = tf.divide(step, steps)
        return tf.add(tf.multiply(rate - end, tf.pow(1 - passed, power)), end, name=scope)


@export("train.piecewise_constant", "train.piecewise_constant_decay")
def piecewise_constant(x, boundaries, values, name=None):
    """values[0] up to boundaries[0], values[1] up to boundaries[1], and so on."""
    if len(boundaries) != len(values) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    boundaries, values = [convert_to_tensor(b) for b in boundaries], [convert_to_tensor(v) for v in values]
    dtype = convert_to_tensor(x).dtype.base_dtype
    for i, b in enumerate(boundaries):
        if b.dtype.base_dtype != dtype:
            if b.dtype.base_dtype != tf.int32 or dtype != tf.int64:
                raise ValueError("`boundaries` (%s) must have the same dtype as x (%s)." % (b.dtype.name, dtype.name))
            boundaries[i] = cast(b, dtype)
    for v in values[1:]:
        if v.dtype.base_dtype != values[0].dtype.base_dtype:
            raise ValueError("`values` must have elements all with the same dtype (%s vs %s)." %
                             (values[0].dtype.name, v.dtype.name))
    with name_scope(name, "PiecewiseConstant", [x, boundaries, values]):
        x = convert_to_tensor(x)
        pairs = [(x <= boundaries[0], lambda: values[0]), (x > boundaries[-1], lambda: values[-1])]
        for low, high, v in zip(boundaries[:-1], boundaries[1:], values[1:-1]):
            pairs.append(((x > low) & (x <= high), lambda v=v: v))
        return tf.case(pairs, lambda: values[0], exclusive=True)


@export("train.cosine_decay")
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """Half a cosine from |learning_rate| to alpha * learning_rate."""
    _required(global_step, "cosine_decay")
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        steps, step = cast(decay_steps, dtype), cast(global_step, dtype)
        step = tf.minimum(step, steps)
        passed = step / steps
        cosine = 0.5 * (1.0 + tf.cos(constant(math.pi, dtype=dtype) * passed))
        return tf.multiply(rate, (1 - alpha) * cosine + alpha)


@export("train.cosine_decay_restarts")
def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None):
    """Cosines one after the other, each |t_mul| times as long and |m_mul| times as high as the one before."""
    _required(global_step, "cosine_decay restarts")
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        dtype = rate.dtype.base_dtype
        first, alpha, t_mul, m_mul = (cast(v, dtype) for v in (first_decay_steps, alpha, t_mul, m_mul))
        passed = cast(global_step, dtype) / first

        def even():
            count = apply("Floor", None, x=passed)
            return count, passed - count

        def growing():
            count = apply("Floor", None, x=tf.log(1.0 - passed * (1.0 - t_mul)) / tf.log(t_mul))
            total = (1.0 - t_mul ** count) / (1.0 - t_mul)
            return count, (passed - total) / t_mul ** count
        count, part = tf.cond(tf.equal(t_mul, 1.0), even, growing)
        height = m_mul ** count
        cosine = 0.5 * height * (1.0 + tf.cos(constant(math.pi, dtype=dtype) * part))
        return tf.multiply(rate, (1 - alpha) * cosine + alpha, name=scope)


def _linear_cosine(rate, global_step, decay_steps, num_periods, alpha, beta, noise):
    dtype = rate.dtype.base_dtype
    steps, extra = cast(decay_steps, dtype), noise(dtype)
    periods, alpha, beta = (cast(v, dtype) for v in (num_periods, alpha, beta))
    step = tf.minimum(cast(global_step, dtype), steps)
    linear = (steps - step) / steps
    linear = linear if extra is None else linear + extra(step)
    passed = step / steps
    fraction = 2.0 * periods * passed
    cosine = 0.5 * (1.0 + tf.cos(constant(math.pi, dtype=dtype) * fraction))
    return (alpha + linear) * cosine + beta


@export("train.linear_cosine_decay")
def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """A line times a cosine."""
    _required(global_step, "linear cosine decay")
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
        made = _linear_cosine(rate, global_step, decay_steps, num_periods, alpha, beta, lambda dtype: None)
        return tf.multiply(rate, made, name=scope)


@export("train.noisy_linear_cosine_decay")
def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0, variance_decay=0.55,
                              num_periods=0.5, alpha=0.0, beta=0.001, name=None):
    """As linear_cosine_decay, with noise whose variance decays."""
    _required(global_step, "noisy linear cosine decay")
    with name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = convert_to_tensor(learning_rate, name="initial_learning_rate")

        def noise(dtype):
            first, decay = cast(initial_variance, dtype), cast(variance_decay, dtype)

            def at(step):
                variance = first / tf.pow(1.0 + step, decay)
                return tf.random_normal(tf.shape(step), stddev=tf.sqrt(variance))
            return at
        made = _linear_cosine(rate, global_step, decay_steps, num_periods, alpha, beta, noise)
        return tf.multiply(rate, made, name=scope)
