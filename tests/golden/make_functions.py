#!/usr/bin/env python3
"""Records golden cases of functions (cases/functions), of conditionals and loops with functions that are lowered
(cases/control_flow_v2), and of those that are not (cases/functional_ops), as TensorFlow runs them."""
import os

import tensorflow.compat.v1 as tf
from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_functional_ops, gen_dataset_ops

import make_cases


class Case(make_cases.Case):
    def write(self):
        super().write()
        # Sluice infers no shapes through calls of functions, nor of what follows them.
        path = os.path.join(self.folder, "graph.shapes.txt")
        with open(path) as shapes:
            lines = shapes.readlines()
        calls, pending = set(), [op for op in self.graph.get_operations() if "PartitionedCall" in op.type]
        while pending:
            op = pending.pop()
            if op.name not in calls:
                calls.add(op.name)
                pending += [reader for value in op.outputs for reader in value.consumers()]
        with open(path, "w") as out:
            out.writelines(line for line in lines if line.rpartition(":")[0].split(":")[0] not in calls)


def functions():
    case = Case("functions")

    def defun():
        @function.Defun(tf.float32, tf.float32)
        def product(x, y):
            return x * y + 1.0, x - y

        @function.Defun(tf.float32, noinline=True)
        def twice(x):
            return x + x
        a, b = product(tf.constant([2.0, 3.0]), tf.constant([4.0, 5.0]))
        return [a, b, twice(a), twice(twice(b))]
    case.run(defun)

    def nested():
        x = tf.placeholder(tf.float32, [2], name="x")

        @tf.function
        def inner(v):
            return v * v, tf.reduce_sum(v)

        @tf.function
        def outer(v):
            a, b = inner(v)
            return inner(a)[0] + b
        return x, outer(x)
    with case.graph.as_default():
        x, y = nested()
        gradient = tf.gradients(y, x)[0]
    case.again([y, gradient], {x: [1.0, 2.0]})
    case.again([y], {x: [-3.0, 0.5]})

    def symbolic_gradient():
        @function.Defun(tf.float32, tf.float32)
        def f(v, w):
            return tf.sin(v) * w, tf.reduce_sum(v)
        v, w = tf.constant([0.5, 1.5]), tf.constant(2.0)
        a, b = f(v, w)
        return [a, b] + tf.gradients([a, b], [v, w])
    case.run(symbolic_gradient)

    def given_gradient():
        @function.Defun(tf.float32, tf.float32)
        def backward(v, dy):
            return 10.0 * v * dy

        @function.Defun(tf.float32, grad_func=backward)
        def forward(v):
            return v * v
        v = tf.constant([1.0, 2.0])
        return tf.gradients(forward(v), v)
    case.run(given_gradient)

    def loop_in_function():
        @function.Defun(tf.float32)
        def f(v):
            return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2.0), [0, v])[1]
        return [f(tf.constant(1.5))]
    case.run(loop_in_function)

    # Calls in loops and branches of v1 run only where and when these do.
    with case.graph.as_default():
        p = tf.placeholder(tf.bool, [], name="p")

        @function.Defun(tf.int32)
        def refuse(v):
            with tf.control_dependencies([tf.Assert(False, [42])]):
                return tf.identity(v)

        @tf.function
        def bad(v):
            return tf.debugging.check_numerics(tf.constant(1.0) / tf.constant(0.0), "bad") * v

        @tf.function
        def more(v):
            return v + tf.constant(1.0)

        @tf.function
        def most(v):
            return more(v * 2.0) + more(v)
        three, two = tf.constant(3), tf.constant(2.0)
        branch = tf.cond(p, lambda: three + 1, lambda: refuse(three))
        loop = tf.while_loop(lambda v: p, lambda v: tf.reshape(refuse(v), []), [three])
        constant = tf.cond(p, lambda: two, lambda: bad(two))
        nested = tf.while_loop(lambda i, v: i < 4,
                               lambda i, v: (i + 1, tf.cond(v > 5.0, lambda: most(v), lambda: more(v))), [0, 1.0])
    for truth in (True, False):
        for fetch in (branch, loop, constant):
            case.again([fetch], {p: truth})
    case.again(list(nested))

    def error():
        @function.Defun(tf.float32)
        def f(v):
            return tf.debugging.check_numerics(v / 0.0, "not a number")
        return [f(tf.constant(1.0))]
    case.run(error)
    case.write()


