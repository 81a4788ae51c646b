"""Files both ways: what Sluice writes TensorFlow reads, and the reverse. files.py BUILD_DIR

A stock client drives `sluice serve` (2 ps, 1 worker), so SaveV2, RestoreV2, MergeV2Checkpoints, the readers and the
summary writers run in Sluice; beside it a local TensorFlow session does the same. Prints a line for each thing proved.
"""
import glob
import os
import subprocess
import sys
import tempfile

import numpy as np
import tensorflow as tf2

from cluster import Cluster

tf = tf2.compat.v1
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
BUILD = os.path.abspath(sys.argv[1])
DTYPES = [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16,
          tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string]


def value_of(dtype, seed):
    rng = np.random.RandomState(seed)
    if dtype == tf.string:
        return np.array([b"", b"a\0b", bytes([255, 254]), b"long" * 999], object)
    if dtype == tf.bool:
        return rng.rand(3, 5) > .5
    if dtype.is_complex:
        return (rng.randn(3, 5) + 1j * rng.randn(3, 5)).astype(dtype.as_numpy_dtype)
    return (rng.randn(3, 5) * 50 if dtype.is_floating else rng.randint(0, 100, (3, 5))).astype(dtype.as_numpy_dtype)


def model(parts, seed):
    """A graph with a variable of each type and a partitioned one, by name; on ps tasks if there are any."""
    graph = tf.Graph()
    with graph.as_default():
        # Values come by placeholder: what is compared is the file, not how constants travel.
        variables, feeds = {}, {}
        for i, dtype in enumerate(DTYPES):
            value = value_of(dtype, seed + i)
            place = tf.placeholder(dtype, value.shape)
            with tf.device("/job:ps/task:%d" % (i % 2) if parts else None):
                variables[dtype.name] = tf.Variable(place, name=dtype.name, trainable=False)
            feeds[place] = value
        table = np.random.RandomState(seed).randn(20, 3).astype(np.float32)
        place = tf.placeholder(tf.float32, table.shape)
        feeds[place] = table
        slices, start, saved = [], 0, {}
        for i, rows in enumerate(parts or [20]):
            with tf.device("/job:ps/task:%d" % (i % 2) if parts else None):
                part = tf.Variable(place[start:start + rows], name="table/part_%d_of_%s" % (i, len(parts or [0])))
            part._set_save_slice_info(tf.Variable.SaveSliceInfo("table", [20, 3], [start, 0], [rows, 3]))
            slices.append(part)
            start += rows
        saved = list(variables.values()) + slices
        fetch = dict(variables, table=tf.concat(slices, 0))
        return graph, saved, feeds, fetch, tf.variables_initializer(saved)


def expect_equal(what, got, wanted):
    assert np.asarray(got).shape == np.asarray(wanted).shape, (what, np.shape(got), np.shape(wanted))
    assert np.asarray(got).dtype.kind == np.asarray(wanted).dtype.kind, what
    assert (np.asarray(got) == np.asarray(wanted)).all(), (what, got, wanted)


def save(target, parts, seed, path, **saver_options):
    graph, saved, feeds, fetch, init = model(parts, seed)
    with graph.as_default(), tf.Session(target) as session:
        saver = tf.train.Saver(saved, **saver_options)
        session.run(init, feeds)
        wanted = session.run(fetch)
        return saver.save(session, path, global_step=7, write_meta_graph=False), wanted


def restore(target, parts, path, wanted):
    graph, saved, _, fetch, _ = model(parts, 1)
    with graph.as_default(), tf.Session(target) as session:
        tf.train.Saver(saved).restore(session, path)
        for name, value in session.run(fetch).items():
            expect_equal(name, value, wanted[name])


def read_checkpoint(path, wanted):
    reader = tf2.train.load_checkpoint(path)
    listed = dict(tf2.train.list_variables(path))
    assert set(listed) == set(wanted), set(listed) ^ set(wanted)
    for name, value in wanted.items():
        expect_equal(name, reader.get_tensor(name), value)
        expect_equal(name, tf2.train.load_variable(path, name), value)
        assert listed[name] == list(np.shape(value)), name


