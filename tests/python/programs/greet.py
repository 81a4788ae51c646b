"""One of two equal tasks: greet.py INDEX ADDRESS ADDRESS. Each runs a step on its own server, then waits."""
import sys

import tensorflow as tf

index = int(sys.argv[1])
server = tf.train.Server(tf.train.ClusterSpec({"local": sys.argv[2:]}), job_name="local", task_index=index)
with tf.device("/job:local/task:%d" % index):
    text = tf.constant("task %d is here" % index)
with tf.Session(server.target) as session:
    print(session.run(text).decode(), flush=True)
server.join()
