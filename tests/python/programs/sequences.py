"""Workers that train a network over sequences with CTC: sequences.py [--sync] and the flags of a task."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "addresses of the ps tasks")
flags.DEFINE_string("worker_hosts", "", "addresses of the workers")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "which task of the job")
flags.DEFINE_boolean("sync", False, "whether workers wait for each other")
flags.DEFINE_string("logdir", None, "where checkpoints go")
FLAGS = flags.FLAGS
TIME, SIZE, CLASSES, BATCH, STEPS = 8, 5, 4, 3, 10


def model():
    x = tf.placeholder(tf.float32, [None, TIME, SIZE])
    labels, lengths = tf.sparse_placeholder(tf.int32), tf.placeholder(tf.int32, [None])
    cells = [tf.nn.rnn_cell.LSTMCell(6) for _ in range(2)]
    outputs, _ = tf.nn.bidirectional_dynamic_rnn(cells[0], cells[1], x, sequence_length=lengths, dtype=tf.float32)
    logits = tf.layers.dense(tf.concat(outputs, 2), CLASSES + 1)
    by_time = tf.transpose(logits, [1, 0, 2])
    loss = tf.reduce_mean(tf.nn.ctc_loss(labels, by_time, lengths))
    (decoded,), _ = tf.nn.ctc_greedy_decoder(by_time, lengths)
    return x, labels, lengths, loss, decoded


def batch(random):
    places = [[i, j] for i in range(BATCH) for j in range(1 + random.randint(2))]
    labels = tf.SparseTensorValue(np.array(places), random.randint(0, CLASSES, len(places)), [BATCH, 2])
    return random.rand(BATCH, TIME, SIZE), labels, [TIME] * BATCH


def main(_):
    workers, chief = FLAGS.worker_hosts.split(","), FLAGS.task_index == 0
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
        step = tf.Variable(0, name="global_step", trainable=False)
        x, labels, lengths, loss, decoded = model()
        optimizer = tf.train.AdadeltaOptimizer(1.0)
        if FLAGS.sync:
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, len(workers), total_num_replicas=len(workers))
        pairs = optimizer.compute_gradients(loss)
        clipped, _ = tf.clip_by_global_norm([g for g, _ in pairs], 5.0)
        train = optimizer.apply_gradients(zip(clipped, [v for _, v in pairs]), global_step=step)
        init = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        tokens = optimizer.get_init_tokens_op() if FLAGS.sync else None
        runner = optimizer.get_chief_queue_runner() if FLAGS.sync else None
    supervisor = tf.train.Supervisor(is_chief=chief, logdir=FLAGS.logdir, init_fn=lambda session: session.run(init),
                                     summary_op=None, global_step=step, save_model_secs=0, recovery_wait_secs=1)
    random, at = np.random.RandomState(FLAGS.task_index), 0
    own_tasks = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])
    with supervisor.prepare_or_wait_for_session(server.target, config=own_tasks) as session:
        if FLAGS.sync and chief:
            supervisor.start_queue_runners(session, [runner])
            session.run(tokens)
        while not supervisor.should_stop() and at < STEPS:
            xs, ys, sizes = batch(random)
            _, value, at, found = session.run([train, loss, step, decoded], {x: xs, labels: ys, lengths: sizes})
            assert np.isfinite(value) and isinstance(found, tf.SparseTensorValue)
        print("done at step", at, flush=True)


if __name__ == "__main__":
    tf.app.run()
