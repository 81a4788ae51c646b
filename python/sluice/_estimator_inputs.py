"""Inputs of estimators from arrays: tf.estimator.inputs.numpy_input_fn."""
import random

import numpy as np

from sluice import _errors, _logging, _queues
from sluice._api import export
from sluice._dtypes import as_dtype, int64
from sluice._graph import name_scope
from sluice._shape import TensorShape
from sluice._variables import placeholder


class _Rows:
    """Feeds rows of arrays, batch after batch, until the last epoch has ended."""

    def __init__(self, tensors, arrays, batch_size, num_epochs, shuffle):
        self._tensors, self._arrays, self._batch_size = tensors, arrays, batch_size
        self._count = len(arrays[0])
        self._next = random.randrange(self._count) if shuffle else 0
        self._left = None if num_epochs is None else self._count * num_epochs

    def __call__(self):
        size = self._batch_size if self._left is None else min(self._batch_size, self._left)
        if size == 0:
            raise _errors.OutOfRangeError(None, None, "Already emitted all epochs.")
        rows = np.arange(self._next, self._next + size) % self._count
        self._next = (self._next + size) % self._count
        if self._left is not None:
            self._left -= size
        return dict(zip(self._tensors, [rows] + [array[rows] for array in self._arrays]))


class FeedingQueueRunner(_queues.QueueRunner):
    """A queue runner of which each thread feeds what a function gives."""
    in_meta_graphs = False  # the arrays are not in the graph

    def __init__(self, queue, enqueue_ops, feed_fns):
        super().__init__(queue, enqueue_ops)
        self._feeds = dict(zip(enqueue_ops, feed_fns))

    def _step(self, sess, enqueue_op):
        feed = self._feeds[enqueue_op]
        return lambda: sess.run(enqueue_op, feed_dict=feed())


def _queue_of(arrays, capacity, shuffle, num_threads, batch_size, num_epochs):
    """A queue of (row number, values of a row), which threads of a session fill."""
    if num_threads > 1 and num_epochs is not None:
        _logging.warn("enqueue_data was called with num_epochs and num_threads > 1. num_epochs is applied per thread, so this "
                      "will produce more epochs than you probably intend.")
    types = [int64] + [as_dtype(array.dtype) for array in arrays]
    shapes = [TensorShape([])] + [TensorShape(array.shape[1:]) for array in arrays]
    with name_scope("enqueue_input"):
        if shuffle:
            queue = _queues.RandomShuffleQueue(capacity, capacity // 4, types, shapes)
        else:
            queue = _queues.FIFOQueue(capacity, types, shapes)
        enqueue_ops, feeds = [], []
        for _ in range(num_threads):
            tensors = [placeholder(dtype, [None] + shape.as_list()) for dtype, shape in zip(types, shapes)]
            enqueue_ops.append(queue.enqueue_many(tensors))
            feeds.append(_Rows(tensors, arrays, batch_size, num_epochs, shuffle))
        _queues.add_queue_runner(FeedingQueueRunner(queue, enqueue_ops, feeds))
    return queue


def _check_lengths(features, labels):
    lengths = {value.shape[0] for value in list(features.values()) + list(labels.values())}
    if len(lengths) != 1:
        raise ValueError("Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
                         "Shapes in x: %s\nShapes in y: %s\n" % ({k: v.shape for k, v in features.items()},
                                                                 {k: v.shape for k, v in labels.items()}))


@export("estimator.inputs.numpy_input_fn")
def numpy_input_fn(x, y=None, batch_size=128, num_epochs=1, shuffle=None, queue_capacity=1000, num_threads=1):
    """An input function of arrays: |x| are features by name or one array, |y| labels by name, one array, or None."""
    if not isinstance(shuffle, bool):
        raise ValueError("shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for "
                         "training); got %s" % (shuffle,))

    def input_fn():
        if not isinstance(x, (dict, np.ndarray)):
            raise TypeError("x must be a dict or array; got %s" % type(x).__name__)
        if len(x) == 0:
            raise ValueError("x cannot be an empty %s" % ("dict" if isinstance(x, dict) else "array"))
        if isinstance(y, dict) and not y:
            raise ValueError("y cannot be empty dict, use None instead.")
        features = {key: x[key] for key in sorted(x)} if isinstance(x, dict) else {"": x}
        labels = {} if y is None else {key: y[key] for key in sorted(y)} if isinstance(y, dict) else {"": y}
        if isinstance(y, dict) and set(features) & set(labels):
            raise ValueError("duplicate keys are found in both x and y: %s" % sorted(set(features) & set(labels)))
        _check_lengths(features, labels)
        queue = _queue_of(list(features.values()) + list(labels.values()), queue_capacity, shuffle, num_threads, batch_size,
                          num_epochs)
        batch = (queue.dequeue_many if num_epochs is None else queue.dequeue_up_to)(batch_size)[1:]
        named = dict(zip(features, batch)) if isinstance(x, dict) else batch[0]
        if y is None:
            return named
        rest = batch[len(features):]
        return named, dict(zip(labels, rest)) if isinstance(y, dict) else rest[0]
    return input_fn
