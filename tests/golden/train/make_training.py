#!/usr/bin/env python3
"""Records optimizers, learning rates and clipping as TensorFlow's Python library builds them."""
import os

import tensorflow.compat.v1 as tf

from listing import HERE, write

OPTIMIZERS = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "adagrad_da": lambda: tf.train.AdagradDAOptimizer(0.1, tf.train.get_or_create_global_step(),
                                                      l2_regularization_strength=0.01),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(0.1),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "rms_prop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    "rms_prop_centered": lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.02),
    "proximal_gradient_descent": lambda: tf.train.ProximalGradientDescentOptimizer(0.1, 0.01),
    "proximal_adagrad": lambda: tf.train.ProximalAdagradOptimizer(0.1, l1_regularization_strength=0.01),
}


def model():
    tf.train.get_or_create_global_step()
    w = tf.get_variable("w", [4], initializer=tf.ones_initializer())
    table = tf.get_variable("table", [6, 2], initializer=tf.ones_initializer())
    ids = tf.placeholder(tf.int32, [None], name="ids")
    return tf.reduce_sum(tf.square(w)) + tf.reduce_sum(tf.nn.embedding_lookup(table, ids))


def optimizer(make):
    def build():
        loss = model()
        make().minimize(loss, global_step=tf.train.get_global_step())
    return build


RESOURCES = os.path.join(HERE, "resources.meta")


def write_resources():
    """The same model of resource variables, for programs that import it."""
    with tf.Graph().as_default():
        with tf.variable_scope("", use_resource=True):
            tf.add_to_collection(tf.GraphKeys.LOSSES, model())
        tf.train.export_meta_graph(RESOURCES)


def imported(make):
    def build():
        tf.train.import_meta_graph(RESOURCES)
        make().minimize(tf.get_collection(tf.GraphKeys.LOSSES)[0], global_step=tf.train.get_global_step())
    return build


def decays():
    step = tf.train.get_or_create_global_step()
    tf.train.exponential_decay(0.1, step, 1000, 0.9)
    tf.train.exponential_decay(0.1, step, 1000, 0.9, staircase=True)
    tf.train.inverse_time_decay(0.1, step, 100, 0.5)
    tf.train.polynomial_decay(0.1, step, 1000, 0.0001)
    tf.train.natural_exp_decay(0.1, step, 100, 0.5)
    tf.train.cosine_decay(0.1, step, 1000, alpha=0.1)
    tf.train.polynomial_decay(0.1, step, 100, 0.01, power=2.0, cycle=True)


def clipping():
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.placeholder(tf.float32, [2], name="y")
    tf.clip_by_value(x, -1.0, 1.0)
    tf.clip_by_norm(x, 2.0)
    tf.clip_by_average_norm(x, 2.0)
    tf.clip_by_global_norm([x, y], 5.0)


def averages():
    tf.train.import_meta_graph(RESOURCES)
    average = tf.train.ExponentialMovingAverage(0.9, tf.train.get_global_step())
    average.apply(tf.trainable_variables())


def weights():
    labels = tf.placeholder(tf.float32, [None, 3], name="labels")
    predictions = tf.placeholder(tf.float32, [None, 3], name="predictions")
    each = tf.placeholder(tf.float32, [None, 1], name="each")
    losses, factors = tf.placeholder(tf.float32, None, name="losses"), tf.placeholder(tf.float32, None, name="factors")
    tf.losses.mean_squared_error(labels, predictions, each)
    tf.losses.compute_weighted_loss(losses, factors, reduction=tf.losses.Reduction.NONE)


def values(make):
    """The variables after three steps."""
    with tf.Graph().as_default():
        optimizer(make)()
        train = tf.get_collection(tf.GraphKeys.TRAIN_OP)[0]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train, {"ids:0": [1, 3, 1]})
            w, table = session.run(["w:0", "table:0"])
    return [*w.reshape(-1), *table.reshape(-1)]


# The start of slots, and constants of the rules whose Python class changed after TensorFlow 1.x.
OTHER = {
    "adagrad_da": ("w/AdagradDA/A", "w/AdagradDA_1/A", "table/AdagradDA/A", "table/AdagradDA_1/A", "AdagradDA/update_"),
    "ftrl": ("w/Ftrl/I", "w/Ftrl/A", "table/Ftrl/I", "table/Ftrl/A", "Ftrl/M", "Ftrl/m", "Ftrl/t", "Ftrl/a", "Ftrl/b",
             "Ftrl/l2", "Ftrl/update_"),
    "proximal_adagrad": ("w/ProximalAdagrad/A", "table/ProximalAdagrad/A"),
}
write_resources()
with open(os.path.join(HERE, "optimizer_values.txt"), "w") as out:
    for name, make in OPTIMIZERS.items():
        write("optimizer_" + name, optimizer(make),
              skip=("gradients", "Square", "Sum", "add", "Const") + OTHER.get(name, ()))
        write("resource_" + name, imported(make),
              skip=("gradients", "Square", "Sum", "add", "Const") + OTHER.get(name, ()))
        out.write(name + " " + " ".join("%.8g" % x for x in values(make)) + "\n")
write("decays", decays)
write("clipping", clipping, skip=("clip_by_norm/ones_like",))
write("weights", weights, unused=("Const",),
      skip=["mean_squared_error/" + x for x in ("num_present", "Const", "Rank", "range", "Sum_1", "value")])
# Shadows start as the variables do, without a look at whether these have started.
write("resource_averages", averages,
      skip=("cond", "VarIsInitializedOp", "w/ExponentialMovingAverage/A", "table/ExponentialMovingAverage/A"))
