"""A distributed trainer: trainer.py PS WORKERS DIRECTORY JOB INDEX. Fits a line; prints "trained" at the last step."""
import sys
import time

import numpy as np

try:
    import tensorflow.compat.v1 as tf
    if hasattr(tf, "disable_v2_behavior"):
        tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf

ps, workers, directory, job, index = sys.argv[1:]
cluster = tf.train.ClusterSpec({"ps": [ps], "worker": workers.split(",")})
server = tf.train.Server(cluster, job_name=job, task_index=int(index))
if job == "ps":
    server.join()


class Watch(tf.train.SessionRunHook):
    """Sees each loss."""

    def begin(self):
        self.losses = []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs([loss, averages.average(w)])

    def after_run(self, run_context, run_values):
        self.losses.append(float(run_values.results[0]))
        self.average = float(run_values.results[1][0, 0])


with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:" + index, cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 1], name="x")
    w = tf.get_variable("w", [1, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - (3.0 * x + 1.0)))
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([train]):
        train = averages.apply([w, b])
    tf.summary.scalar("weight", w[0, 0])
    joined = tf.get_variable("joined", [], tf.int32, initializer=tf.zeros_initializer(), trainable=False)
    join = joined.assign_add(1)
watch, count = Watch(), 0
filters = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:" + index])
with tf.train.MonitoredTrainingSession(server.target, index == "0", directory, save_summaries_steps=50, config=filters,
                                       hooks=[tf.train.StopAtStepHook(last_step=400), watch]) as session:
    fetch = join
    while session.run(fetch, {x: [[0.0]]}) < 2:  # both train from the first step
        fetch, count = joined, count + 1
        time.sleep(0.1)
    count += 1
    while not session.should_stop():
        session.run(train, {x: np.random.uniform(-1, 1, [16, 1])})
        count += 1
assert len(watch.losses) == count, (len(watch.losses), count)
if index == "0":
    newest = tf.train.latest_checkpoint(directory)
    assert newest and int(newest.rpartition("-")[2]) >= 400, newest
    assert abs(watch.average - 3.0) < 1.0, watch.average
    assert watch.losses[-1] < 0.5 * watch.losses[0], watch.losses
print("trained", count)
