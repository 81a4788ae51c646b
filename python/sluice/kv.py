"""Push and pull: the parameter store of a cluster for programs that compute by themselves. docs/store.md is the manual.

    from sluice import kv
    with kv.connect("ps0:2222,ps1:2222", updater="Adam learning_rate=0.01") as store:
        store.push(keys, gradients)
        weights = store.pull(keys, length=10)
"""
import ctypes

import numpy as np

from sluice import _dtypes, _errors, _extension  # noqa: F401  (loads the library)

_library = ctypes.CDLL("libsluice.so.0")

HASH, RANGE = 0, 1
WAIT, FAIL = 0, 1
UPDATE, ASSIGN, SUM = 0, 1, 2


class _Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("table", ctypes.c_char_p), ("dtype", ctypes.c_int),
                ("updater", ctypes.c_char_p), ("row_length", ctypes.c_int32), ("initializer", ctypes.c_char_p),
                ("max_row_bytes", ctypes.c_int64), ("sharding", ctypes.c_int), ("key_limit", ctypes.c_uint64),
                ("when_dead", ctypes.c_int), ("timeout_millis", ctypes.c_int64), ("max_pending_bytes", ctypes.c_int64),
                ("max_pending_calls", ctypes.c_int64), ("group", ctypes.c_char_p), ("group_size", ctypes.c_int),
                ("member", ctypes.c_int), ("staleness", ctypes.c_int64)]


class _Call(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("update", ctypes.c_int), ("length", ctypes.c_int32),
                ("done", ctypes.c_void_p), ("context", ctypes.c_void_p), ("timeout_millis", ctypes.c_int64)]


_P, _S, _I = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int64
for _name, _result, *_arguments in (
        ("TF_NewStatus", _P), ("TF_DeleteStatus", None, _P), ("TF_GetCode", ctypes.c_int, _P),
        ("TF_Message", ctypes.c_char_p, _P), ("sl_kv_connect", _P, ctypes.c_char_p, _P, _P), ("sl_kv_close", None, _P),
        ("sl_kv_push", _I, _P, _P, _S, _P, _P, _P, _P), ("sl_kv_pull", _I, _P, _P, _S, _P, _P, _P, _P),
        ("sl_kv_push_pull", _I, _P, _P, _S, _P, _P, _P, _P, _P), ("sl_kv_wait", None, _P, _I, _P),
        ("sl_kv_bind", _I, _P, ctypes.c_uint64, ctypes.c_char_p, ctypes.c_char_p, _P),
        ("sl_kv_set_updater", None, _P, ctypes.c_char_p, _P), ("sl_kv_clock", _I, _P, _P),
        ("sl_kv_barrier", None, _P, _P), ("sl_kv_save", None, _P, ctypes.c_char_p, _P),
        ("sl_kv_restore", None, _P, ctypes.c_char_p, _P)):
    getattr(_library, _name).restype = _result
    getattr(_library, _name).argtypes = _arguments


def _checked(function, *arguments):
    """Calls |function| with a status and raises its error."""
    status = _library.TF_NewStatus()
    try:
        result = function(*arguments, status)
        code = _library.TF_GetCode(status)
        if code:
            raise _errors._from_code(code, _library.TF_Message(status).decode("utf-8", "replace"))
        return result
    finally:
        _library.TF_DeleteStatus(status)


def _text(value):
    return None if value is None else value.encode()


class Pending:
    """A call that is under way. It holds the memory that the call uses."""

    def __init__(self, client, ticket, memory, result=None):
        self._client, self._ticket, self._memory, self._result = client, ticket, memory, result

    def wait(self):
        """Blocks until the call has ended; returns what it has pulled."""
        if self._memory is not None:
            try:
                _checked(_library.sl_kv_wait, self._client._open(), self._ticket)
            finally:
                self._memory = None
                self._client._pending.discard(self)
        return self._result


