"""Sessions, as tf.Session and tf.InteractiveSession."""
import contextlib
import re
import threading

import numpy as np

from sluice import _convert, _errors, _extension
from sluice._dtypes import bfloat16, string
from sluice._graph import Operation, Tensor, get_default_graph
from sluice._message import message

_NODE = re.compile(r"(?:\[\[|\{\{)(?:\{\{)?node ([^\s}]+)")
_conversions = []  # (types, fetch function, feed function)


class _Sessions(threading.local):
    def __init__(self):
        self.stack = []


_default = _Sessions()


def get_default_session():
    return _default.stack[-1] if _default.stack else None


def register_session_run_conversion_functions(tensor_type, fetch_function, feed_function=None,
                                              feed_function_for_partial_run=None):
    """How sessions fetch and feed values of |tensor_type|: fetch(value) -> (tensors, contraction), feed(value, fed) ->
    [(tensor, value)]."""
    _conversions.insert(0, (tensor_type, fetch_function, feed_function))


# --- What is fetched ---

def _key(structure):
    """What two structures of the same kinds and fetches have in common."""
    kind = type(structure)
    if isinstance(structure, (list, tuple)):
        return (kind, *map(_key, structure))
    if isinstance(structure, dict):
        return (kind, *structure, *map(_key, structure.values()))
    return structure


class _Fetches:
    """The tensors and operations of a structure of fetches, and the way back from their values."""

    def __init__(self, graph, structure):
        self.tensors, self.targets, self._seen = [], [], {}
        self._graph = graph
        self.rebuild = self._map(structure)

    def _element(self, fetch):
        try:
            element = self._graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError("Fetch argument %r has invalid type %r, must be a string or Tensor. (%s)" %
                            (fetch, type(fetch).__name__, error)) from None
        except (ValueError, KeyError) as error:
            raise ValueError("Fetch argument %r cannot be interpreted as a Tensor. (%s)" %
                             (fetch, error.args[0] if error.args else error)) from None
        if not self._graph.is_fetchable(element):
            raise ValueError("%s '%s' has been marked as not fetchable." % (type(element).__name__, element.name))
        if isinstance(element, Operation):
            if element not in self.targets:
                self.targets.append(element)
            return lambda values: None
        at = self._seen.get(element)
        if at is None:
            at = self._seen[element] = len(self.tensors)
            self.tensors.append(element)
        return lambda values: values[at]

    def _map(self, structure):
        if structure is None:
            raise TypeError("Fetch argument %r has invalid type %r" % (structure, type(structure)))
        if isinstance(structure, (list, tuple)):
            parts = [self._map(item) for item in structure]
            if isinstance(structure, list):
                return lambda values: [part(values) for part in parts]
            if hasattr(structure, "_fields"):
                kind = type(structure)
                return lambda values: kind(*[part(values) for part in parts])
            return lambda values: tuple(part(values) for part in parts)
        if isinstance(structure, dict):
            kind, named = type(structure), {key: self._map(item) for key, item in structure.items()}
            return lambda values: kind((key, part(values)) for key, part in named.items())
        for types, fetch, _ in _conversions:
            if isinstance(structure, types):
                elements, contract = fetch(structure)
                parts = [self._element(e) for e in elements]
                return lambda values: contract([part(values) for part in parts])
        return self._element(structure)


def _flat_items(feed_dict):
    """(key, value) of a dictionary of feeds; of a key that is a tuple, such as the state of a cell, each part."""
    for key, value in feed_dict.items():
        if isinstance(key, tuple):
            if not isinstance(value, (list, tuple)) or len(value) != len(key):
                raise ValueError("Could not flatten dictionary. Key had %d elements, but value is %r" % (len(key), value))
            yield from _flat_items(dict(zip(key, value)))
        else:
            yield key, value


def _fits(dims, shape):
    """Whether a tensor of |dims|, negative where unknown, can have |shape|."""
    return dims is None or dims == shape or (
        len(dims) == len(shape) and all(d == size or d < 0 for d, size in zip(dims, shape)))


