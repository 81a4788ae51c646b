#!/usr/bin/env python3
"""Records golden cases of ragged tensors and counts (cases/ragged, cases/counts, loop_gradients/ragged) as TensorFlow
runs them."""
import tensorflow.compat.v1 as tf
from make_cases import Case
from make_list_cases import hidden, record_gradients

raw = tf.raw_ops
i64 = lambda x: tf.constant(x, tf.int64)


def ragged():
    case = Case("ragged")

    def good(build):
        case.run(lambda: tf.nest.flatten(build()))

    def gather(splits, values, indices, out):
        return list(raw.RaggedGather(params_nested_splits=splits, params_dense_values=values, indices=indices,
                                     OUTPUT_RAGGED_RANK=out))

    values = ["a", "b", "c", "d", "e", "f"]
    for splits_type in (tf.int32, tf.int64):
        one = lambda: [tf.constant([0, 2, 2, 5, 6], splits_type)]
        two = lambda: [tf.constant([0, 1, 4], splits_type), tf.constant([0, 2, 2, 5, 6], splits_type)]
        for indices in ([2, 0, 2], [], [1], [4], [-1]):
            good(lambda: gather(one(), values, tf.constant(indices, tf.int32), 1))
        good(lambda: gather(one(), tf.reshape(tf.range(12), [6, 2]), i64([3, 2]), 1))
        good(lambda: gather(one(), values, i64([[0, 1], [2, 3]]), 2))
        good(lambda: gather(one(), values, tf.constant(2), 0))
        good(lambda: gather(two(), values, tf.constant([1, 0, 1]), 2))
        good(lambda: gather(two(), values, tf.constant([[1], [0]]), 3))
        good(lambda: gather(two(), values, tf.constant(1), 1))
        good(lambda: list(raw.RaggedTensorToSparse(rt_nested_splits=one(), rt_dense_values=values)))
        good(lambda: list(raw.RaggedTensorToSparse(rt_nested_splits=two(), rt_dense_values=values)))
        good(lambda: list(raw.RaggedTensorToSparse(rt_nested_splits=two(), rt_dense_values=tf.reshape(tf.range(12), [6, 2]))))
    for splits in ([0, 2, 7], [1, 6], [0, 4, 3, 6], [0, 5], []):
        good(lambda: list(raw.RaggedTensorToSparse(rt_nested_splits=[tf.constant(splits, tf.int64)], rt_dense_values=values)))

    for dtype in (tf.int32, tf.int64, tf.float32, tf.float64):
        c = lambda x: hidden(x, dtype)
        for starts, limits, deltas in (([0, 2, 5], [3, 2, 9], 1), (0, [1, 4], [1, 2]), ([5, 0], [0, 5], [-2, -1]), (3, 7, 2),
                                       (0, 5, 0), ([0, 1], [1], 1), ([[0]], 1, 1), ([], [], [])):
            good(lambda: list(raw.RaggedRange(starts=c(starts), limits=c(limits), deltas=c(deltas))))
            good(lambda: list(raw.RaggedRange(starts=c(starts), limits=c(limits), deltas=c(deltas), Tsplits=tf.int32)))
    good(lambda: list(raw.RaggedRange(starts=0.5, limits=[2.0, 0.4], deltas=0.7)))

    def dense(shape, values, fallback, tensors, types):
        return raw.RaggedTensorToTensor(shape=hidden(shape, tf.int64), values=values, default_value=fallback,
                                        row_partition_tensors=[i64(t) for t in tensors], row_partition_types=types)

    numbers = lambda: tf.constant([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    pairs = lambda: tf.reshape(tf.range(12.0), [6, 2])
    splits, nested = [[0, 2, 2, 5, 6]], [[0, 1, 4], [0, 2, 2, 5, 6]]
    for shape in (-1, [-1, -1], [3, 2], [6, 4], [4, 0], [0, 2]):
        good(lambda: dense(shape, numbers(), -1.0, splits, ["ROW_SPLITS"]))
        good(lambda: dense(shape, numbers(), -1.0, [4, [0, 0, 2, 2, 2, 3]], ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]))
    for shape in (-1, [-1, -1, -1], [2, 2, 2], [3, 4, 5]):
        good(lambda: dense(shape, numbers(), -1.0, nested, ["ROW_SPLITS", "ROW_SPLITS"]))
        good(lambda: dense(shape, pairs(), [8.0, 9.0], splits, ["ROW_SPLITS"]))
        good(lambda: dense(shape, pairs(), 9.0, splits, ["ROW_SPLITS"]))
    good(lambda: dense(-1, tf.constant(values), "", splits, ["ROW_SPLITS"]))
    good(lambda: dense([-1, -1, 3], pairs(), 9.0, splits, ["ROW_SPLITS"]))
    good(lambda: dense(5, numbers(), 9.0, splits, ["ROW_SPLITS"]))
    good(lambda: dense(-1, pairs(), hidden([1.0, 2.0, 3.0]), splits, ["ROW_SPLITS"]))

    for ids, count in (([0, 0, 2], 4), ([], 2), ([0, 1], 2), ([0, 5], 3), ([-1], 2), ([0], 0)):
        good(lambda: list(raw.RaggedFillEmptyRows(value_rowids=i64(ids), values=tf.constant([float(i) for i in range(len(ids))]),
                                                  nrows=i64(count), default_value=-1.0)))
    good(lambda: list(raw.RaggedFillEmptyRows(value_rowids=i64([1, 2]), values=["a", "b"], nrows=i64(4), default_value="z")))
    good(lambda: list(raw.RaggedFillEmptyRowsGrad(reverse_index_map=i64([1, 3]), grad_values=[1.0, 2.0, 3.0, 4.0])))
    good(lambda: list(raw.RaggedFillEmptyRowsGrad(reverse_index_map=i64([1, 9]), grad_values=[1.0, 2.0, 3.0, 4.0])))

    def cross(order, hashed, ragged=(), sparse=(), dense=(), buckets=0, split=tf.int64):
        return list(raw.RaggedCross(ragged_values=[r[0] for r in ragged], ragged_row_splits=[r[1] for r in ragged],
                                    sparse_indices=[i64(s[0]) for s in sparse], sparse_values=[s[1] for s in sparse],
                                    sparse_shape=[i64(s[2]) for s in sparse], dense_inputs=list(dense), input_order=order,
                                    hashed_output=hashed, num_buckets=buckets, hash_key=99, out_row_splits_type=split,
                                    out_values_type=tf.int64 if hashed else tf.string))

    for hashed in (False, True):
        r1 = lambda: (["a", "b", "c"], i64([0, 2, 3]))

        sparse_one = lambda: ([[0, 0], [1, 1]], ["x", "y"], [2, 2])
        dense_one = lambda: tf.constant([["p", "q"], ["r", "s"]])
        good(lambda: cross("R", hashed, [r1()]))
        good(lambda: cross("RR", hashed, [r1(), (i64([7, 8, 9]), i64([0, 1, 3]))]))
        good(lambda: cross("DRS", hashed, [r1()], [sparse_one()], [dense_one()], 50))
        good(lambda: cross("SRD", hashed, [r1()], [sparse_one()], [dense_one()], 50))

    # As variants.
    def back(variant, in_rank, out_rank, values, splits=tf.int64):
        result = raw.RaggedTensorFromVariant(encoded_ragged=variant, input_ragged_rank=in_rank, output_ragged_rank=out_rank,
                                             Tvalues=values, Tsplits=splits)
        return list(result[0]) + [result[1]]

    def variant(splits, values, batched):
        return raw.RaggedTensorToVariant(rt_nested_splits=[i64(s) for s in splits], rt_dense_values=values, batched_input=batched)

    good(lambda: back(variant(nested, numbers(), False), 2, 2, tf.float32))
    good(lambda: back(variant(nested, numbers(), True), 1, 2, tf.float32))
    good(lambda: back(variant(splits, pairs(), True), 0, 1, tf.float32))
    good(lambda: back(variant(splits, pairs(), True), -1, 1, tf.float32))
    good(lambda: back(variant([], pairs(), False), 0, 0, tf.float32))
    good(lambda: back(tf.stack([variant(splits, numbers(), False), variant([[0, 1, 6]], numbers(), False)]), 1, 2, tf.float32))
    good(lambda: back(tf.reshape(tf.stack([variant(splits, numbers(), False)] * 4), [2, 2]), 1, 3, tf.float32))
    good(lambda: back(tf.io.parse_tensor(tf.io.serialize_tensor(variant(nested, numbers(), True)), tf.variant), 1, 2, tf.float32))
    good(lambda: back(variant(splits, numbers(), False), 1, 1, tf.int32))
    good(lambda: back(variant(splits, numbers(), False), 1, 1, tf.float32, tf.int32))
    good(lambda: back(variant(splits, numbers(), False), 0, 0, tf.float32))
    good(lambda: back(raw.EmptyTensorMap(), 0, 0, tf.float32))
    good(lambda: back(tf.zeros_like(variant(splits, numbers(), False)), 1, 1, tf.float32))
    good(lambda: back(tf.add_n([variant(splits, numbers(), False)] * 3), 1, 1, tf.float32))
    good(lambda: raw.RaggedTensorToVariantGradient(encoded_ragged_grad=variant(splits, pairs(), True), row_splits=i64(splits[0]),
                                                   dense_values_shape=[6, 2], Tvalues=tf.float32))
    case.write()


def counts():
    case = Case("counts")
    for weights in (False, True):
        for binary in (False, True):
            for kind in (tf.int32, tf.float32):
                w = lambda shape: tf.cast(tf.reshape(tf.range(1, 7), shape) * 2 if weights else tf.zeros([0]), kind)
                for minimum, maximum in ((-1, -1), (9, -1), (-1, 3), (2, 4)):
                    more = dict(minlength=minimum, maxlength=maximum, binary_output=binary)
                    case.run(lambda: list(raw.DenseCountSparseOutput(values=[3, 1, 3, 0, 1, 3], weights=w([6]), **more)))
                    case.run(lambda: list(raw.DenseCountSparseOutput(values=[[3, 1, 3], [0, 1, 3]], weights=w([2, 3]), **more)))
                    case.run(lambda: list(raw.SparseCountSparseOutput(
                        indices=i64([[0, 0], [0, 2], [2, 0], [2, 1], [2, 3], [3, 0]]), values=i64([3, 1, 3, 3, 0, 7]),
                        dense_shape=i64([5, 4]), weights=w([6]), **more)))
                    case.run(lambda: list(raw.SparseCountSparseOutput(
                        indices=i64([[0], [1], [3], [4], [5], [6]]), values=[3, 1, 3, 3, 0, 7], dense_shape=i64([9]), weights=w([6]),
                        **more)))
                    case.run(lambda: list(raw.RaggedCountSparseOutput(splits=i64([0, 2, 2, 6]), values=[3, 1, 3, 3, 0, 7],
                                                                      weights=w([6]), **more)))
                case.run(lambda: [raw.SparseBincount(indices=i64([[0, 0], [0, 2], [2, 0], [2, 1], [2, 3], [3, 0]]),
                                                     values=[3, 1, 3, 3, 0, 7], dense_shape=i64([5, 4]), size=5, weights=w([6]),
                                                     binary_output=binary)])
                case.run(lambda: [raw.SparseBincount(indices=i64([[0], [1], [3], [4], [5], [6]]), values=i64([3, 1, 3, 3, 0, 7]),
                                                     dense_shape=i64([9]), size=i64(8), weights=w([6]), binary_output=binary)])
                case.run(lambda: [raw.RaggedBincount(splits=i64([0, 2, 2, 6]), values=[3, 1, 3, 3, 0, 7], size=6, weights=w([6]),
                                                     binary_output=binary)])
    none = lambda: tf.constant([], tf.int32)
    case.run(lambda: list(raw.DenseCountSparseOutput(values=[-1, 2], weights=none(), binary_output=False)))
    case.run(lambda: list(raw.RaggedCountSparseOutput(splits=i64([0, 1]), values=[1, 2], weights=none(), binary_output=False)))
    case.run(lambda: list(raw.RaggedCountSparseOutput(splits=i64([1, 2]), values=[1, 2], weights=none(), binary_output=False)))
    case.run(lambda: [raw.RaggedBincount(splits=i64([0, 1]), values=[1, 2], size=4, weights=none())])
    case.run(lambda: [raw.RaggedBincount(splits=i64([0, 2]), values=[1, -2], size=4, weights=none())])
    case.run(lambda: [raw.SparseBincount(indices=i64([[0, 0], [7, 0]]), values=[1, 2], dense_shape=i64([2, 2]), size=4, weights=none())])
    case.write()


def ragged_gradients():
    x = tf.placeholder(tf.float32, [6, 2], name="x")
    default = tf.placeholder(tf.float32, [2], name="default")
    splits = [i64([0, 1, 4]), i64([0, 2, 2, 5, 6])]
    gathered = raw.RaggedGather(params_nested_splits=splits, params_dense_values=x, indices=tf.constant([[1, 0], [1, 1]]),
                                OUTPUT_RAGGED_RANK=3).output_dense_values
    one = raw.RaggedGather(params_nested_splits=splits[1:], params_dense_values=x, indices=tf.constant([2, 0, 2]),
                           OUTPUT_RAGGED_RANK=1).output_dense_values
    sparse = raw.RaggedTensorToSparse(rt_nested_splits=splits, rt_dense_values=x).sparse_values
    dense = raw.RaggedTensorToTensor(shape=i64([-1, 2, 2]), values=x, default_value=default, row_partition_tensors=splits[1:],
                                     row_partition_types=["ROW_SPLITS"])
    nested = raw.RaggedTensorToTensor(shape=tf.constant(-1), values=x, default_value=default[0], row_partition_tensors=splits,
                                      row_partition_types=["ROW_SPLITS", "ROW_SPLITS"])
    filled = raw.RaggedFillEmptyRows(value_rowids=i64([0, 2, 2]), values=x[:3, 0], nrows=i64(4), default_value=default[1]).output_values
    rows = raw.RaggedTensorToVariant(rt_nested_splits=splits, rt_dense_values=x, batched_input=True)
    again = raw.RaggedTensorFromVariant(encoded_ragged=rows, input_ragged_rank=1, output_ragged_rank=2, Tvalues=tf.float32,
                                        Tsplits=tf.int64).output_dense_values
    parts = [gathered, one, sparse, dense, nested, filled, again]
    y = sum(tf.reduce_sum(tf.cos((i + 1.0) * part)) for i, part in enumerate(parts))
    return [y], [x, default], {x: [[0.1 * i, 0.3 * i - 1.0] for i in range(6)], default: [0.5, -0.25]}


if __name__ == "__main__":
    ragged()
    counts()
    record_gradients("ragged", ragged_gradients)
