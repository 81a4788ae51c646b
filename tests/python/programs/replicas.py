"""Workers that train one line on a ps: replicas.py --way=supervisor|monitored [--sync] and the flags of a task."""
import numpy as np
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "addresses of the ps tasks")
flags.DEFINE_string("worker_hosts", "", "addresses of the workers")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "which task of the job")
flags.DEFINE_string("way", "monitored", "supervisor or monitored")
flags.DEFINE_boolean("sync", False, "whether workers wait for each other")
flags.DEFINE_string("logdir", None, "where checkpoints go")
flags.DEFINE_integer("steps", 60, "global steps")
FLAGS = flags.FLAGS


def model(workers):
    x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
    step = tf.train.get_or_create_global_step()
    slope, offset = tf.Variable(0.0, name="slope"), tf.Variable(0.0, name="offset")
    loss = tf.reduce_mean(tf.square(slope * x + offset - y))
    rate = tf.train.exponential_decay(0.1, step, 100, 0.9)
    optimizer = tf.train.GradientDescentOptimizer(rate)
    if FLAGS.sync:
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=workers, total_num_replicas=workers)
    return x, y, step, slope, optimizer, optimizer.minimize(loss, global_step=step)


def own_tasks():
    """A worker needs the ps and itself, not the other workers, which may have ended."""
    return tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % FLAGS.task_index])


def batch(random):
    xs = random.rand(16).astype(np.float32)
    return xs, 2.0 * xs + 1.0


def supervise(server, x, y, step, optimizer, train):
    chief = FLAGS.task_index == 0
    first = optimizer.get_init_tokens_op() if FLAGS.sync else None
    runner = optimizer.get_chief_queue_runner() if FLAGS.sync else None
    options = dict(local_init_op=optimizer.chief_init_op if chief else optimizer.local_step_init_op,
                   ready_for_local_init_op=optimizer.ready_for_local_init_op) if FLAGS.sync else {}
    supervisor = tf.train.Supervisor(is_chief=chief, logdir=FLAGS.logdir, global_step=step, save_model_secs=0,
                                     save_summaries_secs=0, recovery_wait_secs=1, **options)
    random = np.random.RandomState(FLAGS.task_index)
    with supervisor.managed_session(server.target, config=own_tasks()) as session:
        if FLAGS.sync and chief:
            supervisor.start_queue_runners(session, [runner])
            session.run(first)
        at = 0
        while not supervisor.should_stop() and at < FLAGS.steps:
            xs, ys = batch(random)
            _, at = session.run([train, step], {x: xs, y: ys})
        print("done at step", at, flush=True)


def monitor(server, x, y, step, optimizer, train):
    chief = FLAGS.task_index == 0
    hooks = [tf.train.StopAtStepHook(last_step=FLAGS.steps)]
    if FLAGS.sync:
        hooks.append(optimizer.make_session_run_hook(chief))
    random, at = np.random.RandomState(FLAGS.task_index), 0
    with tf.train.MonitoredTrainingSession(server.target, is_chief=chief, checkpoint_dir=FLAGS.logdir, hooks=hooks,
                                           config=own_tasks(), save_checkpoint_secs=None,
                                           save_summaries_steps=None) as session:
        while not session.should_stop():
            xs, ys = batch(random)
            _, at = session.run([train, step], {x: xs, y: ys})
    print("done at step", at, flush=True)


def main(_):
    workers = FLAGS.worker_hosts.split(",")
    cluster = tf.train.ClusterSpec({"ps": FLAGS.ps_hosts.split(","), "worker": workers})
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == "ps":
        server.join()
    with tf.device(tf.train.replica_device_setter(cluster=cluster, worker_device="/job:worker/task:%d" % FLAGS.task_index)):
        x, y, step, slope, optimizer, train = model(len(workers))
    assert slope.device == "/job:ps/task:0" or len(FLAGS.ps_hosts.split(",")) > 1, slope.device
    (supervise if FLAGS.way == "supervisor" else monitor)(server, x, y, step, optimizer, train)


if __name__ == "__main__":
    tf.app.run()
