#!/usr/bin/env python3
"""Records golden cases of sets, edit distances and other small ops (cases/sets_and_more) as TensorFlow runs them."""
import gzip
import zlib

import tensorflow.compat.v1 as tf
from make_cases import Case

raw = tf.raw_ops
i64 = lambda x: tf.constant(x, tf.int64)


def sparse(values, indices, shape, names, dtype=tf.int32):
    hide = lambda x: tf.placeholder_with_default(x, None)
    parts = (tf.reshape(i64(indices), [-1, len(shape)]), tf.constant(values, dtype), i64(shape))
    return dict(zip(names, (hide(p) for p in parts)))


def sets_and_more():
    case = Case("sets_and_more")

    def good(build):
        case.run(lambda: tf.nest.flatten(build()))

    one = ([1, 2, 2, 5, 3], [[0, 0], [0, 1], [0, 2], [1, 0], [2, 1]], [3, 3])
    two = ([2, 9, 5, 3, 4], [[0, 0], [0, 1], [1, 0], [2, 0], [2, 1]], [3, 2])
    set1, set2 = ("set1_indices", "set1_values", "set1_shape"), ("set2_indices", "set2_values", "set2_shape")
    for operation in ("a-b", "b-a", "intersection", "union"):
        good(lambda: list(raw.SparseToSparseSetOperation(set_operation=operation, **sparse(*one, set1), **sparse(*two, set2))))
        good(lambda: list(raw.DenseToSparseSetOperation(set1=[[1, 2, 2], [5, 5, 6], [7, 3, 1]], set_operation=operation,
                                                        **sparse(*two, set2))))
        good(lambda: list(raw.DenseToSparseSetOperation(set1=[["a", "b"], ["c", "c"]], set_operation=operation,
                                                        **sparse(["b", "z"], [[0, 0], [0, 1]], [2, 2], set2, tf.string))))
        good(lambda: list(raw.SparseToSparseSetOperation(set_operation=operation, **sparse([], [], [3, 3], set1), **sparse(*two, set2))))
    good(lambda: list(raw.SparseToSparseSetOperation(set_operation="union", **sparse(*one, set1), **sparse([1], [[0, 0]], [2, 2], set2))))
    good(lambda: list(raw.SparseToSparseSetOperation(set_operation="other", **sparse(*one, set1), **sparse(*two, set2))))
    good(lambda: list(raw.SparseToSparseSetOperation(set_operation="union", **sparse([1, 2], [[1, 0], [0, 0]], [3, 3], set1),
                                                     **sparse(*two, set2))))
    good(lambda: list(raw.DenseToSparseSetOperation(set1=tf.placeholder_with_default([1, 2], None), set_operation="union",
                                                    **sparse([1], [[0]], [2], set2))))

    h, t = (("hypothesis_indices", "hypothesis_values", "hypothesis_shape"), ("truth_indices", "truth_values", "truth_shape"))
    letters = lambda words: [c for w in words for c in w]
    places = lambda words: [[i, k] for i, w in enumerate(words) for k in range(len(w))]
    for normalize in (False, True):
        for words, truths in ((["kitten", "", "abc", "x"], ["sitting", "ab", "", "x"]), (["a"], ["a"]), (["flaw", ""], ["lawn", ""])):
            good(lambda: raw.EditDistance(normalize=normalize, **sparse(letters(words), places(words), [len(words), 9], h, tf.string),
                                          **sparse(letters(truths), places(truths), [len(truths), 9], t, tf.string)))
        good(lambda: raw.EditDistance(normalize=normalize, **sparse([1, 2, 3], [[0, 0, 0], [0, 1, 0], [1, 0, 0]], [2, 2, 1], h),
                                      **sparse([1, 3, 3], [[0, 0, 0], [0, 1, 0], [1, 1, 0]], [2, 3, 1], t)))
        good(lambda: raw.EditDistance(normalize=normalize, **sparse([1], [[0]], [2], h), **sparse([2, 3], [[0], [1]], [2], t)))
        good(lambda: raw.EditDistance(normalize=normalize, **sparse([1], [[0]], [2], h), **sparse([2], [[0, 1]], [2, 2], t)))

    for ids in ([0, 2, 0, -1], [3, 0, 0, 0], [0, 1, 2, 9]):
        good(lambda: raw.UnsortedSegmentJoin(inputs=["a", "b", "c", "d"], segment_ids=ids, num_segments=4, separator="+"))
        good(lambda: raw.UnsortedSegmentJoin(inputs=[["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]], segment_ids=i64(ids),
                                             num_segments=i64(3)))
    good(lambda: raw.UnsortedSegmentJoin(inputs=[["a", "b"], ["c", "d"]], segment_ids=[[0, 1], [1, 0]], num_segments=2, separator="-"))

    texts = [b"hello", b"", b"x" * 100000]
    for kind, packed in (("ZLIB", [zlib.compress(x) for x in texts]), ("GZIP", [gzip.compress(x) for x in texts]), ("", texts)):
        good(lambda: raw.DecodeCompressed(bytes=packed, compression_type=kind))
    good(lambda: raw.DecodeCompressed(bytes=["no"], compression_type="ZLIB"))
    good(lambda: raw.DecodeCompressed(bytes=["no"], compression_type="RAR"))

    good(lambda: raw.GetSessionTensor(handle="nothing", dtype=tf.float32))

    def packed():
        return raw.CompressElement(components=[tf.constant([1, 2, 3]), tf.constant(["a", "b" * 1000, ""]), tf.zeros([3000]),
                                               tf.constant([[True], [False]])])
    types, shapes = [tf.int32, tf.string, tf.float32, tf.bool], [[3], [3], [3000], [2, 1]]
    good(lambda: list(raw.UncompressElement(compressed=packed(), output_types=types, output_shapes=shapes)))
    good(lambda: list(raw.UncompressElement(compressed=packed(), output_types=types[:1], output_shapes=shapes[:1])))
    good(lambda: list(raw.UncompressElement(compressed=packed(), output_types=[tf.int64] + types[1:], output_shapes=shapes)))
    good(lambda: list(raw.UncompressElement(compressed=raw.EmptyTensorMap(), output_types=types, output_shapes=shapes)))
    with case.graph.as_default():
        as_packed = case.session.run(tf.io.serialize_tensor(packed()))
    good(lambda: list(raw.UncompressElement(compressed=tf.io.parse_tensor(tf.constant(as_packed), tf.variant), output_types=types,
                                            output_shapes=shapes)))

    def synced():
        with tf.control_dependencies([raw.SyncDevice()]):
            return tf.constant(1)
    good(synced)
    case.write()


if __name__ == "__main__":
    sets_and_more()
