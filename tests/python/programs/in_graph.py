"""One client that drives two workers: in_graph.py TARGET towers|pipeline

towers: each worker has a half of the batch, the ps averages the gradients. pipeline: the layers are on different tasks.
"""
import sys

import numpy as np
import tensorflow as tf

target, kind = sys.argv[1:]
random = np.random.RandomState(1)
images = random.rand(32, 8, 8, 1).astype(np.float32)
classes = (images.mean(axis=(1, 2, 3)) > 0.5).astype(np.int32)


def network(x):
    net = tf.nn.relu(tf.layers.conv2d(x, 4, 3, padding="same", name="conv"))
    net = tf.layers.max_pooling2d(net, 2, 2)
    return tf.layers.dense(tf.layers.flatten(net), 2, name="classes")


def towers():
    with tf.device("/job:ps/task:0"):
        x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int32, [None])
        optimizer = tf.train.GradientDescentOptimizer(0.1)
    gradients, losses = [], []
    for i, (part, labels) in enumerate(zip(tf.split(x, 2), tf.split(y, 2))):
        with tf.device(tf.train.replica_device_setter(ps_tasks=1, worker_device="/job:worker/task:%d" % i)):
            with tf.variable_scope("net", reuse=i > 0):
                loss = tf.losses.sparse_softmax_cross_entropy(labels, network(part))
            losses.append(loss)
            gradients.append(optimizer.compute_gradients(loss))
    averaged = [(tf.add_n([g for g, _ in pairs]) / 2.0, pairs[0][1]) for pairs in zip(*gradients)]
    return x, y, optimizer.apply_gradients(averaged), tf.add_n(losses) / 2.0


def pipeline():
    x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int32, [None])
    with tf.device("/job:ps/task:0"):
        hidden = tf.layers.dense(tf.layers.flatten(x), 16, activation=tf.nn.tanh)
    with tf.device("/job:worker/task:1"):
        logits = tf.layers.dense(hidden, 2)
        loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    return x, y, tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss), loss


x, y, train, loss = towers() if kind == "towers" else pipeline()
with tf.Session(target) as session:
    session.run(tf.global_variables_initializer())
    feeds = {x: images, y: classes}
    first = session.run(loss, feeds)
    for _ in range(30):
        session.run(train, feeds)
    last = session.run(loss, feeds)
print("better" if last < first else "worse", first, last)