def checkpoints(target, directory):
    for name, options in (("whole", {}), ("sharded", dict(sharded=True))):
        path, wanted = save(target, [8, 8, 4], 100, os.path.join(directory, "sluice", name), **options)
        assert tf.train.latest_checkpoint(os.path.dirname(path)) == path
        read_checkpoint(path, wanted)
        restore("", None, path, wanted)
        # Again under the same prefix.
        path, wanted = save(target, [8, 8, 4], 200, os.path.join(directory, "sluice", name), **options)
        read_checkpoint(path, wanted)
        data = sorted(os.path.basename(f) for f in glob.glob(glob.escape(path) + ".data*"))
        count = 2 if options else 1
        assert data == ["%s-7.data-%05d-of-%05d" % (name, i, count) for i in range(count)], data
        print("Sluice's checkpoint, %s: %d tensors, all types and slices, read by TensorFlow" % (name, len(wanted)))
    for name, options in (("v2", {}), ("sharded", dict(sharded=True))):
        path, wanted = save("", None, 300, os.path.join(directory, "tensorflow", name), **options)
        restore(target, [5, 15], path, wanted)
        print("TensorFlow's checkpoint, %s: restored by Sluice, in other slices" % name)
    # The first format knows fewer types.
    graph = tf.Graph()
    with graph.as_default():
        variables = [tf.Variable(np.arange(6, dtype=t), name=np.dtype(t).name) for t in (np.float32, np.int64, np.int8)]
        saver = tf.train.Saver(variables, write_version=tf.train.SaverDef.V1)
        paths = {}
        for who, where in (("tensorflow", ""), ("sluice", target)):
            with tf.Session(where) as session:
                session.run(tf.global_variables_initializer())
                paths[who] = saver.save(session, os.path.join(directory, who, "v1"), write_meta_graph=False)
        for writer, where in (("tensorflow", target), ("sluice", "")):
            with tf.Session(where) as session:
                saver.restore(session, paths[writer])
                for v in session.run(variables):
                    expect_equal("v1", v, np.arange(6, dtype=v.dtype))
    print("The first format: each restores what the other saved")


def records_wanted(count):
    return [b"%d:" % i + b"x" * (i % 1000) for i in range(count)]


def records(target, directory):
    kinds = tf.io.TFRecordCompressionType
    for name, kind in (("", kinds.NONE), ("GZIP", kinds.GZIP), ("ZLIB", kinds.ZLIB)):
        path, options = os.path.join(directory, "records" + name), tf.io.TFRecordOptions(kind)
        subprocess.run([os.path.join(BUILD, "tests", "interop_write_records"), path, name, "3000"], check=True)
        assert list(tf.io.tf_record_iterator(path, options)) == records_wanted(3000), name
        with tf.io.TFRecordWriter(path + ".tf", options) as writer:
            for record in records_wanted(3000):
                writer.write(record)
        with tf.Graph().as_default(), tf.Session(target) as session:
            queue = tf.FIFOQueue(1, tf.string)
            _, batch = tf.TFRecordReader(options=options).read_up_to(queue, 5000)
            session.run([queue.enqueue(path + ".tf")])
            session.run(queue.close())
            assert list(session.run(batch)) == records_wanted(3000), name
        print("TFRecords, compression '%s': 3000 records both ways" % name)


def events(target, directory):
    from tensorboard.backend.event_processing import event_accumulator
    ops = tf.raw_ops
    with tf.Graph().as_default(), tf.Session(target) as session:
        writer = ops.SummaryWriter(shared_name="events", container="")
        step = tf.placeholder(tf.int64, [])
        write = [ops.WriteScalarSummary(writer=writer, step=step, tag="loss", value=tf.cast(step, tf.float32) / 2),
                 ops.WriteHistogramSummary(writer=writer, step=step, tag="weights", values=tf.range(10.)),
                 ops.WriteImageSummary(writer=writer, step=step, tag="picture", tensor=tf.ones([1, 2, 3, 3]),
                                       bad_color=np.array([255, 0, 0, 255], np.uint8), max_images=1),
                 ops.WriteAudioSummary(writer=writer, step=step, tag="sound", tensor=tf.zeros([1, 8]),
                                       sample_rate=8000., max_outputs=1),
                 ops.WriteRawProtoSummary(writer=writer, step=step,
                                          tensor=tf.summary.merge([tf.summary.scalar("merged", 3.)]))]
        session.run(ops.CreateSummaryFileWriter(writer=writer, logdir=directory, max_queue=10, flush_millis=100000,
                                                filename_suffix=".sluice"))
        for i in range(5):
            session.run(write, {step: i})
        session.run(ops.CloseSummaryWriter(writer=writer))
    path, = glob.glob(os.path.join(directory, "events.out.tfevents.*.sluice"))
    found = [v.tag for e in tf.train.summary_iterator(path) for v in e.summary.value]
    assert len(found) == 25 and set(found) == {"loss", "weights", "picture/image", "sound/audio", "merged"}, found
    board = event_accumulator.EventAccumulator(
        directory, event_accumulator.STORE_EVERYTHING_SIZE_GUIDANCE).Reload()
    assert [(e.step, e.value) for e in board.Scalars("loss")] == [(i, i / 2) for i in range(5)]
    assert board.Histograms("weights")[4].histogram_value.num == 10
    assert (board.Images("picture/image")[0].width, board.Images("picture/image")[0].height) == (3, 2)
    assert board.Audio("sound/audio")[0].sample_rate == 8000
    assert len(board.Scalars("merged")) == 5
    print("Event file: 25 values, shown by TensorBoard: scalars, histograms, images, audio")


def main():
    with tempfile.TemporaryDirectory() as directory:
        for name in ("sluice", "tensorflow", "records", "logs"):
            os.mkdir(os.path.join(directory, name))
        with Cluster({"ps": 2, "worker": 1}, cmd="%s serve" % os.path.join(BUILD, "sluice")) as cluster:
            target = cluster.target("worker", 0)
            checkpoints(target, directory)
            records(target, os.path.join(directory, "records"))
            events(target, os.path.join(directory, "logs"))


main()
