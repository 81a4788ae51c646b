#!/usr/bin/env python3
"""Records recurrent layers as TensorFlow's Python library builds them."""
import tensorflow.compat.v1 as tf

from listing import write, write_values

tf.disable_control_flow_v2()
cells = tf.nn.rnn_cell


def dynamic():
    x = tf.placeholder(tf.float32, [None, 7, 3], name="x")
    n = tf.placeholder(tf.int64, [None], name="n")
    tf.nn.dynamic_rnn(cells.BasicLSTMCell(4), x, dtype=tf.float32)
    y, s = tf.nn.dynamic_rnn(cells.GRUCell(4), x, sequence_length=n, dtype=tf.float32, scope="gru")
    t = tf.placeholder(tf.float32, [7, 2, 3], name="t")
    h = tf.placeholder(tf.float32, [2, 5], name="h")
    tf.nn.dynamic_rnn(cells.BasicRNNCell(5), t, initial_state=h, time_major=True, scope="time", parallel_iterations=8)
    stack = cells.MultiRNNCell([cells.LSTMCell(4, use_peepholes=True, num_proj=2, cell_clip=3.0, proj_clip=1.0),
                                cells.LSTMCell(6, forget_bias=0.5)])
    tf.nn.dynamic_rnn(stack, x, dtype=tf.float32, scope="stack")


def both_ways():
    x = tf.placeholder(tf.float32, [None, 7, 3], name="x")
    n = tf.placeholder(tf.int32, [None], name="n")
    tf.nn.bidirectional_dynamic_rnn(cells.LSTMCell(4), cells.LSTMCell(4), x, sequence_length=n, dtype=tf.float32)
    t = tf.placeholder(tf.float32, [7, 2, 3], name="t")
    tf.nn.bidirectional_dynamic_rnn(cells.BasicRNNCell(4), cells.BasicRNNCell(4), t, dtype=tf.float32,
                                    time_major=True, scope="plain")


def static():
    xs = [tf.placeholder(tf.float32, [None, 3], name="x%d" % i) for i in range(3)]
    n = tf.placeholder(tf.int32, [None], name="n")
    tf.nn.static_rnn(cells.BasicLSTMCell(4), xs, dtype=tf.float32)
    tf.nn.static_rnn(cells.GRUCell(4), xs[:2], sequence_length=n, dtype=tf.float32, scope="lengths")
    cell = cells.DropoutWrapper(cells.BasicLSTMCell(4), 0.75, 0.5, 0.25)
    tf.nn.static_rnn(cells.MultiRNNCell([cell, cells.BasicRNNCell(2)]), xs[:2], dtype=tf.float32, scope="drop")


def variational():
    x = tf.placeholder(tf.float32, [2, 5, 3], name="x")
    cell = cells.DropoutWrapper(cells.BasicLSTMCell(4), 0.5, 0.625, 0.75, variational_recurrent=True, input_size=3,
                                dtype=tf.float32)
    tf.nn.dynamic_rnn(cell, x, dtype=tf.float32)
    cell = cells.DropoutWrapper(cells.GRUCell(4), output_keep_prob=0.25, variational_recurrent=True, dtype=tf.float32)
    steps = [tf.placeholder(tf.float32, [2, 3], name="x%d" % i) for i in range(2)]
    tf.nn.static_rnn(cell, steps, dtype=tf.float32, scope="static")


def replica():
    """A worker's graph: variables on the ps tasks."""
    setter = tf.train.replica_device_setter(
        cluster={"ps": ["a:1", "b:2"], "worker": ["c0:1", "c1:1"]}, worker_device="/job:worker/task:1")
    with tf.device(setter):
        x = tf.placeholder(tf.float32, [None, 7, 3], name="x")
        n = tf.placeholder(tf.int32, [None], name="n")
        tf.nn.dynamic_rnn(cells.LSTMCell(4), x, sequence_length=n, dtype=tf.float32)


def devices():
    """Layers on different devices."""
    x = tf.placeholder(tf.float32, [None, 7, 3], name="x")
    n = tf.placeholder(tf.int32, [None], name="n")
    layers = [cells.DeviceWrapper(cells.BasicLSTMCell(4), "/cpu:0"), cells.DeviceWrapper(cells.GRUCell(4), "/cpu:1")]
    tf.nn.dynamic_rnn(cells.MultiRNNCell(layers), x, sequence_length=n, dtype=tf.float32)
    steps = [tf.placeholder(tf.float32, [2, 3], name="x%d" % i) for i in range(2)]
    with tf.device("/job:worker/task:1"):
        cell = cells.DropoutWrapper(cells.DeviceWrapper(cells.LSTMCell(4), "/cpu:1"), output_keep_prob=0.5)
        tf.nn.static_rnn(cell, steps, dtype=tf.float32, scope="static")


# Nodes that nothing takes are left out.
UNUSED = ("Const", "ExpandDims", "ConcatV2", "Fill", "StridedSlice", "Shape", "Min")
write("rnn_dynamic", dynamic, unused=UNUSED)
write("rnn_both_ways", both_ways, unused=UNUSED)
write("rnn_static", static, unused=UNUSED)
write("rnn_variational", variational, unused=UNUSED)
write("rnn_replica", replica, unused=UNUSED)
write("rnn_devices", devices, unused=UNUSED)


# --- Values ---

def network(make, static=False, **options):
    """Of a batch of 2, the second sequence shorter than the first."""
    def build():
        x = tf.get_variable("x", [2, 4, 3])
        if static:
            outputs, state = tf.nn.static_rnn(make(), tf.unstack(x, axis=1), dtype=tf.float32, **options)
            return outputs + tf.nest.flatten(state)
        outputs, state = tf.nn.dynamic_rnn(make(), x, dtype=tf.float32, **options)
        return [outputs] + tf.nest.flatten(state)
    return build


def both():
    x = tf.get_variable("x", [2, 4, 3])
    outputs, states = tf.nn.bidirectional_dynamic_rnn(cells.LSTMCell(2), cells.GRUCell(2), x, sequence_length=[4, 2],
                                                      dtype=tf.float32)
    return list(outputs) + tf.nest.flatten(states)


def stack():
    return cells.MultiRNNCell([cells.LSTMCell(3, use_peepholes=True, num_proj=2, cell_clip=0.5, proj_clip=0.3),
                               cells.BasicLSTMCell(2, forget_bias=0.0)])


def initial():
    x = tf.get_variable("x", [4, 2, 3])
    h = tf.get_variable("h", [2, 2])
    outputs, state = tf.nn.dynamic_rnn(cells.BasicRNNCell(2, activation=tf.nn.relu), x, initial_state=h,
                                       time_major=True)
    return [outputs, state]


write_values("rnn_values", [
    ("basic_rnn", network(lambda: cells.BasicRNNCell(2))),
    ("basic_lstm", network(lambda: cells.BasicLSTMCell(2), sequence_length=[4, 2])),
    ("gru", network(lambda: cells.GRUCell(2), sequence_length=[3, 0])),
    ("stack", network(stack, sequence_length=[4, 3])),
    ("static", network(lambda: cells.LSTMCell(2), static=True)),
    ("static_lengths", network(lambda: cells.GRUCell(2), static=True, sequence_length=[3, 1])),
    ("both", both),
    ("initial", initial),
])
