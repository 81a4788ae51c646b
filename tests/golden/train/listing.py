"""Writes the nodes of a graph as lines of text that tests/train_golden_internal.c reads.

name|op|device|inputs|first group of "_class"|attributes

Inputs that are gradients are called "gradient"; control inputs are sorted. An attribute is NAME=KIND:VALUE, KIND one
of t (type), i, f, b, s, p (shape), v (tensor: type:dims:first values) or a list of them (lt, li, …).
"""
import os
import urllib.parse

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
HERE = os.path.dirname(os.path.abspath(__file__))
SHOWN = 16  # values of a tensor


def number(x):
    return "%.6g" % x


def shape(p):
    return "?" if p.unknown_rank else ",".join(str(d.size) for d in p.dim)


def text(b):
    return urllib.parse.quote(b, safe="")


def tensor(proto):
    array = tf.make_ndarray(proto)
    if array.dtype == object:
        values = [text(x) for x in array.reshape(-1)[:SHOWN]]
    else:
        values = [number(float(x)) for x in array.reshape(-1)[:SHOWN]]
    return "%d:%s:%s" % (proto.dtype, ",".join(map(str, array.shape)), ",".join(values))


def attribute(value):
    kind = value.WhichOneof("value")
    if kind == "type":
        return "t:%d" % value.type
    if kind == "i":
        return "i:%d" % value.i
    if kind == "f":
        return "f:" + number(value.f)
    if kind == "b":
        return "b:%d" % value.b
    if kind == "s":
        return "s:" + text(value.s)
    if kind == "shape":
        return "p:" + shape(value.shape)
    if kind == "tensor":
        return "v:" + tensor(value.tensor)
    if kind == "list":
        lists = value.list
        if lists.type:
            return "lt:" + ",".join(map(str, lists.type))
        if lists.i:
            return "li:" + ",".join(map(str, lists.i))
        if lists.f:
            return "lf:" + ",".join(map(number, lists.f))
        if lists.b:
            return "lb:" + ",".join(str(int(b)) for b in lists.b)
        if lists.s:
            return "ls:" + ",".join(map(text, lists.s))
        if lists.shape:
            return "lp:" + ";".join(map(shape, lists.shape))
        return "l:"
    raise ValueError(kind)


def line(node):
    inputs, controls = [], []
    for name in node.input:
        if name.startswith("^"):
            controls.append(name)
        else:
            inputs.append("gradient" if name.startswith("gradients") else name)
    group = node.attr["_class"].list.s[0].decode() if "_class" in node.attr else ""
    attributes = ["%s=%s" % (k, attribute(node.attr[k])) for k in sorted(node.attr) if not k.startswith("_")]
    return "|".join([node.name, node.op, node.device, " ".join(inputs + sorted(controls)), group, " ".join(attributes)])


def without_unused(nodes, ops):
    """The nodes but those of the given ops that no other takes."""
    while True:
        taken = {i.lstrip("^").split(":")[0] for node in nodes for i in node.input}
        kept = [node for node in nodes if node.name in taken or node.op not in ops]
        if len(kept) == len(nodes):
            return kept
        nodes = kept


def write(name, build, skip=("gradients",), unused=()):
    """Builds a graph with build() and writes its listing NAME.txt, without nodes whose names start with skip, and
    without those of the ops in unused that no other node takes."""
    graph = tf.Graph()
    with graph.as_default():
        build()
    with open(os.path.join(HERE, name + ".txt"), "w") as out:
        for node in without_unused(list(graph.as_graph_def().node), unused):
            if not node.name.startswith(tuple(skip)):
                out.write(line(node) + "\n")


def wave(count):
    """What every trainable variable is filled with before values are recorded."""
    return np.sin(np.arange(1, count + 1)).astype(np.float32)


def write_values(name, builders):
    """For each (case, build()): the values of the tensors that build() returns, and the gradients of the sum of all
    their squares with respect to all trainable variables, as one line of NAME.txt."""
    with open(os.path.join(HERE, name + ".txt"), "w") as out:
        for case, build in builders:
            with tf.Graph().as_default(), tf.Session() as session:
                outputs = build()
                variables = tf.trainable_variables()
                loss = tf.add_n([tf.reduce_sum(tf.square(x)) for x in outputs])
                gradients = tf.gradients(loss, variables)
                for v in variables:
                    session.run(v.assign(wave(v.shape.num_elements()).reshape(v.shape.as_list())))
                values = session.run(list(outputs) + gradients)
            numbers = np.concatenate([x.reshape(-1) for x in values])
            out.write(case + " " + " ".join("%.7g" % x for x in numbers) + "\n")
