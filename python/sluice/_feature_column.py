"""Feature columns: how raw features become the inputs of a model, tf.feature_column."""
import collections
import math
import re

import sluice as tf
from sluice._api import export
from sluice._dtypes import as_dtype
from sluice._oplib import apply
from sluice._shape import TensorShape
from sluice._sparse_tensor import SparseTensor

IdWeightPair = collections.namedtuple("IdWeightPair", ["id_tensor", "weight_tensor"])
_HASH_KEY = 0xDECAFCAFFE  # of crossed columns


class FeatureColumn:
    """A column. transform() makes its tensors of the features, once for all that use them."""

    @property
    def scope_name(self):
        return re.sub(r"[^A-Za-z0-9_.\-/]", "_", self.name)

    @property
    def parse_example_spec(self):
        return self.categorical_column.parse_example_spec


class DenseColumn(FeatureColumn):
    """A column that gives a dense tensor: dense(features, collections, trainable) of shape [batch] + variable_shape."""

    def dense(self, features, collections_, trainable):
        return features.get(self)


class CategoricalColumn(FeatureColumn):
    """A column that gives ids below num_buckets: sparse(features) is an IdWeightPair."""

    def sparse(self, features):
        return IdWeightPair(features.get(self), None)


class Features:
    """The features, and what columns have made of them."""

    def __init__(self, features):
        self._raw, self._made = dict(features), {}

    def get(self, key):
        if key not in self._made:
            if isinstance(key, FeatureColumn):
                self._made[key] = key.transform(self)
            elif key in self._raw:
                self._made[key] = _at_least_matrix(key, self._raw[key])
            else:
                raise ValueError("Feature %s is not in features dictionary." % key)
        return self._made[key]


def _at_least_matrix(key, value):
    value = tf.convert_to_tensor_or_sparse_tensor(value)
    rank = value.shape.ndims
    if rank is None:
        raise NotImplementedError("feature %s has an unknown rank, which is not there yet: use set_shape" % key)
    if rank == 0:
        raise ValueError("Feature (key: %s) cannot have rank 0. Given: %s" % (key, value))
    if rank > 1:
        return value
    if isinstance(value, SparseTensor):
        return tf.sparse_reshape(value, [tf.cast(value.dense_shape, tf.int32)[0], 1])
    return tf.expand_dims(value, -1)


def _to_sparse(value, ignored=None):
    """|value| as a sparse tensor; elements that stand for nothing are left out: "", -1, 0.0."""
    value = tf.convert_to_tensor_or_sparse_tensor(value)
    if isinstance(value, SparseTensor):
        return value
    with tf.name_scope(None, "to_sparse_input", [value, ignored]):
        if ignored is None:
            ignored = "" if value.dtype == tf.string else -1 if value.dtype.is_integer else 0.0
        ignored = tf.constant(ignored, dtype=value.dtype, name="ignore_value")
        indices = tf.where(tf.not_equal(value, ignored), name="indices")
        return SparseTensor(indices, tf.gather_nd(value, indices, name="values"),
                            tf.shape(value, out_type=tf.int64, name="dense_shape"))


def _sparse_input(features, column):
    """The feature of |column|, whose type must be the column's."""
    found = _to_sparse(features.get(column.key))
    if not (found.dtype == tf.string or found.dtype.is_integer):
        raise ValueError("column_name: %s input_tensor dtype must be string or integer. dtype: %s." %
                         (column.key, found.dtype))
    if column.dtype.is_integer != found.dtype.is_integer:
        raise ValueError("Column dtype and SparseTensors dtype must be compatible. key: %s, column dtype: %s, tensor dtype: %s"
                         % (column.key, column.dtype, found.dtype))
    return found


def _key(key):
    if not isinstance(key, str):
        raise ValueError("key must be a string. Got: type %s." % type(key))
    return key


def _text_or_integer(dtype, where):
    dtype = as_dtype(dtype)
    if dtype != tf.string and not dtype.is_integer:
        raise ValueError("%s dtype must be string or integer. dtype: %s." % (where, dtype))
    return dtype


# --- Numbers ---

