"""tf.signal: signals cut into frames and put together again, and their transforms over short times."""
import math

import numpy as np
import sluice as tf
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import name_scope
from sluice._oplib import apply
from sluice._signal import hann_window
from sluice._static import constant_value


def _scalar(value, name):
    value = convert_to_tensor(value, name=name)
    value.shape.assert_has_rank(0)
    return value


def _common_divisor(a, b):
    """The greatest common divisor of two scalars: an int if they are known."""
    with name_scope(None, "gcd", [a, b]):
        known = constant_value(a), constant_value(b)
        if None not in known:
            return constant_value(convert_to_tensor(math.gcd(*(int(k) for k in known))))
        return tf.while_loop(lambda _, rest: tf.greater(rest, tf.zeros_like(rest)),
                             lambda whole, rest: [rest, apply("FloorMod", "mod", x=whole, y=rest)], [a, b], back_prop=False)[0]


def _static_frames(signal, length, step, pad_end, axis):
    """The shape of the frames, as far as it is known."""
    length, step, axis = constant_value(length), constant_value(step), constant_value(axis)
    if signal.shape.ndims is None:
        return None
    if axis is None:
        return [None] * (signal.shape.ndims + 1)
    sizes, count = signal.shape.as_list(), None
    samples = sizes[axis]
    if samples is not None and step is not None:
        if pad_end:
            count = max(0, -(-samples // int(step)))
        elif length is not None:
            count = max(0, (samples - int(length) + int(step)) // int(step))
    return sizes[:axis] + [count, None if length is None else int(length)] + sizes[axis:][1:]


def _split_shape(signal, axis):
    """(shape, axis, sizes before, samples, sizes after) of |signal|: numbers if they are known."""
    shape = tf.shape(signal)
    known, known_axis = constant_value(shape), constant_value(axis)
    if known is not None and known_axis is not None:
        axis = range(len(known))[int(known_axis)]
        before, samples, after = np.split(known, [axis, axis + 1])
        return known, axis, before, samples.item(), after
    rank = tf.rank(signal)
    axis = tf.range(rank)[axis if known_axis is None else known_axis]
    before, samples, after = tf.split(shape, [axis, 1, rank - 1 - axis])
    return shape, axis, before, tf.reshape(samples, []), after


@export("signal.frame")
def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    """Frames of |frame_length| samples, |frame_step| apart: a dimension of frames and one of samples instead of |axis|."""
    with name_scope(name, "frame", [signal, frame_length, frame_step, pad_value]):
        signal = convert_to_tensor(signal, name="signal")
        length, step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        axis = _scalar(axis, "axis")
        static = _static_frames(signal, length, step, pad_end, axis)
        shape, axis, before, samples, after = _split_shape(signal, axis)
        counts = tf.size(before), tf.size(after)
        if pad_end:
            pad_value = convert_to_tensor(pad_value, signal.dtype)
            frames = -(-samples // step)
            more = tf.maximum(0, length + step * (frames - 1) - samples)
            paddings = tf.concat([tf.zeros([counts[0], 2], more.dtype), convert_to_tensor([[0, more]]),
                                  tf.zeros([counts[1], 2], more.dtype)], 0)
            signal = tf.pad(signal, paddings, constant_values=pad_value)
            shape = tf.shape(signal)
            samples = shape[axis]
        else:
            frames = tf.maximum(constant(0, dtype=length.dtype), 1 + (samples - length) // step)
        # A frame is a whole number of pieces, and so is a step.
        piece = _common_divisor(length, step)
        per_frame, per_step, pieces = length // piece, step // piece, samples // piece
        used = tf.concat([before, [pieces * piece], after], 0)
        split = tf.concat([before, [pieces, piece], after], 0)
        split = tf.reshape(tf.strided_slice(signal, tf.zeros_like(shape), used), split)
        first = tf.reshape(tf.range(frames, dtype=length.dtype) * per_step, [frames, 1])
        within = tf.reshape(tf.range(per_frame, dtype=length.dtype), [1, per_frame])
        selected = first + within
        before = convert_to_tensor(before)
        after = convert_to_tensor(after, dtype=before.dtype)
        middle = convert_to_tensor([frames, length], dtype=before.dtype)
        made = tf.reshape(tf.gather(split, selected, axis=axis), tf.concat([before, middle, after], 0))
        if static:
            made.set_shape(static)
        return made


@export("signal.overlap_and_add")
def overlap_and_add(signal, frame_step, name=None):
    """The signal whose frames, |frame_step| apart, are the last two dimensions: where they overlap, their sum."""
    with name_scope(name, "overlap_and_add", [signal, frame_step]):
        signal, step = convert_to_tensor(signal, name="signal"), _scalar(frame_step, "frame_step")
        if not step.dtype.is_integer:
            raise ValueError("frame_step must be an integer. Got %s" % step.dtype)
        known = constant_value(step)
        step = step if known is None else known
        shape = tf.shape(signal)
        known_shape = constant_value(shape)
        shape = shape if known_shape is None else known_shape
        outer = shape[:-2]
        rank = tf.size(outer)
        known_rank = constant_value(rank)
        rank = rank if known_rank is None else known_rank

        def whole(inner):
            return tf.concat([outer, inner], 0)
        length, frames = shape[-1], shape[-2]
        samples = length + step * (frames - 1)
        if known is not None and signal.shape.ndims is not None and signal.shape.as_list()[-1] == known:
            return tf.reshape(signal, whole([samples]), name="fast_path")
        # Frames are cut into segments of a step, and shifted so that those of one time are in one column.
        segments = -(-length // step)
        paddings = [[0, segments], [0, segments * step - length]]
        signal = tf.pad(signal, tf.concat([tf.zeros([rank, 2], tf.int32), paddings], 0))
        signal = tf.reshape(signal, whole([frames + segments, segments, step]))
        order = tf.concat([tf.range(rank), rank + [1, 0, 2]], 0)
        signal = tf.transpose(signal, order if known_rank is None else [*range(rank), rank + 1, rank, rank + 2])
        signal = tf.reshape(signal, whole([(frames + segments) * segments, step]))
        signal = signal[..., :(frames + segments - 1) * segments, :]
        signal = tf.reshape(signal, whole([segments, frames + segments - 1, step]))
        signal = tf.reduce_sum(signal, -3)
        return tf.reshape(signal, whole([(frames + segments - 1) * step]))[..., :samples]


def _transform_length(fft_length, length):
    """|fft_length|, or the power of two that holds |length| samples."""
    if fft_length is not None:
        return convert_to_tensor(fft_length, name="fft_length")
    known = constant_value(length)
    if known is not None:
        return constant(int(2 ** np.ceil(np.log(known) / np.log(2.0))), length.dtype)
    return tf.cast(tf.pow(2.0, tf.ceil(tf.log(tf.cast(length, tf.float32)) / tf.log(2.0))), length.dtype)


@export("signal.stft")
def stft(signals, frame_length, frame_step, fft_length=None, window_fn=hann_window, pad_end=False, name=None):
    """The transforms of the frames of |signals|."""
    with name_scope(name, "stft", [signals, frame_length, frame_step]):
        signals = convert_to_tensor(signals, name="signals")
        length, step = _scalar(frame_length, "frame_length"), _scalar(frame_step, "frame_step")
        fft_length = _transform_length(fft_length, length)
        frames = frame(signals, length, step, pad_end=pad_end)
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return tf.signal.rfft(frames, [fft_length])
