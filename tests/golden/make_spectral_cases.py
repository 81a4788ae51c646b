#!/usr/bin/env python3
"""Records golden cases of Fourier transforms (cases/fft) and audio (cases/audio) as TensorFlow runs them."""
import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case
from make_linalg_cases import both, matrix, parts, unknown

raw = tf.raw_ops


def fft():
    case = Case("fft")
    case.tolerances = {tf.float32: "1e-04 2e-05", tf.float64: "1e-11 1e-12"}
    forward, backward = (raw.FFT, raw.FFT2D, raw.FFT3D), (raw.IFFT, raw.IFFT2D, raw.IFFT3D)
    for single in (True, False):
        real, spectrum = (np.float32, np.complex64) if single else (np.float64, np.complex128)
        for n in (1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 30, 37, 64, 101, 128):
            for op in (raw.FFT, raw.IFFT):
                case.run(lambda: parts([op(input=tf.constant(matrix(spectrum, 2, n)))]))
            case.run(lambda: parts([raw.RFFT(input=matrix(real, 3, n), fft_length=[n], Tcomplex=spectrum)]))
            case.run(lambda: [raw.IRFFT(input=matrix(spectrum, 3, n // 2 + 1), fft_length=[n], Treal=real)])
        for rank in (1, 2, 3):
            shape = (2, 3, 4, 5)[:rank + 1]
            both(case, lambda a: [forward[rank - 1](input=a), backward[rank - 1](input=a)], matrix(spectrum, *shape))
            both(case, lambda a: [forward[rank - 1](input=a)], matrix(spectrum, *shape[:-1], 0))
            both(case, lambda a: [forward[rank - 1](input=a)], matrix(spectrum, 0, *shape[1:]))
            for length in (4, 5, 6):
                lengths = np.array([3, 2, length][3 - rank:], np.int32)
                there = (raw.RFFT, raw.RFFT2D, raw.RFFT3D)[rank - 1]
                back = (raw.IRFFT, raw.IRFFT2D, raw.IRFFT3D)[rank - 1]
                # As long as the transform, and longer.
                for more in (0, 2):
                    dims = [2] + [int(d) + more for d in lengths]
                    both(case, lambda a, l: [there(input=a, fft_length=l, Tcomplex=spectrum)], matrix(real, *dims),
                         lengths)
                    dims[-1] = length // 2 + 1 + more
                    both(case, lambda a, l: [back(input=a, fft_length=l, Treal=real)], matrix(spectrum, *dims),
                         lengths)
    x, c = np.ones([2, 4], np.float32), np.ones([2, 4], np.complex64)
    for lengths in ([8], [-1], [0], [4, 4], 4, []):
        value = np.array(lengths, np.int32)
        case.run(lambda: parts([raw.RFFT(input=unknown(x), fft_length=unknown(value))]))
        case.run(lambda: [raw.IRFFT(input=unknown(c), fft_length=unknown(value))])
    case.run(lambda: parts([raw.RFFT2D(input=unknown(x), fft_length=unknown(np.array([3, 4], np.int32)))]))
    case.run(lambda: parts([raw.RFFT2D(input=unknown(x[0]), fft_length=unknown(np.array([1, 4], np.int32)))]))
    case.run(lambda: parts([raw.FFT2D(input=unknown(c[0]))]))
    case.run(lambda: parts([raw.FFT(input=unknown(c[0, 0]))]))
    case.run(lambda: parts([raw.RFFT(input=x, fft_length=[4], Tcomplex=tf.complex128)]))
    case.run(lambda: [raw.IRFFT(input=c, fft_length=[4], Treal=tf.float64)])
    case.write()


def audio():
    case = Case("audio")
    case.tolerances = {tf.float32: "1e-04 1e-05"}
    sound = np.sin(np.arange(400) * 0.3).astype(np.float32)[:, None]
    for window, stride in ((64, 32), (50, 10), (400, 400), (401, 1), (16, 100), (2, 1)):
        for squared in (False, True):
            both(case, lambda a: [raw.AudioSpectrogram(input=a, window_size=window, stride=stride,
                                                       magnitude_squared=squared)], sound)
    stereo = np.concatenate([sound[:96], -sound[96:192]], 1)
    for stride in (32, 20, 64):
        case.run(lambda: [raw.AudioSpectrogram(input=unknown(stereo), window_size=32, stride=stride)])
    case.run(lambda: [raw.AudioSpectrogram(input=unknown(sound[:, 0]), window_size=32, stride=8)])
    spectrogram = np.abs(np.random.RandomState(3).randn(2, 3, 129)).astype(np.float32)
    for rate in (8000, 16000, 4000, 0, -1):
        case.run(lambda: [raw.Mfcc(spectrogram=unknown(spectrogram), sample_rate=rate)])
    both(case, lambda s: [raw.Mfcc(spectrogram=s, sample_rate=16000, upper_frequency_limit=7000,
                                   lower_frequency_limit=100, filterbank_channel_count=20,
                                   dct_coefficient_count=20)], spectrogram)
    for wrong in (dict(dct_coefficient_count=41), dict(dct_coefficient_count=0), dict(filterbank_channel_count=0),
                  dict(upper_frequency_limit=10.0), dict(lower_frequency_limit=-1.0)):
        case.run(lambda: [raw.Mfcc(spectrogram=unknown(spectrogram), sample_rate=16000, **wrong)])
    case.run(lambda: [raw.Mfcc(spectrogram=unknown(spectrogram[0]), sample_rate=16000)])
    case.run(lambda: [raw.Mfcc(spectrogram=unknown(spectrogram), sample_rate=unknown(np.array([1], np.int32)))])
    case.run(lambda: [raw.Mfcc(spectrogram=unknown(spectrogram[:, :, :1]), sample_rate=16000)])

    both(case, lambda a: [raw.EncodeWav(audio=a, sample_rate=8000)], stereo)
    both(case, lambda a: [raw.EncodeWav(audio=a, sample_rate=8000)], np.array([[2], [-2], [1], [-1]], np.float32))
    for bad, rate in ((stereo[:, 0], 8000), (stereo[:0], 8000), (stereo[:, :0], 8000), (stereo, 0), (stereo, -5)):
        case.run(lambda: [raw.EncodeWav(audio=unknown(bad), sample_rate=rate)])
    case.run(lambda: [raw.EncodeWav(audio=unknown(stereo), sample_rate=unknown(np.array([8000], np.int32)))])
    with case.graph.as_default(), tf.Session() as session:
        wav = session.run(raw.EncodeWav(audio=stereo, sample_rate=8000))
        fed = tf.placeholder(tf.string, None)
        plain = list(raw.DecodeWav(contents=fed))
        shaped = list(raw.DecodeWav(contents=fed, desired_channels=3, desired_samples=100))
        less = list(raw.DecodeWav(contents=fed, desired_channels=1, desired_samples=5))
    extra = wav[:36] + b"LIST\x04\x00\x00\x00abcd" + wav[36:]
    files = [wav, extra, wav + b"abc", wav + wav[36:], wav[:-1], wav[:40], wav[:36], b"", b"RIFF", b"RIFX" + wav[4:]]
    for at, value in ((16, 18), (16, 17), (20, 3), (22, 0), (22, 1), (28, 1), (32, 3), (34, 8), (43, 255), (40, 5)):
        files.append(wav[:at] + bytes([value]) + wav[at + 1:])
    for value in files:
        case.again(plain, {fed: value})
    for fetches in (shaped, less):
        case.again(fetches, {fed: wav})
    case.again(plain, {fed: [wav]})
    case.write()


if __name__ == "__main__":
    fft()
    audio()