class NumericColumn(DenseColumn, collections.namedtuple("NumericColumn", [
        "key", "shape", "default_value", "dtype", "normalizer_fn"])):
    name = property(lambda self: self.key)
    variable_shape = property(lambda self: TensorShape(self.shape))
    parse_example_spec = property(lambda self: {self.key: tf.FixedLenFeature(self.shape, self.dtype, self.default_value)})

    def transform(self, features):
        found = features.get(self.key)
        if isinstance(found, SparseTensor):
            raise ValueError("The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. "
                             "key: %s" % self.key)
        if self.normalizer_fn is not None:
            found = self.normalizer_fn(found)
        return tf.cast(found, tf.float32)


@export("feature_column.numeric_column")
def numeric_column(key, shape=(1,), default_value=None, dtype="float32", normalizer_fn=None):
    shape = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    if not all(isinstance(size, int) and size > 0 for size in shape):
        raise ValueError("shape dimensions must be integers greater than 0. shape: %s. key: %s." % (shape, key))
    dtype = as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError("dtype must be convertible to float. dtype: %s, key: %s" % (dtype, key))
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError("normalizer_fn must be a callable. Given: %s" % (normalizer_fn,))
    return NumericColumn(_key(key), shape, _default(default_value, shape, dtype, key), dtype, normalizer_fn)


def _default(value, shape, dtype, key):
    """|value| as nested tuples of |shape|."""
    import numpy as np
    if value is None:
        return None
    made = np.asarray(value)
    if dtype.is_integer and not np.issubdtype(made.dtype, np.integer):
        raise TypeError("default_value must be compatible with dtype. default_value: %s, dtype: %s, key: %s" %
                        (value, dtype, key))
    if made.shape not in ((), shape):
        raise ValueError("The shape of default_value must be equal to given shape. default_value: %s, shape: %s, key: %s" %
                         (value, shape, key))

    def tuples(items):
        return tuple(tuples(item) for item in items) if isinstance(items, list) else items
    return tuples(np.broadcast_to(made.astype(dtype.as_numpy_dtype), shape).tolist())


class BucketizedColumn(DenseColumn, CategoricalColumn, collections.namedtuple("BucketizedColumn", [
        "source_column", "boundaries"])):
    name = property(lambda self: self.source_column.name + "_bucketized")
    variable_shape = property(lambda self: TensorShape(self.source_column.shape + (len(self.boundaries) + 1,)))
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0])
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)

    def transform(self, features):
        return apply("Bucketize", None, input=features.get(self.source_column), boundaries=list(self.boundaries))

    def dense(self, features, collections_, trainable):
        return tf.one_hot(tf.cast(features.get(self), tf.int64), depth=len(self.boundaries) + 1, on_value=1.0, off_value=0.0)

    def sparse(self, features):
        found, size = features.get(self), self.source_column.shape[0]
        batch = tf.shape(found)[0]
        rows = tf.reshape(tf.tile(tf.expand_dims(tf.range(0, batch), 1), [1, size]), (-1,))
        columns = tf.tile(tf.range(0, size), [batch])
        ids = tf.reshape(found, (-1,)) + (len(self.boundaries) + 1) * columns
        indices = tf.cast(tf.transpose(tf.stack((rows, columns))), tf.int64)
        return IdWeightPair(SparseTensor(indices, ids, tf.cast(tf.stack([batch, size]), tf.int64)), None)


@export("feature_column.bucketized_column")
def bucketized_column(source_column, boundaries):
    if not isinstance(source_column, NumericColumn):
        raise ValueError("source_column must be a column generated with numeric_column(). Given: %s" % (source_column,))
    if len(source_column.shape) > 1:
        raise ValueError("source_column must be one-dimensional column. Given: %s" % (source_column,))
    if not boundaries or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError("boundaries must be a sorted list.")
    return BucketizedColumn(source_column, tuple(boundaries))


# --- Categories ---

