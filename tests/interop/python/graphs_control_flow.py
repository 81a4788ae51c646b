"""Conditionals, loops and what is made of them, which stock TensorFlow and the package sluice must build alike."""
import collections

import numpy as np

from recording import record, tf


def conditionals():
    x, y = tf.constant(2.0, name="x"), tf.constant(5.0, name="y")
    a = tf.cond(x < y, lambda: x * 17.0, lambda: y + 23.0)
    b = tf.cond(tf.greater(x, y), lambda: [x, y], lambda: [y, tf.constant(1.0)], name="named")
    c = tf.cond(x < y, lambda: (x, {"k": y + x}), lambda: (y, {"k": x}))
    d = tf.cond(x < y, lambda: tf.constant(1), lambda: tf.constant(2))
    e = tf.cond(x < y, lambda: [x + 1.0], lambda: [x - 1.0])
    return [a, b[0], b[1], c[0], c[1]["k"], d, e]


def nested_conditionals():
    x = tf.placeholder_with_default(3.0, [], name="x")

    def inner():
        return tf.cond(x > 5.0, lambda: x * 2.0, lambda: x * 3.0)
    with tf.name_scope("outer"):
        y = tf.cond(x > 1.0, inner, lambda: x)
    z = tf.cond(x > 1.0, lambda: tf.cond(x > 2.0, lambda: tf.constant(1.0), lambda: tf.constant(2.0)), inner)
    return [y, z]


def conditional_updates():
    v = tf.Variable(1.0, name="v")
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    flag = tf.placeholder_with_default(True, [], name="flag")
    done = tf.cond(flag, lambda: tf.group(v.assign(7.0), w.assign_add([1.0, 2.0])), tf.no_op)
    other = tf.cond(flag, lambda: v.assign_add(1.0), lambda: v.assign_sub(1.0))
    with tf.control_dependencies([v.initializer]):
        waiting = tf.cond(flag, lambda: v + 1.0, lambda: tf.constant(0.0))
    return [tf.global_variables_initializer(), done.op, other.op, waiting.op, w]


def cases():
    x = tf.constant(3, name="x")
    one = tf.case([(x < 2, lambda: tf.constant(1)), (x < 4, lambda: tf.constant(2))], default=lambda: tf.constant(3))
    two = tf.case({x < 2: lambda: x, x > 2: lambda: x * 10}, default=lambda: x * 100, exclusive=True)
    three = tf.case([(x < 2, lambda: x + 1), (x < 9, lambda: x + 2)])
    return [one, two, three]


def loops():
    i = tf.constant(0, name="i")
    a = tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [i])
    k = tf.constant(2.0, name="k")
    b = tf.while_loop(lambda i, x: i < 5, lambda i, x: (i + 1, x * k + 1.0), (i, tf.constant(1.0)))
    Pair = collections.namedtuple("Pair", "j, k")
    c = tf.while_loop(lambda i, p: i < 10, lambda i, p: (i + 1, Pair(p.j + p.k, p.j - p.k)),
                      (tf.constant(0), Pair(tf.constant(1), tf.constant(2))), name="structure")
    d = tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m], 0)], [i, tf.ones([1, 2])],
                      shape_invariants=[i.get_shape(), tf.TensorShape([None, 2])], parallel_iterations=4, back_prop=False,
                      swap_memory=True)
    e = tf.while_loop(lambda i: i < 100, lambda i: i + 1, [tf.constant(0)], maximum_iterations=7)
    f = tf.while_loop(lambda i: i < 3, lambda i: [i + 1], [tf.constant(0)], return_same_structure=True)
    g = tf.while_loop(lambda x: tf.reduce_sum(x) < 100.0, lambda x: x * 2.0, [np.array([1.0, 2.0], np.float32)])
    return [a, b[0], b[1], c[0], c[1].j, c[1].k, d[0], d[1], e, f[0], g]


def nested_loops():
    n = tf.constant(3, name="n")

    def inner(i, total):
        return tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + j * n), (tf.constant(0), total))[1]
    a = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, inner(i, t)), (tf.constant(0), tf.constant(0)))
    b = tf.while_loop(lambda i, t: i < 6,
                      lambda i, t: (i + 1, tf.cond(tf.equal(i % 2, 0), lambda: t + i, lambda: t * n)),
                      (tf.constant(0), tf.constant(1)))
    c = tf.cond(n > 2, lambda: tf.while_loop(lambda i: i < n, lambda i: i + 1, [0]), lambda: tf.constant(7))
    return list(a) + list(b) + [c]


def loop_dependencies():
    v = tf.Variable(0, name="v")
    start = tf.constant(1, name="start")
    with tf.control_dependencies([start]):
        def body(i):
            with tf.control_dependencies([v.assign_add(1)]):
                return tf.identity(i) + 1
        a = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    with tf.control_dependencies([a]):
        b = v.read_value()

    def waits(i):
        with tf.control_dependencies([start]):
            return tf.add(i, 1)
    c = tf.while_loop(lambda i: i < 3, waits, [tf.constant(0)])
    return [tf.global_variables_initializer(), b, c]


