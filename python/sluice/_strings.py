"""Texts: tf.strings."""
from sluice import _array, _dtypes
from sluice._api import export
from sluice._convert import constant, convert_to_tensor
from sluice._graph import name_scope
from sluice._oplib import apply
from sluice._sparse_tensor import SparseTensor


@export("string_join", "strings.join")
def string_join(inputs, separator="", name=None):
    return apply("StringJoin", name, inputs=list(inputs), separator=separator)


@export("reduce_join", "strings.reduce_join")
def reduce_join(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
    """The texts of some dimensions as one."""
    axis = reduction_indices if axis is None else axis
    keep = bool(keepdims if keepdims is not None else keep_dims)
    with name_scope(name, "ReduceJoin"):
        texts = convert_to_tensor(inputs)
        if axis is None:
            axis = constant(list(range(texts.shape.ndims))[::-1], dtype=_dtypes.int32) if texts.shape.ndims is not None else \
                _all_axes(texts)
        return apply("ReduceJoin", None, inputs=texts, reduction_indices=axis, keep_dims=keep, separator=separator)


def _all_axes(texts):
    from sluice._range import range_of
    return range_of(_array.rank(texts) - 1, -1, -1)


@export("strings.length")
def string_length(input, name=None, unit="BYTE"):  # noqa: A002
    return apply("StringLength", name, input=input, unit=unit)


@export("substr", "strings.substr")
def substr(input, pos, len, name=None, unit="BYTE"):  # noqa: A002
    return apply("Substr", name, input=input, pos=pos, len=len, unit=unit)


def _pattern(value):
    """|value| as a Python text, if it is one or a constant."""
    if isinstance(value, (str, bytes)):
        return value
    return None


@export("regex_replace", "strings.regex_replace")
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):  # noqa: A002
    if _pattern(pattern) is not None and _pattern(rewrite) is not None:
        return apply("StaticRegexReplace", name, input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global)
    return apply("RegexReplace", name, input=input, pattern=pattern, rewrite=rewrite, replace_global=replace_global)


@export("strings.regex_full_match")
def regex_full_match(input, pattern, name=None):  # noqa: A002
    if _pattern(pattern) is not None:
        return apply("StaticRegexFullMatch", name, input=input, pattern=pattern)
    return apply("RegexFullMatch", name, input=input, pattern=pattern)


@export("string_to_hash_bucket", "strings.to_hash_bucket")
def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):  # noqa: A002
    return apply("StringToHashBucket", name, string_tensor=input if string_tensor is None else string_tensor,
                 num_buckets=num_buckets)


@export("string_to_number", "strings.to_number")
def string_to_number(string_tensor=None, out_type=_dtypes.float32, name=None, input=None):  # noqa: A002
    return apply("StringToNumber", name, string_tensor=input if string_tensor is None else string_tensor, out_type=out_type)


@export("strings.unsorted_segment_join")
def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    return apply("UnsortedSegmentJoin", name, inputs=inputs, segment_ids=segment_ids, num_segments=num_segments,
                 separator=separator)


def _check_result_type(result_type):
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


@export("string_split")
def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    """The words of a vector of texts, as a sparse tensor."""
    _check_result_type(result_type)
    delimiter = " " if sep is None and delimiter is None else sep if delimiter is None else delimiter
    if result_type == "RaggedTensor":
        from sluice._ragged_strings import ragged_parts
        return ragged_parts(source, delimiter, skip_empty)
    with name_scope(None, "StringSplit", [source]):
        delimiter = convert_to_tensor(delimiter, dtype=_dtypes.string)
        source = convert_to_tensor(source, dtype=_dtypes.string)
        parts = apply("StringSplit", None, input=source, delimiter=delimiter, skip_empty=skip_empty)
    parts[0].set_shape([None, 2])
    parts[1].set_shape([None])
    parts[2].set_shape([2])
    return SparseTensor(*parts)


@export("strings.split")
def strings_split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):  # noqa: A002
    """The words of texts, as Python splits them, as a sparse tensor."""
    _check_result_type(result_type)
    if result_type == "RaggedTensor" or hasattr(input, "nested_row_splits"):
        from sluice._ragged_strings import ragged_words
        return ragged_words(source if input is None else input, sep, maxsplit, name)
    with name_scope(name, "StringSplit", [input]):
        texts = convert_to_tensor(source if input is None else input, name="input", dtype=_dtypes.string)
        if texts.shape.ndims == 0:
            texts = _array.expand_dims(texts, 0)
        sep = convert_to_tensor("" if sep is None else sep, dtype=_dtypes.string)
        parts = apply("StringSplitV2", None, input=texts, sep=sep, maxsplit=maxsplit)
    parts[0].set_shape([None, 2])
    parts[1].set_shape([None])
    parts[2].set_shape([2])
    return SparseTensor(*parts)


@export("strings.format")
def strings_format(template, inputs, placeholder="{}", summarize=3, name=None):
    """|template| with the values of tensors in the places of |placeholder|."""
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if template.count(placeholder) != len(inputs):
        raise ValueError("The template expects %d tensors, but the inputs only has %d. Please ensure the number of "
                         "placeholders in template matches inputs length." % (template.count(placeholder), len(inputs)))
    return apply("StringFormat", name, inputs=inputs, template=template, placeholder=placeholder, summarize=summarize)
