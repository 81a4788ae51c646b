"""Records from a file through queues to two towers of one process, with regularisation and moving averages:
towers.py DIRECTORY"""
import os
import sys

import numpy as np
import tensorflow as tf

path = os.path.join(sys.argv[1], "examples.tfrecords")


def write():
    random = np.random.RandomState(0)
    with tf.python_io.TFRecordWriter(path) as writer:
        for _ in range(200):
            label = random.randint(2)
            values = (random.rand(6) + label).astype(np.float32)
            features = {"values": tf.train.Feature(bytes_list=tf.train.BytesList(value=[values.tobytes()])),
                        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label]))}
            writer.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())


def read():
    names = tf.train.string_input_producer([path])
    _, record = tf.TFRecordReader().read(names)
    parsed = tf.parse_single_example(record, features={"values": tf.FixedLenFeature([], tf.string),
                                                       "label": tf.FixedLenFeature([], tf.int64)})
    values = tf.reshape(tf.decode_raw(parsed["values"], tf.float32), [6])
    return tf.train.shuffle_batch([values, parsed["label"]], batch_size=20, capacity=100, min_after_dequeue=50)


def tower_loss(values, labels):
    weights = tf.get_variable("weights", [6, 2], initializer=tf.truncated_normal_initializer(stddev=0.1),
                              regularizer=tf.contrib.layers.l2_regularizer(0.001))
    biases = tf.get_variable("biases", [2], initializer=tf.zeros_initializer())
    logits = tf.nn.xw_plus_b(values, weights, biases)
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))


def main():
    write()
    values, labels = read()
    step = tf.train.get_or_create_global_step()
    optimizer = tf.train.GradientDescentOptimizer(0.2)
    pairs, losses = [], []
    with tf.variable_scope(tf.get_variable_scope()):
        for i in range(2):
            with tf.device("/cpu:0"), tf.name_scope("tower_%d" % i) as scope:
                loss = tower_loss(values, labels) + tf.add_n(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
                tf.get_variable_scope().reuse_variables()
                losses.append(loss)
                pairs.append(optimizer.compute_gradients(loss))
                tf.summary.scalar(scope + "loss", loss)
    averaged = [(tf.reduce_mean(tf.stack([g for g, _ in row]), 0), row[0][1]) for row in zip(*pairs)]
    applied = optimizer.apply_gradients(averaged, global_step=step)
    averages = tf.train.ExponentialMovingAverage(0.9, step)
    with tf.control_dependencies([applied]):
        train = averages.apply(tf.trainable_variables())
    saver, summaries = tf.train.Saver(), tf.summary.merge_all()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        writer = tf.summary.FileWriter(sys.argv[1], session.graph)
        first = session.run(losses[0])
        for _ in range(40):
            session.run(train)
        last = session.run(losses[0])
        writer.add_summary(session.run(summaries), 40)
        writer.close()
        saver.save(session, os.path.join(sys.argv[1], "model"), global_step=step)
        coordinator.request_stop()
        coordinator.join(threads)
    names = [name for name, _ in tf.train.list_variables(sys.argv[1])]
    print("better" if last < first else "worse", "weights/ExponentialMovingAverage" in names)


main()
