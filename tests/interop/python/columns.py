"""Prints what feature columns make with the module tensorflow, whichever that is: columns.py VOCABULARY_FILE"""
import sys

import numpy as np
from recording import tf

with open(sys.argv[1], "w") as out:
    out.write("red\ngreen\nblue\n")
fc = tf.feature_column
age = fc.numeric_column("age", normalizer_fn=lambda x: x / 10.0)
pair = fc.numeric_column("pair", shape=[2], default_value=1.5)
buckets = fc.bucketized_column(age, [1.0, 2.5, 4.0])
wide = fc.bucketized_column(pair, [0.0, 3.0])
hashed = fc.categorical_column_with_hash_bucket("word", 7)
numbers = fc.categorical_column_with_hash_bucket("number", 5, tf.int64)
listed = fc.categorical_column_with_vocabulary_list("colour", ["red", "green"], num_oov_buckets=2)
filed = fc.categorical_column_with_vocabulary_file("colour", sys.argv[1], 3)
identity = fc.categorical_column_with_identity("number", 4, default_value=0)
weighted = fc.weighted_categorical_column(identity, "weight")
crossed = fc.crossed_column(["word", listed, buckets], 11)
texts = fc.crossed_column(["word", "colour"], 6)
DENSE = [age, pair, buckets, wide, fc.indicator_column(listed), fc.indicator_column(weighted),
         fc.embedding_column(hashed, 3), fc.embedding_column(crossed, 2, "sum"), fc.embedding_column(weighted, 2),
         fc.embedding_column(filed, 2, "sqrtn", max_norm=1.0)]
LINEAR = [age, buckets, wide, hashed, identity, listed, weighted, crossed, texts]


def features():
    words = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [3, 0]], ["a", "b", "c", "a"], [4, 2])
    return {"age": tf.constant([5.0, 15.0, 30.0, 45.0]), "pair": tf.constant([[1.0, 2.0], [-1.0, 4.0], [0.0, 3.0], [9.0, 9.0]]),
            "word": words, "number": tf.constant([[1, 2], [-1, 3], [9, 0], [2, -1]], tf.int64),
            "colour": tf.constant(["red", "blue", "", "green"]),
            "weight": tf.constant([[0.5, 2.0], [0.0, 3.0], [1.0, 4.0], [0.25, 0.0]])}


def without_empty(made):
    """For columns whose ids and weights must be at the same places."""
    made["number"] = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0], [3, 0]], tf.constant([1, 2, 3, 9, 2], tf.int64), [4, 2])
    made["weight"] = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [2, 0], [3, 0]], [0.5, 2.0, 3.0, -1.0, 0.25], [4, 2])
    return made


def show(build):
    with tf.Graph().as_default(), tf.Session() as session:
        made = build(without_empty(features()))
        for v in tf.global_variables():
            print(v.name, v.shape.as_list(), v in tf.trainable_variables(), v in tf.get_collection("model_variables"))
            size = int(np.prod(v.shape.as_list()))
            v.initializer.run()
            session.run(v.assign(np.linspace(-1.0, 1.0, size).reshape(v.shape.as_list())))
        session.run(tf.tables_initializer())
        print([["%.3f" % (x + 0.0) for x in row] for row in session.run(made)])


show(lambda f: fc.input_layer(f, DENSE))
show(lambda f: fc.linear_model(f, LINEAR, units=2))
show(lambda f: fc.linear_model(f, LINEAR, sparse_combiner="mean"))
for kind in DENSE, LINEAR:
    for key, value in sorted(fc.make_parse_example_spec(kind).items()):
        print(key, type(value).__name__, value.dtype.name, getattr(value, "shape", None), getattr(value, "default_value", None))
print(numbers.name, texts.name, crossed.name)
