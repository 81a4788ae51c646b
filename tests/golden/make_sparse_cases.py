#!/usr/bin/env python3
"""Records golden cases of sparse tensors (cases/sparse_more) as TensorFlow runs them."""
import tensorflow.compat.v1 as tf
from make_cases import Case

raw = tf.raw_ops
i64 = lambda x: tf.constant(x, tf.int64)


def sparse_more():
    case = Case("sparse_more")

    def good(build):
        case.run(lambda: tf.nest.flatten(build()))

    A = ([[0, 0], [0, 2], [1, 1], [2, 3]], [1.0, -2.0, 3.0, 4.0], [3, 4])
    B = ([[0, 0], [0, 1], [1, 1], [2, 3]], [5.0, 6.0, -3.0, -7.0], [3, 4])
    EMPTY = ([], [], [3, 4])
    CUBE = ([[0, 0, 1], [0, 1, 0], [0, 1, 2], [1, 0, 0], [1, 1, 2]], [1.0, 5.0, -3.0, -4.0, 2.0], [2, 2, 3])

    def parts(s, names, dtype=tf.float32):
        rank = len(s[2])
        return dict(zip(names, (hidden(tf.reshape(i64(s[0]), [-1, rank])), hidden(tf.cast(tf.constant(s[1]), dtype)), hidden(i64(s[2])))))

    def hidden(x):
        return tf.placeholder_with_default(x, None)

    a, b = ("a_indices", "a_values", "a_shape"), ("b_indices", "b_values", "b_shape")
    for x, y in ((A, B), (A, EMPTY), (EMPTY, B), (EMPTY, EMPTY), (A, A), (A, CUBE), (A, ([[0, 0]], [1.0], [3, 5])),
                 (A, ([[5, 0]], [1.0], [3, 4]))):
        for thresh in (0.0, 2.5):
            good(lambda: list(raw.SparseAdd(thresh=thresh, **parts(x, a), **parts(y, b))))
        good(lambda: list(raw.SparseSparseMaximum(**parts(x, a), **parts(y, b))))
        good(lambda: list(raw.SparseSparseMinimum(**parts(x, a), **parts(y, b))))
    for dtype in (tf.int32, tf.complex64, tf.int8):
        good(lambda: list(raw.SparseAdd(thresh=tf.constant(1, dtype.real_dtype),
                                        **parts(A, a, dtype), **parts(B, b, dtype))))
    good(lambda: list(raw.SparseAddGrad(backprop_val_grad=[1.0, 2.0], a_indices=i64(A[0]), b_indices=i64(B[0]),
                                        sum_indices=i64([[0, 0], [2, 3]]))))
    good(lambda: list(raw.SparseAddGrad(backprop_val_grad=[1.0], a_indices=i64(A[0]), b_indices=i64(B[0]),
                                        sum_indices=i64([[0, 0], [2, 3]]))))
    for dense in ([3, 4], [4], [3, 5]):
        good(lambda: raw.SparseTensorDenseAdd(b=hidden(tf.ones(dense)), **parts(A, a)))

    sp = ("sp_indices", "sp_values", "sp_shape")
    for op in (raw.SparseDenseCwiseAdd, raw.SparseDenseCwiseMul, raw.SparseDenseCwiseDiv):
        for shape in ([3, 4], [4], [], [3, 1], [1, 4], [2], [3, 3, 4]):
            good(lambda: op(dense=hidden(tf.fill(shape, 2.0)), **parts(A, sp)))
            good(lambda: op(dense=hidden(tf.fill(shape, 2)), **parts(A, sp, tf.int32)))
    good(lambda: raw.SparseDenseCwiseAdd(dense=tf.reshape(tf.range(12.0), [3, 4]), **parts(A, sp)))
    good(lambda: raw.SparseSoftmax(**parts(A, sp)))
    good(lambda: raw.SparseSoftmax(**parts(CUBE, sp)))
    good(lambda: raw.SparseSoftmax(**parts(CUBE, sp, tf.float64)))
    good(lambda: raw.SparseSoftmax(**parts(([[0]], [1.0], [2]), sp)))

    slices = ("indices", "values", "shape")
    for start, size in (([0, 0], [3, 4]), ([0, 1], [2, 2]), ([1, 0], [9, 9]), ([3, 0], [1, 1]), ([5, 0], [1, 1]), ([0], [1]),
                        ([-1, 0], [2, 2])):
        good(lambda: list(raw.SparseSlice(start=hidden(i64(start)), size=hidden(i64(size)), **parts(A, slices))))
    good(lambda: raw.SparseSliceGrad(backprop_val_grad=[5.0, 6.0], input_indices=i64(A[0]), input_start=i64([0, 1]),
                                     output_indices=i64([[0, 1], [1, 0]])))

    reduced = ("input_indices", "input_values", "input_shape")
    for s in (A, CUBE, EMPTY):
        for axes in ([0], [1], [-1], [0, 1], [], [5]):
            for keep in (False, True):
                for op in (raw.SparseReduceMax, raw.SparseReduceMaxSparse, raw.SparseReduceSumSparse):
                    if not axes:
                        continue
                    good(lambda: tf.nest.flatten(op(reduction_axes=tf.constant(axes, tf.int32), keep_dims=keep, **parts(s, reduced))))
    case.write()


if __name__ == "__main__":
    sparse_more()
