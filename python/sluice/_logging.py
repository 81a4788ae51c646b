"""tf.logging: messages on standard error."""
import logging

from sluice._api import export, export_value

DEBUG, INFO, WARN, ERROR, FATAL = 10, 20, 30, 40, 50
_logger = logging.getLogger("sluice")
if not _logger.handlers:
    _handler = logging.StreamHandler()
    _handler.setFormatter(logging.Formatter("%(levelname)s:tensorflow:%(message)s"))
    _logger.addHandler(_handler)
    _logger.propagate = False
    _logger.setLevel(WARN)

for _name in "DEBUG", "INFO", "WARN", "ERROR", "FATAL":
    export_value(globals()[_name], "logging." + _name)


@export("logging.set_verbosity")
def set_verbosity(v):
    _logger.setLevel({"DEBUG": DEBUG, "INFO": INFO, "WARN": WARN, "ERROR": ERROR, "FATAL": FATAL}.get(v, v))


@export("logging.get_verbosity")
def get_verbosity():
    return _logger.getEffectiveLevel()


def _writer(level, *names):
    @export(*["logging." + name for name in names])
    def write(msg, *args, **kwargs):
        _logger.log(level, msg, *args, **kwargs)
    return write


debug, info = _writer(DEBUG, "debug"), _writer(INFO, "info")
warn, error, fatal = _writer(WARN, "warn", "warning"), _writer(ERROR, "error"), _writer(FATAL, "fatal")


@export("logging.log")
def log(level, msg, *args, **kwargs):
    _logger.log(level, msg, *args, **kwargs)


_seen = {}


@export("logging.log_if")
def log_if(level, msg, condition, *args):
    if condition:
        _logger.log(level, msg, *args)


@export("logging.log_first_n")
def log_first_n(level, msg, n, *args):
    """Logs the first |n| calls with this text."""
    _seen[msg] = _seen.get(msg, 0) + 1
    log_if(level, msg, _seen[msg] <= n, *args)


@export("logging.log_every_n")
def log_every_n(level, msg, n, *args):
    """Logs the first of every |n| calls with this text."""
    _seen[msg] = _seen.get(msg, 0) + 1
    log_if(level, msg, (_seen[msg] - 1) % n == 0, *args)


@export("logging.vlog")
def vlog(level, msg, *args, **kwargs):
    _logger.log(level, msg, *args, **kwargs)


@export("logging.flush")
def flush():
    for handler in _logger.handlers:
        handler.flush()


@export("logging.TaskLevelStatusMessage")
def task_level_status_message(msg):
    _logger.error(msg)


@export("get_logger")
def get_logger():
    """Python's logger of all messages."""
    return _logger
