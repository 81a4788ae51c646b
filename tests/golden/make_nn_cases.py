#!/usr/bin/env python3
"""Records golden cases of the less common ops of neural networks (cases/nn_...) as TensorFlow runs them."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_array_ops
from tensorflow.python.ops import gen_nn_ops as ops
from tensorflow.python.ops import gen_rnn_ops

from make_cases import Case

F = np.float32


def random(shape, kind=F, seed=1, low=-1, high=1):
    return np.random.RandomState(seed).uniform(low, high, shape).astype(kind)


def feeder(case):
    """Gives constants whose shape the graph does not know."""
    def unknown(value):
        return tf.placeholder_with_default(case.constant(np.array(value, np.int32) if isinstance(value, (list, int)) else value), None)
    return unknown


def with_gradients(case, y, inputs, seed=9):
    known = y.shape.as_list()
    return [y] + tf.gradients(y, inputs, case.constant(random(known, y.dtype.as_numpy_dtype, seed)))


REAL = [np.float32, np.float64, np.float16, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def windows():
    case = Case("nn_windows")
    unknown = feeder(case)
    x = case.constant
    # Dilation.
    for kind in REAL:
        for padding in ("SAME", "VALID"):
            for strides, rates in (((1, 1), (1, 1)), ((2, 1), (1, 2))) if kind == F else (((2, 1), (1, 2)),):
                def dilated():
                    image, kernel = x(random([2, 5, 6, 3], kind, 1, 0, 50)), x(random([2, 3, 3], kind, 2, 0, 50))
                    y = ops.dilation2d(image, kernel, [1, *strides, 1], [1, *rates, 1], padding)
                    return with_gradients(case, y, [image, kernel]) if kind in (np.float32, np.float64) else [y]
                case.run(dilated)
    image, kernel = random([1, 4, 4, 2]), random([2, 2, 2])
    same = dict(strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")
    for args, options in (((image[0], kernel), same), ((image, kernel[0]), same), ((image, kernel[..., :1]), same),
                          ((image, kernel), dict(same, strides=[2, 1, 1, 1])), ((image, kernel), dict(same, rates=[1, 1, 1, 2])),
                          ((image, kernel), dict(same, strides=[1, 0, 1, 1])), ((image, random([9, 9, 2])), dict(same, padding="VALID"))):
        case.run(lambda: [ops.dilation2d(*[unknown(arg) for arg in args], **options)])
    case.run(lambda: [ops.dilation2d_backprop_input(image, kernel, unknown(image[:, :2]), **same)])
    case.run(lambda: [ops.dilation2d_backprop_filter(image, kernel, unknown(image[0]), **same)])
    with case.graph.as_default():
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        ops.dilation2d(p([2, 5, 6, 3]), p([2, 3, 3]), [1, 2, 2, 1], [1, 2, 1, 1], "VALID")
        ops.dilation2d(p(), p(), **same)
        ops.dilation2d(p([2, None, 6, 3]), p([2, 3, 3]), **same)
        ops.dilation2d_backprop_input(p([2, 5, 6, 3]), p([2, 3, 3]), p(), **same)
        ops.dilation2d_backprop_filter(p([2, 5, 6, 3]), p([2, 3, 3]), p(), **same)

    # Patches of volumes.
    for kind in REAL:
        for padding in ("SAME", "VALID"):
            def patches():
                volume = x(random([2, 3, 4, 5, 2], kind, 1, 0, 50))
                return [gen_array_ops.extract_volume_patches(volume, [1, 2, 3, 2, 1], [1, 1, 2, 3, 1], padding)]
            case.run(patches)

    # Fractional pooling: the same borders for a seed.
    for pool, gradient in ((ops.fractional_max_pool, ops.fractional_max_pool_grad), (ops.fractional_avg_pool, ops.fractional_avg_pool_grad)):
        for kind in (np.float32, np.float64, np.int32, np.int64):
            for pseudo in (False, True):
                for overlapping in (False, True):
                    for ratio in ((1.0, 1.5), (1.4, 1.73), (2.0, 3.3)) if kind == F else ((1.4, 1.73),):
                        def pooled():
                            # TensorFlow infers one border too few, if it can.
                            values = tf.placeholder_with_default(x(random([2, 11, 13, 3], kind, 1, 0, 50)), None)
                            size = [2, int(F(11) / F(ratio[0])), int(F(13) / F(ratio[1])), 3]
                            y = pool(values, [1, *ratio, 1], pseudo_random=pseudo, overlapping=overlapping, deterministic=True, seed=5, seed2=7)
                            found = list(y)
                            if kind in (np.float32, np.float64):
                                given = x(random(size, kind))
                                if gradient == ops.fractional_max_pool_grad:
                                    found += tf.gradients(y[0], values, given)
                                else:
                                    found += [gradient(x(np.array([2, 11, 13, 3])), given, y[1], y[2], overlapping=overlapping)]
                            return found
                        case.run(pooled)
    image = random([1, 4, 4, 2])
    for pool in (ops.fractional_max_pool, ops.fractional_avg_pool):
        case.run(lambda: list(pool(unknown(image[0]), [1, 1.5, 1.5, 1]))[:1])
        case.run(lambda: list(pool(unknown(image), [1, 1.5, 1.5, 2]))[:1])
        case.run(lambda: list(pool(unknown(image), [1, 1.5, 1.5, 1], seed=3))[:1])
        case.run(lambda: list(pool(unknown(image), [1, 5, 1.5, 1]))[:1])
    case.write()


def rows():
    case = Case("nn_rows")
    unknown = feeder(case)
    x = case.constant
    for kind in REAL:
        values = random([3, 2, 7], kind, 3, 0, 6)
        for n in (0, 3, 6):
            for reverse in (False, True):
                def nth():
                    source = x(values)
                    y = ops.nth_element(source, n, reverse=reverse)
                    return with_gradients(case, y, [source]) if kind in (np.float32, np.float64) else [y]
                case.run(nth)
    values = random([2, 3])
    for args in ((values, [1]), (values, -1), (values, 3), (F(1), 0)):
        case.run(lambda: [ops.nth_element(*[unknown(arg) for arg in args])])
    for kind in (np.float32, np.float16):
        case.run(lambda: list(ops.approx_top_k(x(np.random.RandomState(1).permutation(24).reshape(4, 6).astype(kind)), k=3)))
    for k in (0, 1, 6):
        def approximate():
            source = x(np.random.RandomState(2).permutation(24).reshape(4, 6).astype(F))
            y = ops.approx_top_k(source, k=k)
            return list(y) + (tf.gradients(y[0], source, x(random([4, k]))) if k else [])
        case.run(approximate)
    for kind, out in ((np.float32, tf.float32), (np.float64, tf.float64), (np.float16, tf.float16), (np.int8, tf.float32), (np.int16, tf.float32),
                      (np.int32, tf.float64), (np.int64, tf.float64)):
        for shape in ([7], [3, 8], [2, 3, 5], [0, 4]):
            def fitted():
                source = x(random(shape, kind, 4, -9, 9))
                y, segments = ops.isotonic_regression(source, output_dtype=out)
                return [y, segments] + (tf.gradients(y, source, x(random(shape, kind))) if kind == F and len(shape) == 2 and shape[0] else [])
            case.run(fitted)
    with case.graph.as_default():
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        ops.nth_element(p([2, 3]), 1)
        ops.nth_element(p(), 3)
        ops.approx_top_k(p([2, 3]), k=2)
        ops.isotonic_regression(p([2, None]))
    case.write()


def recurrent():
    case = Case("nn_recurrent")
    case.tolerances[tf.float16] = "1e-02 1e-02"  # TensorFlow adds up in half
    x = case.constant
    rnn = gen_rnn_ops
    steps, batch, width, cell = 4, 3, 2, 5
    for kind in (np.float32, np.float16):
        state = [random([batch, cell], kind, 2), random([batch, cell], kind, 3), random([width + cell, 4 * cell], kind, 4),
                 random([cell], kind, 5), random([cell], kind, 6), random([cell], kind, 7), random([4 * cell], kind, 8)]
        one, many = random([batch, width], kind), random([steps, batch, width], kind)
        for peephole in (False, True):
            for clip in (0.3, 3.0, -1.0):
                def step():
                    inputs = [x(value) for value in [one] + state]
                    y = rnn.lstm_block_cell(*inputs, forget_bias=0.7, cell_clip=clip, use_peephole=peephole)
                    backward = rnn.lstm_block_cell_grad(*inputs, *y[:6], x(random([batch, cell], kind, 9)), x(random([batch, cell], kind, 10)), use_peephole=peephole)
                    return list(y) + list(backward)
                case.run(step)
            for length in (0, 1, steps - 1, steps):
                for version in (1, 2):
                    def sequence():
                        inputs = [tf.constant(length, tf.int64)] + [x(value) for value in [many] + state]
                        if version == 1:
                            y = rnn.block_lstm(*inputs, forget_bias=0.7, cell_clip=3, use_peephole=peephole)
                        else:
                            y = rnn.block_lstmv2(*inputs, use_peephole=peephole)
                        given = x(random([steps, batch, cell], kind, 9)), x(random([steps, batch, cell], kind, 10))
                        backward = (rnn.block_lstm_grad if version == 1 else rnn.block_lstm_grad_v2)(*inputs, *y, *given, use_peephole=peephole)
                        # Of the steps that are not computed TensorFlow defines only cs and h.
                        return (list(y) if length == steps else [y[1], y[6]]) + list(backward)
                    case.run(sequence)

    def differentiated():
        inputs = [x(value) for value in [random([steps, batch, width])] + [random(value.shape, F, i) for i, value in enumerate(state)]]
        y = rnn.block_lstm(tf.constant(steps, tf.int64), *inputs, use_peephole=True)
        return tf.gradients(y[6], inputs, x(random([steps, batch, cell])))
    case.run(differentiated)

    inputs = [random([batch, width]), random([batch, cell], F, 2), random([width + cell, 2 * cell], F, 3), random([width + cell, cell], F, 4),
              random([2 * cell], F, 5), random([cell], F, 6)]

    def gru():
        y = rnn.gru_block_cell(*[x(value) for value in inputs])
        return list(y) + list(rnn.gru_block_cell_grad(*[x(value) for value in inputs], *y[:3], x(random([batch, cell], F, 9))))
    case.run(gru)
    with case.graph.as_default():
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        rnn.lstm_block_cell(p([2, 3]), p([2, 4]), *[p()] * 6)
        rnn.lstm_block_cell(*[p()] * 8)
        rnn.block_lstm(tf.placeholder(tf.int64, []), p([5, 2, 3]), *[p()] * 6, p([16]))
        rnn.block_lstmv2(tf.placeholder(tf.int64), *[p()] * 8)
        rnn.lstm_block_cell_grad(p([2, 3]), p([2, 4]), *[p()] * 14, use_peephole=False)
        rnn.block_lstm_grad(tf.placeholder(tf.int64, []), p([5, 2, 3]), p([2, 4]), p(), p([7, 16]), p([4]), p(), p(), p([16]), *[p()] * 9, use_peephole=False)
        rnn.gru_block_cell(p([2, 3]), p([2, 4]), *[p()] * 4)
        rnn.gru_block_cell_grad(p([2, 3]), p([2, 4]), p([7, 8]), *[p()] * 7)
    case.write()


def beams():
    case = Case("nn_beams")
    from tensorflow.python.ops import gen_ctc_ops
    x = case.constant
    unknown = feeder(case)

    def every(found):
        return [tensor for part in found[:3] for tensor in part] + [found[3]]
    for kind in (np.float32, np.float64):
        for times, batch, classes, seed in ((5, 2, 4, 1), (12, 3, 6, 2), (1, 1, 3, 3), (30, 2, 3, 4)):
            logits = random([times, batch, classes], kind, seed, -3, 3)
            lengths = np.array([times, max(times - 2, 1), 1][:batch], np.int32)
            for width, paths in ((1, 1), (3, 2), (10, 3), (100, 2)):
                for merge in (False, True):
                    case.run(lambda: every(gen_ctc_ops.ctc_beam_search_decoder(x(logits), x(lengths), beam_width=width, top_paths=paths, merge_repeated=merge)))
    logits = random([4, 2, 3])
    decode = lambda a, b, **options: every(gen_ctc_ops.ctc_beam_search_decoder(unknown(a), unknown(b), **options))[:1]
    for args, width, paths in (((logits[0], [1, 2]), 3, 1), ((logits[:0], [0, 0]), 3, 1), ((logits, [[1, 2]]), 3, 1), ((logits, [1]), 3, 1),
                               ((logits, [5, 1]), 3, 1), ((logits, [2, 2]), 2, 3), ((logits, [0, 2]), 3, 2), ((logits, [-1, 2]), 3, 1)):
        case.run(lambda: decode(*args, beam_width=width, top_paths=paths))
    case.write()


def fused():
    case = Case("nn_fused", absolute=1e-5)
    case.tolerances[tf.float16] = "1e-02 1e-02"  # TensorFlow adds up in half
    x = case.constant
    for kind in (np.float32, np.float64, np.float16):
        # One image: of several TensorFlow takes the first for all.
        image, kernel = random([1, 5, 6, 3], kind), random([2, 3, 3, 4], kind, 2)
        for mode in ("REFLECT", "SYMMETRIC"):
            for padding in ("SAME", "VALID"):
                for paddings in ([[0, 0], [0, 0], [0, 0], [0, 0]], [[0, 0], [2, 1], [0, 3], [0, 0]], [[0, 0], [4, 4], [5, 5], [0, 0]]):
                    for stride in (1, 2):
                        options = dict(mode=mode, strides=[1, stride, stride, 1], padding=padding)
                        case.run(lambda: [ops.fused_pad_conv2d(x(image), paddings, x(kernel), **options),
                                          ops.fused_resize_and_pad_conv2d(x(image), [9, 8], paddings, x(kernel), **options),
                                          ops.fused_resize_and_pad_conv2d(x(image), [5, 11], paddings, x(kernel), resize_align_corners=True, **options)])
    image, kernel = random([1, 4, 4, 2]), random([2, 2, 2, 3])
    good = [[0, 0], [1, 1], [1, 1], [0, 0]]
    with case.graph.as_default():
        fed = tf.placeholder(tf.int32, [4, 2])
        size = tf.placeholder(tf.int32, [2])
        conv = ops.fused_pad_conv2d(image, fed, kernel, "REFLECT", [1, 1, 1, 1], "VALID")
        symmetric = ops.fused_pad_conv2d(image, fed, kernel, "SYMMETRIC", [1, 1, 1, 1], "VALID")
        resized = ops.fused_resize_and_pad_conv2d(image, size, good, kernel, "REFLECT", [1, 1, 1, 1], "VALID")
        p = lambda shape=None: tf.placeholder(tf.float32, shape)
        ops.fused_pad_conv2d(p([2, 5, 6, 3]), good, p([2, 2, 3, 7]), "REFLECT", [1, 1, 1, 1], "VALID")
        ops.fused_pad_conv2d(p([2, 5, 6, 3]), good, p(), "REFLECT", [1, 1, 1, 1], "VALID")
        ops.fused_resize_and_pad_conv2d(p([2, 5, 6, 3]), [9, 8], good, p([2, 2, 3, 7]), "REFLECT", [1, 1, 1, 1], "VALID")
    for paddings in (good, [[0, 0], [-1, 1], [1, 1], [0, 0]], [[0, 0], [4, 1], [1, 1], [0, 0]], [[0, 0], [5, 1], [1, 1], [0, 0]]):
        case.again([conv], {fed: paddings})
        case.again([symmetric], {fed: paddings})
    for sizes in ([3, 5], [0, 3], [2, -1]):
        case.again([resized], {size: sizes})
    case.write()


CASES = {"windows": windows, "rows": rows, "recurrent": recurrent, "beams": beams, "fused": fused}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or CASES:
        CASES[chosen]()