class HashedColumn(CategoricalColumn, collections.namedtuple("HashedColumn", ["key", "hash_bucket_size", "dtype"])):
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.hash_bucket_size)
    parse_example_spec = property(lambda self: {self.key: tf.VarLenFeature(self.dtype)})

    def transform(self, features):
        found = _sparse_input(features, self)
        values = found.values if self.dtype == tf.string else tf.as_string(found.values)
        ids = tf.string_to_hash_bucket_fast(values, self.hash_bucket_size, name="lookup")
        return SparseTensor(found.indices, ids, found.dense_shape)


@export("feature_column.categorical_column_with_hash_bucket")
def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype="string"):
    if hash_bucket_size is None or hash_bucket_size < 1:
        raise ValueError("hash_bucket_size must be at least 1. hash_bucket_size: %s, key: %s" % (hash_bucket_size, key))
    return HashedColumn(_key(key), hash_bucket_size, _text_or_integer(dtype, "column_name: %s" % key))


class _VocabularyColumn(CategoricalColumn):
    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: tf.VarLenFeature(self.dtype)})

    def transform(self, features):
        found = _sparse_input(features, self)
        if found.dtype.is_integer:
            found = SparseTensor(found.indices, tf.cast(found.values, tf.int64), found.dense_shape)
        return self.table(found.dtype, "%s_lookup" % self.key).lookup(found)


class VocabularyListColumn(_VocabularyColumn, collections.namedtuple("VocabularyListColumn", [
        "key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"])):
    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def table(self, dtype, name):
        return tf.contrib.lookup.index_table_from_tensor(self.vocabulary_list, self.num_oov_buckets, self.default_value,
                                                         dtype=dtype, name=name)


def _check_oov(num_oov_buckets, default_value, unset, key):
    if num_oov_buckets and default_value != unset:
        raise ValueError("Can't specify both num_oov_buckets and default_value in %s." % key)
    if num_oov_buckets < 0:
        raise ValueError("Invalid num_oov_buckets %s in %s." % (num_oov_buckets, key))


@export("feature_column.categorical_column_with_vocabulary_list")
def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    import numpy as np
    words = tuple(vocabulary_list) if vocabulary_list is not None else ()
    if not words:
        raise ValueError("vocabulary_list %s must be non-empty, column_name: %s" % (vocabulary_list, key))
    if len(set(words)) != len(words):
        raise ValueError("Duplicate keys in vocabulary_list %s, column_name: %s" % (vocabulary_list, key))
    _check_oov(num_oov_buckets, default_value, -1, key)
    kind = tf.string if np.asarray(words).dtype.kind in "USO" else as_dtype(np.asarray(words).dtype)
    dtype = _text_or_integer(kind if dtype is None else dtype, "column_name: %s" % key)
    if dtype.is_integer != kind.is_integer:
        raise ValueError("dtype %s and vocabulary dtype %s do not match, column_name: %s" % (dtype, kind, key))
    return VocabularyListColumn(_key(key), words, dtype, default_value, num_oov_buckets)


class VocabularyFileColumn(_VocabularyColumn, collections.namedtuple("VocabularyFileColumn", [
        "key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value"])):
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def table(self, dtype, name):
        return tf.contrib.lookup.index_table_from_file(self.vocabulary_file, self.num_oov_buckets, self.vocabulary_size,
                                                       self.default_value, key_dtype=dtype, name=name)


@export("feature_column.categorical_column_with_vocabulary_file")
def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0,
                                            default_value=None, dtype="string"):
    if not vocabulary_file:
        raise ValueError("Missing vocabulary_file in %s." % key)
    if vocabulary_size is None:
        with tf.gfile.GFile(vocabulary_file, "rb") as file:
            vocabulary_size = file.read().count(b"\n")
    if vocabulary_size < 1:
        raise ValueError("Invalid vocabulary_size in %s." % key)
    _check_oov(num_oov_buckets, default_value, None, key)
    return VocabularyFileColumn(_key(key), vocabulary_file, vocabulary_size, num_oov_buckets,
                                _text_or_integer(dtype, "column_name: %s" % key),
                                -1 if default_value is None else default_value)


