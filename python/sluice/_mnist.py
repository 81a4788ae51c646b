"""The MNIST reader of TensorFlow's tutorials: input_data.read_data_sets."""
import collections
import gzip
import os
import struct

import numpy as np

from sluice import _dtypes
from sluice._api import export
from sluice._dtypes import as_dtype

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def _read(path, magic, dimensions):
    print("Extracting", path)
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        data = file.read()
    header = struct.unpack_from(">%dI" % (1 + dimensions), data)
    if header[0] != magic:
        raise ValueError("Invalid magic number %d in MNIST file: %s" % (header[0], path))
    values = np.frombuffer(data, np.uint8, offset=4 * len(header))
    if values.size != int(np.prod(header[1:])):
        raise ValueError("MNIST file %s holds %d values, its header says %s" % (path, values.size, header[1:]))
    return values.reshape(header[1:])


def _find(train_dir, name):
    for directory in train_dir, os.environ.get("SLUICE_MNIST_DIR"), "MNIST_data":
        for end in (".gz", "") if directory else ():
            path = os.path.join(directory, name + end)
            if os.path.exists(path):
                return path
    raise FileNotFoundError("MNIST needs %s.gz: put the four idx files into %s, or set SLUICE_MNIST_DIR to their directory" %
                            (os.path.join(train_dir, name), train_dir))


class DataSet:
    """Images and labels, in batches of random order."""

    def __init__(self, images, labels, dtype=_dtypes.float32, reshape=True, seed=None):
        dtype = as_dtype(dtype).base_dtype
        if dtype not in (_dtypes.uint8, _dtypes.float32):
            raise TypeError("Invalid image dtype %r, expected uint8 or float32" % dtype)
        if len(images) != len(labels):
            raise ValueError("images.shape: %s labels.shape: %s" % (images.shape, labels.shape))
        if reshape:
            images = images.reshape(len(images), -1)
        if dtype == _dtypes.float32:
            images = images.astype(np.float32) * np.float32(1.0 / 255.0)
        self._images, self._labels, self._random = images, labels, np.random.RandomState(seed)
        self._epochs, self._at, self._order = 0, 0, None

    images = property(lambda self: self._images)
    labels = property(lambda self: self._labels)
    num_examples = property(lambda self: len(self._images))
    epochs_completed = property(lambda self: self._epochs)

    def _shuffle(self, shuffle):
        self._order = self._random.permutation(len(self._images)) if shuffle else np.arange(len(self._images))

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        """The next images and their labels; at the end of an epoch the rest is taken from the next one."""
        if fake_data:
            raise NotImplementedError("fake_data is not there")
        if self._order is None:
            self._shuffle(shuffle)
        chosen = self._order[self._at:self._at + batch_size]
        self._at += batch_size
        if self._at > len(self._images):
            self._epochs += 1
            self._shuffle(shuffle)
            self._at = batch_size - len(chosen)
            chosen = np.concatenate([chosen, self._order[:self._at]])
        return self._images[chosen], self._labels[chosen]


_PATHS = ["examples.tutorials.mnist.input_data.", "contrib.learn.python.learn.datasets.mnist.",
          "contrib.learn.datasets.mnist."]


@export(*[path + "read_data_sets" for path in _PATHS])
def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=_dtypes.float32, reshape=True, validation_size=5000,
                   seed=None, source_url=None):
    """Reads the four idx files of |train_dir|. Nothing is downloaded: a file that is missing there is taken from the
    directory $SLUICE_MNIST_DIR or MNIST_data, and it is printed which."""
    if fake_data:
        raise NotImplementedError("fake_data is not there")
    arrays = []
    for name, magic, dimensions in (("train-images-idx3-ubyte", 2051, 3), ("train-labels-idx1-ubyte", 2049, 1),
                                    ("t10k-images-idx3-ubyte", 2051, 3), ("t10k-labels-idx1-ubyte", 2049, 1)):
        arrays.append(_read(_find(train_dir, name), magic, dimensions))
    images, labels, test_images, test_labels = arrays
    images, test_images = images[..., None], test_images[..., None]
    if one_hot:
        labels, test_labels = np.eye(10)[labels], np.eye(10)[test_labels]
    if not 0 <= validation_size <= len(images):
        raise ValueError("Validation size should be between 0 and %d. Received: %d." % (len(images), validation_size))
    options = dict(dtype=dtype, reshape=reshape, seed=seed)
    return Datasets(DataSet(images[validation_size:], labels[validation_size:], **options),
                    DataSet(images[:validation_size], labels[:validation_size], **options),
                    DataSet(test_images, test_labels, **options))


for _path in _PATHS:
    export(_path + "DataSet")(DataSet)
