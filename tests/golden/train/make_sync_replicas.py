#!/usr/bin/env python3
"""A synchronous optimizer with 2 ps tasks and 3 workers, of which 2 gradients count: the chief's graph and another's."""
import os

import tensorflow.compat.v1 as tf

from listing import write

RESOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "resources.meta")  # make_training.py


def build(task):
    cluster = {"ps": ["a:1", "b:2"], "worker": ["c0:1", "c1:1", "c2:1"]}
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % task)):
        step = tf.train.get_or_create_global_step()
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        w = tf.get_variable("w", [3, 2])
        b = tf.get_variable("b", [2])
        loss = tf.reduce_mean(tf.square(tf.add(tf.matmul(x, w), b)), name="loss")
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.AdamOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=3)
        optimizer.minimize(loss, global_step=step)
        if task == 0:
            optimizer.get_init_tokens_op()
            tf.no_op(name="no_init_tokens")


def build_sparse():
    """One ps, one worker of two; the gradient of a table that rows are gathered from."""
    cluster = {"ps": ["a:1", "b:2"], "worker": ["c0:1", "c1:1"]}
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:0")):
        step = tf.train.get_or_create_global_step()
        ids = tf.placeholder(tf.int32, [None], name="ids")
        table = tf.get_variable("table", [10, 3])
        w = tf.get_variable("w", [3])
        rows = tf.nn.embedding_lookup(table, ids)
        loss = tf.reduce_sum(tf.multiply(rows, w), name="loss")
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=2)
        optimizer.minimize(loss, global_step=step)
        optimizer.get_init_tokens_op()


def build_resources():
    """Resource variables, imported; the gradient of one is dense, of the other rows of a table."""
    tf.train.import_meta_graph(RESOURCES)
    optimizer = tf.train.SyncReplicasOptimizer(
        tf.train.AdamOptimizer(0.1), replicas_to_aggregate=2, total_num_replicas=2)
    optimizer.minimize(tf.get_collection(tf.GraphKeys.LOSSES)[0], global_step=tf.train.get_global_step())
    optimizer.get_init_tokens_op()


write("sync_replicas_resources", build_resources, skip=("gradients", "Square", "Sum", "add", "Const"))
write("sync_replicas_sparse", build_sparse)
write("sync_replicas_chief", lambda: build(0))
write("sync_replicas_worker", lambda: build(1))
