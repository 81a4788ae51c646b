#!/usr/bin/env python3
"""Records golden cases of tf.data as TensorFlow runs them: for each dataset the elements in order, and the error at the
end. Run in a folder with TensorFlow 2.15.1; the names of cases on the command line limit it to these."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case, floats, ints, texts

Dataset = tf.data.Dataset


def record(name, datasets):
    """One case: each dataset is asked for elements until it ends, or for |runs| of them."""
    case = Case(name)
    for build, runs in datasets:
        with case.graph.as_default():
            tf.set_random_seed(7)
            iterator = tf.data.make_initializable_iterator(build())
            with tf.control_dependencies([iterator.initializer]):
                start = tf.constant(0)
            fetches = tf.nest.flatten(iterator.get_next(), expand_composites=True)
        case.again([start])
        for _ in range(runs):
            case.again(fetches)
    case.write()


def basic():
    slices = ([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ["a", "b", "c"])
    record("dataset_basic", [
        (lambda: Dataset.range(3, 20, 4), 7),
        (lambda: Dataset.range(10, 0, -3), 6),
        (lambda: Dataset.range(5, output_type=tf.float32), 6),
        (lambda: Dataset.from_tensors({"a": [1, 2], "b": "x"}).repeat(2), 3),
        (lambda: Dataset.from_tensor_slices(slices), 4),
        (lambda: Dataset.from_tensor_slices(slices).batch(2), 3),
        (lambda: Dataset.from_tensor_slices(slices).batch(2, drop_remainder=True).prefetch(2), 3),
        (lambda: Dataset.from_tensor_slices([[1, 2], [3, 4]]).batch(3).repeat(), 3),
        (lambda: Dataset.range(10).skip(3).take(4).concatenate(Dataset.range(2)), 8),
        (lambda: Dataset.range(4).skip(-1), 1),
        (lambda: Dataset.range(4).take(-1), 5),
        (lambda: Dataset.range(0).repeat(), 1),
        (lambda: Dataset.range(3).repeat(0), 1),
        (lambda: Dataset.zip((Dataset.range(3), Dataset.range(10, 20))), 4),
        (lambda: Dataset.range(10).shard(3, 1), 5),
        (lambda: Dataset.range(100).prefetch(10).batch(7).prefetch(-1), 16),
        (lambda: Dataset.range(3).batch(0), 1),
        (lambda: Dataset.range(3).shard(3, 3), 1),
        (lambda: Dataset.range(3).shuffle(0), 1),
    ])


def shuffle():
    again = tf.data.experimental.shuffle_and_repeat
    record("dataset_shuffle", [
        (lambda: Dataset.range(20).shuffle(20, seed=5).repeat(2).batch(8), 6),
        (lambda: Dataset.range(30).shuffle(7, seed=5, reshuffle_each_iteration=False).repeat(2).batch(8), 9),
        (lambda: Dataset.range(10).shuffle(4, seed=9).repeat(3).batch(5), 7),
        (lambda: Dataset.range(10).shuffle(1, seed=9).batch(10), 2),
        (lambda: Dataset.range(10).apply(again(6, count=3, seed=11)).batch(10), 4),
        (lambda: Dataset.range(3).apply(again(20, seed=11)).batch(5), 6),
        (lambda: Dataset.range(0).apply(again(20, seed=11)), 1),
    ])


def optionals():
    case = Case("optionals")
    from tensorflow.python.ops import gen_optional_ops as ops

    def value(components):
        optional = ops.optional_from_value(components)
        return [ops.optional_has_value(optional)] + list(ops.optional_get_value(
            optional, [c.dtype for c in components], [c.shape for c in components]))

    case.run(lambda: value([tf.constant([1.0, 2.0]), tf.constant("x")]))
    case.run(lambda: [ops.optional_has_value(ops.optional_none())])
    case.run(lambda: list(ops.optional_get_value(ops.optional_none(), [tf.float32], [[]])))
    optional = lambda: ops.optional_from_value([tf.constant([1.0, 2.0])])
    case.run(lambda: list(ops.optional_get_value(optional(), [tf.int32], [[2]])))
    case.run(lambda: list(ops.optional_get_value(optional(), [tf.float32], [[3]])))
    case.run(lambda: list(ops.optional_get_value(optional(), [tf.float32, tf.float32], [[2], [2]])))

    def gradient():
        x = tf.constant([1.0, 2.0])
        y, = ops.optional_get_value(ops.optional_from_value([x]), [tf.float32], [[2]])
        return tf.gradients(y * y, [x])

    case.run(gradient)

    # The sums and zeros that gradients of conditionals need.
    both = lambda: ops.optional_from_value([tf.constant([1.0, 2.0]), tf.constant(3)])
    read = lambda variant: list(ops.optional_get_value(variant, [tf.float32, tf.int32], [[2], []]))
    case.run(lambda: read(tf.zeros_like(both())))
    case.run(lambda: [ops.optional_has_value(tf.zeros_like(ops.optional_none()))])
    case.run(lambda: read(tf.add_n([both(), both(), both()])))
    case.run(lambda: [ops.optional_has_value(tf.add_n([ops.optional_none(), ops.optional_none()]))])
    case.run(lambda: [ops.optional_has_value(tf.add_n([both(), ops.optional_none()]))])

    def next_optional():
        iterator = tf.data.make_initializable_iterator(Dataset.range(2))
        optional = tf.data.experimental.get_next_as_optional(iterator)
        with tf.control_dependencies([iterator.initializer]):
            start = tf.constant(0)
        return [start], [optional.has_value()], [optional.get_value()]

    with case.graph.as_default():
        start, has_value, next_value = next_optional()
    case.again(start)
    for _ in range(3):
        case.again(has_value)
    case.again(start)
    for _ in range(3):
        case.again(next_value)
    case.write()


def functions():
    captured = lambda: tf.constant(7, tf.int64)
    experimental = tf.data.experimental
    uneven = lambda x: Dataset.range(x * 10, x * 10 + x)

    def multiply():
        seven = captured()
        return Dataset.range(5).map(lambda x: x * seven)

    record("dataset_functions", [
        (lambda: Dataset.range(5).map(lambda x: x * 2 + 1), 6),
        (lambda: Dataset.from_tensor_slices(([1.0, 2.0], [3.0, 4.0])).map(lambda a, b: (a + b, a * b)), 3),
        (multiply, 6),
        (lambda: Dataset.range(50).map(lambda x: x * x, num_parallel_calls=4).batch(10), 6),
        (lambda: Dataset.range(50).map(lambda x: x * x, num_parallel_calls=-1).batch(10), 6),
        (lambda: Dataset.range(20).filter(lambda x: tf.equal(x % 3, 0)), 8),
        (lambda: Dataset.range(4).flat_map(Dataset.range), 8),
        (lambda: Dataset.from_tensor_slices([[1, 2], [3, 4]]).flat_map(Dataset.from_tensor_slices), 5),
        (lambda: Dataset.range(5).interleave(lambda x: Dataset.from_tensors(x).repeat(3), 2, 2), 16),
        (lambda: Dataset.range(6).interleave(uneven, 3, 1), 16),
        (lambda: Dataset.range(6).interleave(uneven, 3, 2, num_parallel_calls=2), 16),
        (lambda: Dataset.range(6).interleave(uneven, 4, 1, num_parallel_calls=-1), 16),
        (lambda: Dataset.range(6).apply(experimental.parallel_interleave(uneven, 3)), 16),
        (lambda: Dataset.range(10).apply(experimental.map_and_batch(lambda x: (x, x * 2), 4)), 4),
        (lambda: Dataset.range(10).apply(experimental.map_and_batch(lambda x: x, 4, drop_remainder=True)), 3),
        (lambda: Dataset.range(5).apply(
            experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * 10 + x))), 6),
        (lambda: Dataset.range(10).apply(experimental.take_while(lambda x: x < 4)), 6),
        (lambda: Dataset.range(5).map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(2 - x, tf.float32), "oh")), 6),
        (lambda: Dataset.from_tensors(Dataset.range(10).reduce(tf.constant(0, tf.int64), lambda s, x: s + x)), 2),
        (lambda: Dataset.from_tensors(experimental.get_single_element(Dataset.range(3, 4))), 2),
        (lambda: Dataset.from_tensors(experimental.get_single_element(Dataset.range(3))), 1),
        (lambda: Dataset.from_tensors([experimental.cardinality(x) for x in (
            Dataset.range(7).batch(2), Dataset.range(3).repeat(), Dataset.range(5).filter(lambda x: x > 1),
            Dataset.range(5).map(lambda x: x), Dataset.range(9).skip(2).take(3).shuffle(2))]), 2),
    ])


def more():
    experimental = tf.data.experimental
    lengths = lambda: Dataset.range(1, 7).map(lambda x: tf.fill([x], x))
    minus_one = lambda: tf.constant(-1, tf.int64)
    texts = lambda x: (tf.fill([x], tf.as_string(x)), tf.fill([x, 2], 1.0))
    chosen = lambda *values: Dataset.from_tensor_slices(tf.constant(values, tf.int64))
    choose = experimental.choose_from_datasets
    two = lambda: [Dataset.range(3), Dataset.range(10, 20)]
    inverse = lambda x: tf.debugging.check_numerics(1.0 / x, "")
    reducer = experimental.Reducer(lambda k: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s * 10)
    record("dataset_more", [
        (lambda: lengths().padded_batch(4, [None]), 3),
        (lambda: lengths().padded_batch(4, [8], minus_one(), drop_remainder=True), 2),
        (lambda: lengths().padded_batch(4, [3]), 1),
        (lambda: Dataset.range(4).map(texts).padded_batch(3, ([None], [5, None]), ("p", 9.0)), 3),
        (lambda: Dataset.range(5).map(lambda x: x * 2).cache().repeat(2), 11),
        (lambda: Dataset.range(5).shuffle(5, seed=3).cache().repeat(2), 11),
        (lambda: Dataset.range(5).cache().take(2).repeat(3), 7),
        (lambda: Dataset.from_tensor_slices([1, 1, 37, 2, 37, 2, 1]).apply(experimental.unique()), 4),
        (lambda: Dataset.from_tensor_slices(["a", "", "a", "b", ""]).apply(experimental.unique()), 4),
        (lambda: Dataset.from_tensor_slices([1.0, 2.0, 0.0, 4.0]).map(inverse).apply(experimental.ignore_errors()), 4),
        (lambda: Dataset.range(5).apply(experimental.assert_cardinality(5)), 6),
        (lambda: Dataset.range(5).apply(experimental.assert_cardinality(6)), 6),
        (lambda: Dataset.range(5).apply(experimental.assert_cardinality(1)), 2),
        (lambda: choose(two(), chosen(0, 1, 0, 1, 1, 0, 0, 1)), 9),
        (lambda: choose(two(), chosen(0, 5)), 2),
        (lambda: experimental.sample_from_datasets(two(), [0.5, 0.5], seed=3), 12),
        (lambda: experimental.RandomDataset(seed=4), 5),
        (lambda: Dataset.range(10).window(3, shift=2, stride=2).flat_map(lambda x: x.batch(3)), 6),
        (lambda: Dataset.range(10).window(3, shift=2, drop_remainder=True).flat_map(lambda x: x.batch(3)), 5),
        (lambda: Dataset.zip((Dataset.range(5), Dataset.range(5, 10))).window(2).flat_map(
            lambda a, b: Dataset.zip((a, b))), 6),
        (lambda: Dataset.range(10).apply(experimental.group_by_window(
            lambda x: x % 3, lambda k, w: w.batch(2), window_size=2)), 7),
        (lambda: Dataset.range(10).apply(experimental.group_by_window(
            lambda x: x % 3, lambda k, w: w.batch(10).map(lambda v: v + k), window_size_func=lambda k: k + 1)), 9),
        (lambda: Dataset.range(10).apply(experimental.group_by_reducer(lambda x: x % 2, reducer)), 3),
        (lambda: Dataset.from_tensor_slices([1, 5, 2, 7, 3, 1, 9]).map(lambda x: tf.ones([x])).apply(
            experimental.bucket_by_sequence_length(lambda e: tf.shape(e)[0], [3, 6], [2, 2, 2])), 5),
        (lambda: Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch(), 5),
        (lambda: Dataset.range(7).batch(2, num_parallel_calls=2), 5),
        (lambda: Dataset.range(9).batch(4).rebatch(3), 4),
        (lambda: Dataset.range(20).batch(4).rebatch([3, 0, 5]), 9),
        (lambda: Dataset.range(20).batch(4).rebatch([3, 5], drop_remainder=True), 6),
    ])


def state():
    """Iterators that continue where others have stopped: (dataset, elements before, elements after)."""
    from tensorflow.python.ops import gen_dataset_ops

    experimental = tf.data.experimental
    uneven = lambda x: Dataset.range(x * 10, x * 10 + x)
    two = lambda: [Dataset.range(3), Dataset.range(10, 20)]
    lengths = lambda: Dataset.range(1, 7).map(lambda x: tf.fill([x], x))
    reducer = experimental.Reducer(lambda k: tf.constant(0, tf.int64), lambda s, x: s + x, lambda s: s * 10)
    datasets = [
        (lambda: Dataset.range(10).skip(2).take(5).repeat(2).batch(3), 2, 3),
        (lambda: Dataset.from_tensor_slices((["a", "b", "c"], [1.0, 2.0, 3.0])), 1, 3),
        (lambda: Dataset.from_tensors(5).concatenate(Dataset.from_tensors(6)), 1, 2),
        (lambda: Dataset.zip((Dataset.range(4), Dataset.range(3))), 2, 2),
        (lambda: Dataset.range(10).shard(3, 1), 1, 3),
        (lambda: Dataset.range(20).shuffle(6, seed=5).repeat(2), 25, 16),
        (lambda: Dataset.range(10).apply(experimental.shuffle_and_repeat(6, count=3, seed=11)), 13, 18),
        (lambda: Dataset.range(20).prefetch(3), 5, 16),
        (lambda: Dataset.range(10).map(lambda x: x * x), 4, 7),
        (lambda: Dataset.range(10).map(lambda x: x * x, num_parallel_calls=3), 4, 7),
        (lambda: Dataset.range(10).filter(lambda x: x > 4), 2, 4),
        (lambda: Dataset.range(6).flat_map(Dataset.range), 4, 12),
        (lambda: Dataset.range(6).interleave(uneven, 3, 2), 7, 9),
        (lambda: Dataset.range(6).interleave(uneven, 3, 2, num_parallel_calls=2), 7, 9),
        (lambda: Dataset.range(10).apply(experimental.map_and_batch(lambda x: x + 1, 3)), 1, 4),
        (lambda: Dataset.range(8).apply(
            experimental.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s * 10 + x))), 4, 5),
        (lambda: Dataset.range(10).apply(experimental.take_while(lambda x: x < 4)), 2, 3),
        (lambda: lengths().padded_batch(2, [None]), 1, 3),
        (lambda: Dataset.range(5).cache().repeat(2), 3, 8),
        (lambda: Dataset.range(5).cache().repeat(2), 7, 4),
        (lambda: Dataset.from_tensor_slices(["a", "", "a", "b", ""]).apply(experimental.unique()), 2, 2),
        (lambda: Dataset.range(5).apply(experimental.assert_cardinality(5)), 3, 3),
        (lambda: experimental.sample_from_datasets(two(), [0.5, 0.5], seed=3), 6, 8),
        (lambda: experimental.RandomDataset(seed=4), 3, 3),
        (lambda: Dataset.range(10).window(3, shift=2).flat_map(lambda x: x.batch(3)), 2, 4),
        (lambda: Dataset.range(10).apply(experimental.group_by_window(
            lambda x: x % 3, lambda k, w: w.batch(2), window_size=4)), 1, 6),
        (lambda: Dataset.range(10).apply(experimental.group_by_reducer(lambda x: x % 3, reducer)), 1, 3),
        (lambda: Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch(), 3, 2),
        (lambda: Dataset.range(20).batch(4).rebatch([3, 5]), 2, 5),
    ]
    case = Case("dataset_state")
    for build, before, after in datasets:
        with case.graph.as_default():
            tf.set_random_seed(7)
            dataset = build()
            first = tf.data.make_initializable_iterator(dataset)
            second = tf.data.make_initializable_iterator(dataset)
            with tf.control_dependencies([first.initializer]):  # both take seeds of one generator
                then = gen_dataset_ops.make_iterator(dataset._variant_tensor, second._iterator_resource)
            with tf.control_dependencies([then]):
                start = tf.constant(0)
            serialized = gen_dataset_ops.serialize_iterator(first._iterator_resource)
            with tf.control_dependencies(
                    [gen_dataset_ops.deserialize_iterator(second._iterator_resource, serialized)]):
                copied = tf.constant(1)
            elements = [tf.nest.flatten(iterator.get_next()) for iterator in (first, second)]
        case.again([start])
        for _ in range(before):
            case.again(elements[0])
        case.again([copied])
        for _ in range(after):
            case.again(elements[1])
    case.write()


def parse():
    experimental = tf.data.experimental

    def example(number):
        features = {"x": floats(number, 2), "a": ints(number), "s": texts(*[b"t"] * number)}
        return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()

    spec = {"x": tf.io.FixedLenFeature([2], tf.float32), "a": tf.io.FixedLenFeature([], tf.int64),
            "s": tf.io.VarLenFeature(tf.string), "d": tf.io.FixedLenFeature([], tf.string, default_value="def")}
    examples = lambda: Dataset.from_tensor_slices([example(i) for i in range(5)]).batch(2)
    bags = lambda: Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
    record("dataset_parse", [
        (lambda: examples().apply(experimental.parse_example_dataset(spec)), 4),
        (lambda: examples().apply(experimental.parse_example_dataset(spec, num_parallel_calls=3)).prefetch(2), 4),
        (lambda: Dataset.from_tensor_slices([b"xx"]).batch(2).apply(experimental.parse_example_dataset(spec)), 2),
        (lambda: bags().apply(experimental.dense_to_sparse_batch(3, [4])), 3),
        (lambda: bags().apply(experimental.dense_to_sparse_batch(4, [3])), 2),
        (lambda: Dataset.range(1, 5).map(lambda x: tf.fill([x, 2], x)).apply(
            experimental.dense_to_sparse_batch(3, [None, None])), 3),
        (lambda: Dataset.from_tensor_slices(tf.SparseTensor([[0, 0], [1, 2], [3, 0]], [1.0, 2.0, 3.0], [4, 4])), 5),
    ])


def multi_device():
    from tensorflow.python.ops import gen_dataset_ops as ops

    case = Case("dataset_multi_device")
    types, shapes = [tf.int64], [[]]
    with case.graph.as_default():
        dataset = Dataset.range(7)
        iterator = ops.multi_device_iterator(["/cpu:0", "/cpu:0"], "", "", types, shapes)
        incarnation = ops.multi_device_iterator_init(dataset._variant_tensor, iterator, 10)
        text = ops.multi_device_iterator_to_string_handle(iterator)
        same = ops.multi_device_iterator_from_string_handle(text, types, shapes)
        number = tf.placeholder(tf.int64, [])
        take = [ops.multi_device_iterator_get_next_from_shard(handle, shard, number, types, shapes)
                for handle, shard in ((iterator, 0), (same, 1))]
    case.again([incarnation])
    for shard in (1, 0, 0, 0, 1, 1, 0, 0, 1):
        case.again(take[shard], {number: np.int64(1)})
    case.again([incarnation])
    case.again(take[0], {number: np.int64(1)})
    case.again(take[0], {number: np.int64(2)})
    case.write()


def map_defun():
    """A function for every slice, also with results of another type than promised."""
    from tensorflow.python.ops import gen_dataset_ops as ops
    from tensorflow.python.framework import function

    case = Case("map_defun")

    @function.Defun(tf.int32)
    def halve(x):
        return tf.cast(x, tf.float64) / 2

    numbers = lambda: tf.constant([1, 2, 3])
    case.run(lambda: ops.map_defun([numbers()], [], [tf.float64], [[]], halve))
    case.run(lambda: ops.map_defun([numbers()], [], [tf.int32], [[]], halve))
    case.write()


def inspect():
    """Options, elements by their number, assertions about what comes after, thread pools."""
    from tensorflow.python.ops import gen_dataset_ops as ops, gen_experimental_dataset_ops as more

    case = Case("dataset_inspect")

    def options(**values):
        made = tf.data.Options()
        for key, value in values.items():
            setattr(made, key, value)
        return made

    def at(dataset, index):
        return more.get_element_at_index(dataset._variant_tensor, tf.constant(index, tf.int64), [tf.int64],
                                         [dataset.element_spec.shape])

    counted = lambda: [Dataset.range(5), Dataset.range(9).skip(2).take(3), Dataset.range(3).repeat(2), Dataset.range(4).repeat(),
               Dataset.range(9).shard(3, 1).prefetch(2), Dataset.range(2).concatenate(Dataset.range(9)),
               Dataset.range(5).batch(2), Dataset.range(4).with_options(options(deterministic=True)),
               Dataset.range(5).filter(lambda x: x > 1)]
    with case.graph.as_default():
        datasets = counted()
    for dataset in datasets:
        for index in (0, 2, 4, -1, 100):
            case.run(lambda d=dataset, i=index: at(d, i))
    case.run(lambda: [ops.get_options(Dataset.range(3)._variant_tensor)])
    case.run(lambda: [ops.get_options(Dataset.range(3).with_options(options(deterministic=False)).skip(1)._variant_tensor)])

    def threads():
        pool = more.thread_pool_handle(num_threads=2, display_name="mine")
        dataset = more.thread_pool_dataset(Dataset.range(3)._variant_tensor, pool, [tf.int64], [[]])
        return ops.dataset_to_single_element(ops.skip_dataset(dataset, np.int64(2), [tf.int64], [[]]), [tf.int64], [[]])

    case.run(threads)

    def asserted(names, build):
        start = Dataset.range(4)
        wrapped = more.assert_next_dataset(start._variant_tensor, names, [tf.int64], [[]])
        return build(tf.data.experimental.from_variant(wrapped, start.element_spec)).take(1).with_options(
            options(**{}))

    plain = tf.data.Options()
    plain.experimental_optimization.apply_default_optimizations = False
    plain.autotune.enabled = False
    double = lambda x: x * 2
    for names, build in ((["Map"], lambda d: d.map(double)), (["Whoops"], lambda d: d.map(double)),
                         (["Map", "Batch"], lambda d: d.map(double).batch(2)),
                         (["Map", "Batch", "FiniteTake", "X", "Y"], lambda d: d.map(double).batch(2)),
                         (["BatchV2"], lambda d: d.batch(2)), ([], lambda d: d)):
        def element(n=names, b=build):
            if not n:
                n = tf.constant([], tf.string)
            iterator = tf.data.make_initializable_iterator(asserted(n, b).with_options(plain))
            with tf.control_dependencies([iterator.initializer]):
                start = tf.constant(0)
            return start, iterator.get_next()

        with case.graph.as_default():
            start, value = element()
        case.again([start])
        case.again([value])
    case.write()


def errors():
    """Elements that cannot be made: the others come in order, with the error in between."""
    numbers = lambda *values: Dataset.from_tensor_slices(tf.constant(values, tf.float32)).map(
        lambda x: tf.debugging.check_numerics(x, "bad"))
    nan = float("nan")
    one = Dataset.from_tensors
    record("dataset_errors", [
        (lambda: numbers(1, nan, 2, nan, 3).interleave(one, 2, 1), 6),
        (lambda: numbers(1, nan, 2, nan, 3).interleave(one, 2, 1, num_parallel_calls=1), 6),
        (lambda: numbers(1, nan, 2, nan, 3).interleave(one, 7, 2, num_parallel_calls=3), 6),
        (lambda: numbers(1, nan, 2, 3).window(2, 2, 2, True).flat_map(lambda x: x.batch(2)), 3),
        (lambda: numbers(1, nan, 2, nan, 3).window(2, 2, 2, True).flat_map(lambda x: x.batch(2)), 3),
        (lambda: numbers(nan, 1, 2, nan, 3).window(1, 3).flat_map(lambda x: x), 3),
        (lambda: numbers(1, nan, 2).map(lambda x: x + 1, num_parallel_calls=2), 4),
        (lambda: numbers(1, nan, 2).prefetch(2), 4),
        (lambda: numbers(1, nan, 2).filter(lambda x: x > 0), 4),
        (lambda: numbers(1, nan, 2, 3).skip(1), 4),
        (lambda: numbers(1, nan, 2, 3).take(2), 4),
        (lambda: numbers(1, nan, 2, 3).shard(2, 0), 4),
    ])


def sizes():
    """ComputeBatchSize of datasets: through what it looks for the last batches."""
    case = Case("dataset_sizes")
    more = tf.data.experimental
    numbers = lambda size=8, **options: Dataset.range(16).batch(size, **options)
    datasets = [
        numbers, lambda: numbers(drop_remainder=True), lambda: numbers().map(lambda x: x + 1), lambda: numbers().prefetch(2),
        lambda: numbers().map(lambda x: x + 1, num_parallel_calls=2), lambda: numbers().filter(lambda x: True),
        lambda: numbers().shuffle(3).repeat(2), lambda: numbers().take(1).skip(1), lambda: numbers().cache().shard(2, 0),
        lambda: Dataset.zip((numbers(), numbers())), lambda: Dataset.zip((numbers(), numbers(4))),
        lambda: numbers().concatenate(numbers()), lambda: numbers().concatenate(numbers(4)), lambda: Dataset.range(9),
        lambda: Dataset.range(2).flat_map(lambda x: numbers()), lambda: Dataset.range(2).interleave(lambda x: numbers()),
        lambda: Dataset.range(9).map(lambda x: tf.fill([x], x)).padded_batch(5), lambda: numbers().unbatch(),
        lambda: Dataset.range(9).apply(more.map_and_batch(lambda x: x, 5)), lambda: numbers().batch(3),
        lambda: numbers(num_parallel_calls=2), lambda: numbers().take_while(lambda x: True),
        lambda: numbers().with_options(tf.data.Options()), lambda: numbers().rebatch(4), lambda: numbers().enumerate(),
        lambda: numbers().apply(more.shuffle_and_repeat(3)), lambda: numbers().apply(more.assert_cardinality(2)),
        lambda: tf.data.TFRecordDataset("x").batch(4).apply(
            more.parse_example_dataset({"a": tf.FixedLenFeature([], tf.int64)})),
    ]
    for build in datasets:
        case.run(lambda: [tf.raw_ops.ComputeBatchSize(input_dataset=build()._variant_tensor)])
    case.write()


def auto_shard():
    """The share of a worker by all policies. Sources name files in readers that are never opened."""
    from tensorflow.python.data.experimental.ops import distribute
    more, policies = tf.data.experimental, tf.data.experimental.AutoShardPolicy
    names = lambda count=5: Dataset.from_tensor_slices(["file %d" % i for i in range(count)])
    read = lambda name: tf.data.TextLineDataset(name).take(0).concatenate(Dataset.from_tensors(name).repeat(2))
    again = lambda name: Dataset.from_tensors(name).flat_map(read)

    def share(dataset, policy=None, workers=2, index=1, replicas=None):
        if policy is not None:
            options = tf.data.Options()
            options.experimental_distribute.auto_shard_policy = policy
            dataset = dataset.with_options(options)
        return distribute._AutoShardDataset(dataset, workers, index, replicas)

    batches = lambda: Dataset.range(16).batch(4).map(lambda x: x)
    record("dataset_auto_shard", [
        (lambda: share(names().flat_map(read)), 5),
        (lambda: share(names().flat_map(read), policies.FILE, 3, 0), 5),
        (lambda: share(names().interleave(read, 2).batch(3).prefetch(1)), 3),
        (lambda: share(names().interleave(again, 2, num_parallel_calls=2).map(lambda x: x + "!")), 5),
        (lambda: share(names().shuffle(5, seed=3).flat_map(read).shuffle(9, seed=4).repeat(2)), 9),
        (lambda: share(names().map(read).interleave(lambda x: x, 2)), 5),
        (lambda: share(Dataset.zip((names().flat_map(read), names(4).flat_map(read))), policies.FILE), 5),
        (lambda: share(names().flat_map(read).concatenate(names(3).flat_map(read)), policies.FILE), 7),
        (lambda: share(names().flat_map(read).apply(more.assert_cardinality(10))), 5),
        (lambda: share(names().flat_map(read), policies.FILE, 7, 2), 1),
        (lambda: share(names().flat_map(read), policies.FILE, 1, 0), 11),
        (lambda: share(names().flat_map(read), policies.DATA, 3, 2), 4),
        (lambda: share(names().flat_map(read), policies.OFF), 11),
        (lambda: share(Dataset.range(7)), 4),
        (lambda: share(Dataset.range(7), policies.FILE), 1),
        (lambda: share(Dataset.zip((names().flat_map(read), Dataset.range(7))), policies.FILE), 1),
        (lambda: share(Dataset.range(7).enumerate().prefetch(2), policies.DATA), 4),
        (lambda: share(Dataset.range(3), policies.DATA, 4, 1), 1),
        (lambda: share(Dataset.range(7).shard(more.SHARD_HINT, more.SHARD_HINT).batch(2), policies.HINT), 3),
        (lambda: share(Dataset.range(7).batch(2), policies.HINT), 5),
        (lambda: Dataset.range(7).shard(more.SHARD_HINT, more.SHARD_HINT), 1),
        (lambda: share(distribute._LegacyRebatchDataset(batches(), 2), policies.DATA), 5),
        (lambda: share(batches().rebatch([2, 2]), policies.DATA, replicas=2), 5),
        (lambda: share(batches().rebatch([2, 2]), policies.DATA, replicas=0), 1),
        (lambda: share(Dataset.range(7), None, 2, 2), 1),
    ])


CASES = [auto_shard, basic, shuffle, optionals, functions, more, state, parse, multi_device, errors, map_defun, inspect, sizes]

if __name__ == "__main__":
    for function in CASES:
        if len(sys.argv) == 1 or function.__name__ in sys.argv[1:]:
            function()
