"""Graphs that stock TensorFlow and the package sluice must build alike, node for node.

graphs.py OUT: builds each with the module tensorflow, runs it, and writes {name: (GraphDef, [(dtype, shape, values)])}.
"""
import numpy as np

from recording import record, tf


def constants():
    return [tf.constant([1.0, 2.0, 3.0], shape=[3], name="a"), tf.constant("text"), tf.constant([[1, 2], [3, 4]]),
            tf.constant(True), tf.constant(2.5, dtype=tf.float64), tf.constant(7, shape=[2, 3]), tf.constant([1 + 2j]),
            tf.constant(np.arange(4, dtype=np.int64)), tf.constant([b"a", b"b"], name="a")]


def operators():
    a, b = tf.constant([1.0, 2.0, 4.0], name="a"), tf.constant([2.0, 3.0, 5.0], name="b")
    i = tf.constant([7, 8], name="i")
    return [a + b, a - 1, 2.0 * b, a / b, i // 2, i % 3, a ** 2.0, -a, abs(a), a < b, a >= 2.0, i / 2, 1 - a, 2.0 / a]


def functions():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    return [tf.add(x, x), tf.multiply(x, 2.0), tf.matmul(x, x), tf.matmul(x, x, transpose_b=True, name="product"),
            tf.square(x), tf.exp(x), tf.nn.relu(x - 2.0), tf.reduce_sum(x), tf.reduce_mean(x, 1),
            tf.reduce_max(x, axis=[0], keepdims=True), tf.argmax(x, 1), tf.cast(x, tf.int32), tf.zeros([2, 3]), tf.ones([2]),
            tf.equal(x, 2.0), tf.add_n([x, x, x]), tf.identity(x)]


def slices():
    x = tf.constant(np.arange(24).reshape(2, 3, 4), name="x")
    return [x[0], x[1, 2], x[:, 1], x[0, 1:3, ::2], x[..., 0], x[:, None, 1], x[-1, :2]]


def scopes():
    with tf.name_scope("outer"):
        a = tf.constant(1.0)
        with tf.name_scope("inner"):
            b = a + 1.0
        with tf.name_scope("inner"):
            c = b * a
    with tf.control_dependencies([a, b]):
        d = tf.identity(c, name="after")
        e = d + 1.0
    with tf.device("/cpu:0"):
        f = e * 2.0
    return [b, c, d, e, f]


def variables():
    v = tf.Variable(tf.ones([2, 2]), name="v")
    w = tf.Variable([1.0, 2.0])
    step = tf.Variable(0, trainable=False, name="step")
    y = tf.matmul(v, v) + v
    return [y, w * 2.0, step.assign_add(1), tf.global_variables_initializer()]


def variable_scopes():
    with tf.variable_scope("s"):
        a = tf.get_variable("a", [2, 3])
        z = tf.get_variable("z", [2], initializer=tf.zeros_initializer())
        c = tf.get_variable("c", initializer=tf.constant([1.0]))
        tf.get_variable("d", [2], initializer=tf.truncated_normal_initializer(stddev=0.1))
        e = tf.get_variable("e", [2], initializer=tf.constant_initializer(0.1))
        tf.get_variable("f", [2], initializer=tf.random_normal_initializer(seed=3))
        tf.get_variable("u", [2], initializer=tf.random_uniform_initializer(-1, 1))
        i = tf.get_variable("i", [2], tf.int32, trainable=False)
    with tf.variable_scope("s", reuse=True):
        tf.identity(tf.get_variable("a", [2, 3]))
    with tf.variable_scope("s") as scope:
        with tf.variable_scope("inner", initializer=tf.ones_initializer()):
            o = tf.get_variable("o", [2])
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        again = tf.get_variable("z") + 1.0
        tf.get_variable("new", [3])
    for _ in range(2):
        with tf.variable_scope(None, "layer"):
            tf.get_variable("w", [1]) * 2.0
    step = tf.train.get_or_create_global_step()
    assert [v.name for v in tf.trainable_variables()][:2] == ["s/a:0", "s/z:0"] and step is tf.train.get_global_step()
    return [tf.global_variables_initializer(), z, c, e, i, o, again, step]


def random_values():
    tf.random_normal([2], 1.0, 2.0), tf.truncated_normal([2], seed=5), tf.random_uniform([2])
    tf.random_uniform([2], -1.0, 3.0), tf.random_uniform([2], 0, 5, tf.int32), tf.random_uniform([2], maxval=2.0)
    tf.set_random_seed(3)
    tf.random_normal([2]), tf.random_normal([2], seed=4), tf.random_shuffle([1, 2, 3])
    return []


def arrays():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    p = tf.placeholder_with_default(tf.zeros([2, 2]), [None, 2], name="p")
    return [tf.shape(x), tf.shape(p), tf.rank(p), tf.reshape(p, [-1]), tf.concat([x, p], 0), tf.stack([x, x], axis=1),
            tf.transpose(x), tf.transpose(p, [1, 0]), tf.squeeze([[1.0]]), tf.split(x, 2, 1)[1], tf.split(x, [1, 1])[0],
            tf.fill([2, 2], 7), tf.slice(x, [0, 1], [2, 1]), tf.unstack(x)[1], tf.expand_dims(x, 0), tf.zeros_like(x), tf.zeros_like(p), tf.one_hot([0, 2], 3)]


def networks():
    image = tf.placeholder_with_default(np.linspace(-1, 1, 128, dtype=np.float32).reshape(2, 8, 8, 1), [None, 8, 8, 1])
    filters = tf.constant(np.linspace(-1, 1, 36, dtype=np.float32).reshape(3, 3, 1, 4), name="filters")
    x = tf.nn.conv2d(image, filters, strides=[1, 1, 1, 1], padding="SAME")
    x = tf.nn.relu(tf.nn.bias_add(x, tf.constant([0.1, 0.2, 0.3, 0.4])))
    x = tf.nn.max_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    y = tf.nn.avg_pool(x, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    logits = tf.reshape(y, [-1, 16])
    labels = tf.one_hot([3, 5], 16)
    tf.nn.dropout(logits, 0.5), tf.nn.dropout(logits, labels[0, 0])
    return [x, logits, tf.nn.softmax(logits), tf.nn.log_softmax(logits),
            tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits),
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[3, 5], logits=logits),
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
            tf.nn.xw_plus_b(logits, tf.ones([16, 2]), tf.ones([2])), tf.nn.l2_loss(logits)]


