"""Builds graphs with the module tensorflow, whichever that is, and writes them and their values for a comparison."""
import pickle
import sys

import numpy as np

try:
    import tensorflow.compat.v1 as tf
    if hasattr(tf, "disable_v2_behavior"):
        tf.logging.set_verbosity("ERROR")
        tf.disable_v2_behavior()
except ImportError:
    import tensorflow as tf


def plain(value):
    """(type, shape, values) of a fetched value; structures of values are lists."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return str(np.asarray(value).dtype), np.shape(value), np.asarray(value).tolist()


def record(builds):
    """Writes {name: (GraphDef, [value])} to the program's first argument. Each function of |builds| builds a graph and
    returns what to fetch, of which operations are run first, one after the other; or a function of the session that returns
    the values."""
    results = {}
    for build in builds:
        with tf.Graph().as_default() as graph:
            fetches = build()
            with tf.Session() as session:
                if callable(fetches):
                    values = fetches(session)
                else:
                    for op in fetches:
                        if isinstance(op, tf.Operation):
                            session.run(op)
                    values = session.run([f for f in fetches if not isinstance(f, tf.Operation)])
            results[build.__name__] = graph.as_graph_def().SerializeToString(), [plain(v) for v in values]
    with open(sys.argv[1], "wb") as out:
        pickle.dump(results, out)
