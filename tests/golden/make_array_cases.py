#!/usr/bin/env python3
"""Records golden cases of smaller ops (cases/array_rest, cases/clusters) as TensorFlow runs them."""
import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case
from make_linalg_cases import both, matrix, parts, unknown

raw = tf.raw_ops


def array_rest():
    case = Case("array_rest")
    for indices in ([5, 0, 7], 5, [], [-3], [8], [[1]]):
        for dims in ([2, 4], [8], [2, 0], [2, -3], [65536, 65536], 4):
            case.run(lambda: [raw.UnravelIndex(indices=unknown(np.array(indices, np.int32)),
                                               dims=unknown(np.array(dims, np.int32)))])
    both(case, lambda i, d: [raw.UnravelIndex(indices=i, dims=d)], np.array([2 ** 40, 5]), np.array([2 ** 20, 2 ** 30]))
    for op in (raw.InplaceUpdate, raw.InplaceAdd, raw.InplaceSub):
        for dtype in (np.float32, np.float64, np.float16, np.int8, np.int64, np.uint32, np.complex64):
            x, v = np.arange(6).reshape(3, 2).astype(dtype), np.full([4, 2], 7).astype(dtype)
            case.run(lambda: parts([op(x=unknown(x), i=unknown(np.array([2, 0, -1, 5], np.int32)), v=unknown(v))]))
        for x, i, v in (([True], [0], [False]), (["a", "b"], [1], ["c"]), (1.0, [0], 2.0), ([1.0], [0, 0], [2.0]),
                        ([1.0], 0, [2.0]), ([[1.0]], [0], [2.0]), ([[1.0]], [0], [[2.0, 3.0]]),
                        (np.zeros([0, 2]), [0], np.ones([1, 2]))):
            case.run(lambda: [op(x=unknown(x), i=unknown(i), v=unknown(v))])
    both(case, lambda d: [raw.Fingerprint(data=d, method="farmhash64")], np.array([["a", "bc"], ["", "x" * 100]]))
    for data in (["a", "b" * 40], [[1, 2], [3, 4]], np.arange(200.0).reshape(2, 100), [True, False], 1,
                 np.zeros([0, 3], np.float32), np.zeros([2, 0], np.float32)):
        case.run(lambda: [raw.Fingerprint(data=unknown(data), method="farmhash64")])
    case.run(lambda: [raw.Fingerprint(data=unknown([1]), method=unknown("md5"))])
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64):
        case.run(lambda: [raw.PopulationCount(x=np.array([0, 1, 127, 85]).astype(dtype)),
                          raw.PopulationCount(x=(-np.array([1, 2, 100])).astype(dtype))])
    case.run(lambda: [raw.ParallelConcat(values=[[[1, 2]], [[3, 4]]], shape=[2, 2])])
    case.run(lambda: [raw.ParallelConcat(values=[["a"], ["b"]], shape=[2])])
    for ta in (False, True):
        for tb in (False, True):
            a, b = (matrix(np.float32, 4, 3) if ta else matrix(np.float32, 3, 4),
                    matrix(np.float32, 5, 4) if tb else matrix(np.float32, 4, 5))
            both(case, lambda x, y: [raw.SparseMatMul(a=x, b=y, transpose_a=ta, transpose_b=tb, a_is_sparse=ta)], a, b)
            case.run(lambda: [raw.SparseMatMul(a=tf.cast(a, tf.bfloat16), b=b, transpose_a=ta, transpose_b=tb)])
    for a, b in (([1.0], [[1.0]]), ([[1.0]], [1.0]), ([[1.0, 2.0]], [[1.0]])):
        case.run(lambda: [raw.SparseMatMul(a=unknown(a), b=unknown(b))])
    for dtype in (np.float32, np.float64, np.int16, np.int32, np.int64, np.complex64, np.complex128):
        x, y = (10 * matrix(dtype, 2, 3, 4)).astype(dtype), (10 * matrix(dtype, 5, 4)).astype(dtype)
        both(case, lambda x, y: [raw.BatchMatMulV3(x=x, y=y, adj_y=True, Tout=x.dtype)], x, y)
    for left in (np.int8, np.uint8):
        for right in (np.int8, np.uint8):
            x, y = np.arange(6).reshape(2, 3) * 40 - 60, np.arange(6).reshape(3, 2) * 30
            both(case, lambda x, y: [raw.BatchMatMulV3(x=x, y=y, Tout=tf.int32)], x.astype(left), y.astype(right))
        case.run(lambda: [tf.cast(raw.BatchMatMulV3(x=x.astype(left), y=tf.cast([[1], [2], [3]], tf.bfloat16),
                                                    Tout=tf.bfloat16), tf.float32)])
    case.write()


def clusters():
    case = Case("clusters")
    points = np.random.RandomState(5).randn(40, 3).astype(np.float32)
    centers = np.random.RandomState(6).randn(7, 3).astype(np.float32)
    for k in (1, 2, 7, 9, 0):
        both(case, lambda p, c: list(raw.NearestNeighbors(points=p, centers=c, k=k)), points, centers)
    many = np.random.RandomState(7).randn(2100, 3).astype(np.float32)
    for k in (1, 5):
        case.run(lambda: list(raw.NearestNeighbors(points=points, centers=many, k=k)))
    for p, c in ((points[0], centers), (points, centers[0]), (points[:0], centers), (points, centers[:, :2])):
        case.run(lambda: list(raw.NearestNeighbors(points=unknown(p), centers=unknown(c), k=1)))
    for seed in (0, 5, 2 ** 40):
        for count, retries in ((1, 0), (5, 0), (5, 3), (8, -1), (40, 0)):
            both(case, lambda p: [raw.KmeansPlusPlusInitialization(
                points=p, num_to_sample=count, seed=seed, num_retries_per_sample=retries)], points)
        both(case, lambda d: [raw.KMC2ChainInitialization(distances=d, seed=seed)], np.abs(points[:, 0]))
    for count in (0, 41):
        case.run(lambda: [raw.KmeansPlusPlusInitialization(points=points, num_to_sample=count, seed=1,
                                                           num_retries_per_sample=0)])
    case.run(lambda: [raw.KmeansPlusPlusInitialization(points=unknown(points[:0]), num_to_sample=1, seed=1,
                                                       num_retries_per_sample=0)])
    case.run(lambda: [raw.KMC2ChainInitialization(distances=unknown(points[:0, 0]), seed=1)])
    case.run(lambda: [raw.KMC2ChainInitialization(distances=unknown(points), seed=1)])
    case.write()


if __name__ == "__main__":
    array_rest()
    clusters()
