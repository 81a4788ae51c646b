"""Functions of a graph: Defun and tf.function, with variables, nested, recursive, and their errors."""
import pytest
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import function

from helpers import PS0, PS1, raises, same


def test_defun(target):
    def build():
        @function.Defun(tf.float32, tf.float32)
        def product(x, y):
            return x * y + 1.0, x - y
        return product(tf.constant([2.0, 3.0]), tf.constant([4.0, 5.0]))
    same(target, build)


def test_defun_of_several_types(target):
    def build():
        @function.Defun(tf.int64)
        def twice(x):
            return x + x

        @function.Defun(tf.int64)
        def four(x):
            return twice(twice(x))
        return four(tf.constant([1, 2], tf.int64))
    same(target, build)


def test_tf_function(target):
    def build():
        @tf.function
        def inner(x):
            return x * x

        @tf.function
        def outer(x, y):
            return inner(x) + inner(inner(y)), tf.reduce_sum(x)
        return outer(tf.constant([1.0, 2.0]), tf.constant(3.0))
    same(target, build)


def test_function_with_variable_on_ps(target):
    def build():
        with tf.device(PS0):
            v = tf.get_variable("v", initializer=1.0, use_resource=True)

        @tf.function
        def add(x):
            v.assign_add(x)
            return v.read_value()
        a = add(tf.constant(2.0))
        with tf.control_dependencies([a]):
            b = add(tf.constant(3.0))
        return b
    g = tf.Graph()
    with g.as_default():
        out = build()
        init = tf.global_variables_initializer()
    with tf.Session(target, graph=g) as s:
        s.run(init)
        assert s.run(out) == 6.0
        assert s.run(out) == 11.0


def test_functions_of_an_extended_graph(rs):
    @tf.function
    def square(x):
        return x * x
    a = square(tf.constant(3.0))
    s = rs()
    assert s.run(a) == 9.0

    @tf.function
    def cube(x):
        return square(x) * x
    assert s.run(cube(a)) == 729.0


def test_error_in_a_function(rs):
    @function.Defun(tf.float32)
    def check(x):
        return tf.debugging.check_numerics(x / 0.0, "not a number")
    s = rs()
    with raises(tf.errors.InvalidArgumentError, "not a number : Tensor had Inf values"):
        s.run(check(tf.constant(1.0)))


@pytest.fixture
def v2():
    """Conditionals and loops as functions, as tf.enable_control_flow_v2() makes them."""
    tf.enable_control_flow_v2()
    yield
    tf.disable_control_flow_v2()


def test_cond_v2(target, v2):
    def build():
        x = tf.placeholder_with_default(3.0, [])
        a = tf.cond(x > 2.0, lambda: x * 2.0, lambda: x - 1.0)
        b = tf.cond(x > 5.0, lambda: (x * 2.0, x), lambda: (x - 1.0, x + 1.0))
        return [a, b] + tf.gradients([a, b[0]], x)
    same(target, build)


def test_while_v2(target, v2):
    def build():
        x = tf.constant(2.0)
        y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, tf.cond(a > 3.0, lambda: a * x, lambda: a + x)),
                          [0, 1.0])
        return list(y) + tf.gradients(y[1], x)
    same(target, build)


def test_case_v2(target, v2):
    def build():
        branches = [lambda: tf.constant(1.0), lambda: tf.constant(2.0), lambda: tf.constant(3.0)]
        return [tf.switch_case(tf.constant(i), branches) for i in (0, 1, 2, 7, -1)]
    same(target, build)


def test_map_fn_v2(target, v2):
    def build():
        return tf.map_fn(lambda a: a * 2.0, tf.constant([1.0, 2.0, 3.0]))
    same(target, build)


def test_loop_with_variables_on_two_tasks(rs, v2):
    with tf.device(PS0):
        a = tf.get_variable("a", initializer=1.0, use_resource=True)
    with tf.device(PS1):
        b = tf.get_variable("b", initializer=10.0, use_resource=True)

    def body(i):
        with tf.control_dependencies([a.assign_add(1.0), b.assign_add(a.read_value())]):
            return i + 1
    end = tf.while_loop(lambda i: i < 3, body, [tf.constant(0)])
    s = rs()
    s.run(tf.global_variables_initializer())
    assert s.run(end) == 3
    assert s.run(a) == 4.0
    chosen = tf.cond(a > 100.0, lambda: a.assign(0.0), lambda: b.assign(7.0))
    assert s.run(chosen) == 7.0
    assert s.run([a, b]) == [4.0, 7.0]


def test_call_is_fed_and_fetched_by_its_name(rs):
    @tf.function
    def twice(x):
        return x * 2.0
    call = twice(tf.constant(3.0))
    if call.op.type == "Identity":
        call = call.op.inputs[0]
    after = call + 1.0
    s = rs()
    assert s.run(call.op.name + ":0") == 6.0
    assert s.run(after) == 7.0
    assert s.run(after, {call: 100.0}) == 101.0
    assert s.run(call.op) is None


def test_call_waits_for_all_inputs(rs):
    """The second call waits for the first one through an argument only."""
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def add(x):
        before = v.read_value()
        v.assign_add(x)
        return before
    with tf.control_dependencies([add(tf.constant(2.0))]):
        x = tf.constant(0.0)
    second = add(x) + 0.0
    s = rs()
    s.run(tf.global_variables_initializer())
    assert s.run(second) == 3.0


def test_trace_shows_the_body(rs):
    @function.Defun(tf.float32, noinline=True)
    def square(x):
        return tf.multiply(x, x, name="inside")
    y = square(tf.placeholder_with_default(3.0, []))
    metadata = tf.RunMetadata()
    assert rs().run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata) == 9.0
    names = [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]
    assert any("inside" in name for name in names), names


def test_symbolic_gradient(target):
    def build():
        @function.Defun(tf.float32, tf.float32)
        def f(v, w):
            return tf.sin(v) * w, tf.reduce_sum(v)
        v, w = tf.constant([0.5, 1.5]), tf.constant(2.0)
        a, b = f(v, w)
        return [a, b] + tf.gradients([a, b], [v, w])
    same(target, build)


def test_training_through_a_function(rs):
    with tf.device(PS0):
        v = tf.get_variable("v", initializer=1.0, use_resource=True)

    @tf.function
    def loss(x):
        return (v * x - 3.0) ** 2
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss(tf.constant(2.0)))
    s = rs()
    s.run(tf.global_variables_initializer())
    s.run(train)
    assert abs(s.run(v) - 1.4) < 1e-6