class IdentityColumn(CategoricalColumn, collections.namedtuple("IdentityColumn", ["key", "num_buckets", "default_value"])):
    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: tf.VarLenFeature(tf.int64)})

    def transform(self, features):
        found = _to_sparse(features.get(self.key))
        if not found.dtype.is_integer:
            raise ValueError("Invalid input, not integer. key: %s dtype: %s" % (self.key, found.dtype))
        ids = found.values
        if ids.dtype != tf.int64:
            ids = tf.cast(ids, tf.int64, name="values")
        if self.default_value is not None:
            wrong = tf.logical_or(ids < 0, ids >= self.num_buckets, name="out_of_range")
            ids = tf.where(wrong, tf.fill(tf.shape(ids), tf.constant(self.default_value, tf.int64), name="default_values"),
                           ids)
        return SparseTensor(found.indices, ids, found.dense_shape)


@export("feature_column.categorical_column_with_identity")
def categorical_column_with_identity(key, num_buckets, default_value=None):
    if num_buckets < 1:
        raise ValueError("num_buckets %s < 1, column_name %s" % (num_buckets, key))
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError("default_value %s not in range [0, %s), column_name %s" % (default_value, num_buckets, key))
    return IdentityColumn(_key(key), num_buckets, default_value)


class WeightedColumn(CategoricalColumn, collections.namedtuple("WeightedColumn", [
        "categorical_column", "weight_feature_key", "dtype"])):
    name = property(lambda self: "%s_weighted_by_%s" % (self.categorical_column.name, self.weight_feature_key))
    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    @property
    def parse_example_spec(self):
        made = dict(self.categorical_column.parse_example_spec)
        if self.weight_feature_key in made:
            raise ValueError("Parse config %s already exists for %s." % (made, self.weight_feature_key))
        made[self.weight_feature_key] = tf.VarLenFeature(self.dtype)
        return made

    def transform(self, features):
        weights = features.get(self.weight_feature_key)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError("Bad dtype, expected %s, but got %s." % (self.dtype, weights.dtype))
        weights = _to_sparse(weights, None if isinstance(weights, SparseTensor) else 0 if self.dtype.is_integer else 0.0)
        if not weights.dtype.is_floating:
            weights = SparseTensor(weights.indices, tf.cast(weights.values, tf.float32), weights.dense_shape)
        return features.get(self.categorical_column), weights

    def sparse(self, features):
        return IdWeightPair(*features.get(self))


@export("feature_column.weighted_categorical_column")
def weighted_categorical_column(categorical_column, weight_feature_key, dtype="float32"):
    dtype = as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError("dtype %s is not convertible to float." % dtype)
    return WeightedColumn(_categorical(categorical_column), weight_feature_key, dtype)


