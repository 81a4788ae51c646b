"""Input pipelines of queues: tf.train.shuffle_batch, tf.train.string_input_producer and related functions."""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._array import expand_dims, shape_of
from sluice._array_select import gather
from sluice._graph import GraphKeys, colocate_with, control_dependencies, name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._queues import FIFOQueue, PaddingFIFOQueue, QueueRunner, RandomShuffleQueue, add_queue_runner
from sluice._random import random_shuffle
from sluice._range import range_of
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor
from sluice._summary import scalar
from sluice._variables import Variable


# --- Producers ---

@export("train.limit_epochs")
def limit_epochs(tensor, num_epochs=None, name=None):
    """|tensor|, |num_epochs| times; then OutOfRangeError. The counter is a local variable."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError("num_epochs must be > 0 not %d." % num_epochs)
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(convert_to_tensor(0, dtype=_dtypes.int64), name="epochs", trainable=False,
                          collections=[GraphKeys.LOCAL_VARIABLES])
        counter = apply("CountUpTo", None, ref=epochs._ref(), limit=num_epochs)
        with control_dependencies([counter]):
            return apply("Identity", scope, input=tensor)


@export("train.input_producer")
def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
                   summary_name=None, name=None, cancel_op=None):
    """A queue of the rows of |input_tensor|, again and again, in random order."""
    with name_scope(name, "input_producer", [input_tensor]):
        rows = convert_to_tensor(input_tensor, name="input_tensor")
        element_shape = rows.shape[1:] if element_shape is None else TensorShape(element_shape)
        if shuffle:
            rows = random_shuffle(rows, seed=seed)
        rows = limit_epochs(rows, num_epochs)
        queue = FIFOQueue(capacity, [rows.dtype.base_dtype], shapes=[element_shape], name=name, shared_name=shared_name)
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([rows])], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), _dtypes.float32) * (1.0 / capacity))
        return queue


@export("train.string_input_producer")
def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None,
                          cancel_op=None):
    """A queue of texts, such as names of files."""
    text = "string_input_producer requires a non-null input tensor"
    if not hasattr(string_tensor, "op") and not len(string_tensor):
        raise ValueError(text)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        texts = convert_to_tensor(string_tensor, dtype=_dtypes.string)
        count = texts.shape.num_elements()
        size = convert_to_tensor(count, name="Size") if count is not None else apply("Size", None, input=texts)
        some = apply("Greater", None, x=size, y=0)
        with name_scope("Assert"):
            convert_to_tensor(text)
            check = apply("Assert", None, condition=some, data=[text], summarize=3)
        with control_dependencies([check]):
            texts = apply("Identity", None, input=texts)
        return input_producer(texts, [], num_epochs, shuffle, seed, capacity, shared_name, "fraction_of_%d_full" % capacity,
                              scope, cancel_op)


@export("train.range_input_producer")
def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue of the numbers below |limit|."""
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(range_of(limit), [], num_epochs, shuffle, seed, capacity, shared_name,
                              "fraction_of_%d_full" % capacity, scope)


