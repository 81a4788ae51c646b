#!/usr/bin/env python3
"""Records golden cases of sparse tensors on their way through queues (cases/sparse_batches) and of SequenceExamples
(cases/sequence_examples) as TensorFlow runs them. The files are those that tests/golden_internal.c reads."""
import os

import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_parsing_ops, gen_sparse_ops

tf.disable_v2_behavior()
HERE = os.path.dirname(os.path.abspath(__file__))


class Case:
    """A graph that is built by its runs' functions, and what its runs gave."""

    def __init__(self, name):
        self.name = name
        self.folder = os.path.join(HERE, "cases", name)
        self.graph = tf.Graph()
        self.manifest = ["case " + name]
        self.blob = b""
        config = tf.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.session = tf.Session(graph=self.graph, config=config)

    def place(self, value):
        proto = tf.make_tensor_proto(value).SerializeToString()
        at = len(self.blob)
        self.blob += proto
        return "%d %d" % (at, len(proto))

    def run(self, build, feeds=None):
        """Fetches the tensors that build() returns, with feeds {placeholder: value}."""
        with self.graph.as_default():
            fetches = build()
        self.again(fetches, feeds)
        return fetches

    def again(self, fetches, feeds=None):
        lines = ["run"]
        for tensor, value in (feeds or {}).items():
            lines.append("feed %s %s" % (tensor.name, self.place(value)))
        try:
            values = self.session.run(fetches, feeds)
            for tensor, value in zip(fetches, values):
                exact = tensor.dtype not in (tf.float32, tf.float64)
                lines.append("fetch %s %s %s" % (tensor.name, self.place(value), "0 0" if exact else "1e-05 1e-06"))
        except tf.errors.OpError as error:
            lines += ["fetch_fails " + tensor.name for tensor in fetches]
            lines.append("error %s %d" % (type(error).__name__, error.error_code))
        self.manifest += lines + ["end"]

    def write(self):
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, "graph.pb"), "wb") as out:
            out.write(self.graph.as_graph_def().SerializeToString(deterministic=True))
        with open(os.path.join(self.folder, "tensors.bin"), "wb") as out:
            out.write(self.blob)
        with open(os.path.join(self.folder, "manifest.txt"), "w") as out:
            out.write("\n".join(self.manifest) + "\n")
        with open(os.path.join(self.folder, "graph.shapes.txt"), "w") as out:
            for operation in self.graph.get_operations():
                for tensor in operation.outputs:
                    out.write("%s %s %s\n" % (tensor.name, tensor.dtype.base_dtype.name, self.shape(tensor)))

    @staticmethod
    def shape(tensor):
        if tensor.shape.rank is None:
            return "?"
        return "[%s]" % ",".join("?" if d is None else str(d) for d in tensor.shape.as_list())


def sparse(indices, values, shape, dtype=tf.float32):
    """Parts whose shapes the graph does not tell."""
    rank = len(indices[0]) if indices else len(shape)
    indices = tf.reshape(tf.constant(indices, tf.int64), [-1, rank])
    return [tf.placeholder_with_default(x, None) for x in
            (indices, tf.constant(values, dtype), tf.constant(shape, tf.int64))]


MATRIX = ([[0, 0], [1, 1]], [1.0, 2.0], [3, 4])
WIDE = ([[1, 0]], [3.0], [2, 7])
EMPTY = ([], [], [2, 2])
VECTOR = ([[1]], [3.0], [7])
UNORDERED = ([[1, 1], [0, 0]], [3.0, 4.0], [2, 7])
OUTSIDE = ([[9, 9]], [3.0], [2, 7])


