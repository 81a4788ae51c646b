"""Modules that come with a stock TensorFlow and that its programs import: six, absl and google.protobuf.

python -m sluice offers these, as far as programs use them, where they are not installed.
"""
import collections
import functools
import importlib
import importlib.abc
import importlib.machinery
import io
import itertools
import json
import operator
import os
import sys
import types


def _make(name, **values):
    made = types.ModuleType(name, "What programs use of %s." % name)
    made.__path__ = []
    made.__dict__.update(values)
    return made


# --- six ---

_MOVES = {
    "BaseHTTPServer": "http.server", "builtins": "builtins", "configparser": "configparser", "copyreg": "copyreg",
    "cPickle": "pickle", "html_parser": "html.parser", "http_client": "http.client", "http_cookies": "http.cookies",
    "queue": "queue", "reprlib": "reprlib", "socketserver": "socketserver", "_thread": "_thread", "tkinter": "tkinter",
    "urllib": "urllib", "urllib_parse": "urllib.parse", "urllib_error": "urllib.error", "winreg": "winreg"}
_MOVED = {"filter": filter, "input": input, "intern": sys.intern, "map": map, "range": range, "xrange": range, "zip": zip,
          "zip_longest": itertools.zip_longest, "filterfalse": itertools.filterfalse, "reduce": functools.reduce,
          "reload_module": importlib.reload, "StringIO": io.StringIO, "cStringIO": io.StringIO, "getcwd": os.getcwd,
          "UserDict": collections.UserDict, "UserList": collections.UserList}


def _with_metaclass(meta, *bases):
    return meta("NewBase", bases or (object,), {})


def _add_metaclass(metaclass):
    def decorate(cls):
        body = {k: v for k, v in vars(cls).items() if k not in ("__dict__", "__weakref__")}
        return metaclass(cls.__name__, cls.__bases__, body)
    return decorate


def _reraise(kind, value, traceback=None):
    raise (kind() if value is None else value).with_traceback(traceback)


def _text(value, encoding="utf-8", errors="strict"):
    return value.decode(encoding, errors) if isinstance(value, bytes) else value


def _binary(value, encoding="utf-8", errors="strict"):
    return value.encode(encoding, errors) if isinstance(value, str) else value


def _six():
    moves = _make("six.moves", **_MOVED)
    moves.__getattr__ = lambda name: importlib.import_module(_MOVES[name]) if name in _MOVES else _absent("six.moves", name)
    return _make(
        "six", PY2=False, PY3=True, PY34=True, string_types=(str,), integer_types=(int,), class_types=(type,), text_type=str,
        binary_type=bytes, MAXSIZE=sys.maxsize, moves=moves, u=str, b=lambda s: s.encode("latin-1"), unichr=chr,
        int2byte=lambda i: bytes((i,)), byte2int=operator.itemgetter(0), indexbytes=operator.getitem, iterbytes=iter,
        StringIO=io.StringIO, BytesIO=io.BytesIO, next=next, advance_iterator=next, Iterator=object,
        iteritems=lambda d, **k: iter(d.items(**k)), iterkeys=lambda d, **k: iter(d.keys(**k)),
        itervalues=lambda d, **k: iter(d.values(**k)), viewitems=lambda d: d.items(), viewkeys=lambda d: d.keys(),
        viewvalues=lambda d: d.values(), with_metaclass=_with_metaclass, add_metaclass=_add_metaclass, reraise=_reraise,
        ensure_str=_text, ensure_text=_text, ensure_binary=_binary, callable=callable, wraps=functools.wraps,
        get_function_code=lambda f: f.__code__, get_method_function=lambda m: m.__func__, raise_from=_raise_from,
        python_2_unicode_compatible=lambda cls: cls, print_=print, exec_=exec)


def _raise_from(value, cause):
    raise value from cause


def _absent(module, name):
    raise AttributeError("%s has no %r" % (module, name))


# --- absl ---

