"""tf.keras.backend: the session of Keras, the learning phase, and functions over tensors."""
import weakref

import numpy as np
import sluice as tf
from sluice import _nest
from sluice._api import export, export_value
from sluice._graph import get_default_graph, name_scope, reset_default_graph

_state = {"session": None, "epsilon": 1e-7, "floatx": "float32", "format": "channels_last"}
_graphs = weakref.WeakKeyDictionary()  # graph -> {"names": counts, "phase": tensor or 0 or 1}


def _export(*names):
    return export(*["keras.backend." + name for name in names])


def _of_graph(key, default=None):
    return _graphs.setdefault(get_default_graph(), {}).get(key, default)


def _set_of_graph(key, value):
    _graphs.setdefault(get_default_graph(), {})[key] = value
    return value


@_export("get_uid")
def get_uid(prefix=""):
    """1, 2, ... for each name."""
    counts = _of_graph("names") or _set_of_graph("names", {})
    counts[prefix] = counts.get(prefix, 0) + 1
    return counts[prefix]


def unique_object_name(name):
    number = get_uid(name)
    return name if number == 1 else "%s_%d" % (name, number - 1)


# --- The session ---

@_export("get_session")
def get_session(op_input_list=()):
    """The default session, or one that Keras keeps; variables of the graph are initialised."""
    found = tf.get_default_session()
    if found is None:
        found = _state["session"]
        if found is None or found.graph is not get_default_graph():
            found = _state["session"] = tf.Session()
    _initialize(found)
    return found


def _initialize(session):
    """Initialises the variables that have no value yet."""
    with session.graph.as_default():
        new = [v for v in tf.global_variables() if not getattr(v, "_keras_initialized", False)]
        if not new:
            return
        checks = [v._keras_check if hasattr(v, "_keras_check") else tf.is_variable_initialized(v) for v in new]
        has = session.run(checks)
        missing = []
        for variable, check, value in zip(new, checks, has):
            variable._keras_check, variable._keras_initialized = check, True
            if not value:
                missing.append(variable)
        if missing:
            session.run([v.initializer for v in missing])


@_export("set_session")
def set_session(session):
    _state["session"] = session


@_export("clear_session")
def clear_session():
    """A new graph, a new session, names from the start."""
    reset_default_graph()
    _state["session"] = None


@_export("learning_phase")
def learning_phase():
    """Whether layers train: a tensor that Model.fit feeds, or what set_learning_phase said."""
    found = _of_graph("phase")
    if found is None:
        with name_scope(""):
            found = _set_of_graph("phase", tf.placeholder_with_default(False, shape=(), name="keras_learning_phase"))
    return found


@_export("set_learning_phase")
def set_learning_phase(value):
    if value not in (0, 1):
        raise ValueError("Expected learning phase to be 0 or 1.")
    _set_of_graph("phase", int(value))


def phase_feeds(training):
    """What to feed for a step with or without training."""
    found = _of_graph("phase")
    return {found: training} if isinstance(found, tf.Tensor) else {}


# --- Settings ---

def _setting(key, name, cast):
    @_export(name)
    def get():
        return _state[key]

    @_export("set_" + name)
    def change(value):
        _state[key] = cast(value)
    return get


epsilon, floatx = _setting("epsilon", "epsilon", float), _setting("floatx", "floatx", str)
image_data_format = _setting("format", "image_data_format", str)


# --- Variables and values ---

@_export("variable")
def variable(value, dtype=None, name=None, constraint=None):
    return tf.Variable(value, dtype=tf.as_dtype(dtype or floatx()), name=name, constraint=constraint, use_resource=True)


@_export("constant")
def constant(value, dtype=None, shape=None, name=None):
    return tf.constant(value, dtype=dtype or floatx(), shape=shape, name=name or "Const")


@_export("placeholder")
def placeholder(shape=None, ndim=None, dtype=None, sparse=False, name=None):
    if shape is None and ndim is not None:
        shape = [None] * ndim
    make = tf.sparse_placeholder if sparse else tf.placeholder
    return make(tf.as_dtype(dtype or floatx()), shape=shape, name=name)


