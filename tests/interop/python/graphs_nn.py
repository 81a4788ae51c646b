"""Networks, layers, losses, metrics, optimizers and variables that stock TensorFlow and the package must build alike."""
import numpy as np

from recording import record, tf


def image(batch=2, height=8, width=8, channels=3):
    values = np.arange(batch * height * width * channels, dtype=np.float32) % 7 - 3
    return tf.constant(values.reshape(batch, height, width, channels), name="image")


def convolutions():
    x = image()
    k = tf.constant(np.arange(3 * 3 * 3 * 2, dtype=np.float32).reshape(3, 3, 3, 2) % 5 - 2, name="k")
    line = tf.constant(np.arange(2 * 9 * 3, dtype=np.float32).reshape(2, 9, 3) % 4, name="line")
    lk = tf.constant(np.ones([3, 3, 2], np.float32), name="lk")
    cube = tf.constant(np.ones([1, 4, 4, 4, 2], np.float32), name="cube")
    ck = tf.constant(np.ones([2, 2, 2, 2, 3], np.float32), name="ck")
    made = tf.nn.conv2d(x, k, [1, 2, 2, 1], "SAME")
    depth = tf.constant(np.ones([3, 3, 3, 1], np.float32), name="depth")
    point = tf.constant(np.ones([1, 1, 3, 4], np.float32), name="point")
    unknown = tf.placeholder_with_default(x, [None, None, None, 3])
    return [made, tf.nn.conv1d(line, lk, 1, "SAME"), tf.nn.conv3d(cube, ck, [1, 1, 1, 1, 1], "VALID"),
            tf.nn.convolution(x, k, "SAME"), tf.nn.convolution(x, k, "VALID", dilation_rate=[2, 2]),
            tf.nn.convolution(x, k, "SAME", dilation_rate=[2, 3]), tf.nn.atrous_conv2d(x, k, 2, "SAME"),
            tf.nn.convolution(unknown, k, "SAME", dilation_rate=[2, 2]),
            tf.nn.conv2d_transpose(made, k, [2, 8, 8, 3], [1, 2, 2, 1]),
            tf.nn.conv3d_transpose(tf.nn.conv3d(cube, ck, [1, 1, 1, 1, 1], "VALID"), ck, [1, 4, 4, 4, 2], [1, 1, 1, 1, 1],
                                   "VALID"),
            tf.nn.depthwise_conv2d(x, depth, [1, 1, 1, 1], "SAME"),
            tf.nn.depthwise_conv2d(x, depth, [1, 1, 1, 1], "SAME", rate=[2, 2]),
            tf.nn.separable_conv2d(x, depth, point, [1, 1, 1, 1], "SAME")]


