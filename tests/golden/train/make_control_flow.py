#!/usr/bin/env python3
"""Records tf.while_loop and tf.cond (control flow v1) as TensorFlow's Python library builds them."""
import tensorflow.compat.v1 as tf

from listing import write, write_values

tf.disable_control_flow_v2()


def loops():
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    limit = tf.constant(5, name="limit")
    step = tf.get_variable("step", [3], initializer=tf.zeros_initializer())
    tf.while_loop(lambda i, v: i < limit, lambda i, v: (i + 1, tf.add(v, tf.multiply(x, 2.0) + step)),
                  (tf.constant(0), x), parallel_iterations=4)

    # A limit of turns, a shape that grows, and a value of the body that is not the loop's.
    tf.while_loop(lambda v, w: tf.reduce_sum(v) < 9.0, lambda v, w: [tf.concat([v, x], 0), w], [x, limit],
                  shape_invariants=[tf.TensorShape([None, 3]), limit.shape],
                  maximum_iterations=tf.constant(7, name="most"), name="grow")
    tf.while_loop(lambda i, w: tf.less(i, limit), lambda i, w: (tf.add(i, 1), step), (tf.constant(0), step),
                  name="constant")

    # Dependencies from outside and inside.
    before = tf.no_op(name="before")
    mark = tf.identity(x, name="mark")
    with tf.control_dependencies([before, mark]):
        def body(i):
            with tf.control_dependencies([tf.add(i, limit, name="inner")]):
                return tf.add(i, tf.constant(1, name="one"), name="next")
        tf.while_loop(lambda i: tf.less(i, 3), body, [limit], name="ordered")


def nested():
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.placeholder(tf.float32, [3], name="y")

    def outer_body(i, v):
        _, w = tf.while_loop(lambda j, w: tf.less(j, i), lambda j, w: (tf.add(j, 1), tf.multiply(w, y)),
                             (tf.constant(0), x))
        z = tf.cond(tf.equal(i, 2), lambda: tf.add(v, w), lambda: tf.subtract(v, y))
        return tf.add(i, 1), z
    tf.while_loop(lambda i, v: tf.less(i, 4), outer_body, (tf.constant(0), x))


def conds():
    p = tf.placeholder(tf.bool, [], name="p")
    q = tf.placeholder(tf.bool, [], name="q")
    x = tf.placeholder(tf.float32, [3], name="x")
    step = tf.get_variable("step", [3], initializer=tf.ones_initializer())
    tf.cond(p, lambda: tf.multiply(x, step), lambda: tf.negative(x))
    tf.cond(p, lambda: x, lambda: tf.constant([1.0, 2.0, 3.0]), name="through")
    tf.cond(p, lambda: (x, tf.square(x)), lambda: (step, tf.zeros([3])), name="two")
    tf.cond(p, lambda: tf.no_op(name="nothing"), lambda: tf.assign(step, x).op, name="act")
    tf.cond(p, lambda: tf.cond(q, lambda: tf.add(x, step), lambda: x), lambda: tf.exp(x), name="nest")

    def loop():
        return tf.while_loop(lambda i, v: tf.less(i, 3), lambda i, v: (tf.add(i, 1), tf.add(v, x)),
                             (tf.constant(0), x))[1]
    tf.cond(q, loop, lambda: x, name="looped")


write("while_loops", loops)
write("nested_loops", nested)
write("conds", conds)


# --- Values ---

def of_variables(build):
    def program():
        x = tf.get_variable("x", [3])
        y = tf.get_variable("y", [3])
        return build(x, y)
    return program


def nested_values(x, y):
    def outer_body(i, v):
        _, w = tf.while_loop(lambda j, w: tf.less(j, i), lambda j, w: (tf.add(j, 1), tf.multiply(w, y)),
                             (tf.constant(0), x))
        z = tf.cond(tf.equal(i, 2), lambda: tf.add(v, w), lambda: tf.subtract(v, y))
        return tf.add(i, 1), z
    return tf.while_loop(lambda i, v: tf.less(i, 4), outer_body, (tf.constant(0), x))[1:]


def grown_values(x, y):
    return tf.while_loop(lambda v, w: tf.reduce_sum(w) < 9.0,
                         lambda v, w: [tf.concat([v, x * w], 0), w + y * y], [y, x],
                         shape_invariants=[tf.TensorShape([None]), x.shape], maximum_iterations=2)


def cond_values(x, y):
    return [tf.cond(tf.reduce_sum(x) < limit, lambda: tf.multiply(x, y), lambda: tf.exp(x)) for limit in (-9.0, 9.0)]


def loop_in_branch(x, y):
    def loop():
        return tf.while_loop(lambda i, v: tf.less(i, 3), lambda i, v: (tf.add(i, 1), tf.multiply(v, y)),
                             (tf.constant(0), x))[1]
    return [tf.cond(tf.reduce_sum(x) < limit, loop, lambda: x) for limit in (-9.0, 9.0)]


write_values("control_flow_values", [("nested", of_variables(nested_values)), ("grown", of_variables(grown_values)),
                                     ("cond", of_variables(cond_values)),
                                     ("loop_in_branch", of_variables(loop_in_branch))])
