"""Parsing of Examples, CSV and raw bytes: tf.io.FixedLenFeature, tf.parse_example, tf.decode_csv."""
import collections

from sluice import _array, _dtypes
from sluice._api import export
from sluice._convert import convert_to_tensor
from sluice._dtypes import as_dtype
from sluice._graph import name_scope
from sluice._math import cast
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor


# --- Features ---

@export("FixedLenFeature", "io.FixedLenFeature")
class FixedLenFeature(collections.namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """A feature of which every example has values of |shape|."""

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, as_dtype(dtype), default_value)


@export("VarLenFeature", "io.VarLenFeature")
class VarLenFeature(collections.namedtuple("VarLenFeature", ["dtype"])):
    """A feature of any number of values: a sparse tensor."""

    def __new__(cls, dtype):
        return super().__new__(cls, as_dtype(dtype))


@export("FixedLenSequenceFeature", "io.FixedLenSequenceFeature")
class FixedLenSequenceFeature(collections.namedtuple("FixedLenSequenceFeature",
                                                     ["shape", "dtype", "allow_missing", "default_value"])):
    """A feature of any number of rows of |shape|, padded to the longest."""

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, as_dtype(dtype), allow_missing, default_value)


@export("SparseFeature", "io.SparseFeature")
class SparseFeature(collections.namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])):
    """A sparse tensor whose indices and values are features of their own."""

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, as_dtype(dtype), size, already_sorted)

    def indices(self):
        """[(key, size)] of each dimension."""
        if isinstance(self.index_key, str):
            return [(self.index_key, self.size)]
        return list(zip(self.index_key, self.size))


class _Features:
    """The features of one message, by how an op takes them."""

    def __init__(self, features):
        self.sparse, self.dense, self.merged = {}, {}, {}  # key -> type, key -> feature, key -> SparseFeature
        self.keys = frozenset(features or ())
        for key in sorted(self.keys):
            feature = features[key]
            if isinstance(feature, VarLenFeature):
                self._add_sparse(key, feature.dtype)
            elif isinstance(feature, SparseFeature):
                self.merged[key] = feature
                for index_key, _ in sorted(feature.indices()):
                    self._add_sparse(index_key, _dtypes.int64)
                self._add_sparse(feature.value_key, feature.dtype)
            elif isinstance(feature, (FixedLenFeature, FixedLenSequenceFeature)):
                self._check(key, feature)
                self.dense[key] = feature
            else:
                raise ValueError("Invalid feature %s:%s." % (key, feature))
        self.sparse = {key: self.sparse[key] for key in sorted(self.sparse)}

    def _add_sparse(self, key, dtype):
        if self.sparse.setdefault(key, dtype) != dtype:
            raise ValueError("Conflicting type %s vs %s for feature %s." % (self.sparse[key].name, dtype.name, key))

    @staticmethod
    def _check(key, feature):
        if feature.dtype is None:
            raise ValueError("Missing type for feature %s." % key)
        if feature.shape is None:
            raise ValueError("Missing shape for feature %s." % key)
        if isinstance(feature, FixedLenFeature):
            sizes = TensorShape(feature.shape).as_list()
            if sizes and None in sizes[1:]:
                raise ValueError("All dimensions of shape for feature %s need to be known but received %s." %
                                 (key, feature.shape))

    def shape(self, key):
        feature = self.dense[key]
        shape = TensorShape(feature.shape)
        return TensorShape([None]).concatenate(shape) if isinstance(feature, FixedLenSequenceFeature) else shape

    def default(self, key):
        """What stands for a feature that an example does not have."""
        feature = self.dense[key]
        if isinstance(feature, FixedLenSequenceFeature) or TensorShape(feature.shape).as_list()[:1] == [None]:
            value = feature.default_value
            if value is None:
                value = "" if feature.dtype == _dtypes.string else 0
            return convert_to_tensor(value, dtype=feature.dtype)
        if feature.default_value is None:
            return convert_to_tensor([], dtype=feature.dtype)
        value = convert_to_tensor(feature.default_value, dtype=feature.dtype, name="key_" + _clean(key))
        return _array.reshape(value, TensorShape(feature.shape).as_list())

    def result(self, sparse_parts, dense_values):
        """{key: value}; |sparse_parts|: the indices, values and shapes of all sparse features."""
        found = dict(zip(self.dense, dense_values))
        for key, *parts in zip(self.sparse, *sparse_parts):
            found[key] = SparseTensor(*parts)
        for key, feature in self.merged.items():
            found[key] = _merged([found[k] for k, _ in feature.indices()], found[feature.value_key],
                                 [size for _, size in feature.indices()], feature.already_sorted)
        return {key: value for key, value in found.items() if key in self.keys}


