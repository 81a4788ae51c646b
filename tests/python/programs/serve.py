"""A task of a cluster, for ever: serve.py --job_name=worker --task_index=0 --ps_hosts=... --worker_hosts=..."""
import tensorflow as tf

flags = tf.app.flags
flags.DEFINE_string("ps_hosts", "", "addresses of the ps tasks")
flags.DEFINE_string("worker_hosts", "", "addresses of the workers")
flags.DEFINE_string("job_name", "", "ps or worker")
flags.DEFINE_integer("task_index", 0, "which task of the job")


def main(_):
    hosts = flags.FLAGS
    cluster = tf.train.ClusterSpec({"ps": hosts.ps_hosts.split(","), "worker": hosts.worker_hosts.split(",")})
    tf.train.Server(cluster, job_name=hosts.job_name, task_index=hosts.task_index).join()


if __name__ == "__main__":
    tf.app.run()
