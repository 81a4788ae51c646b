"""tf.contrib.framework.arg_scope: default arguments of layers within a scope; and the variables of models."""
import contextlib
import functools

import sluice as tf
from sluice._api import export
from sluice._graph import GraphKeys, get_collection

_scopes = [{}]


def _key(function):
    return getattr(function, "_arg_scope_key", None) or "%s.%s" % (function.__module__, function.__name__)


@export("contrib.framework.add_arg_scope", "contrib.slim.add_arg_scope")
def add_arg_scope(func):
    """Lets arg_scope give defaults to |func|."""
    @functools.wraps(func)
    def call(*args, **kwargs):
        defaults = _scopes[-1].get(_key(call))
        return func(*args, **dict(defaults, **kwargs)) if defaults else func(*args, **kwargs)
    call._arg_scope_key = "%s.%s" % (func.__module__, getattr(func, "__qualname__", func.__name__))
    return call


@export("contrib.framework.has_arg_scope", "contrib.slim.has_arg_scope")
def has_arg_scope(func):
    return hasattr(func, "_arg_scope_key")


@export("contrib.framework.arg_scope", "contrib.slim.arg_scope")
@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Within it, the functions of a list have |kwargs| as defaults; a scope that was kept can be entered again."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError("When attempting to re-use a scope by suppling a dictionary, kwargs must be empty.")
        scope = list_ops_or_scope
    else:
        scope = {key: dict(value) for key, value in _scopes[-1].items()}
        for op in list_ops_or_scope:
            if not has_arg_scope(op):
                raise ValueError("%s is not decorated with @add_arg_scope" % (op,))
            scope.setdefault(_key(op), {}).update(kwargs)
    _scopes.append(scope)
    try:
        yield scope
    finally:
        _scopes.pop()


@export("contrib.framework.arg_scoped_arguments", "contrib.slim.arg_scoped_arguments")
def arg_scoped_arguments(func):
    return dict(_scopes[-1].get(_key(func), {}))


# --- Variables of models ---

@export("contrib.framework.variable", "contrib.slim.variable")
@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
             caching_device=None, device=None, partitioner=None, custom_getter=None, use_resource=None, **unused):
    collections = list(collections or [GraphKeys.GLOBAL_VARIABLES])
    collections = list(dict.fromkeys(collections + ([GraphKeys.TRAINABLE_VARIABLES] if trainable else [])))
    with tf.device(device) if device else contextlib.nullcontext():
        return tf.get_variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
                               trainable=trainable, collections=collections, caching_device=caching_device,
                               partitioner=partitioner, custom_getter=custom_getter, use_resource=use_resource)


@export("contrib.framework.model_variable", "contrib.slim.model_variable")
@add_arg_scope
def model_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, collections=None,
                   **kwargs):
    collections = list(collections or []) + [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape, dtype, initializer, regularizer, trainable, collections, **kwargs)


@export("contrib.framework.get_variables", "contrib.slim.get_variables")
def get_variables(scope=None, suffix=None, collection=GraphKeys.GLOBAL_VARIABLES):
    scope = getattr(scope, "name", scope)
    if suffix is not None:
        scope = (scope or "") + ".*" + suffix
    return get_collection(collection, scope)


@export("contrib.framework.get_model_variables", "contrib.slim.get_model_variables")
def get_model_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


@export("contrib.framework.get_trainable_variables", "contrib.slim.get_trainable_variables")
def get_trainable_variables(scope=None, suffix=None):
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


@export("contrib.framework.get_variables_by_name", "contrib.slim.get_variables_by_name")
def get_variables_by_name(given_name, scope=None):
    return get_variables(scope, "/" + given_name + ":|^" + given_name + ":")


@export("contrib.framework.get_variables_to_restore", "contrib.slim.get_variables_to_restore")
def get_variables_to_restore(include=None, exclude=None):
    """Variables whose names start with one of |include| and with none of |exclude|."""
    found = get_variables() if include is None else [v for scope in include for v in get_variables(scope)]
    left_out = {v for scope in exclude or [] for v in get_variables(scope)}
    return [v for v in found if v not in left_out]


@export("contrib.framework.assign_from_checkpoint_fn", "contrib.slim.assign_from_checkpoint_fn")
def assign_from_checkpoint_fn(model_path, var_list, ignore_missing_vars=False, reshape_variables=False):
    """A function of a session that restores |var_list|."""
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        known = tf.train.NewCheckpointReader(model_path)
        var_list = {name: v for name, v in (var_list.items() if isinstance(var_list, dict) else
                                            ((v.op.name, v) for v in var_list)) if known.has_tensor(name)}
        if not var_list:
            return None
    saver = tf.train.Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)
