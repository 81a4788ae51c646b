"""Further random values: gamma, Poisson, without state, and samples of classes."""
import numpy as np

from sluice import _array, _dtypes
from sluice._api import export
from sluice._control_flow import with_dependencies
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import name_scope
from sluice._oplib import apply
from sluice._random import _shape, get_seed, random_uniform

_AUTOMATIC = 3  # the library chooses the algorithm


@export("random.categorical")
def categorical(logits, num_samples, dtype=None, seed=None, name=None):
    with name_scope(name, "categorical", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        seed, seed2 = get_seed(seed)
        return apply("Multinomial", None, logits=logits, num_samples=num_samples, seed=seed, seed2=seed2,
                     output_dtype=as_dtype(dtype) if dtype is not None else _dtypes.int64)


@export("random_gamma", "random.gamma")
def random_gamma(shape, alpha, beta=None, dtype=_dtypes.float32, seed=None, name=None):
    with name_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, name="shape", dtype=_dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        together = apply("BroadcastArgs", None, s0=_array.shape_of(alpha), s1=_array.shape_of(beta))
        alpha = apply("BroadcastTo", None, input=alpha, shape=together)
        seed, seed2 = get_seed(seed)
        drawn = apply("RandomGamma", None, shape=shape, alpha=alpha, seed=seed, seed2=seed2)
        ratio = drawn / beta
        smallest = np.finfo(alpha.dtype.as_numpy_dtype).tiny
        with name_scope("Maximum") as scope:
            return apply("Maximum", scope, x=convert_to_tensor(smallest, dtype=alpha.dtype.base_dtype, name="x"), y=ratio)


@export("random_poisson", "random.poisson")
def random_poisson(lam, shape, dtype=_dtypes.float32, seed=None, name=None):
    with name_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, name="shape", dtype=_dtypes.int32)
        seed, seed2 = get_seed(seed)
        with name_scope("RandomPoissonV2") as scope:
            if not hasattr(lam, "dtype"):
                lam = convert_to_tensor(lam, name="rate")
        return apply("RandomPoissonV2", scope, shape=shape, rate=lam, dtype=dtype, seed=seed, seed2=seed2)


@export("random_crop", "image.random_crop")
def random_crop(value, size, seed=None, name=None):
    """A part of |value| of |size| at a random place."""
    from sluice import _api
    with name_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=_dtypes.int32, name="size")
        shape = _array.shape_of(value)
        check = _api.lookup("", "Assert")(
            _api.lookup("", "reduce_all")(shape >= size), ["Need value.shape >= size, got ", shape, size], summarize=1000)
        shape = with_dependencies([check], shape)
        limit = shape - size + 1
        offset = random_uniform(_array.shape_of(shape), dtype=size.dtype.base_dtype, maxval=size.dtype.max, seed=seed) % limit
        return _array.slice_of(value, offset, size, name=scope)


# --- Without state ---

def _key(seed):
    with name_scope("StatelessRandomGetKeyCounter") as scope:
        return apply("StatelessRandomGetKeyCounter", scope, seed=convert_to_tensor(seed, name="seed"))


@export("random.stateless_normal", "random.stateless_random_normal")
def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype=_dtypes.float32, name=None):
    return _stateless_normal("StatelessRandomNormal", "stateless_random_normal", shape, seed, mean, stddev, dtype, name)


@export("random.stateless_truncated_normal")
def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype=_dtypes.float32, name=None):
    return _stateless_normal("StatelessTruncatedNormal", "stateless_truncated_normal", shape, seed, mean, stddev, dtype, name)


def _stateless_normal(op, label, shape, seed, mean, stddev, dtype, name):
    with name_scope(name, label, [shape, seed, mean, stddev]) as scope:
        shape = _shape(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        key, counter = _key(seed)
        drawn = apply(op + "V2", None, shape=shape, key=key, counter=counter, dtype=dtype,
                      alg=_AUTOMATIC)
        return apply("AddV2", scope, x=drawn * stddev, y=mean)


@export("random.stateless_uniform")
def stateless_uniform(shape, seed, minval=0, maxval=None, dtype=_dtypes.float32, name=None):
    dtype = as_dtype(dtype)
    if maxval is None:
        if dtype.is_integer:
            raise ValueError("Must specify maxval for integer dtype %s." % dtype.name)
        maxval = 1
    with name_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = _shape(shape)
        minval = convert_to_tensor(minval, dtype=dtype, name="min")
        maxval = convert_to_tensor(maxval, dtype=dtype, name="max")
        key, counter = _key(seed)
        if dtype.is_integer:
            return apply("StatelessRandomUniformIntV2", scope, shape=shape, key=key, counter=counter, alg=_AUTOMATIC,
                         minval=minval, maxval=maxval)
        drawn = apply("StatelessRandomUniformV2", None, shape=shape, key=key, counter=counter, alg=_AUTOMATIC, dtype=dtype)
        return apply("AddV2", scope, x=drawn * (maxval - minval), y=minval)


@export("random.stateless_multinomial", "random.stateless_categorical")
def stateless_multinomial(logits, num_samples, seed, output_dtype=_dtypes.int64, name=None):
    with name_scope(name, "stateless_multinomial", [logits, seed]):
        logits = convert_to_tensor(logits, name="logits")
        return apply("StatelessMultinomial", None, logits=logits, num_samples=num_samples, seed=seed,
                     output_dtype=output_dtype)
