"""MNIST from a DataFrame: Spark reads the images, the workers of a Sluice cluster train on its rows.

    spark-submit --master spark://host:7077 mnist_dataframe.py --data_dir=/usr/share/datasets/fashion-mnist --log_dir=/tmp/mnist
"""
import argparse
import gzip
import os

import numpy as np
import sluice_spark
from pyspark.sql import SparkSession


def read_rows(data_dir, count):
    """(pixels as bytes, label) of the first images."""
    with gzip.open(os.path.join(data_dir, "train-images-idx3-ubyte.gz")) as file:
        file.read(16)
        images = file.read(784 * count)
    with gzip.open(os.path.join(data_dir, "train-labels-idx1-ubyte.gz")) as file:
        file.read(8)
        labels = file.read(count)
    return [(bytearray(images[784 * i:784 * (i + 1)]), labels[i]) for i in range(len(labels))]


def build(tf):
    x = tf.placeholder(tf.float32, [None, 784], "x")
    y = tf.placeholder(tf.int64, [None], "y")
    hidden = tf.layers.dense(x, 64, tf.nn.relu)
    logits = tf.layers.dense(hidden, 10)
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
    return x, y, tf.argmax(logits, 1), train, step


def main(args, context):
    """Runs in every task of the cluster."""
    import tensorflow as tf  # Sluice
    server = context.start_server()
    if context.job_name == "ps":
        server.join()
        return
    feed = context.get_data_feed()
    device = tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(context.cluster_spec),
                                            worker_device="/job:worker/task:%d" % context.task_index)
    with tf.device(device):
        x, y, predicted, train, step = build(tf)
    with tf.train.MonitoredTrainingSession(server.target, is_chief=context.task_index == 0,
                                           checkpoint_dir=args.log_dir if context.task_index == 0 else None) as session:
        while not feed.should_stop():
            rows = feed.next_batch(100)
            if not rows:
                continue
            pixels = np.array([list(row[0]) for row in rows], np.float32) / 255
            if args.mode == "train":
                session.run(train, {x: pixels, y: [row[1] for row in rows]})
            else:
                feed.batch_results(zip(session.run(predicted, {x: pixels}).tolist(), [row[1] for row in rows]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data_dir", default="/usr/share/datasets/fashion-mnist")
    parser.add_argument("--log_dir", default="/tmp/mnist_dataframe")
    parser.add_argument("--executors", type=int, default=3)
    parser.add_argument("--ps", type=int, default=1)
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    spark = SparkSession.builder.appName("mnist_dataframe").getOrCreate()
    frame = spark.createDataFrame(read_rows(args.data_dir, args.rows), "pixels binary, label int").repartition(8).cache()
    for args.mode in ("train", "inference"):
        cluster = sluice_spark.run(spark.sparkContext, main, args, args.executors, args.ps, sluice_spark.InputMode.SPARK)
        if args.mode == "train":
            cluster.train(frame, args.epochs)
        else:
            right = cluster.inference(frame).map(lambda pair: int(pair[0] == pair[1])).mean()
            print("accuracy on the training rows: %.3f" % right)
        cluster.shutdown()
    spark.stop()