def pooling():
    x = image()
    line = tf.constant(np.arange(2 * 9 * 3, dtype=np.float32).reshape(2, 9, 3), name="line")
    cube = tf.constant(np.arange(64, dtype=np.float32).reshape(1, 4, 4, 4, 1), name="cube")
    return [tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"), tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 1, 1, 1], "VALID"),
            tf.nn.max_pool2d(x, 2, 2, "VALID"), tf.nn.max_pool1d(line, 2, 2, "VALID"), tf.nn.avg_pool1d(line, 2, 1, "SAME"),
            tf.nn.max_pool3d(cube, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"),
            tf.nn.avg_pool3d(cube, [1, 2, 2, 2, 1], [1, 2, 2, 2, 1], "SAME"),
            tf.nn.max_pool_with_argmax(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME").output]


def activations():
    x = tf.constant([[-2.0, -0.5, 0.0], [1.0, 3.0, 8.0]], name="x")
    rank3 = tf.constant(np.arange(24, dtype=np.float32).reshape(2, 3, 4), name="rank3")
    return [tf.nn.relu(x), tf.nn.relu6(x), tf.nn.elu(x), tf.nn.selu(x), tf.nn.crelu(x), tf.nn.leaky_relu(x),
            tf.nn.leaky_relu(x, 0.1, name="leaky"), tf.nn.softplus(x), tf.nn.softsign(x), tf.nn.tanh(x), tf.nn.sigmoid(x),
            tf.nn.softmax(x), tf.nn.softmax(rank3, axis=1), tf.nn.log_softmax(x), tf.nn.log_softmax(rank3, axis=0),
            tf.nn.l2_loss(x), tf.nn.lrn(tf.reshape(rank3, [1, 2, 3, 4])), tf.nn.bias_add(x, [1.0, 2.0, 3.0]),
            tf.nn.relu_layer(x, tf.ones([3, 2]), tf.zeros([2])), tf.nn.xw_plus_b(x, tf.ones([3, 2]), tf.zeros([2]))]


def normalisation():
    x = image()
    flat = tf.constant([[1.0, 2.0, 3.0], [4.0, 6.0, 8.0]], name="flat")
    mean, variance = tf.nn.moments(x, [0, 1, 2])
    fused = tf.nn.fused_batch_norm(x, tf.ones([3]), tf.zeros([3]))
    weighted = tf.nn.weighted_moments(flat, [0], tf.constant([[1.0], [2.0]]))
    counts, sums, squares, shift = tf.nn.sufficient_statistics(flat, [0])
    return [mean, variance, *tf.nn.moments(flat, [1], keep_dims=True), *fused, *weighted,
            tf.nn.batch_normalization(x, mean, variance, None, tf.ones([3]), 1e-3),
            tf.nn.batch_normalization(x, mean, variance, tf.ones([3]), None, 1e-3),
            *tf.nn.normalize_moments(counts, sums, squares, shift), tf.nn.l2_normalize(flat, 1),
            tf.nn.zero_fraction(flat), *tf.nn.top_k(flat, 2), tf.nn.in_top_k(flat, [2, 0], 1),
            tf.math.divide_no_nan(flat, [1.0, 0.0, 2.0])]


def cross_entropies():
    logits = tf.constant([[1.0, 2.0, 3.0], [0.5, 0.0, -1.0]], name="logits")
    labels = tf.constant([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], name="labels")
    return [tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits),
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=0),
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[2, 0], logits=logits),
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
            tf.nn.weighted_cross_entropy_with_logits(labels=labels, logits=logits, pos_weight=2.0),
            tf.nn.log_poisson_loss(labels, logits), tf.nn.log_poisson_loss(labels, logits, compute_full_loss=True)]


def clipping():
    a, b = tf.constant([[3.0, 4.0], [0.0, 0.0]], name="a"), tf.constant([1.0, -2.0], name="b")
    clipped, norm = tf.clip_by_global_norm([a, None, b], 2.0)
    return [tf.clip_by_value(a, -1.0, 2.0), tf.clip_by_norm(a, 2.0), tf.clip_by_norm(a, 2.0, axes=[1]), clipped[0],
            clipped[2], norm, tf.global_norm([a, b]), tf.clip_by_average_norm(b, 0.5)]


def selection():
    x = tf.constant(np.arange(12, dtype=np.float32).reshape(3, 4), name="x")
    p = tf.placeholder_with_default(x, [None, 4])
    return [tf.gather(x, [0, 2]), tf.gather(x, [1], axis=1), tf.where(x > 5.0), tf.where(x > 5.0, x, -x), tf.size(x),
            tf.size(p), tf.ones_like(x), tf.ones_like(p), tf.pad(x, [[1, 0], [0, 2]]),
            tf.pad(x, [[1, 1], [0, 0]], "REFLECT"), tf.pad(x, [[1, 0], [0, 2]], constant_values=9.0),
            tf.sequence_mask([1, 3, 2]), tf.sequence_mask([1, 3, 2], 4, tf.float32), tf.boolean_mask(x, [True, False, True]),
            tf.reverse_sequence(x, tf.constant([1, 4, 2]), seq_axis=1, batch_axis=0), tf.tensordot(x, tf.ones([4, 2]), 1),
            tf.tensordot(p, tf.ones([4, 2, 3]), [[1], [0]]), tf.stack([[1, 2], [3, 4]]), tf.stack([x, x]),
            tf.stack([1.0, x[0, 0]])]


