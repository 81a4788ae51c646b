#!/usr/bin/env python3
"""Records golden cases of fake quantization and of quantized tensors (cases/quantize_...) as TensorFlow runs them."""
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_array_ops as ops
from tensorflow.python.ops import gen_math_ops

from make_cases import Case

F = np.float32
X = np.linspace(-7, 9, 24).astype(F).reshape(2, 3, 4)
PLAIN = {tf.quint8: tf.uint8, tf.qint8: tf.int8, tf.quint16: tf.uint16, tf.qint16: tf.int16, tf.qint32: tf.int32}


def feeder(case):
    """Gives constants whose shape the graph does not know."""
    def unknown(value):
        return tf.placeholder_with_default(case.constant(np.array(value, np.int32) if isinstance(value, list) else value), None)
    return unknown


def fake():
    case = Case("quantize_fake")
    unknown = feeder(case)
    x = case.constant
    weights = np.random.RandomState(1).uniform(-1, 1, X.shape).astype(F)

    def with_gradients(y, inputs):
        return [y] + tf.gradients(y, inputs, x(weights))

    with case.graph.as_default():
        values = x(X)
    for bits in (2, 4, 8, 16):
        for narrow in (False, True):
            options = dict(num_bits=bits, narrow_range=narrow)
            for low, high in ((-6, 6), (-1, 3), (0, 5), (-5, 0), (1, 2), (-3, -1), (-0.1, 8.7)):
                case.run(lambda: with_gradients(ops.fake_quant_with_min_max_args(values, min=low, max=high, **options), values))

                def of_vars():
                    lows, highs = x(F(low)), x(F(high))
                    return with_gradients(ops.fake_quant_with_min_max_vars(values, lows, highs, **options), [values, lows, highs])
                case.run(of_vars)

            def of_channels():
                lows, highs = x(np.array([-6, -1, 0, -2], F)), x(np.array([6, 3, 0, 0.5], F))
                return with_gradients(ops.fake_quant_with_min_max_vars_per_channel(values, lows, highs, **options), [values, lows, highs])
            case.run(of_channels)
    case.run(lambda: with_gradients(ops.fake_quant_with_min_max_vars(values, x(F(0)), x(F(0))), [values]))
    case.run(lambda: [ops.fake_quant_with_min_max_vars_per_channel(x(X[0, 0]), x(F([-6, -1, 0, -2])), x(F([6, 3, 0, 0.5])))])
    case.run(lambda: [ops.fake_quant_with_min_max_args(values, min=1, max=0)])
    case.run(lambda: [ops.fake_quant_with_min_max_args(values, num_bits=1)])
    case.run(lambda: [ops.fake_quant_with_min_max_args(values, num_bits=17)])
    one, row = np.ones(1, F), X[0, 0]
    case.run(lambda: [ops.fake_quant_with_min_max_args_gradient(values, unknown(X[:1]))])
    for args in ((X, one, F(1)), (X, F(0), one)):
        case.run(lambda: [ops.fake_quant_with_min_max_vars(*[unknown(arg) for arg in args])])
    for args in ((X, X[:1], F(0), F(1)), (X, X, one, F(1)), (X, X, F(0), one)):
        case.run(lambda: ops.fake_quant_with_min_max_vars_gradient(*[unknown(arg) for arg in args])[:1])
    for args in ((X, F(0), row), (X, row[:3], row), (X, row, row[:2]), (X, row, F(0))):
        case.run(lambda: [ops.fake_quant_with_min_max_vars_per_channel(*[unknown(arg) for arg in args])])
    for args in ((X, X[:1], row, row), (X, X, row[:2], row), (X, X, row, row[:2]), (X, X, F(1), row)):
        case.run(lambda: ops.fake_quant_with_min_max_vars_per_channel_gradient(*[unknown(arg) for arg in args])[:1])
    with case.graph.as_default():
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        ops.fake_quant_with_min_max_vars_gradient(p([2, None]), p([None, 3]), p(), p())
        ops.fake_quant_with_min_max_vars_per_channel(p([2, None]), p([3]), p())
        ops.fake_quant_with_min_max_vars_per_channel_gradient(p([2, None]), p([None, 4]), p(), p())
        ops.fake_quant_with_min_max_vars_per_channel_gradient(p([2, None]), p(), p([3]), p())
        ops.fake_quant_with_min_max_args_gradient(p([2, None]), p([None, 3]))
    case.write()


