#!/usr/bin/env python3
"""Records tf.layers and embeddings as TensorFlow's Python library builds them."""
import tensorflow.compat.v1 as tf

from listing import write


def layers():
    image = tf.placeholder(tf.float32, [None, 28, 28, 3], name="image")
    x = tf.layers.conv2d(image, 8, 5, padding="same", activation=tf.nn.relu)
    x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.conv2d(x, 4, [3, 2], strides=(2, 1), use_bias=False, name="second")
    x = tf.layers.average_pooling2d(x, [2, 2], 1, padding="same")
    x = tf.layers.separable_conv2d(x, 6, 3, depth_multiplier=2)
    x = tf.layers.conv2d_transpose(x, 5, 3, strides=2, padding="same")
    x = tf.layers.flatten(x)
    tf.layers.dense(tf.layers.dropout(x, 0.25, training=True), 7, activation=tf.nn.tanh)
    line = tf.placeholder(tf.float32, [None, 20, 3], name="line")
    y = tf.layers.conv1d(line, 8, 5, activation=tf.nn.relu)
    y = tf.layers.max_pooling1d(y, 2, 2)
    y = tf.layers.average_pooling1d(y, 3, 1, padding="same")
    tf.layers.dense(y, 4, name="rank3")


def batch_norm():
    image = tf.placeholder(tf.float32, [None, 8, 8, 3], name="image")
    flat = tf.placeholder(tf.float32, [None, 5], name="flat")
    tf.layers.batch_normalization(image, training=True)
    tf.layers.batch_normalization(image, training=False, name="inference")
    tf.layers.batch_normalization(flat, training=True, momentum=0.9, epsilon=1e-5, name="flat_bn")
    tf.layers.batch_normalization(flat, training=False, scale=False, center=False, name="plain")


def training_by_run():
    image = tf.placeholder(tf.float32, [None, 8, 8, 3], name="image")
    flat = tf.placeholder(tf.float32, [None, 5], name="flat")
    training = tf.placeholder(tf.bool, [], name="training")
    tf.nn.dropout(flat, tf.placeholder(tf.float32, [], name="keep_prob"))
    tf.layers.dropout(flat, 0.4, training=training, name="drop")
    tf.layers.batch_normalization(image, training=training)
    tf.layers.batch_normalization(image, training=training, scale=False, center=False, name="plain")
    tf.layers.batch_normalization(flat, training=training, name="flat_bn")


def embedding():
    ids = tf.placeholder(tf.int64, [None], name="ids")
    ids2 = tf.placeholder(tf.int32, [None, 2], name="ids2")
    one = tf.get_variable("one", [10, 4], initializer=tf.zeros_initializer())
    tf.nn.embedding_lookup(one, ids)
    parts = tf.get_variable("parts", [10, 4], initializer=tf.zeros_initializer(),
                            partitioner=tf.fixed_size_partitioner(3))
    tf.nn.embedding_lookup(parts, ids, partition_strategy="mod")
    tf.nn.embedding_lookup(parts, ids2, partition_strategy="div", name="rows")


# Nodes that nothing takes are left out.
write("layers", layers, skip=("separable_conv2d/separable_conv2d/Shape", "separable_conv2d/separable_conv2d/dilation",
                              "conv2d_transpose/strided_slice_1"))
write("batch_norm", batch_norm)
write("training_by_run", training_by_run)
write("embedding", embedding)