def tensor_arrays():
    ta = tf.TensorArray(tf.float32, size=3)
    ta = ta.write(0, 1.0).write(1, 2.0).write(2, tf.constant(3.0))
    a = ta.stack()
    tb = tf.TensorArray(tf.int32, size=0, dynamic_size=True, clear_after_read=False, tensor_array_name="mine")
    tb = tb.unstack([[1, 2], [3, 4]])
    b = tb.read(1) + tb.read(0)
    c, d = tb.gather([1, 0]), tb.concat()
    e = tb.size()
    tc = tf.TensorArray(tf.float32, 2, infer_shape=False).split(tf.constant([1.0, 2.0, 3.0]), [1, 2])
    f = tc.read(1)
    tc.close()
    td = tf.TensorArray(tf.float32, size=4, element_shape=[2])
    _, td = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t.write(i, [tf.cast(i, tf.float32), 1.0])), (0, td))
    te = tf.TensorArray(tf.float32, size=2).scatter([1, 0], [[1.0, 2.0], [3.0, 4.0]]).identity()
    return [a, b, c, d, e, f, td.stack(), te.stack()]


def functional():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], name="x")
    p = tf.placeholder_with_default(np.arange(4, dtype=np.float32), [None], name="p")
    a = tf.map_fn(lambda row: row * row, x)
    b = tf.map_fn(lambda pair: (pair[0] - pair[1], tf.cast(pair[1], tf.int32)), (p, p + 1.0), dtype=(tf.float32, tf.int32))
    c = tf.scan(lambda s, row: s + row, x)
    d = tf.scan(lambda s, row: (s[0] + row, s[1] * 2.0), p, initializer=(0.0, 1.0), reverse=True)
    e = tf.foldl(lambda s, row: s + row, x)
    f = tf.foldr(lambda s, v: s * 2.0 + v, p, initializer=1.0)
    g = tf.foldr(lambda s, row: s - row, x)
    h = tf.map_fn(lambda v: tf.cond(v > 1.0, lambda: v, lambda: -v), p, parallel_iterations=1, name="mine")
    return [a, b[0], b[1], c, d[0], d[1], e, f, g, h]


def composites():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 4])
    a = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)),
                      (0, sparse))[1]
    b = tf.cond(sparse.values[0] > 0.5, lambda: sparse, lambda: a)
    return [a.values, a.indices, b.values]


def resource_variables():
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=True)
    flag = tf.placeholder_with_default(True, [], name="flag")
    a = tf.cond(flag, lambda: v + 1.0, lambda: v * 2.0)
    b = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + v), (0, tf.zeros([2])))[1]
    c = tf.cond(flag, lambda: v.assign_add([1.0, 1.0], read_value=False), lambda: v.assign([5.0, 5.0], read_value=False))
    found = tf.gradients([a, b], [v])
    return [tf.global_variables_initializer(), a, b] + found + [c.op]


def program_functions():
    x = tf.constant([1.0, 2.0], name="x")
    a = tf.py_func(lambda v: v * 2, [x], tf.float32)
    b, c = tf.py_func(lambda v, w: (v + w, np.int64(7)), [x, 1.0], [tf.float32, tf.int64], stateful=False, name="mine")
    return [a, b, c, tf.numpy_function(np.sum, [x], tf.float32)]


def gates():
    x, y = tf.constant([1.0, 2.0], name="x"), tf.constant(3, name="y")
    a, none, b = tf.tuple([x, None, y], control_inputs=[tf.no_op()])
    assert none is None
    c = tf.identity_n([x, y])
    return [a, b, c[0], c[1]]


def assertions():
    x, i = tf.placeholder_with_default([1.0, 2.0], [2], name="x"), tf.placeholder_with_default(3, [], name="i")
    p = tf.placeholder_with_default([1.0], None, name="p")
    checks = [tf.Assert(tf.reduce_all(x > 0.0), [x]), tf.Assert(i > 0, ["text", i], summarize=5, name="mine"),
              tf.assert_equal(i, 3), tf.assert_less(x, 9.0, message="too large"), tf.assert_positive(x),
              tf.assert_non_negative(i), tf.assert_negative(-x), tf.assert_non_positive(-x), tf.assert_greater(i, 1),
              tf.assert_greater_equal(i, 1), tf.assert_less_equal(i, 4), tf.assert_none_equal(i, 4),
              tf.assert_near(x, [1.0, 2.0]), tf.assert_rank(x, 1), tf.assert_rank(p, 1), tf.assert_rank_at_least(p, 1),
              tf.assert_rank_in(p, (1, 2)), tf.assert_integer(i), tf.assert_type(x, tf.float32),
              tf.debugging.assert_equal(i, i)]
    with tf.control_dependencies(checks):
        y = tf.identity(x)
    return [y, tf.ensure_shape(p, [None]), tf.assert_scalar(i)]


