"""Frames of signals: values, also where sizes are not known when the graph is built."""
import unittest

import numpy as np
import sluice as tf


def run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


class Frames(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.values = np.random.RandomState(1).normal(size=(2, 23)).astype(np.float32)
        self.signal = tf.placeholder(tf.float32, [None, None])
        self.length = tf.placeholder(tf.int32, [])

    def test_frames_of_unknown_sizes(self):
        for length, step in (4, 2), (6, 4), (5, 5), (3, 7):
            wanted = np.stack([self.values[:, i:i + length] for i in range(0, 23 - length + 1, step)], 1)
            feeds = {self.signal: self.values, self.length: length}
            np.testing.assert_array_equal(run(tf.signal.frame(self.signal, self.length, step), feeds), wanted)
            np.testing.assert_array_equal(run(tf.signal.frame(self.values, length, step)), wanted)

    def test_overlapping_frames_are_added(self):
        for length, step in (4, 2), (5, 2), (4, 4):
            wanted = np.zeros([3 * step + length], np.float32)
            frames = np.arange(4 * length, dtype=np.float32).reshape(4, length)
            for i in range(4):
                wanted[i * step:i * step + length] += frames[i]
            given = tf.placeholder(tf.float32, [None, None])
            np.testing.assert_array_equal(run(tf.signal.overlap_and_add(frames, step)), wanted)
            np.testing.assert_array_equal(run(tf.signal.overlap_and_add(given, step), {given: frames}), wanted)

    def test_transforms_of_unknown_sizes(self):
        window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(6) / 6)
        frames = np.stack([self.values[:, i:i + 6] for i in range(0, 18, 3)], 1)
        made = run(tf.signal.stft(self.signal, self.length, 3), {self.signal: self.values, self.length: 6})
        np.testing.assert_allclose(made, np.fft.rfft(frames * window, 8), atol=1e-5)


if __name__ == "__main__":
    unittest.main()
