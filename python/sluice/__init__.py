"""TensorFlow 1.x for graph programs, on Sluice's engine: import sluice as tf."""
from sluice import _library  # noqa: F401  (first: it loads what the extension needs)
from sluice import _api, _convert, _dtypes, _errors, _extension, _graph, _math, _server, _session, _shape  # noqa: F401
from sluice import _variables, raw_ops  # noqa: F401
from sluice._message import message as _message

__version__ = "1.15.0"
VERSION = __version__

for _name in ("Graph", "GraphKeys", "Operation", "Tensor", "add_to_collection", "add_to_collections", "colocate_with",
              "container", "control_dependencies", "device", "get_collection", "get_collection_ref", "get_default_graph",
              "name_scope", "reset_default_graph"):
    _api.export_value(getattr(_graph, _name), _name)
for _name, _value in _dtypes._BY_NAME.items():
    if not _name.endswith("_ref"):
        _api.export_value(_value, _name, "dtypes." + _name)
for _value, *_names in (
        (_dtypes.DType, "DType", "dtypes.DType"), (_dtypes.as_dtype, "as_dtype", "dtypes.as_dtype"),
        (_shape.TensorShape, "TensorShape"), (_shape.Dimension, "Dimension"),
        (_session.Session, "Session"), (_session.InteractiveSession, "InteractiveSession"),
        (_session.get_default_session, "get_default_session"),
        (_convert.register_tensor_conversion_function, "register_tensor_conversion_function"),
        (_server.ClusterSpec, "train.ClusterSpec"), (_server.Server, "train.Server"),
        (_message("ConfigProto"), "ConfigProto"), (_message("GPUOptions"), "GPUOptions"),
        (_message("GraphDef"), "GraphDef"), (_message("NodeDef"), "NodeDef"), (_message("AttrValue"), "AttrValue"),
        (_message("RunOptions"), "RunOptions"), (_message("RunMetadata"), "RunMetadata"),
        (_message("ClusterDef"), "train.ClusterDef"), (_message("ServerDef"), "train.ServerDef")):
    _api.export_value(_value, *_names)
for _name in dir(_errors):
    if not _name.startswith("_") and (_name.endswith("Error") or _name.isupper()):
        _api.export_value(getattr(_errors, _name), "errors." + _name)
del _name, _value, _names


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    value = _api.lookup("", name)
    globals()[name] = value
    return value


def __dir__():
    return sorted(set(globals()) | _api._names_in(""))