def embeddings():
    table = tf.get_variable("table", initializer=np.arange(20, dtype=np.float32).reshape(10, 2))
    parts = [tf.constant(np.arange(8, dtype=np.float32).reshape(4, 2) + 100 * i) for i in range(2)]
    ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 3, 2], tf.int64), [3, 2])
    weights = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, 0.5], [3, 2])
    init = tf.global_variables_initializer()
    return [init, tf.nn.embedding_lookup(table, [[1, 2], [9, 0]]), tf.nn.embedding_lookup(table, [1, 2], max_norm=1.0),
            tf.nn.embedding_lookup(parts, [0, 1, 5, 7]), tf.nn.embedding_lookup(parts, [0, 1, 5, 7], "div"),
            tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="sum"),
            tf.nn.embedding_lookup_sparse(table, ids, weights), tf.nn.embedding_lookup_sparse(table, ids, weights,
                                                                                               combiner="sqrtn")]


def sampled_losses():
    weights, biases = tf.Variable(tf.ones([20, 3]), name="w"), tf.Variable(tf.zeros([20]), name="b")
    inputs, labels = tf.ones([4, 3]), tf.constant([[1], [2], [3], [4]])
    tf.nn.nce_loss(weights, biases, labels, inputs, 5, 20)
    tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 5, 20, seed=3)
    tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 5, 20, partition_strategy="div")
    tf.nn.uniform_candidate_sampler(tf.constant([[1]], tf.int64), 1, 3, True, 10)
    tf.nn.fixed_unigram_candidate_sampler(tf.constant([[1]], tf.int64), 1, 2, True, 3, unigrams=[1.0, 2.0, 3.0])
    return []


def layer_functions():
    x = image()
    line = tf.constant(np.arange(2 * 9 * 3, dtype=np.float32).reshape(2, 9, 3) % 4, name="line")
    cube = tf.constant(np.ones([1, 4, 4, 4, 2], np.float32), name="cube")
    any_batch = tf.placeholder_with_default(x, [None, 8, 8, 3])
    ones = dict(kernel_initializer=tf.ones_initializer())
    made = [tf.layers.conv2d(x, 4, 3, **ones), tf.layers.conv2d(x, 4, [3, 2], (2, 2), "same", activation=tf.nn.relu, **ones),
            tf.layers.conv2d(x, 2, 3, dilation_rate=2, use_bias=False, **ones), tf.layers.conv1d(line, 2, 3, **ones),
            tf.layers.conv3d(cube, 2, 2, **ones), tf.layers.conv2d_transpose(any_batch, 2, 3, 2, "same", **ones),
            tf.layers.conv2d_transpose(x, 2, 3, **ones), tf.layers.conv3d_transpose(cube, 1, 2, **ones),
            tf.layers.separable_conv2d(x, 2, 3, depthwise_initializer=tf.ones_initializer(),
                                       pointwise_initializer=tf.ones_initializer()),
            tf.layers.max_pooling2d(x, 2, 2), tf.layers.average_pooling2d(x, (2, 2), (1, 1), "same"),
            tf.layers.max_pooling1d(line, 2, 2), tf.layers.average_pooling1d(line, 3, 1), tf.layers.max_pooling3d(cube, 2, 2),
            tf.layers.average_pooling3d(cube, 2, 2), tf.layers.flatten(any_batch),
            tf.layers.dense(line, 4, **ones), tf.layers.dense(tf.layers.flatten(x), 3, activation=tf.nn.sigmoid, **ones),
            tf.layers.dropout(x, 0.4), tf.layers.batch_normalization(x), tf.layers.batch_normalization(line, training=True),
            tf.layers.batch_normalization(x, training=True, scale=False)]
    tf.layers.dropout(x, 0.4, training=True)
    with tf.variable_scope("again", reuse=tf.AUTO_REUSE):
        for _ in range(2):
            made.append(tf.layers.dense(tf.layers.flatten(x), 2, name="d", **ones))
    made.append(tf.layers.dense(tf.layers.flatten(x), 2, name="again/d", reuse=True))
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 4
    return [tf.global_variables_initializer()] + made


