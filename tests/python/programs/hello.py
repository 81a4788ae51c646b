"""A server of this process, and where operations are placed: hello.py hello|placement|missing|soft"""
import sys

import tensorflow as tf


def hello():
    server = tf.train.Server.create_local_server()
    with tf.Session(server.target) as session:
        print(session.run(tf.constant("hello from a server")).decode())


def placed_sum(device):
    a, b = tf.constant([1.0, 2.0], name="a"), tf.constant([3.0, 4.0], name="b")
    with tf.device(device):
        return tf.add(a, b, name="total")


def main():
    what = sys.argv[1]
    if what == "hello":
        return hello()
    config = tf.ConfigProto(log_device_placement=what == "placement", allow_soft_placement=what == "soft")
    with tf.Session(config=config) as session:
        print(session.run(placed_sum("/cpu:0" if what == "placement" else "/device:GPU:7")))


main()
