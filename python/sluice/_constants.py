"""Names that are constants, messages or small helpers: versions, protocol messages, tf.sysconfig."""
from sluice import _device, _dtypes, _errors, _extension
from sluice._api import export, export_value
from sluice._message import message

for _name in ("GraphOptions", "HistogramProto", "LogMessage", "NameAttrList", "OptimizerOptions", "SessionLog",
              "SummaryMetadata"):
    export_value(message(_name), _name)
export_value(message("SessionLog"), "summary.SessionLog")
export_value(message("TaggedRunMetadata"), "summary.TaggedRunMetadata")
export_value(message("JobDef"), "train.JobDef")
export_value(_device.DeviceSpec, "DeviceSpec")
export_value(_errors.OpError, "OpError")
export_value(_errors.exception_type_from_error_code, "errors.exception_type_from_error_code")
export_value(_errors.error_code_from_exception_type, "errors.error_code_from_exception_type")
export_value(frozenset([_dtypes.qint8, _dtypes.quint8, _dtypes.qint16, _dtypes.quint16, _dtypes.qint32]),
             "QUANTIZED_DTYPES", "dtypes.QUANTIZED_DTYPES")
for _name, _value in (("VERSION", "1.15.0"), ("GIT_VERSION", "sluice " + _extension.version()), ("COMPILER_VERSION", "C11"),
                      ("GRAPH_DEF_VERSION", 134), ("GRAPH_DEF_VERSION_MIN_CONSUMER", 0),
                      ("GRAPH_DEF_VERSION_MIN_PRODUCER", 0)):
    export_value(_value, "version." + _name)
    if _name != "VERSION":
        export_value(_value, _name)
for _name in "CXX11_ABI_FLAG", "MONOLITHIC_BUILD":
    export_value(0, _name, "sysconfig." + _name)


@export("sysconfig.get_lib")
def get_lib():
    """The folder of the library."""
    from sluice import _library
    return _library._FOLDER


@export("op_scope")
def op_scope(values, name, default_name=None):
    """The old form of tf.name_scope."""
    from sluice._graph import name_scope
    return name_scope(name, default_name, values)


# --- Quantised values ---

def _apply(*arguments, **named):
    from sluice._oplib import apply
    return apply(*arguments, **named)


@export("quantize", "quantize_v2", "quantization.quantize")
def quantize(input, min_range, max_range, T, mode="MIN_COMBINED", round_mode="HALF_AWAY_FROM_ZERO", name=None):  # noqa: A002
    return _apply("QuantizeV2", name, input=input, min_range=min_range, max_range=max_range, T=T, mode=mode,
                  round_mode=round_mode)


@export("dequantize", "quantization.dequantize")
def dequantize(input, min_range, max_range, mode="MIN_COMBINED", name=None):  # noqa: A002
    return _apply("Dequantize", name, input=input, min_range=min_range, max_range=max_range, mode=mode)


@export("quantization.quantize_and_dequantize")
def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8, range_given=False,  # noqa: A002
                            round_mode="HALF_TO_EVEN", name=None, narrow_range=False):
    return _apply("QuantizeAndDequantizeV2", name, input=input, input_min=input_min, input_max=input_max,
                  signed_input=signed_input, num_bits=num_bits, range_given=range_given, round_mode=round_mode,
                  narrow_range=narrow_range)