def layer_classes():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]], name="x")
    dense = tf.layers.Dense(3, kernel_initializer=tf.ones_initializer(), name="mine")
    one, two = dense(x), dense(x + 1.0)
    bn = tf.layers.BatchNormalization(momentum=0.5)
    three = bn(one, training=True)
    four = bn(two, training=False)
    six = tf.layers.Conv2D(2, 3, kernel_initializer=tf.ones_initializer())(image())
    with tf.variable_scope("s"):
        five = tf.layers.Dense(1, use_bias=False, kernel_initializer=tf.ones_initializer())(x)
    assert [v.name for v in dense.trainable_weights] == ["mine/kernel:0", "mine/bias:0"]
    return [tf.global_variables_initializer(), one, two, three, four, five, six]


def training_by_tensor():
    x, flag = image(), tf.placeholder_with_default(True, [], name="flag")
    flat = tf.layers.flatten(x)
    made = [tf.layers.batch_normalization(x, training=flag), tf.layers.batch_normalization(flat, training=flag)]
    tf.layers.dropout(flat, 0.3, training=flag)
    return [tf.global_variables_initializer()] + made


def unrolled():
    xs = [tf.constant(np.full([2, 3], i, np.float32)) for i in range(3)]
    with tf.variable_scope("net", initializer=tf.constant_initializer(0.1)):
        cells = [tf.nn.rnn_cell.BasicRNNCell(4), tf.nn.rnn_cell.GRUCell(4), tf.nn.rnn_cell.BasicLSTMCell(4),
                 tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, cell_clip=1.0, num_proj=2, proj_clip=0.5),
                 tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.LSTMCell(4), tf.nn.rnn_cell.ResidualWrapper(
                     tf.nn.rnn_cell.GRUCell(4))])]
        made = []
        for i, cell in enumerate(cells):
            outputs, state = tf.nn.static_rnn(cell, xs, dtype=tf.float32, scope="rnn%d" % i)
            made += outputs + list(tf.nest.flatten(state))
        outputs, state = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(4), xs, dtype=tf.float32, sequence_length=[1, 2],
                                          scope="lengths")
        both, _, _ = tf.nn.static_bidirectional_rnn(tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(2), xs,
                                                    dtype=tf.float32)
        tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5, 0.5, 0.5)(
            xs[0], tf.nn.rnn_cell.BasicLSTMCell(4).zero_state(2, tf.float32))
    return [tf.global_variables_initializer()] + made + outputs + [state] + both


def in_loops():
    x = tf.constant(np.arange(2 * 4 * 3, dtype=np.float32).reshape(2, 4, 3) / 10, name="x")
    p = tf.placeholder_with_default(x, [None, None, 3])
    lengths = tf.placeholder_with_default(tf.constant([2, 4]), [None])
    with tf.variable_scope("net", initializer=tf.constant_initializer(0.1)):
        one, state = tf.nn.dynamic_rnn(tf.nn.rnn_cell.LSTMCell(4), x, dtype=tf.float32)
        two, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(4), p, sequence_length=lengths, dtype=tf.float32,
                                   scope="two")
        three, states = tf.nn.bidirectional_dynamic_rnn(tf.nn.rnn_cell.LSTMCell(2), tf.nn.rnn_cell.BasicRNNCell(2), p,
                                                        sequence_length=lengths, dtype=tf.float32)
        cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2) for _ in range(2)])
        four, _ = tf.nn.dynamic_rnn(cell, x, initial_state=cell.zero_state(4, tf.float32), time_major=True, scope="four")
    return [tf.global_variables_initializer(), one, state.c, state.h, two, *three, *states[0], states[1], four]


