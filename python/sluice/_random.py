"""Random values: tf.random_normal and related functions, and the seeds of their ops."""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import get_default_graph, name_scope
from sluice._oplib import apply

DEFAULT_GRAPH_SEED = 87654321


@export("set_random_seed", "random.set_random_seed")
def set_random_seed(seed):
    get_default_graph().seed = seed


@export("get_seed", "random.get_seed")
def get_seed(op_seed):
    """(seed, seed2) of an op: from the graph's seed and |op_seed|; (None, None) if both are absent."""
    graph = get_default_graph()
    if graph.seed is None:
        return (None, None) if op_seed is None else (DEFAULT_GRAPH_SEED, op_seed)
    if op_seed is None:
        op_seed = graph._seeded_ops
        graph._seeded_ops += 1
    seeds = graph.seed % 2**31, op_seed % 2**31
    return (0, 2**31 - 1) if seeds == (0, 0) else seeds


def _shape(shape):
    return convert_to_tensor(shape, name="shape", dtype=_dtypes.int32) if isinstance(shape, (list, tuple)) and not shape \
        else convert_to_tensor(shape, name="shape", dtype_hint=_dtypes.int32)


def _normal(op, label, shape, mean, stddev, dtype, seed, name):
    dtype = as_dtype(dtype)
    with name_scope(name, label, [shape, mean, stddev]) as scope:
        shape = _shape(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        seed, seed2 = get_seed(seed)
        values = apply(op, None, shape=shape, dtype=dtype, seed=seed, seed2=seed2)
        return apply("AddV2", scope, x=apply("Mul", "mul", x=values, y=stddev), y=mean)


@export("random_normal", "random.normal")
def random_normal(shape, mean=0.0, stddev=1.0, dtype=_dtypes.float32, seed=None, name=None):
    return _normal("RandomStandardNormal", "random_normal", shape, mean, stddev, dtype, seed, name)


@export("truncated_normal", "random.truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=_dtypes.float32, seed=None, name=None):
    return _normal("TruncatedNormal", "truncated_normal", shape, mean, stddev, dtype, seed, name)


@export("random_uniform", "random.uniform")
def random_uniform(shape, minval=0, maxval=None, dtype=_dtypes.float32, seed=None, name=None):
    """Values of [minval, maxval); integers need |maxval|, floats are below 1 without it."""
    dtype = as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError("Must specify maxval for integer dtype %r" % dtype)
        maxval = 1
    with name_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = _shape(shape)
        from_zero, to_one = type(minval) is int and minval == 0, type(maxval) is int and maxval == 1
        if dtype.is_integer or not (from_zero and to_one):
            minval = convert_to_tensor(minval, dtype=dtype, name="min")
            maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        seed, seed2 = get_seed(seed)
        if dtype.is_integer:
            return apply("RandomUniformInt", scope, shape=shape, minval=minval, maxval=maxval, seed=seed, seed2=seed2)
        values = apply("RandomUniform", None, shape=shape, dtype=dtype, seed=seed, seed2=seed2)
        if from_zero:
            return values if to_one else apply("Mul", None, x=values, y=maxval)
        width = apply("Sub", "sub", x=maxval, y=minval)
        return apply("AddV2", scope, x=apply("Mul", "mul", x=values, y=width), y=minval)


@export("random_shuffle", "random.shuffle")
def random_shuffle(value, seed=None, name=None):
    seed, seed2 = get_seed(seed)
    return apply("RandomShuffle", name, value=value, seed=seed, seed2=seed2)


@export("multinomial", "random.multinomial")
def multinomial(logits, num_samples, seed=None, name=None, output_dtype=None):
    with name_scope(name, "multinomial", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        seed, seed2 = get_seed(seed)
        return apply("Multinomial", None, logits=logits, num_samples=num_samples, seed=seed, seed2=seed2,
                     output_dtype=output_dtype)
