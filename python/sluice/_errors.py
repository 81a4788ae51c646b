"""Errors, as tf.errors: one class per code."""
from sluice import _extension

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED = range(8)
RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE, UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS = range(8, 16)
UNAUTHENTICATED = 16


class OpError(Exception):
    """A step or a call of the library failed."""

    def __init__(self, node_def, op, message, error_code=UNKNOWN):
        super().__init__()
        self._node_def, self._op, self._message, self._error_code = node_def, op, message, error_code

    node_def = property(lambda self: self._node_def, doc="The NodeDef of the operation that failed, or None.")
    op = property(lambda self: self._op, doc="The operation that failed, if it is known, or None.")
    message = property(lambda self: self._message, doc="What is wrong.")
    error_code = property(lambda self: self._error_code, doc="The code of the error.")

    def __str__(self):
        if self._op is None:
            return self._message
        return "%s\n\nOriginal stack trace for %r:\n%s" % (self._message, self._op.name, self._op._where())

    def __reduce__(self):
        if type(self) is OpError:
            return OpError, (self._node_def, None, self._message, self._error_code)
        return type(self), (self._node_def, None, self._message)


def _make(name, code):
    def __init__(self, node_def, op, message, *args):
        OpError.__init__(self, node_def, op, message, code)
    return type(name, (OpError,), {"__init__": __init__, "__module__": "sluice.errors"})


_NAMES = {
    CANCELLED: "CancelledError", UNKNOWN: "UnknownError", INVALID_ARGUMENT: "InvalidArgumentError",
    DEADLINE_EXCEEDED: "DeadlineExceededError", NOT_FOUND: "NotFoundError", ALREADY_EXISTS: "AlreadyExistsError",
    PERMISSION_DENIED: "PermissionDeniedError", RESOURCE_EXHAUSTED: "ResourceExhaustedError",
    FAILED_PRECONDITION: "FailedPreconditionError", ABORTED: "AbortedError", OUT_OF_RANGE: "OutOfRangeError",
    UNIMPLEMENTED: "UnimplementedError", INTERNAL: "InternalError", UNAVAILABLE: "UnavailableError",
    DATA_LOSS: "DataLossError", UNAUTHENTICATED: "UnauthenticatedError",
}
_CLASSES = {code: _make(name, code) for code, name in _NAMES.items()}
globals().update({name: _CLASSES[code] for code, name in _NAMES.items()})


def exception_type_from_error_code(error_code):
    return _CLASSES[error_code]


def error_code_from_exception_type(cls):
    return next(code for code, known in _CLASSES.items() if known is cls)


def _from_code(code, message):
    return _CLASSES.get(code, lambda node_def, op, text: OpError(node_def, op, text, code))(None, None, message)


_extension.set_error_class(_from_code)
