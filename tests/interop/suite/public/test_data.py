"""tf.data: pipelines as programs build them, element by element against a local session; files, savers, feedable
iterators, errors."""
import os

import numpy as np
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.data.experimental.ops import testing

from helpers import PS1, equal, local_session, session

Dataset = tf.data.Dataset
experimental = tf.data.experimental


def elements(s, fetch, runs):
    """What |runs| steps give; the type of the error in the place of an element."""
    result = []
    for _ in range(runs):
        try:
            result.append(s.run(fetch))
        except tf.errors.OpError as error:
            result.append(type(error))
    return result


def same_elements(target, build, runs):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(7)
        iterator = tf.data.make_initializable_iterator(build())
        fetch = tf.nest.flatten(iterator.get_next(), expand_composites=True)
    with local_session(graph) as s:
        s.run(iterator.initializer)
        want = elements(s, fetch, runs)
    with session(target, graph) as s:
        s.run(iterator.initializer)
        got = elements(s, fetch, runs)
    assert len(got) == len(want)
    for mine, theirs in zip(got, want):
        if isinstance(theirs, type) or isinstance(mine, type):
            assert mine == theirs
        else:
            equal(mine, theirs)


def example(number):
    features = {"x": tf.train.Feature(float_list=tf.train.FloatList(value=[number, number / 2])),
                "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "w": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"t"] * (number % 3)))}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


SPEC = {"x": tf.io.FixedLenFeature([2], tf.float32), "n": tf.io.FixedLenFeature([], tf.int64),
        "w": tf.io.VarLenFeature(tf.string)}
DENSE = {key: SPEC[key] for key in ("x", "n")}


@pytest.fixture
def records(tmp_path):
    paths = []
    for file in range(3):
        paths.append(str(tmp_path / ("records%d" % file)))
        with tf.io.TFRecordWriter(paths[-1]) as writer:
            for i in range(file * 10, file * 10 + 7):
                writer.write(example(i))
    return paths


def test_records_parsed_shuffled_batched_prefetched(target, records):
    parse = lambda record: tf.io.parse_single_example(record, DENSE)
    same_elements(target, lambda: tf.data.TFRecordDataset(records).map(parse, num_parallel_calls=2)
                  .shuffle(8, seed=3).repeat(2).batch(5).prefetch(2), 10)


def test_interleaved_files(target, records):
    same_elements(target, lambda: Dataset.from_tensor_slices(records).interleave(
        tf.data.TFRecordDataset, cycle_length=2, block_length=3, num_parallel_calls=2), 22)


def test_batched_features(target, records):
    same_elements(target, lambda: experimental.make_batched_features_dataset(
        records, 4, SPEC, reader=tf.data.TFRecordDataset, num_epochs=1, shuffle=False), 7)


def test_csv_and_lines(target, tmp_path):
    path = str(tmp_path / "a.csv")
    with open(path, "w") as out:
        out.write('id,size,name\n1,2.5,abc\n2,,"q""x,\ny"\n,4,z\nx,1,bad\n')
    defaults = lambda: [tf.constant([7], tf.int32), tf.constant([9.0]), tf.constant([], tf.string)]
    same_elements(target, lambda: experimental.CsvDataset([path], defaults(), header=True), 5)
    same_elements(target, lambda: tf.data.TextLineDataset([path]).skip(1), 6)


def test_missing_and_damaged_files(target, tmp_path, records):
    damaged = str(tmp_path / "damaged")
    content = bytearray(open(records[0], "rb").read())
    content[14] ^= 1
    open(damaged, "wb").write(bytes(content))
    same_elements(target, lambda: tf.data.TFRecordDataset([damaged, records[1]]), 9)
    same_elements(target, lambda: tf.data.TFRecordDataset([str(tmp_path / "none")]), 2)
    same_elements(target, lambda: tf.data.TFRecordDataset([damaged, records[1]]).apply(experimental.ignore_errors()), 8)


PIPELINES = {
    "padded": lambda: Dataset.range(1, 7).map(lambda x: tf.fill([x], x)).padded_batch(4, [None]),
    "buckets": lambda: Dataset.from_tensor_slices([1, 5, 2, 7, 3, 1, 9]).map(lambda x: tf.ones([x])).apply(
        experimental.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 6], [2, 2, 2])),
    "windows": lambda: Dataset.range(10).window(3, shift=2).flat_map(lambda x: x.batch(3)),
    "cached": lambda: Dataset.range(5).shuffle(5, seed=3).cache().repeat(2),
    "sampled": lambda: experimental.sample_from_datasets([Dataset.range(9), Dataset.range(10, 20)], [0.5, 0.5], seed=3),
    "scanned": lambda: Dataset.range(5).apply(
        experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * 10 + x))),
    "branches": lambda: Dataset.range(6).map(lambda x: tf.cond(x > 2, lambda: x * 10, lambda: x)),
    "loops": lambda: Dataset.range(4).map(lambda x: tf.while_loop(
        lambda i, s: i < x, lambda i, s: (i + 1, s + i), [tf.constant(0, tf.int64), tf.constant(0, tf.int64)])[1]),
    "sparse": lambda: Dataset.from_tensor_slices(
        tf.SparseTensor([[0, 0], [1, 2]], [1.0, 2.0], [2, 4])).map(tf.sparse.to_dense),
    "options": lambda: Dataset.range(5).map(lambda x: x + 1, num_parallel_calls=2).with_options(tf.data.Options()),
    "map_and_batch": lambda: Dataset.range(10).apply(experimental.map_and_batch(lambda x: (x, x * 2), 4)),
    "shuffle_and_repeat": lambda: Dataset.range(10).apply(experimental.shuffle_and_repeat(6, count=2, seed=11)),
}


