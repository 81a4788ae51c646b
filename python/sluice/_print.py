"""tf.Print and tf.print: values on standard error while a step runs."""
import sys

import sluice as tf
from sluice import _nest
from sluice._api import export
from sluice._oplib import apply

_PLACES = {"stdout": "stdout", "stderr": "stderr", "log(info)": "log(info)", "log(warning)": "log(warning)",
           "log(error)": "log(error)"}


@export("Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):  # noqa: N802
    """|input_|; prints the tensors |data| each time it is computed."""
    options = {"message": message, "first_n": first_n, "summarize": summarize}
    return apply("Print", name, input=input_, data=list(data),
                 **{key: value for key, value in options.items() if value is not None})


def _place(stream):
    if stream is None or stream is sys.stderr:
        return "stderr"
    if stream is sys.stdout:
        return "stdout"
    if isinstance(stream, str) and (stream in _PLACES or stream.startswith("file://")):
        return stream
    for level in "info", "warning", "error":
        if stream is getattr(tf.logging, level, None):
            return "log(%s)" % level
    raise ValueError("output_stream must be sys.stdout, sys.stderr, a function of tf.logging or \"file://\" and a path, got %r"
                     % (stream,))


@export("print")
def print_v2(*inputs, **kwargs):
    """An operation that prints |inputs|, tensors and structures of them."""
    stream, summarize = kwargs.pop("output_stream", None), kwargs.pop("summarize", 3)
    sep, end, name = kwargs.pop("sep", " "), kwargs.pop("end", "\n"), kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unrecognized keyword arguments for tf.print: %s" % kwargs)
    tensors, texts = [], []

    def shown(value):
        if isinstance(value, tf.SparseTensor):
            return "'SparseTensor(indices=%s, values=%s, shape=%s)'" % tuple(
                shown(part) for part in (value.indices, value.values, value.dense_shape))
        if isinstance(value, (tf.Tensor, tf.Variable)):
            tensors.append(tf.convert_to_tensor(value))
            return "{}"
        return str(value)
    if len(inputs) == 1 and isinstance(inputs[0], tf.Tensor) and inputs[0].dtype == tf.string and not inputs[0].shape.ndims:
        text = inputs[0]
    else:
        for value in inputs:
            if isinstance(value, (list, tuple, dict)) and _nest.flatten(value):
                value = _nest.map_structure(shown, value)
                texts.append(str(value).replace("'{}'", "{}"))
            else:
                texts.append(shown(value))
        text = tf.strings.format(sep.join(texts), tensors, summarize=summarize, name=name + "_format" if name else None)
    return apply("PrintV2", name, input=text, output_stream=_place(stream), end=end)