@export("train.slice_input_producer")
def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A row of each tensor, the same one of all, again and again."""
    with name_scope(name, "input_producer", list(tensor_list)):
        tensors = [convert_to_tensor(t) for t in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        queue = range_input_producer(shape_of(tensors[0])[0], num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [gather(t, index) for t in tensors]


@export("train.match_filenames_once", "io.match_filenames_once")
def match_filenames_once(pattern, name=None):
    """The files that match when local variables are initialised."""
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(apply("MatchingFiles", None, pattern=pattern), name=scope, trainable=False, validate_shape=False,
                        collections=[GraphKeys.LOCAL_VARIABLES])


# --- Batches ---

class _Components:
    """The tensors of a batch: sparse ones go through the queue as numbers of a map of sparse tensors."""

    def __init__(self, tensors_list, enqueue_many):
        self._enqueue_many, self._maps = enqueue_many, None
        self.lists = [[self._stored(t, i, row) for i, t in enumerate(row)] for row in tensors_list]

    def _stored(self, tensor, i, row):
        if self._maps is None:
            self._maps = [None] * len(row)
        if not isinstance(tensor, SparseTensor):
            return tensor
        arguments = dict(sparse_indices=tensor.indices, sparse_values=tensor.values, sparse_shape=tensor.dense_shape)
        shared = self._maps[i][0].op.name if self._maps[i] else None
        made = apply("AddManySparseToTensorsMap" if self._enqueue_many else "AddSparseToTensorsMap", None, **arguments,
                     shared_name=shared)
        self._maps[i] = self._maps[i] or (made, tensor.shape.ndims, tensor.dtype)
        return expand_dims(made, [-1])

    def restored(self, values):
        return [value if entry is None else self._taken(value, *entry) for value, entry in zip(values, self._maps)]

    def _taken(self, value, made, rank, dtype):
        handles = apply("Squeeze", None, input=value, squeeze_dims=[1])
        with colocate_with(made.op):
            parts = apply("TakeManySparseFromTensorsMap", None, sparse_handles=handles, dtype=dtype,
                          shared_name=made.op.name)
        if rank is not None:
            rank = rank if self._enqueue_many else rank + 1
            parts[0].set_shape([None, rank])
            parts[2].set_shape([rank])
        return SparseTensor(*[_after(parts[0].op, part) for part in parts])


def _after(op, tensor):
    with name_scope(None, "control_dependency", [tensor]) as scope:
        with colocate_with(tensor), control_dependencies([op]):
            return apply("Identity", scope, input=tensor)


def _batched(tensors_list, label, name, make_queue, fraction, summary, num_threads, batch_size, enqueue_many, shapes, final,
             padded=False):
    """|tensors_list|: lists or dictionaries of tensors, each of which is enqueued by |num_threads| threads."""
    first = tensors_list[0]
    keys = list(sorted(first)) if isinstance(first, dict) else None
    rows = [[row[k] for k in keys] if keys else list(row) if isinstance(row, (list, tuple)) else [row] for row in tensors_list]
    with name_scope(name, label, [t for row in rows for t in row if not isinstance(t, SparseTensor)]) as scope:
        rows = [[t if isinstance(t, SparseTensor) else convert_to_tensor(t) for t in row] for row in rows]
        convert_to_tensor(True)
        components = _Components(rows, enqueue_many)
        shapes = _shapes(components.lists, shapes, enqueue_many)
        for shape in shapes:
            if not (shape.ndims is not None if padded else shape.is_fully_defined()):
                raise ValueError("All shapes must be fully defined: %s" % [str(s) for s in shapes] if not padded else
                                 "Cannot infer Tensor's rank: %s" % [str(s) for s in shapes])
        queue = make_queue([v.dtype.base_dtype for v in components.lists[0]], shapes)
        enqueues = [queue.enqueue_many(row) if enqueue_many else queue.enqueue(row) for row in components.lists]
        add_queue_runner(QueueRunner(queue, enqueues * num_threads))
        scalar(summary, fraction(queue))
        made = queue.dequeue_up_to(batch_size, name=scope) if final else queue.dequeue_many(batch_size, name=scope)
        made = components.restored(made if isinstance(made, list) else [made])
        if keys:
            return dict(zip(keys, made))
        return made[0] if len(made) == 1 else made


def _shapes(lists, shapes, enqueue_many):
    """The shapes of the components, as far as all of |lists| have them."""
    if shapes is not None:
        return [TensorShape(s) for s in shapes]
    found = []
    for column in zip(*lists):
        shape = column[0].shape
        for other in column[1:]:
            shape = shape.most_specific_compatible_shape(other.shape)
        found.append(shape[1:] if enqueue_many else shape)
    return found


def _fifo(capacity, shared_name, dynamic_pad):
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return lambda types, sizes: kind(capacity, types, sizes, shared_name=shared_name)


@export("train.batch")
def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
          allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of tensors, in the order of their arrival."""
    return _batched([tensors], "batch", name, _fifo(capacity, shared_name, dynamic_pad),
                    lambda queue: cast(queue.size(), _dtypes.float32) * (1.0 / capacity), "fraction_of_%d_full" % capacity,
                    num_threads, batch_size, enqueue_many, shapes, allow_smaller_final_batch, dynamic_pad)


@export("train.batch_join")
def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
               allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of what several lists of tensors give, each with a thread of its own."""
    return _batched(tensors_list, "batch_join", name, _fifo(capacity, shared_name, dynamic_pad),
                    lambda queue: cast(queue.size(), _dtypes.float32) * (1.0 / capacity), "fraction_of_%d_full" % capacity,
                    1, batch_size, enqueue_many, shapes, allow_smaller_final_batch, dynamic_pad)


def _shuffled(tensors_list, label, name, batch_size, capacity, min_after_dequeue, num_threads, seed, enqueue_many, shapes,
              final, shared_name):
    room = capacity - min_after_dequeue
    if room <= 0:
        raise ValueError("capacity %d must be bigger than min_after_dequeue %d." % (capacity, min_after_dequeue))

    def fraction(queue):
        over = apply("Maximum", None, x=0, y=queue.size() - min_after_dequeue)
        return cast(over, _dtypes.float32) * (1.0 / room)
    return _batched(tensors_list, label, name,
                    lambda types, sizes: RandomShuffleQueue(capacity, min_after_dequeue, types, sizes, seed=seed,
                                                            shared_name=shared_name),
                    fraction, "fraction_over_%d_of_%d_full" % (min_after_dequeue, room), num_threads, batch_size,
                    enqueue_many, shapes, final)


@export("train.shuffle_batch")
def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
                  allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of tensors in random order."""
    return _shuffled([tensors], "shuffle_batch", name, batch_size, capacity, min_after_dequeue, num_threads, seed,
                     enqueue_many, shapes, allow_smaller_final_batch, shared_name)


@export("train.shuffle_batch_join")
def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
                       allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches in random order of what several lists of tensors give."""
    return _shuffled(tensors_list, "shuffle_batch_join", name, batch_size, capacity, min_after_dequeue, 1, seed,
                     enqueue_many, shapes, allow_smaller_final_batch, shared_name)