def checks_of_shapes():
    known, some = tf.ones([2, 3], name="known"), tf.placeholder_with_default(tf.ones([2, 3, 4]), [None, 3, None], name="some")
    any_rank = tf.placeholder_with_default(tf.ones([4]), None, name="any_rank")
    check = tf.debugging.assert_shapes
    checks = [check([(known, ("N", 3))]), check([(known, ("N", "M")), (some, ("N", "M", "D"))], message="Ours"),
              check([(some, (..., "M", 4)), (known, ("*", "M"))], name="inner"), check([(any_rank, ["D"]), (some, [2, None, "D"])]),
              check([(some, [".", 3, "D"]), (any_rank, "D")], data=["no"], summarize=2), check([(tf.constant(1.0), ())])]
    for shapes in [(known, (2, 4))], [(known, (2,))], [(known, (2, "*"))], [(known, 2)], [(known, "NN")]:
        try:
            check(shapes)
        except ValueError:
            continue
        raise AssertionError("no error for %s" % shapes)
    with tf.control_dependencies(checks):
        return [tf.identity(known)]


def gradients_of_conditionals():
    x, w = tf.constant(3.0, name="x"), tf.Variable(2.0, name="w")
    y = tf.cond(x > 2.0, lambda: x * x * w, lambda: x + w)
    z = tf.cond(x > 5.0, lambda: x * w, lambda: tf.cond(w > 1.0, lambda: w * w, lambda: x))
    return [tf.global_variables_initializer()] + tf.gradients(y, [x, w]) + tf.gradients(z, [w])


def gradients_of_loops():
    x, w = tf.constant([1.0, 2.0], name="x"), tf.Variable([0.5, 0.25], name="w")
    y = tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, tf.tanh(s * w) + x), (0, x))[1]

    def nested(i, s):
        return i + 1, tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t * w), (0, s))[1]
    z = tf.while_loop(lambda i, s: i < 4, nested, (0, x))[1]
    m = tf.map_fn(lambda v: v * v * w[0], x)
    s = tf.scan(lambda a, v: a * v, x)
    f = tf.foldl(lambda a, v: a + v * w[1], x)
    u = tf.while_loop(lambda i, s: i < 3,
                      lambda i, s: (i + 1, tf.cond(tf.equal(i, 1), lambda: s * w, lambda: s + w)), (0, x))[1]
    found = tf.gradients(y, [x, w]) + tf.gradients(z, [x, w]) + tf.gradients(m, [x, w]) + tf.gradients(s, [x])
    return [tf.global_variables_initializer()] + found + tf.gradients(f, [w]) + tf.gradients(u, [x, w])


def loop_variables_made_inside():
    x = tf.ones([4, 2])

    def body(i, s):
        w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer())
        return i + 1, tf.matmul(s, w)
    y = tf.while_loop(lambda i, s: i < 3, body, (0, x))[1]

    def row(r):
        k = tf.get_variable("k", [2], initializer=tf.ones_initializer())
        return r * k
    z = tf.map_fn(row, x)
    g = tf.gradients(z, tf.trainable_variables()[1:])
    return [tf.global_variables_initializer(), y, z] + g


def devices():
    x = tf.constant([1.0, 2.0], name="x")
    v = tf.Variable([1.0, 1.0], name="v")
    with tf.device("/cpu:0"):
        a = tf.cond(x[0] > 0.0, lambda: x + v, lambda: x - v)
        b = tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s * v), (0, x))[1]
        ta = tf.TensorArray(tf.float32, 2).write(0, x).write(1, a)
    with tf.colocate_with(v):
        c = tf.cond(x[0] > 0.0, lambda: x * 2.0, lambda: v * 3.0)
    return [tf.global_variables_initializer(), a, b, c, ta.stack()]


def batch_statistics():
    training = tf.placeholder_with_default(True, [], name="training")
    x = tf.constant([[1.0, 2.0], [3.0, 6.0]], name="x")
    with tf.variable_scope("bn"):
        mean = tf.get_variable("mean", [2], initializer=tf.zeros_initializer(), trainable=False)
        batch = tf.reduce_mean(x, 0)
        def update():
            with tf.control_dependencies([tf.assign(mean, batch)]):
                return tf.identity(batch)
        m = tf.cond(training, update, lambda: mean)
    return [tf.global_variables_initializer(), m]


def nested_functional():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    y = tf.map_fn(lambda r: tf.map_fn(lambda v: v * v, r), x)
    z = tf.map_fn(lambda r: tf.foldl(lambda a, v: a + v, r), x)
    u = tf.scan(lambda a, r: tf.cond(tf.reduce_sum(r) > 4.0, lambda: a + r, lambda: a), x, initializer=tf.zeros([2]))
    return [y, z, u] + tf.gradients(y, x) + tf.gradients(z, x) + tf.gradients(u, x)


def collatz():
    def step(n, c):
        return tf.cond(tf.equal(n % 2, 0), lambda: n // 2, lambda: 3 * n + 1), c + 1
    return list(tf.while_loop(lambda n, c: n > 1, step, [tf.constant(27), tf.constant(0)], back_prop=False))


record([conditionals, nested_conditionals, conditional_updates, cases, loops, nested_loops, loop_dependencies,
        tensor_arrays, functional, composites, resource_variables, program_functions, gates, assertions, checks_of_shapes,
        gradients_of_conditionals, gradients_of_loops,
        loop_variables_made_inside, devices, batch_statistics, nested_functional, collatz])