def rounded():
    case = Case("quantize_rounded")
    unknown = feeder(case)
    x = case.constant
    for kind in (F, np.float64):
        with case.graph.as_default():
            values = x(X.astype(kind))
        for signed in (False, True):
            for given in (False, True):
                for narrow in (False, True):
                    for mode in ("HALF_TO_EVEN", "HALF_UP"):
                        for bits in (1, 3, 8, 20) if kind == F else (8,):
                            options = dict(signed_input=signed, range_given=given, narrow_range=narrow)
                            case.run(lambda: [ops.quantize_and_dequantize_v2(values, x(kind(low)), x(kind(high)), num_bits=bits, round_mode=mode, **options)
                                              for low, high in ((-6, 6), (-1, 3), (0, 5), (-5, 0), (1, 2))])
                    case.run(lambda: [ops.quantize_and_dequantize_v3(values, x(kind(-3)), x(kind(5)), 7, **options)])
                    for axis in (0, 1, 2):
                        lows = np.linspace(-5, 0, X.shape[axis]).astype(kind)
                        highs = np.linspace(1, 7, X.shape[axis]).astype(kind)

                        def along():
                            y = ops.quantize_and_dequantize_v4(values, x(lows), x(highs), axis=axis, **options)
                            weights = x(np.random.RandomState(1).uniform(-1, 1, X.shape).astype(kind))
                            return [y, ops.quantize_and_dequantize_v2(values, x(lows), x(highs), axis=axis, **options)] + tf.gradients(y, values, weights)
                        case.run(along)
        case.run(lambda: tf.gradients(ops.quantize_and_dequantize_v4(values, x(kind(-1)), x(kind(4)), range_given=True), values))
        case.run(lambda: tf.gradients(ops.quantize_and_dequantize_v2(values, x(kind(-1)), x(kind(4)), range_given=True), values))
    v2, row = ops.quantize_and_dequantize_v2, X[0, 0]
    for options in (dict(num_bits=0), dict(num_bits=64), dict(num_bits=63, signed_input=False)):
        case.run(lambda: [v2(X, 0.0, 1.0, **options)])
    case.run(lambda: [v2(X, 1.0, 0.0, range_given=True)])
    case.run(lambda: [v2(unknown(X), unknown(row[:2]), unknown(row), axis=2, range_given=True)])
    for bits in (0, 64, -1):
        case.run(lambda: [ops.quantize_and_dequantize_v3(X, 0.0, 1.0, bits)])
    case.run(lambda: [ops.quantize_and_dequantize_v3(X, 0.0, 1.0, unknown([8]))])
    for args, axis in (((X, X[:1], F(0), F(1)), -1), ((X, X, np.ones(1, F), F(1)), -1), ((X, X, row[:2], row), 2), ((X, X, row, row[:2]), 2)):
        case.run(lambda: ops.quantize_and_dequantize_v4_grad(*[unknown(arg) for arg in args], axis=axis)[:1])
    with case.graph.as_default():
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        v2(p([2, 3]), p([3]), p(), axis=1)
        v2(p(), p(), p([3]), axis=2)
        ops.quantize_and_dequantize_v3(p([2, 3]), p(), p(), tf.placeholder(tf.int32, []))
        ops.quantize_and_dequantize_v4_grad(p([2, 3]), p(), p(), p(), axis=1)
        ops.quantize_and_dequantize_v4_grad(p([2, 3]), p([2, 3]), p([3]), p([3]), axis=1)
    case.write()


def plain(q):
    return [tf.bitcast(q[0], PLAIN[q[0].dtype])] + list(q[1:])


