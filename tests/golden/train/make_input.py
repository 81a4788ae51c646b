#!/usr/bin/env python3
"""Records the queue-based input pipelines of tf.train, readers and parsers as TensorFlow's Python library builds them."""
import tensorflow.compat.v1 as tf

from listing import write

FILES = ["a.tfrecord", "b.tfrecord"]


def input_producers():
    tf.train.string_input_producer(FILES)
    tf.train.string_input_producer(FILES, num_epochs=2, shuffle=False, capacity=8, shared_name="files", name="files")
    tf.train.range_input_producer(10, num_epochs=3, seed=7)
    a = tf.placeholder(tf.float32, [12, 3], name="a")
    b = tf.placeholder(tf.int64, [12], name="b")
    tf.train.slice_input_producer([a, b], capacity=16)
    c = tf.placeholder(tf.float32, [None, 2, 2], name="c")
    tf.train.slice_input_producer([c], shuffle=False, num_epochs=1, name="slices")
    tf.train.input_producer(c, shuffle=False, name="rows")
    tf.train.input_producer(a, num_epochs=4, summary_name="fill", shared_name="shared")
    tf.train.limit_epochs(b, 5)


def batches():
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.placeholder(tf.int64, [], name="y")
    z = tf.placeholder(tf.float32, [None, 2], name="z")
    s = tf.placeholder(tf.string, [], name="s")
    rows = tf.placeholder(tf.float32, [None, 4], name="rows")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    tf.train.batch([x, y], 5)
    tf.train.batch([x], 4, num_threads=3, capacity=20, allow_smaller_final_batch=True, shared_name="q", name="small")
    tf.train.batch([z, s], 6, dynamic_pad=True)
    tf.train.batch([rows, labels], 7, enqueue_many=True)
    tf.train.batch([z], 3, shapes=[[5, 2]])
    tf.train.batch_join([[x, y], [x, y], [x, y]], 8)
    tf.train.batch_join([[z], [z]], 9, dynamic_pad=True, capacity=10, allow_smaller_final_batch=True, name="join")
    tf.train.shuffle_batch([x, y], 10, 100, 50)
    tf.train.shuffle_batch([rows, labels], 11, 200, 60, num_threads=4, seed=3, enqueue_many=True,
                           allow_smaller_final_batch=True, shared_name="r", name="shuffled")
    tf.train.shuffle_batch_join([[x, s], [x, s]], 12, 300, 70, seed=4)
    tf.train.shuffle_batch_join([[rows], [rows]], 13, 400, 80, enqueue_many=True, allow_smaller_final_batch=True)


def kept():
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.placeholder(tf.int64, [], name="y")
    rows = tf.placeholder(tf.float32, [None, 4], name="rows")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    keep = tf.placeholder(tf.bool, [], name="keep")
    which = tf.placeholder(tf.bool, [None], name="which")
    tf.train.maybe_batch([x, y], keep, 5, num_threads=2)
    tf.train.maybe_batch([rows, labels], which, 6, enqueue_many=True)
    tf.train.maybe_batch_join([[x], [x]], keep, 7)
    tf.train.maybe_shuffle_batch([rows, labels], 8, 100, 50, keep, enqueue_many=True)
    tf.train.maybe_shuffle_batch_join([[rows], [rows]], 9, 100, 50, which, enqueue_many=True)


def sparse_parts(name, dtype, rank):
    return tf.SparseTensor(tf.placeholder(tf.int64, [None, rank], name=name + "_indices"),
                           tf.placeholder(dtype, [None], name=name + "_values"),
                           tf.placeholder(tf.int64, [rank], name=name + "_shape"))


def sparse_batches():
    x = tf.placeholder(tf.float32, [3], name="x")
    z = tf.placeholder(tf.float32, [None, 2], name="z")
    rows = tf.placeholder(tf.float32, [None, 4], name="rows")
    keep = tf.placeholder(tf.bool, [], name="keep")
    which = tf.placeholder(tf.bool, [None], name="which")
    a, b = sparse_parts("a", tf.int64, 1), sparse_parts("b", tf.int64, 1)
    c, d = sparse_parts("c", tf.string, 2), sparse_parts("d", tf.string, 2)
    tf.train.batch([x, a], 5)
    tf.train.batch([x, a, z], 6, dynamic_pad=True, allow_smaller_final_batch=True, name="middle")
    tf.train.batch([a], 7, num_threads=2)
    tf.train.batch([rows, c], 8, enqueue_many=True)
    tf.train.batch([z, a], 3, shapes=[[5, 2], [1]])
    tf.train.batch_join([[a, x, c], [b, x, d]], 9)
    tf.train.shuffle_batch([c, x], 10, 100, 50)
    tf.train.shuffle_batch_join([[c, rows], [d, rows]], 11, 200, 60, enqueue_many=True)
    tf.train.maybe_batch([a, x], keep, 12)
    tf.train.maybe_batch([c, rows], keep, 13, enqueue_many=True)
    tf.train.maybe_shuffle_batch([c], 14, 100, 50, which, enqueue_many=True)
    whole = tf.sparse_placeholder(tf.float32, name="whole")
    taken = tf.train.maybe_batch_join([[whole], [whole]], keep, 15)
    tf.identity(taken.values, name="taken")