def sparse_batches():
    case = Case("sparse_batches")
    one, many = gen_sparse_ops.serialize_sparse, gen_sparse_ops.serialize_many_sparse
    back, many_back = gen_sparse_ops.deserialize_sparse, gen_sparse_ops.deserialize_many_sparse

    # Bytes.
    for parts in (MATRIX, EMPTY, VECTOR, ([[0, 0], [0, 1]], [1.0, 2.0, 3.0], [3, 4, 5])):
        rank = len(parts[0][0]) if parts[0] else 2
        case.run(lambda p=parts, r=rank: [one(tf.constant(p[0], tf.int64, shape=[len(p[0]), r]),
                                              tf.constant(p[1], tf.float32), tf.constant(p[2], tf.int64))])
    case.run(lambda: [one(*sparse([[0, 0]], ["text"], [3, 4], tf.string))])
    case.run(lambda: [one(*sparse([[0, 1]], [True], [3, 4], tf.bool))])
    case.run(lambda: [one(tf.placeholder_with_default(tf.constant([1, 2], tf.int64), None), [1.0], [2])])
    rows = ([[0, 0, 1], [2, 1, 1], [2, 2, 0]], [1.0, 2.0, 3.0], [4, 3, 2])
    case.run(lambda: [many(*sparse(*rows))])
    case.run(lambda: [many(*sparse(rows[0], ["a", "", "ccc"], rows[2], tf.string))])
    case.run(lambda: [many(*sparse([], [], [0, 4]))])
    case.run(lambda: [many(*sparse([], [], [2, 4]))])
    for bad in (UNORDERED, OUTSIDE, VECTOR, ([[0, 0], [0, 0]], [1.0, 2.0], [3, 4]), ([[0, 0]], [1.0, 2.0], [3, 4]),
                ([[0, 0]], [1.0], [-1, 4]), ([[-1, 0]], [1.0], [1, 4])):
        case.run(lambda b=bad: [many(*sparse(*b))])

    # There and back.
    def stacked(parts, shape=None, dtype=tf.float32, function=back, element=tf.string):
        serialized = tf.stack([one(*sparse(*p), out_type=element) for p in parts])
        if shape:
            serialized = tf.reshape(serialized, shape)
        return list(function(serialized, dtype=dtype))

    case.run(lambda: stacked([MATRIX, WIDE, EMPTY]))
    case.run(lambda: stacked([MATRIX, WIDE, EMPTY], function=many_back))
    case.run(lambda: stacked([MATRIX, WIDE, EMPTY, WIDE], shape=[2, 2, 3]))
    case.run(lambda: stacked([MATRIX], shape=[3]))
    case.run(lambda: stacked([MATRIX], shape=[1, 3]))
    case.run(lambda: stacked([MATRIX, UNORDERED, OUTSIDE]))
    case.run(lambda: stacked([MATRIX, WIDE], element=tf.variant))
    case.run(lambda: stacked([MATRIX], shape=[3], element=tf.variant))
    case.run(lambda: list(back(many(*sparse(*rows), out_type=tf.variant), dtype=tf.float32)))
    case.run(lambda: list(many_back(many(*sparse(*rows)), dtype=tf.float32)))
    case.run(lambda: stacked([MATRIX, VECTOR]))
    case.run(lambda: stacked([MATRIX, WIDE], dtype=tf.int32))
    case.run(lambda: stacked([MATRIX, WIDE], dtype=tf.int32, element=tf.variant))
    with case.graph.as_default():
        fed = tf.placeholder(tf.string, None)
        fetches = list(back(fed, dtype=tf.float32))
    for value in ("a", ["a", "b"], [["a", "b"]], ["a", "", ""], [["a", "", ""], ["", "", ""]]):
        case.again(fetches, {fed: value})

    # Through a map.
    add, add_many = gen_sparse_ops.add_sparse_to_tensors_map, gen_sparse_ops.add_many_sparse_to_tensors_map
    take = gen_sparse_ops.take_many_sparse_from_tensors_map

    def taken(parts, dtype=tf.float32, change=lambda handles: handles):
        first = add(*sparse(*parts[0]))
        handles = [first] + [add(*sparse(*p), shared_name=first.op.name) for p in parts[1:]]
        return list(take(change(tf.stack(handles)), dtype=dtype, shared_name=first.op.name))

    case.run(lambda: taken([MATRIX, WIDE, EMPTY]))
    case.run(lambda: taken([MATRIX, UNORDERED, OUTSIDE]))
    case.run(lambda: taken([MATRIX, WIDE], change=lambda handles: tf.reverse(handles, [0])))
    case.run(lambda: taken([MATRIX, WIDE], dtype=tf.int32))
    case.run(lambda: taken([MATRIX, VECTOR]))
    case.run(lambda: taken([MATRIX], change=lambda handles: tf.concat([handles, handles], 0)))
    case.run(lambda: taken([MATRIX], change=lambda handles: tf.placeholder_with_default(handles[0], None)))
    case.run(lambda: taken([MATRIX], change=lambda handles: handles[:0]))
    case.run(lambda: taken([MATRIX, ([[0, 0]], [1.0], [3, 4, 5])]))
    case.run(lambda: list(take(tf.constant([0], tf.int64), dtype=tf.float32)))

    def many_taken(parts, dtype=tf.float32):
        handles = add_many(*sparse(*parts, dtype))
        return list(take(handles, dtype=dtype, shared_name=handles.op.name))

    case.run(lambda: many_taken(rows))
    case.run(lambda: many_taken((rows[0], ["a", "", "ccc"], rows[2]), tf.string))
    for bad in (UNORDERED, OUTSIDE, VECTOR, ([], [], [0, 4])):
        case.run(lambda b=bad: many_taken(b))
    case.write()


sparse_batches()
