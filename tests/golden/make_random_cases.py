#!/usr/bin/env python3
"""Records golden cases of random numbers (cases/random_stateless, cases/random_state, cases/candidates) as TensorFlow
runs them: the sequences for given seeds and states."""
import numpy as np
import tensorflow.compat.v1 as tf

from tensorflow.python.framework import op_def_library

from make_cases import Case
from make_linalg_cases import unknown

raw = tf.raw_ops
FLOATS = [tf.float16, tf.float32, tf.float64]
INTEGERS = [tf.int32, tf.int64, tf.uint32, tf.uint64]
SEEDS = ([3, 5], [-1, 2 ** 40], [0, 0])


def stateless():
    case = Case("random_stateless")
    for seed in SEEDS:
        for dtype in (tf.int32, tf.int64):
            for low, high in ((0, 7), (-5, 1000), (-2 ** 31, 2 ** 31 - 1)):
                case.run(lambda: [raw.StatelessRandomUniformInt(shape=[3, 5], seed=seed, minval=tf.cast(low, dtype),
                                                                maxval=tf.cast(high, dtype))])
                case.run(lambda: [raw.StatelessRandomUniformIntV2(
                    shape=[11], key=tf.constant([7], tf.uint64), counter=tf.constant([9, 1], tf.uint64), alg=1,
                    minval=tf.cast(low, dtype), maxval=tf.cast(high, dtype))])
        for dtype in INTEGERS:
            case.run(lambda: [raw.StatelessRandomUniformFullInt(shape=[9], seed=seed, dtype=dtype)])
            case.run(lambda: [raw.StatelessRandomUniformFullIntV2(
                shape=[9], key=tf.constant([7], tf.uint64), counter=tf.constant([9, 1], tf.uint64), alg=3,
                dtype=dtype)])
        case.run(lambda: [raw.StatelessRandomUniformFullInt(shape=[4], seed=tf.constant([1, 2], tf.uint32))])
        for value in (np.arange(10), np.arange(12).reshape(4, 3), np.array(["a", "b", "c"]), np.zeros([0, 2]),
                      np.array(3.0), np.array([[1, 2]])):
            case.run(lambda: [raw.StatelessShuffle(value=value, key=tf.constant([7], tf.uint64),
                                                   counter=tf.constant([seed[0] % 5, 1], tf.uint64), alg=1)])
        for dtype in FLOATS:
            alpha = np.array([0.25, 1, 3.5], dtype.as_numpy_dtype)
            case.run(lambda: [raw.StatelessRandomGammaV2(shape=[5, 3], seed=seed, alpha=alpha)])
            case.run(lambda: [raw.StatelessRandomGammaV3(
                shape=[2, 2, 3], key=tf.constant([7], tf.uint64), counter=tf.constant([9, 1], tf.uint64), alg=1,
                alpha=alpha)])
            for out in (tf.int32, tf.int64, tf.float32, tf.float64):
                case.run(lambda: [raw.StatelessRandomPoisson(shape=[5, 3], seed=seed,
                                                             lam=tf.constant([0.5, 4, 30], dtype), dtype=out)])
            for out in (tf.int32, tf.int64, tf.float32, tf.float64, tf.float16):
                case.run(lambda: [raw.StatelessRandomBinomial(
                    shape=[6, 2, 4], seed=seed, counts=tf.constant([[5], [100]], dtype),
                    probs=tf.constant([0.2, 0.9, 0.5, 0.35], dtype), dtype=out)])
            case.run(lambda: [raw.StatelessRandomBinomial(shape=[4], seed=seed, counts=tf.constant(10, dtype),
                                                          probs=tf.constant([0, 1, -1, 2], dtype))])
            for means, deviations, lows, highs in ((0, 1, -2, 2), (1, 2, -0.5, 0.5), (0, 1, 3, 5), (0, 1, 2, 2.1),
                                                   (0, 1, -5, -3), (0.5, 3, 0, np.inf), (0.5, 3, -np.inf, -4)):
                case.run(lambda: [raw.StatelessParameterizedTruncatedNormal(
                    shape=[13], seed=seed, means=tf.constant(means, dtype), stddevs=tf.constant(deviations, dtype),
                    minvals=tf.constant(lows, dtype), maxvals=tf.constant(highs, dtype))])
            case.run(lambda: [raw.StatelessParameterizedTruncatedNormal(
                shape=[4, 2, 3], seed=seed, means=tf.constant([[0], [1]], dtype),
                stddevs=tf.constant([1, 2, 3], dtype), minvals=tf.constant(-1, dtype),
                maxvals=tf.constant([[4, 5, 6], [7, 8, 9]], dtype))])
        for dtype in INTEGERS:
            for most in (0, 1, 9, 65535, 65536, 2 ** 20 - 1, 2 ** 31 - 2):
                case.run(lambda: [raw.RandomIndexShuffle(
                    index=tf.constant([0, most // 2, most], dtype), max_index=tf.constant(most, dtype),
                    seed=tf.constant([1, 2, 3], tf.uint32), rounds=4 + 2 * (most % 2))])
        case.run(lambda: [raw.RandomIndexShuffle(index=np.int64(2 ** 40), max_index=np.int64(2 ** 50),
                                                 seed=tf.constant([[1, 2, 3], [-4, 5, 6]], tf.int64))])
        case.run(lambda: [raw.RandomIndexShuffle(index=np.int64(2 ** 40), max_index=np.int64(2 ** 62 + 5),
                                                 seed=tf.constant([9, 2, 3], tf.int32))])
    # Without a random part.
    case.run(lambda: [op_def_library.apply_op("StochasticCastToInt",
        input=tf.constant([1, -3, 1e9, -1e9, np.nan, 0], tf.float32), key=tf.constant([7], tf.uint64),
        counter=tf.constant([9, 1], tf.uint64), alg=1, Tout=out) for out in (tf.int8, tf.int16, tf.int32)])
    # Errors.
    case.run(lambda: [raw.StatelessRandomUniformInt(shape=[3], seed=[1, 2], minval=unknown(5), maxval=unknown(5))])
    case.run(lambda: [raw.StatelessRandomUniformInt(shape=[0], seed=[1, 2], minval=unknown(5), maxval=unknown(5))])
    case.run(lambda: [raw.StatelessRandomUniformInt(shape=[3], seed=[1, 2], minval=unknown([1]), maxval=unknown(5))])
    case.run(lambda: [raw.StatelessRandomGammaV2(shape=[3], seed=[1, 2], alpha=unknown([1.0, 2.0]))])
    case.run(lambda: [raw.StatelessRandomPoisson(shape=[3], seed=[1, 2], lam=unknown([1.0, 2.0]), dtype=tf.int32)])
    case.run(lambda: [raw.StatelessRandomBinomial(shape=[3], seed=[1, 2], counts=unknown([1.0, 2.0]),
                                                  probs=unknown([0.5]))])
    case.run(lambda: [raw.StatelessRandomBinomial(shape=[3], seed=unknown([1]), counts=1.0, probs=0.5)])
    case.run(lambda: [raw.StatelessParameterizedTruncatedNormal(shape=[3], seed=[1, 2], means=0.0, stddevs=-1.0,
                                                                minvals=0.0, maxvals=1.0)])
    case.run(lambda: [raw.RandomIndexShuffle(index=unknown([[1]]), max_index=5, seed=unknown([1, 2, 3]))])
    case.run(lambda: [raw.RandomIndexShuffle(index=unknown(1), max_index=5, seed=unknown([1, 2]))])
    case.write()


def state():
    case = Case("random_state")
    with case.graph.as_default():
        raw_state = tf.constant([2 ** 62 + 5, -7, 3 ** 30], tf.int64)
        variable = tf.Variable(raw_state, use_resource=True, name="state")
        tagged = tf.Variable(tf.concat([[1], raw_state], 0), use_resource=True, name="tagged")
        short = tf.Variable(tf.constant([1, 2], tf.int64), use_resource=True, name="short")
        floating = tf.Variable([1.0, 2.0, 3.0], use_resource=True, name="floating")
        flat = tf.Variable(tf.constant([[1, 2, 3]], tf.int64), use_resource=True, name="flat")
        init = tf.global_variables_initializer()
        with tf.control_dependencies([init]):
            done = tf.constant(1)
    case.again([done])
    handle = variable.handle
    def then(value):
        with tf.control_dependencies([value]):
            return [value, variable.read_value()]

    for dtype in FLOATS:
        for op in (raw.StatefulStandardNormalV2, raw.StatefulTruncatedNormal, raw.StatefulUniform):
            case.run(lambda: then(op(resource=handle, algorithm=1, shape=[2, 5], dtype=dtype)))
            case.run(lambda: then(op(resource=handle, algorithm=1, shape=tf.constant([3], tf.int32), dtype=dtype)))
    for dtype in INTEGERS:
        case.run(lambda: then(raw.StatefulUniformFullInt(resource=handle, algorithm=1, shape=[7], dtype=dtype)))
    for dtype in (tf.int32, tf.int64):
        case.run(lambda: then(raw.StatefulUniformInt(resource=handle, algorithm=1, shape=[7],
                                                     minval=tf.constant(-3, dtype), maxval=tf.constant(50, dtype))))
    for counts in (5.0, 500.0):
        case.run(lambda: then(raw.StatefulRandomBinomial(resource=handle, algorithm=1, shape=[4, 3], counts=counts,
                                                         probs=[0.1, 0.5, 0.8])))

    def skipped(operation):
        with tf.control_dependencies([operation]):
            return [variable.read_value()]

    for delta in (1, 1000, 2 ** 50):
        case.run(lambda: skipped(raw.RngSkip(resource=handle, algorithm=1, delta=delta)))
        case.run(lambda: then(raw.RngReadAndSkip(resource=handle, alg=1, delta=tf.constant(delta, tf.uint64))))
    for bad in (short, floating, flat):
        case.run(lambda: [raw.StatefulUniform(resource=bad.handle, algorithm=1, shape=[2])])
    for algorithm in (0, 2, 7):
        case.run(lambda: [raw.StatefulUniform(resource=handle, algorithm=algorithm, shape=[2])])
    case.run(lambda: [raw.StatefulUniform(resource=handle, algorithm=unknown(np.array([1])), shape=[2])])
    case.run(lambda: [raw.StatefulUniform(resource=handle, algorithm=1, shape=unknown(np.array([[2]])))])
    case.run(lambda: [raw.StatefulUniformInt(resource=handle, algorithm=1, shape=[2], minval=unknown(5),
                                             maxval=unknown(5))])
    case.run(lambda: [tf.shape(raw.NonDeterministicInts(shape=[2, 3])),
                      tf.cast(raw.NonDeterministicInts(shape=[0], dtype=tf.int32), tf.int32)])
    # The streams of nodes.
    for dtype in FLOATS:
        for means, deviations, lows, highs in ((0, 1, -2, 2), (1, 2, -0.5, 0.5), (0, 1, 3, 5), (0, 1, 2, 2.1)):
            fetches = case.run(lambda: [raw.ParameterizedTruncatedNormal(
                shape=[30], means=tf.constant(means, dtype), stdevs=tf.constant(deviations, dtype),
                minvals=tf.constant(lows, dtype), maxvals=tf.constant(highs, dtype), seed=8, seed2=9)])
            case.again(fetches)
        case.run(lambda: [raw.ParameterizedTruncatedNormal(
            shape=[3, 4], means=tf.constant([0, 5, -5], dtype), stdevs=tf.constant([1], dtype),
            minvals=tf.constant(-2, dtype), maxvals=tf.constant([9, 10, 11], dtype), seed=8)])
    case.run(lambda: [raw.ParameterizedTruncatedNormal(shape=[3, 4], means=unknown([1.0, 2.0]), stdevs=1.0,
                                                       minvals=0.0, maxvals=1.0)])
    case.run(lambda: [raw.ParameterizedTruncatedNormal(shape=[3, 4], means=0.0, stdevs=0.0, minvals=0.0,
                                                       maxvals=1.0)])
    case.write()


def candidates():
    case = Case("candidates")
    for unique in (False, True):
        for op in (raw.LearnedUnigramCandidateSampler, raw.ThreadUnsafeUnigramCandidateSampler):
            fetches = case.run(lambda: list(op(true_classes=tf.constant([[1, 2], [2, 3]], tf.int64), num_true=2,
                                               num_sampled=4, unique=unique, range_max=10, seed=3, seed2=4)))
            for _ in range(3):
                case.again(fetches)
        for distortion in (1.0, 0.5):
            fetches = case.run(lambda: list(raw.FixedUnigramCandidateSampler(
                true_classes=tf.constant([[1], [4]], tf.int64), num_true=1, num_sampled=4, unique=unique, range_max=6,
                num_reserved_ids=1, unigrams=[3, 1, 7, 0.5, 2], distortion=distortion, seed=3, seed2=4)))
            case.again(fetches)
        case.run(lambda: list(raw.FixedUnigramCandidateSampler(
            true_classes=tf.constant([[1]], tf.int64), num_true=1, num_sampled=2, unique=unique, range_max=2,
            num_shards=3, shard=1, unigrams=[3, 1, 7, 0.5, 2], seed=3)))
    case.run(lambda: list(raw.FixedUnigramCandidateSampler(
        true_classes=tf.constant([[1]], tf.int64), num_true=1, num_sampled=2, unique=True, range_max=5, seed=3)))
    case.run(lambda: list(raw.FixedUnigramCandidateSampler(
        true_classes=tf.constant([[1]], tf.int64), num_true=1, num_sampled=2, unique=True, range_max=7,
        unigrams=[1, 2, 3], seed=3)))
    case.write()


if __name__ == "__main__":
    stateless()
    state()
    candidates()