def readers():
    queue = tf.train.string_input_producer(FILES)
    tf.TFRecordReader().read(queue)
    zipped = tf.TFRecordReader(options=tf.io.TFRecordOptions(tf.io.TFRecordCompressionType.GZIP), name="packed")
    zipped.read_up_to(queue, 10)
    lines = tf.TextLineReader(skip_header_lines=1)
    lines.read(queue)
    lines.num_records_produced()
    lines.num_work_units_completed()
    lines.reset()
    tf.WholeFileReader().read(queue, name="whole")
    tf.IdentityReader().read(queue)
    tf.FixedLengthRecordReader(10, header_bytes=2, footer_bytes=1).read(queue)


def parsing():
    one = tf.placeholder(tf.string, [], name="one")
    many = tf.placeholder(tf.string, [None], name="many")
    names = tf.placeholder(tf.string, [None], name="names")
    mnist = {
        "image_raw": tf.FixedLenFeature([], tf.string),
        "pixels": tf.FixedLenFeature([], tf.int64),
        "label": tf.FixedLenFeature([], tf.int64),
    }
    mixed = {
        "weights": tf.FixedLenFeature([2, 3], tf.float32, default_value=[[0.5, 1, 2], [3, 4, 5]]),
        "age": tf.FixedLenFeature([1], tf.int64, default_value=-1),
        "tags": tf.VarLenFeature(tf.string),
        "counts": tf.VarLenFeature(tf.int64),
        "name": tf.FixedLenFeature([], tf.string, default_value="none"),
        "ragged": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
    }
    tf.parse_single_example(one, mnist)
    tf.parse_example(many, mnist)
    tf.parse_example(many, mixed, example_names=names, name="mixed")
    tf.parse_single_example(one, mixed, name="single")
    tf.parse_single_example(one, {"tags": tf.VarLenFeature(tf.string)})
    tf.decode_raw(one, tf.uint8)


def sequences():
    one = tf.placeholder(tf.string, [], name="one")
    many = tf.placeholder(tf.string, [None], name="many")
    names = tf.placeholder(tf.string, [None], name="names")
    context = {
        "id": tf.FixedLenFeature([], tf.int64),
        "tags": tf.VarLenFeature(tf.string),
        "size": tf.FixedLenFeature([2], tf.float32, default_value=[-1.0, -2.0]),
    }
    lists = {
        "tokens": tf.FixedLenSequenceFeature([], tf.int64),
        "weights": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
        "bags": tf.VarLenFeature(tf.int64),
    }
    tf.io.parse_single_sequence_example(one, context, lists)
    tf.io.parse_sequence_example(many, context, lists, example_names=names)
    tf.io.parse_single_sequence_example(one, None, {"tokens": lists["tokens"]}, name="single")
    tf.io.parse_sequence_example(many, {"tags": context["tags"]}, None, name="several")


def classic():
    """The input of a classic MNIST program, as document 12 of the interop suite has it."""
    queue = tf.train.string_input_producer(["output.tfrecords"])
    _, serialized = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(serialized, {
        "image_raw": tf.FixedLenFeature([], tf.string),
        "pixels": tf.FixedLenFeature([], tf.int64),
        "label": tf.FixedLenFeature([], tf.int64),
    })
    image = tf.cast(tf.reshape(tf.decode_raw(features["image_raw"], tf.uint8), [784]), tf.float32)
    label = tf.cast(features["label"], tf.int32)
    tf.train.shuffle_batch([image, label], batch_size=100, capacity=10300, min_after_dequeue=10000)


write("input_producers", input_producers)
write("input_batches", batches)
write("input_kept", kept)
write("input_sparse_batches", sparse_batches)
write("input_readers", readers)
write("input_parsing", parsing)
write("input_sequences", sequences)
write("input_classic", classic)