def types():
    case = Case("quantize_types")
    unknown = feeder(case)
    x = case.constant
    with case.graph.as_default():
        values = x(X)
    for kind in PLAIN:
        lows, highs = (-6, -1, 0, -5, 1, 0, -3), (6, 3, 5, 0, 2, 0, -1)
        for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED"):
            if kind == tf.qint32:
                continue  # floats beyond the range of int32, which C++ does not define
            for low, high in zip(lows, highs):
                case.run(lambda: plain(ops.quantize_v2(values, F(low), F(high), kind, mode=mode)))
            case.run(lambda: plain(ops.quantize_v2(values, F(-0.001), F(0.001), kind, mode=mode, ensure_minimum_range=0.1)))
        for narrow in (False, True):
            if kind != tf.qint32:
                case.run(lambda: plain(ops.quantize_v2(values, F(-3), F(5), kind, mode="SCALED", round_mode="HALF_TO_EVEN", narrow_range=narrow)))
                for axis in (0, 1, 2):
                    ranges = np.linspace(-5, 0, X.shape[axis]).astype(F), np.linspace(1, 7, X.shape[axis]).astype(F)
                    for mode in ("MIN_COMBINED", "SCALED"):
                        case.run(lambda: plain(ops.quantize_v2(values, x(ranges[0]), x(ranges[1]), kind, mode=mode, axis=axis, narrow_range=narrow)))
        raw = np.random.RandomState(3).randint(0, 256, [2, 3, 4 * kind.size]).astype(np.uint8).view(PLAIN[kind].as_numpy_dtype)

        # A narrow range of quint8 depends on whether TensorFlow uses oneDNN.
        def back():
            q = tf.bitcast(x(raw), kind)
            found = [ops.dequantize(q, F(low), F(high), mode=mode, narrow_range=narrow) for low, high in zip(lows, highs)
                     for mode in ("MIN_COMBINED", "MIN_FIRST", "SCALED")[:2 if kind == tf.qint32 else 3] for narrow in (False, True)[:1 if kind == tf.quint8 else 2]]
            found += [ops.dequantize(q, F(-2), F(5), dtype=tf.bfloat16)]
            for axis in (0, 1, 2):
                ranges = x(np.linspace(-5, 0, X.shape[axis]).astype(F)), x(np.linspace(1, 7, X.shape[axis]).astype(F))
                found += [ops.dequantize(q, *ranges, mode=mode, axis=axis) for mode in ("MIN_COMBINED", "SCALED")]
            return found
        case.run(back)
    one, row = np.ones(1, F), X[0, 0]
    for args, options in (((X, F(1), F(0)), {}), ((X, np.ones(2, F), F(1)), {}), ((X, row[:3], row), dict(axis=2)), ((X, row, row), dict(axis=2, mode="MIN_FIRST")),
                          ((X, F(0), F(1)), dict(round_mode="HALF_TO_EVEN")), ((X, row, row - 1), dict(axis=2))):
        case.run(lambda: plain(ops.quantize_v2(*[unknown(arg) for arg in args], T=tf.quint8, **options))[:1])
    with case.graph.as_default():
        bits = tf.bitcast(x(np.arange(12, dtype=np.uint8).reshape(3, 4)), tf.quint8)
        words = tf.bitcast(x(np.array([[1 << 20, -(1 << 25), 5, 0], [-1, 3 << 22, 7, 1 << 24]], np.int32)), tf.qint32)
    for args, options in (((np.ones(2, F), F(1)), {}), ((np.zeros(3, F), np.ones(3, F)), dict(axis=0, mode="MIN_FIRST")), ((F(0), F(1)), dict(mode="SCALED", dtype=tf.bfloat16)),
                          ((np.zeros(2, F), np.ones(3, F)), dict(axis=0))):
        case.run(lambda: [ops.dequantize(bits, *[unknown(arg) for arg in args], **options)])

    # Arrays.
    for low, high in ((-10, 10), (-1, 3), (0, 0), (0, 100)):
        case.run(lambda: plain(gen_math_ops.quantize_down_and_shrink_range(words, F(low), F(high), tf.quint8)))
    case.run(lambda: plain(gen_math_ops.quantize_down_and_shrink_range(words, unknown(one), F(1), tf.quint8))[:1])
    for source in (bits, words):
        for axis in (0, 1):
            case.run(lambda: plain(ops.quantized_concat(axis, [source, source, source], [F(0), F(-1), F(0.5)], [F(1), F(2), F(3)])))
        case.run(lambda: plain(ops.quantized_concat(0, [source, source], [F(-1), F(-1)], [F(2), F(2)])))
        case.run(lambda: plain(ops.quantized_reshape(source, [4, -1], F(-1), F(2))))
    for axis, low in ((np.int32(2), F(0)), (np.int32(-1), F(0)), ([0], F(0)), (np.int32(0), np.zeros(2, F))):
        case.run(lambda: plain(ops.quantized_concat(unknown(axis), [bits, bits], [unknown(low), F(0)], [F(1), F(1)]))[:1])
    case.run(lambda: plain(ops.quantized_concat(unknown(np.int32(0)), [bits, bits[:, :2]], [F(0), F(0)], [F(1), F(1)]))[:1])
    case.run(lambda: plain(ops.quantized_reshape(bits, unknown([5, -1]), F(-1), F(2)))[:1])
    with case.graph.as_default():
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        q = lambda shape=None: tf.placeholder(tf.quint8, shape)
        ops.quantize_v2(p([2, None]), p([4]), p(), tf.quint8, axis=1)
        ops.quantize_v2(p(), p(), p(), tf.quint8, axis=1)
        ops.quantize_v2(p(), p(), p(), tf.quint8)
        ops.dequantize(q([2, 3]), p([2]), p([2]), axis=0)
        ops.dequantize(q(), p(), p())
        ops.quantized_concat(0, [q([2, 3]), q([4, 3])], [p(), p()], [p(), p()])
        ops.quantized_concat(tf.placeholder(tf.int32, []), [q([2, 3]), q([4, 3])], [p(), p()], [p(), p()])
        ops.quantized_reshape(q([2, 3]), [3, -1], p(), p())
        gen_math_ops.quantize_down_and_shrink_range(tf.placeholder(tf.qint32, [2, 3]), p(), p(), tf.quint8)
    case.write()


if __name__ == "__main__":
    fake()
    rounded()
    types()
