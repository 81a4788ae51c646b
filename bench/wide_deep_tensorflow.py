"""The model of examples/wide_deep.c in TensorFlow, with dense tables and hash buckets, on 2 ps and 2 workers:
python bench/wide_deep_tensorflow.py [--buckets=N] [--steps=N]. Prints the rate of both workers together."""
import os
import socket
import subprocess
import sys
import time

FEATURES, DEEP, BATCH = 8, 16, 512


def option(name, default):
    return int(next((a.split("=")[1] for a in sys.argv if a.startswith("--%s=" % name)), default))


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in ("ps", "worker"):
        sockets = [socket.socket() for _ in range(4)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        hosts = ["127.0.0.1:%d" % one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        tasks = [subprocess.Popen([sys.executable, __file__, job, str(index), ",".join(hosts)] + sys.argv[1:])
                 for job in ("ps", "worker") for index in (0, 1)]
        codes = [task.wait() for task in tasks[2:]]
        peak = sum(int(line.split()[1]) for task in tasks[:2] for line in open("/proc/%d/status" % task.pid)
                   if line.startswith("VmHWM"))
        for task in tasks[:2]:
            task.kill()
        print("peak memory of the ps tasks %.0f MB" % (peak / 1024))
        return max(codes)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import numpy as np
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior()
    job, index, hosts = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(",")
    cluster = tf.train.ClusterSpec({"ps": hosts[:2], "worker": hosts[2:]})
    server = tf.train.Server(cluster, job, index)
    if job == "ps":
        server.join()
    buckets, steps = option("buckets", 10000000), option("steps", 300)
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % index)):
        ids, labels = tf.placeholder(tf.int64, [None, FEATURES]), tf.placeholder(tf.float32, [None, 1])
        hashed = tf.floormod(ids, buckets)
        part = tf.fixed_size_partitioner(2)
        wide = tf.get_variable("wide", [buckets, 1], partitioner=part, initializer=tf.zeros_initializer())
        deep = tf.get_variable("deep", [buckets, DEEP], partitioner=part,
                               initializer=tf.random_uniform_initializer(-0.05, 0.05))
        x = tf.reshape(tf.nn.embedding_lookup(deep, hashed), [-1, FEATURES * DEEP])
        x = tf.layers.dense(tf.layers.dense(x, 64, tf.nn.relu), 32, tf.nn.relu)
        logits = tf.layers.dense(x, 1) + tf.reduce_sum(tf.nn.embedding_lookup(wide, hashed), 1)
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))
        step = tf.train.get_or_create_global_step()
        tables = [v for v in tf.trainable_variables() if v.name.startswith(("wide", "deep"))]
        others = [v for v in tf.trainable_variables() if v not in tables]
        train = tf.group(tf.train.AdagradOptimizer(0.1).minimize(loss, var_list=tables),
                         tf.train.AdamOptimizer(0.001).minimize(loss, global_step=step, var_list=others))
    random = np.random.RandomState(index)
    with tf.train.MonitoredTrainingSession(server.target, index == 0) as session:
        done, start, at = 0, None, 0
        while at < steps:
            ranks = np.minimum((1 - random.rand(BATCH, FEATURES) * (1 - 1e8 ** -0.05)) ** -20, 1e8).astype(np.int64)
            values = ranks * 2654435761 % (1 << 40)
            _, at, _ = session.run([train, step, loss], {ids: values, labels: random.rand(BATCH, 1) < 0.5})
            done += 1
            if start is None:
                start, first = time.time(), at
        if index == 0:
            print("rate %.0f examples/s" % ((at - first) * BATCH / (time.time() - start)))
    return 0


sys.exit(main())
