"""Cosine transforms, the way back from stft, and mel scales: parts of tf.signal."""

import numpy as np

import sluice as tf
from sluice._api import export
from sluice._graph import name_scope
from sluice._signal import hann_window


@export("signal.dct", "spectral.dct")
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):  # noqa: A002
    """The cosine transform of type 1, 2 or 3 of the last dimension."""
    if type not in (1, 2, 3):
        raise NotImplementedError("dct(): type must be 1, 2 or 3, got %s" % type)
    if axis != -1 or norm not in (None, "ortho"):
        raise NotImplementedError("dct(): axis must be -1 and norm None or 'ortho', got %s and %s" % (axis, norm))
    with name_scope(name, "dct"):
        x = tf.convert_to_tensor(input)
        if n is not None:
            have = x.shape.as_list()[-1]
            if have is None:
                raise ValueError("dct(): n needs an input whose last dimension is known")
            x = x[..., :n] if n < have else tf.pad(x, [[0, 0]] * (x.shape.ndims - 1) + [[0, n - have]])
        size = tf.shape(x)[-1]
        real = tf.cast(size, x.dtype)
        zero = tf.zeros([], x.dtype)
        if type == 1:
            if norm:
                raise ValueError("Normalization is not supported for the Type-I DCT.")
            return tf.real(tf.signal.rfft(tf.concat([x, x[..., -2:0:-1]], -1)))
        if type == 2:
            angle = -tf.range(real) * np.pi * 0.5 / real
            scale = 2.0 * tf.exp(tf.complex(zero, angle))
            made = tf.real(tf.signal.rfft(x, fft_length=[2 * size])[..., :size] * scale)
            if norm:
                first = tf.concat([[0.5 * tf.rsqrt(real)], tf.fill([size - 1], tf.rsqrt(real * 2.0))], 0)
                made *= first
            return made
        if norm:
            x *= tf.concat([[tf.sqrt(real)], tf.fill([size - 1], tf.sqrt(real * 0.5))], 0)
        else:
            x *= real
        scale = 2.0 * tf.exp(tf.complex(zero, tf.range(real) * np.pi * 0.5 / real))
        return tf.signal.irfft(scale * tf.complex(x, tf.zeros_like(x)), fft_length=[2 * size])[..., :size]


@export("signal.idct", "spectral.idct")
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):  # noqa: A002
    """What dct() of the same type turns into |input|, up to a factor unless |norm| is 'ortho'."""
    return dct(input, {1: 1, 2: 3, 3: 2}.get(type, type), n, axis, norm, name)


@export("signal.inverse_stft_window_fn")
def inverse_stft_window_fn(frame_step, forward_window_fn=hann_window, name=None):
    """The window with which inverse_stft() gives back what stft() has seen."""
    def window(frame_length, dtype):
        with name_scope(name, "inverse_stft_window_fn"):
            length, step = int(frame_length), int(frame_step)
            forward = forward_window_fn(length, dtype=dtype)
            overlaps = -(-length // step)
            squares = tf.pad(tf.square(forward), [[0, overlaps * step - length]])
            sums = tf.reduce_sum(tf.reshape(squares, [overlaps, step]), 0, keepdims=True)
            return forward / tf.reshape(tf.tile(sums, [overlaps, 1]), [overlaps * step])[:length]
    return window


@export("signal.inverse_stft")
def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=hann_window, name=None):
    """The signals of which |stfts| are the transforms of frames."""
    with name_scope(name, "inverse_stft", [stfts]):
        length, step = int(frame_length), int(frame_step)
        size = int(2 ** np.ceil(np.log2(length))) if fft_length is None else int(fft_length)
        frames = tf.signal.irfft(tf.convert_to_tensor(stfts), [size])
        frames = frames[..., :length] if size >= length else \
            tf.pad(frames, [[0, 0]] * (frames.shape.ndims - 1) + [[0, length - size]])
        if window_fn is not None:
            frames *= window_fn(length, dtype=frames.dtype)
        return tf.signal.overlap_and_add(frames, step)


def _mel(hertz):
    return 1127.0 * np.log(1.0 + hertz / 700.0)


@export("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0,
                                upper_edge_hertz=3800.0, dtype=tf.float32, name=None):
    """The matrix that turns a spectrogram into one of mel bins: triangles over the mel scale."""
    for label, value in (("num_mel_bins", num_mel_bins), ("sample_rate", sample_rate)):
        if not hasattr(value, "op") and value <= 0:
            raise ValueError("%s must be positive. Got: %s" % (label, value))
    if not 0.0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2:
        raise ValueError("lower_edge_hertz %s must be at least 0 and less than upper_edge_hertz %s, which must not be more "
                         "than half of sample_rate %s" % (lower_edge_hertz, upper_edge_hertz, sample_rate))
    with name_scope(name, "linear_to_mel_weight_matrix"):
        bins = _mel(np.linspace(0.0, sample_rate / 2.0, num_spectrogram_bins)[1:])[:, None]
        edges = np.linspace(_mel(lower_edge_hertz), _mel(upper_edge_hertz), num_mel_bins + 2)
        lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
        weights = np.maximum(0.0, np.minimum((bins - lower) / (center - lower), (upper - bins) / (upper - center)))
        return tf.constant(np.pad(weights, [[1, 0], [0, 0]]), dtype=dtype)


@export("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    with name_scope(name, "mfccs_from_log_mel_spectrograms"):
        spectrograms = tf.convert_to_tensor(log_mel_spectrograms)
        bins = spectrograms.shape.as_list()[-1]
        bins = tf.shape(spectrograms)[-1] if bins is None else bins
        return dct(spectrograms, type=2) * tf.rsqrt(tf.cast(bins, spectrograms.dtype) * 2.0)