class CrossedColumn(CategoricalColumn, collections.namedtuple("CrossedColumn", ["keys", "hash_bucket_size", "hash_key"])):
    name = property(lambda self: "_X_".join(sorted(getattr(k, "name", k) for k in self.leaves())))
    num_buckets = property(lambda self: self.hash_bucket_size)

    def leaves(self):
        return [leaf for k in self.keys for leaf in (k.leaves() if isinstance(k, CrossedColumn) else [k])]

    @property
    def parse_example_spec(self):
        made = {}
        for key in self.keys:
            made.update(key.parse_example_spec if isinstance(key, FeatureColumn) else {key: tf.VarLenFeature(tf.string)})
        return made

    def transform(self, features):
        inputs = [self._input(features, key) for key in self.leaves()]
        sparse = [t for t in inputs if isinstance(t, SparseTensor)]
        dense = [_wide(t) for t in inputs if not isinstance(t, SparseTensor)]
        values = [_wide(t.values) for t in sparse]
        made = apply("SparseCross", None, indices=[t.indices for t in sparse], values=values,
                     shapes=[t.dense_shape for t in sparse], dense_inputs=dense, hashed_output=True,
                     num_buckets=self.hash_bucket_size, hash_key=_HASH_KEY if self.hash_key is None else self.hash_key,
                     out_type=tf.int64, internal_type=tf.int64 if any(v.dtype != tf.string for v in values + dense)
                     else tf.string)
        return SparseTensor(*made)

    @staticmethod
    def _input(features, key):
        if isinstance(key, str):
            return features.get(key)
        found = key.sparse(features)
        if found.weight_tensor is not None:
            raise ValueError("crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                             "Given column: %s" % key.name)
        return found.id_tensor


def _wide(tensor):
    return tensor if tensor.dtype == tf.string else tf.cast(tensor, tf.int64)


@export("feature_column.crossed_column")
def crossed_column(keys, hash_bucket_size, hash_key=None):
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError("hash_bucket_size must be > 1. hash_bucket_size: %s" % hash_bucket_size)
    if not keys or len(keys) < 2:
        raise ValueError("keys must be a list with length > 1. Given: %s" % (keys,))
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError("Unsupported key type. All keys must be either string, or categorical column except "
                             "HashedCategoricalColumn. Given: %s" % (key,))
        if isinstance(key, HashedColumn):
            raise ValueError("categorical_column_with_hash_bucket is not supported for crossing. Hashing before crossing will "
                             "increase probability of collision. Instead, use the feature name as a string. Given: %s" %
                             (key,))
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


def _categorical(column):
    if not isinstance(column, CategoricalColumn):
        raise ValueError("categorical_column must be a categorical column. Given: %s" % (column,))
    return column


# --- Categories as dense tensors ---

class IndicatorColumn(DenseColumn, collections.namedtuple("IndicatorColumn", ["categorical_column"])):
    name = property(lambda self: self.categorical_column.name + "_indicator")
    variable_shape = property(lambda self: TensorShape([1, self.categorical_column.num_buckets]))

    def transform(self, features):
        ids, weights = self.categorical_column.sparse(features)
        size = self.categorical_column.num_buckets
        if weights is not None:
            merged = tf.sparse_merge(ids, weights, size)
            merged = tf.sparse_slice(merged, [0, 0], merged.dense_shape)
            return tf.scatter_nd(merged.indices, merged.values, merged.dense_shape)
        dense = tf.sparse_tensor_to_dense(ids, default_value=-1)
        return tf.reduce_sum(tf.one_hot(dense, depth=size, on_value=1.0, off_value=0.0), axis=[-2])


@export("feature_column.indicator_column")
def indicator_column(categorical_column):
    return IndicatorColumn(_categorical(categorical_column))


class EmbeddingColumn(DenseColumn, collections.namedtuple("EmbeddingColumn", [
        "categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm",
        "trainable"])):
    name = property(lambda self: self.categorical_column.name + "_embedding")
    variable_shape = property(lambda self: TensorShape([self.dimension]))

    def dense(self, features, collections_, trainable):
        ids, weights = self.categorical_column.sparse(features)
        table = tf.get_variable("embedding_weights", [self.categorical_column.num_buckets, self.dimension], tf.float32,
                                self.initializer, trainable=self.trainable and trainable, collections=collections_)
        if self.ckpt_to_load_from is not None:
            tf.train.init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: table})
        return tf.nn.safe_embedding_lookup_sparse(table, ids, weights, self.combiner, name="%s_weights" % self.name,
                                                  max_norm=self.max_norm)


@export("feature_column.embedding_column")
def embedding_column(categorical_column, dimension, combiner="mean", initializer=None, ckpt_to_load_from=None,
                     tensor_name_in_ckpt=None, max_norm=None, trainable=True):
    if dimension is None or dimension < 1:
        raise ValueError("Invalid dimension %s." % dimension)
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified. Embedding of column_name: %s" % categorical_column.name)
    if initializer is None:
        initializer = tf.truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))
    return EmbeddingColumn(_categorical(categorical_column), dimension, combiner, initializer, ckpt_to_load_from,
                           tensor_name_in_ckpt, max_norm, trainable)


@export("feature_column.make_parse_example_spec")
def make_parse_example_spec(feature_columns):
    """What tf.parse_example() needs for these columns."""
    made = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError("All feature_columns must be _FeatureColumn instances. Given: %s" % (column,))
        for key, value in column.parse_example_spec.items():
            if made.setdefault(key, value) != value:
                raise ValueError("feature_columns contain different parse_spec for key %s. Given %s and %s" %
                                 (key, value, made[key]))
    return made
