"""tf.make_template: a function whose variables are made at its first call and shared by the later ones."""
import functools

from sluice._api import export
from sluice._graph import get_default_graph
from sluice._variable_scope import variable_scope


@export("make_template")
def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    """A Template of func_(..., **kwargs)."""
    if kwargs:
        func_ = functools.partial(func_, **kwargs)
    return Template(name_, func_, create_scope_now_, unique_name_, custom_getter_)


class Template:
    """Calls a function in a variable scope of its own: the first call makes the variables, later ones use them again."""

    def __init__(self, name, func, create_scope_now=False, unique_name=None, custom_getter=None):
        self._name, self._func, self._unique_name, self._custom_getter = name, func, unique_name, custom_getter
        self._scope, self._called = None, False
        if name is None:
            raise ValueError("name cannot be None.")
        if create_scope_now:
            with self._open() as self._scope:
                pass

    def _open(self):
        return variable_scope(self._unique_name, self._name, custom_getter=self._custom_getter)

    def __call__(self, *args, **kwargs):
        if self._scope is None:
            with self._open() as self._scope:
                return self._first(args, kwargs)
        with variable_scope(self._scope, reuse=True if self._called else None):
            return self._func(*args, **kwargs) if self._called else self._first(args, kwargs)

    def _first(self, args, kwargs):
        result = self._func(*args, **kwargs)
        self._called = True
        return result

    name = property(lambda self: self._name)
    func = property(lambda self: self._func)
    variable_scope = property(lambda self: self._scope)
    var_scope = variable_scope

    @property
    def variable_scope_name(self):
        return self._scope.name if self._scope else None

    def _of(self, key):
        if self._scope is None:
            return []
        return get_default_graph().get_collection(key, self._scope.name + "/")

    trainable_variables = trainable_weights = property(lambda self: self._of("trainable_variables"))
    global_variables = variables = weights = property(lambda self: self._of("variables"))
    local_variables = property(lambda self: self._of("local_variables"))