class Client:
    """A connection to the servers of a table. Thread-safe."""

    def __init__(self, servers, table="default", dtype="float32", updater=None, row_length=0, initializer=None,
                 max_row_bytes=0, sharding=HASH, key_limit=0, when_dead=WAIT, timeout=60, group="workers", group_size=0,
                 member=0, staleness=0):
        if not isinstance(servers, str):
            servers = ",".join(servers)
        self._pending, self._kv = set(), None
        self._dtype, self._row_length = _dtypes.as_dtype(dtype), row_length
        self._options = _Options(ctypes.sizeof(_Options), _text(table), self._dtype.as_datatype_enum, _text(updater),
                                 row_length, _text(initializer), max_row_bytes, sharding, key_limit, when_dead,
                                 int(timeout * 1000), 0, 0, _text(group), group_size, member, staleness)
        self._kv = _checked(_library.sl_kv_connect, servers.encode(), ctypes.addressof(self._options))

    def _open(self):
        if not self._kv:
            raise ValueError("the connection is closed")
        return self._kv

    def _start(self, keys, values, lens, length, update, pulls):
        keys = np.ascontiguousarray(np.asarray(keys).reshape(-1).astype(np.uint64, copy=False))
        numpy_type = self._dtype.as_numpy_dtype
        if values is not None:
            values = np.ascontiguousarray(values, dtype=numpy_type)
        if lens is not None:
            lens = np.ascontiguousarray(lens, dtype=np.int32)
            if lens.shape != keys.shape or (lens < 0).any():
                raise ValueError("lens must have one number, at least 0, for each of %d keys" % keys.size)
            count, shape = int(lens.sum()), (-1,)
        else:
            length = length or self._row_length or (values.size // keys.size if values is not None and keys.size else 1)
            count, shape = keys.size * length, keys.shape + ((length,) if length != 1 else ())
        if values is not None and values.size != count:
            raise ValueError("values must have %d elements for these keys, got %d" % (count, values.size))
        read = np.empty(count, numpy_type) if pulls else None
        call = _Call(ctypes.sizeof(_Call), update, length or 1, None, None, 0)
        function = (_library.sl_kv_push_pull if pulls else _library.sl_kv_push) if values is not None else _library.sl_kv_pull
        arrays = [array.ctypes.data for array in (values, read) if array is not None]
        ticket = _checked(function, self._open(), keys.ctypes.data, keys.size, *arrays,
                          None if lens is None else lens.ctypes.data, ctypes.addressof(call))
        pending = Pending(self, ticket, (values, read), None if read is None else read.reshape(shape))
        self._pending.add(pending)
        return pending

    def push(self, keys, values, lens=None, update=UPDATE, wait=True):
        """Pushes the values of |keys|: as many for each, or |lens|. With wait=False returns a Pending."""
        pending = self._start(keys, values, lens, 0, update, False)
        return pending.wait() if wait else pending

    def pull(self, keys, lens=None, length=None, wait=True):
        """The values of |keys|: |length| elements of each, or |lens|."""
        pending = self._start(keys, None, lens, length, UPDATE, True)
        return pending.wait() if wait else pending

    def push_pull(self, keys, values, lens=None, update=UPDATE, wait=True):
        """Pushes values and returns the new ones."""
        pending = self._start(keys, values, lens, 0, update, True)
        return pending.wait() if wait else pending

    def bind(self, key, name, container=None):
        """Makes |key| another name of a variable of a graph; returns the number of its elements, -1 if not known."""
        return _checked(_library.sl_kv_bind, self._open(), key, _text(container), name.encode())

    def set_updater(self, updater):
        """Changes the updater of the table."""
        _checked(_library.sl_kv_set_updater, self._open(), updater.encode())

    def save(self, prefix):
        """Saves the keys of the table to files of the servers."""
        _checked(_library.sl_kv_save, self._open(), prefix.encode())

    def restore(self, prefix):
        """Gives keys the values that were saved."""
        _checked(_library.sl_kv_restore, self._open(), prefix.encode())

    def clock(self):
        """Ends a step of this member of the group; returns the clock of the slowest."""
        return _checked(_library.sl_kv_clock, self._open())

    def barrier(self):
        """Blocks until all members of the group are here."""
        _checked(_library.sl_kv_barrier, self._open())

    def close(self):
        """Waits for all calls and disconnects."""
        kv, self._kv = self._kv, None
        if kv:
            _library.sl_kv_close(kv)
        self._pending.clear()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __del__(self):
        self.close()


def connect(servers, **options):
    """Connects to the servers, "host:port" of each ps task in order, or a list of them."""
    return Client(servers, **options)
