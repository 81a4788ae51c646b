#!/usr/bin/env python3
"""Records scopes, variables, initialisers, regularisers and partitioners as TensorFlow's Python library builds them."""
import tensorflow.compat.v1 as tf

from listing import write


def scopes():
    v = tf.Variable(tf.zeros([3]))
    w = tf.Variable(tf.truncated_normal([2, 2], stddev=0.1), name="w")
    with tf.name_scope("n"):
        tf.Variable(tf.ones([2]), name="v")
    with tf.variable_scope("vs"):
        tf.get_variable("g", [2], initializer=tf.zeros_initializer())
        tf.add(v, v)
        tf.layers.dense(tf.layers.dense(tf.zeros([2, 2]), 3), 3)
    with tf.variable_scope("vs"):
        tf.identity(v)
    with tf.name_scope("n"):
        tf.identity(v)
        tf.identity(v, name="identity")
    with tf.control_dependencies([tf.no_op()]):
        b = tf.identity(tf.zeros([2]))
        tf.add(b, tf.ones([2], name="y"))
    tf.assign(w, w)
    with tf.device("/job:ps"):
        with tf.device("/task:1/cpu:0"):
            tf.no_op(name="inner")
        with tf.device("/job:worker/task:0"):
            tf.no_op(name="other")
        with tf.device(None):
            tf.no_op(name="nowhere")
        with tf.get_default_graph().colocate_with(v.op):
            tf.no_op(name="together")


def initializers():
    rows = [("z", tf.zeros_initializer()), ("o", tf.ones_initializer()), ("c", tf.constant_initializer(2)),
            ("n", tf.random_normal_initializer(0, 1)), ("t", tf.truncated_normal_initializer(0, 0.1)),
            ("u", tf.random_uniform_initializer(-1, 1)), ("gn", tf.glorot_normal_initializer()),
            ("he", tf.initializers.he_normal()), ("default", None),
            ("vs", tf.variance_scaling_initializer(1.5, "fan_out", "untruncated_normal")),
            ("lu", tf.initializers.lecun_uniform())]
    for name, initializer in rows:
        tf.get_variable(name, [50, 30], initializer=initializer)
    tf.get_variable("i", [2], tf.int32)
    tf.get_variable("wide", [2, 6], initializer=tf.orthogonal_initializer())
    tf.get_variable("tall", [2, 3, 4], initializer=tf.orthogonal_initializer(gain=2.0))
    tf.get_variable("list", [2, 2], initializer=tf.constant_initializer([1.0, 2.0, 3.0, 4.0]))


# tf.contrib.layers is not part of TensorFlow 2; these are its regularizers' nodes.
def l1(scale):
    def f(w):
        with tf.name_scope(None, "l1_regularizer", [w]) as name:
            return tf.multiply(tf.convert_to_tensor(scale, name="scale"), tf.reduce_sum(tf.abs(w)), name=name)
    return f


def l2(scale):
    def f(w):
        with tf.name_scope(None, "l2_regularizer", [w]) as name:
            return tf.multiply(tf.convert_to_tensor(scale, name="scale"), tf.nn.l2_loss(w), name=name)
    return f


def l1_l2(a, b):
    def f(w):
        with tf.name_scope("l1_l2_regularizer", "sum_regularizer", [w]) as name:
            return tf.add_n([l1(a)(w), l2(b)(w)], name=name)
    return f


def get(name, shape, regularizer, **more):
    """get_variable with a regularizer as TensorFlow 1.x has it: one loss, made with the variable."""
    v = tf.get_variable(name, shape, **more)
    with tf.get_default_graph().colocate_with(v.op), tf.name_scope(v.op.name + "/Regularizer/"):
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, regularizer(v))


def variable_scopes():
    with tf.variable_scope("a", initializer=tf.constant_initializer(0.5)):
        get("w", [2, 3], l2(0.25))
        get("v", [2], l1(0.125))
        with tf.variable_scope("b"):
            get("w", [2], l1_l2(0.5, 0.75))
            get("i", [2], l1_l2(0.5, 0.75), initializer=tf.ones_initializer())
    with tf.variable_scope("a", reuse=True):
        tf.identity(tf.get_variable("w", [2, 3]))
        with tf.variable_scope("b"):
            tf.identity(tf.get_variable("w", [2]))
    with tf.variable_scope(None, default_name="cell"):
        tf.get_variable("w", [1])
    with tf.variable_scope(None, default_name="cell"):
        tf.get_variable("w", [1])
    with tf.variable_scope("towers"):
        tf.get_variable("w", [1])
        tf.get_variable_scope().reuse_variables()
        tf.identity(tf.get_variable("w", [1]))
    with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
        tf.get_variable("w", [1])
        tf.identity(tf.get_variable("w", [1]))
    tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), name="all")
    tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES, "a/b"), name="some")
    tf.local_variables_initializer()
    tf.variables_initializer(tf.trainable_variables("a/b"), name="init_b")
    tf.assign_sub(tf.trainable_variables("cell")[0], [1.0])


def seeds():
    tf.random_normal([3])
    tf.random_uniform([3], seed=5)
    tf.set_random_seed(0)
    tf.random_normal([3])
    tf.set_random_seed(2**31 + 4)
    tf.get_variable("w", [3, 4])
    tf.truncated_normal([3])
    tf.random_uniform([3], seed=5)
    tf.random_uniform([3], -1.0, 1.0, seed=-5)
    tf.random_uniform([2, 2], 1, 7, dtype=tf.int32, name="dice")
    tf.RandomShuffleQueue(10, 1, tf.float32)


def partitioners():
    p = tf.get_variable("p", [10, 3], partitioner=tf.fixed_size_partitioner(3))
    tf.identity(p, name="whole")
    with tf.variable_scope("s", partitioner=tf.variable_axis_size_partitioner(64)):
        tf.get_variable("v", [10, 4], initializer=tf.zeros_initializer())
        tf.get_variable("small", [2, 2], initializer=tf.ones_initializer())
    q = tf.get_variable("m", [8, 512], initializer=tf.zeros_initializer(),
                        partitioner=tf.min_max_variable_partitioner(max_partitions=4, axis=1, min_slice_size=4 << 10))
    tf.identity(q, name="columns")


write("scopes", scopes)
write("initializers", initializers)
write("variable_scopes", variable_scopes)
write("partitioners", partitioners)
write("seeds", seeds)
