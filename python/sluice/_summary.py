"""Summaries: tf.summary."""
import contextlib
import re

from sluice import _dtypes
from sluice._api import export, export_value
from sluice._convert import convert_to_tensor
from sluice._graph import GraphKeys, get_default_graph, name_scope
from sluice._message import message
from sluice._oplib import apply

export_value(message("Summary"), "Summary", "summary.Summary")
export_value(message("Event"), "Event", "summary.Event")
_ILLEGAL = re.compile(r"[^-/\w\.]")


def _clean(name):
    """|name| with only the characters that names of nodes may have."""
    return _ILLEGAL.sub("_", name).lstrip("/")


@contextlib.contextmanager
def _scope(name, family, values):
    name = _clean(name)
    family = None if family is None else _clean(family)
    with name_scope("%s/%s" % (family, name) if family else name, values=values) as scope:
        tag = scope.rstrip("/")
        yield "%s/%s" % (family, tag) if family else tag, scope


def _collect(value, collections):
    get_default_graph().add_to_collections([GraphKeys.SUMMARIES] if collections is None else list(collections), value)
    return value


@export("summary.scalar")
def scalar(name, tensor, collections=None, family=None):
    with _scope(name, family, [tensor]) as (tag, scope):
        return _collect(apply("ScalarSummary", scope, tags=tag, values=tensor), collections)


@export("summary.histogram")
def histogram(name, values, collections=None, family=None):
    with _scope(name, family, [values]) as (tag, scope):
        return _collect(apply("HistogramSummary", scope, tag=tag, values=values), collections)


@export("summary.image")
def image(name, tensor, max_outputs=3, collections=None, family=None):
    with _scope(name, family, [tensor]) as (tag, scope):
        return _collect(apply("ImageSummary", scope, tag=tag, tensor=tensor, max_images=max_outputs), collections)


@export("summary.merge")
def merge(inputs, collections=None, name=None):
    with name_scope(name, "Merge", inputs):
        made = apply("MergeSummary", name, inputs=inputs)
        if collections:
            get_default_graph().add_to_collections(collections, made)
        return made


@export("summary.merge_all")
def merge_all(key=GraphKeys.SUMMARIES, scope=None, name=None):
    """All summaries of the collection as one; None if there are none."""
    found = get_default_graph().get_collection(key, scope)
    return merge(found, name=name) if found else None


@export("summary.audio")
def audio(name, tensor, sample_rate, max_outputs=3, collections=None, family=None):
    with _scope(name, family, [tensor]) as (tag, scope):
        rate = convert_to_tensor(sample_rate, dtype=_dtypes.float32, name="sample_rate")
        return _collect(apply("AudioSummaryV2", scope, tag=tag, tensor=tensor, max_outputs=max_outputs, sample_rate=rate),
                        collections)


@export("summary.tensor_summary")
def tensor_summary(name, tensor, summary_description=None, collections=None, summary_metadata=None, family=None,
                   display_name=None):
    """A summary of any tensor; |summary_metadata| names the plugin that shows it."""
    metadata = message("SummaryMetadata")()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if display_name is not None:
        metadata.display_name = display_name
    if summary_description is not None:
        metadata.summary_description = summary_description
    with _scope(name, family, [tensor]) as (tag, scope):
        return _collect(apply("TensorSummaryV2", scope, tensor=tensor, tag=tag,
                              serialized_summary_metadata=metadata.SerializeToString()), collections)


@export("summary.text")
def text(name, tensor, collections=None):
    if tensor.dtype != _dtypes.string:
        raise ValueError("Expected tensor %s to have dtype string, got %s" % (tensor.name, tensor.dtype))
    metadata = message("SummaryMetadata")()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, summary_metadata=metadata, collections=collections)