class BaseSession:
    """A connection to an engine, in this process or on a server."""

    def __init__(self, target="", graph=None, config=None):
        self._graph = get_default_graph() if graph is None else graph
        self._handle, self._closed, self._lock = None, True, threading.Lock()
        if isinstance(target, bytes):
            target = target.decode()
        if target is not None and not isinstance(target, str):
            raise TypeError("target must be a string, but got %s" % type(target))
        if config is not None and not isinstance(config, message("ConfigProto")):
            raise TypeError("config must be a tf.ConfigProto, but got %s" % type(config))
        self._target, self._config = target or "", config
        self._is_remote = bool(self._target)
        self._cache, self._fed = {}, {}  # by fetches; by fed tensors of a finalized graph
        self._handle = _extension.new_session(self._graph._number, self._target,
                                              config.SerializeToString() if config is not None else b"")
        self._closed = False

    graph = property(lambda self: self._graph)
    graph_def = property(lambda self: self._graph.as_graph_def())
    sess_str = property(lambda self: self._target)

    def close(self):
        with self._lock:
            if not self._closed:
                self._closed = True
                _extension.close_session(self._handle)

    def __del__(self):
        handle, self._handle = getattr(self, "_handle", None), None
        if handle and _extension is not None:
            with contextlib.suppress(Exception):
                if not self._closed:
                    _extension.close_session(handle)
                _extension.delete_session(handle)

    @contextlib.contextmanager
    def as_default(self):
        _default.stack.append(self)
        try:
            yield self
        finally:
            _default.stack.remove(self)

    def list_devices(self):
        return [DeviceAttributes(*row) for row in _extension.list_devices(self._handle)]

    # --- Running ---

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        self._check_open()
        mapped = self._fetches(fetches)
        feeds, values = self._feeds(feed_dict) if feed_dict else ([], [])
        results = self._run(mapped, feeds, values, options, run_metadata)
        return mapped.rebuild(results)

    def _check_open(self):
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not _extension.operations(self._graph._number, 0)[0]:
            raise RuntimeError("The Session graph is empty.  Add operations to the graph before calling run().")

    def _fetches(self, fetches):
        # Most programs fetch the same again and again: remembered, if it has no parts that change.
        key = _key(fetches)
        try:
            found = self._cache.get(key)
        except TypeError:  # it has such parts
            return _Fetches(self._graph, fetches)
        if found is None:
            found = self._cache[key] = _Fetches(self._graph, fetches)
        return found

    def _feeds(self, feed_dict):
        feeds, values = [], []
        for key, value in _flat_items(feed_dict):
            row = self._fed.get(key) if type(value) is np.ndarray and type(key) is Tensor else None
            if row is not None and row[1] == value.dtype and value.flags.c_contiguous and _fits(row[2], value.shape):
                feeds.append(key._pair)
                values.append((row[0], value.shape, value))
                continue
            pairs = [(key, value)]
            for types, _, feed in _conversions:
                if feed is not None and isinstance(key, types):
                    pairs = feed(key, value)
                    break
            for item, given in pairs:
                tensor = self._feed_element(item)
                if isinstance(given, Tensor):
                    raise TypeError("The value of a feed cannot be a tf.Tensor object. Acceptable feed values include Python "
                                    "scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the tensor "
                                    "object was %s which was passed to the feed with key %s." % (given, item))
                feeds.append(tensor._pair)
                values.append(self._feed_value(tensor, given))
                dtype = tensor.dtype.base_dtype
                if self._graph.finalized and item is key and dtype is not string and dtype is not bfloat16:
                    dims = _extension.shape(tensor.graph._number, tensor._pair)  # which cannot change any more
                    self._fed[key] = int(dtype), np.dtype(dtype.as_numpy_dtype), dims
        return feeds, values

    def _feed_element(self, item):
        try:
            tensor = self._graph.as_graph_element(item, allow_operation=False)
        except Exception as error:
            raise TypeError("Cannot interpret feed_dict key as Tensor: %s" %
                            (error.args[0] if error.args else error)) from None
        if not self._graph.is_feedable(tensor):
            raise ValueError("Tensor %s may not be fed." % tensor)
        return tensor

    @staticmethod
    def _feed_value(tensor, given):
        dtype = tensor.dtype.base_dtype
        if dtype is string:
            array = np.asarray(given, dtype=object)
            return int(dtype), array.shape, [v.encode() if isinstance(v, str) else bytes(v) for v in array.ravel()]
        if isinstance(given, int) and not isinstance(given, bool) and dtype.is_integer and \
                not dtype.min <= given <= dtype.max:
            raise TypeError("Type of feed value %s with type %s is not compatible with Tensor type %s. Try explicitly setting "
                            "the type of the feed tensor to a larger type (e.g. int64)." %
                            (given, type(given), dtype.as_numpy_dtype))
        array = np.asarray(given) if dtype is bfloat16 else np.asarray(given, dtype=dtype.as_numpy_dtype)
        triple = _convert.to_triple(array, dtype) if dtype is bfloat16 or not array.flags.c_contiguous else \
            (int(dtype), array.shape, array)
        given = array.shape
        if not _fits(_extension.shape(tensor.graph._number, tensor._pair), given):
            raise ValueError("Cannot feed value of shape %r for Tensor %r, which has shape %r" %
                             (given, tensor.name, str(tensor.shape)))
        return triple

    def _run(self, mapped, feeds, values, options, run_metadata):
        if not mapped.tensors and not mapped.targets:
            return []
        try:
            results, metadata = _extension.run(
                self._handle, feeds, values, [t._pair for t in mapped.tensors], [op._number for op in mapped.targets],
                options.SerializeToString() if options is not None else None, run_metadata is not None, self._is_remote)
        except _errors.OpError as error:
            raise self._explained(error) from None
        if run_metadata is not None:
            run_metadata.ParseFromString(metadata)
        return [_convert.from_triple(triple) for triple in results]

    def _explained(self, error):
        """|error| with the operation that its text names."""
        found = _NODE.search(error.message)
        op = self._graph._lookup(found[1]) if found else None
        return type(error)(op.node_def if op else None, op, error.message) if type(error) is not _errors.OpError else error

    def partial_run_setup(self, fetches, feeds=None):
        mapped = _Fetches(self._graph, fetches)
        fed = [self._feed_element(f)._pair for f in (feeds or [])]
        return _extension.partial_run_setup(self._handle, fed, [t._pair for t in mapped.tensors],
                                            [op._number for op in mapped.targets])

    def partial_run(self, handle, fetches, feed_dict=None):
        mapped = _Fetches(self._graph, fetches)
        feeds, values = self._feeds(feed_dict or {})
        try:
            # On a thread of its own, as a step of a server: it cannot be cancelled by itself.
            results = _extension.partial_run(self._handle, handle, feeds, values, [t._pair for t in mapped.tensors],
                                             [op._number for op in mapped.targets], True)
        except _errors.OpError as error:
            raise self._explained(error) from None
        return mapped.rebuild([_convert.from_triple(triple) for triple in results])

    def make_callable(self, fetches, feed_list=None, accept_options=False):
        mapped = _Fetches(self._graph, fetches)
        feeds = [self._feed_element(f) for f in (feed_list or [])]
        pairs = [f._pair for f in feeds]

        def call(*args, **kwargs):
            if len(args) != len(feeds):
                raise TypeError("callable takes %d arguments, %d given" % (len(feeds), len(args)))
            values = [self._feed_value(f, a) for f, a in zip(feeds, args)]
            return mapped.rebuild(self._run(mapped, pairs, values, kwargs.get("options"), kwargs.get("run_metadata")))
        return call

    def __reduce__(self):
        raise TypeError("a Session cannot be pickled: it is a connection of this process")


