"""Calls public functions with small arguments, each in a graph of its own, and writes what was built and returned.

sweep.py OUT CALLS: CALLS has a line for each kind of call, "abs sqrt (f)": the names, then the arguments, which are Python with
tf, np and the values of MAKERS. OUT is a pickle, {call: (GraphDef, what was returned) or an error}.
"""
import pickle
import sys

import numpy as np

from recording import tf


def matrix(dtype, *shape):
    return np.arange(1, 1 + int(np.prod(shape)), dtype=dtype).reshape(shape)


MAKERS = {
    "f": lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]], name="f"),
    "h": lambda: tf.constant([[1.0, 2.0]], tf.float16, name="h"),
    "v": lambda: tf.constant([1.0, 2.0, 3.0], name="v"),
    "v2": lambda: tf.constant([1.0, 2.0], name="v2"),
    "z": lambda: tf.constant(0.5, name="z"),
    "n": lambda: tf.constant([[0, 1], [1, 0]], name="n"),
    "n1": lambda: tf.constant([2, 2], name="n1"),
    "ids": lambda: tf.constant([0, 1, 1], name="ids"),
    "ids2": lambda: tf.constant([0, 1], name="ids2"),
    "scalar_int": lambda: tf.constant(1, name="scalar_int"),
    "b": lambda: tf.constant([True, False, True], name="b"),
    "mask2": lambda: tf.constant([True, False], name="mask2"),
    "flag": lambda: tf.placeholder(tf.bool, [], name="flag"),
    "c": lambda: tf.constant([[1 + 2j, 3 - 1j], [2j, 1]], tf.complex64, name="c"),
    "c3": lambda: tf.constant(matrix(np.complex64, 2, 2, 2), name="c3"),
    "s": lambda: tf.constant(["a,b", "c d"], name="s"),
    "s0": lambda: tf.constant("text", name="s0"),
    "p": lambda: tf.placeholder(tf.float32, [None, 2], name="p"),
    "p3": lambda: tf.placeholder(tf.float32, [None, 3, 2], name="p3"),
    "unknown": lambda: tf.placeholder(tf.float32, name="unknown"),
    "f3": lambda: tf.constant(matrix(np.float32, 2, 2, 4), name="f3"),
    "f3s": lambda: tf.constant(matrix(np.float32, 2, 2, 3), name="f3s"),
    "t3": lambda: tf.constant(matrix(np.float32, 4, 4, 3), name="t3"),
    "u3": lambda: tf.constant(matrix(np.uint8, 4, 4, 3), name="u3"),
    "gray": lambda: tf.constant(matrix(np.float32, 4, 4, 1), name="gray"),
    "t4": lambda: tf.constant(matrix(np.float32, 1, 4, 4, 3), name="t4"),
    "up4": lambda: tf.constant(matrix(np.float32, 1, 4, 4, 2), name="up4"),
    "nchw": lambda: tf.constant(matrix(np.float32, 1, 2, 4, 4), name="nchw"),
    "depth4": lambda: tf.constant(matrix(np.float32, 1, 2, 2, 4), name="depth4"),
    "batch4": lambda: tf.constant(matrix(np.float32, 4, 2, 2, 1), name="batch4"),
    "t5": lambda: tf.constant(matrix(np.float32, 1, 4, 4, 4, 2), name="t5"),
    "up5": lambda: tf.constant(matrix(np.float32, 1, 4, 4, 4, 1), name="up5"),
    "kernel1": lambda: tf.constant(matrix(np.float32, 2, 2, 2), name="kernel1"),
    "kernel2": lambda: tf.constant(matrix(np.float32, 2, 2, 3, 2), name="kernel2"),
    "kernel3": lambda: tf.constant(matrix(np.float32, 2, 2, 2, 2, 1), name="kernel3"),
    "depthwise": lambda: tf.constant(matrix(np.float32, 2, 2, 3, 1), name="depthwise"),
    "pointwise": lambda: tf.constant(matrix(np.float32, 1, 1, 3, 2), name="pointwise"),
    "tridiagonal": lambda: tf.constant(matrix(np.float32, 3, 3), name="tridiagonal"),
    "bias2": lambda: tf.constant([0.25, 0.75], name="bias2"),
    "bias21": lambda: tf.constant([[0.25], [0.75]], name="bias21"),
    "bias3": lambda: tf.constant([0.25, 0.5, 0.75], name="bias3"),
    "samples": lambda: tf.constant(matrix(np.float32, 16), name="samples"),
    "boxes": lambda: tf.constant([[0.0, 0.0, 0.5, 0.5]], name="boxes"),
    "boxes3": lambda: tf.constant([[[0.0, 0.0, 0.5, 0.5]]], name="boxes3"),
    "boxes4": lambda: tf.constant([[[[0.0, 0.0, 0.5, 0.5]]]], name="boxes4"),
    "scores3": lambda: tf.constant([[[0.5]]], name="scores3"),
    "tall": lambda: tf.constant(matrix(np.float32, 4, 2), name="tall"),
    "tall_bias": lambda: tf.constant(matrix(np.float32, 4), name="tall_bias"),
    "labels64": lambda: tf.constant([[0], [1]], tf.int64, name="labels64"),
    "many64": lambda: tf.constant([0, 1, 2], tf.int64, name="many64"),
    "q": lambda: tf.placeholder(tf.quint8, [2], name="q"),
    "sp": lambda: tf.SparseTensor([[0, 0], [1, 1]], [1.0, 2.0], [2, 2]),
    "sp3": lambda: tf.SparseTensor([[0, 0, 0], [0, 1, 1]], [1.0, 2.0], [1, 2, 2]),
    "spi": lambda: tf.SparseTensor([[0, 0], [1, 1]], tf.constant([1, 2], tf.int64), [2, 2]),
    "sp32": lambda: tf.SparseTensor([[0, 0], [1, 1]], [1, 2], [2, 2]),
    "sl": lambda: tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]), tf.constant([2, 2])),
    "var": lambda: tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="var"),
    "ivar": lambda: tf.Variable(0, name="ivar"),
    "rvar": lambda: tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="rvar", use_resource=True),
    "step": lambda: tf.Variable(0, trainable=False, name="step"),
    "losses_made": lambda: tf.losses.add_loss(tf.constant(1.0, name="made")) or True,
    "numbers": lambda: tf.data.Dataset.range(4),
    "choices": lambda: tf.data.Dataset.from_tensor_slices(np.array([0, 1], np.int64)),
    "rows": lambda: tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]),
    "texts": lambda: tf.data.Dataset.from_tensor_slices(["a", "b"]).batch(2),
    "variant": lambda: tf.data.experimental.to_variant(tf.data.Dataset.range(4)),
}