@pytest.mark.parametrize("name", sorted(PIPELINES))
def test_pipeline(target, name):
    same_elements(target, PIPELINES[name], 12)


def test_one_shot_iterator_on_a_ps(rs):
    with tf.device(PS1):
        element = tf.data.make_one_shot_iterator(Dataset.range(3).map(lambda x: x * 3)).get_next()
    s = rs()
    assert elements(s, element, 4) == [0, 3, 6, tf.errors.OutOfRangeError]


def test_reinitialized_and_feedable_iterators(rs):
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    first, second = (iterator.make_initializer(d) for d in (Dataset.range(2), Dataset.range(5, 8)))
    element = iterator.get_next()
    handle = tf.placeholder(tf.string, [])
    fed = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
    other = tf.data.make_one_shot_iterator(Dataset.range(30, 33))
    s = rs()
    s.run(first)
    assert s.run(element) == 0
    s.run(second)
    handles = s.run([iterator.string_handle(), other.string_handle()])
    assert [s.run(fed, {handle: handles[i]}) for i in (0, 1, 0, 1)] == [5, 30, 6, 31]
    assert elements(s, element, 2) == [7, tf.errors.OutOfRangeError]


def test_uninitialized_iterator(rs):
    element = tf.data.make_initializable_iterator(Dataset.range(2)).get_next()
    with pytest.raises(tf.errors.FailedPreconditionError):
        rs().run(element)


def test_table_and_variable_in_a_function(rs):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(
        tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)), -1)
    factor = tf.get_variable("factor", initializer=tf.constant(10, tf.int64), use_resource=True)
    iterator = tf.data.make_initializable_iterator(
        Dataset.from_tensor_slices(["a", "x", "b"]).map(lambda key: table.lookup(key) * factor))
    element = iterator.get_next()
    s = rs()
    s.run([tf.tables_initializer(), factor.initializer])
    s.run(iterator.initializer)
    assert elements(s, element, 4) == [10, -10, 20, tf.errors.OutOfRangeError]