def _clean(key):
    return "".join(c if c.isalnum() or c in "_.-/" else "_" for c in key)


def _merged(indices, values, sizes, already_sorted):
    """The sparse tensor of which |indices| are the last columns of the indices."""
    with name_scope("SparseMerge"):
        columns = [_array.expand_dims(cast(i.values, _dtypes.int64), axis=1) for i in indices]
        sizes = [cast(size, _dtypes.int64) for size in sizes]
        places = _array.concat([indices[0].indices[:, :-1]] + columns, axis=1)
        shape = _array.concat([indices[0].dense_shape[:-1]] + [[size] for size in sizes], axis=0)
        if already_sorted:
            return SparseTensor(places, values.values, shape)
        made = apply("SparseReorder", None, input_indices=places, input_values=values.values, input_shape=shape)
        return SparseTensor(made[0], made[1], apply("Identity", None, input=shape))


def _features(features):
    if not features:
        raise ValueError("Missing: features was %s." % (features,))
    return _Features(features)


# --- Examples ---

@export("parse_example", "io.parse_example")
def parse_example(serialized, features, name=None, example_names=None):
    """The features of a vector of serialized Examples: {key: tensor}."""
    wanted = _features(features)
    with name_scope(name, "ParseExample", [serialized, example_names]):
        serialized = convert_to_tensor(serialized, dtype=_dtypes.string, name="serialized")
        parts = _parsed(serialized, wanted, example_names, name)
    return wanted.result(*parts)


@export("parse_single_example", "io.parse_single_example")
def parse_single_example(serialized, features, name=None, example_names=None):
    """The features of one serialized Example."""
    wanted = _features(features)
    with name_scope(name, "ParseSingleExample", [serialized, example_names]):
        serialized = convert_to_tensor(serialized, dtype=_dtypes.string, name="serialized")
        with name_scope(name, "ParseExample"):
            parts = _parsed(serialized, wanted, example_names, name)
    return wanted.result(*parts)


def _parsed(serialized, wanted, names, name):
    defaults = [wanted.default(key) for key in wanted.dense]
    made = apply("ParseExampleV2", name, serialized=serialized, names=[] if names is None else names,
                 sparse_keys=list(wanted.sparse), dense_keys=list(wanted.dense), ragged_keys=[], dense_defaults=defaults,
                 num_sparse=len(wanted.sparse), sparse_types=list(wanted.sparse.values()), ragged_value_types=[],
                 ragged_split_types=[], dense_shapes=[wanted.shape(key) for key in wanted.dense])
    return (made.sparse_indices, made.sparse_values, made.sparse_shapes), made.dense_values


# --- SequenceExamples ---

@export("parse_single_sequence_example", "io.parse_single_sequence_example")
def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None, name=None):
    """({key: tensor} of the context, {key: tensor} of the sequences)."""
    wanted = _sequence_features(context_features, sequence_features)
    with name_scope(name, "ParseSingleSequenceExample", [serialized, example_name]):
        with name_scope("ParseSingleExample", values=[serialized, example_name]):
            serialized = convert_to_tensor(serialized, dtype=_dtypes.string, name="serialized")
        with name_scope("ParseSequenceExample"):
            made = _parsed_sequence(serialized, *wanted, example_name)
    return _sequence_result(made, *wanted)[:2]