def sparse_tensors():
    a = tf.SparseTensor([[0, 1], [1, 0], [2, 3]], [1.0, 2.0, 3.0], [3, 4])
    b = tf.SparseTensor([[0, 0], [2, 3]], [10.0, 20.0], [3, 4])
    words = tf.SparseTensor([[0, 0], [1, 1]], tf.constant([2, 1], tf.int64), [2, 2])
    made = [tf.sparse_tensor_to_dense(a), tf.sparse.to_dense(tf.sparse.add(a, b)), tf.sparse_add(a, tf.ones([3, 4])),
            tf.sparse_tensor_dense_matmul(a, tf.ones([4, 2])), tf.sparse_reduce_sum(a, 1), tf.sparse_reduce_sum(a),
            tf.sparse_to_indicator(words, 4), tf.sparse.to_dense(tf.sparse.transpose(a)), tf.size(a),
            tf.sparse_to_dense([0, 2], [4], [5, 6])]
    made += [s.values for s in (tf.sparse_concat(1, [a, b]), tf.sparse_reorder(a), tf.sparse_reshape(a, [2, -1]),
                                tf.sparse.slice(a, [0, 0], [2, 2]), tf.sparse_retain(a, [True, False, True]),
                                tf.sparse_fill_empty_rows(b, 0.5)[0], tf.sparse.maximum(a, b), tf.sparse.softmax(a),
                                tf.sparse_reset_shape(a, [5, 6]), tf.sparse_reset_shape(a), a * 2.0,
                                tf.sparse.from_dense([[0, 1], [2, 0]]), *tf.sparse_split(sp_input=a, num_split=2, axis=1))]
    tf.sparse_placeholder(tf.int32)
    tf.sparse_placeholder(tf.float32, [None, 3], name="sp")
    return made


def ctc():
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 1, 2], [2, 2])
    logits = tf.constant(np.sin(np.arange(4 * 2 * 4, dtype=np.float32)).reshape(4, 2, 4), name="logits")
    (decoded,), score = tf.nn.ctc_greedy_decoder(logits, [4, 3])
    beams, scores = tf.nn.ctc_beam_search_decoder(logits, [4, 3], beam_width=4, top_paths=2, merge_repeated=False)
    return [tf.nn.ctc_loss(labels, logits, [4, 3]), decoded.values, score, beams[0].indices, scores,
            tf.edit_distance(tf.SparseTensor([[0, 0]], [1], [1, 2]), tf.SparseTensor([[0, 0]], [2], [1, 2]))]


def losses():
    labels = tf.constant([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]], name="labels")
    predictions = tf.constant([[0.1, 0.8, 0.6], [0.7, 0.3, 0.2]], name="predictions")
    weights = tf.constant([[1.0], [0.0]], name="weights")
    batch = tf.placeholder_with_default(predictions, [None, 3])
    made = [tf.losses.absolute_difference(labels, predictions), tf.losses.mean_squared_error(labels, predictions, weights),
            tf.losses.mean_squared_error(labels, batch, 2.0), tf.losses.log_loss(labels, predictions),
            tf.losses.hinge_loss(labels, predictions), tf.losses.huber_loss(labels, predictions, delta=0.5),
            tf.losses.cosine_distance(labels, predictions, axis=1), tf.losses.mean_pairwise_squared_error(labels, predictions),
            tf.losses.sigmoid_cross_entropy(labels, predictions, label_smoothing=0.1),
            tf.losses.softmax_cross_entropy(labels, predictions), tf.losses.softmax_cross_entropy(labels, batch, 0.5, 0.1),
            tf.losses.sparse_softmax_cross_entropy([2, 0], predictions),
            tf.losses.sparse_softmax_cross_entropy(tf.constant([[2], [0]]), batch)]
    made += [tf.losses.compute_weighted_loss(predictions, weights, reduction=r) for r in (
        tf.losses.Reduction.NONE, tf.losses.Reduction.SUM, tf.losses.Reduction.MEAN,
        tf.losses.Reduction.SUM_OVER_BATCH_SIZE)]
    assert len(tf.losses.get_losses()) == len(made)
    return made + [tf.losses.get_regularization_loss()]


