"""The names of the public API: tf.add, tf.nn.relu, tf.train.Server.

A name is registered once, by @export on the function or class, and found when it is first used. Modules that `import
sluice` does not need are imported when one of their names is used: _later_names.py lists these. Functions that are ops
themselves come from a table that was recorded with TensorFlow.
"""
import contextlib
import functools
import importlib
import sys
import types

from sluice._internal import PATHS, public_names

_exports = {}  # "nn.relu" -> object
_modules = {}


def export(*names):
    """Makes the decorated object public under |names|."""
    def register(value):
        for name in names:
            _exports[name] = value
        return value
    return register


def export_value(value, *names):
    export(*names)(value)
    return value


def _function(op, parameters):
    """The public function of an op: positional and keyword arguments as in TensorFlow."""
    from sluice import _oplib
    names = [p[0] for p in parameters]
    defaults = {p[0]: p[1] for p in parameters if len(p) > 1}
    renamed = _oplib.RENAMED.get(op, {})

    def call(*args, **kwargs):
        name = kwargs.pop("name", None)
        if len(args) > len(names):
            if len(args) == len(names) + 1 and name is None:
                name, args = args[-1], args[:-1]
            else:
                raise TypeError("%s() takes at most %d arguments (%d given)" % (op, len(names) + 1, len(args)))
        given = dict(zip(names, args))
        for key, value in kwargs.items():
            if key not in names:
                raise TypeError("%s() got an unexpected keyword argument '%s'" % (op, key))
            if key in given:
                raise TypeError("%s() got multiple values for argument '%s'" % (op, key))
            given[key] = value
        for key, value in defaults.items():
            if given.get(key) is None and value is not None and key not in given:
                given[key] = list(value) if isinstance(value, tuple) else value[3:] if \
                    isinstance(value, str) and value.startswith("tf.") else value
        return _oplib.apply(op, name, **{renamed.get(key, key): value for key, value in given.items()})

    call.__doc__ = "%s(%s, name=None): the op %s." % (op, ", ".join(names), op)
    call._parameters = names + ["name"]
    return call


def _find(name):
    """Whether |name| is the public name of an object, which is in _exports then."""
    if name not in _exports:
        from sluice._later_names import MODULES
        if name in MODULES:
            importlib.import_module("sluice." + MODULES[name])
        else:
            _add_from_table(name)
        if name not in _exports:
            from sluice._aliases import ALIASES
            if name in ALIASES and _find(ALIASES[name]):
                _exports[name] = _exports[ALIASES[name]]
    return name in _exports


def _add_from_table(name):
    from sluice._api_table import FUNCTIONS
    for op, paths, parameters in FUNCTIONS:
        if name in paths:
            from sluice._errors import NotFoundError
            from sluice._oplib import spec
            try:
                spec(op)
            except NotFoundError:
                raise AttributeError("sluice has no %r: the library has no op %r (docs/ops.md tells why)" %
                                     (name, op)) from None
            made = _function(op, parameters)
            made.__name__ = made.__qualname__ = name.rpartition(".")[2]
            for path in paths:
                _exports.setdefault(path, made)


@functools.lru_cache(None)
def _paths_of_ops():
    """The names of functions that are ops of the library."""
    from sluice._api_table import FUNCTIONS
    from sluice._errors import NotFoundError
    from sluice._extension import op_def
    found = []
    for op, paths, _ in FUNCTIONS:
        with contextlib.suppress(NotFoundError):
            op_def(op)
            found += paths
    return found


def _names_in(prefix):
    from sluice._aliases import ALIASES
    from sluice._later_names import MODULES
    start = prefix + "." if prefix else ""
    found = set()
    for path in [*_exports, *MODULES, *ALIASES, *_paths_of_ops()]:
        if path.startswith(start):
            found.add(path[len(start):].partition(".")[0])
    return found


def lookup(prefix, name):
    """The public object |name| of module |prefix|; AttributeError with the nearest name if there is none."""
    full = prefix + "." + name if prefix else name
    if full in ("python.keras", "contrib.keras"):
        return _module("keras")
    if _find(full):
        return _exports[full]
    known = _names_in(prefix)
    if name in known or full in PATHS:
        return _module(full)
    for public in public_names(prefix, name) if prefix in PATHS else ():
        if _find(public):
            return _exports[public]
    import difflib
    near = difflib.get_close_matches(name, known, 1)
    raise AttributeError("sluice%s has no %r%s" % ("." + prefix if prefix else "", name,
                                                   "; did you mean %r?" % near[0] if near else ""))


def replace(functions):
    """Puts other functions, {id of the one: the other}, in the places where programs have found the ones already."""
    for module in [sys.modules["sluice"], *_modules.values()]:
        for name, value in list(vars(module).items()):
            if id(value) in functions:
                setattr(module, name, functions[id(value)])


def module_of(path):
    """The path of the module that is meant by |path|."""
    for outer in "python.keras", "contrib.keras.api.keras", "contrib.keras":
        if path == outer or path.startswith(outer + "."):
            return "keras" + path[len(outer):]
    return path


def has_module(path):
    return path in PATHS or bool(_names_in(path))


class _Module(types.ModuleType):
    def __init__(self, path):
        super().__init__("sluice." + path)
        self.__dict__["_path"] = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = lookup(self._path, name)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return sorted(_names_in(self._path))


def _module(path):
    made = _modules.get(path)
    if made is None:
        made = _modules[path] = _Module(path)
        made.__path__ = []
        sys.modules.setdefault("sluice." + path, made)
    return made
