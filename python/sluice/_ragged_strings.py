"""Functions of texts whose results are ragged: characters, bytes, words, n-grams."""
from sluice import _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._graph import name_scope
from sluice._oplib import apply
from sluice._ragged import RaggedTensor, _tf, as_ragged


def _by_rows(texts, of_vector):
    """of_vector(vector of texts), a ragged tensor, for texts of any rank; of a scalar, the only row."""
    texts = as_ragged(texts)
    if isinstance(texts, RaggedTensor):
        return texts.with_values(_by_rows(texts.values, of_vector))
    rank = texts.shape.ndims
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        return of_vector(_tf().reshape(texts, [1])).values
    if rank == 1:
        return of_vector(texts)
    return _by_rows(RaggedTensor.from_tensor(texts, ragged_rank=rank - 1), of_vector)


def ragged_words(texts, sep, maxsplit, name):
    """strings.split() with rows of words."""
    with name_scope(name, "StringSplit"):
        def of_vector(vector):
            parts = apply("StringSplitV2", None, input=vector, sep=convert_to_tensor("" if sep is None else sep),
                          maxsplit=maxsplit)
            return RaggedTensor.from_value_rowids(parts[1], parts[0][:, 0], parts[2][0])
        return _by_rows(convert_to_tensor(texts, dtype=_dtypes.string) if not hasattr(texts, "nested_row_splits") else texts,
                        of_vector)


def ragged_parts(source, delimiter, skip_empty):
    """string_split() with rows of parts."""
    parts = apply("StringSplit", None, input=source, delimiter=convert_to_tensor(delimiter), skip_empty=skip_empty)
    return RaggedTensor.from_value_rowids(parts[1], parts[0][:, 0], parts[2][0])


@export("strings.bytes_split")
def bytes_split(input, name=None):  # noqa: A002
    with name_scope(name, "StringsByteSplit", [input]):
        return _by_rows(input, lambda vector: ragged_parts(vector, "", False))


def _decoded(vector, encoding, errors, replacement_char, replace_control_characters):
    splits, chars = apply("UnicodeDecode", None, input=vector, input_encoding=encoding, errors=errors,
                          replacement_char=replacement_char, replace_control_characters=replace_control_characters)
    return RaggedTensor.from_row_splits(chars, splits)


@export("strings.unicode_decode")
def unicode_decode(input, input_encoding, errors="replace", replacement_char=0xFFFD,  # noqa: A002
                   replace_control_characters=False, name=None):
    """The code points of texts."""
    with name_scope(name, "UnicodeDecode", [input]):
        return _by_rows(input, lambda v: _decoded(v, input_encoding, errors, replacement_char, replace_control_characters))


def _with_offsets(texts, encoding, errors, replacement_char, replace_control_characters):
    """(code points, where their bytes begin)"""
    def parts(vector):
        return apply("UnicodeDecodeWithOffsets", None, input=vector, input_encoding=encoding, errors=errors,
                     replacement_char=replacement_char, replace_control_characters=replace_control_characters)
    seen = []

    def chars(vector):
        seen.append(parts(vector))
        return RaggedTensor.from_row_splits(seen[-1][1], seen[-1][0])
    points = _by_rows(texts, chars)
    return points, _by_rows(texts, lambda vector: RaggedTensor.from_row_splits(seen[-1][2], seen[-1][0]))


@export("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(input, input_encoding, errors="replace", replacement_char=0xFFFD,  # noqa: A002
                                replace_control_characters=False, name=None):
    with name_scope(name, "UnicodeDecodeWithOffsets", [input]):
        return _with_offsets(input, input_encoding, errors, replacement_char, replace_control_characters)


@export("strings.unicode_encode")
def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):  # noqa: A002
    """Texts of rows of code points."""
    with name_scope(name, "UnicodeEncode", [input]):
        points = as_ragged(input)
        if not isinstance(points, RaggedTensor):
            rank = points.shape.ndims
            if not rank:
                raise ValueError("input_tensor's rank must be at least 1.")
            if rank == 1:
                one = RaggedTensor.from_row_lengths(points, _tf().shape(points, out_type=_dtypes.int64))
                return _tf().reshape(unicode_encode(one, output_encoding, errors, replacement_char), [])
            points = RaggedTensor.from_tensor(points, ragged_rank=rank - 1)
        if isinstance(points.values, RaggedTensor):
            return points.with_values(unicode_encode(points.values, output_encoding, errors, replacement_char))
        return apply("UnicodeEncode", None, input_values=points.values, input_splits=points.row_splits,
                     output_encoding=output_encoding, errors=errors, replacement_char=replacement_char)


def _as_texts(points, encoding, errors, replacement_char):
    """Each code point as a text of its own."""
    values = points.flat_values if isinstance(points, RaggedTensor) else points
    single = RaggedTensor.from_row_splits(values, _tf().range(_tf().shape(values, out_type=_dtypes.int64)[0] + 1))
    texts = unicode_encode(single, encoding, errors, replacement_char)
    return points.with_flat_values(texts) if isinstance(points, RaggedTensor) else texts


@export("strings.unicode_split")
def unicode_split(input, input_encoding, errors="replace", replacement_char=0xFFFD, name=None):  # noqa: A002
    """The characters of texts."""
    with name_scope(name, "UnicodeSplit", [input]):
        points = unicode_decode(input, input_encoding, errors, replacement_char)
        return _as_texts(points, input_encoding, errors if errors != "ignore" else "replace", replacement_char)


@export("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=0xFFFD, name=None):  # noqa: A002
    with name_scope(name, "UnicodeSplitWithOffsets", [input]):
        points, offsets = _with_offsets(input, input_encoding, errors, replacement_char, False)
        return _as_texts(points, input_encoding, errors if errors != "ignore" else "replace", replacement_char), offsets


@export("strings.ngrams")
def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None):
    """Runs of |ngram_width| words of each row, joined."""
    with name_scope(name, "StringNGrams", [data]):
        if padding_width is not None and pad_values is None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        left, right = ("", "") if pad_values is None else (pad_values, pad_values) if isinstance(pad_values, (str, bytes)) else \
            pad_values
        widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
        if any(width < 1 for width in widths):
            raise ValueError("All ngram_widths must be greater than 1. Got %s" % (ngram_width,))
        padding = 0 if pad_values is None else -1 if padding_width is None else padding_width
        words = as_ragged(data)
        is_dense = not isinstance(words, RaggedTensor)
        if is_dense:
            as_vector = words.shape.ndims == 1
            words = RaggedTensor.from_tensor(_tf().expand_dims(words, 0) if as_vector else words)
        grams, splits = apply("StringNGrams", None, data=words.flat_values, data_splits=words.nested_row_splits[-1],
                              separator=separator, ngram_widths=widths, left_pad=left, right_pad=right, pad_width=padding,
                              preserve_short_sequences=preserve_short_sequences)
        made = RaggedTensor.from_nested_row_splits(grams, [*words.nested_row_splits[:-1], splits])
        if is_dense:
            made = made.to_tensor(default_value="")
            return _tf().squeeze(made, 0) if as_vector else made
        return made
