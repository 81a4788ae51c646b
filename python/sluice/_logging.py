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
