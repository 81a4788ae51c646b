#!/usr/bin/env python3
"""Records golden cases of barriers, queues and mistakes that TensorFlow's own tests make: what it refuses in a step, and
what it accepts (cases/refusals). Run in a folder with TensorFlow 2.15.1."""
import numpy as np
import tensorflow.compat.v1 as tf

from make_cases import Case

raw = tf.raw_ops


def hidden(value, dtype=None):
    """A constant of a shape that the graph does not tell."""
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def barriers(case):
    with case.graph.as_default():
        ref = raw.Barrier(component_types=[tf.float32, tf.int32], shapes=[[], []], shared_name="barrier")

        def insert(index, keys, values):
            with tf.control_dependencies([raw.BarrierInsertMany(
                    handle=ref, keys=tf.constant(keys, tf.string), values=values, component_index=index)]):
                return [tf.constant(0)]

        def close(cancel):
            with tf.control_dependencies([raw.BarrierClose(handle=ref, cancel_pending_enqueues=cancel)]):
                return [tf.constant(0)]

        def take(count, small=False):
            taken = raw.BarrierTakeMany(handle=ref, num_elements=count, component_types=[tf.float32, tf.int32],
                                        allow_small_batch=small)
            return [taken.indices, taken.keys] + list(taken.values)

        sizes = [raw.BarrierReadySize(handle=ref), raw.BarrierIncompleteSize(handle=ref)]
        more = tf.constant([1.0, 2.0, 3.0, 4.0])
        steps = [sizes, insert(0, ["a", "b", "c", "d"], more), insert(1, ["a", "b"], tf.constant([10, 20])), sizes,
                 insert(0, ["a", "a"], tf.constant([1.0, 2.0])), insert(0, ["e"], tf.zeros([1, 0])), close(False),
                 insert(0, ["new"], tf.constant([5.0])), insert(0, [], tf.constant([], tf.float32)), take(9), take(3, True),
                 sizes, insert(1, ["c"], tf.constant([30])), take(3, True), take(3, True), close(True), sizes,
                 insert(0, [], tf.constant([], tf.float32)), close(False)]
    for step in steps:
        case.again(step)


def sparse(case):
    indices, shape = lambda *rows: tf.constant(rows, tf.int64), lambda *dims: tf.constant(dims, tf.int64)
    large = (2 ** 32, 2 ** 31)
    for axis in (-3, 2, 1, -2):
        case.run(lambda a=axis: [raw.SparseReduceSum(input_indices=indices([0, 0], [1, 1]), input_values=[1, 2],
                                                     input_shape=shape(2, 3), reduction_axes=a)])
    for op in (raw.SparseReduceSum, raw.SparseReduceMax):
        case.run(lambda o=op: [o(input_indices=indices([1, 2], [3, 4]), input_values=[1, 3], input_shape=shape(*large),
                                 reduction_axes=[0])])
    case.run(lambda: [raw.SparseSoftmax(sp_indices=indices([1, 1]), sp_values=[2.0], sp_shape=shape(*large))])
    for row in ([-1, 0], [1, 3], [1, 2]):
        case.run(lambda r=row: [raw.SparseTensorDenseAdd(a_indices=indices(r), a_values=[7], a_shape=shape(2, 3),
                                                         b=tf.zeros([2, 3], tf.int32))])


def others(case):
    for names in (["a", "b"], ["a"], "a"):
        case.run(lambda n=names: list(raw.StringSplit(input=["xay", "y"], delimiter=hidden(n))))
        case.run(lambda n=names: list(raw.StringSplitV2(input=["xay", "y"], sep=hidden(n))))
    for ids in ([0, 1, 2, 0], [0, 1, 0, 1], [0, 0, 2, 2]):
        case.run(lambda i=ids: [tf.math.segment_sum(tf.ones([4, 2]), hidden(i))])
    for dtype in (tf.qint8, tf.quint8, tf.qint32):
        case.run(lambda d=dtype: [tf.cast(tf.cast(tf.constant([1, -2, 300]), d), tf.int32)])
    case.run(lambda: [raw.UnicodeTranscode(input=[b"\xbe\xc8\xb3\xe7"], input_encoding="euc_kr", output_encoding="UTF-8",
                                           errors="replace", replacement_char=32)])
    case.run(lambda: [tf.scatter_nd(hidden([[0]]), hidden([1.0]), tf.constant([0]))])
    case.run(lambda: [raw.ScatterNdNonAliasingAdd(input=tf.zeros([0, 3]), indices=hidden([[0]]), updates=hidden([[1.0] * 3]))])
    case.run(lambda: tf.split(tf.zeros([5, 4]), hidden([1, 4]), axis=hidden(np.int32([])), num=2))

    def shuffled(seed, seed2):
        queue = raw.RandomShuffleQueueV2(component_types=[tf.int32], shapes=[[]], seed=seed, seed2=seed2, shared_name="q")
        return [raw.QueueSizeV2(handle=queue)]

    case.run(lambda: shuffled(1, 2))
    case.run(lambda: shuffled(0, 0))
    case.run(lambda: shuffled(3, 2))



def sizes(case):
    """Sizes that are too large, missing or do not fit."""
    huge = lambda: hidden([1801181592, 1846789676])
    image = lambda: tf.ones([2, 2, 2, 2])
    case.run(lambda: [raw.ScaleAndTranslate(images=image(), size=huge(), scale=[1.0, 1.0], translation=[0.0, 0.0])])
    for op in (raw.ResizeBilinear, raw.ResizeBicubic, raw.ResizeArea, raw.ResizeNearestNeighbor):
        case.run(lambda o=op: [o(images=image(), size=huge())])
    case.run(lambda: [raw.CropAndResize(image=image(), boxes=tf.ones([11, 4]), box_ind=tf.fill([11], 9), crop_size=huge())])
    for shape in ([0, -1, 3], [0, -1], [-1, 0], [5, -1], [0, -1, 5]):
        case.run(lambda s=shape: [tf.reshape(hidden(np.zeros([0, 6], np.float32)), hidden(s))])
    case.run(lambda: [tf.shape(tf.reshape(hidden([[1]]), hidden([1] * 254)))])
    case.run(lambda: [tf.shape(tf.reshape(hidden([[1]]), hidden([1] * 253)))])
    case.run(lambda: [raw.DataFormatVecPermute(x=hidden([[0, 1], [2, 3]]), src_format="1234", dst_format="4321")])
    case.run(lambda: [raw.RaggedBincount(splits=hidden(np.int64([0, 2, 4])), values=hidden([1, 0, 1, 1]), size=2,
                                         weights=hidden([[1.0, 2.0], [3.0, 4.0]]))])
    for index in (-2, 4, 3):
        case.run(lambda i=index: [raw.SparseBincount(indices=hidden(np.int64([[0], [i]])), values=[1, 1],
                                                     dense_shape=hidden(np.int64([4])), size=2,
                                                     weights=tf.constant([], tf.float32))])
    more = tf.data.experimental
    grouped = lambda data: data.apply(more.group_by_window(lambda x: x % 2, lambda _, group: group.batch(2), 2))
    for data in (lambda: tf.data.Dataset.range(4), lambda: tf.data.Dataset.range(4).repeat()):
        case.run(lambda d=data: [more.cardinality(grouped(d()))])


if __name__ == "__main__":
    made = Case("refusals")
    barriers(made)
    sparse(made)
    others(made)
    sizes(made)
    made.write()