def test_table_filled_from_a_dataset(rs):
    from tensorflow.python.data.experimental.ops import lookup_ops
    table = tf.lookup.StaticHashTable(lookup_ops.DatasetInitializer(Dataset.range(5).map(lambda x: (x, x * x))), -1)
    found = table.lookup(tf.constant([3, 9], tf.int64))
    s = rs()
    s.run(tf.tables_initializer())
    assert s.run(found).tolist() == [9, -1]


def test_iterator_saved_and_restored(target, tmp_path):
    with tf.Graph().as_default():
        dataset = Dataset.range(10).shuffle(4, seed=2).map(lambda x: x * 2, num_parallel_calls=2).batch(2).prefetch(1)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, experimental.make_saveable_from_iterator(iterator))
        saver = tf.train.Saver()
        with session(target) as s:
            s.run(iterator.initializer)
            elements(s, element, 2)
            path = saver.save(s, str(tmp_path / "model"))
            rest = elements(s, element, 3)
        with session(target) as s:
            s.run(iterator.initializer)
            saver.restore(s, path)
            equal(elements(s, element, 3), rest)


def test_trains_on_batches_of_records(target, records):
    with tf.Graph().as_default():
        dataset = tf.data.TFRecordDataset(records).repeat().batch(8).map(lambda r: tf.io.parse_example(r, DENSE))
        iterator = tf.data.make_initializable_iterator(dataset.prefetch(1))
        batch = iterator.get_next()
        w = tf.get_variable("w", [2, 1])
        x = batch["x"] / 30.0
        target_value = tf.cast(batch["n"], tf.float32)[:, None] / 30.0
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - target_value))
        train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)
        with session(target) as s:
            s.run([tf.global_variables_initializer(), iterator.initializer])
            losses = [s.run([loss, train])[0] for _ in range(60)]
        assert np.mean(losses[-5:]) < 0.2 * np.mean(losses[:5])


REWRITES = [
    ("noop_elimination", ["FiniteTake"], lambda d: d.skip(0).map(lambda x: x).repeat(1).take(5)),
    ("map_parallelization", ["ParallelMap"], lambda d: d.map(lambda x: x * 2)),
    ("filter_parallelization", ["ParallelFilter"], lambda d: d.filter(lambda x: x > 2)),
    ("shuffle_and_repeat_fusion", ["ShuffleAndRepeat"], lambda d: d.shuffle(1).repeat(2)),
    ("map_and_batch_fusion", ["MapAndBatch"], lambda d: d.map(lambda x: x * x).batch(3)),
    ("map_fusion", ["Map", "FiniteTake"], lambda d: d.map(lambda x: (x, x + 1)).map(lambda x, y: x * y).take(4)),
    ("filter_fusion", ["Filter", "FiniteTake"], lambda d: d.filter(lambda x: x > 1).filter(lambda x: x < 7).take(9)),
    ("map_and_filter_fusion", ["Map", "Filter", "Map"], lambda d: d.map(lambda x: x * x).filter(lambda x: x > 9)),
    ("inject_prefetch", ["FiniteTake", "Prefetch", "Root"], lambda d: d.take(3)),
]


@pytest.mark.parametrize("name,expected,build", REWRITES, ids=[row[0] for row in REWRITES])
@pytest.mark.parametrize("enabled", [True, False])
def test_rewrites_of_options(target, name, expected, build, enabled):
    """assert_next fails if the pipeline is not rewritten, or rewritten unasked; the elements are the same."""
    def pipeline():
        dataset = build(tf.data.Dataset.range(10).apply(testing.assert_next(expected)))
        options = tf.data.Options()
        options.experimental_optimization.apply_default_optimizations = False
        setattr(options.experimental_optimization, name, enabled)
        return dataset.with_options(options)

    graph = tf.Graph()
    with graph.as_default():
        iterator = tf.data.make_initializable_iterator(pipeline())
        fetch = iterator.get_next()
    if enabled:
        same_elements(target, pipeline, 22)
        return
    with session(target, graph) as s, pytest.raises(tf.errors.InvalidArgumentError, match="Asserted"):
        s.run(iterator.initializer)