def _absl():
    import sluice as tf
    log = tf.logging
    levels = {"VERBOSITY": 0, "DEBUG": 1, "INFO": 0, "WARNING": -1, "WARN": -1, "ERROR": -2, "FATAL": -3}
    python_levels = {1: 10, 0: 20, -1: 30, -2: 40, -3: 50}

    def set_verbosity(level):
        log.set_verbosity(python_levels.get(level, level) if not isinstance(level, str) else level.upper())

    logging = _make("absl.logging", set_verbosity=set_verbosity, get_verbosity=log.get_verbosity, info=log.info,
                    debug=log.debug, warn=log.warn, warning=log.warn, error=log.error, fatal=log.fatal,
                    log=lambda level, *args: log.log(python_levels.get(level, level), *args), vlog=log.vlog,
                    exception=lambda msg, *args: log.error(msg, *args, exc_info=True),
                    log_first_n=lambda level, msg, n, *args: log.log_first_n(python_levels[level], msg, n, *args),
                    log_every_n=lambda level, msg, n, *args: log.log_every_n(python_levels[level], msg, n, *args),
                    get_absl_handler=lambda: tf.get_logger().handlers[0], use_absl_handler=lambda: None, **levels)
    flags = _Forward("absl.flags", tf.flags)
    app = _make("absl.app", run=_absl_run, HelpFlag=type("HelpFlag", (), {}), HelpshortFlag=type("HelpshortFlag", (), {}),
                HelpfullFlag=type("HelpfullFlag", (), {}), parse_flags_with_usage=tf.flags.FLAGS,
                define_help_flags=lambda: None, usage=lambda *args, **kwargs: None, UsageError=type("UsageError", (Exception,), {}), flags=flags)
    testing = _make("absl.testing")
    testing.absltest = _make("absl.testing.absltest", TestCase=tf.test.TestCase, main=tf.test.main)
    return _make("absl", app=app, flags=flags, logging=logging, testing=testing)


def _absl_run(main, argv=None, flags_parser=None):
    import sluice as tf
    tf.app.run(main, argv)


class _Forward(types.ModuleType):
    """A module whose names are another one's."""

    def __init__(self, name, target):
        super().__init__(name)
        self.__path__, self._target = [], target

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._target, name)


# --- google.protobuf ---

def _merge(text, message, *unused, **more):
    from sluice import _text as text_format
    text_format.parse(text.decode() if isinstance(text, bytes) else text, message)
    return message


def _fields(message):
    """The message as what JSON holds."""
    from sluice._message import Message

    def value(v):
        if isinstance(v, Message):
            return _fields(v)
        if isinstance(v, bytes):
            import base64
            return base64.b64encode(v).decode()
        if isinstance(v, dict):
            return {str(k): value(x) for k, x in v.items()}
        if isinstance(v, list):
            return [value(x) for x in v]
        return v
    return {_camel(field.name): value(v) for field, v in message.ListFields()}


def _camel(name):
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _protobuf():
    from sluice import _text as text
    from sluice._message import DecodeError, EncodeError, Message
    text_format = _make("google.protobuf.text_format", Merge=_merge, Parse=_merge, ParseError=text.ParseError,
                        MessageToString=lambda message, *a, **k: str(message),
                        PrintMessage=lambda message, out, *a, **k: out.write(str(message)))
    json_format = _make("google.protobuf.json_format", MessageToDict=lambda m, *a, **k: _fields(m),
                        MessageToJson=lambda m, *a, **k: json.dumps(_fields(m), indent=2))
    message = _make("google.protobuf.message", Message=Message, DecodeError=DecodeError,
                    EncodeError=EncodeError, Error=ValueError)
    return _make("google.protobuf", text_format=text_format, json_format=json_format, message=message, __version__="3.8.0")


_MAKERS = {"six": _six, "absl": _absl, "google.protobuf": _protobuf}


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last finder: it is asked for modules that are not installed."""

    def find_spec(self, name, path=None, target=None):
        made = self._module(name)
        return None if made is None else importlib.machinery.ModuleSpec(name, self, is_package=True)

    @staticmethod
    def _module(name):
        if name == "google":
            return _make("google")
        for top, maker in _MAKERS.items():
            if name == top:
                return maker()
            if name.startswith(top + "."):
                made = sys.modules.get(top) or importlib.import_module(top)
                if not isinstance(getattr(made, "__loader__", None), _Finder):
                    return None  # the real one, which finds its modules itself
                for part in name[len(top) + 1:].split("."):
                    made = getattr(made, part, None)
                return made if isinstance(made, types.ModuleType) else None
        return None

    def create_module(self, spec):
        return self._module(spec.name)

    def exec_module(self, module):
        if module.__name__ == "google.protobuf":
            sys.modules["google"].protobuf = module


def _submodules(package):
    """A package's __getattr__: TensorFlow imports its modules, so that programs use urllib.request after `import urllib`."""
    def find(name):
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return importlib.import_module(package.__name__ + "." + name)
        except ImportError:
            _absent(package.__name__, name)
    return find


def install():
    """Makes the modules importable that are not installed."""
    sys.meta_path.append(_Finder())
    for name in "urllib", "concurrent":
        package = importlib.import_module(name)
        package.__getattr__ = _submodules(package)
