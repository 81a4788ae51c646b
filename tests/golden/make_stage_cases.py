#!/usr/bin/env python3
"""Records golden cases of staging maps and mutexes (cases/map_stages) as TensorFlow runs them."""
import tensorflow.compat.v1 as tf
from make_cases import Case

raw = tf.raw_ops


def map_stages():
    case = Case("map_stages")

    def ops(prefix, name, dtypes=(tf.float32, tf.string), **more):
        """Functions that make the ops of one map."""
        where = dict(dtypes=list(dtypes), shared_name=name, **more)

        def get(op):
            return getattr(raw, prefix + op)

        def stage(key, indices, values):
            with tf.control_dependencies([get("MapStage")(key=tf.constant(key, tf.int64), indices=indices, values=values,
                                                          **where)]):
                return [tf.constant(1)]

        def read(op, key, indices, types=None):
            types = [dtypes[i] for i in indices] if types is None else types
            return get(op)(key=tf.constant(key, tf.int64), indices=indices, dtypes=types, shared_name=name, **more)

        def any_key(indices):
            # The map exists already, so that dtypes only say what comes out.
            result = get("MapUnstageNoKey")(indices=indices, dtypes=[dtypes[i] for i in indices], shared_name=name, **more)
            return [result.key] + list(result.values)

        def sizes():
            return [get("MapSize")(**where), get("MapIncompleteSize")(**where)]

        def clear():
            with tf.control_dependencies([get("MapClear")(**where)]):
                return [tf.constant(2)]

        return stage, read, any_key, sizes, clear

    for prefix in ("", "Ordered"):
        stage, read, any_key, sizes, clear = ops(prefix, prefix + "first")
        x, text = tf.constant, tf.constant
        with case.graph.as_default():
            x, text = tf.constant([1.0, 2.0]), tf.constant("text")
        case.run(sizes)
        case.run(lambda: stage(5, [0, 1], [x, text]))
        case.run(sizes)
        case.run(lambda: list(read("MapPeek", 5, [0, 1])))
        case.run(lambda: list(read("MapPeek", 5, [1])))
        case.run(lambda: list(read("MapUnstage", 5, [1])))
        case.run(lambda: list(read("MapUnstage", 5, [1])))
        case.run(lambda: list(read("MapPeek", 5, [0, 1])))
        case.run(lambda: list(read("MapUnstage", 5, [0])))
        case.run(sizes)
        # In parts.
        case.run(lambda: stage(7, [1], [text]))
        case.run(sizes)
        case.run(lambda: stage(7, [1], [text]))
        case.run(lambda: stage(7, [0], [x]))
        case.run(sizes)
        case.run(lambda: any_key([0, 1]))
        # Wrong indices, values and keys.
        case.run(lambda: stage(8, [1, 0], [x, text]))
        case.run(lambda: stage(8, [2], [x]))
        case.run(lambda: stage(8, [], [x]))
        case.run(lambda: stage([], [0, 1], [x, text]))
        case.run(lambda: stage([1, 2], [0, 1], [x, text]))
        case.run(lambda: stage(9, [0, 1], [x, text]))
        case.run(lambda: list(read("MapUnstage", 9, [1, 0])))
        case.run(lambda: list(read("MapUnstage", 9, [2], [tf.float32])))
        case.run(lambda: list(read("MapUnstage", 9, [-1], [tf.float32])))
        case.run(sizes)
        case.run(clear)
        case.run(sizes)
        # A reader that waits for a writer of the same step.
        case.run(lambda: list(read("MapUnstage", 3, [0, 1])) + stage(3, [0, 1], [x, text]))
        case.run(lambda: any_key([0, 1]) + stage(4, [0, 1], [x, text]))
        # Room.
        stage, read, any_key, sizes, clear = ops(prefix, prefix + "second", capacity=1, memory_limit=20, dtypes=(tf.float32,))
        case.run(lambda: stage(1, [0], [x]))
        case.run(lambda: stage(2, [0], [x]) + list(read("MapUnstage", 1, [0])))
        case.run(lambda: stage(3, [0], [tf.zeros([6])]))
        case.run(sizes)

    stage, read, any_key, sizes, clear = ops("Ordered", "third", dtypes=(tf.float32,))
    for key in (3, -1, 2):
        case.run(lambda k=key: stage(k, [0], [tf.constant(float(k))]))
    for _ in range(3):
        case.run(lambda: any_key([0]))

    # Critical sections.
    with case.graph.as_default():
        counter = tf.get_variable("counter", [], initializer=tf.zeros_initializer(), use_resource=True)
        start = counter.initializer
        section = tf.CriticalSection(name="section", shared_name="section")

        def increment():
            before = counter.read_value()
            with tf.control_dependencies([before]):
                return counter.assign(before + 1.0).op

        with tf.control_dependencies([start]):
            begun = tf.constant(0)
        with tf.control_dependencies([section.execute(increment) for _ in range(20)]):
            done = counter.read_value()
    case.again([begun])
    case.again([done])
    case.again([done])
    case.run(lambda: [tf.cast(raw.TensorListLength(input_handle=raw.MutexLock(
        mutex=raw.MutexV2(shared_name="m"))), tf.int32)])
    case.run(lambda: [tf.shape(raw.MutexLock(mutex=raw.MutexV2(shared_name="m")))])
    case.run(lambda: [tf.shape(raw.MutexLock(mutex=raw.MutexV2(shared_name="m")))])

    def twice():
        lock = raw.MutexLock(mutex=raw.MutexV2(shared_name="m2"))
        with tf.control_dependencies([raw.ConsumeMutexLock(mutex_lock=tf.stack([lock, lock])[0])]):
            return [tf.constant(3)]

    def consumed(value):
        with tf.control_dependencies([raw.ConsumeMutexLock(mutex_lock=value)]):
            return [tf.constant(4)]

    case.run(twice)
    case.run(lambda: consumed(raw.EmptyTensorMap()))
    case.run(lambda: consumed(tf.stack([raw.EmptyTensorMap()])))
    case.write()


if __name__ == "__main__":
    map_stages()