@_export("get_value")
def get_value(x):
    return get_session().run(x) if hasattr(x, "op") else x


@_export("batch_get_value")
def batch_get_value(tensors):
    return get_session().run(list(tensors)) if tensors else []


@_export("set_value")
def set_value(x, value):
    batch_set_value([(x, value)])


@_export("batch_set_value")
def batch_set_value(tuples):
    """Gives variables values."""
    ops, feeds = [], {}
    session = get_session()
    for variable_, value in tuples:
        if not hasattr(variable_, "_keras_assign"):
            with variable_.graph.as_default():
                place = tf.placeholder(variable_.dtype.base_dtype, variable_.shape)
                variable_._keras_assign = place, tf.assign(variable_, place)
        place, op = variable_._keras_assign
        ops.append(op.op if hasattr(op, "op") else op)
        feeds[place] = np.asarray(value, dtype=variable_.dtype.base_dtype.as_numpy_dtype)
    if ops:
        session.run(ops, feeds)


@_export("eval")
def eval_(x):
    return get_value(x)


@_export("function")
def function(inputs, outputs, updates=None, name=None, **kwargs):
    """A Python function that runs the graph: lists of arrays in, lists of arrays out."""
    flat = _nest.flatten(outputs)

    def call(values):
        session = get_session()
        feeds = {place: value for place, value in zip(_nest.flatten(inputs), _nest.flatten(values))
                 if isinstance(place, tf.Tensor)}
        for place, value in list(feeds.items()):
            if place is _of_graph("phase"):
                feeds[place] = bool(value)
        ops = [tf.assign(*u) if isinstance(u, tuple) else u for u in updates or []] if not call.ops else call.ops
        call.ops = ops
        results = session.run((flat, [o.op if hasattr(o, "op") else o for o in ops]), feeds)[0]
        return _nest.pack_sequence_as(outputs, results) if isinstance(outputs, (list, tuple, dict)) else results[0]
    call.ops = []
    return call


@_export("count_params")
def count_params(x):
    return x.shape.num_elements()


@_export("int_shape")
def int_shape(x):
    found = getattr(x, "_keras_shape", None) or x.shape
    return None if found.ndims is None else tuple(found.as_list())


@_export("ndim")
def ndim(x):
    return x.shape.ndims


@_export("dtype")
def dtype(x):
    return x.dtype.base_dtype.name


@_export("is_keras_tensor")
def is_keras_tensor(x):
    return hasattr(x, "_keras_history")


@_export("is_tensor", "is_variable")
def is_tensor(x):
    return isinstance(x, (tf.Tensor, tf.Variable))


@_export("is_sparse")
def is_sparse(tensor):
    return isinstance(tensor, tf.SparseTensor)


@_export("in_train_phase")
def in_train_phase(x, alt, training=None):
    from sluice._layers_core import smart_cond
    training = learning_phase() if training is None else training

    def branch(v):
        return v if callable(v) else lambda: v
    return smart_cond(training, branch(x), branch(alt))


@_export("in_test_phase")
def in_test_phase(x, alt, training=None):
    return in_train_phase(alt, x, training)


@_export("switch")
def switch(condition, then_expression, else_expression):
    if condition.shape.ndims == 0:
        return tf.cond(tf.cast(condition, tf.bool), then_expression if callable(then_expression) else lambda: then_expression,
                       else_expression if callable(else_expression) else lambda: else_expression)
    return tf.where(tf.cast(condition, tf.bool), then_expression() if callable(then_expression) else then_expression,
                    else_expression() if callable(else_expression) else else_expression)


@_export("update")
def update(x, new_x):
    return tf.assign(x, new_x)


@_export("update_add")
def update_add(x, increment):
    return tf.assign_add(x, increment)


@_export("update_sub")
def update_sub(x, decrement):
    return tf.assign_sub(x, decrement)


@_export("moving_average_update")
def moving_average_update(x, value, momentum):
    return tf.assign(x, x * momentum + value * (1.0 - momentum))


@_export("gradients")
def gradients(loss, variables):
    return tf.gradients(loss, variables)


# --- Functions over tensors ---