def layers():
    x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="x")
    y = tf.layers.conv2d(x, 4, 3, padding="same", activation=tf.nn.relu)
    y = tf.layers.max_pooling2d(y, 2, 2)
    y = tf.layers.conv2d(y, 2, [3, 3], strides=2, use_bias=False, name="named")
    y = tf.layers.average_pooling2d(y, [1, 1], 1)
    y = tf.layers.dropout(tf.layers.flatten(y), 0.4)
    y = tf.layers.dropout(y, 0.4, training=True)
    tf.layers.dense(y, 3, activation=tf.nn.relu), tf.layers.dense(y, 2), tf.layers.dense(y, 2, name="one")
    tf.layers.dense(y, 2, name="one", reuse=True)
    return []


def decays():
    step = tf.Variable(7, trainable=False)
    return [tf.global_variables_initializer(), tf.train.exponential_decay(0.1, step, 10, 0.5),
            tf.train.exponential_decay(0.1, step, 2, 0.5, staircase=True)]


def summaries():
    w = tf.Variable([1.0, 2.0], name="w")
    tf.summary.scalar("loss (a)", w[0])
    tf.summary.histogram("b/c", w)
    return [tf.global_variables_initializer(), tf.summary.merge_all()]


def uninitialized():
    tf.Variable([1.0, 2.0], name="w"), tf.Variable(1, name="v")
    return [tf.report_uninitialized_variables(), tf.boolean_mask([[1, 2], [3, 4]], [True, False])]


