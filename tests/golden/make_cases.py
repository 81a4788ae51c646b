#!/usr/bin/env python3
"""Records golden cases of sparse tensors on their way through queues (cases/sparse_batches) and of SequenceExamples
(cases/sequence_examples) as TensorFlow runs them. The files are those that tests/golden_internal.c reads."""
import os

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import gen_parsing_ops, gen_sparse_ops

tf.disable_v2_behavior()
HERE = os.path.dirname(os.path.abspath(__file__))

TOLERANCES = {tf.float32: "1e-05 1e-06", tf.float64: "1e-05 1e-06", tf.float16: "2e-03 1e-03", tf.bfloat16: "1e-02 1e-02"}


class Case:
    """A graph that is built by its runs' functions, and what its runs gave."""

    def __init__(self, name, absolute=None):
        """absolute: how far results of float and double may be off, where large values cancel out."""
        self.name = name
        self.tolerances = dict(TOLERANCES)
        self.constants = {}
        if absolute:
            self.tolerances.update({kind: "1e-05 %g" % absolute for kind in (tf.float32, tf.float64)})
        self.folder = os.path.join(HERE, "cases", name)
        self.graph = tf.Graph()
        self.manifest = ["case " + name]
        self.blob = b""
        self.places = {}
        self.tolerances = TOLERANCES
        config = tf.ConfigProto()
        config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.session = tf.Session(graph=self.graph, config=config)

    def place(self, value):
        proto = tf.make_tensor_proto(value).SerializeToString()
        if proto not in self.places:
            self.places[proto] = len(self.blob)
            self.blob += proto
        return "%d %d" % (self.places[proto], len(proto))

    def constant(self, value):
        """A constant of the graph, the same for equal values."""
        value = np.asarray(value)
        key = (value.tobytes(), value.shape, value.dtype)
        if key not in self.constants:
            self.constants[key] = tf.constant(value)
        return self.constants[key]

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
                lines.append("fetch %s %s %s" % (tensor.name, self.place(value), self.tolerances.get(tensor.dtype, "0 0")))
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
        # As they are inferred from the GraphDef, not from what Python knew when it built the graph.
        with tf.Graph().as_default() as imported:
            tf.import_graph_def(self.graph.as_graph_def(), name="")
        with open(os.path.join(self.folder, "graph.shapes.txt"), "w") as out:
            for operation in imported.get_operations():
                for tensor in operation.outputs:
                    out.write("%s %s %s\n" % (tensor.name, tensor.dtype.name, self.shape(tensor)))

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


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def texts(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def sequence(context=None, lists=None):
    lists = {key: tf.train.FeatureList(feature=steps) for key, steps in (lists or {}).items()}
    return tf.train.SequenceExample(context=tf.train.Features(feature=context or {}),
                                    feature_lists=tf.train.FeatureLists(feature_list=lists)).SerializeToString()


NOTHING = tf.train.Feature()
FULL = sequence({"id": ints(7), "tags": texts(b"x", b"yy"), "size": floats(1.5, 2.5)},
                {"tokens": [ints(1), ints(2), ints(3)], "weights": [floats(0.5, 1.0), floats(2.0, 3.0)],
                 "words": [texts(b"a"), texts(b""), texts(b"ccc")], "bags": [ints(1, 2), ints(), ints(3)]})
SHORT = sequence({"id": ints(8), "size": floats(3.5, 4.5)},
                 {"tokens": [ints(4)], "weights": [], "words": [texts(b"d")], "bags": [ints(9, 8, 7), NOTHING]})
BARE = sequence({"id": ints(9)}, {"tokens": [], "words": []})
# Merged as a protobuf is: of a key that comes twice the last counts.
TWICE = FULL + SHORT

CONTEXT = {"id": tf.FixedLenFeature([], tf.int64), "tags": tf.VarLenFeature(tf.string),
           "size": tf.FixedLenFeature([2], tf.float32, default_value=[-1.0, -2.0])}
LISTS = {"tokens": tf.FixedLenSequenceFeature([], tf.int64),
         "weights": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
         "words": tf.FixedLenSequenceFeature([], tf.string), "bags": tf.VarLenFeature(tf.int64)}
RAGGED = {"tags": tf.io.RaggedFeature(tf.string), "id": tf.io.RaggedFeature(tf.int64, row_splits_dtype=tf.int64)}
RAGGED_LISTS = {"bags": tf.io.RaggedFeature(tf.int64), "words": tf.io.RaggedFeature(tf.string)}


def flat(results):
    """All tensors of dictionaries of tensors and composite ones."""
    tensors = []
    for dictionary in results:
        for key in sorted(dictionary):
            tensors += tf.nest.flatten(dictionary[key], expand_composites=True)
    return tensors


def sequence_examples():
    case = Case("sequence_examples")
    with case.graph.as_default():
        one = tf.placeholder(tf.string, [], name="one")
        many = tf.placeholder(tf.string, [None], name="many")
        three = tf.placeholder(tf.string, [3], name="three")
        any_rank = tf.placeholder(tf.string, None, name="any")
    parse, parse_one = tf.io.parse_sequence_example, tf.io.parse_single_sequence_example

    def compare(build, fed, values):
        with case.graph.as_default():
            fetches = build()
        for value in values:
            case.again(fetches, {fed: value})

    good = [FULL, SHORT, BARE, TWICE, b""]
    compare(lambda: flat(parse_one(one, CONTEXT, LISTS)), one, good)
    compare(lambda: flat(parse_one(one, RAGGED, RAGGED_LISTS)), one, good)
    compare(lambda: flat(parse(many, CONTEXT, LISTS)), many, [[FULL, SHORT, BARE], [BARE, FULL], [SHORT], [FULL, b""]])
    compare(lambda: flat(parse(three, RAGGED, RAGGED_LISTS)), three, [[FULL, SHORT, BARE], [BARE, BARE, b""]])

    # What does not fit.
    bad = [sequence({"id": NOTHING}), sequence({"id": ints(1)}), sequence({"id": ints(1, 2)}),
           sequence({"id": floats(1)}), sequence({"id": ints(1)}, {"k": [ints(1), ints(2)]}),
           sequence({"id": ints(1)}, {"k": [NOTHING, ints(2)]}),
           sequence({"id": ints(1)}, {"k": [ints(1, 2)]}), sequence({"id": ints(1)}, {"k": [floats(1)]}),
           sequence({"id": ints(1)}, {"k": []}), sequence({"id": ints(1)}, {"k": [floats(), ints(2)]})]
    for context in (tf.FixedLenFeature([], tf.int64), tf.VarLenFeature(tf.int64),
                    tf.FixedLenFeature([], tf.int64, default_value=5)):
        for lists in (tf.FixedLenSequenceFeature([], tf.int64), tf.VarLenFeature(tf.int64),
                      tf.FixedLenSequenceFeature([], tf.int64, allow_missing=True)):
            compare(lambda c=context, l=lists: flat(parse_one(one, {"id": c}, {"k": l}, example_name="n")), one, bad)
            compare(lambda c=context, l=lists: flat(parse(many, {"id": c}, {"k": l})), many, [[x] for x in bad])

    # The older ops.
    outputs = dict(context_sparse_types=[tf.string], feature_list_sparse_types=[tf.int64],
                   feature_list_dense_types=[tf.int64, tf.float32], context_dense_shapes=[[], [2]],
                   feature_list_dense_shapes=[[], [2]])

    def old(fed):
        return gen_parsing_ops.parse_sequence_example(
            fed, tf.constant([], tf.string), [tf.constant([], tf.int64), tf.constant([-1.0, -2.0])],
            feature_list_dense_missing_assumed_empty=["weights"], context_sparse_keys=["tags"],
            context_dense_keys=["id", "size"], feature_list_sparse_keys=["bags"],
            feature_list_dense_keys=["tokens", "weights"], Ncontext_sparse=1, Ncontext_dense=2, Nfeature_list_sparse=1,
            Nfeature_list_dense=2, **outputs)

    def old_single(fed):
        return gen_parsing_ops.parse_single_sequence_example(
            fed, ["weights"], ["tags"], ["id", "size"], ["bags"], ["tokens", "weights"],
            [tf.constant([], tf.int64), tf.constant([-1.0, -2.0])], "name", **outputs)

    def every(result):
        return tf.nest.flatten(list(result))

    compare(lambda: every(old(many)), many, [[FULL, SHORT, BARE], [SHORT], [FULL, b""]])
    compare(lambda: every(old(any_rank)), any_rank, [[SHORT, FULL], FULL, [[FULL]]])
    compare(lambda: every(old_single(one)), one, good)
    compare(lambda: every(old_single(any_rank)), any_rank, [FULL, [FULL]])
    case.write()


if __name__ == "__main__":
    sparse_batches()
    sequence_examples()