@_export("categorical_crossentropy")
def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """The cross entropy of probabilities (or logits) over the axis."""
    if from_logits:
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=output, axis=axis)
    if output.op.type == "Softmax":  # the logits are known, and more precise
        return tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=output.op.inputs[0], axis=axis)
    output = output / tf.reduce_sum(output, axis, True)
    output = tf.clip_by_value(output, epsilon(), 1.0 - epsilon())
    return -tf.reduce_sum(target * tf.math.log(output), axis)


@_export("sparse_categorical_crossentropy")
def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    if not from_logits:
        if output.op.type == "Softmax":
            output = output.op.inputs[0]
        else:
            output = tf.math.log(tf.clip_by_value(output, epsilon(), 1.0 - epsilon()))
    rank = output.shape.ndims
    target = tf.cast(target, tf.int64)
    if rank is not None and target.shape.ndims is not None and target.shape.ndims == rank:
        target = tf.squeeze(target, -1)
    if rank is not None and rank > 2:
        shape = tf.shape(output)
        made = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(target, [-1]),
                                                              logits=tf.reshape(output, [-1, shape[-1]]))
        return tf.reshape(made, shape[:-1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tf.reshape(target, [-1]), logits=output)


@_export("binary_crossentropy")
def binary_crossentropy(target, output, from_logits=False):
    if not from_logits:
        if output.op.type == "Sigmoid":
            output = output.op.inputs[0]
        else:
            output = tf.clip_by_value(output, epsilon(), 1.0 - epsilon())
            return -(target * tf.math.log(output + epsilon()) + (1 - target) * tf.math.log(1 - output + epsilon()))
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)


def _reduction(function):
    return lambda x, axis=None, keepdims=False: function(x, axis, keepdims)


def _any_type(function):
    return lambda x, axis=None, keepdims=False: function(tf.cast(x, tf.bool), axis, keepdims)


def _mean(x, axis=None, keepdims=False):
    return tf.reduce_mean(tf.cast(x, floatx()) if x.dtype.base_dtype == tf.bool else x, axis, keepdims)


def _var(x, axis=None, keepdims=False):
    return tf.reduce_mean(tf.math.squared_difference(x, tf.reduce_mean(x, axis, True)), axis, keepdims)


def _dot(x, y):
    if x.shape.ndims is not None and (x.shape.ndims > 2 or y.shape.ndims > 2):
        return tf.tensordot(x, y, [[x.shape.ndims - 1], [max(y.shape.ndims - 2, 0)]])
    return tf.sparse_tensor_dense_matmul(x, y) if isinstance(x, tf.SparseTensor) else tf.matmul(x, y)


def _sized(function):
    return lambda x, dtype=None, name=None: variable(function(x, dtype), dtype, name) if not hasattr(x, "op") else function(x)


def _random(function):
    def call(shape, *args, **kwargs):
        dtype_, seed = kwargs.pop("dtype", None), kwargs.pop("seed", None)
        given = {"mean": kwargs.pop("mean", None), "stddev": kwargs.pop("stddev", None), "minval": kwargs.pop("minval", None),
                 "maxval": kwargs.pop("maxval", None)}
        return function(shape, *args, dtype=dtype_ or floatx(), seed=seed,
                        **{k: v for k, v in given.items() if v is not None})
    return call


