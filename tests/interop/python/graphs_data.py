"""tf.data: graphs that stock TensorFlow and the package sluice must build alike. graphs_data.py OUT"""
import os
import tempfile

import numpy as np

from recording import record, tf

Dataset, experimental = tf.data.Dataset, tf.data.experimental


def elements(*datasets):
    """All elements of each dataset, by iterators that need no initializer."""
    following = [tf.data.make_one_shot_iterator(d).get_next() for d in datasets]

    def run(session):
        values = []
        for element in following:
            try:
                while True:
                    values.append(session.run(element))
            except tf.errors.OutOfRangeError:
                values.append(-1)
        return values
    return run


def sources():
    return elements(Dataset.from_tensors((1, {"a": [1.0, 2.0]})), Dataset.from_tensor_slices({"b": [1, 2], "a": [b"x", b"y"]}),
                    Dataset.range(3), Dataset.range(2, 9, 3), Dataset.zip((Dataset.range(2), {"b": Dataset.range(5)})),
                    Dataset.from_tensor_slices(np.arange(6).reshape(3, 2)))


def functions():
    numbers, three = Dataset.range(5), tf.constant(3, tf.int64, name="three")
    return elements(numbers.map(lambda x: x + 1), numbers.map(lambda x: x * three, num_parallel_calls=2),
                    numbers.map(lambda x: (x, {"a": x})).map(lambda x, y: x + y["a"]),
                    numbers.map(lambda x: x, num_parallel_calls=experimental.AUTOTUNE),
                    numbers.filter(lambda x: x < 3), numbers.flat_map(Dataset.range),
                    numbers.interleave(lambda x: Dataset.from_tensors(x).repeat(2), cycle_length=2, block_length=1),
                    numbers.interleave(lambda x: Dataset.from_tensors(x), cycle_length=2, num_parallel_calls=2),
                    numbers.window(2, shift=1, drop_remainder=True).flat_map(lambda w: w.batch(2)))


def batches():
    rows = Dataset.range(4).map(lambda x: tf.fill([x], x))
    return elements(Dataset.range(5).batch(2), Dataset.range(5).batch(2, drop_remainder=True), rows.padded_batch(2, [None]),
                    rows.padded_batch(3, [4], np.int64(7), drop_remainder=True),
                    Dataset.range(4).batch(2).apply(experimental.unbatch()))


def order():
    numbers = Dataset.range(4)
    Dataset.range(4).shuffle(4)
    return elements(numbers.repeat(2), numbers.take(3).skip(1), numbers.shard(2, 1), numbers.cache(), numbers.prefetch(2),
                    numbers.concatenate(Dataset.range(2)), numbers.shuffle(1, seed=5, reshuffle_each_iteration=False))


def reductions():
    numbers = Dataset.range(5)
    return [numbers.reduce(np.int64(1), lambda s, x: s + x), experimental.get_single_element(numbers.take(1)),
            experimental.cardinality(numbers)]


def sparse_elements():
    sparse = tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2])
    dataset = Dataset.from_tensor_slices(sparse).map(lambda x: x)
    return [tf.data.make_one_shot_iterator(dataset.batch(2)).get_next().values,
            tf.data.make_one_shot_iterator(dataset).get_next().values]


def transformations():
    numbers = Dataset.range(6)
    numbers.apply(experimental.shuffle_and_repeat(4, 2, seed=1))
    return elements(
        numbers.apply(experimental.map_and_batch(lambda x: x + 1, 4, num_parallel_calls=2, drop_remainder=True)),
        numbers.apply(experimental.map_and_batch(lambda x: x + 1, 4)),
        numbers.apply(experimental.parallel_interleave(Dataset.from_tensors, 2)),
        numbers.apply(experimental.group_by_window(lambda x: x % 2, lambda key, d: d.batch(2), window_size=3)),
        numbers.map(lambda x: tf.fill([x], x)).apply(experimental.bucket_by_sequence_length(
            lambda x: tf.shape(x)[0], [2, 4], [2, 2, 2])),
        numbers.apply(experimental.scan(np.int64(0), lambda s, x: (s + x, s * x))),
        numbers.apply(experimental.take_while(lambda x: x < 3)), numbers.apply(experimental.unique()),
        numbers.apply(experimental.ignore_errors()), numbers.apply(experimental.enumerate_dataset(5)),
        experimental.choose_from_datasets([numbers, numbers], Dataset.range(2)),
        experimental.Counter(2).take(3))


def samples():
    experimental.sample_from_datasets([Dataset.range(3), Dataset.range(3)], [0.5, 0.5], seed=1)
    experimental.RandomDataset(2)
    return []


def iterators():
    several = tf.data.Iterator.from_structure((tf.int32, {"a": tf.float32}), ((), {"a": tf.TensorShape([None])}))
    element = several.get_next(name="n")
    begin = several.make_initializer(Dataset.from_tensors((1, {"a": [1.0, 2.0]})))
    handle = tf.placeholder(tf.string, [])
    any_of = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
    following = any_of.get_next()
    numbers = tf.data.make_initializable_iterator(Dataset.range(3), shared_name="shared")
    optional = experimental.get_next_as_optional(tf.data.make_one_shot_iterator(Dataset.range(1)))

    def run(session):
        session.run([begin, numbers.initializer])
        which = session.run(numbers.string_handle())
        return [session.run(element), session.run(following, {handle: which}), session.run(following, {handle: which}),
                session.run([optional.has_value(), optional.get_value()])]
    run.optional = optional
    return run


def generators():
    def pairs(limit=3):
        for i in range(limit):
            yield i, [float(i)] * i
    return elements(Dataset.from_generator(lambda: range(3), tf.int64, []), Dataset.from_generator(
        pairs, (tf.int32, tf.float32), (tf.TensorShape([]), tf.TensorShape([None]))), Dataset.from_generator(
            pairs, (tf.int32, tf.float32), ([], [None]), args=(2,)))


def files():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    with open("a.csv", "w") as out:
        out.write("1,2\n3,4\n")
    with tf.python_io.TFRecordWriter("a.tfrecord") as writer:
        writer.write(b"one")
        writer.write(b"two")
    return elements(tf.data.TextLineDataset(["a.csv"]), tf.data.TextLineDataset("a.csv", buffer_size=3),
                    tf.data.TFRecordDataset("a.tfrecord"), tf.data.TFRecordDataset(["a.tfrecord"], num_parallel_reads=2),
                    tf.data.FixedLengthRecordDataset(["a.csv"], 4), experimental.CsvDataset(["a.csv"], [tf.int32, [1.0]]))


def lists_of_files():
    with open(os.path.join(tempfile.mkdtemp(), "a.csv"), "w") as out:
        os.chdir(os.path.dirname(out.name))
    iterators = [tf.data.make_initializable_iterator(d) for d in (
        Dataset.list_files("./a.*", shuffle=False), Dataset.list_files(["./a.c*"], seed=3))]
    return [i.initializer for i in iterators] + [i.get_next() for i in iterators]


if __name__ == "__main__":
    record((sources, functions, batches, order, reductions, sparse_elements, transformations, samples, iterators, generators,
            files, lists_of_files))
