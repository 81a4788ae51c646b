"""tf.compat: text and bytes, and names of messages where TensorFlow's own code keeps them."""
import numbers
import os

import numpy as np
import sluice
from sluice._api import export, export_value
from sluice._message import message


@export("compat.as_bytes", "compat.v1.compat.as_bytes", "python.util.compat.as_bytes")
def as_bytes(bytes_or_text, encoding="utf-8"):
    """|bytes_or_text| as bytes."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError("Expected binary or unicode string, got %r" % (bytes_or_text,))


@export("compat.as_text", "compat.as_str", "python.util.compat.as_text", "python.util.compat.as_str")
def as_text(bytes_or_text, encoding="utf-8"):
    """|bytes_or_text| as a str."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text).decode(encoding)
    raise TypeError("Expected binary or unicode string, got %r" % (bytes_or_text,))


@export("compat.as_str_any", "python.util.compat.as_str_any")
def as_str_any(value):
    """Any value as a str."""
    return as_text(value) if isinstance(value, (bytes, bytearray)) else str(value)


@export("compat.path_to_str", "python.util.compat.path_to_str")
def path_to_str(path):
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


@export("compat.forward_compatible", "python.compat.compat.forward_compatible")
def forward_compatible(year, month, day):
    """Whether graphs need not be read by a TensorFlow of before this day: always."""
    return True


export_value(sluice, "compat.v1")
for _name, _value in (
        ("integral_types", (numbers.Integral, np.integer)), ("real_types", (numbers.Real, np.integer, np.floating)),
        ("complex_types", (numbers.Complex, np.number)), ("bytes_or_text_types", (bytes, str))):
    export_value(_value, "compat." + _name, "python.util.compat." + _name)

# Where programs import messages from: the modules that protobuf's compiler makes of TensorFlow's files.
_MESSAGES = {
    "example.example_pb2": "Example SequenceExample",
    "example.feature_pb2": "BytesList FloatList Int64List Feature Features FeatureList FeatureLists",
    "framework.attr_value_pb2": "AttrValue NameAttrList",
    "framework.function_pb2": "FunctionDef FunctionDefLibrary GradientDef",
    "framework.graph_pb2": "GraphDef",
    "framework.node_def_pb2": "NodeDef",
    "framework.op_def_pb2": "OpDef OpList",
    "framework.step_stats_pb2": "StepStats DeviceStepStats NodeExecStats",
    "framework.summary_pb2": "Summary HistogramProto SummaryMetadata SummaryDescription",
    "framework.tensor_pb2": "TensorProto",
    "framework.tensor_shape_pb2": "TensorShapeProto",
    "framework.variable_pb2": "VariableDef SaveSliceInfoDef",
    "framework.versions_pb2": "VersionDef",
    "protobuf.cluster_pb2": "ClusterDef JobDef",
    "protobuf.config_pb2": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunOptions RunMetadata RPCOptions",
    "protobuf.control_flow_pb2": "CondContextDef WhileContextDef ValuesDef",
    "protobuf.meta_graph_pb2": "MetaGraphDef CollectionDef SignatureDef TensorInfo AssetFileDef",
    "protobuf.queue_runner_pb2": "QueueRunnerDef",
    "protobuf.rewriter_config_pb2": "RewriterConfig AutoParallelOptions ScopedAllocatorOptions",
    "protobuf.saved_model_pb2": "SavedModel",
    "protobuf.saver_pb2": "SaverDef",
    "protobuf.tensorflow_server_pb2": "ServerDef",
    "util.event_pb2": "Event SessionLog LogMessage TaggedRunMetadata",
}
for _file, _names in _MESSAGES.items():
    for _name in _names.split():
        export_value(message(_name), "core.%s.%s" % (_file, _name))