for _name, _function in {
        "abs": tf.abs, "all": _any_type(tf.reduce_all), "any": _any_type(tf.reduce_any), "argmax": lambda x, axis=-1:
        tf.argmax(x, axis), "argmin": lambda x, axis=-1: tf.argmin(x, axis), "cast": lambda x, dtype: tf.cast(x, dtype),
        "clip": lambda x, lo, hi: tf.clip_by_value(x, lo, max(lo, hi)), "concatenate": lambda tensors, axis=-1:
        tf.concat(list(tensors), axis), "cos": tf.cos, "sin": tf.sin, "cumsum": lambda x, axis=0: tf.cumsum(x, axis),
        "cumprod": lambda x, axis=0: tf.cumprod(x, axis), "dot": _dot, "elu": lambda x, alpha=1.0:
        tf.nn.elu(x) if alpha == 1 else tf.where(x > 0, x, alpha * tf.nn.elu(x)), "equal": tf.equal, "exp": tf.exp,
        "expand_dims": lambda x, axis=-1: tf.expand_dims(x, axis), "flatten": lambda x: tf.reshape(x, [-1]),
        "batch_flatten": lambda x: tf.reshape(x, [-1, int(np.prod(x.shape.as_list()[1:]))]), "gather": tf.gather,
        "greater": tf.greater, "greater_equal": tf.greater_equal, "less": tf.less, "less_equal": tf.less_equal,
        "hard_sigmoid": lambda x: tf.clip_by_value(0.2 * x + 0.5, 0.0, 1.0), "identity": tf.identity,
        "l2_normalize": lambda x, axis=None: tf.nn.l2_normalize(x, axis), "log": tf.math.log, "max": _reduction(tf.reduce_max),
        "maximum": tf.maximum, "mean": _mean, "min": _reduction(tf.reduce_min), "minimum": tf.minimum, "not_equal":
        tf.not_equal, "one_hot": tf.one_hot, "ones": lambda shape, dtype=None, name=None:
        variable(np.ones(shape), dtype, name), "zeros": lambda shape, dtype=None, name=None:
        variable(np.zeros(shape), dtype, name), "ones_like": lambda x, dtype=None, name=None: tf.ones_like(x, dtype, name),
        "zeros_like": lambda x, dtype=None, name=None: tf.zeros_like(x, dtype, name), "permute_dimensions":
        lambda x, pattern: tf.transpose(x, pattern), "pow": tf.pow, "prod": _reduction(tf.reduce_prod),
        "random_normal": _random(tf.random_normal), "random_uniform": _random(tf.random_uniform), "truncated_normal":
        _random(tf.truncated_normal), "relu": lambda x, alpha=0.0, max_value=None, threshold=0: relu(
            x, alpha, max_value, threshold), "repeat": lambda x, n: tf.tile(tf.expand_dims(x, 1), [1, n, 1]), "reshape":
        tf.reshape, "reverse": lambda x, axes: tf.reverse(x, [axes] if isinstance(axes, int) else axes), "round": tf.round,
        "shape": tf.shape, "sigmoid": tf.sigmoid, "sign": tf.sign, "softmax": lambda x, axis=-1: tf.nn.softmax(x, axis),
        "softplus": tf.nn.softplus, "softsign": tf.nn.softsign, "sqrt": lambda x: tf.sqrt(tf.maximum(x, 0.0)), "square":
        tf.square, "squeeze": lambda x, axis: tf.squeeze(x, [axis]), "stack": lambda x, axis=0: tf.stack(x, axis), "std":
        lambda x, axis=None, keepdims=False: tf.sqrt(_var(x, axis, keepdims)), "stop_gradient": tf.stop_gradient, "sum":
        _reduction(tf.reduce_sum), "logsumexp": _reduction(tf.reduce_logsumexp), "tanh": tf.tanh, "tile": tf.tile,
        "transpose": tf.transpose, "var": _var, "name_scope": name_scope, "map_fn": tf.map_fn, "foldl": tf.foldl, "foldr":
        tf.foldr, "to_dense": lambda t: tf.sparse_tensor_to_dense(t) if isinstance(t, tf.SparseTensor) else t,
        "in_top_k": lambda predictions, targets, k: tf.nn.in_top_k(predictions, targets, k),
        "bias_add": lambda x, bias, data_format=None: tf.nn.bias_add(x, bias), "dropout": lambda x, level, noise_shape=None,
        seed=None: tf.nn.dropout(x, rate=level, noise_shape=noise_shape, seed=seed)}.items():
    _export(_name)(_function)


def relu(x, alpha=0.0, max_value=None, threshold=0):
    """max(x, 0), with a slope |alpha| below |threshold| and at most |max_value|."""
    if alpha == 0 and threshold == 0:
        made = tf.nn.relu(x)
    else:
        made = tf.where(x > threshold, x, alpha * (x - threshold))
    return made if max_value is None else tf.minimum(made, float(max_value))


export_value("tensorflow", "keras.backend._BACKEND")
_export("backend")(lambda: "tensorflow")
