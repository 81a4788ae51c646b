"""Queues and the threads that fill them: tf.FIFOQueue, tf.train.QueueRunner, tf.train.start_queue_runners."""
import threading

from sluice import _errors
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype, int64
from sluice._graph import GraphKeys, add_to_collection, device, get_collection, name_scope
from sluice._oplib import apply
from sluice._random import get_seed
from sluice._shape import TensorShape


@export("QueueBase", "queue.QueueBase", "io.QueueBase")
class QueueBase:
    """A queue of tuples of tensors."""

    def __init__(self, dtypes, shapes, names, queue_ref):
        self._dtypes, self._queue_ref, self._names = dtypes, queue_ref, names
        if shapes is not None and len(shapes) != len(dtypes):
            raise ValueError("Queue shapes must have the same length as dtypes, received len(shapes)=%d, len(dtypes)=%d" %
                             (len(shapes), len(dtypes)))
        self._shapes = [TensorShape(s) for s in shapes] if shapes is not None else [TensorShape(None)] * len(dtypes)
        self._name = queue_ref.op.name.split("/")[-1]

    queue_ref = property(lambda self: self._queue_ref)
    name = property(lambda self: self._queue_ref.op.name)
    dtypes = property(lambda self: self._dtypes)
    shapes = property(lambda self: self._shapes)
    names = property(lambda self: self._names)

    def _values(self, vals):
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals):
                raise ValueError("Keys in dictionary to enqueue do not match names of Queue. Dictionary: %s, Queue: %s" %
                                 (sorted(vals), sorted(self._names)))
            vals = [vals[n] for n in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a Queue with names")
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        if len(vals) != len(self._dtypes):
            raise ValueError("Expected %d components, got %d" % (len(self._dtypes), len(vals)))
        return [convert_to_tensor(v, dtype=t, name="component_%d" % i) for i, (v, t) in enumerate(zip(vals, self._dtypes))]

    def enqueue(self, vals, name=None):
        with name_scope(name, "%s_enqueue" % self._name) as scope:
            values = self._values(vals)
            for value, shape in zip(values, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            return apply("QueueEnqueueV2", scope, handle=self._queue_ref, components=values)

    def enqueue_many(self, vals, name=None):
        with name_scope(name, "%s_EnqueueMany" % self._name) as scope:
            return apply("QueueEnqueueManyV2", scope, handle=self._queue_ref, components=self._values(vals))

    def _result(self, tensors, batch=None, known=True):
        for tensor, shape in zip(tensors, self._shapes if known else []):
            tensor.set_shape(shape if batch is None else TensorShape([None if batch < 0 else batch]).concatenate(shape))
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    @staticmethod
    def from_list(index, queues):
        """The queue of |queues| with the number |index|, which a tensor may be."""
        if not queues or any(not isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(q.dtypes != first.dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        shapes = [TensorShape.most_specific_compatible_shape(*pair) if len(queues) > 1 else pair[0]
                  for pair in zip(first.shapes, queues[-1].shapes)]
        refs = apply("Pack", "stack", values=[q.queue_ref for q in queues], axis=0)
        chosen = apply("GatherV2", None, params=refs, indices=index, axis=0)
        return QueueBase(first.dtypes, shapes, first.names, chosen)

    def dequeue(self, name=None):
        return self._result(apply("QueueDequeueV2", name or "%s_Dequeue" % self._name, handle=self._queue_ref,
                                  component_types=self._dtypes))

    def dequeue_many(self, n, name=None):
        made = apply("QueueDequeueManyV2", name or "%s_DequeueMany" % self._name, handle=self._queue_ref, n=n,
                     component_types=self._dtypes)
        return self._result(made, n if isinstance(n, int) else -1)

    def dequeue_up_to(self, n, name=None):
        made = apply("QueueDequeueUpToV2", name or "%s_DequeueUpTo" % self._name, handle=self._queue_ref, n=n,
                     component_types=self._dtypes)
        return self._result(made, -1)

    def close(self, cancel_pending_enqueues=False, name=None):
        return apply("QueueCloseV2", name or "%s_Close" % self._name, handle=self._queue_ref,
                     cancel_pending_enqueues=cancel_pending_enqueues)

    def is_closed(self, name=None):
        return apply("QueueIsClosedV2", name or "%s_Is_Closed" % self._name, handle=self._queue_ref)

    def size(self, name=None):
        return apply("QueueSizeV2", name or "%s_Size" % self._name, handle=self._queue_ref)


def _lists(dtypes, shapes, names):
    """The arguments of a queue, each as a list."""
    dtypes = [as_dtype(t) for t in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]
    if shapes is not None:
        if len(dtypes) == 1 and not (isinstance(shapes, (list, tuple)) and shapes and
                                     isinstance(shapes[0], (list, tuple, TensorShape))):
            shapes = [shapes]
        shapes = [TensorShape(s) for s in shapes]
    if names is not None and not isinstance(names, (list, tuple)):
        names = [names]
    return dtypes, shapes, names


@export("FIFOQueue", "queue.FIFOQueue", "io.FIFOQueue")
class FIFOQueue(QueueBase):
    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        dtypes, shapes, names = _lists(dtypes, shapes, names)
        with device("CPU"):
            ref = apply("FIFOQueueV2", name, component_types=dtypes, shapes=shapes or [], capacity=capacity,
                        shared_name=shared_name)
        super().__init__(dtypes, shapes, names, ref)


@export("RandomShuffleQueue", "queue.RandomShuffleQueue", "io.RandomShuffleQueue")
class RandomShuffleQueue(QueueBase):
    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
                 name="random_shuffle_queue"):
        dtypes, shapes, names = _lists(dtypes, shapes, names)
        seed, seed2 = get_seed(seed)
        ref = apply("RandomShuffleQueueV2", name, component_types=dtypes, shapes=shapes or [], capacity=capacity,
                    min_after_dequeue=min_after_dequeue, seed=seed or 0, seed2=seed2 or 0, shared_name=shared_name)
        super().__init__(dtypes, shapes, names, ref)


@export("PaddingFIFOQueue", "queue.PaddingFIFOQueue", "io.PaddingFIFOQueue")
class PaddingFIFOQueue(QueueBase):
    """A queue of tensors of different sizes: a batch is padded to the largest."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        dtypes, shapes, names = _lists(dtypes, shapes, names)
        if len(dtypes) != len(shapes):
            raise ValueError("Shapes must be provided for all components, but received %d dtypes and %d shapes." %
                             (len(dtypes), len(shapes)))
        ref = apply("PaddingFIFOQueueV2", name, component_types=dtypes, shapes=shapes, capacity=capacity,
                    shared_name=shared_name)
        super().__init__(dtypes, shapes, names, ref)


@export("PriorityQueue", "queue.PriorityQueue", "io.PriorityQueue")
class PriorityQueue(QueueBase):
    """A queue whose first component is a priority: the smallest comes first."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        types, shapes, names = _lists(types, shapes, names)
        ref = apply("PriorityQueueV2", name, component_types=types, shapes=shapes or [], capacity=capacity,
                    shared_name=shared_name)
        super().__init__([int64] + types, [TensorShape([])] + (shapes or [TensorShape(None)] * len(types)), names, ref)


@export("train.QueueRunner", "train.queue_runner.QueueRunner")
class QueueRunner:
    """Threads that run enqueue operations until the queue is closed or the coordinator stops."""
    in_meta_graphs = True

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None,
                 queue_runner_def=None, import_scope=None):
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        self._queue, self._enqueue_ops = queue, list(enqueue_ops)
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op
        self._closed = tuple(queue_closed_exception_types or (_errors.OutOfRangeError,))
        self._lock, self._runs, self._raised = threading.Lock(), {}, []

    queue = property(lambda self: self._queue)
    enqueue_ops = property(lambda self: self._enqueue_ops)
    close_op = property(lambda self: self._close_op)
    cancel_op = property(lambda self: self._cancel_op)
    queue_closed_exception_types = property(lambda self: self._closed)
    exceptions_raised = property(lambda self: self._raised)
    name = property(lambda self: self._queue.name)

    def _step(self, sess, enqueue_op):
        """What a thread calls again and again."""
        return sess.make_callable(enqueue_op)

    def _run(self, sess, enqueue_op, coord):
        counted = True
        try:
            call = self._step(sess, enqueue_op)
            while not (coord and coord.should_stop()):
                try:
                    call()
                except self._closed:
                    with self._lock:
                        self._runs[sess] -= 1
                        counted = False
                        last = self._runs[sess] == 0
                    if last:
                        try:
                            sess.run(self._close_op)
                        except _errors.OpError:
                            pass  # the session is gone, and the queue with it
                    return
        except Exception as error:  # noqa: B902
            if coord:
                coord.request_stop(error)
            else:
                with self._lock:
                    self._raised.append(error)
        finally:
            if counted:
                with self._lock:
                    self._runs[sess] -= 1

    def _cancel_on_stop(self, sess, cancel_op, coord):
        coord.wait_for_stop()
        try:
            sess.run(cancel_op)
        except Exception:  # noqa: B902
            pass  # the session is gone, and the queue with it

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        with self._lock:
            if self._runs.get(sess, 0) > 0:
                return []
            self._runs[sess] = len(self._enqueue_ops)
            self._raised = []
        threads = [threading.Thread(target=self._run, args=(sess, op, coord), name="QueueRunnerThread-%s-%s" %
                                    (self.name, op.name)) for op in self._enqueue_ops]
        if coord:
            threads.append(threading.Thread(target=self._cancel_on_stop, args=(sess, self._cancel_op, coord),
                                            name="QueueRunnerThread-%s-close_on_stop" % self.name))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            thread.daemon = daemon
            if start:
                thread.start()
        return threads


@export("train.add_queue_runner", "train.queue_runner.add_queue_runner")
def add_queue_runner(qr, collection=GraphKeys.QUEUE_RUNNERS):
    add_to_collection(collection, qr)


@export("train.start_queue_runners", "train.queue_runner.start_queue_runners")
def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=GraphKeys.QUEUE_RUNNERS):
    if sess is None:
        from sluice._session import get_default_session
        sess = get_default_session()
        if sess is None:
            raise ValueError("Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or "
                             "pass an explicit session to tf.start_queue_runners(sess=sess)")
    with sess.graph.as_default():
        return [t for runner in get_collection(collection)
                for t in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)]