def savers():
    with tf.device("/cpu:0"):
        tf.Variable([1.0, 2.0], name="w")
    v = tf.Variable(3, name="v")
    tf.train.Saver()
    tf.train.Saver([v], name="mine")
    tf.train.Saver(sharded=True, max_to_keep=2)
    return []


def optimizers():
    fetches = []
    for i, optimizer in enumerate((
            tf.train.GradientDescentOptimizer(0.1), tf.train.AdagradOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9),
            tf.train.AdadeltaOptimizer(0.1), tf.train.RMSPropOptimizer(0.1), tf.train.AdamOptimizer(0.1))):
        w = tf.Variable([1.0, 2.0], name="w%d" % i)
        b = tf.Variable(0.5, name="b%d" % i)
        step = tf.Variable(0, trainable=False, name="step%d" % i)
        train = optimizer.minimize(tf.square(w * 3.0 + b - 2.0), global_step=step, var_list=[w, b])
        fetches.append((train, w, b, step))
    trains = [f[0] for f in fetches]
    return [tf.global_variables_initializer()] + trains + trains + [v for f in fetches for v in f[1:]]


def sparse_updates():
    fetches = []
    for i, optimizer in enumerate((
            tf.train.GradientDescentOptimizer(0.1), tf.train.AdagradOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9),
            tf.train.AdamOptimizer(0.1))):
        w = tf.Variable([[1.0], [2.0], [3.0]], name="w%d" % i)
        rows = tf.IndexedSlices(tf.constant([[1.0], [2.0], [1.0]]), tf.constant([0, 2, 0]), tf.constant([3, 1]))
        fetches.append((optimizer.apply_gradients([(rows, w)]), w))
    trains = [f[0] for f in fetches]
    return [tf.global_variables_initializer()] + trains + trains + [f[1] for f in fetches]


def replicas():
    cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=cluster)):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", [2, 1], initializer=tf.zeros_initializer())
        b = tf.Variable(tf.zeros([1]), name="b")
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
        tf.train.AdamOptimizer().minimize(loss, global_step=step)
        tf.train.Saver(sharded=True)
        tf.global_variables_initializer()
    return []


def synchronous_replicas():
    with tf.device(tf.train.replica_device_setter(cluster={"ps": ["a:1"], "worker": ["b:1", "c:1"]})):
        w, step = tf.Variable(1.0, name="w"), tf.Variable(0, trainable=False, name="step")
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=2,
                                                   total_num_replicas=2)
        optimizer.minimize(w * w, global_step=step)
        optimizer.get_init_tokens_op(0), optimizer.get_init_tokens_op()
        assert optimizer.get_chief_queue_runner().enqueue_ops[0].name == "sync_token_q_EnqueueMany"
    return []


def input_pipelines():
    queue = tf.train.string_input_producer(["a.tfrecords"])
    _, record = tf.TFRecordReader().read(queue)
    features = tf.parse_single_example(record, features={"image_raw": tf.FixedLenFeature([], tf.string),
                                                         "label": tf.FixedLenFeature([], tf.int64)})
    image = tf.cast(tf.reshape(tf.decode_raw(features["image_raw"], tf.uint8), [784]), tf.float32)
    tf.train.shuffle_batch([image, tf.cast(features["label"], tf.int32)], batch_size=10, capacity=60, min_after_dequeue=30)
    tf.train.batch([image], batch_size=10)
    return []


if __name__ == "__main__":
    record((constants, operators, functions, slices, scopes, variables, variable_scopes, random_values, arrays,
            networks, layers, decays, summaries, uninitialized, savers, optimizers, sparse_updates, replicas,
            synchronous_replicas, input_pipelines))
