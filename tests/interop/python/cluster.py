"""A program of one's own on a cluster: cluster.py JOB INDEX PS WORKER. The ps serves; the worker computes on both."""
import sys

import tensorflow as tf

job, index, ps, worker = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
cluster = tf.train.ClusterSpec({"ps": [ps], "worker": [worker]})
server = tf.train.Server(cluster, job_name=job, task_index=index)
if job == "ps":
    server.join()
with tf.device("/job:ps/task:0"):
    v = tf.Variable(tf.zeros([1000]), name="v")
    add = v.assign_add(tf.ones([1000]))
with tf.device("/job:worker/task:0"):
    total = tf.reduce_sum(v * 2.0)
with tf.Session(server.target) as session:
    session.run(tf.global_variables_initializer())
    for _ in range(3):
        session.run(add)
    print("total", session.run(total))
    try:
        session.run(tf.placeholder(tf.float32, name="never"))
    except tf.errors.InvalidArgumentError as error:
        print("error", "never" in error.message, error.op.name)
