"""TFRecords of Examples both ways, the conversion of MNIST, and positions in checkpoints. examples.py BUILD_DIR

The program tests/interop/examples.c writes and reads what TensorFlow's Python library reads and writes, over Sluice's
public headers. Prints a line for each thing proved.
"""
import gzip
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "tests", "interop_examples")
COUNT = 3000


def run(*args):
    return subprocess.run([PROGRAM] + [str(a) for a in args], check=True, stdout=subprocess.PIPE).stdout.decode()


def int64s(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def strings(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(i):
    features = {"numbers": int64s(i, -i, i << 40), "halves": floats(i / 2, -1e-30), "empty": int64s(),
                "\u00e9": strings(b"\0\xff")}
    if i % 4:
        features["words"] = strings(*[b"x" * ((i + j) % 100) for j in range(i % 4)])
    return tf.train.Example(features=tf.train.Features(feature=features))


def text(e):
    lines = []
    for key in sorted(e.features.feature, key=lambda k: k.encode()):
        feature = e.features.feature[key]
        kind = feature.WhichOneof("kind")
        if kind == "int64_list":
            lines.append(" ".join([key, "int64"] + ["%d" % v for v in feature.int64_list.value]))
        elif kind == "float_list":
            lines.append(" ".join([key, "float"] + ["%.9g" % v for v in feature.float_list.value]))
        else:
            lines.append(" ".join([key, "bytes"] + [v.hex() for v in feature.bytes_list.value]))
    return "\n".join(lines + ["."]) + "\n"


def both_ways(directory):
    wanted = [example(i) for i in range(COUNT)]
    for compression in ("", "GZIP", "ZLIB"):
        ours, theirs = os.path.join(directory, "ours" + compression), os.path.join(directory, "theirs" + compression)
        run("write", ours, compression, COUNT)
        records = [r.numpy() for r in tf.data.TFRecordDataset(ours, compression)]
        assert len(records) == COUNT, len(records)
        for record, e in zip(records, wanted):
            assert tf.train.Example.FromString(record) == e
            assert record == e.SerializeToString(deterministic=True)
        with tf.io.TFRecordWriter(theirs, compression) as writer:
            for e in wanted:
                writer.write(e.SerializeToString(deterministic=True))
        assert run("read", theirs, compression) == "".join(text(e) for e in wanted)
        same = open(ours, "rb").read() == open(theirs, "rb").read()
        assert same or compression, "the files differ"
        print("Examples, compression '%s': %d both ways, bytes of each alike%s" % (
            compression, COUNT, ", and of the whole file" if same else ""))


def write_idx(path, array):
    with gzip.open(path, "wb") as out:
        out.write(struct.pack(">HBB", 0, 8, array.ndim) + struct.pack(">%dI" % array.ndim, *array.shape) + array.tobytes())


def mnist(directory):
    rng = np.random.RandomState(1)
    images, labels = rng.randint(0, 256, (50, 28, 28)).astype(np.uint8), rng.randint(0, 10, 50).astype(np.uint8)
    for name in ("train", "t10k"):
        write_idx(os.path.join(directory, name + "-images-idx3-ubyte.gz"), images)
        write_idx(os.path.join(directory, name + "-labels-idx1-ubyte.gz"), labels)
    ours, theirs = os.path.join(directory, "ours.tfrecords"), os.path.join(directory, "theirs.tfrecords")
    run("mnist", directory, ours, 7)
    with tf.io.TFRecordWriter(theirs) as writer:
        for i in range(7, 50):
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                "pixels": int64s(784), "label": int64s(int(labels[i])),
                "image_raw": strings(images[i].tobytes())})).SerializeToString(deterministic=True))
    assert open(ours, "rb").read() == open(theirs, "rb").read()
    print("MNIST as TFRecords: the file of the classic conversion")
    path = os.path.join(directory, "batch")
    run("batch", directory, path, 20)
    batch = np.fromfile(path, np.float32)
    scaled = np.multiply(images[:20].reshape(20, 784).astype(np.float32), 1.0 / 255.0)
    assert (batch[:20 * 784].reshape(20, 784) == scaled).all()
    assert (batch[20 * 784:].reshape(20, 10) == np.eye(10, dtype=np.float32)[labels[:20]]).all()
    print("MNIST batches: pixels and one-hot labels bit by bit those of read_data_sets")


def positions(directory):
    records, checkpoints = os.path.join(directory, "numbers"), os.path.join(directory, "model")
    with tf.io.TFRecordWriter(records) as writer:
        for i in range(20):
            writer.write(b"%d" % i)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        step = tf.compat.v1.train.get_or_create_global_step()
        session.run(tf.compat.v1.global_variables_initializer())
        session.run(step.assign(41))
        tf.compat.v1.train.Saver().save(session, os.path.join(checkpoints, "model.ckpt"), global_step=41)
    assert run("train", records, checkpoints, 3).split() == ["4", "5"]
    assert run("train", records, checkpoints, 2).split() == ["8", "9"]
    path = tf.train.latest_checkpoint(checkpoints)
    assert tf.train.load_variable(path, "global_step") == 46
    assert list(tf.train.load_variable(path, "input/worker_0/position")) == [0, 10, 1]
    print("Positions: Python's checkpoint starts them anew; saved, Python reads them")


with tempfile.TemporaryDirectory() as scratch:
    both_ways(scratch)
    mnist(scratch)
    positions(scratch)
