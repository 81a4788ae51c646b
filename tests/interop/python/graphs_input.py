"""Parsing, readers and queues: graphs that stock TensorFlow and the package sluice must build alike. graphs_input.py OUT"""
import os
import tempfile

from recording import record, tf


def example(**features):
    def feature(values):
        if isinstance(values[0], bytes):
            return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
        if isinstance(values[0], float):
            return tf.train.Feature(float_list=tf.train.FloatList(value=values))
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.Example(features=tf.train.Features(feature={k: feature(v) for k, v in features.items()}
    )).SerializeToString(deterministic=True)


def flat(features):
    """The values of a dictionary by key; of sparse tensors all parts."""
    values = []
    for key in sorted(features):
        value = features[key]
        values += [value.indices, value.values, value.dense_shape] if isinstance(value, tf.SparseTensor) else [value]
    return values


def examples():
    serialized = [example(a=[1.0, 2.0], b=[1, 2, 3], i=[4, 2], v=[1.0, 2.0]), example(b=[7], c=[5], e=[b"x"])]
    features = {"a": tf.FixedLenFeature([2], tf.float32, [3.0, 4.0]), "b": tf.VarLenFeature(tf.int64),
                "c": tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True),
                "d": tf.SparseFeature("i", "v", tf.float32, 10), "e": tf.FixedLenFeature([], tf.string, default_value="")}
    return flat(tf.parse_example(tf.constant(serialized), features)) + \
        flat(tf.parse_single_example(serialized[0], {key: features[key] for key in "abe"})) + \
        flat(tf.io.parse_example(serialized, {"b": tf.io.VarLenFeature(tf.int64)}, name="named"))


def sequences():
    lists = tf.train.FeatureLists(feature_list={
        "s": tf.train.FeatureList(feature=[tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0]))] * 3),
        "t": tf.train.FeatureList(feature=[tf.train.Feature(int64_list=tf.train.Int64List(value=[4]))])})
    context = tf.train.Features(feature={"a": tf.train.Feature(int64_list=tf.train.Int64List(value=[9]))})
    serialized = tf.train.SequenceExample(context=context, feature_lists=lists).SerializeToString(deterministic=True)
    wanted = ({"a": tf.FixedLenFeature([], tf.int64)},
              {"s": tf.FixedLenSequenceFeature([2], tf.float32), "t": tf.VarLenFeature(tf.int64)})
    first, second = tf.parse_single_sequence_example(serialized, *wanted)
    _, third, lengths = tf.io.parse_sequence_example([serialized], *wanted)
    return flat(first) + flat(second) + flat(third) + flat(lengths)


def text():
    return tf.decode_csv(["1,2", "3,"], [[0], [1.5]], select_cols=[0, 1]) + [
        tf.decode_raw("abcd", tf.uint8), tf.io.decode_raw(["abcd"], tf.int16, little_endian=False),
        tf.decode_json_example('{"features": {}}')]


def queues():
    padding = tf.PaddingFIFOQueue(3, [tf.int32, tf.float32], [[None], []])
    priority = tf.PriorityQueue(3, [tf.string], [[]])
    two = [padding.enqueue(([1, 2], 1.0)), padding.enqueue(([3], 2.0)), priority.enqueue((7, "seven")),
           priority.enqueue((2, "two"))]
    return two + [padding.dequeue_many(2), priority.dequeue()]


def readers():
    queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    tf.FixedLengthRecordReader(8, header_bytes=1).read(queue), tf.WholeFileReader().read(queue)
    tf.TFRecordReader(options=tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.ZLIB)).read(queue)
    return [queue.enqueue("name"), tf.IdentityReader().read(queue)[1]]


def producers():
    tf.train.slice_input_producer([tf.constant([1, 2]), tf.constant([3.0, 4.0])], num_epochs=2)
    tf.train.range_input_producer(5, shuffle=False), tf.train.match_filenames_once("a*")
    tf.train.string_input_producer(tf.train.match_filenames_once("b*"), num_epochs=1)
    return []


def batches():
    a = tf.constant([1, 2, 3], name="a")
    tf.train.batch_join([[a], [a]], 2), tf.train.shuffle_batch_join([[a, 1.0], [a, 2.0]], 2, 10, 3)
    tf.train.batch([tf.placeholder(tf.int32, [None])], 2, dynamic_pad=True)
    tf.train.batch([a], 2, enqueue_many=True, allow_smaller_final_batch=True)
    tf.train.batch({"a": a, "b": tf.constant(2.0)}, 2, num_threads=2), tf.train.batch([tf.SparseTensor([[0]], [1], [2])], 2)
    tf.train.shuffle_batch([a], 2, 10, 3, seed=4)
    return []


def records():
    path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
    options = tf.python_io.TFRecordOptions(tf.python_io.TFRecordCompressionType.GZIP)
    with tf.python_io.TFRecordWriter(path, options) as writer:
        writer.write(b"one")
        writer.write(b"two")
    return lambda session: list(tf.python_io.tf_record_iterator(path, options))


if __name__ == "__main__":
    record((examples, sequences, text, queues, readers, producers, batches, records))