def control_flow_v2():
    tf.enable_control_flow_v2()
    case = Case("control_flow_v2")
    with case.graph.as_default():
        x = tf.placeholder(tf.float32, [], name="x")
        n = tf.placeholder(tf.int32, [], name="n")
        one = tf.cond(x > 2.0, lambda: x * 2.0, lambda: x - 1.0)
        two = tf.cond(x > 2.0, lambda: (x, tf.constant(1)), lambda: (x * x, tf.constant(2)))
        loop = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x + 1.0), [tf.constant(0), x])
        mixed = tf.while_loop(lambda i, a: i < n,
                              lambda i, a: (i + 1, tf.cond(a > 3.0, lambda: a * x, lambda: a + x)),
                              [tf.constant(0), tf.constant(1.0)])[1]
        within = tf.cond(x > 2.0, lambda: tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, 1.0])[1],
                         lambda: x)
        chosen = tf.switch_case(n, [lambda: x, lambda: x * 10.0, lambda: x * 100.0])
        gradients = tf.gradients(one, x) + tf.gradients(loop[1], x) + tf.gradients(mixed, x) + tf.gradients(chosen, x)
        mapped = tf.map_fn(lambda v: v * x, tf.constant([1.0, 2.0, 3.0]))
    for value, count in ((3.0, 4), (1.5, 2), (2.5, 0), (-1.0, 7)):
        case.again([one, two[0], two[1], loop[0], loop[1], mixed, chosen, mapped] + gradients, {x: value, n: count})
        case.again([within], {x: value, n: count})

    def state():
        v = tf.get_variable("v", initializer=1.0, use_resource=True)

        def body(i):
            with tf.control_dependencies([v.assign_add(2.0)]):
                return i + 1
        with tf.control_dependencies([v.initializer]):
            end = tf.while_loop(lambda i: i < 5, body, [tf.constant(0)])
        with tf.control_dependencies([end]):
            changed = tf.cond(end > 4, lambda: v.assign_add(100.0), lambda: v.assign_add(1000.0))
        with tf.control_dependencies([changed]):
            return [v.read_value(), end]
    case.run(state)

    def fails():
        return [tf.cond(x > 2.0, lambda: tf.debugging.check_numerics(x / 0.0, "branch"), lambda: x)]
    with case.graph.as_default():
        failing = fails()
    case.again(failing, {x: 3.0})
    case.again(failing, {x: 1.0})
    case.write()


def functional():
    case = Case("functional_ops")
    with case.graph.as_default():
        @function.Defun(tf.float32)
        def double(v):
            return v * 2.0

        @function.Defun(tf.float32)
        def less(v):
            return v - 1.0

        @function.Defun(tf.int32, tf.float32)
        def add(i, v):
            return v + tf.cast(i, tf.float32)

        @function.Defun(tf.int32, tf.float32)
        def goes_on(i, v):
            return i < 5

        @function.Defun(tf.int32, tf.float32)
        def step(i, v):
            return i + 1, v * 2.0

        @function.Defun(tf.float32, tf.float32)
        def row(v, c):
            return v * c, tf.reduce_sum(v)
        v, flag, index = tf.constant(5.0), tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
        word = tf.placeholder(tf.string, [])
        limit = tf.placeholder(tf.int32, [])
        chosen = functional_ops.If(flag, [v], double, less) + functional_ops.If(word, [v], double, less) + \
            functional_ops.If(index, [v], double, less)
        cases = gen_functional_ops.case(index, [v], [tf.float32], [double, less, double])
        loop = functional_ops.While([tf.constant(0), v], goes_on, step)
        counted = functional_ops.For(0, limit, 1, [v], add) + functional_ops.For(7, limit, -2, [v], add)
        remote = functional_ops.remote_call(args=[v], Tout=[tf.float32], f=double, target="/cpu:0")
        rows = gen_dataset_ops.map_defun([tf.constant([[1.0, 2.0], [3.0, 4.0]])], [tf.constant(10.0)],
                                         [tf.float32, tf.float32], [[2], []], row)
        fake = gen_functional_ops.fake_param(tf.float32, [0, 3])
        place = gen_functional_ops.device_index(["GPU", "CPU"])
    for truth, number, text, end in ((True, 0, b"a", 5), (False, 2, b"", 0), (True, -3, b"", 7), (False, 9, b"x", 1)):
        case.again(chosen + list(cases), {flag: truth, index: number, word: text})
        case.again(counted[:1], {limit: end})
        case.again(counted[1:], {limit: end})
    case.again(counted[:1], {limit: -1})
    case.again(list(loop) + list(remote) + list(rows) + [fake, place])
    case.write()


if __name__ == "__main__":
    functions()
    functional()
    control_flow_v2()