@export("io.parse_sequence_example")
def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    """(context, sequences, {key: lengths of the sequences}) of a vector of serialized SequenceExamples."""
    wanted = _sequence_features(context_features, sequence_features)
    with name_scope(name, "ParseSequenceExample", [serialized, example_names]):
        with name_scope("ParseSequenceExample"):
            serialized = convert_to_tensor(serialized, dtype=_dtypes.string, name="serialized")
            made = _parsed_sequence(serialized, *wanted, example_names)
    return _sequence_result(made, *wanted)


def _sequence_features(context, sequences):
    if not context and not sequences:
        raise ValueError("Missing features.")
    made = _Features(context), _Features(sequences)
    for key, feature in made[1].dense.items():
        if isinstance(feature, FixedLenFeature):
            raise ValueError("Unsupported feature type FixedLenFeature: feature %s of a sequence" % key)
    return made


def _parsed_sequence(serialized, context, sequences, names):
    defaults = [context.default(key) for key in context.dense]
    return apply("ParseSequenceExampleV2", None, serialized=serialized, debug_name=[] if names is None else names,
                 context_sparse_keys=list(context.sparse), context_dense_keys=list(context.dense), context_ragged_keys=[],
                 feature_list_sparse_keys=list(sequences.sparse), feature_list_dense_keys=list(sequences.dense),
                 feature_list_ragged_keys=[],
                 feature_list_dense_missing_assumed_empty=[bool(f.allow_missing) for f in sequences.dense.values()],
                 context_dense_defaults=defaults, Ncontext_sparse=len(context.sparse),
                 context_sparse_types=list(context.sparse.values()), context_ragged_value_types=[],
                 context_ragged_split_types=[], context_dense_shapes=[context.shape(key) for key in context.dense],
                 Nfeature_list_sparse=len(sequences.sparse), Nfeature_list_dense=len(sequences.dense),
                 feature_list_dense_types=[f.dtype for f in sequences.dense.values()],
                 feature_list_sparse_types=list(sequences.sparse.values()), feature_list_ragged_value_types=[],
                 feature_list_ragged_split_types=[],
                 feature_list_dense_shapes=[TensorShape(f.shape) for f in sequences.dense.values()])


def _sequence_result(made, context, sequences):
    first = context.result((made.context_sparse_indices, made.context_sparse_values, made.context_sparse_shapes),
                           made.context_dense_values)
    second = sequences.result((made.feature_list_sparse_indices, made.feature_list_sparse_values,
                               made.feature_list_sparse_shapes), made.feature_list_dense_values)
    return first, second, dict(zip(sequences.dense, made.feature_list_dense_lengths))


# --- Text and bytes ---

@export("decode_raw", "io.decode_raw")
def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):  # noqa: A002
    return apply("DecodeRaw", name, bytes=bytes if input_bytes is None else input_bytes, out_type=out_type,
                 little_endian=little_endian)


@export("decode_csv", "io.decode_csv")
def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, name=None, na_value="", select_cols=None):
    """The columns of lines of CSV, one tensor each. |record_defaults|: [] for a column that must have a value."""
    if select_cols is not None:
        if any(a >= b for a, b in zip(select_cols, select_cols[1:])):
            raise ValueError("select_cols is not strictly increasing.")
        if select_cols and select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(record_defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return apply("DecodeCSV", name, records=records, record_defaults=list(record_defaults), field_delim=field_delim,
                 use_quote_delim=use_quote_delim, na_value=na_value, select_cols=select_cols)


@export("decode_json_example", "io.decode_json_example")
def decode_json_example(json_examples, name=None):
    """Serialized Examples of their JSON form."""
    return apply("DecodeJSONExample", name, json_examples=json_examples)