def metrics():
    labels = tf.constant([0, 1, 1, 0], name="labels")
    scores = tf.constant([0.1, 0.8, 0.3, 0.6], name="scores")
    guesses = tf.constant([0, 1, 0, 1], name="guesses")
    weights = tf.constant([1.0, 2.0, 0.0, 1.0], name="weights")
    m = tf.metrics
    floats = tf.cast(labels, tf.float32)
    pairs = [m.mean(scores), m.mean(scores, weights), m.accuracy(labels, guesses), m.accuracy(labels, guesses, weights),
             m.mean_absolute_error(floats, scores), m.mean_squared_error(floats, scores),
             m.root_mean_squared_error(floats, scores, weights), m.precision(labels, guesses), m.recall(labels, guesses),
             m.true_positives(labels, guesses), m.false_positives(labels, guesses, weights),
             m.true_negatives(labels, guesses), m.false_negatives(labels, guesses), m.percentage_below(scores, 0.5),
             m.mean_tensor(scores), m.auc(labels, scores, num_thresholds=5), m.auc(labels, scores, weights, 4, curve="PR"),
             m.precision_at_thresholds(labels, scores, [0.2, 0.5]), m.recall_at_thresholds(labels, scores, [0.2, 0.5]),
             m.true_positives_at_thresholds(labels, scores, [0.5]), m.mean_iou(labels, guesses, 2),
             m.mean_per_class_accuracy(labels, guesses, 2), m.mean_relative_error(floats, scores, scores),
             m.mean_cosine_distance(tf.reshape(floats, [2, 2]), tf.reshape(scores, [2, 2]), 1),
             m.sensitivity_at_specificity(labels, scores, 0.7, num_thresholds=10),
             m.specificity_at_sensitivity(labels, scores, 0.7, weights, num_thresholds=10)]
    return [tf.local_variables_initializer()] + [update for _, update in pairs] + [
        tf.confusion_matrix(labels, guesses), tf.confusion_matrix(labels, guesses, 3)]


def metrics_of_the_best():
    m = tf.metrics
    scores = tf.constant([[0.1, 0.6, 0.2, 0.1], [0.4, 0.1, 0.3, 0.2], [0.1, 0.2, 0.3, 0.4]], name="scores")
    labels = tf.constant([[1], [2], [0]], tf.int64, name="labels")
    several = tf.constant([[1, 2], [2, 3], [0, 9]], tf.int64, name="several")
    weights = tf.constant([1.0, 2.0, 0.5], name="weights")
    sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0]], tf.constant([1, 0, 2, 3], tf.int64), [3, 2])
    pairs = [m.recall_at_k(labels, scores, 2), m.recall_at_k(tf.reshape(labels, [3]), scores, 1, name="flat"),
             m.recall_at_k(several, scores, 2, class_id=2), m.recall_at_k(sparse, scores, 2, weights=weights),
             m.precision_at_k(labels, scores, 2), m.precision_at_k(several, scores, 3, class_id=1, weights=weights),
             m.precision_at_k(sparse, scores, 2, class_id=2), m.recall_at_top_k(labels, tf.constant([[1], [0], [3]])),
             m.precision_at_top_k(several, tf.constant([[1, 2], [0, 2], [3, 1]]), 2),
             m.average_precision_at_k(several, scores, 3), m.average_precision_at_k(labels, scores, 1, weights),
             m.average_precision_at_k(sparse, scores, 2)]
    return [tf.local_variables_initializer()] + [update for _, update in pairs]


def learning_rates():
    step = tf.Variable(7, trainable=False, name="step", dtype=tf.int64)
    t = tf.train
    return [tf.global_variables_initializer(), t.exponential_decay(0.1, step, 10, 0.5, True),
            t.natural_exp_decay(0.1, step, 10, 0.5), t.inverse_time_decay(0.1, step, 10, 0.5, staircase=True),
            t.polynomial_decay(0.1, step, 10), t.polynomial_decay(0.1, step, 5, power=2.0, cycle=True),
            t.piecewise_constant(step, [3, 8], [0.1, 0.05, 0.01]), t.cosine_decay(0.1, step, 10, 0.1),
            t.cosine_decay_restarts(0.1, step, 3), t.linear_cosine_decay(0.1, step, 10)]