def described(value):
    """What is compared of a value that a function returns."""
    if hasattr(value, "handle") or (isinstance(value, tf.Tensor) and value.op.type == "ReadVariableOp"):
        return "resource variable", value.dtype.base_dtype.name, str(value.shape)
    if isinstance(value, (tf.Tensor, tf.Variable)):
        name = "of gradients" if value.name.startswith("gradients") else value.name
        return name, value.dtype.name, str(value.shape)
    if isinstance(value, tf.Operation):
        return value.name
    if isinstance(value, tf.SparseTensor):
        return [described(value.indices), described(value.values), described(value.dense_shape), str(value.shape)]
    if isinstance(value, tf.IndexedSlices):
        return [described(value.values), described(value.indices), described(value.dense_shape)]
    if isinstance(value, dict):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tolist()
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return value
    if isinstance(value, (tf.DType, tf.TensorShape)):
        return str(value)
    if hasattr(value, "SerializeToString"):
        return sorted(str(value).split())
    return getattr(type(value), "__name__", "").lstrip("_")


def names_in(code):
    found = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            found |= names_in(constant)
    return found


def call(text):
    """Builds the call |text| in a new graph; returns (GraphDef, description)."""
    with tf.Graph().as_default() as graph:
        code = compile("tf." + text, text, "eval")
        arguments = {"tf": tf, "np": np}
        for name, make in MAKERS.items():
            if name in names_in(code):
                arguments[name] = make()
        result = described(eval(code, arguments))
        return graph.as_graph_def().SerializeToString(), result


def calls(path):
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            names, _, rest = line.strip().partition(" (")
            for name in names.split():
                yield name + "(" + rest


def main():
    results = {}
    for text in calls(sys.argv[2]):
        try:
            results[text] = call(text)
        except Exception as error:  # compared, too
            results[text] = "%s: %s" % (type(error).__name__, error)
    with open(sys.argv[1], "wb") as out:
        pickle.dump(results, out)


if __name__ == "__main__":
    main()