class DeviceAttributes:
    """A device of a session."""

    def __init__(self, name, device_type, memory_limit_bytes, incarnation):
        self.name, self.device_type = name, device_type
        self.memory_limit_bytes, self.incarnation = memory_limit_bytes, incarnation

    def __repr__(self):
        return "_DeviceAttributes(%s, %s, %d, %d)" % (self.name, self.device_type, self.memory_limit_bytes,
                                                      self.incarnation)


class Session(BaseSession):
    """A session that a with statement closes and makes the default one."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._contexts = None

    def __enter__(self):
        self._contexts = contextlib.ExitStack()
        self._contexts.enter_context(self._graph.as_default())
        self._contexts.enter_context(self.as_default())
        return self

    def __exit__(self, *exception):
        contexts, self._contexts = self._contexts, None
        contexts.__exit__(*exception)
        self.close()

    @staticmethod
    def reset(target, containers=None, config=None):
        _extension.reset(target, config.SerializeToString() if config is not None else b"",
                         [c.encode() for c in containers or []])


class InteractiveSession(BaseSession):
    """A session that is the default one from its construction until close()."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        self._explicit = graph
        if graph is not None:
            self._default_graph = graph.as_default()
            self._default_graph.__enter__()
        self._default_session = self.as_default()
        self._default_session.__enter__()

    def close(self):
        super().close()
        if self._default_session is not None:
            self._default_session.__exit__(None, None, None)
            if self._explicit is not None:
                self._default_graph.__exit__(None, None, None)
            self._default_session = None