def more_optimizers():
    w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
    dense, sparse = tf.reduce_sum(w * w), tf.reduce_sum(tf.gather(w, [0, 0, 1]))
    step = tf.train.get_or_create_global_step()
    made = []
    for optimizer in (tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
                      tf.train.FtrlOptimizer(0.1, l2_shrinkage_regularization_strength=0.1, name="F2"),
                      tf.train.ProximalGradientDescentOptimizer(0.1, 0.01), tf.train.ProximalAdagradOptimizer(0.1),
                      tf.train.AdagradDAOptimizer(0.1, step), tf.train.RMSPropOptimizer(0.1, centered=True)):
        made += [optimizer.minimize(dense, global_step=step), optimizer.minimize(sparse)]
    return [tf.global_variables_initializer()] + made + [w]


def resource_variables():
    v = tf.get_variable("v", [2, 3], initializer=tf.ones_initializer(), use_resource=True)
    with tf.variable_scope("r", use_resource=True):
        w = tf.get_variable("w", [3], initializer=tf.zeros_initializer())
    step = tf.Variable(0, use_resource=True, name="step", trainable=False)
    loss = tf.reduce_sum(tf.matmul(v, v, transpose_b=True)) + tf.reduce_sum(w * w)
    rows = tf.reduce_sum(tf.nn.embedding_lookup(v, [0, 1, 0]))
    made = []
    for optimizer in (tf.train.GradientDescentOptimizer(0.01), tf.train.MomentumOptimizer(0.01, 0.9),
                      tf.train.AdamOptimizer(0.01), tf.train.AdagradOptimizer(0.01)):
        made += [optimizer.minimize(loss, global_step=step), optimizer.minimize(rows)]
    tf.train.Saver()
    with tf.control_dependencies([tf.assign(v, v * 2.0)]):
        read = v.read_value()
    tf.assign_add(w, [1.0, 1.0, 1.0])
    tf.scatter_update(v, [0], [[1.0, 1.0, 1.0]])
    tf.gather(v, [1])
    return [tf.global_variables_initializer()] + made + [read, step]


def averages():
    loss = tf.reduce_sum(tf.constant([1.0, 2.0]) * 2.0, name="loss")
    average = tf.train.ExponentialMovingAverage(0.9, name="avg")
    update = average.apply([loss])
    assert average.average_name(loss) == "loss/avg" and not tf.moving_average_variables()
    return [tf.global_variables_initializer(), update, average.average(loss)]


def partitioned_variables():
    with tf.variable_scope("s", partitioner=tf.fixed_size_partitioner(2)):
        v = tf.get_variable("v", [5, 3], initializer=tf.ones_initializer())
        tf.get_variable("u", [4], initializer=tf.random_uniform_initializer())
        tf.get_variable("g", [4, 2])
    tf.get_variable("big", [100, 4], partitioner=tf.variable_axis_size_partitioner(400))
    loss = tf.reduce_sum(tf.convert_to_tensor(v) ** 2.0) + tf.reduce_sum(tf.nn.embedding_lookup(v, [0, 4], "div"))
    train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    tf.train.Saver()
    with tf.variable_scope("s", reuse=True, partitioner=tf.fixed_size_partitioner(2)):
        assert tf.get_variable("v", [5, 3]) is v
    return [tf.global_variables_initializer(), train, loss, *v]


if __name__ == "__main__":
    record([convolutions, pooling, activations, normalisation, cross_entropies, clipping, selection, embeddings,
            sampled_losses, layer_functions, layer_classes, training_by_tensor, unrolled, in_loops, sparse_tensors, ctc,
            losses, metrics, metrics_of_the_best, learning_rates, more_optimizers, resource_variables, averages,
            partitioned_variables])
